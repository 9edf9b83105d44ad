"""Numbers and vectors in words: the text on pictures and the alternative text beside them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from visuals.language import _

# Up to this many numbers an alternative text lists every one; beyond, a listener wants the striking ones.
LISTED = 12


def number(value: float, decimals: int = 4) -> str:
    """Return a number as torch prints it.

    Fixed decimals, an exponent where it is huge, 'nan', 'inf' or '-inf'.
    """
    if not np.isfinite(value):
        return str(float(value))
    text = f"{value:.1e}" if abs(value) >= 1e5 else f"{value:.{decimals}f}"
    # A tiny negative number rounds to "-0.00", which looks like a mistake.
    return text.lstrip("-") if float(text) == 0 else text


def joined(names: Sequence[str]) -> str:
    """All names in one phrase: 'a and b'."""
    return reduce(lambda first, last: _("{first} and {last}", first=first, last=last), names)


def vector(values: Sequence[float] | np.ndarray, decimals: int = 4) -> str:
    """Return a vector in parentheses: '(0.4419, 0.6515, 0.5683)'.

    A long one says how many entries are left out.
    """
    shown = [number(value, decimals) for value in values[:LISTED]]
    if len(values) > LISTED:
        shown.append(_("and {count} more", count=len(values) - LISTED))
    return f"({', '.join(shown)})"


def decimals_of(values: np.ndarray) -> int:
    """Two decimals where they say it all, as in the lesson's inputs; else four, as torch prints."""
    finite = values[np.isfinite(values)]
    return 2 if np.allclose(finite, np.round(finite, 2), atol=1e-6) else 4


def extremes(values: np.ndarray) -> tuple[int, int] | None:
    """Return the flat positions of the largest and the smallest finite value.

    None when no value is finite.
    """
    flat = values.ravel()
    finite = np.flatnonzero(np.isfinite(flat))
    if finite.size == 0:
        return None
    return int(finite[flat[finite].argmax()]), int(finite[flat[finite].argmin()])


def by_token(tokens: Sequence[str], values: np.ndarray, decimals: int = 4) -> str:
    """One value per token: 'Your 0.9544, journey 1.4950'; of many tokens, the three largest."""
    pairs = [f"{token} {number(value, decimals)}" for token, value in zip(tokens, values, strict=True)]
    if len(pairs) <= LISTED:
        return ", ".join(pairs)
    order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")  # (tokens,) -> (tokens,)
    return _("largest {pairs}", pairs=", ".join(pairs[index] for index in order[:3]))


def not_finite(values: np.ndarray) -> str:
    """Return a sentence that counts NaN and infinite entries, or an empty string when there are none."""
    counts = [
        f"{int(count)} {name}"
        for name, count in (
            ("nan", np.isnan(values).sum()),
            ("inf", np.isposinf(values).sum()),
            ("-inf", np.isneginf(values).sum()),
        )
        if count
    ]
    return " " + _("Not finite: {numbers}.", numbers=", ".join(counts)) if counts else ""


def shortened(token: str, length: int = 12) -> str:
    """Return a token that fits beside a picture; the alternative text keeps the whole of it."""
    return token if len(token) <= length else token[: length - 1] + "…"
