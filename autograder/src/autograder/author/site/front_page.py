"""Gather the data of the site's first page: a card for each lesson, and the explorers."""

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
    """A lesson on the first page: its title, its time, its picture, and what a learner can do after it."""

    lesson: str
    title: str
    time: str
    picture: str
    can: tuple[str, ...]

    @property
    def minutes(self) -> int:
        """The number of minutes in `time`; 0 if it states none."""
        number = re.search(r"\d+", self.time)
        return int(number[0]) if number else 0


def card(lesson: str, notebook: NotebookNode, static: Path) -> Card:
    """Return a lesson's card for the first page, and write its picture, the lesson's first, into `static`."""
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
    """Return the HTML of the first page's explorer; "" if the course names none.

    Raises:
        AuthoringError: the function that the course names returns no explorer.
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
    """Return the HTML of the explorer that shows the inside of a model; "" if the course names none.

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
