"""A tiny release, and what a learner may hand in for it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from support.cells import marks


@pytest.fixture
def release() -> NotebookNode:
    """Prose, setup, a given, two tasks with their checks, a figure."""
    return new_notebook(
        cells=[
            new_markdown_cell("# A tiny lesson", id="title"),
            new_code_cell("import torch\nfrom autograder import check", id="setup"),
            new_code_cell("table = torch.tensor([[1.0]])", id="example-data", metadata={"tags": ["given"]}),
            new_code_cell("def share(x):\n    ...", id="share-answer", metadata=marks("share-answer", True)),
            new_code_cell('check("share")', id="share", metadata=marks("share", False, 3)),
            new_code_cell("draw(table)", id="figure", metadata={"tags": ["figure"]}),
            new_code_cell("row_sums = ...", id="row-sums-answer", metadata=marks("row-sums-answer", True)),
            new_code_cell('check("row-sums")', id="row-sums", metadata=marks("row-sums", False, 2)),
            new_code_cell("print(row_sums)", id="shown"),
        ]
    )


@pytest.fixture
def submission(release: NotebookNode) -> NotebookNode:
    """The release with both answers filled in."""
    result = deepcopy(release)
    cells = {cell["id"]: cell for cell in result.cells}
    cells["share-answer"].source = "def share(x):\n    return x / x.sum()"
    cells["row-sums-answer"].source = "row_sums = table.sum(dim=1)"
    return result


@pytest.fixture
def cell_of() -> Callable[[NotebookNode, str], NotebookNode]:
    """The cell of that id."""
    return lambda notebook, name: next(cell for cell in notebook.cells if cell["id"] == name)
