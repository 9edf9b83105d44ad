# %% [markdown] id="title"
# # 06 · Encoder, decoder and cross-attention
#
# So far one sentence attended to itself. A translator has two: the sentence that it reads and the sentence
# that it writes. How does a word that is written find the words that it translates? The transformer of 2017 reads with
# an **encoder**, writes with a **decoder**, and connects the two with **cross-attention**. All three attentions are
# one class, called with other arguments. In this lesson you build that class and the masks it needs, and at the end it
# translates.
#
# **When you are done you can**
#
# - say for encoder, decoder and cross-attention where queries, keys and values come from;
# - hide padding and the future with one mask, and keep a row without any visible key from becoming `nan`;
# - explain why `view` refuses a transposed tensor, and what `contiguous` does about it;
# - write `MultiHeadAttention` for self-attention and cross-attention, with source and target of different
#   length;
# - read in a map of cross-attention what a translation was made from, and what such a map does not say.
#
# **Time:** about 110 minutes. **Before you start:** lesson 05 (heads, `split_heads`, `merge_heads`) and the
# causal mask of lesson 03.
#
# **No AI writes here.** Colab's AI is switched off in this notebook, because a task teaches you only what you write
# yourself.

# %% id="setup"
from autograder import check, hint, predict, progress, reveal
from visuals import (
    attention_map,
    combined_masks,
    encoder_decoder,
    explore_three_attentions,
    memory_layout,
    track_shapes,
    trained_dates,
)

import torch
import torch.nn as nn
import torch.nn.functional as F
from IPython.display import display

torch.set_printoptions(sci_mode=False, precision=4)  # 0.0008 and not 8.0241e-04

# %% [markdown] id="two-sentences"
# ## 1 · Two sentences, three attentions
#
# A German sentence of four words is read, an English one is written. The German one is the **source**, the
# English one the **target**. Sentences in a batch must be equally long, so the source is filled up with
# `<pad>`, a token that means nothing.

# %% id="sentences"
source = ["das", "Haus", "ist", "klein", "<pad>", "<pad>"]
target = ["<start>", "the", "house", "is", "small"]

# %% id="flow-figure" tags=["figure"]
encoder_decoder(source, target)


# %% [markdown] id="two-sentences-read"
# Three boxes in the picture are attention:
#
# - **Encoder self-attention.** Every source token attends to all source tokens, also to later ones: the whole
#   sentence is there. Only the padding is hidden.
# - **Decoder self-attention.** A target token attends to itself and to the tokens before it. In use, later
#   tokens are not there yet. In training they are there and must be hidden, by the **causal mask**.
# - **Cross-attention.** The **query** comes from the decoder, **key** and **value** come from the output of
#   the encoder. There is no causal mask: the whole source is visible for every target token. Only the padding
#   of the source is hidden.

# %% [markdown] id="batch-intro"
# ## 2 · One box, step by step
#
# These steps are those of lesson 05, with the sizes of this lesson. Read the shapes. The batch is random: 2
# sequences of 5 tokens with `d_model` = 8 numbers each, in 4 heads. Three layers make queries, keys and
# values; each has a bias here.

# %% id="example-data"
d_model = 8
max_sequence_length = 5
batch_size = 2
num_heads = 4
torch.manual_seed(24)
w_query = nn.Linear(d_model, d_model).requires_grad_(False)
w_key = nn.Linear(d_model, d_model).requires_grad_(False)
w_value = nn.Linear(d_model, d_model).requires_grad_(False)
X_input_tokens = torch.randn((batch_size, max_sequence_length, d_model))  # (b, tokens, d_model)
print(X_input_tokens.size())
X_input_tokens


# %% id="carried-over"
# Carried over from lesson 05.
def split_heads(x, num_heads):
    """Cut each token's vector into heads: (b, tokens, d_model) -> (b, heads, tokens, head_dim)."""
    b, num_tokens, d_model = x.shape
    pieces = x.reshape(b, num_tokens, num_heads, d_model // num_heads)  # (b, tokens, heads, head_dim)
    return pieces.transpose(1, 2)  # (b, heads, tokens, head_dim)


def merge_heads(context):
    """Put each token's heads side by side: (b, heads, tokens, head_dim) -> (b, tokens, d_model)."""
    b, num_heads, num_tokens, head_dim = context.shape
    pieces = context.transpose(1, 2)  # (b, tokens, heads, head_dim), not contiguous
    return pieces.contiguous().view(b, num_tokens, num_heads * head_dim)  # (b, tokens, d_model)


# %% [markdown] id="heads-steps"
# **Predict, then run.** Each of the 4 heads gets a quarter of every vector.

# %% id="predict-head-shapes"
predict(
    "head-shapes",
    "Which shapes have the queries, cut into 4 heads and with the heads moved forward?",
    (
        "(2, 5, 4, 2), then (2, 4, 5, 2)",
        "(2, 4, 5, 2), then (2, 5, 4, 2)",
        "(2, 5, 2, 4), then (2, 2, 5, 4)",
    ),
)

# %% id="heads-made"
q = w_query(X_input_tokens)  # (b, tokens, d_model)
k = w_key(X_input_tokens)  # (b, tokens, d_model)
v = w_value(X_input_tokens)  # (b, tokens, d_model)
cut = [part.reshape(batch_size, max_sequence_length, num_heads, -1) for part in (q, k, v)]
print(f"{cut[0].shape} {cut[1].shape} {cut[2].shape}")  # (b, tokens, heads, head_dim)
q_heads = split_heads(q, num_heads)  # (b, heads, tokens, head_dim)
k_heads = split_heads(k, num_heads)  # (b, heads, tokens, head_dim)
v_heads = split_heads(v, num_heads)  # (b, heads, tokens, head_dim)
print(q_heads.shape)
print(f"{k_heads.shape} {v_heads.shape}")

# %% id="came-head-shapes"
reveal(
    "head-shapes",
    f"{tuple(cut[0].shape)}, then {tuple(q_heads.shape)}",
)

# %% [markdown] id="scores-intro"
# In each head, attention is
#
# $$\text{weights} = \text{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) \qquad \text{context} = \text{weights} \cdot V$$
#
# $M$ holds 0 where a key is visible and $-\infty$ where it is hidden. $d_k$ is the size of **one head**: 2,
# not 8.

# %% id="head-scores"
d_k = d_model // num_heads
head_scores = q_heads @ k_heads.transpose(-2, -1) / d_k**0.5  # (b, heads, query, key)
print(head_scores.shape)
print(k_heads.transpose(-1, -2).shape)  # (b, heads, head_dim, tokens)

# %% [markdown] id="polarity"
# > ### From here on, True means visible
# >
# > In lessons 03 to 05 the mask said what is **hidden**: `masked_fill(hidden, -torch.inf)`. From here on, a
# > mask says what is **visible**: **1 or `True` = visible, 0 or `False` = hidden**. This is what
# > `scaled_dot_product_attention` expects of a boolean mask. `nn.MultiheadAttention` and its
# > `key_padding_mask` expect the opposite. A mask with the wrong meaning raises no error, so in this course
# > the tensors are called `hidden` or `visible`. Wherever you meet a mask, ask first what its 1 means.
#
# The causal mask that says what is visible is the *lower* triangle, diagonal included. Where it holds 0, the
# score becomes $-\infty$. The mask has two axes and the scores have four. Broadcasting lines up the last
# axes, so one mask serves every sequence and every head.

# %% id="causal-mask"
visible = torch.tril(torch.ones((max_sequence_length, max_sequence_length)))  # (query, key), 1 = visible
print(visible)

# %% id="masked-scores-shown"
masked_scores = head_scores.masked_fill(visible == 0, float("-inf"))  # (b, heads, query, key)
print(masked_scores)

# %% id="masked-weights-shown"
attn_weights = F.softmax(masked_scores, dim=-1)  # (b, heads, query, key)
attn_weights

# %% [markdown] id="output-intro"
# Weights times values, and the heads side by side again:

# %% id="attention-output-shown"
attention_output = merge_heads(attn_weights @ v_heads)  # (b, tokens, d_model)
print(attention_output.shape)
attention_output

# %% [markdown] id="memory-intro"
# ## 3 · One memory, two ways to read it
#
# `merge_heads` needs `contiguous`. A small tensor shows why.

# %% id="contiguous-shown"
small = torch.tensor([[0.4496, -0.3525, 0.7069], [2.0206, 0.1058, 0.8492]])
small_t = small.transpose(0, 1)
print(f"Original tensor:\n{small}\nIs contiguous? {small.is_contiguous()}\n")
print(f"Transposed tensor:\n{small_t}\nIs contiguous? {small_t.is_contiguous()}")

# %% id="memory-figure" tags=["figure"]
memory_layout(small)


# %% [markdown] id="memory-read"
# Memory is one long row of numbers. A tensor is that row plus its **strides**: how many places to step for
# the next entry along each axis. `transpose` copies nothing; it swaps the strides. So a change in one tensor
# shows in the other. Read row by row, the transposed tensor jumps through memory: it is **not contiguous**.
#
# `view` gives a tensor new sizes and never copies. `contiguous` copies the numbers into reading order,
# unless they are in it already. `reshape` is a view where possible, and a copy where not: it copies a
# transposed tensor. **Predict, then run:**

# %% id="predict-same-memory"
predict(
    "same-memory",
    "Which of the two lies in the memory of the original?",
    (
        "the transpose",
        "contiguous",
        "both",
    ),
)

# %% id="view-refused"
print(f"strides: {small.stride()}, and transposed: {small_t.stride()}")
try:
    small_t.view(6)
except RuntimeError as error:
    print(f"view:       {str(error).split('. ')[0]}")
print(f"contiguous: {small_t.contiguous().view(6)}, copied first")
print(f"reshape:    {small_t.reshape(6)}, copied only where it must be")
print(f"transpose in the same memory?  {small_t.data_ptr() == small.data_ptr()}")
print(f"contiguous in the same memory? {small_t.contiguous().data_ptr() == small.data_ptr()}")

# %% id="came-same-memory"
reveal(
    "same-memory",
    "both" if small_t.contiguous().data_ptr() == small.data_ptr() else "the transpose",
)

# %% [markdown] id="memory-merge"
# None of the three *transposes*. To join heads and head_dim of a tensor (b, heads, tokens, head_dim) without
# moving the tokens forward runs without an error and mixes tokens. Lesson 05 trained such a class: its error
# stopped near 0.9 where the right class reached less than 0.2.

# %% [markdown] id="padding-intro"
# ## 4 · Padding, and both masks at once
#
# Sequences in a real batch differ in length. Say the first has 5 tokens, and the second has 3 and is filled up with
# 2 tokens of padding. Padding is hidden from every query, in every head. So the mask depends on the sequence
# and on the **key**, and not on head or query:
#
# `(b, 1, 1, tokens)` broadcasts over scores of shape `(b, heads, query, key)`.
#
# The two axes of size 1 matter. A mask of shape `(b, tokens)` is lined up from the right. Its batch axis then meets
# the *queries*: an error in most cases, and a wrong mask where the two sizes happen to agree.
#
# ### Task 1 · A padding mask
#
# *8 minutes · one or two lines · task id* `padding-mask`
#
# Write `padding_mask(lengths, num_tokens)`. True means visible; the padding is at the end of each sequence.
# `torch.arange(num_tokens)` gives the positions. Compare positions with lengths, and let broadcasting do the
# rest. The longest sequence can be shorter than `num_tokens`.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "padding-mask-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def padding_mask(lengths, num_tokens):
    """Which keys are visible: True for a token, False for padding at the end.

    Shapes:
        lengths: (b,), how many tokens of each sequence are no padding
        returns: (b, 1, 1, num_tokens), bool, True = visible
    """
    ### BEGIN SOLUTION
    positions = torch.arange(num_tokens)  # (tokens,)
    visible = positions < lengths[:, None]  # (b, tokens)
    return visible[:, None, None, :]  # (b, 1, 1, tokens)
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "padding-mask", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("padding-mask")

# %% id="padding-mask-shown"
padding_mask(torch.tensor([5, 3]), 5)


# %% [markdown] id="combine-intro"
# A decoder that is trained on a batch needs both masks: the future is hidden, and so is the padding. A key is
# visible if it is visible in the first mask **and** in the second. Here for the second sequence, with 3
# tokens:

# %% id="combined-figure" tags=["figure"]
combined_masks(visible, torch.tensor([1, 1, 1, 0, 0]), ["t0", "t1", "t2", "pad", "pad"])

# %% [markdown] id="combine-masks-task"
# Two of the rows belong to padding. They are computed like the others, and their output is thrown away later,
# so there is no need to empty them.
#
# ### Task 2 · Both masks in one
#
# *5 minutes · one or two lines · task id* `combine-masks`
#
# Write `decoder_mask(lengths, num_tokens)`. It can call `padding_mask`.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "combine-masks-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def decoder_mask(lengths, num_tokens):
    """The causal mask and the padding mask in one.

    Shapes:
        lengths: (b,)
        returns: (b, 1, num_tokens, num_tokens), bool, True = visible; the last two axes are query and key
    """
    ### BEGIN SOLUTION
    causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))  # (query, key)
    return padding_mask(lengths, num_tokens) & causal  # (b, 1, query, key)
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "combine-masks", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("combine-masks")

# %% id="combine-masks-shown"
if torch.is_tensor(decoder_mask(torch.tensor([5, 3]), 5)):
    print(decoder_mask(torch.tensor([5, 3]), 5)[1, 0].int())


# %% [markdown] id="nothing-intro"
# ## 5 · A row without any visible key
#
# **Predict, then run.** Sometimes a whole row is hidden: a batch is filled up with an empty sequence, or the
# padding is on the *left* and the first token of a causal row is padding. All scores of that row are `-inf`.

# %% id="predict-row-all-hidden"
predict(
    "row-all-hidden",
    "All scores of a row are -inf. What does softmax make of them?",
    (
        "zeros",
        "equal weights",
        "nan",
    ),
)

# %% id="nothing-shown"
three_scores = torch.tensor([[0.5, -0.2, 0.1], [0.3, 0.9, -0.4]])
two_visible = torch.tensor([[1, 1, 0], [0, 0, 0]])  # 1 = visible
print(torch.softmax(three_scores.masked_fill(two_visible == 0, float("-inf")), dim=-1))
print(torch.softmax(three_scores.masked_fill(two_visible == 0, -1e9), dim=-1))

# %% id="came-row-all-hidden"
reveal(
    "row-all-hidden", "nan" if torch.softmax(torch.full((3,), -torch.inf), dim=0).isnan().all() else "zeros"
)

# %% [markdown] id="masked-softmax-task"
# Softmax subtracts the largest score. Here that is $-\infty - (-\infty)$, which is `nan`. In the next layer
# other tokens attend to the broken one, and the loss becomes `nan`, and with it every gradient.
# With `-1e9` in place of `-inf` there is no `nan`, and the row spreads its attention evenly over keys that
# are all hidden. That fault is just as large, and harder to notice.
#
# This course says: **a query without any visible key gets nothing**. All weights of such a row are 0, and so
# is its context. It is the one row that does not add up to 1. (PyTorch's `scaled_dot_product_attention` does the same
# in current versions.)
#
# ### Task 3 · A softmax that knows about masks
#
# *10 minutes · two or three lines · task id* `masked-softmax`
#
# Write `masked_softmax(scores, mask)`: softmax over the visible keys, 0 for all others. The mask holds 1 or
# `True` where a key is visible, and broadcasts to the scores. Leave the caller's scores as they are. One of
# the three points is for the gradient: it must be finite, also in a row that is all hidden.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "masked-softmax-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def masked_softmax(scores, mask):
    """Softmax over the visible keys; all zeros where there are none.

    Shapes:
        scores: (b, heads, query, key)
        mask: broadcasts to the scores; 1 or True = visible, 0 or False = hidden
        returns: (b, heads, query, key)
    """
    ### BEGIN SOLUTION
    hidden = mask == 0
    weights = torch.softmax(
        scores.masked_fill(hidden, float("-inf")), dim=-1
    )  # nan where a row is all hidden
    return weights.masked_fill(hidden, 0.0)  # a hidden weight is 0 already, or nan: now it is 0
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "masked-softmax", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 3}
check("masked-softmax")


# %% [markdown] id="masked-softmax-read"
# A `nan` that was replaced in the weights can come back in training, through the gradient. The next cell asks
# for the gradient of the weights, once through your function, and once through a mask of 0 and `-inf` that is
# *added* to the scores, with `nan_to_num` afterwards. Both give the same weights.

# %% id="masked-softmax-gradient"
trained_scores = three_scores[None, None].clone().requires_grad_()  # (b, heads, query, key)
factors = torch.tensor([1.0, 2.0, 3.0])
minus_infinity = torch.zeros(2, 3).masked_fill(two_visible == 0, float("-inf"))  # (query, key)
added = torch.softmax(trained_scores + minus_infinity, dim=-1).nan_to_num()  # (b, heads, query, key)
print(f"added, then nan_to_num:\n{torch.autograd.grad((added * factors).sum(), trained_scores)[0]}")
if torch.is_tensor(masked_softmax(trained_scores, two_visible)):
    yours = masked_softmax(trained_scores, two_visible)  # (b, heads, query, key)
    print(f"yours:\n{torch.autograd.grad((yours * factors).sum(), trained_scores)[0]}")

# %% [markdown] id="masked-softmax-gradient-read"
# `masked_fill` passes no gradient back to what it filled, so a `nan` behind it goes nowhere. An addition
# passes everything back. If you see a `nan` under "yours", fill before the softmax as well as after it.

# %% [markdown] id="cross-intro"
# ## 6 · When the two sentences differ in length
#
# In cross-attention there are as many queries as target tokens and as many keys as source tokens. The scores
# are no longer a square: 5 target tokens and 6 source tokens make 5 × 6 scores for each head.
#
# ### Task 4 · Find the bug: one length for two sentences
#
# *8 minutes · change two or three lines · task id* `bug-query-length`
#
# `cross_scores(q, k, num_heads)` was tried with two sequences of 5 tokens, and worked. Run it, run the cell
# under it, read what it says, and fix it. Every source token must get a score, and no other.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-query-length-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
def cross_scores(q, k, num_heads):
    """Scaled scores of every target token with every source token, for every head.

    Shapes:
        q: (b, target, d_model), already projected
        k: (b, source, d_model), already projected
        returns: (b, heads, target, source)
    """
    batch_size, target_length, d_model = q.shape
    source_length = k.shape[1]
    d_k = d_model // num_heads
    q = q.reshape(batch_size, target_length, num_heads, d_k).transpose(1, 2)  # (b, heads, target, d_k)
    k = k.reshape(batch_size, source_length, num_heads, d_k).transpose(1, 2)  # (b, heads, source, d_k)
    return q @ k.transpose(-2, -1) / d_k**0.5  # (b, heads, target, source)


### END SOLUTION
### BEGIN FAULTY
# def cross_scores(q, k, num_heads):
#     """Scaled scores of every target token with every source token, for every head.
#
#     Shapes:
#         q: (b, target, d_model), already projected
#         k: (b, source, d_model), already projected
#         returns: (b, heads, target, source)
#     """
#     batch_size, max_sequence_length, d_model = q.shape
#     d_k = d_model // num_heads
#     q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
#     k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
#     return q @ k.transpose(-2, -1) / d_k**0.5  # (b, heads, target, source)
### END FAULTY

# %% id="bug-query-length-symptom"
for target_length, source_length in ((5, 5), (5, 6), (5, 3)):
    try:
        made = cross_scores(torch.ones(2, target_length, 8), torch.ones(2, source_length, 8), num_heads=4)
        print(f"target {target_length}, source {source_length}: scores of shape {tuple(made.shape)}")
    except RuntimeError as error:
        print(f"target {target_length}, source {source_length}: {error}")


# %% [markdown] id="bug-query-length-shapes"
# The same with the shapes: `track_shapes` notes every line of a run and its result, down to the line that
# fails. The sizes all differ here, so the table can say which axis is which. Run the cell again when you have
# fixed the function.

# %% id="bug-query-length-shapes-shown" tags=["figure", "shown"]
shapes = track_shapes(b=3, target=5, source=7, d_model=8, heads=4, d_k=2)
try:
    with shapes:
        cross_scores(torch.ones(3, 5, 8), torch.ones(3, 7, 8), num_heads=4)
except RuntimeError:
    pass  # code that fails shows its table by itself
else:
    display(shapes)

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-query-length", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("bug-query-length")


# %% [markdown] id="bug-query-length-read"
# An error is the better case. Code that cuts the source to the length of the target, or fills it up, runs
# without complaint: words of the source are never read, or words that do not exist are read. A test with two
# sentences of the *same* length finds none of these. Test with sizes that differ.
#
# <details><summary>What was wrong</summary>
#
# `k.reshape(batch_size, max_sequence_length, num_heads, d_k)` took its length from `q.shape`. With 6 source
# and 5 target tokens, 96 numbers cannot fill a shape of 80. The length of `k` is `k.shape[1]`.
#
# </details>

# %% [markdown] id="class-intro"
# ## 7 · One class for all three
#
# The class has four layers, `query`, `key`, `value` and `fc`, each `nn.Linear(d_model, d_model)`. (Lesson 05
# called them `W_query`, `W_key`, `W_value` and `out_proj`; you will meet both sets of names.) It takes three
# inputs:
#
# | called as | is |
# | --- | --- |
# | `mha(x, x, x, padding)` | self-attention in the encoder |
# | `mha(y, y, y, causal_and_padding)` | masked self-attention in the decoder |
# | `mha(y, memory, memory, source_padding)` | cross-attention: queries from `y`, keys and values from the encoder's output `memory` |
#
# ### Task 5 · `MultiHeadAttention`
#
# *20 minutes · a class · task id* `multi-head-attention-module`
#
# Write it. Use `split_heads`, your `masked_softmax` and `merge_heads`, or write the steps out. `mask=None`
# hides nothing; otherwise the mask broadcasts to `(b, heads, target, source)`, with 1 or `True` = visible. A
# query without any visible key gets a context of zeros (after `fc` that is its bias). Large scores must not overflow.
# Write the class
# yourself: with PyTorch's `nn.MultiheadAttention` in it, it earns at most 2 of the 6 points.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "multi-head-attention-module-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
class MultiHeadAttention(nn.Module):
    """Multi-head attention for an encoder, a decoder, and between the two."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        ### BEGIN SOLUTION
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.fc = nn.Linear(d_model, d_model)
        ### END SOLUTION

    def forward(self, q_input, k_input, v_input, mask=None):
        """Let every target token attend to the source tokens that are visible to it.

        Shapes:
            q_input: (b, target, d_model)
            k_input, v_input: (b, source, d_model)
            mask: None, or broadcasts to (b, heads, target, source); 1 or True = visible
            returns: (b, target, d_model)
        """
        ### BEGIN SOLUTION
        b, target, d_model = q_input.shape
        source = k_input.shape[1]  # not always as long as the target
        head_dim = d_model // self.num_heads

        # (b, tokens, d_model) -> (b, tokens, heads, head_dim) -> (b, heads, tokens, head_dim)
        q = self.query(q_input).reshape(b, target, self.num_heads, head_dim).transpose(1, 2)
        k = self.key(k_input).reshape(b, source, self.num_heads, head_dim).transpose(1, 2)
        v = self.value(v_input).reshape(b, source, self.num_heads, head_dim).transpose(1, 2)

        scores = q @ k.transpose(-2, -1) / head_dim**0.5  # (b, heads, target, source)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)  # nan where a row is all hidden
        if mask is not None:
            weights = weights.masked_fill(mask == 0, 0.0)  # a hidden weight is 0 already, or nan: now it is 0

        context = weights @ v  # (b, heads, target, head_dim)
        context = context.transpose(1, 2).reshape(b, target, d_model)  # a token's heads side by side
        return self.fc(context)  # (b, target, d_model)
        ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "multi-head-attention-module", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 6}
check("multi-head-attention-module")


# %% [markdown] id="three-calls-intro"
# Your class in its three roles, now with `d_model = 16`.

# %% id="three-calls"
x = torch.rand(2, 5, 16)  # (b, tokens, d_model)
decoder_x, encoder_x = torch.rand(2, 5, 16), torch.rand(2, 5, 16)  # (b, tokens, d_model)
mha_enc, mha_dec, mha = (MultiHeadAttention(16, 4) for _ in range(3))
for name, output in {
    "encoder self-attention": mha_enc(x, x, x, None),
    "masked decoder self-attention": mha_dec(x, x, x, torch.tril(torch.ones(5, 5))),
    "cross-attention": mha(decoder_x, encoder_x, encoder_x, None),
}.items():
    if torch.is_tensor(output):
        print(f"{name}: {output.shape}")

# %% [markdown] id="unequal-call-intro"
# Equal lengths prove little. Now 5 target tokens and 6 source tokens, of which the last two are padding in
# the first sequence. The result must not change with what the padding holds. **Predict, then run:**

# %% id="predict-output-shape"
predict(
    "output-shape",
    "5 target tokens, 6 source tokens: which shape has the output?",
    (
        "(2, 5, 16)",
        "(2, 6, 16)",
        "(2, 5, 6)",
    ),
)

# %% id="unequal-call"
y = torch.rand(2, 5, 16)  # (b, target, d_model)
memory = torch.rand(2, 6, 16)  # (b, source, d_model)
other_padding = memory.clone()
other_padding[0, 4:] = 1000.0
source_padding = padding_mask(torch.tensor([4, 6]), 6)
output = mha(y, memory, memory, source_padding)
if torch.is_tensor(output):
    changed = mha(y, other_padding, other_padding, source_padding)
    print(f"{output.shape}, unchanged by what the padding holds: {torch.allclose(output, changed)}")

# %% id="came-output-shape"
reveal("output-shape", str(tuple(output.shape)) if torch.is_tensor(output) else ...)

# %% [markdown] id="explorer-intro"
# ## 8 · What is visible to whom
#
# Choose one of the three attentions and a query token. The explorer says in words which tokens are visible,
# which are hidden, and why. **Predict first:**

# %% id="predict-visible-to-the"
predict(
    "visible-to-the",
    "Is “klein” visible to “the” in cross-attention, and “small” in decoder self-attention?",
    (
        "both",
        "“klein” only",
        "“small” only",
        "neither",
    ),
)

# %% id="explorer" tags=["figure"]
explore_three_attentions(source, target)

# %% id="came-visible-to-the"
klein = source[source.index("klein")] != "<pad>"  # cross-attention hides padding
small = target.index("small") <= target.index("the")  # the decoder hides what comes later
reveal("visible-to-the", ("neither", "“small” only", "“klein” only", "both")[2 * klein + small])


# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# In the encoder every row is alike: only padding is hidden. In the decoder each row has one visible key more
# than the row above. In cross-attention the grid is not a square, and again every row is alike: "klein" is
# visible to "the", although "small" is not written yet. Only the future of the *target* is hidden.
#
# </details>

# %% [markdown] id="bug-cross-task"
# ### Task 6 · Find the bug: the decoder that never reads the source
#
# *8 minutes · change one line · task id* `bug-cross-from-decoder`
#
# `decoder_step` is the attention part of one decoder layer: masked self-attention over the target, then
# cross-attention to the encoder's output. (A real layer adds residuals and normalisation around both.) The code
# runs and the shapes are right, but the output has nothing to do with the source. The cell under
# it shows the symptom. Find the cause.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-cross-from-decoder-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    """Masked self-attention over the target, then cross-attention to the source.

    Shapes:
        self_attention, cross_attention: two MultiHeadAttention
        decoder_input: (b, target, d_model)
        encoder_output: (b, source, d_model)
        causal: (target, target), 1 = visible
        source_padding: (b, 1, 1, source), 1 = visible
        returns: (b, target, d_model)
    """
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)  # (b, target, d_model)
    return cross_attention(x, encoder_output, encoder_output, source_padding)  # (b, target, d_model)


### END SOLUTION
### BEGIN FAULTY
# def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
#     """Masked self-attention over the target, then cross-attention to the source.
#
#     Shapes:
#         self_attention, cross_attention: two MultiHeadAttention
#         decoder_input: (b, target, d_model)
#         encoder_output: (b, source, d_model)
#         causal: (target, target), 1 = visible
#         source_padding: (b, 1, 1, source), 1 = visible
#         returns: (b, target, d_model)
#     """
#     x = self_attention(decoder_input, decoder_input, decoder_input, causal)  # (b, target, d_model)
#     return cross_attention(x, x, x, causal)  # (b, target, d_model)
### END FAULTY


# %% id="bug-cross-symptom"
causal = torch.tril(torch.ones(5, 5))  # (target, target)
another_text = torch.rand(2, 6, 16)  # (b, source, d_model)
steps = [decoder_step(mha_dec, mha, y, text, causal, source_padding) for text in (memory, another_text)]
if torch.is_tensor(steps[0]):
    print(f"Another text to translate, the same result: {torch.allclose(*steps)}")

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-cross-from-decoder", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("bug-cross-from-decoder")


# %% [markdown] id="bug-cross-read"
# <details><summary>What was wrong</summary>
#
# The last line was `cross_attention(x, x, x, causal)`: the decoder attended to itself once more, and
# `encoder_output` was never used. No shape shows that, because the output has the shape of the queries in any
# case. The experiment above shows it: change what should matter, and see whether anything happens.
#
# </details>

# %% [markdown] id="dates-intro"
# ## 9 · A translation
#
# Everything is there now for a translator. Below, three of your `MultiHeadAttention` get **trained** weights. The
# model reads a date in one of ten ways, in English or German, and writes it in one way: "23. November 2026" becomes
# `2026-11-23`. A source token is a word, a digit or a mark, and a target token is one character. The encoder's output
# is added to its input; the decoder is your `decoder_step`. Vectors for tokens and places come with the weights.
# (Lesson 07 is about places. `visuals/dates/train.py` trains all this in some minutes.)

# %% id="dates-loaded"
dates = trained_dates()
attentions = {name: MultiHeadAttention(32, heads) for name, heads in dates.heads.items()}
fits = all(set(made.state_dict()) == set(dates.weights[name]) for name, made in attentions.items())
if fits:  # not before task 5 is done
    for name, made in attentions.items():
        made.load_state_dict(dates.weights[name])
        made.requires_grad_(False)


def encoded(texts, hide_padding=True):
    """The encoder's output, (b, source, 32), and which source tokens are visible, (b, 1, 1, source) or None."""
    x, lengths = dates.read(texts)  # (b, source, 32), (b,)
    source_visible = padding_mask(lengths, x.shape[1]) if hide_padding else None
    return x + attentions["encoder"](x, x, x, source_visible), source_visible


def translated(texts, hide_padding=True):
    """The dates, written one character after the other."""
    memory, source_visible = encoded(texts, hide_padding)
    written = [""] * len(texts)
    for step in range(10):
        y = dates.written(written)  # (b, target, 32), the start and what is written so far
        causal = torch.tril(torch.ones(step + 1, step + 1))
        y = decoder_step(attentions["decoder"], attentions["cross"], y, memory, causal, source_visible)
        latest = dates.logits(y[:, -1]).argmax(dim=-1)  # (b,)
        written = [text + new for text, new in zip(written, dates.characters(latest))]
    return written


# %% id="dates-written"
texts = ["23 november 2026", "November 23, 2026", "Montag, den 23. November 2026", "5/3/1987"]
if fits:
    for text, date in zip(texts, translated(texts)):
        print(f"{text:32} {date}")

# %% id="dates-counted" tags=["shown"]
texts, right_dates = zip(*dates.examples(500, seed=1))  # drawn anew
if fits:
    hits = sum(one == other for one, other in zip(translated(texts), right_dates))
    print(f"{hits} of 500 new dates are right")

# %% [markdown] id="alignment-predict"
# How does the model know which digit to write? Its cross-attention says what it reads. The weights below are made by
# your `cross_scores` and your `masked_softmax`. **Predict, then run:**

# %% id="predict-what-is-read"
predict(
    "what-is-read",
    "“november 23, 2026” becomes 2026-11-23. Which source token is read most for the last character, the 3?",
    ("november", "the 3 of 23", "the comma", "the 6 of 2026"),
)


# %% id="alignment-made"
def what_is_read(text):
    """The weights of the cross-attention, (target, source): one row for each character that is written."""
    memory, source_visible = encoded([text])
    y = dates.written(translated([text]))  # (b, target, 32); the last character is no input
    y = attentions["decoder"](y, y, y, torch.tril(torch.ones(10, 10)))
    q, k = attentions["cross"].query(y), attentions["cross"].key(memory)
    return masked_softmax(cross_scores(q, k, num_heads=1), source_visible)[0, 0]


two_ways = ["23 november 2026", "november 23, 2026"]
alignments = [what_is_read(text) for text in two_ways] if fits else [..., ...]

# %% id="alignment-first" tags=["figure"]
attention_map(alignments[0], dates.tokens(two_ways[0]), list("2026-11-23"), title="The day comes first")

# %% id="alignment-second" tags=["figure"]
attention_map(alignments[1], dates.tokens(two_ways[1]), list("2026-11-23"), title="The month comes first")

# %% id="came-what-is-read"
places = ("november", "the 2 of 23", "the 3 of 23", "the comma", *(f"the {one} of 2026" for one in "2026"))
reveal("what-is-read", places[int(alignments[1][-1].argmax())] if torch.is_tensor(alignments[1]) else ...)

# %% [markdown] id="alignment-read"
# This is an **alignment**: row by row, which source tokens a character is made from. The rows are the same in both
# maps. The order of the source has changed, and the bright cells have moved with it. Nobody told the model which token
# belongs to which character. It was trained on pairs of whole texts.
#
# Does it hold for other dates? For each place of the date, the next cell counts how often the token with the largest
# weight **is** the character that is written.

# %% id="alignment-counted" tags=["shown"]
if fits:
    found = torch.zeros(10)
    for text, date in zip(texts[:200], right_dates):
        read = what_is_read(text).argmax(dim=-1)  # (target,)
        found += torch.tensor([dates.tokens(text)[index] == one for index, one in zip(read, date)])
    for name, place in (
        ("third digit of the year", 2),
        ("last digit of the year", 3),
        ("last digit of the day", 9),
    ):
        print(f"{name}: {found[place] / 200:.0%}")

# %% [markdown] id="alignment-limits"
# So the largest weight is on the right digit in most dates, and not in all. Two more things warn you. The rows of `-`
# need no token, but their weights add up to 1 all the same, and go somewhere. So a large weight does not say that the
# token was needed. And the vectors in `memory` are no longer single words: the encoder has mixed them. What is read at
# one token can come from another.
#
# ### Without the padding mask
#
# The 500 dates differ in length, so most of them are filled up. **Predict, then run:** the same weights, and the
# padding is visible.

# %% id="predict-padding-visible"
predict(
    "padding-visible",
    "How many of the 500 dates are right when the padding is visible?",
    ("nearly all", "about half", "nearly none"),
)

# %% id="padding-visible" tags=["shown"]
if fits:
    without_mask = translated(texts, hide_padding=False)
    hits = [one == other for one, other in zip(without_mask, right_dates)]
    longest = max(len(dates.tokens(text)) for text in texts)
    full = [hit for hit, text in zip(hits, texts) if len(dates.tokens(text)) == longest]
    print(f"{sum(hits)} of 500 are right, and {sum(full)} of the {len(full)} texts that have no padding")
    for text, wrong in list(zip(texts, without_mask))[:4]:
        print(f"{text:32} {wrong}")

# %% id="came-padding-visible" tags=["shown"]
share = sum(hits) / 500 if fits else ...
reveal(
    "padding-visible", ... if share is ... else ("nearly none", "about half", "nearly all")[round(2 * share)]
)

# %% [markdown] id="words-task"
# ### Task 7 · Three attentions, in your words
#
# *8 minutes · a few sentences · read by a person, 3 points*
#
# A friend knows what self-attention is and has never heard of an encoder. Explain encoder self-attention,
# decoder self-attention and cross-attention. For each say where the **queries** come from, where **keys and
# values** come from, and which **mask** is needed and why.

# %% [markdown] nbgrader={"cell_type": "markdown", "grade": true, "grade_id": "three-attentions-in-words", "locked": false, "points": 3, "schema_version": 3, "solution": true, "task": false}
# ### BEGIN SOLUTION
# **Encoder self-attention.** Queries, keys and values come from the source. The whole source is known, so
# only its padding is hidden.
#
# **Decoder self-attention.** Queries, keys and values come from the target. In use, later tokens do not exist
# yet; in training they do, and would give the answer away. So the causal mask hides them, together with
# padding.
#
# **Cross-attention.** Queries come from the target, keys and values from the encoder's output. There is no
# causal mask, because the source was there from the start. Its padding is hidden. The scores have one row for
# each target token and one column for each source token.
#
# **Marking scheme**
#
# - 1 point: queries, keys and values are right for both self-attentions (one and the same sequence each
#   time).
# - 1 point: cross-attention takes the queries from the decoder and both keys and values from the encoder's
#   output.
# - 1 point: the masks with a reason: causal in decoder self-attention only, because later tokens are not
#   known yet; padding wherever there is some. No point if cross-attention is given a causal mask.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape here | axes |
# | --- | --- | --- | --- |
# | tokens | `X_input_tokens` | (2, 5, 8) | batch, tokens, d_model |
# | project | `w_query(X_input_tokens)` | (2, 5, 8) | batch, tokens, d_model |
# | heads | `split_heads(q, 4)` | (2, 4, 5, 2) | batch, heads, tokens, head_dim |
# | scores, weights | `q_heads @ … / d_k**0.5` | (2, 4, 5, 5) | batch, heads, query, key |
# | context | `attn_weights @ v_heads` | (2, 4, 5, 2) | batch, heads, tokens, head_dim |
# | merge | `merge_heads(context)` | (2, 5, 8) | batch, tokens, d_model |
# | mixed | `fc(…)` | (2, 5, 8) | batch, tokens, d_model |
#
# | attention | query from | key and value from | hidden |
# | --- | --- | --- | --- |
# | encoder self-attention | source | source | padding |
# | decoder self-attention | target | target | future and padding |
# | cross-attention | target | source | padding of the source |
#
# - Here a mask says what is **visible**: 1 or `True`. Other interfaces say the opposite.
# - A padding mask has the shape `(b, 1, 1, source)`. Masks of visible keys are joined with *and*.
# - A row without any visible key gets weights of 0, by a fill before the softmax and one after it.
# - `transpose` swaps strides and copies nothing. `view` never copies, `contiguous` and `reshape` copy where
#   they must.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each in your head before you open it.
#
# <details><summary>1. The target has 7 tokens, the source 20, there are 4 heads and 3 sequences. What shape have the scores of cross-attention, and what shape the output?</summary>
#
# Scores (3, 4, 7, 20), output (3, 7, d_model). The output always has as many tokens as there are queries.
#
# </details>
#
# <details><summary>2. The causal mask is passed to cross-attention too, with source and target equally long. What does the model lose?</summary>
#
# Only one source token is visible to the first target token, only two to the second. German often puts the
# verb at the end: the model has to translate it before it can read it. No error is raised.
#
# </details>
#
# <details><summary>3. You shuffle the source tokens, padding and mask included. What happens to the output of cross-attention?</summary>
#
# Nothing. The context is a sum over the source tokens, in whatever order. Word order needs positions, as in
# lesson 07.
#
# </details>
#
# <details><summary>4. A mask of 0 and 1 in float32 is passed to <code>scaled_dot_product_attention</code>. What does it do?</summary>
#
# It is *added* to the scores: a visible key gets 1 more, a key that should be hidden stays as it was. A float
# mask hides only where it holds `-inf`.
#
# </details>
#
# <details><summary>5. <code>x.transpose(1, 2).reshape(b, tokens, d_model)</code> works, <code>.view(…)</code> fails. Is <code>reshape</code> always the better choice?</summary>
#
# It always works, and does not show whether a copy was made. `view` never copies, and raises an error where
# it would have to. In both cases the transpose before it is what keeps the tokens apart.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Sequence to Sequence Learning with Neural Networks**, Sutskever, Vinyals and Le, 2014. Translation before
#   attention: the whole source in one vector.
# - **Neural Machine Translation by Jointly Learning to Align and Translate**, Bahdanau, Cho and Bengio, 2014. Figure 3
#   shows alignments as in section 9, between English and French.
# - **Attention Is All You Need**, Vaswani and others, 2017. Section 3.2.3 names the three uses of attention in one
#   model.
# - **Attention is not Explanation**, Jain and Wallace, 2019. Experiments against reading too much from weights.
# - **Attention is not not Explanation**, Wiegreffe and Pinter, 2019. The answer to it. Read both.
# - **The Annotated Transformer**, Rush, 2018. Encoder and decoder as one program, with comments.
# - **PyTorch Internals**, Yang, 2019. Strides and views, with drawings.

# %% id="progress"
progress("06-encoder-decoder")
