# ruff: noqa: F405  (the words that answers are written with all come from one place)
"""Answers to lesson 03 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the released notebook and the list of misconceptions, without a
look at the known wrong answers in the lesson's `tasks.py`.
"""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "03-causal"
TASKS = Tasks(LESSON)

TASKS.hold(
    "causal-mask",
    Wrong("past-hidden", NAMED)
    | returns("torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1).bool()"),
    Wrong("tril-without-diagonal-argument", NAMED)
    | returns("torch.tril(torch.ones(num_tokens, num_tokens)).bool()"),
    Wrong("diagonal-hidden-too", NAMED) | returns("torch.triu(torch.ones(num_tokens, num_tokens)).bool()"),
    Wrong("diagonal-minus-one", NAMED + VALUES)
    | body("mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=-1)", "return mask.bool()"),
    Wrong("diagonal-two", NAMED)
    | returns("torch.triu(torch.ones(num_tokens, num_tokens), diagonal=2).bool()"),
    Wrong("tril-with-diagonal-one", NAMED + VALUES)
    | returns("torch.tril(torch.ones(num_tokens, num_tokens), diagonal=1).bool()"),
    Wrong("not-turned-into-booleans", DTYPE, keeps=1, base="tuple") | edit(".bool(),", ""),
    Wrong("integers", DTYPE, keeps=1)
    | returns("torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.long), diagonal=1)"),
    Wrong("bytes", DTYPE, keeps=1)
    | returns("torch.triu(torch.ones((num_tokens, num_tokens)), diagonal=1).to(torch.uint8)"),
    Wrong("additive-mask-of-infinities", DTYPE)
    | returns('torch.triu(torch.full((num_tokens, num_tokens), float("-inf")), diagonal=1)'),
    Wrong("zero-times-infinity", NAMED + VALUES)
    | returns("(torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) * -torch.inf).bool()"),
    Wrong("nested-list", TYPE) | returns("[[j > i for j in range(num_tokens)] for i in range(num_tokens)]"),
    Wrong("numpy-array", TYPE, keeps=1)
    | body("return np.triu(np.ones((num_tokens, num_tokens)), k=1).astype(bool)")
    | before("import numpy as np"),
    Wrong("six-tokens-always", SHAPE + NAMED) | returns("torch.triu(torch.ones(6, 6), diagonal=1).bool()"),
    Wrong("length-of-the-sentence", SHAPE + NAMED)
    | returns("torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()"),
    Wrong("takes-the-inputs", RAISED)
    | body("n = num_tokens.shape[0]", "return torch.triu(torch.ones(n, n), diagonal=1).bool()"),
    Wrong("ones-like-a-number", RAISED)
    | returns("torch.triu(torch.ones_like(num_tokens), diagonal=1).bool()"),
    Wrong("vector-of-ones", RAISED) | returns("torch.triu(torch.ones(num_tokens), diagonal=1).bool()"),
    Wrong("zeros-for-ones", VALUES + NAMED)
    | returns("torch.triu(torch.zeros(num_tokens, num_tokens), diagonal=1).bool()"),
    Wrong("loop-with-the-indices-swapped", NAMED, base="two-loops")
    | lines("for j in range", "mask[i, j", "for j in range(i):", "    mask[i, j] = True"),
    Wrong("loop-one-short", VALUES, base="loop-with-the-indices-swapped")
    | edit("range(i)", "range(i + 1, num_tokens - 1)"),
    Wrong("loop-that-returns-too-soon", VALUES, base="two-loops")
    | edit("(num_tokens, num_tokens, dtype=torch.bool)", "(num_tokens, num_tokens).bool()")
    | lines("for j in range", "return mask", "mask[i, i + 1:] = True", "return mask"),
    Wrong("only-the-next-token", NAMED)
    | returns("torch.diag(torch.ones(num_tokens - 1), diagonal=1).bool()"),
    Wrong("everything-but-oneself", NAMED) | returns("~torch.eye(num_tokens, dtype=torch.bool)"),
    Wrong("batch-axis-in-front", SHAPE)
    | returns("torch.triu(torch.ones(1, num_tokens, num_tokens), diagonal=1).bool()"),
    Wrong("tuple", TYPE, keeps=1)
    | returns("torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool(),"),
    Wrong("bool-without-its-call", TYPE, says=CALL_IT, base="tuple") | edit(".bool(),", ".bool"),
    Wrong("prints", TYPE) | body("print(torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool())"),
    Wrong("forgot-to-return", TYPE)
    | body("mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()"),
    Wrong("a-mask-not-a-function", NO_FUNCTION)
    | typed("causal_mask = torch.triu(torch.ones(6, 6), diagonal=1).bool()"),
    Wrong("misspelt", MISSING, says="`casual_mask`").typed("""
        def casual_mask(num_tokens):
            return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()"""),
    Wrong("bracket-missing", MISSING, never="explore_causal_mask")
    | returns("torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1.bool()"),
    Wrong("left-alone", STUB) | body("...  # your code here"),
    Wrong("text-written-out-for-six", SHAPE + NAMED).body("""
        return torch.tensor([
            [False, True, True, True, True, True],
            [False, False, True, True, True, True],
            [False, False, False, True, True, True],
            [False, False, False, False, True, True],
            [False, False, False, False, False, True],
            [False, False, False, False, False, False],
        ])"""),
    Wrong("row-of-zero-hidden-in-a-comparison", NAMED)
    | body("positions = torch.arange(num_tokens)", "return positions[:, None] < positions[:, None].T - 1"),
    Wrong("greater-or-equal", NAMED)
    | body("idx = torch.arange(num_tokens)", "return idx.unsqueeze(0) >= idx.unsqueeze(1)"),
    Wrong("sparse-tensor", TYPE, keeps=1, base="tuple") | edit(".bool(),", ".bool().to_sparse()"),
    Right("bool-ones") | returns("torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal=1)"),
    Right("tril-and-not").typed("""
        def causal_mask(num_tokens: int) -> torch.Tensor:
            return ~torch.tril(torch.ones(num_tokens, num_tokens)).bool()"""),
    Right("tril-equals-zero") | typed("def causal_mask(n):", "    return torch.tril(torch.ones(n, n)) == 0"),
    Right("positions-compared")
    | body("positions = torch.arange(num_tokens)", "return positions[None, :] > positions[:, None]"),
    Right("two-loops").body("""
        mask = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
        for i in range(num_tokens):
            for j in range(num_tokens):
                if j > i:
                    mask[i, j] = True
        return mask"""),
    Right("list-comprehension")
    | returns("torch.tensor([[j > i for j in range(num_tokens)] for i in range(num_tokens)])"),
    Right("indices").body("""
        mask = torch.full((num_tokens, num_tokens), False)
        rows, columns = torch.triu_indices(num_tokens, num_tokens, offset=1)
        mask[rows, columns] = True
        return mask"""),
    Right("numpy-inside").typed("""
        import numpy as np

        causal_mask = lambda n: torch.from_numpy(np.triu(np.ones((n, n), dtype=bool), k=1))"""),
    Right("additive-mask-of-nn")
    | returns('nn.Transformer.generate_square_subsequent_mask(num_tokens) == float("-inf")'),
    Right("cumulated-sum") | returns("(torch.eye(num_tokens).cumsum(dim=1) - torch.eye(num_tokens)) > 0"),
    Right("cached-and-recursive").typed("""
        import functools

        @functools.lru_cache(maxsize=None)
        def causal_mask(num_tokens):
            if num_tokens == 1:
                return torch.zeros(1, 1, dtype=torch.bool)
            smaller = causal_mask(num_tokens - 1)
            bottom = torch.zeros(1, num_tokens - 1, dtype=torch.bool)
            right = torch.ones(num_tokens, 1, dtype=torch.bool)
            right[-1] = False
            return torch.cat([torch.cat([smaller, bottom]), right], dim=1)"""),
    Right("meshgrid-and-more-arguments").typed("""
        def causal_mask(num_tokens, device=None, *, strict=True):
            i, j = torch.meshgrid(torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij")
            return torch.where(j > i, True, False)"""),
    Right("transposed-lower") | returns("torch.ones(num_tokens, num_tokens).tril(-1).T.bool()"),
)

TASKS.hold(
    "mask-after-softmax",
    Wrong("typed-in-full-precision", NOT_COMPUTED, notebook_passes=True).typed("""
        masked_simple = torch.tensor([
            [0.1716591715812683, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.16360218822956085, 0.17492954432964325, 0.0, 0.0, 0.0, 0.0],
            [0.16372059285640717, 0.17491063475608826, 0.1745946854352951, 0.0, 0.0, 0.0],
            [0.16363050043582916, 0.17035916447639465, 0.17016655206680298,
             0.16517668962478638, 0.0, 0.0],
            [0.16672338545322418, 0.17223195731639862, 0.17208485305309296,
             0.16175530850887299, 0.16329194605350494, 0.0],
            [0.16244946420192719, 0.17087984085083008, 0.17063568532466888,
             0.16540053486824036, 0.1624602973461151, 0.1681741327047348]])"""),
    Wrong("past-set-to-zero", NAMED) | returns("torch.triu(attn_weights)"),
    Wrong("diagonal-too", NAMED) | returns("torch.tril(attn_weights, diagonal=-1)"),
    Wrong("one-too-far", NAMED) | returns("torch.tril(attn_weights, diagonal=1)"),
    Wrong("mask-not-inverted", NAMED) | returns("attn_weights * causal_mask(6)"),
    Wrong("upper-with-diagonal-zeroed", NAMED).typed("""
        mask = torch.triu(torch.ones(context_length, context_length)).bool()
        masked_simple = attn_weights.masked_fill(mask, 0)"""),
    Wrong("scores-instead-of-weights", NAMED).typed("""
        mask_simple = torch.tril(torch.ones(context_length, context_length))
        masked_simple = attn_scores * mask_simple"""),
    Wrong("infinity-instead-of-zero", NAMED + NOT_FINITE)
    | returns("attn_weights.masked_fill(causal_mask(6), -torch.inf)"),
    Wrong("the-mask-alone", NAMED) | edit(" attn_weights *", ""),
    Wrong("matrix-product-with-the-mask", VALUES + NAMED).typed("""
        mask_simple = torch.tril(torch.ones(context_length, context_length))
        masked_simple = attn_weights @ mask_simple"""),
    Wrong("added-mask", RULE + NAMED) | returns("attn_weights + torch.tril(torch.ones(6, 6))"),
    Wrong("divided-already", NAMED, base="product")
    | below("masked_simple", "masked_simple = masked_simple / masked_simple.sum(dim=-1, keepdim=True)"),
    Wrong("written-into-the-weights", RULE + GIVENS)
    | typed("attn_weights[causal_mask(6)] = 0", "masked_simple = attn_weights"),
    Wrong("masked-fill-underscore", RULE + GIVENS)
    | returns("attn_weights.masked_fill_(causal_mask(6), 0.0)"),
    Wrong("in-place-product", RULE + GIVENS)
    | typed("attn_weights *= torch.tril(torch.ones(6, 6))", "masked_simple = attn_weights.clone()"),
    Wrong("result-discarded", NAMED)
    | typed("masked_simple = attn_weights", "masked_simple.masked_fill(causal_mask(6), 0)"),
    Wrong("nothing-done", NAMED) | returns("attn_weights"),
    Wrong("transposed", NAMED + VALUES) | returns("torch.tril(attn_weights.T)"),
    Wrong("typed-in-four-decimals", VALUES + NOT_COMPUTED).typed("""
        masked_simple = torch.tensor([
            [0.1717, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.1636, 0.1749, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.1637, 0.1749, 0.1746, 0.0000, 0.0000, 0.0000],
            [0.1636, 0.1704, 0.1702, 0.1652, 0.0000, 0.0000],
            [0.1667, 0.1722, 0.1721, 0.1618, 0.1633, 0.0000],
            [0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682]])"""),
    Wrong("list", TYPE) | returns("torch.tril(attn_weights).tolist()"),
    Wrong("numpy", TYPE) | returns("torch.tril(attn_weights).numpy()"),
    Wrong("tuple", TYPE) | returns("torch.tril(attn_weights),"),
    Wrong("printed", TYPE) | returns("print(torch.tril(attn_weights))"),
    Wrong("other-name", MISSING, says="mask_simple") | typed("mask_simple = torch.tril(attn_weights)"),
    Wrong("typo-inside", MISSING) | returns("torch.tril(attention_weights)"),
    Wrong("left-alone", STUB) | returns("...  # your code here"),
    Wrong("loop-forgets-nothing-but-the-last-row", RULE).typed("""
        masked_simple = attn_weights.clone()
        for i in range(5):
            for j in range(i + 1, 5):
                masked_simple[i, j] = 0"""),
    Wrong("small-weights-set-to-zero", RULE) | returns("torch.where(attn_weights < 0.16, 0.0, attn_weights)"),
    Wrong("without-the-root", NAMED + VALUES) | returns("torch.tril(torch.softmax(attn_scores, dim=-1))"),
    Wrong("softmax-of-masked-scores", NAMED + VALUES).typed("""
        masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
        masked_simple = torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Wrong("integers", VALUES + DTYPE) | returns("torch.tril(attn_weights).int()"),
    Wrong("sum-typed", SHAPE) | returns("torch.tril(attn_weights).sum(dim=-1)"),
    Wrong("a-function", TYPE) | typed("def masked_simple():", "    return torch.tril(attn_weights)"),
    Wrong("method-without-call", TYPE) | returns("attn_weights.tril"),
    Wrong("boolean-index-flattens", SHAPE) | returns("attn_weights[~causal_mask(6)]"),
    Right("product") | edit("context_length", "6", places=2),
    Right("tril") | returns("attn_weights.tril()"),
    Right("masked-fill") | returns("attn_weights.masked_fill(causal_mask(context_length), 0)"),
    Right("not-the-mask") | returns("attn_weights * ~causal_mask(len(inputs))"),
    Right("where") | returns("torch.where(causal_mask(6), torch.tensor(0.0), attn_weights)"),
    Right("clone-and-index")
    | typed("masked_simple = attn_weights.clone()", "masked_simple[causal_mask(6)] = 0"),
    Right("clone-and-loops").typed("""
        masked_simple = torch.zeros_like(attn_weights)
        for i, row in enumerate(attn_weights):
            for j in range(i + 1):
                masked_simple[i, j] = row[j]"""),
    Right("stacked-rows").typed("""
        import torch.nn.functional as F
        rows = [F.pad(attn_weights[i, : i + 1], (0, len(tokens) - i - 1)) for i in range(len(tokens))]
        masked_simple = torch.stack(rows)"""),
    Right("float64") | returns("attn_weights.double() * torch.tril(torch.ones(6, 6)).double()"),
    Right("minus-the-upper") | returns("attn_weights - torch.triu(attn_weights, diagonal=1)"),
    Right("from-the-start").typed("""
        q, k = sa_v2.W_query(inputs), sa_v2.W_key(inputs)
        w = (q @ k.transpose(0, 1) / k.size(-1) ** 0.5).softmax(-1)
        mask_simple = torch.tril(torch.ones(w.shape))
        masked_simple = w * mask_simple"""),
    Right("in-place-on-a-copy")
    | returns("attn_weights.detach().clone().mul_(torch.ones_like(attn_weights).tril_())"),
    Right("helper").typed("""
        def zero_future(w: torch.Tensor) -> torch.Tensor:
            '''No look ahead.'''
            out = w.clone()
            out.masked_fill_(torch.ones_like(w, dtype=torch.bool).triu(1), 0.0)
            return out

        masked_simple = zero_future(attn_weights)"""),
)

TASKS.hold(
    "renormalise",
    Wrong("typed-in-full-precision", NOT_COMPUTED, notebook_passes=True).typed("""
        masked_simple_norm = torch.tensor([
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.4832698703, 0.5167301297, 0.0, 0.0, 0.0, 0.0],
            [0.3190029860, 0.3408063054, 0.3401907086, 0.0, 0.0, 0.0],
            [0.2444680333, 0.2545208335, 0.2542330623, 0.2467780709, 0.0, 0.0],
            [0.1994090229, 0.2059975415, 0.2058215886, 0.1934669763, 0.1953048557, 0.0],
            [0.1624494642, 0.1708798409, 0.1706356853, 0.1654005349, 0.1624602973, 0.1681741327]])"""),
    Wrong("sum-over-columns", NAMED) | edit("-1, keepdim", "0, keepdim"),
    Wrong("sum-over-columns-no-keepdim", NAMED + VALUES) | edit("dim=-1, keepdim=True", "0"),
    Wrong("sum-over-minus-two", NAMED, base="positive-axis") | edit("1, keepdim", "-2, keepdim"),
    Wrong("no-keepdim", NAMED) | edit(", keepdim=True", ""),
    Wrong("no-keepdim-positive", NAMED + VALUES) | edit("dim=-1, keepdim=True", "1"),
    Wrong("divided-by-everything", NAMED) | edit("dim=-1, keepdim=True", ""),
    Wrong("softmax-again", NAMED) | returns("torch.softmax(masked_simple, dim=-1)"),
    Wrong("softmax-over-the-queries", RULE + NAMED) | returns("masked_simple.softmax(dim=0)"),
    Wrong("length-of-the-row", RULE + NAMED) | edit("masked_simple.sum", "masked_simple.norm"),
    Wrong("normalize-of-functional", RULE + NAMED)
    | returns("torch.nn.functional.normalize(masked_simple, dim=-1)"),
    Wrong("mean-for-sum", RULE + NAMED) | edit("masked_simple.sum", "masked_simple.mean"),
    Wrong("max-for-sum", VALUES + NAMED)
    | returns("masked_simple / masked_simple.max(dim=-1, keepdim=True).values"),
    Wrong("max-returns-a-pair", MISSING) | edit("masked_simple.sum", "masked_simple.max"),
    Wrong("number-of-tokens-in-the-past", NAMED)
    | typed("counts = torch.arange(1, 7).view(-1, 1)", "masked_simple_norm = masked_simple / counts"),
    Wrong("multiplied", VALUES + NAMED) | edit("masked_simple /", "masked_simple *"),
    Wrong("subtracted", RULE + NAMED) | edit("masked_simple /", "masked_simple -"),
    Wrong("raw-scores", NAMED) | returns("attn_scores.tril() / attn_scores.tril().sum(-1, keepdim=True)"),
    Wrong("weights-divided-not-masked", RULE + NAMED) | rename("masked_simple", "attn_weights"),
    Wrong("unmasked-weights-by-masked-sums", RULE + NAMED) | edit("masked_simple ", "attn_weights "),
    Wrong("masked-by-unmasked-sums", VALUES + NAMED) | edit("masked_simple.", "attn_weights."),
    Wrong("the-sums-alone", SHAPE) | edit(" masked_simple /", ""),
    Wrong(
        "in-place",
        SHAPE,
        never="which is not right yet",
        xfail="blames the earlier task, which was right until this cell wrote over it",
    ).typed("""
        masked_simple /= masked_simple.sum(dim=-1, keepdim=True)
        masked_simple_norm = masked_simple.sum(dim=-1)"""),
    Wrong("uniform-rows", VALUES + NAMED).typed("""
        mask_simple = torch.tril(torch.ones(6, 6))
        masked_simple_norm = mask_simple / mask_simple.sum(dim=-1, keepdim=True)"""),
    Wrong("typed-in", VALUES + NOT_COMPUTED).typed("""
        masked_simple_norm = torch.tensor([
            [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.4833, 0.5167, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.3190, 0.3408, 0.3402, 0.0000, 0.0000, 0.0000],
            [0.2445, 0.2545, 0.2542, 0.2468, 0.0000, 0.0000],
            [0.1994, 0.2060, 0.2058, 0.1935, 0.1953, 0.0000],
            [0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682]])"""),
    Wrong("printed-only", MISSING) | typed("print(masked_simple / masked_simple.sum(dim=-1, keepdim=True))"),
    Wrong("dict-of-rows", TYPE) | returns("{t: row / row.sum() for t, row in zip(tokens, masked_simple)}"),
    Wrong("list-of-rows", TYPE) | returns("[row / row.sum() for row in masked_simple]"),
    Wrong("written-over-the-same-name", MISSING) | edit("masked_simple_norm", "masked_simple"),
    Wrong("keepdims-typo", MISSING) | edit("keepdim=", "keep_dim="),
    Wrong("left-alone", STUB) | returns("..."),
    Wrong("loop-that-skips-the-first", RULE + NAMED).typed("""
        masked_simple_norm = masked_simple.clone()
        for i in range(1, len(masked_simple)):
            masked_simple_norm[i] = masked_simple[i] / masked_simple[i].sum()"""),
    Wrong("rounded", VALUES)
    | returns("(masked_simple / masked_simple.sum(-1, keepdim=True)).round(decimals=2)"),
    Wrong("half-precision", DTYPE + VALUES)
    | returns("(masked_simple / masked_simple.sum(-1, keepdim=True)).half()"),
    Right("keepdim", base="solution"),
    Right("positive-axis").typed("""
        row_sums = masked_simple.sum(dim=1, keepdim=True)
        masked_simple_norm = masked_simple / row_sums"""),
    Right("unsqueeze") | edit("(dim=-1, keepdim=True)", "(1).unsqueeze(1)"),
    Right("none-index") | returns("masked_simple.div(masked_simple.sum(-1)[:, None])"),
    Right("transposed-twice") | returns("(masked_simple.T / masked_simple.sum(dim=1)).T"),
    Right("normalize-with-p-one") | returns("nn.functional.normalize(masked_simple, p=1, dim=1)"),
    Right("stacked-rows") | returns("torch.stack([row / row.sum() for row in masked_simple])"),
    Right("loops").typed("""
        masked_simple_norm = masked_simple.clone()
        for i in range(masked_simple.shape[0]):
            total = 0.0
            for j in range(masked_simple.shape[1]):
                total += masked_simple[i][j].item()
            masked_simple_norm[i] /= total"""),
    Right("einsum") | returns('torch.einsum("ij,i->ij", masked_simple, 1 / masked_simple.sum(-1))'),
    Right("diagonal-matrix") | returns("torch.diag(masked_simple.sum(dim=-1).reciprocal()) @ masked_simple"),
    Right("second-way").typed("""
        masked = attn_scores.masked_fill(causal_mask(context_length), float("-inf"))
        masked_simple_norm = torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Right("ones-times") | returns("masked_simple / (masked_simple @ torch.ones(6, 1))"),
    Right("over-its-own-input", base="in-place") | edit(".sum(dim=-1)", ""),
    Right("from-the-weights-in-float64").typed("""
        lower = attn_weights.double().tril()
        masked_simple_norm = lower / lower.sum(-1, keepdims=True)"""),
)

TASKS.hold(
    "bug-raw-scores",
    Wrong("as-given", NAMED, base="faulty"),
    Wrong("absolute-values", VALUES + NAMED, base="faulty") | edit("scores *", "scores.abs() *"),
    Wrong("clamped-at-zero", VALUES + NAMED, base="faulty") | edit("scores *", "scores.clamp(min=1e-9) *"),
    Wrong("scaled-but-no-softmax", NAMED + VALUES, base="faulty")
    | above("masked = scores", "scores = scores / d_k**0.5"),
    Wrong("no-scaling", NAMED, keeps=1) | edit(" / d_k**0.5", ""),
    Wrong("divided-by-d-k", NAMED, keeps=1) | edit("d_k**0.5", "d_k"),
    Wrong("precedence-of-the-root", NAMED + VALUES) | edit("d_k**0.5", "d_k ** 1/2"),
    Wrong("times-the-root", NAMED, keeps=1) | edit("/ d_k**0.5", "* d_k**0.5"),
    Wrong("root-of-the-number-of-tokens", NAMED + VALUES) | edit("d_k**0.5", "scores.shape[-1] ** 0.5"),
    Wrong("root-of-two", NAMED + VALUES) | edit("d_k**0.5", "2**0.5"),
    Wrong("keys-from-the-notebook", NAMED + VALUES) | edit("d_k**0.5", "keys.shape[-1] ** 0.5"),
    Wrong("scaled-after-the-softmax", NAMED + VALUES, keeps=1)
    | edit("(scores / d_k**0.5, dim=-1)", "(scores, dim=-1) / d_k**0.5"),
    Wrong("softmax-over-the-queries", NAMED)
    | edit("(scores / d_k**0.5, dim=-1)", "(scores / d_k**0.5, dim=0)"),
    Wrong("softmax-over-minus-two", NAMED, base="faulty")
    | line("masked = scores", "weights = (scores / d_k**0.5).softmax(-2)", "masked = weights.tril()"),
    Wrong("not-divided-again", NAMED)
    | lines("masked = weights", "return masked", "return weights * torch.tril(torch.ones_like(scores))"),
    Wrong("softmax-of-zeroed-scores", NAMED, base="faulty")
    | line("return masked", "return torch.softmax(masked / d_k**0.5, dim=-1)"),
    Wrong("zeroed-before-and-after", NAMED + VALUES, keeps=1, base="no-scaling")
    | above("weights =", "scores = scores * torch.tril(torch.ones_like(scores))"),
    Wrong("softmax-at-the-end", RULE).body("""
        masked = scores * torch.tril(torch.ones_like(scores))
        masked = masked / masked.sum(dim=-1, keepdim=True)
        return torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Wrong("softmax-for-the-division", RULE + NAMED)
    | line("return masked", "return torch.softmax(masked, dim=-1)"),
    Wrong("keepdim-left-out", NAMED + VALUES) | line("return masked", "return masked / masked.sum(dim=-1)"),
    Wrong("sums-of-columns", NAMED + VALUES) | edit("-1, keepdim", "0, keepdim"),
    Wrong("triu", NAMED) | edit("torch.tril", "torch.triu"),
    Wrong("diagonal-lost", NOT_FINITE + NAMED)
    | line("masked = weights", "masked = torch.tril(weights, diagonal=-1)"),
    Wrong("diagonal-lost-and-nan-hidden", RULE + NAMED).body("""
        weights = torch.softmax(scores / d_k**0.5, dim=-1)
        masked = torch.tril(weights, diagonal=-1)
        return torch.nan_to_num(masked / masked.sum(dim=-1, keepdim=True))"""),
    Wrong("mask-of-six", RAISED) | edit("ones_like(scores)", "ones(context_length, context_length)"),
    Wrong("weights-of-the-notebook", SHAPE + VALUES + NAMED).body("""
        masked = attn_weights * torch.tril(torch.ones_like(attn_weights))
        return masked / masked.sum(dim=-1, keepdim=True)"""),
    Wrong("answer-of-task-three", SHAPE + VALUES + NAMED) | returns("masked_simple_norm"),
    Wrong("scores-edited", RULE, keeps=1, never="Use `masked_fill`")
    | line("weights =", "scores /= d_k**0.5", "weights = torch.softmax(scores, dim=-1)"),
    Wrong("softmax-without-axis", RAISED) | edit(", dim=-1", ""),
    Wrong("undefined-helper", RAISED) | edit("= torch.", "= F.") | edit("d_k**0.5", "math.sqrt(d_k)"),
    Wrong("return-forgotten", TYPE) | edit("return masked", "masked = masked"),
    Wrong("exponentials-of-masked-scores", RULE + NAMED, base="faulty")
    | line("return masked", "e = torch.exp(masked / d_k**0.5)", "return e / e.sum(dim=-1, keepdim=True)"),
    Wrong("exponentials-never-scaled", NAMED + VALUES, base="faulty")
    | edit("scores *", "torch.exp(scores) *"),
    Wrong("epsilon-in-the-sum", RULE)
    | line("return masked", "return masked / (masked.sum(dim=-1, keepdim=True) + 1e-2)"),
    Wrong("other-name", MISSING, says="renormalized_weights")
    | edit("renormalised_weights", "renormalized_weights"),
    Wrong("argument-forgotten", RAISED) | edit("scores, d_k", "scores"),
    Right("three-lines", base="solution"),
    Right("math-and-functional").typed("""
        import math
        import torch.nn.functional as F

        def renormalised_weights(scores: torch.Tensor, d_k: int) -> torch.Tensor:
            weights = F.softmax(scores / math.sqrt(d_k), dim=1)
            weights = weights.masked_fill(causal_mask(scores.shape[0]), 0.0)
            return F.normalize(weights, p=1, dim=1)"""),
    Right("loops-over-queries").body("""
        out = torch.zeros_like(scores)
        for i in range(scores.shape[0]):
            row = torch.softmax(scores[i] / d_k**0.5, dim=0)
            out[i, : i + 1] = row[: i + 1] / row[: i + 1].sum()
        return out"""),
    Right("float64").body("""
        w = torch.softmax(scores.double() / d_k**0.5, -1).tril()
        return (w / w.sum(-1, keepdim=True)).to(scores.dtype)"""),
    Right("own-softmax").typed("""
        def renormalised_weights(scores, d_k):
            def softmax(rows):
                rows = rows - rows.max(dim=-1, keepdim=True).values
                return rows.exp() / rows.exp().sum(dim=-1, keepdim=True)

            masked = torch.where(torch.ones_like(scores).triu(1) == 1, 0.0, softmax(scores * d_k**-0.5))
            return torch.einsum("ij,i->ij", masked, masked.sum(-1).pow(-1))"""),
    Right("module").typed("""
        class Renormalised(nn.Module):
            def __init__(self):
                super().__init__()
                self.softmax = nn.Softmax(dim=-1)

            def forward(self, scores, d_k):
                masked = torch.tril(self.softmax(scores / d_k**0.5))
                return masked / masked.sum(dim=-1).unsqueeze(-1)

        renormalised_weights = Renormalised()"""),
    Right("lambdas").typed("""
        from functools import reduce

        steps = [torch.tril, lambda w: w / w.sum(dim=-1, keepdim=True)]
        renormalised_weights = lambda scores, d_k: reduce(
            lambda value, step: step(value), steps, (scores / d_k**0.5).softmax(dim=-1))"""),
    Right("stack-of-rows").body("""
        probs = nn.functional.softmax(scores.clone().div_(d_k**0.5), dim=-1)
        rows = []
        for i, row in enumerate(probs):
            keep = torch.arange(len(row)) <= i
            row = row * keep
            rows.append(row / torch.sum(row))
        return torch.stack(rows)"""),
    Right("transposed").body("""
        w = torch.softmax(scores.T / torch.sqrt(torch.tensor(d_k)), dim=0)
        w = torch.triu(w)
        return (w / w.sum(dim=0)).T"""),
    Right("decorated").typed("""
        import functools

        def rows_to_one(function):
            @functools.wraps(function)
            def wrapped(*args, **kwargs):
                masked = function(*args, **kwargs)
                return masked / masked.sum(dim=-1, keepdim=True)
            return wrapped

        @rows_to_one
        def renormalised_weights(scores, d_k):
            return torch.softmax(scores / d_k**0.5, dim=-1).tril()"""),
)

TASKS.hold(
    "mask-before-softmax",
    Wrong("typed-in-full-precision", NOT_COMPUTED, notebook_passes=True).typed("""
        causal_attn_weights = torch.tensor([
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.4832698703, 0.5167301297, 0.0, 0.0, 0.0, 0.0],
            [0.3190029860, 0.3408063054, 0.3401907086, 0.0, 0.0, 0.0],
            [0.2444680333, 0.2545208335, 0.2542330623, 0.2467780709, 0.0, 0.0],
            [0.1994090229, 0.2059975415, 0.2058215886, 0.1934669763, 0.1953048557, 0.0],
            [0.1624494642, 0.1708798409, 0.1706356853, 0.1654005349, 0.1624602973, 0.1681741327]])"""),
    Wrong("zeros-before-the-softmax", NAMED, base="masked-fill") | edit("-torch.inf", "0"),
    Wrong("tril-of-scores", NAMED) | returns("torch.softmax(torch.tril(attn_scores) / d_k**0.5, dim=-1)"),
    Wrong("mask-discarded", NAMED).typed("""
        attn_scores.masked_fill(causal_mask(6), -torch.inf)
        causal_attn_weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)"""),
    Wrong("ones-and-zeros-added", NAMED, base="ones-subtracted") | edit("- causal_mask", "+ causal_mask"),
    Wrong("ones-subtracted", VALUES + NAMED).typed("""
        masked = attn_scores - causal_mask(6).float()
        causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Wrong("past-hidden", NAMED + NOT_FINITE, base="masked-fill") | edit("causal_mask", "~causal_mask"),
    Wrong("past-hidden-diagonal-kept", NAMED, base="diagonal-hidden")
    | edit("torch.triu", "torch.tril")
    | edit("(torch.ones(6, 6)).", "(torch.ones(6, 6), diagonal=-1)."),
    Wrong("diagonal-hidden", NAMED + NOT_FINITE).typed("""
        mask = torch.triu(torch.ones(6, 6)).bool()
        masked = attn_scores.masked_fill(mask, -torch.inf)
        causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Wrong("diagonal-hidden-and-nan-wiped", RULE + NAMED, base="diagonal-hidden")
    | edit("(masked / d_k**0.5, dim=-1)", "(masked / d_k**0.5, dim=-1).nan_to_num(0.0)"),
    Wrong("zero-times-infinity", NAMED + NOT_FINITE).typed("""
        masked = attn_scores + torch.triu(torch.ones(6, 6), diagonal=1) * -torch.inf
        causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Wrong("scores-times-infinity", RULE + NAMED).typed("""
        mask = torch.where(causal_mask(6), -torch.inf, 1.0)
        causal_attn_weights = torch.softmax(attn_scores * mask * d_k**-0.5, dim=0)"""),
    Wrong("positive-infinity", NAMED + NOT_FINITE, base="masked-fill") | edit(", -torch", ", torch"),
    Wrong("softmax-forgotten", NAMED + NOT_FINITE).typed("""
        masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
        causal_attn_weights = masked / d_k**0.5"""),
    Wrong("no-scaling", NAMED, base="masked-fill") | edit(" / d_k**0.5", ""),
    Wrong("divided-by-d-k", NAMED, base="masked-fill") | edit("d_k**0.5", "d_k"),
    Wrong("times-the-root", NAMED + VALUES, base="masked-fill") | edit("masked /", "masked *"),
    Wrong("root-of-the-tokens", NAMED + VALUES, base="masked-fill")
    | edit("d_k**0.5", "masked.shape[-1] ** 0.5"),
    Wrong("root-of-d-in", NAMED + VALUES, base="masked-fill") | edit("d_k**0.5", "inputs.shape[-1] ** 0.5"),
    Wrong("scaled-after-the-softmax", NAMED + VALUES, base="masked-fill")
    | edit("(masked / d_k**0.5, dim=-1)", "(masked, dim=-1) / d_k**0.5"),
    Wrong("softmax-over-the-queries", NAMED, base="masked-fill") | edit(", dim=-1", ", dim=0"),
    Wrong("softmax-over-minus-two", NAMED).typed("""
        masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
        causal_attn_weights = (masked / d_k**0.5).softmax(dim=-2)"""),
    Wrong("queries-and-keys-swapped", NAMED + VALUES, base="masked-fill")
    | edit("masked = attn_scores", "scores = keys @ queries.T\nmasked = scores"),
    Wrong("weights-masked-twice-softmaxed", NAMED + VALUES, base="masked-fill")
    | edit("attn_scores", "attn_weights"),
    Wrong("masked-after-the-softmax", NAMED, base="infinity-after-the-softmax") | edit("-torch.inf", "0"),
    Wrong("infinity-after-the-softmax", NAMED + NOT_FINITE).typed("""
        weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
        causal_attn_weights = weights.masked_fill(causal_mask(6), -torch.inf)"""),
    Wrong("one-step-too-far", NAMED + VALUES).typed("""
        mask = torch.triu(torch.ones(6, 6), diagonal=2).bool()
        causal_attn_weights = torch.softmax(attn_scores.masked_fill(mask, -torch.inf) / d_k**0.5, -1)"""),
    Wrong("tiny-instead-of-low", NAMED + VALUES, base="masked-fill") | edit("torch.inf", "1e-9"),
    Wrong("not-low-enough", RULE + NAMED, base="masked-fill") | edit("torch.inf", "10"),
    Wrong("scores-edited", RULE + GIVENS, base="mask-discarded") | edit("masked_fill", "masked_fill_"),
    Wrong("scores-edited-by-index", RULE + GIVENS, base="masked-fill")
    | line("masked = attn_scores", "masked = attn_scores", 'masked[causal_mask(6)] = float("-inf")'),
    Wrong("scores-scaled-in-place", RULE + GIVENS, base="masked-fill")
    | above("masked = attn_scores", "attn_scores /= d_k**0.5")
    | edit(" / d_k**0.5", ""),
    Wrong("typed-in", VALUES + NOT_COMPUTED).typed("""
        causal_attn_weights = torch.tensor([
            [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.4833, 0.5167, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.3190, 0.3408, 0.3402, 0.0000, 0.0000, 0.0000],
            [0.2445, 0.2545, 0.2542, 0.2468, 0.0000, 0.0000],
            [0.1994, 0.2060, 0.2058, 0.1935, 0.1953, 0.0000],
            [0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682]])"""),
    Wrong("context-vectors", SHAPE, base="masked-fill")
    | edit("(masked / d_k**0.5, dim=-1)", "(masked / d_k**0.5, dim=-1) @ values"),
    Wrong("infinity-misspelt", MISSING, never="`attn_weights` is defined", base="masked-fill")
    | edit(", -torch.", ", -"),
    Wrong("left-alone", STUB) | returns("...  # todo"),
    Wrong("a-list", TYPE).typed("""
        masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
        causal_attn_weights = [torch.softmax(row / d_k**0.5, dim=-1) for row in masked]"""),
    Wrong("other-name", MISSING, base="masked-fill") | edit("causal_attn_weights", "attn_weights"),
    Wrong("softmax-of-each-past-added-up", RULE + NAMED).typed("""
        causal_attn_weights = torch.softmax(attn_scores.tril() / d_k**0.5, dim=-1).tril()
        causal_attn_weights = causal_attn_weights / causal_attn_weights.sum(-1)"""),
    Right("masked-fill").typed("""
        masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
        causal_attn_weights = torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Right("scaled-first").typed("""
        scaled = attn_scores / keys.shape[-1] ** 0.5
        scaled = scaled.masked_fill(torch.triu(torch.ones(6, 6), diagonal=1).bool(), float("-inf"))
        causal_attn_weights = nn.functional.softmax(scaled, dim=1)"""),
    Right("very-low-number", base="masked-fill") | edit("(6), -torch.inf", "(len(tokens)), -1e9"),
    Right("finfo").typed("""
        masked = torch.where(causal_mask(6), torch.finfo(attn_scores.dtype).min, attn_scores)
        causal_attn_weights = (masked / d_k**0.5).softmax(-1)"""),
    Right("additive-mask").typed("""
        bias = torch.triu(torch.full_like(attn_scores, float("-inf")), diagonal=1)
        causal_attn_weights = torch.softmax((attn_scores + bias) / d_k**0.5, dim=-1)"""),
    Right("row-by-row").typed("""
        import math
        causal_attn_weights = torch.zeros(context_length, context_length)
        for i in range(context_length):
            causal_attn_weights[i, : i + 1] = torch.softmax(
                    attn_scores[i, : i + 1] / math.sqrt(d_k), dim=0)"""),
    Right("clone-and-index").typed("""
        masked = attn_scores.clone()
        masked[causal_mask(6)] = -torch.inf
        masked /= d_k**0.5
        causal_attn_weights = masked.exp() / masked.exp().sum(dim=-1, keepdim=True)"""),
    Right("float64").typed("""
        s = (queries.double() @ keys.double().mT) / 2**0.5
        causal_attn_weights = torch.softmax(s.masked_fill(causal_mask(6), -torch.inf), dim=-1)"""),
    Right("first-way") | returns("renormalised_weights(attn_scores, d_k)"),
    Right("multiplied-by-one-minus-mask-with-big-number").typed("""
        m = torch.tril(torch.ones(6, 6))
        causal_attn_weights = torch.softmax((attn_scores * m - 1e10 * (1 - m)) / d_k**0.5, dim=-1)"""),
    Right("sdpa-with-identity-values").typed("""
        import torch.nn.functional as F
        causal_attn_weights = F.scaled_dot_product_attention(
            queries[None], keys[None], torch.eye(6)[None], is_causal=True)[0]"""),
    Right("nn-softmax-and-helper").typed("""
        class CausalSoftmax(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.register_buffer("mask", torch.triu(torch.ones(n, n), diagonal=1))
                self.softmax = nn.Softmax(dim=-1)

            def forward(self, s):
                return self.softmax(s.masked_fill(self.mask.bool()[: len(s), : len(s)], -torch.inf))

        causal_attn_weights = CausalSoftmax(10)(attn_scores / d_k**0.5)"""),
)

TASKS.hold(
    "bug-mask-from-values",
    Wrong("as-given", NAMED, base="faulty"),
    Wrong("only-the-result-kept", NAMED, keeps=1, base="faulty")
    | edit("scores.masked_fill", "scores = scores.masked_fill"),
    Wrong("only-the-mask-mended", NAMED, base="both-lines") | edit("scores = ", ""),
    Wrong("in-place-fill", RULE, keeps=1, base="both-lines") | edit(" = scores.masked_fill", ".masked_fill_"),
    Wrong("in-place-fill-and-mask-from-values", NAMED + RULE, keeps=1, base="faulty")
    | edit("masked_fill", "masked_fill_"),
    Wrong("in-place-by-index", RULE, keeps=1, never="`masked_fill_` wrote", base="faulty")
    | lines("hidden = torch", "scores.masked_fill", "scores[causal_mask(len(scores))] = -torch.inf"),
    Wrong("zeros-nudged", VALUES)
    | line("hidden = torch", "hidden = torch.triu(scores + 1e-3, diagonal=1) != 0")
    | line("return torch", "return torch.softmax(masked / d_k**0.5, dim=-1) * 1.001"),
    Wrong("compared-with-tril", NAMED, keeps=1)
    | line("hidden = torch", "hidden = torch.tril(scores) != scores"),
    Wrong("zero-of-tril", NAMED + VALUES + NOT_FINITE, keeps=1)
    | line("hidden = torch", "hidden = torch.tril(scores) == 0"),
    Wrong("bool-of-triu", NAMED, keeps=1).body("""
        masked = scores.masked_fill(torch.triu(scores, diagonal=1).bool(), -torch.inf)
        return torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Wrong("greater-than-zero", NAMED + VALUES)
    | line("hidden = torch", "hidden = torch.triu(scores, diagonal=1) > 0"),
    Wrong("diagonal-hidden", NAMED + NOT_FINITE) | edit(", diagonal=1", ""),
    Wrong("diagonal-hidden-and-nan-wiped", RULE)
    | edit(", diagonal=1", "")
    | line("return torch", "return torch.nan_to_num(torch.softmax(masked / d_k**0.5, dim=-1))"),
    Wrong("past-hidden", NAMED + NOT_FINITE)
    | line("hidden = torch", "past = torch.tril(torch.ones_like(scores)).bool()")
    | edit("hidden, -", "past, -"),
    Wrong("zero-filled", NAMED)
    | edit("(torch.ones_like(scores), diagonal=1).bool()", "(torch.ones_like(scores), diagonal=1) != 0")
    | edit("-torch.inf", "0"),
    Wrong("zeroed-after-the-softmax", NAMED).body("""
        hidden = torch.triu(torch.ones_like(scores), diagonal=1) != 0
        weights = torch.softmax(scores / d_k**0.5, dim=-1)
        return weights.masked_fill(hidden, 0)"""),
    Wrong("raw-mask-then-zeros-wiped", RULE, keeps=1)
    | line("hidden = torch", "hidden = torch.triu(scores, diagonal=1) != 0")
    | line("return torch", "return torch.softmax(masked / d_k**0.5, dim=-1).tril()"),
    Wrong("scale-lost", NAMED, keeps=1).body("""
        hidden = torch.triu(torch.ones_like(scores), diagonal=1) != 0
        return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)"""),
    Wrong("scaled-twice", NAMED + VALUES, keeps=1, base="both-lines")
    | above("hidden = torch", "scores = scores / d_k**0.5"),
    Wrong("softmax-over-queries", NAMED + VALUES, base="both-lines") | edit(", dim=-1", ", dim=0"),
    Wrong("mask-of-three", RAISED).body("""
        hidden = torch.triu(torch.ones(3, 3), diagonal=1).bool()
        return torch.softmax(scores.masked_fill(hidden, -torch.inf) / d_k**0.5, dim=-1)"""),
    Wrong("mask-of-the-sentence", RAISED)
    | returns("torch.softmax(scores.masked_fill(causal_mask(6), -torch.inf) / d_k**0.5, dim=-1)"),
    Wrong("errors-swallowed", VALUES + NAMED).body("""
        try:
            masked = scores.masked_fill(causal_mask(6), -torch.inf)
        except RuntimeError:
            masked = scores
        return torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Wrong("answer-of-task-five", SHAPE + VALUES + NAMED) | returns("causal_attn_weights"),
    Wrong("global-scores", SHAPE + VALUES + NAMED)
    | edit("(scores)", "(attn_scores)")
    | edit("= scores.", "= attn_scores."),
    Wrong("multiplied-mask", NAMED, base="faulty")
    | lines("hidden = torch", "scores.masked_fill", "scores = scores * torch.tril(torch.ones_like(scores))"),
    Wrong("zero-times-infinity", NAMED + NOT_FINITE).body("""
        scores = scores + torch.triu(torch.ones_like(scores), diagonal=1) * float("-inf")
        return torch.softmax(scores / d_k**0.5, dim=-1)"""),
    Wrong("triu-of-scores-filled", NAMED + VALUES + NOT_FINITE, keeps=1).body("""
        masked = torch.tril(scores)
        masked = masked.masked_fill(masked == 0, -torch.inf)
        return torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Wrong("mask-as-floats", RAISED, base="both-lines")
    | edit("(torch.ones_like(scores), diagonal=1) != 0", "(torch.ones_like(scores), diagonal=1)"),
    Wrong("name-not-defined", RAISED, base="both-lines") | edit("(scores)", "(score)"),
    Wrong("no-return", TYPE)
    | edit("(torch.ones_like(scores), diagonal=1).bool()", "(torch.ones_like(scores), diagonal=1) != 0")
    | line("return torch", "torch.softmax(masked / d_k**0.5, dim=-1)"),
    Wrong("one-step-too-far", NAMED + VALUES)
    | edit("(torch.ones_like(scores), diagonal=1).bool()", "(torch.ones_like(scores), diagonal=2) != 0"),
    Right("both-lines")
    | edit("masked ", "scores ", places=2)
    | edit("(torch.ones_like(scores), diagonal=1).bool()", "(torch.ones_like(scores), diagonal=1) != 0"),
    Right("own-mask").body("""
        masked = scores.masked_fill(causal_mask(scores.shape[0]), -torch.inf)
        return torch.softmax(masked / d_k**0.5, dim=-1)"""),
    Right("clone-then-underscore").body("""
        hidden = torch.ones_like(scores, dtype=torch.bool).triu_(diagonal=1)
        scores = scores.clone()
        scores.masked_fill_(hidden, float("-inf"))
        return torch.softmax(scores / d_k**0.5, dim=-1)"""),
    Right("positions").body("""
        n = scores.size(-1)
        i = torch.arange(n).unsqueeze(1)
        j = torch.arange(n).unsqueeze(0)
        return torch.softmax(torch.where(j > i, -1e30, scores) / d_k**0.5, dim=1)"""),
    Right("additive").typed("""
        def masked_weights(scores: torch.Tensor, d_k: int) -> torch.Tensor:
            bias = nn.Transformer.generate_square_subsequent_mask(len(scores))
            return nn.functional.softmax(scores * d_k**-0.5 + bias, dim=-1)"""),
    Right("rows").body("""
        rows = []
        for i in range(len(scores)):
            seen = torch.softmax(scores[i, : i + 1] / d_k**0.5, dim=-1)
            rows.append(torch.cat([seen, torch.zeros(len(scores) - i - 1)]))
        return torch.stack(rows)"""),
    Right("finfo").body("""
        lower = torch.ones_like(scores).tril().bool()
        scores = scores / d_k**0.5
        return scores.where(lower, torch.finfo(scores.dtype).min).softmax(dim=-1)"""),
    Right("exponentials-by-hand").body("""
        keep = torch.tril(torch.ones_like(scores))
        s = (scores / d_k**0.5).masked_fill(keep == 0, -torch.inf)
        s = s - s.amax(dim=-1, keepdim=True)
        e = torch.exp(s)
        return e / e.sum(dim=-1, keepdim=True)"""),
    Right("float64-and-numpy").body("""
        s = scores.double().numpy() / np.sqrt(d_k)
        s = np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return torch.from_numpy(e / e.sum(axis=-1, keepdims=True)).float()""")
    | before("import numpy as np"),
    Right("log-softmax").body("""
        masked = scores + torch.full_like(scores, -torch.inf).triu(1)
        return torch.log_softmax(masked.div(d_k**0.5), -1).exp()"""),
)

TASKS.hold(
    "leak-detector",
    Wrong("past-counted-too", NAMED, base="last-token-skipped")
    | edit("= len(x)", "= x.shape[0]")
    | edit("(n - 1):", "(n):")
    | edit("[:j, j] =", "[:, j] =")
    | edit("(dim=-1)[:j]", "(dim=-1)"),
    Wrong("diagonal-counted", NAMED, base="past-counted-too") | line("return leaks", "return leaks.triu()"),
    Wrong("past-instead-of-future", NAMED + VALUES, base="past-counted-too")
    | line("return leaks", "return leaks.tril(-1)"),
    Wrong("transposed", NAMED, base="last-token-skipped")
    | edit("(n - 1):", "(n):")
    | line(
        "leaks[:j, j",
        "after = attention(changed)",
        "for i in range(j):",
        "    leaks[j, i] = (after[i] - before[i]).abs().max() > 1e-5",
    ),
    Wrong("caller-edited", NAMED + VALUES + RULE, base="transposed")
    | edit(".clone()", "")
    | edit("[j, i] =", "[i, j] ="),
    Wrong("one-copy-for-all", NAMED, base="transposed")
    | below("leaks = torch", "changed = x.clone()")
    | lines("for j in range(n):", "changed[j", "for j in range(n):", "    changed[j] += 1")
    | edit("[j, i] =", "[i, j] ="),
    Wrong("one-copy-taken-backwards", NAMED + VALUES, base="transposed")
    | lines("for j in range(n):", "changed =", "changed = x.clone()", "for j in reversed(range(n)):")
    | edit("[j, i] =", "[i, j] ="),
    Wrong("no-absolute-value", NAMED, base="transposed")
    | edit("[j, i] =", "[i, j] =")
    | edit("abs().max", "max"),
    Wrong("signed-sum", NAMED + VALUES, base="all-for-any")
    | edit("abs() > 1e-5", "sum(dim=-1)")
    | edit(".all(dim=-1)[:j]", "[:j] > 1e-5"),
    Wrong("absolute-of-the-sum", NAMED + VALUES, keeps=2, base="all-for-any")
    | edit("abs() > 1e-5", "sum(dim=-1).abs()")
    | edit(".all(dim=-1)[:j]", "[:j] > 1e-5"),
    Wrong("all-for-any", NAMED + VALUES, keeps=2, base="last-token-skipped")
    | edit("(n - 1):", "(n):")
    | line(
        "leaks[:j, j",
        "moved = (attention(changed) - before).abs() > 1e-5",
        "leaks[:j, j] = moved.all(dim=-1)[:j]",
    ),
    Wrong("first-column-of-the-output", NAMED + VALUES, keeps=2, base="all-for-any")
    | edit("() > 1e-5", "()")
    | edit(".all(dim=-1)[:j]", "[:j, 0] > 1e-5"),
    Wrong("exactly-equal", NAMED, keeps=2, base="past-counted-too")
    | edit("x.shape[0]", "len(x)")
    | line("leaks[:, j", "leaks[:j, j] = (attention(changed) != before).any(dim=-1)[:j]"),
    Wrong("coarse-threshold", NAMED + VALUES, keeps=2, base="last-token-skipped")
    | edit("(n - 1):", "(n):")
    | edit("() > 1e-5", "() > 0.1"),
    Wrong("tiny-step", NAMED + VALUES, keeps=2, base="last-token-skipped")
    | edit("(n - 1):", "(n):")
    | edit("[j] += 1", "[j] += 1e-4"),
    Wrong("token-set-to-zero", NAMED + VALUES, keeps=2, base="tiny-step") | edit("[j] += 1e-4", "[j] = 0"),
    Wrong("token-doubled", NAMED + VALUES, keeps=2, base="tiny-step") | edit("[j] += 1e-4", "[j] *= 2"),
    Wrong("token-set-to-one", NAMED + VALUES, keeps=2, base="tiny-step")
    | edit("[j] += 1e-4", "[j] = torch.ones(x.shape[1])"),
    Wrong("swapped-with-its-neighbour", NAMED + VALUES, keeps=2, base="tiny-step")
    | edit("[j] += 1e-4", "[j] = x[(j + 1) % n]"),
    Wrong("all-later-tokens-changed", NAMED + VALUES, base="tiny-step") | edit("[j] += 1e-4", "[j:] += 1"),
    Wrong("feature-changed-for-token", RAISED + VALUES, base="tiny-step")
    | edit("[j] += 1e-4", "[:, j] += 1"),
    Wrong("sentence-cut-off", NAMED + VALUES + RAISED, never="Is a 6 written").body("""
        n = len(x)
        before = attention(x)
        leaks = torch.zeros(n, n, dtype=torch.bool)
        for i in range(n):
            short = attention(x[: i + 1])
            if (short[i] - before[i]).abs().max() > 1e-5:
                leaks[i, i + 1:] = True
        return leaks"""),
    Wrong("the-notebooks-inputs", SHAPE + VALUES + NAMED + RAISED, says="inputs", base="six-tokens")
    | edit("attention(x)", "attention(inputs)")
    | edit("= x.clone", "= inputs.clone"),
    Wrong("six-tokens", SHAPE + RAISED, base="last-token-skipped")
    | edit("n = len(x)", "leaks = torch.zeros(6, 6, dtype=torch.bool)")
    | lines("leaks = torch.zeros(n", "for j in range", "for j in range(6):"),
    Wrong("the-notebooks-attention", VALUES + NAMED + RAISED, base="last-token-skipped")
    | without("before = attention(x)")
    | line("for j in range", "before = sa_v2(x)", "for j in range(n):")
    | edit("attention(changed)", "sa_v2(changed)"),
    Wrong("only-the-last-token", VALUES + NAMED, keeps=1).body("""
        n = len(x)
        leaks = torch.zeros(n, n, dtype=torch.bool)
        changed = x.clone()
        changed[-1] += 1
        moved = (attention(changed) - attention(x)).abs().amax(dim=-1)
        leaks[:-1, -1] = moved[:-1] > 1e-5
        return leaks"""),
    Wrong("only-the-next-token", VALUES + NAMED, base="past-counted-too")
    | edit("x.shape[0]", "len(x)")
    | edit("range(n)", "range(1, n)")
    | line("leaks[:, j", "leaks[j - 1, j] = (attention(changed)[j - 1] - before[j - 1]).abs().max() > 1e-5"),
    Wrong("last-token-skipped", VALUES + NAMED).body("""
        n = len(x)
        before = attention(x)
        leaks = torch.zeros(n, n, dtype=torch.bool)
        for j in range(n - 1):
            changed = x.clone()
            changed[j] += 1
            leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any(dim=-1)[:j]
        return leaks"""),
    Wrong("floats", DTYPE, keeps=2, base="last-token-skipped")
    | edit(", dtype=torch.bool", "")
    | edit("(n - 1):", "(n):")
    | edit("(dim=-1)[:j]", "(dim=-1)[:j].float()"),
    Wrong("how-far-each-moved", DTYPE, base="six-tokens")
    | without("leaks = torch")
    | line("for j in range(6):", "columns = []", "for j in range(len(x)):")
    | line("leaks[:j, j", "columns.append((attention(changed) - before).abs().amax(dim=-1))")
    | edit("return leaks", "return torch.stack(columns, dim=1).triu(1)"),
    Wrong("nested-list", TYPE).body("""
        before = attention(x)
        rows = []
        for i in range(len(x)):
            row = []
            for j in range(len(x)):
                changed = x.clone()
                changed[j] += 1
                row.append(j > i and bool((attention(changed)[i] - before[i]).abs().max() > 1e-5))
            rows.append(row)
        return rows"""),
    Wrong("pairs-of-places", SHAPE + DTYPE, base="transposed")
    | without("n = len(x)")
    | line("leaks = torch", "leaks = []")
    | edit("range(n)", "range(len(x))")
    | edit("leaks[j, i] =", "if")
    | edit("() > 1e-5", "() > 1e-5:\n                leaks.append((i, j))")
    | edit("return leaks", "return torch.tensor(leaks)"),
    Wrong("returns-after-the-first-token", VALUES + NAMED, base="last-token-skipped")
    | edit("(n - 1):", "(n):")
    | edit("    return", "        return"),
    Wrong("everything-true", VALUES + NAMED) | returns("causal_mask(len(x))"),
    Wrong("nothing-leaks", VALUES + NAMED) | returns("torch.zeros(len(x), len(x), dtype=torch.bool)"),
    Wrong("left-alone", STUB) | body("...  # your code here"),
    Wrong("colon-missing", MISSING) | typed("def future_leaks(attention, x)", "    return None"),
    Wrong("nested-any-without-axis", VALUES + NAMED, base="last-token-skipped")
    | edit("(n - 1):", "(n):")
    | edit("(dim=-1)[:j]", "()"),
    Wrong("isclose-with-its-relative-tolerance", VALUES + NAMED, keeps=2, base="all-for-any")
    | line("moved = (attention", "close = torch.isclose(attention(changed), before, rtol=0.05, atol=1e-2)")
    | edit("= moved.", "= ~close."),
    Wrong("before-computed-from-the-changed", VALUES + NAMED, base="past-counted-too")
    | lines("n = x.shape[0]", "before = attention(x)", "n = len(x)")
    | line(
        "leaks[:, j",
        "before = attention(changed)",
        "after = attention(changed)",
        "leaks[:j, j] = ((after - before).abs() > 1e-5).any(dim=-1)[:j]",
    ),
    Right("two-loops", base="transposed")
    | edit("= len(x)", "= x.shape[0]")
    | line("leaks[j, i", "if (after[i] - before[i]).abs().max() > 1e-5:", "    leaks[i, j] = True"),
    Right("column-at-a-time", base="six-tokens")
    | without("leaks = torch")
    | line("for j in range(6):", "columns = []", "for j in range(len(x)):")
    | edit("[j] += 1", "[j] = changed[j] + 1.0")
    | line("leaks[:j, j", "columns.append((attention(changed) - before).abs().amax(dim=-1) > 1e-5)")
    | edit("return leaks", "return torch.stack(columns, dim=1).triu(diagonal=1)"),
    Right("downwards").body("""
        n = x.size(0)
        base = attention(x.clone())
        out = torch.full((n, n), False)
        for j in range(1, n):
            y = x.detach().clone()
            y[j] -= 1
            out[:j, j] = torch.any(torch.abs(attention(y) - base) > 1e-5, dim=1)[:j]
        return out"""),
    Right("with-the-causal-mask").body("""
        moved = torch.zeros(len(x), len(x))
        for j in range(len(x)):
            other = torch.cat([x[:j], x[j:j + 1] + 1, x[j + 1:]])
            moved[:, j] = (attention(other) - attention(x)).abs().max(dim=-1).values
        return (moved > 1e-5) & causal_mask(len(x))"""),
    Right("identity-times-step").body("""
        n = x.shape[0]
        before = attention(x)
        after = torch.stack([attention(x + step[:, None]) for step in torch.eye(n)])
        moved = (after - before).abs().amax(dim=-1) > 1e-5  # (changed, output)
        return torch.logical_and(moved.T, torch.ones(n, n).triu(1).bool())"""),
    Right("helper-and-comprehension").typed("""
        def changed_at(x: torch.Tensor, j: int) -> torch.Tensor:
            copy = x.clone()
            copy[j] += torch.ones_like(copy[j])
            return copy

        def future_leaks(attention, x):
            before = attention(x)
            def leak(i, j):
                return j > i and not torch.allclose(
                    attention(changed_at(x, j))[i], before[i], rtol=0, atol=1e-5)
            return torch.tensor([[leak(i, j) for j in range(len(x))] for i in range(len(x))])"""),
    Right("random-step").body("""
        n = len(x)
        with torch.no_grad():
            before = attention(x)
            leaks = torch.zeros((n, n), dtype=torch.bool)
            for j in range(n):
                changed = x.clone()
                changed[j] += 1 + torch.rand(x.shape[-1])
                far = (attention(changed) - before).norm(dim=-1)
                leaks[:, j] = far > 1e-5
        return leaks & (torch.arange(n)[None, :] > torch.arange(n)[:, None])"""),
    Right("numpy-in-between", base="transposed")
    | above("def future_leaks", "import copy", "import numpy as np", "")
    | edit("attention(x)", "attention(x).detach().numpy()")
    | line("leaks = torch", "leaks = np.zeros((n, n), dtype=bool)")
    | edit("x.clone()", "copy.deepcopy(x)")
    | edit("(changed)", "(changed).detach().numpy()")
    | edit("[j, i] = (after[i] - before[i])", "[i, j] = np.abs(after[i] - before[i])")
    | edit("(after[i] - before[i]).abs()", "(after[i] - before[i])")
    | edit("return leaks", "return torch.from_numpy(leaks)"),
    Right("while-loop").body("""
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
        return result"""),
    Right("sum-of-distances").body("""
        leaks = torch.zeros(len(x), len(x), dtype=torch.bool)
        clean = attention(x)
        for j, token in enumerate(x):
            changed = x.clone()
            changed[j] = token + 1
            moved = torch.max(torch.abs(clean - attention(changed)), dim=1)[0]
            for i, distance in enumerate(moved):
                leaks[i][j] = (i < j) and distance.item() > 1e-5
        return leaks"""),
)

TASKS.hold(
    "causal-attention-by-hand",
    Wrong("no-mask", NAMED, base="queries-and-keys-swapped")
    | line("scores = (keys", "scores = queries @ keys.T"),
    Wrong("sdpa-without-causal", NAMED)
    | returns("torch.nn.functional.scaled_dot_product_attention(queries, keys, values)"),
    Wrong("sdpa-with-the-mask-the-wrong-way", NAMED + NOT_FINITE + VALUES).body("""
        return torch.nn.functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=causal_mask(len(queries)))"""),
    Wrong("sdpa-without-scale", NAMED, keeps=1).body("""
        return torch.nn.functional.scaled_dot_product_attention(
            queries, keys, values, is_causal=True, scale=1.0)"""),
    Wrong("mask-discarded", NAMED).body("""
        scores = queries @ keys.T
        scores.masked_fill(causal_mask(len(scores)), -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values"""),
    Wrong("no-scaling", NAMED, keeps=1, base="divided-by-d-k") | edit(" / keys.shape[-1]", ""),
    Wrong("scaled-by-the-values", NAMED + VALUES, keeps=2, base="divided-by-d-k")
    | edit("keys.shape[-1]", "values.shape[-1] ** 0.5"),
    Wrong("scaled-by-the-tokens", NAMED + VALUES, keeps=1, base="divided-by-d-k")
    | edit("shape[-1]", "shape[0] ** 0.5"),
    Wrong("divided-by-d-k", NAMED + VALUES, keeps=1).body("""
        scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
        return torch.softmax(scores / keys.shape[-1], dim=-1) @ values"""),
    Wrong("times-the-root", NAMED + VALUES, keeps=1, base="scaled-by-the-values")
    | edit("/ values", "* keys"),
    Wrong("scaled-after-the-softmax", NAMED + VALUES).body("""
        scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
        return torch.softmax(scores, dim=-1) / keys.shape[-1] ** 0.5 @ values"""),
    Wrong("d-k-from-the-notebook", NAMED + VALUES, keeps=2, says="`d_k`", base="divided-by-d-k")
    | edit("keys.shape[-1]", "d_k**0.5"),
    Wrong("attn-scores-from-the-notebook", RAISED + VALUES + NAMED + SHAPE).body("""
        masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
        return torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1) @ values"""),
    Wrong("weights-from-the-notebook", RAISED + VALUES + NAMED) | returns("causal_attn_weights @ values"),
    Wrong("mask-of-six", RAISED, keeps=2).body("""
        mask = torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()
        scores = (queries @ keys.T).masked_fill(mask, -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values"""),
    Wrong("queries-and-keys-swapped", NAMED, keeps=1).body("""
        scores = (keys @ queries.T).masked_fill(causal_mask(len(queries)), -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values"""),
    Wrong("softmax-over-the-queries", NAMED, base="divided-by-d-k") | edit(", dim=-1", " ** 0.5, dim=0"),
    Wrong("softmax-over-minus-two", NAMED, base="weights-transposed")
    | lines("weights =", "return weights", "return (scores / keys.shape[-1] ** 0.5).softmax(-2) @ values"),
    Wrong("weights-transposed", NAMED + VALUES).body("""
        scores = (queries @ keys.T).masked_fill(causal_mask(len(queries)), -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights.T @ values"""),
    Wrong("weights-times-keys", NAMED + SHAPE, base="values-elementwise") | edit("* values", "@ keys"),
    Wrong("weights-times-inputs", RAISED + SHAPE, base="values-elementwise") | edit("* values", "@ inputs"),
    Wrong("weights-returned", SHAPE + NAMED, base="values-elementwise") | edit(" * values", ""),
    Wrong("values-elementwise", RAISED + SHAPE, base="divided-by-d-k")
    | edit("(scores / keys.shape[-1], dim=-1) @", "(scores / keys.shape[-1] ** 0.5, dim=-1) *"),
    Wrong("zeros-for-infinity", NAMED, base="queries-and-keys-swapped")
    | line("scores = (keys", "scores = (queries @ keys.T).tril()"),
    Wrong("zeroed-not-divided", NAMED).body("""
        weights = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
        return weights.tril() @ values"""),
    Wrong("mask-added-as-ones", NAMED, base="queries-and-keys-swapped")
    | line("scores = (keys", "scores = queries @ keys.T + causal_mask(len(queries)).float()"),
    Wrong("mask-from-values", NAMED + VALUES, keeps=2, base="own-mask")
    | edit("masked ", "scores ", places=2)
    | edit("causal_mask(scores.shape[0])", "torch.triu(scores, diagonal=1) != 0"),
    Wrong("past-hidden", NAMED, base="mask-of-six")
    | line("mask = torch", "mask = torch.tril(torch.ones(len(queries), len(queries)), diagonal=-1).bool()"),
    Wrong("diagonal-hidden", NAMED + NOT_FINITE, base="mask-of-six")
    | edit("(context_length, context_length), diagonal=1", "(len(queries), len(queries))"),
    Wrong("diagonal-hidden-nan-wiped", VALUES + NAMED).body("""
        mask = torch.triu(torch.ones(len(queries), len(queries))).bool()
        scores = (queries @ keys.T).masked_fill(mask, -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1).nan_to_num() @ values"""),
    Wrong("raw-shares", NAMED + VALUES).body("""
        masked = (queries @ keys.T / keys.shape[-1] ** 0.5).tril()
        return masked / masked.sum(dim=-1, keepdim=True) @ values"""),
    Wrong("dropout-too", VALUES + RULE + NAMED, base="weights-transposed")
    | edit("weights.T", "nn.Dropout(0.5)(weights)"),
    Wrong("queries-scaled-in-place", RULE, keeps=2, base="weights-transposed")
    | above("scores = (queries", "queries /= queries.shape[-1] ** 0.5")
    | lines("weights =", "return weights", "return torch.softmax(scores, dim=-1) @ values"),
    Wrong("batch-transpose-on-a-matrix", RAISED, base="queries-and-keys-swapped")
    | edit("(keys @ queries.T)", "queries @ keys.transpose(1, 2)\n    scores = scores"),
    Wrong("keys-not-transposed", RAISED, base="queries-and-keys-swapped")
    | edit("keys @ queries.T", "queries @ keys"),
    Wrong("output-has-a-batch-axis", SHAPE).body("""
        return torch.nn.functional.scaled_dot_product_attention(
            queries[None], keys[None], values[None], is_causal=True)"""),
    Wrong("output-as-wide-as-the-keys", RAISED + SHAPE, keeps=1).body("""
        n, d = keys.shape
        scores = (queries @ keys.T).masked_fill(causal_mask(n), -torch.inf)
        weights = torch.softmax(scores / d**0.5, dim=-1)
        out = torch.zeros(n, d)
        for i in range(n):
            for j in range(i + 1):
                out[i] += weights[i, j] * values[j]
        return out"""),
    Wrong("both-returned", TYPE, keeps=2, base="weights-transposed")
    | edit(".T @ values", " @ values, weights"),
    Wrong("nothing-returned", TYPE, base="weights-transposed")
    | edit("return weights.T", "context = weights"),
    Wrong("takes-the-inputs", RAISED).typed("""
        def causal_attention(x):
            queries, keys, values = sa_v2.W_query(x), sa_v2.W_key(x), sa_v2.W_value(x)
            return masked_weights(queries @ keys.T, keys.shape[-1]) @ values"""),
    Wrong("left-alone", STUB) | body("...  # your code here"),
    Wrong("loop-without-the-present", VALUES + NAMED).body("""
        out = [values[0]]
        for i in range(1, len(queries)):
            w = torch.softmax(keys[:i] @ queries[i] / keys.shape[-1] ** 0.5, dim=0)
            out.append(w @ values[:i])
        return torch.stack(out)"""),
    Wrong("cumulative-mean", VALUES + NAMED)
    | body("counts = torch.arange(1, len(values) + 1)[:, None]", "return values.cumsum(dim=0) / counts"),
    Wrong("zeroed-weights-from-the-notebook", VALUES + NAMED, keeps=2)
    | returns("masked_weights(queries @ keys.T, 2) @ values"),
    Right("own-mask").body("""
        scores = queries @ keys.T
        masked = scores.masked_fill(causal_mask(scores.shape[0]), -torch.inf)
        return torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1) @ values"""),
    Right("task-six") | returns("masked_weights(queries @ keys.T, keys.shape[-1]) @ values"),
    Right("task-four")
    | body("weights = renormalised_weights(queries @ keys.T, keys.shape[-1])", "return weights @ values"),
    Right("sdpa")
    | body("return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)")
    | before("import torch.nn.functional as F"),
    Right("sdpa-with-a-mask-and-batch").body("""
        allowed = ~causal_mask(queries.shape[0])
        q, k, v = (t.unsqueeze(0).unsqueeze(0) for t in (queries, keys, values))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed).squeeze(0).squeeze(0)""")
    | before("import torch.nn.functional as F"),
    Right("einsum").typed("""
        def causal_attention(q, k, v):
            s = torch.einsum("id,jd->ij", q, k) / k.shape[-1] ** 0.5
            s = s + torch.triu(torch.full_like(s, -1e9), diagonal=1)
            return torch.einsum("ij,jd->id", s.softmax(dim=-1), v)"""),
    Right("bmm").body("""
        q, k, v = queries[None], keys[None], values[None]
        s = torch.bmm(q, k.transpose(1, 2)).div(q.size(-1) ** 0.5)
        keep = torch.tril(torch.ones(s.shape[-2:]))
        s = s.masked_fill(keep == 0, float("-inf"))
        return torch.bmm(nn.Softmax(dim=-1)(s), v)[0]"""),
    Right("query-by-query").body("""
        out = []
        for i, query in enumerate(queries):
            seen = keys[: i + 1] @ query / math.sqrt(query.shape[0])
            out.append(torch.softmax(seen, dim=0) @ values[: i + 1])
        return torch.stack(out)""")
    | before("import math"),
    Right("multi-head-attention-module").body("""
        d, v = queries.shape[-1], values.shape[-1]
        wide = max(d, v)
        pad = lambda t: nn.functional.pad(t, (0, wide - t.shape[-1]))
        mha = nn.MultiheadAttention(wide, 1, bias=False)
        eye = torch.eye(wide)
        with torch.no_grad():
            mha.in_proj_weight.copy_(torch.cat([eye * (wide / d) ** 0.5, eye, eye]))
            mha.out_proj.weight.copy_(eye)
            out, _ = mha(pad(queries), pad(keys), pad(values), attn_mask=causal_mask(len(queries)))
        return out[:, :v]"""),
    Right("float64-and-loops").body("""
        n, d_v = len(queries), values.shape[1]
        context = torch.zeros(n, d_v, dtype=torch.float64)
        for i in range(n):
            e = [torch.exp(torch.dot(queries[i].double(), keys[j].double()) / keys.shape[1] ** 0.5)
                 for j in range(i + 1)]
            for j in range(i + 1):
                context[i] += e[j] / sum(e) * values[j].double()
        return context.to(values.dtype)"""),
    Right("module-with-helpers").typed("""
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

        causal_attention = Causal()"""),
    Right("scaled-queries-and-where").typed("""
        def causal_attention(queries: torch.Tensor, keys: torch.Tensor, values) -> torch.Tensor:
            '''Scale the queries, then mask.'''
            d_k = queries.shape[-1]
            scores = (queries * d_k**-0.5) @ keys.mT
            i = torch.arange(len(queries))
            scores = torch.where(i[:, None] >= i[None, :], scores, -torch.inf)
            return torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True)) @ values"""),
    Right("transposed-world").body("""
        scores = keys @ queries.T  # (key, query)
        scores = scores.masked_fill(causal_mask(len(keys)).T, -torch.inf)
        weights = torch.softmax(scores / keys.shape[1] ** 0.5, dim=0)
        return (values.T @ weights).T"""),
    Right("running-softmax").body("""
        e = torch.exp((queries @ keys.T) / keys.shape[-1] ** 0.5).tril()
        return (e @ values) / e.sum(dim=-1, keepdim=True)"""),
)
