"""The tasks of lesson 05: their probes, the wrong answers people give, and the hint each deserves."""

import math

import torch
from torch import nn
from torch.nn import functional

from autograder.authoring import Check, Forbid, Lesson, Made, Probe, Property, Right, Task, Wrong

# The sentence "Your journey starts with one step", three numbers for each token, and a batch of it twice.
SENTENCE = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
BATCH = torch.stack((SENTENCE, SENTENCE))
NUMBERED = torch.tensor([[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]])
INF = math.inf


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def looks(*shape, seed):
    """Random attention weights: rows that add up to 1, sharp enough to differ."""
    return torch.softmax(3 * drawn(*shape, seed=seed), dim=-1)


def redraw(generator: torch.Generator) -> dict:
    """Another sentence for the batched product, with numbers of both signs."""
    return {"a": torch.randn(1, 2, 3, 4, generator=generator)}


class CausalAttention(nn.Module):
    """As in the lesson's carried-over cell."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        num_tokens = x.shape[1]
        queries, keys = self.W_query(x), self.W_key(x)
        scores = queries @ keys.transpose(1, 2)
        scores = scores.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], -INF)
        return self.dropout(torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)) @ self.W_value(x)


# ---------------------------------------------------------------------------------- what several looks leave


def error_left(contexts, wanted):
    rows, goals = contexts.flatten(0, 1), wanted.flatten(0, 1)
    return (rows @ torch.linalg.lstsq(rows, goals).solution - goals).square().mean()


def look_back(num_tokens):
    return torch.eye(num_tokens)[[0, *range(num_tokens - 1)]]


def look_first(num_tokens):
    return torch.eye(num_tokens)[[0] * num_tokens]


def per_head(weights, x):
    return [head @ x for head in weights]


STORIES = drawn(20, 8, 4, seed=24)
BOTH = torch.cat((look_back(8) @ STORIES, look_first(8) @ STORIES), dim=-1)

ERROR_WITH_HEADS = Task(
    id="error-with-heads",
    title="What several looks leave undone",
    name="error_with_heads",
    kind="function",
    signature="error_with_heads(weights, x, wanted)",
    axes=(),
    number=True,
    input_axes={
        "weights": ("heads", "tokens as query", "tokens as key"),
        "x": ("b", "tokens", "d_in"),
        "wanted": ("b", "tokens", "d_wanted"),
    },
    probes=(
        Probe(
            "half-half",
            "one look, half at the token before and half at the first",
            {"weights": (look_back(8) + look_first(8))[None] / 2, "x": STORIES, "wanted": BOTH},
        ),
        Probe(
            "one-random-look",
            "one look with random weights",
            {"weights": looks(1, 8, 8, seed=3), "x": STORIES, "wanted": BOTH},
        ),
        Probe(
            "two-looks",
            "two looks with random weights",
            {"weights": looks(2, 8, 8, seed=4), "x": STORIES, "wanted": BOTH},
        ),
        Probe(
            "three-looks",
            "three looks at other stories",
            {
                "weights": looks(3, 5, 5, seed=5),
                "x": drawn(9, 5, 2, seed=6),
                "wanted": drawn(9, 5, 7, seed=7),
            },
        ),
    ),
    checks=(
        Check("one head", 1, ("half-half", "one-random-look")),
        Check("several heads, joined", 1, ("two-looks", "three-looks")),
    ),
    learned="One row of weights makes one sum, and no projection takes a sum apart. Heads that are joined keep "
    "what each of them found.",
    hints=(
        "For one look the contexts are `look @ x`: the look is (tokens, tokens), and `@` does it for each story.",
        "Collect the contexts of all heads in a list, and join the list with `torch.cat(…, dim=-1)`.",
        "`contexts = [head @ x for head in weights]`, then `return error_left(torch.cat(contexts, dim=-1), wanted)`",
    ),
    wrong=(
        Wrong(
            "heads-added",
            lambda weights, x, wanted: error_left(sum(per_head(weights, x)), wanted),
            "The heads' contexts are added up (or averaged). A sum forgets which head said what: join them with "
            "`torch.cat(…, dim=-1)`.",
        ),
        Wrong(
            "first-head-only",
            lambda weights, x, wanted: error_left(weights[0] @ x, wanted),
            "This is what the first head alone leaves. Make the contexts of every head, and join them.",
        ),
        Wrong(
            "last-head-only",
            lambda weights, x, wanted: error_left(weights[-1] @ x, wanted),
            "This is what the last head alone leaves: does each round of a loop replace the one before? Collect "
            "the contexts in a list.",
        ),
        Wrong(
            "errors-averaged",
            lambda weights, x, wanted: torch.stack(
                [error_left(one, wanted) for one in per_head(weights, x)]
            ).mean(),
            "Each head got an error of its own, and these were averaged. Join the contexts first, then ask for one "
            "error: the map has to see all heads at once.",
        ),
        Wrong(
            "errors-added",
            lambda weights, x, wanted: sum(error_left(one, wanted) for one in per_head(weights, x)),
            "Each head got an error of its own, and these were added up. Join the contexts first, then ask for one "
            "error.",
        ),
        Wrong(
            "best-error",
            lambda weights, x, wanted: min(error_left(one, wanted) for one in per_head(weights, x)),
            "This is the error of the best single head. Joined, the heads do better than any one of them.",
        ),
        Wrong(
            "looks-turned",
            lambda weights, x, wanted: error_left(torch.cat(per_head(weights.mT, x), dim=-1), wanted),
            "The looks are transposed: row i must say where token i looks. Multiply `head @ x` as they are.",
        ),
        Wrong(
            "joined-along-tokens",
            lambda weights, x, wanted: error_left(torch.cat(per_head(weights, x), dim=1), wanted),
            "The joined contexts do not fit the wishes. Join them along the last axis, `torch.cat(…, dim=-1)`: that "
            "keeps one row for each token.",
        ),
        Wrong(
            "tokens-not-mixed",
            lambda weights, x, wanted: error_left(x, wanted),
            "Here the tokens themselves are compared with the wishes; no look has mixed them. Use `head @ x`.",
        ),
        Wrong(
            "softmax-again",
            lambda weights, x, wanted: error_left(
                torch.cat(per_head(weights.softmax(dim=-1), x), dim=-1), wanted
            ),
            "`weights` are weights already: their rows add up to 1. A second softmax blurs every look.",
        ),
    ),
    right=(
        Right(
            "einsum",
            lambda weights, x, wanted: error_left(
                torch.einsum("hqk,bkd->bqhd", weights, x).flatten(2), wanted
            ),
        ),
        Right(
            "broadcast",
            lambda weights, x, wanted: error_left(
                (weights[None] @ x[:, None]).permute(0, 2, 1, 3).reshape(*x.shape[:2], -1), wanted
            ),
        ),
        Right(
            "double",
            lambda weights, x, wanted: error_left(
                torch.cat(per_head(weights.double(), x.double()), dim=-1), wanted.double()
            ),
        ),
        Right(
            "heads-in-another-order",
            lambda weights, x, wanted: error_left(torch.cat(per_head(weights.flip(0), x), dim=-1), wanted),
        ),
        Right(
            "python-float",
            lambda weights, x, wanted: float(error_left(torch.cat(per_head(weights, x), dim=-1), wanted)),
        ),
    ),
)

# ----------------------------------------------------------------------------------------- the stack of heads


class Stack(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = nn.ModuleList(
            CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)
        )

    def forward(self, x):
        return self.join([head(x) for head in self.heads])

    def join(self, contexts):
        return torch.cat(contexts, dim=-1)


def stack_joined(join):
    """A stack whose contexts are put together in another way."""
    return type("MultiHeadAttentionWrapper", (Stack,), {"join": lambda self, contexts: join(contexts)})


def stack_called(forward):
    """A stack with another forward."""
    return type("MultiHeadAttentionWrapper", (Stack,), {"forward": forward})


class StackInAList(Stack):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        nn.Module.__init__(self)
        self.heads = [
            CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)
        ]


class StackInATuple(Stack):
    """Named in a loop, with the parameters where they belong."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        nn.Module.__init__(self)
        made = tuple(
            CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)
        )
        self.heads = nn.ModuleList(made)

    def forward(self, x):
        return torch.cat(tuple(head(x) for head in self.heads), 2)


class StackAppended(Stack):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        nn.Module.__init__(self)
        self.d_out = d_out
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(CausalAttention(d_in, d_out, context_length, dropout, qkv_bias))

    def forward(self, x):
        out = x.new_zeros(*x.shape[:2], len(self.heads) * self.d_out)
        for index, head in enumerate(self.heads):
            out[..., index * self.d_out : (index + 1) * self.d_out] = head(x)
        return out


class StackOfTotal(Stack):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, max(d_out // num_heads, 1), context_length, dropout, num_heads, qkv_bias)


class StackOfOne(Stack):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        nn.Module.__init__(self)
        self.heads = nn.ModuleList(
            [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)] * num_heads
        )


class StackWithoutDropout(Stack):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, 0.0, num_heads, qkv_bias)


class StackWithoutBias(Stack):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, num_heads)


class StackForSix(Stack):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, 6, dropout, num_heads, qkv_bias)


class StackOfTwo(Stack):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, 2, qkv_bias)


class StackOfSlices(Stack):
    """The token cut between the heads, instead of given to each."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        self.width = max(d_in // num_heads, 1)
        super().__init__(self.width, d_out, context_length, dropout, num_heads, qkv_bias)

    def forward(self, x):
        pieces = x.split(self.width, dim=-1)
        return torch.cat([head(piece) for head, piece in zip(self.heads, pieces, strict=False)], dim=-1)


WRAPPER_SEEDED = {
    "d_in": 3,
    "d_out": 2,
    "context_length": 6,
    "dropout": 0.0,
    "num_heads": 2,
    "qkv_bias": False,
}
WRAPPER_OTHER = {
    "d_in": 4,
    "d_out": 6,
    "context_length": 9,
    "dropout": 0.0,
    "num_heads": 2,
    "qkv_bias": False,
}

MULTI_HEAD_WRAPPER = Task(
    id="multi-head-wrapper",
    title="A stack of heads",
    name="MultiHeadAttentionWrapper",
    kind="module",
    signature="MultiHeadAttentionWrapper(d_in, d_out, context_length, dropout, num_heads, qkv_bias=False)",
    axes=("b", "tokens", "columns of all heads"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("seeded", "the batch", {"x": BATCH}, construct=WRAPPER_SEEDED),
        Probe(
            "two-sentences",
            "two sentences that differ",
            {"x": drawn(2, 6, 3, seed=1)},
            construct=WRAPPER_SEEDED,
            seed=7,
        ),
        Probe(
            "other-sizes",
            "three sentences of seven tokens, where nine would fit",
            {"x": drawn(3, 7, 4, seed=2)},
            construct=WRAPPER_OTHER,
            seed=8,
        ),
        Probe(
            "three-heads",
            "three heads with biases",
            {"x": drawn(2, 4, 5, seed=3)},
            construct={
                "d_in": 5,
                "d_out": 1,
                "context_length": 7,
                "dropout": 0.0,
                "num_heads": 3,
                "qkv_bias": True,
            },
            seed=9,
        ),
        Probe(
            "look-ahead",
            "sentences with one token changed at a time",
            {"x": drawn(3, 7, 4, seed=4)},
            construct=WRAPPER_OTHER,
            seed=10,
            observe="influence",
            settings={"input": "x", "axis": -2},
        ),
        Probe(
            "sentences-apart",
            "a batch with one sentence changed at a time",
            {"x": drawn(3, 7, 4, seed=5)},
            construct=WRAPPER_OTHER,
            seed=11,
            observe="influence",
            settings={"input": "x", "axis": 0},
        ),
        Probe(
            "eval",
            "dropout 0.4 in eval mode",
            {"x": drawn(3, 5, 4, seed=6)},
            construct={**WRAPPER_OTHER, "dropout": 0.4},
            seed=12,
        ),
        Probe(
            "training",
            "dropout 0.4 in training mode",
            {"x": torch.eye(5)[None]},
            construct={
                "d_in": 5,
                "d_out": 10,
                "context_length": 8,
                "dropout": 0.4,
                "num_heads": 1,
                "qkv_bias": False,
            },
            seed=13,
            weights={"heads.0.W_value.weight": torch.cat((torch.eye(5), torch.eye(5)))},
            observe="dropout",
            settings={"p": 0.4, "copies": 2, "input": "x"},
        ),
        Probe(
            "double",
            "three sentences in float64",
            {"x": drawn(3, 7, 4, seed=14)},
            construct=WRAPPER_OTHER,
            seed=14,
            dtype="float64",
        ),
    ),
    checks=(
        Check("the batch, two heads", 1, ("seeded", "two-sentences")),
        Check(
            "other sizes, three heads, with biases, in float64 too",
            2,
            ("other-sizes", "three-heads", "double", "look-ahead", "sentences-apart"),
        ),
        Check("dropout in training, none in eval mode", 1, ("eval", "training")),
    ),
    learned="Each head is an attention of its own, with its own matrices and its own softmax; joined along the "
    "last axis, their contexts stay apart. In this class `d_out` is the width of one head.",
    hints=(
        "How many `CausalAttention` are needed, and what is each given? Keep them in an `nn.ModuleList`.",
        "`self.heads = nn.ModuleList([CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) "
        "for _ in range(num_heads)])`",
        "In `forward`, call every head on `x` and join the results: "
        "`torch.cat([head(x) for head in self.heads], dim=-1)`.",
    ),
    wrong=(
        Wrong(
            "python-list",
            StackInAList,
            "None of the heads' parameters is registered. A module does not look into a plain Python list, nor does it "
            "know heads that are made in `forward`. Make them in `__init__`, in an `nn.ModuleList`.",
        ),
        Wrong(
            "d-out-is-the-total",
            StackOfTotal,
            "Each head has `d_out // num_heads` columns. In this class `d_out` is the width of one head, and the "
            "result is `num_heads` times as wide.",
        ),
        Wrong(
            "first-head-for-all",
            stack_called(lambda self, x: torch.cat([self.heads[0](x) for _ in self.heads], dim=-1)),
            "Every head gives what head 0 gives. In the loop, call the head of that round, not `self.heads[0]`.",
        ),
        Wrong(
            "one-head-many-times",
            StackOfOne,
            "`[head] * num_heads` puts one and the same head into the list several times. Make a new one for each "
            "place: `for _ in range(num_heads)`.",
        ),
        Wrong(
            "joined-along-tokens",
            stack_joined(lambda contexts: torch.cat(contexts, dim=1)),
            "The heads' contexts stand below one another, so the result has more tokens than the input. Join them "
            "along the last axis: `dim=-1`.",
        ),
        Wrong(
            "joined-along-batch",
            stack_joined(lambda contexts: torch.cat(contexts, dim=0)),
            "The heads' contexts were joined along the batch. Join them along the last axis: `dim=-1`.",
        ),
        Wrong(
            "stacked-instead-of-joined",
            stack_joined(lambda contexts: torch.stack(contexts, dim=-1)),
            "`torch.stack` makes a new axis for the heads. `torch.cat(…, dim=-1)` makes the last axis longer.",
        ),
        Wrong(
            "stacked-as-first-axis",
            stack_joined(torch.stack),
            "`torch.stack` puts the heads on a new axis in front. `torch.cat(…, dim=-1)` makes the last axis "
            "longer instead.",
        ),
        Wrong(
            "interleaved",
            stack_joined(lambda contexts: torch.stack(contexts, dim=-1).flatten(-2)),
            "The heads' columns alternate: one of head 0, one of head 1. All of head 0 comes first, then all of "
            "head 1, as `torch.cat(…, dim=-1)` gives them.",
        ),
        Wrong(
            "summed",
            stack_joined(sum),
            "The heads' contexts are added up. A sum forgets which head said what: join them with `torch.cat`.",
        ),
        Wrong(
            "averaged",
            stack_joined(lambda contexts: torch.stack(contexts).mean(dim=0)),
            "The heads' contexts are averaged. An average forgets which head said what: join them with "
            "`torch.cat`.",
        ),
        Wrong(
            "list-returned",
            stack_joined(list),
            "This is a list with one tensor for each head. Join them to one tensor with `torch.cat(…, dim=-1)`.",
        ),
        Wrong(
            "heads-in-reverse",
            stack_joined(lambda contexts: torch.cat(contexts[::-1], dim=-1)),
            "The heads stand in reverse order. Columns 0 and 1 belong to head 0.",
        ),
        Wrong(
            "first-head-only",
            stack_joined(lambda contexts: contexts[0]),
            "Only head 0 is there. Does `return` stand inside a loop? Call every head, then join the results.",
        ),
        Wrong(
            "input-cut-between-heads",
            StackOfSlices,
            "Each head sees only a slice of the token. Every head gets all of `x`; it is the result that is made "
            "of pieces.",
        ),
        Wrong(
            "dropout-not-passed-on",
            StackWithoutDropout,
            "`dropout` never reaches the heads: nothing is dropped in training. Pass it to `CausalAttention`.",
        ),
        Wrong(
            "qkv-bias-not-passed-on",
            StackWithoutBias,
            "`qkv_bias` never reaches the heads, so with `qkv_bias=True` there are no biases. Pass it on.",
        ),
        Wrong(
            "context-length-typed-in",
            StackForSix,
            "The heads are made for 6 tokens, whatever `context_length` says. Pass the argument on.",
        ),
        Wrong(
            "two-heads-typed-in",
            StackOfTwo,
            "There are two heads whatever `num_heads` says. Let `range(num_heads)` count them.",
        ),
        Wrong(
            "reads-the-notebook",
            stack_called(lambda self, x: torch.cat([head(BATCH) for head in self.heads], dim=-1)),
            "These are the contexts of `batch`, whatever `forward` is called with. Use the argument `x`.",
        ),
    ),
    right=(
        Right("tuple", StackInATuple),
        Right("appended-and-filled", StackAppended),
        Right(
            "stack-and-reshape",
            stack_joined(lambda contexts: torch.stack(contexts, dim=2).flatten(2)),
        ),
        Right("concatenate", stack_joined(lambda contexts: torch.concatenate(contexts, axis=2))),
        Right(
            "hstack-of-rows", stack_joined(lambda contexts: torch.cat([*contexts], dim=contexts[0].ndim - 1))
        ),
    ),
)

# ------------------------------------------------------------------------------- all heads in one matrix product

BATCHED_HEAD_SCORES = Task(
    id="batched-head-scores",
    title="The scores of all heads at once",
    name="head_scores",
    kind="tensor",
    signature="head_scores",
    axes=("b", "heads", "tokens as query", "tokens as key"),
    properties=(Property("symmetric"),),
    checks=(Check("each head's own scores", 1),),
    learned="`@` multiplies the last two axes and treats all axes before them as a batch. With the heads as an axis, "
    "one product makes the scores of every head.",
    hints=(
        "Rows must meet rows: the right side needs head_dim and tokens in each other's place.",
        "In `a` those are the axes 2 and 3. `a.transpose(2, 3)` swaps them and leaves the others alone.",
        "`head_scores = a @ a.transpose(2, 3)`",
    ),
    wrong=(
        Wrong(
            "turned-the-left",
            lambda a: a.transpose(2, 3) @ a,
            "This is (1, 2, 4, 4): dimensions meet dimensions, and the sum runs over the tokens. Transpose the "
            "right side instead.",
        ),
        Wrong(
            "not-transposed",
            lambda a: a @ a,
            "The inner sizes do not meet. The last two axes of the right side have to change places, and no others: "
            "`a.transpose(2, 3)`. (`transpose(1, 2)` swaps heads and tokens.)",
        ),
        Wrong(
            "first-head-only",
            lambda a: a[0, 0] @ a[0, 0].T,
            "These are the scores of head 0 alone. Keep all axes: `@` does every head by itself.",
        ),
        Wrong(
            "heads-added",
            lambda a: (a @ a.transpose(2, 3)).sum(dim=1),
            "The heads' scores are added up, which is what one wide head would get. Each head keeps scores of "
            "its own.",
        ),
        Wrong(
            "heads-crossed",
            lambda a: a @ a.flip(1).transpose(2, 3),
            "Each head's queries meet the other head's keys. A head's queries and keys belong together.",
        ),
        Wrong(
            "all-with-all",
            lambda a: a.flatten(0, 2) @ a.flatten(0, 2).T,
            "Here all tokens of all heads meet one another, in one large square. Keep the heads' axis: "
            "`a @ a.transpose(2, 3)`.",
        ),
        Wrong(
            "products-not-added",
            lambda a: a * a,
            "`*` multiplies entry by entry. `@` takes the dot products of rows with columns.",
        ),
        Wrong(
            "scaled",
            lambda a: a @ a.transpose(2, 3) / a.shape[-1] ** 0.5,
            "These scores are divided by √head_dim already. That comes with the class; here they stay as they are.",
        ),
        Wrong(
            "already-softmax",
            lambda a: torch.softmax(a @ a.transpose(2, 3), dim=-1),
            "These are weights: each row adds up to 1. The task wants the scores before the softmax.",
        ),
    ),
    right=(
        Right("mT", lambda a: a @ a.mT),
        Right("last-axes", lambda a: torch.matmul(a, a.transpose(-2, -1))),
        Right("einsum", lambda a: torch.einsum("bhqd,bhkd->bhqk", a, a)),
        Right("permute", lambda a: a @ a.permute(0, 1, 3, 2)),
        Right("loop", lambda a: torch.stack([torch.stack([head @ head.T for head in one]) for one in a])),
        Right("bmm", lambda a: torch.bmm(a[0], a[0].transpose(1, 2))[None]),
        Right("double", lambda a: a.double() @ a.double().mT),
    ),
)

# ------------------------------------------------------------------------------------------- split and merge


def split_in_place(x, num_heads):
    split = x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 2).clone()
    x.zero_()
    return split


def other_numbers(generator: torch.Generator) -> dict:
    """Twelve whole numbers, no two alike, so that each can be told from the others wherever it goes."""
    return {"x": torch.randperm(100, generator=generator)[:12].reshape(1, 3, 4)}


SPLIT_HEADS = Task(
    id="split-heads",
    title="Split into heads",
    name="split_heads",
    kind="function",
    signature="split_heads(x, num_heads)",
    axes=("b", "heads", "tokens", "head_dim"),
    input_axes={"x": ("b", "tokens", "d_out")},
    dtypes=("float32", "float64", "int64"),
    probes=(
        Probe("numbered", "the numbered example", {"x": NUMBERED, "num_heads": 2}, redraw=other_numbers),
        Probe(
            "same-sizes",
            "another example of three tokens and two heads",
            {"x": drawn(1, 3, 4, seed=21), "num_heads": 2},
        ),
        Probe(
            "three-heads",
            "two sentences of five tokens, three heads",
            {"x": drawn(2, 5, 12, seed=22), "num_heads": 3},
        ),
        Probe(
            "five-heads",
            "four sentences of three tokens, five heads",
            {"x": drawn(4, 3, 10, seed=23), "num_heads": 5},
        ),
        Probe("one-head", "one head", {"x": drawn(3, 2, 4, seed=24), "num_heads": 1}),
    ),
    checks=(
        Check("three tokens, two heads", 1, ("numbered", "same-sizes")),
        Check("other sizes and numbers of heads", 1, ("three-heads", "five-heads", "one-head")),
    ),
    learned="`view` cuts d_out in two while the tokens stay in front; `transpose` then brings the heads forward. "
    "Row i of every head belongs to token i.",
    hints=(
        "Two steps: cut the last axis in two, then swap two axes. What is the shape after the first?",
        "First `x.view(b, num_tokens, num_heads, head_dim)`. Which two axes must change places to give "
        "(b, heads, tokens, head_dim)?",
        "`return x.view(b, num_tokens, num_heads, d_out // num_heads).transpose(1, 2)`",
    ),
    wrong=(
        Wrong(
            "view-without-transpose",
            lambda x, num_heads: x.reshape(x.shape[0], num_heads, x.shape[1], -1),
            "The shape is right, but a head's rows do not come from one token each: the first two rows of head 0 "
            "are two pieces of token 0. Cut with the tokens in front, then swap: `transpose(1, 2)`.",
        ),
        Wrong(
            "heads-not-brought-forward",
            lambda x, num_heads: x.reshape(*x.shape[:2], num_heads, -1),
            "The cut is right; the axes are (b, tokens, heads, head_dim). Swap axes 1 and 2.",
        ),
        Wrong(
            "interleaved",
            lambda x, num_heads: x.reshape(*x.shape[:2], -1, num_heads).permute(0, 3, 1, 2),
            "Head 0 gets every `num_heads`-th number of a token. It should get the first `head_dim` numbers: cut "
            "d_out as (num_heads, head_dim), in this order.",
        ),
        Wrong(
            "head-dim-and-heads-swapped",
            lambda x, num_heads: x.reshape(*x.shape[:2], -1, num_heads).transpose(1, 2),
            "The two new axes are the wrong way round: there are head_dim heads of num_heads numbers. Cut as "
            "(num_heads, head_dim).",
        ),
        Wrong(
            "wrong-axes-swapped",
            lambda x, num_heads: x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 3),
            "Axes 1 and 3 changed places, so the head's numbers stand where the heads belong. Swap axes 1 and 2.",
        ),
        Wrong(
            "heads-before-batch",
            lambda x, num_heads: x.reshape(*x.shape[:2], num_heads, -1).permute(2, 0, 1, 3),
            "The heads stand in front of the batch. The order is (b, heads, tokens, head_dim).",
        ),
        Wrong(
            "tokens-cut",
            lambda x, num_heads: (
                x.repeat(1, num_heads, 1).reshape(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)
            ),
            "Each head has all of d_out and only some of the tokens. It is the last axis that is cut: every head "
            "keeps all tokens.",
        ),
        Wrong(
            "whole-vector-for-each",
            lambda x, num_heads: x[:, None].expand(-1, num_heads, -1, -1),
            "Each head has the whole vector. It gets its piece of it: head_dim = d_out // num_heads numbers.",
        ),
        Wrong(
            "heads-in-reverse",
            lambda x, num_heads: x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 2).flip(1),
            "The heads stand in reverse order. Head 0 gets the first numbers of each token.",
        ),
        Wrong(
            "two-heads-typed-in",
            lambda x, num_heads: x.reshape(*x.shape[:2], 2, -1).transpose(1, 2),
            "This makes two heads whatever `num_heads` says. Use the argument.",
        ),
        Wrong(
            "sizes-typed-in",
            lambda x, num_heads: x.reshape(1, 3, 2, 2).transpose(1, 2),
            "The sizes of the example are typed in. Take them from the argument: `b, num_tokens, d_out = x.shape`.",
        ),
        Wrong(
            "reads-the-notebook",
            lambda x, num_heads: NUMBERED.reshape(1, 3, 2, 2).transpose(1, 2),
            "This splits `numbered`, whatever the function is called with. Use the argument `x`.",
        ),
        Wrong(
            "edited-in-place",
            split_in_place,
            "The caller's `x` is changed. Give the result a name of its own, and write into no argument.",
        ),
    ),
    right=(
        Right("reshape", lambda x, num_heads: x.reshape(*x.shape[:-1], num_heads, -1).transpose(1, 2)),
        Right("permute", lambda x, num_heads: x.view(*x.shape[:2], num_heads, -1).permute(0, 2, 1, 3)),
        Right("unflatten", lambda x, num_heads: x.unflatten(-1, (num_heads, -1)).transpose(1, 2)),
        Right("chunk-and-stack", lambda x, num_heads: torch.stack(x.chunk(num_heads, dim=-1), dim=1)),
        Right(
            "slices",
            lambda x, num_heads: torch.stack(
                [
                    x[:, :, head * (x.shape[2] // num_heads) : (head + 1) * (x.shape[2] // num_heads)]
                    for head in range(num_heads)
                ],
                dim=1,
            ),
        ),
        Right(
            "contiguous-as-well",
            lambda x, num_heads: x.view(*x.shape[:2], num_heads, -1).transpose(1, 2).contiguous(),
        ),
    ),
)


def merge_in_place(context):
    merged = context.transpose(1, 2).flatten(2).clone()
    context.zero_()
    return merged


MERGE_HEADS = Task(
    id="merge-heads",
    title="Merge the heads",
    name="merge_heads",
    kind="function",
    signature="merge_heads(context)",
    axes=("b", "tokens", "d_out"),
    input_axes={"context": ("b", "heads", "tokens", "head_dim")},
    dtypes=("float32", "float64", "int64"),
    probes=(
        Probe(
            "counted",
            "two heads, three tokens, numbered from 0",
            {"context": torch.arange(12.0).view(1, 2, 3, 2)},
        ),
        Probe("same-sizes", "other numbers of the same shape", {"context": drawn(1, 2, 3, 2, seed=31)}),
        Probe("other-sizes", "two sentences, three heads", {"context": drawn(2, 3, 5, 4, seed=32)}),
        Probe("many-heads", "four sentences, five heads", {"context": drawn(4, 5, 3, 2, seed=33)}),
    ),
    checks=(
        Check("two heads, three tokens", 1, ("counted", "same-sizes")),
        Check("other sizes", 1, ("other-sizes", "many-heads")),
    ),
    learned="The tokens go back to the front before heads and head_dim become one. After `transpose` the numbers no "
    "longer lie in reading order, so `view` needs `.contiguous()` first; `reshape` sees to it by itself.",
    hints=(
        "Two steps, the way back of `split_heads`: which two axes must change places first?",
        "After `context.transpose(1, 2)` the axes are (b, tokens, heads, head_dim). Now make the last two one.",
        "`return context.transpose(1, 2).contiguous().view(b, num_tokens, num_heads * head_dim)`",
    ),
    wrong=(
        Wrong(
            "no-transpose",
            lambda context: context.reshape(context.shape[0], context.shape[2], -1),
            "The shape is right, but each token's row holds pieces of other tokens: the heads were still in front "
            "when the axes were joined. Swap axes 1 and 2 first.",
        ),
        Wrong(
            "view-of-a-transpose",
            lambda context: context.transpose(1, 2).view(context.shape[0], context.shape[2], -1),
            "After `transpose` the numbers no longer lie in reading order, and `view` refuses them: put "
            "`.contiguous()` before it, or use `reshape`. If the message speaks of an invalid shape instead, print "
            "`context.shape`: the last axis becomes heads × head_dim.",
        ),
        Wrong(
            "contiguous-too-early",
            lambda context: (
                context.contiguous()
                .transpose(1, 2)
                .contiguous()
                .view(context.shape[0], -1, context.shape[2])
                .transpose(1, 2)
            ),
            "The axes were joined in another order and then swapped. After `transpose(1, 2)` and `.contiguous()`, "
            "view as (b, tokens, d_out) directly.",
        ),
        Wrong(
            "interleaved",
            lambda context: context.permute(0, 2, 3, 1).flatten(2),
            "A token's numbers alternate between the heads. All of head 0's piece comes first: the axes before "
            "joining are (b, tokens, heads, head_dim).",
        ),
        Wrong(
            "wrong-axes-swapped",
            lambda context: context.transpose(2, 3).reshape(context.shape[0], context.shape[2], -1),
            "Axes 2 and 3 changed places. Swap heads and tokens: axes 1 and 2.",
        ),
        Wrong(
            "heads-added",
            lambda context: context.sum(dim=1),
            "The heads are added up, and a token has head_dim numbers only. Their pieces stand side by side.",
        ),
        Wrong(
            "heads-averaged",
            lambda context: context.mean(dim=1),
            "The heads are averaged, and a token has head_dim numbers only. Their pieces stand side by side.",
        ),
        Wrong(
            "first-head-only",
            lambda context: context[:, 0],
            "This is head 0 alone. Every head's piece belongs into the token's vector.",
        ),
        Wrong(
            "not-joined",
            lambda context: context.transpose(1, 2),
            "The axes stand in the right order: (b, tokens, heads, head_dim). Now make the last two one.",
        ),
        Wrong(
            "joined-along-tokens",
            lambda context: torch.cat(context.unbind(1), dim=1),
            "The heads stand below one another: there are heads × tokens rows. Join them along the last axis.",
        ),
        Wrong(
            "tokens-and-columns-swapped",
            lambda context: context.transpose(2, 3).flatten(1, 2),
            "This is (b, d_out, tokens). One row for each token: swap the last two axes.",
        ),
        Wrong(
            "heads-in-reverse",
            lambda context: context.flip(1).transpose(1, 2).flatten(2),
            "The heads stand in reverse order. Head 0's piece comes first.",
        ),
        Wrong(
            "sizes-typed-in",
            lambda context: context.transpose(1, 2).reshape(1, 3, 4),
            "The sizes of the example are typed in. Take them from the argument: "
            "`b, num_heads, num_tokens, head_dim = context.shape`.",
        ),
        Wrong(
            "edited-in-place",
            merge_in_place,
            "The caller's `context` is changed. Give the result a name of its own, and write into no argument.",
        ),
    ),
    right=(
        Right(
            "reshape", lambda context: context.transpose(1, 2).reshape(context.shape[0], context.shape[2], -1)
        ),
        Right("flatten", lambda context: context.transpose(1, 2).flatten(-2)),
        Right("cat", lambda context: torch.cat(context.unbind(dim=1), dim=-1)),
        Right(
            "permute-and-view",
            lambda context: (
                context.permute(0, 2, 1, 3).contiguous().view(context.shape[0], context.shape[2], -1)
            ),
        ),
        Right(
            "einsum",
            lambda context: torch.einsum("bhtd->bthd", context).reshape(
                context.shape[0], context.shape[2], -1
            ),
        ),
    ),
)

# ------------------------------------------------------------------------------------------ the fused class


def wrongly_cut(x, heads):
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


def cut(x, heads):
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def cut_interleaved(x, heads):
    return x.reshape(x.shape[0], x.shape[1], -1, heads).permute(0, 3, 1, 2)


def joined(context):
    return context.transpose(1, 2).flatten(2)


def wrongly_joined(context):
    return context.reshape(context.shape[0], context.shape[2], -1)


class Fused(nn.Module):
    """The fused class in parts, so that a mistake is one part done otherwise."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out must be divisible by num_heads")
        self.d_in, self.d_out = d_in, d_out
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.make_mask(context_length)

    def make_mask(self, context_length):
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        queries, keys, values = self.project(x)
        weights = self.drop(self.weigh(self.score(queries, keys)))
        return self.finish(self.merge(weights @ values))

    def project(self, x):
        return self.split(self.W_query(x)), self.split(self.W_key(x)), self.split(self.W_value(x))

    def split(self, x):
        return cut(x, self.num_heads)

    def score(self, queries, keys):
        return queries @ keys.mT

    def weigh(self, scores):
        return torch.softmax(self.hide(scores) / self.scale(scores), dim=-1)

    def scale(self, scores):
        return self.head_dim**0.5

    def hidden(self, scores):
        count = scores.shape[-1]
        return self.mask.bool()[:count, :count]

    def hide(self, scores):
        return scores.masked_fill(self.hidden(scores), -INF)

    def drop(self, weights):
        return self.dropout(weights)

    def merge(self, context):
        return joined(context)

    def finish(self, context):
        return self.out_proj(context)


def fused(**parts):
    """The fused class with some parts done otherwise."""
    return type("MultiHeadAttention", (Fused,), parts)


def unregistered_mask(self, context_length):
    self.mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)


class FusedWithoutProjection(Fused):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        del self.out_proj

    def finish(self, context):
        return context


class FusedProjectionWithoutBias(Fused):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out, bias=qkv_bias)


class FusedWideHeads(Fused):
    """Each head as wide as d_out: the total is heads times too wide."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out * num_heads, context_length, dropout, num_heads, qkv_bias)


class FusedInputCut(Fused):
    """The token cut between the heads, and one narrow projection shared by all."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        width = max(d_in // num_heads, 1)
        self.W_query = nn.Linear(width, self.head_dim, bias=qkv_bias)
        self.W_key = nn.Linear(width, self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(width, self.head_dim, bias=qkv_bias)


class FusedOneHead(Fused):
    """`num_heads` is taken and not used."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, 1, qkv_bias)


class FusedTwoHeads(Fused):
    """Two heads, whatever num_heads says."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, 2, qkv_bias)


class FusedWithoutBias(Fused):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, dropout, num_heads)


class FusedKeysFirst(Fused):
    """Parameters made in another order, and the mask as what may be seen."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        nn.Module.__init__(self)
        if d_out % num_heads:
            raise ValueError("d_out must be a multiple of num_heads")
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)).bool())
        self.out_proj = nn.Linear(d_out, d_out)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.p = dropout
        self.num_heads, self.head_dim = num_heads, d_out // num_heads

    def hidden(self, scores):
        return ~self.mask[: scores.shape[-2], : scores.shape[-1]]

    def drop(self, weights):
        return functional.dropout(weights, self.p, self.training)


def project_together(self, x):
    """One product for all three, then three pieces."""
    three = (self.W_query, self.W_key, self.W_value)
    weight = torch.cat([one.weight for one in three])
    bias = None if three[0].bias is None else torch.cat([one.bias for one in three])
    return tuple(self.split(piece) for piece in functional.linear(x, weight, bias).chunk(3, dim=-1))


def with_torchs_own(self, x):
    queries, keys, values = self.project(x)
    p = self.dropout.p if self.training else 0.0
    context = functional.scaled_dot_product_attention(queries, keys, values, dropout_p=p, is_causal=True)
    return self.out_proj(joined(context))


def ready_made(self, x):
    """`nn.MultiheadAttention` is a class around this function."""
    count, d_out = x.shape[1], self.out_proj.in_features
    biases = [one.bias for one in (self.W_query, self.W_key, self.W_value) if one.bias is not None]
    context, _ = functional.multi_head_attention_forward(
        *(x.transpose(0, 1) @ one.weight.T for one in (self.W_query, self.W_key, self.W_value)),
        *(d_out, self.num_heads, torch.eye(d_out).to(x).repeat(3, 1), torch.cat(biases) if biases else None),
        *(None, None, False, self.dropout.p, self.out_proj.weight, self.out_proj.bias, self.training),
        need_weights=False,
        attn_mask=self.mask[:count, :count].bool(),
    )
    return context.transpose(0, 1)


def head_by_head(self, x):
    contexts = []
    for head in range(self.num_heads):
        own = slice(head * self.head_dim, (head + 1) * self.head_dim)
        queries, keys, values = (one(x)[..., own] for one in (self.W_query, self.W_key, self.W_value))
        scores = queries @ keys.transpose(1, 2)
        hidden = self.mask[: x.shape[1], : x.shape[1]] == 1
        weights = torch.softmax(scores.masked_fill(hidden, -INF) / self.head_dim**0.5, -1)
        contexts.append(self.dropout(weights) @ values)
    return self.out_proj(torch.cat(contexts, -1))


def with_einsum(self, x):
    queries, keys, values = (
        one(x).unflatten(-1, (self.num_heads, self.head_dim))
        for one in (self.W_query, self.W_key, self.W_value)
    )
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys)
    weights = self.dropout(self.weigh(scores))
    return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, values).flatten(2))


def scores_masked_in_place(self, scores):
    count = scores.shape[-1]
    scores.masked_fill_(self.mask.bool()[:count, :count], -INF)
    return scores


def forward_with(change):
    """A forward in which queries, keys and values are exchanged first."""

    def forward(self, x):
        queries, keys, values = change(*self.project(x))
        return self.finish(self.merge(self.drop(self.weigh(self.score(queries, keys))) @ values))

    return forward


def forward_of_the_batch(self, x):
    return Fused.forward(self, BATCH.to(self.out_proj.weight.dtype))


def forward_in_place(self, x):
    result = Fused.forward(self, x)
    x.mul_(0)
    return result


def forward_input_cut(self, x):
    width = self.W_query.in_features
    pieces = x[..., : width * self.num_heads].reshape(*x.shape[:2], self.num_heads, width).transpose(1, 2)
    queries, keys, values = self.W_query(pieces), self.W_key(pieces), self.W_value(pieces)
    return self.finish(self.merge(self.drop(self.weigh(self.score(queries, keys))) @ values))


FusedInputCut.forward = forward_input_cut


def forward_new_weights(self, x):
    """Projections made anew at each call."""
    d_in, d_out = self.d_in, self.d_out
    parts = [nn.Linear(d_in, d_out, bias=False, dtype=x.dtype) for _ in range(3)]
    queries, keys, values = (self.split(one(x)) for one in parts)
    return self.finish(self.merge(self.drop(self.weigh(self.score(queries, keys))) @ values))


def drop_unscaled(self, weights):
    if not self.training:
        return weights
    return weights * (torch.rand_like(weights) >= self.dropout.p)


def drop_renormalised(self, weights):
    dropped = self.dropout(weights)
    return dropped / dropped.sum(dim=-1, keepdim=True).clamp(min=1e-9) if self.training else dropped


def weigh_and_drop_scores(self, scores):
    return torch.softmax(self.hide(self.dropout(scores)) / self.head_dim**0.5, dim=-1)


def plain(self, weights):
    return weights


def zeroed_after(self, scores):
    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)
    return weights.masked_fill(self.hidden(scores), 0.0)


def weights_scaled(self, scores):
    return torch.softmax(self.hide(scores), dim=-1) / self.head_dim**0.5


def softmax_over_queries(self, scores):
    # Every column holds at least its own diagonal, so no column is empty.
    return torch.softmax(self.hide(scores) / self.head_dim**0.5, dim=-2)


def softmax_over_heads(self, scores):
    return torch.softmax(scores / self.head_dim**0.5, dim=1).masked_fill(self.hidden(scores), 0.0)


def hide_in_first_head(self, scores):
    hidden = self.hidden(scores)
    first = scores[:, :1].masked_fill(hidden, -INF)
    return torch.cat((first, scores[:, 1:]), dim=1)


def hide_per_sentence(self, scores):
    b, _, count, _ = scores.shape
    return scores.masked_fill(self.hidden(scores).expand(b, count, count), -INF)


FUSED_SEEDED = {
    "d_in": 3,
    "d_out": 4,
    "context_length": 6,
    "dropout": 0.0,
    "num_heads": 2,
    "qkv_bias": False,
}
FUSED_OTHER = {
    "d_in": 7,
    "d_out": 12,
    "context_length": 9,
    "dropout": 0.0,
    "num_heads": 3,
    "qkv_bias": False,
}
FUSED_BIASED = {
    "d_in": 5,
    "d_out": 6,
    "context_length": 8,
    "dropout": 0.0,
    "num_heads": 2,
    "qkv_bias": True,
}
TWICE = torch.cat((torch.eye(5), torch.eye(5)))  # values that show the weights, two times over

MULTI_HEAD_ATTENTION = Task(
    id="multi-head-attention",
    title="Multi-head attention",
    name="MultiHeadAttention",
    kind="module",
    signature="MultiHeadAttention(d_in, d_out, context_length, dropout, num_heads, qkv_bias=False)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    needs=("split-heads", "merge-heads"),
    probes=(
        Probe("seeded", "the batch", {"x": BATCH}, construct=FUSED_SEEDED),
        Probe(
            "two-sentences",
            "two sentences that differ",
            {"x": drawn(2, 6, 3, seed=41)},
            construct=FUSED_SEEDED,
            seed=7,
        ),
        Probe(
            "other-sizes",
            "two sentences of five tokens, where nine would fit",
            {"x": 2 * drawn(2, 5, 7, seed=42)},
            construct=FUSED_OTHER,
            seed=8,
        ),
        Probe(
            "biases",
            "four sentences, with biases",
            {"x": 2 * drawn(4, 7, 5, seed=43)},
            construct=FUSED_BIASED,
            seed=9,
        ),
        Probe("one-token", "a sentence of one token", {"x": drawn(3, 1, 5, seed=44)}, construct=FUSED_BIASED),
        Probe(
            "look-ahead",
            "sentences with one token changed at a time",
            {"x": drawn(2, 5, 7, seed=45)},
            construct=FUSED_OTHER,
            seed=10,
            observe="influence",
            settings={"input": "x", "axis": -2},
        ),
        Probe(
            "sentences-apart",
            "a batch with one sentence changed at a time",
            {"x": drawn(4, 5, 7, seed=46)},
            construct=FUSED_OTHER,
            seed=11,
            observe="influence",
            settings={"input": "x", "axis": 0},
        ),
        Probe(
            "long",
            "sentences as long as context_length",
            {"x": 2 * drawn(3, 9, 7, seed=47)},
            construct=FUSED_OTHER,
            seed=12,
        ),
        Probe(
            "double",
            "a module and inputs of float64",
            {"x": drawn(2, 5, 7, seed=48)},
            construct=FUSED_OTHER,
            seed=13,
            dtype="float64",
        ),
        Probe(
            "device",
            "a module on another device",
            {"x": drawn(2, 5, 7, seed=49)},
            construct=FUSED_OTHER,
            seed=14,
            observe="other-device",
        ),
        Probe(
            "state-dict",
            "the module's state dict",
            {"x": drawn(2, 5, 7, seed=49)},
            construct=FUSED_OTHER,
            seed=14,
            observe="buffers",
        ),
        Probe(
            "indivisible",
            "a `d_out` of 7 for 2 heads",
            {"x": drawn(2, 5, 3, seed=55)},
            construct={"d_in": 3, "d_out": 7, "context_length": 6, "dropout": 0.0, "num_heads": 2},
            raises=("ValueError",),
        ),
        Probe(
            "eval",
            "dropout 0.4 in eval mode",
            {"x": 2 * drawn(2, 5, 7, seed=50)},
            construct={**FUSED_OTHER, "dropout": 0.4},
            seed=15,
        ),
        Probe(
            "training",
            "dropout 0.4 in training mode",
            {"x": torch.eye(5)[None]},
            construct={
                "d_in": 5,
                "d_out": 10,
                "context_length": 8,
                "dropout": 0.4,
                "num_heads": 1,
                "qkv_bias": False,
            },
            seed=16,
            weights={
                "W_value.weight": TWICE,
                "out_proj.weight": torch.eye(10),
                "out_proj.bias": torch.zeros(10),
            },
            observe="dropout",
            settings={"p": 0.4, "copies": 2, "input": "x"},
        ),
        Probe(
            "heads-apart",
            "three sentences and two heads in training mode",
            {"x": torch.eye(5).repeat(3, 1, 1)},
            construct={
                "d_in": 5,
                "d_out": 10,
                "context_length": 8,
                "dropout": 0.3,
                "num_heads": 2,
                "qkv_bias": False,
            },
            seed=17,
            weights={
                "W_value.weight": TWICE,
                "out_proj.weight": torch.eye(10),
                "out_proj.bias": torch.zeros(10),
            },
            observe="dropout",
            settings={"p": 0.3},
        ),
        Probe(
            "second-call",
            "six tokens, after a call with four of them",
            {"x": drawn(2, 6, 7, seed=56)},
            construct=FUSED_OTHER,
            seed=18,
            observe="second-call",
            settings={"input": "x", "axis": 1, "size": 4},
        ),
    ),
    checks=(
        Check("the batch, two heads", 2, ("seeded", "two-sentences")),
        Check(
            "other sizes, with biases, and fewer tokens than context_length",
            1,
            ("other-sizes", "biases", "one-token", "indivisible", "second-call"),
        ),
        Check("no look ahead, and sentences apart", 1, ("long", "look-ahead", "sentences-apart")),
        Check("another dtype, another device, and the mask saved", 1, ("double", "device", "state-dict")),
        Check(
            "dropout on the weights in training, none in eval mode", 1, ("eval", "training", "heads-apart")
        ),
    ),
    learned="Project wide, cut into heads, attend in all heads at once, merge, and let `out_proj` mix what they found. "
    "Nine steps, and this class stands in almost every language model.",
    hints=(
        "Follow the table step by step. After each line write the shape as a comment, and print it where in doubt.",
        "Steps 2 and 3 for queries, keys and values: `split_heads(self.W_query(x), self.num_heads)`. Then the scores "
        "are `queries @ keys.transpose(2, 3)`.",
        "Mask with `scores.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)`, divide by "
        "`self.head_dim**0.5`, softmax over `dim=-1`, dropout.",
        "The end is `return self.out_proj(merge_heads(weights @ values))`.",
    ),
    wrong=(
        Wrong(
            "unscaled",
            fused(scale=lambda self, scores: 1.0),
            "The scores are not divided by √head_dim, so the weights are sharper than they should be.",
        ),
        Wrong(
            "scaled-by-d-out",
            fused(scale=lambda self, scores: self.d_out**0.5),
            "The scores are divided by √d_out. A score is a sum over one head's numbers only: divide by √head_dim. "
            "`keys.shape[-1]` after the split is head_dim.",
        ),
        Wrong(
            "scaled-by-d-in",
            fused(scale=lambda self, scores: self.d_in**0.5),
            "The scores are divided by √d_in. A score is a sum of head_dim products: divide by √head_dim.",
        ),
        Wrong(
            "scaled-without-root",
            fused(scale=lambda self, scores: self.head_dim),
            "The scores are divided by head_dim itself. Take the root: `self.head_dim**0.5`.",
        ),
        Wrong(
            "scaled-the-wrong-way",
            fused(scale=lambda self, scores: self.head_dim**-0.5),
            "The scores are multiplied by √head_dim. Divide by it.",
        ),
        Wrong(
            "scaled-by-heads",
            fused(scale=lambda self, scores: self.num_heads**0.5),
            "The scores are divided by √num_heads. Divide by √head_dim.",
        ),
        Wrong(
            "scaled-by-tokens",
            fused(scale=lambda self, scores: scores.shape[-1] ** 0.5),
            "The scores are divided by the root of the number of tokens. Divide by √head_dim, the size of the axis "
            "that the dot product sums over.",
        ),
        Wrong(
            "scaled-after-softmax",
            fused(weigh=weights_scaled),
            "The weights are divided, after the softmax, so their rows no longer add up to 1. Divide the scores, "
            "before it.",
        ),
        Wrong(
            "softmax-over-queries",
            fused(weigh=softmax_over_queries),
            "Softmax runs over the queries, so that each column adds up to 1. Each query shares out its own "
            "attention: `dim=-1`.",
        ),
        Wrong(
            "softmax-over-heads",
            fused(weigh=softmax_over_heads),
            "Softmax runs over the heads: `dim=1` is another axis now that the heads have one. Use `dim=-1`.",
        ),
        Wrong(
            "scores-turned",
            fused(score=lambda self, queries, keys: keys @ queries.mT),
            "Queries and keys have changed places: row i must hold the scores of query i. "
            "`queries @ keys.transpose(2, 3)`",
        ),
        Wrong(
            "view-without-transpose",
            fused(split=lambda self, x: wrongly_cut(x, self.num_heads)),
            "The split cuts across the tokens: a head's rows are pieces of several tokens. View as (b, tokens, heads, "
            "head_dim) first, then `transpose(1, 2)`.",
        ),
        Wrong(
            "merged-without-transpose",
            fused(merge=lambda self, context: wrongly_joined(context)),
            "The merge hands each token pieces of other tokens. Swap heads and tokens back before you join: "
            "`transpose(1, 2)`.",
        ),
        Wrong(
            "both-without-transpose",
            fused(
                split=lambda self, x: wrongly_cut(x, self.num_heads),
                merge=lambda self, context: wrongly_joined(context),
            ),
            "Split and merge both leave out the transpose. They undo one another, so the shapes fit, yet each head "
            "holds only a part of the tokens.",
        ),
        Wrong(
            "split-interleaved",
            fused(split=lambda self, x: cut_interleaved(x, self.num_heads)),
            "Head 0 gets every num_heads-th number of a projection. It should get the first head_dim: view the last "
            "axis as (num_heads, head_dim).",
        ),
        Wrong(
            "heads-left-apart",
            fused(merge=lambda self, context: context.transpose(1, 2)),
            "`out_proj` meets heads that are still an axis of their own. Merge them first, to (b, tokens, d_out).",
        ),
        Wrong(
            "heads-added",
            fused(merge=lambda self, context: context.sum(dim=1).repeat(1, 1, context.shape[1])),
            "The heads' contexts are added up before `out_proj`. They have to stand side by side.",
        ),
        Wrong(
            "no-out-proj",
            FusedWithoutProjection,
            "There is no `out_proj`, so the heads never meet. Make `nn.Linear(d_out, d_out)` and let it end `forward`.",
        ),
        Wrong(
            "out-proj-without-bias",
            FusedProjectionWithoutBias,
            "`out_proj` has no bias. Some people give it `bias=qkv_bias`; in this class it keeps the bias that "
            "`nn.Linear(d_out, d_out)` has by default.",
        ),
        Wrong(
            "out-proj-not-called",
            fused(finish=lambda self, context: context),
            "`out_proj` is made and never called: the heads' contexts come out as they are. End with "
            "`return self.out_proj(…)`.",
        ),
        Wrong(
            "out-proj-twice",
            fused(finish=lambda self, context: self.out_proj(self.out_proj(context))),
            "`out_proj` is applied twice. Once is right.",
        ),
        Wrong(
            "keys-as-values",
            fused(forward=forward_with(lambda queries, keys, values: (queries, keys, keys))),
            "The weights are multiplied by the keys (or `W_key` made the values). What is handed over are the values, "
            "`self.W_value(x)`.",
        ),
        Wrong(
            "queries-as-values",
            fused(forward=forward_with(lambda queries, keys, values: (queries, keys, queries))),
            "The weights are multiplied by the queries. What is handed over are the values, `self.W_value(x)`.",
        ),
        Wrong(
            "keys-as-queries",
            fused(forward=forward_with(lambda queries, keys, values: (keys, keys, values))),
            "Keys meet keys: `W_query` has no part in the scores.",
        ),
        Wrong(
            "no-mask",
            fused(hide=lambda self, scores: scores),
            "Every token sees the whole sentence: no mask reaches the scores. `masked_fill` returns a new tensor; keep "
            "what it returns (`scores = scores.masked_fill(…)`).",
        ),
        Wrong(
            "masked-with-zero",
            fused(hide=lambda self, scores: scores.masked_fill(self.hidden(scores), 0.0)),
            "Masked scores are 0, and the exponential of 0 is 1: the future still gets weight. Fill with `-torch.inf`.",
        ),
        Wrong(
            "mask-added",
            fused(hide=lambda self, scores: scores + self.hidden(scores)),
            "The mask of zeros and ones is added to the scores, which favours the future. Fill with `-torch.inf` "
            "where it is 1.",
        ),
        Wrong(
            "mask-after-softmax",
            fused(weigh=zeroed_after),
            "The weights are zeroed after the softmax, so the rows add up to less than 1. Mask the scores before it.",
        ),
        Wrong(
            "past-hidden",
            fused(hidden=lambda self, scores: Fused.hidden(self, scores).mT),
            "The past is hidden and the future open: `tril` and `triu` are confused, or the mask is turned.",
        ),
        Wrong(
            "diagonal-hidden",
            fused(
                hidden=lambda self, scores: Fused.hidden(self, scores) | torch.eye(scores.shape[-1]).bool()
            ),
            "The diagonal is masked as well: the first token may look at nothing, not even at itself, and its row is "
            "nan. Use `diagonal=1` in `torch.triu`.",
        ),
        Wrong(
            "mask-not-cut",
            fused(hidden=lambda self, scores: self.mask.bool()),
            "The mask is as large as context_length. With fewer tokens it has to be cut: "
            "`[:num_tokens, :num_tokens]`.",
        ),
        Wrong(
            "mask-on-the-first-head",
            fused(hide=hide_in_first_head),
            "Only head 0 is masked; the others see the future. A mask of (tokens, tokens) is broadcast over all heads "
            "by itself.",
        ),
        Wrong(
            "mask-not-expanded-over-heads",
            fused(hide=hide_per_sentence),
            "The mask has a batch axis and no axis for the heads, so it lines up batch with heads. With (tokens, tokens) "
            "it is broadcast over both.",
        ),
        Wrong(
            "mask-unregistered",
            fused(make_mask=unregistered_mask),
            "The mask is no buffer: as a plain attribute, or made anew in `forward`, it is missing from the state dict "
            'and stays behind when the module moves to another device. Use `self.register_buffer("mask", …)` in '
            "`__init__`.",
        ),
        Wrong(
            "no-dropout",
            fused(drop=plain),
            "Nothing is dropped in training. Apply `self.dropout` to the weights after the softmax.",
        ),
        Wrong(
            "dropout-on-scores",
            fused(weigh=weigh_and_drop_scores, drop=plain),
            "Dropout falls on the scores before the softmax: a dropped score of 0 still gets weight. Apply it to the "
            "weights, after the softmax.",
        ),
        Wrong(
            "dropout-on-context",
            fused(drop=plain, merge=lambda self, context: self.dropout(joined(context))),
            "Dropout falls on the contexts. Here it belongs on the weights, before they meet the values.",
        ),
        Wrong(
            "dropout-in-eval-mode",
            fused(drop=lambda self, weights: functional.dropout(weights, self.dropout.p)),
            "Dropout stays on in eval mode: `functional.dropout` needs `training=self.training`. `nn.Dropout` sees to "
            "it by itself.",
        ),
        Wrong(
            "dropout-not-scaled",
            fused(drop=drop_unscaled),
            "What is kept is not divided by 1 − p, so the contexts are smaller in training than in eval mode.",
        ),
        Wrong(
            "dropout-renormalised",
            fused(drop=drop_renormalised),
            "After dropout the rows are made to add up to 1 again. What is kept is divided by 1 − p and by nothing else.",
        ),
        Wrong(
            "d-out-for-each-head",
            FusedWideHeads,
            "The matrices are num_heads times too wide: here d_out is the width of all heads together, and each gets "
            "d_out // num_heads.",
        ),
        Wrong(
            "input-cut-between-heads",
            FusedInputCut,
            "The token itself is cut between the heads, which share one narrow projection. Project all of `x` with "
            "`nn.Linear(d_in, d_out)`, then cut the result.",
        ),
        Wrong(
            "one-head",
            FusedOneHead,
            "This is one head as wide as d_out: nothing was cut. Split queries, keys and values into `num_heads`.",
        ),
        Wrong(
            "two-heads-typed-in",
            FusedTwoHeads,
            "There are two heads whatever `num_heads` says. Use the argument.",
        ),
        Wrong(
            "qkv-bias-not-used",
            FusedWithoutBias,
            "With `qkv_bias=True` the three projections have no biases. Pass `bias=qkv_bias` to each.",
        ),
        Wrong(
            "weights-made-anew",
            fused(forward=forward_new_weights),
            "The projections are made in `forward`: each call draws other weights, and none are trained. Make them once, "
            "in `__init__`.",
        ),
        Wrong(
            "reads-the-notebook",
            fused(forward=forward_of_the_batch),
            "These are the contexts of `batch`, whatever `forward` is called with. Use the argument `x`.",
        ),
        Wrong(
            "edited-in-place",
            fused(forward=forward_in_place),
            "The caller's `x` is changed. Methods that end in `_` write into the tensor they are called on.",
        ),
    ),
    right=(
        Right("keys-first-and-tril", FusedKeysFirst),
        Right("fused-projection", fused(project=project_together)),
        Right("scaled-dot-product-attention", fused(forward=with_torchs_own)),
        Right("head-by-head", fused(forward=head_by_head)),
        Right("einsum", fused(forward=with_einsum)),
        Right(
            "large-negative", fused(hide=lambda self, scores: scores.masked_fill(self.hidden(scores), -1e9))
        ),
        Right("masked-in-place", fused(hide=scores_masked_in_place)),
        Right(
            "queries-scaled-first",
            fused(
                score=lambda self, queries, keys: (queries / self.head_dim**0.5) @ keys.mT,
                scale=lambda self, scores: 1.0,
            ),
        ),
        Right(
            "contiguous-view",
            fused(
                merge=lambda self, context: (
                    context.transpose(1, 2).contiguous().view(context.shape[0], context.shape[2], self.d_out)
                )
            ),
        ),
    ),
    forbids=Forbid(
        ("MultiheadAttention",), points=4, caught=(Right("ready-made", fused(forward=ready_made)),)
    ),
)

# ------------------------------------------------------------------------------------------ find the bug


class CausalHeads(nn.Module):
    """As mended, in parts."""

    def __init__(self, d_in, d_out, context_length, num_heads):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer(
            "mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()
        )

    def forward(self, x):
        queries, keys, values = self.project(x)
        return self.merge(torch.softmax(self.hide(queries @ keys.mT) / self.scale(), dim=-1) @ values)

    def scale(self):
        return self.head_dim**0.5

    def project(self, x):
        return tuple(self.split(one(x)) for one in (self.W_query, self.W_key, self.W_value))

    def split(self, x):
        return cut(x, self.num_heads)

    def hide(self, scores):
        return scores.masked_fill(self.hidden(scores), -INF)

    def hidden(self, scores):
        return self.mask[: scores.shape[-1], : scores.shape[-1]]

    def merge(self, context):
        return joined(context)


def causal(**parts):
    return type("CausalHeads", (CausalHeads,), parts)


def mended_but(*left):
    """Only some of queries, keys and values are split rightly; those at the positions `left` are not."""

    def project(self, x):
        return tuple(
            (wrongly_cut if position in left else cut)(one(x), self.num_heads)
            for position, one in enumerate((self.W_query, self.W_key, self.W_value))
        )

    return project


def seen_as_one_head(self, x):
    """The heads hidden: one wide head."""
    return tuple(one(x)[:, None] for one in (self.W_query, self.W_key, self.W_value))


def only_itself(self, scores):
    return ~torch.eye(scores.shape[-1], dtype=torch.bool, device=scores.device)


def far_from_the_end(self, scores):
    """A mask wide enough to hide what leaked."""
    count = scores.shape[-1]
    return torch.arange(count)[None] * self.num_heads > torch.arange(count)[:, None]


CAUSAL_SEEDED = {"d_in": 3, "d_out": 4, "context_length": 6, "num_heads": 2}
CAUSAL_OTHER = {"d_in": 5, "d_out": 12, "context_length": 9, "num_heads": 3}

BUG_VIEW = Task(
    id="bug-view-without-transpose",
    title="Find the bug: the heads that see the future",
    name="CausalHeads",
    kind="module",
    signature="CausalHeads(d_in, d_out, context_length, num_heads)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("batch", "the batch", {"x": BATCH}, construct=CAUSAL_SEEDED),
        Probe(
            "two-sentences",
            "two sentences that differ",
            {"x": 2 * drawn(2, 6, 3, seed=61)},
            construct=CAUSAL_SEEDED,
            seed=7,
        ),
        Probe(
            "look-ahead",
            "sentences with one token changed at a time",
            {"x": drawn(2, 6, 5, seed=62)},
            construct=CAUSAL_OTHER,
            seed=8,
            observe="influence",
            settings={"input": "x", "axis": -2},
        ),
        Probe(
            "other-sizes",
            "two sentences of seven tokens, three heads",
            {"x": 2 * drawn(2, 7, 5, seed=63)},
            construct=CAUSAL_OTHER,
            seed=9,
        ),
    ),
    checks=(
        Check(
            "the batch: no look ahead, and the right contexts", 1, ("look-ahead", "batch", "two-sentences")
        ),
        Check("other sizes and three heads", 1, ("other-sizes",)),
    ),
    learned="`view(b, heads, tokens, head_dim)` reads each token's numbers on into the next row, so a head's rows are no "
    "longer tokens, and the mask hides the wrong things. Cut with the tokens in front, then transpose.",
    hints=(
        "Print `numbered.view(1, 2, 3, 2)` from task 4 again. Which tokens stand in row 1 of head 0? The mask thinks "
        "that row 1 is token 1.",
        "Scores, mask, softmax and merge are right. Look at how `queries`, `keys` and `values` get their heads.",
        "In each of the three lines: `.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)`.",
    ),
    wrong=(
        Wrong(
            "as-given",
            causal(split=lambda self, x: wrongly_cut(x, self.num_heads)),
            "This is the code as it was given (`reshape` for `view` changes nothing). “one” changes when only "
            "“step” does: some rows of a head are not the token that the mask takes them for.",
        ),
        Wrong(
            "merge-changed-instead",
            causal(
                split=lambda self, x: wrongly_cut(x, self.num_heads),
                merge=lambda self, context: wrongly_joined(context),
            ),
            "Now nothing leaks, and the mistake is only hidden: the merge undoes the wrong cut, while each head still "
            "holds a part of the sentence. The last tokens never see the first. Mend the cut.",
        ),
        Wrong(
            "one-wide-head",
            causal(project=seen_as_one_head, scale=lambda self: self.d_out**0.5),
            "Nothing leaks any more, because there is one head as wide as d_out left. Keep the heads, and cut them "
            "rightly.",
        ),
        Wrong(
            "sees-only-itself",
            causal(split=lambda self, x: cut(x, self.num_heads), hidden=only_itself),
            "Nothing leaks, since every token sees only itself. The mask was right as it was.",
        ),
        Wrong(
            "mask-widened",
            causal(split=lambda self, x: wrongly_cut(x, self.num_heads), hidden=far_from_the_end),
            "A wider mask hides some of the leak. The mask was right; what stands in the rows was not.",
        ),
        Wrong(
            "queries-left",
            causal(project=mended_but(0)),
            "Keys and values are mended, the queries are not: each query row is still cut across tokens.",
        ),
        Wrong(
            "keys-left",
            causal(project=mended_but(1)),
            "Queries and values are mended, the keys are not: each key row is still cut across tokens.",
        ),
        Wrong(
            "values-left",
            causal(project=mended_but(2)),
            "Queries and keys are mended, the values are not: what is handed over still comes from other tokens.",
        ),
        Wrong(
            "only-values-mended",
            causal(project=mended_but(0, 1)),
            "The values are mended; queries and keys are still cut across tokens.",
        ),
        Wrong(
            "only-queries-mended",
            causal(project=mended_but(1, 2)),
            "The queries are mended; keys and values are still cut across tokens.",
        ),
        Wrong(
            "only-keys-mended",
            causal(project=mended_but(0, 2)),
            "The keys are mended; queries and values are still cut across tokens.",
        ),
        Wrong(
            "interleaved",
            causal(split=lambda self, x: cut_interleaved(x, self.num_heads)),
            "Rows are tokens again, but head 0 gets every num_heads-th number. View the last axis as (num_heads, "
            "head_dim), in this order.",
        ),
        Wrong(
            "transposed-twice",
            causal(merge=lambda self, context: wrongly_joined(context)),
            "The cut is mended, and the merge has lost its transpose: it was right as given.",
        ),
        Wrong(
            "mask-lost",
            causal(hide=lambda self, scores: scores),
            "The cut is mended, and the mask is gone: now every token sees the whole sentence.",
        ),
        Wrong(
            "scaled-by-d-out",
            causal(scale=lambda self: self.d_out**0.5),
            "The cut is mended, and the scores are now divided by √d_out. `self.head_dim**0.5` was right.",
        ),
    ),
    right=(
        Right(
            "reshape",
            causal(split=lambda self, x: x.reshape(*x.shape[:2], self.num_heads, -1).transpose(1, 2)),
        ),
        Right(
            "permute", causal(split=lambda self, x: x.unflatten(-1, (self.num_heads, -1)).permute(0, 2, 1, 3))
        ),
        Right("chunk", causal(split=lambda self, x: torch.stack(x.chunk(self.num_heads, dim=-1), dim=1))),
        Right(
            "large-negative", causal(hide=lambda self, scores: scores.masked_fill(self.hidden(scores), -1e9))
        ),
    ),
)


class EncoderHeads(nn.Module):
    """As mended, in parts."""

    def __init__(self, d_in, d_out, num_heads):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        queries, keys, values = (self.split(one(x)) for one in (self.W_query, self.W_key, self.W_value))
        weights = torch.softmax(queries @ keys.mT / self.scale(), dim=-1)
        return self.finish(self.merge(weights @ values))

    def scale(self):
        return self.head_dim**0.5

    def split(self, x):
        return cut(x, self.num_heads)

    def merge(self, context):
        return joined(context)

    def finish(self, context):
        return self.out_proj(context)


def encoder(**parts):
    return type("EncoderHeads", (EncoderHeads,), parts)


def sorted_back(self, context):
    """Each token's numbers sorted: the order of the pieces no longer matters, nor does anything else."""
    return joined(context).sort(dim=-1).values


ENCODER_SEEDED = {"d_in": 3, "d_out": 4, "num_heads": 2}
ENCODER_OTHER = {"d_in": 5, "d_out": 12, "num_heads": 3}

BUG_MERGE = Task(
    id="bug-merge-without-transpose",
    title="Find the bug: it trains, and it is wrong",
    name="EncoderHeads",
    kind="module",
    signature="EncoderHeads(d_in, d_out, num_heads)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("batch", "the batch", {"x": BATCH}, construct=ENCODER_SEEDED),
        Probe(
            "two-sentences",
            "two sentences that differ",
            {"x": 2 * drawn(2, 6, 3, seed=71)},
            construct=ENCODER_SEEDED,
            seed=7,
        ),
        Probe(
            "shuffled",
            "the tokens of a sentence in another order",
            {"x": 2 * drawn(2, 6, 3, seed=72)},
            construct=ENCODER_SEEDED,
            seed=8,
            observe="permuted",
            settings={"input": "x", "axis": -2},
        ),
        Probe(
            "other-sizes",
            "two sentences of seven tokens, three heads",
            {"x": 2 * drawn(2, 7, 5, seed=73)},
            construct=ENCODER_OTHER,
            seed=9,
        ),
    ),
    checks=(
        Check("the batch, in any order of the tokens", 1, ("shuffled", "batch", "two-sentences")),
        Check("other sizes and three heads", 1, ("other-sizes",)),
    ),
    learned="A falling loss shows that the weights can be trained, not that the right thing is computed. Shuffling the "
    "tokens shows it: without mask and positions the outputs may change their order and nothing else.",
    hints=(
        "Follow the shapes: what are the axes of `weights @ values`, and in which order does `reshape` read them?",
        "Compare the line that merges with your `merge_heads`.",
        "`context = context.transpose(1, 2).reshape(b, num_tokens, -1)`",
    ),
    wrong=(
        Wrong(
            "as-given",
            encoder(merge=lambda self, context: wrongly_joined(context)),
            "This is the code as it was given. Each token is handed pieces of other tokens, so a shuffled sentence gives "
            "other outputs.",
        ),
        Wrong(
            "split-changed-instead",
            encoder(
                split=lambda self, x: wrongly_cut(x, self.num_heads),
                merge=lambda self, context: wrongly_joined(context),
            ),
            "Now the split leaves out its transpose as well. The two undo one another, but each head holds only a part of "
            "the sentence. The split was right; mend the merge.",
        ),
        Wrong(
            "one-wide-head",
            encoder(
                split=lambda self, x: x[:, None],
                merge=lambda self, context: context[:, 0],
                scale=lambda self: self.d_out**0.5,
            ),
            "The order of the tokens matters no more, because there is one wide head left. Keep the heads.",
        ),
        Wrong(
            "heads-added",
            encoder(merge=lambda self, context: context.sum(dim=1).repeat(1, 1, self.num_heads)),
            "The order of the tokens matters no more, but the heads were added up. Their pieces stand side by side.",
        ),
        Wrong(
            "heads-averaged",
            encoder(merge=lambda self, context: context.mean(dim=1).repeat(1, 1, self.num_heads)),
            "The order of the tokens matters no more, but the heads were averaged. Their pieces stand side by side.",
        ),
        Wrong(
            "first-head-repeated",
            encoder(merge=lambda self, context: context[:, 0].repeat(1, 1, self.num_heads)),
            "Head 0 stands in the place of all heads.",
        ),
        Wrong(
            "interleaved",
            encoder(merge=lambda self, context: context.permute(0, 2, 3, 1).flatten(2)),
            "Each token has its own pieces again, but they alternate between the heads. `transpose(1, 2)` alone gives "
            "(b, tokens, heads, head_dim), which is the order to join.",
        ),
        Wrong(
            "wrong-axes-swapped",
            encoder(
                merge=lambda self, context: wrongly_joined(
                    context.transpose(2, 3).contiguous().view_as(context)
                )
            ),
            "Axes 2 and 3 changed places. Swap heads and tokens, axes 1 and 2.",
        ),
        Wrong(
            "sorted",
            encoder(merge=sorted_back),
            "The numbers of each token are sorted, which hides where they came from. Merge the heads in their order.",
        ),
        Wrong(
            "view-of-a-transpose",
            encoder(
                merge=lambda self, context: context.transpose(1, 2).view(
                    context.shape[0], context.shape[2], -1
                )
            ),
            "`view` refuses what `transpose` leaves behind: keep `reshape`, or put `.contiguous()` before `view`. If "
            "the message speaks of an invalid shape instead, print the shape before that line.",
        ),
        Wrong(
            "heads-in-reverse",
            encoder(merge=lambda self, context: joined(context.flip(1))),
            "The heads stand in reverse order. Head 0's piece comes first.",
        ),
        Wrong(
            "out-proj-left-out",
            encoder(finish=lambda self, context: context),
            "The merge is mended, and `out_proj` is gone. It was right as given.",
        ),
    ),
    right=(
        Right("flatten", encoder(merge=lambda self, context: context.transpose(1, 2).flatten(2))),
        Right("cat", encoder(merge=lambda self, context: torch.cat(context.unbind(1), dim=-1))),
        Right(
            "contiguous-view",
            encoder(
                merge=lambda self, context: (
                    context.transpose(1, 2).contiguous().view(context.shape[0], context.shape[2], -1)
                )
            ),
        ),
        Right("einsum", encoder(merge=lambda self, context: torch.einsum("bhtd->bthd", context).flatten(2))),
    ),
)


def random_run(seed, batch_size, num_tokens, manual_seed=torch.manual_seed):
    manual_seed(seed)
    x = torch.randn(batch_size, num_tokens, 16)
    return CausalAttention(16, 2, num_tokens, 0.0)(x).detach()


def seeded_too_late(seed, batch_size, num_tokens):
    x = torch.randn(batch_size, num_tokens, 16)
    torch.manual_seed(seed)
    return CausalAttention(16, 2, num_tokens, 0.0)(x).detach()


def seeded_twice(seed, batch_size, num_tokens):
    torch.manual_seed(seed)
    x = torch.randn(batch_size, num_tokens, 16)
    torch.manual_seed(seed)
    return CausalAttention(16, 2, num_tokens, 0.0)(x).detach()


def module_first(seed, batch_size, num_tokens):
    torch.manual_seed(seed)
    head = CausalAttention(16, 2, num_tokens, 0.0)
    return head(torch.randn(batch_size, num_tokens, 16)).detach()


def never_seeded(seed, batch_size, num_tokens):
    return CausalAttention(16, 2, num_tokens, 0.0)(torch.randn(batch_size, num_tokens, 16)).detach()


def seed_typed_in(seed, batch_size, num_tokens):
    return random_run(123, batch_size, num_tokens)


def batch_of_ones(seed, batch_size, num_tokens):
    torch.manual_seed(seed)
    return CausalAttention(16, 2, num_tokens, 0.0)(torch.ones(batch_size, num_tokens, 16)).detach()


def batch_of_uniform(seed, batch_size, num_tokens):
    torch.manual_seed(seed)
    x = torch.rand(batch_size, num_tokens, 16)
    return CausalAttention(16, 2, num_tokens, 0.0)(x).detach()


def in_a_generator_of_its_own(seed, batch_size, num_tokens):
    with torch.random.fork_rng(devices=[]):
        return random_run(seed, batch_size, num_tokens)


def from_a_generator(seed, batch_size, num_tokens):
    """Batch and module from one generator's state, set by hand."""
    torch.set_rng_state(torch.Generator().manual_seed(seed).get_state())
    x = torch.empty(batch_size, num_tokens, 16).normal_()
    return CausalAttention(16, 2, num_tokens, 0.0)(x).detach()


def other_seed(generator: torch.Generator) -> dict:
    return {"seed": int(torch.randint(2**31 - 1, (1,), generator=generator))}


BUG_SEED = Task(
    id="bug-seed-too-late",
    title="Find the bug: a seed that comes too late",
    name="random_run",
    kind="function",
    signature="random_run(seed, batch_size, num_tokens)",
    axes=("b", "tokens", "d_out"),
    probes=(
        Probe(
            "seed-123",
            "seed 123",
            {"seed": 123, "batch_size": 4, "num_tokens": 10},
            redraw=other_seed,
        ),
        Probe(
            "seed-7",
            "seed 7, three sentences of five tokens",
            {"seed": 7, "batch_size": 3, "num_tokens": 5},
            redraw=other_seed,
        ),
    ),
    checks=(Check("the same seed, the same result", 1, ("seed-123", "seed-7")),),
    learned="A seed fixes what is drawn after it. What was drawn before is another thing on every run, and a result "
    "printed from it can be checked by nobody.",
    hints=(
        "Which two lines draw random numbers? Where does the seed stand among them?",
        "`torch.manual_seed(seed)` has to come before the first draw.",
    ),
    wrong=(
        Wrong(
            "as-given",
            seeded_too_late,
            "This is the code as it was given. The weights are the same on every run, the tokens are not: they were drawn "
            "before the seed was set.",
        ),
        Wrong(
            "seeded-twice",
            seeded_twice,
            "There are two seeds now. The result repeats, but the weights are drawn from the same random numbers as the "
            "tokens. One seed, before the first draw, is enough.",
        ),
        Wrong(
            "module-before-batch",
            module_first,
            "The result repeats, but the module is made before the batch now. Move the seed and leave the rest in "
            "its order.",
        ),
        Wrong("never-seeded", never_seeded, "There is no seed any more, so every run gives other numbers."),
        Wrong("seed-typed-in", seed_typed_in, "The seed is always 123. Use the argument `seed`."),
        Wrong(
            "batch-of-ones",
            batch_of_ones,
            "The result repeats because the batch is no longer random: all its numbers are 1. Keep `torch.randn`.",
        ),
        Wrong(
            "uniform-batch",
            batch_of_uniform,
            "The batch is drawn with `torch.rand`, evenly from 0 to 1. Keep `torch.randn`.",
        ),
    ),
    right=(
        Right("seed-moved-up", random_run),
        Right(
            "torch-random",
            lambda seed, batch_size, num_tokens: random_run(
                seed, batch_size, num_tokens, torch.random.manual_seed
            ),
        ),
        Right("fork-rng", in_a_generator_of_its_own),
        Right("generator-state", from_a_generator),
    ),
)

# ------------------------------------------------------------------------------ from the stack into the fused class

NAMES = ("W_query", "W_key", "W_value")


@torch.no_grad()
def copied(wrapper, fused, wide=None, names=NAMES, project=True, bias=True):
    """Copy weights, with one step done otherwise."""
    for name in names:
        narrow = [getattr(head, name).weight for head in wrapper.heads]
        getattr(fused, name).weight.copy_((wide or torch.cat)(narrow))
    if project:
        fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
    if bias:
        fused.out_proj.bias.zero_()
    return fused


@torch.no_grad()
def keys_for_values(wrapper, fused):
    copied(wrapper, fused)
    fused.W_value.weight.copy_(fused.W_key.weight)
    return fused


@torch.no_grad()
def queries_and_keys_swapped(wrapper, fused):
    copied(wrapper, fused)
    fused.W_query.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads]))
    fused.W_key.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads]))
    return fused


@torch.no_grad()
def projection_of_ones(wrapper, fused):
    copied(wrapper, fused)
    fused.out_proj.weight.fill_(1.0)
    return fused


@torch.no_grad()
def projection_of_zeros(wrapper, fused):
    copied(wrapper, fused)
    fused.out_proj.weight.zero_()
    return fused


def with_state_dict(wrapper, fused):
    state = fused.state_dict()
    for name in NAMES:
        state[f"{name}.weight"] = torch.cat([getattr(head, name).weight for head in wrapper.heads])
    state["out_proj.weight"] = torch.eye(len(state["out_proj.weight"]))
    state["out_proj.bias"] = torch.zeros(len(state["out_proj.bias"]))
    fused.load_state_dict(state)
    return fused


def with_slices(wrapper, fused):
    width = wrapper.heads[0].W_query.weight.shape[0]
    with torch.no_grad():
        for index, head in enumerate(wrapper.heads):
            for name in NAMES:
                getattr(fused, name).weight[index * width : (index + 1) * width] = getattr(head, name).weight
        nn.init.eye_(fused.out_proj.weight)
        nn.init.zeros_(fused.out_proj.bias)
    return fused


def with_data(wrapper, fused):
    for name in NAMES:
        getattr(fused, name).weight.data = torch.vstack(
            [getattr(head, name).weight.data for head in wrapper.heads]
        )
    fused.out_proj.weight.data = torch.eye(fused.out_proj.weight.shape[0])
    fused.out_proj.bias.data = torch.zeros_like(fused.out_proj.bias)
    return fused


def with_new_parameters(wrapper, fused):
    for name in NAMES:
        wide = torch.cat([getattr(head, name).weight.detach() for head in wrapper.heads])
        getattr(fused, name).weight = nn.Parameter(wide)
    fused.out_proj.weight = nn.Parameter(torch.eye(fused.out_proj.weight.shape[0]))
    fused.out_proj.bias = nn.Parameter(torch.zeros(fused.out_proj.bias.shape[0]))
    return fused


def identity_module(wrapper, fused):
    with_new_parameters(wrapper, fused)
    fused.out_proj = nn.Identity()
    return fused


def only_heads_of_the_fused(wrapper, fused):
    return fused


def pair(d_in, width, heads, context_lengths, seeds):
    """A wrapper and a fused class that fit one another."""
    short, long = context_lengths
    common = {"dropout": 0.0, "num_heads": heads, "qkv_bias": False}
    return {
        "wrapper": Made(
            "MultiHeadAttentionWrapper",
            {"d_in": d_in, "d_out": width, "context_length": short, **common},
            seed=seeds[0],
        ),
        "fused": Made(
            "MultiHeadAttention",
            {"d_in": d_in, "d_out": heads * width, "context_length": long, **common},
            seed=seeds[1],
        ),
    }


COPY_INTO_FUSED = Task(
    id="copy-into-fused",
    title="From the stack into the fused class",
    name="copy_into_fused",
    kind="function",
    signature="copy_into_fused(wrapper, fused)",
    axes=("b", "tokens", "d_out"),
    needs=("multi-head-wrapper", "multi-head-attention"),
    probes=(
        Probe("two-heads", "the batch, two heads", pair(3, 2, 2, (6, 6), (123, 1)), then={"x": BATCH}),
        Probe(
            "other-weights",
            "two other heads and two sentences that differ",
            pair(3, 2, 2, (6, 6), (2, 3)),
            then={"x": 2 * drawn(2, 6, 3, seed=81)},
        ),
        # The fused class takes more tokens than the stack was made for: whoever returns the stack is found out.
        Probe(
            "three-heads",
            "three heads and more tokens than the stack was made for",
            pair(5, 4, 3, (5, 9), (4, 5)),
            then={"x": 2 * drawn(2, 7, 5, seed=82)},
        ),
        Probe(
            "square",
            "heads as wide as the token",
            pair(4, 4, 2, (5, 8), (6, 7)),
            then={"x": 2 * drawn(3, 6, 4, seed=83)},
        ),
    ),
    checks=(
        Check("two heads of width 2", 2, ("two-heads", "other-weights")),
        Check("other sizes", 1, ("three-heads", "square")),
    ),
    learned="The stack's matrices are the rows of the fused class's wide ones. With the same numbers both classes are the "
    "same function; the fused one needs fewer products, and adds `out_proj`.",
    hints=(
        "Which matrices of the stack make up `fused.W_query.weight`, and in which order? Compare the shapes above.",
        "`torch.cat([head.W_query.weight for head in wrapper.heads], dim=0)` has the shape of `fused.W_query.weight`. "
        "The other two go the same way.",
        "Under `with torch.no_grad():` write with `fused.W_query.weight.copy_(…)`, then "
        "`fused.out_proj.weight.copy_(torch.eye(d_out))` and `fused.out_proj.bias.zero_()`; return `fused`.",
    ),
    wrong=(
        Wrong(
            "nothing-copied",
            only_heads_of_the_fused,
            "`fused` still has the weights that it was made with. Write into them: `parameter.copy_(values)` under "
            "`torch.no_grad()`.",
        ),
        Wrong(
            "projection-left",
            lambda wrapper, fused: copied(wrapper, fused, project=False, bias=False),
            "The heads' weights are right. `out_proj` still mixes them with random numbers: set its weight to "
            "`torch.eye` and its bias to zeros.",
        ),
        Wrong(
            "bias-left",
            lambda wrapper, fused: copied(wrapper, fused, bias=False),
            "Every row is shifted by the same numbers: `out_proj.bias` is still as it was drawn. Set it to zeros.",
        ),
        Wrong(
            "projection-weight-left",
            lambda wrapper, fused: copied(wrapper, fused, project=False),
            "`out_proj.bias` is zero, but `out_proj.weight` still mixes the columns. Set it to `torch.eye`.",
        ),
        Wrong(
            "projection-of-ones",
            projection_of_ones,
            "All columns are alike: `out_proj.weight` is full of ones. The identity has ones on its diagonal only: "
            "`torch.eye`.",
        ),
        Wrong(
            "projection-of-zeros",
            projection_of_zeros,
            "The result is 0 everywhere, because `out_proj.weight` is. The identity matrix, `torch.eye`, changes "
            "nothing.",
        ),
        Wrong(
            "queries-only",
            lambda wrapper, fused: copied(wrapper, fused, names=("W_query",)),
            "Only the queries' weights were copied. Keys and values need theirs as well.",
        ),
        Wrong(
            "values-left",
            lambda wrapper, fused: copied(wrapper, fused, names=("W_query", "W_key")),
            "The values' weights were not copied.",
        ),
        Wrong(
            "keys-left",
            lambda wrapper, fused: copied(wrapper, fused, names=("W_query", "W_value")),
            "The keys' weights were not copied.",
        ),
        Wrong(
            "keys-for-values",
            keys_for_values,
            "`W_value` holds the weights of the keys. Look at the name in that line.",
        ),
        Wrong(
            "queries-and-keys-swapped",
            queries_and_keys_swapped,
            "The queries' and the keys' weights have changed places.",
        ),
        Wrong(
            "heads-in-reverse",
            lambda wrapper, fused: copied(wrapper, fused, wide=lambda narrow: torch.cat(narrow[::-1])),
            "The heads stand in reverse order: head 0's rows come first.",
        ),
        Wrong(
            "first-head-for-all",
            lambda wrapper, fused: copied(
                wrapper, fused, wide=lambda narrow: torch.cat([narrow[0]] * len(narrow))
            ),
            "Every head has head 0's weights.",
        ),
        Wrong(
            "interleaved",
            lambda wrapper, fused: copied(
                wrapper, fused, wide=lambda narrow: torch.stack(narrow, dim=1).flatten(0, 1)
            ),
            "The heads' rows alternate. All rows of head 0 come first, then all of head 1: `torch.cat(…, dim=0)`.",
        ),
        Wrong(
            "matrices-turned",
            lambda wrapper, fused: copied(
                wrapper,
                fused,
                wide=lambda narrow: (
                    torch.cat([one.T for one in narrow], dim=1).T
                    if narrow[0].shape[0] != narrow[0].shape[1]
                    else torch.cat([one.T for one in narrow])
                ),
            ),
            "The matrices are transposed on their way. Both classes keep them as (out, in), so no `.T` is needed; where "
            "a head is as wide as a token, it goes unnoticed by the shapes.",
        ),
        Wrong(
            "wrapper-returned",
            lambda wrapper, fused: wrapper,
            "The stack itself is returned. Return `fused`, with the stack's weights in it.",
        ),
        Wrong(
            "nothing-returned",
            lambda wrapper, fused: copied(wrapper, fused) and None,
            "The function returns nothing. End it with `return fused`.",
        ),
        Wrong(
            "identity-module",
            identity_module,
            "`fused.out_proj` was replaced by something without weights. The numbers are right, but what was there to "
            "be trained is gone: keep the layer, and copy the identity matrix into its weight and zeros into its bias.",
        ),
    ),
    right=(
        Right("state-dict", with_state_dict),
        Right("slices", with_slices),
        Right("data", with_data),
        Right("new-parameters", with_new_parameters),
    ),
)

LESSON = Lesson(
    title="05 · Many heads",
    given_axes={"a": ("b", "heads", "tokens", "head_dim")},
    redraw=redraw,
    tasks=(
        ERROR_WITH_HEADS,
        MULTI_HEAD_WRAPPER,
        BATCHED_HEAD_SCORES,
        SPLIT_HEADS,
        BUG_VIEW,
        MERGE_HEADS,
        BUG_MERGE,
        MULTI_HEAD_ATTENTION,
        BUG_SEED,
        COPY_INTO_FUSED,
    ),
)
