"""Reading a lesson's source: cells keep their ids, and what each cell is for can be told."""

from __future__ import annotations

import json

import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.author.percent_format import raw_cells
from autograder.records.cell_roles import is_answer, is_given, is_test

IDS = ["title", "setup", "example-data", "share-answer", "share", "row-sums-answer", "row-sums", "shown"]


@pytest.fixture
def notebook(tmp_path, source_text):
    path = tmp_path / "lesson.py"
    path.write_text(source_text, encoding="utf-8")
    return read_source(path)


def ids_where(notebook, test):
    return [cell["id"] for cell in notebook.cells if test(cell)]


def test_every_cell_has_the_id_from_its_header(notebook):
    assert [cell["id"] for cell in notebook.cells] == IDS


def test_a_cell_without_an_id_has_an_empty_one(tmp_path):
    path = tmp_path / "lesson.py"
    path.write_text("# %%\nx = 1\n")
    assert [cell["id"] for cell in read_source(path).cells] == [""]


def test_the_notebook_is_valid_and_reads_the_same_every_time(notebook, tmp_path):
    nbformat.validate(notebook)
    assert read_source(tmp_path / "lesson.py") == notebook


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (
            'answer="share"',
            '"cell_type": "code", "grade": false, "grade_id": "share-answer", "locked": false, '
            '"schema_version": 3, "solution": true, "task": false',
        ),
        (
            'check="share" points=3',
            '"cell_type": "code", "grade": true, "grade_id": "share", "locked": true, '
            '"points": 3, "schema_version": 3, "solution": false, "task": false',
        ),
        (
            '[markdown] answer="why" points=2',
            '"cell_type": "markdown", "grade": true, "grade_id": "why", "locked": false, '
            '"points": 2, "schema_version": 3, "solution": true, "task": false',
        ),
    ],
)
def test_a_short_header_and_nbgraders_own_make_the_same_cell(tmp_path, header, expected):
    prose = "[markdown] " if header.startswith("[markdown]") else ""
    path = tmp_path / "lesson.py"
    path.write_text(f"# %% {header}\n# text\n", encoding="utf-8")
    actual = read_source(path)
    path.write_text(f"# %% {prose}nbgrader={{{expected}}}\n# text\n", encoding="utf-8")
    assert actual == read_source(path)
    assert json.dumps(actual.cells[0].metadata, sort_keys=True) == f'{{"nbgrader": {{{expected}}}}}'


def test_answers_tests_and_givens_are_known_by_their_metadata(notebook):
    assert ids_where(notebook, is_answer) == ["share-answer", "row-sums-answer"]
    assert ids_where(notebook, is_test) == ["share", "row-sums"]
    assert ids_where(notebook, is_given) == ["example-data"]


def test_an_answer_that_a_person_grades_is_no_test(notebook):
    cell = notebook.cells[3]
    cell.metadata.nbgrader["grade"] = True
    assert is_answer(cell)
    assert not is_test(cell)


def test_raw_cells_know_their_lines_and_what_they_claim_to_be(source_text):
    cells = raw_cells(source_text)
    lines = source_text.splitlines()
    assert len(cells) == len(IDS)
    assert [lines[cell.line - 1].startswith("# %%") for cell in cells] == [True] * len(IDS)
    assert [cell.is_prose for cell in cells] == [True] + [False] * 7
    assert cells[0].body[:1] == ("# # A tiny lesson",)


def test_text_before_the_first_cell_belongs_to_no_raw_cell():
    assert raw_cells("x = 1\n# %% id='a'\ny = 2\n")[0].body == ("y = 2",)
    assert raw_cells("x = 1\n") == []


FOLDED = [
    ("import math\nfrom json import loads\n\nmath.gcd(2, 4)", True),
    ("predict('two', 'Which?', ('this', 'that'))", True),
    ("came = 1 + 1\nreveal('two', came)", True),
    ("import math\nTOKENS = ['Your', 'journey']", False),
    ("predict('two', 'Which?')\nshare = 2", False),
    ("reveal('two', 2)\nshare = 2", False),
    ("print('a figure')", False),
]


@pytest.mark.parametrize(("code", "folded"), FOLDED)
def test_what_only_imports_asks_or_reveals_is_folded(tmp_path, code, folded):
    path = tmp_path / "lesson.py"
    path.write_text(f'# %% id="one"\n{code}\n')
    metadata = read_source(path).cells[0].metadata
    assert metadata == ({"jupyter": {"source_hidden": True}, "cellView": "form"} if folded else {})
