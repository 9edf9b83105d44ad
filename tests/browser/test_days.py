"""A notebook over several days: saved, closed and opened again, in two front ends."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import TimeoutError

from tests.browser.conftest import ROOT, SETTINGS, choose

pytestmark = pytest.mark.slow

SETUP = "import torch\nfrom autograder import *\nfrom visuals import *"
EXPLORER = "explore_map(torch.eye(3).expand(1, 2, 3, 3), list('abc'))"
PICTURE = "attention_map(torch.eye(3), list('abc'))"
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}


@contextmanager
def opened(browser, root, kind: str):
    """The notebook of `place` in a front end of its own, "lab" or "notebook"; its kernel ends with it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for name, settings in SETTINGS.items():
        file = root / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    folders = {
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "JUPYTER_DATA_DIR": "data",  # where it is kept which notebooks are trusted
        "AUTOGRADER_PROGRESS": "progress",
    }
    words = ["--allow-root", "--no-browser", f"--port={port}", "--ServerApp.token=test"]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyter", kind, *words, f"--ServerApp.root_dir={root / 'books'}"],
        env={**os.environ, **{name: str(root / folder) for name, folder in folders.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    page = browser.new_page(viewport={"width": 1200, "height": 1400})
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api?token=test", timeout=2)
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.5)
        where = "notebooks" if kind == "notebook" else "lab/tree"
        page.goto(f"{address}/{where}/day.ipynb?token=test")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=90_000)
        yield page
    finally:
        page.close()
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(10)  # a kernel may take longer, and ends by itself
        server.kill()


def run(page, cell: int) -> None:
    """Run a cell, and wait until it has run; a front end that has just opened may take no keys yet."""
    actual = page.locator(".jp-Notebook .jp-Cell").nth(cell)
    busy = actual.locator(".jp-InputPrompt").get_by_text("[*]")
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=60_000)
    for _ in range(10):
        actual.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        with suppress(TimeoutError):
            busy.wait_for(state="attached", timeout=3_000)
            break
    busy.wait_for(state="detached", timeout=60_000)


def save(page, folder) -> dict:
    """Save the notebook; what is in the file then."""
    file = folder / "books" / "day.ipynb"
    before = file.stat().st_mtime_ns
    choose(page, "File", "Save Notebook")
    for _ in range(100):
        with suppress(json.JSONDecodeError):  # it is being written
            if file.stat().st_mtime_ns != before:
                return json.loads(file.read_text())
        page.wait_for_timeout(100)
    pytest.fail("the notebook was not saved")


def write(folder, *sources: str, graded: str = "") -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "books").mkdir(parents=True)
    for name in ("course.toml", "bank", "source"):
        (folder / "books" / name).symlink_to(ROOT / name)
    cells = [
        new_code_cell(source, metadata={"nbgrader": {"grade": True}} if source == graded else {})
        for source in sources
    ]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, folder / "books" / "day.ipynb")


@pytest.mark.parametrize("kind", ["lab", "notebook"])
def test_an_explorer_and_a_picture_survive_the_nights(browser, tmp_path, kind):
    write(tmp_path, SETUP, EXPLORER, PICTURE)
    with opened(browser, tmp_path, kind) as page:
        for cell in range(3):
            run(page, cell)
        page.get_by_role("group", name="Head", exact=True).get_by_role("radio").nth(1).focus()
        page.keyboard.press("Space")
        page.get_by_text("sequence 0, head 1, query 'a'").wait_for()
        save(page, tmp_path)
    with opened(browser, tmp_path, kind) as page:
        page.get_by_text("sequence 0, head 1, query 'a'").wait_for(timeout=30_000)
        run(page, 0)  # another kernel, which knows nothing of the first day's outputs
        save(page, tmp_path)
    with opened(browser, tmp_path, kind) as page:
        page.get_by_text("sequence 0, head 1, query 'a'").wait_for(timeout=30_000)
        page.get_by_role("group", name="Head", exact=True).get_by_role("radio").nth(0).focus()
        page.keyboard.press("Space")
        page.get_by_text("sequence 0, head 0, query 'a'").wait_for()
        assert page.locator("img.ag-picture").get_attribute("alt").startswith("Attention: who looks at whom")
        assert page.get_by_text("Error displaying widget").count() == 0


def test_a_notebook_that_is_not_trusted_shows_pictures_and_runs_nothing(browser, tmp_path):
    write(tmp_path, SETUP, EXPLORER)
    with opened(browser, tmp_path, "lab") as page:
        for cell in range(2):
            run(page, cell)
        page.locator(".live").wait_for()
        save(page, tmp_path)
    shutil.rmtree(tmp_path / "data")  # as on another machine
    with opened(browser, tmp_path, "lab") as page:
        page.locator("img.ag-picture").wait_for(timeout=30_000)
        page.wait_for_timeout(500)
        assert page.locator(".live").count() == 0


def test_a_prediction_is_kept_in_the_notebook_and_judged_on_another_day(browser, tmp_path):
    ask = 'predict("swapped", "How many come?", ("one", "two"))'
    write(tmp_path, SETUP, ask, 'reveal("swapped", "two")')
    with opened(browser, tmp_path, "lab") as page:
        for cell in range(3):
            run(page, cell)
        page.get_by_text("Hidden until you make your prediction above.").wait_for()
        assert not page.get_by_text("Result: two").is_visible()
        save(page, tmp_path)
    shutil.rmtree(tmp_path / "progress", ignore_errors=True)  # as on another machine
    with opened(browser, tmp_path, "lab") as page:
        choices = page.get_by_role("radiogroup", name="How many come?")
        choices.get_by_role("radio", name="one").focus()
        page.keyboard.press("Space")
        page.keyboard.press("Tab")  # it is settled once the keyboard leaves the choices
        page.get_by_text("You predicted: one. Result: two").wait_for()
        page.get_by_text("Kept: one. Its outcome is known.").wait_for()
        output = save(page, tmp_path)["metadata"]["autograder"]["chosen"]["prediction swapped"]
        assert output == {"said": "one", "shown": "one", "settled": False}
    with opened(browser, tmp_path, "lab") as page:
        page.get_by_text("You predicted: one. Result: two").wait_for(timeout=30_000)
        page.get_by_text("Kept: one. Its outcome is known.").wait_for()
        assert page.get_by_role("radio", name="one").is_disabled()


def test_a_drawn_prediction_is_kept_and_the_true_bars_come_on_another_day(browser, tmp_path):
    ask = 'predict("weights", "Draw the weights.", bars=("one", "two"))'
    write(tmp_path, SETUP, ask, 'reveal("weights", {"one": 0.75, "two": 0.25})')
    with opened(browser, tmp_path, "lab") as page:
        for cell in range(3):
            run(page, cell)
        page.get_by_text("Hidden until you make your prediction above.").wait_for()
        for name, steps in (("one", 74), ("two", 26)):
            page.get_by_role("slider", name=name).focus()
            for _step in range(steps):
                page.keyboard.press("ArrowRight")
        assert page.locator(".ag-came").count() == 0
        page.get_by_role("button", name="That is my prediction").focus()
        page.keyboard.press("Enter")
        page.get_by_text("Your prediction came true.").wait_for()
        save(page, tmp_path)
    shutil.rmtree(tmp_path / "progress", ignore_errors=True)  # as on another machine
    with opened(browser, tmp_path, "lab") as page:
        page.get_by_text("You predicted: 0.74, 0.26. Result: one 0.75, two 0.25").wait_for(timeout=30_000)
        assert page.locator(".ag-came").count() == 2
        assert page.get_by_role("slider", name="one").is_disabled()


def test_what_a_prediction_is_about_is_out_of_sight_until_it_is_made(browser, tmp_path):
    ask = 'predict("swapped", "How many come?", ("one", "two"))'
    checked = 'print("a", "check")'
    middle = 'print("two", "came")', checked, 'reveal(\n    "swapped", "two"\n)'
    write(tmp_path, SETUP, ask, *middle, 'print("the", "end")', graded=checked)
    with opened(browser, tmp_path, "lab") as page:
        run(page, 0)
        choose(page, "Run", "Run All Cells")
        page.get_by_text("Hidden until you make your prediction above.").wait_for(timeout=60_000)
        page.get_by_text("the end", exact=True).wait_for()
        page.get_by_text("two came", exact=True).wait_for(state="hidden")
        page.get_by_text("a check", exact=True).wait_for()
        page.get_by_role("radio", name="one").focus()
        page.keyboard.press("Space")
        page.get_by_text("Kept: one.").wait_for()
        assert not page.get_by_text("two came", exact=True).is_visible()
        page.keyboard.press("Tab")  # until then, the keyboard may be on its way to another choice
        page.get_by_text("two came", exact=True).wait_for()


def test_the_quiz_asks_until_it_knows_and_works_without_a_kernel(browser, tmp_path):
    write(tmp_path, SETUP, 'quiz("start")')
    with opened(browser, tmp_path, "lab") as page:
        for cell in range(2):
            run(page, cell)
        page.get_by_role("button", name="(2, 3, 6)").press("Enter")
        page.get_by_role("button", name="(0.5, 0.75), (0.5, 0.25)").press("Enter")
        page.get_by_text("Begin with lesson").wait_for()
        page.get_by_text("In your answer, softmax runs over the queries. See").wait_for(timeout=60_000)
        link = page.locator('.ag-quiz a[href="../01-dot-product/01-dot-product.ipynb"]')
        assert link.count() == 1
        save(page, tmp_path)
    with opened(browser, tmp_path, "lab") as page:
        page.get_by_text("In your answer, softmax runs over the queries. See").wait_for(timeout=60_000)
        choose(page, "Kernel", "Shut Down Kernel")
        page.get_by_role("button", name="Start over").press("Enter")
        page.get_by_role("button", name="I do not know yet").press("Enter")
        page.get_by_text("Begin with lesson").wait_for()
        assert page.get_by_text("In your answer").count() == 0


@pytest.mark.parametrize("with_kernel", [True, False])
def test_the_quiz_of_a_class_saves_one_file_once_somebody_agreed_and_answered_all(
    browser, tmp_path, with_kernel
):
    write(tmp_path, SETUP, 'class_quiz("before")')
    file = tmp_path / "books" / "quiz-before.json"
    with opened(browser, tmp_path, "lab") as page:
        for cell in range(2):
            run(page, cell)
        page.get_by_role("button", name="I agree: begin").press("Enter")
        page.get_by_role("button", name="(2, 4, 6)").press("Enter")
        for number in range(2, 26):
            page.get_by_text(f"Question {number}.").wait_for()
            assert not file.exists()
            if number == 25 and not with_kernel:
                choose(page, "Kernel", "Shut Down Kernel")
            page.get_by_role("button", name="I do not know yet").press("Enter")
        if with_kernel:
            page.get_by_text("Your answers are in quiz-before.json").wait_for()
            assert "(2, 4, 6)" not in json.dumps(save(page, tmp_path)["metadata"])
        else:
            line = page.locator(".ag-quiz pre").inner_text()
            assert not file.exists()
            subprocess.run([sys.executable, "-c", line], cwd=file.parent, check=True)
        choices = json.loads(file.read_text(encoding="utf-8"))["choices"]
        assert (choices.pop("scores"), set(choices.values())) == ("(2, 4, 6)", {""})


WRONG = """\
def dot(a, b):
    total = 0
    for x, y in zip(a, b):
        total = total + (x + y)
    return total"""
CHECK = 'check("dot-product")'


def test_the_hints_of_a_card_go_on_where_they_were_on_another_day_without_a_kernel(browser, tmp_path):
    write(tmp_path, SETUP, WRONG, CHECK)
    with opened(browser, tmp_path, "lab") as page:
        for cell in range(3):
            run(page, cell)
        page.get_by_role("button", name="Hint", exact=True).press("Enter")
        page.get_by_text("Hint 1 of 3").wait_for()
        page.get_by_role("button", name="Next hint (2 left)").wait_for()
        save(page, tmp_path)
    with opened(browser, tmp_path, "lab") as page:
        page.get_by_role("button", name="Next hint (2 left)").wait_for(timeout=30_000)
        choose(page, "Kernel", "Shut Down Kernel")
        page.get_by_role("button", name="Next hint (2 left)").press("Enter")
        page.get_by_text("Hint 2 of 3").wait_for()
        page.get_by_role("button", name="Next hint (1 left)").press("Enter")
        page.get_by_text("Hint 3 of 3").wait_for()
        last = page.get_by_role("button", name="That was the last one.")
        assert last.is_disabled()
        output = page.locator(".ag-said").inner_text()
        assert "are added" in output  # it is about this answer
        assert save(page, tmp_path)["metadata"]["autograder"]["chosen"]["hints dot-product"] == {"seen": 3}
    with opened(browser, tmp_path, "notebook") as page:
        page.get_by_role("button", name="Hint", exact=True).press("Enter", timeout=30_000)
        page.get_by_text("Hint 3 of 3").wait_for()


def test_a_room_is_joined_only_where_a_kernel_answers(browser, tmp_path):
    write(tmp_path, SETUP + "\nfrom autograder import join", 'join("http://127.0.0.1:9", "ABCDEFGH")')
    with opened(browser, tmp_path, "lab") as page:
        for cell in range(2):
            run(page, cell)
        page.get_by_role("button", name="I agree: join").wait_for()
        save(page, tmp_path)
    with opened(browser, tmp_path, "lab") as page:
        page.get_by_role("button", name="I agree: join").wait_for(timeout=30_000)
        choose(page, "Kernel", "Shut Down Kernel")
        page.get_by_role("button", name="I agree: join").press("Enter")
        page.get_by_text("Run this cell again, then press the button.").wait_for()


LOSS = """
import torch
def next_token_loss(logits, labels):
    there = labels != -100
    chosen = torch.log_softmax(logits[there], dim=-1)
    return -chosen.gather(-1, labels[there][:, None]).mean()
"""


def test_an_exam_is_written_in_a_blank_cell_and_handed_in_and_the_answer_is_added_to_mine(browser, tmp_path):
    write(tmp_path, SETUP, 'exam("next-token-loss")', 'check("next-token-loss")')
    with opened(browser, tmp_path, "lab") as page:
        for cell in range(2):
            run(page, cell)
        page.get_by_text("6 min left").wait_for()
        blank = page.locator(".jp-Notebook .jp-Cell").nth(2)
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
    assert "def next_token_loss" in (tmp_path / "books" / "mine" / "training.py").read_text()
