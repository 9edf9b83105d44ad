"""What is said of the lines of an answer, and of mistakes that other code makes too, in real tasks."""

from __future__ import annotations

import linecache
from functools import cache
from pathlib import Path

import pytest
from autograder.author.build_bank import make_task
from autograder.author.lesson_source import read_lesson
from autograder.judge.decide import judge
from autograder.judge.trace_alignment import followed
from autograder.probe.collect_evidence import collect_answer
from autograder.records.answer_findings import CodeLocation
from autograder.records.bank import AS_SEEN, LessonBank
from autograder.records.course import Course
from autograder.words.trace_wording import where_text

ROOT = Path(__file__).parent.parent


@cache
def lesson(name):
    source = read_lesson(Course.of(ROOT), name)
    tasks = {task.id: make_task(task, source.runs) for task in source.lesson.tasks}
    return source.runs, tasks


def judged(name, task_id, text):
    """A task, the evidence about an answer to it, and the verdict."""
    runs, tasks = lesson(name)
    task, file = tasks[task_id], f"<cell {task_id}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    answer = runs.answer_made(task, text)
    bank = LessonBank(name, name, runs.givens, tasks)
    evidence = collect_answer(task, bank, answer, runs.namespaces[AS_SEEN])
    return task, evidence, judge(task, evidence)


SOFTMAX_OVER_QUERIES = """import torch
from torch import nn
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out")
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.heads(self.W_query(x)), self.heads(self.W_key(x)), self.heads(self.W_value(x))
        s = torch.einsum('bhtd,bhsd->bhts', q, k)
        s = s.masked_fill(self.mask[:n, :n], -torch.inf)
        w = torch.softmax(s / self.head_dim**0.5, dim=-2)
        return self.out_proj((w @ v).transpose(1, 2).flatten(-2))
"""


def test_each_line_is_marked_by_what_it_makes():
    task, evidence, _ = judged("05-multi-head", "multi-head-attention", SOFTMAX_OVER_QUERIES)
    steps = followed(task.route, evidence.trail)
    lines = where_text(steps, task, lambda step: f"line {step.line_number}")
    marked = [line for line in lines if "line 22" in line or "line 24" in line]
    assert marked == [
        "✓ `s`, line 22, there of shape (2, 3, 5, 5): the scores ← `line 22`",
        "· inside line 24, there of shape (2, 3, 5, 5) ← `line 24`",
        "· `w`, line 24, there of shape (2, 3, 5, 5)",
    ]


DRAWN_TOKENS = """def generate(model, ids, count, context_length):
    for _ in range(count):
        probabilities = torch.softmax(model(ids[:, -context_length:])[:, -1], dim=-1)
        token = torch.multinomial(probabilities, 1)
        ids = torch.cat((ids, token), dim=1)
    return ids
"""
LAYER_BEFORE_SEED = """def seeded_values(seed, batch_size, num_tokens, d_in, d_out):
    layer = nn.Linear(d_in, d_out, bias=False)
    torch.manual_seed(seed)
    return layer(torch.randn(batch_size, num_tokens, d_in))
"""


@pytest.mark.parametrize(
    ("name", "task_id", "text", "expected"),
    [
        ("08-train-it", "generate", DRAWN_TOKENS, CodeLocation("token", 4)),
        ("04-dropout", "bug-seed-order", LAYER_BEFORE_SEED, CodeLocation("", 4)),
    ],
)
def test_the_first_line_that_makes_other_numbers_in_a_second_call_is_told(name, task_id, text, expected):
    _, _, verdict = judged(name, task_id, text)
    assert verdict.facts[0].place == expected


SHIFTED_BY_THE_LARGEST_SIZE = """def softmax_stable(x):
    exponentials = torch.exp(x - x.abs().max())
    return exponentials / exponentials.sum()
"""
SUM_AND_ONE = """def dot(a, b):
    total = torch.dot(a, b)
    return total + 1
"""
SCALED_IN_EVALUATION = """def dropout(x, p, training=True):
    if not training:
        return x * (1 - p)
    return x * (torch.rand(x.shape) > p) / (1 - p)
"""
HOOK_ON_THE_WRONG_RUN = """def patched(model, clean, corrupt, layer, position):
    kept = []
    hook = model.blocks[layer].register_forward_hook(lambda block, given, stream: kept.append(stream))
    model(clean)
    hook.remove()
    return model(corrupt)
"""


@pytest.mark.parametrize(
    ("name", "task_id", "text", "untrue"),
    [
        ("01-dot-product", "softmax-stable", SHIFTED_BY_THE_LARGEST_SIZE, "negative ones are not"),
        ("01-dot-product", "dot-product", SUM_AND_ONE, "total starts from another"),
        ("04-dropout", "dropout-by-hand", SCALED_IN_EVALUATION, "It drops"),
        ("09-take-it-apart", "patched", HOOK_ON_THE_WRONG_RUN, "hook changes a copy"),
    ],
)
def test_a_mistake_is_told_as_what_comes_of_it_where_other_code_does_the_same(name, task_id, text, untrue):
    runs, tasks = lesson(name)
    bank = Course.of(ROOT).load(name)
    task = bank.tasks[task_id]
    evidence = collect_answer(task, bank, runs.answer_made(task, text), runs.namespaces[AS_SEEN])
    named = judge(task, evidence).named[0].fault
    assert all(untrue not in wrong.hint for wrong in tasks[task_id].known_wrong if wrong.id == named)
