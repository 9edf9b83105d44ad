"""Looking into a model: its maps and stream, the explorer of any text, and the checkpoint of lesson 10."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load
from torch import nn

from visuals import explore_model, look_inside
from visuals.checkpoint import CURVE, FILE, HELD_OUT, VOCABULARY, decode, encode, windows
from visuals.checkpoint.train import STEPS, loss_of, trained
from visuals.not_ready import NotReady

HEADS = 2


class Attention(nn.Module):
    """Causal attention with two heads, written without any class of the course."""

    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value, self.out_proj = (nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        queries, keys, values = (
            layer(x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        context = nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.out_proj(context.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()

    def forward(self, x):
        return x + self.attention(x)


class Model(nn.Module):
    """The least that has the course's interface: 5 tokens, two layers, no positions."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embedding, self.unembedding = nn.Embedding(5, 8), nn.Linear(8, 5, bias=False)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(2)), nn.LayerNorm(8)

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.unembedding(self.norm(x))


IDS = torch.tensor([[0, 3, 1, 4], [2, 2, 0, 1]])


@pytest.fixture
def model():
    return Model().eval()


def as_in_lesson_10():
    """The checkpoint in a model with the parts of lesson 08's, as far as an explorer needs them."""
    ours, theirs = nn.Module(), trained()
    ours.embedding, ours.positions, ours.norm = theirs.wte, theirs.wpe, theirs.ln_f
    ours.unembedding, ours.blocks = nn.Linear(96, 96, bias=False), nn.ModuleList()
    ours.unembedding.weight = theirs.wte.weight
    for layer in theirs.h:
        block, attention = nn.Module(), nn.Module()
        queries, keys, values = (linear(part) for part in layer.attn.c_attn.weight.chunk(3, dim=1))
        attention.W_query, attention.W_key, attention.W_value = queries, keys, values
        attention.out_proj = linear(layer.attn.c_proj.weight, layer.attn.c_proj.bias)
        attention.forward = lambda x, attention=attention: attention.out_proj(attention.W_value(x))
        block.norm_1, block.norm_2, block.attention = layer.ln_1, layer.ln_2, attention
        block.mlp = nn.Sequential(
            linear(layer.mlp.c_fc.weight, layer.mlp.c_fc.bias),
            nn.GELU(),
            linear(layer.mlp.c_proj.weight, layer.mlp.c_proj.bias),
        )
        block.forward = lambda x, block=block: x + block.attention(block.norm_1(x))
        ours.blocks.append(block)
    ours.forward = lambda ids: run(ours, ids)
    return ours


def run(model, ids):
    x = model.embedding(ids)
    for block in model.blocks:
        x = block(x)
    return model.unembedding(model.norm(x))


def linear(weight, bias=None):
    """A layer of PyTorch's with a weight (in, out) of GPT-2's."""
    result = nn.Linear(*weight.shape, bias=bias is not None)
    result.weight = nn.Parameter(weight.T.contiguous())
    if bias is not None:
        result.bias = bias
    return result


def letters(text):
    if set(text) - set("abcde"):
        raise ValueError("Only a to e are known.")
    return torch.tensor(["abcde".index(letter) for letter in text])


def test_what_is_seen_inside_is_what_the_model_computes_with(model):
    inside = look_inside(model, IDS, HEADS)
    torch.testing.assert_close(inside.logits, model(IDS))
    torch.testing.assert_close(inside.streams[0], model.embedding(IDS))
    x = inside.streams[1]
    values = model.blocks[1].attention.W_value(x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
    context = (inside.maps[1] @ values).transpose(1, 2).flatten(2)  # (b, tokens, d_model)
    torch.testing.assert_close(x + model.blocks[1].attention.out_proj(context), inside.streams[2])


def test_a_removed_head_says_the_same_at_every_token_and_the_model_stays_as_it_was(model):
    before = model(IDS)
    streams = look_inside(model, IDS, HEADS, without=[(0, 0), (0, 1)]).streams
    added = (streams[1] - streams[0]).flatten(0, 1)
    torch.testing.assert_close(added, added[:1].expand_as(added))
    assert not torch.equal(look_inside(model, IDS, HEADS, without=[(1, 1)]).logits, before)
    assert torch.equal(model(IDS), before)


def test_the_explorer_starts_where_it_is_told_to_with_the_checkpoint_as_it_lies():
    text = "p4q=ziw(p4q"
    explorer = explore_model(as_in_lesson_10(), 4, encode, VOCABULARY, text, head=(1, 0))
    chosen = {"text": text, "layer": 1, "head": 0, "query": -1, "removed": False}
    assert explorer.chosen == chosen
    (module,) = explorer._for_sites().values()
    assert json.loads(module["model"])["chosen"] == chosen
    assert module["files"] == {"weights": "checkpoint/weights.safetensors"}
    assert "Layer 1, head 0" in explorer.alt


def test_another_model_stays_in_its_notebook():
    other = as_in_lesson_10()
    with torch.no_grad():
        other.embedding.weight[0, 0] += 1
    explorer = explore_model(other, 4, encode, VOCABULARY, "if x")
    assert explorer._for_sites() == {}
    held = explorer._files["weights"]
    assert load(held)["wte.weight"].equal(other.embedding.weight)


def test_a_text_that_cannot_be_read_is_refused_where_it_starts():
    with pytest.raises(ValueError, match="'é' is not in the vocabulary"):
        explore_model(as_in_lesson_10(), 4, encode, VOCABULARY, "café")


def test_a_model_that_is_not_loaded_yet_is_waited_for():
    assert isinstance(explore_model(None, HEADS, letters, list("abcde"), "a"), NotReady)


# The checkpoint.


def test_a_text_becomes_ids_and_comes_back():
    assert decode(encode("if x:\n  pass")) == "if x:\n  pass"
    with pytest.raises(ValueError, match="'é' is not in the vocabulary"):
        encode("café")


@torch.no_grad()
def test_the_checkpoint_has_the_loss_that_its_training_noted():
    curve = json.loads(CURVE.read_text())
    assert curve["steps"][-1] == STEPS
    loss = float(loss_of(trained(), windows(HELD_OUT.read_text())))
    assert loss == pytest.approx(curve["unseen pages"][-1], abs=1e-3)
    assert len(VOCABULARY) == len(trained().wte.weight)
    assert FILE.stat().st_size < 4 * 2**20
