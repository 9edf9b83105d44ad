"""The language that a learner is spoken to in: the tool's messages, and what a course says beside its prose.

English stands in the code and in the course. Translations lie in a folder for each language, those of the
tool's messages beside this module and those of a course in its bank; a text without one stays English. Only
what a learner sees is translated: a check compares the same tensors in every language.
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

from autograder.records.file_digests import Identity, identity

# Set to a language's code to be spoken to in it, wherever the notebook lies.
LANGUAGE = "AUTOGRADER_LANGUAGE"
# Where a graded notebook says in which language it was written.
SPOKEN = "spoken_language"
# The file of what the tool itself says; a course may translate that, too.
MESSAGES = "messages"
OWN = Path(__file__).parent / "locale"

_spoken = gettext.NullTranslations()
# What stands in for it in one thread: graders work in several, each for a student.
_here: ContextVar[gettext.NullTranslations | None] = ContextVar("here", default=None)


def speak(bank: Path = OWN, languages: Sequence[str] = ()) -> str:
    """Speak the notebook's language from now on: the one asked for, or that of the folder it lies in.

    Translated notebooks lie in `notebooks/<language>/<lesson>`. The first of the languages is the one that
    the course is written in. Where the course is not known, they are those that the tool speaks.
    """
    languages = languages or ["en", *(folder.name for folder in OWN.iterdir())]
    notebook = Path(os.environ.get("JPY_SESSION_NAME", ""))
    places = [name for folder in (Path.cwd(), notebook.parent) for name in (folder.parent.name, folder.name)]
    asked = [os.environ.get(LANGUAGE, ""), *places]
    language = next((name for name in asked if name in languages), languages[0])
    use(_of(bank, language))
    return language


@contextlib.contextmanager
def speaking(bank: Path, language: str) -> Iterator[None]:
    """Write messages in a language of the course while the block runs, in this thread alone."""
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
    folders = [folder / language for folder in (OWN, bank) if language]
    return _read(tuple(identity(file) for folder in folders for file in sorted(folder.glob("*.mo"))))


@lru_cache(maxsize=4)
def _read(files: tuple[Identity, ...]) -> gettext.NullTranslations:
    catalogues = gettext.NullTranslations()
    for file in files:
        with contextlib.suppress(OSError, UnicodeDecodeError), file.path.open("rb") as content:
            catalog = gettext.GNUTranslations(content)
            catalog.add_fallback(catalogues)
            catalogues = catalog
    return catalogues


class LazyMessage(str):
    """A message in English, for whoever grades, that `_` says to a student in another language.

    With a second text, for many, it is about a `number` of things. Its values may be notes, too.
    """

    texts: tuple[str, ...]
    values: Mapping[str, Any]

    def __new__(cls, /, *texts: str, **values: Any) -> LazyMessage:
        note = super().__new__(cls, _translated_text(gettext.NullTranslations(), texts, values))
        note.texts, note.values = texts, values
        return note

    def __getnewargs_ex__(self) -> tuple[tuple[str, ...], Mapping[str, Any]]:
        return self.texts, self.values


def _(text: str, /, **values: Any) -> str:
    """Return a message of the tool in the spoken language; `values` fill in its placeholders."""
    if isinstance(text, LazyMessage):
        inside = {
            name: _(value) if isinstance(value, LazyMessage) else value for name, value in text.values.items()
        }
        return _translated_text(_now(), text.texts, inside)
    return _translated_text(_now(), (text,), values)


def ngettext(singular: str, many: str, number: float, /, **values: Any) -> str:
    """Return a message about a `{number}` of things in the form that it asks for: 0.5 are many."""
    return _translated_text(_now(), (singular, many), {**values, "number": number})


def _translated_text(by: gettext.NullTranslations, texts: Sequence[str], values: Mapping[str, Any]) -> str:
    if len(texts) == 1:
        return by.gettext(texts[0]).format_map(values) if values else by.gettext(texts[0])
    number = values["number"]
    text = by.ngettext(texts[0], texts[1], int(number) if number == int(number) else 2)
    return text.format_map({**values, "number": f"{number:g}" if isinstance(number, float) else number})


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
