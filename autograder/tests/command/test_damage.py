"""Damage in the class's own folders: one sentence names it, and the rest goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from autograder.command import app as cli
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.feedback_page import states
from autograder.grading.graded_results import RECORDS, TaskResult, connected
from sqlalchemy import insert
from support.desk_class import LESSON, answered
from support.handing_in import zipped
from typer.testing import CliRunner

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")

DEEP = "[" * 90_000


def record(kind: str, text: str) -> object:
    """Put a record of a kind among those of the gradebook."""

    def damage(folder: Path) -> None:
        row = {"kind": kind, "lesson": LESSON, "student": "ada", "record": text}
        with graded_results.connected(Class(folder).database) as connection:
            connection.execute(insert(RECORDS), [row])

    return damage


def collected(content: bytes | None) -> object:
    """Put bytes in the place of what archives said; a folder where there are none."""

    def damage(folder: Path) -> None:
        path = folder / "collected" / "record.json"
        path.parent.mkdir()
        path.write_bytes(content) if content is not None else path.mkdir()

    return damage


def policy(text: bytes) -> object:
    return lambda folder: (folder / "class.toml").write_bytes(text)


RECORD, POLICY = "collected/record.json", "class.toml"
# What is damaged, by what; the commands that meet it, the word that names it, and how they end.
DAMAGE = {
    "a result that ends early": (record("TaskResult", "{"), ("report", "similar"), "record", 0),
    "a result of another form": (record("TaskResult", "[]"), ("report", "similar"), "record", 0),
    "a result without a task": (record("TaskResult", "{}"), ("report", "similar"), "record", 0),
    "a result that is nested": (record("TaskResult", DEEP), ("report", "similar"), "record", 0),
    "a change of another form": (record("Change", "5"), ("export",), "", 0),
    "who handed in, cut": (collected(b'{"lessons": '), ("collect", "return"), RECORD, 0),
    "who handed in, a list": (collected(b"[]"), ("collect", "return"), RECORD, 0),
    "who handed in, no text": (collected(b"\xff\xfe\x00"), ("collect", "return"), RECORD, 0),
    "who handed in, nested": (collected(DEEP.encode()), ("collect", "return"), RECORD, 0),
    "who handed in, a folder": (collected(None), ("collect", "return"), RECORD, 0),
    "the class's rules, cut": (policy(b"due = ["), ("similar",), "", 0),
    "the class's rules, where they count": (
        policy(b"due = ["),
        ("grade", "extend", "export", "return", "report"),
        POLICY,
        2,
    ),
    "rules that are no text": (policy(b"\xff\xfe\x00"), ("grade", "extend"), POLICY, 2),
    "a rule that nobody knows": (policy(b"penalty = 1"), ("grade",), POLICY, 2),
    "rules that are nested": (policy(b"due = " + b"[" * 100_000), ("grade",), POLICY, 2),
}
ASKED = {
    "report": ("report", LESSON),
    "similar": ("similar", LESSON),
    "export": ("export", "--xlsx", "OUT/book.xlsx"),
    "collect": ("collect", "OUT/archive.zip"),
    "return": ("return", LESSON, "--folder", "--out", "OUT/returned"),
    "grade": ("grade", LESSON),
    "extend": ("extend", "ada", LESSON, "3d"),
}


@pytest.fixture(scope="module")
def template(class_course, tmp_path_factory):
    course = answered(class_course, tmp_path_factory.mktemp("damaged"))
    course_folder = Path(course.directory.root)
    release = course.release(LESSON).read_bytes()
    with connected(course.database) as connection:
        state = states(connection, LESSON)  # which a page names, to show that it is up to date
    for student in ("ada", "bob"):
        for folder, name, content in (
            ("submitted", f"{LESSON}.ipynb", release),
            (
                "feedback",
                f"{LESSON}.html",
                f'<meta content="{state.get(student, "")}" name="state"/>'.encode(),
            ),
        ):
            path = course_folder / folder / student / LESSON / name
            path.parent.mkdir(parents=True)
            path.write_bytes(content)
    return course_folder


@pytest.fixture
def folder(template, tmp_path):
    return Path(shutil.copytree(template, tmp_path / "course"))


@pytest.mark.parametrize(
    ("kind", "command"), [(kind, item) for kind, (_, commands, *_) in DAMAGE.items() for item in commands]
)
def test_damage_is_named_in_a_sentence_and_the_rest_goes_on(folder, tmp_path, caplog, kind, command):
    damage, _, word, code = DAMAGE[kind]
    damage(folder)
    handed_in = Class(folder).release(LESSON).read_bytes() if kind.startswith("who") else b"{}"
    zipped(tmp_path / "archive.zip", [(f"ada/{LESSON}.ipynb", handed_in)])
    words = [item.replace("OUT", str(tmp_path)) for item in ASKED[command]]
    done = CliRunner().invoke(cli.app, [*words, "--course", str(folder)])
    reported = [*done.output.splitlines(), *(line.getMessage() for line in caplog.records)]
    assert done.exit_code == code, (done.output, done.exception)
    assert bool(word) == any(word in line for line in reported if word)
    assert isinstance(done.exception, SystemExit | None)


def test_without_a_sandbox_nbgrader_refuses_once_and_keeps_what_was_graded(folder, tmp_path):
    graded = [folder / "autograded" / student / LESSON / f"{LESSON}.ipynb" for student in ("ada", "bob")]
    for path in graded:
        path.parent.mkdir(parents=True)
        path.write_text("graded")
    nowhere = {**os.environ, "PATH": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-m", "nbgrader", "autograde", LESSON, "--force"]
    done = subprocess.run(command, cwd=folder, env=nowhere, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert done.stderr.count("Submissions are not run without a sandbox") == 1
    assert [path.read_text() for path in graded] == ["graded", "graded"]


def test_what_was_damaged_is_kept_when_a_new_one_is_written(folder, tmp_path):
    collected(b"{")(folder)
    zipped(tmp_path / "archive.zip", [(f"ada/{LESSON}.ipynb", b"{}")])
    CliRunner().invoke(cli.app, ["collect", str(tmp_path / "archive.zip"), "--course", str(folder)])
    assert (folder / "collected" / "record.json.damaged").read_bytes() == b"{"


def test_all_records_but_the_damaged_are_read(folder):
    with graded_results.opened(Class(folder).database) as store:
        before = store.read(TaskResult)
    record("TaskResult", "{")(folder)
    with graded_results.opened(Class(folder).database) as store:
        assert store.read(TaskResult) == before
