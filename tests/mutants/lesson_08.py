# ruff: noqa: F405  (the words that answers are written with all come from one place)
"""Answers to lesson 08 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, and show whether the checks hold for answers
that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "08-fast-attention"
TASKS = Tasks(LESSON)
ANY = NAMED + VALUES

TASKS.hold(
    "fuse-projections",
    Wrong("value-first", ANY)
    | edit(
        "(attention.W_query, attention.W_key, attention.W_value)",
        "(attention.W_value, attention.W_query, attention.W_key)",
    ),
    Wrong("keys-forgotten", ANY + RAISED) | edit("attention.W_key, attention.W_value)", "attention.W_value)"),
    Wrong("bias-left-random", ANY, keeps=1) | without("if has_bias", "fused.bias.copy_"),
    Wrong("never-a-bias", ANY, keeps=1)
    | edit("bias=has_bias", "bias=False")
    | without("if has_bias", "fused.bias.copy_"),
    Wrong("weight-returned", TYPE + SHAPE) | edit("return fused", "return fused.weight"),
    Wrong("layers-of-the-wrong-width", RAISED + NAMED) | edit("3 * d_out, bias", "d_out, bias"),
    Wrong("without-no-grad", RAISED + NAMED) | edit("with torch.no_grad():", "if True:"),
    Wrong("first-layer-changed", ANY + RULE + SHAPE).body("""
        with torch.no_grad():
            attention.W_query.weight.mul_(2)
        return attention.W_query"""),
    Right("sequence-of-slices").body("""
        d_out, d_in = attention.W_key.weight.shape
        new = nn.Linear(d_in, d_out * 3, bias=attention.W_key.bias is not None)
        for i, old in enumerate([attention.W_query, attention.W_key, attention.W_value]):
            new.weight.data[i * d_out : (i + 1) * d_out] = old.weight.data
            if old.bias is not None:
                new.bias.data[i * d_out : (i + 1) * d_out] = old.bias.data
        return new"""),
    Right("state-dict").body("""
        parts = [attention.W_query, attention.W_key, attention.W_value]
        state = {"weight": torch.cat([p.weight for p in parts])}
        if parts[0].bias is not None:
            state["bias"] = torch.cat([p.bias for p in parts])
        new = nn.Linear(parts[0].in_features, 3 * parts[0].out_features, bias="bias" in state)
        new.load_state_dict(state)
        return new"""),
    Right("data-assigned").body("""
        q, k, v = attention.W_query, attention.W_key, attention.W_value
        out = nn.Linear(q.in_features, 3 * q.out_features, bias=q.bias is not None)
        out.weight.data = torch.concat((q.weight, k.weight, v.weight)).detach()
        if q.bias is not None:
            out.bias.data = torch.concat((q.bias, k.bias, v.bias)).detach()
        return out"""),
)

TASKS.hold(
    "bug-qkv-order",
    Wrong("as-given", ANY, base="faulty"),
    Wrong("view-alone", SHAPE + ANY, base="faulty") | edit("num_heads, 3, width", "3, num_heads, width"),
    Wrong("permute-alone", SHAPE + ANY, base="faulty")
    | edit("permute(3, 0, 2, 1, 4)", "permute(2, 0, 3, 1, 4)"),
    Wrong("heads-behind-tokens", SHAPE + ANY) | edit("permute(2, 0, 3, 1, 4)", "permute(2, 0, 1, 3, 4)"),
    Wrong("head-dim-before-heads", ANY + SHAPE)
    | edit("3, num_heads, width // (3 * num_heads))", "3, width // (3 * num_heads), num_heads)"),
    Wrong("three-chunks-not-split", SHAPE + ANY) | returns("torch.stack(projected.chunk(3, dim=-1))"),
    Wrong("one-head", SHAPE + ANY)
    | returns("torch.stack([split_heads(p, 1) for p in projected.chunk(3, dim=-1)])"),
    Right("split-then-heads")
    | returns(
        "torch.stack([split_heads(p, num_heads) for p in projected.split(projected.shape[-1] // 3, -1)])"
    ),
    Right("reshape-and-movedim")
    | returns("projected.reshape(*projected.shape[:2], 3, num_heads, -1).movedim(2, 0).transpose(2, 3)"),
    Right("einsum") | returns('torch.einsum("btchd->cbhtd", projected.unflatten(2, (3, num_heads, -1)))'),
)

TASKS.hold(
    "running-softmax",
    Wrong("sum-of-plain-exponentials", ANY + NOT_FINITE).body("""
        return torch.stack((scores.cummax(0).values, scores.exp().cumsum(0)), dim=1)"""),
    Wrong("not-moved-to-the-new-maximum", ANY) | edit("total * torch.exp(largest - new_largest)", "total"),
    Wrong("new-score-not-shifted", ANY + NOT_FINITE)
    | edit("torch.exp(score - new_largest)", "torch.exp(score)"),
    Wrong("divided-not-multiplied", ANY + NOT_FINITE) | edit("total * torch.exp", "total / torch.exp"),
    Wrong("maximum-alone", SHAPE + NAMED) | edit("torch.stack((largest, total))", "largest"),
    Wrong("side-by-side", SHAPE + NAMED)
    | edit("return torch.stack(states)", "return torch.stack(states, dim=1)"),
    Wrong("list-of-rows", TYPE) | edit("return torch.stack(states)", "return states"),
    Wrong("starts-at-zero", ANY) | edit("scores.new_tensor(-torch.inf)", "scores.new_tensor(0.0)"),
    Right("max-of-two") | edit("torch.maximum(largest, score)", "max(largest, score)"),
    Right("if-larger").body("""
        m, l, out = scores[0], torch.ones(()), [torch.stack((scores[0], torch.ones(())))]
        for s in scores[1:]:
            if s > m:
                l, m = l * torch.exp(m - s) + 1, s
            else:
                l = l + torch.exp(s - m)
            out.append(torch.stack((m, l)))
        return torch.stack(out)"""),
    Right("square-of-differences").body("""
        m = scores.cummax(dim=0).values
        seen = torch.ones(len(scores), len(scores)).tril().bool()
        return torch.stack((m, torch.exp(scores[None] - m[:, None]).masked_fill(~seen, 0).sum(1)), 1)"""),
)

TASKS.hold(
    "bug-not-rescaled",
    Wrong("as-given", ANY, base="faulty"),
    Wrong("rescaled-after-adding", ANY, base="faulty")
    | edit("output + weight * value", "(output + weight * value) * rescale"),
    Wrong("sum-loses-it", ANY) | edit("total * rescale + weight", "total + weight"),
    Wrong("divided-in-each-round", ANY, base="faulty")
    | edit("output + weight * value", "output + weight * value / total"),
    Wrong("maximum-left-out", ANY + NOT_FINITE)
    | edit("torch.exp(score - new_largest)", "torch.exp(score)")
    | edit("torch.exp(largest - new_largest)", "1.0"),
    Wrong("last-value", ANY, base="faulty") | edit("output + weight * value", "weight * value"),
    Wrong("unscaled", ANY) | edit(" / key.shape[-1] ** 0.5", ""),
    Right("softmax") | returns("torch.softmax((keys @ query) / len(query) ** 0.5, 0) @ values"),
    Right("in-place", base="faulty")
    | edit("output = output + weight * value", "output *= rescale\n        output += weight * value"),
    Right("other-names") | rename("rescale", "factor") | rename("weight", "w"),
)

TASKS.hold(
    "online-softmax",
    Wrong("joined-first", NAMED + BEHAVIOUR, keeps=3).body("""
        scores = torch.cat([s for s in scores_blocks], dim=1)
        values = torch.cat([v for v in values_blocks], dim=0)
        return torch.softmax(scores, dim=1) @ values"""),
    Wrong("nan-from-a-hidden-block", NAMED + NOT_FINITE, keeps=2)
    | edit("new_largest.masked_fill(new_largest == -torch.inf, 0.0)", "new_largest"),
    Wrong("softmax-in-each-block", ANY + NOT_FINITE)
    | returns("sum(torch.softmax(s, -1) @ v for s, v in zip(scores_blocks, values_blocks))"),
    Wrong("output-not-moved", ANY) | edit("output * rescale", "output"),
    Wrong("sum-not-moved", ANY) | edit("total * rescale", "total"),
    Wrong("undivided", ANY) | edit("output / total", "output"),
    Wrong("divided-per-block", ANY)
    | edit("weights @ values", "weights @ values / total")
    | edit("output / total", "output"),
    Wrong("first-block-only", ANY + NOT_FINITE)
    | edit("zip(scores_blocks, values_blocks)", "zip(scores_blocks[:1], values_blocks[:1])"),
    Wrong("no-maximum", ANY + NOT_FINITE, keeps=2).body("""
        l, o = 0, 0
        for s, v in zip(scores_blocks, values_blocks):
            l, o = l + s.exp().sum(1, keepdim=True), o + s.exp() @ v
        return o / l"""),
    Right("two-passes").body("""
        m = scores_blocks[0].amax(1)
        for s in scores_blocks:
            m = torch.maximum(m, s.amax(1))
        l, o = 0, 0
        for s, v in zip(scores_blocks, values_blocks):
            w = torch.exp(s - m[:, None])
            l, o = l + w.sum(1), o + w @ v
        return o / l[:, None]"""),
    Right("finite-start")
    | edit("largest, total, output = -torch.inf", "largest, total, output = -1e4")
    | edit("new_largest.masked_fill(new_largest == -torch.inf, 0.0)", "new_largest"),
    Right("where")
    | edit(
        "new_largest.masked_fill(new_largest == -torch.inf, 0.0)",
        "torch.where(new_largest.isinf(), 0.0, new_largest)",
    ),
)

TASKS.hold(
    "tiled-attention",
    Wrong("plain", NAMED + BEHAVIOUR, keeps=3) | returns("plain_attention(q, k, v, causal)"),
    Wrong("rows-at-a-time", NAMED + BEHAVIOUR + NOT_FINITE, keeps=3).body("""
        parts = [plain_attention(q[:, :, i : i + tile], k, v, False) for i in range(0, q.shape[2], tile)]
        if causal or not parts:
            return plain_attention(q, k, v, causal)
        return torch.cat(parts, dim=2)"""),
    Wrong("no-tile-skipped", NAMED + BEHAVIOUR, keeps=5)
    | edit("start + 1 if causal else num_tokens", "num_tokens"),
    Wrong("mask-forgotten", ANY, keeps=3) | without("if causal:", "scores = scores.masked_fill"),
    Wrong("whole-tiles-only", ANY + NOT_FINITE + SHAPE, keeps=2)
    | edit("range(0, num_tokens, tile)", "range(0, num_tokens - tile + 1, tile)"),
    Wrong("diagonal-tile-left-out", NAMED, keeps=3) | edit("start + 1 if causal", "start if causal"),
    Wrong("fills-with-a-billion", RAISED + NAMED, keeps=5)
    | edit("masked_fill(future, -torch.inf)", "masked_fill(future, -1e9)"),
    Wrong("sums-over-queries", ANY + RAISED + NOT_FINITE) | edit("weights.sum(dim=-1", "weights.sum(dim=-2"),
    Wrong("scaled-by-tile", ANY) | edit("q.shape[-1] ** 0.5", "tile ** 0.5"),
    Wrong("left-as-it-was", STUB) | typed("def tiled_attention(q, k, v, tile, causal):", "    ..."),
    Right("fused-call", costs=4) | returns("F.scaled_dot_product_attention(q, k, v, is_causal=causal)"),
    Right("ends-by-min").body("""
        b, h, n, d = q.shape
        out = torch.zeros(b, h, n, d, dtype=q.dtype)
        for i in range(0, n, tile):
            i2 = min(i + tile, n)
            m = torch.full((b, h, i2 - i, 1), float("-inf"), dtype=q.dtype)
            l = torch.zeros(b, h, i2 - i, 1, dtype=q.dtype)
            o = torch.zeros(b, h, i2 - i, d, dtype=q.dtype)
            for j in range(0, n, tile):
                if causal and j >= i2:
                    break
                j2 = min(j + tile, n)
                s = torch.einsum("bhqd,bhkd->bhqk", q[:, :, i:i2], k[:, :, j:j2]) / d**0.5
                if causal:
                    late = torch.arange(j, j2)[None, :] > torch.arange(i, i2)[:, None]
                    s = s.masked_fill(late, float("-inf"))
                m2 = torch.maximum(m, s.amax(-1, keepdim=True))
                p = (s - m2).exp()
                l = l * (m - m2).exp() + p.sum(-1, keepdim=True)
                o = o * (m - m2).exp() + p @ v[:, :, j:j2]
                m = m2
            out[:, :, i:i2] = o / l
        return out"""),
    Right("by-online-softmax").body("""
        n, out = q.shape[2], torch.zeros_like(v)
        for i in range(0, n, tile):
            rows = torch.arange(i, min(i + tile, n))
            for at in [(x, y) for x in range(q.shape[0]) for y in range(q.shape[1])]:
                scores, values = [], []
                for j in range(0, i + 1 if causal else n, tile):
                    s = q[at][i : i + tile] @ k[at][j : j + tile].T / q.shape[-1] ** 0.5
                    late = torch.arange(j, j + s.shape[1]) > rows[:, None]
                    scores.append(s.masked_fill(late & causal, -torch.inf))
                    values.append(v[at][j : j + tile])
                out[at][i : i + tile] = online_softmax(scores, values)
        return out"""),
    Right("scale-first")
    | edit("context = torch.empty_like(v)", "context, q = torch.zeros_like(v), q / q.shape[-1] ** 0.5")
    | edit("transpose(2, 3) / q.shape[-1] ** 0.5", "transpose(2, 3)"),
)

TASKS.hold(
    "attention-backward",
    Wrong("without-d", ANY) | edit("(weights_gradient - row_sums)", "weights_gradient"),
    Wrong("d-of-the-arriving-gradient-alone", ANY)
    | edit("(out_gradient * (weights @ v)).sum", "out_gradient.sum"),
    Wrong("keys-without-transpose", ANY) | edit("scores_gradient.transpose(2, 3) @ q", "scores_gradient @ q"),
    Wrong("scale-forgotten", ANY)
    | edit("scores_gradient @ k * scale", "scores_gradient @ k")
    | edit("@ q * scale", "@ q"),
    Wrong("never-causal", ANY, keeps=2) | without("if causal:", "scores = scores.masked_fill"),
    Wrong("value-gradient-from-values", ANY)
    | edit("weights.transpose(2, 3) @ out_gradient", "weights.transpose(2, 3) @ v"),
    Wrong("v-first", ANY)
    | edit("return q_gradient, k_gradient, v_gradient", "return v_gradient, q_gradient, k_gradient"),
    Wrong("only-two", SHAPE + ANY)
    | edit("return q_gradient, k_gradient, v_gradient", "return q_gradient, k_gradient"),
    Right("matrix-notation").body("""
        d = q.shape[-1]
        S = q @ k.mT / d**0.5
        if causal:
            S = S + torch.full(S.shape[-2:], -torch.inf).triu(1)
        P = S.softmax(-1)
        dP = out_gradient @ v.mT
        dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / d**0.5
        return dS @ k, dS.mT @ q, P.mT @ out_gradient"""),
    Right("jacobian-of-one-row")
    | edit(
        "weights * (weights_gradient - row_sums)",
        "torch.einsum('bhqk,bhqj->bhqj', -weights * weights_gradient, weights) + weights * weights_gradient",
    ),
    Right("list")
    | edit("return q_gradient, k_gradient, v_gradient", "return [q_gradient, k_gradient, v_gradient]"),
)

TASKS.hold(
    "tiled-function",
    Wrong("assigned-not-added", NAMED, keeps=3) | edit("+= scores_gradient @", "= scores_gradient @"),
    Wrong("no-d", NAMED + BEHAVIOUR, keeps=3) | edit(" - row_sums[:, :, rows]", ""),
    Wrong("softmax-again", NAMED + BEHAVIOUR, keeps=3)
    | line("weights = torch.exp", "weights = tile_scores(q, k, rows, columns, ctx.causal).softmax(-1)"),
    Wrong("task-7-called", NAMED + BEHAVIOUR, keeps=4)
    | lines(
        "scale =",
        "return q_gradient",
        "return (*attention_backward(q, k, v, out_gradient, ctx.causal), None, None)",
    ),
    Wrong("three-gradients", NAMED, keeps=1) | edit(", None, None", ""),
    Wrong("unscaled", NAMED + BEHAVIOUR, keeps=3) | edit(" * scale", "", 2),
    Wrong("all-rows-of-logsumexp", RAISED + NAMED, keeps=1) | edit("logsumexp[:, :, rows]", "logsumexp"),
    Wrong("backward-not-written", STUB).define("""
        def backward(ctx, out_gradient):
            ..."""),
    Wrong("a-function", NO_FUNCTION)
    | typed(
        "def TiledAttention(q, k, v, tile, causal):", "    return tiled_attention(q, k, v, tile, causal)"
    ),
    Right("fused-call", costs=4)
    | lines(
        "scale =",
        "return q_gradient",
        "with torch.enable_grad():",
        "    ours = [one.detach().requires_grad_() for one in (q, k, v)]",
        "    out = F.scaled_dot_product_attention(*ours, is_causal=ctx.causal)",
        "return (*torch.autograd.grad(out, ours, out_gradient), None, None)",
    ),
    Right("d-inside-the-loop")
    | edit("row_sums[:, :, rows]", "(arriving * context[:, :, rows]).sum(-1, keepdim=True)"),
    Right("add-in-place")
    | edit(
        "v_gradient[:, :, columns] += weights.transpose(2, 3) @ arriving",
        "v_gradient[:, :, columns].add_(weights.mT @ arriving)",
    ),
    Right("reversed")
    | edit(
        "in visited_tiles(q.shape[2], ctx.tile, ctx.causal)",
        "in reversed(list(visited_tiles(q.shape[2], ctx.tile, ctx.causal)))",
    ),
)

MASK = "attn_mask=~hidden"
TASKS.hold(
    "bug-true-is-visible",
    Wrong("as-given", ANY, base="faulty"),
    Wrong("as-numbers", ANY) | edit(MASK, "attn_mask=(~hidden).float()"),
    Wrong("minus-infinity-times", ANY + NOT_FINITE) | edit(MASK, "attn_mask=hidden.float() * -torch.inf"),
    Wrong("mask-left-out", ANY) | edit(f", {MASK}", ""),
    Wrong("values-zeroed", ANY) | edit(f"v, {MASK}", "v.masked_fill(hidden.transpose(2, 3), 0)"),
    Wrong("causal-instead", ANY) | edit(MASK, "is_causal=True"),
    Right("equals-false") | edit(MASK, "attn_mask=hidden == False"),
    Right("where") | edit(MASK, "attn_mask=torch.where(hidden, -torch.inf, 0.0)"),
    Right("plain").body("""
        scores = (q @ k.transpose(2, 3) / q.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf)
        return torch.softmax(scores, dim=-1) @ v"""),
)

TASKS.hold(
    "bug-float-mask",
    Wrong("as-given", ANY, base="faulty"),
    Wrong("upper-triangle", ANY) | edit("tril()", "triu()"),
    Wrong("future-as-numbers", ANY, base="faulty") | edit(".tril()", ".triu(1)"),
    Wrong("strict-triangle", ANY + NOT_FINITE) | edit("tril()", "tril(-1)"),
    Wrong("no-mask-at-all", ANY) | edit(", attn_mask=visible", ""),
    Wrong("minus-one", ANY, base="faulty") | edit("attn_mask=visible", "attn_mask=visible - 1"),
    Right("greater-than-zero", base="faulty") | edit("attn_mask=visible", "attn_mask=visible > 0"),
    Right("minus-infinity", base="faulty") | edit("attn_mask=visible", "attn_mask=(1 - visible) * -1e9"),
    Right("is-causal") | returns("F.scaled_dot_product_attention(q, k, v, is_causal=True)"),
)

SEEN = "torch.ones(new, total, dtype=torch.bool, device=q.device).tril(diagonal=total - new)"
TASKS.hold(
    "bug-cached-step",
    Wrong("as-given", ANY, base="faulty"),
    Wrong("never-causal", ANY, base="faulty") | edit(", is_causal=True", ""),
    Wrong("triangle-without-diagonal", ANY) | edit("tril(diagonal=total - new)", "tril()"),
    Wrong("diagonal-of-new", ANY) | edit("diagonal=total - new", "diagonal=new"),
    Wrong("one-too-few", ANY + NOT_FINITE) | edit("diagonal=total - new", "diagonal=total - new - 1"),
    Wrong("hidden-in-place-of-visible", ANY + NOT_FINITE) | edit("attn_mask=visible", "attn_mask=~visible"),
    Wrong("first-keys-dropped", ANY + SHAPE)
    | returns(
        "F.scaled_dot_product_attention(q, k[:, :, -q.shape[2]:], v[:, :, -q.shape[2]:], is_causal=True)"
    ),
    Right("last-rows") | edit(SEEN, "torch.ones(total, total).bool().tril()[total - new :]"),
    Right("lower-right")
    | edit(SEEN, "torch.arange(total)[None] - torch.arange(new)[:, None] <= total - new"),
    Right("as-numbers")
    | edit("attn_mask=visible", "attn_mask=torch.zeros(new, total).masked_fill(~visible, -torch.inf)"),
)

TASKS.hold(
    "bug-dropout-stays-on",
    Wrong("as-given", ANY + BEHAVIOUR, base="faulty"),
    Wrong("never", NAMED + BEHAVIOUR) | edit("dropout_p=p if training else 0.0", "dropout_p=0.0"),
    Wrong("turned-round", ANY + BEHAVIOUR) | edit("p if training else 0.0", "0.0 if training else p"),
    Wrong("on-the-result", NAMED + BEHAVIOUR)
    | returns("F.dropout(F.scaled_dot_product_attention(q, k, v), p, training)"),
    Wrong("always-a-tenth", NAMED + BEHAVIOUR + VALUES) | edit("p if training", "0.1 if training"),
    Wrong("kept-share", NAMED + BEHAVIOUR + VALUES) | edit("p if training", "(1 - p) if training"),
    Right("float-of-training") | edit("p if training else 0.0", "p * float(training)"),
    Right("if-before").body("""
        if not training:
            p = 0.0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=p)"""),
    Right("by-hand")
    | returns("F.dropout(torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1), p, training=training) @ v"),
)

TASKS.hold(
    "bug-scale-is-a-factor",
    Wrong("as-given", ANY, base="faulty"),
    Wrong("one", ANY) | edit("scale=q.shape[-1] ** -0.5", "scale=1.0"),
    Wrong("not-the-root", ANY) | edit("scale=q.shape[-1] ** -0.5", "scale=1 / q.shape[-1]"),
    Wrong("minus-the-root", ANY) | edit("q.shape[-1] ** -0.5", "-(q.shape[-1] ** 0.5)"),
    Wrong("of-the-tokens", ANY) | edit("q.shape[-1]", "q.shape[-2]"),
    Wrong("divided-before-as-well", ANY) | edit("(q, k, v, s", "(q / q.shape[-1] ** 0.5, k, v, s"),
    Right("left-out") | edit(", scale=q.shape[-1] ** -0.5", ""),
    Right("one-over-root", base="faulty") | edit("q.shape[-1] ** 0.5", "1 / q.shape[-1] ** 0.5"),
    Right("none") | edit("q.shape[-1] ** -0.5", "None"),
)

KEPT = "self.keys[:, :, :end], self.values[:, :, :end]"
TASKS.hold(
    "kv-cache",
    Wrong("always-from-zero", NAMED + BEHAVIOUR, keeps=1)
    | edit("self.num_tokens : end] = keys", ": keys.shape[2]] = keys")
    | edit("self.num_tokens : end] = values", ": keys.shape[2]] = values"),
    Wrong("count-forgotten", NAMED + BEHAVIOUR, keeps=1) | without("self.num_tokens = end"),
    Wrong("new-ones-returned", NAMED + BEHAVIOUR, keeps=1) | edit(KEPT, "keys, values"),
    Wrong("all-the-memory", NAMED + SHAPE) | edit(KEPT, "self.keys, self.values"),
    Wrong("no-limit", NAMED + NOT_REFUSED, keeps=3) | without("if end >", "raise"),
    Wrong("counted-before-refused", NAMED + BEHAVIOUR, keeps=3)
    | above("if end >", "start, self.num_tokens = self.num_tokens, end")
    | edit("self.num_tokens : end] = keys", "start:end] = keys")
    | edit("self.num_tokens : end] = values", "start:end] = values")
    | without("        self.num_tokens = end\n"),
    Wrong("assert", NOT_REFUSED + NAMED + RAISED, keeps=3)
    | lines("if end >", "raise", "assert end <= self.keys.shape[2]"),
    Wrong("keys-twice", ANY) | edit("= values", "= keys"),
    Wrong("keys-alone", SHAPE + NAMED) | edit(f"return {KEPT}", "return self.keys[:, :, :end]"),
    Right("stacked") | edit(f"return {KEPT}", f"return torch.stack(({KEPT}))"),
    Right("list-of-two") | edit(f"return {KEPT}", f"return [{KEPT}]"),
    Right("grown", base="solution").define("""
        def append(self, keys, values):
            if self.num_tokens + keys.shape[2] > self.keys.shape[2]:
                raise ValueError("full")
            old = slice(0, self.num_tokens)
            k = torch.cat([self.keys[:, :, old], keys], dim=2)
            v = torch.cat([self.values[:, :, old], values], dim=2)
            self.num_tokens = k.shape[2]
            self.keys[:, :, : self.num_tokens] = k
            self.values[:, :, : self.num_tokens] = v
            return k, v"""),
)

TASKS.hold(
    "cache-bytes",
    Wrong("keys-alone", ANY) | edit("2 * num_layers", "num_layers"),
    Wrong("bits", ANY) | edit("return 2", "return 16"),
    Wrong("numbers", ANY) | edit(" * bytes_per_number", ""),
    Wrong("one-layer", ANY) | edit("2 * num_layers", "2"),
    Wrong("one-token", ANY) | edit(" * num_tokens", ""),
    Wrong("added", ANY)
    | returns("2 * (num_layers + num_kv_groups + head_dim + num_tokens + bytes_per_number)"),
    Wrong("printed", TYPE)
    | body("print(2 * num_layers * num_kv_groups * head_dim * num_tokens * bytes_per_number)"),
    Right("tensor") | edit("return 2", "return torch.tensor(2)"),
    Right("step-by-step").body("""
        numbers = num_layers * num_kv_groups * head_dim * num_tokens
        return numbers * bytes_per_number + numbers * bytes_per_number"""),
    Right("power") | edit("2 * num_layers", "2**1 * num_layers"),
)

TASKS.hold(
    "grouped-query-attention",
    Wrong("repeat", NAMED, keeps=1)
    | edit("keys.repeat_interleave(sharing, dim=1)", "keys.repeat(1, sharing, 1, 1)")
    | edit("values.repeat_interleave(sharing, dim=1)", "values.repeat(1, sharing, 1, 1)"),
    Wrong("values-repeated-in-turn", NAMED, keeps=1)
    | edit("values.repeat_interleave(sharing, dim=1)", "torch.cat(sharing * [values], dim=1)"),
    Wrong("full-width", PARAMETERS + NAMED)
    | edit("kv_width = num_kv_groups * (d_out // num_heads)", "kv_width = d_out"),
    Wrong("not-causal", NAMED) | edit(", is_causal=True", ""),
    Wrong("no-output-layer", NAMED + PARAMETERS)
    | edit("self.out_proj(merge_heads(context))", "merge_heads(context)"),
    Wrong("groups-not-checked", NAMED + NOT_REFUSED, keeps=4)
    | without("if num_heads % num_kv_groups", "must be divisible by num_kv_groups"),
    Wrong("drops-in-eval", NAMED + BEHAVIOUR + RULE, keeps=4)
    | edit("self.dropout if self.training else 0.0", "self.dropout"),
    Wrong("never-drops", NAMED + BEHAVIOUR, keeps=4) | edit("dropout_p=p, ", ""),
    Wrong("always-a-bias", NAMED + PARAMETERS, keeps=4) | edit("bias=qkv_bias", "bias=True", 3),
    Wrong("repeated-along-the-tokens", RAISED + NAMED)
    | edit("keys.repeat_interleave(sharing, dim=1)", "keys.repeat_interleave(sharing, dim=2)"),
    Right("expanded")
    | edit(
        "keys.repeat_interleave(sharing, dim=1)",
        "keys[:, :, None].expand(-1, -1, sharing, -1, -1).flatten(1, 2)",
    )
    | edit(
        "values.repeat_interleave(sharing, dim=1)",
        "values[:, :, None].expand(-1, -1, sharing, -1, -1).flatten(1, 2)",
    ),
    Right("enable-gqa")
    | without("sharing =", "values = values.rep")
    | edit("is_causal=True", "is_causal=True, enable_gqa=True"),
    Right("plain-attention")
    | lines(
        "p = self.dropout if",
        "context = F",
        "scores = queries @ keys.mT / keys.shape[-1] ** 0.5",
        "late = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)",
        "weights = torch.softmax(scores.masked_fill(late, -torch.inf), dim=-1)",
        "context = F.dropout(weights, self.dropout, self.training) @ values",
    ),
    Right("index-of-groups")
    | edit("keys.repeat_interleave(sharing, dim=1)", "keys[:, [h // sharing for h in range(self.num_heads)]]")
    | edit(
        "values.repeat_interleave(sharing, dim=1)", "values[:, [h // sharing for h in range(self.num_heads)]]"
    ),
)
