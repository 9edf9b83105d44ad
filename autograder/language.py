"""The language that a learner is spoken to in: the tool's messages, and what a course says beside its prose.

English stands in the code and in the course. Translations lie in a course's bank, in a folder for each
language, and a text without one stays English. Only what a learner sees is translated: a check compares
the same tensors in every language.
"""

from __future__ import annotations

import contextlib
import gettext
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.digests import Identity, identity

# Set to a language's code to be spoken to in it, wherever the notebook lies.
LANGUAGE = "AUTOGRADER_LANGUAGE"
# The file of what the tool itself says, beside those of the lessons.
MESSAGES = "messages"

_spoken = gettext.NullTranslations()


def speak(bank: Path, languages: Sequence[str]) -> str:
    """Speak the notebook's language from now on: the one asked for, or that of the folder it lies in.

    Translated notebooks lie in `notebooks/<language>/<lesson>`.

    Args:
        bank: the folder of a course's bank.
        languages: the course's languages, the one it is written in first.

    Returns:
        The language, "en" say.
    """
    notebook = Path(os.environ.get("JPY_SESSION_NAME", ""))
    places = [one for folder in (Path.cwd(), notebook.parent) for one in (folder.parent.name, folder.name)]
    asked = [os.environ.get(LANGUAGE, ""), *places]
    language = next((one for one in asked if one in languages), languages[0])
    files = sorted((bank / language).glob("*.mo"))
    use(_read(tuple(map(identity, files))))
    return language


def use(translations: gettext.NullTranslations) -> None:
    """Speak by these translations from now on."""
    global _spoken
    _spoken = translations


@lru_cache(maxsize=4)
def _read(files: tuple[Identity, ...]) -> gettext.NullTranslations:
    found = gettext.NullTranslations()
    for file in files:
        with contextlib.suppress(OSError, UnicodeDecodeError), file.path.open("rb") as content:
            one = gettext.GNUTranslations(content)
            one.add_fallback(found)
            found = one
    return found


def _(text: str, values: Mapping[str, Any] | None = None) -> str:
    """A message of the tool in the spoken language, its placeholders filled in where there are values."""
    said = _spoken.gettext(text)
    return said.format_map(values) if values is not None else said


def ngettext(one: str, many: str, number: int, values: Mapping[str, Any] | None = None) -> str:
    """A message of the tool about a number of things, in the form that the number asks for."""
    said = _spoken.ngettext(one, many, number)
    return said.format_map(values) if values is not None else said


def translated(context: str, text: str) -> str:
    """A text of the course in the spoken language; the context says where it stands."""
    return _spoken.pgettext(context, text)
