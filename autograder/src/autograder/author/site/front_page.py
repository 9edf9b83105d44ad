"""The first page of a site: what it says of each lesson, and the explorers on it."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.author.site.lesson_page import bullets, first_picture, mounted
from autograder.records.authoring_errors import AuthoringError
from autograder.records.cell_roles import stated_time
from autograder.records.course import Course
from autograder.records.javascript_modules import MODULE_MIME


@dataclass(frozen=True)
class Card:
    """A lesson as the first page shows it: its title, its time, its picture, and what one can then."""

    lesson: str
    title: str
    time: str
    picture: str
    can: tuple[str, ...]

    @property
    def minutes(self) -> int:
        """The number in its time; 0 where none is stated."""
        number = re.search(r"\d+", self.time)
        return int(number[0]) if number else 0


def card(lesson: str, notebook: NotebookNode, static: Path) -> Card:
    """Return what the first page shows of a lesson; its first picture is written into `static`."""
    first = notebook.cells[0].source
    shown = (output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", ()))
    pictures = (first_picture(data, static) for data in shown)
    return Card(
        lesson=lesson,
        title=first.partition("\n")[0].lstrip("# "),
        time=stated_time(first),
        picture=next(filter(None, pictures), ""),
        can=tuple(map(_without_markdown, bullets(notebook))),
    )


def _without_markdown(text: str) -> str:
    """Text without Markdown's marks, for markup: code and formulas keep their letters."""
    return html.escape(re.sub(r"[*`$]", "", re.sub(r"\\sqrt\{([^}]*)\}", r"√\1", text)))


def front_explorer(course: Course, static: Path) -> str:
    """Return the place of the explorer on the first page; nothing where the course names none.

    Raises:
        AuthoringError: what the course names returns no explorer.
    """
    name = course.site.front.explorer
    if not name:
        return ""
    module, _, function = name.partition(":")
    try:
        data = getattr(import_module(module), function)()._repr_mimebundle_()[0]
        return mounted(data[MODULE_MIME], static, data["text/plain"])
    except (ImportError, AttributeError, LookupError) as problem:
        problems = [f"course.toml: site.front: `{name}` returns no explorer ({problem})"]
        raise AuthoringError(problems) from problem


def inside_explorer(course: Course, notebooks: dict[str, NotebookNode], static: Path) -> str:
    """Return the place of the explorer that looks inside a model; nothing where the course names none.

    Raises:
        AuthoringError: the cell that the course names shows no explorer.
    """
    inside = course.site.inside
    if not inside.cell:
        return ""
    lesson, _, cell = inside.cell.partition("#")
    outputs = [
        output.get("data", {})
        for source_cell in (notebooks[lesson].cells if lesson in notebooks else ())
        if source_cell["id"] == cell
        for output in source_cell.get("outputs", ())
    ]
    shown: list[Any] = [data for data in outputs if MODULE_MIME in data]
    if not shown:
        raise AuthoringError(
            [f"course.toml: site.inside: `{inside.cell}` shows no explorer; build its lesson"]
        )
    module = shown[0][MODULE_MIME]
    model = json.loads(module["model"])
    model["chosen"] |= inside.chosen
    return mounted({**module, "model": json.dumps(model)}, static, "")
