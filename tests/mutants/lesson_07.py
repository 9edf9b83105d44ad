"""Answers to lesson 07 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "07-positions"
TASKS = read(
    LESSON,
    r"""
== order-gap
rows-as-they-come (named): body
    old = attention(x)
    new = attention(x[order])
    return torch.max(torch.abs(old - new), dim=-1).values
put-back-for-the-old-order (named): body
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order))
    return (attention(x[order])[back] - attention(x)).abs().max(dim=1)[0]
inverse-of-the-order (named): body
    inverse = torch.argsort(order)
    return (attention(x[order]) - attention(x)[inverse]).abs().max(dim=-1)[0]
never-reordered (named):
    line x)[order … return → a, b = attention(x), attention(x)↵return (a[order] - b[order]).abs().amax(-1)
one-number (named, shape): = (attention(x[order]) - attention(x)[order]).abs().max()
yes-or-no (type, dtype): = torch.isclose(attention(x[order]), attention(x)[order]).all(dim=-1)
tuple-of-max (type, keeps 1): = (attention(x[order]) - attention(x)[order]).abs().max(dim=-1)
without-abs (named): = (attention(x)[order] - attention(x[order])).amax(dim=-1)
length-of-the-difference (named, values): abs().amax → norm
in-a-loop-over-positions (named): line x)[order →
    line return →:
        before = attention(x)
        return torch.stack([(after[i] - before[i]).abs().max() for i in range(len(order))])
left-alone (stub): line x)[order … return → ...  # your code here
put-back from put-back-for-the-old-order: [0] → [0][order]
loop: body
    before, after = attention(x), attention(x[order])
    return torch.tensor([float((after[i] - before[j]).abs().max()) for i, j in enumerate(order)])
permutation-matrix: body
    P = torch.eye(len(order))[order]
    return torch.max((attention(P @ x) - P @ attention(x)).abs(), dim=1).values
== learned-positions
start-forgotten (named, keeps 2): body forward
    b, num_tokens, d = x.shape
    return x + self.pos_emb(torch.arange(num_tokens, device=x.device))
from-one (named, raised): start, → 1 + start, 1 +
as-in-rasbt-without-start (named, keeps 1): body forward
    return x + self.pos_emb(torch.arange(x.shape[1]))
batch-size (named, raised): x.shape[-2] → len(x)
embedding-of-the-tokens (raised): (positions → (x
other-name (parameters, keeps 2):
    says: pos_emb
    pos_emb = → positions_table =
    pos_emb( → positions_table(
parameter-not-embedding (raised, parameters):
    line Embedding → self.pos_emb = nn.Parameter(torch.randn(context_length, d_model))
in-position (named, rule, keeps 2):
    line torch … return → x += self.pos_emb(torch.arange(start, start + x.shape[1], device=x.device))↵return x
clamped (named, values, keeps 2):
    line torch → positions = torch.arange(x.shape[-2], device=x.device).clamp(min=start)
nothing-returned (type): return → x =
slice-of-weight: line torch … return → return x + self.pos_emb.weight[start:start + x.shape[1]].unsqueeze(0)
loop-over-batch: body forward
    table = self.pos_emb(torch.arange(self.pos_emb.num_embeddings, device=x.device))
    end = start + x.size(-2)
    return torch.stack([one + table[start:end] for one in x])
functional: body forward
    position = torch.ones_like(x[0, :, 0], dtype=torch.long).cumsum(0) - 1 + start
    return torch.nn.functional.embedding(position, self.pos_emb.weight) + x
== position-angles
i-for-two-i (named) from all-numbers: (dim → (dim // 2
all-numbers (named, shape):
    line torch … return → i = torch.arange(dim)↵return positions.unsqueeze(1) / base ** (i / dim)
double-exponent (named): body
    freqs = 1.0 / (base ** (2 * torch.arange(0, dim, 2).float() / dim))
    return torch.outer(positions.float(), freqs)
grows (named): = torch.outer(positions.float(), base ** (torch.arange(0, dim, 2) / dim))
base-fixed (named, keeps 1): = torch.outer(positions.float(), 1 / 10000 ** (torch.arange(0, dim, 2) / dim))
positions-from-zero (named): body
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2) / dim))
    return torch.arange(len(positions))[:, None] * inv_freq[None, :]
linspace (named, values): = positions[:, None] * base ** -torch.linspace(0, 1, dim // 2)
not-broadcast (raised): [:, None] →
turned (named, shape): line return → return theta[:, None] * positions
in-degrees (named, values): line return → return torch.rad2deg(positions[:, None] * theta)
whole-numbers-only (named, values): / dim → // dim
pow: body
    inv_freq = 1.0 / torch.pow(base, torch.arange(0, dim, 2, dtype=torch.float32) / dim)
    return torch.einsum("i,j->ij", positions.float(), inv_freq)
math-exp: theta = base ** (-torch.arange(0, dim, 2) / dim) → import math
    [:, None] * theta → .unsqueeze(-1) * torch.exp(torch.arange(0, dim, 2) * (-math.log(base) / dim))
nested-list: = torch.tensor([[float(m) * base ** (-2 * i / dim) for i in range(dim // 2)] for m in positions])
== sinusoidal-positions
side-by-side-halves (named): body
    a = position_angles(positions, d_model, base)
    return torch.cat([torch.sin(a), torch.cos(a)], dim=-1)
cos-first (named) from side-by-side-halves: above base) → pe = torch.zeros(len(positions), d_model)
    line return → pe[:, 0::2] = torch.cos(a)↵pe[:, 1::2] = torch.sin(a)↵return pe
only-even (named, values): body
    pe = torch.zeros(len(positions), d_model)
    pe[:, 0::2] = position_angles(positions, d_model, base).sin()
    return pe
alternating-columns (named, values): body
    a = position_angles(positions, d_model, base).repeat(1, 2)
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, a.sin(), a.cos())
positions-as-a-number (raised): (positions, d_model, base) → (torch.arange(positions), d_model, base)
where: body
    a = position_angles(positions, d_model, base).repeat_interleave(2, dim=1)
    return torch.where(torch.arange(d_model) % 2 == 0, torch.sin(a), torch.cos(a))
buffer from cos-first: len(positions) → positions.shape[0]
    a = position_angles(positions, d_model, base → i = torch.arange(0, d_model, 2
    cos(a) → sin(positions.unsqueeze(1) / base ** (i / d_model))
    sin(a) → cos(positions.unsqueeze(1) / base ** (i / d_model))
einops-like: flatten(-2 → view(len(positions), -1
== rotate-pairs
clockwise (named) from unbind: - y * s, x * s + y * c → + y * s, y * c - x * s
two-plus (named) from unbind: c - → c +
each-by-itself (named): = torch.stack([pairs[..., 0] * angles.cos(), pairs[..., 1] * angles.sin()], dim=-1)
overwritten (named) from unbind:
    line return → x = x * c - y * s↵y = x * s + y * c↵return torch.stack((x, y), dim=-1)
swapped-names (named) from unbind: c, s → s, c
joined-flat (named, shape): body
    x, y = pairs.unbind(-1)
    c, s = torch.cos(angles), torch.sin(angles)
    return torch.cat((x * c - y * s, x * s + y * c), dim=-1)
in-front (named, shape) from unbind: =-1 → =0
edits-the-pairs (named, values, rule): body
    pairs[..., 0] = pairs[..., 0] * angles.cos() - pairs[..., 1] * angles.sin()
    pairs[..., 1] = pairs[..., 0] * angles.sin() + pairs[..., 1] * angles.cos()
    return pairs
unbind from joined-flat: cat → stack
complex-numbers:
    = torch.view_as_real(torch.complex(*pairs.unbind(-1)) * torch.polar(torch.ones_like(angles), angles))
loops: body
    out = torch.zeros_like(pairs)
    for t in range(pairs.shape[0]):
        for h in range(pairs.shape[1]):
            c, s = angles[t, h].cos(), angles[t, h].sin()
            out[t, h] = torch.stack([torch.stack([c, -s]), torch.stack([s, c])]) @ pairs[t, h]
    return out
== rope-interleaved
halves (named): line unflatten → a, b = x.chunk(2, dim=-1)
    pairs, → torch.stack([a, b], dim=-1),
half-split-all-through (named): line unflatten →
    line return →:
        c, s = angles.cos(), angles.sin()
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * c - b * s, a * s + b * c], dim=-1)
arange (named): positions, x → torch.arange(x.shape[0]), x
half-the-width (named, raised, shape): [-1] → [-1] // 2
two-by-n (named, raised, values): -1, 2 → 2, -1
even-and-odd from half-split-all-through: line chunk … return →:
    even, odd = x[:, 0::2], x[:, 1::2]
    out = torch.stack([even * c - odd * s, even * s + odd * c], dim=-1).reshape(x.shape)
    return out
partner: body
    a = position_angles(positions, x.shape[-1], base).repeat_interleave(2, dim=-1)
    partner = torch.stack([-x[:, 1::2], x[:, 0::2]], dim=-1).flatten(1)
    return x * a.cos() + partner * a.sin()
view: unflatten(-1, (-1, 2)) → view(len(x), x.shape[1] // 2, 2)
== apply-rope
even-and-odd (named): line cos() … return →:
    a, b = x[..., ::2], x[..., 1::2]
    out = torch.stack([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], dim=-1)
    return out.flatten(-2)
mixed (named) from rotate-half: ).repeat(1, 2 → ).repeat_interleave(2, dim=-1
sign-on-the-other-half (named) from rotate-half: -b, a → b, -a
sign-forgotten (named): body
    angles = position_angles(positions, x.shape[-1], base).repeat(1, 2)
    a, b = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat((b, a), dim=-1) * angles.sin()
tokens-from-the-wrong-axis (named, raised, values): positions, x → torch.arange(x.shape[1]), x
two-axes-only (raised): above shape → num_tokens, head_dim = x.shape
four-axes-only (named, raised, values, behaviour, keeps 1): above shape → b, h, t, d = x.shape
rotate-half from sign-forgotten: b, → -b,
complex-numbers: above shape → a, b = x.tensor_split(2, dim=-1)
    line cos() … return →:
        turned = torch.complex(a, b) * torch.exp(1j * angles)
        return torch.cat([turned.real, turned.imag], dim=-1)
through-the-other-form: body
    d = x.shape[-1]
    mixed = torch.arange(d).view(2, -1).T.flatten()
    heads = x[..., mixed].reshape(-1, *x.shape[-2:])
    turned = torch.stack([rope_interleaved(one, positions, base) for one in heads])
    return turned[..., mixed.argsort()].reshape(x.shape)
== bug-mixed-forms
made-interleaved (named) from faulty: .chunk(2, dim=-1) → [:, 0::2], x[:, 1::2]
    cat → stack
    ], dim=-1) → ], dim=-1).reshape(x.shape)
interleaved-function (named):
    = rope_interleaved(queries, positions) @ rope_interleaved(keys, positions).T / keys.shape[1] ** 0.5
sign-changed (named, values) from faulty: -second, first → second, -first
no-rotation-at-all (named, values): = queries @ keys.T / queries.shape[-1] ** 0.5
halves-of-the-angles (raised): .repeat(1, 2) →
not-scaled (named): = apply_rope(queries, positions) @ apply_rope(keys, positions).T
cat: .repeat(1, 2) →
    1)  # (tokens, head_dim) → 1)
    x * angles → x * torch.cat([angles, angles], dim=-1)
    angles.sin → torch.cat([angles, angles], dim=-1).sin
own-function: = apply_rope(queries, positions) @ apply_rope(keys, positions).mT / queries.shape[-1] ** 0.5
relative-positions: positions, → positions - positions[0],
== alibi-bias
plus (named) from both-directions: 1, -1 → -1, 1
    (-1, 1) → (1, -1)
    abs().neg() → masked_fill(torch.triu(torch.ones(num_tokens, num_tokens), 1).bool(), float("-inf"))
from-zero (named) from listed: 1, num_heads + 1 → num_heads
one-over-heads (named): body
    q, k = torch.meshgrid(torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij")
    slopes = torch.tensor([1 / (h + 1) for h in range(num_heads)])
    bias = -(q - k) * slopes.view(-1, 1, 1)
    return torch.where(k > q, -torch.inf, bias)
powers-of-a-half (named, keeps 1) from listed: 2 ** (-8 * h / num_heads) → 2.0 ** -h
no-mask (named): body
    i = torch.arange(num_tokens)
    slopes = torch.tensor([2 ** (-8 * h / num_heads) for h in range(1, num_heads + 1)])
    bias = slopes.view(-1, 1, 1) * (i.view(1, -1) - i.view(-1, 1))
    return bias
both-directions (named, values) from no-mask: return bias → return bias.abs().neg()
one-head (raised, shape) from listed: .view(-1, 1, 1) → [0]
diagonal-too (named) from no-mask: line return →:
    hidden = torch.triu(torch.ones(num_tokens, num_tokens)).bool()
    return bias.masked_fill(hidden, float('-inf'))
listed from diagonal-too: ).bool → , 1).bool
geometric: line arange(1 → ratio = 2 ** (-8 / num_heads)
    line None, … return →:
        slopes = [ratio ** h for h in range(1, num_heads + 1)]
        return torch.stack([torch.where(distance >= 0, -m * distance, -torch.inf) for m in slopes])
added-mask: body
    rows, columns = torch.meshgrid(torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij")
    mask = torch.full((num_tokens, num_tokens), -torch.inf).triu(1)
    slopes = torch.exp2(-8 * torch.arange(1, num_heads + 1) / num_heads)
    return torch.einsum("h,qk->hqk", slopes, (columns - rows).float()) + mask
== new-token-scores
arange-of-one (named): tensor([len(cached_keys) → arange(query.shape[-2
one-too-far (named): body
    n = cached_keys.shape[0] + 1
    q, k = apply_rope(query, torch.tensor([n])), apply_rope(key, torch.tensor([n]))
    return q @ torch.cat([cached_keys, k], dim=0).T / query.shape[-1] ** 0.5
everything-again (named): body
    keys = torch.cat([cached_keys, key])
    positions = torch.arange(len(keys))
    return apply_rope(query, positions[-1:]) @ apply_rope(keys, positions).T / keys.shape[-1] ** 0.5
without-itself (named, shape): keys. → cached_keys.
weights (named):
    line return → return (apply_rope(query, position) @ keys.T / query.shape[-1] ** 0.5).softmax(-1)
position-as-a-number (raised): line tensor → position = len(cached_keys)
arange-from-the-end: body
    positions = torch.arange(len(cached_keys) + 1)[-1:]
    keys = torch.vstack([cached_keys, apply_rope(key, positions)])
    return (apply_rope(query, positions) / keys.shape[1] ** 0.5) @ keys.mT
key-turned-to-the-query: body
    n = len(cached_keys)
    own = query @ key.T
    old = apply_rope(query, torch.tensor([n])) @ cached_keys.T
    return torch.cat([old, own], dim=-1) / query.shape[-1] ** 0.5
turned-by-hand: body
    angles = position_angles(torch.tensor([len(cached_keys)]), query.shape[-1])
    c, s = angles.cos(), angles.sin()
    def turn(x):
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * c - b * s, a * s + b * c], dim=-1)
    return turn(query) @ torch.cat([cached_keys, turn(key)]).T * query.shape[-1] ** -0.5
""",
)
