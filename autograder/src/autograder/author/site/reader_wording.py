"""Reword prose for pages: a lesson speaks to somebody who runs it, and a page is only read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.records.course import Course
from autograder.records.serialization import read_toml


@dataclass(frozen=True)
class _Reading:
    instead: Mapping[str, str]


def read_reading(course: Course) -> Mapping[str, str]:
    """Return the replacement for each phrase, in all languages; nothing if the course defines none.

    Raises:
        AuthoringError: the file is missing or invalid.
    """
    if not course.site.reading:
        return {}
    return read_toml(_Reading, course.root / course.site.reading).instead


def reword(notebook: NotebookNode, instead: Mapping[str, str]) -> None:
    """Replace phrases in a notebook's prose, even if a line break separates their words."""
    for phrase, other in instead.items():
        pattern = re.compile(r"\s+".join(map(re.escape, phrase.split())))
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = pattern.sub(other.replace("\\", r"\\"), cell.source)
