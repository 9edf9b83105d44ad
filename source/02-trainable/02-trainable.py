# %% [markdown] id="title"
# # 02 · Attention with weights that can be trained
#
# In lesson 01 nothing was learned. A model must *learn* what to compare and what to pass on. In this lesson you
# put three matrices of weights between the tokens and the attention, and write a class that an optimiser can train.
#
# **When you are done you can**
#
# - say what a *query*, a *key* and a *value* are, and make all three from a token by matrix products;
# - measure what dividing the scores by $\sqrt{d_k}$ changes: the rows of weights and the gradients;
# - write self-attention as an `nn.Module`, with `nn.Parameter` and with `nn.Linear`;
# - prove that two implementations agree, and find a bug that a lucky seed can hide.
#
# **Time:** about 120 minutes. **Before you start:** lesson 01 (scores, softmax, context vectors), and what a Python
# class with `__init__` and a method is.

# %% id="setup"
from autograder import check, hint, predict, progress, reveal
from visuals import (
    attention_map,
    explore_journey,
    explore_reading,
    explore_scale,
    query_key_value,
    saturation,
    score_spreads,
    trained_words,
    weights_and_context,
)

import torch
from torch import nn

# %% [markdown] id="trained-first"
# ## Where this leads
#
# In lesson 01 a score says how *alike* two words are. That is seldom what a reader needs. "Bank" needs the word that
# says which bank is meant, and that word need not be like it at all.
#
# The course has a small set of **trained** weights: 27 words with 16 numbers each, and one attention that was trained
# to say which bank is meant, and who "she" and "he" are. (`visuals/trained/train.py` makes them in under a minute. No
# order of words was used.) Two of its matrices make two new vectors from each word: a **query**, which says what the
# word looks for, and a **key**, which says what it can be found by. Here is "bank", compared with each word in both
# ways:

# %% id="trained-first-bank"
small = trained_words()
sentence = "the girl walked to the bank because she needed cash"
words = small.embed(sentence)  # (tokens, 16)
trained_queries = words @ small.one_head["W_query.weight"].T  # (tokens, 16)
trained_keys = words @ small.one_head["W_key.weight"].T  # (tokens, 16)

bank = sentence.split().index("bank")
alike = words @ words[bank]  # (tokens,), the scores of lesson 01
asked = trained_keys @ trained_queries[bank]  # (tokens,)
print("word      as in lesson 01   query · key")
for word, first, second in zip(sentence.split(), alike, asked):
    print(f"{word:8} {first:15.1f} {second:15.1f}")

# %% [markdown] id="trained-first-predict"
# As vectors, "bank" is most like itself, and of all these words least like "cash". The query of "bank" agrees with
# the key of "cash", and least of all with its own key. It asks: *which word tells me what kind of bank I am?*
#
# **Predict, then run.** What does "she" ask?

# %% id="trained-first-prediction"
predict(
    "query-of-she",
    "With which word's key does the query of “she” agree most?",
    ("she", "girl", "bank", "cash"),
)

# %% id="trained-first-she"
she = sentence.split().index("she")
for word, score in zip(sentence.split(), trained_keys @ trained_queries[she]):
    print(f"{word:8} {score:6.1f}")

# %% id="trained-first-revealed"
reveal("query-of-she", sentence.split()[int((trained_keys @ trained_queries[she]).argmax())])

# %% [markdown] id="sentence"
# So a query and a key are two vectors that are *made* from a word, each by a matrix, and training finds the matrices.
# Now build this yourself, with matrices that are still random.
#
# ## The sentence again
#
# The six tokens of lesson 01.

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
# In lesson 01 one vector did three jobs:
#
# 1. As the **query** it was compared with every token: *what am I looking for?*
# 2. As a **key** it was compared with the query: *what can I be found by?*
# 3. In the weighted sum it was passed on: *what do I have to give?* This job is called the **value**.
#
# The words are those of a search in a database. A search (the query) is compared with an index (the keys), and returns
# the records that belong to the keys that match (the values).
#
# Attention returns a **mixture** of all records, and each weight says how well the key matched.
#
# Now each job gets a vector of its own, made from the token by a matrix of weights.

# %% id="roles-figure" tags=["figure"]
torch.manual_seed(123)
demo_weights = [torch.rand(3, 2) for _ in range(3)]
query_key_value(inputs[1], *demo_weights, token="journey")

# %% [markdown] id="roles-read"
# Each row of the picture is one matrix product: three numbers go in, two come out. Such a product is called a
# **projection**. All tokens share the same three matrices.
#
# The number of columns is the size of the result, `d_out`. Here it is 2, and `d_in` is 3. They differ on purpose:
# where two sizes are equal, many mistakes go unnoticed.

# %% [markdown] id="weights-intro"
# ## 2 · Three matrices
#
# Before training, weights are random. `torch.rand` draws numbers evenly from 0 to 1. `torch.randn` draws them from
# the normal distribution, with mean 0 and variance 1. **Predict, then run:**

# %% id="rand-randn-prediction"
predict(
    "randn-negative",
    "torch.randn draws ten thousand numbers. How many per cent of them are negative?",
)

# %% id="rand-randn"
torch.manual_seed(123)
for draw in (torch.rand, torch.randn):
    numbers = draw(10_000)
    print(
        f"{draw.__name__:5}  smallest {numbers.min():7.4f}  largest {numbers.max():.4f}  "
        f"mean {numbers.mean():.2f}  variance {numbers.var():.2f}"
    )

# %% id="rand-randn-revealed"
reveal("randn-negative", 100 * float((numbers < 0).float().mean()))

# %% [markdown] id="weights-given"
# The weights of this lesson are drawn with `torch.rand` under seed 123, so that your numbers are those in the text.
# `nn.Parameter` marks a tensor as something to be trained. `requires_grad=False` switches that off while you work step
# by step, so that gradients do not appear in what is printed. In the class below it has to go.

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
# **A word with two meanings.** *Weights* are the trained numbers in `W_query`. *Attention weights* are what softmax
# makes from scores, new for each sentence.

# %% [markdown] id="query-of-one-token-task"
# The query of "journey" is its vector times `W_query`. It is compared with **all** tokens, so all of them need a key
# and a value:

# %% id="projections-worked"
x_2 = inputs[1]  # (d_in,), the second token, "journey"
query_2 = x_2 @ W_query  # (d_in,) @ (d_in, d_out) -> (d_out,)
keys = inputs @ W_key  # (tokens, d_in) @ (d_in, d_out) -> (tokens, d_out)
values = inputs @ W_value  # (tokens, d_in) @ (d_in, d_out) -> (tokens, d_out)

# %% id="projections-shown"
print("keys.shape:", keys.shape)
print("values.shape:", values.shape)
print((query_2, keys[1], values[1]))  # query, key and value of "journey"

# %% [markdown] id="scores-intro"
# ## 3 · Scores: a query meets keys
#
# A score is a dot product, as before. Now it is taken between the **query** of one token and the **key** of another.
#
# **Predict, then run.** The next score is `attn_score_22`: query 2, key 2. Multiply and add roughly:
# 0.43 · 0.44 + 1.46 · 1.14.

# %% id="one-score-prediction"
predict("score-22", "How large is attn_score_22? (It counts when you are within 5 %.)")

# %% id="one-score"
attn_score_22 = query_2 @ keys[1]  # (d_out,) @ (d_out,) -> one number
print(attn_score_22)

# %% id="one-score-revealed"
reveal("score-22", attn_score_22)

# %% [markdown] id="scores-of-one-query-task"
# ### Task 1 · The scores of one query
#
# *4 minutes · one line · task id* `scores-of-one-query`
#
# Make `attn_scores_2`: the scores of "journey" with all six tokens. `keys` has the shape `(6, 2)` and `query_2` the
# shape `(2,)`; the result has the shape `(6,)`.

# %% answer="scores-of-one-query"
### BEGIN SOLUTION
attn_scores_2 = query_2 @ keys.T  # (d_out,) @ (d_out, tokens) -> (tokens,)
### END SOLUTION

# %% check="scores-of-one-query" points=1
check("scores-of-one-query")

# %% id="scores-of-one-query-shown"
attn_scores_2

# %% [markdown] id="scale-intro"
# ## 4 · Scaled weights
#
# Before the softmax comes one new step: every score is divided by $\sqrt{d_k}$, where $d_k$ is the number of
# dimensions of a **key**. Hence the name *scaled dot-product attention*:
#
# $$\text{weights} = \text{softmax}\left(\frac{q \, K^\top}{\sqrt{d_k}}\right)$$
#
# Section 7 measures why. Until then, four things often go wrong: it is $\sqrt{d_k}$ and not $d_k$; it is the size of
# the keys and not `d_in` or the number of tokens; it is a division; and it comes *before* the softmax. A power of one
# half is a root: `d_k**0.5`.

# %% id="d-k"
d_k = W_key.shape[1]  # the number of dimensions of a key
d_k

# %% [markdown] id="scaled-weights-task"
# ### Task 2 · The scaled attention weights of "journey"
#
# *5 minutes · one line · task id* `scaled-weights`
#
# Make `attn_weights_2` from `attn_scores_2` and `d_k`.

# %% answer="scaled-weights"
### BEGIN SOLUTION
attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1)  # (tokens,)
### END SOLUTION

# %% check="scaled-weights" points=2
check("scaled-weights")

# %% id="scaled-weights-shown"
# needs attn_weights_2
print((attn_weights_2.sum(), attn_weights_2))

# %% [markdown] id="scaled-weights-tempting"
# **The tempting order.** What if you divide *after* the softmax? Every weight is smaller by the same factor, and they
# no longer add up to 1.

# %% id="scaled-weights-refuted"
# needs attn_scores_2
scaled_too_late = torch.softmax(attn_scores_2, dim=-1) / d_k**0.5  # (tokens,)
print(scaled_too_late)
print("sum:", scaled_too_late.sum())

# %% [markdown] id="context-intro"
# ## 5 · The context vector
#
# What "journey" takes of each token are the **values**: not the inputs, and not the keys.

# %% id="context-figure" tags=["figure"]
weights_and_context(attn_weights_2, values, tokens, query=1)

# %% [markdown] id="context-of-one-token-task"
# ### Task 3 · The context vector of "journey"
#
# *3 minutes · one line · task id* `context-of-one-token`
#
# Make `context_vec_2`: the weighted sum of the values.

# %% answer="context-of-one-token"
### BEGIN SOLUTION
context_vec_2 = attn_weights_2 @ values  # (tokens,) @ (tokens, d_out) -> (d_out,)
### END SOLUTION

# %% check="context-of-one-token" points=1
check("context-of-one-token")

# %% id="context-shown"
context_vec_2

# %% [markdown] id="journey-intro"
# ### One number's journey
#
# The same way as in lesson 01, now with queries, keys and values, and with the division by $\sqrt{d_k}$. Press <kbd>Space</kbd> on the picture for the next stop, or use the arrow keys.

# %% id="journey" tags=["figure"]
explore_journey(inputs @ W_query, keys, values, tokens, query=5)

# %% [markdown] id="class-intro"
# ## 6 · A class
#
# To be trained, the three matrices must be where PyTorch finds them: in an `nn.Module`. Every `nn.Parameter` that
# `__init__` assigns to `self` is **registered**. An optimiser finds it, a saved model contains it, and `.to(device)`
# moves it. `attention(x)` calls the method `forward`.
#
# **The tempting way** is to assign plain tensors. The arithmetic is the same, but training would change nothing:


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
# Make the matrices once, in `__init__`. If `forward` made them, every call would start from new random numbers.
# `forward` uses only `x` and what belongs to `self`. A variable of the notebook, like `keys` or `d_k`, belongs to
# another sentence.
#
# ### Task 4 · `SelfAttention_v1`
#
# *15 minutes · eight lines · task id* `self-attention-v1`
#
# Write the class. Its parameters are called `W_query`, `W_key` and `W_value`, each of shape `(d_in, d_out)`, drawn by
# `torch.rand`. (Drawn in this order, they are the matrices from above. Any order is right.) `forward(x)` gives one
# context vector for each token of `x`, for any number of tokens and large scores. Each *row* of weights belongs to one
# query. Write the steps yourself: PyTorch's `F.scaled_dot_product_attention` does them in one call, and with it you
# would lose two points.


# %% answer="self-attention-v1"
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


# %% check="self-attention-v1" points=4
check("self-attention-v1")

# %% id="self-attention-v1-shown"
torch.manual_seed(123)
sa_v1 = SelfAttention_v1(d_in=3, d_out=2)
sa_v1(inputs)

# %% [markdown] id="self-attention-v1-read"
# Under the same seed row 1 is the `context_vec_2` that you made step by step. `grad_fn` is new: PyTorch has noted how
# the result was made, so that gradients can reach the matrices.
#
# The weights inside:

# %% id="scaled-weights-map" tags=["figure"]
all_scores = (inputs @ W_query) @ (inputs @ W_key).T  # (tokens, d_out) @ (d_out, tokens) -> (tokens, tokens)
attention_map(torch.softmax(all_scores / d_k**0.5, dim=-1), tokens, title="Scaled attention weights")

# %% [markdown] id="scaled-weights-map-read"
# The scores are no longer symmetric, as they were in lesson 01.
#
# This pattern means nothing: the matrices are random. In all six rows "journey" has the largest weight: tokens and
# matrices hold only positive numbers, so the longest key, that of "journey", gets a large score from every query.

# %% [markdown] id="why-scale-intro"
# ## 7 · Why √d_k? Measure it
#
# A score is a sum of $d_k$ products. Queries and keys now come from `torch.randn`, so each number has variance 1. From
# $d_k = 2$ to $d_k = 512$ there are 256 times as many products in each sum. **Predict first:**


# %% id="why-scale-prediction"
predict(
    "spread-512",
    "How much further do the scores spread at d_k = 512 than at d_k = 2?",
    ("just as far", "16 times as far", "256 times as far"),
)

# %% [markdown] id="score-spread-task"
# ### Task 5 · How far scores spread
#
# *8 minutes · three lines · task id* `score-spread`
#
# Write `score_spread(queries, keys, scaled)`. It makes all scores (every query with every key), divides them by
# $\sqrt{d_k}$ if `scaled` is `True`, and returns their standard deviation, one number over all of them: `.std()`
# without arguments. Take $d_k$ from the arguments; it differs from call to call.


# %% answer="score-spread"
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


# %% check="score-spread" points=2
check("score-spread")

# %% id="score-spread-shown" tags=["figure", "shown"]
torch.manual_seed(123)
many_queries = torch.randn(300, 512)  # (queries, d_k)
many_keys = torch.randn(300, 512)  # (keys, d_k)
widths = [2, 8, 32, 128, 512]

# The first d_k columns of random vectors are random vectors with d_k dimensions.
plain = [score_spread(many_queries[:, :d], many_keys[:, :d], False) for d in widths]
scaled = [score_spread(many_queries[:, :d], many_keys[:, :d], True) for d in widths]
score_spreads(widths, plain, scaled)

# %% id="score-spread-revealed" tags=["shown"]
# needs score_spread
reveal("spread-512", sum(plain[-1] / plain[0] >= times for times in (4, 64)))

# %% [markdown] id="score-spread-read"
# Your measurements are the dots. The spread follows $\sqrt{d_k}$. For independent numbers the *variances* add up: a
# product of two such numbers has variance 1, a sum of $d_k$ of them has variance $d_k$, and the standard deviation is
# the root of that. Divided by $\sqrt{d_k}$, the spread is 1 for every size of the model.
#
# What does softmax do with scores that spread so far?

# %% id="saturation-figure" tags=["figure", "shown"]
saturation(many_queries, many_keys[:6], widths)

# %% [markdown] id="saturation-read"
# **Entropy** is one number for how evenly weights are shared out: $-\sum_i w_i \log w_i$. It is 0 when one token has
# everything, and $\log 6 \approx 1.79$ when six tokens have the same. Softmax turns *differences* between scores into
# *ratios* between weights: a score that is larger by 5 gets $e^5 \approx 148$ times the weight. So in the upper row
# the entropy falls towards 0 as $d_k$ grows: softmax **saturates**. One token takes nearly everything, and the random
# start values decide which.
#
# The gradient of a weight with respect to its own score is $w\,(1 - w)$. It is nearly 0 where $w$ is near 0 or 1:

# %% id="vanishing-slope"
for factor in (1.0, 10.0, 30.0):
    three_scores = (factor * torch.tensor([0.0, 0.5, 1.0])).requires_grad_()
    three_weights = torch.softmax(three_scores, dim=0)  # (3,)
    three_weights[2].backward()
    print(f"× {factor:>2g}   largest weight {three_weights[2]:.4f}   gradient {three_scores.grad[2]:.6f}")

# %% [markdown] id="vanishing-slope-read"
# So does training get no gradient without the $\sqrt{d_k}$? Measure it. The next cell makes an attention with new
# `nn.Linear` weights and random tokens, with the division and without it. Under ten seeds it compares the length of
# the gradient that reaches `W_query`, and prints the largest weight in each of the six rows without it. **Predict,
# then run:**

# %% id="first-gradient-prediction"
predict(
    "gradient-without-scale",
    "At d_k = 512, without the division: how does the gradient of W_query compare with the one with the division?",
    ("it is nearly 0", "it is about the same", "it is many times larger"),
)


# %% id="first-gradient" tags=["shown"]
def first_gradient(width, divisor, seed):
    """The length of the gradient of W_query at the start, and the largest weight of each row."""
    torch.manual_seed(seed)
    x, target = torch.randn(6, width), torch.randn(6, width)
    to_query, to_key, to_value = (nn.Linear(width, width, bias=False) for _ in range(3))
    weights = torch.softmax(to_query(x) @ to_key(x).T / divisor, dim=-1)  # (tokens, tokens)
    ((weights @ to_value(x) - target) ** 2).mean().backward()
    return to_query.weight.grad.norm().item(), weights.detach().amax(dim=-1)


for width in (8, 64, 512):
    seeds = range(123, 133)
    ratios = [
        first_gradient(width, 1, seed)[0] / first_gradient(width, width**0.5, seed)[0] for seed in seeds
    ]
    rows = " ".join(f"{weight:.2f}" for weight in first_gradient(width, 1, 123)[1].tolist())
    print(
        f"d_k = {width:3}   gradient {min(ratios):2.0f} to {max(ratios):2.0f} times as large   largest weights {rows}"
    )

# %% id="first-gradient-revealed" tags=["shown"]
reveal("gradient-without-scale", sum(sum(ratios) / 10 >= bound for bound in (0.1, 2)))

# %% [markdown] id="first-gradient-read"
# Without the division the gradient is **larger** here, not 0, and it grows with $d_k$. Each score is $\sqrt{d_k}$
# times as large, so a change to `W_query` changes it $\sqrt{d_k}$ times as much. And the rows saturate unevenly: some
# have a weight near 1 and get hardly any gradient, others get a large one. (Of 80 seeds at $d_k = 512$, the gradient was
# 11 to 99 times as large in 79. In the other one all six rows had a weight above 0.999, and it was a third as large.) So
# with one learning rate, the steps of plain gradient descent grow with $d_k$, and chance chooses which tokens win.
# Divided by $\sqrt{d_k}$, the gradient hardly depends on $d_k$.
#
# Scaling is not about numbers that are too large for the computer: `torch.softmax` subtracts the largest score first,
# as you did in lesson 01. In float16, which ends at 65504, the scores themselves can overflow.

# %% [markdown] id="explorer-intro"
# ### Try it
#
# Choose $d_k$, what the scores are divided by, and a **temperature**. The temperature divides the scores once more:
# above 1 it flattens the weights, below 1 it sharpens them. The "slope" is $w\,(1 - w)$ on average. Queries and keys
# are the random ones from above.
#
# Ask yourself: with $d_k$ = 512 and the scores divided by $d_k$, what do the weights look like? And which temperature
# does the same as dividing by $\sqrt{d_k}$ when $d_k$ is 64?

# %% id="explorer" tags=["figure", "shown"]
explore_scale(many_queries, many_keys[:6], tokens)

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# Divided by $d_k$ the scores hardly spread: every weight is near 1/6, the entropy is 1.79, and the query no longer
# matters. Divided by nothing, at temperature 8, the weights for $d_k = 64$ are those of $\sqrt{64}$. So the scale is a
# temperature.
#
# </details>

# %% [markdown] id="why-scale-question"
# ### Task 6 · In your own words
#
# *8 minutes · a few sentences · 3 points, read and marked by a person, not by a check*
#
# A colleague says: "Softmax turns everything into weights that add up to 1 anyway. So why divide by $\sqrt{d_k}$?"
# Answer in three to six sentences. Say (a) what happens to the scores as $d_k$ grows, and why, (b) what that does to
# the rows of weights and to training, and (c) why the divisor is $\sqrt{d_k}$ and not $d_k$. Use the numbers that you
# measured.

# %% [markdown] answer="why-scale-in-words" points=3
# ### BEGIN SOLUTION
# A score is a sum of $d_k$ products. For independent numbers the variances add up, so the scores spread like
# $\sqrt{d_k}$: I measured about 1.4 at $d_k = 2$ and about 22.6 at $d_k = 512$. So one token, chosen by chance, gets
# nearly everything: at 512 the largest of six weights was 0.95 on average. Rows with a weight near 1 get hardly any
# gradient, because $w(1-w)$ is near 0 there. As a whole the gradient was many times larger without the division at
# 512, so the size of a step would depend on $d_k$. Divided by $\sqrt{d_k}$ the spread is 1 for every $d_k$. Divided by
# $d_k$ it would be $1/\sqrt{d_k}$, and wide models would attend to all tokens alike, whatever the query.
#
# **Marking scheme**
#
# - 1 point: the scores spread further as $d_k$ grows, like $\sqrt{d_k}$, because a score is a sum of $d_k$
#   products (their variances add up).
# - 1 point: rows of weights then saturate (one weight near 1, chosen by chance at the start), and training suffers:
#   saturated rows get hardly any gradient, or the size of gradients and steps depends on $d_k$. One of the two is
#   enough. That the whole gradient vanishes is not true and earns nothing by itself.
# - 1 point: $\sqrt{d_k}$ makes the spread the same for every $d_k$; $d_k$ would make it shrink, until all
#   weights are nearly equal.
# ### END SOLUTION

# %% [markdown] id="linear-intro"
# ## 8 · The same with `nn.Linear`
#
# `nn.Linear(d_in, d_out)` is a matrix of weights, with or without a bias. Called on `x` it computes $x W^\top + b$.
# **Predict, then run:**

# %% id="linear-prediction"
predict(
    "linear-shape",
    "What is the shape of the weights of nn.Linear(2, 3)?",
    ("(2, 3)", "(3, 2)"),
)

# %% id="linear-seed" jupyter={"source_hidden": true}
torch.manual_seed(123)
for _ in range(3):
    torch.rand(3, 2)  # the numbers of the next cell come after three other draws

# %% id="linear-shown"
m = nn.Linear(2, 3)
m.weight, m.bias  # (d_out, d_in) and (d_out,)

# %% id="linear-revealed"
reveal("linear-shape", str(tuple(m.weight.shape)))

# %% [markdown] id="linear-read"
# 1. **The weights are stored as `(d_out, d_in)`**, which is `W_query` from above, transposed. The layer transposes
#    them back. So write `layer(x)`, or `x @ layer.weight.T`. `x @ layer.weight` fails, or gives wrong numbers when
#    both sizes are equal.
# 2. **It draws its own start values**, evenly between $-1/\sqrt{d_{in}}$ and $1/\sqrt{d_{in}}$. A wide layer starts
#    with small weights, so its outputs are no larger than a narrow layer's. `torch.rand` knows nothing of sizes: its
#    weights are all positive, and the outputs grow with `d_in`.
#
# The bias is a vector that is added to every token. GPT-2 has one here, Llama has none. So the class gets
# a switch for it, `qkv_bias`, which is off unless somebody asks for it.

# %% [markdown] id="self-attention-v2-task"
# ### Task 7 · `SelfAttention_v2`
#
# *8 minutes · eight lines · task id* `self-attention-v2`
#
# Write the class with three `nn.Linear` layers, `W_query`, `W_key` and `W_value`. (Made in this order, they give the
# numbers that are printed here. Any order is right.) With `qkv_bias=True` each has a bias, otherwise none has.
# `forward` is that of `SelfAttention_v1`, apart from the projections.


# %% answer="self-attention-v2"
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


# %% check="self-attention-v2" points=3
check("self-attention-v2")

# %% id="self-attention-v2-shown"
# needs SelfAttention_v2
torch.manual_seed(123)
sa_v2 = SelfAttention_v2(d_in=3, d_out=2)
print(sa_v2(inputs))
print(sa_v2(inputs).shape)

# %% [markdown] id="self-attention-v2-read"
# The same seed and the same arithmetic give other numbers than `sa_v1`: `nn.Linear` makes other weights from the
# random numbers than `torch.rand`.
#
# ### Your class with trained weights
#
# Give your class the trained weights of the beginning, all three matrices:

# %% id="trained"
# needs SelfAttention_v2
reader = SelfAttention_v2(d_in=16, d_out=16)
reader.load_state_dict(small.one_head)


def reading_weights(x):
    """The attention weights of your class with trained weights: (tokens, 16) -> (tokens, tokens)."""
    queries, keys = reader.W_query(x), reader.W_key(x)  # each (tokens, d_out)
    return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)


for word, meaning in zip(sentence.split(), small.read(words + reader(words))):
    print(f"{word:8} {meaning}")

# %% [markdown] id="trained-read"
# The token's own vector is added to its context vector, and the sum is compared with 29 meanings. Read the rows of
# "bank" and "she":

# %% id="trained-map" tags=["figure"]
# needs reading_weights
attention_map(reading_weights(small.embed(sentence)), sentence.split(), title="Trained weights")

# %% [markdown] id="trained-explorer-intro"
# Here is a sentence about the other bank. Type one of your own.

# %% id="trained-explorer" tags=["figure"]
# needs reading_weights
explore_reading(reading_weights)

# %% [markdown] id="largest-difference-task"
# ## 9 · Prove that two classes agree
#
# "They look alike" is no measure: print four decimals, and an error in the fifth is lost.
#
# ### Task 8 · The largest difference
#
# *5 minutes · one line · task id* `how-far-apart`
#
# Write `largest_difference(first, second, x)`. `first` and `second` can be called (modules, or functions), and `x` is
# a tensor. Return the largest **absolute** difference between the two outputs for `x`, one number over all entries.


# %% answer="how-far-apart"
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


# %% check="how-far-apart" points=2
check("how-far-apart")

# %% id="largest-difference-shown"
# needs SelfAttention_v1, SelfAttention_v2, largest_difference
print(largest_difference(sa_v1, sa_v2, inputs))

# %% [markdown] id="copy-weights-task"
# That is a lot, because the weights differ. Give both the same, and measure again.
#
# ### Task 9 · Move the weights
#
# *8 minutes · four lines · task id* `copy-weights`
#
# Write `copy_weights(v2, v1)`. It takes a `SelfAttention_v2` and a `SelfAttention_v1` of the same sizes, gives `v1`
# the weights of `v2`, and returns `v1`. Afterwards both compute the same, if `v2` has no bias. Do not change `v2`, and
# do not share memory: when one is trained later, the other must stay as it is.
#
# Watch the shapes, `(d_out, d_in)` there and `(d_in, d_out)` here. PyTorch refuses to overwrite a parameter while
# gradients are recorded. So do it inside `with torch.no_grad():`, or assign a new `nn.Parameter` that is made from a
# copy (`.clone()`).


# %% answer="copy-weights"
def copy_weights(v2, v1):
    """Give a SelfAttention_v1 the weights of a SelfAttention_v2, and return it."""
    ### BEGIN SOLUTION
    with torch.no_grad():
        v1.W_query.copy_(v2.W_query.weight.T)  # (d_out, d_in) -> (d_in, d_out)
        v1.W_key.copy_(v2.W_key.weight.T)
        v1.W_value.copy_(v2.W_value.weight.T)
    return v1
    ### END SOLUTION


# %% check="copy-weights" points=2
check("copy-weights")

# %% [markdown] id="equality-proof"
# Floating-point numbers can differ in their last digits when the same sum is taken in another order. So the question
# is not "equal?" but "closer than 0.000001?", on the sentence and on new random tokens.

# %% id="equality-proof-shown"
# needs SelfAttention_v1, SelfAttention_v2, largest_difference, copy_weights
moved = copy_weights(sa_v2, SelfAttention_v1(d_in=3, d_out=2))
other_tokens = torch.randn(50, 3)  # (tokens, d_in)
for name, x in (("the sentence", inputs), ("50 random tokens", other_tokens)):
    difference = largest_difference(moved, sa_v2, x)
    print(f"{name}: differ by less than 1e-6:", bool(difference < 1e-6))

# %% [markdown] id="bug-intro"
# ## 10 · Find the bug
#
# This class runs, and it prints numbers that look like any others. With plain parameters instead of linear layers it
# even prints the right ones. The shape check in it passes.


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


torch.manual_seed(123)
found = SelfAttentionAsFound(d_in=3, d_out=2)
print(found(inputs))

# %% [markdown] id="bug-symptoms"
# The seed and the layers are those of `sa_v2`, so the first row should be (-0.5337, -0.1051). It is not. Three
# experiments tell more. **Predict the last one, then run:**
#
# 1. Six times the token "one": a mixture of six equal values is that value, whatever the weights are.
# 2. A sentence of four tokens.
# 3. The gradient that reaches `W_value`.

# %% id="bug-symptoms-prediction"
predict(
    "value-gradient",
    "The outputs are summed, and backward() is called. Which gradient does W_value get?",
    ("numbers other than 0", "zeros", "none at all"),
)

# %% id="bug-symptoms-shown"
six_ones = inputs[4].expand(6, 3)  # (tokens, d_in), "one" six times
print("1. its value:     ", found.W_value(six_ones)[0].detach())
print("   its context:   ", found(six_ones)[0].detach())
try:
    found(inputs[:4])
except RuntimeError as error:
    print("2. four tokens:   ", error)
found(inputs).sum().backward()
print("3. W_value's grad:", found.W_value.weight.grad)

# %% id="bug-symptoms-revealed"
reveal("value-gradient", 2 if found.W_value.weight.grad is None else int(not found.W_value.weight.grad.any()))

# %% [markdown] id="bug-globals-task"
# ### Task 10 · Find the bug: what the notebook remembers
#
# *10 minutes · change as little as you can · task id* `bug-globals`
#
# The cell below holds the same class under the name `NotebookAttention`. Correct it, so that it does what
# `SelfAttention_v2` does: for any sentence of any length, and for any `d_in` and `d_out`. There is more than one
# fault, and one of them shows only when `d_out` is not 2.


# %% answer="bug-globals"
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

# %% check="bug-globals" points=2
check("bug-globals")

# %% [markdown] id="bug-read"
# <details><summary>Why nobody noticed</summary>
#
# `value` was computed, and its shape was checked, but it was never used. `values`, with an s, is the notebook's
# variable, and so is `d_k`. With plain parameters under seed 123 the class draws the same matrices that `values` was
# made from, so the result is right **by coincidence**. Other start values show the bug. A script would stop with a
# `NameError`; a notebook remembers.
#
# Two habits find such bugs early. Restart the kernel and run only the class and a call. And try every class on a
# second input of another length and with other sizes.
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
# - A **query** is what a token looks for, a **key** what it is found by, a **value** what it passes on.
# - Scores are divided by **√d_k** before the softmax, so that their spread does not grow with the model.
# - Anything that should be trained must be an `nn.Parameter`, or a module containing some, assigned to `self` in
#   `__init__`.
# - `nn.Linear` stores its weights as `(d_out, d_in)`. They start small, on both sides of 0.
# - Two implementations agree when they do so **on the same weights** and on more than one input.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. <code>W_query</code> and <code>W_key</code> are the same matrix. What is special about the scores?</summary>
#
# They are symmetric again, as in lesson 01: the score of $i$ with $j$ is that of $j$ with $i$. With two matrices
# "bank" can give "cash" a large weight, and "cash" give "bank" none.
#
# </details>
#
# <details><summary>2. Must queries, keys and values have the same number of dimensions?</summary>
#
# Queries and keys must, because dot products are taken between them. Values can have any number; it becomes the size
# of the context vectors. In this lesson all three have `d_out`.
#
# </details>
#
# <details><summary>3. You double every number in <code>W_query</code>. What happens to the attention weights?</summary>
#
# All scores double, which is the same as half the temperature: the weights become sharper. So training can undo any
# scale. The $\sqrt{d_k}$ is about where training *starts*.
#
# </details>
#
# <details><summary>4. In the explorer, temperature 1 and no division give entropy 0.10 at d_k = 512. Is attention broken?</summary>
#
# Its weights still add up to 1. But random start values choose the winners, and a row whose largest weight is near 1
# gets hardly any gradient at first.
#
# </details>
#
# <details><summary>5. Can the query of "Your" meet the key of "step", which comes later?</summary>
#
# In this lesson, yes: every query meets every key. Lesson 03 hides it from models that predict the next word.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Build a Large Language Model (From Scratch)**, Raschka, 2024, chapter 3. The sentence, seed 123, the classes
#   `SelfAttention_v1` and `SelfAttention_v2` and the way from one to the other are that chapter's.
# - **Attention Is All You Need**, Vaswani and others, 2017. Section 3.2.1 has queries, keys, values and the division;
#   its footnote gives the reason for $\sqrt{d_k}$ that you measured.
# - **Understanding the difficulty of training deep feedforward neural networks**, Glorot and Bengio, 2010. Why the
#   size of start values depends on the width of a layer.
# - **Delving Deep into Rectifiers**, He and others, 2015. The start values from which PyTorch derives those of
#   `nn.Linear`.
# - **LLaMA: Open and Efficient Foundation Language Models**, Touvron and others, 2023. Section 2.2 lists what such a
#   model changes in the transformer of 2017.
# - **On Layer Normalization in the Transformer Architecture**, Xiong and others, 2020. Measures gradients at the
#   start, as section 7 does, for another part of the model.
# - **Language Models are Unsupervised Multitask Learners**, Radford and others, 2019. GPT-2, whose attention lessons
#   03 to 05 build.

# %% id="progress"
progress("02-trainable")
