"""Answers to lesson 02 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "02-trainable"
TASKS = read(
    LESSON,
    r'''
== scores-of-one-query
with-the-values (named): = values @ query_2
own-key-as-query (named): = keys @ keys[1]
queries-with-the-key (named): = (inputs @ W_query) @ keys[1]
query-with-queries (named, values): = (inputs @ W_query) @ query_2
products-not-added (named, shape): = query_2 * keys
added-over-the-tokens (named, shape): = (query_2 * keys).sum(0)
mean-not-sum (named, values): = (query_2 * keys).mean(-1)
scaled-and-softmaxed (named, values): = (query_2 @ keys.T / 2**0.5).softmax(-1)
a-column (shape): = keys @ query_2.reshape(-1, 1)
cosine-similarity (named, values): = torch.cosine_similarity(keys, query_2[None])
overwritten-in-the-loop (named, shape): line keys.T → for k in keys:↵    attn_scores_2 = torch.dot(query_2, k)
keys-viewed-not-turned (named, values): T → view(2, -1)
whole-numbers (dtype): = (keys @ query_2).int()
copied-with-four-decimals (values, not computed):
    never: SAME_DIGITS
    = torch.tensor([1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440])
query-typed-in (not computed, passes in the notebook):
    says: TYPED_IN
    = keys @ torch.tensor([0.4306369423866272, 1.455058217048645])
without-own-score (shape): = keys[[0, 2, 3, 4, 5]] @ query_2
left-as-it-was (stub): = ...  # your code here
mv: = torch.mv(keys, query_2)
functional-linear: = nn.functional.linear(query_2, keys)
float64: = keys.double() @ query_2.double()
loop-into-zeros: cell
    attn_scores_2 = torch.zeros(keys.shape[0])
    for i in range(keys.shape[0]):
        attn_scores_2[i] = sum(query_2 * keys[i])
squeezed-row: = (query_2[None, :] @ keys.transpose(0, 1)).squeeze(0)
inner: = torch.inner(query_2, keys)
tensor-of-items: = torch.tensor([(query_2 @ k).item() for k in keys])
== scaled-weights
times-d-k (named, values): / d_k**0.5 → * d_k
square-not-root (named, values): 0.5 → 2
    never: `d_k\*\*1/2` means
d-in (named): d_k → d_in
rows-of-the-keys (named): d_k**0.5 → keys.shape[0] ** 0.5
scaled-before-and-after (named, values, rule): dim=-1) → -1) / d_k**0.5
scaled-twice (named): line torch → s = attn_scores_2 / d_k**0.5↵attn_weights_2 = (s / d_k**0.5).softmax(0)
divided-by-the-sum (named, values): line torch → s = attn_scores_2 / d_k**0.5↵attn_weights_2 = s / s.sum()
log-softmax (named, rule): = torch.log_softmax(attn_scores_2 / d_k**0.5, -1)
softmax-twice (named, values):
    line torch → w = (attn_scores_2 / d_k**0.5).softmax(0)↵attn_weights_2 = w.softmax(0)
floor-division (named, values): / d_k → // d_k
integer-half (named): 0.5 → (1//2)
trivial-axis (named, values, rule): = torch.softmax((attn_scores_2 / d_k**0.5)[:, None], dim=1).squeeze()
softmax-of-the-keys (shape): attn_scores_2 → keys
copied-with-four-decimals (values, not computed):
    never: SAME_DIGITS
    = torch.tensor([0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820])
half-precision (dtype): = (attn_scores_2 / d_k**0.5).softmax(0).bfloat16()
module-not-called (type): = nn.Softmax(dim=-1)
a-row (shape): attn_scores_2 → attn_scores_2[None]
root-of-a-tensor: = (attn_scores_2 / torch.sqrt(torch.tensor(d_k))).softmax(-1)
by-hand: cell
    scaled = attn_scores_2 / d_k**0.5
    e = torch.exp(scaled - scaled.max())
    attn_weights_2 = e / e.sum()
log-and-back: line torch → s = attn_scores_2 / d_k**0.5↵attn_weights_2 = (s - s.logsumexp(0)).exp()
module: = nn.Softmax(dim=-1)(attn_scores_2 / d_k**0.5)
float64: 1 → 1, dtype=torch.float64
shifted-first: = ((attn_scores_2 - attn_scores_2.max()) / d_k**0.5).softmax(0)
fused-attention: cell
    import torch.nn.functional as F
    eye = torch.eye(6)[None]
    attn_weights_2 = F.scaled_dot_product_attention(query_2[None, None], keys[None], eye)[0, 0]
in-place-on-a-copy:
    line torch → scaled = attn_scores_2.clone()↵scaled /= d_k ** (1 / 2)↵attn_weights_2 = scaled.softmax(-1)
== context-of-one-token
scaled-scores (named, values): = (attn_scores_2 / d_k**0.5) @ values
unscaled-weights (named, values): = torch.softmax(attn_scores_2, -1) @ values
products-not-added (named, shape): = attn_weights_2.unsqueeze(1) * values
added-over-the-dimensions (named, shape): = (attn_weights_2[:, None] * values).sum(-1)
mean-of-the-products (named, values): = (attn_weights_2[:, None] * values).mean(0)
token-added (values): = values[1] + attn_weights_2 @ values
a-column (shape): = values.T @ attn_weights_2[:, None]
every-context (named, shape):
    line values → w = torch.softmax(inputs @ W_query @ keys.T / d_k**0.5, dim=-1)↵context_vec_2 = w @ values
copied-with-four-decimals (values, not computed): = torch.tensor([0.3061, 0.8210])
    never: SAME_DIGITS
broadcasting: = (attn_weights_2.unsqueeze(-1) * values).sum(dim=0)
loop: cell
    context_vec_2 = torch.zeros(d_out)
    for weight, value in zip(attn_weights_2, values):
        context_vec_2 += weight * value
builtin-sum: = sum(w * v for w, v in zip(attn_weights_2, values))
float64: = attn_weights_2.double() @ values.double()
fused-attention: cell
    context_vec_2 = nn.functional.scaled_dot_product_attention(
        query_2[None, None], keys[None], values[None]
    ).flatten()
squeezed-row: = torch.mm(attn_weights_2.view(1, -1), values).squeeze()
stacked-dimensions: = torch.stack([attn_weights_2 @ v for v in values.T])
row-of-all-contexts: = (torch.softmax(inputs @ W_query @ keys.T / d_k**0.5, dim=-1) @ values)[1]
multi-dot: = torch.linalg.multi_dot([attn_weights_2, inputs, W_value])
== self-attention-v1
softmax-over-the-queries (named) from divided-by-d-k: [-1], dim=-1 → [-1] ** 0.5, dim=0
not-scaled (named): above queries = x → keys = x @ self.W_key
    line keys = x →
    line keys.T … return →:
        attn_scores = queries @ keys.T  # omega
        attn_weights = torch.softmax(attn_scores, dim=-1)
        return attn_weights @ values
divided-by-d-k (named) from scale-of-the-notebook: d_k ** 0.5 → keys.shape[-1]
times-the-root (named) from scale-of-the-notebook: / d_k → * keys.shape[-1]
scaled-by-d-in (named) from scale-of-the-notebook: d_k → x.shape[-1]
scaled-by-tokens (named) from scale-of-the-notebook: d_k → keys.shape[0]
scaled-after-the-softmax (named) from not-scaled: 1) → 1) / keys.shape[-1] ** 0.5
scale-of-the-notebook (named, keeps 2) from not-scaled: attn_scores, → attn_scores / d_k ** 0.5,
    says: `d_k`
scale-typed-in (named, keeps 2) from scale-of-the-notebook: d_k ** 0.5 → 1.4142135623730951
keys-ask (named) from scale-of-the-notebook: queries @ keys → keys @ queries
    d_k → keys.shape[-1]
weights-on-the-keys (named) from weights-on-the-tokens: @ x → @ keys
weights-on-the-tokens (named, shape) from scale-of-the-notebook: d_k → keys.shape[-1]
    @ values → @ x
weights-turned (named) from weights-on-the-tokens: attn_weights @ x → attn_weights.T @ values
no-softmax (named, values) from scaled-after-the-softmax: torch.softmax(attn_scores, dim=-1) → attn_scores
divided-by-the-row-sum (named, values) from scaled-after-the-softmax:
    line shape → attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)
naive-softmax-without-keepdim (named, values) from not-scaled:
    line dim=-1 → e = torch.exp(attn_scores / keys.shape[-1] ** 0.5)↵attn_weights = e / e.sum(dim=-1)
softmax-over-everything (named, values) from scaled-after-the-softmax: torch.softmax →
    , dim=-1) →
    0.5 → 0.5).flatten().softmax(0).view_as(attn_scores)
values-of-the-notebook (named, raised, values) from scale-of-the-notebook: values = → value =
    d_k → keys.shape[-1]
keys-of-the-notebook (named, raised, shape, values, rule) from scale-of-the-notebook: keys = → key =
    d_k → keys.shape[-1]
matrices-of-the-notebook (named, raised, shape, values, rule) from keys-of-the-notebook:
    line key = x … values = x → keys = x @ W_key↵queries = x @ W_query↵values = x @ W_value
sizes-of-the-notebook (parameters, keeps 2) from scale-of-the-notebook: below super → d_in, d_out = 3, 2
    d_k → keys.shape[-1]
plain-tensors (parameters) from self-forgotten: W_query = nn.Parameter( → self.W_query = (
    W_key = nn.Parameter( → self.W_key = (
    W_value = nn.Parameter( → self.W_value = (
switched-off (named, parameters, rule, behaviour, keeps 3) from set-in-a-loop:
    never: numbers are right.*numbers are right.*\|
    line self.d_k … setattr →:
        self.W_query = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
        self.W_key = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
        self.W_value = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
drawn-from-the-normal-distribution (named, values, behaviour, keeps 3) from plain-tensors:
    W_query = (torch.rand → W_query = nn.Parameter(torch.randn
    W_key = (torch.rand → W_key = nn.Parameter(torch.randn
    W_value = (torch.rand → W_value = nn.Parameter(torch.randn
zeros (named, values, behaviour, keeps 3) from set-in-a-loop: line self.d_k … setattr →:
    self.W_query = nn.Parameter(torch.zeros(d_in, d_out))
    self.W_key = nn.Parameter(torch.zeros(d_in, d_out))
    self.W_value = nn.Parameter(torch.zeros(d_in, d_out))
xavier (named, values, behaviour, keeps 3) from keys-ask:
    below W_value = nn → for p in self.parameters():↵    nn.init.xavier_uniform_(p)
    keys @ queries → queries @ keys
own-seed (named, values, behaviour, keeps 3) from sizes-of-the-notebook:
    line d_out = 3 → torch.manual_seed(123)
one-matrix-for-all (named, parameters, values) from sizes-of-the-notebook:
    never: has no parameter
    line d_out = 3 … W_value = nn →:
        W = nn.Parameter(torch.rand(d_in, d_out))
        self.W_query = self.W_key = self.W_value = W
turned-matrices (parameters) from set-in-a-loop: line self.d_k … setattr →:
    self.W_query = nn.Parameter(torch.rand(d_out, d_in))
    self.W_key = nn.Parameter(torch.rand(d_out, d_in))
    self.W_value = nn.Parameter(torch.rand(d_out, d_in))
turned-matrices-turned-back (parameters, keeps 2) from turned-matrices: @ self.W_key → @ self.W_key.T
    @ self.W_query → @ self.W_query.T
    @ self.W_value → @ self.W_value.T
short-names (parameters, keeps 3) from keys-of-the-notebook: W_query = → W_q =
    W_key = → W_k =
    W_value = → W_v =
    line key = x … values = x → keys = x @ self.W_k↵queries = x @ self.W_q↵values = x @ self.W_v
linear-layers (named, parameters, keeps 2) from init-misspelt: def _init_ → def __init__
    line W_query = nn … W_value = nn →:
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
    line keys = x … values = x → keys = self.W_key(x)↵queries = self.W_query(x)↵values = self.W_value(x)
fused-matrix (parameters):
    line W_query = nn … W_value = nn → self.W_qkv = nn.Parameter(torch.rand(d_in, 3 * d_out))
    line queries = x … return →:
        q, k, v = (x @ self.W_qkv).chunk(3, dim=-1)
        return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
a-fourth-parameter (parameters, keeps 3) from return-forgotten:
    below W_value = nn → self.W_o = nn.Parameter(torch.eye(d_out))
    line context_vec → return attn_weights @ values @ self.W_o
drawn-in-every-forward (parameters): line W_query = nn … W_value = nn → self.d_in, self.d_out = d_in, d_out
    line queries = x … return →:
        W_query = torch.rand(self.d_in, self.d_out)
        W_key = torch.rand(self.d_in, self.d_out)
        W_value = torch.rand(self.d_in, self.d_out)
        queries, keys, values = x @ W_query, x @ W_key, x @ W_value
        return torch.softmax(queries @ keys.T / self.d_out**0.5, dim=-1) @ values
drawn-anew-over-the-parameters (named, raised, shape, values, rule, behaviour) from edits-its-argument:
    line x.norm → self.W_query = nn.Parameter(torch.rand(x.shape[1], 2))
only-two-matrices (parameters) from values-of-the-notebook: line W_value = nn →
    line value = x → values = x @ self.W_key
self-forgotten (raised, parameters) from scale-of-the-notebook: self.W_query = → W_query =
    self.W_key = → W_key =
    self.W_value = → W_value =
    d_k → keys.shape[-1]
super-forgotten (raised) from scale-of-the-notebook: line super →
    d_k → keys.shape[-1]
return-forgotten (type) from weights-on-the-tokens: line return → context_vec = attn_weights @ values
returns-the-weights (shape) from weights-on-the-tokens: attn_weights @ x → attn_weights
returns-both (type, keeps 3) from weights-on-the-tokens: @ x → @ values, attn_weights
returns-one-token (shape) from weights-on-the-tokens: line return → return (attn_weights @ values)[1]
six-tokens-always (raised, keeps 2) from fused-attention: line return →:
    out = torch.zeros(6, v.shape[1])
    for i in range(6):
        out[i] = torch.softmax(k @ q[i] / k.shape[1] ** 0.5, dim=0) @ v
    return out
two-dimensions-always (shape, keeps 2) from fused-attention: line return →:
    w = torch.softmax(q @ k.T / k.shape[1] ** 0.5, dim=-1)
    return torch.stack([w @ v[:, 0], w @ v[:, 1]], dim=1)
detached (named, rule, behaviour, keeps 3) from returns-one-token: [1] → .detach()
values-without-gradient (named, rule, behaviour, keeps 3) from residual: @ self.W_value → @ self.W_value.data
    return values + → return
edits-its-argument (named, values, rule) from returns-both: above keys = x → x /= x.norm(dim=-1, keepdim=True)
    , attn_weights →
edits-its-argument-afterwards (rule, keeps 3) from keys-of-the-notebook: key = x → keys = x
    below shape → x.div_(x.norm())
future-hidden (named, values) from scaled-after-the-softmax: (attn_scores, dim=-1) → ((attn_scores
    0.5 → 0.5).masked_fill(torch.ones_like(attn_scores).triu(1).bool(), -torch.inf), dim=-1)
dropout-inside (named, values, rule, behaviour) from divided-by-d-k: = torch → = nn.functional.dropout(torch
    ], dim=-1) → ] ** 0.5, dim=-1), 0.1)
residual (named, values) from return-forgotten: context_vec = → return values +
half-precision (dtype, keeps 3) from returns-one-token: [1] → .half()
forward-misspelt (raised) from scale-of-the-notebook:
    never: Replace the `\.\.\.`
    forward → foward
    d_k → keys.shape[-1]
init-misspelt (raised) from scale-of-the-notebook: def __init__ → def _init_
    d_k → keys.shape[-1]
name-without-underscore (missing) from scale-of-the-notebook:
    says: `SelfAttentionV1`
    SelfAttention_v1 → SelfAttentionV1
    d_k → keys.shape[-1]
no-module (named, raised, type, parameters) from super-forgotten: (nn.Module) →
a-function (no function, raised, type): cell
    def SelfAttention_v1(x, W_query, W_key, W_value):
        q, k, v = x @ W_query, x @ W_key, x @ W_value
        return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
axes-named-the-wrong-way (raised) from keys-ask: keys @ queries.T → queries.T @ keys
float64-inside (named, dtype, keeps 3): body forward
    x = x.double()
    q, k, v = (x @ w.double() for w in (self.W_query, self.W_key, self.W_value))
    return ((q @ k.T / k.shape[-1] ** 0.5).softmax(-1) @ v).float()
fused-attention (costs 2): body forward
    q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
    return nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
set-in-a-loop from sizes-of-the-notebook: line d_out = 3 … W_value = nn →:
    self.d_k = d_out
    for name in ("W_query", "W_key", "W_value"):
        setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))
registered-by-hand from set-in-a-loop: line self.d_k … setattr →:
    self.register_parameter("W_query", nn.Parameter(torch.rand(d_in, d_out)))
    self.register_parameter("W_key", nn.Parameter(torch.rand(d_in, d_out)))
    self.register_parameter("W_value", nn.Parameter(torch.rand(d_in, d_out)))
initialised-uniformly from a-function:
    line def … return → class SelfAttention_v1(nn.Module):↵    def __init__(self, d_in, d_out):↵        super().__init__()↵        self.W_query = nn.Parameter(torch.empty(d_in, d_out))↵        self.W_key = nn.Parameter(torch.empty(d_in, d_out))↵        self.W_value = nn.Parameter(torch.empty(d_in, d_out))↵        self.reset()↵↵    def forward(self, x):↵        keys = x @ self.W_key↵        queries = x @ self.W_query↵        values = x @ self.W_value↵        attn_scores = queries @ keys.T  # omega↵        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)↵        return attn_weights @ values↵↵    def reset(self):↵        for w in (self.W_query, self.W_key, self.W_value):↵            nn.init.uniform_(w)
drawn-in-order-assigned-otherwise from set-in-a-loop: line self.d_k … setattr →:
    q, k, v = (torch.rand(d_in, d_out) for _ in range(3))
    self.W_value = nn.Parameter(v)
    self.W_key = nn.Parameter(k)
    self.W_query = nn.Parameter(q)
helper-function-and-subclass from a-function:
    line def … return → import math↵↵def attend(q, k, v):↵    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))↵    return torch.softmax(scores, dim=-1) @ v↵↵class Base(nn.Module):↵    def __init__(self, d_in: int, d_out: int) -> None:↵        super().__init__()↵        self.W_query = nn.Parameter(torch.rand(d_in, d_out))↵        self.W_key = nn.Parameter(torch.rand(d_in, d_out))↵        self.W_value = nn.Parameter(torch.rand(d_in, d_out))↵↵class SelfAttention_v1(Base):↵    def forward(self, x: torch.Tensor) -> torch.Tensor:↵        return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value)
extra-attributes-and-a-buffer from init-misspelt: def _init_ → def __init__
    below W_value = nn →:
        self.d_in, self.d_out = d_in, d_out
        self.softmax = nn.Softmax(dim=-1)
        self.register_buffer("root", torch.tensor(d_out**0.5))
    line keys = x … return →:
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        self.last_weights = self.softmax(q @ k.T / self.root)
        return torch.matmul(self.last_weights, v)
batched-products: body forward
    W = torch.stack([self.W_query, self.W_key, self.W_value])
    q, k, v = torch.bmm(x.expand(3, *x.shape), W)
    s = torch.bmm(q[None], k[None].mT) * k.shape[-1] ** -0.5
    return torch.bmm(s.softmax(-1), v[None]).squeeze(0)
softmax-by-hand from fused-attention: line return →:
    s = q @ k.T / self.W_key.size(1) ** 0.5
    e = (s - s.max(dim=1, keepdim=True).values).exp()
    return e @ v / e.sum(1, keepdim=True)
functional-linear-and-partial (costs 2): above → from functools import partial↵import torch.nn.functional as F
    line def __init__ … W_value = nn →:
        """Single-head attention."""

        def __init__(self, d_in, d_out, **kwargs):
            super().__init__(**kwargs)
            new = lambda: nn.Parameter(torch.rand(d_in, d_out))
            self.W_query, self.W_key, self.W_value = new(), new(), new()
            self.attend = partial(F.scaled_dot_product_attention, dropout_p=0.0)
    line queries = x … return →:
        q, k, v = [F.linear(x, w.T) for w in (self.W_query, self.W_key, self.W_value)]
        return self.attend(q, k, v)
== score-spread
never-scaled (named, keeps 1): = (queries @ keys.T).std()
always-scaled (named, keeps 1): = (queries @ keys.T / queries.shape[-1] ** 0.5).std()
times-the-root (named, keeps 1): scores = queries → s = queries
    scores = scores / → s = s *
    scores. → s.
number-of-queries (named, values, keeps 1) from times-the-root: * keys.shape[-1] → / len(queries)
size-of-the-notebook (named, values, keeps 1) from times-the-root: line shape → s = s / d_k**0.5
    says: `d_k`
polarity-turned (named, values) from keys-with-keys: = keys → = queries
    scaled: → not scaled:
variance (named) from method-not-called: std → var()
numpy-std (named, values) from method-not-called: std → numpy().std()
for-each-query (named, shape) from variance: var( → std(dim=-1
mean-of-the-rows-spreads (named, values) from numpy-std: numpy().std() → std(-1).mean()
pairs-only (raised) from keys-with-keys: keys @ keys.T → (queries * keys).sum(-1)
queries-with-queries (named, values) from keys-with-keys: keys @ keys → queries @ queries
keys-with-keys (named, values): scores = queries → s = keys
    scores = scores → s = s
    scores. → s.
softmax-as-well (named, values) from numpy-std: numpy( → softmax(-1
softmax-when-scaled (named, values, keeps 1) from times-the-root:
    line shape → s = (s / keys.shape[-1] ** 0.5).softmax(-1)
returned-only-when-scaled (type, keeps 1): scores = queries → s = queries
    line shape … return → return (s / keys.shape[-1] ** 0.5).std()
returned-only-when-plain (type, keeps 1) from polarity-turned: s = s / keys.shape[-1] ** 0.5 → return s.std()
    return s.std() → s = s / keys.shape[-1] ** 0.5
returns-the-scores (named, shape): scores = queries → s = queries
    scores = scores → s = s
    scores.std() → s
method-not-called (type) from returns-the-scores: return s → return s.std
std-and-mean (type, keeps 1) from numpy-std: s.numpy().std() → torch.std_mean(s)
edits-its-queries (rule, keeps 1): line keys.T →
    scores = scores / keys → queries /= queries
    scores. → (queries @ keys.T).
theory-instead-of-measuring (values):
    line keys.T … return → d_k = keys.shape[-1]↵return torch.tensor(1.0) if scaled else torch.tensor(d_k**0.5)
root-of-an-int (raised, keeps 1) from times-the-root: line shape → s = s / torch.sqrt(keys.shape[-1])
scale-then-twice (named, keeps 1) from numpy-std: line return →:
        s = s / keys.shape[-1] ** 0.5
    return s.std()
with-an-axis (shape) from numpy-std: numpy().std( → std().reshape(1
einsum: body
    s = torch.einsum("qd,kd->qk", queries, keys)
    if scaled is True:
        s.div_(keys.shape[-1] ** 0.5)
    return s.std()
python-number from numpy-std: scaled: → scaled == True:
    = s / → /=
    numpy().std → std().item
numpy-with-correction: line keys.T → import numpy as np↵s = queries.numpy() @ keys.numpy().T
    scores = scores / keys → s = s / np.sqrt(keys
    [-1] ** 0.5 → [-1])
    scores.std( → s.std(ddof=1
loops: body
    scores = []
    for q in queries:
        for k in keys:
            score = torch.dot(q, k)
            if scaled:
                score = score / len(k) ** 0.5
            scores.append(score)
    return torch.std(torch.stack(scores))
by-hand from python-number: line True: … return →:
    if scaled:
        s = s * keys.shape[-1] ** -0.5
    deviations = s - s.mean()
    return ((deviations**2).sum() / (s.numel() - 1)).sqrt()
lambda: cell
    score_spread = lambda queries, keys, scaled: torch.std(queries @ keys.T / (queries.shape[-1] ** 0.5) ** int(scaled))
statistics: body
    import statistics
    s = (queries @ keys.T).flatten().tolist()
    return statistics.stdev(s) / (keys.shape[-1] ** 0.5 if scaled else 1)
where: body
    d_k = torch.tensor(float(keys.shape[-1]))
    divisor = torch.where(torch.tensor(scaled), d_k.sqrt(), torch.tensor(1.0))
    return (queries @ keys.T / divisor).std()
== self-attention-v2
softmax-over-the-queries (named) from divided-by-d-k: [-1], dim=-1 → [-1] ** 0.5, dim=0
not-scaled (named) from times-the-root: attn_scores * keys.shape[-1] ** 0.5 → attn_scores
divided-by-d-k (named) from scaled-by-d-in: x.shape[-1] ** 0.5 → keys.shape[-1]
times-the-root (named): above W_query(x) → keys = self.W_key(x)
    line W_key(x) →
    scores = → attn_scores =
    weights = → attn_weights =
    scores / → attn_scores *
    weights @ → attn_weights @
scaled-by-d-in (named) from times-the-root: * keys → / x
scaled-by-tokens (named) from scale-of-the-notebook: d_k → len(keys)
scaled-after-the-softmax (named) from not-scaled: 1) → 1) / keys.shape[-1] ** 0.5
scale-of-the-notebook (named, keeps 1) from times-the-root: * keys.shape[-1] → / d_k
    says: `d_k`
keys-ask (named) from times-the-root: queries @ keys → keys @ queries
    * keys → / keys
weights-on-the-keys (named) from weights-on-the-tokens: @ x → @ keys
weights-on-the-tokens (named, shape) from times-the-root: * keys → / keys
    @ values → @ x
weights-turned (named) from weights-on-the-tokens: attn_weights @ x → attn_weights.T @ values
no-softmax (named, values) from scaled-after-the-softmax: torch.softmax(attn_scores, dim=-1) → attn_scores
bias-always (named, parameters, keeps 2) from bias-only-for-the-queries: =qkv_bias → =True
    W_key = nn.Linear(d_in, d_out, bias=False → W_key = nn.Linear(d_in, d_out, bias=True
    W_value = nn.Linear(d_in, d_out, bias=False → W_value = nn.Linear(d_in, d_out, bias=True
bias-never (named, parameters, keeps 2) from bias-only-for-the-queries: =qkv_bias → =False
bias-polarity (named, parameters, keeps 1) from bias-only-for-the-queries: =qkv_bias → =not qkv_bias
    W_key = nn.Linear(d_in, d_out, bias=False → W_key = nn.Linear(d_in, d_out, bias=not qkv_bias
    W_value = nn.Linear(d_in, d_out, bias=False → W_value = nn.Linear(d_in, d_out, bias=not qkv_bias
bias-only-for-the-queries (named, parameters, keeps 2) from frozen: line W_key = nn … requires_grad_ →:
    self.W_key = nn.Linear(d_in, d_out, bias=False)
    self.W_value = nn.Linear(d_in, d_out, bias=False)
switch-on-by-default (parameters, keeps 2) from times-the-root: False → True
    * keys → / keys
bias-dropped-in-forward (named, values, keeps 2) from weight-not-turned: W_key.weight → W_key.weight.T
    W_query.weight → W_query.weight.T
    W_value.weight → W_value.weight.T
weight-not-turned (raised) from layer-as-a-matrix: @ self.W_key → @ self.W_key.weight
    @ self.W_query → @ self.W_query.weight
    @ self.W_value → @ self.W_value.weight
layer-as-a-matrix (raised) from linear-then-relu:
    line W_key(x) … relu → keys = x @ self.W_key↵queries = x @ self.W_query↵values = x @ self.W_value
sizes-swapped (raised, parameters) from one-layer-for-all: line Linear →:
    self.W_query = nn.Linear(d_out, d_in, bias=qkv_bias)
    self.W_key = nn.Linear(d_out, d_in, bias=qkv_bias)
    self.W_value = nn.Linear(d_out, d_in, bias=qkv_bias)
sizes-typed-in (raised, parameters, keeps 1) from one-layer-for-all: line Linear →:
    self.W_query = nn.Linear(3, 2, bias=qkv_bias)
    self.W_key = nn.Linear(3, 2, bias=qkv_bias)
    self.W_value = nn.Linear(3, 2, bias=qkv_bias)
plain-parameters (named, parameters, keeps 1) from switch-on-by-default: True → False
    line W_query = nn … W_value = nn →:
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
    line W_key(x) … keys.T →:
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_scores = queries @ keys.T  # omega
short-names (parameters, keeps 1) from multiplied-by-hand:
    says: W_query
    W_query = → W_q =
    W_key = → W_k =
    W_value = → W_v =
    line W_key(x) … W_value(x) → keys = self.W_k(x)↵queries = self.W_q(x)↵values = self.W_v(x)
fused-layer (parameters):
    line W_query = nn … W_value = nn → self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
    line W_query(x) … return →:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
output-layer-added (parameters) from detached: below W_value = nn → self.out_proj = nn.Linear(d_out, d_out)
    line return → return self.out_proj(attn_weights @ values)
layers-in-a-list (parameters) from fused-layer:
    line Linear → self.layers = [nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3)]
    line chunk → q, k, v = [layer(x) for layer in self.layers]
one-layer-for-all (named, parameters, values) from super-forgotten: body __init__
    super().__init__()
    self.W_query = self.W_key = self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
started-at-zero (named, values, keeps 2) from switch-on-by-default: True → False
    below W_value = nn → for p in self.parameters():↵    nn.init.zeros_(p)
values-of-the-notebook (named, values, rule) from times-the-root: values = → value =
    * keys → / keys
tokens-of-the-notebook (named, values) from multiplied-by-hand: line W_key(x) … W_value(x) →:
    keys = self.W_key(inputs)
    queries = self.W_query(inputs)
    values = self.W_value(inputs)
return-forgotten (type) from weights-on-the-tokens: line return → context = attn_weights @ values
returns-the-weights (shape) from weights-on-the-tokens: attn_weights @ x → attn_weights
returns-both (type, keeps 2) from weights-on-the-tokens: @ x → @ values, attn_weights
frozen (named, rule, keeps 2) from times-the-root: below W_value = nn → self.requires_grad_(False)
    * keys → / keys
detached (named, rule, keeps 2) from weights-on-the-tokens: @ x → @ values.detach()
linear-then-relu (named, values) from values-of-the-notebook:
    line W_value(x) → values = torch.relu(self.W_value(x))
super-forgotten (raised) from times-the-root: line super →
    * keys → / keys
inherits-forward-of-v1 (raised) from frozen: nn.Module → SelfAttention_v1
    line super → nn.Module.__init__(self)
    line requires_grad_ … return →
zeros-filled-token-by-token (named, dtype, keeps 2): body forward
    keys, values = self.W_key(x), self.W_value(x)
    out = torch.zeros(x.shape[0], values.shape[1])
    for i in range(len(x)):
        w = torch.softmax(keys @ self.W_query(x[i]) / keys.shape[-1] ** 0.5, dim=0)
        out[i] = w @ values
    return out
in-a-loop from one-layer-for-all: line Linear →:
    for name in ["W_query", "W_key", "W_value"]:
        self.add_module(name, nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias))
    self.softmax = nn.Softmax(dim=-1)
einsums: body forward
    q, k, v = (layer(x) for layer in (self.W_query, self.W_key, self.W_value))
    s = torch.einsum("qd,kd->qk", q, k) * k.size(-1) ** -0.5
    return torch.einsum("qk,kd->qd", s.softmax(-1), v)
subclass-of-v1-with-its-own-forward from super-forgotten: nn.Module → SelfAttention_v1
    above W_query = nn → nn.Module.__init__(self)
multiplied-by-hand from times-the-root: queries = self → queries = x @ self
    W_query(x → W_query.weight.T + (0 if self.W_query.bias is None else self.W_query.bias
    * keys → / keys
partial-and-helper from inherits-forward-of-v1:
    line class … W_value → import math↵from functools import partial↵↵def softmax_rows(scores):↵    e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))↵    return e / e.sum(dim=-1, keepdim=True)↵↵class SelfAttention_v2(nn.Module):↵    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False):↵        super().__init__()↵        layer = partial(nn.Linear, d_in, d_out, bias=qkv_bias)↵        self.W_query, self.W_key, self.W_value = layer(), layer(), layer()↵↵    @property↵    def d_k(self) -> int:↵        return self.W_key.weight.shape[0]↵↵    def forward(self, x: torch.Tensor) -> torch.Tensor:↵        scores = self.W_query(x) @ self.W_key(x).transpose(0, 1)↵        return softmax_rows(scores / math.sqrt(self.d_k)) @ self.W_value(x)
float64-inside: body forward
    q, k, v = self.W_query(x).double(), self.W_key(x).double(), self.W_value(x).double()
    return (q @ k.T / k.shape[1] ** 0.5).softmax(1).matmul(v).to(x.dtype)
multihead-module-with-the-same-weights: body forward
    q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
    d = q.shape[-1]
    eye = torch.eye(d, dtype=x.dtype)
    out, _ = nn.functional.multi_head_attention_forward(
        q[:, None], k[:, None], v[:, None], d, 1, eye.repeat(3, 1), None, None, None, False, 0.0,
        eye, None, training=False, need_weights=False,
    )
    return out[:, 0]
switch-spelt-out from bias-never: line W_query = nn … W_value = nn →:
    if qkv_bias:
        self.W_query, self.W_key, self.W_value = [nn.Linear(d_in, d_out) for _ in range(3)]
    else:
        self.W_query, self.W_key, self.W_value = [nn.Linear(d_in, d_out, bias=False) for _ in range(3)]
== how-far-apart
builtin-abs-too-late (named): = abs(torch.max(first(x) - second(x)))
difference-of-the-largest (named): = (first(x).max() - second(x).max()).abs()
absolute-of-each (named, values): = (first(x).abs() - second(x).abs()).max()
length (named, values): = torch.norm(first(x) - second(x))
squared (named, values): = ((first(x) - second(x)) ** 2).max()
mean-squared (named, values): = nn.functional.mse_loss(first(x), second(x))
largest-of-each-row (named, shape): max() → max(dim=-1).values
values-and-indices (type): ).max( → ).max(dim=0
builtin-max (raised, shape): = max((first(x) - second(x)).abs())
compared-with-a-limit (named, type, dtype, values): max() → max() < 1e-6
classes-of-the-notebook (raised, values): = (sa_v1(x) - sa_v2(x)).abs().max()
relative (named, not finite, values):
    line return → a, b = first(x), second(x)↵return ((a - b).abs() / b.abs()).max()
rounded (values, keeps 1): = round((first(x) - second(x)).abs().max().item(), 4)
forward-called (raised, keeps 1): = (first.forward(x) - second.forward(x)).abs().max()
one-after-the-other (raised, values): = (second(first(x)) - x).abs().max()
abs-not-called (raised): abs() → abs
in-a-list (type): = [(first(x) - second(x)).abs().max()]
    never: [Pp]roducts
kept-an-axis (shape): max() → flatten().max(dim=0, keepdim=True).values
amax: max → amax
infinity-norm: = torch.linalg.vector_norm(first(x) - second(x), ord=torch.inf)
without-gradients:
    line return → with torch.no_grad():↵    a, b = first(x), second(x)↵    return (a - b).abs().max()
decorated: above def → @torch.no_grad()
    line return → d = first(x) - second(x)↵return torch.maximum(d.max(), -d.min())
numpy: body
    import numpy as np
    a, b = first(x).detach().numpy(), second(x).detach().numpy()
    return np.abs(a - b).max()
python-loop: body
    largest = 0.0
    for a, b in zip(first(x).flatten().tolist(), second(x).flatten().tolist()):
        if abs(a - b) > largest:
            largest = abs(a - b)
    return largest
lambda: cell
    largest_difference = lambda first, second, x: torch.max((first(x) - second(x)).abs())
sorted: line return → d = (first(x) - second(x)).abs().flatten()↵return d.sort().values[-1]
where: line return → d = first(x) - second(x)↵return torch.where(d < 0, -d, d).max()
root-of-the-square: = ((first(x).double() - second(x).double()) ** 2).max().sqrt()
helper: above → def both(f, g, x):↵    return f(x), g(x)
    line return → a, b = both(first, second, x)↵return torch.topk((a - b).abs().reshape(-1), 1).values[0]
nested-max:
    line return → d = (first(x) - second(x)).abs()↵while d.dim() > 0:↵    d = d.max(dim=0).values↵return d
== copy-weights
not-turned-in-new-parameters (named, raised, parameters, shape): line with … v1.W_value →:
    v1.W_query = nn.Parameter(v2.W_query.weight)
    v1.W_key = nn.Parameter(v2.W_key.weight)
    v1.W_value = nn.Parameter(v2.W_value.weight)
reshaped-not-turned (named, values): (v2.W_query.weight.T) → (v2.W_query.weight.reshape(v1.W_query.shape))
    (v2.W_key.weight.T) → (v2.W_key.weight.reshape(v1.W_key.shape))
    (v2.W_value.weight.T) → (v2.W_value.weight.reshape(v1.W_value.shape))
viewed-not-turned (named, values): line with … v1.W_value →:
    v1.W_query = nn.Parameter(v2.W_query.weight.view(v1.W_key.shape))
    v1.W_key = nn.Parameter(v2.W_key.weight.view(v1.W_key.shape))
    v1.W_value = nn.Parameter(v2.W_value.weight.view(v1.W_key.shape))
only-the-queries (named, values): line v1.W_key … v1.W_value →
queries-forgotten (named, values): line v1.W_query →
no-grad-forgotten (raised): line with → if True:
plain-tensors-assigned (raised):
    says: Parameter
    line with … v1.W_value →:
        v1.W_query = v2.W_query.weight.T
        v1.W_key = v2.W_key.weight.T
        v1.W_value = v2.W_value.weight.T
layers-assigned (named, raised, type, parameters):
    line with … v1.W_value → v1.W_query = v2.W_query↵v1.W_key = v2.W_key↵v1.W_value = v2.W_value
wrong-way-in-data (named, values, rule): line with … v1.W_value →:
    v2.W_query.weight.data = v1.W_query.data.T
    v2.W_key.weight.data = v1.W_key.data.T
    v2.W_value.weight.data = v1.W_value.data.T
returns-both (type): return v1 → return v1, v2
    never: asks for a tensor
returns-a-result (raised, type, shape, values): return v1 → return v1(inputs)
v2-turned-in-place (named, raised, values, rule, behaviour, keeps 1): line v1.W_query … v1.W_value →:
    for n in ('W_query', 'W_key', 'W_value'):
        w = getattr(v2, n).weight.t_()
        getattr(v1, n).copy_(w)
new-v1-of-fixed-size (named, raised, rule, behaviour): above with → v1 = SelfAttention_v1(3, 2)
instances-of-the-notebook (named, raised, values): v2.W_query → sa_v2.W_query
    v2.W_key → sa_v2.W_key
    v2.W_value → sa_v2.W_value
gradients-lost (named, parameters, rule, behaviour, keeps 1) from new-parameters-sharing:
    W_query.weight.T → W_query.weight.T, requires_grad=False
    W_key.weight.T → W_key.weight.T, requires_grad=False
    W_value.weight.T → W_value.weight.T, requires_grad=False
v2-frozen (named, rule, behaviour, keeps 1): above with → v2.requires_grad_(False)
bias-into-the-weights (named, values, keeps 1) from v2-turned-in-place:
    line w = → layer = getattr(v2, n)↵w = layer.weight.T↵if layer.bias is not None:↵    w = w + layer.bias
forward-borrowed (named, rule, keeps 1): line with … v1.W_value → v1.forward = v2.forward
v1-unchanged (named, values): = v1
new-parameters-sharing (named, rule, keeps 1): line with … v1.W_value →:
    v1.W_query = nn.Parameter(v2.W_query.weight.T)
    v1.W_key = nn.Parameter(v2.W_key.weight.T)
    v1.W_value = nn.Parameter(v2.W_value.weight.T)
state-dict-turned: line with … v1.W_value →:
    state = {k.removesuffix(".weight"): w.T for k, w in v2.state_dict().items() if k.endswith(".weight")}
    v1.load_state_dict(state)
decorated: above def → @torch.no_grad()
    line with … v1.W_value →:
        for mine, theirs in ((v1.W_query, v2.W_query), (v1.W_key, v2.W_key), (v1.W_value, v2.W_value)):
            mine[:] = theirs.weight.transpose(0, 1)
assigned-by-name: line with … v1.W_value →:
    for name, layer in v2.named_children():
        setattr(v1, name, nn.Parameter(layer.weight.detach().clone().T.contiguous()))
one-number-at-a-time: line v1.W_query … v1.W_value →:
    for name, p in v1.named_parameters():
        w = v2.get_submodule(name).weight
        for i in range(p.shape[0]):
            for j in range(p.shape[1]):
                p[i, j] = w[j, i]
what-the-layer-does-to-unit-vectors: line v1.W_query … v1.W_value →:
    for name in ("W_query", "W_key", "W_value"):
        p, layer = getattr(v1, name), getattr(v2, name)
        eye = torch.eye(p.shape[0], dtype=p.dtype)
        p.copy_(layer(eye) - layer(torch.zeros_like(eye)))
einsum: line v1.W_query → v1.W_query.copy_(torch.einsum("oi->io", v2.W_query.weight))
deep-copied-first: line with … v1.W_value →:
    import copy
    weights = copy.deepcopy(v2)
    v1.W_query = nn.Parameter(weights.W_query.weight.T)
    v1.W_key = nn.Parameter(weights.W_key.weight.T)
    v1.W_value = nn.Parameter(weights.W_value.weight.T)
numpy-between: line with … v1.W_value →:
    for n in ('W_query', 'W_key', 'W_value'):
        a = getattr(v2, n).weight.detach().numpy().T.copy()
        setattr(v1, n, nn.Parameter(torch.from_numpy(a)))
helper: cell
    def move(layer, parameter):
        with torch.no_grad():
            parameter.set_(layer.weight.T.clone())

    def copy_weights(v2, v1):
        move(v2.W_query, v1.W_query)
        move(v2.W_key, v1.W_key)
        move(v2.W_value, v1.W_value)
        return v1
== bug-globals
value-mended-only (named, values, keeps 1) from faulty: values → value
    says: d_k
    never: d_out = 4.*`d_out` = 7
assert-taken-out-only (named, stub, raised, values, rule) from faulty: line assert →
assert-with-values (named, raised, values, rule) from faulty: value. → values.
scale-typed-in (named, values, keeps 1) from value-mended-only: d_k → 2
scale-of-the-tokens-size (named, values) from faulty: d_k**0.5 → x.shape[-1] ** 0.5
    values → value
scale-by-number-of-tokens (named, values) from faulty: d_k**0.5 → keys.shape[0] ** 0.5
    values → value
scale-without-root (named, values) from faulty: d_k**0.5 → keys.shape[-1]
    values → value
scale-taken-out (named, values) from value-mended-only: scores / d_k**0.5 → scores
values-from-the-notebooks-matrix (named, raised, values, rule) from faulty: d_k**0.5 → keys.shape[-1] ** 0.5
    values → (x @ W_value)
values-made-global (named, raised, values, rule) from faulty: above W_key(x) → global values
    d_k**0.5 → keys.shape[-1] ** 0.5
keys-handed-over (named, values) from faulty: d_k**0.5 → keys.shape[-1] ** 0.5
    values → keys
tokens-handed-over (named, shape) from faulty: d_k**0.5 → keys.shape[-1] ** 0.5
    values → x
layer-handed-over (raised) from faulty: d_k**0.5 → keys.shape[-1] ** 0.5
    values → self.W_value
layers-weight-handed-over (raised) from faulty: d_k**0.5 → keys.shape[-1] ** 0.5
    values → self.W_value.weight
error-swallowed (named, values, rule):
    says: values
    , values → , value
    values. → value.
    line return → try:↵    return weights @ values↵except RuntimeError:↵    return weights @ value
gradient-faked (named, raised, values) from faulty: d_k**0.5 → keys.shape[-1] ** 0.5
    values → values + 0 * value
value-detached (named, rule, keeps 1) from faulty: d_k**0.5 → keys.shape[-1] ** 0.5
    values → value.detach()
axis-changed-too (named, values) from faulty: d_k**0.5, dim=-1 → keys.shape[-1] ** 0.5, dim=0
    values → value
keys-and-queries-swapped-too (named, values) from faulty: queries @ keys → keys @ queries
    d_k**0.5 → keys.shape[-1] ** 0.5
    values → value
weights-turned-too (named, values) from faulty: d_k**0.5 → keys.shape[-1] ** 0.5
    weights @ values → weights.T @ value
layers-replaced-by-matrices (named, parameters, keeps 1) from global-made-instead: line None →
    line W_query = nn … W_value = nn →:
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
    line W_key(x) … return →:
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_scores = queries @ keys.T  # omega
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values
bias-lost (named, raised, parameters, values, keeps 1) from global-made-instead: line None →
    line W_query = nn … W_value = nn →:
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
    @ values → @ value
global-made-instead (raised) from faulty: above class → values = None
    d_k**0.5 → keys.shape[-1] ** 0.5
assert-taken-out from faulty: line assert →
    d_k**0.5 → keys.shape[-1] ** 0.5
    values → value
fused-attention from faulty:
    line torch … return → return nn.functional.scaled_dot_product_attention(queries, keys, value)
subclass-of-v2: line class … return → class NotebookAttention(SelfAttention_v2):↵    pass
renamed-v2: line class … return → NotebookAttention = SelfAttention_v2
''',
)
