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
            NAMED,
        ),
        Wrong(
            "everything-but-oneself",
            """
            def causal_mask(num_tokens):
                return ~torch.eye(num_tokens, dtype=torch.bool)
            """,
            NAMED,
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
            says=r"parenthes|bracket|\(\)|\bcall",
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
            never=r"explore_causal_mask",
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
        Wrong(
            "typed-in-full-precision",
            """
            masked_simple = torch.tensor([
                [0.1716591715812683, 0.0, 0.0, 0.0, 0.0, 0.0],
                [0.16360218822956085, 0.17492954432964325, 0.0, 0.0, 0.0, 0.0],
                [0.16372059285640717, 0.17491063475608826, 0.1745946854352951, 0.0, 0.0, 0.0],
                [0.16363050043582916, 0.17035916447639465, 0.17016655206680298,
                 0.16517668962478638, 0.0, 0.0],
                [0.16672338545322418, 0.17223195731639862, 0.17208485305309296,
                 0.16175530850887299, 0.16329194605350494, 0.0],
                [0.16244946420192719, 0.17087984085083008, 0.17063568532466888,
                 0.16540053486824036, 0.1624602973461151, 0.1681741327047348]])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
        ),
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
            RULE,
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
                [0.1717, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.1636, 0.1749, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.1637, 0.1749, 0.1746, 0.0000, 0.0000, 0.0000],
                [0.1636, 0.1704, 0.1702, 0.1652, 0.0000, 0.0000],
                [0.1667, 0.1722, 0.1721, 0.1618, 0.1633, 0.0000],
                [0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682]])
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
            RULE,
        ),
        Wrong(
            "small-weights-set-to-zero",
            """
            masked_simple = torch.where(attn_weights < 0.16, 0.0, attn_weights)
            """,
            RULE,
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
            "typed-in-full-precision",
            """
            masked_simple_norm = torch.tensor([
                [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                [0.4832698703, 0.5167301297, 0.0, 0.0, 0.0, 0.0],
                [0.3190029860, 0.3408063054, 0.3401907086, 0.0, 0.0, 0.0],
                [0.2444680333, 0.2545208335, 0.2542330623, 0.2467780709, 0.0, 0.0],
                [0.1994090229, 0.2059975415, 0.2058215886, 0.1934669763, 0.1953048557, 0.0],
                [0.1624494642, 0.1708798409, 0.1706356853, 0.1654005349, 0.1624602973, 0.1681741327]])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
        ),
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
        Wrong("softmax-over-the-queries", "masked_simple_norm = masked_simple.softmax(dim=0)", RULE + NAMED),
        Wrong(
            "length-of-the-row",
            """
            masked_simple_norm = masked_simple / masked_simple.norm(dim=-1, keepdim=True)
            """,
            RULE + NAMED,
        ),
        Wrong(
            "normalize-of-functional",
            """
            masked_simple_norm = torch.nn.functional.normalize(masked_simple, dim=-1)
            """,
            RULE + NAMED,
        ),
        Wrong(
            "mean-for-sum",
            """
            masked_simple_norm = masked_simple / masked_simple.mean(dim=-1, keepdim=True)
            """,
            RULE + NAMED,
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
            NAMED,
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
            RULE + NAMED,
        ),
        Wrong(
            "raw-scores",
            "masked_simple_norm = attn_scores.tril() / attn_scores.tril().sum(-1, keepdim=True)",
            NAMED,
        ),
        Wrong(
            "weights-divided-not-masked",
            """
            masked_simple_norm = attn_weights / attn_weights.sum(dim=-1, keepdim=True)
            """,
            RULE + NAMED,
        ),
        Wrong(
            "unmasked-weights-by-masked-sums",
            """
            masked_simple_norm = attn_weights / masked_simple.sum(dim=-1, keepdim=True)
            """,
            RULE + NAMED,
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
            never=r"which is not right yet",
            xfail="blames the earlier task, which was right until this cell wrote over it",
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
            "loop-that-skips-the-first",
            """
            masked_simple_norm = masked_simple.clone()
            for i in range(1, len(masked_simple)):
                masked_simple_norm[i] = masked_simple[i] / masked_simple[i].sum()
            """,
            RULE + NAMED,
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
        Wrong(
            "as-given",
            """
            def renormalised_weights(scores, d_k):
                masked = scores * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "absolute-values",
            """
            def renormalised_weights(scores, d_k):
                masked = scores.abs() * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "clamped-at-zero",
            """
            def renormalised_weights(scores, d_k):
                masked = scores.clamp(min=1e-9) * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "scaled-but-no-softmax",
            """
            def renormalised_weights(scores, d_k):
                scores = scores / d_k**0.5
                masked = scores * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "no-scaling",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "divided-by-d-k",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "precedence-of-the-root",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k ** 1/2, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "times-the-root",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores * d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "root-of-the-number-of-tokens",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / scores.shape[-1] ** 0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "root-of-two",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / 2**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "keys-from-the-notebook",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED + VALUES,
            says=r"`keys`",
        ),
        Wrong(
            "scaled-after-the-softmax",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores, dim=-1) / d_k**0.5
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "softmax-over-the-queries",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=0)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "softmax-over-minus-two",
            """
            def renormalised_weights(scores, d_k):
                weights = (scores / d_k**0.5).softmax(-2)
                masked = weights.tril()
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "not-divided-again",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                return weights * torch.tril(torch.ones_like(scores))
            """,
            NAMED,
        ),
        Wrong(
            "softmax-of-zeroed-scores",
            """
            def renormalised_weights(scores, d_k):
                masked = scores * torch.tril(torch.ones_like(scores))
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "zeroed-before-and-after",
            """
            def renormalised_weights(scores, d_k):
                scores = scores * torch.tril(torch.ones_like(scores))
                weights = torch.softmax(scores, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "softmax-at-the-end",
            """
            def renormalised_weights(scores, d_k):
                masked = scores * torch.tril(torch.ones_like(scores))
                masked = masked / masked.sum(dim=-1, keepdim=True)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            RULE,
        ),
        Wrong(
            "softmax-for-the-division",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return torch.softmax(masked, dim=-1)
            """,
            RULE,
        ),
        Wrong(
            "keepdim-left-out",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "sums-of-columns",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=0, keepdim=True)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "triu",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.triu(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "diagonal-lost",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = torch.tril(weights, diagonal=-1)
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NOT_FINITE + NAMED,
        ),
        Wrong(
            "diagonal-lost-and-nan-hidden",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = torch.tril(weights, diagonal=-1)
                return torch.nan_to_num(masked / masked.sum(dim=-1, keepdim=True))
            """,
            RULE,
        ),
        Wrong(
            "mask-of-six",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones(context_length, context_length))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            RAISED,
        ),
        Wrong(
            "weights-of-the-notebook",
            """
            def renormalised_weights(scores, d_k):
                masked = attn_weights * torch.tril(torch.ones_like(attn_weights))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            SHAPE + VALUES + NAMED,
        ),
        Wrong(
            "answer-of-task-three",
            """
            def renormalised_weights(scores, d_k):
                return masked_simple_norm
            """,
            SHAPE + VALUES + NAMED,
        ),
        Wrong(
            "scores-edited",
            """
            def renormalised_weights(scores, d_k):
                scores /= d_k**0.5
                weights = torch.softmax(scores, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            RULE,
            never=r"Use `masked_fill`",
        ),
        Wrong(
            "softmax-without-axis",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            RAISED,
        ),
        Wrong(
            "undefined-helper",
            """
            def renormalised_weights(scores, d_k):
                weights = F.softmax(scores / math.sqrt(d_k), dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            RAISED,
        ),
        Wrong(
            "return-forgotten",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                masked = masked / masked.sum(dim=-1, keepdim=True)
            """,
            TYPE,
        ),
        Wrong(
            "exponentials-of-masked-scores",
            """
            def renormalised_weights(scores, d_k):
                masked = scores * torch.tril(torch.ones_like(scores))
                e = torch.exp(masked / d_k**0.5)
                return e / e.sum(dim=-1, keepdim=True)
            """,
            RULE,
        ),
        Wrong(
            "exponentials-never-scaled",
            """
            def renormalised_weights(scores, d_k):
                masked = torch.exp(scores) * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "epsilon-in-the-sum",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / (masked.sum(dim=-1, keepdim=True) + 1e-2)
            """,
            RULE,
        ),
        Wrong(
            "other-name",
            """
            def renormalized_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            MISSING,
            says="renormalized_weights",
        ),
        Wrong(
            "argument-forgotten",
            """
            def renormalised_weights(scores):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
            RAISED,
        ),
    ),
    right=(
        Right(
            "three-lines",
            """
            def renormalised_weights(scores, d_k):
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                masked = weights * torch.tril(torch.ones_like(scores))
                return masked / masked.sum(dim=-1, keepdim=True)
            """,
        ),
        Right(
            "math-and-functional",
            """
            import math
            import torch.nn.functional as F

            def renormalised_weights(scores: torch.Tensor, d_k: int) -> torch.Tensor:
                weights = F.softmax(scores / math.sqrt(d_k), dim=1)
                weights = weights.masked_fill(causal_mask(scores.shape[0]), 0.0)
                return F.normalize(weights, p=1, dim=1)
            """,
        ),
        Right(
            "loops-over-queries",
            """
            def renormalised_weights(scores, d_k):
                out = torch.zeros_like(scores)
                for i in range(scores.shape[0]):
                    row = torch.softmax(scores[i] / d_k**0.5, dim=0)
                    out[i, : i + 1] = row[: i + 1] / row[: i + 1].sum()
                return out
            """,
        ),
        Right(
            "float64",
            """
            def renormalised_weights(scores, d_k):
                w = torch.softmax(scores.double() / d_k**0.5, -1).tril()
                return (w / w.sum(-1, keepdim=True)).to(scores.dtype)
            """,
        ),
        Right(
            "own-softmax",
            """
            def renormalised_weights(scores, d_k):
                def softmax(rows):
                    rows = rows - rows.max(dim=-1, keepdim=True).values
                    return rows.exp() / rows.exp().sum(dim=-1, keepdim=True)

                masked = torch.where(torch.ones_like(scores).triu(1) == 1, 0.0, softmax(scores * d_k**-0.5))
                return torch.einsum("ij,i->ij", masked, masked.sum(-1).pow(-1))
            """,
        ),
        Right(
            "module",
            """
            class Renormalised(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.softmax = nn.Softmax(dim=-1)

                def forward(self, scores, d_k):
                    masked = torch.tril(self.softmax(scores / d_k**0.5))
                    return masked / masked.sum(dim=-1).unsqueeze(-1)

            renormalised_weights = Renormalised()
            """,
        ),
        Right(
            "lambdas",
            """
            from functools import reduce

            steps = [torch.tril, lambda w: w / w.sum(dim=-1, keepdim=True)]
            renormalised_weights = lambda scores, d_k: reduce(
                lambda value, step: step(value), steps, (scores / d_k**0.5).softmax(dim=-1))
            """,
        ),
        Right(
            "stack-of-rows",
            """
            def renormalised_weights(scores, d_k):
                probs = nn.functional.softmax(scores.clone().div_(d_k**0.5), dim=-1)
                rows = []
                for i, row in enumerate(probs):
                    keep = torch.arange(len(row)) <= i
                    row = row * keep
                    rows.append(row / torch.sum(row))
                return torch.stack(rows)
            """,
        ),
        Right(
            "transposed",
            """
            def renormalised_weights(scores, d_k):
                w = torch.softmax(scores.T / torch.sqrt(torch.tensor(d_k)), dim=0)
                w = torch.triu(w)
                return (w / w.sum(dim=0)).T
            """,
        ),
        Right(
            "decorated",
            """
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
            """,
        ),
    ),
)

MASK_BEFORE_SOFTMAX = Mutants(
    wrong=(
        Wrong(
            "typed-in-full-precision",
            """
            causal_attn_weights = torch.tensor([
                [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                [0.4832698703, 0.5167301297, 0.0, 0.0, 0.0, 0.0],
                [0.3190029860, 0.3408063054, 0.3401907086, 0.0, 0.0, 0.0],
                [0.2444680333, 0.2545208335, 0.2542330623, 0.2467780709, 0.0, 0.0],
                [0.1994090229, 0.2059975415, 0.2058215886, 0.1934669763, 0.1953048557, 0.0],
                [0.1624494642, 0.1708798409, 0.1706356853, 0.1654005349, 0.1624602973, 0.1681741327]])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
        ),
        Wrong(
            "zeros-before-the-softmax",
            """
            masked = attn_scores.masked_fill(causal_mask(6), 0)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "tril-of-scores",
            """
            causal_attn_weights = torch.softmax(torch.tril(attn_scores) / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "mask-discarded",
            """
            attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "ones-and-zeros-added",
            """
            masked = attn_scores + causal_mask(6).float()
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "ones-subtracted",
            """
            masked = attn_scores - causal_mask(6).float()
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "past-hidden",
            """
            masked = attn_scores.masked_fill(~causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "past-hidden-diagonal-kept",
            """
            mask = torch.tril(torch.ones(6, 6), diagonal=-1).bool()
            masked = attn_scores.masked_fill(mask, -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "diagonal-hidden",
            """
            mask = torch.triu(torch.ones(6, 6)).bool()
            masked = attn_scores.masked_fill(mask, -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "diagonal-hidden-and-nan-wiped",
            """
            mask = torch.triu(torch.ones(6, 6)).bool()
            masked = attn_scores.masked_fill(mask, -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1).nan_to_num(0.0)
            """,
            RULE + NAMED,
        ),
        Wrong(
            "zero-times-infinity",
            """
            masked = attn_scores + torch.triu(torch.ones(6, 6), diagonal=1) * -torch.inf
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "scores-times-infinity",
            """
            mask = torch.where(causal_mask(6), -torch.inf, 1.0)
            causal_attn_weights = torch.softmax(attn_scores * mask * d_k**-0.5, dim=0)
            """,
            RULE + NAMED,
        ),
        Wrong(
            "positive-infinity",
            """
            masked = attn_scores.masked_fill(causal_mask(6), torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "softmax-forgotten",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = masked / d_k**0.5
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "no-scaling",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "divided-by-d-k",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "times-the-root",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked * d_k**0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "root-of-the-tokens",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / masked.shape[-1] ** 0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "root-of-d-in",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / inputs.shape[-1] ** 0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "scaled-after-the-softmax",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked, dim=-1) / d_k**0.5
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "softmax-over-the-queries",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=0)
            """,
            NAMED,
        ),
        Wrong(
            "softmax-over-minus-two",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = (masked / d_k**0.5).softmax(dim=-2)
            """,
            NAMED,
        ),
        Wrong(
            "queries-and-keys-swapped",
            """
            scores = keys @ queries.T
            masked = scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "weights-masked-twice-softmaxed",
            """
            masked = attn_weights.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "masked-after-the-softmax",
            """
            weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
            causal_attn_weights = weights.masked_fill(causal_mask(6), 0)
            """,
            NAMED,
        ),
        Wrong(
            "infinity-after-the-softmax",
            """
            weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
            causal_attn_weights = weights.masked_fill(causal_mask(6), -torch.inf)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "one-step-too-far",
            """
            mask = torch.triu(torch.ones(6, 6), diagonal=2).bool()
            causal_attn_weights = torch.softmax(attn_scores.masked_fill(mask, -torch.inf) / d_k**0.5, -1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "tiny-instead-of-low",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -1e-9)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "not-low-enough",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -10)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            RULE + NAMED,
        ),
        Wrong(
            "scores-edited",
            """
            attn_scores.masked_fill_(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
            """,
            RULE + GIVENS,
        ),
        Wrong(
            "scores-edited-by-index",
            """
            masked = attn_scores
            masked[causal_mask(6)] = float("-inf")
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            RULE + GIVENS,
        ),
        Wrong(
            "scores-scaled-in-place",
            """
            attn_scores /= d_k**0.5
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked, dim=-1)
            """,
            RULE + GIVENS,
        ),
        Wrong(
            "typed-in",
            """
            causal_attn_weights = torch.tensor([
                [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.4833, 0.5167, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.3190, 0.3408, 0.3402, 0.0000, 0.0000, 0.0000],
                [0.2445, 0.2545, 0.2542, 0.2468, 0.0000, 0.0000],
                [0.1994, 0.2060, 0.2058, 0.1935, 0.1953, 0.0000],
                [0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682]])
            """,
            VALUES + NOT_COMPUTED,
        ),
        Wrong(
            "context-vectors",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1) @ values
            """,
            SHAPE,
        ),
        Wrong(
            "infinity-misspelt",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            MISSING,
            never=r"`attn_weights` is defined",
        ),
        Wrong("left-alone", "causal_attn_weights = ...  # todo", STUB),
        Wrong(
            "a-list",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = [torch.softmax(row / d_k**0.5, dim=-1) for row in masked]
            """,
            TYPE,
        ),
        Wrong(
            "other-name",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            MISSING,
        ),
        Wrong(
            "softmax-of-each-past-added-up",
            """
            causal_attn_weights = torch.softmax(attn_scores.tril() / d_k**0.5, dim=-1).tril()
            causal_attn_weights = causal_attn_weights / causal_attn_weights.sum(-1)
            """,
            RULE + NAMED,
        ),
    ),
    right=(
        Right(
            "masked-fill",
            """
            masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
        ),
        Right(
            "scaled-first",
            """
            scaled = attn_scores / keys.shape[-1] ** 0.5
            scaled = scaled.masked_fill(torch.triu(torch.ones(6, 6), diagonal=1).bool(), float("-inf"))
            causal_attn_weights = nn.functional.softmax(scaled, dim=1)
            """,
        ),
        Right(
            "very-low-number",
            """
            masked = attn_scores.masked_fill(causal_mask(len(tokens)), -1e9)
            causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)
            """,
        ),
        Right(
            "finfo",
            """
            masked = torch.where(causal_mask(6), torch.finfo(attn_scores.dtype).min, attn_scores)
            causal_attn_weights = (masked / d_k**0.5).softmax(-1)
            """,
        ),
        Right(
            "additive-mask",
            """
            bias = torch.triu(torch.full_like(attn_scores, float("-inf")), diagonal=1)
            causal_attn_weights = torch.softmax((attn_scores + bias) / d_k**0.5, dim=-1)
            """,
        ),
        Right(
            "row-by-row",
            """
            import math
            causal_attn_weights = torch.zeros(context_length, context_length)
            for i in range(context_length):
                causal_attn_weights[i, : i + 1] = torch.softmax(
                        attn_scores[i, : i + 1] / math.sqrt(d_k), dim=0)
            """,
        ),
        Right(
            "clone-and-index",
            """
            masked = attn_scores.clone()
            masked[causal_mask(6)] = -torch.inf
            masked /= d_k**0.5
            causal_attn_weights = masked.exp() / masked.exp().sum(dim=-1, keepdim=True)
            """,
        ),
        Right(
            "float64",
            """
            s = (queries.double() @ keys.double().mT) / 2**0.5
            causal_attn_weights = torch.softmax(s.masked_fill(causal_mask(6), -torch.inf), dim=-1)
            """,
        ),
        Right("first-way", "causal_attn_weights = renormalised_weights(attn_scores, d_k)"),
        Right(
            "multiplied-by-one-minus-mask-with-big-number",
            """
            m = torch.tril(torch.ones(6, 6))
            causal_attn_weights = torch.softmax((attn_scores * m - 1e10 * (1 - m)) / d_k**0.5, dim=-1)
            """,
        ),
        Right(
            "sdpa-with-identity-values",
            """
            import torch.nn.functional as F
            causal_attn_weights = F.scaled_dot_product_attention(
                queries[None], keys[None], torch.eye(6)[None], is_causal=True)[0]
            """,
        ),
        Right(
            "nn-softmax-and-helper",
            """
            class CausalSoftmax(nn.Module):
                def __init__(self, n):
                    super().__init__()
                    self.register_buffer("mask", torch.triu(torch.ones(n, n), diagonal=1))
                    self.softmax = nn.Softmax(dim=-1)

                def forward(self, s):
                    return self.softmax(s.masked_fill(self.mask.bool()[: len(s), : len(s)], -torch.inf))

            causal_attn_weights = CausalSoftmax(10)(attn_scores / d_k**0.5)
            """,
        ),
    ),
)

BUG_MASK_FROM_VALUES = Mutants(
    wrong=(
        Wrong(
            "as-given",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) != 0
                scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "only-the-result-kept",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "only-the-mask-mended",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "in-place-fill",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores.masked_fill_(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            RULE,
        ),
        Wrong(
            "in-place-fill-and-mask-from-values",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) != 0
                scores.masked_fill_(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            NAMED + RULE,
        ),
        Wrong(
            "in-place-by-index",
            """
            def masked_weights(scores, d_k):
                scores[causal_mask(len(scores))] = -torch.inf
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            RULE,
            never=r"`masked_fill_` wrote",
        ),
        Wrong(
            "zeros-nudged",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(scores + 1e-3, diagonal=1) != 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1) * 1.001
            """,
            VALUES,
        ),
        Wrong(
            "compared-with-tril",
            """
            def masked_weights(scores, d_k):
                future = torch.tril(scores) != scores
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "zero-of-tril",
            """
            def masked_weights(scores, d_k):
                future = torch.tril(scores) == 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES + NOT_FINITE,
            keeps=1,
        ),
        Wrong(
            "bool-of-triu",
            """
            def masked_weights(scores, d_k):
                masked = scores.masked_fill(torch.triu(scores, diagonal=1).bool(), -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "greater-than-zero",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) > 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "diagonal-hidden",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores)).bool()
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "diagonal-hidden-and-nan-wiped",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores)).bool()
                masked = scores.masked_fill(future, -torch.inf)
                return torch.nan_to_num(torch.softmax(masked / d_k**0.5, dim=-1))
            """,
            RULE,
        ),
        Wrong(
            "past-hidden",
            """
            def masked_weights(scores, d_k):
                past = torch.tril(torch.ones_like(scores)).bool()
                masked = scores.masked_fill(past, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "zero-filled",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                masked = scores.masked_fill(future, 0)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "zeroed-after-the-softmax",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                weights = torch.softmax(scores / d_k**0.5, dim=-1)
                return weights.masked_fill(future, 0)
            """,
            NAMED,
        ),
        Wrong(
            "raw-mask-then-zeros-wiped",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(scores, diagonal=1) != 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1).tril()
            """,
            RULE,
            keeps=1,
        ),
        Wrong(
            "scale-lost",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                return torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "scaled-twice",
            """
            def masked_weights(scores, d_k):
                scores = scores / d_k**0.5
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "softmax-over-queries",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=0)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "mask-of-three",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones(3, 3), diagonal=1).bool()
                return torch.softmax(scores.masked_fill(future, -torch.inf) / d_k**0.5, dim=-1)
            """,
            RAISED,
        ),
        Wrong(
            "mask-of-the-sentence",
            """
            def masked_weights(scores, d_k):
                return torch.softmax(scores.masked_fill(causal_mask(6), -torch.inf) / d_k**0.5, dim=-1)
            """,
            RAISED,
        ),
        Wrong(
            "errors-swallowed",
            """
            def masked_weights(scores, d_k):
                try:
                    masked = scores.masked_fill(causal_mask(6), -torch.inf)
                except RuntimeError:
                    masked = scores
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "answer-of-task-five",
            """
            def masked_weights(scores, d_k):
                return causal_attn_weights
            """,
            SHAPE + VALUES + NAMED,
        ),
        Wrong(
            "global-scores",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(attn_scores), diagonal=1).bool()
                masked = attn_scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            SHAPE + VALUES + NAMED,
        ),
        Wrong(
            "multiplied-mask",
            """
            def masked_weights(scores, d_k):
                scores = scores * torch.tril(torch.ones_like(scores))
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "zero-times-infinity",
            """
            def masked_weights(scores, d_k):
                scores = scores + torch.triu(torch.ones_like(scores), diagonal=1) * float("-inf")
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "triu-of-scores-filled",
            """
            def masked_weights(scores, d_k):
                masked = torch.tril(scores)
                masked = masked.masked_fill(masked == 0, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES + NOT_FINITE,
            keeps=1,
        ),
        Wrong(
            "mask-as-floats",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1)
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            RAISED,
        ),
        Wrong(
            "name-not-defined",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(score), diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
            RAISED,
        ),
        Wrong(
            "no-return",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                masked = scores.masked_fill(future, -torch.inf)
                torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            TYPE,
        ),
        Wrong(
            "one-step-too-far",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=2) != 0
                masked = scores.masked_fill(future, -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
            NAMED + VALUES,
        ),
    ),
    right=(
        Right(
            "both-lines",
            """
            def masked_weights(scores, d_k):
                future = torch.triu(torch.ones_like(scores), diagonal=1) != 0
                scores = scores.masked_fill(future, -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
        ),
        Right(
            "own-mask",
            """
            def masked_weights(scores, d_k):
                masked = scores.masked_fill(causal_mask(scores.shape[0]), -torch.inf)
                return torch.softmax(masked / d_k**0.5, dim=-1)
            """,
        ),
        Right(
            "clone-then-underscore",
            """
            def masked_weights(scores, d_k):
                future = torch.ones_like(scores, dtype=torch.bool).triu_(diagonal=1)
                scores = scores.clone()
                scores.masked_fill_(future, float("-inf"))
                return torch.softmax(scores / d_k**0.5, dim=-1)
            """,
        ),
        Right(
            "positions",
            """
            def masked_weights(scores, d_k):
                n = scores.size(-1)
                i = torch.arange(n).unsqueeze(1)
                j = torch.arange(n).unsqueeze(0)
                return torch.softmax(torch.where(j > i, -1e30, scores) / d_k**0.5, dim=1)
            """,
        ),
        Right(
            "additive",
            """
            def masked_weights(scores: torch.Tensor, d_k: int) -> torch.Tensor:
                bias = nn.Transformer.generate_square_subsequent_mask(len(scores))
                return nn.functional.softmax(scores * d_k**-0.5 + bias, dim=-1)
            """,
        ),
        Right(
            "rows",
            """
            def masked_weights(scores, d_k):
                rows = []
                for i in range(len(scores)):
                    seen = torch.softmax(scores[i, : i + 1] / d_k**0.5, dim=-1)
                    rows.append(torch.cat([seen, torch.zeros(len(scores) - i - 1)]))
                return torch.stack(rows)
            """,
        ),
        Right(
            "finfo",
            """
            def masked_weights(scores, d_k):
                lower = torch.ones_like(scores).tril().bool()
                scores = scores / d_k**0.5
                return scores.where(lower, torch.finfo(scores.dtype).min).softmax(dim=-1)
            """,
        ),
        Right(
            "exponentials-by-hand",
            """
            def masked_weights(scores, d_k):
                keep = torch.tril(torch.ones_like(scores))
                s = (scores / d_k**0.5).masked_fill(keep == 0, -torch.inf)
                s = s - s.amax(dim=-1, keepdim=True)
                e = torch.exp(s)
                return e / e.sum(dim=-1, keepdim=True)
            """,
        ),
        Right(
            "float64-and-numpy",
            """
            import numpy as np

            def masked_weights(scores, d_k):
                s = scores.double().numpy() / np.sqrt(d_k)
                s = np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)
                e = np.exp(s - s.max(axis=-1, keepdims=True))
                return torch.from_numpy(e / e.sum(axis=-1, keepdims=True)).float()
            """,
        ),
        Right(
            "log-softmax",
            """
            def masked_weights(scores, d_k):
                masked = scores + torch.full_like(scores, -torch.inf).triu(1)
                return torch.log_softmax(masked.div(d_k**0.5), -1).exp()
            """,
        ),
    ),
)

LARGEST_DIFFERENCE = Mutants(
    wrong=(
        Wrong(
            "no-absolute-value",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).max()
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "absolute-of-the-largest",
            """
            def largest_difference(first, second, scores):
                return abs((first(scores) - second(scores)).max())
            """,
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "difference-of-the-largest",
            """
            def largest_difference(first, second, scores):
                return (first(scores).max() - second(scores).max()).abs()
            """,
            NAMED + VALUES,
            keeps=0,
        ),
        Wrong(
            "difference-of-absolutes",
            """
            def largest_difference(first, second, scores):
                return (first(scores).abs() - second(scores).abs()).abs().max()
            """,
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "mean",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().mean()
            """,
            NAMED,
        ),
        Wrong(
            "sum",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().sum()
            """,
            NAMED,
        ),
        Wrong(
            "absolute-of-the-sum",
            """
            def largest_difference(first, second, scores):
                return torch.abs(torch.sum(first(scores) - second(scores)))
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "smallest",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().min()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "squared",
            """
            def largest_difference(first, second, scores):
                return ((first(scores) - second(scores)) ** 2).max()
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "frobenius-norm",
            """
            def largest_difference(first, second, scores):
                return torch.norm(first(scores) - second(scores))
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "cdist",
            """
            def largest_difference(first, second, scores):
                return torch.cdist(first(scores), second(scores)).max()
            """,
            VALUES,
        ),
        Wrong(
            "one-per-row",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().amax(dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "values-and-indices",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().max(dim=-1)
            """,
            TYPE,
        ),
        Wrong(
            "whole-matrix",
            """
            def largest_difference(first, second, scores):
                return torch.abs(first(scores) - second(scores))
            """,
            SHAPE,
        ),
        Wrong(
            "place-for-value",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().argmax()
            """,
            VALUES + NAMED + DTYPE,
        ),
        Wrong(
            "true-or-false",
            """
            def largest_difference(first, second, scores):
                return torch.allclose(first(scores), second(scores), atol=1e-6)
            """,
            TYPE + DTYPE,
        ),
        Wrong(
            "compared-with-the-bound",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().max() < 1e-6
            """,
            DTYPE + TYPE,
        ),
        Wrong(
            "functions-not-called",
            """
            def largest_difference(first, second, scores):
                return (first - second).abs().max()
            """,
            RAISED,
            never=r"Affine",
        ),
        Wrong(
            "functions-called-with-d-k",
            """
            def largest_difference(first, second, scores):
                return (first(scores, d_k) - second(scores, d_k)).abs().max()
            """,
            RAISED,
            never=r"Affine",
        ),
        Wrong(
            "the-notebooks-functions",
            """
            def largest_difference(first, second, scores):
                return (renormalised_weights(scores, d_k) - masked_weights(scores, d_k)).abs().max()
            """,
            VALUES + NAMED,
            says=r"renormalised_weights",
            xfail="says that a function is compared with itself; the globals that it reads are not named",
        ),
        Wrong(
            "the-notebooks-scores",
            """
            def largest_difference(first, second, scores):
                return (first(attn_scores) - second(attn_scores)).abs().max()
            """,
            VALUES + NAMED,
            says=r"attn_scores",
        ),
        Wrong(
            "first-twice",
            """
            def largest_difference(first, second, scores):
                a = first(scores)
                b = first(scores)
                return (a - b).abs().max()
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "second-after-first",
            """
            def largest_difference(first, second, scores):
                a = first(scores)
                b = second(a)
                return (a - b).abs().max()
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "zero-always",
            """
            def largest_difference(first, second, scores):
                return 0.0
            """,
            NAMED + VALUES,
            never=r"compared with itself",
        ),
        Wrong(
            "printed",
            """
            def largest_difference(first, second, scores):
                print((first(scores) - second(scores)).abs().max())
            """,
            TYPE,
        ),
        Wrong(
            "python-max-of-rows",
            """
            def largest_difference(first, second, scores):
                return max(abs(first(scores) - second(scores)))
            """,
            RAISED,
        ),
        Wrong(
            "numpy-max",
            """
            import numpy as np

            def largest_difference(first, second, scores):
                return np.max(first(scores).numpy() - second(scores).numpy())
            """,
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "keepdim",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().amax(dim=(0, 1), keepdim=True)
            """,
            SHAPE,
        ),
        Wrong(
            "a-list-of-one",
            """
            def largest_difference(first, second, scores):
                return [(first(scores) - second(scores)).abs().max()]
            """,
            TYPE,
            never=r"Add the products",
        ),
        Wrong(
            "diagonal-only",
            """
            def largest_difference(first, second, scores):
                return max(abs(first(scores)[i, i] - second(scores)[i, i]) for i in range(len(scores)))
            """,
            VALUES + NAMED,
            keeps=0,
        ),
        Wrong(
            "item-without-its-call",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().max().item
            """,
            TYPE,
            says=r"parenthes|bracket|\(\)|\bcall",
        ),
        Wrong(
            "relative",
            """
            def largest_difference(first, second, scores):
                a, b = first(scores), second(scores)
                return ((a - b).abs() / b.abs()).max()
            """,
            VALUES + NOT_FINITE,
        ),
        Wrong(
            "other-name",
            """
            def largest_diff(first, second, scores):
                return (first(scores) - second(scores)).abs().max()
            """,
            MISSING,
            says="largest_diff`",
        ),
        Wrong(
            "left-alone",
            """
            def largest_difference(first, second, scores):
                pass
            """,
            STUB,
        ),
        Wrong(
            "loop-that-misses-the-last-row",
            """
            def largest_difference(first, second, scores):
                a, b = first(scores), second(scores)
                largest = 0.0
                for i in range(len(scores) - 1):
                    for j in range(len(scores)):
                        largest = max(largest, abs(a[i, j] - b[i, j]).item())
                return largest
            """,
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "lower-triangle-only",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).tril().abs().max()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "scores-edited-between",
            """
            def largest_difference(first, second, scores):
                a = first(scores)
                scores.fill_(0)
                return (a - second(scores)).abs().max()
            """,
            VALUES + NAMED + RULE,
        ),
        Wrong(
            "rounded",
            """
            def largest_difference(first, second, scores):
                return round((first(scores) - second(scores)).abs().max().item(), 4)
            """,
            VALUES,
            keeps=1,
        ),
    ),
    right=(
        Right(
            "one-line",
            """
            def largest_difference(first, second, scores):
                return (first(scores) - second(scores)).abs().max()
            """,
        ),
        Right(
            "float",
            """
            def largest_difference(first, second, scores):
                return float(torch.max(torch.abs(first(scores) - second(scores))))
            """,
        ),
        Right(
            "loops",
            """
            def largest_difference(first, second, scores):
                a, b = first(scores), second(scores)
                largest = 0.0
                for row_a, row_b in zip(a, b):
                    for x, y in zip(row_a, row_b):
                        largest = max(largest, abs(x - y).item())
                return largest
            """,
        ),
        Right(
            "norm-of-order-infinity",
            """
            def largest_difference(first, second, scores):
                return torch.linalg.vector_norm(first(scores) - second(scores), ord=float("inf"))
            """,
        ),
        Right(
            "both-signs",
            """
            def largest_difference(first, second, scores):
                d = first(scores) - second(scores)
                return torch.maximum(d.max(), -d.min())
            """,
        ),
        Right(
            "numpy",
            """
            import numpy as np

            def largest_difference(first, second, scores):
                return np.abs(np.asarray(first(scores)) - np.asarray(second(scores))).max()
            """,
        ),
        Right(
            "python-max-of-a-list",
            """
            def largest_difference(first, second, scores):
                return max((first(scores) - second(scores)).abs().flatten().tolist())
            """,
        ),
        Right(
            "sorted",
            """
            largest_difference = lambda f, g, s: torch.sort(
                (f(s.clone()) - g(s.clone())).abs().reshape(-1)).values[-1]
            """,
        ),
        Right(
            "root-of-squares-float64",
            """
            def largest_difference(first, second, scores):
                gap = first(scores).double() - second(scores).double()
                return gap.square().sqrt().amax()
            """,
        ),
        Right(
            "mapped",
            """
            def largest_difference(first, second, scores):
                one, other = map(lambda f: f(scores), (first, second))
                return torch.sub(one, other).abs().max(dim=0).values.max().item()
            """,
        ),
        Right(
            "topk",
            """
            def largest_difference(first, second, scores):
                with torch.no_grad():
                    return (first(scores) - second(scores)).flatten().abs().topk(1).values[0]
            """,
        ),
    ),
)

LEAK_DETECTOR = Mutants(
    wrong=(
        Wrong(
            "past-counted-too",
            """
            def future_leaks(attention, x):
                n = x.shape[0]
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)
                return leaks
            """,
            NAMED,
        ),
        Wrong(
            "diagonal-counted",
            """
            def future_leaks(attention, x):
                n = x.shape[0]
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)
                return leaks.triu()
            """,
            NAMED,
        ),
        Wrong(
            "past-instead-of-future",
            """
            def future_leaks(attention, x):
                n = x.shape[0]
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)
                return leaks.tril(-1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "transposed",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    after = attention(changed)
                    for i in range(j):
                        leaks[j, i] = (after[i] - before[i]).abs().max() > 1e-5
                return leaks
            """,
            NAMED,
        ),
        Wrong(
            "caller-edited",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x
                    changed[j] += 1
                    after = attention(changed)
                    for i in range(j):
                        leaks[i, j] = (after[i] - before[i]).abs().max() > 1e-5
                return leaks
            """,
            NAMED + VALUES + RULE,
        ),
        Wrong(
            "one-copy-for-all",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                changed = x.clone()
                for j in range(n):
                    changed[j] += 1
                    after = attention(changed)
                    for i in range(j):
                        leaks[i, j] = (after[i] - before[i]).abs().max() > 1e-5
                return leaks
            """,
            NAMED,
        ),
        Wrong(
            "one-copy-taken-backwards",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                changed = x.clone()
                for j in reversed(range(n)):
                    changed[j] += 1
                    after = attention(changed)
                    for i in range(j):
                        leaks[i, j] = (after[i] - before[i]).abs().max() > 1e-5
                return leaks
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "no-absolute-value",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    after = attention(changed)
                    for i in range(j):
                        leaks[i, j] = (after[i] - before[i]).max() > 1e-5
                return leaks
            """,
            NAMED,
        ),
        Wrong(
            "signed-sum",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    moved = (attention(changed) - before).sum(dim=-1)
                    leaks[:j, j] = moved[:j] > 1e-5
                return leaks
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "absolute-of-the-sum",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    moved = (attention(changed) - before).sum(dim=-1).abs()
                    leaks[:j, j] = moved[:j] > 1e-5
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "all-for-any",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    moved = (attention(changed) - before).abs() > 1e-5
                    leaks[:j, j] = moved.all(dim=-1)[:j]
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "first-column-of-the-output",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    moved = (attention(changed) - before).abs()
                    leaks[:j, j] = moved[:j, 0] > 1e-5
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "exactly-equal",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:j, j] = (attention(changed) != before).any(dim=-1)[:j]
                return leaks
            """,
            NAMED,
            keeps=2,
        ),
        Wrong(
            "coarse-threshold",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 0.1).any(dim=-1)[:j]
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "tiny-step",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1e-4
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "token-set-to-zero",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] = 0
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "token-doubled",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] *= 2
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "token-set-to-one",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] = torch.ones(x.shape[1])
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "swapped-with-its-neighbour",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] = x[(j + 1) % n]
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "all-later-tokens-changed",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j:] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "feature-changed-for-token",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[:, j] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            RAISED + VALUES,
        ),
        Wrong(
            "sentence-cut-off",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for i in range(n):
                    short = attention(x[: i + 1])
                    if (short[i] - before[i]).abs().max() > 1e-5:
                        leaks[i, i + 1:] = True
                return leaks
            """,
            NAMED + VALUES + RAISED,
            never=r"Is a 6 written",
        ),
        Wrong(
            "the-notebooks-inputs",
            """
            def future_leaks(attention, x):
                leaks = torch.zeros(6, 6, dtype=torch.bool)
                before = attention(inputs)
                for j in range(6):
                    changed = inputs.clone()
                    changed[j] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            SHAPE + VALUES + NAMED + RAISED,
            says=r"inputs",
        ),
        Wrong(
            "six-tokens",
            """
            def future_leaks(attention, x):
                leaks = torch.zeros(6, 6, dtype=torch.bool)
                before = attention(x)
                for j in range(6):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            SHAPE + RAISED,
        ),
        Wrong(
            "the-notebooks-attention",
            """
            def future_leaks(attention, x):
                n = len(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                before = sa_v2(x)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:j, j] = ((sa_v2(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            VALUES + NAMED + RAISED,
            says=r"sa_v2",
        ),
        Wrong(
            "only-the-last-token",
            """
            def future_leaks(attention, x):
                n = len(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                changed = x.clone()
                changed[-1] += 1
                moved = (attention(changed) - attention(x)).abs().amax(dim=-1)
                leaks[:-1, -1] = moved[:-1] > 1e-5
                return leaks
            """,
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "only-the-next-token",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(1, n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[j - 1, j] = (attention(changed)[j - 1] - before[j - 1]).abs().max() > 1e-5
                return leaks
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "last-token-skipped",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n - 1):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "floats",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j].float()
                return leaks
            """,
            DTYPE,
        ),
        Wrong(
            "how-far-each-moved",
            """
            def future_leaks(attention, x):
                before = attention(x)
                columns = []
                for j in range(len(x)):
                    changed = x.clone()
                    changed[j] += 1
                    columns.append((attention(changed) - before).abs().amax(dim=-1))
                return torch.stack(columns, dim=1).triu(1)
            """,
            DTYPE,
        ),
        Wrong(
            "nested-list",
            """
            def future_leaks(attention, x):
                before = attention(x)
                rows = []
                for i in range(len(x)):
                    row = []
                    for j in range(len(x)):
                        changed = x.clone()
                        changed[j] += 1
                        row.append(j > i and bool((attention(changed)[i] - before[i]).abs().max() > 1e-5))
                    rows.append(row)
                return rows
            """,
            TYPE,
        ),
        Wrong(
            "pairs-of-places",
            """
            def future_leaks(attention, x):
                before = attention(x)
                leaks = []
                for j in range(len(x)):
                    changed = x.clone()
                    changed[j] += 1
                    after = attention(changed)
                    for i in range(j):
                        if (after[i] - before[i]).abs().max() > 1e-5:
                            leaks.append((i, j))
                return torch.tensor(leaks)
            """,
            SHAPE + DTYPE,
        ),
        Wrong(
            "returns-after-the-first-token",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
                    return leaks
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "everything-true",
            """
            def future_leaks(attention, x):
                return causal_mask(len(x))
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "nothing-leaks",
            """
            def future_leaks(attention, x):
                return torch.zeros(len(x), len(x), dtype=torch.bool)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "left-alone",
            """
            def future_leaks(attention, x):
                ...  # your code here
            """,
            STUB,
        ),
        Wrong(
            "colon-missing",
            """
            def future_leaks(attention, x)
                return None
            """,
            MISSING,
        ),
        Wrong(
            "nested-any-without-axis",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any()
                return leaks
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "isclose-with-its-relative-tolerance",
            """
            def future_leaks(attention, x):
                n = len(x)
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    close = torch.isclose(attention(changed), before, rtol=0.05, atol=1e-2)
                    leaks[:j, j] = ~close.all(dim=-1)[:j]
                return leaks
            """,
            VALUES + NAMED,
            keeps=2,
        ),
        Wrong(
            "before-computed-from-the-changed",
            """
            def future_leaks(attention, x):
                n = len(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    before = attention(changed)
                    after = attention(changed)
                    leaks[:j, j] = ((after - before).abs() > 1e-5).any(dim=-1)[:j]
                return leaks
            """,
            VALUES + NAMED,
        ),
    ),
    right=(
        Right(
            "two-loops",
            """
            def future_leaks(attention, x):
                n = x.shape[0]
                before = attention(x)
                leaks = torch.zeros(n, n, dtype=torch.bool)
                for j in range(n):
                    changed = x.clone()
                    changed[j] += 1
                    after = attention(changed)
                    for i in range(j):
                        if (after[i] - before[i]).abs().max() > 1e-5:
                            leaks[i, j] = True
                return leaks
            """,
        ),
        Right(
            "column-at-a-time",
            """
            def future_leaks(attention, x):
                before = attention(x)
                columns = []
                for j in range(len(x)):
                    changed = x.clone()
                    changed[j] = changed[j] + 1.0
                    columns.append((attention(changed) - before).abs().amax(dim=-1) > 1e-5)
                return torch.stack(columns, dim=1).triu(diagonal=1)
            """,
        ),
        Right(
            "downwards",
            """
            def future_leaks(attention, x):
                n = x.size(0)
                base = attention(x.clone())
                out = torch.full((n, n), False)
                for j in range(1, n):
                    y = x.detach().clone()
                    y[j] -= 1
                    out[:j, j] = torch.any(torch.abs(attention(y) - base) > 1e-5, dim=1)[:j]
                return out
            """,
        ),
        Right(
            "with-the-causal-mask",
            """
            def future_leaks(attention, x):
                moved = torch.zeros(len(x), len(x))
                for j in range(len(x)):
                    other = torch.cat([x[:j], x[j:j + 1] + 1, x[j + 1:]])
                    moved[:, j] = (attention(other) - attention(x)).abs().max(dim=-1).values
                return (moved > 1e-5) & causal_mask(len(x))
            """,
        ),
        Right(
            "identity-times-step",
            """
            def future_leaks(attention, x):
                n = x.shape[0]
                before = attention(x)
                after = torch.stack([attention(x + step[:, None]) for step in torch.eye(n)])
                moved = (after - before).abs().amax(dim=-1) > 1e-5  # (changed, output)
                return torch.logical_and(moved.T, torch.ones(n, n).triu(1).bool())
            """,
        ),
        Right(
            "helper-and-comprehension",
            """
            def changed_at(x: torch.Tensor, j: int) -> torch.Tensor:
                copy = x.clone()
                copy[j] += torch.ones_like(copy[j])
                return copy

            def future_leaks(attention, x):
                before = attention(x)
                def leak(i, j):
                    return j > i and not torch.allclose(
                        attention(changed_at(x, j))[i], before[i], rtol=0, atol=1e-5)
                return torch.tensor([[leak(i, j) for j in range(len(x))] for i in range(len(x))])
            """,
        ),
        Right(
            "random-step",
            """
            def future_leaks(attention, x):
                n = len(x)
                with torch.no_grad():
                    before = attention(x)
                    leaks = torch.zeros((n, n), dtype=torch.bool)
                    for j in range(n):
                        changed = x.clone()
                        changed[j] += 1 + torch.rand(x.shape[-1])
                        far = (attention(changed) - before).norm(dim=-1)
                        leaks[:, j] = far > 1e-5
                return leaks & (torch.arange(n)[None, :] > torch.arange(n)[:, None])
            """,
        ),
        Right(
            "numpy-in-between",
            """
            import copy
            import numpy as np

            def future_leaks(attention, x):
                n = len(x)
                before = attention(x).detach().numpy()
                leaks = np.zeros((n, n), dtype=bool)
                for j in range(n):
                    changed = copy.deepcopy(x)
                    changed[j] += 1
                    after = attention(changed).detach().numpy()
                    for i in range(j):
                        leaks[i, j] = np.abs(after[i] - before[i]).max() > 1e-5
                return torch.from_numpy(leaks)
            """,
        ),
        Right(
            "while-loop",
            """
            def future_leaks(attention, x):
                tokens, d_in = x.shape
                reference = attention(x)
                result = torch.zeros(tokens, tokens) > 0
                j = tokens - 1
                while j > 0:
                    perturbed = x.clone()
                    perturbed[j, :] = perturbed[j, :] + 1.0
                    delta = (attention(perturbed) - reference)[:j]
                    result[:j, j] |= (delta > 1e-5).any(-1) | (delta < -1e-5).any(-1)
                    j -= 1
                return result
            """,
        ),
        Right(
            "sum-of-distances",
            """
            def future_leaks(attention, x):
                leaks = torch.zeros(len(x), len(x), dtype=torch.bool)
                clean = attention(x)
                for j, token in enumerate(x):
                    changed = x.clone()
                    changed[j] = token + 1
                    moved = torch.max(torch.abs(clean - attention(changed)), dim=1)[0]
                    for i, distance in enumerate(moved):
                        leaks[i][j] = (i < j) and distance.item() > 1e-5
                return leaks
            """,
        ),
    ),
)

CAUSAL_ATTENTION = Mutants(
    wrong=(
        Wrong(
            "no-mask",
            """
            def causal_attention(queries, keys, values):
                scores = queries @ keys.T
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED,
        ),
        Wrong(
            "sdpa-without-causal",
            """
            def causal_attention(queries, keys, values):
                return torch.nn.functional.scaled_dot_product_attention(queries, keys, values)
            """,
            NAMED,
        ),
        Wrong(
            "sdpa-with-the-mask-the-wrong-way",
            """
            def causal_attention(queries, keys, values):
                return torch.nn.functional.scaled_dot_product_attention(
                    queries, keys, values, attn_mask=causal_mask(len(queries)))
            """,
            NAMED + NOT_FINITE + VALUES,
        ),
        Wrong(
            "sdpa-without-scale",
            """
            def causal_attention(queries, keys, values):
                return torch.nn.functional.scaled_dot_product_attention(
                    queries, keys, values, is_causal=True, scale=1.0)
            """,
            NAMED,
        ),
        Wrong(
            "mask-discarded",
            """
            def causal_attention(queries, keys, values):
                scores = queries @ keys.T
                scores.masked_fill(causal_mask(len(scores)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED,
        ),
        Wrong(
            "no-scaling",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores, dim=-1) @ values
            """,
            NAMED,
        ),
        Wrong(
            "scaled-by-the-values",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / values.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "scaled-by-the-tokens",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[0] ** 0.5, dim=-1) @ values
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "divided-by-d-k",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1], dim=-1) @ values
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "times-the-root",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores * keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "scaled-after-the-softmax",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores, dim=-1) / keys.shape[-1] ** 0.5 @ values
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "d-k-from-the-notebook",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / d_k**0.5, dim=-1) @ values
            """,
            NAMED + VALUES,
            says=r"`d_k`",
            keeps=1,
        ),
        Wrong(
            "attn-scores-from-the-notebook",
            """
            def causal_attention(queries, keys, values):
                masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
                return torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            RAISED + VALUES + NAMED + SHAPE,
        ),
        Wrong(
            "weights-from-the-notebook",
            """
            def causal_attention(queries, keys, values):
                return causal_attn_weights @ values
            """,
            RAISED + VALUES + NAMED,
        ),
        Wrong(
            "mask-of-six",
            """
            def causal_attention(queries, keys, values):
                mask = torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()
                scores = (queries @ keys.T).masked_fill(mask, -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "queries-and-keys-swapped",
            """
            def causal_attention(queries, keys, values):
                scores = (keys @ queries.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED,
        ),
        Wrong(
            "softmax-over-the-queries",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=0) @ values
            """,
            NAMED,
        ),
        Wrong(
            "softmax-over-minus-two",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return (scores / keys.shape[-1] ** 0.5).softmax(-2) @ values
            """,
            NAMED,
        ),
        Wrong(
            "weights-transposed",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
                return weights.T @ values
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "weights-times-keys",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ keys
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "weights-times-inputs",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ inputs
            """,
            RAISED + SHAPE,
        ),
        Wrong(
            "weights-returned",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "values-elementwise",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) * values
            """,
            RAISED + SHAPE,
        ),
        Wrong(
            "zeros-for-infinity",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).tril()
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED,
        ),
        Wrong(
            "zeroed-not-divided",
            """
            def causal_attention(queries, keys, values):
                weights = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
                return weights.tril() @ values
            """,
            NAMED,
        ),
        Wrong(
            "mask-added-as-ones",
            """
            def causal_attention(queries, keys, values):
                scores = queries @ keys.T + causal_mask(len(queries)).float()
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED,
        ),
        Wrong(
            "mask-from-values",
            """
            def causal_attention(queries, keys, values):
                scores = queries @ keys.T
                scores = scores.masked_fill(torch.triu(scores, diagonal=1) != 0, -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "past-hidden",
            """
            def causal_attention(queries, keys, values):
                mask = torch.tril(torch.ones(len(queries), len(queries)), diagonal=-1).bool()
                scores = (queries @ keys.T).masked_fill(mask, -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED,
        ),
        Wrong(
            "diagonal-hidden",
            """
            def causal_attention(queries, keys, values):
                mask = torch.triu(torch.ones(len(queries), len(queries))).bool()
                scores = (queries @ keys.T).masked_fill(mask, -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "diagonal-hidden-nan-wiped",
            """
            def causal_attention(queries, keys, values):
                mask = torch.triu(torch.ones(len(queries), len(queries))).bool()
                scores = (queries @ keys.T).masked_fill(mask, -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1).nan_to_num() @ values
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "raw-shares",
            """
            def causal_attention(queries, keys, values):
                masked = (queries @ keys.T / keys.shape[-1] ** 0.5).tril()
                return masked / masked.sum(dim=-1, keepdim=True) @ values
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "dropout-too",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
                return nn.Dropout(0.5)(weights) @ values
            """,
            VALUES + RULE + NAMED,
        ),
        Wrong(
            "queries-scaled-in-place",
            """
            def causal_attention(queries, keys, values):
                queries /= queries.shape[-1] ** 0.5
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores, dim=-1) @ values
            """,
            RULE,
        ),
        Wrong(
            "batch-transpose-on-a-matrix",
            """
            def causal_attention(queries, keys, values):
                scores = queries @ keys.transpose(1, 2)
                scores = scores.masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            RAISED,
        ),
        Wrong(
            "keys-not-transposed",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys).masked_fill(causal_mask(len(queries)), -torch.inf)
                return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
            RAISED,
        ),
        Wrong(
            "output-has-a-batch-axis",
            """
            def causal_attention(queries, keys, values):
                return torch.nn.functional.scaled_dot_product_attention(
                    queries[None], keys[None], values[None], is_causal=True)
            """,
            SHAPE,
        ),
        Wrong(
            "output-as-wide-as-the-keys",
            """
            def causal_attention(queries, keys, values):
                n, d = keys.shape
                scores = (queries @ keys.T).masked_fill(causal_mask(n), -torch.inf)
                weights = torch.softmax(scores / d**0.5, dim=-1)
                out = torch.zeros(n, d)
                for i in range(n):
                    for j in range(i + 1):
                        out[i] += weights[i, j] * values[j]
                return out
            """,
            RAISED + SHAPE,
            keeps=1,
        ),
        Wrong(
            "both-returned",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
                return weights @ values, weights
            """,
            TYPE,
        ),
        Wrong(
            "nothing-returned",
            """
            def causal_attention(queries, keys, values):
                scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
                weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
                context = weights @ values
            """,
            TYPE,
        ),
        Wrong(
            "takes-the-inputs",
            """
            def causal_attention(x):
                queries, keys, values = sa_v2.W_query(x), sa_v2.W_key(x), sa_v2.W_value(x)
                return masked_weights(queries @ keys.T, keys.shape[-1]) @ values
            """,
            RAISED,
        ),
        Wrong(
            "left-alone",
            """
            def causal_attention(queries, keys, values):
                ...  # your code here
            """,
            STUB,
        ),
        Wrong(
            "loop-without-the-present",
            """
            def causal_attention(queries, keys, values):
                out = [values[0]]
                for i in range(1, len(queries)):
                    w = torch.softmax(keys[:i] @ queries[i] / keys.shape[-1] ** 0.5, dim=0)
                    out.append(w @ values[:i])
                return torch.stack(out)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "cumulative-mean",
            """
            def causal_attention(queries, keys, values):
                counts = torch.arange(1, len(values) + 1)[:, None]
                return values.cumsum(dim=0) / counts
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "zeroed-weights-from-the-notebook",
            """
            def causal_attention(queries, keys, values):
                return masked_weights(queries @ keys.T, 2) @ values
            """,
            VALUES + NAMED,
            keeps=1,
        ),
    ),
    right=(
        Right(
            "own-mask",
            """
            def causal_attention(queries, keys, values):
                scores = queries @ keys.T
                masked = scores.masked_fill(causal_mask(scores.shape[0]), -torch.inf)
                return torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1) @ values
            """,
        ),
        Right(
            "task-six",
            """
            def causal_attention(queries, keys, values):
                return masked_weights(queries @ keys.T, keys.shape[-1]) @ values
            """,
        ),
        Right(
            "task-four",
            """
            def causal_attention(queries, keys, values):
                weights = renormalised_weights(queries @ keys.T, keys.shape[-1])
                return weights @ values
            """,
        ),
        Right(
            "sdpa",
            """
            import torch.nn.functional as F

            def causal_attention(queries, keys, values):
                return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
            """,
        ),
        Right(
            "sdpa-with-a-mask-and-batch",
            """
            import torch.nn.functional as F

            def causal_attention(queries, keys, values):
                allowed = ~causal_mask(queries.shape[0])
                q, k, v = (t.unsqueeze(0).unsqueeze(0) for t in (queries, keys, values))
                return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed).squeeze(0).squeeze(0)
            """,
        ),
        Right(
            "einsum",
            """
            def causal_attention(q, k, v):
                s = torch.einsum("id,jd->ij", q, k) / k.shape[-1] ** 0.5
                s = s + torch.triu(torch.full_like(s, -1e9), diagonal=1)
                return torch.einsum("ij,jd->id", s.softmax(dim=-1), v)
            """,
        ),
        Right(
            "bmm",
            """
            def causal_attention(queries, keys, values):
                q, k, v = queries[None], keys[None], values[None]
                s = torch.bmm(q, k.transpose(1, 2)).div(q.size(-1) ** 0.5)
                keep = torch.tril(torch.ones(s.shape[-2:]))
                s = s.masked_fill(keep == 0, float("-inf"))
                return torch.bmm(nn.Softmax(dim=-1)(s), v)[0]
            """,
        ),
        Right(
            "query-by-query",
            """
            import math

            def causal_attention(queries, keys, values):
                out = []
                for i, query in enumerate(queries):
                    seen = keys[: i + 1] @ query / math.sqrt(query.shape[0])
                    out.append(torch.softmax(seen, dim=0) @ values[: i + 1])
                return torch.stack(out)
            """,
        ),
        Right(
            "multi-head-attention-module",
            """
            def causal_attention(queries, keys, values):
                d, v = queries.shape[-1], values.shape[-1]
                wide = max(d, v)
                pad = lambda t: nn.functional.pad(t, (0, wide - t.shape[-1]))
                mha = nn.MultiheadAttention(wide, 1, bias=False)
                eye = torch.eye(wide)
                with torch.no_grad():
                    mha.in_proj_weight.copy_(torch.cat([eye * (wide / d) ** 0.5, eye, eye]))
                    mha.out_proj.weight.copy_(eye)
                    out, _ = mha(pad(queries), pad(keys), pad(values), attn_mask=causal_mask(len(queries)))
                return out[:, :v]
            """,
        ),
        Right(
            "float64-and-loops",
            """
            def causal_attention(queries, keys, values):
                n, d_v = len(queries), values.shape[1]
                context = torch.zeros(n, d_v, dtype=torch.float64)
                for i in range(n):
                    e = [torch.exp(torch.dot(queries[i].double(), keys[j].double()) / keys.shape[1] ** 0.5)
                         for j in range(i + 1)]
                    for j in range(i + 1):
                        context[i] += e[j] / sum(e) * values[j].double()
                return context.to(values.dtype)
            """,
        ),
        Right(
            "module-with-helpers",
            """
            class Causal(nn.Module):
                @property
                def scale(self):
                    return self.d_k ** -0.5

                def weights(self, q, k):
                    self.d_k = q.shape[-1]
                    s = torch.matmul(q, k.transpose(-2, -1)) * self.scale
                    rows, columns = torch.triu_indices(len(q), len(k), 1)
                    s[rows, columns] = torch.finfo(s.dtype).min
                    return s.softmax(-1)

                def forward(self, q, k, v):
                    return self.weights(q, k) @ v

            causal_attention = Causal()
            """,
        ),
        Right(
            "scaled-queries-and-where",
            """
            def causal_attention(queries: torch.Tensor, keys: torch.Tensor, values) -> torch.Tensor:
                '''Scale the queries, then mask.'''
                d_k = queries.shape[-1]
                scores = (queries * d_k**-0.5) @ keys.mT
                i = torch.arange(len(queries))
                scores = torch.where(i[:, None] >= i[None, :], scores, -torch.inf)
                return torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True)) @ values
            """,
        ),
        Right(
            "transposed-world",
            """
            def causal_attention(queries, keys, values):
                scores = keys @ queries.T  # (key, query)
                scores = scores.masked_fill(causal_mask(len(keys)).T, -torch.inf)
                weights = torch.softmax(scores / keys.shape[1] ** 0.5, dim=0)
                return (values.T @ weights).T
            """,
        ),
        Right(
            "running-softmax",
            """
            def causal_attention(queries, keys, values):
                e = torch.exp((queries @ keys.T) / keys.shape[-1] ** 0.5).tril()
                return (e @ values) / e.sum(dim=-1, keepdim=True)
            """,
        ),
    ),
)

TASKS = {
    "causal-mask": CAUSAL_MASK,
    "mask-after-softmax": MASK_AFTER_SOFTMAX,
    "renormalise": RENORMALISE,
    "bug-raw-scores": BUG_RAW_SCORES,
    "mask-before-softmax": MASK_BEFORE_SOFTMAX,
    "bug-mask-from-values": BUG_MASK_FROM_VALUES,
    "largest-difference": LARGEST_DIFFERENCE,
    "leak-detector": LEAK_DETECTOR,
    "causal-attention-by-hand": CAUSAL_ATTENTION,
}
