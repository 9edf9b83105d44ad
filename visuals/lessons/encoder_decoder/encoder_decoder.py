"""The data flow of the encoder-decoder: two sequences, three attentions."""

from __future__ import annotations

from collections.abc import Sequence

from visuals import mpl, style, words
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

PADDING = "<pad>"
COLUMN = 306.0
BETWEEN = 128.0
CHIP_HEIGHT = 28.0
BOX = 84.0  # the height of a box
LETTER = 8.2


@when_ready
def encoder_decoder(source: Sequence[str], target: Sequence[str]) -> Picture:
    """Draw how a source and a target sentence run through encoder and decoder.

    source, target: one string per token; "<pad>" is padding.

    Raises TypeError for one string in place of a list, ValueError for an empty list.
    """
    source, target = sentence(source, "source"), sentence(target, "target")
    left, right = float(MARGIN), MARGIN + COLUMN + BETWEEN
    lines = max(len(_chip_lines(source)), len(_chip_lines(target)))
    first = 96 + lines * (CHIP_HEIGHT + 6) + 34
    second = first + BOX + 62
    third = second + BOX + 46
    with style.look():
        board = Board(round(right + COLUMN + MARGIN), round(third + 58 + MARGIN))
        board.title(left, 28, "Encoder")
        board.text(left, 54, _("reads the source: {count} tokens", count=len(source)), color=style.MUTED)
        board.title(right, 28, "Decoder")
        board.text(right, 54, _("writes the target: {count} tokens", count=len(target)), color=style.MUTED)
        _chips(board, left, 84, source, "source")
        _chips(board, right, 84, target, "target")
        middle_left, middle_right = left + COLUMN / 2, right + COLUMN / 2
        for x in (middle_left, middle_right):
            board.arrow((x, first - 28), (x, first - 3))
        _draw_self_attention(board, (left, right), (first, second))
        _draw_cross_attention(board, (left, right), (second, third), (len(source), len(target)))
    alt = _(
        "Data flow of the encoder-decoder. The encoder reads the source, {source}: self-attention with "
        "query, key and value from the source and a padding mask gives one vector for each source token. "
        "The decoder writes the target, {target}: masked self-attention with query, key and value from "
        "the target and a causal and padding mask; its result is the query of cross-attention, whose key "
        "and value come from the output of the encoder, with the padding mask of the source. The result "
        "has {count} vectors, one for each target token.",
        source=_counted(source),
        target=_counted(target),
        count=len(target),
    )
    return Picture(board.figure, alt)


def _draw_self_attention(board: Board, lefts: tuple[float, float], tops: tuple[float, float]) -> None:
    """Draw how the tokens of each sentence look at one another, and an arrow to what comes of it."""
    (left, right), (first, second) = lefts, tops
    _box(
        board,
        left,
        first,
        "self-attention",
        (_("query, key, value: source"), _("mask: padding")),
        style.SCORE,
    )
    _box(
        board,
        right,
        first,
        "masked self-attention",
        (_("query, key, value: target"), _("mask: causal and padding")),
        style.SCORE,
    )
    board.arrow((left + COLUMN / 2, first + BOX + 3), (left + COLUMN / 2, second - 3))
    board.arrow((right + COLUMN / 2, first + BOX + 3), (right + COLUMN / 2, second - 3), style.QUERY)
    board.text(right + COLUMN / 2 + 12, (first + BOX + second) / 2, "query", color=style.QUERY, weight="bold")


def _draw_cross_attention(
    board: Board, lefts: tuple[float, float], tops: tuple[float, float], counts: tuple[int, int]
) -> None:
    """Draw how the target's tokens look at the source's, and what comes of it."""
    (left, right), (second, third), (source, target) = lefts, tops, counts
    _box(
        board,
        left,
        second,
        _("output of the encoder"),
        (_("{count} vectors, one for each", count=source), "source token"),
        style.MUTED,
    )
    _box(
        board,
        right,
        second,
        "cross-attention",
        (_("query: target; key, value: source"), _("mask: padding of the source")),
        style.CONTEXT,
    )
    board.arrow((left + COLUMN + 4, second + BOX / 2), (right - 4, second + BOX / 2), style.CONTEXT)
    board.text(
        left + COLUMN + BETWEEN / 2,
        second + BOX / 2 - 16,
        "key, value",
        ha="center",
        color=style.CONTEXT,
        weight="bold",
    )
    board.arrow((right + COLUMN / 2, second + BOX + 3), (right + COLUMN / 2, third - 3))
    _box(
        board,
        right,
        third,
        _("{count} vectors, one for each target token", count=target),
        (),
        style.MUTED,
        height=46,
    )


def sentence(tokens: Sequence[str], name: str) -> list[str]:
    """Return the tokens of one sentence as strings.

    Raises TypeError for one string in place of a list, ValueError for an empty list.
    """
    if isinstance(tokens, str):
        raise TypeError(f"{name} must be a list of strings, one per token; for one sentence pass it.split().")
    names = [str(token) for token in tokens]
    if not names:
        raise ValueError(f"{name} is empty: it needs at least one token.")
    return names


def _counted(tokens: Sequence[str]) -> str:
    padding = sum(token == PADDING for token in tokens)
    listed = " ".join(tokens[: words.LISTED]) + (" …" if len(tokens) > words.LISTED else "")
    tail = _(", {padding} of them padding", padding=padding) if padding else ""
    return _("{count} tokens{tail} ({listed})", count=len(tokens), tail=tail, listed=listed)


def _chip_width(token: str) -> float:
    return LETTER * len(words.shortened(token)) + 12


def _chip_lines(tokens: Sequence[str]) -> list[list[str]]:
    """Tokens on as many lines as it takes for them to fit a column."""
    lines: list[list[str]] = [[]]
    used = 0.0
    for token in tokens:
        width = _chip_width(token) + 5
        if lines[-1] and used + width > COLUMN + 5:
            lines.append([])
            used = 0.0
        lines[-1].append(token)
        used += width
    return lines


def _chips(board: Board, left: float, top: float, tokens: Sequence[str], name: str) -> None:
    """Draw every token as a small card; padding is hatched."""
    index = 0
    for line, members in enumerate(_chip_lines(tokens)):
        x, y = left, top + line * (CHIP_HEIGHT + 6)
        for token in members:
            padding = token == PADDING
            width = _chip_width(token)
            board.axes.add_patch(
                mpl.FancyBboxPatch(
                    (x, y),
                    width,
                    CHIP_HEIGHT,
                    boxstyle="round,pad=0,rounding_size=5",
                    facecolor=style.CARD,
                    edgecolor=style.LINE if padding else style.INK,
                    hatch="////" if padding else None,
                    linewidth=1,
                    gid=f"{name} {index}",
                )
            )
            board.text(
                x + width / 2,
                y + CHIP_HEIGHT / 2,
                words.shortened(token),
                ha="center",
                size=style.SMALL_SIZE,
                color=style.MUTED if padding else style.INK,
                bbox={"facecolor": style.CARD, "edgecolor": "none", "pad": 0.6},
            )
            x += width + 5
            index += 1


def _box(
    board: Board,
    left: float,
    top: float,
    heading: str,
    lines: Sequence[str],
    color: str,
    height: float = BOX,
) -> None:
    board.axes.add_patch(
        mpl.FancyBboxPatch(
            (left, top),
            COLUMN,
            height,
            boxstyle="round,pad=0,rounding_size=8",
            facecolor=style.CARD,
            edgecolor=color,
            linewidth=2.2,
            gid=f"box {heading}",
        )
    )
    if lines:
        board.text(left + 14, top + 20, heading, weight="bold", color=color)
    else:
        board.text(left + COLUMN / 2, top + height / 2, heading, ha="center", size=style.SMALL_SIZE)
    for index, line in enumerate(lines):
        board.text(left + 14, top + 43 + 20 * index, line, size=style.SMALL_SIZE)
