"""The language of messages to learners: the tool's own messages, and a course's texts outside its prose.

English texts are in the code and in the course. Translations are in one folder for each language, beside this
module for the tool and in the bank for a course; a text without a translation stays English. Only text that
learners see is translated: a check compares the same tensors in every language.
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
    """Set the language of messages in this process, and return its code.

    It is the language in the environment variable, or else that of the folder `notebooks/<language>/<lesson>`
    that the notebook is in, or else the first of the languages.

    Args:
        bank: the folder with the course's translations; without a course, the tool's own.
        languages: the course's languages, first the one that it is written in; without any, the tool's.
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
    """Use a language of the course for messages while the block runs, in this thread only."""
    before = _here.set(_of(bank, language))
    try:
        yield
    finally:
        _here.reset(before)


def use(translations: gettext.NullTranslations) -> None:
    """Use these translations for messages from now on."""
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
    """An English message that `_` can translate later, such as one for graders that a student reads, too.

    With a second, plural text, `number` selects the form. Values may be such messages themselves.
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
    """Return a message in the singular or plural form that `number` needs; 0.5 takes the plural."""
    return _translated_text(_now(), (singular, many), {**values, "number": number})


def _translated_text(by: gettext.NullTranslations, texts: Sequence[str], values: Mapping[str, Any]) -> str:
    if len(texts) == 1:
        return by.gettext(texts[0]).format_map(values) if values else by.gettext(texts[0])
    number = values["number"]
    text = by.ngettext(texts[0], texts[1], int(number) if number == int(number) else 2)
    return text.format_map({**values, "number": f"{number:g}" if isinstance(number, float) else number})


def translated(context: str, text: str) -> str:
    """Return a course's text in the present language.

    Args:
        context: the text's context in the translation files, such as a task's id.
        text: the English text.
    """
    return _now().pgettext(context, text)


def spoken() -> str:
    """Return the code of the present language, such as "bn"."""
    return _now().info().get("language", "en")


def _now() -> gettext.NullTranslations:
    return _here.get() or _spoken


# What a page's template calls.
ON_PAGES = {"_": _, "ngettext": ngettext, "lang": lambda: spoken().replace("_", "-")}
