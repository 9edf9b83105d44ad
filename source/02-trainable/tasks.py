"""The tasks of lesson 02: their probes, and the right and wrong answers as changes to the solution."""

import torch

from autograder.authoring import (
    Check,
    Forbid,
    Lesson,
    Made,
    Probe,
    Right,
    Specimen,
    Task,
    Wrong,
    before,
    body,
    edit,
    faulty,
    returns,
)

# The sentence "Your journey starts with one step", three numbers for each token.
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


def drawn(*shape, seed=0):
    """Numbers of both signs, the same on every machine."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def redraw(generator: torch.Generator) -> dict:
    """Other tokens and other weights of the same shapes."""
    return {
        "inputs": torch.rand(6, 3, generator=generator),
        "W_query": torch.rand(3, 2, generator=generator),
        "W_key": torch.rand(3, 2, generator=generator),
        "W_value": torch.rand(3, 2, generator=generator),
    }


NAMES = ("W_query", "W_key", "W_value")


def for_each(old, new):
    """The same edit of the lines for queries, keys and values."""
    return [edit(old.format(name), new.format(name)) for name in NAMES]


SCORES = Task(
    id="scores-of-one-query",
    title="The scores of one query",
    name="attn_scores_2",
    kind="tensor",
    signature="attn_scores_2",
    axes=("tokens",),
    checks=(Check("one score for each token", 1),),
    learned="A score is the dot product of a query with a key. With other matrices the same sentence has other scores.",
    hints=(
        "You need the dot product of `query_2` with every row of `keys`.",
        "A matrix product takes rows on the left with columns on the right. What makes the keys columns?",
        "`attn_scores_2 = query_2 @ keys.T`",
    ),
    words={"queries": "query_2", "swap": "keys.T"},
    wrong=(
        Wrong("queries-as-keys", edit("keys.T", "(inputs @ W_query).T")),
        Wrong("values-as-keys", edit("keys.T", "values.T")),
        Wrong("keys-as-queries", edit("query_2 @", "keys[1] @")),
        Wrong("scores-turned", returns("keys[1] @ (inputs @ W_query).T")),
        Wrong("input-for-scores", returns("inputs @ x_2")),
        Wrong("step-too-many", edit("keys.T", "keys.T / keys.shape[1] ** 0.5")),
        Wrong("step-too-many", returns("torch.softmax(query_2 @ keys.T, dim=-1)")),
        Wrong("step-too-many", returns("torch.softmax(query_2 @ keys.T / keys.shape[1] ** 0.5, dim=-1)")),
        Wrong("products-not-added", returns("keys * query_2")),
        Wrong("summed-over-other-axis", returns("(keys * query_2).sum(dim=0)")),
        Wrong("mean-for-sum", returns("(keys * query_2).mean(dim=1)")),
        Wrong("keys-reshaped", edit("keys.T", "keys.reshape(2, 6)")),
        Wrong("all-queries-at-once", edit("query_2 @", "(inputs @ W_query) @")),
        Wrong(
            "one-query-only", edit("keys.T", "keys[1]"), hint="This is one score. Take all keys: `keys.T`."
        ),
        Wrong("cosine", returns("nn.functional.cosine_similarity(keys, query_2[None])")),
    ),
    right=(
        Right("keys-first", returns("keys @ query_2")),
        Right("einsum", returns('torch.einsum("d,td->t", query_2, keys)')),
        Right("stack", returns("torch.stack([torch.dot(query_2, key) for key in keys])")),
        Right("broadcast", returns("(keys * query_2).sum(dim=-1)")),
    ),
)

SCALED_WEIGHTS = Task(
    id="scaled-weights",
    title="The scaled attention weights of “journey”",
    name="attn_weights_2",
    kind="tensor",
    signature="attn_weights_2",
    axes=("tokens",),
    properties=("sums-to-one", "not-negative"),
    needs=("scores-of-one-query",),
    checks=(Check("scores over √d_k, then softmax", 2),),
    learned="Scaled dot-product attention: divide by √d_k first, then softmax.",
    hints=(
        "Two steps, in this order: divide, then softmax.",
        "`d_k**0.5` is the root of `d_k`. Divide `attn_scores_2` by it.",
        "`attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1)`",
    ),
    words={"width_code": "d_k**0.5"},
    wrong=(
        Wrong(
            "no-scale",
            edit(" / d_k**0.5", ""),
            hint="The scores are not divided by √d_k: `d_k**0.5`, with two stars (`d_k * 0.5` is 1 here).",
        ),
        Wrong("scaled-without-root", edit("**0.5", "")),
        Wrong("scaled-up", edit("/ d_k", "* d_k")),
        Wrong("scaled-by-input-width", edit("d_k**", "inputs.shape[1] ** ")),
        Wrong("scaled-by-tokens", edit("d_k**", "len(attn_scores_2) ** ")),
        Wrong("scaled-after-softmax", edit(" / d_k**0.5, dim=-1)", ", dim=-1) / d_k**0.5")),
        Wrong("scaled-twice", edit("dim=-1)", "dim=-1) / d_k**0.5")),
        Wrong(
            "root-by-precedence",
            edit("d_k**0.5", "d_k**1 / 2"),
            hint="You divide by 4: `d_k**1/2` is `(d_k**1) / 2`, and `d_k**2` the square. A root is `d_k**0.5`.",
        ),
        Wrong("root-of-the-scores", edit("attn_scores_2 / d_k**0.5", "(attn_scores_2 / d_k) ** 0.5")),
        Wrong("no-softmax", edit("torch.softmax(", "("), edit(", dim=-1", "")),
        Wrong("shares-of-raw-scores", returns("attn_scores_2 / attn_scores_2.sum()")),
        Wrong("not-normalised", edit("torch.softmax(", "torch.exp("), edit(", dim=-1", "")),
        Wrong("softmax-twice", edit("dim=-1)", "dim=-1).softmax(dim=-1)")),
        Wrong("log-softmax", edit("torch.softmax", "torch.log_softmax")),
        Wrong("sigmoid-for-softmax", edit("torch.softmax(", "torch.sigmoid("), edit(", dim=-1", "")),
        Wrong("scores-negated", edit("(attn", "(-attn")),
    ),
    right=(
        Right("math-sqrt", before("import math"), edit("d_k**0.5, dim=-1", "math.sqrt(d_k), dim=0")),
        Right("power", edit("/ d_k**0.5", "* d_k**-0.5")),
        Right("query-scaled", edit("attn_scores_2 / d_k**0.5", "(query_2 / d_k**0.5) @ keys.T")),
        Right("by-hand", edit("torch.softmax(", "(e := torch.exp("), edit(", dim=-1)", ")) / e.sum()")),
        Right("double", edit("attn_scores_2 / d_k**", "attn_scores_2.double() / keys.shape[-1] ** ")),
    ),
)

CONTEXT = Task(
    id="context-of-one-token",
    title="The context vector of “journey”",
    name="context_vec_2",
    kind="tensor",
    signature="context_vec_2",
    axes=("d_out",),
    needs=("scaled-weights",),
    checks=(Check("the weighted sum of the values", 1),),
    learned="Queries and keys decide how much; values are what is taken. The context vector has d_out numbers.",
    hints=(
        "Multiply each token's value by that token's weight, and add up.",
        "The shapes are `(6,) @ (6, 2)`, which gives `(2,)`.",
        "`context_vec_2 = attn_weights_2 @ values`",
    ),
    wrong=(
        Wrong("keys-as-values", edit("@ values", "@ keys")),
        Wrong("input-as-values", edit("@ values", "@ inputs")),
        Wrong("queries-as-values", edit("@ values", "@ (inputs @ W_query)")),
        Wrong("no-softmax", edit("attn_weights_2 @", "attn_scores_2 @")),
        Wrong("no-scale", edit("attn_weights_2 @", "torch.softmax(attn_scores_2, dim=-1) @")),
        Wrong("products-not-added", returns("attn_weights_2[:, None] * values")),
        Wrong("summed-over-other-axis", returns("(attn_weights_2[:, None] * values).sum(dim=1)")),
        Wrong("own-value-only", returns("values[1]")),
        Wrong("weights-not-used", returns("values.mean(dim=0)")),
        Wrong("weights-not-used", returns("values.sum(dim=0)")),
        Wrong("mean-for-sum", edit("@ values", "@ values / len(values)")),
        Wrong("largest-only", returns("values[attn_weights_2.argmax()]")),
        Wrong("scaled-twice", edit("@ values", "@ values / d_k**0.5")),
    ),
    right=(
        Right("einsum", returns('torch.einsum("t,td->d", attn_weights_2, values)')),
        Right("transposed", returns("values.T @ attn_weights_2")),
        Right("broadcast", returns("(attn_weights_2[:, None] * values).sum(dim=0)")),
        Right(
            "scaled-dot-product-attention",
            before("from torch.nn.functional import scaled_dot_product_attention as attend"),
            edit("attn_weights_2 @ values", "attend(query_2[None, None], keys[None], values[None])[0, 0]"),
        ),
    ),
)

# The lines that the three classes of this lesson share, and what goes wrong in them.
SCALE = " / keys.shape[-1] ** 0.5"
RESULT = "weights @ values"
TAIL = """scores = queries @ keys.T  # (tokens, tokens)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)  # (tokens, tokens)
        return weights @ values"""
BY_ROW = "return torch.stack([torch.softmax(keys @ one / len(one) ** 0.5, 0) @ values for one in queries])"
KERNEL = "return nn.functional.scaled_dot_product_attention(queries[None], keys[None], values[None])[0]"
FUTURE = "torch.ones_like(scores).triu(1).bool()"
SEED = "\n        torch.manual_seed(123)\n"
EXP = edit("torch.softmax(", "torch.exp(")


def divided(options):
    """Rows divided by their sums, or something of the kind, in the place of softmax."""
    return edit(", dim=-1)", f")\n        weights = weights / weights.sum({options})")


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
    Wrong("sums-without-keepdim", *by_hand("exponentials / exponentials.sum(dim=dim)")),
    Wrong("softmax-over-queries", *by_hand("exponentials / exponentials.sum(dim=-2, keepdim=True)")),
    Wrong("softmax-over-everything", *by_hand("exponentials / exponentials.sum()")),
)

SCALING = (
    Wrong("no-scale", edit(SCALE, "")),
    Wrong("scaled-without-root", edit(" ** 0.5", "")),
    Wrong("scaled-up", edit("/ keys", "* keys")),
    Wrong("scaled-by-input-width", edit("keys.shape[-1]", "x.shape[-1]")),
    Wrong("scaled-by-tokens", edit("keys.shape[-1]", "keys.shape[0]")),
    Wrong("root-by-precedence", edit("** 0.5", "** 1 / 2")),
    Wrong("scaled-after-softmax", edit(SCALE, ""), edit("return weights", "return weights" + SCALE)),
    Wrong("scale-typed-in", edit("keys.shape[-1]", "d_k")),
)
MEETING = (
    Wrong("scores-turned", edit("queries @ keys.T", "keys @ queries.T")),
    Wrong("keys-as-queries", edit("= queries @", "= keys @")),
    Wrong("queries-as-keys", edit("keys.T", "queries.T")),
    Wrong("keys-as-values", edit("@ values", "@ keys")),
    Wrong("queries-as-values", edit("@ values", "@ queries")),
    Wrong("input-as-values", edit("@ values", "@ x")),
    Wrong("softmax-over-queries", edit("dim=-1", "dim=0")),
    Wrong("no-softmax", edit("torch.softmax(", "("), edit(", dim=-1", "")),
    Wrong("residual-added", edit("return weights", "return values + weights")),
)
ATTENTION = (
    *SCALING,
    *MEETING,
    *SLIPS_BY_HAND,
    Wrong("scale-typed-in", edit("keys.shape[-1]", "3")),
    Wrong("scale-typed-in", edit("keys.shape[-1]", "64")),
    Wrong("scaled-by-half", edit("keys.shape[-1] ** 0.5", "(keys.shape[-1] * 0.5)")),
    Wrong("scaled-by-square", edit("** 0.5", "** 2")),
    Wrong("root-of-the-scores", edit("scores" + SCALE, "(scores / keys.shape[-1]) ** 0.5")),
    Wrong("scaled-twice", edit("return weights", "return weights" + SCALE)),
    Wrong("values-as-keys", edit("keys.T", "values.T")),
    Wrong("values-as-queries", edit("= queries @", "= values @")),
    Wrong("input-for-scores", edit("queries @ keys.T", "x @ x.T")),
    Wrong("keys-reshaped", edit("keys.T", "keys.reshape(keys.shape[1], keys.shape[0])")),
    Wrong("keys-not-turned", edit("keys.T", "keys")),
    Wrong("cosine", edit("queries @ keys.T", "torch.cosine_similarity(queries[:, None], keys, dim=-1)")),
    Wrong("scores-negated", edit("(scores", "(-scores")),
    Wrong("softmax-twice", edit("return weights", "return weights.softmax(dim=-1)")),
    Wrong("softmax-over-everything", EXP, divided("")),
    Wrong("sums-without-keepdim", EXP, divided("dim=-1")),
    Wrong("not-normalised", EXP, edit(", dim=-1", "")),
    Wrong("shares-of-raw-scores", edit("torch.softmax(", "("), divided("dim=-1, keepdim=True")),
    Wrong("sigmoid-for-softmax", edit("torch.softmax(", "torch.sigmoid("), edit(", dim=-1", "")),
    Wrong("log-softmax", edit("torch.softmax", "torch.log_softmax")),
    Wrong("masked-needlessly", edit("softmax(scores", f"softmax(scores.masked_fill({FUTURE}, -torch.inf)")),
    Wrong("weights-on-the-right", edit("return weights", "return weights.T")),
    Wrong("attended-twice", edit("@ values", "@ weights @ values")),
    Wrong("weights-returned", edit(" @ values", "")),
    Wrong("scores-returned", edit(RESULT, "scores")),
    Wrong("returns-nothing", edit("return weights", "weights")),
    Wrong("returns-a-tuple", edit("@ values", "@ values, weights")),
    Wrong("mean-for-sum", edit("@ values", "@ values / len(x)")),
    Wrong("elementwise-product", edit("@ values", "* values")),
    Wrong("tokens-pooled", edit(RESULT, "(weights @ values).mean(dim=0)")),
    Wrong("transposed-result", edit(RESULT, "(weights @ values).T"), hint="Return one row for each token."),
    Wrong("context-normalised", edit(RESULT, "nn.functional.layer_norm(weights @ values, keys.shape[1:])")),
    Wrong("detached", edit(RESULT, "(weights @ values).detach()")),
    Wrong("half-precision", edit(RESULT, "(weights @ values).half().to(x.dtype)")),
    Wrong("rounded", edit(RESULT, "torch.round(weights @ values, decimals=4)")),
    Wrong("float-forced", edit(RESULT, "(weights @ values).float()")),
    Wrong("half-precision", edit("queries @ keys.T", "(queries.half() @ keys.half().T).to(x.dtype)")),
    Wrong("summed-over-other-axis", edit(RESULT, "weights * values.sum(dim=1)")),
    Wrong("summed-over-other-axis", edit(RESULT, "weights.sum(dim=0)[:, None] * values")),
    Wrong("half-precision", edit("(scores /", "(scores.half().to(x.dtype) /")),
    Wrong("edits-its-argument", edit("        queries = ", "        x -= x.mean(dim=0)\n        queries = ")),
    Wrong("edits-its-argument", edit("return weights", "x *= 2\n        return weights")),
    Wrong("residual-added", edit("return weights", "return x + weights")),
    Wrong("not-projected", edit(TAIL, "return torch.softmax(x @ x.T / x.shape[-1] ** 0.5, dim=-1) @ x")),
    Wrong("detached", edit("keys.T", "keys.detach().T")),
    Wrong("activation-added", edit("(scores", "(scores.relu()")),
    Wrong("activation-added", edit(RESULT, "torch.relu(weights @ values)")),
    Wrong("own-value-only", edit(RESULT, "values")),
    Wrong("one-query-only", edit("= queries @", "= queries[0] @")),
    Wrong("extra-axis", edit(RESULT, "(weights @ values)[None]")),
    Wrong("not-a-tensor", edit(RESULT, "(weights @ values).detach().numpy()")),
    Wrong("batch-expected", edit("keys.T", "keys.transpose(1, 2)")),
    Wrong("batch-expected", edit("keys.T", "keys.permute(0, 2, 1)")),
    Wrong("batch-expected", edit("x):\n", "x):\n        batch, tokens, width = x.shape\n")),
    Wrong(
        "dimensions-for-tokens",
        edit("queries @ keys.T", "queries.T @ keys"),
        edit(RESULT, "values @ weights"),
    ),
    Wrong("own-seed", edit("()\n        self.W_query = nn.", f"(){SEED}        self.W_query = nn.")),
    Wrong("no-super-init", edit("        super().__init__()\n", "")),
    Wrong("other-names", *[edit(f"self.{name}", f"self.{name[:3]}", 2) for name in NAMES]),
)
ROUTES = (
    Right("row-by-row", edit(TAIL, BY_ROW)),
    Right("einsum", edit("queries @ keys.T", 'torch.einsum("qd,kd->qk", queries, keys)')),
    Right("scaled-queries", edit("= queries @", "= (queries * keys.shape[-1] ** -0.5) @"), edit(SCALE, "")),
    Right("transpose", edit("keys.T", "keys.transpose(-2, -1)")),
    Right("by-hand", EXP, divided("dim=-1, keepdim=True")),
    Right("by-hand-and-shifted", *by_hand(SUMMED)),
    Right(
        "values-first", edit("self.W_query = ", "self.W_value = "), edit("self.W_value = ", "self.W_query = ")
    ),
    Right("scale-kept", edit("()\n", "()\n        self.scale = d_out**0.5\n"), edit(SCALE, " / self.scale")),
    Right(
        "helper-method",
        edit(
            "    def forward",
            "    def shares(self, scores):\n        return scores.softmax(-1)\n\n    def forward",
        ),
        edit("torch.softmax(", "self.shares("),
        edit(", dim=-1", ""),
    ),
)
# Attention with torch's own functions.
READY_MADE = """size = queries.shape[-1]
        own, empty = torch.eye(size, dtype=x.dtype), torch.zeros(size, dtype=x.dtype)
        context, _ = nn.functional.multi_head_attention_forward(
            *(one[:, None] for one in (queries, keys, values)),
            *(size, 1, own.repeat(3, 1), None, None, None, False, 0.0, own, empty),
        )
        return context[:, 0]"""
# The three projections as one product.
ONE_PRODUCT = """
three = x @ torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
queries, keys, values = three.chunk(3, dim=-1)
return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1) @ values
"""
ONE_LAYER = """
layers = (self.W_query, self.W_key, self.W_value)
weight = torch.cat([layer.weight for layer in layers])
bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
queries, keys, values = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1) @ values
"""

SIZES = {
    "seeded": ("the sentence", SENTENCE, (3, 2), 123),
    "other-sentence": ("six other tokens, with other weights", drawn(6, 3, seed=11), (3, 2), 5),
    "wider": ("four tokens of five dimensions, d_out = 7", drawn(4, 5, seed=12), (5, 7), 24),
    "narrower": ("five tokens of seven dimensions, d_out = 4", drawn(5, 7, seed=13), (7, 4), 25),
}


def size_probe(name, **extra):
    says, x, (d_in, d_out), seed = SIZES[name]
    construct = {"d_in": d_in, "d_out": d_out, **extra}
    return Probe(name, says, {"x": x}, construct=construct, seed=seed)


SHUFFLED = Probe(
    "shuffled",
    "the tokens in another order",
    {"x": drawn(8, 4, seed=14)},
    construct={"d_in": 4, "d_out": 3},
    seed=26,
    observe="permuted",
    settings={"input": "x", "axis": -2},
)
DOUBLE = Probe(
    "double",
    "numbers of the dtype float64",
    {"x": drawn(4, 5, seed=15)},
    construct={"d_in": 5, "d_out": 3},
    seed=27,
    dtype="float64",
)
# Where both sizes are equal, a matrix that should have been transposed fits all the same.
SQUARE = Probe(
    "square",
    "four tokens, with d_in = d_out",
    {"x": drawn(4, 5, seed=16)},
    construct={"d_in": 5, "d_out": 5},
    seed=28,
)
BIASED = Probe(
    "biased",
    "layers with a bias",
    {"x": drawn(4, 5, seed=17)},
    construct={"d_in": 5, "d_out": 3, "qkv_bias": True},
    seed=29,
    keywords=("d_in", "d_out", "qkv_bias"),
)


def start_probe(**settings):
    """Many numbers, so that the lowest, the mean and the highest are known."""
    return Probe(
        "start",
        "a new object with d_in = 4 and d_out = 300",
        {"x": drawn(2, 4, seed=18)},
        construct={"d_in": 4, "d_out": 300},
        observe="start-values",
        settings=settings,
    )


# `forward` reads the notebook's `values` where it makes none of its own.
FOREIGN = "`values` are those of the notebook, from another sentence. Make them from `x` and `self.W_value`."
RANDOM = "nn.Parameter(torch.rand(d_in, d_out))"
QKV = "super().__init__()\nself.W_qkv = nn."

SELF_ATTENTION_V1 = Task(
    id="self-attention-v1",
    title="SelfAttention_v1, with nn.Parameter",
    name="SelfAttention_v1",
    kind="module",
    signature="SelfAttention_v1(d_in, d_out)",
    axes=("tokens", "d_out"),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        size_probe("seeded"),
        size_probe("other-sentence"),
        size_probe("wider"),
        size_probe("narrower"),
        SHUFFLED,
        DOUBLE,
        SQUARE,
        start_probe(range=True),
    ),
    checks=(
        Check("six tokens, d_in = 3, d_out = 2", 2, ("seeded", "other-sentence")),
        Check("any sizes, tokens in any order", 1, ("wider", "narrower", "square", "shuffled")),
        Check("any dtype, weights from `torch.rand`", 1, ("double", "start")),
    ),
    learned="Self-attention with three trainable matrices. Another order of the tokens gives the same context "
    "vectors in that order.",
    hints=(
        "`__init__` makes the three matrices, `forward` does sections 2 to 5 for all tokens at once.",
        "In `__init__`: `self.W_query = nn.Parameter(torch.rand(d_in, d_out))`, and the same for the other two.",
        "In `forward`: queries, keys and values are `x @ self.W_query` and so on; the scores are `queries @ keys.T`.",
        "It ends with `weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)` and `return weights @ values`.",
    ),
    words={"swap": "keys.T"},
    parts=("class", "projections", "scaling", "softmax", "own-input-width"),
    wrong=(
        *ATTENTION,
        Wrong("reads-the-notebook", edit("values = x", "value = x"), hint=FOREIGN),
        Wrong("reads-the-notebook", edit("keys = x", "key = x")),
        Wrong("reads-the-notebook", edit("keys = x", "key = x"), edit("values = x", "value = x")),
        Wrong("reads-the-notebook", edit("x @ self", "inputs @ self", 3)),
        Wrong(
            "reads-the-notebook",
            edit("x @ self.", "x @ ", 3),
            hint="The class's own matrices are attributes: write `self.W_query`.",
        ),
        Wrong("activation-added", *for_each("= x @ self.{}", "= torch.relu(x @ self.{})")),
        Wrong("frozen", edit("d_out))", "d_out), requires_grad=False)", 3)),
        Wrong("plain-tensors", edit(RANDOM, "torch.rand(d_in, d_out)", 3)),
        Wrong("weights-made-in-forward", *for_each("x @ self.{}", "x @ torch.rand(self.{}.shape)")),
        Wrong("weights-made-in-forward", edit("x @ self.W_value", "x @ torch.rand(self.W_value.shape)")),
        Wrong(
            "linear-for-parameter",
            edit(RANDOM, "nn.Linear(d_in, d_out, bias=False)", 3),
            *for_each("x @ self.{}", "self.{}(x)"),
        ),
        Wrong("sizes-turned", edit("rand(d_in, d_out)", "rand(d_out, d_in)", 3)),
        Wrong(
            "sizes-turned",
            edit("rand(d_in, d_out)", "rand(d_out, d_in)", 3),
            *for_each("x @ self.{}", "x @ self.{}.T"),
        ),
        Wrong("sizes-typed-in", edit("rand(d_in, d_out)", "rand(3, 2)", 3)),
        Wrong("normal-start", edit("nn.Parameter(torch.rand(", "nn.Parameter(torch.randn(", 3)),
        Wrong("zero-start", edit("nn.Parameter(torch.rand(", "nn.Parameter(torch.zeros(", 3)),
        Wrong(
            "one-matrix-for-all",
            edit(f"self.W_key = {RANDOM}", "self.W_key = self.W_query"),
            edit(f"self.W_value = {RANDOM}", "self.W_value = self.W_query"),
        ),
        Wrong(
            "fused-projection",
            body("__init__", f"{QKV}Parameter(torch.rand(d_in, 3 * d_out))"),
            *[
                edit(f"x @ self.{name}", f"(x @ self.W_qkv).chunk(3, -1)[{i}]")
                for i, name in enumerate(NAMES)
            ],
        ),
    ),
    right=(*ROUTES, Right("fused", body("forward", ONE_PRODUCT))),
    forbids=Forbid(
        ("scaled_dot_product_attention",),
        points=2,
        caught=(Right("kernel", edit(TAIL, KERNEL)), Right("multi-head-function", edit(TAIL, READY_MADE))),
    ),
)

SCORE_SPREAD = Task(
    id="score-spread",
    title="How far scores spread",
    name="score_spread",
    kind="function",
    signature="score_spread(queries, keys, scaled)",
    axes=(),
    number=True,
    input_axes={"queries": ("queries", "d_k"), "keys": ("keys", "d_k")},
    probes=(
        Probe(
            "plain",
            "six queries and five keys with d_k = 8, not scaled",
            {"queries": drawn(6, 8, seed=31), "keys": drawn(5, 8, seed=32), "scaled": False},
        ),
        Probe(
            "plain-wide",
            "three queries and seven keys with d_k = 50, not scaled",
            {"queries": drawn(3, 50, seed=33), "keys": drawn(7, 50, seed=34), "scaled": False},
        ),
        Probe(
            "scaled",
            "the same six queries and five keys, scaled",
            {"queries": drawn(6, 8, seed=31), "keys": drawn(5, 8, seed=32), "scaled": True},
        ),
        Probe(
            "scaled-wide",
            "the same three queries and seven keys, scaled",
            {"queries": drawn(3, 50, seed=33), "keys": drawn(7, 50, seed=34), "scaled": True},
        ),
    ),
    checks=(
        Check("the spread of plain scores", 1, ("plain", "plain-wide")),
        Check("the spread of scaled scores", 1, ("scaled", "scaled-wide")),
    ),
    learned="The spread of the scores grows like √d_k. Divided by √d_k it stays where it was, whatever the size.",
    hints=(
        "First make all scores: every query with every key, as one matrix product.",
        "`if scaled:` divide them by the root of the keys' size, `keys.shape[-1] ** 0.5`.",
        "The last line is `return scores.std()`.",
    ),
    wrong=(
        Wrong(
            "no-scale",
            edit("scores = scores /", "scores /"),
            hint="Write `scores = scores / …` under the `if`.",
        ),
        Wrong("condition-ignored", edit("if scaled:", "if True:")),
        Wrong("condition-turned", edit("if scaled:", "if not scaled:")),
        Wrong("scaled-without-root", edit(" ** 0.5", "")),
        Wrong("scaled-up", edit("scores / keys", "scores * keys")),
        Wrong("scaled-by-tokens", edit("keys.shape[-1]", "keys.shape[0]")),
        Wrong("scaled-by-tokens", edit("keys.shape[-1]", "queries.shape[0]")),
        Wrong("scale-typed-in", edit("keys.shape[-1]", "512")),
        Wrong("scale-typed-in", edit("keys.shape[-1]", "d_k")),
        Wrong("root-by-precedence", edit("** 0.5", "** 1 / 2")),
        Wrong("scaled-by-half", edit("keys.shape[-1] ** 0.5", "(keys.shape[-1] * 0.5)")),
        Wrong("keys-as-queries", edit("queries @", "keys @")),
        Wrong("queries-as-keys", edit("keys.T", "queries.T")),
        Wrong("variance-for-deviation", edit(".std()", ".var()")),
        Wrong("deviation-uncorrected", edit(".std()", ".std(correction=0)")),
        Wrong("wrong-statistic", edit(".std()", ".mean()")),
        Wrong("wrong-statistic", edit("scores.std()", "scores.max() - scores.min()")),
        Wrong("one-number-per-row", edit(".std()", ".std(dim=-1)")),
        Wrong("not-reduced", edit(".std()", "")),
        Wrong(
            "step-too-many", edit(".std()", ".softmax(-1).std()"), hint="Measure the scores, not the weights."
        ),
    ),
    right=(
        Right(
            "scaled-queries",
            returns("((queries / keys.shape[1] ** 0.5 if scaled else queries) @ keys.T).std()"),
        ),
        Right("spread-divided", returns("(keys @ queries.T).std() / keys.shape[1] ** (0.5 * scaled)")),
        Right("einsum", edit("queries @ keys.T", 'torch.einsum("qd,kd->qk", queries, keys)')),
        Right("variance", edit(".std()", ".var().sqrt()")),
        Right("python-number", edit(".std()", ".double().std().item()")),
    ),
)

LINEAR = "nn.Linear(d_in, d_out, bias=qkv_bias)"
RESET = "        for layer in self.children(): layer.reset_parameters()\n"
OUT = "        self.out = nn.Linear(d_out, d_out)\n"
ZEROS = "        for weight in self.parameters(): weight.data.zero_()\n"

SELF_ATTENTION_V2 = Task(
    id="self-attention-v2",
    title="SelfAttention_v2, with nn.Linear",
    name="SelfAttention_v2",
    kind="module",
    signature="SelfAttention_v2(d_in, d_out, qkv_bias=False)",
    axes=("tokens", "d_out"),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        size_probe("seeded"),
        size_probe("other-sentence"),
        size_probe("wider"),
        size_probe("narrower", qkv_bias=False),
        SHUFFLED,
        DOUBLE,
        SQUARE,
        BIASED,
        start_probe(),
    ),
    checks=(
        Check("six tokens, d_in = 3, d_out = 2", 1, ("seeded", "other-sentence")),
        Check(
            "any sizes, tokens in any order, weights drawn afresh",
            1,
            ("wider", "narrower", "square", "shuffled", "double", "start"),
        ),
        Check("with a bias", 1, ("biased",)),
    ),
    learned="`nn.Linear` brings sensible start values and an optional bias; the attention behind it is "
    "the same.",
    hints=(
        "Take `SelfAttention_v1` and change what makes the projections.",
        "In `__init__`: `self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)`, and the same for the other two.",
        "In `forward`: a layer is called, `queries = self.W_query(x)`. The rest stays.",
    ),
    words={"swap": "keys.T"},
    parts=("class", "projections", "scaling", "softmax", "own-input-width", "bias-option"),
    wrong=(
        *ATTENTION,
        Wrong("reads-the-notebook", edit("values = self", "value = self"), hint=FOREIGN),
        Wrong("reads-the-notebook", edit("(x)  #", "(inputs)  #", 3)),
        Wrong(
            "reads-the-notebook",
            *for_each("self.{}(x)", "{}(x)"),
            hint="The class's own layers are attributes: write `self.W_query`.",
        ),
        Wrong("activation-added", *for_each("self.{}(x)", "torch.relu(self.{}(x))")),
        Wrong("weight-not-turned", *for_each("self.{}(x)", "x @ self.{}.weight")),
        Wrong("bias-not-added", *for_each("self.{}(x)", "x @ self.{}.weight.T")),
        Wrong("bias-never", edit("bias=qkv_bias", "bias=False", 3)),
        Wrong("bias-always", edit(", bias=qkv_bias", "", 3)),
        Wrong(
            "bias-uneven",
            edit("W_value = nn.Linear(d_in, d_out, bias=qkv_bias)", "W_value = nn.Linear(d_in, d_out)"),
        ),
        Wrong(
            "extra-layer",
            edit("\n    def forward", f"{OUT}\n    def forward"),
            edit(RESULT, "self.out(weights @ values)"),
        ),
        Wrong("bias-turned", edit("bias=qkv_bias", "bias=not qkv_bias", 3)),
        Wrong("bias-by-default", edit("qkv_bias=False", "qkv_bias=True")),
        Wrong("sizes-turned", edit("d_in, d_out, bias", "d_out, d_in, bias", 3)),
        Wrong("sizes-typed-in", edit("d_in, d_out, bias", "3, 2, bias", 3)),
        Wrong("parameter-for-linear", edit(LINEAR, RANDOM, 3), *for_each("self.{}(x)", "x @ self.{}")),
        Wrong(
            "plain-tensors",
            edit(LINEAR, "torch.rand(d_in, d_out)", 3),
            *for_each("self.{}(x)", "x @ self.{}"),
        ),
        Wrong("weights-made-in-forward", edit("        queries =", f"{RESET}        queries =")),
        Wrong("zero-start", edit("\n    def forward", f"{ZEROS}\n    def forward")),
        Wrong(
            "one-matrix-for-all",
            edit(f"self.W_key = {LINEAR}", "self.W_key = self.W_query"),
            edit(f"self.W_value = {LINEAR}", "self.W_value = self.W_query"),
        ),
        Wrong(
            "fused-projection",
            body("__init__", f"{QKV}Linear(d_in, 3 * d_out, bias=qkv_bias)"),
            *[edit(f"self.{name}(x)", f"self.W_qkv(x).chunk(3, -1)[{i}]") for i, name in enumerate(NAMES)],
        ),
    ),
    right=(*ROUTES, Right("kernel", edit(TAIL, KERNEL)), Right("fused", body("forward", ONE_LAYER))),
)

AFFINE = {"first": Specimen("affine", {"factor": 2.0}), "second": Specimen("affine", {"factor": -1.0})}


def models(d_in, d_out, seed):
    return {
        "first": Made("SelfAttention_v1", {"d_in": d_in, "d_out": d_out}, seed=seed),
        "second": Made("SelfAttention_v2", {"d_in": d_in, "d_out": d_out}, seed=seed),
    }


LARGEST_DIFFERENCE = Task(
    id="how-far-apart",
    title="The largest difference",
    name="largest_difference",
    kind="function",
    signature="largest_difference(first, second, x)",
    axes=(),
    number=True,
    needs=("self-attention-v1", "self-attention-v2"),
    probes=(
        Probe("models", "your two classes on the sentence", {**models(3, 2, 123), "x": SENTENCE}),
        Probe(
            "other-models",
            "your two classes with other weights, on four tokens of five dimensions",
            {**models(5, 7, 24), "x": drawn(4, 5, seed=41)},
        ),
        Probe(
            "both-signs",
            "a function that doubles and one that turns the sign",
            {**AFFINE, "x": torch.tensor([[0.5, 1.0, -3.0], [2.0, 0.25, -1.0]])},
        ),
        Probe(
            "always-below",
            "two functions of which the second is always the larger",
            {
                "first": Specimen("affine", {"factor": 1.0}),
                "second": Specimen("affine", {"factor": 2.0, "shift": 3.0}),
                "x": torch.tensor([0.5, 1.5, 0.0, 2.5]),
            },
        ),
        Probe(
            "equal",
            "the same function twice",
            {
                "first": Specimen("affine", {"factor": 3.0}),
                "second": Specimen("affine", {"factor": 3.0}),
                "x": drawn(2, 3, 4, seed=42),
            },
        ),
        Probe(
            "digits",
            "two plain functions whose distance has many digits",
            {
                "first": Specimen("plain-affine", {"shift": 0.00123456}),
                "second": Specimen("plain-affine", {}),
                "x": drawn(3, 2, seed=43).clamp(-1, 1),
            },
        ),
        Probe(
            "opposite",
            "a function and one that turns the sign, with the largest number in the last row",
            {
                "first": Specimen("affine", {}),
                "second": Specimen("affine", {"factor": -1.0}),
                "x": torch.tensor([[0.3, -0.2], [0.4, 0.2], [0.1, -2.5], [0.5, 3.0]]),
            },
        ),
    ),
    checks=(
        Check("your two classes", 1, ("models", "other-models")),
        Check(
            "differences of both signs, small ones, and none",
            1,
            ("both-signs", "always-below", "equal", "digits", "opposite"),
        ),
    ),
    learned="One number says how far two functions are apart on an input. Below 1e-6 it is rounding.",
    hints=(
        "Call both on `x`, and subtract.",
        "A difference of −3 is larger than one of 2: take `.abs()` before the largest.",
        "`return (first(x) - second(x)).abs().max()`",
    ),
    wrong=(
        Wrong("sign-kept", edit(".abs()", "")),
        Wrong("sign-kept", returns("(second(x) - first(x)).max()")),
        Wrong("abs-too-late", edit(".abs().max()", ".max().abs()")),
        Wrong("mean-for-largest", edit(".max()", ".mean()")),
        Wrong("sum-for-largest", edit(".max()", ".sum()")),
        Wrong("norm-for-largest", edit(".abs().max()", ".norm()")),
        Wrong("difference-of-largest", edit("first(x) - second(x)", "first(x).max() - second(x).max()")),
        Wrong("smallest-for-largest", edit(".max()", ".min()")),
        Wrong("squared-for-abs", edit(".abs()", ".square()")),
        Wrong("relative-difference", edit("(first(x) - second(x))", "((first(x) - second(x)) / second(x))")),
        Wrong("added-not-subtracted", edit(" - ", " + ")),
        Wrong("compared-with-itself", edit("second(x)", "first(x)")),
        Wrong("function-not-called", edit("second(x)", "x")),
        Wrong("yes-or-no", returns("torch.allclose(first(x), second(x), atol=1e-6)")),
        Wrong("not-reduced", edit(".max()", "")),
        Wrong("one-number-per-row", edit(".max()", ".amax(dim=-1)")),
        Wrong("one-number-per-row", edit(".max()", ".amax(dim=0)")),
        Wrong("rounded", edit(".max()", ".max().round(decimals=3)")),
        Wrong("reads-the-notebook", edit("(x)", "(inputs)", 2)),
    ),
    right=(
        Right("other-order", returns("torch.max(torch.abs(second(x) - first(x)))")),
        Right("python-number", edit(".max()", ".max().item()")),
        Right("distance", returns('torch.dist(first(x), second(x), p=float("inf"))')),
        Right("norm", returns("torch.linalg.vector_norm((first(x) - second(x)).double(), ord=torch.inf)")),
        Right("both-ends", returns("max((first(x) - second(x)).max(), (second(x) - first(x)).max())")),
    ),
)


def moved(d_in, d_out, seed, bias=False):
    return {
        "v2": Made("SelfAttention_v2", {"d_in": d_in, "d_out": d_out, "qkv_bias": bias}, seed=seed),
        "v1": Made("SelfAttention_v1", {"d_in": d_in, "d_out": d_out}, seed=seed + 100),
    }


COPY = "v1.{0}.copy_(v2.{0}.weight.T)"

COPY_WEIGHTS = Task(
    id="copy-weights",
    title="Move the weights",
    name="copy_weights",
    kind="function",
    signature="copy_weights(v2, v1)",
    axes=("tokens", "d_out"),
    needs=("self-attention-v1", "self-attention-v2"),
    probes=(
        Probe(
            "sentence", "v1 with the weights of v2, on the sentence", moved(3, 2, 123), then={"x": SENTENCE}
        ),
        Probe(
            "other-sizes",
            "d_in = 5, d_out = 7 and four tokens",
            moved(5, 7, 24),
            then={"x": drawn(4, 5, seed=51)},
        ),
        Probe("square", "d_in = d_out = 4 and six tokens", moved(4, 4, 25), then={"x": drawn(6, 4, seed=52)}),
        Probe(
            "biased",
            "a v2 with biases, which stay behind",
            moved(5, 3, 26, bias=True),
            then={"x": drawn(4, 5, seed=53)},
        ),
    ),
    checks=(
        Check("d_in and d_out differ", 1, ("sentence", "other-sizes")),
        Check("d_in = d_out, and a v2 with biases", 1, ("square", "biased")),
    ),
    learned="Copied weights and equal results: that is how to show that two implementations compute the same.",
    hints=(
        "Compare the shapes: `v2.W_query.weight` is `(d_out, d_in)`, `v1.W_query` is `(d_in, d_out)`.",
        "`with torch.no_grad():` and in it `v1.W_query.copy_(v2.W_query.weight.T)`, and the same for key and value.",
        "The last line is `return v1`.",
    ),
    wrong=(
        Wrong("weight-not-turned", edit(".weight.T", ".weight", 3)),
        Wrong("weight-not-turned", *for_each(COPY, "v1.{0}.data = v2.{0}.weight.data.clone()")),
        Wrong("reshaped-not-turned", edit(".weight.T", ".weight.reshape(v1.W_query.shape)", 3)),
        Wrong("layer-forgotten", edit(COPY.format("W_value"), "pass")),
        Wrong("layer-forgotten", edit(COPY.format("W_key"), "pass")),
        Wrong("layer-forgotten", edit(COPY.format("W_value"), "pass"), edit(COPY.format("W_key"), "pass")),
        Wrong("projections-swapped", edit("v2.W_query", "v2.W_key"), edit("v2.W_key", "v2.W_query")),
        Wrong("keys-as-values", edit("v2.W_value", "v2.W_key")),
        Wrong("queries-as-keys", edit("v2.W_key", "v2.W_query")),
        Wrong("one-matrix-for-all", edit("v2.W_key", "v2.W_query"), edit("v2.W_value", "v2.W_query")),
        Wrong("copied-backwards", *for_each(COPY, "v2.{0}.weight.copy_(v1.{0}.T)")),
        Wrong("outside-no-grad", edit("torch.no_grad()", "torch.enable_grad()")),
        Wrong("state-dict-as-it-is", body("copy_weights", "v1.load_state_dict(v2.state_dict())\nreturn v1")),
        Wrong(
            "plain-tensors",
            *for_each(COPY, "v1.{0} = v2.{0}.weight.T"),
            hint="Only a parameter may take a parameter's place. Overwrite its numbers with `.copy_(…)`.",
        ),
        Wrong("shares-memory", *for_each(COPY, "v1.{0}.data = v2.{0}.weight.data.T")),
        Wrong("shares-memory", *for_each(COPY, "v1.{0} = nn.Parameter(v2.{0}.weight.T)")),
        Wrong("frozen", edit("return v1", "return v1.requires_grad_(False)")),
        Wrong("returns-nothing", edit("    return v1", "")),
        Wrong("wrong-object-returned", edit("return v1", "return v2"), hint="`v2` comes back. Return `v1`."),
        Wrong(
            "wrong-object-returned",
            edit("    with", "    v1 = SelfAttention_v1(*v1.W_query.shape)\n    with"),
            hint="A new object comes back, and the `v1` that was given keeps its old weights: fill that one.",
        ),
    ),
    right=(
        Right("new-parameters", *for_each(COPY, "v1.{0} = nn.Parameter(v2.{0}.weight.data.T.clone())")),
        Right(
            "state-dict",
            body(
                "copy_weights",
                """
                state = v2.state_dict().items()
                v1.load_state_dict({name[:-7]: one.T for name, one in state if name.endswith(".weight")})
                return v1
                """,
            ),
        ),
        Right("data", *for_each(COPY, "v1.{0}.data = v2.{0}.weight.data.t().clone()")),
        Right("contiguous", edit(".weight.T", ".weight.transpose(0, 1).contiguous()", 3)),
    ),
)

# The values that `forward` makes are called otherwise, so that `values` is the notebook's.
UNUSED = (edit("keys, values =", "keys, value ="), edit("== values", "== value"))

BUG_GLOBALS = Task(
    id="bug-globals",
    title="Find the bug: what the notebook remembers",
    name="NotebookAttention",
    kind="module",
    signature="NotebookAttention(d_in, d_out, qkv_bias=False)",
    axes=("tokens", "d_out"),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        size_probe("seeded"),
        size_probe("other-sentence"),
        Probe(
            "shorter",
            "four tokens",
            {"x": drawn(4, 3, seed=61)},
            construct={"d_in": 3, "d_out": 2},
            seed=62,
        ),
        Probe(
            "six-wider",
            "six tokens of five dimensions, d_out = 4",
            {"x": drawn(6, 5, seed=63)},
            construct={"d_in": 5, "d_out": 4},
            seed=64,
        ),
        size_probe("wider"),
        BIASED,
        SHUFFLED,
    ),
    checks=(
        Check("sentences of any length", 1, ("seeded", "other-sentence", "shorter")),
        Check("any d_in and d_out", 1, ("six-wider", "wider", "biased", "shuffled")),
    ),
    learned="A method that reads the notebook's variables works until something else changes. Everything "
    "that `forward` needs comes from `x` and `self`.",
    hints=(
        "Which names does `forward` use that it has not made itself?",
        "`value` and `values` are two names. Only one of them is made from `x`.",
        "`d_k` is the notebook's as well. The size of a key is `keys.shape[-1]`.",
    ),
    wrong=(
        Wrong(
            "left-as-given", faulty(), hint="Go through `forward` name by name: where does each come from?"
        ),
        Wrong("reads-the-notebook", *UNUSED, hint=FOREIGN),
        Wrong("reads-the-notebook", *UNUSED, edit("@ values", "@ values[: len(x)]"), hint=FOREIGN),
        Wrong("reads-the-notebook", edit("self.W_value(x)", "self.W_value(inputs)")),
        *SCALING,
        *MEETING,
        Wrong("bias-not-added", edit("self.W_value(x)", "x @ self.W_value.weight.T")),
    ),
    right=(
        *ROUTES,
        Right("kernel", edit(TAIL, KERNEL)),
        Right("fused", body("forward", ONE_LAYER)),
    ),
)

LESSON = Lesson(
    title="02 · Attention with weights that can be trained",
    given_axes={
        "inputs": ("tokens", "d_in"),
        "W_query": ("d_in", "d_out"),
        "W_key": ("d_in", "d_out"),
        "W_value": ("d_in", "d_out"),
    },
    redraw=redraw,
    tasks=(
        SCORES,
        SCALED_WEIGHTS,
        CONTEXT,
        SELF_ATTENTION_V1,
        SCORE_SPREAD,
        SELF_ATTENTION_V2,
        LARGEST_DIFFERENCE,
        COPY_WEIGHTS,
        BUG_GLOBALS,
    ),
)
