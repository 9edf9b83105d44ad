"""Explorers in Chromium, without a kernel: worked by keyboard, read by everybody, in both themes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch

import visuals
from tests.browser.conftest import report_troubles
from visuals.explorers.sentence import explore_sentence

pytestmark = pytest.mark.slow

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
INPUTS = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]
INPUTS += [[0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
# What a page gives a module in the place of a kernel.
MOUNT = """async ([code, values]) => {
  const box = document.querySelector("main");
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  window.values = values;
  window.saved = 0;
  const model = { get: name => values[name], set: (name, value) => { values[name] = value; },
    save_changes: () => { window.saved += 1; }, on() {} };
  await widget.render({ model, el: box });
}"""
# The letters are as wide as most readers' are: what `system-ui` is depends on the browser and the machine.
PAGE = """<!doctype html><html lang="en"><title>An explorer</title><body data-jp-theme-light="{light}"
style="margin: 8px; background: {back}; --jp-layout-color0: {back}; --jp-layout-color1: {back};
--jp-layout-color2: {back}; --jp-content-font-color1: {ink}; --jp-ui-font-color2: {ink};
--jp-content-font-family: Arial, sans-serif"><main></main>"""


def watched_training():
    """A training of 40 steps whose loss falls, and whose map turns from even to sharp."""
    done = []

    def look():
        sharp = len(done) / 40
        return sharp * torch.eye(17).flip(0) + (1 - sharp) / 17

    measures = {"loss": lambda: 4 - len(done) / 10, "accuracy": lambda: len(done) / 40}
    return visuals.explore_training(
        lambda batches: done.extend(batches), range(40), measures, look, list("0123456789|012345"), "Counting"
    )


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(123))


def alike(x):
    return torch.softmax(x @ x.T, dim=-1)


def alike_and_causal(x):
    scores = x @ x.T
    return torch.softmax(scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf), dim=-1)


@dataclass(frozen=True)
class Case:
    """An explorer, what it says at first, and the steps that are taken by keyboard.

    A step is the label of a control ("" for what has the focus), the keys that are pressed there or, after
    "=", what is filled in, and what is said or shown then.
    """

    make: Callable[[], Any]
    says: str
    steps: tuple[tuple[str, str, str], ...]


CASES = {
    "query": Case(
        lambda: visuals.explore_query(INPUTS, TOKENS),
        "query 'journey', sharpness 1: largest weight 0.2379 on 'journey'; context (0.4419, 0.6515, 0.5683)",
        (
            ("journey", "ArrowRight", "query 'starts', sharpness 1: largest weight 0.2369 on 'journey'"),
            ("Sharpness", "ArrowRight", "query 'starts', sharpness 1.1"),
            ("Sharpness", "End", "query 'starts', sharpness 20"),
            ("Sharpness", "Home", "largest weight 0.1667 on 'Your'"),
        ),
    ),
    "query with a token twice and a number that is none": Case(
        lambda: visuals.explore_query([[torch.nan, 1.0], [1.0, 0.0], [2.0, 0.0]], ["the", "cat", "the"]),
        "query 'cat', sharpness 1: no finite weight",
        (("the (2)", "Space", "query 'the (2)', sharpness 1: no finite weight"),),
    ),
    "meaning": Case(
        visuals.explore_meaning,
        "sharpness 1: largest weights bank 0.53, boat 0.22, fish 0.19; 'bank' alone is 45°",
        (
            ("Your sentence", "=the dog sat by the bank", "'dog' is not known, and is left out."),
            ("Your sentence", "=The bank needed cash!", "largest weights bank 0.72, cash 0.25"),
            ("bank", "ArrowRight", "'needed' alone is 45°"),
            ("Your sentence", "=xyzzy", "The sentence has no known word."),
        ),
    ),
    "journey": Case(
        lambda: visuals.explore_journey(INPUTS, INPUTS, INPUTS, TOKENS, scale=False, called=["inputs"] * 3),
        "Each token is a row of numbers. “journey” asks; all the others can answer.",
        (
            ("Next stop", "Space", "query, key = inputs[1], inputs[2]"),
            ("", "ArrowRight ArrowRight", "It is the score 1.4754."),
            ("", "ArrowLeft", "products = query * key"),
            ("Step", "ArrowRight ArrowRight ArrowRight ArrowRight", "The longest is that of “journey”."),
            ("Query token", "ArrowRight", "The longest is that of “journey”."),
            ("Next stop", "Enter Enter", "“journey” gets 0.2369 of the attention."),
        ),
    ),
    "journey of a causal head": Case(
        lambda: visuals.explore_journey(*[drawn(6, 4)] * 3, TOKENS, query=3, causal=True, heads=2),
        "Each token is a row of numbers. “with” asks",
        (
            ("Next stop", "Space", "Each row is cut into 2 heads. This head sees 2 numbers"),
            ("Step", "ArrowRight " * 7, "The future is shuttered: what comes after “with”"),
            ("Step", "ArrowRight " * 6, "The context of each head takes its own columns"),
        ),
    ),
    "journey in tiles": Case(
        lambda: visuals.explore_journey(*[drawn(6, 2)] * 3, TOKENS, query=3, tile=2),
        "Each token is a row of numbers.",
        (
            ("Step", "ArrowRight " * 5, "Tile 1 comes: 2 keys and their values."),
            ("Next stop", "Space", "The tile goes. What is kept of it: the largest score m ="),
            ("", "Space Space Space Space Space", "though the whole row of scores was never there"),
        ),
    ),
    "sentence": Case(
        explore_sentence,
        "Here “bank” means the side of a river: 94 % of what it takes in is “boat”.",
        (
            ("Word 14 of the sentence", "ArrowDown ArrowDown", "means a place that keeps money: 97 %"),
            ("Word 11 of the sentence", "ArrowDown", "“he” means the king: 91 % of what it takes in is"),
        ),
    ),
    "reading": Case(
        lambda: visuals.explore_reading(alike),
        "query 'bank': largest",
        (
            ("Your sentence", "=the king needed a loan", "query 'the': largest"),
            ("the", "ArrowRight", "query 'king': largest"),
        ),
    ),
    "causal reading": Case(
        lambda: visuals.explore_reading(alike_and_causal, "she saw the river", "she"),
        "query 'she': largest 1.0000 on 'she'; its row adds up to 1.00, entropy 0.00 of at most 1.39",
        (("she", "ArrowRight", "query 'saw': largest"), ("saw", "ArrowRight", "\thidden\n")),
    ),
    "map": Case(
        lambda: visuals.explore_map(torch.softmax(drawn(2, 3, 4, 5), -1), list("abcde"), list("wxyz")),
        "sequence 0, head 0, query 'w': largest",
        (
            ("Sequence", "ArrowRight", "sequence 1, head 0, query 'w'"),
            ("Head", "ArrowRight ArrowRight", "sequence 1, head 2, query 'w'"),
            ("Query token", "ArrowRight", "sequence 1, head 2, query 'x'"),
        ),
    ),
    "map of many": Case(
        lambda: visuals.explore_map(torch.softmax(drawn(20, 30), -1), range(30), range(20)),
        "query '0': largest",
        (("Query token", "ArrowRight", "its 10 largest of 30"),),
    ),
    "map of masked scores": Case(
        lambda: visuals.explore_map(
            torch.ones(3, 3).masked_fill(torch.ones(3, 3).triu(1).bool(), -torch.inf), list("abc")
        ),
        "query 'a': largest 1.0000 on 'a'; 2 entries are not finite",
        (("Query token", "ArrowDown ArrowDown", "largest 1.0000 on 'a'; its row adds up to 3.0000"),),
    ),
    "scale": Case(
        lambda: visuals.explore_scale(drawn(300, 512), drawn(6, 512), TOKENS),
        "d_k 512, scores divided by nothing, temperature 1: scores spread by",
        (
            ("Scores divided by", "ArrowRight", "d_k 512, scores divided by √d_k, temperature 1"),
            ("d_k", "ArrowLeft", "d_k 256, scores divided by √d_k"),
            ("Temperature", "End", "temperature 20"),
            ("Temperature", "Home", "temperature 0.05"),
        ),
    ),
    "causal mask": Case(
        lambda: visuals.explore_causal_mask(torch.tensor(INPUTS) @ torch.tensor(INPUTS).T, TOKENS),
        "3 tokens, mask on: the newest, 'starts', moved 0 of 2 earlier rows; no attention on later tokens",
        (
            ("Tokens so far", "ArrowRight", "4 tokens, mask on: the newest, 'with', moved 0 of 3"),
            ("Causal mask", "Space", "4 tokens, mask left out: the newest, 'with', moved 3 of 3"),
            ("Tokens so far", "Home", "'Your' is alone and looks at itself"),
            ("Play", "Space", "2 tokens, mask left out: the newest, 'journey', moved 1 of 1"),
        ),
    ),
    "heads": Case(
        lambda: visuals.explore_heads(
            torch.stack([torch.eye(6), torch.ones(6, 6) / 6]), TOKENS, ["itself", "all evenly"]
        ),
        "query 'starts', side by side: itself attends most to 'starts' (1.00), all evenly attends evenly",
        (
            ("Query token", "ArrowRight", "query 'with', side by side"),
            ("Heads", "ArrowRight", "the mean of all heads attends most to 'with' (0.58)"),
        ),
    ),
    "dropout": Case(
        lambda: visuals.explore_dropout(torch.tril(torch.full((6, 6), 0.25)), TOKENS),
        "p 0.5: the last draw keeps",
        (
            ("Draw again", "Space", "Average of 2 draws: adds up to"),
            ("Draws at once", "ArrowLeft", "Average of 2 draws"),
            ("Draw again", "Enter", "Average of 1002 draws"),
            ("p", "ArrowRight", "p 0.55: the last draw keeps"),
            ("p", "Home", "p 0: the last draw keeps 21 of 21 weights"),
            ("Play", "Space", "Average of 1001 draws: adds up to 5.25, farthest from its weight by 0.00"),
        ),
    ),
    "slices": Case(
        lambda: visuals.explore_slices(drawn(2, 2, 3)),
        "the stack, head 0: heads.0.W_query.weight (2, 3) is a matrix of its own; it makes columns 0 to 1",
        (
            ("Head", "ArrowRight", "the stack, head 1: heads.1.W_query.weight"),
            ("Matrices of", "ArrowRight", "the fused class, head 1: rows 2 to 3 of W_query.weight"),
        ),
    ),
    "slices of one row": Case(
        lambda: visuals.explore_slices(drawn(2, 1, 3)),
        "the stack, head 0: heads.0.W_query.weight (1, 3)",
        (("Matrices of", "ArrowRight", "row 0 of W_query.weight (2, 3) is heads.0.W_query.weight"),),
    ),
    "three attentions": Case(
        lambda: visuals.explore_three_attentions(
            ["das", "Haus", "ist", "<pad>"], ["<start>", "the", "house", "<pad>", "<pad>"]
        ),
        "Cross-attention: 'the' (token 1 of the target) sees 3 of 4 source tokens: das, Haus, ist. Hidden: "
        "<pad> (padding).",
        (
            ("Attention", "ArrowLeft", "sees 2 of 5 target tokens: <start>, the. Hidden: house (later in"),
            ("Query token", "ArrowLeft ArrowLeft", "'<pad>' (token 4 of the target) sees 3 of 5 target"),
            ("Attention", "ArrowLeft", "Encoder self-attention: '<pad>' (token 3 of the source)"),
        ),
    ),
    "bugs": Case(
        lambda: visuals.explore_bugs(TOKENS),
        "Nothing is broken. Before training rows of weights add up to 1.00, their mean entropy is",
        (
            ("softmax over the queries", "Space", "Before training rows of weights add up to 0.11 to 2.64"),
            ("", "Tab Space", "Broken: softmax over the queries and mask after softmax, no renormalising."),
            ("Weights and gradients", "ArrowRight", "After 60 steps rows of weights add up to"),
            ("no transpose(1, 2) of the heads", "Space", "with·0"),
        ),
    ),
    "training": Case(
        watched_training,
        "Counting, after 40 of 40 steps: loss 0.00, accuracy 1.00. Beside the curves, the map: many queries",
        (
            ("Moment", "ArrowLeft", "Counting, after 37 of 40 steps: loss 0.30, accuracy 0.93"),
            ("Moment", "Home", "Counting, after 0 of 40 steps: loss 4.00, accuracy 0.00"),
            ("Play", "Space", "Counting, after 3 of 40 steps"),
        ),
    ),
    "positions": Case(
        lambda: visuals.explore_positions([1.2, 0.5], [0.9, -0.6]),
        "query at position 5, key at position 2, distance 3: rotated score -0.8078, and -0.8078 with both",
        (
            ("Position of the key", "ArrowRight", "query at position 5, key at position 3, distance 2"),
            ("Play", "Space", "query at position 6, key at position 4, distance 2"),
            ("Position of the query", "End", "query at position 31, key at position 4, distance 27"),
            ("Play", "Space", "query at position 27, key at position 0, distance 27"),
        ),
    ),
    "tiles": Case(
        lambda: visuals.explore_tiles(*drawn(3, 6, 2), TOKENS),
        "step 1 of 6: queries 'Your' to 'journey' meet keys 'Your' to 'journey'; 12 numbers are held, the "
        "whole matrix has 36; 3 of 9 tiles are skipped",
        (
            ("Step", "ArrowRight", "step 2 of 6: queries 'starts' to 'with' meet keys 'Your' to 'journey'"),
            ("Mask", "ArrowLeft", "step 2 of 9: queries 'Your' to 'journey' meet keys 'starts'"),
            ("Step", "End", "step 9 of 9"),
            ("Tile", "ArrowRight ArrowRight ArrowRight", "step 1 of 1: queries 'Your' to 'step'"),
            ("Tile", "ArrowRight", "step 1 of 36: queries 'Your' meet keys 'Your'"),
            ("Play", "Space", "step 2 of 36"),
        ),
    ),
    "schedule": Case(
        lambda: visuals.explore_schedule(prompts=[5, 12, 3, 7], answers=[6, 3, 8, 4], budget=8),
        "step 1 of 10: 8 of 8 tokens are used; all steps together could compute 80 tokens, and 44 are needed",
        (
            ("Step", "End", "step 10 of 10"),
            ("Budget of a step", "End", "step 8 of 8"),
            ("Budget of a step", "Home", "step 8 of 44: 1 of 1 tokens are used"),
            ("Texts are served", "ArrowDown", "step 8 of 44: 1 of 1 tokens are used"),
        ),
    ),
    "reach": Case(
        lambda: visuals.explore_reach(num_tokens=30, window=5, layers=6),
        "token 29: a windowed layer shows it 5 of 30 tokens; after all layers 25 can have arrived; the "
        "caches keep 30 of 180 tokens",
        (
            ("Layers without a window", "ArrowRight ArrowRight", "30 can have arrived; the caches keep 80"),
            ("Layers", "Home", "shows it 5 of 30 tokens; after all layers 5 can have arrived"),
            ("First tokens kept", "ArrowRight ArrowRight", "shows it 7 of 30 tokens"),
            ("Query token", "Home", "token 0: a windowed layer shows it 1 of 30 tokens"),
            ("Window", "End", "the caches keep 30 of 30"),
        ),
    ),
}


@pytest.fixture
def mounted(browser):
    """Mount an explorer in a page of its own; nothing may be reported or asked for."""
    contexts, trouble = [], []

    def mount(explorer, theme="light", width=1280):
        context = browser.new_context(
            offline=True, viewport={"width": width, "height": 900}, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(8000)
        report_troubles(page, trouble)
        isdark = theme == "dark"
        back, ink = ("#111111", "#e3e6ea") if isdark else ("#ffffff", "#1f2328")
        page.set_content(PAGE.format(light=json.dumps(not isdark), back=back, ink=ink))
        model = {"shows": explorer._shows, "chosen": explorer.chosen, "texts": explorer.texts}
        page.evaluate(MOUNT, [explorer.code, model])
        return page

    yield mount
    for context in contexts:
        context.close()
    assert trouble == []


def control(page, label):
    """A control by its label; of words to choose among, the one that is chosen."""
    group = page.get_by_role("group", name=label, exact=True)
    if group.count():
        return group.get_by_role("radio", checked=True)
    button = page.get_by_role("button", name=label, exact=True)
    return button if button.count() else page.get_by_label(label, exact=True).first


@pytest.mark.parametrize("name", CASES)
def test_an_explorer_is_worked_by_keyboard_and_tells_what_is_chosen(mounted, name):
    case = CASES[name]
    page = mounted(case.make())
    status = page.get_by_role("status")
    assert status.inner_text().startswith(case.says)
    for label, keys, says in case.steps:
        before = page.evaluate("JSON.stringify(window.values.chosen)")
        if label:
            control(page, label).focus()
        if keys.startswith("="):
            control(page, label).fill(keys[1:])
        else:
            for key in keys.split():
                page.keyboard.press(key)
        assert says in page.locator(".live").inner_text()
        assert page.evaluate("JSON.stringify(window.values.chosen)") != before  # and Python is told
        assert page.evaluate("window.saved") > 0


def violations(page, *rules: str) -> list[str]:
    """What axe finds on a page; with the names of rules, it looks for those alone."""
    from axe_playwright_python.sync_playwright import Axe

    actual = Axe().run(page, options={"resultTypes": ["violations"], "runOnly": list(rules) or WCAG})
    return [
        f"{item['id']}: {node['html'][:200]}"
        for item in actual.response["violations"]
        for node in item["nodes"]
    ]


@pytest.mark.parametrize("name", CASES)
def test_an_explorer_can_be_read_by_everybody_on_a_phone_and_on_a_wide_page(mounted, name):
    page = mounted(CASES[name].make(), "dark", 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []
    sizes = page.evaluate(
        """() => {
          const nodes = document.createTreeWalker(document.querySelector(".live"), NodeFilter.SHOW_TEXT);
          const sizes = [];
          for (let node; (node = nodes.nextNode()); ) {
            const box = node.parentElement;
            if (!node.textContent.trim() || box.tagName === "STYLE") continue;
            const scale = box instanceof SVGGraphicsElement ? box.getScreenCTM().a : 1;
            sizes.push([parseFloat(getComputedStyle(box).fontSize) * scale, node.textContent]);
          }
          return sizes;
        }"""
    )
    assert min(sizes)[0] >= 9, min(sizes)

    page = mounted(CASES[name].make(), "light", 1600)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1600
    assert violations(page, "color-contrast") == []


@pytest.mark.parametrize("name", ["map", "positions", "tiles", "reach"])
def test_two_things_stand_side_by_side_where_a_page_has_room(mounted, name):
    page = mounted(CASES[name].make(), width=752)
    tops = page.locator(".view > *").evaluate_all("all => all.map(one => one.offsetTop)")
    assert tops[0] == tops[1]


def test_a_number_opens_as_its_arithmetic_beside_it_and_esc_closes_it(mounted):
    page = mounted(CASES["query"].make())
    page.get_by_role("button", name="0.2379").focus()
    page.keyboard.press("Enter")
    opened = page.locator(".zoom")
    assert opened.locator("p").all_inner_texts() == [
        "0.2379 = softmax(1.495) = exp(1.495 − 1.495) / 4.2036",
        "1.4950 = 0.55·0.55 + 0.87·0.87 + 0.66·0.66",
    ]
    assert page.locator("tr.lit th").all_inner_texts() == ["journey"]
    page.keyboard.press("ArrowDown")  # to the next token's weight
    assert opened.locator("p").nth(1).inner_text() == "1.4754 = 0.55·0.57 + 0.87·0.85 + 0.66·0.64"
    assert page.locator("tr.lit th").all_inner_texts() == ["journey", "starts"]
    control(page, "Sharpness").fill("2")
    assert opened.locator("p").nth(1).inner_text() == "2.9508 = 2 · 1.4754"  # what is open keeps up
    page.locator("[aria-expanded=true]").focus()
    page.keyboard.press("Escape")
    assert opened.count() == 0
    assert page.locator("tr.lit").count() == 0


@pytest.mark.parametrize("name", ["positions", "dropout", "heads"])
def test_what_a_number_opens_as_makes_that_number(mounted, name):
    page = mounted(CASES[name].make())
    if name == "heads":
        page.get_by_role("radio", name="superposed").click()
    numbers = page.locator(".why")
    assert numbers.count() > 5
    for number in numbers.all():
        number.click()
        result, _equals, arithmetic = page.locator(".zoom p").first.inner_text().partition(" = ")
        worked_out = eval(arithmetic.replace("·", "*").replace("−", "-"))  # of digits and signs alone
        assert abs(worked_out - float(result)) < 1e-3
        assert abs(float(number.inner_text().replace("−", "-")) - float(result)) <= 0.0051
        page.keyboard.press("Escape")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["query", "causal reading", "causal mask", "positions", "dropout"])
def test_what_is_opened_can_be_read_by_everybody(mounted, name, theme):
    page = mounted(CASES[name].make(), theme, 390)
    page.locator(".why").first.click()
    assert page.locator(".zoom").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []


def test_one_word_of_the_sentence_changes_by_itself_unless_motion_is_not_wanted(browser):
    explorer, model = explore_sentence(), "document.querySelector('.live').innerText"
    for wanted, thing in (("no-preference", "cash"), ("reduce", "boat")):
        context = browser.new_context(reduced_motion=wanted)
        page = context.new_page()
        page.clock.install()
        page.set_content(PAGE.format(light="true", back="#fff", ink="#000"))
        page.evaluate(MOUNT, [explorer.code, {"shows": explorer._shows, "chosen": explorer.chosen}])
        assert "is “boat”" in page.evaluate(model)
        page.clock.run_for(5000)
        assert f"is “{thing}”" in page.evaluate(model)
        context.close()


def test_bars_glide_between_two_states_unless_motion_is_not_wanted(browser):
    explorer = CASES["meaning"].make()
    for wanted, moves in (("no-preference", True), ("reduce", False)):
        context = browser.new_context(reduced_motion=wanted)
        page = context.new_page()
        page.set_content(PAGE.format(light="true", back="#fff", ink="#000"))
        model = {"shows": explorer._shows, "chosen": explorer.chosen, "texts": {}}
        page.evaluate(MOUNT, [explorer.code, model])
        ends = page.evaluate(
            """async () => {
              const slider = document.querySelector("input[type=range]");
              const end = () => document.querySelector("svg g > g:last-child line").getAttribute("x2");
              const seen = [end()];
              slider.value = 0;
              slider.dispatchEvent(new Event("input"));
              seen.push(end());
              await new Promise(done => setTimeout(done, 1500));
              return [...seen, end()].map(Number);
            }"""
        )
        assert (ends[0] == ends[1]) is moves  # it starts from where it was, or is there at once
        assert ends[2] != ends[0]
        context.close()
