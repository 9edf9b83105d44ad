"""Answers to lesson 05 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "05-multi-head"
TASKS = read(
    LESSON,
    r"""
== multi-head-wrapper
plain-list (named, parameters) from same-head-repeated:
    says: ModuleList|list
    line head = … head] →:
        self.heads = [
            CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
            for _ in range(num_heads)
        ]
same-head-repeated (named, parameters) from sequential-as-a-container: body __init__
    super().__init__()
    head = CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
    self.heads = nn.ModuleList([head] * num_heads)
bias-not-passed-on (named, parameters, keeps 2) from joined-along-the-tokens:
    says: qkv_bias|bias
    , qkv_bias) → )
    1 → -1
dropout-not-passed-on (named, rule, behaviour, keeps 3) from bias-not-passed-on: dropout) → 0.0, qkv_bias)
    says: [Dd]ropout|drop
dropout-always-half (named, values, rule, behaviour, keeps 3) from dropout-not-passed-on: 0.0 → 0.5
heads-added (named, shape) from heads-never-called: line return → return sum(head(x) for head in self.heads)
joined-along-the-tokens (named, shape) from heads-never-called: head for → head(x) for
    -1 → 1
stacked-on-a-new-axis (named, shape) from joined-along-the-tokens: cat → stack
stacked-last-and-flattened (named, values) from stacked-then-flattened: 2).flatten( → -1).flatten(-
stacked-and-viewed-without-transpose (named, values) from stacked-then-flattened: body forward
    b, num_tokens, _ = x.shape
    out = torch.stack([h(x) for h in self.heads], dim=1)
    return out.view(b, num_tokens, -1)
heads-one-after-another (raised) from stacked-then-flattened:
    line return → for head in self.heads:↵    x = head(x)↵return x
last-head-only (named, shape) from heads-one-after-another: x = → out =
    return x → return out
two-heads-always (raised, shape, keeps 1) from sequential-as-a-container: Sequential(* → ModuleList(
    [head(x) for head in self.heads] → (self.heads[0](x), self.heads[1](x))
two-heads-made-always (named, parameters, shape, keeps 1) from dropout-and-length-swapped: line range →:
    [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias),
     CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)]
one-head-too-few (raised, parameters, shape) from two-heads-made-always: qkv_bias), → qkv_bias)
    CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)] → for _ in range(1, num_heads)]
other-name-for-the-list (parameters, keeps 1) from stacked-then-flattened:
    says: heads
    heads = → layers =
    line return → return torch.cat([head(x) for head in self.layers], dim=-1)
heads-never-called (raised) from super-forgotten: above ModuleList → super().__init__()
    (x) →
list-returned (type) from heads-never-called: line return → return [head(x) for head in self.heads]
return-forgotten (type) from reads-the-batch: return → context =
    batch → x
super-forgotten (raised):
    says: super
    cell
        class MultiHeadAttentionWrapper(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                self.heads = nn.ModuleList(
                    [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                )
            def forward(self, x):
                return torch.cat([head(x) for head in self.heads], dim=-1)
arguments-swapped (raised, parameters) from dropout-and-length-swapped:
    d_in, d_out, dropout, context_length → d_out, d_in, context_length, dropout
dropout-and-length-swapped (raised) from dropout-not-passed-on: context_length, 0.0 → dropout, context_length
    says: call of `CausalAttention`
reads-the-batch (named, raised, shape, values) from heads-never-called: head for → head(batch) for
output-projection-added (parameters):
    says: out_proj
    cell
        class MultiHeadAttentionWrapper(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                super().__init__()
                self.heads = nn.ModuleList(
                    [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                )
                self.out_proj = nn.Linear(num_heads * d_out, num_heads * d_out)
            def forward(self, x):
                context = torch.cat([head(x) for head in self.heads], dim=-1)
                return self.out_proj(context)
heads-made-anew-in-forward (named, parameters) from same-head-repeated:
    line head = … head] → self.args = (d_in, d_out, context_length, dropout, qkv_bias)↵self.num_heads = num_heads↵
    above return → self.heads = nn.ModuleList([CausalAttention(*self.args) for _ in range(self.num_heads)])
edits-x-in-place (values, rule, behaviour) from sequential-as-a-container: Sequential(* → ModuleList(
    above return → x -= x.mean(dim=-1, keepdim=True)
instance-not-class (no function): cell
    MultiHeadAttentionWrapper = CausalAttention(3, 2, 6, 0.0)
heads-without-self (raised, parameters) from joined-along-the-tokens: self.heads = → heads =
    1 → -1
partial from same-head-repeated: above → from functools import partial
    CausalAttention → partial(CausalAttention
    (d_in → , d_in
    qkv_bias) → qkv_bias=qkv_bias)
    ] * num_heads) → () for _ in range(num_heads)])
stacked-then-flattened from sequential-as-a-container: Sequential(* → ModuleList(
    line return → return torch.stack([h(x) for h in self.heads], dim=2).flatten(2)
filled-by-slices from output-projection-added: line Linear → self.d_out = d_out
    line torch … return →:
        b, n, _ = x.shape
        out = torch.empty(b, n, len(self.heads) * self.d_out, device=x.device, dtype=x.dtype)
        for i, head in enumerate(self.heads):
            out[:, :, i * self.d_out : (i + 1) * self.d_out] = head(x)
        return out
inherits-from-module-list-parts from instance-not-class:
    line CausalAttention → class Stack(nn.Module):↵    def forward(self, x):↵        return torch.hstack([]) if not len(self.heads) else self.join([h(x) for h in self.heads])↵↵    @staticmethod↵    def join(parts):↵        return torch.cat(parts, dim=-1)↵↵↵class MultiHeadAttentionWrapper(Stack):↵    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):↵        super(MultiHeadAttentionWrapper, self).__init__()↵        heads = [↵            CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)↵            for head in range(num_heads)↵        ]↵        self.heads = nn.ModuleList(heads)
add-module-with-numbers: cell
    class MultiHeadAttentionWrapper(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            self.heads = nn.Module()
            self.n = num_heads
            for i in range(num_heads):
                self.heads.add_module(
                    str(i), CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                )
        def forward(self, x):
            return torch.cat([getattr(self.heads, str(i))(x) for i in range(self.n)], dim=-1)
sequential-as-a-container from heads-without-self: line ModuleList → self.heads = nn.Sequential(*
loop-over-sentences from stacked-then-flattened: body forward
    out = []
    for sentence in x:
        out.append(torch.cat([h(sentence[None])[0] for h in self.heads], dim=-1))
    return torch.stack(out, dim=0)
== error-with-heads
looks-averaged (named, keeps 1):
    line contexts = … return → look = weights.mean(0)  # (tokens, tokens)↵return error_left(look @ x, wanted)
first-head-only (named, values, keeps 1):
    line contexts = … return → contexts = weights[0] @ x↵return error_left(contexts, wanted)
last-head-wins (named, values, keeps 1) from first-head-only:
    line weights[0 → for head in weights:↵    contexts = head @ x
joined-along-the-batch (named, raised, keeps 1) from list-not-joined: contexts, → torch.cat(contexts),
two-heads-always (named, raised, values):
    line contexts = … torch → joined = torch.cat((weights[0] @ x, weights[1] @ x), dim=-1)
reads-before-and-first (named, raised, values): = error_left(torch.cat((before, first), dim=-1), wanted)
mean-of-each-heads-error (named, values, keeps 1): body
    errors = [error_left(head @ x, wanted) for head in weights]
    return sum(errors) / len(errors)
list-of-errors (type): = [error_left(head @ x, wanted) for head in weights]
    never: products
joined-returned-without-its-error (shape):
    line contexts = … return → contexts = [head @ x for head in weights]↵return torch.cat(contexts, dim=-1)
prints-instead-of-returning (type): line contexts = … ] → contexts = [head @ x for head in weights]
    line return → print(error_left(joined, wanted))
batched-product-then-view-without-transpose (named, values, keeps 1): line contexts = … torch →:
    b, tokens, d_in = x.shape
    contexts = weights @ x[:, None]  # (b, heads, tokens, d_in)
    joined = contexts.reshape(b, tokens, -1)
wanted-and-contexts-swapped (named, values): body
    joined = torch.cat([head @ x for head in weights], dim=-1)
    return error_left(wanted, joined)
softmax-of-the-looks (named, values): line contexts = … torch →:
    weights = torch.softmax(weights, dim=-1)
    joined = torch.cat([head @ x for head in weights], dim=-1)
looks-written-over (named, values, rule, behaviour, keeps 1) from softmax-of-the-looks:
    line softmax → weights /= weights.sum(dim=-1, keepdim=True).clamp(min=2)
plain-difference-instead-of-least-squares (named, raised, values): body
    joined = torch.cat([head @ x for head in weights], dim=-1)
    return ((joined - wanted) ** 2).mean()
typed-in (values): = torch.tensor(0.0)
rounded-to-two-decimals (named, values):
    never: SAME_DIGITS
    body
        joined = torch.cat([head @ x for head in weights], dim=-1)
        return round(float(error_left(joined, wanted)), 2)
list-not-joined (raised) from first-head-only: weights[0] @ x → [head @ x for head in weights]
batched-product: line contexts = … torch →:
    contexts = weights @ x.unsqueeze(1)  # (b, heads, tokens, d_in)
    joined = contexts.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
grown-with-cat: line contexts = … torch →:
    joined = torch.empty(x.shape[0], x.shape[1], 0)
    for h in range(weights.shape[0]):
        joined = torch.cat([joined, weights[h] @ x], dim=2)
lambda: cell
    error_with_heads = lambda weights, x, wanted: error_left(
        torch.cat([w @ x for w in weights], 2), wanted)
python-float: body
    contexts = [torch.matmul(w, x) for w in weights]
    return error_left(torch.cat(contexts, dim=-1), wanted).item()
own-least-squares: body
    joined = torch.cat([w @ x for w in weights], dim=-1)
    A = joined.reshape(-1, joined.shape[-1])
    B = wanted.reshape(-1, wanted.shape[-1])
    sol = torch.linalg.pinv(A) @ B
    return torch.mean((A @ sol - B) ** 2)
loop-over-stories-and-heads: body
    rows = []
    for story in x:
        rows.append(torch.hstack([head @ story for head in weights]))
    return error_left(torch.stack(rows), wanted)
filled-columns-heads-the-other-way-round: line contexts = … torch →:
    b, n, d = x.shape
    heads = len(weights)
    joined = x.new_zeros(b, n, heads * d)
    for i, head in enumerate(reversed(weights)):
        joined[..., i * d : (i + 1) * d] = head @ x
bmm: def error_with_heads(weights: torch.Tensor, x: torch.Tensor, wanted: torch.Tensor):
    contexts = [torch.bmm(w.expand(len(x), -1, -1), x) for w in weights.unbind(0)]
    return error_left(torch.concat(contexts, axis=-1), wanted)
== batched-head-scores
elementwise-summed (shape): = (a * a).sum(-1)
batch-axis-lost (shape): = a[0] @ a[0].transpose(1, 2)
scaled (named, values): (2, 3) → (2, 3) / 4 ** 0.5
scaled-by-head-dim (named, values): (2, 3) → (-1, -2) / a.shape[-1]
softmax-as-well (named, values, rule): = torch.softmax(a @ a.mT, dim=-1)
one-head-twice (named, values): cell
    first_head = a[0, 0]
    first_res = first_head @ first_head.T
    head_scores = torch.stack([first_res, first_res])[None]
heads-swapped (named): = (a @ a.mT).flip(1)
einsum-over-the-heads-too (named, shape): = torch.einsum("bhqd,bhkd->bqk", a, a)
einsum-axes-of-tokens-mixed (named, shape): = torch.einsum("bhqd,bhqe->bhde", a, a)
causal (values, rule): = torch.tril(a @ a.transpose(2, 3))
copied-with-four-decimals (values, not computed):
    says: TYPED_IN
    cell
        head_scores = torch.tensor([[[[1.3208, 1.1631, 1.2879],
                  [1.1631, 2.2150, 1.8424],
                  [1.2879, 1.8424, 2.0402]],

                 [[0.4391, 0.7003, 0.5903],
                  [0.7003, 1.3737, 1.0620],
                  [0.5903, 1.0620, 0.9912]]]])
swapaxes: line a @ a → keys = a.swapaxes(3, 2)↵head_scores = a.matmul(keys)
bmm: line a @ a → f = a.flatten(0, 1)↵head_scores = torch.bmm(f, f.transpose(1, 2)).unflatten(0, (1, 2))
broadcast: = (a[:, :, :, None] * a[:, :, None]).sum(-1)
out: line a @ a → head_scores = torch.empty(1, 2, 3, 3)↵torch.matmul(a, a.transpose(2, 3), out=head_scores)
four-loops: cell
    head_scores = torch.zeros(1, 2, 3, 3)
    for h in range(2):
        for i in range(3):
            for j in range(3):
                head_scores[0, h, i, j] = torch.dot(a[0, h, i], a[0, h, j])
vmap: = torch.vmap(torch.vmap(lambda h: h @ h.T))(a)
numpy-back: line a @ a → import numpy as np↵head_scores = torch.tensor(np.matmul(a.numpy(), a.mT.numpy()))
== split-heads
view-without-transpose (named):
    line shape … return → b, tokens, d_out = x.shape↵return x.view(b, num_heads, tokens, d_out // num_heads)
every-second-number (named): = torch.stack([x[:, :, h::num_heads] for h in range(num_heads)], dim=1)
last-two-axes-turned (named, shape) from view-without-transpose:
    line return → return x.view(b, tokens, num_heads, d_out // num_heads).transpose(2, 3)
head-dim-two-always (raised, keeps 1):
    line shape … return → b, tokens, d_out = x.shape↵return x.view(b, tokens, num_heads, 2).transpose(1, 2)
sizes-of-the-example (raised, keeps 1): = x.view(1, 3, 2, 2).transpose(1, 2)
true-division (raised) from head-dim-two-always: 2). → d_out / num_heads).
    says: //|integer|whole|float
copied-to-every-head (named, shape): = x.unsqueeze(1).repeat(1, num_heads, 1, 1)
chunks-in-a-tuple (type): = x.chunk(num_heads, dim=-1)
    never: comma
chunks-in-front (named, shape): = torch.stack(x.chunk(num_heads, dim=-1))
stacked-after-the-tokens (named, shape): = torch.stack(x.chunk(num_heads, dim=-1), dim=2)
split-takes-a-size (named, raised, shape, keeps 1): = torch.stack(x.split(num_heads, dim=-1), dim=1)
heads-the-other-way-round (named) from head-dim-two-always: 2). → -1).
    (1, 2) → (1, 2).flip(1)
transposed-before-the-view (named, values) from view-without-transpose:
    line return → x = x.transpose(1, 2)↵return x.reshape(b, num_heads, tokens, d_out // num_heads)
two-heads-always (named, shape, keeps 1):
    line shape … return → half = x.shape[-1] // 2↵return torch.stack((x[..., :half], x[..., half:]), dim=1)
one-sentence-only (shape, keeps 1): body
    tokens, d_out = x[0].shape
    return x[0].view(tokens, num_heads, d_out // num_heads).transpose(0, 1)[None]
batch-axis-lost (raised, shape) from view-without-transpose:
    line return → return x.view(tokens, num_heads, d_out // num_heads).transpose(0, 1)
turns-its-argument (raised, values, rule, behaviour, keeps 1): num_tokens, d_out → tokens, d_out
    pieces = x.view(b, num_tokens → x.resize_(b, tokens
    pieces.transpose → x.transpose_
whole-numbers-made-floats-in-a-typed-tensor (named):
    = torch.tensor([[[[0, 1], [10, 11], [20, 21]], [[2, 3], [12, 13], [22, 23]]]])
unflatten: = x.unflatten(-1, (num_heads, -1)).movedim(2, 1)
split-with-the-size: body
    head_dim = x.size(-1) // num_heads
    return torch.stack(x.split(head_dim, dim=2), dim=1)
slices-in-a-loop from as-strided: line x = x →
    line return →:
        out = torch.empty(b, num_heads, t, hd, dtype=x.dtype)
        for h in range(num_heads):
            out[:, h] = x[:, :, h * hd : (h + 1) * hd]
        return out
tensor-split-listcomp: cell
    split_heads = lambda x, num_heads: torch.stack(torch.tensor_split(x, num_heads, -1), 1)
as-strided: body
    x = x.contiguous()
    b, t, d = x.shape
    hd = d // num_heads
    return x.as_strided((b, num_heads, t, hd), (t * d, hd, d, 1), x.storage_offset())
with-an-assert: line x.view … return →:
    assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
    x = x.view(b, num_tokens, num_heads, d_out // num_heads)
    x = torch.swapaxes(x, 1, 2)
    return x
== bug-view-without-transpose
transposed-after-the-wrong-view (named, raised) from split-heads-with-head-dim:
    line W_query(x) … W_value(x) →:
        queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2)
        keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2)
        values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2)
transposed-there-and-back (named) from split-heads-with-head-dim: line W_query(x) … W_value(x) →:
    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
symptom-hidden-by-the-mask (not finite, values, rule, behaviour) from last-token-detected-and-zeroed:
    self.mask[: → torch.triu(torch.ones(
    :num_tokens] → num_tokens), diagonal=-1).bool()
    line reshape … return → return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
values-only-for-the-symptom (named, values, behaviour) from output-projection-added:
    never: later token
    line d_out) →
    line W_query(x) … W_value(x) →:
        queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
        keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
        values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
    line return → return self.W_value(x)
nothing-depends-on-x (values, behaviour) from values-only-for-the-symptom:
    line return → return torch.zeros(b, num_tokens, self.num_heads * self.head_dim)
last-token-detected-and-zeroed (values, rule, behaviour) from values-only-for-the-symptom: line return →:
    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
    out = context.reshape(b, num_tokens, -1)
    out[:, -2] = 0
    return out  # (b, tokens, d_out)
mask-lost (named, values, rule, behaviour) from faulty: line each: … dim=-1 →:
    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    scores = queries @ keys.transpose(2, 3)
    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)
merged-without-transposing (named, values, rule, behaviour) from scaled-by-d-out: line dim=-1 … return →:
    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
    return (weights @ values).reshape(b, num_tokens, -1)
scaled-by-d-out (named, values, behaviour) from mask-lost: line keys. … dim=-1 →:
    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
    weights = torch.softmax(scores / (self.head_dim * self.num_heads)**0.5, dim=-1)  # (b, heads, tokens, tokens)
output-projection-added (parameters) from merged-without-transposing:
    says: out_proj
    below bool() → self.out_proj = nn.Linear(d_out, d_out)
    line return → return self.out_proj((weights @ values).transpose(1, 2).reshape(b, num_tokens, -1))
one-head-after-all (named, values, behaviour): nn.Module → CausalAttention
    line super … return → super().__init__(d_in, d_out, context_length, 0.0)
split-heads-with-head-dim (named, values, behaviour, keeps 1) from mask-lost: line W_query(x) … dim=-1 →:
    queries = split_heads(self.W_query(x), self.head_dim)
    keys = split_heads(self.W_key(x), self.head_dim)
    values = split_heads(self.W_value(x), self.head_dim)
    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
class-deleted (missing): line class … return → changed = [5]
loop-with-names from split-heads-with-head-dim: line W_query(x) … W_value(x) →:
    queries, keys, values = [
        layer(x).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 2, 1, 3)
        for layer in (self.W_query, self.W_key, self.W_value)
    ]
tokens-stay-in-front from faulty: line each: … return →:
    q = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
    k = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim)
    v = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.head_dim**0.5
    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], float("-inf"))
    weights = scores.softmax(-1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
fused-attention-with-the-mask from loop-with-names: line keys, … return →:
    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

    allowed = ~self.mask[:num_tokens, :num_tokens]
    out = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=allowed)
    return out.transpose(1, 2).contiguous().view(b, num_tokens, -1)
helper-method from class-deleted:
    line changed → class CausalHeads(nn.Module):↵    def __init__(self, d_in, d_out, context_length, num_heads):↵        super().__init__()↵        self.num_heads = num_heads↵        self.head_dim = d_out // num_heads↵        self.W_query = nn.Linear(d_in, d_out, bias=False)↵        self.W_key = nn.Linear(d_in, d_out, bias=False)↵        self.W_value = nn.Linear(d_in, d_out, bias=False)↵        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())↵↵    def forward(self, x):↵        b, num_tokens, _ = x.shape↵        queries, keys, values = map(self.split, (self.W_query(x), self.W_key(x), self.W_value(x)))↵        scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)↵        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)↵        weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)↵        context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)↵        return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)↵↵    def split(self, t):↵        return torch.stack(t.chunk(self.num_heads, dim=-1), dim=1)
loop-over-heads from faulty: line each: … return →:
    q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
    out = []
    for h in range(self.num_heads):
        piece = slice(h * self.head_dim, (h + 1) * self.head_dim)
        s = q[..., piece] @ k[..., piece].transpose(1, 2) / self.head_dim**0.5
        s = s + torch.where(self.mask[:num_tokens, :num_tokens], -1e9, 0.0)
        out.append(torch.softmax(s, dim=-1) @ v[..., piece])
    return torch.cat(out, dim=-1)
mended-by-inheriting from class-deleted:
    line changed → class CausalHeads(nn.Module):↵    def __init__(self, d_in, d_out, context_length, num_heads):↵        super().__init__()↵        self.num_heads = num_heads↵        self.head_dim = d_out // num_heads↵        self.W_query = nn.Linear(d_in, d_out, bias=False)↵        self.W_key = nn.Linear(d_in, d_out, bias=False)↵        self.W_value = nn.Linear(d_in, d_out, bias=False)↵        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())↵↵    def forward(self, x):↵        b, num_tokens, _ = x.shape↵        queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)↵        keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)↵        values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)↵        scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)↵        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)↵        weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)↵        context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)↵        return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)↵↵↵_Faulty = CausalHeads↵↵class CausalHeads(_Faulty):↵    def forward(self, x):↵        b, n, _ = x.shape↵        cut = lambda t: t.view(b, n, self.num_heads, -1).transpose(1, 2)↵        q, k, v = cut(self.W_query(x)), cut(self.W_key(x)), cut(self.W_value(x))↵        scores = q @ k.mT / self.head_dim**0.5↵        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)↵        return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
== merge-heads
view-without-transpose (named, raised): body
    b, heads, tokens, head_dim = context.shape
    return context.view(b, tokens, heads * head_dim)
contiguous-forgotten (raised) from view-without-transpose: .view → .transpose(1, 2).view
    says: contiguous|reshape
contiguous-discarded (raised) from view-without-transpose:
    says: contiguous|reshape
    below shape → context = context.transpose(1, 2)↵context.contiguous()
last-axes-turned (named, values) from view-without-transpose: view → transpose(2, 3).reshape
names-swapped (named, shape) from names-swapped-and-transposed: .transpose(1, 2) →
names-swapped-and-transposed (named, shape) from contiguous-forgotten: heads, tokens → tokens, heads
    view → reshape
flattened-one-too-early (shape): = context.transpose(1, 2).flatten(1)
heads-the-other-way-round (named): = torch.cat([h for h in context.flip(1).unbind(1)], dim=-1)
numbers-of-the-example (raised, keeps 1): = context.transpose(1, 2).reshape(1, 3, 4)
two-heads-always (named, raised, shape, keeps 1): = torch.cat((context[:, 0], context[:, 1]), dim=-1)
reads-d-out (raised) from view-without-transpose:
    line return → return context.transpose(1, 2).reshape(b, tokens, d_out)
return-forgotten (type) from view-without-transpose: return context → context.transpose(1, 2).contiguous()
argument-turned-in-place (values, rule, behaviour, keeps 1) from view-without-transpose:
    view → transpose_(1, 2).reshape
split-again (raised): = split_heads(context, 2)
sentences-mixed (named, values, rule, behaviour, keeps 1) from view-without-transpose:
    view → permute(2, 0, 1, 3).reshape
stacked-pieces (named, values): = torch.stack([h for h in context.unbind(1)], dim=-1).flatten(2)
cat: line def … return → merge_heads = lambda context: torch.cat(context.unbind(dim=1), dim=-1)
hstack-of-heads: = torch.cat(tuple(context.movedim(1, 0)), 2)
slices from clone-and-view: line return →:
    out = context.new_empty(b, t, h * d)
    for i in range(h):
        out[:, :, i * d : (i + 1) * d] = context[:, i]
    return out
clone-and-view: body
    b, h, t, d = context.shape
    return context.transpose(1, 2).clone(memory_format=torch.contiguous_format).view(b, t, h * d)
loops: body
    result = []
    for sentence in context:
        rows = []
        for i in range(sentence.shape[1]):
            rows.append(torch.cat([head[i] for head in sentence]))
        result.append(torch.stack(rows))
    return torch.stack(result)
== bug-merge-without-transpose
contiguous-view (named) from own-merge:
    line return → context = context.contiguous().view(b, num_tokens, -1)↵return self.out_proj(context)
transposed-after-the-reshape (named, raised) from own-merge:
    line return → context = context.reshape(b, num_tokens, -1).transpose(1, 2)↵return self.out_proj(context)
projection-left-out (named, values, behaviour) from own-merge:
    line return → return context.transpose(1, 2).reshape(b, num_tokens, -1)
projection-twice (named, values, behaviour) from contiguous-view:
    line contiguous → context = self.out_proj(context.transpose(1, 2).reshape(b, num_tokens, -1))
heads-averaged (named, values, behaviour) from own-merge:
    merge_heads(context → context.mean(1).repeat(1, 1, self.num_heads
symptom-hidden-by-the-mean (named, values, rule, behaviour) from own-merge: line return →:
    context = context.reshape(b, num_tokens, -1).mean(dim=1, keepdim=True)
    return self.out_proj(context.expand(-1, num_tokens, -1))
split-broken-as-well (named, values, rule, behaviour) from fused: line W_query(x) … return →:
    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
    context = weights @ values  # (b, heads, tokens, head_dim)
    return self.out_proj(context.reshape(b, num_tokens, -1))
split-broken-to-match (named, values, behaviour) from split-broken-as-well: line W_query(x) … W_value(x) →:
    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim)
    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim)
sizes-of-the-example (raised, behaviour) from own-merge:
    merge_heads(context → context.transpose(1, 2).reshape(1, 6, 4
one-sentence-only (named, shape, behaviour) from projection-twice: line reshape … return →:
    context = torch.cat([context[0, h] for h in range(self.num_heads)], dim=-1)
    return self.out_proj(context)[None]
projected-before-merging (raised) from projection-left-out: context. → self.out_proj(context).
merge-heads-after-transpose (raised, shape) from own-merge: context)) → context.transpose(1, 2)))
own-merge from fused: line keys, … return →:
    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
    context = weights @ values  # (b, heads, tokens, head_dim)
    return self.out_proj(merge_heads(context))
permute-flatten from own-merge: merge_heads(context → context.permute(0, 2, 1, 3).flatten(2
fused: body forward
    b, num_tokens, _ = x.shape
    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    context = nn.functional.scaled_dot_product_attention(queries, keys, values)
    return self.out_proj(context.transpose(1, 2).flatten(start_dim=2))
projection-piece-by-piece from own-merge: line return →:
    pieces = self.out_proj.weight.chunk(self.num_heads, dim=1)  # each (d_out, head_dim)
    mixed = sum(context[:, h] @ piece.T for h, piece in enumerate(pieces))
    return mixed + self.out_proj.bias
loop-over-heads from own-merge:
    merge_heads(context → torch.cat([context[:, h] for h in range(self.num_heads)], dim=2
== multi-head-attention
head-after-head (named, behaviour, keeps 5): body forward
    n, outs = x.shape[1], []
    for h in range(self.num_heads):
        q, k, v = (one(x)[:, :, h * self.head_dim : (h + 1) * self.head_dim] for one in (self.W_query, self.W_key, self.W_value))
        s = (q @ k.mT / self.head_dim**0.5).masked_fill(self.mask.bool()[:n, :n], -torch.inf)
        outs.append(self.dropout(s.softmax(-1)) @ v)
    return self.out_proj(torch.cat(outs, -1))
fill-of-minus-ten-thousand (named, values, keeps 5): -torch.inf → -9000.0
odd-heads-refused (named, raised, not refused, keeps 4): % num_heads != 0 → % num_heads != 0 or num_heads > 3
scaled-by-d-out (named, keeps 4) from softmax-over-heads: keys.shape[-1] ** 0.5, dim= → self.d_out**0.5, dim=-
not-scaled (named, keeps 4) from scaled-by-d-out: attn_scores / self.d_out**0.5 → attn_scores
divided-by-head-dim (named, keeps 4) from scaled-by-d-out: d_out**0.5 → head_dim
times-root (named, values, keeps 4) from scaled-by-d-out: / self.d_out → * self.head_dim
scaled-by-d-in (named, values, keeps 4) from scaled-by-d-out: / self.d_out → / d_in
scaled-by-tokens (named, values, keeps 4) from scaled-by-d-out: / self.d_out → / num_tokens
scaled-by-heads (named, values, keeps 5) from scaled-by-d-out: d_out** → num_heads**
scaled-after-the-softmax (named, values) from not-scaled: -1) → -1) / self.head_dim**0.5
softmax-over-queries (named, not finite, values, keeps 1) from softmax-over-heads: dim=1 → dim=-2
softmax-over-heads (named, not finite, values) from d-in-checked: d_in % → d_out %
    =-1 → =1
softmax-over-the-batch (named, not finite, values) from softmax-over-heads: dim=1 → dim=0
queries-and-keys-swapped (named, values, keeps 4) from finfo-min: queries @ keys → keys @ queries
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
view-without-transpose (named, keeps 1) from d-in-checked: d_in % → d_out %
    line keys.view … queries. →:
        keys = keys.view(b, self.num_heads, num_tokens, self.head_dim)
        values = values.view(b, self.num_heads, num_tokens, self.head_dim)
        queries = queries.view(b, self.num_heads, num_tokens, self.head_dim)
never-transposed (named, raised, shape) from view-without-transpose: line keys.view … queries. →:
    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)
    values = values.view(b, num_tokens, self.num_heads, self.head_dim)
    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)
merged-without-transpose (named, keeps 1) from finfo-min: torch.finfo(attn_scores.dtype).min) → -torch.inf)
    line values) → context_vec = attn_weights @ values
contiguous-forgotten (named, raised, keeps 1) from d-in-checked:
    says: contiguous|reshape
    d_in % → d_out %
    .contiguous() →
out-proj-left-out (named) from return-forgotten: line context_vec) → return context_vec
out-proj-twice (named, values) from dropout-twice: dropout(self → out_proj(self
out-proj-without-bias (named, parameters, keeps 5) from finfo-min:
    says: bias
    d_out, d_out → d_out, d_out, bias=False
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
qkv-bias-ignored (named, parameters, keeps 5) from value-bias-forgotten:
    says: bias
    line W_query = nn … W_key = nn →:
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
qkv-bias-always (named, parameters, keeps 5) from qkv-bias-ignored:
    says: bias
    line W_query = nn … W_value = nn →:
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out)
        self.W_value = nn.Linear(d_in, d_out)
value-bias-forgotten (named, parameters, keeps 5) from d-in-checked: d_in % → d_out %
    line W_value = nn → self.W_value = nn.Linear(d_in, d_out, bias=False)
values-from-the-keys (named, values) from finfo-min: W_value( → W_key(
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
not-masked (named, rule, keeps 1) from d-in-checked: d_in % → d_out %
    line inf →
masked-with-zero (named, rule, behaviour, keeps 1) from masked-with-minus-one: , -1 → , 0
masked-with-minus-one (named, values, rule, behaviour, keeps 1) from d-in-checked: d_in % → d_out %
    torch.inf → 1
mask-added (named, values, rule, behaviour, keeps 1) from finfo-min:
    line finfo → attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]
zero-times-inf (named, not finite) from finfo-min:
    line finfo → attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens] * -torch.inf
mask-after-softmax (named, values, rule, behaviour, keeps 1) from finfo-min: line finfo →
    (attn_weights) → (attn_weights.masked_fill(mask_bool, 0))
diagonal-masked (named, not finite) from d-in-checked: d_in % → d_out %
    =1 → =0
one-future-token-seen (named, values, rule, behaviour, keeps 1) from diagonal-masked: =0 → =2
past-masked (named, values, rule, behaviour, keeps 1) from diagonal-masked: triu → tril
    =0 → =-1
tril-kept-as-forbidden (named, not finite, values, rule, behaviour) from past-masked: , diagonal=-1 →
mask-not-cut (raised, keeps 5) from finfo-min: [:num_tokens, :num_tokens] →
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
mask-not-persistent (named, behaviour, keeps 5) from diagonal-masked: 0) → 1), persistent=False
mask-a-parameter (named, parameters, keeps 5) from d-in-checked: d_in % → d_out %
    register_buffer("mask", torch → mask = nn.Parameter(torch
mask-made-in-forward (named, behaviour, keeps 5) from mask-not-cut:
    says: mask|buffer
    line diagonal →
    self.mask → torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)
mask-of-six (named, raised, behaviour, keeps 4) from finfo-min: context_length, context_length → 6, 6
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
dropout-forgotten (named, behaviour, keeps 5) from d-in-checked:
    says: drop
    d_in % → d_out %
    line dropout( →
dropout-on-scores (named, behaviour, keeps 5) from queries-and-keys-swapped:
    line keys @ → attn_scores = self.dropout(queries @ keys.transpose(2, 3))
    line dropout( →
dropout-on-context (named, behaviour, keeps 5) from out-proj-twice: line dropout( →
    (self.out_proj → (self.dropout
dropout-twice (named, behaviour, keeps 5) from finfo-min: torch.finfo(attn_scores.dtype).min) → -torch.inf)
    line return → return self.dropout(self.out_proj(context_vec))
dropout-renormalised (named, behaviour, keeps 5) from d-in-checked: d_in % → d_out %
    above values) → attn_weights = attn_weights / attn_weights.sum(-1, keepdim=True).clamp(min=1e-9)
dropout-always-a-tenth (named, values, behaviour, keeps 5) from finfo-min: (dropout → (0.1
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
dropout-a-fixed-mask (named, behaviour, keeps 5) from softmax-over-heads: line dim=1 … dropout( →:
    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
    attn_weights = attn_weights * (torch.rand(num_tokens, num_tokens) > self.dropout.p) / (1 - self.dropout.p) if self.training else attn_weights
not-refused (named, raised, behaviour, not refused, keeps 5):
    says: ValueError|divid
    line if d_out … raise → self.d_out = d_out
    line shape … return → b, num_tokens, d_in = x.shape↵keys = self.W_key(x)↵queries = self.W_query(x)↵values = self.W_value(x)↵keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)↵values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)↵queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)↵attn_scores = queries @ keys.transpose(2, 3)↵mask_bool = self.mask.bool()[:num_tokens, :num_tokens]↵attn_scores.masked_fill_(mask_bool, -torch.inf)↵attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)↵attn_weights = self.dropout(attn_weights)↵context_vec = (attn_weights @ values).transpose(1, 2)↵context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)↵return self.out_proj(context_vec)
assert-instead (named, raised, behaviour, not refused, keeps 5) from not-refused:
    says: ValueError
    below super → assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
refused-the-other-way (raised) from d-in-checked: d_in % num_heads → num_heads % d_out
d-in-checked (raised) from not-refused:
    below super → if d_in % num_heads != 0:↵    raise ValueError("d_out must be divisible by num_heads")
heads-of-full-width (named, parameters) from value-bias-forgotten: d_out // num_heads → d_out
    W_query = nn.Linear(d_in, d_out → W_query = nn.Linear(d_in, d_out * num_heads
    W_key = nn.Linear(d_in, d_out → W_key = nn.Linear(d_in, d_out * num_heads
    d_out, bias=False → d_out * num_heads, bias=qkv_bias
    (d_out → (d_out * num_heads
    , self.d_out → , -1
one-wide-head (named, values, keeps 3) from finfo-min: body forward
    queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
    scores = queries @ keys.transpose(1, 2)
    n = x.shape[1]
    scores = scores.masked_fill(self.mask.bool()[:n, :n], -torch.inf)
    weights = self.dropout(torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1))
    return self.out_proj(weights @ values)
fused-qkv (parameters) from finfo-min:
    says: W_query
    line W_query = nn … W_value = nn → self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
    line x.shape … return →:
        queries, keys, values = (split_heads(t, self.num_heads) for t in self.qkv(x).chunk(3, dim=-1))
        out = nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.out_proj(merge_heads(out))
projection-named-proj (parameters, keeps 5) from return-forgotten:
    says: out_proj
    out_proj = → proj =
    self.out_proj( → return self.proj(
weights-as-parameters (parameters, keeps 5) from d-in-checked: d_in % → d_out %
    line W_query = nn … W_value = nn →:
        self.W_query = nn.Parameter(torch.randn(d_in, d_out))
        self.W_key = nn.Parameter(torch.randn(d_in, d_out))
        self.W_value = nn.Parameter(torch.randn(d_in, d_out))
    line W_key(x) … W_value(x) → keys = x @ self.W_key↵queries = x @ self.W_query↵values = x @ self.W_value
weights-used-untransposed (named, raised) from x-edited: line clamp_ … W_key(x) → keys = x @ self.W_key.weight
scaled-dot-product-dropout-in-eval (named, behaviour, keeps 1) from finfo-min:
    says: eval
    body forward
        q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.dropout.p)
        return self.out_proj(merge_heads(y))
scaled-dot-product-mask-inverted (named, not finite, values, rule, behaviour) from scaled-dot-product:
    above for w → n = x.shape[1]
    line True) →:
        mask = self.mask[:n, :n].bool()
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
reads-the-notebook-batch (raised, shape, values) from d-in-checked: d_in % → d_out %
    x. → batch.
d-out-of-the-notebook (raised, shape) from finfo-min:
    says: `d_out`|shape
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
    , self.d_out → , d_out
x-edited (values, rule, behaviour) from finfo-min: below x.shape → x.clamp_(-1, 1)
    torch.finfo(attn_scores.dtype).min) → -torch.inf)
super-forgotten (raised) from d-in-checked: line super … if d_in → if d_out % num_heads != 0:
    says: super
returns-weights-too (type, keeps 5) from finfo-min: torch.finfo(attn_scores.dtype).min) → -torch.inf)
    (context_vec) → (context_vec), attn_weights
return-forgotten (type) from finfo-min: torch.finfo(attn_scores.dtype).min) → -torch.inf)
    return self → self
nan-hidden (named, values, rule, behaviour) from diagonal-masked: 1) → 1).nan_to_num()
causality-by-half-precision (raised, dtype, values) from queries-and-keys-swapped:
    keys @ queries → queries.half() @ keys.half()
refused-in-forward (named, raised, keeps 5) from not-refused:
    above x.shape → if self.d_out % self.num_heads != 0:↵    raise ValueError('not divisible')
scaled-dot-product (costs 4) from scaled-dot-product-dropout-in-eval: line torch.nn →:
    p = self.dropout.p if self.training else 0.0
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
additive-mask from mask-added: triu(torch.ones → full(
    diagonal= → -torch.inf).triu(
    line bool() →
finfo-min from masked-with-minus-one: , -1) → , torch.finfo(attn_scores.dtype).min)
where from finfo-min: line finfo → attn_scores = torch.where(mask_bool, torch.tensor(-torch.inf), attn_scores)
heads-folded-into-the-batch from scaled-dot-product: line for w … True) →:
    b, n, _ = x.shape
    h = self.num_heads
    fold = lambda t: t.view(b, n, h, -1).transpose(1, 2).reshape(b * h, n, -1)
    q, k, v = fold(self.W_query(x)), fold(self.W_key(x)), fold(self.W_value(x))
    s = torch.bmm(q, k.transpose(1, 2)) / k.size(-1) ** 0.5
    s = s.masked_fill(self.mask[:n, :n].bool(), -torch.inf)
    y = torch.bmm(self.dropout(s.softmax(-1)), v).view(b, h, n, -1)
inherits-from-causal-attention: nn.Module → CausalAttention
    line super … raise →:
        if d_out % num_heads:
            raise ValueError(f"{num_heads} heads cannot share {d_out} numbers")
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
    line d_out / … W_value = nn →
    line Dropout … diagonal →
    line shape … return →:
        n = x.shape[1]
        q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
        s = q @ k.mT / k.shape[-1] ** 0.5
        s = s.masked_fill(self.mask.bool()[:n, :n], -torch.inf)
        return self.out_proj(merge_heads(self.dropout(s.softmax(-1)) @ v))
float64-inside from queries-and-keys-swapped: keys @ queries → queries.double() @ keys.double()
    (attn_weights) → (attn_weights.to(x.dtype))
functional-dropout from dropout-always-a-tenth: line Dropout → self.p = dropout
    line dropout( → attn_weights = nn.functional.dropout(attn_weights, p=self.p, training=self.training)
assertion-as-value-error from not-refused: below super →:
    try:
        assert d_out % num_heads == 0
    except AssertionError:
        raise ValueError(f'{d_out} % {num_heads}') from None
functional-multi-head-attention (costs 4) from finfo-min:
    line x.shape … return → n = x.shape[1]↵t = x.transpose(0, 1)↵bias = None↵if self.W_query.bias is not None:↵    bias = torch.cat((self.W_query.bias, self.W_key.bias, self.W_value.bias))↵out, _ = nn.functional.multi_head_attention_forward(↵    t @ self.W_query.weight.T, t @ self.W_key.weight.T, t @ self.W_value.weight.T,↵    self.d_out, self.num_heads,↵    torch.eye(self.d_out).to(x).repeat(3, 1), bias, None, None, False, self.dropout.p,↵    self.out_proj.weight, self.out_proj.bias, training=self.training,↵    need_weights=False, attn_mask=self.mask[:n, :n].bool(),↵)↵return out.transpose(0, 1)
== copy-into-fused
joined-along-columns (named, raised): line W_key … dim=0 →:
    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=1))
    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=1))
    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=1))
joined-along-columns-and-turned (named, raised): line W_key … dim=0 →:
    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=1).T)
    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=1).T)
    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=1).T)
weights-turned-and-joined (named, values): line W_key … dim=0 →:
    fused.W_query.weight.copy_(torch.cat([head.W_query.weight.T for head in wrapper.heads], dim=1).T.flip(0))
    fused.W_key.weight.copy_(torch.cat([head.W_key.weight.T for head in wrapper.heads], dim=1).T.flip(0))
    fused.W_value.weight.copy_(torch.cat([head.W_value.weight.T for head in wrapper.heads], dim=1).T.flip(0))
interleaved (named, values): line W_key … dim=0 →:
    fused.W_query.weight.copy_(torch.stack([head.W_query.weight for head in wrapper.heads], dim=1).flatten(0, 1))
    fused.W_key.weight.copy_(torch.stack([head.W_key.weight for head in wrapper.heads], dim=1).flatten(0, 1))
    fused.W_value.weight.copy_(torch.stack([head.W_value.weight for head in wrapper.heads], dim=1).flatten(0, 1))
heads-reversed (named, values) from the-notebooks-stack:
    W_query.weight for head in stack.heads → W_query.weight for head in reversed(wrapper.heads)
    W_key.weight for head in stack.heads → W_key.weight for head in reversed(wrapper.heads)
    W_value.weight for head in stack.heads → W_value.weight for head in reversed(wrapper.heads)
first-head-everywhere (named, values) from bias-one: head.W_query → wrapper.heads[0].W_query
    head.W_key → wrapper.heads[0].W_key
    head.W_value → wrapper.heads[0].W_value
    fill_(1 → zero_(
keys-from-queries (named, values) from bias-one: head.W_key → head.W_query
    fill_(1 → zero_(
values-from-keys (named, values) from values-forgotten:
    above shape → fused.W_value.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
values-forgotten (named, values): line W_key … dim=0 →:
    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
queries-and-keys-swapped (named, values) from bias-one: fused.W_query → fused.W_key
    fused.W_key → fused.W_query
    fill_(1 → zero_(
bias-forgotten (named, values) from bias-one: line fill_ →
    says: bias
bias-one (named, values) from eye-of-four:
    says: bias|[Ee]ntry
    4 → fused.out_proj.weight.shape[0]
    zero_( → fill_(1
weight-forgotten (named, values) from values-forgotten:
    line shape → fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
ones-instead-of-the-identity (named, values) from eye-of-four: eye(4 → ones_like(fused.out_proj.weight
diagonal-filled-only (named, values) from weight-forgotten:
    above zero_ → fused.out_proj.weight.fill_diagonal_(1)
eye-of-four (named, raised, keeps 2) from diagonal-filled-only: fill_diagonal_(1) → copy_(torch.eye(4))
two-heads-always (named, raised, keeps 2): line W_key … dim=0 →:
    fused.W_query.weight.copy_(torch.cat([wrapper.heads[i].W_query.weight for i in range(2)], dim=0))
    fused.W_key.weight.copy_(torch.cat([wrapper.heads[i].W_key.weight for i in range(2)], dim=0))
    fused.W_value.weight.copy_(torch.cat([wrapper.heads[i].W_value.weight for i in range(2)], dim=0))
rows-of-the-example (named, raised, values, keeps 2): line W_key … shape →:
    for i, head in enumerate(wrapper.heads):
        for name in ("W_query", "W_key", "W_value"):
            getattr(fused, name).weight[2 * i : 2 * i + 2] = getattr(head, name).weight
    fused.out_proj.weight.copy_(torch.eye(len(fused.out_proj.weight)))
no-grad-forgotten (raised) from bias-one:
    says: no_grad
    line with → if True:
    fill_(1 → zero_(
tensors-assigned (raised) from queries-and-keys-swapped:
    says: copy_|Parameter
    W_key.weight.copy_( → W_query.weight = (
    W_query.weight.copy_( → W_key.weight = (
    W_value.weight.copy_( → W_value.weight = (
    out_proj.weight.copy_( → out_proj.weight = (
return-forgotten (type) from eye-of-four: 4 → fused.out_proj.weight.shape[0]
    line return →
wrapper-returned (named, raised, type, parameters, shape, values, rule, behaviour) from output-returned:
    fused(batch) → wrapper
output-returned (type) from bias-one: fill_(1 → zero_(
    return fused → return fused(batch)
state-dict-loaded-loosely (named, values):
    line with … zero_ → fused.load_state_dict(wrapper.state_dict(), strict=False)
the-notebooks-stack (named, raised, values, rule, behaviour): line W_key … dim=0 →:
    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in stack.heads], dim=0))
    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in stack.heads], dim=0))
    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in stack.heads], dim=0))
identity-module (named, raised, type, parameters, values, rule, behaviour, keeps 2): body
    with torch.no_grad():
        for name in ("W_query", "W_key", "W_value"):
            rows = torch.cat([getattr(h, name).weight for h in wrapper.heads])
            getattr(fused, name).weight.copy_(rows)
    fused.out_proj = nn.Identity()
    return fused
getattr: line W_key … zero_ →:
    for name in ["W_query", "W_key", "W_value"]:
        w = torch.vstack([getattr(h, name).weight for h in wrapper.heads])
        getattr(fused, name).weight.copy_(w)
    nn.init.eye_(fused.out_proj.weight)
    nn.init.zeros_(fused.out_proj.bias)
slices-of-rows: above def → @torch.no_grad()
    line with … zero_ →:
        d = wrapper.heads[0].W_query.weight.shape[0]
        for i, head in enumerate(wrapper.heads):
            rows = slice(i * d, (i + 1) * d)
            fused.W_query.weight[rows] = head.W_query.weight
            fused.W_key.weight[rows] = head.W_key.weight
            fused.W_value.weight[rows] = head.W_value.weight
        fused.out_proj.weight.copy_(torch.eye(d * len(wrapper.heads)))
        fused.out_proj.bias.fill_(0)
state-dict: line with … zero_ →:
    state = fused.state_dict()
    for name in ("W_query", "W_key", "W_value"):
        state[f"{name}.weight"] = torch.cat([h.state_dict()[f"{name}.weight"] for h in wrapper.heads])
    state["out_proj.weight"] = torch.eye(len(state["out_proj.weight"]))
    state["out_proj.bias"] = torch.zeros_like(state["out_proj.bias"])
    fused.load_state_dict(state)
chunks: line W_key … zero_ →:
    for wide, name in ((fused.W_query, "W_query"), (fused.W_key, "W_key"), (fused.W_value, "W_value")):
        for piece, head in zip(wide.weight.chunk(len(wrapper.heads)), wrapper.heads):
            piece.copy_(getattr(head, name).weight)
    fused.out_proj.weight.zero_().fill_diagonal_(1.0)
    fused.out_proj.bias *= 0
inference-of-names: above with → narrow = dict(wrapper.named_parameters())
    line W_key … zero_ →:
        for name, wide in fused.named_parameters():
            if name.startswith("W_"):
                parts = [p for key, p in narrow.items() if key.endswith("." + name)]
                wide.copy_(torch.cat(parts))
            elif name.endswith("weight"):
                wide.copy_(torch.eye(*wide.shape))
            else:
                wide.zero_()
""",
)
