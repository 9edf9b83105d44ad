# %% [markdown] id="title"
# # 04 · Dropout, batches and a causal attention class
#
# The causal attention of lesson 03 handles one sentence and is the same each time it runs. A model that is
# trained needs two things more. It reads many sentences at once, as a **batch**, and while it learns, some of
# its numbers are left out at random, which is called **dropout**. This lesson adds both and packs everything
# into the class `CausalAttention`, the one that most code you find elsewhere calls by that name.
#
# **When you are done you can**
#
# - apply dropout by hand, and show by a measurement why what is kept is divided by $1 - p$;
# - say where dropout may sit in attention and where it may not, and what `train()` and `eval()` change;
# - write attention for a batch without mixing its sentences;
# - write `CausalAttention` with a mask that moves, is saved and is cut to the tokens present;
# - find three bugs that do not show while everything runs on one machine, once.
#
# **Time:** about 100 minutes. **Before you start:** queries, keys, values and $\sqrt{d_k}$ from lesson 02,
# and the causal mask from lesson 03.

# %% id="setup"
import torch
from torch import nn
from torch.nn import functional as F

from autograder import check, hint, progress
from visuals import attention_map, batch_stack, dropout_averages, dropout_steps, explore_dropout

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
# the causal mask. It ends with the weights that this lesson works on.

# %% id="carried-over-weights"
torch.manual_seed(123)
W_query = nn.Linear(3, 2, bias=False)
W_key = nn.Linear(3, 2, bias=False)
W_value = nn.Linear(3, 2, bias=False)

# True where a key lies ahead of its query: (tokens, tokens)
future = torch.ones(6, 6).triu(diagonal=1).bool()
with torch.no_grad():  # nothing is trained in this lesson
    attn_scores = W_query(inputs) @ W_key(inputs).T  # (tokens, d_out) @ (d_out, tokens) -> (tokens, tokens)
    masked_scores = attn_scores.masked_fill(future, -torch.inf)
    unmasked_weights = torch.softmax(attn_scores / 2**0.5, dim=-1)
    attn_weights = torch.softmax(masked_scores / 2**0.5, dim=-1)
attn_weights

# %% [markdown] id="why-dropout"
# ## 1 · Leaving out, at random
#
# While a model is trained it sees the same sentences again and again. It can come to lean on one lucky
# connection, say that "step" always looks at "journey", and then fail on sentences it has never seen. That is
# **overfitting**. Dropout takes connections away, other ones in every training step, so that none can be
# relied upon alone. Once training is over, nothing is dropped.
#
# Below is one draw with $p = 0.5$, on the causal weights. Which entries are dropped was decided by chance,
# and is written down here so that you and the check speak of the same ones. Small models often use $p = 0.1$.
# Half is a lot; it makes the effect easy to see. Many of today's large models are trained on so much text
# that they use no dropout at all.

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
# Two things happen to each number $x$. With probability $p$ it becomes 0. Otherwise it is divided by $1 - p$:
#
# $$y = \begin{cases} 0 & \text{with probability } p \\ \dfrac{x}{1 - p} & \text{with probability } 1 - p \end{cases}$$
#
# PyTorch's layer for it is `nn.Dropout(p)`. **Predict, then run:** the layer gets 36 ones. Which numbers can
# come out, and about how many of each?

# %% id="dropout-of-ones"
torch.manual_seed(123)
layer = nn.Dropout(0.5)
example = torch.ones(6, 6)
print(example)
layer(example)

# %% [markdown] id="dropout-of-ones-read"
# Not 0 and 1, but 0 and 2. Each entry was decided on its own, so about half are kept, and no row need hold
# exactly three. Run the cell again and you get the same draw, because of the seed; take `torch.manual_seed`
# away and each run differs. (Dropout draws with the generator of the machine. On another system the same seed
# may keep other entries, which is why no check in this lesson looks at drawn numbers.)
#
# The same layer, with its next draw, on the causal weights:

# %% id="dropout-of-weights"
print(layer(attn_weights))

# %% [markdown] id="dropout-of-weights-read"
# That is the draw in the figure. What lies ahead was 0 and stays 0: twice nothing is nothing. And this is the
# same second draw on the weights *without* a mask. The same entries survive; only the numbers differ, except
# in the last row, where there is nothing to mask.

# %% id="dropout-of-unmasked"
torch.manual_seed(123)
layer(example)  # the first draw, as before
layer(unmasked_weights)

# %% [markdown] id="apply-dropout-task"
# ### Task 1 · Dropout by hand, once the mask is drawn
#
# *5 minutes · one line · task id* `apply-dropout`
#
# Write `apply_dropout(x, kept, p)`. `kept` is a tensor of True and False with the shape of `x`; it says which
# entries stay. `p` is the share that is dropped on average, from 0 up to but not including 1. Leave `x`
# itself as it is.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "apply-dropout-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "apply-dropout", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("apply-dropout")

# %% [markdown] id="dropped-weights-task"
# ### Task 2 · Dropout on the causal weights
#
# *2 minutes · one line · task id* `dropped-weights`
#
# Make `dropped_weights`: the causal weights `attn_weights` after dropout with the mask `kept` of the figure
# and $p = 0.5$.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "dropped-weights-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
dropped_weights = apply_dropout(attn_weights, kept, 0.5)  # (tokens, tokens)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "dropped-weights", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("dropped-weights")

# %% id="dropped-weights-shown"
if torch.is_tensor(dropped_weights):
    print(dropped_weights)
    print("row sums:", dropped_weights.sum(dim=-1))

# %% [markdown] id="renormalise-tempting"
# ### The tempting way
#
# The rows no longer add up to 1. In lesson 03 you divided masked rows by their sum. It is tempting to do so
# here, in place of the factor 2. **Predict, then run:** what happens to the row of "journey", of which
# nothing was kept?

# %% id="renormalise-shown"
left_over = attn_weights * kept
left_over / left_over.sum(dim=-1, keepdim=True)

# %% [markdown] id="renormalise-refuted"
# A row of which nothing is left is 0/0, and one `nan` spoils the whole training step. With $p = 0.5$ that
# happens to the first row in every second draw. Where the row survives, whoever is left takes over all that
# the dropped ones had: look at "one", who now looks at itself with a weight of 1. A sum of 1 is not what
# dropout promises. It promises something about the **average**.
#
# ## 2 · Why divide by 1 − p
#
# Over many draws a number $x$ is kept in a share of $1 - p$, as $x / (1 - p)$, and is 0 otherwise:
#
# $$\text{average of } y = (1 - p) \cdot \frac{x}{1 - p} + p \cdot 0 = x$$
#
# So what comes after dropout receives, on average, the same numbers in training as later, when nothing is
# dropped. Without the factor it would be trained on numbers that are too small by $1 - p$, and would meet
# larger ones in use. (The first papers multiplied by $1 - p$ in use instead. Dividing while training is
# called *inverted* dropout; it leaves the finished model alone, and it is what everybody does now.)
#
# ### Task 3 · Draw your own mask
#
# *10 minutes · three lines · task id* `dropout-by-hand`
#
# Write `dropout(x, p, training=True)`. In training it draws a new mask at each call, one decision for each
# entry, and returns the result of dropout. With `training=False` it returns `x` unchanged.
# `torch.rand(x.shape)` draws a number between 0 and 1 for each entry. Use no ready-made dropout here, neither
# `nn.Dropout` nor `F.dropout`: the points are for having written it once.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "dropout-by-hand-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def dropout(x, p, training=True):
    """Dropout that draws its own mask.

    Shapes:
        x: any
        returns: as x
    """
    ### BEGIN SOLUTION
    if not training:
        return x
    kept = torch.rand(x.shape) >= p  # as x; a number from 0 to 1 is at least p in a share of 1 - p
    return apply_dropout(x, kept, p)
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "dropout-by-hand", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 3}
check("dropout-by-hand")

# %% [markdown] id="averages-intro"
# ### Measure it
#
# Below are 2000 masks, and for each of the 21 causal weights the average of what comes out, with the factor
# and without. **Predict first:** where will the two sets of points lie, and is it the 2000 draws or the
# factor that decides?

# %% id="averages-measured"
torch.manual_seed(123)
draws, p = 2000, 0.5
many_kept = torch.rand(draws, 6, 6) >= p  # (draws, tokens, tokens)
plain_average = (attn_weights * many_kept).mean(dim=0)  # (draws, tokens, tokens) -> (tokens, tokens)
rescaled_average = (attn_weights * many_kept / (1 - p)).mean(dim=0)  # (tokens, tokens)

# %% id="averages-figure" tags=["figure"]
dropout_averages(attn_weights, rescaled_average, plain_average, draws)

# %% [markdown] id="averages-read"
# With the factor the averages lie on the weights themselves. Without it they lie at half of them, and no
# number of draws would change that: more draws only bring each point closer to its line.

# %% [markdown] id="explorer-intro"
# ### Try it
#
# Draw again and again, and watch the last draw jump about while the average settles. Then draw 1000 at once.
# **Predict:** is the average of 10 draws farther from the weights at $p = 0.1$ or at $p = 0.8$?

# %% id="explorer" tags=["figure"]
explore_dropout(attn_weights, tokens)

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# The average comes back to the weights for every $p$, but more slowly the larger $p$ is. At $p = 0.8$ a kept
# weight is multiplied by 5, and four of five are 0: single draws lie far from the weights, and it takes many
# of them to even out. Large $p$ means noisy training.
#
# </details>

# %% [markdown] id="where-intro"
# ## 3 · Where dropout may sit
#
# In a model like GPT-2, dropout sits in two places of an attention layer: on the **weights**, after softmax,
# and on what comes out, after the weights were multiplied with the values (in GPT-2 after one more linear
# layer, which lesson 05 adds). Dropping a weight removes a *connection*: one query cannot look at one key.
# Dropping a number of a context vector removes a *feature*: one dimension of one token's result, in which all
# the tokens it looked at were mixed.
#
# There is a third place that people try, because it comes earlier: the scores, before softmax. **Predict,
# then run:** what does dropout make of a score of $-\infty$?

# %% id="dropout-of-scores"
torch.manual_seed(123)
F.dropout(masked_scores, p=0.5)

# %% [markdown] id="dropout-of-scores-read"
# Dropout multiplies by 0, and $0 \cdot (-\infty)$ is `nan`: every `nan` stands where a $-\infty$ was dropped.
# Dropping first and masking afterwards avoids that, and is wrong all the same. A dropped score is 0, and 0 is
# a score like any other: softmax makes $e^0 = 1$ of it, not nothing.

# %% id="dropped-score-weighs"
some_scores = torch.tensor([2.0, 1.0, -2.5])
scores_with_drop = torch.tensor([2.0, 1.0, 0.0])  # the last one dropped
print(torch.softmax(some_scores, dim=0))
print(torch.softmax(scores_with_drop, dim=0))

# %% [markdown] id="where-dropout-question"
# The last score was dropped, and its weight *grew*.
#
# ### Question · Where dropout sits
#
# *8 minutes · a few sentences · graded by a person, 3 points*
#
# A colleague wants to move the dropout of an attention layer and asks you about three places: (a) on the
# scores before softmax, (b) on the weights after softmax, (c) on the context vectors. For each place say what
# one dropped number takes away from the result, and whether dropout there does what it should. Write into the
# cell below (double-click it).

# %% [markdown] nbgrader={"cell_type": "markdown", "grade": true, "grade_id": "where-dropout-sits", "locked": false, "points": 3, "schema_version": 3, "solution": true, "task": false}
# ### BEGIN SOLUTION
# (a) **Scores.** A dropped score is 0, which softmax turns into $e^0$, so the connection is not removed. If
# the other scores are negative it even becomes the strongest. With a causal mask, $0 \cdot (-\infty)$ gives
# `nan`. The average is not kept either, because softmax is not linear. Dropout does not belong here.
#
# (b) **Weights.** A dropped weight removes one connection: this query does not look at that key in this step,
# and nothing of that token enters its context vector. The kept weights are divided by $1 - p$, so each
# weight, and with it the context vector, is right on average, although a single row no longer adds up to 1.
# This is a usual place.
#
# (c) **Context vectors.** A dropped number removes one feature of one token's result. Every token it looked
# at is still mixed into the features that are left. The average is kept. This is the other usual place.
#
# **Marking scheme**
#
# - 1 point: (a) a dropped score is not a missing connection, because $e^0 = 1$ (or: $0 \cdot (-\infty)$ is
#   `nan`; or: the average is not kept through softmax), so it is the wrong place.
# - 1 point: (b) a connection between one query and one key is removed, and the place is sound (average kept,
#   or rescaled by $1/(1-p)$).
# - 1 point: (c) a feature of the result is removed while all tokens still contribute, and the place is sound.
# ### END SOLUTION

# %% [markdown] id="batch-intro"
# ## 4 · A batch is a stack of sentences
#
# One sentence keeps a graphics card busy for a fraction of what it can do. A **batch** stacks several
# sentences of the same length along a new axis, which comes first. The course calls its size `b`. The
# simplest batch holds the same sentence twice:

# %% id="batch-made"
batch = torch.stack((inputs, inputs), dim=0)  # (b, tokens, d_in)
print(batch.shape)
batch

# %% [markdown] id="batch-copies"
# Copies are easy to check, since both halves of every result must agree, but they hide mistakes: whoever
# mixes two equal sentences gets what they had. So here is a second batch, with the same words in reverse
# order as its second sentence.

# %% id="two-sentences"
two_sentences = torch.stack((inputs, inputs.flip(0)))  # (b, tokens, d_in)

# %% id="batch-figure" tags=["figure"]
batch_stack(two_sentences, [tokens, tokens[::-1]])

# %% [markdown] id="batch-matmul"
# ### Which axes does `@` multiply?
#
# With more than two axes, `@` multiplies matrices made of the **last two**, one pair for each position of the
# axes before. `nn.Linear` works on the last axis alone. Both leave the batch axis as it is, so most of lesson
# 03 holds unchanged. What does not hold is `.T`: it reverses *all* axes, (b, tokens, d_out) to (d_out,
# tokens, b), and PyTorch warns that a later version will refuse it for three axes. What you want is to swap
# two of them.
#
# **Predict, then run:** the shapes. (Nothing determines the numbers in `x`, so only its shapes are shown.)

# %% id="transpose-shapes"
x = torch.randn(2, 3, 4)  # (b, tokens, dimensions)
x_transposed = x.transpose(1, 2)  # (b, dimensions, tokens)
print("x:", x.shape)
print("x.transpose(1, 2):", x_transposed.shape)
print("all axes reversed:", x.permute(2, 1, 0).shape)
(x_transposed @ x).shape  # (b, dimensions, tokens) @ (b, tokens, dimensions) -> (b, dimensions, dimensions)

# %% [markdown] id="batched-scores-task"
# ### Task 4 · Scores for a batch
#
# *5 minutes · one line · task id* `batched-scores`
#
# Write `batched_scores(queries, keys)`: for each sentence the dot product of every query with every key, not
# divided by anything yet. Row $i$ belongs to query $i$, as ever.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "batched-scores-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "batched-scores", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("batched-scores")

# %% [markdown] id="softmax-axis-intro"
# ### The same axis has another number
#
# In lesson 01 `dim=1` and `dim=-1` were the same axis. With a batch, axis 1 counts the queries. **Predict,
# then run:** which of the two lines prints ones?

# %% id="softmax-axis-shown"
with torch.no_grad():
    two_scores = batched_scores(W_query(two_sentences), W_key(two_sentences))
if torch.is_tensor(two_scores):
    # One mask (tokens, tokens) fits every sentence of the batch.
    two_masked = two_scores.masked_fill(future, -torch.inf)  # (b, tokens, tokens)
    print("dim=1: ", torch.softmax(two_masked / 2**0.5, dim=1)[0].sum(dim=-1))
    print("dim=-1:", torch.softmax(two_masked / 2**0.5, dim=-1)[0].sum(dim=-1))

# %% id="batch-map" tags=["figure"]
two_weights = torch.softmax(two_masked / 2**0.5, dim=-1) if torch.is_tensor(two_scores) else ...
attention_map(two_weights, [f"token {position}" for position in range(6)])

# %% [markdown] id="batch-map-read"
# One map for each sentence, both with nothing above the diagonal. (The rows are named by position, because
# the two sentences have other words in the same place.) Count axes from the end, `dim=-1` and `transpose(-2,
# -1)`, and the same line works with and without a batch, and in lesson 05 with heads too.

# %% [markdown] id="buffer-intro"
# ## 5 · A mask that belongs to the module
#
# The mask is not a parameter: nothing in it is learned. Yet it belongs to the module, and it should go
# wherever the module goes. When you move a model to a graphics card, PyTorch moves all parameters and
# **buffers**. A plain attribute stays behind, and the first operation that brings the two together fails.
# `register_buffer(name, tensor)` makes a buffer, which is then `self.name`. It is also listed in the state
# dict, so a saved model carries it.
#
# You need no graphics card to see this. The device `meta` holds shapes without any numbers, and can stand in
# for any device that is not the CPU. **Predict, then run:** which of the two masks moves?


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
# ## 6 · Causal attention, complete
#
# ### Task 5 · `CausalAttention`
#
# *25 minutes · a class · task id* `causal-attention`
#
# Everything so far in one class. The constructor is given:
#
# - `d_in`, `d_out`: the sizes of a token and of a query, key or value;
# - `context_length`: the **most** tokens that a sentence may have. The mask is made that large, once, as a
#   buffer called `mask`, and is cut to the tokens present: `self.mask[:num_tokens, :num_tokens]`;
# - `dropout`: the share of the attention weights that is dropped in training. Use `nn.Dropout`: it follows
#   `train()` and `eval()` by itself;
# - `qkv_bias`: whether the three linear layers `W_query`, `W_key`, `W_value` have a bias.
#
# `forward(x)` takes a batch: scores, mask, softmax of the scores divided by $\sqrt{d_{out}}$, dropout, and
# the weighted sum of the values. Methods that end in `_`, such as `masked_fill_`, work in place and save a
# copy. They are fine on the scores, which are yours, and never on `x`, which is the caller's.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "causal-attention-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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
        future = torch.ones(context_length, context_length).triu(diagonal=1)
        self.register_buffer("mask", future.bool())  # (context_length, context_length)
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "causal-attention", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 5}
check("causal-attention")

# %% id="causal-attention-shown"
torch.manual_seed(123)
ca = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)
context_vecs = ca(batch)
if torch.is_tensor(context_vecs):
    print("context_vecs.shape:", context_vecs.shape)
    print(context_vecs)

# %% [markdown] id="causal-attention-read"
# Both halves agree, because the batch holds one sentence twice. (Your numbers differ if you made the three
# layers in another order: each takes the next numbers of the seed. The check gives every answer the same
# weights by name, so the order costs nothing.) With two different sentences, each must get what it gets
# alone:

# %% id="causal-attention-alone"
together = ca(two_sentences)
if torch.is_tensor(together):
    alone = [ca(sentence[None])[0] for sentence in two_sentences]  # each (1, tokens, d_in) -> (tokens, d_out)
    print("the same as alone:", [torch.allclose(one, other) for one, other in zip(together, alone)])

# %% [markdown] id="train-eval-intro"
# ### `train()` and `eval()`
#
# A new module is in training mode. `eval()` switches every dropout in it off, `train()` on again. **Predict,
# then run:** in which mode do two calls with the same batch agree?

# %% id="train-eval-shown"
torch.manual_seed(123)
ca = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.5)
if torch.is_tensor(ca(batch)):
    print("train: two calls agree:", torch.equal(ca(batch), ca(batch)))
    print("train: two copies in one batch agree:", torch.equal(*ca(batch)))
    ca.eval()
    print("eval:  two calls agree:", torch.equal(ca(batch), ca(batch)))

# %% [markdown] id="train-eval-read"
# In training even two copies in one batch differ, since every weight of every sentence is decided on its own.
#
# ## 7 · Find the bug
#
# Three pieces of code follow, all modelled on code that people published. Each runs, and each is wrong in a
# way that shows only later. Read, look at the symptom, then mend it in the answer cell, which holds the
# faulty code.
#
# ### Task 6 · Numbers that cannot be repeated
#
# *5 minutes · task id* `bug-seed-order`
#
# The next cell does the same three times over: a random batch, seed 123, a `CausalAttention`. The author
# wanted numbers that anybody can repeat. **Predict, then run.**

# %% id="bug-seed-order-symptom"
results = []
for _ in range(3):
    random_batch = torch.randn(4, 10, 16)  # (b, tokens, d_in)
    torch.manual_seed(123)
    results.append(CausalAttention(d_in=16, d_out=3, context_length=10, dropout=0.0)(random_batch))
if torch.is_tensor(results[0]):
    print("context_vecs.shape:", results[0].shape)
    print("first and second agree:", torch.equal(results[0], results[1]))
    print("second and third agree:", torch.equal(results[1], results[2]))

# %% [markdown] id="bug-seed-order-task"
# The shape is sure, the numbers are not: whatever ran before decides what the first batch holds. The second
# and the third agree only because the attempt before each left the generator in the same place. Nobody else
# will get the first result again, not even the author after a restart, and that was the one which the
# notebook showed. (Another notebook sets no seed at all. Its context vectors are in print too, and nothing
# determines them.)
#
# Below is the same fault in a smaller place. Mend `seeded_values` so that its result depends on its arguments
# alone: set the seed, draw the batch, make the layer, **in that order**, so that everybody gets the same
# numbers.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-seed-order-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-seed-order", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("bug-seed-order")

# %% [markdown] id="bug-mask-device-intro"
# ### Task 7 · A mask on the wrong device
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
        future = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        attn_scores = attn_scores.masked_fill(future, -torch.inf)
        return torch.softmax(attn_scores, dim=-1) @ values


try:
    AsFound(3, 2).to("meta")(batch.to("meta"))
except RuntimeError as error:
    print("RuntimeError:", error)

# %% [markdown] id="bug-mask-device-task"
# The second fault is silent on every device. Compare the class, line by line, with your `CausalAttention`.
#
# Mend both in the cell below. There the class is called `PortableAttention`; its two arguments stay as they
# are.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-mask-device-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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
        future = torch.ones(num_tokens, num_tokens, device=x.device).triu(diagonal=1).bool()
        attn_scores = attn_scores.masked_fill(future, -torch.inf)
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
#         future = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
#         attn_scores = attn_scores.masked_fill(future, -torch.inf)
#         return torch.softmax(attn_scores, dim=-1) @ values
### END FAULTY

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-mask-device", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 3}
check("bug-mask-device")

# %% [markdown] id="bug-eval-dropout-intro"
# ### Task 8 · Dropout that never stops
#
# *8 minutes · task id* `bug-eval-dropout`
#
# This attention has no mask, only dropout, taken from `torch.nn.functional`. It was trained, switched to
# `eval()`, and gave another answer to the same question each time:


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
# knows nothing of modes. (The same holds for the `dropout_p` of `F.scaled_dot_product_attention`, which you
# meet in lesson 07.) The mode of a module is in `self.training`.
#
# Mend the class below, here called `DropoutAttention`. In eval mode nothing is dropped; after a later
# `train()` dropout works again, as between two epochs of training with a test in between.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-eval-dropout-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-eval-dropout", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 3}
check("bug-eval-dropout")

# %% [markdown] id="recap"
# ## What you have built
#
# | step in `CausalAttention` | code | shape here | axes |
# | --- | --- | --- | --- |
# | batch | `torch.stack((inputs, inputs))` | (2, 6, 3) | b, tokens, d_in |
# | queries, keys, values | `self.W_query(x)` and so on | (2, 6, 2) | b, tokens, d_out |
# | scores | `queries @ keys.transpose(1, 2)` | (2, 6, 6) | b, query, key |
# | mask | `self.mask[:num_tokens, :num_tokens]` | (6, 6) | query, key; the same for each sentence |
# | weights | `torch.softmax(scores / d_out**0.5, dim=-1)` | (2, 6, 6) | b, query, key; rows add up to 1 |
# | dropout | `self.dropout(weights)` | (2, 6, 6) | the same; rows add up to 1 only on average |
# | context | `weights @ values` | (2, 6, 2) | b, tokens, d_out |
#
# - **Dropout** makes each number 0 with probability $p$, and divides the others by $1 - p$, so that the
#   average stays.
# - It sits on the weights or on the context vectors, never on the scores, and works in training mode only.
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
# No. The first token can only look at itself. When that one weight is dropped, nothing is left to add up. On
# average over many steps it is right, because the other times the weight is larger than 1.
#
# </details>
#
# <details><summary>3. You forget <code>eval()</code> before you use the trained model. What do you see?</summary>
#
# Answers that change from call to call and are a little worse than they should be. No error, no warning.
#
# </details>
#
# <details><summary>4. <code>context_length</code> is 1024 and a sentence has 6 tokens. What would happen without cutting the mask?</summary>
#
# The scores have the shape (b, 6, 6) and the mask (1024, 1024): the two do not fit, and `masked_fill_` stops
# with an error. That is the friendly kind of bug.
#
# </details>
#
# <details><summary>5. Why does a test with a batch of two equal sentences prove little?</summary>
#
# Whatever mixes the sentences, swaps them or uses the first one twice gives the same result as the right
# code.
#
# </details>

# %% id="progress"
progress("04-dropout")
