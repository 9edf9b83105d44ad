# %% [markdown] id="title"
# # 01 · From a dot product to attention
#
# *She sat by the bank and saw a boat. He walked to the bank for a loan.* You read "bank" twice and saw two
# different things. The words around it told you which. **Attention** is the arithmetic that does this: each word
# takes in something from the words around it. In this lesson you build the simplest kind by hand.
#
# **When you are done you can**
#
# - say what an attention *score*, an attention *weight* and a *context vector* are, and compute each with a loop;
# - explain why softmax, and not a plain division, turns scores into weights, and keep it from overflowing;
# - write self-attention for a whole sentence in three lines, and say what every axis of every tensor counts.
#
# **Time:** about 85 minutes. **Before you start:** Python functions and loops, and what a tensor's shape is.
#
# **How it works.** Each task has a cell, where `...` waits for your code, and a check below it. Run both, as often
# as you like, with <kbd>Shift</kbd>+<kbd>Enter</kbd>. The check names the mistake if there is one, and a button
# below it gives hints. `progress()` shows how far you are. The times that the lessons state are estimates, all made in
# the same way: the minutes of each task, and one for every 150 words, 20 lines of given code, two figures or one
# prediction. Parts called *optional* are not counted, and earn no points.
#
# In Colab's version of these notebooks, Colab's code assistant is off: you only learn from code that you write yourself.

# %% id="setup"
from autograder import check, hint, predict, progress, quiz, reveal
from visuals import (
    attention_map,
    explore_journey,
    explore_meaning,
    explore_query,
    overflow,
    query_scores,
    sum_versus_softmax,
    token_vectors,
    trained_words,
    weights_and_context,
    word_arrows,
)

import torch

# %% [markdown] id="meaning"
# ## One word, two meanings
#
# A model does not read words. It reads vectors. Here each word is a vector with two numbers, made by hand: how much
# it has to do with water, and how much with money. "Bank" has as much of one as of the other, so its arrow (orange)
# points between both axes.

# %% id="meaning-figure" tags=["figure"]
word_arrows(["the girl sat by the bank because she saw a boat", "the king walked to the bank for a loan"])

# %% [markdown] id="meaning-read"
# The green arrow is what attention makes of "bank": its **context vector**. Beside a boat it turns towards water,
# beside a loan towards money.
#
# With a fish beside the boat, as below, "bank" turns further. Type a sentence of your own, and choose a word.
# **Sharpness** says how strongly the word prefers the vectors that are most like it.

# %% id="meaning-explorer" tags=["figure"]
explore_meaning()

# %% [markdown] id="placement-intro"
# **Do you know some of this already?** Run the next cell. It asks 25 questions and says with which lesson to begin. Or
# skip it.

# %% id="placement"
quiz("start")

# %% [markdown] id="sentence"
# ## The sentence
#
# A text is cut into **tokens** (here, whole words), and each token is a vector, its *embedding*. Ours have three
# numbers, and they are given. The smallest GPT-2 has 768 for each token.

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

# %% id="example-data-shape"
inputs.shape  # (tokens, d_in)

# %% id="example-data-figure" tags=["figure"]
token_vectors(inputs, tokens)

# %% [markdown] id="sentence-read"
# Two rows are nearly alike: "journey" and "starts".
#
# Axis 0 counts **tokens** (6). Axis 1 counts the **dimensions** of a token's vector. The course calls that size
# `d_in` (3). Python counts from 0, so the second token, "journey", is `inputs[1]`.

# %% [markdown] id="dot-product-intro"
# ## 1 · How alike are two vectors?
#
# Multiply the numbers in the same place, and add up the products:
#
# | | dimension 0 | dimension 1 | dimension 2 | |
# | --- | --- | --- | --- | --- |
# | "journey" | 0.55 | 0.87 | 0.66 | |
# | "Your" | 0.43 | 0.15 | 0.89 | |
# | product | 0.2365 | 0.1305 | 0.5874 | **sum 0.9544** |
#
# This is the **dot product**, $a \cdot b = \sum_i a_i b_i$. As arrows: it is the length of one vector, times the
# length of the other, times the cosine of the angle between them. It is large when long arrows point the same way,
# 0 when they are at a right angle, and negative when they point apart. Vectors at a right angle can still have
# something in common: $[1, 1] \cdot [1, -1]$ is 0, because the second dimension cancels the first.

# %% id="dot-product-numbers"
0.5500 * 0.4300 + 0.8700 * 0.1500 + 0.6600 * 0.8900

# %% [markdown] id="dot-product-predict"
# **Predict, then run.** Run the next cell and choose an answer, which is never graded. Then run the two cells after
# it.

# %% id="dot-product-prediction"
predict(
    "dot-product-swapped",
    "torch.dot gets “journey” and “Your”, then the same two in the other order. What does it give?",
    ("the same number twice", "two different numbers"),
)

# %% id="dot-product-library"
input_query = inputs[1]  # "journey"
input_1 = inputs[0]  # "Your"
print(input_query)
print(input_1)
torch.dot(input_query, input_1), torch.dot(input_1, input_query)

# %% id="dot-product-revealed"
reveal("dot-product-swapped", int(torch.dot(input_query, input_1) != torch.dot(input_1, input_query)))

# %% [markdown] id="dot-product-task"
# ### Task 1 · A dot product by hand
#
# *5 minutes · one loop · task id* `dot-product`
#
# Write `dot(a, b)` with a loop over the positions, for two vectors of the same length, **of any length**.


# %% answer="dot-product"
def dot(a, b):
    """The dot product of two vectors.

    Shapes:
        a: (d_in,)
        b: (d_in,)
        returns: one number, without axes
    """
    ### BEGIN SOLUTION
    total = 0.0
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total
    ### END SOLUTION


# %% check="dot-product" points=2
check("dot-product")

# %% [markdown] id="query-scores-intro"
# ## 2 · Scores: one query meets every token
#
# Now "journey" is compared with its whole sentence. The token that is compared is the **query**. Its dot product
# with a token is that token's **attention score**. The query meets itself too.

# %% id="query-scores-figure" tags=["figure"]
query_scores(inputs, tokens, query=1)

# %% [markdown] id="query-scores-predict"
# The largest score is not always the query's own, because a longer vector can beat it.
#
# ### Task 2 · The scores of one query
#
# *5 minutes · one loop · task id* `query-scores`
#
# Make `attn_scores_2`, the scores of "journey" with all six tokens, in the order of the sentence. (The `_2` stands
# for the second token.)

# %% answer="query-scores"
query = inputs[1]  # (d_in,)
### BEGIN SOLUTION
attn_scores_2 = torch.zeros(inputs.shape[0])  # (tokens,)
for i, x_i in enumerate(inputs):
    attn_scores_2[i] = dot(query, x_i)
### END SOLUTION

# %% check="query-scores" points=1
check("query-scores")

# %% id="query-scores-shown"
print(query.shape)
attn_scores_2

# %% [markdown] id="sum-weights-intro"
# ## 3 · From scores to weights: the tempting way
#
# To mix tokens we need numbers that add up to 1. They are called **attention weights**.
#
# The first idea is to divide every score by the sum of the scores:

# %% id="sum-weights-worked"
# needs attn_scores_2
attn_weights_2_tmp = attn_scores_2 / attn_scores_2.sum()
print(attn_weights_2_tmp)
print("sum:", attn_weights_2_tmp.sum())

# %% [markdown] id="sum-weights-refuted"
# Nothing is wrong **for these scores**: they are all positive. A dot product can be negative:

# %% id="sum-weights-negative"
some_scores = torch.tensor([2.0, 1.0, -2.5])
some_scores / some_scores.sum()

# %% [markdown] id="sum-weights-negative-read"
# These add up to 1, and they make no sense as weights. Now change the last score to −3.0. The sum is 0, and nothing
# can be divided by it:

# %% id="sum-weights-zero"
zero_sum_scores = torch.tensor([2.0, 1.0, -3.0])
zero_sum_scores / zero_sum_scores.sum()

# %% [markdown] id="softmax-intro"
# ## 4 · Softmax
#
# Weights must never be negative, must add up to 1, and a larger score must get a larger weight, for **any** scores.
# Here are the same three scores, turned into weights in both ways:

# %% id="softmax-figure" tags=["figure"]
sum_versus_softmax(some_scores)

# %% [markdown] id="softmax-formula"
# On the right is **softmax**. The exponential function makes every score positive and keeps their order. Dividing
# by the sum makes them add up to 1:
#
# $$\text{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$

# %% [markdown] id="softmax-naive-task"
# ### Task 3 · Softmax from its formula
#
# *5 minutes · one line · task id* `softmax-naive`
#
# Write `softmax_naive(x)` for a vector of scores. `torch.exp` takes the exponential of every entry. Do not change
# the caller's `x`. Do not use `torch.softmax` or anything like it, here and in the next task.


# %% answer="softmax-naive"
def softmax_naive(x):
    """Softmax over a vector of scores, straight from the formula.

    Shapes:
        x: (tokens,)
        returns: (tokens,), adding up to 1
    """
    ### BEGIN SOLUTION
    exponentials = torch.exp(x)  # (tokens,)
    return exponentials / exponentials.sum()
    ### END SOLUTION


# %% check="softmax-naive" points=2
check("softmax-naive")

# %% id="softmax-naive-shown"
# needs attn_scores_2, softmax_naive
print(softmax_naive(attn_scores_2))
print(torch.softmax(attn_scores_2, dim=0), torch.softmax(attn_scores_2, dim=0).sum())

# %% [markdown] id="overflow-intro"
# ### Break it
#
# **Predict, then run.** Softmax depends only on the differences between scores. The next scores lie near 1000.

# %% id="overflow-prediction"
predict(
    "softmax-near-1000",
    "What does the formula give for the scores 1000, 1001 and 1001.5?",
    ("the same weights as for 0, 1 and 1.5", "weights that are all 1/3", "no numbers at all"),
)

# %% id="overflow-shown"
large_scores = torch.tensor([1000.0, 1001.0, 1001.5])
torch.exp(large_scores), torch.exp(large_scores) / torch.exp(large_scores).sum()

# %% id="overflow-figure" tags=["figure"]
overflow(large_scores)

# %% id="overflow-revealed"
reveal("softmax-near-1000", 2 * int((torch.exp(large_scores) / torch.exp(large_scores).sum()).isnan().all()))

# %% [markdown] id="overflow-read"
# The largest float32 is near $3.4 \cdot 10^{38}$. $e^{88.7}$ still fits, and $e^{89}$ does not. It becomes `inf`, and
# `inf / inf` is `nan`: not a number. One `nan` spreads: a sum or a product with a `nan` in it is `nan`, too.
#
# Softmax does not change when the same number $c$ is subtracted from every score:
#
# $$\frac{e^{x_i - c}}{\sum_j e^{x_j - c}} = \frac{e^{-c}\, e^{x_i}}{e^{-c} \sum_j e^{x_j}} = \text{softmax}(x)_i$$
#
# So choose $c$ so that nothing overflows, and so that the denominator can never be 0.

# %% [markdown] id="softmax-stable-task"
# ### Task 4 · A softmax for scores of any size
#
# *10 minutes · two lines · task id* `softmax-stable`
#
# Write `softmax_stable(x)`. It agrees with `softmax_naive` on ordinary scores, and gives correct weights for scores
# near 1000 **and** near −1000. Each of the three earns a point, without `torch.softmax` and anything like it.


# %% answer="softmax-stable"
def softmax_stable(x):
    """Softmax over a vector of scores of any size.

    Shapes:
        x: (tokens,)
        returns: (tokens,), adding up to 1
    """
    ### BEGIN SOLUTION
    shifted = x - x.max()  # the largest is now 0, so no exponential is above 1 and one of them is 1
    exponentials = torch.exp(shifted)  # (tokens,)
    return exponentials / exponentials.sum()
    ### END SOLUTION


# %% check="softmax-stable" points=3
check("softmax-stable")

# %% id="softmax-stable-shown"
softmax_stable(large_scores)

# %% [markdown] id="query-weights-worked-intro"
# `torch.softmax` does the same, so from here on you may use it. It needs `dim`, the axis along which the weights
# add up to 1. A vector has only one: `dim=0`. These are the attention weights of "journey":

# %% id="query-weights-worked"
# needs attn_scores_2
attn_weights_2 = torch.softmax(attn_scores_2, dim=0)
print((attn_weights_2.sum(), attn_weights_2))

# %% [markdown] id="context-intro"
# ## 5 · The context vector: a weighted sum
#
# The weights say how much "journey" takes from each token. Multiply every token's vector by its weight, and add the
# six up. The result is the **context vector** of "journey": the token as its sentence changes it.

# %% id="context-figure" tags=["figure"]
# needs attn_weights_2
weights_and_context(attn_weights_2, inputs, tokens, query=1)

# %% [markdown] id="context-task"
# ### Task 5 · One context vector
#
# *5 minutes · a loop or one line · task id* `context-vector`
#
# Make `context_vec_2`, the sum of all token vectors, each multiplied by its weight from `attn_weights_2`.

# %% answer="context-vector"
### BEGIN SOLUTION
context_vec_2 = torch.zeros(inputs.shape[1])  # (d_in,)
for i, x_i in enumerate(inputs):
    context_vec_2 += attn_weights_2[i] * x_i
### END SOLUTION

# %% check="context-vector" points=2
check("context-vector")

# %% id="context-shown"
# needs attn_weights_2, context_vec_2
for weight, vector, token in zip(attn_weights_2, inputs, tokens):
    print(f"{weight:.4f} × {vector}  {token}")
print("Context vector of the second token:", context_vec_2)

# %% [markdown] id="explorer-intro"
# ### Try it
#
# Choose another query and see scores, weights and context change. Sharpness multiplies every score before the
# softmax. First predict what it does:

# %% id="explorer-prediction"
predict(
    "sharpness-zero",
    "Sharpness 0 multiplies every score by 0. Draw the six weights.",
    bars=("Your", "journey", "starts", "with", "one", "step"),
)

# %% id="explorer" tags=["figure"]
explore_query(inputs, tokens)

# %% id="explorer-revealed"
reveal("sharpness-zero", dict(zip(tokens, torch.softmax(0 * (inputs @ inputs[1]), dim=0))), within=0.2)

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# At sharpness 0 all scores are 0 and all weights are 1/6, so the context vector is the plain mean. The larger the
# sharpness, the more weight goes to the largest scores. At 20, "journey" keeps 0.60 and "starts" gets 0.40,
# because their scores are nearly equal. Lesson 02 divides the scores by
# $\sqrt{d}$, which changes the sharpness.
#
# </details>

# %% [markdown] id="journey-intro"
# ### One number's journey
#
# Here is the whole way once more, from the row of "step" to its context vector. Press <kbd>Space</kbd> on the picture for the next stop, or use the arrow keys.

# %% id="journey" tags=["figure"]
explore_journey(inputs, inputs, inputs, tokens, query=5, scale=False, called=["inputs"] * 3)

# %% [markdown] id="all-scores-intro"
# ## 6 · Every token is a query
#
# Now all six tokens are queries. The token that a query is compared with is called the **key**. In this lesson
# queries and keys are the same vectors; in lesson 02 they are not.
#
# **Row $i$ belongs to query $i$, column $j$ to key $j$.**
#
# ### Task 6 · All scores, with two loops
#
# *8 minutes · two loops · task id* `scores-loops`
#
# Write `scores_with_loops(x)` for any number of tokens: entry $(i, j)$ is the dot product of token $i$ with
# token $j$. Use the argument `x`, not the variable `inputs`.


# %% answer="scores-loops"
def scores_with_loops(x):
    """The dot product of every token with every token.

    Shapes:
        x: (tokens, d_in)
        returns: (tokens, tokens); row i holds the scores of query i
    """
    ### BEGIN SOLUTION
    num_tokens = x.shape[0]
    scores = torch.zeros(num_tokens, num_tokens)  # (tokens, tokens)
    for i in range(num_tokens):
        for j in range(num_tokens):
            scores[i, j] = dot(x[i], x[j])
    return scores
    ### END SOLUTION


# %% check="scores-loops" points=2
check("scores-loops")

# %% id="scores-loops-shown"
scores_with_loops(inputs)

# %% [markdown] id="all-scores-matmul"
# ### The same without a loop
#
# A matrix product takes the dot product of every **row** on the left with every **column** on the right. We want
# every token with every token. In `inputs` the tokens are rows; in its transpose they are columns:

# %% id="inputs-transposed"
inputs.T

# %% [markdown] id="all-scores-task"
# Write the shapes down before you multiply. The inner sizes must be equal, and are gone afterwards: `(2, 5) @ (5, 4)`
# gives `(2, 4)`. What shape do you need here?
#
# ### Task 7 · All scores, as one matrix product
#
# *3 minutes · one line · task id* `all-scores`
#
# Make `attn_scores` from `inputs`.

# %% answer="all-scores"
### BEGIN SOLUTION
attn_scores = inputs @ inputs.T  # (tokens, tokens)
### END SOLUTION

# %% check="all-scores" points=1
check("all-scores")

# %% id="all-scores-shown"
attn_scores

# %% [markdown] id="all-weights-intro"
# ## 7 · Along which axis does softmax run?
#
# `dim=0` runs softmax down each column. `dim=1` (or `dim=-1`, the last axis) runs it along each row. Both give
# a picture that looks right. Ask what must add up to 1: **each query divides its attention among the keys**.
#
# ### Task 8 · All attention weights
#
# *5 minutes · one line · task id* `all-weights`
#
# Make `attn_weights` from `attn_scores`.

# %% answer="all-weights"
### BEGIN SOLUTION
attn_weights = torch.softmax(attn_scores, dim=-1)  # (tokens, tokens), each row adds up to 1
### END SOLUTION

# %% check="all-weights" points=2
check("all-weights")

# %% id="all-weights-shown"
attn_weights

# %% id="all-weights-figure" tags=["figure"]
attention_map(attn_weights, tokens)

# %% [markdown] id="all-weights-read"
# "Journey" gives its largest weights to itself and to "starts", whose vector is nearly its own. All weights lie
# between 0.09 and 0.24, because these scores differ little.

# %% [markdown] id="all-contexts-task"
# ## 8 · All context vectors
#
# One context vector was a row of weights times the tokens. Now take all rows.
#
# ### Task 9 · All context vectors
#
# *5 minutes · one line · task id* `all-contexts`
#
# Make `all_context_vecs`: one row for each token, from `attn_weights` and `inputs`. Write the shapes down first.

# %% answer="all-contexts"
### BEGIN SOLUTION
all_context_vecs = attn_weights @ inputs  # (tokens, tokens) @ (tokens, d_in) -> (tokens, d_in)
### END SOLUTION

# %% check="all-contexts" points=2
check("all-contexts")

# %% id="all-contexts-shown"
all_context_vecs

# %% [markdown] id="all-contexts-read"
# Row 1 is the context vector that you made in task 5.

# %% [markdown] id="simple-attention-intro"
# ## 9 · Put it together
#
# Scores, weights, contexts: for every token at once, this is **self-attention**. Queries and keys come from the same
# sentence.
#
# ### Task 10 · Self-attention without trained weights
#
# *5 minutes · three lines · task id* `simple-attention`
#
# Write `simple_attention(x)`, from tokens to context vectors, for any number of tokens and dimensions, and for
# large scores.


# %% answer="simple-attention"
def simple_attention(x):
    """Self-attention with nothing to train: every token becomes a weighted sum of all tokens.

    Shapes:
        x: (tokens, d_in)
        returns: (tokens, d_in)
    """
    ### BEGIN SOLUTION
    scores = x @ x.T  # (tokens, tokens)
    weights = torch.softmax(scores, dim=-1)  # (tokens, tokens)
    return weights @ x  # (tokens, d_in)
    ### END SOLUTION


# %% check="simple-attention" points=3
check("simple-attention")

# %% id="simple-attention-shown"
simple_attention(inputs)

# %% [markdown] id="circle-intro"
# ### Back to "bank"
#
# Your three lines are all that the first figure needs. `plane` gives the words of a sentence as the vectors of that
# figure, with a number for water and one for money. An arrow at 0° is all water, one at 90° is all money, and "bank"
# alone is at 45°. Where is its context vector?

# %% id="circle"
# needs simple_attention
small = trained_words()
for sentence in (
    "the girl sat by the bank because she saw a boat",
    "the king walked to the bank for a loan",
):
    points = small.plane(sentence)  # (tokens, 2)
    contexts = simple_attention(points)  # (tokens, 2)
    water, money = contexts[small.tokens(sentence).index("bank")]
    print(f"{sentence}: “bank” at {torch.atan2(money, water).rad2deg():.0f}°")

# %% [markdown] id="circle-read"
# These are the two green arrows. Both sentences went through the same three lines. Only the other words differ, and
# they turned "bank" to one side or the other. But a person chose these vectors so that it works. In lesson 02 a model
# learns them.

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape here | axes |
# | --- | --- | --- | --- |
# | tokens | `inputs` | (6, 3) | tokens, d_in |
# | scores | `inputs @ inputs.T` | (6, 6) | query, key |
# | weights | `torch.softmax(scores, dim=-1)` | (6, 6) | query, key; each row adds up to 1 |
# | context | `weights @ inputs` | (6, 3) | tokens, d_in |
#
# - A **score** measures how well a query and a key agree.
# - **Weights** are scores after softmax: never negative, and each query's weights add up to 1.
# - A **context vector** is the sum of all tokens, each multiplied by its weight.
# - Softmax is safe when the largest score is subtracted first, as `torch.softmax` does.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. All six tokens have the same vector. What are the weights, and what are the context vectors?</summary>
#
# All scores are equal, so every weight is 1/6, and each context vector is that same vector again.
#
# </details>
#
# <details><summary>2. <code>inputs @ inputs.T</code> is symmetric. Is <code>attn_weights</code>?</summary>
#
# No. Softmax divides each row by its own sum: 0.2006 in row 0, column 1, but 0.1385 in row 1, column 0.
#
# </details>
#
# <details><summary>3. You shuffle the words of the sentence. What happens to the context vector of "journey"?</summary>
#
# Nothing: it is the same sum in another order. Lesson 07 gives attention the order of the words.
#
# </details>
#
# <details><summary>4. Which numbers in this lesson could be learned from data?</summary>
#
# Only the embeddings. Lesson 02 puts three matrices that can be trained between them and the scores.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Build a Large Language Model (From Scratch)**, Raschka, 2024, chapter 3. The sentence of six tokens, its vectors
#   and the names `attn_scores_2`, `softmax_naive` and `context_vec_2` are that chapter's, and so is the order of the
#   steps.
# - **Neural Machine Translation by Jointly Learning to Align and Translate**, Bahdanau, Cho and Bengio, 2014. The
#   first attention of this kind. Section 3.1 has weights from a softmax and a context vector.
# - **Effective Approaches to Attention-based Neural Machine Translation**, Luong, Pham and Manning, 2015. Section 3.1
#   compares three scores; the dot product is the simplest.
# - **Attention Is All You Need**, Vaswani and others, 2017. Section 3.2.1 is this lesson in one formula. Lesson 02
#   adds what is missing.
# - **Efficient Estimation of Word Representations in Vector Space**, Mikolov and others, 2013. How vectors for words
#   are learned, with one vector for each word.
# - **Deep Contextualized Word Representations**, Peters and others, 2018. Section 5.3 shows vectors that tell two
#   meanings of one word apart.
# - **Language Models are Unsupervised Multitask Learners**, Radford and others, 2019. GPT-2; table 2 has the sizes,
#   from 768 to 1600 numbers for each token.
# - **Deep Learning**, Goodfellow, Bengio and Courville, 2016. Section 4.1 is about overflow and the stable softmax.

# %% id="progress"
progress("01-dot-product")
