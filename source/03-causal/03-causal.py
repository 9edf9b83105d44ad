# %% [markdown] id="title"
# # 03 · Hiding the future: causal attention
#
# A model that writes text guesses the next word, again and again. While it learns, it guesses all next words of
# a sentence at once: after "Your" it should say "journey", after "Your journey" it should say "starts". The
# attention of lesson 02 lets "Your" look at the whole sentence, so the answer to every guess lies open before it.
# **Causal attention**, also called masked attention, hides from each token what comes after it. In this lesson you
# hide it in two ways, prove that both are the same, and write a detector that finds what still leaks.
#
# **When you are done you can**
#
# - build the mask that hides the future, and say why it sits *before* the softmax in every real model;
# - explain why weights that are masked after the softmax and brought back to a sum of 1 hold no trace of the future;
# - find out, for any attention you are given, which future token reaches which output.
#
# **Time:** about 80 minutes. **Before you start:** queries, keys, values and $\sqrt{d_k}$ from lesson 02.

# %% id="setup"
import torch
from torch import nn

from autograder import check, hint, progress
from visuals import (
    attention_map,
    causal_pattern,
    cut_and_stretch,
    explore_causal_mask,
    leak_map,
    mask_map,
    masking_steps,
)

# %% [markdown] id="sentence"
# ## The sentence and its weights
#
# The same six tokens as before, and the class that you wrote in lesson 02, with its weights drawn under seed 123.

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


# %% id="self-attention-v2"
class SelfAttention_v2(nn.Module):
    """Self-attention with trainable weights, carried over from lesson 02. It hides nothing.

    Shapes:
        x: (tokens, d_in)
        returns: (tokens, d_out)
    """

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries = self.W_query(x)  # (tokens, d_out)
        keys = self.W_key(x)  # (tokens, d_out)
        values = self.W_value(x)  # (tokens, d_out)
        scores = queries @ keys.T  # (tokens, tokens)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values  # (tokens, d_out)


torch.manual_seed(123)
sa_v2 = SelfAttention_v2(d_in=3, d_out=2).requires_grad_(False)  # nothing is trained in this lesson
print(sa_v2(inputs), sa_v2(inputs).shape, sep="\n")

# %% [markdown] id="leak-predict"
# ## 1 · What is wrong with looking ahead?
#
# **Predict, then run.** The next cell puts another word in the place of "step", the last token, and measures how
# far each token's output moves. "Your" is the first word. Should its output know how the sentence ends? Does it?

# %% id="leak-shown"
other_ending = inputs.clone()
other_ending[5] = torch.tensor([0.90, 0.10, 0.20])  # another last word
moved = (sa_v2(other_ending) - sa_v2(inputs)).abs().amax(dim=-1)  # (tokens, d_out) -> (tokens,)
print("\n".join(f"{distance:.4f}  {token}" for token, distance in zip(tokens, moved)))

# %% [markdown] id="leak-read"
# Every output moves. That is right for a model that reads a finished text. It is useless for one that has to
# *continue* a text: trained this way it learns to copy the next word from its input, and when it writes, there is
# no next word to copy yet.
#
# What we want is this. Each row is a query. It may look at itself and at what came before:

# %% id="pattern-figure" tags=["figure"]
causal_pattern(tokens)

# %% [markdown] id="triangles"
# ## 2 · The mask
#
# What a query may look at makes a **lower triangular** matrix, and what it may not look at lies above the diagonal.
# Two functions cut such triangles out of a matrix: `torch.tril` keeps the lower one, `torch.triu` the upper one.
# Both keep the diagonal unless you say otherwise.

# %% id="triangles-shown"
print(torch.tril(torch.ones(4, 4)))
print(torch.triu(torch.ones(4, 4)))

# %% [markdown] id="triangles-predict"
# For our sentence the lower one is this:

# %% id="lower-triangle"
context_length = inputs.shape[0]
torch.tril(torch.ones(context_length, context_length))

# %% [markdown] id="causal-mask-task"
# **Predict:** how many entries of a 6 × 6 matrix must be hidden? And what becomes of "Your" if the diagonal is hidden
# as well?
#
# ### Task 1 · The causal mask
#
# *5 minutes · one line · task id* `causal-mask`
#
# Write `causal_mask(num_tokens)`: a square matrix of booleans that is `True` where the query (row) must **not** look
# at the key (column). A token may look at itself. Both functions above take `diagonal=`, which moves their edge:
# 1 is one step up and to the right. `.bool()` turns ones and zeros into `True` and `False`.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "causal-mask-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def causal_mask(num_tokens):
    """What must be hidden from each query.

    Shapes:
        returns: (num_tokens, num_tokens), bool; True where key j comes after query i
    """
    ### BEGIN SOLUTION
    ones = torch.ones(num_tokens, num_tokens)
    return torch.triu(ones, diagonal=1).bool()
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "causal-mask", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("causal-mask")

# %% id="causal-mask-shown"
causal_mask(3)

# %% id="causal-mask-six"
if torch.is_tensor(causal_mask(6)):
    print(causal_mask(6).float())
    print("hidden:", causal_mask(6).sum().item())

# %% id="causal-mask-figure" tags=["figure"]
mask_map(causal_mask(6), tokens)

# %% [markdown] id="after-softmax-intro"
# ## 3 · First way: weights first, mask afterwards
#
# Here are the weights of lesson 02, with every token looking at every token.

# %% id="weights"
queries = sa_v2.W_query(inputs)  # (tokens, d_out)
keys = sa_v2.W_key(inputs)  # (tokens, d_out)
values = sa_v2.W_value(inputs)  # (tokens, d_out)

attn_scores = queries @ keys.T  # (tokens, tokens)
d_k = keys.shape[-1]
attn_weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
attn_weights, attn_weights.shape

# %% [markdown] id="after-softmax-plan"
# The plan that comes to mind first: take these weights, set those above the diagonal to 0, and see to it that each
# row adds up to 1 again. Four pictures, three steps. The number beside a row is its sum.

# %% id="steps-figure" tags=["figure"]
masking_steps(attn_scores, tokens, d_k)

# %% [markdown] id="mask-after-softmax-task"
# ### Task 2 · Set the future to zero
#
# *3 minutes · one line · task id* `mask-after-softmax`
#
# Make `masked_simple`: `attn_weights` with a 0 in every place above the diagonal, and nothing else changed. Leave
# `attn_weights` itself as it is; it is needed again.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "mask-after-softmax-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
masked_simple = attn_weights * torch.tril(torch.ones(context_length, context_length))  # (tokens, tokens)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "mask-after-softmax", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("mask-after-softmax")

# %% id="mask-after-softmax-shown"
if torch.is_tensor(masked_simple):
    print(masked_simple)
    print("row sums:", masked_simple.sum(dim=-1))

# %% [markdown] id="renormalise-task"
# The rows no longer add up to 1. "Your" has 0.17 of its attention left, and the rest has gone nowhere: its output
# would come out six times too small.
#
# ### Task 3 · Make the rows add up to 1 again
#
# *5 minutes · one line · task id* `renormalise`
#
# Make `masked_simple_norm`: each row of `masked_simple` divided by that row's sum.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "renormalise-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
masked_simple_norm = masked_simple / masked_simple.sum(dim=-1, keepdim=True)  # divided by (tokens, 1)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "renormalise", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("renormalise")

# %% id="renormalise-shown"
if torch.is_tensor(masked_simple_norm):
    print(masked_simple_norm)
    print("row sums:", masked_simple_norm.sum(dim=-1))

# %% [markdown] id="raw-intro"
# ## 4 · The tempting short cut
#
# Softmax, mask, divide: three steps, two of which bring the rows to a sum of 1. Can the softmax be left out? One of
# the notebooks that this course grew from does so: it masks the **raw scores**, sees that the rows do not add up to 1,
# and divides them by their sums.

# %% id="raw-masked"
masked_raw = attn_scores * torch.tril(torch.ones(context_length, context_length))  # (tokens, tokens)
masked_raw

# %% id="raw-shares"
raw_shares = masked_raw / masked_raw.sum(dim=-1, keepdim=True)
raw_shares

# %% [markdown] id="raw-read"
# Zeros above the diagonal, rows that add up to 1, nothing below 0. It looks like a result, and the notebook went on
# from here. Compare row 1 with yours: 0.3888 and 0.6112 here, 0.4833 and 0.5167 there. They cannot both be attention
# weights. Scores that are not all positive show which of the two are not:

# %% id="raw-symptom"
mixed_scores = torch.tensor([[0.5, 1.0, 2.0], [-1.0, 1.1, 0.3], [2.0, -1.0, -0.9]])
mixed_masked = mixed_scores * torch.tril(torch.ones(3, 3))
mixed_masked / mixed_masked.sum(dim=-1, keepdim=True)

# %% [markdown] id="bug-raw-scores-task"
# Weights of −10 and 20, and rows that still add up to 1. You met this in lesson 01: dividing by the sum holds for
# positive numbers only. A score may be anything; it is the softmax that makes shares of scores.
#
# ### Task 4 · Find the bug: shares of raw scores
#
# *8 minutes · two or three lines · task id* `bug-raw-scores`
#
# The function below makes causal weights out of scores, or so it says. Mend it, so that it does what you did in
# section 3, for any scores: softmax of the scaled scores, mask, divide. Keep that order. In section 6 this function
# and another will be held against each other.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-raw-scores-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
def renormalised_weights(scores, d_k):
    """Causal attention weights: softmax, then the mask, then each row divided by its sum.

    Shapes:
        scores: (tokens, tokens), not yet divided by √d_k
        returns: (tokens, tokens), each row adding up to 1
    """
    weights = torch.softmax(scores / d_k**0.5, dim=-1)
    masked = weights * torch.tril(torch.ones_like(scores))
    return masked / masked.sum(dim=-1, keepdim=True)


### END SOLUTION
### BEGIN FAULTY
# def renormalised_weights(scores, d_k):
#     """Causal attention weights: softmax, then the mask, then each row divided by its sum.
#
#     Shapes:
#         scores: (tokens, tokens), not yet divided by √d_k
#         returns: (tokens, tokens), each row adding up to 1
#     """
#     masked = scores * torch.tril(torch.ones_like(scores))
#     return masked / masked.sum(dim=-1, keepdim=True)
### END FAULTY

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-raw-scores", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("bug-raw-scores")

# %% id="bug-raw-scores-shown"
renormalised_weights(mixed_scores, 2)

# %% [markdown] id="before-softmax-intro"
# ## 5 · Second way: mask first, softmax afterwards
#
# There is a shorter road, and it is the one that every real model takes. Softmax itself divides each row by its sum.
# If the future never enters that sum, nothing has to be divided again. Which score makes the softmax give a weight
# of 0? Not a score of 0: $e^0 = 1$, and that is a weight like any other. It has to be a score so low that its
# exponential is 0.

# %% id="exp-of-minus-infinity"
print(torch.exp(torch.tensor([-9999999])))
print(torch.exp(torch.tensor([-torch.inf])))

# %% [markdown] id="minus-infinity-read"
# So put $-\infty$, in code `-torch.inf`, above the diagonal of the scores. `tensor.masked_fill(mask, value)` **returns**
# a copy with `value` wherever the mask is `True`. (Its sister `masked_fill_`, with an underscore at the end, writes into
# the tensor itself. That saves the memory of a copy, and the scores are gone.) With the scores 1, 2, 3, 4 in every row:

# %% id="masked-fill-shown"
small_scores = torch.tensor([1.0, 2.0, 3.0, 4.0]).repeat(4, 1)  # (4,) -> (4, 4)
if torch.is_tensor(causal_mask(4)):
    print(small_scores.masked_fill(causal_mask(4), -torch.inf))

# %% [markdown] id="mask-before-softmax-task"
# **Predict:** what does the softmax make of the first row, in which only one score is left? And what would it make of
# a row in which nothing is left?
#
# ### Task 5 · Mask before the softmax
#
# *6 minutes · two lines · task id* `mask-before-softmax`
#
# Make `causal_attn_weights` from `attn_scores`: hide the future with $-\infty$, divide by $\sqrt{d_k}$, softmax. Leave
# `attn_scores` as it is.

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "mask-before-softmax-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
causal_attn_weights = torch.softmax(
    attn_scores.masked_fill(causal_mask(context_length), -torch.inf) / d_k**0.5, dim=-1
)  # (tokens, tokens)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "mask-before-softmax", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("mask-before-softmax")

# %% id="mask-before-softmax-shown"
causal_attn_weights

# %% id="mask-before-softmax-figure" tags=["figure"]
attention_map(causal_attn_weights, tokens)

# %% [markdown] id="mask-before-softmax-read"
# The same numbers as in task 3, with one softmax and no division. "Your" can only look at itself and gives itself
# everything. The last row is the last row of the plain weights, for "step" has no future.
#
# And a row in which nothing is left? Softmax has nothing to share out there, and the row becomes `nan`. It happens
# when the mask hides the diagonal too, and later, in lesson 06, with empty places in a batch.

# %% [markdown] id="bug-mask-intro"
# ### A mask that looks at the numbers
#
# The next function takes the second way. It asks the scores themselves where the future is: what `torch.triu` leaves
# standing above the diagonal is not 0, and what is not 0 there gets hidden. Here is what it does:


# %% id="bug-mask-symptom"
def masked_weights_as_given(scores, d_k):
    future = torch.triu(scores, diagonal=1) != 0
    scores.masked_fill(future, -torch.inf)
    return torch.softmax(scores / d_k**0.5, dim=-1)


masked_weights_as_given(mixed_scores, 2)

# %% [markdown] id="bug-mask-task"
# Above the diagonal stand weights. Nothing was hidden at all.
#
# ### Task 6 · Find the bugs: two faults in one mask
#
# *10 minutes · two lines · task id* `bug-mask-from-values`
#
# Two faults, one behind the other. When you have mended the first, the second shows only for some scores: try
# `sparse_scores` in the cell under the check. Mend both, and leave the caller's `scores` as they are.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-mask-from-values-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
def masked_weights(scores, d_k):
    """Causal attention weights: the mask first, then softmax.

    Shapes:
        scores: (tokens, tokens), not yet divided by √d_k
        returns: (tokens, tokens), each row adding up to 1
    """
    future = torch.triu(torch.ones_like(scores), diagonal=1).bool()
    masked = scores.masked_fill(future, -torch.inf)
    return torch.softmax(masked / d_k**0.5, dim=-1)


### END SOLUTION
### BEGIN FAULTY
# def masked_weights(scores, d_k):
#     """Causal attention weights: the mask first, then softmax.
#
#     Shapes:
#         scores: (tokens, tokens), not yet divided by √d_k
#         returns: (tokens, tokens), each row adding up to 1
#     """
#     future = torch.triu(scores, diagonal=1) != 0
#     scores.masked_fill(future, -torch.inf)
#     return torch.softmax(scores / d_k**0.5, dim=-1)
### END FAULTY

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-mask-from-values", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("bug-mask-from-values")

# %% id="bug-mask-shown"
sparse_scores = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.5, 0.2, 0.3]])
masked_weights(sparse_scores, 2)

# %% [markdown] id="proof-intro"
# ## 6 · Two ways, one result
#
# Twice you got the same six rows. Was that luck? There is a doubt about the first way: its softmax runs over **all**
# six scores. Each weight is divided by a sum in which the future stands, so every weight carries a trace of it. The
# mask comes afterwards and only wipes out the future's own weights. Is the trace still there in the others?
#
# Look at one row, the one of "starts". It may look at three tokens:

# %% id="cut-figure" tags=["figure"]
cut_and_stretch(queries @ keys.T / d_k**0.5, tokens, query=2)

# %% [markdown] id="proof-read"
# The four bars are four lines of a calculation. Write $e_j$ for the exponential of the scaled score of key $j$, and
# $S$ for the sum over **all** keys. The first way gives query $i$ the weight
#
# $$\frac{e_j / S}{\sum_{k \le i} e_k / S} \;=\; \frac{e_j}{\sum_{k \le i} e_k}$$
#
# $S$ stands above and below the line, and cancels. $S$ was the only place in which the future stood. What is left on
# the right is softmax over the past and the present alone, which is the second way: there the future's exponentials
# are 0, and the sum runs over $k \le i$ from the start.
#
# So dividing again is not cosmetics. It is the step that takes the future out of the denominator.
#
# A calculation convinces; a measurement guards against slips. Whenever two pieces of code claim to do the same, hold
# them against each other on many inputs and look at the **largest** difference.
#
# ### Task 7 · How far apart are two routes?
#
# *5 minutes · one line · task id* `largest-difference`
#
# Write `largest_difference(first, second, scores)`. `first` and `second` are functions of one matrix of scores, each
# of which returns a matrix. Call both on `scores` and return the largest distance between two entries that stand in
# the same place.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "largest-difference-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def largest_difference(first, second, scores):
    """How far the results of two functions lie apart at most.

    Shapes:
        scores: (tokens, tokens)
        returns: one number, without axes, never negative
    """
    ### BEGIN SOLUTION
    return (first(scores) - second(scores)).abs().max()
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "largest-difference", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("largest-difference")

# %% [markdown] id="proof-run-predict"
# **Predict, then run:** your two functions, held against each other on 300 matrices of random scores, from 2 to 11
# tokens. (If you mended both functions in the same way, you are comparing one route with itself. The first should
# mask after the softmax.)

# %% id="proof-run"
torch.manual_seed(123)
gaps = []
for trial in range(300):
    num_tokens = 2 + trial % 10
    random_scores = 3 * torch.randn(num_tokens, num_tokens)
    gaps.append(
        largest_difference(
            lambda scores: renormalised_weights(scores, d_k),
            lambda scores: masked_weights(scores, d_k),
            random_scores,
        )
    )
if all(gap is not None for gap in gaps):
    largest = max(float(gap) for gap in gaps)
    print(f"largest difference: {largest:.1e}   below 1e-6: {largest < 1e-6}")

# %% [markdown] id="proof-limits"
# Equal, up to the rounding of a float32. **Equal on paper is not always equal in floats, though.** The next cell
# gives a first token a very low score for itself and an ordinary one for the token after it:

# %% id="underflow-shown"
far_apart = torch.tensor([[-200.0, 0.0], [0.0, 0.0]])
first_row, second_row = renormalised_weights(far_apart, 2)[0], masked_weights(far_apart, 2)[0]
print(f"softmax, mask, divide: {first_row}\nmask, softmax:         {second_row}")

# %% [markdown] id="underflow-read"
# The first softmax shares out between $e^{-141}$ and $e^{0}$. The first is too small for a float32 and becomes 0; the
# mask takes the other; and 0 divided by 0 is `nan`. The second way never saw the future and gives the right 1. Fewer
# steps, and safe: that is why models mask before the softmax.

# %% [markdown] id="in-words-question"
# ### In your own words
#
# *5 minutes · graded by a person, 3 points*
#
# A friend says: "In the first way the softmax has already seen the future. Setting a few weights to 0 afterwards does
# not undo that." In which sense is your friend right, and why do the weights of task 3 hold no trace of the future
# all the same? What about the weights of task 2? Four or five sentences.

# %% [markdown] nbgrader={"cell_type": "markdown", "grade": true, "grade_id": "no-leak-in-words", "locked": false, "points": 3, "schema_version": 3, "solution": true, "task": false}
# ### BEGIN SOLUTION
# The friend is right that every weight of the plain softmax is divided by a sum $S$ over all keys, so a change to a
# later token changes every weight, those of the past as well. Setting the later weights to 0 does not take $S$ out of
# the others. The weights of task 2 therefore still depend on the future: their size tells how large $S$ was. Dividing
# a row by its own sum does take it out, because that sum is divided by the same $S$: it stands above and below the line
# and cancels. What is left is the exponential of a visible score divided by the sum of the visible exponentials,
# which is a softmax over the past and present alone.
#
# **Marking scheme**
#
# - 1 point: the sum in the softmax's denominator runs over all keys, so the friend is right about the weights before they are divided again (or: the weights of task 2 still depend on the future).
# - 1 point: dividing by the row sum cancels that common denominator; an argument by the formula or in words counts.
# - 1 point: what is left is named as softmax over the visible keys alone, hence the same as masking first.
# ### END SOLUTION

# %% [markdown] id="leaks-intro"
# ## 7 · A detector for leaks
#
# A leak is easy to make and hard to see. The loss of a leaking model looks splendid, for it reads the answers. So it
# is worth having a test that takes **any** attention and says which future token reaches which output, without
# looking inside. It is the experiment of section 1, done for every token:
#
# 1. Compute the outputs for the sentence as it is.
# 2. Change **one** token, $j$, and compute them again.
# 3. Every output $i$ before $j$ that has moved has seen the future.
#
# ### Task 8 · Which future token leaks?
#
# *12 minutes · one or two loops · task id* `leak-detector`
#
# Write `future_leaks(attention, x)`. `attention` is anything that can be called as `attention(x)` and gives one output
# row for each token. The result is a square matrix of booleans: entry $(i, j)$ is `True` where $j > i$ **and** output
# $i$ changes when token $j$ alone is changed. Everything else is `False`; looking at the past is no leak.
#
# Three things to see to. Change a copy, not the caller's `x`, and start from a fresh one for each token. Change the token
# to something that is surely different, by a step of about 1. Count as a change what is larger than `1e-5`, in either
# direction: below that lies rounding.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "leak-detector-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def future_leaks(attention, x):
    """Which later token each output depends on.

    Shapes:
        x: (tokens, d_in)
        attention(x): (tokens, d_out)
        returns: (tokens, tokens), bool; True at (i, j) where j > i and output i depends on token j
    """
    ### BEGIN SOLUTION
    num_tokens = x.shape[0]
    leaks = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
    before = attention(x)  # (tokens, d_out)
    for j in range(num_tokens):
        changed = x.clone()
        changed[j] += 1.0
        distance = (attention(changed) - before).abs().amax(dim=-1)  # (tokens, d_out) -> (tokens,)
        leaks[:j, j] = distance[:j] > 1e-5
    return leaks
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "leak-detector", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("leak-detector")

# %% [markdown] id="leaks-run-predict"
# Now point it at five attentions. They share the weights of `sa_v2` and differ in how they hide the future. **Predict**
# how many of the 15 future places leak in each, the third above all.


# %% id="leaks-run"
def attend_with(make_weights):
    """The attention of `sa_v2`, with weights made by `make_weights(scores, d_k)`."""

    def attention(x):
        scores = sa_v2.W_query(x) @ sa_v2.W_key(x).T  # (tokens, tokens)
        return make_weights(scores, 2) @ sa_v2.W_value(x)  # (tokens, d_out)

    return attention


def peeking_weights(scores, d_k):
    """The mask is one step too far to the right."""
    hidden = torch.triu(torch.ones_like(scores), diagonal=2).bool()
    return torch.softmax(scores.masked_fill(hidden, -torch.inf) / d_k**0.5, dim=-1)


def zeroed_weights(scores, d_k):
    """Softmax, then the mask, and no division afterwards: task 2."""
    return torch.softmax(scores / d_k**0.5, dim=-1) * torch.tril(torch.ones_like(scores))


attentions = {
    "no mask (lesson 02)": sa_v2,
    "mask one step too far": attend_with(peeking_weights),
    "zeroed, not divided again": attend_with(zeroed_weights),
    "zeroed and divided again": attend_with(renormalised_weights),
    "masked before the softmax": attend_with(masked_weights),
}
found = {name: future_leaks(attention, inputs) for name, attention in attentions.items()}
if all(torch.is_tensor(leaks) for leaks in found.values()):
    print("\n".join(f"{leaks.sum():2d} of 15 leak   {name}" for name, leaks in found.items()))

# %% id="leaks-figure" tags=["figure"]
leak_map(found["mask one step too far"], tokens)

# %% [markdown] id="leaks-read"
# <details><summary>What to see</summary>
#
# Without a mask everything leaks, 15 of 15. With the mask one step too far, each token sees exactly its next one: 5
# leaks, on a line right above the diagonal, and this is the very word that the model should guess.
#
# The third is the one that surprises: all 15, although every weight above the diagonal **is** 0. No future *value* gets
# in, but the size of the weights that remain is set by a sum in which the future stands. Divided by their row sums, the
# same weights are clean. If one of the last two leaks in your notebook, task 4 or task 6 is not mended yet.
#
# </details>

# %% [markdown] id="explorer-intro"
# ### Try it
#
# A text is written one token after the other, and the mask grows with it, a row and a column at a time. Choose how
# many tokens have been written, and switch the mask off and on. The last column says how far the newest token moved
# each row. **Predict first:** which rows move when the mask is on?

# %% id="explorer" tags=["figure"]
explore_causal_mask(queries @ keys.T / d_k**0.5, tokens)

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# With the mask on, only the newest row is new. Every earlier row stays as it was, to the last digit: a causal model
# never has to take back what it computed. (Lesson 07 makes use of that: it keeps keys and values and computes one new
# row for each new token.) With the mask left out, each new token moves every row before it.
#
# </details>

# %% [markdown] id="causal-attention-intro"
# ## 8 · Put it together
#
# All the steps of causal attention for one sentence:
#
# 1. queries, keys and values from the tokens, $q = xW_q$, $k = xW_k$, $v = xW_v$;
# 2. scores, $q\,k^\top$;
# 3. the mask: $-\infty$ above the diagonal;
# 4. divide by $\sqrt{d_k}$, softmax over the keys;
# 5. the context vectors: weights times values.
#
# Between 4 and 5 models may drop a few weights by chance while they train, often a tenth. That is lesson 04. Do not
# leave out the $\sqrt{d_k}$: another notebook that this course grew from does, in a class called `CausalAttention`. It
# also draws its weights without a seed, so that the numbers it printed ($-0.0967$, $-0.2997$, …) cannot be produced
# again by anybody, its author included. You will look for them in vain here.
#
# ### Task 9 · Causal attention
#
# *8 minutes · three or four lines · task id* `causal-attention-by-hand`
#
# Write `causal_attention(queries, keys, values)` for one sentence of any length. The values may have another size than
# the keys. Use the arguments only, and leave them as they are.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "causal-attention-by-hand-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def causal_attention(queries, keys, values):
    """Attention in which no token looks at a later one.

    Shapes:
        queries: (tokens, d_k)
        keys: (tokens, d_k)
        values: (tokens, d_v)
        returns: (tokens, d_v)
    """
    ### BEGIN SOLUTION
    scores = queries @ keys.T  # (tokens, tokens)
    masked = scores.masked_fill(causal_mask(len(queries)), -torch.inf)
    weights = torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values  # (tokens, d_v)
    ### END SOLUTION


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "causal-attention-by-hand", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("causal-attention-by-hand")

# %% id="causal-attention-shown"
causal_attention(queries, keys, values)

# %% [markdown] id="causal-attention-checked"
# Hold it against what you know. The last row is the last row of the very first output of this lesson,
# (−0.5299, −0.1081): "step" may look at everything. The first row is the value of "Your", for there is nothing else to
# mix in. And your own detector has the last word:

# %% id="causal-attention-leaks"
if torch.is_tensor(causal_attention(queries, keys, values)):
    print(values[0])
    print(
        future_leaks(
            lambda x: causal_attention(sa_v2.W_query(x), sa_v2.W_key(x), sa_v2.W_value(x)),
            inputs,
        )
    )

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape here | axes |
# | --- | --- | --- | --- |
# | scores | `queries @ keys.T` | (6, 6) | query, key |
# | mask | `torch.triu(torch.ones(6, 6), diagonal=1).bool()` | (6, 6) | query, key; `True` is hidden |
# | masked scores | `scores.masked_fill(mask, -torch.inf)` | (6, 6) | query, key |
# | weights | `torch.softmax(masked / d_k**0.5, dim=-1)` | (6, 6) | query, key; 0 above the diagonal |
# | context | `weights @ values` | (6, 2) | tokens, d_out |
#
# - **Causal** means: output $i$ depends on tokens 0 to $i$, and on nothing after.
# - Mask **before** the softmax with $-\infty$, not with 0. One softmax, no division, no 0/0.
# - Zeroing weights after the softmax leaks, until each row is divided by its sum. Then the common denominator cancels.
# - A mask is made from **positions**, never from the scores' values, and `masked_fill` returns its result.
# - Whether something leaks can be measured from outside: change one token, see what moves.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each in your head before you open it.
#
# <details><summary>1. You fill the scores above the diagonal with 0 instead of −∞. What do you get?</summary>
#
# Rows that add up to 1 and weights above the diagonal: $e^0 = 1$. A hidden key can even weigh more than a visible one
# whose score is negative.
#
# </details>
#
# <details><summary>2. You add a mask of ones and zeros to the scores instead of filling in −∞. What do you get?</summary>
#
# A plain softmax in which every future score is larger by 1: the future gets more weight than without a mask.
#
# </details>
#
# <details><summary>3. Why does <code>torch.triu(torch.ones(6, 6), diagonal=1) * -torch.inf</code> give no mask to add?</summary>
#
# Because 0 times −∞ is `nan`, and all entries below the diagonal are 0. Fill with `masked_fill`, or start from a matrix
# full of −∞ and let `torch.triu` put the zeros in.
#
# </details>
#
# <details><summary>4. A causal model reads a text of 1000 tokens, then one more. How many old outputs change?</summary>
#
# None. That is what causal means, and it is why such a model can write quickly.
#
# </details>
#
# <details><summary>5. Without a mask attention does not know word order. Does it with one?</summary>
#
# A little. Shuffle the words and each token sees another past, so outputs change. But the words *within* its past may
# be shuffled without any effect. Real models add positions to the embeddings all the same.
#
# </details>

# %% id="progress"
progress("03-causal")
