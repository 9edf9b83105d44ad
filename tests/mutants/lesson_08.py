"""Answers to lesson 08 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "08-train-it"
TASKS = read(
    LESSON,
    r"""
== stream-after
only-what-was-added (named): above for → out = x
    x = x + x → out = out + out
    return x → return out - x
backwards (named, values): parts: → parts.flip(0):
last-part (named, values): = x + x @ parts[-1] if len(parts) else x
nothing-kept (named, values): x = x → x
index: line for … x = x → for n in range(len(parts)):↵    x = torch.add(x, torch.matmul(x, parts[n]))
one-matrix: above for → whole = torch.eye(x.shape[-1])
    x = x + x @ part → whole = whole @ (torch.eye(x.shape[-1]) + part)
    return x → return x @ whole
copy-first: above for → stream = x.clone()
    x = x + x → stream += stream
    return x → return stream
== layer-norm
root-forgotten (named): body
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / (((x - mean) ** 2).mean(-1, keepdim=True) + eps) * scale + shift
std-plus-eps (named, values):
    = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * scale + shift
without-keepdim (named, raised, values): = (x - x.mean(-1)) / (x.var(-1) + eps).sqrt() * scale + shift
shift-before-scale (named, values): * scale + → +
batch-norm (named, values): x.mean(dim=-1 → x.mean(dim=0
    ).mean(dim=-1 → ).mean(dim=0
edited-in-place (named, values, rule, behaviour): line x.mean → centred = x↵x -= x.mean(dim=-1, keepdim=True)
functional (costs 1): = nn.functional.layer_norm(x, (x.shape[-1],), weight=scale, bias=shift, eps=eps)
module (costs 1): body
    norm = nn.LayerNorm(x.shape[-1], eps=eps, elementwise_affine=False)
    return norm(x) * scale + shift
var-correction-0:
    = scale * (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps) + shift
mean-of-squares: body
    mean = x.mean(-1, keepdim=True)
    variance = (x**2).mean(-1, keepdim=True) - mean**2
    return (x - mean) * (variance + eps) ** -0.5 * scale + shift
== feed-forward
relu-by-hand (named): line F.gelu → hidden = (x @ weight_1.T + bias_1).clamp(min=0)
silu-by-hand (named): line F.gelu → hidden = x @ weight_1.T + bias_1↵hidden = hidden * hidden.sigmoid()
no-biases (named, values): T + bias_1 → T
    T + bias_2 → T
weights-as-they-are (raised): weight_1.T → weight_1
    weight_2.T → weight_2
f-linear: = F.linear(F.gelu(F.linear(x, weight_1, bias_1)), weight_2, bias_2)
einsum: x @ weight_1.T → torch.einsum("btd,wd->btw", x, weight_1)
mt-and-matmul: hidden @ weight_2.T → torch.matmul(hidden, weight_2.mT)
== unembed
shares (named): = (x @ weight.T).softmax(-1)
last-one (named, shape): x @ → x[:, -1] @
winner (named, shape, dtype): = (x @ weight.T).argmax(-1)
not-turned (raised): .T →
scaled (named): T → T / weight.shape[1] ** 0.5
distance (named, values): = -torch.cdist(x, weight.expand(len(x), -1, -1))
f-linear: = F.linear(x, weight, None)
the-other-way-round: = (weight @ x.mT).mT
summed-products: = (x[:, :, None] * weight).sum(-1)
== transformer-block
post-norm (named, values): line norm_1(x) → x = self.norm_1(x + self.attention(x))
    line norm_2(x) → x = self.norm_2(x + self.mlp(x))
mlp-from-the-start (named, values, keeps 1): body forward
    y = x + self.attention(self.norm_1(x))
    return y if self.mlp is None else y + self.mlp(self.norm_2(x))
stream-normalised-first (named, values): line norm_1(x) → normed = self.norm_1(x)↵x = normed + self.attention(normed)
narrow-mlp (named, parameters, values, keeps 1): , 4 → , 2
    (4 → (2
stub (stub): line norm_1(x) … return → ...
added-in-place-of-new-names: body forward
    seen = x + self.attention(self.norm_1(x))
    return seen + self.mlp(self.norm_2(seen)) if self.mlp else seen
flag-kept: mlp = None → mlp, self.has_mlp = None, mlp
    mlp is not None → has_mlp
keywords: d_model, d_model, → d_in=d_model, d_out=d_model,
    , dropout, → =context_length, dropout=dropout,
    num_heads) → num_heads=num_heads)
== tiny-transformer
rope-too-when-learned (named, values, keeps 3): == "rope → != "none
no-rope (named, values, keeps 3): line rotate → pass
rope-with-one-head (named, values, keeps 3): num_heads) → 1)
last-token-only (named, shape, values): x)) → x[:, -1]))
log-softmax (named, values): x)) → x)).log_softmax(-1)
embedding-called-with-places: .weight[: ids.shape[1] → (torch.arange(ids.shape[-1]))[None
rotated-where-made: line ModuleList … rotate →:
    self.blocks = nn.ModuleList()
    for _ in range(num_layers):
        self.blocks.append(Block(d_model, num_heads, context_length, mlp=mlp, dropout=dropout))
        if position == "rope":
            rotate(self.blocks[-1].attention, num_heads)
position-kept: above learned → self.position = position
    positions is not None → position == "learned"
== next-token-loss
log-of-softmax (named, keeps 1): line torch → log_shares = torch.softmax(logits[counted], -1).log()
one-minus-share (named, values): log_softmax → softmax
    -of_labels → 1 - of_labels
mean-of-means (named, values): body
    losses = []
    for row, wanted in zip(logits, labels):
        kept = wanted != -100
        losses.append(-row[kept].log_softmax(-1).gather(-1, wanted[kept][:, None]).sum() / len(wanted))
    return torch.stack(losses).mean()
minus-100-as-index (named, raised, values):
    = -torch.log_softmax(logits, -1).gather(-1, labels[..., None]).mean()
one-for-each (type, shape): .mean() →
over-tokens (named, raised, values): =-1 → =0
loop: body
    losses = []
    for b in range(labels.shape[0]):
        for t in range(labels.shape[1]):
            if labels[b, t] != -100:
                losses.append(torch.logsumexp(logits[b, t], 0) - logits[b, t, labels[b, t]])
    return sum(losses) / len(losses)
maximum-by-hand: body
    kept = labels >= 0
    z, y = logits[kept], labels[kept]
    z = z - z.max(dim=1, keepdim=True).values
    return (z.exp().sum(1).log() - z[range(len(y)), y]).mean()
take-along: line None] → of_labels = torch.take_along_dim(log_shares, labels[counted][:, None], dim=-1)
cross-entropy (costs 1):
    line counted = … return → loss = nn.CrossEntropyLoss()↵return loss(logits.transpose(1, 2), labels)
== train
cleared-once (named, keeps 1): above for → optimizer.zero_grad()
    line zero_grad →
step-before-backward (named, values): above loss. → optimizer.step()
    line step() →
adam-without-decay (named, values): =lr → =lr, weight_decay=0.5
returns-the-loss (raised, type, shape, values): model.eval() → loss
return-inside-the-loop (named, keeps 1) from step-before-backward: above step() → loss.backward()
    line loss. … return → return model.eval()
gradients-set-to-none: line zero_grad → for parameter in model.parameters():↵    parameter.grad = None
keyword-params: line torch → optimizer = torch.optim.AdamW(params=list(model.parameters()), lr=lr)
grad-function: line zero_grad … loss. →:
    found = torch.autograd.grad(loss, list(model.parameters()))
    for parameter, gradient in zip(model.parameters(), found):
        parameter.grad = gradient
== bug-training-loop
only-cleared (named) from faulty: line zero_grad →
    above vocab → optimizer.zero_grad()
cleared-once (named, keeps 1) from faulty: torch.softmax(model(ids), dim=-1 → model(ids
step-before-backward (named, values): above loss. → optimizer.step()
    line step() →
adam-without-decay (named, values): =lr → =lr, weight_decay=0.5
returns-the-loss (raised, type, shape, values): model.eval() → loss
return-inside-the-loop (named, keeps 1) from step-before-backward: above step() → loss.backward()
    line loss. … return → return model.eval()
gradients-set-to-none: line zero_grad → for parameter in model.parameters():↵    parameter.grad = None
keyword-params: line torch → optimizer = torch.optim.AdamW(params=list(model.parameters()), lr=lr)
grad-function: line zero_grad … loss. →:
    found = torch.autograd.grad(loss, list(model.parameters()))
    for parameter, gradient in zip(model.parameters(), found):
        parameter.grad = gradient
== bug-evaluation
shift-of-two (values): 1], ids[:, 1 → 2], ids[:, 2
accuracy (named, values): = (model.eval()(ids)[:, :-1].argmax(-1) == ids[:, 1:]).float().mean()
reshape: flatten(0, 1), wanted.flatten( → reshape(-1, predicted.shape[-1]), wanted.reshape(-1
log-softmax: line vocab … return →:
    log = model(ids)[:, :-1].log_softmax(-1)
    return -log.gather(-1, ids[:, 1:, None]).mean()
fewer-tokens:
    line vocab … return → return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:]).item()
== reverse-map
identity (named, values): = torch.eye(2 * n + 1)
flipped-identity (named): = torch.flip(torch.eye(2 * n + 1), [0])
only-digits (named, shape): = torch.eye(n).flip(0)
eight-always (raised, shape, values): 2 * n + 1, 2 * n + 1 → 17, 17
index-put: line for … map_[n → rows = torch.arange(n, 2 * n)↵map_[rows, 2 * n - 1 - rows] = 1
list: body
    rows = [[0.0] * (2 * n + 1) for _ in range(2 * n + 1)]
    for key in range(n):
        rows[2 * n - 1 - key][key] = 1.0
    return torch.tensor(rows)
pad: = F.pad(torch.eye(n).flip(0), (0, n + 1, n, 1))
== generate
sampled (named, values): line argmax → likeliest = torch.multinomial(logits[:, -1].softmax(-1), 1)
one-round (named, shape): (count → (1
max: ].argmax(dim=-1, keepdim=True) → :].max(dim=-1).indices
recursive: body
    if count == 0:
        return ids
    best = model(ids[:, -context_length:])[:, -1].argmax(-1)
    return generate(model, torch.cat((ids, best[:, None]), 1), count - 1, context_length)
room-made-first: body
    out = torch.cat((ids, ids.new_zeros(len(ids), count)), 1)
    for place in range(ids.shape[1], out.shape[1]):
        out[:, place] = model(out[:, max(0, place - context_length) : place])[:, -1].argmax(-1)
    return out
== bug-lost-mask
filled-with-zero (named): -torch.inf → 0
weights-cut (named): line inf … return → return (torch.softmax(scores, dim=-1) * ~hidden) @ values
diagonal-too (named, not finite, values): hidden, → hidden | torch.eye(num_tokens).bool(),
rescaled (named, values): 0.5 → 0.25
assigned-elsewhere from faulty: scores. → masked = scores.
    scores, → masked,
index: line inf → scores[:, :, hidden] = -torch.inf
large-negative: line inf → scores = scores - 1e9 * hidden.float()
ready-made: = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
""",
)
