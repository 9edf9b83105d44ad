"""The rebuilding of a submission: its answers are put into a new copy of the release.

Nothing else that a submission lost, duplicated, retagged or changed can matter, because only the learner's
text is kept. It runs in the order of the submission, by these rules:

- All parts of an answer that were changed run, the last of them in the answer's own cell. Parts that are
  still as released never run beside changed ones.
- Parts that were moved out of the release's order take the answer's place if nothing else is there.
- If an answer is missing and another cell of the learner's defines its names, that cell counts: the answer
  was merged into it, or has lost its metadata.
- Text that the learner wrote around the course's text in a course's cell runs there. A course's cell whose
  own text was changed is replaced by the release's.
"""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from torch import Tensor

from autograder.grading.classify_cells import (
    ClassifiedCell,
    binds,
    classify_cells,
    defines,
    in_order,
    is_untouched,
)
from autograder.grading.read_submission import NOT_READ, NOTES_CELL, UNREADABLE
from autograder.records.bank import Value
from autograder.records.cell_roles import ADDED, PART_OF, copied, is_answer, is_given, is_test, undrawn
from autograder.records.parse_cells import changed_in, names_of, words_of
from autograder.records.run_outcome import dtype_name
from autograder.words.language import LazyMessage, _
from autograder.words.sanitize import one_line

MAX_ADDED_CELLS = 500
# Longer than any answer, and short enough to be shown: what renders a cell may take the square of its length.
MAX_TEXT, MAX_ADDED_TEXT = 40_000, 1_000_000
MISSING = "# This cell was missing from the submission."


@dataclass
class Rebuilt:
    """A rebuilt submission; `notes` describe the repairs, for the person who grades."""

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list)


def rebuild(release: NotebookNode, submission: NotebookNode) -> Rebuilt:
    """Return a copy of the release that takes only answers and added code cells from the submission."""
    pieces = classify_cells(release, submission)
    notes: list[str] = []
    answers = {cell["id"]: _parts(cell, pieces) for cell in release.cells if is_answer(cell)}
    order = _Order(release, pieces, answers)
    there = {piece.name for piece in pieces}
    notebook = copied(release)
    for cell in notebook.cells:
        name = cell["id"]
        if name not in answers:
            continue
        if name not in there:
            notes.append(LazyMessage("the cell {name} was missing", name=name))
            cell.source = order.instead_of(cell)
            continue
        text = order.answer(cell)
        cell.source = text[:MAX_TEXT]
        if len(text) > MAX_TEXT:
            notes.append(
                LazyMessage(
                    "the cell {name} holds {number} characters; only {most} were kept",
                    name=name,
                    number=len(text),
                    most=MAX_TEXT,
                )
            )
        times = sum(piece.name == name for piece in pieces)
        if times > 1:
            notes.append(LazyMessage("the cell {name} was there {times} times", name=name, times=times))
    notebook.cells = [own_or_ours for cell in notebook.cells for own_or_ours in order.around(cell)]
    notes = [*order.notes, *notes]
    missing = sorted({cell["id"] for cell in release.cells} - there - set(answers))
    if missing:
        names = ", ".join(missing[:10])
        notes.append(LazyMessage("course cells were missing and were put back: {names}", names=names))
    about = submission.get("metadata")
    if isinstance(about, dict) and (reason := about.get(UNREADABLE)):
        notes = [f"{NOT_READ}: {reason}. Every task counts as not answered."]
        notebook.metadata[UNREADABLE] = reason
    return Rebuilt(notebook, notes)


def _parts(stub: NotebookNode, pieces: Sequence[ClassifiedCell]) -> list[int]:
    """Return which pieces are parts of an answer that somebody worked on."""
    is_code = stub.cell_type == "code"
    positions = [at for at, piece in enumerate(pieces) if piece.name == stub["id"]]
    if len(positions) == 1:  # as almost always, and to compare takes longer than all else here
        return positions
    worked_on = [at for at in positions if not is_untouched(stub.source, pieces[at].text, is_code)]
    # An attempt that was put aside as prose counts where there is no other.
    as_code = [at for at in worked_on if pieces[at].is_code]
    return as_code if is_code and as_code else worked_on


class _Order:
    """Where each of the learner's texts runs.

    Args:
        release: the course's cells.
        pieces: the submission's.
        answers: for each answer's cell, which pieces hold work on it.
    """

    def __init__(
        self, release: NotebookNode, pieces: Sequence[ClassifiedCell], answers: Mapping[str, Sequence[int]]
    ) -> None:
        self.notes: list[str] = []
        self._pieces, self._answers = pieces, answers
        self._number = {cell["id"]: at for at, cell in enumerate(release.cells)}
        self._in_order = in_order(release, pieces)
        self._last: dict[str, int] = {}  # by answer, the part that stands in its cell
        for name, parts in answers.items():
            in_place = [at for at in parts if at in self._in_order]
            if parts:
                self._last[name] = (in_place or parts)[-1]
        self._before: dict[str, list[NotebookNode]] = {}
        self._after: dict[str, list[NotebookNode]] = {}
        self._count = self._written = 0
        self._run_where_they_stand(release)
        if self._written > MAX_ADDED_TEXT:
            number = self._written
            self.notes.append(
                LazyMessage(
                    "{number} characters were added in cells; none of these cells was run", number=number
                )
            )
            self._before, self._after = {}, {}
        if self._count > MAX_ADDED_CELLS:
            number = self._count
            self.notes.append(
                LazyMessage(
                    "{number} cells were added; only the first {most} were run",
                    number=number,
                    most=MAX_ADDED_CELLS,
                )
            )

    def _run_where_they_stand(self, release: NotebookNode) -> None:
        written = {cell["id"] for cell in release.cells if cell.cell_type != "code"}
        anchor = ""  # the last course cell seen that stands in order: what follows stays after it
        for at, piece in enumerate(self._pieces):
            parts = self._answers.get(piece.name)
            if at in self._in_order:
                anchor = piece.name
            if not piece.name and piece.is_code:
                self._add(anchor, at, piece.text)
            elif parts and at in parts and piece.name not in written and self._runs_apart(at, piece, anchor):
                self._add(anchor, at, piece.text, piece.name)

    def _runs_apart(self, at: int, piece: ClassifiedCell, anchor: str) -> bool:
        """Tell whether a part of an answer runs in a cell of its own, where it stands."""
        if at != self._last[piece.name]:
            return piece.text != self._pieces[self._last[piece.name]].text
        # One that was moved up also runs there: what stands between may need it.
        moved = at not in self._in_order
        return moved and self._number.get(anchor, -1) < self._number[piece.name]

    def _add(self, anchor: str, at: int, text: str, answer: str = "") -> None:
        if not text.strip():
            return
        if self._count < MAX_ADDED_CELLS:
            cell = new_code_cell(text[:MAX_TEXT])
            cell["id"] = f"{ADDED}{self._count}"
            if answer:
                cell.metadata[PART_OF] = answer
            self._written += len(cell.source)
            # Between the parts of an answer, its own cell comes with the last of them.
            side = self._before if at < self._last.get(anchor, -1) else self._after
            side.setdefault(anchor, []).append(cell)
        self._count += 1

    def answer(self, stub: NotebookNode) -> str:
        """Return the text of an answer's cell."""
        name = stub["id"]
        parts = self._answers[name]
        if stub.cell_type != "code" and parts:
            written = "\n\n".join(self._pieces[at].text for at in parts)
            return written if _is_visible(written) else str(stub.source)  # nothing is in one that was emptied
        if parts:
            return self._pieces[self._last[name]].text
        texts = [piece.text for piece in self._pieces if piece.name == name]
        return max(texts, key=lambda text: text.strip() != "" and text.strip() != stub.source.strip())

    def instead_of(self, stub: NotebookNode) -> str:
        """Return the text for an answer's cell that is missing from the submission.

        The answer may be in another cell: one that lost its id and metadata, or one that it was merged into.
        If that cell runs earlier, the stub would overwrite its names, so the stub is left out; otherwise that
        cell's text runs here.
        """
        if stub.cell_type != "code":
            return self._written_nearby(stub) or str(stub.source)
        names, later = defines(stub), ""
        for text, number in self._own_texts():
            if binds(text, names):
                if number < self._number[stub["id"]]:
                    return MISSING
                later = later or text
        return later or str(stub.source)

    def _own_texts(self) -> Iterator[tuple[str, int]]:
        """Yield the learner's code, each with the number of the course's cell that it runs with or after."""
        for side in (self._before, self._after):
            for anchor, cells in side.items():
                for cell in cells:
                    yield cell.source, self._number.get(anchor, -1)
        for name, at in self._last.items():
            yield self._pieces[at].text, self._number[name]

    def _written_nearby(self, stub: NotebookNode) -> str:
        """Return prose of the learner's that stands where a written answer is missing."""
        number = self._number[stub["id"]]
        following = len(self._number)
        texts: list[str] = []
        for at in range(len(self._pieces) - 1, -1, -1):
            piece = self._pieces[at]
            if at in self._in_order:
                following = self._number[piece.name]
                if following < number:
                    break
            elif following > number and not piece.is_code and not piece.name:
                texts.insert(0, piece.text)
        return "\n\n".join(filter(None, texts))

    def around(self, cell: NotebookNode) -> list[NotebookNode]:
        """Return a course's cell, with the learner's own text before and after it."""
        name = cell["id"]
        first = [] if self._number[name] else self._after.get("", [])
        return [*first, *self._before.get(name, []), cell, *self._after.get(name, [])]


def _is_visible(text: str) -> bool:
    """Tell whether a text holds more than spaces and signs that are not shown."""
    return any(unicodedata.category(char)[0] not in "ZC" for char in text)


def solved(release: NotebookNode, solution: Mapping[str, str]) -> NotebookNode:
    """Return a copy of the release with the course's own answers, given by cell id, and without figures."""
    copy = undrawn(release)
    for cell in copy.cells:
        cell.source = solution.get(cell["id"], cell.source)
    return copy


def up_to_the_last(notebook: NotebookNode, tasks: Collection[str]) -> NotebookNode:
    """Return a copy of the notebook with the checks of some tasks only, which ends after the last of them."""
    cells = [cell for cell in notebook.cells if not is_test(cell) or cell["id"] in tasks]
    while cells and cells[-1]["id"] not in tasks:
        cells.pop()
    return copied(notebook, cells)


def only_needed(notebook: NotebookNode, names: Collection[str] = ()) -> NotebookNode:
    """Return a copy of the notebook in which course cells are empty if no later cell needs their names.

    Cells that define one of `names` stay, because the checks may need them. Most of the others only display
    something. The text does not tell whether a call changes one of its arguments, so the caller must first
    verify that the checks find the same without these cells.
    """
    copy = copied(notebook)
    needed = frozenset(names)
    for cell in reversed([cell for cell in copy.cells if cell.cell_type == "code"]):
        bound, used = names_of(cell.source)
        if is_answer(cell) or cell["id"].startswith(ADDED):
            needed |= words_of(cell.source)  # a name may stand in a magic or in a text there
        elif is_given(cell) or is_test(cell) or needed & (bound | changed_in(cell.source)):
            needed = needed - bound | used
        else:
            cell.source = ""
    return copy


def with_givens(notebook: NotebookNode, givens: Mapping[str, Value]) -> NotebookNode:
    """Return the notebook with its example data replaced, right after each cell that defines some."""
    copy = copied(notebook)
    lines = "\n".join(f"{name} = {_literal(value)}" for name, value in givens.items())
    # After each of them, because what a course cell computes between two of them is to follow as well.
    for cell in copy.cells:
        if is_given(cell):
            cell.source += "\n" + lines
    return copy


def with_explanation(notebook: NotebookNode, lines: Iterable[str]) -> None:
    """Insert a note for the reader at the top of a graded notebook."""
    # A line may quote what the submission says of itself.
    text = "\n".join(f"- {html.escape(one_line(_(line)), quote=False)}" for line in lines)
    head = _("Notes from grading")
    note = new_markdown_cell(f"**{head}**\n\n{text}")
    note["id"] = NOTES_CELL
    notebook.cells.insert(0, note)


def _literal(value: Value) -> str:
    """Python source that makes a given anew, exactly."""
    if isinstance(value, Tensor):
        # The learner may have given the name `torch` to something else, and repr() writes inf and nan bare.
        torch = "__import__('torch')"
        numbers = ", ".join(_number(number) for number in value.flatten().tolist())
        dtype = f"{torch}.{dtype_name(value.dtype)}"
        return f"{torch}.tensor([{numbers}], dtype={dtype}).reshape({tuple(value.shape)})"
    return repr(value)


def _number(value: float | bool) -> str:
    return repr(value) if math.isfinite(value) else f"float('{value}')"
