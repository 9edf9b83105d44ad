"""The pictures that notebooks described, drawn once and hung into every notebook that described them.

A picture is kept under the digest of its whole recipe, which is computed here, and it is drawn from that
recipe alone, in a fork that sees nothing else. So what one submission sends can change no other's pictures.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

# In an output's data, in place of a picture: the digest of its recipe.
TOLD_MIME = "application/vnd.attention-course.picture"
# Pictures that one notebook may describe; any more it draws itself, within its own limits.
MOST_TOLD = 40
# What stands for a cell's id, before a number, where a picture is drawn.
DRAWN = "picture"
MOST_BYTES = 128_000_000
# Of those that cannot be drawn, each notebook is told so many.
MOST_NOT_DRAWN = 500

# Drawing for one notebook stops after that; what is left is drawn in the notebook, within its own limits.
MOST_SECONDS = 30.0
# A picture's data and metadata, as a kernel would send them.
Bundle = tuple[dict[str, Any], dict[str, Any]]
# Draws recipes, as far as it gets: at least the first. None for one that its notebook has to draw itself.
Draw = Callable[[list[bytes]], "list[Bundle | None]"]


@dataclass(frozen=True)
class Hung:
    """A picture's output: its data, its metadata, and about how many bytes they are."""

    data: dict[str, Any]
    metadata: dict[str, Any]
    size: int


def digest(recipe: bytes) -> str:
    """The name that a recipe goes by."""
    return hashlib.sha256(recipe).hexdigest()


class Gallery:
    """Pictures by the digest of their recipe; those not asked for the longest go first. Safe for threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._held: OrderedDict[str, Hung | None] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def look_up(self, recipes: Iterable[bytes], draw: Draw) -> dict[str, Hung | None]:
        """The pictures of some recipes, by digest; None for one that its notebook has to draw itself."""
        found: dict[str, Hung | None] = {}
        new: dict[str, bytes] = {}
        for recipe in list(recipes)[:MOST_TOLD]:
            key = digest(recipe)
            with self._lock:
                if key in self._held:
                    self._held.move_to_end(key)
                    found[key] = self._held[key]
                else:
                    new[key] = recipe
        end = time.monotonic() + MOST_SECONDS
        while new and time.monotonic() < end:
            # Together, in one fork: they are of one notebook, and only data.
            for key, bundle in zip(list(new), draw(list(new.values())), strict=False):
                found[key] = None if bundle is None else Hung(*bundle, size=sum(map(_size, bundle)))
                self._keep(key, found[key])
                del new[key]
        return {**found, **dict.fromkeys(new)}

    def not_drawn(self) -> set[str]:
        """Digests of the recipes that their notebooks have to draw themselves: those asked for last."""
        with self._lock:
            return set([key for key, hung in self._held.items() if hung is None][-MOST_NOT_DRAWN:])

    def _keep(self, key: str, hung: Hung | None) -> None:
        with self._lock:
            if key in self._held:
                return
            self._held[key] = hung
            self._size += _weight(hung)
            while self._size > self._most:
                _, dropped = self._held.popitem(last=False)
                self._size -= _weight(dropped)


def hang(notebook: NotebookNode, pictures: dict[str, Hung | None]) -> None:
    """Put pictures in place of what stands for them; what stands for none is taken out."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        kept = []
        for output in cell.outputs:
            key = output.get("data", {}).pop(TOLD_MIME, None)
            if key is not None:
                hung = pictures.get(key) if isinstance(key, str) else None
                if hung is None:
                    continue
                output.data.update(hung.data)
                output.metadata.update(deepcopy(hung.metadata))
            kept.append(output)
        cell.outputs = kept


def _size(part: dict[str, Any]) -> int:
    return sum(len(str(value)) for value in part.values())


def _weight(hung: Hung | None) -> int:
    return 200 if hung is None else 200 + hung.size
