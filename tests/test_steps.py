"""What is said of the first step that goes wrong, in answers of many kinds to real tasks."""

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
from autograder.records.answer_findings import CodeLocation, Reached, TraceAlignment
from autograder.records.bank import AS_SEEN, LessonBank
from autograder.records.course import Course
from autograder.words.card_contents import diagnosis
from autograder.words.language import speaking
from autograder.words.trace_wording import way_text, where_text

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


def said_of(name, task_id, text):
    """What is said of the way that an answer takes; "" where nothing is."""
    task, _, verdict = judged(name, task_id, text)
    return way_text(verdict.way, task) if verdict.way else ""


ONE_BY_ONE = """import torch
def softmax_naive(x):
    total, shares = torch.tensor(0.0), []
    for score in x:
        power = torch.exp(score)
        total = total + power
        shares.append(power / total)
    return torch.stack(shares)
"""


def test_of_what_a_loop_makes_one_by_one_no_line_is_said_to_be_missing():
    assert "no line of yours" not in said_of("01-dot-product", "softmax-naive", ONE_BY_ONE)


CLASS = """import torch
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
"""
HALF = (
    "        q, k, v = self.heads(self.W_query(x)), self.heads(self.W_key(x)), self.heads(self.W_value(x))\n"
)
MASKED = "        s = s.masked_fill(self.mask[:n, :n], -torch.inf)\n"
END = "        return self.out_proj((w @ v).transpose(1, 2).flatten(-2))\n"
ON = " on two sentences of five tokens, where nine would fit"
QKV = "the queries (`q`, line 21), the keys (`k`, line 21), the values (`v`, line 21)"

QUERIES_KEYS = QKV.partition(", the values")[0]
QKV_ALONE = QKV.replace(", the values", " and the values")

CASES = {
    "scores by einsum, softmax over the wrong axis": (
        HALF
        + "        s = torch.einsum('bhtd,bhsd->bhts', q, k)\n"
        + MASKED
        + "        w = torch.softmax(s / self.head_dim**0.5, dim=-2)\n"
        + END,
        f"Right so far{ON}: {QKV}, the scores (`s`, line 22) and the masked scores (`s`, line 23). "
        "The usual way makes the attention weights next, found in none of your lines.",
    ),
    "scores hidden by a very low number, softmax over the wrong axis": (
        HALF
        + "        s = q @ k.mT\n"
        + MASKED.replace("-torch.inf", "-1e9")
        + "        w = (s / self.head_dim**0.5).softmax(-2)\n"
        + END,
        f"Right so far{ON}: {QKV}, the scores (`s`, line 22) and the masked scores (`s`, line 23). "
        "The usual way makes the attention weights next, found in none of your lines.",
    ),
    "queries scaled beforehand by the wrong number": (
        HALF
        + "        q = q / self.head_dim\n        s = q @ k.mT\n"
        + MASKED
        + "        w = s.softmax(-1)\n"
        + END,
        f"Right so far{ON}: {QKV_ALONE}. The usual way makes the scores next; what you have (`s`, line 23) "
        "is 0.2500 times as large.",
    ),
    "keys and values from one projection that is cut in three, in the wrong order": (
        "        w3 = torch.cat([self.W_query.weight, self.W_key.weight, self.W_value.weight])\n"
        "        q, v, k = (self.heads(t) for t in (x @ w3.T).chunk(3, -1))\n        s = q @ k.mT\n"
        + MASKED
        + "        w = (s / self.head_dim**0.5).softmax(-1)\n"
        + END,
        f"Right so far{ON}: the queries (inside line 22), the keys (inside line 22) and the values (inside "
        "line 22).",
    ),
    "heads in a loop, all of them right, joined in reverse": (
        HALF + "        outs = []\n        for h in range(self.num_heads):\n"
        "            s = (q[:, h] @ k[:, h].mT).masked_fill(self.mask[:n, :n], -torch.inf)\n"
        "            outs.append((s / self.head_dim**0.5).softmax(-1) @ v[:, h])\n"
        "        return self.out_proj(torch.cat(outs[::-1], -1))\n",
        f"Right so far{ON}: {QKV_ALONE}.",
    ),
    "values cut into heads across the tokens": (
        HALF.replace(
            "self.heads(self.W_value(x))", "self.W_value(x).view(len(x), self.num_heads, n, self.head_dim)"
        )
        + "        s = q @ k.mT\n"
        + MASKED
        + "        w = (s / self.head_dim**0.5).softmax(-1)\n"
        + END,
        f"Right so far{ON}: {QUERIES_KEYS}, the scores (`s`, line 22), the masked scores (`s`, line 23) and "
        "the attention weights (`w`, line 24).",
    ),
    "scores divided by the wrong number before they are masked, where the right one would do": (
        HALF
        + "        s = q @ k.mT / (self.num_heads * self.head_dim) ** 0.5\n"
        + MASKED
        + "        return self.out_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(-2))\n",
        f"Right so far{ON}: {QKV} and the scores (inside line 22). The usual way makes the masked scores "
        "next; what you have (`s`, line 23) is 0.2887 times as large, and should be 1 or 0.5000 times as "
        "large.",
    ),
    "an error after a step that a line makes by way of a multiple": (
        HALF
        + "        s = (q @ k.mT / 2).masked_fill(self.mask[:n, :n], -torch.inf) * 2\n        s.softmx()\n",
        f"Right until it stops{ON}: {QKV}, the scores (inside line 22) and the masked scores (inside "
        "line 22).",
    ),
    "an error on the way": (
        HALF + "        s = q @ k.mT\n        w = s.softmax(-1) @ q.mT\n        return w.softmx(-1)\n",
        f"Right until it stops{ON}: {QKV} and the scores (`s`, line 22).",
    ),
    "all steps right, heads not joined": (
        HALF + "        s = q @ k.mT\n" + MASKED + "        w = (s / self.head_dim**0.5).softmax(-1)\n"
        "        c = w @ v\n        return self.out_proj(c.reshape(x.shape[0], n, -1))\n",
        f"Right so far{ON}: {QKV}, the scores (`s`, line 22), the masked scores (`s`, line 23), the "
        "attention weights (`w`, line 24) and the context vectors (`c`, line 25). The result itself is not.",
    ),
    "a right step given back": (
        HALF + "        s = q @ k.mT\n" + MASKED + "        w = (s / self.head_dim**0.5).softmax(-1)\n"
        "        return (w @ v).transpose(1, 2).flatten(-2)\n",
        f"Right so far{ON}: {QKV}, the scores (`s`, line 22), the masked scores (`s`, line 23), the "
        "attention weights (`w`, line 24) and the context vectors (inside line 25). The result has the "
        "numbers of this last step, and should have others.",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.replace(" ", "-"))
def test_the_first_wrong_step_is_told_in_the_learners_own_names(case):
    code, expected = CASES[case]
    actual = said_of("05-multi-head", "multi-head-attention", CLASS + code)
    assert actual == expected


def test_each_line_is_marked_by_what_it_makes_and_the_first_wrong_one_by_itself():
    code = CLASS + CASES["scores by einsum, softmax over the wrong axis"][0]
    task, evidence, verdict = judged("05-multi-head", "multi-head-attention", code)
    steps = followed(task.route, evidence.trail)
    lines = where_text(steps, verdict.way, task, lambda step: f"line {step.line_number}")
    marked = [line for line in lines if "line 22" in line or "line 24" in line or line.startswith("✗")]
    assert marked == [
        "✓ `s`, line 22, there of shape (2, 3, 5, 5): the scores ← `line 22`",
        "· inside line 24, there of shape (2, 3, 5, 5) ← `line 24`",
        "✗ `w`, line 24, there of shape (2, 3, 5, 5)",
        "✗ Found in no line: the attention weights.",
    ]


def test_what_the_solution_ends_with_fits_as_it_is_and_as_no_multiple():
    output = said_of(
        "11-fast-attention",
        "attention-backward",
        "def attention_backward(q, k, v, out_gradient, causal):\n"
        "    root = q.shape[-1] ** 0.5\n"
        "    scores = q @ k.mT / root\n"
        "    if causal:\n"
        "        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)\n"
        "        scores = scores.masked_fill(hidden, -torch.inf)\n"
        "    weights = scores.softmax(dim=-1)\n"
        "    weights_gradient = out_gradient @ v.mT\n"
        "    rows = (weights * weights_gradient).sum(-1, keepdim=True)\n"
        "    scores_gradient = weights * (weights_gradient - rows)\n"
        "    return scores_gradient @ k, scores_gradient.mT @ q / root, weights.mT @ out_gradient\n",
    )
    assert output.endswith("what you have (inside line 11) is 2.0000 times as large.")


DIVIDED_BY_THE_INPUTS_WIDTH = """class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
    def forward(self, x):
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        wei = q @ k.transpose(-2, -1) * x.shape[-1]**-0.5
        wei = torch.softmax(wei, dim=-1)
        return wei @ v
"""
MASK_THE_WRONG_WAY_ROUND = """class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.fc = nn.Linear(d_model, d_model)
    def forward(self, q_input, k_input, v_input, mask=None):
        q = split_heads(self.query(q_input), self.num_heads)
        k = split_heads(self.key(k_input), self.num_heads)
        v = split_heads(self.value(v_input), self.num_heads)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        mask = torch.ones_like(scores) if mask is None else 1 - mask.int()
        return self.fc(merge_heads(masked_softmax(scores, mask) @ v))
"""
HEADS_FROM_0 = """def alibi_bias(num_tokens, num_heads):
    slopes = 2.0 ** (-8.0 * torch.arange(num_heads) / num_heads)
    position = torch.arange(num_tokens)
    distance = position[:, None] - position[None, :]
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(distance < 0, float("-inf"))
"""


@pytest.mark.parametrize(
    ("name", "task_id", "text", "lines"),
    [
        # The mistake is in line 9, of which a part is right.
        ("02-trainable", "self-attention-v1", DIVIDED_BY_THE_INPUTS_WIDTH, "lines 9 to 10"),
        # It is in line 14, and shows in what line 15 makes of it.
        ("06-encoder-decoder", "multi-head-attention-module", MASK_THE_WRONG_WAY_ROUND, "lines 14 to 15"),
        # What it makes is passed on by line 5.
        ("07-positions", "alibi-bias", HEADS_FROM_0, "line 2 (`slopes`)"),
    ],
)
def test_the_lines_to_look_at_hold_the_mistake(name, task_id, text, lines):
    task, _, verdict = judged(name, task_id, text)
    assert f"Look at {lines}." in diagnosis(task, verdict).visible


VARIANCE_BY_ONE_LESS = """def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True)
    return scale * (x - mean) / torch.sqrt(var + eps) + shift
"""
KEYS_FROM_THE_QUERIES_LAYER = MASK_THE_WRONG_WAY_ROUND.replace("self.key(k_input)", "self.query(k_input)")
MODULE = "multi-head-attention-module"


@pytest.mark.parametrize(
    ("name", "task_id", "text", "expected"),
    [
        # The scores are the last step that is right, and the first tensor that is not comes after them.
        (
            "06-encoder-decoder",
            MODULE,
            MASK_THE_WRONG_WAY_ROUND,
            "Right up to the scores (`scores`, line 13).",
        ),
        # The values are right, too, and come after the keys, which are not.
        (
            "06-encoder-decoder",
            MODULE,
            KEYS_FROM_THE_QUERIES_LAYER,
            "Right up to the queries (`q`, line 10).",
        ),
        # The centred numbers are right, and come after a variance that is not.
        ("08-train-it", "layer-norm", VARIANCE_BY_ONE_LESS, ""),
    ],
)
def test_an_answer_is_right_up_to_a_step_if_all_before_it_was_compared(name, task_id, text, expected):
    task, _, verdict = judged(name, task_id, text)
    visible = diagnosis(task, verdict).visible
    assert expected in visible
    assert bool(expected) == ("Right up to" in visible)


WRONG_WHERE_NUMBERS_ARE_SMALL = """def keys_as_values(projected, key_weight, base=10000.0):
    rms = projected.pow(2).mean(dim=-1, keepdim=True).sqrt()
    values = projected / (rms + 1e-6) * key_weight
    keys = apply_rope(values, torch.arange(projected.shape[2]), base)
    return torch.stack((keys, values))
"""
UPSIDE_DOWN_AND_NOT_NORMALISED = """def next_probabilities(logits, temperature=1, top_k=None, top_p=1):
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).float()
    logits = logits * temperature
    if top_k is not None:
        values, _ = logits.topk(min(top_k, logits.shape[-1]), dim=-1)
        logits = logits.masked_fill(logits < values[:, -1:], float("-inf"))
    p = torch.softmax(logits, dim=-1)
    s, idx = p.sort(dim=-1, descending=True)
    s[s.cumsum(-1) - s >= top_p] = 0
    return torch.zeros_like(p).scatter(-1, idx, s)
"""


@pytest.mark.parametrize(
    ("name", "task_id", "text"),
    [
        ("13-attention-today", "keys-as-values", WRONG_WHERE_NUMBERS_ARE_SMALL),
        ("12-real-models", "next-probabilities", UPSIDE_DOWN_AND_NOT_NORMALISED),
    ],
)
def test_no_answer_is_right_up_to_a_step_if_a_mistake_of_it_shows_on_other_examples_alone(
    name, task_id, text
):
    runs, _ = lesson(name)
    bank = Course.of(ROOT).load(name)
    task = bank.tasks[task_id]
    evidence = collect_answer(task, bank, runs.answer_made(task, text), runs.namespaces[AS_SEEN])
    verdict = judge(task, evidence)
    assert verdict.named
    assert verdict.way.right
    assert "Right up to" not in diagnosis(task, verdict).visible


def test_no_step_is_called_right_that_has_the_name_of_another_which_has_its_name():
    code = (
        HALF.replace("q, k, v =", "k, q, v =")
        + "        s = q @ k.mT\n"
        + MASKED
        + "        w = (s / self.head_dim**0.5).softmax(-1)\n"
        + END
    )
    said = said_of("05-multi-head", "multi-head-attention", CLASS + code)
    assert "the values (`v`, line 21)" in said
    assert "the queries" not in said


MASKED_BEFORE_THE_CAP = """def bounded_scores(queries, keys, query_weight, key_weight, cap=None):
    def norm(x, weight):
        return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-6) * weight

    scores = norm(queries, query_weight) @ norm(keys, key_weight).mT / queries.shape[-1] ** 0.5
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    scores = scores.masked_fill(hidden, -torch.inf)
    if cap is not None:
        scores = cap * torch.tanh(scores / cap)
    return scores
"""


def test_a_step_is_not_missing_where_another_tensor_has_had_its_name_and_is_there():
    assert said_of("13-attention-today", "bounded-scores", MASKED_BEFORE_THE_CAP) == ""


SCALED_WITH_THE_SINK = """def sink_attention(queries, keys, values, sinks, window):
    b, heads, num_tokens, head_dim = queries.shape
    times = heads // keys.shape[1]
    keys, values = keys.repeat_interleave(times, dim=1), values.repeat_interleave(times, dim=1)
    scores = (queries @ keys.mT).masked_fill(window_mask(num_tokens, num_tokens, window), -torch.inf)
    column = sinks.view(1, heads, 1, 1).expand(b, heads, num_tokens, 1)
    scores = torch.cat((scores, column), dim=-1) / head_dim**0.5
    weights = torch.softmax(scores, dim=-1)[..., :-1]
    return weights / weights.sum(dim=-1, keepdim=True) @ values
"""


def test_no_line_is_wrong_that_only_keeps_a_factor_which_a_later_one_takes_out():
    task, _, verdict = judged("13-attention-today", "sink-attention", SCALED_WITH_THE_SINK)
    assert "Look at" not in diagnosis(task, verdict).visible
    assert "as large" not in way_text(verdict.way, task)


@pytest.mark.parametrize("ends", ["", "stops", "wrong", "there"])
def test_of_the_steps_no_more_is_said_in_a_translation_than_in_english(ends):
    task = Course.of(ROOT).load("05-multi-head").tasks["multi-head-attention"]
    way = TraceAlignment((Reached("the queries", "q", 3),), ends=ends, probe="seeded")
    english = way_text(way, task)
    with speaking(ROOT / "bank", "bn"):
        assert way_text(way, task).count("\n") == english.count("\n") == 0


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


HOOKED = """def patched(model, clean, corrupt, layer, position):
    kept = []
    hook = model.blocks[layer].register_forward_hook(lambda block, given, stream: kept.append(given[0]))
    model(clean)
    hook.remove()

    def put_in(block, given, stream):
        stream = stream.clone()
        stream[:, position] = kept[0][:, position] * 2
        return stream

    hook = model.blocks[layer].register_forward_hook(put_in)
    logits = model(corrupt)
    hook.remove()
    return logits
"""


def test_lines_around_a_model_are_not_called_right_where_a_hook_runs_in_it():
    assert said_of("09-take-it-apart", "patched", HOOKED) == ""


TOO_SMALL = """def position_angles(positions, dim, base=10000.0):
    theta = base ** -torch.arange(0, dim, 2) / dim
    return positions[:, None] * theta
"""


def test_no_line_is_called_the_first_behind_numbers_that_are_too_few_to_be_told_again():
    assert "first" not in said_of("07-positions", "position-angles", TOO_SMALL)


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
