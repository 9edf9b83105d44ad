"""How long the live model takes in Chromium, from a keystroke to the new picture, with a text of 64 tokens.

    python3 start.py run python -m benchmarks.live [--moves N]

Each move types one character into the explorer of lesson 10 and waits until the browser has laid out what it
shows: the maps of all heads, what comes next, and the logit lens. The aim is 50 ms. What a keystroke takes of
the processor hangs less on what else the machine does.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import statistics

from autograder.records.javascript_modules import bundled
from playwright.sync_api import sync_playwright
from rich.console import Console

from visuals.checkpoint import FILE, NUM_HEADS, VOCABULARY
from visuals.live import PACKAGE

AIM_MS = 50
TOKENS = 64
MEASURE = """async ([code, data, values, moves]) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  values.weights = new DataView(Uint8Array.from(atob(data), one => one.charCodeAt(0)).buffer);
  const model = { get: name => values[name], set() {}, save_changes() {}, on() {} };
  await widget.render({ model, el: document.body });
  const field = document.querySelector("input[type=text]");
  const times = [];
  for (let move = 0; move < moves; move++) {
    field.value = field.value.slice(0, -1) + "abcdefgh"[move % 8];
    const began = performance.now();
    field.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect();
    times.push(performance.now() - began);
  }
  return times;
}"""


def main() -> None:
    """Print the median and the slowest of the moves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=200)
    moves = parser.parse_args().moves
    chosen = {"text": "x" * TOKENS, "layer": 1, "head": 0, "query": -1, "removed": False}
    values = {"shows": {"vocabulary": list(VOCABULARY), "heads": NUM_HEADS}, "chosen": chosen, "texts": {}}
    code = bundled(PACKAGE / "explorers" / "model.js")
    data = base64.b64encode(FILE.read_bytes()).decode()
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        client = page.context.new_cdp_session(page)
        client.send("Performance.enable", {"timeDomain": "threadTicks"})
        times = page.evaluate(MEASURE, [code, data, values, moves])
        taken = {
            metric["name"]: metric["value"] for metric in client.send("Performance.getMetrics")["metrics"]
        }
        browser.close()
    Console().print(
        f"{moves} keystrokes at {TOKENS} tokens: median {statistics.median(times):.1f} ms, "
        f"slowest {max(times):.1f} ms (aim: median at most {AIM_MS} ms); "
        f"of the processor {1000 * taken['TaskDuration'] / moves:.1f} ms each"
    )


if __name__ == "__main__":
    main()
