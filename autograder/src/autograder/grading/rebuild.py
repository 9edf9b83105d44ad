"""Put a submission's answers into a fresh copy of the release. Rebuild, don't repair.

Whatever else a submission lost, doubled, retagged or changed cannot matter, because nothing else of it is
kept: only the text of the answer cells, and the code cells that the learner added.
"""

from __future__ import annotations

import ast
import html
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from torch import Tensor

from autograder.grading.submission import UNREADABLE
from autograder.records.bank import Value
from autograder.records.cells import ADDED, copied, is_answer, is_given, is_test, undrawn
from autograder.records.outcome import dtype_name
from autograder.records.reading import changed_in, names_of, words_of
from autograder.words.language import Note, _
from autograder.words.visible import one_line

MAX_ADDED_CELLS = 500
# Longer than any answer, and short enough to be shown: what renders a cell may take the square of its length.
MAX_TEXT, MAX_ADDED_TEXT = 40_000, 1_000_000
# Which part of their names two releases' cells with example data have in common, at least.
ALIKE = 0.7
MISSING = "# This cell was missing from the submission."


@dataclass
class Rebuilt:
    """A submission rebuilt; `notes` says what was set right, for the person who reads the grades."""

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list)


def rebuild(release: NotebookNode, submission: NotebookNode) -> Rebuilt:
    """Return the release with the submission's answers and added code cells, and nothing else of it.

    A cell belongs to an answer when its id or its nbgrader grade id says so. Of several such cells the one
    with the right id counts, unless it was left as released and another was not.
    """
    notebook = copied(release)
    course_ids = {cell["id"] for cell in release.cells}
    answers = {cell["id"]: cell for cell in notebook.cells if is_answer(cell)}
    givens = [cell for cell in notebook.cells if is_given(cell)]
    # Colab and notebooks of format 4.4 lose ids: a course cell is then known by its text.
    texts = {cell.source.strip(): cell["id"] for cell in release.cells}
    texts |= _older_givens(givens, submission, course_ids, texts)
    claims: dict[str, list[NotebookNode]] = {name: [] for name in answers}
    added: dict[str, list[NotebookNode]] = {}
    notes: list[str] = []
    seen: set[str] = set()
    place = ""  # the last course cell seen: added cells stay behind it
    count = 0
    for cell in _cells(submission):
        name = _course_id(cell, course_ids) or texts.get(_text(cell).strip())
        if name in claims:
            claims[name].append(cell)
            if name in seen and cell.get("id") != name:
                # A copy: the learner may have worked in it, so it also runs where it stands.
                count = _add(added, place, cell, count)
        elif name is None and cell.get("cell_type") == "code" and _text(cell).strip():
            count = _add(added, place, cell, count)
        if name is not None and name not in seen:  # a copy further down does not move what follows it
            place = name
            seen.add(name)
    written = sum(len(cell.source) for cells in added.values() for cell in cells)
    if written > MAX_ADDED_TEXT:
        notes.append(
            Note("{number} characters were added in cells; none of these cells was run", number=written)
        )
        added = {}
    if count > MAX_ADDED_CELLS:
        notes.append(
            Note(
                "{number} cells were added; only the first {most} were run",
                number=count,
                most=MAX_ADDED_CELLS,
            )
        )
    for name, cell in answers.items():
        chosen = _choose(cell, claims[name])
        if chosen is None:
            notes.append(Note("the cell {name} was missing", name=name))
            nearby = added.get(_last_before(name, release, seen), [])
            if any(defined in words_of(own.source) for defined in _defines(cell) for own in nearby):
                # The answer stands there, in a cell that lost its id and its metadata: the stub would
                # overwrite what that cell defines.
                cell.source = MISSING
        else:
            cell.source = chosen[:MAX_TEXT]
            if len(chosen) > MAX_TEXT:
                notes.append(
                    Note(
                        "the cell {name} holds {number} characters; only {most} were kept",
                        name=name,
                        number=len(chosen),
                        most=MAX_TEXT,
                    )
                )
            if len(claims[name]) > 1:
                times = len(claims[name])
                notes.append(Note("the cell {name} was there {times} times", name=name, times=times))
    missing = sorted(course_ids - seen - set(answers))
    if missing:
        names = ", ".join(missing[:10])
        notes.append(Note("course cells were missing and were put back: {names}", names=names))
    notebook.cells = list(_interleave(notebook.cells, added))
    about = submission.get("metadata")
    if isinstance(about, dict) and (reason := about.get(UNREADABLE)):
        notes = [f"This submission could not be read: {reason}. Every task counts as not answered."]
    return Rebuilt(notebook, notes)


def solved(release: NotebookNode, solution: Mapping[str, str]) -> NotebookNode:
    """Return a copy of the release with the course's own answers, by cell, and without its figures."""
    copy = undrawn(release)
    for cell in copy.cells:
        cell.source = solution.get(cell["id"], cell.source)
    return copy


def up_to_the_last(notebook: NotebookNode, tasks: Collection[str]) -> NotebookNode:
    """Return a copy of the notebook that ends with the last of some tasks' checks, and has no others."""
    cells = [cell for cell in notebook.cells if not is_test(cell) or cell["id"] in tasks]
    while cells and cells[-1]["id"] not in tasks:
        cells.pop()
    return copied(notebook, cells)


def only_needed(notebook: NotebookNode, names: Collection[str] = ()) -> NotebookNode:
    """Return a copy of the notebook in which the course's cells are empty that no later cell needs a name of.

    What defines one of `names` stays, too: the checks may need it. Most of the others only show something.
    That a call changes one of its arguments cannot be told from its text: whoever leaves such cells out has
    to see first that the checks find the same without them.
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
    """Return the notebook with its example data replaced, right after each `given` cell has run."""
    copy = copied(notebook)
    lines = "\n".join(f"{name} = {_literal(value)}" for name, value in givens.items())
    # After each of them, because what a course cell computes between two of them is to follow as well.
    for cell in copy.cells:
        if is_given(cell):
            cell.source += "\n" + lines
    return copy


def with_explanation(notebook: NotebookNode, lines: Iterable[str]) -> None:
    """Put a note for the reader on top of a graded notebook."""
    # A line may quote what the submission says of itself.
    text = "\n".join(f"- {html.escape(one_line(_(line)), quote=False)}" for line in lines)
    head = _("Notes from grading")
    note = new_markdown_cell(f"**{head}**\n\n{text}")
    note["id"] = "grading-notes"
    notebook.cells.insert(0, note)


def _cells(submission: NotebookNode) -> Iterable[NotebookNode]:
    cells = submission.get("cells", [])
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []


def _text(cell: NotebookNode) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    # A lone surrogate is valid in JSON and breaks whatever writes the notebook afterwards.
    if not isinstance(source, str):
        return ""
    return source.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")


def _grade_id(cell: NotebookNode) -> Any:
    metadata = cell.get("metadata", {})
    marks = metadata.get("nbgrader", {}) if isinstance(metadata, dict) else {}
    return marks.get("grade_id") if isinstance(marks, dict) else None


def _course_id(cell: NotebookNode, course_ids: set[str]) -> str | None:
    """Which of the course's cells this is, or None for one that the learner added."""
    for name in (cell.get("id"), _grade_id(cell)):
        if isinstance(name, str) and name in course_ids:
            return name
    return None


def _older_givens(
    givens: Iterable[NotebookNode], submission: NotebookNode, course_ids: set[str], texts: Mapping[str, str]
) -> dict[str, str]:
    """Return example data as an older release had them, under another id or none.

    Their text and their present id.

    Such a cell must not run as the learner's own: it would bring back the older data behind the present ones.
    """
    strange, there = [], set()
    for cell in _cells(submission):
        text = _text(cell).strip()
        name = _course_id(cell, course_ids) or texts.get(text)
        if name is not None:
            there.add(name)
        elif cell.get("cell_type") == "code" and text:
            strange.append(text)
    lost = [cell for cell in givens if cell["id"] not in there]
    return {text: cell["id"] for cell in lost for text in strange if _alike(cell.source, text)}


def _alike(one: str, other: str) -> bool:
    """Tell whether two cells are about the same names."""
    if len(other) > 4 * len(one):  # what a stranger sent is not read for longer than it is worth
        return False
    names, others = (Counter(re.findall(r"[^\W\d]\w*", text)) for text in (one, other))
    total = names.total() + others.total()
    return total > 0 and 2 * (names & others).total() / total > ALIKE


def _choose(released: NotebookNode, claims: list[NotebookNode]) -> str | None:
    """Return the text of the cell that holds the answer; None where there is no such cell."""
    ordered = sorted(claims, key=lambda cell: cell.get("id") != released["id"])
    worked_on = [cell for cell in ordered if _text(cell).strip() != released.source.strip()]
    chosen = next(iter(worked_on or ordered), None)
    return None if chosen is None else _text(chosen)


def _defines(released: NotebookNode) -> list[str]:
    """Return the names that a released answer cell leaves to the learner; none for a written answer."""
    names = []
    for statement in ast.parse(released.source if released.cell_type == "code" else "").body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.append(name)
    return names


def _last_before(name: str, release: NotebookNode, seen: set[str]) -> str:
    """Return the last of the course's cells before a given one that the submission still has."""
    ids = [cell["id"] for cell in release.cells]
    return next((other for other in reversed(ids[: ids.index(name)]) if other in seen), "")


def _add(added: dict[str, list[NotebookNode]], place: str, cell: NotebookNode, count: int) -> int:
    if count < MAX_ADDED_CELLS and cell.get("cell_type") == "code":
        own = new_code_cell(_text(cell)[:MAX_TEXT])
        own["id"] = f"{ADDED}{count}"
        added.setdefault(place, []).append(own)
    return count + 1


def _interleave(cells: list[NotebookNode], added: dict[str, list[NotebookNode]]) -> Iterable[NotebookNode]:
    yield from added.get("", ())
    for cell in cells:
        yield cell
        yield from added.get(cell["id"], ())


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
