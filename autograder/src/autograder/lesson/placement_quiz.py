"""The quiz that says where to begin: `quiz()` shows it, and keeps the answers beside the learner's progress.

It is never graded. What decides where to begin is in `records/quiz.py`.
"""

from __future__ import annotations

import contextlib
import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.lesson import progress_store
from autograder.lesson.check_calls import find_course, heading
from autograder.lesson.front_end import has_front_end
from autograder.lesson.predictions import asked_in_page
from autograder.records.bank import BankError, KnownWrong
from autograder.records.course import Course
from autograder.records.errors import AuthoringError
from autograder.records.quiz import Item, place, read_quiz
from autograder.words.feedback_card import Notice
from autograder.words.language import _, translated
from autograder.words.phrases import capital


@dataclass(frozen=True)
class Quiz:
    """One form of a course's quiz."""

    course: Course
    form: str
    items: tuple[Item, ...]

    def _name(self, item: Item) -> str:
        return f"quiz.{self.form}.{item.id}"

    def said(self) -> dict[str, str]:
        """Return the answers that are kept, by question."""
        kept = {
            item.id: progress_store.read_prediction(self.course.name, self._name(item)).said
            for item in self.items
        }
        return {name: answer for name, answer in kept.items() if answer}

    def answer(self, item: Item, answer: str) -> str:
        """Keep an answer; returns why it cannot be kept, or nothing."""
        prediction = progress_store.Prediction(answer, answer == item.asked[self.form].right)
        return progress_store.write_prediction(self.course.name, self._name(item), prediction)

    def result(self) -> Notice:
        """Return where to begin, and which mistake each wrong answer comes of."""
        said, known = self.said(), _mistakes(self.course)
        lines = []
        for number, item in enumerate(self.items, start=1):
            about = known.get(item.asked[self.form].mistake(said.get(item.id, "")))
            if about:
                where = heading(about.section) or item.lesson
                why = capital(translated(about.id, about.name))
                lines.append(_("Question {number}: {why}. See {place}.", number=number, why=why, place=where))
        return Notice(begin_with(place(self.items, self.form, said)), tuple(lines))

    def __repr__(self) -> str:
        return "\n".join([self._intro(), repr(self.result())] if self.said() else [self._intro()])

    def _intro(self) -> str:
        return _("{number} questions say where to begin. Nobody grades them.", number=len(self.items))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        static = {"text/plain": repr(self), "text/html": Notice(self._intro())._repr_html_()}
        return {**self.page()._repr_mimebundle_(), **static} if has_front_end() else static

    def page(self) -> Any:
        """Return the questions with their answers to choose, and a button that says where to begin."""
        import ipywidgets  # not before somebody sees it: the import takes long

        said = self.said()
        result = ipywidgets.HTML()
        button = ipywidgets.Button(description=_("Where do I begin?"), layout={"width": "auto"})
        button.on_click(lambda _change: setattr(result, "value", self.result().html(spoken=True)))
        boxes = [self._box(item, number, said) for number, item in enumerate(self.items, start=1)]
        intro = f"<p>{html.escape(self._intro())} {html.escape(leave_out())}</p>"
        return ipywidgets.VBox([ipywidgets.HTML(intro), *boxes, button, result])

    def _box(self, item: Item, number: int, said: Mapping[str, str]) -> Any:
        import ipywidgets

        asked = item.asked[self.form]
        options = [(translated(item.context, choice), choice) for choice in asked.choices]
        answer = said.get(item.id)
        field = ipywidgets.RadioButtons(options=options, value=answer if answer in asked.choices else None)
        head = _("Question {number}", number=number)
        return asked_in_page(
            head, translated(item.context, asked.text), field, "", lambda new: self.answer(item, new)
        )


def quiz(form: str = "") -> Quiz | Notice:
    """Show the quiz that says where to begin. It is never graded.

    Args:
        form: which form, of those that the course has; the first one if none is named.
    """
    try:
        course = find_course()
        items = read_quiz(course)
    except AuthoringError as problem:
        return Notice(_("There is no quiz here."), (str(problem),))
    forms = list(items[0].asked) if items else []
    if not items or form not in ("", *forms):
        return Notice(_("There is no quiz here."), tuple(f'quiz("{name}")' for name in forms))
    return Quiz(course, form or forms[0], items)


def begin_with(lesson: str) -> str:
    """Return the sentence that says where to begin."""
    if lesson:
        return _("Begin with lesson {lesson}.", lesson=lesson)
    return _("Every answer is right. You know what this course teaches.")


def leave_out() -> str:
    """Return what is said of questions that somebody cannot answer."""
    return _("Leave out what you do not know: a guess can only send you too far.")


def _mistakes(course: Course) -> dict[str, KnownWrong]:
    """Return the mistakes that the lessons' checks know, of the lessons that are here."""
    found: dict[str, KnownWrong] = {}
    for lesson in course.banked():
        with contextlib.suppress(BankError):
            for task in course.load(lesson).tasks.values():
                found |= {wrong.id: wrong for wrong in task.known_wrong}
    return found
