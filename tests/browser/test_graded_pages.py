"""What an instructor opens after grading, feedback and the formgrader's pages, does nothing by itself.

The same pages are also made without this course's filter: there the scripts run, so the attack is a real one.
"""

import csv
import re
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.command import grading_run as command
from autograder.grading import grade_submission
from autograder.grading.class_folder import Class
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from traitlets.config import PyFileConfigLoader

from tests.browser.conftest import keep_picture
from tests.browser.servers import served
from tests.classes import class_folder

ROOT = Path(__file__).parents[2]
LESSON = "02-trainable"
WRITTEN = "why-scale-in-words"
ATTACKER, HONEST = "mallory", "ada"
ELSEWHERE = "http://attacker.example"

# An explorer's output, and what an attack leaves empty, cannot be shown without a kernel; nbconvert says so.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Your element with mimetype")]


def runs(name):
    """A script that says that it ran."""
    return f"(top.ran=top.ran||[]).push('{name}')"


def pieces(where):
    """HTML that acts by itself, in the ways that browsers know; each says its name where it runs."""
    ways = {
        "script": "<script>{}</script>",
        "error": '<img src="x" onerror="{}">',
        "load": '<svg onload="{}"></svg>',
        "svg-script": "<svg><script>{}</script></svg>",
        "toggle": '<details open ontoggle="{}">x</details>',
        "frame": '<iframe srcdoc="<script>{}</script>"></iframe>',
        "mutated": (
            '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={}&gt;">'
        ),
        "hidden": "<noscript><p title=\"</noscript><img src=x onerror='{}'>\"></noscript>",
        "style-load": '<style onload="{}"></style>',
        "late": '<a class="press" href="javascript:void({})">press</a>',
        "slashes": '<img/src="x"/onerror="{}">',
    }
    acts = [form.replace("{}", runs(f"{where}-{name}")) for name, form in ways.items()]
    asks = [
        f'<img src="{ELSEWHERE}/{where}-pixel.png">',
        f'<style>@import url("{ELSEWHERE}/{where}-import.css");</style>',
        f'<link rel="stylesheet" href="{ELSEWHERE}/{where}-link.css">',
        f'<p style="background: url({ELSEWHERE}/{where}-ground.png)">x</p>',
        f'<object data="{ELSEWHERE}/{where}-object.html"></object>',
        f'<video poster="{ELSEWHERE}/{where}-poster.png"></video>',
        f'<input type="image" src="{ELSEWHERE}/{where}-input.png">',
    ]
    poses = ['<button class="btn full-credit">Full credit</button><b class="full-credit">press here</b>']
    return "\n\n".join([*acts, *asks, *poses])


SHOWS = """
from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display
html = {html!r}
display(HTML(html))
display(Markdown(html))
display(Latex("$x$" + html))
display(SVG({svg!r}))
display(Javascript({script!r}))
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
display({{"image/png": "x"}}, raw=True, metadata={{"image/png": {{"width": "1 src=x onerror={png}"}}}})
display({{"image/png": PIXEL}}, raw=True, metadata={{"filenames": {{"image/png": "{elsewhere}/file.png"}}}})
display({{"text/html": html}}, raw=True, metadata={{"text/html": {{"isolated": True}}}})
display({{"text/vnd.mermaid": "x" + html}}, raw=True)
display({{"application/vnd.jupyter.widget-view+json": {{"model_id": "</script>" + html}}}}, raw=True)
print(html)
raise ValueError(html)
"""


def attacking(release):
    notebook = deepcopy(release)
    shows = SHOWS.format(
        html=pieces("output"),
        svg=f'<svg xmlns="http://www.w3.org/2000/svg"><script>{runs("svg")}</script></svg>',
        script=runs("javascript"),
        png=runs("png"),
        elsewhere=ELSEWHERE,
    )
    notebook.cells.insert(1, new_code_cell(shows))
    notebook.cells.insert(2, new_code_cell(f"# {pieces('source')}".replace("\n", "\n# ")))
    for cell in notebook.cells:
        if cell["id"].startswith(WRITTEN) and cell.metadata.get("nbgrader", {}).get("solution"):
            link = f"[press](javascript:{runs('link')})"
            cell.source = f"A **real** answer: $\\sqrt{{d_k}}$.\n\n{link}\n\n{pieces('written')}"
        elif cell["id"] == "scores-of-one-query-answer":
            cell.source = f"attn_scores_2 = '''{pieces('answer')}'''"
        elif cell["id"] == "values-answer":
            cell.source = f"class Odd(Exception):\n    pass\nraise Odd('''{pieces('raised')}''')"
        elif cell["id"] == "how-far-apart-answer":
            cell.source = f"def largest_difference(a, b):\n    raise ValueError('''{pieces('inside')}''')"
    return notebook


@pytest.fixture(scope="module")
def graded(walls, tmp_path_factory):
    """A course in which an honest student and an attacker are graded."""
    root = tmp_path_factory.mktemp("graded") / "course"
    class_folder(root, LESSON)
    release = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    solved = read_source(ROOT / "source" / LESSON / f"{LESSON}.py")
    wrong = next(cell for cell in solved.cells if cell["id"] == "scores-of-one-query-answer")
    # One wrong answer, so that a difference is drawn.
    wrong.source = "attn_scores_2 = keys @ query_2 + torch.arange(6.0) ** 2"
    for student, notebook in ((HONEST, solved), (ATTACKER, attacking(release))):
        folder = root / "submitted" / student / LESSON
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{LESSON}.ipynb")
    try:
        order = command.GradeOptions(Class(root), [LESSON], figures=True)
        summary = command.grade_class(order, print, lambda *_: None)
        assert summary.graded == 2
    finally:
        grade_submission.close_sandboxes()
    return root


def feedback(course_folder, filtered):
    """The feedback pages, made by nbgrader with this course's filter or without it; by student."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course_folder)).load_config()
    config.CourseDirectory.root = str(course_folder)
    if not filtered:
        del config.HTMLExporter
        config.CourseDirectory.feedback_directory = "feedback-unfiltered"
    config.CourseDirectory.assignment_id = LESSON
    directory = CourseDirectory(config=config)
    GenerateFeedback(coursedir=directory, config=config).start()
    folder = directory.feedback_directory
    return {
        student: course_folder / folder / student / LESSON / f"{LESSON}.html"
        for student in (HONEST, ATTACKER)
    }


@pytest.fixture(scope="module")
def pages(graded):
    return feedback(graded, filtered=True)


@pytest.fixture(scope="module")
def unfiltered(graded):
    return feedback(graded, filtered=False)


class Visit:
    """A page that was opened, what ran on it and what it asked for elsewhere."""

    def __init__(self, browser, address):
        self.page = browser.new_page(viewport={"width": 1200, "height": 1000})
        self.asked = []
        self.dialogs = []
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.route("**/*", self._take)
        self.page.goto(str(address), wait_until="load", timeout=60_000)
        fold = self.page.locator("#notebook > summary")  # on a feedback page, as a reader opens it
        if fold.count():
            fold.first.click()
        for link in self.page.locator("a", has_text=re.compile("^press$")).all():
            if link.is_visible():
                link.click(no_wait_after=True)
        self.page.wait_for_timeout(500)

    def _take(self, route):
        address = route.request.url
        if address.startswith(("file:", "data:", "http://127.0.0.1", "blob:")):
            route.continue_()
            return
        if ELSEWHERE in address:
            self.asked.append(address)
        route.abort()

    @property
    def ran(self):
        return self.page.evaluate("window.ran || []")


@pytest.fixture
def visit(browser):
    result = []

    def go(address):
        result.append(Visit(browser, address))
        return result[-1]

    yield go
    for item in result:
        item.page.close()


def test_without_the_filter_scripts_run_in_the_readers_browser(unfiltered, visit):
    actual = visit(unfiltered[ATTACKER].as_uri())
    assert {"output-script", "output-error", "written-error", "png"} <= set(actual.ran)
    assert any("written-pixel" in address for address in actual.asked)


def test_feedback_runs_no_script_of_a_submission(pages, visit):
    actual = visit(pages[ATTACKER].as_uri())
    assert actual.ran == []
    assert actual.dialogs == []
    assert actual.asked == []
    assert actual.page.title() == LESSON


def test_feedback_of_an_attack_still_shows_what_was_written(pages, visit):
    page = visit(pages[ATTACKER].as_uri()).page
    assert page.locator("strong", has_text="real").is_visible()
    assert page.locator("math msqrt").count() > 0
    assert page.locator(".ag").count() > 10
    assert page.locator(".full-credit").count() == 0


def test_feedback_of_an_honest_student_shows_verdicts_figures_and_styles(pages, unfiltered, visit):
    actual = visit(pages[HONEST].as_uri())
    page = actual.page
    card = page.locator(".ag.ag-no").first
    assert card.evaluate("node => getComputedStyle(node).borderLeftColor") == "rgb(200, 16, 46)"
    why = page.locator(".ag details:has(svg text)").first
    why.locator("summary").click()
    assert why.locator("svg text").first.is_visible()
    drawn = page.evaluate(
        "[...document.images].filter(one => one.naturalWidth > 0 && one.alt.length > 20).length"
    )
    plain = visit(unfiltered[HONEST].as_uri()).page
    for what in (".ag", "details", "table", ".highlight span", "h2", "svg", "li"):
        assert page.locator(what).count() == plain.locator(what).count(), what
    assert drawn == plain.evaluate(
        "[...document.images].filter(one => one.naturalWidth > 0 && one.alt.length > 20).length"
    )
    assert drawn > 3
    card.scroll_into_view_if_needed()
    keep_picture(page, "feedback-of-an-honest-student")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_feedback_names_its_tasks_and_can_be_read_by_everybody(pages, browser, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page(color_scheme=scheme)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(pages[HONEST].as_uri())
    assert page.locator(".toc a").first.inner_text() == "Task 1 · The scores of one query"
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("math").count() > 5
    assert [address for address in asked if address.startswith("http")] == []
    actual = Axe().run(page).response["violations"]
    page.close()
    assert [(item["id"], len(item["nodes"])) for item in actual] == []


def test_a_student_saves_a_request_as_a_file_from_the_page(pages, browser):
    page = browser.new_page()
    page.goto(pages[HONEST].as_uri())
    page.get_by_label("task").select_option("scores-of-one-query")
    page.get_by_label("What should be looked at again").fill('Is "dim" wrong,\nor my sum?')
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save it as a file").click()
    path, name = saved.value.path(), saved.value.suggested_filename
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines(keepends=True)))
    page.close()
    assert name == f"request-{HONEST}-{LESSON}-scores-of-one-query.csv"
    titles, row = rows
    assert titles == ["id", "lesson", "task", "request"]
    assert row == [HONEST, LESSON, "scores-of-one-query", 'Is "dim" wrong,\nor my sum?']


@pytest.fixture(scope="module")
def formgrader(graded):
    """The address of a Jupyter server in the course's folder, with nbgrader's formgrader."""
    extension = "nbgrader.server_extensions.formgrader=True"
    command = [sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser"]
    with served([*command, f"--ServerApp.jpserver_extensions={extension}"], graded) as address:
        yield address


def submission_page(folder, address, student):
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        actual = book.find_submission_notebook(LESSON, LESSON, student).id
    return f"{address}/formgrader/submissions/{actual}/?token=test"


def test_the_formgrader_runs_no_script_of_a_submission(graded, formgrader, visit):
    actual = visit(submission_page(graded, formgrader, ATTACKER))
    page = actual.page
    assert page.locator(".nbgrader_cell").count() > 10
    assert actual.ran == []
    assert actual.dialogs == []
    assert actual.asked == []
    # Buttons that give points are the page's own.
    inside = page.locator(".text_cell_render .full-credit, .output .full-credit, .text_cell_render button")
    assert inside.count() == 0
    keep_picture(page, "formgrader-of-an-attack")


def test_the_formgrader_shows_an_honest_students_verdicts_and_figures(graded, formgrader, visit, pages):
    page = visit(submission_page(graded, formgrader, HONEST)).page
    assert page.get_by_text("Marking scheme").first.is_visible()
    assert "Marking scheme" not in pages[ATTACKER].read_text(encoding="utf-8")
    card = page.locator(".ag.ag-no").first
    assert card.evaluate("node => getComputedStyle(node).borderLeftColor") == "rgb(200, 16, 46)"
    assert page.evaluate("[...document.images].filter(one => one.naturalWidth > 0).length") > 3
