"""Show one written question for all students: their answers, the marking scheme, and points to give."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import nbformat
from markupsafe import Markup
from rapidfuzz.distance.Indel import normalized_similarity as ratio

from autograder.author.parse_source import answers_in
from autograder.classroom.class_report import MOST_COMPARED
from autograder.classroom.desk import manual_grades
from autograder.classroom.desk.page_data import Data, NotThere, Outdated, read
from autograder.grading.class_folder import Class
from autograder.grading.gradebook_writer import GradebookWriter
from autograder.grading.graded_results import TaskResult, Ticked, readable
from autograder.grading.sanitize_html import markdown2html
from autograder.words.language import _

# From here on, from 0 to 1, two answers stand one after the other.
NEARLY = 0.8
LINE = re.compile(r"^- (\d+(?:\.\d+)?) points?: (.*(?:\n {2}.*)*)", re.MULTILINE)


@dataclass(frozen=True)
class RubricLine:
    """A line of a marking scheme: its points and its text."""

    points: float
    text: Markup


@dataclass(frozen=True)
class WrittenAnswer:
    """An answer, shared by all students who wrote the same, with its points and comment.

    `key` identifies it without naming a student.
    """

    key: str
    times: int
    manual: float | None
    text: Markup
    ticked: tuple[int, ...]
    comment: str
    state: str  # a digest of everything that was given
    score: float | None
    waiting: bool
    again: int  # the number of students with points who were graded again with other words


def on_page(data: Data, token: str, lesson: str, name: str) -> dict[str, Any]:
    """Return the template variables of a question's page: its marking scheme, and all answers.

    The order of the answers is the same for everybody, and does not show who wrote them.

    Args:
        data: the class.
        token: the access token of the person who uses the page; keys are made from it.
        lesson: the lesson's name.
        name: the task's id.

    Raises:
        NotThere: nobody has answered such a question.
    """
    results = _results(data, lesson, name)
    answers, texts = [], {}
    for same in _same(data, results):
        result = same[0]
        mark = data.marks[lesson, result.student, name]
        texts[key_of(same[0].student, token)] = " ".join(result.answer.split())[:MOST_COMPARED]
        answers.append(
            WrittenAnswer(
                key_of(same[0].student, token),
                len(same),
                mark.manual,
                in_a_box(as_markup(result.answer)) if result.answered else Markup(""),
                _ticked(data, result),
                data.comment(result),
                _state(data, result),
                None if mark.waiting else mark.score,
                any(map(data.is_waiting, same)),
                sum(mark.manual is not None and data.is_waiting(answer) for answer in same),
            )
        )
    by_text = sorted(answers, key=lambda answer: _digest(None, (), texts[answer.key]))
    answers = _neighbours(by_text, texts)
    return {
        "lesson": lesson,
        "task": name,
        "title": data.words(lesson).title(name),
        "statement": as_markup(statement(data.course, lesson, name)),
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
    before: str,
    by: str = "",
    nothing: bool = False,
) -> dict[str, Any]:
    """Give an answer the points of some lines of the marking scheme, and a comment, in nbgrader's gradebook.

    All students who wrote the same answer get the same points.

    Args:
        data: the class.
        lesson: the lesson's name.
        name: the task's id.
        key: the answer's key on the page.
        token: the access token of the person who uses the page; keys are made from it.
        lines: the indices of the lines of the marking scheme.
        comment: the comment; "" for none.
        before: the state of the answer that the page showed, by which a newer one is noticed.
        by: the name of the person who gives the points.
        nothing: whether the answer gets 0 points if `lines` is empty. Otherwise only the comment is kept, and
            the answer still waits to be read.

    Returns:
        The answer's new points, comment and state, for the page.

    Raises:
        NotThere: there is no such answer or line.
        Outdated: somebody else has changed its points or comment since the page was loaded.
    """
    same = _of_key(data, lesson, name, key, token)
    rubric = scheme(data.course, lesson, name)
    if not all(0 <= line < len(rubric) for line in lines):
        raise NotThere(_("There is no such answer, or no such line in its marking scheme."))
    if before != _state(data, same[0]):
        raise Outdated(_given(data, same[0]))
    ticked = tuple(sorted(set(lines)))
    score = sum(rubric[line].points for line in ticked)
    manual = data.marks[lesson, same[0].student, name].manual
    comment_alone = not (ticked or nothing) and any(map(data.is_waiting, same))
    with GradebookWriter(data.course) as book, readable(data.course.database):
        students = [result.student for result in same]
        if not comment_alone:
            students, _others = manual_grades.give(book, lesson, name, students, score, manual, by)
        for student in students:
            existing = book.nbgrader.find_comment(name, lesson, lesson, student)
            existing.manual_comment = comment or None
            if not comment_alone:
                book.verdicts.tick(Ticked(lesson, student, name, ticked, same[0].answer))
        book.nbgrader.db.commit()
    state = _digest(manual if comment_alone else score, ticked, comment)
    return {"lines": ticked, "comment": comment, "score": None if comment_alone else score, "state": state}


def keep_points(data: Data, lesson: str, name: str, key: str, token: str) -> dict[str, Any]:
    """Confirm the points of an answer after it was graded again with other words.

    Returns:
        The answer's points, comment and state, for the page.

    Raises:
        NotThere: there is no such answer.
    """
    same = _of_key(data, lesson, name, key, token)
    manual_grades.keep(data, lesson, name, [answer.student for answer in same])
    return _given(read(data.course), same[0])


def _of_key(data: Data, lesson: str, name: str, key: str, token: str) -> list[TaskResult]:
    """Return the answers that a page calls by this key.

    Raises:
        NotThere: there is no such answer.
    """
    for same in _same(data, _results(data, lesson, name)):
        if key_of(same[0].student, token) == key:
            return same
    raise NotThere(_("There is no such answer, or no such line in its marking scheme."))


def _ticked(data: Data, result: TaskResult) -> tuple[int, ...]:
    """Return the lines that an answer was given; none that were given to other words, which it replaced."""
    which = result.lesson, result.student, result.task
    if data.marks[which].waiting:
        return ()
    return next(
        (ticks.lines for ticks in data.ticked if (ticks.lesson, ticks.student, ticks.task) == which), ()
    )


def _state(data: Data, result: TaskResult) -> str:
    """Return what stands for all that was given for an answer."""
    manual = data.marks[result.lesson, result.student, result.task].manual
    return _digest(manual, _ticked(data, result), data.comment(result))


def _digest(score: float | None, ticked: Sequence[int], comment: str) -> str:
    points = None if score is None else float(score)
    return hashlib.sha256(repr((points, tuple(ticked), comment)).encode()).hexdigest()[:16]


def _given(data: Data, result: TaskResult) -> dict[str, Any]:
    """Return what was given for an answer, as a page shows it."""
    mark = data.marks[result.lesson, result.student, result.task]
    return {
        "lines": _ticked(data, result),
        "comment": data.comment(result),
        "score": mark.manual,
        "state": _state(data, result),
    }


def statement(course: Class, lesson: str, task: str) -> str:
    """Return the statement of a task: the lesson's text below the last heading before the answer."""
    cells = nbformat.read(course.release(lesson), as_version=4).cells
    index = next((at for at, cell in enumerate(cells) if cell["id"] in (task, f"{task}-answer")), 0)
    texts: list[str] = []
    for cell in reversed(cells[:index]):
        if cell.cell_type == "markdown":
            texts.insert(0, cell.source)
            if cell.source.lstrip().startswith("#"):  # the page's own title says the same
                texts[0] = cell.source.lstrip().partition("\n")[2].lstrip()
                break
    return "\n\n".join(texts)


def _same(data: Data, results: Iterable[TaskResult]) -> list[list[TaskResult]]:
    """Return lists of answers that say the very same, but for spaces, and have the same points."""
    groups: dict[tuple[str, float | None], list[TaskResult]] = defaultdict(list)
    for result in sorted(results, key=lambda result: result.student):
        text = " ".join(result.answer.split()) if result.answered else ""
        groups[text, data.marks[result.lesson, result.student, result.task].manual].append(result)
    return list(groups.values())


def _neighbours(answers: Sequence[WrittenAnswer], texts: Mapping[str, str]) -> list[WrittenAnswer]:
    """Return answers in an order in which those that are nearly the same stand one after the other."""
    remaining, ordered = list(answers), []
    while remaining:
        ordered.append(remaining.pop(0))
        here = texts[ordered[-1].key]
        alike = [
            answer for answer in remaining if ratio(here, texts[answer.key], score_cutoff=NEARLY) >= NEARLY
        ]
        remaining = [*alike, *(answer for answer in remaining if answer not in alike)]
    return ordered


def _results(data: Data, lesson: str, name: str) -> list[TaskResult]:
    """Return the answers to a question, of those whom the gradebook has and who are still in the class."""
    results = data.tasks.get((lesson, name), []) if (lesson, name) in data.questions else []
    graded = [result for result in results if (lesson, result.student, name) in data.marks]
    if not graded:
        raise NotThere(_("{lesson} has no written answer {name}.", lesson=lesson, name=name))
    return [result for result in graded if not data.has_left(result.student)] or graded


def scheme(course: Class, lesson: str, task: str) -> tuple[RubricLine, ...]:
    """Return the lines of a question's marking scheme; none if the lesson's source is missing."""
    text = answers_in(course.banks.course.source / lesson, lesson, "markdown").get(task, "")
    return tuple(RubricLine(float(points), as_markup(what)) for points, what in LINE.findall(text))


def as_markup(text: str) -> Markup:
    """Return a student's text as HTML that is safe to show."""
    return Markup(markdown2html(None, text))  # type: ignore[arg-type]  # noqa: S704


def in_a_box(shown: Markup) -> Markup:
    """Wrap a student's text in an HTML box, so that it cannot cover the rest of the page."""
    return Markup('<div class="box">{}</div>').format(shown)


def key_of(student: str, token: str) -> str:
    """Return a key that identifies a student on a page without names."""
    return hashlib.sha256(f"{token} {student}".encode()).hexdigest()[:16]
