"""Answers to lesson 09 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "09-take-it-apart"
TASKS = read(
    LESSON,
    r"""
== induction-score
the-same-token (named, values): = weights.diagonal(-period, 1, 2).mean(-1)
with-the-first-query (named): = weights.diagonal(1 - period, 1, 2).mean(-1)
largest (named, values): mean → amax
wrong-axes (named, raised, shape, values): 1, dim2=2 → 0, dim2=1
keys-before-queries (named, values): weights. → weights.mT.
sum-and-count: body
    total, count = 0.0, 0
    for t in range(period, weights.shape[-1]):
        total, count = total + weights[:, t, t + 1 - period], count + 1
    return total / count
advanced-index: body
    t = torch.arange(period, weights.shape[1])
    return weights[:, t, t - period + 1].mean(1)
cut-keys: = weights[:, period:, 1:].diagonal(dim1=1, dim2=2).mean(-1)
== previous-token-head
forward-of-its-own (named, behaviour, keeps 1): body
    d = 2 * vocab + context_length
    class Written(MultiHeadAttention):
        def forward(self, x):
            out = torch.zeros_like(x)
            out[:, 1:, vocab + context_length :] = x[:, :-1, :vocab]
            out[:, 0, vocab + context_length :] = x[:, 0, :vocab]
            return out
    return Written(d, d, context_length, 0.0, num_heads=1)
out-proj-random (named, values): line copy_ →
cleared-too-late (named, values): line for … zero_ →
    above return → with torch.no_grad():↵    head.W_query.weight.zero_()
key-sharp: 50 → 7
    0.5 → 0.25
    places] = 1.0 → places] = 7 * d_model**0.25
slices: [free, token] = 1.0 → [-vocab:, :vocab] = torch.eye(vocab)
diagonal: [places, places] = 1.0 → .fill_diagonal_(1.0)
== induction-head
keys-empty (named): line W_key →
weak (named, values): 50 * d_model**0.5 → 2.0
turned (named, values): token, before → before, token
data: [token, token] = 1.0 → .data[:vocab, :vocab] += torch.eye(vocab)
sharper-key: 50 * d_model**0.5 → 1.0
    before] = 1.0 → before] = 60 * d_model**0.5
stronger: 50 * d_model**0.5 → 80 * d_model
== head-circuits
softmax-on-qk (named, values): queries @ keys.T / head_dim**0.5 → (queries @ keys.T / head_dim**0.5).softmax(-1)
rows-of-out-proj (named, keeps 1, values): out_proj.weight[:, own].T → out_proj.weight.T[:, own].T
turned-ov (named, keeps 1, values): written @ unembedding.T → (written @ unembedding.T).mT
linear: queries = asking @ attention.W_query.weight[own].T → queries = F.linear(asking, attention.W_query.weight[own])
scaled-queries: queries @ keys.T / head_dim**0.5 → (queries * head_dim**-0.5) @ keys.T
inner: written @ unembedding.T → torch.einsum("bd,cd->bc", written, unembedding)
== ablation-effect
whole-layer (named): [:, :, head] = 0.0 → .zero_()
interleaved (named, raised): num_heads, -1 → -1, num_heads
    :, :, head → ..., head
mask: line head] → contexts = contexts * (torch.arange(num_heads) != head)[:, None]
try-finally:
    line removed = … hook. → try:↵    removed = token_loss(model(ids), labels)↵finally:↵    hook.remove()
view: body without
    x = arguments[0].clone()
    width = x.size(-1) // num_heads
    x[..., width * head : width * (head + 1)] = 0
    return x
== patched
first-hook-stays (named, rule): model(clean)↵hook.remove() → _ = model(clean)
everything-patched (named): line kept[0 → stream = kept[0]
batch-axis (named, raised, values): line kept[0 → stream[position - 2] = kept[0][position - 2]
dictionary: kept = [] → kept = {}
    append(stream → update({0: stream}
cat: stream[:, position] = → stream = torch.cat((stream[:, :position],
    [0][:, position] → [0][:, position : position + 1], stream[:, position + 1 :]), 1)
two-names: body patched
    kept = []
    hook = model.blocks[layer].register_forward_hook(lambda block, given, stream: kept.append(stream))
    model(clean)
    hook.remove()

    def put_in(block, given, stream):
        stream = stream.clone()
        stream[:, position] = kept[0][:, position]
        return stream

    second = model.blocks[layer].register_forward_hook(put_in)
    logits = model(corrupt)
    second.remove()
    return logits
""",
)
