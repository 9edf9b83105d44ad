# %% [markdown] id="title"
# # 04 · Dropout, batches and a causal attention class
#
# Why would a model learn *better* when some of its numbers are thrown away at random? That is **dropout**. GPT was
# trained with it in 2018, and attention classes still have a place for it, though most large models of today set it to
# 0.
# In this lesson you build it, pack it with batches and the mask of lesson 03 into the class
# `CausalAttention`, and then measure with your own class whether it helps, why, and where it does not.
#
# **When you are done you can**
#
# - write attention for a batch without mixing its sentences;
# - write `CausalAttention` with a mask that moves, is saved and is cut to the tokens present;
# - apply dropout by hand, and show by a measurement why what is kept is divided by $1 - p$;
# - say where dropout belongs in attention, and what `train()` and `eval()` change;
# - show by a measurement when dropout on attention weights helps a model that overfits, and when it does not;
# - find three bugs that do not show while everything runs once, on one machine.
#
# **Time:** about 110 minutes. **Before you start:** queries, keys, values and $\sqrt{d_k}$ from lesson 02,
# and the causal mask from lesson 03.

# %% id="setup"
from autograder import check, hint, predict, progress, reveal, review
from visuals import attention_map, batch_stack, dropout_averages, dropout_steps, explore_dropout

import torch
from torch import nn
from torch.nn import functional as F

# Matrices as small as these are fastest on one core.
torch.set_num_threads(1)

# %% id="review"
review("04-dropout")

# %% id="example-data" tags=["given"]
inputs = torch.tensor(
    [
        [0.43, 0.15, 0.89],  # Your
        [0.55, 0.87, 0.66],  # journey
        [0.57, 0.85, 0.64],  # starts
        [0.22, 0.58, 0.33],  # with
        [0.77, 0.25, 0.10],  # one
        [0.05, 0.80, 0.55],  # step
    ]
)
tokens = ["Your", "journey", "starts", "with", "one", "step"]

# %% id="example-data-shown"
inputs


# %% [markdown] id="carried-over"
# The next cell is carried over from lessons 02 and 03: the layers of `SelfAttention_v2` under seed 123, and
# the causal mask. As in lesson 03 the mask is called `hidden`: **True where a key is hidden from a query**,
# because it comes later.

# %% id="carried-over-weights"
torch.manual_seed(123)
W_query = nn.Linear(3, 2, bias=False)
W_key = nn.Linear(3, 2, bias=False)
W_value = nn.Linear(3, 2, bias=False)

hidden = torch.ones(6, 6).triu(diagonal=1).bool()  # (tokens, tokens), True = hidden
with torch.no_grad():  # nothing is trained in this lesson
    attn_scores = W_query(inputs) @ W_key(inputs).T  # (tokens, d_out) @ (d_out, tokens) -> (tokens, tokens)
    masked_scores = attn_scores.masked_fill(hidden, -torch.inf)
    unmasked_weights = torch.softmax(attn_scores / 2**0.5, dim=-1)
    attn_weights = torch.softmax(masked_scores / 2**0.5, dim=-1)
attn_weights

# %% [markdown] id="why-dropout"
# ## 1 · Dropout
#
# A model sees its training sentences again and again. It can get all of them right and still fail on new sentences.
# That is **overfitting**. Dropout sets some numbers to 0 at random, and others in every training step. After training
# nothing is dropped. Can that help? Section 5 measures it. (PaLM, a large model of 2022, was pre-trained without any
# dropout.)
#
# Below is one draw with $p = 0.5$, on the causal weights. The base model of the 2017 transformer used $p = 0.1$; half
# makes the effect easy to see. The draw is written down here, so that you and the check use the same one.

# %% id="kept-mask" tags=["given"]
kept = torch.tensor(
    [
        [1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 1, 1],
        [0, 1, 1, 1, 1, 1],
        [0, 0, 1, 1, 0, 1],
        [0, 0, 0, 0, 1, 1],
        [1, 1, 0, 1, 1, 1],
    ]
).bool()  # (tokens, tokens), True where a weight stays

# %% id="dropout-figure" tags=["figure"]
dropout_steps(attn_weights, kept, 0.5, tokens)


# %% [markdown] id="dropout-formula"
# Each number $x$ has its own draw. With probability $p$ it becomes 0. Otherwise it is divided by $1 -
# p$:
#
# $$y = \begin{cases} 0 & \text{with probability } p \\ \dfrac{x}{1 - p} & \text{with probability } 1 - p \end{cases}$$
#
# PyTorch's layer for it is `nn.Dropout(p)`. **Predict, then run:**

# %% id="predict-dropped-ones"
predict(
    "dropped-ones",
    "Dropout with p = 0.5 gets 36 ones. Which numbers come out?",
    (
        "0 and 1",
        "0 and 2",
        "0.5 everywhere",
    ),
)

# %% id="dropout-of-ones"
torch.manual_seed(123)
layer = nn.Dropout(0.5)
example = torch.ones(6, 6)
print(example)
print(layer(example))

# %% id="came-dropped-ones"
reveal("dropped-ones", int(layer(example).max() > 1))

# %% [markdown] id="apply-dropout-task"
# About half of the ones are 0, the others are 2. No row has to keep exactly three. (The draw comes from the
# machine's generator. On another system the same seed can keep other entries, so no check uses drawn
# numbers.)
#
# ### Task 1 · Dropout by hand, once the mask is drawn
#
# *5 minutes · one line · task id* `apply-dropout`
#
# Write `apply_dropout(x, kept, p)`. `kept` is True where an entry of `x` stays. `p` is the probability that an
# entry is dropped, from 0 up to but not including 1. Leave `x` itself as it is.


# %% answer="apply-dropout"
def apply_dropout(x, kept, p):
    """Dropout with a mask that has been drawn already.

    Shapes:
        x: any
        kept: as x, True where an entry stays
        returns: as x
    """
    ### BEGIN SOLUTION
    return x * kept / (1 - p)
    ### END SOLUTION


# %% check="apply-dropout" points=2
check("apply-dropout")


# %% [markdown] id="dropped-weights-read"
# Your function with the draw of the figure, on the causal weights and on the weights without a mask. A weight
# that the mask made 0 stays 0.

# %% id="dropped-weights-shown"
# needs apply_dropout
dropped_weights = apply_dropout(attn_weights, kept, 0.5)  # (tokens, tokens)
print(dropped_weights)
print("row sums:", dropped_weights.sum(dim=-1))
print(apply_dropout(unmasked_weights, kept, 0.5))

# %% [markdown] id="renormalise-tempting"
# **The tempting way.** The rows no longer add up to 1. In lesson 03 you divided masked rows by their sum. Do
# the same here, in place of the factor 2? **Predict, then run:**

# %% id="predict-empty-row"
predict(
    "empty-row",
    "Every weight in the row of “journey” was dropped. What is the row, divided by its sum?",
    (
        "zeros",
        "equal weights",
        "nan",
    ),
)

# %% id="renormalise-shown"
left_over = attn_weights * kept
renormalised = left_over / left_over.sum(dim=-1, keepdim=True)
renormalised

# %% id="came-empty-row"
reveal("empty-row", 2 * int(renormalised[1].isnan().all()))

# %% [markdown] id="renormalise-refuted"
# An empty row gives 0/0, which is `nan`. With $p = 0.5$ that happens to the first row in half of the draws. In the row
# of "one", a single weight is left and becomes 1. Dropout does not promise row sums of 1. It promises something about
# the **average**: $x$ is kept with probability $1 - p$, so
#
# $$\text{average of } y = (1 - p) \cdot \frac{x}{1 - p} + p \cdot 0 = x$$
#
# What comes after dropout receives on average the same numbers in training as later, when nothing is dropped.
#
# ### Task 2 · Draw your own mask
#
# *10 minutes · three lines · task id* `dropout-by-hand`
#
# Write `dropout(x, p, training=True)`. In training it draws a new mask at each call, one decision for each
# entry, and returns the result of dropout. With `training=False` it returns `x` unchanged.
# `torch.rand(x.shape)` draws a number between 0 and 1 for each entry. Write it without ready-made dropout:
# with `nn.Dropout` or `F.dropout` you would lose the points.


# %% answer="dropout-by-hand"
def dropout(x, p, training=True):
    """Dropout that draws its own mask.

    Shapes:
        x: any
        returns: as x
    """
    ### BEGIN SOLUTION
    if not training:
        return x
    kept = torch.rand(x.shape) >= p  # as x; a number from 0 to 1 is at least p with probability 1 - p
    return apply_dropout(x, kept, p)
    ### END SOLUTION


# %% check="dropout-by-hand" points=3
check("dropout-by-hand")


# %% [markdown] id="averages-intro"
# Below are 2000 masks, and for each of the 21 causal weights the average of what comes out, with the factor and
# without.

# %% id="averages-measured"
torch.manual_seed(123)
draws, p = 2000, 0.5
many_kept = torch.rand(draws, 6, 6) >= p  # (draws, tokens, tokens)
plain_average = (attn_weights * many_kept).mean(dim=0)  # (draws, tokens, tokens) -> (tokens, tokens)
rescaled_average = (attn_weights * many_kept / (1 - p)).mean(dim=0)  # (tokens, tokens)

# %% id="averages-figure" tags=["figure"]
dropout_averages(attn_weights, rescaled_average, plain_average, draws)

# %% [markdown] id="explorer-intro"
# With the factor the averages are at the weights. Without it they are at half of them, however many draws you
# make. Now draw yourself. Where is the average of 10 draws farther from the weights, at $p = 0.1$ or at $p = 0.8$?

# %% id="explorer" tags=["figure"]
explore_dropout(attn_weights, tokens)


# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# The average comes back to the weights for every $p$, but more slowly the larger $p$ is. At $p = 0.8$ a kept
# weight is multiplied by 5, and four of five are 0. The larger $p$, the more noise is in every training step.
#
# </details>

# %% [markdown] id="where-intro"
# ### Where dropout belongs
#
# The GPT of 2018 has dropout in two places of an attention layer. On the **weights**, after softmax: this removes a
# *connection* between one query and one key. And on the **output** of the layer: this removes a *feature* of
# one token, in which all the tokens it attended to are mixed. The **scores** are the wrong place. **Predict,
# then run:**

# %% id="predict-dropped-infinity"
predict(
    "dropped-infinity",
    "What does dropout make of a score of −∞ that it drops?",
    (
        "−∞",
        "0",
        "nan",
    ),
)

# %% id="dropout-of-scores"
torch.manual_seed(123)
print(F.dropout(masked_scores, p=0.5))
some_scores = torch.tensor([2.0, 1.0, -2.5])
scores_with_drop = torch.tensor([2.0, 1.0, 0.0])  # the last one dropped
print("weights:", torch.softmax(some_scores, dim=0))
print("dropped:", torch.softmax(scores_with_drop, dim=0))

# %% id="came-dropped-infinity"
reveal("dropped-infinity", 1 + int(F.dropout(masked_scores, p=0.5).isnan().any()))

# %% [markdown] id="dropout-of-scores-read"
# $0 \cdot (-\infty)$ is `nan`. And a dropped score is 0, which softmax turns into $e^0 = 1$ before it
# normalises: the weight of the dropped connection *grew*.

# %% [markdown] id="batch-intro"
# ## 2 · A batch is a stack of sentences
#
# One sentence uses a small part of a graphics card. A **batch** stacks several sentences of the same length
# along a new first axis, of size `b`. The simplest batch holds the same sentence twice:

# %% id="batch-made"
batch = torch.stack((inputs, inputs), dim=0)  # (b, tokens, d_in)
print(batch.shape)
batch


# %% [markdown] id="batch-copies"
# Copies are easy to check, since both halves of every result must agree. But they hide mistakes: code that
# mixes two equal sentences gives the right result. So here is a second batch. Its second sentence has the
# same words in reverse order.

# %% id="two-sentences"
two_sentences = torch.stack((inputs, inputs.flip(0)))  # (b, tokens, d_in)

# %% id="batch-figure" tags=["figure"]
batch_stack(two_sentences, [tokens, tokens[::-1]])


# %% [markdown] id="batch-matmul"
# ### Which axes does `@` multiply?
#
# With more than two axes, `@` multiplies matrices made of the **last two**, one pair for each position of the
# axes before. `nn.Linear` works on the last axis alone. Both leave the batch axis as it is. What changes is
# `.T`: it reverses *all* axes, (b, tokens, d_out) to (d_out, tokens, b), and PyTorch warns about it. Swap two
# axes instead.
#
# The numbers in `x` are random, so only shapes are shown. **Predict, then run:**

# %% id="predict-product-shape"
predict(
    "product-shape",
    "x is (2, 3, 4). What is the shape of x.transpose(1, 2) @ x?",
    (
        "(2, 3, 3)",
        "(2, 4, 4)",
        "(4, 3, 2)",
    ),
)

# %% id="transpose-shapes"
x = torch.randn(2, 3, 4)  # (b, tokens, dimensions)
x_transposed = x.transpose(1, 2)  # (b, dimensions, tokens)
print("x:", x.shape)
print("x.transpose(1, 2):", x_transposed.shape)
(x_transposed @ x).shape  # (b, dimensions, tokens) @ (b, tokens, dimensions) -> (b, dimensions, dimensions)

# %% id="came-product-shape"
reveal("product-shape", str(tuple((x_transposed @ x).shape)))

# %% [markdown] id="batched-scores-task"
# ### Task 3 · Scores for a batch
#
# *5 minutes · one line · task id* `batched-scores`
#
# Write `batched_scores(queries, keys)`: for each sentence the dot product of every query with every key, not
# divided by anything yet. Row $i$ belongs to query $i$.


# %% answer="batched-scores"
def batched_scores(queries, keys):
    """The scores of every sentence in a batch.

    Shapes:
        queries: (b, tokens, d_out)
        keys: (b, tokens, d_out)
        returns: (b, tokens, tokens); row i holds the scores of query i
    """
    ### BEGIN SOLUTION
    return queries @ keys.transpose(1, 2)  # (b, tokens, d_out) @ (b, d_out, tokens) -> (b, tokens, tokens)
    ### END SOLUTION


# %% check="batched-scores" points=2
check("batched-scores")


# %% [markdown] id="softmax-axis-intro"
# ### The same axis has another number
#
# In lesson 01 `dim=1` and `dim=-1` were the same axis. With a batch, axis 1 counts the queries. **Predict,
# then run:**

# %% id="predict-softmax-axis"
predict(
    "softmax-axis",
    "Which axis gives rows that add up to 1?",
    (
        "dim=1",
        "dim=-1",
        "both",
    ),
)

# %% id="softmax-axis-shown"
# needs batched_scores
with torch.no_grad():
    two_scores = batched_scores(W_query(two_sentences), W_key(two_sentences))
# One mask (tokens, tokens) fits every sentence of the batch.
two_masked = two_scores.masked_fill(hidden, -torch.inf)  # (b, tokens, tokens)
two_weights = torch.softmax(two_masked / 2**0.5, dim=-1)
over_queries = torch.softmax(two_masked / 2**0.5, dim=1)
print("dim=1: ", over_queries[0].sum(dim=-1))
print("dim=-1:", two_weights[0].sum(dim=-1))

# %% id="came-softmax-axis"
# needs two_weights
reveal("softmax-axis", int(torch.allclose(two_weights.sum(dim=-1), torch.ones(2, 6))))

# %% id="batch-map" tags=["figure"]
# needs two_weights
attention_map(
    two_weights,
    [f"token {position}" for position in range(6)],
    title="Weights of a batch: one map for each sentence",
    names=["sentence 0", "sentence 1"],
)

# %% [markdown] id="batch-map-read"
# One map for each sentence, both with nothing above the diagonal. (Rows are named by position, because the
# two sentences have different words in the same place.) Count axes from the end, `dim=-1` and `transpose(-2,
# -1)`, and the same line works with and without a batch, and in lesson 05 with heads.

# %% [markdown] id="buffer-intro"
# ## 3 · A mask that belongs to the module
#
# The mask is not a parameter: nothing in it is learned. But it should go where the module goes. When you move
# a model to a graphics card, PyTorch moves all parameters and **buffers**. A plain attribute stays behind,
# and the first operation that needs both fails. `register_buffer(name, tensor)` makes a buffer, which is then
# `self.name`. It is also in the state dict, so a saved model holds it.
#
# You need no graphics card to see this. The device `meta` has shapes without any numbers:


# %% id="buffer-shown"
class TwoMasks(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain_mask = torch.ones(3, 3).triu(diagonal=1)
        self.register_buffer("mask", torch.ones(3, 3).triu(diagonal=1))


moved = TwoMasks().to("meta")
print("plain_mask is on", moved.plain_mask.device)
print("mask is on", moved.mask.device)
print("in the state dict:", list(moved.state_dict()))

# %% [markdown] id="causal-attention-task"
# ## 4 · Causal attention, complete
#
# ### Task 4 · `CausalAttention`
#
# *25 minutes · a class · task id* `causal-attention`
#
# Everything so far in one class. The constructor gets:
#
# - `d_in`, `d_out`: the sizes of a token and of a query, key or value;
# - `context_length`: the **most** tokens that a sentence may have. The mask is made that large, once, as a
#   buffer called `mask`. Here 1 or True means **hidden**; the other way round is as right if `forward` reads it
#   so. It is cut to the tokens present: `self.mask[:num_tokens, :num_tokens]`;
# - `dropout`: the probability that an attention weight is dropped in training. Use `nn.Dropout`: it follows
#   `train()` and `eval()`;
# - `qkv_bias`: whether the three linear layers `W_query`, `W_key`, `W_value` have a bias.
#
# `forward(x)` takes a batch: scores, mask, softmax of the scores divided by $\sqrt{d_{out}}$, dropout, and
# the weighted sum of the values. Methods that end in `_`, such as `masked_fill_`, work in place. Use them on
# the scores if you like, and never on `x`, which belongs to the caller. Large scores must not overflow. Write the steps
# yourself: with PyTorch's `F.scaled_dot_product_attention` in it, the class earns at most 2 of the 5 points.


# %% answer="causal-attention"
class CausalAttention(nn.Module):
    """Causal self-attention for a batch of sentences, with dropout on the attention weights.

    Shapes:
        x: (b, tokens, d_in), with at most context_length tokens
        returns: (b, tokens, d_out)
    """

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        hidden = torch.ones(context_length, context_length).triu(diagonal=1)
        self.register_buffer("mask", hidden.bool())  # (context_length, context_length)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        num_tokens = x.shape[1]
        queries = self.W_query(x)  # (b, tokens, d_in) -> (b, tokens, d_out)
        keys = self.W_key(x)  # (b, tokens, d_out)
        values = self.W_value(x)  # (b, tokens, d_out)
        attn_scores = queries @ keys.transpose(1, 2)  # (b, tokens, tokens)
        attn_scores.masked_fill_(self.mask[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)  # (b, tokens, tokens)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values  # (b, tokens, tokens) @ (b, tokens, d_out) -> (b, tokens, d_out)
        ### END SOLUTION


# %% check="causal-attention" points=5
check("causal-attention")

# %% id="causal-attention-shown"
# needs CausalAttention
torch.manual_seed(123)
ca = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)
context_vecs = ca(batch)
print("context_vecs.shape:", context_vecs.shape)
print(context_vecs)


# %% [markdown] id="causal-attention-read"
# Both halves agree, because the batch holds one sentence twice. (Your numbers differ if you made the three
# layers in another order. The check gives every answer the same weights by name, so the order costs nothing.)
# With two different sentences, each must get what it gets alone:

# %% id="causal-attention-alone"
# needs CausalAttention
together = ca(two_sentences)
alone = [ca(sentence[None])[0] for sentence in two_sentences]  # each (1, tokens, d_in) -> (tokens, d_out)
print("the same as alone:", [torch.allclose(one, other) for one, other in zip(together, alone)])


# %% [markdown] id="train-eval-intro"
# ### `train()` and `eval()`
#
# A new module is in training mode. `eval()` turns every `nn.Dropout` in it off, `train()` turns it on again.

# %% id="train-eval-shown"
# needs CausalAttention
torch.manual_seed(123)
ca = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.5)
print("train: two calls agree:", torch.equal(ca(batch), ca(batch)))
print("train: two copies in one batch agree:", torch.equal(*ca(batch)))
ca.eval()
print("eval:  two calls agree:", torch.equal(ca(batch), ca(batch)))

# %% [markdown] id="train-eval-read"
# In training even two copies in one batch differ: every weight of every sentence has its own draw.
#
# ## 5 · Does dropout help?
#
# Now the question of section 1. It needs a model that overfits. A sequence has one of four topics, and 8 tokens of 16
# numbers. **Every** token holds the vector of the topic, hidden in noise that is twice as large. The model is your
# `CausalAttention` and a linear layer, which names the topic after the last token. It learns from 30 sequences, and is
# tested on 1,000 new ones. (Lesson 08 explains the training loop.)


# %% id="topics"
def topic_in_all(count, topics, generator):
    """Sequences in which every token holds the topic: (b, 8, 16), and the number of each topic, (b,)."""
    labels = torch.randint(4, (count,), generator=generator)
    return topics[labels][:, None] + 2 * torch.randn(count, 8, 16, generator=generator), labels


def trained_and_tested(make_sequences, p, seed, kind=None, count=30):
    """Accuracy on the sequences trained on and on new ones, and the last token's largest weight on average."""
    generator = torch.Generator().manual_seed(seed)
    topics = torch.randn(4, 16, generator=generator)  # (topics, d_in)
    x, labels = make_sequences(count, topics, generator)
    new_x, new_labels = make_sequences(1000, topics, generator)
    torch.manual_seed(seed)
    attention, layer = (kind or CausalAttention)(16, 32, 8, dropout=p), nn.Linear(32, 4)
    optimizer = torch.optim.Adam([*attention.parameters(), *layer.parameters()], lr=0.01)
    for _ in range(200):
        loss = F.cross_entropy(layer(attention(x)[:, -1]), labels)  # (b, 8, 32) -> (b, 32) -> (b, topics)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    attention.eval()
    with torch.no_grad():
        accuracies = [
            (layer(attention(some)[:, -1]).argmax(dim=-1) == wanted).float().mean()
            for some, wanted in ((x, labels), (new_x, new_labels))
        ]
        scores = batched_scores(attention.W_query(new_x), attention.W_key(new_x))[
            :, -1
        ]  # the last token sees all
        largest = torch.softmax(scores / 32**0.5, dim=-1).max(dim=-1).values.mean()
    return torch.stack([*accuracies, largest])


# %% [markdown] id="does-it-help-predict"
# **Predict, then run.** Five trainings without dropout, and the same five with $p = 0.5$.

# %% id="predict-does-it-help"
predict(
    "does-it-help",
    "All ten models get their 30 sequences right. Which are better on new ones?",
    ("those without dropout", "those with dropout", "neither"),
)

# %% id="does-it-help-measured" tags=["shown"]
# needs CausalAttention, batched_scores
measured = {}
for p in (0.0, 0.5):
    measured[p] = torch.stack([trained_and_tested(topic_in_all, p, seed) for seed in range(5)])  # (seeds, 3)
    print(f"p = {p}: on the 30 sequences {measured[p][:, 0].tolist()}")
    print(f"         on new ones        {[round(one, 2) for one in measured[p][:, 1].tolist()]}")
    print(f"         largest weight     {[round(one, 2) for one in measured[p][:, 2].tolist()]}")

# %% id="came-does-it-help" tags=["shown"]
# needs measured
reveal("does-it-help", 2 - int((measured[0.5][:, 1] - measured[0.0][:, 1]).min() > 0))

# %% [markdown] id="does-it-help-read"
# Dropout helped in each of the five trainings, and in each of 12 others. (Guessing is right in 0.25 of the
# sequences.) The third line suggests why. Without dropout one token has most of the weight, and its noise decides.
# With dropout that token is missing in half of the steps, so the others must count too, and their noise averages out.
#
# That is a guess, until it is tested. If it is right, then (1) a model whose weights are all equal, without any
# dropout, is good as well; and (2) dropout does **not** help where only one of the eight tokens holds the topic.
#
# From 30 sequences of the second kind no model learns to find that token. So test (2) uses 300 of them. How good
# could a model be there? An attention that is *told* where the token is shows it.


# %% id="why-it-helps" tags=["shown"]
# needs CausalAttention, batched_scores
class EqualWeights(CausalAttention):
    def forward(self, x):
        return self.W_value(x).mean(dim=1, keepdim=True)  # (b, tokens, d_in) -> (b, 1, d_out)


class Told(CausalAttention):
    def forward(self, x):
        marked = x[..., 0].argmax(dim=1)  # (b,), the place of the 6
        return self.W_value(x[torch.arange(len(x)), marked])[:, None]  # (b, d_in) -> (b, 1, d_out)


def topic_in_one(count, topics, generator):
    """Sequences in which one token holds the topic, marked by a 6 in front, and the others only noise."""
    labels = torch.randint(4, (count,), generator=generator)
    x = 2 * torch.randn(count, 8, 16, generator=generator)  # (b, tokens, d_in)
    one = torch.randint(8, (count,), generator=generator)
    x[torch.arange(count), one] = topics[labels] + 0.3 * torch.randn(count, 16, generator=generator)
    x[torch.arange(count), one, 0] = 6.0
    return x, labels


# %% id="why-it-helps-measured" tags=["shown"]
# needs CausalAttention, batched_scores
def right_on_average(*training):
    """The accuracy on new sequences, on average over five seeds."""
    make, p, *more = training
    return sum(float(trained_and_tested(make, p, seed, *more)[1]) for seed in range(5)) / 5


print(f"(1) equal weights, no dropout:      {right_on_average(topic_in_all, 0.0, EqualWeights):.2f}")
for p in (0.0, 0.5):
    print(f"(2) topic in one token, p = {p}:     {right_on_average(topic_in_one, p, None, 300):.2f}")
print(f"    told which token, no dropout:   {right_on_average(topic_in_one, 0.0, Told, 300):.2f}")

# %% [markdown] id="why-it-helps-read"
# Both came out as predicted. In test (2) the models have learned something (0.25 is chance) and could have learned
# much more, and dropout moves them by 0.02 on average. It moves single trainings by up to 0.1, in either direction.
# (17 seeds; with 1,000 sequences the average is 0.01.) So dropout on the weights helps where many tokens say the same
# and the model would listen to few. It is no cure for every model that overfits: measure it on yours.
#
# ## 6 · Find the bug
#
# Three pieces of code follow. Each runs, and each is wrong in a way that shows
# only later. Read, run the symptom, then fix it in the answer cell, which holds the faulty code.
#
# ### Task 5 · Numbers that cannot be repeated
#
# *5 minutes · task id* `bug-seed-order`
#
# The next cell does the same three times: a random batch, seed 123, a `CausalAttention`. The author wanted
# numbers that anybody can repeat. **Predict, then run.**

# %% id="predict-agreeing-results"
predict(
    "agreeing-results",
    "Which of the three results agree?",
    ("all three", "the second and the third", "none"),
)

# %% id="bug-seed-order-symptom"
# needs CausalAttention
results = []
for _ in range(3):
    random_batch = torch.randn(4, 10, 16)  # (b, tokens, d_in)
    torch.manual_seed(123)
    results.append(CausalAttention(d_in=16, d_out=3, context_length=10, dropout=0.0)(random_batch))
print("context_vecs.shape:", results[0].shape)
print("first and second agree:", torch.equal(results[0], results[1]))
print("second and third agree:", torch.equal(results[1], results[2]))

# %% id="came-agreeing-results"
# needs results
reveal("agreeing-results", 2 - torch.equal(results[1], results[2]) - torch.equal(results[0], results[1]))


# %% [markdown] id="bug-seed-order-task"
# The shape is certain, the numbers are not. The batch is drawn **before** the seed is set, so whatever ran
# before decides what is in the first batch. The second and the third agree only because the round before left
# the generator in the same state. Nobody can get the first result again.
#
# Fix `seeded_values`, so that its result depends on its arguments alone: set the seed, draw the batch, make
# the layer, **in that order**, so that everybody gets the same numbers.


# %% answer="bug-seed-order"
### BEGIN SOLUTION
def seeded_values(seed, batch_size, num_tokens, d_in, d_out):
    """The values of a random batch; the same seed gives the same numbers.

    Shapes:
        returns: (batch_size, num_tokens, d_out)
    """
    torch.manual_seed(seed)
    random_batch = torch.randn(batch_size, num_tokens, d_in)  # (b, tokens, d_in)
    W_value = nn.Linear(d_in, d_out, bias=False)
    return W_value(random_batch)  # (b, tokens, d_in) -> (b, tokens, d_out)


### END SOLUTION
### BEGIN FAULTY
# def seeded_values(seed, batch_size, num_tokens, d_in, d_out):
#     """The values of a random batch; the same seed gives the same numbers.
#
#     Shapes:
#         returns: (batch_size, num_tokens, d_out)
#     """
#     random_batch = torch.randn(batch_size, num_tokens, d_in)  # (b, tokens, d_in)
#     torch.manual_seed(seed)
#     W_value = nn.Linear(d_in, d_out, bias=False)
#     return W_value(random_batch)  # (b, tokens, d_in) -> (b, tokens, d_out)
### END FAULTY

# %% check="bug-seed-order" points=2
check("bug-seed-order")


# %% [markdown] id="bug-mask-device-intro"
# ### Task 6 · A mask on the wrong device
#
# *10 minutes · task id* `bug-mask-device`
#
# This class makes its mask in `forward`, so it needs no `context_length`. On the CPU it runs. It has **two**
# faults. The first shows on any other device:


# %% id="bug-mask-device-symptom"
class AsFound(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
        num_tokens = attn_scores.shape[-1]
        hidden = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        attn_scores = attn_scores.masked_fill(hidden, -torch.inf)
        return torch.softmax(attn_scores, dim=-1) @ values


try:
    AsFound(3, 2).to("meta")(batch.to("meta"))
except RuntimeError as error:
    print("RuntimeError:", error)

# %% [markdown] id="bug-mask-device-task"
# The second fault is silent on every device. Compare the class, line by line, with your `CausalAttention`.
#
# Fix both in the cell below. There the class is called `PortableAttention`; its two arguments stay as they
# are.


# %% answer="bug-mask-device"
### BEGIN SOLUTION
class PortableAttention(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
        num_tokens = attn_scores.shape[-1]
        hidden = torch.ones(num_tokens, num_tokens, device=x.device).triu(diagonal=1).bool()
        attn_scores = attn_scores.masked_fill(hidden, -torch.inf)
        return torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1) @ values


### END SOLUTION
### BEGIN FAULTY
# class PortableAttention(nn.Module):
#     def __init__(self, d_in, d_out):
#         super().__init__()
#         self.W_query = nn.Linear(d_in, d_out, bias=False)
#         self.W_key = nn.Linear(d_in, d_out, bias=False)
#         self.W_value = nn.Linear(d_in, d_out, bias=False)
#
#     def forward(self, x):
#         queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
#         attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
#         num_tokens = attn_scores.shape[-1]
#         hidden = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
#         attn_scores = attn_scores.masked_fill(hidden, -torch.inf)
#         return torch.softmax(attn_scores, dim=-1) @ values
### END FAULTY

# %% check="bug-mask-device" points=3
check("bug-mask-device")


# %% [markdown] id="bug-eval-dropout-intro"
# ### Task 7 · Dropout that never stops
#
# *8 minutes · task id* `bug-eval-dropout`
#
# This attention has no mask, only dropout, taken from `torch.nn.functional`. It was trained and switched to
# `eval()`. It still gives another answer at each call:


# %% id="bug-eval-dropout-symptom"
class AsFoundToo(nn.Module):
    def __init__(self, d_in, d_out, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.p = dropout

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = F.dropout(attn_weights, self.p)
        return attn_weights @ values


torch.manual_seed(123)
found = AsFoundToo(3, 2, 0.5).eval()
print("eval: two calls agree:", torch.equal(found(batch), found(batch)))


# %% [markdown] id="bug-eval-dropout-task"
# `nn.Dropout` is a module, and `eval()` reaches all modules inside a module. `F.dropout` is a function: it
# knows nothing of modes. (The same is true of the `dropout_p` of `F.scaled_dot_product_attention`.) The mode
# of a module is in `self.training`.
#
# Fix the class below, here called `DropoutAttention`. In eval mode nothing is dropped; after a later
# `train()` dropout works again.


# %% answer="bug-eval-dropout"
### BEGIN SOLUTION
class DropoutAttention(nn.Module):
    def __init__(self, d_in, d_out, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.p = dropout

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = F.dropout(attn_weights, self.p, training=self.training)
        return attn_weights @ values


### END SOLUTION
### BEGIN FAULTY
# class DropoutAttention(nn.Module):
#     def __init__(self, d_in, d_out, dropout):
#         super().__init__()
#         self.W_query = nn.Linear(d_in, d_out, bias=False)
#         self.W_key = nn.Linear(d_in, d_out, bias=False)
#         self.W_value = nn.Linear(d_in, d_out, bias=False)
#         self.p = dropout
#
#     def forward(self, x):
#         queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
#         attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
#         attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
#         attn_weights = F.dropout(attn_weights, self.p)
#         return attn_weights @ values
### END FAULTY

# %% check="bug-eval-dropout" points=3
check("bug-eval-dropout")


# %% [markdown] id="recap"
# ## What you have built
#
# | step in `CausalAttention` | code | shape here | axes |
# | --- | --- | --- | --- |
# | batch | `torch.stack((inputs, inputs))` | (2, 6, 3) | b, tokens, d_in |
# | queries, keys, values | `self.W_query(x)` and so on | (2, 6, 2) | b, tokens, d_out |
# | scores | `queries @ keys.transpose(1, 2)` | (2, 6, 6) | b, query, key |
# | mask, 1 = hidden | `self.mask[:num_tokens, :num_tokens]` | (6, 6) | query, key; the same for each sentence |
# | weights | `torch.softmax(scores / d_out**0.5, dim=-1)` | (2, 6, 6) | b, query, key; rows add up to 1 |
# | dropout | `self.dropout(weights)` | (2, 6, 6) | the same; rows add up to 1 only on average |
# | context | `weights @ values` | (2, 6, 2) | b, tokens, d_out |
#
# - **Dropout** makes each number 0 with probability $p$ and divides the others by $1 - p$, so that the
#   average stays. It acts on weights or outputs, never on scores, and in training mode only.
# - Dropout on the weights spreads them. That helped where many tokens say the same, and not where only one does.
# - A **batch** is one more axis in front. Swap axes with `transpose`, count them from the end, and test with
#   sentences that differ.
# - A **buffer** is a tensor that is not learned and goes where its module goes.
# - Set the seed **before** anything is drawn that you want to have again.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each in your head before you open it.
#
# <details><summary>1. With p = 0.2, by how much is a kept weight multiplied? And with p = 0?</summary>
#
# By 1/0.8 = 1.25, and by 1: with $p = 0$ dropout does nothing.
#
# </details>
#
# <details><summary>2. In training mode the first token's context vector is sometimes all zeros. Is that a bug?</summary>
#
# No. The first token attends only to itself. When that one weight is dropped, nothing is left to add up. The
# other times the weight is larger than 1, so the average is right.
#
# </details>
#
# <details><summary>3. You forget <code>eval()</code> before you use the trained model. What do you see?</summary>
#
# Answers that change from call to call and are worse on average. No error, no warning.
#
# </details>
#
# <details><summary>4. <code>context_length</code> is 1024 and a sentence has 6 tokens. What would happen without cutting the mask?</summary>
#
# The scores have the shape (b, 6, 6) and the mask (1024, 1024). The two do not fit, and `masked_fill_` stops
# with an error.
#
# </details>
#
# <details><summary>5. Why does a test with a batch of two equal sentences prove little?</summary>
#
# Code that mixes the sentences, swaps them or uses the first one twice gives the same result as the right
# code.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Build a Large Language Model (From Scratch)**, Raschka, 2024, chapter 3. The class `CausalAttention`, its
#   arguments and the batch of two equal sentences are that chapter's.
# - **Improving neural networks by preventing co-adaptation of feature detectors**, Hinton and others, 2012. The first
#   paper on dropout, with the idea that no unit should depend on another alone.
# - **Dropout: A Simple Way to Prevent Neural Networks from Overfitting**, Srivastava and others, 2014. Section 7
#   measures what changes in the units.
# - **Dropout Training as Adaptive Regularization**, Wager, Wang and Liang, 2013. What dropout does to the loss of a
#   simple model, on paper.
# - **Attention Is All You Need**, Vaswani and others, 2017. Section 5.4: where its dropout is, and $p = 0.1$.
# - **Improving Language Understanding by Generative Pre-Training**, Radford and others, 2018. GPT; section 4.1 names
#   dropout on attention weights.
# - **PaLM: Scaling Language Modeling with Pathways**, Chowdhery and others, 2022. Section 5: no dropout in
#   pre-training.

# %% id="progress"
progress("04-dropout")
