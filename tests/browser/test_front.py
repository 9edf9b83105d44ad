"""The first minutes in JupyterLab, and what a learner's notebook keeps when it is saved.

The tests follow one learner, so they hang on their order.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.browser.conftest import CELLS, Notebook, choose, served

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LESSON = "01-dot-product"
STUB = "    ...  # your code here"
TYPED = "def dot(a, b):\n    return a * b"
# The source of the cell with this id, as JupyterLab holds it.
SOURCE = """id => window.jupyterapp.shell.currentWidget.content.widgets
  .find(cell => cell.model.id === id).model.sharedModel.getSource()"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Notebooks of a learner's own, beside which lies what start.py and their checks need."""
    root = tmp_path_factory.mktemp("course")
    for name in ("course.toml", "bank", "docs", "source", ".lab"):
        (root / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "notebooks" / LESSON, root / "notebooks" / LESSON)
    shutil.copytree(ROOT / "notebooks" / "bn" / LESSON, root / "notebooks" / "bn" / LESSON)
    return root


@pytest.fixture(scope="module")
def page(folder, tmp_path_factory, browser):
    """What the browser shows that `start.py lab` opens."""
    with served(tmp_path_factory.mktemp("lab"), folder) as (address, _progress):
        page = browser.new_page(viewport={"width": 1280, "height": 1100})
        page.set_default_timeout(60_000)
        page.goto(f"{address}/?token=test")
        yield page
        page.close()


@pytest.fixture(scope="module")
def address(page):
    return page.url.partition("/lab")[0]


@pytest.fixture(scope="module")
def notebook(page):
    """Lesson 01, opened by the link on the first page."""
    page.locator(".jp-MarkdownViewer").get_by_role("link", name=re.compile("^01 ·")).first.click()
    opened = Notebook(page, [], LESSON)
    wait_for(page, opened)
    return opened


def wait_for(page, notebook):
    page.locator(CELLS).nth(len(notebook.released.cells) - 1).wait_for(timeout=90_000)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=90_000)


def source(page, cell):
    return page.evaluate(SOURCE, cell)


def test_the_first_page_says_where_to_start_and_asks_nothing(page):
    shown = page.locator(".jp-MarkdownViewer")
    shown.get_by_role("heading", name="Attention, step by step").wait_for()
    assert "Start here: 01 · From a dot product to attention" in shown.inner_text()
    assert shown.get_by_role("link", name="বাংলা").count() == 1
    assert "about 85 minutes" in shown.inner_text()
    page.wait_for_function("document.querySelector('.jp-MarkdownViewer img[alt*=arcs]')?.naturalWidth > 0")
    # The name of a language is text, in letters that come with the course.
    letters = "[...document.fonts].some(one => one.family.includes('Bengali') && one.status === 'loaded')"
    page.wait_for_function(letters)
    page.wait_for_timeout(3000)
    assert page.locator(".jp-Launcher").count() == 0
    assert page.get_by_text("official Jupyter news").count() == 0


def test_wherever_one_comes_in_the_first_page_is_open(page, address):
    other = page.context.browser.new_page()
    other.goto(f"{address}/lab/workspaces/other?token=test")
    other.locator(".jp-MarkdownViewer").get_by_text("Start here").wait_for(timeout=60_000)
    assert other.locator(".jp-Launcher").count() == 0
    other.close()


def test_code_that_nobody_has_to_read_is_folded_and_tells_no_answer(notebook):
    for position, cell in enumerate(notebook.released.cells):
        if cell["id"] in ("setup", "dot-product-prediction", "dot-product-revealed"):
            shown = notebook.cells.nth(position)
            assert shown.locator(".jp-InputPlaceholder").count() == 1
            assert "same number twice" not in shown.inner_text()
            assert "attention_map" not in shown.inner_text()


def test_the_first_cell_says_at_once_that_torch_is_being_loaded(page, notebook):
    first = notebook.cells.nth(1)
    notebook._edit(first)
    page.keyboard.press("Shift+Enter")
    first.get_by_text("PyTorch is being loaded").wait_for(timeout=20_000)
    first.get_by_text("Ready.").wait_for()


def test_a_task_goes_back_to_how_it_was_and_its_text_comes_back(page, notebook):
    notebook.answer(STUB.strip(), TYPED)
    check = notebook.cell('check("dot-product")')
    notebook.run(check)
    place = check.locator(".ag-again")
    place.get_by_role("button", name="Start over").click()
    place.get_by_text("Your text is kept").wait_for()
    page.keyboard.press("Enter")  # "No" has the focus
    assert source(page, "dot-product-answer") == TYPED
    place.get_by_role("button", name="Start over").click()
    place.get_by_role("button", name="Yes, start over").click()
    assert source(page, "dot-product-answer").endswith(STUB)
    place.get_by_role("button", name="Bring my text back").click()
    assert source(page, "dot-product-answer") == TYPED


def test_a_lesson_goes_back_to_how_it_was_and_only_what_was_changed_is_kept(page, notebook):
    end = notebook.cell(f'progress("{LESSON}")')
    notebook.run(end)
    end.get_by_role("button", name="Start this lesson over").click()
    end.get_by_role("button", name="Yes, start over").click()
    end.get_by_text("All tasks are as they were at first.").wait_for()
    saved = page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.widgets
          .map(cell => cell.model.getMetadata("autograder")?.before).filter(Boolean)"""
    )
    assert saved == [TYPED]
    assert source(page, "dot-product-answer").endswith(STUB)


def test_the_first_page_counts_what_is_solved_when_somebody_comes_back_to_it(page, notebook):
    assert "0 / 10" in page.locator(".jp-MarkdownViewer").text_content()
    notebook.answer(STUB.strip(), TYPED.replace("a * b", "(a * b).sum()"))
    check = notebook.cell('check("dot-product")')
    notebook.run(check)
    check.get_by_text("2 of 2 points").wait_for()
    tabs = page.locator("#jp-main-dock-panel .lm-TabBar-tab")
    tabs.filter(has_text="welcome.md").click()
    page.locator(".jp-MarkdownViewer").get_by_text("1 / 10").wait_for()
    tabs.filter(has_text=LESSON).click()


def test_an_explorer_is_dragged_and_clicked_and_is_there_again_in_a_saved_notebook(page, notebook, folder):
    notebook.run(notebook.cell("torch.tensor("))
    notebook.run(notebook.cell("token_vectors(inputs, tokens)"))
    notebook.run(notebook.cell("explore_query(inputs"))
    explorer = notebook.cell("explore_query(inputs").locator(".live")
    explorer.get_by_role("radio", name="starts").click()
    explorer.get_by_text("query 'starts', sharpness 1:").wait_for()
    slider = explorer.get_by_label("Sharpness")
    track = slider.bounding_box()
    middle = track["y"] + track["height"] / 2
    page.mouse.move(track["x"] + track["width"] * 0.2, middle)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] + 9, middle, steps=4)
    explorer.get_by_text("query 'starts', sharpness 20:").wait_for()  # while it is dragged
    page.mouse.up()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    explorer.get_by_text("query 'starts', sharpness 19.9:").wait_for()
    choose(page, "File", "Save Notebook")
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")

    saved = json.loads((folder / "notebooks" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8"))
    assert "application/vnd.jupyter.widget-state+json" in saved["metadata"]["widgets"]
    choose(page, "File", "Close and Shut Down Notebook…")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.locator(".jp-NotebookPanel").wait_for(state="detached")
    choose(page, "File", "Open from Path…")
    page.locator(".jp-Dialog input").fill(f"{LESSON}/{LESSON}.ipynb")
    page.keyboard.press("Enter")
    wait_for(page, notebook)
    explorer.get_by_text("query 'starts', sharpness 19.9:").wait_for()
    explorer.get_by_role("radio", name="with").click()  # no cell was run
    explorer.get_by_text("query 'with', sharpness 19.9:").wait_for()


def test_an_explorer_and_a_picture_follow_the_dark_theme(page, notebook):
    explorer = notebook.cell("explore_query(inputs").locator(".live")
    ink = "node => getComputedStyle(node).color"
    picture = notebook.cell("token_vectors(inputs, tokens)").locator("img.ag-picture")
    turned = "node => getComputedStyle(node).filter"
    before = explorer.evaluate(ink)
    assert picture.evaluate(turned) == "none"
    notebook.use_other_theme()
    assert explorer.evaluate(ink) != before
    assert picture.evaluate(turned) == "invert(1) hue-rotate(180deg)"
    assert notebook.violations("color-contrast") == []
