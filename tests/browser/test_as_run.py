"""A card in JupyterLab speaks of the code that stands in the cell, or says first that it does not.

The cases are worked by keyboard in one notebook, one after the other.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import choose

pytestmark = pytest.mark.slow
COMMAND = "name => window.jupyterapp.commands.execute(name)"
RIGHT = "def dot(a, b):\n    return (a * b).sum()"


@pytest.fixture(scope="module")
def lesson(desk):
    """The first lesson, set up, with the cell of its first task and that task's check."""
    notebook = desk.open("01-dot-product")
    notebook.run(notebook.cell("from autograder import check"))
    yield notebook
    assert desk.errors == []
    desk.close()


@pytest.fixture(scope="module")
def place(lesson):
    """Where the cell of the first task is, and none of the tests puts another above it."""
    return lesson._place(lesson.cell("def dot(a, b):"))


@pytest.fixture
def answer(lesson, place):
    """Put an answer to the first task into its cell, and run that unless it is only typed."""
    cell = lesson.cells.nth(place)

    def put(code: str, typed_only: bool = False) -> None:
        lesson.type_into(cell, code)
        if not typed_only:
            lesson.run(cell)

    return put


@pytest.fixture
def says(lesson):
    """Run the first task's check; its card has this colour, and shows these words at once."""

    def look(colour: str, *words: str) -> None:
        cell = lesson.cells.nth(lesson._place(lesson.cell('check("dot-product")')))
        lesson.run(cell)
        card = cell.locator(".ag").first
        expect(card).to_have_class(f"ag ag-{colour}")
        for text in words:
            expect(card.get_by_text(text, exact=False).first).to_be_visible()
        lesson.picture(f"as-run-{colour}-{re.sub(r'[^a-z]+', '-', words[0].lower())[:30]}", cell)

    return look


def test_what_a_cell_made_earlier_is_never_green_once_it_stops_or_makes_another_name(answer, says):
    says("wait", "has not been run since the notebook was started")
    answer(RIGHT)
    says("ok", "1 of 10 · next:")
    answer(RIGHT[:-1])
    says("wait", "stopped in line 2. SyntaxError", "About what an earlier run left")
    answer(RIGHT.replace("dot", "dott"))
    says("wait", "no dot any more", "About what an earlier run left")
    answer(f"{RIGHT}\nprint(nothing)")
    says("ok", "The cell stopped after that in line 3. NameError")


def test_what_was_typed_and_not_run_is_not_judged(answer, says):
    answer(RIGHT.replace("*", "+"))
    says("no", "The numbers in the same place are added.")
    answer(RIGHT, typed_only=True)
    says("wait", "The cell above was changed since it was run. Run it first, then this one.")
    answer(RIGHT)
    says("ok", "1 of 10 · next:")


def test_a_kernel_that_was_restarted_has_no_answer_until_its_cell_is_run(lesson, answer, says, desk):
    answer(RIGHT)
    says("ok", "1 of 10 · next:")
    choose(desk.page, "Kernel", "Restart Kernel and Clear Outputs of All Cells…")
    desk.page.locator(".jp-Dialog .jp-mod-accept").click()
    setup = lesson.cell("from autograder import check")
    expect(lesson.cells.nth(lesson._place(setup)).locator(".jp-InputPrompt")).to_have_text("[ ]:")
    lesson.run(setup)
    says("wait", "has not been run since the notebook was started")


def test_a_cell_of_ones_own_counts_until_it_is_deleted(lesson, answer, place, says, desk):
    answer("other = 1")
    desk.page.evaluate(COMMAND, "notebook:insert-cell-above")
    own = lesson.cells.nth(place + 1)
    lesson.type_into(own, RIGHT)
    lesson.run(own)
    says("ok", "made this dot, not the cell above.")
    own.locator(".cm-content").click()
    desk.page.evaluate(COMMAND, "notebook:delete-cell")
    says("wait", "The cell that made dot was deleted.")


def test_the_link_of_a_right_answer_leads_to_the_next_task(lesson, answer, says, desk):
    answer(RIGHT)
    says("ok", "next:")
    desk.page.locator(".ag a", has_text="The scores of one query").click()
    expect(lesson.cell("attn_scores_2 = ...")).to_be_in_viewport()


def test_an_answer_below_its_check_does_not_count_until_it_is_moved_up(lesson, answer, says, desk):
    check = lesson._place(lesson.cell('check("dot-product")'))
    lesson.cells.nth(check).locator(".jp-InputPrompt").click()
    desk.page.evaluate(COMMAND, "notebook:insert-cell-below")
    own = lesson.cells.nth(check + 1)
    lesson.type_into(own, RIGHT)
    lesson.run(own)
    says("wait", "made this dot, not the cell above.", "Move your answer into the cell above.")
    answer(RIGHT)
    says("ok", "1 of 10 · next:")
