"""The course's own translations: none breaks a lesson, and a translated lesson runs the same code."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from autograder.author import translate
from autograder.records.course import Course

COURSE = Course.read(Path(__file__).parents[1])
FILES = [
    (path.parent.name, path.stem)
    for language in COURSE.languages[1:]
    for path in sorted((COURSE.root / "locale" / language).glob("*.po"))
]
NOTEBOOKS = [
    path.relative_to(COURSE.root)
    for folder in ("notebooks", "solutions")
    for language in COURSE.languages[1:]
    for path in sorted((COURSE.root / folder / language).glob("*/*.ipynb"))
]


@pytest.mark.parametrize(("language", "name"), FILES)
def test_no_translation_breaks_a_lesson(language, name):
    assert translate.state(translate.read(COURSE, language, name), name).problems == ()


@pytest.mark.parametrize("language", COURSE.languages[1:])
def test_what_the_tool_says_in_several_places_is_said_alike(language):
    said: dict[str, set[str]] = {}
    for name in ("messages", "visuals", "faults"):
        for message in translate.read(COURSE, language, name):
            if message.id:
                said.setdefault(message.id, set()).add(message.string)
    assert {text: ways for text, ways in said.items() if len(ways) > 1} == {}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=str)
def test_a_translated_lesson_runs_the_code_of_the_english_one(path):
    folder, _language, *rest = path.parts
    english = nbformat.read(COURSE.root.joinpath(folder, *rest), as_version=4)
    translated = nbformat.read(COURSE.root / path, as_version=4)
    assert code(translated) == code(english)
    assert [cell["id"] for cell in translated.cells] == [cell["id"] for cell in english.cells]


def code(notebook):
    """What runs, by cell, with what nbgrader knows of it."""
    return {cell["id"]: (cell.source, cell.metadata) for cell in notebook.cells if cell.cell_type == "code"}
