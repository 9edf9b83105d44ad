"""A real JupyterLab, started as the README says, and a real Chromium to drive it."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARTIFACTS = ROOT / "test-artifacts"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """The browser to use: what CHROMIUM names, or the first that is installed."""
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if name and (path := shutil.which(name))), None)


def pytest_collection_modifyitems(items):
    """Skip where there is no browser, with the reason; in CI a missing browser is a failure."""
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.path).parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(600))
            if not sys.platform.startswith("linux"):
                item.add_marker(pytest.mark.skip(reason="the browser tests run on Linux"))
            elif chromium() is None and not os.environ.get("CI"):
                item.add_marker(pytest.mark.skip(reason="no Chromium: apt install chromium, or set CHROMIUM"))


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The JupyterLab that `start.py lab --no-browser` serves: its address, and the folder of its settings.

    No notebook in it is ever saved.
    """
    place = tmp_path_factory.mktemp("lab")
    settings = place / "settings" / "@jupyterlab"
    (settings / "notebook-extension").mkdir(parents=True)
    (settings / "apputils-extension").mkdir()
    # All cells are kept in the page, so that a test can reach them without scrolling.
    (settings / "notebook-extension" / "tracker.jupyterlab-settings").write_text(
        json.dumps({"windowingMode": "none"})
    )
    (settings / "apputils-extension" / "notification.jupyterlab-settings").write_text(
        json.dumps({"fetchNews": "false", "checkForUpdates": False})
    )
    (settings / "docmanager-extension").mkdir()
    (settings / "docmanager-extension" / "plugin.jupyterlab-settings").write_text(
        json.dumps({"autosave": False})
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = (place / "lab.log").open("w")
    command = [sys.executable, str(ROOT / "start.py"), "lab", "--no-browser", "--port", str(port)]
    command.append("--ServerApp.token=test")
    environment = {
        **os.environ,
        "JUPYTERLAB_SETTINGS_DIR": str(place / "settings"),
        "ATTENTION_PROGRESS": str(place / "progress"),
    }
    server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api?token=test", timeout=2)
                break
            except OSError:
                assert server.poll() is None, (place / "lab.log").read_text()
                time.sleep(0.5)
        else:
            pytest.fail("JupyterLab did not start:\n" + (place / "lab.log").read_text())
        yield address, place / "settings"
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = chromium()
        assert path, "CI has no Chromium"
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


class Notebook:
    """One lesson open in JupyterLab, as a learner has it before them."""

    def __init__(self, page, errors):
        self.page = page
        self.errors = errors

    def cell(self, text: str):
        """The first cell whose text contains `text`."""
        return self.page.locator(".jp-Notebook .jp-Cell", has_text=text).first

    def after(self, text: str):
        """The cell that follows the first one which contains `text`."""
        return self.cell(text).locator("xpath=following-sibling::*[1]")

    def type_into(self, cell, code: str) -> None:
        """Replace a cell's code, as with the keyboard."""
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(code)

    def run(self, cell) -> None:
        """Run a cell with Shift+Enter and wait until it is done."""
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        cell.locator(".jp-InputPrompt", has_text=re.compile(r"\[\d+\]")).wait_for(timeout=60_000)

    def answer(self, stub: str, code: str) -> None:
        """Put code in the place of a stub, and run it."""
        self.type_into(self.cell(stub), code)
        self.run(self.cell(code))

    def use_dark_theme(self) -> None:
        self.page.locator("li.lm-MenuBar-item", has_text="Settings").first.click()
        self.page.get_by_text("Theme", exact=True).hover()
        self.page.get_by_text("JupyterLab Dark", exact=True).click()
        self.page.locator("body[data-jp-theme-light=false]").wait_for(state="attached", timeout=20_000)

    def brightness(self, element, colour: str) -> float:
        """How bright an element's colour is, from 0 to 255."""
        value = element.evaluate(f"node => getComputedStyle(node).{colour}")
        red, green, blue = (float(part) for part in re.findall(r"[\d.]+", value)[:3])
        return 0.299 * red + 0.587 * green + 0.114 * blue

    def run_all(self) -> None:
        self.page.locator("li.lm-MenuBar-item", has_text="Run").first.click()
        self.page.get_by_text("Run All Cells", exact=True).click()
        last = self.page.locator(".jp-Notebook .jp-CodeCell").last
        last.locator(".jp-InputPrompt", has_text=re.compile(r"\[\d+\]")).wait_for(timeout=180_000)

    def violations(self) -> list[str]:
        """What axe-core finds serious or worse in prose and outputs, not in JupyterLab's own frame.

        Rules for whole pages are left out: headings and landmarks are JupyterLab's.
        """
        from axe_playwright_python.sync_playwright import Axe

        # JupyterLab's body has no height and hides what flows over: axe would take all text for invisible.
        self.page.evaluate(
            "for (const node of [document.documentElement, document.body]) node.style.height = '100%'"
        )
        found = Axe().run(
            self.page,
            context={"include": [[".jp-OutputArea-output"], [".jp-RenderedMarkdown"]]},
            options={"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
        )
        return [
            f"{one['id']}: {one['help']}: {node['html'][:300]}"
            for one in found.response["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    def picture(self, name: str, of=None) -> Path:
        """Keep a screenshot for a person to look at."""
        ARTIFACTS.mkdir(exist_ok=True)
        path = ARTIFACTS / f"{name}.png"
        (of or self.page).screenshot(path=path)
        return path


@pytest.fixture
def open_lesson(lab, browser):
    """Open a lesson's released notebook in a page of its own, in the light theme."""
    pages = []
    address, settings = lab
    theme = settings / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"

    def open_one(lesson: str) -> Notebook:
        theme.unlink(missing_ok=True)  # JupyterLab keeps what an earlier test chose
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        pages.append(page)
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        # A workspace of its own, so that no other test's tabs are restored in it.
        page.goto(
            f"{address}/lab/workspaces/{len(pages)}-{time.time_ns()}/tree/{lesson}/{lesson}.ipynb?token=test"
        )
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=90_000)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=90_000)
        return Notebook(page, errors)

    yield open_one
    for page in pages:
        page.close()
