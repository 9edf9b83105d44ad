"""What is said beside pictures and on explorers, in the language that the notebook speaks.

What is drawn by Matplotlib is said so too, where it has letters for the script and can shape them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from typing import Any

from autograder.words import language

from visuals.fonts import can_draw

_drawing: ContextVar[bool] = ContextVar("drawing", default=False)


def _(text: str, /, **values: Any) -> str:
    """Return a text in the spoken language, its placeholders filled in where there are values."""
    _begin()
    translation = language._(text, **values)
    if _drawing.get() and not can_draw(translation):
        return text.format_map(values) if values else text
    return translation


def ngettext(one: str, many: str, number: int) -> str:
    """Return a text about a number of things, which it may name as {number}."""
    _begin()
    return language.ngettext(one, many, number)


def N_(text: str) -> str:  # noqa: N802 (gettext's name for it)
    """Return a text of a table, in English: it is translated where it is shown."""
    return text


@contextmanager
def drawing() -> Iterator[None]:
    """Leave texts in English that Matplotlib cannot draw; the language is known before a font is chosen."""
    _begin()
    before = _drawing.set(True)
    try:
        yield
    finally:
        _drawing.reset(before)


@cache
def _begin() -> None:
    """Speak the notebook's language; a check asks for it again, so once is enough here."""
    from autograder.lesson.check_calls import find_course  # only now: torch is loaded then
    from autograder.records.authoring_errors import AuthoringError

    with suppress(AuthoringError):
        find_course()
