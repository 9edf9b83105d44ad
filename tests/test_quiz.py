"""The placement quiz: each answer comes of the arithmetic, done rightly or with the mistake that it names.

The numbers are read from the question itself, so a question and its answers cannot part.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from autograder.author.authoring import load_faults
from autograder.records.course import Course
from autograder.records.quiz import read_quiz
from torch.nn.functional import dropout

from benchmarks import quiz_intervals

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT)
ITEMS = read_quiz(COURSE)
FAULTS = load_faults(COURSE.source).known
RIGHT = "right"


def pairs(numbers):
    """The numbers as rows of two."""
    return torch.tensor(numbers).view(-1, 2)


def scores(n):
    query, keys = torch.tensor(n[:2]), pairs(n[2:8])
    return {
        RIGHT: keys @ query,
        "cosine": torch.cosine_similarity(keys, query[None]),
        "mean-for-sum": (keys * query).mean(dim=1),
        "added-for-multiplied": (keys + query).sum(dim=1),
    }


def weights(n):
    rows = pairs(n[:4])
    return {
        RIGHT: rows.softmax(dim=1),
        "softmax-over-queries": rows.softmax(dim=0),
        "softmax-over-everything": rows.flatten().softmax(dim=0).view(2, 2),
        "not-normalised": rows.exp(),
    }


def scale(n):
    d_in, d_k, score = n
    return {
        RIGHT: score / d_k**0.5,
        "no-scale": score,
        "scaled-without-root": score / d_k,
        "scaled-by-input-width": score / d_in**0.5,
    }


def values(n):
    x, queries, keys, values = pairs(n[1:17]).view(4, 2, 2)
    shares = torch.full((2,), n[17])
    return {
        RIGHT: shares @ values,
        "keys-as-values": shares @ keys,
        "queries-as-values": shares @ queries,
        "input-as-values": shares @ x,
    }


def mask(n):
    tokens, row = int(n[0]), int(n[1]) - 1
    even = torch.zeros(tokens, tokens)
    hidden = torch.ones(tokens, tokens).bool()

    def masked(mask):
        return even.masked_fill(mask, -torch.inf).softmax(dim=-1)[row]

    return {
        RIGHT: masked(hidden.triu(1)),
        "no-mask": masked(~hidden),
        "diagonal-hidden": masked(hidden.triu(0)),
        "past-hidden": masked(hidden.tril(-1)),
    }


def masked(n):
    row, scores = int(n[1]) - 1, torch.tensor(n[3:6]).log()
    future = torch.arange(3) > row
    late = scores.softmax(dim=0) * ~future
    rest = late.clone()
    rest[row] += 1 - late.sum()
    return {
        RIGHT: scores.masked_fill(future, -torch.inf).softmax(dim=0),
        "mask-after-softmax": late,
        "mask-fills-zero": scores.masked_fill(future, 0).softmax(dim=0),
        "remainder-to-itself": rest,
    }


def dropped(n):
    p, position, weights = n[0], int(n[1]) - 1, torch.tensor(n[2:5])
    left = weights.clone()
    left[position] = 0
    return {
        RIGHT: left / (1 - p),
        "dropout-not-rescaled": left,
        "dropout-renormalised": left / left.sum(),
        "divided-by-p": left / p,
    }


def evaluated(n):
    weights, p = torch.tensor(n[:2]), n[2]
    # One of the draws that training mode can make: the second number is dropped.
    drawn = next(out for out in (dropout(weights, p) for _ in range(100)) if out[0] and not out[1])
    return {
        RIGHT: dropout(weights, p, training=False),
        "rescaled-in-eval": weights / (1 - p),
        "rescaled-in-eval-instead": weights * (1 - p),
        "dropout-in-eval": drawn,
    }


def split(n):
    batch, tokens, heads, width = map(int, n)
    queries = torch.zeros(batch, tokens, width)
    cut = queries.view(batch, tokens, heads, width // heads)
    return {
        RIGHT: cut.transpose(1, 2).shape,
        "heads-not-brought-forward": cut.shape,
        "head-dim-for-heads": queries.view(batch, tokens, width // heads, heads).transpose(1, 2).shape,
        "full-width-heads": (batch, heads, tokens, width),
    }


def merged(n):
    heads = pairs([*n[2:6], *n[7:11]]).view(2, 2, 2)  # (heads, tokens, head_dim)
    return {
        RIGHT: heads.transpose(0, 1).reshape(2, 4)[0],
        "merge-without-transpose": heads.view(2, 4)[0],
        "merge-interleaved": heads.permute(1, 2, 0).reshape(2, 4)[0],
        "heads-added": heads.sum(dim=0)[0],
    }


def crossed(n):
    source, target = torch.zeros(int(n[0]), 1), torch.zeros(int(n[1]), 1)
    return {
        RIGHT: (target @ source.T).shape,
        "source-asks": (source @ target.T).shape,
        "source-never-heard": (target @ target.T).shape,
        "queries-from-key-input": (source @ source.T).shape,
    }


def padded(n):
    length, places = n[0], torch.arange(int(n[1]))
    return {
        RIGHT: places < length,
        "padding-visible": places >= 0,
        "padding-boundary": places <= length,
        "padding-on-the-left": places >= len(places) - length,
    }


def rotated(n):
    a, b, angle = n[0], n[1], math.radians(n[2])
    sin, cos = math.sin(angle), math.cos(angle)
    return {
        RIGHT: torch.tensor([a * cos - b * sin, a * sin + b * cos]),
        "turned-backwards": torch.tensor([a * cos + b * sin, -a * sin + b * cos]),
        "sine-and-cosine-swapped": torch.tensor([a * sin - b * cos, a * cos + b * sin]),
        "pair-swapped": torch.tensor([a * sin + b * cos, a * cos - b * sin]),
    }


def alibi(n):
    heads, position = n[0], int(n[6])
    slope, keys = 2 ** (-8 / heads), torch.arange(position + 1)
    return {
        RIGHT: -slope * (position - keys),
        "near-is-punished": slope * (position - keys),
        "key-position-for-distance": slope * keys,
        "slopes-off": -1.0 * (position - keys),  # counted from 0, the first head's slope is 2^0
    }


def labels(n):
    tokens = [int(token) for token in n[:4]]
    return {
        RIGHT: (*tokens[1:], -100),
        "labels-not-shifted": tokens,
        "shifted-the-other-way": (-100, *tokens[:-1]),
    }


def loss(n):
    positions, probabilities = n[0], torch.tensor(n[3:5])
    return {
        RIGHT: -probabilities.log().mean(),
        "log-left-out": probabilities.mean(),
        "sign-forgotten": probabilities.log().mean(),
        "divided-by-all-positions": -probabilities.log().sum() / positions,
    }


def induction(n):
    period, query = int(n[1] + 1) // 2, int(n[2])
    return {
        RIGHT: query - period + 1,
        "match-for-successor": query - period,
        "one-too-far-back": query - period - 1,
        "previous-token-diagonal": query - 1,
    }


def ablated(n):
    whole, without, alone = n[0], n[1], n[3]
    return {
        RIGHT: without - whole,
        "difference-turned": whole - without,
        "loss-without-comparison": without,
        "all-but-one-removed": alone - whole,
    }


def perplexity(n):
    losses = torch.tensor(n[3:5]).log()
    return {
        RIGHT: losses.mean().exp(),
        "averaged-too-late": losses.exp().mean(),
        "exp-left-out": losses.mean(),
        "base-of-two": 2 ** losses.mean(),
    }


def averaged(n):
    written = pairs(n[:8]).view(2, 2, 2)  # (b, tokens, head_dim)
    return {
        RIGHT: written.mean(dim=(0, 1)),
        "zero-for-the-mean": torch.zeros(2),
        "mean-of-each-sequence": written.mean(dim=1)[0],
        "mean-of-each-position": written.mean(dim=0)[0],
    }


def online(n):
    total, factor = n[1], n[3]  # the new score is ln `factor`
    m = math.log(factor)
    return {
        RIGHT: (m, total * math.exp(0 - m) + 1),
        "old-sum-not-rescaled": (m, total + 1),
        "rescaled-upside-down": (m, total * math.exp(m - 0) + 1),
        "first-maximum-only": (0, total + math.exp(m)),
    }


def groups(n):
    heads, shared = int(n[0]), int(n[1])
    own = torch.arange(shared)
    return {
        RIGHT: own.repeat_interleave(heads // shared),
        "groups-in-turn": own.repeat(heads // shared),
        "one-group-for-all": own[:1].repeat(heads),
    }


def top_p(n):
    probabilities, p = torch.tensor(n[:3]), n[3]

    def saved(descending=True, late=False):
        ordered, order = probabilities.sort(descending=descending)
        before = ordered.cumsum(dim=0) - (0 if late else ordered)
        stays = torch.zeros(3).bool()
        stays[order] = before < p
        return probabilities * stays

    return {
        RIGHT: saved() / saved().sum(),
        "kept-not-normalised": saved(),
        "last-token-of-top-p-lost": saved(late=True) / saved(late=True).sum(),
        "least-likely-kept": saved(descending=False) / saved(descending=False).sum(),
    }


def window(n):
    width, query = int(n[0]), int(n[1])
    return {
        RIGHT: range(query - width + 1, query + 1),
        "window-one-too-wide": range(query - width, query + 1),
        "window-one-too-narrow": range(query - width + 2, query + 1),
        "window-not-used": range(query + 1),
    }


def slot(n):
    size, table, token = int(n[0]), [int(block) for block in n[1:4]], int(n[4])
    at, place = divmod(token, size)
    return {
        RIGHT: table[at] * size + place,
        "table-not-asked": at * size + place,
        "block-not-multiplied": table[at] + place,
        "place-in-block-forgotten": table[at] * size,
    }


WORKED = {
    "scores": scores, "weights": weights, "scale": scale, "values": values, "mask": mask,
    "masked": masked, "dropped": dropped, "evaluated": evaluated, "split": split, "merged": merged,
    "crossed": crossed, "padded": padded, "rotated": rotated, "alibi": alibi, "labels": labels,
    "loss": loss, "induction": induction, "ablated": ablated, "perplexity": perplexity,
    "averaged": averaged, "online": online, "groups": groups, "top-p": top_p, "window": window,
    "slot": slot,
}  # fmt: skip
NUMBER = re.compile(r"−?\d+(?:\.\d+)?")


def worked(name, text):
    """What each mistake gives on the numbers of a question, as the question writes it."""
    numbers = [float(actual.replace("−", "-")) for actual in NUMBER.findall(text)]
    return {fault: written(value) for fault, value in WORKED[name](numbers).items()}


def written(value):
    if isinstance(value, torch.Tensor):
        value = value.tolist()
    if isinstance(value, (int, float)):
        return f"{round(value + 1e-6, 2) + 0.0:g}".replace("-", "−")
    inside = ", ".join(map(written, value))
    return inside if isinstance(next(iter(value)), list) else f"({inside})"


CASES = [
    pytest.param(item, asked, id=f"{form}-{item.id}") for item in ITEMS for form, asked in item.asked.items()
]


@pytest.mark.parametrize(("item", "asked"), CASES)
def test_each_answer_is_what_comes_of_the_mistake_that_it_names(item, asked):
    assert {RIGHT: asked.right, **asked.wrong} == worked(item.id, asked.text)


@pytest.mark.parametrize(("item", "asked"), CASES)
def test_no_two_answers_to_a_question_read_alike(item, asked):
    assert len(set(asked.choices)) == len(asked.wrong) + 1


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_each_wrong_answer_is_a_mistake_that_the_questions_lesson_explains(item):
    for asked in item.asked.values():
        assert {FAULTS[fault].section.partition("#")[0] for fault in asked.wrong} == {item.lesson}


def test_both_forms_ask_of_every_lesson_in_order_with_the_same_mistakes_to_fall_for():
    lessons = [item.lesson for item in ITEMS]
    assert len(ITEMS) == 25
    assert lessons == sorted(lessons, key=COURSE.lessons.index)
    assert set(lessons) == set(COURSE.lessons) - {COURSE.capstone}
    for item in ITEMS:
        assert list(item.asked) == ["start", "again"]
        assert set(item.asked["start"].wrong) == set(item.asked["again"].wrong)
        assert item.asked["start"].right != item.asked["again"].right


def test_the_place_of_an_answer_tells_nothing():
    places = Counter(asked.choices.index(asked.right) for item in ITEMS for asked in item.asked.values())
    assert max(places.values()) <= 20  # of 48


def test_the_file_beside_them_argues_every_item():
    argued = (ROOT / "source" / "quiz.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip(" `") for line in argued.splitlines() if line.startswith("| `")]
    assert rows == [item.id for item in ITEMS]


def test_the_table_of_questions_is_read_whole():
    held = tomllib.loads((ROOT / COURSE.quiz).read_text(encoding="utf-8"))["item"]
    assert [item["id"] for item in held] == list(WORKED)


def test_the_intervals_of_a_class_contain_the_truth_in_easy_questions_too():
    chance = np.random.default_rng(1)
    asked = quiz_intervals.questions([4] * 8, chance)
    easy = replace(asked, threshold=asked.threshold - 0.7)
    true = quiz_intervals.truth(easy, 100_000, chance)
    for size in (30, 300):
        contained = quiz_intervals.coverage(easy, true, size, 300, chance)
        shares = {name: float(share.mean()) for name, share in contained.items()}
        assert {name: share for name, share in shares.items() if not 0.93 <= share <= 0.97} == {}
        assert set(shares) == set(true)
