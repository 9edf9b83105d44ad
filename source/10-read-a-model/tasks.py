"""The tasks of lesson 10: their probes, the wrong answers people give, and the hint each deserves."""

import torch
from autograder.author.authoring import Check, Lesson, Made, Probe, Task, rights, wrongs

IDS = ("b", "tokens")
LOGITS = ("b", "tokens", "vocab")
MAP = ("b", "tokens as query", "tokens as key")


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def ids(*shape, seed, vocab=7):
    """Random token ids below vocab - 1: an experiment may add 1 to each."""
    return torch.randint(vocab - 1, shape, generator=torch.Generator().manual_seed(seed))


def other_ids(*shape, vocab=7):
    """Makes other ids, and keeps the other inputs."""
    return lambda generator: {"ids": torch.randint(vocab - 1, shape, generator=generator)}


def model(seed, layers=2, heads=2, vocab=7, room=9):
    """A transformer of the learner's own with a vocabulary, width 8, and room for some tokens."""
    names = ("vocab", "d_model", "num_heads", "num_layers", "context_length", "position")
    sizes = (vocab, 8, heads, layers, room, "learned")
    return Made("TinyTransformer", dict(zip(names, sizes, strict=True)), seed=seed)


# ----------------------------------------------------------------------------------------- from a file to classes


def fused(id, says, d_in, d_out, seed):
    return Probe(id, says, {"weight": drawn(d_in, 3 * d_out, seed=seed)}, settings={"stacked": True})


SPLIT_FUSED = Task(
    id="split-fused",
    title="Three matrices out of one",
    name="split_fused",
    kind="function",
    signature="split_fused(weight)",
    axes=("query, key or value", "out", "in"),
    input_axes={"weight": ("in", "3 out")},
    probes=(
        fused("wide", "a weight from 5 numbers to 4", 5, 4, 1),
        fused("square", "a weight from 6 numbers to 6", 6, 6, 2),
        fused("narrow", "a weight from 2 numbers to 9", 2, 9, 3),
    ),
    checks=(Check("the three weights, each turned", 2, ("wide", "square", "narrow")),),
    learned="A fused weight is three weights side by side. What is side by side in (in, out) is on top of each other in "
    "(out, in): the convention decides along which axis to cut.",
    demands={
        "first the columns of the queries": "projections-swapped",
        "as nn.Linear keeps them, each (out, in)": "weight-not-turned",
        "a fused weight as GPT-2 stores it, (in, 3 · out)": "cut-along-the-input",
    },
    hints=(
        "Along which axis are the columns of the queries, keys and values side by side?",
        "`weight.chunk(3, dim=1)` gives three parts of (in, out). What turns (in, out) into (out, in)?",
        "`return tuple(part.T for part in weight.chunk(3, dim=1))`",
    ),
    wrong=wrongs("""
        weight-not-turned: part.T → part
            hint: The parts are still (in, out). `nn.Linear` keeps (out, in): `.T`.
        reshaped-not-turned: part.T → part.reshape(part.shape[1], part.shape[0])
        cut-along-the-input: weight.chunk(3, dim=1) → weight.reshape(3, -1, weight.shape[1] // 3)
        split-interleaved: weight.chunk(3, dim=1) → weight.unflatten(1, (-1, 3)).unbind(-1)
            hint: A part gets every third column. The columns of one part should be next to each other:
                `weight.chunk(3, dim=1)`.
        projections-swapped: weight.chunk(3, dim=1) → [weight.chunk(3, dim=1)[place] for place in (1, 0, 2)]
            hint: The parts are in another order here. It should be query, key, value.
        projections-swapped: weight.chunk(3, dim=1) → [weight.chunk(3, dim=1)[place] for place in (2, 1, 0)]
            hint: The parts are in another order here. It should be query, key, value.
        keys-as-values: weight.chunk(3, dim=1) → [weight.chunk(3, dim=1)[place] for place in (0, 1, 1)]
            hint: The third part is the keys once more. The values should come last.
        """),
    right=rights("""
        split: weight.chunk(3, dim=1) → weight.split(weight.shape[1] // 3, dim=1)
        turned-first: tuple(part.T for part in weight.chunk(3, dim=1)) → weight.T.chunk(3, dim=0)
        unflatten: = tuple(weight.T.unflatten(0, (3, -1)))
        """),
)


def stored(id, says, name, shape, seed, **more):
    """A tensor of the file, put into a model of the learner's own, which then reads some ids."""
    inputs = {"model": model(seed, **more), "name": name, "tensor": drawn(*shape, seed=seed + 100)}
    return Probe(id, says, inputs, then={"ids": ids(2, 5, seed=seed)})


PLACED = {
    "queries-keys-values": ("`h.0.attn.c_attn.weight`", "h.0.attn.c_attn.weight", (8, 24)),
    "queries-keys-values-later": (
        "`h.2.attn.c_attn.weight`, of three layers",
        "h.2.attn.c_attn.weight",
        (8, 24),
    ),
    "output": ("`h.1.attn.c_proj.weight`", "h.1.attn.c_proj.weight", (8, 8)),
    "output-bias": ("`h.2.attn.c_proj.bias`", "h.2.attn.c_proj.bias", (8,)),
    "wide": ("`h.1.mlp.c_fc.weight`", "h.1.mlp.c_fc.weight", (8, 32)),
    "back": ("`h.2.mlp.c_proj.weight`", "h.2.mlp.c_proj.weight", (32, 8)),
    "back-bias": ("`h.1.mlp.c_proj.bias`", "h.1.mlp.c_proj.bias", (8,)),
    "norm": ("`h.1.ln_2.weight`", "h.1.ln_2.weight", (8,)),
    "tied": ("`wte.weight`", "wte.weight", (7, 8)),
    "places": ("`wpe.weight`", "wpe.weight", (9, 8)),
    "last-norm": ("`ln_f.bias`", "ln_f.bias", (8,)),
}

AS_IT_IS = ("output-bias", "back-bias", "norm", "places", "last-norm")

PLACE = Task(
    id="place",
    title="Every tensor in its place",
    name="place",
    kind="function",
    signature="place(model, name, tensor)",
    axes=LOGITS,
    needs=("split-fused",),
    probes=(
        *(stored(id, *rest, seed, layers=3) for seed, (id, rest) in enumerate(PLACED.items(), start=1)),
        stored("square-table", "a square `wte.weight`", "wte.weight", (8, 8), 11, vocab=8),
        stored("square-places", "a square `wpe.weight`", "wpe.weight", (8, 8), 12, room=8),
    ),
    checks=(
        Check("queries, keys and values", 1, ("queries-keys-values", "queries-keys-values-later")),
        Check("transposed weights", 1, ("output", "wide", "back")),
        Check("one table, two places", 1, ("tied", "square-table")),
        Check("what goes in as it is", 1, (*AS_IT_IS, "square-places")),
    ),
    learned="Loading a model is translation: another name, another orientation, one tensor for several places. Each step "
    "that is missing leaves random numbers in the model, and nothing complains.",
    demands={
        "put one stored tensor into its place in the model": "layer-ignored",
        "and return the model": "returns-nothing",
        "The weights of c_proj and c_fc are transposed": "transposed-always",
        "in the attention as in the MLP": "square-not-transposed",
        "Their biases have one axis": "biases-left-out",
        "c_attn is split, and goes into W_query, W_key and W_value": "projections-swapped",
        "wte is the embedding and the unembedding": "not-tied",
    },
    hints=(
        "Three cases: `c_attn` has three places, `c_proj` and `c_fc` are turned, `wte` has a second place.",
        '`own_name("h.0.attn.c_attn.weight")` ends in `fused.weight`. Put `W_query`, `W_key` and `W_value` in the place of '
        "`fused`, one after the other.",
        'Turn only weights: `if name.endswith(("c_proj.weight", "c_fc.weight")): tensor = tensor.T`. Then '
        "`model.get_parameter(own_name(name)).copy_(tensor)`.",
    ),
    wrong=wrongs("""
        weight-not-turned: tensor = tensor.T → pass
            hint: The weight goes in as it is stored. Those of `c_proj` and `c_fc` are (in, out): `.T`.
        square-not-transposed: ("c_proj.weight", "c_fc.weight") → ("mlp.c_proj.weight", "c_fc.weight")
        reshaped-not-turned: tensor = tensor.T → tensor = tensor.reshape(tensor.shape[::-1])
        transposed-always: if name.endswith(("c_proj.weight", "c_fc.weight")): → if tensor.T.shape == model.get_parameter(own).shape:
            hint: Whatever fits when it is transposed is transposed. A table can be square, and stays as it is: only `c_proj` and `c_fc` are turned.
        not-tied: model.unembedding.weight.copy_(tensor) → pass
        embedding-forgotten: model.get_parameter(own).copy_(tensor) → (model.unembedding.weight if name == "wte.weight" else model.get_parameter(own)).copy_(tensor)
        projections-swapped: ("W_query", "W_key", "W_value") → ("W_key", "W_query", "W_value")
            hint: The first part goes to `W_key` and the second to `W_query`. The order should be query, key,
                value.
        keys-as-values: split_fused(tensor)) → [split_fused(tensor)[part] for part in (0, 1, 1)])
            hint: `W_value` gets the part of the keys. Which part is written into it?
        queries-as-keys: split_fused(tensor)) → [split_fused(tensor)[part] for part in (0, 0, 2)])
            hint: `W_key` gets the part of the queries. Which part is written into it?
        layer-ignored: own = own_name(name) → own = own_name(name.replace("h.1", "h.0"))
            hint: Every tensor goes into the first block. The number in its name says which block is its own.
        layer-ignored: own.replace("fused", part) → f"blocks.0.attention.{part}.weight"
            hint: Queries, keys and values go into the first block, whatever the name says. The number in the name
                says which block is theirs.
        biases-left-out: model.get_parameter(own).copy_(tensor) → tensor.ndim == 1 or model.get_parameter(own).copy_(tensor)
        returns-nothing: return model →2 return None
        """),
    right=rights("""
        one-table: model.unembedding.weight.copy_(tensor) → model.unembedding.weight = model.embedding.weight
        state-dict: model.get_parameter(own).copy_(tensor) → model.state_dict()[own].copy_(tensor)
        data: model.get_parameter(own).copy_(tensor) → model.get_parameter(own).data = tensor.clone()
        """),
)


def turned(id, says, name, shape, own, seed):
    """A tensor and the shape of its place, as a tensor of whole numbers."""
    inputs = {"name": name, "tensor": drawn(*shape, seed=seed), "shape": torch.tensor(own)}
    return Probe(
        id, says, inputs, redraw=lambda generator: {"tensor": torch.randn(*shape, generator=generator)}
    )


ORIENTATION = Task(
    id="bug-orientation",
    title="Find the bugs: it fits, and it is wrong",
    name="oriented",
    kind="function",
    signature="oriented(name, tensor, shape)",
    axes=("out", "in"),
    probes=(
        turned("square", "a square `c_proj`", "h.0.attn.c_proj.weight", (6, 6), (6, 6), 1),
        turned("wide", "`c_fc`", "h.1.mlp.c_fc.weight", (5, 20), (20, 5), 2),
        turned("narrow", "`c_proj` of the MLP", "h.1.mlp.c_proj.weight", (12, 3), (3, 12), 5),
        turned("embedding", "`wte`", "wte.weight", (7, 4), (7, 4), 3),
        turned("square-embedding", "a square `wpe`", "wpe.weight", (8, 8), (8, 8), 4),
    ),
    checks=(
        Check("a square weight", 1, ("square", "square-embedding")),
        Check("a weight that is not square", 1, ("wide", "narrow", "embedding")),
    ),
    learned="A shape does not tell which convention a tensor follows, and a square one fits both ways. The name does.",
    demands={
        "There are two mistakes in one line": "left-as-given",
    },
    hints=(
        "`c_proj` of the attention is (d_model, d_model). What does the shape tell about it?",
        "`reshape` keeps the numbers in the order in which they lie. Does `.T` as well?",
        'Decide by the name: `tensor.T if name.endswith(("c_proj.weight", "c_fc.weight")) else tensor`',
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. It leaves a square weight as it is,
                and `reshape` does not transpose.
        square-not-transposed: = tensor if list(tensor.shape) == list(shape) else tensor.T
            hint: A square `c_proj` goes in as it is, and should be turned. Its shape fits both ways; its name says it.
        transposed-always: = tensor.T
        weight-not-turned: ("c_proj.weight", "c_fc.weight") → ("attn.c_proj.weight", "c_fc.weight")
            hint: The `c_proj` of the MLP goes in as it is stored. Both `c_proj`, that of the attention and that of the MLP, are turned.
        weight-not-turned: = tensor
            hint: Nothing is transposed. The weights of `c_proj` and `c_fc` are stored as (in, out).
        transposed-always: = tensor.T if tensor.ndim == 2 and "wte" not in name else tensor
            hint: `wpe` is transposed. It is no linear layer: a row is the vector of a position, there as here. Only `c_proj` and `c_fc` are turned.
        """),
    right=rights("""
        in-the-name: = tensor.T if "c_" in name and name.endswith("weight") else tensor
        statement: body
            if name.split(".")[-2] in ("c_proj", "c_fc"):
                return tensor.transpose(0, 1)
            return tensor
        permute: tensor.T if → tensor.permute(1, 0) if
        """),
)

# -------------------------------------------------------------------------------------------------- how good


def read(id, says, shape, seed, layers=2, heads=2):
    return Probe(
        id,
        says,
        {"model": model(seed, layers, heads), "ids": ids(*shape, seed=seed)},
        redraw=other_ids(*shape),
    )


PERPLEXITY = Task(
    id="perplexity",
    title="Perplexity",
    name="perplexity",
    kind="function",
    signature="perplexity(model, ids)",
    axes=(),
    number=True,
    probes=(
        read("three", "three sequences of six tokens", (3, 6), 1),
        read("one", "one sequence of nine tokens", (1, 9), 2),
        read("many", "five sequences of two tokens", (5, 2), 3, layers=1),
    ),
    checks=(Check("e to the mean loss of all next tokens", 2, ("three", "one", "many")),),
    learned="Perplexity is the loss in another unit: the number of equally likely tokens that would be as hard to guess.",
    demands={
        "people report its exponential": "exp-left-out",
        "e to the mean loss": "base-of-two",
        "over the next tokens": "labels-not-shifted",
        "of all sequences together": "averaged-too-late",
    },
    hints=(
        "The mean loss is the cross-entropy of the logits at all positions but the last, and the tokens from the second on.",
        "`F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())`, then `.exp()`.",
    ),
    wrong=wrongs("""
        exp-left-out: .exp() →
        labels-not-shifted: model(ids)[:, :-1] → model(ids)
            ids[:, 1:] → ids
        labels-not-shifted: ids[:, 1:] → ids[:, :-1]
        shifted-the-other-way: model(ids)[:, :-1] → model(ids)[:, 1:]
            ids[:, 1:] → ids[:, :-1]
        softmax-before-the-loss: model(ids)[:, :-1] → torch.softmax(model(ids)[:, :-1], dim=-1)
        added-not-averaged: ids[:, 1:].flatten()) → ids[:, 1:].flatten(), reduction="sum")
            hint: The losses are added up. Take their mean before the exponential.
        base-of-two: .exp() → .exp2()
        averaged-too-late: ids[:, 1:].flatten()).exp() → ids[:, 1:].flatten(), reduction="none").exp().mean()
        sequence-by-sequence: = torch.stack([F.cross_entropy(model(row[None])[0, :-1], row[1:]).exp() for row in ids]).mean()
            hint: Each sequence gets its own perplexity, and these are averaged. First the mean loss of all
                sequences together, then `.exp()`.
        """),
    right=rights("""
        transposed: logits.flatten(0, 1), ids[:, 1:].flatten() → logits.transpose(1, 2), ids[:, 1:]
        log-softmax: = (-model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).mean()).exp()
        fewer-tokens: model(ids)[:, :-1] → model(ids[:, :-1])
        """),
)

# ------------------------------------------------------------------------------------------ claims about heads


def claimed(id, says, b, heads, tokens, seed, share=0.3):
    """Weights, and a claim of which some queries have several keys, and some none."""
    weights = torch.softmax(2 * drawn(b, heads, tokens, tokens, seed=seed), dim=-1)

    def claim(generator):
        return {"claim": torch.rand(b, tokens, tokens, generator=generator) < share}

    found = claim(torch.Generator().manual_seed(seed))
    return Probe(id, says, {"weights": weights, **found}, redraw=lambda generator: claim(generator))


CLAIM_SCORE = Task(
    id="claim-score",
    title="How much of it is true?",
    name="claim_score",
    kind="function",
    signature="claim_score(weights, claim)",
    axes=("heads",),
    input_axes={"weights": ("b", "heads", "tokens as query", "tokens as key"), "claim": MAP},
    probes=(
        claimed("some", "three heads, a claim about some queries", 2, 3, 6, 1, share=0.15),
        claimed("few", "four heads, a claim about few queries", 3, 4, 5, 2, share=0.08),
        claimed("several", "two heads, several keys for a query", 4, 2, 7, 3, share=0.4),
    ),
    checks=(
        Check("a claim about some queries", 2, ("some", "few")),
        Check("several keys", 1, ("several",)),
    ),
    learned="A claim is a set of places. Its score is a share of attention, and 1 where all of it goes as claimed. What even "
    "attention would score is the number to compare with.",
    demands={
        "For each head": "heads-averaged",
        "add up each query's weights on its claimed keys": "averaged-over-claimed-keys",
        "over all queries that have at least one": "all-queries-counted",
        "All sequences count together": "sequence-by-sequence",
    },
    hints=(
        "`claim` has no axis for the heads: give it one, `claim[:, None]`, and multiply.",
        "Which queries have a claimed key at all? `claim.any(dim=-1)`, (b, tokens).",
        "`share.transpose(0, 1)[:, asked]` is (heads, queries that are asked). Take the mean over the last axis.",
    ),
    wrong=wrongs("""
        all-queries-counted: [:, asked].mean(dim=-1) → .flatten(1).mean(dim=-1)
        averaged-over-claimed-keys: (weights * claim[:, None]).sum(dim=-1) → (weights * claim[:, None]).sum(dim=-1) / claim.sum(dim=-1).clamp(min=1)[:, None]
        claim-transposed: claim[:, None] → claim.mT[:, None]
        asked-by-keys: claim.any(dim=-1) → claim.any(dim=-2)
        added-not-averaged: .mean(dim=-1) → .sum(dim=-1)
            hint: The shares of the queries are added up. Take their mean.
        heads-averaged: .mean(dim=-1) → .mean()
        largest-claimed-key: .sum(dim=-1) → .amax(dim=-1)
        sequence-by-sequence: = torch.stack([(w * c).sum(-1)[:, c.any(-1)].mean(-1) for w, c in zip(weights, claim)]).nanmean(0)
        """),
    right=rights("""
        sums: = (weights * claim[:, None]).sum(dim=(0, 2, 3)) / claim.any(dim=-1).sum()
        einsum: (weights * claim[:, None]).sum(dim=-1) → torch.einsum("bhqk,bqk->bhq", weights, claim.float())
        filled: weights * claim[:, None] → weights.masked_fill(~claim[:, None], 0.0)
        """),
)


def repeating(id, says, shape, vocab, seed):
    return Probe(
        id, says, {"ids": ids(*shape, seed=seed, vocab=vocab)}, redraw=other_ids(*shape, vocab=vocab)
    )


INDUCTION_CLAIM = Task(
    id="induction-claim",
    title="Induction, as a claim",
    name="induction_claim",
    kind="function",
    signature="induction_claim(ids)",
    axes=MAP,
    input_axes={"ids": IDS},
    dtypes=("bool",),
    probes=(
        repeating("two", "two sequences of eight tokens", (2, 8), 5, 1),
        repeating("many", "four sequences of eleven tokens", (4, 11), 7, 2),
        repeating("same", "three sequences of two different tokens", (3, 6), 3, 3),
    ),
    checks=(Check("after each earlier token like this one", 3, ("two", "many", "same")),),
    learned="The key is the token before, the query the present one: the same match that you wrote as matrices in lesson 09, "
    "now as a mask that any text fills in.",
    demands={
        "query q is said to look at each key": "queries-and-keys-turned",
        "k \\le q": "future-claimed",
        "whose *previous* token": "one-too-far-back",
        "equals the token at q": "match-for-successor",
        "Key 0 has no token before it": "wrapped-around",
    },
    hints=(
        "First the token *before* each position, (b, tokens): shift `ids` to the right by one. What is at position 0?",
        "Compare each query's token with each key's token before: `before[:, None, :] == ids[:, :, None]`.",
        "Fill position 0 with -1, which is no token, and cut off the future with `.tril()`.",
    ),
    wrong=wrongs("""
        match-for-successor: before[:, None, :] → ids[:, None, :]
            hint: This marks the keys whose *own* token equals the query's. Induction looks at the key after it.
        future-claimed: follows.tril() → follows
        one-too-far-back: before[:, None, :] → ids.roll(-1, dims=1)[:, None, :]
            hint: This looks at what came *before* the same token. Shift `ids` to the right, not to the left.
        wrapped-around: F.pad(ids[:, :-1], (1, 0), value=-1) → ids.roll(1, dims=1)
        filled-with-zero: value=-1 → value=0
        queries-and-keys-turned: before[:, None, :] == ids[:, :, None] → before[:, :, None] == ids[:, None, :]
        itself-left-out: follows.tril() → follows.tril(-1)
        previous-token-claimed: follows.tril() → torch.ones_like(follows).tril(-1).triu(-1)
        """),
    right=rights("""
        loop: body
            claim = torch.zeros(len(ids), ids.shape[1], ids.shape[1], dtype=torch.bool)
            for query in range(ids.shape[1]):
                for key in range(1, query + 1):
                    claim[:, query, key] = ids[:, key - 1] == ids[:, query]
            return claim
        pad-the-match: body
            same = ids[:, :, None] == ids[:, None, :]
            return F.pad(same[:, :, :-1], (1, 0)).tril()
        mask: follows.tril() → follows & (torch.arange(ids.shape[1])[None] <= torch.arange(ids.shape[1])[:, None])
        """),
)

# ---------------------------------------------------------------------------------------------- taking heads away


def averaged(id, says, seed, layer, head, heads, shape=(3, 6), **more):
    inputs = {"model": model(seed, heads=heads), "ids": ids(*shape, seed=seed)}
    inputs |= {"layer": layer, "head": head, "num_heads": heads}
    return Probe(id, says, inputs, redraw=other_ids(*shape), **more)


STAYS = {"observe": "mode", "settings": {"input": "model", "given": ["eval"]}}
SECOND = {"observe": "second-call", "settings": {"input": "ids", "axis": 1, "size": 4}}

MEAN_ABLATED = Task(
    id="mean-ablated",
    title="Remove what depends on the text",
    name="loss_rise",
    kind="function",
    signature="loss_rise(model, ids, layer, head, num_heads)",
    axes=("b", "tokens to predict"),
    input_axes={"ids": IDS},
    probes=(
        averaged("four-heads", "head 1 of four in the second layer", 1, 1, 1, 4),
        averaged("last-head", "head 3 of four in the first layer", 2, 0, 3, 4, shape=(2, 5)),
        averaged("first-layer", "head 0 of two in the first layer", 3, 0, 0, 2),
        averaged("again", "the same model", 4, 1, 0, 2, **SECOND),
        averaged("mode", "a model in eval mode", 5, 1, 0, 2, **STAYS),
    ),
    checks=(
        Check("the rise of each token's loss", 3, ("four-heads", "last-head", "first-layer")),
        Check("the model is left as it was", 1, ("again", "mode", "four-heads")),
    ),
    learned="The mean leaves the model what a head always says, and takes away what it says about this text.",
    demands={
        "the loss without the head, minus the loss of the whole model": "difference-turned",
        "replaced by its mean": "zero-for-the-mean",
        "over the batch and the tokens": "mean-of-each-sequence",
        "its context is replaced": "wrong-head-removed",
        "Leave the model as you found it": "left-in-training-mode",
    },
    hints=(
        "As in lesson 09: `contexts = arguments[0].unflatten(-1, (num_heads, -1)).clone()`, (b, tokens, heads, head_dim).",
        "`contexts[:, :, head]` is (b, tokens, head_dim). Its mean over the first two axes has head_dim numbers.",
        "`contexts[:, :, head] = contexts[:, :, head].mean(dim=(0, 1))`, and return `(contexts.flatten(2),)`.",
    ),
    wrong=wrongs("""
        hook-stays: hook.remove() → pass
        left-in-training-mode: hook.remove() → hook.remove(); model.train()
        zero-for-the-mean: contexts[:, :, head].mean(dim=(0, 1)) → 0.0
        mean-of-each-sequence: .mean(dim=(0, 1)) → .mean(dim=1, keepdim=True)
        mean-of-each-position: .mean(dim=(0, 1)) → .mean(dim=0)
        mean-over-the-numbers: .mean(dim=(0, 1)) → .mean()
        mean-of-all-heads: contexts[:, :, head].mean(dim=(0, 1)) → contexts.mean(dim=(0, 1, 2))
        wrong-head-removed: contexts[:, :, head] →2 contexts[:, :, 0]
            hint: Always head 0 is removed.
        token-removed: contexts[:, :, head] →2 contexts[:, head]
        heads-cut-wrongly: (num_heads, -1) → (-1, num_heads)
            contexts[:, :, head] = contexts[:, :, head].mean(dim=(0, 1)) → contexts[..., head] = contexts[..., head].mean(dim=(0, 1))
        difference-turned: ablated - whole → whole - ablated
        loss-without-comparison: ablated - whole → ablated
        layer-ignored: model.blocks[layer] → model.blocks[0]
        result-removed: register_forward_pre_hook(averaged) → register_forward_hook(lambda m, a, out: averaged(m, (out,))[0])
        """),
    right=rights("""
        slices: body averaged
            contexts = arguments[0].clone()
            width = contexts.shape[-1] // num_heads
            part = slice(head * width, (head + 1) * width)
            contexts[..., part] = contexts[..., part].mean(dim=(0, 1))
            return (contexts,)
        flattened: contexts[:, :, head].mean(dim=(0, 1)) → contexts[:, :, head].flatten(0, 1).mean(dim=0)
        mean-twice: .mean(dim=(0, 1)) → .mean(dim=1).mean(dim=0)
        """),
)


def rises(id, says, shape, seed, share):
    def where(generator):
        found = torch.rand(*shape, generator=generator) < share
        found[0, 0], found[-1, -1] = True, False  # both sides have tokens
        return {"where": found}

    inputs = {"rise": drawn(*shape, seed=seed), **where(torch.Generator().manual_seed(seed))}
    return Probe(id, says, inputs, redraw=where)


EFFECT_WHERE = Task(
    id="effect-where",
    title="There, and elsewhere",
    name="effect_where",
    kind="function",
    signature="effect_where(rise, where)",
    axes=("there or elsewhere",),
    input_axes={"rise": IDS, "where": IDS},
    probes=(
        rises("few", "a claim about few tokens", (3, 5), 1, 0.2),
        rises("many", "a claim about most tokens", (4, 6), 2, 0.7),
        rises("half", "a claim about half of the tokens", (6, 4), 3, 0.5),
    ),
    checks=(Check("the mean rise there, and elsewhere", 2, ("few", "many", "half")),),
    learned="An effect that is the same everywhere supports no claim about a place.",
    demands={
        "the mean rise there": "places-swapped",
        "the mean rise elsewhere": "compared-with-all",
    },
    hints=(
        "A mask of booleans picks numbers: `rise[where]` holds those where it is True.",
        "`~where` is elsewhere. `torch.stack((…, …))` makes one tensor of two numbers.",
    ),
    wrong=wrongs("""
        places-swapped: return torch → where = ~where↵return torch
        divided-by-all-tokens: (rise[where].mean(), rise[~where].mean()) → ((rise * where).mean(), (rise * ~where).mean())
        compared-with-all: rise[~where] → rise
        added-not-averaged: (rise[where].mean(), rise[~where].mean()) → (rise[where].sum(), rise[~where].sum())
            hint: The rises are added up. Take their mean.
        rise-without-sign: = torch.stack((rise[where].abs().mean(), rise[~where].abs().mean()))
        """),
    right=rights("""
        list: = torch.stack([rise[one].mean() for one in (where, ~where)])
        weighted: (rise[where].mean(), rise[~where].mean()) → ((rise * where).sum() / where.sum(), (rise * ~where).sum() / (~where).sum())
        select: rise[where] → rise.masked_select(where)
        """),
)

# --------------------------------------------------------------------------------------------------- logit lens

LOGIT_LENS = Task(
    id="logit-lens",
    title="The logit lens",
    name="logit_lens",
    kind="function",
    signature="logit_lens(model, ids)",
    axes=("stages", *LOGITS),
    input_axes={"ids": IDS},
    probes=(
        read("two-layers", "two layers", (2, 6), 1),
        read("three-layers", "three layers with four heads", (3, 5), 2, layers=3, heads=4),
        read("one-layer", "one layer", (4, 8), 3, layers=1),
    ),
    checks=(Check("the stages, in their order", 3, ("two-layers", "three-layers", "one-layer")),),
    learned="The stream has one width everywhere, so the end of the model can be put after any layer. How well it reads an early stream has to be tested.",
    demands={
        "that norm and unembedding make": "last-norm-left-out",
        "of the stream before the first block": "first-stage-left-out",
        "and after each block": "last-stage-left-out",
        "The stream starts as embedding plus positions": "positions-not-added",
        "the logits that": "softmax-in-the-model",
    },
    hints=(
        "Keep the stream in a list: first the embedding plus the positions, then what each block returns.",
        "`model.positions.weight[: ids.shape[1]]` has one row for each token that is there.",
        "`torch.stack([model.unembedding(model.norm(stream)) for stream in streams])`",
    ),
    wrong=wrongs("""
        last-norm-left-out: model.norm(stream) → stream
        last-norm-left-out: model.norm(stream) → (model.norm(stream) if stream is streams[-1] else stream)
            hint: `model.norm` is left out in all stages but the last one. Each stage goes through it, then through the
                unembedding.
        stream-normalised: block(streams[-1]) → block(model.norm(streams[-1]))
        first-stage-left-out: for stream in streams] → for stream in streams[1:]]
        last-stage-left-out: for stream in streams] → for stream in streams[:-1]]
        positions-not-added: model.embedding(ids) + model.positions.weight[: ids.shape[1]] → model.embedding(ids)
            hint: The positions are not added. The stream begins with the embedding plus the first rows of
                `model.positions.weight`.
        each-from-the-start: block(streams[-1]) → block(streams[0])
        part-without-the-stream: block(streams[-1]) → block(streams[-1]) - streams[-1]
        softmax-in-the-model: model.unembedding(model.norm(stream)) → model.unembedding(model.norm(stream)).softmax(dim=-1)
            hint: These are probabilities. The lens should return logits.
        """),
    right=rights("""
        all-at-once: torch.stack([model.unembedding(model.norm(stream)) for stream in streams]) → model.unembedding(model.norm(torch.stack(streams)))
        variable: body
            x = model.embedding(ids) + model.positions(torch.arange(ids.shape[1]))
            found = [model.unembedding(model.norm(x))]
            for block in model.blocks:
                x = block(x)
                found.append(model.unembedding(model.norm(x)))
            return torch.stack(found)
        hooks: body
            streams = []
            hooks = [model.blocks[0].register_forward_pre_hook(lambda block, given: streams.append(given[0]))]
            hooks += [block.register_forward_hook(lambda block, given, x: streams.append(x)) for block in model.blocks]
            model(ids)
            for hook in hooks:
                hook.remove()
            return torch.stack([model.unembedding(model.norm(stream)) for stream in streams])
        """),
)

# --------------------------------------------------------------------------------------- which part says it


def attributed(id, says, sizes, seed, offset=0.0, scale=1.0, plain=False):
    """Parts of a stream; `plain` ones have a mean of 0, and meet a norm with weight 1 and bias 0."""
    count, b, tokens, d_model, vocab = sizes
    parts = drawn(count, b, tokens, d_model, seed=seed) * torch.linspace(0.4, 2.0, count).view(-1, 1, 1, 1)
    inputs = {
        "parts": scale * parts + offset,
        "ids": ids(b, tokens, seed=seed, vocab=vocab),
        "norm_weight": 1 + 0.5 * drawn(d_model, seed=seed + 1),
        "norm_bias": drawn(d_model, seed=seed + 2),
        "unembedding": drawn(vocab, d_model, seed=seed + 3),
    }
    kept = {}
    if plain:
        kept["parts"] = parts - parts.mean(dim=-1, keepdim=True)
        inputs |= {**kept, "norm_weight": torch.ones(d_model), "norm_bias": torch.zeros(d_model)}
    other = other_ids(b, tokens, vocab=vocab)
    return Probe(id, says, inputs, redraw=lambda generator: {**kept, **other(generator)})


LOGIT_ATTRIBUTION = Task(
    id="logit-attribution",
    title="Which part says it?",
    name="logit_attribution",
    kind="function",
    signature="logit_attribution(parts, ids, norm_weight, norm_bias, unembedding)",
    axes=("parts", "b", "tokens to predict"),
    input_axes={
        "parts": ("parts given", "b", "tokens", "d_model"),
        "ids": IDS,
        "norm_weight": ("d_model",),
        "norm_bias": ("d_model",),
        "unembedding": ("vocab", "d_model"),
    },
    probes=(
        attributed("three", "three parts", (3, 2, 6, 8, 7), 31),
        attributed("offset", "five parts whose mean is not 0", (5, 3, 4, 9, 11), 41, offset=0.8),
        attributed("wide", "four parts of two long texts", (4, 2, 10, 6, 13), 51, offset=-0.5),
        attributed("faint", "a stream that varies little", (3, 2, 5, 8, 7), 61, scale=0.002),
        attributed(
            "plain", "parts with a mean of 0, a weight of 1 and no bias", (4, 3, 6, 7, 9), 71, plain=True
        ),
        attributed("only-bias", "a stream of zeros", (2, 3, 5, 6, 8), 81, scale=0.0),
    ),
    checks=(
        Check("the parts before a plain norm", 1, ("plain",)),
        Check("the row of the bias", 1, ("only-bias",)),
        Check("one number for each part and the bias", 1, ("three", "offset", "wide", "faint")),
    ),
    learned="The parts of the last stream add up to the logit. Each says what it wrote itself, not what others made of it.",
    demands={
        "that really comes **next**": "attributed-to-this-token",
        "it subtracts a part's own mean": "mean-left-in",
        "divides by the spread of the *whole* stream": "spread-of-each-part",
        "multiplies by its weight": "final-weight-left-out",
        "The last row is what `norm_bias` adds": "norm-bias-left-out",
        "divided by d_model": "variance-corrected",
    },
    hints=(
        "At position t the right token is `ids[:, t + 1]`: its row of `unembedding` is what each part meets. The last position has none.",
        "First the whole stream: `parts.sum(dim=0)`. Its variance over the last axis, with `correction=0`, gives the spread.",
        "`(parts - parts.mean(dim=-1, keepdim=True)) / spread * norm_weight`, then the bias as one more part, times the rows, summed over the last axis.",
    ),
    wrong=wrongs("""
        attributed-to-this-token: ids[:, 1:] → ids[:, :-1]
        position-behind: parts[:, :, :-1] → parts[:, :, 1:]
        mean-left-in: (parts - parts.mean(dim=-1, keepdim=True)) → parts
        mean-of-the-stream: parts - parts.mean(dim=-1, keepdim=True) → parts - parts.sum(dim=0).mean(dim=-1, keepdim=True)
        spread-of-each-part: parts.sum(dim=0).var( → parts.var(
        last-norm-left-out: (parts - parts.mean(dim=-1, keepdim=True)) / spread * norm_weight → parts
            hint: The parts go into the unembedding as they are. The model normalises the stream first.
        final-weight-left-out: / spread * norm_weight → / spread
        norm-bias-left-out: norm_bias.expand_as(right)[None] → torch.zeros_like(right)[None]
        norm-bias-in-each-part: / spread * norm_weight → / spread * norm_weight + norm_bias
        variance-corrected: correction=0 → correction=1
        variance-for-spread: + 1e-5).sqrt() → + 1e-5)
        bias-comes-first: torch.cat((normed, shift)) → torch.cat((shift, normed))
        compared-with-mean-logit: right = unembedding[ids[:, 1:]] → right = unembedding[ids[:, 1:]] - unembedding.mean(dim=0)
        bias-divided-too: norm_bias.expand_as(right)[None] → norm_bias.expand_as(right)[None] / spread
        softmax-over-parts: return (torch.cat((normed, shift)) * right).sum(dim=-1) → return torch.softmax((torch.cat((normed, shift)) * right).sum(dim=-1), dim=0)
        spread-over-tokens: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → parts.sum(dim=0).var(dim=1, keepdim=True, correction=0)
            parts - parts.mean(dim=-1, keepdim=True) → parts - parts.mean(dim=2, keepdim=True)
        spread-over-tokens: body
            right = unembedding[ids[:, 1:]]
            spread = (parts.sum(dim=0).var(dim=1, keepdim=True, correction=0) + 1e-5).sqrt()
            normed = ((parts - parts.mean(dim=2, keepdim=True)) / spread * norm_weight)[:, :, :-1]
            return (torch.cat((normed, norm_bias.expand_as(right)[None])) * right).sum(dim=-1)
        attributed-to-the-likeliest: return (torch.cat((normed, shift)) * right).sum(dim=-1) → whole = torch.cat((normed, shift))↵right = unembedding[(whole.sum(dim=0) @ unembedding.T).argmax(dim=-1)]↵return (whole * right).sum(dim=-1)
        spread-of-the-mean: parts.sum(dim=0).var( → parts.mean(dim=0).var(
        norm-weight-added: / spread * norm_weight → / spread + norm_weight
        spread-eps-outside: + 1e-5).sqrt() → ).sqrt() + 1e-5
        spread-eps-other: + 1e-5).sqrt() → ).sqrt()
        spread-eps-other: + 1e-5).sqrt() → + 1e-6).sqrt()
        spread-eps-other: + 1e-5).sqrt() → + 1e-8).sqrt()
        spread-eps-other: + 1e-5).sqrt() → + 1e-12).sqrt()
        mean-square-for-variance: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → parts.sum(dim=0).square().mean(dim=-1, keepdim=True)
        mean-square-for-variance: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → parts.sum(dim=0).square().mean(dim=-1, keepdim=True)
            (parts - parts.mean(dim=-1, keepdim=True)) → parts
            hint: This is RMSNorm. LayerNorm subtracts the means, and its spread is the root of the variance.
        spread-over-tokens:
            hint: The spread is that of all tokens of a text. Each position has one of its own: `dim=-1`.
            body
                right = unembedding[ids[:, 1:]]
                spread = (parts.sum(dim=0).var(dim=(1, 2), keepdim=True, correction=0) + 1e-5).sqrt()
                normed = ((parts - parts.mean(dim=-1, keepdim=True)) / spread * norm_weight)[:, :, :-1]
                return (torch.cat((normed, norm_bias.expand_as(right)[None])) * right).sum(dim=-1)
        spread-over-tokens:
            hint: The spread is that of all tokens of a text. Each position has one of its own: `dim=-1`.
            parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → parts.sum(dim=0).var(dim=(1, 2), keepdim=True, correction=0)
        spread-over-tokens:
            hint: There is one spread for all texts. Each position has one of its own: `dim=-1`.
            body
                right = unembedding[ids[:, 1:]]
                spread = (parts.sum(dim=0).var(correction=0) + 1e-5).sqrt()
                normed = ((parts - parts.mean(dim=-1, keepdim=True)) / spread * norm_weight)[:, :, :-1]
                return (torch.cat((normed, norm_bias.expand_as(right)[None])) * right).sum(dim=-1)
        variances-added: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → parts.var(dim=-1, keepdim=True, correction=0).sum(dim=0)
        bias-weighted-too: norm_bias.expand_as(right)[None] → (norm_bias * norm_weight).expand_as(right)[None]
        norm-bias-left-out: torch.cat((normed, shift)) → normed
        last-row-is-the-logit: return (torch.cat((normed, shift)) * right).sum(dim=-1) → rows = (torch.cat((normed, shift)) * right).sum(dim=-1)↵return torch.cat((rows[:-1], rows.sum(dim=0, keepdim=True)))
        products-averaged: * right).sum(dim=-1) → * right).mean(dim=-1)
        mean-over-parts: parts - parts.mean(dim=-1, keepdim=True) → parts - parts.mean(dim=0, keepdim=True)
        mean-shared-out: parts - parts.mean(dim=-1, keepdim=True) → parts - parts.mean(dim=0).mean(dim=-1, keepdim=True)
        mean-over-tokens: parts - parts.mean(dim=-1, keepdim=True) → parts - parts.mean(dim=2, keepdim=True)
        mean-over-tokens: parts - parts.mean(dim=-1, keepdim=True) → parts - parts.mean(dim=(2, 3), keepdim=True)
        spread-over-tokens: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → parts.sum(dim=0).var(dim=1, keepdim=True, correction=0)
            hint: The spread runs over the tokens. Each position has one of its own: `dim=-1`.
        spread-left-out: / spread * norm_weight → * norm_weight
        spread-multiplied: / spread * norm_weight → * spread * norm_weight
        spread-of-one-part: parts.sum(dim=0).var( → parts[-1].var(
        spread-of-one-part: parts.sum(dim=0).var( → parts[0].var(
            hint: The spread is that of the first part alone. The stream is the sum of all parts.
        squares-summed: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → (parts.sum(dim=0) - parts.sum(dim=0).mean(dim=-1, keepdim=True)).square().sum(dim=-1, keepdim=True)
        squares-summed: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → parts.sum(dim=0).square().sum(dim=-1, keepdim=True)
        weight-before-mean: (parts - parts.mean(dim=-1, keepdim=True)) / spread * norm_weight → (parts * norm_weight - (parts * norm_weight).mean(dim=-1, keepdim=True)) / spread
        bias-of-this-token: return (torch.cat((normed, shift)) * right).sum(dim=-1) → return torch.cat(((normed * right).sum(dim=-1), (unembedding[ids[:, :-1]] @ norm_bias)[None]))
        weight-raised-by-1: / spread * norm_weight → / spread * (1 + norm_weight)
        bias-normalised: norm_bias.expand_as(right)[None] → ((norm_bias - norm_bias.mean()) / spread * norm_weight).expand_as(right)[None]
        bias-normalised: norm_bias.expand_as(right)[None] → ((norm_bias - norm_bias.mean()) / spread).expand_as(right)[None]
        bias-normalised: norm_bias.expand_as(right)[None] → (norm_bias - norm_bias.mean()).expand_as(right)[None]
        bias-normalised: body
            right = unembedding[ids[:, 1:]]
            parts = torch.cat((parts, norm_bias.expand(1, *parts.shape[1:])))[:, :, :-1]
            spread = (parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) + 1e-5).sqrt()
            return ((parts - parts.mean(dim=-1, keepdim=True)) / spread * norm_weight * right).sum(dim=-1)
        bias-divided-too: norm_bias.expand_as(right)[None] → (norm_bias * norm_weight).expand_as(right)[None] / spread
            hint: The row of `norm_bias` is multiplied by `norm_weight` and divided by the spread. The norm adds its bias afterwards, as it is.
        norm-bias-in-each-part: / spread * norm_weight → / spread * norm_weight + norm_bias / len(parts)
            norm_bias.expand_as(right)[None] → torch.zeros_like(right)[None]
            hint: `norm_bias` is shared out among the parts. It is added once, so it gets a row of its own.
        norm-bias-in-each-part: / spread * norm_weight → / spread * norm_weight + norm_bias
            norm_bias.expand_as(right)[None] → torch.zeros_like(right)[None]
        last-position-kept: ids[:, 1:] → ids.roll(-1, 1)
            parts[:, :, :-1] → parts
        last-position-kept: ids[:, 1:] → ids
            parts[:, :, :-1] → parts
        last-position-kept: ids[:, 1:] → F.pad(ids[:, 1:], (0, 1))
            parts[:, :, :-1] → parts
        shifted-the-other-way: ids[:, 1:] → ids[:, :-1]
            parts[:, :, :-1] → parts[:, :, 1:]
        """),
    right=rights("""
        layer-norm: body
            stream = parts.sum(dim=0)
            spread = torch.sqrt(torch.var(stream, dim=-1, unbiased=False, keepdim=True) + 1e-5)
            centred = parts - parts.mean(-1, keepdim=True)
            rows = F.embedding(ids, unembedding).roll(-1, 1)
            found = [(part / spread * norm_weight * rows).sum(-1) for part in centred]
            return torch.stack([*found, rows @ norm_bias])[:, :, :-1]
        einsum: (torch.cat((normed, shift)) * right).sum(dim=-1) → torch.einsum("pbtd,btd->pbt", torch.cat((normed, shift)), right)
        by-hand: parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) → (parts.sum(dim=0) - parts.sum(dim=0).mean(dim=-1, keepdim=True)).square().mean(dim=-1, keepdim=True)
        """),
)

LESSON = Lesson(
    title="10 · Read a model",
    given_axes={},
    redraw=lambda generator: {},
    tasks=(
        SPLIT_FUSED,
        PLACE,
        ORIENTATION,
        PERPLEXITY,
        CLAIM_SCORE,
        INDUCTION_CLAIM,
        MEAN_ABLATED,
        EFFECT_WHERE,
        LOGIT_LENS,
        LOGIT_ATTRIBUTION,
    ),
)
