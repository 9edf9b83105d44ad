"""What attention costs: plain, in the lesson's tiles and fused, forward, and there and back.

    python3 start.py run python -m benchmarks.attention [LENGTH …]

The functions are the solutions of lesson 11. Nothing is timed before all of them agree, results and
gradients. It runs on a GPU, where there is one. Bytes are those of the tensors that live at the same time,
without the inputs; times are the fastest of several calls.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from autograder.author.parse_source import read_source
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from visuals import measured

LESSON = "11-fast-attention"
SOURCE = Path(__file__).parents[1] / "source" / LESSON / f"{LESSON}.py"
LENGTHS = (128, 512, 1024, 2048, 4096)
HEADS, HEAD_DIM, TILE = 4, 32, 128
# What may differ between two orders of the same sums, as a share of the largest number.
TOLERANCE = 1e-4


def solutions() -> dict[str, Any]:
    """Return what the cells of the lesson that define something define, and its solutions."""
    namespace: dict[str, Any] = {"__name__": LESSON}
    for cell in read_source(SOURCE).cells:
        if cell["id"] in (
            "setup",
            "carried-over",
            "tile-helpers",
            "tiled-attention-answer",
            "tiled-function-answer",
        ):
            exec(compile(cell.source, cell["id"], "exec"), namespace)  # noqa: S102
    return namespace


def there_and_back(attend: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, ...]]:
    """Return the result of an attention, and the gradients of its inputs."""

    def call(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        with torch.enable_grad():
            leaves = [leaf.detach().requires_grad_() for leaf in (q, k, v)]
            context = attend(*leaves)
            return (context.detach(), *torch.autograd.grad(context.square().sum(), leaves))

    return call


def ways() -> dict[str, Callable[..., Tensor]]:
    """Causal attention in three ways, as functions of q, k and v."""
    lesson = solutions()
    return {
        "plain": lambda q, k, v: lesson["plain_attention"](q, k, v, True),
        "tiles": lambda q, k, v: lesson["TiledAttention"].apply(q, k, v, TILE, True),
        "fused": lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True),
    }


def check_equal(calls: dict[str, Callable[..., tuple[Tensor, ...]]], inputs: Tensor) -> None:
    """Compare all ways with the first.

    Raises:
        SystemExit: two of them differ.
    """
    results = {name: call(*inputs) for name, call in calls.items()}
    first, *others = results
    for name in others:
        for value, other in zip(results[first], results[name], strict=True):
            apart = float((value - other).abs().max() / value.abs().max())
            if not apart <= TOLERANCE:
                raise SystemExit(
                    f"{name} and {first} differ by {apart:.1e} at {inputs.shape[3]} tokens: not timed"
                )


def main() -> None:
    """Print one row for each way and length."""
    lengths = [int(length) for length in sys.argv[1:]] or LENGTHS
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else platform.processor() or platform.machine()
    machine = f"{device} ({name}), float32, {torch.get_num_threads()} threads, torch {torch.__version__}"
    table = Table(title=f"causal attention, {HEADS} heads of {HEAD_DIM}, tiles of {TILE}; {machine}")
    for column in ("tokens", "way", "forward ms", "forward MiB", "there and back ms", "there and back MiB"):
        table.add_column(column, justify="left" if column == "way" else "right")
    forward = ways()
    both = {name: there_and_back(call) for name, call in forward.items()}
    for length in lengths:
        inputs = torch.randn(3, 1, HEADS, length, HEAD_DIM, device=device)
        check_equal(both, inputs)
        for name in forward:
            costs = [measured(step[name], *inputs) for step in (forward, both)]
            numbers = [
                f"{number:.2f}" for cost in costs for number in (cost.seconds * 1e3, cost.bytes / 2**20)
            ]
            table.add_row(str(length), name, *numbers)
        table.add_section()
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
