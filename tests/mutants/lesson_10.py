"""Answers to lesson 10 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "10-read-a-model"
TASKS = read(
    LESSON,
    r"""
== split-fused
still-in-by-out (named, raised, shape, values): = weight.chunk(3, dim=-1)
chunk-first-axis (named, raised, type, shape, values): = [part.T for part in weight.chunk(3)]
value-first (named, values): 1)) → 1))[::-1]
every-third-column (named, values): = tuple(weight[:, part::3].T for part in range(3))
view-not-transpose (named, raised, shape, values): = tuple(weight.view(3, -1, weight.shape[0]))
two-parts (named, raised, shape, values): 1) → 1)[:2]
slices: body
    out = weight.shape[1] // 3
    return weight[:, :out].T, weight[:, out : 2 * out].T, weight[:, 2 * out :].T
tensor-split: = [part.mT.contiguous() for part in weight.tensor_split(3, dim=1)]
stacked: = torch.stack(weight.chunk(3, dim=1)).transpose(1, 2)
== place
wide-left (named, raised, values, keeps 3): , "c_fc.weight" → ,
tables-turned (named, raised, values, keeps 2): line c_proj → if tensor.ndim == 2:
embedding-only (named, keeps 3): .weight": → ":
unembedding-only (named, keeps 3):
    line own). → if name != "wte.weight":↵    model.get_parameter(own).copy_(tensor)
first-block-for-qkv (named, values, keeps 3): own.replace("fused", part) → "blocks.0.attention." + part + ".weight"
values-for-all (named, values, keeps 3): (weight) → (split_fused(tensor)[2])
nothing-copied (named, values, keeps 1): (own).copy_(tensor) → (own)
    weight.copy_(tensor) → weight
tensor-returned (type): return model →2 return tensor
    says: asks for the model
not-returned (named, stub, type, shape) from state-dict: line in own … return →:
    if name.endswith("c_attn.weight"):
        for part, weight in zip(("W_query", "W_key", "W_value"), split_fused(tensor)):
            model.get_parameter(own.replace("fused", part)).copy_(weight)
        return
    if name.endswith(("c_proj.weight", "c_fc.weight")):
        tensor = tensor.T
    model.get_parameter(own).copy_(tensor)
    if name == "wte.weight":
        model.unembedding.weight.copy_(tensor)
    return
modules: line c_attn … unembedding →:
    parts = ("W_query", "W_key", "W_value") if "fused" in own else ("",)
    weights = split_fused(tensor) if "fused" in own else (tensor.T if "c_" in name else tensor,)
    for part, weight in zip(parts, weights):
        module, _, last = own.replace("fused", part).rpartition(".")
        getattr(model.get_submodule(module), last).data[:] = weight
    if own == "embedding.weight":
        model.unembedding.weight.data[:] = tensor
state-dict: line c_attn … unembedding →:
    if "fused" in own:
        new = {own.replace("fused", part): weight for part, weight in zip(["W_query", "W_key", "W_value"], split_fused(tensor))}
    else:
        new = {own: tensor.t() if "c_" in name and tensor.ndim == 2 else tensor}
    if name.startswith("wte"):
        new["unembedding.weight"] = tensor
    model.load_state_dict(new, strict=False)
== bug-orientation
one-c-proj-alone (named, values, keeps 1): = tensor.T if "c_fc" in name or "attn.c_proj" in name else tensor
all-squares-turned (named, values, keeps 1):
    = tensor.T if tensor.shape[0] == tensor.shape[1] or list(tensor.shape) != shape.tolist() else tensor
flipped (named, shape, values): T → flip(0)
contains: = tensor.T if "c_proj" in name or "c_fc" in name else tensor
by-table: = tensor if name.startswith(('wte', 'wpe')) else tensor.t().contiguous()
swapaxes: line return → if "c_" in name and tensor.ndim == 2:↵    tensor = tensor.swapaxes(0, 1)↵return tensor
== perplexity
power-of-two (named): return F → return 2 ** F
    .exp() →
mean-of-perplexities (named, values): flatten(0, 1 → transpose(1, 2
    .flatten()).exp() → , reduction="none").mean(1).exp().mean()
last-token (named, values): .flatten(0, 1), ids[:, 1:].flatten() → [:, -1], ids[:, -1]
one-over-mean-probability (named, values):
    = 1 / model(ids)[:, :-1].softmax(-1).gather(-1, ids[:, 1:, None]).mean()
item: exp() → exp().item()
math: above → import math
    line return → return math.exp(F.cross_entropy(logits.transpose(1, 2), ids[:, 1:]))
loop: body
    total, count = 0.0, 0
    for sequence in ids:
        log = model(sequence[None])[0].log_softmax(-1)
        for t in range(len(sequence) - 1):
            total, count = total - log[t, sequence[t + 1]], count + 1
    return torch.exp(total / count)
== claim-score
mean-over-everything (named, values): = (weights * claim[:, None]).sum(-1).mean(dim=(0, 2))
mean-over-keys (named, values): sum → mean
columns (named, values): * claim → * claim.transpose(1, 2)
head-axis-missing (named, raised, shape, values): [:, None] →
largest (named): sum(dim=-1) → max(dim=-1).values
nan-mean: [:, None]).sum(dim= → .unsqueeze(1)).sum(
    asked = claim.any(dim=-1) → share = share.masked_fill(~claim.any(-1)[:, None], torch.nan)
    )[:, asked].mean(dim=- → ).flatten(1).nanmean(dim=
counts: body
    asked = claim.any(dim=-1).float()
    share = torch.where(claim[:, None], weights, 0.0).sum(dim=-1)
    return (share * asked[:, None]).sum(dim=(0, 2)) / asked.sum()
loop: body
    found = [[] for _ in range(weights.shape[1])]
    for map_, one in zip(weights, claim):
        for query in range(len(one)):
            if one[query].any():
                for head in range(len(found)):
                    found[head].append(map_[head, query][one[query]].sum())
    return torch.stack([torch.stack(one).mean() for one in found])
== induction-claim
rolled (named): line value → before = torch.roll(ids, 1, dims=-1)
upper (named, values): tril → triu
numbers (dtype, values): tril() → tril().float()
cat: line value → before = torch.cat((torch.full_like(ids[:, :1], -5), ids[:, :-1]), dim=1)
same-then-shift: body
    same = ids.unsqueeze(-1) == ids.unsqueeze(1)
    claim = torch.zeros_like(same)
    claim[:, :, 1:] = same[:, :, :-1]
    return torch.tril(claim)
full-like: body
    before = torch.full_like(ids, -1)
    before[:, 1:] = ids[:, :-1]
    places = torch.arange(ids.shape[1])
    return (ids[:, :, None] == before[:, None]) & (places[:, None] >= places)
== mean-ablated
own-mean (named): (dim=(0, 1)) → (1, keepdim=True)
hook-left (named, values, behaviour, keeps 3): line remove →
all-heads (named, values): line dim → contexts[:] = contexts.mean(dim=(0, 1))
expand: (0, 1) → (0, 1), keepdim=True
where: body averaged
    x = arguments[0]
    width = x.shape[-1] // num_heads
    mine = torch.arange(x.shape[-1]) // width == head
    return (torch.where(mine, x.mean(dim=(0, 1)), x),)
with: line blocks … remove →:
    with model.blocks[layer].attention.out_proj.register_forward_pre_hook(averaged):
        ablated = token_losses(model(ids), ids)
== effect-where
difference (named, shape, values): = rise[where].mean() - rise[~where].mean()
list (named, type, shape, values): = [float(rise[where].mean())]
tensor: = torch.tensor([rise[where].mean(), rise[where.logical_not()].mean()])
average: body
    there = (rise * where).sum() / where.sum()
    return torch.stack((there, (rise.sum() - (rise * where).sum()) / (where.numel() - where.sum())))
nan: = torch.stack([rise.masked_fill(one, torch.nan).nanmean() for one in (~where, where)])
== logit-lens
probabilities (named): ) for → ).softmax(-1) for
last-position (named, raised, shape, values): (stream) → (stream[:, -1:])
attention-only (named, values):
    line append → streams.append(streams[-1] + block.attention(block.norm_1(streams[-1])))
collected: line append → streams = [*streams, block(streams[-1])]
read-at-once: body
    x = model.embedding(ids) + model.positions(torch.arange(ids.shape[1]))
    found = x[None]
    for block in model.blocks:
        x = block(x)
        found = torch.cat((found, x[None]))
    return model.unembedding(model.norm(found))
hooked: body
    found = []
    hooks = [block.register_forward_pre_hook(lambda block, given: found.append(given[0])) for block in model.blocks]
    last = model(ids)
    for hook in hooks:
        hook.remove()
    return torch.stack([*(model.unembedding(model.norm(x)) for x in found), last])
== logit-attribution
sample-variance (named, keeps 1, values): correction=0 → unbiased=True
added-up (named, values, shape): .sum(dim=-1) → .sum(dim=-1).sum(dim=0)
std: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → parts.sum(dim=0).std(dim=-1, keepdim=True, correction=0).square()
matmul: (torch.cat((normed, shift)) * right).sum(dim=-1) → (torch.cat((normed, shift))[..., None, :] @ right[..., None]).flatten(3)[..., 0]
gather: right = unembedding[ids[:, 1:]] → right = unembedding.index_select(0, ids[:, 1:].flatten()).view(*ids[:, 1:].shape, -1)
""",
)
