"""Make the documents' pictures anew, from the course as it is.

`python3 start.py run python -m docs.make_pictures`

It starts JupyterLab as `start.py lab` does, types into lesson 01 as a learner would, opens pages of the site,
and grades a class that `benchmarks.grading` makes up. With names it makes only those pictures. Chromium and
bubblewrap must be installed, and the course built.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from autograder.author.parse_source import read_source
from autograder.author.preprocessors import solution_region
from PIL import Image
from playwright.sync_api import Browser, FloatRect, Locator, Page, sync_playwright

from benchmarks.grading import hand_in
from tests.browser.conftest import FLAGS, Desk, Notebook, chromium, served
from tests.classes import class_folder

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
FIRST, GRADED, STUDENTS = "01-dot-product", "03-causal", 40
RIGHT = "attn_weights = torch.softmax(attn_scores, dim=-1)"
WRONG = RIGHT.replace("dim=-1", "dim=0")
TYPED = "attn_weights = torch.softmax(attn_scores, "  # what both begin with
QUALITY = 82


def shot(page: Page, first: Locator | None = None, last: Locator | None = None) -> Image.Image:
    """Return what a page shows, or a part of it: from one element to another, or one alone."""
    clip: FloatRect | None = None
    if first:
        first.evaluate("element => element.scrollIntoView({block: 'start', behavior: 'instant'})")
        page.wait_for_timeout(100)
        top, end = first.bounding_box(), (last or first).bounding_box()
        assert top, "what is shown first is not there"
        assert end, "what is shown last is not there"
        height = end["y"] + end["height"] - top["y"]
        clip = {"x": top["x"], "y": top["y"], "width": top["width"], "height": height}
    return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")


def save(picture: Image.Image, name: str) -> None:
    """Write a picture as WebP."""
    picture.save(PICTURES / f"{name}.webp", quality=QUALITY, method=6)


def animate(frames: list[tuple[Image.Image, int]], name: str) -> None:
    """Write frames, each with its milliseconds, as a WebP that moves and begins again."""
    first, *others = (frame for frame, _ in frames)
    first.save(
        PICTURES / f"{name}.webp",
        save_all=True,
        append_images=others,
        duration=[milliseconds for _, milliseconds in frames],
        loop=0,
        quality=QUALITY,
        method=6,
    )


def solved(lesson: str, until: str) -> dict[int, str]:
    """Return a lesson's answers by the places of their cells, up to the cell that holds a text."""
    cells = read_source(ROOT / "source" / lesson / f"{lesson}.py").cells
    places = {cell["id"]: place for place, cell in enumerate(released(lesson).cells)}
    last = next(place for place, cell in enumerate(cells) if until in cell.source)
    return {
        places[cell["id"]]: "\n".join(solution_region(cell.source))
        for cell in cells[: last + 1]
        if cell["id"].endswith("-answer") and cell.cell_type == "code"
    }


def released(lesson: str) -> nbformat.NotebookNode:
    """Read a lesson as learners get it."""
    return nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)


@contextmanager
def lesson_open(browser: Browser, lesson: str) -> Iterator[Notebook]:
    """Open a lesson in JupyterLab, with a kernel of its own."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (address, progress):
        page = browser.new_page(viewport={"width": 1000, "height": 1500})
        page.set_default_timeout(60_000)
        yield Desk(page, address, progress).open(lesson)
        page.close()


def check(browser: Browser) -> None:
    """Show a wrong line, the check that names the mistake, the line mended, and the check that passes."""
    with lesson_open(browser, FIRST) as notebook:
        page, answered = notebook.page, solved(FIRST, RIGHT)
        place = max(answered)
        notebook.fill(answered | {place: TYPED})
        for earlier in range(place):
            if released(FIRST).cells[earlier].cell_type == "code" and _needed(earlier, answered):
                notebook.run(notebook.cells.nth(earlier))
        cell, below = notebook.cells.nth(place), notebook.cells.nth(place + 1)
        frames: list[tuple[Image.Image, int]] = []

        def frame(milliseconds: int) -> None:
            frames.append((shot(page, cell, below), milliseconds))

        def type_and_check(line: str) -> None:
            for end in range(len(TYPED) + 1, len(line)):
                notebook.fill({place: line[:end]})
                frame(120)
            notebook.fill({place: line})
            frame(700)
            notebook.run(cell)
            notebook.run(below)
            page.mouse.move(0, 0)
            page.wait_for_timeout(400)

        type_and_check(WRONG)
        frame(4500)
        type_and_check(RIGHT)
        frame(3000)
    height = max(picture.height for picture, _ in frames)
    animate([(_on_white(picture, height), milliseconds) for picture, milliseconds in frames], "check")


def _needed(place: int, answered: dict[int, str]) -> bool:
    """Tell whether the cells of the answer need this one: set-up, example data and earlier answers."""
    return place in answered or released(FIRST).cells[place]["id"] in ("setup", "example-data")


def _on_white(picture: Image.Image, height: int) -> Image.Image:
    """Return a picture on white, as high as the highest."""
    board = Image.new("RGB", (picture.width, height), "white")
    board.paste(picture)
    return board


def welcome(browser: Browser) -> None:
    """Show the page that JupyterLab opens with."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (address, _progress):
        page = browser.new_page(viewport={"width": 1180, "height": 760})
        page.goto(f"{address}/?token=test")
        page.locator(".jp-MarkdownViewer").get_by_role("link", name=re.compile("^01 ·")).first.wait_for(
            timeout=90_000
        )
        page.wait_for_timeout(2000)
        save(shot(page), "welcome")
        page.close()


@contextmanager
def site() -> Iterator[str]:
    """Make the site, and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        autograder(ROOT, "site", folder)
        yield Path(folder).as_uri()


def pages(browser: Browser) -> None:
    """Show the site's first page with its model, an explorer, and a lesson in Bengali on a phone."""
    with site() as address:
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.goto(f"{address}/index.html")
        page.wait_for_timeout(6000)
        shot(page).quantize(128).save(ROOT / "docs" / "front.png", optimize=True)
        page.set_viewport_size({"width": 1200, "height": 1200})
        save(shot(page, page.locator(".front-live .live-place")), "words")
        page.locator(".try-it summary").click()
        page.wait_for_timeout(6000)
        save(shot(page, page.locator(".try-it .live-place")), "live-model")
        page.goto(f"{address}/01-dot-product.html")
        page.wait_for_timeout(3000)
        save(shot(page, page.locator("div.cell_output .live-place").first), "explorer")
        page.close()
        phone = browser.new_page(viewport={"width": 400, "height": 860})
        phone.goto(f"{address}/bn/01-dot-product.html")
        phone.wait_for_timeout(3000)
        phone.locator("div.cell_output .live-place").first.evaluate(
            "explorer => explorer.scrollIntoView({block: 'center', behavior: 'instant'})"
        )
        phone.wait_for_timeout(500)
        save(shot(phone), "phone-bengali")
        phone.close()


def classroom(browser: Browser) -> None:
    """Show a class's report, and the desk's answers to one task by their mistakes."""
    with tempfile.TemporaryDirectory() as folder:
        course = class_folder(Path(folder), GRADED)
        hand_in(course, GRADED, range(STUDENTS))
        autograder(course, "grade", GRADED)
        autograder(course, "report", GRADED, "--html", "report.html")
        autograder(course, "desk", "--out", "desk")
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.goto((course / "report.html").as_uri())
        save(shot(page), "report")
        page.goto((course / "desk" / "index.html").as_uri())
        page.get_by_role("link", name=GRADED).first.click()
        page.get_by_role("link", name="all answers").first.click()
        save(shot(page), "desk")
        page.close()


def autograder(folder: Path, *words: str) -> None:
    """Run a command of the tool in a folder."""
    subprocess.run(
        [sys.executable, "-m", "autograder", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )


MADE: dict[str, Callable[[Browser], None]] = {
    make.__name__: make for make in (check, welcome, pages, classroom)
}


def main() -> None:
    """Make all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pictures", nargs="*", choices=[*MADE, []], help=", ".join(MADE))
    chosen = parser.parse_args().pictures or list(MADE)
    path = chromium()
    if path is None:
        sys.exit("There is no Chromium: apt install chromium, or set CHROMIUM.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in chosen:
            MADE[name](browser)
            print(f"made: {name}")


if __name__ == "__main__":
    main()
