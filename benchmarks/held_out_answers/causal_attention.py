"""Lesson 04, `CausalAttention`."""

from benchmarks.held_out_answers.table import read

HELD_OUT = read(
    r"""
== 04-dropout causal-attention
like a book: cell
    class CausalAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super().__init__()
            self.d_out = d_out
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key   = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.dropout = nn.Dropout(dropout)
            self.register_buffer('mask', torch.triu(torch.ones(context_length, context_length), diagonal=1))

        def forward(self, x):
            b, n, d = x.shape
            k = self.W_key(x)
            q = self.W_query(x)
            v = self.W_value(x)
            attn = q @ k.transpose(1, 2)
            attn.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
            w = torch.softmax(attn / k.shape[-1]**0.5, dim=-1)
            w = self.dropout(w)
            return w @ v
no-scale: attn / k.shape[-1]**0.5 → attn
scaled-by-input-width: k.shape[-1]**0.5 → d**0.5
scaled-without-root: k.shape[-1]**0.5 → k.shape[-1]
softmax-over-queries: dim=-1 → dim=1
scaled-by-tokens: k.shape[-1]**0.5 → k.shape[1]**0.5
no-mask: attn.masked_fill_( → attn.masked_fill(
exp-overflows: line torch.softmax → w = torch.exp(attn / k.shape[-1]**0.5)↵w = w / w.sum(dim=-1, keepdim=True)
mask-fills-zero: -torch.inf → 0
past-hidden: torch.triu( → torch.tril(
    diagonal=1 → diagonal=-1
diagonal-hidden: , diagonal=1 →
mask-not-cut: self.mask.bool()[:n, :n] → self.mask.bool()
mask-not-a-buffer: `self.register_buffer('mask', ` → self.mask = (
    diagonal=1)) → diagonal=1))
keys-as-values: w @ v → w @ k
queries-as-keys: k = self.W_key(x) → k = self.W_query(x)
scores-turned: q @ k.transpose(1, 2) → k @ q.transpose(1, 2)
no-dropout: line w = self →
keys-reshaped: k.transpose(1, 2) → k.reshape(b, -1, n)
bias-never: , bias=qkv_bias →3 , bias=False
dropout-on-context: line w = self →
    return w @ v → return self.dropout(w @ v)
bias-always: , bias=qkv_bias →3
scaled-after-softmax:
    torch.softmax(attn / k.shape[-1]**0.5, dim=-1) → torch.softmax(attn, dim=-1) / k.shape[-1]**0.5
like a small gpt: cell
    import math
    class CausalAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super().__init__()
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.attn_dropout = nn.Dropout(dropout)
            self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

        def forward(self, x):
            B, T, C = x.size()  # batch size, sequence length, embedding dimensionality
            k = self.W_key(x)  # (B, T, hs)
            q = self.W_query(x)  # (B, T, hs)
            v = self.W_value(x)  # (B, T, hs)
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.mask[:T, :T] == 0, float("-inf"))
            att = F.softmax(att, dim=-1)
            att = self.attn_dropout(att)
            y = att @ v  # (B, T, T) x (B, T, hs) -> (B, T, hs)
            return y
scaled-by-input-width: k.size(-1) → C
no-scale: ` * (1.0 / math.sqrt(k.size(-1)))` →
scaled-up: (1.0 / math.sqrt(k.size(-1))) → math.sqrt(k.size(-1))
mask-polarity: == 0 → == 1
scaled-by-batch: k.size(-1) → k.size(0)
scaled-without-root: math.sqrt(k.size(-1)) → k.size(-1)
mask-fills-small: float("-inf") → -10.0
mask-fills-zero: float("-inf") → 0.0
mask-not-cut: self.mask[:T, :T] → self.mask
no-softmax: line dim=-1 →
no-mask: line float →
softmax-over-queries: F.softmax(att, dim=-1) → F.softmax(att, dim=-2)
softmax-over-batch: F.softmax(att, dim=-1) → F.softmax(att, dim=0)
no-dropout: line att = self →
dropout-typed-in: nn.Dropout(dropout) → nn.Dropout(0.1)
input-as-values: y = att @ v → y = att @ x
bias-never: bias=qkv_bias →3 bias=False
first-sequence-only: return y → return y[:1]
diagonal-too-far:
    torch.tril(torch.ones(context_length, context_length)) → torch.tril(torch.ones(context_length, context_length), diagonal=1)
dropout-on-scores: line dim=-1 … att = self → att = self.attn_dropout(att)↵att = F.softmax(att, dim=-1)
einsum and an added mask: cell
    class CausalAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super().__init__()
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.drop = nn.Dropout(p=dropout)
            self.scale = d_out ** -0.5
            bias = torch.full((context_length, context_length), float('-inf'))
            self.register_buffer('mask', torch.triu(bias, diagonal=1))

        def forward(self, x):
            t = x.size(1)
            Q, K, V = self.W_query(x), self.W_key(x), self.W_value(x)
            S = torch.einsum('bid,bjd->bij', Q, K) * self.scale
            S = S + self.mask[:t, :t]
            A = S.softmax(dim=-1)
            A = self.drop(A)
            return torch.einsum('bij,bjd->bid', A, V)
no-scale: ` * self.scale` →
scaled-by-input-width: d_out ** -0.5 → d_in ** -0.5
scaled-up: * self.scale → / self.scale
scaled-without-root: d_out ** -0.5 → d_out ** -1
scores-turned: 'bid,bjd->bij' → 'bid,bjd->bji'
weights-on-the-right: 'bij,bjd->bid' → 'bij,bid->bjd'
mask-added: float('-inf') → 1.0
mask-fills-small: float('-inf') → -5.0
diagonal-hidden: torch.triu(bias, diagonal=1) → torch.triu(bias)
keys-as-values: A, V) → A, K)
past-hidden: torch.triu(bias, diagonal=1) → torch.tril(bias, diagonal=-1)
mask-fills-zero: S + self.mask[:t, :t] → S * (self.mask[:t, :t] == 0)
queries-as-values: A, V) → A, Q)
mask-not-cut: self.mask[:t, :t] → self.mask
softmax-over-queries: S.softmax(dim=-1) → S.softmax(dim=-2)
softmax-twice: A = self.drop(A) → A = self.drop(A.softmax(dim=-1))
no-dropout: line drop(A) →
dropout-on-input: line drop(A) → V = self.drop(V)
bias-always: bias=qkv_bias →3 bias=True
float-forced: 'bij,bjd->bid', A, V) → 'bij,bjd->bid', A, V).float()
mask-not-a-buffer: line diagonal → self.mask = torch.triu(bias, diagonal=1)
bmm, where and functional dropout: cell
    class CausalAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super(CausalAttention, self).__init__()
            self.p = dropout
            self.W_query = nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)
            self.W_key = nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)
            self.W_value = nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)
            positions = torch.arange(context_length)
            self.register_buffer("mask", positions[None, :] > positions[:, None])

        def forward(self, x):
            num_tokens = x.shape[1]
            q = self.W_query(x)
            k = self.W_key(x)
            scores = torch.bmm(q, k.permute(0, 2, 1))
            hidden = self.mask[:num_tokens, :num_tokens]
            minus_inf = torch.full_like(scores, float("-inf"))
            scores = torch.where(hidden, minus_inf, scores)
            scores = scores.div(q.shape[-1] ** 0.5)
            weights = nn.functional.softmax(scores, dim=2)
            weights = nn.functional.dropout(weights, p=self.p, training=self.training)
            return torch.bmm(weights, self.W_value(x))
no-scale: line q.shape →
scaled-up: scores.div( → scores.mul(
scaled-by-batch: q.shape[-1] ** → q.shape[0] **
scaled-by-tokens: q.shape[-1] ** → num_tokens **
scaled-without-root: q.shape[-1] ** 0.5 → q.shape[-1]
softmax-over-queries: dim=2 → dim=1
mask-polarity: torch.where(hidden, minus_inf, scores) → torch.where(hidden, scores, minus_inf)
past-hidden: [None, :] > positions → [None, :] < positions
softmax-over-batch: dim=2 → dim=0
diagonal-hidden: None, :] > positions → None, :] >= positions
keys-as-values: self.W_value(x)) → k)
mask-fills-zero: torch.full_like(scores, float("-inf")) → torch.zeros_like(scores)
no-mask: scores = torch.where( → torch.where(
mask-not-cut: self.mask[:num_tokens, :num_tokens] → self.mask
keys-reshaped: k.permute(0, 2, 1) → k.view(k.shape[0], k.shape[2], k.shape[1])
dropout-in-eval: , training=self.training →
no-dropout: training=self.training → training=False
bias-never: , bias=qkv_bias →3 , bias=False
dropout-on-context: line p=self →
    line return → return nn.functional.dropout(torch.bmm(weights, self.W_value(x)), self.p, self.training)
dropout-on-input: dropout(weights, → dropout(self.W_value(x),
    line return → return torch.bmm(attention, weights)
    weights = nn.functional.softmax → attention = nn.functional.softmax
helpers, types and scaled queries: cell
    class CausalAttention(nn.Module):
        def __init__(
            self,
            d_in: int,
            d_out: int,
            context_length: int,
            dropout: float,
            qkv_bias: bool = False,
        ) -> None:
            super().__init__()
            self.d_k = d_out
            self.dropout = nn.Dropout(dropout)
            self.W_query = nn.Linear(d_in, d_out, qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, qkv_bias)
            allowed = torch.ones(context_length, context_length, dtype=torch.bool).tril()
            self.register_buffer("mask", ~allowed)

        def _attention_scores(self, x: torch.Tensor) -> torch.Tensor:
            q = self.W_query(x) / self.d_k**0.5  # scale early
            return torch.matmul(q, self.W_key(x).mT)

        def _attention_weights(self, scores: torch.Tensor) -> torch.Tensor:
            seq_len = scores.size(-1)
            scores = scores.masked_fill(self.mask[:seq_len, :seq_len], -1e9)
            return self.dropout(torch.softmax(scores, -1))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            weights = self._attention_weights(self._attention_scores(x))
            return torch.matmul(weights, self.W_value(x))
no-scale: ` / self.d_k**0.5` →
scaled-by-input-width: self.d_k = d_out → self.d_k = d_in
scaled-without-root: self.d_k**0.5 → self.d_k
keys-as-queries: q = self.W_query(x) → q = self.W_key(x)
scaled-twice: self.W_key(x).mT) → self.W_key(x).mT) / self.d_k**0.5
mask-fills-small: -1e9 → -1
mask-fills-zero: -1e9 → 0.0
mask-polarity: ~allowed → allowed
past-hidden: .tril() → .triu()
diagonal-hidden: .tril() → .tril(-1)
diagonal-too-far: .tril() → .tril(diagonal=1)
mask-not-cut: self.mask[:seq_len, :seq_len] → self.mask
mask-not-a-buffer: line mask" → self.mask = ~allowed
softmax-over-queries: torch.softmax(scores, -1) → torch.softmax(scores, 1)
no-softmax: torch.softmax(scores, -1) → scores
    -1e9 → 0.0
dropout-on-scores: self.dropout(torch.softmax(scores, -1)) → torch.softmax(self.dropout(scores), -1)
dropout-typed-in: nn.Dropout(dropout) → nn.Dropout(0.2)
input-as-values: matmul(weights, self.W_value(x)) → matmul(weights, x)
queries-as-values: matmul(weights, self.W_value(x)) → matmul(weights, self.W_query(x))
bias-always: nn.Linear(d_in, d_out, qkv_bias) →3 nn.Linear(d_in, d_out)
dropout-on-context: self.dropout(torch.softmax(scores, -1)) → torch.softmax(scores, -1)
    line W_value(x) → return self.dropout(torch.matmul(weights, self.W_value(x)))
one fused call: cell
    class CausalAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super().__init__()
            self.dropout_p = dropout
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            mask = torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), 1)
            self.register_buffer("mask", mask)

        def forward(self, x):
            T = x.shape[1]
            q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
            may_look = ~self.mask[:T, :T]
            return F.scaled_dot_product_attention(
                q,
                k,
                v,
                attn_mask=may_look,
                dropout_p=self.dropout_p if self.training else 0.0,
            )
mask-polarity: ~self.mask → self.mask
mask-added: ~self.mask[:T, :T] → self.mask[:T, :T].to(x.dtype)
no-mask: line attn_mask →
mask-not-cut: ~self.mask[:T, :T] → ~self.mask
mask-not-a-buffer: line mask) → self.mask = mask
diagonal-hidden: dtype=torch.bool), 1) → dtype=torch.bool))
bias-never: bias=qkv_bias →3 bias=False
diagonal-too-far: dtype=torch.bool), 1) → dtype=torch.bool), 2)
bias-always: bias=qkv_bias →3 bias=True
past-hidden: torch.triu( → torch.tril(
    dtype=torch.bool), 1) → dtype=torch.bool), -1)
no-scale: else 0.0, → else 0.0,↵scale=1.0,
scaled-twice: `            q,↵` → `            q / q.shape[-1] ** 0.5,↵`
scaled-by-input-width: else 0.0, → else 0.0,↵scale=x.shape[-1] ** -0.5,
dropout-in-eval: self.dropout_p if self.training else 0.0 → self.dropout_p
no-dropout: line training →
scores-turned: line q,↵k, → k,↵q,
keys-as-values: line k,↵v, → k,↵k,
queries-as-keys: line k,↵v, → q,↵v,
projections-swapped: q, k, v = self.W_query(x) → k, q, v = self.W_query(x)
softmax by hand:
    hidden: dropout-renormalised+mask-after-softmax
    cell
        class CausalAttention(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
                super().__init__()
                for name in ("W_query", "W_key", "W_value"):
                    setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))
                self.dropout = nn.Dropout(dropout)
                self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

            def forward(self, inputs):
                batch_size, length, _ = inputs.shape
                query = self.W_query(inputs)
                key = self.W_key(inputs)
                value = self.W_value(inputs)
                energy = query.matmul(key.transpose(1, 2)) / (key.shape[2] ** (1 / 2))
                visible = self.mask[:length, :length]
                energy = energy - energy.amax(dim=-1, keepdim=True)
                exp = torch.exp(energy - energy.amax(-1, True)) * visible
                attention = exp / exp.sum(dim=-1, keepdim=True)
                attention = self.dropout(attention)
                context = attention.matmul(value)
                return context
no-scale: ` / (key.shape[2] ** (1 / 2))` →
scaled-without-root: (key.shape[2] ** (1 / 2)) → key.shape[2]
scaled-up: / (key.shape[2] ** (1 / 2)) → * (key.shape[2] ** (1 / 2))
bias-always: , bias=qkv_bias →
scaled-by-tokens: (key.shape[2] ** (1 / 2)) → (key.shape[1] ** (1 / 2))
no-mask: torch.exp(energy - energy.amax(-1, True)) * visible → torch.exp(energy)
past-hidden: torch.tril( → torch.triu(
mask-polarity: self.mask[:length, :length] → 1 - self.mask[:length, :length]
mask-not-cut: self.mask[:length, :length] → self.mask
softmax-over-queries: exp.sum(dim=-1, keepdim=True) → exp.sum(dim=1, keepdim=True)
sums-without-keepdim: exp.sum(dim=-1, keepdim=True) → exp.sum(dim=-1)[:, None]
keys-as-values: attention.matmul(value) → attention.matmul(key)
input-as-values: attention.matmul(value) → attention.matmul(inputs)
weights-on-the-right: attention.matmul(value) → attention.transpose(1, 2).matmul(value)
no-dropout: line attention) →
mask-after-softmax: torch.exp(energy - energy.amax(-1, True)) * visible → torch.exp(energy)
    line attention) → attention = self.dropout(attention * visible)
mask-not-a-buffer: line mask" → self.mask = torch.tril(torch.ones(context_length, context_length))
no-softmax: torch.exp(energy - energy.amax(-1, True)) * visible → energy * visible
    line exp.sum → attention = exp
    line energy.amax(dim=-1 →
shares-of-raw-scores: torch.exp(energy - energy.amax(-1, True)) * visible → energy * visible
    line energy.amax(dim=-1 →
dropout-renormalised:
    line value) → context = (attention / attention.sum(-1, keepdim=True).clamp(min=1e-9)).matmul(value)
dropout-on-context: line attention) →
    return context → return self.dropout(context)
a loop over the batch: cell
    class CausalAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super().__init__()
            self.context_length = context_length
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.dropout = nn.Dropout(dropout)
            self.register_buffer("mask", torch.triu(torch.full((context_length, context_length), -torch.inf), 1))

        def one_sentence(self, sentence):
            n = len(sentence)
            queries = self.W_query(sentence)
            keys = self.W_key(sentence)
            values = self.W_value(sentence)
            logits = queries @ keys.T / keys.shape[1] ** 0.5 + self.mask[:n, :n]
            probs = torch.softmax(logits, dim=1)
            return self.dropout(probs) @ values

        def forward(self, x):
            outputs = []
            for sentence in x:
                outputs.append(self.one_sentence(sentence))
            return torch.stack(outputs)
no-scale: ` / keys.shape[1] ** 0.5` →
scaled-by-tokens: keys.shape[1] ** 0.5 → keys.shape[0] ** 0.5
scaled-without-root: keys.shape[1] ** 0.5 → keys.shape[1]
no-mask: ` + self.mask[:n, :n]` →
scaled-by-input-width: keys.shape[1] ** 0.5 → sentence.shape[1] ** 0.5
scores-turned: queries @ keys.T → keys @ queries.T
mask-added: -torch.inf), 1) → 1.0), 1)
queries-as-keys: queries @ keys.T → queries @ queries.T
mask-fills-small: -torch.inf), 1) → -3.0), 1)
past-hidden: -torch.inf), 1) → -torch.inf), 1).T
diagonal-too-far: -torch.inf), 1) → -torch.inf), 2)
diagonal-hidden: -torch.inf), 1) → -torch.inf), 0)
mask-not-cut: self.mask[:n, :n] → self.mask
softmax-over-queries: torch.softmax(logits, dim=1) → torch.softmax(logits, dim=0)
no-dropout: self.dropout(probs) @ values → probs @ values
bias-never: bias=qkv_bias →3 bias=False
dropout-on-context: self.dropout(probs) @ values → self.dropout(probs @ values)
queries-as-values: self.dropout(probs) @ values → self.dropout(probs) @ queries
detached: self.one_sentence(sentence)) → self.one_sentence(sentence).detach())
zero-times-infinity:
    torch.triu(torch.full((context_length, context_length), -torch.inf), 1) → torch.triu(torch.ones(context_length, context_length), 1) * -torch.inf
first-sequence-only: for sentence in x: → for sentence in x[:1]:
batch-mixed: line stack → return sum(outputs) / len(x) + 0 * torch.stack(outputs)
one joined projection: cell
    class CausalAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super().__init__()
            self.W_query = nn.Linear(d_in, d_out, bias=bool(qkv_bias))
            self.W_key = nn.Linear(d_in, d_out, bias=bool(qkv_bias))
            self.W_value = nn.Linear(d_in, d_out, bias=bool(qkv_bias))
            self.dropout = nn.Dropout(dropout)
            self.softmax = nn.Softmax(dim=-1)
            self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.uint8).triu_(1))

        def forward(self, x):
            layers = [self.W_query, self.W_key, self.W_value]
            q, k, v = torch.cat([layer(x) for layer in layers], dim=-1).chunk(3, dim=-1)
            d_k = k.size(-1)
            score = torch.baddbmm(
                torch.zeros(1, 1, 1, dtype=x.dtype, device=x.device), q, k.transpose(-1, -2), alpha=d_k**-0.5
            )
            blocked = self.mask[: x.size(-2), : x.size(-2)] == 1
            score[:, blocked] = float("-inf")
            prob = self.dropout(self.softmax(score))
            return prob.bmm(v)
no-scale: , alpha=d_k**-0.5 →
scaled-by-input-width: d_k = k.size(-1) → d_k = x.size(-1)
scaled-by-tokens: d_k = k.size(-1) → d_k = k.size(-2)
mask-polarity: ] == 1 → ] == 0
scaled-without-root: alpha=d_k**-0.5 → alpha=1 / d_k
mask-fills-zero: float("-inf") → 0
projections-swapped: [self.W_query, self.W_key, self.W_value] → [self.W_key, self.W_query, self.W_value]
keys-as-values: [self.W_query, self.W_key, self.W_value] → [self.W_query, self.W_key, self.W_key]
diagonal-hidden: .triu_(1) → .triu_()
past-hidden: .triu_(1) → .tril_(-1)
mask-not-cut: self.mask[: x.size(-2), : x.size(-2)] → self.mask
bias-always: , bias=bool(qkv_bias) →3
no-mask: line float →
weights-returned: return prob.bmm(v) → return prob
softmax-over-queries: nn.Softmax(dim=-1) → nn.Softmax(dim=1)
softmax-over-batch: nn.Softmax(dim=-1) → nn.Softmax(dim=0)
softmax-twice: self.softmax(score) → self.softmax(self.softmax(score))
no-dropout: self.dropout(self.softmax(score)) → self.softmax(score)
half-precision: return prob.bmm(v) → return prob.half().bmm(v.half()).to(x.dtype)
dropout-on-scores: self.dropout(self.softmax(score)) → self.softmax(self.dropout(score))
    float("-inf") → -1e9
dropout-on-input: self.dropout(self.softmax(score)) → self.softmax(score)
    layer(x) for → layer(self.dropout(x)) for
"""
)
