# %% [markdown] id="title"
# # 06 · Encoder, decoder and cross-attention
#
# So far one sentence looked at itself. A translator has two: the sentence that it reads and the sentence that
# it writes. The transformer of 2017 reads with an **encoder**, writes with a **decoder**, and lets the second
# look at the first through **cross-attention**. All three are one and the same class, called with other
# arguments. In this lesson you build that class, with the masks it needs, and see what goes wrong where two
# sentences meet.
#
# **When you are done you can**
#
# - take a batch through multi-head attention step by step, and say the shape after each step;
# - hide padding and the future with one mask, and keep a row with nothing to look at from turning into `nan`;
# - explain why `view` refuses a transposed tensor, and what `contiguous` does about it;
# - write `MultiHeadAttention` for self-attention and cross-attention, with source and target of different
#   length.
#
# **Time:** about 120 minutes. There is a good place for a break after task 6. **Before you start:** lessons
# 02 to 05: query, key and value, the causal mask, heads. Everything that you need from them is in this
# notebook.
#
# **How it works.** As before: your code goes where `...` stands, the check stands below it,
# `hint("the-task-id")` helps when you are stuck, and `progress()` shows how far you are. In two tasks the
# cell holds code with a fault in place of `...`; find it and mend it. One question is answered in words and
# read by a person.

# %% id="setup"
import torch
import torch.nn as nn
import torch.nn.functional as F
from IPython.display import display

from autograder import check, hint, progress
from visuals import (
    attention_map,
    combined_masks,
    encoder_decoder,
    explore_map,
    explore_three_attentions,
    memory_layout,
    track_shapes,
)

torch.set_printoptions(sci_mode=False, precision=4)  # 0.0008 and not 8.0241e-04

# %% [markdown] id="two-sentences"
# ## 1 · Two sentences, three attentions
#
# Here is the example of this lesson: a German sentence of four words to read, an English one to write. The
# German one is the **source**, the English one the **target**. Sentences in a batch have to be equally long,
# so the source is filled up with `<pad>`, a token that means nothing.

# %% id="sentences"
source = ["das", "Haus", "ist", "klein", "<pad>", "<pad>"]
target = ["<start>", "the", "house", "is", "small"]

# %% id="flow-figure" tags=["figure"]
encoder_decoder(source, target)

# %% [markdown] id="two-sentences-read"
# Three boxes in the picture are attention:
#
# - **Encoder self-attention.** Every source token may look at every source token, also at later ones: the
#   whole sentence is there to be read. Only the padding is hidden.
# - **Decoder self-attention.** A target token may look at itself and at what stands before it. What comes
#   later is not written yet. In training it is there, and has to be hidden: that is the **causal mask**.
# - **Cross-attention.** A target token asks, and the source answers. The **query** comes from the decoder,
#   **key** and **value** from the output of the encoder. There is no causal mask: the whole source may be
#   read for every word that is written. The padding of the source is hidden here too.

# %% [markdown] id="batch-intro"
# ## 2 · A batch to compute with
#
# What happens inside such a box you now compute by hand, step by step. For that the words do not matter, so
# the batch is random: 2 sequences of 5 tokens with 8 numbers each. Three sizes have names that you meet in
# every code base:
#
# | name | here | counts |
# | --- | --- | --- |
# | `batch_size` | 2 | sequences that are processed side by side, without knowing of each other |
# | `max_sequence_length` | 5 | tokens in each; a shorter sequence is padded, a longer one cut off |
# | `d_model` | 8 | numbers for each token, going in and coming out |
#
# `nn.Linear(d_model, d_model)` is a matrix of weights and a bias, drawn at random, that turns one vector of 8
# numbers into another. Three of them make queries, keys and values. The cell sets a seed before it draws the
# first number, so your numbers are those of the text. (Nothing is trained in this part, so the layers are
# told not to keep gradients. And `stream` remembers how far the random generator has come. Section 6 goes on
# from there, whatever you draw in between.)

# %% id="example-data" tags=["given"]
d_model = 8
max_sequence_length = 5
batch_size = 2
num_heads = 4
torch.manual_seed(24)
w_query = nn.Linear(d_model, d_model).requires_grad_(False)
w_key = nn.Linear(d_model, d_model).requires_grad_(False)
w_value = nn.Linear(d_model, d_model).requires_grad_(False)
X_input_tokens = torch.randn((batch_size, max_sequence_length, d_model))  # (b, tokens, d_model)
stream = torch.get_rng_state()

# %% id="batch-shape"
X_input_tokens.size()

# %% id="batch-shown"
X_input_tokens

# %% [markdown] id="project-batch-task"
# ### Task 1 · The queries of a batch
#
# *2 minutes · one line · task id* `project-batch`
#
# Make `q`, the queries of all tokens in both sequences. A layer is called like a function, and takes the last
# axis of whatever it is given; the axes before it are left alone.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "project-batch-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
q = w_query(X_input_tokens)  # (b, tokens, d_model)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "project-batch", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("project-batch")

# %% [markdown] id="keys-values"
# Keys and values are made in the same way, by their own layers:

# %% id="keys-values-made"
k = w_key(X_input_tokens)  # (b, tokens, d_model)
v = w_value(X_input_tokens)  # (b, tokens, d_model)
k.shape, v.shape

# %% [markdown] id="heads-intro"
# ## 3 · Into heads
#
# With 4 heads, each head gets a quarter of every vector: 8 numbers become 4 × 2. In the literature the three
# sizes per head are called `d_q`, `d_k` and `d_v`. Queries and keys meet in a dot product, so `d_q` and `d_k`
# must be equal; `d_v` is made equal as well, so that the heads put side by side give `d_model` again.

# %% id="head-sizes"
d_q = d_model // num_heads
d_k = d_model // num_heads
d_v = d_model // num_heads
d_q, d_k, d_v

# %% [markdown] id="heads-steps"
# It takes two steps. First the last axis is cut into heads, then the axis of the heads moves forward, next to
# the batch, so that a matrix product treats every head on its own:
#
# `(b, tokens, d_model)` → `(b, tokens, heads, head_dim)` → `(b, heads, tokens, head_dim)`
#
# **Predict, then run.** Tempting: go to the last shape in one step, by `reshape(b, heads, tokens, head_dim)`.
# The shape comes out right. The next cell does both to a sequence of 5 tokens whose numbers say where they
# come from: token 0 holds 0 to 7, token 1 holds 10 to 17, and so on. Head 0 should hold the first two numbers
# of every token. What do you expect from the one step?

# %% id="heads-refuted"
labelled = torch.arange(5)[None, :, None] * 10 + torch.arange(8)  # (b, tokens, d_model)
in_one_step = labelled.reshape(1, 4, 5, 2)  # (b, heads, tokens, head_dim), or so it seems
in_two_steps = labelled.reshape(1, 5, 4, 2).transpose(1, 2)  # (b, heads, tokens, head_dim)
print(f"head 0, in one step:\n{in_one_step[0, 0]}")
print(f"head 0, in two steps:\n{in_two_steps[0, 0]}")

# %% [markdown] id="into-heads-task"
# In one step, head 0 gets all of token 0 and a bit of token 1, and calls them five tokens. `reshape` never
# moves a number; it only counts them off anew. It takes a `transpose` to bring the tokens together.
#
# ### Task 2 · Cut into heads
#
# *5 minutes · two lines · task id* `into-heads`
#
# Write `into_heads(x, num_heads)`. Take every size from `x` itself: this function will meet batches of all
# kinds.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "into-heads-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def into_heads(x, num_heads):
    """Cut every token's vector into heads.

    Shapes:
        x: (b, tokens, d_model)
        returns: (b, heads, tokens, head_dim), with head_dim = d_model // num_heads
    """
    ### BEGIN SOLUTION
    b, tokens, d_model = x.shape
    cut = x.reshape(b, tokens, num_heads, d_model // num_heads)  # (b, tokens, heads, head_dim)
    return cut.transpose(1, 2)  # (b, heads, tokens, head_dim)
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "into-heads", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("into-heads")

# %% id="into-heads-steps-shown"
if torch.is_tensor(q):
    cut = [part.reshape(batch_size, max_sequence_length, num_heads, d_k) for part in (q, k, v)]
    print(f"{cut[0].shape} {cut[1].shape} {cut[2].shape}")  # (b, tokens, heads, head_dim)

# %% id="into-heads-shown"
q_heads = k_heads = v_heads = ...
if torch.is_tensor(q) and torch.is_tensor(into_heads(q, num_heads)):
    q_heads = into_heads(q, num_heads)  # (b, heads, tokens, head_dim)
    k_heads = into_heads(k, num_heads)  # (b, heads, tokens, head_dim)
    v_heads = into_heads(v, num_heads)  # (b, heads, tokens, head_dim)
    print(q_heads.shape)
    print(f"{k_heads.shape} {v_heads.shape}")

# %% [markdown] id="scores-intro"
# ## 4 · Scores, for every head at once
#
# For one head attention is
#
# $$\text{attention} = \text{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) \qquad \text{context} = \text{attention} \cdot V$$
#
# where $M$ holds 0 where a token may look and $-\infty$ where it may not. Division by $\sqrt{d_k}$ keeps the
# scores at about the same size whatever `d_k` is, so that softmax keeps a gradient (you measured it in lesson
# 02). Here `d_k` is the size of **one head**: 2, not 8.
#
# A matrix product of tensors with four axes multiplies the last two, for every sequence and every head on its
# own. What has to be turned round is the last two axes of the keys, and nothing else. `.T` would turn round
# all four; `transpose(-2, -1)` counts from the end.

# %% id="keys-transposed-shown"
if torch.is_tensor(k_heads):
    print(k_heads.transpose(-1, -2).shape)  # (b, heads, head_dim, tokens)

# %% [markdown] id="scaled-head-scores-task"
# ### Task 3 · The scores of every head
#
# *5 minutes · one line · task id* `scaled-head-scores`
#
# Make `head_scores` from `q_heads` and `k_heads`: scaled, not masked yet.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "scaled-head-scores-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
head_scores = q_heads @ k_heads.transpose(-2, -1) / d_k**0.5  # (b, heads, query, key)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "scaled-head-scores", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("scaled-head-scores")

# %% id="scaled-head-scores-shown"
if torch.is_tensor(head_scores):
    print(head_scores.shape)

# %% [markdown] id="polarity"
# ## 5 · A mask that says "may look"
#
# > ### Careful: the meaning of a mask has turned round
# >
# > In lessons 03 to 05 the buffer `mask` said what is **hidden**: 1 above the diagonal,
# > `masked_fill(mask.bool(), …)`. From here on, a mask says who **may look**: **1 or `True` = may look, 0 or
# > `False` = hidden**. That is what this interface and `scaled_dot_product_attention` expect of a boolean
# > mask. `nn.MultiheadAttention` and its `key_padding_mask` want the opposite. A mask with the wrong meaning
# > raises no error: the model then looks at everything that it should not see, and at nothing else. Wherever
# > you meet a mask, ask first what its 1 means.
#
# The causal mask of a decoder is then the *lower* triangle, diagonal included:

# %% id="causal-mask"
mask = torch.tril(torch.ones((max_sequence_length, max_sequence_length)))  # (query, key)
print(mask)

# %% [markdown] id="masked-weights-task"
# ### Task 4 · Masked weights
#
# *5 minutes · one or two lines · task id* `masked-weights`
#
# Make `attn_weights` from `head_scores` and `mask`: no query gives weight to a later key, and each row adds
# up to 1. The mask has two axes and the scores have four. Broadcasting lines up the last axes, so one mask
# serves every sequence and every head.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "masked-weights-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
attn_weights = F.softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=-1)  # (b, heads, query, key)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "masked-weights", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("masked-weights")

# %% [markdown] id="masked-weights-read"
# What softmax was given, and what it made of it. $e^{-\infty}$ is exactly 0, so nothing leaks, and the other
# weights of a row are what they would be if the hidden keys did not exist.

# %% id="masked-scores-shown"
if torch.is_tensor(head_scores):
    print(head_scores.masked_fill(mask == 0, float("-inf")))

# %% id="masked-weights-shown"
attn_weights

# %% id="masked-weights-figure" tags=["figure"]
attention_map(
    attn_weights[0] if torch.is_tensor(attn_weights) else ...,
    [f"t{index}" for index in range(max_sequence_length)],
    title="Four heads of the first sequence, masked",
)

# %% [markdown] id="masked-weights-explore"
# Both sequences now. Choose the sequence, the head and the token that asks. **Predict first:** what is the
# entropy of t0, in whichever head? (`explore_map` takes weights of your own just as well, and
# `attention_map(...).save("map.pdf")` keeps a map for a paper.)

# %% id="masked-weights-explorer" tags=["figure"]
explore_map(attn_weights, [f"t{index}" for index in range(max_sequence_length)])

# %% [markdown] id="memory-intro"
# ## 6 · One memory, two ways to read it
#
# The heads have to be put side by side again: transpose back, then join the last two axes. People stumble
# here over `view`, so look at what a transpose really does, on a small tensor. (The next cell also draws the
# inputs of section 10, so that all random numbers of this lesson come in one fixed order, whatever you ran in
# between.)

# %% id="stream-continued"
torch.set_rng_state(stream)  # go on exactly where section 2 stopped
x_section_10 = torch.rand((2, 5, 16))
for _ in range(3 * 4):
    nn.Linear(16, 16)  # the layers of three modules of section 10: drawn, and not needed
decoder_section_10 = torch.rand((2, 5, 16))
encoder_section_10 = torch.rand((2, 5, 16))
small = torch.randn(2, 3)

# %% id="contiguous-shown"
small_t = small.transpose(0, 1)
print(f"Original tensor:\n{small}\nIs contiguous? {small.is_contiguous()}\n")
print(f"Transposed tensor:\n{small_t}\nIs contiguous? {small_t.is_contiguous()}")

# %% id="memory-figure" tags=["figure"]
memory_layout(small)

# %% [markdown] id="memory-read"
# Memory is one long row of numbers. A tensor is that row plus its **strides**: how many places to walk for
# one step along each axis. `transpose` copies nothing. It swaps the strides, which is why it is free, and why
# a change in one shows in the other. Read row by row, the transposed tensor jumps through memory: it is **not
# contiguous**.
#
# `view` gives a tensor new sizes without copying, and for that the steps have to fit. Joining two axes into
# one needs a single stride for both, and after this transpose there is none:

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

# %% [markdown] id="contiguous-merge-task"
# `contiguous()` copies the numbers into reading order, and `view` works on the copy. `reshape` does the same
# in one call: a view where possible, a copy where not. Neither of them *transposes*. Joining heads and
# head_dim of a tensor `(b, heads, tokens, head_dim)` without moving the tokens forward runs without an error
# and mixes tokens: the model trains, and is worse than it could be.
#
# ### Task 5 · Put the heads side by side
#
# *5 minutes · one or two lines · task id* `contiguous-merge`
#
# Write `merge_heads(context)`, the way back from `into_heads`.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "contiguous-merge-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def merge_heads(context):
    """Put the heads of every token side by side: the way back from `into_heads`.

    Shapes:
        context: (b, heads, tokens, head_dim)
        returns: (b, tokens, heads * head_dim)
    """
    ### BEGIN SOLUTION
    b, heads, tokens, head_dim = context.shape
    together = context.transpose(1, 2)  # (b, tokens, heads, head_dim), not contiguous
    return together.contiguous().view(b, tokens, heads * head_dim)  # (b, tokens, d_model)
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "contiguous-merge", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("contiguous-merge")

# %% [markdown] id="attention-output-task"
# ### Task 6 · The output of the heads
#
# *3 minutes · one line · task id* `attention-output`
#
# Make `attention_output`: weigh the values of every head, `v_heads`, and put the heads side by side.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "attention-output-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
attention_output = merge_heads(attn_weights @ v_heads)  # (b, tokens, d_model)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "attention-output", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("attention-output")

# %% id="attention-output-shape"
if torch.is_tensor(attention_output):
    print(attention_output.shape)

# %% id="attention-output-shown"
attention_output

# %% [markdown] id="padding-intro"
# ## 7 · Padding, and both masks at once
#
# (This is a good place for a break.) Now the batch gets real: its sequences differ in length. Say the first
# has 5 tokens and the second only 3, filled up with 2 that mean nothing. Nobody may look at padding, from
# whichever token and in whichever head. So the mask depends on the sequence and on the **key**, and not on
# head or query:
#
# `(b, 1, 1, tokens)` broadcasts over scores of shape `(b, heads, query, key)`.
#
# The two axes of size 1 matter. A mask of shape `(b, tokens)` would be lined up from the right, its batch
# axis with the *queries*: an error if you are lucky, and a wrong mask where the sizes happen to agree.
#
# ### Task 7 · A padding mask
#
# *8 minutes · one or two lines · task id* `padding-mask`
#
# Write `padding_mask(lengths, num_tokens)`, with padding at the end of each sequence.
# `torch.arange(num_tokens)` gives the positions. Compare positions with lengths, and let broadcasting do the
# rest. The longest sequence may be shorter than `num_tokens`.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "padding-mask-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def padding_mask(lengths, num_tokens):
    """Which keys may be looked at: True for a token, False for padding at the end.

    Shapes:
        lengths: (b,), how many tokens of each sequence are no padding
        returns: (b, 1, 1, num_tokens), bool
    """
    ### BEGIN SOLUTION
    positions = torch.arange(num_tokens)  # (tokens,)
    may_look = positions < lengths[:, None]  # (b, tokens)
    return may_look[:, None, None, :]  # (b, 1, 1, tokens)
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "padding-mask", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("padding-mask")

# %% id="padding-mask-shown"
padding_mask(torch.tensor([5, 3]), 5)

# %% [markdown] id="combine-intro"
# A decoder that is trained on a batch needs both masks: the future is hidden, and so is the padding. A key
# may be looked at if the first mask allows it **and** the second does. Here for the second sequence, with 3
# tokens:

# %% id="combined-figure" tags=["figure"]
combined_masks(mask, torch.tensor([1, 1, 1, 0, 0]), ["t0", "t1", "t2", "pad", "pad"])

# %% [markdown] id="combine-masks-task"
# Two of the rows belong to padding. They are computed like the others, and what comes out is thrown away
# later, so nothing is gained by emptying them.
#
# ### Task 8 · Both masks in one
#
# *5 minutes · one or two lines · task id* `combine-masks`
#
# Write `decoder_mask(lengths, num_tokens)`. It may call `padding_mask`.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "combine-masks-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def decoder_mask(lengths, num_tokens):
    """The causal mask and the padding mask in one: True where a query may look at a key.

    Shapes:
        lengths: (b,)
        returns: (b, 1, num_tokens, num_tokens), bool; the last two axes are query and key
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
# ## 8 · A row with nothing to look at
#
# **Predict, then run.** Sometimes a row is hidden from end to end: a batch is filled up with an empty
# sequence, or the padding stands on the *left* and the first token of a causal row is padding. All scores of
# that row are `-inf`. What will softmax make of them: zeros, equal weights, or something else?

# %% id="nothing-shown"
three_scores = torch.tensor([[0.5, -0.2, 0.1], [0.3, 0.9, -0.4]])
may_look = torch.tensor([[1, 1, 0], [0, 0, 0]])
print(torch.softmax(three_scores.masked_fill(may_look == 0, float("-inf")), dim=-1))
print(torch.softmax(three_scores.masked_fill(may_look == 0, -1e9), dim=-1))

# %% [markdown] id="masked-softmax-task"
# $-\infty$ minus the largest score, which is $-\infty$ too, is `nan`, and softmax passes it on. In the next
# layer other tokens of the sequence look at the broken one, and through the loss the `nan` reaches every
# weight of the model. Filling in `-1e9` in place of `-inf` avoids the `nan`, and shares the attention out
# evenly: the row looks at exactly what is hidden. A quieter fault, and not a smaller one.
#
# This course says: **who may look at nothing takes in nothing**. All weights of such a row are 0, and so is
# its context. It is the one row that does not add up to 1. (`scaled_dot_product_attention` of recent torch
# versions decides likewise.)
#
# ### Task 9 · A softmax that knows about masks
#
# *10 minutes · two or three lines · task id* `masked-softmax`
#
# Write `masked_softmax(scores, mask)`: softmax over the keys that may be looked at, 0 for all others. The
# mask holds 1 or `True` for "may look", and broadcasts to the scores. Leave the caller's scores as they are. One
# of the three points is for the gradient: it must be finite, in a row that is all hidden too.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "masked-softmax-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def masked_softmax(scores, mask):
    """Softmax over the keys that may be looked at; all zeros where there are none.

    Shapes:
        scores: (b, heads, query, key)
        mask: broadcasts to the scores; 1 or True = may look, 0 or False = hidden
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
# Right values are half of it. A `nan` that was only painted over can come back in training, through the
# gradient. The next cell asks for the gradient of the weights, once through your function and once through a
# mask of 0 and `-inf` that is *added* to the scores and mended afterwards with `nan_to_num`. Both give the
# same weights.

# %% id="masked-softmax-gradient"
trained_scores = three_scores[None, None].clone().requires_grad_()  # (b, heads, query, key)
factors = torch.tensor([1.0, 2.0, 3.0])
minus_infinity = torch.zeros(2, 3).masked_fill(may_look == 0, float("-inf"))  # (query, key)
added = torch.softmax(trained_scores + minus_infinity, dim=-1).nan_to_num()  # (b, heads, query, key)
print(f"added, then mended:\n{torch.autograd.grad((added * factors).sum(), trained_scores)[0]}")
if torch.is_tensor(masked_softmax(trained_scores, may_look)):
    yours = masked_softmax(trained_scores, may_look)  # (b, heads, query, key)
    print(f"yours:\n{torch.autograd.grad((yours * factors).sum(), trained_scores)[0]}")

# %% [markdown] id="masked-softmax-gradient-read"
# `masked_fill` passes no gradient back to what it filled, so a `nan` behind it goes nowhere. An addition
# passes everything back. If you see a `nan` under "yours", fill before the softmax as well as after it.

# %% [markdown] id="cross-intro"
# ## 9 · When the two sentences differ in length
#
# In cross-attention there are as many queries as target tokens and as many keys as source tokens. The scores
# are no longer a square: 5 words to write and 6 to read make 5 × 6 scores for each head.
#
# The first version of the code in this course's history took the length from the query and reshaped the keys
# with it. It was tried with two sequences of 5 tokens, and worked.
#
# ### Task 10 · Find the bug: one length for two sentences
#
# *8 minutes · change two or three lines · task id* `bug-query-length`
#
# The cell below holds `cross_scores(q, k, num_heads)` with that fault. Run it, run the cell under it, read
# what it says, and mend it. Every source token must be scored, and no other.


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
# The same with the shapes at hand: `track_shapes` notes every line of a run and what it makes, down to the
# line that fails. The sizes all differ here, so the table can say which axis is which. Compare what the last
# line asks for with what it gets, and run the cell again when you have mended the function.

# %% id="bug-query-length-shapes-shown" tags=["figure"]
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
# The error was the lucky case. Code that cuts the source to the length of the target, or fills it up, runs
# without complaint: words of the source are never read, or words are read that do not exist. A test with two
# sentences of the *same* length finds none of these. Test with sizes that differ.
#
# <details><summary>What was wrong</summary>
#
# `k.reshape(batch_size, max_sequence_length, num_heads, d_k)` took its length from `q.shape`. With 6 source
# and 5 target tokens, 96 numbers cannot fill a shape of 80. The length of `k` stands in `k.shape[1]`.
#
# </details>

# %% [markdown] id="class-intro"
# ## 10 · One class for all three
#
# Put it together. The class has four layers, `query`, `key`, `value` and `fc`, each `nn.Linear(d_model,
# d_model)`. The last one mixes what the heads have found; without it the heads would stay side by side, never
# to meet. (Lesson 05 called the four `W_query`, `W_key`, `W_value` and `out_proj`; you will meet both sets of
# names.) Three inputs in place of one make it fit for cross-attention:
#
# | called as | is |
# | --- | --- |
# | `mha(x, x, x, padding)` | self-attention in the encoder |
# | `mha(y, y, y, causal_and_padding)` | masked self-attention in the decoder |
# | `mha(y, memory, memory, source_padding)` | cross-attention: `y` asks, the encoder's output `memory` answers |
#
# ### Task 11 · `MultiHeadAttention`
#
# *20 minutes · a class · task id* `multi-head-attention-module`
#
# Write it. Use your own `into_heads`, `masked_softmax` and `merge_heads`, or write the steps out. `mask=None`
# hides nothing; otherwise the mask broadcasts to `(b, heads, target, source)`, with 1 or `True` for "may
# look". A query that may look at nothing gets a context of zeros (after `fc` that is its bias). The class is
# yours to write: with PyTorch's `nn.MultiheadAttention` in it, four of the six points are gone.


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
        """Let every target token look at the source tokens that the mask allows.

        Shapes:
            q_input: (b, target, d_model)
            k_input, v_input: (b, source, d_model)
            mask: None, or broadcasts to (b, heads, target, source); 1 or True = may look
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
# Your class in its three roles, now with `d_model = 16`. The inputs were drawn in section 6, as the next
# numbers of the same random stream. **Predict the three shapes**, then run.

# %% id="encoder-call"
mha_enc = MultiHeadAttention(16, 4)
output = mha_enc(x_section_10, x_section_10, x_section_10, None)
if torch.is_tensor(output):
    print(f"encoder self-attention: {output.shape}")

# %% id="decoder-call"
mha_dec = MultiHeadAttention(16, 4)
output = mha_dec(x_section_10, x_section_10, x_section_10, torch.tril(torch.ones(5, 5)))
if torch.is_tensor(output):
    print(f"masked decoder self-attention: {output.shape}")

# %% id="cross-call"
mha = MultiHeadAttention(16, 4)
output = mha(decoder_section_10, encoder_section_10, encoder_section_10, None)
if torch.is_tensor(output):
    print(f"cross-attention: {output.shape}")

# %% [markdown] id="unequal-call-intro"
# And what those sizes would never have shown: 5 target tokens, 6 source tokens of which the last two are
# padding in the first sequence, and a class that does not mind. Padding may hold anything; the result must
# not change with it.

# %% id="unequal-call"
y = torch.rand(2, 5, 16)  # (b, target, d_model)
memory = torch.rand(2, 6, 16)  # (b, source, d_model)
other_padding = memory.clone()
other_padding[0, 4:] = 1000.0
source_padding = padding_mask(torch.tensor([4, 6]), 6)
output = mha(y, memory, memory, source_padding)
if torch.is_tensor(output):
    changed = mha(y, other_padding, other_padding, source_padding)
    print(f"{output.shape}, unchanged by what stands in the padding: {torch.allclose(output, changed)}")

# %% [markdown] id="explorer-intro"
# ## 11 · Who may look at whom
#
# Choose one of the three attentions and a token that asks. The explorer says in words which tokens may be
# looked at, which are hidden, and why. **Predict first:** in cross-attention, may "the" look at "klein"? And
# in decoder self-attention, may "the" look at "small"?

# %% id="explorer" tags=["figure"]
explore_three_attentions(source, target)

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# In the encoder every row is alike: only padding is hidden. In the decoder each row has one more than the row
# above. In cross-attention the grid is not a square, and again every row is alike: "the" may look at "klein",
# although "small" is not written yet. The future of the *target* is a secret, the source is not.
#
# </details>

# %% [markdown] id="bug-cross-task"
# ### Task 12 · Find the bug: the decoder that never listens
#
# *8 minutes · change one line · task id* `bug-cross-from-decoder`
#
# `decoder_step` is the attention part of one decoder layer: masked self-attention over the target, then
# cross-attention to the encoder's output. (A real layer adds residuals and normalisation around both.) The
# code runs, the shapes are right, the loss goes down, and the translations have nothing to do with what was
# read. The cell under it shows the symptom. Find the cause.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-cross-from-decoder-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    """Masked self-attention over the target, then cross-attention to the source.

    Shapes:
        self_attention, cross_attention: two MultiHeadAttention
        decoder_input: (b, target, d_model)
        encoder_output: (b, source, d_model)
        causal: (target, target), 1 = may look
        source_padding: (b, 1, 1, source), 1 = may look
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
#         causal: (target, target), 1 = may look
#         source_padding: (b, 1, 1, source), 1 = may look
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
# The last line was `cross_attention(x, x, x, causal)`: the decoder asked itself once more, and
# `encoder_output` was never used. No shape can give that away, because the output has the shape of the
# queries in any case. What gives it away is the experiment above: change what should matter, and see whether
# anything happens.
#
# </details>

# %% [markdown] id="words-task"
# ### Task 13 · Three attentions, in your words
#
# *8 minutes · a few sentences · read by a person*
#
# A friend knows what self-attention is and has never heard of an encoder. Tell them about encoder
# self-attention, decoder self-attention and cross-attention. For each of the three say **who asks** (where
# the queries come from), **who answers** (where keys and values come from), and **which mask** is needed and
# why. Write into the cell below.

# %% [markdown] nbgrader={"cell_type": "markdown", "grade": true, "grade_id": "three-attentions-in-words", "locked": false, "points": 3, "schema_version": 3, "solution": true, "task": false}
# ### BEGIN SOLUTION
# **Encoder self-attention.** Every token of the source asks, and all tokens of the source answer: queries,
# keys and values come from the same sequence. The whole source is known, so nothing is hidden but its
# padding.
#
# **Decoder self-attention.** Every token of the target asks, and the target answers. When the model is used,
# later tokens do not exist yet; in training they stand there and would give the answer away. So the causal
# mask hides them, together with padding.
#
# **Cross-attention.** The tokens of the target ask (queries from the decoder), the source answers (keys and
# values from the encoder's output). There is no causal mask, because the source was there from the start. Its
# padding is hidden. The scores have one row for each target token and one column for each source token, so
# they need not be a square.
#
# **Marking scheme**
#
# - 1 point: who asks and who answers is right for both self-attentions (one and the same sequence each time).
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
# | cut | `.reshape(2, 5, 4, 2)` | (2, 5, 4, 2) | batch, tokens, heads, head_dim |
# | heads forward | `.transpose(1, 2)` | (2, 4, 5, 2) | batch, heads, tokens, head_dim |
# | keys turned round | `k_heads.transpose(-2, -1)` | (2, 4, 2, 5) | batch, heads, head_dim, tokens |
# | scores, weights | `q_heads @ … / d_k**0.5` | (2, 4, 5, 5) | batch, heads, query, key |
# | context | `attn_weights @ v_heads` | (2, 4, 5, 2) | batch, heads, tokens, head_dim |
# | heads side by side | `.transpose(1, 2).contiguous().view(2, 5, 8)` | (2, 5, 8) | batch, tokens, d_model |
# | mixed | `fc(…)` | (2, 5, 8) | batch, tokens, d_model |
#
# | attention | query from | key and value from | mask |
# | --- | --- | --- | --- |
# | encoder self-attention | source | source | padding |
# | decoder self-attention | target | target | causal and padding |
# | cross-attention | target | source | padding of the source |
#
# - Here a mask says **who may look**: 1 or `True`. Other interfaces say the opposite.
# - A padding mask has the shape `(b, 1, 1, source)`. Masks that say "may look" are joined with *and*.
# - A row with nothing to look at gets weights of 0, by a fill before the softmax and one after it.
# - `transpose` swaps strides and copies nothing. `view` never copies, `contiguous` does, `reshape` where it
#   must.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each in your head before you open it.
#
# <details><summary>1. The target has 7 tokens, the source 20, there are 4 heads and 3 sequences. What shape have the scores of cross-attention, and what shape the output?</summary>
#
# Scores (3, 4, 7, 20), output (3, 7, d_model). The output has always as many tokens as there are queries.
#
# </details>
#
# <details><summary>2. Somebody passes the causal mask to cross-attention too, with source and target equally long. What does the model lose?</summary>
#
# The first target token may then read one source token only, the second two. German puts verbs at the end:
# the model has to translate them before it may read them. No error is raised.
#
# </details>
#
# <details><summary>3. You shuffle the source tokens, padding and mask included. What happens to the output of cross-attention?</summary>
#
# Nothing. The context is a sum over the source tokens, in whatever order. Word order has to come from
# positions that are added to the embeddings.
#
# </details>
#
# <details><summary>4. A mask of 0 and 1 in float32 is passed to <code>scaled_dot_product_attention</code>. What does it do?</summary>
#
# It is *added* to the scores: what may be looked at gets 1 more, what should be hidden stays as it was. Only
# a boolean mask hides. A float mask must hold 0 and `-inf`.
#
# </details>
#
# <details><summary>5. <code>x.transpose(1, 2).reshape(b, tokens, d_model)</code> works, <code>.view(…)</code> fails. Is <code>reshape</code> always the better choice?</summary>
#
# It always works, and it hides whether a copy was made. `view` is a promise that nothing is copied, and
# breaks loudly where it cannot be kept. In both cases the transpose before it is what keeps the tokens apart.
#
# </details>

# %% id="progress"
progress("06-encoder-decoder")
