# %% [markdown] id="title"
# # 07 · Where is each token? Positions
#
# "The dog bites the man" is no news. "The man bites the dog" is. Both sentences hold the same words. The attention of
# lessons 01 to 06 without a mask cannot tell them apart: it does not know where a token is. In this lesson you
# prove that, find out what the causal mask gives away, and build four methods that have told models the order: three
# that led to today's, and RoPE, which nearly all models of today use.
#
# **When you are done you can**
#
# - prove with one experiment whether a model knows the order of its tokens;
# - add positions to tokens in two ways, learned and sinusoidal, and say where each of them fails;
# - build rotary positions (RoPE) in both forms that are in use, and show that scores depend on the distance only;
# - build ALiBi, and give a new token the right position while a model writes.
#
# **Time:** about 120 minutes. There is a good place for a break after section 4. **Before you start:** the causal
# mask from lesson 03. A little of sine and cosine helps; all that you need is in this notebook.

# %% id="setup"
from autograder import check, hint, predict, progress, reveal, review
from visuals import (
    attention_map,
    clock_hands,
    explore_positions,
    rope_pairs,
    training_curves,
    turned_pair,
    two_orders,
)

import torch
from torch import nn

# %% id="review"
review("07-positions")

# %% [markdown] id="sentence"
# ## 1 · Does attention know the order?
#
# Five tokens, and a vector of 8 numbers for each *word*. "the" is in the sentence twice, so two rows are equal.

# %% id="example-data" tags=["given"]
torch.manual_seed(123)
vocabulary = torch.randn(4, 8)  # one vector for each of: the, dog, bites, man

# %% id="tokens"
tokens = ["the", "dog", "bites", "the", "man"]
inputs = vocabulary[[0, 1, 2, 0, 3]]  # (tokens, d_model)
order = torch.tensor([0, 4, 2, 3, 1])  # the man bites the dog
print(" ".join(tokens[position] for position in order))


# %% id="self-attention"
class SelfAttention(nn.Module):
    """Self-attention as in lesson 02, and with `causal=True` as in lesson 03.

    Shapes:
        x: (tokens, d_model)
        returns: (tokens, d_model)
    """

    def __init__(self, d_model, causal=False):
        super().__init__()
        self.W_query = nn.Linear(d_model, d_model, bias=False)
        self.W_key = nn.Linear(d_model, d_model, bias=False)
        self.W_value = nn.Linear(d_model, d_model, bias=False)
        self.causal = causal
        for layer in (self.W_query, self.W_key, self.W_value):
            nn.init.normal_(layer.weight, std=d_model**-0.5)  # outputs about as large as inputs

    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).T / x.shape[-1] ** 0.5  # (tokens, tokens)
        if self.causal:
            hidden = torch.ones_like(scores).triu(diagonal=1).bool()  # True is hidden
            scores = scores.masked_fill(hidden, -torch.inf)
        return torch.softmax(scores, dim=-1) @ self.W_value(x)  # (tokens, d_model)


torch.manual_seed(123)
attention = SelfAttention(8).requires_grad_(False)  # nothing is trained in this lesson

# %% [markdown] id="order-predict"
# **Predict, then run.** "bites" looks at all five tokens and mixes their values. In the other sentence the dog and
# the man have changed places.

# %% id="order-prediction"
predict("bites-reordered", "How far does the output of “bites” move?", ("not at all", "a little", "a lot"))

# %% id="order-shown"
print("the dog bites the man:", attention(inputs)[2])
print("the man bites the dog:", attention(inputs[order])[2])

# %% id="order-revealed"
reveal("bites-reordered", 2 * int((attention(inputs)[2] - attention(inputs[order])[2]).abs().max() > 1e-5))

# %% [markdown] id="order-read"
# The weighted sum has the same terms, and a sum does not care in which order they come. Look at
# all five tokens: each line joins a token in one sentence with the same token in the other.

# %% id="orders-figure" tags=["figure"]
two_orders(attention(inputs), attention(inputs[order]), order, tokens)

# %% [markdown] id="order-proof"
# **The tempting objection:** "The output for the dog is in row 1 and then in row 4. So the order is there." Look
# at the two rows of "the". One comes before the dog, one before the man, and both are equal in every number. Row
# numbers are only where *we* keep the results. No output holds a trace of them.
#
# The proof fits in three lines. Reordering the rows of $X$ is a product $PX$ with a matrix of zeros and ones. Then
#
# 1. the scores become $(PX W_q)(PX W_k)^\top = P\,S\,P^\top$: rows and columns in the new order, no other numbers;
# 2. softmax works on each row alone, so the weights become $P A P^\top$;
# 3. the output becomes $P A P^\top P V = P\,(AV)$, because $P^\top P$ is the identity. It is the old output,
#    reordered.
#
# ### Task 1 · The experiment
#
# *6 minutes · two or three lines · task id* `order-gap`
#
# Write `order_gap(attention, x, order)`. Compute the outputs of the sentence, then those of the reordered sentence
# `x[order]`. Compare the two **token by token**: the token at position `i` of the new sentence was at position
# `order[i]` before. Return the largest absolute difference of each token, in the new order.


# %% answer="order-gap"
def order_gap(attention, x, order):
    """How far each token's output moves when the tokens come in another order.

    Shapes:
        x: (tokens, d_in)
        order: (tokens,), whole numbers
        attention(x): (tokens, d_out)
        returns: (tokens,); entry i is about the token that is now at position i
    """
    ### BEGIN SOLUTION
    before = attention(x)[order]  # (tokens, d_out), row i is now about token order[i]
    after = attention(x[order])  # (tokens, d_out)
    return (after - before).abs().amax(dim=-1)  # (tokens,)
    ### END SOLUTION


# %% check="order-gap" points=2
check("order-gap")

# %% id="order-gap-shown"
# needs order_gap
gap = order_gap(attention, inputs, order)
print("without a mask, every output moves by less than 0.00001:", bool(gap.max() < 1e-5))

# %% [markdown] id="causal-intro"
# ## 2 · What the causal mask gives away
#
# Rounding, and nothing more. Now the same experiment with a causal mask. The mask is made of positions: row 0 sees
# one token, row 4 sees five. **Predict, then run:**

# %% id="causal-prediction"
predict("causal-reordered", "How many of the five outputs move?")

# %% id="causal-shown"
# needs order_gap
torch.manual_seed(123)
layers = nn.Sequential(SelfAttention(8, causal=True), SelfAttention(8, causal=True)).requires_grad_(False)
gap = order_gap(layers[0], inputs, order)
for position, move in zip(order, gap):
    print(f"{move:.4f}  {tokens[position]}")

# %% id="causal-revealed"
# needs gap
reveal("causal-reordered", int((gap > 1e-5).sum()))

# %% [markdown] id="causal-read"
# Every token that sees another past has another output. A causal model can even count. Let a first token have the
# value 1 and all others the value 0, and let every token look at its whole past evenly:

# %% id="counting-shown"
hidden = torch.ones(6, 6).triu(diagonal=1).bool()  # True is hidden
even_weights = torch.softmax(torch.zeros(6, 6).masked_fill(hidden, -torch.inf), dim=-1)  # (query, key)
first_only = torch.tensor([1.0, 0, 0, 0, 0, 0])  # (tokens,), the values
seen = even_weights @ first_only  # (tokens,)
print("what each token gets:", seen)
print("1 divided by that:   ", 1 / seen)

# %% [markdown] id="past-predict"
# One divided by the output is the position, counted from 1. So a causal model can find out *how many* tokens came
# before. Does it also know their order? Next, the last token stays where it is, and its past is shuffled.
#
# **Predict, then run.** Does the output of "man" move after one causal layer? And after two?

# %% id="past-prediction"
predict("past-shuffled", "The output of “man” moves …", ("in neither", "with two layers only", "in both"))

# %% id="past-shown"
# needs order_gap
past_shuffled = torch.tensor([2, 0, 1, 3, 4])  # bites the dog the man: "man" stays last
gaps = [order_gap(model, inputs, past_shuffled) for model in (layers[0], layers)]
print(f"one layer:  the output of 'man' moves by {gaps[0][-1]:.2f}")
print(f"two layers: the output of 'man' moves by {gaps[1][-1]:.2f}")

# %% id="past-revealed"
# needs gaps
reveal("past-shuffled", 2 if gaps[0][-1] > 1e-5 else int(gaps[1][-1] > 1e-5))

# %% id="one-layer-figure" tags=["figure"]
# needs gaps
two_orders(layers[0](inputs), layers[0](inputs[past_shuffled]), past_shuffled, tokens, "One causal layer")

# %% id="two-layers-figure" tags=["figure"]
# needs gaps
two_orders(layers(inputs), layers(inputs[past_shuffled]), past_shuffled, tokens, "Two causal layers")

# %% [markdown] id="past-read"
# One layer: nothing. "man" sees all tokens, and a sum over all of them has no order. (The second "the" stays too:
# the same three tokens come before it.) Two layers: a clear change. The first layer gave "dog" an output that
# depends on what came before "dog". After the shuffle that is another past, so the second layer gets other keys and
# values *for the same set of tokens*. **One causal layer sees a set. Two causal layers see an order.**
#
# That is how a deep causal model can learn something about order without any positions. An encoder has no causal mask
# and gets nothing at all. Most models are *told* the positions. You will build four methods. (There are others, as
# T5's.)
#
# | method | what it changes | models | from |
# | --- | --- | --- | --- |
# | sinusoidal | adds a computed vector to each token | the first transformer | 2017 |
# | learned | adds a trained vector to each token | BERT, GPT-2 | 2018 |
# | RoPE | rotates queries and keys | Llama, Mistral, Qwen, DeepSeek, Gemma | 2021 |
# | ALiBi | subtracts a distance from the scores | BLOOM, MPT | 2021 |
#
# Of the four, new models use RoPE. The other three are history, but you meet them in older models, and each shows what
# RoPE has to do better. Two things have changed since Llama: some models rotate only a part of each head's numbers (a
# quarter in Qwen3-Next, half in GLM-4), and some have layers without any positions between those with RoPE (every
# fourth layer in SmolLM3 and Llama 4).

# %% [markdown] id="learned-intro"
# ## 3 · Learned positions
#
# **The tempting way:** add the number of its position to each token, 0 to the first, 1 to the second, and so on. The
# next cell does that for two different words, and measures how alike they are afterwards (the cosine: 1 is the same
# direction).

# %% id="number-added"
for position in (0, 10, 1000):
    dog, man = vocabulary[1] + position, vocabulary[3] + position
    print(f"position {position:4d}: cosine of 'dog' and 'man' {torch.cosine_similarity(dog, man, dim=0):.3f}")

# %% [markdown] id="learned-read"
# At position 1000 the number has drowned the word. To divide by the length of the text does not help: then the
# same position has another number in each text, and two neighbours are closer together in a long one.
#
# What works is a **vector** for each position, about as large as the tokens, trained like every other weight. It is
# a table with one row for each position: `nn.Embedding(context_length, d_model)`. Called with whole numbers, it
# returns those rows.
#
# ### Task 2 · Learned positions
#
# *10 minutes · a class · task id* `learned-positions`
#
# Write `LearnedPositions(context_length, d_model)` with a table `pos_emb`. `forward(x, start=0)` adds to each token
# the row of its position. The first token of `x` is at position `start`: in section 7 a model writes one token
# at a time, and the new token is not at position 0. After `.double()` the result is float64; make the positions on the
# device of `x`, with `device=x.device`.


# %% answer="learned-positions"
class LearnedPositions(nn.Module):
    """Adds a trained vector to each token, one for each position."""

    def __init__(self, context_length, d_model):
        super().__init__()
        ### BEGIN SOLUTION
        self.pos_emb = nn.Embedding(context_length, d_model)
        ### END SOLUTION

    def forward(self, x, start=0):
        """Add the vectors of positions start, start + 1, … to the tokens.

        Shapes:
            x: (b, tokens, d_model)
            returns: (b, tokens, d_model)
        """
        ### BEGIN SOLUTION
        positions = torch.arange(start, start + x.shape[-2], device=x.device)  # (tokens,)
        return x + self.pos_emb(positions)  # (b, tokens, d_model) + (tokens, d_model)
        ### END SOLUTION


# %% check="learned-positions" points=3
check("learned-positions")

# %% id="learned-shown"
# needs order_gap, LearnedPositions
torch.manual_seed(123)
learned = LearnedPositions(5, 8).requires_grad_(False)
gap = order_gap(lambda x: attention(learned(x[None])[0]), inputs, order)
print("no mask, learned positions, the outputs move by", gap)
try:
    learned(torch.zeros(1, 6, 8))
except IndexError as problem:
    print(f"a sixth token: IndexError: {problem}")

# %% [markdown] id="learned-limit"
# There is no mask, and all outputs move now, even those of tokens that kept their position. The price: the table ends.
# There is no row for a sixth token. And a row that training never used stays random.

# %% [markdown] id="sinusoidal-intro"
# ## 4 · Sinusoidal positions: a clock with many hands
#
# A clock tells the time with hands that turn at different speeds. The fast hand tells moments apart, the slow hand
# tells hours apart. Do the same with positions. Here are four hands at some positions. From one position to the next,
# hand 0 turns by 1 radian (57°), and each further hand by a tenth of the one above it. The shading shows how far a
# hand has turned; once it has gone all the way round, its whole clock is shaded.

# %% id="clock-figure" tags=["figure"]
some_positions = [0, 1, 2, 10, 20, 100, 200, 1000, 2000]
clock_hands([[position * 10.0**-hand for hand in range(4)] for position in some_positions], some_positions)

# %% [markdown] id="angles-task"
# With $d$ numbers there is room for $d/2$ hands, because a hand needs two: how far it points to the right and how
# far up. Hand $i$ turns by the angle $\theta_i$ at each step,
#
# $$\theta_i = \text{base}^{-2i/d}, \qquad i = 0, 1, \ldots, d/2 - 1$$
#
# The base is 10000, so the figure shows $d = 8$. At position $m$ hand $i$ is at the angle $m\,\theta_i$. You will need
# these angles in most of the tasks that follow.
#
# ### Task 3 · The angles
#
# *6 minutes · two lines · task id* `position-angles`
#
# Write `position_angles(positions, dim, base=10000.0)`: one row for each position, one column for each hand.


# %% answer="position-angles"
def position_angles(positions, dim, base=10000.0):
    """The angle of every hand at every position.

    Shapes:
        positions: (tokens,), whole numbers from 0 on
        dim: how many numbers there are, two for each hand
        returns: (tokens, dim / 2), in radians
    """
    ### BEGIN SOLUTION
    theta = base ** (-torch.arange(0, dim, 2) / dim)  # (dim / 2,)
    return positions[:, None] * theta  # (tokens, 1) * (dim / 2,) -> (tokens, dim / 2)
    ### END SOLUTION


# %% check="position-angles" points=2
check("position-angles")

# %% id="angles-shown"
position_angles(torch.arange(4), 8)

# %% [markdown] id="sinusoidal-task"
# **Sinusoidal positions** write each hand as its sine and its cosine, side by side: sine of hand 0, cosine of hand
# 0, sine of hand 1, cosine of hand 1, and so on. (The paper "Attention is all you need" has them in this order.)
#
# ### Task 4 · Sinusoidal positions
#
# *6 minutes · two lines · task id* `sinusoidal-positions`
#
# Write `sinusoidal(positions, d_model, base=10000.0)` with your `position_angles`. `torch.stack(…, dim=-1)` puts two
# tensors side by side in a new last axis, and `.flatten(-2)` joins the last two axes.


# %% answer="sinusoidal-positions"
def sinusoidal(positions, d_model, base=10000.0):
    """Positions as sines and cosines of hands that turn at different speeds.

    Shapes:
        positions: (tokens,), whole numbers from 0 on
        returns: (tokens, d_model): sin, cos, sin, cos, …
    """
    ### BEGIN SOLUTION
    angles = position_angles(positions, d_model, base)  # (tokens, d_model / 2)
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (tokens, d_model / 2, 2)
    return pairs.flatten(-2)  # (tokens, d_model)
    ### END SOLUTION


# %% check="sinusoidal-positions" points=2
check("sinusoidal-positions")

# %% id="sinusoidal-figure" tags=["figure"]
# needs sinusoidal
codes = sinusoidal(torch.arange(100), 16)  # (positions, d_model)
training_curves(
    {f"hand {hand}": (range(100), codes[:, 2 * hand].tolist()) for hand in (0, 2, 4, 6)},
    "The sines of four of the eight hands",
    "sine",
    "position",
)

# %% [markdown] id="shift-predict"
# Hand 0 completes a turn roughly every 6 positions, hand 6 has hardly moved after 100. Together they tell near and far
# positions apart. There is no table that ends: position 5000 has a code too.
#
# **Predict, then run.** To go three positions on, every hand turns by a fixed angle, $3\,\theta_i$, wherever it
# is. So there should be *one* way to make the code of position $m + 3$ from the code of position $m$, for all
# $m$. The next cell rotates the pairs by $3\,\theta_i$, the same for every $m$.

# %% id="shift-prediction"
predict(
    "codes-moved-on",
    "How large is the largest difference from the true codes?",
    ("below 0.0001, as rounding", "about 0.1", "1 or more"),
)

# %% id="shift-shown"
# needs sinusoidal, position_angles
codes = sinusoidal(torch.arange(103), 16)  # (positions, d_model)
turn = position_angles(torch.tensor([3]), 16)  # (1, d_model / 2), the same for every position
sine, cosine = codes[:, 0::2], codes[:, 1::2]  # (positions, d_model / 2)
moved = torch.stack(
    [sine * turn.cos() + cosine * turn.sin(), cosine * turn.cos() - sine * turn.sin()], dim=-1
).flatten(-2)  # (positions, d_model)
apart = float((moved[:100] - codes[3:]).abs().max())
print(f"100 positions moved on by 3, largest difference: {apart:.4f}")
print("dot products of codes that are 3 positions apart:", (codes[3:] * codes[:-3]).sum(dim=-1)[::33])

# %% id="shift-revealed"
# needs apart
reveal("codes-moved-on", int(apart >= 1e-4) + int(apart >= 1))

# %% [markdown] id="shift-read"
# **A shift is a rotation**: the same rotation for every position. So the dot product of two codes depends on their
# distance only. But a model never sees the codes alone. They are added to the tokens, and the sum goes through $W_q$
# and $W_k$. A score is then
#
# $$(x + p_m)W_q \cdot (x' + p_n)W_k$$
#
# with four products in it, three of which hold a code. The next cell takes one pair of words at distance 2, puts it
# at many positions, and prints the score. If only the distance counted, all numbers would be equal.

# %% id="added-scores"
# needs sinusoidal
dog, man = vocabulary[1], vocabulary[3]
codes = sinusoidal(torch.arange(43), 8)
for position in (0, 10, 20, 40):
    query, key = attention.W_query(man + codes[position + 2]), attention.W_key(dog + codes[position])
    print(f"'man' at {position + 2:2d}, 'dog' at {position:2d}: score {query @ key:6.2f}")

# %% [markdown] id="rope-intro"
# ## 5 · RoPE: rotate, do not add
#
# In the end it is queries and keys that meet. So apply the positions there, and **rotate** instead of adding. Take a
# query of two numbers, an arrow, and turn it by $m\,\theta$ for its position $m$. Turn the key by $n\,\theta$ for
# its position $n$.

# %% id="turned-figure" tags=["figure"]
turned_pair([1.2, 0.5], [0.9, -0.6], 4, 1, theta=0.4)

# %% [markdown] id="rotate-task"
# A dot product of two arrows depends on their lengths and on the angle between them. Rotation keeps lengths. The
# angle between query and key changes by $(m - n)\,\theta$. So **the score depends on the distance $m - n$ only**.
# This is RoPE, rotary position embedding. A rotation of the arrow $(a, b)$ by the angle $\alpha$ is
#
# $$\begin{pmatrix} a' \\ b' \end{pmatrix} = \begin{pmatrix} \cos\alpha & -\sin\alpha \\ \sin\alpha & \cos\alpha \end{pmatrix} \begin{pmatrix} a \\ b \end{pmatrix}$$
#
# ### Task 5 · Rotate pairs
#
# *6 minutes · two or three lines · task id* `rotate-pairs`
#
# Write `rotate(pairs, angles)`: each pair in the last axis is turned by the angle in the same place. No loop is
# needed.


# %% answer="rotate-pairs"
def rotate(pairs, angles):
    """Turn every pair of numbers by its angle, against the clock.

    Shapes:
        pairs: (tokens, hands, 2)
        angles: (tokens, hands), in radians
        returns: (tokens, hands, 2)
    """
    ### BEGIN SOLUTION
    a, b = pairs[..., 0], pairs[..., 1]  # (tokens, hands)
    cos, sin = angles.cos(), angles.sin()  # (tokens, hands)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)  # (tokens, hands, 2)
    ### END SOLUTION


# %% check="rotate-pairs" points=2
check("rotate-pairs")

# %% [markdown] id="interleaved-task"
# A real query has more than two numbers. Cut it into pairs, and let each pair be a hand of the clock, with an angle
# of its own from `position_angles`. The first form of RoPE takes **neighbours** as pairs: numbers 0 and 1, numbers 2
# and 3, and so on. It is called *interleaved*.
#
# ### Task 6 · RoPE, interleaved
#
# *6 minutes · two lines · task id* `rope-interleaved`
#
# Write `rope_interleaved(x, positions, base=10000.0)` with `position_angles` and `rotate`. `x.unflatten(-1, (-1,
# 2))` cuts the last axis into pairs.


# %% answer="rope-interleaved"
def rope_interleaved(x, positions, base=10000.0):
    """Rotate each pair of neighbours by an angle that grows with the position.

    Shapes:
        x: (tokens, head_dim), queries or keys
        positions: (tokens,), whole numbers
        returns: (tokens, head_dim)
    """
    ### BEGIN SOLUTION
    pairs = x.unflatten(-1, (-1, 2))  # (tokens, head_dim / 2, 2)
    angles = position_angles(positions, x.shape[-1], base)  # (tokens, head_dim / 2)
    return rotate(pairs, angles).flatten(-2)  # (tokens, head_dim)
    ### END SOLUTION


# %% check="rope-interleaved" points=2
check("rope-interleaved")

# %% [markdown] id="half-split-intro"
# The second form is that of GPT-NeoX, and of Llama in Hugging Face's library. (Meta's own code for Llama has the
# first.) It pairs the first half of the numbers with the second half. With 8 numbers the pairs are 0 and 4, 1 and 5,
# 2 and 6, and 3 and 7. It is called *half-split*.

# %% id="pairs-figure" tags=["figure"]
rope_pairs(8)

# %% [markdown] id="apply-rope-task"
# The same rotations happen to other pairs. Since $W_q$ and $W_k$ are trained, they learn to put the right numbers
# into the right places, and whatever one form can compute, the other can too. But weights that were trained with one
# form do not work with the other.
#
# ### Task 7 · RoPE, half-split
#
# *10 minutes · four lines · task id* `apply-rope`
#
# Write `apply_rope(x, positions, base=10000.0)` for queries or keys of any number of heads and sequences: rotate the
# last axis, one position for each slice of the axis before it. `x.chunk(2, dim=-1)` gives both halves, `torch.cat`
# joins them. Queries and keys are trained through it, so let the gradient come back.


# %% answer="apply-rope"
def apply_rope(x, positions, base=10000.0):
    """Rotate number i of the first half with number i of the second half.

    Shapes:
        x: (..., tokens, head_dim), queries or keys
        positions: (tokens,), whole numbers
        returns: (..., tokens, head_dim)
    """
    ### BEGIN SOLUTION
    angles = position_angles(positions, x.shape[-1], base)  # (tokens, head_dim / 2)
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)  # (..., tokens, head_dim / 2) each
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
    ### END SOLUTION


# %% check="apply-rope" points=3
check("apply-rope")

# %% id="forms-given"
torch.manual_seed(123)
queries, keys = torch.randn(6, 8), torch.randn(6, 8)  # (tokens, head_dim) each
positions = torch.arange(6)  # (tokens,)

# %% id="forms-shown"
# needs rope_interleaved, apply_rope
mixed = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7])  # partners of the half-split form become neighbours
both = [rope_interleaved(queries[:, mixed], positions), apply_rope(queries, positions)]
print(f"interleaved and half-split, in the same order: {(both[0] - both[1][:, mixed]).abs().max():.5f} apart")

# %% [markdown] id="relative-predict"
# Once the numbers are put into the other order, both forms are the same.
#
# **Predict, then run.** Six random queries and keys. Their scores are computed at positions 0 to 5, then at
# positions that lie 1, 100 and 10000 further on. Then the same with codes that are added.

# %% id="relative-prediction"
predict(
    "all-further-on",
    "All tokens move 10000 positions on. The rotated scores …",
    ("stay", "fade", "change at random"),
)


# %% id="relative-shown"
# needs sinusoidal, apply_rope
def scores_from(start, rotated):
    """Scores of the six queries and keys at positions start, start + 1, …"""
    at = start + positions
    if rotated:
        return apply_rope(queries, at) @ apply_rope(keys, at).T  # (tokens, tokens)
    return (queries + sinusoidal(at, 8)) @ (keys + sinusoidal(at, 8)).T


for start in (1, 100, 10000):
    rotated, added = ((scores_from(start, way) - scores_from(0, way)).abs().max() for way in (True, False))
    print(f"{start:5d} positions further on: rotated {rotated:.2f}, added {added:.1f}")

# %% id="relative-revealed"
# needs rotated
reveal("all-further-on", 2 * int(rotated >= 1e-3))

# %% [markdown] id="relative-read"
# Rotated scores do not move, up to rounding, which grows with the size of the angles. (So compute angles in float32,
# even where the model itself uses 16 bits.) Here are the scores of six *equal* queries with six *equal* keys: along
# each diagonal the distance is the same, and so is the score. Row and column alone say nothing.

# %% id="diagonals-figure" tags=["figure"]
# needs apply_rope
equal_queries = apply_rope(
    queries[:1].expand(6, -1), positions
)  # (tokens, head_dim), rotated copies of one query
equal_keys = apply_rope(keys[:1].expand(6, -1), positions)  # (tokens, head_dim)
attention_map(
    equal_queries @ equal_keys.T,
    [str(position) for position in range(6)],
    title="Rotated scores of equal tokens",
)

# %% [markdown] id="explorer-intro"
# ### Try it
#
# Drag the two positions, or focus a slider and use the arrow keys. The arrows turn, and the table shows the score of
# one query and one key in three ways: without positions, with added codes, and rotated. What has to stay equal, so
# that the rotated score stays as it is?

# %% id="explorer" tags=["figure"]
explore_positions([1.2, 0.5], [0.9, -0.6])

# %% [markdown] id="bug-task"
# <details><summary>What to see</summary>
#
# As long as both positions move together, the angle between the arrows stays, and so does the rotated score. The
# added codes give another score at each position.
#
# </details>
#
# ### Task 8 · Find the bug: two forms in one function
#
# *8 minutes · one line · task id* `bug-mixed-forms`
#
# The function below is written as in many code bases: each number is multiplied by its cosine, and its *partner*,
# with the right sign, by its sine. The weights in use were trained with the **half-split** form. The function runs
# and its shapes are right. The cell under it moves all tokens 10 positions on and shows the symptom. Find the cause.


# %% answer="bug-mixed-forms"
### BEGIN SOLUTION
def rotary_scores(queries, keys, positions):
    """Scores of queries and keys rotated by RoPE in the half-split form.

    Shapes:
        queries, keys: (tokens, head_dim)
        positions: (tokens,)
        returns: (tokens, tokens), divided by √head_dim
    """
    head_dim = queries.shape[-1]
    angles = position_angles(positions, head_dim).repeat(1, 2)  # (tokens, head_dim)

    def turned(x):
        first, second = x.chunk(2, dim=-1)
        partner = torch.cat([-second, first], dim=-1)  # (tokens, head_dim)
        return x * angles.cos() + partner * angles.sin()

    return turned(queries) @ turned(keys).T / head_dim**0.5


### END SOLUTION
### BEGIN FAULTY
# def rotary_scores(queries, keys, positions):
#     """Scores of queries and keys rotated by RoPE in the half-split form.
#
#     Shapes:
#         queries, keys: (tokens, head_dim)
#         positions: (tokens,)
#         returns: (tokens, tokens), divided by √head_dim
#     """
#     head_dim = queries.shape[-1]
#     angles = position_angles(positions, head_dim).repeat_interleave(2, dim=-1)  # (tokens, head_dim)
#
#     def turned(x):
#         first, second = x.chunk(2, dim=-1)
#         partner = torch.cat([-second, first], dim=-1)  # (tokens, head_dim)
#         return x * angles.cos() + partner * angles.sin()
#
#     return turned(queries) @ turned(keys).T / head_dim**0.5
### END FAULTY


# %% id="bug-symptom"
# needs position_angles
moved = rotary_scores(queries, keys, positions + 10) - rotary_scores(queries, keys, positions)
print(f"all tokens 10 positions further on, scores move by {moved.abs().max():.4f}")

# %% check="bug-mixed-forms" points=2
check("bug-mixed-forms")

# %% [markdown] id="bug-read"
# <details><summary>What was wrong</summary>
#
# `repeat_interleave` gives the angles of the interleaved form: 0, 0, 1, 1, 2, 2, … The partners are those of the
# half-split form. So a number and its partner turn by two *different* angles. That is no rotation: lengths change,
# and scores depend on the positions themselves. To change the partners instead would make a true rotation of the
# wrong form. The symptom would be gone, and the trained weights would still not fit.
#
# </details>

# %% [markdown] id="alibi-intro"
# ## 6 · ALiBi: distance as a penalty
#
# The simplest method of the four changes no vector. It **subtracts** from each score how far back the key lies,
# times a slope: attention with linear biases. Each head has a slope of its own. Head $h$ of $H$ heads, counted from
# 1, has
#
# $$\text{slope}_h = 2^{-8h/H}$$
#
# With 8 heads that is 1/2, 1/4, …, 1/256. (The paper uses this for 2, 4, 8, 16 … heads.) A large slope keeps a head
# close to its own position. A small one lets it look far back.
#
# ### Task 9 · ALiBi
#
# *8 minutes · four lines · task id* `alibi-bias`
#
# Write `alibi_bias(num_tokens, num_heads)`, what is *added* to the scores: minus slope times distance for the past,
# 0 on the diagonal, and $-\infty$ for the future, so that the causal mask is in it too.


# %% answer="alibi-bias"
def alibi_bias(num_tokens, num_heads):
    """What ALiBi adds to the scores of each head, the causal mask included.

    Shapes:
        returns: (heads, tokens, tokens), query before key
    """
    ### BEGIN SOLUTION
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)  # (heads,)
    positions = torch.arange(num_tokens)
    distance = positions[:, None] - positions  # (query, key), how far back the key lies
    bias = -slopes[:, None, None] * distance  # (heads, query, key)
    return bias.masked_fill(distance < 0, -torch.inf)
    ### END SOLUTION


# %% check="alibi-bias" points=2
check("alibi-bias")

# %% id="alibi-figure" tags=["figure"]
# needs alibi_bias
last_rows = torch.softmax(alibi_bias(16, 4), dim=-1)[:, -1].flip(-1)  # (heads, tokens back)
training_curves(
    {f"head {head}, slope 1/{4 ** (head + 1)}": (range(16), last_rows[head].tolist()) for head in range(4)},
    "Four heads with equal scores and ALiBi: the last token's weights",
    "weight",
    "tokens back",
)

# %% [markdown] id="alibi-read"
# All scores are equal here, so the curves show the bias alone. Head 0 has the slope 1/4 and looks at the last few
# tokens, head 3 has 1/256 and looks at all 16 nearly evenly. The bias depends on the distance only, there is no table
# that ends, and nothing is trained. What the bias alone cannot do: say "the token *exactly* three positions back". It
# can only say "near".

# %% [markdown] id="generating-intro"
# ## 7 · Positions while a model writes
#
# A model that writes makes one token at a time. It keeps the keys of all earlier tokens, already rotated (lesson 11
# builds this *cache*). So each step computes the query and the key of **one** token, a tensor with one row. **The
# tempting line** is `apply_rope(query, torch.arange(query.shape[-2]))`. It is right for a whole sentence. With one
# row it gives position 0, each time. Run it on a model that has kept five keys:

# %% id="generating-refuted"
# needs apply_rope
whole = apply_rope(queries, positions) @ apply_rope(keys, positions).T / 8**0.5  # (6, 6), all at once
kept = apply_rope(keys[:5], positions[:5])  # (5, head_dim), the keys of five earlier tokens
at_0 = apply_rope(queries[5:], torch.arange(1)) @ kept.T / 8**0.5  # (1, 5), the sixth token alone
print(f"the sixth token, all at once:   {whole[5, :5]}")
print(f"written alone, and put at 0:    {at_0[0]}")

# %% [markdown] id="new-token-task"
# No error, and other scores: to the model, the new word is at the very start of the text. Its position is the
# number of tokens that came before it.
#
# ### Task 10 · The scores of a new token
#
# *8 minutes · four lines · task id* `new-token-scores`
#
# Write `new_token_scores(query, key, cached_keys)`. `query` and `key` belong to the new token and are not rotated
# yet. `cached_keys` are rotated. Return the scaled scores of the new token with all tokens, itself last.


# %% answer="new-token-scores"
def new_token_scores(query, key, cached_keys):
    """Scores of a token that is written after the tokens whose keys are kept.

    Shapes:
        query, key: (1, head_dim), not rotated
        cached_keys: (tokens, head_dim), rotated by `apply_rope` at positions 0, 1, …
        returns: (1, tokens + 1), divided by √head_dim
    """
    ### BEGIN SOLUTION
    position = torch.tensor([len(cached_keys)])  # as many tokens came before
    keys = torch.cat([cached_keys, apply_rope(key, position)])  # (tokens + 1, head_dim)
    return apply_rope(query, position) @ keys.T / query.shape[-1] ** 0.5  # (1, tokens + 1)
    ### END SOLUTION


# %% check="new-token-scores" points=2
check("new-token-scores")

# %% id="new-token-shown"
# needs new_token_scores, whole
one_by_one = new_token_scores(queries[5:], keys[5:], kept)  # (1, 6)
print(f"largest difference from the last row: {(one_by_one[0] - whole[5]).abs().max():.5f}")

# %% [markdown] id="words-task"
# ### In your own words
#
# *6 minutes · graded by a person, 3 points*
#
# A friend says: "Our model is causal. The mask shows it the order, so it needs no positions." In which sense is your
# friend right? What did you measure with one layer and with two, and why do the two differ? Why does an encoder need
# positions in any case? Four or five sentences.

# %% [markdown] answer="order-in-words" points=3
# ### BEGIN SOLUTION
# The friend is partly right: the mask gives each token another past, so a causal model can count how many tokens
# came before, and a deep one can learn something about their order. One causal layer does not see the order of the
# past: its output is a weighted sum over a set, and shuffling the past moved the last output by nothing but
# rounding. Two layers see it. The first layer makes the output of each past token depend on the tokens before *that*
# token; after a shuffle these outputs are others, so the second layer gets other keys and values. In the experiment
# the last output moved clearly. An encoder has no causal mask. Every token sees the same set, each output only moves
# with its token, and no number of layers changes that. It must be told the positions.
#
# **Marking scheme**
#
# - 1 point: one causal layer: the last output does not change when its past is shuffled, because it is a sum over a
#   set (or: the mask tells the number of earlier tokens, not their order).
# - 1 point: two layers: the last output does change, because the first layer's outputs for past tokens depend on the
#   pasts of those tokens.
# - 1 point: without a causal mask nothing depends on the order, whatever the depth; so an encoder needs positions.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape here | axes |
# | --- | --- | --- | --- |
# | angles | `position_angles(torch.arange(6), 8)` | (6, 4) | tokens, hands |
# | sinusoidal | `sinusoidal(torch.arange(6), 8)` | (6, 8) | tokens, d_model; sin, cos, sin, cos, … |
# | learned | `self.pos_emb(torch.arange(6))` | (6, 8) | tokens, d_model |
# | pairs of neighbours | `x.unflatten(-1, (-1, 2))` | (6, 4, 2) | tokens, hands, the two numbers of a hand |
# | RoPE | `apply_rope(queries, torch.arange(6))` | (6, 8) | tokens, head_dim |
# | ALiBi | `alibi_bias(6, 4)` | (4, 6, 6) | heads, query, key |
# | a new token | `new_token_scores(query, key, cached_keys)` | (1, 6) | the new token, all tokens |
#
# | method | depends on the distance only? | goes beyond the training length? | trained? |
# | --- | --- | --- | --- |
# | learned | no | no: the table ends | yes |
# | sinusoidal | the codes do, the scores do not | it runs; quality falls | no |
# | RoPE | yes | it runs; quality falls unless the angles are adapted | no |
# | ALiBi | yes | it was made for that; far tokens fade | no |
#
# - Attention without a mask moves its outputs along with the tokens, and knows nothing of their order.
# - One causal layer sees a set of earlier tokens; two causal layers see an order.
# - A shift of sinusoidal codes is a rotation. RoPE rotates queries and keys, so a score depends on $m - n$ alone.
# - RoPE has two forms. Angles and partners must belong to the same one, and to the one that the weights know.
# - While a model writes, the position of a new token is the number of tokens before it.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each in your head before you open it.
#
# <details><summary>1. Does RoPE change the values?</summary>
#
# No, queries and keys only. The position decides *where* a token looks, and what it gets from there stays the same.
#
# </details>
#
# <details><summary>2. All tokens of a text are moved by 5 positions, because 5 tokens of padding come before it. RoPE is used, and the padding is hidden. What changes?</summary>
#
# Nothing but rounding. With learned positions everything changes.
#
# </details>
#
# <details><summary>3. Why must the two numbers of a pair turn by the same angle?</summary>
#
# Because only then is it a rotation. A rotation keeps lengths, and two of them combine to one by the difference of
# their angles.
#
# </details>
#
# <details><summary>4. You cut four heads out of queries with RoPE. Rotate before the cut, or after it?</summary>
#
# After it, each head on its own. Before the cut, every pair of the half-split form would join numbers of two
# different heads, and the angles would be those of the whole width.
#
# </details>
#
# <details><summary>5. In ALiBi, why does it not matter whether you write minus slope times distance, or slope times the position of the key?</summary>
#
# Softmax ignores what is added to a whole row. The two differ by slope times the position of the query, which is the
# same for all keys of that query.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Attention Is All You Need**, Vaswani and others, 2017. Section 3.5: sinusoidal positions, compared with learned
#   ones.
# - **RoFormer: Enhanced Transformer with Rotary Position Embedding**, Su and others, 2021. RoPE; section 3 has the
#   derivation, with neighbours as pairs.
# - **Train Short, Test Long**, Press, Smith and Lewis, 2021. ALiBi, and how other methods lose quality beyond the
#   training length.
# - **Extending Context Window of Large Language Models via Positional Interpolation**, Chen and others, 2023. RoPE
#   beyond its training length, with adapted angles.
# - **Transformer Language Models without Positional Encodings Still Learn Positional Information**, Haviv and
#   others, 2022. What the causal mask gives away, measured in trained models.
# - **Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer**, Raffel and others, 2020. T5;
#   section 2.1 has a fifth method, a trained number for each distance or, further away, for a range of distances.
# - **Self-Attention with Relative Position Representations**, Shaw, Uszkoreit and Vaswani, 2018. Distances instead of
#   positions, inside attention.

# %% id="progress"
progress("07-positions")
