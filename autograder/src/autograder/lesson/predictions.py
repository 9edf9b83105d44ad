"""Predictions: `predict` asks for one before a cell is run, `reveal` compares it with the outcome.

A prediction is never graded. It is stored with the learner's progress, and can be changed until its outcome
has been shown.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from autograder.lesson import interactive_session, page_outputs, progress_store
from autograder.lesson.check_calls import find_course
from autograder.records.authoring_errors import AuthoringError
from autograder.words import prediction_bars
from autograder.words.feedback_card import Notice, card
from autograder.words.language import _, translated

Came: TypeAlias = str | float | Mapping[str, float]
# The choices of each question that was asked in this kernel, by its id.
_asked: dict[str, tuple[str, ...]] = {}

# Where a card says what was predicted, which only the page knows.
SAID, PREDICTED = "\0", '<span class="ag-predicted"></span>'


@dataclass(frozen=True)
class Question:
    """A question with a field for a prediction; only text and HTML where the page runs no scripts."""

    course: str
    id: str
    text: str
    choices: tuple[str, ...] = ()
    bars: tuple[str, ...] = ()  # the labels of the bars to draw
    most: float = 1.0  # the largest value of a bar

    def __repr__(self) -> str:
        asked, *choices = map(self._shown, (self.text, *self.choices, *self.bars))
        ask = _("Your prediction")
        return "\n".join([f"{ask}: {asked}", *(f"  ( ) {choice}" for choice in choices), self._kept()])

    def _shown(self, text: str) -> str:
        return translated(self.id, text) if text else ""

    def _kept(self) -> str:
        prediction = progress_store.read_prediction(self.course, self.id)
        if not prediction.said:
            return _("You have not answered yet.")
        then = _("Now run the next cell.") if prediction.true is None else _("Its outcome is known.")
        return _("Kept: {said}. {then}", said=self._shown(prediction.said), then=then)

    def _repr_html_(self) -> str:
        texts = (self.text, *self.choices, *self.bars)
        asked, *choices = (html.escape(self._shown(text)) for text in texts)
        items = "".join(f"<li>○ {choice}</li>" for choice in choices)
        shown = f"<ul>{items}</ul>" if items else ""
        body = f"<p>{asked}</p>{shown}<p>{html.escape(self._kept())}</p>"
        return card("wait", _("Your prediction"), body)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {"text/plain": repr(self), "text/html": self._repr_html_()}
        # What is kept and compared is the choice as it stands in the cell.
        shows = {
            "name": self.id,
            "cell": interactive_session.running_cell(),
            "head": _("Your prediction"),
            "asked": self._shown(self.text),
            "choices": [(self._shown(choice), choice) for choice in self.choices],
            "bars": [self._shown(label) for label in self.bars],
            "most": self.most,
            "draw": _("That is my prediction"),
            "style": prediction_bars.STYLE,
            "placeholder": _("type it, then press Enter"),
            "kept": _("Kept: {said}. {then}", said="{said}", then=_("Now run the next cell.")),
            "known": _("Kept: {said}. {then}", said="{said}", then=_("Its outcome is known.")),
        }
        values = {"shows": shows, "chosen": _chosen(self.course, self.id)}
        return page_outputs.in_page(
            page_outputs.page_module("prediction.js"), values, still, name=f"prediction {self.id}"
        )


def _chosen(course: str, name: str) -> dict[str, Any]:
    """Return what a page shows as chosen of a prediction, as far as this machine knows of it."""
    prediction = progress_store.read_prediction(course, name)
    if not prediction.said:
        return {}
    shown = translated(name, prediction.said)
    return {"said": prediction.said, "shown": shown, "settled": prediction.true}


def keep(name: str, said: str) -> str:
    """Store a prediction, unless its outcome has been shown; return a message if that fails, else "".

    A page calls this, and `settle`, in its kernel.
    """
    course = find_course().name
    if progress_store.read_prediction(course, name).true is not None:
        return ""
    return progress_store.write_prediction(course, name, progress_store.Prediction(said))


def settle(name: str, said: str, true: bool) -> None:
    """Store whether a prediction came true, the first time that its outcome is shown."""
    course = find_course().name
    if progress_store.read_prediction(course, name).true is None:
        progress_store.write_prediction(course, name, progress_store.Prediction(said, true))


def predict(
    name: str, question: str, choices: Sequence[str] = (), bars: Sequence[str] = (), most: float = 1.0
) -> Question | Notice:
    """Ask for a prediction, before the next cell is run.

    Args:
        name: the prediction's id: lower-case words joined by hyphens, unique in the course.
        question: the question that the prediction answers.
        choices: the possible predictions; without any, the learner types one.
        bars: the label of each bar; if given, the learner draws bars instead of choosing or typing.
        most: the value of a bar of full length.

    Returns:
        The question, or a notice if the notebook belongs to no course.
    """
    _asked[name] = tuple(choices)
    try:
        return Question(find_course().name, name, question, _asked[name], tuple(bars), most)
    except AuthoringError as problem:
        return Notice(_("There is nowhere to keep a prediction."), (str(problem),))


def reveal(name: str, came: Any, within: float = 0.05, most: float = 1.0) -> Notice | Revealed:
    """Show the outcome beside the prediction. It costs nothing to be wrong.

    Args:
        name: the prediction's id.
        came: the outcome: one of the choices, or its index; a number, where the learner types one; the length
            of each bar by its label; or `...` while the outcome is not known yet.
        within: how far a right prediction may be from the outcome: as a share of the outcome for a typed
            number, and of the longest bar for a drawn bar.
        most: the value of a bar of full length.

    Returns:
        The comparison, or a notice if there is no outcome to show yet.
    """
    try:
        course = find_course().name
    except AuthoringError as problem:
        return Notice(_("There is nowhere to look for a prediction."), (str(problem),))
    if came is None or came is ...:
        return Notice(
            _("The result is not known yet."), (_("Finish the task above, then run this cell again."),)
        )
    if name not in _asked and isinstance(came, int):
        return Notice(_("The result is not known yet."), (_("Run the cell that asks first, then this one."),))
    if isinstance(came, Mapping):
        came = {label: float(length) for label, length in came.items()}
    elif choices := _asked.get(name):
        came = came if isinstance(came, str) else choices[int(came)]
    else:
        came = came if isinstance(came, str) else float(came)
    prediction = progress_store.read_prediction(course, name)
    if not prediction.said:
        return Revealed(course, name, "", came, None, within, most)
    if prediction.true is None:
        true = _came_true(prediction.said, came, within)
        prediction = progress_store.Prediction(prediction.said, true)
        progress_store.write_prediction(course, name, prediction)
    return Revealed(course, name, prediction.said, came, prediction.true, within, most)


@dataclass(frozen=True)
class Revealed:
    """An outcome beside its prediction; in a page, the outcome is folded until there is a prediction."""

    course: str
    id: str
    said: str
    came: Came
    true: bool | None
    within: float
    most: float = 1.0

    def _lines(self, said: str, true: bool | None) -> tuple[str, str]:
        if isinstance(self.came, Mapping):
            came = prediction_bars.listed(self._bars())
        else:
            came = translated(self.id, self.came) if isinstance(self.came, str) else f"{self.came:.4g}"
        if not said:
            end = _("You made no prediction here. Try the next one.")
            return _("Result: {came}", came=came), end
        end = (
            _("Your prediction came true.")
            if true
            else _("It came out differently. What explains the difference?")
        )
        return _("You predicted: {said}. Result: {came}", said=said, came=came), end

    def __repr__(self) -> str:
        return "\n".join(self._lines(self.said and translated(self.id, self.said), self.true))

    def _repr_html_(self) -> str:
        return self._card(self.said and translated(self.id, self.said), self.true)

    def _bars(self) -> dict[str, float]:
        """Return each bar's length by what stands beside it in the spoken language."""
        came = self.came if isinstance(self.came, Mapping) else {}
        return {translated(self.id, label): number for label, number in came.items()}

    def _card(self, said: str, true: bool | None) -> str:
        head, end = (html.escape(line).replace(SAID, PREDICTED) for line in self._lines(said, true))
        drawn = ""
        if isinstance(self.came, Mapping):
            bars = prediction_bars.bars(self._bars(), self.most, self.said)
            drawn = f"<style>{prediction_bars.STYLE}</style>{bars}"
        return card("ok" if true else "wait", head, f"{drawn}<p>{end}</p>")

    def _folded(self) -> str:
        """Return the card of an outcome that nobody has predicted yet."""
        came = html.escape(self._lines("", None)[0])
        show = html.escape(_("Show what came"))
        body = f"<details><summary>{show}</summary><p>{came}</p></details>"
        return card("wait", html.escape(_("Hidden until you make your prediction above.")), body)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        open_yet = not self.said and bool(interactive_session.page())
        plain = _("Hidden until you make your prediction above.") if open_yet else repr(self)
        still = {"text/plain": plain, "text/html": self._folded() if open_yet else self._repr_html_()}
        cards = {"open": self._folded(), "true": self._card(SAID, True), "false": self._card(SAID, False)}
        came = [*self.came.values()] if isinstance(self.came, Mapping) else self.came
        shows = {"name": self.id, "came": came, "within": self.within, "most": self.most, "cards": cards}
        values = {"shows": shows, "chosen": _chosen(self.course, self.id)}
        return page_outputs.in_page(
            page_outputs.page_module("outcome.js"), values, still, name=f"prediction {self.id}"
        )


def _came_true(said: str, came: Came, within: float) -> bool:
    if isinstance(came, Mapping):
        return prediction_bars.near(prediction_bars.drawn(said), tuple(came.values()), within)
    return said == came if isinstance(came, str) else _near(said, came, within)


def _near(predicted: str, came: float, within: float) -> bool:
    """Tell whether a typed number lies near what came; what is no number does not."""
    try:
        return (
            abs(float(predicted.replace(",", ".").replace("−", "-").rstrip("%")) - came)
            <= within * abs(came) + 1e-9
        )
    except ValueError:
        return False
