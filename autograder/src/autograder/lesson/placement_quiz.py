"""The placement quiz: `quiz()` shows it, and stores the answers with the learner's progress.

It is never graded. The rule that finds the lesson to begin with is in `records/quiz.py`.
"""

from __future__ import annotations

import contextlib
import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.lesson import interactive_session, page_outputs, progress_store
from autograder.lesson.check_calls import find_course, heading
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import BankError, KnownWrong
from autograder.records.course import Course
from autograder.records.quiz import QuizQuestion, first_lesson, read_quiz
from autograder.words.feedback_card import Notice, inline
from autograder.words.language import _, translated

LINK = "\0"  # where a sentence links to a lesson


@dataclass(frozen=True)
class Quiz:
    """One of the two versions of a course's placement quiz."""

    course: Course
    form: str
    items: tuple[QuizQuestion, ...]

    def _name(self, item: QuizQuestion) -> str:
        return f"quiz.{self.form}.{item.id}"

    def said(self) -> dict[str, str]:
        """Return the learner's stored answers, by question id."""
        answers = {
            item.id: progress_store.read_prediction(self.course.name, self._name(item)).said
            for item in self.items
        }
        return {name: answer for name, answer in answers.items() if answer}

    def result(self) -> Notice:
        """Return the lesson to begin with, and the mistake that explains each wrong answer."""
        answers = self.said()
        done = (_done(self.course, item, self.form, answers.get(item.id, "")) for item in self.items)
        return Notice(begin_with(first_lesson(self.items, self.form, answers)), tuple(filter(None, done)))

    def __repr__(self) -> str:
        return "\n".join([self._intro(), repr(self.result())] if self.said() else [self._intro()])

    def _intro(self) -> str:
        return _("{number} questions say where to begin. Nobody grades them.", number=len(self.items))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {"text/plain": repr(self), "text/html": Notice(self._intro())._repr_html_()}
        if not interactive_session.page():
            return still
        shows = {
            "form": self.form,
            "intro": self._intro(),
            "unsure": _("I do not know yet"),
            "again": _("Start over"),
            "known": html.escape(begin_with("")),
            "questions": [self._question(number, item) for number, item in enumerate(self.items, start=1)],
        }
        values = {"shows": shows, "chosen": {"said": self.said()}}
        module = page_outputs.page_module("quiz.js")
        return page_outputs.in_page(module, values, still, name=f"quiz {self.form}")

    def _question(self, number: int, item: QuizQuestion) -> dict[str, Any]:
        """Return what a page needs of a question: its choices, and what each says about where to begin."""
        asked = item.asked[self.form]
        link = f'<a href="../{item.lesson}/{item.lesson}.ipynb">{html.escape(title(item.lesson))}</a>'
        return {
            "id": item.id,
            "head": _("Question {number}", number=number),
            "asked": translated(item.context, asked.text),
            "choices": [(translated(item.context, choice), choice) for choice in asked.choices],
            "right": asked.right,
            "begin": html.escape(begin_with(LINK)).replace(LINK, link),
        }


def _done(course: Course, item: QuizQuestion, form: str, answer: str) -> str:
    """Return what somebody did who gave a wrong answer; "" of one that comes of no known mistake."""
    fault = item.asked[form].mistake(answer)
    return mistake_sentence(course, item.lesson, fault) if fault else ""


def mistake_sentence(course: Course, lesson: str, fault: str) -> str:
    """Return a sentence that explains the mistake in a wrong answer; "" if no lesson here describes it."""
    about = known_mistake(course, lesson, fault)
    if about is None:
        return ""
    where = heading(about.section) or title(lesson)
    return _("In your answer, {why}. See {place}.", why=translated(about.id, about.name), place=where)


def keep(form: str, question: str, answer: str) -> Sentence:
    """Store a learner's answer, and return the sentence that explains its mistake, if there is one.

    A page calls this in its kernel.
    """
    course = find_course()
    (item,) = (item for item in read_quiz(course) if item.id == question)
    prediction = progress_store.Prediction(answer, answer == item.asked[form].right)
    trouble = progress_store.write_prediction(course.name, f"quiz.{form}.{item.id}", prediction)
    return Sentence(trouble or _done(course, item, form, answer))


@dataclass(frozen=True)
class Sentence:
    """A sentence that a page requests from its kernel, displayed as HTML."""

    text: str

    def _repr_html_(self) -> str:
        return inline(self.text)


def title(lesson: str) -> str:
    """Return a lesson's title: the first heading of its notebook, or its name if the notebook is not here."""
    for path in (Path(f"{lesson}.ipynb"), Path("..") / lesson / f"{lesson}.ipynb"):
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
            first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
            return first.partition("\n")[0].removeprefix("# ")
    return lesson


def quiz(form: str = "") -> Quiz | Notice:
    """Show the quiz that finds the lesson to begin with. It is never graded.

    Args:
        form: the name of one of the course's forms; the first form if empty.
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
    """Return the sentence that names the lesson to begin with; "" means all answers are right."""
    if lesson:
        return _("Begin with lesson {lesson}.", lesson=lesson)
    return _("Every answer is right. You know what this course teaches.")


def leave_out() -> str:
    """Return the sentence that asks learners to leave out questions that they cannot answer."""
    return _("Leave out what you do not know: a guess can only send you too far.")


def known_mistake(course: Course, lesson: str, fault: str) -> KnownWrong | None:
    """Return a known mistake by its id, as this lesson or else another describes it; None if none does."""
    for name in sorted(course.banked(), key=lambda name: name != lesson):
        with contextlib.suppress(BankError):
            for task in course.load(name).tasks.values():
                for wrong in task.known_wrong:
                    if wrong.id == fault:
                        return wrong
    return None
