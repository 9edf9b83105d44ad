"""A prediction is not spoiled: what answers it comes in the card that reveals it, and not in prose before."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from autograder.author.parse_source import read_source
from autograder.records.course import Course

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT)
# Of a choice, what gives it away: a fraction, a decimal or a long number.
NUMBER = re.compile(r"\d+/\d+|\d+\.\d+|\d{3,}")


def called(cell, function):
    """The arguments of a call in a cell, as far as they are written there; none where it has no such call."""
    if cell.cell_type != "code" or f"{function}(" not in cell.source:
        return []
    calls = (node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call))
    return next((call.args for call in calls if ast.unparse(call.func) == function), [])


def spoiled(cells):
    """The predictions of which prose before the outcome holds a choice, or a number that tells it."""
    asked, actual = {}, []
    for cell in cells:
        if question := called(cell, "predict"):
            choices = ast.literal_eval(question[2]) if len(question) > 2 else ()
            asked[question[0].value] = {*choices, *NUMBER.findall(" ".join(choices))}
        elif outcome := called(cell, "reveal"):
            asked.pop(outcome[0].value, None)
        elif cell.cell_type == "markdown":
            actual += [
                (name, text)
                for name, texts in asked.items()
                for text in texts
                if len(text) > 2 and text in cell.source
            ]
    return actual


@pytest.mark.parametrize("lesson", COURSE.lessons)
def test_no_prose_between_a_question_and_its_outcome_gives_a_choice_away(lesson):
    assert spoiled(read_source(COURSE.source / lesson / f"{lesson}.py").cells) == []


@pytest.mark.parametrize("lesson", COURSE.lessons)
def test_the_code_that_reveals_an_outcome_shows_no_choice(lesson):
    asked, shown = {}, []
    for cell in read_source(COURSE.source / lesson / f"{lesson}.py").cells:
        if question := called(cell, "predict"):
            asked[question[0].value] = ast.literal_eval(question[2]) if len(question) > 2 else ()
        elif outcome := called(cell, "reveal"):
            # Of code that is folded, JupyterLab shows the first line.
            folded = cell.metadata.get("jupyter", {}).get("source_hidden")
            seen = cell.source.partition("\n")[0] if folded else cell.source
            shown += [(cell.id, choice) for choice in asked[outcome[0].value] if f'"{choice}"' in seen]
    assert asked
    assert shown == []
