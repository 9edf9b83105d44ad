"""A real JupyterLab, started as the README says, and a real Chromium to drive it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
ARTIFACTS = ROOT / "test-artifacts"
CELLS = ".jp-Notebook .jp-Cell"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
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
    """Mark the tests in a browser; skip them where there is none, with the reason, except in CI.

    They have a second attempt, because JupyterLab and Chromium have failures of their own on a busy machine.
    Both attempts are shown, and the last line of `start.py test` counts them.
    """
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.path).parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
            if not sys.platform.startswith("linux"):
                item.add_marker(pytest.mark.skip(reason="needs Linux: the browser tests run there"))
            elif chromium() is None and not os.environ.get("CI"):
                item.add_marker(
                    pytest.mark.skip(reason="needs Chromium: apt install chromium, or set CHROMIUM")
                )


# What JupyterLab is told in most tests: all cells are kept in the page, so that a test can reach them without
# scrolling, and no notebook is saved.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "docmanager-extension/plugin": {"autosave": False},
}


@contextmanager
def served(root: Path, course: Path = ROOT):
    """The JupyterLab that `start.py lab --no-browser` serves: its address, and where it keeps progress.

    course: a folder with what start.py looks for, in the place of its own; the environment stays the same.
    """
    for name, settings in SETTINGS.items():
        file = root / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = (root / "lab.log").open("w")
    code = "import pathlib, start, sys; _, here, *rest = sys.argv; start.HERE = pathlib.Path(here)"
    code += "; start.execute('lab', rest)"
    begin = ["start.py", "lab"] if course == ROOT else ["-c", code, str(course)]
    command = [sys.executable, *begin, "--no-browser", "--port", str(port), "--ServerApp.token=test"]
    environment = {
        **os.environ,
        "JUPYTERLAB_SETTINGS_DIR": str(root / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(root / "workspaces"),  # else earlier tabs are restored
        "AUTOGRADER_PROGRESS": str(root / "progress"),
        "HF_HUB_OFFLINE": "1",  # lesson 12 loads a model where somebody has it open
    }
    server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api?token=test", timeout=2)
                break
            except OSError:
                assert server.poll() is None, (root / "lab.log").read_text()
                time.sleep(0.5)
        else:
            pytest.fail("JupyterLab did not start:\n" + (root / "lab.log").read_text())
        yield address, root / "progress"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab with the course's own notebooks, of which none is ever saved."""
    with served(tmp_path_factory.mktemp("lab")) as actual:
        yield actual


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = chromium()
        assert path, "CI has no Chromium"
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


def keep_picture(shown, name: str) -> None:
    """Keep a screenshot for a person to look at, where PICTURES is set."""
    if os.environ.get("PICTURES"):
        shown.screenshot(path=ARTIFACTS / f"{name}.png")


def choose(page, *names: str) -> None:
    """Choose from JupyterLab's menu, as with the mouse."""
    page.locator("li.lm-MenuBar-item", has_text=names[0]).first.click()
    for name in names[1:-1]:
        page.locator(".lm-Menu").get_by_text(name, exact=True).hover()
    page.locator(".lm-Menu").get_by_text(names[-1], exact=True).click()


@contextmanager
def dialogs_named(page):
    """Add the text of JupyterLab's open dialogs to the error of a test."""
    try:
        yield
    except Exception as error:
        for text in page.locator(".jp-Dialog").all_inner_texts():
            error.add_note(f"An open dialog says: {text}")
        raise


class Notebook:
    """One lesson open in JupyterLab, as a learner has it before them."""

    def __init__(self, page, errors, lesson: str):
        self.page = page
        self.errors = errors
        self.released = nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
        self.cells = page.locator(CELLS)

    def cell(self, text: str):
        """The first cell whose text contains `text`; the page does not show that of a folded one."""
        for position, cell in enumerate(self.released.cells):
            if text in cell.source and cell.metadata.get("jupyter", {}).get("source_hidden"):
                return self.cells.nth(position)
        return self.page.locator(CELLS, has_text=text).first

    def type_into(self, cell, code: str) -> None:
        """Replace a cell's code, as with the keyboard."""
        self._edit(cell)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(code)

    def run(self, cell) -> None:
        """Run a cell with Shift+Enter and wait until it is done."""
        self._edit(cell)
        with self._runs(cell, timeout=60_000):
            self.page.keyboard.press("Shift+Enter")

    def answer(self, stub: str, code: str) -> None:
        """Put code in the place of a stub, and run it."""
        self.replace(self.cell(stub), code)

    def replace(self, cell, code: str):
        """Put other code into a cell and run it; the cell, by its place."""
        actual = self.cells.nth(self._place(cell))
        self.type_into(actual, code)
        self.run(actual)
        return actual

    def fill(self, typed: dict[int, str]) -> None:
        """Put code into many cells by their places, at once: typing takes a page of this size long."""
        self.page.evaluate(
            "typed => { const cells = window.jupyterapp.shell.currentWidget.content.widgets;"
            " for (const [place, code] of typed) cells[place].model.sharedModel.setSource(code) }",
            list(typed.items()),
        )

    def run_all(self) -> None:
        with self._runs(self.page.locator(".jp-Notebook .jp-CodeCell").last, timeout=600_000):
            choose(self.page, "Run", "Run All Cells")

    def outputs(self, kind: str) -> int:
        """How many outputs of a kind of Jupyter's own there are: "stderr" or "error"."""
        return self.page.locator(f"[data-mime-type='application/vnd.jupyter.{kind}']").count()

    def use_other_theme(self) -> None:
        """Change from light to dark, or back: each lesson begins as the one before it ended."""
        was_light = self.page.locator("body").get_attribute("data-jp-theme-light") == "true"
        choose(self.page, "Settings", "Theme", "JupyterLab Dark" if was_light else "JupyterLab Light")
        now = f"body[data-jp-theme-light={'false' if was_light else 'true'}]"
        self.page.locator(now).wait_for(state="attached")

    def violations(self, *rules: str) -> list[str]:
        """What axe-core finds serious or worse in prose and outputs, not in JupyterLab's own frame.

        Of a theme, `color-contrast` alone depends: with the names of rules, axe looks for those alone.

        Rules for whole pages are left out: headings and landmarks are JupyterLab's.
        """
        from axe_playwright_python.sync_playwright import Axe

        # JupyterLab's body has no height and hides what flows over: axe would take all text for invisible.
        self.page.evaluate(
            "for (const node of [document.documentElement, document.body]) node.style.height = '100%'"
        )
        actual = Axe().run(
            self.page,
            context={"include": [[".jp-OutputArea-output"], [".jp-RenderedMarkdown"]]},
            options={"resultTypes": ["violations"], "runOnly": list(rules) or LEVELS},
        )
        return [
            f"{item['id']}: {item['help']}: {node['html'][:300]}"
            for item in actual.response["violations"]
            if item["impact"] in ("serious", "critical")
            for node in item["nodes"]
        ]

    def picture(self, name: str, of=None) -> None:
        keep_picture(of or self.page, name)

    def _place(self, cell) -> int:
        """Where a cell stands in the notebook."""
        where = "(node, cells) => [...document.querySelectorAll(cells)].indexOf(node)"
        place: int = cell.evaluate(where, CELLS)
        return place

    def _edit(self, cell) -> None:
        """Put the cursor into a cell; of one whose code is folded, choose it."""
        cell.scroll_into_view_if_needed()
        folded = cell.locator(".jp-Placeholder-prompt")
        (folded if folded.count() else cell.locator(".cm-content")).first.click()

    @contextmanager
    def _runs(self, cell, timeout: int):
        """Wait until a cell has been run once more: the number beside it is a new one."""
        prompt = cell.locator(".jp-InputPrompt").element_handle()
        before = prompt.text_content()
        yield
        self.page.wait_for_function(
            "([prompt, before]) => /[0-9]/.test(prompt.textContent) && prompt.textContent !== before",
            arg=[prompt, before],
            timeout=timeout,
            polling=50,  # milliseconds; else Playwright asks before each frame, and has each drawn
        )


def report_troubles(page, troubles: list[str]) -> list[str]:
    """Add to a list what is raised and reported as an error on a page, from now on; return the list."""
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda output: troubles.append(output.text) if output.type == "error" else None)
    return troubles


class Desk:
    """JupyterLab in one page of the browser, with one notebook open at a time.

    Loading the page and starting a kernel take longer than all that a test does there, so tests share both.
    """

    def __init__(self, page, address: str, progress: Path):
        self.page = page
        self.address = address
        self.progress = progress
        self.errors: list[str] = report_troubles(page, [])
        self.clear()

    def clear(self) -> None:
        """Load the page with nothing open in it, whatever was there."""
        self.errors.clear()
        self.page.goto(f"{self.address}/lab?reset&token=test")
        self.page.locator(".jp-Launcher").first.wait_for(timeout=90_000)

    def open(self, lesson: str) -> Notebook:
        """A lesson's released notebook with a kernel of its own, before any task is done."""
        self.close()
        shutil.rmtree(self.progress, ignore_errors=True)
        notebook = Notebook(self.page, self.errors, lesson)
        choose(self.page, "File", "Open from Path…")
        self.page.locator(".jp-Dialog input").fill(f"{lesson}/{lesson}.ipynb")
        self.page.keyboard.press("Enter")
        self.page.locator(CELLS).nth(len(notebook.released.cells) - 1).wait_for(timeout=90_000)
        self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=90_000)
        return notebook

    def close(self) -> None:
        """Close the notebook without saving it, and end its kernel."""
        panel = self.page.locator(".jp-NotebookPanel")
        if panel.count():
            choose(self.page, "File", "Close and Shut Down Notebook…")
            self.page.locator(".jp-Dialog .jp-mod-accept").click()
            panel.wait_for(state="detached", timeout=30_000)


@pytest.fixture(scope="module")
def desk(lab, browser):
    """JupyterLab in a page that all tests share."""
    page = browser.new_page(viewport={"width": 1280, "height": 1400})
    yield Desk(page, *lab)
    page.close()


@pytest.fixture
def open_lesson(desk):
    """Open a lesson's released notebook with a kernel of its own; the page may report no error."""
    from playwright.sync_api import Error

    yield desk.open
    reported = list(desk.errors)
    desk.errors.clear()
    try:
        desk.close()
    except Error:  # the test left the page in the middle of something
        desk.clear()
    assert reported == []
