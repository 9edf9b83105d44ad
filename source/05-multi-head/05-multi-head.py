# %% [markdown] id="title"
# # 05 · Many heads
#
# One attention gives each token one softmax: one unit of attention to share out. Yet a word often needs two
# things at once, the word before it and the subject of the sentence, say, and needs to know which is which.
# **Multi-head attention** lets every token look several times at the same moment. In this lesson you first
# measure what a single look cannot do, then build many looks twice: as a stack of the class from lesson 04,
# and as the one fused class that GPT-2 and its relatives use. At the end you prove that the two are the same.
#
# **When you are done you can**
#
# - show with numbers why one head, however wide, cannot do the work of two;
# - write `MultiHeadAttentionWrapper` and the fused `MultiHeadAttention`, and say what each axis counts at
#   each step;
# - split a tensor into heads and merge it again, and recognise both steps done wrong by what they do to the
#   output;
# - copy the weights of one class into the other and show that the results agree to 1e-6.
#
# **Time:** about 120 minutes. **Before you start:** lesson 04 (`CausalAttention`, batches, the `mask`
# buffer), `nn.Module` and `nn.Linear`.

# %% id="setup"
import torch
from torch import nn

from autograder import check, hint, progress
from visuals import (
    attention_map,
    explore_bugs,
    explore_heads,
    explore_slices,
    head_trade_off,
    split_projection,
    stacked_heads,
    track_shapes,
)

# %% [markdown] id="batch-intro"
# ## The sentence, twice
#
# The six tokens are those of the other lessons. As in lesson 04 two copies of the sentence make a **batch**,
# with the axes (b, tokens, d_in).

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
# Both sentences are the same, so whatever comes out must come out twice. That is handy for reading, and it
# hides mistakes: a batch of copies cannot show that two sentences got mixed up. The checks use sentences that
# differ.
#
# Here is the class you finish lesson 04 with. Each token makes three vectors from its embedding: a **query**
# (what it looks for), a **key** (what it can be found by) and a **value** (what it hands over when it is
# found). The scores are queries times keys, divided by $\sqrt{d_{out}}$; the mask closes the future with
# $-\infty$; softmax makes weights; dropout drops some of them in training; the context is the weighted sum of
# the values. One such attention, with its own three matrices and its own softmax, is called a **head**.


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
        scores = scores.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)

    def forward(self, x):
        return self.dropout(self.weights(x)) @ self.W_value(x)  # (b, tokens, d_out)


# %% id="mask-shown"
CausalAttention(3, 2, 6, 0.0).mask

# %% [markdown] id="one-look-intro"
# ## 1 · One softmax is one look
#
# A measurement first. Take 40 made-up stories of 12 tokens, each token four random numbers, so that no token
# tells anything about another. Every token has two wishes: the vector of the token **before** it, and the
# vector of the **first** token of its story. (The first token has none before it, and takes itself.)
#
# A *look* is a matrix of attention weights: row $i$ says how token $i$ shares out its attention. Each wish
# alone is met by a look with a single 1 in each row.

# %% id="stories-made"
torch.manual_seed(24)
stories = torch.randn(40, 12, 4)  # (b, tokens, d_in)


def look_back(num_tokens):
    """Each token looks at the one before it: (tokens, tokens)."""
    return torch.eye(num_tokens)[[0, *range(num_tokens - 1)]]


def look_first(num_tokens):
    """Each token looks at the first one: (tokens, tokens)."""
    return torch.eye(num_tokens)[[0] * num_tokens]


before = look_back(12) @ stories  # (b, tokens, d_in)
first = look_first(12) @ stories  # (b, tokens, d_in)
wanted = torch.cat((before, first), dim=-1)  # (b, tokens, 2 * d_in)
wanted.shape

# %% id="looks-shown" tags=["figure"]
attention_map(
    torch.stack((look_back(6), look_first(6))), tokens, title="Two looks: at the token before, at the first"
)

# %% [markdown] id="one-look-error"
# A head with the weights $A$ gives $A\,X\,W_v$, and the layers after it can only work with that. How well can
# a head do at best? Give it the most favourable matrix there is, of any width, found by least squares rather
# than by training. `error_left` does that: it takes contexts $A\,X$, finds the linear map that comes closest
# to what is wanted, and returns the mean squared error that is left. (Around 1 means that nothing was
# learned: the random numbers have a mean square of about 1.)


# %% id="error-left"
def error_left(contexts, wanted):
    """The smallest mean squared error with which a linear map can turn contexts into what is wanted.

    Shapes:
        contexts: (b, tokens, features)
        wanted: (b, tokens, d_wanted)
        returns: one number
    """
    rows = contexts.flatten(0, 1)  # (b, tokens, features) -> (b * tokens, features)
    goals = wanted.flatten(0, 1)  # (b, tokens, d_wanted) -> (b * tokens, d_wanted)
    best_map = torch.linalg.lstsq(rows, goals).solution  # (features, d_wanted)
    return (rows @ best_map - goals).square().mean()


# %% [markdown] id="error-with-heads-task"
# Several heads stand side by side: each makes contexts of its own, and the contexts of one token are
# **joined** into one longer vector. The map that follows sees all of them and knows which number came from
# which head.
#
# ### Task 1 · What several looks leave undone
#
# *10 minutes · three lines · task id* `error-with-heads`
#
# Write `error_with_heads(weights, x, wanted)`. `weights` holds one look for each head. Make each head's
# contexts, join them along the last axis, and return `error_left` of the result. It must work for any number
# of heads.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "error-with-heads-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "error-with-heads", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("error-with-heads")

# %% [markdown] id="trade-off-predict"
# **Predict, then run.** One head may divide its attention: a share $s$ on the first token, $1 - s$ on the one
# before. The next cell tries every share. Which one do you expect to be best, and how good?

# %% id="trade-off-measured"
shares = torch.linspace(0, 1, 21)
one_head = {"before": [], "first": [], "both": []}
for share in shares:
    look = ((1 - share) * look_back(12) + share * look_first(12))[None]  # (1, tokens, tokens)
    for name, wish in {"before": before, "first": first, "both": wanted}.items():
        one_head[name].append(error_with_heads(look, stories, wish))
two_heads = error_with_heads(torch.stack((look_back(12), look_first(12))), stories, wanted)

# %% id="trade-off-figure" tags=["figure"]
head_trade_off(shares, one_head["before"], one_head["first"], one_head["both"], two_heads)

# %% [markdown] id="trade-off-read"
# What the head gains on one wish it loses on the other. Wherever it stands, at least 0.46 is left, two fifths
# of all there was to learn, and **no width helps**: the least-squares map already was the best of all
# matrices. A row that looked elsewhere as well would only mix in tokens that nobody asked for. The
# information is lost one step earlier, when one row of weights added two vectors into one. Two heads leave no
# error at all.
#
# **The tempting shortcut.** Why join the heads' contexts, when adding them would keep the vector short?
# Because a sum forgets who said what:

# %% id="added-heads"
print("joined:", round(float(error_left(torch.cat((before, first), dim=-1), wanted)), 4))
print("added: ", round(float(error_left(before + first, wanted)), 4))

# %% [markdown] id="added-heads-read"
# Added, two heads are as poor as one head that looks half here and half there, because $A_1X + A_2X$ is
# $(A_1 + A_2)X$. Their contexts have to stay apart until a projection has seen them side by side.
#
# The two looks above were made by hand. In a trained model nobody assigns them. People who look inside find
# heads for the token before, for the opening bracket, for the subject of a verb or its tense, and many that
# defy a name.
#
# ### Try it
#
# Four looks at the sentence, of kinds that trained models are known to have. Choose the token that looks, and
# see the heads side by side or laid over one another. **Predict first:** in the superposed view, can you
# still tell where each head looked? The mean in the last column is all that a single head could offer in
# their place.

# %% id="explorer" tags=["figure"]
itself = torch.eye(6)  # (tokens, tokens)
evenly = torch.tril(torch.ones(6, 6)) / torch.arange(1, 7)[:, None]  # (tokens, tokens)
four_looks = torch.stack((itself, look_back(6), look_first(6), evenly))  # (heads, tokens, tokens)
explore_heads(four_looks, tokens)

# %% [markdown] id="stack-intro"
# ## 2 · Stack the heads
#
# The plainest way to many heads: make several `CausalAttention`, give each the **whole** token, and join
# their contexts along the last axis. Each head draws its own three matrices, so each looks in its own way.

# %% id="stack-figure" tags=["figure"]
torch.manual_seed(123)
head_0, head_1 = CausalAttention(3, 2, 6, 0.0), CausalAttention(3, 2, 6, 0.0)
stacked_heads(
    [head.weights(batch)[0] for head in (head_0, head_1)],
    [head(batch)[0] for head in (head_0, head_1)],
    tokens,
)

# %% [markdown] id="stack-read"
# With random matrices both heads share out their attention almost evenly. Training is what pulls them apart.
# What matters here is the flow: one sentence in, two maps, two contexts of width 2, joined to one of width 4.
#
# Where do the heads live in a module? In an `nn.ModuleList`. A plain Python list looks the same and is a
# trap:


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
# A module looks for parameters among its attributes, and does not look inside a list. The optimiser would
# never train those heads, `state_dict()` would not save them, and `.to(device)` would leave them behind, all
# of it without an error.
#
# ### Task 2 · A stack of heads
#
# *10 minutes · two statements · task id* `multi-head-wrapper`
#
# Finish `MultiHeadAttentionWrapper`. Its heads stand in `self.heads`; each is a `CausalAttention` that gets
# all of `d_in`, `d_out`, `context_length`, `dropout` and `qkv_bias`. **Predict the shape first:** here
# `d_out` is the width of *one* head. With `d_out=2` and two heads, what is the last axis of the result?


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "multi-head-wrapper-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "multi-head-wrapper", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 4}
check("multi-head-wrapper")

# %% id="multi-head-wrapper-shown"
torch.manual_seed(123)
context_length = batch.shape[1]  # 6
d_in, d_out = batch.shape[-1], 2
stack = MultiHeadAttentionWrapper(d_in, d_out, context_length, 0.0, num_heads=2)
stack(batch)

# %% [markdown] id="multi-head-wrapper-read"
# Columns 0 and 1 are the context vectors of `CausalAttention` in lesson 04: head 0 is drawn first, under the
# same seed. Columns 2 and 3 are head 1's. Both sentences give the same rows, because they are the same
# sentence.
#
# ## 3 · All heads in one matrix product
#
# The stack is right, and slow. Its heads wait for one another in a Python loop: twelve heads make 36 small
# projections, twelve small score matrices, and a GPU that spends its time waiting for the next order. The
# same arithmetic fits into a few large products, if the heads become an **axis**.
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
# Take `a` as queries and as keys. Make `head_scores`: for each head, every token's dot product with every
# token of that head, in one matrix product and without a loop. Write the shapes down first. Which two axes of
# the right side must change places, and what shape is left?

# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "batched-head-scores-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
head_scores = a @ a.transpose(2, 3)  # (1, 2, 3, 4) @ (1, 2, 4, 3) -> (1, 2, 3, 3)
### END SOLUTION

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "batched-head-scores", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("batched-head-scores")

# %% id="batched-head-scores-shown"
if torch.is_tensor(head_scores):
    print(head_scores)

# %% [markdown] id="head-by-head"
# The same, one head after the other. For a matrix of two axes `.T` is the transpose, and it is the only kind
# of tensor that it is meant for.

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
# The scores now come from one product. Where do the queries of all heads come from? From one product as well:
# put the narrow matrices of the heads side by side, and they make one wide matrix.

# %% id="split-figure" tags=["figure"]
split_projection(inputs, torch.cat((head_0.W_query.weight, head_1.W_query.weight)), 2, tokens)

# %% [markdown] id="split-read"
# The wide matrix turns each token into `d_out` = 4 numbers; the first two are head 0's query, the last two
# head 1's. So in the fused class **`d_out` is the width of all heads together**, and each head gets
#
# $$\text{head\_dim} = d_{out} / \text{heads}$$
#
# Two things that are easily confused: the **projected** vector is cut, never the token itself. Every head
# still sees all of `d_in`. And cutting costs nothing: the numbers stay where they are and only get a new
# axis.
#
# The order of the axes is what takes care. The numbers below say where they belong: 3 tokens, 2 heads of
# width 2, and entry `12` is token 1's third number, so the first of head 1.

# %% id="numbered-made"
numbered = torch.tensor([[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]])  # (b, tokens, d_out)
numbered

# %% [markdown] id="numbered-predict"
# **Predict, then run.** We need (b, heads, tokens, head_dim) = (1, 2, 3, 2), and `view` gives any shape one
# asks for. Which tokens does head 0 get here?

# %% id="numbered-view"
numbered.view(1, 2, 3, 2)

# %% [markdown] id="numbered-read"
# The shape is right, and the content is not: rows 0 and 1 of head 0 are the two halves of *token 0*, and row
# 2 is half of token 1. `view` never moves a number. It reads them in their old order into the new shape, the
# last axis fastest. As each token's numbers lie together, the token axis has to stay in front while `d_out`
# is cut in two; the heads are brought forward afterwards, with `transpose`.
#
# ### Task 4 · Split into heads
#
# *8 minutes · one or two lines · task id* `split-heads`
#
# Write `split_heads(x, num_heads)`. Head 0 gets the first `head_dim` numbers of every token, head 1 the next
# ones, and so on.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "split-heads-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "split-heads", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("split-heads")

# %% id="split-heads-shown"
split_heads(numbered, 2)

# %% [markdown] id="bug-view-task"
# ### Task 5 · Find the bug: the heads that see the future
#
# *10 minutes · change three lines · task id* `bug-view-without-transpose`
#
# A colleague wrote `CausalHeads`. Shapes fit, no error comes up, and the mask is in its place. Yet the test
# below changes nothing but the *last* token, "step", and as the code was given it reports:
#
# `outputs that change with the last token: ['one', 'step']`
#
# A causal head must report `['step']` alone. Run both cells, find out how "one" comes to hear of "step",
# which follows it, and mend the class. Look at what stands in row $i$ of a head.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-view-without-transpose-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-view-without-transpose", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("bug-view-without-transpose")

# %% [markdown] id="merge-intro"
# ## 5 · Back to one vector for each token
#
# After attention each head holds contexts: (b, heads, tokens, head_dim). To join them, go back the way you
# came: the token axis to the front again, then `heads` and `head_dim` made one. Here something new gets in
# the way.

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
# A tensor is one row of numbers in memory and, for each axis, a **stride**: how far to step for the next
# entry. `transpose` moves nothing; it swaps two strides. In `turned`, the last number of head 0 and the first
# of head 1 no longer lie side by side, so no stride can describe the two axes as one, and `view` refuses. A
# tensor whose numbers lie in reading order is called **contiguous**. `.contiguous()` copies the numbers into
# that order, and then `view` works; `reshape` does both, and copies only if it must.
#
# ### Task 6 · Merge the heads
#
# *8 minutes · one or two lines · task id* `merge-heads`
#
# Write `merge_heads(context)`, which undoes `split_heads`: each token's pieces side by side again, head 0
# first.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "merge-heads-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "merge-heads", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("merge-heads")

# %% id="merge-heads-shown"
if torch.is_tensor(split_heads(numbered, 2)):
    print(merge_heads(split_heads(numbered, 2)))

# %% [markdown] id="bug-merge-task"
# Split and merged, every number is back in its place.
#
# ### Task 7 · Find the bug: it trains, and it is wrong
#
# *10 minutes · change one line · task id* `bug-merge-without-transpose`
#
# `EncoderHeads` has no mask: every token may look at every other, so no look-ahead test can find anything.
# Its loss falls. Still it breaks a rule that attention without a mask and without positions must keep: **if
# the tokens come in another order, the outputs come in that other order, and are otherwise the same.** As the
# code was given, the cell below reports:
#
# `shuffled tokens give shuffled outputs: False`
#
# Mend the class. The output projection can learn to live with scrambled contexts for one sentence; it cannot
# undo that each token is handed pieces of other tokens.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-merge-without-transpose-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% id="bug-merge-symptom"
def loss_before_and_after(module, x, goal, steps=200):
    """The mean squared error before and after a short training by gradient descent."""
    losses = []
    for _ in range(steps):
        loss = (module(x) - goal).square().mean()
        losses.append(loss.item())
        gradients = torch.autograd.grad(loss, list(module.parameters()))
        with torch.no_grad():
            for parameter, gradient in zip(module.parameters(), gradients):
                parameter -= 0.2 * gradient
    return losses[0], losses[-1]


torch.manual_seed(123)
encoder = EncoderHeads(3, 4, 2).double()
sentence = inputs[None].double()  # (1, tokens, d_in)
order = torch.tensor([3, 1, 5, 0, 2, 4])
same = torch.allclose(encoder(sentence[:, order]), encoder(sentence)[:, order])
start, end = loss_before_and_after(encoder, sentence, torch.randn(1, 6, 4).double())
print(f"the loss falls from {start:.2f} to {end:.2f}")
print("shuffled tokens give shuffled outputs:", same)

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-merge-without-transpose", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 2}
check("bug-merge-without-transpose")

# %% [markdown] id="fused-intro"
# ## 6 · The fused class
#
# All parts are there. Put together, nine steps lead from tokens to context vectors. The numbers are those of
# the batch: b = 2, tokens = 6, d_in = 3, d_out = 4, two heads, and so head_dim = 2.
#
# | step | what happens | shape | here | why |
# | --- | --- | --- | --- | --- |
# | 1 | input | (b, tokens, d_in) | (2, 6, 3) | one embedding for each token |
# | 2 | project to queries, keys, values | (b, tokens, d_out) | (2, 6, 4) | all heads' projections in three wide products |
# | 3 | split into heads | (b, heads, tokens, head_dim) | (2, 2, 6, 2) | each head works on its own piece |
# | 4 | scores | (b, heads, tokens, tokens) | (2, 2, 6, 6) | in each head, every query meets every key |
# | 5 | mask | the same | (2, 2, 6, 6) | no query sees a later key |
# | 6 | softmax, then dropout | the same | (2, 2, 6, 6) | scores become weights; each row adds up to 1 |
# | 7 | weights times values | (b, heads, tokens, head_dim) | (2, 2, 6, 2) | one context for each token and head |
# | 8 | merge the heads | (b, tokens, d_out) | (2, 6, 4) | the heads' contexts side by side |
# | 9 | output projection | (b, tokens, d_out) | (2, 6, 4) | a learned mixture of what the heads found |
#
# Four details decide whether it is right:
#
# - **Scale by** $\sqrt{\text{head\_dim}}$, not by $\sqrt{d_{out}}$. A score is a sum of `head_dim` products,
#   so its spread grows with `head_dim`. Dividing by more makes every head blunter than it should be, and
#   nothing else looks wrong.
# - **The mask has no head axis and needs none.** (tokens, tokens) is broadcast over b and heads, as every
#   head obeys the same rule. It still has to be cut to the tokens that are there, and it is a buffer, so that
#   it moves to the device with the weights and is saved with them.
# - **`d_out` has to be divisible by `num_heads`**, or some numbers would belong to no head. Say so at once,
#   in `__init__`.
# - **`out_proj`**, an `nn.Linear(d_out, d_out)` with its bias, is the only place where heads meet. Up to
#   there they stand side by side without a word between them. Some authors call it optional; in section 1 it
#   was the map that `error_left` looked for.
#
# ### Task 8 · Multi-head attention
#
# *25 minutes · a class · task id* `multi-head-attention`
#
# Finish `MultiHeadAttention` with `W_query`, `W_key`, `W_value`, `out_proj` and the buffer `mask`. Dropout
# falls on the weights, as in lesson 04. You may use your `split_heads` and `merge_heads`. Where `num_heads`
# does not divide `d_out`, raise a `ValueError`. PyTorch's own `nn.MultiheadAttention` would do your work: with
# it, four of the six points are gone.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "multi-head-attention-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "multi-head-attention", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 6}
check("multi-head-attention")

# %% id="multi-head-attention-shown"
torch.manual_seed(123)
batch_size, context_length, d_in = batch.shape
d_out, num_heads = 4, 2
mha = MultiHeadAttention(d_in, d_out, context_length, 0.0, num_heads)
context_vecs = mha(batch)
if torch.is_tensor(context_vecs):
    print(context_vecs.shape)

# %% [markdown] id="shapes-live"
# Now watch your own class go through the table. `track_shapes` notes every operation of your `forward`: the
# line that it stands on, what goes in, what comes out, the strides, and whether memory is shared. Here b,
# heads and head_dim were all 2, and an axis of size 2 could be any of the three. So the next cell takes sizes
# that all differ, and a class that has room for 10 tokens. Find the nine steps.

# %% id="shapes-live-shown" tags=["figure"]
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

# %% id="shapes-flow" tags=["figure"]
shapes.flow()

# %% [markdown] id="shapes-read"
# In the column *memory*, look for the views: `view` and `transpose` copy nothing. In the column *strides*, see
# what `transpose` does to them, and where `contiguous` or `reshape` has to copy. If your class takes another
# way, with einsum say, your table looks different and is just as right. If a shape departs from the nine
# steps, the sentence on top names the line where it begins. You can use `track_shapes` on any code of yours:
# `with track_shapes() as t:` around it, and then `t`.

# %% [markdown] id="not-divisible"
# And a width that three heads cannot share:

# %% id="not-divisible-shown"
try:
    MultiHeadAttention(3, 4, 6, 0.0, num_heads=3)
    print("No complaint, though one of the four numbers would belong to no head.")
except (ValueError, AssertionError) as error:
    print(f"{type(error).__name__}: {error}")

# %% [markdown] id="bug-seed-intro"
# ### A number that nobody can check
#
# One of the notebooks that this course grew from prints the output of this class for a batch of 4 × 10 × 16
# random numbers. You cannot reproduce a single one of them. Its steps were these:
#
# 1. draw the batch with `torch.randn`;
# 2. `torch.manual_seed(123)`;
# 3. make the module, call it on the batch, print the result.
#
# The seed came after the batch was drawn. The weights are the same on every run; the batch is another each
# time, and nobody wrote it down. Only the shape, (4, 10, 2), is certain, and that is what the cell below
# shows. Its values are of our own seed and are nobody's to compare with.
#
# ### Task 9 · Find the bug: a seed that comes too late
#
# *3 minutes · move one line · task id* `bug-seed-too-late`
#
# Mend `random_run`, so that the same seed gives the same result each time. Keep one `manual_seed`, and draw
# the batch before the module is made. As given, the cell below reports `the same twice: False`.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "bug-seed-too-late-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
def random_run(seed, batch_size, num_tokens):
    """One head on random tokens of 16 dimensions.

    Shapes:
        returns: (batch_size, num_tokens, 2)
    """
    torch.manual_seed(seed)
    x = torch.randn(batch_size, num_tokens, 16)  # (b, tokens, d_in)
    head = CausalAttention(16, 2, num_tokens, 0.0)
    return head(x).detach()


### END SOLUTION
### BEGIN FAULTY
# def random_run(seed, batch_size, num_tokens):
#     """One head on random tokens of 16 dimensions.
#
#     Shapes:
#         returns: (batch_size, num_tokens, 2)
#     """
#     x = torch.randn(batch_size, num_tokens, 16)  # (b, tokens, d_in)
#     torch.manual_seed(seed)
#     head = CausalAttention(16, 2, num_tokens, 0.0)
#     return head(x).detach()
### END FAULTY

# %% id="bug-seed-symptom"
print("the same twice:", torch.equal(random_run(123, 4, 10), random_run(123, 4, 10)))

# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "bug-seed-too-late", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 1}
check("bug-seed-too-late")

# %% id="random-batch-shown"
torch.manual_seed(123)
random_batch = torch.randn(4, 10, 16)  # (b, tokens, d_in)
context_vecs = MultiHeadAttention(16, 2, 10, 0.0, num_heads=2)(random_batch)
if torch.is_tensor(context_vecs):
    print("context_vecs.shape:", context_vecs.shape)

# %% [markdown] id="copy-intro"
# ## 7 · Two classes, one function
#
# `MultiHeadAttentionWrapper` and `MultiHeadAttention` should be the same function of the same numbers.
# Should, until someone shows it. A proof by numbers: put the weights of a stack into a fused class, set its
# output projection so that it changes nothing, and compare.
#
# `nn.Linear` keeps its matrix as (out, in) and multiplies by the transpose. So the *columns* of the wide
# projection that belong to head 0 are the first **rows** of `W_query.weight`:

# %% id="weight-shapes"
for name, parameter in [*stack.named_parameters(), *mha.named_parameters()]:
    print(f"{name:24}{tuple(parameter.shape)}")

# %% [markdown] id="slices-intro"
# **Predict first:** which rows of the wide matrix are head 1's? Then choose it, and go from the stack to the
# fused class. The numbers are those of the two heads in the figure of section 2.

# %% id="slices-explorer" tags=["figure"]
explore_slices(torch.stack((head_0.W_query.weight, head_1.W_query.weight)))  # (heads, head_dim, d_in)

# %% [markdown] id="copy-into-fused-task"
# ### Task 10 · From the stack into the fused class
#
# *12 minutes · a few lines · task id* `copy-into-fused`
#
# Write `copy_into_fused(wrapper, fused)`, for modules made without `qkv_bias`. It writes the heads' weights
# into the wide matrices of `fused`, sets `out_proj` to the identity matrix with a bias of zeros, and returns
# `fused`. Write into parameters under `torch.no_grad()`, with `parameter.copy_(values)`.


# %% nbgrader={"cell_type": "code", "grade": false, "grade_id": "copy-into-fused-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
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


# %% nbgrader={"cell_type": "code", "grade": true, "grade_id": "copy-into-fused", "locked": true, "schema_version": 3, "solution": false, "task": false, "points": 3}
check("copy-into-fused")

# %% id="copy-into-fused-shown"
fused = copy_into_fused(stack, MultiHeadAttention(3, 4, 6, 0.0, num_heads=2))
if fused is not None:
    print(fused(batch)[0])
    print("largest difference below 1e-6:", bool((fused(batch) - stack(batch)).abs().max() < 1e-6))

# %% [markdown] id="copy-read"
# The four columns are those of task 2, now out of three wide products. Whatever one class can compute, the
# other can: the fused class is a faster way to write the stack, with a projection at its end.
#
# ## In your own words
#
# A colleague says: "Four heads of width 16 or one head of width 64, that is the same number of parameters. So
# one wide head can do the same, and I save myself the splitting." Answer in three to six sentences. Say what
# a single softmax cannot do, use the numbers that you measured in section 1, and name what more heads cost.
# (3 points, read by a person.)

# %% [markdown] nbgrader={"cell_type": "markdown", "grade": true, "grade_id": "why-many-heads-in-words", "locked": false, "points": 3, "schema_version": 3, "solution": true, "task": false}
# ### BEGIN SOLUTION
# A head has one softmax, so each token has one row of weights that adds up to 1, and its context is one
# weighted sum. Whatever tokens that row mixes are added into one vector, and no projection afterwards,
# however wide, can tell them apart again. In section 1 every token wanted two others. One head left an error
# of about 0.46 at its best share and more at the ends, although it was given the best possible map; two heads
# left 0. Four heads of width 16 make four different rows of weights for each token, and keep the four
# contexts apart until `out_proj`. The price: each head scores in only 16 dimensions instead of 64, and there
# are four tokens × tokens matrices of weights to keep instead of one.
#
# **Marking scheme**
#
# - 1 point: one softmax gives each token one row of weights, so one weighted sum in which what was mixed
#   cannot be told apart, whatever the width.
# - 1 point: uses the measurement: one head leaves at least 0.46 (two fifths) at every share; two
#   heads leave none.
# - 1 point: names a price of more heads, such as a smaller `head_dim` for each, or more score matrices in
#   memory.
# ### END SOLUTION

# %% [markdown] id="break-it-intro"
# ## 8 · Break it
#
# Four bugs that you have met have something in common: the shapes are right, nothing complains, and the loss
# falls. Now make them on purpose. Below stands a class with two causal heads of width 64. Its work is that of
# section 1: each token hands over the vector of the token before it and that of the first. It was trained
# with every mixture of the four bugs, each time from the same start and on the same random stories; the words
# only name the rows. As in section 1, an error of about 1 means that nothing was learned.
#
# **Predict, then switch the bugs on, one at a time:**
#
# 1. Which of the four change what a row of weights adds up to?
# 2. Without $\sqrt{d_k}$, does less gradient reach the scores? And the queries?
# 3. One bug hardly shows in the curve, and would still spoil a model that writes text. Which one, and which
#    number gives it away?
#
# Then switch on two together. Can a second bug make the curve better?

# %% id="break-it" tags=["figure"]
explore_bugs(tokens)

# %% [markdown] id="break-it-read"
# <details><summary>What to see</summary>
#
# 1. *Softmax over the queries* makes columns that add up to 1, and rows from 0.11 to 2.64. *The mask after
#    softmax* cuts off what the future had got, and nobody makes up for it: 0.10 is left of the poorest row.
#    The other two leave every row at 1.00. No sum will ever show them.
# 2. Undivided, the scores spread eight times as far, one token takes nearly all (the entropy falls from 0.96
#    to 0.34), and 0.24 times as much gradient gets through softmax to the scores. The queries get more all the
#    same, 1.91 times as much: on the way from the scores to them, the right class divides by 8 once again.
#    "The gradient vanishes" is true at the softmax, and not everywhere. The training lags: after 60 steps an
#    error of 0.20 is left, in place of 0.02.
# 3. The mask after softmax: 0.04 in place of 0.02, in this tiny case. But 5 of 5 outputs change with a later
#    token, because the future stands in every denominator. So they do with softmax over the queries (the
#    denominators run over later queries) and without the transpose (a row is a piece of another token). A
#    model that writes text has no later tokens, and meets numbers that it was not trained on.
#
# And two together? Softmax over the queries alone ends at 0.64; with the mask after softmax as well it ends at
# 0.18. A curve that gets better does not show that a bug is gone. What does are the tests that you know: row
# sums, a changed last token, a shuffled sentence.
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
# - One softmax is one look. What a look has added up, no later layer takes apart.
# - Heads are an axis, and `@` runs over it. `view` cuts, `transpose` carries the heads to the front, and
#   back.
# - A right shape proves nothing about what stands where. A changed last token and a shuffled sentence do.
# - In the wrapper `d_out` is the width of one head; in the fused class it is the width of all.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# Answer each in your head before you open it.
#
# <details><summary>1. GPT-2 has d_out = 768 and 12 heads. What are its scores divided by?</summary>
#
# By √64 = 8, because head_dim is 768 / 12 = 64.
#
# </details>
#
# <details><summary>2. You double num_heads and leave d_out alone. Do the parameters become more?</summary>
#
# No: the matrices are (d_out, d_in) whatever the number of heads. There are twice as
# many attention maps, each made from vectors half as long.
#
# </details>
#
# <details><summary>3. Two heads of the fused class have the same weights. What does the second add?</summary>
#
# Nothing. It gives the same context once more, and even training keeps it so while `out_proj` treats both
# alike. That is one reason why weights start at random.
#
# </details>
#
# <details><summary>4. <code>split_heads</code> gets by without a copy. Why not <code>merge_heads</code>?</summary>
#
# What comes out of a projection lies in reading order, and cutting the last axis in two needs nothing to
# move. What comes out of `transpose` does not, and two axes that are not neighbours in memory cannot become
# one without a copy.
#
# </details>
#
# <details><summary>5. Could the heads use masks that differ?</summary>
#
# Yes: a mask of (heads, tokens, tokens) is broadcast over the batch. For padding the mask differs from
# sentence to sentence instead, and needs the shape (b, 1, 1, tokens). Give it those axes and let it be
# broadcast: whoever repeats a mask by hand for each head soon has the heads of one sentence under the mask of
# another. Lesson 06 makes one.
#
# </details>

# %% id="progress"
progress("05-multi-head")
