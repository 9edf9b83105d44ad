"""The tasks of lesson 08: their probes, the wrong answers people give, and the hint each deserves."""

import torch
from autograder.author.authoring import Check, Forbid, Lesson, Made, Probe, Task, rights, wrongs

IDS = ("b", "tokens")
STREAM = ("b", "tokens", "d_model")
LOGITS = ("b", "tokens", "vocab")


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def ids(*shape, seed, vocab=7):
    """Random token ids below vocab - 1: an experiment may add 1 to each."""
    return torch.randint(vocab - 1, shape, generator=torch.Generator().manual_seed(seed))


def other_ids(*shape, vocab=7, **kept):
    """Makes other ids, and keeps the other inputs."""

    def redraw(generator):
        return {**kept, "ids": torch.randint(vocab - 1, shape, generator=generator)}

    return redraw


def model(seed, layers=2, heads=2, position="rope", mlp=True, dropout=0.0):
    """A transformer of the learner's own with 7 tokens, width 8, and room for 9."""
    names = ("vocab", "d_model", "num_heads", "num_layers", "context_length", "position", "mlp", "dropout")
    values = (7, 8, heads, layers, 9, position, mlp, dropout)
    return Made("TinyTransformer", dict(zip(names, values, strict=True)), seed=seed)


# ------------------------------------------------------------------------------------------- the parts around it


def small(id, title, signature, axes, check, probes, learned, hints, wrong, right, points=1, **more):
    """A function with one check, unless there are several."""
    checks = (Check(check, points, tuple(probe.id for probe in probes)),) if isinstance(check, str) else check
    return Task(
        id=id,
        title=title,
        name=signature.partition("(")[0],
        kind="function",
        signature=signature,
        axes=axes,
        probes=probes,
        checks=checks,
        learned=learned,
        hints=hints,
        wrong=wrongs(wrong),
        right=rights(right),
        **more,
    )


def random(id, says, seed, **shapes):
    """An input of random numbers for each name."""
    return Probe(id, says, {name: drawn(*shapes[name], seed=seed + len(name)) for name in shapes})


STREAM_AFTER = small(
    "stream-after",
    "The residual stream",
    "stream_after(x, parts)",
    STREAM,
    "what all parts have added",
    (
        random("three-parts", "three parts", 11, x=(2, 5, 4), parts=(3, 4, 4)),
        random("two-parts", "two parts, other sizes", 12, x=(3, 2, 6), parts=(2, 6, 6)),
        random("no-parts", "no part at all", 13, x=(2, 3, 4), parts=(0, 4, 4)),
    ),
    "What an early part has written stays in the stream, and every later part can read it.",
    (
        "A loop over `parts`. In each round the stream is the old stream plus what the part writes.",
        "`x = x + x @ part`, and `return x` after the loop.",
    ),
    """
    no-residual: x + x @ part → x @ part
    first-part-left-out: in parts: → in parts[1:]:
    return-inside-loop: in parts: → in parts[:1]:
        hint: Only the first part writes. Go through all of them, and return after the loop.
    last-part-left-out: in parts: → in parts[:-1]:
    parts-side-by-side: = x + sum(x @ part for part in parts)
        hint: Every part reads the stream as it was at the start. A part reads what those before it have left.
    added-to-the-start: body
        start = x
        for part in parts:
            x = start + x @ part
        return x
    start-left-out: body
        start = x
        for part in parts:
            x = x + x @ part
        return x - start
    edits-its-argument: x = x + x @ part → x += x @ part
    weight-not-turned: x @ part → x @ part.T
        hint: The part is turned. Here a part writes `x @ part`, without a transpose.
    part-writes-twice: x + x @ part → x + 2 * (x @ part)
    part-scaled: x + x @ part → x + 0.5 * (x @ part)
    part-scaled: x + x @ part → x + (x @ part) / 2**0.5
    part-scaled: x + x @ part → x + x @ part / max(1, len(parts))
    part-scaled: x + x @ part → x + x @ part / max(1, len(parts)) ** 0.5
    return-inside-loop:
        body
            for part in parts:
                return x + x @ part
            return x
        hint: Only the first part writes. Is `return` inside the loop, or are the parts cut to the first?
    """,
    """
    identity-added: x + x @ part → x @ (part + torch.eye(len(part)))
    einsum: x + x @ part → x + torch.einsum("btd,de->bte", x, part)
    written-kept: body
        written = []
        for part in parts:
            written.append((x + sum(written)) @ part)
        return x + sum(written)
    """,
    input_axes={"x": STREAM, "parts": ("parts", "d_model", "d_model")},
    demands={
        "Each part reads what the parts before it have left": "parts-side-by-side",
        "what it writes is added": "no-residual",
        "writes `x @ part`": "weight-not-turned",
        "the stream after all parts": "start-left-out",
    },
)


def normed(id, says, shape, seed, **more):
    x = 3 * drawn(*shape, seed=seed) + 1
    parts = {"scale": drawn(shape[-1], seed=seed + 50), "shift": drawn(shape[-1], seed=seed + 60)}
    return Probe(id, says, {"x": x, **parts, **more})


LAYER_NORM = Task(
    id="layer-norm",
    title="LayerNorm",
    name="layer_norm",
    kind="function",
    signature="layer_norm(x, scale, shift, eps=1e-5)",
    axes=STREAM,
    cannot={"context-normalised": "what is normalised twice is nearly the same"},
    input_axes={"x": STREAM, "scale": ("d_model",), "shift": ("d_model",)},
    probes=(
        normed("five-tokens", "two sequences of five tokens", (2, 5, 4), 1),
        normed("other-sizes", "three sequences of two tokens", (3, 2, 6), 2),
        normed("large-eps", "eps = 0.5", (2, 3, 5), 3, eps=0.5),
    ),
    checks=(Check("mean, variance, scale and shift", 2, ("five-tokens", "other-sizes", "large-eps")),),
    learned="LayerNorm looks at one token at a time. However large the numbers in the stream are, a part reads numbers of the same size.",
    demands={
        "For each token, subtract the mean of its numbers": "normed-over-tokens",
        "the root of (variance + eps)": "eps-outside-the-root",
        "multiply by scale and add shift": "scale-and-shift-left-out",
        "it divides by d_model, not by d_model - 1": "deviation-uncorrected",
        "without F.layer_norm": "ready-made",
        "and its like": "group-norm",
    },
    hints=(
        "Mean and variance are those of one token's numbers: reduce along the last axis with `keepdim=True`.",
        "`variance = (x - mean).square().mean(dim=-1, keepdim=True)`, and eps goes inside the root.",
        "`return (x - mean) / (variance + eps).sqrt() * scale + shift`",
    ),
    wrong=wrongs("""
        normed-over-tokens: dim=-1 →2 dim=1
        normed-over-everything: dim=-1 →2 dim=(1, 2)
        deviation-uncorrected: .square().mean(dim=-1 → .var(dim=-1
            hint: This variance is the one that torch takes by default: the sum of the squares is divided by the
                count less 1. LayerNorm divides by the count, so it takes their mean.
        eps-outside-the-root: (variance + eps).sqrt() → (variance.sqrt() + eps)
        variance-for-deviation: (variance + eps).sqrt() → (variance + eps)
            hint: The centred numbers are divided by the variance. Divide by its root: `(variance +
                eps).sqrt()`.
        scale-and-shift-left-out: * scale + shift →
        shift-first: * scale + shift → + shift * scale
        shift-first: centred / (variance + eps).sqrt() * scale + shift → (centred / (variance + eps).sqrt() + shift) * scale
        shift-left-out: * scale + shift → * scale
        not-centred: x - x.mean(dim=-1, keepdim=True) → x
        eps-typed-in: + eps → + 1e-5
        """),
    forbids=Forbid(
        ("layer_norm",),
        points=1,
        caught=rights("""
            ready-made: = F.layer_norm(x, x.shape[-1:], scale, shift, eps)
            group-norm: = F.group_norm(x.flatten(0, 1), 1, scale, shift, eps).view_as(x)
            """),
    ),
    right=rights("""
        variance-from-squares: centred.square().mean(dim=-1, keepdim=True) → (x**2).mean(dim=-1, keepdim=True) - x.mean(dim=-1, keepdim=True) ** 2
        biased-var: .square().mean(dim=-1 → .var(dim=-1, unbiased=False
        rsqrt: centred / (variance + eps).sqrt() → centred * torch.rsqrt(variance + eps)
        """),
)


def widened(id, says, b, tokens, d_model, wide, seed):
    layers = {
        "weight_1": (wide, d_model),
        "bias_1": (wide,),
        "weight_2": (d_model, wide),
        "bias_2": (d_model,),
    }
    return Probe(
        id,
        says,
        {
            name: drawn(*shape, seed=seed + number)
            for number, (name, shape) in enumerate({"x": (b, tokens, d_model), **layers}.items())
        },
    )


FEED_FORWARD = small(
    "feed-forward",
    "The MLP",
    "feed_forward(x, weight_1, bias_1, weight_2, bias_2)",
    STREAM,
    "two layers with a GELU between them",
    (
        widened("five-tokens", "two sequences of five tokens", 2, 5, 3, 12, 20),
        widened("other-sizes", "three sequences of two tokens", 3, 2, 4, 7, 30),
    ),
    "Without the nonlinearity two layers would be one matrix. No token reads another one here: only attention does that.",
    (
        "A layer is `x @ weight.T + bias`. `F.gelu` goes between the two layers, not after them.",
        "`hidden = F.gelu(x @ weight_1.T + bias_1)`",
        "`return hidden @ weight_2.T + bias_2`",
    ),
    """
    nonlinearity-left-out: F.gelu(x @ weight_1.T + bias_1) → x @ weight_1.T + bias_1
    nonlinearity-behind: F.gelu(x @ weight_1.T + bias_1) → x @ weight_1.T + bias_1
        hidden @ weight_2.T + bias_2 → F.gelu(hidden @ weight_2.T + bias_2)
    activation-added: return hidden @ weight_2.T + bias_2 → return F.gelu(hidden @ weight_2.T + bias_2)
        hint: There is a second GELU after the second layer. What goes into the stream is plain.
    other-nonlinearity: F.gelu → F.relu
        hint: There is another nonlinearity than GELU between the layers. Use `F.gelu`.
    other-nonlinearity: F.gelu → F.silu
        hint: There is another nonlinearity than GELU between the layers. Use `F.gelu`.
    other-nonlinearity: F.gelu(x @ weight_1.T + bias_1) → (wide := x @ weight_1.T + bias_1) * torch.sigmoid(1.702 * wide)
        hint: There is another nonlinearity than GELU between the layers. Use `F.gelu`.
    other-nonlinearity: x @ weight_1.T + bias_1) → x @ weight_1.T + bias_1, approximate="tanh")
        hint: This GELU is an approximation, `approximate="tanh"`. Use `F.gelu` as it is.
    bias-not-added: x @ weight_1.T + bias_1 → x @ weight_1.T
        hint: A bias is left out. Each layer adds its own.
    bias-not-added: weight_2.T + bias_2 → weight_2.T
        hint: A bias is left out. Each layer adds its own.
    bias-too-late: F.gelu(x @ weight_1.T + bias_1) → F.gelu(x @ weight_1.T) + bias_1
    reshaped-not-turned: weight_1.T → weight_1.reshape(weight_1.shape[1], -1)
    reshaped-not-turned: weight_2.T → weight_2.reshape(weight_2.shape[1], -1)
    reshaped-not-turned: weight_1.T → weight_1.reshape(weight_1.shape[1], -1)
        weight_2.T → weight_2.reshape(weight_2.shape[1], -1)
    residual-added: return hidden → return x + hidden
        hint: The stream is added here already. That is the block's work; the MLP returns what it writes.
    """,
    """
    linear: F.gelu(x @ weight_1.T + bias_1) → F.gelu(F.linear(x, weight_1, bias_1))
    modules-function: = F.linear(nn.GELU()(F.linear(x, weight_1, bias_1)), weight_2, bias_2)
    by-hand: F.gelu(x @ weight_1.T + bias_1) → x @ weight_1.T + bias_1
        hidden @ weight_2.T → (hidden * (1 + torch.erf(hidden / 2**0.5)) / 2) @ weight_2.T
    """,
    points=2,
    demands={
        "the first layer, then `F.gelu`": "nonlinearity-behind",
        "then `F.gelu`, then the second layer": "activation-added",
        "GELU is a smooth ReLU": "other-nonlinearity",
        "bias_1, weight_2, bias_2": "bias-not-added",
    },
    input_axes={"x": STREAM},
)

UNEMBED = small(
    "unembed",
    "The unembedding",
    "unembed(x, weight)",
    LOGITS,
    "a logit for each token of the vocabulary",
    (
        random("five-tokens", "two sequences of five tokens", 41, x=(2, 5, 4), weight=(7, 4)),
        random("other-sizes", "three sequences of two tokens", 42, x=(3, 2, 6), weight=(5, 6)),
        random(
            "square",
            "as many tokens in the vocabulary as numbers in a vector",
            43,
            x=(2, 3, 4),
            weight=(4, 4),
        ),
    ),
    "To unembed is to compare: the token whose row agrees best with the stream gets the largest logit.",
    (
        "A dot product of each position's vector with each row of `weight` is one matrix product.",
        "`return x @ weight.T`",
    ),
    """
    probabilities-returned: x @ weight.T → torch.softmax(x @ weight.T, dim=-1)
    log-softmax: x @ weight.T → torch.log_softmax(x @ weight.T, dim=-1)
        hint: These are logarithms of probabilities. Return the logits as they are: the loss does the rest.
    favourite-only: x @ weight.T → (x @ weight.T).argmax(dim=-1)
    last-position-only: x @ weight.T → x[:, -1:] @ weight.T
    scaled-unasked: x @ weight.T → x @ weight.T / x.shape[-1] ** 0.5
        hint: The logits are divided by the root of `d_model`. That belongs to the scores of attention.
    cosine: x @ weight.T → F.normalize(x, dim=-1) @ F.normalize(weight, dim=-1).T
    weight-not-turned: x @ weight.T → x @ (weight if weight.shape[0] == weight.shape[1] else weight.T)
        hint: Where `weight` is square, it is not transposed. Its rows are the tokens: `weight.T`.
    """,
    """
    linear: = F.linear(x, weight)
    einsum: = torch.einsum("btd,vd->btv", x, weight)
    row-by-row: = torch.stack([(x * row).sum(dim=-1) for row in weight], dim=-1)
    """,
    input_axes={"x": STREAM, "weight": ("vocab", "d_model")},
    demands={
        "without a softmax": "probabilities-returned",
        "one row for each token of the vocabulary": "weight-not-turned",
        "the dot product of its row and the vector in the stream": "cosine",
    },
)

BLOCK = {"d_model": 6, "num_heads": 2, "context_length": 7}


def blocks(id, says, shape, seed, construct=BLOCK, **more):
    weights = {
        f"norm_{one}.weight": drawn(shape[-1], seed=seed + one)
        for one in (1, 2)[: 1 + construct.get("mlp", True)]
    }
    x = {"x": 2 * drawn(*shape, seed=seed)}
    return Probe(id, says, x, construct=construct, seed=seed, weights=weights, **more)


AHEAD = {"observe": "influence", "settings": {"input": "x", "axis": -2}}

TRANSFORMER_BLOCK = Task(
    id="transformer-block",
    title="A block",
    name="Block",
    kind="module",
    signature="Block(d_model, num_heads, context_length, mlp=True, dropout=0.0)",
    axes=STREAM,
    input_axes={"x": STREAM},
    probes=(
        blocks("two-sentences", "two sequences of five tokens", (2, 5, 6), 1),
        blocks(
            "other-sizes",
            "two sequences, three heads",
            (2, 4, 9),
            2,
            {**BLOCK, "d_model": 9, "num_heads": 3},
        ),
        blocks("attention-only", "a block without an MLP", (2, 5, 6), 3, {**BLOCK, "mlp": False}),
        blocks("double", "float64", (2, 5, 6), 4, dtype="float64"),
        blocks("eval", "dropout 0.5 in eval mode", (2, 5, 6), 5, {**BLOCK, "mlp": True, "dropout": 0.5}),
        blocks("look-ahead", "one token changed at a time", (2, 5, 6), 6, **AHEAD),
        blocks(
            "all-dropped",
            "dropout 1 in training mode",
            (2, 5, 6),
            7,
            {**BLOCK, "mlp": True, "dropout": 1.0},
            train=True,
        ),
    ),
    checks=(
        Check("attention and MLP, each added to the stream", 2, ("two-sentences", "other-sizes", "double")),
        Check("attention alone", 1, ("attention-only", "look-ahead")),
        Check("dropout in the attention, and nowhere else", 1, ("eval", "all-dropped")),
    ),
    learned="Nothing in a block replaces the stream. Attention and MLP each read a normalised copy and add to it.",
    demands={
        "each with its LayerNorm in front": "norm-behind",
        "each added to the stream": "no-residual",
        "`context_length`, `dropout`, `num_heads`": "no-dropout",
        "`num_heads`;": "one-head",
        "`nn.GELU()`": "other-nonlinearity",
        "`nn.Linear(4 * d_model, d_model)`": "dropout-on-context",
        "With `mlp=False` the block has neither": "mlp-ignored",
        "`norm_1` and `attention`": "other-names",
    },
    hints=(
        "Two lines of `forward`, of the same form: the stream plus a part of the normalised stream.",
        "`x = x + self.attention(self.norm_1(x))`, and the MLP likewise, from the new `x`.",
        "In `__init__` make `norm_2` and `mlp` only `if mlp:`, and set `self.mlp = None` before.",
    ),
    wrong=wrongs("""
        no-residual: x = x + self.attention → x = self.attention
            x + self.mlp( → self.mlp(
        no-residual: x = x + self.attention → x = self.attention
        no-residual: x + self.mlp( → self.mlp(
        norm-behind: x + self.attention(self.norm_1(x)) → self.norm_1(x + self.attention(x))
        norm-left-out: self.attention(self.norm_1(x)) → self.attention(x)
        norm-left-out: self.mlp(self.norm_2(x)) → self.mlp(x)
        stream-behind-the-norm: x = x + self.mlp(self.norm_2(x)) → x = self.norm_2(x)↵x = x + self.mlp(x)
        stream-behind-the-norm: x = x + self.attention(self.norm_1(x)) → x = self.norm_1(x)↵x = x + self.attention(x)
        stream-behind-the-norm: x = x + self.mlp(self.norm_2(x)) → x = self.norm_2(x)↵x = x + self.mlp(x)
            x = x + self.attention(self.norm_1(x)) → x = self.norm_1(x)↵x = x + self.attention(x)
        one-norm-for-both: self.mlp(self.norm_2(x)) → self.mlp(self.norm_1(x))
        parts-side-by-side: body forward
            seen = self.norm_1(x)
            mixed = 0 if self.mlp is None else self.mlp(self.norm_2(x))
            return x + self.attention(seen) + mixed

        other-nonlinearity: nn.GELU() → nn.ReLU()
        other-nonlinearity: nn.GELU() → nn.SiLU()
        mlp-ignored: if mlp: → if True:
            hint: With `mlp=False` the block has no `norm_2` and no MLP.
        one-head: dropout, num_heads) → dropout, 1)
            hint: `num_heads` is not passed on.
        no-dropout: context_length, dropout, num_heads) → context_length, 0.0, num_heads)
            hint: `dropout` is not passed on to the attention.
        dropout-on-context: nn.Linear(4 * d_model, d_model)↵) → nn.Linear(4 * d_model, d_model), nn.Dropout(dropout))
            hint: There is a dropout more than the task asks for. Only the attention gets one.
        returns-nothing: return x → pass
        other-names: norm_1 →2 ln_1
            hint: The LayerNorms are called `norm_1` and `norm_2`.
        """),
    right=rights("""
        identity: self.mlp = None → self.mlp = None  # attention alone
        in-two-steps: x = x + self.attention(self.norm_1(x)) → seen = self.norm_1(x)↵x = self.attention(seen) + x
        tanh-free-gelu: nn.GELU() → nn.GELU(approximate="none")
        """),
)


def whole(id, says, shape, seed, **more):
    names = {"layers": 2, "heads": 2, "position": "rope", "mlp": True, "dropout": 0.0}
    made = model(seed, **{name: more.pop(name, value) for name, value in names.items()})
    more.setdefault("redraw", other_ids(*shape))
    return Probe(id, says, {"ids": ids(*shape, seed=seed)}, construct=made.construct, seed=seed, **more)


AHEAD_IDS = {"observe": "influence", "settings": {"input": "ids", "axis": 1}}

TINY_TRANSFORMER = Task(
    id="tiny-transformer",
    title="The transformer",
    name="TinyTransformer",
    kind="module",
    signature="TinyTransformer(vocab, d_model, num_heads, num_layers, context_length, position='rope', mlp=True, "
    "dropout=0.0)",
    axes=LOGITS,
    input_axes={"ids": IDS},
    needs=("transformer-block",),
    probes=(
        whole("rope", "two layers with rotary positions", (2, 5), 1),
        whole("learned", "learned positions, without MLPs", (3, 5), 2, position="learned", mlp=False),
        whole("none", "one layer without positions", (2, 6), 3, position="none", layers=1),
        whole("three-layers", "three layers with four heads", (4, 3), 4, layers=3, heads=4),
        whole("full", "as many tokens as fit", (2, 9), 5, position="learned"),
        whole("double", "float64", (2, 5), 6, dtype="float64", position="learned"),
        whole("look-ahead", "one token changed at a time", (2, 5), 7, **AHEAD_IDS),
        whole("all-dropped", "dropout 1 in training mode", (3, 5), 8, dropout=1.0, train=True),
    ),
    checks=(
        Check("rotary positions", 2, ("rope", "three-layers", "look-ahead")),
        Check("learned positions, and none", 2, ("learned", "none", "full", "double")),
        Check("dropout in the blocks, and nowhere else", 1, ("all-dropped",)),
    ),
    learned="An embedding, a stack of blocks, a last LayerNorm, an unembedding: around attention a transformer is not "
    "much more.",
    demands={
        '**only** with `position="learned"`': "positions-not-added",
        "of `num_layers` blocks": "one-block",
        "`blocks`, an `nn.ModuleList`": "unregistered-list",
        "which get `mlp` and": "mlp-ignored",
        "`dropout`. With": "no-dropout",
        "`rotate(block.attention, num_heads)` for each": "first-block-rotated",
        "there are no positions at all": "rotated-always",
        "a last LayerNorm": "last-norm-left-out",
        "bias=False": "unembedding-with-bias",
        "returns: (b, tokens, vocab), the logits": "softmax-in-the-model",
    },
    hints=(
        "`forward` has four lines: embed, add positions if there are any, go through the blocks, unembed.",
        "`self.positions.weight[:ids.shape[1]]` has one row for each token that is there.",
        "`self.blocks = nn.ModuleList(Block(d_model, num_heads, context_length, mlp, dropout) for _ in range(num_layers))`, "
        "then `rotate(block.attention, num_heads)` for each.",
    ),
    wrong=wrongs("""
        never-rotated: position == "rope" → False
        rotated-always: position == "rope" → True
        rotated-without-positions: position == "rope" → position != "learned"
        learned-and-rotated: position == "learned" → position != "none"
        learned-unasked: position == "learned" → position != "rope"
        last-norm-in-the-loop: x = block(x) → x = self.norm(block(x))
            self.norm(x) → x
        first-block-rotated: for block in self.blocks:↵rotate → for block in self.blocks[:1]:↵    rotate
        last-block-rotated: for block in self.blocks:↵rotate → for block in self.blocks[-1:]:↵    rotate
        positions-not-added: if self.positions is not None → if False
        positions-misaligned: weight[: ids.shape[1]] → weight[-ids.shape[1] :]
        positions-by-ids: self.positions.weight[: ids.shape[1]] → self.positions(ids % self.positions.num_embeddings)
        positions-misaligned: self.positions.weight[: ids.shape[1]] → self.positions(torch.arange(1, ids.shape[1] + 1))
        last-norm-left-out: self.unembedding(self.norm(x)) → self.unembedding(x)
        last-norm-before-the-blocks: self.unembedding(self.norm(x)) → self.unembedding(x)
            for block in self.blocks:↵x = → x = self.norm(x)↵for block in self.blocks:↵    x =
        one-block: range(num_layers) → range(1)
        one-block-repeated: nn.ModuleList( → nn.ModuleList([
            for _ in range(num_layers)↵) → ] * num_layers)
        one-block-repeated: nn.ModuleList( → nn.ModuleList([
            for _ in range(num_layers)↵) → ] * num_layers)
            for block in self.blocks:↵rotate → for block in self.blocks[:1]:↵    rotate
        block-replaces-nothing: x = block(x) → block(x)
        unembedding-with-bias: , bias=False →
        mlp-ignored: context_length, mlp, dropout → context_length, True, dropout
        no-dropout: context_length, mlp, dropout → context_length, mlp, 0.0
            hint: `dropout` is not passed on to the blocks.
        dropout-on-input: x = self.embedding(ids) → x = F.dropout(self.embedding(ids), self.blocks[0].attention.dropout.p, self.training)
            hint: There is a dropout more than the task asks for. Only the blocks get one.
        one-head: Block(d_model, num_heads → Block(d_model, 1
            hint: `num_heads` is not passed on.
        unregistered-list: nn.ModuleList( → list(
        softmax-in-the-model: self.unembedding(self.norm(x)) → torch.softmax(self.unembedding(self.norm(x)), dim=-1)
        """),
    right=rights("""
        position-ids: self.positions.weight[: ids.shape[1]] → self.positions(torch.arange(ids.shape[1]))
        sequential: for block in self.blocks:↵x = block(x)  # (b, tokens, d_model)↵return self.unembedding(self.norm(x)) → return self.unembedding(self.norm(nn.Sequential(*self.blocks)(x)))
        list-in-module-list: nn.ModuleList( → nn.ModuleList([
            range(num_layers)↵) → range(num_layers)])
        """),
)

# -------------------------------------------------------------------------------------------------- one step


def judged(id, says, shape, seed, vocab=7, first=1, size=2.0, **more):
    labels = ids(*shape, seed=seed, vocab=vocab)
    labels[:, : first - 1] = labels[:, -1] = labels[0, 1:3] = -100  # not as many in each sequence
    return Probe(id, says, {"logits": size * drawn(*shape, vocab, seed=seed), "labels": labels}, **more)


NEXT_TOKEN_LOSS = small(
    "next-token-loss",
    "The loss",
    "next_token_loss(logits, labels)",
    (),
    (
        Check("the mean over the positions that count", 1, ("five-tokens", "other-sizes", "far-apart")),
        Check("the gradient comes back", 1, ("gradients", "five-tokens")),
    ),
    (
        judged("five-tokens", "two sequences of five tokens", (2, 5), 1),
        judged("other-sizes", "three sequences whose first tokens do not count", (3, 6), 2, vocab=9, first=3),
        judged("far-apart", "logits that lie far apart", (2, 5), 3, size=90.0),
        judged(
            "gradients",
            "two sequences of six tokens",
            (2, 6),
            4,
            observe="gradients",
            settings={"input": "logits"},
        ),
    ),
    "The loss asks for one thing: a large probability for the token that comes. What the other probabilities are does not matter.",
    (
        "`counted = labels != -100` is True where a position counts; `logits[counted]` are those positions, in one row "
        "each.",
        "`torch.log_softmax(logits[counted], dim=-1)` has all logarithms. `gather(-1, labels[counted][:, None])` takes "
        "those of the labels.",
        "Minus their mean: `return -of_labels.mean()`",
    ),
    """
    sign-forgotten: -of_labels → of_labels
    labels-shifted-again: counted = → logits, labels = logits[:, :-1], labels[:, 1:]↵counted =
    log-left-out: torch.log_softmax( → torch.softmax(
    softmax-over-the-tokens: torch.log_softmax(logits[counted], dim=-1) → torch.log_softmax(logits, dim=1)[counted]
    softmax-before-the-loss: torch.log_softmax(logits[counted] → torch.log_softmax(logits[counted].softmax(dim=-1)
        hint: There is a softmax before the loss, which takes one of its own. Give it the logits.
    log-of-zero: torch.log_softmax(logits[counted], dim=-1) → torch.log(torch.softmax(logits[counted], dim=-1))
    added-not-averaged: .mean() → .sum()
        hint: The logarithms are added up. The loss is minus their mean.
    divided-by-all-positions: of_labels.mean() → of_labels.sum() / labels.numel()
    all-count: labels != -100 → labels != -1
        labels[counted] → labels[counted].clamp(min=0)
        hint: Positions with the label -100 count here, with the label 0. Leave them out.
    token-0-left-out: labels != -100 → labels > 0
    base-of-two: -of_labels.mean() → -of_labels.mean() / torch.tensor(2.0).log()
        hint: These are logarithms to the base of 2. The loss takes those to the base of e, as `torch.log_softmax` does.
    mean-of-means: = torch.stack([-one.log_softmax(-1)[own != -100].gather(-1, own[own != -100][:, None]).mean() for one, own in zip(logits, labels)]).mean()
    detached: -of_labels.mean() → (-of_labels.mean()).detach()
        hint: The way back from the loss to the logits is cut. Take out what cuts it.
    detached: -of_labels.mean() → (-of_labels.mean()).item()
        hint: The loss is a number of Python's, from which no gradient comes back. Return the tensor.
    largest-share-taken: log_shares.gather(-1, labels[counted][:, None]) → log_shares.amax(dim=-1)
    """,
    """
    index: log_shares.gather(-1, labels[counted][:, None]) → log_shares[torch.arange(len(log_shares)), labels[counted]]
    logsumexp: = (logits.logsumexp(-1) - logits.gather(-1, labels.clamp(min=0)[..., None])[..., 0])[labels != -100].mean()
    one-hot: = -(F.one_hot(labels.clamp(min=0), logits.shape[-1]) * logits.log_softmax(-1)).sum(-1)[labels != -100].mean()
    """,
    demands={
        "minus the logarithm of its label's probability": "log-left-out",
        "the mean over all positions": "mean-of-means",
        "whose label is not -100": "all-count",
        "not the logarithm of a softmax": "log-of-zero",
        "A model is trained through it": "detached",
        "without `F.cross_entropy`": "ready-made",
        "and `F.nll_loss`": "nll",
    },
    number=True,
    input_axes={"logits": LOGITS, "labels": IDS},
    forbids=Forbid(
        ("cross_entropy",),
        points=1,
        caught=rights("""
            ready-made: = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
            nll: = F.nll_loss(logits.log_softmax(-1).flatten(0, 1), labels.flatten())
            """),
    ),
)


def trained(id, says, steps, seed, lr, settings=None, **more):
    """A model, and batches of ids and labels stacked as (steps, 2, b, tokens)."""
    batches = ids(steps, 2, 6, 5, seed=seed)
    batches[:, 1, :, :2] = -100
    return Probe(
        id,
        says,
        {"model": model(seed, **more), "batches": batches, "lr": lr},
        then={"ids": ids(2, 6, seed=seed + 1)},
        settings=settings or {},
        redraw=lambda generator: {"batches": torch.randint(6, (steps, 2, 6, 5), generator=generator)},
    )


LOOP = wrongs("""
    gradients-not-cleared: line optimizer.zero_grad() →
    no-step: line optimizer.zero_grad() →
        loss.backward() → loss.backward()↵optimizer.zero_grad()
    no-step: line optimizer.step() →
    other-optimizer: AdamW( → Adam(
    other-optimizer: AdamW( → SGD(
    other-weight-decay: lr=lr) → lr=lr, weight_decay=0.1)
    other-weight-decay: lr=lr) → lr=lr, weight_decay=0.05)
    gradients-clipped: optimizer.step() → torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)↵optimizer.step()
    gradients-clipped: optimizer.step() → torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)↵optimizer.step()
    gradients-clipped: optimizer.step() → torch.nn.utils.clip_grad_value_(model.parameters(), 0.1)↵optimizer.step()
    learning-rate-ignored: lr=lr) → lr=1e-3)
        hint: The learning rate is an argument. Pass it on: `lr=lr`.
    new-optimizer-each-step: optimizer.zero_grad() →:
        optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        optimizer.zero_grad()
    first-batch-only: optimizer.step() → optimizer.step()↵break
    gradient-upwards: loss.backward() → (-loss).backward()
    returns-nothing: return model.eval() → model.eval()
    """)
LOOP_PROBES = (
    trained("one-step", "one step", 1, 1, 3e-3),
    trained("three-steps", "three steps", 3, 2, 1e-2),
    trained("learned", "five steps with learned positions", 5, 3, 3e-3, position="learned", layers=1),
)
LOOP_RIGHT = rights("""
    set-to-none: zero_grad() → zero_grad(set_to_none=False)
    cleared-by-the-model: optimizer.zero_grad() → model.zero_grad()
    cleared-at-the-end: line optimizer.zero_grad() →
        optimizer.step() → optimizer.step()↵optimizer.zero_grad()
    """)

TRAIN = Task(
    id="train",
    title="The training loop",
    name="train",
    kind="function",
    signature="train(model, batches, lr=3e-3)",
    axes=LOGITS,
    needs=("tiny-transformer",),
    probes=(
        *LOOP_PROBES,
        trained("once", "batches that are made one after the other", 2, 4, 3e-3, {"once": ["batches"]}),
        trained("dropping", "a model with dropout 1", 2, 5, 3e-3, {"mode": "as left"}, dropout=1.0),
    ),
    checks=(
        Check("one step", 1, ("one-step",)),
        Check("several steps", 2, ("three-steps", "learned", "once")),
        Check("training mode, and eval mode at the end", 1, ("dropping",)),
    ),
    learned="A step is four lines: loss, clear, backward, step. PyTorch adds gradients up until someone clears them.",
    demands={
        "Make a `torch.optim.AdamW`": "other-optimizer",
        "with this learning rate": "learning-rate-ignored",
        "for each `(ids, labels)` in `batches`": "first-batch-only",
        "`batches` can be a generator": "several-passes-needed",
        "compute the loss with `token_loss`": "softmax-before-the-loss",
        "clear the old gradients": "gradients-not-cleared",
        "take one step": "no-step",
        "The model trains in training mode": "trained-in-eval-mode",
        "put it into eval mode at the end": "left-in-training-mode",
        "and return it": "returns-nothing",
    },
    hints=(
        "Make the optimizer once, before the loop. The order inside: loss, `zero_grad`, `backward`, `step`.",
        "`loss = token_loss(model(ids), labels)`, then three calls without arguments.",
        "`model.train()` before the loop, `return model.eval()` after it.",
    ),
    wrong=LOOP
    + wrongs("""
        softmax-before-the-loss: token_loss(model(ids) → token_loss(torch.softmax(model(ids), dim=-1)
        several-passes-needed: for ids, labels in batches: → for ids, labels in [batches[i] for i in range(len(batches))]:
        used-up-before-the-loop: above optimizer = torch.optim.AdamW → number = sum(1 for _ in batches)
        trained-in-eval-mode: model.train() → model.eval()
        eval-mode-inside-the-loop: optimizer.step() → optimizer.step()↵model.eval()
        each-batch-again: for ids, labels in batches: → for ids, labels in [pair for pair in list(batches) for _ in range(2)]:
        each-batch-again: for ids, labels in batches: → for ids, labels in list(batches) * 3:
        left-in-training-mode: return model.eval() → return model
        """),
    right=LOOP_RIGHT,
)


BUG_TRAINING_LOOP = Task(
    id="bug-training-loop",
    title="Find the bugs: a loop that hardly learns",
    name="careless_train",
    kind="function",
    signature="careless_train(model, batches, lr=3e-3)",
    axes=LOGITS,
    needs=("tiny-transformer",),
    probes=LOOP_PROBES,
    checks=(
        Check("one step: the loss", 1, ("one-step",)),
        Check("several steps: the gradients", 1, ("three-steps", "learned")),
    ),
    learned="`cross_entropy` takes logits: a softmax before it flattens the gradient. And gradients add up until they are "
    "cleared, in every step.",
    demands={"It has two bugs": "left-as-given"},
    hints=(
        "What does `cross_entropy` do with its first argument before it takes the logarithm?",
        "How often is `zero_grad` called here, and how often is `backward`?",
        "Pass the logits as they are, and move `zero_grad` into the loop.",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. Its loss is not that of the logits,
                and its gradients are those of all steps together.
        softmax-before-the-loss: logits = model(ids) → logits = torch.softmax(model(ids), dim=-1)
        softmax-before-the-loss: logits = model(ids) → logits = torch.softmax(model(ids), dim=1)
            hint: A softmax, over another axis here, still comes before the loss. `F.cross_entropy` wants the logits.
        labels-shifted-twice: logits.flatten(0, 1), labels.flatten() → logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten()
        """)
    + LOOP,
    right=LOOP_RIGHT,
)


LEFT = {"observe": "mode", "settings": {"input": "model", "given": ["eval", "training"]}}


def reported(id, says, shape, seed, asked=None, **more):
    inputs = {"model": model(seed, **more), "ids": ids(*shape, seed=seed)}
    return Probe(id, says, inputs, redraw=other_ids(*shape), **(asked or {}))


BUG_EVALUATION = Task(
    id="bug-evaluation",
    title="Find the bugs: a loss that nobody should report",
    name="reported_loss",
    kind="function",
    signature="reported_loss(model, ids)",
    axes=(),
    number=True,
    needs=("tiny-transformer",),
    probes=(
        reported("plain", "a model without dropout", (3, 6), 1),
        reported("dropout", "a model with dropout 0.5", (2, 5), 2, dropout=0.5),
        reported("learned", "learned positions", (4, 7), 3, position="learned", dropout=0.3),
        reported("mode", "a model in either mode", (2, 4), 4, asked=LEFT),
    ),
    checks=(
        Check("the next token", 1, ("plain",)),
        Check("without dropout, in eval mode", 1, ("dropout", "learned", "mode")),
    ),
    demands={
        "the loss of predicting each next token": "labels-not-shifted",
        "another number at each call": "evaluated-in-train-mode",
        "leave the model in eval mode": "left-in-training-mode",
    },
    learned="A loss is reported in eval mode, for the token that comes next. Both mistakes run without an error.",
    hints=(
        "In which mode does dropout drop? Look at the first line.",
        "Position t is compared with `ids[:, t]`. Which token should it predict?",
        "`model.eval()`, and `predicted, wanted = logits[:, :-1], ids[:, 1:]`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is: dropout is on, and each position is
                compared with the token that it has just read.
        evaluated-in-train-mode: model.eval() → model.train()
        evaluated-in-train-mode: model.eval() → model.train()
            below logits = model(ids) → model.eval()
            hint: The model is in eval mode only after it has run. Switch it before you call it.
        left-in-training-mode: below logits = model(ids) → model.train()
        labels-not-shifted: logits[:, :-1], ids[:, 1:] → logits, ids
        labels-not-shifted: ids[:, 1:] → ids[:, :-1]
        shifted-along-the-batch: logits[:, :-1], ids[:, 1:] → logits[:-1], ids[1:]
        labels-rolled: logits[:, :-1], ids[:, 1:] → logits, ids.roll(-1, dims=1)
        shifted-the-other-way: logits[:, :-1], ids[:, 1:] → logits[:, 1:], ids[:, :-1]
        softmax-before-the-loss: logits = model(ids) → logits = torch.softmax(model(ids), dim=-1)
        added-not-averaged: wanted.flatten()) → wanted.flatten(), reduction="sum")
            hint: The losses of the positions are added up. Take their mean.
        last-token-only: logits[:, :-1], ids[:, 1:] → logits[:, -2:-1], ids[:, -1:]
            hint: Only the last prediction is counted. Every position but the last predicts a token.
        """),
    right=rights("""
        train-false: model.eval() → model.train(False)
        through-labels: line predicted, wanted = logits[:, :-1], ids[:, 1:] →
            F.cross_entropy(predicted.flatten(0, 1), wanted.flatten()) → token_loss(logits, next_token_labels(ids))
        transposed: predicted.flatten(0, 1), wanted.flatten() → predicted.transpose(1, 2), wanted
        """),
)

# ------------------------------------------------------------------------------------- maps and scores of heads


def other_n(generator):
    return {"n": 3 + int(torch.randint(9, (1,), generator=generator))}


REVERSE_MAP = Task(
    id="reverse-map",
    title="Predict the map",
    name="reverse_map",
    kind="function",
    signature="reverse_map(n)",
    axes=("positions as query", "positions as key"),
    probes=(
        Probe("eight", "eight digits", {"n": 8}, redraw=other_n),
        Probe("three", "three digits", {"n": 3}, redraw=other_n),
        Probe("one", "one digit", {"n": 1}, redraw=other_n),
    ),
    checks=(Check("who looks where", 2, ("eight", "three", "one")),),
    learned="The bar predicts the first answer, so the line starts in its row and runs down to the left: an anti-diagonal.",
    demands={
        "Which position must each position look at": "main-diagonal",
        "where the query (row) has to look at the key (column)": "transposed-result",
        "Rows whose next token does not count stay 0": "whole-anti-diagonal",
        "the bar already predicts the first answer": "one-row-late",
    },
    hints=(
        "The bar is at position n and predicts the last digit, which is at position n - 1.",
        "Answer i (from 0) is predicted at position n + i, and is at position n - 1 - i.",
        "`map_[n + i, n - 1 - i] = 1.0` for each i below n, in a matrix of zeros.",
    ),
    wrong=wrongs("""
        one-row-late: map_[n + answer → map_[n + 1 + answer
        main-diagonal: n - 1 - answer → answer
        whole-anti-diagonal: = torch.eye(2 * n + 1).flip(1)
        whole-anti-diagonal: = (torch.arange(2 * n + 1)[:, None] + torch.arange(2 * n + 1) == 2 * n - 1).float()
        key-one-off: n - 1 - answer → n - answer
        answers-only: = torch.eye(n).flip(1)
        loop-stops-early: range(n) → range(n - 1)
        last-row-filled: range(n) → range(n + 1)
        transposed-result: return map_ → return map_.T
        """),
    right=rights("""
        eye: body
            map_ = torch.zeros(2 * n + 1, 2 * n + 1)
            map_[n : 2 * n, :n] = torch.eye(n).flip(0)
            return map_

        indices: for answer … map_[n + answer, n - 1 - answer] = 1.0 → map_[torch.arange(n, 2 * n), torch.arange(n).flip(0)] = 1.0
        compare: = ((torch.arange(2 * n + 1)[:, None] + torch.arange(2 * n + 1) == 2 * n - 1) & (torch.arange(2 * n + 1) < n)[None]).float()
        """),
)


# ----------------------------------------------------------------------------------------------- generate


def written(id, says, seed, shape, count, room, **more):
    inputs = {
        "model": model(seed, **more),
        "ids": ids(*shape, seed=seed),
        "count": count,
        "context_length": room,
    }
    return Probe(id, says, inputs, redraw=other_ids(*shape))


GENERATE = Task(
    id="generate",
    title="Generate greedily",
    name="generate",
    kind="function",
    signature="generate(model, ids, count, context_length)",
    axes=("b", "tokens and new ones"),
    input_axes={"ids": IDS},
    dtypes=("int64",),
    needs=("tiny-transformer",),
    probes=(
        written("four-more", "two prompts of three tokens, four more", 1, (2, 3), 4, 9),
        written("long", "more tokens than fit", 2, (3, 6), 8, 9),
        written("two-tokens", "room for two tokens", 6, (3, 4), 6, 2, position="learned"),
        written("short-memory", "room for four tokens", 5, (2, 6), 7, 4, position="learned", layers=1),
    ),
    checks=(
        Check("the likeliest next token, again and again", 2, ("four-more",)),
        Check("no more than context_length tokens at a time", 1, ("long", "short-memory", "two-tokens")),
    ),
    learned="Only the last position's logits are new. The model reads all the rest again for each token, unless a cache "
    "keeps its keys and values.",
    demands={
        "count times": "one-token-only",
        "the token with the largest logit": "least-likely",
        "at the *last* position": "first-positions-logits",
        "and append it": "put-in-front",
        "give it only the last ones": "window-not-cut",
        "A model has seen context_length tokens": "window-too-short",
    },
    hints=(
        "Each round: run the model, take the logits of the last position, append their argmax.",
        "`logits[:, -1].argmax(dim=-1, keepdim=True)` is (b, 1), ready for `torch.cat((ids, …), dim=1)`.",
        "Give the model `ids[:, -context_length:]`.",
    ),
    wrong=wrongs("""
        window-too-short: -context_length: → -context_length + 1 :
        window-not-cut: ids[:, -context_length:] → ids
        window-from-the-start: ids[:, -context_length:] → ids[:, :context_length]
        first-positions-logits: logits[:, -1] → logits[:, 0]
        least-likely: argmax → argmin
        one-token-only: range(count) → range(min(count, 1))
        loop-stops-early: range(count) → range(count - 1)
            hint: The last new token is missing. `range(count)` already makes `count` rounds: no `- 1` is
                needed.
        prompt-left-out: return ids → return ids[:, -count:]
        put-in-front: torch.cat((ids, likeliest) → torch.cat((likeliest, ids)
        window-returned: logits = model(ids[:, -context_length:]) → ids = ids[:, -context_length:]↵logits = model(ids)
        """),
    right=rights("""
        topk: argmax(dim=-1, keepdim=True) → topk(1, dim=-1).indices
        append-in-a-list: body
            parts = [ids]
            for _ in range(count):
                seen = torch.cat(parts, dim=1)[:, -context_length:]
                parts.append(model(seen)[:, -1:].argmax(dim=-1))
            return torch.cat(parts, dim=1)

        last-one: logits[:, -1].argmax(dim=-1, keepdim=True) → logits[:, -1:].argmax(dim=-1)
        """),
)

# ----------------------------------------------------------------------------------------------- break it


def attended(id, says, shape, room, seed):
    names = ("queries", "keys", "values")
    qkv = dict(zip(names, drawn(3, *shape, seed=seed).unbind(), strict=True))
    mask = torch.ones(room, room).triu(1)
    return Probe(id, says, {**qkv, "mask": mask}, redraw=lambda generator: {"mask": mask})


HEADS_AXES = ("b", "heads", "tokens", "head_dim")

BUG_LOST_MASK = small(
    "bug-lost-mask",
    "Find the bug: a loss that is too good",
    "careless_attention(queries, keys, values, mask)",
    HEADS_AXES,
    "causal attention",
    (
        attended("five-tokens", "two sequences of five tokens, with room for seven", (2, 3, 5, 4), 7, 1),
        attended("full", "as many tokens as fit", (3, 2, 6, 5), 6, 2),
    ),
    "`masked_fill` changes nothing: it returns a new tensor. A model that sees the next token copies it, and has nothing to "
    "copy when it writes.",
    (
        "The model does well as long as the next token is in the input. Which line should hide it?",
        "`masked_fill` returns a new tensor. What happens to it here?",
        "`scores = scores.masked_fill(hidden, -torch.inf)`",
    ),
    """
    left-as-given: faulty
        hint: What is wrong with the code as it was given still is: what `masked_fill` returns is thrown away,
            so every token sees the future.
    mask-fills-zero: -torch.inf → 0.0
    mask-fills-small: -torch.inf → -1.0
    mask-fills-infinity: -torch.inf → torch.inf
    mask-polarity: hidden, -torch.inf → ~hidden, -torch.inf
    past-hidden: (hidden, → (hidden.T,
        hint: The past is hidden and the future is visible: the mask is transposed.
    mask-after-softmax: scores = scores.masked_fill(hidden, -torch.inf) → pass
        torch.softmax(scores, dim=-1) → torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
    mask-misaligned: [:num_tokens, :num_tokens] → [-num_tokens:, :num_tokens]
    mask-not-cut: [:num_tokens, :num_tokens] →
    softmax-over-queries: dim=-1 → dim=-2
    no-scale: / queries.shape[-1] ** 0.5 →
    """,
    """
    in-place: scores = scores.masked_fill( → scores.masked_fill_(
    where: scores.masked_fill(hidden, -torch.inf) → torch.where(hidden, -torch.inf, scores)
    minus-infinity-added: scores.masked_fill(hidden, -torch.inf) → scores + torch.full_like(scores, -torch.inf).triu(1)
    """,
    points=2,
    demands={"Correct `careless_attention`": "left-as-given"},
    input_axes=dict.fromkeys(("queries", "keys", "values"), HEADS_AXES),
)

LESSON = Lesson(
    title="08 · Train it",
    given_axes={},
    redraw=lambda generator: {},
    tasks=(
        STREAM_AFTER,
        LAYER_NORM,
        FEED_FORWARD,
        UNEMBED,
        TRANSFORMER_BLOCK,
        TINY_TRANSFORMER,
        NEXT_TOKEN_LOSS,
        TRAIN,
        BUG_TRAINING_LOOP,
        BUG_EVALUATION,
        REVERSE_MAP,
        GENERATE,
        BUG_LOST_MASK,
    ),
)
