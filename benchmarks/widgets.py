"""How long an explorer takes to answer: from a changed control to the new picture and words, in this process.

    python3 start.py run python benchmarks/widgets.py [--moves N]

For each explorer and each of its controls, N moves are timed: the control gets its next value (or the button
is pressed), and the view and the sentence are made anew. Both the wall clock and this process's CPU time are
told, since other work on the machine lengthens the one only. What is not in it: the kernel's message and the
browser. The last columns are the static picture for readers without a kernel, which is drawn once, when the
cell is run, and its size. The aim is 100 ms for a move.

The lab of bugs trains a class the first time that a mixture of bugs is chosen; its row "first choice" times
that, one move for each mixture.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ipywidgets
import torch
from rich.console import Console
from rich.table import Table

import visuals
from visuals.explorers.explorer import Explorer
from visuals.faulty import BUGS, train

AIM_MS = 100
TOKENS = ["Your", "journey", "starts", "with", "one", "step"]


@dataclass(frozen=True)
class Timing:
    """Milliseconds of some moves: by the wall clock, and of this process's CPU time."""

    wall: list[float]
    cpu: list[float]


def timed(moves: Iterator[Callable[[], Any]], count: int) -> Timing:
    """Time so many moves, after two that do not count."""
    wall, cpu = [], []
    for move in itertools.islice(moves, count + 2):
        start, start_cpu = time.perf_counter(), time.process_time()
        move()
        cpu.append((time.process_time() - start_cpu) * 1000)
        wall.append((time.perf_counter() - start) * 1000)
    return Timing(wall[2:], cpu[2:])


def moves(control: ipywidgets.Widget) -> Iterator[Callable[[], Any]]:
    """Yield what a learner does to a control, again and again; each move changes its value."""
    if isinstance(control, ipywidgets.Button):
        yield from itertools.repeat(control.click)
    if isinstance(control, ipywidgets.Dropdown):
        values = [option[1] if isinstance(option, tuple) else option for option in control.options]
    elif isinstance(control, ipywidgets.Checkbox):
        values = [True, False]
    else:
        kind = type(control.value)  # a slider of whole numbers takes no others
        span = control.max - control.min
        values = [control.min + kind(share * span) for share in (0.2, 0.9, 0.4, 0.05, 0.7)]
    for value in itertools.cycle(values):
        if value != control.value:
            yield lambda chosen=value: setattr(control, "value", chosen)
        elif len(values) == 1:
            return


def explorers() -> dict[str, Callable[[], Explorer]]:
    """Make the explorers that a kernel answers for, on as many numbers as their lessons have."""
    generator = torch.Generator().manual_seed(123)

    def drawn(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    hidden = torch.triu(torch.ones(6, 6), 1).bool()
    causal = torch.softmax(drawn(6, 6).masked_fill(hidden, -torch.inf), dim=-1)
    source = ["das", "Haus", "ist", "klein", "<pad>", "<pad>"]
    target = ["<start>", "the", "house", "is", "small"]
    return {
        "explore_dropout": lambda: visuals.explore_dropout(causal, TOKENS),
        "explore_slices": lambda: visuals.explore_slices(drawn(2, 2, 3)),
        "explore_bugs": lambda: visuals.explore_bugs(TOKENS),
        "explore_three_attentions": lambda: visuals.explore_three_attentions(source, target),
        "explore_positions": lambda: visuals.explore_positions([1.2, 0.5], [0.9, -0.6]),
        "explore_tiles": lambda: visuals.explore_tiles(*drawn(3, 6, 2), TOKENS),
    }


def controls_of(explorer: Explorer) -> list[ipywidgets.Widget]:
    """Return the controls, in the order in which Tab reaches them."""
    return list(explorer.widget.children[0].children)


def first_choices(explorer: Any) -> Timing:
    """Choose every mixture of bugs once, no class being trained yet."""
    train.cache_clear()
    boxes = list(explorer.bugs.values())
    explorer.show()  # the right class, which the explorer has trained before a learner touches it

    def choose(values: tuple[bool, ...]) -> None:
        for box, value in zip(boxes, values, strict=True):
            box.value = value

    # In Gray's order one box changes at a time, as under a learner's hand.
    order = [number ^ (number >> 1) for number in range(1, 2 ** len(BUGS))]
    steps = [tuple(bool(code >> bit & 1) for bit in range(len(boxes))) for code in order]
    rest = iter([lambda chosen=step: choose(chosen) for step in steps])
    return timed(itertools.chain([lambda: None] * 2, rest), len(steps))


def main() -> None:
    """Print a row for each control of each explorer, and the worst median of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=30, help="moves timed for each control")
    count = parser.parse_args().moves
    table = Table(title=f"A move of a control, milliseconds ({count} moves; aim {AIM_MS})")
    table.add_column("explorer")
    table.add_column("control")
    for heading in ("median", "worst", "CPU median", "picture", "picture CPU", "kB"):
        table.add_column(heading, justify="right")
    medians = {}
    for name, make in explorers().items():
        explorer = make()
        timings = {}
        if name == "explore_bugs":
            timings["first choice"] = first_choices(explorer)
        for control in controls_of(explorer):
            timings[control.description] = timed(moves(control), count)
        still = timed(iter([explorer._repr_mimebundle_] * 5), 3)
        size = len(explorer.picture.png) / 1000
        for row, (label, timing) in enumerate(timings.items()):
            median = statistics.median(timing.wall)
            medians[f"{name}: {label}"] = median
            drawn = (
                [f"{statistics.median(still.wall):.0f}", f"{statistics.median(still.cpu):.0f}", f"{size:.0f}"]
                if row == 0
                else [""] * 3
            )
            table.add_row(
                name if row == 0 else "",
                label,
                f"{median:.1f}",
                f"{max(timing.wall):.1f}",
                f"{statistics.median(timing.cpu):.1f}",
                *drawn,
            )
    Console(width=120).print(table)
    worst = max(medians, key=lambda key: medians[key])
    print(f"worst median: {medians[worst]:.1f} ms ({worst})")


if __name__ == "__main__":
    main()
