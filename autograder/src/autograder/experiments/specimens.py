"""Small modules and functions of the course's own that an answer is tried on: none of them is an answer.

A leak detector, say, needs something that leaks in a known place. A bank names a specimen and its settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn


class Mixing(nn.Module):
    """Every output is a weighted sum of the tokens: output i depends on token j where weights[i, j] is not 0.

    Shapes:
        weights: (tokens, tokens)
        columns: (d_in, d_out), what the dimensions of the sum are mixed by; left alone where it is None
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
    """Every number times `factor`, plus `shift`."""

    def __init__(self, factor: float = 1.0, shift: float = 0.0) -> None:
        super().__init__()
        self.factor = factor
        self.shift = shift

    def forward(self, x: Tensor) -> Tensor:
        return self.factor * x + self.shift


def plain_affine(factor: float = 1.0, shift: float = 0.0) -> Callable[[Tensor], Tensor]:
    """`Affine` as a function that is no module."""

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
    """Return the specimen of that name, made afresh; a module is in eval mode.

    Raises:
        KeyError: there is none of that name.
    """
    specimen_object = SPECIMENS[name](**settings)
    return specimen_object.eval() if isinstance(specimen_object, nn.Module) else specimen_object
