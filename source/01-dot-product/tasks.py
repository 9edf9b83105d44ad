"""The tasks of lesson 01: their probes, the wrong answers people give, and the hint each deserves."""

import torch
from autograder.author.authoring import Check, Forbid, Lesson, Probe, Task, rights, wrongs

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
JOURNEY_SCORES = SENTENCE @ SENTENCE[1]
# Four tokens of five dimensions, with negative numbers: no size and no sign as in the sentence.
OTHER_TOKENS = (
    torch.tensor([[9.0, -4, 1, 7, -12], [-3, 8, 5, -6, 2], [11, 2, -9, 4, 3], [6, -10, 8, -2, 5]]) / 10
)
# Six other tokens of three dimensions: an answer made for one sentence only is not right for this one.
OTHER_SENTENCE = (
    torch.tensor([[31, 62, 8], [94, 17, 45], [52, 73, 26], [11, 39, 87], [68, 5, 59], [83, 47, 21]]) / 100
)
# Some scores are above 88, where exp() ends, and others far below 0. The sizes are the sentence's, because
# another check is about sizes. Each row's largest score is 20 above the others or more: with scores as large as these,
# the logarithm of a sum is rounded, and every right way should give the same.
LARGE_TOKENS = torch.tensor(
    [[29.0, 5, 2], [24, 1, -3], [-10, 4, 16], [12, -20, 5], [3, 25, -14], [-7, -9, 18]]
)


def redraw(generator: torch.Generator) -> dict:
    """Six other tokens with positive coordinates, so that dividing by the sum stays defined."""
    return {"inputs": torch.rand(6, 3, generator=generator)}


DOT = Task(
    id="dot-product",
    title="A dot product by hand",
    name="dot",
    kind="function",
    signature="dot(a, b)",
    axes=(),
    number=True,
    input_axes={"a": ("d_in",), "b": ("d_in",)},
    probes=(
        Probe("journey-your", "the vectors of “journey” and “Your”", {"a": SENTENCE[1], "b": SENTENCE[0]}),
        Probe(
            "two-others",
            "two other vectors of three dimensions",
            {"a": OTHER_SENTENCE[0], "b": OTHER_SENTENCE[2]},
        ),
        Probe(
            "five-dimensions", "two vectors of five dimensions", {"a": OTHER_TOKENS[0], "b": OTHER_TOKENS[1]}
        ),
        Probe(
            "one-dimension",
            "two vectors of one dimension",
            {"a": torch.tensor([0.31416]), "b": torch.tensor([-2.71828])},
        ),
        Probe(
            "equal-numbers",
            "a vector that holds a number twice",
            {"a": torch.tensor([2.0, -1.0, 2.0, 0.5]), "b": torch.tensor([1.0, 3.0, -4.0, 0.5])},
        ),
    ),
    checks=(
        Check("vectors of three dimensions", 1, ("journey-your", "two-others")),
        Check(
            "vectors of any length, with negative numbers",
            1,
            ("five-dimensions", "one-dimension", "equal-numbers"),
        ),
    ),
    learned="A dot product multiplies two vectors number by number and adds the products up. "
    "It is large where both are large in the same places.",
    demands={
        "of any length": "sizes-typed-in",
        "The dot product of two vectors": "products-not-added",
    },
    hints=(
        "Two things happen: numbers in the same place are multiplied, and the products are added up.",
        "Start from `total = 0.0` and go through the positions with `for i in range(len(a)):`.",
        "Inside the loop, write `total = total + a[i] * b[i]`. After the loop, return `total`.",
    ),
    words={"x": "a"},
    wrong=wrongs("""
        products-not-added: = a * b
        product-of-sums: = a.sum() * b.sum()
        sizes-typed-in: len(a) → 3
        sizes-typed-in: len(a) → min(len(a), 3)
        mean-for-sum: return total → return total / len(a)
        added-for-multiplied: * → +
        return-inside-loop: `    return total` → `        return total`
            hint: Only the first product counts. Is `return` inside the loop, or is something cut to its
                first entry?
        overwritten-in-loop: total + →
        loop-stops-early: len(a) → len(a) - 1
        loop-starts-late: len(a) → 1, len(a)
        cosine: return total → return total / (a.norm() * b.norm())
        equal-numbers-once: body
            products = {}
            for x, y in zip(a.tolist(), b.tolist()):
                products[x] = x * y
            return sum(products.values())
        one-vector-twice: b[i] → a[i]
        one-vector-twice: a[i] → b[i]
        distances: a[i] * b[i] → (a[i] - b[i]) ** 2
        distances: = (a - b).norm()
        absolute-values: a[i] * b[i] → abs(a[i] * b[i])
        absolute-values: return total → return abs(total)
        sum-not-from-zero: 0.0 → 1.0
        rounded: return total → return round(float(total), 2)
        rounded: return total → return round(float(total), 4)
        edits-its-argument: = a.mul_(b).sum()
        reads-the-notebook: = torch.dot(input_query, input_1)
        reads-the-notebook: a[i] * b[i] → input_query[i] * input_1[i]
        extra-axis: total = 0.0 → total = torch.zeros(1)
            hint: The total is a tensor with one axis. Start from the number 0, so that one number comes out.
        """),
    right=rights("""
        torch-dot: cell dot = torch.dot
        multiply-and-sum: = (a * b).sum()
        matmul: = a @ b
        einsum: = torch.einsum("i,i->", a, b)
        python-float: = sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))
        double: = torch.dot(a.double(), b.double())
        """),
)

QUERY_SCORES = Task(
    id="query-scores",
    title="The scores of one query",
    name="attn_scores_2",
    kind="tensor",
    signature="attn_scores_2",
    axes=("tokens",),
    needs=("dot-product",),
    checks=(Check("one score for each token", 1),),
    learned="A query's scores are its dot products with every token, itself included: one number for each token.",
    demands={
        'the scores of "journey"': "wrong-query",
        "with all six tokens": "loop-stops-early",
    },
    hints=(
        "You need one dot product for each row of `inputs`, always with `query`.",
        "Make room with `torch.zeros(inputs.shape[0])` and fill it in a loop, "
        "or collect the numbers in a list and `torch.stack` it.",
        "`for i, x_i in enumerate(inputs): attn_scores_2[i] = dot(query, x_i)`",
    ),
    words={"sum_over": "the dimensions: `sum(dim=1)`"},
    wrong=wrongs("""
        wrong-query: inputs[1] → inputs[2]
        wrong-query: inputs[1] → inputs[0]
        overwritten-in-loop: attn_scores_2[i] = → attn_scores_2 =
        row-overwritten: attn_scores_2[i] = → attn_scores_2[:] =
        row-overwritten: attn_scores_2[i] = → attn_scores_2 +=
        all-queries-at-once: = inputs @ inputs.T
        products-not-added: torch.zeros(inputs.shape[0]) → torch.zeros_like(inputs)
            dot(query, x_i) → query * x_i
        summed-over-other-axis: = (inputs * inputs[1]).sum(dim=0)
        softmax-too-early: `x_i)` → `x_i)↵attn_scores_2 = torch.softmax(attn_scores_2, dim=0)`
        scaled-unasked: = dot → = inputs.shape[1] ** -0.5 * dot
        divided-by-a-length: dot(query, x_i) → dot(query, x_i) / query.norm()
        cosine: dot(query, x_i) → torch.cosine_similarity(query, x_i, dim=0)
        distances: dot(query, x_i) → (query - x_i).norm()
        distances: dot(query, x_i) → ((query - x_i) ** 2).sum()
        one-vector-twice: (query → (x_i
        one-vector-twice: x_i) → query)
        loop-stops-early: enumerate(inputs) → enumerate(inputs[:-1])
        loop-starts-late: enumerate(inputs) → list(enumerate(inputs))[1:]
        loop-starts-late: enumerate(inputs) → enumerate(inputs[1:])
        own-score-left-out: = torch.stack([dot(inputs[1], x_i) for i, x_i in enumerate(inputs) if i != 1])
        own-score-left-out: above attn_scores_2[i] → if i == 1:↵    continue
        scores-in-reverse: attn_scores_2[i] = → attn_scores_2[-1 - i] =
        """),
    right=rights("""
        matmul: = inputs @ inputs[1]
        matmul-from-the-left: torch.zeros(inputs.shape[0]) → query @ inputs.T
        einsum: = torch.einsum("td,d->t", inputs, inputs[1])
        stack: = torch.stack([torch.dot(inputs[1], x) for x in inputs])
        double: = inputs.double() @ inputs[1].double()
        """),
)

SOFTMAX_NAIVE = Task(
    id="softmax-naive",
    title="Softmax from its formula",
    name="softmax_naive",
    kind="function",
    signature="softmax_naive(x)",
    axes=("tokens",),
    input_axes={"x": ("tokens",)},
    properties=("sums-to-one", "not-negative"),
    probes=(
        Probe("journey", "the scores of “journey”", {"x": JOURNEY_SCORES}),
        Probe("other-scores", "six other scores", {"x": OTHER_SENTENCE @ OTHER_SENTENCE[0]}),
        Probe(
            "negative-scores", "four scores, two of them negative", {"x": torch.tensor([1.5, -0.5, 0, -2])}
        ),
        Probe("sum-zero", "scores that add up to 0", {"x": torch.tensor([1.0, -1.0, 2.0, 0.5, -2.5])}),
    ),
    checks=(
        Check("positive scores", 1, ("journey", "other-scores")),
        Check("negative scores, and scores that add up to 0", 1, ("negative-scores", "sum-zero")),
    ),
    learned="exp() makes every score positive, and dividing by the sum makes them add up to 1. "
    "Differences between scores become ratios between weights.",
    demands={
        "takes the exponential of every entry": "shares-of-raw-scores",
        "Do not change the caller's x": "edits-its-argument",
        "Do not use torch.softmax": "torch-softmax",
        "or anything like it": "a-layer",
        "adding up to 1": "not-normalised",
    },
    hints=(
        "`torch.exp(x)` takes the exponential of every entry. What must those add up to?",
        "Divide the exponentials by their own sum, not by the sum of the scores.",
        "`return torch.exp(x) / torch.exp(x).sum()`",
    ),
    wrong=wrongs("""
        divided-by-sum-of-scores: exponentials.sum() → x.sum()
        shares-of-raw-scores: torch.exp(x) → x
            hint: The scores were divided by their sum. Softmax takes the exponential of each first.
        subtracted-for-divided: / exponentials → - exponentials
        not-normalised: / exponentials.sum() →
        divided-by-largest: .sum() → .max()
        fraction-upside-down: exponentials / exponentials.sum() → exponentials.sum() / exponentials
        subtracted-for-divided: / exponentials → - exponentials
        shifted-after-exp: torch.exp(x) → torch.exp(x) - torch.exp(x).max()
        other-base: torch.exp(x) → 2**x
        other-base: torch.exp(x) → 10**x
        scores-negated: exp(x) → exp(-x)
        absolute-values: exp(x) → exp(x.abs())
        log-softmax: / exponentials.sum() → .div(exponentials.sum()).log()
        mean-for-sum: .sum() → .mean()
        exp-of-sum: exponentials.sum() → torch.exp(x.sum())
        softmax-twice: exp(x) → exp(torch.exp(x) / torch.exp(x).sum())
        scores-above-the-line: return exponentials → return x
        softmax-after-division: exp(x) → exp(x / x.sum())
        exp-after-division: exp(x) → exp(x / x.sum())
            / exponentials.sum() →
        sigmoid-for-softmax: = torch.sigmoid(x)
        sigmoid-for-softmax: torch.exp(x) → torch.sigmoid(x)
        rounded: / exponentials.sum() → .div(exponentials.sum()).round(decimals=4)
        edits-its-argument: torch.exp(x) → x.exp_()
        reads-the-notebook: exp(x) → exp(attn_scores_2)
        """),
    right=rights("""
        subtract-largest: exp(x) → exp(x - x.max())
        power-of-e: torch.exp(x) → torch.e**x
        double: torch.exp(x) → x.double().exp()
        """),
    forbids=Forbid(
        ("softmax",),
        points=2,
        caught=rights("""
            torch-softmax: = torch.softmax(x, dim=0)
            a-layer: cell softmax_naive = torch.nn.Softmax(dim=0).forward
            """),
    ),
)

# A spread so wide that subtracting the mean, or anything but the largest, still overflows. The largest stands
# neither first nor last.
WIDE_SCORES = torch.tensor([0.0, 1000.0, 1001.5, 3.0])
LOW_SCORES = torch.tensor([-1000.0, -1001.0, -1003.0])

SOFTMAX_STABLE = Task(
    id="softmax-stable",
    title="A softmax for scores of any size",
    name="softmax_stable",
    kind="function",
    signature="softmax_stable(x)",
    axes=("tokens",),
    input_axes={"x": ("tokens",)},
    properties=("sums-to-one", "not-negative"),
    probes=(
        Probe("journey", "the scores of “journey”", {"x": JOURNEY_SCORES}),
        Probe("large", "scores up to 1001.5", {"x": WIDE_SCORES}),
        # Apart by little: else one weight is 1 and all others are 0, whatever the numbers.
        Probe("large-and-near", "four scores near 1000", {"x": torch.tensor([1000.0, 1001.0, 999.5, 998.0])}),
        Probe("very-negative", "scores near −1000", {"x": LOW_SCORES}),
        Probe("negative", "scores near −50", {"x": torch.tensor([-50.0, -51.0, -53.0, -52.5])}),
        Probe(
            "negative-scores",
            "scores on both sides of 0",
            {"x": torch.tensor([30.0, -70.0, 28.0, 29.0, 0.0])},
        ),
    ),
    checks=(
        Check("ordinary scores, as before", 1, ("journey", "negative-scores", "negative")),
        Check("scores near 1000", 1, ("large", "large-and-near")),
        Check("scores near −1000", 1, ("very-negative",)),
    ),
    learned="Adding one number to all scores leaves the weights as they are. If you subtract the largest, no "
    "exponential is above 1, and their sum is at least 1.",
    demands={
        "agrees with softmax_naive on ordinary scores": "other-base",
        "near 1000": "exp-overflows",
        "near −1000": "shift-only-when-large",
        "without torch.softmax": "torch-softmax",
        "and anything like it": "log-softmax",
    },
    hints=(
        "What happens to the weights when every score goes down by the same number? Try it with `softmax_naive`.",
        "Which number must you subtract so that no exponential can overflow, however large the scores are?",
        "`shifted = x - x.max()`, then go on as in `softmax_naive` with `shifted`.",
    ),
    wrong=wrongs("""
        exp-overflows: - x.max() →
            hint: exp() of 1000 is inf, and inf/inf is nan; near −1000 every exponential is 0, and 0/0 is
                nan. Shift the scores first: what you subtract has to be the largest score of `x`.
        shifted-by-other-number: x.max() → x.mean()
        shifted-by-other-number: x.max() → x.min()
        shifted-by-other-number: x.max() → x.abs().max()
        shifted-by-other-number: x.max() → 1000
        shifted-by-other-number: x.max() → x.sum()
        shifted-by-other-number: x.max() → x[0]
        shifted-by-other-number: x.max() → x[-1]
        shift-as-division: ` - ` → ` / `
        shifted-after-exp: x - x.max() → x
            (shifted) → (shifted) - torch.exp(x).max()
        shift-added: ` - ` → ` + `
        scores-negated: exp(shifted) → exp(-shifted)
        shifted-on-one-side: exponentials.sum() → torch.exp(x).sum()
        shifted-on-one-side: return exponentials → return torch.exp(x)
        not-normalised: / exponentials.sum() →
        mean-for-sum: .sum() → .mean()
        scores-above-the-line: return exponentials → return shifted
        clamped: x - x.max() → x.clamp(-80, 80)
        clamped: x - x.max() → x.clamp(max=80)
        nan-replaced: - x.max() →
            / exponentials.sum() → .div(exponentials.sum()).nan_to_num(0.0)
        small-number-added: - x.max() →
            .sum() → .sum().add(1e-9)
        shift-only-when-large: x.max() → x.max().clamp(min=0)
        softmax-twice: exp(shifted) → exp(torch.exp(shifted) / torch.exp(shifted).sum())
        other-base: torch.exp(shifted) → 2**shifted
        log-softmax: / exponentials.sum() → .div(exponentials.sum()).log()
        edits-its-argument: x - x.max() → x.sub_(x.max())
        """),
    right=rights("""
        logsumexp: = torch.exp(x - torch.logsumexp(x, dim=0))
        amax-keepdim: x.max() → x.amax(-1, True)
            .sum() → .sum(-1, True)
        double: exp(shifted) → exp(shifted.double())
        """),
    forbids=Forbid(
        ("softmax",),
        points=3,
        caught=rights("""
            torch-softmax: = torch.softmax(x, dim=0)
            log-softmax: = torch.log_softmax(x, dim=-1).exp()
            """),
    ),
)

CONTEXT_VECTOR = Task(
    id="context-vector",
    title="One context vector",
    name="context_vec_2",
    kind="tensor",
    signature="context_vec_2",
    axes=("d_in",),
    needs=("query-scores",),
    checks=(Check("the weighted sum of all tokens", 2),),
    learned="A context vector is a weighted sum of all token vectors: “journey”, seen in its sentence.",
    demands={
        "the sum of all token vectors": "mean-for-sum",
        "each multiplied by its weight": "weights-not-used",
        "from attn_weights_2": "no-softmax",
    },
    hints=(
        "Multiply each token's vector by that token's weight, and add the six vectors up.",
        "Start from `torch.zeros(inputs.shape[1])` and add `attn_weights_2[i] * inputs[i]` in a loop.",
        "Or in one step: `attn_weights_2 @ inputs`.",
    ),
    words={"sum_over": "the tokens: `sum(dim=0)`"},
    wrong=wrongs("""
        products-not-added: torch.zeros(inputs.shape[1]) → torch.zeros_like(inputs)
            context_vec_2 += → context_vec_2[i] =
        summed-over-other-axis: inputs.shape[1] → inputs.shape[0]
            context_vec_2 += attn_weights_2[i] * x_i → context_vec_2[i] = attn_weights_2[i] * x_i.sum()
        no-softmax: attn_weights_2[i] → attn_scores_2[i]
        shares-of-raw-scores: attn_weights_2[i] → attn_weights_2_tmp[i]
            hint: The scores were divided by their sum. Softmax takes the exponential of each first.
        weights-not-used: attn_weights_2[i] → 1 / len(inputs)
        weights-not-used: attn_weights_2[i] * →
        residual-added: torch.zeros(inputs.shape[1]) → query.clone()
        sum-not-from-zero: torch.zeros → torch.ones
        weights-of-a-neighbour: attn_weights_2[i] → attn_weights_2[i - 1]
        weights-of-a-neighbour: attn_weights_2[i] → attn_weights_2[(i + 1) % len(inputs)]
        weights-meet-one-token: * x_i → * query
        largest-only: = attn_weights_2.max() * inputs[attn_weights_2.argmax()]
        mean-for-sum: * x_i → * x_i / len(inputs)
        overwritten-in-loop: += → =
        loop-stops-early: enumerate(inputs) → enumerate(inputs[:-1])
        loop-starts-late: enumerate(inputs) → list(enumerate(inputs))[1:]
        loop-starts-late: enumerate(inputs) → enumerate(inputs[1:])
        """),
    right=rights("""
        matmul: = attn_weights_2 @ inputs
        transposed: = inputs.T @ attn_weights_2
        einsum: = torch.einsum("t,td->d", attn_weights_2, inputs)
        broadcast: = (attn_weights_2.unsqueeze(1) * inputs).sum(0)
        """),
)

SCORES_LOOPS = Task(
    id="scores-loops",
    title="All scores, with two loops",
    name="scores_with_loops",
    kind="function",
    signature="scores_with_loops(x)",
    axes=("tokens as query", "tokens as key"),
    input_axes={"x": ("tokens", "d_in")},
    properties=("symmetric",),
    needs=("dot-product",),
    probes=(
        Probe("sentence", "the sentence", {"x": SENTENCE}),
        Probe("other-sentence", "six other tokens", {"x": OTHER_SENTENCE}),
        Probe("other-tokens", "four tokens of five dimensions", {"x": OTHER_TOKENS}),
        Probe("one-token", "a single token", {"x": torch.tensor([[0.5, -2.0]])}),
    ),
    checks=(
        Check("six tokens of three dimensions", 1, ("sentence", "other-sentence")),
        Check("any number of tokens and dimensions", 1, ("other-tokens", "one-token")),
    ),
    learned="Row i holds the scores of token i as query. With n tokens there are n × n scores.",
    demands={
        "for any number of tokens": "sizes-typed-in",
        "entry (i, j) is the dot product of token i with token j": "products-not-added",
        "Use the argument x, not the variable inputs": "reads-the-notebook",
    },
    hints=(
        "One loop goes through the queries, a second one inside it through the keys.",
        "`scores = torch.zeros(len(x), len(x))` makes room for any number of tokens.",
        "Inside both loops, write `scores[i, j] = dot(x[i], x[j])`.",
    ),
    wrong=wrongs("""
        dimensions-for-tokens: x.shape[0] → x.shape[1]
            x[i], x[j] → x.T[i], x.T[j]
        dimensions-for-tokens: x.shape[0] → x.shape[1]
        sizes-typed-in: x.shape[0] → 6
        one-half-only: j in range(num_tokens) → j in range(i, num_tokens)
        one-half-only: j in range(num_tokens) → j in range(i + 1)
        one-half-only: j in range(num_tokens) → j in range(i + 1, num_tokens)
        one-half-only: j in range(num_tokens) → j in range(i)
        row-overwritten: scores[i, j] → scores[i]
        overwritten-in-loop: scores[i, j] → scores
        one-vector-twice: x[j] → x[i]
        one-vector-twice: x[i] → x[j]
        diagonal-only: j in range(num_tokens) → j in (i,)
        softmax-too-early: return scores → return torch.softmax(scores, dim=-1)
        one-query-for-all: x[i] → x[0]
            hint: Every row belongs to the same query. Row i must belong to query i.
        scaled-unasked: = dot → = x.shape[1] ** -0.5 * dot
        mean-for-sum: dot(x[i], x[j]) → dot(x[i], x[j]) / x.shape[1]
        added-for-multiplied: dot(x[i], x[j]) → (x[i] + x[j]).sum()
        products-not-added: = x[:, None] * x
        wrong-query: x[i] → x[1]
            hint: Every row holds the scores of one and the same token. Row i belongs to token i as query:
                `x[i]`.
        cosine: dot(x[i], x[j]) → torch.cosine_similarity(x[i], x[j], dim=0)
        distances: dot(x[i], x[j]) → (x[i] - x[j]).norm()
        return-inside-loop: `    return scores` → `        return scores`
        return-inside-loop: `    return scores` → `            return scores`
        loop-stops-early: i in range(num_tokens) → i in range(num_tokens - 1)
        loop-stops-early: j in range(num_tokens) → j in range(num_tokens - 1)
        loop-starts-late: i in range(num_tokens) → i in range(1, num_tokens)
        loop-starts-late: j in range(num_tokens) → j in range(1, num_tokens)
        reads-the-notebook: x.shape[0] → inputs.shape[0]
            x[i], x[j] → inputs[i], inputs[j]
        reads-the-notebook: x[i], x[j] → inputs[i], inputs[j]
            hint: One of the steps uses the sentence of the notebook, or what was made of it. Use the argument `x` in all of them.
        reads-the-notebook: x[j] → inputs[j]
            hint: One of the steps uses the sentence of the notebook, or what was made of it. Use the argument `x` in all of them.
        reads-the-notebook: x[i] → inputs[i]
            hint: One of the steps uses the sentence of the notebook, or what was made of it. Use the argument `x` in all of them.
        own-score-left-out: j in range(num_tokens) → j in set(range(num_tokens)) - {i}
        """),
    right=rights("""
        matmul: = x @ x.T
        einsum: = torch.einsum("id,jd->ij", x, x)
        stacked-rows: = torch.stack([torch.stack([a @ b for b in x]) for a in x])
        broadcast: = (x[:, None, :] * x[None, :, :]).sum(-1)
        """),
)

ALL_SCORES = Task(
    id="all-scores",
    title="All scores, as one matrix product",
    name="attn_scores",
    kind="tensor",
    signature="attn_scores",
    axes=("tokens as query", "tokens as key"),
    properties=("symmetric",),
    checks=(Check("every token against every token", 1),),
    learned="`inputs @ inputs.T` is every dot product at once: 36 of them in one line, and no loop in Python.",
    demands={
        "Make attn_scores from inputs": "dimensions-for-tokens",
    },
    hints=(
        "A matrix product takes dot products of rows on the left with columns on the right.",
        "You want rows with rows. What turns the rows of `inputs` into columns?",
        "`attn_scores = inputs @ inputs.T`",
    ),
    words={"x": "inputs", "swap": "inputs.T"},
    wrong=wrongs("""
        dimensions-for-tokens: inputs @ inputs.T → inputs.T @ inputs
        elementwise-product: @ inputs.T → * inputs
        one-query-only: inputs.T → inputs[1]
            hint: This is the result of one query. Take all tokens as queries at once.
        scaled-unasked: @ → / inputs.shape[1] ** 0.5 @
        softmax-too-early: = → = torch.softmax(
            .T → .T, dim=-1)
        cosine: = torch.cosine_similarity(inputs[:, None], inputs[None], dim=-1)
        distances: = torch.cdist(inputs, inputs)
        keys-reshaped: inputs.T → inputs.reshape(3, 6)
        one-half-only: = torch.tril(inputs @ inputs.T)
            hint: One side of the diagonal is all 0. Every query meets every key.
        diagonal-only: = torch.diag((inputs * inputs).sum(dim=1))
        one-vector-twice: = (inputs * inputs).sum(dim=1)
        """),
    right=rights("""
        matmul: = torch.matmul(inputs, inputs.transpose(0, 1))
        einsum: = torch.einsum("id,jd->ij", inputs, inputs)
        own-loops: = scores_with_loops(inputs)
        inner: = torch.inner(inputs, inputs)
        """),
)

ALL_WEIGHTS = Task(
    id="all-weights",
    title="All attention weights",
    name="attn_weights",
    kind="tensor",
    signature="attn_weights",
    axes=("tokens as query", "tokens as key"),
    properties=("sums-to-one", "not-negative"),
    needs=("all-scores",),
    checks=(Check("softmax along the right axis", 2),),
    learned="Each row is one query's weights and adds up to 1: softmax runs along the last axis, over the keys.",
    demands={
        "each query divides its attention among the keys": "softmax-over-queries",
        "from attn_scores": "no-softmax",
    },
    hints=(
        "Each query shares out its attention over all keys. So which way must the weights add up to 1?",
        "`torch.softmax` needs `dim`: the axis that it runs along, and that adds up to 1 afterwards.",
        "`attn_weights = torch.softmax(attn_scores, dim=-1)`",
    ),
    wrong=wrongs("""
        softmax-over-queries: dim=-1 → dim=0
            hint: These are the weights you get when softmax runs over dim=0: each column adds up to 1. A
                query's weights are in a row: use dim=-1, do not transpose, and where you divide by a
                sum of your own, keep its axis with `sum(dim=-1, keepdim=True)`.
        softmax-over-everything: = attn_scores.flatten().softmax(dim=0).view(6, 6)
        shares-of-raw-scores: = attn_scores / attn_scores.sum(1, True)
            hint: The scores were divided by their sum. Softmax takes the exponential of each first.
        shares-of-raw-scores: = attn_scores / attn_scores.sum(0, True)
            hint: The scores were divided by the sum of their column. Softmax takes the exponential of each first, and
                shares out each row.
        divided-by-total: = attn_scores / attn_scores.sum()
            hint: The scores were divided by their sum. Softmax takes the exponential of each first.
        not-normalised: = torch.exp(attn_scores)
        scaled-unasked: (attn_scores → (attn_scores / inputs.shape[1] ** 0.5
        softmax-twice: (attn_scores → (torch.softmax(attn_scores, dim=-1)
        log-softmax: torch.softmax → torch.log_softmax
        scores-negated: (attn_scores → (-attn_scores
        no-softmax: = attn_scores
        one-query-only: (attn_scores → (attn_scores[1]
            hint: This is the result of one query. Take all tokens as queries at once.
        sigmoid-for-softmax: = torch.sigmoid(attn_scores)
        """),
    right=rights("""
        dim-one: dim=-1 → dim=1
        by-hand: = attn_scores.exp() / attn_scores.exp().sum(dim=1, keepdim=True)
        row-by-row: = torch.stack([torch.softmax(row, dim=0) for row in attn_scores])
        module: = torch.nn.Softmax(dim=-1)(attn_scores)
        """),
)

ALL_CONTEXTS = Task(
    id="all-contexts",
    title="All context vectors",
    name="all_context_vecs",
    kind="tensor",
    signature="all_context_vecs",
    axes=("tokens", "d_in"),
    needs=("all-weights",),
    checks=(Check("one context vector for each token", 2),),
    learned="`attn_weights @ inputs` is all six weighted sums at once. Row 1 is the context vector you built by hand.",
    demands={
        "one row for each token": "one-query-only",
        "from attn_weights and inputs": "weights-on-the-right",
    },
    hints=(
        "One context vector was `attn_weights_2 @ inputs`. Now there is a matrix of weights.",
        "The weights have shape (6, 6) and the inputs (6, 3). Which product of the two has shape (6, 3)?",
        "`all_context_vecs = attn_weights @ inputs`",
    ),
    words={"values": "inputs"},
    wrong=wrongs("""
        weights-on-the-right: attn_weights → attn_weights.T
            hint: Each context is summed with a column of the weights instead of a row. Either the weights
                are transposed, or their softmax ran over dim=0. Here the two are the same, because the
                scores are symmetric.
        no-softmax: attn_weights → attn_scores
        transposed-result: = inputs.T @ attn_weights.T
            hint: This is the result transposed: one column for each token. Keep one row for each token.
        weights-not-used: attn_weights → torch.full_like(attn_weights, 1 / len(inputs))
        weights-not-used: attn_weights → torch.ones_like(attn_weights)
        weights-meet-one-token: attn_weights @ →
        factors-swapped: = inputs.T @ attn_weights
        residual-added: `= ` → `= inputs + `
        weights-times-weights: @ inputs → @ attn_weights
        attended-twice: @ inputs → @ attn_weights @ inputs
        shares-of-raw-scores: attn_weights → attn_scores / attn_scores.sum(1, True)
            hint: The scores were divided by their sum. Softmax takes the exponential of each first.
        one-query-for-all: attn_weights → attn_weights[1].expand_as(attn_weights)
            hint: Every row belongs to the same query. Row i must belong to query i.
        one-query-only: attn_weights → attn_weights[1]
            hint: This is the result of one query. Take all tokens as queries at once.
        mean-for-sum: @ inputs → @ inputs / len(inputs)
        largest-only: = inputs[attn_weights.argmax(dim=-1)]
        weights-returned: @ inputs →
        """),
    right=rights("""
        matmul: = torch.matmul(attn_weights, inputs)
        einsum: = torch.einsum("qk,kd->qd", attn_weights, inputs)
        transposed-twice: = (inputs.T @ attn_weights.T).T
        row-by-row: = torch.stack([row @ inputs for row in attn_weights])
        """),
)

SIMPLE_ATTENTION = Task(
    id="simple-attention",
    title="Self-attention without trained weights",
    name="simple_attention",
    kind="function",
    signature="simple_attention(x)",
    axes=("tokens", "d_in"),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        Probe("sentence", "the sentence", {"x": SENTENCE}),
        Probe("other-sentence", "six other tokens", {"x": OTHER_SENTENCE}),
        Probe("other-tokens", "four tokens of five dimensions", {"x": OTHER_TOKENS}),
        Probe("large-tokens", "six tokens with large coordinates", {"x": LARGE_TOKENS}),
    ),
    checks=(
        Check("six tokens of three dimensions", 1, ("sentence", "other-sentence")),
        Check("any number of tokens and dimensions", 1, ("other-tokens",)),
        Check("large scores", 1, ("large-tokens",)),
    ),
    learned="Scores, weights, context: three lines, and everything that follows in this course is built on them.",
    demands={
        "from tokens to context vectors": "weights-returned",
        "for any number of tokens and dimensions": "sizes-typed-in",
        "for large scores": "exp-overflows",
    },
    hints=(
        "It is the last three tasks, one after the other, with `x` in place of `inputs`.",
        "`scores = x @ x.T`, then softmax along the last axis, then the weighted sum of the rows of `x`.",
        "The last line is `return weights @ x`.",
    ),
    words={"values": "x", "swap": "x.T"},
    wrong=wrongs("""
        softmax-over-queries: dim=-1 → dim=0
            hint: Each context is summed with weights that add up to 1 down the columns: softmax ran over
                dim=0, or the weights were transposed. Run softmax over dim=-1, and multiply the weights
                with `x` as they are.
        no-softmax: torch.softmax(scores, dim=-1) → scores
        shares-of-raw-scores: = x @ x.T / (x @ x.T).sum(1, True) @ x
            hint: The scores were divided by their sum. Softmax takes the exponential of each first.
        scaled-unasked: x.T  # → x.T / x.shape[1] ** 0.5  #
        weights-returned: weights @ x → weights
        scores-returned: weights @ x → scores
        exp-overflows: torch.softmax(scores, dim=-1) → torch.exp(scores) / torch.exp(scores).sum(-1, True)
            hint: Where scores are large, exp() is inf and the weights are nan. Use `torch.softmax`, or
                subtract each row's largest score first.
        one-maximum-for-all: torch.softmax(scores, dim=-1) → torch.exp(scores - scores.max()) / torch.exp(scores - scores.max()).sum(-1, True)
            hint: The largest of all scores is subtracted from each row. A row whose scores are far below it
                gets 0 / 0. Subtract the row's own largest score.
        sums-without-keepdim: torch.softmax(scores, dim=-1) → scores.exp() / scores.exp().sum(-1)
        softmax-over-everything: torch.softmax(scores, dim=-1) → scores.flatten().softmax(dim=0).view_as(scores)
        softmax-twice: (scores → (torch.softmax(scores, dim=-1)
        log-softmax: torch.softmax → torch.log_softmax
        scores-negated: (scores → (-scores
        residual-added: return weights → return x + weights
        keys-reshaped: x.T → x.reshape(x.shape[1], x.shape[0])
        cosine: x @ x.T → torch.cosine_similarity(x[:, None], x[None], dim=-1)
        distances: x @ x.T → torch.cdist(x, x)
        dimensions-for-tokens: x @ x.T → x.T @ x
            weights @ x → x @ weights
        transposed-result: weights @ x → (weights @ x).T
            hint: This is the result transposed: one column for each token. Keep one row for each token.
        factors-swapped: weights @ x → x.T @ weights
        weights-times-weights: @ x  # → @ weights  #
        attended-twice: @ x  # → @ weights @ x  #
        mean-for-sum: @ x  # → @ x / len(x)  #
        weights-not-used: weights @ x → x.mean(dim=0).expand_as(x)
        largest-only: weights @ x → x[weights.argmax(dim=-1)]
        one-query-only: return weights → return weights[1]
            hint: This is the result of one token. Compute those of all tokens at once.
        sizes-typed-in: = torch.stack([(x @ x[i]).softmax(dim=0) @ x for i in range(6)])
        half-precision: weights @ x → (weights.half() @ x.half()).float()
        rounded: weights @ x → (weights @ x).round(decimals=4)
        reads-the-notebook: scores = → x = inputs↵scores =
        reads-the-notebook: x @ x.T → inputs @ inputs.T
            hint: One of the steps uses the sentence of the notebook, or what was made of it. Use the argument `x` in all of them.
        reads-the-notebook: weights @ x → weights @ inputs
            hint: One of the steps uses the sentence of the notebook, or what was made of it. Use the argument `x` in all of them.
        edits-its-argument: return weights @ x → x[:] = weights @ x↵return x
        scaled-unasked: x.T  # → x.T / x.shape[1]  #
            hint: The scores are divided by the width of a token. Nothing is scaled in this lesson.
        """),
    right=rights("""
        one-line: = torch.softmax(x @ x.mT, -1) @ x
        scaled-dot-product-attention: = torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None], scale=1.0)[0]
        einsum: x @ x.T → torch.einsum("id,jd->ij", x, x)
            weights @ x → torch.einsum("qk,kd->qd", weights, x)
        row-by-row: = torch.stack([torch.softmax(x @ row, dim=0) @ x for row in x])
        logsumexp: torch.softmax(scores, dim=-1) → torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True))
        """),
)

LESSON = Lesson(
    title="01 · From a dot product to attention",
    given_axes={"inputs": ("tokens", "d_in")},
    redraw=redraw,
    tasks=(
        DOT,
        QUERY_SCORES,
        SOFTMAX_NAIVE,
        SOFTMAX_STABLE,
        CONTEXT_VECTOR,
        SCORES_LOOPS,
        ALL_SCORES,
        ALL_WEIGHTS,
        ALL_CONTEXTS,
        SIMPLE_ATTENTION,
    ),
)
