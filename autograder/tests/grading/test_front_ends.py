"""A cell that any front end split, merged, copied or moved loses nothing: its parts run in their order."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import count
from typing import Any

import pytest
import torch
from autograder.grading.rebuild_submission import rebuild, with_givens
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from support.cells import marks

HELPER = "def total(x):\n    return x.sum()"
SHARE = "def share(x):\n    return x / total(x)"
ROWS = "row_sums = table.sum(dim=1)"
STUB = "def share(x):\n    ..."
WRONG = "def share(x):\n    return x"
DATA = torch.tensor([[2.0, 1.0], [5.0, 3.0]])

Change = Callable[[NotebookNode], None]
_ids = count()


@pytest.fixture
def handed_in(submission: NotebookNode) -> NotebookNode:
    """Two right answers; the first needs a helper."""
    at(submission, "share-answer").source = f"{HELPER}\n\n{SHARE}"
    return submission


def at(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if cell["id"] == name)


def place(notebook: NotebookNode, name: str) -> int:
    return notebook.cells.index(at(notebook, name))


def like(cell: NotebookNode, source: str, saved: str = "") -> NotebookNode:
    """A cell with the same marks under a new id, or under one that is kept."""
    result = deepcopy(cell)
    result["id"] = saved or f"{next(_ids):08x}"
    result.source = source
    return result


def plain(source: str, saved: str = "") -> NotebookNode:
    return new_code_cell(source, id=saved or f"{next(_ids):08x}")


def split(*sources: str, how: str, name: str = "share-answer") -> Change:
    """Split an answer's cell as a front end does it."""

    def change(notebook: NotebookNode) -> None:
        cell = at(notebook, name)
        if how == "classic":  # the upper parts get the marks and a new id, the last one keeps both
            parts = [like(cell, item) for item in sources[:-1]] + [like(cell, sources[-1], name)]
        elif how == "JupyterLab":  # all have the marks and new ids
            parts = [like(cell, item) for item in sources]
        elif how == "Colab":  # the same ids and marks
            parts = [like(cell, item, name) for item in sources]
        else:  # VS Code: the first one keeps both, the others have neither
            parts = [like(cell, sources[0], name)] + [plain(item) for item in sources[1:]]
        where = place(notebook, name)
        notebook.cells[where : where + 1] = parts

    return change


def merge(first: str, last: str, like_cell: str, how: str = "JupyterLab") -> Change:
    """Merge all cells from one to another; the merged one has the marks of one of them."""

    def change(notebook: NotebookNode) -> None:
        begin, end = place(notebook, first), place(notebook, last) + 1
        glue, saved = ("\n\n", "") if how == "JupyterLab" else ("\n", like_cell)
        source = glue.join(cell.source for cell in notebook.cells[begin:end])
        notebook.cells[begin:end] = [like(at(notebook, like_cell), source, saved)]

    return change


def copied_to(where: str | int, worked_on: str, left: str = STUB) -> Change:
    """Work in a copy of the cell; something else is left in the original."""

    def change(notebook: NotebookNode) -> None:
        copy = like(at(notebook, "share-answer"), worked_on)
        at(notebook, "share-answer").source = left
        position = place(notebook, where) if isinstance(where, str) else where
        notebook.cells.insert(position, copy)

    return change


def moved(name: str, to: str | int) -> Change:
    def change(notebook: NotebookNode) -> None:
        cell = notebook.cells.pop(place(notebook, name))
        notebook.cells.insert(place(notebook, to) if isinstance(to, str) else to, cell)

    return change


def lost(*keys: str) -> Change:
    """Ids, or ids and metadata, are lost in all cells."""

    def change(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            for key in keys:
                cell[key] = {} if key == "metadata" else None

    return change


def new_ids(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell["id"] = f"{next(_ids):08x}"


def all_of(*changes: Change) -> Change:
    def change(notebook: NotebookNode) -> None:
        for item in changes:
            item(notebook)

    return change


def set_aside(notebook: NotebookNode) -> None:
    """An older attempt stays below as raw text."""
    old = like(at(notebook, "share-answer"), WRONG)
    old.cell_type = "raw"
    notebook.cells.insert(place(notebook, "share"), old)


def typed_into_the_check(notebook: NotebookNode) -> None:
    at(notebook, "share").source = f"{HELPER}\n{SHARE}\n{at(notebook, 'share').source}"
    at(notebook, "share-answer").source = STUB


def helper_between(notebook: NotebookNode) -> None:
    split("share = None", SHARE, how="classic")(notebook)
    notebook.cells.insert(place(notebook, "share-answer"), plain(HELPER))


BOTH = {"share": True, "row-sums": True}
FIRST_WRONG = {"share": False, "row-sums": True}
HOWS = ("classic", "JupyterLab", "Colab", "VS Code")
WHOLE = f"{HELPER}\n{SHARE}"
KINDS: dict[str, tuple[Change, dict[str, bool]]] = {
    **{f"split by {how}": (split(HELPER, SHARE, how=how), BOTH) for how in HOWS},
    **{f"split into four by {how}": (split("a = 1", HELPER, "", SHARE, how=how), BOTH) for how in HOWS},
    **{f"the upper part raises, {how}": (split(f"{HELPER}\n1 / 0", SHARE, how=how), BOTH) for how in HOWS},
    **{f"the lower part is wrong, {how}": (split(WHOLE, WRONG, how=how), FIRST_WRONG) for how in HOWS},
    **{f"the stub stays above, {how}": (split(STUB, WHOLE, how=how), BOTH) for how in HOWS},
    **{
        f"the stub stays below, {how}": (split(WHOLE, f"{STUB}  # to do", how=how), BOTH)
        for how in HOWS
        if how != "VS Code"  # there, it is a cell like any other
    },
    "a cell between two parts": (helper_between, BOTH),
    "split, then all ids are new": (all_of(split(HELPER, SHARE, how="classic"), new_ids), BOTH),
    "split, then no ids": (all_of(split(HELPER, SHARE, how="classic"), lost("id")), BOTH),
    "split, then no marks": (all_of(split(HELPER, SHARE, how="classic"), lost("id", "metadata")), BOTH),
    **{
        f"answer and check merged as the {part}, {how}": (merge("share-answer", "share", part, how), BOTH)
        for part in ("share-answer", "share")
        for how in ("JupyterLab", "VS Code")
    },
    **{
        f"two answers merged as the {part}, {how}": (
            merge("share-answer", "row-sums-answer", part, how),
            BOTH,
        )
        for part in ("share-answer", "share", "figure", "row-sums-answer")
        for how in ("JupyterLab", "VS Code")
    },
    **{
        f"all merged as the {part}": (merge("example-data", "shown", part), BOTH)
        for part in ("example-data", "share-answer", "share", "row-sums-answer", "row-sums", "shown")
    },
    **{
        f"example data and answer merged as the {part}, {how}": (
            merge("example-data", "share-answer", part, how),
            BOTH,
        )
        for part in ("example-data", "share-answer")
        for how in ("JupyterLab", "VS Code")
    },
    "merged, and split elsewhere": (
        all_of(merge("share", "row-sums-answer", "share"), split(HELPER, SHARE, how="JupyterLab")),
        BOTH,
    ),
    "a copy below": (copied_to("share", WHOLE), BOTH),
    "a copy above": (copied_to("share-answer", WHOLE), BOTH),
    "a copy on top": (copied_to(0, WHOLE), BOTH),
    "a copy below its check": (copied_to("figure", WHOLE), BOTH),
    "a copy at the end": (copied_to(99, WHOLE), BOTH),
    "a first version, and a better copy below": (copied_to("share", WHOLE, WRONG), BOTH),
    "a first version, and a better copy below its check": (copied_to("figure", WHOLE, WRONG), FIRST_WRONG),
    "a right version, and a worse copy below": (copied_to("share", WRONG, WHOLE), FIRST_WRONG),
    "an untouched copy below": (copied_to("share", STUB, WHOLE), BOTH),
    "an untouched copy with a comment below": (copied_to("share", f"# mine\n{STUB}", WHOLE), BOTH),
    "an untouched copy at the end": (copied_to(99, STUB, WHOLE), BOTH),
    "an attempt put aside as raw text": (set_aside, BOTH),
    "moved below its check": (moved("share-answer", "figure"), BOTH),
    "moved to the end": (moved("share-answer", 99), BOTH),
    "moved to the top": (moved("share-answer", 0), BOTH),
    "the second answer moved to the top": (moved("row-sums-answer", 0), BOTH),
    "a check moved to the top": (moved("share", 0), BOTH),
    "the data moved to the end": (moved("example-data", 99), BOTH),
    "a helper that stands in a later answer, moved up": (
        all_of(
            lambda notebook: at(notebook, "share-answer").update(source=SHARE),
            lambda notebook: at(notebook, "row-sums-answer").update(source=f"{HELPER}\n{ROWS}"),
            moved("row-sums-answer", "share-answer"),
        ),
        BOTH,
    ),
    "the answer is raw text": (lambda notebook: at(notebook, "share-answer").update(cell_type="raw"), BOTH),
    "typed into the check": (typed_into_the_check, BOTH),
    "new ids": (new_ids, BOTH),
    "no ids": (lost("id"), BOTH),
    "no ids and no marks": (lost("id", "metadata"), BOTH),
    "new ids and no marks": (all_of(lost("metadata"), new_ids), BOTH),
}


def ran(notebook: NotebookNode) -> dict[str, bool]:
    """What each check finds while the cells run in order; an error ends its cell alone."""
    actual: dict[str, bool] = {}

    def check(task: str) -> None:
        table = names["table"]
        right = {"share": lambda: names["share"](table.clone()), "row-sums": lambda: names["row_sums"]}
        wanted = {"share": table / table.sum(), "row-sums": table.sum(dim=1)}
        try:
            actual[task] = torch.equal(right[task](), wanted[task])
        except Exception:
            actual[task] = False

    names: dict[str, Any] = {"check": check, "torch": torch, "draw": print}
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell["id"] != "setup":
            try:
                exec(cell.source, names)
            except Exception:
                continue
    return actual


@pytest.mark.parametrize("kind", KINDS)
def test_honest_work_counts_as_if_the_cells_ran_in_their_order(release, handed_in, kind):
    change, expected = KINDS[kind]
    change(handed_in)
    result = rebuild(release, handed_in).notebook
    # What stands in the learner's cells of the example data is drawn anew as well.
    for data in (DATA, 3 * DATA):
        assert ran(with_givens(result, {"table": data})) == expected


@pytest.mark.parametrize("merged", [False, True])
def test_a_written_answer_in_pieces_is_whole(release, merged):
    released = new_markdown_cell("Write here.", id="why", metadata=marks("why", True))
    question = new_markdown_cell("Why is that so?", id="why-question")
    release.cells += [question, released]
    result = deepcopy(release)
    if merged:
        result.cells[-2:] = [new_markdown_cell("Why is that so?\n\nBecause it is.", id="0a1b2c3d")]
    else:
        texts = "Because", "Write here.", "it is."
        result.cells[-1:] = [like(released, text) for text in texts]
    text = rebuild(release, result).notebook.cells[-1].source
    assert text.endswith("Because it is." if merged else "Because\n\nit is.")
    assert "Write here." not in text


def test_what_was_tried_out_in_a_course_cell_changes_nothing(release, handed_in):
    at(handed_in, "example-data").source += "\ntable = table * 2"
    at(handed_in, "share").source = "share = None\ncheck('share')"
    result = rebuild(release, handed_in).notebook
    assert ran(result) == BOTH
    assert [cell["id"] for cell in result.cells] == [cell["id"] for cell in release.cells]
