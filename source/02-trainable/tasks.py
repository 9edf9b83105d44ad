"""The tasks of lesson 02: their probes, and the right and wrong answers as changes to the solution."""

from dataclasses import replace

import torch
from autograder.author.authoring import Check, Forbid, Lesson, Made, Probe, Specimen, Task, rights, wrongs

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


SCORES = Task(
    id="scores-of-one-query",
    title="The scores of one query",
    name="attn_scores_2",
    kind="tensor",
    signature="attn_scores_2",
    axes=("tokens",),
    checks=(Check("one score for each token", 1),),
    learned="A score is the dot product of a query with a key. With other matrices the same sentence has other scores.",
    demands={
        "the result has the shape (6,)": "all-queries-at-once",
        'the scores of "journey" with all six tokens': "queries-as-keys",
    },
    hints=(
        "You need the dot product of `query_2` with every row of `keys`.",
        "A matrix product takes rows on the left with columns on the right. What makes the keys columns?",
        "`attn_scores_2 = query_2 @ keys.T`",
    ),
    words={"queries": "query_2", "swap": "keys.T"},
    wrong=wrongs("""
        queries-as-keys: keys.T → (inputs @ W_query).T
        values-as-keys: keys.T → values.T
        keys-as-queries: query_2 @ → keys[1] @
        scores-turned: = keys[1] @ (inputs @ W_query).T
            hint: Queries and keys have changed places. It is `query_2` that meets every key.
        input-for-scores: = inputs @ x_2
        step-too-many: keys.T → keys.T / keys.shape[1] ** 0.5
        step-too-many: = torch.softmax(query_2 @ keys.T, dim=-1)
        step-too-many: = torch.softmax(query_2 @ keys.T / keys.shape[1] ** 0.5, dim=-1)
        products-not-added: = keys * query_2
        summed-over-other-axis: = (keys * query_2).sum(dim=0)
        mean-for-sum: = (keys * query_2).mean(dim=1)
        keys-reshaped: keys.T → keys.reshape(2, 6)
        all-queries-at-once: query_2 @ → (inputs @ W_query) @
        one-query-only: keys.T → keys[1]
            hint: This is one score. Take all keys: `keys.T`.
        cosine: = nn.functional.cosine_similarity(keys, query_2[None])
        """),
    right=rights("""
        keys-first: = keys @ query_2
        einsum: = torch.einsum("d,td->t", query_2, keys)
        stack: = torch.stack([torch.dot(query_2, key) for key in keys])
        broadcast: = (keys * query_2).sum(dim=-1)
        """),
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
    demands={
        "from attn_scores_2 and d_k": "no-scale",
        "attention weights of": "no-softmax",
    },
    hints=(
        "Two steps, in this order: divide, then softmax.",
        "`d_k**0.5` is the root of `d_k`. Divide `attn_scores_2` by it.",
        "`attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1)`",
    ),
    words={"width_code": "d_k**0.5"},
    wrong=wrongs("""
        no-scale: / d_k**0.5 →
            hint: The scores are not divided by √d_k: `d_k**0.5` (`d_k * 0.5` is 1 here, and so is `d_k**1/2`).
        scaled-without-root: **0.5 →
        scaled-up: / d_k → * d_k
        scaled-by-input-width: d_k** → `inputs.shape[1] ** `
        scaled-by-tokens: d_k** → `len(attn_scores_2) ** `
        scaled-after-softmax: / d_k**0.5, dim=-1) → , dim=-1) / d_k**0.5
        scaled-twice: dim=-1) → dim=-1) / d_k**0.5
        root-by-precedence: d_k**0.5 → d_k**1 / 2
            hint: You divide by 4: `/ d_k**1/2` divides by `d_k` and then by 2, and `d_k**2` is the square. A root
                is `d_k**0.5`.
        root-of-the-scores: attn_scores_2 / d_k**0.5 → (attn_scores_2 / d_k) ** 0.5
        no-softmax: torch.softmax( → (
            , dim=-1 →
        shares-of-raw-scores: = attn_scores_2 / attn_scores_2.sum()
        not-normalised: torch.softmax( → torch.exp(
            , dim=-1 →
        softmax-twice: dim=-1) → dim=-1).softmax(dim=-1)
        log-softmax: torch.softmax → torch.log_softmax
        sigmoid-for-softmax: torch.softmax( → torch.sigmoid(
            , dim=-1 →
        scores-negated: (attn → (-attn
        """),
    right=rights("""
        math-sqrt: above → import math
            d_k**0.5, dim=-1 → math.sqrt(d_k), dim=0
        power: / d_k**0.5 → * d_k**-0.5
        query-scaled: attn_scores_2 / d_k**0.5 → (query_2 / d_k**0.5) @ keys.T
        by-hand: torch.softmax( → (e := torch.exp(
            , dim=-1) → )) / e.sum()
        double: attn_scores_2 / d_k** → `attn_scores_2.double() / keys.shape[-1] ** `
        """),
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
    demands={
        "the weighted sum of the values": "keys-as-values",
    },
    hints=(
        "Multiply each token's value by that token's weight, and add up.",
        "The shapes are `(6,) @ (6, 2)`, which gives `(2,)`.",
        "`context_vec_2 = attn_weights_2 @ values`",
    ),
    wrong=wrongs("""
        keys-as-values: @ values → @ keys
        input-as-values: @ values → @ inputs
        queries-as-values: @ values → @ (inputs @ W_query)
        no-softmax: attn_weights_2 → attn_scores_2
        no-scale: attn_weights_2 → torch.softmax(attn_scores_2, dim=-1)
        loop-stops-early: ` @ values` → `[:-1] @ values[:-1]`
        loop-starts-late: ` @ values` → `[1:] @ values[1:]`
        products-not-added: = attn_weights_2[:, None] * values
        summed-over-other-axis: = (attn_weights_2[:, None] * values).sum(dim=1)
        own-value-only: = values[1]
        weights-not-used: = values.mean(dim=0)
        weights-not-used: = values.sum(dim=0)
        mean-for-sum: @ values → @ values / len(values)
        largest-only: = values[attn_weights_2.argmax()]
        scaled-twice: @ values → @ values / d_k**0.5
        """),
    right=rights("""
        einsum: = torch.einsum("t,td->d", attn_weights_2, values)
        transposed: = values.T @ attn_weights_2
        broadcast: = (attn_weights_2[:, None] * values).sum(dim=0)
        scaled-dot-product-attention: above → from torch.nn.functional import scaled_dot_product_attention as attend
            attn_weights_2 @ values → attend(query_2[None, None], keys[None], values[None])[0, 0]
        """),
)


SLIPS_BY_HAND = wrongs("""
    exp-overflows: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores); return exponentials / exponentials.sum(dim=dim, keepdim=True)
        torch.softmax( → softmax_by_hand(
    not-normalised: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials
        torch.softmax( → softmax_by_hand(
    sums-without-keepdim: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum(dim=dim)
        torch.softmax( → softmax_by_hand(
    softmax-over-queries: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum(dim=-2, keepdim=True)
        torch.softmax( → softmax_by_hand(
    softmax-over-everything: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum()
        torch.softmax( → softmax_by_hand(
    """)

SCALING = wrongs("""
    no-scale: / keys.shape[-1] ** 0.5 →
    scaled-without-root: ** 0.5 →
    scaled-up: / keys → * keys
    scaled-by-input-width: keys.shape[-1] → x.shape[-1]
    scaled-by-tokens: keys.shape[-1] → keys.shape[0]
    root-by-precedence: ** 0.5 → ** 1 / 2
    scaled-after-softmax: / keys.shape[-1] ** 0.5 →
        return weights → return weights / keys.shape[-1] ** 0.5
    scale-typed-in: keys.shape[-1] → d_k
    """)
MEETING = wrongs("""
    scores-turned: queries @ keys.T → keys @ queries.T
    keys-as-queries: = queries @ → = keys @
    queries-as-keys: keys.T → queries.T
    keys-as-values: @ values → @ keys
    queries-as-values: @ values → @ queries
    input-as-values: @ values → @ x
    softmax-over-queries: dim=-1 → dim=0
    no-softmax: torch.softmax( → (
        , dim=-1 →
    residual-added: return weights → return values + weights
    """)
ATTENTION = (
    SCALING
    + MEETING
    + SLIPS_BY_HAND
    + wrongs("""
    scale-typed-in: keys.shape[-1] → 3
    scale-typed-in: keys.shape[-1] → 64
    scaled-by-half: keys.shape[-1] ** 0.5 → (keys.shape[-1] * 0.5)
    scaled-by-square: ** 0.5 → ** 2
    root-of-the-scores: scores / keys.shape[-1] ** 0.5 → (scores / keys.shape[-1]) ** 0.5
    scaled-twice: return weights → return weights / keys.shape[-1] ** 0.5
    values-as-keys: keys.T → values.T
    values-as-queries: = queries @ → = values @
    input-for-scores: queries @ keys.T → x @ x.T
    keys-reshaped: keys.T → keys.reshape(keys.shape[1], keys.shape[0])
    keys-not-turned: keys.T → keys
    cosine: queries @ keys.T → torch.cosine_similarity(queries[:, None], keys, dim=-1)
    scores-negated: (scores → (-scores
    softmax-twice: return weights → return weights.softmax(dim=-1)
    softmax-over-everything: torch.softmax( → torch.exp(
        , dim=-1) → )↵weights = weights / weights.sum()
    sums-without-keepdim: torch.softmax( → torch.exp(
        , dim=-1) → )↵weights = weights / weights.sum(dim=-1)
    not-normalised: torch.softmax( → torch.exp(
        , dim=-1 →
    shares-of-raw-scores: torch.softmax( → (
        , dim=-1) → )↵weights = weights / weights.sum(dim=-1, keepdim=True)
    sigmoid-for-softmax: torch.softmax( → torch.sigmoid(
        , dim=-1 →
    log-softmax: torch.softmax → torch.log_softmax
    masked-needlessly: softmax(scores → softmax(scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    weights-on-the-right: return weights → return weights.T
    attended-twice: @ values → @ weights @ values
    weights-returned: @ values →
    scores-returned: weights @ values → scores
    returns-nothing: return weights → weights
    returns-a-tuple: @ values → @ values, weights
    mean-for-sum: @ values → @ values / len(x)
    elementwise-product: @ values → * values
    tokens-pooled: weights @ values → (weights @ values).mean(dim=0)
    transposed-result: weights @ values → (weights @ values).T
        hint: Return one row for each token.
    context-normalised: weights @ values → nn.functional.layer_norm(weights @ values, keys.shape[1:])
    detached: weights @ values → (weights @ values).detach()
    half-precision: weights @ values → (weights @ values).half().to(x.dtype)
    rounded: weights @ values → torch.round(weights @ values, decimals=4)
    float-forced: weights @ values → (weights @ values).float()
    half-precision: queries @ keys.T → (queries.half() @ keys.half().T).to(x.dtype)
    summed-over-other-axis: weights @ values → weights * values.sum(dim=1)
        hint: Something is added up along the wrong axis. A row of the result is a sum over the values:
            `weights @ values`.
    summed-over-other-axis: weights @ values → weights.sum(dim=0)[:, None] * values
        hint: Something is added up along the wrong axis. A row of the result is a sum over the values:
            `weights @ values`.
    half-precision: (scores / → (scores.half().to(x.dtype) /
    edits-its-argument: queries = → x -= x.mean(dim=0)↵queries =
    edits-its-argument: return weights → x *= 2↵return weights
    residual-added: return weights → return x + weights
    not-projected: scores = … return weights @ values → return torch.softmax(x @ x.T / x.shape[-1] ** 0.5, dim=-1) @ x
        hint: The input is used as it is: no matrix of weights has a part in the result. Make queries, keys and
            values with `self.W_query`, `self.W_key` and `self.W_value`.
    detached: keys.T → keys.detach().T
    activation-added: (scores → (scores.relu()
    activation-added: weights @ values → torch.relu(weights @ values)
    own-value-only: weights @ values → values
    one-query-only: = queries @ → = queries[0] @
    extra-axis: weights @ values → (weights @ values)[None]
    not-a-tensor: weights @ values → (weights @ values).detach().numpy()
    batch-expected: keys.T → keys.transpose(1, 2)
    batch-expected: keys.T → keys.permute(0, 2, 1)
    batch-expected: x): → x):↵    batch, tokens, width = x.shape
    dimensions-for-tokens: queries @ keys.T → queries.T @ keys
        weights @ values → values @ weights
    own-seed: ()↵self.W_query = nn. →:
        ()
        torch.manual_seed(123)
        self.W_query = nn.
    no-super-init: line super().__init__() →
    other-names: self.W_query →2 self.W_q
        self.W_key →2 self.W_k
        self.W_value →2 self.W_v
    """)
)
ROUTES = rights("""
    row-by-row: scores = … return weights @ values → return torch.stack([torch.softmax(keys @ one / len(one) ** 0.5, 0) @ values for one in queries])
    einsum: queries @ keys.T → torch.einsum("qd,kd->qk", queries, keys)
    scaled-queries: = queries @ → = (queries * keys.shape[-1] ** -0.5) @
        / keys.shape[-1] ** 0.5 →
    transpose: keys.T → keys.transpose(-2, -1)
    by-hand-and-shifted: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum(dim=dim, keepdim=True)
        torch.softmax( → softmax_by_hand(
    values-first: self.W_query = → self.W_value =
        self.W_value = → self.W_query =
    scale-kept: ()↵ → ()↵self.scale = d_out**0.5
        / keys.shape[-1] ** 0.5 → / self.scale
    helper-method:
        def forward →:
            def shares(self, scores):
                return scores.softmax(-1)

            def forward
        torch.softmax( → self.shares(
        , dim=-1 →
    """)

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
LARGE = replace(
    DOUBLE, id="large", says="tokens of large numbers, in float64", inputs={"x": 300 + drawn(4, 5, seed=19)}
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


SELF_ATTENTION_V1 = Task(
    id="self-attention-v1",
    title="SelfAttention_v1",
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
        LARGE,
        SQUARE,
        start_probe(range=True),
    ),
    checks=(
        Check("six tokens, d_in = 3, d_out = 2", 2, ("seeded", "other-sentence")),
        Check("any sizes, tokens in any order", 1, ("wider", "narrower", "square", "shuffled")),
        Check("any dtype, weights from `torch.rand`", 1, ("double", "large", "start")),
    ),
    learned="Self-attention with three trainable matrices. Another order of the tokens gives the same context "
    "vectors in that order.",
    demands={
        "Its parameters are called W_query, W_key and W_value": "other-names",
        "each of shape (d_in, d_out)": "sizes-turned",
        "drawn by torch.rand": "normal-start",
        "for any number of tokens": "sizes-typed-in",
        "Each *row* of weights belongs to one query": "softmax-over-queries",
        "and large scores": "exp-overflows",
        "F.scaled_dot_product_attention does them in one call": "kernel",
        "Make the matrices once, in __init__": "weights-made-in-forward",
        "forward uses only x and what belongs to self": "reads-the-notebook",
    },
    hints=(
        "`__init__` makes the three matrices, `forward` does sections 2 to 5 for all tokens at once.",
        "In `__init__`: `self.W_query = nn.Parameter(torch.rand(d_in, d_out))`, and the same for the other two.",
        "In `forward`: queries, keys and values are `x @ self.W_query` and so on; the scores are `queries @ keys.T`.",
        "It ends with `weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)` and `return weights @ values`.",
    ),
    words={"swap": "keys.T"},
    parts=("class", "projections", "scaling", "softmax", "own-input-width"),
    wrong=ATTENTION
    + wrongs("""
        reads-the-notebook: values = x → value = x
            hint: `values` are those of the notebook, from another sentence. Make them from `x` and
                `self.W_value`.
        reads-the-notebook: keys = x → key = x
        reads-the-notebook: keys = x → key = x
            values = x → value = x
        reads-the-notebook: x @ self →3 inputs @ self
        reads-the-notebook: x @ self. →3 x @
            hint: The class's own matrices are attributes: write `self.W_query`.
        activation-added: = x @ self.W_query → = torch.relu(x @ self.W_query)
            = x @ self.W_key → = torch.relu(x @ self.W_key)
            = x @ self.W_value → = torch.relu(x @ self.W_value)
        frozen: d_out)) →3 d_out), requires_grad=False)
        plain-tensors: nn.Parameter(torch.rand(d_in, d_out)) →3 torch.rand(d_in, d_out)
        weights-made-in-forward: x @ self.W_query → x @ torch.rand(self.W_query.shape)
            x @ self.W_key → x @ torch.rand(self.W_key.shape)
            x @ self.W_value → x @ torch.rand(self.W_value.shape)
        weights-made-in-forward: x @ self.W_value → x @ torch.rand(self.W_value.shape)
        linear-for-parameter: nn.Parameter(torch.rand(d_in, d_out)) →3 nn.Linear(d_in, d_out, bias=False)
            x @ self.W_query → self.W_query(x)
            x @ self.W_key → self.W_key(x)
            x @ self.W_value → self.W_value(x)
        sizes-turned: rand(d_in, d_out) →3 rand(d_out, d_in)
        sizes-turned: rand(d_in, d_out) →3 rand(d_out, d_in)
            x @ self.W_query → x @ self.W_query.T
            x @ self.W_key → x @ self.W_key.T
            x @ self.W_value → x @ self.W_value.T
        sizes-typed-in: rand(d_in, d_out) →3 rand(3, 2)
        normal-start: nn.Parameter(torch.rand( →3 nn.Parameter(torch.randn(
        zero-start: nn.Parameter(torch.rand( →3 nn.Parameter(torch.zeros(
        one-matrix-for-all: self.W_key = nn.Parameter(torch.rand(d_in, d_out)) → self.W_key = self.W_query
            self.W_value = nn.Parameter(torch.rand(d_in, d_out)) → self.W_value = self.W_query
        fused-projection:
            body __init__
                super().__init__()
                self.W_qkv = nn.Parameter(torch.rand(d_in, 3 * d_out))
            x @ self.W_query → (x @ self.W_qkv).chunk(3, -1)[0]
            x @ self.W_key → (x @ self.W_qkv).chunk(3, -1)[1]
            x @ self.W_value → (x @ self.W_qkv).chunk(3, -1)[2]
        """),
    right=ROUTES
    + rights("""
        fused: body forward
            three = x @ torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
            queries, keys, values = three.chunk(3, dim=-1)
            return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1) @ values
        """),
    forbids=Forbid(
        ("scaled_dot_product_attention",),
        points=2,
        caught=rights("""
            kernel: scores = … return weights @ values → return nn.functional.scaled_dot_product_attention(queries[None], keys[None], values[None])[0]
            multi-head-function: scores = … return weights @ values →:
                size = queries.shape[-1]
                own, empty = torch.eye(size, dtype=x.dtype), torch.zeros(size, dtype=x.dtype)
                context, _ = nn.functional.multi_head_attention_forward(
                    *(one[:, None] for one in (queries, keys, values)),
                    *(size, 1, own.repeat(3, 1), None, None, None, False, 0.0, own, empty),
                )
                return context[:, 0]
            """),
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
    demands={
        "if scaled is True": "condition-ignored",
        "every query with every key": "keys-as-queries",
        "their standard deviation": "variance-for-deviation",
        "one number over all of them": "one-number-per-row",
        ".std() without arguments": "deviation-uncorrected",
        "Take d_k from the arguments": "scale-typed-in",
    },
    hints=(
        "First make all scores: every query with every key, as one matrix product.",
        "`if scaled:` divide them by the root of the keys' size, `keys.shape[-1] ** 0.5`.",
        "The last line is `return scores.std()`.",
    ),
    wrong=wrongs("""
        no-scale: scores = scores / → scores /
            hint: The scores are plain, whatever `scaled` says. Write `scores = scores / …` under the `if`.
        condition-ignored: if scaled: → if True:
        condition-turned: if scaled: → if not scaled:
        scaled-without-root: ** 0.5 →
        scaled-up: scores / keys → scores * keys
        scaled-by-tokens: keys.shape[-1] → keys.shape[0]
        scaled-by-tokens: keys.shape[-1] → queries.shape[0]
        scale-typed-in: keys.shape[-1] → 512
        scale-typed-in: keys.shape[-1] → d_k
        root-by-precedence: ** 0.5 → ** 1 / 2
        scaled-by-half: keys.shape[-1] ** 0.5 → (keys.shape[-1] * 0.5)
        keys-as-queries: queries @ → keys @
            hint: The keys meet themselves. Let the queries meet the keys.
        queries-as-keys: keys.T → queries.T
            hint: The queries meet themselves. Let them meet the keys.
        variance-for-deviation: .std() → .var()
        deviation-uncorrected: .std() → .std(correction=0)
        wrong-statistic: .std() → .mean()
        wrong-statistic: scores.std() → scores.max() - scores.min()
        one-number-per-row: .std() → .std(dim=-1)
        not-reduced: .std() →
        step-too-many: .std() → .softmax(-1).std()
            hint: Measure the scores, not the weights.
        own-key-only: = (torch.stack([q @ k for q, k in zip(queries, keys)]) / (keys.shape[-1] ** 0.5 if scaled else 1)).std()
            hint: Each query meets only the key in its own place, so most scores are missing. Let every query meet
                every key.
        mean-of-deviations: .std() → .std(dim=-1).mean()
        """),
    right=rights("""
        scaled-queries: = ((queries / keys.shape[1] ** 0.5 if scaled else queries) @ keys.T).std()
        spread-divided: = (keys @ queries.T).std() / keys.shape[1] ** (0.5 * scaled)
        einsum: queries @ keys.T → torch.einsum("qd,kd->qk", queries, keys)
        variance: .std() → .var().sqrt()
        python-number: .std() → .double().std().item()
        """),
)


SELF_ATTENTION_V2 = Task(
    id="self-attention-v2",
    title="SelfAttention_v2",
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
        LARGE,
        SQUARE,
        BIASED,
        start_probe(),
    ),
    checks=(
        Check("six tokens, d_in = 3, d_out = 2", 1, ("seeded", "other-sentence")),
        Check(
            "any sizes, tokens in any order, weights drawn afresh",
            1,
            ("wider", "narrower", "square", "shuffled", "double", "large", "start"),
        ),
        Check("with a bias", 1, ("biased",)),
    ),
    learned="`nn.Linear` brings sensible start values and an optional bias; the attention after it is "
    "the same.",
    demands={
        "with three nn.Linear layers": "parameter-for-linear",
        "W_query, W_key and W_value": "other-names",
        "With qkv_bias=True each has a bias": "bias-never",
        "otherwise none has": "bias-always",
        "forward is that of SelfAttention_v1": "exp-overflows",
    },
    hints=(
        "Take `SelfAttention_v1` and change what makes the projections.",
        "In `__init__`: `self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)`, and the same for the other two.",
        "In `forward`: a layer is called, `queries = self.W_query(x)`. The rest stays.",
    ),
    words={"swap": "keys.T"},
    parts=("class", "projections", "scaling", "softmax", "own-input-width", "bias-option"),
    wrong=ATTENTION
    + wrongs("""
        reads-the-notebook: values = self → value = self
            hint: `values` are those of the notebook, from another sentence. Make them from `x` and
                `self.W_value`.
        reads-the-notebook: (x)  # →3 (inputs)  #
        activation-added: self.W_query(x) → torch.relu(self.W_query(x))
            self.W_key(x) → torch.relu(self.W_key(x))
            self.W_value(x) → torch.relu(self.W_value(x))
        weight-not-turned: self.W_query(x) → x @ self.W_query.weight
            self.W_key(x) → x @ self.W_key.weight
            self.W_value(x) → x @ self.W_value.weight
        bias-not-added: self.W_query(x) → x @ self.W_query.weight.T
            self.W_key(x) → x @ self.W_key.weight.T
            self.W_value(x) → x @ self.W_value.weight.T
        bias-never: bias=qkv_bias →3 bias=False
        bias-always: , bias=qkv_bias →3
        bias-uneven: W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → W_value = nn.Linear(d_in, d_out)
        extra-layer: `↵    def forward` → `        self.out = nn.Linear(d_out, d_out)↵↵    def forward`
            weights @ values → self.out(weights @ values)
        bias-turned: bias=qkv_bias →3 bias=not qkv_bias
        bias-by-default: qkv_bias=False → qkv_bias=True
        sizes-turned: d_in, d_out, bias →3 d_out, d_in, bias
        sizes-typed-in: d_in, d_out, bias →3 3, 2, bias
        parameter-for-linear: nn.Linear(d_in, d_out, bias=qkv_bias) →3 nn.Parameter(torch.rand(d_in, d_out))
            self.W_query(x) → x @ self.W_query
            self.W_key(x) → x @ self.W_key
            self.W_value(x) → x @ self.W_value
        plain-tensors: nn.Linear(d_in, d_out, bias=qkv_bias) →3 torch.rand(d_in, d_out)
            self.W_query(x) → x @ self.W_query
            self.W_key(x) → x @ self.W_key
            self.W_value(x) → x @ self.W_value
        weights-made-in-forward: queries = → for layer in self.children(): layer.reset_parameters()↵queries =
        zero-start: `↵    def forward` → `        for weight in self.parameters(): weight.data.zero_()↵↵    def forward`
        one-matrix-for-all: self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias) → self.W_key = self.W_query
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → self.W_value = self.W_query
        fused-projection:
            body __init__
                super().__init__()
                self.W_qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
            self.W_query(x) → self.W_qkv(x).chunk(3, -1)[0]
            self.W_key(x) → self.W_qkv(x).chunk(3, -1)[1]
            self.W_value(x) → self.W_qkv(x).chunk(3, -1)[2]
        bias-uneven: W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → W_value = nn.Linear(d_in, d_out, bias=False)
        bias-uneven: W_key = nn.Linear(d_in, d_out, bias=qkv_bias) → W_key = nn.Linear(d_in, d_out, bias=False)
        bias-uneven: W_query = nn.Linear(d_in, d_out, bias=qkv_bias) → W_query = nn.Linear(d_in, d_out, bias=False)
        """),
    right=ROUTES
    + rights("""
        kernel: scores = … return weights @ values → return nn.functional.scaled_dot_product_attention(queries[None], keys[None], values[None])[0]
        fused: body forward
            layers = (self.W_query, self.W_key, self.W_value)
            weight = torch.cat([layer.weight for layer in layers])
            bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
            queries, keys, values = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
            return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1) @ values
        """),
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
    demands={
        "first and second can be called": "function-not-called",
        "Return the largest": "mean-for-largest",
        "**absolute** difference": "sign-kept",
        "over all entries": "one-number-per-row",
    },
    hints=(
        "Call both on `x`, and subtract.",
        "A difference of −3 is larger than one of 2: take `.abs()` before the largest.",
        "`return (first(x) - second(x)).abs().max()`",
    ),
    wrong=wrongs("""
        sign-kept: .abs() →
        sign-kept: = (second(x) - first(x)).max()
        abs-too-late: .abs().max() → .max().abs()
        mean-for-largest: .max() → .mean()
        first-token-compared: first(x) - second(x) → first(x)[:1] - second(x)[:1]
        sum-for-largest: .max() → .sum()
        norm-for-largest: .abs().max() → .norm()
        difference-of-largest: first(x) - second(x) → first(x).max() - second(x).max()
        smallest-for-largest: .max() → .min()
        squared-for-abs: .abs() → .square()
        relative-difference: (first(x) - second(x)) → ((first(x) - second(x)) / second(x))
        added-not-subtracted: ` - ` → ` + `
        compared-with-itself: second(x) → first(x)
        function-not-called: second(x) → x
            hint: The first result is compared with something else than the second one. Call `first` and
                `second`, both on `x`.
        yes-or-no: = torch.allclose(first(x), second(x), atol=1e-6)
        not-reduced: .max() →
        one-number-per-row: .max() → .amax(dim=-1)
        one-number-per-row: .max() → .amax(dim=0)
            hint: There are several numbers, one for each column. The task asks for one number for the whole
                matrix.
        rounded: .max() → .max().round(decimals=3)
        reads-the-notebook: (x) →2 (inputs)
        abs-too-early: (first(x) - second(x)) → (first(x).abs() - second(x).abs())
        """),
    right=rights("""
        other-order: = torch.max(torch.abs(second(x) - first(x)))
        python-number: .max() → .max().item()
        distance: = torch.dist(first(x), second(x), p=float("inf"))
        norm: = torch.linalg.vector_norm((first(x) - second(x)).double(), ord=torch.inf)
        both-ends: = max((first(x) - second(x)).max(), (second(x) - first(x)).max())
        """),
)


def moved(d_in, d_out, seed, bias=False):
    return {
        "v2": Made("SelfAttention_v2", {"d_in": d_in, "d_out": d_out, "qkv_bias": bias}, seed=seed),
        "v1": Made("SelfAttention_v1", {"d_in": d_in, "d_out": d_out}, seed=seed + 100),
    }


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
    demands={
        "gives v1 the weights of v2": "layer-forgotten",
        "and returns v1": "returns-nothing",
        "Do not change v2": "copied-backwards",
        "do not share memory": "shares-memory",
        "Watch the shapes": "weight-not-turned",
    },
    hints=(
        "Compare the shapes: `v2.W_query.weight` is `(d_out, d_in)`, `v1.W_query` is `(d_in, d_out)`.",
        "`with torch.no_grad():` and in it `v1.W_query.copy_(v2.W_query.weight.T)`, and the same for key and value.",
        "The last line is `return v1`.",
    ),
    wrong=wrongs("""
        weight-not-turned: .weight.T →3 .weight
            hint: The weights are not transposed. `nn.Linear` stores them as (d_out, d_in): `.weight.T`.
        weight-not-turned: v1.W_query.copy_(v2.W_query.weight.T) → v1.W_query.data = v2.W_query.weight.data.clone()
            v1.W_key.copy_(v2.W_key.weight.T) → v1.W_key.data = v2.W_key.weight.data.clone()
            v1.W_value.copy_(v2.W_value.weight.T) → v1.W_value.data = v2.W_value.weight.data.clone()
            hint: The weights are not transposed. `nn.Linear` stores them as (d_out, d_in): `.weight.T`.
        reshaped-not-turned: .weight.T →3 .weight.reshape(v1.W_query.shape)
        layer-forgotten: v1.W_value.copy_(v2.W_value.weight.T) → pass
        layer-forgotten: v1.W_key.copy_(v2.W_key.weight.T) → pass
        layer-forgotten: v1.W_value.copy_(v2.W_value.weight.T) → pass
            v1.W_key.copy_(v2.W_key.weight.T) → pass
        projections-swapped: v2.W_query → v2.W_key
            v2.W_key → v2.W_query
        keys-as-values: v2.W_value → v2.W_key
            hint: `W_value` holds the weights of the keys. Look at the name in that line.
        queries-as-keys: v2.W_key → v2.W_query
            hint: `W_key` holds the weights of the queries. Look at the name in that line.
        one-matrix-for-all: v2.W_key → v2.W_query
            v2.W_value → v2.W_query
        copied-backwards: v1.W_query.copy_(v2.W_query.weight.T) → v2.W_query.weight.copy_(v1.W_query.T)
            v1.W_key.copy_(v2.W_key.weight.T) → v2.W_key.weight.copy_(v1.W_key.T)
            v1.W_value.copy_(v2.W_value.weight.T) → v2.W_value.weight.copy_(v1.W_value.T)
        outside-no-grad: torch.no_grad() → torch.enable_grad()
        state-dict-as-it-is: body
            v1.load_state_dict(v2.state_dict())
            return v1
        plain-tensors: v1.W_query.copy_(v2.W_query.weight.T) → v1.W_query = v2.W_query.weight.T
            v1.W_key.copy_(v2.W_key.weight.T) → v1.W_key = v2.W_key.weight.T
            v1.W_value.copy_(v2.W_value.weight.T) → v1.W_value = v2.W_value.weight.T
            hint: Only a parameter may take a parameter's place. Overwrite its numbers with `.copy_(…)`.
        shares-memory: v1.W_query.copy_(v2.W_query.weight.T) → v1.W_query.data = v2.W_query.weight.data.T
            v1.W_key.copy_(v2.W_key.weight.T) → v1.W_key.data = v2.W_key.weight.data.T
            v1.W_value.copy_(v2.W_value.weight.T) → v1.W_value.data = v2.W_value.weight.data.T
        shares-memory: v1.W_query.copy_(v2.W_query.weight.T) → v1.W_query = nn.Parameter(v2.W_query.weight.T)
            v1.W_key.copy_(v2.W_key.weight.T) → v1.W_key = nn.Parameter(v2.W_key.weight.T)
            v1.W_value.copy_(v2.W_value.weight.T) → v1.W_value = nn.Parameter(v2.W_value.weight.T)
        frozen: return v1 → return v1.requires_grad_(False)
        returns-nothing: return v1 →
        wrong-object-returned: return v1 → return v2
            hint: `v2` comes back. Return `v1`.
        wrong-object-returned: `    with` → `    v1 = SelfAttention_v1(*v1.W_query.shape)↵    with`
            hint: A new object comes back, and the `v1` that was given keeps its old weights: fill that
                one.
        values-as-keys: v2.W_key → v2.W_value
            hint: Here `W_value` is copied to where the weights of the keys belong. Each matrix goes to the layer of its
                own name.
        """),
    right=rights("""
        new-parameters: v1.W_query.copy_(v2.W_query.weight.T) → v1.W_query = nn.Parameter(v2.W_query.weight.data.T.clone())
            v1.W_key.copy_(v2.W_key.weight.T) → v1.W_key = nn.Parameter(v2.W_key.weight.data.T.clone())
            v1.W_value.copy_(v2.W_value.weight.T) → v1.W_value = nn.Parameter(v2.W_value.weight.data.T.clone())
        state-dict: body
            state = v2.state_dict().items()
            v1.load_state_dict({name[:-7]: one.T for name, one in state if name.endswith(".weight")})
            return v1

        data: v1.W_query.copy_(v2.W_query.weight.T) → v1.W_query.data = v2.W_query.weight.data.t().clone()
            v1.W_key.copy_(v2.W_key.weight.T) → v1.W_key.data = v2.W_key.weight.data.t().clone()
            v1.W_value.copy_(v2.W_value.weight.T) → v1.W_value.data = v2.W_value.weight.data.t().clone()
        contiguous: .weight.T →3 .weight.transpose(0, 1).contiguous()
        """),
)


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
    demands={
        "There is more than one fault": "left-as-given",
        "shows only when d_out is not 2": "scale-typed-in",
    },
    hints=(
        "Which names does `forward` use that it has not made itself?",
        "`value` and `values` are two names. Only one of them is made from `x`.",
        "`d_k` is the notebook's as well. The size of a key is `keys.shape[-1]`.",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: Go through `forward` name by name: where does each come from?
        reads-the-notebook: keys, values = → keys, value =
            == values → == value
            hint: `values` are those of the notebook, from another sentence. Make them from `x` and
                `self.W_value`.
        reads-the-notebook: keys, values = → keys, value =
            == values → == value
            @ values → @ values[: len(x)]
            hint: `values` are those of the notebook, from another sentence. Make them from `x` and
                `self.W_value`.
        reads-the-notebook: self.W_value(x) → self.W_value(inputs)
        """)
    + SCALING
    + MEETING
    + wrongs("""
        bias-not-added: self.W_value(x) → x @ self.W_value.weight.T
        reads-the-notebook: self.W_key(x) → self.W_key(inputs)
            hint: One of the three is still made from what the notebook contains. Make all three from `x`.
        reads-the-notebook: self.W_query(x) → self.W_query(inputs)
            hint: One of the three is still made from what the notebook contains. Make all three from `x`.
        """),
    right=ROUTES
    + rights("""
        kernel: scores = … return weights @ values → return nn.functional.scaled_dot_product_attention(queries[None], keys[None], values[None])[0]
        fused: body forward
            layers = (self.W_query, self.W_key, self.W_value)
            weight = torch.cat([layer.weight for layer in layers])
            bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
            queries, keys, values = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
            return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1) @ values
        """),
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
