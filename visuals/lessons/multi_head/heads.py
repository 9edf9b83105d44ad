"""Many heads: what one cannot reach, several side by side, and one wide projection cut into heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import (
    MARGIN,
    apart,
    cell_width,
    label_width,
    rows_below,
    titled_figure,
    write_tokens,
)
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# A head's colour, beside its label; after the last one they begin anew.
HEAD_COLORS = style.APART
# More heads than this make a page that nobody reads.
MOST_HEADS = 8


def head_color(head: int) -> str:
    """Return the colour of a head's label and frame."""
    return HEAD_COLORS[head % len(HEAD_COLORS)]


@when_ready
def head_trade_off(shares: Any, before: Any, first: Any, both: Any, two_heads: Any) -> Picture:
    """Draw what one head leaves undone as it shifts its attention from one wanted token to another.

    shares (shares,): how much of the attention lies on the first token, in rising order; before, first, both
    (shares,): the errors left for the token before, for the first token, and for both together; two_heads:
    the error that two heads leave for both.

    Raises ValueError when the lengths differ or a number is not finite, TypeError for what holds no numbers.
    """
    x = with_axes(shares, "shares", ("shares",))
    lines = {
        name: with_axes(values, name, ("shares",))
        for name, values in (("before", before), ("first", first), ("both", both))
    }
    rest = float(with_axes([two_heads], "two_heads", ("",))[0])
    for name, values in lines.items():
        if len(values) != len(x):
            raise ValueError(f"{name} has {len(values)} errors for {len(x)} shares.")
    if not np.isfinite(np.concatenate([x, [rest], *lines.values()])).all():
        raise ValueError("shares and errors must be finite: no nan and no inf.")
    with style.look():
        figure = _draw_trade_off(x, lines, rest)
    least = int(lines["both"].argmin())
    alt = _(
        "Curves of the error that one head leaves, over the share of its attention on the first token. "
        "For the token before it goes from {before_first} to {before_last}, for the first token from "
        "{first_first} to {first_last}. For both together it is never below {both} (at share "
        "{share:.2f}). Two heads leave {two}.",
        before_first=words.number(lines["before"][0], 2),
        before_last=words.number(lines["before"][-1], 2),
        first_first=words.number(lines["first"][0], 2),
        first_last=words.number(lines["first"][-1], 2),
        both=words.number(lines["both"][least], 2),
        share=x[least],
        two=words.number(rest, 2),
    )
    return Picture(figure, alt)


def _draw_trade_off(x: np.ndarray, lines: Mapping[str, np.ndarray], rest: float) -> mpl.Figure:
    """Draw the curves of one head, and beside them what two heads leave."""
    figure = titled_figure(740, 400, _("What one head gains for one token, it loses for the other"))
    axes = figure.add_axes((0.09, 0.15, 0.50, 0.68))
    largest = max(float(values.max()) for values in lines.values())
    axes.set(xlim=(float(x[0]), float(x[-1])), ylim=(-0.04 * largest, 1.08 * largest))
    axes.set(xlabel=_("one head: share of its attention on the first token"), ylabel=_("error left"))
    drawn = (
        ("first", "first token", style.APART[0], "-."),
        ("before", "token before", style.APART[1], "--"),
        ("both", "both", style.INK, "-"),
    )
    for name, _label, color, dashes in drawn:
        width = 3.0 if name == "both" else 1.8
        axes.plot(x, lines[name], color=color, linestyle=dashes, linewidth=width, gid=name)
    # Labels stand where their lines end, pushed apart so that they do not touch.
    ends = [(float(lines[name][-1]), label, color, name == "both") for name, label, color, _ in drawn]
    for height, (_name, label, color, strong) in zip(
        apart(np.array([end[0] for end in ends]), 0.075 * largest), ends, strict=True
    ):
        axes.annotate(
            label,
            (float(x[-1]), height),
            (style.points(10), 0),
            textcoords="offset points",
            va="center",
            color=color,
            weight="bold" if strong else "normal",
            annotation_clip=False,
        )
    # Two heads have no share to choose: they get a column of their own, on the same scale.
    beside = figure.add_axes((0.80, 0.15, 0.17, 0.68), sharey=axes)
    beside.set(xlim=(0, 1), xticks=[], xlabel="two heads: both")
    beside.tick_params(labelleft=False)
    beside.plot([0.2, 0.8], [rest, rest], color=style.CONTEXT, linewidth=5, gid="two heads")
    beside.text(
        0.5, rest + 0.05 * largest, words.number(rest, 2), ha="center", color=style.CONTEXT, weight="bold"
    )
    return figure


def _frame(
    board: Board, corner: tuple[float, float], size: tuple[float, float], color: str, name: str
) -> None:
    """Draw a head's frame in its colour."""
    (x, y), (width, height) = corner, size
    edges = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
    across, down = zip(*edges, strict=True)
    board.axes.plot(across, down, color=color, linewidth=2, gid=f"{name} frame", solid_joinstyle="miter")


@when_ready
def split_projection(inputs: Any, weight: Any, num_heads: int, tokens: Sequence[str]) -> Picture:
    """Draw one wide projection of the tokens, and how it is cut into heads.

    inputs (tokens, d_in); weight (d_out, d_in), as `nn.Linear` keeps it; num_heads: how many heads share
    d_out; tokens: one string per token.

    Raises ValueError for another number of axes, sizes that do not fit or a d_out that the heads cannot
    share, TypeError for what holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "d_in"))
    matrix = with_axes(weight, "weight", ("d_out", "d_in"))
    count, d_in = values.shape
    d_out = matrix.shape[0]
    names = token_names(tokens, count, "inputs", "tokens")
    if matrix.shape[1] != d_in:
        raise ValueError(f"inputs has d_in {d_in}, and weight {matrix.shape} takes {matrix.shape[1]}.")
    if not 1 <= num_heads <= MOST_HEADS:
        raise ValueError(f"num_heads must lie from 1 to {MOST_HEADS}, not {num_heads}.")
    if d_out % num_heads:
        raise ValueError(f"{num_heads} heads cannot share d_out {d_out}: it is not divisible.")
    head_dim = d_out // num_heads
    projected = values @ matrix.T  # (tokens, d_in) @ (d_in, d_out) -> (tokens, d_out)

    with style.look():
        figure = _SplitDrawing(values, matrix, projected, num_heads, names).draw()
    in_words = " ".join(
        _(
            "Head {head} has columns {first} to {last}; its first token {vector}.",
            head=head,
            first=head * head_dim,
            last=(head + 1) * head_dim - 1,
            vector=words.vector(projected[0, head * head_dim : (head + 1) * head_dim], 2),
        )
        for head in range(num_heads)
    )
    alt = _(
        "{count} tokens of {d_in} numbers times one wide matrix, {d_in} by {d_out}, give {d_out} numbers "
        "a token, which are cut into {num_heads} heads of {head_dim}. {told}",
        count=count,
        d_in=d_in,
        d_out=d_out,
        num_heads=num_heads,
        head_dim=head_dim,
        told=in_words,
    )
    return Picture(figure, alt + words.not_finite(projected))


class _SplitDrawing:
    """The sheet of `split_projection`: above, tokens times matrix; below, the product cut into heads.

    Args:
        values: the tokens, (tokens, d_in).
        matrix: the wide matrix, (d_out, d_in).
        projected: their product, (tokens, d_out).
        num_heads: into how many heads it is cut.
        names: one for each token.
    """

    GAP, BETWEEN = 8, 34

    def __init__(
        self,
        values: np.ndarray,
        matrix: np.ndarray,
        projected: np.ndarray,
        num_heads: int,
        names: Sequence[str],
    ) -> None:
        self.values, self.matrix, self.projected, self.names = values, matrix, projected, names
        (count, d_in), d_out = values.shape, len(matrix)
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.narrow = cell_width(d_in, 44)
        # 40 pixels are what a negative number with two decimals needs.
        self.wide = max(cell_width(d_out, 54), 40.0 if d_out <= 8 else 0.0)
        labels = label_width(names)
        block = self.wide * d_out + self.GAP * (num_heads - 1)
        self.first = MARGIN + labels
        self.second = self.first + self.narrow * d_in + self.BETWEEN
        self.third = self.second + block + self.BETWEEN
        self.rows = rows_below(112, count)
        self.lower = rows_below(self.rows.bottom + 106, count)
        # Cut apart, each head needs room for its label and its tokens' names.
        self.apart = max(self.wide * self.head_dim, 116) + labels + 14
        right = max(self.third + block, self.first + self.apart * num_heads - labels)
        self.board = Board(round(max(right + MARGIN, 520)), round(self.lower.bottom + MARGIN))
        self.signed = style.color_scale(np.concatenate([matrix.ravel(), projected.ravel()]))

    def draw(self) -> mpl.Figure:
        """Draw all of it."""
        board, (d_out, d_in), rows = self.board, self.matrix.shape, self.rows
        board.title(MARGIN, 28, _("One wide projection, cut into {heads} heads", heads=self.num_heads))
        board.text(self.first, 64, "tokens", weight="bold")
        board.text(self.second, 64, _("wide matrix, {d_in} × {d_out}", d_in=d_in, d_out=d_out), weight="bold")
        board.text(self.third, 64, _("all heads' queries: {d_out} a token", d_out=d_out), weight="bold")
        write_tokens(board, self.first - 8, rows, self.names)
        scale = style.color_scale(self.values)
        middle = (rows.top + rows.bottom) / 2
        board.text(self.second - self.BETWEEN / 2, middle, "×", ha="center", color=style.MUTED)
        board.text(self.third - self.BETWEEN / 2, middle, "=", ha="center", color=style.MUTED)
        size, decimals = (self.narrow, rows.thickness), words.decimals_of(self.values)
        for index, y in enumerate(rows.tops):
            name = f"token {index}"
            board.cells(self.first, y, self.values[index], size, scale, decimals=decimals, name=name)
        for head in range(self.num_heads):
            self._draw_matrix(head, middle - rows.height * d_in / 2)
            self._draw_queries(head)
        board.text(
            MARGIN,
            self.lower.top - 52,
            _(
                "↓  the last axis is cut: {head_dim} numbers a token for each head; each head has all tokens",
                head_dim=self.head_dim,
            ),
            size=style.SMALL_SIZE,
            color=style.MUTED,
        )
        return board.figure

    def _columns(self, head: int) -> slice:
        return slice(head * self.head_dim, (head + 1) * self.head_dim)

    def _shift(self, head: int) -> float:
        """Return how far to the right of the first head's columns a head's own are."""
        return head * (self.wide * self.head_dim + self.GAP)

    def _draw_matrix(self, head: int, start: float) -> None:
        """Draw a head's columns of the wide matrix, from a height on."""
        board, color, high = self.board, head_color(head), self.rows.thickness
        x, d_in = self.second + self._shift(head), self.matrix.shape[1]
        for index in range(d_in):
            size, y = (self.wide, high), start + index * self.rows.height
            numbers, name = self.matrix[self._columns(head), index], f"matrix {head} {index}"
            board.cells(x, y, numbers, size, self.signed, decimals=2, name=name)
        tall = self.rows.height * d_in - self.rows.height + high
        _frame(board, (x, start), (self.wide * self.head_dim, tall), color, f"matrix {head}")
        board.text(x, start - 16, f"head {head}", color=color, weight="bold")

    def _draw_queries(self, head: int) -> None:
        """Draw a head's queries twice: in the product, and below it by themselves."""
        board, color, rows, lower = self.board, head_color(head), self.rows, self.lower
        x, left = self.third + self._shift(head), self.first + head * self.apart
        size = (self.wide, rows.thickness)
        for index, (y, below) in enumerate(zip(rows.tops, lower.tops, strict=True)):
            queries = self.projected[index, self._columns(head)]
            name = f"projected {head} {index}"
            board.cells(x, y, queries, size, self.signed, decimals=2, name=name)
            board.cells(left, below, queries, size, self.signed, decimals=2, name=f"head {head} {index}")
        tall = rows.height * (rows.count - 1) + rows.thickness
        for corner in ((x, rows.top), (left, lower.top)):
            _frame(board, corner, (self.wide * self.head_dim, tall), color, f"queries {head}")
        board.text(x, rows.top - 16, f"head {head}", color=color, weight="bold")
        board.text(left, lower.top - 16, f"head {head}", color=color, weight="bold")
        write_tokens(board, left - 8, lower, self.names)


def row_range(head: int, head_dim: int) -> str:
    """Return the rows of the wide matrix that belong to a head, as "rows 2 to 3"."""
    first, last = head * head_dim, (head + 1) * head_dim - 1
    if first == last:
        return _("row {row}", row=first)
    return _("rows {first} to {last}", first=first, last=last)


@when_ready
def matrix_slices(narrow: Any, name: str = "W_query") -> Picture:
    """Draw the heads' narrow matrices and the wide matrix that is made of them, one below the other.

    narrow (heads, head_dim, d_in), each head's matrix as `nn.Linear` keeps it; name: what it is called.

    Raises ValueError for another number of axes or more than 8 heads, TypeError for what holds no numbers.
    """
    matrices = with_axes(narrow, "narrow", ("heads", "head_dim", "d_in"))
    heads, head_dim, d_in = matrices.shape
    if heads > MOST_HEADS:
        raise ValueError(f"narrow has {heads} heads; at most {MOST_HEADS} are drawn.")
    across = cell_width(d_in, 60)
    high, gap = float(np.clip(260 / (heads * head_dim), 14, 28)), 34
    left, top = MARGIN + 4, 108.0
    right = left + max(across * d_in, 216) + 70
    tall = heads * head_dim * high + (heads - 1) * gap
    wide_top = top + (heads - 1) * gap / 2
    with style.look():
        board = Board(round(right + max(across * d_in, 170) + 176), round(top + tall + MARGIN))
        board.title(MARGIN, 28, _("{heads} narrow matrices are the slices of one wide matrix", heads=heads))
        board.text(left, 64, _("the stack"), weight="bold")
        board.text(right, 64, _("the fused class"), weight="bold")
        label = f"{name}.weight ({heads * head_dim}, {d_in})"
        board.text(right, wide_top - 16, label, size=style.SMALL_SIZE, color=style.MUTED)
        scale = style.color_scale(matrices)
        for head in range(heads):
            color = head_color(head)
            block_top = top + head * (head_dim * high + gap)
            inside = wide_top + head * head_dim * high
            label = f"heads.{head}.{name}.weight ({head_dim}, {d_in})"
            board.text(left, block_top - 16, label, size=style.SMALL_SIZE, color=style.MUTED)
            for row in range(head_dim):
                values, size = matrices[head, row], (across, high)
                y, y_inside = block_top + row * high, inside + row * high
                board.cells(left, y, values, size, scale, decimals=2, name=f"narrow {head} {row}")
                board.cells(right, y_inside, values, size, scale, decimals=2, name=f"wide {head} {row}")
            block = (across * d_in, head_dim * high)
            _frame(board, (left, block_top), block, color, f"narrow {head}")
            _frame(board, (right, inside), block, color, f"wide {head}")
            middle = head_dim * high / 2
            board.arrow((left + across * d_in + 10, block_top + middle), (right - 10, inside + middle))
            board.text(
                right + across * d_in + 12,
                inside + middle,
                f"head {head}: {row_range(head, head_dim)}",
                size=min(style.SMALL_SIZE, head_dim * high * 0.8),
                color=color,
                weight="bold",
            )
    return Picture(board.figure, _slices_in_words(matrices, name) + words.not_finite(matrices))


def _slices_in_words(matrices: np.ndarray, name: str) -> str:
    """Say which rows of the wide matrix are which head's."""
    heads, head_dim, d_in = matrices.shape
    in_words = "; ".join(
        _(
            "heads.{head}.{name}.weight is {rows}, the first of them {vector}",
            head=head,
            name=name,
            rows=row_range(head, head_dim),
            vector=words.vector(matrices[head, 0], 2),
        )
        for head in range(heads)
    )
    return _(
        "{heads} narrow matrices of {head_dim} by {d_in} below one another make {name}.weight, {rows} by "
        "{d_in}: {told}.",
        heads=heads,
        head_dim=head_dim,
        d_in=d_in,
        name=name,
        rows=heads * head_dim,
        told=in_words,
    )
