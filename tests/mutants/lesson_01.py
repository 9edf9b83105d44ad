# ruff: noqa: F405  (the words that answers are written with all come from one place)
"""Answers to lesson 01 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "01-dot-product"
TASKS = Tasks(LESSON)

TASKS.hold(
    "dot-product",
    Wrong("three-components-spelled-out", NAMED, keeps=1)
    | returns("a[0] * b[0] + a[1] * b[1] + a[2] * b[2]"),
    Wrong("products-not-added", NAMED + SHAPE) | returns("a * b"),
    Wrong("list-of-products", TYPE, never=r"torch\.stack")
    | rename("total", "products")
    | edit("products = 0.0", "products = []")
    | edit(" = products + a[i] * b[i]", ".append(a[i] * b[i])"),
    Wrong("prints-instead-of-returning", TYPE, base="elements-used-as-indices")
    | lines("for i in a:", "return total", "for x, y in zip(a, b):", "    total += x * y", "print(total)"),
    Wrong("return-inside-the-loop", NAMED)
    | body("res = 0.", "for idx, element in enumerate(a):", "    res += element * b[idx]", "    return res"),
    Wrong("stops-one-short", NAMED)
    | edit("total = 0.0", "total = torch.tensor(0.0)")
    | edit("(len(a))", "(len(a) - 1)"),
    Wrong("counts-from-one", NAMED, base="six-terms-in-a-generator")
    | line("return sum", "s = 0", "for i in range(1, len(a)):", "    s += a[i] * b[i]", "return s"),
    Wrong("overwrites-the-sum", NAMED) | edit("total = 0.0", "total = 0") | edit("= total +", "="),
    Wrong("equals-plus", NAMED)
    | lines("total = 0.0", "total = total", "total = 0", "for x, y in zip(a, b):", "    total =+ x * y"),
    Wrong("adds-instead-of-multiplying", NAMED, base="equals-plus") | edit("=+ x * y", "+= x + y"),
    Wrong("product-of-the-sums", NAMED) | returns("a.sum() * b.sum()"),
    Wrong("first-vector-with-itself", NAMED, base="six-terms-in-a-generator")
    | line("return sum", "out = 0", "for i in range(len(a)):", "    out += a[i] * a[i]", "return out"),
    Wrong("squared-distance", VALUES + NAMED) | returns("((a - b) ** 2).sum()"),
    Wrong("cosine-similarity", NAMED) | returns("torch.nn.functional.cosine_similarity(a, b, dim=0)"),
    Wrong("mean-of-the-products", NAMED) | returns("(a * b).mean()"),
    Wrong(
        "reads-the-notebook-variables", VALUES + NAMED, says="`input_query` and `input_1` from the notebook"
    )
    | rename("total", "res")
    | edit("(len(a))", "(len(input_query))")
    | edit("= res + a[i] * b", "+= input_query[i] * input_1"),
    Wrong("typed-in-number", VALUES + NAMED) | returns("0.9544"),
    Wrong("result-with-an-axis", SHAPE, base="elements-used-as-indices")
    | edit("total = 0", "total = torch.zeros(1)")
    | edit("for i in a:", "for i in range(a.shape[0]):"),
    Wrong("integer-accumulator", RAISED)
    | edit("total = 0.0", "total = torch.tensor(0)")
    | edit("= total +", "+="),
    Wrong("rounds-to-an-int", VALUES, never="filled in") | returns("int(sum(a * b))"),
    Wrong("elements-used-as-indices", RAISED)
    | edit("total = 0.0", "total = 0")
    | edit("range(len(a))", "a")
    | edit("= total +", "+="),
    Wrong("length-of-the-sentence", RAISED, never="same answer whatever", base="elements-used-as-indices")
    | edit("for i in a:", "for i in range(len(inputs)):"),
    Wrong("length-of-the-example", NAMED + VALUES, keeps=1, base="elements-used-as-indices")
    | above("def dot(a, b):", "d_in = 3", "")
    | edit("for i in a:", "for i in range(d_in):"),
    Wrong("six-terms-in-a-generator", RAISED, says="line 2 of its cell", never="genexpr")
    | returns("sum(a[i] * b[i] for i in range(6))"),
    Wrong("edits-its-argument", RULE, keeps=1) | body("a *= b", "return a.sum()"),
    Wrong("takes-one-matrix", RAISED) | typed("def dot(x):", "    return x[0] @ x[1]"),
    Wrong("comma-makes-a-tuple", TYPE, keeps=1, base="elements-used-as-indices")
    | lines("for i in a:", "return total", "for x, y in zip(a, b):", "    total += x * y", "return total,"),
    Wrong("called-otherwise", MISSING, says="`dot_product`")
    | typed("def dot_product(a, b):", "    return sum(x * y for x, y in zip(a, b))"),
    Wrong("capital-letter", MISSING) | typed("def Dot(a, b):", "    return sum(x * y for x, y in zip(a, b))"),
    Wrong("colon-forgotten", MISSING) | typed("def dot(a, b)", "    return sum(x * y for x, y in zip(a, b))"),
    Wrong("a-number-not-a-function", NO_FUNCTION)
    | typed("dot = 0", "for i in range(3):", "    dot += inputs[1][i] * inputs[0][i]"),
    Wrong("method-without-its-call", TYPE, says=CALL_IT) | returns("a.dot"),
    Wrong("only-a-pass", STUB) | body("# todo", "pass"),
    Wrong("loop-without-a-body-of-use", VALUES + NAMED, base="equals-plus") | edit("total =+ ", ""),
    Right("zip-and-a-float")
    | lines("for i in range", "total = total", "for x, y in zip(a, b):", "    total += x.item() * y.item()"),
    Right("generator-sum") | typed("def dot(u, v):", "    return sum(x * y for x, y in zip(u, v))"),
    Right("torch-dot-itself") | typed("dot = torch.dot"),
    Right("lambda") | typed("dot = lambda a, b: (a * b).sum()"),
    Right("matmul-operator") | typed("def dot(a, b): return a @ b"),
    Right("einsum") | returns('torch.einsum("i,i->", a, b)'),
    Right("float64") | returns("a.double() @ b.double()"),
    Right("numpy-scalar") | body("return np.dot(a.numpy(), b.numpy())") | before("import numpy as np"),
    Right("numpy-without-axes") | returns("(a * b).sum().numpy()"),
    Right("while-and-in-place", base="elements-used-as-indices")
    | lines("total = 0", "for i in a:", "total = torch.zeros(())", "i = 0", "while i < a.numel():")
    | below("total += a", "i += 1"),
    Right("recursion") | body("if len(a) == 0:", "    return 0.0", "return a[0] * b[0] + dot(a[1:], b[1:])"),
    Right("helper-functions").typed("""
        def products(a, b):
            return [x * y for x, y in zip(a.tolist(), b.tolist())]

        def dot(a, b):
            '''By hand.'''
            return add_up(products(a, b))

        def add_up(numbers):
            total = 0
            for number in numbers:
                total += number
            return total"""),
    Right("fsum")
    | body("return math.fsum(map(lambda x, y: float(x) * float(y), a, b))")
    | before("import math"),
    Right("parameter-that-wants-a-gradient")
    | edit("dot(a, b)", "dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor")
    | edit("total = 0.0", "total = torch.nn.Parameter(torch.tensor(0.0))")
    | edit("(len(a))", "(len(b))")
    | line("return total", "return torch.nn.Parameter(total)"),
    Right("object-that-is-called").typed("""
        class Dot:
            def __call__(self, a, b):
                return torch.nn.functional.linear(a, b)

        dot = Dot()"""),
    Right("row-times-column")
    | body("out = torch.empty(1, 1)", "torch.mm(a.view(1, -1), b.view(-1, 1), out=out)", "return out[0, 0]"),
)

TASKS.hold(
    "query-scores",
    Wrong("token-two-counted-from-one", NAMED) | typed("query = inputs[2]", "attn_scores_2 = inputs @ query"),
    Wrong("first-token-as-query", NAMED) | typed("query = inputs[0]", "attn_scores_2 = inputs @ query"),
    Wrong("list-of-floats", TYPE)
    | typed("query = inputs[1]", "attn_scores_2 = [dot(query, x).item() for x in inputs]"),
    Wrong("list-of-tensors", TYPE, base="edits-the-sentence")
    | line("query = inputs", "query = inputs[1]  # (d_in,)", "attn_scores_2 = []")
    | lines("inputs[i]", "attn_scores_2 = inputs", "attn_scores_2.append(torch.dot(query, inputs[i]))"),
    Wrong("products-not-added", NAMED + SHAPE)
    | typed("query = inputs[1]  # (d_in,)", "attn_scores_2 = inputs * query"),
    Wrong("added-along-the-wrong-axis", NAMED + SHAPE)
    | typed("query = inputs[1]  # (d_in,)", "attn_scores_2 = (inputs * query).sum(dim=0)"),
    Wrong("mean-instead-of-sum", VALUES + NAMED)
    | typed("query = inputs[1]", "attn_scores_2 = (inputs * query).mean(dim=1)"),
    Wrong("overwritten-in-the-loop", NAMED)
    | typed("query = inputs[1]", "for x in inputs:", "    attn_scores_2 = torch.dot(x, query)"),
    Wrong("result-never-stored", VALUES + NAMED) | line("attn_scores_2[i", "torch.dot(x_i, query)"),
    Wrong("leaves-itself-out", SHAPE).typed("""
        query = inputs[1]
        attn_scores_2 = torch.tensor([dot(query, inputs[i]) for i in range(6) if i != 1])"""),
    Wrong("own-score-zero", VALUES + NAMED, base="whole-numbers")
    | edit(", dtype=torch.int", "")
    | line("attn_scores_2[i", "if i != 1:", "    attn_scores_2[i] = dot(query, inputs[i])"),
    Wrong("counts-from-one", VALUES + NAMED, base="out-buffer")
    | line("torch.mv(inputs", "for i in range(1, 6):", "    attn_scores_2[i] = query @ inputs[i]"),
    Wrong("stops-one-short", VALUES + NAMED, base="out-buffer")
    | line("torch.mv(inputs", "for i in range(len(inputs) - 1):", "    attn_scores_2[i] = query @ inputs[i]"),
    Wrong("whole-numbers", DTYPE, base="edits-the-sentence")
    | line("query = inputs", "query = inputs[1]", "attn_scores_2 = torch.zeros(6, dtype=torch.int)")
    | lines("inputs[i]", "attn_scores_2 = inputs", "attn_scores_2[i] = dot(query, inputs[i])"),
    Wrong("a-column", SHAPE) | typed("query = inputs[1]", "attn_scores_2 = inputs @ query.unsqueeze(1)"),
    Wrong("a-row", SHAPE) | typed("query = inputs[1:2]", "attn_scores_2 = query @ inputs.T"),
    Wrong("scores-of-every-query", SHAPE + NAMED)
    | typed("query = inputs[1]", "attn_scores_2 = inputs @ inputs.T"),
    Wrong("copied-from-the-figure", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN, base="parameter")
    | edit("nn.Parameter(inputs @ query)", "tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])"),
    Wrong("copied-with-two-decimals", VALUES)
    | typed("query = inputs[1]", "attn_scores_2 = torch.tensor([0.95, 1.50, 1.48, 0.84, 0.71, 1.09])"),
    Wrong("softmax-as-well", VALUES + NAMED)
    | typed("query = inputs[1]", "attn_scores_2 = torch.softmax(inputs @ query, dim=0)"),
    Wrong("scaled", VALUES + NAMED) | typed("query = inputs[1]", "attn_scores_2 = inputs @ query / 3 ** 0.5"),
    Wrong("cosine-similarity", VALUES + NAMED)
    | typed("query = inputs[1]", "attn_scores_2 = torch.cosine_similarity(inputs, query[None], dim=1)"),
    Wrong("each-token-with-itself", VALUES + NAMED)
    | typed("query = inputs[1]", "attn_scores_2 = torch.stack([dot(x, x) for x in inputs])"),
    Wrong("query-on-the-left", MISSING, says="error")
    | typed("query = inputs[1]", "attn_scores_2 = query @ inputs"),
    Wrong("a-column-as-query", MISSING, says="error")
    | typed("query = inputs[:, 1]", "attn_scores_2 = inputs @ query"),
    Wrong("underscore-moved", MISSING) | typed("query = inputs[1]", "attn_scores2 = inputs @ query"),
    Wrong("an-s-forgotten", MISSING) | typed("query = inputs[1]", "attn_score_2 = inputs @ query"),
    Wrong("numpy-array", TYPE) | typed("query = inputs[1]", "attn_scores_2 = inputs.numpy() @ query.numpy()"),
    Wrong("a-function-instead", TYPE)
    | typed("query = inputs[1]", "def attn_scores_2(x):", "    return x @ query"),
    Wrong("edits-the-sentence", GIVENS).typed("""
        query = inputs[1].clone()
        for i in range(6):
            inputs[i] *= query
        attn_scores_2 = inputs.sum(dim=1)"""),
    Wrong("sorted", VALUES)
    | typed("query = inputs[1]", "attn_scores_2, order = (inputs @ query).sort(descending=True)"),
    Wrong("left-as-it-was", STUB)
    | typed("query = inputs[1]  # (d_in,)", "attn_scores_2 = ...  # your code here"),
    Wrong("none", STUB + TYPE) | typed("query = inputs[1]  # (d_in,)", "attn_scores_2 = None"),
    Wrong("print-returns-none", TYPE) | typed("query = inputs[1]", "attn_scores_2 = print(inputs @ query)"),
    Right("loop-into-empty")
    | edit("torch.zeros", "torch.empty")
    | line("attn_scores_2[i", "attn_scores_2[i] = torch.dot(x_i, query)"),
    Right("stacked-list").typed("""
        query = inputs[1]
        scores = []
        for x in inputs:
            scores.append(dot(x, query))
        attn_scores_2 = torch.stack(scores)"""),
    Right("list-of-dots") | returns("torch.tensor([dot(inputs[1], x) for x in inputs])"),
    Right("einsum") | typed("query = inputs[1]", 'attn_scores_2 = torch.einsum("td,d->t", inputs, query)'),
    Right("sum-over-the-last-axis") | returns("(inputs * inputs[1]).sum(-1)"),
    Right("out-buffer", base="parameter")
    | line("attn_scores_2", "attn_scores_2 = torch.zeros(6)", "torch.mv(inputs, query, out=attn_scores_2)"),
    Right("a-column-of-all-scores") | returns("(inputs @ inputs.T)[:, 1]"),
    Right("squeezed-row") | returns("(inputs[1:2] @ inputs.T).squeeze()"),
    Right("float64-through-numpy").typed("""
        import numpy as np
        query = inputs[1]
        attn_scores_2 = torch.from_numpy(np.array([float(dot(query, x)) for x in inputs]))"""),
    Right("parameter") | typed("query = inputs[1]", "attn_scores_2 = torch.nn.Parameter(inputs @ query)"),
    Right("with-gradients").typed("""
        tracked = inputs.clone().requires_grad_()
        query = tracked[1]
        attn_scores_2 = tracked @ query"""),
    Right("linear-layer", base="parameter")
    | edit("Parameter(inputs @ query)", "functional.linear(inputs, query.unsqueeze(0)).flatten()"),
    Right("built-by-concatenation").typed("""
        query = inputs[1]
        attn_scores_2 = torch.tensor([])
        for token in inputs:
            attn_scores_2 = torch.cat([attn_scores_2, torch.dot(token, query).reshape(1)])"""),
    Right("vmap") | typed("query = inputs[1]", "attn_scores_2 = torch.vmap(lambda x: x @ query)(inputs)"),
    Right("accumulates-over-dimensions", base="out-buffer")
    | line("torch.mv(inputs", "for d in range(3):", "    attn_scores_2 += inputs[:, d] * query[d]"),
)

TASKS.hold(
    "softmax-naive",
    Wrong("divides-by-the-sum", NAMED) | returns("x / x.sum()"),
    Wrong("only-the-exponential", NAMED + RULE) | returns("torch.exp(x)"),
    Wrong("exponential-above-only", NAMED + RULE) | returns("torch.exp(x) / x.sum()"),
    Wrong("exponential-below-only", NAMED + RULE) | returns("x / torch.exp(x).sum()"),
    Wrong("exponential-of-the-sum", NAMED) | returns("torch.exp(x) / torch.exp(x.sum())"),
    Wrong("powers-of-two", VALUES + NAMED) | returns("2**x / (2**x).sum()"),
    Wrong("powers-of-ten", VALUES + NAMED) | returns("10**x / (10**x).sum()"),
    Wrong("e-cut-off", VALUES, never="same answer whatever")
    | typed("e = 2.7", "def softmax_naive(x):", "    return e**x / (e**x).sum()"),
    Wrong("sign-flipped", NAMED) | returns("torch.exp(-x) / torch.exp(-x).sum()"),
    Wrong("logarithm-kept", RULE + NAMED) | returns("torch.log_softmax(x, dim=0)"),
    Wrong("exponential-in-place", RULE, keeps=1) | body("x.exp_()", "return x / x.sum()"),
    Wrong("divides-in-place", RULE, keeps=1) | body("x = x.exp_()", "x /= x.sum()", "return x"),
    Wrong("reads-the-notebook-scores", NAMED, says=NOT_ITS_ARGUMENT)
    | returns("torch.exp(attn_scores_2) / torch.exp(attn_scores_2).sum()"),
    Wrong("sums-the-notebook-scores", RULE, says=NOT_ITS_ARGUMENT)
    | returns("torch.exp(x) / sum(torch.exp(attn_scores_2))"),
    Wrong("math-exp-on-a-vector", RAISED)
    | body("return math.exp(x) / sum(math.exp(x))")
    | before("import math"),
    Wrong("hat-for-a-power", RAISED, never="still waiting", base="math-exp-on-a-vector")
    | body("return math.e^x / (math.e^x).sum()"),
    Wrong("scores-made-whole", RAISED, never="still waiting") | returns("torch.softmax(x.int(), dim=0)"),
    Wrong("sum-without-its-call", RAISED, says=CALL_IT) | returns("torch.exp(x) / torch.exp(x).sum"),
    Wrong("a-python-list", TYPE, base="math-exp-on-a-vector")
    | body("total = sum(math.exp(v) for v in x)", "return [math.exp(v) / total for v in x]"),
    Wrong("a-numpy-array", TYPE, keeps=1, base="numpy-and-back")
    | body("e = np.exp(x.numpy())", "return e / e.sum()"),
    Wrong("divides-by-the-mean", RULE + NAMED) | returns("torch.exp(x) / torch.exp(x).mean()"),
    Wrong("divides-by-the-largest", RULE + NAMED) | returns("torch.exp(x) / torch.exp(x).max()"),
    Wrong("sigmoid", RULE + NAMED) | returns("torch.sigmoid(x)"),
    Wrong("six-tokens-always", RAISED, keeps=1).body("""
        out = torch.zeros(6)
        total = torch.exp(x).sum()
        for i in range(6):
            out[i] = torch.exp(x[i]) / total
        return out"""),
    Wrong("negative-scores-cut-off", VALUES, keeps=1)
    | body("e = torch.exp(torch.relu(x))", "return e / e.sum()"),
    Wrong("twice", NAMED + VALUES) | returns("x.softmax(0).softmax(0)"),
    Wrong("rounded", VALUES + NAMED, never=SAME_DIGITS)
    | returns("torch.round(torch.softmax(x, 0), decimals=4)"),
    Wrong("copied-with-four-decimals", VALUES + NAMED, never=SAME_DIGITS)
    | returns("torch.tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])"),
    Wrong("return-forgotten", TYPE) | body("exps = torch.exp(x)", "exps / exps.sum()"),
    Wrong("return-inside-the-loop", RULE + NAMED).body("""
        out = torch.zeros_like(x)
        for i in range(len(x)):
            out[i] = torch.exp(x[i]) / torch.exp(x).sum()
            return out"""),
    Wrong("an-axis-too-many", SHAPE) | returns("torch.softmax(x[None], dim=-1)"),
    Wrong("weights-and-their-sum", TYPE, keeps=1)
    | body("weights = torch.exp(x) / torch.exp(x).sum()", "return weights, weights.sum()"),
    Wrong("whole-numbers", DTYPE, base="return-inside-the-loop")
    | edit("zeros_like(x)", "zeros(len(x), dtype=torch.long)")
    | edit("        return", "    return"),
    Wrong("result-not-function", NO_FUNCTION)
    | typed("softmax_naive = torch.exp(attn_scores_2) / torch.exp(attn_scores_2).sum()"),
    Wrong("axis-that-is-not-there", RAISED) | returns("torch.softmax(x, dim=1)"),
    Wrong("module-not-applied", TYPE) | returns("torch.nn.Softmax(dim=0)"),
    Wrong("asks-for-an-axis", RAISED) | typed("def softmax_naive(x, dim):", "    return x.softmax(dim)"),
    Wrong("exp-not-imported", RAISED) | returns("exp(x) / exp(x).sum()"),
    Wrong("stub-with-docstring", STUB)
    | typed("def softmax_naive(x):", '    """Later."""', "    return None"),
    Right("torch-softmax", costs=2) | returns("torch.softmax(x, dim=0)"),
    Right("a-module-instance", costs=2) | typed("softmax_naive = torch.nn.Softmax(dim=-1)"),
    Right("loop-over-floats", base="out-buffer-and-helper").define("""
        def softmax_naive(scores):
            total = 0
            for s in scores:
                total += math.exp(s)
            return torch.tensor([math.exp(s) / total for s in scores])""")
    | lines("def exponentials(x):", "return out", "import math"),
    Right("in-place-on-a-copy") | body("e = x.clone()", "e.exp_()", "e /= e.sum()", "return e"),
    Right("sum-subtracted") | body("e = torch.exp(x - x.sum())", "return e / e.sum()"),
    Right("logsumexp") | returns("torch.exp(x - torch.logsumexp(x, dim=0))"),
    Right("powers-of-e")
    | typed("from math import e", "def softmax_naive(x):", "    return e**x / (e**x).sum()"),
    Right("float64") | body("e = x.double().exp()", "return e / e.sum()"),
    Right("numpy-and-back")
    | body("e = np.exp(x.detach().numpy())", "return torch.from_numpy(e / e.sum())")
    | before("import numpy as np"),
    Right("pairwise") | returns("1 / torch.exp(x[None, :] - x[:, None]).sum(dim=1)"),
    Right("log-softmax-undone", costs=2) | returns("x.log_softmax(-1).exp()"),
    Right("gradient-and-parameter", costs=2)
    | body("x = torch.nn.Parameter(x)", "return torch.nn.Parameter(torch.nn.functional.softmax(x, dim=-1))"),
    Right("out-buffer-and-helper").typed("""
        def exponentials(x):
            out = torch.empty_like(x)
            torch.exp(x, out=out)
            return out

        def softmax_naive(x, eps=0.0):
            e = exponentials(x)
            return e / (e.sum() + eps)"""),
    Right("categorical", costs=2) | returns("torch.distributions.Categorical(logits=x).probs"),
    Right("default-argument")
    | typed("def softmax_naive(x=attn_scores_2):", "    return x.exp() / x.exp().sum(0)"),
    Right("a-strided-view")
    | body("both = torch.stack([x, torch.exp(x) / torch.exp(x).sum()], dim=1)", "return both[:, 1]"),
)

TASKS.hold(
    "softmax-stable",
    Wrong("naive-again", NAMED, keeps=1) | returns("torch.exp(x) / torch.exp(x).sum()"),
    Wrong("calls-naive", NAMED, keeps=1) | returns("softmax_naive(x)"),
    Wrong("mean-subtracted", NAMED + NOT_FINITE, keeps=2, never="are 1 others")
    | body("x = x - x.mean()", "return torch.exp(x) / torch.exp(x).sum()"),
    Wrong("smallest-subtracted", NAMED, keeps=1) | body("e = torch.exp(x - x.min())", "return e / e.sum()"),
    Wrong("a-thousand-subtracted", NOT_FINITE + NAMED, keeps=1)
    | body("e = torch.exp(x - 1000)", "return e / e.sum()"),
    Wrong("largest-magnitude-subtracted", NAMED, keeps=1)
    | body("z = x - x.abs().max()", "return z.exp() / z.exp().sum()"),
    Wrong("largest-added", NAMED) | body("e = torch.exp(x + x.max())", "return e / e.sum()"),
    Wrong("subtracted-above-only", NAMED + RULE) | returns("torch.exp(x - x.max()) / torch.exp(x).sum()"),
    Wrong("subtracted-after-exp", NAMED + VALUES) | body("e = torch.exp(x) - x.max()", "return e / e.sum()"),
    Wrong("largest-exponential-subtracted", VALUES + NAMED + RULE, never="filled in")
    | body("e = torch.exp(x)", "e = e - e.max()", "return e / e.sum()"),
    Wrong("divided-by-the-largest", NAMED)
    | body("z = x / x.max()", "return torch.exp(z) / torch.exp(z).sum()"),
    Wrong("divided-by-a-thousand", VALUES + NAMED) | body("e = torch.exp(x / 1000)", "return e / e.sum()"),
    Wrong("clamped", VALUES + NAMED, keeps=1)
    | body("e = torch.exp(torch.clamp(x, -80, 80))", "return e / e.sum()"),
    Wrong("nan-painted-over", RULE + NAMED, keeps=1)
    | body("e = torch.exp(x)", "return torch.nan_to_num(e / e.sum())"),
    Wrong("epsilon-below", NAMED) | body("e = torch.exp(x)", "return e / (e.sum() + 1e-9)"),
    Wrong("forgets-to-divide", NAMED + RULE) | returns("torch.exp(x - x.max())"),
    Wrong("logarithm-kept", RULE + NAMED) | returns("x - torch.logsumexp(x, 0)"),
    Wrong("shifts-its-argument", RULE, keeps=2)
    | body("x -= x.max()", "return torch.exp(x) / torch.exp(x).sum()"),
    Wrong("max-with-an-axis-is-a-pair", RAISED)
    | body("x = x - x.max(dim=0)", "return torch.exp(x) / torch.exp(x).sum()"),
    Wrong(
        "argmax-subtracted", NOT_FINITE + NAMED, keeps=1, says="largest score of `x`", never="naive softmax"
    )
    | body("z = x - x.argmax()", "return z.exp() / z.exp().sum()"),
    Wrong("double-precision", NOT_FINITE, keeps=1) | returns("softmax_naive(x.double()).float()"),
    Wrong("only-when-positive-and-large", NOT_FINITE + NAMED, keeps=2, never="absolute value")
    | body("if x.max() > 88:", "    x = x - x.max()", "return torch.exp(x) / torch.exp(x).sum()"),
    Wrong("largest-of-the-notebook", NOT_FINITE, keeps=1, says="largest score of `x`", never="naive softmax")
    | body("e = torch.exp(x - attn_scores_2.max())", "return e / e.sum()"),
    Wrong("axis-that-is-not-there", RAISED, base="amax-keepdim")
    | edit("dim=-1", "dim=1", places=2)
    | lines("z = x - x", "e = z.exp()", "m = x.max(dim=1, keepdim=True).values", "e = torch.exp(x - m)"),
    Wrong("shift-thrown-away", NAMED, keeps=1)
    | body("x.sub(x.max())", "return torch.exp(x) / torch.exp(x).sum()"),
    Wrong("normalised-by-sum", VALUES + NAMED, never="filled in")
    | body("x = x - x.max()", "return x / x.sum()"),
    Wrong("hot-one", VALUES + NAMED)
    | body("out = torch.zeros_like(x)", "out[x.argmax()] = 1.0", "return out"),
    Wrong("named-softmax", MISSING, says="`stable_softmax`")
    | typed("def stable_softmax(x):", "    e = torch.exp(x - x.max())", "    return e / e.sum()"),
    Right("torch-softmax", costs=3) | returns("torch.softmax(x, dim=0)"),
    Right("naive-on-shifted-scores") | returns("softmax_naive(x - x.max())"),
    Right("amax-keepdim")
    | body("z = x - x.amax(dim=-1, keepdim=True)", "e = z.exp()", "return e / e.sum(dim=-1, keepdim=True)"),
    Right("logsumexp") | returns("(x - x.logsumexp(0)).exp()"),
    Right("largest-found-by-a-loop").typed("""
        import math

        def largest(values):
            best = values[0]
            for value in values:
                if value > best:
                    best = value
            return best

        def softmax_stable(x):
            m = largest(x)
            exps = [math.exp(v - m) for v in x]
            return torch.tensor([e / sum(exps) for e in exps])"""),
    Right("pairwise") | returns("1 / torch.exp(x.unsqueeze(0) - x.unsqueeze(1)).sum(1)"),
    Right("in-place-on-a-copy").body("""
        out = torch.empty_like(x)
        torch.sub(x, torch.max(x), out=out)
        out.exp_().div_(out.sum())
        return out"""),
    Right("numpy-in-float64").body("""
        z = np.asarray(x, dtype=np.float64)
        e = np.exp(z - np.max(z))
        return torch.tensor(e / e.sum())""")
    | before("import numpy as np"),
    Right("largest-plus-a-little") | returns("softmax_naive(x - x.max() - 1.0)"),
    Right("sorted-largest") | returns("softmax_naive(x - sorted(x)[-1])"),
    Right("named-tuple-unpacked") | body("m, _ = x.max(dim=0)", "return softmax_naive(x - m)"),
    Right("a-module", costs=3).typed("""
        class Stable(torch.nn.Module):
            def forward(self, x):
                return torch.nn.functional.softmax(x, -1, dtype=torch.float64)

        softmax_stable = Stable()"""),
    Right("gradients", base="smallest-subtracted")
    | line("e = torch", "x = x.clone().requires_grad_(True)", "e = torch.exp(x - x.detach().max())"),
)

TASKS.hold(
    "context-vector",
    Wrong("plain-mean", NAMED) | returns("inputs.mean(dim=0)"),
    Wrong("plain-sum", NAMED) | returns("inputs.sum(dim=0)"),
    Wrong("tempting-weights", NAMED) | returns("attn_weights_2_tmp @ inputs"),
    Wrong("scores-for-weights", NAMED) | returns("attn_scores_2 @ inputs"),
    Wrong("six-against-three", MISSING, says="error") | returns("attn_weights_2 * inputs"),
    Wrong("inputs-on-the-left", MISSING, says="error") | returns("inputs @ attn_weights_2"),
    Wrong("not-added", NAMED + SHAPE) | returns("attn_weights_2.unsqueeze(1) * inputs"),
    Wrong("added-along-the-wrong-axis", NAMED + SHAPE)
    | returns("(attn_weights_2[:, None] * inputs).sum(dim=1)"),
    Wrong("added-along-both", SHAPE) | returns("(attn_weights_2[:, None] * inputs).sum()"),
    Wrong("mean-of-the-weighted", NAMED) | returns("(attn_weights_2[:, None] * inputs).mean(0)"),
    Wrong("overwritten-in-the-loop", NAMED)
    | typed("for i, x in enumerate(inputs):", "    context_vec_2 = attn_weights_2[i] * x"),
    Wrong("made-anew-in-every-round", NAMED)
    | without("context_vec_2 =")
    | above("context_vec_2", "context_vec_2 = torch.zeros(query.shape)"),
    Wrong("starts-from-ones", VALUES + NAMED).typed("""
        context_vec_2 = torch.ones(3)
        for w, x in zip(attn_weights_2, inputs):
            context_vec_2 += w * x"""),
    Wrong("stops-one-short", NAMED + VALUES, base="starts-from-the-query-itself")
    | edit("context_vec_2 = query", "context_vec_2 = torch.zeros(3)")
    | edit("range(6)", "range(5)"),
    Wrong("starts-from-the-query-itself", GIVENS, says="clone|copy").typed("""
        context_vec_2 = query
        for i in range(6):
            context_vec_2 += attn_weights_2[i] * inputs[i]"""),
    Wrong("starts-from-a-copy-of-the-query", VALUES + NAMED, base="starts-from-the-query-itself")
    | edit("context_vec_2 = query", "context_vec_2 = query.clone()"),
    Wrong("weighs-the-query-only", NAMED, base="starts-from-the-query-itself")
    | edit("context_vec_2 = query", "context_vec_2 = torch.zeros(3)")
    | edit("inputs[i]", "query"),
    Wrong("its-own-share-only", VALUES + NAMED) | returns("attn_weights_2[1] * inputs[1]"),
    Wrong("the-likeliest-token", VALUES + NAMED, never="Every weight was multiplied with the query, so")
    | returns("inputs[attn_weights_2.argmax()]"),
    Wrong("vector-of-six", SHAPE) | edit("shape[1]", "shape[0]"),
    Wrong("whole-number-zeros", DTYPE, base="starts-from-the-query-itself")
    | edit("context_vec_2 = query", "context_vec_2 = torch.zeros(3, dtype=int)"),
    Wrong("edits-the-sentence", GIVENS, says="clone|copy").typed("""
        for i in range(len(inputs)):
            inputs[i] *= attn_weights_2[i]
        context_vec_2 = inputs.sum(0)"""),
    Wrong("an-axis-too-many", SHAPE) | returns("attn_weights_2[None] @ inputs"),
    Wrong("python-list", TYPE)
    | returns("[sum(attn_weights_2[i] * inputs[i, d] for i in range(6)) for d in range(3)]"),
    Wrong("copied-with-four-decimals", VALUES, never=SAME_DIGITS)
    | returns("torch.tensor([0.4419, 0.6515, 0.5683])"),
    Wrong("copied-with-all-digits", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN)
    | returns("torch.tensor([0.4418657422065735, 0.6514819860458374, 0.5683088898658752])"),
    Wrong("plural", MISSING) | typed("context_vecs_2 = attn_weights_2 @ inputs"),
    Wrong("weights-doubled", VALUES) | returns("(attn_weights_2**2) @ inputs"),
    Wrong("first-tokens-weights", VALUES + NAMED)
    | returns("torch.softmax(inputs @ inputs[0], dim=0) @ inputs"),
    Wrong("sum-of-a-generator-of-numbers", SHAPE) | returns("sum(attn_weights_2[i] for i in range(6))"),
    Right("vector-matrix") | returns("attn_weights_2 @ inputs"),
    Right("loop-over-tokens")
    | line("context_vec_2 =", "query = inputs[1]", "context_vec_2 = torch.zeros(query.shape)"),
    Right("transposed") | returns("inputs.T @ attn_weights_2"),
    Right("einsum") | returns('torch.einsum("t,td->d", attn_weights_2, inputs)'),
    Right("builtin-sum") | returns("sum(w * x for w, x in zip(attn_weights_2, inputs))"),
    Right("broadcast-and-sum") | returns("(attn_weights_2.reshape(-1, 1) * inputs).sum(dim=0)"),
    Right("squeezed") | returns("torch.matmul(attn_weights_2[None], inputs).squeeze()"),
    Right("float64") | returns("attn_weights_2.double() @ inputs.double()"),
    Right("functional-linear") | returns("torch.nn.functional.linear(attn_weights_2, inputs.t())"),
    Right("numpy-average").typed("""
        import numpy as np
        mean = np.average(inputs.numpy(), axis=0, weights=attn_weights_2.numpy())
        context_vec_2 = torch.from_numpy(mean)"""),
    Right("fused-attention").typed("""
        from torch.nn.functional import scaled_dot_product_attention
        context_vec_2 = scaled_dot_product_attention(query[None], inputs, inputs, scale=1.0)[0]"""),
    Right("three-loops-deep").typed("""
        numbers = []
        for d in range(inputs.size(1)):
            total = 0.0
            for t in range(inputs.size(0)):
                total += float(attn_weights_2[t]) * float(inputs[t, d])
            numbers.append(total)
        context_vec_2 = torch.tensor(numbers)"""),
    Right("out-and-parameter").typed("""
        out = torch.empty(3)
        torch.mv(inputs.T, attn_weights_2, out=out)
        context_vec_2 = torch.nn.Parameter(out)"""),
    Right("row-of-an-expanded-tensor") | returns("(attn_weights_2 @ inputs).expand(4, 3)[2]"),
    Right("tensordot") | returns("torch.tensordot(attn_weights_2, inputs, dims=1)"),
)

TASKS.hold(
    "scores-loops",
    Wrong("six-tokens-always", RAISED, keeps=1, base="result-shaped-like-the-input")
    | edit("len(x)", "6", places=2)
    | edit("empty_like(x)", "empty(6, 6)"),
    Wrong("loops-over-inputs", NAMED, says=NOT_ITS_ARGUMENT, base="enumerate-and-dot")
    | edit("x.shape[0]", "6", places=2)
    | edit("enumerate(x)", "enumerate(inputs)", places=2),
    Wrong("inner-loop-over-inputs", RULE + VALUES, says=NOT_ITS_ARGUMENT, base="rows-with-columns")
    | line("scores[i, j", "scores[i][j] = dot(x[i], inputs[j])"),
    Wrong("three-components", VALUES + NAMED, keeps=1, base="size-of-the-wrong-axis")
    | edit("x.shape[1]", "len(x)")
    | line("scores[i, j", "for d in range(3):", "    scores[i, j] += x[i, d] * x[j, d]"),
    Wrong("dot-of-single-numbers", RAISED, says="cell of `dot`", base="rows-with-columns")
    | line("scores[i, j", "for d in range(x.shape[1]):", "    scores[i, j] += dot(x[i, d], x[j, d])"),
    Wrong("rows-with-columns", RAISED, never="`a @ b`|transpose").body("""
        scores = torch.zeros(len(x), len(x))
        for i in range(len(x)):
            for j in range(len(x)):
                scores[i, j] = torch.dot(x[i], x[:, j])
        return scores"""),
    Wrong("diagonal-only", VALUES + NAMED, base="rows-with-columns")
    | lines("for j in range", "scores[i, j", "scores[i, i] = torch.dot(x[i], x[i])"),
    Wrong("upper-half-only", RULE + NAMED, base="lower-half-only") | edit("(i + 1):", "(i, n):"),
    Wrong("lower-half-only", RULE + NAMED)
    | rename("num_tokens", "n")
    | edit("j in range(n)", "j in range(i + 1)"),
    Wrong("itself-left-out", VALUES + NAMED)
    | rename("num_tokens", "n")
    | line("scores[i, j", "if i != j:", "    scores[i, j] = dot(x[i], x[j])"),
    Wrong("row-overwritten", NAMED, base="enumerate-and-dot")
    | edit("x.shape[0], x.shape[0]", "len(x), len(x)")
    | line("for j, x_j", "for x_j in x:")
    | edit("[i, j] =", "[i] ="),
    Wrong("return-inside-the-outer-loop", RULE + NAMED, base="rows-with-columns")
    | edit(", x[:, j]", ", x[j]")
    | edit("    return", "        return"),
    Wrong("return-inside-the-inner-loop", VALUES + NAMED, base="return-inside-the-outer-loop")
    | line("return scores", "    return scores"),
    Wrong("nested-lists", TYPE).body("""
        scores = []
        for a in x:
            row = []
            for b in x:
                row.append(dot(a, b))
            scores.append(row)
        return scores"""),
    Wrong("one-long-row", SHAPE).body("""
        result = []
        for a in x:
            for b in x:
                result.append(dot(a, b))
        return torch.stack(result)"""),
    Wrong("size-of-the-wrong-axis", SHAPE)
    | rename("num_tokens", "n")
    | edit("shape[0]", "shape[1]")
    | edit("[i, j] = dot", "[i, j] = torch.dot"),
    Wrong("dimensions-with-dimensions", SHAPE + NAMED, base="size-of-the-wrong-axis")
    | rename("n", "d")
    | edit("[i], x[j]", "[:, i], x[:, j]"),
    Wrong("result-shaped-like-the-input", RAISED, base="rows-with-columns")
    | edit("zeros(len(x), len(x))", "empty_like(x)")
    | edit(", x[:, j]", ", x[j]"),
    Wrong(
        "products-not-added",
        RAISED,
        says="(?i)one number|single number|add (the products|them) up",
        base="rows-with-columns",
    )
    | edit("torch.zeros", "torch.empty")
    | edit("torch.dot(x[i], x[:, j])", "x[i] * x[j]"),
    Wrong("stops-one-short", VALUES + NAMED, base="rows-with-columns")
    | edit("(len(x))", "(len(x) - 1)", places=2)
    | edit("torch.dot(x[i], x[:, j])", "dot(x[i], x[j])"),
    Wrong("same-index-twice", RULE + NAMED, base="rows-with-columns")
    | edit("torch.dot(x[i], x[:, j])", "dot(x[i], x[i])"),
    Wrong("whole-numbers", DTYPE, base="rows-with-columns")
    | line("scores = torch", "scores = torch.zeros((len(x), len(x)), dtype=torch.int64)")
    | edit("torch.dot(x[i], x[:, j])", "dot(x[i], x[j])"),
    Wrong("return-forgotten", TYPE, base="rows-with-columns")
    | lines("scores[i, j", "return scores", "scores[i, j] = dot(x[i], x[j])"),
    Wrong("returns-the-last-score", SHAPE)
    | body("for x_i in x:", "    for x_j in x:", "        scores = torch.dot(x_i, x_j)", "return scores"),
    Wrong("one-query-only", SHAPE + RAISED) | returns("torch.stack([dot(x[1], x_j) for x_j in x])"),
    Wrong("vectors-as-indices", RAISED, base="rows-with-columns")
    | edit("range(len(x))", "x", places=2)
    | edit("x[i], x[:, j]", "i, j"),
    Wrong("gram-of-dimensions", SHAPE + NAMED) | returns("x.T @ x"),
    Wrong("scaled", VALUES + NAMED) | returns("x @ x.T / x.shape[1] ** 0.5"),
    Wrong("unit-vectors", VALUES + NAMED) | body("x = x / x.norm(dim=1, keepdim=True)", "return x @ x.T"),
    Wrong("no-argument", RAISED) | typed("def scores_with_loops():", "    return inputs @ inputs.T"),
    Wrong("edits-its-argument", RULE, keeps=1, base="return-inside-the-outer-loop")
    | edit("j in range(len(x))", "j in range(i, len(x))")
    | edit("torch.dot", "scores[j, i] = dot")
    | edit("return scores", "x[i] = 0\n    return scores"),
    Wrong("softmax-as-well", RULE + NAMED) | returns("torch.softmax(x @ x.T, dim=1)"),
    Wrong("still-dots", STUB) | lines("num_tokens =", "return scores", '"""All scores."""', "..."),
    Right("enumerate-and-dot").body("""
        scores = torch.empty(x.shape[0], x.shape[0])
        for i, x_i in enumerate(x):
            for j, x_j in enumerate(x):
                scores[i, j] = torch.dot(x_i, x_j)
        return scores"""),
    Right("matmul") | returns("x @ x.T"),
    Right("einsum") | returns('torch.einsum("id,jd->ij", x, x)'),
    Right("nested-list-made-a-tensor") | returns("torch.tensor([[dot(a, b) for b in x] for a in x])"),
    Right("nested-stacks")
    | typed("scores_with_loops = lambda x: torch.stack([torch.stack([dot(a, b) for b in x]) for a in x])"),
    Right("broadcasting") | returns("(x[:, None, :] * x[None, :, :]).sum(-1)"),
    Right("half-and-mirrored", base="lower-half-only")
    | lines("n = x.shape[0]", "scores = torch", "n = len(x)", "out = torch.zeros((n, n), dtype=x.dtype)")
    | edit("scores[i, j]", "out[i, j] = out[j, i]")
    | edit("return scores", "return out"),
    Right("three-loops", base="size-of-the-wrong-axis")
    | edit("scores_with_loops(x)", "scores_with_loops(tokens_in)")
    | edit(" = x.shape[1]", ", d = tokens_in.shape")
    | edit("scores =", "s =")
    | edit("scores[i, j]", "for k in range(d):\n                s[i, j]")
    | edit("= torch.dot(x[i], x[j])", "+= tokens_in[i, k] * tokens_in[j, k]")
    | edit("return scores", "return s"),
    Right("float64") | body("x = x.double()", "return torch.inner(x, x)"),
    Right("numpy-and-back")
    | body("a = x.numpy()", "return torch.from_numpy(np.tensordot(a, a, axes=(1, 1)))")
    | before("import numpy as np"),
    Right("column-by-column-turned").body("""
        columns = []
        for key in x:
            columns.append([float(dot(query, key)) for query in x])
        return torch.tensor(columns).T"""),
    Right("vmap-twice")
    | typed("scores_with_loops = lambda x: torch.vmap(lambda a: torch.vmap(lambda b: a @ b)(x))(x)"),
    Right("filled-flat-and-viewed").body("""
        flat = torch.empty(len(x) ** 2)
        for k, (a, b) in enumerate(product(x, repeat=2)):
            flat[k] = a @ b
        return torch.nn.Parameter(flat.view(len(x), -1))""")
    | before("from itertools import product"),
)

TASKS.hold(
    "all-scores",
    Wrong("turned-on-the-left", SHAPE + NAMED) | returns("inputs.T @ inputs"),
    Wrong("not-turned", MISSING, never=WRONG_NAME) | returns("inputs @ inputs"),
    Wrong("elementwise", SHAPE + NAMED) | returns("inputs * inputs"),
    Wrong("one-query-only", SHAPE) | returns("inputs @ inputs[1]"),
    Wrong("renamed-scores-of-one", SHAPE) | returns("attn_scores_2"),
    Wrong("scaled", NAMED) | returns("inputs @ inputs.T / inputs.shape[1] ** 0.5"),
    Wrong("scaled-by-d", VALUES + NAMED) | returns("inputs @ inputs.T / 3"),
    Wrong("softmax-as-well", NAMED + RULE) | returns("torch.softmax(inputs @ inputs.T, dim=-1)"),
    Wrong("future-hidden", RULE + NAMED) | returns("torch.tril(inputs @ inputs.T)"),
    Wrong("itself-left-out", VALUES) | below("attn_scores", "attn_scores.fill_diagonal_(0)"),
    Wrong("only-lengths", VALUES + NAMED) | returns("torch.diag((inputs * inputs).sum(1))"),
    Wrong("unit-vectors", VALUES + NAMED)
    | typed("unit = torch.nn.functional.normalize(inputs, dim=1)", "attn_scores = unit @ unit.T"),
    Wrong("distances", VALUES + NAMED) | returns("torch.cdist(inputs, inputs)"),
    Wrong("centred", VALUES) | typed("c = inputs - inputs.mean(0)", "attn_scores = c @ c.T"),
    Wrong("as-a-batch", SHAPE) | returns("(inputs @ inputs.T).unsqueeze(0)"),
    Wrong("flattened", SHAPE) | returns("(inputs @ inputs.T).flatten()"),
    Wrong("function-not-called", TYPE, says=CALL_IT) | returns("scores_with_loops"),
    Wrong("an-s-forgotten", MISSING) | edit("attn_scores", "attn_score"),
    Wrong("capitals", MISSING) | edit("attn_scores", "Attn_Scores"),
    Wrong("contexts-already", SHAPE) | returns("inputs @ inputs.T @ inputs"),
    Wrong("list-of-rows", TYPE) | returns("[inputs @ x for x in inputs]"),
    Wrong("numpy-array", TYPE) | returns("inputs.numpy() @ inputs.numpy().T"),
    Wrong("copied-with-four-decimals", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN).typed("""
        attn_scores = torch.tensor([
            [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
            [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
            [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
            [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
            [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
            [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
        ])"""),
    Wrong("printed-to-two-decimals", VALUES) | returns("torch.round(inputs @ inputs.T, decimals=2)"),
    Wrong("tokens-turned-in-place", GIVENS) | returns("inputs.clone() @ inputs.t_()"),
    Wrong("givens-scaled", GIVENS)
    | above("attn_scores", "inputs = torch.nn.functional.normalize(inputs, dim=1)"),
    Wrong("whole-numbers", DTYPE) | returns("(inputs @ inputs.T).int()"),
    Wrong("half-precision", DTYPE) | returns("(inputs.half() @ inputs.half().T)"),
    Wrong("negated", VALUES) | returns("-inputs @ inputs.T"),
    Wrong("squared", VALUES) | returns("(inputs @ inputs.T) ** 2"),
    Wrong("reversed", VALUES + RULE) | returns("inputs @ inputs.flip(0).T"),
    Wrong("dot-of-matrices", MISSING, never=WRONG_NAME) | returns("torch.dot(inputs, inputs)"),
    Wrong("a-transposed-for-the-method", MISSING, never=WRONG_NAME) | returns("inputs @ inputs.transpose"),
    Right("matmul") | returns("torch.matmul(inputs, inputs.T)"),
    Right("mm-and-transpose") | returns("inputs.mm(inputs.transpose(0, 1))"),
    Right("own-loops") | returns("scores_with_loops(inputs)"),
    Right("einsum") | returns('torch.einsum("qd,kd->qk", inputs, inputs)'),
    Right("inner") | returns("torch.inner(inputs, inputs)"),
    Right("broadcasting") | returns("(inputs.unsqueeze(1) * inputs.unsqueeze(0)).sum(dim=2)"),
    Right("functional-linear")
    | typed("import torch.nn.functional as F", "attn_scores = F.linear(inputs, inputs)"),
    Right("float64") | returns("inputs.double() @ inputs.double().mT"),
    Right("out") | typed("attn_scores = torch.empty(6, 6)", "torch.mm(inputs, inputs.T, out=attn_scores)"),
    Right("batched") | returns("torch.bmm(inputs[None], inputs.T[None])[0]"),
    Right("turned-view") | returns("torch.stack([inputs @ x for x in inputs]).T"),
    Right("parameter") | returns("torch.nn.Parameter(inputs @ inputs.T)"),
    Right("numpy-and-back")
    | typed("import numpy as np", "attn_scores = torch.tensor(np.inner(inputs, inputs))"),
    Right("tokens-track-gradients") | above("attn_scores", "inputs.requires_grad_(True)"),
    Right("outer-products") | returns("sum(torch.outer(c, c) for c in inputs.T)"),
)

TASKS.hold(
    "all-weights",
    Wrong("down-the-columns", NAMED) | edit(", dim=-1", ", dim=0"),
    Wrong("own-stable-on-the-square", NAMED) | returns("softmax_stable(attn_scores)"),
    Wrong("own-naive-on-the-square", NAMED) | returns("softmax_naive(attn_scores)"),
    Wrong("over-everything", NAMED) | returns("torch.softmax(attn_scores.flatten(), dim=0).view(6, 6)"),
    Wrong("sums-without-keepdim", NAMED, says="keepdim")
    | typed("e = attn_scores.exp()", "attn_weights = e / e.sum(dim=1)"),
    Wrong("sums-of-columns", NAMED)
    | typed("e = attn_scores.exp()", "attn_weights = e / e.sum(dim=0, keepdim=True)"),
    Wrong("tempting-way", NAMED) | returns("attn_scores / attn_scores.sum(dim=1, keepdim=True)"),
    Wrong("axis-forgotten", MISSING, never=WRONG_NAME) | edit(", dim=-1", ""),
    Wrong("axis-two", MISSING, never=WRONG_NAME) | edit(", dim=-1", ", dim=2"),
    Wrong("scaled", NAMED) | edit(", dim=-1", " / 3**0.5, dim=-1"),
    Wrong("softmax-of-the-tokens", SHAPE) | edit("attn_scores", "inputs"),
    Wrong("exponential-only", RULE + NAMED) | returns("torch.exp(attn_scores)"),
    Wrong("scores-renamed", RULE + NAMED) | returns("attn_scores"),
    Wrong("one-query-only", SHAPE) | edit(", dim=-1", "[1], dim=-1"),
    Wrong("ones-of-journey", SHAPE) | returns("attn_weights_2"),
    Wrong("twice", VALUES + NAMED) | returns("attn_scores.softmax(-1).softmax(-1)"),
    Wrong("both-ways", VALUES + NAMED) | returns("attn_scores.softmax(0).softmax(1)"),
    Wrong("columns-after-rows", RULE + NAMED + VALUES, never=r"adds up to 1\.000")
    | returns("attn_scores.softmax(1).softmax(0)"),
    Wrong("turned", NAMED, says=r"transpos|turned|\.T\b") | returns("torch.softmax(attn_scores, dim=-1).T"),
    Wrong("logarithm-kept", RULE + NAMED) | edit(".softmax", ".log_softmax"),
    Wrong("axis-one-of-a-batch", NAMED) | returns("torch.softmax(attn_scores[None], dim=1)[0]"),
    Wrong("left-as-a-batch", SHAPE) | edit(", dim=-1", "[None], dim=-1"),
    Wrong("rows-in-a-list", TYPE)
    | typed("attn_weights = []", "for row in attn_scores:", "    attn_weights.append(softmax_stable(row))"),
    Wrong("row-overwritten", SHAPE)
    | typed("for row in attn_scores:", "    attn_weights = softmax_stable(row)"),
    Wrong("future-hidden", VALUES).typed("""
        masked = attn_scores.masked_fill(torch.triu(torch.ones(6, 6), diagonal=1).bool(), -torch.inf)
        attn_weights = torch.softmax(masked, dim=-1)"""),
    Wrong("copied-with-four-decimals", VALUES).typed("""
        attn_weights = torch.tensor([
            [0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
            [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
            [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
            [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
            [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
            [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896],
        ])"""),
    Wrong("rounded", VALUES) | returns("torch.softmax(attn_scores, -1).round(decimals=3)"),
    Wrong("largest-of-each", SHAPE) | returns("attn_scores.argmax(dim=1)"),
    Wrong("largest-of-each-hot", VALUES) | returns("torch.eye(6)[attn_scores.argmax(dim=1)]"),
    Wrong("numpy-array", TYPE) | returns("torch.softmax(attn_scores, dim=1).numpy()"),
    Wrong("misspelt", MISSING, says="`attn_wieghts`")
    | typed("attn_wieghts = torch.softmax(attn_scores, dim=1)"),
    Wrong("sigmoid", RULE + NAMED) | returns("torch.sigmoid(attn_scores)"),
    Wrong("sign-flipped", VALUES + NAMED) | returns("torch.softmax(-attn_scores, dim=-1)"),
    Right("last-axis", base="solution"),
    Right("axis-one") | edit(", dim=-1", ", dim=1"),
    Right("rows-stacked") | returns("torch.stack([softmax_stable(row) for row in attn_scores])"),
    Right("naive-by-hand")
    | typed("e = torch.exp(attn_scores)", "attn_weights = e / e.sum(dim=1, keepdim=True)"),
    Right("columns-of-a-symmetric-square") | returns("torch.softmax(attn_scores, dim=0).T"),
    Right("module") | typed("softmax = torch.nn.Softmax(dim=-1)", "attn_weights = softmax(attn_scores)"),
    Right("float64") | returns("attn_scores.double().softmax(-1)"),
    Right("logsumexp") | returns("(attn_scores - attn_scores.logsumexp(dim=1, keepdim=True)).exp()"),
    Right("filled-row-by-row").typed("""
        attn_weights = torch.empty_like(attn_scores)
        for i in range(attn_scores.shape[0]):
            attn_weights[i, :] = softmax_naive(attn_scores[i, :])"""),
    Right("vmap") | returns("torch.vmap(softmax_naive)(attn_scores)"),
    Right("over-a-batch") | returns("torch.softmax(attn_scores[None], dim=2).squeeze(0)"),
    Right("parameter") | returns("torch.nn.Parameter(torch.softmax(inputs @ inputs.T, dim=1))"),
    Right("numpy-and-back").typed("""
        import numpy as np
        s = attn_scores.numpy()
        e = np.exp(s - s.max(axis=1, keepdims=True))
        attn_weights = torch.from_numpy(e / e.sum(axis=1)[:, None])"""),
    Right("in-place-out")
    | typed("attn_weights = attn_scores.clone()", "torch.softmax(attn_scores, -1, out=attn_weights)"),
)

TASKS.hold(
    "all-contexts",
    Wrong("tokens-on-the-left", MISSING, never=WRONG_NAME) | returns("inputs @ attn_weights"),
    Wrong("tokens-turned-on-the-left", SHAPE) | returns("inputs.T @ attn_weights"),
    Wrong("weights-turned", NAMED) | returns("attn_weights.T @ inputs"),
    Wrong("scores-for-weights", NAMED) | returns("attn_scores @ inputs"),
    Wrong("weights-with-weights", SHAPE) | edit("@ inputs", "@ attn_weights"),
    Wrong("weights-with-scores", SHAPE) | edit("@ inputs", "@ attn_scores"),
    Wrong("weights-renamed", SHAPE) | edit(" @ inputs", ""),
    Wrong("elementwise", MISSING, never=WRONG_NAME) | edit("@ inputs", "* inputs"),
    Wrong("tokens-turned", MISSING, never=WRONG_NAME) | edit("@ inputs", "@ inputs.T"),
    Wrong("tokens-renamed", NAMED) | returns("inputs"),
    Wrong("plain-mean-for-all", VALUES + NAMED) | returns("inputs.mean(0).expand(6, 3)"),
    Wrong("one-context-only", SHAPE) | returns("attn_weights[1] @ inputs"),
    Wrong("same-context-for-all", VALUES + NAMED) | returns("context_vec_2.repeat(6, 1)"),
    Wrong("result-turned", SHAPE) | returns("(attn_weights @ inputs).T"),
    Wrong("softmax-down-the-columns", NAMED) | returns("attn_scores.softmax(0) @ inputs"),
    Wrong("tokens-added", VALUES + NAMED) | returns("inputs + attn_weights @ inputs"),
    Wrong("divided-again", VALUES + NAMED) | edit("@ inputs", "@ inputs / 6"),
    Wrong("overwritten-in-the-loop", VALUES + NAMED, base="row-by-row")
    | edit("+= attn_weights", "= attn_weights")
    | edit("[i][j] *", "[i, j] *"),
    Wrong("indices-swapped", NAMED, base="row-by-row") | edit("[i][j] *", "[j, i] *"),
    Wrong("own-vector-weighed", VALUES + NAMED, never="Multiply the weights with them", base="row-by-row")
    | edit("[i][j] * inputs[j]", "[i, j] * inputs[i]"),
    Wrong("stops-one-short", VALUES).typed("""
        all_context_vecs = torch.zeros(6, 3)
        for i in range(5):
            all_context_vecs[i] = attn_weights[i] @ inputs"""),
    Wrong("list-of-contexts", TYPE) | returns("[attn_weights[i] @ inputs for i in range(6)]"),
    Wrong("all-products-kept", SHAPE) | edit(" @ inputs", "[:, :, None] * inputs[None]"),
    Wrong("added-over-queries", NAMED + VALUES, base="broadcasting") | edit("sum(dim=1)", "sum(0)"),
    Wrong("added-over-dimensions", SHAPE) | returns("(attn_weights[:, :, None] * inputs[None]).sum(-1)"),
    Wrong("copied-with-four-decimals", VALUES, never=SAME_DIGITS).typed("""
        all_context_vecs = torch.tensor(
            [[0.4421, 0.5931, 0.5790],
             [0.4419, 0.6515, 0.5683],
             [0.4431, 0.6496, 0.5671],
             [0.4304, 0.6298, 0.5510],
             [0.4671, 0.5910, 0.5266],
             [0.4177, 0.6503, 0.5645]])"""),
    Wrong("copied-with-all-digits", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN).typed("""
        all_context_vecs = torch.tensor([
            [0.4420594274997711, 0.5930986404418945, 0.5789891481399536],
            [0.4418657422065735, 0.6514819860458374, 0.5683088898658752],
            [0.4431275427341461, 0.6495946645736694, 0.5670731067657471],
            [0.43038973212242126, 0.6298280954360962, 0.5510270595550537],
            [0.4671017527580261, 0.5909927487373352, 0.5265965461730957],
            [0.41772449016571045, 0.650323212146759, 0.5645352005958557],
        ])"""),
    Wrong("singular", MISSING) | edit("all_context_vecs", "all_context_vec"),
    Wrong("all-forgotten", MISSING) | edit("all_context_vecs", "context_vecs"),
    Wrong("half-precision", DTYPE) | edit(" @ inputs", ".half() @ inputs.half()"),
    Wrong("numpy-array", TYPE) | edit(" @ inputs", ".numpy() @ inputs.numpy()"),
    Wrong("edits-the-sentence", GIVENS)
    | typed("inputs[:] = attn_weights @ inputs", "all_context_vecs = inputs"),
    Wrong("with-the-weights", TYPE) | edit("@ inputs", "@ inputs, attn_weights"),
    Wrong("a-comma", TYPE) | edit("@ inputs", "@ inputs,"),
    Right("matmul") | returns("torch.matmul(attn_weights, inputs)"),
    Right("einsum") | returns('torch.einsum("qk,kd->qd", attn_weights, inputs)'),
    Right("row-by-row").typed("""
        all_context_vecs = torch.zeros(6, 3)
        for i in range(6):
            for j in range(6):
                all_context_vecs[i] += attn_weights[i][j] * inputs[j]"""),
    Right("stacked") | returns("torch.stack([row @ inputs for row in attn_weights])"),
    Right("turned-twice") | returns("(inputs.T @ attn_weights.T).T"),
    Right("broadcasting") | returns("(attn_weights[:, :, None] * inputs[None]).sum(dim=1)"),
    Right("float64") | edit(" @ inputs", ".double() @ inputs.double()"),
    Right("functional-linear") | returns("torch.nn.functional.linear(attn_weights, inputs.T)"),
    Right("fused-attention").typed("""
        import torch.nn.functional as F
        x = inputs[None, None]
        all_context_vecs = F.scaled_dot_product_attention(x, x, x, scale=1.0).squeeze()"""),
    Right("out")
    | typed("all_context_vecs = torch.empty(6, 3)", "torch.mm(attn_weights, inputs, out=all_context_vecs)"),
    Right("addmm") | returns("torch.addmm(torch.zeros(3), attn_weights, inputs)"),
    Right("parameter") | returns("torch.nn.Parameter(attn_weights @ inputs)"),
    Right("numpy-and-back")
    | typed("import numpy as np", "all_context_vecs = torch.tensor(np.dot(attn_weights.numpy(), inputs))"),
    Right("by-dimension").typed("""
        columns = []
        for d in range(3):
            columns.append(attn_weights @ inputs[:, d])
        all_context_vecs = torch.stack(columns, dim=1)"""),
)

TASKS.hold(
    "simple-attention",
    Wrong("returns-the-weights", SHAPE + NAMED)
    | line("return weights @ x", "context = weights @ x", "return weights"),
    Wrong("softmax-down-the-columns", NAMED) | returns("(x @ x.T).softmax(0) @ x"),
    Wrong("weights-turned", NAMED) | body("weights = torch.softmax(x @ x.T, dim=-1)", "return weights.T @ x"),
    Wrong("no-softmax", NAMED) | returns("x @ x.T @ x"),
    Wrong("tempting-way", NAMED) | line("weights =", "weights = scores / scores.sum(dim=-1, keepdim=True)"),
    Wrong("overflows", NAMED + NOT_FINITE, keeps=2)
    | body("e = torch.exp(x @ x.T)", "return e / e.sum(dim=1, keepdim=True) @ x"),
    Wrong("own-naive-by-rows", NAMED + NOT_FINITE, keeps=2)
    | body("weights = torch.stack([softmax_naive(row) for row in x @ x.T])", "return weights @ x"),
    Wrong("own-stable-on-the-square", NAMED).body("""
        attn_scores = scores_with_loops(x)
        attn_weights = softmax_stable(attn_scores)
        return attn_weights @ x"""),
    Wrong("scaled", NAMED) | returns("torch.softmax(x @ x.T / x.shape[-1] ** 0.5, dim=-1) @ x"),
    Wrong("fused-attention-scales", NAMED, base="fused-attention")
    | body("return F.scaled_dot_product_attention(x, x, x)"),
    Wrong("values-from-the-notebook", VALUES + NAMED, says=NOT_ITS_ARGUMENT)
    | edit("weights @ x", "weights @ inputs"),
    Wrong("weights-from-the-notebook", VALUES + NAMED, says=NOT_ITS_ARGUMENT) | returns("attn_weights @ x"),
    Wrong("scores-from-the-notebook", VALUES + NAMED, says=NOT_ITS_ARGUMENT)
    | body("weights = torch.softmax(attn_scores, dim=-1)", "return weights @ x"),
    Wrong("whole-result-from-the-notebook", NAMED, says=NOT_ITS_ARGUMENT).body("""
        attn_scores = inputs @ inputs.T
        attn_weights = torch.softmax(attn_scores, dim=-1)
        return attn_weights @ inputs"""),
    Wrong("return-forgotten", TYPE) | edit("return weights", "context = weights"),
    Wrong("weights-come-along", TYPE, keeps=2)
    | body("w = torch.softmax(x @ x.T, dim=-1)", "return w @ x, w"),
    Wrong("dimensions-attend", VALUES + NAMED)
    | body("scores = x.T @ x", "weights = torch.softmax(scores, dim=-1)", "return x @ weights"),
    Wrong("not-turned", RAISED) | edit("= x @ x.T", "= x @ x"),
    Wrong("tokens-added", VALUES + NAMED) | returns("x + torch.softmax(x @ x.T, dim=-1) @ x"),
    Wrong("scores-weighed-with-scores", SHAPE) | edit("weights @ x", "weights @ scores"),
    Wrong("second-token-only", SHAPE) | body("scores = x @ x[1]", "return torch.softmax(scores, 0) @ x"),
    Wrong("six-tokens-always", RAISED, keeps=2).body("""
        out = torch.zeros(6, 3)
        for i in range(6):
            w = torch.softmax(x @ x[i], dim=0)
            out[i] = w @ x
        return out"""),
    Wrong("clamped", VALUES + NAMED + NOT_FINITE, keeps=2)
    | body("e = torch.exp((x @ x.T).clamp(max=80))", "return e / e.sum(-1, keepdim=True) @ x"),
    Wrong("edits-its-argument", RULE, keeps=2, never=r"x \*= 2")
    | body("weights = torch.softmax(x @ x.T, dim=-1)", "x[:] = weights @ x", "return x"),
    Wrong("future-hidden", VALUES)
    | line("weights =", "mask = torch.triu(torch.ones(len(x), len(x)), diagonal=1).bool()")
    | edit("weights @", 'torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1) @'),
    Wrong("plain-mean", VALUES + NAMED) | returns("x.mean(0, keepdim=True).expand_as(x)"),
    Wrong("the-tokens-themselves", VALUES + NAMED) | returns("x"),
    Wrong("weights-times-turned", SHAPE) | returns("x.T @ torch.softmax(x @ x.T, -1)"),
    Wrong("sums-without-keepdim", NAMED, says="keepdim")
    | body("e = torch.exp(x @ x.T)", "return e / e.sum(dim=1) @ x"),
    Wrong(
        "sums-without-keepdim-of-shifted-scores",
        NAMED,
        says="keepdim",
        never=r"exp\(\) overflows",
        base="largest-of-the-square",
    )
    | lines("e = torch", "return (e", "e = torch.exp(s - s.max())", "w = e / e.sum(dim=1)", "return w @ x"),
    Wrong("half-precision", DTYPE, keeps=1) | body("h = x.bfloat16()", "return (h @ h.T).softmax(-1) @ h"),
    Wrong("result-not-function", NO_FUNCTION)
    | typed("simple_attention = torch.softmax(inputs @ inputs.T, dim=-1) @ inputs"),
    Wrong("three-arguments", RAISED)
    | typed("def simple_attention(q, k, v):", "    return torch.softmax(q @ k.T, dim=-1) @ v"),
    Wrong("class-with-init", NO_FUNCTION, says=r"\bclass\b").typed("""
        class simple_attention(torch.nn.Module):
            def __init__(self, x):
                super().__init__()
                self.x = x

            def forward(self):
                return torch.softmax(self.x @ self.x.T, dim=-1) @ self.x"""),
    Wrong("axis-forgotten-and-turned", RAISED).body("""
        attn_scores = x @ x.T
        attn_weights = torch.softmax(attn_scores)
        return attn_weights.T @ x"""),
    Wrong("calls-an-undefined-name", RAISED) | without("scores = x"),
    Right("one-line") | returns("torch.softmax(x @ x.T, dim=-1) @ x"),
    Right("fused-attention")
    | body("return F.scaled_dot_product_attention(x[None], x[None], x[None], scale=1.0)[0]")
    | before("import torch.nn.functional as F"),
    Right("einsums").typed("""
        def simple_attention(tokens):
            s = torch.einsum("qd,kd->qk", tokens, tokens)
            return torch.einsum("qk,kd->qd", s.softmax(-1), tokens)"""),
    Right("own-helpers-in-loops").body("""
        scores = scores_with_loops(x)
        out = torch.zeros(x.shape)
        for i in range(len(x)):
            w = softmax_stable(scores[i])
            for j in range(len(x)):
                out[i] += w[j] * x[j]
        return out"""),
    Right("lambda") | typed("simple_attention = lambda x: torch.nn.functional.softmax(x @ x.mT, dim=1) @ x"),
    Right("float64") | body("x = x.double()", "return (x @ x.T).softmax(-1) @ x"),
    Right("columns-then-turned") | returns("(x @ x.T).softmax(dim=0).T @ x"),
    Right("turned-view") | returns("(x.T @ (x @ x.T).softmax(0)).T"),
    Right("module-instance").typed("""
        class SelfAttention(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.softmax = torch.nn.Softmax(dim=-1)

            def forward(self, x):
                return self.softmax(x @ x.transpose(-2, -1)) @ x

        simple_attention = SelfAttention()"""),
    Right("helper-below").typed("""
        def simple_attention(x):
            return torch.stack([context(x, i) for i in range(len(x))])

        def context(x, i):
            s = x @ x[i]
            e = torch.exp(s - s.max())
            return (e / e.sum()) @ x"""),
    Right("largest-of-the-square").body("""
        s = x @ x.T
        e = torch.exp(s - s.max(dim=1, keepdim=True)[0])
        return (e @ x) / e.sum(dim=1, keepdim=True)"""),
    Right("parameters-and-gradients").body("""
        w = torch.nn.Parameter(torch.eye(x.shape[1]))
        q = x @ w
        return torch.softmax(q @ q.T, dim=-1) @ q"""),
    Right("numpy-and-back").body("""
        a = np.array(x)
        s = a @ a.T
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return torch.from_numpy((e / e.sum(axis=-1, keepdims=True)) @ a)""")
    | before("import numpy as np"),
    Right("written-into-a-buffer").body("""
        out = torch.empty_like(x)
        torch.mm(torch.softmax(torch.mm(x, x.t()), 1), x, out=out)
        return out"""),
)
