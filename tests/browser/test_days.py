"""A notebook over several days: saved, closed and opened again, in two front ends."""

import json
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import TimeoutError

from tests.browser.conftest import CELLS, choose, dialogs_named
from tests.browser.servers import end_kernels, jupyterlab

pytestmark = pytest.mark.slow

SETUP = "import torch\nfrom autograder import *\nfrom visuals import *"
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """JupyterLab in a learner's folder, from which the course is found: its address, and the folder."""
    with jupyterlab(tmp_path_factory.mktemp("days")) as actual:
        yield actual


@pytest.fixture(scope="module")
def context(browser):
    """Pages that share what the browser keeps of JupyterLab's own files."""
    actual = browser.new_context(viewport={"width": 1200, "height": 1400})
    yield actual
    actual.close()


@pytest.fixture
def day(server, context):
    """Open the notebook in a new page of a front end, with a kernel that ends with the page."""
    address, _folder = server

    @contextmanager
    def opened(door: str = "lab/tree"):
        page = context.new_page()
        try:
            with dialogs_named(page):
                page.goto(f"{address}/{door}/day.ipynb?token=test&reset")
                page.locator(CELLS).first.wait_for(timeout=90_000)
                yield page
        finally:
            page.close()
            end_kernels(address)

    return opened


@pytest.fixture
def folder(server):
    """The learner's folder, before anything was done there."""
    _address, actual = server
    forget(actual)
    return actual


def forget(folder) -> None:
    """Forget what this machine knows of the learner, as if they had gone to another one."""
    shutil.rmtree(folder.parent / "progress", ignore_errors=True)


def run(page, cell: int) -> None:
    """Run a cell, and wait until it has run; a front end that has just opened may take no keys yet."""
    actual = page.locator(CELLS).nth(cell)
    busy = actual.locator(".jp-InputPrompt").get_by_text("[*]")
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=60_000)
    for _ in range(10):
        actual.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        with suppress(TimeoutError):
            busy.wait_for(state="attached", timeout=3_000)
            break
    busy.wait_for(state="detached", timeout=60_000)


def shut_down(page) -> None:
    """Shut the kernel down, and wait until the page knows: what it asked before would never be answered."""
    choose(page, "Kernel", "Shut Down Kernel")
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.sessionContext.session")


def save(page, folder) -> dict:
    """Save the notebook; what is in the file then."""
    file = folder / "day.ipynb"
    before = file.stat().st_mtime_ns
    choose(page, "File", "Save Notebook")
    for _ in range(100):
        with suppress(json.JSONDecodeError):  # it is being written
            if file.stat().st_mtime_ns != before:
                return json.loads(file.read_text())
        page.wait_for_timeout(100)
    pytest.fail("the notebook was not saved")


def write(folder, *sources: str, graded: str = "") -> None:
    cells = [
        new_code_cell(source, metadata={"nbgrader": {"grade": True}} if source == graded else {})
        for source in sources
    ]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, folder / "day.ipynb")


CHECKED = 'print("a", "check")'
WRONG = """\
def dot(a, b):
    total = 0
    for x, y in zip(a, b):
        total = total + (x + y)
    return total"""
CELLS_OF_DAYS = (
    SETUP,
    "explore_map(torch.eye(3).expand(1, 2, 3, 3), list('abc'))",
    "attention_map(torch.eye(3), list('abc'))",
    'predict("swapped", "How many come?", ("one", "two"))',
    'print("two", "came")',
    CHECKED,
    'reveal(\n    "swapped", "two"\n)',
    'predict("weights", "Draw the weights.", bars=("one", "two"))',
    'reveal("weights", {"one": 0.75, "two": 0.25})',
    'quiz("start")',
    WRONG,
    'check("dot-product")',
    'join("http://127.0.0.1:9", "ABCDEFGH")',
)
EXPLORER, PICTURE, ASKED, BETWEEN, _, REVEALED, DRAWN, _, QUIZ, _, CARD, ROOM = range(1, 13)


class Shown:
    """What the notebook of all days shows, cell by cell."""

    def __init__(self, page):
        self.page = page
        self.cells = [page.locator(CELLS).nth(place) for place in range(len(CELLS_OF_DAYS))]

    def press(self, control, key: str) -> None:
        control.focus()
        self.page.keyboard.press(key)

    def choose_head(self, number: int) -> None:
        heads = self.cells[EXPLORER].get_by_role("group", name="Head", exact=True)
        self.press(heads.get_by_role("radio").nth(number), "Space")
        self.has_head(number)

    def has_head(self, number: int) -> None:
        self.cells[EXPLORER].get_by_text(f"sequence 0, head {number}, query 'a'").wait_for(timeout=30_000)

    def draw(self, **lengths: int) -> None:
        for name, steps in lengths.items():
            self.cells[DRAWN].get_by_role("slider", name=name).focus()
            for _step in range(steps):
                self.page.keyboard.press("ArrowRight")

    def hint(self, button: str, shows: str) -> None:
        self.press(self.cells[CARD].get_by_role("button", name=button, exact=True), "Enter")
        self.cells[CARD].get_by_text(shows).wait_for()

    def answers(self, *names: str) -> None:
        for name in names:
            self.press(self.cells[QUIZ].get_by_role("button", name=name, exact=True), "Enter")
        self.cells[QUIZ].get_by_text("Begin with lesson").wait_for()


def test_what_was_done_is_there_on_another_day_with_or_without_a_kernel(folder, day):
    write(folder, *CELLS_OF_DAYS, graded=CHECKED)
    with day() as page:
        first_day(page)
        save(page, folder)
    forget(folder)
    with day() as page:
        second_day(page, folder)
    with day("notebooks") as page:
        third_day(page)
        save(page, folder)
    with day() as page:
        shown = Shown(page)
        shown.has_head(0)
        shown.choose_head(1)
        shown.cells[REVEALED].get_by_text("You predicted: one. Result: two").wait_for()


def first_day(page) -> None:
    """All cells are run; heads, bars and answers are chosen, and one hint is read."""
    run(page, 0)
    choose(page, "Run", "Run All Cells")
    shown = Shown(page)
    shown.cells[ROOM].get_by_role("button", name="I agree: join").wait_for(timeout=60_000)

    shown.choose_head(1)

    # What a prediction is about is out of sight; what is graded stays.
    shown.cells[REVEALED].get_by_text("Hidden until you make your prediction above.").wait_for()
    shown.cells[BETWEEN].get_by_text("two came", exact=True).wait_for(state="hidden")
    page.get_by_text("a check", exact=True).wait_for()
    assert not page.get_by_text("Result: two").is_visible()

    shown.draw(one=74, two=26)
    assert page.locator(".ag-came").count() == 0
    shown.press(shown.cells[DRAWN].get_by_role("button", name="That is my prediction"), "Enter")
    page.get_by_text("Your prediction came true.").wait_for()

    shown.answers("(2, 3, 6)", "(0.5, 0.75), (0.5, 0.25)")
    shown.cells[QUIZ].get_by_text("In your answer, softmax runs over the queries. See").wait_for()
    link = shown.cells[QUIZ].locator('a[href="../01-dot-product/01-dot-product.ipynb"]')
    assert link.count() == 1

    shown.hint("Hint", "Hint 1 of 3")
    shown.cells[CARD].get_by_role("button", name="Next hint (2 left)").wait_for()


def second_day(page, folder) -> None:
    """A kernel that knows nothing of the first day, and then none."""
    shown = Shown(page)
    shown.has_head(1)
    shown.cells[QUIZ].get_by_text("In your answer, softmax runs over the queries. See").wait_for()

    shown.press(shown.cells[ASKED].get_by_role("radio", name="one"), "Space")
    shown.cells[ASKED].get_by_text("Kept: one.").wait_for()
    assert not shown.cells[BETWEEN].get_by_text("two came", exact=True).is_visible()
    page.keyboard.press("Tab")  # until then, the keyboard may be on its way to another choice
    shown.cells[REVEALED].get_by_text("You predicted: one. Result: two").wait_for()
    shown.cells[ASKED].get_by_text("Kept: one. Its outcome is known.").wait_for()
    shown.cells[BETWEEN].get_by_text("two came", exact=True).wait_for()

    page.get_by_text("You predicted: 0.74, 0.26. Result: one 0.75, two 0.25").wait_for()
    assert page.locator(".ag-came").count() == 2
    assert shown.cells[DRAWN].get_by_role("slider", name="one").is_disabled()

    run(page, 0)
    save(page, folder)
    shut_down(page)
    shown.press(shown.cells[QUIZ].get_by_role("button", name="Start over"), "Enter")
    shown.answers("I do not know yet")
    assert shown.cells[QUIZ].get_by_text("In your answer").count() == 0

    shown.hint("Next hint (2 left)", "Hint 2 of 3")
    shown.hint("Next hint (1 left)", "Hint 3 of 3")
    assert shown.cells[CARD].get_by_role("button", name="That was the last one.").is_disabled()
    assert "are added" in shown.cells[CARD].locator(".ag-said").inner_text()  # it is about this answer

    shown.press(shown.cells[ROOM].get_by_role("button", name="I agree: join"), "Enter")
    shown.cells[ROOM].get_by_text("Run this cell again, then press the button.").wait_for()

    chosen = save(page, folder)["metadata"]["autograder"]["chosen"]
    assert chosen["prediction swapped"] == {"said": "one", "shown": "one", "settled": False}
    assert chosen["hints dot-product"] == {"seen": 3}


def third_day(page) -> None:
    """In Notebook 7."""
    shown = Shown(page)
    shown.has_head(1)
    shown.choose_head(0)
    picture = shown.cells[PICTURE].locator("img.ag-picture")
    assert picture.get_attribute("alt").startswith("Attention: who looks at whom")
    shown.cells[REVEALED].get_by_text("You predicted: one. Result: two").wait_for()
    shown.cells[ASKED].get_by_text("Kept: one. Its outcome is known.").wait_for()
    assert shown.cells[ASKED].get_by_role("radio", name="one").is_disabled()
    shown.hint("Hint", "Hint 3 of 3")
    assert page.get_by_text("Error displaying widget").count() == 0


def test_a_notebook_that_is_not_trusted_shows_pictures_and_runs_nothing(folder, day):
    write(folder, *CELLS_OF_DAYS[: EXPLORER + 1])
    with day() as page:
        for cell in range(2):
            run(page, cell)
        page.locator(".live").wait_for()
        saved = save(page, folder)
    saved["metadata"]["written"] = "by somebody else"
    (folder / "day.ipynb").write_text(json.dumps(saved))
    with day() as page:
        page.locator("img.ag-picture").wait_for(timeout=30_000)
        page.wait_for_timeout(500)
        assert page.locator(".live").count() == 0


def test_the_quiz_of_a_class_saves_one_file_once_somebody_agreed_and_answered_all(folder, day):
    write(folder, SETUP, 'class_quiz("before")', 'class_quiz("after")')
    before, after = (folder / f"quiz-{occasion}.json" for occasion in ("before", "after"))
    with day() as page:
        for cell in range(3):
            run(page, cell)
        first, second = (page.locator(CELLS).nth(place) for place in (1, 2))
        answer_all(first, before, "(2, 4, 6)")
        first.get_by_text("Your answers are in quiz-before.json").wait_for()
        assert "(2, 4, 6)" not in json.dumps(save(page, folder)["metadata"])
        answer_all(second, after, "(2, 3, 6)", lambda: shut_down(page))
        line = second.locator(".ag-quiz pre").inner_text()
        assert not after.exists()
        subprocess.run([sys.executable, "-c", line], cwd=folder, check=True)
    for file, answer in ((before, "(2, 4, 6)"), (after, "(2, 3, 6)")):
        choices = json.loads(file.read_text(encoding="utf-8"))["choices"]
        assert (choices.pop("scores"), set(choices.values())) == (answer, {""})


def answer_all(quiz, file, answer: str, at_the_last=lambda: None) -> None:
    """Answer the first question of a class's quiz, and say of all others that one does not know."""
    quiz.get_by_role("button", name="I agree: begin").press("Enter")
    quiz.get_by_role("button", name=answer).press("Enter")
    for number in range(2, 26):
        quiz.get_by_text(f"Question {number}.").wait_for()
        assert not file.exists()
        if number == 25:
            at_the_last()
        quiz.get_by_role("button", name="I do not know yet").press("Enter")


LOSS = """
import torch
def next_token_loss(logits, labels):
    there = labels != -100
    chosen = torch.log_softmax(logits[there], dim=-1)
    return -chosen.gather(-1, labels[there][:, None]).mean()
"""


def test_an_exam_is_written_in_a_blank_cell_and_handed_in_and_the_answer_is_added_to_mine(folder, day):
    write(folder, SETUP, 'exam("next-token-loss")', 'check("next-token-loss")')
    with day() as page:
        for cell in range(2):
            run(page, cell)
        page.get_by_text("6 min left").wait_for()
        blank = page.locator(CELLS).nth(2)
        assert "def next_token_loss(logits, labels):" in blank.inner_text()
        run(page, 3)
        page.get_by_text("An exam asks").wait_for()
        blank.locator(".cm-content").click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(LOSS)
        run(page, 2)
        page.get_by_role("button", name="Hand in").press("Enter")
        page.get_by_text("Your time: 0 min").wait_for()
        run(page, 3)
        page.get_by_role("button", name="Add to mine").press("Enter")
        page.get_by_text("from mine import next_token_loss").wait_for()
    assert "def next_token_loss" in (folder / "mine" / "training.py").read_text()
