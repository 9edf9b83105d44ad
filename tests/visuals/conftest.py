"""The sentence of lesson 01 and ways to read a figure: by its artists and words, never by its pixels."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from matplotlib.figure import Figure
from matplotlib.text import Text

TOKENS = ["Your", "journey", "starts", "with", "one", "step"]


@pytest.fixture
def tokens() -> list[str]:
    return list(TOKENS)


@pytest.fixture
def inputs() -> torch.Tensor:
    return torch.tensor(
        [
            *([0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]),
            *([0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]),
        ]
    )


@pytest.fixture
def weights(inputs: torch.Tensor) -> torch.Tensor:
    return torch.softmax(inputs @ inputs.T, dim=-1)


@pytest.fixture
def texts() -> Callable[[Figure], list[str]]:
    """Every word on a figure."""

    def read(figure: Figure) -> list[str]:
        return [text.get_text() for text in figure.findobj(Text) if text.get_text()]

    return read


@pytest.fixture
def lengths() -> Callable[[Figure, str, int], list[float]]:
    """The lengths of the bars with a name, in pixels; negative for bars to the left of zero."""

    def read(figure: Figure, name: str, count: int) -> list[float]:
        actual = {artist.get_gid(): artist for artist in figure.axes[0].patches}
        return [actual[f"{name} {index}"].get_width() for index in range(count)]  # type: ignore[attr-defined]

    return read
