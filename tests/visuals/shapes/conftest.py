"""A class to watch, and the shapes that lesson 05 expects of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import dedent
from typing import Any

import pytest
import torch
from autograder.records.cell_roles import is_test

from tests.mutants import harness

SIZES = {"b": 5, "tokens": 7, "d_in": 3, "d_out": 8, "heads": 2, "head_dim": 4}
HEAD = ("b", "heads", "tokens", "head_dim")
PAIR = ("b", "heads", "tokens", "tokens")
STEPS = [
    (("queries", "query", "q"), HEAD),
    (("keys", "key", "k"), HEAD),
    (("values", "value", "v"), HEAD),
    (("scores", "attn_scores"), PAIR),
    (("weights", "attn_weights", "softmax()"), PAIR),
    (("context", "context_vec"), ("b", "tokens", "d_out")),
    ("output", ("b", "tokens", "d_out")),
]


@pytest.fixture
def sizes() -> dict[str, int]:
    return dict(SIZES)


@pytest.fixture
def steps() -> list[Any]:
    return list(STEPS)


@pytest.fixture
def sentences() -> torch.Tensor:
    return torch.randn(5, 7, 3, generator=torch.Generator().manual_seed(5))  # (b, tokens, d_in)


def namespace_of(lesson: str, answers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What a learner's kernel holds after the answer cells, with some of them typed otherwise."""
    answers = answers or {}
    typed = {f"{task}-answer": dedent(code).strip("\n") for task, code in answers.items()}
    cells = [cell for cell in harness.load_lesson(lesson).notebook.cells if cell.cell_type == "code"]
    last = max(
        (position for position, cell in enumerate(cells) if cell["id"] in typed), default=len(cells) - 1
    )
    namespace: dict[str, Any] = {"__name__": "__main__", "display": lambda *values: None}
    with harness.torch_as_it_was():
        for cell in cells[: last + 1]:
            if not is_test(cell):
                code = harness.compiled(lesson, cell["id"], typed.get(cell["id"], cell.source))
                harness.execute(code, namespace)
    return namespace


@pytest.fixture
def solved() -> Callable[..., dict[str, Any]]:
    return namespace_of
