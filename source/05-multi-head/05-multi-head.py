# %% [markdown] id="title"
# # 05 · Many heads
#
# In lesson 04 each token had one row of attention weights. A word often needs two things at once: the word
# before it, say, and the subject of the sentence. **Multi-head attention** gives each token several rows. You
# build it twice, as a stack of heads and as one fused class, the form that real models have, and prove that both
# compute the same.
#
# **When you are done you can**
#
# - write `MultiHeadAttentionWrapper` and the fused `MultiHeadAttention`, and say what each axis counts;
# - show with numbers what two heads can do that one cannot, and say when one is enough;
# - split a tensor into heads, merge it again, and recognise both steps done wrong;
# - explain why joining heads is a sum of one output per head.
#
# **Time:** about 150 minutes. **Before you start:** lesson 04 (`CausalAttention`, batches, the `mask`
# buffer), `nn.Module` and `nn.Linear`.

# %% id="setup"
from autograder import check, hint, predict, progress, reveal, review
from visuals import (
    attention_map,
    explore_bugs,
    explore_heads,
    explore_journey,
    explore_slices,
    head_trade_off,
    split_projection,
    track_shapes,
    trained_words,
)
from visuals.faulty import BUGS, train

import torch
from torch import nn

# %% id="review"
review("05-multi-head")

# %% [markdown] id="batch-intro"
# ## The sentence, twice
#
# The six tokens are those of the other lessons. Two copies of the sentence make a **batch**, with the axes
# (b, tokens, d_in).

# %% id="batch-made"
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
batch = torch.stack((inputs, inputs), dim=0)  # (b, tokens, d_in)
batch.shape

# %% id="batch-shown"
batch


# %% [markdown] id="batch-read"
# Copies hide mistakes, so the checks use sentences that differ.
#
# Here is the class from lesson 04. One such attention, with its own three matrices and its own softmax, is a
# **head**. Its buffer `mask` holds 1 where a key is **hidden** from a query and 0 where it is **visible**.


# %% id="carried-over"
# Carried over from lesson 04.
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def weights(self, x):
        """The attention weights before dropout: (b, tokens, tokens)."""
        num_tokens = x.shape[1]
        queries, keys = self.W_query(x), self.W_key(x)  # (b, tokens, d_out)
        scores = queries @ keys.transpose(1, 2)  # (b, tokens, tokens)
        hidden = self.mask.bool()[:num_tokens, :num_tokens]  # (tokens, tokens), True = hidden
        scores = scores.masked_fill(hidden, -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)

    def forward(self, x):
        return self.dropout(self.weights(x)) @ self.W_value(x)  # (b, tokens, d_out)


# %% id="mask-shown"
CausalAttention(3, 2, 6, 0.0).mask


# %% [markdown] id="stack-intro"
# ## 1 · Several heads side by side
#
# The simplest way to get several heads: make several `CausalAttention`, give each the **whole** token, and join
# their contexts along the last axis.

# %% id="trained-heads" tags=["figure"]
small = trained_words()  # a tiny model that comes with this course
sentence = "the girl needed cash and she walked to the bank"
trained = [CausalAttention(16, 8, 10, 0.0) for _ in range(2)]
for index, head in enumerate(trained):
    for name in ("W_query", "W_key", "W_value"):
        getattr(head, name).weight.data = small.two_heads[f"{name}.weight"][8 * index : 8 * (index + 1)]
attention_map(
    torch.cat([head.weights(small.embed(sentence)[None]) for head in trained]),  # (heads, tokens, tokens)
    small.tokens(sentence),
    title="Two heads of a trained model",
    names=["head 0", "head 1"],
)

# %% [markdown] id="stack-read"
# Read the row of "she" and the row of "bank" in both maps. Head 0 finds the person that "she" stands for.
# Head 1 finds the word that says which bank is meant. Training made the heads differ.
#
# A module needs a place for its heads. It is an `nn.ModuleList`. A plain Python list does not work:


# %% id="plain-list"
class InAList(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = [nn.Linear(3, 2), nn.Linear(3, 2)]


class InAModuleList(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(3, 2), nn.Linear(3, 2)])


print("plain list:  ", [name for name, _ in InAList().named_parameters()])
print("ModuleList:  ", [name for name, _ in InAModuleList().named_parameters()])


# %% [markdown] id="multi-head-wrapper-task"
# A module finds parameters among its attributes, and does not search inside a list. The optimiser would never
# train those heads, `state_dict()` would not save them, and `.to(device)` would not move them.
#
# ### Task 1 · A stack of heads
#
# *10 minutes · two statements · task id* `multi-head-wrapper`
#
# Finish `MultiHeadAttentionWrapper`. Its heads are in `self.heads`. Each is a `CausalAttention` that gets all
# of `d_in`, `d_out`, `context_length`, `dropout` and `qkv_bias`. Here `d_out` is the width of *one* head.

# %% id="predict-wrapper-width"
predict("wrapper-width", "d_out=2 and two heads: how long is the last axis of the result?")


# %% answer="multi-head-wrapper"
class MultiHeadAttentionWrapper(nn.Module):
    """Several causal heads side by side, each with a softmax of its own.

    Shapes:
        x: (b, tokens, d_in)
        returns: (b, tokens, num_heads * d_out)
    """

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = nn.ModuleList(
            CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)
        )
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return torch.cat([head(x) for head in self.heads], dim=-1)  # (b, tokens, num_heads * d_out)
        ### END SOLUTION


# %% check="multi-head-wrapper" points=4
check("multi-head-wrapper")

# %% id="multi-head-wrapper-shown"
torch.manual_seed(123)
context_length = batch.shape[1]  # 6
d_in, d_out = batch.shape[-1], 2
stack = MultiHeadAttentionWrapper(d_in, d_out, context_length, 0.0, num_heads=2)
stack(batch)

# %% id="came-wrapper-width"
# needs MultiHeadAttentionWrapper
reveal("wrapper-width", stack(batch).shape[-1])

# %% [markdown] id="multi-head-wrapper-read"
# Columns 0 and 1 are the context vectors of `CausalAttention` in lesson 04, because head 0 is drawn first
# under the same seed. Columns 2 and 3 belong to head 1.
#
# ## 2 · What two heads can do
#
# Now a measurement. Take 40 made-up stories of 12 tokens. Each token is four random numbers, so no token
# tells anything about another. Every token is to receive two vectors: that of the token **before** it, and
# that of the **first** token. (The first token has none before it, and takes itself.)
#
# Each needs weights with a single 1 in each row. Here they are, written by hand:

# %% id="stories-made"
torch.manual_seed(24)
stories = torch.randn(40, 12, 4)  # (b, tokens, d_in)


def weights_on_previous(num_tokens):
    """All weight on the token before: (tokens, tokens)."""
    return torch.eye(num_tokens)[[0, *range(num_tokens - 1)]]


def weights_on_first(num_tokens):
    """All weight on the first token: (tokens, tokens)."""
    return torch.eye(num_tokens)[[0] * num_tokens]


before = weights_on_previous(12) @ stories  # (b, tokens, d_in)
first = weights_on_first(12) @ stories  # (b, tokens, d_in)
wanted = torch.cat((before, first), dim=-1)  # (b, tokens, 2 * d_in)
wanted.shape

# %% id="looks-shown" tags=["figure"]
attention_map(
    torch.stack((weights_on_previous(6), weights_on_first(6))),
    tokens,
    title="Two heads with weights written by hand",
    names=["token before", "first token"],
)

# %% [markdown] id="one-look-error"
# A head with weights $A$ computes $A\,X\,W_v$, and the layers after it work with that. How well can it do at
# best? `error_left` answers without any training. It takes the contexts $A\,X$, finds by least squares the
# matrix that comes closest to what is wanted, and returns the mean squared error that is left. Here an error
# of 1.10 means that nothing arrived.


# %% id="error-left"
def error_left(contexts, wanted):
    """The smallest mean squared error with which a linear map can turn contexts into what is wanted.

    Shapes:
        contexts: (b, tokens, features)
        wanted: (b, tokens, d_wanted)
        returns: one number
    """
    # In float64, and with directions that hold nothing but rounding left out, so that every machine gets the
    # same error.
    rows = contexts.flatten(0, 1).double()  # (b, tokens, features) -> (b * tokens, features)
    goals = wanted.flatten(0, 1).double()  # (b, tokens, d_wanted) -> (b * tokens, d_wanted)
    best_map = torch.linalg.lstsq(rows, goals, rcond=1e-5).solution  # (features, d_wanted)
    return (rows @ best_map - goals).square().mean().float()


# %% [markdown] id="error-with-heads-task"
# With several heads, each makes contexts of its own, and the contexts of one token are **joined** into one
# longer vector.
#
# ### Task 2 · The error that several heads leave
#
# *8 minutes · three lines · task id* `error-with-heads`
#
# Write `error_with_heads(weights, x, wanted)`. `weights` holds one matrix of weights for each head. Make each
# head's contexts, join them along the last axis, and return `error_left` of the result, for any number of
# heads.


# %% answer="error-with-heads"
def error_with_heads(weights, x, wanted):
    """The error that is left when every head has the weights given for it.

    Shapes:
        weights: (heads, tokens, tokens)
        x: (b, tokens, d_in)
        wanted: (b, tokens, d_wanted)
        returns: one number
    """
    ### BEGIN SOLUTION
    contexts = [
        head @ x for head in weights
    ]  # each (tokens, tokens) @ (b, tokens, d_in) -> (b, tokens, d_in)
    joined = torch.cat(contexts, dim=-1)  # (b, tokens, heads * d_in)
    return error_left(joined, wanted)
    ### END SOLUTION


# %% check="error-with-heads" points=2
check("error-with-heads")


# %% [markdown] id="trade-off-predict"
# **Predict, then run.** One head can divide its attention: the weight $s$ on the first token, $1 - s$ on the one
# before. The next cell tries every weight.

# %% id="predict-best-share"
predict(
    "best-share",
    "Out of 1.10, how much error does one head leave at its best share?",
    (
        "about 0",
        "about 0.25",
        "about 0.5",
        "about 0.75",
    ),
)

# %% id="trade-off-measured"
shares = torch.linspace(0, 1, 21)
one_head = {"before": [], "first": [], "both": []}
for share in shares:
    divided = (1 - share) * weights_on_previous(12) + share * weights_on_first(12)  # (tokens, tokens)
    for name, goal in {"before": before, "first": first, "both": wanted}.items():
        one_head[name].append(error_with_heads(divided[None], stories, goal))
two_heads = error_with_heads(torch.stack((weights_on_previous(12), weights_on_first(12))), stories, wanted)

# %% id="trade-off-figure" tags=["figure"]
head_trade_off(shares, one_head["before"], one_head["first"], one_head["both"], two_heads)

# %% id="came-best-share"
# needs error_with_heads
reveal("best-share", round(4 * float(min(one_head["both"]))))

# %% [markdown] id="trade-off-read"
# What the head gains for one target it loses for the other. At every weight at least 0.46 is left, two fifths
# of the whole. Two heads leave nothing.
#
# Wider matrices do not help: least squares already found the best one. The reason is the **row of weights**.
# One head has one row per token, so all its columns hold the *same* mixture of the two vectors. The two
# vectors use the same four directions, so nothing later can tell which part came from which token.
#
# ### Joining is adding
#
# The joined contexts go through one matrix. Cut that matrix into one block of rows for each head:
#
# $$\begin{bmatrix} C_0 & C_1 \end{bmatrix} \begin{bmatrix} W_0 \\ W_1 \end{bmatrix} = C_0 W_0 + C_1 W_1$$
#
# So joining followed by a matrix **is a sum of one output per head**, each through its own block. People who
# study trained models read heads in this way: each head *adds* its part to the token's vector. **Predict,
# then run:**

# %% id="predict-lossless-sum"
predict(
    "lossless-sum",
    "Which of the three sums below loses nothing?",
    (
        "as they are",
        "through one shared matrix",
        "through a matrix each",
    ),
)

# %% id="added-heads"
torch.manual_seed(24)
W_0, W_1 = torch.randn(2, 4, 8)  # one value matrix for each head: (d_in, 8)
contexts_joined = torch.cat((before, first), dim=-1)  # (b, tokens, 2 * d_in)
same = torch.allclose(contexts_joined @ torch.cat((W_0, W_1)), before @ W_0 + first @ W_1, atol=1e-5)
print("joined through blocks equals a sum:", same)
print("added as they are:               ", f"{error_left(before + first, wanted):.4f}")
print("added through one shared matrix: ", f"{error_left(before @ W_0 + first @ W_0, wanted):.4f}")
print("added through a matrix each:     ", f"{error_left(before @ W_0 + first @ W_1, wanted):.4f}")

# %% id="came-lossless-sum"
reveal("lossless-sum", 2 * int(error_left(before @ W_0 + first @ W_1, wanted) < 1e-6))

# %% [markdown] id="added-heads-read"
# A sum loses nothing when each head writes into **directions of its own**: with a value matrix of width 8
# each, the eight numbers can be taken apart again. Added as they are, or through one shared matrix, the two
# vectors occupy the same directions, and 0.46 is left, as with one head.
#
# The same is true of one head. If the tokens *themselves* have directions of their own, one head is enough.
# Below, the first token of each story uses four dimensions that no other token uses:

# %% id="own-directions"
roomy = torch.zeros(40, 12, 8)  # (b, tokens, 2 * d_in)
roomy[:, 1:, :4] = stories[:, 1:]
roomy[:, 0, 4:] = stories[:, 0]  # the first token in dimensions of its own
half_half = (weights_on_previous(12) + weights_on_first(12)) / 2 @ roomy  # one head
print("one head, from the third token on:", f"{error_left(half_half[:, 2:], wanted[:, 2:]):.4f}")

# %% [markdown] id="own-directions-read"
# So two heads can do this: give one token **two different rows of weights**, and write the two results into
# different directions, whatever the tokens contain.
#
# The weights above were made by hand. In trained models people have found heads for the token before, for the
# object of a verb and for the word that "she" stands for, and many without a name (see Sources).
#
# ### Try it
#
# Four kinds of heads that trained models are known to have. Choose the query token, and see the heads side by
# side or laid over one another. In the superposed view, can you still tell where each head attends? The last
# column is the mean of all heads.

# %% id="explorer" tags=["figure"]
itself = torch.eye(6)  # (tokens, tokens)
evenly = torch.tril(torch.ones(6, 6)) / torch.arange(1, 7)[:, None]  # (tokens, tokens)
four_heads = torch.stack(
    (itself, weights_on_previous(6), weights_on_first(6), evenly)
)  # (heads, tokens, tokens)
explore_heads(four_heads, tokens, ["itself", "token before", "first token", "all evenly"])

# %% [markdown] id="batched-intro"
# ## 3 · All heads in one matrix product
#
# The stack is right, but with twelve heads it makes 36 small projections, one after another. The same arithmetic
# fits into a few large products, if the heads become an **axis**.
#
# `@` on tensors with more than two axes multiplies the last two and treats all axes before them as a batch.
# Here are one sentence, two heads, three tokens and four dimensions in each head: (b, heads, tokens,
# head_dim).

# %% id="a-made" tags=["given"]
a = torch.tensor(
    [
        [
            [
                [0.2745, 0.6584, 0.2775, 0.8573],
                [0.8993, 0.0390, 0.9268, 0.7388],
                [0.7179, 0.7058, 0.9156, 0.4340],
            ],
            [
                [0.0772, 0.3565, 0.1479, 0.5331],
                [0.4066, 0.2318, 0.4545, 0.9737],
                [0.4606, 0.5159, 0.4220, 0.5786],
            ],
        ]
    ]
)

# %% id="a-shape"
a.shape  # (b, heads, tokens, head_dim)


# %% [markdown] id="batched-head-scores-task"
# ### Task 3 · The scores of all heads at once
#
# *5 minutes · one line · task id* `batched-head-scores`
#
# Use `a` as queries and as keys. Make `head_scores`: in each head, every token's dot product with every token
# of that head, in one matrix product. Write the shapes down first. Which two axes of the right side must
# change places, and what shape is left?

# %% answer="batched-head-scores"
### BEGIN SOLUTION
head_scores = a @ a.transpose(2, 3)  # (1, 2, 3, 4) @ (1, 2, 4, 3) -> (1, 2, 3, 3)
### END SOLUTION

# %% check="batched-head-scores" points=1
check("batched-head-scores")

# %% id="batched-head-scores-shown"
# needs head_scores
print(head_scores)


# %% [markdown] id="head-by-head"
# The same, one head after the other. (`.T` is meant for a matrix, a tensor of two axes.)

# %% id="head-by-head-shown"
first_head = a[0, 0, :, :]  # (tokens, head_dim)
first_res = first_head @ first_head.T  # (tokens, tokens)
print("First head:\n", first_res)
second_head = a[0, 1, :, :]  # (tokens, head_dim)
second_res = second_head @ second_head.T  # (tokens, tokens)
print("\nSecond head:\n", second_res)


# %% [markdown] id="split-intro"
# ## 4 · One wide projection, cut into heads
#
# The queries of all heads come from one product as well: put the narrow matrices of the heads side by side,
# and they make one wide matrix.

# %% id="split-figure" tags=["figure"]
torch.manual_seed(123)
head_0, head_1 = CausalAttention(3, 2, 6, 0.0), CausalAttention(3, 2, 6, 0.0)
split_projection(inputs, torch.cat((head_0.W_query.weight, head_1.W_query.weight)), 2, tokens)


# %% [markdown] id="split-read"
# The wide matrix turns each token into `d_out` = 4 numbers. The first two are head 0's query, the last two
# head 1's. In the fused class **`d_out` is the width of all heads together**, and each head gets
#
# $$\text{head\_dim} = d_{out} / \text{heads}$$
#
# The **projected** vector is cut, never the token: every head still gets all of `d_in`. Cutting moves no
# number.
#
# The order of the axes needs care. The numbers below say where they belong: 3 tokens, 2 heads of width 2.
# Entry `12` is token 1's third number, so the first of head 1.

# %% id="numbered-made"
numbered = torch.tensor([[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]])  # (b, tokens, d_out)
numbered


# %% [markdown] id="numbered-predict"
# **Predict, then run.** We need (b, heads, tokens, head_dim) = (1, 2, 3, 2), and `view` gives any shape you
# ask for.

# %% id="predict-head-0-tokens"
predict(
    "head-0-tokens",
    "Which tokens does head 0 get from numbered.view(1, 2, 3, 2)?",
    (
        "0, 1 and 2",
        "0 and 1",
        "0 alone",
    ),
)

# %% id="numbered-view"
numbered.view(1, 2, 3, 2)

# %% id="came-head-0-tokens"
reveal("head-0-tokens", 3 - len((numbered.view(1, 2, 3, 2)[0, 0] // 10).unique()))

# %% [markdown] id="numbered-read"
# The shape is right, and the content is wrong: rows 0 and 1 of head 0 are the two halves of *token 0*, and
# row 2 is half of token 1. `view` never moves a number. It reads the numbers in their old order into the new
# shape, the last axis fastest. The numbers of one token lie together, so the token axis must stay in front
# while `d_out` is cut in two. After that, `transpose` brings the heads forward.
#
# ### Task 4 · Split into heads
#
# *8 minutes · one or two lines · task id* `split-heads`
#
# Write `split_heads(x, num_heads)`. Head 0 gets the first `head_dim` numbers of every token, head 1 the next
# ones, and so on.


# %% answer="split-heads"
def split_heads(x, num_heads):
    """Cut each token's vector into one piece for each head.

    Shapes:
        x: (b, tokens, d_out)
        returns: (b, heads, tokens, head_dim)
    """
    ### BEGIN SOLUTION
    b, num_tokens, d_out = x.shape
    pieces = x.view(b, num_tokens, num_heads, d_out // num_heads)  # (b, tokens, heads, head_dim)
    return pieces.transpose(1, 2)  # (b, heads, tokens, head_dim)
    ### END SOLUTION


# %% check="split-heads" points=2
check("split-heads")

# %% id="split-heads-shown"
split_heads(numbered, 2)


# %% [markdown] id="bug-view-task"
# ### Task 5 · Find the bug: the heads that see the future
#
# *10 minutes · change three lines · task id* `bug-view-without-transpose`
#
# A colleague wrote `CausalHeads`. The shapes fit, no error appears, and the mask is in place. The test below
# changes only the *last* token, "step". With the code as
# given it reports:
#
# `outputs that change with the last token: ['one', 'step']`
#
# A causal head must report `['step']` alone. Find out how "one" can depend on "step", and fix the class. Ask
# what is in row $i$ of a head.


# %% answer="bug-view-without-transpose"
### BEGIN SOLUTION
class CausalHeads(nn.Module):
    """Causal attention with several heads, without dropout and without an output projection.

    Shapes:
        x: (b, tokens, d_in)
        returns: (b, tokens, d_out)
    """

    def __init__(self, d_in, d_out, context_length, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer(
            "mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()
        )

    def forward(self, x):
        b, num_tokens, _ = x.shape
        # each: (b, tokens, d_out) -> (b, tokens, heads, head_dim) -> (b, heads, tokens, head_dim)
        queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

        scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
        context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
        return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)


### END SOLUTION
### BEGIN FAULTY
# class CausalHeads(nn.Module):
#     """Causal attention with several heads, without dropout and without an output projection.
#
#     Shapes:
#         x: (b, tokens, d_in)
#         returns: (b, tokens, d_out)
#     """
#
#     def __init__(self, d_in, d_out, context_length, num_heads):
#         super().__init__()
#         self.num_heads = num_heads
#         self.head_dim = d_out // num_heads
#         self.W_query = nn.Linear(d_in, d_out, bias=False)
#         self.W_key = nn.Linear(d_in, d_out, bias=False)
#         self.W_value = nn.Linear(d_in, d_out, bias=False)
#         self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())
#
#     def forward(self, x):
#         b, num_tokens, _ = x.shape
#         # each: (b, tokens, d_out) -> (b, heads, tokens, head_dim)
#         queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
#         keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
#         values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
#
#         scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
#         scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
#         weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
#         context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
#         return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
### END FAULTY


# %% id="bug-view-symptom"
def changed_by_the_last(module, x):
    """Positions whose output changes when nothing but the last token of x does."""
    other = x.clone()
    other[:, -1] += 1.0
    difference = (module(other) - module(x)).abs().amax(dim=(0, 2))  # (b, tokens, d_out) -> (tokens,)
    return [position for position, size in enumerate(difference.tolist()) if size > 1e-6]


torch.manual_seed(123)
changed = changed_by_the_last(CausalHeads(3, 4, 6, 2), batch)
print("outputs that change with the last token:", [tokens[position] for position in changed])

# %% check="bug-view-without-transpose" points=2
check("bug-view-without-transpose")


# %% [markdown] id="merge-intro"
# ## 5 · Back to one vector for each token
#
# After attention each head holds contexts: (b, heads, tokens, head_dim). To join them, go the way back: the
# token axis to the front, then `heads` and `head_dim` made one. Here `view` refuses:

# %% id="not-contiguous"
contexts = torch.arange(12.0).view(1, 2, 3, 2)  # (b, heads, tokens, head_dim)
turned = contexts.transpose(1, 2)  # (b, tokens, heads, head_dim)
print(
    "contexts", tuple(contexts.shape), "strides", contexts.stride(), "contiguous:", contexts.is_contiguous()
)
print("turned  ", tuple(turned.shape), "strides", turned.stride(), "contiguous:", turned.is_contiguous())
try:
    turned.view(1, 3, 4)
except RuntimeError as error:
    print("view:", error)


# %% [markdown] id="not-contiguous-read"
# A tensor is one row of numbers in memory and, for each axis, a **stride**: how many numbers to step for the
# next entry. `transpose` moves nothing; it swaps two strides. In `turned`, the last number of head 0 and the
# first of head 1 no longer lie side by side. No single stride describes the two axes as one, so `view`
# refuses. A tensor whose numbers lie in reading order is **contiguous**. `.contiguous()` copies the numbers
# into that order, and then `view` works. `reshape` does both, and copies only if it must.
#
# ### Task 6 · Merge the heads
#
# *8 minutes · one or two lines · task id* `merge-heads`
#
# Write `merge_heads(context)`, which undoes `split_heads`: each token's pieces side by side again, head 0
# first.


# %% answer="merge-heads"
def merge_heads(context):
    """Join the heads' pieces to one vector for each token.

    Shapes:
        context: (b, heads, tokens, head_dim)
        returns: (b, tokens, d_out) with d_out = heads * head_dim
    """
    ### BEGIN SOLUTION
    b, num_heads, num_tokens, head_dim = context.shape
    pieces = context.transpose(1, 2)  # (b, tokens, heads, head_dim)
    return pieces.contiguous().view(b, num_tokens, num_heads * head_dim)  # (b, tokens, d_out)
    ### END SOLUTION


# %% check="merge-heads" points=2
check("merge-heads")

# %% id="merge-heads-shown"
# needs split_heads, merge_heads
print(merge_heads(split_heads(numbered, 2)))


# %% [markdown] id="bug-merge-task"
# ### Task 7 · Find the bug: it trains, and it is wrong
#
# *8 minutes · change one line · task id* `bug-merge-without-transpose`
#
# `EncoderHeads` has no mask, so no test for the future can find anything. Still it breaks a rule that
# attention without mask and positions must keep: **if the tokens come in another order, the outputs come in
# that order too, and are otherwise the same.**
#
# The cell below also trains it on something easy: each token is to give its own vector back. With the code as
# given it reports:
#
# `the error falls from 1.03 to 0.95` and `shuffled tokens give shuffled outputs: False`
#
# Fix the class, and see how far the error can fall.


# %% answer="bug-merge-without-transpose"
### BEGIN SOLUTION
class EncoderHeads(nn.Module):
    """Attention with several heads and without a mask.

    Shapes:
        x: (b, tokens, d_in)
        returns: (b, tokens, d_out)
    """

    def __init__(self, d_in, d_out, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        b, num_tokens, _ = x.shape
        # each: (b, tokens, d_out) -> (b, tokens, heads, head_dim) -> (b, heads, tokens, head_dim)
        queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

        scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
        weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
        context = weights @ values  # (b, heads, tokens, head_dim)
        context = context.transpose(1, 2).reshape(b, num_tokens, -1)  # (b, tokens, d_out)
        return self.out_proj(context)  # (b, tokens, d_out)


### END SOLUTION
### BEGIN FAULTY
# class EncoderHeads(nn.Module):
#     """Attention with several heads and without a mask.
#
#     Shapes:
#         x: (b, tokens, d_in)
#         returns: (b, tokens, d_out)
#     """
#
#     def __init__(self, d_in, d_out, num_heads):
#         super().__init__()
#         self.num_heads = num_heads
#         self.head_dim = d_out // num_heads
#         self.W_query = nn.Linear(d_in, d_out, bias=False)
#         self.W_key = nn.Linear(d_in, d_out, bias=False)
#         self.W_value = nn.Linear(d_in, d_out, bias=False)
#         self.out_proj = nn.Linear(d_out, d_out)
#
#     def forward(self, x):
#         b, num_tokens, _ = x.shape
#         # each: (b, tokens, d_out) -> (b, tokens, heads, head_dim) -> (b, heads, tokens, head_dim)
#         queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
#         keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
#         values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
#
#         scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
#         weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
#         context = weights @ values  # (b, heads, tokens, head_dim)
#         context = context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
#         return self.out_proj(context)  # (b, tokens, d_out)
### END FAULTY


# %% id="bug-merge-symptom" tags=["shown"]
def error_before_and_after(module, steps=200):
    """Train a module for some steps to give each token its own vector back; the error before and after."""
    errors = []
    for _ in range(steps):
        x = torch.randn(32, 6, 4)  # (b, tokens, d_in), new sentences in each step
        error = (module(x) - x).square().mean()
        errors.append(error.item())
        gradients = torch.autograd.grad(error, list(module.parameters()))
        with torch.no_grad():
            for parameter, gradient in zip(module.parameters(), gradients):
                parameter -= gradient
    return errors[0], errors[-1]


torch.manual_seed(123)
encoder = EncoderHeads(4, 4, 2)
x = torch.randn(1, 6, 4)  # (b, tokens, d_in)
order = torch.tensor([3, 1, 5, 0, 2, 4])
same = torch.allclose(encoder(x[:, order]), encoder(x)[:, order], atol=1e-5)
start, end = error_before_and_after(encoder)
print(f"the error falls from {start:.2f} to {end:.2f}")
print("shuffled tokens give shuffled outputs:", same)

# %% check="bug-merge-without-transpose" points=2
check("bug-merge-without-transpose")


# %% [markdown] id="bug-merge-read"
# With the fix the error falls below 0.2. A falling loss does not show that the class computes the right
# thing: here each token got pieces of other tokens, and no output projection can undo that.

# %% [markdown] id="fused-intro"
# ## 6 · The fused class
#
# Nine steps lead from tokens to context vectors. The numbers are those of the batch: b = 2, tokens = 6, d_in =
# 3, d_out = 4, two heads, and so head_dim = 2.
#
# | step | what happens | shape | here |
# | --- | --- | --- | --- |
# | 1 | input | (b, tokens, d_in) | (2, 6, 3) |
# | 2 | project to queries, keys, values | (b, tokens, d_out) | (2, 6, 4) |
# | 3 | split into heads | (b, heads, tokens, head_dim) | (2, 2, 6, 2) |
# | 4 | scores: in each head, every query meets every key | (b, heads, tokens, tokens) | (2, 2, 6, 6) |
# | 5 | mask: later keys are hidden | the same | (2, 2, 6, 6) |
# | 6 | softmax, then dropout | the same | (2, 2, 6, 6) |
# | 7 | weights times values | (b, heads, tokens, head_dim) | (2, 2, 6, 2) |
# | 8 | merge the heads | (b, tokens, d_out) | (2, 6, 4) |
# | 9 | output projection | (b, tokens, d_out) | (2, 6, 4) |
#
# Four details decide whether it is right:
#
# - **Scale by** $\sqrt{\text{head\_dim}}$, not by $\sqrt{d_{out}}$: a score is a sum of `head_dim` products.
#   Dividing by more makes the weights too even, and nothing else shows it.
# - **The mask needs no head axis.** (tokens, tokens) is broadcast over b and heads. Cut it to the tokens that
#   are present. It is a buffer, so it moves with the weights and is saved with them.
# - **`d_out` must be divisible by `num_heads`**, or some numbers would belong to no head. Say so in `__init__`.
# - **`out_proj`**, an `nn.Linear(d_out, d_out)` with its bias, is the matrix of blocks from section 2.
#
# ### Task 8 · Multi-head attention
#
# *25 minutes · a class · task id* `multi-head-attention`
#
# Finish `MultiHeadAttention` with `W_query`, `W_key`, `W_value`, `out_proj` and the buffer `mask`. Dropout
# acts on the weights, as in lesson 04. You may use your `split_heads` and `merge_heads`. Where `num_heads`
# does not divide `d_out`, raise a `ValueError` in `__init__`. Large scores must not overflow. Let all heads attend
# at once, without a loop over them. Write the class yourself: with PyTorch's `F.scaled_dot_product_attention` or
# `nn.MultiheadAttention` in it, it earns at most 2 of the 6 points.


# %% answer="multi-head-attention"
class MultiHeadAttention(nn.Module):
    """Causal multi-head attention in a few large matrix products.

    Shapes:
        x: (b, tokens, d_in)
        returns: (b, tokens, d_out)
    """

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        ### BEGIN SOLUTION
        if d_out % num_heads != 0:
            raise ValueError(f"d_out ({d_out}) must be divisible by num_heads ({num_heads})")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        num_tokens = x.shape[1]
        queries = split_heads(self.W_query(x), self.num_heads)  # (b, heads, tokens, head_dim)
        keys = split_heads(self.W_key(x), self.num_heads)  # (b, heads, tokens, head_dim)
        values = split_heads(self.W_value(x), self.num_heads)  # (b, heads, tokens, head_dim)

        scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
        scores = scores.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
        weights = self.dropout(weights)

        context = merge_heads(weights @ values)  # (b, heads, tokens, head_dim) -> (b, tokens, d_out)
        return self.out_proj(context)  # (b, tokens, d_out)
        ### END SOLUTION


# %% check="multi-head-attention" points=6
check("multi-head-attention")

# %% id="multi-head-attention-shown"
# needs MultiHeadAttention
torch.manual_seed(123)
batch_size, context_length, d_in = batch.shape
d_out, num_heads = 4, 2
mha = MultiHeadAttention(d_in, d_out, context_length, 0.0, num_heads)
context_vecs = mha(batch)
print(context_vecs.shape)


# %% [markdown] id="shapes-live"
# Now watch your own class go through the table. `track_shapes` notes every operation of your `forward`: its
# line, what goes in, what comes out, the strides, and whether memory is shared. The sizes below all differ.
# Find the nine steps.

# %% id="shapes-live-shown" tags=["figure", "shown"]
sizes = {"b": 5, "tokens": 7, "d_in": 3, "d_out": 8, "heads": 2, "head_dim": 4}
for_each_head = ("b", "heads", "tokens", "head_dim")
for_each_pair = ("b", "heads", "tokens", "tokens")
steps = [
    (("queries", "query", "q"), for_each_head),
    (("keys", "key", "k"), for_each_head),
    (("values", "value", "v"), for_each_head),
    (("scores", "attn_scores"), for_each_pair),
    (("weights", "attn_weights", "softmax()"), for_each_pair),
    ("output", ("b", "tokens", "d_out")),
]
shapes = track_shapes(MultiHeadAttention(3, 8, 10, 0.0, num_heads=2), expected=steps, **sizes)
shapes(torch.ones(5, 7, 3))  # (b, tokens, d_in)
shapes

# %% id="shapes-flow" tags=["figure", "shown"]
shapes.flow()


# %% [markdown] id="shapes-read"
# In the column *memory*, find the views: `view` and `transpose` copy nothing. In the column *strides*, see
# what `transpose` does. If your class takes another way, with einsum say, your table is different and just as
# right. `with track_shapes() as t:` works around any code of yours; then show `t`.
#
# A width that three heads cannot share, and a larger batch of random tokens:

# %% id="not-divisible-shown"
# needs MultiHeadAttention
try:
    MultiHeadAttention(3, 4, 6, 0.0, num_heads=3)
    print("No error, though one of the four numbers would belong to no head.")
except (ValueError, AssertionError) as error:
    print(f"{type(error).__name__}: {error}")

# %% id="random-batch-shown"
# needs MultiHeadAttention
torch.manual_seed(123)
random_batch = torch.randn(4, 10, 16)  # (b, tokens, d_in)
context_vecs = MultiHeadAttention(16, 2, 10, 0.0, num_heads=2)(random_batch)
print("context_vecs.shape:", context_vecs.shape)


# %% [markdown] id="journey-intro"
# ### One number's journey
#
# Follow one query through head 0: its row is cut, the future is hidden, and the contexts of both heads are joined. Press <kbd>Space</kbd> on the picture for the next stop, or use the arrow keys.

# %% id="journey" tags=["figure"]
parts = ("W_query", "W_key", "W_value")
explore_journey(
    *(inputs @ torch.cat([getattr(head, part).weight for head in (head_0, head_1)]).T for part in parts),
    tokens,
    query=3,
    causal=True,
    heads=2,
)

# %% [markdown] id="copy-intro"
# ## 7 · Two classes, one function
#
# `MultiHeadAttentionWrapper` and `MultiHeadAttention` should be the same function of the same numbers. Prove
# it:
#
# `nn.Linear` keeps its matrix as (out, in) and multiplies by the transpose. So the *columns* of the wide
# projection that belong to head 0 are the first **rows** of `W_query.weight`:

# %% id="weight-shapes"
# needs MultiHeadAttentionWrapper, MultiHeadAttention
for name, parameter in [*stack.named_parameters(), *mha.named_parameters()]:
    print(f"{name:24}{tuple(parameter.shape)}")


# %% [markdown] id="slices-intro"
# **Predict first.** Then choose head 1, and go from the stack to the fused class. The numbers are those of the
# two heads in the figure of section 4.

# %% id="predict-rows-of-head-1"
predict(
    "rows-of-head-1",
    "Two heads of width 2: which rows of the wide W_query.weight belong to head 1?",
    (
        "0 and 1",
        "1 and 3",
        "2 and 3",
    ),
)

# %% id="slices-explorer" tags=["figure"]
explore_slices(torch.stack((head_0.W_query.weight, head_1.W_query.weight)))  # (heads, head_dim, d_in)

# %% id="came-rows-of-head-1"
reveal("rows-of-head-1", len(head_0.W_query.weight))


# %% [markdown] id="copy-into-fused-task"
# ### Task 9 · From the stack into the fused class
#
# *10 minutes · a few lines · task id* `copy-into-fused`
#
# Write `copy_into_fused(wrapper, fused)`, for modules made without `qkv_bias`. It writes the heads' weights
# into the wide matrices of `fused`, sets `out_proj` to the identity matrix with a bias of zeros, and returns
# `fused`. Write into parameters under `torch.no_grad()`, with `parameter.copy_(values)`.


# %% answer="copy-into-fused"
def copy_into_fused(wrapper, fused):
    """Give a fused `MultiHeadAttention` the weights of a `MultiHeadAttentionWrapper`, and return it."""
    ### BEGIN SOLUTION
    with torch.no_grad():
        for name in ("W_query", "W_key", "W_value"):
            narrow = [getattr(head, name).weight for head in wrapper.heads]  # each (head_dim, d_in)
            getattr(fused, name).weight.copy_(torch.cat(narrow, dim=0))  # (heads * head_dim, d_in)
        fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))  # (d_out, d_out)
        fused.out_proj.bias.zero_()
    return fused
    ### END SOLUTION


# %% check="copy-into-fused" points=3
check("copy-into-fused")

# %% id="copy-into-fused-shown"
# needs MultiHeadAttentionWrapper, MultiHeadAttention, copy_into_fused
fused = copy_into_fused(stack, MultiHeadAttention(3, 4, 6, 0.0, num_heads=2))
print(fused(batch)[0])
print("largest difference below 1e-6:", bool((fused(batch) - stack(batch)).abs().max() < 1e-6))


# %% [markdown] id="copy-read"
# Whatever the stack computes, the fused class can compute too. The reverse does not hold: `out_proj` mixes
# the heads, and the stack only puts them side by side.
#
# ## In your own words
#
# *8 minutes · three to six sentences · read by a person, 3 points*
#
# A colleague says: "Four heads of width 16 or one head of width 64, that is the same number of parameters. So
# one wide head can do the same, and I save myself the splitting." Answer. Say what a single row of weights
# cannot do, use the numbers from section 2, and name what more heads cost.

# %% [markdown] answer="why-many-heads-in-words" points=3
# ### BEGIN SOLUTION
# A head has one row of weights for each token, so all columns of its context hold the same mixture of tokens.
# If the tokens use the same directions, no later matrix can take that mixture apart, however wide the head is.
# In section 2 one head left an error of at least 0.46 out of 1.10, although it was given the best possible
# matrix; two heads left 0. Four heads have four rows of weights for each token, and each writes into directions
# of its own. (Where the tokens already have directions of their own, one head can be enough.) The price: each
# head scores in only 16 dimensions instead of 64, and there are four tokens × tokens matrices of weights
# instead of one.
#
# **Marking scheme**
#
# - 1 point: one head has one row of weights per token, so all its columns hold the same mixture, whatever
#   the width; several heads have several rows. No point for "a sum can never be taken apart": it can where
#   its parts have directions of their own.
# - 1 point: uses the measurement: one head leaves at least 0.46 (two fifths) at every weight; two
#   heads leave none.
# - 1 point: names a price of more heads, such as a smaller `head_dim` for each, or more score matrices in
#   memory.
# ### END SOLUTION

# %% [markdown] id="break-it-intro"
# ## 8 · Break it
#
# *If you have time left.* Four bugs that you have met leave all shapes right, raise no error, and let the
# loss fall. Below, a class with two causal heads of width 64 does the work of section 2, trained with every
# mixture of the four bugs. An error of about 1 means that nothing was learned.
#
# **Predict first.** Then switch the bugs on, one at a time:
#
# 1. Which of the four change what a row of weights adds up to?
# 2. Without $\sqrt{d_k}$, does less gradient reach the scores? And the queries?
#
# Then switch on two together. Can a second bug make the curve better?

# %% id="predict-quiet-bug"
predict(
    "quiet-bug",
    "One bug hardly shows in the curve, and would still spoil a model that writes text. Which one?",
    (
        "no √d_k",
        "softmax over the queries",
        "mask after softmax, no renormalising",
        "no transpose(1, 2) of the heads",
    ),
)

# %% id="break-it" tags=["figure"]
explore_bugs(tokens)

# %% id="came-quiet-bug" tags=["shown"]
reveal("quiet-bug", BUGS[min(BUGS, key=lambda bug: train(frozenset({bug}), len(tokens)).error)])


# %% [markdown] id="break-it-read"
# <details><summary>What to see</summary>
#
# 1. *Softmax over the queries*: rows add up to 0.11 to 2.64. *The mask after softmax*: 0.10 is left of the
#    poorest row. The other two leave every row at 1.00, so no sum shows them.
# 2. Without the division one token takes nearly all (the entropy falls from 0.96 to 0.34), and 0.24 times as
#    much gradient reaches the scores. The queries get 1.91 times as much, because the right class divides by
#    8 once more on the way to them.
# 3. The mask after softmax: 0.04 in place of 0.02. But 5 of 5 outputs change with a later token, because the
#    future is in every denominator. A model that writes text has no later tokens, so it meets numbers that it
#    was not trained on.
#
# Softmax over the queries alone ends at 0.64; with the mask after softmax as well it ends at 0.18. A better
# curve does not show that a bug is gone.
#
# All these numbers are of one seed. Over ten others the mask after softmax was the quietest of the four bugs in
# nine, and the second bug made the curve of the first better in all ten.
#
# </details>

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape here | axes |
# | --- | --- | --- | --- |
# | wrapper | `torch.cat([head(x) for head in self.heads], dim=-1)` | (2, 6, 4) | b, tokens, heads × d_out |
# | project | `self.W_query(x)` | (2, 6, 4) | b, tokens, d_out |
# | split | `.view(b, tokens, heads, head_dim).transpose(1, 2)` | (2, 2, 6, 2) | b, heads, tokens, head_dim |
# | scores | `queries @ keys.transpose(2, 3)` | (2, 2, 6, 6) | b, heads, query, key |
# | weights | `softmax(masked scores / head_dim ** 0.5, dim=-1)` | (2, 2, 6, 6) | b, heads, query, key |
# | context | `weights @ values` | (2, 2, 6, 2) | b, heads, tokens, head_dim |
# | merge | `.transpose(1, 2).contiguous().view(b, tokens, d_out)` | (2, 6, 4) | b, tokens, d_out |
# | mix | `self.out_proj(context)` | (2, 6, 4) | b, tokens, d_out |
#
# - One head has one row of weights for each token. Two heads have two, and can write into different
#   directions.
# - `view` cuts, `transpose` brings the heads to the front and back. A right shape proves nothing about the
#   content: a changed last token and a shuffled sentence do.
# - In the wrapper `d_out` is the width of one head; in the fused class it is the width of all.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. GPT-2 has d_out = 768 and 12 heads. What are its scores divided by?</summary>
#
# By √64 = 8, because head_dim is 768 / 12 = 64.
#
# </details>
#
# <details><summary>2. You double num_heads and leave d_out alone. Does the number of parameters change?</summary>
#
# No: the matrices are (d_out, d_in) whatever the number of heads. There are twice as many attention maps,
# each made from vectors half as long.
#
# </details>
#
# <details><summary>3. Two heads have the same weights and the same block of <code>out_proj</code>. What does the second one add?</summary>
#
# Nothing that the first could not do alone. Without dropout both get the same gradients, so training keeps them
# equal. That is one reason why weights start at random.
#
# </details>
#
# <details><summary>4. <code>split_heads</code> needs no copy. Why does <code>merge_heads</code>?</summary>
#
# The output of a projection lies in reading order, and cutting the last axis in two moves nothing. The output
# of `transpose` does not, and two axes that are not neighbours in memory cannot become one without a copy.
#
# </details>
#
# <details><summary>5. Could the heads use masks that differ?</summary>
#
# Yes: a mask of (heads, tokens, tokens) is broadcast over the batch. A padding mask differs from sentence to
# sentence instead, and needs the shape (b, 1, 1, tokens). Lesson 06 makes one.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Build a Large Language Model (From Scratch)**, Raschka, 2024, chapter 3. The classes `MultiHeadAttentionWrapper`
#   and `MultiHeadAttention`, their arguments, the tensor of shape (1, 2, 3, 4) and the order of the two are that
#   chapter's.
# - **Attention Is All You Need**, Vaswani and others, 2017. Section 3.2.2: why several heads, and their sizes.
# - **What Does BERT Look At?**, Clark and others, 2019. Sections 3 and 4 find heads for the token before and for parts
#   of a sentence.
# - **Analyzing Multi-Head Self-Attention**, Voita and others, 2019. Three kinds of heads do most of the work in a
#   translator, and many others can be removed.
# - **Are Sixteen Heads Really Better than One?**, Michel, Levy and Neubig, 2019. Removes heads from trained models and
#   measures what is lost.
# - **A Mathematical Framework for Transformer Circuits**, Elhage and others, 2021. Heads as a sum of parts that add to
#   one stream, as in section 2.
# - **Low-Rank Bottleneck in Multi-head Attention Models**, Bhojanapalli and others, 2020. What narrow heads cannot do.

# %% id="progress"
progress("05-multi-head")
