# ruff: noqa: E501, F405  (the words that answers are written with all come from one place; code stays on its line)
"""Answers to lesson 09 as learners type them: wrong ones with the finding they deserve, and right ones."""

from __future__ import annotations

from dataclasses import replace

from tests.mutants.answers import *  # noqa: F403

LESSON = "09-train-it"
TASKS = Tasks(LESSON)
OFF = NAMED + VALUES

TASKS.hold(
    "embed",
    Wrong("in-order", NAMED) | returns("table[: ids.shape[1]].repeat(ids.shape[0], 1, 1)"),
    Wrong("counted-from-1", NAMED + RAISED) | edit("table[ids]", "table[ids - 1]"),
    Wrong("column", RAISED + SHAPE) | edit("table[ids]", "table[:, ids]"),
    Wrong("flat", SHAPE) | edit("table[ids]", "table[ids.flatten()]"),
    Wrong("one-hot-only", SHAPE + DTYPE + OFF) | returns("F.one_hot(ids, table.shape[0])"),
    Wrong("summed", NAMED + SHAPE) | edit("table[ids]", "table[ids].sum(1)"),
    Right("by-loops").body("""
        out = torch.zeros(*ids.shape, table.shape[1], dtype=table.dtype)
        for b in range(ids.shape[0]):
            for t in range(ids.shape[1]):
                out[b, t] = table[ids[b, t]]
        return out"""),
    Right("module").body("return nn.Embedding.from_pretrained(table)(ids)"),
    Right("stack") | returns("torch.stack([table[row] for row in ids])"),
)

TASKS.hold(
    "stream-after",
    Wrong("overwritten", NAMED) | edit("x + x @ part", "x @ part"),
    Wrong("all-from-the-start", NAMED) | returns("x + sum(x @ part for part in parts)"),
    Wrong("only-what-was-added", NAMED).body("""
        out = x
        for part in parts:
            out = out + out @ part
        return out - x"""),
    Wrong("in-place", RULE + BEHAVIOUR + NAMED) | edit("x = x + x @ part", "x += x @ part"),
    Wrong("backwards", OFF) | edit("in parts", "in parts.flip(0)"),
    Wrong("last-part", OFF) | returns("x + x @ parts[-1] if len(parts) else x"),
    Wrong("nothing-kept", OFF) | edit("x = x + x @ part", "x + x @ part"),
    Right("index").body("""
        for n in range(len(parts)):
            x = torch.add(x, torch.matmul(x, parts[n]))
        return x"""),
    Right("one-matrix").body("""
        whole = torch.eye(x.shape[-1])
        for part in parts:
            whole = whole @ (torch.eye(x.shape[-1]) + part)
        return x @ whole"""),
    Right("copy-first").body("""
        stream = x.clone()
        for part in parts:
            stream += stream @ part
        return stream"""),
)

TASKS.hold(
    "layer-norm",
    Wrong("root-forgotten", NAMED).body("""
        mean = x.mean(-1, keepdim=True)
        return (x - mean) / (((x - mean) ** 2).mean(-1, keepdim=True) + eps) * scale + shift"""),
    Wrong("std-plus-eps", OFF)
    | returns("(x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * scale + shift"),
    Wrong("without-keepdim", RAISED + OFF)
    | returns("(x - x.mean(-1)) / (x.var(-1) + eps).sqrt() * scale + shift"),
    Wrong("shift-before-scale", OFF) | edit("* scale + shift", "+ shift"),
    Wrong("batch-norm", OFF) | edit("dim=-1", "dim=0", 2),
    Wrong("edited-in-place", OFF + RULE + BEHAVIOUR)
    | above("variance =", "x -= x.mean(dim=-1, keepdim=True)")
    | edit("centred = x - x.mean(dim=-1, keepdim=True)", "centred = x"),
    Right("functional", costs=1).body(
        "return nn.functional.layer_norm(x, (x.shape[-1],), weight=scale, bias=shift, eps=eps)"
    ),
    Right("module", costs=1).body("""
        norm = nn.LayerNorm(x.shape[-1], eps=eps, elementwise_affine=False)
        return norm(x) * scale + shift"""),
    Right("var-correction-0")
    | returns(
        "scale * (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps) + shift"
    ),
    Right("mean-of-squares").body("""
        mean = x.mean(-1, keepdim=True)
        variance = (x**2).mean(-1, keepdim=True) - mean**2
        return (x - mean) * (variance + eps) ** -0.5 * scale + shift"""),
)

TASKS.hold(
    "feed-forward",
    Wrong("linear-only", NAMED) | edit("F.gelu(x @ weight_1.T + bias_1)", "(x @ weight_1.T + bias_1)"),
    Wrong("gelu-twice", NAMED)
    | edit("return hidden @ weight_2.T + bias_2", "return F.gelu(hidden @ weight_2.T + bias_2)"),
    Wrong("relu-by-hand", NAMED)
    | edit("F.gelu(x @ weight_1.T + bias_1)", "(x @ weight_1.T + bias_1).clamp(min=0)"),
    Wrong("silu", VALUES) | edit("F.gelu", "F.silu"),
    Wrong("no-biases", OFF) | edit(" + bias_1", "") | edit(" + bias_2", ""),
    Wrong("weights-as-they-are", RAISED) | edit("weight_1.T", "weight_1") | edit("weight_2.T", "weight_2"),
    Wrong("stream-included", NAMED) | edit("return hidden", "return x + hidden"),
    Right("f-linear") | returns("F.linear(F.gelu(F.linear(x, weight_1, bias_1)), weight_2, bias_2)"),
    Right("einsum") | edit("x @ weight_1.T", 'torch.einsum("btd,wd->btw", x, weight_1)'),
    Right("mt-and-matmul") | edit("hidden @ weight_2.T", "torch.matmul(hidden, weight_2.mT)"),
)

TASKS.hold(
    "unembed",
    Wrong("shares", NAMED) | edit("x @ weight.T", "(x @ weight.T).softmax(-1)"),
    Wrong("last-one", NAMED + SHAPE) | edit("x @ weight.T", "x[:, -1] @ weight.T"),
    Wrong("winner", NAMED + DTYPE + SHAPE) | edit("x @ weight.T", "(x @ weight.T).argmax(-1)"),
    Wrong("not-turned", RAISED) | edit("weight.T", "weight"),
    Wrong("scaled", NAMED) | edit("x @ weight.T", "x @ weight.T / weight.shape[1] ** 0.5"),
    Wrong("distance", OFF) | returns("-torch.cdist(x, weight.expand(len(x), -1, -1))"),
    Right("f-linear") | returns("F.linear(x, weight, None)"),
    Right("the-other-way-round") | returns("(weight @ x.mT).mT"),
    Right("summed-products") | returns("(x[:, :, None] * weight).sum(-1)"),
)

TASKS.hold(
    "transformer-block",
    Wrong("post-norm", OFF)
    | edit("x = x + self.attention(self.norm_1(x))", "x = self.norm_1(x + self.attention(x))")
    | edit("x = x + self.mlp(self.norm_2(x))", "x = self.norm_2(x + self.mlp(x))"),
    Wrong("mlp-from-the-start", OFF, keeps=1).define("""
        def forward(self, x):
            y = x + self.attention(self.norm_1(x))
            return y if self.mlp is None else y + self.mlp(self.norm_2(x))"""),
    Wrong("stream-normalised-first", OFF)
    | edit("x = x + self.attention(self.norm_1(x))", "x = self.norm_1(x)\n        x = x + self.attention(x)"),
    Wrong("narrow-mlp", PARAMETERS + OFF, keeps=1) | edit("4 * d_model", "2 * d_model", 2),
    Wrong("relu", NAMED, keeps=1) | edit("nn.GELU()", "nn.ReLU()"),
    Wrong("no-mlp-branch", RAISED + PARAMETERS + OFF, keeps=3) | edit("if mlp:", "if True:"),
    Wrong("stub", STUB).define("""
        def forward(self, x):
            ..."""),
    Right("added-in-place-of-new-names").define("""
        def forward(self, x):
            seen = x + self.attention(self.norm_1(x))
            return seen + self.mlp(self.norm_2(seen)) if self.mlp else seen"""),
    Right("flag-kept")
    | edit("self.mlp = None", "self.mlp, self.has_mlp = None, mlp")
    | edit("self.mlp is not None", "self.has_mlp"),
    Right("keywords")
    | edit(
        "MultiHeadAttention(d_model, d_model, context_length, dropout, num_heads)",
        "MultiHeadAttention(d_in=d_model, d_out=d_model, context_length=context_length, dropout=dropout, num_heads=num_heads)",
    ),
)

TASKS.hold(
    "tiny-transformer",
    Wrong("no-last-norm", OFF + PARAMETERS) | edit("self.norm(x)", "x"),
    Wrong("positions-from-the-end", OFF, keeps=3) | edit("[: ids.shape[1]]", "[-ids.shape[1]:]"),
    Wrong("rope-too-when-learned", OFF, keeps=3) | edit('position == "rope"', 'position != "none"'),
    Wrong("no-rope", OFF, keeps=2) | edit("rotate(block.attention, num_heads)", "pass"),
    Wrong("rope-with-one-head", OFF, keeps=2)
    | edit("rotate(block.attention, num_heads)", "rotate(block.attention, 1)"),
    Wrong("last-token-only", SHAPE + OFF) | edit("self.norm(x))", "self.norm(x[:, -1]))"),
    Wrong("log-softmax", OFF)
    | edit("self.unembedding(self.norm(x))", "self.unembedding(self.norm(x)).log_softmax(-1)"),
    Right("embedding-called-with-places")
    | edit("self.positions.weight[: ids.shape[1]]", "self.positions(torch.arange(ids.shape[-1]))[None]"),
    Right("rotated-where-made")
    | edit(
        '        self.blocks = nn.ModuleList(\n            Block(d_model, num_heads, context_length, mlp, dropout) for _ in range(num_layers)\n        )\n        if position == "rope":\n            for block in self.blocks:\n                rotate(block.attention, num_heads)',
        '        self.blocks = nn.ModuleList()\n        for _ in range(num_layers):\n            self.blocks.append(Block(d_model, num_heads, context_length, mlp=mlp, dropout=dropout))\n            if position == "rope":\n                rotate(self.blocks[-1].attention, num_heads)',
    ),
    Right("position-kept")
    | edit("self.positions = nn", "self.position = position\n        self.positions = nn")
    | edit("if self.positions is not None:", 'if self.position == "learned":'),
)

TASKS.hold(
    "next-token-labels",
    Wrong("no-shift", NAMED).body("""
        labels = ids.clone()
        labels[:, :first] = -100
        return labels"""),
    Wrong("rolled", NAMED).body("""
        labels = ids.roll(-1, 1)
        labels[:, : first - 1] = -100
        return labels"""),
    Wrong("everything-counts", NAMED)
    | returns("torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], -100)], 1)"),
    Wrong("shorter", SHAPE) | returns("ids[:, 1:]"),
    Wrong("floats", DTYPE + VALUES) | returns("torch.cat([ids[:, 1:], ids[:, :1]], 1).float()"),
    Wrong("one-too-late", OFF) | edit("first - 1 : -1] = ids[:, first:]", "first:-1] = ids[:, first + 1:]"),
    Right("mask").body("""
        labels = torch.cat((ids[:, 1:], torch.full((len(ids), 1), -100)), dim=1)
        return labels.masked_fill(torch.arange(ids.shape[1]) < first - 1, -100)"""),
    Right("pad").body("""
        labels = F.pad(ids[:, 1:], (0, 1), value=-100)
        labels[:, : first - 1] = -100
        return labels"""),
    Right("new-full").body("""
        labels = ids.new_full(ids.shape, -100)
        labels[:, first - 1 : ids.shape[1] - 1] = ids[:, first:]
        return labels"""),
)

TASKS.hold(
    "next-token-loss",
    Wrong("log-of-softmax", NAMED)
    | edit("torch.log_softmax(logits[counted], dim=-1)", "torch.softmax(logits[counted], -1).log()"),
    Wrong("no-minus", NAMED) | edit("-of_labels", "of_labels"),
    Wrong("total", NAMED) | edit(".mean()", ".sum()"),
    Wrong("one-minus-share", OFF)
    | edit("torch.log_softmax", "torch.softmax")
    | edit("-of_labels.mean()", "1 - of_labels.mean()"),
    Wrong("mean-of-means", OFF).body("""
        losses = []
        for row, wanted in zip(logits, labels):
            kept = wanted != -100
            losses.append(-row[kept].log_softmax(-1).gather(-1, wanted[kept][:, None]).sum() / len(wanted))
        return torch.stack(losses).mean()"""),
    Wrong("minus-100-as-index", OFF + RAISED)
    | returns("-torch.log_softmax(logits, -1).gather(-1, labels[..., None]).mean()"),
    Wrong("one-for-each", SHAPE + TYPE) | edit("-of_labels.mean()", "-of_labels"),
    Wrong("over-tokens", OFF + RAISED) | edit("logits[counted], dim=-1", "logits[counted], dim=0"),
    Right("loop").body("""
        losses = []
        for b in range(labels.shape[0]):
            for t in range(labels.shape[1]):
                if labels[b, t] != -100:
                    losses.append(torch.logsumexp(logits[b, t], 0) - logits[b, t, labels[b, t]])
        return sum(losses) / len(losses)"""),
    Right("maximum-by-hand").body("""
        kept = labels >= 0
        z, y = logits[kept], labels[kept]
        z = z - z.max(dim=1, keepdim=True).values
        return (z.exp().sum(1).log() - z[range(len(y)), y]).mean()"""),
    Right("take-along")
    | edit("log_shares.gather(-1,", "torch.take_along_dim(log_shares,")
    | edit("[:, None])", "[:, None], dim=-1)"),
    Right("cross-entropy", costs=1).body("""
        loss = nn.CrossEntropyLoss()
        return loss(logits.transpose(1, 2), labels)"""),
)

LOOP = (
    Wrong("never-cleared", NAMED, keeps=2) | without("zero_grad"),
    Wrong("cleared-once", NAMED, keeps=2) | without("zero_grad") | above("for ids", "optimizer.zero_grad()"),
    Wrong("step-before-backward", OFF)
    | without("optimizer.step")
    | above("loss.backward", "optimizer.step()"),
    Wrong("adam-without-decay", NAMED + VALUES) | edit("lr=lr)", "lr=lr, weight_decay=0.5)"),
    Wrong("returns-the-loss", TYPE + VALUES + SHAPE + RAISED) | edit("return model.eval()", "return loss"),
    Wrong("return-inside-the-loop", NAMED, keeps=2)
    | edit("    return model.eval()", "        return model.eval()"),
)
LOOP_RIGHT = (
    Right("gradients-set-to-none")
    | edit(
        "optimizer.zero_grad()", "for parameter in model.parameters():\n            parameter.grad = None"
    ),
    Right("keyword-params")
    | edit("AdamW(model.parameters(), lr=lr)", "AdamW(params=list(model.parameters()), lr=lr)"),
    Right("grad-function")
    | edit(
        "optimizer.zero_grad()\n        loss.backward()",
        "found = torch.autograd.grad(loss, list(model.parameters()))\n        for parameter, gradient in zip(model.parameters(), found):\n            parameter.grad = gradient",
    ),
)
TASKS.hold("train", *LOOP, *LOOP_RIGHT)
BUG_LOOP = tuple(
    replace(one, keeps=one.keeps // 2) if isinstance(one, Wrong) else one for one in (*LOOP, *LOOP_RIGHT)
)
TASKS.hold(
    "bug-training-loop",
    Wrong("only-cleared", NAMED, base="faulty")
    | without("optimizer.zero_grad")
    | above("logits =", "optimizer.zero_grad()"),
    *BUG_LOOP,
)

TASKS.hold(
    "bug-evaluation",
    Wrong("as-given", NAMED, base="faulty"),
    Wrong("only-the-mode", NAMED, base="faulty") | edit("train()", "eval()"),
    Wrong("only-the-shift", NAMED, keeps=1, base="faulty")
    | edit("logits, ids", "logits[:, :-1], ids[:, 1:]"),
    Wrong("shift-of-two", VALUES) | edit("logits[:, :-1], ids[:, 1:]", "logits[:, :-2], ids[:, 2:]"),
    Wrong("accuracy", OFF) | returns("(model.eval()(ids)[:, :-1].argmax(-1) == ids[:, 1:]).float().mean()"),
    Wrong("sum", NAMED) | edit("wanted.flatten())", 'wanted.flatten(), reduction="sum")'),
    Right("reshape")
    | edit(
        "predicted.flatten(0, 1), wanted.flatten()",
        "predicted.reshape(-1, predicted.shape[-1]), wanted.reshape(-1)",
    ),
    Right("log-softmax").body("""
        model.eval()
        log = model(ids)[:, :-1].log_softmax(-1)
        return -log.gather(-1, ids[:, 1:, None]).mean()"""),
    Right("fewer-tokens").body("""
        model.eval()
        return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:]).item()"""),
)

TASKS.hold(
    "reverse-map",
    Wrong("identity", VALUES + NAMED) | returns("torch.eye(2 * n + 1)"),
    Wrong("flipped-identity", NAMED) | returns("torch.flip(torch.eye(2 * n + 1), [0])"),
    Wrong("row-of-the-answer", NAMED) | edit("n + answer, ", "n + 1 + answer, "),
    Wrong("in-order", NAMED) | edit("n - 1 - answer", "answer"),
    Wrong("only-digits", SHAPE + NAMED) | returns("torch.eye(n).flip(0)"),
    Wrong("eight-always", RAISED + SHAPE + VALUES) | edit("2 * n + 1", "17", 2),
    Right("index-put").body("""
        map_ = torch.zeros(2 * n + 1, 2 * n + 1)
        rows = torch.arange(n, 2 * n)
        map_[rows, 2 * n - 1 - rows] = 1
        return map_"""),
    Right("list").body("""
        rows = [[0.0] * (2 * n + 1) for _ in range(2 * n + 1)]
        for key in range(n):
            rows[2 * n - 1 - key][key] = 1.0
        return torch.tensor(rows)"""),
    Right("pad") | returns("F.pad(torch.eye(n).flip(0), (0, n + 1, n, 1))"),
)

TASKS.hold(
    "induction-score",
    Wrong("the-same-token", OFF) | returns("weights.diagonal(-period, 1, 2).mean(-1)"),
    Wrong("with-the-first-query", NAMED) | returns("weights.diagonal(1 - period, 1, 2).mean(-1)"),
    Wrong("one-number", NAMED + SHAPE) | edit(".mean(dim=-1)", ".mean()"),
    Wrong("largest", OFF) | edit(".mean(dim=-1)", ".amax(dim=-1)"),
    Wrong("wrong-axes", OFF + RAISED + SHAPE) | edit("dim1=1, dim2=2", "dim1=0, dim2=1"),
    Wrong("keys-before-queries", OFF) | edit("weights.diagonal", "weights.mT.diagonal"),
    Right("sum-and-count").body("""
        total, count = 0.0, 0
        for t in range(period, weights.shape[-1]):
            total, count = total + weights[:, t, t + 1 - period], count + 1
        return total / count"""),
    Right("advanced-index").body("""
        t = torch.arange(period, weights.shape[1])
        return weights[:, t, t - period + 1].mean(1)"""),
    Right("cut-keys") | returns("weights[:, period:, 1:].diagonal(dim1=1, dim2=2).mean(-1)"),
)

TASKS.hold(
    "previous-token-head",
    Wrong("asks-for-the-next", NAMED) | edit("[places[:-1], places[1:]]", "[places[1:], places[:-1]]"),
    Wrong("two-places-back", NAMED) | edit("[places[:-1], places[1:]]", "[places[:-2], places[2:]]"),
    Wrong("not-sharp", NAMED) | edit("50 * d_model**0.5", "3.0"),
    Wrong("value-over-the-token", NAMED) | edit("[free, token]", "[token, token]"),
    Wrong("out-proj-random", OFF) | without("out_proj"),
    Wrong("cleared-too-late", OFF)
    | without("for parameter", "zero_")
    | above("return head", "with torch.no_grad():", "    head.W_query.weight.zero_()"),
    Right("key-sharp")
    | edit("= 50 * d_model**0.5", "= 7 * d_model**0.25")
    | edit("[places, places] = 1.0", "[places, places] = 7 * d_model**0.25"),
    Right("slices") | edit("[free, token] = 1.0", "[-vocab:, :vocab] = torch.eye(vocab)"),
    Right("diagonal")
    | edit("head.W_key.weight[places, places] = 1.0", "head.W_key.weight.fill_diagonal_(1.0)"),
)

TASKS.hold(
    "induction-head",
    Wrong("same-token", NAMED) | edit("W_key.weight[token, before]", "W_key.weight[token, token]"),
    Wrong("roles-swapped", NAMED)
    | edit("W_query.weight[token, token]", "W_query.weight[token, before]")
    | edit("W_key.weight[token, before]", "W_key.weight[token, token]"),
    Wrong("value-from-before", NAMED) | edit("W_value.weight[token, token]", "W_value.weight[token, before]"),
    Wrong("keys-empty", NAMED) | without("W_key"),
    Wrong("weak", OFF) | edit("50 * d_model**0.5", "2.0"),
    Wrong("turned", OFF) | edit("W_key.weight[token, before]", "W_key.weight[before, token]"),
    Right("data")
    | edit(
        "head.W_value.weight[token, token] = 1.0",
        "head.W_value.weight.data[:vocab, :vocab] += torch.eye(vocab)",
    ),
    Right("sharper-key")
    | edit("= 50 * d_model**0.5", "= 1.0")
    | edit("[token, before] = 1.0", "[token, before] = 60 * d_model**0.5"),
    Right("stronger") | edit("50 * d_model**0.5", "80 * d_model"),
)

TASKS.hold(
    "ablation-effect",
    Wrong("hook-left", OFF + BEHAVIOUR) | without("hook.remove"),
    Wrong("first-layer-always", OFF) | edit("blocks[layer]", "blocks[0]"),
    Wrong("only-the-ablated-loss", NAMED) | edit("removed - whole", "removed"),
    Wrong("wrong-way-round", NAMED) | edit("removed - whole", "whole - removed"),
    Wrong("whole-layer", NAMED) | edit("contexts[:, :, head] = 0.0", "contexts.zero_()"),
    Wrong("interleaved", NAMED + RAISED)
    | edit("(num_heads, -1)", "(-1, num_heads)")
    | edit("[:, :, head]", "[..., head]"),
    Right("mask")
    | edit("contexts[:, :, head] = 0.0", "contexts = contexts * (torch.arange(num_heads) != head)[:, None]"),
    Right("try-finally")
    | edit(
        "    removed = token_loss(model(ids), labels)\n    hook.remove()",
        "    try:\n        removed = token_loss(model(ids), labels)\n    finally:\n        hook.remove()",
    ),
    Right("view").define("""
        def without(module, arguments):
            x = arguments[0].clone()
            width = x.size(-1) // num_heads
            x[..., width * head : width * (head + 1)] = 0
            return x"""),
)

TASKS.hold(
    "patched",
    Wrong("everything-patched", NAMED)
    | edit("stream[:, position] = kept[0][:, position]", "stream = kept[0]"),
    Wrong("hook-left", OFF + BEHAVIOUR)
    | edit("    logits = model(corrupt)\n    hook.remove()", "    logits = model(corrupt)"),
    Wrong("other-direction", NAMED)
    | edit("    model(clean)", "    model(corrupt)")
    | edit("logits = model(corrupt)", "logits = model(clean)"),
    Wrong("first-block-always", OFF) | edit("blocks[layer]", "blocks[0]", 2),
    Wrong("batch-axis", OFF + RAISED)
    | edit("stream[:, position] = kept[0][:, position]", "stream[position - 2] = kept[0][position - 2]"),
    Wrong("nothing-returned", NAMED) | without("return stream"),
    Right("dictionary")
    | edit("kept = []", "kept = {}")
    | edit("kept.append(stream)", "kept.update({0: stream})"),
    Right("cat")
    | edit(
        "        stream[:, position] = kept[0][:, position]",
        "        stream = torch.cat((stream[:, :position], kept[0][:, position : position + 1], stream[:, position + 1 :]), 1)",
    ),
    Right("two-names")
    | edit(
        "    hook = model.blocks[layer].register_forward_hook(put_in)\n    logits = model(corrupt)\n    hook.remove()",
        "    second = model.blocks[layer].register_forward_hook(put_in)\n    logits = model(corrupt)\n    second.remove()",
    ),
)

TASKS.hold(
    "next-token-probabilities",
    Wrong("multiplied", NAMED, keeps=0) | edit("logits / temperature", "logits * temperature"),
    Wrong("zero-for-the-rest", NAMED, keeps=1) | edit("-torch.inf", "0.0"),
    Wrong("not-renormalised", NAMED, keeps=1).body("""
        p = torch.softmax(logits / temperature, -1)
        if top_k:
            p[p < p.topk(top_k).values[:, -1:]] = 0
        return p"""),
    Wrong("greedy", VALUES + NAMED + DTYPE) | returns("F.one_hot(logits.argmax(-1), logits.shape[-1])"),
    Wrong("largest-of-all-rows", NAMED + VALUES, keeps=1) | edit("values[:, -1:]", "values.min()"),
    Wrong("log-probabilities", OFF) | edit("torch.softmax", "torch.log_softmax"),
    Right("full-like").body("""
        scores = logits / temperature
        if top_k is not None:
            values, places = torch.topk(scores, top_k)
            scores = torch.full_like(scores, float("-inf")).scatter(1, places, values)
        return scores.softmax(1)"""),
    Right("by-hand").body("""
        scores = logits / temperature
        shares = (scores - scores.amax(-1, keepdim=True)).exp()
        if top_k is not None:
            shares = shares * (scores >= scores.topk(top_k).values[:, -1:])
        return shares / shares.sum(-1, keepdim=True)"""),
    Right("kthvalue")
    | edit(
        "scores.topk(top_k, dim=-1).values[:, -1:]",
        "scores.kthvalue(scores.shape[-1] - top_k + 1, dim=-1, keepdim=True).values",
    ),
)

TASKS.hold(
    "generate",
    Wrong("no-window", NAMED + RAISED + OFF, keeps=2) | edit("ids[:, -context_length:]", "ids"),
    Wrong("first-window", NAMED, keeps=2) | edit("[:, -context_length:]", "[:, :context_length]"),
    Wrong("new-tokens-only", NAMED + SHAPE) | edit("return ids", "return ids[:, -count:]"),
    Wrong("logits-of-the-start", NAMED) | edit("logits[:, -1]", "logits[:, 0]"),
    Wrong("sampled", OFF)
    | edit("logits[:, -1].argmax(dim=-1, keepdim=True)", "torch.multinomial(logits[:, -1].softmax(-1), 1)"),
    Wrong("one-round", SHAPE + NAMED) | edit("range(count)", "range(1)"),
    Right("max") | edit("logits[:, -1].argmax(dim=-1, keepdim=True)", "logits[:, -1:].max(dim=-1).indices"),
    Right("recursive").body("""
        if count == 0:
            return ids
        best = model(ids[:, -context_length:])[:, -1].argmax(-1)
        return generate(model, torch.cat((ids, best[:, None]), 1), count - 1, context_length)"""),
    Right("room-made-first").body("""
        out = torch.cat((ids, ids.new_zeros(len(ids), count)), 1)
        for place in range(ids.shape[1], out.shape[1]):
            out[:, place] = model(out[:, max(0, place - context_length) : place])[:, -1].argmax(-1)
        return out"""),
)

TASKS.hold(
    "bug-lost-mask",
    Wrong("as-given", NAMED, base="faulty"),
    Wrong("mask-turned-round", NAMED, base="faulty")
    | edit("scores.masked_fill(hidden,", "scores = scores.masked_fill(~hidden,"),
    Wrong("filled-with-zero", NAMED) | edit("-torch.inf", "0"),
    Wrong("weights-cut", NAMED)
    | without("masked_fill")
    | edit("torch.softmax(scores, dim=-1)", "(torch.softmax(scores, dim=-1) * ~hidden)"),
    Wrong("diagonal-too", NOT_FINITE + OFF) | edit("(hidden,", "(hidden | torch.eye(num_tokens).bool(),"),
    Wrong("rescaled", OFF) | edit("** 0.5", "** 0.25"),
    Right("assigned-elsewhere", base="faulty")
    | edit("scores.masked_fill(hidden, -torch.inf)", "masked = scores.masked_fill(hidden, -torch.inf)")
    | edit("softmax(scores", "softmax(masked"),
    Right("index", base="faulty")
    | edit("scores.masked_fill(hidden, -torch.inf)", "scores[:, :, hidden] = -torch.inf"),
    Right("large-negative", base="faulty")
    | edit("scores.masked_fill(hidden, -torch.inf)", "scores = scores - 1e9 * hidden.float()"),
    Right("ready-made", base="faulty").body(
        "return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)"
    ),
)
