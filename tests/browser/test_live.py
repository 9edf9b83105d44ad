"""What explorers compute in Chromium, held against PyTorch."""

from __future__ import annotations

import base64
import math
import os
import random
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from autograder.records.javascript_modules import bundled
from safetensors.torch import load_file, save
from torch import nn
from torch.nn import functional

from visuals import look_inside
from visuals.checkpoint import CONTEXT_LENGTH, FILE, NUM_HEADS, VOCABULARY, encode
from visuals.checkpoint.train import trained
from visuals.explorers.model import in_gpt2_form
from visuals.explorers.sentence import explore_sentence
from visuals.lessons.serve_it.explore_schedule import schedule
from visuals.published import FOLDER, TEXTS, TOKENIZER
from visuals.trained import trained_words

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
VISUALS = ROOT / "visuals"
INPUTS = int(os.environ.get("INPUTS", "100"))  # of each kind; `INPUTS=1000` draws many
GENERATOR = torch.Generator().manual_seed(31)


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=GENERATOR, dtype=torch.float64)


def size(most: int) -> int:
    return int(torch.randint(1, most + 1, (), generator=GENERATOR))


def scores_of(*shape: int) -> torch.Tensor:
    """Scores of which some are large, so that a softmax that overflows is found."""
    return drawn(*shape) * 10 ** (3 * torch.rand((), generator=GENERATOR, dtype=torch.float64))


def _matmul():
    rows, inner, columns = size(6), size(6), size(6)
    a, b = drawn(rows, inner), drawn(inner, columns)
    return [a, b], a @ b


def _masked_softmax():
    tokens = size(8)
    scores = scores_of(tokens, tokens)
    hidden = torch.ones(tokens, tokens).triu(1).bool()
    return [scores], torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)


def _weigh(causal: bool):
    tokens, width = size(8), size(6)
    queries, keys = drawn(tokens, width), drawn(tokens, width)
    scores = queries @ keys.T / width**0.5
    if causal:
        scores = scores.masked_fill(torch.ones(tokens, tokens).triu(1).bool(), -torch.inf)
    return [queries, keys, causal], torch.softmax(scores, dim=-1)


def _split_heads():
    tokens, heads, width = size(6), size(4), size(4)
    x = drawn(tokens, heads * width)
    return [x, heads], x.view(tokens, heads, width).transpose(0, 1)


def _dropped():
    tokens, p = size(6), 0.9 * torch.rand((), generator=GENERATOR).item()
    weights = torch.softmax(drawn(tokens, tokens), dim=-1)
    keep = (torch.rand(tokens, tokens, generator=GENERATOR) > p).double()
    # What torch's dropout does where its mask is this one.
    return [weights, keep, p], weights * keep / (1 - p)


def _entropy():
    weights = torch.softmax(scores_of(size(8)), dim=-1)
    return [weights], torch.special.entr(weights).sum()


def _layer_norm():
    width = size(12) + 1
    x, scale, shift = 3 * drawn(width), drawn(width), drawn(width)
    return [x, scale, shift], functional.layer_norm(x, (width,), scale, shift)


def _gelu():
    x = 4 * drawn(())
    return [x], functional.gelu(x)


def _gelu_tanh():
    x = 4 * drawn(())
    return [x], functional.gelu(x, approximate="tanh")


def _next_probabilities():
    vocab = size(12)
    logits, k, p = 2 * drawn(vocab), size(vocab), 0.05 + 0.95 * torch.rand((), generator=GENERATOR).item()
    temperature = 0.1 * (size(20) - 1)
    if temperature == 0:
        return [logits, 0, k, p], functional.one_hot(logits.argmax(), vocab)
    shares = torch.softmax(logits / temperature, dim=-1)
    ordered, order = shares.sort(descending=True)
    ordered[k:] = 0
    ordered = ordered / ordered.sum()
    ordered[ordered.cumsum(dim=0) - ordered >= p] = 0
    saved = torch.zeros_like(shares).scatter(0, order, ordered)
    return [logits, temperature, k, p], saved / saved.sum()


def _rotate():
    pairs = size(4)
    x, angles = drawn(2 * pairs), 3 * drawn(pairs)
    turned = torch.view_as_complex(x.view(pairs, 2)) * torch.polar(torch.ones_like(angles), angles)
    return [x, angles], torch.view_as_real(turned).flatten()


def _follow_query(part: str):
    tokens, features = size(6), size(4)
    inputs, query = drawn(tokens, features), size(tokens) - 1
    sharpness = 20 * torch.rand((), generator=GENERATOR).item()
    scores = inputs @ inputs[query]
    weights = torch.softmax(sharpness * scores, dim=-1)
    so_far = torch.cumsum(weights[:, None] * inputs, dim=0)
    expected = {"scores": scores, "weights": weights, "context": weights @ inputs, "soFar": so_far}
    return [inputs, query, sharpness], expected[part]


NUMBERS = {
    "matmul": ("live.matmul", _matmul),
    "masked softmax": ("scores => live.masked(scores).map(live.softmax)", _masked_softmax),
    "attention": ("live.weigh", lambda: _weigh(False)),
    "causal attention": ("live.weigh", lambda: _weigh(True)),
    "heads": ("live.splitHeads", _split_heads),
    "dropout": ("live.dropped", _dropped),
    "entropy": ("live.entropy", _entropy),
    "LayerNorm": ("live.layerNorm", _layer_norm),
    "GELU": ("live.gelu", _gelu),
    "GELU by tanh": ("live.geluTanh", _gelu_tanh),
    "next token": ("live.nextProbabilities", _next_probabilities),
    "rotary positions": ("live.rotate", _rotate),
    **{
        f"one query: {part}": (
            f"(...given) => live.followQuery(...given).{part}",
            lambda part=part: _follow_query(part),
        )
        for part in ("scores", "weights", "context", "soFar")
    },
}


@pytest.fixture(scope="module")
def load(browser):
    """Load a module of `visuals/` in Chromium; its exports are `live` in the page that comes."""
    page = browser.new_page()

    def loaded(name: str):
        page.evaluate(
            "async text => { window.live = await import(URL.createObjectURL("
            "new Blob([text], {type: 'text/javascript'}))) }",
            bundled(VISUALS / name),
        )
        return page

    yield loaded
    page.close()


def plain(value):
    return value.tolist() if isinstance(value, torch.Tensor) else value


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_those_of_pytorch(load, name):
    function, make = NUMBERS[name]
    page = load("live/tensors.js")
    cases = [make() for _ in range(INPUTS)]
    given = [[plain(item) for item in inputs] for inputs, _expected in cases]
    actual = page.evaluate(f"cases => cases.map(given => ({function})(...given))", given)
    for came, (_inputs, expected) in zip(actual, cases, strict=True):
        np.testing.assert_allclose(came, expected.numpy(), rtol=1e-4, atol=1e-4)


def _drawn_often():
    tokens, p, draws = size(5), 0.9 * torch.rand((), generator=GENERATOR).item(), size(20)
    weights = torch.softmax(drawn(tokens, tokens), dim=-1)
    first = torch.rand(tokens, tokens, generator=GENERATOR, dtype=torch.float64)
    return [weights, first, p, draws]


def test_dropout_is_that_of_torch_for_the_masks_that_are_drawn(load):
    page = load("lessons/dropout/dropout.js")
    cases = [_drawn_often() for _ in range(INPUTS)]
    actual = page.evaluate(
        "cases => cases.map(given => { let one; const keeps = [];"
        " for (let draw = 1; draw <= given[3]; draw++)"
        " keeps.push((one = live.drawMany(...given.slice(0, 3), draw, one)).keep);"
        " return [keeps, one.last, one.average, live.drawMany(...given).average] })",
        [[plain(item) for item in given] for given in cases],
    )
    for (keeps, last, average, at_once), (weights, first, p, _draws) in zip(actual, cases, strict=True):
        masks = torch.tensor(keeps, dtype=torch.float64)  # (draws, queries, keys)
        assert masks[0].tolist() == (first >= p).double().tolist()
        np.testing.assert_allclose(last, weights * masks[-1] / (1 - p), atol=1e-4)
        np.testing.assert_allclose(average, (weights * masks / (1 - p)).mean(dim=0), atol=1e-4)
        assert average == at_once


def test_masks_are_drawn_evenly_and_each_anew(load):
    drawn_numbers = load("live/tensors.js").evaluate(
        "() => { const next = live.uniforms(123); return Array.from({ length: 100000 }, next) }"
    )
    values = np.array(drawn_numbers)
    shares = np.histogram(values, bins=10, range=(0, 1))[0] / len(values)
    np.testing.assert_allclose(shares, 0.1, atol=0.005)  # five standard deviations
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 5 / len(values) ** 0.5
    assert len(set(drawn_numbers)) > 99_000


def _tiled():
    tokens, width, values = size(12), size(4), size(4)
    q, k, v = drawn(tokens, width), drawn(tokens, width), drawn(tokens, values)
    tile, mask = size(6), size(3) - 1
    scores = q @ k.T / width**0.5
    if mask:
        scores = scores.masked_fill(torch.ones(tokens, tokens).triu(1).bool(), -torch.inf)
    return [q, k, v, tile, mask], [scores.amax(-1), scores.exp().sum(-1), torch.softmax(scores, -1) @ v]


def test_the_last_tiles_of_all_queries_leave_plain_attention(load):
    page = load("explorers/tiles.js")
    cases = [_tiled() for _ in range(INPUTS)]
    result = page.evaluate(
        "cases => cases.map(given => { const last = {};"
        " for (const visit of live.visits(...given)) last[visit.row] = visit.state;"
        " const states = Object.values(last).flat();"
        " return [states.map(one => one.m), states.map(one => one.l * Math.exp(one.m)),"
        " states.map(one => one.o.map(value => value / one.l))] })",
        [[plain(item) for item in given] for given, _expected in cases],
    )
    for came, (_given, expected) in zip(result, cases, strict=True):
        for actual, wanted in zip(came, expected, strict=True):
            np.testing.assert_allclose(actual, wanted.numpy(), rtol=1e-4, atol=1e-4)


def _reached():
    tokens, sinks = size(12), size(4) - 1
    windows = torch.randint(0, tokens + 1, (size(5),), generator=GENERATOR)
    back = torch.arange(tokens)[:, None] - torch.arange(tokens)  # (queries, keys)
    arrives, expected = torch.eye(tokens), []
    for window in windows.tolist():
        near = (back < window) | (torch.arange(tokens) < sinks) if window else back >= 0
        sees = (near & (back >= 0)).float()
        arrives = (sees @ arrives > 0).float()
        expected.append([sees.tolist(), arrives.tolist()])
    return [tokens, windows.tolist(), sinks], expected


def test_what_a_window_shows_and_what_arrives_behind_it_are_products_of_masks(load):
    page = load("lessons/attention_today/reach.js")
    cases = [_reached() for _ in range(INPUTS)]
    actual = page.evaluate(
        "cases => cases.map(given => live.reach(...given).map(({ sees, arrives }) => [sees, arrives]))",
        [given for given, _expected in cases],
    )
    assert actual == [expected for _given, expected in cases]


def test_the_schedule_in_the_page_is_the_one_in_python(load):
    page = load("lessons/serve_it/schedule.js")
    cases = []
    for case in range(INPUTS):
        texts = 1 + size(5)
        cases.append([[size(9) for _ in range(texts)], [size(9) for _ in range(texts)], size(20), case % 2])
    actual = page.evaluate("cases => cases.map(given => live.schedule(...given))", cases)
    assert actual == [schedule(*given) for given in cases]


def test_the_arithmetic_of_a_score_and_a_weight_adds_up_to_what_pytorch_says(load):
    """What is written on the right of each sign is worked out, and compared with PyTorch's number."""
    page = load("live/parts.js")
    cases = []
    for _case in range(INPUTS):
        tokens, width = size(6), size(5)
        cases.append((drawn(width), drawn(tokens, width), size(tokens) - 1))
    lines = page.evaluate(
        """all => all.map(([query, keys, key]) =>
          [live.ofScore(query, keys[key]), live.ofWeight(keys.map(row => live.dot(row, query)), key)])""",
        [[query.tolist(), keys.tolist(), key] for query, keys, key in cases],
    )

    def worked_out(text):
        plain_text = text.replace("·", "*").replace("−", "-")
        return eval(plain_text, {"exp": math.exp})

    for (score, weight), (query, keys, key) in zip(lines, cases, strict=True):
        scores = keys @ query  # (keys,)
        named, products = score.split(" = ")
        np.testing.assert_allclose(float(named), scores[key], atol=1e-4)
        np.testing.assert_allclose(worked_out(products), scores[key], atol=2e-3)  # of four digits each
        named, inner, quotient = weight.split(" = ")
        expected = torch.softmax(scores, dim=0)[key]
        np.testing.assert_allclose(float(named), expected, atol=1e-4)
        np.testing.assert_allclose(worked_out(quotient), expected, atol=2e-4)
        np.testing.assert_allclose(worked_out(inner.removeprefix("softmax")), scores[key], atol=1e-4)


def _journeyed():
    """A journey, with what PyTorch makes of the same rows."""
    tokens, heads, width, head_dim = size(7), size(2), size(3), size(3)
    q, k = drawn(tokens, heads * width), drawn(tokens, heads * width)
    v = drawn(tokens, heads * head_dim)
    query, head, causal, scale = size(tokens) - 1, size(heads) - 1, size(2) == 1, size(2) == 1
    given = {"queries": q, "keys": k, "values": v, "query": query, "scale": scale, "causal": causal}
    given |= {"heads": heads, "head": head, "tile": size(3)}
    hidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(1) & causal
    expected = functional.scaled_dot_product_attention(
        *(x.view(1, tokens, heads, -1).transpose(1, 2) for x in (q, k, v)),  # (1, heads, tokens, head_dim)
        attn_mask=~hidden,
        scale=width**-0.5 if scale else 1.0,
    )[0, head, query]
    return {name: plain(value) for name, value in given.items()}, expected


def test_a_journey_ends_where_pytorch_does_with_tiles_and_without(load):
    page = load("explorers/journey.js")
    cases = [_journeyed() for _ in range(INPUTS)]
    actual = page.evaluate("all => all.map(one => live.journey(one))", [given for given, _expected in cases])
    for came, (_given, expected) in zip(actual, cases, strict=True):
        last = came["tiles"][-1]
        np.testing.assert_allclose(came["context"], expected.numpy(), atol=1e-4)
        np.testing.assert_allclose(np.array(last["o"]) / last["l"], expected.numpy(), atol=1e-4)
        weights, parts = np.array(came["weights"]), np.array(came["parts"])
        np.testing.assert_allclose(weights.sum(), 1, atol=1e-4)
        np.testing.assert_allclose(np.array(came["products"]).sum(axis=1), came["scores"], atol=1e-4)
        np.testing.assert_allclose(weights[:, None] * np.array(came["v"]), parts, atol=1e-4)


def test_what_a_stage_shows_are_the_numbers_of_its_journey(load):
    page = load("explorers/journey.js")
    given = {"queries": plain(drawn(5, 2)), "keys": plain(drawn(5, 2)), "values": plain(drawn(5, 2))}
    given |= {"query": 3, "scale": True, "causal": True}
    shown, all_ = page.evaluate(
        """given => {
          const all = live.journey(given);
          const stops = live.stopsOf(all, given);
          const scene = stop => live.sceneOf(stop, stops, all, given, ["a", "b", "c", "d", "e"]).scene;
          return [Object.fromEntries(stops.map(stop => [stop, scene(stop)])), all];
        }""",
        given,
    )

    def texts(stop, name):
        return [float(shown[stop][f"{name} {key}"]["text"]) for key in range(4)]

    np.testing.assert_allclose(texts("scores", "score"), all_["scores"][:4], atol=0.006)
    np.testing.assert_allclose(texts("bars", "score"), all_["scaled"][:4], atol=0.006)
    np.testing.assert_allclose(texts("exp", "share"), all_["exponentials"][:4], atol=0.006)
    np.testing.assert_allclose(texts("squeeze", "share"), all_["weights"][:4], atol=0.006)
    assert "bar 4" not in shown["squeeze"]  # the future takes no part
    assert shown["hide"]["score 4"]["text"] == "−∞"


def test_the_words_of_a_sentence_take_in_and_mean_what_pytorch_says(load):
    page, small, shows = load("explorers/sentence.js"), trained_words(), explore_sentence()._shows
    sentences = [
        [shows["words"][size(len(shows["words"])) - 1] for _ in range(1 + size(13))] for _ in range(INPUTS)
    ]
    places = [[shows["words"].index(word) for word in words] for words in sentences]
    actual = page.evaluate(
        "([shows, all]) => all.map(places => live.readWords(shows, places))", [shows, places]
    )
    for came, words in zip(actual, sentences, strict=True):
        x = small.embed(" ".join(words))  # (tokens, 16)
        queries, keys, values = (
            x @ small.one_head[f"W_{part}.weight"].T for part in ("query", "key", "value")
        )
        weights = torch.softmax(queries @ keys.T / 4, dim=-1)  # (tokens, tokens)
        np.testing.assert_allclose(came["weights"], weights.numpy(), atol=1e-4)
        assert came["meanings"] == small.read(x + weights @ values)


def test_a_text_is_cut_into_the_tokens_of_the_library(load):
    stored = load_file(TOKENIZER)
    actual = load("live/tensors.js").evaluate(
        "([texts, merges]) => texts.map(text => live.encodeBytes(text, merges))",
        [list(TEXTS), stored["merges"].tolist()],
    )
    assert actual == [stored[f"text {at}"].tolist() for at in range(len(TEXTS))]


GPT2 = FOLDER / "gpt2"
# A page gives a module the bytes of a file as a view.
WITH_WEIGHTS = """async ([code, values, data]) => {
  values.weights = new DataView(Uint8Array.from(atob(data), one => one.charCodeAt(0)).buffer);
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  const model = { get: name => values[name], set: (name, value) => { values[name] = value; },
    save_changes() {}, on() {} };
  await widget.render({ model, el: document.querySelector("main") });
}"""


def test_a_loaded_gpt2_gives_the_logits_of_the_library(load):
    right = load_file(GPT2 / "expected.safetensors")
    actual = load("live/gpt.js").evaluate(
        "async ([data, texts, code]) => {"
        " const bytes = Uint8Array.from(atob(data), one => one.charCodeAt(0));"
        " const blob = new Blob([code], {type: 'text/javascript'});"
        " const act = (await import(URL.createObjectURL(blob))).geluTanh;"
        " const model = new live.GPT(live.readTensors(new DataView(bytes.buffer)), 3, act);"
        " return texts.map(ids => { const result = model.run(ids);"
        " return ids.map((_id, place) => model.logits(result, place)) }) }",
        [
            base64.b64encode((GPT2 / "model.safetensors").read_bytes()).decode(),
            right["ids"].tolist(),
            bundled(VISUALS / "live/tensors.js"),
        ],
    )
    np.testing.assert_allclose(actual, right["logits"].numpy(), atol=1e-4)


def test_the_explorer_of_a_loaded_gpt2_reads_tokens_and_takes_heads_away(browser):
    """The classes are a solution's of lesson 12, and the model that they were loaded with."""
    notebook = nbformat.read(ROOT / "solutions/12-real-models/12-real-models.ipynb", as_version=4)
    given = {"setup", "course-classes", "fill-given", "gpt2-proof", "gpt2-compared"}
    given |= {"library-shown", "explorer-model"}
    lesson: dict = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and (cell.id in given or cell.id.endswith("-answer")):
            exec(cell.source, lesson)
    reported = (lesson[name] for name in ("encode", "vocabulary", "sentence"))
    explorer = lesson["explore_model"](lesson["gpt2"], 3, *reported, merges=lesson["merges"])
    context = browser.new_context(offline=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_content('<!doctype html><html lang="en"><title>An explorer</title><main></main>')
    values = {"shows": explorer._shows, "chosen": explorer.chosen, "texts": {}}
    (file,) = explorer._files.values()
    page.evaluate(WITH_WEIGHTS, [explorer.code, values, base64.b64encode(file.read_bytes()).decode()])
    ids = lesson["encode"](lesson["sentence"])
    last = len(ids) - 1
    output = page.get_by_role("status").inner_text()
    assert output.startswith(f"layer 0, head 0: token {last}, 'ent', looks most at token")
    page.get_by_label("Without this head").check()
    changed = 0
    for layer in range(2):
        for head in range(3):
            page.get_by_label(f"layer {layer}, head {head}").check(force=True)
            output = page.get_by_role("status").inner_text()
            without, with_it = re.search(r"model expects (.*?); with it, (.*)$", output).groups()
            inside = look_inside(lesson["gpt2"], ids[None], 3, without=[(layer, head)])
            best = lesson["decode"](inside.logits[0, -1].argmax()[None])
            assert without.startswith(best.replace(" ", "␣"))
            changed += without.split()[0] != with_it.split()[0]
    assert changed == 4
    context.close()


def _placed(kind: str):
    pairs, theta = drawn(2, 2), 2 * torch.rand((), generator=GENERATOR, dtype=torch.float64)
    at = torch.randint(32, (2,), generator=GENERATOR)
    angles = (at + torch.tensor([[0], [7]])) * theta  # (here and further on, query and key)
    moved = {
        "plain": pairs.expand(2, 2, 2),
        "added": pairs + torch.stack((angles.sin(), angles.cos()), dim=-1),
        "rotated": torch.view_as_real(
            torch.view_as_complex(pairs) * torch.polar(torch.ones_like(angles), angles)
        ),
    }[kind]
    return [*pairs, at, theta], (moved[:, 0] * moved[:, 1]).sum(dim=-1)


@pytest.mark.parametrize("kind", ["plain", "added", "rotated"])
def test_scores_of_positions_are_those_of_pytorch(load, kind):
    page = load("lessons/positions/positions.js")
    cases = [_placed(kind) for _ in range(INPUTS)]
    given = [[plain(item) for item in inputs] for inputs, _expected in cases]
    actual = page.evaluate(f"cases => cases.map(given => live.scoresAt(...given).{kind})", given)
    np.testing.assert_allclose(actual, torch.stack([wanted for _inputs, wanted in cases]), atol=1e-4)


@pytest.mark.parametrize("kind", [0, 1, 2], ids=["encoder", "decoder", "cross"])
def test_what_is_hidden_is_padding_and_in_the_decoder_the_future(load, kind):
    page = load("lessons/encoder_decoder/three_attentions.js")
    sizes = [(size(8), size(8)) for _ in range(INPUTS)]
    sizes = [(queries, queries if kind < 2 else keys) for queries, keys in sizes]
    filled = [size(keys + 1) - 1 for _queries, keys in sizes]
    given = [
        [kind, ["x"] * queries, ["x"] * full + ["<pad>"] * (keys - full)]
        for (queries, keys), full in zip(sizes, filled, strict=True)
    ]
    actual = page.evaluate("cases => cases.map(given => live.reasons(...given))", given)
    for reasons, (queries, keys), full in zip(actual, sizes, filled, strict=True):
        hidden = (torch.arange(keys) >= full).repeat(queries, 1)
        if kind == 1:
            hidden |= torch.ones(queries, keys).triu(1).bool()
        assert [[bool(item) for item in row] for row in reasons] == hidden.tolist()


@pytest.fixture(scope="module")
def model(load):
    page = load("live/gpt.js")
    page.evaluate(
        "([data, heads]) => { const bytes = Uint8Array.from(atob(data), one => one.charCodeAt(0));"
        " window.model = new live.GPT(live.readTensors(new DataView(bytes.buffer)), heads) }",
        [base64.b64encode(FILE.read_bytes()).decode(), NUM_HEADS],
    )
    return page


def texts(count: int) -> list[str]:
    dice = random.Random(31)
    return ["".join(dice.choices(VOCABULARY, k=dice.randint(1, CONTEXT_LENGTH))) for _ in range(count)]


@torch.no_grad()
def test_logits_are_those_of_pytorch_on_texts_of_all_lengths(model):
    theirs, ids = trained(), [encode(text) for text in texts(INPUTS)]
    actual = model.evaluate(
        "texts => texts.map(ids => model.logits(model.run(ids), ids.length - 1))",
        [item.tolist() for item in ids],
    )
    expected = np.stack([theirs(item[None])[0, -1].numpy() for item in ids])
    np.testing.assert_allclose(np.array(actual), expected, rtol=0, atol=1e-4)


@torch.no_grad()
def test_a_head_is_taken_away_as_in_the_lesson(model):
    ids, theirs = encode("p4q=ziw(p4q=ziw(p4q"), trained()

    def averaged(_module, given):
        parts = given[0].unflatten(-1, (NUM_HEADS, -1)).clone()  # (b, tokens, heads, head_dim)
        parts[:, :, 0] = parts[:, :, 0].mean(dim=1, keepdim=True)
        return (parts.flatten(2),)

    theirs.h[1].attn.c_proj.register_forward_pre_hook(averaged)
    actual = model.evaluate("ids => model.logits(model.run(ids, ['1,0']), ids.length - 1)", ids.tolist())
    np.testing.assert_allclose(actual, theirs(ids[None])[0, -1].numpy(), atol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("stage", [0, 1, 2])
def test_an_activation_of_another_text_is_put_in_as_in_the_lesson(model, stage):
    """The patch of lesson 09, at each stage of the stream; why a head looks there accounts for it too."""
    theirs = trained()
    seen = []
    if stage:
        place_ = theirs.h[stage - 1].register_forward_hook(lambda _module, _given, stream: patched(stream))
    else:
        place_ = theirs.h[0].register_forward_pre_hook(lambda _module, given: (patched(given[0]),))

    def patched(stream):
        seen.append(stream.clone())
        if len(seen) % 2 == 0:  # every second run is the one that takes a row of the one before
            stream = stream.clone()
            stream[:, position] = seen[-2][:, position]
        return stream

    for item, other in zip(texts(20), reversed(texts(20)), strict=True):
        count = min(len(item), len(other))
        ids, others, position = encode(item[:count]), encode(other[:count]), count // 2
        theirs(others[None])
        expected = theirs(ids[None])[0, -1].numpy()
        actual, parts, row = model.evaluate(
            "([ids, others, stage, place]) => {"
            " const [start, width] = [place * model.width, model.width];"
            " const from = model.run(others).streams[stage].slice(start, start + width);"
            " const result = model.run(ids, [], { stage, place, row: from });"
            " return [model.logits(result, ids.length - 1),"
            " model.why(result, 1, 0, place, 0).map(part => part.value),"
            " [...result.maps[1][0].slice(place * ids.length, place * ids.length + place + 1)]] }",
            [ids.tolist(), others.tolist(), stage, position],
        )
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4)
        scores = [math.log(weight) for weight in row if weight]
        if len(scores) == len(row):
            assert sum(parts) == pytest.approx(scores[0] - sum(scores) / len(scores), abs=1e-2)
    place_.remove()


def test_why_a_head_looks_there_accounts_for_the_whole_score(model):
    ids = encode("for item in items: print(item)")
    for layer, head, query, key in ((0, 2, 9, 3), (1, 0, 29, 21), (1, 3, 12, 0)):
        parts, row = model.evaluate(
            "([ids, layer, head, query, key]) => { const result = model.run(ids); return ["
            "model.why(result, layer, head, query, key).map(part => part.value), "
            "[...result.maps[layer][head].slice(query * ids.length, query * ids.length + query + 1)]] }",
            [ids.tolist(), layer, head, query, key],
        )
        # A weight's logarithm is its score but for what is the same in the whole row.
        scores = [math.log(weight) for weight in row]
        assert sum(parts) == pytest.approx(scores[key] - sum(scores) / len(scores), abs=1e-3)
        assert len(parts) == 2 + 6 * layer


class Attention(nn.Module):
    """Causal attention with the parts of the course's, and with biases."""

    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value, self.out_proj = (nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        queries, keys, values = (
            project(x).unflatten(-1, (2, -1)).transpose(1, 2)
            for project in (self.W_query, self.W_key, self.W_value)
        )
        context = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.out_proj(context.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, mlp: bool):
        super().__init__()
        self.norm_1, self.attention, self.norm_2 = nn.LayerNorm(8), Attention(), nn.LayerNorm(8)
        self.mlp = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8)) if mlp else None

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x if self.mlp is None else x + self.mlp(self.norm_2(x))


class Learners(nn.Module):
    """A model with the parts of lesson 08's, drawn at random, its embedding not tied."""

    def __init__(self, positions: bool, mlp: bool):
        super().__init__()
        self.embedding, self.unembedding = nn.Embedding(7, 8), nn.Linear(8, 7, bias=False)
        self.positions = nn.Embedding(12, 8) if positions else None
        self.blocks, self.norm = nn.ModuleList(Block(mlp) for _ in range(2)), nn.LayerNorm(8)

    def forward(self, ids):
        x = self.embedding(ids)
        if self.positions is not None:
            x = x + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.unembedding(self.norm(x))


@torch.no_grad()
@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize("mlp", [True, False])
def test_a_learners_own_model_runs_in_the_page(load, positions, mlp):
    torch.manual_seed(31)
    own = Learners(positions, mlp).eval()
    ids = torch.tensor([3, 1, 4, 1, 5, 2, 6])
    actual = load("live/gpt.js").evaluate(
        "([data, ids]) => { const bytes = Uint8Array.from(atob(data), one => one.charCodeAt(0));"
        " const model = new live.GPT(live.readTensors(new DataView(bytes.buffer)), 2);"
        " const result = model.run(ids);"
        " return ids.map((_id, place) => model.logits(result, place)) }",
        [base64.b64encode(save(in_gpt2_form(own))).decode(), ids.tolist()],
    )
    np.testing.assert_allclose(actual, own(ids[None])[0].numpy(), atol=1e-4)
