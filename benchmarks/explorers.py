"""How long an explorer takes to redraw while a slider is dragged, and a frame while a journey moves.

    python3 start.py run python -m benchmarks.explorers [--moves N]

Each move sets a slider to another value, as dragging does, and waits until the browser has laid out what the
explorer then shows. On the site that is tried with every explorer that has a slider; in JupyterLab with the
first one of lesson 01, in a notebook with a kernel. The aims are 16 and 50 ms for the median.

Each journey is gone through stop by stop, and its frames are timed: while the heaviest stop moves, the median
frame should take at most 18 ms, and 2 % of them more than 33.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.table import Table

from tests.browser.servers import served
from tests.browser.test_explorers import CASES, MOUNT, PAGE

AIM_SITE, AIM_LAB = 16, 50  # ms
MOVES = """moves => {
  const slider = document.querySelector("input[type=range]");
  if (!slider) return null;
  const [low, high] = [Number(slider.min || 0), Number(slider.max || 100)];
  const times = [];
  for (let move = 0; move < moves; move++) {
    slider.value = low + (high - low) * ((move % 20) + 0.5) / 20;
    const began = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    times.push(performance.now() - began);
  }
  return times;
}"""
AIM_FRAME, LONG_FRAME = 18, 33  # ms
FRAMES = """async (seconds) => {
  const scene = document.querySelector(".scene");
  const said = () => scene.closest(".journey").textContent;
  const all = [];
  for (let last = ""; last !== said(); ) {
    last = said();
    scene.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    const times = [];
    let before = await new Promise(requestAnimationFrame);
    const end = before + 1000 * seconds;
    while (before < end) {
      const now = await new Promise(requestAnimationFrame);
      times.push(now - before);
      before = now;
    }
    all.push(times);
  }
  return all;
}"""
CELL = "import torch\nfrom visuals import explore_query\nexplore_query(torch.rand(6, 3), list('abcdef'))"


def on_the_site(browser: Browser, moves: int) -> dict[str, list[float]]:
    """Return the milliseconds of each move, for each explorer that has a slider."""
    milliseconds = {}
    for name, case in CASES.items():
        page = browser.new_page()
        page.set_content(PAGE.format(light=json.dumps(True), back="#ffffff", ink="#1f2328"))
        explorer = case.make()
        model = {"shows": explorer._shows, "chosen": explorer.chosen, "texts": explorer.texts}
        page.evaluate(MOUNT, [explorer.code, model])
        times = page.evaluate(MOVES, moves)
        page.close()
        if times:
            milliseconds[name] = times
    return milliseconds


def of_journeys(browser: Browser, seconds: float = 1.0) -> dict[str, list[float]]:
    """Return the milliseconds of each frame while a journey goes to its heaviest stop, for each journey."""
    milliseconds = {}
    for name in (name for name in CASES if name.startswith("journey")):
        page = browser.new_page()
        page.set_content(PAGE.format(light=json.dumps(True), back="#ffffff", ink="#1f2328"))
        explorer = CASES[name].make()
        model = {"shows": explorer._shows, "chosen": explorer.chosen, "texts": explorer.texts}
        page.evaluate(MOUNT, [explorer.code, model])
        milliseconds[name] = max(page.evaluate(FRAMES, seconds), key=statistics.mean)
        page.close()
    return milliseconds


def in_jupyterlab(page: Page, moves: int) -> list[float]:
    """Return the milliseconds of each move of the first explorer of lesson 01."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "notebooks"
        folder.mkdir()
        kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
        notebook = new_notebook(cells=[new_code_cell(CELL)], metadata={"kernelspec": kernel})
        nbformat.write(notebook, folder / "moved.ipynb")
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        with served(command, folder) as address:
            page.goto(f"{address}/lab/tree/moved.ipynb?token=test")
            page.locator(".jp-CodeCell .cm-content").click(timeout=90_000)
            page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=90_000)
            page.keyboard.press("Shift+Enter")
            page.locator(".live input[type=range]").first.wait_for(timeout=90_000)
            times: list[float] = page.evaluate(MOVES, moves)
    return times


def main() -> None:
    """Print the median and the slowest of the moves."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=200)
    moves = parser.parse_args().moves
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        on_site = on_the_site(browser, moves)
        frames = of_journeys(browser)
        in_lab = in_jupyterlab(browser.new_page(), moves)
        browser.close()
    table = Table(title=f"milliseconds of a move ({moves} each)")
    for column in ("explorer", "median", "slowest"):
        table.add_column(column, justify="left" if column == "explorer" else "right")
    for name, times in {**on_site, "in JupyterLab": in_lab}.items():
        table.add_row(name, f"{statistics.median(times):.1f}", f"{max(times):.1f}")
    Console().print(table)
    for name, times in frames.items():
        late = sum(time > LONG_FRAME for time in times) / len(times)
        Console().print(
            f"{name}, heaviest stop: median frame {statistics.median(times):.1f} ms (aim: {AIM_FRAME}), "
            f"{late:.1%} of {len(times)} above {LONG_FRAME} (aim: 2 %)"
        )
    slowest = max(statistics.median(times) for times in on_site.values())
    Console().print(
        f"slowest median on the site {slowest:.1f} ms (aim: {AIM_SITE}); in JupyterLab "
        f"{statistics.median(in_lab):.1f} ms (aim: {AIM_LAB})"
    )


if __name__ == "__main__":
    main()
