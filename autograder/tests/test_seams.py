"""A course adds an experiment, a property, a specimen and a platform, without a change in the tool."""

from __future__ import annotations

import math
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import autograder.author
import nbformat
import pytest
from autograder.author.pipeline import build
from autograder.command import app as cli
from autograder.experiments import registry
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import TaskResult, opened
from autograder.grading.hidden_tests import secret
from autograder.records.answer_findings import BrokenProperty, NotFinite
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course
from autograder.words.finding_wording import word
from typer.testing import CliRunner

from autograder import check

TEMPLATE = Path(autograder.author.__file__).parent / "template"
LESSON = "01-convolution"
ADDS = '\n[adds]\nexperiments = "source/signals.py"\nplatforms = "source/ilias.py"\n'
SIGNALS = """
import torch
from autograder.experiments.base import Experiment
from autograder.experiments.properties import Property
from autograder.words.phrases import N_


def run(subject, settings):
    upright = subject.call(subject.inputs)
    turned = subject.call({**subject.inputs, "signal": -subject.inputs["signal"]})
    return torch.tensor([bool(torch.allclose(turned, -upright))])


WORDS = {"": N_("A signal upside down does not come out upside down{where}.", "Is something cut off at 0?")}
EXPERIMENTS = (Experiment("upside-down", run, WORDS, axes=1),)
PROPERTIES = (
    Property("quiet", lambda result: (result.abs() > 20, result), {"": N_("{place} is too loud{where}.")}),
)
SPECIMENS = {"box": lambda width: torch.ones(width)}
"""
ILIAS = """
import re
from dataclasses import replace

from autograder.classroom.platforms.protocol import Platform
from autograder.classroom.csv_tables import Lists


def read_name(part, is_file, plain):
    found = re.fullmatch("ilias_(.+)", part)
    return replace(plain, lms="ilias", labels=(found[1],), folder=part) if found else None


def page_name(student, handed, lesson):
    return f"{handed.folder}/feedback.html"


PLATFORMS = (Platform("ilias", "ILIAS", Lists({"id": ("kennung",)}), read_name, page_name),)
"""
# What the task asks with them, before its other checks.
PROBES = """
        Probe("boxed", "a box", {"signal": SIGNALS[0], "kernel": Specimen("box", {"width": 3})}),
        Probe(
            "turned",
            "a signal and its negative",
            {"signal": SIGNALS[0], "kernel": torch.tensor([1.0, 0.5, 2.0])},
            observe="upside-down",
        ),"""
CHECK = 'Check("a box, and a signal upside down", 2, ("boxed", "turned")), '
THREE = 'Check("a kernel of three"'
UPSIDE_DOWN = "A signal upside down does not come out upside down"
CUT_OFF = "def convolve(signal, kernel):\n    return (signal.unfold(0, len(kernel), 1) @ kernel).relu()"
LOUD = "def convolve(signal, kernel):\n    return 77 * (signal.unfold(0, len(kernel), 1) @ kernel) ** 2"


def edited(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    """The template course with its additions, built."""
    folder = tmp_path_factory.mktemp("adds") / "course"
    shutil.copytree(TEMPLATE, folder)
    (folder / "source" / "signals.py").write_text(SIGNALS, encoding="utf-8")
    (folder / "source" / "ilias.py").write_text(ILIAS, encoding="utf-8")
    edited(folder / "course.toml", ('bank = "bank"\n', f'bank = "bank"\n{ADDS}'))
    edited(
        folder / "source" / LESSON / "tasks.py",
        ("Probe, Task, rights", "Probe, Specimen, Task, rights"),
        ('    needs=("by-hand",),\n    probes=(', f'    needs=("by-hand",),\n    probes=({PROBES}'),
        (
            'checks=(Check("a kernel of three"',
            f'properties=("quiet",),\n    checks=({CHECK}Check("a kernel of three"',
        ),
    )
    lesson = folder / "source" / LESSON / f"{LESSON}.py"
    edited(lesson, ('check="convolve" points=2', 'check="convolve" points=4'))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(secret.OWN_FOLDER, str(folder.parent / "secret"))
        build(Course.read(folder), LESSON)
        yield Course.read(folder)


def test_a_check_puts_them_to_use_and_says_their_words(course, monkeypatch):
    monkeypatch.chdir(course.root)
    space: dict[str, object] = {}
    exec(f"import torch\n{CUT_OFF}", space)
    assert UPSIDE_DOWN in repr(check("convolve", space["convolve"]))
    exec(LOUD, space)
    assert "Entry [0] (position 0) is too loud on a box." in repr(check("convolve", space["convolve"]))


def test_the_sandbox_has_them_and_so_do_hidden_questions(course, walls, tmp_path):
    course_folder = Path(shutil.copytree(course.root, tmp_path / "course"))
    secret.make(Course.read(course_folder), LESSON)
    release = nbformat.read(course_folder / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    answers = Class(course_folder).solution(LESSON)
    for student, convolve in (("amy", answers["convolve-answer"]), ("bob", CUT_OFF)):
        for cell in release.cells:
            cell.source = {**answers, "convolve-answer": convolve}.get(cell["id"], cell.source)
        folder = course_folder / "submitted" / student / LESSON
        folder.mkdir(parents=True)
        nbformat.write(release, folder / f"{LESSON}.ipynb")
    output = run("grade", "--course", course_folder)
    assert "2 submissions graded." in output
    assert output.count("Memory and processes of each run are") == 1
    with opened(Class(course_folder).database) as store:
        results = {item.student: item for item in store.read(TaskResult) if item.task == "convolve"}
    assert (results["amy"].points, results["amy"].possible) == (4.0, 4.0)
    assert results["bob"].points < 4.0
    assert UPSIDE_DOWN in results["bob"].says


def test_students_get_what_checks_need_and_not_what_the_instructor_adds(course, tmp_path):
    run("bundle", "01", "--out", tmp_path / "bundle", "--course", course.root)
    names = [
        name for wheel in (tmp_path / "bundle").glob("*.whl") for name in zipfile.ZipFile(wheel).namelist()
    ]
    assert [name for name in names if name.endswith("signals.py")]
    assert not [name for name in names if name.endswith("ilias.py")]


def test_a_class_is_collected_and_served_through_the_courses_own_platform(course, tmp_path):
    folder = Path(shutil.copytree(course.root, tmp_path / "course"))
    (tmp_path / "list.csv").write_text("Kennung;Name\nama;Ada Mann\n", encoding="utf-8")
    assert "1 new" in run("roster", tmp_path / "list.csv", "--course", folder)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(folder / "notebooks" / LESSON / f"{LESSON}.ipynb", f"ilias_ama/{LESSON}.ipynb")
    assert "Ada Mann (ama), 01-convolution: new" in run("collect", tmp_path / "all.zip", "--course", folder)
    page = folder / "feedback" / "ama" / LESSON / f"{LESSON}.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>Well done.</p>", encoding="utf-8")
    target = tmp_path / "back.zip"
    run("return", "01", "--platform", "ilias", "--out", target, "--course", folder)
    assert zipfile.ZipFile(target).namelist() == ["ilias_ama/feedback.html"]


def test_nothing_of_a_course_stays_for_the_next_one(course, tmp_path):
    (tmp_path / "course.toml").write_text((TEMPLATE / "course.toml").read_text(encoding="utf-8"))
    registry.use(course)
    with_it = (
        "upside-down" in registry.EXPERIMENTS,
        "quiet" in registry.PROPERTIES,
        "box" in registry.SPECIMENS,
    )
    registry.use(Course.read(tmp_path))
    without = (
        "upside-down" in registry.EXPERIMENTS,
        "quiet" in registry.PROPERTIES,
        "box" in registry.SPECIMENS,
    )
    assert (with_it, without) == ((True, True, True), (False, False, False))


def test_a_course_says_in_words_of_its_own_what_the_tool_shows(tmp_path, pairs):
    described = (TEMPLATE / "course.toml").read_text(encoding="utf-8")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "course.toml").write_text(described + '\n[adds]\nexperiments = "more.py"\n')
    (tmp_path / "own" / "more.py").write_text(
        "SAYS = {'symmetric': {'': ('{place} is no mirror image{where}.',)}, "
        "'not-finite': {'inf': ('Too far.',)}}"
    )
    (tmp_path / "course.toml").write_text(described)
    output = {}
    for folder in (tmp_path / "own", tmp_path):
        registry.use(Course.read(folder))
        output[folder.name] = (
            word(BrokenProperty("symmetric", (0, 1), 0.5, probe="three"), pairs).headline,
            word(NotFinite(math.inf, (0, 1), 1, probe="three"), pairs).details,
        )
    assert output == {
        "own": ("Entry [0, 1] (query 0, key 1) is no mirror image on three tokens.", ("Too far.",)),
        tmp_path.name: (
            "Entry [0, 1] (query 0, key 1) differs from entry [1, 0] on three tokens.",
            ("inf comes from dividing by zero or from exp() of a large number, or was put there.",),
        ),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SPECIMENS = {'mixing': None}", "the tool itself has mixing"),
        ("SAYS = {'symmetric': {'row': ('Row.',)}}", "nobody else says what SAYS has for symmetric, 'row'"),
        ("1 / 0", "ZeroDivisionError"),
        (None, "cannot be read"),
    ],
)
def test_what_cannot_be_added_is_refused_with_the_reason(tmp_path, text, says):
    described = (TEMPLATE / "course.toml").read_text(encoding="utf-8")
    (tmp_path / "course.toml").write_text(described + '\n[adds]\nexperiments = "more.py"\n')
    if text is not None:
        (tmp_path / "more.py").write_text(text)
    with pytest.raises(AuthoringError, match=says):
        registry.use(Course.read(tmp_path))


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli.app, [*map(str, arguments)])
    assert result.exit_code == 0, (result.output, result.exception)
    return " ".join(result.output.split())
