"""One mistake costs once: what builds on a wrong answer is judged with the course's own in its place.

Nothing of that answer's text comes back, and nobody earns by it what is not theirs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from autograder.author.parse_source import read_source
from autograder.command import grading_run as command
from autograder.grading import error_carried_forward, grade_submission
from autograder.grading.class_folder import Class
from autograder.grading.grade_notebook import Graded, grade
from autograder.grading.notebook_runners import KernelRunner
from autograder.grading.sandbox.execute_notebook import Executed, RunIncomplete
from autograder.grading.sandbox.sandbox_client import SandboxFailed
from autograder.probe.collect_evidence import collect
from autograder.records.answer_findings import StillWrong
from autograder.records.bank import AS_SEEN, LessonBank
from autograder.records.cell_roles import is_test
from autograder.records.course import Course
from autograder.records.evidence_mime import EVIDENCE_MIME
from autograder.records.evidence_transport import pack
from autograder.records.run_outcome import Evidence
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from support.cells import marks
from support.class_course import LESSON, class_folder

SECRET = "only-the-course-wrote-this"
NEEDS = {"share": ("total",), "pairs": ("total",), "doubled-sums": ("row-sums",)}
FULL = {"share": 3, "total": 1, "pairs": 1, "row-sums": 2, "doubled-sums": 1}

SOLUTION = {
    "total-answer": f'def total(a, b):\n    """{SECRET}"""\n    return (a * b).sum()',
    "share-answer": "def share(x):\n    return x / total(x, torch.ones(len(x)))",
    "pairs-answer": "def pairs(x):\n    return torch.tensor([[total(a, b) for b in x] for a in x])",
    "row-sums-answer": "row_sums = table.sum(dim=1)",
    "doubled-sums-answer": "doubled_sums = 2 * row_sums",
}
WRONG = "def total(a, b):\n    return (a + b).sum()"
WRONG_SUMS = "row_sums = table.sum(dim=0)"


@dataclass
class Run:
    """How a notebook was run: with which givens, whether quietly, and what its cells held."""

    name: str
    quiet: bool
    cells: dict[str, str]


class Here:
    """Runs notebooks in this process; `speaks` may have a task's check say something else."""

    confined = True

    def __init__(self, lesson: LessonBank) -> None:
        self.lesson = lesson
        self.runs: list[Run] = []
        self.speaks: Callable[[Run, str, Evidence], Evidence] = lambda run, task, evidence: evidence

    def __call__(self, notebook: NotebookNode, run: str, /, *, quiet: bool = False, **how: Any) -> Executed:
        stopped = how.get("stopped", ())
        done = Run(
            run, quiet, {item["id"]: item.source for item in notebook.cells if item["id"] not in stopped}
        )
        self.runs.append(done)
        table = self.lesson.givens[run]["table"].clone()
        namespace: dict[str, Any] = {"__name__": "__main__", "torch": torch, "table": table}
        for cell in notebook.cells:
            if is_test(cell):
                evidence = collect(self.lesson.tasks[cell["id"]], self.lesson, namespace, run)
                packed = pack(self.speaks(done, cell["id"], evidence))
                cell.outputs = [new_output("execute_result", {EVIDENCE_MIME: packed}, execution_count=1)]
                continue
            try:
                exec(cell.source, namespace)
            except Exception as error:
                cell.outputs = [new_output("error", ename=type(error).__name__, evalue=str(error))]
        return Executed(notebook)

    @property
    def more(self) -> list[Run]:
        """The runs beyond the first two, that every submission gets."""
        return self.runs[2:]


@pytest.fixture
def here(lesson: LessonBank) -> Here:
    order = ("total", "share", "pairs", "row-sums", "doubled-sums")
    tasks = {name: replace(lesson.tasks[name], needs=NEEDS.get(name, ())) for name in order}
    return Here(replace(lesson, tasks=tasks))


@pytest.fixture
def graded(here: Here) -> Callable[..., Graded]:
    """A solved notebook, graded, with some of its answers replaced; "row_sums" stands for "row-sums"."""

    def run(solution: dict[str, str] = SOLUTION, **answers: str) -> Graded:
        cells = []
        for name, task in here.lesson.tasks.items():
            answer = f"{name}-answer"
            text = answers.get(name.replace("-", "_"), SOLUTION[answer])
            cells.append(new_code_cell(text, id=answer, metadata=marks(answer, True)))
            cells.append(new_code_cell(f'check("{name}")', id=name, metadata=marks(name, False, task.points)))
        return grade(new_notebook(cells=cells), here.lesson, here, solution=solution)

    return run


def earned(graded: Graded) -> dict[str, int]:
    return {name: verdict.earned for name, verdict in graded.verdicts.items()}


def without(*lost: str) -> dict[str, int]:
    return {name: 0 if name in lost else points for name, points in FULL.items()}


def card(graded: Graded, task: str) -> str:
    cell = next(cell for cell in graded.notebook.cells if cell["id"] == task)
    text: str = cell.outputs[0].data["text/html"]
    return text.replace("<code>", "`").replace("</code>", "`").replace("&#x27;", "'")


# What a mistake costs


@pytest.mark.parametrize(
    "text",
    [
        *(WRONG, "def total(a, b):\n    ...", "total = ...", "1 / 0", "total = 5"),
        "def total(a, b):\n    return 1 / 0",
    ],
)
def test_a_mistake_costs_its_own_points_alone_and_the_learner_is_told(graded, here, text):
    actual = graded(total=text)

    assert earned(actual) == without("total")
    assert actual.verdicts["pairs"].stood_in == ("total",)
    note = "Your `total` is not right yet. This task was checked with the course's `total` in its place, "
    assert note in card(actual, "pairs")
    assert note not in card(actual, "row-sums") + card(actual, "total")
    assert [(run.name, run.quiet) for run in here.more] == [(AS_SEEN, True)]


def test_without_the_course_s_answers_it_costs_what_builds_on_it_too(graded):
    assert earned(graded(solution={}, total=WRONG)) == without("total", "share", "pairs")


def test_a_tensor_is_made_anew_from_redrawn_givens_too(graded, here):
    assert earned(graded(row_sums=WRONG_SUMS)) == without("row-sums")
    assert [run.name for run in here.more] == [AS_SEEN, "redrawn-1"]
    assert all("total" not in run.cells and "share" not in run.cells for run in here.more)


def test_a_number_that_was_typed_in_still_earns_nothing(graded):
    actual = graded(row_sums=WRONG_SUMS, doubled_sums="doubled_sums = torch.tensor([12.0, 32.0])")
    assert earned(actual) == without("row-sums", "doubled-sums")


def test_a_task_that_is_wrong_by_itself_still_loses_its_points(graded):
    actual = graded(total=WRONG, pairs="def pairs(x):\n    return total(x, x) * torch.zeros(3, 3)")
    assert earned(actual) == without("total", "pairs")


def test_what_builds_on_two_mistakes_in_a_row_gets_both_replaced(graded, here):
    needing = replace(here.lesson.tasks["row-sums"], needs=("total",))
    here.lesson = replace(here.lesson, tasks={**here.lesson.tasks, "row-sums": needing})
    mistaken = "row_sums = torch.stack([total(column, torch.ones(2)) for column in table.T])"
    actual = graded(total=WRONG, row_sums=mistaken)

    assert earned(actual) == without("total", "row-sums")
    assert actual.verdicts["row-sums"].known_wrong == "columns"
    assert actual.verdicts["doubled-sums"].stood_in == ("total", "row_sums")


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"share": "def share(x):\n    return x"},
        {"total": WRONG, "share": "def share(x):\n    return x / x.sum()", "pairs": "def pairs(x):\n    ..."},
    ],
    ids=["all right", "nothing builds on it", "what builds on it was not begun"],
)
def test_no_notebook_runs_again_without_need(graded, here, answers):
    actual = graded(**{"pairs": "def pairs(x):\n    return x @ x.T", **answers})
    assert here.more == []
    assert not any(verdict.stood_in for verdict in actual.verdicts.values())


def test_a_cell_that_was_stopped_is_left_out(here, graded, monkeypatch):
    really = Here.__call__

    def stopped(self: Here, notebook: NotebookNode, run: str, /, **how: Any) -> Executed:
        return replace(really(self, notebook, run, **how), stops={"share-answer": "it did not end"})

    monkeypatch.setattr(Here, "__call__", stopped)
    graded(total=WRONG)
    assert [run.name for run in here.runs if "share-answer" in run.cells] == [AS_SEEN]


@pytest.mark.parametrize(("stops", "left_out"), [(("total", "share"), set()), (("share",), {"share"})])
def test_what_did_not_end_is_tried_again_where_the_answer_to_blame_is_replaced(
    here, graded, monkeypatch, stops, left_out
):
    really = Here.__call__
    tried: list[set[str]] = []

    def stopped(self: Here, notebook: NotebookNode, run: str, /, **how: Any) -> Executed:
        tried.append(set(how.get("stopped", ())))
        return replace(really(self, notebook, run, **how), stops=dict.fromkeys(stops, "it did not end"))

    monkeypatch.setattr(Here, "__call__", stopped)
    graded(total=WRONG)
    assert tried[2] == left_out


# What may not come back


LEAKS = {
    "an error": "raise ValueError(told)",
    "a type": "return type(told, (), {})()",
    "a printed line": "print(told)\n        return 0 * x",
    "numbers": "return torch.tensor([float(ord(one)) for one in told])",
}


@pytest.mark.parametrize("way", LEAKS)
def test_nothing_of_the_course_s_text_reaches_the_graded_notebook(graded, way):
    share = (
        "def share(x):\n    told = total.__doc__ or 'nothing'\n    if len(x) == 3:\n"
        f"        {LEAKS[way]}\n    return x / total(x, torch.ones(len(x)))"
    )
    actual = graded(total=WRONG, share=share, doubled_sums="raise ValueError(total.__doc__)")

    verdict = actual.verdicts["share"]
    assert (verdict.earned, verdict.stood_in) == (2, ("total",))
    assert type(verdict.finding) is StillWrong  # which holds no numbers
    assert SECRET not in nbformat.writes(actual.notebook) + repr(actual.notes) + repr(actual.verdicts)


def test_what_evidence_says_in_words_stays_outside(graded, here):
    def speak(run: Run, task: str, evidence: Evidence) -> Evidence:
        if not run.quiet or task != "share":
            return evidence
        four = {"four": evidence.outcomes["four"]}
        return replace(evidence, outcomes=four, note=SECRET, globals_read=(SECRET,), nearest=(SECRET,))

    here.speaks = speak
    actual = graded(total=WRONG)
    assert actual.verdicts["share"].earned == 2
    assert SECRET not in repr(actual.verdicts) + repr(actual.notes) + card(actual, "share")


@pytest.mark.parametrize("problem", [SandboxFailed, RunIncomplete])
def test_where_the_second_run_does_not_end_nothing_is_scored(graded, here, problem):
    def speak(run: Run, task: str, evidence: Evidence) -> Evidence:
        if run.quiet:
            raise problem("it did not end")
        return evidence

    here.speaks = speak
    with pytest.raises(problem):
        graded(total=WRONG)


def test_where_the_second_check_fails_the_first_verdicts_stay_and_a_person_is_told(graded, here):
    def speak(run: Run, task: str, evidence: Evidence) -> Evidence:
        return replace(evidence, status="fault", note=SECRET) if run.quiet else evidence

    here.speaks = speak
    actual = graded(total=WRONG)
    assert earned(actual) == without("total", "share", "pairs")
    (note,) = actual.notes
    assert note.startswith("Not checked with the course's answers")
    assert "share, pairs" in note
    assert SECRET not in note


def test_the_number_of_runs_is_bounded(graded, here, monkeypatch):
    monkeypatch.setattr(error_carried_forward, "MOST_ROUNDS", 1)
    actual = graded(total=WRONG, row_sums=WRONG_SUMS)
    assert earned(actual) == without("total", "row-sums", "doubled-sums")
    assert "doubled-sums" in actual.notes[0]


# Attacks


def test_an_answer_that_is_replaced_for_others_helps_nobody_who_does_not_build_on_it(graded, here):
    stolen = "doubled_sums = 2 * torch.stack([total(row, torch.ones(3)) for row in table])"
    actual = graded(total=WRONG, row_sums=WRONG_SUMS, doubled_sums=stolen)
    assert earned(actual) == without("total", "row-sums", "doubled-sums")
    replaced = [run.cells["total-answer"] == SOLUTION["total-answer"] for run in here.more]
    assert replaced == [True, False, False]


def test_the_task_whose_answer_is_replaced_earns_nothing_by_it(graded):
    actual = graded(total="total = ...", pairs="total = total\n" + SOLUTION["pairs-answer"])
    assert actual.verdicts["total"].earned == 0


# For real: in the sandbox and without one, by both doors

READS = """
import inspect

class Convolution(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.kernel = nn.Parameter(torch.rand(width))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        if len(x) == 2:
            raise ValueError(inspect.getsource(convolve))
        return torch.stack([convolve(row, self.kernel) for row in x]) + self.bias

print(inspect.getsource(convolve))
"""
# Of the course's own `convolve`; learners write it otherwise.
LINE = "windows = [signal[i : i + width] for i in range(len(signal) - width + 1)]"
POINTS = {"by-hand": 1, "convolve": 0, "convolution": 1}


@pytest.fixture(scope="module")
def folder(class_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of one student, whose `convolve` is wrong and who tries to read another."""
    folder = tmp_path_factory.mktemp("class") / "course"
    class_folder(class_course, folder, LESSON)
    with command.GradebookWriter(Class(folder)) as book:  # making a gradebook takes nbgrader seconds
        book.enter_lesson(LESSON)
    submission = read_source(folder / "source" / LESSON / f"{LESSON}.py")
    assert any(LINE in cell.source for cell in submission.cells)
    for cell in submission.cells:
        if cell["id"] == "convolve-answer":
            cell.source = "def convolve(signal, kernel):\n    return signal"
        if cell["id"] == "convolution-answer":
            cell.source = READS
    path = folder / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(submission, path)
    return folder


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's own way to add a submission
@pytest.mark.sample(2)
@pytest.mark.parametrize("door", ["autograder grade", "nbgrader autograde", "without a sandbox"])
def test_by_every_door_one_mistake_costs_once_where_no_text_can_leave(
    folder, sandbox, door, tmp_path, monkeypatch
):
    course = Class(Path(shutil.copytree(folder, tmp_path / "course")))
    root = Path(course.directory.root)
    used = KernelRunner(course.banks) if door == "without a sandbox" else sandbox
    monkeypatch.setattr(grade_submission, "runner_for", lambda banks, sandboxed=True: used)
    if door == "nbgrader autograde":
        with command.GradebookWriter(course) as book:
            book.enter_lesson(LESSON)
        assert NbGraderAPI(course.directory, config=course.config).autograde(LESSON, "ada")["success"]
    else:
        asked = command.GradeOptions(course, [LESSON], jobs=1, sandboxed=used is sandbox)
        assert not command.grade_class(asked, print, lambda *_: None).faults
    if used is not sandbox:
        used.close()

    with Gradebook(course.database, course.directory.course_id) as gradebook:
        grades = gradebook.find_submission_notebook(LESSON, LESSON, "ada").grades
        scores = {grade.name: grade.auto_score for grade in grades}
    wanted = POINTS if used is sandbox else {**POINTS, "convolution": 0}
    assert {task: scores[task] for task in POINTS} == wanted
    text = (root / "autograded" / "ada" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    note = "so that one mistake costs once" if used is sandbox else "convolution (no sandbox would keep"
    assert note in text
    assert LINE not in text
