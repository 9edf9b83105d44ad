"""Answers to lesson 03 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the released notebook and the list of misconceptions, without a
look at the known wrong answers in the lesson's `tasks.py`.
"""

from __future__ import annotations

from tests.mutants.harness import Mutants, Right, Wrong

LESSON = "03-causal"

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

CAUSAL_MASK = Mutants(
    wrong=(
        Wrong(
            "past-hidden",
            """
            def causal_mask(num_tokens):
                return torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1).bool()
            """,
            NAMED,
        ),
        Wrong(
            "tril-without-diagonal-argument",
            """
            def causal_mask(num_tokens):
                return torch.tril(torch.ones(num_tokens, num_tokens)).bool()
            """,
            NAMED,
        ),
        Wrong(
            "diagonal-hidden-too",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens)).bool()
            """,
            NAMED,
        ),
        Wrong(
            "diagonal-minus-one",
            """
            def causal_mask(num_tokens):
                mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=-1)
                return mask.bool()
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "diagonal-two",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=2).bool()
            """,
            NAMED,
        ),
        Wrong(
            "tril-with-diagonal-one",
            """
            def causal_mask(num_tokens):
                return torch.tril(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "not-turned-into-booleans",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)
            """,
            DTYPE,
        ),
        Wrong(
            "integers",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.long), diagonal=1)
            """,
            DTYPE,
        ),
        Wrong(
            "bytes",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones((num_tokens, num_tokens)), diagonal=1).to(torch.uint8)
            """,
            DTYPE,
        ),
        Wrong(
            "additive-mask-of-infinities",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.full((num_tokens, num_tokens), float("-inf")), diagonal=1)
            """,
            DTYPE,
        ),
        Wrong(
            "zero-times-infinity",
            """
            def causal_mask(num_tokens):
                return (torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) * -torch.inf).bool()
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "nested-list",
            """
            def causal_mask(num_tokens):
                return [[j > i for j in range(num_tokens)] for i in range(num_tokens)]
            """,
            TYPE,
        ),
        Wrong(
            "numpy-array",
            """
            import numpy as np

            def causal_mask(num_tokens):
                return np.triu(np.ones((num_tokens, num_tokens)), k=1).astype(bool)
            """,
            TYPE,
        ),
        Wrong(
            "six-tokens-always",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(6, 6), diagonal=1).bool()
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "length-of-the-sentence",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "takes-the-inputs",
            """
            def causal_mask(num_tokens):
                n = num_tokens.shape[0]
                return torch.triu(torch.ones(n, n), diagonal=1).bool()
            """,
            RAISED,
        ),
        Wrong(
            "ones-like-a-number",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones_like(num_tokens), diagonal=1).bool()
            """,
            RAISED,
        ),
        Wrong(
            "vector-of-ones",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens), diagonal=1).bool()
            """,
            RAISED,
        ),
        Wrong(
            "zeros-for-ones",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.zeros(num_tokens, num_tokens), diagonal=1).bool()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "loop-with-the-indices-swapped",
            """
            def causal_mask(num_tokens):
                mask = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
                for i in range(num_tokens):
                    for j in range(i):
                        mask[i, j] = True
                return mask
            """,
            NAMED,
        ),
        Wrong(
            "loop-one-short",
            """
            def causal_mask(num_tokens):
                mask = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
                for i in range(num_tokens):
                    for j in range(i + 1, num_tokens - 1):
                        mask[i, j] = True
                return mask
            """,
            VALUES,
        ),
        Wrong(
            "loop-that-returns-too-soon",
            """
            def causal_mask(num_tokens):
                mask = torch.zeros(num_tokens, num_tokens).bool()
                for i in range(num_tokens):
                    mask[i, i + 1:] = True
                    return mask
            """,
            VALUES,
        ),
        Wrong(
            "only-the-next-token",
            """
            def causal_mask(num_tokens):
                return torch.diag(torch.ones(num_tokens - 1), diagonal=1).bool()
            """,
            VALUES + RAISED,
        ),
        Wrong(
            "everything-but-oneself",
            """
            def causal_mask(num_tokens):
                return ~torch.eye(num_tokens, dtype=torch.bool)
            """,
            VALUES,
        ),
        Wrong(
            "batch-axis-in-front",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(1, num_tokens, num_tokens), diagonal=1).bool()
            """,
            SHAPE,
        ),
        Wrong(
            "tuple",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool(),
            """,
            TYPE,
        ),
        Wrong(
            "bool-without-its-call",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool
            """,
            TYPE,
            says=r"parenthes|bracket|\\(\\)|\\bcall",
        ),
        Wrong(
            "prints",
            """
            def causal_mask(num_tokens):
                print(torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool())
            """,
            TYPE,
        ),
        Wrong(
            "forgot-to-return",
            """
            def causal_mask(num_tokens):
                mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
            """,
            TYPE,
        ),
        Wrong(
            "a-mask-not-a-function",
            """
            causal_mask = torch.triu(torch.ones(6, 6), diagonal=1).bool()
            """,
            NO_FUNCTION,
        ),
        Wrong(
            "misspelt",
            """
            def casual_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
            """,
            MISSING,
            says=r"`casual_mask`",
        ),
        Wrong(
            "bracket-missing",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1.bool()
            """,
            MISSING,
        ),
        Wrong(
            "left-alone",
            """
            def causal_mask(num_tokens):
                ...  # your code here
            """,
            STUB,
        ),
        Wrong(
            "text-written-out-for-six",
            """
            def causal_mask(num_tokens):
                return torch.tensor([
                    [False, True, True, True, True, True],
                    [False, False, True, True, True, True],
                    [False, False, False, True, True, True],
                    [False, False, False, False, True, True],
                    [False, False, False, False, False, True],
                    [False, False, False, False, False, False],
                ])
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "row-of-zero-hidden-in-a-comparison",
            """
            def causal_mask(num_tokens):
                positions = torch.arange(num_tokens)
                return positions[:, None] < positions[:, None].T - 1
            """,
            NAMED,
        ),
        Wrong(
            "greater-or-equal",
            """
            def causal_mask(num_tokens):
                idx = torch.arange(num_tokens)
                return idx.unsqueeze(0) >= idx.unsqueeze(1)
            """,
            NAMED,
        ),
        Wrong(
            "sparse-tensor",
            """
            def causal_mask(num_tokens):
                return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool().to_sparse()
            """,
            TYPE,
        ),
    ),
    right=(
        Right(
            "bool-ones",
            """
            def causal_mask(num_tokens):
                return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal=1)
            """,
        ),
        Right(
            "tril-and-not",
            """
            def causal_mask(num_tokens: int) -> torch.Tensor:
                return ~torch.tril(torch.ones(num_tokens, num_tokens)).bool()
            """,
        ),
        Right(
            "tril-equals-zero",
            """
            def causal_mask(n):
                return torch.tril(torch.ones(n, n)) == 0
            """,
        ),
        Right(
            "positions-compared",
            """
            def causal_mask(num_tokens):
                positions = torch.arange(num_tokens)
                return positions[None, :] > positions[:, None]
            """,
        ),
        Right(
            "two-loops",
            """
            def causal_mask(num_tokens):
                mask = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
                for i in range(num_tokens):
                    for j in range(num_tokens):
                        if j > i:
                            mask[i, j] = True
                return mask
            """,
        ),
        Right(
            "list-comprehension",
            """
            def causal_mask(num_tokens):
                return torch.tensor([[j > i for j in range(num_tokens)] for i in range(num_tokens)])
            """,
        ),
        Right(
            "indices",
            """
            def causal_mask(num_tokens):
                mask = torch.full((num_tokens, num_tokens), False)
                rows, columns = torch.triu_indices(num_tokens, num_tokens, offset=1)
                mask[rows, columns] = True
                return mask
            """,
        ),
        Right(
            "numpy-inside",
            """
            import numpy as np

            causal_mask = lambda n: torch.from_numpy(np.triu(np.ones((n, n), dtype=bool), k=1))
            """,
        ),
        Right(
            "additive-mask-of-nn",
            """
            def causal_mask(num_tokens):
                return nn.Transformer.generate_square_subsequent_mask(num_tokens) == float("-inf")
            """,
        ),
        Right(
            "cumulated-sum",
            """
            def causal_mask(num_tokens):
                return (torch.eye(num_tokens).cumsum(dim=1) - torch.eye(num_tokens)) > 0
            """,
        ),
        Right(
            "cached-and-recursive",
            """
            import functools

            @functools.lru_cache(maxsize=None)
            def causal_mask(num_tokens):
                if num_tokens == 1:
                    return torch.zeros(1, 1, dtype=torch.bool)
                smaller = causal_mask(num_tokens - 1)
                bottom = torch.zeros(1, num_tokens - 1, dtype=torch.bool)
                right = torch.ones(num_tokens, 1, dtype=torch.bool)
                right[-1] = False
                return torch.cat([torch.cat([smaller, bottom]), right], dim=1)
            """,
        ),
        Right(
            "meshgrid-and-more-arguments",
            """
            def causal_mask(num_tokens, device=None, *, strict=True):
                i, j = torch.meshgrid(torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij")
                return torch.where(j > i, True, False)
            """,
        ),
        Right(
            "transposed-lower",
            """
            def causal_mask(num_tokens):
                return torch.ones(num_tokens, num_tokens).tril(-1).T.bool()
            """,
        ),
    ),
)

MASK_AFTER_SOFTMAX = Mutants(
    wrong=(
        Wrong("past-set-to-zero", "masked_simple = torch.triu(attn_weights)", NAMED),
        Wrong("diagonal-too", "masked_simple = torch.tril(attn_weights, diagonal=-1)", NAMED),
        Wrong("one-too-far", "masked_simple = torch.tril(attn_weights, diagonal=1)", NAMED),
        Wrong("mask-not-inverted", "masked_simple = attn_weights * causal_mask(6)", NAMED),
        Wrong(
            "upper-with-diagonal-zeroed",
            """
            mask = torch.triu(torch.ones(context_length, context_length)).bool()
            masked_simple = attn_weights.masked_fill(mask, 0)
            """,
            NAMED,
        ),
        Wrong(
            "scores-instead-of-weights",
            """
            mask_simple = torch.tril(torch.ones(context_length, context_length))
            masked_simple = attn_scores * mask_simple
            """,
            NAMED,
        ),
        Wrong(
            "infinity-instead-of-zero",
            """
            masked_simple = attn_weights.masked_fill(causal_mask(6), -torch.inf)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "the-mask-alone",
            """
            masked_simple = torch.tril(torch.ones(context_length, context_length))
            """,
            NAMED,
        ),
        Wrong(
            "matrix-product-with-the-mask",
            """
            mask_simple = torch.tril(torch.ones(context_length, context_length))
            masked_simple = attn_weights @ mask_simple
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "added-mask",
            """
            masked_simple = attn_weights + torch.tril(torch.ones(6, 6))
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "divided-already",
            """
            masked_simple = attn_weights * torch.tril(torch.ones(6, 6))
            masked_simple = masked_simple / masked_simple.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "written-into-the-weights",
            """
            attn_weights[causal_mask(6)] = 0
            masked_simple = attn_weights
            """,
            RULE + GIVENS,
        ),
        Wrong(
            "masked-fill-underscore",
            """
            masked_simple = attn_weights.masked_fill_(causal_mask(6), 0.0)
            """,
            RULE + GIVENS,
        ),
        Wrong(
            "in-place-product",
            """
            attn_weights *= torch.tril(torch.ones(6, 6))
            masked_simple = attn_weights.clone()
            """,
            RULE + GIVENS,
        ),
        Wrong(
            "result-discarded",
            """
            masked_simple = attn_weights
            masked_simple.masked_fill(causal_mask(6), 0)
            """,
            NAMED,
        ),
        Wrong("nothing-done", "masked_simple = attn_weights", NAMED),
        Wrong("transposed", "masked_simple = torch.tril(attn_weights.T)", NAMED + VALUES),
        Wrong(
            "typed-in-four-decimals",
            """
            masked_simple = torch.tensor([
                [0.1921, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.2041, 0.1659, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.2036, 0.1659, 0.1662, 0.0000, 0.0000, 0.0000],
                [0.1869, 0.1667, 0.1668, 0.1571, 0.0000, 0.0000],
                [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.0000],
                [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]])
            """,
            VALUES + NOT_COMPUTED,
        ),
        Wrong("list", "masked_simple = torch.tril(attn_weights).tolist()", TYPE),
        Wrong("numpy", "masked_simple = torch.tril(attn_weights).numpy()", TYPE),
        Wrong("tuple", "masked_simple = torch.tril(attn_weights),", TYPE),
        Wrong("printed", "masked_simple = print(torch.tril(attn_weights))", TYPE),
        Wrong("other-name", "mask_simple = torch.tril(attn_weights)", MISSING, says="mask_simple"),
        Wrong("typo-inside", "masked_simple = torch.tril(attention_weights)", MISSING),
        Wrong("left-alone", "masked_simple = ...  # your code here", STUB),
        Wrong(
            "loop-forgets-nothing-but-the-last-row",
            """
            masked_simple = attn_weights.clone()
            for i in range(5):
                for j in range(i + 1, 5):
                    masked_simple[i, j] = 0
            """,
            VALUES,
        ),
        Wrong(
            "small-weights-set-to-zero",
            """
            masked_simple = torch.where(attn_weights < 0.16, 0.0, attn_weights)
            """,
            VALUES,
        ),
        Wrong(
            "without-the-root",
            """
            masked_simple = torch.tril(torch.softmax(attn_scores, dim=-1))
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "softmax-of-masked-scores",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            masked_simple = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong("integers", "masked_simple = torch.tril(attn_weights).int()", VALUES + DTYPE),
        Wrong("sum-typed", "masked_simple = torch.tril(attn_weights).sum(dim=-1)", SHAPE),
        Wrong(
            "a-function",
            """
            def masked_simple():
                return torch.tril(attn_weights)
            """,
            TYPE,
        ),
        Wrong("method-without-call", "masked_simple = attn_weights.tril", TYPE),
        Wrong("boolean-index-flattens", "masked_simple = attn_weights[~causal_mask(6)]", SHAPE),
    ),
    right=(
        Right("product", "masked_simple = attn_weights * torch.tril(torch.ones(6, 6))"),
        Right("tril", "masked_simple = attn_weights.tril()"),
        Right("masked-fill", "masked_simple = attn_weights.masked_fill(causal_mask(context_length), 0)"),
        Right("not-the-mask", "masked_simple = attn_weights * ~causal_mask(len(inputs))"),
        Right("where", "masked_simple = torch.where(causal_mask(6), torch.tensor(0.0), attn_weights)"),
        Right(
            "clone-and-index",
            """
            masked_simple = attn_weights.clone()
            masked_simple[causal_mask(6)] = 0
            """,
        ),
        Right(
            "clone-and-loops",
            """
            masked_simple = torch.zeros_like(attn_weights)
            for i, row in enumerate(attn_weights):
                for j in range(i + 1):
                    masked_simple[i, j] = row[j]
            """,
        ),
        Right(
            "stacked-rows",
            """
            import torch.nn.functional as F
            rows = [F.pad(attn_weights[i, : i + 1], (0, len(tokens) - i - 1)) for i in range(len(tokens))]
            masked_simple = torch.stack(rows)
            """,
        ),
        Right("float64", "masked_simple = attn_weights.double() * torch.tril(torch.ones(6, 6)).double()"),
        Right("minus-the-upper", "masked_simple = attn_weights - torch.triu(attn_weights, diagonal=1)"),
        Right(
            "from-the-start",
            """
            q, k = sa_v2.W_query(inputs), sa_v2.W_key(inputs)
            w = (q @ k.transpose(0, 1) / k.size(-1) ** 0.5).softmax(-1)
            mask_simple = torch.tril(torch.ones(w.shape))
            masked_simple = w * mask_simple
            """,
        ),
        Right(
            "in-place-on-a-copy",
            """
            masked_simple = attn_weights.detach().clone().mul_(torch.ones_like(attn_weights).tril_())
            """,
        ),
        Right(
            "helper",
            """
            def zero_future(w: torch.Tensor) -> torch.Tensor:
                '''No look ahead.'''
                out = w.clone()
                out.masked_fill_(torch.ones_like(w, dtype=torch.bool).triu(1), 0.0)
                return out

            masked_simple = zero_future(attn_weights)
            """,
        ),
    ),
)

RENORMALISE = Mutants(
    wrong=(
        Wrong(
            "sum-over-columns",
            """
            masked_simple_norm = masked_simple / masked_simple.sum(dim=0, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "sum-over-columns-no-keepdim",
            "masked_simple_norm = masked_simple / masked_simple.sum(0)",
            NAMED + VALUES,
        ),
        Wrong(
            "sum-over-minus-two",
            """
            row_sums = masked_simple.sum(dim=-2, keepdim=True)
            masked_simple_norm = masked_simple / row_sums
            """,
            NAMED,
        ),
        Wrong("no-keepdim", "masked_simple_norm = masked_simple / masked_simple.sum(dim=-1)", NAMED),
        Wrong(
            "no-keepdim-positive", "masked_simple_norm = masked_simple / masked_simple.sum(1)", NAMED + VALUES
        ),
        Wrong("divided-by-everything", "masked_simple_norm = masked_simple / masked_simple.sum()", NAMED),
        Wrong("softmax-again", "masked_simple_norm = torch.softmax(masked_simple, dim=-1)", NAMED),
        Wrong(
            "softmax-over-the-queries", "masked_simple_norm = masked_simple.softmax(dim=0)", VALUES + NAMED
        ),
        Wrong(
            "length-of-the-row",
            """
            masked_simple_norm = masked_simple / masked_simple.norm(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "normalize-of-functional",
            """
            masked_simple_norm = torch.nn.functional.normalize(masked_simple, dim=-1)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "mean-for-sum",
            """
            masked_simple_norm = masked_simple / masked_simple.mean(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "max-for-sum",
            """
            masked_simple_norm = masked_simple / masked_simple.max(dim=-1, keepdim=True).values
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "max-returns-a-pair",
            """
            masked_simple_norm = masked_simple / masked_simple.max(dim=-1, keepdim=True)
            """,
            MISSING,
        ),
        Wrong(
            "number-of-tokens-in-the-past",
            """
            counts = torch.arange(1, 7).view(-1, 1)
            masked_simple_norm = masked_simple / counts
            """,
            VALUES,
        ),
        Wrong(
            "multiplied",
            """
            masked_simple_norm = masked_simple * masked_simple.sum(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "subtracted",
            """
            masked_simple_norm = masked_simple - masked_simple.sum(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong("raw-scores", "masked_simple_norm = raw_shares", NAMED),
        Wrong(
            "weights-divided-not-masked",
            """
            masked_simple_norm = attn_weights / attn_weights.sum(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "unmasked-weights-by-masked-sums",
            """
            masked_simple_norm = attn_weights / masked_simple.sum(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "masked-by-unmasked-sums",
            """
            masked_simple_norm = masked_simple / attn_weights.sum(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong("the-sums-alone", "masked_simple_norm = masked_simple.sum(dim=-1, keepdim=True)", SHAPE),
        Wrong(
            "in-place",
            """
            masked_simple /= masked_simple.sum(dim=-1, keepdim=True)
            masked_simple_norm = masked_simple.sum(dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "uniform-rows",
            """
            mask_simple = torch.tril(torch.ones(6, 6))
            masked_simple_norm = mask_simple / mask_simple.sum(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "typed-in",
            """
            masked_simple_norm = torch.tensor([
                [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.4833, 0.5167, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.3190, 0.3408, 0.3402, 0.0000, 0.0000, 0.0000],
                [0.2445, 0.2545, 0.2542, 0.2468, 0.0000, 0.0000],
                [0.1994, 0.2060, 0.2058, 0.1935, 0.1953, 0.0000],
                [0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682]])
            """,
            VALUES + NOT_COMPUTED,
        ),
        Wrong("printed-only", "print(masked_simple / masked_simple.sum(dim=-1, keepdim=True))", MISSING),
        Wrong(
            "dict-of-rows",
            """
            masked_simple_norm = {t: row / row.sum() for t, row in zip(tokens, masked_simple)}
            """,
            TYPE,
        ),
        Wrong("list-of-rows", "masked_simple_norm = [row / row.sum() for row in masked_simple]", TYPE),
        Wrong(
            "written-over-the-same-name",
            """
            masked_simple = masked_simple / masked_simple.sum(dim=-1, keepdim=True)
            """,
            MISSING,
        ),
        Wrong(
            "keepdims-typo",
            """
            masked_simple_norm = masked_simple / masked_simple.sum(dim=-1, keep_dim=True)
            """,
            MISSING,
        ),
        Wrong("left-alone", "masked_simple_norm = ...", STUB),
        Wrong(
            "loop-that-skips-the-last",
            """
            masked_simple_norm = masked_simple.clone()
            for i in range(len(masked_simple) - 1):
                masked_simple_norm[i] = masked_simple[i] / masked_simple[i].sum()
            """,
            VALUES,
        ),
        Wrong(
            "rounded",
            """
            masked_simple_norm = (masked_simple / masked_simple.sum(-1, keepdim=True)).round(decimals=2)
            """,
            VALUES,
        ),
        Wrong(
            "half-precision",
            """
            masked_simple_norm = (masked_simple / masked_simple.sum(-1, keepdim=True)).half()
            """,
            DTYPE + VALUES,
        ),
    ),
    right=(
        Right("keepdim", "masked_simple_norm = masked_simple / masked_simple.sum(dim=-1, keepdim=True)"),
        Right(
            "positive-axis",
            """
            row_sums = masked_simple.sum(dim=1, keepdim=True)
            masked_simple_norm = masked_simple / row_sums
            """,
        ),
        Right("unsqueeze", "masked_simple_norm = masked_simple / masked_simple.sum(1).unsqueeze(1)"),
        Right("none-index", "masked_simple_norm = masked_simple.div(masked_simple.sum(-1)[:, None])"),
        Right("transposed-twice", "masked_simple_norm = (masked_simple.T / masked_simple.sum(dim=1)).T"),
        Right(
            "normalize-with-p-one",
            """
            masked_simple_norm = nn.functional.normalize(masked_simple, p=1, dim=1)
            """,
        ),
        Right("stacked-rows", "masked_simple_norm = torch.stack([row / row.sum() for row in masked_simple])"),
        Right(
            "loops",
            """
            masked_simple_norm = masked_simple.clone()
            for i in range(masked_simple.shape[0]):
                total = 0.0
                for j in range(masked_simple.shape[1]):
                    total += masked_simple[i][j].item()
                masked_simple_norm[i] /= total
            """,
        ),
        Right(
            "einsum",
            """
            masked_simple_norm = torch.einsum("ij,i->ij", masked_simple, 1 / masked_simple.sum(-1))
            """,
        ),
        Right(
            "diagonal-matrix",
            """
            masked_simple_norm = torch.diag(masked_simple.sum(dim=-1).reciprocal()) @ masked_simple
            """,
        ),
        Right(
            "second-way",
            """
            masked = attn_scores.masked_fill(causal_mask(context_length), float("-inf"))
            masked_simple_norm = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
        ),
        Right(
            "ones-times",
            """
            masked_simple_norm = masked_simple / (masked_simple @ torch.ones(6, 1))
            """,
        ),
        Right(
            "over-its-own-input",
            """
            masked_simple /= masked_simple.sum(dim=-1, keepdim=True)
            masked_simple_norm = masked_simple
            """,
        ),
        Right(
            "from-the-weights-in-float64",
            """
            lower = attn_weights.double().tril()
            masked_simple_norm = lower / lower.sum(-1, keepdims=True)
            """,
        ),
    ),
)
BUG_RAW_SCORES = Mutants(
    wrong=(
        Wrong("as-given", """
            def renormalised_weights(scores, d_k):
                masked = scores * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED),
        Wrong("absolute-values", """
            def renormalised_weights(scores, d_k):
                masked = scores.abs() * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, VALUES + NAMED),
        Wrong("clamped-at-zero", """
            def renormalised_weights(scores, d_k):
                masked = scores.clamp(min=1e-9) * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, VALUES + NAMED),
        Wrong("scaled-but-no-softmax", """
            def renormalised_weights(scores, d_k):
                scores = scores / d_k**0.5
                masked = scores * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES),
        Wrong("no-scaling", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED),
        Wrong("divided-by-d-k", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED),
        Wrong("precedence-of-the-root", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k ** 1/2, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES),
        Wrong("times-the-root", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores * d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED),
        Wrong("root-of-the-number-of-tokens", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / scores.shape[-1] ** 0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES),
        Wrong("root-of-two", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / 2**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES),
        Wrong("keys-from-the-notebook", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES, says=r"`keys`"),
        Wrong("scaled-after-the-softmax", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores, dim=-1) / d_k**0.5
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES),
        Wrong("softmax-over-the-queries", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=0)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED),
        Wrong("softmax-over-minus-two", """
            def renormalised_weights(scores, d_k):
                weights = (scores / d_k**0.5).softmax(-2)
                masked = weights.tril()
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED),
        Wrong("not-divided-again", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                return weights * torch.tril(torch.ones_like(scores))
            """, NAMED),
        Wrong("softmax-of-zeroed-scores", """
            def renormalised_weights(scores, d_k):
                masked = scores * torch.tril(torch.ones_like(scores))
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("zeroed-before-and-after", """
            def renormalised_weights(scores, d_k):
                scores = scores * torch.tril(torch.ones_like(scores))
                weights = torch.softmax(scores, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES),
        Wrong("softmax-at-the-end", """
            def renormalised_weights(scores, d_k):
                masked = scores * torch.tril(torch.ones_like(scores))
                masked = masked / masked.sum(dim=-1, keepdim=True)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, VALUES + NAMED),
        Wrong("softmax-for-the-division", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return torch.softmax(masked, dim=-1)
            """, NAMED + VALUES),
        Wrong("keepdim-left-out", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1)
            """, NAMED + VALUES),
        Wrong("sums-of-columns", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=0, keepdim=True)
            """, NAMED + VALUES),
        Wrong("triu", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.triu(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED),
        Wrong("diagonal-lost", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = torch.tril(weights, diagonal=-1)
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NOT_FINITE + NAMED),
        Wrong("diagonal-lost-and-nan-hidden", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = torch.tril(weights, diagonal=-1)
                return torch.nan_to_num(masked / masked.sum(dim=-1, keepdim=True))
            """, VALUES + NAMED),
        Wrong("mask-of-six", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones(context_length, context_length))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, RAISED),
        Wrong("weights-of-the-notebook", """
            def renormalised_weights(scores, d_k):
                masked = attn_weights * torch.tril(torch.ones_like(attn_weights))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, SHAPE + VALUES + NAMED),
        Wrong("answer-of-task-three", """
            def renormalised_weights(scores, d_k):
                return masked_simple_norm
            """, SHAPE + VALUES + NAMED),
        Wrong("scores-edited", """
            def renormalised_weights(scores, d_k):
                scores /= d_k**0.5
                weights = torch.softmax(scores, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, RULE),
        Wrong("softmax-without-axis", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, RAISED),
        Wrong("undefined-helper", """
            def renormalised_weights(scores, d_k):
                weights = F.softmax(scores / math.sqrt(d_k), dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, RAISED),
        Wrong("return-forgotten", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                masked = masked / masked.sum(dim=-1, keepdim=True)
            """, TYPE),
        Wrong("exponentials-of-masked-scores", """
            def renormalised_weights(scores, d_k):
                masked = scores * torch.tril(torch.ones_like(scores))
                e = torch.exp(masked / d_k**0.5)
                return e / e.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES),
        Wrong("exponentials-never-scaled", """
            def renormalised_weights(scores, d_k):
                masked = torch.exp(scores) * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, NAMED + VALUES),
        Wrong("epsilon-in-the-sum", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / (masked.sum(dim=-1, keepdim=True) + 1e-2)
            """, VALUES),
        Wrong("other-name", """
            def renormalized_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, MISSING, says="renormalized_weights"),
        Wrong("argument-forgotten", """
            def renormalised_weights(scores):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """, RAISED),
    ),
    right=(
        Right("three-lines", """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """),
        Right("math-and-functional", """
            import math
            import torch.nn.functional as F

            def renormalised_weights(scores: torch.Tensor, d_k: int) -> torch.Tensor:
                weights = F.softmax(scores / math.sqrt(d_k), dim=1)
                weights = weights.masked_fill(causal_mask(scores.shape[0]), 0.0)
                return F.normalize(weights, p=1, dim=1)
            """),
        Right("loops-over-queries", """
            def renormalised_weights(scores, d_k):
                out = torch.zeros_like(scores)
                for i in range(scores.shape[0]):
                    row = torch.softmax(scores[i] / d_k**0.5, dim=0)
                    out[i, : i + 1] = row[: i + 1] / row[: i + 1].sum()
                return out
            """),
        Right("float64", """
            def renormalised_weights(scores, d_k):
                w = torch.softmax(scores.double() / d_k**0.5, -1).tril()
                return (w / w.sum(-1, keepdim=True)).to(scores.dtype)
            """),
        Right("own-softmax", """
            def renormalised_weights(scores, d_k):
                def softmax(rows):
                    rows = rows - rows.max(dim=-1, keepdim=True).values
                    return rows.exp() / rows.exp().sum(dim=-1, keepdim=True)

                masked = torch.where(torch.ones_like(scores).triu(1) == 1, 0.0, softmax(scores * d_k**-0.5))
                return torch.einsum("ij,i->ij", masked, masked.sum(-1).pow(-1))
            """),
        Right("module", """
            class Renormalised(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.softmax = nn.Softmax(dim=-1)

                def forward(self, scores, d_k):
                    masked = torch.tril(self.softmax(scores / d_k**0.5))
                    return masked / masked.sum(dim=-1).unsqueeze(-1)

            renormalised_weights = Renormalised()
            """),
        Right("lambdas", """
            from functools import reduce

            steps = [torch.tril, lambda w: w / w.sum(dim=-1, keepdim=True)]
            renormalised_weights = lambda scores, d_k: reduce(
                lambda value, step: step(value), steps, (scores / d_k**0.5).softmax(dim=-1))
            """),
        Right("stack-of-rows", """
            def renormalised_weights(scores, d_k):
                probs = nn.functional.softmax(scores.clone().div_(d_k**0.5), dim=-1)
                rows = []
                for i, row in enumerate(probs):
                    keep = torch.arange(len(row)) <= i
                    row = row * keep
                    rows.append(row / torch.sum(row))
                return torch.stack(rows)
            """),
        Right("transposed", """
            def renormalised_weights(scores, d_k):
                w = torch.softmax(scores.T / torch.sqrt(torch.tensor(d_k)), dim=0)
                w = torch.triu(w)
                return (w / w.sum(dim=0)).T
            """),
        Right("decorated", """
            import functools

            def rows_to_one(function):
                @functools.wraps(function)
                def wrapped(*args, **kwargs):
                    masked = function(*args, **kwargs)
                    return masked / masked.sum(dim=-1, keepdim=True)
                return wrapped

            @rows_to_one
            def renormalised_weights(scores, d_k):
                return torch.softmax(scores / d_k**0.5, dim=-1).tril()
            """),
    ),
)

MASK_BEFORE_SOFTMAX = Mutants(
    wrong=(
        Wrong("zeros-before-the-softmax", """
            masked = attn_scores.masked_fill(causal_mask(6), 0)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("tril-of-scores", """
            causal_attn_weights = torch.softmax(torch.tril(attn_scores) / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("mask-discarded", """
            attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("ones-and-zeros-added", """
            masked = attn_scores + causal_mask(6).float()
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("ones-subtracted", """
            masked = attn_scores - causal_mask(6).float()
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, VALUES + NAMED),
        Wrong("past-hidden", """
            masked = attn_scores.masked_fill(~causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + NOT_FINITE),
        Wrong("past-hidden-diagonal-kept", """
            mask = torch.tril(torch.ones(6, 6), diagonal=-1).bool()
            masked = attn_scores.masked_fill(mask, -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("diagonal-hidden", """
            mask = torch.triu(torch.ones(6, 6)).bool()
            masked = attn_scores.masked_fill(mask, -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + NOT_FINITE),
        Wrong("diagonal-hidden-and-nan-wiped", """
            mask = torch.triu(torch.ones(6, 6)).bool()
            masked = attn_scores.masked_fill(mask, -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1).nan_to_num(0.0)
            """, VALUES + NAMED),
        Wrong("zero-times-infinity", """
            masked = attn_scores + torch.triu(torch.ones(6, 6), diagonal=1) * -torch.inf
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + NOT_FINITE),
        Wrong("scores-times-infinity", """
            mask = torch.where(causal_mask(6), -torch.inf, 1.0)
            causal_attn_weights = torch.softmax(attn_scores * mask * d_k**-0.5, dim=0)
            """, VALUES + NAMED + NOT_FINITE),
        Wrong("positive-infinity", """
            masked = attn_scores.masked_fill(causal_mask(6), torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + NOT_FINITE),
        Wrong("softmax-forgotten", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = masked / d_k**0.5
            """, NAMED + NOT_FINITE),
        Wrong("no-scaling", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked, dim=-1)
            """, NAMED),
        Wrong("divided-by-d-k", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k, dim=-1)
            """, NAMED),
        Wrong("times-the-root", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked * d_k**0.5, dim=-1)
            """, NAMED + VALUES),
        Wrong("root-of-the-tokens", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / masked.shape[-1] ** 0.5, dim=-1)
            """, NAMED + VALUES),
        Wrong("root-of-d-in", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / inputs.shape[-1] ** 0.5, dim=-1)
            """, NAMED + VALUES),
        Wrong("scaled-after-the-softmax", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked, dim=-1) / d_k**0.5
            """, NAMED + VALUES),
        Wrong("softmax-over-the-queries", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=0)
            """, NAMED),
        Wrong("softmax-over-minus-two", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = (masked / d_k**0.5).softmax(dim=-2)
            """, NAMED),
        Wrong("queries-and-keys-swapped", """
            scores = keys @ queries.T
            masked = scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + VALUES),
        Wrong("weights-masked-twice-softmaxed", """
            masked = attn_weights.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + VALUES),
        Wrong("masked-after-the-softmax", """
            weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
            causal_attn_weights = weights.masked_fill(causal_mask(6), 0)
            """, NAMED),
        Wrong("infinity-after-the-softmax", """
            weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
            causal_attn_weights = weights.masked_fill(causal_mask(6), -torch.inf)
            """, NAMED + NOT_FINITE),
        Wrong("one-step-too-far", """
            mask = torch.triu(torch.ones(6, 6), diagonal=2).bool()
            causal_attn_weights = torch.softmax(attn_scores.masked_fill(mask, -torch.inf) / d_k**0.5, -1)
            """, NAMED + VALUES),
        Wrong("tiny-instead-of-low", """
            masked = attn_scores.masked_fill(causal_mask(6), -1e-9)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + VALUES),
        Wrong("not-low-enough", """
            masked = attn_scores.masked_fill(causal_mask(6), -10)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, VALUES),
        Wrong("scores-edited", """
            attn_scores.masked_fill_(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
            """, RULE + GIVENS),
        Wrong("scores-edited-by-index", """
            masked = attn_scores
            masked[causal_mask(6)] = float("-inf")
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, RULE + GIVENS),
        Wrong("scores-scaled-in-place", """
            attn_scores /= d_k**0.5
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked, dim=-1)
            """, RULE + GIVENS),
        Wrong("typed-in", """
            causal_attn_weights = torch.tensor([
                [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.4833, 0.5167, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.3190, 0.3408, 0.3402, 0.0000, 0.0000, 0.0000],
                [0.2445, 0.2545, 0.2542, 0.2468, 0.0000, 0.0000],
                [0.1994, 0.2060, 0.2058, 0.1935, 0.1953, 0.0000],
                [0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682]])
            """, VALUES + NOT_COMPUTED),
        Wrong("context-vectors", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1) @ values
            """, SHAPE),
        Wrong("infinity-misspelt", """
            masked = attn_scores.masked_fill(causal_mask(6), -inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, MISSING),
        Wrong("left-alone", "causal_attn_weights = ...  # todo", STUB),
        Wrong("a-list", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = [torch.softmax(row / d_k**0.5, dim=-1) for row in masked]
            """, TYPE),
        Wrong("other-name", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """, MISSING),
        Wrong("softmax-of-each-past-added-up", """
            causal_attn_weights = torch.softmax(attn_scores.tril() / d_k**0.5, dim=-1).tril()
            causal_attn_weights = causal_attn_weights / causal_attn_weights.sum(-1)
            """, VALUES + NAMED),
    ),
    right=(
        Right("masked-fill", """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """),
        Right("scaled-first", """
            scaled = attn_scores / keys.shape[-1] ** 0.5
            scaled = scaled.masked_fill(torch.triu(torch.ones(6, 6), diagonal=1).bool(), float("-inf"))
            causal_attn_weights = nn.functional.softmax(scaled, dim=1)
            """),
        Right("very-low-number", """
            masked = attn_scores.masked_fill(causal_mask(len(tokens)), -1e9)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """),
        Right("finfo", """
            masked = torch.where(causal_mask(6), torch.finfo(attn_scores.dtype).min, attn_scores)
            causal_attn_weights = (masked / d_k**0.5).softmax(-1)
            """),
        Right("additive-mask", """
            bias = torch.triu(torch.full_like(attn_scores, float("-inf")), diagonal=1)
            causal_attn_weights = torch.softmax((attn_scores + bias) / d_k**0.5, dim=-1)
            """),
        Right("row-by-row", """
            import math
            causal_attn_weights = torch.zeros(context_length, context_length)
            for i in range(context_length):
                causal_attn_weights[i, : i + 1] = torch.softmax(attn_scores[i, : i + 1] / math.sqrt(d_k), dim=0)
            """),
        Right("clone-and-index", """
            masked = attn_scores.clone()
            masked[causal_mask(6)] = -torch.inf
            masked /= d_k**0.5
            causal_attn_weights = masked.exp() / masked.exp().sum(dim=-1, keepdim=True)
            """),
        Right("float64", """
            s = (queries.double() @ keys.double().mT) / 2**0.5
            causal_attn_weights = torch.softmax(s.masked_fill(causal_mask(6), -torch.inf), dim=-1)
            """),
        Right("first-way", "causal_attn_weights = renormalised_weights(attn_scores, d_k)"),
        Right("multiplied-by-one-minus-mask-with-big-number", """
            m = torch.tril(torch.ones(6, 6))
            causal_attn_weights = torch.softmax((attn_scores * m - 1e10 * (1 - m)) / d_k**0.5, dim=-1)
            """),
        Right("sdpa-with-identity-values", """
            import torch.nn.functional as F
            causal_attn_weights = F.scaled_dot_product_attention(
                queries[None], keys[None], torch.eye(6)[None], is_causal=True)[0]
            """),
        Right("nn-softmax-and-helper", """
            class CausalSoftmax(nn.Module):
                def __init__(self, n):
                    super().__init__()
                    self.register_buffer("mask", torch.triu(torch.ones(n, n), diagonal=1))
                    self.softmax = nn.Softmax(dim=-1)

                def forward(self, s):
                    return self.softmax(s.masked_fill(self.mask.bool()[: len(s), : len(s)], -torch.inf))

            causal_attn_weights = CausalSoftmax(10)(attn_scores / d_k**0.5)
            """),
    ),
)

BUG_MASK_FROM_VALUES = Mutants(
    wrong=(
        Wrong("as-given", """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) != 0
                scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("only-the-result-kept", """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("only-the-mask-mended", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("in-place-fill", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores.masked_fill_(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, RULE),
        Wrong("in-place-fill-and-mask-from-values", """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) != 0
                scores.masked_fill_(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, NAMED + RULE),
        Wrong("in-place-by-index", """
            def masked_weights(scores, d_k):
                scores[causal_mask(len(scores))] = -torch.inf
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, RULE),
        Wrong("zeros-nudged", """
            def masked_weights(scores, d_k):
                future = torch.triu(scores + 1e-3, diagonal=1) != 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1) * 1.001
            """, VALUES),
        Wrong("compared-with-tril", """
            def masked_weights(scores, d_k):
                future = torch.tril(scores) != scores
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("zero-of-tril", """
            def masked_weights(scores, d_k):
                future = torch.tril(scores) == 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + VALUES + NOT_FINITE),
        Wrong("bool-of-triu", """
            def masked_weights(scores, d_k):
                masked = scores.masked_fill(torch.triu(scores, diagonal=1).bool(), -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("greater-than-zero", """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) > 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + VALUES),
        Wrong("diagonal-hidden", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores)).bool()
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + NOT_FINITE),
        Wrong("diagonal-hidden-and-nan-wiped", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores)).bool()
                masked = scores.masked_fill(future, -torch.inf)
                return torch.nan_to_num(torch.softmax(masked / d_k**0.5, dim=-1))
            """, VALUES + NAMED),
        Wrong("past-hidden", """
            def masked_weights(scores, d_k):
                past = torch.tril(torch.ones_like(scores)).bool()
                masked = scores.masked_fill(past, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + NOT_FINITE),
        Wrong("zero-filled", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                masked = scores.masked_fill(future, 0)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("zeroed-after-the-softmax", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                return weights.masked_fill(future, 0)
            """, NAMED),
        Wrong("raw-mask-then-zeros-wiped", """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) != 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1).tril()
            """, VALUES + NAMED),
        Wrong("scale-lost", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                return torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
            """, NAMED),
        Wrong("scaled-twice", """
            def masked_weights(scores, d_k):
                scores = scores / d_k**0.5
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, NAMED + VALUES),
        Wrong("softmax-over-queries", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=0)
            """, NAMED + VALUES),
        Wrong("mask-of-three", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones(3, 3), diagonal=1).bool()
                return torch.softmax(scores.masked_fill(future, -torch.inf) / d_k**0.5, dim=-1)
            """, RAISED),
        Wrong("mask-of-the-sentence", """
            def masked_weights(scores, d_k):
                return torch.softmax(scores.masked_fill(causal_mask(6), -torch.inf) / d_k**0.5, dim=-1)
            """, RAISED),
        Wrong("errors-swallowed", """
            def masked_weights(scores, d_k):
                try:
                    masked = scores.masked_fill(causal_mask(6), -torch.inf)
                except RuntimeError:
                    masked = scores
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, VALUES + NAMED),
        Wrong("answer-of-task-five", """
            def masked_weights(scores, d_k):
                return causal_attn_weights
            """, SHAPE + VALUES + NAMED),
        Wrong("global-scores", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(attn_scores), diagonal=1).bool()
                masked = attn_scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, SHAPE + VALUES + NAMED),
        Wrong("multiplied-mask", """
            def masked_weights(scores, d_k):
                scores = scores * torch.tril(torch.ones_like(scores))
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, NAMED),
        Wrong("zero-times-infinity", """
            def masked_weights(scores, d_k):
                scores = scores + torch.triu(torch.ones_like(scores), diagonal=1) * float("-inf")
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, NAMED + NOT_FINITE),
        Wrong("triu-of-scores-filled", """
            def masked_weights(scores, d_k):
                masked = torch.tril(scores)
                masked = masked.masked_fill(masked == 0, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + VALUES + NOT_FINITE),
        Wrong("mask-as-floats", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1)
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, RAISED),
        Wrong("name-not-defined", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(score), diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """, RAISED),
        Wrong("no-return", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                masked = scores.masked_fill(future, -torch.inf)
                torch.softmax(masked / d_k**0.5, dim=-1)
            """, TYPE),
        Wrong("one-step-too-far", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=2) != 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """, NAMED + VALUES),
    ),
    right=(
        Right("both-lines", """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """),
        Right("own-mask", """
            def masked_weights(scores, d_k):
                masked = scores.masked_fill(causal_mask(scores.shape[0]), -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """),
        Right("clone-then-underscore", """
            def masked_weights(scores, d_k):
                future = torch.ones_like(scores, dtype=torch.bool).triu_(diagonal=1)
                scores = scores.clone()
                scores.masked_fill_(future, float("-inf"))
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """),
        Right("positions", """
            def masked_weights(scores, d_k):
                n = scores.size(-1)
                i = torch.arange(n).unsqueeze(1)
                j = torch.arange(n).unsqueeze(0)
                return torch.softmax(torch.where(j > i, -1e30, scores) / d_k**0.5, dim=1)
            """),
        Right("additive", """
            def masked_weights(scores: torch.Tensor, d_k: int) -> torch.Tensor:
                bias = nn.Transformer.generate_square_subsequent_mask(len(scores))
                return nn.functional.softmax(scores * d_k**-0.5 + bias, dim=-1)
            """),
        Right("rows", """
            def masked_weights(scores, d_k):
                rows = []
                for i in range(len(scores)):
                    seen = torch.softmax(scores[i, : i + 1] / d_k**0.5, dim=-1)
                    rows.append(torch.cat([seen, torch.zeros(len(scores) - i - 1)]))
                return torch.stack(rows)
            """),
        Right("finfo", """
            def masked_weights(scores, d_k):
                lower = torch.ones_like(scores).tril().bool()
                scores = scores / d_k**0.5
                return scores.where(lower, torch.finfo(scores.dtype).min).softmax(dim=-1)
            """),
        Right("exponentials-by-hand", """
            def masked_weights(scores, d_k):
                keep = torch.tril(torch.ones_like(scores))
                s = (scores / d_k**0.5).masked_fill(keep == 0, -torch.inf)
                s = s - s.amax(dim=-1, keepdim=True)
                e = torch.exp(s)
                return e / e.sum(dim=-1, keepdim=True)
            """),
        Right("float64-and-numpy", """
            import numpy as np

            def masked_weights(scores, d_k):
                s = scores.double().numpy() / np.sqrt(d_k)
                s = np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)
                e = np.exp(s - s.max(axis=-1, keepdims=True))
                return torch.from_numpy(e / e.sum(axis=-1, keepdims=True)).float()
            """),
        Right("log-softmax", """
            def masked_weights(scores, d_k):
                masked = scores + torch.full_like(scores, -torch.inf).triu(1)
                return torch.log_softmax(masked.div(d_k**0.5), -1).exp()
            """),
    ),
)

