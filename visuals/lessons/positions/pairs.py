"""Which numbers of a head are rotated together."""

from __future__ import annotations

from visuals import mpl, style
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.language import N_, _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# One colour for each pair; more pairs have no colours that can be told apart.
PAIR_COLORS = (style.QUERY, style.SCORE, style.WEIGHT, style.CONTEXT)


@when_ready
def rope_pairs(head_dim: int = 8) -> Picture:
    """Draw which numbers of a head are rotated together, in the interleaved and in the half-split form.

    head_dim: 2, 4, 6 or 8.

    Raises ValueError for another size.
    """
    if head_dim not in (2, 4, 6, 8):
        raise ValueError(f"head_dim must be 2, 4, 6 or 8 to be drawn, not {head_dim}.")
    half = head_dim // 2
    forms = {
        N_("interleaved: neighbours"): [(2 * pair, 2 * pair + 1) for pair in range(half)],
        N_("half-split: first half with second half"): [(pair, pair + half) for pair in range(half)],
    }
    cell = 62
    with style.look():
        board = Board(MARGIN * 2 + max(cell * head_dim, 400), 330)
        board.title(MARGIN, 28, _("Which numbers are rotated together"))
        for top, (title, pairs) in zip((60, 196), forms.items(), strict=True):
            board.text(MARGIN, top, _(title), weight="bold")
            for pair, numbers in enumerate(pairs):
                color = PAIR_COLORS[pair]
                ends = [MARGIN + (number + 0.5) * cell for number in numbers]
                for number, x in zip(numbers, ends, strict=True):
                    board.text(
                        x,
                        top + 88,
                        f"{number}\nθ{pair}",
                        ha="center",
                        color=color,
                        weight="bold",
                        bbox={"facecolor": "white", "edgecolor": color, "pad": 5},
                        gid=f"{title.partition(':')[0]} {number}",
                    )
                rise = top + 62 - (10 + 16 * (1 + pair % 2) * (ends[1] - ends[0] > cell))
                arc = mpl.Path(
                    [(ends[0], top + 62), (ends[0], rise), (ends[1], rise), (ends[1], top + 62)],
                    [mpl.Path.MOVETO, mpl.Path.CURVE4, mpl.Path.CURVE4, mpl.Path.CURVE4],
                )
                board.axes.add_artist(mpl.PathPatch(arc, facecolor="none", edgecolor=color, linewidth=1.8))
    in_words = "; ".join(
        ", ".join((_(title), *(_("{one} with {other}", one=first, other=second) for first, second in pairs)))
        for title, pairs in forms.items()
    )
    return Picture(
        board.figure, _("Pairs of a head with {head_dim} numbers. {told}.", head_dim=head_dim, told=in_words)
    )
