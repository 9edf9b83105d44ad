"""Read the course's glossary, a file that explains each term once."""

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
        """The context of its text in translation files."""
        return f"glossary: {self.name}"

    @property
    def meaning(self) -> str:
        """Its explanation, in the current language."""
        return translated(self.context, self.text)

    @property
    def forms(self) -> tuple[str, ...]:
        """Every form in which the term occurs in a text, such as its plural; its name comes first."""
        return (self.name, *self.also)


@dataclass(frozen=True)
class _Glossary:
    term: tuple[Term, ...]


def read_glossary(course: Course) -> tuple[Term, ...]:
    """Return the terms of a course's glossary, or none if the course has no glossary.

    The file is TOML: an array of tables `term`, each with the attributes of a `Term`.

    Raises:
        AuthoringError: the file is missing or invalid.
    """
    if not course.site.glossary:
        return ()
    terms = read_toml(_Glossary, course.root / course.site.glossary).term
    return tuple(sorted(terms, key=lambda term: term.name.casefold()))


def pattern(terms: tuple[Term, ...]) -> re.Pattern[str]:
    """Return a regular expression that matches any form of the terms as whole words, longest first."""
    forms = sorted((form for term in terms for form in term.forms), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, forms))})(?![\w-])", re.IGNORECASE)
