"""The bundle: nothing in it that students must not have, and everything that a check needs."""

import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.authoring import load_lesson
from autograder.build.answers import changed_answer, evidence_for, run_solution
from autograder.build.source import read_source
from autograder.course import Course
from autograder.exchange.bundle import SETUP, bundle, for_students
from autograder.feedback import plain_text
from autograder.grading.hiding import hiding
from autograder.judge import judge
from tests.autograder.grading.conftest import class_folder

ROOT = Path(__file__).parents[3]
COURSE = Course.read(ROOT)
LESSON = "01-dot-product"
# What a student's environment may hold of this: none of it builds or grades.
NOT_FOR_STUDENTS = {"nbgrader", "jupytext", "typer", "nh3", "hatchling", "pytest", "ruff"}
TRIES = """
import json, sys
sys.path.append(sys.argv[1])
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


def wheel_in(files):
    """The wheel among a bundle's files."""
    return next(name for name in files if name.endswith(".whl"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("bundle") / "all.zip"
    bundle(COURSE, [LESSON], out, hints=1)
    place = tmp_path_factory.mktemp("student")
    with zipfile.ZipFile(out) as archive:
        archive.extractall(place)
    return place / COURSE.name


@pytest.fixture(scope="module")
def wheel(folder):
    (found,) = folder.glob("*.whl")
    return zipfile.ZipFile(found)


def test_the_bundle_holds_what_students_need_and_nothing_else(folder, wheel):
    there = {one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}
    name = Path(wheel.filename).name
    places = [f"{language}{LESSON}" for language in ("", "bn/", "hi_Latn/")]
    notebooks = {f"notebooks/{place}/{LESSON}.ipynb" for place in places}
    assert there == {"README.md", "start.py", "requirements.lock", name, *notebooks}
    modules = [Path(one) for one in wheel.namelist() if one.endswith(".py")]
    assert {one.parts[0] for one in modules} == {"autograder", "visuals"}
    inside = {one.parts[1] for one in modules if one.parts[0] == "autograder"}
    assert not inside & {"build", "grading", "sandbox", "exchange", "template", "cli.py", "authoring.py"}
    banks = {one.partition("/bank/")[2] for one in wheel.namelist() if "/bank/" in one}
    words = {f"{language}/{file}.mo" for language in ("bn", "hi_Latn") for file in (LESSON, "messages")}
    assert banks == {"course.toml", f"{LESSON}.json", f"{LESSON}.safetensors", *words}
    assert Path(wheel.filename).stat().st_size < 1_000_000


def test_what_one_lesson_alone_reads_is_in_its_bundle_alone(wheel, tmp_path):
    made = bundle(COURSE, ["10-read-a-model"], tmp_path)
    with zipfile.ZipFile(tmp_path / wheel_in(made)) as packed:
        more = set(packed.namelist()) - set(wheel.namelist())
    assert {"visuals/checkpoint/weights.safetensors", "visuals/checkpoint/train.py"} <= more
    assert "visuals/trained/weights.safetensors" in wheel.namelist()


def test_no_solution_is_in_the_wheel(wheel):
    text = " ".join(wheel.read(one).decode("utf-8", "replace") for one in wheel.namelist())
    solutions = [task.hints[-1] for task in load_lesson(ROOT / "source" / LESSON).tasks]
    assert len(solutions) > 5
    assert not [one for one in solutions if one in text]
    assert "redrawn" not in wheel.read(f"autograder/bank/{LESSON}.json").decode()


def test_a_students_environment_holds_nothing_that_grades(folder, wheel):
    (metadata,) = (one for one in wheel.namelist() if one.endswith("METADATA"))
    needs = re.findall(r"^Requires-Dist: ([\w.-]+)", wheel.read(metadata).decode(), re.MULTILINE)
    assert {"torch", "numpy", "matplotlib", "ipywidgets", "safetensors", "platformdirs"} <= set(needs)
    locked = {
        str(canonicalize_name(Requirement(line).name))
        for line in (folder / "requirements.lock").read_text().splitlines()
    }
    assert {"torch", "jupyterlab", "ipykernel", *needs} <= locked
    assert not NOT_FOR_STUDENTS & {*locked, *needs}


def test_the_bank_for_students_says_the_same_of_known_answers_to_every_task():
    lesson = load_lesson(ROOT / "source" / LESSON)
    notebook = read_source(ROOT / "source" / LESSON / f"{LESSON}.py")
    runs = run_solution(lesson, notebook, LESSON, families=COURSE.forbidden)
    whole = COURSE.load(LESSON)
    reduced = for_students(whole)
    for entry in lesson.tasks:
        for wrong in entry.wrong[:2]:
            text = changed_answer(entry, wrong.changes, runs)
            evidence = evidence_for(whole.tasks[entry.id], text, whole, runs)
            said = [
                plain_text(task, judge(task, evidence, as_seen=True))
                for task in (whole.tasks[entry.id], reduced.tasks[entry.id])
            ]
            assert said[0] == said[1]


@pytest.mark.slow
def test_the_wheel_checks_answers_in_a_folder_without_the_course(folder, wheel, tmp_path):
    """As after `pip install` in a new environment: the wheel and what it asks for, and no other package."""
    site = tmp_path / "site"
    wheel.extractall(site)
    (metadata,) = site.glob("*.dist-info")
    needed = set()
    asked = list(PathDistribution(metadata).requires or ())
    while asked:
        need = Requirement(asked.pop())
        if need.name in needed or (need.marker and not need.marker.evaluate({"extra": ""})):
            continue
        needed.add(need.name)
        found = distribution(need.name)
        asked += found.requires or ()
        for top in {file.parts[0] for file in found.files or () if ".." not in file.parts}:
            if not (site / top).exists():
                (site / top).symlink_to(found.locate_file(top))
    assert not NOT_FOR_STUDENTS & needed
    environment = {**os.environ, "AUTOGRADER_PROGRESS": "off"}
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", TRIES, str(site)],  # -S: without this environment's own packages
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    origin, right, wrong, said, progress, modules = json.loads(ran.stdout.splitlines()[-1])
    assert Path(origin).is_relative_to(tmp_path / "site")
    assert (right, wrong) == (True, False)
    assert "Two sums are multiplied" in said
    assert f"0 of {len(COURSE.load(LESSON).tasks)} tasks" in progress
    assert "autograder.cli" not in modules


@pytest.fixture
def first_cell(folder, monkeypatch):
    """Runs a notebook's first code cell in a folder; gives what it would have installed."""
    notebook = nbformat.read(folder / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert cell["id"] == SETUP
    assert hiding([cell.source]) == ""  # and so no submission looks suspicious by it

    def run(place):
        ran = []
        shell = type("Shell", (), {"run_line_magic": lambda self, *words: ran.append(words)})
        monkeypatch.chdir(place)
        exec(cell.source, {"get_ipython": shell})
        return ran

    return run


def test_the_first_code_cell_installs_only_where_the_checks_are_missing(
    folder, first_cell, monkeypatch, tmp_path
):
    place = folder / "notebooks" / LESSON
    assert first_cell(place) == []  # here, and so while grading
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    (wheel,) = folder.glob("*.whl")
    assert first_cell(place) == [("pip", f"install --quiet {wheel}")]
    with pytest.raises(FileNotFoundError, match="beside this notebook; you were given both"):
        first_cell(tmp_path)


def test_a_notebook_that_was_worked_in_takes_the_checks_of_a_later_bundle(first_cell, monkeypatch, tmp_path):
    made = bundle(COURSE, [LESSON, "02-trainable"], tmp_path)
    place = tmp_path / "notebooks" / LESSON
    old = type("Installed", (), {"version": "0.2.0.post1"})
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: [old])
    assert first_cell(place) == [("pip", f"install --quiet {tmp_path / wheel_in(made)}")]
    old.version = wheel_in(made).split("-")[1]
    assert first_cell(place) == []


def test_the_same_lessons_give_the_same_wheel_and_others_another(folder, wheel, tmp_path):
    again = bundle(COURSE, [LESSON], tmp_path / "again", hints=1)
    assert (tmp_path / "again" / wheel_in(again)).read_bytes() == Path(wheel.filename).read_bytes()
    assert wheel_in(bundle(COURSE, [LESSON, "02-trainable"], tmp_path / "again", hints=1)) != wheel_in(again)
    assert len(list((tmp_path / "again").glob("*.whl"))) == 1


def test_the_wheel_takes_the_courses_own_packages_wherever_the_tool_lies(tmp_path):
    place = class_folder(tmp_path / "course", LESSON)
    (place / "visuals").mkdir()
    (place / "visuals" / "__init__.py").write_text("MARK = 1\n")
    made = bundle(Course.read(place), [LESSON], tmp_path / "out")
    with zipfile.ZipFile(tmp_path / "out" / wheel_in(made)) as packed:
        assert packed.read("visuals/__init__.py") == b"MARK = 1\n"
