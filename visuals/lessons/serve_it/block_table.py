"""Texts in the blocks of a paged cache, as their tables say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from visuals import style
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.language import _
from visuals.picture import Picture

Texts = Mapping[str, tuple[Sequence[int], int]]
COLORS = (style.QUERY, style.CONTEXT, style.SCORE)
SLOT, ROW = 44, 36


def block_table(texts: Texts, num_blocks: int, block_size: int) -> Picture:
    """Draw the tables of texts beside a pool of blocks, in which each token is at its slot.

    texts: for each name its table of blocks and how many tokens it has, at most three names.

    Raises ValueError where a table has too few blocks, names one twice or one that is not in the pool.
    """
    _refuse_odd(texts, num_blocks, block_size)
    owner = _owners(texts, block_size)
    left = 300
    with style.look():
        board = Board(left + block_size * SLOT + 3 * MARGIN + 40, 96 + max(num_blocks, 2 * len(texts)) * ROW)
        board.title(MARGIN, 28, _("A pool of blocks, and a table for each text"))
        board.text(MARGIN, 66, _("block tables"), weight="bold")
        board.text(left, 66, _("pool: blocks of {size} slots", size=block_size), weight="bold")
        for row, (name, (table, tokens)) in enumerate(texts.items()):
            top = 84 + 2 * row * ROW
            board.text(MARGIN, top + ROW / 2, _("text {name}, {tokens} tokens", name=name, tokens=tokens))
            for at, block in enumerate(table):
                board.block(
                    MARGIN + at * SLOT,
                    top + ROW,
                    SLOT - 3,
                    ROW - 6,
                    COLORS[row],
                    str(block),
                    f"table {name} {at}",
                )
        for block in range(num_blocks):
            top = 84 + block * ROW
            board.text(left - 10, top + ROW / 2, str(block), ha="right", size=style.SMALL_SIZE)
            for slot in range(block_size):
                name, token, color = owner.get(block * block_size + slot, ("", "", style.LINE))
                board.block(
                    left + slot * SLOT,
                    top,
                    SLOT - 3,
                    ROW - 6,
                    color,
                    f"{name}{token}",
                    f"slot {block * block_size + slot}",
                )
    summary = " ".join(
        _(
            "Text {name} has {tokens} tokens in the blocks {table}, in this order.",
            name=name,
            tokens=tokens,
            table=", ".join(map(str, table)),
        )
        for name, (table, tokens) in texts.items()
    )
    used = {block for table, _tokens in texts.values() for block in table}
    unused = [str(block) for block in range(num_blocks) if block not in used]
    about = _("A pool of {blocks} blocks of {size} slots.", blocks=num_blocks, size=block_size)
    rest = _("Free blocks: {blocks}.", blocks=", ".join(unused) or _("none"))
    return Picture(board.figure, f"{about} {summary} {rest}")


def _owners(texts: Texts, block_size: int) -> dict[int, tuple[str, int, str]]:
    """Return for each slot that holds a token the text, the token and the text's colour."""
    return {
        block * block_size + slot: (name, at * block_size + slot, COLORS[row])
        for row, (name, (table, tokens)) in enumerate(texts.items())
        for at, block in enumerate(table)
        for slot in range(block_size)
        if at * block_size + slot < tokens
    }


def _refuse_odd(texts: Texts, num_blocks: int, block_size: int) -> None:
    """Raise ValueError for tables that cannot be drawn."""
    listed = [block for table, _tokens in texts.values() for block in table]
    if not 1 <= len(texts) <= len(COLORS) or len(set(listed)) < len(listed):
        raise ValueError("There are one to three texts, and no block is in two tables.")
    if not all(0 <= block < num_blocks for block in listed) or not 1 <= num_blocks * block_size <= 64:
        raise ValueError(f"Blocks are numbered from 0 to {num_blocks - 1}; at most 64 slots can be drawn.")
    if any(-(-tokens // block_size) > len(table) for table, tokens in texts.values()):
        raise ValueError("A text has more tokens than the blocks of its table have slots.")
