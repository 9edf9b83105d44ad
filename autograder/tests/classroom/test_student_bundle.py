"""The bundle: nothing in it that students must not have, and everything that a check needs."""

import errno
import shlex
import zipfile
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from autograder.author.authoring import load_lesson
from autograder.author.parse_source import read_source
from autograder.author.solution_runs import run_solution
from autograder.classroom import bundle_wheels as wheels_module
from autograder.classroom.bundle_wheels import CannotBundle, for_students
from autograder.classroom.student_bundle import SETUP, bundle
from autograder.grading.evasion_lint import hiding
from autograder.judge.decide import judge
from autograder.records.course import NAMED, PACKED, Course
from autograder.words.feedback_card import Feedback
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename
from packaging.version import Version
from support.bundles import opened_wheels, unpacked, wheels_in
from support.class_course import LESSON, NAME, OTHER, class_folder

BANK = "signals_course"


@pytest.fixture(scope="module")
def folder(class_course, tmp_path_factory):
    return unpacked(class_course, LESSON, tmp_path_factory)


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
    notebooks = {f"notebooks/{place}{LESSON}/{LESSON}.ipynb" for place in ("", "bn/")}
    assert there == {"README.md", "course.toml", *names, *notebooks}
    assert "Python 3.11 to below 3.15" in (folder / "README.md").read_text()
    tool, course = ([Path(name) for name in wheel.namelist()] for wheel in wheels)
    tops = {path.parts[0] for path in tool if not path.parts[0].endswith((".dist-info", ".data"))}
    assert tops == {"autograder"}
    words = {f"bn/{file}.mo" for file in (LESSON, "messages", "shared")}
    bank = {path.relative_to(BANK).as_posix() for path in course if path.is_relative_to(BANK)}
    assert bank == {"course.toml", "source/signals.py", f"{LESSON}.json", f"{LESSON}.safetensors", *words}
    assert {path.parts[0] for path in course if "dist-info" not in path.parts[0]} == {BANK}


def test_the_wheel_of_the_tool_brings_jupyterlab_what_shows_a_lessons_outputs(wheels):
    shared = [name.partition(".data/")[2] for name in wheels[0].namelist() if ".data/" in name]
    place = "data/share/jupyter/labextensions/lesson-autograder"
    assert shared == [
        f"{place}/{file}" for file in ("package.json", "static/extension.js", "static/mount.js")
    ]


def test_no_solution_is_in_the_wheel(class_course, wheel):
    text = " ".join(wheel.read(item).decode("utf-8", "replace") for item in wheel.namelist())
    solutions = [task.hints[-1] for task in load_lesson(class_course.source / LESSON).tasks]
    assert len(solutions) == 3
    assert not [item for item in solutions if item in text]
    assert "redrawn" not in wheel.read(f"{BANK}/{LESSON}.json").decode()


def test_the_bank_for_students_says_the_same_of_known_answers_to_every_task(class_course):
    lesson = load_lesson(class_course.source / LESSON)
    notebook = read_source(class_course.source / LESSON / f"{LESSON}.py")
    runs = run_solution(lesson, notebook, LESSON, families=class_course.forbidden)
    whole = class_course.load(LESSON)
    reduced = for_students(whole)
    for entry in lesson.tasks:
        for wrong in entry.wrong:
            text = runs.changed_answer(entry, wrong.changes)
            evidence = runs.evidence_for(whole.tasks[entry.id], text, whole)
            output = [
                repr(Feedback(task, judge(task, evidence, as_seen=True)))
                for task in (whole.tasks[entry.id], reduced.tasks[entry.id])
            ]
            assert output[0] == output[1]


@pytest.fixture
def first_cell(folder, monkeypatch):
    """Runs a notebook's first code cell in a folder; gives the wheels that it would have installed."""
    notebook = nbformat.read(folder / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert cell["id"] == SETUP
    assert hiding([cell.source]) is None  # and so no submission looks suspicious by it
    monkeypatch.setenv(NAMED, "")  # what the cell sets is taken back

    def run(root):
        ran = []
        shell = type("Shell", (), {"run_line_magic": lambda self, *words: ran.extend(words)})
        monkeypatch.chdir(root)
        exec(cell.source, {"get_ipython": shell})
        assert ran[:1] in ([], ["pip"])
        return [Path(word).name for line in ran[1:] for word in shlex.split(line)[2:]]

    return run


class Installed:
    """What is installed, as the first cell asks for it."""

    def __init__(self, version, origin=None):
        self.version, self.origin = version, origin

    def read_text(self, name):
        return self.origin


def test_the_first_code_cell_says_what_it_misses_and_nothing_while_grading(
    class_course, folder, first_cell, monkeypatch, tmp_path
):
    course_folder = folder / "notebooks" / LESSON
    checkout = Installed("0.1", '{"dir_info":{"editable":true}}')
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: [checkout])
    assert first_cell(course_folder) == []
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: [])
    assert first_cell(course_folder) == list(wheels_in(path.name for path in folder.glob("*.whl")))
    assert first_cell(class_course.root / "notebooks" / LESSON) == []
    with pytest.raises(FileNotFoundError, match=r"Put lesson_autograder-….whl and signals-….whl"):
        first_cell(tmp_path)
    monkeypatch.setenv(PACKED, "questions")
    assert first_cell(tmp_path) == []


@pytest.mark.parametrize(
    ("tool", "course", "wanted"),
    [
        (Installed("0.2.9"), Installed("0.2.9+1"), [0, 1]),
        (Installed("99.0"), Installed("99.0+1"), [1]),  # of the course, what was handed out counts
        (Installed("0.3.0+9"), Installed("0.3.0", '{"dir_info":{"editable":true}}'), [0]),
    ],
)
def test_a_notebook_that_was_worked_in_takes_the_wheels_of_a_later_bundle(
    class_course, first_cell, monkeypatch, tmp_path, tool, course, wanted
):
    result, of_course = wheels_in(bundle(class_course, [LESSON], tmp_path))
    of_tool = "lesson_autograder-0.3.0+10-py3-none-any.whl"
    (tmp_path / result).rename(tmp_path / of_tool)
    wheels = of_tool, of_course
    there = {"lesson_autograder": tool, "signals": course}
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: [there[name]])
    root = tmp_path / "notebooks" / LESSON
    assert first_cell(root) == [wheels[number] for number in wanted]
    there |= {wheel.split("-")[0]: Installed(wheel.split("-")[1]) for wheel in wheels}
    assert first_cell(root) == []


def test_a_later_archive_replaces_nothing_that_a_student_wrote_and_its_checks_are_found(
    class_course, first_cell, monkeypatch, tmp_path
):
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: [])
    folders = []
    for number, lessons in enumerate(([LESSON], [LESSON, OTHER])):
        out = tmp_path / f"{number}.zip"
        bundle(class_course, lessons, out)
        # As `unzip -o` does, and Explorer and Finder where they are told to replace.
        with zipfile.ZipFile(out) as archive:
            archive.extractall(tmp_path / "home")
        folders += [path for path in (tmp_path / "home").iterdir() if path not in folders]
        written = folders[0] / "notebooks" / LESSON / f"{LESSON}.ipynb"
        if not number:
            written.write_text("what a student wrote")
    _, later = folders
    assert written.read_text() == "what a student wrote"
    assert [folder.name.rpartition("-")[0] for folder in folders] == [f"{NAME}-01", f"{NAME}-02"]
    assert first_cell(written.parent) == list(wheels_in(path.name for path in later.glob("*.whl")))


def test_the_same_lessons_give_the_same_wheels_and_others_another_of_the_course(
    class_course, folder, wheels, tmp_path
):
    again = wheels_in(bundle(class_course, [LESSON], tmp_path, hints=1))
    assert [(tmp_path / name).read_bytes() for name in again] == [
        Path(wheel.filename).read_bytes() for wheel in wheels
    ]
    more = wheels_in(bundle(class_course, [LESSON, OTHER], tmp_path, hints=1))
    assert more[0] == again[0]
    assert {path.name for path in tmp_path.glob("*.whl")} == set(more) != set(again)


@pytest.mark.parametrize("version", ["1.0", "0.4.0.dev0", "1.0+mine"])
def test_every_version_of_a_course_gives_wheels_that_installers_accept(class_course, tmp_path, version):
    root = class_folder(class_course, tmp_path / "course", LESSON)
    (root / "pyproject.toml").write_text(f'[project]\nname = "signals"\nversion = "{version}"\n')
    result = wheels_in(bundle(Course.read(root), [LESSON], tmp_path / "out"))
    (tool, of_tool, *_), (name, of_course, *_) = map(parse_wheel_filename, result)
    assert (tool, name) == ("lesson-autograder", "signals")
    assert of_course > Version(version)
    assert of_tool >= Version(of_tool.public)


def test_the_wheel_takes_the_courses_own_packages_wherever_the_tool_lies(class_course, tmp_path):
    root = class_folder(class_course, tmp_path / "course", LESSON)
    (root / "paper").mkdir()
    (root / "paper" / "__init__.py").write_text("MARK = 1\n")
    (root / "paper" / "figures.json").write_text("{}")
    # What lies hidden there, or leads elsewhere, is nobody's to read.
    (root / "paper" / ".env").write_text("TOKEN=1")
    (root / "paper" / "private.json").symlink_to(tmp_path / "grades.json")
    (tmp_path / "grades.json").write_text("[]")
    (root / ".lab").mkdir()
    (root / ".lab" / ".env").write_text("TOKEN=1")
    (root / ".lab" / "lab.py").write_text("")
    (root / "start.py").write_text("")
    (root / "requirements.lock").write_text(
        "--index-url https://me:secret@packages.example\njupyterlab==4.0\n"
    )
    described = root / "course.toml"
    described.write_text('preload = ["paper"]\n' + described.read_text(encoding="utf-8"), encoding="utf-8")
    result = bundle(Course.read(root), [LESSON], tmp_path / "out")
    with zipfile.ZipFile(tmp_path / "out" / wheels_in(result)[1]) as packed:
        assert packed.read("paper/__init__.py") == b"MARK = 1\n"
        assert [name for name in packed.namelist() if name.startswith("paper/")] == [
            *("paper/__init__.py", "paper/figures.json")
        ]
    assert [name for name in result if name.startswith(".lab")] == [".lab/lab.py"]
    assert (tmp_path / "out" / "requirements.lock").read_text() == "jupyterlab==4.0\n"


@pytest.mark.parametrize("line", ["torch @ https://me:secret@example.org/torch.whl", "https://me:secret@a.b"])
def test_no_password_in_a_lock_goes_to_students_or_onto_a_screen(class_course, tmp_path, line):
    root = class_folder(class_course, tmp_path / "course", LESSON)
    (root / "start.py").write_text("")
    (root / "requirements.lock").write_text(f"# packages\n{line}\n")
    with pytest.raises(CannotBundle, match="line 2") as refused:
        bundle(Course.read(root), [LESSON], tmp_path / "out")
    assert "secret" not in str(refused.value)


def test_a_bundle_that_cannot_be_written_leaves_the_earlier_one(class_course, tmp_path, monkeypatch):
    (tmp_path / "all.zip").write_bytes(b"the earlier one")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "write", full)
    with pytest.raises(OSError, match="No space"):
        bundle(class_course, [LESSON], tmp_path / "all.zip")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [
        ("all.zip", b"the earlier one")
    ]


def test_a_tool_in_development_makes_wheels_that_installers_accept(class_course, tmp_path, monkeypatch):
    version = "0.4.0.dev1+g1a2b3c"
    monkeypatch.setattr(wheels_module, "tool", lambda: SimpleNamespace(version=version))
    needs = wheels_module.project(class_course)["dependencies"][0]
    assert Requirement(needs).specifier.contains(version, prereleases=True)
