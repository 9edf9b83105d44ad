"""Build the data of the site's search: the sections of the lessons, with their titles and tasks."""

from __future__ import annotations

import re
from typing import Any

from nbformat import NotebookNode

HEADING = re.compile(r"^#{1,4} +(.+)$", re.MULTILINE)
TASK = re.compile(r"·[^·\n]*`([a-z0-9-]+)`\s*$", re.MULTILINE)
MARKUP = re.compile(r"<[^>]+>|[*`$#|]|\]\([^)]*\)|\[(?=[^\]]*\]\()")


def sections(notebooks: dict[str, NotebookNode]) -> list[dict[str, str]]:
    """Return each section of each lesson: its page and anchor, its title, its tasks, and its text."""
    entries: list[dict[str, str]] = []
    for lesson, notebook in notebooks.items():
        title = ""
        for cell in notebook.cells:
            if cell.cell_type != "markdown":
                continue
            where = f"{lesson}.html#cell-{cell['id']}" if title else f"{lesson}.html"
            pieces = HEADING.split(cell.source)  # text, heading, text, heading, text, …
            title = title or heading_text(pieces[1] if len(pieces) > 1 else lesson)
            headings = ["", *pieces[1::2]]
            for heading, text in zip(headings, pieces[::2], strict=True):
                if heading:
                    entries.append(_section(where, title, heading_text(heading), text))
                elif text.strip() and entries:
                    last = entries[-1]
                    last["text"] = f"{last['text']} {heading_text(text)}".strip()
    return entries


def _section(where: str, lesson: str, title: str, text: str) -> dict[str, Any]:
    tasks = " ".join(TASK.findall(text))
    return {"where": where, "lesson": lesson, "title": title, "task": tasks, "text": heading_text(text)}


def heading_text(text: str) -> str:
    """Return a text on one line, without Markdown marks."""
    return " ".join(MARKUP.sub("", text).split())
