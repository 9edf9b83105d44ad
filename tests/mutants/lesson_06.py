# ruff: noqa: F405  (the words that answers are written with all come from one place)
"""Answers to lesson 06 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "06-encoder-decoder"
TASKS = Tasks(LESSON)
SAME_SIZES = "batch_size equals d_k in the seed; redrawing another size would refuse honest literals"

TASKS.hold(
    "padding-mask",
    Wrong("less-or-equal", NAMED, base="two-axes-then-none") | edit("[None, :] <", " <="),
    Wrong("polarity", NAMED, says="visible")
    | returns("(torch.arange(num_tokens) >= lengths[:, None])[:, None, None]"),
    Wrong("polarity-other-way-round", VALUES, never=SAME_TWICE).body("""
        positions = torch.arange(num_tokens)
        return (lengths[:, None] < positions).view(-1, 1, 1, num_tokens)"""),
    Wrong("two-axes", NAMED + SHAPE, says="None, None", base="broadcast") | edit(", None, None", ""),
    Wrong("three-axes", NAMED + SHAPE)
    | returns("(torch.arange(num_tokens)[None, :] < lengths[:, None]).unsqueeze(1)"),
    Wrong("no-batch-axis-added", NAMED + RAISED) | returns("torch.arange(num_tokens) < lengths"),
    Wrong("axes-in-front", SHAPE) | returns("(torch.arange(num_tokens) < lengths[:, None])[None, None]"),
    Wrong("axes-behind", SHAPE) | returns("(torch.arange(num_tokens) < lengths[:, None])[:, :, None, None]"),
    Wrong("on-the-query-axis", NAMED + SHAPE)
    | returns("(torch.arange(num_tokens)[:, None] < lengths.view(-1, 1, 1, 1))"),
    Wrong("floats", DTYPE + NAMED, keeps=1)
    | returns("(torch.arange(num_tokens) < lengths[:, None])[:, None, None, :].float()"),
    Wrong("integers", DTYPE + NAMED, keeps=1, base="loop")
    | edit("torch.bool", "torch.int")
    | edit("[i, 0, 0, :n] = True", "[i, 0, 0, :n] = 1"),
    Wrong("longest-length", NAMED + SHAPE, base="polarity") | edit("(num_tokens) >=", "(lengths.max()) <"),
    Wrong("notebook-length", SHAPE, keeps=1, says=NOT_ITS_ARGUMENT)
    | returns("(torch.arange(max_sequence_length) < lengths[:, None])[:, None, None]"),
    Wrong("notebook-batch", RAISED, keeps=1)
    | returns("(torch.arange(num_tokens) < lengths[:, None]).view(batch_size, 1, 1, num_tokens)"),
    Wrong("padding-on-the-left", NAMED, base="polarity") | edit("= lengths", "= num_tokens - lengths"),
    Wrong("expanded-over-queries", SHAPE).body("""
        keys = (torch.arange(num_tokens) < lengths[:, None])[:, None, None, :]
        return keys.expand(-1, 1, num_tokens, -1)"""),
    Wrong("queries-hidden-too", NAMED + SHAPE).body("""
        real = torch.arange(num_tokens) < lengths[:, None]
        return (real[:, None, :] & real[:, :, None])[:, None]"""),
    Wrong("positions-from-one", NAMED, base="polarity") | edit("(num_tokens) >=", "(1, num_tokens + 1) <"),
    Wrong("additive", NAMED + NOT_FINITE, never="dividing by zero or from exp").body("""
        real = (torch.arange(num_tokens) < lengths[:, None])[:, None, None]
        return torch.zeros(real.shape).masked_fill(~real, float("-inf"))"""),
    Wrong("list-of-lists", TYPE)
    | returns("[[[[i < n for i in range(num_tokens)]]] for n in lengths.tolist()]"),
    Wrong("printed", TYPE) | body("print((torch.arange(num_tokens) < lengths[:, None])[:, None, None])"),
    Wrong("shared-lengths", VALUES, never=SAME_TWICE).body("""
        lengths = torch.tensor([5, 3])
        return (torch.arange(num_tokens) < lengths[:, None])[:, None, None]"""),
    Wrong("typed-in", VALUES, never=SAME_TWICE)
    | returns("torch.tensor([[[[True, True, True, True, True]]], [[[True, True, True, False, False]]]])"),
    Wrong("relative-to-the-longest", VALUES, never=SAME_TWICE).body("""
        pad = lengths.max() - lengths
        return (torch.arange(num_tokens) < num_tokens - pad[:, None])[:, None, None]"""),
    Wrong("empty-sequence-forgotten", VALUES, keeps=1, never=SAME_TWICE, base="loop")
    | edit("torch.zeros", "torch.ones")
    | line("mask[i, 0", "mask[i, :, :, n:] = False", "mask[i, :, :, 0] = True"),
    Wrong("slices-by-negative-numbers", VALUES, never="never filled in", base="loop")
    | edit("torch.zeros", "torch.ones")
    | edit("[i, 0, 0, :n] = True", "[i, 0, 0, -(num_tokens - n) :] = False"),
    Wrong("equal", VALUES, never=SAME_TWICE, base="polarity") | edit(">= lengths", "== lengths"),
    Wrong("tensor-in-an-if", NAMED + RAISED)
    | lines("visible =", "return visible", "if positions < lengths:", "    return True", "return False"),
    Wrong("causal-by-mistake", SHAPE)
    | returns("torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))[lengths - 1]"),
    Wrong("rows-of-tril", VALUES, keeps=1, never=SAME_TWICE).body("""
        return torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))[lengths - 1][:, None, None]
        """),
    Wrong("lengths-changed-in-place", RULE, keeps=1, says="changed its argument `lengths`")
    | body("lengths -= 1", "return (torch.arange(num_tokens) <= lengths[:, None])[:, None, None]"),
    Wrong("from-tokens-not-zero", SHAPE) | returns("(lengths != 0).unsqueeze(1).unsqueeze(2)"),
    Wrong("numpy", TYPE, keeps=1).body("""
        import numpy as np

        return (np.arange(num_tokens) < lengths.numpy()[:, None])[:, None, None, :]"""),
    Wrong("no-arange-import", RAISED) | returns("(arange(num_tokens) < lengths[:, None])[:, None, None]"),
    Wrong("batch-and-key-swapped", VALUES, never=SAME_TWICE)
    | returns("(torch.arange(num_tokens)[:, None] < lengths).view(len(lengths), 1, 1, num_tokens)"),
    Right("broadcast") | returns("torch.arange(num_tokens) < lengths[:, None, None, None]"),
    Right("two-axes-then-none")
    | returns("(torch.arange(num_tokens)[None, :] < lengths[:, None])[:, None, None, :]"),
    Right("unsqueezed").typed("""
        def padding_mask(lengths: torch.Tensor, num_tokens: int) -> torch.Tensor:
            positions = torch.arange(num_tokens, device=lengths.device).unsqueeze(0)
            return positions.lt(lengths.unsqueeze(1)).unsqueeze(1).unsqueeze(2)"""),
    Right("inverted")
    | body("hidden = torch.arange(num_tokens) >= lengths.view(-1, 1, 1, 1)", "return ~hidden"),
    Right("loop").body("""
        mask = torch.zeros(len(lengths), 1, 1, num_tokens, dtype=torch.bool)
        for i, n in enumerate(lengths):
            mask[i, 0, 0, :n] = True
        return mask"""),
    Right("comprehension")
    | returns("torch.tensor([[[[i < int(n) for i in range(num_tokens)]]] for n in lengths])"),
    Right("stacked").body("""
        rows = [torch.arange(num_tokens) < n for n in lengths]
        return torch.stack(rows).reshape(-1, 1, 1, num_tokens)"""),
    Right("rows-of-tril").body("""
        table = torch.tril(torch.ones(num_tokens + 1, num_tokens, dtype=torch.bool), diagonal=-1)
        return table[lengths][:, None, None]"""),
    Right("cumulated").body("""
        ones = torch.ones(lengths.shape[0], num_tokens, dtype=torch.long)
        return (ones.cumsum(-1) <= lengths[:, None]).unflatten(0, (-1, 1, 1))"""),
    Right("lambda")
    | typed("padding_mask = lambda lengths, n: (torch.arange(n) < lengths.reshape(-1, 1))[:, None, None]"),
    Right("where-and-bool").body("""
        positions = torch.arange(num_tokens).expand(lengths.size(0), num_tokens)
        mask = torch.where(positions < lengths[:, None], 1, 0)
        return mask.bool().view(lengths.size(0), 1, 1, num_tokens)"""),
)

TASKS.hold(
    "combine-masks",
    Wrong("causal-only", NAMED, base="product")
    | line("return causal", "return causal.expand(len(lengths), 1, -1, -1)"),
    Wrong("padding-only", NAMED) | returns("padding_mask(lengths, num_tokens).expand(-1, 1, num_tokens, -1)"),
    Wrong("padding-not-expanded", SHAPE) | returns("padding_mask(lengths, num_tokens)"),
    Wrong("or", NAMED, says="&") | edit("& causal", "| causal"),
    Wrong("python-and", RAISED) | edit("& causal", "and causal"),
    Wrong("added", NAMED)
    | returns("padding_mask(lengths, num_tokens) + torch.tril(torch.ones(num_tokens, num_tokens))"),
    Wrong("added-bool", NAMED, base="tuple-of-masks")
    | line("return causal", "return (padding_mask(lengths, num_tokens) + causal).bool()"),
    Wrong("upper", NAMED) | edit("torch.tril", "torch.triu"),
    Wrong("strict-upper", NAMED, says="hidden").body("""
        causal = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
        return padding_mask(lengths, num_tokens) & causal"""),
    Wrong("diagonal-hidden", NAMED).body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1).bool()
        return padding_mask(lengths, num_tokens) & causal"""),
    Wrong("one-too-many", VALUES + NAMED, never=SAME_TWICE).body("""
        causal = torch.ones(num_tokens, num_tokens).tril(1).bool()
        return causal & padding_mask(lengths, num_tokens)"""),
    Wrong("floats", DTYPE + NAMED, keeps=1)
    | returns("padding_mask(lengths, num_tokens) * torch.tril(torch.ones(num_tokens, num_tokens))"),
    Wrong("notebook-mask", NAMED + RAISED, keeps=1)
    | returns("padding_mask(lengths, num_tokens) & visible.bool()"),
    Wrong("notebook-mask-float", RAISED) | returns("padding_mask(lengths, num_tokens) & visible"),
    Wrong("notebook-sizes", SHAPE, keeps=1, says=NOT_ITS_ARGUMENT).body("""
        causal = torch.tril(torch.ones(max_sequence_length, max_sequence_length)).bool()
        return padding_mask(lengths, max_sequence_length) & causal"""),
    Wrong("padded-queries-emptied", NAMED, says="keys").body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
        keys = padding_mask(lengths, num_tokens)
        return causal & keys & keys.transpose(-2, -1)"""),
    Wrong("padding-on-queries", NAMED, base="tuple-of-masks")
    | line("return causal", "return causal & padding_mask(lengths, num_tokens).transpose(-2, -1)"),
    Wrong("means-hidden", NAMED, base="tuple-of-masks")
    | line("return causal", "return ~(causal & padding_mask(lengths, num_tokens))"),
    Wrong("hidden-and-may-look-mixed", NAMED).body("""
        future = torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool), diagonal=1)
        return padding_mask(lengths, num_tokens) & future"""),
    Wrong("xor", VALUES, never=SAME_TWICE) | edit("& causal", "^ causal"),
    Wrong("equal", VALUES, never=SAME_TWICE) | edit("& causal", "== causal"),
    Wrong("squeezed-head-axis", NAMED + SHAPE, base="tuple-of-masks")
    | line("return causal", "return (padding_mask(lengths, num_tokens) & causal).squeeze(1)"),
    Wrong("four-heads", SHAPE, base="squeezed-head-axis") | edit("squeeze(1)", "repeat(1, num_heads, 1, 1)"),
    Wrong("batch-lost", SHAPE, base="tuple-of-masks")
    | line("return causal", "return (causal & padding_mask(lengths, num_tokens))[:1]"),
    Wrong("tuple-of-masks", TYPE).body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
        return causal, padding_mask(lengths, num_tokens)"""),
    Wrong("nothing-returned", TYPE, base="tuple-of-masks") | edit("return causal,", "both = causal &"),
    Wrong("transposed", VALUES + NAMED, never=SAME_TWICE, base="tuple-of-masks")
    | line("return causal", "return (causal & padding_mask(lengths, num_tokens)).transpose(-2, -1)"),
    Wrong("longest", SHAPE)
    | body("n = int(lengths.max())", "return padding_mask(lengths, n) & torch.ones(n, n).tril().bool()"),
    Wrong("only-shortest", VALUES, never="never filled in").body("""
        causal = torch.ones(num_tokens, num_tokens).tril().bool()
        causal[:, lengths.min() :] = False
        return causal.expand(len(lengths), 1, -1, -1)"""),
    Wrong("own-less-or-equal", VALUES, never=SAME_TWICE).body("""
        i = torch.arange(num_tokens)
        return ((i[None, :] <= i[:, None]) & (i[None, :] <= lengths[:, None, None]))[:, None]"""),
    Wrong("own-position-always", VALUES, never=SAME_TWICE).body("""
        causal = torch.ones(num_tokens, num_tokens).tril().bool()
        return (padding_mask(lengths, num_tokens) & causal) | torch.eye(num_tokens, dtype=torch.bool)"""),
    Wrong("integers", DTYPE + NAMED, keeps=1).body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.int))
        return padding_mask(lengths, num_tokens).int() & causal"""),
    Wrong("additive", NOT_FINITE + DTYPE, never="dividing by zero or from exp").body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
        may = causal & padding_mask(lengths, num_tokens)
        return torch.zeros(may.shape).masked_fill(~may, -torch.inf)"""),
    Wrong("two-axis-padding", RAISED)
    | above("causal = torch", "real = torch.arange(num_tokens) < lengths[:, None]")
    | line("return padding_mask", "return (real & causal)[:, None]"),
    Wrong("figure-called", RAISED)
    | returns('combined_masks(mask, lengths, ["t0", "t1", "t2", "pad", "pad"])'),
    Right("and").body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))  # (query, key)
        return padding_mask(lengths, num_tokens) & causal"""),
    Right("product").body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens)).bool()
        return causal[None, None] * padding_mask(lengths, num_tokens)"""),
    Right("logical-and").body("""
        i = torch.arange(num_tokens)
        return torch.logical_and(i[:, None] >= i, padding_mask(lengths, num_tokens))"""),
    Right("de-morgan").body("""
        future = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
        return ~(future | ~padding_mask(lengths, num_tokens))"""),
    Right("tril-of-the-padding")
    | returns("padding_mask(lengths, num_tokens).expand(-1, -1, num_tokens, -1).tril()"),
    Right("without-padding-mask").body("""
        i = torch.arange(num_tokens)
        limit = torch.minimum(i[None, None, :, None] + 1, lengths[:, None, None, None])
        return i < limit"""),
    Right("loops").body("""
        out = torch.zeros(lengths.shape[0], 1, num_tokens, num_tokens, dtype=torch.bool)
        for b, n in enumerate(lengths.tolist()):
            for query in range(num_tokens):
                out[b, 0, query, : min(query + 1, n)] = True
        return out"""),
    Right("floats-and-bool").body("""
        causal = torch.tril(torch.ones((num_tokens, num_tokens)))
        return (padding_mask(lengths, num_tokens).float() * causal) == 1"""),
    Right("masked-fill").body("""
        m = torch.ones(len(lengths), 1, num_tokens, num_tokens).tril()
        return m.masked_fill(padding_mask(lengths, num_tokens) == 0, 0).bool()"""),
    Right("stacked").typed("""
        def decoder_mask(lengths, num_tokens):
            def one(n):
                m = torch.ones(num_tokens, num_tokens).tril()
                m[:, n:] = 0
                return m.bool()

            return torch.stack([one(n) for n in lengths]).unsqueeze(1)"""),
    Right("all-of-both").body("""
        a = padding_mask(lengths, num_tokens)
        b = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
        return torch.stack(torch.broadcast_tensors(a, b)).all(dim=0)"""),
    Right("fused-with-einsum").body("""
        real = (torch.arange(num_tokens) < lengths[:, None]).float()
        causal = torch.tril(torch.ones(num_tokens, num_tokens))
        return torch.einsum("bk,qk->bqk", real, causal).bool().unsqueeze(1)"""),
)

TASKS.hold(
    "masked-softmax",
    Wrong("nan-rows", NAMED + NOT_FINITE, keeps=2, never=r"\bquerie\b")
    | returns('torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)'),
    Wrong("minus-1e9", NAMED, keeps=2, says="evenly")
    | returns("torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)"),
    Wrong("finfo-min", NAMED, keeps=2)
    | returns("F.softmax(scores.masked_fill(~mask.bool(), torch.finfo(scores.dtype).min), dim=-1)"),
    Wrong("additive-painted-over", NAMED, keeps=2, says="gradient").body("""
        bias = torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
        return torch.softmax(scores + bias, dim=-1).nan_to_num(0.0)"""),
    Wrong("additive-filled-after", NAMED, keeps=2).body("""
        bias = torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
        return torch.softmax(scores + bias, dim=-1).masked_fill(mask == 0, 0)"""),
    Wrong("times-mask-after-inf", NAMED + NOT_FINITE, keeps=2)
    | returns('torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1) * mask'),
    Wrong("zeroed-not-renormalised", NAMED) | returns("torch.softmax(scores, dim=-1) * mask"),
    Wrong("zero-filled-first", NAMED) | returns("torch.softmax(scores.masked_fill(mask == 0, 0), dim=-1)"),
    Wrong("scores-times-mask", NAMED) | returns("torch.softmax(scores * mask, dim=-1) * mask"),
    Wrong("polarity", NAMED).body("""
        w = torch.softmax(scores.masked_fill(mask == 1, float("-inf")), dim=-1)
        return w.masked_fill(mask == 1, 0)"""),
    Wrong("bool-polarity", NAMED)
    | returns('scores.masked_fill(mask.bool(), float("-inf")).softmax(-1).masked_fill(mask.bool(), 0.0)'),
    Wrong("tilde-of-an-int", NAMED + RAISED)
    | body('w = scores.masked_fill(~mask, float("-inf")).softmax(-1)', "return w.masked_fill(~mask, 0.0)"),
    Wrong("over-the-queries", NAMED)
    | returns("scores.masked_fill(mask == 0, -torch.inf).softmax(dim=-2).masked_fill(mask == 0, 0)"),
    Wrong("over-the-heads", NAMED)
    | returns("scores.masked_fill(mask == 0, -torch.inf).softmax(dim=1).masked_fill(mask == 0, 0)"),
    Wrong("fill-in-place", NAMED + RULE, keeps=2).body("""
        scores.masked_fill_(mask == 0, float("-inf"))
        return torch.softmax(scores, dim=-1).masked_fill(mask == 0, 0)"""),
    Wrong("index-in-place", NAMED + RULE, keeps=2).body("""
        scores[(mask == 0).expand_as(scores)] = -1e9
        return scores.softmax(-1).masked_fill(mask == 0, 0)"""),
    Wrong("plus-equals", NAMED + RULE, keeps=2)
    | body("scores += (mask.float() - 1) * 1e9", "return torch.softmax(scores, dim=-1) * mask"),
    Wrong("row-divided-by-zero", NAMED + NOT_FINITE)
    | body("e = torch.exp(scores) * mask", "return e / e.sum(dim=-1, keepdim=True)"),
    Wrong("epsilon-too-large", VALUES, never=SAME_TWICE)
    | body("e = torch.exp(scores) * mask", "return e / (e.sum(dim=-1, keepdim=True) + 1e-2)"),
    Wrong("exp-overflows", NOT_FINITE, keeps=2)
    | body("e = torch.exp(scores) * mask", "return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-9)"),
    Wrong("notebook-mask", RAISED, says=NOT_ITS_ARGUMENT).body("""
        may = torch.tril(torch.ones(max_sequence_length, max_sequence_length))
        return scores.masked_fill(may == 0, -torch.inf).softmax(-1).masked_fill(may == 0, 0)"""),
    Wrong("notebook-scores", RAISED).body("""
        return torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")), -1).masked_fill(mask == 0, 0)
        """),
    Wrong("mask-ignored", VALUES + NAMED, never=r"\bquerie\b") | returns("torch.softmax(scores, dim=-1)"),
    Wrong("mask-added", NAMED) | returns("torch.softmax(scores + mask, dim=-1)"),
    Wrong("zero-times-inf", VALUES + NAMED, never=SAME_TWICE)
    | returns('torch.softmax(scores + (1 - mask.int()) * float("-inf"), dim=-1).nan_to_num()'),
    Wrong("fill-discarded", NAMED).body("""
        scores.masked_fill(mask == 0, float("-inf"))
        w = torch.softmax(scores, dim=-1)
        return w.masked_fill(mask == 0, 0)"""),
    Wrong("scaled-too", VALUES, never=SAME_TWICE).body("""
        d_k = scores.shape[-1]
        return (scores / d_k**0.5).masked_fill(mask == 0, -torch.inf).softmax(-1).masked_fill(mask == 0, 0)
        """),
    Wrong("whole-tensor-nan-test", VALUES, keeps=1, never=SAME_TWICE, base="painted-over-with-zero")
    | line("return torch", "if torch.isnan(w).any():", "    return torch.zeros_like(scores)", "return w"),
    Wrong("small-constant", NAMED + VALUES, keeps=2)
    | returns("scores.masked_fill(mask == 0, -20.0).softmax(-1).masked_fill(mask == 0, 0)"),
    Wrong("ones-in-empty-rows", VALUES + NAMED, keeps=2, never=SAME_TWICE).body("""
        empty = (mask == 0).all(dim=-1, keepdim=True)
        w = scores.masked_fill((mask == 0) & ~empty, -torch.inf).softmax(-1)
        return w"""),
    Wrong("returns-none", TYPE, base="painted-over-with-zero")
    | line("return torch", "w.masked_fill_(mask == 0, 0)"),
    Wrong("in-place-after-softmax", BEHAVIOUR, keeps=2, base="painted-over-with-zero")
    | line("return torch", "w[(mask == 0).expand_as(w)] = 0", "return w.detach()"),
    Wrong("no-gradient", BEHAVIOUR, keeps=2, says="no_grad").body("""
        with torch.no_grad():
            w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
            return w.masked_fill(mask == 0, 0)"""),
    Wrong("wrong-argument-order", VALUES, never=SAME_TWICE).typed("""
        def masked_softmax(mask, scores):
            return torch.softmax(scores.masked_fill(mask == 0, -torch.inf), dim=-1).masked_fill(mask == 0, 0)
        """),
    Wrong("dim-forgotten", NAMED)
    | returns('F.softmax(scores.masked_fill(mask == 0, float("-inf"))).masked_fill(mask == 0, 0)'),
    Wrong("nan-to-num-before", NAMED, keeps=2)
    | returns('torch.softmax(scores.masked_fill(mask == 0, float("-inf")).nan_to_num(), dim=-1)'),
    Wrong("mask-indexing-drops-axes", SHAPE)
    | returns("torch.softmax(scores[mask.bool().expand_as(scores)], dim=-1)"),
    Wrong("sdpa", RULE)
    | returns("F.scaled_dot_product_attention(scores, scores, scores, attn_mask=mask.bool())"),
    Wrong("reassigned-mask-in-place", RULE, keeps=1).body("""
        mask = mask.float()
        mask[mask == 0] = float("-inf")
        mask[mask == 1] = 0
        w = torch.softmax(scores + mask, dim=-1)
        w[w != w] = 0
        return w"""),
    Wrong("minus-100", NAMED + VALUES, keeps=2)
    | body("weights = torch.softmax(scores.masked_fill(mask == 0, -100), dim=-1)", "return weights * mask"),
    Right("painted-over")
    | returns('torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1).nan_to_num()'),
    Right("painted-over-with-zero").body("""
        w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
        return torch.nan_to_num(w, nan=0.0)"""),
    Right("where-nan").body("""
        w = torch.softmax(torch.where(mask.bool(), scores, -torch.inf), dim=-1)
        return torch.where(w.isnan(), 0.0, w)"""),
    Right("minus-1e4")
    | returns("torch.softmax(scores.masked_fill(mask == 0, -1e4), dim=-1).masked_fill(mask == 0, 0)"),
    Right("filled-twice").body("""
        hidden = mask == 0
        return torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1).masked_fill(hidden, 0.0)"""),
    Right("finfo-min-and-fill").body("""
        may = mask.bool()
        w = F.softmax(scores.masked_fill(~may, torch.finfo(scores.dtype).min), dim=-1)
        return w.masked_fill(~may, 0)"""),
    Right("minus-1e9-times-mask")
    | returns("torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask"),
    Right("where").body("""
        may = mask.to(torch.bool)
        w = torch.where(may, scores, torch.full_like(scores, -1e9)).softmax(-1)
        return torch.where(may, w, torch.zeros_like(w))"""),
    Right("stable-exponentials").body("""
        top = scores.masked_fill(mask == 0, -1e9).amax(dim=-1, keepdim=True)
        e = torch.exp((scores - top).masked_fill(mask == 0, -1e9))
        e = e * mask
        return e / e.sum(-1, keepdim=True).clamp_min(1e-9)"""),
    Right("empty-rows-shown-then-cleared").body("""
        may = mask.bool().expand_as(scores)
        empty = ~may.any(dim=-1, keepdim=True)
        w = scores.masked_fill(~may & ~empty, float("-inf")).softmax(dim=-1)
        return w.masked_fill(empty, 0.0)"""),
    Right("any-times").body("""
        m = mask.bool()
        w = torch.softmax(scores.masked_fill(~m, -1e9), dim=-1)
        return w * m.any(dim=-1, keepdim=True)"""),
    Right("copy-then-index").body("""
        s = scores.clone()
        hidden = torch.broadcast_to(mask == 0, s.shape)
        s[hidden] = float("-inf")
        return s.softmax(-1).masked_fill(hidden, 0)"""),
    Right("large-bias-and-where").body("""
        bias = (1.0 - mask.to(scores.dtype)) * -1e9
        return (scores + bias).softmax(dim=-1) * mask.to(scores.dtype)"""),
    Right("scores-times-mask-plus-bias").body("""
        may = mask.to(scores.dtype)
        return torch.softmax(scores * may - 1e9 * (1 - may), dim=-1) * may"""),
    Right("float64").typed("""
        def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            hidden = mask == 0
            w = scores.double().masked_fill(hidden, float("-inf")).softmax(-1)
            return w.masked_fill(hidden, 0).to(scores.dtype)"""),
    Right("row-loop").body("""
        may = mask.bool().expand(scores.shape)
        rows = []
        for row, see in zip(scores.reshape(-1, scores.shape[-1]), may.reshape(-1, scores.shape[-1])):
            out = torch.zeros_like(row)
            if see.any():
                out = out.masked_scatter(see, row[see].softmax(0))
            rows.append(out)
        return torch.stack(rows).view(scores.shape)"""),
    Right("lambda").typed("""
        masked_softmax = lambda scores, mask: (
            scores.masked_fill(mask == 0, -torch.inf).softmax(-1).masked_fill(mask == 0, 0)
        )"""),
    Right("nan-to-num-behind-a-fill").body("""
        hidden = torch.logical_not(mask)
        w = nn.Softmax(dim=-1)(scores.masked_fill(hidden, float("-inf")))
        return torch.nan_to_num(w.masked_fill(hidden, 0.0))"""),
)

TASKS.hold(
    "bug-query-length",
    Wrong("as-given", NAMED + RAISED, base="faulty"),
    Wrong("length-of-the-keys-for-both", NAMED + RAISED, base="faulty")
    | edit("= q.shape", "= k.shape")
    | line("return q @ k", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("source-cut", SHAPE, keeps=1, base="minus-one")
    | below("d_k = d_model", "k = k[:, :max_sequence_length]"),
    Wrong("both-cut", SHAPE, base="faulty")
    | edit("max_sequence_length, num_heads", "n, num_heads", places=2)
    | below("def cross_scores", "    n = min(q.shape[1], k.shape[1])", "    q, k = q[:, :n], k[:, :n]")
    | line("return q @ k", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("source-filled-up", NAMED + SHAPE, base="faulty")
    | below("d_k = d_model", "k = F.pad(k, (0, 0, 0, max_sequence_length - k.shape[1]))")
    | line("return q @ k", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("both-filled-to-the-longer", SHAPE).body("""
        n = max(q.shape[1], k.shape[1])
        q = F.pad(q, (0, 0, 0, n - q.shape[1]))
        k = F.pad(k, (0, 0, 0, n - k.shape[1]))
        b, _, d_model = q.shape
        d_k = d_model // num_heads
        q = q.reshape(b, n, num_heads, d_k).transpose(1, 2)
        k = k.reshape(b, n, num_heads, d_k).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_k**0.5"""),
    Wrong("interpolated", SHAPE, base="source-filled-up")
    | line("k = F.pad", "k = F.interpolate(k.mT, size=max_sequence_length).mT"),
    Wrong("typed-six", RAISED, base="minus-one") | edit("-1, num_heads", "6, num_heads"),
    Wrong("free-axis-in-the-wrong-place", RAISED, base="minus-one")
    | line("k = k.reshape", "k = k.reshape(batch_size, max_sequence_length, num_heads, -1).transpose(1, 2)"),
    Wrong("try-and-except", NAMED + SHAPE, base="minus-one")
    | line(
        "k = k.reshape",
        "try:",
        "    k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)",
        "except RuntimeError:",
        "    k = q",
    ),
    Wrong("silent-zeros", VALUES, never=SAME_TWICE).body("""
        try:
            b, t, d_model = q.shape
            d_k = d_model // num_heads
            q = q.reshape(b, t, num_heads, d_k).transpose(1, 2)
            k = k.reshape(b, t, num_heads, d_k).transpose(1, 2)
            return q @ k.transpose(-2, -1) / d_k**0.5
        except RuntimeError:
            return torch.zeros(b, num_heads, t, k.shape[1])"""),
    Wrong("transpose-dropped-for-the-keys", NAMED, base="minus-one")
    | rename("max_sequence_length", "target")
    | above("d_k = d_model", "source = k.shape[1]")
    | edit("(batch_size, -1, num_heads, d_k).transpose(1, 2)", "(batch_size, num_heads, source, d_k)"),
    Wrong("keys-in-place-of-queries", VALUES + NAMED, never=SAME_TWICE, base="transpose-dropped-for-the-keys")
    | edit("(batch_size, num_heads, source, d_k)", "(batch_size, source, num_heads, d_k).transpose(1, 2)")
    | edit("return q @ k", "return k @ q"),
    Wrong("scaled-by-d-model", NAMED).body("""
        b, t, d_model = q.shape
        q = q.reshape(b, t, num_heads, -1).transpose(1, 2)
        k = k.reshape(b, k.shape[1], num_heads, -1).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_model**0.5"""),
    Wrong("not-scaled-any-more", NAMED)
    | body("q, k = split_heads(q, num_heads), split_heads(k, num_heads)", "return q @ k.transpose(-2, -1)"),
    Wrong("scaled-by-the-source-length", NAMED, base="source-length-from-the-notebook")
    | below("b, t, d_model", "source = k.shape[1]")
    | edit("len(source)", "source")
    | edit("d_k**0.5", "k.shape[2] ** 0.5"),
    Wrong("wrong-index", RAISED, base="minus-one") | edit("-1, num_heads", "k.shape[0], num_heads"),
    Wrong("keys-expanded-from-one", VALUES, never=SAME_TWICE, base="source-length-from-the-notebook")
    | edit(
        "reshape(b, len(source), num_heads, d_k)",
        "mean(dim=1, keepdim=True).expand(-1, t, -1).reshape(b, t, num_heads, d_k)",
    ),
    Wrong("softmax-too", VALUES, never=SAME_TWICE).body("""
        d_k = q.shape[-1] // num_heads
        scores = split_heads(q, num_heads) @ split_heads(k, num_heads).mT / d_k**0.5
        return torch.softmax(scores, dim=-1)"""),
    Wrong("source-length-from-the-notebook", RAISED, says=NOT_ITS_ARGUMENT, base="minus-one")
    | edit("batch_size, max_sequence_length", "b, t", places=2)
    | edit("batch_size, -1", "b, len(source)"),
    Wrong("notebook-head-size", NAMED + RAISED, says="from the notebook", never="equal length").body("""
        b, target, d_model = q.shape
        _, source, _ = k.shape
        q = q.reshape(b, target, num_heads, d_k).transpose(1, 2)
        k = k.reshape(b, source, num_heads, d_k).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_k**0.5"""),
    Wrong("variable-overwritten", RAISED, base="faulty")
    | below("q = q.reshape", "max_sequence_length = q.shape[1]")
    | line("return q @ k", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("return-lost", TYPE, base="shape-of-the-keys")
    | rename("max_sequence_length", "target")
    | edit("return q", "scores = q"),
    Wrong("nan-hidden-cut-loop", VALUES, keeps=1, never=SAME_TWICE).body("""
        b, t, d_model = q.shape
        d_k = d_model // num_heads
        out = torch.zeros(b, num_heads, t, k.shape[1])
        for h in range(num_heads):
            for i in range(t):
                for j in range(min(t, k.shape[1])):
                    part = slice(h * d_k, (h + 1) * d_k)
                    out[:, h, i, j] = (q[:, i, part] * k[:, j, part]).sum(-1) / d_k**0.5
        return out"""),
    Wrong("heads-added", SHAPE)
    | body("d_k = q.shape[-1] // num_heads", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("deleted", MISSING) | typed("# I do not understand this task", "pass"),
    Wrong("source-filled-from-the-start", NAMED + SHAPE, base="source-filled-up")
    | line(
        "k = F.pad",
        "full = torch.zeros(batch_size, max_sequence_length, d_model)",
        "n = min(max_sequence_length, k.shape[1])",
        "full[:, :n] = k[:, :n]",
    )
    | edit("= k.reshape", "= full.reshape"),
    Wrong("scaled-in-place-in-the-queries", RULE, keeps=1, base="source-length-from-the-notebook")
    | below("d_k = d_model", "q /= d_k**0.5")
    | edit("len(source)", "-1")
    | edit(" / d_k**0.5", ""),
    Right("shape-of-the-keys", base="minus-one") | edit("-1, num_heads", "k.shape[1], num_heads"),
    Right("minus-one").body("""
        batch_size, max_sequence_length, d_model = q.shape
        d_k = d_model // num_heads
        q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
        k = k.reshape(batch_size, -1, num_heads, d_k).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_k**0.5"""),
    Right("two-lengths", base="source-length-from-the-notebook")
    | line("b, t, d_model", "batch_size, target_length, d_model = q.size()", "source_length = k.size(1)")
    | edit("reshape(b, t, num_heads, d_k)", "view(batch_size, target_length, num_heads, d_k)")
    | edit("reshape(b, len(source), num_heads, d_k)", "view(batch_size, source_length, num_heads, d_k)")
    | line("return q @ k", "return torch.matmul(q, k.transpose(-1, -2)) * d_k**-0.5"),
    Right("split-heads").body("""
        q = split_heads(q, num_heads)
        k = split_heads(k, num_heads)
        return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5"""),
    Right("straight-to-the-transposed-keys").body("""
        b, target, d_model = q.shape
        d_k = d_model // num_heads
        q = q.reshape(b, target, num_heads, d_k).permute(0, 2, 1, 3)
        k_t = k.reshape(b, k.shape[1], num_heads, d_k).permute(0, 2, 3, 1)
        return (q @ k_t) / d_k**0.5"""),
    Right("einsum").body("""
        q = q.unflatten(-1, (num_heads, -1))
        k = k.unflatten(-1, (num_heads, -1))
        return torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5"""),
    Right("a-list-of-heads").body("""
        d_k = q.shape[-1] // num_heads
        pairs = zip(q.split(d_k, dim=-1), k.split(d_k, dim=-1))
        return torch.stack([a @ b.mT for a, b in pairs], dim=1) / d_k**0.5"""),
    Right("loops").body("""
        b, t, d = q.shape
        s = k.shape[1]
        out = torch.empty(b, num_heads, t, s)
        w = d // num_heads
        for i in range(t):
            for j in range(s):
                out[:, :, i, j] = (q[:, i] * k[:, j]).view(b, num_heads, w).sum(-1)
        return out / w**0.5"""),
    Right("bmm").typed("""
        def cross_scores(q, k, num_heads):
            b, t, d_model = q.shape
            d_k = d_model // num_heads

            def fold(x):
                return x.reshape(b, -1, num_heads, d_k).transpose(1, 2).reshape(b * num_heads, -1, d_k)

            return torch.bmm(fold(q), fold(k).transpose(1, 2)).div(d_k**0.5).view(b, num_heads, t, -1)"""),
)

TASKS.hold(
    "multi-head-attention-module",
    Wrong("forward-left-out", STUB, base="sdpa-inverted") | lines("q = split_heads", "return self", "..."),
    Wrong("layers-left-out", NAMED + PARAMETERS, never="made in `forward`", base="own-functions")
    | without("self.head_dim =", "self.fc ="),
    Wrong("layers-in-a-list", NAMED + PARAMETERS, base="own-functions")
    | lines("self.query =", "self.value =", "self.layers = [nn.Linear(d_model, d_model) for _ in range(3)]")
    | edit("self.query", "self.layers[0]")
    | edit("self.key", "self.layers[1]")
    | edit("self.value", "self.layers[2]"),
    Wrong("module-list", PARAMETERS, keeps=5, base="layers-in-a-list").define("""
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.head_dim = d_model // num_heads
            self.layers = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(3)])
            self.fc = nn.Linear(d_model, d_model)"""),
    Wrong("names-of-lesson-05", PARAMETERS, keeps=5, says="W_query", base="written-out")
    | rename("query", "W_query")
    | rename("key", "W_key")
    | rename("value", "W_value")
    | rename("fc", "out_proj"),
    Wrong("chat-names", PARAMETERS, keeps=5, base="written-out")
    | rename("query", "w_q")
    | rename("key", "w_k")
    | rename("value", "w_v")
    | rename("fc", "w_o"),
    Wrong("out-proj-only-renamed", PARAMETERS, keeps=5, base="own-functions") | rename("fc", "out_proj"),
    Wrong("no-bias-in-the-projections", PARAMETERS, base="own-functions")
    | lines(
        "self.query =",
        "self.value =",
        "self.query = nn.Linear(d_model, d_model, bias=False)",
        "self.key = nn.Linear(d_model, d_model, bias=False)",
        "self.value = nn.Linear(d_model, d_model, bias=False)",
    ),
    Wrong("head-sized-layers", PARAMETERS, base="fc-before-the-merge")
    | edit("d_model, d_model", "d_model, self.head_dim", places=3)
    | edit("self.head_dim, self.head_dim", "d_model, d_model")
    | edit("merge_heads(self.fc(weights @ v))", "self.fc(merge_heads(weights @ v))"),
    Wrong("d-model-for-every-head", PARAMETERS, base="written-out")
    | lines(
        "self.query =",
        "self.value =",
        "self.query = nn.Linear(d_model, d_model * num_heads)",
        "self.key = nn.Linear(d_model, d_model * num_heads)",
        "self.value = nn.Linear(d_model, d_model * num_heads)",
    ),
    Wrong("fused-qkv", PARAMETERS).define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q, k, v = self.qkv(q_input).chunk(3, dim=-1)
            q, k, v = (split_heads(part, self.num_heads) for part in (q, k, v))
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            return self.fc(merge_heads(out))""")
    | lines("self.query", "self.value", "self.qkv = nn.Linear(d_model, 3 * d_model)"),
    Wrong("parameters-as-matrices", PARAMETERS, base="plain-tensors-for-the-projections")
    | lines(
        "self.query =",
        "self.value =",
        "self.query = nn.Parameter(torch.rand(d_model, d_model))",
        "self.key = nn.Parameter(torch.rand(d_model, d_model))",
        "self.value = nn.Parameter(torch.rand(d_model, d_model))",
    ),
    Wrong("fc-missing", PARAMETERS, base="fc-not-applied") | without("self.fc ="),
    Wrong("fc-not-applied", NAMED, base="own-functions")
    | edit("return self.fc(merge_heads(weights @ v))", "return merge_heads(weights @ v))")
    | edit("return merge_heads(weights @ v))", "return merge_heads(weights @ v)"),
    Wrong("fc-twice", NAMED, base="written-out") | edit("(context)", "(self.fc(context))"),
    Wrong("key-layer-for-the-values", NAMED, base="own-functions") | edit("value(v_input)", "key(v_input)"),
    Wrong("values-from-k-input", NAMED, keeps=4, base="own-functions") | edit("(v_input)", "(k_input)"),
    Wrong("keys-from-v-input", VALUES + NAMED, keeps=4, never=SAME_TWICE, base="own-functions")
    | edit("(k_input)", "(v_input)"),
    Wrong("keys-and-values-from-the-target", NAMED, keeps=3, base="own-functions")
    | edit("(k_input)", "(q_input)")
    | edit("(v_input)", "(q_input)"),
    Wrong(
        "values-from-the-target",
        BEHAVIOUR,
        never="knows no order",
        xfail="told about the order of tokens; the wrong input was projected, and that is not said",
        base="own-functions",
    )
    | edit("(v_input)", "(q_input)"),
    Wrong("query-from-the-source", BEHAVIOUR + SHAPE, keeps=2, never="knows no order", base="own-functions")
    | edit("(q_input)", "(k_input)"),
    Wrong("length-of-the-query", NAMED + RAISED, keeps=3, base="written-out") | line("s = k_input", "s = t"),
    Wrong("view-without-transpose", NAMED, base="written-out")
    | edit(" s, self", " self", places=2)
    | edit("b, self.num_heads, ", "b, self.num_heads, s, ", places=2)
    | line("q = self.query", "q = self.query(q_input).view(b, self.num_heads, t, self.head_dim)")
    | line("k = self.key", "k = self.key(k_input).view(b, self.num_heads, s, self.head_dim)")
    | edit("(b, self.num_heads, s, self.head_dim).transpose(1, 2)", "(b, self.num_heads, s, self.head_dim)"),
    Wrong("merged-without-transposing-back", NAMED, base="written-out") | edit(".transpose(1, 2).", "."),
    Wrong("view-refuses", RAISED, base="written-out") | edit("contiguous().", ""),
    Wrong("heads-never-cut", VALUES, never=SAME_TWICE, base="own-functions").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q, k, v = self.query(q_input), self.key(k_input), self.value(v_input)
            scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
            if mask is not None:
                scores = scores.masked_fill(mask == 0, float("-inf"))
            return self.fc(torch.softmax(scores, dim=-1) @ v)"""),
    Wrong("not-scaled", NAMED, base="own-functions") | edit(" / self.head_dim**0.5", ""),
    Wrong("by-d-model", NAMED, base="own-functions") | edit("self.head_dim**", "q_input.shape[-1] ** "),
    Wrong("by-d-k", NAMED, base="own-functions") | edit("head_dim**0.5", "head_dim"),
    Wrong("times-root", NAMED, base="own-functions") | edit("(-2, -1) / self", "(-2, -1) * self"),
    Wrong("by-num-heads", VALUES + NAMED, never=SAME_TWICE, base="own-functions")
    | edit("head_dim*", "num_heads*"),
    Wrong("by-shape-0", VALUES + NAMED, keeps=2, never=SAME_TWICE, base="own-functions")
    | edit("self.head_dim**", "k.shape[0] ** "),
    Wrong("by-shape-2", VALUES + NAMED, never=SAME_TWICE, base="written-out")
    | edit("self.head_dim**", "k.shape[2] ** "),
    Wrong("scaled-after-softmax", NAMED, base="own-functions")
    | edit(" / self.head_dim**0.5", "")
    | edit("weights @ v", "weights / self.head_dim**0.5 @ v"),
    Wrong("scaled-twice", NAMED, base="query-from-the-source")
    | line("q = split_heads", "q = split_heads(self.query(q_input), self.num_heads) / self.head_dim**0.5"),
    Wrong("notebook-d-k", VALUES + NAMED, never=SAME_TWICE, base="own-functions")
    | edit("self.head_dim*", "d_k*"),
    Wrong("notebook-num-heads", VALUES, says=NOT_ITS_ARGUMENT, never=SAME_TWICE, base="own-functions")
    | edit(", self.", ", ", places=3),
    Wrong("notebook-batch-size", RAISED, base="written-out")
    | line("b, t, d =", "b, t, d = batch_size, q_input.shape[1], d_model"),
    Wrong("mask-ignored", NAMED, keeps=3, base="own-functions")
    | lines("if mask is", "weights = masked_softmax", "weights = torch.softmax(scores, dim=-1)"),
    Wrong("mask-polarity", NAMED, keeps=3, says="visible", base="written-out")
    | edit("mask == 0", "mask == 1", places=2),
    Wrong("mask-polarity-bool", NAMED, keeps=3, base="written-out")
    | edit("mask == 0", "mask.bool()", places=2),
    Wrong("nan-rows", NAMED + NOT_FINITE, keeps=5, base="written-out")
    | lines("weights = torch", "weights = weights", "weights = torch.softmax(scores, dim=-1)"),
    Wrong("minus-1e9-and-no-more", NAMED, keeps=5, base="nan-rows") | edit('float("-inf")', "-1e9"),
    Wrong("zeros-in-the-scores", NAMED, keeps=3, base="nan-rows") | edit('float("-inf")', "0"),
    Wrong("mask-added", NAMED, keeps=3, base="nan-rows") | line("scores = scores", "scores = scores + mask"),
    Wrong("mask-times-weights", NAMED, keeps=3, base="softmax-over-heads")
    | below("scores = torch", "weights = torch.softmax(scores, dim=-1)")
    | lines("scores = scores", "weights = weights", "weights = weights * mask"),
    Wrong("fill-discarded", NAMED, keeps=3, base="nan-rows") | edit("scores = scores", "scores"),
    Wrong("if-mask", RAISED, keeps=3, base="written-out") | edit(" is not None", "", places=2),
    Wrong("mask-not-equal-none-tuple", RAISED, keeps=3, base="written-out")
    | edit(" is not None", ".any()", places=2),
    Wrong("mask-required", RAISED + NAMED, keeps=3, base="own-functions") | edit("mask=None", "mask"),
    Wrong("mask-unsqueezed-always", RAISED, keeps=3, base="written-out")
    | above("scores = scores", "mask = mask.unsqueeze(1)"),
    Wrong("mask-of-two-axes-only", RAISED + NAMED, keeps=4, base="written-out")
    | above("scores = scores", "mask = mask[:t, :s]"),
    Wrong("mask-squeezed", RAISED, keeps=4, base="written-out")
    | above("scores = scores", "mask = mask.squeeze()"),
    Wrong("tilde-of-the-mask", NAMED + RAISED, keeps=4, base="written-out")
    | edit("mask == 0", "~mask", places=2),
    Wrong("own-causal-mask", VALUES, keeps=3, never=SAME_TWICE, base="own-functions")
    | line("weights = torch", "weights = masked_softmax(scores, torch.ones(scores.shape[-2:]).tril())"),
    Wrong("softmax-over-queries", NAMED, base="written-out") | edit(", dim=-1", ", dim=-2"),
    Wrong("softmax-over-heads", NAMED, base="written-out") | edit(", dim=-1", ", dim=1"),
    Wrong("softmax-over-queries-when-unmasked", VALUES, keeps=3, never=SAME_TWICE, base="own-functions")
    | edit(", dim=-1", ", dim=2"),
    Wrong("softmax-missing", VALUES + NAMED, never=SAME_TWICE, base="written-out")
    | line("weights = torch", "weights = scores"),
    Wrong("scores-transposed", NAMED, base="scaled-after-softmax")
    | line("scores = q", "scores = (k @ q.transpose(-2, -1)) / self.head_dim**0.5")
    | edit("/ self.head_dim**0.5 ", ""),
    Wrong("weights-times-keys", NAMED, base="own-functions") | edit("(weights @ v)", "(weights @ k)"),
    Wrong("dropout-too", NAMED + RULE + BEHAVIOUR + VALUES, keeps=5, base="unused-dropout-of-zero")
    | edit("Dropout(0.0)", "Dropout(0.1)"),
    Wrong("layers-made-in-forward", VALUES, never=SAME_TWICE, base="heads-averaged")
    | above("q = split_heads", "self.query = nn.Linear(q_input.shape[-1], q_input.shape[-1])")
    | line("return self", "return self.fc(merge_heads(weights @ v))"),
    Wrong("returns-weights-too", TYPE, keeps=5, base="own-functions")
    | edit("(merge_heads(weights @ v))", "(merge_heads(weights @ v)), weights"),
    Wrong("residual", NAMED, base="own-functions") | edit("return self", "return q_input + self"),
    Wrong("layer-norm", NAMED, never=SAME_TWICE, base="heads-averaged")
    | line("return self", "return F.layer_norm(self.fc(merge_heads(weights @ v)), q_input.shape[-1:])"),
    Wrong("heads-averaged", RAISED, base="own-functions")
    | line("return self", "return self.fc((weights @ v).mean(dim=1))"),
    Wrong("heads-interleaved", VALUES + NAMED, never=SAME_TWICE, base="written-out")
    | edit("transpose(1, 2).", "permute(0, 2, 3, 1)."),
    Wrong("inputs-edited", VALUES, never=SAME_TWICE, base="own-functions")
    | above("q = split_heads", "q_input -= q_input.mean()"),
    Wrong("mask-edited", VALUES, keeps=5, never=SAME_TWICE, base="own-functions")
    | above("q = split_heads", "if mask is not None:", "    mask[mask > 0] = 1", "    mask[..., 0] = 1"),
    Wrong("super-forgotten", RAISED, says=r"super\(\)", base="own-functions") | without("super().__init__()"),
    Wrong("no-return", TYPE, base="own-functions") | edit("return self", "out = self"),
    Wrong("class-name-misspelled", MISSING, base="own-functions")
    | edit("MultiHeadAttention", "MultiheadAttention"),
    Wrong("not-a-module", TYPE, base="super-forgotten") | edit("(nn.Module)", ""),
    Wrong("three-arguments", RAISED, base="query-from-the-source")
    | rename("k_input", "x")
    | edit("q_input, x, v_input", "x")
    | edit("(v_input)", "(x)"),
    Wrong("call-misspelled", STUB + RAISED, never=r"still waiting|Replace the `\.\.\.`", base="own-functions")
    | edit("def forward", "def foward"),
    Wrong("nn-multihead-attention", PARAMETERS, base="layers-left-out").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            output, _ = self.attention(q_input, k_input, v_input, attn_mask=mask)
            return output""")
    | line("self.num_heads", "self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)"),
    Wrong("sdpa-inverted", NAMED, keeps=3, base="own-functions")
    | lines(
        "scores = q",
        "return self",
        "if mask is not None:",
        "    mask = ~mask.bool()",
        "return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))",
    ),
    Wrong("sdpa-mask-as-it-comes", NAMED, keeps=4, never=SAME_TWICE, base="sdpa-inverted")
    | without("if mask is", "mask = ~mask"),
    Wrong("sdpa-always-causal", VALUES + NAMED, keeps=1, never=SAME_TWICE, base="scaled-after-softmax")
    | lines(
        "scores = q",
        "return self",
        "return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, is_causal=True)))",
    ),
    Wrong("no-gradient", RULE, keeps=5, says="no gradient", base="own-functions").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            with torch.no_grad():
                q = split_heads(self.query(q_input), self.num_heads)
                k = split_heads(self.key(k_input), self.num_heads)
                v = split_heads(self.value(v_input), self.num_heads)
                scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                if mask is None:
                    weights = torch.softmax(scores, dim=-1)
                else:
                    weights = masked_softmax(scores, mask)
                return self.fc(merge_heads(weights @ v))"""),
    Wrong("weights-detached", RULE, keeps=5, base="own-functions")
    | edit("weights @ v", "weights.detach() @ v"),
    Wrong("zeros-after-fc", VALUES, keeps=5, never=SAME_TWICE, base="residual-written-into-the-input")
    | line(
        "q_input +=",
        "if mask is not None:",
        "    nothing = ~mask.bool().expand(scores.shape).any(dim=-1).any(dim=1)",
        "    out = out.masked_fill(nothing.unsqueeze(-1), 0.0)",
    ),
    Wrong("nan-to-num-at-the-end", VALUES, keeps=5, never=SAME_TWICE, base="nan-rows")
    | line("return self", "return torch.nan_to_num(self.fc(context))"),
    Wrong("additive-nan-to-num", NAMED + RULE + BEHAVIOUR, keeps=5, base="nan-rows")
    | edit("= scores.", "= scores + torch.zeros(mask.shape).")
    | edit("(scores, dim=-1)", "(scores, dim=-1).nan_to_num()"),
    Wrong("fc-before-the-merge", PARAMETERS, base="own-functions")
    | line("self.fc =", "self.fc = nn.Linear(self.head_dim, self.head_dim)")
    | edit("self.fc(merge_heads(weights @ v))", "merge_heads(self.fc(weights @ v))"),
    Wrong("input-split-one-projection", NAMED + PARAMETERS).define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q = self.query(split_heads(q_input, self.num_heads))
            k = self.key(split_heads(k_input, self.num_heads))
            v = self.value(split_heads(v_input, self.num_heads))
            scores = q @ k.mT / q.shape[-1] ** 0.5
            weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v))""")
    | lines(
        "self.query =",
        "self.value =",
        "d = d_model // num_heads",
        "self.query = nn.Linear(d, d)",
        "self.key = nn.Linear(d, d)",
        "self.value = nn.Linear(d, d)",
    ),
    Wrong("mask-only-when-square", VALUES, keeps=5, never=SAME_TWICE, base="own-functions")
    | edit("is None:", "is None or q_input.shape[1] != k_input.shape[1]:"),
    Wrong("true-division", RAISED, base="written-out") | edit("d_model //", "d_model /"),
    Wrong("arguments-swapped", PARAMETERS, base="own-functions")
    | edit("d_model, num_heads", "num_heads, d_model"),
    Wrong("max-length-argument", RAISED, base="own-functions")
    | edit("(self, d_model, num_heads):", "(self, d_model, num_heads, max_sequence_length):"),
    Wrong("plain-tensors-for-the-projections", NAMED + PARAMETERS, never="Python list,").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q = split_heads(q_input @ self.query, self.num_heads)
            k = split_heads(k_input @ self.key, self.num_heads)
            v = split_heads(v_input @ self.value, self.num_heads)
            scores = q @ k.mT / q.shape[-1] ** 0.5
            weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v))""")
    | edit("query = nn.Linear", "query = torch.randn")
    | edit("key = nn.Linear", "key = torch.randn")
    | edit("value = nn.Linear", "value = torch.randn"),
    Wrong("self-forgotten-at-the-layers", NAMED + PARAMETERS, never="made in `forward`", base="own-functions")
    | edit("self.query ", "query ")
    | edit("self.key ", "key ")
    | edit("self.value ", "value ")
    | edit("self.fc =", "fc ="),
    Wrong("layers-in-a-dictionary", NAMED + PARAMETERS, never="made in `forward`", base="own-functions")
    | lines(
        "self.query =",
        "self.fc =",
        'self.layers = {name: nn.Linear(d_model, d_model) for name in ("query", "key", "value", "fc")}',
    )
    | edit("query(q_input)", 'layers["query"](q_input)')
    | edit("key(k_input)", 'layers["key"](k_input)')
    | edit("value(v_input)", 'layers["value"](v_input)')
    | edit("fc(merge_heads(weights @ v))", 'layers["fc"](merge_heads(weights @ v))'),
    Wrong("residual-written-into-the-input", RULE, keeps=5, base="own-functions")
    | line("return self", "out = self.fc(merge_heads(weights @ v))", "q_input += out.detach()", "return out"),
    Wrong("mask-unsqueezed-in-place", RULE, keeps=5, base="written-out")
    | above("scores = scores", "while mask.dim() < 4:", "    mask.unsqueeze_(0)"),
    Wrong("dropout-that-ignores-eval", VALUES, never=SAME_TWICE, base="own-functions")
    | edit("(weights @ v)", "(F.dropout(weights, 0.1) @ v)"),
    Wrong("dropout-on-the-scores", NAMED + RULE + BEHAVIOUR + VALUES, keeps=5, base="scaled-after-softmax")
    | below("self.fc =", "self.dropout = nn.Dropout(0.5)")
    | edit("scores = q @ k.transpose(-2, -1)", "scores = self.dropout(q @ k.transpose(-2, -1)")
    | edit(
        "scores = self.dropout(q @ k.transpose(-2, -1)",
        "scores = self.dropout(q @ k.transpose(-2, -1) / self.head_dim**0.5)",
    )
    | edit("/ self.head_dim**0.5 ", ""),
    Wrong("additive-filled-after", NAMED + RULE + BEHAVIOUR, keeps=5, base="written-out")
    | edit("= scores.", "= scores + torch.zeros(mask.shape)."),
    Wrong(
        "forward-without-keys",
        STUB + RAISED,
        never=r"still waiting|Replace the `\.\.\.`",
        base="own-functions",
    )
    | edit("def forward", "def attend"),
    Right("own-functions").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q = split_heads(self.query(q_input), self.num_heads)
            k = split_heads(self.key(k_input), self.num_heads)
            v = split_heads(self.value(v_input), self.num_heads)
            scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
            if mask is None:
                weights = torch.softmax(scores, dim=-1)
            else:
                weights = masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v))""")
    | above("self.query =", "self.head_dim = d_model // num_heads"),
    Right("written-out").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            b, t, d = q_input.shape
            s = k_input.shape[1]
            q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
            k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
            v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
            scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
            if mask is not None:
                scores = scores.masked_fill(mask == 0, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(mask == 0, 0.0)
            context = torch.matmul(weights, v)
            context = context.transpose(1, 2).contiguous().view(b, t, d)
            return self.fc(context)""")
    | above("self.query =", "self.head_dim = d_model // num_heads"),
    Right("sdpa", base="own-functions")
    | lines(
        "scores = q",
        "return self",
        "if mask is not None:",
        "    mask = mask.bool()",
        "context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
        "return self.fc(merge_heads(context))",
    ),
    Right("einsum", base="heads-averaged").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q = self.query(q_input).unflatten(-1, (self.num_heads, -1))
            k = self.key(k_input).unflatten(-1, (self.num_heads, -1))
            v = self.value(v_input).unflatten(-1, (self.num_heads, -1))
            scores = torch.einsum("bthd,bshd->bhts", q, k) * self.head_dim**-0.5
            may = torch.ones(1, dtype=torch.bool) if mask is None else mask.bool()
            weights = torch.where(may, scores, -1e9).softmax(dim=-1) * may
            return self.fc(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2))"""),
    Right("loop-over-heads", base="nan-rows").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            queries = self.query(q_input).chunk(self.num_heads, dim=-1)
            keys = self.key(k_input).chunk(self.num_heads, dim=-1)
            values = self.value(v_input).chunk(self.num_heads, dim=-1)
            if mask is None:
                mask = torch.ones(1, 1, 1, 1)
            full = (q_input.shape[0], self.num_heads, q_input.shape[1], k_input.shape[1])
            mask = torch.broadcast_to(mask, full)
            heads = []
            for h, (q, k, v) in enumerate(zip(queries, keys, values)):
                weights = masked_softmax(q @ k.transpose(1, 2) / self.head_dim**0.5, mask[:, h])
                heads.append(weights @ v)
            return self.fc(torch.cat(heads, dim=-1))"""),
    Right("ones-where-there-is-no-mask", base="own-functions")
    | edit("weights = torch", "mask = torch")
    | edit(".softmax", ".ones_like")
    | edit(", dim=-1", "")
    | edit("else:\n            ", ""),
    Right("other-order-of-creation", base="own-functions").define("""
        def __init__(self, d_model, num_heads):
            super().__init__()
            assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
            self.fc = nn.Linear(d_model, d_model)
            self.value = nn.Linear(d_model, d_model)
            self.key = nn.Linear(d_model, d_model)
            self.query = nn.Linear(d_model, d_model)
            self.num_heads, self.head_dim = num_heads, d_model // num_heads"""),
    Right("layers-by-setattr", base="query-from-the-source").define("""
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.d_model = d_model
            self.num_heads = num_heads
            for name in ("query", "key", "value", "fc"):
                setattr(self, name, nn.Linear(d_model, d_model))""")
    | above(
        "def forward", "@property", "def head_dim(self):", "    return self.d_model // self.num_heads", ""
    )
    | edit("query(k_input)", "query(q_input)"),
    Right("helper-methods").typed("""
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.num_heads = num_heads
                self.head_dim = d_model // num_heads
                self.query = nn.Linear(d_model, d_model)
                self.key = nn.Linear(d_model, d_model)
                self.value = nn.Linear(d_model, d_model)
                self.fc = nn.Linear(d_model, d_model)

            def _split(self, x):
                return x.view(x.size(0), x.size(1), self.num_heads, self.head_dim).permute(0, 2, 1, 3)

            @staticmethod
            def _attend(q, k, v, mask):
                scores = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
                if mask is None:
                    return scores.softmax(-1) @ v
                hidden = mask.logical_not()
                lowest = torch.finfo(scores.dtype).min
                return scores.masked_fill(hidden, lowest).softmax(-1).masked_fill(hidden, 0) @ v

            def forward(self, q_input, k_input, v_input, mask=None):
                q, k, v = map(self._split, (self.query(q_input), self.key(k_input), self.value(v_input)))
                context = self._attend(q, k, v, mask)
                return self.fc(context.permute(0, 2, 1, 3).flatten(-2))"""),
    Right("type-hints-and-kept-weights", base="written-out")
    .define("""
        def __init__(self, d_model: int, num_heads: int) -> None:
            super(MultiHeadAttention, self).__init__()
            self.d_k = d_model // num_heads
            self.h = num_heads
            self.query, self.key, self.value, self.fc = (nn.Linear(d_model, d_model) for _ in range(4))
            self.attention_weights = None""")
    .define("""
        def forward(
            self,
            q_input: torch.Tensor,
            k_input: torch.Tensor,
            v_input: torch.Tensor,
            mask: Optional[torch.Tensor] = None,
        ) -> torch.Tensor:
            b = q_input.size(0)
            q = self.query(q_input).view(b, -1, self.h, self.d_k).transpose(1, 2)
            k = self.key(k_input).view(b, -1, self.h, self.d_k).transpose(1, 2)
            v = self.value(v_input).view(b, -1, self.h, self.d_k).transpose(1, 2)
            scores = torch.matmul(q, k.transpose(-2, -1)) / (self.d_k**0.5)
            if mask is not None:
                scores = scores.masked_fill(mask == 0, -1e9)
            attn = F.softmax(scores, dim=-1)
            if mask is not None:
                attn = attn.masked_fill(mask == 0, 0)
            self.attention_weights = attn
            x = torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, -1, self.h * self.d_k)
            return self.fc(x)""")
    | above("class MultiHeadAttention", "from typing import Optional", "", ""),
    Right("batch-by-batch", base="residual-written-into-the-input").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            outs = []
            for i in range(q_input.shape[0]):
                q = split_heads(self.query(q_input[i : i + 1]), self.num_heads)
                k = split_heads(self.key(k_input[i : i + 1]), self.num_heads)
                v = split_heads(self.value(v_input[i : i + 1]), self.num_heads)
                scores = q @ k.mT / self.head_dim**0.5
                if mask is None:
                    w = scores.softmax(-1)
                else:
                    part = mask[i : i + 1] if mask.dim() == 4 and mask.shape[0] > 1 else mask
                    w = masked_softmax(scores, part)
                outs.append(merge_heads(w @ v))
            return self.fc(torch.cat(outs))"""),
    Right("bmm-on-folded-heads", base="written-out").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            b, t, d = q_input.shape
            s, h = k_input.shape[1], self.num_heads
            q = split_heads(self.query(q_input), h).reshape(b * h, t, -1)
            k = split_heads(self.key(k_input), h).reshape(b * h, s, -1)
            v = split_heads(self.value(v_input), h).reshape(b * h, s, -1)
            scores = torch.bmm(q, k.transpose(1, 2)).div(self.head_dim**0.5)
            if mask is None:
                weights = scores.softmax(2)
            else:
                weights = masked_softmax(scores, mask.expand(b, h, t, s).reshape(b * h, t, s))
            return self.fc(merge_heads(torch.bmm(weights, v).view(b, h, t, -1)))"""),
    Right("float64-inside", base="own-functions").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q, k, v = (
                split_heads(layer(x), self.num_heads).double()
                for layer, x in ((self.query, q_input), (self.key, k_input), (self.value, v_input))
            )
            scores = q @ k.mT / self.head_dim**0.5
            weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v).to(q_input.dtype))"""),
    Right("unused-dropout-of-zero", base="own-functions")
    | below("self.fc =", "self.dropout = nn.Dropout(0.0)")
    | edit("(weights @ v)", "(self.dropout(weights) @ v)"),
    Right("base-class-in-the-cell").typed("""
        class Projections(nn.Module):
            def __init__(self, d_model):
                super().__init__()
                self.query = nn.Linear(d_model, d_model)
                self.key = nn.Linear(d_model, d_model)
                self.value = nn.Linear(d_model, d_model)
                self.fc = nn.Linear(d_model, d_model)


        class MultiHeadAttention(Projections):
            def __init__(self, d_model, num_heads):
                super().__init__(d_model)
                self.num_heads = num_heads

            def forward(self, q_input, k_input, v_input, mask=None):
                scores = cross_scores(self.query(q_input), self.key(k_input), self.num_heads)
                weights = F.softmax(scores, -1) if mask is None else masked_softmax(scores, mask)
                return self.fc(merge_heads(weights @ split_heads(self.value(v_input), self.num_heads)))"""),
    Right("empty-rows-by-where", base="written-out")
    | line("weights = weights", "weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)"),
    Right("fc-head-by-head", base="heads-averaged")
    | line(
        "return self",
        "context = weights @ v",
        "parts = self.fc.weight.split(self.head_dim, dim=1)",
        "return sum(context[:, h] @ part.T for h, part in enumerate(parts)) + self.fc.bias",
    ),
)

TASKS.hold(
    "bug-cross-from-decoder",
    Wrong("as-given", NAMED, base="one-line")
    | edit("encoder_output, encoder_output, source_padding", "x, x, causal"),
    Wrong("mask-left-causal", NAMED + RAISED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, causal"),
    Wrong("no-mask", NAMED, base="one-line") | edit("encoder_output, source_padding", "encoder_output"),
    Wrong("mask-none", NAMED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, None"),
    Wrong("only-the-mask-mended", RAISED, base="one-line") | edit("encoder_output, encoder_output", "x, x"),
    Wrong("only-keys", NAMED + RAISED, base="one-line")
    | edit("encoder_output, source_padding", "x, source_padding"),
    Wrong("only-values", RAISED, base="one-line") | edit("x, encoder_output", "x, x"),
    Wrong("encoder-asks", RAISED, base="one-line")
    | line("return cross_attention", "return cross_attention(encoder_output, x, x, causal)"),
    Wrong("encoder-everywhere", SHAPE, base="one-line")
    | edit("x, encoder_output", "encoder_output, encoder_output"),
    Wrong("raw-decoder-input-asks", NAMED, base="one-line")
    | edit("x, encoder_output", "decoder_input, encoder_output"),
    Wrong("no-self-attention", NAMED)
    | returns("cross_attention(decoder_input, encoder_output, encoder_output, source_padding)"),
    Wrong("self-attention-to-the-encoder", VALUES, never=SAME_TWICE).body("""
        x = self_attention(decoder_input, encoder_output, encoder_output, source_padding)
        return cross_attention(x, x, x, causal)"""),
    Wrong("both-to-the-encoder", VALUES, never=SAME_TWICE, base="one-line")
    | edit("decoder_input, decoder_input, causal", "encoder_output, encoder_output, source_padding"),
    Wrong("layers-swapped", NAMED, base="same-layer-twice") | edit("= self_attention", "= cross_attention"),
    Wrong("same-layer-twice", VALUES, never=SAME_TWICE).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return self_attention(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("self-attention-unmasked", NAMED).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input)
        return cross_attention(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("masks-swapped", RAISED).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, source_padding)
        return cross_attention(x, encoder_output, encoder_output, causal)"""),
    Wrong("both-masks", RAISED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, causal * source_padding"),
    Wrong("residual-added", VALUES, never=SAME_TWICE).body("""
        x = decoder_input + self_attention(decoder_input, decoder_input, decoder_input, causal)
        return x + cross_attention(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("encoder-added", NAMED, says="attention do it").body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, x, x, causal) + encoder_output.mean(dim=1, keepdim=True)"""),
    Wrong("notebook-layers", VALUES, says="from the notebook", never=SAME_TWICE).body("""
        x = mha_dec(decoder_input, decoder_input, decoder_input, causal)
        return mha(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("notebook-memory", VALUES, says=NOT_ITS_ARGUMENT, never=SAME_TWICE, base="one-line")
    | edit("encoder_output, encoder_output", "memory, memory"),
    Wrong("inverted-padding", NAMED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, source_padding == 0"),
    Wrong("encoder-refined-first", VALUES, never=SAME_TWICE, base="encoder-output-edited-in-place")
    | edit("encoder_output[:] = cross_attention", "e = self_attention")
    | edit("x, encoder_output, encoder_output", "x, e, e"),
    Wrong("source-cut-to-the-target", VALUES, never=SAME_TWICE, base="encoder-output-edited-in-place")
    | line("encoder_output[:", "encoder_output = encoder_output[:, : x.shape[1]]")
    | edit("encoder_output, source_padding", "encoder_output, causal"),
    Wrong("concatenated", NAMED, base="bool-masks")
    | edit(".bool()[None, None]", ")\n    both = torch.cat([x, encoder_output], dim=1")
    | edit("encoder_output, encoder_output, source_padding.bool()", "both, both"),
    Wrong("returns-both", TYPE, base="one-line")
    | edit("return cross_attention", "return x, cross_attention"),
    Wrong("return-lost", TYPE, base="one-line") | edit("return cross_attention", "x = cross_attention"),
    Wrong("keyword-of-another-class", RAISED).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(query=x, key=encoder_output, value=encoder_output, attn_mask=source_padding)
        """),
    Wrong("shape-of-the-mask-changed", RAISED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, source_padding.squeeze()"),
    Wrong("padding-zeroed-in-the-encoder", VALUES, never=SAME_TWICE, base="padding-expanded")
    | line("allowed =", "encoder_output = encoder_output * source_padding.squeeze(1).transpose(1, 2)")
    | edit(", allowed", ""),
    Wrong("encoder-output-edited-in-place", VALUES, never=SAME_TWICE).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        encoder_output[:] = cross_attention(encoder_output, encoder_output, encoder_output, source_padding)
        return cross_attention(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("encoder-cleaned-in-place", RULE, keeps=1, base="encoder-output-edited-in-place")
    | line("encoder_output[:", "encoder_output *= source_padding.reshape(encoder_output.shape[0], -1, 1)"),
    Wrong("decoder-input-overwritten", RULE, keeps=1).body("""
        decoder_input[:] = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(decoder_input, encoder_output, encoder_output, source_padding)"""),
    Right("one-line", base="keyword-mask") | edit(", mask=", ", ", places=2),
    Right("keyword-mask").body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, mask=causal)
        return cross_attention(x, encoder_output, encoder_output, mask=source_padding)"""),
    Right("forward-method").body("""
        y = self_attention.forward(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention.forward(y, encoder_output, encoder_output, source_padding)"""),
    Right("starred").body("""
        x = self_attention(*[decoder_input] * 3, causal)
        return cross_attention(x, *(encoder_output,) * 2, source_padding)"""),
    Right("bool-masks").body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal.bool()[None, None])
        return cross_attention(x, encoder_output, encoder_output, source_padding.bool())"""),
    Right("padding-expanded", base="encoder-output-edited-in-place")
    | line("encoder_output[:", "allowed = source_padding.expand(-1, -1, x.shape[1], -1)")
    | edit("encoder_output, source_padding", "encoder_output, allowed"),
    Right("own-causal-mask").body("""
        n = decoder_input.size(1)
        x = self_attention(decoder_input, decoder_input, decoder_input, torch.tril(torch.ones(n, n)))
        return cross_attention(x, encoder_output, encoder_output, source_padding)"""),
    Right("sequence-by-sequence").body("""
        outs = []
        for y, e, p in zip(decoder_input.split(1), encoder_output.split(1), source_padding.split(1)):
            x = self_attention(y, y, y, causal)
            outs.append(cross_attention(x, e, e, p))
        return torch.cat(outs)"""),
    Right("keyword-arguments-of-forward").body("""
        x = self_attention(q_input=decoder_input, k_input=decoder_input, v_input=decoder_input, mask=causal)
        memory = encoder_output
        return cross_attention(q_input=x, k_input=memory, v_input=memory, mask=source_padding)"""),
)
