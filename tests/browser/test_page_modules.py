"""Predictions, their outcomes, and questions, as their modules are mounted in a notebook's page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from autograder.lesson import interactive_session, page_outputs, predictions
from autograder.lesson.placement_quiz import Quiz
from autograder.lesson.review import Review
from autograder.records.course import Course
from autograder.records.javascript_modules import bundled
from autograder.records.quiz import read_quiz
from autograder.records.review_items import read_review

LESSON = Path(predictions.__file__).parent
# What a page gives its modules. The kernel answers what it was asked first when `answer` is called.
MOUNT = """async (parts) => {
  const [heard, values, waiting] = [[], { chosen: {} }, []];
  window.answer = (html) => waiting.shift()({ "text/html": html });
  for (const [code, shows] of parts) {
    const model = {
      get: (name) => (name === "shows" ? shows : values.chosen),
      set: (_name, chosen) => void (values.chosen = chosen),
      save_changes: () => heard.forEach((hear) => hear()),
      on: (_event, hear) => heard.push(hear),
    };
    const script = new Blob([code], { type: "text/javascript" });
    const { default: module } = await import(URL.createObjectURL(script));
    const el = document.body.appendChild(document.createElement("div"));
    module.render({ model, el, ask: () => new Promise((resolve) => waiting.push(resolve)) });
  }
}"""


@pytest.fixture
def mounted(browser, monkeypatch):
    """Return a page in which the modules of some outputs are mounted."""
    parts = []

    def taken(module, values, still, name):
        parts.append([bundled(LESSON / module), json.loads(json.dumps(values["shows"]))])
        return still

    monkeypatch.setattr(interactive_session, "page", lambda: "jupyter")
    monkeypatch.setattr(page_outputs, "in_page", taken)
    monkeypatch.setattr(page_outputs, "page_module", lambda module: module)
    page = browser.new_page()
    page.goto("about:blank")

    def mount(*outputs):
        for output in outputs:
            output._repr_mimebundle_()
        page.evaluate(MOUNT, parts)
        return page

    yield mount
    page.close()


@pytest.fixture
def page(mounted):
    """A page with a question for three weights, and its outcome."""
    labels = ("one", "two", "three")
    came = dict(zip(labels, (0.5, 0.25, 0.25), strict=True))
    return mounted(
        predictions.Question("counting", "weights", "Draw the weights.", bars=labels),
        predictions.Revealed("counting", "weights", "", came, None, 0.1),
    )


def widths(page, part):
    styles = page.locator(part).evaluate_all("bars => bars.map(bar => bar.style.cssText)")
    return [float(re.search(r"([0-9.]+)%", style)[1]) for style in styles]


def test_bars_are_drawn_by_keyboard_and_the_true_ones_slide_in(page):
    assert page.get_by_text("Hidden until you make your prediction above.").is_visible()
    for position, steps in enumerate((50, 25, 25)):
        page.get_by_role("slider").nth(position).focus()
        for _step in range(steps):
            page.keyboard.press("ArrowRight")
    assert page.get_by_role("slider", name="two").input_value() == "0.25"
    assert page.locator(".ag-came").count() == 0  # nothing is shown before the whole is drawn
    page.get_by_role("button", name="That is my prediction").press("Enter")
    page.get_by_text("Your prediction came true.").wait_for()
    assert widths(page, ".ag-came") == widths(page, ".ag-guess") == [50, 25, 25]
    assert page.get_by_text("You predicted: 0.50, 0.25, 0.25. Result: one 0.50, two 0.25").is_visible()
    assert page.get_by_role("slider").first.is_disabled()


def test_bars_that_differ_are_marked_where_they_were_drawn(page):
    page.get_by_role("slider").nth(2).fill("0.8")
    page.get_by_role("button", name="That is my prediction").click()
    page.get_by_text("It came out differently.").wait_for()
    assert widths(page, ".ag-guess") == [0, 0, 80]


COURSE = Course.read(Path(__file__).parents[2])


@pytest.fixture
def questions():
    """Two questions of the course's placement quiz, of which the first is answered rightly by "(2, 3, 6)"."""
    return Quiz(COURSE, "start", read_quiz(COURSE)[:2])


def answered_slowly(page, answer: str, then: str) -> None:
    """Give an answer; take the next button in hand before the kernel explains, and press it after."""
    page.get_by_role("button", name=answer, exact=True).press("Enter")
    button = page.get_by_role("button", name=then, exact=True).element_handle()
    page.evaluate("answer('<b>Explained.</b>')")
    button.press("Enter")


def test_a_slow_kernel_takes_no_button_of_the_next_question_away(mounted, questions):
    page = mounted(questions)
    answered_slowly(page, "(2, 3, 6)", "I do not know yet")
    page.get_by_text("Begin with lesson").wait_for()
    assert page.get_by_text("Explained.").count() == 0


def test_an_explanation_comes_beside_the_button_that_starts_over(mounted, questions):
    page = mounted(questions)
    page.get_by_role("button", name="(5, 5, 6)", exact=True).press("Enter")
    again = page.get_by_role("button", name="Start over").element_handle()
    page.evaluate("answer('<b>Explained.</b>')")
    page.get_by_text("Explained.").wait_for()
    again.press("Enter")
    page.get_by_text("Question 1.").wait_for()


def test_a_review_goes_on_by_the_button_that_was_there_before_the_explanation(mounted):
    first, second = read_review(COURSE)[:2]
    page = mounted(Review(COURSE, 0, (first, second)))
    answered_slowly(page, "I do not know", "Next question")
    page.get_by_text("Question 2.").wait_for()
