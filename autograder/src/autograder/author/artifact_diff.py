"""Compare freshly built files with the committed ones: only differences that an author caused count.

Words, structure and printed text must be equal. Numbers may differ by the rounding of different processors.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import safetensors.torch
import torch
from nbformat import NotebookNode
from torch import Tensor

from autograder.records import bank, serialization
from autograder.records.bank import SignatureTable
from autograder.records.cell_roles import is_measured
from autograder.records.javascript_modules import MODULE_MIME, PICTURE_MIME
from autograder.records.tensor_comparison import all_close

# A picture that stands in HTML, with its alternative text beside it.
INLINE_PICTURE = re.compile(r"data:image/(?:(?:png|jpeg);base64,[A-Za-z0-9+/=]*|svg\+xml,[^\"]*)")
NUMBER = re.compile(r"[-−]?\d[\d.]*")
# What is kept of a solution's steps: by so much may its rounded numbers differ.
ROUTE, LAST_DIGIT = "/route", 3e-5
# Inputs and weights are written or drawn, not computed: so little of a number, and so little of the largest
# one beside it, is rounding.
DRAWN, DRAWN_BESIDE = 1e-5, 1e-6
# So little of a sight's largest number is rounding: wrong answers, too, subtract what is nearly equal.
SHOWN = 1e-4
# Two mistakes together may divide by what is 0 but for rounding, and show numbers that mean nothing. Of the
# rows of several mistakes, this share may do so. What an author changes shows in the row of one mistake, too.
MEANINGLESS = 0.02


class _Kept(NamedTuple):
    """A lesson's bank as it is on disk, with its explanations apart, by task."""

    plain: dict[str, Any]
    tensors: dict[str, Tensor]
    tables: dict[str, _Table]


class _Table(NamedTuple):
    """A task's explanations, written out.

    Shapes:
        said: (explanations, probes, 2), places in `words` of a result's kind and of its marks
        numbers: (explanations, probes, numbers)
    """

    probes: tuple[str, ...]
    rows: Mapping[frozenset[str], list[int]]  # by the mistakes shown together
    said: Tensor
    numbers: Tensor


def same_bank(fresh: Path, committed: Path, name: str) -> bool:
    """Tell whether two folders hold the same bank of a lesson, apart from rounding."""
    try:
        if bank.digest(name, fresh) == bank.digest(name, committed):
            return True
        words: dict[object, int] = {}
        new, old = _read(fresh, name, words), _read(committed, name, words)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, safetensors.SafetensorError):
        return False
    return (
        new.plain == old.plain
        and new.tensors.keys() == old.tensors.keys()
        and all(_same_tensor(key, new.tensors[key], old.tensors[key]) for key in new.tensors)
        and new.tables.keys() == old.tables.keys()
        and all(_same_table(new.tables[task], old.tables[task]) for task in new.tables)
    )


def _read(folder: Path, name: str, words: dict[object, int]) -> _Kept:
    text, numbers = bank.paths(name, folder)
    plain = json.loads(text.read_bytes())
    tensors = safetensors.torch.load_file(numbers)
    tables = {
        task: _table(
            serialization.decode(SignatureTable, described.pop("explanations"), tensors),
            [wrong["id"] for wrong in described["known_wrong"]],
            words,
        )
        for task, described in plain["tasks"].items()
        if "explanations" in described
    }
    for task, described in plain["tasks"].items():
        numbers_of_route: list[float] = []
        described["route"] = _without_numbers(described.get("route"), numbers_of_route)
        tensors[f"{task}{ROUTE}"] = torch.tensor(numbers_of_route, dtype=torch.float64)
    # What stands in them is compared by what it means, not by its place.
    others = {key: tensor for key, tensor in tensors.items() if "/explanations/" not in key}
    return _Kept(plain, others, tables)


def _without_numbers(value: Any, numbers: list[float]) -> Any:
    """Return data without its fractions, which are added to `numbers` in their order."""
    if isinstance(value, float):
        numbers.append(value)
        return 0.0
    if isinstance(value, list):
        return [_without_numbers(item, numbers) for item in value]
    if isinstance(value, dict):
        return {name: _without_numbers(item, numbers) for name, item in value.items()}
    return value


def _same_tensor(key: str, new: Tensor, old: Tensor) -> bool:
    if new.dtype != old.dtype or new.shape != old.shape or not new.is_floating_point():
        return torch.equal(new, old)
    if key.endswith(ROUTE):  # rounded to five digits
        return torch.allclose(new, old, LAST_DIGIT, LAST_DIGIT)
    if "/expected/" in key:  # doubles, too, are made of weights that were drawn as single numbers
        return all_close(new.float(), old.float())
    finite = old[old.isfinite()].double().abs()
    absolute = DRAWN_BESIDE * float(finite.max()) if finite.numel() else 0.0
    return torch.allclose(new.double(), old.double(), DRAWN, absolute, equal_nan=True)


def _table(table: SignatureTable, faults: Sequence[str], words: dict[object, int]) -> _Table:
    """Write a table out; what a sight says gets its place in `words`, which grow."""
    kind, mark, numbers = table.on(table.probes)
    # Where a result is wrong follows from its numbers.
    kinds = torch.tensor([words.setdefault(result, len(words)) for result, _ in table.kinds])
    marks = torch.tensor([words.setdefault(marks, len(words)) for marks in table.marks])
    rows: dict[frozenset[str], list[int]] = defaultdict(list)
    for row, members in enumerate(table.members.tolist()):
        rows[frozenset(faults[index] for index in members if index >= 0)].append(row)
    looks = torch.stack((kinds[kind.long()], marks[mark.long()]), dim=-1)
    return _Table(table.probes, rows, looks, numbers.double().nan_to_num())


def _same_table(new: _Table, old: _Table) -> bool:
    """Tell whether each row has one like it in the other table, of the same mistakes.

    It may have two: rounding decides whether the build takes two sights for one.
    """
    unlike = {1: 0, 2: 0}  # of one mistake, of several
    for faults in new.rows.keys() | old.rows.keys():
        alike = _matching_rows(new, new.rows.get(faults, []), old, old.rows.get(faults, []))
        unlike[min(len(faults), 2)] += int((~alike.any(dim=1)).sum() + (~alike.any(dim=0)).sum())
    several = sum(len(rows) for faults, rows in old.rows.items() if len(faults) > 1)
    return new.probes == old.probes and not unlike[1] and unlike[2] <= 2 * math.ceil(MEANINGLESS * several)


def _matching_rows(new: _Table, rows: list[int], old: _Table, others: list[int]) -> Tensor:
    """Tell which rows of two tables look the same. Shape (rows, others)."""
    same_words = (new.said[rows, None] == old.said[others]).all(dim=-1)  # (rows, others, probes)
    numbers, expected = (
        new.numbers[rows, None],
        old.numbers[others],
    )  # (rows, others, probes, numbers) together
    largest = torch.maximum(numbers.abs(), expected.abs()).amax(dim=-1, keepdim=True)
    near = ((numbers - expected).abs() <= SHOWN * (1 + largest)).all(dim=-1)
    return (same_words & near).all(dim=-1)


def same_solution(fresh: Path, committed: Path) -> bool:
    """Tell whether two executed solutions have the same cells and text.

    Pixels and measured times may differ.
    """
    try:
        return bool(_without_pixels(fresh) == _without_pixels(committed))
    except Exception:
        return False  # it is not there, of no known format, or damaged in one of many ways


def _without_pixels(path: Path) -> NotebookNode:
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if is_measured(cell):
            cell.outputs = []
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            for kind in ("image/png", "image/jpeg"):
                if kind in data:
                    data[kind] = ""
            if PICTURE_MIME in data:
                data[PICTURE_MIME] = ""
            if MODULE_MIME in data:
                # Its words count; the last digit of a number may differ between processors.
                data[MODULE_MIME] = NUMBER.sub("0", json.dumps(data[MODULE_MIME]))
            if "text/html" in data:
                data["text/html"] = INLINE_PICTURE.sub("", data["text/html"])
    return notebook
