"""Small modules and functions, made by the course, that serve as inputs to a learner's answer.

A learner's leak detector, for example, is tried on a module with a leak in a known place. A bank stores a
specimen's name and settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn


class Mixing(nn.Module):
    """A module whose outputs are weighted sums: output i depends on token j if weights[i, j] is not 0.

    Shapes:
        weights: (tokens, tokens)
        columns: (d_in, d_out), a matrix that each sum is multiplied by; None for no such matrix
        x: (tokens, d_in) or (b, tokens, d_in)
        returns: (tokens, d_out) or (b, tokens, d_out)
    """

    def __init__(self, weights: Tensor, columns: Tensor | None = None) -> None:
        super().__init__()
        self.register_buffer("weights", weights)
        self.register_buffer("columns", columns)

    def forward(self, x: Tensor) -> Tensor:
        mixed = self.get_buffer("weights").to(x.dtype) @ x
        columns = self.get_buffer("columns") if self.columns is not None else None
        return mixed if columns is None else mixed @ columns.to(x.dtype)


class Affine(nn.Module):
    """A module that multiplies every number by `factor` and adds `shift`."""

    def __init__(self, factor: float = 1.0, shift: float = 0.0) -> None:
        super().__init__()
        self.factor = factor
        self.shift = shift

    def forward(self, x: Tensor) -> Tensor:
        return self.factor * x + self.shift


def plain_affine(factor: float = 1.0, shift: float = 0.0) -> Callable[[Tensor], Tensor]:
    """Return a plain function that does the same as the module `Affine`."""

    def function(x: Tensor) -> Tensor:
        return factor * x + shift

    function.__qualname__ = "function"  # what Python calls it in an error that a learner reads
    return function


SPECIMENS: dict[str, Callable[..., Any]] = {
    "mixing": Mixing,
    "affine": Affine,
    "plain-affine": plain_affine,
}


def specimen(name: str, settings: Mapping[str, Any]) -> Any:
    """Return a new specimen of that name; a module is in eval mode.

    Raises:
        KeyError: there is no specimen of that name.
    """
    specimen_object = SPECIMENS[name](**settings)
    return specimen_object.eval() if isinstance(specimen_object, nn.Module) else specimen_object
