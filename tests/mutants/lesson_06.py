"""Answers to lesson 06 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "06-encoder-decoder"
TASKS = read(
    LESSON,
    r"""
== padding-mask
less-or-equal (named): = (torch.arange(num_tokens) <= lengths[:, None])[:, None, None, :]
polarity (named): = (torch.arange(num_tokens) >= lengths[:, None])[:, None, None]
    says: visible
polarity-other-way-round (values):
    never: SAME_TWICE
    line None] … return → return (lengths[:, None] < positions).view(-1, 1, 1, num_tokens)
two-axes (named, shape): = torch.arange(num_tokens) < lengths[:, None]
    says: None, None
three-axes (named, shape): = (torch.arange(num_tokens)[None, :] < lengths[:, None]).unsqueeze(1)
no-batch-axis-added (named, raised): = torch.arange(num_tokens) < lengths
axes-in-front (shape): = (torch.arange(num_tokens) < lengths[:, None])[None, None]
on-the-query-axis (named, shape): = (torch.arange(num_tokens)[:, None] < lengths.view(-1, 1, 1, 1))
floats (named, dtype, keeps 1): = (torch.arange(num_tokens) < lengths[:, None])[:, None, None, :].float()
integers (named, dtype, keeps 1): body
    mask = torch.zeros(len(lengths), 1, 1, num_tokens, dtype=torch.int)
    for i, n in enumerate(lengths):
        mask[i, 0, 0, :n] = 1
    return mask
longest-length (named, shape): = (torch.arange(lengths.max()) < lengths[:, None])[:, None, None]
notebook-length (shape, keeps 1): = (torch.arange(max_sequence_length) < lengths[:, None])[:, None, None]
    says: NOT_ITS_ARGUMENT
padding-on-the-left (named) from polarity: = lengths → = num_tokens - lengths
additive (named, not finite):
    never: dividing by zero or from exp
    body
        real = (torch.arange(num_tokens) < lengths[:, None])[:, None, None]
        return torch.zeros(real.shape).masked_fill(~real, float("-inf"))
list-of-lists (type): = [[[[i < n for i in range(num_tokens)]]] for n in lengths.tolist()]
rows-of-tril (values, keeps 1):
    never: SAME_TWICE
    = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))[lengths - 1][:, None, None]
lengths-changed-in-place (rule, keeps 1):
    says: changed its argument `lengths`
    line torch … return → lengths -= 1↵return (torch.arange(num_tokens) <= lengths[:, None])[:, None, None]
numpy (type, keeps 1): body
    import numpy as np

    return (np.arange(num_tokens) < lengths.numpy()[:, None])[:, None, None, :]
no-arange-import (raised): = (arange(num_tokens) < lengths[:, None])[:, None, None]
unsqueezed: def padding_mask(lengths: torch.Tensor, num_tokens: int) -> torch.Tensor:
    positions = torch.arange(num_tokens, device=lengths.device).unsqueeze(0)
    return positions.lt(lengths.unsqueeze(1)).unsqueeze(1).unsqueeze(2)
inverted: line torch … return → hidden = torch.arange(num_tokens) >= lengths.view(-1, 1, 1, 1)↵return ~hidden
comprehension: = torch.tensor([[[[i < int(n) for i in range(num_tokens)]]] for n in lengths])
stacked: body
    rows = [torch.arange(num_tokens) < n for n in lengths]
    return torch.stack(rows).reshape(-1, 1, 1, num_tokens)
rows-of-a-longer-tril: body
    table = torch.tril(torch.ones(num_tokens + 1, num_tokens, dtype=torch.bool), diagonal=-1)
    return table[lengths][:, None, None]
cumulated: body
    ones = torch.ones(lengths.shape[0], num_tokens, dtype=torch.long)
    return (ones.cumsum(-1) <= lengths[:, None]).unflatten(0, (-1, 1, 1))
lambda: cell
    padding_mask = lambda lengths, n: (torch.arange(n) < lengths.reshape(-1, 1))[:, None, None]
where-and-bool: body
    positions = torch.arange(num_tokens).expand(lengths.size(0), num_tokens)
    mask = torch.where(positions < lengths[:, None], 1, 0)
    return mask.bool().view(lengths.size(0), 1, 1, num_tokens)
== combine-masks
causal-only (named): , dtype=torch.bool)) → )).bool()
    padding_mask(lengths, num_tokens) & causal → causal.expand(len(lengths), 1, -1, -1)
padding-only (named): = padding_mask(lengths, num_tokens).expand(-1, 1, num_tokens, -1)
python-and (raised): & causal → and causal
added (named): = padding_mask(lengths, num_tokens) + torch.tril(torch.ones(num_tokens, num_tokens))
added-bool (named): line return → return (padding_mask(lengths, num_tokens) + causal).bool()
strict-upper (named): line dtype → causal = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    says: hidden
diagonal-hidden (named): , dtype=torch.bool)) → ), diagonal=-1).bool()
one-too-many (named, values):
    never: SAME_TWICE
    body
        causal = torch.ones(num_tokens, num_tokens).tril(1).bool()
        return causal & padding_mask(lengths, num_tokens)
floats (named, dtype, keeps 1) from added: + torch → * torch
notebook-mask (named, raised, keeps 1): = padding_mask(lengths, num_tokens) & visible.bool()
notebook-mask-float (raised): = padding_mask(lengths, num_tokens) & visible
notebook-sizes (shape, keeps 1):
    says: NOT_ITS_ARGUMENT
    num_tokens, num_tokens, dtype=torch.bool)) → max_sequence_length, max_sequence_length)).bool()
    num_tokens) & → max_sequence_length) &
padded-queries-emptied (named):
    says: keys
    line return → keys = padding_mask(lengths, num_tokens)↵return causal & keys & keys.transpose(-2, -1)
means-hidden (named): line return → return ~(causal & padding_mask(lengths, num_tokens))
xor (values): & causal → ^ causal
    never: SAME_TWICE
squeezed-head-axis (named, shape):
    line return → return (padding_mask(lengths, num_tokens) & causal).squeeze(1)
four-heads (shape) from squeezed-head-axis: ).squeeze(1 → ).repeat(1, num_heads, 1, 1
batch-lost (shape): line return → return (causal & padding_mask(lengths, num_tokens))[:1]
tuple-of-masks (type): line return → return causal, padding_mask(lengths, num_tokens)
nothing-returned (type) from tuple-of-masks: return causal, → both = causal &
transposed (named, values) from batch-lost: [:1] → .transpose(-2, -1)
    never: SAME_TWICE
own-less-or-equal (values):
    never: SAME_TWICE
    body
        i = torch.arange(num_tokens)
        return ((i[None, :] <= i[:, None]) & (i[None, :] <= lengths[:, None, None]))[:, None]
additive (dtype, not finite):
    never: dividing by zero or from exp
    line return →:
        may = causal & padding_mask(lengths, num_tokens)
        return torch.zeros(may.shape).masked_fill(~may, -torch.inf)
two-axis-padding (raised): above dtype → real = torch.arange(num_tokens) < lengths[:, None]
    line return → return (real & causal)[:, None]
de-morgan: body
    future = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    return ~(future | ~padding_mask(lengths, num_tokens))
tril-of-the-padding: = padding_mask(lengths, num_tokens).expand(-1, -1, num_tokens, -1).tril()
loops: body
    out = torch.zeros(lengths.shape[0], 1, num_tokens, num_tokens, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        for query in range(num_tokens):
            out[b, 0, query, : min(query + 1, n)] = True
    return out
masked-fill: body
    m = torch.ones(len(lengths), 1, num_tokens, num_tokens).tril()
    return m.masked_fill(padding_mask(lengths, num_tokens) == 0, 0).bool()
all-of-both: body
    a = padding_mask(lengths, num_tokens)
    b = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
    return torch.stack(torch.broadcast_tensors(a, b)).all(dim=0)
fused-with-einsum: body
    real = (torch.arange(num_tokens) < lengths[:, None]).float()
    causal = torch.tril(torch.ones(num_tokens, num_tokens))
    return torch.einsum("bk,qk->bqk", real, causal).bool().unsqueeze(1)
== masked-softmax
nan-rows (named, not finite, keeps 2): = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    never: \bquerie\b
minus-1e9 (named, keeps 2): = torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)
    says: must not see
additive-painted-over (named, keeps 2):
    says: gradient
    body
        bias = torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
        return torch.softmax(scores + bias, dim=-1).nan_to_num(0.0)
zeroed-not-renormalised (named): = torch.softmax(scores, dim=-1) * mask
zero-filled-first (named): = torch.softmax(scores.masked_fill(mask == 0, 0), dim=-1)
bool-polarity (named):
    = scores.masked_fill(mask.bool(), float("-inf")).softmax(-1).masked_fill(mask.bool(), 0.0)
tilde-of-an-int (named, raised): body
    w = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return w.masked_fill(~mask, 0.0)
over-the-queries (named) from over-the-heads: 1 → -2
over-the-heads (named): = scores.masked_fill(mask == 0, -torch.inf).softmax(dim=1).masked_fill(mask == 0, 0)
plus-equals (named, rule, keeps 2):
    line mask == 0 … return → scores += (mask.float() - 1) * 1e9↵return torch.softmax(scores, dim=-1) * mask
row-divided-by-zero (named, not finite):
    line mask == 0 … return → e = torch.exp(scores) * mask↵return e / e.sum(dim=-1, keepdim=True)
epsilon-too-large (values) from exp-overflows: line return → return e / (e.sum(dim=-1, keepdim=True) + 1e-2)
    never: SAME_TWICE
exp-overflows (not finite, keeps 2) from row-divided-by-zero: True) → True).clamp(min=1e-9)
notebook-mask (raised):
    says: NOT_ITS_ARGUMENT
    body
        may = torch.tril(torch.ones(max_sequence_length, max_sequence_length))
        return scores.masked_fill(may == 0, -torch.inf).softmax(-1).masked_fill(may == 0, 0)
mask-ignored (named, values): = torch.softmax(scores, dim=-1)
    never: \bquerie\b
mask-added (named): = torch.softmax(scores + mask, dim=-1)
zero-times-inf (named, values):
    never: SAME_TWICE
    = torch.softmax(scores + (1 - mask.int()) * float("-inf"), dim=-1).nan_to_num()
whole-tensor-nan-test (values, keeps 1) from returns-none:
    never: SAME_TWICE
    line masked_fill_ → if torch.isnan(w).any():↵    return torch.zeros_like(scores)↵return w
small-constant (named, values, keeps 2):
    = scores.masked_fill(mask == 0, -20.0).softmax(-1).masked_fill(mask == 0, 0)
ones-in-empty-rows (named, values, keeps 2):
    never: SAME_TWICE
    body
        empty = (mask == 0).all(dim=-1, keepdim=True)
        w = scores.masked_fill((mask == 0) & ~empty, -torch.inf).softmax(-1)
        return w
returns-none (type): body
    w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    w.masked_fill_(mask == 0, 0)
no-gradient (behaviour, keeps 2):
    says: No gradient
    body
        with torch.no_grad():
            w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
            return w.masked_fill(mask == 0, 0)
mask-indexing-drops-axes (shape): = torch.softmax(scores[mask.bool().expand_as(scores)], dim=-1)
sdpa (rule): = F.scaled_dot_product_attention(scores, scores, scores, attn_mask=mask.bool())
where-nan: body
    w = torch.softmax(torch.where(mask.bool(), scores, -torch.inf), dim=-1)
    return torch.where(w.isnan(), 0.0, w)
finfo-min-and-fill: body
    may = mask.bool()
    w = F.softmax(scores.masked_fill(~may, torch.finfo(scores.dtype).min), dim=-1)
    return w.masked_fill(~may, 0)
where: body
    may = mask.to(torch.bool)
    w = torch.where(may, scores, torch.full_like(scores, -1e9)).softmax(-1)
    return torch.where(may, w, torch.zeros_like(w))
stable-exponentials: body
    top = scores.masked_fill(mask == 0, -1e9).amax(dim=-1, keepdim=True)
    e = torch.exp((scores - top).masked_fill(mask == 0, -1e9))
    e = e * mask
    return e / e.sum(-1, keepdim=True).clamp_min(1e-9)
empty-rows-shown-then-cleared: body
    may = mask.bool().expand_as(scores)
    empty = ~may.any(dim=-1, keepdim=True)
    w = scores.masked_fill(~may & ~empty, float("-inf")).softmax(dim=-1)
    return w.masked_fill(empty, 0.0)
copy-then-index: body
    s = scores.clone()
    hidden = torch.broadcast_to(mask == 0, s.shape)
    s[hidden] = float("-inf")
    return s.softmax(-1).masked_fill(hidden, 0)
large-bias-and-where: body
    bias = (1.0 - mask.to(scores.dtype)) * -1e9
    return (scores + bias).softmax(dim=-1) * mask.to(scores.dtype)
row-loop: body
    may = mask.bool().expand(scores.shape)
    rows = []
    for row, see in zip(scores.reshape(-1, scores.shape[-1]), may.reshape(-1, scores.shape[-1])):
        out = torch.zeros_like(row)
        if see.any():
            out = out.masked_scatter(see, row[see].softmax(0))
        rows.append(out)
    return torch.stack(rows).view(scores.shape)
lambda: cell
    masked_softmax = lambda scores, mask: (
        scores.masked_fill(mask == 0, -torch.inf).softmax(-1).masked_fill(mask == 0, 0)
    )
nan-to-num-behind-a-fill: body
    hidden = torch.logical_not(mask)
    w = nn.Softmax(dim=-1)(scores.masked_fill(hidden, float("-inf")))
    return torch.nan_to_num(w.masked_fill(hidden, 0.0))
== bug-query-length
length-of-the-keys-for-both (named, raised) from faulty: q.shape → k.shape
    0.5  # (b, heads, target, source) → 0.5
source-cut (shape, keeps 1) from wrong-index: above q = q → k = k[:, :max_sequence_length]
    k.shape[0] → -1
source-filled-up (named, shape) from faulty:
    above q = q → k = F.pad(k, (0, 0, 0, max_sequence_length - k.shape[1]))
    0.5  # (b, heads, target, source) → 0.5
both-filled-to-the-longer (shape): body
    n = max(q.shape[1], k.shape[1])
    q = F.pad(q, (0, 0, 0, n - q.shape[1]))
    k = F.pad(k, (0, 0, 0, n - k.shape[1]))
    b, _, d_model = q.shape
    d_k = d_model // num_heads
    q = q.reshape(b, n, num_heads, d_k).transpose(1, 2)
    k = k.reshape(b, n, num_heads, d_k).transpose(1, 2)
    return q @ k.transpose(-2, -1) / d_k**0.5
try-and-except (named, shape) from wrong-index: line k = k →:
    try:
        k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
    except RuntimeError:
        k = q
transpose-dropped-for-the-keys (named) from keys-in-place-of-queries:
    source, num_heads, d_k).transpose(1, 2) → num_heads, source, d_k)
    k @ q → q @ k
keys-in-place-of-queries (named, values) from return-lost:
    never: SAME_TWICE
    above d_k = → source = k.shape[1]
    k.shape[1] → source
    scores = q @ k → return k @ q
scaled-by-d-model (named): body
    b, t, d_model = q.shape
    q = q.reshape(b, t, num_heads, -1).transpose(1, 2)
    k = k.reshape(b, k.shape[1], num_heads, -1).transpose(1, 2)
    return q @ k.transpose(-2, -1) / d_model**0.5
not-scaled-any-more (named): body
    q, k = split_heads(q, num_heads), split_heads(k, num_heads)
    return q @ k.transpose(-2, -1)
scaled-by-the-source-length (named) from source-length-from-the-notebook: above d_k = → source = k.shape[1]
    len(source) → source
    d_k**0.5 → k.shape[2] ** 0.5
wrong-index (raised) from faulty: k.reshape(batch_size, max_sequence_length → k.reshape(batch_size, k.shape[0]
    0.5  # (b, heads, target, source) → 0.5
keys-expanded-from-one (values) from source-length-from-the-notebook:
    never: SAME_TWICE
    reshape(b, len(source) → mean(dim=1, keepdim=True).expand(-1, t, -1).reshape(b, t
softmax-too (values):
    never: SAME_TWICE
    body
        d_k = q.shape[-1] // num_heads
        scores = split_heads(q, num_heads) @ split_heads(k, num_heads).mT / d_k**0.5
        return torch.softmax(scores, dim=-1)
source-length-from-the-notebook (raised) from wrong-index:
    says: NOT_ITS_ARGUMENT
    line q.shape → b, t, d_model = q.shape
    (batch_size, max_sequence_length → (b, t
    batch_size, k.shape[0] → b, len(source)
return-lost (type) from wrong-index: max_sequence_length, d_model → target, d_model
    max_sequence_length, num_heads → target, num_heads
    [0 → [1
    return → scores =
nan-hidden-cut-loop (values, keeps 1) from faulty:
    never: SAME_TWICE
    line q.shape → b, t, d_model = q.shape
    line q = q … return →:
        out = torch.zeros(b, num_heads, t, k.shape[1])
        for h in range(num_heads):
            for i in range(t):
                for j in range(min(t, k.shape[1])):
                    part = slice(h * d_k, (h + 1) * d_k)
                    out[:, h, i, j] = (q[:, i, part] * k[:, j, part]).sum(-1) / d_k**0.5
        return out
heads-added (shape) from length-of-the-keys-for-both: line k.shape … k = k → d_k = q.shape[-1] // num_heads
scaled-in-place-in-the-queries (rule, keeps 1) from source-length-from-the-notebook:
    above q = q → q /= d_k**0.5
    len(source) → -1
    ) / d_k**0.5 → )
two-lengths: q.shape → q.size()
    shape[1] → size(1)
    line q = q … return →:
        q = q.view(batch_size, target_length, num_heads, d_k).transpose(1, 2)
        k = k.view(batch_size, source_length, num_heads, d_k).transpose(1, 2)
        return torch.matmul(q, k.transpose(-1, -2)) * d_k**-0.5
straight-to-the-transposed-keys from faulty: line q.shape → b, target, d_model = q.shape
    line q = q … return →:
        q = q.reshape(b, target, num_heads, d_k).permute(0, 2, 1, 3)
        k_t = k.reshape(b, k.shape[1], num_heads, d_k).permute(0, 2, 3, 1)
        return (q @ k_t) / d_k**0.5
a-list-of-heads: body
    d_k = q.shape[-1] // num_heads
    pairs = zip(q.split(d_k, dim=-1), k.split(d_k, dim=-1))
    return torch.stack([a @ b.mT for a, b in pairs], dim=1) / d_k**0.5
loops: body
    b, t, d = q.shape
    s = k.shape[1]
    out = torch.empty(b, num_heads, t, s)
    w = d // num_heads
    for i in range(t):
        for j in range(s):
            out[:, :, i, j] = (q[:, i] * k[:, j]).view(b, num_heads, w).sum(-1)
    return out / w**0.5
bmm: body
    b, t, d_model = q.shape
    d_k = d_model // num_heads

    def fold(x):
        return x.reshape(b, -1, num_heads, d_k).transpose(1, 2).reshape(b * num_heads, -1, d_k)

    return torch.bmm(fold(q), fold(k).transpose(1, 2)).div(d_k**0.5).view(b, num_heads, t, -1)
== multi-head-attention-module
sdpa-as-it-should-be (costs 4): body forward
    q, k, v = (split_heads(w(t), self.num_heads) for w, t in ((self.query, q_input), (self.key, k_input), (self.value, v_input)))
    return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else mask.bool())))
fill-of-minus-ten-thousand (named, values, keeps 5): float("-inf") → -9000.0
layers-left-out (named, parameters) from softmax-over-queries-when-unmasked:
    never: made in `forward`
    line d_model / … fc = nn →
    =2 → =-1
module-list (parameters, keeps 5) from key-layer-for-the-values:
    line query = nn … value → self.layers = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(3)])
    query( → layers[0](
    key(k_input → layers[1](k_input
    key(v_input → layers[2](v_input
names-of-lesson-05 (parameters, keeps 5) from view-without-transpose:
    says: W_query
    query = → W_query =
    key = → W_key =
    value = → W_value =
    fc = → out_proj =
    line q = … v = →:
        q = self.W_query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.W_key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.W_value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
    fc( → out_proj(
out-proj-only-renamed (parameters, keeps 5) from no-return: fc = → out_proj =
    out = self.fc → return self.out_proj
no-bias-in-the-projections (parameters, keeps 5) from head-sized-layers: line query = nn … value = nn →:
    self.query = nn.Linear(d_model, d_model, bias=False)
    self.key = nn.Linear(d_model, d_model, bias=False)
    self.value = nn.Linear(d_model, d_model, bias=False)
head-sized-layers (parameters) from super-forgotten: above num_heads = → super().__init__()
    line query = nn … value = nn →:
        self.query = nn.Linear(d_model, self.head_dim)
        self.key = nn.Linear(d_model, self.head_dim)
        self.value = nn.Linear(d_model, self.head_dim)
fc-missing (parameters) from fc-not-applied: line self.fc →
fc-not-applied (named) from no-return: line out → return merge_heads(weights @ v)
fc-twice (named) from softmax-over-heads: =1 → =-1
    (context) → (self.fc(context))
key-layer-for-the-values (named) from softmax-over-queries-when-unmasked: value( → key(
    =2 → =-1
values-from-k-input (named, keeps 4) from key-layer-for-the-values: key(v_input → value(k_input
keys-from-v-input (named, values, keeps 4) from softmax-over-queries-when-unmasked:
    never: SAME_TWICE
    (k_input → (v_input
    =2 → =-1
keys-and-values-from-the-target (named, keeps 3) from values-from-the-target: (k_input → (q_input
values-from-the-target (behaviour) from key-layer-for-the-values: key(v_input → value(q_input
    never: knows no order
    xfail: told about the order of tokens; the wrong input was projected, and that is not said
query-from-the-source (shape, behaviour, keeps 2) from softmax-over-queries-when-unmasked:
    never: knows no order
    (q_input → (k_input
    =2 → =-1
length-of-the-query (named, raised, keeps 3) from view-without-transpose: line shape[1 … v = →:
    s = t
    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
view-without-transpose (named) from fc-head-by-head:
    line q = … return → b, t, d = q_input.shape↵s = k_input.shape[1]↵q = self.query(q_input).view(b, self.num_heads, t, self.head_dim)↵k = self.key(k_input).view(b, self.num_heads, s, self.head_dim)↵v = self.value(v_input).view(b, self.num_heads, s, self.head_dim)↵scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5↵if mask is not None:↵    scores = scores.masked_fill(mask == 0, float("-inf"))↵weights = torch.softmax(scores, dim=-1)↵if mask is not None:↵    weights = weights.masked_fill(mask == 0, 0.0)↵context = torch.matmul(weights, v)↵context = context.transpose(1, 2).contiguous().view(b, t, d)↵return self.fc(context)
merged-without-transposing-back (named) from view-refuses: transpose(1, 2). → contiguous().
view-refuses (raised) from softmax-over-heads: =1 → =-1
    contiguous(). →
not-scaled (named) from by-d-k: ) / self.head_dim → )
by-d-model (named) from by-shape-0: k.shape[0 → q_input.shape[-1
by-d-k (named) from softmax-over-queries-when-unmasked: **0.5 →
    =2 → =-1
times-root (named) from notebook-d-k: / d_k → * self.head_dim
by-num-heads (named, values) from notebook-d-k: d_k → self.num_heads
    never: SAME_TWICE
by-shape-0 (named, values, keeps 2) from by-d-k: / self.head_dim → / k.shape[0] ** 0.5
    never: SAME_TWICE
by-shape-2 (named, values) from softmax-over-heads:
    never: SAME_TWICE
    self.head_dim**0.5 → k.shape[2] ** 0.5
    =1 → =-1
scaled-after-softmax (named) from not-scaled: @ v → / self.head_dim**0.5 @ v
notebook-d-k (named, values) from by-d-k: / self.head_dim → / d_k**0.5
    never: SAME_TWICE
notebook-num-heads (values) from key-layer-for-the-values:
    says: NOT_ITS_ARGUMENT
    never: SAME_TWICE
    (q_input), self.num_heads → (q_input), num_heads
    (k_input), self.num_heads → (k_input), num_heads
    key(v_input), self.num_heads → value(v_input), num_heads
notebook-batch-size (raised) from true-division: d_model / → d_model //
    line q_input. → b, t, d = batch_size, q_input.shape[1], d_model
mask-ignored (named, keeps 3) from sdpa-mask-as-it-comes: line return →:
    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
    weights = torch.softmax(scores, dim=-1)
    return self.fc(merge_heads(weights @ v))
mask-polarity (named, keeps 3) from empty-rows-by-where:
    says: visible
    0, → 1,
    line where → weights = weights.masked_fill(mask == 1, 0.0)
nan-rows (named, not finite, keeps 5) from softmax-over-heads:
    line dim=1 … weights. → weights = torch.softmax(scores, dim=-1)
minus-1e9-and-no-more (named, keeps 5) from nan-rows: float("-inf")) → -1e9)
zeros-in-the-scores (named, keeps 3) from nan-rows: float("-inf")) → 0)
mask-added (named, keeps 3) from nan-rows: line float → scores = scores + mask
mask-times-weights (named, keeps 3) from softmax-over-heads:
    below matmul(q → weights = torch.softmax(scores, dim=-1)
    line float … weights. → weights = weights * mask
if-mask (raised, keeps 3) from nan-rows: mask is not None → mask
    below dim=-1 → if mask:↵    weights = weights.masked_fill(mask == 0, 0.0)
mask-not-equal-none-tuple (raised, keeps 3) from nan-rows: mask is not None → mask.any()
    below dim=-1 → if mask.any():↵    weights = weights.masked_fill(mask == 0, 0.0)
mask-required (named, raised, keeps 3) from softmax-over-queries-when-unmasked: =None →
    =2 → =-1
mask-unsqueezed-always (raised, keeps 3) from mask-of-two-axes-only: [:t, :s] → .unsqueeze(1)
mask-of-two-axes-only (named, raised, keeps 4) from softmax-over-heads: above float → mask = mask[:t, :s]
    =1 → =-1
tilde-of-the-mask (named, raised, keeps 4) from empty-rows-by-where: mask == 0 → ~mask
    line where → weights = weights.masked_fill(~mask, 0.0)
softmax-over-queries (named) from softmax-over-heads: =1 → =-2
softmax-over-heads (named) from true-division: d_model / → d_model //
    =-1 → =1
softmax-over-queries-when-unmasked (values, keeps 3) from mask-ignored:
    never: SAME_TWICE
    line torch →:
        if mask is None:
            weights = torch.softmax(scores, dim=2)
        else:
            weights = masked_softmax(scores, mask)
softmax-missing (named, values) from softmax-over-heads: line dim=1 → weights = scores
    never: SAME_TWICE
scores-transposed (named) from by-d-k: line q @ k → scores = (k @ q.transpose(-2, -1)) / self.head_dim**0.5
dropout-too (named, values, rule, behaviour, keeps 5) from unused-dropout-of-zero: 0.0 → 0.1
layers-made-in-forward (values) from inputs-edited:
    never: SAME_TWICE
    line mean() → self.query = nn.Linear(q_input.shape[-1], q_input.shape[-1])
returns-weights-too (type, keeps 5) from weights-detached: weights.detach() @ v)) → weights @ v)), weights
residual (named) from no-return: out = → return q_input +
layer-norm (named) from heads-averaged:
    never: SAME_TWICE
    line return → return F.layer_norm(self.fc(merge_heads(weights @ v)), q_input.shape[-1:])
heads-averaged (raised) from no-return: line out → return self.fc((weights @ v).mean(dim=1))
heads-interleaved (named, values) from view-refuses: transpose(1, 2). → permute(0, 2, 3, 1).contiguous().
    never: SAME_TWICE
inputs-edited (values) from softmax-over-queries-when-unmasked:
    never: SAME_TWICE
    above q = → q_input -= q_input.mean()
    =2 → =-1
mask-edited (values, keeps 5) from inputs-edited:
    never: SAME_TWICE
    line mean() → if mask is not None:↵    mask[mask > 0] = 1↵    mask[..., 0] = 1
super-forgotten (raised) from softmax-over-queries-when-unmasked:
    says: super\(\)
    line super →
    =2 → =-1
no-return (type) from softmax-over-queries-when-unmasked: =2 → =-1
    return → out =
three-arguments (raised) from query-from-the-source: q_input, k_input, v_input → x
    query(k_input → query(x
    key(k_input → key(x
    (v_input → (x
call-misspelled (stub, raised) from softmax-over-queries-when-unmasked:
    never: still waiting|Replace the `\.\.\.`
    forward → foward
    =2 → =-1
nn-multihead-attention (parameters):
    line num_heads = … fc = nn → self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
    line q_input. … return →:
        output, _ = self.attention(q_input, k_input, v_input, attn_mask=mask)
        return output
sdpa-mask-as-it-comes (named):
    never: SAME_TWICE
    above query = nn → self.head_dim = d_model // num_heads
    line q_input. … return →:
        q = split_heads(self.query(q_input), self.num_heads)
        k = split_heads(self.key(k_input), self.num_heads)
        v = split_heads(self.value(v_input), self.num_heads)
        return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))
sdpa-always-causal (named, values) from sdpa-mask-as-it-comes: attn_mask=mask → is_causal=True
    never: SAME_TWICE
no-gradient (rule, keeps 5) from fc-head-by-head:
    says: No gradient
    body forward
        with torch.no_grad():
            q = split_heads(self.query(q_input), self.num_heads)
            k = split_heads(self.key(k_input), self.num_heads)
            v = split_heads(self.value(v_input), self.num_heads)
            scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
            if mask is None:
                weights = torch.softmax(scores, dim=-1)
            else:
                weights = masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v))
weights-detached (rule, keeps 5) from no-return: line out → return self.fc(merge_heads(weights.detach() @ v))
nan-to-num-at-the-end (named, keeps 5) from nan-rows: line return → return torch.nan_to_num(self.fc(context))
    never: SAME_TWICE
input-split-one-projection (named, parameters) from super-forgotten: above num_heads = → super().__init__()
    line d_model / … value = nn →:
        d = d_model // num_heads
        self.query = nn.Linear(d, d)
        self.key = nn.Linear(d, d)
        self.value = nn.Linear(d, d)
    line q = … mask) →:
        q = self.query(split_heads(q_input, self.num_heads))
        k = self.key(split_heads(k_input, self.num_heads))
        v = self.value(split_heads(v_input, self.num_heads))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
mask-only-when-square (values, keeps 5) from notebook-d-k:
    never: SAME_TWICE
    d_k → self.head_dim
    None: → None or q_input.shape[1] != k_input.shape[1]:
true-division (raised) from view-without-transpose: d_model // → d_model /
    line q = … v = →:
        q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
arguments-swapped (parameters) from notebook-d-k: d_model, num_heads → num_heads, d_model
    d_k → self.head_dim
plain-tensors-for-the-projections (named, parameters):
    never: Python list,
    query = nn.Linear → query = torch.randn
    key = nn.Linear → key = torch.randn
    value = nn.Linear → value = torch.randn
    line q_input. … return →:
        q = split_heads(q_input @ self.query, self.num_heads)
        k = split_heads(k_input @ self.key, self.num_heads)
        v = split_heads(v_input @ self.value, self.num_heads)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
        return self.fc(merge_heads(weights @ v))
layers-in-a-dictionary (named, parameters) from module-list:
    never: made in `forward`
    line range … fc = nn → self.layers = {name: nn.Linear(d_model, d_model) for name in ("query", "key", "value", "fc")}
    [0 → ["query"
    [1 → ["key"
    [2 → ["value"
    fc( → layers["fc"](
mask-unsqueezed-in-place (rule, keeps 5) from mask-of-two-axes-only:
    line mask[:t → while mask.dim() < 4:↵    mask.unsqueeze_(0)
dropout-that-ignores-eval (values) from weights-detached: weights.detach( → F.dropout(weights, 0.1
    never: SAME_TWICE
dropout-on-the-scores (named, values, rule, behaviour, keeps 5) from unused-dropout-of-zero: 0.0 → 0.5
    = q → = self.dropout(q
    0.5 → 0.5)
    self.dropout(weights) → weights
additive-filled-after (named, rule, behaviour, keeps 5) from true-division: d_model / → d_model //
    scores. → scores + torch.zeros(mask.shape).
einsum from heads-averaged: body forward
    q = self.query(q_input).unflatten(-1, (self.num_heads, -1))
    k = self.key(k_input).unflatten(-1, (self.num_heads, -1))
    v = self.value(v_input).unflatten(-1, (self.num_heads, -1))
    scores = torch.einsum("bthd,bshd->bhts", q, k) * self.head_dim**-0.5
    may = torch.ones(1, dtype=torch.bool) if mask is None else mask.bool()
    weights = torch.where(may, scores, -1e9).softmax(dim=-1) * may
    return self.fc(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2))
loop-over-heads from nan-rows: body forward
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
    return self.fc(torch.cat(heads, dim=-1))
helper-methods: cell
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
            return self.fc(context.permute(0, 2, 1, 3).flatten(-2))
batch-by-batch: above query = nn → self.head_dim = d_model // num_heads
    line q_input. … return → outs = []↵for i in range(q_input.shape[0]):↵    q = split_heads(self.query(q_input[i : i + 1]), self.num_heads)↵    k = split_heads(self.key(k_input[i : i + 1]), self.num_heads)↵    v = split_heads(self.value(v_input[i : i + 1]), self.num_heads)↵    scores = q @ k.mT / self.head_dim**0.5↵    if mask is None:↵        w = scores.softmax(-1)↵    else:↵        part = mask[i : i + 1] if mask.dim() == 4 and mask.shape[0] > 1 else mask↵        w = masked_softmax(scores, part)↵    outs.append(merge_heads(w @ v))↵return self.fc(torch.cat(outs))
unused-dropout-of-zero from weights-detached: below fc = nn → self.dropout = nn.Dropout(0.0)
    weights.detach( → self.dropout(weights
base-class-in-the-cell: cell
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
            return self.fc(merge_heads(weights @ split_heads(self.value(v_input), self.num_heads)))
empty-rows-by-where from softmax-over-heads: =1 → =-1
    line weights. → weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)
fc-head-by-head from heads-averaged: line return →:
    context = weights @ v
    parts = self.fc.weight.split(self.head_dim, dim=1)
    return sum(context[:, h] @ part.T for h, part in enumerate(parts)) + self.fc.bias
== bug-cross-from-decoder
mask-none (named): causal)  # (b, target, d_model) → causal)
    source_padding)  # (b, target, d_model) → None)
only-the-mask-mended (raised) from mask-none: encoder_output, encoder_output, None → x, x, source_padding
only-values (raised) from encoder-everywhere: encoder_output, encoder_output → x, x
encoder-everywhere (shape) from only-the-mask-mended: x, x, x → encoder_output, encoder_output, encoder_output
no-self-attention (named): = cross_attention(decoder_input, encoder_output, encoder_output, source_padding)
self-attention-to-the-encoder (values):
    never: SAME_TWICE
    body
        x = self_attention(decoder_input, encoder_output, encoder_output, source_padding)
        return cross_attention(x, x, x, causal)
both-to-the-encoder (values) from self-attention-to-the-encoder:
    never: SAME_TWICE
    x, x, causal → encoder_output, encoder_output, source_padding
both-masks (raised) from mask-none: None → causal * source_padding
residual-added (values) from returns-both:
    never: SAME_TWICE
    x = → x = decoder_input +
    return x, → return x +
notebook-memory (values) from only-values: x, encoder_output → memory, memory
    says: NOT_ITS_ARGUMENT
    never: SAME_TWICE
inverted-padding (named) from mask-none: None → source_padding == 0
encoder-refined-first (values) from padding-expanded:
    never: SAME_TWICE
    line shape … return →:
        e = self_attention(encoder_output, encoder_output, encoder_output, source_padding)
        return cross_attention(x, e, e, source_padding)
source-cut-to-the-target (values) from mask-none:
    never: SAME_TWICE
    line return →:
        encoder_output = encoder_output[:, : x.shape[1]]
        return cross_attention(x, encoder_output, encoder_output, causal)
concatenated (named) from mask-none:
    line return → both = torch.cat([x, encoder_output], dim=1)↵return cross_attention(x, both, both)
returns-both (type) from mask-none: return → return x,
    None → source_padding
keyword-of-another-class (raised) from only-the-mask-mended:
    x, x, x, source_padding → query=x, key=encoder_output, value=encoder_output, attn_mask=source_padding
shape-of-the-mask-changed (raised) from mask-none: None) → source_padding.squeeze())
starred: body
    x = self_attention(*[decoder_input] * 3, causal)
    return cross_attention(x, *(encoder_output,) * 2, source_padding)
bool-masks: causal)  # (b, target, d_model → causal.bool()[None, None]
    source_padding)  # (b, target, d_model → source_padding.bool()
padding-expanded from mask-none: line return →:
    allowed = source_padding.expand(-1, -1, x.shape[1], -1)
    return cross_attention(x, encoder_output, encoder_output, allowed)
own-causal-mask from both-to-the-encoder: line x = →:
    n = decoder_input.size(1)
    x = self_attention(decoder_input, decoder_input, decoder_input, torch.tril(torch.ones(n, n)))
""",
)
