"""Names for sizes: (5, 2, 6, 4) reads as (b, heads, tokens, head_dim)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from autograder.probe.recording.operations import Shape

from visuals.language import _
from visuals.words import joined

# These count a batch, and that is the first axis: another axis of this size is something else.
FIRST_ONLY = ("b", "batch")


class Axes:
    """The names that somebody gave to sizes, and what can be read from them.

    Raises TypeError for a size that is no whole number, ValueError for one below 1.
    """

    def __init__(self, sizes: Mapping[str, int]) -> None:
        for name, size in sizes.items():
            if isinstance(size, bool) or not isinstance(size, int):
                raise TypeError(f"{name} must be a whole number, the size of an axis, not {size!r}.")
            if size < 1:
                raise ValueError(f"{name} must be at least 1, not {size}.")
        self.sizes = dict(sizes)

    def names_of(self, size: int) -> list[str]:
        """Return the names of a size; none for 1, which any axis may have that was made for broadcasting."""
        return [name for name, known in self.sizes.items() if known == size != 1]

    def named(self, shape: Shape) -> str:
        """Return a shape in names: '(b, tokens, 24)'; names of equal size stand together, as in 'b|heads'."""
        return written(
            ["|".join(names) or str(size) for names, size in zip(self._along(shape), shape, strict=True)]
        )

    def says_more(self, shape: Shape) -> bool:
        """Tell whether a shape has an axis with a name."""
        return any(self._along(shape))

    def _along(self, shape: Shape) -> list[list[str]]:
        """Return the names that each axis of a shape may have."""
        return [
            [name for name in self.names_of(size) if axis == 0 or name not in FIRST_ONLY]
            for axis, size in enumerate(shape)
        ]

    def is_certain(self, name: str) -> bool:
        """Tell whether an axis of this size can be nothing else: no other name or product of names has it."""
        size = self.sizes.get(name, 1)
        others = [other for key, other in self.sizes.items() if key != name and other > 1]
        products = (
            math.prod(group)
            for count in range(1, len(others) + 1)
            for group in itertools.combinations(others, count)
        )
        return size > 1 and all(product != size for product in products)

    def shape_of(self, axes: Sequence[str | int]) -> Shape:
        """Return the sizes of axes given by name or as numbers.

        Raises ValueError for a name without a size.
        """
        unknown = [axis for axis in axes if isinstance(axis, str) and axis not in self.sizes]
        if unknown:
            raise ValueError(
                f"No size is known for {', '.join(map(repr, unknown))}; give it as in "
                f"track_shapes({unknown[0]}=6). Known: {', '.join(self.sizes) or 'none'}."
            )
        return tuple(self.sizes[axis] if isinstance(axis, str) else axis for axis in axes)

    @property
    def doubt(self) -> str:
        """A sentence about names that share a size, or an empty string."""
        sizes = sorted({size for size in self.sizes.values() if len(self.names_of(size)) > 1})
        if not sizes:
            return ""
        shared = "; ".join(
            _("{names} are {size}", names=listed(self.names_of(size)), size=size) for size in sizes
        )
        return _(
            "{shared}: axes of one size cannot be told apart. Choose sizes that all differ.", shared=shared
        )


def written(axes: Sequence[object]) -> str:
    """Axes in parentheses, as Python writes a tuple."""
    return f"({', '.join(map(str, axes))}{',' if len(axes) == 1 else ''})"


def listed(words: Sequence[str]) -> str:
    """Join words: 'a', 'a and b', 'a, b and c'."""
    return joined([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
