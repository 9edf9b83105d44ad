# ruff: noqa: E501, F405  (the words that answers are written with all come from one place; code stays on its line)
"""Answers to lesson 10 as learners type them: wrong ones with the finding they deserve, and right ones."""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "10-read-a-model"
TASKS = Tasks(LESSON)
OFF = NAMED + VALUES
ODD = OFF + SHAPE + RAISED

TASKS.hold(
    "split-fused",
    Wrong("still-in-by-out", ODD) | returns("weight.chunk(3, dim=-1)"),
    Wrong("chunk-first-axis", ODD + TYPE) | returns("[part.T for part in weight.chunk(3)]"),
    Wrong("value-first", OFF) | returns("tuple(part.T for part in weight.chunk(3, dim=1))[::-1]"),
    Wrong("every-third-column", OFF) | returns("tuple(weight[:, part::3].T for part in range(3))"),
    Wrong("view-not-transpose", ODD) | returns("tuple(weight.view(3, -1, weight.shape[0]))"),
    Wrong("two-parts", ODD) | returns("tuple(part.T for part in weight.chunk(3, dim=1)[:2])"),
    Right("slices").body("""
        out = weight.shape[1] // 3
        return weight[:, :out].T, weight[:, out : 2 * out].T, weight[:, 2 * out :].T"""),
    Right("tensor-split") | returns("[part.mT.contiguous() for part in weight.tensor_split(3, dim=1)]"),
    Right("stacked") | returns("torch.stack(weight.chunk(3, dim=1)).transpose(1, 2)"),
)

TASKS.hold(
    "place",
    Wrong("square-left", NAMED, keeps=3)
    | edit('("c_proj.weight", "c_fc.weight")', '("mlp.c_proj.weight", "c_fc.weight")'),
    Wrong("wide-left", OFF + RAISED, keeps=3)
    | edit('("c_proj.weight", "c_fc.weight")', '("c_proj.weight",)'),
    Wrong("tables-turned", OFF + RAISED, keeps=2)
    | edit('name.endswith(("c_proj.weight", "c_fc.weight"))', "tensor.ndim == 2"),
    Wrong("embedding-only", NAMED, keeps=3) | edit('name == "wte.weight"', 'name == "wte"'),
    Wrong("unembedding-only", NAMED, keeps=3)
    | edit(
        "    model.get_parameter(own).copy_(tensor)\n",
        '    if name != "wte.weight":\n        model.get_parameter(own).copy_(tensor)\n',
    ),
    Wrong("values-for-all", OFF, keeps=3) | edit("copy_(weight)", "copy_(split_fused(tensor)[2])"),
    Wrong("nothing-copied", OFF, keeps=1)
    | edit(".copy_(tensor)\n    if", "\n    if")
    | edit("unembedding.weight.copy_(tensor)", "unembedding.weight"),
    Wrong("not-returned", TYPE + STUB + SHAPE + NAMED) | edit("return model", "return", 2),
    Right("tie-the-parameter")
    | edit("model.unembedding.weight.copy_(tensor)", "model.unembedding.weight = model.embedding.weight"),
    Right("modules").body("""
        own = own_name(name)
        parts = ("W_query", "W_key", "W_value") if "fused" in own else ("",)
        weights = split_fused(tensor) if "fused" in own else (tensor.T if "c_" in name else tensor,)
        for part, weight in zip(parts, weights):
            module, _, last = own.replace("fused", part).rpartition(".")
            getattr(model.get_submodule(module), last).data[:] = weight
        if own == "embedding.weight":
            model.unembedding.weight.data[:] = tensor
        return model"""),
    Right("state-dict").body("""
        own = own_name(name)
        if "fused" in own:
            new = {own.replace("fused", part): weight for part, weight in zip(["W_query", "W_key", "W_value"], split_fused(tensor))}
        else:
            new = {own: tensor.t() if "c_" in name and tensor.ndim == 2 else tensor}
        if name.startswith("wte"):
            new["unembedding.weight"] = tensor
        model.load_state_dict(new, strict=False)
        return model"""),
)

TASKS.hold(
    "bug-orientation",
    Wrong("as-given", NAMED, base="faulty"),
    Wrong("only-transposed", NAMED, keeps=1, base="faulty") | edit("tensor.reshape(list(shape))", "tensor.T"),
    Wrong("everything-turned", NAMED) | returns("tensor.T"),
    Wrong("nothing-turned", NAMED) | returns("tensor"),
    Wrong("all-squares-turned", OFF, keeps=1)
    | returns(
        "tensor.T if tensor.shape[0] == tensor.shape[1] or list(tensor.shape) != shape.tolist() else tensor"
    ),
    Wrong("flipped", OFF + SHAPE, keeps=0) | edit("tensor.T if", "tensor.flip(0) if"),
    Right("contains") | returns('tensor.T if "c_proj" in name or "c_fc" in name else tensor'),
    Right("by-table") | returns("tensor if name.startswith(('wte', 'wpe')) else tensor.t().contiguous()"),
    Right("swapaxes").body("""
        if "c_" in name and tensor.ndim == 2:
            tensor = tensor.swapaxes(0, 1)
        return tensor"""),
)

TASKS.hold(
    "perplexity",
    Wrong("loss", NAMED) | edit(".exp()", ""),
    Wrong("power-of-two", NAMED) | edit(".exp()", ".exp2()"),
    Wrong("unshifted", NAMED + RAISED) | edit("[:, :-1]", "") | edit("ids[:, 1:]", "ids"),
    Wrong("mean-of-perplexities", OFF)
    | edit(
        "F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).exp()",
        'F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none").mean(1).exp().mean()',
    ),
    Wrong("last-token", OFF)
    | edit("logits.flatten(0, 1), ids[:, 1:].flatten()", "logits[:, -1], ids[:, -1]"),
    Wrong("one-over-mean-probability", OFF)
    | returns("1 / model(ids)[:, :-1].softmax(-1).gather(-1, ids[:, 1:, None]).mean()"),
    Right("item") | edit(".exp()", ".exp().item()"),
    Right("math")
    | before("import math")
    | edit(
        "F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).exp()",
        "math.exp(F.cross_entropy(logits.transpose(1, 2), ids[:, 1:]))",
    ),
    Right("loop").body("""
        total, count = 0.0, 0
        for sequence in ids:
            log = model(sequence[None])[0].log_softmax(-1)
            for t in range(len(sequence) - 1):
                total, count = total - log[t, sequence[t + 1]], count + 1
        return torch.exp(total / count)"""),
)

TASKS.hold(
    "claim-score",
    Wrong("mean-over-everything", OFF) | returns("(weights * claim[:, None]).sum(-1).mean(dim=(0, 2))"),
    Wrong("mean-over-keys", OFF) | edit(".sum(dim=-1)", ".mean(dim=-1)"),
    Wrong("columns", OFF) | edit("claim[:, None]", "claim.transpose(1, 2)[:, None]"),
    Wrong("head-axis-missing", RAISED + ODD) | edit("claim[:, None]", "claim"),
    Wrong("largest", NAMED, keeps=0) | edit(".sum(dim=-1)", ".max(dim=-1).values"),
    Wrong("one-number", NAMED + SHAPE) | edit(".mean(dim=-1)", ".mean()"),
    Right("nan-mean").body("""
        share = (weights * claim.unsqueeze(1)).sum(-1)
        share = share.masked_fill(~claim.any(-1)[:, None], torch.nan)
        return share.transpose(0, 1).flatten(1).nanmean(dim=1)"""),
    Right("counts").body("""
        asked = claim.any(dim=-1).float()
        share = torch.where(claim[:, None], weights, 0.0).sum(dim=-1)
        return (share * asked[:, None]).sum(dim=(0, 2)) / asked.sum()"""),
    Right("loop").body("""
        found = [[] for _ in range(weights.shape[1])]
        for map_, one in zip(weights, claim):
            for query in range(len(one)):
                if one[query].any():
                    for head in range(len(found)):
                        found[head].append(map_[head, query][one[query]].sum())
        return torch.stack([torch.stack(one).mean() for one in found])"""),
)

TASKS.hold(
    "induction-claim",
    Wrong("same-token", NAMED) | edit("before[:, None, :] ==", "ids[:, None, :] =="),
    Wrong("rolled", NAMED) | edit("F.pad(ids[:, :-1], (1, 0), value=-1)", "torch.roll(ids, 1, dims=-1)"),
    Wrong("zero-in-front", NAMED) | edit("value=-1", "value=0"),
    Wrong("not-causal", NAMED) | edit("follows.tril()", "follows"),
    Wrong("upper", OFF) | edit("tril", "triu"),
    Wrong("numbers", DTYPE + VALUES) | edit("follows.tril()", "follows.tril().float()"),
    Right("cat")
    | edit(
        "F.pad(ids[:, :-1], (1, 0), value=-1)",
        "torch.cat((torch.full_like(ids[:, :1], -5), ids[:, :-1]), dim=1)",
    ),
    Right("same-then-shift").body("""
        same = ids.unsqueeze(-1) == ids.unsqueeze(1)
        claim = torch.zeros_like(same)
        claim[:, :, 1:] = same[:, :, :-1]
        return torch.tril(claim)"""),
    Right("full-like").body("""
        before = torch.full_like(ids, -1)
        before[:, 1:] = ids[:, :-1]
        places = torch.arange(ids.shape[1])
        return (ids[:, :, None] == before[:, None]) & (places[:, None] >= places)"""),
)

TASKS.hold(
    "mean-ablated",
    Wrong("zeroed", NAMED) | edit("contexts[:, :, head].mean(dim=(0, 1))", "0.0"),
    Wrong("own-mean", NAMED) | edit("mean(dim=(0, 1))", "mean(1, keepdim=True)"),
    Wrong("scalar", NAMED) | edit("mean(dim=(0, 1))", "mean()"),
    Wrong("hook-left", OFF + BEHAVIOUR) | without("hook.remove"),
    Wrong("gain-for-rise", NAMED) | edit("ablated - whole", "whole - ablated"),
    Wrong("ablated-alone", NAMED) | edit("ablated - whole", "ablated"),
    Wrong("all-heads", OFF)
    | edit(
        "contexts[:, :, head] = contexts[:, :, head].mean(dim=(0, 1))",
        "contexts[:] = contexts.mean(dim=(0, 1))",
    ),
    Right("expand")
    | edit("contexts[:, :, head].mean(dim=(0, 1))", "contexts[:, :, head].mean(dim=(0, 1), keepdim=True)"),
    Right("where").define("""
        def averaged(module, arguments):
            x = arguments[0]
            width = x.shape[-1] // num_heads
            mine = torch.arange(x.shape[-1]) // width == head
            return (torch.where(mine, x.mean(dim=(0, 1)), x),)"""),
    Right("with")
    | edit("    hook = model", "    with model")
    | edit("(averaged)\n    ablated", "(averaged):\n        ablated")
    | without("hook.remove"),
)

TASKS.hold(
    "effect-where",
    Wrong("swapped", NAMED) | returns("torch.stack((rise[~where].mean(), rise[where].mean()))"),
    Wrong("against-all", NAMED) | edit("rise[~where]", "rise"),
    Wrong("sums", NAMED)
    | edit("rise[where].mean(), rise[~where].mean()", "rise[where].sum(), rise[~where].sum()"),
    Wrong("zeros-counted", NAMED) | returns("torch.stack(((rise * where).mean(), (rise * (~where)).mean()))"),
    Wrong("difference", SHAPE + OFF) | returns("rise[where].mean() - rise[~where].mean()"),
    Wrong("list", TYPE + OFF + SHAPE) | returns("[float(rise[where].mean())]"),
    Right("tensor") | returns("torch.tensor([rise[where].mean(), rise[where.logical_not()].mean()])"),
    Right("average").body("""
        there = (rise * where).sum() / where.sum()
        return torch.stack((there, (rise.sum() - (rise * where).sum()) / (where.numel() - where.sum())))"""),
    Right("nan")
    | returns("torch.stack([rise.masked_fill(one, torch.nan).nanmean() for one in (~where, where)])"),
)

TASKS.hold(
    "logit-lens",
    Wrong("without-norm", NAMED) | edit("model.norm(stream)", "stream"),
    Wrong("after-blocks-only", NAMED) | edit("for stream in streams", "for stream in streams[1:]"),
    Wrong("no-positions", NAMED) | edit(" + model.positions.weight[: ids.shape[1]]", ""),
    Wrong("probabilities", NAMED)
    | edit("model.unembedding(model.norm(stream))", "model.unembedding(model.norm(stream)).softmax(-1)"),
    Wrong("last-position", ODD) | edit("model.norm(stream)", "model.norm(stream[:, -1:])"),
    Wrong("attention-only", OFF)
    | edit("block(streams[-1])", "streams[-1] + block.attention(block.norm_1(streams[-1]))"),
    Right("collected")
    | edit("streams.append(block(streams[-1]))", "streams = [*streams, block(streams[-1])]"),
    Right("read-at-once").body("""
        x = model.embedding(ids) + model.positions(torch.arange(ids.shape[1]))
        found = x[None]
        for block in model.blocks:
            x = block(x)
            found = torch.cat((found, x[None]))
        return model.unembedding(model.norm(found))"""),
    Right("hooked").body("""
        found = []
        hooks = [block.register_forward_pre_hook(lambda block, given: found.append(given[0])) for block in model.blocks]
        last = model(ids)
        for hook in hooks:
            hook.remove()
        return torch.stack([*(model.unembedding(model.norm(x)) for x in found), last])"""),
)
