"""Answers to lesson 11 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "11-fast-attention"
TASKS = read(
    LESSON,
    r"""
== fuse-projections
value-first (named, values): line W_key → layers = (attention.W_value, attention.W_query, attention.W_key)
keys-forgotten (named, raised, values): W_key, attention. →
bias-left-random (named, values): line if has_bias … fused.bias →
never-a-bias (named, values): =has_bias → =False
    line if has_bias … fused.bias →
weight-returned (type, shape): line return → return fused.weight
layers-of-the-wrong-width (named, raised): 3 * d_out → d_out
without-no-grad (named, raised): line with → if True:
first-layer-changed (named, shape, values, rule): body
    with torch.no_grad():
        attention.W_query.weight.mul_(2)
    return attention.W_query
sequence-of-slices: body
    d_out, d_in = attention.W_key.weight.shape
    new = nn.Linear(d_in, d_out * 3, bias=attention.W_key.bias is not None)
    for i, old in enumerate([attention.W_query, attention.W_key, attention.W_value]):
        new.weight.data[i * d_out : (i + 1) * d_out] = old.weight.data
        if old.bias is not None:
            new.bias.data[i * d_out : (i + 1) * d_out] = old.bias.data
    return new
state-dict: body
    parts = [attention.W_query, attention.W_key, attention.W_value]
    state = {"weight": torch.cat([p.weight for p in parts])}
    if parts[0].bias is not None:
        state["bias"] = torch.cat([p.bias for p in parts])
    new = nn.Linear(parts[0].in_features, 3 * parts[0].out_features, bias="bias" in state)
    new.load_state_dict(state)
    return new
data-assigned: body
    q, k, v = attention.W_query, attention.W_key, attention.W_value
    out = nn.Linear(q.in_features, 3 * q.out_features, bias=q.bias is not None)
    out.weight.data = torch.concat((q.weight, k.weight, v.weight)).detach()
    if q.bias is not None:
        out.bias.data = torch.concat((q.bias, k.bias, v.bias)).detach()
    return out
== bug-qkv-order
head-dim-before-heads (named, shape, values):
    line view(b → pieces = projected.view(b, num_tokens, 3, width // (3 * num_heads), num_heads)
three-chunks-not-split (named, shape, values): = torch.stack(projected.chunk(3, dim=-1))
one-head (named, shape, values): = torch.stack([split_heads(p, 1) for p in projected.chunk(3, dim=-1)])
split-then-heads:
    = torch.stack([split_heads(p, num_heads) for p in projected.split(projected.shape[-1] // 3, -1)])
reshape-and-movedim: = projected.reshape(*projected.shape[:2], 3, num_heads, -1).movedim(2, 0).transpose(2, 3)
einsum: = torch.einsum("btchd->cbhtd", projected.unflatten(2, (3, num_heads, -1)))
== running-softmax
sum-of-plain-exponentials (named, not finite, values):
    = torch.stack((scores.cummax(0).values, scores.exp().cumsum(0)), dim=1)
new-score-not-shifted (named, not finite, values): score - new_largest → score
divided-not-multiplied (named, not finite, values): total * → total /
maximum-alone (named, shape): line append → states.append(largest)
side-by-side (named, shape): (states → (states, dim=1
list-of-rows (type): line return → return states
starts-at-zero (named, values): scores.new_tensor(-torch.inf) → torch.zeros(())
if-larger: body
    m, l, out = scores[0], torch.ones(()), [torch.stack((scores[0], torch.ones(())))]
    for s in scores[1:]:
        if s > m:
            l, m = l * torch.exp(m - s) + 1, s
        else:
            l = l + torch.exp(s - m)
        out.append(torch.stack((m, l)))
    return torch.stack(out)
square-of-differences (costs 1): body
    m = scores.cummax(dim=0).values
    seen = torch.ones(len(scores), len(scores)).tril().bool()
    return torch.stack((m, torch.exp(scores[None] - m[:, None]).masked_fill(~seen, 0).sum(1)), 1)
== bug-not-rescaled
rescaled-after-adding (named, values): line output * → output = (output + weight * value) * rescale
divided-in-each-round (named, values) from faulty: * value → * value / total
last-value (named, values) from faulty: = output + → =
softmax: = torch.softmax((keys @ query) / len(query) ** 0.5, 0) @ values
in-place: line output * → output *= rescale↵output += weight * value
other-names from faulty: rescale = → factor =
    weight = → w =
    rescale + weight → factor + w
    + weight * → * factor + w *
== online-softmax
numpy-for-all-blocks (named, values, behaviour, keeps 2): body
    import numpy as np
    s, v = np.concatenate([np.array(one) for one in scores_blocks], 1), np.concatenate([np.array(one) for one in values_blocks])
    w = np.exp(s - s.max(1, keepdims=True))
    return torch.from_numpy(w @ v / w.sum(1, keepdims=True))
double-and-no-maximum (named, not finite, keeps 3): body
    l, o = 0, 0
    for s, v in zip(scores_blocks, values_blocks):
        e = s.double().exp()
        l, o = l + e.sum(1, keepdim=True), o + e @ v.double()
    return (o / l).float()
joined-first (named, behaviour, values, keeps 2): body
    scores = torch.cat([s for s in scores_blocks], dim=1)
    values = torch.cat([v for v in values_blocks], dim=0)
    return torch.softmax(scores, dim=1) @ values
softmax-in-each-block (named, not finite, values):
    = sum(torch.softmax(s, -1) @ v for s, v in zip(scores_blocks, values_blocks))
divided-per-block (named, values): @ values → @ values / total
    output / total → output
first-block-only (named, not finite, values):
    line for → for scores, values in zip(scores_blocks[:1], values_blocks[:1]):
no-maximum (named, not finite, values, keeps 3): body
    l, o = 0, 0
    for s, v in zip(scores_blocks, values_blocks):
        l, o = l + s.exp().sum(1, keepdim=True), o + s.exp() @ v
    return o / l
two-passes (named, raised, keeps 2): body
    m = scores_blocks[0].amax(1)
    for s in scores_blocks:
        m = torch.maximum(m, s.amax(1))
    l, o = 0, 0
    for s, v in zip(scores_blocks, values_blocks):
        w = torch.exp(s - m[:, None])
        l, o = l + w.sum(1), o + w @ v
    return o / l[:, None]
finite-start: torch.inf, 0.0, → 1e4, 0.0,
    line masked_fill → shift = new_largest
where: line masked_fill → shift = torch.where(new_largest.isinf(), 0.0, new_largest)
== tiled-attention
numpy-matrix (named, behaviour, keeps 3): body
    import numpy as np
    s = q.numpy() @ k.numpy().swapaxes(2, 3) / q.shape[-1] ** 0.5
    s = np.where(np.tri(s.shape[-1], dtype=bool), s, -np.inf) if causal else s
    w = torch.from_numpy(s).softmax(-1).numpy()
    return torch.from_numpy(w @ v.numpy()).to(v.dtype)
half-strips (named, behaviour, keeps 3): body
    out, n = torch.zeros_like(v), q.shape[2]
    for i in range(0, n, max(1, tile // 2)):
        rows = slice(i, i + max(1, tile // 2))
        s = q[:, :, rows] @ k.mT / q.shape[-1] ** 0.5
        if causal:
            s = s.masked_fill(torch.arange(n) > torch.arange(n)[rows, None], -torch.inf)
        out[:, :, rows] = torch.softmax(s, -1) @ v
    return out
rows-at-a-time (named, not finite, behaviour, keeps 3): body
    parts = [plain_attention(q[:, :, i : i + tile], k, v, False) for i in range(0, q.shape[2], tile)]
    if causal or not parts:
        return plain_attention(q, k, v, causal)
    return torch.cat(parts, dim=2)
mask-forgotten (named, values, keeps 3): line causal: … masked_fill →
whole-tiles-only (named, shape, not finite, values, keeps 2): , num_tokens → , num_tokens - tile + 1
    empty_like → zeros_like
sums-over-queries (named, raised, not finite, values): sum(dim=-1 → sum(dim=-2
scaled-by-tile (named, values): q.shape[-1] → tile
left-as-it-was (stub): line shape[2 … return → ...
fused-call (costs 4): = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
ends-by-min from by-online-softmax:
    line shape[2 → b, h, n, d = q.shape↵out = torch.zeros(b, h, n, d, dtype=q.dtype)
    line min(i … out[at → i2 = min(i + tile, n)↵m = torch.full((b, h, i2 - i, 1), float("-inf"), dtype=q.dtype)↵l = torch.zeros(b, h, i2 - i, 1, dtype=q.dtype)↵o = torch.zeros(b, h, i2 - i, d, dtype=q.dtype)↵for j in range(0, n, tile):↵    if causal and j >= i2:↵        break↵    j2 = min(j + tile, n)↵    s = torch.einsum("bhqd,bhkd->bhqk", q[:, :, i:i2], k[:, :, j:j2]) / d**0.5↵    if causal:↵        late = torch.arange(j, j2)[None, :] > torch.arange(i, i2)[:, None]↵        s = s.masked_fill(late, float("-inf"))↵    m2 = torch.maximum(m, s.amax(-1, keepdim=True))↵    p = (s - m2).exp()↵    l = l * (m - m2).exp() + p.sum(-1, keepdim=True)↵    o = o * (m - m2).exp() + p @ v[:, :, j:j2]↵    m = m2↵out[:, :, i:i2] = o / l
by-online-softmax: body
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
    return out
scale-first: line empty_like → context, q = torch.zeros_like(v), q / q.shape[-1] ** 0.5
    ) / q.shape[-1] ** 0.5 → )
== attention-backward
d-of-the-arriving-gradient-alone (named, values):
    line keepdim → row_sums = out_gradient.sum(dim=-1, keepdim=True)
never-causal (named, values, keeps 2): line if causal … inf →
value-gradient-from-values (named, values): @ out_gradient → @ v
v-first (named, values): line return → return v_gradient, q_gradient, k_gradient
only-two (named, shape, values): , v_gradient →
autograd (costs 3): body
    with torch.enable_grad():
        ours = [one.detach().requires_grad_() for one in (q, k, v)]
        return torch.autograd.grad(plain_attention(*ours, causal), ours, out_gradient)
matrix-notation: body
    d = q.shape[-1]
    S = q @ k.mT / d**0.5
    if causal:
        S = S + torch.full(S.shape[-2:], -torch.inf).triu(1)
    P = S.softmax(-1)
    dP = out_gradient @ v.mT
    dS = P * (dP - (P * dP).sum(-1, keepdim=True)) / d**0.5
    return dS @ k, dS.mT @ q, P.mT @ out_gradient
jacobian-of-one-row: body
    scale = q.shape[-1] ** -0.5
    scores = q @ k.transpose(2, 3) * scale
    if causal:
        future = torch.ones(scores.shape[2:], dtype=torch.bool, device=q.device).triu(diagonal=1)
        scores = scores.masked_fill(future, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    row_sums = (out_gradient * (weights @ v)).sum(dim=-1, keepdim=True)
    weights_gradient = out_gradient @ v.transpose(2, 3)
    scores_gradient = torch.einsum('bhqk,bhqj->bhqj', -weights * weights_gradient, weights) + weights * weights_gradient
    q_gradient = scores_gradient @ k * scale
    k_gradient = scores_gradient.transpose(2, 3) @ q * scale
    v_gradient = weights.transpose(2, 3) @ out_gradient
    return q_gradient, k_gradient, v_gradient
list: line return → return [q_gradient, k_gradient, v_gradient]
== tiled-function
softmax-again (named, behaviour, keeps 3):
    line torch.exp → weights = tile_scores(q, k, rows, columns, ctx.causal).softmax(-1)
task-7-called (named, behaviour, keeps 4):
    line shape[-1 … None, → return (*attention_backward(q, k, v, out_gradient, ctx.causal), None, None)
all-rows-of-logsumexp (named, raised, keeps 1): logsumexp[:, :, rows] → logsumexp
backward-not-written (stub): line saved_tensors … None, → ...
a-function (no function): cell
    def TiledAttention(q, k, v, tile, causal):
        return tiled_attention(q, k, v, tile, causal)
autograd-through-all-tiles (named, behaviour): line shape[-1 … None, →:
    with torch.enable_grad():
        ours = [one.detach().requires_grad_() for one in (q, k, v)]
        out = tiled_attention(*ours, ctx.tile, ctx.causal)
    return (*torch.autograd.grad(out, ours, out_gradient), None, None)
fused-call (costs 5): line shape[-1 … None, →:
    with torch.enable_grad():
        ours = [one.detach().requires_grad_() for one in (q, k, v)]
        out = F.scaled_dot_product_attention(*ours, is_causal=ctx.causal)
    return (*torch.autograd.grad(out, ours, out_gradient), None, None)
d-inside-the-loop from all-rows-of-logsumexp: - logsumexp → - logsumexp[:, :, rows]
    - row_sums → - (arriving * context
    rows]) → rows]).sum(-1, keepdim=True))
add-in-place: line weights. → v_gradient[:, :, columns].add_(weights.mT @ arriving)
reversed: line shape[2 → for rows, columns in reversed(list(visited_tiles(q.shape[2], ctx.tile, ctx.causal))):
== sdpa-traps
as-numbers (named, values, keeps 5): ~hidden) → (~hidden).float())
minus-infinity-times (named, not finite, values, keeps 5): ~hidden) → hidden.float() * -torch.inf)
strict-triangle (named, not finite, values, keeps 5): .tril().bool() → .tril(-1).bool()
never-causal (named, values, keeps 4): body to_cache
    return F.scaled_dot_product_attention(q, k, v)
triangle-without-diagonal (named, values, keeps 4): diagonal=total - new →
diagonal-of-new (named, values, keeps 4): =total - new) → =new)
hidden-in-place-of-visible (named, not finite, values, keeps 4): =allowed → =~allowed
kept-share (named, values, behaviour, keeps 5): =p if training → =(1 - p) if training
minus-the-root (named, values, keeps 5): scale=q.shape[-1] ** -0.5 → scale=-(q.shape[-1] ** 0.5)
divided-before-as-well (named, values, keeps 5): q, k, v, scale=q → q / q.shape[-1] ** 0.5, k, v, scale=q
only-two-corrected (named, values, keeps 2) from faulty: k, v, attn_mask=hidden) → k, v, attn_mask=~hidden)
    .tril()  # → .tril().bool()  #
methods-of-an-object: body padded
    return F.scaled_dot_product_attention(q, k, v, attn_mask=hidden == False)
last-rows: line allowed = → allowed = torch.ones(total, total).bool().tril()[total - new :]
lower-right: line allowed = → allowed = torch.arange(total)[None] - torch.arange(new)[:, None] <= total - new
as-minus-infinity: visible) → torch.where(visible, 0.0, -torch.inf))
by-hand (named, behaviour, keeps 5): body dropped
    return F.dropout(torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1), p, training=training) @ v
none: q.shape[-1] ** -0.5 → None
== kv-cache
always-from-zero (named, behaviour, keeps 1): self.num_tokens : end] = keys → : keys.shape[2]] = keys
    self.num_tokens : end] = values → : keys.shape[2]] = values
count-forgotten (named, behaviour, keeps 1): line num_tokens = end →
no-limit (named, not refused, keeps 3): line if end … raise →
counted-before-refused (named, behaviour, keeps 3):
    below end = → start, self.num_tokens = self.num_tokens, end
    line end] = keys … num_tokens = end →:
        self.keys[:, :, start:end] = keys
        self.values[:, :, start:end] = values
assert (named, raised, not refused, keeps 3): line if end … raise → assert end <= self.keys.shape[2]
keys-alone (named, shape): , self.values[:, :, :end] →
stacked: line return → return torch.stack((self.keys[:, :, :end], self.values[:, :, :end]))
list-of-two: line return → return [self.keys[:, :, :end], self.values[:, :, :end]]
grown: body append
    if self.num_tokens + keys.shape[2] > self.keys.shape[2]:
        raise ValueError("full")
    old = slice(0, self.num_tokens)
    k = torch.cat([self.keys[:, :, old], keys], dim=2)
    v = torch.cat([self.values[:, :, old], values], dim=2)
    self.num_tokens = k.shape[2]
    self.keys[:, :, : self.num_tokens] = k
    self.values[:, :, : self.num_tokens] = v
    return k, v
== grouped-query-attention
values-repeated-in-turn (named, keeps 1): line values. → values = torch.cat(sharing * [values], dim=1)
full-width (named, parameters): line d_out / → kv_width = d_out
groups-not-checked (named, not refused, keeps 4): line if num_heads … f"num_heads →
never-drops (named, behaviour, keeps 4): dropout_p=p, is_causal → is_causal
always-a-bias (named, parameters, keeps 4): line d_out, bias … W_value = nn →:
    self.W_query = nn.Linear(d_in, d_out, bias=True)
    self.W_key = nn.Linear(d_in, kv_width, bias=True)
    self.W_value = nn.Linear(d_in, kv_width, bias=True)
expanded: line keys. … values. →:
    keys = keys[:, :, None].expand(-1, -1, sharing, -1, -1).flatten(1, 2)
    values = values[:, :, None].expand(-1, -1, sharing, -1, -1).flatten(1, 2)
enable-gqa: line sharing = … values. →
    True → True, enable_gqa=True
plain-attention: line training … True) →:
    scores = queries @ keys.mT / keys.shape[-1] ** 0.5
    late = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    weights = torch.softmax(scores.masked_fill(late, -torch.inf), dim=-1)
    context = F.dropout(weights, self.dropout, self.training) @ values
index-of-groups: line keys. … values. →:
    keys = keys[:, [h // sharing for h in range(self.num_heads)]]
    values = values[:, [h // sharing for h in range(self.num_heads)]]
== join-pieces
halved-logsumexps (named, values): torch.softmax(logsumexps, dim=0) → torch.softmax(logsumexps / 2, dim=0)
first-piece-only (named, values): return (shares[..., None] * contexts).sum(dim=0) → return contexts[0]
tensordot: return (shares[..., None] * contexts).sum(dim=0) → return (contexts * shares.unsqueeze(-1)).sum(0)
""",
)
