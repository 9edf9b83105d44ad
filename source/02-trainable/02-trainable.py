# %% [markdown] id="title"
# # 02 · Attention with weights that can be trained
#
# In lesson 01 nothing could be learned. A token's vector was compared with the others as it was, and was
# handed over as it was. A model that reads text must be able to *learn* what to compare and what to hand
# over. In this lesson you put three matrices of weights between the tokens and the attention, and wrap the
# whole into a class that an optimiser can train.
#
# **When you are done you can**
#
# - say what a *query*, a *key* and a *value* are, and make all three from a token by matrix products;
# - measure why scores are divided by $\sqrt{d_k}$, and say what happens to softmax without it;
# - write self-attention as an `nn.Module`, with `nn.Parameter` and with `nn.Linear`;
# - prove that two implementations agree, and find a bug that a lucky seed can hide.
#
# **Time:** about 110 minutes. **Before you start:** lesson 01 (scores, softmax, context vectors), and what
# a Python class with `__init__` and a method is. Nothing is trained yet; you build what will be.

# %% id="setup"
import torch
from torch import nn

from autograder import check, hint, progress
from visuals import (
    attention_map,
    explore_scale,
    query_key_value,
    saturation,
    score_spreads,
    weights_and_context,
)

# %% [markdown] id="sentence"
# ## The sentence again
#
# Six tokens, three numbers each, as in lesson 01.

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
print(inputs)
inputs.shape  # (tokens, d_in)

# %% [markdown] id="roles"
# ## 1 · One token, three roles
#
# Look back at what a vector did in lesson 01. It did three jobs:
#
# 1. As the **query** it was compared with every token: *what am I looking for?*
# 2. As a **key** it was compared with the query: *what can I be found by?*
# 3. In the weighted sum it was handed over: *what do I have to give?* That job is called the **value**.
#
# The words come from databases. You type a search (the query), the database compares it with its index (the
# keys), and hands over the records that stand behind the keys that fit (the values). Think of a library:
# you ask for "travel in winter", the catalogue compares that with its subject headings, and you carry home
# *books*, not subject headings. What a thing is found by and what it contains are two different things, and
# so is what you ask for.
#
# One difference matters. A database hands over the records that match. Attention hands over a **mixture**
# of all of them, each with a weight that says how well its key matched: a soft search.
#
# In lesson 01 one vector had to do all three jobs. Now each job gets a vector of its own, made from the
# token by a matrix of weights. The matrices are what training changes.

# %% id="roles-figure" tags=["figure"]
torch.manual_seed(123)
demo_weights = [torch.rand(3, 2) for _ in range(3)]
query_key_value(inputs[1], *demo_weights, token="journey")

# %% [markdown] id="roles-read"
# Each row of the picture is one matrix product: three numbers go in, two come out. The numbers in the
# matrices are random; the next section says how they were drawn. A **projection** is such a product with a
# matrix of weights. All tokens share the same three matrices.
#
# The number of columns is the size of what comes out. It is called `d_out`, and here it is 2, while `d_in`
# is 3. In GPT-2 both are equal. They differ here on purpose: where two sizes are equal, many mistakes go
# unnoticed.

# %% [markdown] id="weights-intro"
# ## 2 · Three matrices
#
# Before training, weights are random. `torch.rand` draws numbers evenly from 0 up to 1 (1 itself never
# comes); `torch.randn` draws them from the normal distribution, with mean 0 and variance 1. One letter, and
# half of the numbers are negative.
#
# **Predict, then run.** Of ten thousand numbers each: what are the smallest, the largest and the mean?

# %% id="rand-randn"
torch.manual_seed(123)
for draw in (torch.rand, torch.randn):
    numbers = draw(10_000)
    print(
        f"{draw.__name__:5}  smallest {numbers.min():7.4f}  largest {numbers.max():.4f}  "
        f"mean {numbers.mean():.2f}  variance {numbers.var():.2f}"
    )

# %% [markdown] id="weights-given"
# The weights of this lesson are drawn with `torch.rand` under seed 123, so that your numbers are those in
# the text. They are wrapped in `nn.Parameter`, which marks a tensor as something to be trained.
# `requires_grad=False` switches that off while you work step by step: it keeps the gradient bookkeeping out
# of what is printed. In the class below it has to go, or nothing would ever be learned.

# %% id="weights" tags=["given"]
d_in = inputs.shape[1]
d_out = 2

torch.manual_seed(123)
W_query = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
W_key = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
W_value = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)

# %% id="weights-shown"
W_query, W_key, W_value  # each (d_in, d_out)

# %% [markdown] id="weights-words"
# **A word with two meanings.** *Weights* are the trained numbers in `W_query`. *Attention weights* are what
# softmax makes from scores, anew for each sentence. The first stay as they are while the model reads; the
# second depend on what it reads.

# %% [markdown] id="query-of-one-token-task"
# ### Task 1 · The query of one token
#
# *3 minutes · one line · task id* `query-of-one-token`
#
# Make `query_2`, the query of "journey": its vector times `W_query`. Write the shapes down first:
# `(3,) @ (3, 2)`.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "query-of-one-token-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
x_2 = inputs[1]  # (d_in,), the second token, "journey"
### BEGIN SOLUTION
query_2 = x_2 @ W_query  # (d_in,) @ (d_in, d_out) -> (d_out,)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "query-of-one-token", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("query-of-one-token")

# %% [markdown] id="keys-task"
# One token's query is enough for now, because one token looks. But it looks at **all** tokens, so all of
# them need a key and a value.
#
# **Predict first:** what is the shape of the keys of all six tokens?
#
# ### Task 2 · The keys of all tokens
#
# *3 minutes · one line · task id* `keys`
#
# Make `keys` from `inputs` and `W_key`, one row for each token, with no loop.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "keys-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
keys = inputs @ W_key  # (tokens, d_in) @ (d_in, d_out) -> (tokens, d_out)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "keys", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("keys")

# %% [markdown] id="values-task"
# ### Task 3 · The values of all tokens
#
# *2 minutes · one line · task id* `values`
#
# Make `values` in the same way. Copying the line above is fine; forgetting to change the matrix is the
# mistake that people make here, and nothing will crash.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "values-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
values = inputs @ W_value  # (tokens, d_in) @ (d_in, d_out) -> (tokens, d_out)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "values", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("values")

# %% id="projections-shown"
if torch.is_tensor(keys) and torch.is_tensor(values):
    print("keys.shape:", keys.shape)
    print("values.shape:", values.shape)
    print((query_2, keys[1], values[1]))  # query, key and value of "journey"

# %% [markdown] id="scores-intro"
# ## 3 · Scores: a query meets keys
#
# A score is a dot product, as before. What has changed is what goes in: the **query** of the token that
# looks, and the **key** of the token that is looked at. "Journey" looks at itself too, with its query at
# its own key.
#
# **Predict, then run.** The next cell makes that one score, `attn_score_22`: query 2, key 2. Multiply and
# add in your head, roughly: 0.43 · 0.44 + 1.46 · 1.14.

# %% id="one-score"
if torch.is_tensor(query_2) and torch.is_tensor(keys):
    attn_score_22 = query_2 @ keys[1]  # (d_out,) @ (d_out,) -> one number
    print(attn_score_22)

# %% [markdown] id="scores-of-one-query-task"
# ### Task 4 · The scores of one query
#
# *4 minutes · one line · task id* `scores-of-one-query`
#
# Make `attn_scores_2`: the scores of "journey" with all six tokens. `keys` has the shape `(6, 2)` and
# `query_2` the shape `(2,)`; the result has the shape `(6,)`.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "scores-of-one-query-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
attn_scores_2 = query_2 @ keys.T  # (d_out,) @ (d_out, tokens) -> (tokens,)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "scores-of-one-query", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("scores-of-one-query")

# %% id="scores-of-one-query-shown"
attn_scores_2

# %% [markdown] id="scale-intro"
# ## 4 · Scaled weights
#
# Softmax turns scores into weights. Before that comes one new step: every score is divided by $\sqrt{d_k}$,
# where $d_k$ is the number of dimensions of a **key**. That is why this attention is called *scaled
# dot-product attention*:
#
# $$\text{weights} = \text{softmax}\left(\frac{q \, K^\top}{\sqrt{d_k}}\right)$$
#
# Why divide, and why by a root? You will measure that in section 7. Until then take care of four things
# that people get wrong: it is $\sqrt{d_k}$ and not $d_k$; it is the size of the keys and not `d_in` or the
# number of tokens; it is a division; and it comes *before* the softmax. A power of one half is a root:
# `d_k**0.5`.

# %% id="d-k"
d_k = W_key.shape[1]  # the number of dimensions of a key
d_k

# %% [markdown] id="scaled-weights-task"
# ### Task 5 · The scaled attention weights of "journey"
#
# *5 minutes · one line · task id* `scaled-weights`
#
# Make `attn_weights_2` from `attn_scores_2` and `d_k`.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "scaled-weights-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1)  # (tokens,)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "scaled-weights", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("scaled-weights")

# %% id="scaled-weights-shown"
if torch.is_tensor(attn_weights_2):
    print((attn_weights_2.sum(), attn_weights_2))

# %% [markdown] id="scaled-weights-tempting"
# **The tempting order.** Some divide *after* the softmax. Then the weights no longer add up to 1, and the
# division has done nothing to their shape: each is smaller by the same factor.

# %% id="scaled-weights-refuted"
if torch.is_tensor(attn_scores_2):
    scaled_too_late = torch.softmax(attn_scores_2, dim=-1) / d_k**0.5  # (tokens,)
    print(scaled_too_late)
    print("sum:", scaled_too_late.sum())

# %% [markdown] id="context-intro"
# ## 5 · The context vector
#
# The weights say how much of each token "journey" takes in. What it takes in are the **values**: not the
# inputs, and not the keys. (You carry home books, not subject headings.)

# %% id="context-figure" tags=["figure"]
weights_and_context(attn_weights_2, values, tokens, query=1)

# %% [markdown] id="context-of-one-token-task"
# ### Task 6 · The context vector of "journey"
#
# *3 minutes · one line · task id* `context-of-one-token`
#
# Make `context_vec_2`: the weighted sum of the values.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "context-of-one-token-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
context_vec_2 = attn_weights_2 @ values  # (tokens,) @ (tokens, d_out) -> (d_out,)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "context-of-one-token", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("context-of-one-token")

# %% id="context-shown"
context_vec_2

# %% [markdown] id="class-intro"
# ## 6 · A class
#
# Everything above, for every token at once, is five lines. To train it, the three matrices need a home that
# PyTorch knows. That home is an `nn.Module`: whatever `nn.Parameter` you assign to `self` in its `__init__`
# is **registered**. An optimiser finds it, a saved model contains it, and `.to(device)` moves it along.
# Calling an object of the class, `attention(x)`, runs its method `forward`.
#
# **The tempting way** is to assign plain tensors. The arithmetic is the same, and training would change
# nothing:


# %% id="class-plain-tensors"
class PlainTensors(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = torch.rand(d_in, d_out)  # a plain tensor: not registered


class Registered(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))


print("plain tensor: ", [name for name, _ in PlainTensors(3, 2).named_parameters()])
print("nn.Parameter: ", [name for name, _ in Registered(3, 2).named_parameters()])

# %% [markdown] id="self-attention-v1-task"
# The matrices are made once, in `__init__`. If `forward` made them, every call would start from new random
# numbers and nothing could be learned. And `forward` uses only `x` and what hangs on `self`. A variable of
# the notebook, like `keys` or `d_k`, belongs to another sentence; section 10 shows what it does.
#
# ### Task 7 · `SelfAttention_v1`
#
# *15 minutes · eight lines · task id* `self-attention-v1`
#
# Write the class. Its parameters are called `W_query`, `W_key` and `W_value`, each of shape
# `(d_in, d_out)`, drawn by `torch.rand`. (Drawn in this order, they are the matrices that you worked with again. Any
# order is right.) `forward(x)` gives one context vector for each token of `x`, for any number of tokens. Mind
# the direction of the softmax: each *row* of weights belongs to one query. Write the steps out: PyTorch's
# `F.scaled_dot_product_attention` does them in one call, and in this task costs two points.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "self-attention-v1-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
class SelfAttention_v1(nn.Module):
    """Scaled dot-product self-attention whose weights are plain parameters.

    Shapes:
        x: (tokens, d_in)
        returns: (tokens, d_out)
    """

    def __init__(self, d_in, d_out):
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        queries = x @ self.W_query  # (tokens, d_out)
        keys = x @ self.W_key  # (tokens, d_out)
        values = x @ self.W_value  # (tokens, d_out)
        scores = queries @ keys.T  # (tokens, tokens)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)  # (tokens, tokens)
        return weights @ values  # (tokens, d_out)
        ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "self-attention-v1", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 4}
check("self-attention-v1")

# %% id="self-attention-v1-shown"
torch.manual_seed(123)
sa_v1 = SelfAttention_v1(d_in=3, d_out=2)
sa_v1(inputs)

# %% [markdown] id="self-attention-v1-read"
# Row $i$ is the context vector of token $i$, with token $i$ as the query: row 0 for "Your", row 1 for
# "journey", and so on. Check back: under the same seed row 1 is the `context_vec_2` that you made step by
# step. `grad_fn` is new. It says that PyTorch has noted how the result came about, so that gradients can
# flow back into the three matrices.
#
# Here are the weights inside, for all six queries:

# %% id="scaled-weights-map" tags=["figure"]
all_scores = (inputs @ W_query) @ (inputs @ W_key).T  # (tokens, d_out) @ (d_out, tokens) -> (tokens, tokens)
attention_map(torch.softmax(all_scores / d_k**0.5, dim=-1), tokens, title="Scaled attention weights")

# %% [markdown] id="scaled-weights-map-read"
# Compare this with the map of lesson 01. The scores are no longer symmetric: what "Your" asks of "one" is
# not what "one" asks of "Your", because queries and keys are made by different matrices. If you swapped
# queries and keys you would get the transposed scores, and other context vectors.
#
# The pattern itself means nothing yet. All six rows even look alike: tokens and matrices hold only positive
# numbers, so a long key, that of "journey", wins with every query. Training would give the pattern a
# meaning.

# %% [markdown] id="why-scale-intro"
# ## 7 · Why √d_k? Measure it
#
# A score is a sum of $d_k$ products. The more there are to add, the further the sum can stray from 0. How
# far? Make queries and keys at random and look.
#
# **Predict first.** Queries and keys come from `torch.randn`, so each number has variance 1. From $d_k = 2$
# to $d_k = 512$ there are 256 times as many products in each sum. Do the scores spread 256 times as far, 16
# times, or just as far?
#
# ### Task 8 · How far scores spread
#
# *8 minutes · three lines · task id* `score-spread`
#
# Write `score_spread(queries, keys, scaled)`. It makes all scores (every query with every key), divides
# them by $\sqrt{d_k}$ if `scaled` is `True`, and returns their standard deviation, one number over all of
# them: `.std()` as it stands. $d_k$ is read off the arguments; it differs from call to call.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "score-spread-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def score_spread(queries, keys, scaled):
    """The standard deviation of all scores of some queries with some keys.

    Shapes:
        queries: (queries, d_k)
        keys: (keys, d_k)
        scaled: True or False, whether the scores are divided by the root of d_k
        returns: one number, without axes
    """
    ### BEGIN SOLUTION
    scores = queries @ keys.T  # (queries, d_k) @ (d_k, keys) -> (queries, keys)
    if scaled:
        scores = scores / keys.shape[-1] ** 0.5
    return scores.std()
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "score-spread", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("score-spread")

# %% id="score-spread-shown" tags=["figure"]
torch.manual_seed(123)
many_queries = torch.randn(300, 512)  # (queries, d_k)
many_keys = torch.randn(300, 512)  # (keys, d_k)
widths = [2, 8, 32, 128, 512]

# The first d_k columns of random vectors are random vectors with d_k dimensions.
plain = [score_spread(many_queries[:, :d], many_keys[:, :d], False) for d in widths]
scaled = [score_spread(many_queries[:, :d], many_keys[:, :d], True) for d in widths]
score_spreads(widths, plain, scaled)

# %% [markdown] id="score-spread-read"
# Your measurements are the dots. The spread follows $\sqrt{d_k}$: 256 times as many products, 16 times the
# spread. For independent numbers it is the *variances* that add up. A product of two such numbers has
# variance 1, a sum of $d_k$ of them has variance $d_k$, and the standard deviation is the root of that.
# Divide by $\sqrt{d_k}$, and the spread is 1 whatever the size of the model. Divide by $d_k$, and it would
# shrink as the model grows.
#
# Now what does softmax do with scores that spread so far?

# %% id="saturation-figure" tags=["figure"]
saturation(many_queries, many_keys[:6], widths)

# %% [markdown] id="saturation-read"
# **Entropy** is one number for how evenly weights are shared out: $-\sum_i w_i \log w_i$. It is 0 when one
# token has everything, and $\log 6 \approx 1.79$ when six tokens have the same. Softmax turns *differences*
# between scores into *ratios* between weights: a score that is ahead by 5 gets $e^5 \approx 148$ times the
# weight. So in the upper row the entropy falls towards 0 as $d_k$ grows: softmax **saturates**. One token
# takes nearly all, not because it matters so much but because the vectors are long.
#
# That is bad for reading, since the other tokens are hardly heard. It is worse for learning. **Predict,
# then run:** the cell takes three scores, multiplies them by 1, by 10 and by 30, and asks how far the
# largest weight would move if its own score moved a little. That is its gradient, the only thing that
# training has to go by.

# %% id="vanishing-slope"
for factor in (1.0, 10.0, 30.0):
    three_scores = (factor * torch.tensor([0.0, 0.5, 1.0])).requires_grad_()
    three_weights = torch.softmax(three_scores, dim=0)  # (3,)
    three_weights[2].backward()
    print(f"× {factor:>2g}   largest weight {three_weights[2]:.4f}   gradient {three_scores.grad[2]:.6f}")

# %% [markdown] id="vanishing-slope-read"
# The gradient of a weight with respect to its own score is $w\,(1 - w)$. It is largest at $w = 1/2$, and
# vanishes at 0 and at 1. A saturated softmax passes hardly any gradient on: the scores that are wrong can
# no longer be put right.
#
# You will also read that scaling keeps scores from growing too large for the computer. In float32 that is
# no danger, since `torch.softmax` subtracts the largest score first, as you did in lesson 01. In float16,
# which ends at 65504, it can be.

# %% [markdown] id="explorer-intro"
# ### Try it
#
# Choose $d_k$, what the scores are divided by, and a **temperature**. The temperature divides the scores
# once more: above 1 it flattens the weights, below 1 it sharpens them (the sharpness of lesson 01 is 1
# divided by it). The "slope" is $w\,(1 - w)$ on average. Queries and keys are the random ones from above;
# the six words only tell the keys apart.
#
# **Predict first:** with $d_k$ = 512 and the scores divided by $d_k$, what do the weights look like? And
# which temperature does the same as dividing by $\sqrt{d_k}$ when $d_k$ is 64?

# %% id="explorer" tags=["figure"]
explore_scale(many_queries, many_keys[:6], tokens)

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# Divided by $d_k$ the scores hardly spread at all: every weight is near 1/6, the entropy is 1.79, and the
# query no longer matters. Divided by nothing and at temperature 8 the weights for $d_k = 64$ are those of
# $\sqrt{64}$. So the scale is a temperature, chosen such that the model's size does not change how sharp
# attention is at the start of training. Whether a token deserves all of the attention is then for training
# to say: it can make queries and keys longer.
#
# </details>

# %% [markdown] id="why-scale-question"
# ### Task 9 · In your own words
#
# *8 minutes · a few sentences · 3 points, read and marked by a person, not by a check*
#
# A colleague says: "Softmax turns everything into weights that add up to 1 anyway. So why bother with the
# $\sqrt{d_k}$?" Answer in three to six sentences. Say (a) what happens to the scores as $d_k$ grows and
# why, (b) what that does to softmax and to training, and (c) why the divisor is $\sqrt{d_k}$ and not $d_k$.
# Use the numbers that you have measured.

# %% [markdown] nbgrader={"cell_type": "markdown", "grade": true, "grade_id": "why-scale-in-words", "locked": false, "points": 3, "schema_version": 3, "solution": true, "task": false}
# ### BEGIN SOLUTION
# A score is a sum of $d_k$ products. For independent numbers the variances add up, so the scores spread
# like $\sqrt{d_k}$: I measured about 1.4 at $d_k = 2$ and about 22.6 at $d_k = 512$. Softmax turns
# differences of scores into ratios of weights, so scores that lie far apart give one token nearly
# everything: at 512 the largest of six weights was 0.95 on average. There the gradient $w(1-w)$ is close to
# 0, and training can hardly change the scores. Divided by $\sqrt{d_k}$ the spread is 1 for every $d_k$.
# Divided by $d_k$ it would be $1/\sqrt{d_k}$, and wide models would share their attention out evenly,
# whatever the query.
#
# **Marking scheme**
#
# - 1 point: the scores spread further as $d_k$ grows, like $\sqrt{d_k}$, because a score is a sum of $d_k$
#   products (their variances add up).
# - 1 point: softmax then saturates (one weight near 1), and its gradient vanishes, so that training stalls.
#   Weights that add up to 1 do not help against that.
# - 1 point: $\sqrt{d_k}$ makes the spread the same for every $d_k$; $d_k$ would make it shrink, until all
#   weights are nearly equal.
# ### END SOLUTION

# %% [markdown] id="linear-intro"
# ## 8 · The same with `nn.Linear`
#
# PyTorch has a module that is nothing but a matrix of weights, with or without a bias:
# `nn.Linear(d_in, d_out)`. Called on `x` it computes $x W^\top + b$. Two things about it surprise people.
# **Predict, then run:** what is the shape of the weights of `nn.Linear(2, 3)`?

# %% id="linear-shown"
torch.manual_seed(123)
for _ in range(3):
    torch.rand(3, 2)  # the draws of SelfAttention_v1, which came first when this cell was first run
m = nn.Linear(2, 3)
m.weight, m.bias  # (d_out, d_in) and (d_out,)

# %% [markdown] id="linear-read"
# 1. **The weights are stored as `(d_out, d_in)`**: turned round, compared with `W_query` above. The layer
#    transposes them itself. So it is `layer(x)`, or `x @ layer.weight.T`; `x @ layer.weight` fails, or
#    worse, works when both sizes are equal.
# 2. **It draws its own start values**, on both sides of 0: evenly between $-1/\sqrt{d_{in}}$ and
#    $1/\sqrt{d_{in}}$, so that a wide layer starts with small weights, and its outputs are no larger than a
#    narrow layer's. `torch.rand` knows nothing of sizes: all of its weights are positive, and the outputs
#    grow with `d_in`. Training from `nn.Linear`'s start is steadier, which is one reason why models are
#    built from it.
#
# The bias is a vector that is added to every token. Attention mostly does without it; `bias=False` leaves
# it out. GPT-2 has it, so the class gets a switch for it, `qkv_bias`.

# %% [markdown] id="self-attention-v2-task"
# ### Task 10 · `SelfAttention_v2`
#
# *8 minutes · eight lines · task id* `self-attention-v2`
#
# Write the class with three `nn.Linear` layers, `W_query`, `W_key` and `W_value`. (Made in this order, they
# give the numbers that are printed here. Any order is right.) With `qkv_bias=True` each has a bias, otherwise
# none has. `forward` is that of `SelfAttention_v1`, apart from the projections. (You will also find the layers
# called `W_q`, `W_k`, `W_v` in other people's code. This course writes the names out.)


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "self-attention-v2-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
class SelfAttention_v2(nn.Module):
    """Scaled dot-product self-attention whose projections are linear layers.

    Shapes:
        x: (tokens, d_in)
        returns: (tokens, d_out)
    """

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        queries = self.W_query(x)  # (tokens, d_out)
        keys = self.W_key(x)  # (tokens, d_out)
        values = self.W_value(x)  # (tokens, d_out)
        scores = queries @ keys.T  # (tokens, tokens)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)  # (tokens, tokens)
        return weights @ values  # (tokens, d_out)
        ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "self-attention-v2", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 3}
check("self-attention-v2")

# %% id="self-attention-v2-shown"
torch.manual_seed(123)
sa_v2 = SelfAttention_v2(d_in=3, d_out=2)
if torch.is_tensor(sa_v2(inputs)):
    print(sa_v2(inputs))
    print(sa_v2(inputs).shape)

# %% [markdown] id="self-attention-v2-read"
# The same seed, the same arithmetic, and other numbers than `sa_v1`: the seed starts the same stream of
# random numbers, but `nn.Linear` makes other weights from it than `torch.rand`. Are the two classes really
# the same apart from that? Looking at the code is one way. A proof is better.

# %% [markdown] id="largest-difference-task"
# ## 9 · Prove that two classes agree
#
# First you need a measure. "They look alike" is none: print four decimals, and an error in the fifth is
# gone.
#
# ### Task 11 · The largest difference
#
# *5 minutes · one line · task id* `how-far-apart`
#
# Write `largest_difference(first, second, x)`. `first` and `second` are things to be called (modules, or
# functions), `x` is a tensor. Return the largest **absolute** difference between the two outputs for `x`,
# one number over all entries.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "how-far-apart-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def largest_difference(first, second, x):
    """The largest absolute difference between what two callables make of the same input.

    Shapes:
        first, second: anything that can be called on x
        x: a tensor of any shape
        returns: one number, without axes
    """
    ### BEGIN SOLUTION
    return (first(x) - second(x)).abs().max()
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "how-far-apart", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("how-far-apart")

# %% id="largest-difference-shown"
if torch.is_tensor(sa_v1(inputs)) and torch.is_tensor(sa_v2(inputs)):
    print(largest_difference(sa_v1, sa_v2, inputs))

# %% [markdown] id="copy-weights-task"
# That is a lot, and no wonder: the weights differ. So give both the same weights, and measure again.
#
# ### Task 12 · Move the weights
#
# *8 minutes · four lines · task id* `copy-weights`
#
# Write `copy_weights(v2, v1)`. It takes a `SelfAttention_v2` and a `SelfAttention_v1` of the same sizes,
# gives `v1` the weights of `v2`, and returns `v1`. Afterwards both compute the same, if `v2` has no bias; a
# bias has no place in `v1` and stays behind. Leave `v2` as it is, and let `v1` have numbers of its own: when
# one of the two is trained later, the other must stay as it is.
#
# Mind the shapes, `(d_out, d_in)` there and `(d_in, d_out)` here. And a parameter may not be overwritten
# just so while gradients are recorded: do it inside `with torch.no_grad():`, or assign a new
# `nn.Parameter` that is made from a copy (`.clone()`).


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "copy-weights-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def copy_weights(v2, v1):
    """Give a SelfAttention_v1 the weights of a SelfAttention_v2, and return it."""
    ### BEGIN SOLUTION
    with torch.no_grad():
        v1.W_query.copy_(v2.W_query.weight.T)  # (d_out, d_in) -> (d_in, d_out)
        v1.W_key.copy_(v2.W_key.weight.T)
        v1.W_value.copy_(v2.W_value.weight.T)
    return v1
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "copy-weights", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("copy-weights")

# %% [markdown] id="equality-proof"
# Now the proof. Floating-point numbers may differ in their last digits when the same sum is taken in
# another order, so the question is not "equal?" but "closer than 0.000001?", on the sentence and on fresh
# random tokens.

# %% id="equality-proof-shown"
both_work = torch.is_tensor(sa_v1(inputs)) and torch.is_tensor(sa_v2(inputs))
moved = copy_weights(sa_v2, SelfAttention_v1(d_in=3, d_out=2)) if both_work else None
other_tokens = torch.randn(50, 3)  # (tokens, d_in)
if moved is not None:
    for name, x in (("the sentence", inputs), ("50 random tokens", other_tokens)):
        difference = largest_difference(moved, sa_v2, x)
        if difference is not None:
            print(f"{name}: differ by less than 1e-6:", bool(difference < 1e-6))

# %% [markdown] id="bug-intro"
# ## 10 · Find the bug
#
# A class like the one below stood in a notebook that this course grew from. It ran, it printed numbers that
# look like any others, and its author went on to the next chapter. The same `forward`, with plain
# parameters instead of linear layers, had even printed the right numbers. The `assert` is ours, and it is
# content. Here is a copy to look at; do not mend this one.


# %% id="bug-as-found"
class SelfAttentionAsFound(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries, keys, value = self.W_query(x), self.W_key(x), self.W_value(x)  # each (tokens, d_out)
        assert queries.shape == keys.shape == value.shape
        scores = queries @ keys.T  # (tokens, tokens)
        weights = torch.softmax(scores / d_k**0.5, dim=-1)  # (tokens, tokens)
        return weights @ values


if torch.is_tensor(values):
    torch.manual_seed(123)
    found = SelfAttentionAsFound(d_in=3, d_out=2)
    print(found(inputs))

# %% [markdown] id="bug-symptoms"
# The seed and the layers are those of `sa_v2`, so the numbers should be as well: the first row should be
# (-0.5337, -0.1051). They are not. Three experiments say more. **Predict each before you run it.**
#
# 1. Six times the token "one": whatever the attention weights are, a mixture of six equal values is that
#    value.
# 2. A sentence of four tokens.
# 3. The gradient that reaches `W_value`.

# %% id="bug-symptoms-shown"
if torch.is_tensor(values):
    six_ones = inputs[4].expand(6, 3)  # (tokens, d_in), "one" six times
    print("1. its value:     ", found.W_value(six_ones)[0].detach())
    print("   its context:   ", found(six_ones)[0].detach())
    try:
        found(inputs[:4])
    except RuntimeError as error:
        print("2. four tokens:   ", error)
    found(inputs).sum().backward()
    print("3. W_value's grad:", found.W_value.weight.grad)

# %% [markdown] id="bug-globals-task"
# ### Task 13 · Mend it
#
# *10 minutes · change as little as you can · task id* `bug-globals`
#
# The cell below holds the same class under the name `NotebookAttention`. Mend it, so that it does what
# `SelfAttention_v2` does: for any sentence of any length, and for any `d_in` and `d_out`. There is more
# than one fault, and one of them shows only when `d_out` is not 2.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-globals-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
class NotebookAttention(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)  # each (tokens, d_out)
        assert queries.shape == keys.shape == values.shape
        scores = queries @ keys.T  # (tokens, tokens)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)  # (tokens, tokens)
        return weights @ values  # (tokens, d_out)


### END SOLUTION
### BEGIN FAULTY
# class NotebookAttention(nn.Module):
#     def __init__(self, d_in, d_out, qkv_bias=False):
#         super().__init__()
#         self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
#         self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
#         self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
#
#     def forward(self, x):
#         queries, keys, value = self.W_query(x), self.W_key(x), self.W_value(x)  # each (tokens, d_out)
#         assert queries.shape == keys.shape == value.shape
#         scores = queries @ keys.T  # (tokens, tokens)
#         weights = torch.softmax(scores / d_k**0.5, dim=-1)  # (tokens, tokens)
#         return weights @ values
### END FAULTY

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-globals", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("bug-globals")

# %% [markdown] id="bug-read"
# <details><summary>Why nobody noticed</summary>
#
# `value` was computed, its shape was checked, and it was never used; `values`, with an s, is the notebook's
# variable from task 3, and `d_k` is the notebook's too. With plain parameters under seed 123 the class drew
# the very matrices that `values` had been made from, so the result was right **by coincidence**. Only
# another initialisation brought the bug to light. A script would have stopped with a `NameError` at once; a
# notebook remembers.
#
# Two habits find this kind of bug early. Restart the kernel and run only the class and a call. And try
# every class on a second input of another length and with other sizes, as the checks of this course do.
#
# </details>

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape here | axes |
# | --- | --- | --- | --- |
# | tokens | `x` | (6, 3) | tokens, d_in |
# | projections | `W_query(x)`, `W_key(x)`, `W_value(x)` | (6, 2) each | tokens, d_out |
# | scores | `queries @ keys.T` | (6, 6) | query, key |
# | weights | `softmax(scores / d_k**0.5, dim=-1)` | (6, 6) | query, key; each row adds up to 1 |
# | context | `weights @ values` | (6, 2) | tokens, d_out |
#
# - A **query** is what a token looks for, a **key** what it is found by, a **value** what it hands over.
#   Three trained matrices make them from the token.
# - Scores are divided by **√d_k** before the softmax, so that their spread does not grow with the model,
#   softmax does not saturate and gradients get through.
# - What is to be trained is an `nn.Parameter`, or a module that holds some, assigned to `self` in
#   `__init__`.
# - `nn.Linear` stores its weights as `(d_out, d_in)` and starts them small, on both sides of 0.
# - Two implementations agree when they do so **on the same weights** and on more than one input.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each in your head before you open it.
#
# <details><summary>1. <code>W_query</code> and <code>W_key</code> are the same matrix. What is special about the scores?</summary>
#
# They are symmetric again, as in lesson 01: the score of $i$ with $j$ is that of $j$ with $i$. Two matrices
# let "journey" look for "your" without "your" looking for "journey".
#
# </details>
#
# <details><summary>2. Must queries, keys and values have the same number of dimensions?</summary>
#
# Queries and keys must, because dot products are taken between them. Values may have any number; it becomes
# the size of the context vectors. In this lesson all three have `d_out`.
#
# </details>
#
# <details><summary>3. You double every number in <code>W_query</code>. What happens to the attention weights?</summary>
#
# All scores double, which is the same as halving the temperature: the weights become sharper. Training can
# therefore undo any scale. The $\sqrt{d_k}$ is about where training *starts*.
#
# </details>
#
# <details><summary>4. In the explorer, temperature 1 and no division give entropy 0.10 at d_k = 512. Is attention broken?</summary>
#
# It still computes weights that add up to 1. But the winner is decided by random start values, and with a
# slope near 0 training can hardly overturn it.
#
# </details>
#
# <details><summary>5. May "Your" look at "step", which comes later?</summary>
#
# In this lesson, yes: every query sees every key. A model that is to predict the next word must not see it.
# Lesson 03 hides it.
#
# </details>

# %% id="progress"
progress("02-trainable")
