"""The instructor's desk in Chromium: by keyboard alone, in light and dark, and for everybody to read."""

import re
import subprocess
import sys

import pytest
from autograder.grading import graded_results
from autograder.grading.graded_results import InSection
from axe_playwright_python.sync_playwright import Axe
from nbgrader.api import Gradebook
from support.desk_class import CODE, LESSON, TASK, answered
from support.fixtures import class_course

__all__ = ["class_course"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # of nbgrader's own way of adding
]


@pytest.fixture(scope="module")
def desk(class_course, tmp_path_factory):
    """A class, and the address of its desk."""
    course = answered(class_course, tmp_path_factory.mktemp("desk"))
    command = [sys.executable, "-m", "autograder", "desk", "--course", course.directory.root]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield course, re.search(r"http\S+", server.stdout.readline())[0]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def test_answers_are_marked_by_keyboard_and_nbgrader_has_the_points(desk, browser):
    course, address = desk
    context = browser.new_context()
    page = context.new_page()
    problems = []
    page.on("console", lambda output: problems.append(output.text) if output.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(address)
    page.get_by_role("link", name=TASK).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("article")
    for key in ("u", "1", "3", "c"):
        page.keyboard.press(key)
    page.keyboard.type("Say why, 1 more time.")
    page.keyboard.press("Escape")
    page.get_by_text("Saved: 2 points.").wait_for()
    page.wait_for_timeout(500)
    page.keyboard.press("j")
    page.keyboard.press("2")
    page.get_by_text("Saved: 1 point.").wait_for()
    assert page.locator("#left").inner_text() == "1"
    context.close()
    assert [text for text in problems if "favicon" not in text and "404" not in text] == []
    with Gradebook(course.database, course.directory.course_id) as book:
        given = [book.find_submission(LESSON, item.id) for item in book.students]
        assert sorted(item.score for item in given) == [0, 1, 2]
        comments = [c.comment for item in given for notebook in item.notebooks for c in notebook.comments]
        assert "Say why, 1 more time." in comments


def test_a_comment_for_all_with_one_mistake_is_written_by_keyboard(desk, browser):
    _, address = desk
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    for name in (LESSON, "all answers"):
        page.get_by_role("link", name=name).last.press("Enter")
    page.wait_for_selector("article")
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.type("Think of the variance.")
    page.keyboard.press("Escape")
    page.get_by_text("Saved for 2 students.").wait_for()
    page.locator("article summary").first.press("Enter")
    page.get_by_role("link", name="ada").press("Enter")
    page.get_by_text("Comment: Think of the variance.").wait_for()
    context.close()


def test_the_class_is_filtered_and_sorted_by_section_by_keyboard(desk, browser):
    course, address = desk
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    assert page.locator(".section, thead button").count() == 0
    with graded_results.opened(course.database) as store:
        for student, name in {"ada": "Lab 10", "bob": "<b>A and Lab 2, and B"}.items():
            store.replace(InSection(student, name))
    page.reload()
    page.get_by_text("<b>A and Lab 2, and B", exact=True).wait_for()
    field, rows = page.locator("#only"), page.locator("#class tr:visible th a")
    for asked, shown in [
        ("section: lab 2", ["bob"]),
        ("section: <b>a and lab 2, and b", ["bob"]),
        ("section: Lab 1", []),
        ("section:", ["cleo"]),
        ("lab", ["ada", "bob"]),
        ("", ["ada", "bob", "cleo"]),
    ]:
        field.fill(asked)
        assert rows.all_inner_texts() == shown, asked
    with graded_results.opened(course.database) as store:
        store.replace(InSection("bob", "Lab 2"))
    page.reload()
    for column, order in [
        ("section", ["bob", "ada", "cleo"]),
        ("section", ["ada", "bob", "cleo"]),
        ("student", ["ada", "bob", "cleo"]),
        ("student", ["cleo", "bob", "ada"]),
    ]:
        page.get_by_role("button", name=column).press("Enter")
        assert rows.all_inner_texts() == order, column
    assert page.locator("[aria-sort]").get_attribute("aria-sort") == "descending"
    context.close()


def test_scores_that_changed_are_read_by_keyboard(desk, browser):
    _, address = desk
    context = browser.new_context(viewport={"width": 360, "height": 600})
    page = context.new_page()
    page.goto(address)
    focused = "document.activeElement."

    def tab_to(text):
        for _ in range(30):
            page.keyboard.press("Tab")
            if text in page.evaluate(f"{focused}ariaLabel ?? {focused}innerText"):
                return
        pytest.fail(f"Tab never reaches {text}")

    tab_to("Scores that changed")
    page.keyboard.press("Enter")
    page.wait_for_url("**/changes")
    assert "points by hand" in page.inner_text("tbody tr >> nth=0")  # given in the tests above
    assert "checks changed" in page.inner_text("tbody")
    page.keyboard.press("Tab")  # past the class
    tab_to("Scores that changed")  # the link to this page
    tab_to("Scores that changed")  # the table, which is wider than a telephone
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    assert page.evaluate(f"{focused}scrollLeft") > 0
    tab_to("cleo")  # the last that was graded stands first
    page.keyboard.press("Enter")
    page.wait_for_url("**/student/cleo")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_read_by_everybody(desk, browser, scheme):
    _, address = desk
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)  # axe is a script of its own
    page = context.new_page()
    page.goto(address)
    actual = {}
    for path in (
        *("/", "/changes", "/student/ada", f"/lesson/{LESSON}"),
        *(f"/task/{LESSON}/{CODE}", f"/written/{LESSON}/{TASK}"),
    ):
        page.goto(address.partition("/?")[0] + path)
        actual[path] = [(item["id"], len(item["nodes"])) for item in Axe().run(page).response["violations"]]
    context.close()
    assert [path for path in actual if actual[path]] == [], actual
