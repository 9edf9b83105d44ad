"""A record as a flow: one box for each line, arrows where a result goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from autograder.probe.recording.operations import Record

from visuals import mpl, style, words
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.language import _
from visuals.picture import Picture
from visuals.shapes.axes import Axes, listed
from visuals.shapes.table import called, steps

BOX = (204.0, 74.0)
LANE = 26.0
BETWEEN = 22.0
FALL = 34.0
MOST_BOXES = 40


@dataclass
class Box:
    """One line of the learner's code: what it is called, what it does, what it makes, and where it stands.

    `layer` counts from the top; `parents` are the boxes from which it takes something.
    """

    name: str
    does: str
    shape: tuple[int, ...] | None
    error: str = ""
    times: int = 1
    parents: list[Box] = field(default_factory=list)
    layer: int = 0
    left: float = 0.0

    @property
    def middle(self) -> float:
        return self.left + BOX[0] / 2


def draw(record: Record, axes: Axes) -> Picture:
    """Draw the lines of a record as boxes from top to bottom.

    Raises ValueError when there are too many for a sheet.
    """
    boxes = _boxes(record)
    if len(boxes) > MOST_BOXES:
        raise ValueError(
            f"{len(boxes)} lines are too many for one picture; at most {MOST_BOXES} fit. Track less."
        )
    layers = _layers(boxes)
    routes = _arrange(layers)
    width, height = BOX
    right = max(box.left + width for box in boxes)
    lanes = [x for route in routes.values() for x in route]
    with style.look():
        title = "What each line makes"
        bottom = 62 + len(layers) * (height + FALL) - FALL + MARGIN
        board = Board(round(max(right, *(lanes or [0])) + MARGIN), round(bottom))
        board.title(MARGIN, 28, title)
        for box in boxes:
            for parent in box.parents:
                _connect(board, parent, box, routes.get((id(parent), id(box)), []))
        for box in boxes:
            _draw_box(board, box, axes)
    return Picture(board.figure, _in_words(boxes, axes))


def _boxes(record: Record) -> list[Box]:
    """Return the lines in order, below the tensors that the code was given."""
    makers: dict[int, Box] = {}
    inputs: dict[str, Box] = {}
    boxes: list[Box] = []
    for _first, operations in steps(record):
        last = operations[-1]
        result = last.results[0] if last.results else None
        path = f"{last.path}: " if last.path else ""
        name = path + (", ".join(result.names[:2]) if result and result.names else "")
        if result is not None and result.is_output and not result.names:
            name = f"{path}output"
        does = " · ".join(dict.fromkeys(called(each).split(" (")[0] for each in operations))
        box = Box(name or f"{path}line {last.step.line}", does, result.shape if result else None, last.error)
        box.times = max(each.times for each in operations)
        parents: list[Box] = []
        for operation in operations:
            parents += [makers[number] for number in sorted(operation.parents) if number in makers]
            for operand in operation.operands:
                # A tensor of parameters or a mask is part of the line, not of the flow.
                if operand.maker is None and operand.name and "." not in operand.name:
                    if operand.name not in inputs:
                        inputs[operand.name] = Box(operand.name, "given", operand.shape)
                        boxes.append(inputs[operand.name])
                    parents.append(inputs[operand.name])
        box.parents = list({id(parent): parent for parent in parents if parent is not box}.values())
        makers.update({operation.number: box for operation in operations})
        boxes.append(box)
    return boxes


def _layers(boxes: Sequence[Box]) -> list[list[Box]]:
    """Each box one layer below the lowest that it takes from."""
    for box in boxes:
        box.layer = max((parent.layer + 1 for parent in box.parents), default=0)
    # What starts from nothing stands just above where it is used.
    for box in boxes:
        users = [other.layer for other in boxes if any(parent is box for parent in other.parents)]
        if not box.parents and users:
            box.layer = max(box.layer, min(users) - 1)
    count = max(box.layer for box in boxes) + 1
    return [[box for box in boxes if box.layer == layer] for layer in range(count)]


def _arrange(layers: list[list[Box]]) -> dict[tuple[int, int], list[float]]:
    """Place the boxes of each layer side by side; an arrow past several layers gets a lane in each."""
    widest = max(_width(layer) for layer in layers)
    passing: dict[int, list[tuple[Box, Box]]] = {}
    for layer in layers:
        for box in layer:
            for parent in box.parents:
                for between in range(parent.layer + 1, box.layer):
                    passing.setdefault(between, []).append((parent, box))
    most = max((len({id(parent) for parent, _ in pairs}) for pairs in passing.values()), default=0)
    routes: dict[tuple[int, int], list[float]] = {}
    sides: dict[int, int] = {}
    for layer in layers:
        left = MARGIN + (widest - _width(layer)) / 2
        for index, box in enumerate(layer):
            box.left = left + index * (BOX[0] + BETWEEN)
    for number in sorted(passing):
        for parent, box in passing[number]:
            lane = sides.setdefault(id(parent), len(sides) % max(most, 1))
            routes.setdefault((id(parent), id(box)), []).append(MARGIN + widest + LANE * (lane + 0.6))
    return routes


def _width(layer: Sequence[Box]) -> float:
    return len(layer) * BOX[0] + (len(layer) - 1) * BETWEEN


def _top(layer: int) -> float:
    return 56 + layer * (BOX[1] + FALL)


def _connect(board: Board, parent: Box, box: Box, lanes: list[float]) -> None:
    start = (parent.middle, _top(parent.layer) + BOX[1])
    end = (box.middle, _top(box.layer) - 2)
    if not lanes:
        board.arrow(start, end)
        return
    lane = lanes[0]
    below, above = start[1] + FALL * 0.35, end[1] - FALL * 0.45
    offset = BOX[0] * 0.3
    start, end = (start[0] + offset, start[1]), (end[0] + offset, end[1])
    corners = [start, (start[0], below), (lane, below), (lane, above), (end[0], above)]
    for here, there in pairwise(corners):
        board.axes.plot([here[0], there[0]], [here[1], there[1]], color=style.MUTED, linewidth=1.6)
    board.arrow(corners[-1], end)


def _draw_box(board: Board, box: Box, axes: Axes) -> None:
    width, height = BOX
    top = _top(box.layer)
    color = style.WARNING if box.error else style.MUTED if box.does == "given" else style.SCORE
    board.axes.add_patch(
        mpl.FancyBboxPatch(
            (box.left, top),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=7",
            facecolor=style.CARD,
            edgecolor=color,
            linewidth=1.8,
            gid=f"box {box.name}",
        )
    )
    name = words.shortened(box.name, 20) + (f"  × {box.times}" if box.times > 1 else "")
    board.text(box.left + 10, top + 16, name, weight="bold", color=color)
    if box.shape is None:
        board.text(box.left + 10, top + 37, words.shortened(box.does, 28), size=style.SMALL_SIZE)
        board.text(box.left + 10, top + 57, "✗ fails here", size=style.SMALL_SIZE, color=style.WARNING)
        return
    does = "" if box.does == "given" else words.shortened(box.does, 28)
    board.text(box.left + 10, top + 57, does, size=11.5, color=style.MUTED)
    meaning = axes.named(box.shape) if axes.says_more(box.shape) else ""
    fits = 0 < len(meaning) <= 30
    board.text(box.left + 10, top + 37, meaning if fits else str(box.shape), size=style.SMALL_SIZE)
    if fits and len(name) + len(str(box.shape)) <= 24:
        board.text(box.left + width - 10, top + 16, str(box.shape), size=style.SMALL_SIZE, ha="right")


def _in_words(boxes: Sequence[Box], axes: Axes) -> str:
    parts = []
    for box in boxes:
        if box.does == "given":
            parts.append(_("{name} {shape} is given", name=box.name, shape=box.shape))
            continue
        sources = listed([parent.name for parent in box.parents])
        origin = " " + _("from {sources}", sources=sources) if sources else ""
        times = ", " + _("{times:,} times", times=box.times) if box.times > 1 else ""
        if box.shape is None:
            parts.append(
                _(
                    "{name}{origin} fails at {operation}: {error}",
                    name=box.name,
                    origin=origin,
                    operation=box.does,
                    error=box.error,
                )
            )
            continue
        meaning = f", {axes.named(box.shape)}" if axes.says_more(box.shape) else ""
        parts.append(
            _(
                "{name}{origin} by {operation}{times}: {shape}{meaning}",
                name=box.name,
                origin=origin,
                operation=box.does,
                times=times,
                shape=box.shape,
                meaning=meaning,
            )
        )
    return _("Flow of shapes in {boxes} boxes. {told}.", boxes=len(boxes), told=". ".join(parts))
