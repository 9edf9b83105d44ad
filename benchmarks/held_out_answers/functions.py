"""Small tasks of all lessons: functions and a few tensors."""

from benchmarks.held_out_answers.table import read

HELD_OUT = read(
    r"""
== 01-dot-product dot-product
zip: cell
    def dot(a, b):
        result = 0.0
        for p, q in zip(a, b):
            result += p * q
        return result
overwritten-in-loop: result += p → result = p
added-for-multiplied: p * q → p + q
return-inside-loop: ↵return → ↵return
one-vector-twice: p * q → p * p
sum-not-from-zero: result = 0.0 → result = 1.0
range and a list: cell
    def dot(a, b):
        n = a.shape[0]
        products = [a[i] * b[i] for i in range(n)]
        return sum(products)
loop-stops-early: range(n) → range(n - 1)
loop-starts-late: range(n) → range(1, n)
products-not-added: sum(products) → torch.stack(products)
sizes-typed-in: a.shape[0] → 3
mean-for-sum: sum(products) → sum(products) / n
product-of-sums: sum(products) → sum(a) * sum(b)
== 01-dot-product softmax-naive
one line: cell
    def softmax_naive(x):
        return torch.exp(x) / torch.exp(x).sum(dim=0)
not-normalised: / torch.exp(x).sum(dim=0) →
mean-for-sum: .sum( → .mean(
divided-by-sum-of-scores: torch.exp(x).sum(dim=0) → x.sum(dim=0)
other-base: torch.exp( →2 torch.exp2(
exp-of-sum: torch.exp(x).sum(dim=0) → torch.exp(x.sum(dim=0))
scores-above-the-line: return torch.exp(x) → return x
in place on a copy: cell
    def softmax_naive(x):
        y = x.clone()
        y.exp_()
        total = sum(y)
        y /= total
        return y
edits-its-argument: x.clone() → x
not-normalised: line y / →
shares-of-raw-scores: line y.exp_ →
fraction-upside-down: y /= total → y = total / y
subtracted-for-divided: y /= total → y -= total
== 01-dot-product softmax-stable
max of dim: cell
    def softmax_stable(x):
        m, _ = torch.max(x, dim=0)
        e = (x - m).exp()
        s = e.sum()
        return e.div(s)
exp-overflows: x - m → x
shift-added: x - m → x + m
shift-as-division: x - m → x / m
shifted-by-other-number: torch.max(x, dim=0) → torch.min(x, dim=0)
not-normalised: e.div(s) → e
shifted-on-one-side: s = e → s = x.exp()
log-sum-exp: cell
    def softmax_stable(x):
        c = x.detach().max()
        return torch.exp(x - c - torch.log(torch.sum(torch.exp(x - c))))
exp-overflows: x.detach().max() → 0
shifted-by-other-number: x.detach().max() → x.mean()
clamped: line max() → c = 0↵x = x.clamp(-80, 80)
log-softmax: line return → return x - c - torch.log(torch.sum(torch.exp(x - c)))
== 01-dot-product scores-loops
lists: cell
    def scores_with_loops(x):
        rows = []
        for q in x:
            rows.append(torch.stack([(q * k).sum() for k in x]))
        return torch.stack(rows)
reads-the-notebook: for q in x → for q in inputs
    for k in x → for k in inputs
loop-stops-early: in x: → in x[:-1]:
products-not-added: (q * k).sum() for → (q * k) for
added-for-multiplied: q * k → q + k
one-query-only: line return → return rows[1]
mean-for-sum: .sum() → .mean()
an upper half that is mirrored: cell
    def scores_with_loops(x):
        n = len(x)
        out = x.new_zeros((n, n))
        for i in range(n):
            for j in range(i, n):
                out[i, j] = dot(x[i], x[j])
                out[j, i] = out[i, j]
        return out
one-half-only: line out[j →
row-overwritten: out[i, j] = dot( → out[i] = dot(
wrong-query: dot(x[i], x[j]) → dot(x[1], x[j])
diagonal-only: range(i, n) → range(i, i + 1)
own-score-left-out: range(i, n) → range(i + 1, n)
== 01-dot-product all-weights
a method: cell
    attn_weights = attn_scores.softmax(1)
softmax-over-queries: softmax(1) → softmax(0)
scaled-unasked: attn_scores. → (attn_scores / 3**0.5).
log-softmax: .softmax( → .log_softmax(
softmax-twice: softmax(1) → softmax(1).softmax(1)
by hand: cell
    exps = torch.exp(attn_scores)
    attn_weights = exps / exps.sum(axis=1, keepdims=True)
softmax-over-queries: axis=1 → axis=0
not-normalised: exps / exps.sum(axis=1, keepdims=True) → exps
softmax-over-everything: exps.sum(axis=1, keepdims=True) → exps.sum()
shares-of-raw-scores: torch.exp(attn_scores) → attn_scores
== 01-dot-product simple-attention
einsum: cell
    def simple_attention(x):
        s = torch.einsum("id,jd->ij", x, x)
        p = s.softmax(dim=1)
        return torch.einsum("ij,jd->id", p, x)
softmax-over-queries: dim=1 → dim=0
no-softmax: s.softmax(dim=1) → s
weights-returned: line return → return p
residual-added: return torch → return x + torch
reads-the-notebook: p, x) → p, inputs)
scaled-unasked: s.softmax → (s / x.shape[-1] ** 0.5).softmax
a loop: cell
    def simple_attention(x):
        result = torch.empty_like(x)
        for i, query in enumerate(x):
            weights = torch.softmax(x @ query, 0)
            result[i] = (weights.unsqueeze(1) * x).sum(0)
        return result
no-softmax: torch.softmax(x @ query, 0) → x @ query
mean-for-sum: .sum(0) → .mean(0)
one-query-for-all: x @ query → x @ x[1]
edits-its-argument: torch.empty_like(x) → x
exp-overflows: torch.softmax(x @ query, 0) → (x @ query).exp() / (x @ query).exp().sum()
== 02-trainable scaled-weights
two steps: cell
    scaled = attn_scores_2.div(d_k**0.5)
    attn_weights_2 = nn.functional.softmax(scaled, dim=0)
no-scale: .div(d_k**0.5) →
scaled-up: .div( → .mul(
scaled-without-root: d_k**0.5 → d_k
scaled-by-input-width: d_k** → d_in**
scaled-by-tokens: d_k** → len(inputs)**
== 02-trainable score-spread
a conditional scale: cell
    def score_spread(queries, keys, scaled):
        width = queries.size(1)
        scale = width**-0.5 if scaled else 1.0
        return (torch.mm(queries, keys.t()) * scale).std()
condition-turned: if scaled → if not scaled
variance-for-deviation: .std() → .var()
condition-ignored: width**-0.5 if scaled else 1.0 → width**-0.5
scaled-without-root: **-0.5 → **-1
scaled-by-tokens: size(1) → size(0)
deviation-uncorrected: .std() → .std(unbiased=False)
one-number-per-row: .std() → .std(dim=-1)
scaled-up: **-0.5 → **0.5
einsum: cell
    def score_spread(queries, keys, scaled):
        s = torch.einsum("qd,kd->qk", queries, keys)
        s = s / keys.shape[1] ** 0.5 if scaled is True else s
        return torch.std(s)
condition-turned: is True → is False
root-by-precedence: ** 0.5 → ** 1 / 2
wrong-statistic: torch.std → torch.mean
keys-as-queries: queries, keys) → keys, keys)
scale-typed-in: keys.shape[1] → 512
not-reduced: line return → return s
mean-of-deviations: torch.std(s) → torch.std(s, dim=1).mean()
== 02-trainable how-far-apart
functional: cell
    def largest_difference(first, second, x):
        return torch.max(torch.abs(first(x) - second(x)))
sign-kept: torch.abs(first(x) - second(x)) → first(x) - second(x)
mean-for-largest: torch.max → torch.mean
abs-too-late: torch.max(torch.abs( → torch.abs(torch.max(
added-not-subtracted: - second → + second
sum-for-largest: torch.max → torch.sum
compared-with-itself: second(x) → first(x)
not-reduced: return torch.max → return
in steps: cell
    def largest_difference(first, second, x):
        a = first(x)
        b = second(x)
        gap = (a - b).abs()
        return gap.flatten().max(dim=0).values
sign-kept: .abs() →
norm-for-largest: gap.flatten().max(dim=0).values → gap.norm()
squared-for-abs: .abs() → .square()
function-not-called: b = second(x) → b = x
one-number-per-row: gap.flatten().max(dim=0).values → gap.amax(dim=-1)
smallest-for-largest: .max(dim=0) → .min(dim=0)
difference-of-largest: (a - b).abs() → (a.max() - b.max()).abs()
abs-too-early: (a - b) → (abs(a) - abs(b))
== 02-trainable copy-weights
new parameters: cell
    def copy_weights(v2, v1):
        for name in ["W_query", "W_key", "W_value"]:
            weight = getattr(v2, name).weight
            setattr(v1, name, nn.Parameter(weight.detach().T.clone()))
        return v1
shares-memory: .T.clone() → .T
weight-not-turned: .T.clone() → .clone()
layer-forgotten: , "W_value"] → ]
wrong-object-returned: return v1 → return v2
reshaped-not-turned: .T.clone() → .clone().reshape(weight.shape[1], -1)
frozen: .T.clone()) → .T.clone(), requires_grad=False)
data: cell
    def copy_weights(v2, v1):
        v1.W_query.data = v2.W_query.weight.data.t().clone()
        v1.W_key.data = v2.W_key.weight.data.t().clone()
        v1.W_value.data = v2.W_value.weight.data.t().clone()
        return v1
layer-forgotten: line v1.W_value →
weight-not-turned: .t() →3
shares-memory: .clone() →3
keys-as-values: v2.W_value.weight → v2.W_key.weight
returns-nothing: line return →
projections-swapped: v2.W_query.weight → v2.W_key.weight
    v2.W_key.weight → v2.W_query.weight
== 03-causal causal-mask
positions: cell
    def causal_mask(num_tokens):
        i = torch.arange(num_tokens)
        return i.unsqueeze(0) > i.unsqueeze(1)
diagonal-hidden: ) > i → ) >= i
past-hidden: ) > i → ) < i
not-boolean: i.unsqueeze(0) > i.unsqueeze(1) → (i.unsqueeze(0) > i.unsqueeze(1)).float()
only-next-token-hidden: > i.unsqueeze(1) → == i.unsqueeze(1) + 1
diagonal-too-far: > i.unsqueeze(1) → > i.unsqueeze(1) + 1
not tril: cell
    def causal_mask(num_tokens):
        seen = torch.tril(torch.ones((num_tokens, num_tokens), dtype=torch.bool))
        return ~seen
mask-polarity: ~seen → seen
past-hidden: torch.tril → torch.triu
sizes-typed-in: (num_tokens, num_tokens) → (6, 6)
only-itself-visible:
    torch.tril(torch.ones((num_tokens, num_tokens), dtype=torch.bool)) → torch.eye(num_tokens, dtype=torch.bool)
== 03-causal renormalise
a method: cell
    row_sums = masked_simple.sum(1)
    masked_simple_norm = masked_simple.div(row_sums.unsqueeze(1))
sums-without-keepdim: row_sums.unsqueeze(1) → row_sums
divided-by-largest: .sum(1) → .amax(1)
columns-normalised: .sum(1) → .sum(0)
    .unsqueeze(1) → .unsqueeze(0)
softmax-of-shares: masked_simple.div(row_sums.unsqueeze(1)) → masked_simple.softmax(1)
multiplied-by-sum: .div( → .mul(
divided-by-total: .sum(1) → .sum().expand(6)
a loop: cell
    masked_simple_norm = torch.stack([row / row.sum() for row in masked_simple])
divided-by-count: row.sum() → (row > 0).sum()
divided-by-total: row.sum() → masked_simple.sum()
divided-by-largest: row.sum() → row.max()
fraction-upside-down: row / row.sum() → row.sum() / row
== 03-causal mask-before-softmax
steps: cell
    hidden = torch.triu(torch.ones_like(attn_scores), diagonal=1) > 0
    scaled = attn_scores / d_k**0.5
    causal_attn_weights = scaled.masked_fill(hidden, float("-inf")).softmax(dim=-1)
no-scale: / d_k**0.5 →
scaled-without-root: d_k**0.5 → d_k
softmax-over-queries: dim=-1 → dim=0
past-hidden: torch.triu( → torch.tril(
    diagonal=1 → diagonal=-1
mask-polarity: (hidden, → (~hidden,
mask-fills-zero: float("-inf") → 0.0
diagonal-hidden: , diagonal=1 →
edits-its-argument: line d_k**0.5 → scaled = attn_scores.div_(d_k**0.5)
mask-after-softmax:
    masked_fill(hidden, float("-inf")).softmax(dim=-1) → softmax(dim=-1).masked_fill(hidden, 0.0)
where: cell
    triangle = torch.tril(torch.ones(6, 6)).bool()
    minus_inf = torch.tensor(-torch.inf)
    causal_attn_weights = torch.softmax(torch.where(triangle, attn_scores, minus_inf) * d_k**-0.5, dim=1)
scaled-up: d_k**-0.5 → d_k**0.5
no-scale: * d_k**-0.5 →
mask-fills-small: -torch.inf → -2.0
mask-polarity: triangle, attn_scores, minus_inf → triangle, minus_inf, attn_scores
past-hidden: torch.tril → torch.triu
softmax-over-queries: dim=1 → dim=0
diagonal-too-far: torch.ones(6, 6)) → torch.ones(6, 6), 1)
no-mask: torch.where(triangle, attn_scores, minus_inf) → attn_scores
== 03-causal leak-detector
one hot steps: cell
    def future_leaks(attention, x):
        n = len(x)
        base = attention(x)
        found = torch.zeros(n, n).bool()
        for j in range(n):
            moved = x + torch.eye(n, dtype=x.dtype)[j].unsqueeze(1)
            delta = (attention(moved) - base).abs().max(dim=1).values
            found[:, j] = delta > 1e-5
        return found.triu(1)
itself-counts-as-leak: triu(1) → triu()
past-counts-as-leak: found.triu(1) → found
past-for-future: triu(1) → tril(-1)
threshold-too-coarse: 1e-5 → 1e-1
sign-kept: .abs() →
columns-cancel: .abs().max(dim=1).values → .sum(dim=1).abs()
compared-exactly: > 1e-5 → > 0
transposed-result: line return → return found.triu(1).T
last-token-only: range(n) → [n - 1]
two loops: cell
    def future_leaks(attention, x):
        T = x.shape[0]
        result = torch.zeros((T, T), dtype=torch.bool)
        for j in range(1, T):
            y = x.clone()
            y[j, :] = y[j, :] - 1.0
            before, after = attention(x), attention(y)
            for i in range(j):
                result[i, j] = bool(((before[i] - after[i]).abs() > 1e-5).any())
        return result
edits-its-argument: x.clone() → x
from-here-on: y[j, :] = y[j, :] - 1.0 → y[j:] = y[j:] - 1.0
change-may-do-nothing: y[j, :] = y[j, :] - 1.0 → y[j, :] = 0.0
next-token-only: range(j) → [j - 1]
transposed-result: result[i, j] → result[j, i]
itself-counts-as-leak: range(j) → range(j + 1)
first-column-only: (before[i] - after[i]) → (before[i, 0] - after[i, 0])
any-output-counts: (before[i] - after[i]) → (before - after)
== 03-causal causal-attention-by-hand
an added mask: cell
    def causal_attention(queries, keys, values):
        n, d = keys.shape
        bias = torch.full((n, n), float("-inf"), dtype=queries.dtype).triu(1)
        attn = torch.softmax(queries @ keys.T / d**0.5 + bias, dim=1)
        return attn @ values
no-scale: / d**0.5 →
scaled-without-root: d**0.5 → d
softmax-over-queries: dim=1 → dim=0
no-mask: + bias →
scaled-by-value-width: d**0.5 → values.shape[1] ** 0.5
diagonal-too-far: triu(1) → triu(2)
mask-added: float("-inf") → 1.0
scores-turned: queries @ keys.T → keys @ queries.T
past-hidden: .triu(1) → .tril(-1)
keys-as-values: attn @ values → attn @ keys
a growing prefix: cell
    def causal_attention(queries, keys, values):
        rows = []
        for i in range(len(queries)):
            s = keys[: i + 1] @ queries[i] / keys.size(1) ** 0.5
            rows.append(s.softmax(0) @ values[: i + 1])
        return torch.stack(rows)
no-scale: / keys.size(1) ** 0.5 →
scaled-by-tokens: size(1) → size(0)
no-mask: [: i + 1] →2
keys-as-queries: queries[i] → keys[i]
scaled-after-softmax: / keys.size(1) ** 0.5 →
    s.softmax(0) → (s.softmax(0) / keys.size(1) ** 0.5)
no-softmax: s.softmax(0) → s
queries-as-keys: keys[: → queries[:
== 04-dropout apply-dropout
where: cell
    def apply_dropout(x, kept, p):
        scale = 1 / (1 - p)
        return torch.where(kept, x * scale, torch.zeros_like(x))
dropout-not-rescaled: x * scale → x
divided-by-p: (1 - p) → p
multiplied-by-kept-share: 1 / (1 - p) → 1 - p
kept-and-dropped-swapped: (kept, → (~kept,
dropped-not-zeroed: torch.zeros_like(x) → x
dropout-renormalised: return torch.where → return (lambda y: y / y.sum(-1, keepdim=True))(torch.where
    zeros_like(x)) → zeros_like(x)))
masked fill: cell
    def apply_dropout(x, kept, p):
        return x.masked_fill(kept.logical_not(), 0.0).div(1.0 - p)
dropout-not-rescaled: .div(1.0 - p) →
kept-and-dropped-swapped: kept.logical_not() → kept
edits-its-argument: masked_fill( → masked_fill_(
multiplied-by-kept-share: .div( → .mul(
boolean-index-flattens: x.masked_fill(kept.logical_not(), 0.0) → x[kept]
brackets-missing: .div(1.0 - p) → .div(1.0) - p
dropout-typed-in: 1.0 - p → 0.5
only-rescaled: .masked_fill(kept.logical_not(), 0.0) →
== 04-dropout dropout-by-hand
bernoulli: cell
    def dropout(x, p, training=True):
        if training and p > 0:
            keep = torch.bernoulli(torch.full_like(x, 1 - p))
            return x.mul(keep).div(1 - p)
        return x
p-as-share-kept: full_like(x, 1 - p) → full_like(x, p)
dropout-not-rescaled: .div(1 - p) →
divided-by-p: div(1 - p) → div(p)
dropout-in-eval: training and p > 0 → p > 0
dropout-same-each-time: keep = → torch.manual_seed(0)↵keep =
dropout-typed-in: full_like(x, 1 - p) → full_like(x, 0.5)
modes-swapped: if training → if not training
edits-its-argument: x.mul( → x.mul_(
dropped-together: torch.full_like(x, 1 - p) → torch.full_like(x[..., :1], 1 - p)
dropout-rescaled-twice: .div(1 - p) → .div((1 - p) ** 2)
rand like: cell
    def dropout(x, p, training=True):
        if not training:
            return x
        mask = (torch.rand_like(x) > p).float()
        return mask * x / (1.0 - p)
kept-and-dropped-swapped: > p → < p
dropout-not-rescaled: / (1.0 - p) →
other-distribution: rand_like → randn_like
divided-by-counted-share: (1.0 - p) → mask.mean()
rescaled-in-eval: return x → return x / (1.0 - p)
dropout-in-eval: if not training: → if False:
dropout-renormalised:
    mask * x / (1.0 - p) → mask * x * x.sum(-1, keepdim=True) / (mask * x).sum(-1, keepdim=True)
== 04-dropout batched-scores
einsum: cell
    def batched_scores(queries, keys):
        return torch.einsum("bqd,bkd->bqk", queries, keys)
scores-turned: ->bqk → ->bkq
queries-as-keys: bqk", queries, keys → bqk", queries, queries
scaled-unasked: return torch → return keys.shape[-1] ** -0.5 * torch
dimensions-for-tokens: "bqd,bkd->bqk" → "btq,btk->bqk"
first-sequence-for-all: "bqd,bkd->bqk", queries → "bqd,bkd->bqk", queries[:1].expand_as(queries)
bmm: cell
    def batched_scores(queries, keys):
        return torch.bmm(queries, keys.permute(0, 2, 1))
keys-reshaped: keys.permute(0, 2, 1) → keys.reshape(len(keys), keys.shape[2], -1)
step-too-many: return torch.bmm → return torch.softmax(torch.bmm
    1)) → 1)), dim=-1)
scores-turned: torch.bmm(queries, keys.permute(0, 2, 1)) → torch.bmm(keys, queries.permute(0, 2, 1))
== 05-multi-head split-heads
chunk: cell
    def split_heads(x, num_heads):
        return torch.stack(x.chunk(num_heads, dim=-1), dim=1)
heads-not-brought-forward: dim=1) → dim=2)
tokens-split: dim=-1), dim=1) → dim=1), dim=1)
permute: cell
    def split_heads(x, num_heads):
        batch, length, width = x.size()
        return x.reshape(batch, length, num_heads, width // num_heads).permute(0, 2, 1, 3)
heads-not-brought-forward: .permute(0, 2, 1, 3) →
heads-typed-in: num_heads, width // num_heads) → 2, width // 2)
wrong-axes-swapped: permute(0, 2, 1, 3) → permute(0, 2, 3, 1)
split-without-transpose:
    (batch, length, num_heads, width // num_heads).permute(0, 2, 1, 3) → (batch, num_heads, length, width // num_heads)
split-interleaved:
    num_heads, width // num_heads).permute(0, 2, 1, 3) → width // num_heads, num_heads).permute(0, 3, 1, 2)
== 05-multi-head merge-heads
permute and flatten: cell
    def merge_heads(context):
        return context.permute(0, 2, 1, 3).flatten(start_dim=2)
merge-interleaved: permute(0, 2, 1, 3) → permute(0, 2, 3, 1)
heads-added: .permute(0, 2, 1, 3).flatten(start_dim=2) → .sum(1)
joined-along-wrong-axis: .permute(0, 2, 1, 3).flatten(start_dim=2) → .flatten(1, 2)
merge-without-transpose:
    .permute(0, 2, 1, 3).flatten(start_dim=2) → .reshape(context.shape[0], context.shape[2], -1)
a loop over heads: cell
    def merge_heads(context):
        pieces = []
        for h in range(context.size(1)):
            pieces.append(context[:, h])
        return torch.cat(pieces, dim=2)
joined-along-wrong-axis: torch.cat(pieces, dim=2) → torch.cat(pieces, dim=1)
heads-not-joined: torch.cat(pieces, dim=2) → torch.stack(pieces, dim=2)
merge-interleaved: torch.cat(pieces, dim=2) → torch.stack(pieces, dim=3).flatten(2)
heads-added: torch.cat(pieces, dim=2) → sum(pieces)
heads-typed-in: range(context.size(1)) → range(2)
heads-in-reverse: torch.cat(pieces, → torch.cat(pieces[::-1],
== 05-multi-head copy-into-fused
slices: cell
    def copy_into_fused(wrapper, fused):
        with torch.no_grad():
            for h, head in enumerate(wrapper.heads):
                size = head.W_query.out_features
                rows = slice(h * size, (h + 1) * size)
                fused.W_query.weight[rows] = head.W_query.weight
                fused.W_key.weight[rows] = head.W_key.weight
                fused.W_value.weight[rows] = head.W_value.weight
            nn.init.eye_(fused.out_proj.weight)
            nn.init.zeros_(fused.out_proj.bias)
        return fused
out-proj-not-set: line init.eye_ →
layer-forgotten: line fused.W_value →
keys-as-values: head.W_value.weight → head.W_key.weight
wrong-object-returned: return fused → return wrapper
returns-nothing: line return →
overwritten-in-loop: slice(h * size, (h + 1) * size) → slice(0, size)
heads-in-reverse: enumerate(wrapper.heads) → enumerate(reversed(wrapper.heads))
merge-interleaved: slice(h * size, (h + 1) * size) → slice(h, None, len(wrapper.heads))
== 06-encoder-decoder bug-query-length
unflatten: cell
    def cross_scores(q, k, num_heads):
        q, k = (t.unflatten(2, (num_heads, -1)).transpose(1, 2) for t in (q, k))
        return torch.matmul(q, k.mT) / q.size(-1) ** 0.5
no-scale: / q.size(-1) ** 0.5 →
scaled-by-heads: q.size(-1) → q.size(1)
scaled-without-root: ** 0.5 →
scores-turned: torch.matmul(q, k.mT) → torch.matmul(k, q.mT)
scaled-by-tokens: q.size(-1) → q.size(2)
split-interleaved: (num_heads, -1)).transpose(1, 2) → (-1, num_heads)).permute(0, 3, 1, 2)
== 06-encoder-decoder padding-mask
repeat: cell
    def padding_mask(lengths, num_tokens):
        b = lengths.shape[0]
        index = torch.arange(num_tokens).repeat(b, 1)
        return (index < lengths.view(-1, 1)).view(b, 1, 1, num_tokens)
mask-polarity: index < → index >=
padding-boundary: index < → index <=
not-boolean: .view(b, 1, 1, → .float().view(b, 1, 1,
padding-on-the-left: index < → num_tokens - 1 - index <
mask-batch-for-queries: .view(b, 1, 1, num_tokens) →
padding-hides-queries: view(b, 1, 1, num_tokens) → view(b, 1, num_tokens, 1)
broadcasting in one line: cell
    def padding_mask(lengths, num_tokens):
        return torch.arange(num_tokens)[None, None, None, :] < lengths[:, None, None, None]
mask-polarity: < lengths → >= lengths
padding-boundary: < lengths → <= lengths
sizes-typed-in: arange(num_tokens) → arange(5)
mask-batch-for-queries: [None, None, None, :] < lengths[:, None, None, None] → [None, :] < lengths[:, None]
== 06-encoder-decoder combine-masks
multiplied: cell
    def decoder_mask(lengths, num_tokens):
        look_back = torch.ones(num_tokens, num_tokens).tril()
        return (padding_mask(lengths, num_tokens) * look_back).bool()
past-hidden: .tril() → .triu()
diagonal-hidden: .tril() → .tril(-1)
not-boolean: .bool() →
masks-joined-with-or: ) * look_back → ) + look_back
mask-polarity: return (padding → return ~(padding
future-visible:
    (padding_mask(lengths, num_tokens) * look_back) → (padding_mask(lengths, num_tokens) * torch.ones_like(look_back))
padding-visible:
    (padding_mask(lengths, num_tokens) * look_back) → (look_back.expand(len(lengths), 1, num_tokens, num_tokens))
positions: cell
    def decoder_mask(lengths, num_tokens):
        t = torch.arange(num_tokens)
        causal = t[:, None] >= t[None, :]
        padding = padding_mask(lengths, num_tokens)
        return torch.logical_and(causal, padding)
masks-joined-with-or: logical_and → logical_or
past-hidden: >= t → <= t
diagonal-hidden: >= t → > t
padding-visible: (causal, padding) → (causal, torch.ones_like(padding))
future-visible: (causal, padding) → (torch.ones_like(causal), padding)
== 06-encoder-decoder masked-softmax
by hand: cell
    def masked_softmax(scores, mask):
        mask = mask.to(scores.dtype)
        top = scores.detach().masked_fill(mask == 0, float("-inf")).amax(dim=-1, keepdim=True)
        e = torch.exp(scores - top.nan_to_num(neginf=0.0)).masked_fill(mask == 0, 0.0)
        return e / (e.sum(dim=-1, keepdim=True) + (e.sum(dim=-1, keepdim=True) == 0))
mask-polarity: mask == 0 →2 mask == 1
empty-row-nan: + (e.sum(dim=-1, keepdim=True) == 0) →
softmax-over-queries: dim=-1 →3 dim=-2
no-mask: .masked_fill(mask == 0, 0.0) →
not-normalised: return e / → return e + 0 *
-1e9 and a mask: cell
    def masked_softmax(scores, mask):
        weights = torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)
        return weights * (mask != 0)
empty-row-even: * (mask != 0) →
mask-after-softmax: .masked_fill(mask == 0, -1e9) →
mask-polarity: mask == 0 → mask != 0
    (mask != 0) → (mask == 0)
softmax-over-heads: dim=-1 → dim=1
edits-its-argument: scores.masked_fill( → scores.masked_fill_(
softmax-over-queries: dim=-1 → dim=-2
mask-fills-small: -1e9 → -2.0
    * (mask != 0) →
""",
    pairs=4,
    triples=0,
)
