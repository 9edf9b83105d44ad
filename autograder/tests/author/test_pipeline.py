"""A whole build of a tiny course: what it makes, what it refuses, and what it finds stale."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from autograder.author import pipeline
from autograder.author.build_record import without_source
from autograder.author.nbgrader_generate import failed_cells, write_notebook
from autograder.author.pipeline import build, stale
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course
from nbformat.v4 import new_code_cell, new_notebook, new_output

NAME = "01-tiny"
NOTEBOOK = f"notebooks/{NAME}/{NAME}.ipynb"
SOLUTION = f"solutions/{NAME}/{NAME}.ipynb"
BANK_IS_STALE = [f"answers/{NAME}.{ending}: differs from its source" for ending in ("json", "safetensors")]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def contents(root: Path) -> dict[str, bytes]:
    """Every file below a folder, but for what Python itself leaves there."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_a_lesson_that_the_course_does_not_name_is_told(course_with):
    course = course_with()
    (course.source / "notes").mkdir()
    assert without_source(course) == []
    shutil.copytree(course.source / NAME, course.source / "02-more")
    assert without_source(course) == ["source/02-more: course.toml does not name it"]


# An executed solution


def executed(*outputs, grade=False):
    cell = new_code_cell("", id="shown", outputs=list(outputs), metadata={"nbgrader": {"grade": grade}})
    return failed_cells(new_notebook(cells=[cell]))


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/svg+xml"])
def test_a_figure_without_alt_text_is_named(kind):
    plain = new_output("display_data", data={kind: "AAAA"})
    blank = new_output("display_data", data={kind: "AAAA"}, metadata={kind: {"alt": " "}})
    described = new_output("display_data", data={kind: "AAAA"}, metadata={kind: {"alt": "A map"}})
    assert executed(plain) == ["cell shown: a figure without alt text"]
    assert executed(blank) == ["cell shown: a figure without alt text"]
    assert executed(described) == []


def test_a_cell_that_failed_is_named_with_its_error():
    error = new_output("error", ename="ValueError", evalue="no", traceback=[])
    assert executed(error) == ["cell shown: ValueError: no"]


def test_a_cell_that_wrote_to_stderr_is_named():
    assert executed(new_output("stream", name="stderr", text="careful\n")) == [
        "cell shown: writes to stderr: careful"
    ]
    assert executed(new_output("stream", name="stdout", text="fine\n")) == []


def test_a_check_that_does_not_pass_on_the_solution_is_named():
    wrong = new_output("execute_result", data={"text/plain": "[not yet] Shares"}, execution_count=1)
    right = new_output("execute_result", data={"text/plain": "[right] Shares"}, execution_count=1)
    assert executed(wrong, grade=True) == ["cell shown: the solution's own check does not pass"]
    assert executed(grade=True) == ["cell shown: the solution's own check does not pass"]
    assert executed(right, grade=True) == []


# A build that stands in for nbgrader's, where only its result matters


@pytest.fixture
def without_nbgrader(monkeypatch):
    """nbgrader's two steps, replaced by the least that they do: stubs, and the source as its own solution."""
    from autograder.author.preprocessors import stub_for

    def generate(course, workplace, lesson, notebook):
        created = nbformat.from_dict(json.loads(json.dumps(notebook)))
        write_notebook(created, workplace / "solutions" / lesson / f"{lesson}.ipynb")
        for cell in created.cells:
            before, mark, rest = cell.source.partition("### BEGIN SOLUTION")
            if mark:
                cell.source = before + stub_for(cell.source) + rest.partition("### END SOLUTION")[2]
        write_notebook(created, workplace / "notebooks" / lesson / f"{lesson}.ipynb")

    monkeypatch.setattr(pipeline, "generate", generate)


@pytest.fixture
def refused(course_with, without_nbgrader):
    """Why a build of the tiny course with some of it replaced stops; the stop must change nothing."""

    def find(source=(), tasks=()):
        course = course_with(source, tasks)
        before = contents(course.root)
        with pytest.raises(AuthoringError) as caught:
            build(course, NAME)
        assert contents(course.root) == before
        return caught.value.problems

    return find


def test_a_release_that_still_holds_the_answer_is_refused(refused):
    actual = refused(source=(("    ### BEGIN SOLUTION\n", ""), ("x.sum()\n    ### END SOLUTION", "x.sum()")))
    assert actual == [f"{NAME}: the untouched release earns 3 points for share"]


def test_a_release_without_the_name_of_a_task_is_refused(refused):
    actual = refused(source=(("row_sums = table", "total = 0\nrow_sums = table"),))
    assert actual == [f"{NAME}: the release has no stub for `row_sums` of row-sums"]


def test_a_release_that_does_not_run_is_refused_with_the_cell(refused):
    actual = refused(source=(("table.max()", "row_sums.max()"),))
    assert len(actual) == 1
    assert actual[0].startswith("cell shown: AttributeError")


def test_what_lint_refuses_stops_a_build(refused):
    actual = refused(source=(('"points": 3', '"points": 2'),))
    assert actual == [f"{NAME}: cell share: has points=2; the checks in tasks.py add up to 3"]


@pytest.mark.parametrize("header", ['check="share" points=3', 'nbgrader={"grade_id": "share"}'])
def test_a_task_that_another_lesson_has_too_is_refused(course_with, header):
    course = course_with()
    other = course.source / "02-other"
    other.mkdir()
    (other / "02-other.py").write_text(f'# %% {header}\ncheck("share")\n', encoding="utf-8")
    description = course.root / "course.toml"
    description.write_text(description.read_text().replace(f'["{NAME}"]', f'["{NAME}", "02-other"]'))
    with pytest.raises(AuthoringError) as refusal:
        build(Course.read(course.root), NAME)
    assert refusal.value.problems == [f"{NAME}: task share: 02-other has a task of this id"]


@pytest.fixture
def current(course_with, without_nbgrader):
    """A course that is built and current."""
    course = course_with()
    build(course, NAME)
    return course


def test_nothing_is_stale_right_after_a_build(current):
    assert stale(current, NAME) == []


def test_looking_for_what_is_stale_changes_nothing(current):
    (current.root / NOTEBOOK).write_text("edited")
    before = contents(current.root)
    stale(current, NAME)
    assert contents(current.root) == before


@pytest.mark.parametrize("file", [NOTEBOOK, SOLUTION])
@pytest.mark.parametrize("text", [None, "edited", ""], ids=str)
def test_a_notebook_that_was_edited_or_deleted_is_stale(current, file, text):
    if text is None:
        (current.root / file).unlink()
    else:
        (current.root / file).write_text(text)
    assert stale(current, NAME) == [f"{file}: differs from its source"]


@pytest.mark.parametrize("text", ["{}", "[]", '{"cells": 5}'])
def test_a_solution_that_is_json_and_no_notebook_is_stale(current, text):
    (current.root / SOLUTION).write_text(text)
    assert stale(current, NAME) == [f"{SOLUTION}: differs from its source"]


@pytest.mark.parametrize("ending", ["json", "safetensors"])
@pytest.mark.parametrize(
    "edit", [b"", None, b"{}", b"\xff"], ids=["emptied", "deleted", "replaced", "damaged"]
)
def test_a_bank_that_was_edited_or_deleted_is_stale(current, ending, edit):
    path = current.bank / f"{NAME}.{ending}"
    path.unlink() if edit is None else path.write_bytes(edit)
    assert stale(current, NAME) == BANK_IS_STALE


def test_one_number_changed_in_the_bank_is_stale(current):
    path = current.bank / f"{NAME}.safetensors"
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 0x20
    path.write_bytes(raw)
    assert stale(current, NAME) == BANK_IS_STALE


def test_one_word_changed_in_the_bank_is_stale(current):
    path = current.bank / f"{NAME}.json"
    path.write_text(path.read_text().replace("Divide by the sum.", "Divide by the mean."))
    assert stale(current, NAME) == BANK_IS_STALE


NOTEBOOKS_ARE_STALE = [f"{file}: differs from its source" for file in (NOTEBOOK, SOLUTION)]
ALL_IS_STALE = [*BANK_IS_STALE, *NOTEBOOKS_ARE_STALE]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({"tasks.py": ("Divide by the sum.", "Divide by the total.")}, BANK_IS_STALE),
        ({"faults.py": ("These are means.", "These are averages.")}, BANK_IS_STALE),
        ({"tasks.py": ("four numbers", "four positive numbers")}, BANK_IS_STALE),
        ({"tasks.py": ("2.0, 4.0, 8.0", "2.01, 4.0, 8.0")}, BANK_IS_STALE),
        ({"tasks.py": ("2.0, 4.0, 8.0", "2.0, 4.0, 8.01")}, BANK_IS_STALE),
        ({"tasks.py": ("len(x)", "(len(x) + 0.002)")}, BANK_IS_STALE),
        ({"tasks.py": ("dim=1 → dim=0", "sum(dim=1) → cumsum(1)[:, 1]")}, BANK_IS_STALE),
        ({f"{NAME}.py": ("Text about it", "Other text")}, NOTEBOOKS_ARE_STALE),
        ({f"{NAME}.py": ("# (rows,)", "# one for each row")}, NOTEBOOKS_ARE_STALE[1:]),
        ({f"{NAME}.py": ("7.0]]", "7.01]]")}, ALL_IS_STALE),
        (
            {f"{NAME}.py": ('"points": 1', '"points": 2'), "tasks.py": ('"each row", 1', '"each row", 2')},
            ALL_IS_STALE,
        ),
    ],
    ids=str,
)
def test_what_an_author_changes_is_stale(current, edits, expected):
    for name, (old, new) in edits.items():
        path = next(current.source.rglob(name))
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    assert stale(current, NAME) == expected


@pytest.mark.parametrize("folder", ["notebooks/00-gone", "solutions/00-gone"])
def test_a_folder_without_a_source_is_told(current, folder):
    assert without_source(current) == []
    (current.root / folder).mkdir()
    assert without_source(current) == [f"{folder}: has no source"]


def test_a_bank_without_a_source_is_told(current):
    (current.bank / "00-gone.json").write_text("{}")
    assert without_source(current) == ["answers/00-gone: has no source"]


@pytest.mark.parametrize("name", ["notes.txt", "data/notes.txt"])
def test_a_file_that_a_build_would_remove_is_stale(current, name):
    path = current.root / "notebooks" / NAME / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    assert stale(current, NAME) == [f"notebooks/{NAME}/{name}: has no source"]
    build(current, NAME)
    assert stale(current, NAME) == []


def test_a_file_in_a_folder_that_a_lesson_makes_is_kept_like_its_notebook(current, monkeypatch):
    generate = pipeline.generate

    def with_data(course, workplace, *given):
        generate(course, workplace, *given)
        for folder in ("notebooks", "solutions"):
            (workplace / folder / NAME / "data").mkdir()
            (workplace / folder / NAME / "data" / "words.txt").write_text("made")

    monkeypatch.setattr(pipeline, "generate", with_data)
    result = [
        f"{folder}/{NAME}/data/words.txt: differs from its source" for folder in ("notebooks", "solutions")
    ]
    assert stale(current, NAME) == result
    build(current, NAME)
    assert stale(current, NAME) == []


def test_a_cell_whose_package_is_not_here_keeps_what_it_printed(course_with, tmp_path):
    course = course_with()
    cell = new_code_cell("print(2)", id="extra", metadata={"tags": ["needs-no_such_package"]})
    cell.outputs = [new_output("stream", name="stdout", text="run where it was installed")]
    folder = f"solutions/{NAME}/{NAME}.ipynb"
    notebook = new_notebook(cells=[cell])
    write_notebook(notebook, course.root / folder)
    cell.outputs = [new_output("stream", name="stdout", text="not installed")]
    write_notebook(notebook, tmp_path / folder)
    pipeline._keep_outputs(course, NAME, tmp_path)
    shown = nbformat.read(tmp_path / folder, as_version=4).cells[0].outputs[0].text
    assert shown == "run where it was installed"
    cell.source = "print(3)"
    write_notebook(notebook, tmp_path / folder)
    with pytest.raises(AuthoringError, match="install no_such_package, and build again"):
        pipeline._keep_outputs(course, NAME, tmp_path)


# Builds with nbgrader and a kernel


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The tiny course, built once with nbgrader and a kernel."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("tiny_course", Path(__file__).with_name("conftest.py"))
    result = module_from_spec(spec)
    spec.loader.exec_module(result)
    course = result.write_course(tmp_path_factory.mktemp("built") / "course")
    build(course, NAME)
    return course


@pytest.fixture
def copied(built, tmp_path):
    """A copy of the built course to do anything with."""
    shutil.copytree(built.root, tmp_path / "copy")
    return Course.read(tmp_path / "copy")


def test_a_build_makes_a_release_a_solution_and_a_bank(built):
    files = {name for name in contents(built.root) if not name.startswith("source")}
    assert files == {
        "course.toml",
        "nbgrader_config.py",
        NOTEBOOK,
        SOLUTION,
        f"answers/{NAME}.json",
        f"answers/{NAME}.safetensors",
    }


def test_the_release_shows_stubs_and_nothing_of_the_answer(built):
    released = nbformat.read(built.root / NOTEBOOK, as_version=4)
    cells = {cell["id"]: cell for cell in released.cells}
    assert cells["share-answer"].source.endswith('"""Shapes: x: (tokens,)."""\n    ...  # your code here')
    assert cells["row-sums-answer"].source == "row_sums = ...  # your code here"
    assert "x / x.sum()" not in (built.root / NOTEBOOK).read_text()
    assert [cell for cell in released.cells if cell.get("outputs")] == []


@pytest.mark.parametrize("name", [NOTEBOOK, SOLUTION])
def test_every_built_notebook_carries_what_the_course_says(built, name):
    assert nbformat.read(built.root / name, as_version=4).metadata.colab == {"generative_ai_disabled": True}


def test_the_solution_is_executed_and_its_checks_pass(built):
    solved = nbformat.read(built.root / SOLUTION, as_version=4)
    cells = {cell["id"]: cell for cell in solved.cells}
    assert cells["share-answer"].source.endswith("    return x / x.sum()")
    assert "[right] Shares of a whole (3 of 3 points)" in cells["share"].outputs[0].data["text/plain"]
    assert cells["shown"].outputs[0].text == "the table's largest number: tensor(7.)\n"


def test_a_rebuild_changes_no_byte(copied):
    before = contents(copied.root)
    build(copied, NAME)
    assert contents(copied.root) == before


def test_a_number_that_was_changed_in_a_printed_result_is_stale(copied):
    path = copied.root / SOLUTION
    path.write_text(path.read_text().replace("tensor(7.)", "tensor(8.)"))
    before = contents(copied.root)
    assert stale(copied, NAME) == [f"{SOLUTION}: differs from its source"]
    assert contents(copied.root) == before


def test_a_figure_without_alt_text_in_an_executed_cell_is_refused(course_with):
    show = (
        f'from base64 import b64decode\n\nfrom IPython.display import Image\n\nImage(b64decode("{PIXEL}"))\n'
    )
    course = course_with(source=(("print(", show + '\n# %% id="more"\nprint('),))
    with pytest.raises(AuthoringError) as caught:
        build(course, NAME)
    assert caught.value.problems == [f"{NAME}: cell shown: a figure without alt text"]
    assert not (course.root / "notebooks").exists()
