"""The tasks of lesson 03: their probes, the wrong answers people give, and the hint each deserves."""

import torch

from autograder.authoring import Check, Lesson, Made, Probe, Property, Right, Specimen, Task, Wrong

INF = torch.inf

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
SUMS_TO_ONE = Property("sums-to-one", {"axis": -1})
NOT_NEGATIVE = Property("not-negative")
CAUSAL = Property("causal")


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


def future(like):
    """The right mask, as large as a matrix of scores."""
    return torch.triu(torch.ones(like.shape), diagonal=1).bool()


def past(like):
    return torch.tril(torch.ones(like.shape))


def softmax(scores, d_k):
    return torch.softmax(scores / d_k**0.5, dim=-1)


# ---------------------------------------------------------------- the mask


def ones(n):
    return torch.ones(n, n)


def mask_with_loops(num_tokens):
    mask = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
    for i in range(num_tokens):
        mask[i, i + 1 :] = True
    return mask


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
    ),
    checks=(
        Check("three and four tokens", 1, ("three", "four")),
        Check("any number of tokens, one included", 1, ("six", "one")),
    ),
    learned="Row i is True from column i + 1 on: query i may look at itself and at what came before, at nothing else.",
    hints=(
        "Which triangle has to be True: the one above the diagonal, or the one below? And the diagonal itself?",
        "`torch.triu(torch.ones(num_tokens, num_tokens))` keeps the diagonal. `diagonal=1` moves the edge one step on.",
        "`return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()`",
    ),
    wrong=(
        Wrong(
            "past-hidden",
            lambda num_tokens: torch.tril(ones(num_tokens), diagonal=-1).bool(),
            "This mask hides the past: it is True below the diagonal. Rows are queries, so the future lies to the right, "
            "above the diagonal: `torch.triu`, not `torch.tril`, and no `.T`.",
        ),
        Wrong(
            "diagonal-hidden",
            lambda num_tokens: torch.triu(ones(num_tokens)).bool(),
            "The diagonal is True too, so a token may not look at itself, and the first one at nothing at all: its row "
            "would become nan. `torch.triu` keeps the diagonal unless you give it `diagonal=1`.",
        ),
        Wrong(
            "true-where-allowed",
            lambda num_tokens: torch.tril(ones(num_tokens)).bool(),
            "This is True where a query *may* look. Here True means hidden, as `masked_fill` wants it. Turn it round: "
            "`~mask`, or the other triangle.",
        ),
        Wrong(
            "next-token-open",
            lambda num_tokens: torch.triu(ones(num_tokens), diagonal=2).bool(),
            "The token right after each query is open: the edge lies one step too far to the right. That is the very "
            "word a model has to guess. Use `diagonal=1`.",
        ),
        Wrong(
            "only-next-token",
            lambda num_tokens: torch.diag(torch.ones(num_tokens - 1), diagonal=1).bool(),
            "Only the very next token is hidden. All later ones have to be hidden as well.",
        ),
        Wrong(
            "everything-but-itself",
            lambda num_tokens: ~torch.eye(num_tokens).bool(),
            "Everything but the token itself is hidden, the past included. Hide only what comes after.",
        ),
        Wrong(
            "nothing-hidden",
            lambda num_tokens: torch.zeros(num_tokens, num_tokens).bool(),
            "No entry is True, so nothing is hidden.",
        ),
        Wrong(
            "minus-infinity",
            lambda num_tokens: torch.triu(torch.full((num_tokens, num_tokens), -INF), diagonal=1),
            "This is a mask to be added to scores, with −∞ in it. The task asks for booleans: `.bool()` on ones and zeros.",
        ),
        Wrong(
            "zero-times-infinity",
            lambda num_tokens: torch.triu(ones(num_tokens), diagonal=1) * -INF,
            "There is nan in it: 0 times −∞ is nan. No −∞ is needed here, only True and False.",
        ),
        Wrong(
            "six-tokens-only",
            lambda num_tokens: torch.triu(ones(6), diagonal=1).bool(),
            "This is always 6 × 6. Take the size from the argument `num_tokens`.",
        ),
        Wrong(
            "one-row",
            lambda num_tokens: torch.arange(num_tokens) > 0,
            "This is one row. Every query has a row of its own: compare `torch.arange(n)` as a row with the same as a "
            "column, or use `torch.triu`.",
        ),
    ),
    right=(
        Right("not-tril", lambda num_tokens: ~torch.tril(ones(num_tokens)).bool()),
        Right(
            "triu-of-bool",
            lambda num_tokens: torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal=1),
        ),
        Right(
            "positions",
            lambda num_tokens: torch.arange(num_tokens)[None, :] > torch.arange(num_tokens)[:, None],
        ),
        Right("loops", mask_with_loops),
        Right("compared", lambda num_tokens: torch.triu(ones(num_tokens), diagonal=1) == 1),
    ),
)

# ---------------------------------------------------------------- first way: mask after the softmax

MASK_AFTER_SOFTMAX = Task(
    id="mask-after-softmax",
    title="Set the future to zero",
    name="masked_simple",
    kind="tensor",
    signature="masked_simple",
    axes=("tokens as query", "tokens as key"),
    properties=(CAUSAL, NOT_NEGATIVE),
    keeps=("attn_weights", "attn_scores"),
    checks=(Check("weights above the diagonal set to 0", 1),),
    learned="Multiplying by a lower triangle of ones wipes out the future. The rows no longer add up to 1, though.",
    hints=(
        "Which matrix of ones and zeros, multiplied entry by entry, leaves the past and wipes out the future?",
        "It is the lower triangle shown in section 2: `torch.tril(torch.ones(context_length, context_length))`.",
        "`masked_simple = attn_weights * torch.tril(torch.ones(context_length, context_length))`",
    ),
    wrong=(
        Wrong(
            "past-zeroed",
            lambda attn_weights: torch.triu(attn_weights),
            "Here the past is 0 and the future is left. Keep the lower triangle: `torch.tril`.",
        ),
        Wrong(
            "diagonal-zeroed",
            lambda attn_weights: torch.tril(attn_weights, diagonal=-1),
            "The diagonal is 0 too, so no token looks at itself, and row 0 is empty. Keep the diagonal.",
        ),
        Wrong(
            "mask-the-wrong-way-round",
            lambda attn_weights: torch.triu(attn_weights, diagonal=1),
            "Only the future is left: the weights were multiplied by the mask of what is *hidden*. Multiply by the "
            "opposite, `~causal_mask(...)`, or fill where the mask is True.",
        ),
        Wrong(
            "next-token-left",
            lambda attn_weights: torch.tril(attn_weights, diagonal=1),
            "The token right after each query still has a weight: the edge lies one step too far to the right.",
        ),
        Wrong(
            "nothing-masked",
            lambda attn_weights: attn_weights,
            "These are the weights as they were. `masked_fill` returns its result: give it a name.",
        ),
        Wrong(
            "filled-with-minus-infinity",
            lambda attn_weights: attn_weights.masked_fill(future(attn_weights), -INF),
            "Above the diagonal stands −∞. That belongs into scores, before a softmax. A weight that is to count for "
            "nothing is 0.",
        ),
        Wrong(
            "raw-scores-masked",
            lambda attn_scores: torch.tril(attn_scores),
            "The raw scores were masked. Mask the weights: `attn_weights`, what came out of the softmax.",
        ),
        Wrong(
            "divided-again-already",
            lambda attn_weights: torch.tril(attn_weights) / torch.tril(attn_weights).sum(-1, keepdim=True),
            "The rows add up to 1 again: that is the next task. Here only set the future to 0.",
        ),
        Wrong(
            "mask-multiplied-as-matrix",
            lambda attn_weights: attn_weights @ past(attn_weights),
            "`@` is the matrix product. To set single entries to 0, multiply entry by entry with `*`.",
        ),
        Wrong(
            "mask-alone",
            lambda attn_weights: past(attn_weights),
            "This is the triangle of ones itself. Multiply the weights with it.",
        ),
    ),
    right=(
        Right("tril", lambda attn_weights: torch.tril(attn_weights)),
        Right("masked-fill", lambda attn_weights: attn_weights.masked_fill(future(attn_weights), 0.0)),
        Right("not-the-mask", lambda attn_weights, causal_mask: attn_weights * ~causal_mask(6)),
        Right("where", lambda attn_weights: torch.where(future(attn_weights), 0.0, attn_weights)),
        Right("double", lambda attn_weights: attn_weights.double().tril()),
    ),
)

RENORMALISE = Task(
    id="renormalise",
    title="Make the rows add up to 1 again",
    name="masked_simple_norm",
    kind="tensor",
    signature="masked_simple_norm",
    axes=("tokens as query", "tokens as key"),
    properties=(CAUSAL, NOT_NEGATIVE, SUMS_TO_ONE),
    needs=("mask-after-softmax",),
    checks=(Check("each row divided by its own sum", 1),),
    learned="Each query's visible weights share out the whole attention again, in the same proportions as before.",
    hints=(
        "What do you divide a row by so that it adds up to 1?",
        "`masked_simple.sum(dim=-1)` has the row sums. `keepdim=True` keeps them as a column, so that each one divides "
        "its own row.",
        "`masked_simple_norm = masked_simple / masked_simple.sum(dim=-1, keepdim=True)`",
    ),
    wrong=(
        Wrong(
            "sums-without-keepdim",
            lambda masked_simple: masked_simple / masked_simple.sum(dim=-1),
            "Each *column* was divided by a row's sum: without `keepdim=True` the sums lose their axis and are laid "
            "along the row. Write `sum(dim=-1, keepdim=True)`.",
        ),
        Wrong(
            "columns",
            lambda masked_simple: masked_simple / masked_simple.sum(dim=0, keepdim=True),
            "Here each column adds up to 1. A query's weights stand in a row: sum over `dim=-1`.",
        ),
        Wrong(
            "softmax-again",
            lambda masked_simple: torch.softmax(masked_simple, dim=-1),
            "A second softmax gives every 0 a weight again, because e⁰ is 1. Divide by the row sums instead.",
        ),
        Wrong(
            "softmax-again-then-masked",
            lambda masked_simple: torch.tril(torch.softmax(masked_simple, dim=-1)),
            "The rows went through a second softmax and were masked once more. One softmax is enough: divide each row "
            "by its sum.",
        ),
        Wrong(
            "total-sum",
            lambda masked_simple: masked_simple / masked_simple.sum(),
            "All entries together add up to 1. Each row has to, on its own: `sum(dim=-1, keepdim=True)`.",
        ),
        Wrong(
            "not-divided",
            lambda masked_simple: masked_simple,
            "The rows do not add up to 1 yet. Divide each by its sum.",
        ),
        Wrong(
            "divided-by-count",
            lambda masked_simple: masked_simple / past(masked_simple).sum(dim=-1, keepdim=True),
            "Each row was divided by how many tokens it may see. Divide by the sum of its weights.",
        ),
        Wrong(
            "divided-by-largest",
            lambda masked_simple: masked_simple / masked_simple.amax(dim=-1, keepdim=True),
            "The largest weight of each row is 1. Divide by the row's sum.",
        ),
        Wrong(
            "raw-scores",
            lambda attn_scores: torch.tril(attn_scores) / torch.tril(attn_scores).sum(-1, keepdim=True),
            "These are raw scores, masked and divided by their sums: they never went through a softmax. Start from "
            "`masked_simple`.",
        ),
        Wrong(
            "multiplied",
            lambda masked_simple: masked_simple * masked_simple.sum(dim=-1, keepdim=True),
            "The row sums were multiplied in. Divide by them.",
        ),
        Wrong(
            "remainder-to-itself",
            lambda masked_simple: masked_simple + torch.diag(1 - masked_simple.sum(dim=-1)),
            "What was missing went to the diagonal. The rows add up to 1, but each visible token should grow in the same "
            "proportion: divide.",
        ),
    ),
    right=(
        Right("unsqueeze", lambda masked_simple: masked_simple / masked_simple.sum(dim=1)[:, None]),
        Right("normalize", lambda masked_simple: torch.nn.functional.normalize(masked_simple, p=1, dim=-1)),
        Right("row-by-row", lambda masked_simple: torch.stack([row / row.sum() for row in masked_simple])),
        Right(
            "einsum", lambda masked_simple: torch.einsum("qk,q->qk", masked_simple, 1 / masked_simple.sum(1))
        ),
        Right("turned-twice", lambda masked_simple: (masked_simple.T / masked_simple.sum(dim=-1)).T),
    ),
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


def shares_of_raw_scores(scores, d_k):
    masked = scores * past(scores)
    return masked / masked.sum(dim=-1, keepdim=True)


def renormalised(scores, d_k):
    masked = softmax(scores, d_k) * past(scores)
    return masked / masked.sum(dim=-1, keepdim=True)


def masked_first(scores, d_k):
    return softmax(scores.masked_fill(future(scores), -INF), d_k)


def exponentials_of(scores, d_k):
    """Straight from the formula: exponentials, mask, row sums."""
    masked = torch.exp(scores / d_k**0.5) * past(scores)
    return masked / masked.sum(dim=-1, keepdim=True)


def shares_of(masked):
    return masked / masked.sum(dim=-1, keepdim=True)


def masked_in_place(scores, d_k):
    scores.masked_fill_(future(scores), -INF)
    return softmax(scores, d_k)


def row_by_row(scores, d_k):
    rows = []
    for i, row in enumerate(scores):
        visible = torch.softmax(row[: i + 1] / d_k**0.5, dim=0)
        rows.append(torch.cat([visible, torch.zeros(len(row) - i - 1)]))
    return torch.stack(rows)


# What can go wrong with the second way, whatever the task that asks for it: mask, scale, softmax.
def past_masked(scores, d_k):
    return softmax(scores.masked_fill(past(scores).bool() & ~torch.eye(len(scores)).bool(), -INF), d_k)


def diagonal_masked(scores, d_k):
    return softmax(scores.masked_fill(torch.triu(torch.ones(scores.shape)).bool(), -INF), d_k)


def zeros_for_infinity(scores, d_k):
    return softmax(scores * past(scores), d_k)


def ones_added(scores, d_k):
    return softmax(scores + torch.triu(torch.ones(scores.shape), diagonal=1), d_k)


def zero_times_infinity(scores, d_k):
    return softmax(scores + torch.triu(torch.ones(scores.shape), diagonal=1) * -INF, d_k)


def over_queries(scores, d_k):
    return torch.softmax(scores.masked_fill(future(scores), -INF) / d_k**0.5, dim=0)


def one_step_too_far(scores, d_k):
    return softmax(scores.masked_fill(torch.triu(torch.ones(scores.shape), diagonal=2).bool(), -INF), d_k)


BUG_RAW_SCORES = Task(
    id="bug-raw-scores",
    title="Find the bug: shares of raw scores",
    name="renormalised_weights",
    kind="function",
    signature="renormalised_weights(scores, d_k)",
    axes=("tokens as query", "tokens as key"),
    input_axes={"scores": ("tokens as query", "tokens as key")},
    properties=(CAUSAL, NOT_NEGATIVE, SUMS_TO_ONE),
    probes=(
        Probe("sentence", "the scores of the sentence", {"scores": SENTENCE_SCORES, "d_k": 2}),
        Probe("mixed", "the mixed scores of section 4", {"scores": MIXED_SCORES, "d_k": 2}),
        Probe("five", "five tokens with keys of three dimensions", {"scores": FIVE_SCORES, "d_k": 3}),
        Probe("negative", "scores that are all negative", {"scores": NEGATIVE_SCORES, "d_k": 5}),
        Probe("zero-sum", "rows of scores that add up to 0", {"scores": ZERO_SUM_SCORES, "d_k": 4}),
        Probe("large", "scores near 150", {"scores": LARGE_SCORES, "d_k": 2}),
    ),
    checks=(
        Check("the scores of the sentence, and others", 1, ("sentence", "five")),
        Check(
            "negative scores, rows that add up to 0, large scores",
            1,
            ("mixed", "negative", "zero-sum", "large"),
        ),
    ),
    learned="Shares are made of exponentials, not of scores. After a softmax, masking and dividing by the row sum is safe: "
    "every weight is positive.",
    hints=(
        "What does a row of `masked` look like when a score is negative? And what has to happen to scores before they "
        "can be shares?",
        "The softmax is missing, and with it the √d_k: make `weights` from `scores` first, then mask those.",
        "`weights = torch.softmax(scores / d_k**0.5, dim=-1)`, then `masked = weights * torch.tril(...)`.",
    ),
    wrong=(
        Wrong(
            "raw-scores",
            shares_of_raw_scores,
            "This is the code as it was given, or it does the same: scores divided by the sum of their row. With a negative "
            "score the weights are negative or above 1, and no scaling changes that, because it cancels. Scores become "
            "shares by a softmax.",
        ),
        Wrong(
            "absolute-scores",
            lambda scores, d_k: shares_of(scores.abs() * past(scores)),
            "The minus signs were taken away. Now no weight is negative, but the *lowest* score can weigh most. Softmax "
            "keeps the order.",
        ),
        Wrong(
            "clamped-scores",
            lambda scores, d_k: shares_of(scores.clamp(min=0) * past(scores)),
            "Negative scores were cut off at 0. They lose all weight, and where nothing is left 0/0 is nan. That hides "
            "the symptom; a softmax removes the cause.",
        ),
        Wrong(
            "shifted-scores",
            lambda scores, d_k: shares_of((scores - scores.min() + 1e-6) * past(scores)),
            "The scores were moved up until none was negative. Then the weights depend on the lowest score anywhere, the "
            "future included. Softmax does not mind where 0 lies.",
        ),
        Wrong(
            "nan-replaced",
            lambda scores, d_k: shares_of_raw_scores(scores, d_k).nan_to_num(0.0, 0.0, 0.0).clamp(0, 1),
            "The odd weights were cut off or replaced. The rows then no longer add up to 1. Mend the cause: there is no "
            "softmax.",
        ),
        Wrong(
            "softmax-of-shares",
            lambda scores, d_k: torch.softmax(shares_of_raw_scores(scores, d_k), dim=-1),
            "The softmax comes last here, and gives every hidden 0 a weight again, because e⁰ is 1. It belongs before "
            "the mask.",
        ),
        Wrong(
            "softmax-of-zeroed-scores",
            zeros_for_infinity,
            "The future's scores were set to 0 and then went through the softmax. e⁰ is 1: they still have weight. Take "
            "the softmax first, then mask.",
        ),
        Wrong(
            "not-divided-again",
            lambda scores, d_k: softmax(scores, d_k) * past(scores),
            "The softmax is right, and the mask as well. Now divide each row by its sum: the rows do not add up to 1.",
        ),
        Wrong(
            "no-mask",
            softmax,
            "The softmax is right. The mask is gone, though: above the diagonal stand weights.",
        ),
        Wrong(
            "no-scale",
            lambda scores, d_k: renormalised(scores, 1),
            "The scores are not divided by √d_k before the softmax.",
        ),
        Wrong(
            "scaled-by-d-k",
            lambda scores, d_k: renormalised(scores / d_k**0.5, d_k),
            "The scores were divided by d_k. Divide by its square root: `d_k**0.5`.",
        ),
        Wrong(
            "multiplied-by-root",
            lambda scores, d_k: renormalised(scores * d_k, d_k),
            "The scores were multiplied by √d_k. Divide by it.",
        ),
        Wrong(
            "softmax-over-queries",
            lambda scores, d_k: shares_of(torch.softmax(scores / d_k**0.5, dim=0) * past(scores)),
            "The softmax ran over dim=0, down the columns. Dividing by the row sums afterwards hides that, and does not "
            "mend it. Use dim=-1.",
        ),
        Wrong(
            "columns-divided",
            lambda scores, d_k: (
                softmax(scores, d_k)
                * past(scores)
                / (softmax(scores, d_k) * past(scores)).sum(dim=0, keepdim=True)
            ),
            "Each column adds up to 1. A query's weights stand in a row: `sum(dim=-1, keepdim=True)`.",
        ),
        Wrong(
            "sums-without-keepdim",
            lambda scores, d_k: (
                softmax(scores, d_k) * past(scores) / (softmax(scores, d_k) * past(scores)).sum(-1)
            ),
            "Without `keepdim=True` the row sums are laid along the row, and each column is divided by a row's sum.",
        ),
        Wrong(
            "past-masked",
            lambda scores, d_k: shares_of(torch.triu(softmax(scores, d_k))),
            "The past is hidden and the future is left: `torch.tril` keeps the past.",
        ),
        Wrong(
            "diagonal-masked",
            lambda scores, d_k: shares_of(torch.tril(softmax(scores, d_k), diagonal=-1)),
            "The diagonal is hidden too. Row 0 has nothing left, and 0/0 is nan.",
        ),
        Wrong(
            "exponentials-overflow",
            exponentials_of,
            "Right for ordinary scores. Near 150, exp() is inf, and inf/inf is nan: `torch.softmax` subtracts the largest "
            "score first.",
        ),
        Wrong(
            "edited-in-place",
            masked_in_place,
            "The weights are right, but the caller's `scores` were changed: `/=`, `[…] =` and methods that end in `_` "
            "write into them. Give what you compute a name of its own.",
        ),
    ),
    right=(
        Right("mask-first", masked_first),
        Right("row-by-row", row_by_row),
        Right("very-low-scores", lambda scores, d_k: softmax(scores.masked_fill(future(scores), -1e9), d_k)),
        Right("tril", lambda scores, d_k: shares_of(torch.softmax(scores / d_k**0.5, dim=1).tril())),
        Right("double", lambda scores, d_k: renormalised(scores.double(), d_k)),
        Right(
            "normalize",
            lambda scores, d_k: torch.nn.functional.normalize(softmax(scores, d_k).tril(), p=1, dim=-1),
        ),
    ),
)

# ---------------------------------------------------------------- second way: mask before the softmax


def on_sentence(weights):
    """A stand-in for the tensor, out of a function of scores and d_k."""
    return lambda attn_scores, d_k: weights(attn_scores, d_k)


MASK_BEFORE_SOFTMAX = Task(
    id="mask-before-softmax",
    title="Mask before the softmax",
    name="causal_attn_weights",
    kind="tensor",
    signature="causal_attn_weights",
    axes=("tokens as query", "tokens as key"),
    properties=(CAUSAL, NOT_NEGATIVE, SUMS_TO_ONE),
    needs=("causal-mask",),
    keeps=("attn_scores", "queries", "keys", "values"),
    checks=(Check("−∞ above the diagonal, scaled, softmax over the keys", 2),),
    learned="e to the power of −∞ is 0: the future never enters the softmax's sum, and nothing has to be divided again.",
    hints=(
        "Three steps, in one line or in three: fill, divide, softmax.",
        "`attn_scores.masked_fill(causal_mask(context_length), -torch.inf)` fills. It returns the result.",
        "Give that a name, say `masked`; then `torch.softmax(masked / d_k**0.5, dim=-1)`.",
    ),
    wrong=(
        Wrong(
            "filled-with-zero",
            on_sentence(zeros_for_infinity),
            "The future's scores were set to 0. e⁰ is 1, so they still get weight. Fill with `-torch.inf`.",
        ),
        Wrong(
            "past-masked",
            on_sentence(past_masked),
            "The past is hidden, and each token sees itself and what comes after: the mask is the wrong triangle.",
        ),
        Wrong(
            "visible-masked",
            on_sentence(lambda scores, d_k: softmax(scores.masked_fill(past(scores).bool(), -INF), d_k)),
            "The mask is the wrong way round: what a query may see was filled with −∞. The last row has nothing left and "
            "becomes nan. `masked_fill` fills where the mask is True.",
        ),
        Wrong(
            "diagonal-masked",
            on_sentence(diagonal_masked),
            "The diagonal is hidden too, so row 0 has nothing left: 0/0, nan. The mask begins one step above the "
            "diagonal, `diagonal=1`.",
        ),
        Wrong(
            "one-step-too-far",
            on_sentence(one_step_too_far),
            "The token right after each query still has a weight: the mask lies one step too far to the right.",
        ),
        Wrong(
            "fill-discarded",
            on_sentence(softmax),
            "These are the plain weights: nothing is hidden. `masked_fill` does not change the tensor it is called on, it "
            "returns a new one. Use what it returns.",
        ),
        Wrong(
            "ones-added",
            on_sentence(ones_added),
            "Ones were added above the diagonal. That gives the future *more* weight. −∞ has to stand there.",
        ),
        Wrong(
            "ones-subtracted",
            on_sentence(
                lambda scores, d_k: softmax(scores - torch.triu(torch.ones(scores.shape), diagonal=1), d_k)
            ),
            "Ones were taken away above the diagonal. That makes the future's weights smaller, not 0. Fill with "
            "`-torch.inf`.",
        ),
        Wrong(
            "zero-times-infinity",
            on_sentence(zero_times_infinity),
            "Everything is nan: 0 times −∞ is nan, and the mask holds zeros. Use `masked_fill`, or "
            "`torch.triu(torch.full(..., -torch.inf), diagonal=1)`.",
        ),
        Wrong(
            "over-queries",
            on_sentence(over_queries),
            "The softmax ran over dim=0: each column adds up to 1. A query's weights stand in a row: dim=-1.",
        ),
        Wrong(
            "no-scale",
            on_sentence(lambda scores, d_k: masked_first(scores, 1)),
            "The scores are not divided by √d_k. The weights come out a little too sharp, which is easy to miss here.",
        ),
        Wrong(
            "scaled-by-d-k",
            on_sentence(lambda scores, d_k: masked_first(scores, d_k**2)),
            "The scores were divided by d_k. Divide by its square root: `d_k**0.5`.",
        ),
        Wrong(
            "multiplied-by-root",
            on_sentence(lambda scores, d_k: masked_first(scores, 1 / d_k)),
            "The scores were multiplied by √d_k. Divide by it.",
        ),
        Wrong(
            "scaled-by-d-in",
            lambda attn_scores, inputs: masked_first(attn_scores, inputs.shape[1]),
            "The scores were divided by √3, the size of the inputs. d_k is the size of the *keys*: 2.",
        ),
        Wrong(
            "scaled-by-tokens",
            lambda attn_scores: masked_first(attn_scores, len(attn_scores)),
            "The scores were divided by the root of the number of tokens. d_k is the size of one key: "
            "`keys.shape[-1]`.",
        ),
        Wrong(
            "scaled-after-softmax",
            on_sentence(lambda scores, d_k: masked_first(scores, 1) / d_k**0.5),
            "The weights were divided by √d_k after the softmax, so the rows no longer add up to 1. Scale the scores.",
        ),
        Wrong(
            "scores-transposed",
            on_sentence(lambda scores, d_k: masked_first(scores.T, d_k)),
            "The scores are transposed: rows must be queries, `queries @ keys.T`.",
        ),
        Wrong(
            "zeroed-after-softmax",
            on_sentence(lambda scores, d_k: softmax(scores, d_k) * past(scores)),
            "The mask came after the softmax, so the rows do not add up to 1. Fill the *scores* with −∞.",
        ),
        Wrong(
            "raw-scores-divided",
            on_sentence(shares_of_raw_scores),
            "These are raw scores, masked and divided by the row sums. There is no softmax: it looks right for positive "
            "scores only.",
        ),
        Wrong(
            "no-softmax",
            on_sentence(lambda scores, d_k: scores.masked_fill(future(scores), -INF) / d_k**0.5),
            "These are the masked scores. The softmax is still to come.",
        ),
        Wrong(
            "filled-after-softmax",
            on_sentence(lambda scores, d_k: softmax(scores, d_k).masked_fill(future(scores), -INF)),
            "−∞ was filled into the weights, after the softmax. It belongs into the scores.",
        ),
    ),
    right=(
        Right("very-low-number", on_sentence(lambda s, d_k: softmax(s.masked_fill(future(s), -1e9), d_k))),
        Right(
            "lowest-float",
            on_sentence(lambda s, d_k: softmax(s.masked_fill(future(s), torch.finfo(s.dtype).min), d_k)),
        ),
        Right("scaled-first", lambda attn_scores, d_k: masked_first(attn_scores / d_k**0.5, 1)),
        Right(
            "infinity-added",
            on_sentence(lambda s, d_k: softmax(s + torch.triu(torch.full(s.shape, -INF), diagonal=1), d_k)),
        ),
        Right("the-first-way", on_sentence(renormalised)),
        Right("row-by-row", on_sentence(row_by_row)),
        Right("where", on_sentence(lambda s, d_k: softmax(torch.where(future(s), -INF, s), d_k))),
        Right(
            "scaled-dot-product-attention",
            lambda queries, keys: torch.nn.functional.scaled_dot_product_attention(
                queries[None], keys[None], torch.eye(len(keys))[None], is_causal=True
            )[0],
        ),
    ),
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


def masked_where(mask):
    return lambda scores, d_k: softmax(scores.masked_fill(mask(scores), -INF), d_k)


def values_in_place(scores, d_k):
    scores.masked_fill_(torch.triu(scores, diagonal=1) != 0, -INF)
    return softmax(scores, d_k)


def scores_assigned(scores, d_k):
    masked = scores.clone()
    masked[future(scores)] = -INF
    return softmax(masked, d_k)


BUG_MASK_FROM_VALUES = Task(
    id="bug-mask-from-values",
    title="Find the bugs: two faults in one mask",
    name="masked_weights",
    kind="function",
    signature="masked_weights(scores, d_k)",
    axes=("tokens as query", "tokens as key"),
    input_axes={"scores": ("tokens as query", "tokens as key")},
    properties=(CAUSAL, NOT_NEGATIVE, SUMS_TO_ONE),
    probes=(
        Probe("mixed", "the mixed scores", {"scores": MIXED_SCORES, "d_k": 2}),
        Probe("five", "five tokens with keys of three dimensions", {"scores": FIVE_SCORES, "d_k": 3}),
        Probe("sparse", "scores with a 0 in the future", {"scores": SPARSE_SCORES, "d_k": 2}),
        Probe(
            "zeros", "scores with zeros in the past and in the future", {"scores": ZEROS_EVERYWHERE, "d_k": 3}
        ),
        Probe("low", "scores near −150", {"scores": LOW_SCORES, "d_k": 2}),
    ),
    checks=(
        Check("ordinary scores, and very low ones", 1, ("mixed", "five", "low")),
        Check("scores that are exactly 0", 1, ("sparse", "zeros")),
    ),
    learned="A mask is made from positions. What a score happens to be says nothing about where it stands.",
    hints=(
        "First fault: what happens to what `masked_fill` returns?",
        "Second fault: print `future` for `sparse_scores`. Which place above the diagonal is False, and why?",
        "`future = torch.triu(torch.ones_like(scores), diagonal=1).bool()`, and "
        "`masked = scores.masked_fill(future, -torch.inf)`, which then goes into the softmax.",
    ),
    wrong=(
        Wrong(
            "as-given",
            softmax,
            "This is the code as it was given, or it does the same: a plain softmax, with weights above the diagonal. "
            "Look at the line with `masked_fill`: what becomes of its result?",
        ),
        Wrong(
            "mask-from-values",
            masked_where(lambda scores: torch.triu(scores, diagonal=1) != 0),
            "One fault is mended, and ordinary scores come out right. But a future score of exactly 0 is not hidden: the "
            "mask is read from the scores' values. Make it from positions, out of ones.",
        ),
        Wrong(
            "mask-from-values-in-place",
            values_in_place,
            "`masked_fill_` writes −∞ into the caller's own scores, and a future score of exactly 0 is still not hidden: "
            "the mask is read from the values.",
        ),
        Wrong(
            "in-place",
            masked_in_place,
            "The weights are right, but −∞ was written into the caller's own scores: `[…] =` and methods that end in "
            "`_` do that. Use `masked_fill` and keep what it returns.",
        ),
        Wrong(
            "every-zero-hidden",
            masked_where(lambda scores: (torch.triu(scores, diagonal=1) != 0) | (scores == 0)),
            "Now every score of 0 is hidden, in the past as well. Whether to hide is a matter of position, not of value.",
        ),
        Wrong(
            "shifted-values",
            masked_where(lambda scores: torch.triu(scores + 1.0, diagonal=1) != 0),
            "Adding 1 before comparing only moves the fault: now a score of exactly −1 slips through. Make the mask from "
            "ones, not from scores.",
        ),
        Wrong(
            "only-positive-hidden",
            masked_where(lambda scores: torch.triu(scores, diagonal=1) > 0),
            "Only the future's *positive* scores are hidden. All of the future has to be, whatever its scores.",
        ),
        Wrong(
            "filled-with-zero",
            zeros_for_infinity,
            "The future's scores are 0 before the softmax, and e⁰ is 1: they still get weight. Fill with `-torch.inf`.",
        ),
        Wrong(
            "not-low-enough",
            lambda scores, d_k: softmax(scores.masked_fill(future(scores), -100.0), d_k),
            "−100 is not low enough: real scores can lie there too, and then the future has most of the weight. Fill with "
            "`-torch.inf`.",
        ),
        Wrong(
            "past-masked",
            past_masked,
            "The past is hidden instead of the future: `torch.triu` with `diagonal=1`, not `torch.tril`.",
        ),
        Wrong(
            "visible-masked",
            masked_where(lambda scores: past(scores).bool()),
            "The mask is the wrong way round: what a query may see was filled with −∞.",
        ),
        Wrong(
            "diagonal-masked",
            diagonal_masked,
            "The diagonal is hidden too. Row 0 has nothing left: 0/0, nan. Keep `diagonal=1`.",
        ),
        Wrong(
            "one-step-too-far",
            one_step_too_far,
            "The token right after each query still has a weight: the mask lies one step too far to the right.",
        ),
        Wrong(
            "zero-times-infinity",
            zero_times_infinity,
            "Everything is nan: 0 times −∞ is nan, and the mask holds zeros. `masked_fill` has no such trouble.",
        ),
        Wrong(
            "ones-added",
            ones_added,
            "Ones were added above the diagonal, which gives the future more weight. −∞ has to stand there.",
        ),
        Wrong(
            "zeroed-after-softmax",
            lambda scores, d_k: softmax(scores, d_k) * past(scores),
            "The weights were zeroed after the softmax, and the rows do not add up to 1. Mask the scores before it.",
        ),
        Wrong(
            "over-queries",
            over_queries,
            "The softmax ran over dim=0: each column adds up to 1. A query's weights stand in a row: dim=-1.",
        ),
        Wrong(
            "no-scale",
            lambda scores, d_k: masked_first(scores, 1),
            "The mask is right. The scores are no longer divided by √d_k.",
        ),
        Wrong(
            "scaled-by-d-k",
            lambda scores, d_k: masked_first(scores, d_k**2),
            "The mask is right. The scores are divided by d_k; it should be its square root.",
        ),
    ),
    right=(
        Right("causal-mask", lambda scores, d_k: masked_where(lambda s: ~past(s).bool())(scores, d_k)),
        Right("very-low-number", lambda scores, d_k: softmax(scores.masked_fill(future(scores), -1e9), d_k)),
        Right("where", lambda scores, d_k: softmax(torch.where(future(scores), -INF, scores), d_k)),
        Right("clone-and-assign", scores_assigned),
        Right("renormalised", renormalised),
        Right(
            "infinity-added",
            lambda scores, d_k: softmax(scores + torch.triu(torch.full(scores.shape, -INF), diagonal=1), d_k),
        ),
        Right("double", lambda scores, d_k: masked_first(scores.double(), d_k)),
        Right("row-by-row", row_by_row),
    ),
)

# ---------------------------------------------------------------- the proof


def affine(factor, shift):
    return Specimen("plain-affine", {"factor": factor, "shift": shift})


LARGEST_DIFFERENCE = Task(
    id="largest-difference",
    title="How far apart are two routes?",
    name="largest_difference",
    kind="function",
    signature="largest_difference(first, second, scores)",
    axes=(),
    number=True,
    input_axes={"scores": ("tokens as query", "tokens as key")},
    probes=(
        Probe(
            "shifted",
            "two functions that lie 0.5 apart",
            {"first": affine(1.0, 0.5), "second": affine(1.0, 0.0), "scores": MIXED_SCORES},
        ),
        Probe(
            "scaled",
            "two functions that lie apart by half of each score",
            {"first": affine(1.0, 0.0), "second": affine(1.5, 0.0), "scores": -ZEROS_EVERYWHERE},
        ),
        Probe(
            "below",
            "a second function that lies above the first everywhere",
            {"first": affine(1.0, 0.0), "second": affine(1.2, 7.0), "scores": drawn(41, 4, 4)},
        ),
        Probe(
            "same",
            "a function and itself",
            {"first": affine(0.7, 0.1), "second": affine(0.7, 0.1), "scores": drawn(42, 3, 3)},
        ),
        Probe(
            "close",
            "two functions that lie 0.001 apart",
            {"first": affine(1.0, 0.001), "second": affine(1.0, 0.0), "scores": drawn(43, 2, 2).clamp(-1, 1)},
        ),
        Probe(
            "opposite",
            "a function and one that turns the sign, with the largest score in the last row",
            {
                "first": affine(1.0, 0.0),
                "second": affine(-1.0, 0.0),
                "scores": torch.tensor([[0.3, -0.2, 0.1], [0.4, 0.2, -2.5], [0.5, 3.0, -0.4]]),
            },
        ),
        Probe(
            "digits",
            "two functions whose distance has many digits",
            {
                "first": affine(1.0, 0.00123456),
                "second": affine(1.0, 0.0),
                "scores": drawn(44, 3, 3).clamp(-1, 1),
            },
        ),
    ),
    checks=(
        Check("the largest distance", 1, ("shifted", "scaled")),
        Check(
            "in either direction, small ones too, unrounded",
            1,
            ("below", "same", "close", "opposite", "digits"),
        ),
    ),
    learned="The largest difference is the strictest: one entry that is off shows, however many others agree.",
    hints=(
        "Call both functions, and take one result from the other. A difference may be negative.",
        "`.abs()` makes distances of differences, `.max()` finds the largest.",
        "`return (first(scores) - second(scores)).abs().max()`",
    ),
    wrong=(
        Wrong(
            "signed",
            lambda first, second, scores: (first(scores) - second(scores)).max(),
            "Where the second result is larger, the difference is negative and `max()` passes over it. Take `.abs()` "
            "first.",
        ),
        Wrong(
            "signed-the-other-way",
            lambda first, second, scores: (second(scores) - first(scores)).max(),
            "Where the first result is larger, the difference is negative and `max()` passes over it. Take `.abs()` "
            "first.",
        ),
        Wrong(
            "mean",
            lambda first, second, scores: (first(scores) - second(scores)).abs().mean(),
            "This is the mean distance. One entry that is far off hides among many that agree: take the largest.",
        ),
        Wrong(
            "sum",
            lambda first, second, scores: (first(scores) - second(scores)).abs().sum(),
            "This is the sum of all distances, which grows with the size of the matrix. Take the largest.",
        ),
        Wrong(
            "smallest",
            lambda first, second, scores: (first(scores) - second(scores)).abs().min(),
            "This is the smallest distance. Take the largest.",
        ),
        Wrong(
            "abs-too-late",
            lambda first, second, scores: (first(scores) - second(scores)).max().abs(),
            "The largest difference was taken before its sign was removed, so the most negative one is missed. "
            "`.abs()` comes before `.max()`.",
        ),
        Wrong(
            "difference-of-largest",
            lambda first, second, scores: (first(scores).max() - second(scores).max()).abs(),
            "This compares the two largest entries, which may stand in different places. Subtract entry by entry, then "
            "look for the largest.",
        ),
        Wrong(
            "squared",
            lambda first, second, scores: (first(scores) - second(scores)).square().max(),
            "The distances are squared: a small one then looks far smaller. Use `.abs()`.",
        ),
        Wrong(
            "norm",
            lambda first, second, scores: (first(scores) - second(scores)).norm(),
            "This is the length of the difference, taken over all entries. Take the largest single distance.",
        ),
        Wrong(
            "first-twice",
            lambda first, second, scores: (first(scores) - first(scores)).abs().max(),
            "The difference is always 0: either nothing is compared, or the same thing twice. Call both `first` and "
            "`second`, and use no other function.",
        ),
        Wrong(
            "against-the-scores",
            lambda first, second, scores: (first(scores) - scores).abs().max(),
            "The first result is compared with the scores, and the second function is never called.",
        ),
        Wrong(
            "per-row",
            lambda first, second, scores: (first(scores) - second(scores)).abs().amax(dim=-1),
            "This is the largest distance in each row. The task asks for one number for the whole matrix.",
        ),
    ),
    right=(
        Right("amax", lambda first, second, scores: torch.amax(torch.abs(second(scores) - first(scores)))),
        Right("item", lambda first, second, scores: (first(scores) - second(scores)).abs().max().item()),
        Right(
            "flattened",
            lambda first, second, scores: max(
                abs(d) for d in (first(scores) - second(scores)).flatten().tolist()
            ),
        ),
        Right(
            "norm-inf", lambda first, second, scores: (first(scores) - second(scores)).flatten().norm(p=INF)
        ),
        Right("dist", lambda first, second, scores: torch.dist(first(scores), second(scores), p=INF)),
    ),
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


def watch(attention, x, change, moved, until=lambda j: slice(0, j)):
    """The right loop, with its parts to be replaced: how a token is changed, and what counts as moved."""
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    before = attention(x)
    for j in range(len(x)):
        changed = x.clone()
        changed[j] = change(changed[j])
        after = attention(changed)
        rows = until(j)
        found[rows, j] = moved(before, after)[rows]
    return found


def step(token):
    return token + 1.0


def distance(before, after):
    return (after - before).abs().amax(dim=-1)


def far(before, after):
    return distance(before, after) > 1e-5


def never_started_afresh(attention, x):
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    before, changed = attention(x), x.clone()
    for j in range(len(x)):
        changed[j] += 1.0
        found[:j, j] = far(before, attention(changed))[:j]
    return found


def all_later_at_once(attention, x):
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    before = attention(x)
    for i in range(len(x)):
        changed = x.clone()
        changed[i + 1 :] += 1.0
        found[i, i + 1 :] = far(before, attention(changed))[i]
    return found


def from_here_on(attention, x):
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    before = attention(x)
    for j in range(len(x)):
        changed = x.clone()
        changed[j:] += 1.0
        found[:j, j] = far(before, attention(changed))[:j]
    return found


def in_place(attention, x):
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    before = attention(x)
    for j in range(len(x)):
        x[j] += 1.0
        found[:j, j] = far(before, attention(x))[:j]
        x[j] -= 1.0
    x[0] += 1.0
    return found


def last_token_only(attention, x):
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    changed = x.clone()
    changed[-1] += 1.0
    found[:-1, -1] = far(attention(x), attention(changed))[:-1]
    return found


def any_output(attention, x):
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    before = attention(x)
    for j in range(len(x)):
        changed = x.clone()
        changed[j] += 1.0
        found[:j, j] = bool(far(before, attention(changed)).any())
    return found


def by_pairs(attention, x):
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            changed = x.clone()
            changed[j] = -changed[j] - 1.0
            found[i, j] = not torch.allclose(attention(changed)[i], attention(x)[i], rtol=0, atol=1e-5)
    return found


def by_jacobian(attention, x):
    jacobian = torch.autograd.functional.jacobian(attention, x)  # (tokens, d_out, tokens, d_in)
    return (jacobian.abs().amax(dim=(1, 3)) > 1e-5).triu(diagonal=1)


def stacked(attention, x):
    before = attention(x)
    columns = []
    for j in range(len(x)):
        rows = [row + 1 if k == j else row for k, row in enumerate(x)]
        columns.append(((attention(torch.stack(rows)) - before).abs() > 1e-5).any(dim=-1))
    return torch.stack(columns, dim=1) & torch.ones(len(x), len(x)).triu(1).bool()


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
    hints=(
        "A loop over `j`: copy `x`, change row `j` of the copy, compute the outputs again, and compare with those from "
        "before, row by row.",
        "`(attention(changed) - before).abs().amax(dim=-1) > 1e-5` says which outputs have moved. Only rows before `j` "
        "count.",
        "`leaks = torch.zeros(n, n, dtype=torch.bool)`; in the loop `changed = x.clone()`, `changed[j] += 1.0`, and "
        "`leaks[:j, j] = ...`, the comparison cut to its first `j` rows.",
    ),
    wrong=(
        Wrong(
            "past-flagged",
            lambda attention, x: watch(attention, x, step, far, lambda j: slice(None)),
            "Below the diagonal and on it entries are True as well: looking at the past or at itself is no leak. Keep only "
            "the rows before `j`.",
        ),
        Wrong(
            "itself-flagged",
            lambda attention, x: watch(attention, x, step, far, lambda j: slice(0, j + 1)),
            "The diagonal is True: an output depends on its own token, and that is no leak. Stop before row `j`.",
        ),
        Wrong(
            "past-instead-of-future",
            lambda attention, x: watch(attention, x, step, far, lambda j: slice(j + 1, None)),
            "The rows *after* `j` were looked at. Token `j` is the future of the rows before it.",
        ),
        Wrong(
            "transposed",
            lambda attention, x: watch(attention, x, step, far).T,
            "Rows and columns are exchanged: entry (i, j) belongs to output `i` and changed token `j`.",
        ),
        Wrong(
            "next-token-only",
            lambda attention, x: watch(attention, x, step, far, lambda j: slice(max(j - 1, 0), j)),
            "Only leaks from the very next token are found. A token further on may leak as well: look at all rows before "
            "`j`.",
        ),
        Wrong(
            "last-token-only",
            last_token_only,
            "Only the last token was changed. Let a loop change each one in turn.",
        ),
        Wrong(
            "coarse",
            lambda attention, x: watch(attention, x, step, lambda b, a: distance(b, a) > 1e-2),
            "A leak of a thousandth goes unnoticed: the threshold is too coarse, or the step too small. Change the token by "
            "about 1 and count what is larger than 1e-5.",
        ),
        Wrong(
            "exact",
            lambda attention, x: watch(attention, x, step, lambda b, a: (a != b).any(dim=-1)),
            "Results were compared digit by digit. Floats move in their last digits for reasons of rounding, and here that "
            "is taken for a leak. Count what is larger than 1e-5.",
        ),
        Wrong(
            "one-direction",
            lambda attention, x: watch(attention, x, step, lambda b, a: (a - b).amax(dim=-1) > 1e-5),
            "An output that moves *down* is missed. Take `.abs()` of the difference.",
        ),
        Wrong(
            "other-direction",
            lambda attention, x: watch(attention, x, step, lambda b, a: (b - a).amax(dim=-1) > 1e-5),
            "An output that moves *up* is missed. Take `.abs()` of the difference.",
        ),
        Wrong(
            "set-to-zero",
            lambda attention, x: watch(attention, x, lambda token: token * 0.0, far),
            "Setting a token to 0, or multiplying it, changes nothing where it is 0 already, and a leak goes unnoticed. "
            "Add something to it.",
        ),
        Wrong(
            "never-started-afresh",
            never_started_afresh,
            "The copy is made once, so each round adds to the changes of the rounds before. Make a fresh copy inside the "
            "loop.",
        ),
        Wrong(
            "all-later-at-once",
            all_later_at_once,
            "All later tokens were changed together, so that every one of them is blamed for the leak of one. Change one "
            "token at a time.",
        ),
        Wrong(
            "from-here-on",
            from_here_on,
            "Token `j` was changed together with all after it: `changed[j:]`. One token alone is `changed[j]`.",
        ),
        Wrong(
            "any-output",
            any_output,
            "Every earlier output is blamed as soon as *any* output moves, and token `j`'s own always does. Compare row "
            "by row.",
        ),
        Wrong(
            "everything",
            lambda attention, x: torch.ones(len(x), len(x)).triu(1).bool(),
            "All future places are True, for every attention. `attention` has to be called and its outputs compared.",
        ),
        Wrong(
            "nothing",
            lambda attention, x: torch.zeros(len(x), len(x)).bool(),
            "Nothing is ever found. Is `attention` called with the *changed* tokens, and is the result written into the "
            "matrix? Mind that `changed = x` makes no copy: then both calls see the same tokens.",
        ),
        Wrong(
            "edited-in-place",
            in_place,
            "The leaks are right, but the caller's `x` came back changed. Change a copy: `x.clone()`.",
        ),
        Wrong(
            "reads-the-notebook",
            lambda attention, x: watch(attention, SENTENCE.clone(), step, far),
            "The result is that of the lesson's six tokens, whatever `x` is. The function reads `inputs`: use its "
            "argument `x`, and `len(x)` for the number of tokens.",
        ),
    ),
    right=(
        Right("pair-by-pair", by_pairs),
        Right("jacobian", by_jacobian),
        Right("stacked-columns", stacked),
        Right(
            "random-token",
            lambda attention, x: watch(attention, x, lambda token: token + torch.rand_like(token) + 0.5, far),
        ),
        Right(
            "isclose",
            lambda attention, x: watch(
                attention, x, step, lambda b, a: ~torch.isclose(a, b, rtol=0, atol=1e-5).all(dim=-1)
            ),
        ),
        Right(
            "whole-matrix-then-triu",
            lambda attention, x: watch(attention, x, step, far, lambda j: slice(None)).triu(diagonal=1),
        ),
    ),
)

# ---------------------------------------------------------------- causal attention, whole

OTHER_SIX = {"queries": 2 * drawn(71, 6, 2), "keys": drawn(72, 6, 2), "values": drawn(73, 6, 2)}
FIVE = {"queries": drawn(74, 5, 4), "keys": drawn(75, 5, 4), "values": drawn(76, 5, 3)}
ALONE = {"queries": drawn(77, 1, 3), "keys": drawn(78, 1, 3), "values": drawn(79, 1, 2)}
# Queries of which some are at right angles to some keys: scores of exactly 0.
RIGHT_ANGLES = {
    "queries": torch.tensor([[1.0, 0, 0], [0, 2.0, 0], [0, 1.0, 1.0], [0.5, 0, 0]]),
    "keys": torch.tensor([[0, 1.0, 0], [0, 0, 1.0], [1.0, 0, 2.0], [0, 1.5, 0]]),
    "values": drawn(80, 4, 5),
}

# Scores near −150: a mask that fills in −100 leaves the future most of the weight.
POINTING_AWAY = {
    "queries": 6.0 + 0.2 * drawn(81, 5, 3),
    "keys": -8.0 + 0.2 * drawn(82, 5, 3),
    "values": drawn(83, 5, 2),
}


def attend(weights):
    """Attention whose weights are made by a function of scores and d_k."""
    return lambda queries, keys, values: weights(queries @ keys.T, keys.shape[-1]) @ values


def values_in_place_attention(queries, keys, values):
    queries /= keys.shape[-1] ** 0.5
    return masked_first(queries @ keys.T, 1) @ values


def of_the_notebook(queries, keys, values):
    own = OF_SENTENCE
    return attend(masked_first)(own["queries"], own["keys"], own["values"])


def rows_of_context(queries, keys, values):
    rows = []
    for i, query in enumerate(queries):
        weights = torch.softmax(keys[: i + 1] @ query / len(query) ** 0.5, dim=0)
        rows.append(weights @ values[: i + 1])
    return torch.stack(rows)


def einsums(queries, keys, values):
    scores = torch.einsum("qd,kd->qk", queries, keys)
    return torch.einsum("qk,kd->qd", masked_first(scores, keys.shape[-1]), values)


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
        Probe("right-angles", "queries and keys whose scores are 0 in places", RIGHT_ANGLES),
        Probe("low", "queries and keys that point away from each other", POINTING_AWAY),
        Probe(
            "influence-of-values",
            "five tokens whose values are changed one by one",
            FIVE,
            observe="influence",
            settings={"input": "values", "axis": 0},
        ),
        Probe(
            "influence-of-keys",
            "five tokens whose keys are changed one by one",
            FIVE,
            observe="influence",
            settings={"input": "keys", "axis": 0},
        ),
    ),
    checks=(
        Check("six tokens", 1, ("sentence", "other-six")),
        Check("any number of tokens, values of another size", 1, ("five", "alone")),
        Check(
            "nothing from the future, whatever the scores",
            1,
            ("right-angles", "low", "influence-of-values", "influence-of-keys"),
        ),
    ),
    learned="Scores, mask, scale, softmax, values: output i depends on tokens 0 to i and on nothing after. "
    "This is the core of every model that writes.",
    hints=(
        "It is task 5 with `queries @ keys.T` before it and `@ values` after it.",
        "`scores.masked_fill(causal_mask(len(queries)), -torch.inf)`, then divide by `keys.shape[-1] ** 0.5`.",
        "`weights = torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1)`, and `return weights @ values`.",
    ),
    wrong=(
        Wrong(
            "no-mask",
            attend(softmax),
            "Nothing is hidden: this is the attention of lesson 02. If there is a `masked_fill`, use what it returns.",
        ),
        Wrong(
            "no-scale",
            attend(lambda scores, d_k: masked_first(scores, 1)),
            "The mask is right, the √d_k is missing. The weights come out too sharp.",
        ),
        Wrong(
            "scaled-by-d-k",
            attend(lambda scores, d_k: masked_first(scores, d_k**2)),
            "The scores were divided by d_k. Divide by its square root.",
        ),
        Wrong(
            "multiplied-by-root",
            attend(lambda scores, d_k: masked_first(scores, 1 / d_k)),
            "The scores were multiplied by √d_k. Divide by it.",
        ),
        Wrong(
            "scaled-by-size-of-values",
            lambda queries, keys, values: masked_first(queries @ keys.T, values.shape[-1]) @ values,
            "The scores were divided by the root of the size of the *values*. d_k is the size of a key: "
            "`keys.shape[-1]`.",
        ),
        Wrong(
            "d-k-of-the-notebook",
            lambda queries, keys, values: masked_first(queries @ keys.T, 2) @ values,
            "The scale is √2, whatever the keys: is that the notebook's `d_k`? Inside the function take the size of a key "
            "from its argument, `keys.shape[-1]`.",
        ),
        Wrong(
            "scaled-by-tokens",
            lambda queries, keys, values: masked_first(queries @ keys.T, len(keys)) @ values,
            "The scores were divided by the root of the number of tokens, `keys.shape[0]`. d_k is `keys.shape[-1]`.",
        ),
        Wrong(
            "scaled-after-softmax",
            attend(lambda scores, d_k: masked_first(scores, 1) / d_k**0.5),
            "The weights were divided by √d_k, after the softmax. Divide the scores, before it.",
        ),
        Wrong(
            "query-and-key-swapped",
            lambda queries, keys, values: masked_first(keys @ queries.T, keys.shape[-1]) @ values,
            "Queries and keys are swapped: rows must be queries, `queries @ keys.T`.",
        ),
        Wrong(
            "softmax-over-queries",
            attend(over_queries),
            "The softmax ran over dim=0, down the columns. A query's weights stand in a row: dim=-1.",
        ),
        Wrong(
            "filled-with-zero",
            attend(zeros_for_infinity),
            "The future's scores are 0 before the softmax, and e⁰ is 1: they still get weight. Fill with `-torch.inf`.",
        ),
        Wrong(
            "not-low-enough",
            attend(lambda scores, d_k: softmax(scores.masked_fill(future(scores), -100.0), d_k)),
            "−100 is not low enough: real scores can lie there too, and then the future has most of the weight. Fill with "
            "`-torch.inf`.",
        ),
        Wrong(
            "zeroed-after-softmax",
            attend(lambda scores, d_k: softmax(scores, d_k) * past(scores)),
            "The weights were zeroed after the softmax and not divided again. Outputs are too small, and the future still "
            "shows in their size.",
        ),
        Wrong(
            "ones-added",
            attend(ones_added),
            "Ones were added above the diagonal, which gives the future more weight. −∞ has to stand there.",
        ),
        Wrong(
            "past-masked",
            attend(past_masked),
            "The past is hidden and the future open: the mask is the wrong triangle.",
        ),
        Wrong(
            "visible-masked",
            attend(masked_where(lambda scores: past(scores).bool())),
            "The mask is the wrong way round: what a query may see was filled with −∞, and the last row became nan.",
        ),
        Wrong(
            "diagonal-masked",
            attend(diagonal_masked),
            "The diagonal is hidden too, so the first token has nothing to look at: its row is nan.",
        ),
        Wrong(
            "diagonal-masked-nan-replaced",
            attend(lambda scores, d_k: diagonal_masked(scores, d_k).nan_to_num(0.0)),
            "The diagonal is hidden, and the nan of the first row was replaced by 0. Let each token see itself instead: "
            "`diagonal=1`.",
        ),
        Wrong(
            "one-step-too-far",
            attend(one_step_too_far),
            "Each token sees the one right after it: the mask lies one step too far to the right.",
        ),
        Wrong(
            "zero-times-infinity",
            attend(zero_times_infinity),
            "Everything is nan: 0 times −∞ is nan. Use `masked_fill`.",
        ),
        Wrong(
            "mask-from-values",
            attend(masked_where(lambda scores: torch.triu(scores, diagonal=1) != 0)),
            "A future score of exactly 0 slips through: the mask is read from the scores. Make it from positions.",
        ),
        Wrong(
            "raw-scores-divided",
            attend(shares_of_raw_scores),
            "The weights are raw scores divided by their row sums. There is no softmax.",
        ),
        Wrong(
            "weights-times-keys",
            lambda queries, keys, values: masked_first(queries @ keys.T, keys.shape[-1]) @ keys,
            "The weights were multiplied with the keys. What is mixed are the values.",
        ),
        Wrong(
            "weights-returned",
            lambda queries, keys, values: masked_first(queries @ keys.T, keys.shape[-1]),
            "These are the weights. Multiply them with the values.",
        ),
        Wrong(
            "reads-the-notebook",
            of_the_notebook,
            "These are the context vectors of the lesson's sentence, whatever the function is called with. Inside it, use "
            "the arguments only.",
        ),
        Wrong(
            "six-tokens-only",
            lambda queries, keys, values: (
                softmax((queries @ keys.T).masked_fill(future(torch.ones(6, 6)), -INF), keys.shape[-1])
                @ values
            ),
            "The mask is 6 × 6, whatever the sentence. Make it as large as there are queries: `len(queries)`.",
        ),
        Wrong(
            "edited-in-place",
            values_in_place_attention,
            "`queries /= …` writes into the caller's tensor. Give the result a name of its own.",
        ),
    ),
    right=(
        Right(
            "scaled-dot-product-attention",
            lambda queries, keys, values: torch.nn.functional.scaled_dot_product_attention(
                queries[None], keys[None], values[None], is_causal=True
            )[0],
        ),
        Right("einsum", einsums),
        Right("row-by-row", rows_of_context),
        Right("renormalised", attend(renormalised)),
        Right(
            "very-low-number",
            attend(lambda scores, d_k: softmax(scores.masked_fill(future(scores), -1e9), d_k)),
        ),
        Right(
            "queries-scaled-first",
            lambda queries, keys, values: masked_first(queries / keys.shape[-1] ** 0.5 @ keys.T, 1) @ values,
        ),
        Right(
            "double",
            lambda queries, keys, values: attend(masked_first)(
                queries.double(), keys.double(), values.double()
            ),
        ),
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
        LARGEST_DIFFERENCE,
        LEAK_DETECTOR,
        CAUSAL_ATTENTION,
    ),
)
