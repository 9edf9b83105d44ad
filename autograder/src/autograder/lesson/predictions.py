"""Predictions: `predict` asks for one before a cell is run, `reveal` shows it beside what came.

A prediction is never graded. It is kept beside the learner's progress, and can be changed until its outcome
was shown.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.lesson import progress_store
from autograder.lesson.card_buttons import in_page
from autograder.lesson.check_calls import find_course
from autograder.lesson.front_end import has_front_end
from autograder.records.errors import AuthoringError
from autograder.words.feedback_card import Notice, card
from autograder.words.language import _, translated

# The group's name, and the region that a screen reader reads out: it has to be there before its words are.
READY = """
box?.querySelector('.ag-kept')?.setAttribute('role', 'status');
const group = box?.querySelector('.widget-radio-box');
const asked = box?.querySelector('.ag-asked')?.textContent.trim() ?? '';
group?.setAttribute('role', 'radiogroup'); group?.setAttribute('aria-label', asked);
for (const one of box?.querySelectorAll('input') ?? []) {
  one.name = asked; one.setAttribute('data-lm-suppress-shortcuts', 'true'); }
box?.querySelector('input[type=text]')?.setAttribute('aria-label', asked);"""
STYLE = """
.ag-predict{padding:.2em .9em}
.ag-predict .widget-radio-box label{color:var(--jp-ui-font-color1,#1f1f1f);height:auto;max-width:none}
.ag-predict .widget-radio,.ag-predict .widget-radio-box{width:auto;max-width:none;height:auto}
.ag-predict input:focus-visible{outline:2px solid var(--jp-brand-color1,#1976d2)}"""


@dataclass(frozen=True)
class Question:
    """A question with a place to keep a prediction; text and HTML where nobody can press anything."""

    course: str
    id: str
    text: str
    choices: tuple[str, ...] = ()

    def __repr__(self) -> str:
        asked, *choices = map(self._shown, (self.text, *self.choices))
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
        asked, *choices = (html.escape(self._shown(text)) for text in (self.text, *self.choices))
        items = "".join(f"<li>○ {choice}</li>" for choice in choices)
        shown = f"<ul>{items}</ul>" if items else ""
        body = f"<p>{asked}</p>{shown}<p>{html.escape(self._kept())}</p>"
        return card("wait", _("Your prediction"), body)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        static = {"text/plain": repr(self), "text/html": self._repr_html_()}
        settled = progress_store.read_prediction(self.course, self.id).true is not None
        return static if settled or not has_front_end() else {**self.form()._repr_mimebundle_(), **static}

    def form(self) -> Any:
        """Return the question with radio buttons for its choices, or a text field where it has none.

        What is chosen or typed is kept at once.
        """
        # Not before somebody sees it: the import takes long.
        import ipywidgets

        answer = progress_store.read_prediction(self.course, self.id).said
        field: Any
        if self.choices:
            chosen = answer if answer in self.choices else None
            # What is kept and compared is the choice as it stands in the cell.
            options = [(self._shown(choice), choice) for choice in self.choices]
            field = ipywidgets.RadioButtons(options=options, value=chosen)
        else:
            field = ipywidgets.Text(
                value=answer, placeholder=_("type it, then press Enter"), continuous_update=False
            )
        first = html.escape(self._kept()) if answer else ""

        def keep(new: str) -> str:
            trouble = progress_store.write_prediction(self.course, self.id, progress_store.Prediction(new))
            return trouble or self._kept()

        return asked_in_page(_("Your prediction"), self._shown(self.text), field, first, keep)


def asked_in_page(head: str, text: str, field: Any, first: str, keep: Callable[[str], str]) -> Any:
    """Return a question with the field that takes its answer, as a screen reader needs it.

    Args:
        head: what kind of question it is, in bold.
        text: the question.
        field: the widget.
        first: what the line below it says at first.
        keep: takes each new answer, and returns what the line says then.
    """
    import ipywidgets

    question = ipywidgets.HTML(f"<p><strong>{html.escape(head)}.</strong> {html.escape(text)}</p>")
    question.add_class("ag-asked")
    kept = ipywidgets.HTML(first)
    kept.add_class("ag-kept")
    box = ipywidgets.VBox([question, field, kept])
    in_page(box, "ag-predict", READY, STYLE)
    field.observe(
        lambda change: setattr(kept, "value", html.escape(keep(str(change["new"] or "").strip()))),
        names="value",
    )
    return box


def predict(name: str, question: str, choices: Sequence[str] = ()) -> Question | Notice:
    """Ask for a prediction, to be made before the next cell is run.

    Args:
        name: the prediction's id: lower-case words joined by hyphens, unique in the course.
        question: what to predict.
        choices: what to choose from; without any, the learner types.
    """
    try:
        return Question(find_course().name, name, question, tuple(choices))
    except AuthoringError as problem:
        return Notice(_("There is nowhere to keep a prediction."), (str(problem),))


def reveal(name: str, came: Any, within: float = 0.05) -> Notice | Revealed:
    """Show what came beside what was predicted. It costs nothing to be wrong.

    Args:
        name: the prediction's id.
        came: what came: one of the choices, a number, or `...` while that is not known yet.
        within: how far from a number a typed prediction may lie, as a share of that number.
    """
    try:
        course = find_course().name
    except AuthoringError as problem:
        return Notice(_("There is nowhere to look for a prediction."), (str(problem),))
    if came is None or came is ...:
        return Notice(
            _("The result is not known yet."), (_("Finish the task above, then run this cell again."),)
        )
    shown = came if isinstance(came, str) else f"{float(came):.4g}"
    prediction = progress_store.read_prediction(course, name)
    if not prediction.said:
        return Revealed(name, "", shown, None)
    if prediction.true is None:
        true = (
            prediction.said == came if isinstance(came, str) else _near(prediction.said, float(came), within)
        )
        prediction = progress_store.Prediction(prediction.said, true)
        progress_store.write_prediction(course, name, prediction)
    return Revealed(name, prediction.said, shown, prediction.true)


@dataclass(frozen=True)
class Revealed:
    """A prediction beside what came."""

    id: str
    said: str
    came: str
    true: bool | None

    def _lines(self) -> tuple[str, str]:
        came, predicted = translated(self.id, self.came), self.said and translated(self.id, self.said)
        if not predicted:
            end = _("You made no prediction here. Try the next one.")
            return _("Result: {came}", came=came), end
        end = (
            _("Your prediction came true.")
            if self.true
            else _("It came out differently. What explains the difference?")
        )
        return _("You predicted: {said}. Result: {came}", said=predicted, came=came), end

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        head, end = self._lines()
        return card("ok" if self.true else "wait", html.escape(head), f"<p>{html.escape(end)}</p>")


def _near(predicted: str, came: float, within: float) -> bool:
    """Tell whether a typed number lies near what came; what is no number does not."""
    try:
        return (
            abs(float(predicted.replace(",", ".").replace("−", "-").rstrip("%")) - came)
            <= within * abs(came) + 1e-9
        )
    except ValueError:
        return False
