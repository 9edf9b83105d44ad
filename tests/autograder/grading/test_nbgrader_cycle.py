"""nbgrader's own commands, for real, on a copy of this course: from release to grades and feedback.

One cycle runs for the whole file; each test looks at one part of what came out.
"""

import csv
import html
import os
import re
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.course import Course
from tests.autograder.grading.conftest import class_folder

ROOT = Path(__file__).parents[3]
COURSE = Course.read(ROOT)
LESSON = "01-dot-product"
FULL = 22.0

# One fixture holds the whole cycle, some ten submissions in kernels of their own.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

# One answer for each task, wrong in a way that the bank knows, and the id it is known by.
WRONG = {
    "dot-product": ("def dot(a, b):\n    return a * b", "products-not-added"),
    "query-scores": ("attn_scores_2 = inputs @ inputs[2]", "wrong-query"),
    "sum-weights": ("attn_weights_2_tmp = attn_scores_2 / attn_scores_2.max()", None),
    "softmax-naive": ("def softmax_naive(x):\n    return torch.exp(x)", "not-normalised"),
    "softmax-stable": (
        "def softmax_stable(x):\n    e = torch.exp(x)\n    return e / e.sum()",
        "exp-overflows",
    ),
    "query-weights": ("attn_weights_2 = attn_scores_2", None),
    "context-vector": ("context_vec_2 = inputs.mean(dim=0)", "weights-not-used"),
    "scores-loops": ("def scores_with_loops(x):\n    return x.T @ x", "dimensions-for-tokens"),
    "all-scores": ("attn_scores = inputs * inputs", "elementwise-product"),
    "all-weights": ("attn_weights = torch.softmax(inputs @ inputs.T, dim=0)", "softmax-over-queries"),
    "all-contexts": (
        "all_context_vecs = torch.softmax(inputs @ inputs.T, dim=-1).T @ inputs",
        "weights-on-the-right",
    ),
    "simple-attention": (
        "def simple_attention(x):\n    s = x @ x.T\n    return s / s.sum(dim=-1, keepdim=True) @ x",
        "shares-of-raw-scores",
    ),
}
# Of these, part is right: ordinary vectors or scores pass, others do not.
EARNED_BY_WRONG = {"softmax-stable": 1.0}

OTHER_ROUTES = {
    "dot-product": "def dot(a, b):\n    return sum((a * b).tolist())",
    "query-scores": "attn_scores_2 = torch.einsum('td,d->t', inputs, inputs[1])",
    "sum-weights": "attn_weights_2_tmp = torch.nn.functional.normalize(attn_scores_2, p=1, dim=0)",
    "softmax-naive": "softmax_naive = lambda scores: (powers := scores.double().exp()) / powers.sum()",
    "softmax-stable": (
        "def shift(x):\n    return x - torch.logsumexp(x, 0)\n\n"
        "def softmax_stable(x):\n    return shift(x).exp()"
    ),
    "query-weights": "attn_weights_2 = softmax_stable(attn_scores_2)",
    "context-vector": (
        "import warnings\nwarnings.warn('this costs nothing')\n"
        "context_vec_2 = inputs.T @ attn_weights_2.float()"
    ),
    "scores-loops": (
        "def scores_with_loops(tokens):\n    return torch.cat([tokens @ t[:, None] for t in tokens], 1)"
    ),
    "all-scores": "attn_scores = torch.inner(inputs, inputs)",
    "all-weights": "attn_weights = torch.stack([softmax_stable(row) for row in attn_scores])",
    "all-contexts": "all_context_vecs = torch.einsum('qk,kd->qd', attn_weights, inputs)",
    "simple-attention": (
        "import torch.nn.functional as F\n\ndef simple_attention(x):\n"
        "    return F.scaled_dot_product_attention(x[None], x[None], x[None], scale=1.0)[0]"
    ),
}
HALF = ["dot-product", "query-scores", "sum-weights", "softmax-naive", "softmax-stable", "query-weights"]


def answer(notebook, task, code):
    cell = next(cell for cell in notebook.cells if cell["id"] == f"{task}-answer")
    cell.source = code


def find(notebook, name):
    return next(index for index, cell in enumerate(notebook.cells) if cell["id"] == name)


def submissions(release, solved):
    """Every submission of the class: a notebook, or text that is none."""
    made = {"untouched": release, "perfect": solved}

    half = deepcopy(release)
    for task in HALF:
        answer(half, task, solved.cells[find(solved, f"{task}-answer")].source)
    made["half"] = half

    wrong = deepcopy(release)
    for task, (code, _) in WRONG.items():
        answer(wrong, task, code)
    made["wrong"] = wrong

    other = deepcopy(release)
    for task, code in OTHER_ROUTES.items():
        answer(other, task, code)
    made["other-routes"] = other

    deleted = deepcopy(solved)
    del deleted.cells[find(deleted, "all-weights")]
    made["deleted-test"] = deleted

    doubled = deepcopy(solved)
    place = find(doubled, "context-vector-answer")
    doubled.cells.insert(place, deepcopy(doubled.cells[place]))
    place = find(doubled, "all-scores")
    doubled.cells.insert(place, deepcopy(doubled.cells[place]))
    made["doubled-cells"] = doubled

    typed = deepcopy(solved)
    answer(
        typed,
        "query-scores",
        "attn_scores_2 = torch.tensor([0.9544000029563904, 1.4950001239776611, 1.4754000902175903, "
        "0.8434000015258789, 0.7070000171661377, 1.0865000486373901])",
    )
    made["typed-in"] = typed

    killed = deepcopy(solved)
    answer(killed, "scores-loops", "import os\nos._exit(0)")
    made["kills-kernel"] = killed

    made["not-json"] = "Dear teacher, my dog ate the brackets {"
    return made


def nbgrader(course, *arguments, expect=0):
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        timeout=600,
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A copy of the course, graded: release, nine submissions, grades, feedback, solutions and an export."""
    place = tmp_path_factory.mktemp("class") / "my course"
    class_folder(place, LESSON)
    shutil.copytree(ROOT / "solutions" / LESSON, place / "solutions" / LESSON)
    from autograder.build.release import write_notebook
    from autograder.build.source import read_source

    solved = read_source(ROOT / "source" / LESSON / f"{LESSON}.py")
    write_notebook(solved, place / "source" / LESSON / f"{LESSON}.ipynb")
    nbgrader(place, "generate_assignment", LESSON)
    release = nbformat.read(place / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for student, made in submissions(release, solved).items():
        path = place / "submitted" / student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        if isinstance(made, str):
            path.write_text(made)
        else:
            nbformat.write(made, path)
    log = nbgrader(place, "autograde", LESSON)
    (place / "autograde.log").write_text(log)
    nbgrader(place, "generate_feedback", LESSON)
    nbgrader(place, "generate_solution", LESSON)
    nbgrader(place, "export")
    return place


@pytest.fixture(scope="module")
def grades(course):
    """student -> task -> automatic score, as the gradebook has it."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "attention-step-by-step") as gradebook:
        return {
            submission.student.id: {
                grade.name: grade.auto_score for notebook in submission.notebooks for grade in notebook.grades
            }
            for submission in gradebook.assignment_submissions(LESSON)
        }


def feedback(course, student):
    text = (course / "feedback" / student / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    return html.unescape(re.sub(r"</?code>", "`", text))


def test_the_release_that_nbgrader_makes_is_the_one_that_is_committed(course):
    name = Path("notebooks") / LESSON / f"{LESSON}.ipynb"
    assert (course / name).read_bytes() == (ROOT / name).read_bytes()


def test_neither_the_release_nor_a_graded_copy_holds_the_lessons_source_or_tasks(course):
    for folder in ("notebooks", "autograded", "solutions"):
        found = [path.name for path in (course / folder).rglob("*") if path.is_file()]
        assert {Path(name).suffix for name in found} == {".ipynb"}


@pytest.mark.parametrize(
    ("student", "score"),
    [
        ("untouched", 0.0),
        ("perfect", FULL),
        ("other-routes", FULL),
        ("deleted-test", FULL),
        ("doubled-cells", FULL),
    ],
)
def test_a_submission_earns_what_it_deserves(grades, student, score):
    assert sum(grades[student].values()) == score


def test_half_of_the_work_earns_that_half_and_nothing_else(grades):
    earned = {task for task, score in grades["half"].items() if score}
    assert earned == set(HALF)


def test_every_task_wrong_in_a_known_way_earns_only_what_is_right_in_it(grades):
    earned = {task: score for task, score in grades["wrong"].items() if score}
    assert earned == EARNED_BY_WRONG


def test_numbers_typed_in_earn_nothing_though_they_are_the_right_ones(grades):
    assert grades["typed-in"]["query-scores"] == 0
    assert sum(grades["typed-in"].values()) == FULL - 1  # what is built from them loses nothing


def test_a_cell_that_kills_its_process_costs_its_own_task_and_says_so(course, grades):
    lost = {"scores-loops"}
    assert {task for task, score in grades["kills-kernel"].items() if score == 0} == lost
    assert "The cell scores-loops-answer was stopped: it ended its own process." in feedback(
        course, "kills-kernel"
    )


def test_a_file_that_is_no_notebook_ends_with_a_score_of_zero_and_the_reason(course, grades):
    assert set(grades["not-json"].values()) == {0.0}
    assert "the file is not JSON" in feedback(course, "not-json")
    assert "not-json: This submission could not be read" in (course / "autograde.log").read_text()


def test_no_grade_of_anyone_is_left_open(grades):
    assert [score for tasks in grades.values() for score in tasks.values() if score is None] == []
    assert {len(tasks) for tasks in grades.values()} == {len(WRONG)}


@pytest.mark.parametrize("task", [task for task, (_, known) in WRONG.items() if known])
def test_feedback_names_each_known_mistake_with_its_hint(course, task):
    hint = next(one.hint for one in COURSE.load(LESSON).tasks[task].known_wrong if one.id == WRONG[task][1])
    assert hint in feedback(course, "wrong")


def test_feedback_shows_partial_credit_and_the_message_together(course):
    text = feedback(course, "wrong")
    assert "1 of 3 points" in text
    assert "exp() of 1000 is inf" in text


def test_the_feedback_of_a_perfect_submission_says_what_was_learned(course):
    assert COURSE.load(LESSON).tasks["all-weights"].learned in feedback(course, "perfect")


def test_a_missing_and_a_doubled_cell_are_mentioned_to_whoever_reads_the_feedback(course):
    assert "course cells were missing and were put back: all-weights" in feedback(course, "deleted-test")
    assert "the cell context-vector-answer stood there 2 times" in feedback(course, "doubled-cells")


def test_the_export_holds_every_student_with_the_gradebooks_score(course, grades):
    with (course / "grades.csv").open() as file:
        rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert rows == {student: sum(tasks.values()) for student, tasks in grades.items()}


def test_the_solution_that_nbgrader_makes_is_executed_and_without_marks(course):
    solution = nbformat.read(course / "solutions" / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert "SOLUTION" not in "".join(cell.source for cell in solution.cells)
    assert all(cell.outputs for cell in solution.cells if cell["id"] in WRONG)


def test_validate_tells_a_student_what_fails_before_they_submit(course):
    path = Path("submitted") / "half" / LESSON / f"{LESSON}.ipynb"
    said = nbgrader(course, "validate", str(path))
    assert "VALIDATION FAILED ON 6 CELL(S)" in said
    assert "`context_vec_2` is still waiting for you" in said


def test_validate_is_content_with_a_perfect_notebook(course):
    path = Path("submitted") / "perfect" / LESSON / f"{LESSON}.ipynb"
    assert "Success! Your notebook passes all the tests." in nbgrader(course, "validate", str(path))
