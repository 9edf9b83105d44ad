"""Four classic bugs: how each trains, and which test shows it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visuals import mpl, style, words
from visuals.faulty import BUGS, STEPS, Moment, Training
from visuals.figures.layout import apart
from visuals.language import N_, _
from visuals.picture import Picture

# What a class is measured by, as the columns of the table are called.
FACTS = (N_("rows add up to"), N_("entropy of a row"), N_("gradient at scores"), N_("outputs that leak"))
DASHES = ("-", "--", "-.", ":")
# Widths and heights in CSS pixels: of the sheet, of the curves, of the table below them and of its lines.
WIDTH, CURVES, LINE = 760, 250, 24
# Where the table's columns begin.
COLUMNS = (24, 262, 392, 512, 636)
NAMES = {
    "unscaled": N_("no √d_k"),
    "columns": N_("softmax over the queries"),
    "late": N_("mask after softmax"),
    "untransposed": N_("heads without transpose"),
}


def row_sums(moment: Moment) -> str:
    """Return what the rows of weights add up to: '1.00', or '0.11 to 2.64', the smallest and the largest."""
    low, high = (words.number(value, 2) for value in (moment.sums.min(), moment.sums.max()))
    return low if low == high else _("{low} to {high}", low=low, high=high)


def leaking(moment: Moment) -> str:
    """How many outputs change with a later token: '5 of 5'; the last token has none after it."""
    return _("{leaks} of {count}", leaks=int(moment.leaks.sum()), count=len(moment.leaks))


def facts(moment: Moment, right: Moment) -> tuple[str, ...]:
    """Row sums, entropy, the gradient at the scores beside the right class's, and leaks: as in `FACTS`."""
    gradient = float(moment.at_scores.mean() / right.at_scores.mean())
    return (
        row_sums(moment),
        words.number(float(moment.entropy.mean()), 2),
        _("{gradient} × right", gradient=words.number(gradient, 2)),
        leaking(moment),
    )


def striking(moment: Moment, right: Moment) -> tuple[bool, ...]:
    """Which of those facts differ so much from the right class's that they are a symptom."""
    entropy = float(moment.entropy.mean() / right.entropy.mean())
    gradient = float(moment.at_scores.mean() / right.at_scores.mean())
    return (
        bool(np.abs(moment.sums - 1).max() > 0.005),
        not 0.8 < entropy < 1.25,
        not 0.5 < gradient < 2,
        bool(moment.leaks.any()),
    )


def bugs_side_by_side(right: Training, broken: Sequence[Training]) -> Picture:
    """Draw how the right class and classes with one bug each train, above what each one's tests show.

    right, broken: trained on the same stories.
    """
    every = [right, *broken]
    high = 64 + CURVES + 100 + len(every) * LINE
    colors = [style.CONTEXT, style.SCORE, style.WARNING, style.QUERY, style.WEIGHT]
    with style.look():
        pixels = style.PIXELS_PER_INCH
        figure = mpl.Figure(figsize=(WIDTH / pixels, high / pixels), dpi=pixels)

        def write(x: float, y: float, text: str, **more: object) -> None:
            figure.text(x / WIDTH, 1 - y / high, text, va="center", **more)  # type: ignore[arg-type]

        write(
            24,
            28,
            _("All five train; the tests show the bugs"),
            weight="bold",
            fontsize=style.points(style.TITLE_SIZE),
        )
        axes = figure.add_axes((70 / WIDTH, 1 - (64 + CURVES) / high, 405 / WIDTH, CURVES / high))
        _draw_curves(axes, every, colors)
        top = 64 + CURVES + 76
        for left, heading in zip(COLUMNS, (_("before training"), *map(_, FACTS)), strict=True):
            write(left, top, heading, color=style.MUTED, fontsize=style.points(style.SMALL_SIZE))
        for line, (training, color) in enumerate(zip(every, colors, strict=True), start=1):
            bug = next(iter(training.bugs), "right")
            write(COLUMNS[0], top + line * LINE, _(NAMES.get(bug, "right")), color=color, weight="bold")
            cells = zip(
                facts(training.before, right.before), striking(training.before, right.before), strict=True
            )
            for column, (text, wrong) in enumerate(cells):
                write(
                    COLUMNS[column + 1],
                    top + line * LINE,
                    text,
                    weight="bold" if wrong else "normal",
                    color=style.WARNING if wrong else style.INK,
                    gid=f"fact {bug} {column}",
                )
    return Picture(figure, _in_words(right, broken))


def _draw_curves(axes: mpl.Axes, every: Sequence[Training], colors: Sequence[str]) -> None:
    """Draw how the error of each class falls, with its name where its curve ends."""
    highest = max(float(training.errors.max()) for training in every)
    axes.set(
        xlim=(0, STEPS),
        ylim=(0, 1.05 * highest),
        xlabel=_("training step"),
        ylabel=_("error on new stories"),
    )
    ends = apart(np.array([training.error for training in every]), 0.075 * highest)
    for index, (training, end, color) in enumerate(zip(every, ends, colors, strict=True)):
        bug = next(iter(training.bugs), "right")
        axes.plot(
            training.steps,
            training.errors,
            color=color,
            linestyle=DASHES[index % len(DASHES)],
            linewidth=2.4,
            gid=f"error {bug}",
        )
        axes.annotate(
            f"{_(NAMES.get(bug, 'right'))}: {words.number(training.error, 2)}",
            (STEPS, end),
            (style.points(10), 0),
            textcoords="offset points",
            va="center",
            color=color,
            weight="bold",
            annotation_clip=False,
        )


def _in_words(right: Training, broken: Sequence[Training]) -> str:
    parts = []
    for training in (right, *broken):
        sums, entropy, gradient, leaks = facts(training.before, right.before)
        name = _(BUGS[next(iter(training.bugs))]) if training.bugs else _("right")
        at_scores = _("gradient at the scores {gradient}", gradient=gradient) + ", " if training.bugs else ""
        parts.append(
            _(
                "{name}: rows add up to {sums}, entropy {entropy}, {told}{leaks} outputs change with a "
                "later token, error from {first} to {last}",
                name=name,
                sums=sums,
                entropy=entropy,
                told=at_scores,
                leaks=leaks,
                first=words.number(float(training.errors[0]), 2),
                last=words.number(training.error, 2),
            )
        )
    return _(
        "Curves of the error of one class, right and with one bug each, while it trains for {steps} "
        "steps; below, what is measured before training. {told}.",
        steps=STEPS,
        told="; ".join(parts),
    )
