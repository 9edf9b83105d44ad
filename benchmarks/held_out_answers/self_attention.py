"""Lesson 02, `SelfAttention_v1` and `SelfAttention_v2`."""

from benchmarks.held_out_answers.table import read

HELD_OUT = read(
    r"""
== 02-trainable self-attention-v1
like a book: cell
    class SelfAttention_v1(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            self.W_query = nn.Parameter(torch.rand(d_in, d_out))
            self.W_key   = nn.Parameter(torch.rand(d_in, d_out))
            self.W_value = nn.Parameter(torch.rand(d_in, d_out))

        def forward(self, x):
            k = x @ self.W_key
            q = x @ self.W_query
            v = x @ self.W_value
            omega = q @ k.T  # attention scores
            alpha = torch.softmax(omega / k.shape[-1]**0.5, dim=-1)
            context_vec = alpha @ v
            return context_vec
no-scale: ` / k.shape[-1]**0.5` →
scaled-by-input-width: k.shape[-1]**0.5 → x.shape[-1]**0.5
scaled-by-tokens: k.shape[-1]**0.5 → k.shape[0]**0.5
softmax-over-queries: dim=-1) → dim=0)
scaled-without-root: k.shape[-1]**0.5 → k.shape[-1]
scores-turned: q @ k.T → k @ q.T
keys-as-queries: q = x @ self.W_query → q = x @ self.W_key
input-for-scores: q @ k.T → x @ x.T
keys-as-values: v = x @ self.W_value → v = x @ self.W_key
weights-returned: return context_vec → return alpha
plain-tensors: nn.Parameter(torch.rand(d_in, d_out)) →3 torch.rand(d_in, d_out)
sizes-turned: torch.rand(d_in, d_out) →3 torch.rand(d_out, d_in)
types, matmul and a scale made once: cell
    import math
    class SelfAttention_v1(nn.Module):
        def __init__(self, d_in: int, d_out: int) -> None:
            super().__init__()
            self.d_k = d_out
            self.W_value = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
            self.W_query = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
            self.W_key = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            Q = torch.matmul(x, self.W_query)
            K = torch.matmul(x, self.W_key)
            V = torch.matmul(x, self.W_value)
            scores = torch.matmul(Q, K.transpose(0, 1)) / math.sqrt(self.d_k)
            return torch.matmul(scores.softmax(1), V)
no-scale: ` / math.sqrt(self.d_k)` →
scaled-up: / math.sqrt(self.d_k) → * math.sqrt(self.d_k)
scaled-by-input-width: self.d_k = d_out → self.d_k = d_in
softmax-over-queries: softmax(1) → softmax(0)
scaled-without-root: math.sqrt(self.d_k) → self.d_k
no-softmax: scores.softmax(1) → scores
exp-overflows: scores.softmax(1) → scores.exp() / scores.exp().sum(1, keepdim=True)
queries-as-keys: torch.matmul(Q, K. → torch.matmul(Q, Q.
normal-start: torch.rand( →3 torch.randn(
keys-reshaped: K.transpose(0, 1) → K.reshape(K.shape[1], K.shape[0])
input-as-values: softmax(1), V) → softmax(1), x)
queries-as-values: softmax(1), V) → softmax(1), Q)
weights-on-the-right: scores.softmax(1), V) → scores.softmax(1).T, V)
frozen: requires_grad=True →3 requires_grad=False
scaled-after-softmax: ` / math.sqrt(self.d_k)` →
    scores.softmax(1) → scores.softmax(1) / math.sqrt(self.d_k)
einsum: cell
    class SelfAttention_v1(nn.Module):
        def __init__(self, d_in, d_out):
            super(SelfAttention_v1, self).__init__()
            make = lambda: nn.Parameter(torch.rand(d_in, d_out))
            self.W_query, self.W_key, self.W_value = make(), make(), make()

        def forward(self, x):
            q, k, v = (torch.einsum("ti,io->to", x, w) for w in (self.W_query, self.W_key, self.W_value))
            dim = q.size(-1)
            dots = torch.einsum("id,jd->ij", q, k) * dim ** -0.5
            attn = nn.functional.softmax(dots, dim=-1)
            return torch.einsum("ij,jd->id", attn, v)
no-scale: ` * dim ** -0.5` →
scaled-up: dim ** -0.5 → dim ** 0.5
keys-as-values: attn, v) → attn, k)
scaled-by-tokens: q.size(-1) → q.size(0)
scaled-by-input-width: q.size(-1) → x.size(-1)
scores-turned: "id,jd->ij" → "id,jd->ji"
weights-on-the-right: "ij,jd->id" → "ji,jd->id"
softmax-over-queries: softmax(dots, dim=-1) → softmax(dots, dim=-2)
projections-swapped: q, k, v = ( → k, q, v = (
own-value-only: "ij,jd->id" → "ij,id->id"
softmax-twice: attn, v) → attn.softmax(-1), v)
detached: attn, v) → attn.detach(), v)
one-matrix-for-all: make(), make(), make() → [make()] * 3
a loop over queries: cell
    class SelfAttention_v1(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            self.W_query = torch.nn.Parameter(torch.rand(d_in, d_out))
            self.W_key = torch.nn.Parameter(torch.rand(d_in, d_out))
            self.W_value = torch.nn.Parameter(torch.rand(d_in, d_out))

        def forward(self, x):
            keys, values = x.mm(self.W_key), x.mm(self.W_value)
            rows = []
            for token in x:
                query = token @ self.W_query  # (d_out,)
                score = keys @ query / (keys.shape[1] ** 0.5)
                weight = torch.softmax(score, dim=0)
                rows.append(weight @ values)
            return torch.stack(rows)
no-scale: ` / (keys.shape[1] ** 0.5)` →
scaled-by-tokens: keys.shape[1] → keys.shape[0]
scaled-by-input-width: keys.shape[1] → len(token)
no-softmax: torch.softmax(score, dim=0) → score
root-by-precedence: (keys.shape[1] ** 0.5) → (keys.shape[1] ** 1 / 2)
scaled-after-softmax: ` / (keys.shape[1] ** 0.5)` →
    dim=0) → dim=0) / (keys.shape[1] ** 0.5)
shares-of-raw-scores: torch.softmax(score, dim=0) → score / score.sum()
keys-as-queries: token @ self.W_query → token @ self.W_key
keys-as-values: weight @ values → weight @ keys
input-as-values: weight @ values → weight @ x
mean-for-sum: weight @ values → (weight[:, None] * values).mean(dim=0)
one-query-for-all: query = token @ → query = x[1] @
return-inside-loop: `        return torch.stack(rows)` → `            return torch.stack(rows)`
loop-starts-late: for token in x: → for token in x[1:]:
softmax by hand: cell
    class SelfAttention_v1(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            for name in ["W_query", "W_key", "W_value"]:
                self.register_parameter(name, nn.Parameter(torch.rand(d_in, d_out)))

        def forward(self, x):
            num_tokens = x.shape[0]
            query = x @ self.W_query / (self.W_key.shape[1] ** 0.5)
            s = query @ (x @ self.W_key).transpose(-1, -2)
            e = torch.exp(s - s.max(dim=1, keepdim=True).values)
            a = e / e.sum(dim=1, keepdim=True)
            assert a.shape == (num_tokens, num_tokens)
            return a @ (x @ self.W_value)
no-scale: ` / (self.W_key.shape[1] ** 0.5)` →
queries-as-values: (x @ self.W_value) → (x @ self.W_query)
scaled-by-input-width: self.W_key.shape[1] → self.W_key.shape[0]
scaled-up: / (self.W_key.shape[1] ** 0.5) → * (self.W_key.shape[1] ** 0.5)
scaled-without-root: (self.W_key.shape[1] ** 0.5) → self.W_key.shape[1]
sums-without-keepdim: e.sum(dim=1, keepdim=True) → e.sum(dim=1)
queries-as-keys: (x @ self.W_key).transpose → (x @ self.W_query).transpose
masked-needlessly: a = e / → e = e.tril()↵a = e /
tokens-pooled: line return → return (a @ (x @ self.W_value)).mean(dim=0)
rounded: line return → return torch.round(a @ (x @ self.W_value), decimals=4)
softmax-over-queries: e.sum(dim=1, keepdim=True) → e.sum(dim=0, keepdim=True)
    s.max(dim=1, → s.max(dim=0,
softmax-over-everything: e.sum(dim=1, keepdim=True) → e.sum()
    s.max(dim=1, keepdim=True).values → s.max()
addmm and named steps: cell
    class SelfAttention_v1(nn.Module):
        def __init__(self, d_in, d_out):
            nn.Module.__init__(self)
            self.d_in, self.d_out = d_in, d_out
            self.W_query = nn.Parameter(torch.empty(d_in, d_out).uniform_(0, 1))
            self.W_key = nn.Parameter(torch.empty(d_in, d_out).uniform_(0, 1))
            self.W_value = nn.Parameter(torch.empty(d_in, d_out).uniform_(0, 1))

        def scores(self, x):
            queries = x.matmul(self.W_query)
            keys = x.matmul(self.W_key)
            return queries.matmul(keys.t()).div(self.d_out**0.5)

        def forward(self, x):
            weights = torch.softmax(self.scores(x), dim=-1)
            values = x.matmul(self.W_value)
            return weights.matmul(values)
no-scale: .div(self.d_out**0.5) →
scaled-by-input-width: self.d_out**0.5 → self.d_in**0.5
scaled-without-root: self.d_out**0.5 → self.d_out
softmax-over-queries: dim=-1) → dim=0)
scaled-twice: self.scores(x) → self.scores(x) / self.d_out**0.5
scores-turned: queries.matmul(keys.t()) → keys.matmul(queries.t())
keys-as-values: line W_value) → values = x.matmul(self.W_key)
input-for-scores: queries.matmul(keys.t()) → x.matmul(x.t())
activation-added: line values) → return torch.relu(weights.matmul(values))
returns-a-tuple: line values) → return weights.matmul(values), weights
half-precision: x.matmul(self.W_value) → x.matmul(self.W_value).bfloat16().to(x.dtype)
weights-made-in-forward: line W_value) → values = x.matmul(torch.rand(self.d_in, self.d_out))
numpy habits: cell
    class SelfAttention_v1(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            shape = (d_in, d_out)
            self.W_query = nn.Parameter(torch.rand(*shape))
            self.W_key = nn.Parameter(torch.rand(*shape))
            self.W_value = nn.Parameter(torch.rand(*shape))

        def forward(self, x):
            Q = torch.matmul(x, self.W_query)
            K = torch.matmul(x, self.W_key)
            V = torch.matmul(x, self.W_value)
            d_k = torch.tensor(K.shape[-1], dtype=x.dtype, device=x.device)
            A = torch.tensordot(Q, K, dims=([1], [1])) / torch.sqrt(d_k)
            A = nn.Softmax(dim=1)(A)
            return torch.tensordot(A, V, dims=1)
no-scale: / torch.sqrt(d_k) →
scaled-up: / torch.sqrt(d_k) → * torch.sqrt(d_k)
scaled-without-root: torch.sqrt(d_k) → d_k
scaled-by-tokens: K.shape[-1] → K.shape[0]
scaled-by-input-width: K.shape[-1] → x.shape[-1]
scores-turned: tensordot(Q, K, → tensordot(K, Q,
softmax-over-queries: nn.Softmax(dim=1) → nn.Softmax(dim=0)
no-softmax: line dim=1 →
keys-as-values: line V = → V = torch.matmul(x, self.W_key)
keys-as-queries: tensordot(Q, K, → tensordot(K, K,
input-as-values: tensordot(A, V, → tensordot(A, x,
weights-on-the-right: tensordot(A, V, dims=1) → tensordot(A, V, dims=([0], [0]))
queries-as-keys: line K = → K = torch.matmul(x, self.W_query)
a helper that scores: cell
    def scaled_scores(q, k):
        return q @ k.mT / k.size(-1) ** 0.5


    class SelfAttention_v1(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            weights = torch.rand(3, d_in, d_out)
            self.W_query = nn.Parameter(weights[0].clone())
            self.W_key = nn.Parameter(weights[1].clone())
            self.W_value = nn.Parameter(weights[2].clone())

        def forward(self, embeddings):
            q, k, v = (embeddings @ w for w in [self.W_query, self.W_key, self.W_value])
            attention = scaled_scores(q, k).softmax(-1)
            return torch.stack([(row[:, None] * v).sum(0) for row in attention])
no-scale: / k.size(-1) ** 0.5 →
scaled-by-tokens: k.size(-1) → k.size(0)
scaled-without-root: ** 0.5 →
softmax-over-queries: softmax(-1) → softmax(0)
scaled-after-softmax: / k.size(-1) ** 0.5 →
    softmax(-1) → softmax(-1) / k.size(-1) ** 0.5
softmax-twice: softmax(-1) → softmax(-1).softmax(-1)
mean-for-sum: .sum(0) → .mean(0)
queries-as-keys: = scaled_scores(q, k) → = scaled_scores(q, q)
summed-over-other-axis: .sum(0) → .sum(1)
scores-turned: = scaled_scores(q, k) → = scaled_scores(k, q)
zero-start: torch.rand(3, → torch.zeros(3,
queries-as-values: row[:, None] * v → row[:, None] * q
keys-as-values: row[:, None] * v → row[:, None] * k
one-query-only: row in attention]) → row in attention])[1]
one-matrix-for-all: self.W_query, self.W_key, self.W_value] → self.W_query, self.W_query, self.W_query]
== 02-trainable self-attention-v2
like a book: cell
    class SelfAttention_v2(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key   = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

        def forward(self, x):
            keys = self.W_key(x)
            queries = self.W_query(x)
            v = self.W_value(x)
            attn_scores = queries @ keys.T
            attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
            return attn_weights @ v
no-scale: ` / keys.shape[-1]**0.5` →
scaled-by-input-width: keys.shape[-1]**0.5 → x.shape[-1]**0.5
scaled-by-tokens: keys.shape[-1]**0.5 → keys.shape[0]**0.5
softmax-over-queries: dim=-1) → dim=0)
root-by-precedence: keys.shape[-1]**0.5 → keys.shape[-1]**1/2
bias-never: bias=qkv_bias →3 bias=False
scores-turned: queries @ keys.T → keys @ queries.T
input-as-values: attn_weights @ v → attn_weights @ x
queries-as-keys: keys = self.W_key(x) → keys = self.W_query(x)
bias-always: , bias=qkv_bias →3
keys-as-values: v = self.W_value(x) → v = self.W_key(x)
bias-turned: bias=qkv_bias →3 bias=not qkv_bias
reads-the-notebook: return attn_weights @ v → return attn_weights @ values
bias-by-default: qkv_bias=False): → qkv_bias=True):
functional linear and an attribute: cell
    import torch.nn.functional as F

    class SelfAttention_v2(nn.Module):
        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
            super().__init__()
            self.W_key = nn.Linear(d_in, d_out, qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, qkv_bias)
            self.W_query = nn.Linear(d_in, d_out, qkv_bias)
            self.scale = d_out ** -0.5

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            q = F.linear(x, self.W_query.weight, self.W_query.bias) * self.scale
            k = F.linear(x, self.W_key.weight, self.W_key.bias)
            v = F.linear(x, self.W_value.weight, self.W_value.bias)
            wei = F.softmax(q @ k.transpose(-2, -1), dim=-1)
            return wei @ v
no-scale: ` * self.scale` →
scaled-up: * self.scale → / self.scale
scaled-by-input-width: d_out ** -0.5 → d_in ** -0.5
scaled-without-root: d_out ** -0.5 → d_out ** -1.0
no-softmax: F.softmax(q @ k.transpose(-2, -1), dim=-1) → q @ k.transpose(-2, -1)
queries-as-values: wei @ v → wei @ q
keys-reshaped: k.transpose(-2, -1) → k.reshape(-1, x.shape[0])
bias-not-added: , self.W_query.bias) → )
    , self.W_key.bias) → )
    , self.W_value.bias) → )
bias-always: d_out, qkv_bias) →3 d_out)
float-forced: return wei @ v → return (wei @ v).float()
scaled-twice: line k = F → k = self.scale * F.linear(x, self.W_key.weight, self.W_key.bias)
softmax-over-queries: F.softmax(q @ k.transpose(-2, -1), dim=-1) → F.softmax(q @ k.transpose(-2, -1), dim=-2)
keys-as-values:
    F.linear(x, self.W_value.weight, self.W_value.bias) → F.linear(x, self.W_key.weight, self.W_key.bias)
masked-needlessly:
    F.softmax(q @ k.transpose(-2, -1), dim=-1) → F.softmax((q @ k.mT).masked_fill(torch.ones_like(q @ k.mT).triu(1) > 0, float('-inf')), dim=-1)
einsum with a dictionary of layers: cell
    class SelfAttention_v2(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            options = {"bias": qkv_bias}
            self.W_query = nn.Linear(d_in, d_out, **options)
            self.W_key = nn.Linear(d_in, d_out, **options)
            self.W_value = nn.Linear(d_in, d_out, **options)

        def forward(self, x):
            projected = {"q": self.W_query(x), "k": self.W_key(x), "v": self.W_value(x)}
            similarity = torch.einsum("qd,kd->qk", projected["q"], projected["k"])
            similarity = similarity / projected["k"].size(dim=1) ** 0.5
            shares = similarity.softmax(dim=1)
            return torch.einsum("qk,kd->qd", shares, projected["v"])
no-scale: line k"].size →
scaled-by-tokens: size(dim=1) → size(dim=0)
scaled-up: similarity / projected → similarity * projected
scaled-by-input-width: projected["k"].size(dim=1) → x.size(dim=1)
scores-turned: "qd,kd->qk" → "kd,qd->qk"
weights-on-the-right: "qk,kd->qd" → "kq,kd->qd"
softmax-over-queries: softmax(dim=1) → softmax(dim=0)
own-value-only: "qk,kd->qd" → "qk,qd->qd"
softmax-twice: softmax(dim=1) → softmax(dim=1).softmax(dim=1)
keys-as-values: shares, projected["v"] → shares, projected["k"]
keys-as-queries: "q": self.W_query(x) → "q": self.W_key(x)
bias-never: "bias": qkv_bias → "bias": False
projections-swapped: "q": self.W_query(x), "k": self.W_key(x) → "q": self.W_key(x), "k": self.W_query(x)
sizes-typed-in: nn.Linear(d_in, d_out, →3 nn.Linear(3, 2,
softmax by hand: cell
    class SelfAttention_v2(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            self.d_out = d_out
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

        @staticmethod
        def normalise(z):
            z = torch.exp(z - z.amax(dim=-1, keepdim=True))
            return z / z.sum(dim=-1, keepdim=True)

        def forward(self, x):
            query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)
            logits = torch.mm(query, key.T)
            weights = self.normalise(logits / self.d_out ** 0.5)
            context = torch.mm(weights, value)
            return context
no-scale: logits / self.d_out ** 0.5 → logits
scaled-without-root: self.d_out ** 0.5 → self.d_out
scaled-by-input-width: self.d_out ** 0.5 → self.W_key.in_features ** 0.5
bias-always: , bias=qkv_bias →3
sums-without-keepdim: z.sum(dim=-1, keepdim=True) → z.sum(dim=-1)
not-normalised: line z.sum → return z
queries-as-keys: torch.mm(query, key.T) → torch.mm(query, query.T)
input-for-scores: torch.mm(query, key.T) → torch.mm(x, x.T)
input-as-values: torch.mm(weights, value) → torch.mm(weights, x)
weights-returned: return context → return weights
context-normalised: return context → return nn.functional.layer_norm(context, context.shape[-1:])
scaled-after-softmax: self.normalise(logits / self.d_out ** 0.5) → self.normalise(logits) / self.d_out ** 0.5
softmax-over-queries: z.sum(dim=-1, keepdim=True) → z.sum(dim=0, keepdim=True)
    z.amax(dim=-1 → z.amax(dim=0
unpacked lists and a fused call to baddbmm: cell
    class SelfAttention_v2(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            layers = [nn.Linear(d_in, d_out, bias=qkv_bias) for i in range(3)]
            self.W_query, self.W_key, self.W_value = layers

        def forward(self, x):
            q, k, v = [layer(x) for layer in (self.W_query, self.W_key, self.W_value)]
            d_k = k.shape[1]
            scores = torch.baddbmm(x.new_zeros(()), q[None], k.mT[None], alpha=1 / d_k**0.5)[0]
            p = nn.Softmax(dim=1)(scores)
            out = (p.unsqueeze(-1) * v.unsqueeze(0)).sum(dim=1)
            return out
no-scale: , alpha=1 / d_k**0.5 →
scaled-up: alpha=1 / d_k**0.5 → alpha=d_k**0.5
scaled-without-root: 1 / d_k**0.5 → 1 / d_k
scaled-by-tokens: k.shape[1] → k.shape[0]
scaled-by-input-width: k.shape[1] → x.shape[1]
projections-swapped: q, k, v = [ → k, q, v = [
softmax-over-queries: nn.Softmax(dim=1) → nn.Softmax(dim=0)
mean-for-sum: .sum(dim=1) → .mean(dim=1)
keys-as-values: self.W_key, self.W_value)] → self.W_key, self.W_key)]
summed-over-other-axis: .sum(dim=1) → .sum(dim=0)
bias-never: bias=qkv_bias → bias=False
detached: return out → return out.detach()
rounded: return out → return torch.round(out * 10**4) / 10**4
one-matrix-for-all:
    [nn.Linear(d_in, d_out, bias=qkv_bias) for i in range(3)] → [nn.Linear(d_in, d_out, bias=qkv_bias)] * 3
old habits: cell
    class SelfAttention_v2(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super(SelfAttention_v2, self).__init__()
            self.W_value = torch.nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)
            self.W_query = torch.nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)
            self.W_key = torch.nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)

        def forward(self, x):
            n_tokens, width = x.size()
            q = self.W_query.forward(x)
            k = self.W_key.forward(x)
            attn = torch.addmm(torch.zeros_like(q @ k.t()), q, k.t(), alpha=q.size(1) ** (-1 / 2))
            attn = torch.nn.functional.softmax(attn, dim=-1)
            z = torch.mm(attn, self.W_value.forward(x))
            return z
no-scale: , alpha=q.size(1) ** (-1 / 2) →
scaled-by-input-width: alpha=q.size(1) → alpha=width
scaled-by-tokens: alpha=q.size(1) → alpha=n_tokens
scaled-up: (-1 / 2) → (1 / 2)
scaled-without-root: (-1 / 2) → -1
softmax-over-queries: softmax(attn, dim=-1) → softmax(attn, dim=0)
no-softmax: line dim=-1 →
keys-as-values: self.W_value.forward → self.W_key.forward
queries-as-values: self.W_value.forward → self.W_query.forward
bias-never: bias=qkv_bias →3 bias=False
keys-as-queries: q = self.W_query → q = self.W_key
scores-turned: q, k.t(), alpha → k, q.t(), alpha
bias-always: , bias=qkv_bias →3
tokens-pooled: return z → return z.mean(0)
weights-returned: return z → return attn
rounded: return z → return z.round(decimals=3)
a loop over queries:
    hidden: masked-needlessly+no-softmax masked-needlessly+shares-of-raw-scores
    cell
        class SelfAttention_v2(nn.Module):
            def __init__(self, d_in, d_out, qkv_bias=False):
                super().__init__()
                self.d_k = d_out
                make = lambda: nn.Linear(d_in, d_out, bias=qkv_bias)
                self.W_query, self.W_key, self.W_value = make(), make(), make()

            def forward(self, x):
                keys, values = self.W_key(x), self.W_value(x)
                contexts = []
                for i in range(x.shape[0]):
                    query_i = self.W_query(x[i])
                    scores_i = torch.stack([torch.dot(query_i, key) for key in keys]) / self.d_k**0.5
                    weights_i = torch.softmax(scores_i, dim=0)
                    contexts.append(sum(w * v for w, v in zip(weights_i, values)))
                return torch.stack(contexts, dim=0)
no-scale: / self.d_k**0.5 →
scaled-by-input-width: self.d_k = d_out → self.d_k = d_in
scaled-without-root: self.d_k**0.5 → self.d_k
scaled-by-tokens: self.d_k**0.5 → len(keys)**0.5
no-softmax: torch.softmax(scores_i, dim=0) → scores_i
bias-never: bias=qkv_bias → bias=False
keys-as-values: zip(weights_i, values) → zip(weights_i, keys)
bias-always: bias=qkv_bias → bias=True
input-as-values: zip(weights_i, values) → zip(weights_i, x)
one-query-for-all: self.W_query(x[i]) → self.W_query(x[0])
queries-as-keys: keys, values = self.W_key(x) → keys, values = self.W_query(x)
shares-of-raw-scores: torch.softmax(scores_i, dim=0) → scores_i / scores_i.sum()
masked-needlessly: zip(weights_i, values) → zip(torch.softmax(scores_i[: i + 1], dim=0), values)
transposed-result: torch.stack(contexts, dim=0) → torch.stack(contexts, dim=1)
scaled-after-softmax: / self.d_k**0.5 →
    dim=0)↵contexts → dim=0) / self.d_k**0.5↵contexts
three steps with names:
    hidden: keys-as-values+detached
    cell
        class SelfAttention_v2(nn.Module):
            def __init__(self, d_in, d_out, qkv_bias=False):
                super().__init__()
                self.W_query = nn.Linear(d_in, d_out, bias=True if qkv_bias else False)
                self.W_key = nn.Linear(d_in, d_out, bias=True if qkv_bias else False)
                self.W_value = nn.Linear(d_in, d_out, bias=True if qkv_bias else False)
                self.temperature = d_out**0.25

            def forward(self, x):
                q = self.W_query(x) / self.temperature
                k = self.W_key(x) / self.temperature
                v = self.W_value(x)
                similarities = q.unsqueeze(1).mul(k.unsqueeze(0)).sum(dim=-1)  # (query, key)
                shares = (similarities - similarities.logsumexp(dim=1, keepdim=True)).exp()
                assert shares.shape == (x.shape[0], x.shape[0])
                return shares.matmul(v)
no-scale: d_out**0.25 → 1.0
scaled-by-input-width: d_out**0.25 → d_in**0.25
scaled-without-root: d_out**0.25 → d_out**0.5
softmax-over-queries: logsumexp(dim=1, → logsumexp(dim=0,
scores-turned: q.unsqueeze(1).mul(k.unsqueeze(0)) → q.unsqueeze(0).mul(k.unsqueeze(1))
log-softmax: keepdim=True)).exp() → keepdim=True))
scaled-up: ) / self.temperature →2 ) * self.temperature
bias-always: True if qkv_bias else False →3 True
keys-as-values: v = self.W_value(x) → v = self.W_key(x)
keys-as-queries: q = self.W_query(x) → q = self.W_key(x)
own-value-only: return shares.matmul(v) → return v
bias-turned: True if qkv_bias →3 True if not qkv_bias
weights-on-the-right: shares.matmul(v) → shares.mT.matmul(v)
detached: shares.matmul(v) → shares.matmul(v.detach())
half-precision: shares.matmul(v) → shares.half().matmul(v.half()).to(v.dtype)
"""
)
