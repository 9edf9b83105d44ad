"""Answers to lesson 04 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from textwrap import dedent

from tests.mutants.harness import Mutants, Right, Wrong

LESSON = "04-dropout"

# What a learner is told first. A mistake that many people make deserves its name.
NAMED = ("MatchesKnownWrong",)
MISSING = ("NotDefined",)
STUB = ("StillStub",)
NO_FUNCTION = ("NotAFunction",)
RAISED = ("Raised",)
TYPE = ("WrongType",)
PARAMETERS = ("WrongParameters",)
SHAPE = ("WrongShape",)
DTYPE = ("WrongDtype",)
NOT_FINITE = ("NotFinite",)
VALUES = ("WrongValues",)
RULE = ("BrokenProperty",)
BEHAVIOUR = ("WrongBehaviour",)
GIVENS = ("GivensChanged",)
FORBIDDEN = ("CallsForbidden",)
NOT_COMPUTED = ("NotComputed",)

# Words that a message must have, and words that would lead the learner astray.
WRONG_NAME = r"is that the one"
NOT_ITS_ARGUMENT = r"from the notebook|Use the argument"


def edited(code: str, *changes: tuple[str, str]) -> str:
    """The code that a learner started from, with some of its text replaced."""
    code = dedent(code)
    for old, new in changes:
        if old not in code:
            raise ValueError(f"nothing to replace: {old}")
        code = code.replace(old, new)
    return code


APPLY_DROPOUT = Mutants(
    wrong=(
        Wrong("not-rescaled", "def apply_dropout(x, kept, p):\n    return x * kept", NAMED),
        Wrong(
            "multiplied-by-the-share", "def apply_dropout(x, kept, p):\n    return x * kept * (1 - p)", NAMED
        ),
        Wrong(
            "divided-by-p",
            "def apply_dropout(x, kept, p):\n    return x * kept / p",
            NAMED + NOT_FINITE,
            keeps=1,
        ),
        Wrong(
            "precedence",
            "def apply_dropout(x, kept, p):\n    return x * kept / 1 - p",
            VALUES + NAMED,
        ),
        Wrong(
            "the-dropped-stay",
            "def apply_dropout(x, kept, p):\n    return x * ~kept / (1 - p)",
            NAMED,
        ),
        Wrong(
            "masked-fill-the-kept",
            "def apply_dropout(x, kept, p):\n    return x.masked_fill(kept, 0) / (1 - p)",
            NAMED,
        ),
        Wrong(
            "only-the-kept-come-back",
            "def apply_dropout(x, kept, p):\n    return x[kept] / (1 - p)",
            SHAPE,
        ),
        Wrong(
            "always-doubled",
            "def apply_dropout(x, kept, p):\n    return torch.where(kept, 2 * x, 0)",
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "dropped-left-as-they-are",
            "def apply_dropout(x, kept, p):\n    return torch.where(kept, x / (1 - p), x)",
            VALUES + NAMED,
        ),
        Wrong(
            "minus-infinity",
            """
            def apply_dropout(x, kept, p):
                return x.masked_fill(~kept, float("-inf")) / (1 - p)
            """,
            NOT_FINITE + NAMED,
            never=r"dividing by zero",
        ),
        Wrong(
            "rows-made-to-sum-to-one",
            """
            def apply_dropout(x, kept, p):
                y = x * kept
                return y / y.sum(dim=-1, keepdim=True)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "rows-made-to-sum-to-one-safely",
            """
            def apply_dropout(x, kept, p):
                y = x * kept
                return y / (y.sum(dim=-1, keepdim=True) + 1e-9)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "divided-by-the-share-drawn",
            """
            def apply_dropout(x, kept, p):
                return x * kept / kept.float().mean()
            """,
            VALUES + NAMED + NOT_FINITE,
        ),
        Wrong(
            "draws-anew",
            """
            def apply_dropout(x, kept, p):
                kept = torch.rand(x.shape) >= p
                return x * kept / (1 - p)
            """,
            VALUES + NAMED + RULE,
        ),
        Wrong(
            "layer-on-top",
            """
            def apply_dropout(x, kept, p):
                layer = nn.Dropout(p)
                return layer(x * kept)
            """,
            VALUES + NAMED,
            never=r"never filled in",
        ),
        Wrong(
            "ready-made",
            "def apply_dropout(x, kept, p):\n    return F.dropout(x, p)",
            VALUES + NAMED,
        ),
        Wrong(
            "edits-x",
            """
            def apply_dropout(x, kept, p):
                x[~kept] = 0
                return x / (1 - p)
            """,
            RULE + NAMED,
        ),
        Wrong(
            "edits-x-with-an-operator",
            """
            def apply_dropout(x, kept, p):
                x *= kept
                x /= 1 - p
                return x
            """,
            RULE + NAMED,
        ),
        Wrong(
            "masked-fill-discarded",
            """
            def apply_dropout(x, kept, p):
                y = x / (1 - p)
                y.masked_fill(~kept, 0.0)
                return y
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "weights-of-the-notebook",
            "def apply_dropout(x, kept, p):\n    return attn_weights * kept / (1 - p)",
            RAISED + VALUES + SHAPE,
        ),
        Wrong(
            "x-and-p-swapped",
            "def apply_dropout(p, kept, x):\n    return x * kept / (1 - p)",
            VALUES + SHAPE + TYPE + NAMED + NOT_FINITE,
        ),
        Wrong(
            "half-always",
            "def apply_dropout(x, kept, p):\n    return x * kept / 0.5",
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "scaled-before-and-after",
            """
            def apply_dropout(x, kept, p):
                x = x / (1 - p)
                return x * kept / (1 - p)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "p-times-one-minus",
            "def apply_dropout(x, kept, p):\n    scale = 1 / 1 - p\n    return x * kept * scale",
            VALUES + NAMED,
        ),
        Wrong(
            "return-forgotten",
            "def apply_dropout(x, kept, p):\n    y = x * kept / (1 - p)",
            TYPE,
        ),
        Wrong(
            "prints",
            "def apply_dropout(x, kept, p):\n    print(x * kept / (1 - p))",
            TYPE,
        ),
        Wrong(
            "a-list",
            """
            def apply_dropout(x, kept, p):
                out = []
                for a, k in zip(x.flatten(), kept.flatten()):
                    out.append(a / (1 - p) if k else 0.0)
                return out
            """,
            TYPE,
        ),
        Wrong(
            "six-by-six",
            """
            def apply_dropout(x, kept, p):
                out = torch.zeros(6, 6)
                for i in range(6):
                    for j in range(6):
                        if kept[i, j]:
                            out[i, j] = x[i, j] / (1 - p)
                return out
            """,
            RAISED + SHAPE,
            keeps=1,
        ),
        Wrong(
            "two-axes-only",
            """
            def apply_dropout(x, kept, p):
                rows, columns = x.shape
                out = torch.zeros(rows, columns)
                for i in range(rows):
                    for j in range(columns):
                        if kept[i][j]:
                            out[i][j] = x[i][j] / (1 - p)
                return out
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "subtracts-a-mask",
            "def apply_dropout(x, kept, p):\n    return (x - (1 - kept)) / (1 - p)",
            RAISED,
        ),
        Wrong("arguments-missing", "def apply_dropout(x, p):\n    return x * kept / (1 - p)", RAISED),
        Wrong("other-name", "def applydropout(x, kept, p):\n    return x * kept / (1 - p)", MISSING),
        Wrong("syntax", "def apply_dropout(x, kept, p):\n    return x * kept / (1 - p", MISSING),
        Wrong("untouched", "def apply_dropout(x, kept, p):\n    ...  # your code here", STUB),
        Wrong(
            "whole-numbers",
            "def apply_dropout(x, kept, p):\n    return (x * kept).int() / (1 - p)",
            VALUES,
            never=r"never filled in",
        ),
        Wrong(
            "divided-by-zero-mask",
            "def apply_dropout(x, kept, p):\n    return x / (kept * (1 - p))",
            NOT_FINITE + NAMED,
        ),
    ),
    right=(
        Right("where", "def apply_dropout(x, kept, p):\n    return torch.where(kept, x / (1 - p), 0.0)"),
        Right(
            "where-zeros-like",
            """
            def apply_dropout(x, kept, p):
                return torch.where(kept, x, torch.zeros_like(x)).div(1.0 - p)
            """,
        ),
        Right(
            "masked-fill",
            "def apply_dropout(x, kept, p):\n    return x.masked_fill(~kept, 0) * (1 / (1 - p))",
        ),
        Right(
            "masked-fill-logical-not",
            """
            def apply_dropout(x, kept, p):
                dropped = torch.logical_not(kept)
                scaled = torch.div(x, 1 - p)
                return scaled.masked_fill_(dropped, 0.0)
            """,
        ),
        Right(
            "clone-then-in-place",
            """
            def apply_dropout(x, kept, p):
                y = x.clone()
                y[~kept] = 0.0
                y /= 1 - p
                return y
            """,
        ),
        Right(
            "into-zeros",
            """
            def apply_dropout(x, kept, p):
                out = torch.zeros_like(x)
                out[kept] = x[kept] / (1 - p)
                return out
            """,
        ),
        Right(
            "loop-over-flat",
            """
            def apply_dropout(x, kept, p):
                out = []
                for a, k in zip(x.flatten(), kept.flatten()):
                    out.append(a / (1 - p) if k else a * 0)
                return torch.stack(out).reshape(x.shape)
            """,
        ),
        Right("lambda", "apply_dropout = lambda x, kept, p: kept.float() * x / (1 - p)"),
        Right(
            "double",
            "def apply_dropout(x, kept, p):\n    return x.double() * kept / (1 - p)",
        ),
        Right(
            "einsum",
            """
            def apply_dropout(x, kept, p):
                scale = kept.to(x.dtype) / (1 - p)
                return torch.einsum("...,...->...", x, scale)
            """,
        ),
        Right("mul-method", "def apply_dropout(x, kept, p):\n    return x.mul(kept).mul(1 / (1 - p))"),
        Right(
            "other-argument-names",
            "def apply_dropout(values, mask, drop_rate):\n    return values * mask / (1 - drop_rate)",
        ),
        Right(
            "typed-and-guarded",
            """
            def apply_dropout(x: torch.Tensor, kept: torch.Tensor, p: float = 0.5) -> torch.Tensor:
                if not 0 <= p < 1:
                    raise ValueError("p must be in [0, 1)")
                keep_prob = 1.0 - p
                return x * kept.type_as(x) / keep_prob
            """,
        ),
        Right(
            "numpy-and-back",
            """
            import numpy as np

            def apply_dropout(x, kept, p):
                y = np.where(kept.numpy(), x.numpy() / (1 - p), 0.0)
                return torch.from_numpy(y).float()
            """,
        ),
        Right(
            "masked-scatter",
            """
            def apply_dropout(x, kept, p):
                return torch.zeros_like(x).masked_scatter(kept, x[kept] / (1 - p))
            """,
        ),
        Right(
            "recursion",
            """
            def apply_dropout(x, kept, p):
                if x.dim() == 0:
                    return x / (1 - p) if kept else torch.zeros(())
                return torch.stack([apply_dropout(a, k, p) for a, k in zip(x, kept)])
            """,
        ),
    ),
)

TYPED_FOUR = """
dropped_weights = torch.tensor(
    [
        [2.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.6816, 0.6804, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.5085, 0.4936, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.3906, 0.0000],
        [0.3249, 0.3418, 0.0000, 0.3308, 0.3249, 0.3363],
    ]
)
"""
TYPED_FULL = """
dropped_weights = torch.tensor(
    [
        [2.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.6816126108169556, 0.6803813576698303, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.5084660649299622, 0.49355611205101013, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.3906097114086151, 0.0],
        [
            0.32489892840385437,
            0.34175968170166016,
            0.0,
            0.3308010697364807,
            0.3249205946922302,
            0.3363482654094696,
        ],
    ]
)
"""

DROPPED_WEIGHTS = Mutants(
    wrong=(
        Wrong("not-rescaled", "dropped_weights = attn_weights * kept", NAMED),
        Wrong("halved", "dropped_weights = attn_weights * kept * 0.5", NAMED + VALUES),
        Wrong(
            "weights-without-a-mask", "dropped_weights = apply_dropout(unmasked_weights, kept, 0.5)", NAMED
        ),
        Wrong("scores", "dropped_weights = apply_dropout(attn_scores, kept, 0.5)", VALUES + NAMED),
        Wrong(
            "masked-scores",
            "dropped_weights = apply_dropout(masked_scores, kept, 0.5)",
            NOT_FINITE + NAMED,
            never=r"exponentials so large",
        ),
        Wrong(
            "masked-scores-then-softmax",
            "dropped_weights = torch.softmax(apply_dropout(masked_scores, kept, 0.5) / 2**0.5, dim=-1)",
            NOT_FINITE + NAMED,
            never=r"exponentials so large",
        ),
        Wrong(
            "scores-then-mask-then-softmax",
            """
            dropped_scores = apply_dropout(attn_scores, kept, 0.5)
            dropped_weights = torch.softmax(dropped_scores.masked_fill(future, -torch.inf) / 2**0.5, dim=-1)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "layer-instead-of-the-mask",
            "torch.manual_seed(123)\ndropped_weights = nn.Dropout(0.5)(attn_weights)",
            VALUES + NAMED,
        ),
        Wrong("layer-of-above", "dropped_weights = layer(attn_weights)", VALUES + NAMED),
        Wrong("mask-turned-round", "dropped_weights = apply_dropout(attn_weights, ~kept, 0.5)", NAMED),
        Wrong(
            "mask-transposed", "dropped_weights = apply_dropout(attn_weights, kept.T, 0.5)", VALUES + NAMED
        ),
        Wrong(
            "future-as-the-mask",
            "dropped_weights = apply_dropout(attn_weights, future, 0.5)",
            VALUES + NAMED,
            never=r"never filled in",
        ),
        Wrong(
            "past-as-the-mask", "dropped_weights = apply_dropout(attn_weights, ~future, 0.5)", VALUES + NAMED
        ),
        Wrong("wrong-p", "dropped_weights = apply_dropout(attn_weights, kept, 0.1)", VALUES + NAMED),
        Wrong("p-zero", "dropped_weights = apply_dropout(attn_weights, kept, 0)", NAMED),
        Wrong("p-in-percent", "dropped_weights = apply_dropout(attn_weights, kept, 50)", VALUES),
        Wrong(
            "renormalised",
            """
            dropped_weights = attn_weights * kept
            dropped_weights = dropped_weights / dropped_weights.sum(dim=-1, keepdim=True)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "renormalised-without-nan",
            """
            left = attn_weights * kept
            dropped_weights = torch.nan_to_num(left / left.sum(dim=-1, keepdim=True))
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "softmax-of-the-rest",
            "dropped_weights = torch.softmax(attn_weights * kept, dim=-1)",
            VALUES + NAMED,
        ),
        Wrong(
            "softmax-once-more",
            "dropped_weights = torch.softmax(apply_dropout(attn_weights, kept, 0.5), dim=-1)",
            VALUES + NAMED,
        ),
        Wrong("typed-four-decimals", TYPED_FOUR, NOT_COMPUTED + VALUES),
        Wrong("typed-in-full", TYPED_FULL, NOT_COMPUTED, notebook_passes=True),
        Wrong(
            "rounded",
            "dropped_weights = torch.round(apply_dropout(attn_weights, kept, 0.5), decimals=2)",
            VALUES,
        ),
        Wrong("as-a-list", "dropped_weights = apply_dropout(attn_weights, kept, 0.5).tolist()", TYPE),
        Wrong("only-the-kept", "dropped_weights = attn_weights[kept] * 2", SHAPE),
        Wrong("two-names", "dropped_weights = apply_dropout(attn_weights, kept, 0.5), kept", TYPE),
        Wrong("function-not-called", "dropped_weights = apply_dropout", TYPE),
        Wrong(
            "printed",
            "dropped_weights = print(apply_dropout(attn_weights, kept, 0.5))",
            TYPE,
        ),
        Wrong("misspelt", "droped_weights = apply_dropout(attn_weights, kept, 0.5)", MISSING),
        Wrong(
            "stored-elsewhere",
            "attn_weights = apply_dropout(attn_weights, kept, 0.5)",
            MISSING,
        ),
        Wrong("p-forgotten", "dropped_weights = apply_dropout(attn_weights, kept)", MISSING),
        Wrong("of-the-inputs", "dropped_weights = apply_dropout(inputs, kept, 0.5)", MISSING),
        Wrong("untouched", "dropped_weights = ...  # your code here", STUB),
        Wrong(
            "twice",
            "dropped_weights = apply_dropout(apply_dropout(attn_weights, kept, 0.5), kept, 0.5)",
            VALUES + NAMED,
        ),
        Wrong(
            "causal-mask-after",
            """
            dropped_weights = apply_dropout(unmasked_weights, kept, 0.5)
            dropped_weights = dropped_weights.masked_fill(future, 0)
            """,
            VALUES + NAMED,
        ),
    ),
    right=(
        Right("by-name", "dropped_weights = apply_dropout(x=attn_weights, kept=kept, p=0.5)"),
        Right("by-hand", "dropped_weights = attn_weights * kept / (1 - 0.5)"),
        Right("doubled", "dropped_weights = 2 * attn_weights * kept"),
        Right("where", "p = 0.5\ndropped_weights = torch.where(kept, attn_weights / (1 - p), 0)"),
        Right("masked-fill", "dropped_weights = attn_weights.masked_fill(~kept, 0.0) / 0.5"),
        Right(
            "from-the-scores",
            """
            weights = torch.softmax(attn_scores.masked_fill(future, float("-inf")) / 2**0.5, dim=-1)
            dropped_weights = apply_dropout(weights, kept, 0.5)
            """,
        ),
        Right("double", "dropped_weights = apply_dropout(attn_weights.double(), kept, 0.5)"),
        Right(
            "loops",
            """
            dropped_weights = torch.zeros(6, 6)
            for i in range(6):
                for j in range(6):
                    if kept[i][j]:
                        dropped_weights[i][j] = attn_weights[i][j] * 2
            """,
        ),
        Right(
            "clone",
            """
            dropped_weights = attn_weights.clone()
            dropped_weights[kept == False] = 0
            dropped_weights *= 2
            """,
        ),
        Right(
            "by-row",
            """
            rows = zip(attn_weights, kept)
            dropped_weights = torch.stack([apply_dropout(row, keep, 0.5) for row, keep in rows])
            """,
        ),
        Right(
            "partial",
            """
            from functools import partial

            half = partial(apply_dropout, p=0.5)
            dropped_weights = half(attn_weights, kept)
            """,
        ),
        Right("parameter", "dropped_weights = nn.Parameter(apply_dropout(attn_weights, kept, 0.5))"),
        Right(
            "dropped-then-softmaxed-in-other-order",
            """
            e = torch.exp(masked_scores / 2**0.5)
            dropped_weights = e * kept * 2 / e.sum(dim=1, keepdim=True)
            """,
        ),
    ),
)

DROPOUT_BY_HAND = Mutants(
    wrong=(
        Wrong(
            "not-rescaled",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                mask = torch.rand(x.shape) > p
                return x * mask
            """,
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "keeps-a-share-of-p",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape) < p
                return apply_dropout(x, kept, p)
            """,
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "keeps-and-divides-by-p",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape) < p
                return x * kept / p
            """,
            NAMED + BEHAVIOUR + RULE + NOT_FINITE,
        ),
        Wrong(
            "training-ignored",
            """
            def dropout(x, p, training=True):
                kept = torch.rand(x.shape) >= p
                return apply_dropout(x, kept, p)
            """,
            NAMED + BEHAVIOUR + VALUES + RULE,
            keeps=2,
        ),
        Wrong(
            "modes-swapped",
            """
            def dropout(x, p, training=True):
                if training:
                    return x
                kept = torch.rand(x.shape) >= p
                return apply_dropout(x, kept, p)
            """,
            NAMED + BEHAVIOUR + VALUES + RULE,
        ),
        Wrong(
            "scaled-in-eval",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x * (1 - p)
                kept = torch.rand(x.shape) >= p
                return apply_dropout(x, kept, p)
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "old-papers",
            """
            def dropout(x, p, training=True):
                if training:
                    return x * (torch.rand(x.shape) >= p)
                return x * (1 - p)
            """,
            NAMED + VALUES + BEHAVIOUR,
        ),
        Wrong(
            "divided-in-eval",
            """
            def dropout(x, p, training=True):
                if training:
                    x = x * (torch.rand(x.shape) >= p)
                return x / (1 - p)
            """,
            NAMED + VALUES + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "normal-numbers",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.randn(x.shape) >= p
                return apply_dropout(x, kept, p)
            """,
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "one-mask-for-all-rows",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape[-1]) >= p
                return x * kept / (1 - p)
            """,
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "whole-rows-dropped",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape[0], 1) >= p
                return x * kept / (1 - p)
            """,
            NAMED + BEHAVIOUR + RULE + SHAPE,
        ),
        Wrong(
            "one-number-for-all",
            """
            import random

            def dropout(x, p, training=True):
                if not training:
                    return x
                if random.random() < p:
                    return torch.zeros_like(x)
                return x / (1 - p)
            """,
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "mask-of-the-figure",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                return apply_dropout(x, kept, p)
            """,
            VALUES + RAISED,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "seeded-inside",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                torch.manual_seed(123)
                kept = torch.rand(x.shape) >= p
                return apply_dropout(x, kept, p)
            """,
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "own-generator-seeded-inside",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                g = torch.Generator().manual_seed(0)
                mask = (torch.rand(x.shape, generator=g) > p).float()
                return x * mask / (1.0 - p)
            """,
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "mask-drawn-once",
            """
            drawn = {}

            def dropout(x, p, training=True):
                if not training:
                    return x
                if x.shape not in drawn:
                    drawn[x.shape] = torch.rand(x.shape)
                return apply_dropout(x, drawn[x.shape] >= p, p)
            """,
            NAMED + BEHAVIOUR + RULE,
            never=r"seed is set inside",
        ),
        Wrong(
            "exact-count",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                n = x.numel()
                drop = torch.randperm(n)[: int(n * p)]
                out = x.clone().flatten()
                out[drop] = 0
                return out.reshape(x.shape) / (1 - p)
            """,
            NAMED + BEHAVIOUR + RULE,
            keeps=0,
        ),
        Wrong(
            "rows-renormalised",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape) >= p
                y = x * kept
                return y / y.sum(dim=-1, keepdim=True).clamp(min=1e-8)
            """,
            NAMED + BEHAVIOUR + RULE + VALUES,
        ),
        Wrong(
            "half-always",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape) >= 0.5
                return x * kept * 2
            """,
            NAMED + BEHAVIOUR + RULE + VALUES,
        ),
        Wrong(
            "six-by-six",
            """
            def dropout(x, p, training=True):
                if training:
                    mask = torch.rand(6, 6) >= p
                    return x * mask / (1 - p)
                return x
            """,
            RAISED + SHAPE + BEHAVIOUR,
        ),
        Wrong(
            "edits-x",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                x[torch.rand(x.shape) < p] = 0
                return x / (1 - p)
            """,
            RULE + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "multiplies-in-place",
            """
            def dropout(x, p, training=True):
                if training:
                    x *= (torch.rand(x.shape) > p) / (1 - p)
                return x
            """,
            RULE + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "no-return-in-eval",
            """
            def dropout(x, p, training=True):
                if training:
                    kept = torch.rand(x.shape) >= p
                    return apply_dropout(x, kept, p)
            """,
            TYPE,
            keeps=2,
        ),
        Wrong(
            "default-forgotten",
            """
            def dropout(x, p, training):
                if not training:
                    return x
                return apply_dropout(x, torch.rand(x.shape) >= p, p)
            """,
            RAISED + NAMED,
            keeps=1,
        ),
        Wrong(
            "default-false",
            """
            def dropout(x, p, training=False):
                if not training:
                    return x
                return apply_dropout(x, torch.rand(x.shape) >= p, p)
            """,
            BEHAVIOUR + NAMED + RULE,
            keeps=1,
        ),
        Wrong(
            "training-spelled-otherwise",
            """
            def dropout(x, p, train=True):
                if not train:
                    return x
                return apply_dropout(x, torch.rand(x.shape) >= p, p)
            """,
            RAISED,
            keeps=2,
        ),
        Wrong(
            "layer-always-trains",
            """
            def dropout(x, p, training=True):
                layer = nn.Dropout(p)
                return layer(x)
            """,
            NAMED + BEHAVIOUR + VALUES + RULE,
        ),
        Wrong(
            "argument-in-the-wrong-place",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape) >= p
                return apply_dropout(x, p, kept)
            """,
            RAISED + VALUES,
        ),
        Wrong(
            "shape-not-unpacked",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x) >= p
                return apply_dropout(x, kept, p)
            """,
            RAISED,
        ),
        Wrong(
            "mask-comes-along",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x, None
                kept = torch.rand(x.shape) >= p
                return apply_dropout(x, kept, p), kept
            """,
            TYPE,
        ),
        Wrong(
            "mask-alone",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                return (torch.rand(x.shape) >= p) / (1 - p)
            """,
            NAMED + BEHAVIOUR + RULE + VALUES,
        ),
        Wrong("name", "def drop_out(x, p, training=True):\n    return x", MISSING),
        Wrong("does-nothing", "def dropout(x, p, training=True):\n    return x", BEHAVIOUR + NAMED + RULE),
        Wrong("untouched", "def dropout(x, p, training=True):\n    ...  # your code here", STUB),
        Wrong(
            "bernoulli-of-p",
            """
            def dropout(x, p, training=True):
                if not training or p == 0:
                    return x
                mask = torch.bernoulli(torch.full_like(x, p))
                return x * mask / (1 - p)
            """,
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "drawn-twice",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                x = x * (torch.rand(x.shape) >= p) / (1 - p)
                return x * (torch.rand(x.shape) >= p) / (1 - p)
            """,
            NAMED + BEHAVIOUR + RULE + VALUES,
        ),
        Wrong(
            "rounded-draw",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape).round()
                return x * kept / (1 - p)
            """,
            VALUES + NAMED + BEHAVIOUR,
            never=r"never filled in",
        ),
        Wrong(
            "noise-added",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                return x + torch.randn(x.shape) * p
            """,
            BEHAVIOUR + RULE + VALUES,
        ),
        Wrong(
            "ready-made",
            """
            def dropout(x, p, training=True):
                return F.dropout(x, p, training)
            """,
            FORBIDDEN,
            says=r"ready-made|by hand|yourself",
        ),
        Wrong(
            "one-mask-for-all-sentences",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                kept = torch.rand(x.shape[-2:]) >= p
                return x * kept / (1 - p)
            """,
            NAMED + BEHAVIOUR + RULE,
            keeps=1,
        ),
        Wrong(
            "matrices-only",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                rows, columns = x.shape
                kept = torch.rand(rows, columns) >= p
                return x * kept / (1 - p)
            """,
            RAISED,
            keeps=1,
        ),
    ),
    right=(
        Right(
            "entry-by-entry",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                out = x.clone()
                flat = out.view(-1)
                for i in range(flat.numel()):
                    if torch.rand(1).item() < p:
                        flat[i] = 0.0
                    else:
                        flat[i] = flat[i] / (1 - p)
                return out
            """,
        ),
        Right(
            "greater",
            """
            def dropout(x, p, training=True):
                if training:
                    kept = torch.rand(x.shape) > p
                    return x * kept / (1 - p)
                else:
                    return x
            """,
        ),
        Right(
            "below-the-share-kept",
            """
            def dropout(x, p, training=True):
                if training is False:
                    return x
                q = 1 - p
                return torch.where(torch.rand(x.shape) < q, x / q, 0.0)
            """,
        ),
        Right(
            "rand-like",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x.clone()
                return apply_dropout(x, torch.rand_like(x) >= p, p)
            """,
        ),
        Right(
            "bernoulli",
            """
            def dropout(x, p, training=True):
                if not training or p == 0.0:
                    return x
                mask = torch.bernoulli(torch.full(x.shape, 1 - p))
                return mask * x / (1 - p)
            """,
        ),
        Right(
            "bernoulli-in-place-on-a-fresh-tensor",
            """
            def dropout(x, p, training=True):
                if not training:
                    return x
                mask = torch.empty_like(x).bernoulli_(1 - p)
                return x * mask.div_(1 - p)
            """,
        ),
        Right(
            "python-random",
            """
            import random

            def dropout(x, p, training=True):
                if not training:
                    return x
                flat = [v / (1 - p) if random.random() >= p else v * 0 for v in x.reshape(-1)]
                return torch.stack(flat).reshape(x.shape)
            """,
        ),
        Right(
            "numpy-random",
            """
            import numpy as np

            def dropout(x, p, training=True):
                if not training:
                    return x
                mask = np.random.rand(*x.shape) >= p
                return x * torch.from_numpy(np.asarray(mask)) / (1 - p)
            """,
        ),
        Right(
            "numpy-generator",
            """
            import numpy as np

            rng = np.random.default_rng()

            def dropout(x, p, training=True):
                if not training:
                    return x
                mask = torch.tensor(rng.random(tuple(x.shape)) >= p)
                return apply_dropout(x, mask, p)
            """,
        ),
        Right(
            "torch-generator-outside",
            """
            generator = torch.Generator()
            generator.manual_seed(123)

            def dropout(x, p, training=True):
                if not training:
                    return x
                return apply_dropout(x, torch.rand(x.shape, generator=generator) >= p, p)
            """,
        ),
        Right(
            "lambda",
            "dropout = lambda x, p, training=True: x * (torch.rand(x.shape) >= p) "
            "/ (1 - p) if training else x",
        ),
        Right(
            "object-that-is-called",
            """
            class Dropout:
                def __call__(self, x, p, training=True):
                    return apply_dropout(x, self.draw(x, p), p) if training else x

                @staticmethod
                def draw(x, p):
                    return torch.rand(*x.shape).ge(p)

            dropout = Dropout()
            """,
        ),
        Right(
            "uniform",
            """
            def dropout(x, p, training=True):
                if not training: return x
                u = torch.zeros_like(x).uniform_(0, 1)
                out = x / (1 - p)
                out[u < p] = 0
                return out
            """,
        ),
        Right(
            "double",
            """
            def dropout(x: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
                if not training:
                    return x
                keep = (torch.rand(x.shape, dtype=torch.float64) >= p).double()
                return (x.double() * keep / (1.0 - p)).to(x.dtype)
            """,
        ),
        Right(
            "loop-over-rows",
            """
            def dropout(x, p, training=True):
                if not training or x.dim() == 0:
                    return x
                rows = []
                for row in x:
                    rows.append(apply_dropout(row, torch.rand(row.shape) >= p, p))
                return torch.stack(rows)
            """,
        ),
    ),
)

BATCHED_SCORES = Mutants(
    wrong=(
        Wrong(
            "all-axes-reversed",
            "def batched_scores(queries, keys):\n    return queries @ keys.T",
            NAMED + RAISED,
        ),
        Wrong(
            "mT-of-the-queries",
            "def batched_scores(queries, keys):\n    return queries.mT @ keys",
            NAMED + SHAPE,
        ),
        Wrong(
            "swapped", "def batched_scores(queries, keys):\n    return keys @ queries.transpose(1, 2)", NAMED
        ),
        Wrong(
            "swapped-parameters",
            "def batched_scores(keys, queries):\n    return queries @ keys.transpose(1, 2)",
            NAMED,
        ),
        Wrong(
            "not-transposed",
            "def batched_scores(queries, keys):\n    return queries @ keys",
            RAISED,
            says=r"without any transpose|is a transpose missing",
        ),
        Wrong(
            "axes-0-and-1",
            "def batched_scores(queries, keys):\n    return queries @ keys.transpose(0, 1)",
            RAISED + NAMED,
        ),
        Wrong(
            "axes-0-and-2",
            "def batched_scores(queries, keys):\n    return queries @ keys.transpose(0, 2)",
            RAISED + NAMED,
        ),
        Wrong(
            "viewed-not-transposed",
            """
            def batched_scores(queries, keys):
                b, n, d = keys.shape
                return queries @ keys.view(b, d, n)
            """,
            NAMED,
        ),
        Wrong(
            "scaled",
            "def batched_scores(queries, keys):\n    return queries @ keys.mT / keys.shape[-1] ** 0.5",
            NAMED,
        ),
        Wrong(
            "softmaxed",
            "def batched_scores(queries, keys):\n    return torch.softmax(queries @ keys.mT, dim=-1)",
            VALUES + NAMED,
        ),
        Wrong(
            "masked",
            """
            def batched_scores(queries, keys):
                scores = queries @ keys.transpose(1, 2)
                n = scores.shape[-1]
                return scores.masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)
            """,
            NOT_FINITE + VALUES + NAMED,
            never=r"dividing by zero",
        ),
        Wrong(
            "elementwise",
            "def batched_scores(queries, keys):\n    return (queries * keys).sum(-1)",
            SHAPE + NAMED,
        ),
        Wrong(
            "first-sentence",
            "def batched_scores(queries, keys):\n    return queries[0] @ keys[0].T",
            SHAPE + NAMED,
        ),
        Wrong(
            "first-keys-for-all",
            "def batched_scores(queries, keys):\n    return torch.stack([q @ keys[0].T for q in queries])",
            NAMED + VALUES,
        ),
        Wrong(
            "tensordot",
            "def batched_scores(queries, keys):\n    return torch.tensordot(queries, keys, dims=([2], [2]))",
            SHAPE + NAMED,
        ),
        Wrong(
            "einsum-swapped",
            'def batched_scores(queries, keys):\n    return torch.einsum("bqd,bkd->bkq", queries, keys)',
            NAMED,
        ),
        Wrong(
            "einsum-mixes-sentences",
            'def batched_scores(queries, keys):\n    return torch.einsum("bqd,ckd->bqk", queries, keys)',
            VALUES + NAMED,
        ),
        Wrong(
            "einsum-sums-the-batch",
            'def batched_scores(queries, keys):\n    return torch.einsum("bqd,bkd->qk", queries, keys)',
            SHAPE + NAMED,
        ),
        Wrong(
            "a-list",
            "def batched_scores(queries, keys):\n    return [q @ k.T for q, k in zip(queries, keys)]",
            TYPE,
        ),
        Wrong(
            "six-tokens-two-sentences",
            """
            def batched_scores(queries, keys):
                scores = torch.zeros(2, 6, 6)
                for b in range(2):
                    scores[b] = queries[b] @ keys[b].T
                return scores
            """,
            RAISED + SHAPE,
            keeps=1,
        ),
        Wrong(
            "last-sentence-skipped",
            """
            def batched_scores(queries, keys):
                b, n, _ = queries.shape
                scores = torch.zeros(b, n, n)
                for i in range(b - 1):
                    scores[i] = queries[i] @ keys[i].T
                return scores
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "flattened",
            """
            def batched_scores(queries, keys):
                q = queries.reshape(-1, queries.shape[-1])
                k = keys.reshape(-1, keys.shape[-1])
                return q @ k.T
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "keys-with-keys",
            "def batched_scores(queries, keys):\n    return keys @ keys.transpose(1, 2)",
            VALUES + NAMED,
        ),
        Wrong(
            "queries-with-queries",
            "def batched_scores(queries, keys):\n    return queries @ queries.transpose(-2, -1)",
            NAMED,
        ),
        Wrong(
            "from-the-notebook",
            "def batched_scores(queries, keys):\n    return W_query(batch) @ W_key(batch).transpose(1, 2)",
            SHAPE + VALUES,
        ),
        Wrong(
            "layers-once-more",
            """
            def batched_scores(queries, keys):
                queries = W_query(queries)
                keys = W_key(keys)
                return queries @ keys.transpose(1, 2)
            """,
            RAISED + VALUES,
        ),
        Wrong(
            "transpose-not-called",
            "def batched_scores(queries, keys):\n    return queries @ keys.transpose",
            RAISED,
        ),
        Wrong(
            "return-forgotten",
            "def batched_scores(queries, keys):\n    attn_scores = queries @ keys.mT",
            TYPE,
        ),
        Wrong("untouched", "def batched_scores(queries, keys):\n    ...  # your code here", STUB),
        Wrong("name", "def batch_scores(queries, keys):\n    return queries @ keys.mT", MISSING),
        Wrong(
            "bmm-without-transpose",
            "def batched_scores(queries, keys):\n    return torch.bmm(queries, keys)",
            RAISED,
            says=r"without any transpose|is a transpose missing",
        ),
        Wrong(
            "transposes-in-place",
            """
            def batched_scores(queries, keys):
                keys.transpose_(1, 2)
                return queries @ keys
            """,
            RULE + NAMED + RAISED,
        ),
        Wrong(
            "scaled-by-tokens",
            "def batched_scores(queries, keys):\n    return queries @ keys.mT / keys.shape[1]",
            VALUES + NAMED,
        ),
        Wrong(
            "squeezed",
            "def batched_scores(queries, keys):\n    return (queries @ keys.transpose(1, 2)).squeeze()",
            SHAPE,
            keeps=1,
        ),
        Wrong(
            "by-cosine",
            """
            def batched_scores(queries, keys):
                return F.cosine_similarity(queries[:, :, None], keys[:, None], dim=-1)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "result-turned",
            "def batched_scores(queries, keys):\n"
            "    return (queries @ keys.transpose(-2, -1)).transpose(-2, -1)",
            NAMED,
        ),
    ),
    right=(
        Right(
            "from-the-end", "def batched_scores(queries, keys):\n    return queries @ keys.transpose(-2, -1)"
        ),
        Right("mT", "def batched_scores(queries, keys):\n    return queries @ keys.mT"),
        Right(
            "bmm", "def batched_scores(queries, keys):\n    return torch.bmm(queries, keys.permute(0, 2, 1))"
        ),
        Right(
            "einsum",
            'def batched_scores(queries, keys):\n    return torch.einsum("bqd,bkd->bqk", queries, keys)',
        ),
        Right(
            "einsum-with-dots",
            "def batched_scores(queries, keys):\n"
            '    return torch.einsum("...id,...jd->...ij", queries, keys)',
        ),
        Right(
            "stacked",
            "def batched_scores(queries, keys):\n"
            "    return torch.stack([q @ k.T for q, k in zip(queries, keys)])",
        ),
        Right(
            "three-loops",
            """
            def batched_scores(queries, keys):
                b, n, d = queries.shape
                scores = torch.empty(b, n, n)
                for s in range(b):
                    for i in range(n):
                        for j in range(n):
                            scores[s, i, j] = torch.dot(queries[s, i], keys[s, j])
                return scores
            """,
        ),
        Right(
            "broadcasting",
            "def batched_scores(queries, keys):\n"
            "    return (queries[:, :, None, :] * keys[:, None, :, :]).sum(dim=-1)",
        ),
        Right(
            "swapped-and-turned",
            "def batched_scores(queries, keys):\n    return (keys @ queries.transpose(1, 2)).transpose(1, 2)",
        ),
        Right(
            "matmul-swapaxes",
            "batched_scores = lambda queries, keys: torch.matmul(queries, keys.swapaxes(1, 2))",
        ),
        Right(
            "double",
            "def batched_scores(q, k):\n    return (q.double() @ k.double().adjoint()).to(torch.float32)",
        ),
        Right(
            "baddbmm",
            """
            def batched_scores(queries, keys):
                b, n, _ = queries.shape
                zeros = torch.zeros(b, n, keys.shape[1])
                return torch.baddbmm(zeros, queries, keys.transpose(1, 2))
            """,
        ),
        Right(
            "vmap",
            """
            def one(q, k):
                return q @ k.T

            batched_scores = torch.vmap(one)
            """,
        ),
        Right(
            "diagonal-of-the-tensordot",
            """
            def batched_scores(queries, keys):
                everything = torch.tensordot(queries, keys, dims=([2], [2]))  # (b, q, b, k)
                return everything.diagonal(dim1=0, dim2=2).permute(2, 0, 1)
            """,
        ),
        Right(
            "linear-by-sentence",
            """
            def batched_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
                out = []
                for i in range(queries.size(0)):
                    out.append(F.linear(queries[i], keys[i]).unsqueeze(0))
                return torch.cat(out, dim=0)
            """,
        ),
    ),
)

# The class as the book behind many notebooks writes it; learners' variants below start from it.
CAUSAL = """
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)

        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)

        context_vec = attn_weights @ values
        return context_vec
"""
BUFFER = 'self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))'
SCORES = "attn_scores = queries @ keys.transpose(1, 2)"
FILL = "attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)"
SOFTMAX = "attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)"
DROP = "attn_weights = self.dropout(attn_weights)"
CONTEXT = "context_vec = attn_weights @ values"


def causal(*changes: tuple[str, str]) -> str:
    """The class above with some of its lines replaced."""
    return edited(CAUSAL, *changes)


CAUSAL_ATTENTION = Mutants(
    wrong=(
        Wrong("softmax-over-the-queries", causal((SOFTMAX, SOFTMAX.replace("-1)", "1)"))), NAMED),
        Wrong(
            "softmax-over-the-queries-from-the-end",
            causal((SOFTMAX, SOFTMAX.replace("dim=-1", "dim=-2"))),
            NAMED,
        ),
        Wrong(
            "softmax-over-the-batch",
            causal((SOFTMAX, SOFTMAX.replace("dim=-1", "dim=0"))),
            NAMED + NOT_FINITE + VALUES,
        ),
        Wrong("not-scaled", causal((" / keys.shape[-1] ** 0.5", "")), NAMED),
        Wrong("scaled-by-d", causal((" / keys.shape[-1] ** 0.5", " / keys.shape[-1]")), NAMED),
        Wrong("scaled-by-d-in", causal((" / keys.shape[-1] ** 0.5", " / d_in**0.5")), NAMED),
        Wrong(
            "scaled-by-tokens",
            causal((" / keys.shape[-1] ** 0.5", " / keys.shape[1] ** 0.5")),
            NAMED + VALUES,
        ),
        Wrong(
            "multiplied-by-the-root", causal(("/ keys.shape[-1] ** 0.5", "* keys.shape[-1] ** 0.5")), NAMED
        ),
        Wrong(
            "scaled-after-softmax",
            causal((SOFTMAX, "attn_weights = torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5")),
            NAMED,
        ),
        Wrong(
            "scaled-twice",
            causal((SCORES, "attn_scores = queries @ keys.transpose(1, 2) / self.d_out ** 0.5")),
            NAMED + VALUES,
        ),
        Wrong(
            "queries-and-keys-swapped",
            causal((SCORES, "attn_scores = keys @ queries.transpose(1, 2)")),
            NAMED,
        ),
        Wrong(
            "key-layer-for-the-values", causal(("values = self.W_value(x)", "values = self.W_key(x)")), NAMED
        ),
        Wrong("weights-times-the-keys", causal((CONTEXT, "context_vec = attn_weights @ keys")), NAMED),
        Wrong("weights-times-the-input", causal((CONTEXT, "context_vec = attn_weights @ x")), NAMED + SHAPE),
        Wrong("no-mask", causal(("        " + FILL + "\n", "")), NAMED),
        Wrong("past-hidden", causal(("torch.triu(", "torch.tril("), ("diagonal=1", "diagonal=-1")), NAMED),
        Wrong(
            "own-place-hidden",
            causal((", diagonal=1", "")),
            NOT_FINITE + NAMED,
        ),
        Wrong("one-place-ahead-seen", causal(("diagonal=1", "diagonal=2")), NAMED + VALUES),
        Wrong(
            "tril-used-as-true-where-hidden",
            causal(("torch.triu(", "torch.tril("), (", diagonal=1", "")),
            NOT_FINITE + NAMED,
        ),
        Wrong(
            "masked-fill-discarded",
            causal((FILL, FILL.replace("masked_fill_", "masked_fill"))),
            NAMED,
        ),
        Wrong("masked-with-zero", causal((FILL, FILL.replace("-torch.inf", "0"))), NAMED),
        Wrong(
            "masked-with-plus-infinity",
            causal((FILL, FILL.replace("-torch.inf", "torch.inf"))),
            NOT_FINITE + NAMED,
        ),
        Wrong(
            "ones-and-zeros-added",
            causal((FILL, "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]")),
            NAMED + VALUES,
        ),
        Wrong(
            "zero-times-infinity",
            causal((FILL, "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens] * -torch.inf")),
            NOT_FINITE + NAMED,
            never=r"exponentials so large",
        ),
        Wrong(
            "weights-zeroed-afterwards",
            causal(
                ("        " + FILL + "\n", ""),
                (
                    DROP,
                    "attn_weights = self.dropout(attn_weights * (1 - self.mask[:num_tokens, :num_tokens]))",
                ),
            ),
            NAMED,
        ),
        Wrong(
            "masked-after-softmax-with-infinity",
            causal(
                ("        " + FILL + "\n", ""),
                (DROP, FILL.replace("attn_scores", "attn_weights") + "\n        " + DROP),
            ),
            NOT_FINITE + NAMED,
        ),
        Wrong(
            "mask-not-cut",
            causal(("[:num_tokens, :num_tokens]", "")),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "mask-cut-in-one-axis", causal(("[:num_tokens, :num_tokens]", "[:num_tokens]")), RAISED, keeps=1
        ),
        Wrong(
            "mask-cut-at-the-wrong-end",
            causal(("[:num_tokens, :num_tokens]", "[-num_tokens:, :num_tokens]")),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "tokens-counted-on-the-wrong-axis",
            causal(("b, num_tokens, d_in = x.shape", "num_tokens = x.shape[0]")),
            RAISED,
        ),
        Wrong(
            "mask-a-plain-attribute",
            causal(
                (BUFFER, "self.mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)")
            ),
            BEHAVIOUR + NAMED + RAISED + PARAMETERS,
            keeps=4,
        ),
        Wrong(
            "mask-a-parameter",
            causal(
                (
                    BUFFER,
                    "self.mask = nn.Parameter(torch.triu(torch.ones(context_length, "
                    "context_length), diagonal=1))",
                )
            ),
            PARAMETERS + BEHAVIOUR + NAMED,
            never=r"does not name",
        ),
        Wrong(
            "mask-made-in-forward-on-the-cpu",
            causal(
                ("        " + BUFFER + "\n", ""),
                (
                    FILL,
                    "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()\n        "
                    "attn_scores = attn_scores.masked_fill(mask, -torch.inf)",
                ),
            ),
            BEHAVIOUR + NAMED + RAISED,
            keeps=4,
        ),
        Wrong(
            "mask-made-in-forward-on-the-right-device",
            causal(
                ("        " + BUFFER + "\n", ""),
                (
                    FILL,
                    "mask = torch.ones(num_tokens, num_tokens, device=x.device).triu(1).bool()\n        "
                    "attn_scores = attn_scores.masked_fill(mask, -torch.inf)",
                ),
            ),
            BEHAVIOUR + NAMED + RAISED,
            keeps=4,
        ),
        Wrong(
            "buffer-called-otherwise",
            causal(('"mask"', '"causal_mask"'), ("self.mask", "self.causal_mask")),
            BEHAVIOUR + NAMED + RAISED + PARAMETERS,
            keeps=4,
        ),
        Wrong(
            "buffer-not-saved",
            causal(("diagonal=1))", "diagonal=1), persistent=False)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-on-the-scores",
            causal(
                (SCORES, "attn_scores = self.dropout(queries @ keys.transpose(1, 2))"),
                ("        " + DROP + "\n", ""),
            ),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-on-the-masked-scores",
            causal(
                (FILL, FILL + "\n        attn_scores = self.dropout(attn_scores)"),
                ("        " + DROP + "\n", ""),
            ),
            BEHAVIOUR + NAMED + NOT_FINITE,
            keeps=4,
            never=r"30 % of the entries",
        ),
        Wrong(
            "dropout-on-the-context",
            causal((DROP, ""), (CONTEXT, "context_vec = self.dropout(attn_weights @ values)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-in-two-places",
            causal((CONTEXT, "context_vec = self.dropout(attn_weights @ values)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-on-the-input",
            causal((DROP, ""), ("keys = self.W_key(x)", "x = self.dropout(x)\n        keys = self.W_key(x)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-on-the-values",
            causal((DROP, ""), (CONTEXT, "context_vec = attn_weights @ self.dropout(values)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong("dropout-twice", causal((DROP, DROP + "\n        " + DROP)), BEHAVIOUR + NAMED, keeps=4),
        Wrong("dropout-forgotten", causal(("        " + DROP + "\n", "")), BEHAVIOUR + NAMED, keeps=4),
        Wrong("dropout-discarded", causal((DROP, "self.dropout(attn_weights)")), BEHAVIOUR + NAMED, keeps=4),
        Wrong(
            "dropout-never-stops",
            causal(
                (DROP, "attn_weights = F.dropout(attn_weights, self.p)"),
                ("nn.Dropout(dropout)", "None"),
                ("self.d_out = d_out", "self.p = dropout"),
            ),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-by-hand-never-stops",
            causal(
                (DROP, "attn_weights = dropout(attn_weights, self.p)"),
                ("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
            ),
            BEHAVIOUR + NAMED,
            keeps=3,
        ),
        Wrong(
            "dropout-made-in-forward",
            causal(
                (DROP, "attn_weights = nn.Dropout(self.p)(attn_weights)"),
                ("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
            ),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-always-half",
            causal(("nn.Dropout(dropout)", "nn.Dropout(0.5)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-of-the-rest",
            causal(("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong("dropout-default", causal(("nn.Dropout(dropout)", "nn.Dropout()")), BEHAVIOUR + NAMED, keeps=4),
        Wrong(
            "kept-weights-renormalised",
            causal(
                (
                    DROP,
                    DROP + "\n        attn_weights = attn_weights / attn_weights.sum(dim=-1, keepdim=True)",
                )
            ),
            BEHAVIOUR + NAMED + NOT_FINITE,
            keeps=4,
        ),
        Wrong(
            "whole-features-dropped",
            causal(("nn.Dropout(dropout)", "nn.Dropout1d(dropout)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "dropout-a-number",
            causal(("self.dropout = nn.Dropout(dropout)", "self.dropout = dropout")),
            RAISED,
        ),
        Wrong("bias-always", causal(("bias=qkv_bias", "bias=True")), PARAMETERS + NAMED),
        Wrong("bias-never", causal(("bias=qkv_bias", "bias=False")), PARAMETERS + NAMED + BEHAVIOUR, keeps=4),
        Wrong("bias-default", causal((", bias=qkv_bias", "")), PARAMETERS),
        Wrong(
            "sizes-swapped", causal(("nn.Linear(d_in, d_out,", "nn.Linear(d_out, d_in,")), PARAMETERS + RAISED
        ),
        Wrong(
            "sizes-of-the-example",
            causal(("nn.Linear(d_in, d_out,", "nn.Linear(3, 2,")),
            PARAMETERS + RAISED,
            keeps=1,
        ),
        Wrong(
            "layers-otherwise-named",
            causal(("W_query", "query"), ("W_key", "key"), ("W_value", "value")),
            PARAMETERS,
        ),
        Wrong(
            "parameters-not-layers",
            causal(
                *[
                    (
                        f"self.W_{n} = nn.Linear(d_in, d_out, bias=qkv_bias)",
                        f"self.W_{n} = nn.Parameter(torch.rand(d_in, d_out))",
                    )
                    for n in ("query", "key", "value")
                ],
                *[(f"self.W_{n}(x)", f"x @ self.W_{n}") for n in ("query", "key", "value")],
            ),
            PARAMETERS,
        ),
        Wrong(
            "layers-of-the-notebook",
            causal(
                ("self.W_query(x)", "W_query(x)"),
                ("self.W_key(x)", "W_key(x)"),
                ("self.W_value(x)", "W_value(x)"),
            ),
            VALUES + RULE + NAMED,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong("batch-of-the-notebook", causal(("self.W_query(x)", "self.W_query(batch)")), RAISED + VALUES),
        Wrong("turned-with-T", causal((SCORES, "attn_scores = queries @ keys.T")), RAISED + NAMED),
        Wrong(
            "first-sentence-alone",
            causal(("b, num_tokens, d_in = x.shape", "x = x[0:1]\n        num_tokens = x.shape[1]")),
            SHAPE + NAMED,
        ),
        Wrong(
            "without-a-batch",
            causal(
                ("b, num_tokens, d_in = x.shape", "num_tokens = x.shape[0]"),
                (SCORES, "attn_scores = queries @ keys.T"),
            ),
            RAISED,
        ),
        Wrong(
            "edits-x",
            causal(("keys = self.W_key(x)", "x -= x.mean()\n        keys = self.W_key(x)")),
            RULE + VALUES + NAMED,
        ),
        Wrong(
            "mends-x-in-place",
            causal(
                (
                    "keys = self.W_key(x)",
                    "x.nan_to_num_()\n        x.mul_(1.0)\n        x[:] = x.clone()\n"
                    "        keys = self.W_key(x)",
                ),
                (CONTEXT, "context_vec = attn_weights @ values\n        x.zero_()"),
            ),
            RULE + RAISED + NAMED,
        ),
        Wrong("weights-come-along", causal(("return context_vec", "return context_vec, attn_weights")), TYPE),
        Wrong("returns-the-weights", causal(("return context_vec", "return attn_weights")), SHAPE + NAMED),
        Wrong("return-forgotten", causal(("        return context_vec\n", "")), TYPE),
        Wrong("prints", causal(("return context_vec", "print(context_vec)")), TYPE),
        Wrong("super-forgotten", causal(("        super().__init__()\n", "")), RAISED),
        Wrong("init-misspelt", causal(("def __init__", "def _init_")), RAISED),
        Wrong(
            "forward-misspelt",
            causal(("def forward", "def foward")),
            RAISED,
            never=r"_forward_unimplemented|line 402",
        ),
        Wrong(
            "no-module",
            causal(("(nn.Module)", ""), ("        super().__init__()\n", "")),
            RAISED + TYPE + PARAMETERS,
        ),
        Wrong(
            "an-instance",
            causal() + "\nCausalAttention = CausalAttention(3, 2, 6, 0.0)\n",
            NO_FUNCTION + RAISED + TYPE,
        ),
        Wrong("other-class-name", causal(("class CausalAttention", "class Causal_Attention")), MISSING),
        Wrong("syntax", causal(("def forward(self, x):", "def forward(self, x)")), MISSING),
        Wrong(
            "untouched",
            """
            class CausalAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
                    super().__init__()
                    ...  # your code here

                def forward(self, x):
                    ...  # your code here
            """,
            STUB + PARAMETERS + TYPE,
        ),
        Wrong(
            "forward-untouched",
            causal().split("    def forward")[0]
            + "    def forward(self, x):\n        ...  # your code here\n",
            STUB + TYPE,
        ),
        Wrong(
            "fused-without-causal",
            causal((SCORES, "return F.scaled_dot_product_attention(queries, keys, values)")),
            VALUES + NAMED,
        ),
        Wrong(
            "fused-dropout-never-stops",
            causal(
                ("self.d_out = d_out", "self.p = dropout"),
                (
                    SCORES,
                    "return F.scaled_dot_product_attention(queries, keys, values, "
                    "dropout_p=self.p, is_causal=True)",
                ),
            ),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "fused-with-polarity-turned",
            causal(
                (
                    SCORES,
                    "mask = self.mask[:num_tokens, :num_tokens].bool()\n"
                    "        p = self.dropout.p if self.training else 0.0\n"
                    "        return F.scaled_dot_product_attention(queries, keys, values, "
                    "attn_mask=mask, dropout_p=p)",
                ),
            ),
            NOT_FINITE + NAMED + VALUES,
        ),
        Wrong(
            "fixed-at-six-tokens",
            causal(("torch.ones(context_length, context_length)", "torch.ones(6, 6)")),
            BEHAVIOUR + RAISED + NAMED + SHAPE + VALUES,
            keeps=4,
            never=r"training mode: The size",
        ),
        Wrong(
            "nan-hidden",
            causal((", diagonal=1", ""), (CONTEXT, "context_vec = torch.nan_to_num(attn_weights) @ values")),
            VALUES + NAMED,
        ),
        Wrong(
            "row-sums-instead-of-softmax",
            causal(
                (FILL, "attn_scores = attn_scores * (1 - self.mask[:num_tokens, :num_tokens])"),
                (SOFTMAX, "attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)"),
            ),
            VALUES + NAMED,
        ),
        Wrong(
            "output-layer-added",
            causal(
                ("self.d_out = d_out", "self.out_proj = nn.Linear(d_out, d_out)"),
                (CONTEXT, "context_vec = self.out_proj(attn_weights @ values)"),
            ),
            PARAMETERS,
        ),
        Wrong(
            "mask-of-1024-always",
            causal(("torch.ones(context_length, context_length)", "torch.ones(1024, 1024)")),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "mask-one-too-large",
            causal(
                (
                    "torch.ones(context_length, context_length)",
                    "torch.ones(context_length + 1, context_length + 1)",
                )
            ),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "mask-of-the-notebook",
            causal((FILL, "attn_scores.masked_fill_(future, -torch.inf)")),
            RAISED + VALUES,
            keeps=2,
            says=NOT_ITS_ARGUMENT,
        ),
        Wrong(
            "buffer-filled-with-the-notebook",
            causal((BUFFER, 'self.register_buffer("mask", future)')),
            BEHAVIOUR + RAISED + NAMED + VALUES,
            keeps=4,
            never=r"training mode: The size",
        ),
        Wrong(
            "no-gradients",
            causal((DROP, DROP + "\n        attn_weights = attn_weights.detach()")),
            RULE + NAMED,
        ),
        Wrong("result-detached", causal(("return context_vec", "return context_vec.detach()")), RULE + NAMED),
        Wrong(
            "layers-made-in-forward",
            causal(
                (
                    "keys = self.W_key(x)",
                    "self.W_key = nn.Linear(d_in, self.d_out, bias=False)\n        keys = self.W_key(x)",
                )
            ),
            VALUES + PARAMETERS + BEHAVIOUR + NAMED + RULE,
        ),
        Wrong(
            "one-layer-shared",
            causal(("self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)", "self.W_key = self.W_query")),
            PARAMETERS + VALUES + NAMED,
        ),
        Wrong(
            "eval-sets-p-to-zero",
            causal(
                (
                    "    def forward",
                    "    def eval(self):\n        self.dropout.p = 0.0\n"
                    "        return super().eval()\n\n    def forward",
                )
            ),
            BEHAVIOUR + NAMED,
            keeps=4,
        ),
        Wrong(
            "sentences-laid-end-to-end",
            causal(
                (SCORES, "attn_scores = (queries.reshape(-1, self.d_out) @ keys.reshape(-1, self.d_out).T)"),
                ("[:num_tokens, :num_tokens]", ""),
            ),
            RAISED + SHAPE,
        ),
        Wrong(
            "keys-viewed",
            causal((SCORES, "attn_scores = queries @ keys.view(b, -1, num_tokens)")),
            NAMED + VALUES,
        ),
        Wrong(
            "sentences-averaged",
            causal((CONTEXT, "context_vec = attn_weights.mean(0, keepdim=True) @ values")),
            BEHAVIOUR + NAMED + VALUES,
        ),
    ),
    right=(
        Right("book", causal()),
        Right(
            "tril-equals-zero",
            causal(
                (
                    BUFFER,
                    'self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))',
                ),
                (
                    FILL,
                    "attn_scores = attn_scores.masked_fill(self.mask[:num_tokens, "
                    ':num_tokens] == 0, float("-inf"))',
                ),
            ),
        ),
        Right(
            "additive-mask",
            causal(
                (
                    BUFFER,
                    'self.register_buffer("mask", torch.full((context_length, '
                    "context_length), -torch.inf).triu(1))",
                ),
                (FILL, "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]"),
            ),
        ),
        Right(
            "with-where",
            causal(
                (
                    FILL,
                    "m = self.mask[:num_tokens, :num_tokens] > 0\n        "
                    "attn_scores = torch.where(m, torch.tensor(-torch.inf, device=x.device), attn_scores)",
                )
            ),
        ),
        Right("minus-1e9", causal((FILL, FILL.replace("-torch.inf", "-1e9")))),
        Right("finfo-min", causal((FILL, FILL.replace("-torch.inf", "torch.finfo(attn_scores.dtype).min")))),
        Right(
            "fused",
            """
            class CausalAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
                    super().__init__()
                    self.p = dropout
                    layers = [nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3)]
                    self.W_query, self.W_key, self.W_value = layers
                    self.register_buffer("mask", torch.ones(context_length, context_length).tril().bool())

                def forward(self, x):
                    n = x.size(1)
                    return F.scaled_dot_product_attention(
                        self.W_query(x),
                        self.W_key(x),
                        self.W_value(x),
                        attn_mask=self.mask[:n, :n],
                        dropout_p=self.p if self.training else 0.0,
                    )
            """,
        ),
        Right(
            "fused-is-causal",
            causal(
                (
                    SCORES,
                    "p = self.dropout.p if self.training else 0.0\n"
                    "        return F.scaled_dot_product_attention(queries, keys, values, "
                    "dropout_p=p, is_causal=True)",
                ),
            ),
        ),
        Right(
            "einsum-and-layer-order",
            """
            class CausalAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
                    super().__init__()
                    allowed = torch.ones(context_length, context_length, dtype=torch.bool).tril()
                    self.register_buffer("mask", ~allowed)
                    self.drop = nn.Dropout(p=dropout)
                    self.W_value = nn.Linear(d_in, d_out, qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, qkv_bias)
                    self.W_query = nn.Linear(d_in, d_out, qkv_bias)
                    self.scale = d_out ** -0.5

                def forward(self, x):
                    T = x.shape[-2]
                    q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                    s = torch.einsum("bid,bjd->bij", q, k) * self.scale
                    s = s.masked_fill(self.mask[:T, :T].unsqueeze(0), float("-inf"))
                    return torch.einsum("bij,bjd->bid", self.drop(F.softmax(s, dim=2)), v)
            """,
        ),
        Right(
            "bmm-and-helpers",
            """
            import math

            class CausalAttention(nn.Module):
                def __init__(self, d_in: int, d_out: int, context_length: int, dropout=0.0, qkv_bias=False):
                    super(CausalAttention, self).__init__()
                    for name in ("W_query", "W_key", "W_value"):
                        setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))
                    self.attn_drop = nn.Dropout(dropout)
                    self.d_out = d_out
                    self.register_buffer("mask", hidden(context_length))

                @property
                def scale(self):
                    return 1 / math.sqrt(self.d_out)

                def weights(self, q, k):
                    n = q.size(1)
                    s = torch.bmm(q, k.permute(0, 2, 1)).mul_(self.scale)
                    return torch.softmax(s.masked_fill(self.mask[:n, :n], -math.inf), -1)

                def forward(self, x):
                    w = self.weights(self.W_query(x), self.W_key(x))
                    return torch.bmm(self.attn_drop(w), self.W_value(x))


            def hidden(n):
                return torch.arange(n)[None, :] > torch.arange(n)[:, None]
            """,
        ),
        Right(
            "sentence-by-sentence",
            """
            class CausalAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
                    super().__init__()
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())

                def one(self, sentence):
                    n = len(sentence)
                    q, k, v = self.W_query(sentence), self.W_key(sentence), self.W_value(sentence)
                    scores = (q @ k.T).masked_fill(self.mask[:n, :n], -torch.inf)
                    return self.dropout(torch.softmax(scores / k.shape[1] ** 0.5, dim=1)) @ v

                def forward(self, x):
                    return torch.stack([self.one(sentence) for sentence in x])
            """,
        ),
        Right(
            "token-by-token",
            causal(
                (
                    SCORES,
                    "out = []\n        for i in range(num_tokens):\n"
                    "            s = (keys[:, : i + 1] @ queries[:, i, :, None]).squeeze(-1)\n"
                    "            w = self.dropout(torch.softmax(s / self.d_out**0.5, dim=-1))\n"
                    "            out.append((w[:, :, None] * values[:, : i + 1]).sum(dim=1))\n"
                    "        return torch.stack(out, dim=1)",
                ),
            ),
        ),
        Right(
            "float64-inside",
            causal(
                (
                    "attn_weights = self.dropout",
                    "attn_weights = attn_weights.to(values.dtype)\n        attn_weights = self.dropout",
                ),
                (
                    SOFTMAX,
                    "attn_weights = torch.softmax(attn_scores.double() / keys.shape[-1] ** 0.5, dim=-1)",
                ),
            ),
        ),
        Right(
            "own-exponentials",
            causal(
                (
                    SOFTMAX,
                    "attn_scores = attn_scores / self.d_out**0.5\n"
                    "        e = torch.exp(attn_scores - attn_scores.max(dim=-1, keepdim=True).values)\n"
                    "        attn_weights = e / e.sum(dim=-1, keepdim=True)",
                )
            ),
        ),
        Right(
            "own-dropout-function",
            causal(
                ("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
                (DROP, "attn_weights = dropout(attn_weights, self.p, self.training)"),
            ),
        ),
        Right(
            "functional-dropout",
            causal(
                ("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
                (DROP, "attn_weights = F.dropout(attn_weights, p=self.p, training=self.training)"),
            ),
        ),
        Right(
            "own-batched-scores",
            causal(
                (SCORES, "attn_scores = batched_scores(queries, keys)"),
                ("keys.shape[-1] ** 0.5", "torch.sqrt(torch.tensor(self.d_out))"),
            ),
        ),
        Right(
            "scaled-queries",
            causal(
                (SCORES, "attn_scores = (queries / self.d_out**0.5) @ keys.mT"),
                (" / keys.shape[-1] ** 0.5", ""),
            ),
        ),
        Right(
            "scaled-before-the-mask",
            causal(
                (
                    SCORES,
                    "attn_scores = queries @ keys.transpose(-1, -2)\n        attn_scores /= self.d_out**0.5",
                ),
                (" / keys.shape[-1] ** 0.5", ""),
            ),
        ),
        Right(
            "mask-with-a-batch-axis",
            causal(
                (
                    BUFFER,
                    'self.register_buffer("mask", torch.ones(1, context_length, context_length).triu(1))',
                ),
                (
                    "self.mask.bool()[:num_tokens, :num_tokens]",
                    "self.mask.bool()[:, :num_tokens, :num_tokens]",
                ),
            ),
        ),
        Right(
            "length-checked",
            causal(
                (
                    "keys = self.W_key(x)",
                    "assert num_tokens <= self.mask.shape[0], 'sentence too long'\n"
                    "        keys = self.W_key(x)",
                )
            ),
        ),
        Right(
            "weights-kept-for-later",
            causal((DROP, "self.last_weights = attn_weights.detach()\n        " + DROP)),
        ),
        Right(
            "mask-as-a-byte-tensor",
            causal(("context_length), diagonal=1))", "context_length, dtype=torch.uint8), diagonal=1))")),
        ),
        Right(
            "inherits",
            """
            class Projections(nn.Module):
                def __init__(self, d_in, d_out, bias):
                    super().__init__()
                    self.W_query = nn.Linear(d_in, d_out, bias=bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=bias)

                def qkv(self, x):
                    return self.W_query(x), self.W_key(x), self.W_value(x)


            class CausalAttention(Projections):
                def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
                    super().__init__(d_in, d_out, qkv_bias)
                    self.drop = nn.Sequential(nn.Softmax(dim=-1), nn.Dropout(dropout))
                    self.mask: torch.Tensor
                    ones = torch.ones(context_length, context_length).bool()
                    self.register_buffer("mask", torch.triu(ones, 1))

                def forward(self, x):
                    q, k, v = self.qkv(x)
                    n = k.shape[1]
                    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
                    scores[:, self.mask[:n, :n]] = float("-inf")
                    return self.drop(scores) @ v
            """,
        ),
        Right(
            "multihead-with-the-weights",
            """
            class CausalAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
                    super().__init__()
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())

                def forward(self, x):
                    qkv = torch.cat([self.W_query(x), self.W_key(x), self.W_value(x)], dim=-1)
                    q, k, v = qkv.unflatten(-1, (3, -1)).unbind(dim=-2)
                    q, k, v = (t[:, None] for t in (q, k, v))  # one head
                    n = x.shape[1]
                    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
                    scores = scores.masked_fill(self.mask[None, None, :n, :n], -torch.inf)
                    return (self.dropout(scores.softmax(-1)) @ v).flatten(1, 2)
            """,
        ),
    ),
)

SEEDED = '''
def seeded_values(seed, batch_size, num_tokens, d_in, d_out):
    """The values of a random batch; the same seed gives the same numbers.

    Shapes:
        returns: (batch_size, num_tokens, d_out)
    """
    random_batch = torch.randn(batch_size, num_tokens, d_in)  # (b, tokens, d_in)
    torch.manual_seed(seed)
    W_value = nn.Linear(d_in, d_out, bias=False)
    return W_value(random_batch)  # (b, tokens, d_in) -> (b, tokens, d_out)
'''
DRAW = "    random_batch = torch.randn(batch_size, num_tokens, d_in)  # (b, tokens, d_in)\n"
SEED = "    torch.manual_seed(seed)\n"
LAYER = "    W_value = nn.Linear(d_in, d_out, bias=False)\n"


def seeded(*changes: tuple[str, str]) -> str:
    """The function as found with some of its lines replaced."""
    return edited(SEEDED, *changes)


BUG_SEED_ORDER = Mutants(
    wrong=(
        Wrong("as-found", SEEDED, NAMED),
        Wrong(
            "seed-last",
            seeded((SEED, ""), (LAYER, LAYER + SEED)),
            NAMED + BEHAVIOUR + RULE + VALUES,
            never=r"No seed is set any more",
        ),
        Wrong("no-seed", seeded((SEED, "")), NAMED + BEHAVIOUR + RULE + VALUES),
        Wrong(
            "seed-always-123", seeded((DRAW + SEED, "    torch.manual_seed(123)\n" + DRAW)), NAMED + VALUES
        ),
        Wrong(
            "seed-without-its-argument",
            seeded((DRAW + SEED, "    torch.seed()\n" + DRAW)),
            VALUES + NAMED + RULE + BEHAVIOUR,
        ),
        Wrong("seeded-twice", seeded((DRAW + SEED, SEED + DRAW + SEED)), NAMED + VALUES),
        Wrong("layer-before-batch", seeded((DRAW + SEED + LAYER, SEED + LAYER + DRAW)), NAMED + VALUES),
        Wrong("uniform-batch", seeded((DRAW + SEED, SEED + DRAW.replace("randn", "rand"))), VALUES + NAMED),
        Wrong(
            "ones-instead-of-a-draw",
            seeded((DRAW + SEED, SEED + DRAW.replace("randn", "ones"))),
            VALUES + NAMED,
        ),
        Wrong("with-a-bias", seeded((DRAW + SEED, SEED + DRAW), (", bias=False", "")), VALUES + NAMED),
        Wrong(
            "sizes-swapped",
            seeded(
                (DRAW + SEED, SEED + DRAW),
                ("(batch_size, num_tokens, d_in)", "(num_tokens, batch_size, d_in)"),
            ),
            SHAPE + NAMED,
        ),
        Wrong(
            "one-sentence",
            seeded((DRAW + SEED, SEED + DRAW), ("randn(batch_size, num_tokens", "randn(1, num_tokens")),
            SHAPE,
        ),
        Wrong(
            "sizes-of-the-example",
            seeded(
                (DRAW + SEED, SEED + "    random_batch = torch.randn(4, 10, 16)\n"),
                ("(d_in, d_out,", "(16, 3,"),
            ),
            SHAPE + NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "python-seed",
            "import random\n" + seeded((DRAW + SEED, "    random.seed(seed)\n" + DRAW)),
            NAMED + VALUES + RULE + BEHAVIOUR,
            never=r"No seed is set any more",
        ),
        Wrong(
            "numpy-seed",
            "import numpy as np\n" + seeded((DRAW + SEED, "    np.random.seed(seed)\n" + DRAW)),
            NAMED + VALUES + RULE + BEHAVIOUR,
        ),
        Wrong(
            "seed-outside", "torch.manual_seed(123)\n" + seeded((SEED, "")), NAMED + VALUES + RULE + BEHAVIOUR
        ),
        Wrong(
            "seed-and-batch-outside",
            "torch.manual_seed(123)\nrandom_batch = torch.randn(4, 10, 16)\n" + seeded((DRAW, "")),
            SHAPE + RAISED + VALUES,
        ),
        Wrong(
            "cached",
            "from functools import cache\n\n@cache" + seeded(),
            VALUES + NAMED + RULE + BEHAVIOUR,
        ),
        Wrong(
            "assigned-to-the-function",
            seeded(
                (
                    DRAW + SEED,
                    "    torch.manual_seed = seed\n".replace("torch.manual_seed", "manual_seed") + DRAW,
                )
            ),
            VALUES + NAMED + RULE + BEHAVIOUR,
        ),
        Wrong(
            "returns-the-batch",
            seeded((DRAW + SEED, SEED + DRAW), ("return W_value(random_batch)", "return random_batch")),
            SHAPE + NAMED,
        ),
        Wrong(
            "returns-the-layer",
            seeded((DRAW + SEED, SEED + DRAW), ("return W_value(random_batch)", "return W_value")),
            TYPE,
        ),
        Wrong(
            "returns-both",
            seeded(
                (DRAW + SEED, SEED + DRAW),
                ("return W_value(random_batch)", "return random_batch, W_value(random_batch)"),
            ),
            TYPE,
        ),
        Wrong("return-forgotten", seeded((DRAW + SEED, SEED + DRAW), ("return W_value", "W_value")), TYPE),
        Wrong(
            "layer-of-the-notebook", seeded((DRAW + SEED, SEED + DRAW), (LAYER, "")), RAISED + SHAPE + VALUES
        ),
        Wrong(
            "own-generator-for-the-batch",
            seeded(
                (
                    DRAW + SEED,
                    "    g = torch.Generator().manual_seed(seed)\n"
                    + DRAW.replace("d_in)  #", "d_in, generator=g)  #"),
                )
            ),
            VALUES + NAMED + RULE + BEHAVIOUR,
        ),
        Wrong(
            "forked",
            seeded(
                (DRAW + SEED, "    with torch.random.fork_rng():\n        torch.manual_seed(seed)\n" + DRAW)
            ),
            VALUES + NAMED + RULE + BEHAVIOUR,
        ),
        Wrong("name", seeded((DRAW + SEED, SEED + DRAW), ("def seeded_values", "def seed_values")), MISSING),
        Wrong("syntax", seeded((DRAW + SEED, SEED + DRAW), ("d_out):", "d_out)")), MISSING),
        Wrong(
            "seed-default-argument-dropped",
            seeded((DRAW + SEED, SEED + DRAW), ("(seed, batch_size,", "(batch_size,")),
            RAISED,
        ),
    ),
    right=(
        Right("moved", seeded((DRAW + SEED, SEED + DRAW))),
        Right(
            "functional",
            seeded(
                (DRAW + SEED, SEED + DRAW),
                ("W_value(random_batch)", "F.linear(random_batch, W_value.weight)"),
            ),
        ),
        Right(
            "matmul",
            seeded((DRAW + SEED, SEED + DRAW), ("W_value(random_batch)", "random_batch @ W_value.weight.T")),
        ),
        Right("random-module", seeded((DRAW + SEED, "    torch.random.manual_seed(seed)\n" + DRAW))),
        Right(
            "detached",
            seeded((DRAW + SEED, SEED + DRAW), ("W_value(random_batch)", "W_value(random_batch).detach()")),
        ),
        Right("no-grad", "@torch.no_grad()" + seeded((DRAW + SEED, SEED + DRAW))),
        Right("seed-as-an-int", seeded((DRAW + SEED, "    torch.manual_seed(int(seed))\n" + DRAW))),
        Right(
            "forked-properly",
            """
            def seeded_values(seed, batch_size, num_tokens, d_in, d_out):
                with torch.random.fork_rng():
                    torch.manual_seed(seed)
                    x = torch.randn((batch_size, num_tokens, d_in))
                    layer = nn.Linear(d_in, d_out, bias=False)
                    return layer(x)
            """,
        ),
        Right(
            "helpers",
            """
            def draw(seed, *size):
                torch.manual_seed(seed)
                return torch.randn(*size)

            def seeded_values(seed, batch_size, num_tokens, d_in, d_out):
                x = draw(seed, batch_size, num_tokens, d_in)
                return nn.Linear(in_features=d_in, out_features=d_out, bias=False)(x)
            """,
        ),
        Right(
            "lambda",
            """
            seeded_values = lambda seed, b, n, d_in, d_out: (
                torch.manual_seed(seed),
                (lambda x: nn.Linear(d_in, d_out, bias=False)(x))(torch.randn(b, n, d_in)),
            )[1]
            """,
        ),
        Right(
            "einsum",
            seeded(
                (DRAW + SEED, SEED + DRAW),
                ("W_value(random_batch)", 'torch.einsum("btd,od->bto", random_batch, W_value.weight)'),
            ),
        ),
        Right(
            "seed-on-every-device",
            seeded((DRAW + SEED, "    torch.cuda.manual_seed_all(seed)\n" + SEED + DRAW)),
        ),
    ),
)

PORTABLE = """
class PortableAttention(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
        num_tokens = attn_scores.shape[-1]
        future = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        attn_scores = attn_scores.masked_fill(future, -torch.inf)
        return torch.softmax(attn_scores, dim=-1) @ values
"""
FUTURE = "torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()"
ON_X = "torch.ones(num_tokens, num_tokens, device=x.device).triu(diagonal=1).bool()"
LAST = "torch.softmax(attn_scores, dim=-1) @ values"
SCALED = "torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1) @ values"
INIT_END = "self.W_value = nn.Linear(d_in, d_out, bias=False)\n"
FILL_FUTURE = "attn_scores = attn_scores.masked_fill(future, -torch.inf)"


def portable(*changes: tuple[str, str]) -> str:
    """The class as found with some of its text replaced."""
    return edited(PORTABLE, *changes)


BUG_MASK_DEVICE = Mutants(
    wrong=(
        Wrong("as-found", PORTABLE, NAMED),
        Wrong("device-alone", portable((FUTURE, ON_X)), NAMED, keeps=2),
        Wrong("scale-alone", portable((LAST, SCALED)), NAMED + BEHAVIOUR, keeps=1),
        Wrong("scaled-by-d", portable((FUTURE, ON_X), (LAST, SCALED.replace("** 0.5", ""))), NAMED, keeps=2),
        Wrong(
            "scaled-by-d-in",
            portable((FUTURE, ON_X), (LAST, SCALED.replace("keys", "x"))),
            NAMED,
            keeps=2,
        ),
        Wrong(
            "scaled-by-tokens",
            portable((FUTURE, ON_X), (LAST, SCALED.replace("keys.shape[-1]", "num_tokens"))),
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "multiplied",
            portable((FUTURE, ON_X), (LAST, SCALED.replace("/ keys", "* keys"))),
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "scaled-after",
            portable(
                (FUTURE, ON_X), (LAST, "torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5 @ values")
            ),
            NAMED + VALUES + RAISED,
            keeps=2,
        ),
        Wrong(
            "root-two",
            portable((FUTURE, ON_X), (LAST, SCALED.replace("keys.shape[-1]", "2"))),
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong("cuda", portable((FUTURE, ON_X.replace("x.device", '"cuda"')), (LAST, SCALED)), RAISED),
        Wrong(
            "cpu",
            portable((FUTURE, ON_X.replace("x.device", '"cpu"')), (LAST, SCALED)),
            NAMED + BEHAVIOUR,
            keeps=1,
        ),
        Wrong("meta", portable((FUTURE, ON_X.replace("x.device", '"meta"')), (LAST, SCALED)), RAISED),
        Wrong(
            "cuda-if-there",
            portable(
                (FUTURE, ON_X.replace("x.device", '"cuda" if torch.cuda.is_available() else "cpu"')),
                (LAST, SCALED),
            ),
            NAMED + BEHAVIOUR,
            keeps=1,
        ),
        Wrong(
            "to-discarded",
            portable((FILL_FUTURE, "future.to(x.device)\n        " + FILL_FUTURE), (LAST, SCALED)),
            NAMED + BEHAVIOUR,
            keeps=1,
        ),
        Wrong(
            "scores-to-the-cpu",
            portable(
                (FILL_FUTURE, FILL_FUTURE.replace("attn_scores.masked", "attn_scores.cpu().masked")),
                (LAST, SCALED),
            ),
            NAMED + BEHAVIOUR,
            keeps=1,
        ),
        Wrong(
            "try-except",
            portable(
                (
                    FILL_FUTURE,
                    "try:\n            " + FILL_FUTURE + "\n        except RuntimeError:\n            pass",
                ),
                (LAST, SCALED),
            ),
            NAMED + BEHAVIOUR,
            keeps=1,
        ),
        Wrong(
            "mask-left-out",
            portable(("        " + FILL_FUTURE + "\n", ""), (LAST, SCALED)),
            NAMED + VALUES,
            keeps=0,
        ),
        Wrong(
            "masked-fill-discarded",
            portable((FUTURE, ON_X), (FILL_FUTURE, FILL_FUTURE[14:]), (LAST, SCALED)),
            NAMED + VALUES,
            keeps=0,
        ),
        Wrong(
            "buffer-of-six",
            portable(
                (
                    INIT_END,
                    INIT_END + '        self.register_buffer("mask", torch.ones(6, 6).triu(1).bool())\n',
                ),
                (FUTURE, "self.mask[:num_tokens, :num_tokens]"),
                (LAST, SCALED),
            ),
            RAISED + BEHAVIOUR + NAMED,
            keeps=1,
        ),
        Wrong(
            "context-length-added",
            portable(
                ("(self, d_in, d_out)", "(self, d_in, d_out, context_length)"),
                (
                    INIT_END,
                    INIT_END + '        self.register_buffer("mask", torch.ones(context_length, '
                    "context_length).triu(1).bool())\n",
                ),
                (FUTURE, "self.mask[:num_tokens, :num_tokens]"),
                (LAST, SCALED),
            ),
            RAISED,
        ),
        Wrong(
            "softmax-axis-mended-wrongly",
            portable((FUTURE, ON_X), (LAST, SCALED.replace("dim=-1", "dim=1"))),
            NAMED + VALUES,
            keeps=0,
        ),
        Wrong(
            "transpose-mended-wrongly",
            portable(
                (FUTURE, ON_X),
                ("queries @ keys.transpose(-2, -1)", "keys @ queries.transpose(-2, -1)"),
                (LAST, SCALED),
            ),
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "tril-instead",
            portable((FUTURE, ON_X.replace("triu(diagonal=1)", "tril()")), (LAST, SCALED)),
            NAMED + NOT_FINITE,
            keeps=0,
        ),
        Wrong(
            "mask-of-the-notebook",
            portable(("        future = " + FUTURE + "\n", ""), (LAST, SCALED)),
            RAISED + VALUES + NAMED,
            keeps=0,
        ),
        Wrong(
            "device-of-the-class",
            portable((FUTURE, ON_X.replace("x.device", "self.device")), (LAST, SCALED)),
            RAISED,
        ),
        Wrong(
            "scale-on-cpu",
            portable(
                (FUTURE, ON_X),
                (LAST, SCALED.replace("keys.shape[-1] ** 0.5", "torch.tensor([keys.shape[-1] ** 0.5])")),
            ),
            NAMED + BEHAVIOUR,
            keeps=1,
            never=r"mask is still made",
        ),
        Wrong(
            "bias-added", portable((FUTURE, ON_X), ("bias=False", "bias=True"), (LAST, SCALED)), PARAMETERS
        ),
        Wrong(
            "old-name", portable((FUTURE, ON_X), (LAST, SCALED), ("PortableAttention", "AsFound")), MISSING
        ),
        Wrong("subclass-of-the-faulty", "class PortableAttention(AsFound):\n    pass", NAMED),
        Wrong(
            "mask-made-once-and-kept",
            portable(
                (INIT_END, INIT_END + "        self.future = None\n"),
                ("future = " + FUTURE, "if self.future is None:\n            self.future = " + ON_X),
                ("masked_fill(future", "masked_fill(self.future"),
                (LAST, SCALED),
            ),
            BEHAVIOUR + RAISED + NAMED,
            keeps=1,
        ),
    ),
    right=(
        Right("device-argument", portable((FUTURE, ON_X), (LAST, SCALED))),
        Right("to-the-device", portable((FUTURE, FUTURE + ".to(attn_scores.device)"), (LAST, SCALED))),
        Right(
            "to-device-of-x",
            portable(
                (FILL_FUTURE, "future = future.to(x.device)\n        " + FILL_FUTURE),
                (LAST, SCALED.replace("keys", "queries")),
            ),
        ),
        Right(
            "ones-like",
            portable((FUTURE, "torch.ones_like(attn_scores).triu(diagonal=1).bool()"), (LAST, SCALED)),
        ),
        Right(
            "new-ones",
            portable(
                (FUTURE, "x.new_ones(num_tokens, num_tokens).triu(1) > 0"),
                (LAST, SCALED.replace("** 0.5", "** (1 / 2)")),
            ),
        ),
        Right(
            "type-as",
            portable(
                (FUTURE, "torch.ones(num_tokens, num_tokens).type_as(x).triu(1).bool()"), (LAST, SCALED)
            ),
        ),
        Right(
            "arange",
            portable(
                (
                    FUTURE,
                    "torch.arange(num_tokens, device=x.device)[None, :] > "
                    "torch.arange(num_tokens, device=x.device)[:, None]",
                ),
                (LAST, SCALED),
            ),
        ),
        Right(
            "fused",
            """
            class PortableAttention(nn.Module):
                def __init__(self, d_in, d_out):
                    super().__init__()
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)

                def forward(self, x):
                    q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                    return F.scaled_dot_product_attention(q, k, v, is_causal=True)
            """,
        ),
        Right(
            "subclass-mended",
            """
            class PortableAttention(AsFound):
                def forward(self, x):
                    q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                    s = q @ k.mT / k.size(-1) ** 0.5
                    n = s.size(-1)
                    s = s + torch.full((n, n), float("-inf"), device=s.device).triu(1)
                    return s.softmax(-1) @ v
            """,
        ),
        Right(
            "device-of-the-weight",
            portable((FUTURE, ON_X.replace("x.device", "self.W_query.weight.device")), (LAST, SCALED)),
        ),
        Right(
            "root-kept",
            portable(
                (INIT_END, INIT_END + "        self.scale = d_out**-0.5\n"),
                (FUTURE, ON_X),
                (LAST, "torch.softmax(attn_scores * self.scale, dim=-1) @ values"),
            ),
        ),
        Right(
            "sqrt",
            "import math\n"
            + portable(
                (FUTURE, ON_X),
                (
                    "queries @ keys.transpose(-2, -1)",
                    "queries @ keys.transpose(-2, -1) / math.sqrt(keys.size(-1))",
                ),
            ),
        ),
        Right(
            "context-manager",
            portable(
                (
                    "        future = " + FUTURE,
                    "        with torch.device(x.device):\n            future = " + FUTURE,
                ),
                (LAST, SCALED),
            ),
        ),
    ),
)

NEVER_STOPS = """
class DropoutAttention(nn.Module):
    def __init__(self, d_in, d_out, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.p = dropout

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = F.dropout(attn_weights, self.p)
        return attn_weights @ values
"""
P = "self.p = dropout"
ALWAYS = "attn_weights = F.dropout(attn_weights, self.p)"
DEFINE = "    def forward(self, x):"


def stopping(*changes: tuple[str, str]) -> str:
    """The class as found with some of its text replaced."""
    return edited(NEVER_STOPS, *changes)


BUG_EVAL_DROPOUT = Mutants(
    wrong=(
        Wrong("as-found", NEVER_STOPS, NAMED + BEHAVIOUR, keeps=0),
        Wrong(
            "training-true",
            stopping((ALWAYS, "attn_weights = F.dropout(attn_weights, self.p, training=True)")),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "training-false",
            stopping((ALWAYS, "attn_weights = F.dropout(attn_weights, self.p, training=False)")),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong("taken-out", stopping(("        " + ALWAYS + "\n", "")), NAMED + BEHAVIOUR, keeps=0),
        Wrong("p-zero", stopping((P, "self.p = 0.0")), NAMED + BEHAVIOUR, keeps=0),
        Wrong(
            "modes-swapped",
            stopping((ALWAYS, ALWAYS.replace("self.p)", "self.p, training=not self.training)"))),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "if-eval",
            stopping((ALWAYS, "if not self.training:\n            " + ALWAYS)),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "layer-in-forward",
            stopping((ALWAYS, "attn_weights = nn.Dropout(self.p)(attn_weights)")),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "eval-sets-p-to-zero",
            stopping(
                (
                    DEFINE,
                    "    def eval(self):\n        self.p = 0.0\n        return super().eval()\n\n" + DEFINE,
                )
            ),
            NAMED + BEHAVIOUR,
            keeps=0,
            never=r"in eval mode and should be",
        ),
        Wrong(
            "eval-overridden-without-self",
            stopping((DEFINE, "    def eval(self):\n        self.p = 0\n\n" + DEFINE)),
            VALUES + BEHAVIOUR + RAISED + ("MatchesKnownWrong",),
            keeps=0,
        ),
        Wrong(
            "forward-sets-p-to-zero",
            stopping((ALWAYS, "if not self.training:\n            self.p = 0.0\n        " + ALWAYS)),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "own-flag",
            stopping(
                (P, P + "\n        self.is_training = True"),
                (ALWAYS, ALWAYS.replace("self.p)", "self.p, training=self.is_training)")),
            ),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "mode-read-once",
            stopping(
                (P, P + "\n        self.mode = self.training"),
                (ALWAYS, ALWAYS.replace("self.p)", "self.p, self.mode)")),
            ),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "mode-not-called",
            stopping((ALWAYS, "attn_weights = F.dropout(attn_weights, self.p, training=self.train)")),
            RAISED,
            keeps=0,
        ),
        Wrong(
            "bare-training",
            stopping((ALWAYS, "attn_weights = F.dropout(attn_weights, self.p, training=training)")),
            RAISED,
        ),
        Wrong(
            "mode-an-argument-of-forward",
            stopping(
                ("def forward(self, x)", "def forward(self, x, training=True)"),
                (ALWAYS, "attn_weights = F.dropout(attn_weights, self.p, training)"),
            ),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "mode-of-the-constructor",
            stopping(
                ("d_out, dropout)", "d_out, dropout, training=True)"),
                (P, P + "\n        self.training = training"),
                (ALWAYS, "attn_weights = F.dropout(attn_weights, self.p)"),
            ),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "seeded",
            stopping((ALWAYS, "torch.manual_seed(123)\n        " + ALWAYS)),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "seeded-in-eval",
            stopping((ALWAYS, "if not self.training:\n            torch.manual_seed(0)\n        " + ALWAYS)),
            VALUES + NAMED,
            keeps=0,
        ),
        Wrong(
            "no-grad-is-taken-for-eval",
            stopping((ALWAYS, ALWAYS.replace("self.p)", "self.p, training=torch.is_grad_enabled())"))),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "layer-of-half",
            stopping(
                (P, "self.dropout = nn.Dropout(0.5)"), (ALWAYS, "attn_weights = self.dropout(attn_weights)")
            ),
            NAMED + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "layer-unused",
            stopping((P, "self.dropout = nn.Dropout(dropout)"), ("        " + ALWAYS + "\n", "")),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "layer-in-a-list",
            stopping(
                (P, "self.layers = [nn.Dropout(dropout)]"),
                (ALWAYS, "attn_weights = self.layers[0](attn_weights)"),
            ),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "on-the-scores",
            stopping(
                (P, "self.dropout = nn.Dropout(dropout)"),
                ("        " + ALWAYS + "\n", ""),
                ("queries @ keys.transpose(-2, -1)", "self.dropout(queries @ keys.transpose(-2, -1))"),
            ),
            NAMED + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "on-the-context",
            stopping(
                ("        " + ALWAYS + "\n", ""),
                (
                    "return attn_weights @ values",
                    "return F.dropout(attn_weights @ values, self.p, self.training)",
                ),
            ),
            NAMED + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "no-factor",
            stopping(
                (
                    ALWAYS,
                    "if self.training:\n            attn_weights = attn_weights * "
                    "(torch.rand_like(attn_weights) >= self.p)",
                )
            ),
            NAMED + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "scaled-in-eval",
            stopping(
                (
                    ALWAYS,
                    "if self.training:\n            "
                    + ALWAYS
                    + "\n        else:\n            attn_weights = attn_weights * (1 - self.p)",
                )
            ),
            NAMED + BEHAVIOUR + VALUES,
        ),
        Wrong(
            "inplace-third-argument",
            stopping((ALWAYS, "attn_weights = F.dropout(attn_weights, self.p, False, self.training)")),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "discarded",
            stopping((ALWAYS, "F.dropout(attn_weights, self.p, training=self.training)")),
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "old-name",
            stopping(
                (ALWAYS, ALWAYS.replace("self.p)", "self.p, self.training)")),
                ("DropoutAttention", "AsFoundToo"),
            ),
            MISSING,
        ),
        Wrong(
            "subclass-of-the-faulty",
            "class DropoutAttention(AsFoundToo):\n    pass",
            NAMED + BEHAVIOUR,
            keeps=0,
        ),
        Wrong(
            "average-of-many",
            stopping(
                (
                    ALWAYS,
                    "attn_weights = torch.stack([F.dropout(attn_weights, self.p) for _ in "
                    "range(200)]).mean(0)",
                )
            ),
            NAMED + BEHAVIOUR + VALUES,
            keeps=0,
        ),
    ),
    right=(
        Right(
            "training-passed",
            stopping((ALWAYS, ALWAYS.replace("self.p)", "self.p, training=self.training)"))),
        ),
        Right("third-argument", stopping((ALWAYS, ALWAYS.replace("self.p)", "self.p, self.training)")))),
        Right(
            "layer",
            stopping(
                (P, "self.dropout = nn.Dropout(dropout)"),
                (ALWAYS, "attn_weights = self.dropout(attn_weights)"),
            ),
        ),
        Right("if-training", stopping((ALWAYS, "if self.training:\n            " + ALWAYS))),
        Right(
            "p-by-mode",
            stopping(
                (
                    ALWAYS,
                    "p = self.p if self.training else 0.0\n        attn_weights = F.dropout(attn_weights, p)",
                )
            ),
        ),
        Right(
            "p-times-mode",
            stopping((ALWAYS, "attn_weights = F.dropout(attn_weights, self.p * self.training)")),
        ),
        Right(
            "own-function",
            stopping((ALWAYS, "attn_weights = dropout(attn_weights, self.p, training=self.training)")),
        ),
        Right(
            "fused",
            stopping(
                (ALWAYS, ""),
                (
                    "return attn_weights @ values",
                    "return F.scaled_dot_product_attention(queries, keys, values, "
                    "dropout_p=self.p if self.training else 0.0)",
                ),
            ),
        ),
        Right(
            "property",
            stopping(
                (
                    DEFINE,
                    "    @property\n    def rate(self):\n        return self.p if self.training else 0.0\n\n"
                    + DEFINE,
                ),
                (ALWAYS, "attn_weights = F.dropout(attn_weights, self.rate)"),
            ),
        ),
        Right(
            "sequential",
            stopping(
                (P, "self.weigh = nn.Sequential(nn.Softmax(dim=-1), nn.Dropout(dropout))"),
                ("        " + ALWAYS + "\n", ""),
                (
                    "torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)",
                    "self.weigh(attn_scores / keys.shape[-1] ** 0.5)",
                ),
            ),
        ),
        Right(
            "subclass-mended",
            """
            class DropoutAttention(AsFoundToo):
                def forward(self, x):
                    q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                    w = (q @ k.mT * k.size(-1) ** -0.5).softmax(-1)
                    return F.dropout(w, p=self.p, training=self.training) @ v
            """,
        ),
        Right(
            "train-overridden",
            stopping(
                (P, P + "\n        self.now = dropout"),
                (
                    DEFINE,
                    "    def train(self, mode=True):\n"
                    "        self.now = self.p if mode else 0.0\n"
                    "        return super().train(mode)\n\n" + DEFINE,
                ),
                (ALWAYS, ALWAYS.replace("self.p", "self.now")),
            ),
        ),
        Right(
            "by-hand",
            stopping(
                (
                    ALWAYS,
                    "if self.training:\n            kept = torch.rand_like(attn_weights) "
                    ">= self.p\n            attn_weights = apply_dropout(attn_weights, "
                    "kept, self.p)",
                )
            ),
        ),
    ),
)

TASKS = {
    "apply-dropout": APPLY_DROPOUT,
    "dropped-weights": DROPPED_WEIGHTS,
    "dropout-by-hand": DROPOUT_BY_HAND,
    "batched-scores": BATCHED_SCORES,
    "causal-attention": CAUSAL_ATTENTION,
    "bug-seed-order": BUG_SEED_ORDER,
    "bug-mask-device": BUG_MASK_DEVICE,
    "bug-eval-dropout": BUG_EVAL_DROPOUT,
}
