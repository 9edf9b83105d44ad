"""The language that a learner is spoken to in: the tool's messages, and what a course says beside its prose.

English stands in the code and in the course. Translations lie in a course's bank, in a folder for each
language, and a text without one stays English. Only what a learner sees is translated: a check compares
the same tensors in every language.
"""

from __future__ import annotations

import contextlib
import gettext
import os
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.files import Identity, identity

# Set to a language's code to be spoken to in it, wherever the notebook lies.
LANGUAGE = "AUTOGRADER_LANGUAGE"
# Where a graded notebook says in which language it was written.
SPOKEN = "spoken_language"
# The file of what the tool itself says, beside those of the lessons.
MESSAGES = "messages"

_spoken = gettext.NullTranslations()
# What stands in for it in one thread: graders work in several, each for a student.
_here: ContextVar[gettext.NullTranslations | None] = ContextVar("here", default=None)


def speak(bank: Path, languages: Sequence[str]) -> str:
    """Speak the notebook's language from now on: the one asked for, or that of the folder it lies in.

    Translated notebooks lie in `notebooks/<language>/<lesson>`. The first of the languages is the one that
    the course is written in.
    """
    notebook = Path(os.environ.get("JPY_SESSION_NAME", ""))
    places = [one for folder in (Path.cwd(), notebook.parent) for one in (folder.parent.name, folder.name)]
    asked = [os.environ.get(LANGUAGE, ""), *places]
    language = next((one for one in asked if one in languages), languages[0])
    use(_of(bank, language))
    return language


@contextlib.contextmanager
def speaking(bank: Path, language: str) -> Iterator[None]:
    """Speak a language of a course for a while, in this thread alone: a student's, in what they get back."""
    before = _here.set(_of(bank, language))
    try:
        yield
    finally:
        _here.reset(before)


def use(translations: gettext.NullTranslations) -> None:
    """Speak by these translations from now on."""
    global _spoken
    _spoken = translations


def _of(bank: Path, language: str) -> gettext.NullTranslations:
    return _read(tuple(map(identity, sorted((bank / language).glob("*.mo") if language else ()))))


@lru_cache(maxsize=4)
def _read(files: tuple[Identity, ...]) -> gettext.NullTranslations:
    found = gettext.NullTranslations()
    for file in files:
        with contextlib.suppress(OSError, UnicodeDecodeError), file.path.open("rb") as content:
            one = gettext.GNUTranslations(content)
            one.add_fallback(found)
            found = one
    return found


class Note(str):
    """A message in English, for whoever grades, that `_` says to a student in another language.

    Its values may be notes, too.
    """

    text: str
    values: Mapping[str, Any]

    def __new__(cls, text: str, /, **values: Any) -> Note:
        made = super().__new__(cls, text.format_map(values))
        made.text, made.values = text, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, Any]]:
        return (self.text,), self.values


def _(text: str, values: Mapping[str, Any] | None = None) -> str:
    """Return a message of the tool in the spoken language, with its placeholders filled in."""
    if isinstance(text, Note):
        values = {name: _(one) if isinstance(one, Note) else one for name, one in text.values.items()}
        text = text.text
    said = _now().gettext(text)
    return said.format_map(values) if values is not None else said


def ngettext(one: str, many: str, number: int, values: Mapping[str, Any] | None = None) -> str:
    """Return a message of the tool about a number of things, in the form that the number asks for."""
    said = _now().ngettext(one, many, number)
    return said.format_map(values) if values is not None else said


def translated(context: str, text: str) -> str:
    """Return a text of the course in the spoken language; the context says where it stands."""
    return _now().pgettext(context, text)


def spoken() -> str:
    """Return the spoken language, "bn" say."""
    return _now().info().get("language", "en")


def _now() -> gettext.NullTranslations:
    return _here.get() or _spoken


# What a page's template calls.
ON_PAGES = {"_": _, "ngettext": ngettext, "lang": lambda: spoken().replace("_", "-")}
