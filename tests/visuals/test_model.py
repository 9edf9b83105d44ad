"""Looking into a model: its maps and stream, the explorer of any text, and the checkpoint of lesson 10."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
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


def letters(text):
    if set(text) - set("abcde"):
        raise ValueError("Only a to e are known.")
    return torch.tensor(["abcde".index(letter) for letter in text])


@pytest.fixture
def explorer(model):
    return explore_model(model, HEADS, letters, list("abcde"), "abca")


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


def test_a_text_is_typed_a_head_is_chosen_and_removed(explorer, model):
    explorer.text.value = "eabda"
    assert explorer.tokens == list("eabda")
    assert explorer.query.value == 4  # the last token, after which something is expected
    explorer.head.value = (0, 1)
    expected = look_inside(model, letters("eabda")[None], HEADS)
    np.testing.assert_allclose(explorer.map, expected.maps[0, 0, 1])
    whole = expected.logits[0, -1].softmax(-1).max()
    assert f"the model expects {'abcde'[int(expected.logits[0, -1].argmax())]} {whole:.2f}" in explorer.alt
    assert "without" not in explorer.view.value
    explorer.removed.value = True
    removed = look_inside(model, letters("eabda")[None], HEADS, [(0, 1)]).logits[0, -1].softmax(-1).max()
    assert f"{removed:.2f}" in explorer.status.value.partition("with it")[0]
    assert f"{whole:.2f}" in explorer.status.value.partition("with it")[2]
    assert "the whole model" in explorer.view.value
    assert "Layer 0, head 1" in explorer.picture.alt


def test_a_text_that_cannot_be_read_is_told_and_the_last_one_stays(explorer):
    before = explorer.view.value
    for text, told in (("xyz", "Only a to e are known."), ("", "There is no text.")):
        explorer.text.value = text
        assert told in explorer.status.value
        assert explorer.view.value == before
    explorer.text.value = "ab"
    assert "layer 0, head 0" in explorer.status.value


def test_more_tokens_than_the_model_has_positions_for_are_refused(model):
    model.positions = nn.Embedding(3, 8)
    with pytest.raises(ValueError, match="has 4 tokens; the model reads 3 at most"):
        explore_model(model, HEADS, letters, list("abcde"), "abca")


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
