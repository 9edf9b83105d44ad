"""Switch classic bugs on and off in a tiny class, and see weights, entropy, gradients and training change."""

from __future__ import annotations

import html
from collections.abc import Sequence

import ipywidgets
import numpy as np

from visuals import words
from visuals.arrays import token_names
from visuals.explorers.explorer import WIDE, Explorer
from visuals.faulty import BUGS, STEPS, Moment, Training, row_names, train
from visuals.language import _
from visuals.lessons.multi_head.breaking import bugs_side_by_side, leaking, row_sums
from visuals.not_ready import when_ready
from visuals.picture import Picture

FEWEST_TOKENS, MOST_TOKENS = 3, 8
# Which moment of the training is shown.
BEFORE, AFTER = "before", "after"
# An error so close to the right class's is as good; below this one most of the work is learned.
AS_GOOD, MOSTLY = 0.05, 0.3
NEAR = "padding: 2px 4px; text-align: right"
SMALL = "font-size: 12px"
BESIDE = {"width": "auto", "margin": "2px 18px 2px 2px"}
SHADE = 40.0


def sentence(training: Training, right: Training, moment: str) -> str:
    """Say in words what the bugs do to weights, entropy, gradients and training."""
    shown, model = (trained.before if moment == BEFORE else trained.after for trained in (training, right))
    start = _("Nothing is broken.")
    entropy = words.number(float(shown.entropy.mean()), 2)
    error = f"{words.number(training.error, 2)}"
    if training.bugs:
        bugs = words.joined([_(BUGS[bug]) for bug in BUGS if bug in training.bugs])
        start = _("Broken: {bugs}.", bugs=bugs)
        right_entropy = words.number(float(model.entropy.mean()), 2)
        entropy += " " + _("(right {number})", number=right_entropy)
        error += " " + _("(right {number})", number=words.number(right.error, 2))
        error += f": {verdict(training, right)}"
    before, after = _("Before training"), _("After {steps} steps", steps=STEPS)
    return " ".join(
        (
            start,
            before if moment == BEFORE else after,
            _(
                "rows of weights add up to {sums}, their mean entropy is {entropy}{gradients}; {leaks} "
                "outputs change with a later token.",
                sums=row_sums(shown),
                entropy=entropy,
                gradients=_gradients(shown, model, bool(training.bugs)),
                leaks=leaking(shown),
            ),
            _(
                "In {steps} steps the error falls from {first} to {last}",
                steps=STEPS,
                first=words.number(float(training.errors[0]), 2),
                last=error,
            ),
        )
    )


def verdict(training: Training, right: Training) -> str:
    """How well a class with bugs trains, beside the right one."""
    if training.error <= right.error + AS_GOOD:
        return _("about as good in this tiny case")
    lags = training.error <= MOSTLY
    return _("it trains, and lags behind") if lags else _("much is left unlearned")


def _gradients(shown: Moment, model: Moment, broken: bool) -> str:
    if not broken:
        return ""
    scores, queries = (
        _times(float(gradient.mean() / expected.mean()))
        for gradient, expected in ((shown.at_scores, model.at_scores), (shown.at_queries, model.at_queries))
    )
    return _(
        "; of the right class's gradient {scores} times reaches the scores, {queries} times the queries",
        scores=scores,
        queries=queries,
    )


def _times(ratio: float) -> str:
    return words.number(ratio, 0 if ratio >= 10 else 2)


class BugExplorer(Explorer):
    """Switch bugs on and off; see one story's weights, the gradients that reach each token, and the error.

    `bugs` holds a checkbox for each bug, by its name in `visuals.faulty.BUGS`; `moment` chooses between
    before and after training. `training` is the class that is shown, `right` the one without a bug.
    """

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self.bugs = {
            name: ipywidgets.Checkbox(value=False, description=_(label), indent=False, layout=BESIDE)
            for name, label in BUGS.items()
        }
        self.moment = ipywidgets.Dropdown(
            options=[(_("before training"), BEFORE), (_("after {steps} steps", steps=STEPS), AFTER)],
            value=BEFORE,
            description=_("Weights and gradients"),
            style=WIDE,
        )
        super().__init__(*self.bugs.values(), self.moment)

    @property
    def training(self) -> Training:
        chosen = frozenset(name for name, box in self.bugs.items() if box.value)
        return train(chosen, len(self._tokens))

    @property
    def right(self) -> Training:
        return train(frozenset(), len(self._tokens))

    @property
    def alt(self) -> str:
        return sentence(self.training, self.right, self.moment.value)

    @property
    def html(self) -> str:
        training, right = self.training, self.right
        shown, model = (
            trained.before if self.moment.value == BEFORE else trained.after for trained in (training, right)
        )
        # Beside the right class only where there is something to compare, and rows of the same tokens.
        same_rows = None if not training.bugs or "untransposed" in training.bugs else model
        maps = "".join(
            weight_table(shown, same_rows, head, names)
            for head, names in enumerate(row_names(self._tokens, training.bugs))
        )
        # Two columns where they fit: the maps, and what training makes of them.
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 8px 18px;">'
            f"<div>{maps}</div>"
            f"<div>{curves(training, right)}{gradient_table(shown, model, self._tokens)}</div></div>"
        )

    @property
    def picture(self) -> Picture:
        single = [train(frozenset({name}), len(self._tokens)) for name in BUGS]
        return bugs_side_by_side(self.right, single)


def weight_table(shown: Moment, model: Moment | None, head: int, names: Sequence[str]) -> str:
    """One head's weights for one story as an HTML table, with the sum and the entropy of each row.

    `model` is the right class, where it is to be compared.
    """
    top = "".join(
        # A piece's number stands below its token, which keeps the columns narrow.
        f'<th scope="col" style="{NEAR}">{html.escape(words.shortened(name, 9)).replace("·", "<br>·")}</th>'
        for name in names
    )
    rows = []
    for row, name in enumerate(names):
        cells = []
        for column, value in enumerate(shown.weights[head, row]):
            strength = SHADE * min(float(value), 1.0)
            back = f"background: color-mix(in srgb, var(--score) {strength:.0f}%, transparent)"
            text = words.number(value, 2) if column <= row else ""
            cells.append(f'<td class="number" style="{NEAR}; {back}">{text}</td>')
        total = float(shown.sums[head, row])
        off = abs(total - 1) > 0.005
        mark = f'style="{NEAR}; color: var(--chosen); font-weight: 700"' if off else f'style="{NEAR}"'
        cells.append(f'<td class="number" {mark}>{words.number(total, 2)}{" ≠ 1" if off else ""}</td>')
        entropy = words.number(shown.entropy[head, row], 2)
        if model:
            entropy += f" ({words.number(model.entropy[head, row], 2)})"
        cells.append(f'<td class="number" style="{NEAR}">{entropy}</td>')
        rows.append(f'<tr><th scope="row">{html.escape(name)}</th>{"".join(cells)}</tr>')
    compared = " " + _("(entropy of the right class)") if model else ""
    caption = _("Head {head}: weights of one story", head=head) + compared
    last = (_("row sum"), "entropy")
    ends = "".join(f'<th scope="col" style="{NEAR}">{name}</th>' for name in last)
    return (
        f'<table style="{SMALL}"><caption>{caption}</caption>'
        f'<tr><th scope="col">query</th>{top}{ends}</tr>{"".join(rows)}</table>'
    )


def gradient_table(shown: Moment, model: Moment, tokens: Sequence[str]) -> str:
    """Return what the error sends back to each token's scores, query and key.

    A mark shows the right class's.
    """
    columns = (
        ("scores", shown.at_scores, model.at_scores, "score"),
        ("query", shown.at_queries, model.at_queries, "weight"),
        ("key", shown.at_keys, model.at_keys, "context"),
    )
    highest = max(float(max(broken.max(), right.max())) for _, broken, right, _ in columns) or 1.0
    rows = []
    for index, token in enumerate(tokens):
        cells = "".join(
            f'<td style="padding-right: 8px">{_bar(broken[index], right[index], highest, color)}</td>'
            for _, broken, right, color in columns
        )
        rows.append(f'<tr><th scope="row">{html.escape(token)}</th>{cells}</tr>')
    top = "".join(f'<th scope="col" style="padding-right: 8px">{name}</th>' for name, *_ in columns)
    caption = _("Gradients, in thousandths (│ right class)")
    return (
        f'<table style="{SMALL}"><caption>{caption}</caption>'
        f'<tr><th scope="col">token</th>{top}</tr>{"".join(rows)}</table>'
    )


def _bar(value: float, right: float, highest: float, color: str) -> str:
    """Return a bar from 0 to the highest value, a mark where the right class's would end, and the number."""
    return (
        '<span class="track" aria-hidden="true" style="width: 48px; margin-right: 4px"><span class="bar" '
        f'style="left: 0%; width: {100 * value / highest:.1f}%; background: var(--{color});"></span>'
        f'<span class="bar" style="left: {100 * right / highest:.1f}%; width: 2px; '
        'background: currentColor;"></span></span>'
        f'<span class="number">{words.number(1000 * value, 2)}</span>'
    )


def curves(training: Training, right: Training) -> str:
    """Return the error over the steps, beside the right class's, as a drawing with alternative text."""
    wide, high = 200, 120
    top = max(1.0, float(training.errors.max()), float(right.errors.max()))

    def path(errors: np.ndarray) -> str:
        return " ".join(
            f"{10 + wide * step / STEPS:.1f},{14 + high * (1 - error / top):.1f}"
            for step, error in zip(training.steps, errors, strict=True)
        )

    def line(errors: np.ndarray, color: str, stroke: str) -> str:
        return f'<polyline points="{path(errors)}" fill="none" stroke="var(--{color})" {stroke}/>'

    def label(shown: Training, name: str, color: str, y: float) -> str:
        return (
            f'<text x="{wide + 16}" y="{y:.1f}" fill="var(--{color})" font-weight="600">'
            f"{name} {words.number(shown.error, 2)}</text>"
        )

    def height(error: float) -> float:
        return 18 + high * (1 - error / top)

    dashes = 'stroke-width="2" stroke-dasharray="6 4"' if training.bugs else 'stroke-width="3"'
    drawn = line(right.errors, "context", dashes)
    ends = label(right, _("right"), "context", height(right.error))
    errors_in_words = ", ".join(
        _("step {step}: {error}", step=step, error=words.number(error, 2))
        for step, error in zip(training.steps[::3], training.errors[::3], strict=True)
    )
    if training.bugs:
        drawn += line(training.errors, "chosen", 'stroke-width="3"')
        # Labels of curves that end together stand one above the other.
        above = min(height(training.error), height(right.error) - 17)
        ends += label(training, _("broken"), "chosen", above)
    nothing = 14 + high * (1 - 1 / top)
    at_start, below = _("1: nothing learned"), _("error over {steps} steps", steps=STEPS)
    in_words = _(
        "Error on stories not trained on, {told}; the right class ends at {error}",
        told=errors_in_words,
        error=words.number(right.error, 2),
    )
    return (
        f'<svg role="img" width="{wide + 115}" height="{high + 40}" viewBox="0 0 {wide + 115} {high + 40}" '
        f'style="display: block; max-width: 100%; font: 13px var(--jp-content-font-family, sans-serif)" '
        f'aria-label="{html.escape(in_words)}">'
        f'<line x1="10" x2="{wide + 10}" y1="{high + 14}" y2="{high + 14}" stroke="currentColor"/>'
        f'<line x1="10" x2="{wide + 10}" y1="{nothing:.1f}" y2="{nothing:.1f}" stroke="currentColor" '
        'stroke-dasharray="1 4"/>'
        f'<text x="{wide + 10}" y="{nothing - 5:.1f}" text-anchor="end" fill="currentColor">'
        f"{at_start}</text>"
        f'{drawn}{ends}<text x="10" y="{high + 32}" fill="currentColor">'
        f"{below}</text></svg>"
    )


@when_ready
def explore_bugs(tokens: Sequence[str]) -> BugExplorer:
    """Explore what classic bugs do to a tiny class with two causal heads: one by one, or together.

    tokens: the words of a story, 3 to 8; they name the rows. The class is trained on random stories of as
    many tokens: each token has to hand over the vector of the token before it, and that of the first.

    Raises ValueError for fewer or more tokens, TypeError for one string in place of a list.
    """
    if not isinstance(tokens, str) and not FEWEST_TOKENS <= len(tokens) <= MOST_TOKENS:
        raise ValueError(f"tokens must hold {FEWEST_TOKENS} to {MOST_TOKENS} words, not {len(tokens)}.")
    return BugExplorer(token_names(tokens, len(tokens), "tokens", "tokens"))
