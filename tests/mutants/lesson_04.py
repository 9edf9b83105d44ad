"""Answers to lesson 04 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "04-dropout"
TASKS = read(
    LESSON,
    r'''
== apply-dropout
masked-fill-the-kept (named): x * kept → x.masked_fill(kept, 0)
always-doubled (named, values, keeps 1): = torch.where(kept, 2 * x, 0)
minus-infinity (named, not finite): x * kept → x.masked_fill(~kept, float("-inf"))
    never: dividing by zero
rows-made-to-sum-to-one (named, not finite): line return → y = x * kept↵return y / y.sum(dim=-1, keepdim=True)
rows-made-to-sum-to-one-safely (named, values):
    line return → y = x * kept↵return y / (y.sum(dim=-1, keepdim=True) + 1e-9)
layer-on-top (named, values): line return → layer = nn.Dropout(p)↵return layer(x * kept)
    never: never filled in
edits-x-with-an-operator (named, rule, keeps 1): line return → x *= kept↵x /= 1 - p↵return x
masked-fill-discarded (named, values): line return → y = x / (1 - p)↵y.masked_fill(~kept, 0.0)↵return y
one-plus-p (named, values): body
    bigger = x + x * p
    return bigger.masked_fill(~kept, 0.0)
x-and-p-swapped (named, type, shape, not finite, values): x, kept, p → p, kept, x
p-times-one-minus (named, values): line return → scale = 1 / 1 - p↵return x * kept * scale
subtracts-a-mask (raised): x * kept → (x - (1 - kept))
whole-numbers (values): x * kept → (x * kept).int()
    never: never filled in
divided-by-zero-mask (named, not finite): = x / (kept * (1 - p))
where-zeros-like: = torch.where(kept, x, torch.zeros_like(x)).div(1.0 - p)
masked-fill: = x.masked_fill(~kept, 0) * (1 / (1 - p))
masked-fill-logical-not: body
    dropped = torch.logical_not(kept)
    scaled = torch.div(x, 1 - p)
    return scaled.masked_fill_(dropped, 0.0)
clone-then-in-place: line return → y = x.clone()↵y[~kept] = 0.0↵y /= 1 - p↵return y
into-zeros: line return → out = torch.zeros_like(x)↵out[kept] = x[kept] / (1 - p)↵return out
loop-over-flat: body
    out = []
    for a, k in zip(x.flatten(), kept.flatten()):
        out.append(a / (1 - p) if k else a * 0)
    return torch.stack(out).reshape(x.shape)
lambda: line def … return → apply_dropout = lambda x, kept, p: kept.float() * x / (1 - p)
typed-and-guarded: def apply_dropout(x: torch.Tensor, kept: torch.Tensor, p: float = 0.5) -> torch.Tensor:
    if not 0 <= p < 1:
        raise ValueError("p must be in [0, 1)")
    keep_prob = 1.0 - p
    return x * kept.type_as(x) / keep_prob
numpy-and-back: above → import numpy as np
    line return → y = np.where(kept.numpy(), x.numpy() / (1 - p), 0.0)↵return torch.from_numpy(y).float()
masked-scatter: = torch.zeros_like(x).masked_scatter(kept, x[kept] / (1 - p))
recursion: body
    if x.dim() == 0:
        return x / (1 - p) if kept else torch.zeros(())
    return torch.stack([apply_dropout(a, k, p) for a, k in zip(x, kept)])
== dropout-by-hand
not-rescaled (named, rule, behaviour, keeps 1):
    line torch … kept, → mask = torch.rand(x.shape) > p↵return x * mask
keeps-and-divides-by-p (named, not finite, rule, behaviour, keeps 1): >= p → < p
    apply_dropout(x, kept, p) → x * kept / p
scaled-in-eval (named, values, keeps 2): return x → return x * (1 - p)
old-papers (named, values, behaviour) from divided-in-eval: x = → return
    x / → x *
divided-in-eval (named, values, behaviour, keeps 2):
    line if not … kept, → if training:↵    x = x * (torch.rand(x.shape) >= p)↵return x / (1 - p)
one-number-for-all (named, rule, behaviour, keeps 1) from edits-x: above → import random
    line torch → if random.random() < p:↵    return torch.zeros_like(x)
mask-of-the-figure (raised, values): line torch →
    says: NOT_ITS_ARGUMENT
own-generator-seeded-inside (named, rule, behaviour): line torch … kept, →:
    g = torch.Generator().manual_seed(0)
    mask = (torch.rand(x.shape, generator=g) > p).float()
    return x * mask / (1.0 - p)
mask-drawn-once (named, rule, behaviour):
    never: seed is set inside
    above → drawn = {}
    line torch … kept, →:
        if x.shape not in drawn:
            drawn[x.shape] = torch.rand(x.shape)
        return apply_dropout(x, drawn[x.shape] >= p, p)
six-by-six (raised, shape, behaviour):
    line if not … kept, → if training:↵    mask = torch.rand(6, 6) >= p↵    return x * mask / (1 - p)↵return x
edits-x (named, rule, behaviour, keeps 2):
    line torch … kept, → x[torch.rand(x.shape) < p] = 0↵return x / (1 - p)
default-false (named, rule, behaviour, keeps 1): True → False
    line torch … kept, → return apply_dropout(x, torch.rand(x.shape) >= p, p)
layer-always-trains (named, values, rule, behaviour):
    line if not … kept, → layer = nn.Dropout(p)↵return layer(x)
shape-not-unpacked (raised): .shape →
mask-alone (named, values, rule, behaviour, keeps 1):
    line torch … kept, → return (torch.rand(x.shape) >= p) / (1 - p)
bernoulli-of-p (named, rule, behaviour, keeps 1): training: → training or p == 0:
    line torch … kept, → mask = torch.bernoulli(torch.full_like(x, p))↵return x * mask / (1 - p)
drawn-twice (named, values, rule, behaviour, keeps 1): line torch … kept, →:
    x = x * (torch.rand(x.shape) >= p) / (1 - p)
    return x * (torch.rand(x.shape) >= p) / (1 - p)
rounded-draw (named, values, behaviour, keeps 1):
    never: never filled in
    ) >= p → ).round()
    apply_dropout(x, kept, → x * kept / (1 -
noise-added (values, rule, behaviour, keeps 1): line torch … kept, → return x + torch.randn(x.shape) * p
ready-made (forbidden): = F.dropout(x, p, training)
    says: ready-made|by hand|yourself
one-mask-for-all-sentences (named, rule, behaviour, keeps 1): shape → shape[-2:]
    apply_dropout(x, kept, → x * kept / (1 -
below-the-share-kept: not training → training is False
    line torch … kept, → q = 1 - p↵return torch.where(torch.rand(x.shape) < q, x / q, 0.0)
bernoulli: training: → training or p == 0.0:
    line torch … kept, → mask = torch.bernoulli(torch.full(x.shape, 1 - p))↵return mask * x / (1 - p)
bernoulli-in-place-on-a-fresh-tensor:
    line torch … kept, → mask = torch.empty_like(x).bernoulli_(1 - p)↵return x * mask.div_(1 - p)
python-random: above → import random
    line torch … kept, →:
        flat = [v / (1 - p) if random.random() >= p else v * 0 for v in x.reshape(-1)]
        return torch.stack(flat).reshape(x.shape)
numpy-random: above → import numpy as np
    kept = torch.rand( → mask = np.random.rand(*
    apply_dropout(x, kept, → x * torch.from_numpy(np.asarray(mask)) / (1 -
numpy-generator: above → import numpy as np↵↵rng = np.random.default_rng()
    line torch … kept, → mask = torch.tensor(rng.random(tuple(x.shape)) >= p)↵return apply_dropout(x, mask, p)
torch-generator-outside: above → generator = torch.Generator()↵generator.manual_seed(123)
    line torch … kept, → return apply_dropout(x, torch.rand(x.shape, generator=generator) >= p, p)
lambda: cell
    dropout = lambda x, p, training=True: x * (torch.rand(x.shape) >= p) / (1 - p) if training else x
object-that-is-called: cell
    class Dropout:
        def __call__(self, x, p, training=True):
            return apply_dropout(x, self.draw(x, p), p) if training else x

        @staticmethod
        def draw(x, p):
            return torch.rand(*x.shape).ge(p)

    dropout = Dropout()
uniform: body
    if not training: return x
    u = torch.zeros_like(x).uniform_(0, 1)
    out = x / (1 - p)
    out[u < p] = 0
    return out
double: line def → def dropout(x: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
    line torch … kept, →:
        keep = (torch.rand(x.shape, dtype=torch.float64) >= p).double()
        return (x.double() * keep / (1.0 - p)).to(x.dtype)
loop-over-rows: training: → training or x.dim() == 0:
    line torch … kept, →:
        rows = []
        for row in x:
            rows.append(apply_dropout(row, torch.rand(row.shape) >= p, p))
        return torch.stack(rows)
== batched-scores
viewed-not-transposed (named): line return → b, n, d = keys.shape↵return queries @ keys.view(b, d, n)
scaled (named): = queries @ keys.mT / keys.shape[-1] ** 0.5
softmaxed (named, values): = torch.softmax(queries @ keys.mT, dim=-1)
masked (named, not finite, values):
    never: dividing by zero
    body
        scores = queries @ keys.transpose(1, 2)
        n = scores.shape[-1]
        return scores.masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)
elementwise (named, shape): = (queries * keys).sum(-1)
first-keys-for-all (named, values): = torch.stack([q @ keys[0].T for q in queries])
tensordot (named, shape): = torch.tensordot(queries, keys, dims=([2], [2]))
einsum-swapped (named): = torch.einsum("bqd,bkd->bkq", queries, keys)
einsum-mixes-sentences (named, values): = torch.einsum("bqd,ckd->bqk", queries, keys)
einsum-sums-the-batch (named, shape): = torch.einsum("bqd,bkd->qk", queries, keys)
six-tokens-two-sentences (raised, shape, keeps 1): body
    scores = torch.zeros(2, 6, 6)
    for b in range(2):
        scores[b] = queries[b] @ keys[b].T
    return scores
flattened (named, shape): body
    q = queries.reshape(-1, queries.shape[-1])
    k = keys.reshape(-1, keys.shape[-1])
    return q @ k.T
keys-with-keys (named, values): queries @ → keys @
queries-with-queries (named): = queries @ queries.transpose(-2, -1)
from-the-notebook (named, shape): queries @ keys → W_query(batch) @ W_key(batch)
bmm-without-transpose (raised): = torch.bmm(queries, keys)
    says: without any transpose|is a transpose
scaled-by-tokens (named, values): = queries @ keys.mT / keys.shape[1]
three-loops: body
    b, n, d = queries.shape
    scores = torch.empty(b, n, n)
    for s in range(b):
        for i in range(n):
            for j in range(n):
                scores[s, i, j] = torch.dot(queries[s, i], keys[s, j])
    return scores
broadcasting: = (queries[:, :, None, :] * keys[:, None, :, :]).sum(dim=-1)
matmul-swapaxes: cell
    batched_scores = lambda queries, keys: torch.matmul(queries, keys.swapaxes(1, 2))
double: def batched_scores(q, k):
    return (q.double() @ k.double().adjoint()).to(torch.float32)
baddbmm: body
    b, n, _ = queries.shape
    zeros = torch.zeros(b, n, keys.shape[1])
    return torch.baddbmm(zeros, queries, keys.transpose(1, 2))
vmap: line def … return → def one(q, k):↵    return q @ k.T↵↵batched_scores = torch.vmap(one)
diagonal-of-the-tensordot: body
    everything = torch.tensordot(queries, keys, dims=([2], [2]))  # (b, q, b, k)
    return everything.diagonal(dim1=0, dim2=2).permute(2, 0, 1)
linear-by-sentence: def batched_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    out = []
    for i in range(queries.size(0)):
        out.append(F.linear(queries[i], keys[i]).unsqueeze(0))
    return torch.cat(out, dim=0)
== causal-attention
fused-and-causal (costs 3): body forward
    q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.dropout.p if self.training else 0.0)
fill-of-minus-ten-thousand (named, values, keeps 4): -torch.inf → -9000.0
softmax-over-the-queries (named) from one-place-ahead-seen: =2 → =1
    =-1 → =1
softmax-over-the-batch (named, not finite, values) from softmax-over-the-queries: dim=1 → dim=0
not-scaled (named, keeps 3) from scaled-by-d: attn_scores / keys.shape[-1] → attn_scores
scaled-by-d (named, keeps 3) from softmax-over-the-queries: [-1] ** 0.5, dim= → [-1], dim=-
scaled-by-d-in (named, keeps 3) from scaled-by-d: keys.shape[-1] → d_in**0.5
scaled-by-tokens (named, values, keeps 3) from scaled-by-d: [-1] → [1] ** 0.5
multiplied-by-the-root (named, keeps 3) from scaled-by-d-in: / d_in**0.5 → * keys.shape[-1] ** 0.5
scaled-after-softmax (named) from not-scaled: -1) → -1) / keys.shape[-1] ** 0.5
queries-and-keys-swapped (named, keeps 3) from length-checked: line assert →
    queries @ keys → keys @ queries
key-layer-for-the-values (named) from finfo-min: W_value( → W_key(
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
weights-times-the-input (named, shape) from one-place-ahead-seen: =2 → =1
    @ values → @ x
no-mask (named) from one-place-ahead-seen: =2 → =1
    line bool() →
past-hidden (named) from tril-used-as-true-where-hidden: context_length) → context_length), diagonal=-1
own-place-hidden (named, not finite) from one-place-ahead-seen: , diagonal=2 →
one-place-ahead-seen (named, values) from first-sentence-alone: =1 → =2
    line x[0:1 … x.shape → b, num_tokens, d_in = x.shape
tril-used-as-true-where-hidden (named, not finite) from own-place-hidden: triu → tril
masked-with-zero (named) from one-place-ahead-seen: =2 → =1
    -torch.inf → 0
masked-with-plus-infinity (named, not finite) from masked-with-zero: , 0 → , torch.inf
ones-and-zeros-added (named, values) from masked-with-plus-infinity:
    line bool() → attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]
zero-times-infinity (named, not finite) from ones-and-zeros-added: num_tokens] → num_tokens] * -torch.inf
    never: exponentials so large
weights-zeroed-afterwards (named) from finfo-min: line finfo →
    (attn_weights) → (attn_weights * (1 - self.mask[:num_tokens, :num_tokens]))
masked-after-softmax-with-infinity (named, not finite) from finfo-min: line finfo →
    below dim=-1 → attn_weights.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
mask-not-cut (named, keeps 4) from masked-with-zero: [:num_tokens, :num_tokens], 0 → , -torch.inf
mask-cut-at-the-wrong-end (named, values, keeps 4) from length-checked: line assert →
    :num_tokens, → -num_tokens:,
tokens-counted-on-the-wrong-axis (raised) from first-sentence-alone:
    line x[0:1 … x.shape → num_tokens = x.shape[0]
mask-a-plain-attribute (named, raised, parameters, behaviour, keeps 4) from buffer-not-saved:
    register_buffer("mask", → mask =
    , persistent=False) →
mask-a-parameter (named, parameters, behaviour, keeps 4) from buffer-not-saved:
    never: does not name
    register_buffer("mask", torch → mask = nn.Parameter(torch
    , persistent=False →
buffer-not-saved (named, behaviour, keeps 4) from one-place-ahead-seen: =2) → =1), persistent=False
dropout-on-the-masked-scores (named, not finite, behaviour, keeps 4) from dropout-forgotten:
    never: 30 % of the entries
    above dim=-1 → attn_scores = self.dropout(attn_scores)
dropout-on-the-context (named, behaviour, keeps 4) from dropout-forgotten: body forward
    b, num_tokens, d_in = x.shape
    keys = self.W_key(x)
    queries = self.W_query(x)
    values = self.W_value(x)

    attn_scores = queries @ keys.transpose(1, 2)
    attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)


    context_vec = self.dropout(attn_weights @ values)
    return context_vec
dropout-in-two-places (named, behaviour, keeps 4) from length-checked: line assert →
    line context_vec = → context_vec = self.dropout(attn_weights @ values)
dropout-on-the-values (named, behaviour, keeps 4) from dropout-on-the-context:
    line values) → context_vec = attn_weights @ self.dropout(values)
dropout-twice (named, behaviour, keeps 4) from weights-kept-for-later:
    line detach → attn_weights = self.dropout(attn_weights)
dropout-forgotten (named, behaviour, keeps 4) from length-checked: line assert →
    line dropout( →
dropout-by-hand-never-stops (named, behaviour, keeps 3) from dropout-made-in-forward:
    line Dropout → attn_weights = dropout(attn_weights, self.p)
dropout-made-in-forward (named, behaviour, keeps 4) from dropout-a-number: dropout = → p =
    = self.dropout → = nn.Dropout(self.p)
dropout-always-half (named, behaviour, keeps 4) from finfo-min: (dropout → (0.5
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
dropout-of-the-rest (named, behaviour, keeps 4) from dropout-always-half: (0.5 → (1 - dropout
kept-weights-renormalised (named, not finite, behaviour, keeps 4) from weights-kept-for-later: line detach →
    below dropout( → attn_weights = attn_weights / attn_weights.sum(dim=-1, keepdim=True)
whole-features-dropped (named, behaviour, keeps 4) from dropout-always-half: Dropout(0.5 → Dropout1d(dropout
dropout-a-number (raised) from dropout-always-half: nn.Dropout(0.5) → dropout
bias-always (named, parameters, keeps 4) from one-layer-shared: line W_query = nn … W_value = nn →:
    self.W_query = nn.Linear(d_in, d_out, bias=True)
    self.W_key = nn.Linear(d_in, d_out, bias=True)
    self.W_value = nn.Linear(d_in, d_out, bias=True)
bias-never (named, parameters, behaviour, keeps 4) from one-layer-shared: line W_query = nn … W_value = nn →:
    self.W_query = nn.Linear(d_in, d_out, bias=False)
    self.W_key = nn.Linear(d_in, d_out, bias=False)
    self.W_value = nn.Linear(d_in, d_out, bias=False)
sizes-swapped (raised, parameters) from sizes-of-the-example:
    W_query = nn.Linear(3, 2 → W_query = nn.Linear(d_out, d_in
    W_key = nn.Linear(3, 2 → W_key = nn.Linear(d_out, d_in
    W_value = nn.Linear(3, 2 → W_value = nn.Linear(d_out, d_in
sizes-of-the-example (raised, parameters, keeps 1) from one-layer-shared:
    W_query = nn.Linear(d_in, d_out → W_query = nn.Linear(3, 2
    W_key = self.W_query → W_key = nn.Linear(3, 2, bias=qkv_bias)
    W_value = nn.Linear(d_in, d_out → W_value = nn.Linear(3, 2
layers-otherwise-named (parameters, keeps 3) from length-checked: W_query = → query =
    W_key = → key =
    W_value = → value =
    line assert … W_value(x) → keys = self.key(x)↵queries = self.query(x)↵values = self.value(x)
parameters-not-layers (parameters, keeps 4) from super-forgotten: above self.d_out → super().__init__()
    line W_query = nn … W_value = nn →:
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
    line W_key(x) … W_value(x) → keys = x @ self.W_key↵queries = x @ self.W_query↵values = x @ self.W_value
layers-of-the-notebook (named, values, rule) from length-checked:
    says: NOT_ITS_ARGUMENT
    line assert … W_value(x) → keys = W_key(x)↵queries = W_query(x)↵values = W_value(x)
batch-of-the-notebook (raised, values) from finfo-min: W_query(x → W_query(batch
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
turned-with-T (named, raised) from finfo-min: transpose(1, 2) → T
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
first-sentence-alone (named, shape) from multihead-with-the-weights: below super → self.d_out = d_out
    ones → triu(torch.ones
    .triu(1).bool()) → , diagonal=1))
    line dim=-1 … return → x = x[0:1]↵num_tokens = x.shape[1]↵keys = self.W_key(x)↵queries = self.W_query(x)↵values = self.W_value(x)↵↵attn_scores = queries @ keys.transpose(1, 2)↵attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)↵attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)↵attn_weights = self.dropout(attn_weights)↵↵context_vec = attn_weights @ values↵return context_vec
edits-x (named, values, rule) from finfo-min: below x.shape → x -= x.mean()
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
mends-x-in-place (named, raised, rule, keeps 4) from length-checked:
    line assert → x.nan_to_num_()↵x.mul_(1.0)↵x[:] = x.clone()
    above return → x.zero_()
weights-come-along (type, keeps 4) from result-detached: .detach() → , attn_weights
returns-the-weights (named, shape) from return-forgotten: below context_vec → return attn_weights
return-forgotten (type) from one-place-ahead-seen: =2 → =1
    line return →
super-forgotten (raised) from one-place-ahead-seen: line super →
    =2 → =1
no-module (raised, type, parameters) from super-forgotten: (nn.Module) →
fused-without-causal (named, values) from length-checked: line assert →
    line transpose → return F.scaled_dot_product_attention(queries, keys, values)
fused-with-polarity-turned (named, not finite, values) from fused-without-causal: line keys, →:
    mask = self.mask[:num_tokens, :num_tokens].bool()
    p = self.dropout.p if self.training else 0.0
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, dropout_p=p)
fixed-at-six-tokens (named, raised, shape, values, behaviour, keeps 3) from mask-as-a-byte-tensor:
    never: training mode: The size
    context_length, context_length, dtype=torch.uint8 → 6, 6
nan-hidden (named, values) from own-place-hidden:
    line context_vec = → context_vec = torch.nan_to_num(attn_weights) @ values
row-sums-instead-of-softmax (named, values) from masked-with-plus-infinity: line bool() … dim=-1 →:
    attn_scores = attn_scores * (1 - self.mask[:num_tokens, :num_tokens])
    attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)
output-layer-added (parameters) from sentences-averaged: d_out = d_out → out_proj = nn.Linear(d_out, d_out)
    line keepdim → context_vec = self.out_proj(attn_weights @ values)
mask-of-1024-always (named, behaviour, keeps 4) from fixed-at-six-tokens: 6, 6 → 1024, 1024
mask-of-the-notebook (raised, values, keeps 1) from mask-not-cut: self.mask.bool() → hidden
    says: NOT_ITS_ARGUMENT
no-gradients (named, rule, keeps 4) from length-checked: line assert →
    below dropout( → attn_weights = attn_weights.detach()
result-detached (named, rule, keeps 4) from return-forgotten: below context_vec → return context_vec.detach()
layers-made-in-forward (named, parameters, values, rule, behaviour) from length-checked:
    line assert → self.W_key = nn.Linear(d_in, self.d_out, bias=False)
one-layer-shared (named, parameters, values) from length-checked: line W_key = nn → self.W_key = self.W_query
    line assert →
eval-sets-p-to-zero (named, behaviour, keeps 4) from inherits: Projections( → CausalAttention(
    bias): → context_length, dropout, qkv_bias=False):
    line W_query = nn … W_value = nn →:
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))
    line def qkv … mask" → def eval(self):↵    self.dropout.p = 0.0↵    return super().eval()
    line q, k … scores) →:
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
sentences-laid-end-to-end (raised, shape) from mask-not-cut:
    line transpose → attn_scores = (queries.reshape(-1, self.d_out) @ keys.reshape(-1, self.d_out).T)
keys-viewed (named, values, keeps 2) from turned-with-T: T → view(b, -1, num_tokens)
sentences-averaged (named, values, behaviour, keeps 1) from length-checked: line assert →
    = attn_weights → = attn_weights.mean(0, keepdim=True)
tril-equals-zero from own-place-hidden: triu → tril
    attn_scores.masked_fill_(self.mask.bool() → attn_scores = attn_scores.masked_fill(self.mask
    ], -torch.inf) → ] == 0, float("-inf"))
additive-mask from ones-and-zeros-added: triu(torch.ones → full(
    diagonal= → -torch.inf).triu(
with-where from finfo-min: line finfo →:
    m = self.mask[:num_tokens, :num_tokens] > 0
    attn_scores = torch.where(m, torch.tensor(-torch.inf, device=x.device), attn_scores)
finfo-min from masked-with-zero: 0) → torch.finfo(attn_scores.dtype).min)
bmm-and-helpers: cell
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
        return torch.arange(n)[None, :] > torch.arange(n)[:, None]
token-by-token from turned-with-T: line keys.T →:
    out = []
    for i in range(num_tokens):
        s = (keys[:, : i + 1] @ queries[:, i, :, None]).squeeze(-1)
        w = self.dropout(torch.softmax(s / self.d_out**0.5, dim=-1))
        out.append((w[:, :, None] * values[:, : i + 1]).sum(dim=1))
    return torch.stack(out, dim=1)
float64-inside from weights-kept-for-later: attn_scores / → attn_scores.double() /
    self.last_weights → attn_weights
    detach( → to(values.dtype
own-exponentials from weights-kept-for-later: line dim=-1 … detach →:
    attn_scores = attn_scores / self.d_out**0.5
    e = torch.exp(attn_scores - attn_scores.max(dim=-1, keepdim=True).values)
    attn_weights = e / e.sum(dim=-1, keepdim=True)
functional-dropout from dropout-made-in-forward:
    line Dropout → attn_weights = F.dropout(attn_weights, p=self.p, training=self.training)
own-batched-scores from scaled-by-d: queries @ keys.transpose(1, 2 → batched_scores(queries, keys
    keys.shape[-1] → torch.sqrt(torch.tensor(self.d_out))
scaled-before-the-mask from not-scaled:
    line transpose → attn_scores = queries @ keys.transpose(-1, -2)↵attn_scores /= self.d_out**0.5
length-checked from edits-x: line x.mean → assert num_tokens <= self.mask.shape[0], 'sentence too long'
weights-kept-for-later from length-checked: line assert →
    below dim=-1 → self.last_weights = attn_weights.detach()
mask-as-a-byte-tensor from length-checked: ), diagonal → , dtype=torch.uint8), diagonal
    line assert →
inherits: cell
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
            return self.drop(scores) @ v
multihead-with-the-weights:
    line diagonal … bool() → self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())
    line x.shape … return →:
        qkv = torch.cat([self.W_query(x), self.W_key(x), self.W_value(x)], dim=-1)
        q, k, v = qkv.unflatten(-1, (3, -1)).unbind(dim=-2)
        q, k, v = (t[:, None] for t in (q, k, v))  # one head
        n = x.shape[1]
        scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        scores = scores.masked_fill(self.mask[None, None, :n, :n], -torch.inf)
        return (self.dropout(scores.softmax(-1)) @ v).flatten(1, 2)
== bug-seed-order
seed-without-its-argument (named, values, rule, behaviour): line seed) →:
    """The values of a random batch; the same seed gives the same numbers.

    Shapes:
        returns: (batch_size, num_tokens, d_out)
    """
    torch.seed()
layer-before-batch (named, values) from layer-of-the-notebook:
    above randn → W_value = nn.Linear(d_in, d_out, bias=False)
python-seed (named, values, rule, behaviour) from seed-without-its-argument:
    never: No seed is set any more
    above → import random
    torch.seed( → random.seed(seed
seed-and-batch-outside (named, raised, shape, values) from no-grad:
    line no_grad → torch.manual_seed(123)↵random_batch = torch.randn(4, 10, 16)↵
    line randn →
cached (named, values, rule, behaviour) from no-grad: line no_grad → from functools import cache↵↵@cache
    above seed) → random_batch = torch.randn(batch_size, num_tokens, d_in)  # (b, tokens, d_in)
    line randn →
returns-the-layer (type) from seed-without-its-argument: seed( → manual_seed(seed
    (random_batch) →
returns-both (type) from returns-the-layer: W_value  # → random_batch, W_value(random_batch)  #
layer-of-the-notebook (raised, shape, values) from seed-without-its-argument: seed( → manual_seed(seed
    line False →
functional from returns-the-layer: W_value  # → F.linear(random_batch, W_value.weight)  #
no-grad from seed-without-its-argument: above def → @torch.no_grad()
    seed( → manual_seed(seed
forked-properly: body
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        x = torch.randn((batch_size, num_tokens, d_in))
        layer = nn.Linear(d_in, d_out, bias=False)
        return layer(x)
helpers: above → def draw(seed, *size):↵    torch.manual_seed(seed)↵    return torch.randn(*size)
    line seed) … return →:
        x = draw(seed, batch_size, num_tokens, d_in)
        return nn.Linear(in_features=d_in, out_features=d_out, bias=False)(x)
lambda: cell
    seeded_values = lambda seed, b, n, d_in, d_out: (
        torch.manual_seed(seed),
        (lambda x: nn.Linear(d_in, d_out, bias=False)(x))(torch.randn(b, n, d_in)),
    )[1]
seed-on-every-device from no-grad: line no_grad →
    above seed) → torch.cuda.manual_seed_all(seed)
== bug-mask-device
cuda (raised): x.device → "cuda"
scores-to-the-cpu (named, behaviour, keeps 1): , device=x.device →
    .masked_fill → .cpu().masked_fill
mask-left-out (named, values) from scores-to-the-cpu: line cpu() →
buffer-of-six (named, raised, behaviour, keeps 1):
    below W_value = nn → self.register_buffer("mask", torch.ones(6, 6).triu(1).bool())
    line bool() → hidden = self.mask[:num_tokens, :num_tokens]
context-length-added (raised) from buffer-of-six: d_out) → d_out, context_length)
    6, 6 → context_length, context_length
transpose-mended-wrongly (named, values, keeps 2): queries @ keys → keys @ queries
tril-instead (named, not finite): ).triu(diagonal=1 → ).tril(
scale-on-cpu (named, behaviour, keeps 1):
    never: mask is still made
    / keys → / torch.tensor([keys
    0.5 → 0.5])
subclass-of-the-faulty (named): line class … return → class PortableAttention(AsFound):↵    pass
ones-like: ones(num_tokens, num_tokens, device=x.device → ones_like(attn_scores
new-ones: line bool() → hidden = x.new_ones(num_tokens, num_tokens).triu(1) > 0
    0.5 → (1 / 2)
type-as: , device=x.device).triu(diagonal= → ).type_as(x).triu(
subclass-mended: cell
    class PortableAttention(AsFound):
        def forward(self, x):
            q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
            s = q @ k.mT / k.size(-1) ** 0.5
            n = s.size(-1)
            s = s + torch.full((n, n), float("-inf"), device=s.device).triu(1)
            return s.softmax(-1) @ v
root-kept: below W_value = nn → self.scale = d_out**-0.5
    / keys.shape[-1] ** 0.5 → * self.scale
context-manager: line bool() →:
    with torch.device(x.device):
        hidden = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
== bug-eval-dropout
layer-in-forward (named, behaviour): line F.dropout → attn_weights = nn.Dropout(self.p)(attn_weights)
eval-sets-p-to-zero (named, behaviour) from subclass-mended:
    never: in eval mode and should be
    line class → class DropoutAttention(nn.Module):↵    def __init__(self, d_in, d_out, dropout):↵        super().__init__()↵        self.W_query = nn.Linear(d_in, d_out, bias=False)↵        self.W_key = nn.Linear(d_in, d_out, bias=False)↵        self.W_value = nn.Linear(d_in, d_out, bias=False)↵        self.p = dropout↵↵    def eval(self):↵        self.p = 0.0↵        return super().eval()↵
    line W_key … return →:
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)  # (b, tokens, tokens)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = F.dropout(attn_weights, self.p)
        return attn_weights @ values
mode-not-called (raised): .training → .train
seeded-in-eval (named, values) from faulty: below torch → if not self.training:↵    torch.manual_seed(0)
no-grad-is-taken-for-eval (named, values, behaviour): self.training) → torch.is_grad_enabled())
layer-of-half (named, behaviour, keeps 2): p = dropout → dropout = nn.Dropout(0.5)
    line F.dropout → attn_weights = self.dropout(attn_weights)
on-the-scores (named, behaviour, keeps 2): p = dropout → dropout = nn.Dropout(dropout)
    = queries → = self.dropout(queries
    )  # (b → ))  # (b
    line F.dropout →
on-the-context (named, behaviour, keeps 2):
    line F.dropout … return → return F.dropout(attn_weights @ values, self.p, self.training)
no-factor (named, behaviour, keeps 2) from if-training:
    line F.dropout → attn_weights = attn_weights * (torch.rand_like(attn_weights) >= self.p)
scaled-in-eval (named, values, behaviour) from if-training:
    above return → else:↵    attn_weights = attn_weights * (1 - self.p)
if-training: line F.dropout → if self.training:↵    attn_weights = F.dropout(attn_weights, self.p)
p-times-mode: p, training=self → p * self
sequential: p = dropout → weigh = nn.Sequential(nn.Softmax(dim=-1), nn.Dropout(dropout))
    line torch … F.dropout → attn_weights = self.weigh(attn_scores / keys.shape[-1] ** 0.5)
subclass-mended: cell
    class DropoutAttention(AsFoundToo):
        def forward(self, x):
            q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
            w = (q @ k.mT * k.size(-1) ** -0.5).softmax(-1)
            return F.dropout(w, p=self.p, training=self.training) @ v
by-hand from if-training: line F.dropout →:
    kept = torch.rand_like(attn_weights) >= self.p
    attn_weights = apply_dropout(attn_weights, kept, self.p)
''',
)
