"""The instructor's desk in Chromium: by keyboard alone, in light and dark, and for everybody to read."""

import re
import subprocess
import sys
from urllib.parse import urljoin

import pytest
from autograder.classroom.class_report import Words
from autograder.grading import graded_results
from autograder.grading.graded_results import InSection
from axe_playwright_python.sync_playwright import Axe
from nbgrader.api import Gradebook
from support.desk_class import answered_in

from tests.browser.conftest import report_troubles
from tests.classes import class_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # of nbgrader's own way of adding
]

LESSON, TASK, CODE = "02-trainable", "why-scale-in-words", "scores-of-one-query"


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A class, and the address of its desk."""
    folder = class_folder(tmp_path_factory.mktemp("desk") / "course", LESSON)
    course = answered_in(folder, LESSON, TASK, CODE, "values-as-keys")
    command = [sys.executable, "-m", "autograder", "desk", "--course", course.directory.root]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield course, re.search(r"http\S+", server.stdout.readline())[0]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


@pytest.fixture
def page(desk, browser):
    """The desk's first page; nothing may be raised on it."""
    context = browser.new_context()
    result = context.new_page()
    troubles = report_troubles(result, [])
    result.goto(desk[1])
    yield result
    context.close()
    assert [text for text in troubles if "Failed to load resource" not in text] == []


def test_answers_are_marked_by_keyboard_and_nbgrader_has_the_points(desk, page):
    course, _ = desk
    page.get_by_role("link", name=Words(course, LESSON).title(TASK)).focus()
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
    with Gradebook(course.database, course.directory.course_id) as book:
        given = [book.find_submission(LESSON, item.id) for item in book.students]
        assert sorted(item.score for item in given) == [0, 1, 2]
        comments = [c.comment for item in given for notebook in item.notebooks for c in notebook.comments]
        assert "Say why, 1 more time." in comments


def by_hand(course, task, value, waiting=True):
    """Give everybody these points by hand for a task, as if it was graded again since."""
    with Gradebook(course.database, course.directory.course_id) as book:
        for student in book.students:
            mark = book.find_grade(task, LESSON, LESSON, student.id)
            mark.manual_score, mark.needs_manual_grade = value, waiting
        book.db.commit()


def given(course, task):
    with Gradebook(course.database, course.directory.course_id) as book:
        marks = [book.find_grade(task, LESSON, LESSON, student.id) for student in book.students]
        return [(mark.manual_score, mark.needs_manual_grade) for mark in marks]


def test_one_key_leads_to_every_answer_that_is_to_be_read_once_and_then_says_so(desk, page):
    course, _ = desk
    by_hand(course, TASK, 0.0)
    page.goto(urljoin(page.url, f"/written/{LESSON}/{TASK}"))
    assert page.locator(".score").all_inner_texts() == ["to be read"] * 3
    for place in range(3):
        page.keyboard.press("u")
        assert (
            page.evaluate("[...document.querySelectorAll('article')].indexOf(document.activeElement)")
            == place
        )
        page.keyboard.press("1")  # and on at once, before the desk has answered
    page.keyboard.press("u")
    page.get_by_text("Nothing is left to be read.").wait_for()
    page.keyboard.press("0")  # which would be for the answer that was just read
    page.locator(".score", has_text="1 / 3").nth(2).wait_for()
    assert given(course, TASK) == [(1.0, False)] * 3


def test_a_comment_alone_leaves_an_answer_to_be_read_until_a_key_gives_it_no_points(desk, page):
    course, _ = desk
    by_hand(course, TASK, None)
    page.goto(urljoin(page.url, f"/written/{LESSON}/{TASK}"))
    page.keyboard.press("u")
    page.keyboard.press("c")
    page.keyboard.type("What spreads?")
    page.keyboard.press("Escape")
    page.get_by_text("still to be read").wait_for()
    assert page.locator(".score").all_inner_texts() == ["to be read"] * 3
    assert page.locator("#left").inner_text() == "3"
    page.keyboard.press("0")
    page.locator(".score", has_text="0 / 3").wait_for()
    assert page.locator("#left").inner_text() == "2"
    assert sorted(given(course, TASK), key=str) == [(0.0, False), (None, True), (None, True)]


def test_points_that_were_graded_again_stay_by_one_button(desk, page):
    course, _ = desk
    by_hand(course, CODE, 2.0)
    page.goto(urljoin(page.url, f"/task/{LESSON}/{CODE}"))
    page.get_by_role("button", name="The points stay").first.press("Enter")
    page.get_by_text("Saved for 2 students.").wait_for()
    assert given(course, CODE) == [(2.0, False), (2.0, False), (2.0, True)]
    by_hand(course, CODE, None, waiting=False)


def test_a_request_is_saved_whole_and_the_page_says_what_is_so_now(desk, page):
    course, _ = desk
    with graded_results.opened(course.database) as store:
        store.ask(graded_results.Asked(LESSON, "ada", CODE, graded_results.now(), "Why?"))
    page.goto(urljoin(page.url, "/requests"))
    page.locator("input[type=number]").fill("3")
    page.locator("textarea").focus()  # the field is left, and the sentence is not there yet
    page.get_by_text("Say something: the student reads it.", exact=True).wait_for()
    page.locator("textarea").fill("You are right.")
    page.keyboard.press("Escape")
    page.get_by_text("Answered: the student reads it").wait_for()
    shown = [page.locator(f"[data-shown={name}]").inner_text() for name in ("waiting", "points")]
    assert shown == ["0 to be answered", "now 3 of 4"]
    by_hand(course, CODE, None, waiting=False)


def test_a_comment_for_all_with_one_mistake_is_written_by_keyboard(page):
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


def test_the_class_is_filtered_and_sorted_by_section_by_keyboard(desk, page):
    course, _ = desk
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


def test_scores_that_changed_are_read_by_keyboard(page):
    page.set_viewport_size({"width": 360, "height": 600})
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
