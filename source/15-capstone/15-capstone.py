# %% [markdown] id="title"
# # 15 · Capstone
#
# Fourteen lessons led you step by step. This one does not. **Can you do it alone?** There are five parts, each with a
# score of its own, and nobody tells you which lines to write. At the end you have a page that says what you showed.
#
# **When you are done you can**
#
# - write a modern attention class from a blank page;
# - port a model that you have never seen, and prove that your port is right;
# - find the bugs in a port that somebody else wrote, and say how each would have been noticed;
# - read an algorithm in a paper against your own code;
# - make a claim about a model that a measurement could have refuted.
#
# **Time:** about 235 minutes, an estimate; best on several days, one part at a time. **Before you start:** lessons 01
# to 13. Use whatever you like: your own notebooks, the documentation, paper. You do not need a GPU.

# %% id="setup"
import hashlib
import json
import os
from pathlib import Path

from autograder import bring_over, check, hint, predict, progress, reveal, review
from visuals import attention_map, explore_tiles
from visuals.checkpoint import HELD_OUT, windows
from visuals.checkpoint.train import trained
from visuals.published import FOLDER

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)

# %% id="review"
review("15-capstone")

# %% [markdown] id="blank-intro"
# ## 1 · From a blank page
#
# One class with what you built in lessons 05, 07, 11 and 13. With a window of 3, this is what each token sees. A sink
# takes a part of each row, so the rows add up to less than 1.

# %% id="blank-figure" tags=["figure"]
near = torch.ones(6, 6).tril() - torch.ones(6, 6).tril(-3)  # (tokens, tokens)
attention_map(
    near / (near.sum(dim=-1, keepdim=True) + 1),
    ["Your", "journey", "starts", "with", "one", "step"],
    title="A window of 3 and a sink",
    row_sums=True,
)

# %% [markdown] id="blank-attention-task"
# ### Task 1 · One class, from a blank page
#
# *35 minutes · about forty lines · task id* `blank-attention`
#
# Write `WindowAttention`. Its four linear layers are `W_query`, `W_key`, `W_value` and `out_proj`, without biases.
#
# - There are `num_heads` heads of queries and `num_groups` heads of keys and values, all `head_dim` wide. Neighbouring
#   query heads share a group.
# - Only the first `rope_dim` numbers of each head of queries and keys are rotated: half-split, with a base of 10000, at
#   positions counted from 0.
# - A token sees itself and the `window - 1` tokens before it. Scores are divided by √head_dim.
# - `sinks` is a parameter of shape (num_heads,): one number for each head, whatever it is at first. It takes part in
#   the softmax like the score of one more key, unscaled, and that key has no value.
# - With `cached=False`, each call is a text of its own. With `cached=True`, an object reads one text in pieces: each
#   call brings its next tokens, one or several, and returns their outputs, as if the text had come at once. It never
#   begins a second text. Where it keeps what it needs is up to you.


# %% answer="blank-attention"
class WindowAttention(nn.Module):
    """Causal attention with a window, a sink for each head, grouped queries and partial RoPE.

    Shapes:
        x: (b, tokens, d_model)
        returns: (b, tokens, d_model)
    """

    def __init__(self, d_model, num_heads, num_groups, head_dim, rope_dim, window, cached=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.num_heads, self.num_groups = num_heads, num_groups
        self.rope_dim, self.window, self.cached = rope_dim, window, cached
        self.W_query = nn.Linear(d_model, num_heads * head_dim, bias=False)
        self.W_key = nn.Linear(d_model, num_groups * head_dim, bias=False)
        self.W_value = nn.Linear(d_model, num_groups * head_dim, bias=False)
        self.out_proj = nn.Linear(num_heads * head_dim, d_model, bias=False)
        self.sinks = nn.Parameter(torch.randn(num_heads))
        self.num_tokens, self.kept = 0, None
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        b, new, _ = x.shape
        queries = (
            self.W_query(x).view(b, new, self.num_heads, -1).transpose(1, 2)
        )  # (b, heads, new, head_dim)
        keys = self.W_key(x).view(b, new, self.num_groups, -1).transpose(1, 2)  # (b, groups, new, head_dim)
        values = self.W_value(x).view(b, new, self.num_groups, -1).transpose(1, 2)
        positions = torch.arange(self.num_tokens, self.num_tokens + new)
        queries, keys = self.rotated(queries, positions), self.rotated(keys, positions)
        if self.kept is not None:
            keys = torch.cat((self.kept[0], keys), dim=2)  # (b, groups, tokens, head_dim)
            values = torch.cat((self.kept[1], values), dim=2)
        if self.cached:
            self.num_tokens += new
            self.kept = keys[:, :, -self.window :], values[:, :, -self.window :]
        tokens = keys.shape[2]
        distance = torch.arange(tokens - new, tokens)[:, None] - torch.arange(tokens)  # (new, tokens)
        hidden = (distance < 0) | (distance >= self.window)
        sharing = self.num_heads // self.num_groups
        keys = keys.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
        values = values.repeat_interleave(sharing, dim=1)
        scores = queries @ keys.mT / queries.shape[-1] ** 0.5  # (b, heads, new, tokens)
        scores = scores.masked_fill(hidden, -torch.inf)
        sinks = self.sinks.view(-1, 1, 1).expand(b, -1, new, 1)  # (b, heads, new, 1)
        weights = torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1]
        context = weights @ values  # (b, heads, new, head_dim)
        return self.out_proj(context.transpose(1, 2).flatten(2))

    def rotated(self, heads, positions):
        half = self.rope_dim // 2
        angles = positions[:, None] * 10000.0 ** (-torch.arange(half) / half)  # (new, rope_dim / 2)
        first, second = heads[..., : self.rope_dim].chunk(2, dim=-1)
        turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos())
        return torch.cat((*turned, heads[..., self.rope_dim :]), dim=-1)
        ### END SOLUTION


# %% check="blank-attention" points=8
check("blank-attention")

# %% id="blank-attention-shown"
# needs WindowAttention
torch.manual_seed(123)
whole = WindowAttention(20, 6, 2, 8, 4, 5)
in_pieces = WindowAttention(20, 6, 2, 8, 4, 5, cached=True)
in_pieces.load_state_dict(whole.state_dict())
text = torch.randn(2, 12, 20)  # (b, tokens, d_model)
joined = torch.cat([in_pieces(piece) for piece in text.split((4, 1, 1, 6), dim=1)], dim=1)
print("in pieces as at once:", bool((joined - whole(text)).abs().max() < 1e-5))

# %% [markdown] id="port-intro"
# ## 2 · A model that you have never seen
#
# To **port** a model is to write it anew, in code of your own, until both give the same numbers. **Granite SWA** (2026)
# has not come up in this course. The next cell prints what its file in the `transformers`
# library does in a forward pass; the classes around it are left out. A tiny checkpoint with random numbers is in
# `visuals/published/granite-swa`, with the logits and the stages that the library computes for 24 tokens
# (`python -m benchmarks.published`). Its window has 6 tokens. `lm_head` is the embedding's table. No linear layer has
# a bias. The cell after that prints its configuration, where you find the numbers that the file takes from `config`.

# %% id="port-read"
CHECKPOINT = FOLDER / "granite-swa"
print((CHECKPOINT / "modeling_granite_swa.txt").read_text(encoding="utf-8"))

# %% id="port-stored"
granite_config = json.loads((CHECKPOINT / "config.json").read_text())
granite_state = load_file(CHECKPOINT / "model.safetensors")
granite_right = load_file(CHECKPOINT / "expected.safetensors")  # ids, logits, stages
for name in sorted(granite_state):
    if "layers" not in name or ".layers.0." in name:  # the other layers have the same names
        print(f"{name:50} {tuple(granite_state[name].shape)}")
for name, value in granite_config.items():
    print(f"{name:24} {value}")

# %% [markdown] id="granite-attention-task"
# ### Task 2 · Its attention
#
# *10 minutes · about twelve lines · task id* `granite-attention`
#
# Write `granite_attention(queries, keys, values, sinks, scale, window)`: what `eager_attention_forward` computes,
# before heads and tokens change places. The queries are the **last** ones of all tokens, as with a cache. A query sees
# itself and the `window - 1` tokens before it; a window of 0 is a layer without one, which is still causal. `scale`
# multiplies the scores.


# %% answer="granite-attention"
def granite_attention(queries, keys, values, sinks, scale, window):
    """Attention as in Granite SWA.

    Shapes:
        queries: (b, heads, new, head_dim), of the last tokens
        keys, values: (b, groups, tokens, head_dim)
        sinks: (heads,)
        returns: (b, heads, new, head_dim)
    """
    ### BEGIN SOLUTION
    sharing = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
    values = values.repeat_interleave(sharing, dim=1)
    new, tokens = queries.shape[2], keys.shape[2]
    distance = torch.arange(tokens - new, tokens)[:, None] - torch.arange(tokens)  # (new, tokens)
    hidden = distance < 0
    if window:
        hidden = hidden | (distance >= window)
    scores = (queries @ keys.mT * scale).masked_fill(hidden, -torch.inf)  # (b, heads, new, tokens)
    share = torch.sigmoid(torch.logsumexp(scores, dim=-1) - sinks[:, None])  # (b, heads, new)
    return torch.softmax(scores, dim=-1) @ values * share[..., None]
    ### END SOLUTION


# %% check="granite-attention" points=3
check("granite-attention")

# %% [markdown] id="port-granite-task"
# ### Task 3 · The whole model
#
# *55 minutes · about forty lines · task id* `port-granite`
#
# Write `granite_logits(config, state, pieces)`. `config` is a dictionary like `granite_config`, `state` one like
# `granite_state`, and both can have other sizes than the checkpoint. `pieces` brings the ids of one batch of
# texts, cut into pieces: (b, tokens) each. It can be a generator, so go through it once, piece by piece. Return the
# logits of all pieces, one after the other, as if the text had come at once. Compute each token's keys and values
# once.
#
# `granite_attention` is yours to use, and everything else in your course. Where the logits differ, compare your
# stream after each layer with `granite_right["stages"]`: stage 0 is what goes into the first layer, the last stage
# is after the last norm.


# %% answer="port-granite"
def granite_logits(config, state, pieces):
    """The logits of a Granite SWA.

    Shapes:
        pieces: ids, (b, tokens) each, whole numbers, one piece after the other
        returns: (b, all tokens, vocab)
    """
    ### BEGIN SOLUTION
    counts = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
    counts["v"] = counts["k"]
    table, residual = state["model.embed_tokens.weight"], config["residual_multiplier"]

    def norm(x, name):
        mean_square = (x * x).mean(dim=-1, keepdim=True)  # (b, new, 1)
        return x / torch.sqrt(mean_square + config["rms_norm_eps"]) * state[f"{name}.weight"]

    def rotated(x, positions, base):
        half = x.shape[-1] // 2
        angles = positions[:, None] * base ** (-torch.arange(half) / half)  # (new, head_dim / 2)
        first, second = x.chunk(2, dim=-1)
        turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos())
        return torch.cat(turned, dim=-1)

    kept, results, start = {}, [], 0
    for ids in pieces:
        positions = torch.arange(start, start + ids.shape[1])
        start += ids.shape[1]
        x = table[ids] * config["embedding_multiplier"]  # (b, new, d_model)
        for layer in range(config["num_hidden_layers"]):
            own = f"model.layers.{layer}"
            read = norm(x, f"{own}.input_layernorm")
            heads = {}
            for name, count in counts.items():
                projected = read @ state[f"{own}.self_attn.{name}_proj.weight"].T
                heads[name] = projected.unflatten(-1, (count, -1)).transpose(
                    1, 2
                )  # (b, heads, new, head_dim)
            base = config["layer_rope_theta"][layer]
            if base:
                heads |= {name: rotated(heads[name], positions, base) for name in ("q", "k")}
            if layer in kept:
                heads |= {name: torch.cat((kept[layer][name], heads[name]), dim=2) for name in ("k", "v")}
            kept[layer] = heads
            slides = config["layer_types"][layer] == "sliding_attention"
            sinks, scale = state[f"{own}.self_attn.sinks"], config["attention_multiplier"]
            window = config["sliding_window"] if slides else 0
            context = granite_attention(*heads.values(), sinks, scale, window)  # (b, heads, new, head_dim)
            attended = context.transpose(1, 2).flatten(2) @ state[f"{own}.self_attn.o_proj.weight"].T
            x = x + residual * attended  # (b, new, d_model)
            read = norm(x, f"{own}.post_attention_layernorm")
            gate, up = (read @ state[f"{own}.mlp.{name}_proj.weight"].T for name in ("gate", "up"))
            x = x + residual * (F.silu(gate) * up) @ state[f"{own}.mlp.down_proj.weight"].T
        results.append(norm(x, "model.norm") @ table.T / config["logits_scaling"])  # (b, new, vocab)
    return torch.cat(results, dim=1)
    ### END SOLUTION


# %% check="port-granite" points=10
check("port-granite")


# %% id="port-proof"
def compared(logits_of, config, state, right, cuts):
    """Say whether a port gives the logits of the library, for a text that is cut into pieces."""
    for says, sizes in cuts.items():
        ids = right["ids"][:, : sum(sizes)]
        with torch.no_grad():
            gap = (logits_of(config, state, ids.split(sizes, dim=1)) - right["logits"][:, : sum(sizes)]).abs()
        print(f"{says:28} differs by less than 1e-4: {bool(gap.max() < 1e-4)}")


CUTS = {
    "3 tokens": [3],
    "6 tokens, the window": [6],
    "24 tokens": [24],
    "24 tokens, with a cache": [9, *[1] * 8, 7],
}

# %% id="port-shown"
# needs granite_attention, granite_logits
compared(granite_logits, granite_config, granite_state, granite_right, CUTS)

# %% [markdown] id="bugs-intro"
# ## 3 · Five bugs
#
# Somebody has ported **Cohere 2**, the family of Command R7B, in five functions. It runs, every shape fits, and its
# logits are wrong. **Each of the five functions has one bug.** Nobody tells you the line. You may also write a
# function anew: only what it computes counts. This is what the model does:
#
# - One LayerNorm per layer, without a bias: the mean is subtracted, and the mean of the squares that are left, plus
#   eps, makes the root.
# - Attention and MLP are **side by side**: both read the same normalised stream, and both are added to the stream.
# - Layers with a window rotate queries and keys, with **neighbours** as pairs (lesson 07); pair $p$ turns by
#   $\text{base}^{-p / (\text{head\_dim} / 2)}$ for each position. Layers without a window have no positions.
# - A query sees itself and the `window - 1` tokens before it, and never the future.
# - The unembedding is the embedding's table. The logits are multiplied by `logit_scale`.
#
# The checkpoint is tiny and random, as before, with the library's logits for 24 tokens and a window of 6.

# %% id="bugs-stored"
COHERE = FOLDER / "cohere2"
cohere_config = json.loads((COHERE / "config.json").read_text())
cohere_state = load_file(COHERE / "model.safetensors")
cohere_right = load_file(COHERE / "expected.safetensors")

# %% [markdown] id="bug-cohere-norm-task"
# ### Task 4 · Find the bug: the norm
#
# *6 minutes · one line · task id* `bug-cohere-norm`
#
# `cohere_norm(x, weight, eps)` is the LayerNorm. Correct it.


# %% answer="bug-cohere-norm"
### BEGIN SOLUTION
def cohere_norm(x, weight, eps):
    """LayerNorm without a bias.

    Shapes:
        x: (..., d_model)
        weight: (d_model,)
        returns: (..., d_model)
    """
    centred = x - x.mean(dim=-1, keepdim=True)  # (..., d_model)
    variance = centred.pow(2).mean(dim=-1, keepdim=True)  # (..., 1)
    return centred / torch.sqrt(variance + eps) * weight


### END SOLUTION
### BEGIN FAULTY
# def cohere_norm(x, weight, eps):
#     """LayerNorm without a bias.
#
#     Shapes:
#         x: (..., d_model)
#         weight: (d_model,)
#         returns: (..., d_model)
#     """
#     centred = x - x.mean(dim=-1, keepdim=True)  # (..., d_model)
#     variance = centred.var(dim=-1, keepdim=True)  # (..., 1)
#     return centred / torch.sqrt(variance + eps) * weight
### END FAULTY

# %% check="bug-cohere-norm" points=2
check("bug-cohere-norm")

# %% [markdown] id="bug-neighbours-task"
# ### Task 5 · Find the bug: the rotation
#
# *7 minutes · one line · task id* `bug-neighbours`
#
# `turn_neighbours(x, positions, base)` rotates pairs of neighbours: numbers 0 and 1, numbers 2 and 3, and so on.
# Correct it.


# %% answer="bug-neighbours"
### BEGIN SOLUTION
def turn_neighbours(x, positions, base):
    """RoPE with neighbours as pairs.

    Shapes:
        x: (..., tokens, head_dim)
        positions: (tokens,), whole numbers
        returns: (..., tokens, head_dim)
    """
    half = x.shape[-1] // 2
    angles = positions[:, None] * base ** (-torch.arange(half) / half)  # (tokens, head_dim / 2)
    angles = angles.repeat_interleave(2, dim=-1)  # (tokens, head_dim)
    partners = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)  # (..., tokens, head_dim)
    return x * angles.cos() + partners * angles.sin()


### END SOLUTION
### BEGIN FAULTY
# def turn_neighbours(x, positions, base):
#     """RoPE with neighbours as pairs.
#
#     Shapes:
#         x: (..., tokens, head_dim)
#         positions: (tokens,), whole numbers
#         returns: (..., tokens, head_dim)
#     """
#     half = x.shape[-1] // 2
#     angles = positions[:, None] * base ** (-torch.arange(half) / half)  # (tokens, head_dim / 2)
#     angles = angles.repeat(1, 2)  # (tokens, head_dim)
#     partners = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)  # (..., tokens, head_dim)
#     return x * angles.cos() + partners * angles.sin()
### END FAULTY

# %% check="bug-neighbours" points=2
check("bug-neighbours")

# %% [markdown] id="bug-cohere-attention-task"
# ### Task 6 · Find the bug: the attention
#
# *7 minutes · one line · task id* `bug-cohere-attention`
#
# `cohere_attention(queries, keys, values, window)` is the attention after the projections. The queries are the last
# ones of all tokens; a window of 0 is a layer without one. Correct it.


# %% answer="bug-cohere-attention"
### BEGIN SOLUTION
def cohere_attention(queries, keys, values, window):
    """Causal attention with shared keys and values, and a window unless it is 0.

    Shapes:
        queries: (b, heads, new, head_dim), of the last tokens
        keys, values: (b, groups, tokens, head_dim)
        returns: (b, heads, new, head_dim)
    """
    sharing = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
    values = values.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
    new, tokens = queries.shape[2], keys.shape[2]
    distance = torch.arange(tokens - new, tokens)[:, None] - torch.arange(tokens)  # (new, tokens)
    hidden = distance < 0
    if window:
        hidden = hidden | (distance >= window)
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5  # (b, heads, new, tokens)
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1) @ values


### END SOLUTION
### BEGIN FAULTY
# def cohere_attention(queries, keys, values, window):
#     """Causal attention with shared keys and values, and a window unless it is 0.
#
#     Shapes:
#         queries: (b, heads, new, head_dim), of the last tokens
#         keys, values: (b, groups, tokens, head_dim)
#         returns: (b, heads, new, head_dim)
#     """
#     sharing = queries.shape[1] // keys.shape[1]
#     keys = keys.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
#     values = values.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
#     new, tokens = queries.shape[2], keys.shape[2]
#     distance = torch.arange(tokens - new, tokens)[:, None] - torch.arange(tokens)  # (new, tokens)
#     hidden = distance < 0
#     if window:
#         hidden = hidden | (distance > window)
#     scores = queries @ keys.mT / queries.shape[-1] ** 0.5  # (b, heads, new, tokens)
#     return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1) @ values
### END FAULTY

# %% check="bug-cohere-attention" points=2
check("bug-cohere-attention")

# %% [markdown] id="bug-cohere-heads-task"
# ### Task 7 · Find the bug: the heads
#
# *8 minutes · one line · task id* `bug-cohere-heads`
#
# `cohere_heads(x, state, layer, config, start)` makes queries, keys and values of the normalised stream, rotated where
# the layer rotates. They come in one tensor: first the heads of the queries, then those of the keys, then those of the
# values. `start` says how many tokens of the text came before. Correct it.


# %% answer="bug-cohere-heads"
### BEGIN SOLUTION
def cohere_heads(x, state, layer, config, start):
    """The queries, keys and values of one layer.

    Shapes:
        x: (b, new, d_model)
        returns: (b, heads + 2 * groups, new, head_dim)
    """
    own = f"model.layers.{layer}.self_attn"
    counts = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
    counts["v"] = counts["k"]
    queries, keys, values = (
        (x @ state[f"{own}.{name}_proj.weight"].T).unflatten(-1, (count, -1)).transpose(1, 2)
        for name, count in counts.items()
    )  # (b, heads, new, head_dim), and twice (b, groups, new, head_dim)
    if config["layer_types"][layer] == "sliding_attention":
        positions = torch.arange(start, start + x.shape[1])
        base = config["rope_parameters"]["rope_theta"]
        queries = turn_neighbours(queries, positions, base)
        keys = turn_neighbours(keys, positions, base)
    return torch.cat((queries, keys, values), dim=1)


### END SOLUTION
### BEGIN FAULTY
# def cohere_heads(x, state, layer, config, start):
#     """The queries, keys and values of one layer.
#
#     Shapes:
#         x: (b, new, d_model)
#         returns: (b, heads + 2 * groups, new, head_dim)
#     """
#     own = f"model.layers.{layer}.self_attn"
#     counts = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
#     counts["v"] = counts["k"]
#     queries, keys, values = (
#         (x @ state[f"{own}.{name}_proj.weight"].T).unflatten(-1, (count, -1)).transpose(1, 2)
#         for name, count in counts.items()
#     )  # (b, heads, new, head_dim), and twice (b, groups, new, head_dim)
#     if config["layer_types"][layer] == "sliding_attention":
#         positions = torch.arange(x.shape[1])
#         base = config["rope_parameters"]["rope_theta"]
#         queries = turn_neighbours(queries, positions, base)
#         keys = turn_neighbours(keys, positions, base)
#     return torch.cat((queries, keys, values), dim=1)
### END FAULTY

# %% check="bug-cohere-heads" points=2
check("bug-cohere-heads")

# %% [markdown] id="bug-cohere-logits-task"
# ### Task 8 · Find the bug: the model
#
# *9 minutes · two or three lines · task id* `bug-cohere-logits`
#
# `cohere_logits(config, state, pieces)` puts the four functions together, with a cache. Correct it.


# %% answer="bug-cohere-logits"
### BEGIN SOLUTION
def cohere_logits(config, state, pieces):
    """The logits of a Cohere 2.

    Shapes:
        pieces: a list of ids, (b, new) each, whole numbers
        returns: (b, all tokens, vocab)
    """
    eps, groups = config["layer_norm_eps"], config["num_key_value_heads"]
    table = state["model.embed_tokens.weight"]  # (vocab, d_model)
    kept, results, start = {}, [], 0
    for ids in pieces:
        x = table[ids]  # (b, new, d_model)
        for layer in range(config["num_hidden_layers"]):
            own = f"model.layers.{layer}"
            read = cohere_norm(x, state[f"{own}.input_layernorm.weight"], eps)
            heads = cohere_heads(read, state, layer, config, start)
            queries, keys, values = heads.split((config["num_attention_heads"], groups, groups), dim=1)
            if layer in kept:
                keys = torch.cat((kept[layer][0], keys), dim=2)  # (b, groups, tokens, head_dim)
                values = torch.cat((kept[layer][1], values), dim=2)
            kept[layer] = keys, values
            slides = config["layer_types"][layer] == "sliding_attention"
            context = cohere_attention(queries, keys, values, config["sliding_window"] if slides else 0)
            attended = context.transpose(1, 2).flatten(2) @ state[f"{own}.self_attn.o_proj.weight"].T
            gate = F.silu(read @ state[f"{own}.mlp.gate_proj.weight"].T)  # (b, new, hidden)
            up = read @ state[f"{own}.mlp.up_proj.weight"].T
            x = x + attended + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T
        start += ids.shape[1]
        read = cohere_norm(x, state["model.norm.weight"], eps)
        results.append(read @ table.T * config["logit_scale"])  # (b, new, vocab)
    return torch.cat(results, dim=1)


### END SOLUTION
### BEGIN FAULTY
# def cohere_logits(config, state, pieces):
#     """The logits of a Cohere 2.
#
#     Shapes:
#         pieces: a list of ids, (b, new) each, whole numbers
#         returns: (b, all tokens, vocab)
#     """
#     eps, groups = config["layer_norm_eps"], config["num_key_value_heads"]
#     table = state["model.embed_tokens.weight"]  # (vocab, d_model)
#     kept, results, start = {}, [], 0
#     for ids in pieces:
#         x = table[ids]  # (b, new, d_model)
#         for layer in range(config["num_hidden_layers"]):
#             own = f"model.layers.{layer}"
#             read = cohere_norm(x, state[f"{own}.input_layernorm.weight"], eps)
#             heads = cohere_heads(read, state, layer, config, start)
#             queries, keys, values = heads.split((config["num_attention_heads"], groups, groups), dim=1)
#             if layer in kept:
#                 keys = torch.cat((kept[layer][0], keys), dim=2)  # (b, groups, tokens, head_dim)
#                 values = torch.cat((kept[layer][1], values), dim=2)
#             kept[layer] = keys, values
#             slides = config["layer_types"][layer] == "sliding_attention"
#             context = cohere_attention(queries, keys, values, config["sliding_window"] if slides else 0)
#             x = x + context.transpose(1, 2).flatten(2) @ state[f"{own}.self_attn.o_proj.weight"].T
#             read = cohere_norm(x, state[f"{own}.input_layernorm.weight"], eps)
#             gate = F.silu(read @ state[f"{own}.mlp.gate_proj.weight"].T)  # (b, new, hidden)
#             up = read @ state[f"{own}.mlp.up_proj.weight"].T
#             x = x + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T
#         start += ids.shape[1]
#         read = cohere_norm(x, state["model.norm.weight"], eps)
#         results.append(read @ table.T * config["logit_scale"])  # (b, new, vocab)
#     return torch.cat(results, dim=1)
### END FAULTY

# %% id="bugs-symptom"
# needs cohere_norm, turn_neighbours, cohere_attention, cohere_heads, cohere_logits
compared(cohere_logits, cohere_config, cohere_state, cohere_right, CUTS)

# %% check="bug-cohere-logits" points=2
check("bug-cohere-logits")

# %% [markdown] id="bugs-words-task"
# ### Explain them
#
# *10 minutes · graded by a person, 5 points*
#
# For each of the five bugs: what was wrong, and which comparison shows it if the other four are already corrected? Take
# the comparison from these: short texts, long texts, pieces against the whole text, a single function against PyTorch's
# own, a stage. One or two sentences each.

# %% [markdown] answer="bugs-in-words" points=5
# ### BEGIN SOLUTION
# Norm: `var` divides by d_model − 1, and LayerNorm by d_model. Every logit is slightly off, for any text; held against
# `F.layer_norm` it shows at once. Rotation: the frequencies were repeated as for the half-split form, so the two
# numbers of a pair turned by different angles. A single token at position 0 is right, and the first stage after a layer
# with a window is wrong from the second token on. Attention: the window had one token too many. Texts of up to 6 tokens
# agree, longer ones do not. Heads: positions began at 0 in each piece. The text as a whole agrees; in pieces it does
# not. Model: the MLP read the stream after the attention. The stage after the first layer is wrong, even for one token.
#
# **Marking scheme**
#
# - 1 point: the variance without torch's correction; any text, or compared with `F.layer_norm`.
# - 1 point: frequencies repeated in the wrong order; tokens after the first.
# - 1 point: a window of one token too many; only texts longer than the window.
# - 1 point: positions that begin again; only pieces differ from the whole text.
# - 1 point: attention and MLP one after the other; the first stage, even of one token.
# ### END SOLUTION

# %% [markdown] id="paper-intro"
# ## 4 · A paper and your code
#
# This is Algorithm 1 of the [FlashAttention-2 paper](https://arxiv.org/abs/2307.08691), in our words. $N$ tokens,
# heads of width $d$, blocks of $B_r$ queries and $B_c$ keys. HBM is the large memory, the chip the small fast one.
#
# | line | what it does |
# | --- | --- |
# | 1, 2 | cut Q into $T_r = \lceil N / B_r \rceil$ blocks, K and V into $T_c = \lceil N / B_c \rceil$; O and L like Q |
# | 3 | **for** each block $i$ of queries |
# | 4 | load $Q_i$ from HBM |
# | 5 | on the chip: $O_i$ = 0 ($B_r \times d$), $l_i$ = 0 and $m_i$ = −∞ ($B_r$ each) |
# | 6 | **for** each block $j$ of keys |
# | 7 | load $K_j$ and $V_j$ from HBM |
# | 8 | $S = Q_i K_j^\top$ ($B_r \times B_c$) |
# | 9 | new $m_i$; $P = \exp(S - m_i)$; $l_i$ rescaled, plus the row sums of $P$ |
# | 10 | $O_i$ rescaled, row by row, plus $P V_j$ |
# | 12 | $O_i$ divided by $l_i$ |
# | 13 | $L_i = m_i + \ln l_i$ |
# | 14, 15 | write $O_i$ and $L_i$ to HBM |
#
# Your `tiled_attention` from lesson 11 is this algorithm with $B_r = B_c$, for all heads at once. Find each line in it,
# apart from $L_i$, which lesson 11 computes in `tiled_logsumexp`. Step through the picture once more; here are the tiles
# of 2 with a causal mask.

# %% id="paper-explorer" tags=["figure"]
torch.manual_seed(8)
q, k, v = torch.randn(3, 6, 2)  # each (tokens, head_dim)
explore_tiles(q, k, v, ["Your", "journey", "starts", "with", "one", "step"])


# %% id="paper-code"
def tiled_attention(q, k, v, tile, causal):
    num_tokens = q.shape[2]
    context = torch.empty_like(v)
    places = torch.arange(num_tokens)
    for start in range(0, num_tokens, tile):
        rows = slice(start, start + tile)
        largest, total, output = -torch.inf, 0.0, 0.0
        for first in range(0, start + 1 if causal else num_tokens, tile):
            columns = slice(first, first + tile)
            scores = q[:, :, rows] @ k[:, :, columns].mT / q.shape[-1] ** 0.5  # (b, heads, tile, tile)
            if causal:
                scores = scores.masked_fill(places[columns] > places[rows, None], -torch.inf)
            new_largest = scores.amax(dim=-1, keepdim=True).clamp(min=largest)  # (b, heads, tile, 1)
            rescale = torch.exp(largest - new_largest)
            weights = torch.exp(scores - new_largest)
            total = total * rescale + weights.sum(dim=-1, keepdim=True)
            output = output * rescale + weights @ v[:, :, columns]  # (b, heads, tile, head_dim)
            largest = new_largest
        context[:, :, rows] = output / total
    return context


# %% id="paper-own"
tiled_attention = bring_over("11-fast-attention", "tiled-attention", tiled_attention)

# %% [markdown] id="algorithm-numbers-task"
# ### Task 9 · Six numbers
#
# *25 minutes · six expressions · task id* `algorithm-numbers`
#
# Write `algorithm_numbers(question, N, d, B_r, B_c)`: the answer to each question, a whole number, for one head and any
# sizes. $N$ need not be a multiple of a block; a last block that is smaller counts with the rows that it has. In
# questions 1, 3, 4, 5 and 6 there is no mask.
#
# 1. How often is line 8 carried out?
# 2. The same with a causal mask, if a tile that is completely in the future is skipped. (Token $t$ sees the tokens up
#    to $t$.)
# 3. How many numbers are on the chip after line 8, when all blocks are full: $Q_i$, $K_j$, $V_j$, $O_i$, $S$, $m_i$ and
#    $l_i$?
# 4. How many numbers do lines 4 and 7 load from HBM, all together?
# 5. How many numbers do lines 14 and 15 write, all together?
# 6. How many numbers does line 10 multiply by a factor to rescale $O_i$, all together? Count the first block of keys,
#    too, although $O_i$ is still 0 there.


# %% answer="algorithm-numbers"
def algorithm_numbers(question, N, d, B_r, B_c):
    """The answer to a question about Algorithm 1, a whole number."""
    T_r, T_c = -(-N // B_r), -(-N // B_c)  # rounded up
    if question == 1:
        ### BEGIN SOLUTION
        return T_r * T_c
        ### END SOLUTION
    if question == 2:
        ### BEGIN SOLUTION
        ends = [min((i + 1) * B_r, N) for i in range(T_r)]  # one past the last query of each block
        return sum(-(-end // B_c) for end in ends)
        ### END SOLUTION
    if question == 3:
        ### BEGIN SOLUTION
        return 2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r
        ### END SOLUTION
    if question == 4:
        ### BEGIN SOLUTION
        return N * d + T_r * 2 * N * d
        ### END SOLUTION
    if question == 5:
        ### BEGIN SOLUTION
        return N * d + N
        ### END SOLUTION
    if question == 6:
        ### BEGIN SOLUTION
        return T_c * N * d
        ### END SOLUTION
    return None


# %% check="algorithm-numbers" points=6
check("algorithm-numbers")


# %% id="algorithm-numbers-shown"
# needs algorithm_numbers
class Products(torch.overrides.TorchFunctionMode):
    """Counts the products of matrices."""

    count = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.count += getattr(func, "__name__", "") in ("__matmul__", "matmul", "bmm", "einsum")
        return func(*args, **(kwargs or {}))


sample = torch.randn(3, 1, 1, 50, 4)  # q, k, v: (b, heads, tokens, head_dim) each
for causal, question in ((False, 1), (True, 2)):
    with Products() as products:
        tiled_attention(*sample, 8, causal)
    print(
        f"question {question}: {algorithm_numbers(question, 50, 4, 8, 8)} tiles,",
        f"your code multiplies {products.count} matrices, two for each tile",
    )

# %% [markdown] id="claim-intro"
# ## 5 · A claim that can fail
#
# A claim about a model is worth as much as the test that could have refuted it. Here is an example, with the model that
# you read in lesson 10. `losses(context)` gives its mean loss on each of ten held-out texts, if it sees only the last
# `context` characters before each one that it predicts.
#
# **Predict, then run.** With 16 characters instead of 64, for how many of the ten texts does the loss rise?

# %% id="claim-prediction"
predict(
    "context-needed", "For how many of the ten texts does the loss rise?", ("0 to 3", "4 to 6", "7 to 10")
)

# %% id="claim-given"
model = trained().requires_grad_(False)
held_out = windows(HELD_OUT.read_text(encoding="utf-8"), 96)  # (208, characters)


def losses(context, texts=held_out[:10]):
    """The mean loss of the last 32 characters of each text (texts,), predicted from `context` characters each."""
    places = range(texts.shape[1] - 32, texts.shape[1])
    seen = torch.cat([texts[:, place - context : place] for place in places])  # (32 * texts, context)
    right = torch.cat([texts[:, place] for place in places])  # (32 * texts,)
    each = F.cross_entropy(model(seen)[:, -1], right, reduction="none")  # (32 * texts,)
    return each.view(32, -1).mean(dim=0)


differences = losses(16) - losses(64)  # (texts,)
print("with 16 characters the loss changes by", [f"{one:+.2f}" for one in differences.tolist()])

# %% id="claim-revealed"
rising = int((differences > 0).sum())
reveal("context-needed", "0 to 3" if rising < 4 else "4 to 6" if rising < 7 else "7 to 10")

# %% [markdown] id="flip-test-task"
# Could that be chance? Suppose the number of characters made no difference. Then each difference could just as well have
# had the other sign. With $n$ texts there are $2^n$ ways to give signs to the sizes of the differences, all equally
# likely. How many of them add up to at least what you measured? If few do, chance is a poor explanation. This is a
# **sign-flip test**.
#
# ### Task 10 · Test it
#
# *12 minutes · about four lines · task id* `flip-test`
#
# Write `flip_test(differences)`: the share of all $2^n$ choices of signs, the measured one among them, whose sum is at
# least the measured sum. (Signs for the sizes of the differences or for the differences themselves: the sums are the
# same.) Equal sums count; allow for rounding by subtracting $10^{-6}$ from the measured sum. Go through all of them and
# draw nothing at random. $n$ is at most 12.


# %% answer="flip-test"
def flip_test(differences):
    """The share of all choices of signs whose sum is at least the measured one.

    Shapes:
        differences: (texts,)
        returns: (), a number from 0 to 1
    """
    ### BEGIN SOLUTION
    count = len(differences)
    bits = torch.arange(2**count)[:, None] >> torch.arange(count) & 1  # (2 ** texts, texts)
    sums = ((2 * bits - 1) * differences).sum(dim=-1)  # (2 ** texts,)
    return (sums >= differences.sum() - 1e-6).to(differences.dtype).mean()
    ### END SOLUTION


# %% check="flip-test" points=3
check("flip-test")

# %% id="flip-test-shown"
# needs flip_test
for context in (8, 16, 32):
    print(f"{context:2} characters instead of 64: share {float(flip_test(losses(context) - losses(64))):.3f}")

# %% [markdown] id="claim-task"
# ### Your claim
#
# *25 minutes · graded by a person, 6 points*
#
# Now make a claim of your own about this model or about one of the models above, and test it in the cell below. A few
# ideas: a head that matters for brackets and not for words; a kind of text for which 16 characters are enough; a layer
# that can be left out. Write the claim and what would refute it **before** you measure. Then write, in six to ten
# sentences: the claim; what would have refuted it; what you measured, on how many texts; the number of your test; and
# what you conclude. A claim that failed earns as much as one that held.

# %% id="claim-own"
own_measurement = None  # your measurement goes here

# %% [markdown] answer="own-claim-in-words" points=6
# ### BEGIN SOLUTION
# Claim: the model uses more than the last 16 characters, so its loss is larger with 16 than with 64. It would be refuted
# if at least 5 % of all choices of signs gave a sum as large. I chose texts 11 to 20, because the example above had
# used the first ten, and wrote this down before I measured. The loss rose on nine of the ten texts, by 0.115 on average,
# and `flip_test` gave 0.005. So the claim passed. As a control I compared 48 characters with 64: there the share is
# 0.19, so the test does not call everything a difference. Then I measured texts 21 to 30 as well: the loss rose by 0.143
# on average, but only on seven of them, and the share is 0.069, above my limit. My conclusion: on texts like these the
# model does use what is further back, and how much differs from text to text. It says nothing about other models, and
# nothing about which characters are used.
#
# **Marking scheme**
#
# - 1 point: a claim about the model that is precise enough to be wrong.
# - 1 point: says beforehand what would have refuted it, with a number.
# - 1 point: a measurement that fits the claim, on texts that were not chosen to fit.
# - 1 point: a test or an interval, with its number and the number of texts.
# - 1 point: a control, or another explanation that was ruled out.
# - 1 point: the conclusion says no more than was measured, whether the claim held or not.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you showed
#
# Save the notebook first: the cell below adds up your points by part, as your checks counted them, and prints the
# SHA-256 digest of the saved file. Anybody who has the file can compute the digest again and see that it is the same
# one. The written parts are read by a person, or by you with the marking schemes in the solution.

# %% id="shown-by-part" tags=["measured"]
PARTS = {
    "1 · From a blank page": (["blank-attention"], 0),
    "2 · A model that you have never seen": (["granite-attention", "port-granite"], 0),
    "3 · Five bugs": (
        [
            f"bug-{name}"
            for name in ("cohere-norm", "neighbours", "cohere-attention", "cohere-heads", "cohere-logits")
        ],
        5,
    ),
    "4 · A paper and your code": (["algorithm-numbers"], 0),
    "5 · A claim that can fail": (["flip-test"], 6),
}  # the tasks of each part, and the points that a person gives
rows = getattr(progress(), "rows", ())
records = {task.id: (record.points, task.points) for _, tasks in rows for task, record in tasks}
for part, (tasks, written) in PARTS.items():
    earned, most = (sum(column) for column in zip(*(records.get(task, (0, 0)) for task in tasks)))
    print(f"{part:38} {earned:2} of {most:2}" + (f", and {written} points for words" if written else ""))
saved = Path(os.environ.get("JPY_SESSION_NAME", ""))
if saved.is_file():
    print("SHA-256 of the notebook:", hashlib.sha256(saved.read_bytes()).hexdigest())
else:
    print("This program does not say where the notebook is. Its digest: sha256sum 15-capstone.ipynb")

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. Your port agrees at 3 and at 6 tokens, and differs at 24. Where do you look?</summary>
#
# At the window: whether it counts the token itself, and which layers have it.
#
# </details>
#
# <details><summary>2. It agrees at 24 tokens at once, and differs with a cache. What are the two usual reasons?</summary>
#
# Positions that begin again with each piece, and a mask that takes the new queries for the first tokens.
#
# </details>
#
# <details><summary>3. Every logit is 2.5 times too large. Is that one bug or many?</summary>
#
# One, after the last norm: the final factor. Before a norm, a factor would have no effect.
#
# </details>
#
# <details><summary>4. Your claim failed. What have you learned?</summary>
#
# That the test works, and that the model does something else than you thought. Write both down.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning**, Dao, 2023. Algorithm 1.
# - **PaLM: Scaling Language Modeling with Pathways**, Chowdhery and others, 2022. Attention and MLP side by side.
# - **Command A: An Enterprise-Ready Large Language Model**, Cohere, 2025. Windows, and layers without positions.
# - **Granite 3.0 Language Models**, IBM Granite Team, 2024. The family of the model in part 2.
# - **gpt-oss-120b & gpt-oss-20b Model Card**, OpenAI, 2025. A learned sink for each head.
# - **The Design of Experiments**, Fisher, 1935. The test by changing signs, in its third chapter.

# %% id="progress"
progress("15-capstone")
