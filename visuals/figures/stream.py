"""The path of one token through a transformer: a stream that every part reads and adds to."""

from __future__ import annotations

from visuals import mpl, style
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.language import _
from visuals.picture import Picture

BOX, TALL, GAP = 124, 46, 20


def residual_stream(num_layers: int = 1, mlp: bool = True) -> Picture:
    """Draw how token ids become scores for the next token: parts read the stream and add to it.

    num_layers: how many blocks; mlp: whether each has an MLP beside its attention.

    Raises ValueError for fewer than 1 or more than 3 blocks.
    """
    if not 1 <= num_layers <= 3:
        raise ValueError(f"num_layers must be 1, 2 or 3, not {num_layers}.")
    parts = ["attention", "MLP"] if mlp else ["attention"]
    branches = [(layer, part) for layer in range(num_layers) for part in parts]
    first = MARGIN + 2 * (BOX + GAP)
    width = first + len(branches) * (BOX + 3 * GAP) + 2 * (BOX + GAP) + 3 * GAP
    line, above = 190.0, 92.0
    with style.look():
        board = Board(width, 260)
        board.title(MARGIN, 28, _("Every part reads the stream and adds to it"))
        _box(board, MARGIN, line, ("token ids", "(b, tokens)"), style.MUTED)
        _box(board, MARGIN + BOX + GAP, line, ("embedding", "+ position"), style.QUERY)
        last = width - MARGIN - 2 * BOX - GAP
        board.arrow((MARGIN + BOX, line), (MARGIN + BOX + GAP, line))
        board.axes.plot([first - GAP, last], [line, line], color=style.SCORE, linewidth=6, gid="stream")
        board.text(
            first + 2,
            line + 34,
            _("the stream: (b, tokens, d_model)"),
            size=style.SMALL_SIZE,
            color=style.SCORE,
        )
        for index, (layer, part) in enumerate(branches):
            left = first + 2 * GAP + index * (BOX + 3 * GAP)
            _draw_branch(board, left, (line, above), layer, part)
        _box(board, last, line, ("LayerNorm,", "unembedding"), style.QUERY)
        board.arrow((last + BOX, line), (last + BOX + GAP, line))
        _box(board, last + BOX + GAP, line, ("next token", "(b, tokens, vocab)"), style.MUTED)
    parts_in_words = ", then ".join(
        f"block {layer}: " + " and ".join(f"LayerNorm and {part}" for part in parts)
        for layer in range(num_layers)
    )
    return Picture(
        board.figure,
        _(
            "The path of each token: token ids (b, tokens), embedding plus position, then a stream (b, "
            "tokens, d_model) that every part reads and adds its result to: {told}. At the end LayerNorm "
            "and unembedding give scores for the next token (b, tokens, vocab).",
            told=parts_in_words,
        ),
    )


def _draw_branch(board: Board, left: float, heights: tuple[float, float], layer: int, part: str) -> None:
    """Draw a part of a block above the stream: it reads the stream, and adds to it."""
    line, above = heights
    color = style.WEIGHT if part == "attention" else style.CONTEXT
    what = _("between tokens") if part == "attention" else _("within a token")
    _box(board, left, above, (f"LayerNorm, {part}", what), color, grown=12)
    board.arrow((left - GAP, line), (left - GAP, above))
    board.line((left - GAP, above), (left - 12, above), style.MUTED)
    board.line((left + BOX + 12, above), (left + BOX + GAP, above), style.MUTED)
    board.arrow((left + BOX + GAP, above), (left + BOX + GAP, line - 12))
    _plus(board, left + BOX + GAP, line)
    if part == "attention":
        board.text(
            left - 12,
            above - 38,
            _("block {layer}", layer=layer),
            size=style.SMALL_SIZE,
            weight="bold",
        )


def _box(
    board: Board, left: float, middle: float, lines: tuple[str, str], color: str, grown: float = 0
) -> None:
    corner = (left - grown, middle - TALL / 2)
    board.axes.add_artist(
        mpl.Rectangle(
            corner, BOX + 2 * grown, TALL, facecolor=style.CARD, edgecolor=color, linewidth=1.6, zorder=3
        )
    )
    for line, text in enumerate(lines):
        board.text(
            left + BOX / 2, middle - 9 + 18 * line, text, ha="center", size=11.5, color=color, zorder=4
        )


def _plus(board: Board, x: float, y: float) -> None:
    board.axes.plot([x], [y], marker="o", markersize=15, color=style.SCORE, zorder=3)
    board.text(x, y - 1, "+", ha="center", size=15, weight="bold", color=style.CARD, zorder=4)
