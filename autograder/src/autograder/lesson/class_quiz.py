"""The quiz of a class, before and after its course: `class_quiz("before")` asks every question once.

Nothing is saved before a learner agrees. Then one file is saved, which the learner can hand in or delete.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.lesson import interactive_session, page_outputs
from autograder.lesson.check_calls import find_course
from autograder.lesson.placement_quiz import Sentence
from autograder.records import serialization
from autograder.records.authoring_errors import AuthoringError
from autograder.records.quiz import (
    FEWEST_PEOPLE,
    OCCASIONS,
    QuizAnswers,
    QuizQuestion,
    file_of,
    read_quiz,
)
from autograder.words.feedback_card import Notice
from autograder.words.language import _, translated


@dataclass(frozen=True)
class ClassQuiz(Notice):
    """The offer to take part in the class's quiz: the data that would be saved, and the questions."""

    occasion: str = ""
    items: tuple[QuizQuestion, ...] = ()

    __repr__ = Notice.__repr__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if not interactive_session.page():
            return still
        shows = {
            "occasion": self.occasion,
            "offer": self.html(),
            "agree": _("I agree: begin"),
            "unsure": _("I do not know yet"),
            "by_hand": _("Nothing is saved yet. To save your answers, run this in a new cell:"),
            "questions": [self._question(number, item) for number, item in enumerate(self.items, start=1)],
        }
        module = page_outputs.page_module("class_quiz.js")
        name = f"class quiz {self.occasion}"
        return page_outputs.in_page(module, {"shows": shows}, still, name=name)

    def _question(self, number: int, item: QuizQuestion) -> dict[str, Any]:
        """Return what a page needs of a question; never which choice is right."""
        form = item.on(self.occasion)
        return {
            "id": item.id,
            "head": _("Question {number}", number=number),
            "asked": translated(item.context, form.text),
            "choices": [(translated(item.context, choice), choice) for choice in form.choices],
        }


def class_quiz(occasion: str) -> Notice:
    """Show the quiz for your class. It begins once you agree that your answers are saved.

    Args:
        occasion: "before" or "after", for the quiz before or after the course.
    """
    try:
        items = read_quiz(find_course(), whole=True)
    except AuthoringError as problem:
        return Notice(_("There is no quiz here."), (str(problem),))
    if not items or occasion not in OCCASIONS:
        return Notice(_("There is no quiz here."), tuple(f'class_quiz("{name}")' for name in OCCASIONS))
    headline = _("{number} questions for your class. You decide whether to take part.", number=len(items))
    return ClassQuiz(headline, _what_is_kept(file_of(occasion)), occasion, items)


def _what_is_kept(file: str) -> tuple[str, ...]:
    """Return what a person agrees to, paragraph by paragraph."""
    return (
        _(
            "If you agree, your answers are saved in `{file}`, beside this notebook, after the last "
            "question. You hand in this file as you hand in a notebook: it arrives under your name, and your "
            "instructor can open it. The name is needed to compare your answers before and after the course.",
            file=file,
        ),
        _(
            "The report shows figures of the whole class only, from at least {number} people, and no names. "
            "Nobody grades the quiz. If you do not know an answer, say so instead of guessing.",
            number=FEWEST_PEOPLE,
        ),
        _(
            "If you do not agree, nothing is saved. You can delete the file at any time; once you have "
            "handed it in, ask your instructor to delete it."
        ),
    )


def keep(occasion: str, choices: Mapping[str, str]) -> Sentence:
    """Save the answers of a learner who has agreed, and return the sentence that names the file to hand in.

    A page calls this in its kernel; where a page cannot, the learner runs it in a cell.

    Args:
        occasion: "before" or "after".
        choices: the chosen answer by the question's id.
    """
    answers = QuizAnswers(find_course().name, occasion, True, choices)
    plain, _tensors = serialization.encode(answers)
    path = Path(file_of(occasion))
    try:
        path.write_text(json.dumps(plain, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as problem:
        return Sentence(_("Your answers cannot be saved: {problem}", problem=problem))
    return Sentence(_("Thank you. Your answers are in `{file}`: hand in this file.", file=path.name))
