# %% [markdown] id="title"
# # 14 · Serve it
#
# A model that answers one reader at a time wastes nearly everything: for each token it reads all its weights, reserves
# memory for the longest possible answer, and multiplies with a single row. **How do the programs that serve models
# answer many readers at once, with exactly the same tokens?** You build four ideas that servers such as vLLM and SGLang
# have in common, and run them with a trained model on your processor.
#
# **When you are done you can**
#
# - write a cache in blocks, with a table for each text, shared beginnings and copy on write;
# - compute attention for texts of different lengths in one row, without padding;
# - write a scheduler that cuts prompts into chunks and lets texts join and leave at every step;
# - write speculative decoding, and prove that it changes no probability;
# - say what a served token costs in bytes and operations, and which of the two you wait for.
#
# **Time:** about 140 minutes, an estimate. **Before you start:** the cache of lesson 11, `TinyTransformer` and the
# choice of the next token (lesson 12). You do not need a GPU.

# %% id="setup"
import time

from autograder import bring_over, check, hint, predict, progress, reveal, review
from visuals import block_table, explore_schedule, training_curves
from visuals.checkpoint import HELD_OUT, NUM_HEADS, decode, encode
from visuals.checkpoint.train import trained

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)


# %% id="review"
review("14-serve-it")


# %% id="course-classes"
# From lessons 05, 08 and 11.
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        q, k, v = (
            project(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # (b, heads, tokens, head_dim)
            for project in (self.W_query, self.W_key, self.W_value)
        )
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # (b, heads, tokens, head_dim)
        return self.out_proj(context.transpose(1, 2).flatten(2))  # (b, tokens, d_out)


class Block(nn.Module):
    def __init__(self, d_model, num_heads, context_length):
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, d_model, context_length, 0.0, num_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))  # (b, tokens, d_model)
        return x + self.mlp(self.norm_2(x))  # (b, tokens, d_model)


class TinyTransformer(nn.Module):
    def __init__(self, vocab, d_model, num_heads, num_layers, context_length, position="learned"):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.positions = nn.Embedding(context_length, d_model)
        self.blocks = nn.ModuleList(Block(d_model, num_heads, context_length) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model)
        self.unembedding = nn.Linear(d_model, vocab, bias=False)

    def forward(self, ids):
        x = self.embedding(ids) + self.positions.weight[: ids.shape[1]]  # (b, tokens, d_model)
        for block in self.blocks:
            x = block(x)  # (b, tokens, d_model)
        return self.unembedding(self.norm(x))  # (b, tokens, vocab)


class KVCache:
    def __init__(self, batch_size, num_heads, max_tokens, head_dim):
        self.num_tokens = 0
        self.keys = torch.zeros(batch_size, num_heads, max_tokens, head_dim)
        self.values = torch.zeros_like(self.keys)

    def append(self, keys, values):
        end = self.num_tokens + keys.shape[2]
        self.keys[:, :, self.num_tokens : end] = keys
        self.values[:, :, self.num_tokens : end] = values
        self.num_tokens = end
        return self.keys[:, :, :end], self.values[:, :, :end]  # each (b, heads, num_tokens, head_dim)


def next_probabilities(logits, temperature=1.0):
    """What the next token is drawn from: (b, vocab) to (b, vocab)."""
    return torch.softmax(logits / temperature, dim=-1)


# %% id="own-classes"
TinyTransformer = bring_over("08-train-it", "tiny-transformer", TinyTransformer)
TinyTransformer.forward.__globals__["MultiHeadAttention"] = bring_over(
    "05-multi-head", "multi-head-attention", MultiHeadAttention
)
KVCache = bring_over("11-fast-attention", "kv-cache", KVCache)
next_probabilities = bring_over("12-real-models", "next-probabilities", next_probabilities)

# %% [markdown] id="model-intro"
# The model is the one that you read in lesson 10: two layers and four heads, trained on Python's documentation, one
# token for each character. Its numbers go into your `TinyTransformer`. The given function `run_model` runs your blocks
# on one row of tokens, and leaves attention to a function that you pass in. So each idea of this lesson is another
# `attend`, and the model stays the same.


# %% id="model-given"
def own_model():
    """The trained checkpoint in your own class."""
    theirs = trained()
    vocab, d_model = theirs.wte.weight.shape
    model = TinyTransformer(vocab, d_model, NUM_HEADS, len(theirs.h), len(theirs.wpe.weight), "learned")
    numbers = {"embedding.weight": theirs.wte.weight, "unembedding.weight": theirs.wte.weight}
    numbers |= {"positions.weight": theirs.wpe.weight}
    numbers |= {f"norm.{kind}": getattr(theirs.ln_f, kind) for kind in ("weight", "bias")}
    for layer, block in enumerate(theirs.h):
        own = f"blocks.{layer}."
        for kind in ("weight", "bias"):
            numbers[f"{own}norm_1.{kind}"] = getattr(block.ln_1, kind)
            numbers[f"{own}norm_2.{kind}"] = getattr(block.ln_2, kind)
        for name, part in zip(("W_query", "W_key", "W_value"), block.attn.c_attn.weight.T.chunk(3)):
            numbers[f"{own}attention.{name}.weight"] = part  # (d_model, d_model)
        layers = {"attention.out_proj": block.attn.c_proj, "mlp.0": block.mlp.c_fc, "mlp.2": block.mlp.c_proj}
        for name, one in layers.items():
            numbers |= {f"{own}{name}.weight": one.weight.T, f"{own}{name}.bias": one.bias}
    parameters = dict(model.requires_grad_(False).named_parameters())  # a server computes no gradients
    for name, tensor in numbers.items():
        parameters[name].copy_(tensor.detach())
    return model.eval()


def run_model(model, ids, positions, attend):
    """The logits of one row of tokens.

    ids, positions: (tokens,); attend(layer, q, k, v): from (heads, tokens, head_dim) to the same
    returns: (tokens, vocab)
    """
    x = model.embedding(ids) + model.positions.weight[positions]  # (tokens, d_model)
    for layer, block in enumerate(model.blocks):
        read, attention = block.norm_1(x), block.attention
        q, k, v = (
            project(read).unflatten(-1, (NUM_HEADS, -1)).transpose(0, 1)  # (heads, tokens, head_dim)
            for project in (attention.W_query, attention.W_key, attention.W_value)
        )
        x = x + attention.out_proj(attend(layer, q, k, v).transpose(0, 1).flatten(1))  # (tokens, d_model)
        x = x + block.mlp(block.norm_2(x))  # (tokens, d_model)
    return model.unembedding(model.norm(x))  # (tokens, vocab)


def see_past(q, k, v):
    """Causal attention of the last queries: (heads, new, head_dim) and (heads, tokens, head_dim)."""
    new, tokens = q.shape[1], k.shape[1]
    visible = torch.ones(new, tokens, dtype=torch.bool).tril(tokens - new)  # (new, tokens)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=visible)  # (heads, new, head_dim)


def write_alone(model, prompt, count):
    """One text after the other, with the cache of lesson 11: the new tokens (count,), greedily."""
    caches = [KVCache(1, NUM_HEADS, len(prompt) + count, 24) for _ in model.blocks]

    def attend(layer, q, k, v):
        return see_past(q, *(part[0] for part in caches[layer].append(k[None], v[None])))

    new, start, written = prompt, 0, []
    for _ in range(count):
        logits = run_model(model, new, torch.arange(start, start + len(new)), attend)  # (new, vocab)
        start += len(new)
        new = logits[-1:].argmax(dim=-1)  # (1,)
        written.append(new)
    return torch.cat(written)


model = own_model()
print(repr(decode(write_alone(model, encode("A list is a mutable "), 60))))

# %% [markdown] id="blocks-intro"
# ## 1 · A cache in blocks
#
# The cache of lesson 11 reserves one long strip for each text. How long an answer will be is not known, so the strip
# has to be as long as the longest one, and most of it stays empty. Operating systems had this problem with programs
# and solved it with **pages**: memory is cut into small blocks of one size, and a table says in which block each piece
# is. Paged attention (Kwon and others, 2023) does the same with keys and values.

# %% id="blocks-figure" tags=["figure"]
block_table(
    {"A": ([3, 0, 5], 10), "B": ([2, 4], 7)},
    num_blocks=6,
    block_size=4,
)

# %% [markdown] id="blocks-read"
# The pool has six blocks of four tokens. Text A has ten tokens: the first four are in block 3, the next four in
# block 0, and the last two in block 5. Its **block table** is `[3, 0, 5]`. The blocks need no order and no
# neighbourhood. At most the last block of a text is partly empty.
#
# Number all places of the pool from 0: block 0 has the **slots** 0 to 3, block 1 the slots 4 to 7. Token 5 of text A
# is in the second block of its table, which is block 0, in place 5 − 4 = 1. Its slot is 0 · 4 + 1 = 1.
#
# ### Task 1 · Where is a token?
#
# *5 minutes · one or two lines · task id* `find-slots`
#
# Write `find_slots(table, positions, block_size)`: the slots in the pool of the tokens at these positions of a text.
# The positions can come in any order.


# %% answer="find-slots"
def find_slots(table, positions, block_size):
    """The slots of some tokens of a text.

    Shapes:
        table: (blocks,), whole numbers
        positions: (tokens,), whole numbers
        returns: (tokens,), whole numbers
    """
    ### BEGIN SOLUTION
    blocks = table[positions // block_size]  # (tokens,)
    return blocks * block_size + positions % block_size
    ### END SOLUTION


# %% check="find-slots" points=2
check("find-slots")

# %% id="find-slots-shown"
# needs find_slots
print(find_slots(torch.tensor([3, 0, 5]), torch.arange(10), 4))

# %% [markdown] id="bug-read-blocks-task"
# Attention needs the keys of a text in their order again. In the pool, each block keeps its heads apart: (blocks,
# heads, block_size, head_dim).
#
# ### Task 2 · Find the bug: tokens of another head
#
# *6 minutes · one line · task id* `bug-read-blocks`
#
# `read_paged` collects the blocks of a text and returns (heads, num_tokens, head_dim). With one head it is right. With
# two heads the shape is right and the numbers are not: the cell after it prints `[[0, 1, 2, 10, 11], [3, 4, 5, 13,
# 14]]`. In this pool, the keys of head 0 are 0 to 5 and those of head 1 are 10 to 15. Correct it.


# %% answer="bug-read-blocks"
### BEGIN SOLUTION
def read_paged(pool, table, num_tokens):
    """The keys (or the values) of a text in the order of its tokens.

    Shapes:
        pool: (pool_blocks, heads, block_size, head_dim)
        table: (blocks,), whole numbers
        returns: (heads, num_tokens, head_dim)
    """
    blocks = pool[table].transpose(0, 1)  # (heads, blocks, block_size, head_dim)
    return blocks.flatten(1, 2)[:, :num_tokens]


### END SOLUTION
### BEGIN FAULTY
# def read_paged(pool, table, num_tokens):
#     """The keys (or the values) of a text in the order of its tokens.
#
#     Shapes:
#         pool: (pool_blocks, heads, block_size, head_dim)
#         table: (blocks,), whole numbers
#         returns: (heads, num_tokens, head_dim)
#     """
#     blocks = pool[table]  # (blocks, heads, block_size, head_dim)
#     return blocks.reshape(pool.shape[1], -1, pool.shape[3])[:, :num_tokens]
### END FAULTY

# %% id="bug-read-blocks-symptom"
small = torch.tensor([[[0, 1, 2], [10, 11, 12]], [[3, 4, 5], [13, 14, 15]]])[..., None]  # (2, 2, 3, 1)
print(read_paged(small, torch.tensor([0, 1]), 5)[..., 0].tolist())

# %% check="bug-read-blocks" points=1
check("bug-read-blocks")

# %% [markdown] id="paged-cache-task"
# ### Task 3 · A paged cache
#
# *15 minutes · about fifteen lines · task id* `paged-cache`
#
# Write `append` and `free`. `users` counts for each block how many texts use it: 0 means that it is free. `tables` and
# `lengths` have an entry for each text that is in the cache, under its name.
#
# `append` stores the keys and values of new tokens after those that the text already has. It fills the last block
# before it takes free blocks, no more than needed, and sets their `users` to 1. It returns the keys and the values of
# all tokens of the text. A text that it does not know begins empty, and each call has at least one new token. If
# there are too few free blocks, raise a ValueError and leave everything as it was.
#
# `free` forgets a text, and each of its blocks loses one user. From the next task on, a block can have several.


# %% answer="paged-cache"
class PagedCache:
    """Keys and values of many texts, in blocks of one size."""

    def __init__(self, num_blocks, block_size, num_heads, head_dim):
        self.keys = torch.zeros(num_blocks, num_heads, block_size, head_dim)
        self.values = torch.zeros_like(self.keys)
        self.users = [0] * num_blocks
        self.tables = {}  # the blocks of each text, a list
        self.lengths = {}  # how many tokens each text has

    def append(self, text, keys, values):
        """Store new tokens of a text, and return the keys and the values of all its tokens.

        Shapes:
            keys, values: (heads, new tokens, head_dim)
            returns: twice (heads, tokens, head_dim)

        Raises:
            ValueError: there are too few free blocks; nothing has changed then.
        """
        ### BEGIN SOLUTION
        size = self.keys.shape[2]
        table, start = self.tables.get(text, []), self.lengths.get(text, 0)
        end = start + keys.shape[1]
        free = [block for block, users in enumerate(self.users) if users == 0]
        needed = (end + size - 1) // size - len(table)
        if needed > len(free):
            raise ValueError(f"{needed} blocks are needed, and {len(free)} are free")
        for block in free[:needed]:
            self.users[block] = 1
        self.tables[text] = table + free[:needed]
        self.lengths[text] = end
        blocks = torch.tensor(self.tables[text], dtype=torch.long)  # (blocks,)
        places = torch.arange(start, end)  # (new tokens,)
        self.keys[blocks[places // size], :, places % size] = keys.transpose(0, 1)
        self.values[blocks[places // size], :, places % size] = values.transpose(0, 1)
        return read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end)
        ### END SOLUTION

    def free(self, text):
        """Forget a text."""
        ### BEGIN SOLUTION
        for block in self.tables.pop(text):
            self.users[block] -= 1
        del self.lengths[text]
        ### END SOLUTION


# %% check="paged-cache" points=5
check("paged-cache")


# %% id="paged-cache-shown"
# needs read_paged, PagedCache
def write_paged(model, prompt, count, caches, name):
    """As `write_alone`, with a paged cache for each layer."""

    def attend(layer, q, k, v):
        return see_past(q, *caches[layer].append(name, k, v))

    new, start, written = prompt, 0, []
    for _ in range(count):
        logits = run_model(model, new, torch.arange(start, start + len(new)), attend)  # (new, vocab)
        start += len(new)
        new = logits[-1:].argmax(dim=-1)  # (1,)
        written.append(new)
    return torch.cat(written)


caches = [PagedCache(20, 8, NUM_HEADS, 24) for _ in model.blocks]
for name in ("A list is ", "The for statement "):
    same = torch.equal(
        write_paged(model, encode(name), 40, caches, name), write_alone(model, encode(name), 40)
    )
    print(f"{name!r:22} blocks {caches[0].tables[name]}, the same text as with the plain cache: {same}")
reserved = 2 * 128
used = sum(caches[0].users) * 8
print(
    f"slots: {reserved} in two strips for the longest text, {used} in blocks, {sum(caches[0].lengths.values())} tokens"
)

# %% [markdown] id="shared-cache-task"
# ### The same beginning
#
# Many readers begin alike: with the same instructions, or with the same question of which several answers are wanted.
# The keys and values of a beginning are then the same, so its blocks can be **shared**: a second table lists the same
# blocks, and each block counts two users.
#
# This goes well as long as shared blocks are only read. When a text writes its next token into a last block that
# another text uses too, it first needs a copy of its own. This is **copy on write**. Full blocks are never written
# again, so they are never copied.
#
# ### Task 4 · Share, and copy on write
#
# *12 minutes · about fifteen lines · task id* `shared-cache`
#
# Write `fork` and `append`. `fork(text, other)` makes a new text `other` that has all tokens of `text` so far, and
# copies no keys or values; the name `other` is not in the cache yet. `append` does what it did, after one check: if it
# would write into a block that has more than one user, it copies this block's keys and values into a free one. The copy
# takes its place in this text's table only. Both counts of users are then right. `super().append(…)` does the rest. If
# too few blocks are free for the copy and the new tokens together, raise a ValueError and leave everything as it was.


# %% answer="shared-cache"
class SharedCache(PagedCache):
    """A paged cache whose texts can share blocks."""

    def fork(self, text, other):
        """Begin `other` with all tokens that `text` has."""
        ### BEGIN SOLUTION
        self.tables[other] = list(self.tables[text])
        self.lengths[other] = self.lengths[text]
        for block in self.tables[text]:
            self.users[block] += 1
        ### END SOLUTION

    def append(self, text, keys, values):
        """As in PagedCache; a shared block is copied before it is written into."""
        ### BEGIN SOLUTION
        writes_into_last = self.lengths.get(text, 0) % self.keys.shape[2] > 0 and keys.shape[1] > 0
        if writes_into_last and self.users[self.tables[text][-1]] > 1:
            last = self.tables[text][-1]
            end = self.lengths[text] + keys.shape[1]
            needed = 1 + (end + self.keys.shape[2] - 1) // self.keys.shape[2] - len(self.tables[text])
            if needed > self.users.count(0):
                raise ValueError(f"{needed} blocks are needed, and {self.users.count(0)} are free")
            own = self.users.index(0)
            self.keys[own] = self.keys[last]
            self.values[own] = self.values[last]
            self.users[own] = 1
            self.users[last] -= 1
            self.tables[text][-1] = own
        return super().append(text, keys, values)
        ### END SOLUTION


# %% check="shared-cache" points=4
check("shared-cache")

# %% id="shared-cache-shown"
# needs read_paged, PagedCache, SharedCache
cache = SharedCache(12, 4, 1, 1)
prompt = torch.arange(10.0).view(1, 10, 1)  # (heads, tokens, head_dim)
cache.append("first", prompt, prompt)
for other in ("second", "third"):
    cache.fork("first", other)
print("three texts with one beginning:", sum(users > 0 for users in cache.users), "blocks")
for at, name in enumerate(("first", "second", "third")):
    new = torch.full((1, 1, 1), 100.0 + at)  # (heads, new tokens, head_dim)
    keys, _ = cache.append(name, new, new)
    print(f"{name:6} {cache.tables[name]} ends with {keys[0, -3:, 0].tolist()}")

# %% [markdown] id="packed-attention-task"
# ## 2 · Texts in one row
#
# In a step, one text has a prompt of 50 tokens, and ten others have one new token each. Padded to a rectangle, this
# is 11 · 50 = 550 rows for 60 tokens. So the tokens of all texts are put into **one row** of 60. Linear layers and
# norms do not mind: they treat each token on its own. Only attention has to know where each text begins. In lesson 11
# you met `cu_seqlens`, the cumulative lengths. With a cache it takes two of them: text $i$ has the queries
# `cu_queries[i]` to `cu_queries[i + 1]`, and its keys, the old ones and the new ones, are `cu_keys[i]` to
# `cu_keys[i + 1]`.
#
# ### Task 5 · Attention without padding
#
# *10 minutes · about eight lines · task id* `packed-attention`
#
# Write `packed_attention(q, k, v, cu_queries, cu_keys)`. A query sees only keys of its own text, and none of the
# future. The queries of a text are its **last** tokens: its last query sees all its keys. A text can have no query in
# this step. Never make a matrix of all queries with all keys. You can use `F.scaled_dot_product_attention`.


# %% answer="packed-attention"
def packed_attention(q, k, v, cu_queries, cu_keys):
    """Causal attention of several texts in one row.

    Shapes:
        q: (heads, queries, head_dim)
        k, v: (heads, keys, head_dim)
        cu_queries, cu_keys: (texts + 1,), whole numbers
        returns: (heads, queries, head_dim)
    """
    ### BEGIN SOLUTION
    contexts = []
    for text in range(len(cu_queries) - 1):
        queries = q[:, cu_queries[text] : cu_queries[text + 1]]  # (heads, new, head_dim)
        own = slice(cu_keys[text], cu_keys[text + 1])
        keys, values = k[:, own], v[:, own]  # (heads, tokens, head_dim) each
        new, tokens = queries.shape[1], keys.shape[1]
        visible = torch.ones(new, tokens, dtype=torch.bool).tril(tokens - new)  # (new, tokens)
        contexts.append(F.scaled_dot_product_attention(queries, keys, values, attn_mask=visible))
    return torch.cat(contexts, dim=1)
    ### END SOLUTION


# %% check="packed-attention" points=3
check("packed-attention")

# %% id="packed-attention-shown"
# needs packed_attention
lengths = torch.tensor([7, 25, 18])
cu = F.pad(lengths.cumsum(dim=0), (1, 0))  # (texts + 1,)
q, k, v = torch.randn(3, 4, 50, 16)  # each (heads, tokens, head_dim)
padded = [
    nn.utils.rnn.pad_sequence(part.transpose(0, 1).split(lengths.tolist()), batch_first=True).transpose(1, 2)
    for part in (q, k, v)
]  # each (texts, heads, 25, head_dim)
rows = F.scaled_dot_product_attention(*padded, is_causal=True)  # (texts, heads, 25, head_dim)
unpadded = torch.cat([row[:, :length] for row, length in zip(rows, lengths)], dim=1)  # (heads, 50, head_dim)
packed = packed_attention(q, k, v, cu, cu)
print("equal to the padded batch:", bool((packed - unpadded).abs().max() < 1e-5))
print(f"rows: {rows.shape[0] * rows.shape[2]} padded, {packed.shape[1]} in one row")

# %% [markdown] id="schedule-intro"
# ## 3 · Who computes what in this step
#
# A text goes through two phases. Its prompt is **read**: many tokens at once. Then it **writes**: one token in each
# step. A simple server collects a batch, and waits until the longest answer is finished. **Continuous batching** (Yu
# and others, 2022) decides anew before each step: a text that is finished leaves, and its place is taken at once.
#
# A long prompt would make all others wait. So a step has a **budget** of tokens, and a prompt that does not fit is
# read in **chunks** (Agrawal and others, 2023). Play with a schedule before you write one.

# %% id="explorer" tags=["figure"]
explore_schedule(prompts=[5, 12, 3, 7], answers=[6, 3, 8, 4], budget=8)

# %% [markdown] id="explorer-read"
# Move the budget to 4 and to 27, the sum of all prompts. From which budget on do more tokens save no more steps? Then
# choose **one after the other**.
#
# <details><summary>What to see</summary>
#
# With 27, every prompt is read in the first step, and the longest answer decides: 8 steps. From 20 on it is the same.
# One after the other, it takes 6 + 3 + 8 + 4 = 21 steps from a budget of 12 on, when each prompt fits into one step.
#
# </details>

# %% [markdown] id="plan-step-task"
# ### Task 6 · Plan a step
#
# *7 minutes · about five lines · task id* `plan-step`
#
# `left` says for each text how many of its known tokens have not been computed yet. For a text that writes, this
# is 1: its newest token. For one that is finished it is 0.
#
# Write `plan_step(left, budget)`: how many tokens each text computes in this step. Texts with one token left come
# first, in their order, so that nobody who is reading an answer has to wait; it can be the last token of a prompt, too.
# What is then left of the budget goes to the prompts in the order of the texts: each gets all that it has left, or what
# remains of the budget. Never plan more than `budget` tokens together.


# %% answer="plan-step"
def plan_step(left, budget):
    """How many tokens each text computes in a step.

    Shapes:
        left: (texts,), whole numbers
        returns: (texts,), whole numbers
    """
    ### BEGIN SOLUTION
    counts = torch.zeros_like(left)  # (texts,)
    for text in sorted(range(len(left)), key=lambda one: int(left[one]) != 1):
        counts[text] = min(int(left[text]), budget)
        budget -= int(counts[text])
    return counts
    ### END SOLUTION


# %% check="plan-step" points=3
check("plan-step")

# %% [markdown] id="bug-chunk-end-task"
# The logits of a step come in one row, too: (tokens, vocab), first the tokens of text 0, then those of text 1. The
# next token of a text is read at the last of its rows.
#
# ### Task 7 · Find the bug: answers before the question
#
# *6 minutes · one line · task id* `bug-chunk-end`
#
# `next_tokens` returns the likeliest next token of each text, and −1 for a text that writes none in this step. With
# short prompts it works. With a budget, texts begin to answer in the middle of their prompts: the cell after it
# prints `[1, 2, -1]` where `[-1, 2, -1]` is right, because text 0 has computed only 2 of the 5 tokens that it had
# left. Correct it. A finished text, with 0 tokens left, writes nothing, and neither does one that waits, with no row.
# There is always at least one row.


# %% answer="bug-chunk-end"
### BEGIN SOLUTION
def next_tokens(logits, counts, left):
    """The likeliest next token of each text, -1 where there is none in this step.

    Shapes:
        logits: (tokens, vocab)
        counts, left: (texts,), whole numbers
        returns: (texts,), whole numbers
    """
    ends = counts.cumsum(dim=0) - 1  # (texts,)
    likeliest = logits[ends].argmax(dim=-1)  # (texts,)
    return torch.where((counts > 0) & (counts == left), likeliest, -1)


### END SOLUTION
### BEGIN FAULTY
# def next_tokens(logits, counts, left):
#     """The likeliest next token of each text, -1 where there is none in this step.
#
#     Shapes:
#         logits: (tokens, vocab)
#         counts, left: (texts,), whole numbers
#         returns: (texts,), whole numbers
#     """
#     ends = counts.cumsum(dim=0) - 1  # (texts,)
#     likeliest = logits[ends].argmax(dim=-1)  # (texts,)
#     return torch.where(counts > 0, likeliest, -1)
### END FAULTY

# %% id="bug-chunk-end-symptom"
some = torch.eye(4)[[0, 1, 2]]  # (tokens, vocab): two rows of text 0, one of text 1
print(next_tokens(some, torch.tensor([2, 1, 0]), torch.tensor([5, 1, 0])).tolist())

# %% check="bug-chunk-end" points=2
check("bug-chunk-end")

# %% [markdown] id="serve-task"
# ### Task 8 · Serve
#
# *14 minutes · about fifteen lines · task id* `serve`
#
# Write `serve(step, prompts, num_new, budget)`. Text $i$ begins with `prompts[i]` and writes `num_new[i]` tokens,
# at least one. Each step: count what each text has left to compute, and 0 for a text that has written all its tokens;
# plan with `plan_step`; cut from each text its next tokens, as many as planned; call `step(pieces)` with this list;
# choose with `next_tokens`, and append each new token to its text. Stop when every text has written all its tokens.
#
# `step` keeps the caches. It takes a list of one piece for each text, an empty one where it computes nothing, and
# returns the logits (tokens, vocab) of all pieces in one row.
#
# Return one row for each step: the tokens that were written, −1 for none.


# %% answer="serve"
def serve(step, prompts, num_new, budget):
    """Write all texts with continuous batching.

    Shapes:
        prompts: a list with (tokens,) for each text, whole numbers
        num_new: (texts,), whole numbers
        returns: (steps, texts), whole numbers
    """
    ### BEGIN SOLUTION
    texts, rows = list(prompts), []
    computed = torch.zeros(len(texts), dtype=torch.long)  # (texts,)
    written = torch.zeros_like(computed)  # (texts,)
    while (written < num_new).any():
        left = torch.tensor([len(text) for text in texts]) - computed  # (texts,)
        left = torch.where(written < num_new, left, 0)
        counts = plan_step(left, budget)  # (texts,)
        ends = computed + counts
        pieces = [text[start:end] for text, start, end in zip(texts, computed, ends)]
        new = next_tokens(step(pieces), counts, left)  # (texts,)
        texts = [torch.cat((text, token[token >= 0])) for text, token in zip(texts, new.split(1))]
        computed = ends
        written = written + (new >= 0)
        rows.append(new)
    return torch.stack(rows)
    ### END SOLUTION


# %% check="serve" points=4
check("serve")

# %% [markdown] id="served-intro"
# Now all parts together: your blocks, your paged caches, your packed attention, your scheduler. `server_step` makes
# the `step` of a model.
#
# **Predict, then run.** Six prompts are answered with 24 tokens each. One after the other this takes 144 steps. With
# a budget of 64 tokens a step, how many?

# %% id="served-prediction"
predict("steps-batched", "How many steps does it take with continuous batching?", ("72", "144", "about 26"))


# %% id="served-given"
def server_step(model, num_blocks=80, block_size=8):
    """A step of the model: pieces in, logits out. It keeps a paged cache for each layer."""
    caches = [SharedCache(num_blocks, block_size, NUM_HEADS, 24) for _ in model.blocks]

    def step(pieces):
        taking_part = [text for text, piece in enumerate(pieces) if len(piece)]
        starts = [caches[0].lengths.get(text, 0) for text in range(len(pieces))]
        positions = torch.cat(
            [torch.arange(start, start + len(piece)) for start, piece in zip(starts, pieces)]
        )
        new = torch.tensor([len(pieces[text]) for text in taking_part])  # (texts,)
        tokens = new + torch.tensor([starts[text] for text in taking_part])
        cu_queries, cu_keys = (F.pad(one.cumsum(dim=0), (1, 0)) for one in (new, tokens))  # (texts + 1,) each

        def attend(layer, q, k, v):
            stored = [
                caches[layer].append(text, own_k, own_v)
                for text, own_k, own_v in zip(
                    taking_part, k.split(new.tolist(), dim=1), v.split(new.tolist(), dim=1)
                )
            ]
            keys, values = (torch.cat(part, dim=1) for part in zip(*stored))  # (heads, keys, head_dim) each
            return packed_attention(q, keys, values, cu_queries, cu_keys)

        return run_model(model, torch.cat(pieces), positions, attend)

    step.caches = caches
    return step


# %% id="served-shown"
# needs read_paged, PagedCache, SharedCache, packed_attention, plan_step, next_tokens, serve
PROMPTS = ["A list is a mutable ", "The for statement ", "An exception is raised when ", "Return "]
PROMPTS += ["If the object does not have the attribute, ", "The import statement combines "]
prompts = [encode(text) for text in PROMPTS]
step = server_step(model)
table = serve(step, prompts, torch.full((6,), 24), budget=64)  # (steps, texts)
for text, column, prompt in zip(PROMPTS, table.T, prompts):
    answer = column[column >= 0]
    same = torch.equal(answer, write_alone(model, prompt, 24))
    print(f"the same tokens: {same}  {text}{decode(answer)!r}")
print(f"{len(table)} steps for {(table >= 0).sum()} tokens")

# %% id="served-revealed"
# needs read_paged, PagedCache, SharedCache, packed_attention, plan_step, next_tokens, serve
reveal("steps-batched", "144" if len(table) > 100 else "72" if len(table) > 60 else "about 26")

# %% [markdown] id="gain-intro"
# ### What it gains on your machine
#
# Tokens per second, for more and more texts at once. Each step has to go through the same Python code and to read the
# same weights, for one token or for sixteen.


# %% id="gain-figure" tags=["figure", "measured"]
# needs read_paged, PagedCache, SharedCache, packed_attention, plan_step, next_tokens, serve
def per_second(count):
    """Tokens per second with so many texts at once."""
    some, begun = [encode(PROMPTS[at % 6][:12]) for at in range(count)], time.perf_counter()
    written = serve(server_step(model), some, torch.full((count,), 24), budget=64)
    return int((written >= 0).sum()) / (time.perf_counter() - begun)


AT_ONCE = [1, 2, 4, 8, 16]
rates = [max(per_second(count) for _ in range(2)) for count in AT_ONCE]
training_curves(
    {"one step for all": (AT_ONCE, rates)},
    "Many texts at once",
    unit="tokens per second",
    along="texts at once",
)

# %% [markdown] id="speculate-intro"
# ## 4 · Guess first, check at once
#
# On an accelerator, a step with five tokens takes hardly longer than one with a single token; section 5 says why. But a
# text that is written has only one new token, because each depends on the one before. **Speculative decoding**
# (Leviathan and others, 2022; Chen and others, 2023) guesses: a small and fast **draft** model proposes the next four
# tokens, and the large model, the **target**, computes the probabilities after all of them in one step. Guesses that
# fit are kept.
#
# Which guesses fit? Say there are three tokens. The draft has the probabilities $q$ = (0.5, 0.25, 0.25) and the target
# $p$ = (0.25, 0.25, 0.5).
#
# | token | $q$ | $p$ | kept with | comes out this way | missing |
# | --- | --- | --- | --- | --- | --- |
# | 0 | 0.5 | 0.25 | 0.5 | 0.25 | 0 |
# | 1 | 0.25 | 0.25 | 1 | 0.25 | 0 |
# | 2 | 0.25 | 0.5 | 1 | 0.25 | 0.25 |
#
# Token 0 is guessed twice as often as the target wants it, so half of these guesses are refused. Whenever a guess is
# refused, the token is drawn from what is **missing**, here always token 2. Together that is exactly $p$:
#
# $$\text{keep } x \text{ with } \min\left(1, \frac{p(x)}{q(x)}\right), \qquad \text{otherwise draw from }
# \frac{\max(0, p - q)}{\sum \max(0, p - q)}$$


# %% id="pick-given"
def pick(probabilities, draw):
    """Turn a random number from 0 to 1 into a token, () of whole numbers, that has these probabilities (vocab,)."""
    below = (probabilities.cumsum(dim=-1) <= draw).sum()  # how many tokens are passed over
    return below.clamp(max=len(probabilities) - 1)


# %% [markdown] id="speculate-task"
# ### Task 9 · Keep or refuse
#
# *13 minutes · about seven lines · task id* `speculate`
#
# Write `speculate(drafts, q, p, draws)`. Go through the guesses in order. Guess $i$ is kept if `draws[i]` is smaller
# than $p_i(x) / q_i(x)$. At the first one that is refused, stop: choose a token from what is missing with `pick` and
# `draws[-1]`. If all guesses are kept, one more token comes free: `pick` it from the last row of `p`, with the same
# `draws[-1]`. Return the kept guesses and this one token after them.


# %% answer="speculate"
def speculate(drafts, q, p, draws):
    """The tokens that come of some guesses.

    Shapes:
        drafts: (guesses,), whole numbers
        q: (guesses, vocab)
        p: (guesses + 1, vocab)
        draws: (guesses + 1,), random numbers from 0 to 1
        returns: (kept + 1,), whole numbers
    """
    ### BEGIN SOLUTION
    for place, token in enumerate(drafts.tolist()):
        if draws[place] >= p[place, token] / q[place, token]:
            missing = (p[place] - q[place]).clamp(min=0)  # (vocab,)
            instead = pick(missing / missing.sum(), draws[-1])
            return torch.cat((drafts[:place], instead.view(1)))
    return torch.cat((drafts, pick(p[-1], draws[-1]).view(1)))
    ### END SOLUTION


# %% check="speculate" points=4
check("speculate")

# %% [markdown] id="exact-intro"
# ### Is the distribution really unchanged?
#
# For a small vocabulary you can add up **all** cases. A guess $x$ has the probability $q(x)$. Where all limits are
# multiples of 1/12, twelve equally likely draws in the middles between them stand for all draws. So the sum below is
# exact, up to rounding. After it comes the same question with 20,000 random rounds. Each frequency has a standard error of
# $\sqrt{p(1 - p) / 20000}$, at most 0.0035. A difference of more than four of them would hardly be chance.

# %% id="exact-shown"
# needs speculate
draft_says, target_says = (
    torch.tensor([6.0, 3, 2, 1]) / 12,
    torch.tensor([3.0, 2, 4, 3]) / 12,
)  # (vocab,) each
middles = (torch.arange(12) + 0.5) / 12
both = torch.stack((target_says, target_says))  # (guesses + 1, vocab)
exact = torch.zeros(4)
for token in range(4):
    for first in middles:
        for last in middles:
            came = speculate(torch.tensor([token]), draft_says[None], both, torch.stack((first, last)))
            exact[came[0]] += draft_says[token] / 12**2
print("target:   ", [f"{one:.4f}" for one in target_says.tolist()])
print("exact sum:", [f"{one:.4f}" for one in exact.tolist()])

torch.manual_seed(14)
ROUNDS = 20_000
guesses = torch.multinomial(draft_says, ROUNDS, replacement=True)  # (rounds,)
counted = torch.zeros(4)
for guess, draws in zip(guesses.split(1), torch.rand(ROUNDS, 2)):
    counted[speculate(guess, draft_says[None], both, draws)[0]] += 1
errors = (target_says * (1 - target_says) / ROUNDS).sqrt()  # (vocab,)
print("drawn:    ", [f"{one:.4f}" for one in (counted / ROUNDS).tolist()])
print("all within four standard errors:", bool(((counted / ROUNDS - target_says).abs() < 4 * errors).all()))

# %% [markdown] id="draft-intro"
# How many tokens does one step of the target bring? Here the draft is a table: how often did each character follow the
# two before it, in a text that the target was not trained on. It is a poor model, and costs nearly nothing.


# %% id="draft-shown"
# needs speculate
def counted_draft(text):
    """The probabilities of each character after two others: (vocab, vocab, vocab)."""
    ids, vocab = encode(text), len(model.embedding.weight)
    counts = torch.zeros(vocab, vocab, vocab) + 1e-3
    counts.index_put_((ids[:-2], ids[1:-1], ids[2:]), torch.ones(len(ids) - 2), accumulate=True)
    return counts / counts.sum(dim=-1, keepdim=True)


def write_speculating(draft, prompt, count, guesses):
    """A text of `count` more tokens, and how many steps of the target it took."""
    ids, steps = prompt, 0
    while len(ids) < len(prompt) + count:
        guessed, says = ids, []
        for _ in range(guesses):
            says.append(draft[guessed[-2], guessed[-1]])  # (vocab,)
            guessed = torch.cat((guessed, torch.multinomial(says[-1], 1)))
        logits = model(guessed[None])[0, len(ids) - 1 :]  # (guesses + 1, vocab)
        p = next_probabilities(logits, temperature=0.8)
        ids = torch.cat((ids, speculate(guessed[len(ids) :], torch.stack(says), p, torch.rand(guesses + 1))))
        steps += 1
    return ids, steps


torch.manual_seed(14)
begun = encode("The for statement ")
draft = counted_draft(HELD_OUT.read_text(encoding="utf-8"))
for guesses in (1, 2, 4):
    runs = [write_speculating(draft, begun, 90, guesses) for _ in range(5)]
    tokens, steps = sum(len(ids) - len(begun) for ids, _ in runs), sum(steps for _, steps in runs)
    print(f"{guesses} guesses a step: {tokens / steps:.1f} tokens for each step of the target")

# %% [markdown] id="bug-weights-each-task"
# ## 5 · What a step costs
#
# On an accelerator you can say beforehand how long a step takes, at best. It has to **move** bytes from memory: the
# weights, once for the step, whatever the number of tokens; and the cache of each text that takes part. And it has to
# **compute**: about two operations for each parameter and token. Moving and computing overlap, so the longer of the
# two decides.
#
# Take a model of 8 billion parameters in two bytes each on an H100 (3.35 TB/s, 990 TFLOP/s). One token alone: 16 GB in
# 4.8 ms, and 16 billion operations in 0.016 ms. The arithmetic units wait 99.7 % of the time. Caches left
# out, both take equally long at 990 / 3.35, about 296 tokens in a step.
#
# ### Task 10 · Find the bug: a batch that gains nothing
#
# *6 minutes · one line · task id* `bug-weights-each`
#
# `step_seconds` should return this time, as a tensor or as a plain number. As given, it says that 32 texts take 32
# times as long as one, so batching would be pointless. Correct it. `counts` says how many tokens each text computes in
# the step, `contexts` how many tokens of its cache it reads, `cache_bytes` what one token takes in the cache.


# %% answer="bug-weights-each"
### BEGIN SOLUTION
def step_seconds(counts, contexts, parameters, cache_bytes, bandwidth, peak):
    """The seconds of a step, at best: bytes over bandwidth or operations over peak, the longer of the two.

    Shapes:
        counts, contexts: (texts,), whole numbers
        returns: ()
    """
    weights = 2 * parameters
    moved = weights + (contexts * cache_bytes).sum()
    operations = 2 * parameters * counts.sum()
    return max(moved / bandwidth, operations / peak)


### END SOLUTION
### BEGIN FAULTY
# def step_seconds(counts, contexts, parameters, cache_bytes, bandwidth, peak):
#     """The seconds of a step, at best: bytes over bandwidth or operations over peak, the longer of the two.
#
#     Shapes:
#         counts, contexts: (texts,), whole numbers
#         returns: ()
#     """
#     weights = 2 * parameters
#     moved = (weights + contexts * cache_bytes).sum()
#     operations = 2 * parameters * counts.sum()
#     return max(moved / bandwidth, operations / peak)
### END FAULTY

# %% id="bug-weights-each-symptom"
H100 = {"parameters": 8e9, "cache_bytes": 131_072.0, "bandwidth": 3.35e12, "peak": 990e12}
for texts in (1, 32):
    seconds = step_seconds(torch.ones(texts), torch.full((texts,), 100.0), **H100)
    print(f"{texts:3} texts: {1000 * float(seconds):6.1f} ms")

# %% check="bug-weights-each" points=2
check("bug-weights-each")

# %% id="paper-shown"
print("texts  context  tokens/s  operations per byte")
for texts, context in ((1, 1000), (32, 1000), (256, 1000), (1024, 1000), (256, 8000)):
    seconds = float(step_seconds(torch.ones(texts), torch.full((texts,), float(context)), **H100))
    moved = 2 * 8e9 + texts * context * 131_072
    print(f"{texts:5} {context:8} {texts / seconds:9,.0f} {2 * 8e9 * texts / moved:12.0f}")

# %% [markdown] id="paper-read"
# With longer contexts the caches outweigh the weights, and batching stops helping: every text brings bytes of its own.
# Memory ends even earlier: the caches of the last two rows do not fit into the 80 GB of an H100.
# Each idea of this lesson has its place in this count. Blocks let more caches fit into the memory, so more texts share
# one reading of the weights. Packing computes no rows of padding. Chunks fill a step with computing while others wait
# for memory. Speculation gives a step several tokens of one text. And lessons 11 and 13 make the cache itself smaller.
#
# Real kernels read the blocks where they are (PagedAttention, FlashInfer, FlexAttention). Your `read_paged` copies
# them into a strip in each step, which is right and slow.
#
# ## In your own words
#
# *5 minutes · graded by a person, 3 points*
#
# A colleague says: "With 32 readers on one GPU, each answer must be 32 times slower, and the guesses of a draft model make it
# worse text." Answer in four to six sentences. Say what all readers share, when batching stops helping, and why
# guesses change nothing. Use a number from this lesson.

# %% [markdown] answer="served-in-words" points=3
# ### BEGIN SOLUTION
# A step that writes one token waits for memory: the weights of an 8B model take 4.8 ms to read, and its arithmetic
# 0.016 ms. All readers share this reading, so 32 texts do not take 32 times as long: 6.0 ms instead of 4.8 with 1000
# tokens each in the cache. It stops helping when the step has about 300 tokens, because then it computes as long as it reads, or when the caches,
# which nobody shares, take more bytes than the weights. The guesses change nothing, because one is kept with min(1,
# p/q), and a refused one is drawn anew from what is missing: the exact sum of all cases was p. Only the number of steps changes.
#
# **Marking scheme**
#
# - 1 point: the weights are read once for all readers, and reading is what a step waits for.
# - 1 point: names a limit: arithmetic from some hundred tokens a step on, or the caches of long contexts.
# - 1 point: guesses are kept or redrawn so that the distribution stays the target's; with a number of the lesson.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape | what for |
# | --- | --- | --- | --- |
# | slot | `table[pos // size] * size + pos % size` | (tokens,) | where a token is |
# | block table | `pool[table].transpose(0, 1).flatten(1, 2)` | (heads, tokens, head_dim) | a text in its order |
# | copy on write | `users[last] > 1` | a number for each block | shared beginnings |
# | one row | `q[:, cu[i] : cu[i + 1]]` | (heads, queries, head_dim) | no padding |
# | plan | `min(left, budget)` | (texts,) | chunks, and nobody waits |
# | keep | `draw < p / q` | a number | guesses that change no probability |
# | step | `max(bytes / bandwidth, operations / peak)` | seconds | what you wait for |
#
# - The same tokens, whatever is batched, paged or guessed. Equality first, then speed.
# - A step reads the weights once. Give it as many tokens as it can compute in that time.
# - Memory decides how many texts fit: blocks of one size, taken when needed, shared while equal.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. Blocks of 16 tokens, a text of 33 tokens. How many slots are empty?</summary>
#
# Three blocks have 48 slots, so 15. Smaller blocks waste less and make longer tables.
#
# </details>
#
# <details><summary>2. Two texts share three blocks, the last one half full. Both write one token. How many blocks are copied?</summary>
#
# One. The first that writes gets a copy, and then the other is the last user and writes into the old block.
#
# </details>
#
# <details><summary>3. Draft and target are the same model. How many guesses are kept?</summary>
#
# All: p / q is 1, and every draw is smaller.
#
# </details>
#
# <details><summary>4. Why is a prompt of 2000 tokens not read in one step?</summary>
#
# All others would wait for their next token as long as it takes. In chunks it shares its steps with them.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Efficient Memory Management for Large Language Model Serving with PagedAttention**, Kwon and others, 2023. Blocks,
#   tables, shared beginnings, copy on write.
# - **Orca: A Distributed Serving System for Transformer-Based Generative Models**, Yu and others, 2022. A new batch in
#   every step.
# - **SARATHI: Efficient LLM Inference by Piggybacking Decodes with Chunked Prefills**, Agrawal and others, 2023. Prompts
#   in chunks, with others' tokens in the same step.
# - **Fast Inference from Transformers via Speculative Decoding**, Leviathan, Kalman and Matias, 2022. Guesses, and the
#   proof that they change nothing.
# - **Accelerating Large Language Model Decoding with Speculative Sampling**, Chen and others, 2023. The same idea, found
#   at the same time.
# - **Efficiently Scaling Transformer Inference**, Pope and others, 2022. Bytes, operations, and which of them decides.

# %% id="progress"
progress("14-serve-it")
