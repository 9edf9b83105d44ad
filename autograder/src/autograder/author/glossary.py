"""The course's terms: a file that explains each once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.records.course import Course
from autograder.records.serialization import read_toml
from autograder.words.language import translated


@dataclass(frozen=True)
class Term:
    """A term: its name, what it means, its other forms in the text, and the cell that explains it."""

    name: str
    text: str
    also: tuple[str, ...] = ()
    section: str = ""

    @property
    def context(self) -> str:
        """Where its text stands, for translators."""
        return f"glossary: {self.name}"

    @property
    def meaning(self) -> str:
        """What it means, in the spoken language."""
        return translated(self.context, self.text)

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.name, *self.also)


@dataclass(frozen=True)
class _Glossary:
    term: tuple[Term, ...]


def read_glossary(course: Course) -> tuple[Term, ...]:
    """Return the terms of a course's glossary, if it has one: a TOML table `term` with each one's attributes.

    Raises:
        AuthoringError: the file is missing, or not as it must be.
    """
    if not course.site.glossary:
        return ()
    terms = read_toml(_Glossary, course.root / course.site.glossary).term
    return tuple(sorted(terms, key=lambda term: term.name.casefold()))


def pattern(terms: tuple[Term, ...]) -> re.Pattern[str]:
    """Find a form of a term where it stands as words of its own; the longest where several begin."""
    forms = sorted((form for term in terms for form in term.forms), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, forms))})(?![\w-])", re.IGNORECASE)
