"""The two orders in which one wide weight holds queries, keys and values."""

from __future__ import annotations

from visuals import style
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.language import N_, _
from visuals.picture import Picture

ROLES = (("query", style.QUERY), ("key", style.SCORE), ("value", style.CONTEXT))
ROW, WIDTH, GAP = 26, 190, 150


def qkv_rows(num_heads: int = 2, head_dim: int = 2) -> Picture:
    """Draw the rows of a wide weight, all queries first, and head by head.

    Raises ValueError where there would be no rows, or more than 24.
    """
    count = 3 * num_heads * head_dim
    if not 0 < count <= 24 or num_heads < 1:
        raise ValueError(f"{num_heads} heads of {head_dim} make {count} rows; 1 to 24 can be drawn.")
    heads, dims = range(num_heads), range(head_dim)
    orders = {
        "query, key, value": [(role, head) for role in range(3) for head in heads for _ in dims],
        N_("head by head"): [(role, head) for head in heads for role in range(3) for _ in dims],
    }
    with style.look():
        board = Board(2 * MARGIN + 2 * WIDTH + GAP + 40, 92 + count * ROW)
        board.title(MARGIN, 28, _("One weight, two orders of its rows"))
        for column, (title, rows) in enumerate(orders.items()):
            left = MARGIN + 30 + column * (WIDTH + GAP)
            board.text(left, 62, title, weight="bold")
            for index, (role, head) in enumerate(rows):
                name, color = ROLES[role]
                top = 80 + index * ROW
                board.text(left - 10, top + ROW / 2, str(index), ha="right", size=style.SMALL_SIZE)
                board.block(
                    left,
                    top,
                    WIDTH,
                    ROW - 3,
                    color,
                    _("{name} of head {head}", name=name, head=head),
                    f"{title} {index}",
                )
    in_words = "; ".join(
        f"{_(title)}: "
        + ", ".join(_("{role} of head {head}", role=ROLES[role][0], head=head) for role, head in rows)
        for title, rows in orders.items()
    )
    about = _("The rows of a weight for {num_heads} heads in two orders, from row 0 on.", num_heads=num_heads)
    return Picture(board.figure, f"{about} {in_words}.")
