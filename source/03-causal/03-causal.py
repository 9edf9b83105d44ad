# %% [markdown] id="title"
# # 03 · Hiding the future: causal attention
#
# A model that writes text guesses the next word. In training it guesses all next words of a sentence at once: after
# "Your" it should say "journey", after "Your journey" it should say "starts". In lesson 02 the query of "Your" meets the
# whole sentence, so it sees every answer. **Causal attention**, also called masked attention, hides from each token what
# comes after it. You hide it in two ways, prove that both are the same, and write a detector that finds what still
# leaks.
#
# **When you are done you can**
#
# - build the mask that hides the future, and say why it is better applied *before* the softmax;
# - explain why weights that are masked after the softmax, and divided by their sum again, contain nothing of the
#   future;
# - find out, for any attention, which future token reaches which output.
#
# **Time:** about 95 minutes. **Before you start:** queries, keys, values and $\sqrt{d_k}$ from lesson 02.

# %% id="setup"
from autograder import check, hint, predict, progress, reveal, review
from visuals import (
    attention_map,
    causal_pattern,
    cut_and_stretch,
    explore_causal_mask,
    explore_reading,
    leak_map,
    masking_steps,
    trained_words,
    two_masks,
)

import torch
from torch import nn

# %% id="review"
review("03-causal")

# %% [markdown] id="sentence"
# ## The sentence and its weights
#
# The same six tokens as before, and the class from lesson 02, with its weights drawn under seed 123.

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
# The next cells put another word in the place of "step", the last token, and measure how far each token's output moves.
# **Predict, then run:**

# %% id="leak-prediction"
predict(
    "other-ending",
    "The last of six tokens changes. Draw how far each output moves; 1 is the furthest.",
    bars=("Your", "journey", "starts", "with", "one", "step"),
)

# %% id="leak-shown"
other_ending = inputs.clone()
other_ending[5] = torch.tensor([0.90, 0.10, 0.20])  # another last word
moved = (sa_v2(other_ending) - sa_v2(inputs)).abs().amax(dim=-1)  # (tokens, d_out) -> (tokens,)
print("\n".join(f"{distance:.4f}  {token}" for token, distance in zip(tokens, moved)))

# %% id="leak-revealed"
reveal("other-ending", dict(zip(tokens, moved / moved.max())), within=0.3)

# %% [markdown] id="leak-read"
# Every output moves. That is right for a model that reads a finished text. It is useless for one that *continues* a
# text: in training it would learn to copy the next word from its input, and when it writes, there is no next word to
# copy.
#
# So each query (row) gets to see itself and what came before:

# %% id="pattern-figure" tags=["figure"]
causal_pattern(tokens)

# %% [markdown] id="triangles"
# ## 2 · The mask
#
# What a query sees is a **lower triangle**. `torch.tril` keeps the lower triangle of a matrix, `torch.triu` the
# upper one. Both keep the diagonal unless you say otherwise.

# %% id="triangles-shown"
print(torch.tril(torch.ones(4, 4)))
print(torch.triu(torch.ones(4, 4)))

# %% [markdown] id="triangles-predict"
# For our sentence the lower triangle is this, with 1 for **visible**:

# %% id="lower-triangle"
context_length = inputs.shape[0]
torch.tril(torch.ones(context_length, context_length))

# %% [markdown] id="causal-mask-task"
# ### Task 1 · The causal mask
#
# *5 minutes · one line · task id* `causal-mask`
#
# Write `causal_mask(num_tokens)`: a square matrix of booleans that is `True` where the key (column) is **hidden** from
# the query (row). A token sees itself. Both functions above take `diagonal=`, which moves their edge: 1 is one step up
# and to the right. `.bool()` turns ones and zeros into `True` and `False`.


# %% answer="causal-mask"
def causal_mask(num_tokens):
    """What is hidden from each query.

    Shapes:
        returns: (num_tokens, num_tokens), bool; True where key j comes after query i and is hidden
    """
    ### BEGIN SOLUTION
    ones = torch.ones(num_tokens, num_tokens)
    return torch.triu(ones, diagonal=1).bool()
    ### END SOLUTION


# %% check="causal-mask" points=2
check("causal-mask")

# %% id="causal-mask-shown"
causal_mask(3)

# %% id="causal-mask-six"
# needs causal_mask
print(causal_mask(6).float())
print("hidden:", causal_mask(6).sum().item())

# %% [markdown] id="two-masks-intro"
# **Two conventions.** In `hidden`, `True` is hidden: `masked_fill(hidden, -torch.inf)` writes −∞ there. In `visible`,
# `True` is seen: `weights * visible` keeps these, and PyTorch's `scaled_dot_product_attention` expects such a mask. One
# is the opposite of the other, `visible = ~hidden`. If you pass the wrong one, PyTorch raises no error, and a query sees
# only its future. Lessons 03 to 05 use `hidden`. From lesson 06 on it is `visible`.

# %% id="causal-mask-figure" tags=["figure"]
two_masks(causal_mask(6), tokens)

# %% [markdown] id="after-softmax-intro"
# ## 3 · First way: weights first, mask afterwards
#
# Here are the weights of lesson 02:

# %% id="weights"
queries = sa_v2.W_query(inputs)  # (tokens, d_out)
keys = sa_v2.W_key(inputs)  # (tokens, d_out)
values = sa_v2.W_value(inputs)  # (tokens, d_out)

attn_scores = queries @ keys.T  # (tokens, tokens)
d_k = keys.shape[-1]
attn_weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
attn_weights, attn_weights.shape

# %% [markdown] id="after-softmax-plan"
# The first plan: set the weights above the diagonal to 0, and divide each row by its sum so that it adds up to 1 again.
# The figure shows it with the **trained** weights of lesson 02, for the words "the bank by the river". The number beside
# a row is its sum. Compare the row of "bank" in panels 2 and 4.

# %% id="steps-figure" tags=["figure"]
small = trained_words()
reader = SelfAttention_v2(d_in=16, d_out=16).requires_grad_(False)
reader.load_state_dict(small.one_head)
words = small.embed("the bank by the river")  # (tokens, 16)
masking_steps(reader.W_query(words) @ reader.W_key(words).T, ["the", "bank", "by", "the", "river"], 16)

# %% [markdown] id="steps-read"
# "River" says which bank is meant, and it comes later. With the mask, "bank" cannot see it. Nearly all of its weight was
# on "river", and less than 0.001 is left. Divided by its sum, that little becomes 1.00, nearly all of it on "the". So a
# large weight says only that no other visible word had a larger score. A causal model must find the meaning of "bank" in
# the words before it.

# %% [markdown] id="mask-after-softmax-task"
# ### Task 2 · Set the future to zero
#
# *3 minutes · one line · task id* `mask-after-softmax`
#
# Make `masked_simple`: `attn_weights` with a 0 in every hidden place. Do not change `attn_weights` itself.

# %% answer="mask-after-softmax"
### BEGIN SOLUTION
masked_simple = attn_weights * torch.tril(torch.ones(context_length, context_length))  # (tokens, tokens)
### END SOLUTION

# %% check="mask-after-softmax" points=1
check("mask-after-softmax")

# %% id="mask-after-softmax-shown"
# needs masked_simple
print(masked_simple)
print("row sums:", masked_simple.sum(dim=-1))

# %% [markdown] id="renormalise-task"
# The rows no longer add up to 1. "Your" has 0.17 of its attention left, so its output would be six times too small.
#
# ### Task 3 · Make the rows add up to 1 again
#
# *5 minutes · one line · task id* `renormalise`
#
# Make `masked_simple_norm`: each row of `masked_simple` divided by that row's sum.

# %% answer="renormalise"
### BEGIN SOLUTION
masked_simple_norm = masked_simple / masked_simple.sum(dim=-1, keepdim=True)  # divided by (tokens, 1)
### END SOLUTION

# %% check="renormalise" points=1
check("renormalise")

# %% id="renormalise-shown"
# needs masked_simple_norm
print(masked_simple_norm)
print("row sums:", masked_simple_norm.sum(dim=-1))

# %% [markdown] id="raw-intro"
# ### The tempting short cut
#
# Softmax and division both bring the rows to a sum of 1. Why not leave the softmax out, mask the **raw scores** and
# divide?

# %% id="raw-shares"
masked_raw = attn_scores * torch.tril(torch.ones(context_length, context_length))  # (tokens, tokens)
raw_shares = masked_raw / masked_raw.sum(dim=-1, keepdim=True)
print(masked_raw)
print(raw_shares)

# %% [markdown] id="raw-read"
# It looks like a result, but these are not your weights: row 1 has 0.3888 where yours has 0.4833. And with a negative
# score:

# %% id="raw-symptom"
mixed_scores = torch.tensor([[0.5, 1.0, 2.0], [-1.0, 1.1, 0.3], [2.0, -1.0, -0.9]])
mixed_masked = mixed_scores * torch.tril(torch.ones(3, 3))
mixed_masked / mixed_masked.sum(dim=-1, keepdim=True)

# %% [markdown] id="bug-raw-scores-task"
# Weights of −10 and 20: as in lesson 01, dividing by the sum works for positive numbers only.
#
# ### Task 4 · Find the bug: shares of raw scores
#
# *8 minutes · two or three lines · task id* `bug-raw-scores`
#
# Correct the function below, so that it gives for any scores what task 3 gave: the softmax of the scaled scores, 0 for
# every later token, and each row adding up to 1. The order of these steps is up to you. Section 5 compares two.


# %% answer="bug-raw-scores"
### BEGIN SOLUTION
def renormalised_weights(scores, d_k):
    """Causal attention weights: every later token gets 0.

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
#     """Causal attention weights: every later token gets 0.
#
#     Shapes:
#         scores: (tokens, tokens), not yet divided by √d_k
#         returns: (tokens, tokens), each row adding up to 1
#     """
#     masked = scores * torch.tril(torch.ones_like(scores))
#     return masked / masked.sum(dim=-1, keepdim=True)
### END FAULTY

# %% check="bug-raw-scores" points=2
check("bug-raw-scores")

# %% id="bug-raw-scores-shown"
renormalised_weights(mixed_scores, 2)

# %% [markdown] id="before-softmax-intro"
# ## 4 · Second way: mask first, softmax afterwards
#
# Softmax itself divides each row by its sum. If the future never enters that sum, nothing has to be divided again. Which
# score gives a weight of 0? Not a score of 0, because $e^0 = 1$. It must be a score so low that its exponential is 0.

# %% id="exp-of-minus-infinity"
print(torch.exp(torch.tensor([-9999999])))
print(torch.exp(torch.tensor([-torch.inf])))

# %% [markdown] id="minus-infinity-read"
# So put $-\infty$, in code `-torch.inf`, above the diagonal of the scores. `tensor.masked_fill(hidden, value)`
# **returns** a copy with `value` wherever `hidden` is `True`. (`masked_fill_`, with an underscore at the end, writes
# into the tensor itself. The scores are then lost.) With the scores 1, 2, 3, 4 in every row:

# %% id="masked-fill-shown"
# needs causal_mask
small_scores = torch.tensor([1.0, 2.0, 3.0, 4.0]).repeat(4, 1)  # (4,) -> (4, 4)
print(small_scores.masked_fill(causal_mask(4), -torch.inf))

# %% [markdown] id="mask-before-softmax-task"
# ### Task 5 · Mask before the softmax
#
# *6 minutes · two lines · task id* `mask-before-softmax`
#
# Make `causal_attn_weights` from `attn_scores`: hide the future with $-\infty$, divide by $\sqrt{d_k}$, softmax. Do not
# change `attn_scores`.

# %% answer="mask-before-softmax"
### BEGIN SOLUTION
causal_attn_weights = torch.softmax(
    attn_scores.masked_fill(causal_mask(context_length), -torch.inf) / d_k**0.5, dim=-1
)  # (tokens, tokens)
### END SOLUTION

# %% check="mask-before-softmax" points=2
check("mask-before-softmax")

# %% id="mask-before-softmax-shown"
causal_attn_weights

# %% id="mask-before-softmax-figure" tags=["figure"]
attention_map(causal_attn_weights, tokens)

# %% [markdown] id="mask-before-softmax-read"
# The same numbers as in task 3, with one softmax and no division. "Your" can only look at itself.
#
# A row in which everything is hidden becomes `nan`: there is nothing to divide. It happens when the diagonal is hidden
# too, and in lesson 06 with empty places in a batch.

# %% [markdown] id="bug-mask-intro"
# ### A mask that looks at the numbers
#
# The next function takes the second way. It looks for the future in the scores themselves: above the diagonal, what is
# not 0 gets hidden.


# %% id="bug-mask-symptom"
def masked_weights_as_given(scores, d_k):
    hidden = torch.triu(scores, diagonal=1) != 0
    scores.masked_fill(hidden, -torch.inf)
    return torch.softmax(scores / d_k**0.5, dim=-1)


masked_weights_as_given(mixed_scores, 2)

# %% [markdown] id="bug-mask-task"
# Nothing was hidden.
#
# ### Task 6 · Find the bugs: two faults in one mask
#
# *10 minutes · two lines · task id* `bug-mask-from-values`
#
# The second shows only for some scores: try `sparse_scores` in the cell below the check. Correct both, and do not change
# the caller's `scores`.


# %% answer="bug-mask-from-values"
### BEGIN SOLUTION
def masked_weights(scores, d_k):
    """Causal attention weights: the mask first, then softmax.

    Shapes:
        scores: (tokens, tokens), not yet divided by √d_k
        returns: (tokens, tokens), each row adding up to 1
    """
    hidden = torch.triu(torch.ones_like(scores), diagonal=1).bool()
    masked = scores.masked_fill(hidden, -torch.inf)
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
#     hidden = torch.triu(scores, diagonal=1) != 0
#     scores.masked_fill(hidden, -torch.inf)
#     return torch.softmax(scores / d_k**0.5, dim=-1)
### END FAULTY

# %% check="bug-mask-from-values" points=2
check("bug-mask-from-values")

# %% id="bug-mask-shown"
sparse_scores = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.5, 0.2, 0.3]])
masked_weights(sparse_scores, 2)

# %% [markdown] id="proof-intro"
# ## 5 · Two ways, one result
#
# Twice you got the same six rows. Is that always so? The first way divides each weight by a sum over **all** six scores.
# The mask removes only the future's own weights. Do the others still depend on the future?
#
# Here is the row of "starts", which sees three tokens:

# %% id="cut-figure" tags=["figure"]
cut_and_stretch(queries @ keys.T / d_k**0.5, tokens, query=2)

# %% [markdown] id="proof-read"
# Write $e_j$ for the exponential of the scaled score of key $j$, and $S$ for the sum over **all** keys. The first way
# gives query $i$ the weight
#
# $$\frac{e_j / S}{\sum_{k \le i} e_k / S} \;=\; \frac{e_j}{\sum_{k \le i} e_k}$$
#
# $S$ is in the numerator and in the denominator, and cancels. The future was only in $S$. What is left is softmax over the past
# and the present alone, which is the second way. So dividing again removes the future.
#
# Now measure it: your two functions, on 300 matrices of random scores, from 2 to 11 tokens, and the **largest**
# difference of all entries. **Predict, then run:**


# %% id="proof-prediction"
predict(
    "two-ways",
    "How large is the largest difference between the two ways?",
    ("0.1 or more", "between 0.000001 and 0.1", "below 0.000001, as rounding"),
)

# %% id="proof-run" tags=["shown"]
torch.manual_seed(123)
largest = 0.0
for trial in range(300):
    num_tokens = 2 + trial % 10
    random_scores = 3 * torch.randn(num_tokens, num_tokens)
    gap = renormalised_weights(random_scores, d_k) - masked_weights(random_scores, d_k)  # (tokens, tokens)
    largest = max(largest, float(gap.abs().max()))
print(f"largest difference: {largest:.5f}   below 1e-6: {largest < 1e-6}")

# %% id="proof-revealed" tags=["shown"]
reveal("two-ways", int(largest < 0.1) + int(largest < 1e-6))

# %% [markdown] id="proof-limits"
# **Equal on paper is not always equal in floats.** The next cell gives a first token a very low score for itself and an
# ordinary one for the token after it:

# %% id="underflow-shown"
far_apart = torch.tensor([[-200.0, 0.0], [0.0, 0.0]])
past = torch.softmax(far_apart / 2**0.5, dim=-1) * torch.tril(torch.ones(2, 2))
print(f"softmax, mask, divide: {(past / past.sum(dim=-1, keepdim=True))[0]}")
print(f"mask, softmax:         {masked_weights(far_apart, 2)[0]}")

# %% [markdown] id="underflow-read"
# The first softmax divides the weight between $e^{-141}$ and $e^{0}$. The first is too small for a float32 and becomes
# 0, the mask removes the other, and 0 divided by 0 is `nan`. The second way never uses the future and gives the right 1.
# That is one reason to mask before the softmax.

# %% [markdown] id="in-words-question"
# ### In your own words
#
# *5 minutes · graded by a person, 3 points*
#
# A friend says: "In the first way the softmax has already seen the future. Setting a few weights to 0 afterwards does
# not undo that." In which sense is your friend right? Why do the weights of task 3 still contain nothing of the
# future? What about the weights of task 2? Write four or five sentences.

# %% [markdown] answer="no-leak-in-words" points=3
# ### BEGIN SOLUTION
# The friend is right that every weight of the plain softmax is divided by a sum $S$ over all keys, so a change to a
# later token changes every weight, those of the past as well. Setting the later weights to 0 does not take $S$ out of
# the others, so the weights of task 2 still depend on the future. Dividing a row by its own sum does take it out,
# because that sum is divided by the same $S$: it is in the numerator and in the denominator and cancels. What is left is the
# exponential of a visible score divided by the sum of the visible exponentials, which is a softmax over the past and
# present alone.
#
# **Marking scheme**
#
# - 1 point: the sum in the softmax's denominator runs over all keys, so the friend is right about the weights before
#   they are divided again (or: the weights of task 2 still depend on the future).
# - 1 point: dividing by the row sum cancels that common denominator; an argument by the formula or in words counts.
# - 1 point: what is left is named as softmax over the visible keys alone, hence the same as masking first.
# ### END SOLUTION

# %% [markdown] id="leaks-intro"
# ## 6 · A detector for leaks
#
# A leak is hard to see: the loss looks very good, because the model reads the answers. So write a test for **any**
# attention that says which future token reaches which output, without looking inside. It is the experiment of section 1,
# for every token:
#
# 1. Compute the outputs for the sentence as it is.
# 2. Change **one** token, $j$, and compute them again.
# 3. Every output $i$ before $j$ that has moved has seen the future.
#
# ### Task 7 · Which future token leaks?
#
# *12 minutes · one or two loops · task id* `leak-detector`
#
# Write `future_leaks(attention, x)`. The result is a square matrix of booleans: entry $(i, j)$ is `True` where $j > i$
# **and** output $i$ changes when token $j$ alone is changed. Everything else is `False`.
#
# Change a copy, not the caller's `x`, and start from a new copy for each token. Change the token by a step of about 1.
# Count as a change what is larger than `1e-5`, in either direction.


# %% answer="leak-detector"
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


# %% check="leak-detector" points=3
check("leak-detector")

# %% [markdown] id="leaks-run-predict"
# Now try it on five attentions with the weights of `sa_v2`. One of them sets the hidden weights to 0 and does not divide
# again. **Predict, then run:**


# %% id="leaks-prediction"
predict(
    "zeroed-leaks",
    "Hidden weights are set to 0 after the softmax, and no row is divided again. How many of the 15 future places leak?",
    ("0", "5", "15"),
)


# %% id="leaks-run" tags=["shown"]
# needs future_leaks
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
print("\n".join(f"{leaks.sum():2d} of 15 leak   {name}" for name, leaks in found.items()))

# %% id="leaks-revealed" tags=["shown"]
# needs found
reveal("zeroed-leaks", str(int(found["zeroed, not divided again"].sum())))

# %% id="leaks-figure" tags=["figure", "shown"]
# needs found
leak_map(found["mask one step too far"], tokens)

# %% [markdown] id="leaks-read"
# <details><summary>What to see</summary>
#
# Without a mask everything leaks, 15 of 15. With the mask one step too far, each token sees exactly its next one: 5
# leaks, on a line right above the diagonal.
#
# With zeroed weights all 15 leak, although every weight above the diagonal **is** 0: the others still contain the sum
# over the future. Divided by their row sums, the same weights are clean. If one of the last two leaks in your notebook,
# task 4 or task 6 is not right yet.
#
# </details>

# %% [markdown] id="explorer-intro"
# ### Try it
#
# A text is written one token after the other, and the mask grows with it. Choose how many, and switch the mask off and
# on. The last column says how far the newest token moved each row. Which rows move when the mask is on?

# %% id="explorer" tags=["figure"]
explore_causal_mask(queries @ keys.T / d_k**0.5, tokens)

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# With the mask on, only the newest row is new. Every earlier row stays exactly as it was: a causal model never has to
# compute it again. (Lesson 11 uses this.) Without the mask, each new token moves every row before it.
#
# </details>
#
# Type a sentence of your own; here is the causal map of the trained weights. Put what explains "bank" before it, and
# then after it:


# %% id="trained-explorer" tags=["figure"]
def causal_reading(x):
    """The trained weights with the future hidden: (tokens, 16) -> (tokens, tokens)."""
    scores = reader.W_query(x) @ reader.W_key(x).T  # (tokens, tokens)
    return masked_weights(scores, d_k=16)


explore_reading(causal_reading, "she saw the river and walked to the bank")

# %% [markdown] id="causal-attention-intro"
# ## 7 · Put it together
#
# The steps of causal attention for one sentence:
#
# 1. queries, keys and values from the tokens, $q = xW_q$, $k = xW_k$, $v = xW_v$;
# 2. scores, $q\,k^\top$;
# 3. the mask: $-\infty$ in the hidden places;
# 4. divide by $\sqrt{d_k}$, softmax over the keys;
# 5. the context vectors: weights times values.
#
# ### Task 8 · Causal attention
#
# *8 minutes · three or four lines · task id* `causal-attention-by-hand`
#
# Write `causal_attention(queries, keys, values)` for one sentence of any length. Values can have another size than
# keys. Use only the arguments, and do not change them. Large scores must work. Write the steps yourself: with PyTorch's
# `F.scaled_dot_product_attention` in it, it earns at most 1 of the 3 points.


# %% answer="causal-attention-by-hand"
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


# %% check="causal-attention-by-hand" points=3
check("causal-attention-by-hand")

# %% id="causal-attention-shown"
causal_attention(queries, keys, values)

# %% [markdown] id="causal-attention-checked"
# The last row is the last row of the first output of this lesson, (−0.5299, −0.1081): nothing is hidden from "step". The
# first row is the value of "Your", because there is nothing else to mix in. Your detector finds no leak:

# %% id="causal-attention-leaks"
# needs causal_attention, future_leaks
print(values[0])
print(future_leaks(lambda x: causal_attention(sa_v2.W_query(x), sa_v2.W_key(x), sa_v2.W_value(x)), inputs))

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape here | axes |
# | --- | --- | --- | --- |
# | scores | `queries @ keys.T` | (6, 6) | query, key |
# | hidden | `torch.triu(torch.ones(6, 6), diagonal=1).bool()` | (6, 6) | query, key; `True` is hidden |
# | masked scores | `scores.masked_fill(hidden, -torch.inf)` | (6, 6) | query, key |
# | weights | `torch.softmax(masked / d_k**0.5, dim=-1)` | (6, 6) | query, key; 0 above the diagonal |
# | context | `weights @ values` | (6, 2) | tokens, d_out |
#
# - **Causal** means: output $i$ depends on tokens 0 to $i$, and on nothing after.
# - Mask **before** the softmax with $-\infty$, not with 0. One softmax, no division, no 0/0.
# - Weights that are zeroed after the softmax leak, until each row is divided by its sum.
# - A mask is made from **positions**, never from the scores' values, and `masked_fill` returns its result.
# - `hidden` and `visible` are opposites. Always ask which of the two a function expects.
# - A leak can be measured from outside: change one token, see what moves.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. You fill the scores above the diagonal with 0 instead of −∞. What do you get?</summary>
#
# Weights above the diagonal, because $e^0 = 1$. A hidden key can even weigh more than a visible one whose score is
# negative.
#
# </details>
#
# <details><summary>2. You add <code>hidden</code>, as ones and zeros, to the scores instead of filling in −∞. What do you get?</summary>
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
# None. That is what causal means.
#
# </details>
#
# <details><summary>5. Without a mask attention does not know word order. Does it with one?</summary>
#
# A little. Each token sees another past. In **one** layer, you can shuffle the words *within* a token's past without any
# effect on its output. With **two** layers you cannot: the second layer mixes outputs of the first, and those depend on
# what each token had before it. Lesson 07 adds positions.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Build a Large Language Model (From Scratch)**, Raschka, 2024, chapter 3. Masking after the softmax first, and
#   then before it, is that chapter's order.
# - **Attention Is All You Need**, Vaswani and others, 2017. Section 3.2.3: masking in the decoder, with $-\infty$ before
#   the softmax.
# - **Generating Wikipedia by Summarizing Long Sequences**, Liu and others, 2018. Section 4.2.3: a decoder alone, as in
#   today's language models.
# - **Improving Language Understanding by Generative Pre-Training**, Radford and others, 2018. GPT: causal attention,
#   trained to guess the next token.
# - **BERT**, Devlin and others, 2018. Section 3.1: what a model can learn from when nothing is hidden.
# - **Pixel Recurrent Neural Networks**, van den Oord and others, 2016. Section 3.4: masks that hide what is not drawn
#   yet, for pictures.

# %% id="progress"
progress("03-causal")
