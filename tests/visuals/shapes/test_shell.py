"""In a real IPython shell: names and lines from cells, and the record above a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[3]
CLASS = """import torch
from torch import nn
from visuals import track_shapes

class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_key = nn.Linear(3, 8)

    def forward(self, x):
        keys = self.W_key(x)
        keys = keys.view(5, 7, 2, 4)  # (b, tokens, heads, head_dim)
        return keys.transpose(1, 2)
"""
TRACKED = """t = track_shapes(Heads(), b=5, tokens=7, heads=2, head_dim=4)
output = t(torch.ones(5, 7, 3))
t"""
WITH = """%matplotlib inline
with track_shapes(b=5) as t:
    scores = (torch.ones(5, 2)
              .mT)
t"""
FAILING = """with track_shapes() as t:
    scores = torch.ones(2, 3) @ torch.ones(2, 3)"""


@pytest.fixture(scope="module")
def notebook():
    cells = [nbformat.v4.new_code_cell(source) for source in (CLASS, TRACKED, WITH, FAILING)]
    result = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(
        result, timeout=120, allow_errors=True, resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    return result


def shown(cell):
    return next(output["data"] for output in cell.outputs if "data" in output)


def test_lines_and_names_of_a_class_from_another_cell_are_found(notebook):
    text = shown(notebook.cells[1])["text/plain"]
    assert "Heads.forward, line 11: keys = self.W_key(x)" in text
    assert "Heads.forward, line 12: keys = keys.view(5, 7, 2, 4)\n" in text
    assert "view of keys (5, 7, 8) -> keys (5, 7, 2, 4) = (b, tokens, heads, head_dim)" in text


def test_lines_are_counted_from_the_top_of_the_cell(notebook):
    text = shown(notebook.cells[2])["text/plain"]
    assert "line 3: scores = (torch.ones(5, 2) .mT)" in text
    assert "mT of row 1 (5, 2) -> scores (2, 5)" in text


def test_a_failing_cell_shows_the_record_above_its_traceback(notebook):
    table, error = notebook.cells[3].outputs
    assert "@ of row 1 (2, 3), row 2 (2, 3) FAILED: RuntimeError" in table["data"]["text/plain"]
    assert error["ename"] == "RuntimeError"
    assert "visuals" not in "".join(error["traceback"])


def test_outside_a_notebook_nothing_is_printed():
    code = (
        "import torch; from visuals import track_shapes\n"
        "try:\n    with track_shapes() as t: torch.ones(2) @ torch.ones(3)\n"
        "except RuntimeError: print(len(t.rows))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert (json.loads(done.stdout), done.stderr) == (3, "")
