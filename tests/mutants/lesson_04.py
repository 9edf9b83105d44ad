# ruff: noqa: F405  (the words that answers are written with all come from one place)
"""Answers to lesson 04 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "04-dropout"
TASKS = Tasks(LESSON)

TASKS.hold(
    "apply-dropout",
    Wrong("not-rescaled", NAMED) | returns("x * kept"),
    Wrong("multiplied-by-the-share", NAMED) | returns("x * kept * (1 - p)"),
    Wrong("divided-by-p", NAMED + NOT_FINITE, keeps=1) | returns("x * kept / p"),
    Wrong("precedence", VALUES + NAMED) | returns("x * kept / 1 - p"),
    Wrong("the-dropped-stay", NAMED) | returns("x * ~kept / (1 - p)"),
    Wrong("masked-fill-the-kept", NAMED) | returns("x.masked_fill(kept, 0) / (1 - p)"),
    Wrong("only-the-kept-come-back", SHAPE) | returns("x[kept] / (1 - p)"),
    Wrong("always-doubled", NAMED + VALUES, keeps=1) | returns("torch.where(kept, 2 * x, 0)"),
    Wrong("dropped-left-as-they-are", VALUES + NAMED) | returns("torch.where(kept, x / (1 - p), x)"),
    Wrong("minus-infinity", NOT_FINITE + NAMED, never="dividing by zero")
    | returns('x.masked_fill(~kept, float("-inf")) / (1 - p)'),
    Wrong("rows-made-to-sum-to-one", NAMED + NOT_FINITE)
    | body("y = x * kept", "return y / y.sum(dim=-1, keepdim=True)"),
    Wrong("rows-made-to-sum-to-one-safely", VALUES + NAMED)
    | body("y = x * kept", "return y / (y.sum(dim=-1, keepdim=True) + 1e-9)"),
    Wrong("divided-by-the-share-drawn", VALUES + NAMED + NOT_FINITE)
    | returns("x * kept / kept.float().mean()"),
    Wrong("draws-anew", VALUES + NAMED + RULE) | above("return x * kept", "kept = torch.rand(x.shape) >= p"),
    Wrong("layer-on-top", VALUES + NAMED, never="never filled in")
    | body("layer = nn.Dropout(p)", "return layer(x * kept)"),
    Wrong("ready-made", VALUES + NAMED) | returns("F.dropout(x, p)"),
    Wrong("edits-x", RULE + NAMED, keeps=1) | body("x[~kept] = 0", "return x / (1 - p)"),
    Wrong("edits-x-with-an-operator", RULE + NAMED, keeps=1) | body("x *= kept", "x /= 1 - p", "return x"),
    Wrong("masked-fill-discarded", VALUES + NAMED)
    | body("y = x / (1 - p)", "y.masked_fill(~kept, 0.0)", "return y"),
    Wrong("weights-of-the-notebook", RAISED + VALUES + SHAPE) | returns("attn_weights * kept / (1 - p)"),
    Wrong("x-and-p-swapped", VALUES + SHAPE + TYPE + NAMED + NOT_FINITE) | edit("x, kept, p", "p, kept, x"),
    Wrong("half-always", NAMED + VALUES, keeps=1) | returns("x * kept / 0.5"),
    Wrong("scaled-before-and-after", VALUES + NAMED) | body("x = x / (1 - p)", "return x * kept / (1 - p)"),
    Wrong("p-times-one-minus", VALUES + NAMED) | body("scale = 1 / 1 - p", "return x * kept * scale"),
    Wrong("return-forgotten", TYPE) | body("y = x * kept / (1 - p)"),
    Wrong("prints", TYPE) | body("print(x * kept / (1 - p))"),
    Wrong("a-list", TYPE, base="loop-over-flat")
    | edit("else a * 0", "else 0.0")
    | line("return torch", "return out"),
    Wrong("six-by-six", RAISED + SHAPE, keeps=1).body("""
        out = torch.zeros(6, 6)
        for i in range(6):
            for j in range(6):
                if kept[i, j]:
                    out[i, j] = x[i, j] / (1 - p)
        return out"""),
    Wrong("two-axes-only", RAISED, keeps=1).body("""
        rows, columns = x.shape
        out = torch.zeros(rows, columns)
        for i in range(rows):
            for j in range(columns):
                if kept[i][j]:
                    out[i][j] = x[i][j] / (1 - p)
        return out"""),
    Wrong("subtracts-a-mask", RAISED) | returns("(x - (1 - kept)) / (1 - p)"),
    Wrong("arguments-missing", RAISED) | typed("def apply_dropout(x, p):", "    return x * kept / (1 - p)"),
    Wrong("other-name", MISSING) | typed("def applydropout(x, kept, p):", "    return x * kept / (1 - p)"),
    Wrong("syntax", MISSING) | returns("x * kept / (1 - p"),
    Wrong("untouched", STUB) | body("...  # your code here"),
    Wrong("whole-numbers", VALUES, never="never filled in") | returns("(x * kept).int() / (1 - p)"),
    Wrong("divided-by-zero-mask", NOT_FINITE + NAMED) | returns("x / (kept * (1 - p))"),
    Right("where") | returns("torch.where(kept, x / (1 - p), 0.0)"),
    Right("where-zeros-like") | returns("torch.where(kept, x, torch.zeros_like(x)).div(1.0 - p)"),
    Right("masked-fill") | returns("x.masked_fill(~kept, 0) * (1 / (1 - p))"),
    Right("masked-fill-logical-not").body("""
        dropped = torch.logical_not(kept)
        scaled = torch.div(x, 1 - p)
        return scaled.masked_fill_(dropped, 0.0)"""),
    Right("clone-then-in-place") | body("y = x.clone()", "y[~kept] = 0.0", "y /= 1 - p", "return y"),
    Right("into-zeros") | body("out = torch.zeros_like(x)", "out[kept] = x[kept] / (1 - p)", "return out"),
    Right("loop-over-flat").body("""
        out = []
        for a, k in zip(x.flatten(), kept.flatten()):
            out.append(a / (1 - p) if k else a * 0)
        return torch.stack(out).reshape(x.shape)"""),
    Right("lambda") | typed("apply_dropout = lambda x, kept, p: kept.float() * x / (1 - p)"),
    Right("double") | returns("x.double() * kept / (1 - p)"),
    Right("einsum")
    | body("scale = kept.to(x.dtype) / (1 - p)", 'return torch.einsum("...,...->...", x, scale)'),
    Right("mul-method") | returns("x.mul(kept).mul(1 / (1 - p))"),
    Right("other-argument-names")
    | typed("def apply_dropout(values, mask, drop_rate):", "    return values * mask / (1 - drop_rate)"),
    Right("typed-and-guarded").typed("""
        def apply_dropout(x: torch.Tensor, kept: torch.Tensor, p: float = 0.5) -> torch.Tensor:
            if not 0 <= p < 1:
                raise ValueError("p must be in [0, 1)")
            keep_prob = 1.0 - p
            return x * kept.type_as(x) / keep_prob"""),
    Right("numpy-and-back")
    | body("y = np.where(kept.numpy(), x.numpy() / (1 - p), 0.0)", "return torch.from_numpy(y).float()")
    | before("import numpy as np"),
    Right("masked-scatter") | returns("torch.zeros_like(x).masked_scatter(kept, x[kept] / (1 - p))"),
    Right("recursion").body("""
        if x.dim() == 0:
            return x / (1 - p) if kept else torch.zeros(())
        return torch.stack([apply_dropout(a, k, p) for a, k in zip(x, kept)])"""),
)

TASKS.hold(
    "dropout-by-hand",
    Wrong("not-rescaled", NAMED + BEHAVIOUR + RULE, keeps=1)
    | lines("kept = torch", "return apply_dropout", "mask = torch.rand(x.shape) > p", "return x * mask"),
    Wrong("keeps-a-share-of-p", NAMED + BEHAVIOUR + RULE, keeps=1) | edit("(x.shape) >=", "(x.shape) <"),
    Wrong("keeps-and-divides-by-p", NAMED + BEHAVIOUR + RULE + NOT_FINITE, keeps=1)
    | lines("kept = torch", "return apply_dropout", "kept = torch.rand(x.shape) < p", "return x * kept / p"),
    Wrong("training-ignored", NAMED + BEHAVIOUR + VALUES + RULE, keeps=2)
    | body("kept = torch.rand(x.shape) >= p", "return apply_dropout(x, kept, p)"),
    Wrong("modes-swapped", NAMED + BEHAVIOUR + VALUES + RULE) | edit("if not training", "if training"),
    Wrong("scaled-in-eval", NAMED + VALUES, keeps=2) | edit("return x", "return x * (1 - p)"),
    Wrong("old-papers", NAMED + VALUES + BEHAVIOUR)
    | body("if training:", "    return x * (torch.rand(x.shape) >= p)", "return x * (1 - p)"),
    Wrong("divided-in-eval", NAMED + VALUES + BEHAVIOUR, keeps=2)
    | body("if training:", "    x = x * (torch.rand(x.shape) >= p)", "return x / (1 - p)"),
    Wrong("normal-numbers", NAMED + BEHAVIOUR + RULE, keeps=1) | edit("torch.rand", "torch.randn"),
    Wrong("one-mask-for-all-rows", NAMED + BEHAVIOUR + RULE, keeps=1, base="mask-alone")
    | line("return (torch", "kept = torch.rand(x.shape[-1]) >= p", "return x * kept / (1 - p)"),
    Wrong("whole-rows-dropped", NAMED + BEHAVIOUR + RULE + SHAPE, keeps=1, base="one-mask-for-all-rows")
    | edit("shape[-1]", "shape[0], 1"),
    Wrong("one-number-for-all", NAMED + BEHAVIOUR + RULE, keeps=1, base="edits-x")
    | line("x[torch.rand", "if random.random() < p:", "    return torch.zeros_like(x)")
    | before("import random"),
    Wrong("mask-of-the-figure", VALUES + RAISED, says=NOT_ITS_ARGUMENT) | without("kept = torch"),
    Wrong("seeded-inside", NAMED + BEHAVIOUR + RULE) | above("kept = torch", "torch.manual_seed(123)"),
    Wrong("own-generator-seeded-inside", NAMED + BEHAVIOUR + RULE).body("""
        if not training:
            return x
        g = torch.Generator().manual_seed(0)
        mask = (torch.rand(x.shape, generator=g) > p).float()
        return x * mask / (1.0 - p)"""),
    Wrong("mask-drawn-once", NAMED + BEHAVIOUR + RULE, never="seed is set inside").typed("""
        drawn = {}

        def dropout(x, p, training=True):
            if not training:
                return x
            if x.shape not in drawn:
                drawn[x.shape] = torch.rand(x.shape)
            return apply_dropout(x, drawn[x.shape] >= p, p)"""),
    Wrong("exact-count", NAMED + BEHAVIOUR + RULE, keeps=1).body("""
        if not training:
            return x
        n = x.numel()
        drop = torch.randperm(n)[: int(n * p)]
        out = x.clone().flatten()
        out[drop] = 0
        return out.reshape(x.shape) / (1 - p)"""),
    Wrong("rows-renormalised", NAMED + BEHAVIOUR + RULE + VALUES, keeps=1)
    | line("return apply_dropout", "y = x * kept", "return y / y.sum(dim=-1, keepdim=True).clamp(min=1e-8)"),
    Wrong("half-always", NAMED + BEHAVIOUR + RULE + VALUES, keeps=1)
    | edit("(x.shape) >= p", "(x.shape) >= 0.5")
    | edit("apply_dropout(x, kept, p)", "x * kept * 2"),
    Wrong("six-by-six", RAISED + SHAPE + BEHAVIOUR, base="multiplies-in-place")
    | line("x *= (torch", "mask = torch.rand(6, 6) >= p", "return x * mask / (1 - p)"),
    Wrong("edits-x", RULE + NAMED + BEHAVIOUR, keeps=2)
    | lines("kept = torch", "return apply_dropout", "x[torch.rand(x.shape) < p] = 0", "return x / (1 - p)"),
    Wrong("multiplies-in-place", RULE + NAMED + BEHAVIOUR, keeps=2)
    | body("if training:", "    x *= (torch.rand(x.shape) > p) / (1 - p)", "return x"),
    Wrong("no-return-in-eval", TYPE, keeps=2)
    | body("if training:", "    kept = torch.rand(x.shape) >= p", "    return apply_dropout(x, kept, p)"),
    Wrong("default-forgotten", RAISED + NAMED, keeps=1)
    | edit("training=True", "training")
    | lines("kept = torch", "return apply_dropout", "return apply_dropout(x, torch.rand(x.shape) >= p, p)"),
    Wrong("default-false", BEHAVIOUR + NAMED + RULE, keeps=1)
    | edit("training=True", "training=False")
    | lines("kept = torch", "return apply_dropout", "return apply_dropout(x, torch.rand(x.shape) >= p, p)"),
    Wrong("training-spelled-otherwise", RAISED, keeps=2)
    | rename("training", "train")
    | lines("kept = torch", "return apply_dropout", "return apply_dropout(x, torch.rand(x.shape) >= p, p)"),
    Wrong("layer-always-trains", NAMED + BEHAVIOUR + VALUES + RULE)
    | body("layer = nn.Dropout(p)", "return layer(x)"),
    Wrong("argument-in-the-wrong-place", RAISED + VALUES) | edit(", kept, p", ", p, kept"),
    Wrong("shape-not-unpacked", RAISED) | edit("(x.shape)", "(x)"),
    Wrong("mask-comes-along", TYPE, keeps=2)
    | edit("return x", "return x, None")
    | line("return apply_dropout", "return apply_dropout(x, kept, p), kept"),
    Wrong("mask-alone", NAMED + BEHAVIOUR + RULE + VALUES, keeps=1)
    | body("if not training:", "    return x", "return (torch.rand(x.shape) >= p) / (1 - p)"),
    Wrong("name", MISSING) | typed("def drop_out(x, p, training=True):", "    return x"),
    Wrong("does-nothing", BEHAVIOUR + NAMED + RULE) | returns("x"),
    Wrong("untouched", STUB) | body("...  # your code here"),
    Wrong("bernoulli-of-p", NAMED + BEHAVIOUR + RULE, keeps=1).body("""
        if not training or p == 0:
            return x
        mask = torch.bernoulli(torch.full_like(x, p))
        return x * mask / (1 - p)"""),
    Wrong("drawn-twice", NAMED + BEHAVIOUR + RULE + VALUES, keeps=1, base="one-mask-for-all-rows")
    | line("kept = torch", "x = x * (torch.rand(x.shape) >= p) / (1 - p)")
    | edit("x * kept", "x * (torch.rand(x.shape) >= p)"),
    Wrong("rounded-draw", VALUES + NAMED + BEHAVIOUR, keeps=1, never="never filled in", base="mask-alone")
    | line("return (torch", "kept = torch.rand(x.shape).round()", "return x * kept / (1 - p)"),
    Wrong("noise-added", BEHAVIOUR + RULE + VALUES, keeps=1)
    | body("if not training:", "    return x", "return x + torch.randn(x.shape) * p"),
    Wrong("ready-made", FORBIDDEN, says="ready-made|by hand|yourself") | returns("F.dropout(x, p, training)"),
    Wrong("one-mask-for-all-sentences", NAMED + BEHAVIOUR + RULE, keeps=1, base="mask-alone")
    | line("return (torch", "kept = torch.rand(x.shape[-2:]) >= p", "return x * kept / (1 - p)"),
    Wrong("matrices-only", RAISED, keeps=1, base="one-mask-for-all-rows")
    | line("kept = torch", "rows, columns = x.shape", "kept = torch.rand(rows, columns) >= p"),
    Right("entry-by-entry").body("""
        if not training:
            return x
        out = x.clone()
        flat = out.view(-1)
        for i in range(flat.numel()):
            if torch.rand(1).item() < p:
                flat[i] = 0.0
            else:
                flat[i] = flat[i] / (1 - p)
        return out"""),
    Right("greater", base="modes-swapped")
    | below("if training:", "    kept = torch.rand(x.shape) > p", "    return x * kept / (1 - p)", "else:")
    | without("kept = torch.rand(x.shape) >= p", "return apply_dropout"),
    Right("below-the-share-kept", base="mask-alone")
    | edit("not training", "training is False")
    | line("return (torch", "q = 1 - p", "return torch.where(torch.rand(x.shape) < q, x / q, 0.0)"),
    Right("rand-like")
    | edit("\n    kept = torch.rand(x.shape) >= p", ".clone()")
    | edit("x, kept,", "x, torch.rand_like(x) >= p,"),
    Right("bernoulli").body("""
        if not training or p == 0.0:
            return x
        mask = torch.bernoulli(torch.full(x.shape, 1 - p))
        return mask * x / (1 - p)"""),
    Right("bernoulli-in-place-on-a-fresh-tensor", base="mask-alone")
    | line("return (torch", "mask = torch.empty_like(x).bernoulli_(1 - p)", "return x * mask.div_(1 - p)"),
    Right("python-random").body("""
        if not training:
            return x
        flat = [v / (1 - p) if random.random() >= p else v * 0 for v in x.reshape(-1)]
        return torch.stack(flat).reshape(x.shape)""")
    | before("import random"),
    Right("numpy-random")
    | edit("kept = torch.rand(x.shape)", "mask = np.random.rand(*x.shape)")
    | edit("apply_dropout(x, kept, p)", "x * torch.from_numpy(np.asarray(mask)) / (1 - p)")
    | before("import numpy as np"),
    Right("numpy-generator")
    | rename("kept", "mask")
    | above("def dropout", "import numpy as np", "", "rng = np.random.default_rng()", "")
    | edit("rand(x.shape) >= p", "tensor(rng.random(tuple(x.shape)) >= p)"),
    Right("torch-generator-outside", base="mask-alone")
    | above("def dropout", "generator = torch.Generator()", "generator.manual_seed(123)", "")
    | line("return (torch", "return apply_dropout(x, torch.rand(x.shape, generator=generator) >= p, p)"),
    Right("lambda").typed("""
        dropout = lambda x, p, training=True: x * (torch.rand(x.shape) >= p) / (1 - p) if training else x"""),
    Right("object-that-is-called").typed("""
        class Dropout:
            def __call__(self, x, p, training=True):
                return apply_dropout(x, self.draw(x, p), p) if training else x

            @staticmethod
            def draw(x, p):
                return torch.rand(*x.shape).ge(p)

        dropout = Dropout()"""),
    Right("uniform").body("""
        if not training: return x
        u = torch.zeros_like(x).uniform_(0, 1)
        out = x / (1 - p)
        out[u < p] = 0
        return out"""),
    Right("double").typed("""
        def dropout(x: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
            if not training:
                return x
            keep = (torch.rand(x.shape, dtype=torch.float64) >= p).double()
            return (x.double() * keep / (1.0 - p)).to(x.dtype)"""),
    Right("loop-over-rows").body("""
        if not training or x.dim() == 0:
            return x
        rows = []
        for row in x:
            rows.append(apply_dropout(row, torch.rand(row.shape) >= p, p))
        return torch.stack(rows)"""),
)

TASKS.hold(
    "batched-scores",
    Wrong("all-axes-reversed", NAMED + RAISED) | returns("queries @ keys.T"),
    Wrong("mT-of-the-queries", NAMED + SHAPE) | returns("queries.mT @ keys"),
    Wrong("swapped", NAMED) | edit("queries @ keys", "keys @ queries"),
    Wrong("swapped-parameters", NAMED) | edit("queries, keys", "keys, queries"),
    Wrong("not-transposed", RAISED, says="without any transpose|is a transpose missing")
    | returns("queries @ keys"),
    Wrong("axes-0-and-1", RAISED + NAMED) | returns("queries @ keys.transpose(0, 1)"),
    Wrong("axes-0-and-2", RAISED + NAMED) | returns("queries @ keys.transpose(0, 2)"),
    Wrong("viewed-not-transposed", NAMED)
    | body("b, n, d = keys.shape", "return queries @ keys.view(b, d, n)"),
    Wrong("scaled", NAMED) | returns("queries @ keys.mT / keys.shape[-1] ** 0.5"),
    Wrong("softmaxed", VALUES + NAMED) | returns("torch.softmax(queries @ keys.mT, dim=-1)"),
    Wrong("masked", NOT_FINITE + VALUES + NAMED, never="dividing by zero").body("""
        scores = queries @ keys.transpose(1, 2)
        n = scores.shape[-1]
        return scores.masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)"""),
    Wrong("elementwise", SHAPE + NAMED) | returns("(queries * keys).sum(-1)"),
    Wrong("first-sentence", SHAPE + NAMED) | returns("queries[0] @ keys[0].T"),
    Wrong("first-keys-for-all", NAMED + VALUES) | returns("torch.stack([q @ keys[0].T for q in queries])"),
    Wrong("tensordot", SHAPE + NAMED) | returns("torch.tensordot(queries, keys, dims=([2], [2]))"),
    Wrong("einsum-swapped", NAMED) | returns('torch.einsum("bqd,bkd->bkq", queries, keys)'),
    Wrong("einsum-mixes-sentences", VALUES + NAMED) | returns('torch.einsum("bqd,ckd->bqk", queries, keys)'),
    Wrong("einsum-sums-the-batch", SHAPE + NAMED) | returns('torch.einsum("bqd,bkd->qk", queries, keys)'),
    Wrong("a-list", TYPE) | returns("[q @ k.T for q, k in zip(queries, keys)]"),
    Wrong("six-tokens-two-sentences", RAISED + SHAPE, keeps=1).body("""
        scores = torch.zeros(2, 6, 6)
        for b in range(2):
            scores[b] = queries[b] @ keys[b].T
        return scores"""),
    Wrong("last-sentence-skipped", VALUES + NAMED).body("""
        b, n, _ = queries.shape
        scores = torch.zeros(b, n, n)
        for i in range(b - 1):
            scores[i] = queries[i] @ keys[i].T
        return scores"""),
    Wrong("flattened", SHAPE + NAMED).body("""
        q = queries.reshape(-1, queries.shape[-1])
        k = keys.reshape(-1, keys.shape[-1])
        return q @ k.T"""),
    Wrong("keys-with-keys", VALUES + NAMED) | edit("queries @", "keys @"),
    Wrong("queries-with-queries", NAMED) | returns("queries @ queries.transpose(-2, -1)"),
    Wrong("from-the-notebook", NAMED + SHAPE) | edit("queries @ keys", "W_query(batch) @ W_key(batch)"),
    Wrong("layers-once-more", RAISED + VALUES)
    | above("return queries", "queries = W_query(queries)", "keys = W_key(keys)"),
    Wrong("transpose-not-called", RAISED) | returns("queries @ keys.transpose"),
    Wrong("return-forgotten", TYPE) | body("attn_scores = queries @ keys.mT"),
    Wrong("untouched", STUB) | body("...  # your code here"),
    Wrong("name", MISSING) | typed("def batch_scores(queries, keys):", "    return queries @ keys.mT"),
    Wrong("bmm-without-transpose", RAISED, says="without any transpose|is a transpose missing")
    | returns("torch.bmm(queries, keys)"),
    Wrong("transposes-in-place", RULE + NAMED + RAISED, keeps=1)
    | body("keys.transpose_(1, 2)", "return queries @ keys"),
    Wrong("scaled-by-tokens", VALUES + NAMED) | returns("queries @ keys.mT / keys.shape[1]"),
    Wrong("squeezed", SHAPE, keeps=1) | returns("(queries @ keys.transpose(1, 2)).squeeze()"),
    Wrong("by-cosine", VALUES + NAMED)
    | returns("F.cosine_similarity(queries[:, :, None], keys[:, None], dim=-1)"),
    Wrong("result-turned", NAMED) | returns("(queries @ keys.transpose(-2, -1)).transpose(-2, -1)"),
    Right("from-the-end") | returns("queries @ keys.transpose(-2, -1)"),
    Right("mT") | returns("queries @ keys.mT"),
    Right("bmm") | returns("torch.bmm(queries, keys.permute(0, 2, 1))"),
    Right("einsum") | returns('torch.einsum("bqd,bkd->bqk", queries, keys)'),
    Right("einsum-with-dots") | returns('torch.einsum("...id,...jd->...ij", queries, keys)'),
    Right("stacked") | returns("torch.stack([q @ k.T for q, k in zip(queries, keys)])"),
    Right("three-loops").body("""
        b, n, d = queries.shape
        scores = torch.empty(b, n, n)
        for s in range(b):
            for i in range(n):
                for j in range(n):
                    scores[s, i, j] = torch.dot(queries[s, i], keys[s, j])
        return scores"""),
    Right("broadcasting") | returns("(queries[:, :, None, :] * keys[:, None, :, :]).sum(dim=-1)"),
    Right("swapped-and-turned") | edit("queries @ keys", "(keys @ queries.transpose(1, 2))"),
    Right("matmul-swapaxes")
    | typed("batched_scores = lambda queries, keys: torch.matmul(queries, keys.swapaxes(1, 2))"),
    Right("double")
    | typed("def batched_scores(q, k):", "    return (q.double() @ k.double().adjoint()).to(torch.float32)"),
    Right("baddbmm").body("""
        b, n, _ = queries.shape
        zeros = torch.zeros(b, n, keys.shape[1])
        return torch.baddbmm(zeros, queries, keys.transpose(1, 2))"""),
    Right("vmap") | typed("def one(q, k):", "    return q @ k.T", "", "batched_scores = torch.vmap(one)"),
    Right("diagonal-of-the-tensordot").body("""
        everything = torch.tensordot(queries, keys, dims=([2], [2]))  # (b, q, b, k)
        return everything.diagonal(dim1=0, dim2=2).permute(2, 0, 1)"""),
    Right("linear-by-sentence").typed("""
        def batched_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
            out = []
            for i in range(queries.size(0)):
                out.append(F.linear(queries[i], keys[i]).unsqueeze(0))
            return torch.cat(out, dim=0)"""),
)

TASKS.hold(
    "causal-attention",
    Wrong("softmax-over-the-queries", NAMED, base="book") | edit(", dim=-1", ", dim=1"),
    Wrong("softmax-over-the-queries-from-the-end", NAMED, base="book")
    | edit("(attn_scores / keys.shape[-1] ** 0.5, dim=-1)", "(attn_scores / keys.shape[-1] ** 0.5, dim=-2)"),
    Wrong("softmax-over-the-batch", NAMED + NOT_FINITE + VALUES, base="book")
    | edit("(attn_scores / keys.shape[-1] ** 0.5, dim=-1)", "(attn_scores / keys.shape[-1] ** 0.5, dim=0)"),
    Wrong("not-scaled", NAMED, keeps=3, base="book") | edit(" / keys.shape[-1] ** 0.5", ""),
    Wrong("scaled-by-d", NAMED, keeps=3, base="book") | edit("[-1] ** 0.5", "[-1]"),
    Wrong("scaled-by-d-in", NAMED, keeps=3, base="book") | edit("keys.shape[-1] ** ", "d_in**"),
    Wrong("scaled-by-tokens", NAMED + VALUES, keeps=3, base="book") | edit("shape[-1]", "shape[1]"),
    Wrong("multiplied-by-the-root", NAMED, keeps=3, base="book") | edit("/ keys.shape", "* keys.shape"),
    Wrong("scaled-after-softmax", NAMED, base="book")
    | edit(
        "attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)",
        "attn_weights = torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5, dim=-1)",
    )
    | edit(
        "attn_weights = torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5, dim=-1)",
        "attn_weights = torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5",
    ),
    Wrong("scaled-twice", NAMED + VALUES, keeps=3, base="book")
    | edit("transpose(1, 2)", "transpose(1, 2) / self.d_out ** 0.5"),
    Wrong("queries-and-keys-swapped", NAMED, keeps=3, base="book") | edit("queries @ keys", "keys @ queries"),
    Wrong("key-layer-for-the-values", NAMED, base="book") | edit("W_value(x)", "W_key(x)"),
    Wrong("weights-times-the-keys", NAMED, base="book") | edit("@ values", "@ keys"),
    Wrong("weights-times-the-input", NAMED + SHAPE, base="book") | edit("@ values", "@ x"),
    Wrong("no-mask", NAMED, base="masked-with-plus-infinity") | without("attn_scores.masked_fill_"),
    Wrong("past-hidden", NAMED, base="book")
    | edit("torch.triu", "torch.tril")
    | edit("diagonal=1", "diagonal=-1"),
    Wrong("own-place-hidden", NOT_FINITE + NAMED, base="book") | edit(", diagonal=1", ""),
    Wrong("one-place-ahead-seen", NAMED + VALUES, base="book") | edit("diagonal=1", "diagonal=2"),
    Wrong("tril-used-as-true-where-hidden", NOT_FINITE + NAMED, base="own-place-hidden")
    | edit("torch.triu", "torch.tril"),
    Wrong("masked-fill-discarded", NAMED, base="book") | edit("masked_fill_", "masked_fill"),
    Wrong("masked-with-zero", NAMED, base="book") | edit("-torch.inf", "0"),
    Wrong("masked-with-plus-infinity", NOT_FINITE + NAMED, base="book") | edit(", -torch", ", torch"),
    Wrong("ones-and-zeros-added", NAMED + VALUES, base="masked-with-plus-infinity")
    | line("attn_scores.masked_fill_", "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]"),
    Wrong("zero-times-infinity", NOT_FINITE + NAMED, never="exponentials so large", base="book")
    | line(
        "attn_scores.masked_fill_",
        "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens] * -torch.inf",
    ),
    Wrong("weights-zeroed-afterwards", NAMED, base="book")
    | without("attn_scores.masked_fill_")
    | edit("(attn_weights)", "(attn_weights * (1 - self.mask[:num_tokens, :num_tokens]))"),
    Wrong("masked-after-softmax-with-infinity", NOT_FINITE + NAMED, base="book")
    | without("attn_scores.masked_fill_")
    | above(
        "attn_weights = self",
        "attn_weights.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)",
    ),
    Wrong("mask-not-cut", NAMED, keeps=4, base="book") | edit("[:num_tokens, :num_tokens]", ""),
    Wrong("mask-cut-in-one-axis", RAISED, keeps=4, base="book") | edit(", :num_tokens", ""),
    Wrong("mask-cut-at-the-wrong-end", NAMED + VALUES, keeps=4, base="book")
    | edit(":num_tokens,", "-num_tokens:,"),
    Wrong("tokens-counted-on-the-wrong-axis", RAISED, base="book")
    | line("b, num_tokens", "num_tokens = x.shape[0]"),
    Wrong("mask-a-plain-attribute", BEHAVIOUR + NAMED + RAISED + PARAMETERS, keeps=4, base="buffer-not-saved")
    | edit('register_buffer("mask",', "mask =")
    | edit(", persistent=False)", ""),
    Wrong(
        "mask-a-parameter",
        PARAMETERS + BEHAVIOUR + NAMED,
        keeps=4,
        never="does not name",
        base="buffer-not-saved",
    )
    | edit('register_buffer("mask", ', "mask = nn.Parameter(")
    | edit(", persistent=False", ""),
    Wrong("mask-made-in-forward-on-the-cpu", BEHAVIOUR + NAMED + RAISED, keeps=4, base="mask-not-cut")
    | without("self.register_buffer")
    | line(
        "attn_scores.masked_fill_",
        "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()",
        "attn_scores = attn_scores.masked_fill(mask, -torch.inf)",
    ),
    Wrong(
        "mask-made-in-forward-on-the-right-device", BEHAVIOUR + NAMED + RAISED, keeps=4, base="mask-not-cut"
    )
    | without("self.register_buffer")
    | line(
        "attn_scores.masked_fill_",
        "mask = torch.ones(num_tokens, num_tokens, device=x.device).triu(1).bool()",
        "attn_scores = attn_scores.masked_fill(mask, -torch.inf)",
    ),
    Wrong("buffer-called-otherwise", BEHAVIOUR + NAMED + RAISED + PARAMETERS, keeps=4, base="book")
    | rename("mask", "causal_mask"),
    Wrong("buffer-not-saved", BEHAVIOUR + NAMED, keeps=4, base="book")
    | edit(
        '("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))',
        '("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1), persistent=False)',
    ),
    Wrong("dropout-on-the-scores", BEHAVIOUR + NAMED, keeps=4, base="queries-and-keys-swapped")
    | line("attn_scores =", "attn_scores = self.dropout(queries @ keys.transpose(1, 2))")
    | without("attn_weights = self"),
    Wrong(
        "dropout-on-the-masked-scores",
        BEHAVIOUR + NAMED + NOT_FINITE,
        keeps=4,
        never="30 % of the entries",
        base="book",
    )
    | above("attn_weights = torch", "attn_scores = self.dropout(attn_scores)")
    | without("attn_weights = self"),
    Wrong("dropout-on-the-context", BEHAVIOUR + NAMED, keeps=4, base="dropout-forgotten")
    | line("context_vec =", "", "context_vec = self.dropout(attn_weights @ values)"),
    Wrong("dropout-in-two-places", BEHAVIOUR + NAMED, keeps=4, base="book")
    | line("context_vec =", "context_vec = self.dropout(attn_weights @ values)"),
    Wrong("dropout-on-the-input", BEHAVIOUR + NAMED, keeps=4, base="book")
    | above("keys = self", "x = self.dropout(x)")
    | line("attn_weights = self", ""),
    Wrong("dropout-on-the-values", BEHAVIOUR + NAMED, keeps=4, base="dropout-forgotten")
    | line("context_vec =", "", "context_vec = attn_weights @ self.dropout(values)"),
    Wrong("dropout-twice", BEHAVIOUR + NAMED, keeps=4, base="book")
    | below("attn_weights = self", "attn_weights = self.dropout(attn_weights)"),
    Wrong("dropout-forgotten", BEHAVIOUR + NAMED, keeps=4, base="book") | without("attn_weights = self"),
    Wrong("dropout-discarded", BEHAVIOUR + NAMED, keeps=4, base="book") | edit("attn_weights = self", "self"),
    Wrong("dropout-never-stops", BEHAVIOUR + NAMED, keeps=4, base="book")
    | edit("d_out = d_out", "p = dropout")
    | edit("nn.Dropout(dropout)", "None")
    | line("attn_weights = self", "attn_weights = F.dropout(attn_weights, self.p)"),
    Wrong("dropout-by-hand-never-stops", BEHAVIOUR + NAMED, keeps=3, base="dropout-made-in-forward")
    | line("attn_weights = nn", "attn_weights = dropout(attn_weights, self.p)"),
    Wrong("dropout-made-in-forward", BEHAVIOUR + NAMED, keeps=4, base="book")
    | line("self.dropout =", "self.p = dropout")
    | edit("self.dropout", "nn.Dropout(self.p)"),
    Wrong("dropout-always-half", BEHAVIOUR + NAMED, keeps=4, base="book") | edit("(dropout)", "(0.5)"),
    Wrong("dropout-of-the-rest", BEHAVIOUR + NAMED, keeps=4, base="book")
    | edit("(dropout)", "(1 - dropout)"),
    Wrong("dropout-default", BEHAVIOUR + NAMED, keeps=4, base="book") | edit("(dropout)", "()"),
    Wrong("kept-weights-renormalised", BEHAVIOUR + NAMED + NOT_FINITE, keeps=4, base="weights-kept-for-later")
    | without("self.last_weights")
    | below("attn_weights = self", "attn_weights = attn_weights / attn_weights.sum(dim=-1, keepdim=True)"),
    Wrong("whole-features-dropped", BEHAVIOUR + NAMED, keeps=4, base="book") | edit(".Dropout", ".Dropout1d"),
    Wrong("dropout-a-number", RAISED, base="book") | edit("nn.Dropout(dropout)", "dropout"),
    Wrong("bias-always", PARAMETERS + NAMED, keeps=4, base="book") | edit("=qkv_bias", "=True", places=3),
    Wrong("bias-never", PARAMETERS + NAMED + BEHAVIOUR, keeps=4, base="book")
    | edit("=qkv_bias", "=False", places=3),
    Wrong("bias-default", PARAMETERS, keeps=4, base="book") | edit(", bias=qkv_bias", "", places=3),
    Wrong("sizes-swapped", PARAMETERS + RAISED, base="book")
    | edit("d_in, d_out, bias", "d_out, d_in, bias", places=3),
    Wrong("sizes-of-the-example", PARAMETERS + RAISED, keeps=1, base="book")
    | edit("d_in, d_out, bias", "3, 2, bias", places=3),
    Wrong("layers-otherwise-named", PARAMETERS, keeps=3, base="book")
    | rename("W_query", "query")
    | rename("W_key", "key")
    | rename("W_value", "value"),
    Wrong("parameters-not-layers", PARAMETERS, keeps=4, base="book")
    | edit("Linear(d_in, d_out, bias=qkv_bias)", "Parameter(torch.rand(d_in, d_out))", places=3)
    | lines(
        "keys = self",
        "values = self",
        "keys = x @ self.W_key",
        "queries = x @ self.W_query",
        "values = x @ self.W_value",
    ),
    Wrong("layers-of-the-notebook", VALUES + RULE + NAMED, says=NOT_ITS_ARGUMENT, base="book")
    | lines("keys = self", "values = self", "keys = W_key(x)", "queries = W_query(x)", "values = W_value(x)"),
    Wrong("batch-of-the-notebook", RAISED + VALUES, base="book") | edit("W_query(x)", "W_query(batch)"),
    Wrong("turned-with-T", RAISED + NAMED, base="book") | edit("transpose(1, 2)", "T"),
    Wrong("first-sentence-alone", SHAPE + NAMED, base="book")
    | line("b, num_tokens", "x = x[0:1]", "num_tokens = x.shape[1]"),
    Wrong("without-a-batch", RAISED, base="tokens-counted-on-the-wrong-axis") | edit("transpose(1, 2)", "T"),
    Wrong("edits-x", RULE + VALUES + NAMED, base="book") | above("keys = self", "x -= x.mean()"),
    Wrong("mends-x-in-place", RULE + RAISED + NAMED, keeps=4, base="book")
    | above("keys = self", "x.nan_to_num_()", "x.mul_(1.0)", "x[:] = x.clone()")
    | below("context_vec =", "x.zero_()"),
    Wrong("weights-come-along", TYPE, keeps=4, base="book")
    | line("return context_vec", "return context_vec, attn_weights"),
    Wrong("returns-the-weights", SHAPE + NAMED, base="book")
    | line("return context_vec", "return attn_weights"),
    Wrong("return-forgotten", TYPE, base="book") | without("return context_vec"),
    Wrong("prints", TYPE, base="book") | line("return context_vec", "print(context_vec)"),
    Wrong("super-forgotten", RAISED, base="book") | without("super().__init__()"),
    Wrong("init-misspelt", RAISED, base="book") | edit(" __init__", " _init_"),
    Wrong("forward-misspelt", RAISED, never="_forward_unimplemented|line 402", base="book")
    | edit("def forward", "def foward"),
    Wrong("no-module", RAISED + TYPE + PARAMETERS, base="super-forgotten") | edit("(nn.Module)", ""),
    Wrong("an-instance", NO_FUNCTION + RAISED + TYPE).typed("""
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

        CausalAttention = CausalAttention(3, 2, 6, 0.0)"""),  # noqa: E501
    Wrong("other-class-name", MISSING, base="book") | edit("CausalAttention", "Causal_Attention"),
    Wrong("syntax", MISSING, base="book") | edit("(self, x):", "(self, x)"),
    Wrong("untouched", STUB + PARAMETERS + TYPE)
    | lines("self.W_query =", "self.register_buffer", "...  # your code here")
    | lines("num_tokens =", "return attn_weights", "...  # your code here"),
    Wrong("forward-untouched", STUB + TYPE, base="mask-not-cut")
    | lines("b, num_tokens", "return context_vec", "...  # your code here"),
    Wrong("fused-without-causal", VALUES + NAMED, base="book")
    | line("attn_scores =", "return F.scaled_dot_product_attention(queries, keys, values)"),
    Wrong("fused-dropout-never-stops", BEHAVIOUR + NAMED, keeps=4, base="fused-without-causal")
    | edit("d_out = d_out", "p = dropout")
    | edit("(queries, keys, values)", "(queries, keys, values, dropout_p=self.p, is_causal=True)"),
    Wrong("fused-with-polarity-turned", NOT_FINITE + NAMED + VALUES, base="fused-without-causal")
    | line(
        "return F.scaled_dot_product_attention",
        "mask = self.mask[:num_tokens, :num_tokens].bool()",
        "p = self.dropout.p if self.training else 0.0",
        "return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, dropout_p=p)",
    ),
    Wrong(
        "fixed-at-six-tokens",
        BEHAVIOUR + RAISED + NAMED + SHAPE + VALUES,
        keeps=3,
        never="training mode: The size",
        base="book",
    )
    | edit("context_length, context_length", "6, 6"),
    Wrong("nan-hidden", VALUES + NAMED, base="own-place-hidden")
    | edit("attn_weights @", "torch.nan_to_num(attn_weights) @"),
    Wrong("row-sums-instead-of-softmax", VALUES + NAMED, base="masked-with-plus-infinity")
    | lines(
        "attn_scores.masked_fill_",
        "attn_weights = torch",
        "attn_scores = attn_scores * (1 - self.mask[:num_tokens, :num_tokens])",
        "attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)",
    ),
    Wrong("output-layer-added", PARAMETERS, base="book")
    | edit("d_out = d_out", "out_proj = nn.Linear(d_out, d_out)")
    | line("context_vec =", "context_vec = self.out_proj(attn_weights @ values)"),
    Wrong("mask-of-1024-always", BEHAVIOUR + NAMED, keeps=4, base="book")
    | edit("context_length, context_length", "1024, 1024"),
    Wrong("mask-one-too-large", BEHAVIOUR + NAMED, keeps=4, base="book")
    | edit("(context_length, context_length)", "(context_length + 1, context_length)")
    | edit("(context_length + 1, context_length),", "(context_length + 1, context_length + 1),"),
    Wrong("mask-of-the-notebook", RAISED + VALUES, keeps=1, says=NOT_ITS_ARGUMENT, base="book")
    | edit("self.mask.bool()[:num_tokens, :num_tokens]", "hidden"),
    Wrong(
        "buffer-filled-with-the-notebook",
        BEHAVIOUR + RAISED + NAMED + VALUES,
        keeps=3,
        never="training mode: The size",
        base="book",
    )
    | line("self.register_buffer", 'self.register_buffer("mask", hidden)'),
    Wrong("no-gradients", RULE + NAMED, keeps=4, base="book")
    | below("attn_weights = self", "attn_weights = attn_weights.detach()"),
    Wrong("result-detached", RULE + NAMED, keeps=4, base="book")
    | line("return context_vec", "return context_vec.detach()"),
    Wrong("layers-made-in-forward", VALUES + PARAMETERS + BEHAVIOUR + NAMED + RULE, base="buffer-not-saved")
    | edit(", persistent=False", "")
    | above("keys = self", "self.W_key = nn.Linear(d_in, self.d_out, bias=False)"),
    Wrong("one-layer-shared", PARAMETERS + VALUES + NAMED, base="book")
    | line("self.W_key =", "self.W_key = self.W_query"),
    Wrong("eval-sets-p-to-zero", BEHAVIOUR + NAMED, keeps=4, base="weights-kept-for-later")
    | above("def forward", "def eval(self):", "    self.dropout.p = 0.0", "    return super().eval()", "")
    | without("self.last_weights"),
    Wrong("sentences-laid-end-to-end", RAISED + SHAPE, base="mask-not-cut")
    | line(
        "attn_scores =", "attn_scores = (queries.reshape(-1, self.d_out) @ keys.reshape(-1, self.d_out).T)"
    ),
    Wrong("keys-viewed", NAMED + VALUES, keeps=2, base="book")
    | edit("transpose(1, 2)", "view(b, -1, num_tokens)"),
    Wrong("sentences-averaged", BEHAVIOUR + NAMED + VALUES, keeps=1, base="book")
    | edit(" @ values", ".mean(0, keepdim=True) @ values"),
    Right("book")
    | above("self.W_query =", "self.d_out = d_out")
    | lines(
        "hidden = torch",
        "self.register_buffer",
        'self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))',
    )
    | line("num_tokens =", "b, num_tokens, d_in = x.shape", "keys = self.W_key(x)")
    | lines("queries =", "values = self", "queries = self.W_query(x)", "values = self.W_value(x)")
    | below("values = self", "")
    | edit("[:num_tokens, :num_tokens]", ".bool()[:num_tokens, :num_tokens]")
    | line("return attn_weights", "", "context_vec = attn_weights @ values", "return context_vec"),
    Right("tril-equals-zero", base="own-place-hidden")
    | edit("torch.triu", "torch.tril")
    | line(
        "attn_scores.masked_fill_",
        'attn_scores = attn_scores.masked_fill(self.mask[:num_tokens, :num_tokens] == 0, float("-inf"))',
    ),
    Right("additive-mask", base="book").define("""
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super().__init__()
            self.d_out = d_out
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.dropout = nn.Dropout(dropout)
            self.register_buffer("mask", torch.full((context_length, context_length), -torch.inf).triu(1))
        """)
    | line("attn_scores.masked_fill_", "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]"),
    Right("with-where", base="book")
    | line(
        "attn_scores.masked_fill_",
        "m = self.mask[:num_tokens, :num_tokens] > 0",
        "attn_scores = torch.where(m, torch.tensor(-torch.inf, device=x.device), attn_scores)",
    ),
    Right("minus-1e9", base="book") | edit("torch.inf", "1e9"),
    Right("finfo-min", base="book") | edit("-torch.inf", "torch.finfo(attn_scores.dtype).min"),
    Right("fused").typed("""
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
                )"""),
    Right("fused-is-causal", base="fused-without-causal")
    | line(
        "return F.scaled_dot_product_attention",
        "p = self.dropout.p if self.training else 0.0",
        "return F.scaled_dot_product_attention(queries, keys, values, dropout_p=p, is_causal=True)",
    ),
    Right("einsum-and-layer-order").typed("""
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
                return torch.einsum("bij,bjd->bid", self.drop(F.softmax(s, dim=2)), v)"""),
    Right("bmm-and-helpers").typed("""
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
            return torch.arange(n)[None, :] > torch.arange(n)[:, None]"""),
    Right("sentence-by-sentence").typed("""
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
                return torch.stack([self.one(sentence) for sentence in x])"""),
    Right("token-by-token", base="weights-kept-for-later")
    | line(
        "attn_scores =",
        "out = []",
        "for i in range(num_tokens):",
        "    s = (keys[:, : i + 1] @ queries[:, i, :, None]).squeeze(-1)",
        "    w = self.dropout(torch.softmax(s / self.d_out**0.5, dim=-1))",
        "    out.append((w[:, :, None] * values[:, : i + 1]).sum(dim=1))",
        "return torch.stack(out, dim=1)",
    )
    | without("self.last_weights"),
    Right("float64-inside", base="weights-kept-for-later")
    | edit("attn_scores /", "attn_scores.double() /")
    | line("self.last_weights", "attn_weights = attn_weights.to(values.dtype)"),
    Right("own-exponentials", base="weights-kept-for-later")
    | lines(
        "attn_weights = torch",
        "self.last_weights",
        "attn_scores = attn_scores / self.d_out**0.5",
        "e = torch.exp(attn_scores - attn_scores.max(dim=-1, keepdim=True).values)",
        "attn_weights = e / e.sum(dim=-1, keepdim=True)",
    ),
    Right("own-dropout-function", base="dropout-made-in-forward")
    | edit("nn.Dropout(self.p)(attn_weights)", "dropout(attn_weights, self.p, self.training)"),
    Right("functional-dropout", base="dropout-made-in-forward")
    | edit("nn.Dropout(self.p)(attn_weights)", "F.dropout(attn_weights, p=self.p, training=self.training)"),
    Right("own-batched-scores", base="scaled-before-the-mask")
    | lines("attn_scores =", "attn_scores /=", "attn_scores = batched_scores(queries, keys)")
    | edit(", dim=-1", " / torch.sqrt(torch.tensor(self.d_out)), dim=-1"),
    Right("scaled-queries", base="scaled-before-the-mask")
    | lines("attn_scores =", "attn_scores /=", "attn_scores = (queries / self.d_out**0.5) @ keys.mT"),
    Right("scaled-before-the-mask", base="book")
    | edit("1, 2)", "-1, -2)\n        attn_scores /= self.d_out**0.5")
    | edit(" / keys.shape[-1] ** 0.5", ""),
    Right("mask-with-a-batch-axis", base="buffer-not-saved")
    | edit("triu(torch.ones(", "ones(1, ")
    | edit(", diagonal=1), persistent=False", ".triu(1)")
    | edit("[:", "[:, :"),
    Right("length-checked", base="book")
    | above("keys = self", "assert num_tokens <= self.mask.shape[0], 'sentence too long'"),
    Right("weights-kept-for-later", base="book")
    | above("attn_weights = self", "self.last_weights = attn_weights.detach()"),
    Right("mask-as-a-byte-tensor", base="book")
    | edit("(context_length, context_length),", "(context_length, context_length, dtype=torch.uint8),"),
    Right("inherits").typed("""
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
                return self.drop(scores) @ v"""),
    Right("multihead-with-the-weights", base="sentence-by-sentence").define("""
        def forward(self, x):
            qkv = torch.cat([self.W_query(x), self.W_key(x), self.W_value(x)], dim=-1)
            q, k, v = qkv.unflatten(-1, (3, -1)).unbind(dim=-2)
            q, k, v = (t[:, None] for t in (q, k, v))  # one head
            n = x.shape[1]
            scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
            scores = scores.masked_fill(self.mask[None, None, :n, :n], -torch.inf)
            return (self.dropout(scores.softmax(-1)) @ v).flatten(1, 2)""")
    | lines("def one(self", "def forward", "def forward(self, x):"),
)

TASKS.hold(
    "bug-seed-order",
    Wrong("as-found", NAMED, base="random-module")
    | without("torch.random")
    | above("W_value =", "torch.manual_seed(seed)"),
    Wrong("seed-last", NAMED + BEHAVIOUR + RULE + VALUES, never="No seed is set any more", base="moved")
    | without("torch.manual_seed")
    | below("W_value =", "torch.manual_seed(seed)"),
    Wrong("no-seed", NAMED + BEHAVIOUR + RULE + VALUES, base="moved") | without("torch.manual_seed"),
    Wrong("seed-always-123", NAMED + VALUES, base="moved") | edit("manual_seed(seed)", "manual_seed(123)"),
    Wrong("seed-without-its-argument", VALUES + NAMED + RULE + BEHAVIOUR, base="moved")
    | edit("manual_seed(seed)", "seed()"),
    Wrong("seeded-twice", NAMED + VALUES, base="moved") | above("W_value =", "torch.manual_seed(seed)"),
    Wrong("layer-before-batch", NAMED + VALUES, base="sizes-swapped")
    | without("random_batch =")
    | below("W_value =", "random_batch = torch.randn(batch_size, num_tokens, d_in)  # (b, tokens, d_in)"),
    Wrong("uniform-batch", VALUES + NAMED, base="moved") | edit("torch.randn", "torch.rand"),
    Wrong("ones-instead-of-a-draw", VALUES + NAMED, base="moved") | edit("torch.randn", "torch.ones"),
    Wrong("with-a-bias", VALUES + NAMED, base="moved") | edit(", bias=False", ""),
    Wrong("sizes-swapped", SHAPE + NAMED, base="moved")
    | edit("randn(batch_size, num_tokens, d_in)", "randn(num_tokens, batch_size, d_in)"),
    Wrong("one-sentence", SHAPE, base="sizes-swapped") | edit("num_tokens, batch_size", "1, num_tokens"),
    Wrong("sizes-of-the-example", SHAPE + NAMED + VALUES, keeps=1, base="moved")
    | line("random_batch =", "random_batch = torch.randn(4, 10, 16)")
    | edit("d_in, d_out,", "16, 3,"),
    Wrong("python-seed", NAMED + VALUES + RULE + BEHAVIOUR, never="No seed is set any more", base="moved")
    | edit("torch.manual_seed", "random.seed")
    | before("import random"),
    Wrong("numpy-seed", NAMED + VALUES + RULE + BEHAVIOUR, base="moved")
    | edit("torch.manual_seed", "np.random.seed")
    | before("import numpy as np"),
    Wrong("seed-outside", NAMED + VALUES + RULE + BEHAVIOUR, base="moved")
    | above("def seeded_values", "torch.manual_seed(123)", "")
    | without("torch.manual_seed(seed)"),
    Wrong("seed-and-batch-outside", SHAPE + RAISED + VALUES + NAMED, base="moved")
    | above("def seeded_values", "torch.manual_seed(123)", "random_batch = torch.randn(4, 10, 16)", "")
    | without("random_batch = torch.randn(batch_size"),
    Wrong("cached", VALUES + NAMED + RULE + BEHAVIOUR, base="random-module")
    | above("def seeded_values", "from functools import cache", "", "@cache")
    | without("torch.random")
    | above("W_value =", "torch.manual_seed(seed)"),
    Wrong("assigned-to-the-function", VALUES + NAMED + RULE + BEHAVIOUR, base="moved")
    | line("torch.manual_seed", "manual_seed = seed"),
    Wrong("returns-the-batch", SHAPE + NAMED, base="moved") | edit("W_value(random_batch)", "random_batch"),
    Wrong("returns-the-layer", TYPE, base="moved") | edit("(random_batch)", ""),
    Wrong("returns-both", TYPE, base="moved") | edit("return W_value", "return random_batch, W_value"),
    Wrong("return-forgotten", TYPE, base="moved") | edit("return W_value", "W_value"),
    Wrong("layer-of-the-notebook", RAISED + SHAPE + VALUES, base="moved") | without("W_value ="),
    Wrong("own-generator-for-the-batch", VALUES + NAMED + RULE + BEHAVIOUR, base="moved")
    | edit("    torch", "    g = torch.Generator()")
    | edit("(batch_size, num_tokens, d_in)  #", "(batch_size, num_tokens, d_in, generator=g)  #"),
    Wrong("forked", VALUES + NAMED + RULE + BEHAVIOUR, base="moved")
    | line("torch.manual_seed", "with torch.random.fork_rng():", "    torch.manual_seed(seed)"),
    Wrong("name", MISSING, base="moved") | edit("seeded_values", "seed_values"),
    Wrong("syntax", MISSING, base="moved")
    | edit("(seed, batch_size, num_tokens, d_in, d_out):", "(seed, batch_size, num_tokens, d_in, d_out)"),
    Wrong("seed-default-argument-dropped", RAISED, base="moved") | edit("seed, batch_size", "batch_size"),
    Right("moved")
    | above(
        "torch.manual_seed",
        '"""The values of a random batch; the same seed gives the same numbers.',
        "",
        "Shapes:",
        "    returns: (batch_size, num_tokens, d_out)",
        '"""',
    ),
    Right("functional", base="moved")
    | edit("W_value(random_batch)", "F.linear(random_batch)")
    | edit("(random_batch)", "(random_batch, W_value.weight)"),
    Right("matmul", base="moved") | edit("W_value(random_batch)", "random_batch @ W_value.weight.T"),
    Right("random-module", base="moved") | edit("    torch", "    torch.random"),
    Right("detached", base="moved") | edit("(random_batch)", "(random_batch).detach()"),
    Right("no-grad", base="moved") | above("def seeded_values", "@torch.no_grad()"),
    Right("seed-as-an-int", base="moved") | edit("manual_seed(seed)", "manual_seed(int(seed))"),
    Right("forked-properly").body("""
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            x = torch.randn((batch_size, num_tokens, d_in))
            layer = nn.Linear(d_in, d_out, bias=False)
            return layer(x)"""),
    Right("helpers").typed("""
        def draw(seed, *size):
            torch.manual_seed(seed)
            return torch.randn(*size)

        def seeded_values(seed, batch_size, num_tokens, d_in, d_out):
            x = draw(seed, batch_size, num_tokens, d_in)
            return nn.Linear(in_features=d_in, out_features=d_out, bias=False)(x)"""),
    Right("lambda").typed("""
        seeded_values = lambda seed, b, n, d_in, d_out: (
            torch.manual_seed(seed),
            (lambda x: nn.Linear(d_in, d_out, bias=False)(x))(torch.randn(b, n, d_in)),
        )[1]"""),
    Right("einsum", base="moved")
    | edit("W_value(random_batch)", 'torch.einsum("btd,od->bto", random_batch, W_value.weight)'),
    Right("seed-on-every-device", base="moved")
    | above("torch.manual_seed", "torch.cuda.manual_seed_all(seed)"),
)

TASKS.hold(
    "bug-mask-device",
    Wrong("as-found", NAMED, base="faulty"),
    Wrong("device-alone", NAMED, keeps=2) | edit(" / keys.shape[-1] ** 0.5", ""),
    Wrong("scale-alone", NAMED + BEHAVIOUR, keeps=1) | edit(", device=x.device", ""),
    Wrong("scaled-by-d", NAMED, keeps=2) | edit("[-1] ** 0.5", "[-1] "),
    Wrong("scaled-by-d-in", NAMED, keeps=2) | edit("/ keys.shape", "/ x.shape"),
    Wrong("scaled-by-tokens", NAMED + VALUES, keeps=2) | edit("keys.shape[-1]", "num_tokens"),
    Wrong("multiplied", NAMED + VALUES, keeps=2) | edit("/ keys.shape", "* keys.shape"),
    Wrong("scaled-after", NAMED + VALUES + RAISED, keeps=2)
    | line("return torch", "return torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5 @ values"),
    Wrong("root-two", NAMED + VALUES, keeps=2) | edit("keys.shape[-1]", "2"),
    Wrong("cuda", RAISED) | edit("x.device", '"cuda"'),
    Wrong("cpu", NAMED + BEHAVIOUR, keeps=1) | edit("x.device", '"cpu"'),
    Wrong("meta", RAISED) | edit("x.device", '"meta"'),
    Wrong("cuda-if-there", NAMED + BEHAVIOUR, keeps=1)
    | edit("x.device", '"cuda" if torch.cuda.is_available() else "cpu"'),
    Wrong("to-discarded", NAMED + BEHAVIOUR, keeps=1, base="scale-alone")
    | below("hidden = torch", "hidden.to(x.device)"),
    Wrong("scores-to-the-cpu", NAMED + BEHAVIOUR, keeps=1, base="scale-alone")
    | edit(".masked_fill", ".cpu().masked_fill"),
    Wrong("try-except", NAMED + BEHAVIOUR, keeps=1, base="scale-alone")
    | line(
        "attn_scores = attn_scores",
        "try:",
        "    attn_scores = attn_scores.masked_fill(hidden, -torch.inf)",
        "except RuntimeError:",
        "    pass",
    ),
    Wrong("mask-left-out", NAMED + VALUES, base="scale-alone") | without("attn_scores = attn_scores"),
    Wrong("masked-fill-discarded", NAMED + VALUES) | edit("attn_scores = attn_scores", "attn_scores"),
    Wrong("buffer-of-six", RAISED + BEHAVIOUR + NAMED, keeps=1)
    | below("self.W_value =", 'self.register_buffer("mask", torch.ones(6, 6).triu(1).bool())')
    | line("hidden = torch", "hidden = self.mask[:num_tokens, :num_tokens]"),
    Wrong("context-length-added", RAISED)
    | edit("(self, d_in, d_out)", "(self, d_in, d_out, context_length)")
    | below(
        "self.W_value =",
        'self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())',
    )
    | line("hidden = torch", "hidden = self.mask[:num_tokens, :num_tokens]"),
    Wrong("softmax-axis-mended-wrongly", NAMED + VALUES) | edit(", dim=-1", ", dim=1"),
    Wrong("transpose-mended-wrongly", NAMED + VALUES, keeps=2) | edit("queries @ keys", "keys @ queries"),
    Wrong("tril-instead", NAMED + NOT_FINITE) | edit("triu(diagonal=1)", "tril()"),
    Wrong("mask-of-the-notebook", RAISED + VALUES + NAMED) | without("hidden = torch"),
    Wrong("device-of-the-class", RAISED) | edit("x.device", "self.device"),
    Wrong("scale-on-cpu", NAMED + BEHAVIOUR, keeps=1, never="mask is still made", base="faulty")
    | edit("(num_tokens, num_tokens).triu", "(num_tokens, num_tokens, device=x.device).triu")
    | edit(", dim=-1", " / torch.tensor([keys.shape[-1] ** 0.5]), dim=-1"),
    Wrong("bias-added", PARAMETERS, keeps=2) | rename("False", "True"),
    Wrong("old-name", MISSING) | edit("PortableAttention", "AsFound"),
    Wrong("subclass-of-the-faulty", NAMED) | typed("class PortableAttention(AsFound):", "    pass"),
    Wrong("mask-made-once-and-kept", BEHAVIOUR + RAISED + NAMED, keeps=1)
    | below("self.W_value =", "self.hidden = None")
    | edit("hidden = torch", "if self.hidden is None:\n            self.hidden = torch")
    | edit("hidden, -", "self.hidden, -"),
    Right("device-argument", base="solution"),
    Right("to-the-device", base="scale-alone")
    | edit("(diagonal=1).bool()", "(diagonal=1).bool().to(attn_scores.device)"),
    Right("to-device-of-x", base="faulty")
    | below("hidden = torch", "hidden = hidden.to(x.device)")
    | line("return torch", "return torch.softmax(attn_scores / queries.shape[-1] ** 0.5, dim=-1) @ values"),
    Right("ones-like") | edit("ones(num_tokens, num_tokens, device=x.device)", "ones_like(attn_scores)"),
    Right("new-ones")
    | line("hidden = torch", "hidden = x.new_ones(num_tokens, num_tokens).triu(1) > 0")
    | line("return torch", "return torch.softmax(attn_scores / keys.shape[-1] ** (1 / 2), dim=-1) @ values"),
    Right("type-as", base="scale-alone") | edit("triu(diagonal=1)", "type_as(x).triu(1)"),
    Right("arange", base="tril-instead")
    | edit("ones(num_tokens, num_tokens, device=x.device)", "arange(num_tokens, device=x.device)")
    | edit(".tril().bool()", "[None, :] > torch.arange(num_tokens, device=x.device)[:, None]"),
    Right("fused").define("""
        def forward(self, x):
            q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)"""),
    Right("subclass-mended").typed("""
        class PortableAttention(AsFound):
            def forward(self, x):
                q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                s = q @ k.mT / k.size(-1) ** 0.5
                n = s.size(-1)
                s = s + torch.full((n, n), float("-inf"), device=s.device).triu(1)
                return s.softmax(-1) @ v"""),
    Right("device-of-the-weight") | edit("x.device", "self.W_query.weight.device"),
    Right("root-kept")
    | below("self.W_value =", "self.scale = d_out**-0.5")
    | line("return torch", "return torch.softmax(attn_scores * self.scale, dim=-1) @ values"),
    Right("sqrt")
    | edit("(-2, -1)  #", "(-2, -1) / math.sqrt(keys.size(-1))  #")
    | line("return torch", "return torch.softmax(attn_scores, dim=-1) @ values")
    | before("import math"),
    Right("context-manager", base="scale-alone")
    | edit("hidden =", "with torch.device(x.device):\n            hidden ="),
)

TASKS.hold(
    "bug-eval-dropout",
    Wrong("as-found", NAMED + BEHAVIOUR, base="faulty"),
    Wrong("training-true", NAMED + BEHAVIOUR) | edit("self.training", "True"),
    Wrong("training-false", NAMED + BEHAVIOUR) | edit("self.training", "False"),
    Wrong("taken-out", NAMED + BEHAVIOUR) | without("attn_weights = F"),
    Wrong("p-zero", NAMED + BEHAVIOUR, base="faulty") | edit("= dropout", "= 0.0"),
    Wrong("modes-swapped", NAMED + BEHAVIOUR) | edit("training=self", "training=not self"),
    Wrong("if-eval", NAMED + BEHAVIOUR)
    | line("attn_weights = F", "if not self.training:", "    attn_weights = F.dropout(attn_weights, self.p)"),
    Wrong("layer-in-forward", NAMED + BEHAVIOUR)
    | line("attn_weights = F", "attn_weights = nn.Dropout(self.p)(attn_weights)"),
    Wrong("eval-sets-p-to-zero", NAMED + BEHAVIOUR, never="in eval mode and should be", base="faulty")
    | above("def forward", "def eval(self):", "    self.p = 0.0", "    return super().eval()", ""),
    Wrong("eval-overridden-without-self", VALUES + BEHAVIOUR + RAISED + NAMED, base="faulty")
    | above("def forward", "def eval(self):", "    self.p = 0", ""),
    Wrong("forward-sets-p-to-zero", NAMED + BEHAVIOUR, base="faulty")
    | above("attn_weights = F", "if not self.training:", "    self.p = 0.0"),
    Wrong("own-flag", NAMED + BEHAVIOUR, base="faulty")
    | below("self.p = dropout", "self.is_training = True")
    | edit("(attn_weights, self.p)", "(attn_weights, self.p, training=self.is_training)"),
    Wrong("mode-read-once", NAMED + BEHAVIOUR)
    | below("self.p = dropout", "self.mode = self.training")
    | edit("training=self.training", "self.mode"),
    Wrong("mode-not-called", RAISED, base="third-argument") | edit("self.training", "training=self.train"),
    Wrong("bare-training", RAISED) | edit("training=self.", "training="),
    Wrong("mode-an-argument-of-forward", NAMED + BEHAVIOUR)
    | edit("(self, x)", "(self, x, training=True)")
    | edit("=self.training", ""),
    Wrong("mode-of-the-constructor", NAMED + BEHAVIOUR, base="faulty")
    | edit("(self, d_in, d_out, dropout)", "(self, d_in, d_out, dropout, training=True)")
    | below("self.p = dropout", "self.training = training"),
    Wrong("seeded", NAMED + BEHAVIOUR, base="faulty") | above("attn_weights = F", "torch.manual_seed(123)"),
    Wrong("seeded-in-eval", VALUES + NAMED, base="faulty")
    | above("attn_weights = F", "if not self.training:", "    torch.manual_seed(0)"),
    Wrong("no-grad-is-taken-for-eval", NAMED + BEHAVIOUR) | edit("self.training", "torch.is_grad_enabled()"),
    Wrong("layer-of-half", NAMED + BEHAVIOUR, keeps=2)
    | edit("p = dropout", "dropout = nn.Dropout(0.5)")
    | line("attn_weights = F", "attn_weights = self.dropout(attn_weights)"),
    Wrong("layer-unused", NAMED + BEHAVIOUR)
    | edit("p = dropout", "dropout = nn.Dropout(dropout)")
    | without("attn_weights = F"),
    Wrong("layer-in-a-list", NAMED + BEHAVIOUR)
    | edit("p = dropout", "layers = [nn.Dropout(dropout)]")
    | line("attn_weights = F", "attn_weights = self.layers[0](attn_weights)"),
    Wrong("on-the-scores", NAMED + BEHAVIOUR, keeps=2, base="layer-unused").define("""
        def forward(self, x):
            queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
            attn_scores = self.dropout(queries @ keys.transpose(-2, -1))  # (b, tokens, tokens)
            attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
            return attn_weights @ values"""),
    Wrong("on-the-context", NAMED + BEHAVIOUR, keeps=2, base="if-eval")
    | lines(
        "if not self", "return attn_weights", "return F.dropout(attn_weights @ values, self.p, self.training)"
    ),
    Wrong("no-factor", NAMED + BEHAVIOUR, keeps=2)
    | line(
        "attn_weights = F",
        "if self.training:",
        "    attn_weights = attn_weights * (torch.rand_like(attn_weights) >= self.p)",
    ),
    Wrong("scaled-in-eval", NAMED + BEHAVIOUR + VALUES, base="if-eval")
    | edit("if not self", "if self")
    | above("return attn_weights", "else:", "    attn_weights = attn_weights * (1 - self.p)"),
    Wrong("inplace-third-argument", NAMED + BEHAVIOUR) | edit("training=", "False, "),
    Wrong("discarded", NAMED + BEHAVIOUR) | edit("attn_weights = F", "F"),
    Wrong("old-name", MISSING) | edit("DropoutAttention", "AsFoundToo") | edit("training=", ""),
    Wrong("subclass-of-the-faulty", NAMED + BEHAVIOUR)
    | typed("class DropoutAttention(AsFoundToo):", "    pass"),
    Wrong("average-of-many", NAMED + BEHAVIOUR + VALUES, base="if-eval")
    | lines(
        "if not self",
        "attn_weights = F",
        "attn_weights = torch.stack([F.dropout(attn_weights, self.p) for _ in range(200)]).mean(0)",
    ),
    Right("training-passed", base="solution"),
    Right("third-argument") | edit("training=", ""),
    Right("layer", base="layer-unused")
    | below("attn_weights =", "attn_weights = self.dropout(attn_weights)"),
    Right("if-training", base="if-eval") | edit("if not self", "if self"),
    Right("p-by-mode")
    | line(
        "attn_weights = F",
        "p = self.p if self.training else 0.0",
        "attn_weights = F.dropout(attn_weights, p)",
    ),
    Right("p-times-mode") | edit(", training=", " * "),
    Right("own-function") | edit("F.dropout", "dropout"),
    Right("fused").define("""
        def forward(self, x):
            queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
            attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
            attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)

            return F.scaled_dot_product_attention(queries, keys, values, dropout_p=self.p if self.training else 0.0)
        """),  # noqa: E501
    Right("property")
    | above("def forward", "@property", "def rate(self):", "    return self.p if self.training else 0.0", "")
    | edit("p, training=self.training", "rate"),
    Right("sequential", base="discarded")
    | edit("p = dropout", "weigh = nn.Sequential(nn.Softmax(dim=-1), nn.Dropout(dropout))")
    | lines("attn_weights =", "F.dropout", "attn_weights = self.weigh(attn_scores / keys.shape[-1] ** 0.5)"),
    Right("subclass-mended").typed("""
        class DropoutAttention(AsFoundToo):
            def forward(self, x):
                q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                w = (q @ k.mT * k.size(-1) ** -0.5).softmax(-1)
                return F.dropout(w, p=self.p, training=self.training) @ v"""),
    Right("train-overridden", base="property")
    | below("self.p = dropout", "self.now = dropout")
    | lines(
        "@property",
        "return self",
        "def train(self, mode=True):",
        "    self.now = self.p if mode else 0.0",
        "    return super().train(mode)",
    )
    | edit("self.rate", "self.now"),
    Right("by-hand")
    | line(
        "attn_weights = F",
        "if self.training:",
        "    kept = torch.rand_like(attn_weights) >= self.p",
        "    attn_weights = apply_dropout(attn_weights, kept, self.p)",
    ),
)
