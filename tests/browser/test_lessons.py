"""Every lesson in JupyterLab, worked by keyboard from its first cell to its end, in one kernel each.

The release runs whole before any task is done; then mistakes are made and explorers are moved. In two
lessons, or in all with ANSWERED=all, all answers are typed in the end, and every check is right.
What is done in which lesson is a table.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from autograder.author.parse_source import read_source
from autograder.author.preprocessors import solution_region, without_faulty
from autograder.records.cell_roles import is_answer
from autograder.records.course import Course

ROOT = Path(__file__).parents[2]
COURSE = Course.read(ROOT)


@dataclass(frozen=True)
class Explored:
    """An explorer: a text of its cell, what it says at first, and the steps that are taken by keyboard.

    A step is the label of a control ("" for what has the focus), what is pressed there or, after "=", filled
    in, and what is said then. `code` is run in the place of the cell's own.
    """

    cell: str
    says: str
    steps: tuple[tuple[str, str, str], ...]
    code: str = ""


@dataclass(frozen=True)
class Work:
    """What a learner does in a lesson beside answering all.

    Attributes:
        shown: texts of cells, and what stands there after `Run All Cells` before any task is done.
        mistakes: tasks, a text of the cell to answer in, what is typed there, and what the check says then.
        explored: the explorers that are tried.
        ended: texts of cells, and what stands there after all is answered. Where there are none, not all is
            answered: the build runs each lesson to its end, and nothing is shown here in another way.
    """

    shown: tuple[tuple[str, str | re.Pattern[str]], ...] = ()
    mistakes: tuple[tuple[str, str, str, str], ...] = ()
    explored: tuple[Explored, ...] = ()
    ended: tuple[tuple[str, str], ...] = ()


HALF_CORRECTED = """def masked_weights(scores, d_k):
    hidden = torch.triu(scores, diagonal=1) != 0
    masked = scores.masked_fill(hidden, -torch.inf)
    return torch.softmax(masked / d_k**0.5, dim=-1)"""
SPLIT_WRONGLY = """def split_heads(x, num_heads):
    b, num_tokens, d_out = x.shape
    return x.view(b, num_heads, num_tokens, d_out // num_heads)"""
BACKWARDS = """def rotate(pairs, angles):
    a, b = pairs[..., 0], pairs[..., 1]
    return torch.stack([a * angles.cos() + b * angles.sin(), b * angles.cos() - a * angles.sin()], dim=-1)"""
TOO_WIDE = """def window_mask(num_queries, num_keys, window, num_sinks=0):
    distance = torch.arange(num_keys - num_queries, num_keys)[:, None] - torch.arange(num_keys)
    return (distance < 0) | ((distance > window) & (torch.arange(num_keys) >= num_sinks))"""
NO_LOOK_UP = """def find_slots(table, positions, block_size):
    return positions // block_size * block_size + positions % block_size"""
OVER_TOKENS = """def layer_norm(x, scale, shift, eps=1e-5):
    mean, variance = x.mean(dim=1, keepdim=True), x.var(dim=1, keepdim=True, correction=0)
    return (x - mean) / (variance + eps).sqrt() * scale + shift"""
COUNTED = """explore_training(list, range(30), {"loss": lambda: 1.0, "share": lambda: 0.5},
    look=lambda: torch.eye(3), tokens=list("abc"), title="Nothing trained")"""
SMALL_MODEL = """from torch import nn
torch.manual_seed(0)
small = TinyTransformer(VOCAB, 16, NUM_HEADS, 2, 32, position="learned").eval()
explore_model(small, NUM_HEADS, encode, VOCABULARY, text="a dog and a d")"""
SMALL_GPT2 = """torch.manual_seed(0)
small, characters = TinyTransformer(257, 12, 3, 2, 40).eval(), [chr(one) for one in range(256)]
explore_model(small, 3, lambda text: torch.tensor(list(text.encode())), [*characters, "th"],
    "a dog", merges=[[116, 104]])"""
DOWN, UP = "ArrowDown", "ArrowUp"
LESSONS = {
    "01-dot-product": Work(
        shown=(('check("dot-product")', "is still waiting for you"),),
        mistakes=(
            ("all-scores", "attn_scores = ...", "attn_scores = inputs @ inputs.T + torch.eye(6)",
             "First difference at index [0, 0]"),
            ("all-weights", "attn_weights = ...", "attn_weights = torch.softmax(inputs @ inputs.T, dim=0)",
             "each column adds up to 1"),
        ),
        explored=(
            Explored("explore_query(inputs, tokens)", "largest weight 0.2379 on 'journey'", (
                ("Query token", DOWN, "query 'starts'"),
                ("Sharpness", UP, "query 'starts', sharpness 1.1"),
            )),
            Explored("explore_meaning()", "largest weights bank 0.53, boat 0.22, fish 0.19", (
                ("Your sentence", "=the dog sat by the bank", "'dog' is not known"),
                ("Your sentence", "=the bank needed cash", "largest weights bank 0.72, cash 0.25"),
            )),
        ),
        # Of the prediction that is made beside the work.
        ended=(('progress("01-dot-product")', "Predictions: 1 made, 0 came true."),),
    ),
    "02-trainable": Work(
        shown=(('check("bug-globals")', "where does each come from"),),
        mistakes=(
            ("scores-of-one-query", "attn_scores_2 = ...", "attn_scores_2 = query_2 @ values.T",
             "Values are used as keys"),
        ),
        explored=(
            Explored("explore_scale(many_queries", "d_k 512, scores divided by nothing", (
                ("Scores divided by", DOWN, "d_k 512, scores divided by √d_k"),
                ("d_k", UP, "d_k 256, scores divided by √d_k"),
                ("Temperature", "End", "scores divided by √d_k, temperature 20"),
            )),
        ),
    ),
    "03-causal": Work(
        shown=(('check("bug-mask-from-values")', "Nothing is hidden, so every token sees the whole"),),
        mistakes=(
            ("causal-mask", "def causal_mask(num_tokens):",
             "def causal_mask(num_tokens):\n    return torch.ones(num_tokens, num_tokens).tril(-1).bool()",
             "The past is hidden and the future is visible"),
            ("bug-mask-from-values", "def masked_weights(scores, d_k):", HALF_CORRECTED, "1 of 2 points"),
        ),
        explored=(
            Explored("explore_causal_mask(queries", "the newest, 'starts', moved 0 of 2 earlier rows", (
                ("Tokens so far", UP, "the newest, 'with', moved 0 of 3 earlier rows"),
                ("Causal mask", "Space", "the newest, 'with', moved 3 of 3 earlier rows"),
            )),
        ),
    ),
    "04-dropout": Work(
        shown=(('check("bug-mask-device")', "What is wrong with the code as it was given still is"),),
        mistakes=(
            ("batched-scores", "def batched_scores(queries, keys):",
             "def batched_scores(queries, keys):\n    return keys @ queries.transpose(1, 2)",
             "Queries and keys have changed places"),
        ),
        explored=(
            Explored("explore_dropout(attn_weights, tokens)", "Average of 1 draw:", (
                ("Draw again", "Space", "Average of 2 draws:"),
                ("Draws at once", UP, "Average of 2 draws:"),
                ("Draw again", "Space", "Average of 1002 draws:"),
                ("p", "ArrowRight", "p 0.55: the last draw"),
            )),
        ),
    ),
    "05-multi-head": Work(
        shown=(
            ("changed_by_the_last(CausalHeads(3, 4, 6, 2), batch)",
             "outputs that change with the last token: ['one', 'step']"),
            ("encoder = EncoderHeads(4, 4, 2)", "shuffled tokens give shuffled outputs: False"),
        ),
        mistakes=(
            ("split-heads", "def split_heads(x, num_heads):", SPLIT_WRONGLY,
             "the rows of a head are not one for each token"),
        ),
        explored=(
            Explored("explore_heads(four_heads, tokens",
                     "query 'starts', side by side: itself attends most to 'starts'", (
                ("Query token", DOWN, "query 'with', side by side"),
                ("Heads", DOWN, "the mean of all heads attends evenly to 3 tokens (0.31 each)"),
            )),
            Explored("explore_slices(torch.stack(", "the stack, head 0: heads.0.W_query.weight (2, 3)", (
                ("Head", DOWN, "the stack, head 1"),
                ("Matrices of", DOWN, "the fused class, head 1: rows 2 to 3 of W_query.weight (4, 3)"),
            )),
            Explored("explore_bugs(tokens)",
                     "Nothing is broken. Before training rows of weights add up to 1.00", (
                ("softmax over the queries", "Space", "Broken: softmax over the queries. Before training"),
                # Tab leads from one bug to the next.
                ("", "Tab Space", "Broken: softmax over the queries and mask after softmax"),
                ("Weights and gradients", DOWN, "After 60 steps rows of weights add up to"),
            )),
        ),
    ),
    "06-encoder-decoder": Work(
        shown=(
            ("for target_length, source_length in", re.compile("target 5, source 6: shape .* is invalid")),
            ('check("bug-query-length")', "The keys are reshaped with the length of the queries"),
        ),
        mistakes=(
            ("padding-mask", "def padding_mask(lengths, num_tokens):",
             "def padding_mask(lengths, num_tokens):\n"
             "    return torch.arange(num_tokens) >= lengths[:, None, None, None]",
             "This is True for padding"),
        ),
        explored=(
            Explored("explore_three_attentions(source", "'the' (token 1 of the target) sees 4 of 6", (
                ("Attention", UP, "sees 2 of 5 target tokens: <start>, the."),
                ("Query token", DOWN, "'house' (token 2 of the target) sees 3 of 5"),
            )),
        ),
        ended=(("for target_length, source_length in", "target 5, source 6: scores of shape (2, 4, 5, 6)"),),
    ),
    "07-positions": Work(
        mistakes=(
            ("rotate-pairs", "def rotate(pairs, angles):", BACKWARDS, "The rotation goes the other way"),
        ),
        explored=(
            Explored("explore_positions([1.2", "query at position 5, key at position 2, distance 3", (
                ("Position of the key", f"ArrowRight {UP}",
                 "query at position 5, key at position 4, distance 1"),
            )),
        ),
    ),
    "08-train-it": Work(
        shown=(
            ("bring_over(", "The course's own MultiHeadAttention is used"),
            ("explore_training(\n    lambda batches: train(reverser", "Skipped: this cell needs `Block`"),
        ),
        mistakes=(
            ("layer-norm", "def layer_norm(x, scale, shift, eps=1e-5):", OVER_TOKENS,
             "Mean and variance run over the tokens here"),
        ),
        explored=(
            Explored("explore_training(\n    lambda batches: train(reverser",
                     "Nothing trained, after 30 of 30 steps",
                     (("Moment", DOWN, "Nothing trained, after 28 of 30 steps"),), COUNTED),
        ),
    ),
    "09-take-it-apart": Work(
        shown=(
            ("bring_over(", "The course's own TinyTransformer is used"),
        ),
        mistakes=(
            ("induction-score", "def induction_score(weights, period):",
             "def induction_score(weights, period):\n    return weights.diagonal(-period, 1, 2).mean(-1)",
             "the diagonal of the token that is *equal*"),
        ),
        explored=(
            Explored("explore_training(\n    lambda batches: train(inductor",
                     "Nothing trained, after 30 of 30 steps",
                     (("Moment", DOWN, "Nothing trained, after 28 of 30 steps"),), COUNTED),
        ),
    ),
    "10-read-a-model": Work(
        shown=(
            ("bring_over(", "The course's own TinyTransformer is used"),
            ("explore_model(model", "Skipped: this cell needs `model`."),
        ),
        mistakes=(
            ("split-fused", "def split_fused(weight):",
             "def split_fused(weight):\n    return weight.chunk(3, dim=1)", "The parts are still (in, out)"),
        ),
        explored=(
            Explored("explore_model(model", "layer 0, head 0: token 12, 'd'", (
                ("Type anything", "=a cat", "layer 0, head 0: token 4, 't'"),
                ("layer 0, head 1", "Space", "layer 0, head 1: token 4, 't'"),
                ("Without this head", "Space", "without it the model expects"),
                ("Type anything", "=café", "It has never seen 'é'"),
            ), SMALL_MODEL),
        ),
    ),
    "11-fast-attention": Work(
        shown=(("one_query = attend_one_query", "the last row of plain attention: False"),),
        explored=(
            Explored("explore_tiles(q[0, 0, :6, :2]", "step 1 of 6: queries 'Your' to 'journey'", (
                ("Step", "ArrowRight", "step 2 of 6: queries 'starts' to 'with'"),
                ("Mask", UP, "step 2 of 9"),
            )),
        ),
    ),
    "12-real-models": Work(
        shown=(("bring_over(", "The course's own TinyTransformer is used"),),
        explored=(
            Explored("explore_sampling(some_logits", "8 of 8 tokens can be drawn", (
                ("Temperature", UP, "the likeliest, 'the', has 0.37"),
                ("top-k", DOWN, "7 of 8 tokens can be drawn"),
            )),
            Explored("explore_model(gpt2, 3", "layer 0, head 0: token 4, 'g'", (
                ("Type anything", "=the cat", "layer 0, head 0: token 5, 't'"),
                ("Without this head", "Space", "without it the model expects"),
            ), SMALL_GPT2),
        ),
    ),
    "13-attention-today": Work(
        shown=(("bring_over(", "The course's own RMSNorm is used"),),
        mistakes=(
            ("window-mask", "def window_mask(num_queries, num_keys, window, num_sinks=0):", TOO_WIDE,
             "The window is one token too wide"),
        ),
        explored=(
            Explored("explore_map(weights[:1]", "sequence 0, head 0, query 'a'", (
                ("Head", "ArrowRight", "sequence 0, head 1, query 'a'"),
            ), "explore_map(torch.eye(3).expand(1, 2, 3, 3), list('abc'))"),
            Explored("explore_reach(num_tokens=30", "token 29: a windowed layer shows it 5 of 30 tokens", (
                ("Window", UP, "shows it 6 of 30 tokens"),
            )),
        ),
    ),
    "14-serve-it": Work(
        shown=(("bring_over(", "The course's own TinyTransformer is used"),),
        mistakes=(
            ("find-slots", "def find_slots(table, positions, block_size):", NO_LOOK_UP,
             "Look it up in"),
        ),
        explored=(
            Explored("explore_schedule(prompts", "step 1 of 10: 8 of 8 tokens are used", (
                ("Budget of a step", UP, "step 1 of 10: 9 of 9 tokens are used"),
            )),
        ),
    ),
    "15-capstone": Work(
        shown=(("bring_over(", "The course's own tiled_attention is used"),),
        explored=(
            Explored("explore_tiles(q, k, v", "step 1 of 6: queries 'Your' to 'journey'", (
                ("Step", "ArrowRight", "step 2 of 6: queries 'starts' to 'with'"),
            )),
        ),
    ),
}  # fmt: skip


def answers(lesson: str, released) -> dict[int, str]:
    """What to type, by the place of the cell in the released notebook."""
    solved = {cell["id"]: cell for cell in read_source(ROOT / "source" / lesson / f"{lesson}.py").cells}
    typed = {}
    for position, cell in enumerate(released.cells):
        if is_answer(cell) and cell.cell_type == "code":
            source = without_faulty(solved[cell["id"]].source)
            assert solution_region(source)
            typed[position] = "\n".join(line for line in source.splitlines() if "### " not in line).strip(
                "\n"
            )
    return typed


def explore(notebook, explored):
    """Take an explorer's steps by keyboard; the explorer."""
    cell = notebook.cell(explored.cell)
    if explored.code:
        cell = notebook.replace(cell, explored.code)
    hidden = cell.locator(".jp-OutputPlaceholder")  # until a prediction is made, or somebody opens it
    cell.get_by_text(explored.says).first.or_(hidden).wait_for(timeout=60_000)
    if hidden.count():
        hidden.click()
    cell.get_by_text(explored.says).first.wait_for()
    for label, keys, says in explored.steps:
        if label:
            # Words to choose among are one control: Tab leads to the one that is chosen.
            group = cell.get_by_role("group", name=label, exact=True).get_by_role("radio", checked=True)
            named = [cell.get_by_role(role, name=label, exact=True) for role in ("button", "checkbox")]
            labelled = cell.get_by_label(label, exact=True)
            control = group if group.count() else labelled.or_(named[0]).or_(named[1]).first
            control.focus()
            if keys.startswith("="):
                control.fill(keys[1:])
                keys = "Enter"
        for key in keys.split():
            notebook.page.keyboard.press(key)
        cell.get_by_text(says).first.wait_for()
    return cell


@pytest.mark.sample(15)
@pytest.mark.parametrize("lesson", COURSE.lessons)
def test_a_lesson_is_worked_from_its_first_cell_to_its_end(open_lesson, lesson):
    notebook, work, tasks = open_lesson(lesson), LESSONS[lesson], len(COURSE.load(lesson).tasks)
    end = notebook.cell(f'progress("{lesson}")')

    notebook.run_all()
    end.get_by_text(f"0 of {tasks} tasks").wait_for(timeout=30_000)
    assert notebook.outputs("stderr") == 0
    assert spoiled(notebook) == []
    for cell, words in work.shown:
        unfold(notebook.cell(cell))
        notebook.cell(cell).get_by_text(words).first.wait_for()

    for task, stub, code, words in work.mistakes:
        check = notebook.cell(f'check("{task}")')
        notebook.answer(stub, code)
        notebook.run(check)
        check.locator(".ag").first.wait_for()
        # Before the card that stays, one is shown that has no buttons.
        check.get_by_role("button", name="hint").first.wait_for()
        unfold(check)
        check.get_by_text(words).or_(check.get_by_label(words)).first.wait_for()
        notebook.picture(f"{lesson}-{task}", of=check)
    for explored in work.explored:
        cell = explore(notebook, explored)
        notebook.picture(f"{lesson}-{explored.cell.partition('(')[0]}", of=cell)
    if lesson in BESIDES:
        BESIDES[lesson](notebook)

    typed = answers(lesson, notebook.released)
    assert len(typed) == tasks
    answered = work.ended or os.environ.get("ANSWERED") == "all"
    if answered:
        notebook.fill(typed)
        notebook.run_all()
        end.get_by_text(f"{tasks} of {tasks} tasks").wait_for(timeout=60_000)
    assert (notebook.outputs("stderr"), notebook.outputs("error")) == (0, 0)
    for cell, words in work.ended:
        unfold(notebook.cell(cell))
        notebook.cell(cell).get_by_text(words).first.wait_for()
    assert notebook.violations() == []
    if answered:
        notebook.use_other_theme()  # in which the lessons after it begin
        assert notebook.violations("color-contrast") == []
        notebook.picture(f"{lesson}-at-its-end-in-the-other-theme", of=end)


# What may stand where a prediction's outcome will, before anything was predicted.
CLOSED = ("Hidden until you make your prediction above.", "The result is not known yet.", "Skipped: ")


def spoiled(notebook):
    """The cells that show an outcome which nobody has predicted."""
    shown = {
        position: notebook.cells.nth(position).inner_text()  # of what is folded, this has nothing
        for position, cell in enumerate(notebook.released.cells)
        if cell.cell_type == "code" and re.search(r"^reveal\(", cell.source, re.MULTILINE)
    }
    assert shown
    return [
        (notebook.released.cells[position].id, text)
        for position, text in shown.items()
        if not any(closed in text for closed in CLOSED) or "Result:" in text
    ]


def rows_that_slide(notebook):
    """The rows of the slices move to their new places."""
    cell = notebook.cell("explore_slices(torch.stack(")
    moving = cell.locator(".live").evaluate(
        """box => {
          box.querySelector("fieldset:last-of-type input:not(:checked)").click();
          return [...box.querySelectorAll("tbody tr")].flatMap(row => row.getAnimations()).length;
        }"""
    )
    assert moving == 4


def unfold(cell):
    """Unfold all that is folded below a cell."""
    cell.locator(".ag details").evaluate_all("all => all.forEach(one => { one.open = true })")


def hints_and_a_prediction(notebook):
    """The button for hints below a check, and a prediction that is kept and shown beside what came."""
    check = notebook.cell('check("dot-product")')
    button = check.get_by_role("button", name="Hint")
    output = check.locator(".ag-said[role=status]")  # there before its words are
    assert output.inner_text().strip() == ""
    button.focus()
    notebook.page.keyboard.press("Enter")
    output.get_by_text("Hint 1 of ").wait_for()
    assert button.evaluate("node => node === document.activeElement")
    assert button.inner_text().startswith("Next hint (")
    notebook.page.keyboard.press("Space")
    output.get_by_text("Hint 2 of ").wait_for()
    notebook.picture("a-hint-below-a-check", of=check)

    asks, shows = (notebook.cell(f'{name}"dot-product-swapped"') for name in ("", "reveal("))
    group = asks.get_by_role("radiogroup")
    assert "in the other order" in group.get_attribute("aria-label")
    saved = asks.locator(".ag-kept[role=status]")
    assert saved.inner_text().strip() == ""
    asks.get_by_role("radio", name="the same number twice").focus()
    notebook.page.keyboard.press("Space")
    saved.get_by_text("Kept: the same number twice").wait_for()
    notebook.page.keyboard.press(DOWN)
    saved.get_by_text("Kept: two different numbers").wait_for()
    notebook.page.keyboard.press(
        "Tab"
    )  # whoever leaves the choices sees what comes below, and all moves down
    notebook.cell("input_query = inputs[1]").locator(".jp-OutputPlaceholder").wait_for(state="detached")
    notebook.run(shows)
    shows.get_by_text("You predicted: two different numbers. Result: the same number twice").wait_for()
    assert [name for name, _ in spoiled(notebook)] == ["dot-product-revealed"]

    assert notebook.violations() == []
    notebook.use_other_theme()
    assert notebook.violations("color-contrast") == []
    notebook.picture("a-hint-below-a-check-in-the-other-theme", of=check)


def places_that_are_dragged(notebook):
    """A position moves with the mouse as well, while it is dragged."""
    explorer = notebook.cell("explore_positions([1.2")
    handle = explorer.get_by_label("Position of the query").first
    handle.scroll_into_view_if_needed()
    track = handle.bounding_box()
    middle = track["y"] + track["height"] / 2
    notebook.page.mouse.move(track["x"] + track["width"] * 5.5 / 32, middle)
    notebook.page.mouse.down()
    notebook.page.mouse.move(track["x"] + track["width"] / 2, middle, steps=5)
    explorer.get_by_text(re.compile("query at position 1[4-7], key at position 4")).first.wait_for()
    notebook.page.mouse.move(track["x"] + track["width"] + 9, middle, steps=5)
    notebook.page.mouse.up()
    explorer.get_by_text("query at position 31, key at position 4, distance 27").first.wait_for()
    assert explorer.get_by_text("✓ the same").count() == 2


BESIDES = {
    "01-dot-product": hints_and_a_prediction,
    "05-multi-head": rows_that_slide,
    "07-positions": places_that_are_dragged,
}


def test_a_control_without_a_name_and_pale_text_would_be_found(open_lesson):
    notebook = open_lesson("01-dot-product")
    pale = "<p style='color: #999; background: #aaa'>pale</p>"
    cell = notebook.page.locator(".jp-Notebook .jp-CodeCell:not(:has(.jp-Placeholder-prompt))").first
    notebook.replace(cell, f'from IPython.display import HTML\nHTML("<select><option>p</select>{pale}")')
    notebook.page.locator(".jp-OutputArea-output").get_by_text("pale").wait_for()
    actual = [
        {line.split(":")[0] for line in notebook.violations(*rules)} for rules in ((), ("color-contrast",))
    ]
    assert actual == [{"select-name", "color-contrast"}, {"color-contrast"}]
