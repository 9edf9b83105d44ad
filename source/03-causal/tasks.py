"""The tasks of lesson 03: their probes, and right and wrong answers as edits of the solution."""

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


def drawn(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def projected(x):
    """Queries, keys and values of tokens as the lesson makes them: three layers drawn under seed 123."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(123)
        layers = [torch.nn.Linear(3, 2, bias=False) for _ in range(3)]
        return {name: layer(x) for name, layer in zip(("queries", "keys", "values"), layers, strict=True)}


def redraw(generator: torch.Generator) -> dict:
    """Six other tokens with coordinates on both sides of 0, so that scores are negative as well."""
    return {"inputs": 2 * torch.randn(6, 3, generator=generator)}


# ---------------------------------------------------------------- the mask


def whole(below, generator):
    """A whole number from 0 on."""
    return int(torch.randint(below, (1,), generator=generator))


def other_size(generator: torch.Generator) -> dict:
    """A number of tokens that no visible probe has."""
    return {"num_tokens": 7 + whole(26, generator)}


CAUSAL_MASK = Task(
    id="causal-mask",
    title="The causal mask",
    name="causal_mask",
    kind="function",
    signature="causal_mask(num_tokens)",
    axes=("tokens as query", "tokens as key"),
    dtypes=("bool",),
    probes=(
        Probe("three", "3 tokens", {"num_tokens": 3}, redraw=other_size),
        Probe("four", "4 tokens", {"num_tokens": 4}, redraw=other_size),
        Probe("six", "6 tokens", {"num_tokens": 6}, redraw=other_size),
        Probe("one", "a single token", {"num_tokens": 1}),
        Probe("eleven", "11 tokens", {"num_tokens": 11}),
    ),
    checks=(
        Check("three and four tokens", 1, ("three", "four")),
        Check("any number of tokens, one included", 1, ("six", "one", "eleven")),
    ),
    learned="Row i is True from column i + 1 on: query i may look at itself and at what came before, at nothing else.",
    demands={
        "matrix of booleans": "not-boolean",
        "True where the key (column) is **hidden**": "mask-polarity",
        "A token sees itself": "diagonal-hidden",
        "a square matrix": "mask-is-one-row",
    },
    hints=(
        "Which triangle has to be True: the one above the diagonal, or the one below? And the diagonal itself?",
        "`torch.triu(torch.ones(num_tokens, num_tokens))` keeps the diagonal. `diagonal=1` moves the edge one step on.",
        "`return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()`",
    ),
    wrong=wrongs("""
        past-hidden: triu → tril
            diagonal=1 → diagonal=-1
        past-hidden: .bool() → .bool().T
        diagonal-hidden: , diagonal=1 →
            hint: The diagonal is True as well, so a token is hidden from itself. `torch.triu` needs
                `diagonal=1`.
        mask-polarity: triu → tril
            , diagonal=1 →
            hint: This is True where a query *may* look. Here True means hidden.
        mask-polarity: .bool() → ` == 0`
            hint: This is True where a query *may* look. Here True means hidden.
        diagonal-too-far: diagonal=1 → diagonal=2
        only-next-token-hidden: diagonal=1) → diagonal=1).tril(1)
        only-itself-visible: = ~torch.eye(num_tokens).bool()
        no-mask: torch.ones → torch.zeros
            hint: No entry is True, so nothing is hidden.
        all-hidden: = torch.ones(num_tokens, num_tokens).bool()
        not-boolean: torch.ones(num_tokens, num_tokens) → torch.full((num_tokens, num_tokens), -torch.inf)
            .bool() →
        not-boolean: .bool() →
        zero-times-infinity: .bool() → * -torch.inf
            hint: 0 times −∞ is nan. No −∞ is needed here, only True and False.
        sizes-typed-in: torch.ones(num_tokens, num_tokens) → torch.ones(6, 6)
        sizes-typed-in: = torch.ones(6, 6).triu(diagonal=1).bool()[:num_tokens, :num_tokens]
            hint: A mask that is made for six tokens and then cut is too small for more. Make it as large as
                `num_tokens`.
        mask-is-one-row: = torch.arange(num_tokens) > 0
        """),
    right=rights("""
        not-tril: = ~torch.tril(torch.ones(num_tokens, num_tokens)).bool()
        triu-of-bool: , num_tokens)↵ → , num_tokens, dtype=torch.bool)
            .bool() →
        positions: = torch.arange(num_tokens)[None, :] > torch.arange(num_tokens)[:, None]
        loops: body
            mask = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
            for i in range(num_tokens):
                mask[i, i + 1 :] = True
            return mask
        compared: .bool() → ` == 1`
        """),
)

# ---------------------------------------------------------------- first way: mask after the softmax

MASK_AFTER_SOFTMAX = Task(
    id="mask-after-softmax",
    title="Set the future to zero",
    name="masked_simple",
    kind="tensor",
    signature="masked_simple",
    axes=("tokens as query", "tokens as key"),
    properties=("causal", "not-negative"),
    keeps=("attn_weights", "attn_scores"),
    checks=(Check("weights above the diagonal set to 0", 1),),
    learned=(
        "Multiplying by a lower triangle of ones sets the future to 0. Then the rows no longer add up to 1."
    ),
    demands={
        "with a 0 in every hidden place": "no-mask",
    },
    hints=(
        (
            "Which matrix of ones and zeros, multiplied entry by entry, leaves the past and sets the future "
            "to 0?"
        ),
        "It is the lower triangle shown in section 2: `torch.tril(torch.ones(context_length, context_length))`.",
        "`masked_simple = attn_weights * torch.tril(torch.ones(context_length, context_length))`",
    ),
    wrong=wrongs("""
        past-hidden: tril → triu
        diagonal-hidden: context_length)) → context_length), diagonal=-1)
        mask-polarity: torch.tril(torch.ones(context_length, context_length)) → causal_mask(context_length)
            hint: Only the future is left: this mask is True where something is *hidden*. Turn it round
                with `~`.
        diagonal-too-far: context_length)) → context_length), diagonal=1)
        no-mask: * torch.tril(torch.ones(context_length, context_length)) →
            hint: Nothing is hidden, so every token sees the whole sentence. Multiply the weights by the lower
                triangle.
        infinity-in-weights: = attn_weights.masked_fill(causal_mask(6), -torch.inf)
        no-softmax: attn_weights → attn_scores
            hint: Mask the weights, `attn_weights`.
        step-too-many: = attn_weights.tril() / attn_weights.tril().sum(-1, True)
        mask-as-matrix-product: * → @
        mask-alone: attn_weights * →
        mask-added: * → +
            hint: Multiply the weights by the triangle, with `*`.
        """),
    right=rights("""
        tril: = torch.tril(attn_weights)
        masked-fill: = attn_weights.masked_fill(causal_mask(context_length), 0.0)
        not-the-mask: = attn_weights * ~causal_mask(6)
        where: = torch.where(causal_mask(context_length), 0.0, attn_weights)
        double: = attn_weights.double().tril()
        """),
)

RENORMALISE = Task(
    id="renormalise",
    title="Make the rows add up to 1 again",
    name="masked_simple_norm",
    kind="tensor",
    signature="masked_simple_norm",
    axes=("tokens as query", "tokens as key"),
    properties=("causal", "not-negative", "sums-to-one"),
    needs=("mask-after-softmax",),
    checks=(Check("each row divided by its own sum", 1),),
    learned="Each query's visible weights share out the whole attention again, in the same proportions as before.",
    demands={
        "divided by that row's sum": "columns-normalised",
    },
    hints=(
        "What do you divide a row by so that it adds up to 1?",
        "`masked_simple.sum(dim=-1)` has the row sums. `keepdim=True` keeps them as a column, so that each one divides "
        "its own row.",
        "`masked_simple_norm = masked_simple / masked_simple.sum(dim=-1, keepdim=True)`",
    ),
    wrong=wrongs("""
        sums-without-keepdim: , keepdim=True →
        columns-normalised: dim=-1 → dim=0
        softmax-twice: = torch.softmax(masked_simple, dim=-1)
        softmax-twice: = torch.tril(torch.softmax(masked_simple, dim=-1))
        softmax-of-shares: = mask → = torch.softmax(mask
            True) → True), dim=-1)
        divided-by-total: dim=-1, keepdim=True →
        not-normalised: / masked_simple.sum(dim=-1, keepdim=True) →
            hint: The rows are those of `masked_simple`: nothing divides them, or what does is 1. Divide each by its own sum.
        divided-by-count: masked_simple.sum( → (masked_simple > 0).sum(
        divided-by-largest: .sum( → .amax(
        shares-of-raw-scores: = attn_scores.tril() / attn_scores.tril().sum(-1, True)
            hint: These are raw scores, divided by the sum of their row. Divide `masked_simple` by the sums of
                its rows.
        multiplied-by-sum: / → *
        remainder-to-itself: = masked_simple + torch.diag(1 - masked_simple.sum(dim=-1))
        """),
    right=rights("""
        unsqueeze: = masked_simple / masked_simple.sum(dim=1)[:, None]
        normalize: = torch.nn.functional.normalize(masked_simple, p=1, dim=-1)
        row-by-row: = torch.stack([row / row.sum() for row in masked_simple])
        einsum: = torch.einsum("qk,q->qk", masked_simple, 1 / masked_simple.sum(1))
        turned-twice: = (masked_simple.T / masked_simple.sum(dim=-1)).T
        """),
)

# ---------------------------------------------------------------- the first bug: shares of raw scores

# The lesson's queries, keys and values, with the weights that seed 123 draws.
OF_SENTENCE = projected(SENTENCE)
# The sentence's scores lie close together and are all positive; others must be apart and of both signs.
SENTENCE_SCORES = OF_SENTENCE["queries"] @ OF_SENTENCE["keys"].T
MIXED_SCORES = torch.tensor([[0.5, 1.0, 2.0], [-1.0, 1.1, 0.3], [2.0, -1.0, -0.9]])
FIVE_SCORES = 2 * drawn(31, 5, 5)
NEGATIVE_SCORES = -1.5 - drawn(32, 4, 4).abs()
ZERO_SUM_SCORES = torch.tensor([[0.0, 1.0, -1.0], [1.5, -1.5, 0.5], [-2.0, 0.7, 1.3]])
LARGE_SCORES = 150.0 + 3 * drawn(33, 4, 4)
LOW_SCORES = -150.0 + 3 * drawn(34, 4, 4)

BUG_RAW_SCORES = Task(
    id="bug-raw-scores",
    title="Find the bug: shares of raw scores",
    name="renormalised_weights",
    kind="function",
    signature="renormalised_weights(scores, d_k)",
    axes=("tokens as query", "tokens as key"),
    input_axes={"scores": ("tokens as query", "tokens as key")},
    properties=("causal", "not-negative", "sums-to-one"),
    probes=(
        Probe("sentence", "the scores of the sentence", {"scores": SENTENCE_SCORES, "d_k": 2}),
        Probe("mixed", "the mixed scores of task 4", {"scores": MIXED_SCORES, "d_k": 2}),
        Probe("five", "five tokens with keys of three dimensions", {"scores": FIVE_SCORES, "d_k": 3}),
        Probe("negative", "scores that are all negative", {"scores": NEGATIVE_SCORES, "d_k": 1}),
        Probe("zero-sum", "rows of scores that add up to 0", {"scores": ZERO_SUM_SCORES, "d_k": 1}),
        Probe("large", "scores near 150", {"scores": LARGE_SCORES, "d_k": 1}),
    ),
    checks=(
        Check("the scores of the sentence, and others", 1, ("sentence", "mixed", "five")),
        # Here d_k is 1, so that a mistake with the scale does not show.
        Check("negative scores, rows that add up to 0, large scores", 1, ("negative", "zero-sum", "large")),
    ),
    words={"x": "scores", "width_code": "d_k**0.5"},
    learned="Shares are made of exponentials, not of scores. After a softmax, masking and dividing by the row sum is safe "
    "as long as no row sum is rounded to 0.",
    demands={
        "for any scores": "exp-overflows",
        "softmax of the scaled scores": "no-scale",
        "each row adding up to 1": "mask-after-softmax",
    },
    hints=(
        "What does a row of `masked` look like when a score is negative? And what has to happen to scores before they "
        "can be shares?",
        "The softmax is missing, and with it the √d_k: make `weights` from `scores` first, then mask those.",
        "`weights = torch.softmax(scores / d_k**0.5, dim=-1)`, then `masked = weights * torch.tril(...)`.",
    ),
    wrong=wrongs("""
        shares-of-raw-scores: faulty
        shares-of-raw-scores: torch.softmax(scores / d_k**0.5, dim=-1) → scores
        negative-scores-patched: torch.softmax(scores / d_k**0.5, dim=-1) → scores.abs()
        negative-scores-patched: torch.softmax(scores / d_k**0.5, dim=-1) → scores.clamp(min=0)
        negative-scores-patched: torch.softmax(scores / d_k**0.5, dim=-1) → scores - scores.min() + 1e-6
        negative-scores-patched: torch.softmax(scores / d_k**0.5, dim=-1) → scores.square()
        negative-scores-patched: torch.softmax(scores / d_k**0.5, dim=-1) → scores
            keepdim=True) → keepdim=True)).nan_to_num(0.0, 0.0, 0.0).clamp(0, 1)
            return masked → return (masked
        softmax-of-shares: torch.softmax(scores / d_k**0.5, dim=-1) → scores
            return masked → return torch.softmax(masked
            keepdim=True) → keepdim=True), dim=-1)
        mask-fills-zero: = torch.softmax(scores.tril() / d_k**0.5, dim=-1)
        mask-after-softmax: / masked.sum(dim=-1, keepdim=True) →
            hint: The rows do not add up to 1 yet. Divide each by its own sum after the mask.
        no-mask: * torch.tril(torch.ones_like(scores)) →
            hint: Nothing is hidden, so every token sees the whole sentence. Multiply the weights by the lower
                triangle.
        half-for-root: d_k**0.5 → (d_k * 0.5)
        half-for-root: / d_k**0.5 → / d_k * 0.5
            hint: The scores are divided by d_k and halved. Divide by the root of d_k: `d_k**0.5`.
        no-scale: / d_k**0.5 →
        scaled-without-root: d_k**0.5 → d_k
        scaled-up: / d_k → * d_k
        scaled-by-tokens: d_k**0.5 → len(scores)**0.5
        softmax-over-queries: **0.5, dim=-1) → **0.5, dim=0)
        columns-normalised: sum(dim=-1 → sum(dim=0
        sums-without-keepdim: , keepdim=True →
        divided-by-total: dim=-1, keepdim=True →
        past-hidden: tril → triu
        diagonal-hidden: ones_like(scores)) → ones_like(scores), diagonal=-1)
        diagonal-too-far: ones_like(scores)) → ones_like(scores), diagonal=1)
        softmax-twice: return masked / masked.sum(dim=-1, keepdim=True) → return torch.softmax(masked, dim=-1)
        exp-overflows: torch.softmax(scores / d_k**0.5, dim=-1) → torch.exp(scores / d_k**0.5)
        edits-its-argument: (scores / d_k**0.5, → (scores.div_(d_k**0.5),
        reads-the-notebook: scores / d_k → attn_scores / d_k
            ones_like(scores → ones_like(weights
        scale-typed-in: d_k**0.5 → 2**0.5
        sizes-typed-in: torch.ones_like(scores) → torch.ones(6, 6)
            hint: The mask has the size of one sentence, typed in or read from the notebook. Take it from `scores`.
        """),
    right=rights("""
        mask-first: = (scores.masked_fill(causal_mask(len(scores)), -torch.inf) / d_k**0.5).softmax(-1)
        row-by-row: body
            rows = []
            for i, row in enumerate(scores):
                visible = torch.softmax(row[: i + 1] / d_k**0.5, dim=0)
                rows.append(torch.cat([visible, torch.zeros(len(row) - i - 1)]))
            return torch.stack(rows)
        very-low-scores: = (scores.masked_fill(causal_mask(len(scores)), -1e9) / d_k**0.5).softmax(-1)
        tril: weights * torch.tril(torch.ones_like(scores)) → weights.tril()
        double: softmax(scores / → softmax(scores.double() /
        normalize: masked / masked.sum(dim=-1, keepdim=True) → nn.functional.normalize(masked, 1, -1)
        """),
)

# ---------------------------------------------------------------- second way: mask before the softmax


MASK_BEFORE_SOFTMAX = Task(
    id="mask-before-softmax",
    title="Mask before the softmax",
    name="causal_attn_weights",
    kind="tensor",
    signature="causal_attn_weights",
    axes=("tokens as query", "tokens as key"),
    properties=("causal", "not-negative", "sums-to-one"),
    needs=("causal-mask",),
    keeps=("attn_scores", "queries", "keys", "values"),
    checks=(Check("−∞ above the diagonal, scaled, softmax over the keys", 2),),
    words={"width_code": "d_k**0.5", "swap": "keys.T"},
    learned="e to the power of −∞ is 0: the future never enters the softmax's sum, and nothing has to be divided again.",
    demands={
        "hide the future": "no-mask",
        "with -\\infty": "mask-fills-zero",
        "divide by \\sqrt{d_k}": "no-scale",
        "softmax": "no-softmax",
    },
    hints=(
        "Three steps, in one line or in three: fill, divide, softmax.",
        "`attn_scores.masked_fill(causal_mask(context_length), -torch.inf)` fills. It returns the result.",
        "Give that a name, say `masked`; then `torch.softmax(masked / d_k**0.5, dim=-1)`.",
    ),
    wrong=wrongs("""
        mask-fills-zero: -torch.inf → 0.0
        mask-fills-small: -torch.inf → -10.0
        mask-fills-infinity: -torch.inf → torch.inf
        past-hidden: causal_mask(context_length) → causal_mask(context_length).T
        mask-polarity: causal_mask( → ~causal_mask(
        diagonal-hidden: causal_mask(context_length) → torch.ones(6, 6).triu().bool()
        diagonal-too-far: causal_mask(context_length) → causal_mask(context_length).triu(2)
        no-mask: .masked_fill(causal_mask(context_length), -torch.inf) →
        mask-added: attn_scores.masked_fill(causal_mask(context_length), -torch.inf) → (attn_scores + causal_mask(context_length).float())
        mask-added: attn_scores.masked_fill(causal_mask(context_length), -torch.inf) → (attn_scores - causal_mask(context_length).float())
        zero-times-infinity: attn_scores.masked_fill(causal_mask(context_length), -torch.inf) → (attn_scores + causal_mask(6) * -torch.inf)
        softmax-over-queries: dim=-1 → dim=0
        no-scale: / d_k**0.5 →
        scaled-without-root: d_k**0.5 → d_k
        scaled-up: / d_k → * d_k
        scaled-by-input-width: d_k**0.5 → inputs.shape[1] ** 0.5
        scaled-by-tokens: d_k**0.5 → len(keys) ** 0.5
        scaled-after-softmax: / d_k**0.5 →
            ↵) → ↵) / d_k**0.5
        scores-turned: attn_scores → attn_scores.T
        keys-as-queries: attn_scores → (keys @ keys.T)
        queries-as-keys: attn_scores → (queries @ queries.T)
        input-for-scores: attn_scores → (inputs @ inputs.T)
        mask-after-softmax: .masked_fill(causal_mask(context_length), -torch.inf) →
            ↵) → ↵) * ~causal_mask(context_length)
        shares-of-raw-scores: = raw_shares
        no-softmax: torch.softmax( → (
            , dim=-1 →
        softmax-twice: ↵) → ↵).softmax(-1)
        softmax-twice: attn_scores → attn_weights
        infinity-in-weights: .masked_fill(causal_mask(context_length), -torch.inf) →
            ↵) → ↵).masked_fill(causal_mask(6), -torch.inf)
        """),
    right=rights("""
        very-low-number: -torch.inf → -1e9
        lowest-float: -torch.inf → torch.finfo(torch.float32).min
        scaled-first: attn_scores → (attn_scores / d_k**0.5)
            / d_k**0.5 →
        infinity-added: attn_scores.masked_fill(causal_mask(context_length), -torch.inf) → (attn_scores + torch.full((6, 6), -torch.inf).triu(1))
        the-first-way: = masked_simple_norm
        row-by-row: cell
            causal_attn_weights = torch.zeros(context_length, context_length)
            for i in range(context_length):
                causal_attn_weights[i, : i + 1] = torch.softmax(attn_scores[i, : i + 1] / d_k**0.5, dim=0)
        where: attn_scores.masked_fill(causal_mask(context_length), -torch.inf) → torch.where(causal_mask(context_length), -torch.inf, attn_scores)
        scaled-dot-product-attention: = nn.functional.scaled_dot_product_attention(queries[None], keys[None], torch.eye(len(keys))[None], is_causal=True)[0]
        """),
)

# ---------------------------------------------------------------- the second bug: a mask made from values

# Zeros in the future and in the past: only the position says which of them to hide.
SPARSE_SCORES = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.5, 0.2, 0.3]])
ZEROS_EVERYWHERE = torch.tensor(
    [
        [0.4, 0.0, -1.0, 0.7, 0.0],
        [0.0, -0.6, 0.0, 1.2, -1.0],
        [0.9, 0.0, 0.3, 0.0, 0.8],
        [0.0, 1.1, -0.4, 0.0, 0.0],
        [-0.7, 0.0, 0.6, 0.2, 0.0],
    ]
)

BUG_MASK_FROM_VALUES = Task(
    id="bug-mask-from-values",
    title="Find the bugs: two faults in one mask",
    name="masked_weights",
    kind="function",
    signature="masked_weights(scores, d_k)",
    axes=("tokens as query", "tokens as key"),
    input_axes={"scores": ("tokens as query", "tokens as key")},
    properties=("causal", "not-negative", "sums-to-one"),
    probes=(
        Probe("mixed", "the mixed scores", {"scores": MIXED_SCORES, "d_k": 2}),
        Probe("five", "five tokens with keys of three dimensions", {"scores": FIVE_SCORES, "d_k": 3}),
        Probe("sparse", "scores with a 0 in the future", {"scores": SPARSE_SCORES, "d_k": 1}),
        Probe(
            "zeros", "scores with zeros in the past and in the future", {"scores": ZEROS_EVERYWHERE, "d_k": 1}
        ),
        Probe("low", "scores near −150", {"scores": LOW_SCORES, "d_k": 2}),
    ),
    checks=(
        Check("ordinary scores, and very low ones", 1, ("mixed", "five", "low")),
        Check("scores that are exactly 0", 1, ("sparse", "zeros")),  # d_k is 1: no scale shows
    ),
    words={"x": "scores", "width_code": "d_k**0.5"},
    learned="A mask is made from positions. What a score happens to be says nothing about where it is.",
    demands={
        "shows only for some scores": "mask-from-values",
        "do not change the caller's scores": "edits-its-argument",
    },
    hints=(
        "First fault: what happens to what `masked_fill` returns?",
        "Second fault: print `hidden` for `sparse_scores`. Which place above the diagonal is False, and why?",
        "`hidden = torch.triu(torch.ones_like(scores), diagonal=1).bool()`, and "
        "`masked = scores.masked_fill(hidden, -torch.inf)`, which then goes into the softmax.",
    ),
    wrong=wrongs("""
        no-mask: faulty
        no-mask: softmax(masked → softmax(scores
        mask-from-values: torch.ones_like(scores) → scores
        edits-its-argument: masked_fill( → masked_fill_(
        edits-its-argument: = scores. → = scores.div_(d_k**0.5).
            masked / d_k**0.5 → masked
        mask-from-values: .bool() → .bool() | (scores == 0)
        mask-from-values: torch.ones_like(scores) → scores + 1.0
        mask-from-values: torch.ones_like(scores) → scores.clamp(min=0)
        mask-fills-zero: -torch.inf → 0.0
        mask-fills-small: -torch.inf → -10.0
        mask-fills-small: -torch.inf → -100.0
        mask-fills-infinity: -torch.inf → torch.inf
        past-hidden: triu → tril
            diagonal=1 → diagonal=-1
        mask-polarity: fill(hidden → fill(~hidden
        diagonal-hidden: , diagonal=1 →
        diagonal-too-far: diagonal=1 → diagonal=2
        zero-times-infinity: scores.masked_fill(hidden, -torch.inf) → scores + hidden * -torch.inf
        mask-added: scores.masked_fill(hidden, -torch.inf) → scores + hidden.float()
        mask-after-softmax: scores.masked_fill(hidden, -torch.inf) → scores
            dim=-1) → dim=-1) * ~hidden
        infinity-in-weights: scores.masked_fill(hidden, -torch.inf) → scores
            dim=-1) → dim=-1).masked_fill(hidden, -torch.inf)
        softmax-over-queries: dim=-1 → dim=0
        no-softmax: torch.softmax( → (
            , dim=-1) → )
        no-scale: / d_k**0.5 →
        scaled-without-root: d_k**0.5 → d_k
        scaled-up: / d_k → * d_k
        scaled-by-tokens: d_k**0.5 → len(scores)**0.5
        scale-typed-in: d_k**0.5 → 2**0.5
        sizes-typed-in: torch.ones_like(scores) → torch.ones(6, 6)
            hint: The mask has the size of one sentence, typed in or read from the notebook. Take it from `scores`.
        """),
    right=rights("""
        causal-mask: torch.triu(torch.ones_like(scores), diagonal=1).bool() → causal_mask(len(scores))
        very-low-number: -torch.inf → -1e9
        where: scores.masked_fill(hidden, -torch.inf) → torch.where(hidden, -torch.inf, scores)
        clone-and-assign: scores.masked_fill(hidden, -torch.inf) → scores.clone()↵masked[hidden] = -torch.inf
        renormalised: = renormalised_weights(scores, d_k)
        infinity-added: scores.masked_fill(hidden, -torch.inf) → scores + torch.full_like(scores, -torch.inf).triu(1)
        double: = scores.masked → = scores.double().masked
        row-by-row: body
            rows = []
            for i, row in enumerate(scores):
                visible = torch.softmax(row[: i + 1] / d_k**0.5, dim=0)
                rows.append(torch.cat([visible, torch.zeros(len(row) - i - 1)]))
            return torch.stack(rows)
        """),
)

# ---------------------------------------------------------------- the detector


def lower(seed, size):
    """Weights of a mixing that depends on the past and on the token itself, and on nothing else."""
    return torch.tril(drawn(seed, size, size).clamp(-1.5, 1.5) + 0.2) + torch.eye(size)


def leaking(seed, size, leaks, columns=None):
    weights = lower(seed, size)
    for (i, j), weight in leaks.items():
        weights[i, j] = weight
    return Specimen("mixing", {"weights": weights, "columns": columns})


def other_leaks(fewest, d_in, weights, apart=1):
    """A redraw: leaks of these weights between other tokens, at least so far apart, of a longer sentence."""

    def redraw(generator: torch.Generator) -> dict:
        tokens, seed = fewest + whole(5, generator), whole(2**31 - 1, generator)
        places = torch.triu_indices(tokens, tokens, offset=apart).T  # (places, 2)
        order = torch.randperm(len(places), generator=generator)
        leaks = {(i, j): weight for (i, j), weight in zip(places[order].tolist(), weights, strict=False)}
        x = torch.randn(tokens, d_in, generator=generator).clamp(-1, 1)
        return {"attention": leaking(seed, tokens, leaks), "x": x}

    return redraw


# Nothing leaks; output 0 depends on no token at all, and token 2 reaches no output.
TIGHT = lower(53, 4)
TIGHT[0], TIGHT[:, 2] = 0.0, 0.0
WITH_EMPTY_TOKEN = drawn(51, 5, 2)
WITH_EMPTY_TOKEN[3] = 0.0

LEAK_DETECTOR = Task(
    id="leak-detector",
    title="Which future token leaks?",
    name="future_leaks",
    kind="function",
    signature="future_leaks(attention, x)",
    axes=("tokens as query", "tokens as key"),
    dtypes=("bool",),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        Probe(
            "plain",
            "the self-attention of lesson 02",
            {"attention": Made("SelfAttention_v2", {"d_in": 3, "d_out": 2}), "x": SENTENCE},
        ),
        Probe(
            "two-leaks",
            "an attention in which output 0 sees token 2, and output 1 token 3",
            {"attention": leaking(52, 4, {(0, 2): 0.8, (1, 3): 0.5}), "x": drawn(61, 4, 5)},
            redraw=other_leaks(5, 5, (0.8, 0.5)),
        ),
        Probe(
            "none",
            "an attention that leaks nothing",
            {"attention": Specimen("mixing", {"weights": TIGHT}), "x": drawn(62, 4, 3)},
        ),
        Probe(
            "far",
            "an attention in which output 0 sees the last token only",
            {"attention": leaking(54, 7, {(0, 6): -0.4}), "x": drawn(63, 7, 2)},
            redraw=other_leaks(8, 2, (-0.4,), apart=4),
        ),
        Probe(
            "small",
            "an attention with leaks of a thousandth, one of them negative",
            {
                "attention": leaking(55, 5, {(0, 1): 1e-3, (2, 4): -1e-3, (1, 2): 0.3}),
                "x": drawn(64, 5, 3).clamp(-1, 1),
            },
            redraw=other_leaks(6, 3, (1e-3, -1e-3, 0.3)),
        ),
        Probe(
            "rounding",
            "an attention whose future moves the last digits only",
            {
                "attention": leaking(56, 4, {(0, 1): 3e-7, (0, 3): 3e-7, (1, 2): 4e-7, (2, 3): 0.6}),
                "x": drawn(65, 4, 2).clamp(-1, 1),
            },
            redraw=other_leaks(5, 2, (3e-7, 3e-7, 4e-7, 0.6)),
        ),
        Probe(
            "empty-token",
            "a sentence in which one token is all zeros",
            {"attention": leaking(57, 5, {(1, 3): 0.9, (0, 4): 0.7}), "x": WITH_EMPTY_TOKEN},
        ),
        Probe(
            "opposite-columns",
            "an attention whose columns move in opposite directions",
            {
                "attention": leaking(
                    58, 4, {(0, 3): 0.6, (2, 3): 0.4}, torch.tensor([[1.0, -1.0], [0.5, -0.5]])
                ),
                "x": drawn(66, 4, 2),
            },
        ),
        Probe(
            "last-column",
            "an attention of which only the last column moves",
            {
                "attention": leaking(59, 4, {(0, 1): 0.7, (1, 2): 0.3}, torch.tensor([[0.0, 0.0, 1.0]] * 2)),
                "x": drawn(67, 4, 2),
            },
        ),
        Probe(
            "equal-tokens",
            "a sentence with a token of ones and two that are equal",
            {
                "attention": leaking(60, 5, {(0, 1): 0.5, (1, 3): 0.8, (2, 4): 0.6}),
                "x": torch.tensor(
                    [[0.2, -0.4, 0.9], [1.0, 1.0, 1.0], [0.6, 0.1, -0.3], [0.5, 0.8, 0.4], [0.5, 0.8, 0.4]]
                ),
            },
        ),
        Probe(
            "wider",
            "the self-attention of lesson 02, on four tokens of five dimensions",
            {"attention": Made("SelfAttention_v2", {"d_in": 5, "d_out": 3}), "x": drawn(68, 4, 5)},
        ),
    ),
    checks=(
        Check("plain attention, and leaks in two places", 1, ("plain", "two-leaks", "wider")),
        Check("no leaks, and a single one far away", 1, ("none", "far")),
        Check(
            "small leaks, rounding, all columns, any token",
            1,
            ("small", "rounding", "empty-token", "opposite-columns", "last-column", "equal-tokens"),
        ),
    ),
    learned="Whether an attention is causal can be seen from outside: change one token and see which earlier outputs move.",
    demands={
        "a square matrix of booleans": "not-boolean",
        "where j > i": "itself-counts-as-leak",
        "output i changes when token j alone is changed": "all-later-at-once",
        "Everything else is False": "past-counts-as-leak",
        "Change a copy, not the caller's x": "edits-its-argument",
        "start from a new copy for each token": "copy-made-once",
        "Count as a change what is larger than 1e-5": "threshold-too-coarse",
        "in either direction": "sign-kept",
    },
    hints=(
        "A loop over `j`: copy `x`, change row `j` of the copy, compute the outputs again, and compare with those from "
        "before, row by row.",
        "`(attention(changed) - before).abs().amax(dim=-1) > 1e-5` says which outputs have moved. Only rows before `j` "
        "count.",
        "`leaks = torch.zeros(n, n, dtype=torch.bool)`; in the loop `changed = x.clone()`, `changed[j] += 1.0`, and "
        "`leaks[:j, j] = ...`, the comparison cut to its first `j` rows.",
    ),
    wrong=wrongs("""
        past-counts-as-leak: [:j, j] = distance[:j] → [:, j] = distance
        itself-counts-as-leak: [:j, j] = distance[:j] → [: j + 1, j] = distance[: j + 1]
        past-for-future: [:j, j] = distance[:j] → [j + 1 :, j] = distance[j + 1 :]
        transposed-result: return leaks → return leaks.T
        next-token-only: [:j, j] = distance[:j] → [max(j - 1, 0) : j, j] = distance[max(j - 1, 0) : j]
        last-token-only: range(num_tokens) → [num_tokens - 1]
        threshold-too-coarse: 1e-5 → 1e-2
        compared-exactly: > 1e-5 → > 0
        sign-kept: .abs() →
        sign-kept: (attention(changed) - before).abs() → (before - attention(changed))
        change-may-do-nothing: += 1.0 → *= 0.0
        change-may-do-nothing: += 1.0 → = 1.0
        change-may-do-nothing: += 1.0 → = x[j - 1]
        columns-cancel: .abs().amax(dim=-1) → .sum(dim=-1).abs()
        first-column-only: .amax(dim=-1) → [:, 0]
        loop-stops-early: range(num_tokens) → range(num_tokens - 1)
            hint: The last token is never changed. `range(num_tokens)` already stops before `num_tokens`: no `-
                1` is needed.
        copy-made-once: `        changed = x.clone()↵` →
            `    for j` → `    changed = x.clone()↵    for j`
        all-later-at-once: changed[j] += → changed[j + 1 :] +=
            [:j, j] = distance[:j] > → [j, j + 1 :] = distance[j] >
        from-here-on: changed[j] += → changed[j:] +=
        any-output-counts: distance[:j] > 1e-5 → (distance > 1e-5).any()
        nothing-measured: = torch.ones(len(x), len(x)).triu(1).bool()
        nothing-found: attention(changed) → attention(x)
        edits-its-argument: x.clone() → x
            hint: `changed = x` makes no copy: the caller's own `x` changes, more with each round. Use
                `x.clone()`.
        edits-its-argument: return leaks → x += 1.0↵return leaks
        reads-the-notebook: num_tokens = → x = inputs.clone()↵num_tokens =
        sizes-typed-in: torch.zeros(num_tokens, num_tokens → torch.zeros(6, 6
        not-boolean: , dtype=torch.bool →
        """),
    right=rights("""
        pair-by-pair: body
            found = torch.zeros(len(x), len(x), dtype=torch.bool)
            for i in range(len(x)):
                for j in range(i + 1, len(x)):
                    changed = x.clone()
                    changed[j] = -changed[j] - 1.0
                    found[i, j] = not torch.allclose(attention(changed)[i], attention(x)[i], rtol=0, atol=1e-5)
            return found
        jacobian: body
            jacobian = torch.autograd.functional.jacobian(attention, x)  # (tokens, d_out, tokens, d_in)
            return (jacobian.abs().amax(dim=(1, 3)) > 1e-5).triu(diagonal=1)
        stacked-columns: body
            before = attention(x)
            columns = []
            for j in range(len(x)):
                rows = [row + 1 if k == j else row for k, row in enumerate(x)]
                columns.append(((attention(torch.stack(rows)) - before).abs() > 1e-5).any(dim=-1))
            return torch.stack(columns, dim=1) & torch.ones(len(x), len(x)).triu(1).bool()
        random-token: += 1.0 → += torch.rand_like(x[j]) + 0.5
        isclose: (attention(changed) - before).abs().amax(dim=-1) → attention(changed)
            distance[:j] > 1e-5 → ~torch.isclose(distance, before, 0, 1e-5).all(-1)[:j]
        whole-matrix-then-triu: [:j, j] = distance[:j] → [:, j] = distance
            return leaks → return leaks.triu(diagonal=1)
        """),
)

# ---------------------------------------------------------------- causal attention, whole

OTHER_SIX = {"queries": 2 * drawn(71, 6, 2), "keys": drawn(72, 6, 2), "values": drawn(73, 6, 2)}
FIVE = {"queries": drawn(74, 5, 4), "keys": drawn(75, 5, 4), "values": drawn(76, 5, 3)}
ALONE = {"queries": drawn(77, 1, 3), "keys": drawn(78, 1, 3), "values": drawn(79, 1, 2)}
# Six tokens, so that only the second check shows a mask of one size; and no scale shows.
# Queries at right angles to all keys: each score is exactly 0.
RIGHT_ANGLES = {
    "queries": drawn(84, 6, 3) * torch.tensor([1.0, 0, 0]),
    "keys": drawn(85, 6, 3) * torch.tensor([0, 1.0, 1.0]),
    "values": drawn(80, 6, 5),
}
# Each score is −144: a mask that fills in −100 leaves the future most of the weight.
POINTING_AWAY = {"queries": torch.full((6, 3), 6.0), "keys": torch.full((6, 3), -8.0)}
# Each score is below −20,000, and later tokens have far higher ones: whatever does not hide them all gives them
# everything, and what is left of a softmax over all of them is 0.
RISING = {
    "queries": torch.full((6, 2), 300.0) * torch.tensor([1.0, 0.0]),
    "keys": torch.stack((torch.arange(6.0) - 150, torch.ones(6)), dim=1),
}
ALIKE = {"queries": 0.3 * drawn(86, 6, 4), "keys": 0.3 * drawn(87, 6, 4), "values": drawn(88, 6, 3)}

# All scores are one large number, so that only a softmax which overflows goes wrong.
NINES = {"queries": torch.full((6, 2), 9.0), "keys": torch.full((6, 2), 9.0)}


CAUSAL_ATTENTION = Task(
    id="causal-attention-by-hand",
    title="Causal attention",
    name="causal_attention",
    kind="function",
    signature="causal_attention(queries, keys, values)",
    axes=("tokens", "d_v"),
    input_axes={"queries": ("tokens", "d_k"), "keys": ("tokens", "d_k"), "values": ("tokens", "d_v")},
    needs=("causal-mask",),
    probes=(
        Probe("sentence", "the sentence", OF_SENTENCE),
        Probe("other-six", "six other tokens", OTHER_SIX),
        Probe("five", "five tokens with keys of four and values of three dimensions", FIVE),
        Probe("alone", "a single token", ALONE),
        Probe("right-angles", "queries at right angles to all keys: scores of 0", RIGHT_ANGLES),
        Probe(
            "low",
            "queries and keys that point away from each other",
            {**POINTING_AWAY, "values": drawn(83, 6, 2)},
            redraw=lambda generator: POINTING_AWAY,
        ),
        Probe(
            "rising",
            "scores far below −20,000, later ones higher",
            {**RISING, "values": drawn(94, 6, 3)},
            redraw=lambda generator: RISING,
        ),
        Probe(
            "large",
            "queries and keys of large numbers",
            {**NINES, "values": drawn(93, 6, 2)},
            redraw=lambda generator: NINES,
        ),
        Probe(
            "influence-of-values",
            "six tokens whose values are changed one by one",
            ALIKE,
            observe="influence",
            settings={"input": "values", "axis": 0},
        ),
        Probe(
            "influence-of-keys",
            "six tokens whose queries and keys are changed one by one",
            ALIKE,
            observe="influence",
            settings={"input": ["queries", "keys"], "axis": 0},
        ),
    ),
    checks=(
        Check("six tokens", 1, ("sentence", "other-six")),
        Check("any number of tokens, values of another size", 1, ("five", "alone")),
        Check(
            "nothing from the future, whatever the scores",
            1,
            ("right-angles", "low", "rising", "large", "influence-of-values", "influence-of-keys"),
        ),
    ),
    words={"x": "queries", "swap": "keys.T"},
    learned="Scores, scale, softmax, values, and the future hidden: output i depends on tokens 0 to i and on nothing after. "
    "This is the core of every model that writes.",
    demands={
        "of any length": "sizes-typed-in",
        "Values can have another size than keys": "scaled-by-value-width",
        "Use only the arguments": "reads-the-notebook",
        "do not change them": "edits-its-argument",
        "Large scores must work": "exp-overflows",
        "no token looks at a later one": "no-mask",
    },
    hints=(
        "It is task 5 with `queries @ keys.T` before it and `@ values` after it.",
        "`scores.masked_fill(causal_mask(len(queries)), -torch.inf)`, then divide by `keys.shape[-1] ** 0.5`.",
        "`weights = torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1)`, and `return weights @ values`.",
    ),
    wrong=wrongs("""
        exp-overflows: torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1) → torch.exp(masked / keys.shape[-1] ** 0.5)↵weights = weights / weights.sum(dim=-1, keepdim=True)
        no-mask: softmax(masked → softmax(scores
        no-scale: / keys.shape[-1] ** 0.5 →
        scaled-without-root: ** 0.5 →
        scaled-up: / keys → * keys
        scaled-by-value-width: keys.shape[-1] → values.shape[-1]
        scale-typed-in: keys.shape[-1] ** 0.5 → d_k**0.5
        scaled-by-tokens: shape[-1] → shape[0]
        scaled-after-softmax: / keys.shape[-1] ** 0.5 →
            weights @ → weights / keys.shape[-1] ** 0.5 @
        scores-turned: queries @ keys.T → keys @ queries.T
        keys-reshaped: keys.T → keys.reshape(keys.shape[1], keys.shape[0])
        keys-as-queries: queries @ keys → keys @ keys
            hint: Let queries meet keys.
        queries-as-keys: keys.T → queries.T
            hint: Let queries meet keys.
        softmax-over-queries: dim=-1 → dim=0
        softmax-twice: weights @ → torch.softmax(weights, dim=-1) @
        mask-fills-zero: -torch.inf → 0.0
        mask-fills-small: -torch.inf → -10.0
        mask-fills-small: -torch.inf → -100.0
        mask-fills-small: -torch.inf → -1e4
        mask-fills-infinity: -torch.inf → torch.inf
        renormalised-underflow: = renormalised_weights(queries @ keys.T, keys.shape[-1]) @ values
        mask-after-softmax: scores.masked_fill(causal_mask(len(queries)), -torch.inf) → scores
            weights @ → weights * ~causal_mask(len(queries)) @
        infinity-in-weights: scores.masked_fill(causal_mask(len(queries)), -torch.inf) → scores
            weights @ → weights.masked_fill(causal_mask(len(keys)), -torch.inf) @
        mask-added: scores.masked_fill(causal_mask(len(queries)), -torch.inf) → scores + causal_mask(len(queries)).float()
        mask-added: scores.masked_fill(causal_mask(len(queries)), -torch.inf) → scores - causal_mask(len(queries)).float()
        past-hidden: causal_mask(len(queries)) → causal_mask(len(queries)).T
        mask-polarity: causal_mask( → ~causal_mask(
        mask-polarity: = nn.functional.scaled_dot_product_attention(queries, keys, values, causal_mask(len(queries)))
        diagonal-hidden: causal_mask(len(queries)) → torch.ones_like(scores).triu().bool()
        diagonal-hidden: causal_mask(len(queries)) → torch.ones_like(scores).triu().bool()
            weights @ → weights.nan_to_num(0.0) @
        diagonal-too-far: causal_mask(len(queries)) → causal_mask(len(queries)).triu(2)
        zero-times-infinity: scores.masked_fill(causal_mask(len(queries)), -torch.inf) → scores + causal_mask(len(queries)) * -torch.inf
        mask-from-values: causal_mask(len(queries)) → torch.triu(scores, diagonal=1) != 0
        mask-from-values: causal_mask(len(queries)) → torch.tril(scores) == 0
        shares-of-raw-scores: scores.masked_fill(causal_mask(len(queries)), -torch.inf) → scores.tril()
            torch.softmax(masked / keys.shape[-1] ** 0.5 → masked / masked.sum(
            , dim=-1) → dim=-1, keepdim=True)
        no-softmax: torch.softmax( → (
            , dim=-1) → )
        no-softmax: -torch.inf → 0.0
            torch.softmax( → (
            , dim=-1) → )
        keys-as-values: @ values → @ keys
            hint: Multiply the weights by the values.
        queries-as-values: @ values → @ queries
            hint: Multiply the weights by the values.
        weights-on-the-right: weights @ → weights.T @
        own-value-only: = values
        residual-added: @ values → @ values + values
        scores-returned: weights @ values → scores
        weights-returned: weights @ values → weights
        reads-the-notebook: (queries, keys, values) → (q, k, v)
            queries @ keys.T → attn_scores
        sizes-typed-in: len(queries) → 6
        edits-its-argument: / keys.shape[-1] ** 0.5 →
            queries @ → queries.div_(keys.shape[-1] ** 0.5) @
        """),
    right=rights("""
        einsum: queries @ keys.T → torch.einsum("qd,kd->qk", queries, keys)
            weights @ values → torch.einsum("qk,kd->qd", weights, values)
        row-by-row: body
            rows = []
            for i, query in enumerate(queries):
                weights = torch.softmax(keys[: i + 1] @ query / len(query) ** 0.5, dim=0)
                rows.append(weights @ values[: i + 1])
            return torch.stack(rows)
        very-low-number: -torch.inf → -1e9
        queries-scaled-first: queries @ keys.T → queries / keys.shape[-1] ** 0.5 @ keys.T
            masked / keys.shape[-1] ** 0.5 → masked
        double: queries @ keys.T → queries.double() @ keys.double().T
            @ values → @ values.double()
        """),
    forbids=Forbid(
        ("scaled_dot_product_attention",),
        points=2,
        caught=rights("""
            ready-made: = nn.functional.scaled_dot_product_attention(queries[None], keys[None], values[None], is_causal=True)[0]
            """),
    ),
)

LESSON = Lesson(
    title="03 · Hiding the future: causal attention",
    given_axes={"inputs": ("tokens", "d_in")},
    redraw=redraw,
    tasks=(
        CAUSAL_MASK,
        MASK_AFTER_SOFTMAX,
        RENORMALISE,
        BUG_RAW_SCORES,
        MASK_BEFORE_SOFTMAX,
        BUG_MASK_FROM_VALUES,
        LEAK_DETECTOR,
        CAUSAL_ATTENTION,
    ),
)
