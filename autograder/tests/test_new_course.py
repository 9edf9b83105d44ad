"""A course made by the tool alone, installed from its wheel, and taken through nbgrader's own commands.

One run of everything in a clean environment, each command in a process of its own, as they are typed.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from autograder.grading.sandbox import bubblewrap
from support.environments import Environment

TOOL = Path(__file__).parents[1]
LESSON = "01-convolution"
LINE = "return torch.stack([(window * kernel).sum() for window in windows])"
TURNED = LINE.replace("kernel)", "kernel.flip(0))")
READY_MADE = "return torch.conv1d(signal[None, None], kernel[None, None])[0, 0]"
# By student: what stands in the place of that line, and the score.
STUDENTS = {"ada": (LINE, 5.0), "cleo": (TURNED, 3.0), "dora": (READY_MADE, 4.0)}

# A check in the folder where this is run, and then in another.
ASK = """
import os, sys
from autograder import check, progress
ask = lambda: print(check("convolve", lambda signal, kernel: signal.unfold(0, len(kernel), 1) @ kernel))
ask()
print("ELSEWHERE")
os.chdir(sys.argv[1])
ask()
print(progress())
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment that holds the tool, with what its commands need, and nothing else of this checkout."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, TOOL], check=True
    )
    (wheel,) = folder.glob("*.whl")
    result = Environment(folder / "environment", "lesson-autograder[grade]", "pytest")
    result.pip("install", f"{wheel}[grade]")
    assert (result.packages / "autograder" / "py.typed").is_file()
    assert list(result.packages.glob("lesson_autograder-*.dist-info/licenses/LICENSE"))
    (command,) = result.python.parent.glob("autograder*")
    assert "audit" in result.run(folder, command, "--help")
    return result


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_new_course_goes_all_the_way_from_its_source_to_its_feedback(environment, tmp_path):
    run = environment.run
    course = tmp_path / "Folds & waves"
    run(tmp_path, "-m", "autograder", "new-course", course.name)
    run(course, "-m", "autograder", "build")
    assert "2 passed" in run(course, "-m", "pytest", "-p", "no:cacheprovider")
    released = course / "notebooks" / LESSON / f"{LESSON}.ipynb"
    before = released.read_bytes()
    run(course, "-m", "nbgrader", "generate_assignment", LESSON)
    assert released.read_bytes() == before

    # A learner finds the course from the notebook's folder, and elsewhere none.
    output = run(released.parent, "-c", ASK, str(tmp_path))
    here, elsewhere = output.split("ELSEWHERE")
    assert "[right] A convolution as a function (2 of 2 points)" in here
    assert elsewhere.count("This notebook belongs to no course") == 2

    solved = (course / "source" / LESSON / released.name).read_text(encoding="utf-8")
    assert LINE in solved
    hand_in(course, "bob", released.read_text(encoding="utf-8"))
    for student, (line, _) in STUDENTS.items():
        hand_in(course, student, solved.replace(LINE, line))

    run(course, "-m", "autograder", "secret")
    if bubblewrap.why_not():
        output = run(course, "-m", "autograder", "grade", "--no-sandbox")
    else:
        run(course, "-m", "nbgrader", "autograde", LESSON, "--student", "dora")
        output = run(
            course, "-m", "autograder", "grade", *(f"--student={item}" for item in ("ada", "bob", "cleo"))
        )
        assert "3 submissions graded" in output
    assert "visible probes only" not in output
    for step in ("generate_feedback", "generate_solution"):
        run(course, "-m", "nbgrader", step, LESSON)
    feedback = (course / "feedback" / "cleo" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "Your kernel is turned round." in feedback
    solution = nbformat.read(course / "solutions" / LESSON / released.name, as_version=4)
    assert "SOLUTION" not in "".join(cell.source for cell in solution.cells)
    assert all(cell.outputs for cell in solution.cells if cell.metadata.get("nbgrader", {}).get("grade"))
    for folder in ("notebooks", "autograded", "solutions"):  # neither the source nor the tasks
        assert {path.suffix for path in (course / folder).rglob("*") if path.is_file()} == {".ipynb"}
    handed_in = [f"submitted/{student}/{LESSON}/{released.name}" for student in ("ada", "bob")]
    output = run(course, "-m", "nbgrader", "validate", *handed_in)
    assert "Success! Your notebook passes all the tests." in output
    assert "VALIDATION FAILED ON 3 CELL(S)" in output
    assert "`smoothed` is still waiting for you" in output
    run(course, "-m", "nbgrader", "export")
    with (course / "grades.csv").open(encoding="utf-8") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"bob": 0.0, **{student: score for student, (_, score) in STUDENTS.items()}}


def hand_in(course: Path, student: str, notebook: str) -> None:
    path = course / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(notebook, encoding="utf-8")
