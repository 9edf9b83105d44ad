"""Stubs that say what to make, and solutions that are fit to read."""

from __future__ import annotations

import pytest
from autograder.author.preprocessors import (
    WIDGET_MIME,
    WRONG_KERNEL,
    ExecuteSolution,
    StubSolutions,
    TellWrongKernel,
    TidySolution,
    stub_for,
)
from nbformat.v4 import new_code_cell, new_notebook, new_output

MARKS = {"solution": True, "grade": False, "locked": False}
MARKS |= {"grade_id": "a", "schema_version": 3, "task": False}


def stubbed(source):
    """An answer cell as the learner gets it."""
    cell = new_code_cell(source, metadata={"nbgrader": dict(MARKS)})
    resources = {"language": "python"}
    return StubSolutions().preprocess_cell(cell, resources, 0)[0].source


def region(*lines, indent=""):
    return "\n".join(f"{indent}{line}" for line in ("### BEGIN SOLUTION", *lines, "### END SOLUTION"))


# Stubs


def test_a_tensor_keeps_its_name_in_the_stub():
    assert stubbed(region("row_sums = table.sum(dim=1)")) == "row_sums = ...  # your code here"


def test_the_body_of_a_function_becomes_dots_at_its_own_depth():
    source = 'def share(x):\n    """Shapes."""\n' + region(
        "total = x.sum()", "return x / total", indent="    "
    )
    assert stubbed(source) == 'def share(x):\n    """Shapes."""\n    ...  # your code here'


def test_the_first_name_that_the_solution_assigns_is_kept():
    source = region("# Rows first.", "row_sums = []", "for row in table:", "    row_sums.append(row.sum())")
    assert stubbed(source) == "row_sums = ...  # your code here"


@pytest.mark.parametrize("line", ["a, b = 1, 2", "a.b = 1", "print(1)", "for i in x: pass", "def f(): pass"])
def test_a_solution_that_assigns_no_name_becomes_plain_dots(line):
    assert stub_for(region(line)) == "...  # your code here"


def test_an_indented_solution_that_begins_with_an_empty_line_becomes_plain_dots():
    region = "    ### BEGIN SOLUTION\n\n    total = x.sum()\n    return x / total\n    ### END SOLUTION"
    source = f"def share(x):\n{region}"
    assert stub_for(source) == "...  # your code here"


# Solutions to read


def tidied(*cells):
    notebook = new_notebook(
        cells=list(cells), metadata={"widgets": {}, "language_info": {"name": "python", "version": "3.11.7"}}
    )
    return TidySolution().preprocess(notebook, {})[0]


def test_the_marks_of_a_solution_are_dropped_and_its_lines_kept():
    notebook = tidied(new_code_cell("a = 1\n" + region("b = 2") + "\nc = 3"))
    assert notebook.cells[0].source == "a = 1\nb = 2\nc = 3"


def output(**data):
    return new_output("display_data", data=data, metadata={})


@pytest.mark.parametrize("picture", [{"image/png": "AAAA"}, {"text/html": '<img src="data:," alt="x">'}])
def test_a_widget_with_a_picture_beside_it_leaves_the_picture(picture):
    both = output(**{WIDGET_MIME: {"model_id": "x"}}, **picture)
    notebook = tidied(new_code_cell("", outputs=[both]))
    assert notebook.cells[0].outputs[0].data == picture


def test_a_widget_without_a_picture_stays():
    alone = output(**{WIDGET_MIME: {"model_id": "x"}, "text/plain": "a widget"})
    notebook = tidied(new_code_cell("", outputs=[alone]))
    assert WIDGET_MIME in notebook.cells[0].outputs[0].data


def test_what_differs_between_machines_is_dropped():
    notebook = tidied(new_code_cell(""))
    assert notebook.metadata == {"language_info": {"name": "python"}}


def test_what_a_solutions_cell_prints_is_one_output_however_it_arrives():
    source = "import time\nprint('first', flush=True)\ntime.sleep(0.5)\nprint('second')"
    notebook = new_notebook(cells=[new_code_cell(source)])
    executed, _ = ExecuteSolution().preprocess(notebook, {})
    assert [output.text for output in executed.cells[0].outputs] == ["first\nsecond\n"]


# The first cell


def told(*cells):
    return TellWrongKernel().preprocess(new_notebook(cells=list(cells)), {})[0].cells


def test_the_first_cell_that_imports_the_checks_says_which_kernel_to_choose():
    first, second = told(new_code_cell("1 + 1"), new_code_cell("from autograder import check"))
    assert first.source == "1 + 1"
    assert second.source.startswith("try:\n    import autograder\n")
    assert WRONG_KERNEL in second.source


def test_a_cell_that_nbgrader_guards_stays_as_it_is():
    cell = new_code_cell("from autograder import check", metadata={"nbgrader": dict(MARKS)})
    assert told(cell)[0].source == "from autograder import check"
