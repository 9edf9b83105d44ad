"""A second course, on another subject, made by the installed tool and taken through nbgrader's own commands.

One run of everything, each command in a process of its own, as they are typed.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.sandbox import walls

ROOT = Path(__file__).parents[2]
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

Run = Callable[..., str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a module where the tool is installed from its wheel, and nothing of this checkout is."""
    place = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(place), str(ROOT)]
    subprocess.run(wheel, check=True)
    site = place / "site"
    subprocess.run(
        [*pip, "install", "--no-deps", "--target", str(site), *map(str, place.glob("*.whl"))], check=True
    )
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NBGRADER"))}
    environment = {
        **own,
        "PYTHONPATH": str(site),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "AUTOGRADER_SECRET": str(place / "secret"),
        "AUTOGRADER_PROGRESS": str(place / "progress"),
    }

    def run(where: Path, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command],
            cwd=where,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout + done.stderr)
        return done.stdout + done.stderr

    assert str(site) in run(place, "-c", "import autograder; print(autograder.__file__)")
    assert all((site / package / "py.typed").is_file() for package in ("autograder", "visuals"))
    assert list(site.glob("*.dist-info/licenses/LICENSE"))
    (command,) = (site / "bin").glob("autograder*")
    assert "audit" in run(place, str(command), "--help")
    return run


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_new_course_goes_all_the_way_from_its_source_to_its_feedback(run, tmp_path):
    course = tmp_path / "Folds & waves"
    run(tmp_path, "-m", "autograder", "new-course", course.name)
    run(course, "-m", "autograder", "build")
    assert "2 passed" in run(course, "-m", "pytest", "-p", "no:cacheprovider")
    released = course / "notebooks" / LESSON / f"{LESSON}.ipynb"
    before = released.read_bytes()
    run(course, "-m", "nbgrader", "generate_assignment", LESSON)
    assert released.read_bytes() == before

    # A learner finds the course from the notebook's folder. Elsewhere the installed course is found instead.
    said = run(released.parent, "-c", ASK, str(tmp_path))
    here, elsewhere = said.split("ELSEWHERE")
    assert "[right] A convolution as a function (2 of 2 points)" in here
    assert "There is no task called `convolve`" in elsewhere
    assert "01 · From a dot product" in elsewhere

    solved = (course / "source" / LESSON / released.name).read_text(encoding="utf-8")
    assert LINE in solved
    hand_in(course, "bob", released.read_text(encoding="utf-8"))
    for student, (line, _) in STUDENTS.items():
        hand_in(course, student, solved.replace(LINE, line))

    run(course, "-m", "autograder", "secret")
    if walls.why_not():
        said = run(course, "-m", "autograder", "grade", "--no-sandbox")
    else:
        run(course, "-m", "nbgrader", "autograde", LESSON, "--student", "dora")
        said = run(
            course, "-m", "autograder", "grade", *(f"--student={one}" for one in ("ada", "bob", "cleo"))
        )
        assert "3 submissions graded" in said
    assert "visible probes only" not in said
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
    said = run(course, "-m", "nbgrader", "validate", *handed_in)
    assert "Success! Your notebook passes all the tests." in said
    assert "VALIDATION FAILED ON 3 CELL(S)" in said
    assert "`smoothed` is still waiting for you" in said
    run(course, "-m", "nbgrader", "export")
    with (course / "grades.csv").open(encoding="utf-8") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"bob": 0.0, **{student: score for student, (_, score) in STUDENTS.items()}}


def hand_in(course: Path, student: str, notebook: str) -> None:
    path = course / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(notebook, encoding="utf-8")
