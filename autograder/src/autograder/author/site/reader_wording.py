"""What pages say where a lesson speaks to somebody who runs it: a page is read."""

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
    """Return what pages say instead of each phrase, in all languages, if the course says so.

    Raises:
        AuthoringError: the file is missing, or not as it must be.
    """
    if not course.site.reading:
        return {}
    return read_toml(_Reading, course.root / course.site.reading).instead


def reword(notebook: NotebookNode, instead: Mapping[str, str]) -> None:
    """Replace phrases in a notebook's prose; a line may end between two words of one."""
    for phrase, other in instead.items():
        pattern = re.compile(r"\s+".join(map(re.escape, phrase.split())))
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = pattern.sub(other.replace("\\", r"\\"), cell.source)
