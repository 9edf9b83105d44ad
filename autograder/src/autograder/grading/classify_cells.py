"""The classification of a submission's cells: the course's own, parts of an answer, or added by the learner.

Front ends split, merge, copy and move cells, each in its own way. The parts of a split cell have the same
metadata (the classic Notebook, JupyterLab) or none (VS Code); a merged cell has that of its first or its
active cell; a copy has that of the original; and some programs write neither metadata nor ids. So a cell is
recognised by its id, by nbgrader's metadata, or by the course's own text.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from nbformat import NotebookNode

from autograder.records.cell_roles import is_answer, is_given, is_test
from autograder.records.parse_cells import CELL_MAGIC, names_of, parsed, words_of

# Which part of their names two releases' cells with example data have in common, at least.
ALIKE = 0.7
_SHELL_OR_MAGIC = ("!", "%", "?")


@dataclass(frozen=True)
class ClassifiedCell:
    """A piece of a submission's text, with the id of the release's cell that it belongs to; "" for none."""

    text: str
    is_code: bool
    name: str = ""


def classify_cells(release: NotebookNode, submission: NotebookNode) -> list[ClassifiedCell]:
    """Return the pieces of a submission's cells, in order; a merged cell becomes several pieces."""
    cells = {cell["id"]: cell for cell in release.cells}
    # Colab and notebooks of format 4.4 lose ids: a course cell is then known by its text.
    texts = {cell.source.strip(): cell["id"] for cell in release.cells}
    givens = [cell for cell in release.cells if is_given(cell)]
    # What a merged cell is taken apart at. To run another course cell's text once more does no harm.
    marks = {cell["id"]: cell.source for cell in release.cells if is_given(cell) or is_test(cell)}
    answers = {cell["id"] for cell in release.cells if is_answer(cell)}
    submitted = _cells(submission)
    texts |= _older_givens(givens, submitted, cells.keys(), texts)
    pieces: list[ClassifiedCell] = []
    for cell in submitted:
        text, is_code = _text(cell), cell.get("cell_type") == "code"
        name = _course_id(cell, cells.keys()) or texts.get(text.strip(), "")
        if not name or name in answers:
            apart = _apart(text, marks) if is_code else None
            pieces += [ClassifiedCell(part, is_code, ours or name) for ours, part in apart or [("", text)]]
        elif text.strip() == cells[name].source.strip():
            pieces.append(ClassifiedCell(text, is_code, name))
        else:
            pieces += _merged(text, cells[name], marks, release)
    return pieces


def in_order(release: NotebookNode, pieces: Sequence[ClassifiedCell]) -> set[int]:
    """Return the indices of the pieces that are in the release's order: the longest such sequence.

    Pieces that the learner added are left out. All other pieces that are missing were moved or copied
    elsewhere.
    """
    number = {cell["id"]: at for at, cell in enumerate(release.cells)}
    ends: list[int] = []  # of the best chain of each length, the number that it ends with
    last: list[int] = []  # and the piece
    before: dict[int, int | None] = {}
    for at, piece in enumerate(pieces):
        if piece.name:
            length = bisect_left(ends, number[piece.name])
            before[at] = last[length - 1] if length else None
            ends[length : length + 1] = [number[piece.name]]
            last[length : length + 1] = [at]
    chain: set[int] = set()
    end = last[-1] if last else None
    while end is not None:
        chain.add(end)
        end = before[end]
    # The other parts of a cell that was split stand beside the one that was chosen.
    for one_way in (range(len(pieces)), range(len(pieces) - 1, -1, -1)):
        beside = ""
        for at in one_way:
            beside = pieces[at].name if at in chain else beside
            if beside and pieces[at].name == beside:
                chain.add(at)
    return chain


def is_untouched(stub: str, text: str, is_code: bool) -> bool:
    """Tell whether a cell contains an answer's stub as it was released, or a part of it."""
    if not text.strip() or text.strip() == stub.strip():
        return True
    if not is_code:
        return text.strip() in stub
    written, given = ([ast.dump(statement) for statement in parsed(code).body] for code in (text, stub))
    return bool(written) and (
        written == given
        or (set(written) <= set(given) and any("Ellipsis" in statement for statement in written))
    )


def defines(stub: NotebookNode) -> frozenset[str]:
    """Return the names that a learner is to define in a released answer cell; none for a written answer."""
    return names_of(stub.source)[0] if stub.cell_type == "code" else frozenset()


def binds(text: str, names: frozenset[str]) -> bool:
    """Tell whether a cell assigns one of these names."""
    if not names & words_of(text):
        return False
    return bool(names & names_of(text)[0]) or bool(CELL_MAGIC.match(text))


def _cells(submission: NotebookNode) -> list[NotebookNode]:
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


def _course_id(cell: NotebookNode, course_ids: Collection[str]) -> str:
    """Return the id of the course's cell; "" for a cell that the learner added."""
    for name in (cell.get("id"), _grade_id(cell)):
        if isinstance(name, str) and name in course_ids:
            return name
    return ""


def _older_givens(
    givens: Iterable[NotebookNode],
    submitted: Sequence[NotebookNode],
    course_ids: Collection[str],
    texts: Mapping[str, str],
) -> dict[str, str]:
    """Return example data as an older release had them, under another id or none.

    Their text and their present id.

    Such a cell must not run as the learner's own: it would bring back the older data after the present ones.
    """
    strange, there = [], set()
    for cell in submitted:
        text = _text(cell).strip()
        name = _course_id(cell, course_ids) or texts.get(text)
        if name:
            there.add(name)
        elif cell.get("cell_type") == "code" and text:
            strange.append(text)
    lost = [cell for cell in givens if cell["id"] not in there]
    return {
        text: cell["id"]
        for cell in lost
        for text in strange
        if _define_the_same(cell.source, text) and _apart(text, {cell["id"]: cell.source}) is None
    }


def _define_the_same(first: str, other: str) -> bool:
    """Tell whether two cells are about the same names."""
    if len(other) > 4 * len(first):  # what a stranger sent is not read for longer than it is worth
        return False
    names, others = (Counter(re.findall(r"[^\W\d]\w*", text)) for text in (first, other))
    total = names.total() + others.total()
    return total > 0 and 2 * (names & others).total() / total > ALIKE


def _merged(
    text: str, cell: NotebookNode, marks: Mapping[str, str], release: NotebookNode
) -> list[ClassifiedCell]:
    """Return the pieces of a course's cell that has another text than the course's.

    Where the course's text is whole there, a cell of the learner's was merged into it. Otherwise, it was
    changed, and what gives one of the course's names another value was tried out there: neither runs.
    """
    name = cell["id"]
    if cell.cell_type != "code":
        above, course, below = text.partition(cell.source.strip())
        around = [ClassifiedCell(part.strip(), False) for part in (above, below)]
        return (
            [around[0], ClassifiedCell(course, False, name), around[1]]
            if course
            else [ClassifiedCell(text, False, name)]
        )
    apart = _apart(text, {**marks, name: cell.source}) or []
    if name not in (ours for ours, _part in apart):
        return [ClassifiedCell(text, True, name)]
    courses = [cell.source for cell in release.cells if cell.cell_type == "code" and not is_answer(cell)]
    bound = frozenset[str]().union(*(names_of(source)[0] for source in courses))
    return [ClassifiedCell(part, True, ours) for ours, part in apart if ours or not binds(part, bound)]


def _apart(text: str, marks: Mapping[str, str]) -> list[tuple[str, str]] | None:
    """Take a text apart at the course's cells that stand in it whole; None where there are none.

    Returns:
        For each part, the course's cell that it is, "" for none, and its text.
    """
    lines = text.split("\n")
    within = [
        name
        for name, text_of_cell in marks.items()
        if text_of_cell.strip() and text_of_cell.strip().split("\n")[0] in text
    ]
    if not within or any(line.lstrip().startswith(_SHELL_OR_MAGIC) for line in lines):
        return None
    body = parsed(text).body
    spans = [(_first_line(statement), statement.end_lineno or statement.lineno) for statement in body]
    if any(start <= end for (_start, end), (start, _end) in pairwise(spans)):  # two statements in one line
        return None
    dumps = [ast.dump(statement) for statement in body]
    of: dict[int, str] = {}
    for name in within:
        statements = [ast.dump(statement) for statement in parsed(marks[name]).body]
        for at in range(len(dumps) - len(statements) + 1) if statements else ():
            if dumps[at : at + len(statements)] == statements:
                of.update(dict.fromkeys(range(at, at + len(statements)), name))
    parts, begin = [], 0
    for name, numbers in groupby(sorted(of), key=of.__getitem__):
        first, *_rest = every = list(numbers)
        parts.append(("", "\n".join(lines[begin : spans[first][0] - 1])))
        parts.append((name, marks[name]))
        begin = spans[every[-1]][1]
    parts.append(("", "\n".join(lines[begin:])))
    return [(name, part) for name, part in parts if part.strip()] if of else None


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])
