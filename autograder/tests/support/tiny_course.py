"""A tiny course on disk: one lesson of two tasks, with everything that a build needs."""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

from autograder.records.course import Course
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from support.template import TEMPLATE

NAME = "01-tiny"
CONFIG = TEMPLATE / "nbgrader_config.py"

ANSWER = (
    '"cell_type": "code", "grade": false, "grade_id": "NAME", "locked": false, '
    '"schema_version": 3, "solution": true, "task": false'
)
TEST = (
    '"cell_type": "code", "grade": true, "grade_id": "NAME", "locked": true, '
    '"schema_version": 3, "solution": false, "task": false, "points": POINTS'
)
SOURCE = '''\
# %% [markdown] id="title"
# # A tiny lesson
#
# Text about it.

# %% id="setup"
import torch

from autograder import check

# %% id="example-data" tags=["given"]
table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])

ANSWER share-answer
def share(x):
    """Shapes: x: (tokens,)."""
    ### BEGIN SOLUTION
    return x / x.sum()
    ### END SOLUTION


TEST share 3
check("share")

ANSWER row-sums-answer
### BEGIN SOLUTION
row_sums = table.sum(dim=1)  # (rows,)
### END SOLUTION

TEST row-sums 1
check("row-sums")

# %% id="shown"
print("the table's largest number:", table.max())
'''
SOURCE = re.sub(
    r"(?m)^ANSWER (.*)$", lambda actual: f"# %% nbgrader={{{ANSWER}}}".replace("NAME", actual[1]), SOURCE
)
SOURCE = re.sub(
    r"(?m)^TEST (.*) (\d)$",
    lambda actual: f"# %% nbgrader={{{TEST}}}".replace("NAME", actual[1]).replace("POINTS", actual[2]),
    SOURCE,
)

FAULTS = """\
from autograder.author.authoring import Fault

WORDS = {"whole": "the sum"}
FAULTS = (
    Fault("by-largest", "divided by the largest", "Divide by {whole}."),
    Fault("by-count", "divided by the count", "Divide by {whole}, not by the count.", "01-tiny#title"),
    Fault("columns", "columns summed", "These are the columns."),
    Fault("means", "means taken", "These are means."),
)
"""
TASKS = """\
import torch

from autograder.author.authoring import Check, Lesson, Probe, Task, rights, wrongs

SHARE = Task(
    id="share",
    title="Shares of a whole",
    name="share",
    kind="function",
    signature="share(x)",
    axes=("tokens",),
    input_axes={"x": ("tokens",)},
    probes=(
        Probe("three", "three numbers", {"x": torch.tensor([1.0, 2.0, 5.0])}),
        Probe("four", "four numbers", {"x": torch.tensor([2.0, 2.0, 4.0, 8.0])}),
    ),
    checks=(Check("three numbers", 1, ("three",)), Check("four numbers", 2, ("four",))),
    learned="Shares add up to 1.",
    hints=("Divide by the sum.",),
    demands={"x: (tokens,)": "by-count"},
    properties=("sums-to-one",),
    wrong=wrongs('''
        by-largest: x.sum() → x.max()
        by-count: x.sum() → len(x)
        '''),
    right=rights("double: = x.double() / x.double().sum()"),
)
ROW_SUMS = Task(
    id="row-sums",
    title="The sum of each row",
    name="row_sums",
    kind="tensor",
    signature="row_sums",
    axes=("rows",),
    needs=("share",),
    checks=(Check("each row", 1),),
    learned="A row has one sum.",
    hints=("Sum over axis 1.",),
    wrong=wrongs('''
        columns: dim=1 → dim=0
        means: table.sum → table.mean
        '''),
)
LESSON = Lesson(
    title="01 · A tiny lesson",
    tasks=(SHARE, ROW_SUMS),
    given_axes={"table": ("rows", "columns")},
    redraw=lambda generator: {"table": torch.rand(2, 3, generator=generator)},
)
"""

DESCRIBED = f'name = "tiny"\ntitle = "Tiny"\nlessons = ["{NAME}"]\nbank = "answers"\n'
DESCRIBED += '[entries]\ntoken = ["tokens", "d_in"]\n'
DESCRIBED += "[forbidden.softmax]\ninstead = 'softmax'\nnames = ['\\w*softmax\\w*']\n"
DESCRIBED += "[notebook.colab]\ngenerative_ai_disabled = true\n"

Edit = tuple[str, str]


def edited(text: str, *edits: Edit) -> str:
    """The text with each old part replaced by the new one; every old part has to be there."""
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def write_course(root: Path, source: str = SOURCE, tasks: str = TASKS, faults: str = FAULTS) -> Course:
    folder = root / "source" / NAME
    folder.mkdir(parents=True)
    (folder.parent / "faults.py").write_text(faults, encoding="utf-8")
    (folder / f"{NAME}.py").write_text(source, encoding="utf-8")
    (folder / "tasks.py").write_text(tasks, encoding="utf-8")
    shutil.copyfile(CONFIG, root / CONFIG.name)
    (root / "course.toml").write_text(DESCRIBED, encoding="utf-8")
    return Course.read(root)


def solved(answers: Mapping[str, Callable[..., object] | str]) -> NotebookNode:
    """A lesson's notebook whose answer cells hold these functions and classes, or this text, by task."""
    cells = [new_code_cell("import torch\nfrom torch import nn", id="setup")]
    for task, answer in answers.items():
        text = answer if isinstance(answer, str) else textwrap.dedent(inspect.getsource(answer))
        cells.append(new_code_cell(text, id=f"{task}-answer", metadata={"nbgrader": {"solution": True}}))
    return new_notebook(cells=cells)
