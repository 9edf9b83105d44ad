"""Answers to lesson 01 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.harness import Mutants, Right, Wrong

LESSON = "01-dot-product"

# What a learner is told first. A mistake that many people make deserves its name.
NAMED = ("MatchesKnownWrong",)
MISSING = ("NotDefined",)
STUB = ("StillStub",)
NO_FUNCTION = ("NotAFunction",)
RAISED = ("Raised",)
TYPE = ("WrongType",)
SHAPE = ("WrongShape",)
DTYPE = ("WrongDtype",)
NOT_FINITE = ("NotFinite",)
VALUES = ("WrongValues",)
RULE = ("BrokenProperty",)
GIVENS = ("GivensChanged",)
NOT_COMPUTED = ("NotComputed",)

# Words that a message must have, and words that would lead the learner astray.
CALL_IT = r"parenthes|bracket|\(\)|\bcall"
TYPED_IN = r"typed|copied|copy|not computed"
WRONG_NAME = r"is that the one"
NOT_ITS_ARGUMENT = r"from the notebook|Use the argument"
SAME_TWICE = r" is (\S+)(?: on [^;]*?)? and should be \1\."

DOT_PRODUCT = Mutants(
    wrong=(
        Wrong(
            "three-components-spelled-out",
            """
            def dot(a, b):
                return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "products-not-added",
            """
            def dot(a, b):
                return a * b
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "list-of-products",
            """
            def dot(a, b):
                products = []
                for i in range(len(a)):
                    products.append(a[i] * b[i])
                return products
            """,
            TYPE,
            never=r"torch\.stack",
        ),
        Wrong(
            "prints-instead-of-returning",
            """
            def dot(a, b):
                total = 0
                for x, y in zip(a, b):
                    total += x * y
                print(total)
            """,
            TYPE,
        ),
        Wrong(
            "return-inside-the-loop",
            """
            def dot(a, b):
                res = 0.
                for idx, element in enumerate(a):
                    res += element * b[idx]
                    return res
            """,
            NAMED,
        ),
        Wrong(
            "stops-one-short",
            """
            def dot(a, b):
                total = torch.tensor(0.0)
                for i in range(len(a) - 1):
                    total = total + a[i] * b[i]
                return total
            """,
            NAMED,
        ),
        Wrong(
            "counts-from-one",
            """
            def dot(a, b):
                s = 0
                for i in range(1, len(a)):
                    s += a[i] * b[i]
                return s
            """,
            NAMED,
        ),
        Wrong(
            "overwrites-the-sum",
            """
            def dot(a, b):
                total = 0
                for i in range(len(a)):
                    total = a[i] * b[i]
                return total
            """,
            NAMED,
        ),
        Wrong(
            "equals-plus",
            """
            def dot(a, b):
                total = 0
                for x, y in zip(a, b):
                    total =+ x * y
                return total
            """,
            NAMED,
        ),
        Wrong(
            "adds-instead-of-multiplying",
            """
            def dot(a, b):
                total = 0
                for x, y in zip(a, b):
                    total += x + y
                return total
            """,
            NAMED,
        ),
        Wrong(
            "product-of-the-sums",
            """
            def dot(a, b):
                return a.sum() * b.sum()
            """,
            NAMED,
        ),
        Wrong(
            "first-vector-with-itself",
            """
            def dot(a, b):
                out = 0
                for i in range(len(a)):
                    out += a[i] * a[i]
                return out
            """,
            NAMED,
        ),
        Wrong(
            "squared-distance",
            """
            def dot(a, b):
                return ((a - b) ** 2).sum()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "cosine-similarity",
            """
            def dot(a, b):
                return torch.nn.functional.cosine_similarity(a, b, dim=0)
            """,
            NAMED,
        ),
        Wrong(
            "mean-of-the-products",
            """
            def dot(a, b):
                return (a * b).mean()
            """,
            NAMED,
        ),
        Wrong(
            "reads-the-notebook-variables",
            """
            def dot(a, b):
                res = 0.0
                for i in range(len(input_query)):
                    res += input_query[i] * input_1[i]
                return res
            """,
            VALUES,
            says=r"`input_query` and `input_1` from the notebook",
        ),
        Wrong(
            "typed-in-number",
            """
            def dot(a, b):
                return 0.9544
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "result-with-an-axis",
            """
            def dot(a, b):
                total = torch.zeros(1)
                for i in range(a.shape[0]):
                    total += a[i] * b[i]
                return total
            """,
            SHAPE,
        ),
        Wrong(
            "integer-accumulator",
            """
            def dot(a, b):
                total = torch.tensor(0)
                for i in range(len(a)):
                    total += a[i] * b[i]
                return total
            """,
            RAISED,
        ),
        Wrong(
            "rounds-to-an-int",
            """
            def dot(a, b):
                return int(sum(a * b))
            """,
            VALUES,
            never=r"filled in",
        ),
        Wrong(
            "elements-used-as-indices",
            """
            def dot(a, b):
                total = 0
                for i in a:
                    total += a[i] * b[i]
                return total
            """,
            RAISED,
        ),
        Wrong(
            "length-of-the-sentence",
            """
            def dot(a, b):
                total = 0
                for i in range(len(inputs)):
                    total += a[i] * b[i]
                return total
            """,
            RAISED,
            never=r"same answer whatever",
        ),
        Wrong(
            "length-of-the-example",
            """
            d_in = 3

            def dot(a, b):
                total = 0
                for i in range(d_in):
                    total += a[i] * b[i]
                return total
            """,
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "six-terms-in-a-generator",
            """
            def dot(a, b):
                return sum(a[i] * b[i] for i in range(6))
            """,
            RAISED,
            says=r"line 2 of its cell",
            never=r"genexpr",
        ),
        Wrong(
            "edits-its-argument",
            """
            def dot(a, b):
                a *= b
                return a.sum()
            """,
            RULE,
        ),
        Wrong(
            "takes-one-matrix",
            """
            def dot(x):
                return x[0] @ x[1]
            """,
            RAISED,
        ),
        Wrong(
            "comma-makes-a-tuple",
            """
            def dot(a, b):
                total = 0
                for x, y in zip(a, b):
                    total += x * y
                return total,
            """,
            TYPE,
        ),
        Wrong(
            "called-otherwise",
            """
            def dot_product(a, b):
                return sum(x * y for x, y in zip(a, b))
            """,
            MISSING,
            says=r"`dot_product`",
        ),
        Wrong(
            "capital-letter",
            """
            def Dot(a, b):
                return sum(x * y for x, y in zip(a, b))
            """,
            MISSING,
        ),
        Wrong(
            "colon-forgotten",
            """
            def dot(a, b)
                return sum(x * y for x, y in zip(a, b))
            """,
            MISSING,
        ),
        Wrong(
            "a-number-not-a-function",
            """
            dot = 0
            for i in range(3):
                dot += inputs[1][i] * inputs[0][i]
            """,
            NO_FUNCTION,
        ),
        Wrong(
            "method-without-its-call",
            """
            def dot(a, b):
                return a.dot
            """,
            TYPE,
            says=CALL_IT,
        ),
        Wrong(
            "only-a-pass",
            """
            def dot(a, b):
                # todo
                pass
            """,
            STUB,
        ),
        Wrong(
            "loop-without-a-body-of-use",
            """
            def dot(a, b):
                total = 0
                for x, y in zip(a, b):
                    x * y
                return total
            """,
            VALUES + NAMED,
        ),
    ),
    right=(
        Right(
            "zip-and-a-float",
            """
            def dot(a, b):
                total = 0.0
                for x, y in zip(a, b):
                    total += x.item() * y.item()
                return total
            """,
        ),
        Right("generator-sum", "def dot(u, v):\n    return sum(x * y for x, y in zip(u, v))"),
        Right("torch-dot-itself", "dot = torch.dot"),
        Right("lambda", "dot = lambda a, b: (a * b).sum()"),
        Right("matmul-operator", "def dot(a, b): return a @ b"),
        Right("einsum", 'def dot(a, b):\n    return torch.einsum("i,i->", a, b)'),
        Right("float64", "def dot(a, b):\n    return a.double() @ b.double()"),
        Right(
            "numpy-scalar",
            """
            import numpy as np

            def dot(a, b):
                return np.dot(a.numpy(), b.numpy())
            """,
        ),
        Right(
            "numpy-without-axes",
            "def dot(a, b):\n    return (a * b).sum().numpy()",
        ),
        Right(
            "while-and-in-place",
            """
            def dot(a, b):
                total = torch.zeros(())
                i = 0
                while i < a.numel():
                    total += a[i] * b[i]
                    i += 1
                return total
            """,
        ),
        Right(
            "recursion",
            """
            def dot(a, b):
                if len(a) == 0:
                    return 0.0
                return a[0] * b[0] + dot(a[1:], b[1:])
            """,
        ),
        Right(
            "helper-functions",
            """
            def products(a, b):
                return [x * y for x, y in zip(a.tolist(), b.tolist())]

            def dot(a, b):
                '''By hand.'''
                return add_up(products(a, b))

            def add_up(numbers):
                total = 0
                for number in numbers:
                    total += number
                return total
            """,
        ),
        Right(
            "fsum",
            """
            import math

            def dot(a, b):
                return math.fsum(map(lambda x, y: float(x) * float(y), a, b))
            """,
        ),
        Right(
            "parameter-that-wants-a-gradient",
            """
            def dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
                total = torch.nn.Parameter(torch.tensor(0.0))
                for i in range(len(b)):
                    total = total + a[i] * b[i]
                return torch.nn.Parameter(total)
            """,
        ),
        Right(
            "object-that-is-called",
            """
            class Dot:
                def __call__(self, a, b):
                    return torch.nn.functional.linear(a, b)

            dot = Dot()
            """,
        ),
        Right(
            "row-times-column",
            """
            def dot(a, b):
                out = torch.empty(1, 1)
                torch.mm(a.view(1, -1), b.view(-1, 1), out=out)
                return out[0, 0]
            """,
        ),
    ),
)

QUERY_SCORES = Mutants(
    wrong=(
        Wrong("token-two-counted-from-one", "query = inputs[2]\nattn_scores_2 = inputs @ query", NAMED),
        Wrong("first-token-as-query", "query = inputs[0]\nattn_scores_2 = inputs @ query", NAMED),
        Wrong(
            "list-of-floats",
            """
            query = inputs[1]
            attn_scores_2 = [dot(query, x).item() for x in inputs]
            """,
            TYPE,
        ),
        Wrong(
            "list-of-tensors",
            """
            query = inputs[1]  # (d_in,)
            attn_scores_2 = []
            for i in range(6):
                attn_scores_2.append(torch.dot(query, inputs[i]))
            """,
            TYPE,
        ),
        Wrong(
            "products-not-added",
            """
            query = inputs[1]  # (d_in,)
            attn_scores_2 = inputs * query
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "added-along-the-wrong-axis",
            """
            query = inputs[1]  # (d_in,)
            attn_scores_2 = (inputs * query).sum(dim=0)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "mean-instead-of-sum",
            """
            query = inputs[1]
            attn_scores_2 = (inputs * query).mean(dim=1)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "overwritten-in-the-loop",
            """
            query = inputs[1]
            for x in inputs:
                attn_scores_2 = torch.dot(x, query)
            """,
            NAMED,
        ),
        Wrong(
            "result-never-stored",
            """
            query = inputs[1]
            attn_scores_2 = torch.zeros(inputs.shape[0])
            for i, x_i in enumerate(inputs):
                torch.dot(x_i, query)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "leaves-itself-out",
            """
            query = inputs[1]
            attn_scores_2 = torch.tensor([dot(query, inputs[i]) for i in range(6) if i != 1])
            """,
            SHAPE,
        ),
        Wrong(
            "own-score-zero",
            """
            query = inputs[1]
            attn_scores_2 = torch.zeros(6)
            for i in range(6):
                if i != 1:
                    attn_scores_2[i] = dot(query, inputs[i])
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "counts-from-one",
            """
            query = inputs[1]
            attn_scores_2 = torch.zeros(6)
            for i in range(1, 6):
                attn_scores_2[i] = query @ inputs[i]
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "stops-one-short",
            """
            query = inputs[1]
            attn_scores_2 = torch.zeros(6)
            for i in range(len(inputs) - 1):
                attn_scores_2[i] = query @ inputs[i]
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "whole-numbers",
            """
            query = inputs[1]
            attn_scores_2 = torch.zeros(6, dtype=torch.int)
            for i in range(6):
                attn_scores_2[i] = dot(query, inputs[i])
            """,
            DTYPE,
        ),
        Wrong("a-column", "query = inputs[1]\nattn_scores_2 = inputs @ query.unsqueeze(1)", SHAPE),
        Wrong("a-row", "query = inputs[1:2]\nattn_scores_2 = query @ inputs.T", SHAPE),
        Wrong("scores-of-every-query", "query = inputs[1]\nattn_scores_2 = inputs @ inputs.T", SHAPE + NAMED),
        Wrong(
            "copied-from-the-figure",
            """
            query = inputs[1]
            attn_scores_2 = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong(
            "copied-with-two-decimals",
            """
            query = inputs[1]
            attn_scores_2 = torch.tensor([0.95, 1.50, 1.48, 0.84, 0.71, 1.09])
            """,
            VALUES,
        ),
        Wrong(
            "softmax-as-well",
            """
            query = inputs[1]
            attn_scores_2 = torch.softmax(inputs @ query, dim=0)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "scaled",
            """
            query = inputs[1]
            attn_scores_2 = inputs @ query / 3 ** 0.5
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "cosine-similarity",
            """
            query = inputs[1]
            attn_scores_2 = torch.cosine_similarity(inputs, query[None], dim=1)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "each-token-with-itself",
            """
            query = inputs[1]
            attn_scores_2 = torch.stack([dot(x, x) for x in inputs])
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "query-on-the-left",
            "query = inputs[1]\nattn_scores_2 = query @ inputs",
            MISSING,
            says=r"error",
        ),
        Wrong(
            "a-column-as-query",
            "query = inputs[:, 1]\nattn_scores_2 = inputs @ query",
            MISSING,
            says=r"error",
        ),
        Wrong("underscore-moved", "query = inputs[1]\nattn_scores2 = inputs @ query", MISSING),
        Wrong("an-s-forgotten", "query = inputs[1]\nattn_score_2 = inputs @ query", MISSING),
        Wrong("numpy-array", "query = inputs[1]\nattn_scores_2 = inputs.numpy() @ query.numpy()", TYPE),
        Wrong(
            "a-function-instead",
            """
            query = inputs[1]
            def attn_scores_2(x):
                return x @ query
            """,
            TYPE,
        ),
        Wrong(
            "edits-the-sentence",
            """
            query = inputs[1].clone()
            for i in range(6):
                inputs[i] *= query
            attn_scores_2 = inputs.sum(dim=1)
            """,
            GIVENS,
        ),
        Wrong(
            "sorted",
            """
            query = inputs[1]
            attn_scores_2, order = (inputs @ query).sort(descending=True)
            """,
            VALUES,
        ),
        Wrong("left-as-it-was", "query = inputs[1]  # (d_in,)\nattn_scores_2 = ...  # your code here", STUB),
        Wrong("none", "query = inputs[1]  # (d_in,)\nattn_scores_2 = None", STUB + TYPE),
        Wrong(
            "print-returns-none",
            """
            query = inputs[1]
            attn_scores_2 = print(inputs @ query)
            """,
            TYPE,
        ),
    ),
    right=(
        Right(
            "loop-into-empty",
            """
            query = inputs[1]
            attn_scores_2 = torch.empty(inputs.shape[0])
            for i, x_i in enumerate(inputs):
                attn_scores_2[i] = torch.dot(x_i, query)
            """,
        ),
        Right(
            "stacked-list",
            """
            query = inputs[1]
            scores = []
            for x in inputs:
                scores.append(dot(x, query))
            attn_scores_2 = torch.stack(scores)
            """,
        ),
        Right("list-of-dots", "attn_scores_2 = torch.tensor([dot(inputs[1], x) for x in inputs])"),
        Right("einsum", 'query = inputs[1]\nattn_scores_2 = torch.einsum("td,d->t", inputs, query)'),
        Right("sum-over-the-last-axis", "attn_scores_2 = (inputs * inputs[1]).sum(-1)"),
        Right(
            "out-buffer",
            """
            query = inputs[1]
            attn_scores_2 = torch.zeros(6)
            torch.mv(inputs, query, out=attn_scores_2)
            """,
        ),
        Right("a-column-of-all-scores", "attn_scores_2 = (inputs @ inputs.T)[:, 1]"),
        Right("squeezed-row", "attn_scores_2 = (inputs[1:2] @ inputs.T).squeeze()"),
        Right(
            "float64-through-numpy",
            """
            import numpy as np
            query = inputs[1]
            attn_scores_2 = torch.from_numpy(np.array([float(dot(query, x)) for x in inputs]))
            """,
        ),
        Right("parameter", "query = inputs[1]\nattn_scores_2 = torch.nn.Parameter(inputs @ query)"),
        Right(
            "with-gradients",
            """
            tracked = inputs.clone().requires_grad_()
            query = tracked[1]
            attn_scores_2 = tracked @ query
            """,
        ),
        Right(
            "linear-layer",
            """
            query = inputs[1]
            attn_scores_2 = torch.nn.functional.linear(inputs, query.unsqueeze(0)).flatten()
            """,
        ),
        Right(
            "built-by-concatenation",
            """
            query = inputs[1]
            attn_scores_2 = torch.tensor([])
            for token in inputs:
                attn_scores_2 = torch.cat([attn_scores_2, torch.dot(token, query).reshape(1)])
            """,
        ),
        Right("vmap", "query = inputs[1]\nattn_scores_2 = torch.vmap(lambda x: x @ query)(inputs)"),
        Right(
            "accumulates-over-dimensions",
            """
            query = inputs[1]
            attn_scores_2 = torch.zeros(6)
            for d in range(3):
                attn_scores_2 += inputs[:, d] * query[d]
            """,
        ),
    ),
)

SUM_WEIGHTS = Mutants(
    wrong=(
        Wrong(
            "divided-by-their-number", "attn_weights_2_tmp = attn_scores_2 / len(attn_scores_2)", NAMED + RULE
        ),
        Wrong(
            "divided-by-the-mean", "attn_weights_2_tmp = attn_scores_2 / attn_scores_2.mean()", RULE + NAMED
        ),
        Wrong(
            "divided-by-the-largest", "attn_weights_2_tmp = attn_scores_2 / attn_scores_2.max()", NAMED + RULE
        ),
        Wrong("softmax-already", "attn_weights_2_tmp = torch.softmax(attn_scores_2, dim=0)", NAMED),
        Wrong("only-the-sum", "attn_weights_2_tmp = attn_scores_2.sum()", SHAPE + NAMED),
        Wrong("only-one-share", "attn_weights_2_tmp = attn_scores_2[1] / attn_scores_2.sum()", SHAPE),
        Wrong(
            "size-instead-of-the-shares",
            "attn_weights_2_tmp = (attn_scores_2 / attn_scores_2.sum()).shape",
            TYPE,
            never=r"parenthes",
        ),
        Wrong("floor-division", "attn_weights_2_tmp = attn_scores_2 // attn_scores_2.sum()", RULE + NAMED),
        Wrong(
            "sum-without-its-call",
            "attn_weights_2_tmp = attn_scores_2 / attn_scores_2.sum",
            MISSING,
            says=r"error",
        ),
        Wrong(
            "unit-length",
            "attn_weights_2_tmp = torch.nn.functional.normalize(attn_scores_2, dim=0)",
            NAMED + RULE,
        ),
        Wrong("sum-of-the-tokens", "attn_weights_2_tmp = attn_scores_2 / inputs.sum()", RULE + NAMED),
        Wrong(
            "sum-of-the-others",
            """
            total = 0
            for i in range(6):
                if i != 1:
                    total += attn_scores_2[i]
            attn_weights_2_tmp = attn_scores_2 / total
            """,
            RULE,
        ),
        Wrong(
            "typed-in-sum",
            "attn_weights_2_tmp = attn_scores_2 / 6.5617",
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong(
            "list-of-shares",
            """
            total = sum(attn_scores_2)
            attn_weights_2_tmp = [score / total for score in attn_scores_2]
            """,
            TYPE,
        ),
        Wrong(
            "copied-with-four-decimals",
            "attn_weights_2_tmp = torch.tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])",
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            """
            attn_weights_2_tmp = torch.tensor([
                0.14545013010501862, 0.22783730924129486, 0.22485028207302094,
                0.1285337656736374, 0.10774647444486618, 0.1655821055173874,
            ])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong("squares", "attn_weights_2_tmp = attn_scores_2**2 / (attn_scores_2**2).sum()", VALUES + NAMED),
        Wrong(
            "rounded",
            "attn_weights_2_tmp = torch.round(attn_scores_2 / attn_scores_2.sum(), decimals=4)",
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong("half-precision", "attn_weights_2_tmp = (attn_scores_2 / attn_scores_2.sum()).half()", DTYPE),
        Wrong(
            "tmp-forgotten",
            "attn_weights_2 = attn_scores_2 / attn_scores_2.sum()",
            MISSING,
            says=r"`attn_weights_2`",
        ),
        Wrong(
            "between-zero-and-one",
            """
            low, high = attn_scores_2.min(), attn_scores_2.max()
            attn_weights_2_tmp = (attn_scores_2 - low) / (high - low)
            """,
            RULE + NAMED,
        ),
        Wrong(
            "every-score-of-the-sentence",
            """
            scores = inputs @ inputs.T
            attn_weights_2_tmp = scores / scores.sum(dim=1, keepdim=True)
            """,
            SHAPE,
        ),
        Wrong(
            "kept-an-axis",
            "attn_weights_2_tmp = (attn_scores_2 / attn_scores_2.sum()).unsqueeze(0)",
            SHAPE,
        ),
        Wrong("sum-missing-in-brackets", "attn_weights_2_tmp = attn_scores_2 / attn_scores_2", RULE + NAMED),
        Wrong("upside-down", "attn_weights_2_tmp = attn_scores_2.sum() / attn_scores_2", RULE + NAMED),
        Wrong("not-divided", "attn_weights_2_tmp = attn_scores_2", RULE + NAMED),
    ),
    right=(
        Right("keepdim", "attn_weights_2_tmp = attn_scores_2 / attn_scores_2.sum(dim=0, keepdim=True)"),
        Right(
            "list-made-a-tensor",
            """
            total = sum(attn_scores_2)
            attn_weights_2_tmp = torch.tensor([s / total for s in attn_scores_2])
            """,
        ),
        Right("torch-div", "attn_weights_2_tmp = torch.div(attn_scores_2, torch.sum(attn_scores_2))"),
        Right(
            "in-place-on-a-copy",
            """
            attn_weights_2_tmp = attn_scores_2.clone()
            attn_weights_2_tmp /= attn_weights_2_tmp.sum()
            """,
        ),
        Right("float64", "s = attn_scores_2.double()\nattn_weights_2_tmp = s / s.sum()"),
        Right(
            "numpy-and-back",
            """
            import numpy as np
            n = attn_scores_2.numpy()
            attn_weights_2_tmp = torch.as_tensor(n / np.sum(n))
            """,
        ),
        Right(
            "loop-in-place",
            """
            attn_weights_2_tmp = torch.empty_like(attn_scores_2)
            for i in range(len(attn_scores_2)):
                attn_weights_2_tmp[i] = attn_scores_2[i] / attn_scores_2.sum()
            """,
        ),
        Right("reciprocal", "attn_weights_2_tmp = attn_scores_2 * (1 / attn_scores_2.sum().item())"),
        Right(
            "out-and-a-broadcast-total",
            """
            total = attn_scores_2.sum().expand(6)
            attn_weights_2_tmp = torch.empty(6)
            torch.true_divide(attn_scores_2, total, out=attn_weights_2_tmp)
            """,
        ),
        Right("parameter", "attn_weights_2_tmp = torch.nn.Parameter(attn_scores_2 / attn_scores_2.sum())"),
        Right(
            "every-second-of-a-larger-tensor",
            """
            wide = torch.zeros(6, 2)
            wide[:, 0] = attn_scores_2 / attn_scores_2.sum()
            attn_weights_2_tmp = wide[:, 0]
            """,
        ),
    ),
)

SOFTMAX_NAIVE = Mutants(
    wrong=(
        Wrong("divides-by-the-sum", "def softmax_naive(x):\n    return x / x.sum()", NAMED),
        Wrong("only-the-exponential", "def softmax_naive(x):\n    return torch.exp(x)", NAMED + RULE),
        Wrong(
            "exponential-above-only", "def softmax_naive(x):\n    return torch.exp(x) / x.sum()", NAMED + RULE
        ),
        Wrong(
            "exponential-below-only", "def softmax_naive(x):\n    return x / torch.exp(x).sum()", NAMED + RULE
        ),
        Wrong(
            "exponential-of-the-sum",
            "def softmax_naive(x):\n    return torch.exp(x) / torch.exp(x.sum())",
            NAMED,
        ),
        Wrong("powers-of-two", "def softmax_naive(x):\n    return 2**x / (2**x).sum()", VALUES + NAMED),
        Wrong("powers-of-ten", "def softmax_naive(x):\n    return 10**x / (10**x).sum()", VALUES + NAMED),
        Wrong(
            "e-cut-off",
            """
            e = 2.7
            def softmax_naive(x):
                return e**x / (e**x).sum()
            """,
            VALUES,
            never=r"same answer whatever",
        ),
        Wrong("sign-flipped", "def softmax_naive(x):\n    return torch.exp(-x) / torch.exp(-x).sum()", NAMED),
        Wrong(
            "logarithm-kept", "def softmax_naive(x):\n    return torch.log_softmax(x, dim=0)", RULE + NAMED
        ),
        Wrong(
            "exponential-in-place",
            """
            def softmax_naive(x):
                x.exp_()
                return x / x.sum()
            """,
            RULE,
        ),
        Wrong(
            "divides-in-place",
            """
            def softmax_naive(x):
                x = x.exp_()
                x /= x.sum()
                return x
            """,
            RULE,
        ),
        Wrong(
            "reads-the-notebook-scores",
            """
            def softmax_naive(x):
                return torch.exp(attn_scores_2) / torch.exp(attn_scores_2).sum()
            """,
            NAMED,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "sums-the-notebook-scores",
            """
            def softmax_naive(x):
                return torch.exp(x) / sum(torch.exp(attn_scores_2))
            """,
            RULE,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "math-exp-on-a-vector",
            """
            import math

            def softmax_naive(x):
                return math.exp(x) / sum(math.exp(x))
            """,
            RAISED,
        ),
        Wrong(
            "hat-for-a-power",
            """
            import math

            def softmax_naive(x):
                return math.e^x / (math.e^x).sum()
            """,
            RAISED,
            never=r"still waiting",
        ),
        Wrong(
            "scores-made-whole",
            """
            def softmax_naive(x):
                return torch.softmax(x.int(), dim=0)
            """,
            RAISED,
            never=r"still waiting",
        ),
        Wrong(
            "sum-without-its-call",
            """
            def softmax_naive(x):
                return torch.exp(x) / torch.exp(x).sum
            """,
            RAISED,
            says=CALL_IT,
        ),
        Wrong(
            "a-python-list",
            """
            import math

            def softmax_naive(x):
                total = sum(math.exp(v) for v in x)
                return [math.exp(v) / total for v in x]
            """,
            TYPE,
        ),
        Wrong(
            "a-numpy-array",
            """
            import numpy as np

            def softmax_naive(x):
                e = np.exp(x.numpy())
                return e / e.sum()
            """,
            TYPE,
        ),
        Wrong(
            "divides-by-the-mean",
            "def softmax_naive(x):\n    return torch.exp(x) / torch.exp(x).mean()",
            RULE + NAMED,
        ),
        Wrong(
            "divides-by-the-largest",
            "def softmax_naive(x):\n    return torch.exp(x) / torch.exp(x).max()",
            RULE + NAMED,
        ),
        Wrong("sigmoid", "def softmax_naive(x):\n    return torch.sigmoid(x)", RULE + NAMED),
        Wrong(
            "six-tokens-always",
            """
            def softmax_naive(x):
                out = torch.zeros(6)
                total = torch.exp(x).sum()
                for i in range(6):
                    out[i] = torch.exp(x[i]) / total
                return out
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "negative-scores-cut-off",
            """
            def softmax_naive(x):
                e = torch.exp(torch.relu(x))
                return e / e.sum()
            """,
            VALUES,
            keeps=1,
        ),
        Wrong("twice", "def softmax_naive(x):\n    return x.softmax(0).softmax(0)", NAMED + VALUES),
        Wrong(
            "rounded",
            "def softmax_naive(x):\n    return torch.round(torch.softmax(x, 0), decimals=4)",
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-four-decimals",
            """
            def softmax_naive(x):
                return torch.tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "return-forgotten",
            """
            def softmax_naive(x):
                exps = torch.exp(x)
                exps / exps.sum()
            """,
            TYPE,
        ),
        Wrong(
            "return-inside-the-loop",
            """
            def softmax_naive(x):
                out = torch.zeros_like(x)
                for i in range(len(x)):
                    out[i] = torch.exp(x[i]) / torch.exp(x).sum()
                    return out
            """,
            RULE + NAMED,
        ),
        Wrong("an-axis-too-many", "def softmax_naive(x):\n    return torch.softmax(x[None], dim=-1)", SHAPE),
        Wrong(
            "weights-and-their-sum",
            """
            def softmax_naive(x):
                weights = torch.exp(x) / torch.exp(x).sum()
                return weights, weights.sum()
            """,
            TYPE,
        ),
        Wrong(
            "whole-numbers",
            """
            def softmax_naive(x):
                out = torch.zeros(len(x), dtype=torch.long)
                for i in range(len(x)):
                    out[i] = torch.exp(x[i]) / torch.exp(x).sum()
                return out
            """,
            DTYPE,
        ),
        Wrong(
            "result-not-function",
            "softmax_naive = torch.exp(attn_scores_2) / torch.exp(attn_scores_2).sum()",
            NO_FUNCTION,
        ),
        Wrong("axis-that-is-not-there", "def softmax_naive(x):\n    return torch.softmax(x, dim=1)", RAISED),
        Wrong(
            "module-not-applied",
            """
            def softmax_naive(x):
                return torch.nn.Softmax(dim=0)
            """,
            TYPE,
        ),
        Wrong("asks-for-an-axis", "def softmax_naive(x, dim):\n    return x.softmax(dim)", RAISED),
        Wrong("exp-not-imported", "def softmax_naive(x):\n    return exp(x) / exp(x).sum()", RAISED),
        Wrong("stub-with-docstring", 'def softmax_naive(x):\n    """Later."""\n    return None', STUB),
    ),
    right=(
        Right("torch-softmax", "def softmax_naive(x):\n    return torch.softmax(x, dim=0)", costs=2),
        Right("a-module-instance", "softmax_naive = torch.nn.Softmax(dim=-1)", costs=2),
        Right(
            "loop-over-floats",
            """
            import math

            def softmax_naive(scores):
                total = 0
                for s in scores:
                    total += math.exp(s)
                return torch.tensor([math.exp(s) / total for s in scores])
            """,
        ),
        Right(
            "in-place-on-a-copy",
            """
            def softmax_naive(x):
                e = x.clone()
                e.exp_()
                e /= e.sum()
                return e
            """,
        ),
        Right(
            "sum-subtracted", "def softmax_naive(x):\n    e = torch.exp(x - x.sum())\n    return e / e.sum()"
        ),
        Right("logsumexp", "def softmax_naive(x):\n    return torch.exp(x - torch.logsumexp(x, dim=0))"),
        Right("powers-of-e", "from math import e\ndef softmax_naive(x):\n    return e**x / (e**x).sum()"),
        Right("float64", "def softmax_naive(x):\n    e = x.double().exp()\n    return e / e.sum()"),
        Right(
            "numpy-and-back",
            """
            import numpy as np

            def softmax_naive(x):
                e = np.exp(x.detach().numpy())
                return torch.from_numpy(e / e.sum())
            """,
        ),
        Right(
            "pairwise",
            """
            def softmax_naive(x):
                return 1 / torch.exp(x[None, :] - x[:, None]).sum(dim=1)
            """,
        ),
        Right("log-softmax-undone", "def softmax_naive(x):\n    return x.log_softmax(-1).exp()", costs=2),
        Right(
            "gradient-and-parameter",
            """
            def softmax_naive(x):
                x = torch.nn.Parameter(x)
                return torch.nn.Parameter(torch.nn.functional.softmax(x, dim=-1))
            """,
            costs=2,
        ),
        Right(
            "out-buffer-and-helper",
            """
            def exponentials(x):
                out = torch.empty_like(x)
                torch.exp(x, out=out)
                return out

            def softmax_naive(x, eps=0.0):
                e = exponentials(x)
                return e / (e.sum() + eps)
            """,
        ),
        Right(
            "categorical",
            "def softmax_naive(x):\n    return torch.distributions.Categorical(logits=x).probs",
            costs=2,
        ),
        Right("default-argument", "def softmax_naive(x=attn_scores_2):\n    return x.exp() / x.exp().sum(0)"),
        Right(
            "a-strided-view",
            """
            def softmax_naive(x):
                both = torch.stack([x, torch.exp(x) / torch.exp(x).sum()], dim=1)
                return both[:, 1]
            """,
        ),
    ),
)

SOFTMAX_STABLE = Mutants(
    wrong=(
        Wrong(
            "naive-again",
            "def softmax_stable(x):\n    return torch.exp(x) / torch.exp(x).sum()",
            NAMED,
            keeps=1,
        ),
        Wrong("calls-naive", "def softmax_stable(x):\n    return softmax_naive(x)", NAMED, keeps=1),
        Wrong(
            "mean-subtracted",
            """
            def softmax_stable(x):
                x = x - x.mean()
                return torch.exp(x) / torch.exp(x).sum()
            """,
            NAMED + NOT_FINITE,
            keeps=2,
            never=r"are 1 others",
        ),
        Wrong(
            "smallest-subtracted",
            """
            def softmax_stable(x):
                e = torch.exp(x - x.min())
                return e / e.sum()
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "a-thousand-subtracted",
            """
            def softmax_stable(x):
                e = torch.exp(x - 1000)
                return e / e.sum()
            """,
            NOT_FINITE + NAMED,
            keeps=1,
        ),
        Wrong(
            "largest-magnitude-subtracted",
            """
            def softmax_stable(x):
                z = x - x.abs().max()
                return z.exp() / z.exp().sum()
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "largest-added",
            """
            def softmax_stable(x):
                e = torch.exp(x + x.max())
                return e / e.sum()
            """,
            NAMED,
        ),
        Wrong(
            "subtracted-above-only",
            """
            def softmax_stable(x):
                return torch.exp(x - x.max()) / torch.exp(x).sum()
            """,
            NAMED + RULE,
        ),
        Wrong(
            "subtracted-after-exp",
            """
            def softmax_stable(x):
                e = torch.exp(x) - x.max()
                return e / e.sum()
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "largest-exponential-subtracted",
            """
            def softmax_stable(x):
                e = torch.exp(x)
                e = e - e.max()
                return e / e.sum()
            """,
            VALUES + NAMED + RULE,
            never=r"filled in",
        ),
        Wrong(
            "divided-by-the-largest",
            """
            def softmax_stable(x):
                z = x / x.max()
                return torch.exp(z) / torch.exp(z).sum()
            """,
            NAMED,
        ),
        Wrong(
            "divided-by-a-thousand",
            """
            def softmax_stable(x):
                e = torch.exp(x / 1000)
                return e / e.sum()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "clamped",
            """
            def softmax_stable(x):
                e = torch.exp(torch.clamp(x, -80, 80))
                return e / e.sum()
            """,
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "nan-painted-over",
            """
            def softmax_stable(x):
                e = torch.exp(x)
                return torch.nan_to_num(e / e.sum())
            """,
            RULE + NAMED,
            keeps=1,
        ),
        Wrong(
            "epsilon-below",
            """
            def softmax_stable(x):
                e = torch.exp(x)
                return e / (e.sum() + 1e-9)
            """,
            NAMED,
        ),
        Wrong(
            "forgets-to-divide",
            """
            def softmax_stable(x):
                return torch.exp(x - x.max())
            """,
            NAMED + RULE,
        ),
        Wrong("logarithm-kept", "def softmax_stable(x):\n    return x - torch.logsumexp(x, 0)", RULE + NAMED),
        Wrong(
            "shifts-its-argument",
            """
            def softmax_stable(x):
                x -= x.max()
                return torch.exp(x) / torch.exp(x).sum()
            """,
            RULE,
        ),
        Wrong(
            "max-with-an-axis-is-a-pair",
            """
            def softmax_stable(x):
                x = x - x.max(dim=0)
                return torch.exp(x) / torch.exp(x).sum()
            """,
            RAISED,
        ),
        Wrong(
            "argmax-subtracted",
            """
            def softmax_stable(x):
                z = x - x.argmax()
                return z.exp() / z.exp().sum()
            """,
            NOT_FINITE + NAMED,
            keeps=1,
            says=r"largest score of `x`",
            never=r"naive softmax",
        ),
        Wrong(
            "double-precision",
            """
            def softmax_stable(x):
                return softmax_naive(x.double()).float()
            """,
            NOT_FINITE,
            keeps=1,
        ),
        Wrong(
            "only-when-positive-and-large",
            """
            def softmax_stable(x):
                if x.max() > 88:
                    x = x - x.max()
                return torch.exp(x) / torch.exp(x).sum()
            """,
            NOT_FINITE + NAMED,
            keeps=2,
            never=r"absolute value",
        ),
        Wrong(
            "largest-of-the-notebook",
            """
            def softmax_stable(x):
                e = torch.exp(x - attn_scores_2.max())
                return e / e.sum()
            """,
            NOT_FINITE,
            keeps=1,
            says=r"largest score of `x`",
            never=r"naive softmax",
        ),
        Wrong(
            "axis-that-is-not-there",
            """
            def softmax_stable(x):
                m = x.max(dim=1, keepdim=True).values
                e = torch.exp(x - m)
                return e / e.sum(dim=1, keepdim=True)
            """,
            RAISED,
        ),
        Wrong(
            "shift-thrown-away",
            """
            def softmax_stable(x):
                x.sub(x.max())
                return torch.exp(x) / torch.exp(x).sum()
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "normalised-by-sum",
            "def softmax_stable(x):\n    x = x - x.max()\n    return x / x.sum()",
            VALUES + NAMED,
            never=r"filled in",
        ),
        Wrong(
            "hot-one",
            """
            def softmax_stable(x):
                out = torch.zeros_like(x)
                out[x.argmax()] = 1.0
                return out
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "named-softmax",
            """
            def stable_softmax(x):
                e = torch.exp(x - x.max())
                return e / e.sum()
            """,
            MISSING,
            says=r"`stable_softmax`",
        ),
    ),
    right=(
        Right("torch-softmax", "def softmax_stable(x):\n    return torch.softmax(x, dim=0)", costs=3),
        Right("naive-on-shifted-scores", "def softmax_stable(x):\n    return softmax_naive(x - x.max())"),
        Right(
            "amax-keepdim",
            """
            def softmax_stable(x):
                z = x - x.amax(dim=-1, keepdim=True)
                e = z.exp()
                return e / e.sum(dim=-1, keepdim=True)
            """,
        ),
        Right("logsumexp", "def softmax_stable(x):\n    return (x - x.logsumexp(0)).exp()"),
        Right(
            "largest-found-by-a-loop",
            """
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
                return torch.tensor([e / sum(exps) for e in exps])
            """,
        ),
        Right(
            "pairwise",
            "def softmax_stable(x):\n    return 1 / torch.exp(x.unsqueeze(0) - x.unsqueeze(1)).sum(1)",
        ),
        Right(
            "in-place-on-a-copy",
            """
            def softmax_stable(x):
                out = torch.empty_like(x)
                torch.sub(x, torch.max(x), out=out)
                out.exp_().div_(out.sum())
                return out
            """,
        ),
        Right(
            "numpy-in-float64",
            """
            import numpy as np

            def softmax_stable(x):
                z = np.asarray(x, dtype=np.float64)
                e = np.exp(z - np.max(z))
                return torch.tensor(e / e.sum())
            """,
        ),
        Right("largest-plus-a-little", "def softmax_stable(x):\n    return softmax_naive(x - x.max() - 1.0)"),
        Right("sorted-largest", "def softmax_stable(x):\n    return softmax_naive(x - sorted(x)[-1])"),
        Right(
            "named-tuple-unpacked",
            "def softmax_stable(x):\n    m, _ = x.max(dim=0)\n    return softmax_naive(x - m)",
        ),
        Right(
            "a-module",
            """
            class Stable(torch.nn.Module):
                def forward(self, x):
                    return torch.nn.functional.softmax(x, -1, dtype=torch.float64)

            softmax_stable = Stable()
            """,
            costs=3,
        ),
        Right(
            "gradients",
            """
            def softmax_stable(x):
                x = x.clone().requires_grad_(True)
                e = torch.exp(x - x.detach().max())
                return e / e.sum()
            """,
        ),
    ),
)

QUERY_WEIGHTS = Mutants(
    wrong=(
        Wrong("the-tempting-way", "attn_weights_2 = attn_scores_2 / attn_scores_2.sum()", NAMED),
        Wrong("the-tempting-ones-renamed", "attn_weights_2 = attn_weights_2_tmp", NAMED),
        Wrong("softmax-of-the-shares", "attn_weights_2 = torch.softmax(attn_weights_2_tmp, dim=0)", NAMED),
        Wrong("scores-renamed", "attn_weights_2 = attn_scores_2", RULE + NAMED),
        Wrong("only-the-exponential", "attn_weights_2 = torch.exp(attn_scores_2)", RULE + NAMED),
        Wrong("scaled", "attn_weights_2 = torch.softmax(attn_scores_2 / 3**0.5, dim=0)", NAMED + VALUES),
        Wrong("twice", "attn_weights_2 = softmax_naive(softmax_naive(attn_scores_2))", NAMED + VALUES),
        Wrong("sign-flipped", "attn_weights_2 = torch.softmax(-attn_scores_2, dim=0)", NAMED + VALUES),
        Wrong("softmax-of-the-query", "attn_weights_2 = torch.softmax(query, dim=0)", SHAPE + NAMED),
        Wrong("function-not-called", "attn_weights_2 = softmax_stable", TYPE, says=CALL_IT),
        Wrong(
            "axis-forgotten",
            "attn_weights_2 = torch.softmax(attn_scores_2)",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong(
            "axis-one",
            "attn_weights_2 = torch.softmax(attn_scores_2, dim=1)",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong("an-s-forgotten", "attn_weight_2 = torch.softmax(attn_scores_2, dim=0)", MISSING),
        Wrong("tmp-kept", "attn_weights_2_tmp = torch.softmax(attn_scores_2, dim=0)", MISSING),
        Wrong("logarithm-kept", "attn_weights_2 = torch.log_softmax(attn_scores_2, dim=0)", RULE + NAMED),
        Wrong("sigmoid", "attn_weights_2 = torch.sigmoid(attn_scores_2)", RULE + NAMED),
        Wrong(
            "copied-with-four-decimals",
            "attn_weights_2 = torch.tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])",
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            """
            attn_weights_2 = torch.tensor([
                0.1385475993156433, 0.237891286611557, 0.23327404260635376,
                0.12399159371852875, 0.10818187147378922, 0.15811361372470856,
            ])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong(
            "typed-in-denominator",
            "attn_weights_2 = attn_scores_2.exp() / 18.7451",
            NOT_COMPUTED,
            says=TYPED_IN,
            notebook_passes=True,
        ),
        Wrong("a-list", "attn_weights_2 = torch.softmax(attn_scores_2, dim=0).tolist()", TYPE),
        Wrong("an-array", "attn_weights_2 = softmax_naive(attn_scores_2).numpy()", TYPE),
        Wrong("only-the-largest", "attn_weights_2 = (attn_scores_2 == attn_scores_2.max()).float()", VALUES),
        Wrong("place-of-the-largest", "attn_weights_2 = attn_scores_2.argmax()", SHAPE),
        Wrong("an-axis-too-many", "attn_weights_2 = torch.softmax(attn_scores_2[None, :], dim=1)", SHAPE),
        Wrong(
            "softmax-over-a-single-row",
            "attn_weights_2 = torch.softmax(attn_scores_2.view(6, 1), 1)[:, 0]",
            RULE + NAMED,
        ),
        Wrong("columns-of-all", "attn_weights_2 = torch.softmax(inputs @ inputs.T, dim=0)[1]", NAMED + RULE),
        Wrong(
            "scores-made-whole",
            "attn_weights_2 = torch.softmax(attn_scores_2.int(), dim=0)",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong("weights-made-whole", "attn_weights_2 = torch.softmax(attn_scores_2, dim=0).long()", DTYPE),
        Wrong("half-precision", "attn_weights_2 = torch.softmax(attn_scores_2.half(), 0)", DTYPE),
        Wrong("a-comparison", "attn_weights_2 = torch.softmax(attn_scores_2, 0) > 0.1", DTYPE),
        Wrong(
            "sorted-with-their-positions",
            "attn_weights_2 = torch.softmax(attn_scores_2, dim=0).sort(descending=True)",
            TYPE,
            never=r"parenthes",
        ),
        Wrong("their-sum", "attn_weights_2 = torch.softmax(attn_scores_2, dim=0).sum()", SHAPE),
    ),
    right=(
        Right("own-naive", "attn_weights_2 = softmax_naive(attn_scores_2)"),
        Right("own-stable", "attn_weights_2 = softmax_stable(attn_scores_2)"),
        Right("last-axis", "attn_weights_2 = torch.softmax(attn_scores_2, dim=-1)"),
        Right("method", "attn_weights_2 = attn_scores_2.softmax(0)"),
        Right(
            "functional", "import torch.nn.functional as F\nattn_weights_2 = F.softmax(attn_scores_2, dim=0)"
        ),
        Right("module", "attn_weights_2 = torch.nn.Softmax(dim=0)(attn_scores_2)"),
        Right("float64", "attn_weights_2 = torch.softmax(attn_scores_2, dim=0, dtype=torch.float64)"),
        Right("by-hand", "attn_weights_2 = torch.exp(attn_scores_2)\nattn_weights_2 /= attn_weights_2.sum()"),
        Right("a-row-of-all", "attn_weights_2 = torch.softmax(inputs @ inputs.T, dim=1)[1, :]"),
        Right("a-column-of-all", "attn_weights_2 = torch.softmax(inputs @ inputs.T, dim=0)[:, 1]"),
        Right(
            "buffer",
            """
            e = attn_scores_2.exp()
            attn_weights_2 = torch.empty(6)
            torch.div(e, e.sum(), out=attn_weights_2)
            """,
        ),
        Right("parameter", "attn_weights_2 = torch.nn.Parameter(attn_scores_2.softmax(-1))"),
        Right(
            "loop",
            """
            total = sum(torch.exp(s) for s in attn_scores_2)
            attn_weights_2 = torch.zeros(len(attn_scores_2))
            for i, s in enumerate(attn_scores_2):
                attn_weights_2[i] = torch.exp(s) / total
            """,
        ),
        Right("from-the-tokens", "attn_weights_2 = (inputs @ inputs[1]).softmax(0)"),
    ),
)

CONTEXT_VECTOR = Mutants(
    wrong=(
        Wrong("plain-mean", "context_vec_2 = inputs.mean(dim=0)", NAMED),
        Wrong("plain-sum", "context_vec_2 = inputs.sum(dim=0)", NAMED),
        Wrong("tempting-weights", "context_vec_2 = attn_weights_2_tmp @ inputs", NAMED),
        Wrong("scores-for-weights", "context_vec_2 = attn_scores_2 @ inputs", NAMED),
        Wrong(
            "six-against-three",
            "context_vec_2 = attn_weights_2 * inputs",
            MISSING,
            says=r"error",
        ),
        Wrong(
            "inputs-on-the-left",
            "context_vec_2 = inputs @ attn_weights_2",
            MISSING,
            says=r"error",
        ),
        Wrong("not-added", "context_vec_2 = attn_weights_2.unsqueeze(1) * inputs", NAMED + SHAPE),
        Wrong(
            "added-along-the-wrong-axis",
            "context_vec_2 = (attn_weights_2[:, None] * inputs).sum(dim=1)",
            NAMED + SHAPE,
        ),
        Wrong("added-along-both", "context_vec_2 = (attn_weights_2[:, None] * inputs).sum()", SHAPE),
        Wrong("mean-of-the-weighted", "context_vec_2 = (attn_weights_2[:, None] * inputs).mean(0)", NAMED),
        Wrong(
            "overwritten-in-the-loop",
            """
            for i, x in enumerate(inputs):
                context_vec_2 = attn_weights_2[i] * x
            """,
            NAMED,
        ),
        Wrong(
            "made-anew-in-every-round",
            """
            for i, x_i in enumerate(inputs):
                context_vec_2 = torch.zeros(query.shape)
                context_vec_2 += attn_weights_2[i] * x_i
            """,
            NAMED,
        ),
        Wrong(
            "starts-from-ones",
            """
            context_vec_2 = torch.ones(3)
            for w, x in zip(attn_weights_2, inputs):
                context_vec_2 += w * x
            """,
            VALUES,
        ),
        Wrong(
            "stops-one-short",
            """
            context_vec_2 = torch.zeros(3)
            for i in range(5):
                context_vec_2 += attn_weights_2[i] * inputs[i]
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "starts-from-the-query-itself",
            """
            context_vec_2 = query
            for i in range(6):
                context_vec_2 += attn_weights_2[i] * inputs[i]
            """,
            GIVENS,
            says=r"clone|copy",
        ),
        Wrong(
            "starts-from-a-copy-of-the-query",
            """
            context_vec_2 = query.clone()
            for i in range(6):
                context_vec_2 += attn_weights_2[i] * inputs[i]
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "weighs-the-query-only",
            """
            context_vec_2 = torch.zeros(3)
            for i in range(6):
                context_vec_2 += attn_weights_2[i] * query
            """,
            NAMED,
        ),
        Wrong("its-own-share-only", "context_vec_2 = attn_weights_2[1] * inputs[1]", VALUES + NAMED),
        Wrong(
            "the-likeliest-token",
            "context_vec_2 = inputs[attn_weights_2.argmax()]",
            VALUES + NAMED,
            never=r"Every weight was multiplied with the query, so",
        ),
        Wrong(
            "vector-of-six",
            """
            context_vec_2 = torch.zeros(inputs.shape[0])
            for i, x_i in enumerate(inputs):
                context_vec_2 += attn_weights_2[i] * x_i
            """,
            SHAPE,
        ),
        Wrong(
            "whole-number-zeros",
            """
            context_vec_2 = torch.zeros(3, dtype=int)
            for i in range(6):
                context_vec_2 += attn_weights_2[i] * inputs[i]
            """,
            DTYPE,
        ),
        Wrong(
            "edits-the-sentence",
            """
            for i in range(len(inputs)):
                inputs[i] *= attn_weights_2[i]
            context_vec_2 = inputs.sum(0)
            """,
            GIVENS,
            says=r"clone|copy",
        ),
        Wrong("an-axis-too-many", "context_vec_2 = attn_weights_2[None] @ inputs", SHAPE),
        Wrong(
            "python-list",
            "context_vec_2 = [sum(attn_weights_2[i] * inputs[i, d] for i in range(6)) for d in range(3)]",
            TYPE,
        ),
        Wrong(
            "copied-with-four-decimals",
            "context_vec_2 = torch.tensor([0.4419, 0.6515, 0.5683])",
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            "context_vec_2 = torch.tensor([0.4418657422065735, 0.6514819860458374, 0.5683088898658752])",
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong("plural", "context_vecs_2 = attn_weights_2 @ inputs", MISSING),
        Wrong("weights-doubled", "context_vec_2 = (attn_weights_2**2) @ inputs", VALUES),
        Wrong(
            "first-tokens-weights",
            "context_vec_2 = torch.softmax(inputs @ inputs[0], dim=0) @ inputs",
            VALUES + NAMED,
        ),
        Wrong(
            "sum-of-a-generator-of-numbers", "context_vec_2 = sum(attn_weights_2[i] for i in range(6))", SHAPE
        ),
    ),
    right=(
        Right("vector-matrix", "context_vec_2 = attn_weights_2 @ inputs"),
        Right(
            "loop-over-tokens",
            """
            query = inputs[1]
            context_vec_2 = torch.zeros(query.shape)
            for i, x_i in enumerate(inputs):
                context_vec_2 += attn_weights_2[i] * x_i
            """,
        ),
        Right("transposed", "context_vec_2 = inputs.T @ attn_weights_2"),
        Right("einsum", 'context_vec_2 = torch.einsum("t,td->d", attn_weights_2, inputs)'),
        Right("builtin-sum", "context_vec_2 = sum(w * x for w, x in zip(attn_weights_2, inputs))"),
        Right("broadcast-and-sum", "context_vec_2 = (attn_weights_2.reshape(-1, 1) * inputs).sum(dim=0)"),
        Right("squeezed", "context_vec_2 = torch.matmul(attn_weights_2[None], inputs).squeeze()"),
        Right("float64", "context_vec_2 = attn_weights_2.double() @ inputs.double()"),
        Right("functional-linear", "context_vec_2 = torch.nn.functional.linear(attn_weights_2, inputs.t())"),
        Right(
            "numpy-average",
            """
            import numpy as np
            mean = np.average(inputs.numpy(), axis=0, weights=attn_weights_2.numpy())
            context_vec_2 = torch.from_numpy(mean)
            """,
        ),
        Right(
            "fused-attention",
            """
            from torch.nn.functional import scaled_dot_product_attention
            context_vec_2 = scaled_dot_product_attention(query[None], inputs, inputs, scale=1.0)[0]
            """,
        ),
        Right(
            "three-loops-deep",
            """
            numbers = []
            for d in range(inputs.size(1)):
                total = 0.0
                for t in range(inputs.size(0)):
                    total += float(attn_weights_2[t]) * float(inputs[t, d])
                numbers.append(total)
            context_vec_2 = torch.tensor(numbers)
            """,
        ),
        Right(
            "out-and-parameter",
            """
            out = torch.empty(3)
            torch.mv(inputs.T, attn_weights_2, out=out)
            context_vec_2 = torch.nn.Parameter(out)
            """,
        ),
        Right("row-of-an-expanded-tensor", "context_vec_2 = (attn_weights_2 @ inputs).expand(4, 3)[2]"),
        Right("tensordot", "context_vec_2 = torch.tensordot(attn_weights_2, inputs, dims=1)"),
    ),
)

SCORES_LOOPS = Mutants(
    wrong=(
        Wrong(
            "six-tokens-always",
            """
            def scores_with_loops(x):
                scores = torch.empty(6, 6)
                for i in range(6):
                    for j in range(6):
                        scores[i, j] = torch.dot(x[i], x[j])
                return scores
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "loops-over-inputs",
            """
            def scores_with_loops(x):
                scores = torch.empty(6, 6)
                for i, x_i in enumerate(inputs):
                    for j, x_j in enumerate(inputs):
                        scores[i, j] = torch.dot(x_i, x_j)
                return scores
            """,
            NAMED,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "inner-loop-over-inputs",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i][j] = dot(x[i], inputs[j])
                return scores
            """,
            RULE + VALUES,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "three-components",
            """
            def scores_with_loops(x):
                n = len(x)
                scores = torch.zeros(n, n)
                for i in range(n):
                    for j in range(n):
                        for d in range(3):
                            scores[i, j] += x[i, d] * x[j, d]
                return scores
            """,
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "dot-of-single-numbers",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    for j in range(len(x)):
                        for d in range(x.shape[1]):
                            scores[i, j] += dot(x[i, d], x[j, d])
                return scores
            """,
            RAISED,
            says=r"cell of `dot`",
        ),
        Wrong(
            "rows-with-columns",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i, j] = torch.dot(x[i], x[:, j])
                return scores
            """,
            RAISED,
            never=r"`a @ b`|transpose",
        ),
        Wrong(
            "diagonal-only",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    scores[i, i] = torch.dot(x[i], x[i])
                return scores
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "upper-half-only",
            """
            def scores_with_loops(x):
                n = x.shape[0]
                scores = torch.zeros(n, n)
                for i in range(n):
                    for j in range(i, n):
                        scores[i, j] = dot(x[i], x[j])
                return scores
            """,
            RULE + NAMED,
        ),
        Wrong(
            "lower-half-only",
            """
            def scores_with_loops(x):
                n = x.shape[0]
                scores = torch.zeros(n, n)
                for i in range(n):
                    for j in range(i + 1):
                        scores[i, j] = dot(x[i], x[j])
                return scores
            """,
            RULE + NAMED,
        ),
        Wrong(
            "itself-left-out",
            """
            def scores_with_loops(x):
                n = x.shape[0]
                scores = torch.zeros(n, n)
                for i in range(n):
                    for j in range(n):
                        if i != j:
                            scores[i, j] = dot(x[i], x[j])
                return scores
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "row-overwritten",
            """
            def scores_with_loops(x):
                scores = torch.empty(len(x), len(x))
                for i, x_i in enumerate(x):
                    for x_j in x:
                        scores[i] = torch.dot(x_i, x_j)
                return scores
            """,
            NAMED,
        ),
        Wrong(
            "return-inside-the-outer-loop",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i, j] = torch.dot(x[i], x[j])
                    return scores
            """,
            RULE + NAMED,
        ),
        Wrong(
            "return-inside-the-inner-loop",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i, j] = torch.dot(x[i], x[j])
                        return scores
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "nested-lists",
            """
            def scores_with_loops(x):
                scores = []
                for a in x:
                    row = []
                    for b in x:
                        row.append(dot(a, b))
                    scores.append(row)
                return scores
            """,
            TYPE,
        ),
        Wrong(
            "one-long-row",
            """
            def scores_with_loops(x):
                result = []
                for a in x:
                    for b in x:
                        result.append(dot(a, b))
                return torch.stack(result)
            """,
            SHAPE,
        ),
        Wrong(
            "size-of-the-wrong-axis",
            """
            def scores_with_loops(x):
                n = x.shape[1]
                scores = torch.zeros(n, n)
                for i in range(n):
                    for j in range(n):
                        scores[i, j] = torch.dot(x[i], x[j])
                return scores
            """,
            SHAPE,
        ),
        Wrong(
            "dimensions-with-dimensions",
            """
            def scores_with_loops(x):
                d = x.shape[1]
                scores = torch.zeros(d, d)
                for i in range(d):
                    for j in range(d):
                        scores[i, j] = torch.dot(x[:, i], x[:, j])
                return scores
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "result-shaped-like-the-input",
            """
            def scores_with_loops(x):
                scores = torch.empty_like(x)
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i, j] = torch.dot(x[i], x[j])
                return scores
            """,
            RAISED,
        ),
        Wrong(
            "products-not-added",
            """
            def scores_with_loops(x):
                scores = torch.empty(len(x), len(x))
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i, j] = x[i] * x[j]
                return scores
            """,
            RAISED,
            says=r"(?i)one number|single number|add (the products|them) up",
        ),
        Wrong(
            "stops-one-short",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x) - 1):
                    for j in range(len(x) - 1):
                        scores[i, j] = dot(x[i], x[j])
                return scores
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "same-index-twice",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i, j] = dot(x[i], x[i])
                return scores
            """,
            RULE + NAMED,
        ),
        Wrong(
            "whole-numbers",
            """
            def scores_with_loops(x):
                scores = torch.zeros((len(x), len(x)), dtype=torch.int64)
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i, j] = dot(x[i], x[j])
                return scores
            """,
            DTYPE,
        ),
        Wrong(
            "return-forgotten",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    for j in range(len(x)):
                        scores[i, j] = dot(x[i], x[j])
            """,
            TYPE,
        ),
        Wrong(
            "returns-the-last-score",
            """
            def scores_with_loops(x):
                for x_i in x:
                    for x_j in x:
                        scores = torch.dot(x_i, x_j)
                return scores
            """,
            SHAPE,
        ),
        Wrong(
            "one-query-only",
            """
            def scores_with_loops(x):
                return torch.stack([dot(x[1], x_j) for x_j in x])
            """,
            SHAPE + RAISED,
        ),
        Wrong(
            "vectors-as-indices",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in x:
                    for j in x:
                        scores[i, j] = torch.dot(i, j)
                return scores
            """,
            RAISED,
        ),
        Wrong("gram-of-dimensions", "def scores_with_loops(x):\n    return x.T @ x", SHAPE + NAMED),
        Wrong("scaled", "def scores_with_loops(x):\n    return x @ x.T / x.shape[1] ** 0.5", VALUES + NAMED),
        Wrong(
            "unit-vectors",
            """
            def scores_with_loops(x):
                x = x / x.norm(dim=1, keepdim=True)
                return x @ x.T
            """,
            VALUES + NAMED,
        ),
        Wrong("no-argument", "def scores_with_loops():\n    return inputs @ inputs.T", RAISED),
        Wrong(
            "edits-its-argument",
            """
            def scores_with_loops(x):
                scores = torch.zeros(len(x), len(x))
                for i in range(len(x)):
                    for j in range(i, len(x)):
                        scores[i, j] = scores[j, i] = dot(x[i], x[j])
                    x[i] = 0
                return scores
            """,
            RULE,
        ),
        Wrong(
            "softmax-as-well",
            "def scores_with_loops(x):\n    return torch.softmax(x @ x.T, dim=1)",
            RULE + NAMED,
        ),
        Wrong("still-dots", 'def scores_with_loops(x):\n    """All scores."""\n    ...', STUB),
    ),
    right=(
        Right(
            "enumerate-and-dot",
            """
            def scores_with_loops(x):
                scores = torch.empty(x.shape[0], x.shape[0])
                for i, x_i in enumerate(x):
                    for j, x_j in enumerate(x):
                        scores[i, j] = torch.dot(x_i, x_j)
                return scores
            """,
        ),
        Right("matmul", "def scores_with_loops(x):\n    return x @ x.T"),
        Right("einsum", 'def scores_with_loops(x):\n    return torch.einsum("id,jd->ij", x, x)'),
        Right(
            "nested-list-made-a-tensor",
            "def scores_with_loops(x):\n    return torch.tensor([[dot(a, b) for b in x] for a in x])",
        ),
        Right(
            "nested-stacks",
            "scores_with_loops = lambda x: torch.stack([torch.stack([dot(a, b) for b in x]) for a in x])",
        ),
        Right(
            "broadcasting", "def scores_with_loops(x):\n    return (x[:, None, :] * x[None, :, :]).sum(-1)"
        ),
        Right(
            "half-and-mirrored",
            """
            def scores_with_loops(x):
                n = len(x)
                out = torch.zeros((n, n), dtype=x.dtype)
                for i in range(n):
                    for j in range(i + 1):
                        out[i, j] = out[j, i] = dot(x[i], x[j])
                return out
            """,
        ),
        Right(
            "three-loops",
            """
            def scores_with_loops(tokens_in):
                n, d = tokens_in.shape
                s = torch.zeros(n, n)
                for i in range(n):
                    for j in range(n):
                        for k in range(d):
                            s[i, j] += tokens_in[i, k] * tokens_in[j, k]
                return s
            """,
        ),
        Right("float64", "def scores_with_loops(x):\n    x = x.double()\n    return torch.inner(x, x)"),
        Right(
            "numpy-and-back",
            """
            import numpy as np

            def scores_with_loops(x):
                a = x.numpy()
                return torch.from_numpy(np.tensordot(a, a, axes=(1, 1)))
            """,
        ),
        Right(
            "column-by-column-turned",
            """
            def scores_with_loops(x):
                columns = []
                for key in x:
                    columns.append([float(dot(query, key)) for query in x])
                return torch.tensor(columns).T
            """,
        ),
        Right(
            "vmap-twice",
            "scores_with_loops = lambda x: torch.vmap(lambda a: torch.vmap(lambda b: a @ b)(x))(x)",
        ),
        Right(
            "filled-flat-and-viewed",
            """
            from itertools import product

            def scores_with_loops(x):
                flat = torch.empty(len(x) ** 2)
                for k, (a, b) in enumerate(product(x, repeat=2)):
                    flat[k] = a @ b
                return torch.nn.Parameter(flat.view(len(x), -1))
            """,
        ),
    ),
)

ALL_SCORES = Mutants(
    wrong=(
        Wrong("turned-on-the-left", "attn_scores = inputs.T @ inputs", SHAPE + NAMED),
        Wrong("not-turned", "attn_scores = inputs @ inputs", MISSING, never=WRONG_NAME),
        Wrong("elementwise", "attn_scores = inputs * inputs", SHAPE + NAMED),
        Wrong("one-query-only", "attn_scores = inputs @ inputs[1]", SHAPE),
        Wrong("renamed-scores-of-one", "attn_scores = attn_scores_2", SHAPE),
        Wrong("scaled", "attn_scores = inputs @ inputs.T / inputs.shape[1] ** 0.5", NAMED),
        Wrong("scaled-by-d", "attn_scores = inputs @ inputs.T / 3", VALUES + NAMED),
        Wrong("softmax-as-well", "attn_scores = torch.softmax(inputs @ inputs.T, dim=-1)", NAMED + RULE),
        Wrong("future-hidden", "attn_scores = torch.tril(inputs @ inputs.T)", RULE),
        Wrong(
            "itself-left-out",
            """
            attn_scores = inputs @ inputs.T
            attn_scores.fill_diagonal_(0)
            """,
            VALUES,
        ),
        Wrong("only-lengths", "attn_scores = torch.diag((inputs * inputs).sum(1))", VALUES),
        Wrong(
            "unit-vectors",
            """
            unit = torch.nn.functional.normalize(inputs, dim=1)
            attn_scores = unit @ unit.T
            """,
            VALUES + NAMED,
        ),
        Wrong("distances", "attn_scores = torch.cdist(inputs, inputs)", VALUES + NAMED),
        Wrong("centred", "c = inputs - inputs.mean(0)\nattn_scores = c @ c.T", VALUES),
        Wrong("as-a-batch", "attn_scores = (inputs @ inputs.T).unsqueeze(0)", SHAPE),
        Wrong("flattened", "attn_scores = (inputs @ inputs.T).flatten()", SHAPE),
        Wrong("function-not-called", "attn_scores = scores_with_loops", TYPE, says=CALL_IT),
        Wrong("an-s-forgotten", "attn_score = inputs @ inputs.T", MISSING),
        Wrong("capitals", "Attn_Scores = inputs @ inputs.T", MISSING),
        Wrong("contexts-already", "attn_scores = inputs @ inputs.T @ inputs", SHAPE),
        Wrong("list-of-rows", "attn_scores = [inputs @ x for x in inputs]", TYPE),
        Wrong("numpy-array", "attn_scores = inputs.numpy() @ inputs.numpy().T", TYPE),
        Wrong(
            "copied-with-four-decimals",
            """
            attn_scores = torch.tensor([
                [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
                [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
                [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
                [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
                [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
                [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
            ])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong(
            "printed-to-two-decimals",
            "attn_scores = torch.round(inputs @ inputs.T, decimals=2)",
            VALUES,
        ),
        Wrong("tokens-turned-in-place", "attn_scores = inputs.clone() @ inputs.t_()", GIVENS),
        Wrong(
            "givens-scaled",
            """
            inputs = torch.nn.functional.normalize(inputs, dim=1)
            attn_scores = inputs @ inputs.T
            """,
            GIVENS,
        ),
        Wrong("whole-numbers", "attn_scores = (inputs @ inputs.T).int()", DTYPE),
        Wrong("half-precision", "attn_scores = (inputs.half() @ inputs.half().T)", DTYPE),
        Wrong("negated", "attn_scores = -inputs @ inputs.T", VALUES),
        Wrong("squared", "attn_scores = (inputs @ inputs.T) ** 2", VALUES),
        Wrong("reversed", "attn_scores = inputs @ inputs.flip(0).T", VALUES + RULE),
        Wrong(
            "dot-of-matrices",
            "attn_scores = torch.dot(inputs, inputs)",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong(
            "a-transposed-for-the-method",
            "attn_scores = inputs @ inputs.transpose",
            MISSING,
            never=WRONG_NAME,
        ),
    ),
    right=(
        Right("matmul", "attn_scores = torch.matmul(inputs, inputs.T)"),
        Right("mm-and-transpose", "attn_scores = inputs.mm(inputs.transpose(0, 1))"),
        Right("own-loops", "attn_scores = scores_with_loops(inputs)"),
        Right("einsum", 'attn_scores = torch.einsum("qd,kd->qk", inputs, inputs)'),
        Right("inner", "attn_scores = torch.inner(inputs, inputs)"),
        Right("broadcasting", "attn_scores = (inputs.unsqueeze(1) * inputs.unsqueeze(0)).sum(dim=2)"),
        Right("functional-linear", "import torch.nn.functional as F\nattn_scores = F.linear(inputs, inputs)"),
        Right("float64", "attn_scores = inputs.double() @ inputs.double().mT"),
        Right("out", "attn_scores = torch.empty(6, 6)\ntorch.mm(inputs, inputs.T, out=attn_scores)"),
        Right("batched", "attn_scores = torch.bmm(inputs[None], inputs.T[None])[0]"),
        Right("turned-view", "attn_scores = torch.stack([inputs @ x for x in inputs]).T"),
        Right("parameter", "attn_scores = torch.nn.Parameter(inputs @ inputs.T)"),
        Right("numpy-and-back", "import numpy as np\nattn_scores = torch.tensor(np.inner(inputs, inputs))"),
        Right("tokens-track-gradients", "inputs.requires_grad_(True)\nattn_scores = inputs @ inputs.T"),
        Right("outer-products", "attn_scores = sum(torch.outer(c, c) for c in inputs.T)"),
    ),
)

ALL_WEIGHTS = Mutants(
    wrong=(
        Wrong("down-the-columns", "attn_weights = torch.softmax(attn_scores, dim=0)", NAMED),
        Wrong("own-stable-on-the-square", "attn_weights = softmax_stable(attn_scores)", NAMED),
        Wrong("own-naive-on-the-square", "attn_weights = softmax_naive(attn_scores)", NAMED),
        Wrong(
            "over-everything",
            "attn_weights = torch.softmax(attn_scores.flatten(), dim=0).view(6, 6)",
            NAMED,
        ),
        Wrong(
            "sums-without-keepdim",
            "e = attn_scores.exp()\nattn_weights = e / e.sum(dim=1)",
            NAMED,
            says=r"keepdim",
        ),
        Wrong(
            "sums-of-columns", "e = attn_scores.exp()\nattn_weights = e / e.sum(dim=0, keepdim=True)", NAMED
        ),
        Wrong("tempting-way", "attn_weights = attn_scores / attn_scores.sum(dim=1, keepdim=True)", NAMED),
        Wrong(
            "axis-forgotten",
            "attn_weights = torch.softmax(attn_scores)",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong(
            "axis-two",
            "attn_weights = torch.softmax(attn_scores, dim=2)",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong("scaled", "attn_weights = torch.softmax(attn_scores / 3**0.5, dim=-1)", NAMED),
        Wrong("softmax-of-the-tokens", "attn_weights = torch.softmax(inputs, dim=-1)", SHAPE),
        Wrong("exponential-only", "attn_weights = torch.exp(attn_scores)", RULE + NAMED),
        Wrong("scores-renamed", "attn_weights = attn_scores", RULE),
        Wrong("one-query-only", "attn_weights = torch.softmax(attn_scores[1], dim=-1)", SHAPE),
        Wrong("ones-of-journey", "attn_weights = attn_weights_2", SHAPE),
        Wrong("twice", "attn_weights = attn_scores.softmax(-1).softmax(-1)", VALUES + NAMED),
        Wrong("both-ways", "attn_weights = attn_scores.softmax(0).softmax(1)", VALUES + NAMED),
        Wrong(
            "columns-after-rows",
            "attn_weights = attn_scores.softmax(1).softmax(0)",
            RULE + NAMED + VALUES,
            never=r"adds up to 1\.000",
        ),
        Wrong(
            "turned",
            "attn_weights = torch.softmax(attn_scores, dim=-1).T",
            NAMED,
            says=r"transpos|turned|\.T\b",
        ),
        Wrong("logarithm-kept", "attn_weights = torch.log_softmax(attn_scores, dim=-1)", RULE + NAMED),
        Wrong("axis-one-of-a-batch", "attn_weights = torch.softmax(attn_scores[None], dim=1)[0]", NAMED),
        Wrong("left-as-a-batch", "attn_weights = torch.softmax(attn_scores[None], dim=-1)", SHAPE),
        Wrong(
            "rows-in-a-list",
            """
            attn_weights = []
            for row in attn_scores:
                attn_weights.append(softmax_stable(row))
            """,
            TYPE,
        ),
        Wrong(
            "row-overwritten",
            """
            for row in attn_scores:
                attn_weights = softmax_stable(row)
            """,
            SHAPE,
        ),
        Wrong(
            "future-hidden",
            """
            masked = attn_scores.masked_fill(torch.triu(torch.ones(6, 6), diagonal=1).bool(), -torch.inf)
            attn_weights = torch.softmax(masked, dim=-1)
            """,
            VALUES,
        ),
        Wrong(
            "copied-with-four-decimals",
            """
            attn_weights = torch.tensor([
                [0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
                [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
                [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
                [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
                [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
                [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896],
            ])
            """,
            VALUES,
        ),
        Wrong(
            "rounded",
            "attn_weights = torch.softmax(attn_scores, -1).round(decimals=3)",
            VALUES,
        ),
        Wrong("largest-of-each", "attn_weights = attn_scores.argmax(dim=1)", SHAPE),
        Wrong("largest-of-each-hot", "attn_weights = torch.eye(6)[attn_scores.argmax(dim=1)]", VALUES),
        Wrong("numpy-array", "attn_weights = torch.softmax(attn_scores, dim=1).numpy()", TYPE),
        Wrong(
            "misspelt",
            "attn_wieghts = torch.softmax(attn_scores, dim=1)",
            MISSING,
            says=r"`attn_wieghts`",
        ),
        Wrong("sigmoid", "attn_weights = torch.sigmoid(attn_scores)", RULE + NAMED),
        Wrong("sign-flipped", "attn_weights = torch.softmax(-attn_scores, dim=-1)", VALUES + NAMED),
    ),
    right=(
        Right("last-axis", "attn_weights = torch.softmax(attn_scores, dim=-1)"),
        Right("axis-one", "attn_weights = torch.softmax(attn_scores, dim=1)"),
        Right("rows-stacked", "attn_weights = torch.stack([softmax_stable(row) for row in attn_scores])"),
        Right("naive-by-hand", "e = torch.exp(attn_scores)\nattn_weights = e / e.sum(dim=1, keepdim=True)"),
        Right("columns-of-a-symmetric-square", "attn_weights = torch.softmax(attn_scores, dim=0).T"),
        Right("module", "softmax = torch.nn.Softmax(dim=-1)\nattn_weights = softmax(attn_scores)"),
        Right("float64", "attn_weights = attn_scores.double().softmax(-1)"),
        Right(
            "logsumexp",
            "attn_weights = (attn_scores - attn_scores.logsumexp(dim=1, keepdim=True)).exp()",
        ),
        Right(
            "filled-row-by-row",
            """
            attn_weights = torch.empty_like(attn_scores)
            for i in range(attn_scores.shape[0]):
                attn_weights[i, :] = softmax_naive(attn_scores[i, :])
            """,
        ),
        Right("vmap", "attn_weights = torch.vmap(softmax_naive)(attn_scores)"),
        Right("over-a-batch", "attn_weights = torch.softmax(attn_scores[None], dim=2).squeeze(0)"),
        Right("parameter", "attn_weights = torch.nn.Parameter(torch.softmax(inputs @ inputs.T, dim=1))"),
        Right(
            "numpy-and-back",
            """
            import numpy as np
            s = attn_scores.numpy()
            e = np.exp(s - s.max(axis=1, keepdims=True))
            attn_weights = torch.from_numpy(e / e.sum(axis=1)[:, None])
            """,
        ),
        Right(
            "in-place-out",
            "attn_weights = attn_scores.clone()\ntorch.softmax(attn_scores, -1, out=attn_weights)",
        ),
    ),
)

ALL_CONTEXTS = Mutants(
    wrong=(
        Wrong(
            "tokens-on-the-left",
            "all_context_vecs = inputs @ attn_weights",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong("tokens-turned-on-the-left", "all_context_vecs = inputs.T @ attn_weights", SHAPE),
        Wrong("weights-turned", "all_context_vecs = attn_weights.T @ inputs", NAMED),
        Wrong("scores-for-weights", "all_context_vecs = attn_scores @ inputs", NAMED),
        Wrong("weights-with-weights", "all_context_vecs = attn_weights @ attn_weights", SHAPE),
        Wrong("weights-with-scores", "all_context_vecs = attn_weights @ attn_scores", SHAPE),
        Wrong("weights-renamed", "all_context_vecs = attn_weights", SHAPE),
        Wrong(
            "elementwise",
            "all_context_vecs = attn_weights * inputs",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong(
            "tokens-turned",
            "all_context_vecs = attn_weights @ inputs.T",
            MISSING,
            never=WRONG_NAME,
        ),
        Wrong("tokens-renamed", "all_context_vecs = inputs", NAMED),
        Wrong("plain-mean-for-all", "all_context_vecs = inputs.mean(0).expand(6, 3)", VALUES + NAMED),
        Wrong("one-context-only", "all_context_vecs = attn_weights[1] @ inputs", SHAPE),
        Wrong("same-context-for-all", "all_context_vecs = context_vec_2.repeat(6, 1)", VALUES + NAMED),
        Wrong("result-turned", "all_context_vecs = (attn_weights @ inputs).T", SHAPE),
        Wrong("softmax-down-the-columns", "all_context_vecs = attn_scores.softmax(0) @ inputs", NAMED),
        Wrong("tokens-added", "all_context_vecs = inputs + attn_weights @ inputs", VALUES + NAMED),
        Wrong("divided-again", "all_context_vecs = attn_weights @ inputs / 6", VALUES),
        Wrong(
            "overwritten-in-the-loop",
            """
            all_context_vecs = torch.zeros(6, 3)
            for i in range(6):
                for j in range(6):
                    all_context_vecs[i] = attn_weights[i, j] * inputs[j]
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "indices-swapped",
            """
            all_context_vecs = torch.zeros(6, 3)
            for i in range(6):
                for j in range(6):
                    all_context_vecs[i] += attn_weights[j, i] * inputs[j]
            """,
            NAMED,
        ),
        Wrong(
            "own-vector-weighed",
            """
            all_context_vecs = torch.zeros(6, 3)
            for i in range(6):
                for j in range(6):
                    all_context_vecs[i] += attn_weights[i, j] * inputs[i]
            """,
            VALUES + NAMED,
            never=r"Multiply the weights with them",
        ),
        Wrong(
            "stops-one-short",
            """
            all_context_vecs = torch.zeros(6, 3)
            for i in range(5):
                all_context_vecs[i] = attn_weights[i] @ inputs
            """,
            VALUES,
        ),
        Wrong(
            "list-of-contexts",
            "all_context_vecs = [attn_weights[i] @ inputs for i in range(6)]",
            TYPE,
        ),
        Wrong("all-products-kept", "all_context_vecs = attn_weights[:, :, None] * inputs[None]", SHAPE),
        Wrong(
            "added-over-queries",
            "all_context_vecs = (attn_weights[:, :, None] * inputs[None]).sum(0)",
            NAMED + VALUES,
        ),
        Wrong(
            "added-over-dimensions",
            "all_context_vecs = (attn_weights[:, :, None] * inputs[None]).sum(-1)",
            SHAPE,
        ),
        Wrong(
            "copied-with-four-decimals",
            """
            all_context_vecs = torch.tensor(
                [[0.4421, 0.5931, 0.5790],
                 [0.4419, 0.6515, 0.5683],
                 [0.4431, 0.6496, 0.5671],
                 [0.4304, 0.6298, 0.5510],
                 [0.4671, 0.5910, 0.5266],
                 [0.4177, 0.6503, 0.5645]])
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            """
            all_context_vecs = torch.tensor([
                [0.4420594274997711, 0.5930986404418945, 0.5789891481399536],
                [0.4418657422065735, 0.6514819860458374, 0.5683088898658752],
                [0.4431275427341461, 0.6495946645736694, 0.5670731067657471],
                [0.43038973212242126, 0.6298280954360962, 0.5510270595550537],
                [0.4671017527580261, 0.5909927487373352, 0.5265965461730957],
                [0.41772449016571045, 0.650323212146759, 0.5645352005958557],
            ])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong("singular", "all_context_vec = attn_weights @ inputs", MISSING),
        Wrong("all-forgotten", "context_vecs = attn_weights @ inputs", MISSING),
        Wrong("half-precision", "all_context_vecs = attn_weights.half() @ inputs.half()", DTYPE),
        Wrong("numpy-array", "all_context_vecs = attn_weights.numpy() @ inputs.numpy()", TYPE),
        Wrong("edits-the-sentence", "inputs[:] = attn_weights @ inputs\nall_context_vecs = inputs", GIVENS),
        Wrong("with-the-weights", "all_context_vecs = attn_weights @ inputs, attn_weights", TYPE),
        Wrong("a-comma", "all_context_vecs = attn_weights @ inputs,", TYPE),
    ),
    right=(
        Right("matmul", "all_context_vecs = torch.matmul(attn_weights, inputs)"),
        Right("einsum", 'all_context_vecs = torch.einsum("qk,kd->qd", attn_weights, inputs)'),
        Right(
            "row-by-row",
            """
            all_context_vecs = torch.zeros(6, 3)
            for i in range(6):
                for j in range(6):
                    all_context_vecs[i] += attn_weights[i][j] * inputs[j]
            """,
        ),
        Right("stacked", "all_context_vecs = torch.stack([row @ inputs for row in attn_weights])"),
        Right("turned-twice", "all_context_vecs = (inputs.T @ attn_weights.T).T"),
        Right("broadcasting", "all_context_vecs = (attn_weights[:, :, None] * inputs[None]).sum(dim=1)"),
        Right("float64", "all_context_vecs = attn_weights.double() @ inputs.double()"),
        Right("functional-linear", "all_context_vecs = torch.nn.functional.linear(attn_weights, inputs.T)"),
        Right(
            "fused-attention",
            """
            import torch.nn.functional as F
            x = inputs[None, None]
            all_context_vecs = F.scaled_dot_product_attention(x, x, x, scale=1.0).squeeze()
            """,
        ),
        Right(
            "out",
            "all_context_vecs = torch.empty(6, 3)\ntorch.mm(attn_weights, inputs, out=all_context_vecs)",
        ),
        Right("addmm", "all_context_vecs = torch.addmm(torch.zeros(3), attn_weights, inputs)"),
        Right("parameter", "all_context_vecs = torch.nn.Parameter(attn_weights @ inputs)"),
        Right(
            "numpy-and-back",
            "import numpy as np\nall_context_vecs = torch.tensor(np.dot(attn_weights.numpy(), inputs))",
        ),
        Right(
            "by-dimension",
            """
            columns = []
            for d in range(3):
                columns.append(attn_weights @ inputs[:, d])
            all_context_vecs = torch.stack(columns, dim=1)
            """,
        ),
    ),
)

SIMPLE_ATTENTION = Mutants(
    wrong=(
        Wrong(
            "returns-the-weights",
            """
            def simple_attention(x):
                scores = x @ x.T
                weights = torch.softmax(scores, dim=-1)
                context = weights @ x
                return weights
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "softmax-down-the-columns", "def simple_attention(x):\n    return (x @ x.T).softmax(0) @ x", NAMED
        ),
        Wrong(
            "weights-turned",
            """
            def simple_attention(x):
                weights = torch.softmax(x @ x.T, dim=-1)
                return weights.T @ x
            """,
            NAMED,
        ),
        Wrong("no-softmax", "def simple_attention(x):\n    return x @ x.T @ x", NAMED),
        Wrong(
            "tempting-way",
            """
            def simple_attention(x):
                scores = x @ x.T
                weights = scores / scores.sum(dim=-1, keepdim=True)
                return weights @ x
            """,
            NAMED,
        ),
        Wrong(
            "overflows",
            """
            def simple_attention(x):
                e = torch.exp(x @ x.T)
                return e / e.sum(dim=1, keepdim=True) @ x
            """,
            NAMED + NOT_FINITE,
            keeps=2,
        ),
        Wrong(
            "own-naive-by-rows",
            """
            def simple_attention(x):
                weights = torch.stack([softmax_naive(row) for row in x @ x.T])
                return weights @ x
            """,
            NAMED + NOT_FINITE,
            keeps=2,
        ),
        Wrong(
            "own-stable-on-the-square",
            """
            def simple_attention(x):
                attn_scores = scores_with_loops(x)
                attn_weights = softmax_stable(attn_scores)
                return attn_weights @ x
            """,
            NAMED,
        ),
        Wrong(
            "scaled",
            """
            def simple_attention(x):
                return torch.softmax(x @ x.T / x.shape[-1] ** 0.5, dim=-1) @ x
            """,
            NAMED,
        ),
        Wrong(
            "fused-attention-scales",
            """
            import torch.nn.functional as F

            def simple_attention(x):
                return F.scaled_dot_product_attention(x, x, x)
            """,
            NAMED,
        ),
        Wrong(
            "values-from-the-notebook",
            """
            def simple_attention(x):
                scores = x @ x.T
                weights = torch.softmax(scores, dim=-1)
                return weights @ inputs
            """,
            VALUES + NAMED,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "weights-from-the-notebook",
            """
            def simple_attention(x):
                return attn_weights @ x
            """,
            VALUES + NAMED,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "scores-from-the-notebook",
            """
            def simple_attention(x):
                weights = torch.softmax(attn_scores, dim=-1)
                return weights @ x
            """,
            VALUES + NAMED,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "whole-result-from-the-notebook",
            """
            def simple_attention(x):
                attn_scores = inputs @ inputs.T
                attn_weights = torch.softmax(attn_scores, dim=-1)
                return attn_weights @ inputs
            """,
            NAMED,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "return-forgotten",
            """
            def simple_attention(x):
                scores = x @ x.T
                weights = torch.softmax(scores, dim=-1)
                context = weights @ x
            """,
            TYPE,
        ),
        Wrong(
            "weights-come-along",
            """
            def simple_attention(x):
                w = torch.softmax(x @ x.T, dim=-1)
                return w @ x, w
            """,
            TYPE,
        ),
        Wrong(
            "dimensions-attend",
            """
            def simple_attention(x):
                scores = x.T @ x
                weights = torch.softmax(scores, dim=-1)
                return x @ weights
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "not-turned",
            """
            def simple_attention(x):
                scores = x @ x
                weights = torch.softmax(scores, dim=-1)
                return weights @ x
            """,
            RAISED,
        ),
        Wrong(
            "tokens-added",
            "def simple_attention(x):\n    return x + torch.softmax(x @ x.T, dim=-1) @ x",
            VALUES + NAMED,
        ),
        Wrong(
            "scores-weighed-with-scores",
            """
            def simple_attention(x):
                scores = x @ x.T
                weights = torch.softmax(scores, dim=-1)
                return weights @ scores
            """,
            SHAPE,
        ),
        Wrong(
            "second-token-only",
            """
            def simple_attention(x):
                scores = x @ x[1]
                return torch.softmax(scores, 0) @ x
            """,
            SHAPE,
        ),
        Wrong(
            "six-tokens-always",
            """
            def simple_attention(x):
                out = torch.zeros(6, 3)
                for i in range(6):
                    w = torch.softmax(x @ x[i], dim=0)
                    out[i] = w @ x
                return out
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "clamped",
            """
            def simple_attention(x):
                e = torch.exp((x @ x.T).clamp(max=80))
                return e / e.sum(-1, keepdim=True) @ x
            """,
            VALUES + NAMED + NOT_FINITE,
            keeps=2,
        ),
        Wrong(
            "edits-its-argument",
            """
            def simple_attention(x):
                weights = torch.softmax(x @ x.T, dim=-1)
                x[:] = weights @ x
                return x
            """,
            RULE,
            never=r"x \*= 2",
        ),
        Wrong(
            "future-hidden",
            """
            def simple_attention(x):
                scores = x @ x.T
                mask = torch.triu(torch.ones(len(x), len(x)), diagonal=1).bool()
                return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1) @ x
            """,
            VALUES,
        ),
        Wrong(
            "plain-mean",
            "def simple_attention(x):\n    return x.mean(0, keepdim=True).expand_as(x)",
            VALUES + NAMED,
        ),
        Wrong("the-tokens-themselves", "def simple_attention(x):\n    return x", VALUES),
        Wrong(
            "weights-times-turned",
            "def simple_attention(x):\n    return x.T @ torch.softmax(x @ x.T, -1)",
            SHAPE,
        ),
        Wrong(
            "sums-without-keepdim",
            """
            def simple_attention(x):
                e = torch.exp(x @ x.T)
                return e / e.sum(dim=1) @ x
            """,
            NAMED,
            says=r"keepdim",
        ),
        Wrong(
            "sums-without-keepdim-of-shifted-scores",
            """
            def simple_attention(x):
                s = x @ x.T
                e = torch.exp(s - s.max())
                w = e / e.sum(dim=1)
                return w @ x
            """,
            NAMED,
            says=r"keepdim",
            never=r"exp\(\) overflows",
        ),
        Wrong(
            "half-precision",
            "def simple_attention(x):\n    h = x.bfloat16()\n    return (h @ h.T).softmax(-1) @ h",
            DTYPE,
        ),
        Wrong(
            "result-not-function",
            "simple_attention = torch.softmax(inputs @ inputs.T, dim=-1) @ inputs",
            NO_FUNCTION,
        ),
        Wrong(
            "three-arguments",
            """
            def simple_attention(q, k, v):
                return torch.softmax(q @ k.T, dim=-1) @ v
            """,
            RAISED,
        ),
        Wrong(
            "class-with-init",
            """
            class simple_attention(torch.nn.Module):
                def __init__(self, x):
                    super().__init__()
                    self.x = x

                def forward(self):
                    return torch.softmax(self.x @ self.x.T, dim=-1) @ self.x
            """,
            NO_FUNCTION,
            says=r"\bclass\b",
        ),
        Wrong(
            "axis-forgotten-and-turned",
            """
            def simple_attention(x):
                attn_scores = x @ x.T
                attn_weights = torch.softmax(attn_scores)
                return attn_weights.T @ x
            """,
            RAISED,
        ),
        Wrong(
            "calls-an-undefined-name",
            """
            def simple_attention(x):
                weights = torch.softmax(scores, dim=-1)
                return weights @ x
            """,
            RAISED,
        ),
    ),
    right=(
        Right("one-line", "def simple_attention(x):\n    return torch.softmax(x @ x.T, dim=-1) @ x"),
        Right(
            "fused-attention",
            """
            import torch.nn.functional as F

            def simple_attention(x):
                return F.scaled_dot_product_attention(x[None], x[None], x[None], scale=1.0)[0]
            """,
        ),
        Right(
            "einsums",
            """
            def simple_attention(tokens):
                s = torch.einsum("qd,kd->qk", tokens, tokens)
                return torch.einsum("qk,kd->qd", s.softmax(-1), tokens)
            """,
        ),
        Right(
            "own-helpers-in-loops",
            """
            def simple_attention(x):
                scores = scores_with_loops(x)
                out = torch.zeros(x.shape)
                for i in range(len(x)):
                    w = softmax_stable(scores[i])
                    for j in range(len(x)):
                        out[i] += w[j] * x[j]
                return out
            """,
        ),
        Right("lambda", "simple_attention = lambda x: torch.nn.functional.softmax(x @ x.mT, dim=1) @ x"),
        Right(
            "float64", "def simple_attention(x):\n    x = x.double()\n    return (x @ x.T).softmax(-1) @ x"
        ),
        Right("columns-then-turned", "def simple_attention(x):\n    return (x @ x.T).softmax(dim=0).T @ x"),
        Right("turned-view", "def simple_attention(x):\n    return (x.T @ (x @ x.T).softmax(0)).T"),
        Right(
            "module-instance",
            """
            class SelfAttention(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.softmax = torch.nn.Softmax(dim=-1)

                def forward(self, x):
                    return self.softmax(x @ x.transpose(-2, -1)) @ x

            simple_attention = SelfAttention()
            """,
        ),
        Right(
            "helper-below",
            """
            def simple_attention(x):
                return torch.stack([context(x, i) for i in range(len(x))])

            def context(x, i):
                s = x @ x[i]
                e = torch.exp(s - s.max())
                return (e / e.sum()) @ x
            """,
        ),
        Right(
            "largest-of-the-square",
            """
            def simple_attention(x):
                s = x @ x.T
                e = torch.exp(s - s.max(dim=1, keepdim=True)[0])
                return (e @ x) / e.sum(dim=1, keepdim=True)
            """,
        ),
        Right(
            "parameters-and-gradients",
            """
            def simple_attention(x):
                w = torch.nn.Parameter(torch.eye(x.shape[1]))
                q = x @ w
                return torch.softmax(q @ q.T, dim=-1) @ q
            """,
        ),
        Right(
            "numpy-and-back",
            """
            import numpy as np

            def simple_attention(x):
                a = np.array(x)
                s = a @ a.T
                e = np.exp(s - s.max(axis=-1, keepdims=True))
                return torch.from_numpy((e / e.sum(axis=-1, keepdims=True)) @ a)
            """,
        ),
        Right(
            "written-into-a-buffer",
            """
            def simple_attention(x):
                out = torch.empty_like(x)
                torch.mm(torch.softmax(torch.mm(x, x.t()), 1), x, out=out)
                return out
            """,
        ),
    ),
)

TASKS = {
    "dot-product": DOT_PRODUCT,
    "query-scores": QUERY_SCORES,
    "sum-weights": SUM_WEIGHTS,
    "softmax-naive": SOFTMAX_NAIVE,
    "softmax-stable": SOFTMAX_STABLE,
    "query-weights": QUERY_WEIGHTS,
    "context-vector": CONTEXT_VECTOR,
    "scores-loops": SCORES_LOOPS,
    "all-scores": ALL_SCORES,
    "all-weights": ALL_WEIGHTS,
    "all-contexts": ALL_CONTEXTS,
    "simple-attention": SIMPLE_ATTENTION,
}
