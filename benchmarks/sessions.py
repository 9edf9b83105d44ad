"""Whether a card speaks of code that is not there, or an output dies, in a learner's first three days.

    python3 start.py run python -m benchmarks.sessions [--sessions N] [--first SEED] [--minutes N]

A session is drawn by its seed, and worked in JupyterLab in a browser. On each of three days the notebook is
opened in a new page and a new kernel. What is done there: tasks are answered rightly, wrongly, with a slip
that stops the cell, one that stops it later, or under another name; code is typed and not run; checks are
run before and after; the kernel is restarted; a prediction is made; an explorer is moved; a hint is asked
for; the notebook is renamed, saved, and closed, at times without saving.

After each check the card must speak of the code that stands in the cell: green or red only if that code was
the last to be run in this kernel, and is right or wrong. After each opening, and at the end of a day, every
output must be whole, and what can be pressed must answer. On the evening of the last day the same file is
opened in Notebook 7, and read as a page of nbconvert's, which is what the formgrader shows. What is not so is
counted, and printed with its seed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from playwright.sync_api import Browser, Locator, Page, TimeoutError, sync_playwright
from rich.console import Console

from tests.browser.conftest import CELLS, FLAGS, ROOT, Notebook, choose, chromium
from tests.browser.servers import end_kernels, jupyterlab

LESSON = "01-dot-product"
DAYS, STEPS = 3, 6
PATIENCE = 60  # seconds until a card must say what it should
# The cells of the lesson that a session works with.
PARTS = (
    *("title", "setup", "example-data", "example-data-figure"),
    *("dot-product-prediction", "dot-product-library", "dot-product-revealed"),
    *("dot-product-task", "dot-product-answer", "dot-product"),
    *("softmax-naive-task", "softmax-naive-answer", "softmax-naive", "explorer"),
)
SETUP, FIGURE, ASKED, TRIED, REVEALED, EXPLORER = 1, 3, 4, 5, 6, 13
# What a card says, and its colour: green, red or amber.
GREEN, RED, AMBER = "ag-ok", "ag-no", "ag-wait"
UNRUN = (AMBER, "has not been run since the notebook was started")
CHANGED = (AMBER, "was changed since it was run")
ALL_BROKEN = """() => [
  ...[...document.querySelectorAll(".jp-Cell img")].filter(image => image.complete && !image.naturalWidth)
    .map(image => image.outerHTML),
  ...[...document.querySelectorAll(".jp-OutputArea-output")].map(output => output.innerText).filter(text =>
    /Error displaying widget|model not found|Javascript Error|\\[object Object\\]/i.test(text)),
]"""


@dataclass(frozen=True)
class Form:
    """An answer as it can be typed, and what its card says once it was run."""

    code: str
    colour: str
    says: str


def forms(name: str, right: str, wrong: str, mistake: str) -> dict[str, Form]:
    """Return the forms of an answer, by what is the matter with them."""
    return {
        "right": Form(right, GREEN, "next:"),
        "wrong": Form(wrong, RED, mistake),
        "stops": Form(right.removesuffix(")"), AMBER, "stopped in line"),
        "stops later": Form(f"{right}\nprint(nothing)", GREEN, "The cell stopped after that"),
        "another name": Form(right.replace(name, f"{name}s", 1), AMBER, f"{name}s"),
    }


@dataclass
class Task:
    """A task in a session: its cells by their places, and what stands and was run there."""

    id: str
    answer: int
    check: int
    forms: dict[str, Form]
    typed: str  # the text of the answer's cell
    ran: str | None = None  # the text that was run last in this kernel
    card_of: str | None = None  # the text that the card at the check is about, if it is about one

    def expected(self) -> tuple[str, str]:
        """Return the colour of the card that the check shows now, and what it says."""
        if self.ran is None:
            return UNRUN
        if self.ran != self.typed:
            return CHANGED
        form = next((form for form in self.forms.values() if form.code == self.ran), None)
        return (form.colour, form.says) if form else (AMBER, "is still waiting for you")


class Session:
    """A learner's first days with one notebook.

    Attributes:
        done: what was done, in order.
        troubles: what was not as it must be, by kind, each with the moment.
        cards: how many checks were run.
    """

    def __init__(self, browser: Browser, address: str, folder: Path, seed: int):
        self.draw = random.Random(seed)
        self.browser, self.address, self.folder = browser, address, folder
        self.name = f"session-{seed}.ipynb"
        self.done: list[str] = []
        self.troubles: list[tuple[str, str]] = []
        self.cards = 0
        released = nbformat.read(ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
        by_id = {cell.id: cell for cell in released.cells}
        released.cells = [by_id[name] for name in PARTS]
        nbformat.write(released, folder / self.name)
        stubs = {name: by_id[f"{name}-answer"].source for name in ("dot-product", "softmax-naive")}
        right, naive = "def dot(a, b):\n    return (a * b).sum()", "torch.exp(x) / torch.exp(x).sum()"
        dot = forms("dot", right, right.replace("*", "+"), "are added")
        head = "def softmax_naive(x):\n    return "
        softmax = forms(
            "softmax_naive", f"{head}({naive})", f"{head}(torch.exp(x) / x.sum())", "sum of the scores"
        )
        self.tasks = [
            Task("dot-product", 8, 9, dot, stubs["dot-product"]),
            Task("softmax-naive", 11, 12, softmax, stubs["softmax-naive"]),
        ]
        self.released = released
        self.kept = self._texts()

    def _texts(self) -> list[tuple[str, str | None]]:
        return [(task.typed, task.card_of) for task in self.tasks]

    def live(self) -> Session:
        """Work through all days."""
        for day in range(1, DAYS + 1):
            self.done.append(f"day {day}")
            with self._opened():
                if day > 1:
                    self._look_over()
                self._run(SETUP)
                self._run(SETUP + 1)
                for _step in range(STEPS):
                    step = self.draw.choice(self.steps)
                    step(self)
                self._look_over()
                if self.draw.random() < 0.85:
                    self._save()
        self.done.append("day 3 in Notebook")
        with self._opened("notebooks"):
            self._look_over()
        self._read_as_a_page()
        return self

    @contextmanager
    def _opened(self, door: str = "lab/tree") -> Iterator[None]:
        """Open the notebook as it was saved in a new page, with a new kernel that ends with it."""
        for task, (typed, card_of) in zip(self.tasks, self.kept, strict=True):
            task.typed, task.card_of, task.ran = typed, card_of, None
        self.page: Page = self.browser.new_page(viewport={"width": 1200, "height": 2400})
        self.page.goto(f"{self.address}/{door}/{self.name}?token=test&reset")
        self.book = Book(self.page, self.released)
        self.book.cells.nth(len(PARTS) - 1).wait_for(timeout=120_000)
        if door == "notebooks":
            self.page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=120_000)
        else:
            self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=120_000)
        try:
            yield
        finally:
            self.page.close()
            end_kernels(self.address)

    # What can be done.

    def _answer(self) -> None:
        task, what = self.draw.choice(self.tasks), ""
        what = self.draw.choice(["right", "right", *task.forms])
        self.done.append(f"answer {task.id}: {what}")
        task.typed = task.ran = task.forms[what].code
        self.book.replace(self.book.cells.nth(task.answer), task.typed)
        if self.draw.random() < 0.8:
            self._check(task)

    def _type(self) -> None:
        task = self.draw.choice(self.tasks)
        what = self.draw.choice(list(task.forms))
        self.done.append(f"type {task.id}: {what}")
        task.typed = task.forms[what].code
        self.book.type_into(self.book.cells.nth(task.answer), task.typed)
        if self.draw.random() < 0.6:
            self._check(task)

    def _check_either(self) -> None:
        self._check(self.draw.choice(self.tasks))

    def _check(self, task: Task) -> None:
        self.done.append(f"check {task.id}")
        self._run(task.check)
        self.cards += 1
        colour, says = task.expected()
        task.card_of = task.ran if colour in (GREEN, RED) else None
        card = self.book.cells.nth(task.check).locator(".ag").first
        self._expect("other code", task, card, colour, says)

    def _restart(self) -> None:
        self.done.append("restart")
        choose(self.page, "Kernel", "Restart Kernel…")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
        for task in self.tasks:
            task.ran = None
        if self.draw.random() < 0.3:  # before anything is imported, no check answers, and no card is left
            task = self.draw.choice(self.tasks)
            self.done.append(f"check {task.id} before the setup")
            self._run(task.check)
            task.card_of = None
            if self.book.cells.nth(task.check).locator(".ag").count():
                self._trouble("other code", f"a card at {task.id} before anything is imported")
        self._run(SETUP)
        self._run(SETUP + 1)

    def _predict(self) -> None:
        self.done.append("predict and reveal")
        for index in self.draw.sample((ASKED, TRIED, REVEALED), 3):
            self._run(index)
        choice = self.book.cells.nth(ASKED).get_by_role("radio").nth(self.draw.randrange(2))
        if self._shows(choice) and choice.is_enabled():
            self._press(choice, self.book.cells.nth(ASKED).get_by_text("Kept:"), "a prediction", "Space")

    def _explore(self) -> None:
        self.done.append("explore")
        self._run(FIGURE)
        self._run(EXPLORER)
        self._move()

    def _hint(self) -> None:
        self.done.append("hint")
        for task in self.tasks:
            self._press_hint(task)

    def _rename(self) -> None:
        old, self.name = self.name, f"renamed-{self.draw.randrange(10**6)}-{self.name.split('-')[-1]}"
        self.done.append(f"rename {old} to {self.name}")
        rename = "name => window.jupyterapp.shell.currentWidget.context.rename(name)"
        self.page.evaluate(rename, self.name)
        self.page.locator(".lm-TabBar-tabLabel", has_text=self.name).first.wait_for()

    def _save(self) -> None:
        self.done.append("save")
        choose(self.page, "File", "Save Notebook")
        self.page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
        self.kept = self._texts()

    steps: tuple[Callable[[Session], None], ...] = (
        *(_answer,) * 4,
        *(_type,) * 2,
        *(_check_either, _restart, _predict, _explore, _hint, _rename, _save),
    )

    # What must hold.

    def _look_over(self) -> None:
        """Hold all outputs to what they must be, and try what can be pressed."""
        for text in self.page.evaluate(ALL_BROKEN):
            self._trouble("broken", text[:200])
        for task in self.tasks:
            if task.card_of is not None and task.card_of != task.typed:
                card = self.book.cells.nth(task.check).locator(".ag").first
                if self._is_new_page:
                    self._expect("other code", task, card, *CHANGED)
            self._press_hint(task)
        self._move()

    def _read_as_a_page(self) -> None:
        """Hold what nbconvert makes of the saved notebook to having every output whole."""
        self.done.append("a page of nbconvert's")
        page = self.folder / f"{Path(self.name).stem}.html"
        page.write_text(HTMLExporter().from_filename(str(self.folder / self.name))[0], encoding="utf-8")
        self.page = self.browser.new_page()
        self.page.route("http*://**", lambda route: route.abort())  # MathJax, which may be out of reach
        self.page.goto(page.as_uri())
        for text in self.page.evaluate(ALL_BROKEN):
            self._trouble("broken", text[:200])
        outputs = [
            output
            for cell in nbformat.read(self.folder / self.name, as_version=4).cells
            for output in cell.get("outputs", ())
            if output.output_type in ("display_data", "execute_result")
        ]
        shown = self.page.locator(".jp-OutputArea-output").evaluate_all(
            "all => all.filter(output => output.innerText.trim() || output.querySelector('img, svg')).length"
        )
        if shown < len(outputs):
            self._trouble("broken", f"{len(outputs) - shown} of {len(outputs)} outputs are empty in a page")
        self.page.close()

    @property
    def _is_new_page(self) -> bool:
        return self.done[-1].startswith("day ")

    def _expect(self, kind: str, task: Task, card: Locator, colour: str, says: str) -> None:
        """Wait for a card of a colour that says something; what it is instead is a trouble."""
        fits = "([card, colour, says]) => card.isConnected && card.classList.contains(colour)"
        fits += " && card.innerText.includes(says)"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(TimeoutError):
                if card.evaluate(f"card => ({fits})([card, ...{json.dumps([colour, says])}])", timeout=2_000):
                    return
            self.page.wait_for_timeout(100)
        shown = f"{card.get_attribute('class')}: {card.inner_text()[:200]}" if card.count() else "no card"
        self._trouble(kind, f"{task.id}: expected {colour} “{says}”, is {shown}")

    def _press_hint(self, task: Task) -> None:
        cell = self.book.cells.nth(task.check)
        button = cell.get_by_role("button", name="int")  # "Hint", "Next hint (2 left)"
        if button.count() and button.first.is_enabled():
            self._press(button.first, cell.get_by_text("Hint "), f"the hint of {task.id}", "Enter")

    def _move(self) -> None:
        explorer = self.book.cells.nth(EXPLORER)
        slider = explorer.locator("input[type=range]").last
        if not explorer.locator(".jp-OutputArea-output").count():
            return
        if not self._shows(slider):
            self._trouble("dead", "the explorer has no slider")
            return
        before = slider.input_value()
        self._press(slider, None, "the explorer", "ArrowRight" if before == "0" else "ArrowLeft")
        if slider.input_value() == before:
            self._trouble("dead", "the explorer does not move")

    def _press(self, control: Locator, shows: Locator | None, what: str, key: str) -> None:
        """Press a key on a control, and wait for what it shows."""
        try:
            control.focus()
            self.page.keyboard.press(key)
            if shows is not None:
                shows.first.wait_for(timeout=15_000)
        except TimeoutError:
            self._trouble("dead", f"{what} does not answer")

    def _shows(self, control: Locator) -> bool:
        with suppress(TimeoutError):
            control.wait_for(timeout=15_000)
            return True
        return False

    def _trouble(self, kind: str, what: str) -> None:
        self.troubles.append((kind, f"after {self.done[-3:]}: {what}"))

    def _run(self, index: int) -> None:
        self.book.run(self.book.cells.nth(index))


class Book(Notebook):  # type: ignore[misc]
    """A notebook that is open in a page of its own."""

    def __init__(self, page: Page, released: NotebookNode):
        self.page, self.errors, self.released = page, [], released
        self.cells = page.locator(CELLS)

    def run(self, cell: Locator) -> None:
        """Run a cell, and wait until it is done: after a restart, its number may be the same."""
        self._edit(cell)
        self.page.evaluate("window.jupyterapp.commands.execute('notebook:run-cell')")


def lived(browser: Browser, address: str, folder: Path, seed: int) -> Session:
    """Work through the session of a seed, by a learner of whom nothing is known yet."""
    shutil.rmtree(folder.parent / "progress", ignore_errors=True)
    return Session(browser, address, folder, seed).live()


def main() -> None:
    """Work through sessions one after the other, and count what was not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    chosen = parser.parse_args()
    end, cards, counted, troubles = time.monotonic() + 60 * chosen.minutes, 0, 0, Counter[str]()
    console = Console()
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        with jupyterlab(Path(temporary)) as (address, folder):
            for seed in range(chosen.first, chosen.first + chosen.sessions):
                if time.monotonic() > end:
                    break
                session = lived(browser, address, folder, seed)
                counted, cards = counted + 1, cards + session.cards
                troubles.update(kind for kind, _ in session.troubles)
                for kind, what in session.troubles:
                    console.print(f"session {seed}, {kind}: {what}", markup=False)
                kinds = ", ".join(f"{troubles[kind]} {kind}" for kind in ("other code", "broken", "dead"))
                console.print(f"{counted} sessions of {DAYS} days, {cards} cards: {kinds}")
        browser.close()


if __name__ == "__main__":
    main()
