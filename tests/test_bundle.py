"""The bundle of this course: its packages, its words and what only some lessons read."""

import json
import re
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from autograder.classroom.student_bundle import bundle
from autograder.records.course import Course
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.bundles import opened_wheels, unpacked, wheels_in
from support.environments import Environment

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT)
LESSON = "01-dot-product"
BANK = "attention_step_by_step_course"
# What a student's environment may hold of this: none of it builds or grades.
NOT_FOR_STUDENTS = {"nbgrader", "jupytext", "typer", "nh3", "hatchling", "pytest", "ruff"}
TRIES = """
import json, sys
import autograder, visuals
from autograder import check, hint, progress
def dot(a, b):
    return (a * b).sum()
def sums(a, b):
    return a.sum() * b.sum()
wrong = check("dot-product", sums)
print(json.dumps([autograder.__file__, bool(check("dot-product", dot)), bool(wrong), repr(wrong),
                  repr(progress()), sorted(name for name in sys.modules if name.startswith("autograder."))]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return unpacked(COURSE, LESSON, tmp_path_factory)


@pytest.fixture(scope="module")
def wheels(folder):
    return opened_wheels(folder)


@pytest.fixture(scope="module")
def wheel(wheels):
    """The course's wheel."""
    return wheels[1]


def test_the_bundle_holds_what_students_need_and_nothing_else(folder, wheels):
    there = {item.relative_to(folder).as_posix() for item in folder.rglob("*") if item.is_file()}
    names = {Path(wheel.filename).name for wheel in wheels}
    places = [f"{language}{LESSON}" for language in ("", "bn/", "hi_Latn/")]
    notebooks = {f"notebooks/{place}/{LESSON}.ipynb" for place in places}
    lab = {
        ".lab/jupyter_lab_config.json",
        ".lab/jupyter_server_config.d/nbgrader.json",
        ".lab/labconfig/default_setting_overrides.json",
        ".lab/labconfig/page_config.json",
    }
    assert there == {"README.md", "course.toml", "start.py", "requirements.lock", *lab, *names, *notebooks}
    course = [Path(name) for name in wheels[1].namelist()]
    words = {f"{language}/{file}.mo" for language in ("bn", "hi_Latn") for file in (LESSON, "shared")}
    bank = {path.relative_to(BANK).as_posix() for path in course if path.is_relative_to(BANK)}
    sources = {f"source/{name}" for name in ("attention.py", "quiz.toml", "review.toml", "serve.py")}
    assert bank == {"course.toml", *sources, f"{LESSON}.json", f"{LESSON}.safetensors", *words}
    assert {path.parts[0] for path in course if "dist-info" not in path.parts[0]} == {"visuals", BANK}
    assert [Path(wheel.filename).stat().st_size < 1_000_000 for wheel in wheels] == [True, True]


@pytest.mark.slow
def test_the_page_on_a_term_says_about_how_large_the_wheels_are(folder, tmp_path):
    text = (ROOT / "docs" / "teaching" / "term.md").read_text(encoding="utf-8")
    said = [float(number) for number in re.findall(r"(\d+\.\d) MB", text)]
    bundle(COURSE, COURSE.lessons[:7], tmp_path)
    tool, course = wheels_in(path.name for path in folder.glob("*.whl"))
    (seven,) = tmp_path.glob("**/attention*.whl")
    sizes = [path.stat().st_size / 1e6 for path in (folder / tool, folder / course, seven)]
    assert said == pytest.approx(sizes, rel=0.25)


def test_what_one_lesson_alone_reads_is_in_its_bundle_alone(wheel, tmp_path):
    result = bundle(COURSE, ["10-read-a-model"], tmp_path)
    with zipfile.ZipFile(tmp_path / wheels_in(result)[1]) as packed:
        more = set(packed.namelist()) - set(wheel.namelist())
    assert {"visuals/checkpoint/weights.safetensors", "visuals/checkpoint/train.py"} <= more
    assert "visuals/trained/weights.safetensors" in wheel.namelist()


def test_a_students_environment_holds_nothing_that_grades(folder, wheels):
    needs = set()
    for wheel in wheels:
        (metadata,) = (name for name in wheel.namelist() if name.endswith("METADATA"))
        lines = message_from_bytes(wheel.read(metadata)).get_all("Requires-Dist", [])
        needs |= {need.name for need in map(Requirement, lines) if not need.marker}
    assert {"torch", "numpy", "matplotlib", "safetensors", "platformdirs"} <= needs
    locked = {
        str(canonicalize_name(Requirement(line).name))
        for line in (folder / "requirements.lock").read_text().splitlines()
    }
    assert {"torch", "jupyterlab", "ipykernel", *needs} <= {*locked, "lesson-autograder"}
    assert not NOT_FOR_STUDENTS & {*locked, *needs}


def test_the_wheels_check_answers_in_an_environment_without_the_course(folder, wheels, tmp_path):
    environment = Environment(tmp_path / "environment", COURSE.name)
    assert not [name for name in NOT_FOR_STUDENTS if (environment.packages / name).exists()]
    environment.pip("install", *(wheel.filename for wheel in wheels))
    ran = environment.run(folder, "-c", TRIES, AUTOGRADER_PROGRESS="off")
    origin, right, wrong, output, progress, modules = json.loads(ran.splitlines()[-1])
    assert Path(origin).is_relative_to(environment.packages)
    assert (right, wrong) == (True, False)
    assert "Two sums are multiplied" in output
    assert f"0 of {len(COURSE.load(LESSON).tasks)} tasks" in progress
    assert "autograder.command.app" not in modules
