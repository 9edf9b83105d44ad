# %% [markdown] id="title"
# # 06 · Encoder, decoder and cross-attention
#
# So far, one sentence attended to itself. A translator works with two: the sentence it reads and the sentence it
# writes. How does a word that is being written find the words it translates? The original transformer of 2017 reads
# with an **encoder**, writes with a **decoder**, and connects the two with **cross-attention**. All three are the
# same class, called with different arguments. You will build that class and the masks it needs, and by the end it
# will translate.
#
# **When you are done you can**
#
# - say where queries, keys and values come from in an encoder, in a decoder and in cross-attention;
# - hide padding and the future with one mask, and keep a row with no visible key from becoming `nan`;
# - write `MultiHeadAttention` for self-attention and cross-attention, with a source and a target of different
#   lengths;
# - read a cross-attention map, measure how far to trust it, and say what it cannot tell you.
#
# **Time:** about 110 minutes, an estimate. **Before you start:** lesson 05 (heads, `split_heads`, `merge_heads`) and
# the causal mask of lesson 03.

# %% id="setup"
from autograder import check, hint, predict, progress, reveal, review
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

# %% id="review"
review("06-encoder-decoder")

# %% [markdown] id="two-sentences"
# ## 1 · Two sentences, three attentions
#
# We read a four-word German sentence and write an English one. The German sentence is the **source**, and the English
# one is the **target**. All sentences in a batch must have the same length, so we pad the source with `<pad>`, a
# token that carries no meaning.

# %% id="sentences"
source = ["das", "Haus", "ist", "klein", "<pad>", "<pad>"]
target = ["<start>", "the", "house", "is", "small"]

# %% id="flow-figure" tags=["figure"]
encoder_decoder(source, target)


# %% [markdown] id="two-sentences-read"
# Three of the boxes in the picture are attention:
#
# - **Encoder self-attention.** Every source token attends to all source tokens, including later ones, because the
#   whole sentence is already known. Only the padding is hidden.
# - **Decoder self-attention.** A target token attends to itself and to the tokens before it. When you use the model,
#   later tokens do not exist yet; during training they do, so the **causal mask** has to hide them.
# - **Cross-attention.** The **queries** come from the decoder; the **keys** and **values** come from the encoder's
#   output. No causal mask is needed, because every target token may see the whole source. Only the padding of the
#   source is hidden.
#
# Most language models consist of a decoder alone. Cross-attention is used where a model writes about something other
# than its own text: the decoder of [Whisper](https://arxiv.org/abs/2212.04356) transcribes speech, and its queries
# meet keys and values that an encoder has computed from the sound.

# %% [markdown] id="batch-intro"
# ## 2 · One box, with the sizes of this lesson
#
# You wrote these steps in lesson 05, so here you only run them. Follow the shapes: a random batch of 2 sequences with
# 5 tokens each, `d_model` = 8, and 4 heads of 2 numbers each. Here the three layers have a bias.

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

# %% [markdown] id="scores-intro"
# Within each head, attention is
#
# $$\text{weights} = \text{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) \qquad \text{context} = \text{weights} \cdot V$$
#
# The mask $M$ is 0 where a key is visible and $-\infty$ where it is hidden. $d_k$ is the size of **one head**: 2, not
# 8.

# %% id="head-scores"
d_k = d_model // num_heads
head_scores = q_heads @ k_heads.transpose(-2, -1) / d_k**0.5  # (b, heads, query, key)
print(head_scores.shape)
print(k_heads.transpose(-1, -2).shape)  # (b, heads, head_dim, tokens)

# %% [markdown] id="polarity"
# > ### From here on, True means visible
# >
# > In lessons 03 to 05, a mask said what was **hidden**: `masked_fill(hidden, -torch.inf)`. From here on, a mask says
# > what is **visible**: **1 or `True` = visible, 0 or `False` = hidden**. That is what `scaled_dot_product_attention`
# > expects of a Boolean mask. `nn.MultiheadAttention` and its `key_padding_mask` expect the opposite. A mask with the
# > wrong meaning raises no error, so this course names its masks `hidden` or `visible`. Whenever you meet a mask,
# > first ask what a 1 in it means.
#
# A causal mask of the visible keys is the *lower* triangle, including the diagonal. Wherever it is 0, the score
# becomes $-\infty$. The mask has two axes and the scores have four, but broadcasting aligns the last axes, so one
# mask serves every sequence and every head.

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
# The weights times the values, with the heads put back side by side:

# %% id="attention-output-shown"
attention_output = merge_heads(attn_weights @ v_heads)  # (b, tokens, d_model)
print(attention_output.shape)
attention_output

# %% [markdown] id="memory-intro"
# `merge_heads` calls `contiguous`. A small tensor reminds you why:

# %% id="contiguous-shown"
small = torch.tensor([[0.4496, -0.3525, 0.7069], [2.0206, 0.1058, 0.8492]])
small_t = small.transpose(0, 1)
print(f"Original tensor:\n{small}\nIs contiguous? {small.is_contiguous()}\n")
print(f"Transposed tensor:\n{small_t}\nIs contiguous? {small_t.is_contiguous()}")

# %% id="memory-figure" tags=["figure"]
memory_layout(small)


# %% [markdown] id="memory-read"
# Memory is one long row of numbers. A tensor is that row plus its **strides**, which say how many numbers to skip to
# reach the next entry along each axis. `transpose` copies nothing; it only swaps the strides. Read row by row, the
# transposed tensor jumps around in memory, so it is **not contiguous**, and `view`, which never copies, refuses it.
# `contiguous` copies the numbers into reading order unless they are in it already, and `reshape` copies only when it
# has to.

# %% id="view-refused"
print(f"strides: {small.stride()}, and transposed: {small_t.stride()}")
try:
    small_t.view(6)
except RuntimeError as error:
    print(f"view:       {str(error).split('. ')[0]}")
print(f"contiguous: {small_t.contiguous().view(6)}, copied first")
print(f"reshape:    {small_t.reshape(6)}, copied only where it must be")

# %% [markdown] id="memory-merge"
# None of the three swaps axes for you. If you join the last two axes of a (b, heads, tokens, head_dim) tensor without
# first moving the tokens forward, no error is raised, but the numbers of different tokens get mixed. Lesson 05
# trained such a class: its loss never got below about 0.9, while that of the correct class fell below 0.2.

# %% [markdown] id="padding-intro"
# ## 3 · Padding, and both masks at once
#
# Sequences in a real batch have different lengths. Say the first has 5 tokens, and the second has 3, plus 2 tokens of
# padding. Padding is hidden from every query in every head, so the mask depends on the sequence and on the **key**,
# but not on the head or the query:
#
# `(b, 1, 1, tokens)` broadcasts over scores of shape `(b, heads, query, key)`.
#
# The two axes of size 1 matter. Broadcasting aligns shapes from the right, so the batch axis of a `(b, tokens)` mask
# would be matched with the *queries*. Usually that raises an error, but where the two sizes happen to agree, you
# silently get a wrong mask.
#
# ### Task 1 · A padding mask
#
# *8 minutes · one or two lines · task id* `padding-mask`
#
# Write `padding_mask(lengths, num_tokens)`. True means visible; the padding is at the end of each sequence.
# `torch.arange(num_tokens)` gives the positions. Compare the positions with the lengths and let broadcasting do the
# rest. The longest sequence can be shorter than `num_tokens`.


# %% answer="padding-mask"
def padding_mask(lengths, num_tokens):
    """Which keys are visible: True for a token, False for padding at the end.

    Shapes:
        lengths: (b,), how many tokens of each sequence are not padding
        returns: (b, 1, 1, num_tokens), bool, True = visible
    """
    ### BEGIN SOLUTION
    positions = torch.arange(num_tokens)  # (tokens,)
    visible = positions < lengths[:, None]  # (b, tokens)
    return visible[:, None, None, :]  # (b, 1, 1, tokens)
    ### END SOLUTION


# %% check="padding-mask" points=2
check("padding-mask")

# %% id="padding-mask-shown"
# needs padding_mask
padding_mask(torch.tensor([5, 3]), 5)


# %% [markdown] id="combine-intro"
# A decoder trained on a batch needs both masks, because both the future and the padding must be hidden. A key is
# visible if it is visible in the first mask **and** in the second. Here is the second sequence, with its 3 tokens:

# %% id="combined-figure" tags=["figure"]
combined_masks(visible, torch.tensor([1, 1, 1, 0, 0]), ["t0", "t1", "t2", "pad", "pad"])

# %% [markdown] id="combine-masks-task"
# Two of the rows belong to padding. They are computed like all the others and their output is thrown away later, so
# there is no need to empty them.
#
# ### Task 2 · Both masks in one
#
# *5 minutes · one or two lines · task id* `combine-masks`
#
# Write `decoder_mask(lengths, num_tokens)`. It may call `padding_mask`.


# %% answer="combine-masks"
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


# %% check="combine-masks" points=2
check("combine-masks")

# %% id="combine-masks-shown"
# needs decoder_mask
print(decoder_mask(torch.tensor([5, 3]), 5)[1, 0].int())


# %% [markdown] id="nothing-intro"
# ## 4 · A row with no visible key
#
# **Predict, then run.** Sometimes an entire row is hidden: a batch can be filled up with an empty sequence, or the
# padding can be on the *left*, so that the first query of a causal mask sees only padding. Every score in such a row
# is `-inf`.

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
reveal("row-all-hidden", 2 * int(torch.softmax(torch.full((3,), -torch.inf), dim=0).isnan().all()))

# %% [markdown] id="masked-softmax-task"
# Softmax subtracts the largest score, which here means $-\infty - (-\infty)$, and that is `nan`. In the next layer,
# other tokens attend to the broken one, so the loss becomes `nan`, and so does every gradient. With `-1e9` instead of
# `-inf`, nothing becomes `nan`, but the row spreads its attention evenly over keys that are all hidden. That is just
# as wrong and harder to notice.
#
# This course has a rule: **a query without any visible key gets nothing**. All weights in its row are 0, and so is
# its context. It is the only kind of row that does not sum to 1. (On a CPU, `scaled_dot_product_attention` returns
# zeros for such a row in the version of PyTorch used here. The documentation does not promise this, and some GPU
# kernels have returned `nan` in the backward pass, so do not rely on it.)
#
# ### Task 3 · A softmax that knows about masks
#
# *10 minutes · two or three lines · task id* `masked-softmax`
#
# Write `masked_softmax(scores, mask)`: softmax over the visible keys, 0 for all others. The mask is 1 or `True` where
# a key is visible, and it broadcasts to the scores. Leave the caller's scores as they are. One of the three points is
# for the gradient: it must be finite, even in a fully hidden row.


# %% answer="masked-softmax"
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


# %% check="masked-softmax" points=3
check("masked-softmax")


# %% [markdown] id="masked-softmax-read"
# Even if you replace a `nan` in the weights, it can return through the gradient during training. The next cell
# computes the gradient of the weights twice: once through your function, and once through a mask of 0 and `-inf` that
# is *added* to the scores, followed by `nan_to_num`. Both give the same weights.

# %% id="masked-softmax-gradient"
# needs masked_softmax
trained_scores = three_scores[None, None].clone().requires_grad_()  # (b, heads, query, key)
factors = torch.tensor([1.0, 2.0, 3.0])
minus_infinity = torch.zeros(2, 3).masked_fill(two_visible == 0, float("-inf"))  # (query, key)
added = torch.softmax(trained_scores + minus_infinity, dim=-1).nan_to_num()  # (b, heads, query, key)
print(f"added, then nan_to_num:\n{torch.autograd.grad((added * factors).sum(), trained_scores)[0]}")
yours = masked_softmax(trained_scores, two_visible)  # (b, heads, query, key)
print(f"yours:\n{torch.autograd.grad((yours * factors).sum(), trained_scores)[0]}")

# %% [markdown] id="masked-softmax-gradient-read"
# `masked_fill` passes no gradient back to the entries it filled, so a `nan` that reaches it on the way back goes no
# further. An addition passes everything back. If you see a `nan` under "yours", fill before the softmax as well as
# after it.

# %% [markdown] id="cross-intro"
# ## 5 · When the two sentences differ in length
#
# In cross-attention, there is a query for each target token and a key for each source token, so the scores are no
# longer square: 5 target tokens and 6 source tokens give 5 × 6 scores in each head.
#
# ### Task 4 · Find the bug: one length for two sentences
#
# *8 minutes · change two or three lines · task id* `bug-query-length`
#
# Somebody tested `cross_scores(q, k, num_heads)` with two sequences of 5 tokens, and it worked. Run it, run the cell
# below it, read the error, and fix the function. Every source token must get a score, and no other.


# %% answer="bug-query-length"
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
# To follow the shapes up to this failure, use `track_shapes`. It records every line of a run and its result, up to
# the line that fails. All sizes differ here, so the table can tell you which axis is which. Run the cell again when
# you have fixed the function.

# %% id="bug-query-length-shapes-shown" tags=["figure", "shown"]
shapes = track_shapes(b=3, target=5, source=7, d_model=8, heads=4, d_k=2)
try:
    with shapes:
        cross_scores(torch.ones(3, 5, 8), torch.ones(3, 7, 8), num_heads=4)
except RuntimeError:
    pass  # code that fails shows its table by itself
else:
    display(shapes)

# %% check="bug-query-length" points=2
check("bug-query-length")


# %% [markdown] id="bug-query-length-read"
# An error is the lucky case. Code that cuts or pads the source to the length of the target runs without complaint,
# but it never reads some words of the source, or reads words that do not exist. A test with two sentences of the
# *same* length finds none of these bugs, so test with sizes that differ.
#
# <details><summary>What was wrong</summary>
#
# `k.reshape(batch_size, max_sequence_length, num_heads, d_k)` took its length from `q.shape`. With 6 source tokens
# and 5 target tokens, 96 numbers cannot fit into a shape of 80. The length of `k` is `k.shape[1]`.
#
# </details>

# %% [markdown] id="class-intro"
# ## 6 · One class for all three
#
# The class has four layers, `query`, `key`, `value` and `fc`, each an `nn.Linear(d_model, d_model)`. (Lesson 05
# called them `W_query`, `W_key`, `W_value` and `out_proj`; you will meet both sets of names.) It takes three inputs:
#
# | call | what it is |
# | --- | --- |
# | `mha(x, x, x, padding)` | self-attention in the encoder |
# | `mha(y, y, y, causal_and_padding)` | masked self-attention in the decoder |
# | `mha(y, memory, memory, source_padding)` | cross-attention: queries from `y`, keys and values from the encoder's output `memory` |
#
# ### Task 5 · `MultiHeadAttention`
#
# *20 minutes · a class · task id* `multi-head-attention-module`
#
# Write it. Use `split_heads`, your `masked_softmax` and `merge_heads`, or write the steps out. `mask=None` hides
# nothing; otherwise the mask broadcasts to `(b, heads, target, source)`, with 1 or `True` = visible. A query without
# any visible key gets a context of zeros (after `fc`, only the bias of `fc` remains). Large scores must not overflow.
# Write the class yourself: with PyTorch's `F.scaled_dot_product_attention` or `nn.MultiheadAttention` in it, it earns
# at most 2 of the 6 points.


# %% answer="multi-head-attention-module"
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


# %% check="multi-head-attention-module" points=6
check("multi-head-attention-module")


# %% [markdown] id="three-calls-intro"
# Here is your class in its three roles, now with `d_model = 16`:

# %% id="three-calls"
# needs MultiHeadAttention
x = torch.rand(2, 5, 16)  # (b, tokens, d_model)
decoder_x, encoder_x = torch.rand(2, 5, 16), torch.rand(2, 5, 16)  # (b, tokens, d_model)
mha_enc, mha_dec, mha = (MultiHeadAttention(16, 4) for _ in range(3))
for name, output in {
    "encoder self-attention": mha_enc(x, x, x, None),
    "masked decoder self-attention": mha_dec(x, x, x, torch.tril(torch.ones(5, 5))),
    "cross-attention": mha(decoder_x, encoder_x, encoder_x, None),
}.items():
    print(f"{name}: {output.shape}")

# %% [markdown] id="unequal-call-intro"
# Equal lengths prove little. Now take 5 target tokens and 6 source tokens, the last two of which are padding in the
# first sequence. The result must not depend on the numbers in the padding. **Predict, then run:**

# %% id="predict-output-shape"
predict(
    "output-shape",
    "5 target tokens, 6 source tokens: what is the shape of the output?",
    (
        "(2, 5, 16)",
        "(2, 6, 16)",
        "(2, 5, 6)",
    ),
)

# %% id="unequal-call"
# needs padding_mask, mha
y = torch.rand(2, 5, 16)  # (b, target, d_model)
memory = torch.rand(2, 6, 16)  # (b, source, d_model)
other_padding = memory.clone()
other_padding[0, 4:] = 1000.0
source_padding = padding_mask(torch.tensor([4, 6]), 6)
output = mha(y, memory, memory, source_padding)
changed = mha(y, other_padding, other_padding, source_padding)
print(f"{output.shape}, unchanged by what the padding holds: {torch.allclose(output, changed)}")

# %% id="came-output-shape"
# needs output
reveal("output-shape", str(tuple(output.shape)))

# %% [markdown] id="explorer-intro"
# ## 7 · What is visible to whom
#
# Choose one of the three attentions and a query token. The explorer tells you which tokens are visible, which are
# hidden, and why. **Predict first:**

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
reveal("visible-to-the", 1 - int(visible[1, 4]) + 2 * int(source[3] == source[-1]))


# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# In the encoder, all rows look the same, because only padding is hidden. In the decoder, each row has one more
# visible key than the row above it. In cross-attention, the grid is not square, and again all rows look the same:
# "klein" is visible to "the", although "small" has not been written yet. Only the future of the *target* is hidden.
#
# </details>

# %% [markdown] id="bug-cross-task"
# ### Task 6 · Find the bug: the decoder that never reads the source
#
# *8 minutes · change one line · task id* `bug-cross-from-decoder`
#
# `decoder_step` is the attention part of one decoder layer: masked self-attention over the target, then
# cross-attention to the encoder's output. (A real layer adds residuals and normalisation around both.) The code runs
# and the shapes are right, but the output has nothing to do with the source. The cell below it shows the symptom.
# Find the cause.


# %% answer="bug-cross-from-decoder"
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
# needs mha, memory
causal = torch.tril(torch.ones(5, 5))  # (target, target)
another_text = torch.rand(2, 6, 16)  # (b, source, d_model)
steps = [decoder_step(mha_dec, mha, y, text, causal, source_padding) for text in (memory, another_text)]
print(f"Another text to translate, the same result: {torch.allclose(*steps)}")

# %% check="bug-cross-from-decoder" points=2
check("bug-cross-from-decoder")


# %% [markdown] id="bug-cross-read"
# <details><summary>What was wrong</summary>
#
# The last line was `cross_attention(x, x, x, causal)`. The decoder attended to itself a second time, and
# `encoder_output` was never used. No shape reveals that, because the output always has the shape of the queries. The
# experiment above does: change something that should matter, and see whether the result changes.
#
# </details>

# %% [markdown] id="dates-intro"
# ## 8 · A translation
#
# You now have everything a translator needs. Below, three copies of your `MultiHeadAttention` are given **trained**
# weights. The model reads a date written in one of ten ways, in English or German, and always writes it the same way:
# "23. November 2026" becomes `2026-11-23`. A source token is a word, a digit or a punctuation mark; a target token is
# one character. The encoder's output is added to its input, and the decoder is your `decoder_step`. The vectors for
# tokens and positions come with the weights. (Lesson 07 explains positions. `visuals/dates/train.py` trains all of
# this in a few minutes.)

# %% id="dates-loaded"
# needs MultiHeadAttention
dates = trained_dates()
attentions = {name: MultiHeadAttention(32, heads) for name, heads in dates.heads.items()}
for name, made in attentions.items():
    made.load_state_dict(dates.weights[name])
    made.requires_grad_(False)


def encoded(texts, hide_padding=True):
    """The encoder's output, (b, source, 32), and which source tokens are visible, (b, 1, 1, source) or None."""
    x, lengths = dates.read(texts)  # (b, source, 32), (b,)
    source_visible = padding_mask(lengths, x.shape[1]) if hide_padding else None
    return x + attentions["encoder"](x, x, x, source_visible), source_visible


def translated(texts, hide_padding=True):
    """The dates, written one character at a time."""
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
# needs padding_mask, translated
texts = ["23 november 2026", "November 23, 2026", "Montag, den 23. November 2026", "5/3/1987"]
for text, date in zip(texts, translated(texts)):
    print(f"{text:32} {date}")

# %% id="dates-counted" tags=["shown"]
# needs padding_mask, translated
texts, right_dates = zip(*dates.examples(500, seed=1))  # newly drawn
hits = sum(one == other for one, other in zip(translated(texts), right_dates))
print(f"{hits} of 500 new dates are right")

# %% [markdown] id="alignment-predict"
# How does the model know which digit to write? Its cross-attention shows what it reads. Your `cross_scores` and your
# `masked_softmax` compute the weights below. **Predict, then run:**

# %% id="predict-what-is-read"
predict(
    "what-is-read",
    "“november 23, 2026” becomes 2026-11-23. Which source token is read most for the last character, the 3?",
    ("november", "the 3 of 23", "the comma", "the 6 of 2026"),
)


# %% id="alignment-made"
# needs padding_mask, masked_softmax, translated
def what_is_read(text):
    """The cross-attention weights, (target, source): one row for each character that is written."""
    memory, source_visible = encoded([text])
    y = dates.written(translated([text]))  # (b, target, 32); the last character is no input
    y = attentions["decoder"](y, y, y, torch.tril(torch.ones(10, 10)))
    q, k = attentions["cross"].query(y), attentions["cross"].key(memory)
    return masked_softmax(cross_scores(q, k, num_heads=1), source_visible)[0, 0]


two_ways = ["23 november 2026", "november 23, 2026"]
alignments = [what_is_read(text) for text in two_ways]  # (target, source) each
origins = [dates.origins(text, "2026-11-23") for text in two_ways]  # the token that each character comes from

# %% id="alignment-first" tags=["figure"]
# needs alignments
attention_map(
    alignments[0],
    dates.tokens(two_ways[0]),
    list("2026-11-23"),
    title="The day comes first",
    expected=origins[0],
)

# %% id="alignment-second" tags=["figure"]
# needs alignments
attention_map(
    alignments[1],
    dates.tokens(two_ways[1]),
    list("2026-11-23"),
    title="The month comes first",
    expected=origins[1],
)

# %% id="came-what-is-read"
# needs alignments
reveal("what-is-read", {0: 0, 2: 1, 3: 2, 7: 3}[int(alignments[1][-1].argmax())])

# %% [markdown] id="alignment-read"
# Such a map is called an **alignment**: row by row, it shows the source tokens that a character is made from. Look at
# the last row. In both maps it is bright at the 3 of the day, but in a different column, because the order of the
# source has changed. Nobody told the model which token belongs to which character; it was trained only on pairs of
# whole texts. In each row, an outline marks the token that the character really comes from. Where the outline is
# dashed, the largest weight is elsewhere, for example at a digit of the year for the first digit of the day.
#
# Two maps prove little. For the first 200 dates, the next cell finds the token that each character really comes from,
# and counts how often the largest weight is on exactly that token. Dashes and filled-in zeros come from no token, so
# they are left out. A weight placed at random would hit the right token in about one case in eight.

# %% id="alignment-counted" tags=["shown"]
# needs what_is_read
hits, counted, by_chance = torch.zeros(3, 10)
for text, date in zip(texts[:200], right_dates):
    read = what_is_read(text).argmax(dim=-1)  # (target,)
    for place, origin in enumerate(dates.origins(text, date)):
        if origin is not None:
            hits[place] += read[place] == origin
            counted[place] += 1
            by_chance[place] += 1 / len(dates.tokens(text))
for place, name in enumerate("YYYY-MM-DD"):
    if counted[place]:
        share, chance = hits[place] / counted[place], by_chance[place] / counted[place]
        print(f"place {place}, {name}: {share:4.0%} on the right token, by chance {chance:.0%}")

# %% [markdown] id="alignment-limits"
# For the last digits of the year and the day, the largest weight is usually on the right token. For the first digits
# of the year, the day and the month, it is there hardly more often than by chance, although the model writes 99 % of
# these dates correctly. So an attention map is a hint, not an explanation. Two more warnings. The rows of `-` need no
# token at all, yet their weights must sum to 1 as well and have to go somewhere, so a large weight does not prove
# that a token was needed. And the vectors in `memory` no longer describe single words: the encoder has mixed them, so
# information read at one token can come from another.

# %% [markdown] id="train-dates-intro"
# ### Optional: Train it yourself
#
# The weights above came with the course. The next cell trains three new copies of **your** `MultiHeadAttention` on
# 18,000 pairs of a text and its date, which takes about half a minute on one core. Set `TRAIN = True` to run it. The
# score counts the dates in which every character is right, each predicted from the correct characters before it.

# %% id="train-dates" tags=["shown"]
# needs MultiHeadAttention
from visuals.dates.train import trained

TRAIN = False


class Attending(MultiHeadAttention):
    def __init__(self, num_heads):
        super().__init__(32, num_heads)

    def forward(self, queries, keys, visible):
        return super().forward(queries, keys, keys, visible)


if TRAIN:
    translator, right_share = trained(attention=Attending)
    print(f"{right_share:.0%} of 2,000 dates that it never saw")

# %% [markdown] id="padding-visible-intro"
# ### Without the padding mask
#
# The 500 dates have different lengths, so most of them are padded. **Predict, then run:** the weights are the same,
# but now the padding is visible.

# %% id="predict-padding-visible"
predict(
    "padding-visible",
    "How many of the 500 dates are right when the padding is visible?",
    ("nearly all", "about half", "nearly none"),
)

# %% id="padding-visible" tags=["shown"]
# needs padding_mask, translated
without_mask = translated(texts, hide_padding=False)
hits = [one == other for one, other in zip(without_mask, right_dates)]
longest = max(len(dates.tokens(text)) for text in texts)
full = [hit for hit, text in zip(hits, texts) if len(dates.tokens(text)) == longest]
print(f"{sum(hits)} of 500 are right, and {sum(full)} of the {len(full)} texts that have no padding")
for text, wrong in list(zip(texts, without_mask))[:4]:
    print(f"{text:32} {wrong}")

# %% id="came-padding-visible" tags=["shown"]
# needs without_mask
reveal("padding-visible", 2 - round(2 * sum(hits) / 500))

# %% [markdown] id="words-task"
# ### Task 7 · Three attentions, in your own words
#
# *8 minutes · a few sentences · read by a person, 3 points*
#
# A friend knows self-attention but has never heard of an encoder. Explain encoder self-attention, decoder
# self-attention and cross-attention. For each, say where the **queries** come from, where **keys and values** come
# from, and which **mask** is needed and why.

# %% [markdown] answer="three-attentions-in-words" points=3
# ### BEGIN SOLUTION
# **Encoder self-attention.** Queries, keys and values come from the source. The whole source is known, so only its
# padding is hidden.
#
# **Decoder self-attention.** Queries, keys and values come from the target. When the model is used, later tokens do
# not exist yet; during training they do, and they would give the answer away. So the causal mask hides them, together
# with the padding.
#
# **Cross-attention.** Queries come from the target, keys and values from the encoder's output. There is no causal
# mask, because the whole source is known from the start. Only its padding is hidden. The scores have one row for each
# target token and one column for each source token.
#
# **Marking scheme**
#
# - 1 point: queries, keys and values are right for both self-attentions (one and the same sequence each time).
# - 1 point: cross-attention takes the queries from the decoder and both keys and values from the encoder's output.
# - 1 point: the masks with a reason: causal in decoder self-attention only, because later tokens are not known yet;
#   padding wherever there is some. No point if cross-attention is given a causal mask.
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
# | attention | queries from | keys and values from | hidden |
# | --- | --- | --- | --- |
# | encoder self-attention | source | source | padding |
# | decoder self-attention | target | target | future and padding |
# | cross-attention | target | source | padding of the source |
#
# - In this lesson a mask says what is **visible**: 1 or `True`. Other interfaces say the opposite.
# - A padding mask has the shape `(b, 1, 1, source)`. Combine masks of visible keys with *and*.
# - A row without any visible key gets weights of 0 if you fill once before the softmax and once after it.
# - An attention map shows where the weights are, not why the model answered as it did.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each question in your head before you open it.
#
# <details><summary>1. The target has 7 tokens, the source 20, and there are 4 heads and 3 sequences. What are the shapes of the cross-attention scores and of the output?</summary>
#
# The scores are (3, 4, 7, 20), and the output is (3, 7, d_model). The output always has as many tokens as there are
# queries.
#
# </details>
#
# <details><summary>2. You also pass the causal mask to cross-attention, with a source and a target of equal length. What does the model lose?</summary>
#
# The first target token sees only one source token, the second only two. German often puts the verb at the end, so
# the model has to translate the verb before it can read it. No error is raised.
#
# </details>
#
# <details><summary>3. You shuffle the source tokens, including padding and mask. What happens to the output of cross-attention?</summary>
#
# Nothing. The context is a sum over the source tokens, and the order of a sum does not matter. Word order needs
# positions, the topic of lesson 07.
#
# </details>
#
# <details><summary>4. You pass a mask of 0 and 1 in float32 to <code>scaled_dot_product_attention</code>. What does it do?</summary>
#
# It is *added* to the scores: the score of a visible key rises by 1, and that of a key that should be hidden does not
# change. A float mask hides a key only where it is `-inf`.
#
# </details>
#
# <details><summary>5. <code>x.transpose(1, 2).reshape(b, tokens, d_model)</code> works, <code>.view(…)</code> fails. Is <code>reshape</code> always the better choice?</summary>
#
# It always works, but it does not tell you whether it made a copy. `view` never copies, and raises an error where it
# would have to. In both cases it is the transpose before it that keeps the tokens apart.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Sequence to Sequence Learning with Neural Networks**, Sutskever, Vinyals and Le, 2014. Translation before
#   attention: the whole source in one vector.
# - **Neural Machine Translation by Jointly Learning to Align and Translate**, Bahdanau, Cho and Bengio, 2014. Figure
#   3 shows alignments like those in section 8, between English and French.
# - **Attention Is All You Need**, Vaswani and others, 2017. Section 3.2.3 names the three uses of attention in one
#   model.
# - **Attention is not Explanation**, Jain and Wallace, 2019. Experiments that warn against reading too much into
#   weights.
# - **Attention is not not Explanation**, Wiegreffe and Pinter, 2019. A reply to it. Read both.
# - **The Annotated Transformer**, Rush, 2018. Encoder and decoder as one program, with comments.
# - **PyTorch Internals**, Yang, 2019. Strides and views, with drawings.

# %% id="progress"
progress("06-encoder-decoder")
