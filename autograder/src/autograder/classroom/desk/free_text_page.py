"""One written question over all students: what each wrote, the marking scheme, and what a person gives."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from rapidfuzz.distance.Indel import normalized_similarity as ratio

from autograder.author.parse_source import answers_in
from autograder.classroom.class_report import MOST_COMPARED
from autograder.classroom.desk import manual_grades
from autograder.classroom.desk.page_data import Data, NotThere
from autograder.grading.class_folder import Class
from autograder.grading.gradebook import GradebookWriter
from autograder.grading.sanitize_html import markdown2html
from autograder.grading.verdicts import TaskResult, Ticked, readable
from autograder.words.language import _

# From here on, from 0 to 1, two answers stand one after the other.
NEARLY = 0.8
LINE = re.compile(r"^- (\d+(?:\.\d+)?) points?: (.*(?:\n {2}.*)*)", re.MULTILINE)


@dataclass(frozen=True)
class Line:
    """A line of a marking scheme."""

    points: float
    text: Markup


@dataclass(frozen=True)
class Written:
    """What a student wrote, or several alike, and what they were given; `key` stands for who it is."""

    key: str
    times: int
    manual: float | None
    text: Markup
    ticked: tuple[int, ...]
    comment: str
    score: float | None
    waiting: bool


def on_page(data: Data, token: str, lesson: str, name: str) -> dict[str, Any]:
    """Return what the page of a question shows: its scheme, and all answers in an order that tells nothing.

    Raises:
        NotThere: nobody has answered such a question.
    """
    results = _results(data, lesson, name)
    ticked = {
        ticked_answer.student: ticked_answer.lines
        for ticked_answer in data.ticked
        if (ticked_answer.lesson, ticked_answer.task) == (lesson, name)
    }
    answers, texts = [], {}
    for same in _same(data, results):
        result = same[0]
        mark = data.marks[lesson, result.student, name]
        texts[key_of(same[0].student, token)] = " ".join(result.answer.split())[:MOST_COMPARED]
        answers.append(
            Written(
                key_of(same[0].student, token),
                len(same),
                mark.manual,
                in_a_box(as_markup(result.answer)) if result.answered else Markup(""),
                ticked.get(result.student, ()),
                data.comment(result),
                mark.score if mark.manual is not None or not mark.waiting else None,
                any(data.marks[lesson, one.student, name].waiting for one in same),
            )
        )
    answers = _neighbours(sorted(answers, key=lambda answer: answer.key), texts)
    return {
        "lesson": lesson,
        "task": name,
        "possible": results[0].possible,
        "lines": scheme(data.course, lesson, name),
        "answers": answers,
        "comments": [text for text, _ in data.counted_comments(results).most_common()],
    }


def give(
    data: Data,
    lesson: str,
    name: str,
    key: str,
    token: str,
    lines: Sequence[int],
    comment: str,
    was: float | None = None,
    by: str = "",
) -> float:
    """Give an answer the points of some lines of the scheme, in nbgrader's gradebook; returns the points.

    Whoever wrote the very same gets the same.

    Raises:
        NotThere: there is no such answer or line, or somebody else has given it other points meanwhile.
    """
    same = next(
        (some for some in _same(data, _results(data, lesson, name)) if key_of(some[0].student, token) == key),
        None,
    )
    known = scheme(data.course, lesson, name)
    if same is None or not all(0 <= place < len(known) for place in lines):
        raise NotThere(_("There is no such answer, or no such line in its marking scheme."))
    score = sum(known[place].points for place in sorted(set(lines)))
    with GradebookWriter(data.course) as book, readable(data.course.database):
        have, others = manual_grades.give(
            book, lesson, name, [result.student for result in same], score, was, by
        )
        if others:
            raise NotThere(_("Somebody has given this answer other points meanwhile: load the page again."))
        for student in have:
            said = book.nbgrader.find_comment(name, lesson, lesson, student)
            said.manual_comment = comment or None
            book.verdicts.tick(Ticked(lesson, student, name, tuple(sorted(set(lines)))))
        book.nbgrader.db.commit()
    return score


def _same(data: Data, results: Iterable[TaskResult]) -> list[list[TaskResult]]:
    """Return lists of answers that say the very same, but for spaces, and have the same points."""
    groups: dict[tuple[str, float | None], list[TaskResult]] = defaultdict(list)
    for result in sorted(results, key=lambda result: result.student):
        text = " ".join(result.answer.split()) if result.answered else ""
        groups[text, data.marks[result.lesson, result.student, result.task].manual].append(result)
    return list(groups.values())


def _neighbours(answers: Sequence[Written], texts: Mapping[str, str]) -> list[Written]:
    """Return answers in an order in which those that are nearly the same stand one after the other."""
    left, ordered = list(answers), []
    while left:
        ordered.append(left.pop(0))
        here = texts[ordered[-1].key]
        alike = [one for one in left if ratio(here, texts[one.key], score_cutoff=NEARLY) >= NEARLY]
        left = [*alike, *(one for one in left if one not in alike)]
    return ordered


def _results(data: Data, lesson: str, name: str) -> list[TaskResult]:
    """Return the answers to a question, of those whom the gradebook has."""
    results = data.tasks.get((lesson, name), []) if (lesson, name) in data.questions else []
    found = [result for result in results if (lesson, result.student, name) in data.marks]
    if not found:
        raise NotThere(_("{lesson} has no written answer {name}.", lesson=lesson, name=name))
    return found


def scheme(course: Class, lesson: str, task: str) -> tuple[Line, ...]:
    """Return the lines of a question's marking scheme; none where the lesson's source is not there."""
    text = answers_in(course.banks.course.source / lesson, lesson, "markdown").get(task, "")
    return tuple(Line(float(points), as_markup(what)) for points, what in LINE.findall(text))


def as_markup(text: str) -> Markup:
    """Return what a student wrote, as a page may show it."""
    return Markup(markdown2html(None, text))  # type: ignore[arg-type]  # noqa: S704


def in_a_box(shown: Markup) -> Markup:
    """Return what a student wrote in a box of its own, out of which nothing of it is drawn."""
    return Markup('<div class="box">{}</div>').format(shown)


def key_of(student: str, token: str) -> str:
    """Return what stands for a student on a page without names."""
    return hashlib.sha256(f"{token} {student}".encode()).hexdigest()[:16]
