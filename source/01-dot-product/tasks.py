"""The tasks of lesson 01: their probes, the wrong answers people give, and the hint each deserves."""

import torch

from autograder.authoring import Check, Forbid, Lesson, Probe, Property, Right, Task, Wrong

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
OTHER_TOKENS = torch.tensor(
    [
        [0.9, -0.4, 0.1, 0.7, -1.2],
        [-0.3, 0.8, 0.5, -0.6, 0.2],
        [1.1, 0.2, -0.9, 0.4, 0.3],
        [0.6, -1.0, 0.8, -0.2, 0.5],
    ]
)


# Six other tokens of three dimensions: an answer made for one sentence only is not right for this one.
OTHER_SENTENCE = torch.tensor(
    [
        [0.31, 0.62, 0.08],
        [0.94, 0.17, 0.45],
        [0.52, 0.73, 0.26],
        [0.11, 0.39, 0.87],
        [0.68, 0.05, 0.59],
        [0.83, 0.47, 0.21],
    ]
)


def redraw(generator: torch.Generator) -> dict:
    """Six other tokens with positive coordinates, so that dividing by the sum stays defined."""
    return {"inputs": torch.rand(6, 3, generator=generator)}


SUMS_TO_ONE = Property("sums-to-one", {"axis": -1})
NOT_NEGATIVE = Property("not-negative")
SYMMETRIC = Property("symmetric")


def same_vector(a, b):
    return (a * a).sum()


def in_place_exp(x):
    return x.exp_().div_(x.sum())


def in_place_attention(x):
    scores = x @ x.T
    x *= 2
    return torch.softmax(scores, dim=-1) @ (x / 2)


def scores_upper_half(x):
    scores = torch.zeros(len(x), len(x))
    for i in range(len(x)):
        for j in range(i, len(x)):
            scores[i, j] = x[i] @ x[j]
    return scores


def scores_for_six(x):
    scores = torch.empty(6, 6)
    for i in range(6):
        for j in range(6):
            scores[i, j] = x[i] @ x[j]
    return scores


def scores_stacked(x):
    return torch.stack([torch.stack([row @ other for other in x]) for row in x])


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
            "five-dimensions",
            "two vectors of five dimensions",
            {"a": OTHER_TOKENS[0], "b": OTHER_TOKENS[1]},
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
        "Start from `total = 0.0` and walk over the positions with `for i in range(len(a)):`.",
        "Inside the loop stands `total = total + a[i] * b[i]`. After the loop, return `total`.",
    ),
    wrong=(
        Wrong(
            "products-not-added",
            lambda a, b: a * b,
            "You have the products, one for each dimension. A dot product adds them up to a single number.",
        ),
        Wrong(
            "product-of-sums",
            lambda a, b: a.sum() * b.sum(),
            "This is the sum of `a` times the sum of `b`. Multiply number by number first, then add up.",
        ),
        Wrong(
            "three-dimensions-only",
            lambda a, b: a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
            "This adds exactly three products. The sentence has three dimensions; another may have five or one. "
            "Let a loop run over `len(a)`.",
        ),
        Wrong(
            "mean-of-products",
            lambda a, b: (a * b).mean(),
            "This is the mean of the products. A dot product is their sum, not divided by how many there are.",
        ),
        Wrong(
            "sum-instead-of-product",
            lambda a, b: (a + b).sum(),
            "This adds the numbers in the same place. Multiply them, then add up the products.",
        ),
        Wrong(
            "return-inside-loop",
            lambda a, b: a[0] * b[0],
            "This is the first product alone. Does `return` stand inside the loop? "
            "Then the function ends in the first round.",
        ),
        Wrong(
            "last-product-only",
            lambda a, b: a[-1] * b[-1],
            "This is the last product alone: each round replaces the one before. Add to a running total instead.",
        ),
        Wrong(
            "loop-stops-early",
            lambda a, b: (a[:-1] * b[:-1]).sum(),
            "The last dimension is missing. `range(len(a))` already stops before `len(a)`; no `- 1` is needed.",
        ),
        Wrong(
            "loop-starts-late",
            lambda a, b: (a[1:] * b[1:]).sum(),
            "The first dimension is missing: the loop starts at 1. Positions count from 0.",
        ),
        Wrong(
            "cosine",
            lambda a, b: (a * b).sum() / (a.norm() * b.norm()),
            "This is the cosine of the angle: the dot product divided by both lengths. "
            "The task wants the dot product itself.",
        ),
        Wrong(
            "first-vector-twice",
            same_vector,
            "This multiplies `a` with itself; `b` is not used.",
        ),
    ),
    right=(
        Right("torch-dot", torch.dot),
        Right("multiply-and-sum", lambda a, b: (a * b).sum()),
        Right("matmul", lambda a, b: a @ b),
        Right("einsum", lambda a, b: torch.einsum("i,i->", a, b)),
        Right("python-float", lambda a, b: sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))),
        Right("double", lambda a, b: torch.dot(a.double(), b.double())),
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
    wrong=(
        Wrong(
            "third-token",
            lambda inputs: inputs @ inputs[2],
            "These are the scores of “starts”. The second token has index 1, because Python counts from 0.",
        ),
        Wrong(
            "first-token",
            lambda inputs: inputs @ inputs[0],
            "These are the scores of “Your”. The query is “journey”, `inputs[1]`.",
        ),
        Wrong(
            "only-last-score",
            lambda inputs: inputs[-1] @ inputs[1],
            "This is one score, the last token's: each round of the loop replaced the one before. Put it in its "
            "place with `attn_scores_2[i] = …`, or collect the scores in a list.",
        ),
        Wrong(
            "every-token-a-query",
            lambda inputs: inputs @ inputs.T,
            "These are the scores of all six tokens as queries. The task asks for one query's: `inputs[1]`.",
        ),
        Wrong(
            "products-not-added",
            lambda inputs: inputs * inputs[1],
            "These are the products, three for each token. Add up each row to get one score for each token.",
        ),
        Wrong(
            "summed-over-tokens",
            lambda inputs: (inputs * inputs[1]).sum(dim=0),
            "You added the products up over the tokens and kept the dimensions. A score is a sum over the "
            "dimensions: `sum(dim=1)`.",
        ),
        Wrong(
            "already-softmax",
            lambda inputs: torch.softmax(inputs @ inputs[1], dim=0),
            "These are weights already: they add up to 1. The task wants the scores before that step.",
        ),
        Wrong(
            "scaled",
            lambda inputs: inputs @ inputs[1] / inputs.shape[1] ** 0.5,
            "These scores are divided by √d. That is right in lesson 02; here a score is the plain dot product.",
        ),
        Wrong(
            "cosine",
            lambda inputs: torch.cosine_similarity(inputs, inputs[1], dim=1),
            "These are cosines: each score was divided by the lengths of both vectors. Keep the plain dot product.",
        ),
        Wrong(
            "distances",
            lambda inputs: (inputs - inputs[1]).norm(dim=1),
            "These are distances: the query's own is 0. A score is a dot product, largest where vectors agree.",
        ),
        Wrong(
            "own-squares",
            lambda inputs: (inputs * inputs).sum(dim=1),
            "Each token was multiplied with itself. Multiply every token with the query instead.",
        ),
    ),
    right=(
        Right("matmul", lambda inputs: inputs @ inputs[1]),
        Right("matmul-from-the-left", lambda inputs: inputs[1] @ inputs.T),
        Right("einsum", lambda inputs: torch.einsum("td,d->t", inputs, inputs[1])),
        Right("stack", lambda inputs: torch.stack([torch.dot(inputs[1], x) for x in inputs])),
        Right("double", lambda inputs: inputs.double() @ inputs[1].double()),
    ),
)

SUM_WEIGHTS = Task(
    id="sum-weights",
    title="The tempting way to normalise",
    name="attn_weights_2_tmp",
    kind="tensor",
    signature="attn_weights_2_tmp",
    axes=("tokens",),
    properties=(SUMS_TO_ONE,),
    needs=("query-scores",),
    checks=(Check("each score as a share of their sum", 1),),
    learned="Divided by their sum, the scores add up to 1. It works here, and you will see in a moment where it does not.",
    hints=(
        "What do you divide by so that the results add up to 1?",
        "`attn_scores_2.sum()` is that number.",
        "`attn_weights_2_tmp = attn_scores_2 / attn_scores_2.sum()`",
    ),
    wrong=(
        Wrong(
            "softmax-already",
            lambda attn_scores_2: torch.softmax(attn_scores_2, dim=0),
            "This is softmax, which comes next. For now divide each score by the sum of the scores.",
        ),
        Wrong(
            "divided-by-largest",
            lambda attn_scores_2: attn_scores_2 / attn_scores_2.max(),
            "You divided by the largest score: the largest weight is 1. Divide by the sum of the scores.",
        ),
        Wrong(
            "divided-by-count",
            lambda attn_scores_2: attn_scores_2 / len(attn_scores_2),
            "You divided by the number of tokens. Divide by the sum of the scores.",
        ),
        Wrong(
            "divided-by-length",
            lambda attn_scores_2: attn_scores_2 / attn_scores_2.norm(),
            "You divided by the vector's length: now the squares add up to 1. Divide by the plain sum.",
        ),
        Wrong(
            "shifted-to-zero",
            lambda attn_scores_2: (
                (attn_scores_2 - attn_scores_2.min()) / (attn_scores_2.max() - attn_scores_2.min())
            ),
            "This stretches the scores from 0 to 1, but they do not add up to 1. Divide by their sum.",
        ),
        Wrong(
            "minus-sum",
            lambda attn_scores_2: attn_scores_2 - attn_scores_2.sum(),
            "The sum was subtracted. Divide by it.",
        ),
    ),
    right=(
        Right("method", lambda attn_scores_2: attn_scores_2.div(attn_scores_2.sum(dim=0, keepdim=True))),
        Right("normalize", lambda attn_scores_2: torch.nn.functional.normalize(attn_scores_2, p=1, dim=0)),
        Right(
            "loop",
            lambda attn_scores_2: torch.stack([score / attn_scores_2.sum() for score in attn_scores_2]),
        ),
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
    properties=(SUMS_TO_ONE, NOT_NEGATIVE),
    probes=(
        Probe("journey", "the scores of “journey”", {"x": JOURNEY_SCORES}),
        Probe("other-scores", "six other scores", {"x": OTHER_SENTENCE @ OTHER_SENTENCE[0]}),
        Probe(
            "negative-scores",
            "four scores, two of them negative",
            {"x": torch.tensor([1.5, -0.5, 0.0, -2.0])},
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
        Wrong(
            "divided-by-sum-of-scores",
            lambda x: torch.exp(x) / x.sum(),
            "You divided by the sum of the scores. Divide by the sum of their exponentials.",
        ),
        Wrong(
            "no-exp",
            lambda x: x / x.sum(),
            "There is no exp() here: this is the division by the sum from the task before.",
        ),
        Wrong(
            "not-normalised",
            lambda x: torch.exp(x),
            "These are the exponentials. They still have to be divided by their sum.",
        ),
        Wrong(
            "divided-by-largest",
            lambda x: torch.exp(x) / torch.exp(x).max(),
            "The largest weight is 1, so you divided by the largest exponential. Divide by their sum.",
        ),
        Wrong(
            "base-two",
            lambda x: 2**x / (2**x).sum(),
            "This takes powers of 2. Softmax takes powers of e, which `torch.exp` does.",
        ),
        Wrong(
            "sign-flipped",
            lambda x: torch.softmax(-x, dim=0),
            "The smallest score has the largest weight here: a minus sign is one too many.",
        ),
        Wrong(
            "log-softmax",
            lambda x: torch.log_softmax(x, dim=0),
            "These are the logarithms of the weights: leave out the log.",
        ),
        Wrong(
            "mean-of-exponentials",
            lambda x: torch.exp(x) / torch.exp(x).mean(),
            "You divided by the mean of the exponentials, so the weights add up to the number of tokens. "
            "Divide by their sum.",
        ),
        Wrong(
            "divided-by-exp-of-sum",
            lambda x: torch.exp(x) / torch.exp(x.sum()),
            "You divided by the exponential of the sum. Take the exponentials first, then add them up.",
        ),
        Wrong(
            "softmax-twice",
            lambda x: torch.softmax(torch.softmax(x, dim=0), dim=0),
            "Softmax was applied twice: the weights are nearly all equal. Apply it to the scores, once.",
        ),
        Wrong(
            "scores-over-exponentials",
            lambda x: x / torch.exp(x).sum(),
            "Above the fraction line stands the score itself. Its exponential belongs there.",
        ),
        Wrong(
            "exp-of-shares",
            lambda x: torch.exp(x / x.sum()),
            "The exponential was taken after dividing by the sum. Take it first, then divide.",
        ),
        Wrong(
            "edited-in-place",
            in_place_exp,
            "A method that ends in `_`, like `exp_`, overwrites the tensor it is called on: here the caller's "
            "scores. Use `torch.exp(x)`, which makes a new one.",
        ),
        Wrong(
            "reads-the-notebook",
            lambda x: torch.softmax(JOURNEY_SCORES, dim=0),
            "These are the weights of “journey” whatever the function is called with. "
            "Use the argument `x`, not a variable of the notebook.",
        ),
    ),
    right=(
        Right("subtract-largest", lambda x: torch.exp(x - x.max()) / torch.exp(x - x.max()).sum()),
        Right("power-of-e", lambda x: torch.e**x / (torch.e**x).sum()),
        Right("double", lambda x: x.double().exp() / x.double().exp().sum()),
    ),
    forbids=Forbid(
        ("softmax",),
        points=2,
        caught=(
            Right("torch-softmax", lambda x: torch.softmax(x, dim=0)),
            Right("a-layer", torch.nn.Softmax(dim=0).forward),
        ),
    ),
)

# A spread so wide that subtracting the mean, or anything but the largest, still overflows.
WIDE_SCORES = torch.tensor([0.0, 3.0, 1000.0, 1001.5])
LOW_SCORES = torch.tensor([-1000.0, -1001.0, -1003.0])

SOFTMAX_STABLE = Task(
    id="softmax-stable",
    title="A softmax that survives large scores",
    name="softmax_stable",
    kind="function",
    signature="softmax_stable(x)",
    axes=("tokens",),
    input_axes={"x": ("tokens",)},
    properties=(SUMS_TO_ONE, NOT_NEGATIVE),
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
            "naive",
            lambda x: torch.exp(x) / torch.exp(x).sum(),
            "exp() of 1000 is inf, and inf/inf is nan; near −1000 every exponential is 0, and 0/0 is nan. "
            "Shift the scores first: what you subtract has to be the largest score of `x`.",
        ),
        Wrong(
            "subtract-mean",
            lambda x: torch.exp(x - x.mean()) / torch.exp(x - x.mean()).sum(),
            "You subtract the mean. The largest score can still lie hundreds above it. Subtract the largest.",
        ),
        Wrong(
            "subtract-smallest",
            lambda x: torch.exp(x - x.min()) / torch.exp(x - x.min()).sum(),
            "You subtract the smallest score, which leaves the large ones large. Subtract the largest.",
        ),
        Wrong(
            "divide-by-largest",
            lambda x: torch.softmax(x / x.max(), dim=0),
            "You divide by the largest score. That changes the weights; subtracting it does not.",
        ),
        Wrong(
            "subtract-above-only",
            lambda x: torch.exp(x - x.max()) / torch.exp(x).sum(),
            "You shifted the scores above the fraction line only. Below it they must be shifted too.",
        ),
        Wrong(
            "not-normalised",
            lambda x: torch.exp(x - x.max()),
            "The shift is right. Now divide by the sum of the shifted exponentials.",
        ),
        Wrong(
            "clamped",
            lambda x: torch.softmax(x.clamp(-80, 80), dim=0),
            "The scores were cut off at ±80. Then 1000 and 1001.5 count as equal; a shift keeps them apart.",
        ),
        Wrong(
            "nan-replaced",
            lambda x: (torch.exp(x) / torch.exp(x).sum()).nan_to_num(0.0),
            "Replacing nan by 0 hides the overflow: the largest scores get the weight 0. Prevent it instead.",
        ),
        Wrong(
            "small-number-added",
            lambda x: torch.exp(x) / (torch.exp(x).sum() + 1e-9),
            "A small number below the fraction line avoids 0/0 but not inf/inf, and for very negative scores "
            "every weight comes out as 0. Subtract the largest score instead.",
        ),
        Wrong(
            "added-largest",
            lambda x: torch.exp(x + x.max()) / torch.exp(x + x.max()).sum(),
            "You add the largest score; it has to be subtracted.",
        ),
        Wrong(
            "absolute-largest",
            lambda x: torch.exp(x - x.abs().max()) / torch.exp(x - x.abs().max()).sum(),
            "You subtract the largest absolute value. With scores near −1000 that pushes them to −2000, and every "
            "exponential becomes 0. Subtract `x.max()`.",
        ),
        Wrong(
            "shift-only-when-large",
            lambda x: torch.softmax(x, 0) if x.max() > -80 else torch.exp(x) / torch.exp(x).sum(),
            "Large scores are mended, and very negative ones are not: near −1000 every exponential is 0, and 0/0 is "
            "nan. Subtract the largest score always, whatever it is.",
        ),
        Wrong(
            "subtract-fixed-number",
            lambda x: torch.exp(x - 1000) / torch.exp(x - 1000).sum(),
            "You subtract a fixed number. Ordinary scores then lie so low that every exponential is 0. Subtract the "
            "largest score of `x`, whatever it is.",
        ),
        Wrong(
            "edited-in-place",
            lambda x: x.sub_(x.max()).exp() / x.exp().sum(),
            "`x -= …` and `x.sub_(…)` change the caller's scores. Write `shifted = x - x.max()`.",
        ),
    ),
    right=(
        Right("logsumexp", lambda x: torch.exp(x - torch.logsumexp(x, dim=0))),
        Right(
            "amax-keepdim",
            lambda x: (
                (x - x.amax(-1, keepdim=True)).exp()
                / (x - x.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True)
            ),
        ),
        Right("double", lambda x: (x - x.max()).double().exp() / (x - x.max()).double().exp().sum()),
    ),
    forbids=Forbid(
        ("softmax",),
        points=3,
        caught=(
            Right("torch-softmax", lambda x: torch.softmax(x, dim=0)),
            Right("log-softmax", lambda x: torch.log_softmax(x, dim=-1).exp()),
        ),
    ),
)

QUERY_WEIGHTS = Task(
    id="query-weights",
    title="The attention weights of “journey”",
    name="attn_weights_2",
    kind="tensor",
    signature="attn_weights_2",
    axes=("tokens",),
    properties=(SUMS_TO_ONE, NOT_NEGATIVE),
    needs=("query-scores",),
    checks=(Check("softmax over the scores of “journey”", 1),),
    learned="These are the attention weights of “journey”: how much of each token goes into its context vector.",
    hints=(
        "You have written the function you need, and torch has one too.",
        "Call `softmax_stable` on `attn_scores_2`, or `torch.softmax` with `dim=0`.",
        "`attn_weights_2 = torch.softmax(attn_scores_2, dim=0)`",
    ),
    wrong=(
        Wrong(
            "divided-by-sum",
            lambda attn_scores_2: attn_scores_2 / attn_scores_2.sum(),
            "These are the scores divided by their sum. Use softmax.",
        ),
        Wrong(
            "softmax-twice",
            lambda attn_scores_2: torch.softmax(torch.softmax(attn_scores_2, dim=0), dim=0),
            "Softmax was applied twice: the weights are nearly all equal. Apply it to the scores, once.",
        ),
        Wrong(
            "softmax-of-shares",
            lambda attn_scores_2: torch.softmax(attn_scores_2 / attn_scores_2.sum(), dim=0),
            "Softmax was applied to the scores already divided by their sum. Apply it to the scores themselves.",
        ),
        Wrong(
            "scaled",
            lambda attn_scores_2, inputs: torch.softmax(attn_scores_2 / inputs.shape[1] ** 0.5, dim=0),
            "The scores were divided by √d first. Lesson 02 does that; here softmax is applied to the plain scores.",
        ),
        Wrong(
            "log-softmax",
            lambda attn_scores_2: torch.log_softmax(attn_scores_2, dim=0),
            "These are logarithms of the weights: use `softmax`, not `log_softmax`.",
        ),
        Wrong(
            "scores-unchanged",
            lambda attn_scores_2: attn_scores_2,
            "These are the scores as they were. Softmax turns them into weights.",
        ),
        Wrong(
            "sign-flipped",
            lambda attn_scores_2: torch.softmax(-attn_scores_2, dim=0),
            "The smallest score has the largest weight here: a minus sign is one too many.",
        ),
        Wrong(
            "exponentials",
            lambda attn_scores_2: torch.exp(attn_scores_2),
            "These are the exponentials, not yet divided by their sum.",
        ),
    ),
    right=(
        Right("torch-softmax", lambda attn_scores_2: torch.softmax(attn_scores_2, dim=-1)),
        Right("own-function", lambda attn_scores_2, softmax_naive: softmax_naive(attn_scores_2)),
        Right(
            "logsumexp", lambda attn_scores_2: torch.exp(attn_scores_2 - torch.logsumexp(attn_scores_2, 0))
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
    needs=("query-weights",),
    checks=(Check("the weighted sum of all tokens", 2),),
    learned="A context vector is a weighted sum of all token vectors: “journey”, seen in its sentence.",
    hints=(
        "Multiply each token's vector by that token's weight, and add the six vectors up.",
        "Start from `torch.zeros(inputs.shape[1])` and add `attn_weights_2[i] * inputs[i]` in a loop.",
        "Or in one step: `attn_weights_2 @ inputs`.",
    ),
    wrong=(
        Wrong(
            "not-added-up",
            lambda attn_weights_2, inputs: attn_weights_2[:, None] * inputs,
            "These are the six weighted vectors. Add them up over the tokens to get one vector.",
        ),
        Wrong(
            "summed-over-dimensions",
            lambda attn_weights_2, inputs: (attn_weights_2[:, None] * inputs).sum(dim=1),
            "You added up over the dimensions and kept the tokens. Add up over the tokens: `sum(dim=0)`.",
        ),
        Wrong(
            "scores-as-weights",
            lambda attn_scores_2, inputs: attn_scores_2 @ inputs,
            "The sum is weighted with the scores. Use the attention weights, which add up to 1.",
        ),
        Wrong(
            "sum-weights",
            lambda attn_weights_2_tmp, inputs: attn_weights_2_tmp @ inputs,
            "These are the weights from dividing by the sum. Use the softmax weights, `attn_weights_2`.",
        ),
        Wrong(
            "plain-mean",
            lambda inputs: inputs.mean(dim=0),
            "This is the plain mean of all tokens: every token has the same weight.",
        ),
        Wrong(
            "plain-sum",
            lambda inputs: inputs.sum(dim=0),
            "This is the plain sum of all tokens: the weights are not used.",
        ),
        Wrong(
            "started-from-query",
            lambda attn_weights_2, inputs: inputs[1] + attn_weights_2 @ inputs,
            "The query itself was added once more: start the sum from zeros.",
        ),
        Wrong(
            "query-itself",
            lambda attn_weights_2, inputs: attn_weights_2.sum() * inputs[1],
            "This is the query itself: either every weight was multiplied with it, or only one token was taken. "
            "Multiply each weight with its own token, `inputs[i]`, and add them all up.",
        ),
        Wrong(
            "largest-only",
            lambda attn_weights_2, inputs: attn_weights_2.max() * inputs[attn_weights_2.argmax()],
            "Only the token with the largest weight is in it. Every token goes in, each with its weight.",
        ),
        Wrong(
            "divided-by-count",
            lambda attn_weights_2, inputs: attn_weights_2 @ inputs / len(inputs),
            "The sum was divided by the number of tokens. The weights add up to 1 already: no division is needed.",
        ),
        Wrong(
            "last-token-only",
            lambda attn_weights_2, inputs: attn_weights_2[-1] * inputs[-1],
            "Only the last token is in it: each round of the loop replaces the one before. Use `+=`.",
        ),
    ),
    right=(
        Right("matmul", lambda attn_weights_2, inputs: attn_weights_2 @ inputs),
        Right("transposed", lambda attn_weights_2, inputs: inputs.T @ attn_weights_2),
        Right("einsum", lambda attn_weights_2, inputs: torch.einsum("t,td->d", attn_weights_2, inputs)),
        Right("broadcast", lambda attn_weights_2, inputs: (attn_weights_2.unsqueeze(1) * inputs).sum(0)),
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
    properties=(SYMMETRIC,),
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
        "One loop walks over the queries, a second one inside it over the keys.",
        "`scores = torch.zeros(len(x), len(x))` makes room for any number of tokens.",
        "Inside both loops stands `scores[i, j] = dot(x[i], x[j])`.",
    ),
    wrong=(
        Wrong(
            "dimensions-instead-of-tokens",
            lambda x: x.T @ x,
            "You compared the dimensions with each other. Compare the tokens: the rows of `x`.",
        ),
        Wrong(
            "six-tokens-only",
            scores_for_six,
            "The number 6 is written into the function. Take the number of tokens from `x.shape[0]`.",
        ),
        Wrong(
            "upper-half-only",
            scores_upper_half,
            "Below the diagonal stand zeros: the inner loop begins at the query. It has to walk over all keys.",
        ),
        Wrong(
            "lower-half-only",
            lambda x: torch.tril(x @ x.T),
            "Above the diagonal stand zeros: the inner loop ends at the query. It has to walk over all keys.",
        ),
        Wrong(
            "row-overwritten",
            lambda x: (x @ x[-1])[:, None].expand(len(x), len(x)).clone(),
            "Every row holds one number six times, the score with the last key: `scores[i] = …` fills the whole row. "
            "Write `scores[i, j] = …`.",
        ),
        Wrong(
            "own-squares",
            lambda x: (x * x).sum(dim=1, keepdim=True).expand(len(x), len(x)).clone(),
            "Every row holds the token's product with itself: `x[i]` stands on both sides. The other is `x[j]`.",
        ),
        Wrong(
            "diagonal-only",
            lambda x: torch.diag((x * x).sum(dim=1)),
            "Only the diagonal is filled: each token meets itself alone. Use two nested loops, not one over pairs.",
        ),
        Wrong(
            "already-softmax",
            lambda x: torch.softmax(x @ x.T, dim=-1),
            "These are weights already: the rows add up to 1. The task wants the scores.",
        ),
        Wrong(
            "same-query-everywhere",
            lambda x: (x @ x[0]).expand(len(x), len(x)).clone(),
            "Every row holds the scores of token 0. The query must change with the outer loop: `x[i]`.",
        ),
        Wrong(
            "scaled",
            lambda x: x @ x.T / x.shape[1] ** 0.5,
            "These scores are divided by √d. That is right in lesson 02; here a score is the plain dot product.",
        ),
        Wrong(
            "reads-the-notebook",
            lambda x: SENTENCE @ SENTENCE.T,
            "These are the scores of `inputs` whatever the function is called with. Use the argument `x`.",
        ),
    ),
    right=(
        Right("matmul", lambda x: x @ x.T),
        Right("einsum", lambda x: torch.einsum("id,jd->ij", x, x)),
        Right("stacked-rows", scores_stacked),
        Right("broadcast", lambda x: (x[:, None, :] * x[None, :, :]).sum(-1)),
    ),
)

ALL_SCORES = Task(
    id="all-scores",
    title="All scores, as one matrix product",
    name="attn_scores",
    kind="tensor",
    signature="attn_scores",
    axes=("tokens as query", "tokens as key"),
    properties=(SYMMETRIC,),
    checks=(Check("every token against every token", 1),),
    learned="`inputs @ inputs.T` is every dot product at once: 36 of them in one line, and no loop in Python.",
    hints=(
        "A matrix product takes dot products of rows on the left with columns on the right.",
        "You want rows with rows. What turns the rows of `inputs` into columns?",
        "`attn_scores = inputs @ inputs.T`",
    ),
    wrong=(
        Wrong(
            "transposed-first",
            lambda inputs: inputs.T @ inputs,
            "`inputs.T @ inputs` compares the dimensions. The other way round it compares the tokens.",
        ),
        Wrong(
            "elementwise",
            lambda inputs: inputs * inputs,
            "`*` multiplies entry by entry. The matrix product is `@`.",
        ),
        Wrong(
            "one-query-only",
            lambda inputs: inputs @ inputs[1],
            "These are the scores of “journey” alone. Take all tokens as queries at once.",
        ),
        Wrong(
            "scaled",
            lambda inputs: inputs @ inputs.T / inputs.shape[1] ** 0.5,
            "These scores are divided by √d. That is right in lesson 02; here a score is the plain dot product.",
        ),
        Wrong(
            "already-softmax",
            lambda inputs: torch.softmax(inputs @ inputs.T, dim=-1),
            "These are weights already: the rows add up to 1. Softmax is the next task.",
        ),
        Wrong(
            "cosine",
            lambda inputs: (
                torch.nn.functional.normalize(inputs, dim=1) @ torch.nn.functional.normalize(inputs, dim=1).T
            ),
            "The diagonal is 1, so these are cosines. Keep the plain dot products.",
        ),
        Wrong(
            "distances",
            lambda inputs: torch.cdist(inputs, inputs),
            "The diagonal is 0, so these are distances. A score is a dot product.",
        ),
    ),
    right=(
        Right("matmul", lambda inputs: torch.matmul(inputs, inputs.transpose(0, 1))),
        Right("einsum", lambda inputs: torch.einsum("id,jd->ij", inputs, inputs)),
        Right("own-loops", lambda inputs, scores_with_loops: scores_with_loops(inputs)),
        Right("inner", lambda inputs: torch.inner(inputs, inputs)),
    ),
)

ALL_WEIGHTS = Task(
    id="all-weights",
    title="All attention weights",
    name="attn_weights",
    kind="tensor",
    signature="attn_weights",
    axes=("tokens as query", "tokens as key"),
    properties=(SUMS_TO_ONE, NOT_NEGATIVE),
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
            "over-queries",
            lambda attn_scores: torch.softmax(attn_scores, dim=0),
            "These are the weights you get when softmax runs over dim=0: each column adds up to 1. A query's weights "
            "stand in a row: use dim=-1, do not transpose, and where you divide by a sum of your own, keep its "
            "axis with `sum(dim=-1, keepdim=True)`.",
        ),
        Wrong(
            "over-everything",
            lambda attn_scores: torch.softmax(attn_scores.flatten(), dim=0).view_as(attn_scores),
            "Here all 36 weights together add up to 1. Each row has to, on its own.",
        ),
        Wrong(
            "divided-by-row-sum",
            lambda attn_scores: attn_scores / attn_scores.sum(dim=-1, keepdim=True),
            "The rows add up to 1, but the scores were divided by their sum. Use softmax.",
        ),
        Wrong(
            "exponentials",
            lambda attn_scores: torch.exp(attn_scores),
            "These are the exponentials. Each row still has to be divided by its sum.",
        ),
        Wrong(
            "scaled",
            lambda attn_scores, inputs: torch.softmax(attn_scores / inputs.shape[1] ** 0.5, dim=-1),
            "The scores were divided by √d first. Lesson 02 does that; here softmax is applied to the plain scores.",
        ),
        Wrong(
            "softmax-twice",
            lambda attn_scores: torch.softmax(torch.softmax(attn_scores, dim=-1), dim=-1),
            "Softmax was applied twice: the weights are nearly all equal. Apply it to the scores, once.",
        ),
        Wrong(
            "log-softmax",
            lambda attn_scores: torch.log_softmax(attn_scores, dim=-1),
            "These are logarithms of the weights: use `softmax`, not `log_softmax`.",
        ),
    ),
    right=(
        Right("dim-one", lambda attn_scores: torch.softmax(attn_scores, dim=1)),
        Right("by-hand", lambda attn_scores: attn_scores.exp() / attn_scores.exp().sum(dim=1, keepdim=True)),
        Right(
            "row-by-row", lambda attn_scores: torch.stack([torch.softmax(row, dim=0) for row in attn_scores])
        ),
        Right("module", lambda attn_scores: torch.nn.Softmax(dim=-1)(attn_scores)),
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
    wrong=(
        Wrong(
            "weights-transposed",
            lambda attn_weights, inputs: attn_weights.T @ inputs,
            "Each context is summed with a column of the weights instead of a row. Either the weights are transposed, "
            "or their softmax ran over dim=0, which comes to the same here because the scores are symmetric.",
        ),
        Wrong(
            "scores-as-weights",
            lambda attn_scores, inputs: attn_scores @ inputs,
            "The sums are weighted with the scores. Use the attention weights.",
        ),
        Wrong(
            "inputs-first",
            lambda attn_weights, inputs: inputs.T @ attn_weights.T,
            "This is the result transposed: one column for each token. The course keeps one row for each token.",
        ),
        Wrong(
            "plain-mean",
            lambda inputs: inputs.mean(dim=0).expand_as(inputs).clone(),
            "Every row is the plain mean of all tokens: the weights are not used.",
        ),
        Wrong(
            "inputs-unchanged",
            lambda inputs: inputs,
            "These are the tokens as they were. Either the weights are not used, or all weights of a row met the same "
            "token, and they add up to 1: weight `[i, j]` belongs to token `inputs[j]`.",
        ),
        Wrong(
            "dimensions-first",
            lambda attn_weights, inputs: inputs.T @ attn_weights,
            "This has the dimensions as rows, and uses the columns of the weights. Put the weights first: a row of "
            "weights times the tokens.",
        ),
        Wrong(
            "residual-added",
            lambda attn_weights, inputs: inputs + attn_weights @ inputs,
            "The tokens themselves were added to their contexts. Keep the weighted sums alone.",
        ),
        Wrong(
            "weights-times-weights",
            lambda attn_weights, inputs: attn_weights @ attn_weights,
            "The weights were multiplied with themselves. They weigh the tokens: `inputs`.",
        ),
        Wrong(
            "divided-by-row-sum",
            lambda attn_scores, inputs: attn_scores / attn_scores.sum(dim=-1, keepdim=True) @ inputs,
            "These weights are scores divided by their sum. Use the softmax weights, `attn_weights`.",
        ),
        Wrong(
            "one-token-for-all",
            lambda attn_weights, inputs: (attn_weights[1] @ inputs).expand_as(inputs).clone(),
            "Every row is the context vector of “journey”. Use all rows of the weights.",
        ),
    ),
    right=(
        Right("matmul", lambda attn_weights, inputs: torch.matmul(attn_weights, inputs)),
        Right("einsum", lambda attn_weights, inputs: torch.einsum("qk,kd->qd", attn_weights, inputs)),
        Right("transposed-twice", lambda attn_weights, inputs: (inputs.T @ attn_weights.T).T),
        Right("row-by-row", lambda attn_weights, inputs: torch.stack([row @ inputs for row in attn_weights])),
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
        Probe(
            "large-tokens",
            "three tokens with large coordinates",
            {"x": torch.tensor([[29.0, 5.0], [30.0, 1.0], [-10.0, 4.0]])},
        ),
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
    wrong=(
        Wrong(
            "softmax-over-queries",
            lambda x: torch.softmax(x @ x.T, dim=0) @ x,
            "Each context is summed with weights that add up to 1 down the columns: softmax ran over dim=0, or the "
            "weights were transposed. Run softmax over dim=-1, and multiply the weights with `x` as they are.",
        ),
        Wrong(
            "no-softmax",
            lambda x: x @ x.T @ x,
            "The scores are used as weights. Between the two comes softmax.",
        ),
        Wrong(
            "divided-by-row-sum",
            lambda x: (x @ x.T) / (x @ x.T).sum(dim=-1, keepdim=True) @ x,
            "The scores were divided by their sum. Use softmax, which also holds for negative scores.",
        ),
        Wrong(
            "scaled",
            lambda x: torch.softmax(x @ x.T / x.shape[1] ** 0.5, dim=-1) @ x,
            "The scores were divided by √d. Lesson 02 shows why that helps; here they stay as they are.",
        ),
        Wrong(
            "weights-returned",
            lambda x: torch.softmax(x @ x.T, dim=-1),
            "These are the weights. Return the context vectors: the weights times the tokens.",
        ),
        Wrong(
            "naive-overflow",
            lambda x: torch.exp(x @ x.T) / torch.exp(x @ x.T).sum(dim=-1, keepdim=True) @ x,
            "This is right until a score passes 88: then exp() is inf and the weights are nan. "
            "Use `torch.softmax`, or subtract each row's largest score first.",
        ),
        Wrong(
            "sum-without-keepdim",
            lambda x: torch.exp(x @ x.T) / torch.exp(x @ x.T).sum(dim=-1) @ x,
            "The row sums lost their axis, so each column was divided by a row's sum: write "
            "`sum(dim=-1, keepdim=True)`. And exp() of very large or very low scores ends in nan: `torch.softmax` "
            "takes care of both.",
        ),
        Wrong(
            "softmax-over-everything",
            lambda x: torch.softmax((x @ x.T).flatten(), dim=0).view(len(x), len(x)) @ x,
            "Here all weights together add up to 1. Each row has to, on its own. A softmax written for one vector "
            "does this to a matrix.",
        ),
        Wrong(
            "residual-added",
            lambda x: x + torch.softmax(x @ x.T, dim=-1) @ x,
            "The tokens themselves were added to their contexts. Return the weighted sums alone.",
        ),
        Wrong(
            "reads-the-notebook",
            lambda x: torch.softmax(SENTENCE @ SENTENCE.T, dim=-1) @ SENTENCE,
            "These are the context vectors of `inputs` whatever the function is called with. Use the argument `x`.",
        ),
        Wrong(
            "edited-in-place",
            in_place_attention,
            "`x *= …`, `x[:] = …` and methods that end in `_` write into the caller's tensor. Give the result a "
            "name of its own.",
        ),
    ),
    right=(
        Right("one-line", lambda x: torch.softmax(x @ x.mT, -1) @ x),
        Right(
            "scaled-dot-product-attention",
            lambda x: torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None], scale=1.0)[
                0
            ],
        ),
        Right(
            "einsum",
            lambda x: torch.einsum("qk,kd->qd", torch.softmax(torch.einsum("id,jd->ij", x, x), -1), x),
        ),
        Right("row-by-row", lambda x: torch.stack([torch.softmax(x @ row, dim=0) @ x for row in x])),
    ),
)

LESSON = Lesson(
    title="01 · From a dot product to attention",
    given_axes={"inputs": ("tokens", "d_in")},
    redraw=redraw,
    tasks=(
        DOT,
        QUERY_SCORES,
        SUM_WEIGHTS,
        SOFTMAX_NAIVE,
        SOFTMAX_STABLE,
        QUERY_WEIGHTS,
        CONTEXT_VECTOR,
        SCORES_LOOPS,
        ALL_SCORES,
        ALL_WEIGHTS,
        ALL_CONTEXTS,
        SIMPLE_ATTENTION,
    ),
)
