"""A class over all lessons in one scripted run: graded, fed back and exported, as an instructor does it.

Each submission is made from answers whose score is known. CI grades a small class, `CLASS_SIZE=200` a large
one, and the fixed suite five students.
"""

from __future__ import annotations

import ast
import csv
import html
import json
import os
import random
import re
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from math import gcd
from pathlib import Path
from typing import Any

import nbformat
import pytest
from autograder.author.answer_edits import Solution, changed
from autograder.author.authoring import load_lesson
from autograder.author.parse_source import read_source
from autograder.author.preprocessors import faulty_code
from autograder.command import app as cli
from autograder.grading import job_scheduling
from autograder.grading.class_folder import Class
from autograder.grading.sandbox.resource_limits import Limits
from autograder.records.bank import LessonBank
from autograder.records.cell_roles import is_answer, is_given, is_test
from autograder.records.course import Course
from autograder.records.parse_cells import names_of, words_of
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.plugins import CsvExportPlugin
from typer.testing import CliRunner

from tests.classes import class_folder

ROOT = Path(__file__).parents[2]
COURSE = Course.read(ROOT)
LESSONS = COURSE.lessons
SIZE = int(os.environ.get("CLASS_SIZE", str(len(LESSONS))))
LIMITS = Limits(cell_seconds=8.0)
WRITTEN = "I think it is because of the numbers."

pytestmark = [pytest.mark.timeout(900 + 15 * SIZE)]


@dataclass
class Made:
    """A submission, the scores that are certain, and what its feedback must say.

    What is built from a wrong answer loses nothing by that.
    """

    text: str
    scores: dict[str, float]
    says: list[str] = field(default_factory=list)


@cache
def solved(lesson: str) -> NotebookNode:
    return read_source(ROOT / "source" / lesson / f"{lesson}.py")


@cache
def released(lesson: str) -> NotebookNode:
    return nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)


def cell_of(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if cell["id"] == name)


def all_right(lesson: LessonBank) -> dict[str, float]:
    return {task.id: task.points for task in lesson.tasks.values()}


# What people hand in


def right(lesson: LessonBank, dice: random.Random) -> Made:
    return Made(nbformat.writes(solved(lesson.lesson)), all_right(lesson))


def noisy(lesson: LessonBank, dice: random.Random) -> Made:
    """Every answer prints, warns and writes to stderr, and an added cell raises."""
    result = deepcopy(solved(lesson.lesson))
    for cell in result.cells:
        if is_answer(cell) and cell.cell_type == "code":
            cell.source += (
                "\nimport sys, warnings\nprint('so far so good')\nprint('careful', file=sys.stderr)"
                "\nwarnings.warn('deprecated', stacklevel=1)"
            )
    result.cells.insert(3, nbformat.v4.new_code_cell("1 / 0"))
    return Made(
        nbformat.writes(result), all_right(lesson), ["so far so good", "careful", "ZeroDivisionError"]
    )


def untouched(lesson: LessonBank, dice: random.Random) -> Made:
    return Made(nbformat.writes(released(lesson.lesson)), dict.fromkeys(lesson.tasks, 0.0))


def wrong(lesson: LessonBank, dice: random.Random) -> Made:
    """One task answered wrongly in a way that `tasks.py` knows; part of it may be right."""
    entry = dice.choice(load_lesson(ROOT / "source" / lesson.lesson).tasks)
    reference = dice.choice(entry.wrong)
    result = deepcopy(solved(lesson.lesson))
    cell = cell_of(result, f"{entry.id}-answer")
    solution = Solution.from_cell(cell.source, entry.name, entry.signature, entry.kind == "tensor")
    cell.source = changed(solution, reference.changes)
    scores = {name: score for name, score in all_right(lesson).items() if name != entry.id}
    hint = next(item.hint for item in lesson.tasks[entry.id].known_wrong if item.id == reference.fault)
    return Made(nbformat.writes(result), scores, [hint])


def faulty_kept(lesson: LessonBank, dice: random.Random) -> Made:
    """The code with a bug left as it was found, and the questions answered in words."""
    result = deepcopy(solved(lesson.lesson))
    saved = []
    for cell in result.cells:
        if faulty_code(cell.source):
            cell.source = cell_of(released(lesson.lesson), cell["id"]).source + "\n# looked at it for an hour"
            saved.append(cell["id"].removesuffix("-answer"))
        elif is_answer(cell) and cell.cell_type == "markdown":
            cell.source = WRITTEN
    says = [WRITTEN] if any(cell.source == WRITTEN for cell in result.cells) else []
    return Made(nbformat.writes(result), {**all_right(lesson), **dict.fromkeys(saved, 0.0)}, says)


def damaged(lesson: LessonBank, dice: random.Random) -> Made:
    text = nbformat.writes(solved(lesson.lesson))
    return Made(text[: len(text) // 2], dict.fromkeys(lesson.tasks, 0.0), ["the file is not JSON"])


def without_ids(lesson: LessonBank, dice: random.Random) -> Made:
    plain = json.loads(nbformat.writes(solved(lesson.lesson)))
    plain["nbformat_minor"] = 4
    for cell in plain["cells"]:
        del cell["id"]
    return Made(json.dumps(plain), all_right(lesson))


def from_windows(lesson: LessonBank, dice: random.Random) -> Made:
    """Windows line ends in the cells and in the file, and the metadata of another machine."""
    plain = json.loads(nbformat.writes(solved(lesson.lesson)))
    for cell in plain["cells"]:
        cell["source"] = [line.replace("\n", "\r\n") for line in cell["source"]]
    plain["metadata"] = {
        "kernelspec": {"name": "anaconda-torch1", "display_name": "Windows", "language": "python"},
        "language_info": {"name": "python", "version": "3.9.1"},
    }
    return Made(json.dumps(plain, indent=1).replace("\n", "\r\n"), all_right(lesson))


def rearranged(lesson: LessonBank, dice: random.Random) -> Made:
    """A check and some prose deleted, an answer and a check doubled."""
    result = deepcopy(solved(lesson.lesson))
    tests = [cell for cell in result.cells if is_test(cell)]
    gone, doubled = dice.sample(tests, 2)
    result.cells.remove(gone)
    result.cells.remove(
        next(cell for cell in result.cells if cell.cell_type == "markdown" and not is_answer(cell))
    )
    for name in (doubled["id"], f"{doubled['id']}-answer"):
        at = result.cells.index(cell_of(result, name))
        result.cells.insert(at, deepcopy(result.cells[at]))
    says = [f"the cell {doubled['id']}-answer was there 2 times", "and were put back: ", gone["id"]]
    return Made(json.dumps(result), all_right(lesson), says)


def names_taken(lesson: LessonBank, dice: random.Random) -> Made:
    """Names that the first cell binds, and some of Python's, are numbers unless an answer needs them."""
    result = deepcopy(solved(lesson.lesson))
    answers = [cell for cell in result.cells if is_answer(cell) and cell.cell_type == "code"]
    free = {*names_of(cell_of(result, "setup").source)[0], "sum", "print", "list", "range", "float", "len"}
    free -= {task.name for task in lesson.tasks.values()}
    free = free.difference(*(words_of(cell.source) for cell in answers))
    answers[0].source += "".join(f"\n{name} = 0.5" for name in sorted(free))
    return Made(nbformat.writes(result), all_right(lesson))


def cut_up(lesson: LessonBank, dice: random.Random) -> Made:
    """Answers in several cells as the classic Notebook splits them, and one merged into its check."""
    result = deepcopy(solved(lesson.lesson))
    cells = []
    merged = dice.choice([cell["id"] for cell in result.cells if is_test(cell)])
    for cell in result.cells:
        body = ast.parse(cell.source).body if is_answer(cell) and cell.cell_type == "code" else []
        if cell["id"] == merged:
            cell.source = f"{cells.pop().source}\n\n{cell.source}"
        lines = cell.source.split("\n")
        cuts = [statement.end_lineno for statement in body[:-1] if cell["id"] != f"{merged}-answer"]
        for begin, end in zip([0, *cuts], cuts, strict=False):
            cells.append(deepcopy(cell))
            cells[-1].update(id=f"upper-{len(cells)}", source="\n".join(lines[begin:end]))
        cell.source = "\n".join(lines[cuts[-1] if cuts else 0 :])
        cells.append(cell)
    result.cells = cells
    return Made(nbformat.writes(result), all_right(lesson))


def older_release(lesson: LessonBank, dice: random.Random) -> Made:
    """Made on a lesson whose data, prose and names of cells were others, and which had a cell less."""
    result = deepcopy(solved(lesson.lesson))
    for number, cell in enumerate(cell for cell in result.cells if not is_answer(cell) and not is_test(cell)):
        if is_given(cell):
            cell.source = re.sub(r"\b0\.(\d)", r"0.9\1", cell.source) + "\n# as it was last year"
            cell["id"] = f"old-{number}"
        elif cell.cell_type == "markdown":
            cell.source = f"Last year this read: {cell.source}"
            cell["id"] = f"old-{number}"
    result.cells.remove(dice.choice([cell for cell in result.cells if is_test(cell)]))
    return Made(nbformat.writes(result), all_right(lesson), ["and were put back: "])


def endless(lesson: LessonBank, dice: random.Random) -> Made:
    return stopped(lesson, dice, "while True:\n    pass", "it did not end within")


def killer(lesson: LessonBank, dice: random.Random) -> Made:
    return stopped(lesson, dice, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "its own process")


def stopped(lesson: LessonBank, dice: random.Random, code: str, why: str) -> Made:
    task = dice.choice(list(lesson.tasks))
    result = deepcopy(solved(lesson.lesson))
    cell_of(result, f"{task}-answer").source = code
    says = [f"The cell {task}-answer was stopped: ", why]
    return Made(nbformat.writes(result), {**all_right(lesson), task: 0.0}, says)


KINDS: list[Callable[[LessonBank, random.Random], Made]] = [
    *(right, wrong, untouched, faulty_kept, damaged, without_ids, from_windows, rearranged, endless),
    *(killer, wrong, older_release, noisy, names_taken, cut_up, faulty_kept),
]
assert gcd(len(KINDS), len(LESSONS)) == 1, "else some kinds would meet some lessons only"

# What Python keeps from who runs a command, by default.
NOT_SHOWN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


@pytest.fixture(scope="module")
def members() -> dict[str, tuple[str, Made]]:
    """Each student's lesson and submission; the same in every run."""
    actual = {}
    for number in range(SIZE):
        lesson, kind = LESSONS[number % len(LESSONS)], KINDS[number % len(KINDS)]
        student = f"{number:03}-{kind.__name__.replace('_', '-')}"
        actual[student] = lesson, kind(COURSE.load(lesson), random.Random(number))
    return actual


@pytest.fixture(scope="module")
def run(walls: None, tmp_path_factory: pytest.TempPathFactory, members: dict[str, tuple[str, Made]]) -> Any:
    """The scripted run: the course folder, what `autograder grade` said, and what Python warned of."""
    course = tmp_path_factory.mktemp("class") / "course"
    class_folder(course, *LESSONS)
    for student, (lesson, result) in members.items():
        path = course / "submitted" / student / lesson / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(result.text, encoding="utf-8", newline="")
    patch = pytest.MonkeyPatch()
    patch.setattr(job_scheduling, "LIMITS", LIMITS)
    with warnings.catch_warnings(record=True) as warned:
        done = CliRunner().invoke(cli.app, ["grade", "--course", str(course), "--jobs", "2"])
    actual = Class(course)
    nbgrader = NbGraderAPI(actual.directory, config=actual.config)
    for lesson in {lesson for lesson, _ in members.values()}:
        fed_back = nbgrader.generate_feedback(lesson)
        assert fed_back["success"], f"{fed_back.get('error') or fed_back.get('log')}\n{done.output}"
    with Gradebook(actual.database, actual.directory.course_id) as book:
        CsvExportPlugin(to=str(course / "grades.csv")).export(book)
    shown = [str(item.message) for item in warned if not issubclass(item.category, NOT_SHOWN)]
    yield course, done, shown
    patch.undo()


@pytest.fixture(scope="module")
def course(run: Any) -> Path:
    place: Path = run[0]
    return place


def everyone() -> Any:
    names = [f"{n:03}-{KINDS[n % len(KINDS)].__name__.replace('_', '-')}" for n in range(SIZE)]
    return pytest.mark.parametrize("student", names)


def marks(course: Path, student: str, lesson: str) -> dict[str, tuple[float | None, bool]]:
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        notebook = book.find_submission_notebook(lesson, lesson, student)
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in notebook.grades}


def page(course: Path, student: str, lesson: str) -> str:
    text = (course / "feedback" / student / lesson / f"{lesson}.html").read_text(encoding="utf-8")
    return html.unescape(re.sub(r"</?code>", "`", text))


def test_the_run_ends_well_and_grades_everyone(run):
    _, done, _ = run
    assert done.exit_code == 0, done.output
    assert f"{SIZE} submissions graded" in done.output


def test_the_instructor_reads_no_warnings_of_the_libraries(run):
    *_, warned = run
    assert warned == []


@everyone()
def test_each_score_is_what_the_answers_deserve(course, members, student):
    lesson, result = members[student]
    actual = marks(course, student, lesson)
    assert {task: actual[task] for task in result.scores} == {t: (s, False) for t, s in result.scores.items()}
    assert all(0 <= actual[task.id][0] <= task.points for task in COURSE.load(lesson).tasks.values())


@everyone()
def test_questions_in_words_wait_for_a_person_unless_nobody_wrote(course, members, student):
    lesson, result = members[student]
    actual = marks(course, student, lesson)
    questions = [c["id"] for c in solved(lesson).cells if is_answer(c) and c.cell_type == "markdown"]
    nothing_written = set(result.scores.values()) == {0.0}
    expected = (0.0, False) if nothing_written else (None, True)
    assert {name: actual[name] for name in questions} == dict.fromkeys(questions, expected)


@everyone()
def test_feedback_names_every_task_of_a_readable_file_and_says_what_was_found(course, members, student):
    lesson, result = members[student]
    text = page(course, student, lesson)
    titles = [task.title for task in COURSE.load(lesson).tasks.values()]
    assert [title for title in titles if title in text] == ([] if "damaged" in student else titles)
    assert [words for words in result.says if words not in text] == []


@everyone()
def test_the_export_has_the_gradebooks_score(course, members, student):
    lesson, _ = members[student]
    with (course / "grades.csv").open(encoding="utf-8") as file:
        rows = {(row["student_id"], row["assignment"]): float(row["score"]) for row in csv.DictReader(file)}
    assert rows[student, lesson] == sum(score or 0 for score, _ in marks(course, student, lesson).values())
