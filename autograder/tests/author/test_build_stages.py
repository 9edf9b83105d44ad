"""An author waits for what a change makes anew, and for nothing else; a build from nothing gives the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from autograder.command.app import app
from autograder.records.course import Course
from support.tiny_course import DESCRIBED, NAME, SOURCE, write_course
from typer.testing import CliRunner

LESSON = f"{NAME}.py"
OUTPUT = ("notebooks", "solutions", "answers")


def build(root: Path, *words: str) -> str:
    done = CliRunner().invoke(app, ["build", *words, "--course", str(root)])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The tiny course, built once by the command."""
    course = write_course(tmp_path_factory.mktemp("stages") / "course")
    assert "tasks tried: all; solutions run: as written" in build(course.root)
    return course


@pytest.fixture
def copied(built, tmp_path):
    """A copy of the built course to do anything with."""
    shutil.copytree(built.root, tmp_path / "copy")
    return Course.read(tmp_path / "copy")


def edit(course: Course, name: str, old: str, new: str) -> None:
    file = next(course.source.rglob(name))
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def results(root: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(root)): file.read_bytes()
        for folder in OUTPUT
        for file in sorted((root / folder).rglob("*"))
        if file.is_file()
    }


CHANGES = {
    "a sentence": ([(LESSON, "Text about it", "Other text")], "none", "none"),
    "a mistake's hint": ([("faults.py", "Divide by {whole}.", "Divide it by {whole}.")], "none", "none"),
    "a task's hint": ([("tasks.py", '("Divide by the sum.",)', '("Divide.",)')], "none", "none"),
    "what a mistake is called": ([("faults.py", "means taken", "means")], "none", "none"),
    "what is said when a task is solved": (
        [("tasks.py", "Shares add up", "They add up")],
        "none",
        "as written",
    ),
    "a cell that no answer reads": ([(LESSON, "largest number", "largest entry")], "none", "as written"),
    "example data": ([(LESSON, "7.0]]", "7.5]]")], "row-sums", "as written"),
    "a wrong answer": ([("tasks.py", "x.sum() → x.max()", "x.sum() → x.min()")], "share", "as written"),
    "a probe": ([("tasks.py", "[1.0, 2.0, 5.0]", "[1.0, 2.0, 6.0]")], "share", "as written"),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("third", range(3))
def test_a_change_makes_anew_what_reads_it_and_nothing_else(copied, tmp_path, third):
    for change in list(CHANGES)[third::3]:
        edits, tried, run = CHANGES[change]
        for name, old, new in edits:
            edit(copied, name, old, new)
        made = build(copied.root)
        assert f"{NAME}: tasks tried: {tried}; solutions run: {run}\n" in made, change
    shutil.copytree(copied.source, tmp_path / "clean" / "source")
    for name in ("course.toml", "nbgrader_config.py"):
        shutil.copy(copied.root / name, tmp_path / "clean")
    build(tmp_path / "clean")
    assert results(copied.root) == results(tmp_path / "clean")


@pytest.mark.slow
def test_a_new_helper_makes_anew_the_task_that_calls_it(copied):
    share = "# %% nbgrader={" + '"cell_type": "code", "grade": false, "grade_id": "share-answer"'
    edit(copied, LESSON, share, HELPER)
    edit(copied, LESSON, "return x / x.sum()", "return x / total(x)")
    edit(copied, "tasks.py", "x.sum() → x", "total(x) → x")
    edit(copied, "tasks.py", "x.sum() → len(x)", "total(x) → len(x)")
    assert "tasks tried: share; solutions run: as written\n" in build(copied.root)
    # The answer's own text stays, and so do the probes: only the helper is another one.
    edit(copied, LESSON, "return x.sum()", "return x.sum() + 0")
    assert "tasks tried: share; solutions run: as written\n" in build(copied.root)


HELPER = """# %% id="helper"
def total(x):
    return x.sum()


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "share-answer\""""


DRAWING = """
# %% id="map"
from IPython.display import display

from drawn_for_a_test import PIXELS

display({"image/png": PIXELS, "text/plain": "a map"}, metadata={"image/png": {"alt": "a map"}}, raw=True)
"""


@pytest.mark.slow
def test_a_picture_that_alone_has_changed_is_shown_anew(tmp_path, monkeypatch):
    course = write_course(tmp_path, SOURCE + DRAWING)
    (tmp_path / "course.toml").write_text(f'preload = ["drawn_for_a_test"]\n{DESCRIBED}', encoding="utf-8")
    package = tmp_path / "drawn_for_a_test" / "__init__.py"
    package.parent.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # of the solution's kernel
    solution = tmp_path / "solutions" / NAME / f"{NAME}.ipynb"
    for pixels in ("AAAA", "BBBB"):
        package.write_text(f'PIXELS = "{pixels}"\n', encoding="utf-8")
        build(course.root)
        assert pixels in solution.read_text(encoding="utf-8")
    # Where the same is read, another machine may draw otherwise.
    solution.write_text(solution.read_text(encoding="utf-8").replace("BBBB", "CCCC"), encoding="utf-8")
    build(course.root)
    assert "CCCC" in solution.read_text(encoding="utf-8")


def test_nothing_is_made_where_nothing_has_changed(copied):
    before = results(copied.root)
    assert build(copied.root).strip() == "1 lesson had not changed."
    assert build(copied.root, "--check").strip() == "1 lesson up to date."
    assert results(copied.root) == before


def test_everything_is_made_anew_where_that_is_asked_for(copied):
    before = results(copied.root)
    assert "tasks tried: all; solutions run: as written" in build(copied.root, "--anew")
    assert results(copied.root) == before


def test_what_was_edited_by_hand_is_made_again(copied):
    before = results(copied.root)
    solution = copied.root / "solutions" / NAME / f"{NAME}.ipynb"
    solution.write_text(
        solution.read_text(encoding="utf-8").replace("tensor(7.)", "tensor(8.)"), encoding="utf-8"
    )
    assert "tasks tried: none; solutions run: as written" in build(copied.root)
    assert results(copied.root) == before
