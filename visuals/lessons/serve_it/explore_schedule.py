"""Choose a budget of tokens, and see step by step which text reads its prompt and which one writes."""

from __future__ import annotations

from collections.abc import Sequence

from visuals import style
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.language import _
from visuals.live import Explorer
from visuals.picture import Picture

TOGETHER, ALONE = 0, 1
CELL, ROW = 30, 34


def schedule(prompts: Sequence[int], answers: Sequence[int], budget: int, way: int) -> list[list[int]]:
    """Return how many tokens each text computes in each step: (steps, texts).

    Texts that write come first, then prompts in their order, cut at the budget. ALONE: only the first text
    that is not finished takes part.
    """
    texts = range(len(prompts))
    to_read, unwritten = list(prompts), list(answers)
    steps = []
    while any(unwritten):
        first = next(text for text in texts if unwritten[text])
        waiting = [text for text in texts if unwritten[text] and (way == TOGETHER or text == first)]
        rest, counts = budget, [0] * len(prompts)
        for text in sorted(waiting, key=lambda text: to_read[text] != 1):
            counts[text] = min(to_read[text], rest)
            rest -= counts[text]
        for text in texts:
            to_read[text] -= counts[text]
            if counts[text] and not to_read[text]:
                unwritten[text] -= 1
                to_read[text] = int(unwritten[text] > 0)
        steps.append(counts)
    return steps


def _draw(prompts: Sequence[int], answers: Sequence[int], budget: int) -> Picture:
    """Draw how many tokens each text computes in each step of continuous batching."""
    steps = schedule(prompts, answers, budget, TOGETHER)
    left = MARGIN + 70
    with style.look():
        board = Board(left + len(steps) * CELL + MARGIN, 100 + len(prompts) * ROW)
        board.title(MARGIN, 28, _("Tokens of each text, step by step"))
        for text in range(len(prompts)):
            top = 62 + text * ROW
            board.text(MARGIN, top + ROW / 2, _("text {text}", text=text))
            for step, counts in enumerate(steps):
                before = sum(earlier[text] for earlier in steps[:step])
                color = style.SCORE if before < prompts[text] else style.CONTEXT
                box = (left + step * CELL, top, CELL - 2, ROW - 4)
                label = str(counts[text] or "")
                board.block(*box, color if counts[text] else style.LINE, label, f"step {step} text {text}")
    summary = _(
        "{steps} steps with a budget of {budget} tokens; all texts together compute {tokens} tokens",
        steps=len(steps),
        budget=budget,
        tokens=sum(map(sum, steps)),
    )
    return Picture(board.figure, summary)


def explore_schedule(prompts: Sequence[int], answers: Sequence[int], budget: int) -> Explorer:
    """Explore a scheduler: choose the budget of a step, and whether texts are served together or one by one.

    prompts, answers: the tokens of each text, 2 to 6 texts.

    Raises ValueError for other numbers of texts, for a text without tokens, and for a budget
    that is not 1 to 64.
    """
    if not 2 <= len(prompts) == len(answers) <= 6 or min(*prompts, *answers) < 1 or not 1 <= budget <= 64:
        raise ValueError("There are 2 to 6 texts with a prompt and an answer each, and a budget of 1 to 64.")
    return Explorer(
        "lessons/serve_it/schedule.js",
        shows={"prompts": list(prompts), "answers": list(answers)},
        chosen={"budget": budget, "way": TOGETHER, "step": 1},
        picture=lambda: _draw(prompts, answers, budget),
    )
