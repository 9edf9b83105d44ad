"""The tasks of lesson 05: their probes, the wrong answers people give, and the hint each deserves."""

import torch

from autograder.authoring import (
    Check,
    Forbid,
    Lesson,
    Made,
    Probe,
    Right,
    Task,
    Wrong,
    before,
    body,
    edit,
    faulty,
    returns,
)

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
QKV = ("query", "key", "value")


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def rows_of_weights(*shape, seed):
    """Random attention weights: rows that add up to 1, sharp enough to differ."""
    return torch.softmax(3 * drawn(*shape, seed=seed), dim=-1)


def sizes(d_in, d_out, context_length, heads, dropout=0.0, qkv_bias=False):
    """A constructor's arguments."""
    names = ("d_in", "d_out", "context_length", "dropout", "num_heads", "qkv_bias")
    return dict(zip(names, (d_in, d_out, context_length, dropout, heads, qkv_bias), strict=True))


AHEAD = {"observe": "influence", "settings": {"input": "x", "axis": -2}}
APART = {"observe": "influence", "settings": {"input": "x", "axis": 0}}
SHUFFLED = {"observe": "permuted", "settings": {"input": "x", "axis": -2}}
AGAIN = {"observe": "second-call", "settings": {"input": "x", "axis": 1, "size": 4}}
REFUSED = {"raises": ("ValueError",)}
SIX = torch.eye(6)
TWICE = torch.cat((SIX, SIX))  # values that show the weights, two times over


def called(id, says, shape, construct, seed, **more):
    """A class tried on random sentences of a shape, with weights drawn under the same seed."""
    x = 2 * drawn(*shape, seed=seed)
    return Probe(id, says, {"x": x}, construct=construct, seed=seed, **more)


def dropped(id, says, weights, sentences=1):
    """A class with one head in training mode. Each number of the result is there twice."""
    return Probe(
        id,
        says,
        {"x": SIX.repeat(sentences, 1, 1)},
        construct=sizes(6, 12, 6, heads=1, dropout=0.4),
        seed=13,
        weights=weights,
        observe="dropout",
        settings={"p": 0.4, "copies": 2, "measures": 9},
    )


def redraw(generator: torch.Generator) -> dict:
    """Another sentence for the batched product, with numbers of both signs."""
    return {"a": torch.randn(1, 2, 3, 4, generator=generator)}


# ----------------------------------------------------------------------------------------- the stack of heads

LAST_HEAD = (
    "This is the last head alone: does each round of a loop replace the one before? Collect all in a list."
)
JOIN_WITH_CAT = "Each row holds pieces of several tokens. Join the contexts with `torch.cat(…, dim=-1)`."
STACK_SEEDED = sizes(3, 2, 6, heads=2)
STACK = sizes(4, 6, 9, heads=2)

STACKED = edit("torch.cat", "torch.stack")
NOT_PASSED = "The heads do not get `{0}`. Pass it on to `CausalAttention`."
TOO_WIDE = "Each head is `num_heads` times too wide. In this class `d_out` is the width of one head."
A_LIST = "This is a list with one tensor for each head. Join them to one tensor with `torch.cat(…, dim=-1)`."
PARTS = "x.split(self.heads[0].W_key.in_features, dim=-1)"
SLICED = "Each head sees only a slice of the token. Every head gets all of `x`; the result is made of pieces."
HEADS_TYPED_IN = "There is always the same number of heads. Let `range(num_heads)` count them."
IN_A_LIST = (
    "A module finds no heads in a plain list, and none that are made in `forward`. Use an `nn.ModuleList`."
)

MULTI_HEAD_WRAPPER = Task(
    id="multi-head-wrapper",
    title="A stack of heads",
    name="MultiHeadAttentionWrapper",
    kind="module",
    signature="MultiHeadAttentionWrapper(d_in, d_out, context_length, dropout, num_heads, qkv_bias=False)",
    axes=("b", "tokens", "columns of all heads"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("seeded", "the batch", {"x": BATCH}, construct=STACK_SEEDED),
        called("two-sentences", "two sentences that differ", (2, 6, 3), STACK_SEEDED, 1),
        called("other-sizes", "three sentences of seven tokens, where nine would fit", (3, 7, 4), STACK, 2),
        called("three-heads", "three heads with biases", (2, 4, 5), sizes(5, 1, 7, 3, qkv_bias=True), 3),
        called("look-ahead", "sentences with one token changed at a time", (3, 7, 4), STACK, 4, **AHEAD),
        called(
            "sentences-apart", "a batch with one sentence changed at a time", (3, 7, 4), STACK, 5, **APART
        ),
        called("eval", "dropout 0.4 in eval mode", (3, 5, 4), {**STACK, "dropout": 0.4}, 6),
        dropped("training", "dropout 0.4 in training mode", {"heads.0.W_value.weight": TWICE}, sentences=3),
        called("double", "three sentences in float64", (3, 7, 4), STACK, 14, dtype="float64"),
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
    parts=("class", "heads", "batch", "bias-option", "own-input-width"),
    words={"W_query": "heads.0.W_query", "W_key": "heads.0.W_key", "W_value": "heads.0.W_value"},
    cannot={
        "one-head": "one head is what `num_heads` typed in as 1 gives",
        "plain-tensors": "the weights are those of CausalAttention, which is given",
        "weights-made-in-forward": "heads made in `forward` are not registered, as in a plain list",
    },
    wrong=(
        Wrong("unregistered-list", edit("nn.ModuleList(", "list("), hint=IN_A_LIST),
        Wrong("narrow-heads", edit("(d_in, d_out", "(d_in, d_out // num_heads")),
        Wrong("narrow-heads", edit("(d_in, d_out", "(d_in, max(d_out // num_heads, 1)")),
        Wrong("full-width-heads", edit("(d_in, d_out", "(d_in, d_out * num_heads"), hint=TOO_WIDE),
        Wrong("sizes-turned", edit("(d_in, d_out", "(d_out, d_in")),
        Wrong("first-head-for-all", edit("[head(x)", "[self.heads[0](x)")),
        Wrong(
            "one-head-repeated",
            edit(" Causal", " [Causal"),
            edit(") for _ in range(num_heads)", ")] * num_heads"),
        ),
        Wrong("joined-along-wrong-axis", edit("dim=-1", "dim=1")),
        Wrong("joined-along-wrong-axis", edit("dim=-1", "dim=0")),
        Wrong("stacked-not-joined", STACKED),
        Wrong("stacked-not-joined", STACKED, edit(", dim=-1", "")),
        Wrong("stacked-not-joined", STACKED, edit("dim=-1", "dim=1")),
        Wrong("stacked-not-joined", STACKED, edit("dim=-1", "dim=2")),
        Wrong("merge-interleaved", STACKED, edit("dim=-1)", "dim=-1).flatten(-2)")),
        Wrong(
            "merge-without-transpose",
            STACKED,
            edit("dim=-1)", "dim=1).reshape(*x.shape[:2], -1)"),
            hint=JOIN_WITH_CAT,
        ),
        Wrong("heads-added", edit("torch.cat", "sum"), edit(", dim=-1", "")),
        Wrong("heads-added", STACKED, edit("dim=-1)", "dim=-1).mean(dim=-1)")),
        Wrong("heads-not-joined", edit("torch.cat(", "("), edit(", dim=-1", ""), hint=A_LIST),
        Wrong("heads-in-reverse", edit("in self.heads", "in self.heads[::-1]")),
        Wrong("first-head-only", edit("in self.heads", "in self.heads[:1]")),
        Wrong("overwritten-in-loop", edit("in self.heads", "in self.heads[-1:]"), hint=LAST_HEAD),
        Wrong("heads-in-series", body("forward", "for head in self.heads:\n    x = head(x)\nreturn x")),
        Wrong(
            "input-split",
            edit("(d_in,", "(d_in // num_heads,"),
            edit("(x) for head in self.heads", f"(part) for head, part in zip(self.heads, {PARTS})"),
            hint=SLICED,
        ),
        Wrong("no-dropout", edit("dropout, q", "0.0, q"), hint=NOT_PASSED.format("dropout")),
        Wrong("dropout-typed-in", edit("dropout, q", "0.5, q")),
        Wrong(
            "dropout-twice",
            edit("torch.cat(", "torch.dropout(torch.cat("),
            edit("dim=-1)", "dim=-1), self.heads[0].dropout.p, self.training)"),
        ),
        Wrong("bias-never", edit(", qkv_bias) for", ") for"), hint=NOT_PASSED.format("qkv_bias")),
        Wrong("bias-always", edit(", qkv_bias) for", ", True) for")),
        Wrong("bias-uneven", edit(", qkv_bias) for _ in", ", qkv_bias and _ == 0) for _ in")),
        Wrong(
            "sizes-typed-in",
            edit("context_length, dropout, q", "6, dropout, q"),
            hint=NOT_PASSED.format("context_length"),
        ),
        Wrong("heads-typed-in", edit("range(num_heads)", "range(2)"), hint=HEADS_TYPED_IN),
        Wrong("heads-typed-in", edit("range(num_heads)", "range(1)"), hint=HEADS_TYPED_IN),
        Wrong("heads-typed-in", edit("range(num_heads)", "range(4)"), hint=HEADS_TYPED_IN),
        Wrong("heads-typed-in", edit("in self.heads", "in self.heads[:2]"), hint=HEADS_TYPED_IN),
        Wrong("loop-stops-early", edit("range(num_heads)", "range(num_heads - 1)")),
        Wrong("reads-the-notebook", edit("head(x)", "head(batch)")),
        Wrong("edits-its-argument", edit("dim=-1)", "dim=-1) + x.zero_().sum()")),
        Wrong("first-sequence-only", edit("dim=-1)", "dim=-1)[0]")),
        Wrong("first-sequence-for-all", edit("head(x)", "head(x[:1]).expand(len(x), -1, -1)")),
        Wrong("batch-mixed", edit("head(x)", "head(x.transpose(0, 1)).transpose(0, 1)")),
        Wrong("other-names", edit("self.heads", "self.layers", 2), hint="Call the list `self.heads`."),
        Wrong("no-super-init", edit("super().__init__()\n        ", "")),
        Wrong("returns-nothing", edit("return torch", "torch")),
        Wrong("returns-a-tuple", edit("dim=-1)", "dim=-1), self.heads")),
        Wrong("detached", edit("dim=-1)", "dim=-1).detach()")),
        Wrong("half-precision", edit("dim=-1)", "dim=-1).half().to(x.dtype)")),
        Wrong("float-forced", edit("dim=-1)", "dim=-1).float()")),
    ),
    right=(
        Right(
            "tuple",
            edit("ModuleList(", "ModuleList(tuple("),
            edit("_heads)\n        )", "_heads)\n        ))"),
            edit("[head(x) for head in self.heads]", "tuple(head(x) for head in self.heads)"),
        ),
        Right(
            "appended-and-filled",
            body(
                "__init__",
                """
                super().__init__()
                self.d_out, self.heads = d_out, nn.ModuleList()
                for _ in range(num_heads):
                    self.heads.append(CausalAttention(d_in, d_out, context_length, dropout, qkv_bias))
                """,
            ),
            body(
                "forward",
                """
                out = x.new_zeros(*x.shape[:2], len(self.heads) * self.d_out)
                for index, head in enumerate(self.heads):
                    out[..., index * self.d_out : (index + 1) * self.d_out] = head(x)
                return out
                """,
            ),
        ),
        Right("stack-and-reshape", STACKED, edit("dim=-1)", "dim=2).flatten(2)")),
        Right("concatenate", edit("torch.cat", "torch.concatenate"), edit("dim=-1", "axis=2")),
        Right("own-dimensions", edit("dim=-1", "dim=x.ndim - 1")),
    ),
)

# ---------------------------------------------------------------------------------- what several heads leave


PIECES_OF_SEVERAL = "torch.stack(contexts, dim=1).reshape(*x.shape[:2], -1)"


def each_error(one_of_them):
    """An error for each head, and one number made of them."""
    return returns(one_of_them.format("[error_left(head @ x, wanted) for head in weights]"))


def weights_on_previous(num_tokens):
    return torch.eye(num_tokens)[[0, *range(num_tokens - 1)]]


def weights_on_first(num_tokens):
    return torch.eye(num_tokens)[[0] * num_tokens]


STORIES = drawn(20, 8, 4, seed=24)
BOTH = torch.cat((weights_on_previous(8) @ STORIES, weights_on_first(8) @ STORIES), dim=-1)
ON_BOTH = weights_on_previous(8) + weights_on_first(8)
OTHER_STORIES, OTHER_WANTED = drawn(9, 5, 2, seed=6), drawn(9, 5, 7, seed=7)


def attended(id, says, weights, x=STORIES, wanted=BOTH):
    return Probe(id, says, {"weights": weights, "x": x, "wanted": wanted})


ERROR_WITH_HEADS = Task(
    id="error-with-heads",
    title="The error that several heads leave",
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
        attended(
            "half-half", "one head, half on the token before and half on the first", (ON_BOTH / 2)[None]
        ),
        attended("one-random-head", "one head with random weights", rows_of_weights(1, 8, 8, seed=3)),
        attended("two-heads", "two heads with random weights", rows_of_weights(2, 8, 8, seed=4)),
        attended(
            "three-heads",
            "three heads on other stories",
            rows_of_weights(3, 5, 5, seed=5),
            OTHER_STORIES,
            OTHER_WANTED,
        ),
    ),
    checks=(
        Check("one head", 1, ("half-half", "one-random-head")),
        Check("several heads, joined", 1, ("two-heads", "three-heads")),
    ),
    learned="One head has one row of weights per token, so all its columns hold the same mixture. Joined heads have "
    "a row each, and the next matrix has a block for each.",
    hints=(
        "For one head the contexts are `head @ x`: its weights are (tokens, tokens), and `@` does it for each story.",
        "Collect the contexts of all heads in a list, and join the list with `torch.cat(…, dim=-1)`.",
        "`contexts = [head @ x for head in weights]`, then `return error_left(torch.cat(contexts, dim=-1), wanted)`",
    ),
    wrong=(
        Wrong("heads-added", edit("torch.cat(contexts, dim=-1)", "sum(contexts)")),
        Wrong("first-head-only", edit("in weights", "in weights[:1]")),
        Wrong("overwritten-in-loop", edit("in weights", "in weights[-1:]"), hint=LAST_HEAD),
        Wrong("heads-typed-in", edit("in weights", "in weights[:2]")),
        Wrong("error-for-each-head", each_error("torch.stack({}).mean()")),
        Wrong("error-for-each-head", each_error("sum({})")),
        Wrong("error-for-each-head", each_error("min({})")),
        Wrong("weights-on-the-right", edit("head @ x", "head.T @ x")),
        Wrong("joined-along-wrong-axis", edit("dim=-1", "dim=1")),
        Wrong(
            "weights-not-used",
            returns("error_left(x, wanted)"),
            hint="Here the tokens themselves are compared with what is wanted; no weights are used. Write `head @ x`.",
        ),
        Wrong("softmax-twice", edit("head @ x", "head.softmax(dim=-1) @ x")),
        Wrong("merge-without-transpose", edit("torch.cat(contexts, dim=-1)", PIECES_OF_SEVERAL)),
        Wrong("reads-the-notebook", edit("head @ x", "head @ stories")),
        Wrong("rounded", edit("(joined, wanted)", "(joined, wanted).round(decimals=2)")),
    ),
    right=(
        Right("einsum", returns('error_left(torch.einsum("hqk,bkd->bqhd", weights, x).flatten(2), wanted)')),
        Right(
            "broadcast",
            body(
                "error_with_heads",
                """
                contexts = weights[None] @ x[:, None]
                return error_left(contexts.permute(0, 2, 1, 3).reshape(*x.shape[:2], -1), wanted)
                """,
            ),
        ),
        Right(
            "double",
            returns("error_left(torch.cat([h.double() @ x.double() for h in weights], -1), wanted.double())"),
        ),
        Right("heads-in-another-order", edit("in weights", "in weights.flip(0)")),
        Right("python-float", edit("(joined, wanted)", "(joined, wanted).item()")),
    ),
)

# ------------------------------------------------------------------------------- all heads in one matrix product

DIMENSIONS = "This is (1, 2, 4, 4): dimensions meet dimensions. Transpose the right side, not the left."
SCORES_ADDED = (
    "The heads' scores are added up, as one wide head would get them. Each head keeps scores of its own."
)
SCALED = (
    "These scores are divided by √head_dim already. That comes with the class; here they stay as they are."
)
SOFTMAXED = "These are weights: each row adds up to 1. The task wants the scores before the softmax."

BATCHED_HEAD_SCORES = Task(
    id="batched-head-scores",
    title="The scores of all heads at once",
    name="head_scores",
    kind="tensor",
    signature="head_scores",
    axes=("b", "heads", "tokens as query", "tokens as key"),
    properties=("symmetric",),
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
            "dimensions-for-tokens", edit("a @ a.transpose(2, 3)", "a.transpose(2, 3) @ a"), hint=DIMENSIONS
        ),
        Wrong("first-head-only", edit("a @ a.transpose(2, 3)", "a[0, 0] @ a[0, 0].T")),
        Wrong("heads-added", returns("(a @ a.transpose(2, 3)).sum(dim=1)"), hint=SCORES_ADDED),
        Wrong("heads-crossed", edit("a.transpose", "a.flip(1).transpose")),
        Wrong("heads-meet", returns("a.flatten(0, 2) @ a.flatten(0, 2).T")),
        Wrong("elementwise-product", returns("a * a")),
        Wrong("scaled-unasked", edit("transpose(2, 3)", "transpose(2, 3) / a.shape[-1] ** 0.5"), hint=SCALED),
        Wrong("step-too-many", returns("torch.softmax(a @ a.transpose(2, 3), dim=-1)"), hint=SOFTMAXED),
    ),
    right=(
        Right("mT", edit("a.transpose(2, 3)", "a.mT")),
        Right("last-axes", returns("torch.matmul(a, a.transpose(-2, -1))")),
        Right("einsum", returns('torch.einsum("bhqd,bhkd->bhqk", a, a)')),
        Right("permute", edit("transpose(2, 3)", "permute(0, 1, 3, 2)")),
        Right("loop", returns("torch.stack([torch.stack([head @ head.T for head in one]) for one in a])")),
        Right("bmm", returns("torch.bmm(a[0], a[0].transpose(1, 2))[None]")),
        Right("double", returns("a.double() @ a.double().mT")),
    ),
)

# ------------------------------------------------------------------------------------------- split and merge


def other_numbers(generator: torch.Generator) -> dict:
    """Twelve whole numbers, no two alike, so that each can be told from the others wherever it goes."""
    return {"x": torch.randperm(100, generator=generator)[:12].reshape(1, 3, 4)}


def split(id, says, shape, heads):
    return Probe(id, says, {"x": drawn(*shape, seed=20 + heads), "num_heads": heads})


HEADS_FIRST = edit("num_tokens, num_heads", "num_heads, num_tokens")
HEADS_LAST = edit("num_heads, d_out // num_heads)", "d_out // num_heads, num_heads)")

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
        split("same-sizes", "another example of three tokens and two heads", (1, 3, 4), 2),
        split("three-heads", "two sentences of five tokens, three heads", (2, 5, 12), 3),
        split("five-heads", "four sentences of three tokens, five heads", (4, 3, 10), 5),
        split("one-head", "one head", (3, 2, 4), 1),
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
        Wrong("split-without-transpose", HEADS_FIRST, edit("pieces.transpose(1, 2)", "pieces")),
        Wrong("heads-not-brought-forward", edit("pieces.transpose(1, 2)", "pieces")),
        Wrong("split-interleaved", HEADS_LAST, edit("transpose(1, 2)", "permute(0, 3, 1, 2)")),
        Wrong("head-dim-for-heads", HEADS_LAST),
        Wrong("wrong-axes-swapped", edit("transpose(1, 2)", "transpose(1, 3)")),
        Wrong("wrong-axes-swapped", edit("transpose(1, 2)", "permute(0, 2, 3, 1)")),
        Wrong("wrong-axes-swapped", edit("transpose(1, 2)", "transpose(2, 3)")),
        Wrong("heads-before-batch", edit("transpose(1, 2)", "permute(2, 0, 1, 3)")),
        Wrong(
            "tokens-split",
            returns("x.repeat(1, num_heads, 1).reshape(*x.shape[:2], num_heads, -1).transpose(1, 2)"),
        ),
        Wrong("heads-get-everything", returns("x[:, None].expand(-1, num_heads, -1, -1)")),
        Wrong("heads-in-reverse", edit("transpose(1, 2)", "transpose(1, 2).flip(1)")),
        Wrong("heads-typed-in", edit("num_heads, d_out // num_heads)", "2, d_out // 2)")),
        Wrong("sizes-typed-in", edit("b, num_tokens, num_heads, d_out // num_heads)", "1, 3, 2, 2)")),
        Wrong("reads-the-notebook", returns("numbered.view(1, 3, 2, 2).transpose(1, 2)")),
        Wrong("first-sequence-only", edit("pieces.transpose", "pieces[:1].transpose")),
        Wrong("first-sequence-only", edit("pieces.transpose(1, 2)", "pieces[0].transpose(0, 1)")),
        Wrong("edits-its-argument", edit("return p", "pieces = pieces.clone()\n    x.zero_()\n    return p")),
    ),
    right=(
        Right("reshape", returns("x.reshape(*x.shape[:-1], num_heads, -1).transpose(1, 2)")),
        Right("permute", edit("transpose(1, 2)", "permute(0, 2, 1, 3)")),
        Right("unflatten", returns("x.unflatten(-1, (num_heads, -1)).transpose(1, 2)")),
        Right("chunk-and-stack", returns("torch.stack(x.chunk(num_heads, dim=-1), dim=1)")),
        Right(
            "slices",
            body(
                "split_heads",
                """
                width = x.shape[2] // num_heads
                return torch.stack([x[:, :, h * width : (h + 1) * width] for h in range(num_heads)], dim=1)
                """,
            ),
        ),
        Right("contiguous-as-well", edit("transpose(1, 2)", "transpose(1, 2).contiguous()")),
    ),
)

FOUR_AXES = "The axes of `context` are (b, heads, tokens, head_dim), in this order."
TOKENS_LAST = "This is (b, d_out, tokens). One row for each token: swap the last two axes."
COUNTED = torch.arange(12.0).view(1, 2, 3, 2)

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
        Probe("counted", "two heads, three tokens, numbered from 0", {"context": COUNTED}),
        Probe("same-sizes", "other numbers of the same shape", {"context": drawn(1, 2, 3, 2, seed=31)}),
        Probe("other-sizes", "two sentences, three heads", {"context": drawn(2, 3, 5, 4, seed=32)}),
        Probe("many-heads", "four sentences, five heads", {"context": drawn(4, 5, 3, 2, seed=33)}),
    ),
    checks=(
        Check("two heads, three tokens", 1, ("counted", "same-sizes")),
        Check("other sizes", 1, ("other-sizes", "many-heads")),
    ),
    learned="The tokens go back to the front before heads and head_dim become one. After `transpose` the numbers no "
    "longer lie in reading order, so `view` needs `.contiguous()` first; `reshape` copies by itself.",
    hints=(
        "Two steps, the way back of `split_heads`: which two axes must change places first?",
        "After `context.transpose(1, 2)` the axes are (b, tokens, heads, head_dim). Now make the last two one.",
        "`return context.transpose(1, 2).contiguous().view(b, num_tokens, num_heads * head_dim)`",
    ),
    wrong=(
        Wrong("merge-without-transpose", edit("context.transpose(1, 2)", "context")),
        Wrong("view-of-a-transpose", edit(".contiguous()", "")),
        Wrong("heads-typed-in", edit("context.tr", "context[:, :2].tr"), edit("num_heads * head_dim", "-1")),
        Wrong(
            "joined-then-turned", edit("num_tokens, num_heads * head_dim)", "-1, num_tokens).transpose(1, 2)")
        ),
        Wrong("merge-interleaved", edit("transpose(1, 2)", "permute(0, 2, 3, 1)")),
        Wrong("wrong-axes-swapped", edit("transpose(1, 2)", "transpose(2, 3)")),
        Wrong("wrong-axes-swapped", edit("transpose(1, 2)", "transpose(1, 3)")),
        Wrong("heads-added", returns("context.sum(dim=1)")),
        Wrong("heads-added", returns("context.mean(dim=1)")),
        Wrong("first-head-only", returns("context[:, 0]")),
        Wrong("heads-not-joined", returns("context.transpose(1, 2)")),
        Wrong("joined-along-wrong-axis", returns("torch.cat(context.unbind(1), dim=1)")),
        Wrong("joined-along-wrong-axis", returns("context.transpose(1, 2).flatten(1, 2)")),
        Wrong(
            "tokens-counted-on-another-axis",
            edit("num_heads, num_tokens, h", "num_tokens, num_heads, h"),
            hint=FOUR_AXES,
        ),
        Wrong("transposed-result", returns("context.transpose(2, 3).flatten(1, 2)"), hint=TOKENS_LAST),
        Wrong("heads-in-reverse", edit("context.transpose", "context.flip(1).transpose")),
        Wrong("sizes-typed-in", edit("view(b, num_tokens, num_heads * head_dim)", "view(1, 3, 4)")),
        Wrong("first-sequence-only", returns("context[:1].transpose(1, 2).flatten(2)")),
        Wrong(
            "edits-its-argument",
            edit("return p", "pieces = pieces.clone()\n    context.zero_()\n    return p"),
        ),
    ),
    right=(
        Right("reshape", edit("contiguous().view", "reshape")),
        Right("flatten", returns("context.transpose(1, 2).flatten(-2)")),
        Right("cat", returns("torch.cat(context.unbind(dim=1), dim=-1)")),
        Right("permute-and-view", edit("transpose(1, 2)", "permute(0, 2, 1, 3)")),
        Right("einsum", returns('torch.einsum("bhtd->bthd", context).flatten(2)')),
    ),
)

# ------------------------------------------------------------------------------------------ the fused class

SEEDED = sizes(3, 4, 6, heads=2)
OTHER = {name: size for name, size in sizes(7, 12, 9, heads=3).items() if name != "qkv_bias"}
FULL = sizes(7, 12, 5, heads=2)  # room for five tokens and no more
BIASED = sizes(5, 6, 8, heads=2, qkv_bias=True)
ATTENTION = ("class", "projections", "scaling", "softmax", "masking", "causal", "context-length", "buffer")
FLAT = {"W_query.weight": torch.zeros(12, 7)}  # all scores are 0, whatever they are divided by

# Pieces of the solution.
SCALE = "self.head_dim**0.5"
PRESENT = "[:num_tokens, :num_tokens]"
HIDDEN = f"self.mask.bool(){PRESENT}"
PARAMETER = "nn.Parameter(torch.rand(d_in, d_out))"
LAYER = "nn.Linear(d_in, d_out, bias=qkv_bias)"
OUT = "self.out_proj(context)"
DROPPED = "self.dropout(weights)"

# Parts of wrong answers.
NO_MASK = edit("scores = scores.masked_fill", "scores.masked_fill")
MASK_AS_NUMBERS = edit(".masked_fill(self.mask.bool()", " + self.mask")
NO_DROPOUT = edit(f"weights = {DROPPED}", "")
P = "self.dropout.p * self.training"
KEPT_OR_SHRUNK = "(torch.rand_like(weights) >= self.dropout.p if self.training else 1 - self.dropout.p)"
ACROSS_TOKENS = "x.reshape(len(x), heads, x.shape[1], -1)"
PIECES_OF_OTHERS = "context.reshape(len(context), context.shape[2], -1)"
AS_VIEW = ".view(len(context), context.shape[2], -1)"
TOKENS_FIRST = 'torch.einsum("bhqk,bkhd->bqhd", weights, values)'
WIDE_OUT = edit("(d_out, d_out)", "(d_out * num_heads, d_out)")
NEW_LAYERS = (
    'for name in ("W_query", "W_key", "W_value"): '
    "setattr(self, name, nn.Linear(x.shape[-1], self.out_proj.in_features, bias=False).to(x))"
)
NOT_BOOLEAN = "The mask holds numbers, and `masked_fill` wants True and False: `self.mask.bool()`."


def hidden_later(fill):
    """The mask on the weights."""
    return edit(DROPPED, f"self.dropout(weights.masked_fill({HIDDEN}, {fill}))")


def cut(pieces):
    """The projections split in another way."""
    return before(f"def cut(x, heads):\n    return {pieces}"), edit("split_heads(", "cut(", 3)


def joined(pieces):
    """The heads merged in another way."""
    return before(f"def joined(context):\n    return {pieces}"), edit("merge_heads(", "joined(")


def wide(sizes):
    """Three layers of another size."""
    return [edit(LAYER, f"nn.Linear({sizes}, bias=qkv_bias)", 3)]


def projected(made, old="self.W_{0}(x)"):
    """The three projections made in another way."""
    return [edit(old.format(name), made.format(name)) for name in QKV]


def first(*lines):
    """Lines that stand before all others in `forward`."""
    return edit("        num_tokens", "".join(f"        {line}\n" for line in lines) + "        num_tokens")


FUSED_TWICE = {"W_value.weight": TWICE, "out_proj.weight": torch.eye(12), "out_proj.bias": torch.zeros(12)}

# `nn.MultiheadAttention` is a class around this function.
READY_MADE = """
    count, d_out = x.shape[1], self.out_proj.in_features
    layers = (self.W_query, self.W_key, self.W_value)
    biases = [one.bias for one in layers if one.bias is not None]
    context, _ = nn.functional.multi_head_attention_forward(
        *(x.transpose(0, 1) @ one.weight.T for one in layers),
        *(d_out, self.num_heads, torch.eye(d_out).to(x).repeat(3, 1), torch.cat(biases) if biases else None),
        *(None, None, False, self.dropout.p, self.out_proj.weight, self.out_proj.bias, self.training),
        need_weights=False,
        attn_mask=self.mask[:count, :count].bool(),
    )
    return context.transpose(0, 1)
    """

# Softmax written out, with the largest score of a row taken off first.
BY_HAND = """
def softmax_by_hand(scores, dim):
    exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return {}
"""
SUMMED = "exponentials / exponentials.sum(dim=dim, keepdim=True)"


def by_hand(shares):
    """The class with its softmax written out, and these shares of the exponentials."""
    return before(BY_HAND.format(shares)), edit("torch.softmax(", "softmax_by_hand(")


SLIPS_BY_HAND = (
    Wrong("not-normalised", *by_hand("exponentials")),
    Wrong("sums-without-keepdim", *by_hand("exponentials / exponentials.sum(dim=dim).unsqueeze(-2)")),
    Wrong("softmax-over-queries", *by_hand("exponentials / exponentials.sum(dim=-2, keepdim=True)")),
    Wrong("softmax-over-everything", *by_hand("exponentials / exponentials.sum()")),
)

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
        Probe("seeded", "the batch", {"x": BATCH}, construct=SEEDED),
        called("two-sentences", "two sentences that differ", (2, 6, 3), SEEDED, 41),
        called("other-sizes", "two sentences of five tokens, where nine would fit", (2, 5, 7), OTHER, 42),
        called("biases", "four sentences, with biases", (4, 7, 5), BIASED, 43),
        called("one-token", "a sentence of one token", (3, 1, 5), BIASED, 44),
        called("look-ahead", "sentences with one token changed at a time", (2, 5, 7), FULL, 45, **AHEAD),
        called(
            "sentences-apart", "a batch with one sentence changed at a time", (4, 5, 7), FULL, 46, **APART
        ),
        called("long", "sentences as long as context_length", (3, 5, 7), FULL, 47, weights=FLAT),
        called(
            "double", "a module and inputs of float64", (2, 5, 7), FULL, 48, dtype="float64", weights=FLAT
        ),
        called("device", "a module on another device", (2, 5, 7), FULL, 49, observe="other-device"),
        called("state-dict", "the module's state dict", (2, 5, 7), FULL, 49, observe="buffers"),
        called("divisible", "a `d_out` of 6 for 2 heads", (2, 1, 3), sizes(3, 6, 1, 2), 57),
        called("indivisible", "a `d_out` of 7 for 2 heads", (2, 6, 3), sizes(3, 7, 6, 2), 55, **REFUSED),
        called("eval", "dropout 0.4 in eval mode", (2, 5, 7), sizes(7, 12, 5, 2, 0.4), 50, weights=FLAT),
        dropped("training", "dropout 0.4 in training mode", FUSED_TWICE),
        Probe(
            "heads-apart",
            "three sentences and two heads in training mode",
            {"x": SIX.repeat(3, 1, 1)},
            construct=sizes(6, 12, 6, heads=2, dropout=0.3),
            seed=17,
            weights=FUSED_TWICE,
            observe="dropout",
            settings={"p": 0.3, "measures": 9},
        ),
        called("second-call", "six tokens, after a call with four of them", (2, 6, 7), OTHER, 56, **AGAIN),
    ),
    checks=(
        Check("the batch, two heads", 1, ("seeded", "two-sentences")),
        Check(
            "other sizes, with biases, and fewer tokens than context_length",
            1,
            ("other-sizes", "biases", "one-token", "second-call"),
        ),
        Check("no look ahead, and sentences apart", 1, ("long", "look-ahead", "sentences-apart")),
        Check("another dtype, another device, and the mask saved", 1, ("double", "device", "state-dict")),
        Check(
            "dropout on the weights in training, none in eval mode", 1, ("eval", "training", "heads-apart")
        ),
        Check(
            "a width is refused where the heads cannot share it, and only there",
            1,
            ("divisible", "indivisible"),
        ),
    ),
    learned="Project wide, cut into heads, attend in all heads at once, merge, and let `out_proj` mix what they found. "
    "This class, in nine steps, is part of almost every language model.",
    hints=(
        "Follow the table step by step. After each line write the shape as a comment, and print it if you are not sure.",
        "Steps 2 and 3 for queries, keys and values: `split_heads(self.W_query(x), self.num_heads)`. Then the scores "
        "are `queries @ keys.transpose(2, 3)`.",
        "Mask with `scores.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)`, divide by "
        "`self.head_dim**0.5`, softmax over `dim=-1`, dropout.",
        "The end is `return self.out_proj(merge_heads(weights @ values))`.",
    ),
    parts=(
        *ATTENTION,
        "batch",
        "heads",
        "divisible",
        "out-proj",
        "dropout",
        "bias-option",
        "own-input-width",
    ),
    words={"width": "√head_dim", "width_code": "self.head_dim**0.5", "swap": "keys.transpose(2, 3)"},
    cannot={
        "input-as-values": "tokens narrower than d_out cannot be split: the shapes stop it",
    },
    wrong=(
        # The scores and their scale.
        Wrong("no-scale", edit(f" / {SCALE}", "")),
        Wrong("scaled-by-model-width", edit(SCALE, "self.out_proj.in_features ** 0.5")),
        Wrong("scaled-by-input-width", edit(SCALE, "x.shape[-1] ** 0.5")),
        Wrong("scaled-without-root", edit("_dim**0.5", "_dim")),
        Wrong("scaled-up", edit(f"/ {SCALE}", f"* {SCALE}")),
        Wrong("scaled-by-heads", edit(SCALE, "self.num_heads**0.5")),
        Wrong("scaled-by-tokens", edit(SCALE, "num_tokens**0.5")),
        Wrong("scaled-by-batch", edit(SCALE, "queries.shape[0] ** 0.5")),
        Wrong("scaled-after-softmax", edit(f" / {SCALE}, dim=-1)", f", dim=-1) / {SCALE}")),
        Wrong("root-by-precedence", edit("_dim**0.5", "_dim**1/2")),
        Wrong("scaled-by-half", edit("_dim**0.5", "_dim / 0.5")),
        Wrong("scale-typed-in", edit(SCALE, "2**0.5")),
        Wrong("scores-turned", edit("queries @ keys", "keys @ queries")),
        Wrong("scores-negated", edit("queries @", "-queries @")),
        Wrong("keys-reshaped", edit("keys.transpose(2, 3)", "keys.reshape(*keys.shape[:2], -1, num_tokens)")),
        Wrong("keys-not-turned", edit("keys.transpose(2, 3)", "keys")),
        Wrong("keys-turned-on-other-axes", edit("keys.transpose(2, 3)", "keys.transpose(1, 2)")),
        Wrong("keys-turned-on-other-axes", edit("keys.transpose(2, 3)", "keys.T")),
        # The softmax.
        Wrong("softmax-over-queries", edit("dim=-1", "dim=-2")),
        Wrong("softmax-over-heads", edit("dim=-1", "dim=1")),
        Wrong("softmax-over-heads", NO_MASK, edit("dim=-1", "dim=1"), hidden_later("0.0")),
        Wrong("softmax-over-batch", edit("dim=-1", "dim=0")),
        Wrong("no-softmax", edit("torch.softmax(", "("), edit(", dim=-1", "")),
        Wrong("softmax-twice", edit("dim=-1)", "dim=-1).softmax(dim=-1)")),
        Wrong("log-softmax", edit("torch.softmax", "torch.log_softmax")),
        Wrong("sigmoid-for-softmax", edit("torch.softmax(", "torch.sigmoid("), edit(", dim=-1", "")),
        Wrong("not-normalised", edit("torch.softmax(", "torch.exp("), edit(", dim=-1", "")),
        *SLIPS_BY_HAND,
        Wrong("weights-on-the-right", edit("weights @", "weights.mT @")),
        Wrong("residual-added", edit("@ values", "@ values + values")),
        Wrong("attended-twice", edit("weights @", "weights @ weights @")),
        Wrong("own-value-only", edit("weights @ values", "values")),
        # The mask.
        Wrong("no-mask", NO_MASK),
        Wrong("mask-fills-zero", edit("-torch.inf", "0.0")),
        Wrong("mask-fills-small", edit("-torch.inf", "-10.0")),
        *(Wrong("mask-fills-small", edit("-torch.inf", f"-{number}")) for number in (1, 3, 5)),
        Wrong("mask-fills-infinity", edit("-torch.inf", "torch.inf")),
        Wrong("mask-added", MASK_AS_NUMBERS, edit("], -torch.inf)", "]")),
        Wrong("zero-times-infinity", MASK_AS_NUMBERS, edit("], -torch.inf)", "] * -torch.inf")),
        Wrong("mask-after-softmax", NO_MASK, hidden_later("0.0")),
        Wrong("mask-polarity", edit("self.mask.bool()", "~self.mask.bool()")),
        Wrong(
            "mask-polarity",
            edit("self.mask.bool()", "~self.mask.bool()"),
            edit("dim=-1)", "dim=-1).nan_to_num()"),
        ),
        Wrong("past-hidden", edit("torch.triu", "torch.tril"), edit("diagonal=1", "diagonal=-1")),
        Wrong("past-hidden", edit("torch.triu", "torch.tril")),
        Wrong("diagonal-hidden", edit("diagonal=1", "diagonal=0")),
        Wrong("diagonal-too-far", edit("diagonal=1", "diagonal=2")),
        Wrong("mask-from-values", edit(HIDDEN, "torch.triu(scores, diagonal=1) != 0")),
        Wrong("mask-from-values", edit(HIDDEN, "torch.tril(scores) == 0")),
        Wrong("not-boolean", edit(".mask.bool()", ".mask"), hint=NOT_BOOLEAN),
        Wrong("mask-not-cut", edit(PRESENT, "")),
        Wrong("mask-misaligned", edit(PRESENT, "[:num_tokens, -num_tokens:]")),
        Wrong("mask-misaligned", edit(PRESENT, "[-num_tokens:, :num_tokens]")),
        Wrong("tokens-counted-on-another-axis", edit("x.shape[1]", "x.shape[0]")),
        Wrong("tokens-counted-on-another-axis", edit("x.shape[1]", "x.shape[-1]")),
        Wrong("sizes-typed-in", edit("(context_length, context_length)", "(6, 6)")),
        Wrong("mask-on-first-head", edit("scores = scores.masked", "scores[:, 0] = scores[:, 0].masked")),
        Wrong("mask-batch-for-heads", edit(PRESENT, f"{PRESENT}.expand(len(x), -1, -1)")),
        Wrong("mask-not-a-buffer", edit('self.register_buffer("mask", ', "self.mask = (")),
        Wrong("mask-not-saved", edit("diagonal=1)", "diagonal=1), persistent=False")),
        Wrong("mask-is-a-parameter", edit('self.register_buffer("mask", ', "self.mask = nn.Parameter(")),
        # Which vectors meet.
        Wrong("keys-as-values", edit("self.W_value(x)", "self.W_key(x)")),
        Wrong("queries-as-values", edit("self.W_value(x)", "self.W_query(x)")),
        Wrong("keys-as-queries", edit("self.W_query(x)", "self.W_key(x)")),
        Wrong("queries-as-keys", edit("self.W_key(x)", "self.W_query(x)")),
        Wrong("values-as-keys", edit("self.W_key(x)", "self.W_value(x)")),
        Wrong("values-as-queries", edit("self.W_query(x)", "self.W_value(x)")),
        Wrong("activation-added", edit(OUT, f"torch.relu({OUT})")),
        Wrong("activation-added", edit("self.W_value(x)", "torch.relu(self.W_value(x))")),
        # The heads.
        Wrong("split-without-transpose", *cut(ACROSS_TOKENS)),
        Wrong("split-interleaved", *cut("x.reshape(*x.shape[:2], -1, heads).permute(0, 3, 1, 2)")),
        Wrong("head-dim-for-heads", *cut("x.reshape(*x.shape[:2], -1, heads).transpose(1, 2)")),
        Wrong(
            "heads-not-brought-forward", *cut("x.unflatten(-1, (heads, -1))"), *joined("context.flatten(2)")
        ),
        Wrong("merge-without-transpose", *joined(PIECES_OF_OTHERS)),
        Wrong("view-of-a-transpose", *joined(f"context.transpose(1, 2){AS_VIEW}")),
        Wrong("merge-interleaved", *joined("context.permute(0, 2, 3, 1).flatten(2)")),
        Wrong("wrong-axes-swapped", *joined("context.mT.reshape(len(context), context.shape[2], -1)")),
        Wrong("split-and-merge-without-transpose", *cut(ACROSS_TOKENS), *joined(PIECES_OF_OTHERS)),
        Wrong("heads-not-joined", *joined("context.transpose(1, 2)")),
        Wrong("heads-added", *joined("context.sum(dim=1).repeat(1, 1, context.shape[1])")),
        Wrong("heads-added", *joined("context.mean(dim=1).repeat(1, 1, context.shape[1])")),
        Wrong("one-head", edit("s = num_heads", "s = 1"), edit("d_out // num_heads", "d_out")),
        Wrong("one-head", edit("s = num_heads", "s = 1")),
        Wrong("heads-typed-in", edit("s = num_heads", "s = 2"), edit("d_out // num_heads", "d_out // 2")),
        Wrong(
            "full-width-heads",
            *wide("d_in, d_out * num_heads"),
            WIDE_OUT,
            edit("d_out // num_heads", "d_out"),
        ),
        Wrong(
            "input-split",
            *wide("d_in // num_heads, d_out // num_heads"),
            before(
                "def cut(x, n):\n    return x[..., : x.shape[-1] // n * n].unflatten(-1, (n, -1)).transpose(1, 2)"
            ),
            *projected(
                "self.W_{0}(cut(x, self.num_heads))", old="split_heads(self.W_{0}(x), self.num_heads)"
            ),
        ),
        Wrong("indivisible-accepted", edit("d_out % num_heads != 0", "False")),
        Wrong("divisible-refused", edit("d_out % num_heads", "d_in % num_heads")),
        Wrong("divisible-refused", edit("d_out % num_heads != 0", "d_out % num_heads == 0")),
        # The output layer.
        Wrong("no-out-proj", edit(OUT, "context")),
        Wrong("no-out-proj", edit(OUT, "context"), edit("self.out_proj = nn.Linear(d_out, d_out)", "")),
        Wrong("out-proj-twice", edit(OUT, f"self.out_proj({OUT})")),
        Wrong("out-proj-without-bias", edit("(d_out, d_out)", "(d_out, d_out, bias=qkv_bias)")),
        Wrong("out-proj-without-bias", edit("(d_out, d_out)", "(d_out, d_out, bias=False)")),
        Wrong("out-proj-of-other-size", edit("(d_out, d_out)", "(d_out, d_in)")),
        Wrong(
            "context-normalised", edit("(context)", "(nn.functional.layer_norm(context, context.shape[-1:]))")
        ),
        Wrong("tokens-pooled", edit(OUT, f"{OUT}.mean(dim=1)")),
        Wrong("weights-returned", edit(OUT, "weights")),
        # Dropout.
        Wrong("no-dropout", edit("weights = self.dropout", "self.dropout")),
        Wrong("dropout-on-scores", NO_DROPOUT, edit("scores.masked", "self.dropout(scores).masked")),
        Wrong("dropout-on-scores", NO_DROPOUT, edit("softmax(scores", "softmax(self.dropout(scores)")),
        Wrong("dropout-on-context", NO_DROPOUT, edit(OUT, "self.out_proj(self.dropout(context))")),
        Wrong("dropout-on-input", NO_DROPOUT, edit("self.W_value(x)", "self.W_value(self.dropout(x))")),
        Wrong("dropout-on-input", NO_DROPOUT, edit("@ values", "@ self.dropout(values)")),
        Wrong(
            "dropout-on-input", NO_DROPOUT, *(edit(f"W_{one}(x)", f"W_{one}(self.dropout(x))") for one in QKV)
        ),
        Wrong("dropout-twice", edit(OUT, "self.out_proj(self.dropout(context))")),
        Wrong("dropout-in-eval", edit(DROPPED, "nn.functional.dropout(weights, self.dropout.p)")),
        Wrong("dropout-not-rescaled", edit(DROPPED, f"weights * (torch.rand_like(weights) >= {P})")),
        Wrong("rescaled-in-eval-instead", edit(DROPPED, f"weights * {KEPT_OR_SHRUNK}")),
        Wrong("dropout-renormalised", edit(DROPPED, f"nn.functional.normalize({DROPPED}, p=1, dim=-1)")),
        Wrong("dropout-typed-in", edit("nn.Dropout(dropout)", "nn.Dropout(0.1)")),
        Wrong("dropout-same-each-time", edit("= self.dropout", "= torch.manual_seed(1) and self.dropout")),
        Wrong("p-as-share-kept", edit("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")),
        Wrong("dropped-together", edit(DROPPED, "weights * self.dropout(torch.ones_like(weights[0, 0]))")),
        # The class.
        Wrong("bias-never", edit("bias=qkv_bias", "bias=False", 3)),
        Wrong("bias-uneven", edit(f"W_value = {LAYER}", "W_value = nn.Linear(d_in, d_out, bias=False)")),
        Wrong("bias-always", edit("bias=qkv_bias", "bias=True", 3)),
        Wrong("bias-turned", edit("bias=qkv_bias", "bias=not qkv_bias", 3)),
        Wrong("bias-by-default", edit("qkv_bias=False", "qkv_bias=True")),
        Wrong("sizes-turned", *wide("d_out, d_in")),
        Wrong("plain-tensors", edit(LAYER, "torch.rand(d_in, d_out)", 3), *projected("x @ self.W_{0}")),
        Wrong("parameter-for-linear", edit(LAYER, PARAMETER, 3), *projected("x @ self.W_{0}")),
        Wrong("one-matrix-for-all", *(edit(f"W_{n} = {LAYER}", f"W_{n} = self.W_query") for n in QKV[1:])),
        Wrong("other-names", edit("self.W_", "self.w_", 6)),
        Wrong("weights-made-in-forward", first(NEW_LAYERS)),
        Wrong("no-super-init", edit("super().__init__()\n        ", "")),
        Wrong("returns-nothing", edit("return self", "self")),
        Wrong("returns-a-tuple", edit(OUT, f"{OUT}, weights")),
        Wrong("detached", edit(OUT, f"{OUT}.detach()")),
        Wrong("detached", edit("weights @", "weights.detach() @")),
        Wrong("half-precision", edit(OUT, f"{OUT}.half().to(x.dtype)")),
        Wrong("float-forced", edit(OUT, f"{OUT}.float()")),
        Wrong("rounded", edit(OUT, f"{OUT}.round(decimals=4)")),
        Wrong("first-sequence-only", edit(OUT, f"{OUT}[0]")),
        Wrong("first-sequence-for-all", edit("weights @", "weights[:1] @")),
        Wrong("batch-mixed", first("x = x.transpose(0, 1)"), edit(OUT, f"{OUT}.transpose(0, 1)")),
        Wrong("reads-the-notebook", first("x = batch")),
        Wrong("edits-its-argument", edit("return self", "x.mul_(0)\n        return self")),
    ),
    right=(
        Right(
            "keys-first-and-tril",
            body(
                "__init__",
                """
                super().__init__()
                if d_out % num_heads:
                    raise ValueError("d_out must be a multiple of num_heads")
                self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)).bool())
                self.out_proj = nn.Linear(d_out, d_out)
                for name in ("W_value", "W_key", "W_query"):
                    setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))
                self.p, self.num_heads, self.head_dim = dropout, num_heads, d_out // num_heads
                """,
            ),
            edit("self.mask.bool()", "(~self.mask)"),
            edit("self.dropout(weights)", "nn.functional.dropout(weights, self.p, self.training)"),
        ),
        # One product for all three, then three pieces.
        Right(
            "fused-projection",
            first(
                "layers = (self.W_query, self.W_key, self.W_value)",
                "bias = None if self.W_key.bias is None else torch.cat([one.bias for one in layers])",
                "weight = torch.cat([one.weight for one in layers])",
                "q, k, v = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)",
            ),
            *(edit(f"self.W_{name}(x)", name[0]) for name in QKV),
        ),
        Right(
            "scaled-dot-product-attention",
            body(
                "forward",
                """
                layers, p = (self.W_query, self.W_key, self.W_value), self.dropout.p if self.training else 0.0
                queries, keys, values = (split_heads(one(x), self.num_heads) for one in layers)
                attend = nn.functional.scaled_dot_product_attention
                return self.out_proj(merge_heads(attend(queries, keys, values, dropout_p=p, is_causal=True)))
                """,
            ),
        ),
        Right(
            "head-by-head",
            body(
                "forward",
                """
                contexts = []
                for head in range(self.num_heads):
                    own = slice(head * self.head_dim, (head + 1) * self.head_dim)
                    queries, keys, values = (one(x)[..., own] for one in (self.W_query, self.W_key, self.W_value))
                    scores = queries @ keys.transpose(1, 2)
                    hidden = self.mask[: x.shape[1], : x.shape[1]] == 1
                    weights = torch.softmax(scores.masked_fill(hidden, -torch.inf) / self.head_dim**0.5, -1)
                    contexts.append(self.dropout(weights) @ values)
                return self.out_proj(torch.cat(contexts, -1))
                """,
            ),
        ),
        Right(
            "einsum",
            edit("split_heads(", "torch.unflatten(", 3),
            *(edit(f"W_{n}(x), self.num_heads)", f"W_{n}(x), -1, (self.num_heads, -1))") for n in QKV),
            edit("queries @ keys.transpose(2, 3)", 'torch.einsum("bqhd,bkhd->bhqk", queries, keys)'),
            edit("merge_heads(weights @ values)", f"{TOKENS_FIRST}.flatten(2)"),
        ),
        Right("large-negative", edit("-torch.inf", "-1e9")),
        Right("masked-in-place", edit("scores = scores.masked_fill(", "scores.masked_fill_(")),
        Right(
            "masked-afterwards-and-normalised",
            NO_MASK,
            edit(DROPPED, f"self.dropout(nn.functional.normalize(weights * ~{HIDDEN}, p=1, dim=-1))"),
        ),
        Right(
            "queries-scaled-first",
            edit("queries @", f"(queries / {SCALE}) @"),
            edit(f"scores / {SCALE}", "scores"),
        ),
        Right("contiguous-view", *joined(f"context.transpose(1, 2).contiguous(){AS_VIEW}")),
    ),
    forbids=Forbid(
        ("MultiheadAttention",), points=4, caught=(Right("ready-made", body("forward", READY_MADE)),)
    ),
)

# ------------------------------------------------------------------------------------------ find the bug

NOT_SPLIT = "What you saw is gone, because there is one head left that is as wide as d_out. Keep the heads."
CUT = ".view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)"
WRONGLY_CUT = ".view(b, self.num_heads, num_tokens, self.head_dim)"


def partly_fixed(*names):
    """Some of queries, keys and values are still cut across the tokens."""
    return [edit(f"self.W_{name}(x){CUT}", f"self.W_{name}(x){WRONGLY_CUT}") for name in names]


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
        called("two-sentences", "two sentences that differ", (2, 6, 3), CAUSAL_SEEDED, 61),
        called(
            "look-ahead", "sentences with one token changed at a time", (2, 6, 5), CAUSAL_OTHER, 62, **AHEAD
        ),
        called("other-sizes", "two sentences of seven tokens, three heads", (2, 7, 5), CAUSAL_OTHER, 63),
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
        "Print `numbered.view(1, 2, 3, 2)` from task 4 again. Which tokens are in row 1 of head 0? For the mask, row 1 is "
        "token 1.",
        "Scores, mask, softmax and merge are right. Look at how `queries`, `keys` and `values` get their heads.",
        "In each of the three lines: `.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)`.",
    ),
    wrong=(
        Wrong(
            "left-as-given",
            faulty(),
            hint="This is the code as it was given (`reshape` for `view` changes nothing). “one” changes when only "
            "“step” does: some rows of a head are not the token that the mask takes them for.",
        ),
        Wrong(
            "split-and-merge-without-transpose",
            edit(CUT, WRONGLY_CUT, 3),
            edit("(weights @ values).transpose(1, 2)", "(weights @ values)"),
            hint="Now nothing leaks, and the mistake is only hidden: the merge undoes the wrong cut, while each head still "
            "holds a part of the sentence. The last tokens never see the first. Fix the cut.",
        ),
        Wrong(
            "one-head", edit("s = num_heads", "s = 1"), edit("d_out // num_heads", "d_out"), hint=NOT_SPLIT
        ),
        Wrong(
            "only-itself-visible",
            edit("self.mask[:num_tokens, :num_tokens]", "~torch.eye(num_tokens).bool()"),
            hint="Nothing leaks, since every token sees only itself. The mask was right as it was.",
        ),
        Wrong(
            "symptom-hidden",
            edit(CUT, WRONGLY_CUT, 3),
            edit(
                "self.mask[:num_tokens, :num_tokens]",
                "torch.arange(num_tokens)[None] * self.num_heads > torch.arange(num_tokens)[:, None]",
            ),
            hint="A wider mask hides some of the leak. The mask was right; what stands in the rows was not.",
        ),
        *(
            Wrong(
                "fixed-in-part",
                *partly_fixed(*names.split()),
                hint=f"Some lines are fixed. What is still cut across the tokens: {names.replace(' ', ', ')}.",
            )
            for names in ("query", "key", "value", "query key", "key value", "query value")
        ),
        Wrong(
            "split-interleaved",
            edit(CUT, ".view(b, num_tokens, self.head_dim, self.num_heads).permute(0, 3, 1, 2)", 3),
        ),
        Wrong("merge-without-transpose", edit("(weights @ values).transpose(1, 2)", "(weights @ values)")),
        Wrong("no-mask", edit("scores = scores.masked_fill", "scores.masked_fill")),
        Wrong("mask-polarity", edit("(self.mask", "(~self.mask")),
        Wrong("keys-as-values", edit("self.W_value(x)", "self.W_key(x)")),
        Wrong("scaled-by-model-width", edit("self.head_dim**0.5", "self.W_key.out_features ** 0.5")),
        Wrong("no-scale", edit(" / self.head_dim**0.5", "")),
        Wrong("softmax-over-heads", edit("dim=-1)", "dim=1)")),
        Wrong("heads-not-brought-forward", edit(CUT, CUT.removesuffix(".transpose(1, 2)"), 3)),
    ),
    right=(
        Right("reshape", edit(CUT, ".reshape(b, num_tokens, self.num_heads, -1).transpose(1, 2)", 3)),
        Right("permute", edit(CUT, ".unflatten(-1, (self.num_heads, -1)).permute(0, 2, 1, 3)", 3)),
        Right(
            "own-split-heads", *projected("split_heads(self.W_{0}(x), self.num_heads)", "self.W_{0}(x)" + CUT)
        ),
        Right("large-negative", edit("-torch.inf", "-1e9")),
    ),
)


def merged(by):
    """The heads' contexts put together in another way."""
    return edit("context.transpose(1, 2).reshape(b, num_tokens, -1)", by)


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
        called("two-sentences", "two sentences that differ", (2, 6, 3), ENCODER_SEEDED, 71),
        called(
            "shuffled", "the tokens of a sentence in another order", (2, 6, 3), ENCODER_SEEDED, 72, **SHUFFLED
        ),
        called("other-sizes", "two sentences of seven tokens, three heads", (2, 7, 5), ENCODER_OTHER, 73),
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
            "left-as-given",
            faulty(),
            hint="This is the code as it was given. Each token is handed pieces of other tokens, so a shuffled sentence "
            "gives other outputs.",
        ),
        Wrong(
            "split-and-merge-without-transpose",
            edit(CUT, WRONGLY_CUT, 3),
            edit("context.transpose(1, 2)", "context"),
            hint="Now the split leaves out its transpose as well. The two undo one another, but each head holds only a "
            "part of the sentence. The split was right; fix the merge.",
        ),
        Wrong("split-without-transpose", edit(CUT, WRONGLY_CUT, 3)),
        Wrong(
            "one-head", edit("s = num_heads", "s = 1"), edit("d_out // num_heads", "d_out"), hint=NOT_SPLIT
        ),
        Wrong("heads-added", merged("context.sum(dim=1).repeat(1, 1, self.num_heads)")),
        Wrong("heads-added", merged("context.mean(dim=1).repeat(1, 1, self.num_heads)")),
        Wrong("first-head-only", merged("context[:, 0].repeat(1, 1, self.num_heads)")),
        Wrong("merge-interleaved", edit("context.transpose(1, 2)", "context.permute(0, 2, 3, 1)")),
        Wrong("wrong-axes-swapped", edit("context.transpose(1, 2)", "context.transpose(2, 3)")),
        Wrong(
            "symptom-hidden",
            edit("reshape(b, num_tokens, -1)", "reshape(b, num_tokens, -1).sort(dim=-1).values"),
            hint="The numbers of each token are sorted, which hides where they came from. Merge the heads in their order.",
        ),
        Wrong("view-of-a-transpose", edit("reshape(b", "view(b")),
        Wrong("heads-in-reverse", edit("context.transpose", "context.flip(1).transpose")),
        Wrong("no-out-proj", edit("self.out_proj(context)", "context")),
        Wrong("out-proj-without-bias", edit("(d_out, d_out)", "(d_out, d_out, bias=False)")),
        Wrong("out-proj-twice", edit("self.out_proj(context)", "self.out_proj(self.out_proj(context))")),
        Wrong("no-scale", edit(" / self.head_dim**0.5", "")),
        Wrong("softmax-over-queries", edit("dim=-1)", "dim=-2)")),
        Wrong("heads-not-joined", merged("context.transpose(1, 2)")),
    ),
    right=(
        Right("flatten", merged("context.transpose(1, 2).flatten(2)")),
        Right("cat", merged("torch.cat(context.unbind(1), dim=-1)")),
        Right("contiguous-view", edit("reshape(b", "contiguous().view(b")),
        Right("einsum", merged('torch.einsum("bhtd->bthd", context).flatten(2)')),
    ),
)


# ------------------------------------------------------------------------------ from the stack into the fused class


def pair(id, says, d_in, width, heads, context_lengths, seeds, shape):
    """A wrapper and a fused class that fit one another, and what the result is called with."""
    stack = sizes(d_in, width, context_lengths[0], heads)
    wide = sizes(d_in, heads * width, context_lengths[1], heads)
    made = {
        "wrapper": Made("MultiHeadAttentionWrapper", stack, seed=seeds[0]),
        "fused": Made("MultiHeadAttention", wide, seed=seeds[1]),
    }
    return Probe(id, says, made, then={"x": 2 * drawn(*shape, seed=81) if shape else BATCH})


def assigned(how):
    """Every weight assigned to, not copied into."""
    return (
        edit(".copy_(torch.cat(narrow, dim=0))", how.format("torch.cat(narrow).detach()")),
        edit(f".copy_({EYE})", how.format(EYE)),
        edit(".zero_()", how.format("torch.zeros(len(fused.out_proj.bias))")),
    )


EYE = "torch.eye(fused.out_proj.weight.shape[0])"
NO_EYE = edit(f"fused.out_proj.weight.copy_({EYE})", "pass")
NO_ZEROS = edit("fused.out_proj.bias.zero_()", "pass")
STACK_RETURNED = "The stack itself is returned. Return `fused`, with the stack's weights in it."
EXCHANGED = '{"W_query": "W_key", "W_key": "W_query"}.get(name, name)'
KEYS_COPIED = "`W_value` holds the weights of the keys. Look at the name in that line."
ROWS = "All rows of head 0 come first, below them all of head 1: `torch.cat(…, dim=0)`."
FORGOTTEN = "Some weights were not copied: those of"

COPY_INTO_FUSED = Task(
    id="copy-into-fused",
    title="From the stack into the fused class",
    name="copy_into_fused",
    kind="function",
    signature="copy_into_fused(wrapper, fused)",
    axes=("b", "tokens", "d_out"),
    needs=("multi-head-wrapper", "multi-head-attention"),
    probes=(
        pair("two-heads", "the batch, two heads", 3, 2, 2, (6, 6), (123, 1), None),
        pair(
            "other-weights",
            "two other heads and two sentences that differ",
            3,
            2,
            2,
            (6, 6),
            (2, 3),
            (2, 6, 3),
        ),
        # The fused class takes more tokens than the stack was made for: an answer that returns the stack is found.
        pair(
            "three-heads",
            "three heads and more tokens than the stack takes",
            5,
            4,
            3,
            (5, 9),
            (4, 5),
            (2, 7, 5),
        ),
        pair("square", "heads as wide as the token", 4, 4, 2, (5, 8), (6, 7), (3, 6, 4)),
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
        Wrong("nothing-copied", returns("fused")),
        Wrong("out-proj-not-set", NO_EYE, NO_ZEROS),
        Wrong(
            "out-proj-not-set",
            NO_ZEROS,
            hint="Every row is shifted by the same numbers: `out_proj.bias` is still as it was drawn. Set it to zeros.",
        ),
        Wrong(
            "out-proj-not-set",
            NO_EYE,
            hint="`out_proj.bias` is zero, but `out_proj.weight` still mixes the columns. Set it to `torch.eye`.",
        ),
        Wrong(
            "not-the-identity",
            edit(EYE, "torch.ones_like(fused.out_proj.weight)"),
            hint="All columns are alike: `out_proj.weight` is full of ones. The identity has ones on its diagonal only: "
            "`torch.eye`.",
        ),
        Wrong(
            "not-the-identity",
            edit(EYE, "torch.zeros_like(fused.out_proj.weight)"),
            hint="The result is 0 everywhere, because `out_proj.weight` is. The identity matrix, `torch.eye`, changes "
            "nothing.",
        ),
        Wrong("layer-forgotten", edit(', "W_key", "W_value"', ","), hint=f"{FORGOTTEN} keys and values."),
        Wrong("layer-forgotten", edit(', "W_value"', ""), hint=f"{FORGOTTEN} the values."),
        Wrong("layer-forgotten", edit(', "W_key"', ""), hint=f"{FORGOTTEN} the keys."),
        Wrong(
            "keys-as-values", edit("(head, name)", '(head, name.replace("value", "key"))'), hint=KEYS_COPIED
        ),
        Wrong("projections-swapped", edit("(head, name)", f"(head, {EXCHANGED})")),
        Wrong("queries-as-keys", edit("(head, name)", '(head, name.replace("key", "query"))')),
        Wrong("reads-the-notebook", edit("wrapper.heads", "stack.heads")),
        Wrong("heads-in-reverse", edit("cat(narrow", "cat(narrow[::-1]")),
        Wrong("first-head-for-all", edit("cat(narrow", "cat([narrow[0]] * len(narrow)")),
        Wrong(
            "merge-interleaved", edit("cat(narrow, dim=0)", "stack(narrow, dim=1).flatten(0, 1)"), hint=ROWS
        ),
        Wrong("matrices-turned", edit("name).weight for", "name).weight.T for")),
        # Where a head is as wide as a token, the shapes do not give it away.
        Wrong(
            "matrices-turned",
            edit("cat(narrow", "cat([one.T if one.shape == one.T.shape else one for one in narrow]"),
        ),
        Wrong("joined-along-wrong-axis", edit("dim=0", "dim=1"), hint=ROWS),
        Wrong("heads-typed-in", edit("wrapper.heads", "wrapper.heads[:2]")),
        Wrong(
            "overwritten-in-loop", edit(".copy_(torch.cat(narrow, dim=0))", "[: len(narrow[0])] = narrow[-1]")
        ),
        Wrong("sizes-typed-in", edit(EYE, "torch.eye(4)")),
        Wrong("outside-no-grad", edit("with torch.no_grad():", "if True:")),
        Wrong("wrong-object-returned", returns("wrapper"), hint=STACK_RETURNED),
        Wrong("wrong-object-returned", edit("return fused", "return wrapper"), hint=STACK_RETURNED),
        Wrong("returns-nothing", edit("return fused", "pass")),
        Wrong("layer-replaced", edit("return fused", "fused.out_proj = nn.Identity()\n    return fused")),
    ),
    right=(
        Right(
            "state-dict",
            body(
                "copy_into_fused",
                """
                state = fused.state_dict()
                for name in ("W_query", "W_key", "W_value"):
                    state[f"{name}.weight"] = torch.cat([getattr(head, name).weight for head in wrapper.heads])
                state["out_proj.weight"] = torch.eye(len(state["out_proj.weight"]))
                state["out_proj.bias"] = torch.zeros(len(state["out_proj.bias"]))
                fused.load_state_dict(state)
                return fused
                """,
            ),
        ),
        Right(
            "slices",
            body(
                "copy_into_fused",
                """
                width = wrapper.heads[0].W_query.weight.shape[0]
                with torch.no_grad():
                    for index, head in enumerate(wrapper.heads):
                        for name in ("W_query", "W_key", "W_value"):
                            rows = slice(index * width, (index + 1) * width)
                            getattr(fused, name).weight[rows] = getattr(head, name).weight
                    nn.init.eye_(fused.out_proj.weight)
                    nn.init.zeros_(fused.out_proj.bias)
                return fused
                """,
            ),
        ),
        Right("data", *assigned(".data = {0}")),
        Right("new-parameters", *assigned(" = nn.Parameter({0})")),
    ),
)

LESSON = Lesson(
    title="05 · Many heads",
    given_axes={"a": ("b", "heads", "tokens", "head_dim")},
    redraw=redraw,
    tasks=(
        MULTI_HEAD_WRAPPER,
        ERROR_WITH_HEADS,
        BATCHED_HEAD_SCORES,
        SPLIT_HEADS,
        BUG_VIEW,
        MERGE_HEADS,
        BUG_MERGE,
        MULTI_HEAD_ATTENTION,
        COPY_INTO_FUSED,
    ),
)
