# ruff: noqa: F405  (the words that answers are written with all come from one position)
"""Answers to lesson 07 as learners type them: wrong ones with the finding they deserve, and right ones."""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "07-positions"
TASKS = Tasks(LESSON)

TASKS.hold(
    "order-gap",
    Wrong("rows-as-they-come", NAMED).body("""
        old = attention(x)
        new = attention(x[order])
        return torch.max(torch.abs(old - new), dim=-1).values"""),
    Wrong("put-back-for-the-old-order", NAMED, base="put-back")
    | edit(".max(dim=1)[0][order]", ".max(dim=1)[0]"),
    Wrong("inverse-of-the-order", NAMED).body("""
        inverse = torch.argsort(order)
        return (attention(x[order]) - attention(x)[inverse]).abs().max(dim=-1)[0]"""),
    Wrong("never-reordered", NAMED).body("""
        a, b = attention(x), attention(x)
        return (a[order] - b[order]).abs().amax(-1)"""),
    Wrong("one-number", NAMED + SHAPE) | returns("(attention(x[order]) - attention(x)[order]).abs().max()"),
    Wrong("yes-or-no", DTYPE + TYPE)
    | returns("torch.isclose(attention(x[order]), attention(x)[order]).all(dim=-1)"),
    Wrong("tuple-of-max", TYPE, keeps=1)
    | returns("(attention(x[order]) - attention(x)[order]).abs().max(dim=-1)"),
    Wrong("without-abs", NAMED) | returns("(attention(x)[order] - attention(x[order])).amax(dim=-1)"),
    Wrong("length-of-the-difference", VALUES + NAMED) | edit(".abs().amax(dim=-1)", ".norm(dim=-1)"),
    Wrong("in-a-loop-over-positions", NAMED).body("""
        after = attention(x[order])
        before = attention(x)
        return torch.stack([(after[i] - before[i]).abs().max() for i in range(len(order))])"""),
    Wrong("left-alone", STUB) | body("...  # your code here"),
    Right("put-back").body("""
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order))
        return (attention(x[order])[back] - attention(x)).abs().max(dim=1)[0][order]"""),
    Right("loop").body("""
        before, after = attention(x), attention(x[order])
        return torch.tensor([float((after[i] - before[j]).abs().max()) for i, j in enumerate(order)])"""),
    Right("permutation-matrix").body("""
        P = torch.eye(len(order))[order]
        return torch.max((attention(P @ x) - P @ attention(x)).abs(), dim=1).values"""),
)

TASKS.hold(
    "learned-positions",
    Wrong("start-forgotten", NAMED, keeps=2).define("""
        def forward(self, x, start=0):
            b, num_tokens, d = x.shape
            return x + self.pos_emb(torch.arange(num_tokens, device=x.device))"""),
    Wrong("from-one", RAISED + NAMED)
    | edit("start, start + x.shape[-2]", "1 + start, 1 + start + x.shape[-2]"),
    Wrong("as-in-rasbt-without-start", NAMED, keeps=1).define("""
        def forward(self, x, start=0):
            return x + self.pos_emb(torch.arange(x.shape[1]))"""),
    Wrong("batch-size", RAISED + NAMED) | edit("x.shape[-2]", "len(x)"),
    Wrong("whole-table", RAISED + NAMED) | line("return x +", "return x + self.pos_emb.weight"),
    Wrong("embedding-of-the-tokens", RAISED) | line("return x +", "return x + self.pos_emb(x)"),
    Wrong("other-name", PARAMETERS, keeps=2, says="pos_emb") | rename("pos_emb", "positions_table"),
    Wrong("parameter-not-embedding", PARAMETERS + RAISED)
    | edit("nn.Embedding(context_length, d_model)", "nn.Parameter(torch.randn(context_length, d_model))"),
    Wrong("sizes-swapped", PARAMETERS + NAMED)
    | edit("(context_length, d_model)\n", "(d_model, context_length)\n"),
    Wrong("in-position", RULE + NAMED, keeps=2).define("""
        def forward(self, x, start=0):
            x += self.pos_emb(torch.arange(start, start + x.shape[1], device=x.device))
            return x"""),
    Wrong("clamped", NAMED + VALUES, keeps=2)
    | line("positions =", "positions = torch.arange(x.shape[-2], device=x.device).clamp(min=start)"),
    Wrong("nothing-returned", TYPE) | edit("return x", "x = x"),
    Right("slice-of-weight").define("""
        def forward(self, x, start=0):
            return x + self.pos_emb.weight[start:start + x.shape[1]].unsqueeze(0)"""),
    Right("loop-over-batch").define("""
        def forward(self, x, start=0):
            table = self.pos_emb(torch.arange(self.pos_emb.num_embeddings, device=x.device))
            end = start + x.size(-2)
            return torch.stack([one + table[start:end] for one in x])"""),
    Right("functional").define("""
        def forward(self, x, start=0):
            position = torch.ones_like(x[0, :, 0], dtype=torch.long).cumsum(0) - 1 + start
            return torch.nn.functional.embedding(position, self.pos_emb.weight) + x"""),
)

TASKS.hold(
    "position-angles",
    Wrong("i-for-two-i", NAMED).body("""
        i = torch.arange(dim // 2)
        return positions.unsqueeze(1) / base ** (i / dim)"""),
    Wrong("all-numbers", NAMED + SHAPE).body("""
        i = torch.arange(dim)
        return positions.unsqueeze(1) / base ** (i / dim)"""),
    Wrong("double-exponent", NAMED).body("""
        freqs = 1.0 / (base ** (2 * torch.arange(0, dim, 2).float() / dim))
        return torch.outer(positions.float(), freqs)"""),
    Wrong("grows", NAMED)
    | returns("torch.outer(positions.float(), base ** (torch.arange(0, dim, 2) / dim))"),
    Wrong("base-fixed", NAMED, keeps=1)
    | returns("torch.outer(positions.float(), 1 / 10000 ** (torch.arange(0, dim, 2) / dim))"),
    Wrong("positions-from-zero", NAMED).body("""
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2) / dim))
        return torch.arange(len(positions))[:, None] * inv_freq[None, :]"""),
    Wrong("linspace", NAMED + VALUES)
    | returns("positions[:, None] * base ** -torch.linspace(0, 1, dim // 2)"),
    Wrong("not-broadcast", RAISED) | edit("positions[:, None]", "positions"),
    Wrong("turned", NAMED + SHAPE) | edit("positions[:, None] * theta", "theta[:, None] * positions"),
    Wrong("in-degrees", VALUES + NAMED)
    | edit("positions[:, None] * theta", "torch.rad2deg(positions[:, None] * theta)"),
    Wrong("whole-numbers-only", VALUES + NAMED) | edit("/ dim", "// dim"),
    Right("pow").body("""
        inv_freq = 1.0 / torch.pow(base, torch.arange(0, dim, 2, dtype=torch.float32) / dim)
        return torch.einsum("i,j->ij", positions.float(), inv_freq)"""),
    Right("math-exp").body("""
        import math
        return positions.unsqueeze(-1) * torch.exp(torch.arange(0, dim, 2) * (-math.log(base) / dim))"""),
    Right("nested-list")
    | returns(
        "torch.tensor([[float(m) * base ** (-2 * i / dim) for i in range(dim // 2)] for m in positions])"
    ),
)

TASKS.hold(
    "sinusoidal-positions",
    Wrong("side-by-side-halves", NAMED).body("""
        a = position_angles(positions, d_model, base)
        return torch.cat([torch.sin(a), torch.cos(a)], dim=-1)"""),
    Wrong("cos-first", NAMED).body("""
        pe = torch.zeros(len(positions), d_model)
        a = position_angles(positions, d_model, base)
        pe[:, 0::2] = torch.cos(a)
        pe[:, 1::2] = torch.sin(a)
        return pe"""),
    Wrong("only-even", VALUES + NAMED).body("""
        pe = torch.zeros(len(positions), d_model)
        pe[:, 0::2] = position_angles(positions, d_model, base).sin()
        return pe"""),
    Wrong("default-base", NAMED, keeps=1) | edit("d_model, base)", "d_model)"),
    Wrong("stacked", NAMED + SHAPE) | edit("pairs.flatten(-2)", "pairs"),
    Wrong("alternating-columns", VALUES + NAMED).body("""
        a = position_angles(positions, d_model, base).repeat(1, 2)
        even = torch.arange(d_model) % 2 == 0
        return torch.where(even, a.sin(), a.cos())"""),
    Wrong("positions-as-a-number", RAISED) | edit("angles(positions", "angles(torch.arange(positions)"),
    Right("where").body("""
        a = position_angles(positions, d_model, base).repeat_interleave(2, dim=1)
        return torch.where(torch.arange(d_model) % 2 == 0, torch.sin(a), torch.cos(a))"""),
    Right("buffer").body("""
        pe = torch.zeros(positions.shape[0], d_model)
        i = torch.arange(0, d_model, 2)
        pe[:, 0::2] = torch.sin(positions.unsqueeze(1) / base ** (i / d_model))
        pe[:, 1::2] = torch.cos(positions.unsqueeze(1) / base ** (i / d_model))
        return pe"""),
    Right("einops-like") | edit("pairs.flatten(-2)", "pairs.view(len(positions), -1)"),
)

TASKS.hold(
    "rotate-pairs",
    Wrong("clockwise", NAMED).body("""
        x, y = pairs.unbind(-1)
        c, s = torch.cos(angles), torch.sin(angles)
        return torch.stack((x * c + y * s, y * c - x * s), dim=-1)"""),
    Wrong("two-plus", NAMED, base="unbind") | edit("x * c - y * s", "x * c + y * s"),
    Wrong("each-by-itself", NAMED)
    | returns("torch.stack([pairs[..., 0] * angles.cos(), pairs[..., 1] * angles.sin()], dim=-1)"),
    Wrong("overwritten", NAMED, base="unbind")
    | line("return", "x = x * c - y * s", "y = x * s + y * c", "return torch.stack((x, y), dim=-1)"),
    Wrong("swapped-names", NAMED, base="unbind")
    | edit("c, s = torch.cos(angles), torch.sin", "s, c = torch.cos(angles), torch.sin"),
    Wrong("joined-flat", SHAPE + NAMED, base="unbind") | edit("torch.stack", "torch.cat"),
    Wrong("in-front", SHAPE + NAMED, base="unbind") | edit("dim=-1", "dim=0"),
    Wrong("edits-the-pairs", RULE + VALUES + NAMED).body("""
        pairs[..., 0] = pairs[..., 0] * angles.cos() - pairs[..., 1] * angles.sin()
        pairs[..., 1] = pairs[..., 0] * angles.sin() + pairs[..., 1] * angles.cos()
        return pairs"""),
    Right("unbind").body("""
        x, y = pairs.unbind(-1)
        c, s = torch.cos(angles), torch.sin(angles)
        return torch.stack((x * c - y * s, x * s + y * c), dim=-1)"""),
    Right("complex-numbers")
    | returns(
        "torch.view_as_real(torch.complex(*pairs.unbind(-1)) * torch.polar(torch.ones_like(angles), angles))"
    ),
    Right("loops").body("""
        out = torch.zeros_like(pairs)
        for t in range(pairs.shape[0]):
            for h in range(pairs.shape[1]):
                c, s = angles[t, h].cos(), angles[t, h].sin()
                out[t, h] = torch.stack([torch.stack([c, -s]), torch.stack([s, c])]) @ pairs[t, h]
        return out"""),
)

TASKS.hold(
    "rope-interleaved",
    Wrong("halves", NAMED).body("""
        a, b = x.chunk(2, dim=-1)
        angles = position_angles(positions, x.shape[-1], base)
        return rotate(torch.stack([a, b], dim=-1), angles).flatten(-2)"""),
    Wrong("half-split-all-through", NAMED).body("""
        angles = position_angles(positions, x.shape[-1], base)
        c, s = angles.cos(), angles.sin()
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * c - b * s, a * s + b * c], dim=-1)"""),
    Wrong("arange", NAMED) | edit("angles(positions, x", "angles(torch.arange(x.shape[0]), x"),
    Wrong("base-dropped", NAMED, keeps=1) | edit("x.shape[-1], base)", "x.shape[-1])"),
    Wrong("half-the-width", RAISED + SHAPE + NAMED) | edit("x.shape[-1], base", "x.shape[-1] // 2, base"),
    Wrong("two-by-n", RAISED + NAMED + VALUES) | edit("(-1, 2)", "(2, -1)"),
    Wrong("not-flattened", NAMED + SHAPE) | edit(".flatten(-2)", ""),
    Wrong("minus", NAMED) | edit("rotate(pairs, angles)", "rotate(pairs, -angles)"),
    Right("even-and-odd").body("""
        angles = position_angles(positions, x.shape[-1], base)
        c, s = angles.cos(), angles.sin()
        even, odd = x[:, 0::2], x[:, 1::2]
        out = torch.stack([even * c - odd * s, even * s + odd * c], dim=-1).reshape(x.shape)
        return out"""),
    Right("partner").body("""
        a = position_angles(positions, x.shape[-1], base).repeat_interleave(2, dim=-1)
        partner = torch.stack([-x[:, 1::2], x[:, 0::2]], dim=-1).flatten(1)
        return x * a.cos() + partner * a.sin()"""),
    Right("view") | edit("x.unflatten(-1, (-1, 2))", "x.view(len(x), x.shape[1] // 2, 2)"),
)

TASKS.hold(
    "apply-rope",
    Wrong("even-and-odd", NAMED).body("""
        angles = position_angles(positions, x.shape[-1], base)
        a, b = x[..., ::2], x[..., 1::2]
        out = torch.stack([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], dim=-1)
        return out.flatten(-2)"""),
    Wrong("mixed", NAMED, base="rotate-half") | edit("repeat(1, 2)", "repeat_interleave(2, dim=-1)"),
    Wrong("sign-on-the-other-half", NAMED, base="rotate-half") | edit("(-b, a)", "(b, -a)"),
    Wrong("sign-forgotten", NAMED, base="rotate-half") | edit("(-b, a)", "(b, a)"),
    Wrong("arange", NAMED) | edit("angles(positions, x", "angles(torch.arange(x.shape[-2]), x"),
    Wrong("tokens-from-the-wrong-axis", RAISED + NAMED + VALUES)
    | edit("angles(positions, x", "angles(torch.arange(x.shape[1]), x"),
    Wrong("base-dropped", NAMED, keeps=2) | edit("x.shape[-1], base)", "x.shape[-1])"),
    Wrong("two-axes-only", RAISED) | above("angles =", "num_tokens, head_dim = x.shape"),
    Wrong("four-axes-only", RAISED + NAMED + VALUES + BEHAVIOUR, keeps=1)
    | above("angles =", "b, h, t, d = x.shape"),
    Wrong("added", NAMED + VALUES) | returns("x + sinusoidal(positions, x.shape[-1], base)"),
    Wrong("plus-one", NAMED) | edit("angles(positions, x", "angles(positions + 1, x"),
    Right("rotate-half").body("""
        angles = position_angles(positions, x.shape[-1], base).repeat(1, 2)
        a, b = x.chunk(2, dim=-1)
        return x * angles.cos() + torch.cat((-b, a), dim=-1) * angles.sin()"""),
    Right("complex-numbers").body("""
        a, b = x.tensor_split(2, dim=-1)
        angles = position_angles(positions, x.shape[-1], base)
        turned = torch.complex(a, b) * torch.exp(1j * angles)
        return torch.cat([turned.real, turned.imag], dim=-1)"""),
    Right("through-the-other-form").body("""
        d = x.shape[-1]
        mixed = torch.arange(d).view(2, -1).T.flatten()
        heads = x[..., mixed].reshape(-1, *x.shape[-2:])
        turned = torch.stack([rope_interleaved(one, positions, base) for one in heads])
        return turned[..., mixed.argsort()].reshape(x.shape)"""),
)

TASKS.hold(
    "bug-mixed-forms",
    Wrong("as-given", NAMED, base="faulty")
    | edit("    head_dim =", "    # looks fine to me\n    head_dim ="),
    Wrong("made-interleaved", NAMED, base="faulty")
    | edit("x.chunk(2, dim=-1)", "x[:, 0::2], x[:, 1::2]")
    | edit("torch.cat([-second, first], dim=-1)", "torch.stack([-second, first], dim=-1).reshape(x.shape)"),
    Wrong("interleaved-function", NAMED)
    | returns(
        "rope_interleaved(queries, positions) @ rope_interleaved(keys, positions).T / keys.shape[1] ** 0.5"
    ),
    Wrong("sign-changed", NAMED + VALUES, base="faulty") | edit("[-second, first]", "[second, -first]"),
    Wrong("no-rotation-at-all", NAMED + VALUES) | returns("queries @ keys.T / queries.shape[-1] ** 0.5"),
    Wrong("halves-of-the-angles", RAISED, base="faulty") | edit(".repeat_interleave(2, dim=-1)", ""),
    Wrong("not-scaled", NAMED) | returns("apply_rope(queries, positions) @ apply_rope(keys, positions).T"),
    Wrong("only-queries", NAMED) | edit("turned(keys)", "keys"),
    Right("cat", base="faulty")
    | edit(
        "position_angles(positions, head_dim).repeat_interleave(2, dim=-1)",
        "position_angles(positions, head_dim)",
    )
    | line("partner =", "partner = torch.cat([-second, first], dim=-1)")
    | edit("angles.cos()", "torch.cat([angles, angles], dim=-1).cos()")
    | edit("angles.sin()", "torch.cat([angles, angles], dim=-1).sin()"),
    Right("own-function")
    | returns("apply_rope(queries, positions) @ apply_rope(keys, positions).mT / queries.shape[-1] ** 0.5"),
    Right("relative-positions")
    | edit("position_angles(positions,", "position_angles(positions - positions[0],"),
)

TASKS.hold(
    "alibi-bias",
    Wrong("plus", NAMED).body("""
        i = torch.arange(num_tokens)
        slopes = torch.tensor([2 ** (-8 * h / num_heads) for h in range(1, num_heads + 1)])
        bias = slopes.view(-1, 1, 1) * (i.view(-1, 1) - i.view(1, -1))
        return bias.masked_fill(torch.triu(torch.ones(num_tokens, num_tokens), 1).bool(), float("-inf"))"""),
    Wrong("from-zero", NAMED, base="listed") | edit("range(1, num_heads + 1)", "range(num_heads)"),
    Wrong("powers-of-a-half", NAMED, keeps=1, base="listed") | edit("2 ** (-8 * h / num_heads)", "2.0 ** -h"),
    Wrong("no-mask", NAMED, base="listed") | lines("hidden =", "return", "return bias"),
    Wrong("both-directions", NAMED + VALUES, base="listed")
    | lines("hidden =", "return", "return bias.abs().neg()"),
    Wrong("one-head", SHAPE + RAISED, base="listed") | edit(".view(-1, 1, 1)", "[0]"),
    Wrong("diagonal-too", NAMED, base="listed") | edit("num_tokens), 1)", "num_tokens))"),
    Right("listed").body("""
        i = torch.arange(num_tokens)
        slopes = torch.tensor([2 ** (-8 * h / num_heads) for h in range(1, num_heads + 1)])
        bias = slopes.view(-1, 1, 1) * (i.view(1, -1) - i.view(-1, 1))
        hidden = torch.triu(torch.ones(num_tokens, num_tokens), 1).bool()
        return bias.masked_fill(hidden, float('-inf'))"""),
    Right("geometric").body("""
        ratio = 2 ** (-8 / num_heads)
        positions = torch.arange(num_tokens)
        distance = positions[:, None] - positions
        slopes = [ratio ** h for h in range(1, num_heads + 1)]
        return torch.stack([torch.where(distance >= 0, -m * distance, -torch.inf) for m in slopes])"""),
    Right("added-mask").body("""
        rows, columns = torch.meshgrid(torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij")
        mask = torch.full((num_tokens, num_tokens), -torch.inf).triu(1)
        slopes = torch.exp2(-8 * torch.arange(1, num_heads + 1) / num_heads)
        return torch.einsum("h,qk->hqk", slopes, (columns - rows).float()) + mask"""),
)

TASKS.hold(
    "new-token-scores",
    Wrong("arange-of-one", NAMED) | edit("torch.tensor([len(cached_keys)])", "torch.arange(query.shape[-2])"),
    Wrong("one-too-far", NAMED).body("""
        n = cached_keys.shape[0] + 1
        q, k = apply_rope(query, torch.tensor([n])), apply_rope(key, torch.tensor([n]))
        return q @ torch.cat([cached_keys, k], dim=0).T / query.shape[-1] ** 0.5"""),
    Wrong("everything-again", NAMED).body("""
        keys = torch.cat([cached_keys, key])
        positions = torch.arange(len(keys))
        return apply_rope(query, positions[-1:]) @ apply_rope(keys, positions).T / keys.shape[-1] ** 0.5"""),
    Wrong("key-as-it-is", NAMED).body("""
        position = torch.tensor([len(cached_keys)])
        keys = torch.cat([cached_keys, key])
        return (apply_rope(query, position) @ keys.T) / query.shape[-1] ** 0.5"""),
    Wrong("query-as-it-is", NAMED) | edit("apply_rope(query, position)", "query"),
    Wrong("without-itself", NAMED + SHAPE) | edit("@ keys.T", "@ cached_keys.T"),
    Wrong("new-in-front", NAMED)
    | edit("[cached_keys, apply_rope(key, position)]", "[apply_rope(key, position), cached_keys]"),
    Wrong("not-scaled", NAMED) | edit(" / query.shape[-1] ** 0.5", ""),
    Wrong("weights", NAMED, keeps=0)
    | edit(
        "return apply_rope(query, position) @ keys.T / query.shape[-1] ** 0.5",
        "return (apply_rope(query, position) @ keys.T / query.shape[-1] ** 0.5).softmax(-1)",
    ),
    Wrong("position-as-a-number", RAISED) | edit("torch.tensor([len(cached_keys)])", "len(cached_keys)"),
    Right("arange-from-the-end").body("""
        positions = torch.arange(len(cached_keys) + 1)[-1:]
        keys = torch.vstack([cached_keys, apply_rope(key, positions)])
        return (apply_rope(query, positions) / keys.shape[1] ** 0.5) @ keys.mT"""),
    Right("key-turned-to-the-query").body("""
        n = len(cached_keys)
        own = query @ key.T
        old = apply_rope(query, torch.tensor([n])) @ cached_keys.T
        return torch.cat([old, own], dim=-1) / query.shape[-1] ** 0.5"""),
    Right("turned-by-hand").body("""
        angles = position_angles(torch.tensor([len(cached_keys)]), query.shape[-1])
        c, s = angles.cos(), angles.sin()
        def turn(x):
            a, b = x.chunk(2, dim=-1)
            return torch.cat([a * c - b * s, a * s + b * c], dim=-1)
        return turn(query) @ torch.cat([cached_keys, turn(key)]).T * query.shape[-1] ** -0.5"""),
)
