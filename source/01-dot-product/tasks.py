"""The tasks of lesson 01: their probes, the wrong answers people give, and the hint each deserves."""

import torch

from autograder.authoring import (
    Check,
    Forbid,
    Lesson,
    Probe,
    Right,
    Task,
    Wrong,
    edit,
    instead,
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
# another check is about sizes.
LARGE_TOKENS = torch.tensor(
    [[29.0, 5, 2], [30, 1, -3], [-10, 4, 6], [12, -20, 5], [3, 25, -14], [-7, -9, 18]]
)


def redraw(generator: torch.Generator) -> dict:
    """Six other tokens with positive coordinates, so that dividing by the sum stays defined."""
    return {"inputs": torch.rand(6, 3, generator=generator)}


# What several tasks say instead of a mistake's own hint.
SHARES = "The scores were divided by their sum. Softmax takes the exponential of each first."
TURNED = "This is the result transposed: one column for each token. Keep one row for each token."
READS = "One of the steps uses the notebook's `inputs`. Use the argument `x` in all of them."


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
            {"a": torch.tensor([3.0]), "b": torch.tensor([-0.5])},
        ),
    ),
    checks=(
        Check("vectors of three dimensions", 1, ("journey-your", "two-others")),
        Check("vectors of any length, with negative numbers", 1, ("five-dimensions", "one-dimension")),
    ),
    learned="A dot product multiplies two vectors number by number and adds the products up. "
    "It is large where both are large in the same places.",
    hints=(
        "Two things happen: numbers in the same place are multiplied, and the products are added up.",
        "Start from `total = 0.0` and go through the positions with `for i in range(len(a)):`.",
        "Inside the loop stands `total = total + a[i] * b[i]`. After the loop, return `total`.",
    ),
    words={"x": "a"},
    wrong=(
        Wrong("products-not-added", returns("a * b")),
        Wrong("product-of-sums", returns("a.sum() * b.sum()")),
        Wrong("sizes-typed-in", edit("len(a)", "3")),
        Wrong("mean-for-sum", edit("return total", "return total / len(a)")),
        Wrong("added-for-multiplied", edit(" * ", " + ")),
        Wrong("return-inside-loop", edit("    return total", "        return total")),
        Wrong("overwritten-in-loop", edit("total + ", "")),
        Wrong("loop-stops-early", edit("len(a)", "len(a) - 1")),
        Wrong("loop-starts-late", edit("len(a)", "1, len(a)")),
        Wrong("cosine", edit("return total", "return total / (a.norm() * b.norm())")),
        Wrong("one-vector-twice", edit("b[i]", "a[i]")),
        Wrong("one-vector-twice", edit("a[i]", "b[i]")),
        Wrong("distances", edit("a[i] * b[i]", "(a[i] - b[i]) ** 2")),
        Wrong("distances", returns("(a - b).norm()")),
        Wrong("absolute-values", edit("a[i] * b[i]", "abs(a[i] * b[i])")),
        Wrong("absolute-values", edit("return total", "return abs(total)")),
        Wrong("sum-not-from-zero", edit("0.0", "1.0")),
        Wrong("rounded", edit("return total", "return round(float(total), 2)")),
        Wrong("edits-its-argument", returns("a.mul_(b).sum()")),
        Wrong("reads-the-notebook", returns("torch.dot(input_query, input_1)")),
        Wrong("reads-the-notebook", edit("a[i] * b[i]", "input_query[i] * input_1[i]")),
    ),
    right=(
        Right("torch-dot", instead("dot = torch.dot")),
        Right("multiply-and-sum", returns("(a * b).sum()")),
        Right("matmul", returns("a @ b")),
        Right("einsum", returns('torch.einsum("i,i->", a, b)')),
        Right("python-float", returns("sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))")),
        Right("double", returns("torch.dot(a.double(), b.double())")),
    ),
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
    hints=(
        "You need one dot product for each row of `inputs`, always with `query`.",
        "Make room with `torch.zeros(inputs.shape[0])` and fill it in a loop, "
        "or collect the numbers in a list and `torch.stack` it.",
        "`for i, x_i in enumerate(inputs): attn_scores_2[i] = dot(query, x_i)`",
    ),
    words={"sum_over": "the dimensions: `sum(dim=1)`"},
    wrong=(
        Wrong("wrong-query", edit("inputs[1]", "inputs[2]")),
        Wrong("wrong-query", edit("inputs[1]", "inputs[0]")),
        Wrong("overwritten-in-loop", edit("attn_scores_2[i] =", "attn_scores_2 =")),
        Wrong("row-overwritten", edit("attn_scores_2[i] =", "attn_scores_2[:] =")),
        Wrong("row-overwritten", edit("attn_scores_2[i] =", "attn_scores_2 +=")),
        Wrong("all-queries-at-once", returns("inputs @ inputs.T")),
        Wrong(
            "products-not-added",
            edit("torch.zeros(inputs.shape[0])", "torch.zeros_like(inputs)"),
            edit("dot(query, x_i)", "query * x_i"),
        ),
        Wrong("summed-over-other-axis", returns("(inputs * inputs[1]).sum(dim=0)")),
        Wrong("softmax-too-early", edit("x_i)", "x_i)\nattn_scores_2 = torch.softmax(attn_scores_2, dim=0)")),
        Wrong("scaled-unasked", edit("= dot", "= inputs.shape[1] ** -0.5 * dot")),
        Wrong("cosine", edit("dot(query, x_i)", "torch.cosine_similarity(query, x_i, dim=0)")),
        Wrong("distances", edit("dot(query, x_i)", "(query - x_i).norm()")),
        Wrong("distances", edit("dot(query, x_i)", "((query - x_i) ** 2).sum()")),
        Wrong("one-vector-twice", edit("(query", "(x_i")),
        Wrong("one-vector-twice", edit(" x_i)", " query)")),
        Wrong("loop-stops-early", edit("enumerate(inputs)", "enumerate(inputs[:-1])")),
        Wrong("loop-starts-late", edit("enumerate(inputs)", "list(enumerate(inputs))[1:]")),
        Wrong("loop-starts-late", edit("enumerate(inputs)", "enumerate(inputs[1:])")),
    ),
    right=(
        Right("matmul", returns("inputs @ inputs[1]")),
        Right("matmul-from-the-left", edit("torch.zeros(inputs.shape[0])", "query @ inputs.T")),
        Right("einsum", returns('torch.einsum("td,d->t", inputs, inputs[1])')),
        Right("stack", returns("torch.stack([torch.dot(inputs[1], x) for x in inputs])")),
        Right("double", returns("inputs.double() @ inputs[1].double()")),
    ),
)

SOFTMAX_NAIVE = Task(
    id="softmax-naive",
    title="Softmax, straight from its formula",
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
    hints=(
        "`torch.exp(x)` takes the exponential of every entry. What must those add up to?",
        "Divide the exponentials by their own sum, not by the sum of the scores.",
        "`return torch.exp(x) / torch.exp(x).sum()`",
    ),
    wrong=(
        Wrong("divided-by-sum-of-scores", edit("exponentials.sum()", "x.sum()")),
        Wrong("shares-of-raw-scores", edit("torch.exp(x)", "x"), hint=SHARES),
        Wrong("subtracted-for-divided", edit(" / exponentials", " - exponentials")),
        Wrong("not-normalised", edit(" / exponentials.sum()", "")),
        Wrong("divided-by-largest", edit(".sum()", ".max()")),
        Wrong(
            "fraction-upside-down",
            edit("exponentials / exponentials.sum()", "exponentials.sum() / exponentials"),
        ),
        Wrong("subtracted-for-divided", edit(" / exponentials", " - exponentials")),
        Wrong("shifted-after-exp", edit("torch.exp(x)", "torch.exp(x) - torch.exp(x).max()")),
        Wrong("other-base", edit("torch.exp(x)", "2**x")),
        Wrong("other-base", edit("torch.exp(x)", "10**x")),
        Wrong("scores-negated", edit("exp(x)", "exp(-x)")),
        Wrong("absolute-values", edit("exp(x)", "exp(x.abs())")),
        Wrong("log-softmax", edit(" / exponentials.sum()", ".div(exponentials.sum()).log()")),
        Wrong("mean-for-sum", edit(".sum()", ".mean()")),
        Wrong("exp-of-sum", edit("exponentials.sum()", "torch.exp(x.sum())")),
        Wrong("softmax-twice", edit("exp(x)", "exp(torch.exp(x) / torch.exp(x).sum())")),
        Wrong("scores-above-the-line", edit("return exponentials", "return x")),
        Wrong("softmax-after-division", edit("exp(x)", "exp(x / x.sum())")),
        Wrong("exp-after-division", edit("exp(x)", "exp(x / x.sum())"), edit(" / exponentials.sum()", "")),
        Wrong("sigmoid-for-softmax", returns("torch.sigmoid(x)")),
        Wrong("sigmoid-for-softmax", edit("torch.exp(x)", "torch.sigmoid(x)")),
        Wrong("rounded", edit(" / exponentials.sum()", ".div(exponentials.sum()).round(decimals=4)")),
        Wrong("edits-its-argument", edit("torch.exp(x)", "x.exp_()")),
        Wrong("reads-the-notebook", edit("exp(x)", "exp(attn_scores_2)")),
    ),
    right=(
        Right("subtract-largest", edit("exp(x)", "exp(x - x.max())")),
        Right("power-of-e", edit("torch.exp(x)", "torch.e**x")),
        Right("double", edit("torch.exp(x)", "x.double().exp()")),
    ),
    forbids=Forbid(
        ("softmax",),
        points=2,
        caught=(
            Right("torch-softmax", returns("torch.softmax(x, dim=0)")),
            Right("a-layer", instead("softmax_naive = torch.nn.Softmax(dim=0).forward")),
        ),
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
        Check("scores near 1000", 1, ("large",)),
        Check("scores near −1000", 1, ("very-negative",)),
    ),
    learned="Adding one number to all scores leaves the weights as they are. So subtract the largest: then no "
    "exponential is above 1, and their sum is at least 1.",
    hints=(
        "What happens to the weights when every score goes down by the same number? Try it with `softmax_naive`.",
        "Which number must you subtract so that no exponential can overflow, however large the scores are?",
        "`shifted = x - x.max()`, then go on as in `softmax_naive` with `shifted`.",
    ),
    wrong=(
        Wrong(
            "exp-overflows",
            edit(" - x.max()", ""),
            hint="exp() of 1000 is inf, and inf/inf is nan; near −1000 every exponential is 0, and 0/0 is "
            "nan. Shift the scores first: what you subtract has to be the largest score of `x`.",
        ),
        Wrong("shifted-by-other-number", edit("x.max()", "x.mean()")),
        Wrong("shifted-by-other-number", edit("x.max()", "x.min()")),
        Wrong("shifted-by-other-number", edit("x.max()", "x.abs().max()")),
        Wrong("shifted-by-other-number", edit("x.max()", "1000")),
        Wrong("shifted-by-other-number", edit("x.max()", "x.sum()")),
        Wrong("shifted-by-other-number", edit("x.max()", "x[0]")),
        Wrong("shifted-by-other-number", edit("x.max()", "x[-1]")),
        Wrong("shift-as-division", edit(" - ", " / ")),
        Wrong(
            "shifted-after-exp", edit("x - x.max()", "x"), edit("(shifted)", "(shifted) - torch.exp(x).max()")
        ),
        Wrong("shift-added", edit(" - ", " + ")),
        Wrong("scores-negated", edit("exp(shifted)", "exp(-shifted)")),
        Wrong("shifted-on-one-side", edit("exponentials.sum()", "torch.exp(x).sum()")),
        Wrong("shifted-on-one-side", edit("return exponentials", "return torch.exp(x)")),
        Wrong("not-normalised", edit(" / exponentials.sum()", "")),
        Wrong("mean-for-sum", edit(".sum()", ".mean()")),
        Wrong("scores-above-the-line", edit("return exponentials", "return shifted")),
        Wrong("clamped", edit("x - x.max()", "x.clamp(-80, 80)")),
        Wrong("clamped", edit("x - x.max()", "x.clamp(max=80)")),
        Wrong(
            "nan-replaced",
            edit(" - x.max()", ""),
            edit(" / exponentials.sum()", ".div(exponentials.sum()).nan_to_num(0.0)"),
        ),
        Wrong("small-number-added", edit(" - x.max()", ""), edit(".sum()", ".sum().add(1e-9)")),
        Wrong("shift-only-when-large", edit("x.max()", "x.max().clamp(min=0)")),
        Wrong("softmax-twice", edit("exp(shifted)", "exp(torch.exp(shifted) / torch.exp(shifted).sum())")),
        Wrong("other-base", edit("torch.exp(shifted)", "2**shifted")),
        Wrong("log-softmax", edit(" / exponentials.sum()", ".div(exponentials.sum()).log()")),
        Wrong("edits-its-argument", edit("x - x.max()", "x.sub_(x.max())")),
    ),
    right=(
        Right("logsumexp", returns("torch.exp(x - torch.logsumexp(x, dim=0))")),
        Right("amax-keepdim", edit("x.max()", "x.amax(-1, True)"), edit(".sum()", ".sum(-1, True)")),
        Right("double", edit("exp(shifted)", "exp(shifted.double())")),
    ),
    forbids=Forbid(
        ("softmax",),
        points=3,
        caught=(
            Right("torch-softmax", returns("torch.softmax(x, dim=0)")),
            Right("log-softmax", returns("torch.log_softmax(x, dim=-1).exp()")),
        ),
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
    hints=(
        "Multiply each token's vector by that token's weight, and add the six vectors up.",
        "Start from `torch.zeros(inputs.shape[1])` and add `attn_weights_2[i] * inputs[i]` in a loop.",
        "Or in one step: `attn_weights_2 @ inputs`.",
    ),
    words={"sum_over": "the tokens: `sum(dim=0)`"},
    wrong=(
        Wrong(
            "products-not-added",
            edit("torch.zeros(inputs.shape[1])", "torch.zeros_like(inputs)"),
            edit("context_vec_2 +=", "context_vec_2[i] ="),
        ),
        Wrong(
            "summed-over-other-axis",
            edit("inputs.shape[1]", "inputs.shape[0]"),
            edit(
                "context_vec_2 += attn_weights_2[i] * x_i", "context_vec_2[i] = attn_weights_2[i] * x_i.sum()"
            ),
        ),
        Wrong("no-softmax", edit("attn_weights_2[i]", "attn_scores_2[i]")),
        Wrong("shares-of-raw-scores", edit("attn_weights_2[i]", "attn_weights_2_tmp[i]"), hint=SHARES),
        Wrong("weights-not-used", edit("attn_weights_2[i]", "1 / len(inputs)")),
        Wrong("weights-not-used", edit("attn_weights_2[i] * ", "")),
        Wrong("residual-added", edit("torch.zeros(inputs.shape[1])", "query.clone()")),
        Wrong("sum-not-from-zero", edit("torch.zeros", "torch.ones")),
        Wrong("weights-meet-one-token", edit("* x_i", "* query")),
        Wrong("largest-only", returns("attn_weights_2.max() * inputs[attn_weights_2.argmax()]")),
        Wrong("mean-for-sum", edit("* x_i", "* x_i / len(inputs)")),
        Wrong("overwritten-in-loop", edit("+=", "=")),
        Wrong("loop-stops-early", edit("enumerate(inputs)", "enumerate(inputs[:-1])")),
        Wrong("loop-starts-late", edit("enumerate(inputs)", "list(enumerate(inputs))[1:]")),
        Wrong("loop-starts-late", edit("enumerate(inputs)", "enumerate(inputs[1:])")),
    ),
    right=(
        Right("matmul", returns("attn_weights_2 @ inputs")),
        Right("transposed", returns("inputs.T @ attn_weights_2")),
        Right("einsum", returns('torch.einsum("t,td->d", attn_weights_2, inputs)')),
        Right("broadcast", returns("(attn_weights_2.unsqueeze(1) * inputs).sum(0)")),
    ),
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
    hints=(
        "One loop goes through the queries, a second one inside it through the keys.",
        "`scores = torch.zeros(len(x), len(x))` makes room for any number of tokens.",
        "Inside both loops stands `scores[i, j] = dot(x[i], x[j])`.",
    ),
    wrong=(
        Wrong(
            "dimensions-for-tokens", edit("x.shape[0]", "x.shape[1]"), edit("x[i], x[j]", "x.T[i], x.T[j]")
        ),
        Wrong("dimensions-for-tokens", edit("x.shape[0]", "x.shape[1]")),
        Wrong("sizes-typed-in", edit("x.shape[0]", "6")),
        Wrong("one-half-only", edit("j in range(num_tokens)", "j in range(i, num_tokens)")),
        Wrong("one-half-only", edit("j in range(num_tokens)", "j in range(i + 1)")),
        Wrong("one-half-only", edit("j in range(num_tokens)", "j in range(i + 1, num_tokens)")),
        Wrong("one-half-only", edit("j in range(num_tokens)", "j in range(i)")),
        Wrong("row-overwritten", edit("scores[i, j]", "scores[i]")),
        Wrong("overwritten-in-loop", edit("scores[i, j]", "scores")),
        Wrong("one-vector-twice", edit("x[j]", "x[i]")),
        Wrong("one-vector-twice", edit("x[i]", "x[j]")),
        Wrong("diagonal-only", edit("j in range(num_tokens)", "j in (i,)")),
        Wrong("softmax-too-early", edit("return scores", "return torch.softmax(scores, dim=-1)")),
        Wrong("one-query-for-all", edit("x[i]", "x[0]")),
        Wrong("scaled-unasked", edit("= dot", "= x.shape[1] ** -0.5 * dot")),
        Wrong("mean-for-sum", edit("dot(x[i], x[j])", "dot(x[i], x[j]) / x.shape[1]")),
        Wrong("added-for-multiplied", edit("dot(x[i], x[j])", "(x[i] + x[j]).sum()")),
        Wrong("products-not-added", returns("x[:, None] * x")),
        Wrong("wrong-query", edit("x[i]", "x[1]")),
        Wrong("cosine", edit("dot(x[i], x[j])", "torch.cosine_similarity(x[i], x[j], dim=0)")),
        Wrong("distances", edit("dot(x[i], x[j])", "(x[i] - x[j]).norm()")),
        Wrong("return-inside-loop", edit("    return scores", "        return scores")),
        Wrong("return-inside-loop", edit("    return scores", "            return scores")),
        Wrong("loop-stops-early", edit("i in range(num_tokens)", "i in range(num_tokens - 1)")),
        Wrong("loop-stops-early", edit("j in range(num_tokens)", "j in range(num_tokens - 1)")),
        Wrong("loop-starts-late", edit("i in range(num_tokens)", "i in range(1, num_tokens)")),
        Wrong("loop-starts-late", edit("j in range(num_tokens)", "j in range(1, num_tokens)")),
        Wrong(
            "reads-the-notebook",
            edit("x.shape[0]", "inputs.shape[0]"),
            edit("x[i], x[j]", "inputs[i], inputs[j]"),
        ),
        Wrong("reads-the-notebook", edit("x[i], x[j]", "inputs[i], inputs[j]"), hint=READS),
        Wrong("reads-the-notebook", edit("x[i]", "inputs[i]"), hint=READS),
    ),
    right=(
        Right("matmul", returns("x @ x.T")),
        Right("einsum", returns('torch.einsum("id,jd->ij", x, x)')),
        Right("stacked-rows", returns("torch.stack([torch.stack([a @ b for b in x]) for a in x])")),
        Right("broadcast", returns("(x[:, None, :] * x[None, :, :]).sum(-1)")),
    ),
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
    hints=(
        "A matrix product takes dot products of rows on the left with columns on the right.",
        "You want rows with rows. What turns the rows of `inputs` into columns?",
        "`attn_scores = inputs @ inputs.T`",
    ),
    words={"x": "inputs", "swap": "inputs.T"},
    wrong=(
        Wrong("dimensions-for-tokens", edit("inputs @ inputs.T", "inputs.T @ inputs")),
        Wrong("elementwise-product", edit("@ inputs.T", "* inputs")),
        Wrong("one-query-only", edit("inputs.T", "inputs[1]")),
        Wrong("scaled-unasked", edit(" @", " / inputs.shape[1] ** 0.5 @")),
        Wrong("softmax-too-early", edit("= ", "= torch.softmax("), edit(".T", ".T, dim=-1)")),
        Wrong("cosine", returns("torch.cosine_similarity(inputs[:, None], inputs[None], dim=-1)")),
        Wrong("distances", returns("torch.cdist(inputs, inputs)")),
        Wrong("keys-reshaped", edit("inputs.T", "inputs.reshape(3, 6)")),
        Wrong("one-half-only", returns("torch.tril(inputs @ inputs.T)")),
        Wrong("diagonal-only", returns("torch.diag((inputs * inputs).sum(dim=1))")),
        Wrong("one-vector-twice", returns("(inputs * inputs).sum(dim=1)")),
    ),
    right=(
        Right("matmul", returns("torch.matmul(inputs, inputs.transpose(0, 1))")),
        Right("einsum", returns('torch.einsum("id,jd->ij", inputs, inputs)')),
        Right("own-loops", returns("scores_with_loops(inputs)")),
        Right("inner", returns("torch.inner(inputs, inputs)")),
    ),
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
    hints=(
        "Each query shares out its attention over all keys. So which way must the weights add up to 1?",
        "`torch.softmax` needs `dim`: the axis that it runs along, and that adds up to 1 afterwards.",
        "`attn_weights = torch.softmax(attn_scores, dim=-1)`",
    ),
    wrong=(
        Wrong(
            "softmax-over-queries",
            edit("dim=-1", "dim=0"),
            hint="These are the weights you get when softmax runs over dim=0: each column adds up to 1. A "
            "query's weights stand in a row: use dim=-1, do not transpose, and where you divide by a sum of your "
            "own, keep its axis with `sum(dim=-1, keepdim=True)`.",
        ),
        Wrong("softmax-over-everything", returns("attn_scores.flatten().softmax(dim=0).view(6, 6)")),
        Wrong("shares-of-raw-scores", returns("attn_scores / attn_scores.sum(1, True)"), hint=SHARES),
        Wrong("divided-by-total", returns("attn_scores / attn_scores.sum()"), hint=SHARES),
        Wrong("not-normalised", returns("torch.exp(attn_scores)")),
        Wrong("scaled-unasked", edit("(attn_scores", "(attn_scores / inputs.shape[1] ** 0.5")),
        Wrong("softmax-twice", edit("(attn_scores", "(torch.softmax(attn_scores, dim=-1)")),
        Wrong("log-softmax", edit("torch.softmax", "torch.log_softmax")),
        Wrong("scores-negated", edit("(attn_scores", "(-attn_scores")),
        Wrong("no-softmax", returns("attn_scores")),
        Wrong("one-query-only", edit("(attn_scores", "(attn_scores[1]")),
        Wrong("sigmoid-for-softmax", returns("torch.sigmoid(attn_scores)")),
    ),
    right=(
        Right("dim-one", edit("dim=-1", "dim=1")),
        Right("by-hand", returns("attn_scores.exp() / attn_scores.exp().sum(dim=1, keepdim=True)")),
        Right("row-by-row", returns("torch.stack([torch.softmax(row, dim=0) for row in attn_scores])")),
        Right("module", returns("torch.nn.Softmax(dim=-1)(attn_scores)")),
    ),
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
    hints=(
        "One context vector was `attn_weights_2 @ inputs`. Now there is a matrix of weights.",
        "The weights have shape (6, 6) and the inputs (6, 3). Which product of the two has shape (6, 3)?",
        "`all_context_vecs = attn_weights @ inputs`",
    ),
    words={"values": "inputs"},
    wrong=(
        Wrong(
            "weights-on-the-right",
            edit("attn_weights", "attn_weights.T"),
            hint="Each context is summed with a column of the weights instead of a row. Either the weights "
            "are transposed, or their softmax ran over dim=0. Here the two are the same, because the scores are "
            "symmetric.",
        ),
        Wrong("no-softmax", edit("attn_weights", "attn_scores")),
        Wrong("transposed-result", returns("inputs.T @ attn_weights.T"), hint=TURNED),
        Wrong("weights-not-used", edit("attn_weights", "torch.full_like(attn_weights, 1 / len(inputs))")),
        Wrong("weights-not-used", edit("attn_weights", "torch.ones_like(attn_weights)")),
        Wrong("weights-meet-one-token", edit("attn_weights @ ", "")),
        Wrong("factors-swapped", returns("inputs.T @ attn_weights")),
        Wrong("residual-added", edit("= ", "= inputs + ")),
        Wrong("weights-times-weights", edit("@ inputs", "@ attn_weights")),
        Wrong("attended-twice", edit("@ inputs", "@ attn_weights @ inputs")),
        Wrong(
            "shares-of-raw-scores",
            edit("attn_weights", "attn_scores / attn_scores.sum(1, True)"),
            hint=SHARES,
        ),
        Wrong("one-query-for-all", edit("attn_weights", "attn_weights[1].expand_as(attn_weights)")),
        Wrong("one-query-only", edit("attn_weights", "attn_weights[1]")),
        Wrong("mean-for-sum", edit("@ inputs", "@ inputs / len(inputs)")),
        Wrong("largest-only", returns("inputs[attn_weights.argmax(dim=-1)]")),
        Wrong("weights-returned", edit(" @ inputs", "")),
    ),
    right=(
        Right("matmul", returns("torch.matmul(attn_weights, inputs)")),
        Right("einsum", returns('torch.einsum("qk,kd->qd", attn_weights, inputs)')),
        Right("transposed-twice", returns("(inputs.T @ attn_weights.T).T")),
        Right("row-by-row", returns("torch.stack([row @ inputs for row in attn_weights])")),
    ),
)

SIMPLE_ATTENTION = Task(
    id="simple-attention",
    title="Self-attention without weights to train",
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
    hints=(
        "It is the last three tasks, one after the other, with `x` in place of `inputs`.",
        "`scores = x @ x.T`, then softmax along the last axis, then the weighted sum of the rows of `x`.",
        "The last line is `return weights @ x`.",
    ),
    words={"values": "x", "swap": "x.T"},
    wrong=(
        Wrong(
            "softmax-over-queries",
            edit("dim=-1", "dim=0"),
            hint="Each context is summed with weights that add up to 1 down the columns: softmax ran over "
            "dim=0, or the weights were transposed. Run softmax over dim=-1, and multiply the weights with `x` as "
            "they are.",
        ),
        Wrong("no-softmax", edit("torch.softmax(scores, dim=-1)", "scores")),
        Wrong("shares-of-raw-scores", returns("x @ x.T / (x @ x.T).sum(1, True) @ x"), hint=SHARES),
        Wrong("scaled-unasked", edit("x.T  #", "x.T / x.shape[1] ** 0.5  #")),
        Wrong("weights-returned", edit("weights @ x", "weights")),
        Wrong("scores-returned", edit("weights @ x", "scores")),
        Wrong(
            "exp-overflows",
            edit("torch.softmax(scores, dim=-1)", "torch.exp(scores) / torch.exp(scores).sum(-1, True)"),
            hint="This is right until a score passes 88: then exp() is inf and the weights are nan. "
            "Use `torch.softmax`, or subtract each row's largest score first.",
        ),
        Wrong(
            "sums-without-keepdim",
            edit("torch.softmax(scores, dim=-1)", "scores.exp() / scores.exp().sum(-1)"),
        ),
        Wrong(
            "softmax-over-everything",
            edit("torch.softmax(scores, dim=-1)", "scores.flatten().softmax(dim=0).view_as(scores)"),
        ),
        Wrong("softmax-twice", edit("(scores", "(torch.softmax(scores, dim=-1)")),
        Wrong("log-softmax", edit("torch.softmax", "torch.log_softmax")),
        Wrong("scores-negated", edit("(scores", "(-scores")),
        Wrong("residual-added", edit("return weights", "return x + weights")),
        Wrong("keys-reshaped", edit("x.T", "x.reshape(x.shape[1], x.shape[0])")),
        Wrong("cosine", edit("x @ x.T", "torch.cosine_similarity(x[:, None], x[None], dim=-1)")),
        Wrong("distances", edit("x @ x.T", "torch.cdist(x, x)")),
        Wrong("dimensions-for-tokens", edit("x @ x.T", "x.T @ x"), edit("weights @ x", "x @ weights")),
        Wrong("transposed-result", edit("weights @ x", "(weights @ x).T"), hint=TURNED),
        Wrong("factors-swapped", edit("weights @ x", "x.T @ weights")),
        Wrong("weights-times-weights", edit("@ x  #", "@ weights  #")),
        Wrong("attended-twice", edit("@ x  #", "@ weights @ x  #")),
        Wrong("mean-for-sum", edit("@ x  #", "@ x / len(x)  #")),
        Wrong("weights-not-used", edit("weights @ x", "x.mean(dim=0).expand_as(x)")),
        Wrong("largest-only", edit("weights @ x", "x[weights.argmax(dim=-1)]")),
        Wrong("one-query-only", edit("return weights", "return weights[1]")),
        Wrong("sizes-typed-in", returns("torch.stack([(x @ x[i]).softmax(dim=0) @ x for i in range(6)])")),
        Wrong("half-precision", edit("weights @ x", "(weights.half() @ x.half()).float()")),
        Wrong("rounded", edit("weights @ x", "(weights @ x).round(decimals=4)")),
        Wrong("reads-the-notebook", edit("    scores =", "    x = inputs\n    scores =")),
        Wrong("reads-the-notebook", edit("x @ x.T", "inputs @ inputs.T"), hint=READS),
        Wrong("reads-the-notebook", edit("weights @ x", "weights @ inputs"), hint=READS),
        Wrong("edits-its-argument", edit("return weights @ x", "x[:] = weights @ x\n    return x")),
    ),
    right=(
        Right("one-line", returns("torch.softmax(x @ x.mT, -1) @ x")),
        Right(
            "scaled-dot-product-attention",
            returns(
                "torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None], scale=1.0)[0]"
            ),
        ),
        Right(
            "einsum",
            edit("x @ x.T", 'torch.einsum("id,jd->ij", x, x)'),
            edit("weights @ x", 'torch.einsum("qk,kd->qd", weights, x)'),
        ),
        Right("row-by-row", returns("torch.stack([torch.softmax(x @ row, dim=0) @ x for row in x])")),
    ),
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
