# %% [markdown] id="title"
# # 11 · Fast attention
#
# The class from lesson 05 is correct, but it does not scale: twice as many tokens need four times the memory. Today's
# models compute **the same function** in a different order, and here you will build it: one projection for queries,
# keys and values, a softmax that never sees a whole row, attention in tiles with a backward pass written by hand, a
# cache for generating text, and heads that share their keys. You will prove that each part equals what you had, and
# only then measure what it gains.
#
# **When you are done you can**
#
# - write a softmax that reads its scores in pieces, and say why nothing is lost;
# - write attention and its gradients without ever storing the (tokens, tokens) matrix;
# - call `scaled_dot_product_attention` without falling into any of its five traps;
# - write a KV cache and grouped-query attention, and compute what a cache costs in bytes;
# - say what limits a GPU in training and in generation, and what FlashAttention 1 to 4 each changed.
#
# **Time:** about 150 minutes, an estimate, without the optional parts; best on two days. **Before you start:** lesson 05 (`MultiHeadAttention`).
# For section 4: what `backward` does (lesson 08). You do not need a GPU; if you have one, the measurements at the end
# use it.

# %% id="setup"
import warnings

from autograder import check, hint, predict, progress, reveal, review
from visuals import attention_map, cost_curves, explore_journey, explore_tiles, measured, qkv_rows
from visuals.checkpoint import NUM_HEADS, decode, encode
from visuals.checkpoint.train import trained

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

# %% id="review"
review("11-fast-attention")

# %% [markdown] id="carried-over-intro"
# ## What you bring with you
#
# From lesson 05: `split_heads`, `merge_heads` and the fused class. `plain_attention` is its core, the four lines
# between splitting and merging. You will compare everything in this lesson with these.


# %% id="carried-over"
def split_heads(x, num_heads):
    """(b, tokens, d_out) -> (b, heads, tokens, head_dim)"""
    b, num_tokens, d_out = x.shape
    return x.view(b, num_tokens, num_heads, d_out // num_heads).transpose(1, 2)


def merge_heads(context):
    """(b, heads, tokens, head_dim) -> (b, tokens, d_out)"""
    return context.transpose(1, 2).flatten(2)


def plain_attention(q, k, v, causal):
    """Attention with the whole matrix: q, k and v are (b, heads, tokens, head_dim), and so is the result."""
    scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
    if causal:
        hidden = torch.ones(scores.shape[2:], dtype=torch.bool, device=q.device).triu(diagonal=1)
        scores = scores.masked_fill(hidden, -torch.inf)
    return torch.softmax(scores, dim=-1) @ v  # (b, heads, tokens, head_dim)


class MultiHeadAttention(nn.Module):
    """The class from lesson 05, without dropout."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        q, k, v = (
            split_heads(layer(x), self.num_heads) for layer in layers
        )  # each (b, heads, tokens, head_dim)
        return self.out_proj(merge_heads(plain_attention(q, k, v, causal=True)))  # (b, tokens, d_out)


def agree(one, other):
    """Whether two results differ by less than 1e-5 everywhere."""
    return one.shape == other.shape and bool((one - other).abs().max() < 1e-5)


# %% id="data-made"
torch.manual_seed(8)
q, k, v = torch.randn(3, 2, 4, 50, 16)  # each (b, heads, tokens, head_dim) = (2, 4, 50, 16)
x = torch.randn(2, 50, 64)  # (b, tokens, d_in)
torch.manual_seed(123)
attention = MultiHeadAttention(64, 64, 50, 0.0, num_heads=4)

# %% [markdown] id="cost-intro"
# What does it cost? `measured` runs a function on your machine several times. It reports the seconds of the fastest
# call, and the bytes of all tensors at the peak.
#
# **Predict, then run.** From 512 tokens to 1024, what happens to the memory and to the time?

# %% id="cost-prediction"
predict("memory-doubled", "With twice the tokens, attention needs … times the memory.", ("2", "4", "8"))

# %% id="cost-shown" tags=["figure", "measured"]
plain_costs = {
    heads: {
        n: measured(plain_attention, *torch.randn(3, 1, heads, n, 32), True) for n in (128, 256, 512, 1024)
    }
    for heads in (2, 8)
}
cost_curves({f"lesson 05, {heads} heads": costs for heads, costs in plain_costs.items()})

# %% id="cost-revealed" tags=["shown"]
# needs plain_costs
reveal("memory-doubled", str(round(plain_costs[2][1024].bytes / plain_costs[2][512].bytes)))

# %% [markdown] id="cost-read"
# Both axes are logarithmic, so a power of the length is a straight line whose **slope** is the exponent. The formula
# predicts a slope of 2, because the scores, the weights and their copies are all (tokens, tokens). At 100 000 tokens,
# one such matrix for one head takes 40 GB in float32, while queries, keys and values of width 32 together take 38 MB.
# So this lesson asks: does that matrix ever have to exist?
#
# ## 1 · Optional: One projection for three
#
# First, a small gain. Queries, keys and values are computed from the same `x`, so you can replace three matrix
# products with one. Stack the three weights on top of each other, multiply once, and cut the result with `chunk`.

# %% id="rows-shown" tags=["figure"]
qkv_rows(num_heads=2, head_dim=2)

# %% [markdown] id="rows-read"
# The picture shows the rows of the wide weight in the two orders that published models use. On the left, all queries
# come first, then all keys, then all values (GPT-2, Phi-3). On the right, the three parts of each head are side by
# side (GPT-NeoX, BLOOM). Both have the same shape, and nothing in a file tells you which one it uses.
#
# ### Task 1 · Three layers in one
#
# *6 minutes · a few lines · task id* `fuse-projections`
#
# Write `fuse_projections(attention)`. It takes a `MultiHeadAttention` and returns one new `nn.Linear` from d_in to 3
# · d_out, in the order query, key, value, with a bias if the layers have one. Copy the numbers with `copy_` under
# `torch.no_grad()`, and leave `attention` as it is.


# %% answer="fuse-projections"
def fuse_projections(attention):
    """One layer that does the work of `W_query`, `W_key` and `W_value`, in this order.

    Returns:
        an `nn.Linear` that turns (b, tokens, d_in) into (b, tokens, 3 * d_out)
    """
    ### BEGIN SOLUTION
    layers = (attention.W_query, attention.W_key, attention.W_value)
    d_out, d_in = attention.W_query.weight.shape
    has_bias = attention.W_query.bias is not None
    fused = nn.Linear(d_in, 3 * d_out, bias=has_bias)
    with torch.no_grad():
        fused.weight.copy_(torch.cat([layer.weight for layer in layers], dim=0))  # (3 * d_out, d_in)
        if has_bias:
            fused.bias.copy_(torch.cat([layer.bias for layer in layers], dim=0))  # (3 * d_out,)
    return fused
    ### END SOLUTION


# %% check="fuse-projections" points=0
check("fuse-projections")

# %% id="fuse-projections-shown"
# needs fuse_projections
fused = fuse_projections(attention)
q_all, k_all, v_all = fused(x).chunk(3, dim=-1)  # each (b, tokens, d_out)
print("same keys as before:", agree(k_all, attention.W_key(x)))

# %% [markdown] id="bug-qkv-order-task"
# ### Task 2 · Find the bug: the wrong order of rows
#
# *4 minutes · change two lines · task id* `bug-qkv-order`
#
# `split_qkv` cuts the wide projection straight into heads. It was written for a GPT-NeoX file, in which the three
# parts of each head are side by side. Here the order is query, key, value, as in your layer. All shapes fit, but with
# the code as given, the cell below reports `same queries: False`. Correct it.


# %% answer="bug-qkv-order"
### BEGIN SOLUTION
def split_qkv(projected, num_heads):
    """(b, tokens, 3 * d_out), in the order query, key, value -> (3, b, heads, tokens, head_dim)"""
    b, num_tokens, width = projected.shape
    pieces = projected.view(b, num_tokens, 3, num_heads, width // (3 * num_heads))
    return pieces.permute(2, 0, 3, 1, 4)  # (3, b, heads, tokens, head_dim)


### END SOLUTION
### BEGIN FAULTY
# def split_qkv(projected, num_heads):
#     """(b, tokens, 3 * d_out), in the order query, key, value -> (3, b, heads, tokens, head_dim)"""
#     b, num_tokens, width = projected.shape
#     pieces = projected.view(b, num_tokens, num_heads, 3, width // (3 * num_heads))
#     return pieces.permute(3, 0, 2, 1, 4)  # (3, b, heads, tokens, head_dim)
### END FAULTY

# %% id="bug-qkv-order-symptom"
# needs fused
print("same queries:", agree(split_qkv(fused(x), 4)[0], split_heads(attention.W_query(x), 4)))

# %% check="bug-qkv-order" points=0
check("bug-qkv-order")

# %% [markdown] id="online-intro"
# ## 2 · A softmax that never sees the whole row
#
# Softmax needs the largest score of a row, so that `exp` does not overflow (lesson 01), and the sum of all
# exponentials. Both seem to require the whole row first, but they do not. Watch the scores 1, 3, 2 arrive one at a
# time:
#
# | score read | $m$ | factor for the old sum | $l$ |
# | --- | --- | --- | --- |
# | 1 | 1 | e^(−∞) = 0 | 1 |
# | 3 | 3 | e^(1 − 3) = 0.1353 | 0.1353 + 1 = 1.1353 |
# | 2 | 3 | e^0 = 1 | 1.1353 + e^(2 − 3) = 1.5032 |
#
# You keep only two numbers: the largest score so far, $m$, and the sum so far, $l$, of $e^{score - m}$. When a larger
# score arrives, every exponential in $l$ was computed with the old $m$, so all of them are too large by the same
# factor. One multiplication corrects the sum:
#
# $$l \leftarrow l \cdot e^{m - m'} + e^{score - m'}, \qquad m \leftarrow m'$$
#
# ### Task 3 · Largest and sum, score by score
#
# *6 minutes · a loop · task id* `running-softmax`
#
# Write `running_softmax(scores)`. It returns one row for each score: $m$ and $l$ after that score. Start with $m =
# -\infty$ and $l = 0$. Scores near 1000 and near −20,000 must work. Write the loop yourself:
# `torch.cummax`, `torch.cumsum` and `torch.logcumsumexp` cost one of the two points.


# %% answer="running-softmax"
def running_softmax(scores):
    """The largest score so far and the sum of exponentials so far, after each score.

    Shapes:
        scores: (keys,)
        returns: (keys, 2)
    """
    ### BEGIN SOLUTION
    largest, total = scores.new_tensor(-torch.inf), scores.new_tensor(0.0)
    states = []
    for score in scores:
        new_largest = torch.maximum(largest, score)
        total = total * torch.exp(largest - new_largest) + torch.exp(score - new_largest)
        largest = new_largest
        states.append(torch.stack((largest, total)))
    return torch.stack(states)  # (keys, 2)
    ### END SOLUTION


# %% check="running-softmax" points=2
check("running-softmax")

# %% id="running-softmax-shown"
# needs running_softmax
running_softmax(torch.tensor([1.0, 3.0, 2.0]))

# %% [markdown] id="bug-not-rescaled-task"
# You can accumulate the weighted sum of the values in the same way. Keep $o$, the sum of each $e^{score - m}$ times
# its value. At the end, $o / l$ is the context.
#
# ### Task 4 · Find the bug: the first keys count too much
#
# *4 minutes · change one line · task id* `bug-not-rescaled`
#
# `attend_one_query` is right when the first key has the highest score, and wrong as soon as a later one has. Find out
# which of the three running numbers is at fault: the error grows with each new maximum.


# %% answer="bug-not-rescaled"
### BEGIN SOLUTION
def attend_one_query(query, keys, values):
    """The context (d_v,) of a query (head_dim,) for keys (keys, head_dim) and values (keys, d_v)."""
    largest, total, output = query.new_tensor(-torch.inf), 0.0, torch.zeros_like(values[0])
    for key, value in zip(keys, values):
        score = query @ key / key.shape[-1] ** 0.5
        new_largest = torch.maximum(largest, score)
        rescale = torch.exp(largest - new_largest)
        weight = torch.exp(score - new_largest)
        total = total * rescale + weight
        output = output * rescale + weight * value
        largest = new_largest
    return output / total


### END SOLUTION
### BEGIN FAULTY
# def attend_one_query(query, keys, values):
#     """The context (d_v,) of a query (head_dim,) for keys (keys, head_dim) and values (keys, d_v)."""
#     largest, total, output = query.new_tensor(-torch.inf), 0.0, torch.zeros_like(values[0])
#     for key, value in zip(keys, values):
#         score = query @ key / key.shape[-1] ** 0.5
#         new_largest = torch.maximum(largest, score)
#         rescale = torch.exp(largest - new_largest)
#         weight = torch.exp(score - new_largest)
#         total = total * rescale + weight
#         output = output + weight * value
#         largest = new_largest
#     return output / total
### END FAULTY

# %% id="bug-not-rescaled-symptom"
one_query = attend_one_query(q[0, 0, -1], k[0, 0], v[0, 0])
print("the last row of plain attention:", agree(one_query, plain_attention(q, k, v, True)[0, 0, -1]))

# %% check="bug-not-rescaled" points=1
check("bug-not-rescaled")

# %% [markdown] id="online-softmax-task"
# Reading one key at a time is slow and unnecessary. Read a **block** of keys instead, for many queries at once. One
# case needs care: all keys in a block can be hidden from a query. Then all its scores are −∞, so $m$ can be too, and
# their difference, −∞ − (−∞), is nan. A single nan stays in $l$ and $o$ forever. Wherever $m$ is −∞, subtract 0
# instead: e^(−∞ − 0) is 0, as it should be.
#
# ### Task 5 · Online softmax, block by block
#
# *12 minutes · a loop · task id* `online-softmax`
#
# Write `online_softmax(scores_blocks, values_blocks)`: the softmax of each query's scores over all blocks, times the
# values. You get each block only once: both arguments can be generators, and a block is overwritten when you ask for
# the next one. No tensor may be larger than a block, and nothing may grow with the number of blocks, so you may not
# join or keep them. Some blocks, even the first one, can be hidden from some queries, but every query sees something.
# Scores near 900 and −900 must work. Stay in torch: what NumPy computes cannot be measured.


# %% answer="online-softmax"
def online_softmax(scores_blocks, values_blocks):
    """Softmax over the keys of all blocks, times the values, one block after the other.

    Shapes:
        scores_blocks: (blocks, queries, keys in a block), or a list or generator of blocks of any sizes
        values_blocks: (blocks, keys in a block, d_v), or a list or generator of blocks of any sizes
        returns: (queries, d_v)
    """
    ### BEGIN SOLUTION
    largest, total, output = -torch.inf, 0.0, 0.0
    for scores, values in zip(scores_blocks, values_blocks):
        new_largest = scores.amax(dim=-1, keepdim=True).clamp(min=largest)  # (queries, 1)
        # Where nothing was visible yet, both are -inf, and their difference would be nan.
        shift = new_largest.masked_fill(new_largest == -torch.inf, 0.0)
        rescale = torch.exp(largest - shift)
        weights = torch.exp(scores - shift)  # (queries, keys in a block)
        total = total * rescale + weights.sum(dim=-1, keepdim=True)  # (queries, 1)
        output = output * rescale + weights @ values  # (queries, d_v)
        largest = new_largest
    return output / total
    ### END SOLUTION


# %% check="online-softmax" points=4
check("online-softmax")

# %% [markdown] id="tiles-intro"
# ## 3 · Attention in tiles
#
# Now cut the queries into blocks as well. The matrix of scores becomes a grid of **tiles**. For each block of
# queries, go through the blocks of keys, and keep $m$, $l$ and $o$ for these few queries only. You compute a tile,
# use it and throw it away. With a causal mask, the tiles to the right of the diagonal contain only the future, so you
# can skip them.
#
# ### Try it
#
# Step through the tiles with the arrow keys. Watch $m$, $l$ and $o$ of the current queries, and how many numbers are
# in memory. **Predict first:** with tiles of 2 and the future skipped, how many of the nine tiles are visited? And
# with tiles of 1, how many of the 36?

# %% id="tiles-explorer" tags=["figure"]
tokens = ["Your", "journey", "starts", "with", "one", "step"]
explore_tiles(q[0, 0, :6, :2], k[0, 0, :6, :2], v[0, 0, :6, :2], tokens)


# %% id="tiles-counted"
def tiles_visited(num_tokens, tile):
    """How many tiles are left when the future is skipped."""
    return sum(start // tile + 1 for start in range(0, num_tokens, tile))


print("tiles of 2:", tiles_visited(6, 2), "of 9, tiles of 1:", tiles_visited(6, 1), "of 36")

# %% [markdown] id="journey-intro"
# ### One number's journey
#
# Here is one query, with tiles of two keys: each tile arrives, is used, and is gone. Watch what remains of it. Press <kbd>Space</kbd> on the picture for the next stop, or use the arrow keys.

# %% id="journey" tags=["figure"]
explore_journey(q[0, 0, :6, :2], k[0, 0, :6, :2], v[0, 0, :6, :2], tokens, query=3, tile=2)

# %% [markdown] id="tiled-attention-task"
# ### Task 6 · Tiled attention
#
# *20 minutes · two loops · task id* `tiled-attention`
#
# Write `tiled_attention(q, k, v, tile, causal)`. `tile` is the number of queries, and of keys, in a tile. The check
# looks at every tensor operation in your code: no tensor may be much larger than `q` or than a tile of scores, and
# tiles that are completely in the future must not be multiplied. The length need not be a multiple of the tile: it
# can be shorter than the tile, 1 or 0. Scores of several hundred must work. Stay in torch: what NumPy computes cannot
# be measured. `F.scaled_dot_product_attention` would do all of this, but with it, you would lose four of the six
# points.


# %% answer="tiled-attention"
def tiled_attention(q, k, v, tile, causal):
    """Attention that holds one tile of scores at a time.

    Shapes:
        q, k, v: (b, heads, tokens, head_dim)
        returns: (b, heads, tokens, head_dim)
    """
    ### BEGIN SOLUTION
    num_tokens = q.shape[2]
    context = torch.empty_like(v)
    places = torch.arange(num_tokens, device=q.device)
    for start in range(0, num_tokens, tile):
        rows = slice(start, start + tile)
        largest, total, output = -torch.inf, 0.0, 0.0
        for first in range(0, start + 1 if causal else num_tokens, tile):
            columns = slice(first, first + tile)
            scores = (
                q[:, :, rows] @ k[:, :, columns].transpose(2, 3) / q.shape[-1] ** 0.5
            )  # (b, heads, tile, tile)
            if causal:
                future = places[columns] > places[rows, None]  # (tile, tile)
                scores = scores.masked_fill(future, -torch.inf)
            new_largest = scores.amax(dim=-1, keepdim=True).clamp(min=largest)  # (b, heads, tile, 1)
            rescale = torch.exp(largest - new_largest)
            weights = torch.exp(scores - new_largest)
            total = total * rescale + weights.sum(dim=-1, keepdim=True)  # (b, heads, tile, 1)
            output = output * rescale + weights @ v[:, :, columns]  # (b, heads, tile, head_dim)
            largest = new_largest
        context[:, :, rows] = output / total
    return context
    ### END SOLUTION


# %% check="tiled-attention" points=6
check("tiled-attention")

# %% id="tiled-attention-shown"
# needs tiled_attention
for causal in (False, True):
    tiled = tiled_attention(q, k, v, 16, causal)
    print(f"causal={causal}: equal to plain attention: {agree(tiled, plain_attention(q, k, v, causal))}")

# %% [markdown] id="backward-intro"
# **A good place to stop for the day.** The second half uses your tiles again, in task 8.
#
# ## 4 · The backward pass, by hand
#
# Training needs gradients, and autograd stores every tensor that the backward pass might need. That brings back the
# whole matrix, so FlashAttention has its own backward pass. Start with the whole matrix anyway. Let $P =
# \mathrm{softmax}(S)$, $O = PV$, and let $dO$ be the incoming gradient. Then
#
# $$dV = P^\top dO, \quad dP = dO\,V^\top, \quad dS = P \circ (dP - D), \quad dQ = dS\,K / \sqrt{d}, \quad dK = dS^\top Q / \sqrt{d}$$
#
# $D$ is one number for each row. The weights of a row always sum to 1, so their changes must sum to 0, and
# subtracting $D$ makes sure of that. By definition $D$ is $\mathrm{rowsum}(P \circ dP)$, a sum over a row of the
# matrix, but tiled code never has a whole row. Substitute the definition of $dP$ and swap the two sums. For row $i$,
# key $j$ and component $c$ of a value:
#
# $$D_i = \sum_j P_{ij}\,dP_{ij} = \sum_j P_{ij} \sum_c dO_{ic} V_{jc} = \sum_c dO_{ic} \sum_j P_{ij} V_{jc} = \sum_c dO_{ic}\,O_{ic}$$
#
# So $D = \mathrm{rowsum}(dO \circ O)$: a sum over head_dim numbers, and you already have the result $O$.
#
# ### Task 7 · The gradients of attention
#
# *11 minutes · about ten lines · task id* `attention-backward`
#
# Write `attention_backward(q, k, v, out_gradient, causal)`. It returns the gradients of q, k and v. Scores of several
# hundred must work. By hand means without autograd: `torch.autograd.grad` or `.backward()` costs all three points.


# %% answer="attention-backward"
def attention_backward(q, k, v, out_gradient, causal):
    """The gradients of q, k and v, where `out_gradient` is that of the result.

    Shapes:
        q, k, v, out_gradient: (b, heads, tokens, head_dim)
        returns: three tensors (b, heads, tokens, head_dim)
    """
    ### BEGIN SOLUTION
    scale = q.shape[-1] ** -0.5
    scores = q @ k.transpose(2, 3) * scale  # (b, heads, tokens, tokens)
    if causal:
        future = torch.ones(scores.shape[2:], dtype=torch.bool, device=q.device).triu(diagonal=1)
        scores = scores.masked_fill(future, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    row_sums = (out_gradient * (weights @ v)).sum(dim=-1, keepdim=True)  # (b, heads, tokens, 1)
    weights_gradient = out_gradient @ v.transpose(2, 3)  # (b, heads, tokens, tokens)
    scores_gradient = weights * (weights_gradient - row_sums)
    q_gradient = scores_gradient @ k * scale
    k_gradient = scores_gradient.transpose(2, 3) @ q * scale
    v_gradient = weights.transpose(2, 3) @ out_gradient
    return q_gradient, k_gradient, v_gradient
    ### END SOLUTION


# %% check="attention-backward" points=3
check("attention-backward")

# %% id="attention-backward-shown"
# needs attention_backward
by_hand = attention_backward(q, k, v, torch.ones_like(v), True)
leaves = [one.clone().requires_grad_() for one in (q, k, v)]
by_autograd = torch.autograd.grad(plain_attention(*leaves, True).sum(), leaves)
print("equal to autograd:", [agree(one, other) for one, other in zip(by_hand, by_autograd)])

# %% [markdown] id="recompute-intro"
# Now do it without the matrix. The forward pass saves two things: the result, and for each row the logarithm of its
# sum of exponentials, $L = m + \ln l$. From these, you can recompute any tile of weights when the backward pass needs
# it: $P = e^{S - L}$. This is **recomputation**: more arithmetic, far less memory. The loop over the tiles is given
# this time.


# %% id="tile-helpers"
def visited_tiles(num_tokens, tile, causal):
    """The rows and columns of each tile in which anything is visible, as slices."""
    for start in range(0, num_tokens, tile):
        for first in range(0, start + 1 if causal else num_tokens, tile):
            yield slice(start, start + tile), slice(first, first + tile)


def tile_scores(q, k, rows, columns, causal):
    """The scores of one tile, with the future at -inf: (b, heads, tile, tile)."""
    scores = q[:, :, rows] @ k[:, :, columns].transpose(2, 3) / q.shape[-1] ** 0.5
    places = torch.arange(q.shape[2], device=q.device)
    return scores.masked_fill(places[columns] > places[rows, None], -torch.inf) if causal else scores


def tiled_logsumexp(q, k, tile, causal):
    """The logarithm of each row's sum of exponentials: (b, heads, tokens, 1)."""
    found = q.new_full((*q.shape[:3], 1), -torch.inf)
    for rows, columns in visited_tiles(q.shape[2], tile, causal):
        own = torch.logsumexp(tile_scores(q, k, rows, columns, causal), dim=-1, keepdim=True)
        found[:, :, rows] = torch.logaddexp(found[:, :, rows], own)
    return found


# %% [markdown] id="tiled-function-task"
# A `torch.autograd.Function` pairs a forward pass with a backward pass that you write yourself. `forward` gets a
# context `ctx` in which it can save things; autograd does not record its operations. `backward` gets the gradient of
# the result and returns one gradient for each argument of `forward`, None for those that have none. You call it as
# `TiledAttention.apply(q, k, v, tile, causal)`.
#
# ### Task 8 · The backward pass in tiles
#
# *16 minutes · a loop · task id* `tiled-function`
#
# `forward` is given. Write `backward`: for each visited tile, compute its weights again with `tile_scores` and the
# saved `logsumexp`, and add its share to the three gradients. Again, the check looks at every tensor that you make,
# and at how much memory is in use at once. Stay in torch. `F.scaled_dot_product_attention` or `torch.autograd.grad`
# costs five of the six points.


# %% answer="tiled-function"
class TiledAttention(torch.autograd.Function):
    """Tiled attention whose backward pass recomputes the weights, tile by tile."""

    @staticmethod
    def forward(ctx, q, k, v, tile, causal):
        context = tiled_attention(q, k, v, tile, causal)  # (b, heads, tokens, head_dim)
        ctx.save_for_backward(q, k, v, context, tiled_logsumexp(q, k, tile, causal))
        ctx.tile, ctx.causal = tile, causal
        return context

    @staticmethod
    def backward(ctx, out_gradient):
        ### BEGIN SOLUTION
        q, k, v, context, logsumexp = ctx.saved_tensors
        scale = q.shape[-1] ** -0.5
        q_gradient, k_gradient, v_gradient = (torch.zeros_like(one) for one in (q, k, v))
        row_sums = (out_gradient * context).sum(dim=-1, keepdim=True)  # (b, heads, tokens, 1)
        for rows, columns in visited_tiles(q.shape[2], ctx.tile, ctx.causal):
            arriving = out_gradient[:, :, rows]  # (b, heads, tile, head_dim)
            weights = torch.exp(tile_scores(q, k, rows, columns, ctx.causal) - logsumexp[:, :, rows])
            weights_gradient = arriving @ v[:, :, columns].transpose(2, 3)  # (b, heads, tile, tile)
            scores_gradient = weights * (weights_gradient - row_sums[:, :, rows])
            q_gradient[:, :, rows] += scores_gradient @ k[:, :, columns] * scale
            k_gradient[:, :, columns] += scores_gradient.transpose(2, 3) @ q[:, :, rows] * scale
            v_gradient[:, :, columns] += weights.transpose(2, 3) @ arriving
        return q_gradient, k_gradient, v_gradient, None, None
        ### END SOLUTION


# %% check="tiled-function" points=6
check("tiled-function")

# %% [markdown] id="gradcheck-intro"
# The final test of a gradient is its definition: change one input number slightly and see how the result changes.
# `torch.autograd.gradcheck` does that for every number, in float64.

# %% id="gradcheck-shown" tags=["shown"]
# needs tiled_attention, TiledAttention
small = [one[:1, :1, :7, :3].double().requires_grad_() for one in (q, k, v)]  # each (1, 1, 7, 3)
print("gradcheck:", torch.autograd.gradcheck(TiledAttention.apply, (*small, 4, True)))

# %% [markdown] id="sdpa-intro"
# ## 5 · What PyTorch gives you, and its five traps
#
# `F.scaled_dot_product_attention(q, k, v)`, SDPA for short, does everything from sections 2 to 4 in one compiled
# call. That is what **fused** means: scores, softmax and the product with the values happen in one pass over the
# tiles, and the matrix never reaches main memory. Use it, but be careful: not all of its arguments mean what you are
# used to.

# %% id="sdpa-shown"
print(
    "SDPA equals plain attention:",
    agree(F.scaled_dot_product_attention(q, k, v), plain_attention(q, k, v, False)),
)

# %% [markdown] id="alignment-intro"
# While a model generates text, the query comes from one new token and the keys from all tokens so far. What does
# `is_causal=True` hide then? The next cell shows the weights by passing the identity matrix as values.
#
# **Predict, then run.** Which keys does the very last token, "step", see?

# %% id="alignment-prediction"
predict("is-causal-aligned", "“step” sees …", ("all six tokens", "the first two tokens", "only itself"))

# %% id="alignment-shown" tags=["figure"]
seen = F.scaled_dot_product_attention(
    torch.zeros(2, 6), torch.zeros(6, 6), torch.eye(6), is_causal=True
)  # (2, 6)
attention_map(seen, tokens, ["one", "step"], title="is_causal with two queries and six keys")

# %% id="alignment-revealed"
reveal("is-causal-aligned", (6, 2, 1).index(int((seen[1] > 0).sum())))

# %% [markdown] id="sdpa-traps-task"
# ### Task 9 · Find the bugs: five calls
#
# *12 minutes · one change in each function · task id* `sdpa-traps`
#
# `Attend` has five functions that call SDPA. The docstring of each says what it should do. Each is wrong in one
# place, but none raises an error. The cell below shows the five symptoms. Correct all five.
#
# In each, keep the call of `F.scaled_dot_product_attention`.
# `help(F.scaled_dot_product_attention)` explains each argument. `to_cache` must work for any number of queries up to
# the number of keys.


# %% answer="sdpa-traps"
### BEGIN SOLUTION
class Attend:
    """Five functions that call SDPA. In each, q, k, v and the result are (b, heads, tokens, head_dim)."""

    @staticmethod
    def padded(q, k, v, hidden):
        """Attention that leaves out hidden keys: hidden is (b, 1, 1, tokens), True at padding."""
        return F.scaled_dot_product_attention(q, k, v, attn_mask=~hidden)

    @staticmethod
    def triangle(q, k, v):
        """Causal attention with a mask of its own."""
        num_tokens = q.shape[2]
        visible = torch.ones(num_tokens, num_tokens, device=q.device).tril().bool()  # (tokens, tokens)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=visible)

    @staticmethod
    def to_cache(q, k, v):
        """Causal attention of the last tokens, q (b, heads, new, head_dim), to all tokens so far."""
        new, total = q.shape[2], k.shape[2]
        allowed = torch.ones(new, total, dtype=torch.bool, device=q.device).tril(diagonal=total - new)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)

    @staticmethod
    def dropped(q, k, v, p, training):
        """Attention that drops weights with probability p while training."""
        return F.scaled_dot_product_attention(q, k, v, dropout_p=p if training else 0.0)

    @staticmethod
    def scaled(q, k, v):
        """Attention that names its scale, 1/√head_dim."""
        return F.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** -0.5)


### END SOLUTION
### BEGIN FAULTY
# class Attend:
#     """Five functions that call SDPA. In each, q, k, v and the result are (b, heads, tokens, head_dim)."""
#
#     @staticmethod
#     def padded(q, k, v, hidden):
#         """Attention that leaves out hidden keys: hidden is (b, 1, 1, tokens), True at padding."""
#         return F.scaled_dot_product_attention(q, k, v, attn_mask=hidden)
#
#     @staticmethod
#     def triangle(q, k, v):
#         """Causal attention with a mask of its own."""
#         num_tokens = q.shape[2]
#         visible = torch.ones(num_tokens, num_tokens, device=q.device).tril()  # (tokens, tokens)
#         return F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
#
#     @staticmethod
#     def to_cache(q, k, v):
#         """Causal attention of the last tokens, q (b, heads, new, head_dim), to all tokens so far."""
#         return F.scaled_dot_product_attention(q, k, v, is_causal=True)
#
#     @staticmethod
#     def dropped(q, k, v, p, training):
#         """Attention that drops weights with probability p while training."""
#         return F.scaled_dot_product_attention(q, k, v, dropout_p=p)
#
#     @staticmethod
#     def scaled(q, k, v):
#         """Attention that names its scale, 1/√head_dim."""
#         return F.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** 0.5)
### END FAULTY

# %% id="sdpa-traps-symptoms"
padding = torch.zeros(2, 1, 1, 50, dtype=torch.bool)  # (b, 1, 1, tokens)
padding[:, :, :, 40:] = True
other = v.masked_fill(padding.transpose(2, 3), 100.0)  # (b, heads, tokens, head_dim)
last_row = plain_attention(q, k, v, True)[:, :, -1:]  # (b, heads, 1, head_dim)
torch.manual_seed(123)
twice = [Attend.dropped(q, k, v, 0.5, training=False) for _ in range(2)]
print(
    "padded:   padding has no influence:      ",
    agree(Attend.padded(q, k, other, padding), Attend.padded(q, k, v, padding)),
)
print(
    "triangle: equal to causal attention:     ",
    agree(Attend.triangle(q, k, v), plain_attention(q, k, v, True)),
)
print("to_cache: the last row of it:            ", agree(Attend.to_cache(q[:, :, -1:], k, v), last_row))
print("dropped:  two calls in eval mode agree:  ", agree(*twice))
print(
    "scaled:   equal to plain attention:      ",
    agree(Attend.scaled(q, k, v), plain_attention(q, k, v, False)),
)

# %% check="sdpa-traps" points=6
check("sdpa-traps")

# %% [markdown] id="sdpa-traps-read"
# <details><summary>The five traps</summary>
#
# - In lessons 03 to 05, True in a mask meant *hidden*. For `attn_mask`, True means **visible**. (In
#   `nn.MultiheadAttention`, in the same library, it means hidden.)
# - A Boolean mask hides keys, but a mask of **numbers** is added to the scores, so ones and zeros hide nothing.
# - The triangle of `is_causal` starts in the **top left** corner: the first query sees only the first key. With a
#   cache, a new token then sees nothing but the first word. PyTorch offers the other triangle as
#   `causal_lower_right`, which you pass as `attn_mask`.
# - `nn.Dropout` knows whether its module is training. A function does not: `dropout_p` drops weights on **every**
#   call.
# - You divide scores by √head_dim, but `scale` **multiplies** them. (It exists for models that use another factor:
#   [T5](https://arxiv.org/abs/1910.10683) does not scale at all.)
#
# </details>

# %% [markdown] id="kernels-intro"
# **Which kernel ran?** SDPA chooses one of several implementations, depending on device, dtype, mask and shapes, and
# does not tell you which. `sdpa_kernel` allows only the ones you name: if none of them fits, the call raises an
# error. Use it to make sure that a mask or a dtype has not cost you the fast kernel.


# %% id="kernels-shown"
def kernel_answers(kernel, **options):
    """Whether a kernel can do this call, and whether it agrees with plain attention."""
    try:
        with sdpa_kernel(kernel), warnings.catch_warnings(action="ignore"):
            return agree(F.scaled_dot_product_attention(q, k, v, **options), plain_attention(q, k, v, False))
    except RuntimeError:
        return "not for this call"


print("math:                         ", kernel_answers(SDPBackend.MATH))
print("flash:                        ", kernel_answers(SDPBackend.FLASH_ATTENTION))
print("flash, with dropout:          ", kernel_answers(SDPBackend.FLASH_ATTENTION, dropout_p=0.1))
print(
    "cuDNN, which needs a GPU:     ",
    kernel_answers(SDPBackend.CUDNN_ATTENTION) if q.device.type == "cpu" else "",
)

# %% [markdown] id="cache-intro"
# ## 6 · The KV cache
#
# A model writes one token at a time. Each new token needs the keys and values of all tokens before it, and the causal
# mask guarantees that those never change. So keep them. A **KV cache** reserves memory once for the longest text, and
# each step fills in one more position. The new query meets all keys so far, as in task 9.
#
# ### Task 10 · A cache for keys and values
#
# *10 minutes · a few lines · task id* `kv-cache`
#
# Write `append`. It stores new keys and values after those already there, counts them in `num_tokens`, and returns
# the keys and the values of **all** tokens so far. It takes any number of new tokens, several at once for a prompt.
# If they do not fit, raise a ValueError, and leave everything as it was.


# %% answer="kv-cache"
class KVCache:
    """The keys and values of all tokens so far, in memory that is reserved once."""

    def __init__(self, batch_size, num_heads, max_tokens, head_dim, dtype=torch.float32, device=None):
        self.num_tokens = 0
        self.keys = torch.zeros(batch_size, num_heads, max_tokens, head_dim, dtype=dtype, device=device)
        self.values = torch.zeros_like(self.keys)

    def append(self, keys, values):
        """Store the keys and values of new tokens, and return those of all tokens so far.

        Shapes:
            keys, values: (b, heads, new tokens, head_dim)
            returns: two tensors (b, heads, num_tokens, head_dim)

        Raises:
            ValueError: there is no room; nothing is stored then.
        """
        ### BEGIN SOLUTION
        end = self.num_tokens + keys.shape[2]
        if end > self.keys.shape[2]:
            raise ValueError(f"{end} tokens do not fit: the cache has room for {self.keys.shape[2]}")
        self.keys[:, :, self.num_tokens : end] = keys
        self.values[:, :, self.num_tokens : end] = values
        self.num_tokens = end
        return self.keys[:, :, :end], self.values[:, :, :end]  # each (b, heads, num_tokens, head_dim)
        ### END SOLUTION


# %% check="kv-cache" points=4
check("kv-cache")

# %% [markdown] id="cache-used-intro"
# Step by step must give the same result as all at once. `step` is lesson 05's class for new tokens only, with your
# cache and your `Attend.to_cache`.
#
# **Positions keep counting.** With rotary positions (lesson 07), each query and key is rotated by its own position in
# the text before it is stored: `apply_rope(keys, torch.arange(cache.num_tokens, cache.num_tokens + new))`. If you
# start from 0 in every step, every new token gets position 0.


# %% id="cache-used"
# needs KVCache
def step(attention, x_new, cache):
    """The outputs of new tokens, (b, new tokens, d_in) -> (b, new tokens, d_out), with a cache of the earlier ones."""
    layers = (attention.W_query, attention.W_key, attention.W_value)
    q, k, v = (
        split_heads(layer(x_new), attention.num_heads) for layer in layers
    )  # each (b, heads, new, head_dim)
    return attention.out_proj(merge_heads(Attend.to_cache(q, *cache.append(k, v))))


with torch.no_grad():
    cache = KVCache(2, 4, 50, 16)
    # A prompt of 20 tokens at once, then one token at a time.
    pieces = [step(attention, piece, cache) for piece in x.split([20] + 30 * [1], dim=1)]
    print("step by step equals all at once:", agree(torch.cat(pieces, dim=1), attention(x)))

# %% [markdown] id="cached-text-intro"
# **The same text.** The model from lesson 10 writes a text twice: once recomputing all keys and values for each
# character, and once taking them from your cache. Its projection is fused, as in task 1, and its learned positions
# keep counting.


# %% id="cached-text" tags=["shown"]
# needs KVCache
@torch.no_grad()
def written(model, text, count, with_cache):
    """A text, and the likeliest characters that the model adds to it one by one."""
    ids = new = encode(text)[None]  # (1, tokens)
    caches = [KVCache(1, NUM_HEADS, ids.shape[1] + count, 24) for _ in model.h]
    for _ in range(count):
        x = model.wte(new) + model.wpe.weight[ids.shape[1] - new.shape[1] : ids.shape[1]]  # (1, new, d_model)
        for layer, cache in zip(model.h, caches):
            q, k, v = (
                split_heads(part, NUM_HEADS) for part in layer.attn.c_attn(layer.ln_1(x)).chunk(3, dim=-1)
            )  # each (1, heads, new, head_dim)
            if with_cache:
                k, v = cache.append(k, v)  # each (1, heads, tokens, head_dim)
            x = x + layer.attn.c_proj(merge_heads(Attend.to_cache(q, k, v)))
            x = x + layer.mlp(layer.ln_2(x))
        likeliest = (model.ln_f(x[:, -1]) @ model.wte.weight.T).argmax(dim=-1, keepdim=True)  # (1, 1)
        ids = torch.cat((ids, likeliest), dim=1)  # (1, tokens + 1)
        new = likeliest if with_cache else ids
    return decode(ids[0])


texts = [written(trained(), "A list is a mutable ", 60, with_cache) for with_cache in (False, True)]
print(texts[0].replace("\n", "⏎"))
print("the same text with the cache:", texts[0] == texts[1])

# %% [markdown] id="cache-time-intro"
# **Predict, then run.** Without a cache, one more token costs a pass over the whole text; with a cache, it costs one
# query. How do the two grow with the length?


# %% id="cache-time" tags=["figure", "measured"]
# needs step
def step_times(lengths, d=256):
    """The time of one more token, with and without a cache, for texts of several lengths."""
    attention, found = (
        MultiHeadAttention(d, d, 0, 0.0, num_heads=4),
        {"without a cache": {}, "with a cache": {}},
    )
    for n in lengths:
        text, cache = torch.randn(1, n, d), KVCache(1, 4, n + 99, d // 4)
        cache.append(*torch.randn(2, 1, 4, n, d // 4))
        found["without a cache"][n] = measured(attention, text)
        found["with a cache"][n] = measured(step, attention, text[:, -1:], cache)
    return found


cost_curves(step_times((64, 128, 256, 512, 1024)), title="One more token")

# %% [markdown] id="cache-time-read"
# Without a cache, a step computes the scores of all pairs of tokens, and their number grows with the square of the
# length. With a cache, a step computes one row of scores, which grows with the length, and the layers project one
# token instead of all of them.

# %% [markdown] id="gqa-intro"
# ## 7 · Grouped queries
#
# Now the cache is the bottleneck: every step reads all of it, and it grows with every token. Its size is
#
# 2 (keys and values) · layers · heads · head_dim · tokens · bytes per number.
#
# You can shrink any of these factors. Fewer layers or a smaller head_dim make a different model, fewer tokens mean a
# shorter text, and fewer bytes make the numbers coarser. Only one factor changes nothing but attention: the number of
# heads **of keys and values**. In grouped-query attention (GQA), several query heads share one head of keys and
# values. With as many groups as heads, you get the attention you know (MHA); with one group for all heads, you get
# multi-query attention (MQA).
#
# **Predict, then run.** Llama 2 70B has 80 layers with 8 groups, and Llama 2 7B has 32 layers with 32 groups. Both
# have a head_dim of 128.

# %% id="cache-bytes-prediction"
predict(
    "larger-cache",
    "Whose cache takes more bytes for each token?",
    ("that of 70B", "that of 7B", "both the same"),
)


# %% id="cache-bytes-given"
def cache_bytes(num_layers, num_kv_groups, head_dim, num_tokens, bytes_per_number=2):
    """The bytes of a KV cache for one text, as a whole number."""
    return 2 * num_layers * num_kv_groups * head_dim * num_tokens * bytes_per_number


# %% id="cache-bytes-shown"
published = {  # layers, heads of queries, groups of keys and values, head_dim
    "GPT-2 small": (12, 12, 12, 64),
    "Llama 2 7B": (32, 32, 32, 128),
    "Llama 2 70B": (80, 64, 8, 128),
    "Llama 3 8B": (32, 32, 8, 128),
    "Mistral 7B": (32, 32, 8, 128),
    "Falcon 7B": (32, 71, 1, 64),
}
for name, (layers, heads, groups, head_dim) in published.items():
    for_a_token = cache_bytes(layers, groups, head_dim, 1) / 1024
    for_8192 = cache_bytes(layers, groups, head_dim, 8192) / 2**30
    print(
        f"{name:12} {groups:2} of {heads:2} heads   {for_a_token:6.0f} KiB a token   {for_8192:5.2f} GiB at 8192"
    )

# %% id="cache-bytes-revealed"
reveal("larger-cache", int(cache_bytes(32, 32, 128, 1) >= cache_bytes(80, 8, 128, 1)))

# %% [markdown] id="repeat-intro"
# Which query heads share? By convention, neighbours do: with 4 heads and 2 groups, heads 0 and 1 use group 0, and
# heads 2 and 3 use group 1. There are two ways to make 4 heads out of 2, and only one is right:

# %% id="repeat-shown"
groups = torch.tensor([0, 1])
print("repeat_interleave:", groups.repeat_interleave(2).tolist(), "  repeat:", groups.repeat(2).tolist())

# %% [markdown] id="grouped-query-attention-task"
# With `repeat`, the shapes fit and training works, but the weights of a published model produce nonsense.
# (`transformers` has a function of its own for the right order, `repeat_kv`.)
#
# ### Task 11 · Grouped-query attention
#
# *15 minutes · a class · task id* `grouped-query-attention`
#
# Finish `GroupedQueryAttention`, causal, with `W_query`, `W_key`, `W_value` and `out_proj`. Each group is as wide as
# a query head, so `W_key` and `W_value` get narrower. If `num_heads` does not divide `d_out`, or `num_kv_groups` does
# not divide `num_heads`, raise a ValueError. Apply dropout to the weights. Scores of any size must work. You may use
# SDPA. `context_length` is there only so that the class can replace the one from lesson 05; with `is_causal`, you
# need no mask of that size.


# %% answer="grouped-query-attention"
class GroupedQueryAttention(nn.Module):
    """Causal attention whose query heads share keys and values in groups.

    Shapes:
        x: (b, tokens, d_in)
        returns: (b, tokens, d_out)
    """

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, num_kv_groups, qkv_bias=False):
        super().__init__()
        ### BEGIN SOLUTION
        if d_out % num_heads != 0:
            raise ValueError(f"d_out ({d_out}) must be divisible by num_heads ({num_heads})")
        if num_heads % num_kv_groups != 0:
            raise ValueError(f"num_heads ({num_heads}) must be divisible by num_kv_groups ({num_kv_groups})")
        self.num_heads, self.num_kv_groups = num_heads, num_kv_groups
        self.dropout = dropout
        kv_width = num_kv_groups * (d_out // num_heads)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, kv_width, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, kv_width, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        queries = split_heads(self.W_query(x), self.num_heads)  # (b, heads, tokens, head_dim)
        keys = split_heads(self.W_key(x), self.num_kv_groups)  # (b, groups, tokens, head_dim)
        values = split_heads(self.W_value(x), self.num_kv_groups)  # (b, groups, tokens, head_dim)
        sharing = self.num_heads // self.num_kv_groups
        keys = keys.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
        values = values.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
        p = self.dropout if self.training else 0.0
        context = F.scaled_dot_product_attention(queries, keys, values, dropout_p=p, is_causal=True)
        return self.out_proj(merge_heads(context))  # (b, tokens, d_out)
        ### END SOLUTION


# %% check="grouped-query-attention" points=5
check("grouped-query-attention")

# %% [markdown] id="gqa-ends-intro"
# Check the two extremes. With as many groups as heads, the weights of lesson 05 fit and give the same result. With
# one group, every head meets the same keys, as if the rows of `W_key` were repeated for each head. `enable_gqa=True`
# lets SDPA do the sharing without copies.

# %% id="gqa-ends"
# needs GroupedQueryAttention
everyone = GroupedQueryAttention(64, 64, 50, 0.0, num_heads=4, num_kv_groups=4)
single = GroupedQueryAttention(64, 64, 50, 0.0, num_heads=4, num_kv_groups=1)
everyone.load_state_dict(attention.state_dict())
print("4 groups equal lesson 05:        ", agree(everyone(x), attention(x)))
state = single.state_dict()
for name in ("W_key.weight", "W_value.weight"):
    state[name] = state[name].repeat(4, 1)  # (head_dim, d_in) -> (d_out, d_in)
attention.load_state_dict(state)
print("1 group equals repeated weights: ", agree(single(x), attention(x)))
shared = F.scaled_dot_product_attention(
    q, k[:, ::2], v[:, ::2], enable_gqa=True
)  # 4 heads of queries, 2 of keys
pairs = [one[:, ::2].repeat_interleave(2, dim=1) for one in (k, v)]  # each (b, heads, tokens, head_dim)
print("enable_gqa equals interleaving:  ", agree(shared, plain_attention(q, *pairs, False)))

# %% [markdown] id="measured-intro"
# ## 8 · Measured
#
# All of these compute the same function. What does a forward pass without gradients cost on the machine that runs
# this cell? **Predict first:**

# %% id="costs-prediction"
predict(
    "slopes-of-memory",
    "Which of the three need four times the memory for twice the tokens?",
    ("lesson 05", "lesson 05 and your tiles", "all three"),
)


# %% id="costs-measured" tags=["figure", "measured"]
# needs tiled_attention
def all_costs(lengths, tile=128, heads=4, head_dim=32):
    """Seconds and bytes of three causal attentions, by name and length."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    ways = {
        "lesson 05": lambda q, k, v: plain_attention(q, k, v, True),
        "your tiles": lambda q, k, v: tiled_attention(q, k, v, tile, True),
        "SDPA": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    }
    found = {name: {} for name in ways}
    for n in lengths:
        inputs = torch.randn(3, 1, heads, n, head_dim, device=device)
        for name, way in ways.items():
            found[name][n] = measured(way, *inputs)
    return found


def squares(costs):
    """How many of them take more than three times the memory from 1024 tokens to 2048."""
    return sum(cost[2048].bytes > 3 * cost[1024].bytes for cost in costs.values())


cost_curves(costs := all_costs((128, 256, 512, 1024, 2048)), title="Causal attention, 4 heads of 32")


# %% id="costs-revealed" tags=["measured", "shown"]
# needs costs
reveal("slopes-of-memory", squares(costs) - 1)

# %% [markdown] id="measured-read"
# At 128 tokens there is only one tile, so your tiles do lesson 05's work and pay for the loop as well. Look for three
# things:
#
# - **Memory.** Lesson 05 has a slope of 2. Your tiles and SDPA have a slope of at most 1: they store the result,
#   which grows with the length, and a few tiles, which do not.
# - **Time.** All three multiply every query by every key, except for the tiles in the future, which two of them skip.
#   So twice the tokens need four times as many products. The slope that you *measure* need not be 2: it is smaller
#   where the fixed cost of a call dominates, and larger where a matrix no longer fits into fast memory or the machine
#   is busy.
# - **The crossover.** For short texts, your tiles are the slowest, because each turn of a Python loop costs a few
#   microseconds before anything is computed. The longer the text, the less that matters. SDPA runs the same loop in
#   compiled code and does not pay this price.
#
# These numbers are from one machine. `python3 start.py run python -m benchmarks.attention` prints yours.
#
# ### Why it helps to move less
#
# A GPU has a large memory, HBM, and small fast memories next to its arithmetic units, SRAM. The FlashAttention papers
# give these numbers for an A100:
#
# | | size | speed |
# | --- | --- | --- |
# | HBM | 40 to 80 GB | 1.5 to 2.0 TB/s |
# | SRAM | 192 KB in each of 108 units, 20 MB together | about 19 TB/s |
# | arithmetic in bfloat16 | | 312 TFLOP/s |
#
# Divide: 312 TFLOP/s by 2 TB/s is about 156 operations for each byte. A kernel that does fewer operations per byte it
# reads waits for memory. Plain attention writes the matrix to HBM and reads it back for softmax and again for the
# product, with a handful of operations per number, so it waits. Tiles stay in SRAM. That is why fused attention is
# faster, although it does not compute less.
#
# Generation is different. One query reads every key and value once and does about one operation per byte, so it
# always waits for memory. Three things help: grouped queries use each key several times, a smaller cache has fewer
# bytes, and **split-KV decoding** (Flash-Decoding) gives pieces of one long cache to different units, which would
# otherwise be idle, and joins their results.

# %% [markdown] id="join-pieces-task"
# ### Task 12 · Optional: Join the pieces of a cache
#
# *6 minutes · two lines · task id* `join-pieces`
#
# Each unit has attended to its own piece of the cache. It reports a context, divided by the sum of its own
# exponentials, and the logarithm of that sum. Write `join_pieces(contexts, logsumexps)`: the context over all pieces.
# A piece in which a query sees nothing reports zeros and a logsumexp of −∞, and must not count; at least one piece is
# always visible. A logsumexp near 1000 must work.


# %% answer="join-pieces"
def join_pieces(contexts, logsumexps):
    """The context over a whole cache, from those of its pieces.

    Shapes:
        contexts: (pieces, b, heads, queries, head_dim)
        logsumexps: (pieces, b, heads, queries)
        returns: (b, heads, queries, head_dim)
    """
    ### BEGIN SOLUTION
    shares = torch.softmax(logsumexps, dim=0)  # (pieces, b, heads, queries)
    return (shares[..., None] * contexts).sum(dim=0)  # (b, heads, queries, head_dim)
    ### END SOLUTION


# %% check="join-pieces" points=0
check("join-pieces")


# %% id="split-kv-shown"
# needs join_pieces
def attend_with_logsumexp(q, k, v):
    """Attention to one piece of a cache, and the logarithm of each row's sum of exponentials."""
    scores = q @ k.mT / q.shape[-1] ** 0.5  # (b, heads, queries, keys)
    return torch.softmax(scores, dim=-1) @ v, torch.logsumexp(scores, dim=-1)


last = q[:, :, -1:]  # (b, heads, 1, head_dim)
pieces = [attend_with_logsumexp(last, *piece) for piece in zip(k.split(13, dim=2), v.split(13, dim=2))]
joined = join_pieces(*(torch.stack(part) for part in zip(*pieces)))  # (b, heads, 1, head_dim)
print("four pieces equal the whole cache:", agree(joined, plain_attention(last, k, v, False)))

# %% [markdown] id="varlen-intro"
# Real batches mix texts of different lengths. Fast kernels do not pad them: they take one long row of tokens and a
# list that says where each text begins, usually called `cu_seqlens`, the *cumulative sequence lengths*. In PyTorch,
# `torch.nn.attention.varlen.varlen_attn` takes such a list, on a GPU. You can see what it means on any machine:

# %% id="varlen-shown"
text_lengths = torch.tensor([7, 25, 18])  # 50 tokens together
cu_seqlens = F.pad(text_lengths.cumsum(dim=0), (1, 0))  # (texts + 1,)
print("cu_seqlens:", cu_seqlens.tolist())
text_of = torch.repeat_interleave(torch.arange(3), text_lengths)  # (tokens,)
same_text = text_of[:, None] == text_of  # (tokens, tokens)
masked = F.scaled_dot_product_attention(q, k, v, attn_mask=same_text.tril())  # (b, heads, tokens, head_dim)
cuts = [slice(start, start + length) for start, length in zip(cu_seqlens, text_lengths)]
one_by_one = [plain_attention(q[:, :, cut], k[:, :, cut], v[:, :, cut], True) for cut in cuts]
print("each text on its own equals one masked row:", agree(torch.cat(one_by_one, dim=2), masked))

# %% [markdown] id="flash-history"
# ### FlashAttention, 1 to 4
#
# Your tiles are the idea of version 1. Each later version removed whatever was slowest on the next GPU. The function
# never changed, apart from rounding.
#
# | version | GPU | what was slow | what changed |
# | --- | --- | --- | --- |
# | 1 (2022) | A100 | reading and writing the matrix | tiles in SRAM, online softmax, weights computed again in the backward pass |
# | 2 (2023) | A100 | too few units busy, too much work besides matrix products | a unit takes a block of queries and loops over keys, as you do; long texts are spread over many units; $o$ is divided by $l$ once, at the end |
# | 3 (2024) | H100 | units waiting for each other | loading, multiplying and softmax run at the same time; optional 8-bit numbers; up to 75 % of the peak |
# | 4 (2026) | B200 | `exp`: matrix products became twice as fast, the units for exponentials did not | part of the exponentials computed as polynomials on ordinary units; $o$ is rescaled only when $m$ has grown enough to matter; up to 71 % of a much higher peak |

# %% [markdown] id="fused-words-task"
# ## In your own words
#
# A colleague says: "FlashAttention is faster because it is an approximation that computes less." Answer in three to
# six sentences. Say what is computed, what is not stored and what is computed twice, and support it with something
# that you measured. (3 points, read by a person.)

# %% [markdown] answer="why-fused-in-words" points=3
# ### BEGIN SOLUTION
# It is not an approximation: tiled attention equals the plain one up to rounding, which the checks and `gradcheck`
# showed. It multiplies every query with every visible key, as before; with a causal mask it skips the tiles of the
# future. What it never stores is the (tokens, tokens) matrix. It keeps a running maximum and sum for each query, and
# rescales its partial result when the maximum grows. In the backward pass, it even computes more: the weights are
# computed again from the saved logsumexp. It is faster because less has to be written to memory and read back. My own
# tiles had a slope of at most 1 in memory where lesson 05 had 2, but they were still slower for short texts, because
# the loop ran in Python.
#
# **Marking scheme**
#
# - 1 point: the result is the same (exact up to rounding), and nearly all products are computed.
# - 1 point: the matrix is never stored, and the backward pass computes the weights a second time.
# - 1 point: uses a measurement of the lesson, such as the slopes in memory or the slow loop for short texts.
# ### END SOLUTION

# %% [markdown] id="triton-intro"
# ## 9 · Optional: the same kernel in Triton
#
# This section is not graded. GPU kernels are written in languages such as Triton. Here, one program runs for each
# block of queries and contains the inner loop of task 6. Compare it with yours line by line. Triton is not part of
# this course's environment: it needs `pip install triton` and a restarted kernel. Without a GPU, it is interpreted
# (`TRITON_INTERPRET=1`), slowly and with the same results. The solution ran on a CPU.

# %% id="triton-kernel" tags=["needs-triton"]
import importlib.util
import os

has_triton = importlib.util.find_spec("triton") is not None
if has_triton:
    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"
    import triton
    import triton.language as tl

    @triton.jit
    def tiled_kernel(Q, K, V, OUT, num_tokens, scale, HEAD_DIM: tl.constexpr, TILE: tl.constexpr):
        head = tl.program_id(1) * num_tokens * HEAD_DIM  # where this head's numbers begin
        rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
        dims = tl.arange(0, HEAD_DIM)
        q_places = head + rows[:, None] * HEAD_DIM + dims[None, :]  # (tile, head_dim)
        q = tl.load(Q + q_places, mask=rows[:, None] < num_tokens, other=0.0)
        largest = tl.full((TILE,), float("-inf"), tl.float32)
        total = tl.zeros((TILE,), tl.float32)
        output = tl.zeros((TILE, HEAD_DIM), tl.float32)
        for first in range(0, (tl.program_id(0) + 1) * TILE, TILE):  # the future is skipped
            columns = first + tl.arange(0, TILE)
            k_places = head + columns[:, None] * HEAD_DIM + dims[None, :]  # (tile, head_dim)
            k = tl.load(K + k_places, mask=columns[:, None] < num_tokens, other=0.0)
            v = tl.load(V + k_places, mask=columns[:, None] < num_tokens, other=0.0)
            scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # (tile, tile)
            scores = tl.where(columns[None, :] <= rows[:, None], scores, float("-inf"))
            new_largest = tl.maximum(largest, tl.max(scores, axis=1))
            rescale = tl.exp(largest - new_largest)
            weights = tl.exp(scores - new_largest[:, None])
            total = total * rescale + tl.sum(weights, axis=1)
            output = output * rescale[:, None] + tl.dot(weights, v, input_precision="ieee")
            largest = new_largest
        tl.store(OUT + q_places, output / total[:, None], mask=rows[:, None] < num_tokens)

    device = "cuda" if torch.cuda.is_available() else "cpu"
    ours = [one.contiguous().to(device) for one in (q, k, v)]  # each (b, heads, tokens, head_dim)
    triton_context = torch.empty_like(ours[0])
    b, heads, num_tokens, head_dim = q.shape
    grid = (triton.cdiv(num_tokens, 16), b * heads)
    tiled_kernel[grid](*ours, triton_context, num_tokens, head_dim**-0.5, head_dim, 16)
    difference = float((triton_context.cpu() - plain_attention(q, k, v, True)).abs().max())
    print(
        f"Triton {triton.__version__} equals plain attention: {difference < 1e-5}, largest difference {difference:.0e}"
    )
else:
    print("Triton is not installed: `pip install triton`, start the kernel again, and run this cell.")

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape | what it is for |
# | --- | --- | --- | --- |
# | fused projection | `fused(x).chunk(3, dim=-1)` | three times (b, tokens, d_out) | one product instead of three |
# | online softmax | `total * rescale + weights.sum(…)` | (queries, 1) | m, l and o for each query |
# | tile | `q[:, :, rows] @ k[:, :, columns].mT` | (b, heads, tile, tile) | one tile at a time |
# | backward pass | `exp(scores - logsumexp)` | (b, heads, tile, tile) | computed again, not stored |
# | cached step | `tril(diagonal=total - new)` | (new, tokens) | the mask of the last rows |
# | cache | `append(keys, values)` | (b, heads, num_tokens, head_dim) | keys and values, nothing else |
# | shared keys | `repeat_interleave(sharing, dim=1)` | (b, heads, tokens, head_dim) | neighbours share a group |
#
# - The same function in a different order: equality first, then speed.
# - Rescale the sum *and* the output when the maximum grows. Guard −∞ − (−∞).
# - SDPA: True is visible, numbers are added, the triangle starts at the top left, dropout never stops, scale
#   multiplies.
# - Memory falls from tokens² to tokens. The arithmetic does not.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each question in your head before you open it.
#
# <details><summary>1. A row's scores arrive in descending order. How often is something rescaled by a factor below 1?</summary>
#
# Never after the first one: the maximum does not change again, so every factor is e⁰ = 1.
#
# </details>
#
# <details><summary>2. You have 1000 tokens, tiles of 100, and a causal mask. How many tiles are visited?</summary>
#
# 10 · 11 / 2 = 55 of 100. The more tiles there are, the closer the share gets to one half.
#
# </details>
#
# <details><summary>3. Why do you save the logsumexp and not m and l?</summary>
#
# One number for each row is enough: P = exp(S − m) / l = exp(S − (m + ln l)).
#
# </details>
#
# <details><summary>4. Why does a cache of keys and values help, but not one of queries?</summary>
#
# Later tokens meet the keys and values of earlier ones. The query of an earlier token is used only for that token's
# own output, and never again.
#
# </details>
#
# <details><summary>5. In prefill, a prompt of 500 tokens is processed at once. Can you use <code>is_causal=True</code>?</summary>
#
# Yes, while the cache is empty: there are as many queries as keys, so the top left corner is the right one. Once
# there are 20 tokens in the cache, no.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Online Normalizer Calculation for Softmax**, Milakov and Gimelshein, 2018. The running maximum and the running
#   sum.
# - **FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness**, Dao and others, 2022. The tiles,
#   the backward pass, and the numbers for HBM and SRAM.
# - **FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning**, Dao, 2023. One saved number
#   for each row, and a better division of the work.
# - **FlashAttention-3: Fast and Accurate Attention with Asynchrony and Low-precision**, Shah and others, 2024.
#   Overlap of loading, multiplying and softmax on Hopper.
# - **FlashAttention-4: Algorithm and Kernel Pipelining Co-Design for Asymmetric Hardware Scaling**, Zadouri and
#   others, 2026. Where the exponential becomes the limit.
# - **Flash-Decoding for Long-Context Inference**, Dao, Haziza, Massa and Sizov, 2023. Split-KV decoding.
# - **Fast Transformer Decoding: One Write-Head is All You Need**, Shazeer, 2019. Multi-query attention, and what the
#   cache costs.
# - **GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints**, Ainslie and
#   others, 2023. Grouped queries, between the two extremes.
# - **The Llama 3 Herd of Models**, Grattafiori and others, 2024. Section 3.2: 8 groups in every size.
# - **The Falcon Series of Open Language Models**, Almazrouei and others, 2023. 71 heads that share one group in the
#   7B model.

# %% id="progress"
progress("11-fast-attention")
