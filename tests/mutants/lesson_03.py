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
