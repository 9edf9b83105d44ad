# %% [markdown] id="title"
# # 13 · Attention in 2026
#
# Llama 2 with 7 billion parameters, from 2023, keeps 524,288 bytes of keys and values for every token it has read.
# For 131,072 tokens, that would be 69 GB, five times its weights. The newer models in this lesson would keep a
# seventh of that or less. **What did they change in attention, and what does each change cost?** You will write each
# change, prove that it equals the published one, and choose between them by your own numbers.
#
# **When you are done you can**
#
# - write sliding windows, their cache and learned sinks, and say how far information travels;
# - write latent attention, share one projection between keys and values, and let an indexer choose what a query
#   reads;
# - rotate only part of each head, stretch rotary positions to longer texts, and say when that fails;
# - keep scores from growing, and write attention with a fixed-size memory that fades;
# - read a model's attention from its `config.json`, and say what its cache takes.
#
# **Time:** about 150 minutes, an estimate, without the optional parts; best on two days. **Before you start:** `causal_mask` (lesson 03),
# `apply_rope` (lesson 07), the cache and grouped queries (lesson 11), `RMSNorm` and Llama's attention (lesson 12).
# The end of section 4 is a good place to stop for the day.
#
# | you will write | found in |
# | --- | --- |
# | windows | gpt-oss, Gemma 4, DeepSeek-V4 |
# | learned sinks | gpt-oss, DeepSeek-V4 |
# | latent attention, an indexer | DeepSeek-V3.2, GLM-5, Mistral Large 4 |
# | one projection for keys and values | Gemma 4, DeepSeek-V4 |
# | keys and values shared between layers (optional) | Gemma 3n, Gemma 4, Mistral Large 4 |
# | compressed keys (optional) | DeepSeek-V4 |
# | partial rotation, layers without positions | Qwen3.5 and 3.6, SmolLM3, Mistral Large 4 |
# | QK-norm, gates, a fading delta rule | Qwen3-Next, Qwen3.5 and 3.6 |
#
# The results of the `transformers` library come with this course as numbers (`python -m benchmarks.published`).
# Nothing is downloaded.

# %% id="setup"
import math
import warnings

from autograder import bring_over, check, hint, predict, progress, reveal, review
from visuals import attention_map, explore_map, explore_reach, length_curves, training_curves, visible_keys
from visuals.published import FOLDER

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
TOKENS = ["Your", "journey", "starts", "with", "one", "step", "and", "goes", "on"]


# %% id="review"
review("13-attention-today")


# %% id="course-parts"
# From lessons 07 and 12.
def apply_rope(x, positions, base=10000.0):
    """Rotate queries or keys (..., tokens, head_dim) by their positions (tokens,): half-split."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * base ** (-torch.arange(half) / half)  # (tokens, head_dim / 2)
    first, second = x.chunk(2, dim=-1)  # (..., tokens, head_dim / 2) each
    return torch.cat(
        [first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()], dim=-1
    )


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return x / torch.sqrt((x * x).mean(dim=-1, keepdim=True) + self.eps) * self.weight


# %% id="own-parts"
apply_rope = bring_over("07-positions", "apply-rope", apply_rope)
RMSNorm = bring_over("12-real-models", "rms-norm", RMSNorm)
library = load_file(FOLDER / "today.safetensors")

# %% [markdown] id="window-intro"
# ## 1 · Look back a little
#
# Each row is a query, and each column is a key. On the left is the causal mask of lesson 03. In the middle, every
# token sees itself and the two tokens before it: a **sliding window** of 3. On the right, the first token stays
# visible as well.

# %% id="window-figure" tags=["figure"]
below = torch.ones(9, 9).tril()
window = below - below.tril(-3)
seen = torch.stack((below, window, torch.cat((below[:, :1], window[:, 1:]), dim=1)))  # (3, tokens, tokens)
attention_map(
    (seen / seen.sum(dim=-1, keepdim=True))[None],
    TOKENS,
    names=("causal", "window of 3", "first token kept"),
)

# %% [markdown] id="window-mask-task"
# The token at position $i$ sees position $j$ if $0 \le i - j < \text{window}$. A model trained without a window
# breaks when the first tokens leave it, because [heads rest there](https://arxiv.org/abs/2309.17453) when they have
# nothing to look for. So you may want to keep the first tokens, the **sinks**.
#
# ### Task 1 · A window
#
# *6 minutes · four or five lines · task id* `window-mask`
#
# Write `window_mask(num_queries, num_keys, window, num_sinks=0)`, which is True where a key is **hidden**. The
# queries are the **last** ones of `num_keys` tokens, as with a cache. A window counts the token itself. The first
# `num_sinks` tokens are never too far away, but the future stays hidden.


# %% answer="window-mask"
def window_mask(num_queries, num_keys, window, num_sinks=0):
    """Which keys each query must not see.

    Shapes:
        returns: (queries, keys), True where a key is hidden
    """
    ### BEGIN SOLUTION
    keys = torch.arange(num_keys)  # (keys,)
    queries = torch.arange(num_keys - num_queries, num_keys)  # (queries,)
    distance = queries[:, None] - keys  # (queries, keys)
    too_far = (distance >= window) & (keys >= num_sinks)  # (queries, keys)
    return too_far | (distance < 0)
    ### END SOLUTION


# %% check="window-mask" points=3
check("window-mask")

# %% [markdown] id="ring-intro"
# A window's cache needs only `window` slots, however long the text gets. With a window of 4, token $t$ goes into slot
# $t \bmod 4$ and overwrites a token that no query can see any more:
#
# | after token | slot 0 | slot 1 | slot 2 | slot 3 |
# | --- | --- | --- | --- | --- |
# | 2 | 0 | 1 | 2 | empty |
# | 3 | 0 | 1 | 2 | 3 |
# | 5 | 4 | 5 | 2 | 3 |
#
# After token 5, the slots contain the tokens in the order 4, 5, 2, 3.
#
# **Predict, then run.** The next cell asks you a question, and task 2 lets you find the answer.

# %% id="ring-prediction"
predict(
    "ring-order",
    "The ring does not keep the tokens in the order of the text. Does that change the context of a query?",
    ("no", "yes"),
)

# %% [markdown] id="ring-cache-task"
# ### Task 2 · A ring for keys and values
#
# *7 minutes · about eight lines · task id* `ring-cache`
#
# Complete `RingCache`. `append` takes any number of new tokens, even more than `window`. Token $t$ of the text goes
# into slot $t \bmod \text{window}$; if several tokens go into the same slot, the latest one stays. `num_tokens`
# counts all tokens so far. Return the keys and the values of the slots that have been filled, in the order of the
# slots, and keep nothing else.


# %% answer="ring-cache"
class RingCache:
    """The keys and values of the last tokens, in memory that never grows."""

    def __init__(self, batch_size, num_heads, window, head_dim, dtype=torch.float32):
        self.window = window
        self.num_tokens = 0
        self.keys = torch.zeros(batch_size, num_heads, window, head_dim, dtype=dtype)
        self.values = torch.zeros_like(self.keys)

    def append(self, keys, values):
        """Store the keys and values of new tokens, and return those of all filled slots.

        Shapes:
            keys, values: (b, heads, new tokens, head_dim)
            returns: two tensors (b, heads, slots, head_dim)
        """
        ### BEGIN SOLUTION
        end = self.num_tokens + keys.shape[2]
        slots = torch.arange(self.num_tokens, end)[-self.window :] % self.window  # (at most window,)
        self.keys[:, :, slots] = keys[:, :, -self.window :]
        self.values[:, :, slots] = values[:, :, -self.window :]
        self.num_tokens = end
        filled = min(end, self.window)
        return self.keys[:, :, :filled], self.values[:, :, :filled]  # each (b, heads, slots, head_dim)
        ### END SOLUTION


# %% check="ring-cache" points=4
check("ring-cache")

# %% id="ring-shown"
# needs window_mask, RingCache
torch.manual_seed(123)
queries, keys, values = torch.randn(3, 2, 4, 11, 6)  # (b, heads, tokens, head_dim) each
one_by_one = []
ring = RingCache(2, 4, 5, 6)
for t in range(11):
    kept = ring.append(keys[:, :, t : t + 1], values[:, :, t : t + 1])
    one_by_one.append(F.scaled_dot_product_attention(queries[:, :, t : t + 1], *kept))
whole = F.scaled_dot_product_attention(queries, keys, values, attn_mask=~window_mask(11, 11, 5))
same = torch.allclose(torch.cat(one_by_one, dim=2), whole, atol=1e-5)
print(f"11 tokens, 5 slots: equal to the masked whole: {same}")

# %% id="ring-revealed"
# needs same
reveal("ring-order", int(not same))

# %% [markdown] id="reach-task"
# A context is a weighted sum, and the order of a sum does not matter. Keys are rotated before they are stored, so
# each key carries its position with it. (If you append several tokens at once, only the last is sure to find all its
# keys in what is returned.)
#
# ### Task 3 · How far does information travel?
#
# *6 minutes · five or six lines · task id* `reach`
#
# A token that a window hides can still matter, because the layer below has brought its information nearer. Write
# `reach(num_tokens, windows)`: entry $(i, j)$ says whether the output of the last layer at position $i$ can depend on
# the input at position $j$. `windows` has one whole number for each layer; 0 is a layer without a window. All layers
# are causal.


# %% answer="reach"
def reach(num_tokens, windows):
    """Which inputs each output can depend on.

    Shapes:
        windows: (layers,), whole numbers; 0 is a layer without a window
        returns: (tokens, tokens), True where information arrives
    """
    ### BEGIN SOLUTION
    arrives = torch.eye(num_tokens)  # (tokens, tokens)
    for window in windows.tolist():
        visible = ~window_mask(num_tokens, num_tokens, window if window else num_tokens)
        arrives = (visible.float() @ arrives > 0).float()
    return arrives.bool()
    ### END SOLUTION


# %% check="reach" points=3
check("reach")

# %% id="reach-prediction"
predict(
    "reach-far",
    "Six layers have a window of 5 each. How many tokens before itself can an output depend on?",
    ("4", "24", "30"),
)

# %% id="reach-shown"
# needs window_mask, reach
arrived = reach(40, torch.tensor([5] * 6))
mixed = reach(40, torch.tensor([5, 5, 5, 5, 5, 0]))
print("inputs before it that the last output depends on:", int(arrived[-1].sum()) - 1)
print("where the last of the six layers has no window:", int(mixed[-1].sum()) - 1)

# %% id="reach-revealed"
# needs arrived
reveal("reach-far", str(int(arrived[-1].sum()) - 1))

# %% [markdown] id="reach-explorer-intro"
# ### Try it
#
# On the left, you see what one layer shows each token; on the right, what can arrive after all layers. Six layers
# with a window of 5 carry information over 24 tokens. How large a window do **two** layers need for that? Then remove
# the window from every third of six layers. What do the caches keep, compared with six full ones?

# %% id="reach-explorer" tags=["figure"]
explore_reach(num_tokens=30, window=5, layers=6)

# %% [markdown] id="reach-explorer-read"
# <details><summary>What to see</summary>
#
# A window of 13, because each layer adds 12. With every third layer full, the caches keep 80 of 180 tokens: 4 times
# 5, and twice 30. After the third layer, everything can have arrived.
#
# </details>

# %% [markdown] id="sinks-intro"
# Each layer adds `window - 1`. But information from far away arrives as a mixture of mixtures, so [Gemma
# 3](https://arxiv.org/abs/2503.19786) lets every sixth layer see the whole text, and
# [gpt-oss](https://arxiv.org/abs/2508.10925) every second one.
#
# ## 2 · Permission to look nowhere
#
# Softmax weights always sum to 1, even when no key is worth looking at. gpt-oss gives each head one learned number,
# its **sink**. It takes part in the softmax as if it were the score of one more key, and is then dropped, because it
# has no value. So the weights of the keys add up to *less* than 1. Here the first query has found something, and the
# second has not:

# %% id="sinks-figure" tags=["figure"]
scores = torch.tensor([[1.0, 0.5, 2.0], [-3.0, -2.0, -2.5]])  # a row that found something, one that did not
with_sink = torch.softmax(torch.cat((scores, torch.zeros(2, 1)), dim=-1), dim=-1)  # (queries, keys and sink)
attention_map(
    with_sink[:, :3], ["key 0", "key 1", "key 2"], ["found", "nothing"], title="A sink of 0", row_sums=True
)

# %% [markdown] id="sink-attention-task"
# ### Task 4 · Attention with sinks
#
# *8 minutes · about eight lines · task id* `sink-attention`
#
# Write `sink_attention(queries, keys, values, sinks, window)`, one layer of gpt-oss after its projections.
# Neighbouring query heads share a head of keys and values (lesson 11). Divide by √head_dim, and hide with
# `window_mask`. Head h's sink, `sinks[h]`, joins each row of its scores as it is, not scaled. After the softmax it is
# dropped, and **nothing is normalised again**.


# %% answer="sink-attention"
def sink_attention(queries, keys, values, sinks, window):
    """Windowed attention in which each head may look at nothing.

    Shapes:
        queries: (b, heads, tokens, head_dim)
        keys, values: (b, groups, tokens, head_dim)
        sinks: (heads,)
        returns: (b, heads, tokens, head_dim)
    """
    ### BEGIN SOLUTION
    b, num_heads, num_tokens, head_dim = queries.shape
    sharing = num_heads // keys.shape[1]
    keys = keys.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
    values = values.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
    scores = queries @ keys.mT / head_dim**0.5  # (b, heads, tokens, tokens)
    scores = scores.masked_fill(window_mask(num_tokens, num_tokens, window), -torch.inf)
    sink = sinks.view(-1, 1, 1).expand(b, num_heads, num_tokens, 1)  # (b, heads, tokens, 1)
    weights = torch.softmax(torch.cat((scores, sink), dim=-1), dim=-1)  # (b, heads, tokens, tokens + 1)
    return weights[..., :-1] @ values
    ### END SOLUTION


# %% check="sink-attention" points=5
check("sink-attention")


# %% id="sinks-proof"
def compared(name, own, theirs):
    """Say whether a result of yours is the library's."""
    print(f"{name}: largest difference below 1e-5: {float((own - theirs).abs().max()) < 1e-5}")


# %% id="sinks-compared"
# needs window_mask, sink_attention
given = {name: library[f"gpt-oss {name}"] for name in ("queries", "keys", "values", "sinks")}
compared("gpt-oss, a window of 4", sink_attention(**given, window=4), library["gpt-oss context"])

# %% [markdown] id="explorer-intro"
# ### Try it
#
# These are the heads of that layer, in one text. Choose a head and a query. A row with a sink adds up to less than 1.
# Which head's sink takes the most?

# %% id="explorer" tags=["figure"]
# needs window_mask, sink_attention
ones = torch.eye(11).expand(2, 2, 11, 11)  # with unit vectors as values the context is the weights
weights = sink_attention(**given | {"values": ones}, window=4)  # (b, heads, tokens, tokens)
explore_map(weights[:1], [str(t) for t in range(11)])

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# Head 4. Its sink is the largest, 5.1, and on average its rows give all keys together less than a fifth.
#
# </details>

# %% [markdown] id="latent-intro"
# ## 3 · Keep neither keys nor values
#
# Grouped queries keep fewer keys. [DeepSeek-V2](https://arxiv.org/abs/2405.04434) keeps something else: one short
# vector for each token, the **latent**, from which every head computes its keys and its values. This is how many
# numbers each layer keeps for a token, with 128 heads of 128:
#
# | | kept | numbers |
# | --- | --- | --- |
# | each head on its own | 128 keys and 128 values of 128 | 32,768 |
# | 8 groups | 8 keys and 8 values of 128 | 2,048 |
# | latent | one latent of 512, one rotated key of 64 | 576 |
#
# Rotation gets in the way: each position rotates a key differently, so no single fixed matrix can turn a latent into
# a rotated key. That is why the position gets a small part of its own, which is rotated and **shared by all heads**:
#
# $$\text{score}_{ij} = \frac{q_i \cdot k_j + \text{rope}(q'_i) \cdot \text{rope}(k'_j)}{\sqrt{\text{head\_dim} + \text{rope\_dim}}}$$

# %% [markdown] id="latent-attention-task"
# ### Task 5 · Latent attention
#
# *12 minutes · the `forward` of a class · task id* `latent-attention`
#
# Finish `LatentAttention`, causal. Its layers are given:
#
# - `W_query`: in each head the first `head_dim` numbers stay as they are, the rest is rotated;
# - `W_latent` and `latent_norm`: the latent is kept **normalised**;
# - `W_rope_key`: the rotated key, from the token itself, not from the latent, and one for all heads;
# - `W_key` and `W_value`: the keys and values of all heads, from the latent;
# - `out_proj`: from all heads to d_model.
#
# Divide the scores as the formula does, and rotate with `base`.


# %% answer="latent-attention"
class LatentAttention(nn.Module):
    """Attention whose keys and values come from one short vector for each token.

    Shapes:
        x: (b, tokens, d_model)
        returns: (b, tokens, d_model)
    """

    def __init__(self, d_model, num_heads, latent_dim, head_dim, rope_dim, value_dim, base=10000.0, eps=1e-6):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim, self.base = num_heads, head_dim, rope_dim, base
        self.W_query = nn.Linear(d_model, num_heads * (head_dim + rope_dim), bias=False)
        self.W_latent = nn.Linear(d_model, latent_dim, bias=False)
        self.latent_norm = RMSNorm(latent_dim, eps)
        self.W_rope_key = nn.Linear(d_model, rope_dim, bias=False)
        self.W_key = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.W_value = nn.Linear(latent_dim, num_heads * value_dim, bias=False)
        self.out_proj = nn.Linear(num_heads * value_dim, d_model, bias=False)

    def forward(self, x):
        ### BEGIN SOLUTION
        b, num_tokens, _ = x.shape
        positions = torch.arange(num_tokens, device=x.device)
        queries = self.W_query(x).view(b, num_tokens, self.num_heads, -1).transpose(1, 2)
        plain, turned = queries.split((self.head_dim, self.rope_dim), dim=-1)  # (b, heads, tokens, …)
        latents = self.latent_norm(self.W_latent(x))  # (b, tokens, latent_dim)
        keys = self.W_key(latents).view(b, num_tokens, self.num_heads, -1).transpose(1, 2)
        values = self.W_value(latents).view(b, num_tokens, self.num_heads, -1).transpose(1, 2)
        turned = apply_rope(turned, positions, self.base)  # (b, heads, tokens, rope_dim)
        rope_keys = apply_rope(self.W_rope_key(x), positions, self.base)[:, None]  # (b, 1, tokens, rope_dim)
        scores = plain @ keys.mT + turned @ rope_keys.mT  # (b, heads, tokens, tokens)
        scores = scores / (self.head_dim + self.rope_dim) ** 0.5
        hidden = torch.ones(num_tokens, num_tokens, dtype=torch.bool, device=x.device).triu(1)
        weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
        context = weights @ values  # (b, heads, tokens, value_dim)
        return self.out_proj(context.transpose(1, 2).reshape(b, num_tokens, -1))
        ### END SOLUTION


# %% check="latent-attention" points=6
check("latent-attention")

# %% [markdown] id="latent-proof-intro"
# DeepSeek's file has `W_latent` and `W_rope_key` in one tensor, `W_key` and `W_value` head by head in another, and
# the rotated rows in the interleaved order of lesson 12. The next cell takes that apart. The published V3 also
# computes its queries through a latent of their own. That saves weights but no cache, so this layer leaves it out.


# %% id="latent-proof"
@torch.no_grad()
def from_deepseek(layer, stored, heads, head_dim, rope_dim):
    """Put DeepSeek's tensors into a LatentAttention."""

    def halves(rows):
        return torch.cat((rows[..., ::2, :], rows[..., 1::2, :]), dim=-2)  # neighbours to halves

    query = stored["q_proj"].unflatten(0, (heads, -1))  # (heads, head_dim + rope_dim, d_model)
    query = torch.cat((query[:, :head_dim], halves(query[:, head_dim:])), dim=1)
    both = stored["kv_b_proj"].unflatten(0, (heads, -1))  # (heads, head_dim + value_dim, latent_dim)
    layer.W_query.weight.copy_(query.flatten(0, 1))
    layer.W_latent.weight.copy_(stored["kv_a_proj"][:-rope_dim])
    layer.W_rope_key.weight.copy_(halves(stored["kv_a_proj"][-rope_dim:]))
    layer.latent_norm.weight.copy_(stored["kv_a_layernorm"])
    layer.W_key.weight.copy_(both[:, :head_dim].flatten(0, 1))
    layer.W_value.weight.copy_(both[:, head_dim:].flatten(0, 1))
    layer.out_proj.weight.copy_(stored["o_proj"])
    return layer


# %% id="latent-compared"
# needs LatentAttention
stored = {name.removeprefix("deepseek "): one for name, one in library.items() if name.startswith("deepseek")}
latent_layer = LatentAttention(22, 3, 14, 8, 6, 10, base=500.0).requires_grad_(False)
from_deepseek(latent_layer, stored, heads=3, head_dim=8, rope_dim=6)
compared("DeepSeek-V3", latent_layer(stored["x"]), stored["result"])

# %% [markdown] id="absorbed-attention-task"
# So far, the keys and values of *all* tokens are recomputed from their latents for each new token. You can avoid
# that: $q \cdot (W c) = (W^\top q) \cdot c$ for a latent $c$. Move the query into the space of the latents once, and
# compare it with the latents themselves. In the same way, mix the *latents*, and compute the value of the mixture.
#
# ### Task 6 · Never make a key
#
# *8 minutes · about eight lines · task id* `absorbed-attention`
#
# Write `absorbed_attention(queries, rope_queries, latents, rope_keys, W_key, W_value)`: the contexts of the last
# tokens of a text, from what the cache keeps. All rotations are done. `W_key` and `W_value` are cut into heads.
# Causal: the queries are the last of the tokens. Never make keys or values of the cached tokens, not even one by one.


# %% answer="absorbed-attention"
def absorbed_attention(queries, rope_queries, latents, rope_keys, W_key, W_value):
    """Latent attention from the latents themselves.

    Shapes:
        queries: (b, heads, new, head_dim)
        rope_queries: (b, heads, new, rope_dim)
        latents: (b, tokens, latent_dim)
        rope_keys: (b, tokens, rope_dim)
        W_key: (heads, head_dim, latent_dim)
        W_value: (heads, value_dim, latent_dim)
        returns: (b, heads, new, value_dim)
    """
    ### BEGIN SOLUTION
    latents, rope_keys = latents[:, None], rope_keys[:, None]  # (b, 1, tokens, latent_dim or rope_dim)
    inside = queries @ W_key  # (b, heads, new, latent_dim)
    scores = inside @ latents.mT + rope_queries @ rope_keys.mT  # (b, heads, new, tokens)
    scores = scores / (queries.shape[-1] + rope_queries.shape[-1]) ** 0.5
    new, num_tokens = scores.shape[-2:]
    scores = scores.masked_fill(window_mask(new, num_tokens, num_tokens), -torch.inf)
    mixed = torch.softmax(scores, dim=-1) @ latents  # (b, heads, new, latent_dim)
    return mixed @ W_value.mT  # (b, heads, new, value_dim)
    ### END SOLUTION


# %% check="absorbed-attention" points=5
check("absorbed-attention")

# %% id="absorbed-proof"
# needs window_mask, latent_layer, absorbed_attention
x, at = stored["x"], torch.arange(9)
q, q_rope = latent_layer.W_query(x).unflatten(-1, (3, -1)).transpose(1, 2).split((8, 6), dim=-1)
found = absorbed_attention(
    q,
    apply_rope(q_rope, at, 500.0),
    latent_layer.latent_norm(latent_layer.W_latent(x)),
    apply_rope(latent_layer.W_rope_key(x), at, 500.0),
    latent_layer.W_key.weight.unflatten(0, (3, -1)),
    latent_layer.W_value.weight.unflatten(0, (3, -1)),
)  # (b, heads, tokens, value_dim)
compared("absorbed", latent_layer.out_proj(found.transpose(1, 2).flatten(2)), latent_layer(x))

# %% [markdown] id="keys-as-values-task"
# ### One projection for both
#
# There are simpler ways to keep less. In its layers without a window, Gemma 4 can use **one projection** for both
# keys and values.
#
# ### Task 7 · Keys that are also values
#
# *5 minutes · about four lines · task id* `keys-as-values`
#
# Write `keys_as_values(projected, key_weight, base=10000.0)`: the keys and the values that come from one projection.
# Both are divided by the root of their mean square, over each head, with an epsilon of $10^{-6}$ under the root. The
# keys are then multiplied by `key_weight` and rotated with `base`, at positions counted from 0. The values are
# neither weighted nor rotated.


# %% answer="keys-as-values"
def keys_as_values(projected, key_weight, base=10000.0):
    """The keys and the values that one projection gives.

    Shapes:
        projected: (b, groups, tokens, head_dim)
        key_weight: (head_dim,)
        returns: (2, b, groups, tokens, head_dim), the keys and then the values
    """
    ### BEGIN SOLUTION
    mean_square = (projected**2).mean(dim=-1, keepdim=True)  # (b, groups, tokens, 1)
    values = projected / torch.sqrt(mean_square + 1e-6)  # (b, groups, tokens, head_dim)
    positions = torch.arange(projected.shape[2], device=projected.device)
    keys = apply_rope(values * key_weight, positions, base)  # (b, groups, tokens, head_dim)
    return torch.stack((keys, values))
    ### END SOLUTION


# %% check="keys-as-values" points=3
check("keys-as-values")

# %% id="keys-as-values-proof"
# needs keys_as_values
found = keys_as_values(library["gemma 4 projected"], library["gemma 4 key_weight"], base=700.0)
compared("Gemma 4", found, library["gemma 4 keys and values"])

# %% [markdown] id="kv-sources-task"
# ### Optional: Layers that share
#
# In Gemma 3n and in small Gemma 4 models, the last layers compute no keys or values. They **read** those of an
# earlier layer ([an idea](https://arxiv.org/abs/2405.12981) from 2024), so they need no cache. Here the last two
# share:
#
# | layer | 0 | 1 | 2 | 3 | 4 | 5 |
# | --- | --- | --- | --- | --- | --- | --- |
# | its window | 0 | 4 | 0 | 4 | 4 | 0 |
# | reads layer | 0 | 1 | 2 | 3 | 3 | 2 |
#
# #### Task 8 · Optional: Whose keys a layer reads
#
# *6 minutes · about five lines · task id* `kv-sources`
#
# Write `kv_sources(windows, num_shared)`: for each layer, the number of the layer whose keys and values it reads.
# `windows` is as in task 3. The last `num_shared` layers share. Each of them reads the **last** layer that comes
# before all of these and has the same window. If there is none, raise a `ValueError`. Every other layer reads its own;
# with a `num_shared` of 0, all do. Return a tensor of whole numbers. (Mistral Large 4 has such a list in its
# configuration, `kv_source_layers`.)


# %% answer="kv-sources"
def kv_sources(windows, num_shared):
    """The layer whose keys and values each layer reads.

    Shapes:
        windows: (layers,), whole numbers; 0 is a layer without a window
        returns: (layers,), whole numbers
    """
    ### BEGIN SOLUTION
    windows = windows.tolist()
    own = len(windows) - num_shared
    last = {window: layer for layer, window in enumerate(windows[:own])}  # a later layer stays
    if not set(windows) <= set(last):
        raise ValueError("a layer that shares has no earlier layer with its window")
    return torch.tensor([layer if layer < own else last[window] for layer, window in enumerate(windows)])
    ### END SOLUTION


# %% check="kv-sources" points=0
check("kv-sources")

# %% [markdown] id="sharing-layers-task"
# #### Task 9 · Optional: A cache for some of the layers
#
# *11 minutes · about twelve lines · task id* `sharing-layers`
#
# Complete `SharingLayers`. `attend` takes the new tokens' queries for all layers, and their keys and values for the
# first layers, which have their own. It returns the contexts of all layers. Scores are divided by √head_dim; each
# layer is causal and has its window. A layer reads what its source has kept and **all** of its source's new tokens.
# After that, a layer with a window keeps no more than its last `window` tokens (one fewer is enough). Keep nothing
# for the layers that share. An entry of `kept` is one tensor, keys and then values.


# %% answer="sharing-layers"
class SharingLayers:
    """The attention of all layers, the last of which keep no keys and values."""

    def __init__(self, windows, num_shared):
        self.windows = windows.tolist()
        self.sources = kv_sources(windows, num_shared).tolist()
        self.kept = {}  # by layer: keys and values of earlier tokens, (2, b, heads, kept, head_dim)

    def attend(self, queries, keys, values):
        """Take in new tokens, and return their contexts in every layer.

        Shapes:
            queries: (layers, b, heads, new, head_dim)
            keys, values: (own layers, b, heads, new, head_dim), of the layers that have their own
            returns: (layers, b, heads, new, head_dim)
        """
        ### BEGIN SOLUTION
        contexts, read = [], {}
        for layer, (window, source) in enumerate(zip(self.windows, self.sources)):
            if source == layer:
                both = torch.stack((keys[layer], values[layer]))  # (2, b, heads, new, head_dim)
                if layer in self.kept:
                    both = torch.cat((self.kept[layer], both), dim=-2)  # (2, b, heads, tokens, head_dim)
                read[layer] = both
                self.kept[layer] = both[..., -window:, :] if window else both
            new, num_tokens = queries.shape[-2], read[source].shape[-2]
            hidden = window_mask(new, num_tokens, window or num_tokens)  # (new, tokens)
            contexts.append(F.scaled_dot_product_attention(queries[layer], *read[source], attn_mask=~hidden))
        return torch.stack(contexts)  # (layers, b, heads, new, head_dim)
        ### END SOLUTION


# %% check="sharing-layers" points=0
check("sharing-layers")

# %% id="sharing-layers-proof"
# needs window_mask, kv_sources, SharingLayers
given = [library[f"sharing {name}"].split((6, 1, 3, 1), dim=-2) for name in ("queries", "keys", "values")]
sharing = SharingLayers(torch.tensor([0, 4, 0, 4, 4, 0]), num_shared=2)
found = torch.cat([sharing.attend(*pieces) for pieces in zip(*given)], dim=-2)
compared("Gemma 4, a text in four pieces", found, library["sharing contexts"])
print("tokens kept in each layer:", {layer: both.shape[-2] for layer, both in sharing.kept.items()})

# %% [markdown] id="chosen-keys-task"
# ## 4 · Choose what to read
#
# A latent is cheap to keep, but every query still reads all of them. DeepSeek-V3.2 and GLM-5 add an **indexer**: a few
# short heads that give each key a rough score. Only the `top_k` keys with the highest index scores take part in
# attention. For one query at $i$, with index heads $h$ and weights $w$ that the query's token computes from itself,
#
# $$I_{ij} = \sum_h w_{ih} \, \text{relu}(q_{ih} \cdot k_j)$$
#
# Relu costs less than an exponential, and no softmax is needed to find the largest.
#
# ### Task 10 · An indexer
#
# *8 minutes · about five lines · task id* `chosen-keys`
#
# Write `chosen_keys(index_queries, index_keys, head_weights, top_k)`: which keys each query sees, True where one is
# **visible**. These are the `top_k` keys with the largest $I_{ij}$ among those that are not in the future, or all if
# there are fewer. Break ties as you like, within `top_k`. All index heads share the keys. Rotation and scaling are
# already done.


# %% answer="chosen-keys"
def chosen_keys(index_queries, index_keys, head_weights, top_k):
    """The keys that an indexer lets each query see.

    Shapes:
        index_queries: (b, index heads, tokens, index_dim)
        index_keys: (b, tokens, index_dim)
        head_weights: (b, tokens, index heads)
        returns: (b, tokens, tokens), bool, True = visible; the last two axes are query and key
    """
    ### BEGIN SOLUTION
    by_head = torch.relu(index_queries @ index_keys[:, None].mT)  # (b, index heads, query, key)
    scores = (head_weights.mT[..., None] * by_head).sum(dim=1)  # (b, query, key)
    num_tokens = scores.shape[-1]
    future = window_mask(num_tokens, num_tokens, num_tokens)  # (query, key)
    scores = scores.masked_fill(future, -torch.inf)
    best = scores.topk(min(top_k, num_tokens), dim=-1).indices  # (b, query, top_k)
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)  # (b, query, key)
    return chosen & ~future
    ### END SOLUTION


# %% check="chosen-keys" points=4
check("chosen-keys")

# %% id="chosen-keys-proof"
# needs window_mask, chosen_keys
given = {name: library[f"indexer {name}"] for name in ("index_queries", "index_keys", "head_weights")}
chosen = chosen_keys(**given, top_k=4)
print("DeepSeek-V3.2 lets the same keys through:", torch.equal(chosen, library["indexer visible"]))
print("keys that each of the 11 queries sees:", chosen[0].sum(dim=-1).tolist())

# %% [markdown] id="chosen-read"
# However long the text is, a query of V3.2 reads at most `top_k` tokens, 2,048 in the published model. The indexer
# itself looks at every token, but with only a few short heads.
#
# DeepSeek-V4, in the default configuration of `transformers`, goes further and gives up the latent. Each layer has a
# window of 128 tokens and, next to it, compressed keys that are also the values: one for every 4 tokens, of which an
# indexer chooses 512, or one for every 128 tokens, without an indexer. The first two layers are of the second kind;
# after that, the two kinds alternate.

# %% [markdown] id="compressed-keys-task"
# ### Task 11 · Optional: Compressed keys
#
# *8 minutes · about five lines · task id* `compressed-keys`
#
# Here is the layer without an indexer. Each complete block of `rate` tokens becomes one key, which is also the value.
# It is a weighted sum of the block's tokens, with separate weights for **each number** of the head: the softmax over
# the tokens of the block. The softmax is taken of `gates`, which the tokens compute from themselves, plus
# `position_bias`, which has one row for each place in a block.
#
# Write `compressed_keys(projected, gates, position_bias)`. `rate` is the number of rows in `position_bias`. Tokens at
# the end that do not fill a block are left out, because the window still shows them. A text shorter than a block has
# no compressed key.


# %% answer="compressed-keys"
def compressed_keys(projected, gates, position_bias):
    """One key for each complete block of tokens.

    Shapes:
        projected, gates: (b, tokens, head_dim)
        position_bias: (rate, head_dim)
        returns: (b, blocks, head_dim)
    """
    ### BEGIN SOLUTION
    rate = len(position_bias)
    num_blocks = projected.shape[1] // rate
    complete = num_blocks * rate  # tokens
    projected = projected[:, :complete].unflatten(1, (num_blocks, rate))  # (b, blocks, rate, head_dim)
    gates = gates[:, :complete].unflatten(1, (num_blocks, rate))  # (b, blocks, rate, head_dim)
    weights = torch.softmax(gates + position_bias, dim=2)  # (b, blocks, rate, head_dim)
    return (weights * projected).sum(dim=2)
    ### END SOLUTION


# %% check="compressed-keys" points=0
check("compressed-keys")

# %% [markdown] id="compressed-keys-proof-intro"
# The compressed keys then go through RMSNorm, and their last numbers are rotated by the position of the block's first
# token. A query may see a block once the block is complete. The window and the blocks share one softmax, with a sink:

# %% id="compressed-keys-proof"
# needs window_mask, compressed_keys
given = {name.removeprefix("v4 "): one for name, one in library.items() if name.startswith("v4 ")}
blocks = compressed_keys(given["projected"], given["gates"], given["position_bias"])  # (b, blocks, head_dim)
blocks = F.rms_norm(blocks, (12,), given["key_weight"], eps=1e-6)
begins = 4 * torch.arange(blocks.shape[1])  # a rate of 4
blocks = torch.cat((blocks[..., :-6], apply_rope(blocks[..., -6:], begins, 500.0)), dim=-1)
compared("DeepSeek-V4, compressed keys", blocks, given["blocks"])
ends = begins + 3  # (blocks,)
hidden = torch.cat(
    (window_mask(11, 11, 5), torch.arange(11)[:, None] < ends), dim=1
)  # (query, keys and blocks)
both = torch.cat((given["keys"], blocks), dim=1)[:, None]  # (b, 1, keys and blocks, head_dim)
scores = (given["queries"] @ both.mT / 12**0.5).masked_fill(hidden, -torch.inf)
sinks = given["sinks"].view(-1, 1, 1).expand(2, 3, 11, 1)  # (b, heads, tokens, 1)
weights = torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1]
compared("DeepSeek-V4, attention", weights @ both, given["context"])

# %% [markdown] id="longer-intro"
# **A good place to stop for the day.**
#
# ## 5 · Positions
#
# > **History.** The first transformers added a table of positions to the tokens: *sinusoidal* codes in 2017,
# > *learned* ones in GPT-2. Later *ALiBi* subtracted a penalty for distance from the scores (lesson 07). None of the
# > open models that this course found to be new in 2026 uses these. They rotate instead, often only part of each
# > head, and some layers have no positions at all.
#
# Partial rotation leaves some numbers of a head free to compare content regardless of distance. Qwen3.5 rotates a
# quarter of each head. In SmolLM3, every fourth layer has no positions (**NoPE**): there, only the causal mask gives
# an order (lesson 07).
#
# ### Task 12 · Rotate a part
#
# *3 minutes · two lines · task id* `rotate-part`
#
# Write `rotate_part(x, positions, rope_dim, base=10000.0)`: the first `rope_dim` numbers of each head are rotated by
# `apply_rope`, as if they were a head of their own, with `base`. The rest stays as it is. `rope_dim` can be 0; then
# nothing is rotated. It can also be the whole head.


# %% answer="rotate-part"
def rotate_part(x, positions, rope_dim, base=10000.0):
    """Rotate the first numbers of each head.

    Shapes:
        x: (..., tokens, head_dim)
        positions: (tokens,)
        returns: (..., tokens, head_dim)
    """
    ### BEGIN SOLUTION
    rotated = apply_rope(x[..., :rope_dim], positions, base)  # (..., tokens, rope_dim)
    return torch.cat((rotated, x[..., rope_dim:]), dim=-1)
    ### END SOLUTION


# %% check="rotate-part" points=2
check("rotate-part")

# %% id="rotate-part-proof"
# needs rotate_part
found = rotate_part(library["qwen3.5 x"], torch.arange(7), rope_dim=4, base=500.0)
compared("Qwen3.5, 4 of 16 numbers rotated", found, library["qwen3.5 rotated"])


# %% [markdown] id="stretched-task"
# ### Optional: Longer than any training text
#
# Here is a model with RoPE that names the previous token, like the one in lesson 08. It trains on 16 tokens and then
# reads up to 128. RoPE rotates pair $p$ of `head_dim / 2` pairs by the frequency $f_p = \text{base}^{-p /
# (\text{head\_dim} / 2)}$ for each position. A text eight times as long brings angles that never occurred in
# training. There are two simple ways to rotate more slowly:
#
# - **linear**, or [position interpolation](https://arxiv.org/abs/2306.15595): divide every frequency by `factor`;
# - **ntk**, [found by a Reddit user](https://www.reddit.com/r/LocalLLaMA/comments/14lz7j5/): a base of $\text{base}
#   \cdot \text{factor}^{d / (d - 2)}$ with $d$ = head_dim. The fastest pair stays as it is, and the slowest rotates
#   `factor` times as slowly.
#
# #### Task 13 · Optional: Stretch the positions
#
# *7 minutes · about five lines · task id* `stretched-frequencies`
#
# Write `stretched_frequencies(head_dim, factor, method, base=10000.0)`. With the method `"none"`, the frequencies are
# RoPE's own; a method other than these three raises a `ValueError`.


# %% id="longer-given"
def turn(x, frequencies):
    """RoPE with frequencies of your choice: x (..., tokens, head_dim), frequencies (head_dim / 2,)."""
    angles = torch.arange(x.shape[-2])[:, None] * frequencies  # (tokens, head_dim / 2)
    first, second = x.chunk(2, dim=-1)
    return torch.cat(
        (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()), dim=-1
    )


class Previous(nn.Module):
    """One layer, one head: it learns to name the token before."""

    def __init__(self, scores_of=None):
        super().__init__()
        self.embedding, self.norm_1, self.norm_2 = nn.Embedding(20, 32), nn.LayerNorm(32), nn.LayerNorm(32)
        self.W_query, self.W_key, self.W_value = (nn.Linear(32, 32, bias=False) for _ in range(3))
        self.out_proj, self.unembedding = nn.Linear(32, 32), nn.Linear(32, 20, bias=False)
        self.query_weight, self.key_weight = nn.Parameter(torch.ones(32)), nn.Parameter(torch.ones(32))
        self.frequencies = 10000.0 ** (-torch.arange(16) / 16)
        self.scores_of = scores_of or (lambda model, q, k: q @ k.mT / 32**0.5)

    def forward(self, ids):
        x = self.embedding(ids)  # (b, tokens, d_model)
        read = self.norm_1(x)
        queries, keys = turn(self.W_query(read), self.frequencies), turn(self.W_key(read), self.frequencies)
        scores = self.scores_of(self, queries, keys)  # (b, tokens, tokens)
        self.largest = float(scores.detach().tril().abs().max())
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
        return self.unembedding(self.norm_2(x + self.out_proj(weights @ self.W_value(read))))


def previous_trained(seed=0, lr=3e-3, scores_of=None, steps=300):
    """A model that was trained on texts of 16 random tokens."""
    torch.manual_seed(seed)
    model, generator = Previous(scores_of), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    for _ in range(steps):
        ids = torch.randint(20, (32, 16), generator=generator)
        loss = F.cross_entropy(model(ids)[:, 1:].flatten(0, 1), ids[:, :-1].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


@torch.no_grad()
def right_at(model, length):
    """The share of right answers at the last 8 of `length` tokens."""
    ids = torch.randint(20, (32, length), generator=torch.Generator().manual_seed(3))
    return float((model(ids)[:, -8:].argmax(dim=-1) == ids[:, -9:-1]).float().mean())


# %% answer="stretched-frequencies"
def stretched_frequencies(head_dim, factor, method, base=10000.0):
    """RoPE's frequencies for texts that are `factor` times as long.

    Shapes:
        returns: (head_dim / 2,)
    """
    ### BEGIN SOLUTION
    if method not in ("none", "linear", "ntk"):
        raise ValueError(f"{method!r} is neither none, linear nor ntk")
    if method == "ntk":
        base = base * factor ** (head_dim / (head_dim - 2))
    half = head_dim // 2
    frequencies = base ** (-torch.arange(half) / half)  # (head_dim / 2,)
    return frequencies / factor if method == "linear" else frequencies
    ### END SOLUTION


# %% check="stretched-frequencies" points=0
check("stretched-frequencies")

# %% id="longer-prediction"
predict(
    "interpolated",
    "The trained model names 100 % of the previous tokens in a text of 16. Divide all its frequencies by 8, without further training. How many does it name in the same text of 16?",
    ("all of them", "more than half", "less than a third"),
)

# %% [markdown] id="yarn-task"
# [YaRN](https://arxiv.org/abs/2309.00071) treats pairs differently. A pair that made many full turns within the
# training length has seen every angle, so it stays as it is. A pair that made less than one turn has not, so it is
# divided by `factor`. A ramp joins the two.


# %% id="yarn-given"
def yarn_frequencies(head_dim, factor, trained, base=10000.0, fast=32, slow=1):
    """RoPE's frequencies for texts that are `factor` times as long as `trained`, pair by pair.

    Shapes:
        returns: (head_dim / 2,)
    """
    half = head_dim // 2
    frequencies = base ** (-torch.arange(half) / half)  # (head_dim / 2,)
    begin = half * math.log(trained / (2 * math.pi * fast)) / math.log(base)
    end = half * math.log(trained / (2 * math.pi * slow)) / math.log(base)
    begin, end = max(math.floor(begin), 0), min(math.ceil(end), head_dim - 1)
    length = end - begin if end != begin else 0.001
    share = ((torch.arange(half) - begin) / length).clamp(0, 1)  # (head_dim / 2,)
    return frequencies * (1 - share) + frequencies / factor * share


# %% id="yarn-proof"
# needs stretched_frequencies
compared("linear", stretched_frequencies(24, 4.0, "linear", 500.0), library["rope linear"])
compared("ntk", stretched_frequencies(24, 4.0, "ntk", 500.0), library["rope ntk"])
compared("yarn", yarn_frequencies(24, 4.0, 256, 500.0), library["rope yarn"])

# %% [markdown] id="longer-shown-intro"
# YaRN also multiplies cosines and sines by $1 + 0.1 \ln(\text{factor})$, and so all scores by its square, because
# more keys share the attention. The next cell changes only the frequencies. Here is the trained model with a factor
# of 8; a guess would be right in 5 % of cases:


# %% id="longer-shown" tags=["figure", "measured", "shown"]
# needs stretched_frequencies
def at_lengths(frequencies):
    """How often the model is right at four lengths, with frequencies other than those it was trained with."""
    model.frequencies = frequencies
    return (16, 32, 64, 128), [right_at(model, length) for length in (16, 32, 64, 128)]


model = previous_trained()
curves = {one: at_lengths(stretched_frequencies(32, 8.0, one)) for one in ("none", "linear", "ntk")}
curves["yarn"] = at_lengths(yarn_frequencies(32, 8.0, 16))
share = curves["linear"][1][0]
interpolated = "less than a third" if share < 1 / 3 else "more than half" if share < 1 else "all of them"
training_curves(curves, "Trained on 16 tokens, without new training", "accuracy", "tokens")

# %% id="longer-revealed" tags=["measured", "shown"]
# needs interpolated
reveal("interpolated", interpolated)

# %% [markdown] id="longer-read"
# Why does each of them fail? The next cell tests one explanation: scores at distances that were **never trained**. It
# leaves the frequencies alone, and gives every distance above 15 the score of distance 15.


# %% id="clamped-shown" tags=["measured", "shown"]
@torch.no_grad()
def right_with_known_distances(model, length, furthest=15):
    """The share of right answers if every larger distance gets the score of distance `furthest`."""
    distance = (torch.arange(length)[:, None] - torch.arange(length)).clamp(0, furthest)  # (query, key)
    angles = distance[..., None] * model.frequencies  # (query, key, head_dim / 2)

    def scores_of(_, queries, keys):
        first, second = queries[:, :, None].chunk(2, dim=-1)  # (b, query, 1, head_dim / 2) each
        cos, sin = angles.cos(), angles.sin()
        turned = torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)
        return (turned * keys[:, None]).sum(dim=-1) / 32**0.5  # (b, query, key)

    kept = model.scores_of, model.frequencies
    model.scores_of, model.frequencies = scores_of, torch.zeros(16)  # nothing is rotated twice
    share = right_at(model, length)
    model.scores_of, model.frequencies = kept
    return share


model = previous_trained()
for length in (16, 128):
    print(
        f"{length:3} tokens: unchanged {right_at(model, length):4.0%}, "
        f"no distance above 15 {right_with_known_distances(model, length):4.0%}"
    )

# %% [markdown] id="clamped-read"
# The explanation was right. In 15 runs (seeds 0 to 14), the model with known distances named every token, at 16, 32,
# 64 and 128 tokens. If you divide all frequencies by 8, the very distance that matters becomes new: the neighbour is
# now at distance 1/8. Position interpolation was published with some further training, and needs it. YaRN leaves the
# fast pairs alone, here the first of 16, and that is enough to tell neighbours apart most of the time. In 25 runs
# (seeds 0 to 24), linear named at most 18 % at 16 tokens and YaRN 93 to 100 %; at 128 tokens, the unchanged model
# named at most 30 % and YaRN 70 to 93 %.

# %% [markdown] id="norm-intro"
# ## 6 · Scores that cannot run away
#
# A score is a product of two learned vectors, so nothing bounds it. If one score grows, softmax gives one key all the
# weight, and hardly any gradient comes back. There are two remedies:
#
# - **QK-norm** ([Qwen3](https://arxiv.org/abs/2505.09388), Gemma 3): each query and key goes through RMSNorm, with a
#   learned weight. With weights of 1, no score exceeds √head_dim.
# - **Soft cap** ([Gemma 2](https://arxiv.org/abs/2408.00118)): $c \cdot \tanh(\text{score} / c)$ hardly changes small
#   scores, but lets none exceed $c$.
#
# ### Task 14 · Bounded scores
#
# *7 minutes · about seven lines · task id* `bounded-scores`
#
# Write `bounded_scores(queries, keys, query_weight, key_weight, cap=None)`: RMSNorm of queries and keys (epsilon
# $10^{-6}$ under the root), each with its weight; then the scores, divided by √head_dim; then the soft cap, unless
# `cap` is None; **then** hide the future with −∞.


# %% answer="bounded-scores"
def bounded_scores(queries, keys, query_weight, key_weight, cap=None):
    """Causal scores with QK-norm and a soft cap.

    Shapes:
        queries, keys: (b, heads, tokens, head_dim)
        query_weight, key_weight: (head_dim,)
        returns: (b, heads, tokens, tokens)
    """
    ### BEGIN SOLUTION
    queries = queries / torch.sqrt((queries**2).mean(dim=-1, keepdim=True) + 1e-6) * query_weight
    keys = keys / torch.sqrt((keys**2).mean(dim=-1, keepdim=True) + 1e-6) * key_weight
    scores = queries @ keys.mT / keys.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
    if cap is not None:
        scores = cap * torch.tanh(scores / cap)
    num_tokens = scores.shape[-1]
    return scores.masked_fill(window_mask(num_tokens, num_tokens, num_tokens), -torch.inf)
    ### END SOLUTION


# %% check="bounded-scores" points=4
check("bounded-scores")

# %% [markdown] id="norm-shown-intro"
# Here is the small model again, with a learning rate a hundred times as high. (Here the norm comes after the
# rotation, while Qwen3 and Gemma 3 normalise first. With weights of 1, both are the same, because a rotation
# preserves length.)


# %% id="norm-shown" tags=["measured", "shown"]
# needs window_mask, bounded_scores, previous_trained
def bounded_by(cap=None):
    """Scores from your function: with QK-norm, and with a soft cap or none."""

    def scores_of(model, queries, keys):
        weights = model.query_weight, model.key_weight
        return bounded_scores(queries[:, None], keys[:, None], *weights, cap)[:, 0]  # (b, tokens, tokens)

    return scores_of


def capped(model, queries, keys):
    """Scores with a soft cap alone."""
    return 20 * torch.tanh(queries @ keys.mT / 32**0.5 / 20)


for name, scores_of in (
    ("plain", None),
    ("cap alone", capped),
    ("QK-norm", bounded_by()),
    ("QK-norm and cap", bounded_by(20.0)),
):
    wild = previous_trained(lr=0.3, scores_of=scores_of)
    print(f"{name:16} right {right_at(wild, 16):4.0%}, largest score {wild.largest:,.0f}")

# %% [markdown] id="norm-read"
# In 20 runs (seeds 0 to 19), where a guess would be right in 5 % of cases, the largest score without a bound was
# above 100,000, and at most 21 % were right. With the cap alone, at most 32 % were right. With QK-norm, no score was
# above 40 and at least 51 % were right; in 19 of the 20 runs, all were. A norm forgives a bad learning rate; it does
# not find a good one.

# %% [markdown] id="gate-intro"
# ### Optional: Nothing to say
#
# A head that found nothing still has to distribute weights that sum to 1, and passes on whatever they pick up. A sink
# is one way out; [Qwen3-Next](https://huggingface.co/Qwen/Qwen3-Next-80B-A3B-Instruct) uses another, a **gate**. For
# each number of its context, each token computes a number between 0 and 1 from itself, and multiplies the two before
# `out_proj` ([Qiu and others](https://arxiv.org/abs/2505.06708)):
#
# $$\text{context} \leftarrow \text{context} \cdot \text{sigmoid}(W_\text{gate}\, x)$$
#
# Give one head a small job. Each token has 16 random numbers and a kind. A token that **asks** must return the
# numbers of the one **marked** token; for all others, the right output is 16 zeros. In some texts, the first token is
# **empty**: its numbers are zeros.


# %% id="gate-given"
def gated(context, gate):
    """Let through what the gate lets through: both (b, tokens, width)."""
    return context * torch.sigmoid(gate)


def errands(count, empty, generator):
    """Texts (b, tokens, 16 numbers and 4 for the kind), what should come out, and which tokens ask."""
    x = torch.randn(count, 16, 20, generator=generator)
    rows, marked = torch.arange(count), torch.randint(1, 5, (count,), generator=generator)
    asks = (torch.rand(count, 16, generator=generator) < 0.25) & (torch.arange(16) > marked[:, None])
    kinds = torch.where(asks, 3, 1)  # (b, tokens)
    kinds[rows, marked] = 2
    if empty:
        x[:, 0], kinds[:, 0] = 0, 0
    x[..., 16:] = F.one_hot(kinds, 4)
    return x, x[rows, marked, :16][:, None] * asks[..., None], asks


class ErrandHead(nn.Module):
    """One causal head, with a learned sink, a gate, or neither."""

    def __init__(self, way):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(20, 16, bias=False) for _ in range(3))
        self.out_proj = nn.Linear(16, 16, bias=False)
        self.sink = nn.Parameter(torch.zeros(1)) if way == "sink" else None
        self.W_gate = nn.Linear(20, 16, bias=False) if way == "gate" else None

    def forward(self, x, hide_first=False):
        scores = self.W_query(x) @ self.W_key(x).mT / 4  # (b, tokens, tokens)
        hidden = torch.ones(16, 16, dtype=torch.bool).triu(1)
        hidden[1:, 0] = hide_first  # it has left the window
        scores = scores.masked_fill(hidden, -torch.inf)
        if self.sink is not None:
            scores = torch.cat((scores, self.sink.expand(len(x), 16, 1)), dim=-1)  # (b, tokens, tokens + 1)
        self.weights = torch.softmax(scores, dim=-1)[..., :16]  # (b, tokens, tokens)
        context = self.weights @ self.W_value(x)  # (b, tokens, width)
        return self.out_proj(context if self.W_gate is None else gated(context, self.W_gate(x)))


def errand_trained(way, empty, seed=0, steps=300):
    """A head that was trained for the job."""
    torch.manual_seed(seed)
    head, generator = ErrandHead(way), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(head.parameters(), lr=0.01)
    for _ in range(steps):
        x, right, _ = errands(32, empty, generator)
        loss = F.mse_loss(head(x)[:, 1:], right[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return head


@torch.no_grad()
def errand_errors(head, empty, hide_first=False):
    """Mean square errors from token 2 on, of those that ask and of the others, and the others' weight on token 0."""
    x, right, asks = errands(256, empty, torch.Generator().manual_seed(99))
    wrong = (head(x, hide_first) - right).square().mean(dim=-1)[:, 2:]  # (b, tokens - 2)
    asks = asks[:, 2:]
    return [
        float(one) for one in (wrong[asks].mean(), wrong[~asks].mean(), head.weights[:, 2:, 0][~asks].mean())
    ]


# %% id="gate-prediction"
predict(
    "gate-rest",
    "A plain head is trained on texts whose first token is empty. Where do tokens that ask for nothing look?",
    ("at all tokens alike", "at themselves", "at the first token"),
)

# %% id="gate-shown" tags=["measured", "shown"]
print("mean square error                asking  others   weight of others on the first token")
for way, empty in (("plain", True), ("gate", True), ("plain", False), ("sink", False), ("gate", False)):
    head = errand_trained(way, empty)
    for hide_first in (False, True) if empty else (False,):
        asking, others, first = errand_errors(head, empty, hide_first)
        if (way, empty, hide_first) == ("plain", True, False):
            rest = "at the first token" if first > 0.9 else "at all tokens alike"
        text = "first hidden" if hide_first else "first empty" if empty else "no empty token"
        print(f"{way:6} {text:23} {asking:8.2f} {others:7.2f}   {first:.0%}")

# %% id="gate-revealed" tags=["measured", "shown"]
reveal("gate-rest", rest)

# %% [markdown] id="gate-read"
# In 22 runs (seeds 0 to 21) where the first token is empty, the plain head turned it into a sink on its own: tokens
# that do not ask give it at least 97 % of their weight. Hide it, as a window does, and their error rises from below
# 0.001 to at least 0.18. Without an empty token, the plain head cannot do the job: its error is at least 0.04, and at
# least 0.15 where tokens ask. (An answer of zeros would have an error of 1 there.) With a learned sink or a gate,
# both errors stay below 0.005. So a gate makes a sink unnecessary, but does not prevent one: if there is an empty
# token, the gated head rests on it too, with at least 94 %, yet hiding it costs at most 0.04.

# %% [markdown] id="linear-intro"
# ## 7 · A fixed-size memory
#
# Everything so far keeps something for each token that it can still see. [Linear
# attention](https://arxiv.org/abs/2006.16236) keeps nothing for individual tokens. It replaces the exponential of a
# score with a product $\phi(q) \cdot \phi(k)$ of positive vectors, here $\phi = \text{elu} + 1$:


# %% id="linear-parallel"
def linear_parallel(queries, keys, values):
    """Causal linear attention, all tokens at once: (b, heads, tokens, value_dim)."""
    queries, keys = F.elu(queries) + 1, F.elu(keys) + 1
    scores = (queries @ keys.mT).tril()  # (b, heads, tokens, tokens)
    return scores @ values / scores.sum(dim=-1, keepdim=True)


# %% [markdown] id="linear-memory"
# You do not need all scores at once: $\sum_j (\phi(q) \cdot \phi(k_j))\, v_j = \phi(q) \cdot \sum_j \phi(k_j)\,
# v_j^\top$. The sum on the right is a matrix of head_dim × value_dim numbers, a **memory** to which each token adds.
# For the division, you also keep a second sum, that of the $\phi(k_j)$.


# %% id="linear-recurrent"
def linear_recurrent(queries, keys, values):
    """Causal linear attention, token by token: (b, heads, tokens, value_dim)."""
    queries, keys = F.elu(queries) + 1, F.elu(keys) + 1
    memory, total, contexts = 0, 0, []
    for t in range(keys.shape[2]):
        query, key = queries[:, :, t], keys[:, :, t]  # (b, heads, head_dim)
        value = values[:, :, t]  # (b, heads, value_dim)
        memory = memory + key[..., :, None] * value[..., None, :]  # (b, heads, head_dim, value_dim)
        total = total + key  # (b, heads, head_dim)
        read = (query[..., :, None] * memory).sum(dim=-2)  # (b, heads, value_dim)
        contexts.append(read / (query * total).sum(dim=-1, keepdim=True))
    return torch.stack(contexts, dim=2)


torch.manual_seed(123)
queries, keys, values = torch.randn(3, 2, 4, 11, 6)  # (b, heads, tokens, head_dim) each
compared("token by token", linear_recurrent(queries, keys, values), linear_parallel(queries, keys, values))

# %% [markdown] id="delta-task"
# This memory only adds. If a key is written twice, with different values, you read a mixture of both: their sum or,
# after the division, their mean. The **delta rule** ([parallel over length](https://arxiv.org/abs/2406.06484)) first
# looks up what the memory has for a key, and writes only the difference:
#
# $$S \leftarrow S + \beta\, k\, (v - S^\top k)^\top \qquad \text{context} = S^\top q$$
#
# With $\beta = 1$ and a key of length 1, the old value is replaced; with $\beta = 0$ nothing is written.
#
# ### Task 15 · The delta rule
#
# *9 minutes · about eight lines · task id* `delta-rule`
#
# Write `delta_rule(queries, keys, values, betas)`, token by token: write, then read. The memory starts empty. Queries
# and keys are used as they are, without $\phi$ and without a division.


# %% answer="delta-rule"
def delta_rule(queries, keys, values, betas):
    """Attention with a memory that is corrected, token by token.

    Shapes:
        queries, keys: (b, heads, tokens, head_dim)
        values: (b, heads, tokens, value_dim)
        betas: (b, heads, tokens)
        returns: (b, heads, tokens, value_dim)
    """
    ### BEGIN SOLUTION
    b, num_heads, num_tokens, head_dim = keys.shape
    memory = values.new_zeros(b, num_heads, head_dim, values.shape[-1])
    contexts = []
    for t in range(num_tokens):
        query, key = queries[:, :, t, :, None], keys[:, :, t, :, None]  # (b, heads, head_dim, 1)
        found = (key * memory).sum(dim=2)  # (b, heads, value_dim)
        change = betas[:, :, t, None] * (values[:, :, t] - found)  # (b, heads, value_dim)
        memory = memory + key * change[:, :, None]  # (b, heads, head_dim, value_dim)
        contexts.append((query * memory).sum(dim=2))
    return torch.stack(contexts, dim=2)
    ### END SOLUTION


# %% check="delta-rule" points=4
check("delta-rule")

# %% [markdown] id="fading-delta-task"
# The memory can also **fade**. In each step, it is first multiplied by a number $\alpha_t$ between 0 and 1, which the
# token computes from itself, and then the delta rule follows:
#
# $$S \leftarrow \alpha_t S \qquad S \leftarrow S + \beta_t\, k\, (v - S^\top k)^\top$$
#
# ### Task 16 · A memory that fades
#
# *5 minutes · one line more · task id* `fading-delta`
#
# Write `fading_delta(queries, keys, values, betas, fades)`: in each step the memory fades first, by `fades`, then
# comes the delta rule. With fades of 1, it equals `delta_rule`.


# %% answer="fading-delta"
def fading_delta(queries, keys, values, betas, fades):
    """The delta rule with a memory that fades, token by token.

    Shapes:
        queries, keys: (b, heads, tokens, head_dim)
        values: (b, heads, tokens, value_dim)
        betas, fades: (b, heads, tokens)
        returns: (b, heads, tokens, value_dim)
    """
    ### BEGIN SOLUTION
    b, num_heads, num_tokens, head_dim = keys.shape
    memory = values.new_zeros(b, num_heads, head_dim, values.shape[-1])
    contexts = []
    for t in range(num_tokens):
        query, key = queries[:, :, t, :, None], keys[:, :, t, :, None]  # (b, heads, head_dim, 1)
        memory = memory * fades[:, :, t, None, None]  # (b, heads, head_dim, value_dim)
        found = (key * memory).sum(dim=2)  # (b, heads, value_dim)
        change = betas[:, :, t, None] * (values[:, :, t] - found)  # (b, heads, value_dim)
        memory = memory + key * change[:, :, None]  # (b, heads, head_dim, value_dim)
        contexts.append((query * memory).sum(dim=2))
    return torch.stack(contexts, dim=2)
    ### END SOLUTION


# %% check="fading-delta" points=3
check("fading-delta")

# %% id="fading-delta-proof"
# needs fading_delta
names = ("queries", "keys", "values", "betas", "fades")
found = fading_delta(*(library[f"gated delta {name}"] for name in names))
compared("the gated delta rule of Qwen3-Next, 3.5 and 3.6", found, library["gated delta context"])

# %% [markdown] id="delta-chunk-task"
# A loop over tokens keeps a GPU waiting. The change that token $t$ makes, $u_t$, depends on the changes before it:
#
# $$u_t + \beta_t \sum_{j<t} (k_t \cdot k_j)\, u_j = \beta_t v_t$$
#
# These are linear equations with a triangular matrix, so a single call solves for all $u_t$. The contexts are then
# $\sum_{j \le t} (q_t \cdot k_j)\, u_j$. (With fading, the products are multiplied by what is left of each.)
#
# ### Task 17 · All changes at once
#
# *6 minutes · about six lines · task id* `delta-parallel`
#
# Write `delta_parallel(queries, keys, values, betas)`, equal to `delta_rule`, without a loop.
# `torch.linalg.solve_triangular(A, B, upper=False)` solves $A u = B$.


# %% answer="delta-parallel"
def delta_parallel(queries, keys, values, betas):
    """The delta rule, all tokens at once.

    Shapes:
        queries, keys: (b, heads, tokens, head_dim)
        values: (b, heads, tokens, value_dim)
        betas: (b, heads, tokens)
        returns: (b, heads, tokens, value_dim)
    """
    ### BEGIN SOLUTION
    betas = betas[..., None]  # (b, heads, tokens, 1)
    before = (betas * (keys @ keys.mT)).tril(-1)  # (b, heads, tokens, tokens)
    system = before + torch.eye(keys.shape[2], dtype=keys.dtype)
    changes = torch.linalg.solve_triangular(system, betas * values, upper=False)
    return (queries @ keys.mT).tril() @ changes
    ### END SOLUTION


# %% check="delta-parallel" points=4
check("delta-parallel")

# %% [markdown] id="recall-intro"
# ### What can each variant still find?
#
# A **needle in a haystack**: somewhere in a text is the one token that you need. Take induction, as in lesson 09: a
# string of n different tokens appears twice, and each token of the second copy has to find what came after it in the
# first, n − 1 tokens back. There, layer 0 gave each key the token before; here, the key is computed from that token
# directly, so one head is enough. It has a head_dim of 16, and you train it on strings of 4 to 32 tokens, with one of
# this lesson's changes at a time. The indexer has one head of 2 numbers.
#
# The **ceiling** is attention to all keys. By **chance**, a guess among the tokens of the string is right in 1 of n
# cases.

# %% id="recall-prediction"
predict(
    "recall",
    "A memory of 16 × 16 numbers, and 32 different tokens, twice. How many does the delta rule get right the second time?",
    ("nearly all", "about two thirds", "about a third"),
)


# %% id="recall-given"
# needs window_mask, chosen_keys, delta_parallel
class InductionHead(nn.Module):
    """One causal head for 64 tokens, whose keys are made from the token before."""

    def __init__(self, kind, head_dim=16, index_dim=2):
        super().__init__()
        self.kind = kind
        self.embedding = nn.Embedding(64, 32)
        self.W_query, self.W_key, self.W_value = (nn.Linear(32, head_dim, bias=False) for _ in range(3))
        self.W_beta, self.unembedding = nn.Linear(32, 1), nn.Linear(head_dim, 64)
        self.W_latent, self.W_both = nn.Linear(64, 8, bias=False), nn.Linear(8, 2 * head_dim, bias=False)
        self.index_query, self.index_key = (nn.Linear(32, index_dim, bias=False) for _ in range(2))

    def forward(self, ids):
        x = self.embedding(ids)[:, None]  # (b, 1, tokens, 32), for one head
        before = F.pad(x, (0, 0, 1, 0))[:, :, :-1]  # (b, 1, tokens, 32)
        queries, keys, values = self.W_query(x), self.W_key(before), self.W_value(x)
        self.index_loss, num_tokens = 0, ids.shape[1]
        if self.kind == "adding":
            context = linear_parallel(queries, keys, values)
        elif self.kind == "delta rule":
            betas = torch.sigmoid(self.W_beta(x))[..., 0]  # (b, 1, tokens)
            context = delta_parallel(queries, F.normalize(keys, dim=-1), values, betas)
        else:
            if self.kind == "latent of 8":
                keys, values = self.W_both(self.W_latent(torch.cat((before, x), dim=-1))).chunk(2, dim=-1)
            visible = ~window_mask(num_tokens, num_tokens, 16 if self.kind == "window of 16" else num_tokens)
            if self.kind == "indexer, top 8":
                visible = visible & self.chosen(x.detach(), before.detach(), queries, keys, visible)
            context = F.scaled_dot_product_attention(queries, keys, values, attn_mask=visible)
        return self.unembedding(context[:, 0])  # (b, tokens, 64)

    def chosen(self, x, before, queries, keys, visible):
        """What your indexer lets through; in training, everything, while it learns to point where attention looks."""
        queries_of_index, keys_of_index = self.index_query(x), self.index_key(before)[:, 0]
        if not self.training:
            ones = torch.ones_like(x[:, 0, :, :1])  # (b, tokens, 1): one index head
            return chosen_keys(queries_of_index, keys_of_index, ones, 8)[:, None]  # (b, 1, tokens, tokens)
        weights = torch.softmax((queries @ keys.mT / 4).masked_fill(~visible, -torch.inf), dim=-1).detach()
        scores = torch.relu(queries_of_index @ keys_of_index[:, None].mT).masked_fill(~visible, -1e9)
        self.index_loss = -(weights * torch.log_softmax(scores, dim=-1)).sum(dim=-1).mean()
        return visible


def strings_twice(length, generator, count=32):
    """Strings of `length` different tokens, twice: (b, 2 * length)."""
    once = torch.rand(count, 64, generator=generator).argsort(dim=1)[:, :length]
    return once.repeat(1, 2)


def induction_trained(kind, seed=0, steps=300, head_dim=16, index_dim=2):
    """A head that was trained on strings of 4, 8, 16 and 32 tokens."""
    torch.manual_seed(seed)
    head = InductionHead(kind, head_dim, index_dim)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(head.parameters(), lr=0.01)
    for step in range(steps):
        length = (4, 8, 16, 32)[step % 4]
        ids = strings_twice(length, generator)
        logits = head(ids)  # (b, tokens, 64)
        loss = F.cross_entropy(logits[:, length:-1].flatten(0, 1), ids[:, length + 1 :].flatten())
        optimizer.zero_grad()
        (loss + head.index_loss).backward()
        optimizer.step()
    return head.eval()


@torch.no_grad()
def right_again(head, length):
    """How often a token of the second copy is right, on new strings."""
    ids = strings_twice(length, torch.Generator().manual_seed(99), count=128)
    return float((head(ids)[:, length:-1].argmax(dim=-1) == ids[:, length + 1 :]).float().mean())


# %% id="recall-shown" tags=["figure", "measured", "shown"]
# needs right_again
VARIANTS = ("all keys", "window of 16", "latent of 8", "indexer, top 8", "adding", "delta rule")
lengths_tried, recall = (4, 8, 16, 32), {}
for kind in VARIANTS:
    head = induction_trained(kind)
    recall[kind] = lengths_tried, [right_again(head, length) for length in lengths_tried]
recall["chance"] = lengths_tried, [1 / length for length in lengths_tried]
training_curves(recall, "Needles found by one head, head_dim 16", "right the second time", "different tokens")

# %% id="recall-revealed" tags=["measured", "shown"]
# needs recall
reveal("recall", sum(recall["delta rule"][1][-1] < bound for bound in (0.8, 0.5)))

# %% id="rewritten-shown"
# needs delta_rule
torch.manual_seed(0)
some_keys = torch.eye(16)[None, None, :8].repeat(1, 1, 2, 1)  # eight keys, each written twice
some_values = torch.randn(1, 1, 16, 16)
some_betas = torch.ones(1, 1, 16)
found = delta_rule(some_keys, some_keys, some_values, some_betas)
newest = torch.allclose(found[:, :, 8:], some_values[:, :, 8:], atol=1e-5)
added = (some_keys @ some_keys.mT).tril() @ some_values
summed = torch.allclose(added[:, :, 8:], some_values[:, :, :8] + some_values[:, :, 8:], atol=1e-5)
print("a key written twice: the delta rule gives the newest value:", newest)
print("adding gives the sum of both:", summed)

# %% [markdown] id="recall-read"
# In 22 runs (seeds 0 to 21), attention to all keys found every needle. A **window** of 16 found all of them in up to
# 16 tokens, but at most 0.3 % in 32: less than chance, because it sees only other tokens. A **latent** of 8 numbers
# for key and value together found at least 96 %, whatever the length. The **indexer** found 76 to 86 % of the 32, and
# at least 98 % with 4 numbers in its head instead of 2. It needs good rough scores, but fewer numbers than attention.
#
# A memory of 16 × 16 numbers mixes what it stores, because no more than 16 keys can be at right angles. With 8
# tokens, the delta rule got at least 94 % right and adding at most 81 %; with 32 tokens, both got less than 40 %.
# With a head_dim of 32, the delta rule got at least 97 % of the 32 right. So Qwen3-Next, Qwen3.5 and 3.6 mix layers:
# three with a fading delta rule (and a short convolution before it), then one with softmax, which can still find a
# single token. [Kimi Linear](https://arxiv.org/abs/2510.26692) mixes three to one as well.

# %% [markdown] id="mods-intro"
# ## 8 · Optional: A mask is a function
#
# Training texts are packed into one row, so a mask can depend on documents, windows and prefixes at once.
# [FlexAttention](https://arxiv.org/abs/2412.05496) takes a function, `mask_mod(b, h, query, key)`, which returns True
# where a key is **visible**. It receives positions as tensors and is called for all of them at once, so `and`, `or`,
# `not` and `if` do not work in it: write `&`, `|`, `~`.
#
# ### Task 18 · Packed documents
#
# *6 minutes · about six lines · task id* `packed-mod`
#
# Write `packed_mod(documents, window, prefixes)`, which returns such a function. A key is visible in two cases, both
# only within the query's own document: it is not in the future and lies in the window; or query and key both lie in
# the prefix of row `b`, the first `prefixes[b]` tokens, which see each other in both directions.


# %% answer="packed-mod"
def packed_mod(documents, window, prefixes):
    """Make the mask of packed documents.

    Shapes:
        documents: (b, tokens), the number of each token's document
        prefixes: (b,), whole numbers
        returns: a function of b, h, query and key, whole numbers of any one shape, that gives True where the key is visible
    """

    ### BEGIN SOLUTION
    def mask_mod(b, h, query, key):
        same = documents[b, query] == documents[b, key]
        recent = (query >= key) & (query - key < window)
        prefix = (query < prefixes[b]) & (key < prefixes[b])
        return same & (recent | prefix)

    return mask_mod
    ### END SOLUTION


# %% check="packed-mod" points=0
check("packed-mod")

# %% id="mods-shown" tags=["figure"]
# needs packed_mod
from torch.nn.attention.flex_attention import create_block_mask, create_mask, flex_attention

packed = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1, 1]])  # (b, tokens)
visible_to = packed_mod(packed, 3, torch.tensor([2]))
packed_seen = create_mask(visible_to, 1, 1, 9, 9, device="cpu")[0, 0].float()  # (query, key)
visible_keys(
    packed_seen,
    TOKENS,
    title="Two packed documents, a window of 3",
    frames={"document 0": (0, 4), "document 1": (4, 9), "prefix": (0, 2)},
)

# %% id="mods-proof" tags=["shown"]
# needs window_mask, packed_seen
by_hand = (packed[0][:, None] == packed[0]) & ~window_mask(9, 9, 3)  # (tokens, tokens)
by_hand[:2, :2] = True
q, k, v = torch.randn(3, 1, 2, 9, 16)  # (b, heads, tokens, head_dim) each
block_mask = create_block_mask(visible_to, 1, None, 9, 9, device="cpu")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it says that it is slow without torch.compile, as the text below does
    flexed = flex_attention(q, k, v, block_mask=block_mask)
masked = F.scaled_dot_product_attention(q, k, v, attn_mask=by_hand)
print("equal to your masks:", torch.equal(packed_seen.bool(), by_hand))
print("equal attention:", torch.allclose(flexed, masked, atol=1e-5))

# %% [markdown] id="choose-intro"
# Without `torch.compile`, as here, this is a way to *write* masks, not to save time: all scores are computed and then
# masked. A compiled kernel skips the blocks in which nothing is visible.
#
# ## 9 · Choose
#
# ### Task 19 · What a cache takes
#
# *9 minutes · about ten lines · task id* `plan-bytes`
#
# Write `plan_bytes(layers, num_tokens, bytes_per_number=2)`, the bytes of the cache of one text. `layers` is a list
# with a dictionary for each layer:
#
# | `layer["kind"]` | what it keeps | other entries |
# | --- | --- | --- |
# | `"full"` | keys and values of all tokens | `groups`, `head_dim` |
# | `"window"` | the same, of at most `window` tokens | `groups`, `head_dim`, `window` |
# | `"latent"` | a latent and a rotated key for each token | `latent_dim`, `rope_dim` |
# | `"delta"` | one memory for each head, whatever the length | `heads`, `head_dim`, `value_dim` |


# %% answer="plan-bytes"
def plan_bytes(layers, num_tokens, bytes_per_number=2):
    """The bytes that the cache of one text takes.

    layers: a list of dictionaries, one for each layer
    returns: how many bytes
    """
    ### BEGIN SOLUTION
    numbers = 0
    for layer in layers:
        if layer["kind"] == "full":
            numbers += 2 * layer["groups"] * layer["head_dim"] * num_tokens
        elif layer["kind"] == "window":
            numbers += 2 * layer["groups"] * layer["head_dim"] * min(num_tokens, layer["window"])
        elif layer["kind"] == "latent":
            numbers += (layer["latent_dim"] + layer["rope_dim"]) * num_tokens
        else:
            numbers += layer["heads"] * layer["head_dim"] * layer["value_dim"]
    return numbers * bytes_per_number
    ### END SOLUTION


# %% check="plan-bytes" points=3
check("plan-bytes")


# %% id="plans"
# needs plan_bytes
def full(groups, head_dim):
    return {"kind": "full", "groups": groups, "head_dim": head_dim}


def windowed(groups, head_dim, window):
    return {"kind": "window", "groups": groups, "head_dim": head_dim, "window": window}


delta = {"kind": "delta", "heads": 32, "head_dim": 128, "value_dim": 128}
PLANS = {
    "Llama 2 7B": [full(32, 128)] * 32,
    "Mistral 7B v0.1": [windowed(8, 128, 4096)] * 32,
    "Gemma 3 4B": [full(4, 256) if place % 6 == 5 else windowed(4, 256, 1024) for place in range(34)],
    "gpt-oss 120B": [windowed(8, 64, 128), full(8, 64)] * 18,
    "DeepSeek-V3": [{"kind": "latent", "latent_dim": 512, "rope_dim": 64}] * 61,
    "Qwen3-Next 80B": [delta, delta, delta, full(2, 256)] * 12,
}
for name, layers in PLANS.items():
    sizes = "".join(f"{plan_bytes(layers, 2**power):18,}" for power in (13, 17))
    print(f"{name:16} {sizes}   (8,192 and 131,072 tokens)")

# %% id="plans-shared"
# needs plan_bytes, kv_sources
windows = [0 if layer % 5 == 4 else 512 for layer in range(35)]  # Gemma 3n, as transformers configures it
layers = [windowed(2, 256, window) if window else full(2, 256) for window in windows]
keeping = sorted(set(kv_sources(torch.tensor(windows), num_shared=15).tolist()))
shared = plan_bytes([layers[layer] for layer in keeping], 2**17)
print(f"35 layers that keep their own: {plan_bytes(layers, 2**17):,} bytes for 131,072 tokens")
print(f"the same where the last 15 share: {shared:,}")

# %% [markdown] id="lengths-intro"
# What does each form need as a text gets longer? On the left are the bytes from *your* function, for one layer with 8
# heads of 64 and four bytes a number. On the right is the time for one more token, from a run of this course (`python
# -m benchmarks.lengths`), which first compares each form with the library.

# %% id="lengths-figure" tags=["figure"]
# needs plan_bytes
FORMS = {
    "plain": full(8, 64),
    "grouped": full(2, 64),
    "window": windowed(8, 64, 1024),
    "latent": {"kind": "latent", "latent_dim": 256, "rope_dim": 32},
    "delta": {"kind": "delta", "heads": 8, "head_dim": 64, "value_dim": 64},
}
lengths = [2**power for power in range(10, 15)]
kept = [[plan_bytes([layer], length, 4) for length in lengths] for layer in FORMS.values()]
length_curves(list(FORMS), kept)

# %% [markdown] id="lengths-read"
# A window or a fixed-size memory grows in neither bytes nor time. In that run, at 16,384 tokens, the latent form kept
# 28 % of the plain one's bytes but took 1.8 times as long, because comparing a query with a latent takes 288
# multiplications instead of 64. Whether bytes or arithmetic matters more depends on the machine.

# %% [markdown] id="choice-intro"
# ## In your own words
#
# *7 minutes · graded by a person, 3 points*
#
# You have 8 GiB for the cache of one text of 131,072 tokens, and a question about one sentence anywhere in it.
# **Choose** the attention of one of the six models. Use your numbers to prove that it fits. Say what it gives up
# compared with Llama 2, using something you measured in this lesson, and name one form that fits but that you would
# reject. Four to six sentences.

# %% [markdown] answer="choice-in-words" points=3
# ### BEGIN SOLUTION
# I choose the attention of gpt-oss. At 131,072 tokens, its cache takes 4,836,556,800 bytes, less than 8 GiB, which is
# 8,589,934,592. Llama 2's would take 68,719,476,736. Half of its layers see at most 128 tokens, so a distant sentence
# reaches them only through the other half, which keeps every key, so a single token can be found. I reject Mistral's
# windows: they fit with 536,870,912 bytes, but keep only 4,096 tokens in each layer, and anything further back
# arrives only as a mixture of mixtures. DeepSeek-V3's attention does not fit: 9,210,691,584 bytes. Qwen3-Next's fits,
# since every fourth layer keeps all keys; with the delta rule alone less than 40 % of 32 tokens were found again in a
# memory of 16 × 16.
#
# **Marking scheme**
#
# - 1 point: chooses a form that fits (Gemma 3, gpt-oss or Qwen3-Next) and gives its bytes from `plan_bytes`, compared
#   with 8 GiB.
# - 1 point: says what it gives up, with a measurement: how far information travels, fewer pairs found again, or
#   windows in most layers.
# - 1 point: rejects a form that fits, with the reason: Mistral's windows keep no token further back than 4,096 in any
#   layer, or another with a measured reason.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you have built
#
# | change | keeps for each token | gives up |
# | --- | --- | --- |
# | window | nothing beyond `window` tokens | direct sight; a layer carries information `window - 1` tokens further |
# | sink | nothing | rows that add up to 1 |
# | latent | latent_dim + rope_dim numbers | keys of any rank; more arithmetic for each comparison |
# | one projection for both | half | separate keys and values |
# | sharing between layers | nothing in the layers that share | their own keys and values |
# | indexer | one more short key | keys that the indexer does not choose |
# | partial rotation, stretched positions | as before | some knowledge of distance |
# | QK-norm, soft cap | as before | scores without a bound |
# | gate | nothing | one more matrix of weights |
# | linear, delta | nothing | finding any one of many tokens |
#
# - The question at the start has several answers. Keep less for each token (latent), keep fewer tokens (windows),
#   read fewer (an indexer), keep none (a memory), and leave some layers full, so that something can still look
#   anywhere. Each of these limits what the model can still retrieve.
# - A ring needs no order, a sink needs no value, a latent needs no key.
# - What was never trained has no right score, and every way to stretch positions makes new distances.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. What does a layer with a window of 1 compute?</summary>
#
# Each token's own value, through `out_proj`. No information moves.
#
# </details>
#
# <details><summary>2. Why does DeepSeek not rotate the keys of all heads?</summary>
#
# Then a rotation would come between query and latent, a different one for each distance, so moving the query into the
# space of the latents once would not be enough.
#
# </details>
#
# <details><summary>3. A soft cap of 50 is applied after the mask instead of before it. What happens?</summary>
#
# The −∞ becomes −50. The future then has a score like any other, and a row whose scores are near −50 sees it.
#
# </details>
#
# <details><summary>4. With β = 1, keys of length 1, and every key at right angles to all others: how do the delta rule and adding differ?</summary>
#
# They do not: the memory is still empty in the direction of a new key.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Efficient Streaming Language Models with Attention Sinks**, Xiao and others, 2023. Why the first tokens must
#   stay.
# - **gpt-oss-120b & gpt-oss-20b Model Card**, OpenAI, 2025. Windows in every second layer, and a learned sink for
#   each head.
# - **Gemma 3 Technical Report**, Gemma Team, 2025. Five layers with a window to one without, and QK-norm in place of
#   the soft cap.
# - **DeepSeek-V2**, DeepSeek-AI, 2024. Latent attention, the rotated part, and how weights are absorbed.
# - **DeepSeek-V3.2**, DeepSeek-AI, 2025. Sparse attention with an indexer.
# - **Extending Context Window of Large Language Models via Positional Interpolation**, Chen and others, 2023.
#   Dividing positions, with some further training.
# - **YaRN**, Peng and others, 2023. Which pairs to stretch.
# - **Gated Attention for Large Language Models**, Qiu and others, 2025. A sigmoid after attention, compared with
#   other places for it.
# - **Parallelizing Linear Transformers with the Delta Rule over Sequence Length**, Yang and others, 2024. All changes
#   of a piece of text at once.
# - **Gated Delta Networks**, Yang, Kautz and Hatamizadeh, 2024. The delta rule with a memory that fades.

# %% id="progress"
progress("13-attention-today")
