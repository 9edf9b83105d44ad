"""Bars that a learner draws as a prediction, and the true bars that slide in behind them, as HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping

STYLE = """
.ag-bars{display:grid;grid-template-columns:max-content minmax(0,22em) max-content;gap:2px .8em}
.ag-bars label,.ag-bar{display:contents}.ag-bars b{font-weight:400;font-variant-numeric:tabular-nums}
.ag-bars input{appearance:none;width:100%;height:24px;margin:0;cursor:ew-resize;border-radius:3px;
background:linear-gradient(90deg,#f0a050 var(--drawn),transparent var(--drawn)) var(--jp-layout-color2,#eee)}
.ag-bars input::-webkit-slider-thumb{appearance:none;width:8px;height:24px;background:#9a4a00}
.ag-bars input::-moz-range-thumb{width:8px;height:24px;border:0;background:#9a4a00}
.ag-track{position:relative;height:20px;background:var(--jp-layout-color2,#eee);overflow:hidden}
.ag-track i{position:absolute;inset-block:0;left:0}
.ag-came{background:#2166ac;width:var(--came);animation:ag-slide .9s ease-out}
.ag-guess{width:var(--drawn);border-right:3px solid #f0a050;box-sizing:border-box}
@keyframes ag-slide{from{width:0}}@media (prefers-reduced-motion:reduce){.ag-came{animation:none}}
""".replace("\n", "")


def drawn(said: str) -> tuple[float, ...]:
    """Return the numbers of a drawn prediction; none if the text is no drawn prediction."""
    try:
        return tuple(float(number) for number in said.split())
    except ValueError:
        return ()


def near(guesses: tuple[float, ...], came: tuple[float, ...], within: float) -> bool:
    """Tell whether each drawn bar is close enough to the true one.

    Args:
        guesses: the lengths of the drawn bars.
        came: the lengths of the true bars.
        within: the allowed difference, as a share of the longest true bar.
    """
    room = within * max(map(abs, came), default=0) + 1e-9
    return len(guesses) == len(came) and all(
        abs(guess - number) <= room for guess, number in zip(guesses, came, strict=True)
    )


def listed(came: Mapping[str, float]) -> str:
    """Return the label and length of each bar as text."""
    return ", ".join(f"{label} {number:.2f}" for label, number in came.items())


def bars(came: Mapping[str, float], most: float, said: str = "") -> str:
    """Return the HTML of the true bars, with a mark at the end of each drawn bar.

    It is hidden from screen readers, since a sentence beside it says the same.

    Args:
        came: the length of each bar by its label.
        most: the value of a bar of full length.
        said: the learner's drawn prediction, as lengths separated by spaces; "" for none.
    """
    guesses = drawn(said) or (0.0,) * len(came)
    rows = (
        f'<div class="ag-bar"><span>{html.escape(label)}</span><span class="ag-track">'
        f'<i class="ag-came" style="--came:{_percent(number, most)}"></i>'
        f'<i class="ag-guess" style="--drawn:{_percent(guess, most)}"></i></span><b>{number:.2f}</b></div>'
        for (label, number), guess in zip(came.items(), guesses, strict=False)
    )
    return f'<div class="ag-bars" aria-hidden="true">{"".join(rows)}</div>'


def _percent(number: float, most: float) -> str:
    return f"{100 * min(max(number / most, 0), 1):.1f}%"
