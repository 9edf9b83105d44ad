"""A prediction that is drawn, and its outcome, as their modules are mounted in a notebook's page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from autograder.lesson import page_outputs, predictions
from autograder.records.javascript_modules import bundled

LESSON = Path(predictions.__file__).parent
# What a page gives both modules, without a kernel.
MOUNT = """async (parts) => {
  const [heard, values] = [[], { chosen: {} }];
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
    module.render({ model, el, ask: async () => null });
  }
}"""


@pytest.fixture
def page(browser, monkeypatch):
    """A page with a question for three weights, and its outcome."""
    parts = []

    def taken(module, values, still, name):
        parts.append([bundled(LESSON / module), json.loads(json.dumps(values["shows"]))])
        return still

    monkeypatch.setattr(page_outputs, "in_page", taken)
    monkeypatch.setattr(page_outputs, "page_module", lambda module: module)
    labels = ("one", "two", "three")
    predictions.Question("counting", "weights", "Draw the weights.", bars=labels)._repr_mimebundle_()
    came = dict(zip(labels, (0.5, 0.25, 0.25), strict=True))
    predictions.Revealed("counting", "weights", "", came, None, 0.1)._repr_mimebundle_()
    page = browser.new_page()
    page.goto("about:blank")
    page.evaluate(MOUNT, parts)
    yield page
    page.close()


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
