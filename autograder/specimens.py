"""Small modules of the course's own that a learner's function is tried on: none of them is an answer.

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
        x: (tokens, d_in) or (b, tokens, d_in)
        returns: as x
    """

    def __init__(self, weights: Tensor) -> None:
        super().__init__()
        self.register_buffer("weights", weights)

    def forward(self, x: Tensor) -> Tensor:
        weights: Tensor = self.get_buffer("weights")
        return weights.to(x.dtype) @ x


class Affine(nn.Module):
    """Every number times `factor`, plus `shift`."""

    def __init__(self, factor: float = 1.0, shift: float = 0.0) -> None:
        super().__init__()
        self.factor = factor
        self.shift = shift

    def forward(self, x: Tensor) -> Tensor:
        return self.factor * x + self.shift


SPECIMENS: dict[str, Callable[..., nn.Module]] = {"mixing": Mixing, "affine": Affine}


def specimen(name: str, settings: Mapping[str, Any]) -> nn.Module:
    """The specimen of that name, made afresh.

    Raises:
        KeyError: there is none of that name.
    """
    return SPECIMENS[name](**settings).eval()
