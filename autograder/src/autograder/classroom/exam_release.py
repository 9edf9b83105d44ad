"""Release a lesson as an exam: only the exam's tasks, with what these build on and without what teaches them.

What a task builds on is given: a cell of the exam defines it, while a student writes and while it is graded.
Only what an exam of the same bundle asks is not given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.author.answer_edits import Solution
from autograder.author.parse_source import answers_in
from autograder.classroom.bundle_wheels import CannotBundle
from autograder.grading.releases import IS_EXAM
from autograder.records.bank import LessonBank
from autograder.records.cell_roles import (
    HEADING,
    OF_RELEASE,
    RELEASE,
    copied,
    is_answer,
    is_test,
    release_of,
    tasks_of,
)
from autograder.records.course import Course
from autograder.records.lesson_code import LessonCode
from autograder.records.parse_cells import parsed, words_of
from autograder.words.language import _, ngettext, speaking
from autograder.words.phrases import as_code

GIVEN = "given-functions"
# After a task's id: the cell that says what is given.
TOLD = "-given"
NAMED = re.compile(r"`(\w+)[`(]")


@dataclass(frozen=True)
class _Asked:
    """The tasks that a lesson's exam asks, and what it needs to know of the bundle and of the lesson.

    Attributes:
        tasks: the ids of the lesson's tasks that it asks.
        names: what the answers to all tasks of the bundle are called: the lesson of each.
        bank: the lesson's bank.
        answers: the code of the lesson's right answers, by task.
    """

    tasks: list[str]
    names: Mapping[str, str]
    bank: LessonBank
    answers: Mapping[str, str]


def write_releases(course: Course, lesson: str, bundled: Collection[str] = ()) -> list[str]:
    """Replace a lesson's release by its exam, in all languages. Submissions are then graded against the exam.

    Args:
        course: the course.
        lesson: the lesson's name.
        bundled: the lessons whose exams students get together: none gives what another one asks.

    Returns:
        The ids of the exam's tasks.

    Raises:
        CannotBundle: no task of the lesson is in the course's exam, students have already submitted the
            lesson, or what a task builds on is not here.
    """
    asked = {task: of for task, of in course.lesson_of().items() if task in course.exam}
    tasks = [task for task, of_lesson in asked.items() if of_lesson == lesson]
    if not tasks:
        raise CannotBundle(f"{lesson} has no task that `exam` in course.toml names.")
    if any((course.root / "submitted").glob(f"*/{lesson}")):
        raise CannotBundle(
            f"{lesson} was handed in here. Clone the course anew, give it the class list again (autograder "
            "roster), and make the exam there."
        )
    banks = {name: course.load(name) for name in {lesson, *bundled}}
    names = {banks[of].tasks[task].name: of for task, of in asked.items() if of in banks}
    answers = {}
    for cell, source in answers_in(course.source / lesson, lesson).items():
        task = cell.removesuffix("-answer")
        answers[task] = Solution.from_cell(source, task, "", is_tensor=False).text
    for language in (".", *course.languages[1:]):
        path = course.root / "notebooks" / language / lesson / f"{lesson}.ipynb"
        if path.is_file():
            released = nbformat.read(path, as_version=4)
            with speaking(course.bank, course.languages[0] if language == "." else language):
                exam = _exam(released, _Asked(tasks, names, banks[lesson], answers), course)
            nbformat.write(exam, path)
    return tasks


def _exam(released: NotebookNode, asked: _Asked, course: Course) -> NotebookNode:
    """Return a released notebook with nothing but some tasks, what they import and what they build on."""
    title = next(iter(HEADING.findall(released.cells[0].source)), course.title)
    course_cells = [
        cell.source
        for cell in released.cells
        if cell.cell_type == "code" and not is_answer(cell) and not is_test(cell)
    ]
    imports = dict.fromkeys(
        ast.unparse(statement)
        for source in course_cells
        for statement in parsed(source).body
        if isinstance(statement, ast.Import | ast.ImportFrom) and not _is_ours(statement, course)
    )
    setup = "\n".join(["from autograder import check", *imports])
    code = LessonCode(tuple(course_cells), asked.answers)
    cells: list[NotebookNode] = []
    given: dict[str, str] = {}
    for number, cell in enumerate(released.cells):
        task = cell["id"].removesuffix("-answer")
        if task in asked.tasks:
            if is_answer(cell):
                statement = _statement(released.cells[:number], task)
                cells.append(new_markdown_cell(statement, id=f"{task}-task"))
                built_from = _built_from(task, statement, code, asked)
                here = code.definitions(built_from, without=asked.names)
                given |= here
                if told := _what_is_given(task, built_from, here, _mentioned(statement, cell, asked), asked):
                    cells.append(new_markdown_cell(told, id=f"{task}{TOLD}"))
            cells.append(cell)
    head = [new_markdown_cell(f"# {title}", id="title"), new_code_cell(setup, id="setup")]
    if given:
        first = "# " + _("Given in this exam: {names}", names=", ".join(given))
        head.append(new_code_cell("\n\n\n".join([first, *given.values()]), id=GIVEN))
    exam = copied(released, [*head, *cells])
    marks = {RELEASE: release_of(tasks_of(exam)), IS_EXAM: True}
    exam.metadata[OF_RELEASE] = {**exam.metadata.get(OF_RELEASE, {}), **marks}
    return exam


def _built_from(task: str, statement: str, code: LessonCode, asked: _Asked) -> tuple[str, ...]:
    """Return what a task builds on: what its answer uses, and what its text names of the lesson's own."""
    offered = [name for name in NAMED.findall(statement) if name in code.own_names()]
    names = (*code.used_by(asked.bank.tasks[task], asked.bank), *offered)
    return tuple(name for name in dict.fromkeys(names) if name != asked.bank.tasks[task].name)


def _mentioned(statement: str, stub: NotebookNode, asked: _Asked) -> list[str]:
    """Return the answers to other tasks of the lesson that a task's text names, and its stub does not."""
    answers = {other.name for other in asked.bank.tasks.values()} - words_of(stub.source)
    return [name for name in dict.fromkeys(NAMED.findall(statement)) if name in answers]


def _what_is_given(
    task: str, built_from: Collection[str], here: Collection[str], mentioned: Collection[str], asked: _Asked
) -> str:
    """Return the sentences that tell a student what of the lesson is here, and what is not.

    Raises:
        CannotBundle: something that the task builds on is neither here nor asked.
    """
    given = [name for name in built_from if name in here]
    if missing := [name for name in built_from if name not in here and name not in asked.names]:
        raise CannotBundle(f"{task} builds on {missing[0]}, whose code is not in source/{asked.bank.lesson}.")
    named = dict.fromkeys([*built_from, *mentioned])
    in_this = [name for name in named if asked.names.get(name) == asked.bank.lesson]
    elsewhere = [name for name in named if name in asked.names and name not in in_this]
    absent = [name for name in named if name not in asked.names and name not in given]
    sentences = []
    if given:
        sentences.append(
            ngettext(
                "**Given:** {names}. The cell at the top of this exam defines it; you need not write it.",
                "**Given:** {names}. The cell at the top of this exam defines them; you need not write them.",
                len(given),
                names=as_code(given),
            )
        )
    if in_this:
        sentences.append(
            ngettext(
                "{names} is asked in this exam as well: what you write there is yours to use here.",
                "{names} are asked in this exam as well: what you write there is yours to use here.",
                len(in_this),
                names=as_code(in_this),
            )
        )
    if elsewhere:
        lessons = ", ".join(dict.fromkeys(asked.names[name] for name in elsewhere))
        sentences.append(
            ngettext(
                "{names} is asked in another notebook ({lessons}) and not given: to use it, paste your own "
                "into your answer.",
                "{names} are asked in another notebook ({lessons}) and not given: to use them, paste your "
                "own into your answer.",
                len(elsewhere),
                names=as_code(elsewhere),
                lessons=lessons,
            )
        )
    if absent:
        sentences.append(
            ngettext(
                "The lesson's {names} is not given, and not needed.",
                "The lesson's {names} are not given, and not needed.",
                len(absent),
                names=as_code(absent),
            )
        )
    return " ".join(sentences)


def _is_ours(statement: ast.Import | ast.ImportFrom, course: Course) -> bool:
    """Tell whether a statement imports the tool or a package of the course's, which may hold an answer."""
    from_module = statement.module if isinstance(statement, ast.ImportFrom) else None
    names = [from_module] if from_module else [name.name for name in statement.names]
    return any(name.partition(".")[0] in {"autograder", *course.preload} for name in names)


def _statement(above: list[NotebookNode], task: str) -> str:
    """Return what a task asks: the prose that names it, or the last one, from the heading before that on."""
    prose: list[str] = [
        cell.source for cell in above if cell.cell_type == "markdown" and not cell["id"].endswith(TOLD)
    ]
    text = next((text for text in reversed(prose) if f"`{task}`" in text), prose[-1])
    end = text.find(f"`{task}`") % (len(text) + 1)
    starts = [match.start() for match in HEADING.finditer(text) if match.start() < end]
    return text[starts[-1] if starts else 0 :]
