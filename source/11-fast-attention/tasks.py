"""The tasks of lesson 11: their probes, the wrong answers people give, and the hint each deserves."""

from dataclasses import replace

import torch
from autograder.author.authoring import Check, Forbid, Lesson, Made, Probe, Task, rights, wrongs

HEADS_AXES = ("b", "heads", "tokens", "head_dim")
QKV_AXES = dict.fromkeys("qkv", HEADS_AXES)


def drawn(*shape, seed, scale=1.0):
    """Random numbers of a shape, the same on every build."""
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def attended(id, says, shape, seed, more=None, **options):
    """A function tried on random queries, keys and values, and more arguments."""
    qkv = dict(zip("qkv", drawn(3, *shape, seed=seed, scale=1.5).unbind(), strict=True))
    return Probe(id, says, {**qkv, **(more or {})}, **options)


def sizes(d_in, d_out, context_length, heads, *groups, dropout=0.0, qkv_bias=False):
    """A constructor's arguments, with groups where there are any."""
    groups = {"num_kv_groups": groups[0]} if groups else {}
    made = {"d_in": d_in, "d_out": d_out, "context_length": context_length, "dropout": dropout}
    return {**made, "num_heads": heads, **groups, "qkv_bias": qkv_bias}


# ------------------------------------------------------------------------------------ one projection for three


def layers(id, says, construct, seed, shape):
    made = {"attention": Made("MultiHeadAttention", construct, seed=seed)}
    return Probe(id, says, made, then={"x": drawn(*shape, seed=seed)})


FUSE = Task(
    id="fuse-projections",
    title="Three layers in one",
    name="fuse_projections",
    kind="function",
    signature="fuse_projections(attention)",
    axes=("b", "tokens", "3 d_out"),
    probes=(
        layers("no-bias", "a class with 2 heads and no bias", sizes(5, 6, 9, 2), 1, (2, 4, 5)),
        layers("bias", "a class with 3 heads and a bias", sizes(4, 12, 7, 3, qkv_bias=True), 2, (3, 5, 4)),
        Probe(
            "no-more",
            "a class with 2 heads and no bias",
            {"attention": Made("MultiHeadAttention", sizes(5, 6, 9, 2), seed=3)},
            observe="parameters",
        ),
    ),
    checks=(Check("without a bias", 0, ("no-bias", "no-more")), Check("with a bias", 0, ("bias",))),
    learned="Three products with the same input are one product with a taller weight. The order of its rows is a "
    "convention, and a shape does not show it.",
    demands={
        "in the order query, key, value": "projections-swapped",
        "with a bias if the layers have one": "bias-never",
        "Copy the numbers": "nothing-copied",
        "leave `attention` as it is": "edits-its-argument",
    },
    hints=(
        "`nn.Linear(d_in, 3 * d_out)` keeps a weight of shape (3 · d_out, d_in). What are the shapes of the three?",
        "`torch.cat([attention.W_query.weight, …], dim=0)` puts them on top of each other; the biases likewise.",
        "Under `torch.no_grad()`: `fused.weight.copy_(torch.cat([layer.weight for layer in layers], dim=0))`.",
    ),
    wrong=wrongs("""
        projections-swapped: W_query, attention.W_key, → W_key, attention.W_query,
            hint: The rows of the queries and of the keys have changed places. The order should be `W_query`,
                `W_key`, `W_value`.
        keys-as-values: W_key, attention.W_value) → W_key, attention.W_key)
            hint: The rows of the keys are in the place of the values, too. The last block is that of
                `W_value`.
        nothing-copied: torch.cat([layer.weight for layer in layers], dim=0) → fused.weight
            torch.cat([layer.bias for layer in layers], dim=0) → fused.bias
            hint: The new layer still has the numbers that it was drawn with. Copy those of the three layers,
                under `torch.no_grad()`.
        edits-its-argument: return fused → attention.W_query.weight.data.mul_(2.0); return fused
            hint: `attention` is changed, and should stay as it is. Copy its numbers, and write into nothing of it.
        layer-forgotten: torch.cat([layer.bias for layer in layers], dim=0) → fused.bias
            hint: The new bias still contains the numbers that it was drawn with. Copy those of the three layers.
        bias-never: bias=has_bias → bias=False
            if has_bias → if False
            hint: Give the new layer a bias exactly where the three layers have one.
        bias-always: bias=has_bias → bias=True
            hint: Give the new layer a bias exactly where the three layers have one.
        bias-always: bias=has_bias → bias=True
            above with torch.no_grad → nn.init.zeros_(fused.bias)
            hint: Give the new layer a bias exactly where the three layers have one. Zeros are a bias, too: they are
                trained.
        values-before-keys: W_key, attention.W_value) → W_value, attention.W_key)
        rows-head-by-head: torch.cat([layer.weight for layer in layers], dim=0) → torch.stack([one.weight.unflatten(0, (attention.num_heads, -1)) for one in layers], dim=1).flatten(0, 2)
            torch.cat([layer.bias for layer in layers], dim=0) → torch.stack([one.bias.unflatten(0, (attention.num_heads, -1)) for one in layers], dim=1).flatten()
        joined-along-wrong-axis: weight for layer in layers], dim=0 → weight for layer in layers], dim=1
            hint: The three weights are joined side by side, along the input. Put them on top of each other:
                `torch.cat(…, dim=0)`.
        one-matrix-for-all: layer.weight for → attention.W_query.weight for
            hint: All three blocks hold the weight of one layer. Each of the three layers has a block of its
                own.
        returns-nothing: return fused → pass
        """),
    right=rights("""
        vstack: torch.cat([layer.weight for layer in layers], dim=0) → torch.vstack([one.weight for one in layers])
        new-parameter: weight.copy_(torch.cat( → weight = nn.Parameter(torch.cat(
        stacked: torch.cat([layer.weight for layer in layers], dim=0) → torch.stack([one.weight for one in layers]).flatten(0, 1)
        """),
)


def projected(id, says, shape, heads, seed):
    inputs = {"projected": drawn(*shape, seed=seed), "num_heads": heads}
    return Probe(id, says, inputs, settings={"stacked": True})


QKV_ORDER = Task(
    id="bug-qkv-order",
    title="Find the bug: the wrong order of rows",
    name="split_qkv",
    kind="function",
    signature="split_qkv(projected, num_heads)",
    axes=("query, key or value", *HEADS_AXES),
    input_axes={"projected": ("b", "tokens", "3 d_out")},
    probes=(
        projected("two-heads", "two sentences, two heads", (2, 5, 24), 2, 3),
        projected("five-heads", "four sentences, five heads", (4, 7, 30), 5, 4),
    ),
    checks=(Check("queries, keys and values of all heads", 0, ("two-heads", "five-heads")),),
    learned="`view` names the axes in the order in which the numbers lie: three blocks, in each the heads, in each "
    "head_dim numbers.",
    demands={"Here the order is query, key, value": "left-as-given"},
    hints=(
        "Which comes first in the last axis: the three blocks, or the heads? Name them in this order in `view`.",
        "`projected.view(b, num_tokens, 3, num_heads, …)`. Now where do the axes have to go?",
        "`pieces.permute(2, 0, 3, 1, 4)`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
        fixed-in-part: permute(2, 0, 3, 1, 4) → permute(3, 0, 2, 1, 4)
            hint: `permute` has to change too: the axes of `pieces` are in the order in which `view` names them.
        fixed-in-part: 3, num_heads, width → num_heads, 3, width
            hint: `view` has to change too: the three blocks come first, then the heads.
        heads-not-brought-forward: permute(2, 0, 3, 1, 4) → permute(2, 0, 1, 3, 4)
            hint: The tokens come before the heads: the axes are (3, b, tokens, heads,
                head_dim). `permute(2, 0, 3, 1, 4)` brings the heads forward.
        split-interleaved: 3, num_heads, width // (3 * num_heads) → 3, width // (3 * num_heads), num_heads
            permute(2, 0, 3, 1, 4) → permute(2, 0, 4, 1, 3)
            hint: Head 0 gets every num_heads-th number of a block. It should get the first head_dim numbers: in
                `view`, the heads come before head_dim.
        split-without-transpose: b, num_tokens, 3, num_heads, width → b, 3, num_heads, num_tokens, width
            permute(2, 0, 3, 1, 4) → permute(1, 0, 2, 3, 4)
            hint: The split cuts across the tokens: a head's rows are pieces of several tokens. In `view`, the
                tokens come before the three blocks.
        projections-swapped: permute(2, 0, 3, 1, 4) → permute(2, 0, 3, 1, 4)[[1, 0, 2]]
            hint: Queries and keys have changed places. The order should be query, key, value.
        """),
    right=rights("""
        chunk: = torch.stack([split_heads(one, num_heads) for one in projected.chunk(3, dim=-1)])
        tuple: = tuple(split_heads(one, num_heads) for one in projected.chunk(3, dim=-1))
        unflatten: = projected.unflatten(-1, (3, num_heads, -1)).permute(2, 0, 3, 1, 4)
        """),
)

# --------------------------------------------------------------------------------------------- online softmax

# Far enough apart that each sum is 1: near 1000, the logarithm of another sum is not exact in float32.
NEAR_1000 = torch.tensor([960.0, 1000.0, 920.0, 980.0, 1025.0, 905.0, 1045.0])

RUNNING = Task(
    id="running-softmax",
    title="Largest and sum, score by score",
    name="running_softmax",
    kind="function",
    signature="running_softmax(scores)",
    axes=("keys", "m and l"),
    input_axes={"scores": ("keys",)},
    probes=(
        Probe("three", "the scores 1, 3 and 2", {"scores": torch.tensor([1.0, 3.0, 2.0])}),
        Probe("many", "eleven random scores", {"scores": drawn(11, seed=5, scale=3.0)}),
        Probe("large", "scores near 1000", {"scores": NEAR_1000}),
        Probe("one", "a single score of −5", {"scores": torch.tensor([-5.0])}),
        Probe("low", "scores near −20,000", {"scores": 40 * NEAR_1000 - 60_000}),
    ),
    checks=(
        Check("the example, and random scores", 1, ("three", "many")),
        Check("large scores, low ones, a single one", 1, ("large", "low", "one")),
    ),
    learned="A sum of exponentials can be moved to another maximum by one product. So a row can be read in pieces.",
    demands={
        "It returns one row for each score": "last-state-only",
        "m and l after that score": "whole-maximum-first",
        "Scores near 1000 and near −20,000 must work": "exp-overflows",
    },
    hints=(
        "In each round: what is the new maximum, and by which factor is the old sum too large?",
        "`total = total * torch.exp(largest - new_largest) + torch.exp(score - new_largest)`",
        "Collect `torch.stack((largest, total))` after each score, and stack the list at the end.",
    ),
    wrong=wrongs("""
        old-sum-not-rescaled: total * torch.exp(largest - new_largest) → total
        rescaled-upside-down: largest - new_largest → new_largest - largest
        exp-overflows: total * torch.exp(largest - new_largest) → total
            torch.exp(score - new_largest) → torch.exp(score)
            hint: This sum is taken without the maximum: e^1000 is inf. Subtract the maximum so far.
        last-state-only: torch.stack(states) → states[-1]
        largest-begins-at-0: -torch.inf → 0.0
        largest-begins-at-0: -torch.inf → -1e4
            hint: The largest score so far begins at a number that can be larger than every score. Begin at −∞.
        maximum-not-kept: torch.maximum(largest, score) → score
        columns-swapped: (largest, total))) → (total, largest)))
            hint: The columns have changed places: first the maximum, then the sum.
        whole-maximum-first: new_largest = torch.maximum(largest, score) → new_largest = scores.max()
        """),
    right=rights("""
        prefixes: body
            seen = [scores[: n + 1] for n in range(len(scores))]
            return torch.stack([torch.stack((s.max(), (s - s.max()).exp().sum())) for s in seen])
        maximum-of-python: torch.maximum(largest, score) → max(largest, score)
        only-a-new-maximum-rescales: body
            largest, total, states = scores.new_tensor(-torch.inf), scores.new_tensor(0.0), []
            for score in scores:
                if score > largest:
                    largest, total = score, total * torch.exp(largest - score) + 1
                else:
                    total = total + torch.exp(score - largest)
                states.append(torch.stack((largest, total)))
            return torch.stack(states)
        """),
    forbids=Forbid(
        ("running_sums",),
        points=1,
        caught=rights("""
            logcumsumexp: body
                s = scores.double()
                m = s.cummax(0).values
                return torch.stack((m, (s.logcumsumexp(0) - m).exp()), dim=1)
            """),
    ),
)


def one_query(id, says, keys, head_dim, d_v, seed, scale=1.0):
    shapes = {"query": (head_dim,), "keys": (keys, head_dim), "values": (keys, d_v)}
    return Probe(
        id, says, {name: drawn(*shapes[name], seed=seed + len(name), scale=scale) for name in shapes}
    )


NOT_RESCALED = Task(
    id="bug-not-rescaled",
    title="Find the bug: the first keys count too much",
    name="attend_one_query",
    kind="function",
    signature="attend_one_query(query, keys, values)",
    axes=("d_v",),
    input_axes={"query": ("head_dim",), "keys": ("keys", "head_dim"), "values": ("keys", "d_v")},
    probes=(
        one_query("five-keys", "five keys", 5, 4, 3, 10),
        one_query("many-keys", "nineteen keys and large scores", 19, 6, 2, 20, scale=9.0),
    ),
    checks=(Check("the context of one query", 1, ("five-keys", "many-keys")),),
    learned="Whatever was added up under the old maximum has to move to the new one: the sum, and the output too.",
    demands={"wrong as soon as a later one has": "left-as-given"},
    hints=(
        "Compare the two lines that add: what is done to `total` before, and what to `output`?",
        "`output = output * rescale + weight * value`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
        old-sum-not-rescaled: total * rescale → total
        old-sum-not-rescaled: total * rescale → total
            output * rescale → output
        rescaled-upside-down: largest - new_largest → new_largest - largest
        rescaled-twice: + weight * value → + rescale * weight * value
        output-not-rescaled: output * rescale → output * weight
            hint: The output so far is multiplied by the weight of the new key. It should be multiplied by `rescale`, as `total` is.
        rescaled-upside-down: output * rescale → (output / rescale if rescale > 0 else output)
            hint: The output is divided by the factor. It should be multiplied by it, as `total` is.
        not-normalised: output / total → output
            hint: The weights are never divided by their sum. Divide the output by `total` at the end.
        no-scale: / key.shape[-1] ** 0.5 →
        exp-overflows: torch.exp(largest - new_largest) → 1.0
            torch.exp(score - new_largest) → torch.exp(score)
            hint: Without the maximum, e^score is inf for large scores. Keep the maximum, and rescale.
        """),
    right=rights("""
        all-at-once: = torch.softmax(keys @ query / query.shape[0] ** 0.5, dim=0) @ values
        normalised-in-the-loop: output * rescale + → output * (total - weight) / total + weight / total * value #
            output / total → output
        added-in-place: output = output * rescale + weight * value → output.mul_(rescale).add_(weight * value)
        """),
)

# exp overflows above 88, and is 0 below −104: no single maximum serves all of these queries.
APART = torch.tensor([95.0, -110.0, 0.0, 60.0])[:, None]
# The same in float64. Scores of one query are 40 apart or more, because the logarithm of a sum is rounded here.
VERY_FAR = 10 * APART + 40 * torch.stack(
    [torch.randperm(15, generator=torch.Generator().manual_seed(44 + row)) for row in range(4)]
)
VERY_FAR_APART = {
    "scores_blocks": torch.stack(VERY_FAR.split(5, dim=1)),
    "values_blocks": drawn(3, 5, 2, seed=45),
}


def blocks(id, says, count, queries, keys, d_v, seed, hide=(), shift=0.0, **more):
    """Blocks of scores, some of them (block, queries) hidden, and of values."""
    scores = shift + drawn(count, queries, keys, seed=seed, scale=3.0)
    for piece in hide:
        scores[piece] = -torch.inf
    values = drawn(count, keys, d_v, seed=seed + 1)
    return Probe(id, says, {"scores_blocks": scores, "values_blocks": values}, **more)


JOINED = {"scores_blocks": drawn(5, 8, seed=28, scale=3.0), "values_blocks": drawn(8, 2, seed=29)}
CUT = {"scores_blocks": (1, [3, 1, 4]), "values_blocks": (0, [3, 1, 4])}
FIRST_HIDDEN = "blocks of which the first is hidden from two queries"
FAR_APART = "scores near 95 for one query and near −110 for another"
ARRIVING = {"arriving": ["scores_blocks", "values_blocks"]}
# A block has 35 scores and ten values; all 24 together 1080 numbers.
SMALL = {"observe": "costs", "settings": {**ARRIVING, "numbers": 100, "alive": 400}}

ONLINE = Task(
    id="online-softmax",
    title="Online softmax, block by block",
    name="online_softmax",
    kind="function",
    signature="online_softmax(scores_blocks, values_blocks)",
    axes=("queries", "d_v"),
    input_axes={
        "scores_blocks": ("blocks", "queries", "keys in a block"),
        "values_blocks": ("blocks", "keys in a block", "d_v"),
    },
    probes=(
        blocks("three-blocks", "three blocks of four keys", 3, 5, 4, 2, 30),
        blocks("single-keys", "six blocks of one key", 6, 3, 1, 2, 32),
        blocks("first-hidden", FIRST_HIDDEN, 4, 5, 3, 2, 34, hide=((0, slice(2)), (2, 4))),
        blocks("large", FAR_APART, 3, 4, 5, 2, 36, shift=APART),
        blocks(
            "low",
            "scores near −110 after a block that is hidden",
            3,
            4,
            5,
            2,
            40,
            shift=APART,
            hide=((0, 1),),
        ),
        Probe("very-far", "scores near 950 for one query and near −1100 for another", VERY_FAR_APART),
        Probe("listed", "a list of blocks of three, one and four keys", JOINED, settings={"lists": CUT}),
        blocks("stream", "four blocks that come one by one", 4, 5, 3, 2, 42, settings=ARRIVING),
        blocks("costs", "24 blocks of five keys that come one by one", 24, 7, 5, 2, 38, **SMALL),
    ),
    checks=(
        Check("several blocks, in a list too", 1, ("three-blocks", "single-keys", "listed")),
        Check(
            "a block that is hidden, scores that overflow", 1, ("first-hidden", "large", "low", "very-far")
        ),
        Check("each block once, no tensor larger than a block", 2, ("costs", "stream", "three-blocks")),
    ),
    learned="Three running numbers replace a row: its maximum, its sum and its output. Only −∞ − (−∞) needs a guard.",
    demands={
        "over all blocks, times the values": "blocks-averaged",
        "No tensor may be larger than a block": "whole-matrix-made",
        "Some blocks, even the first one, can be hidden from some queries": "hidden-block-makes-nan",
        "Wherever m is −∞, subtract 0 instead": "nan-replaced",
        "or a list or generator of blocks": "list-refused",
        "You get each block only once": "blocks-read-twice",
        "Scores near 900 and −900 must work": "exp-overflows",
    },
    hints=(
        "It is task 4 with blocks: `scores.amax(dim=-1, keepdim=True)` is the new score, `weights @ values` the product.",
        "Where the new maximum is −∞, subtract 0: `shift = new_largest.masked_fill(new_largest == -torch.inf, 0.0)`.",
        "`rescale = torch.exp(largest - shift)` and `weights = torch.exp(scores - shift)`; then the sums as in task 4.",
    ),
    wrong=wrongs("""
        old-sum-not-rescaled: total * rescale → total
        output-not-rescaled: output * rescale → output
        hidden-block-makes-nan: .masked_fill(new_largest == -torch.inf, 0.0) →
        nan-replaced: .masked_fill(new_largest == -torch.inf, 0.0) →
            output / total → (output / total).nan_to_num()
            hint: Where the first block is hidden from a query, its sums are nan from then on, and `nan_to_num`
                makes 0 of them. Prevent the nan: subtract 0 where the maximum is −∞.
        exp-overflows: new_largest.masked_fill(new_largest == -torch.inf, 0.0) → torch.zeros_like(new_largest)
            torch.exp(largest - shift) → 1.0
            hint: `exp` of a number as large as 900 is inf. Subtract the running maximum before each `exp`,
                and rescale.
        exp-overflows: new_largest.masked_fill(new_largest == -torch.inf, 0.0) → torch.zeros_like(new_largest)
            torch.exp(largest - shift) → 1.0
            weights = torch.exp(scores - shift) → weights, values = torch.exp(scores.double()), values.double()
            hint: `exp` of a number as large as 900 is inf, in float64 too. Subtract the running maximum
                before each `exp`, and rescale.
        blocks-read-twice: body
            largest = torch.stack([s.amax(dim=-1, keepdim=True) for s in scores_blocks]).amax(dim=0)
            weights = [torch.exp(s - largest) for s in scores_blocks]
            return sum(w @ v for w, v in zip(weights, values_blocks)) / sum(w.sum(dim=-1, keepdim=True) for w in weights)
        blocks-kept: body
            scores, values = [s.clone() for s in scores_blocks], [v.clone() for v in values_blocks]
            largest = torch.stack([s.amax(dim=-1, keepdim=True) for s in scores]).amax(dim=0)
            weights = [torch.exp(s - largest) for s in scores]
            return sum(w @ v for w, v in zip(weights, values)) / sum(w.sum(dim=-1, keepdim=True) for w in weights)
        outside-torch: body
            import numpy as np
            s = np.concatenate([one.numpy().copy() for one in scores_blocks], axis=-1)
            v = np.concatenate([one.numpy().copy() for one in values_blocks])
            w = np.exp(s - s.max(axis=-1, keepdims=True))
            return torch.from_numpy(w / w.sum(axis=-1, keepdims=True) @ v)
        blocks-averaged: body
            shares = [torch.softmax(s, -1).nan_to_num() @ v for s, v in zip(scores_blocks, values_blocks)]
            return sum(shares) / len(shares)
        whole-matrix-made: body
            return torch.softmax(torch.cat(list(scores_blocks), -1), -1) @ torch.cat(list(values_blocks))
        maximum-not-kept: .clamp(min=largest) →
        first-maximum-only: .clamp(min=largest) → if isinstance(largest, float) else largest
        list-refused: zip(scores_blocks, values_blocks) → zip(scores_blocks.unbind(), values_blocks.unbind())
        rescaled-upside-down: torch.exp(largest - shift) → torch.exp(shift - largest)
        not-normalised: output / total → output
            hint: The weights are never divided by their sum. Divide the output by `total` at the end.
        overwritten-in-loop: output * rescale + →
            total * rescale + →
            hint: Each block replaces the sums of those before. Add to the sums so far, after you have rescaled
                them.
        one-maximum-for-all: scores.amax(dim=-1, keepdim=True).clamp(min=largest) → scores.max().clamp(min=largest)
        one-maximum-for-all: largest, total, output = -torch.inf → largest, total, output = 0.0
        zero-kept-as-largest: largest = new_largest → largest = shift
        """),
    right=rights("""
        logsumexp: body
            lse, out = torch.tensor(-torch.inf), 0.0
            for s, v in zip(scores_blocks, values_blocks):
                new = torch.logaddexp(lse, s.logsumexp(-1, keepdim=True))
                safe = new.masked_fill(new.isneginf(), 0.0)
                out = out * (lse - safe).exp() + (s - safe).exp() @ v
                lse = new
            return out
        large-negative-start: output = -torch.inf, → output = -1e30,
            .masked_fill(new_largest == -torch.inf, 0.0) →
        nan-to-num-of-the-shift: masked_fill(new_largest == -torch.inf, 0.0) → nan_to_num(neginf=0.0)
        """),
)

# --------------------------------------------------------------------------------------------------- in tiles

# One sentence and one head of 67 tokens: a tile of 16 has 256 scores, a strip of tiles 1072, the matrix 4489. What
# is made for all tokens has 268 numbers. With a head_dim of 1 that is 67, where a tile of 8 has 64 scores.
LONG, STRIP, ALIVE = (1, 1, 67, 4), 1000, 3000
NARROW, FEW = (1, 1, 67, 1), 150
ENDS = [(start, min(start + 16, 67)) for start in range(0, 67, 16)]
VISITED = 2 * 4 * sum((end - start) * (b - a) for start, end in ENDS for a, b in ENDS if a <= start)
# What is alive at once is a few tensors of a tile, and the result; all tiles together are 4489 scores and more.
COSTS = {"observe": "costs", "settings": {"numbers": STRIP, "alive": ALIVE}}
# Whoever carries the sum along as one more column of the values multiplies an eighth more.
COSTS_CAUSAL = {
    "observe": "costs",
    "settings": {"numbers": STRIP, "products": VISITED * 9 // 8, "alive": ALIVE},
}
# Causal tiles of 12 are 21, with three products each at most. Strips of whole rows have more numbers, or take more
# products: two rows are 134 numbers, and 68 products.
IN_SMALL_TILES = {"observe": "costs", "settings": {"numbers": FEW, "calls": 65}}
# Tiles of 32 are nine, with two products each, and some more; tiles of 16 would be 25.
IN_LARGE_TILES = {"observe": "costs", "settings": {"numbers": 5000, "calls": 40}}

# Whole numbers, so that scores of some hundred are exact; the two largest of a row are 37 apart or more.
QUERIES, KEYS = torch.randint(
    -16, 17, (2, 1, 3, 5, 4), generator=torch.Generator().manual_seed(23803)
).float()
LARGE = {"q": QUERIES, "k": KEYS, "v": drawn(1, 3, 5, 4, seed=49)}


def tiled(id, says, shape, seed, tile, causal, **more):
    return attended(id, says, shape, seed, {"tile": tile, "causal": causal}, **more)


TILED = Task(
    id="tiled-attention",
    title="Tiled attention",
    name="tiled_attention",
    kind="function",
    signature="tiled_attention(q, k, v, tile, causal)",
    axes=HEADS_AXES,
    input_axes=QKV_AXES,
    probes=(
        tiled("even", "eight tokens in tiles of four", (2, 3, 8, 5), 40, 4, False),
        tiled("uneven", "seven tokens in tiles of three", (2, 4, 7, 5), 41, 3, False),
        tiled("causal", "seven tokens in tiles of three, causal", (2, 4, 7, 5), 42, 3, True),
        tiled("tile-of-one", "six tokens in tiles of one, causal", (3, 2, 6, 4), 43, 1, True),
        tiled("long-tile", "five tokens in a tile of eight, causal", (2, 3, 5, 4), 44, 8, True),
        tiled("one-token", "a single token", (2, 3, 1, 4), 45, 4, True),
        tiled("no-token", "no token at all", (2, 3, 0, 4), 46, 4, True),
        Probe("large", "scores of some hundred, in tiles of two", {**LARGE, "tile": 2, "causal": False}),
        tiled("costs", "67 tokens in tiles of 16", LONG, 47, 16, False, **COSTS),
        tiled("small-tiles", "67 tokens in tiles of 12, causal", NARROW, 48, 12, True, **IN_SMALL_TILES),
        tiled("large-tiles", "67 tokens in tiles of 32", NARROW, 48, 32, False, **IN_LARGE_TILES),
        tiled("costs-causal", "67 tokens in tiles of 16, causal", LONG, 47, 16, True, **COSTS_CAUSAL),
    ),
    checks=(
        Check("equal to plain attention", 1, ("even", "uneven", "large")),
        Check("with a causal mask", 1, ("causal", "tile-of-one")),
        Check("a long tile, one token, none", 1, ("long-tile", "one-token", "no-token")),
        Check("no tensor near (tokens, tokens)", 2, ("costs", "small-tiles", "large-tiles", "even")),
        Check("tiles of the future are skipped", 1, ("costs-causal", "causal")),
    ),
    learned="The matrix was never needed: a tile, and m, l and o of its queries, give the same numbers. What lies "
    "wholly in the future is not even multiplied.",
    demands={
        "tile is the number of queries, and of keys, in a tile": "tile-ignored",
        "no tensor may be much larger than `q` or than a tile of scores": "whole-matrix-made",
        "tiles that are completely in the future must not be multiplied": "future-tiles-made",
        "need not be a multiple of the tile": "last-tile-forgotten",
        "shorter than the tile, 1 or 0": "no-token-refused",
        "Stay in torch": "outside-torch",
        "Scores of several hundred must work": "exp-overflows",
        "`F.scaled_dot_product_attention` would do all of this": "fused",
    },
    hints=(
        "The outer loop takes queries from `start` to `start + tile`, the inner one keys from `first` to `first + "
        "tile`. A slice that runs past the end is simply shorter.",
        "Inside is task 5. For the mask compare the *places in the text* of keys and queries, not those in the tile.",
        "The last tile that a block of queries can see is its own: `range(0, start + 1, tile)`.",
    ),
    wrong=wrongs("""
        whole-matrix-made: body
            return plain_attention(q, k, v, causal)
        outside-torch: body
            import numpy as np
            a, b, c = (one.detach().numpy() for one in (q, k, v))
            s = a @ b.swapaxes(-1, -2) / a.shape[-1] ** 0.5
            if causal:
                s = np.where(np.tri(s.shape[-1], dtype=bool), s, -np.inf)
            w = np.exp(s - s.max(axis=-1, keepdims=True, initial=-1e30))
            return torch.from_numpy(w / w.sum(axis=-1, keepdims=True) @ c).to(q.dtype)
        strips-of-rows: body
            parts, step = [v[:, :, :0]], max(tile // 2, 1)
            for start in range(0, q.shape[2], step):
                end = min(start + step, q.shape[2])
                seen = end if causal else q.shape[2]
                scores = q[:, :, start:end] @ k[:, :, :seen].mT / q.shape[-1] ** 0.5
                if causal:
                    scores = scores.masked_fill(torch.arange(seen) > torch.arange(start, end)[:, None], -torch.inf)
                parts.append(torch.softmax(scores, dim=-1) @ v[:, :, :seen])
            return torch.cat(parts, dim=2)
        whole-matrix-made: start + 1 if causal else num_tokens, tile → num_tokens, num_tokens
            slice(first, first + tile) → slice(0, num_tokens)
            hint: A whole row of tiles is made at once: (tile, tokens) grows with the text. Cut the keys as well.
        whole-matrix-made: places[columns] > places[rows, None] → (places > places[:, None])[rows, columns]
            hint: The mask of all tokens is made: (tokens, tokens) truth values. Compare the places of one tile.
        whole-matrix-made:
            hint: One head after the other, the whole matrix of scores is made. Cut queries and keys into tiles.
            body
                one_head = lambda q, k, v: plain_attention(q[None, None], k[None, None], v[None, None], causal)[0, 0]
                pairs = [(b, h) for b in range(q.shape[0]) for h in range(q.shape[1])]
                return torch.stack([one_head(q[at], k[at], v[at]) for at in pairs]).view(q.shape)
        tile-ignored: above num_tokens = q.shape[2] → tile = 16
        tile-ignored: above num_tokens = q.shape[2] → tile = 4
        no-token-refused: context = torch.empty_like(v) → context = []
            context[:, :, rows] = output / total → context.append(output / total)
            return context → return torch.cat(context, dim=2)
        exp-overflows: torch.exp(largest - new_largest) → 1.0
            torch.exp(scores - new_largest) → torch.exp(scores)
            hint: Without the maximum, e^score is inf for large scores. Keep the maximum, and rescale.
        one-maximum-for-all: scores.amax(dim=-1, keepdim=True).clamp(min=largest) → scores.max().clamp(min=largest)
        first-maximum-only: .clamp(min=largest) → if isinstance(largest, float) else largest
        future-tiles-made: start + 1 if causal else num_tokens → num_tokens
        old-sum-not-rescaled: total * rescale → total
        output-not-rescaled: output * rescale → output
        last-tile-forgotten: range(0, num_tokens, tile) → range(0, num_tokens // tile * tile, tile)
            empty_like → zeros_like
        mask-local-to-tile: places[columns] > places[rows, None] → scores[0, 0].isfinite().triu(1)
        diagonal-tile-skipped: start + 1 if causal → start if causal
        no-mask: scores = scores.masked_fill → scores.masked_fill
            hint: Within a tile nothing is hidden, so a token sees later ones. Is the mask used on that tile? `masked_fill` gives a new tensor, and its result has to be kept.
        condition-ignored: if causal: → if True:
            start + 1 if causal else num_tokens → start + 1
            hint: The future is hidden even where `causal` is False.
        diagonal-hidden: places[columns] > places → places[columns] >= places
            hint: A token is hidden from itself. The first token then sees nothing, and its row is nan. Hide
                only the keys that come later: `>`.
        no-scale: / q.shape[-1] ** 0.5 →
        scaled-by-tokens: q.shape[-1] ** 0.5 → q.shape[2] ** 0.5
        not-normalised: output / total → output
            hint: The weights are never divided by their sum. Divide the output by `total` at the end.
        blocks-averaged: torch.exp(largest - new_largest) → 1.0
            torch.exp(scores - new_largest) → torch.softmax(scores, dim=-1)
        keys-as-values: weights @ v[: → weights @ k[:
            hint: The weights are multiplied by the keys, `k`. They belong to the values, `v`.
        reads-the-notebook: weights @ v[: → weights @ globals()['v'][:
        """),
    right=rights("""
        largest-finite-fill: (future, -torch.inf) → (future, torch.finfo(q.dtype).min)
        softmax-and-logsumexp: weights = torch.exp(scores - new_largest) → own = scores.logsumexp(-1, keepdim=True)
            new_largest = scores.amax(dim=-1, keepdim=True).clamp(min=largest) → new_largest = torch.logaddexp(torch.as_tensor(largest, dtype=q.dtype), scores.logsumexp(-1, keepdim=True))
            total = total * rescale + weights.sum(dim=-1, keepdim=True) → total = 1.0
            weights @ v → scores.softmax(-1) * (own - new_largest).exp() @ v
        joined-at-the-end: context = torch.empty_like(v) → parts = [v[:, :, :0]]
            context[:, :, rows] = output / total → parts.append(output / total)
            return context → return torch.cat(parts, dim=2)
        scaled-before: q[:, :, rows] @ → (q[:, :, rows] * q.shape[-1] ** -0.5) @
            / q.shape[-1] ** 0.5 →
        """),
    forbids=Forbid(
        ("scaled_dot_product_attention",),
        points=4,
        caught=rights("fused: body\n    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)"),
    ),
)

# ------------------------------------------------------------------------------------------------ the way back


def arriving(id, says, shape, seed, causal):
    more = {"out_gradient": drawn(*shape, seed=seed + 100), "causal": causal}
    return attended(id, says, shape, seed, more, settings={"stacked": True})


LARGE_BACK = {**LARGE, "out_gradient": drawn(1, 3, 5, 4, seed=53), "causal": False}

BACKWARD = Task(
    id="attention-backward",
    title="The gradients of attention",
    name="attention_backward",
    kind="function",
    signature="attention_backward(q, k, v, out_gradient, causal)",
    axes=("gradient of q, k or v", *HEADS_AXES),
    input_axes={**QKV_AXES, "out_gradient": HEADS_AXES},
    probes=(
        arriving("full", "two sentences of five tokens", (2, 3, 5, 4), 50, False),
        arriving("causal", "two sentences of six tokens, causal", (2, 4, 6, 3), 51, True),
        arriving("one-token", "sentences of a single token", (3, 2, 1, 4), 52, True),
        Probe("large", "scores of some hundred", LARGE_BACK, settings={"stacked": True}),
    ),
    checks=(
        Check("without a mask", 2, ("full", "large")),
        Check("with a causal mask", 1, ("causal", "one-token")),
    ),
    learned="The way back through a softmax needs one number for each row, and that number is a sum over head_dim.",
    demands={
        "the gradients of q, k and v": "gradients-in-another-order",
        "Scores of several hundred must work": "exp-overflows",
        "D is one number for each row": "row-sums-left-out",
    },
    hints=(
        "Make `weights` as in `plain_attention`. Then go through the formulas from left to right.",
        "`row_sums = (out_gradient * (weights @ v)).sum(dim=-1, keepdim=True)` is D.",
        "`scores_gradient = weights * (out_gradient @ v.transpose(2, 3) - row_sums)`. The scale belongs to both "
        "`q_gradient` and `k_gradient`.",
    ),
    wrong=wrongs("""
        row-sums-left-out: (weights_gradient - row_sums) → weights_gradient
        row-sums-added: weights_gradient - row_sums → weights_gradient + row_sums
        gradient-not-scaled: scores_gradient @ k * scale → scores_gradient @ k
            @ q * scale → @ q
        gradient-not-scaled: scores_gradient @ k * scale → scores_gradient @ k
        gradient-not-scaled: @ q * scale → @ q
        weights-on-the-right: weights.transpose(2, 3) @ out → weights @ out
            hint: P is not transposed in dV. It should be: a value gets its share from every query that looked at it.
        scores-turned: scores_gradient.transpose(2, 3) @ q → scores_gradient @ q
            hint: dS is not transposed in dK. A key gets its share from every query: dSᵀ Q.
        no-mask: scores = scores.masked_fill → scores.masked_fill
        no-scale: k.transpose(2, 3) * scale → k.transpose(2, 3)
            hint: The weights here must be those of the forward pass: its scores are divided by √head_dim.
        gradients-in-another-order: return q_gradient, k_gradient, v → return k_gradient, q_gradient, v
        exp-overflows: torch.softmax(scores, dim=-1) → torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)
        one-maximum-for-all: torch.softmax(scores, dim=-1) → torch.exp(scores - scores.max()) / torch.exp(scores - scores.max()).sum(dim=-1, keepdim=True)
            hint: All queries share one maximum. A query whose scores are far below it is left without weights. Keep one maximum for each.
        weights-left-out: weights * (weights_gradient → (weights_gradient
        wrong-row-sums: (weights @ v)).sum → (weights @ v)).mean
        row-sums-from-values: (out_gradient * (weights @ v)).sum → (out_gradient * v).sum
        """),
    right=rights("""
        by-definition: (out_gradient * (weights @ v)).sum → (weights * (out_gradient @ v.transpose(2, 3))).sum
        einsum: weights.transpose(2, 3) @ out_gradient → torch.einsum("bhqk,bhqd->bhkd", weights, out_gradient)
        stacked: return q_gradient, k_gradient, v_gradient → return torch.stack((q_gradient, k_gradient, v_gradient))
        """),
    forbids=Forbid(
        ("autograd",),
        points=3,
        caught=rights("""
            by-autograd: body
                with torch.enable_grad():
                    leaves = [one.detach().clone().requires_grad_() for one in (q, k, v)]
                    return torch.autograd.grad(plain_attention(*leaves, causal), leaves, out_gradient)
            by-backward: body
                with torch.enable_grad():
                    leaves = [one.detach().clone().requires_grad_() for one in (q, k, v)]
                    (plain_attention(*leaves, causal) * out_gradient).sum().backward()
                return tuple(one.grad for one in leaves)
            """),
    ),
)

APPLY, ALL = {"method": "apply"}, {"method": "apply", "input": ["q", "k", "v"]}
GRADIENTS = {"observe": "gradients", "settings": ALL}
BOTH_WAYS = {
    "observe": "costs",
    "settings": {**ALL, "numbers": STRIP, "products": 5 * VISITED, "alive": ALIVE + 2000},
}
# There and back are two products, one for logsumexp, and five for the gradients; nine tiles make 72.
FEW_CALLS = {"observe": "costs", "settings": {**ALL, "numbers": 5000, "calls": 120}}

FUNCTION = Task(
    id="tiled-function",
    title="The backward pass in tiles",
    name="TiledAttention",
    kind="class",
    signature="TiledAttention.apply(q, k, v, tile, causal)",
    axes=HEADS_AXES,
    input_axes=QKV_AXES,
    needs=("tiled-attention",),
    probes=(
        tiled("forward", "seven tokens in tiles of three, causal", (2, 4, 7, 5), 60, 3, True, settings=APPLY),
        tiled("gradients", "seven tokens in tiles of three", (2, 4, 7, 5), 61, 3, False, **GRADIENTS),
        tiled("causal", "seven tokens in tiles of three, causal", (2, 4, 7, 5), 60, 3, True, **GRADIENTS),
        tiled("long-tile", "five tokens in a tile of eight", (2, 3, 5, 4), 62, 8, True, **GRADIENTS),
        tiled("one-token", "a single token", (2, 3, 1, 4), 63, 8, True, settings=APPLY),
        tiled("no-token", "no token at all", (2, 3, 0, 4), 65, 8, True, settings=APPLY),
        tiled("costs", "67 tokens in tiles of 16, causal", LONG, 64, 16, True, **BOTH_WAYS),
        tiled("large-tiles", "67 tokens in tiles of 32", NARROW, 66, 32, False, **FEW_CALLS),
    ),
    checks=(
        Check("forward", 1, ("forward", "one-token", "no-token")),
        Check("the gradients", 3, ("gradients", "causal", "long-tile", "forward")),
        Check("there and back, no tensor near (tokens, tokens)", 2, ("costs", "large-tiles", "forward")),
    ),
    learned="Recomputing is cheaper than remembering: from one saved number for each row, every tile comes back.",
    demands={
        "add its share to the three gradients": "share-overwrites",
        "for each visited tile": "future-tiles-made",
        "the saved `logsumexp`": "blocks-averaged",
        "Again, the check looks at every tensor that you make": "whole-matrix-made",
        "None for those that have none": "gradients-too-few",
        "`F.scaled_dot_product_attention` or `torch.autograd.grad` costs five of the six points": "fused",
        "how much memory is in use at once": "all-tiles-kept",
    },
    hints=(
        "Take what was saved with `ctx.saved_tensors`, and make three tensors of zeros for the gradients.",
        "In the loop, `weights = torch.exp(tile_scores(…) - logsumexp[:, :, rows])`. Then the formulas of task 7, "
        "each with the rows and columns of this tile.",
        "Several tiles add to the same rows and columns: `+=`. Return `None` for `tile` and `causal`.",
    ),
    wrong=wrongs("""
        row-sums-left-out: - row_sums[:, :, rows]) → )
        gradient-not-scaled: * scale →2
        gradient-not-scaled: k[:, :, columns] * scale → k[:, :, columns]
        gradient-not-scaled: q[:, :, rows] * scale → q[:, :, rows]
        share-overwrites: += →3 =
        share-overwrites: q_gradient[:, :, rows] += → q_gradient[:, :, rows] =
        share-overwrites: k_gradient[:, :, columns] += → k_gradient[:, :, columns] =
        share-overwrites: v_gradient[:, :, columns] += → v_gradient[:, :, columns] =
        share-overwrites: k_gradient[:, :, columns] += → k_gradient[:, :, columns] =
            v_gradient[:, :, columns] += → v_gradient[:, :, columns] =
        row-sums-of-one-tile: - row_sums[:, :, rows] → - (weights * weights_gradient).sum(dim=-1, keepdim=True)
        blocks-averaged: torch.exp(tile_scores(q, k, rows, columns, ctx.causal) - logsumexp[:, :, rows]) → torch.softmax(tile_scores(q, k, rows, columns, ctx.causal), dim=-1)
            hint: A softmax over one tile makes its rows add up to 1. Use `exp(scores - logsumexp)`: the sum of the
                whole row.
        whole-matrix-made: body backward
            q, k, v, *_ = ctx.saved_tensors
            return *attention_backward(q, k, v, out_gradient, ctx.causal), None, None
        future-tiles-made: ctx.tile, ctx.causal): → ctx.tile, False):
            hint: Tiles that lie wholly in the future were multiplied, to be thrown
                away. `visited_tiles` leaves them out where it is told `ctx.causal`.
        all-tiles-kept: row_sums = (out → kept = []; row_sums = (out
            scores_gradient = weights → kept += [weights, weights_gradient]; scores_gradient = weights
        all-tiles-kept: body backward
            q, k, v, context, logsumexp = ctx.saved_tensors
            with torch.enable_grad():
                leaves = [one.detach().clone().requires_grad_() for one in (q, k, v)]
                context = tiled_attention(*leaves, ctx.tile, ctx.causal)
            return *torch.autograd.grad(context, leaves, out_gradient), None, None
        outside-torch: body backward
            q, k, v, context, logsumexp = (one.detach().numpy() for one in ctx.saved_tensors)
            g, scale = out_gradient.numpy(), q.shape[-1] ** -0.5
            p = scale * (q @ k.swapaxes(-1, -2))
            p = torch.from_numpy(p - logsumexp).exp().numpy()
            p = torch.from_numpy(p).tril().numpy() if ctx.causal else p
            d = p * (g @ v.swapaxes(-1, -2) - (g * context).sum(axis=-1, keepdims=True))
            three = d @ k * scale, d.swapaxes(-1, -2) @ q * scale, p.swapaxes(-1, -2) @ g
            return *(torch.from_numpy(one) for one in three), None, None
        gradients-too-few: v_gradient, None, None → v_gradient
        gradients-in-another-order: return q_gradient, k_gradient → return k_gradient, q_gradient
        condition-ignored: columns, ctx.causal) - log → columns, False) - log
            hint: The future is visible whatever `causal` says. Pass `ctx.causal` on.
        arriving-gradient-ignored: arriving = out_gradient → arriving = torch.ones_like(out_gradient)
        """),
    right=rights("""
        by-definition: weights * (weights_gradient - row_sums[:, :, rows]) → weights * weights_gradient - weights * row_sums[:, :, rows]
        columns-outside: in visited_tiles(q.shape[2], ctx.tile, ctx.causal) → in sorted(visited_tiles(q.shape[2], ctx.tile, ctx.causal), key=lambda one: one[1].start)
        einsum: weights.transpose(2, 3) @ arriving → torch.einsum("bhqk,bhqd->bhkd", weights, arriving)
        """),
    forbids=Forbid(
        ("scaled_dot_product_attention", "autograd"),
        points=5,
        caught=rights("""
            tile-by-autograd: body backward
                q, k, v, context, logsumexp = ctx.saved_tensors
                total = [torch.zeros_like(one) for one in (q, k, v)]
                for rows, columns in visited_tiles(q.shape[2], ctx.tile, ctx.causal):
                    with torch.enable_grad():
                        leaves = [one.detach().clone().requires_grad_() for one in (q, k, v)]
                        weights = torch.exp(tile_scores(*leaves[:2], rows, columns, ctx.causal) - logsumexp[:, :, rows])
                        arriving, row_sums = out_gradient[:, :, rows], (out_gradient * context).sum(dim=-1, keepdim=True)
                        part = (weights @ leaves[2][:, :, columns] * arriving).sum() - (weights * row_sums[:, :, rows]).sum()
                    for one, own in zip(total, torch.autograd.grad(part, leaves)):
                        one += own
                return *total, None, None
            fused: body backward
                with torch.enable_grad():
                    leaves = [one.detach().clone().requires_grad_() for one in ctx.saved_tensors[:3]]
                    context = F.scaled_dot_product_attention(*leaves, is_causal=ctx.causal)
                return *torch.autograd.grad(context, leaves, out_gradient), None, None
            """),
    ),
)

# --------------------------------------------------------------------------------------------- traps of SDPA

PADDED = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]).bool()[:, None, None]  # (b, 1, 1, tokens)
GAPS = [[0, 1, 0, 1, 0, 0, 1], [0, 0, 1, 1, 1, 0, 0], [1, 0, 0, 0, 0, 0, 0]]
SOME_HIDDEN = torch.tensor(GAPS).bool()[:, None, None]  # (b, 1, 1, tokens)


def called_as(method, id, says, shape, seed, more=None):
    """One of the five functions, tried on random queries, keys and values."""
    return attended(id, says, shape, seed, more, settings={"method": method})


def last(id, says, queries, shape, seed):
    every = attended(id, says, shape, seed).inputs
    return Probe(id, says, {**every, "q": every["q"][:, :, -queries:]}, settings={"method": "to_cache"})


def calling(method, more=None):
    """Whether one of the five functions calls PyTorch's attention."""
    probe = called_as(method, f"{method}-calls", f"`{method}`", (2, 3, 5, 4), 82, more)
    return replace(probe, observe="calls-attention")


LAST_TOKENS = ("b", "heads", "queries", "head_dim")
ALONE = {**attended("", "", (5, 4, 1, 6), 79).inputs, "v": torch.ones(5, 4, 1, 6), "p": 0.3, "training": True}
DROPS = {
    "observe": "dropout",
    "settings": {"method": "dropped", "p": 0.3, "copies": 6, "input": "v", "measures": 9},
}

TRAPS = Task(
    id="sdpa-traps",
    title="Find the bugs: five calls",
    name="Attend",
    kind="class",
    signature="Attend.padded(q, k, v, hidden), .triangle(q, k, v), .to_cache(q, k, v), .dropped(q, k, v, p, training), "
    ".scaled(q, k, v)",
    axes=LAST_TOKENS,
    input_axes={**QKV_AXES, "q": LAST_TOKENS},
    probes=(
        called_as("padded", "padded", "`padded`, one of two sentences", (2, 3, 5, 4), 70, {"hidden": PADDED}),
        called_as(
            "padded", "gaps", "`padded`, sentences with gaps", (3, 4, 7, 5), 71, {"hidden": SOME_HIDDEN}
        ),
        called_as("triangle", "triangle", "`triangle`, five tokens", (2, 3, 5, 4), 72),
        called_as("triangle", "triangle-seven", "`triangle`, seven tokens", (3, 4, 7, 5), 73),
        last("one-step", "`to_cache`, one new token after four", 1, (2, 3, 5, 4), 74),
        last("three-steps", "`to_cache`, three new tokens after four", 3, (3, 2, 7, 5), 75),
        last("all", "`to_cache`, six tokens, all of them new", 6, (2, 4, 6, 3), 76),
        called_as(
            "dropped", "eval", "`dropped` in eval mode", (2, 3, 5, 4), 77, {"p": 0.4, "training": False}
        ),
        called_as(
            "dropped", "no-dropout", "`dropped` with p = 0", (3, 4, 7, 5), 78, {"p": 0.0, "training": True}
        ),
        Probe("training", "`dropped` in training, sentences of one token", ALONE, **DROPS),
        called_as("scaled", "scaled", "`scaled`, heads of width 4", (2, 3, 5, 4), 80),
        called_as("scaled", "scaled-nine", "`scaled`, heads of width 9", (3, 4, 7, 9), 81),
        calling("padded", {"hidden": PADDED}),
        calling("triangle"),
        calling("to_cache"),
        calling("dropped", {"p": 0.0, "training": True}),
        calling("scaled"),
    ),
    checks=(
        Check("`padded`", 1, ("padded", "gaps", "padded-calls")),
        Check("`triangle`", 1, ("triangle", "triangle-seven", "triangle-calls")),
        Check("`to_cache`", 2, ("one-step", "three-steps", "all", "to_cache-calls")),
        Check("`dropped`", 1, ("eval", "no-dropout", "training", "dropped-calls")),
        Check("`scaled`", 1, ("scaled", "scaled-nine", "scaled-calls")),
    ),
    learned="True is visible, numbers are added, the triangle starts in the top left corner, a function has no mode, and "
    "`scale` multiplies. None of the five raises an error.",
    hints=(
        "`help(F.scaled_dot_product_attention)`: which value of a boolean mask takes part? What happens to a mask of "
        "numbers? Which mask does `is_causal` make when there are fewer queries than keys?",
        "In `padded` turn the mask round. In `triangle` make it boolean. In `dropped` pass 0 outside training. In `scaled` "
        "pass a factor, not a divisor.",
        "In `to_cache` the first of `new` queries is token `total - new`, and sees keys up to itself: "
        "`tril(diagonal=total - new)`, as booleans.",
    ),
    demands={
        "leaves out hidden keys": "mask-polarity",
        "Causal attention with a mask of its own": "mask-added",
        "to all tokens so far": "newest-keys-only",
        "any number of queries up to the number of keys": "first-rows-of-the-triangle",
        "drops weights with probability p while training": "dropout-in-eval",
        "Attention that names its scale": "scaled-up",
        "In each, keep the call of `F.scaled_dot_product_attention`": "sdpa-not-called",
    },
    wrong=wrongs("""
        left-as-given: faulty
            hint: All five functions are still as they were given. Take one at a time, and run the cell of the symptoms after each.
        mask-polarity: ~hidden → hidden
            hint: `padded`: for `attn_mask`, True means visible. Here the padding is seen, and the words are hidden.
        mask-added: .tril().bool() → .tril()
            hint: `triangle`: a mask of numbers is added to the scores, so ones and zeros hide nothing. Make it boolean.
        first-rows-of-the-triangle: body to_cache
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        first-rows-of-the-triangle: body to_cache
            return F.scaled_dot_product_attention(q, k, v, is_causal=q.shape[2] > 1)
        dropout-in-eval: p if training else 0.0 → p
            hint: `dropped`: `dropout_p` drops on every call, even in evaluation. Pass 0 where `training` is False.
        scaled-up: q.shape[-1] ** -0.5 → q.shape[-1] ** 0.5
            hint: `scaled`: `scale` multiplies the scores. It should be 1/√head_dim, not √head_dim.
        mask-added: ~hidden → (~hidden).to(q.dtype)
            hint: `padded`: a mask of numbers is added to the scores, and zeros and ones hide nothing. Pass booleans.
        zero-times-infinity: ~hidden → hidden * -torch.inf
            hint: `padded`: the mask is multiplied by infinity, and 0 times infinity is nan. Pass booleans.
        no-mask: , attn_mask=~hidden →
            hint: `padded` passes no mask, so nothing is hidden.
        keys-zeroed: k, v, attn_mask=~hidden → k.masked_fill(hidden.transpose(2, 3), 0.0), v
        masked-needlessly: ~hidden → ~hidden & torch.ones(q.shape[2], q.shape[2]).tril().bool()
            hint: `padded` hides later tokens as well. Hide only what `hidden` marks.
        no-mask: , attn_mask=visible →
            hint: `triangle` passes no mask, so every token sees the whole sentence.
        past-hidden: .tril().bool() → .triu().bool()
            hint: `triangle` hides the past, and the future is visible. Use `tril`.
        diagonal-too-far: .tril().bool() → .tril(diagonal=1).bool()
            hint: In `triangle` each token sees one token of the future. `tril` needs no `diagonal=` there.
        diagonal-hidden: .tril().bool() → .tril(diagonal=-1).bool()
            hint: In `triangle` a token is hidden from itself. `tril` needs no `diagonal=` there.
        symptom-hidden: .tril().bool() → .tril() * 2
            hint: `triangle`: the numbers are still added to the scores, only others. Hidden keys keep some weight.
        no-mask: , attn_mask=allowed →
            hint: `to_cache` passes no mask, so a new token sees those that come after it.
        diagonal-too-far: total - new) → total - new + 1)
            hint: In `to_cache` each token sees one token of the future. It should be `tril(diagonal=total -
                new)`.
        past-hidden: .tril(diagonal → .triu(diagonal
            hint: `to_cache` hides the past, and the future is visible. Use `tril`.
        newest-keys-only: body to_cache
            new = q.shape[2]
            return F.scaled_dot_product_attention(q, k[:, :, -new:], v[:, :, -new:], is_causal=True)
        mask-fills-small: attn_mask=allowed → attn_mask=allowed.to(q.dtype)
            hint: `to_cache`: new tokens see other keys than they should. Is a mask of numbers added? Keep it
                boolean.
        no-dropout: p if training else 0.0 → 0.0
            hint: `dropped` drops nothing in training. Pass `dropout_p=p` where `training` is True.
        modes-swapped: p if training else 0.0 → 0.0 if training else p
        p-as-share-kept: p if training → 1 - p if training and p
        dropout-typed-in: p if training → 0.1 if training
        dropout-on-context: body dropped
            return F.dropout(F.scaled_dot_product_attention(q, k, v), p, training)
        no-scale: q.shape[-1] ** -0.5 → 1.0
        scaled-without-root: q.shape[-1] ** -0.5 → 1 / q.shape[-1]
            hint: In `scaled` the scores are divided by head_dim, not by its root. (Without `scale`, SDPA divides on its own.)
        scaled-by-tokens: q.shape[-1] ** -0.5 → q.shape[2] ** -0.5
        scaled-by-heads: q.shape[-1] ** -0.5 → q.shape[1] ** -0.5
        sdpa-not-called: body to_cache
            new, total = q.shape[2], k.shape[2]
            rows = [(q[:, :, n : n + 1], total - new + n + 1) for n in range(new)]
            return torch.cat([plain_attention(row, k[:, :, :end], v[:, :, :end], False) for row, end in rows], dim=2)
        sdpa-not-called: body scaled
            return plain_attention(q, k, v, False)
        sdpa-not-called: body dropped
            return F.dropout(torch.softmax(q @ k.transpose(2, 3) / q.shape[-1] ** 0.5, dim=-1), p, training) @ v
        scale-typed-in: q.shape[-1] ** -0.5 → 0.5
            hint: In `scaled` the scale is the same for every width. Take the width from the argument: `q.shape[-1]`.
        """),
    right=rights("""
        logical-not: ~hidden → torch.logical_not(hidden)
            , scale=q.shape[-1] ** -0.5 →
        minus-infinity: ~hidden → torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)
            tril().bool() → tril().log()
        large-negative: ~hidden → hidden.to(q.dtype) * -1e9
            p if training else 0.0 → p * training
        is-causal: body triangle
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        places: torch.ones(new, total, dtype=torch.bool, device=q.device).tril(diagonal=total - new) → torch.arange(total) <= torch.arange(total - new, total)[:, None]
        rows-of-the-square: torch.ones(new, total, dtype=torch.bool, device=q.device).tril(diagonal=total - new) → torch.ones(total, total).tril().bool()[-new:]
            q.shape[-1] ** -0.5 → 1 / q.shape[-1] ** 0.5
        two-calls: body dropped
            if not training:
                return F.scaled_dot_product_attention(q, k, v)
            return F.scaled_dot_product_attention(q, k, v, dropout_p=p)
        """),
)

# ------------------------------------------------------------------------------------- cache, grouped queries

STORED = ("batch_size", "num_heads", "tokens", "head_dim")
APPEND = {"method": "append", "stacked": True}


def cached(id, says, shape, max_tokens, seed, raises=(), **steps):
    """A cache that gets keys and values of a shape, at once or in pieces."""
    inputs = {"keys": drawn(*shape, seed=seed), "values": drawn(*shape, seed=seed + 1)}
    room = dict(zip(STORED, (*shape[:2], max_tokens, shape[3]), strict=True))
    room = {"max_tokens" if name == "tokens" else name: size for name, size in room.items()}
    how = {"observe": "steps", "settings": {**APPEND, "axis": 2, **steps}} if steps else {"settings": APPEND}
    return Probe(id, says, inputs, construct=room, raises=raises, **how)


ONE_AT_A_TIME = {"sizes": [4, 1, 1, 1], "counts": "num_tokens", "room": "keys"}
TOO_MANY = {"sizes": [3, 4, 2], "refuses": "ValueError"}

CACHE = Task(
    id="kv-cache",
    title="A cache for keys and values",
    name="KVCache",
    kind="class",
    signature="KVCache(batch_size, num_heads, max_tokens, head_dim).append(keys, values)",
    axes=("keys or values", *STORED),
    input_axes={"keys": STORED, "values": STORED},
    probes=(
        cached("prompt", "a prompt of five tokens", (2, 3, 5, 4), 9, 90),
        cached("full-at-once", "a prompt that fills the cache", (3, 4, 6, 5), 6, 92),
        cached("steps", "a prompt of four tokens, then one at a time", (2, 3, 7, 4), 9, 94, **ONE_AT_A_TIME),
        cached("nothing-new", "steps of which one has no token", (3, 2, 5, 4), 9, 96, sizes=[2, 0, 3]),
        cached("too-long", "more tokens than fit", (2, 3, 6, 4), 5, 98, raises=("ValueError",)),
        cached("after-refusal", "steps of which one does not fit", (2, 3, 9, 4), 6, 98, **TOO_MANY),
    ),
    checks=(
        Check("a prompt at once", 1, ("prompt", "full-at-once")),
        Check("step by step", 2, ("steps", "nothing-new", "prompt")),
        Check("a full cache refuses, and loses nothing", 1, ("too-long", "after-refusal", "prompt")),
    ),
    learned="Past keys and values never change, so they are stored once. A cache is a place in memory and a number.",
    demands={
        "stores new keys and values after those already there": "cache-not-advanced",
        "counts them in `num_tokens`": "tokens-not-counted",
        "the keys and the values of **all** tokens so far": "cache-returns-new-only",
        "any number of new tokens": "one-token-at-a-time",
        "If they do not fit, raise a ValueError": "not-refused",
        "leave everything as it was": "stored-before-refused",
        "in memory that is reserved once": "memory-grown-by-copying",
    },
    hints=(
        "The new tokens go from place `self.num_tokens` to `self.num_tokens + keys.shape[2]`. Do they fit?",
        "Raise the ValueError first. Then write with `self.keys[:, :, self.num_tokens : end] = keys`.",
        "Set `self.num_tokens = end`, and return `self.keys[:, :, :end], self.values[:, :, :end]`.",
    ),
    wrong=wrongs("""
        cache-not-advanced: self.num_tokens = end → pass
        cache-returns-new-only: self.keys[:, :, :end], self.values[:, :, :end] → keys, values
        cache-not-cut: self.keys[:, :, :end], self.values[:, :, :end] → self.keys, self.values
        keys-as-values: self.num_tokens : end] = values → self.num_tokens : end] = keys
            hint: The keys take the place of the values.
        tokens-not-counted: self.num_tokens + keys → getattr(self, "stored", 0) + keys
            self.num_tokens : end] = →2 end - keys.shape[2] : end] =
            self.num_tokens = end → self.stored = end
        not-refused: if end > self.keys.shape[2]: → if False:
        memory-grown-by-copying: self.keys[:, :, self.num_tokens : end] = keys → self.keys = torch.cat((self.keys[:, :, : self.num_tokens], keys), dim=2)
            self.values[:, :, self.num_tokens : end] = values → self.values = torch.cat((self.values[:, :, : self.num_tokens], values), dim=2)
            end > self.keys.shape[2] → end > self.most
            above end = self.num_tokens + → self.most = getattr(self, "most", self.keys.shape[2])
        one-place-too-few: end > self.keys → end >= self.keys
        stored-before-refused: end = self.num_tokens + keys.shape[2] → end = self.num_tokens = self.num_tokens + keys.shape[2]
            self.num_tokens : end] = →2 end - keys.shape[2] : end] =
        stored-before-refused: raise ValueError → self.num_tokens = 0; raise ValueError
        one-token-at-a-time: self.num_tokens + keys.shape[2] → self.num_tokens + 1
            : end] = keys → : end] = keys[:, :, -1:]
            : end] = values → : end] = values[:, :, -1:]
        tokens-counted-on-another-axis: self.num_tokens + keys.shape[2] → self.num_tokens + keys.shape[1]
            hint: The new tokens are counted along another axis. Their number is `keys.shape[2]`: the axes are (b, heads, tokens, head_dim).
        returns-nothing: return self.keys → self.keys
        """),
    right=rights("""
        copy: : end] = keys → : end].copy_(keys)
        stacked: return self.keys[:, :, :end], self.values[:, :, :end] → return torch.stack((self.keys, self.values))[:, :, :, :end]
        narrow: self.keys[:, :, :end], self.values[:, :, :end] → self.keys.narrow(2, 0, end), self.values.narrow(2, 0, end)
        """),
)


def called(id, says, shape, construct, seed, scale=2, **more):
    return Probe(id, says, {"x": scale * drawn(*shape, seed=seed)}, construct=construct, seed=seed, **more)


GROUPED, BIASED = sizes(7, 12, 9, 6, 2), sizes(5, 8, 10, 4, 2, qkv_bias=True)
TWICE = {"W_value.weight": torch.cat((torch.eye(5), torch.eye(5)))}
TWICE |= {"out_proj.weight": torch.eye(10), "out_proj.bias": torch.zeros(10)}
AHEAD = {"observe": "influence", "settings": {"input": "x", "axis": -2}}
DROPS_ITS_OWN = {"observe": "dropout", "settings": {"p": 0.4, "copies": 2, "measures": 9}, "weights": TWICE}
DROPPING, ONE_HEAD = sizes(7, 12, 9, 6, 2, dropout=0.4), sizes(5, 10, 5, 1, 1, dropout=0.4)
REFUSED = {"raises": ("ValueError",)}

GQA = Task(
    id="grouped-query-attention",
    title="Grouped-query attention",
    name="GroupedQueryAttention",
    kind="module",
    signature="GroupedQueryAttention(d_in, d_out, context_length, dropout, num_heads, num_kv_groups, qkv_bias=False)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        called("two-groups", "six heads in two groups", (2, 5, 7), GROUPED, 101),
        called("bias", "four heads in two groups, with biases", (3, 6, 5), BIASED, 102),
        called("every-head", "as many groups as heads", (2, 4, 7), sizes(7, 9, 6, 3, 3), 103),
        called("one-group", "one group for all heads", (2, 5, 3), sizes(3, 8, 7, 4, 1), 104),
        called("one-token", "a single token", (3, 1, 7), GROUPED, 105),
        called("look-ahead", "sentences with one token changed at a time", (2, 5, 7), GROUPED, 106, **AHEAD),
        called("double", "a module and inputs of float64", (2, 5, 7), GROUPED, 107, dtype="float64"),
        called("large", "large scores", (2, 5, 7), GROUPED, 111, dtype="float64", scale=100),
        called("uneven-width", "a `d_out` of 7 for 2 heads", (2, 5, 3), sizes(3, 7, 5, 2, 1), 108, **REFUSED),
        called("uneven-groups", "4 groups for 6 heads", (2, 5, 3), sizes(3, 12, 5, 6, 4), 109, **REFUSED),
        called("eval", "dropout 0.4 in eval mode", (2, 5, 7), DROPPING, 110),
        Probe(
            "training",
            "dropout 0.4 in training mode",
            {"x": torch.eye(5).repeat(3, 1, 1)},
            construct=ONE_HEAD,
            seed=13,
            **DROPS_ITS_OWN,
        ),
    ),
    checks=(
        Check("heads in groups", 2, ("two-groups", "bias", "one-token", "double", "large", "look-ahead")),
        Check("as many groups as heads, and one for all", 1, ("every-head", "one-group")),
        Check("what does not divide is refused", 1, ("uneven-width", "uneven-groups", "two-groups")),
        Check("dropout in training, none in eval mode", 1, ("eval", "training")),
    ),
    learned="Only keys and values get narrower, and neighbours share. MHA and MQA are the two ends of one class.",
    demands={
        "causal, with": "no-mask",
        "and `out_proj`": "no-out-proj",
        "Each group is as wide as a query head": "full-width-heads",
        "If `num_heads` does not divide `d_out`": "indivisible-accepted",
        "`num_kv_groups` does not divide `num_heads`, raise a ValueError": "indivisible-groups-accepted",
        "Apply dropout to the weights": "dropout-on-context",
        "Scores of any size must work": "exp-overflows",
        "By convention, neighbours do": "groups-in-turn",
    },
    hints=(
        "`head_dim = d_out // num_heads`. How wide are all groups of keys together?",
        "`split_heads(self.W_key(x), self.num_kv_groups)`, then `repeat_interleave(num_heads // num_kv_groups, dim=1)`.",
        "`F.scaled_dot_product_attention(…, dropout_p=self.dropout if self.training else 0.0, is_causal=True)`, then "
        "`self.out_proj(merge_heads(context))`.",
    ),
    wrong=wrongs("""
        groups-in-turn: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
            values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        groups-in-turn: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
            hint: The keys come in turn: 0, 1, 0, 1. Neighbours share a group: `repeat_interleave`.
        groups-in-turn: values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
            hint: The values come in turn: 0, 1, 0, 1. Neighbours share a group: `repeat_interleave`.
        repeated-along-tokens: repeat_interleave(sharing, dim=1) →2 repeat_interleave(sharing, dim=2)
        repeated-along-tokens: keys.repeat_interleave(sharing, dim=1) → keys.repeat_interleave(sharing, dim=2)
        one-group-for-all: keys.repeat_interleave( → keys[:, :1].repeat_interleave(self.num_kv_groups *
            values.repeat_interleave( → values[:, :1].repeat_interleave(self.num_kv_groups *
        full-width-heads: num_kv_groups * (d_out // num_heads) → d_out
            self.num_kv_groups)  # →2 self.num_heads)  #
            sharing = self.num_heads // self.num_kv_groups → sharing = 1
            hint: Keys and values are as wide as in lesson 05: nothing is shared. They need `num_kv_groups * head_dim`.
        no-mask: , is_causal=True →
            hint: Nothing is hidden, so every token sees the whole sentence. `is_causal=True` hides the future.
        keys-as-values: self.W_value(x) → self.W_key(x)
        no-out-proj: self.out_proj(merge_heads(context)) → merge_heads(context)
        out-proj-twice: self.out_proj(merge_heads(context)) → self.out_proj(self.out_proj(merge_heads(context)))
        merge-without-transpose: merge_heads(context) → context.reshape(*x.shape[:2], -1)
        no-scale: is_causal=True → is_causal=True, scale=1.0
        exp-overflows: F.scaled_dot_product_attention( → (lambda q, k, v, **_: F.dropout((s := torch.exp(q @ k.mT / q.shape[-1] ** 0.5).tril()) / s.sum(dim=-1, keepdim=True), p) @ v)(
        scaled-up: is_causal=True → is_causal=True, scale=queries.shape[-1] ** 0.5
            hint: The scores are multiplied by √head_dim. `scale` is a factor: 1/√head_dim, or left out.
        indivisible-accepted: d_out % num_heads != 0 → False
        indivisible-groups-accepted: num_heads % num_kv_groups != 0 → False
        divisible-refused: num_heads % num_kv_groups != 0 → num_kv_groups != num_heads and num_heads % 4
            hint: A number of groups that divides `num_heads` is refused. Refuse only where `num_heads %
                num_kv_groups` is not 0.
        no-dropout: self.dropout if self.training else 0.0 → 0.0
            hint: Nothing is dropped in training. While `self.training` is True, pass `dropout_p=self.dropout`.
        dropout-in-eval: self.dropout if self.training else 0.0 → self.dropout
            hint: Dropout goes on in eval mode: a function knows nothing of the mode. Pass 0 where
                `self.training` is False.
        dropout-on-context: dropout_p=p, →
            merge_heads(context) → F.dropout(merge_heads(context), p)
            hint: Dropout is applied to the context vectors. `dropout_p` applies it to the weights.
        bias-never: bias=qkv_bias →3 bias=False
        bias-uneven: kv_width, bias=qkv_bias →2 kv_width, bias=False
        out-proj-without-bias: (d_out, d_out) → (d_out, d_out, bias=False)
        reads-the-notebook: split_heads(self.W_query(x) → split_heads(self.W_query(globals()['x'][..., : x.shape[-1]])
        returns-nothing: return self.out_proj → self.out_proj
        """),
    right=rights("""
        enable-gqa: .repeat_interleave(sharing, dim=1) →2
            is_causal=True → is_causal=True, enable_gqa=True
        by-hand: F.scaled_dot_product_attention( → (lambda q, k, v, **_: F.dropout(torch.softmax((q @ k.mT / q.shape[-1] ** 0.5).masked_fill(torch.ones(x.shape[1], x.shape[1]).triu(1).bool(), -torch.inf), dim=-1), p) @ v)(
        mask-of-its-own: is_causal=True → attn_mask=torch.ones(x.shape[1], x.shape[1]).tril().bool()
        expanded: keys.repeat_interleave(sharing, dim=1) → keys[:, :, None].expand(-1, -1, sharing, -1, -1).flatten(1, 2)
        """),
)


# Logsumexps near 1000 are far apart: closer ones differ by too few digits in float32 to be shared out exactly.
def in_pieces(
    id,
    says,
    pieces,
    b,
    heads,
    queries,
    head_dim,
    seed,
    *,
    shift=(),
    hide=(),
    apart=(),
    heads_apart=(),
    blind=(),
):
    """Contexts and logsumexps of some pieces.

    `shift` moves whole pieces, `apart` a query and `heads_apart` a head in all of them; `hide` names pieces that show nothing to a
    head, and `blind` those that show nothing to a query.
    """
    contexts = drawn(pieces, b, heads, queries, head_dim, seed=seed)
    logsumexps = drawn(pieces, b, heads, queries, seed=seed + 1, scale=2.0)
    for piece, more in shift:
        logsumexps[piece] += more
    for piece, head in hide:
        contexts[piece, :, head], logsumexps[piece, :, head] = 0.0, -torch.inf
    for query, more in apart:
        logsumexps[..., query] += more
    for head, more in heads_apart:
        logsumexps[:, :, head] += more
    for piece, query in blind:
        contexts[piece, :, :, query], logsumexps[piece, ..., query] = 0.0, -torch.inf
    return Probe(id, says, {"contexts": contexts, "logsumexps": logsumexps})


JOIN = Task(
    id="join-pieces",
    title="Join the pieces of a cache",
    name="join_pieces",
    kind="function",
    signature="join_pieces(contexts, logsumexps)",
    axes=("b", "heads", "queries", "head_dim"),
    input_axes={
        "contexts": ("pieces", "b", "heads", "queries", "head_dim"),
        "logsumexps": ("pieces", "b", "heads", "queries"),
    },
    probes=(
        in_pieces("four", "four pieces, one query", 4, 2, 3, 1, 6, 70),
        in_pieces("queries", "three pieces, five queries", 3, 2, 4, 5, 7, 72),
        in_pieces(
            "large", "logsumexps near 1000", 3, 2, 5, 4, 6, 74, shift=((0, 1000.0), (1, 1060.0), (2, 1120.0))
        ),
        in_pieces(
            "hidden", "a piece that shows nothing to one head", 4, 3, 2, 5, 6, 76, hide=((0, 1), (2, 1))
        ),
        in_pieces(
            *("apart", "a query near 1000, another near −200", 3, 2, 3, 4, 6, 78),
            shift=((1, 60.0), (2, 180.0)),
            apart=((0, 1000.0), (2, -200.0)),
        ),
        in_pieces(
            *("blind", "queries that see nothing in the first two pieces, or in the last", 4, 2, 3, 4, 5, 80),
            blind=((0, 1), (1, 1), (3, 2)),
        ),
        in_pieces("two", "two pieces, five queries", 2, 3, 4, 5, 6, 82),
        in_pieces(
            *("far-heads", "a head near 1000, another near −200", 3, 2, 3, 4, 6, 84),
            shift=((1, 60.0), (2, 180.0)),
            heads_apart=((0, 1000.0), (2, -200.0)),
        ),
    ),
    checks=(
        Check("two pieces", 0, ("two",)),
        Check("several pieces", 0, ("four", "queries")),
        Check("large logsumexps", 0, ("large", "apart", "far-heads")),
        Check("pieces that show nothing", 0, ("hidden", "blind")),
    ),
    learned="A softmax over the pieces' logsumexps gives each piece the share that its keys have of the whole sum.",
    demands={
        "It reports a context, divided by the sum of its own exponentials": "sums-added-undivided",
        "the context over all pieces": "pieces-averaged",
        "must not count": "pieces-hidden-counted",
        "in which a query sees nothing": "piece-dropped-for-head",
        "A logsumexp near 1000 must work": "exp-overflows",
    },
    hints=(
        "A piece's share of the whole is its sum of exponentials, divided by that of all pieces.",
        "The exponential of a logsumexp is that sum, so the shares are a softmax over the pieces: "
        "`torch.softmax(logsumexps, dim=0)`.",
        "The shares lack the axis of head_dim: `(shares[..., None] * contexts).sum(dim=0)`.",
    ),
    wrong=wrongs("""
        pieces-averaged: = contexts.mean(dim=0)
        pieces-averaged: = contexts.sum(dim=0)
            hint: The pieces are added as they are. Weight each by its share of the exponentials.
        largest-piece-only: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps == logsumexps.amax(dim=0)).float()
        exp-overflows: shares = torch.softmax(logsumexps, dim=0) → shares = logsumexps.exp() / logsumexps.exp().sum(dim=0)
            hint: e^1000 is inf in float32, and inf / inf is nan. Subtract the largest logsumexp first, or use softmax.
        sums-added-undivided: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps - logsumexps.amax(dim=0)).exp()
        shares-without-exp: shares = torch.softmax(logsumexps, dim=0) → shares = logsumexps / logsumexps.sum(dim=0)
        pieces-hidden-counted: above shares = → logsumexps = logsumexps.masked_fill(logsumexps == -torch.inf, 0.0)
        pieces-hidden-counted: above shares = → logsumexps = logsumexps.masked_fill(logsumexps == -torch.inf, 1.0)
        pieces-hidden-counted: above shares = → logsumexps = logsumexps.clamp(min=0.0)
        softmax-over-heads: logsumexps, dim=0 → logsumexps, dim=2
            hint: The softmax runs over the heads. Each head has shares of its own, over the pieces: axis 0.
        softmax-over-queries: logsumexps, dim=0 → logsumexps, dim=-1
            hint: The softmax runs over the queries. Each query has shares of its own, over the pieces: axis 0.
        softmax-over-batch: logsumexps, dim=0 → logsumexps, dim=1
            hint: The softmax runs over the sequences. Each query has shares of its own, over the pieces: axis 0.
        softmax-over-everything: torch.softmax(logsumexps, dim=0) → torch.softmax(logsumexps.flatten(), dim=0).view_as(logsumexps)
            hint: All shares together add up to 1. Those of each query have to, over the pieces: axis 0.
        softmax-twice: below shares = → shares = shares.softmax(dim=0)
        sigmoid-for-softmax: torch.softmax(logsumexps, dim=0) → torch.sigmoid(logsumexps)
        pieces-averaged: (shares[..., None] * contexts).sum(dim=0) → contexts.sum(dim=0) / logsumexps.isfinite().sum(dim=0)[..., None]
        shares-averaged: .sum(dim=0) → .mean(dim=0)
        one-maximum-for-all: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps - logsumexps.max()).exp()↵shares = shares / shares.sum(dim=0)
            hint: One maximum of the whole tensor is subtracted. Where a query's logsumexps are all far below it, its shares are 0 / 0. Subtract each query's own: `amax(dim=0)`.
        one-maximum-for-all: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps - logsumexps.amax(dim=(0, 2), keepdim=True)).exp()↵shares = shares / shares.sum(dim=0)
            hint: What is subtracted is the maximum over all heads. Where a head's logsumexps are all far below it, its shares are 0 / 0. Subtract each query's own: `amax(dim=0)`.
        one-maximum-for-all: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps - logsumexps.amax(dim=(0, 2, 3), keepdim=True)).exp()↵shares = shares / shares.sum(dim=0)
            hint: What is subtracted is the maximum over all heads and queries. Where a query's logsumexps are all far below it, its shares are 0 / 0. Subtract each query's own: `amax(dim=0)`.
        one-maximum-for-all: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps - logsumexps.amax(dim=(0, 3), keepdim=True)).exp()↵shares = shares / shares.sum(dim=0)
            hint: What is subtracted is the maximum over all queries. Where a query's logsumexps are all far below it, its shares are 0 / 0. Subtract each query's own: `amax(dim=0)`.
        hidden-block-makes-nan:
            hint: Where a query sees nothing in the first two pieces, −∞ − (−∞) is nan, and it stays. Leave its result at 0 until a piece shows it a key, or take one softmax over all pieces.
            body
                context, total = contexts[0], logsumexps[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    largest = torch.maximum(total, own)
                    before, now = torch.exp(total - largest)[..., None], torch.exp(own - largest)[..., None]
                    context = (before * context + now * other) / (before + now)
                    total = largest + torch.log(before + now)[..., 0]
                return context
        hidden-block-makes-nan:
            hint: Where the first piece shows a query nothing, −∞ − (−∞) is nan, and it stays. One softmax over all pieces has no such step.
            body
                largest = torch.full_like(logsumexps[0], -torch.inf)
                total, context = torch.zeros_like(largest), torch.zeros_like(contexts[0])
                for other, own in zip(contexts, logsumexps):
                    new = torch.maximum(largest, own)
                    before, now = torch.exp(largest - new), torch.exp(own - new)
                    context = context * before[..., None] + other * now[..., None]
                    total, largest = total * before + now, new
                return context / total[..., None]
        hidden-block-makes-nan:
            hint: Where a query sees nothing in the first two pieces, −∞ − (−∞) is nan, and it stays. Leave its result at 0 until a piece shows it a key, or take one softmax over all pieces.
            body
                context, total = contexts[0], logsumexps[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    share = torch.sigmoid(own - total)[..., None]
                    context = context * (1 - share) + other * share
                    total = torch.logaddexp(total, own)
                return context
        nan-replaced:
            hint: Where the first piece shows a query nothing, its result is nan, and `nan_to_num` makes 0 of it. Prevent the nan: subtract 0 where the maximum is −∞.
            body
                largest = torch.full_like(logsumexps[0], -torch.inf)
                total, context = torch.zeros_like(largest), torch.zeros_like(contexts[0])
                for other, own in zip(contexts, logsumexps):
                    new = torch.maximum(largest, own)
                    before, now = torch.exp(largest - new), torch.exp(own - new)
                    context = context * before[..., None] + other * now[..., None]
                    total, largest = total * before + now, new
                return (context / total[..., None]).nan_to_num()
        nan-replaced:
            hint: Where a query sees nothing in the first two pieces, its result is nan, and `nan_to_num` makes 0 of it. Prevent the nan: take one softmax over all pieces.
            body
                context, total = contexts[0], logsumexps[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    share = torch.sigmoid(own - total)[..., None]
                    context = context * (1 - share) + other * share
                    total = torch.logaddexp(total, own)
                return context.nan_to_num()
        running-sum-overflows: body
            context, total = contexts[0], logsumexps[0]
            for other, own in zip(contexts[1:], logsumexps[1:]):
                both = total + torch.log(1 + torch.exp(own - total))
                context = torch.exp(total - both)[..., None] * context + torch.exp(own - both)[..., None] * other
                total = both
            return context
        logsumexps-added:
            hint: After two pieces are joined, their logsumexps are added, as if log a + log b were log(a + b). Add the exponentials: `torch.logaddexp`.
            body
                context, total = contexts[0], logsumexps[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    share = torch.sigmoid((own - total).nan_to_num(nan=0.0))[..., None]
                    context, total = context * (1 - share) + other * share, total + own
                return context
        logsumexps-added: shares = torch.softmax(logsumexps, dim=0) → shares = torch.exp(logsumexps - logsumexps.sum(dim=0))
        larger-logsumexp-kept: body
            context, total = contexts[0], logsumexps[0]
            for other, own in zip(contexts[1:], logsumexps[1:]):
                share = torch.sigmoid((own - total).nan_to_num(nan=0.0))[..., None]
                context, total = context * (1 - share) + other * share, torch.maximum(total, own)
            return context
        larger-logsumexp-kept:
            hint: After two pieces are joined, the logsumexp of the last one is kept. That of both together is `torch.logaddexp`.
            body
                context, total = contexts[0], logsumexps[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    share = torch.sigmoid((own - total).nan_to_num(nan=0.0))[..., None]
                    context, total = context * (1 - share) + other * share, own
                return context
        larger-logsumexp-kept:
            hint: The logsumexp of the first piece is kept to the end. After two pieces are joined, that of both together is `torch.logaddexp`.
            body
                context, total = contexts[0], logsumexps[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    share = torch.sigmoid((own - total).nan_to_num(nan=0.0))[..., None]
                    context = context * (1 - share) + other * share
                return context
        pieces-averaged:
            hint: A new piece counts as much as all before it together. Weight both by their exponentials.
            body
                context = contexts[0]
                for other in contexts[1:]:
                    context = (context + other) / 2
                return context
        sum-not-rescaled:
            body
                largest, total, context = logsumexps[0], torch.ones_like(logsumexps[0]), contexts[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    new = torch.maximum(largest, own)
                    before, now = torch.exp((largest - new).nan_to_num(nan=0.0)), torch.exp((own - new).nan_to_num(nan=0.0))
                    context = context * before[..., None] + other * now[..., None]
                    total, largest = total + now, new
                return context / total[..., None]
        sum-not-rescaled:
            hint: The context so far is not rescaled where a larger logsumexp comes. Multiply it, like the sum so far, by `exp(old - new)`.
            body
                largest, total, context = logsumexps[0], torch.ones_like(logsumexps[0]), contexts[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    new = torch.maximum(largest, own)
                    before, now = torch.exp((largest - new).nan_to_num(nan=0.0)), torch.exp((own - new).nan_to_num(nan=0.0))
                    context = context + other * now[..., None]
                    total, largest = total * before + now, new
                return context / total[..., None]
        sum-not-rescaled:
            hint: Neither the context nor the sum so far is rescaled where a larger logsumexp comes. Multiply both by `exp(old - new)`.
            body
                largest, total, context = logsumexps[0], torch.ones_like(logsumexps[0]), contexts[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    new = torch.maximum(largest, own)
                    now = torch.exp((own - new).nan_to_num(nan=0.0))
                    context, total, largest = context + other * now[..., None], total + now, new
                return context / total[..., None]
        joined-undivided:
            body
                context, total = contexts[0], logsumexps[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    new = torch.maximum(total, own)
                    before, now = torch.exp((total - new).nan_to_num(nan=0.0)), torch.exp((own - new).nan_to_num(nan=0.0))
                    context = context * before[..., None] + other * now[..., None]
                    total = torch.logaddexp(total, own)
                return context
        piece-dropped-for-head: above shares = → logsumexps = logsumexps.masked_fill(~logsumexps.isfinite().all(dim=-1, keepdim=True), -torch.inf)
        piece-dropped-for-head: above shares = → logsumexps = logsumexps.masked_fill(~logsumexps.isfinite().flatten(1).all(dim=1).view(-1, 1, 1, 1), -torch.inf)
            hint: A piece in which one query sees nothing is dropped for all of them. The others see it: leave it out for that query alone.
        logsumexps-cut-off: above shares = → logsumexps = logsumexps.clamp(max=80.0)
        logsumexps-cut-off: above shares = → logsumexps = logsumexps.clamp(max=88.0)
        logsumexps-cut-off: above shares = → logsumexps = logsumexps.clamp(max=50.0)
        logsumexps-cut-off: above shares = → logsumexps = logsumexps.clamp(-80.0, 80.0)
        shares-of-powers-of-2: above shares = → logsumexps = logsumexps * 0.6931471805599453
        shares-of-powers-of-2: above shares = → logsumexps = logsumexps * 2.302585092994046
        shares-upside-down: above shares = → logsumexps = -logsumexps
        shares-upside-down: above shares = → logsumexps = (-logsumexps).masked_fill(logsumexps == -torch.inf, -torch.inf)
        first-piece-left-out: above shares = → contexts, logsumexps = contexts[1:], logsumexps[1:]
        last-piece-left-out: above shares = → contexts, logsumexps = contexts[:-1], logsumexps[:-1]
        first-piece-left-out: (shares[..., None] * contexts).sum → (shares[..., None] * contexts)[1:].sum
        last-piece-left-out: (shares[..., None] * contexts).sum → (shares[..., None] * contexts)[:-1].sum
        shares-without-exp: shares = torch.softmax(logsumexps, dim=0) → shares = logsumexps - logsumexps.amin(dim=0)↵shares = shares / shares.sum(dim=0)
        shares-of-powers-of-2: above shares = → logsumexps = logsumexps / contexts.shape[-1] ** 0.5
            hint: The logsumexps are divided by √head_dim, like scores. They are logarithms already: use them as they are.
        sum-not-rescaled:
            hint: The context so far is not rescaled where a piece joins it. Multiply it by `exp(old - new)`, where `new` is the logsumexp of both.
            body
                context, total = contexts[0], logsumexps[0]
                for other, own in zip(contexts[1:], logsumexps[1:]):
                    total = torch.logaddexp(total, own)
                    context = context + torch.exp((own - total).nan_to_num(nan=-torch.inf))[..., None] * other
                return context
        piece-too-many: shares = torch.softmax(logsumexps, dim=0) → shares = torch.exp(logsumexps - torch.logaddexp(torch.logsumexp(logsumexps, dim=0), torch.zeros(())))
        piece-too-many: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps - logsumexps.amax(dim=0)).exp()↵shares = shares / (1 + shares.sum(dim=0))
        shares-as-logarithms: torch.softmax(logsumexps, dim=0) → torch.log_softmax(logsumexps, dim=0)
        shares-as-logarithms: torch.softmax(logsumexps, dim=0) → torch.log_softmax(logsumexps, dim=0).masked_fill(logsumexps == -torch.inf, 0.0)
        shares-as-logarithms: torch.softmax(logsumexps, dim=0) → logsumexps
            hint: The logsumexps themselves are used as shares. Their exponentials are the sums: use a softmax.
        pieces-not-added: (shares[..., None] * contexts).sum(dim=0) → shares[..., None] * contexts
        exp-overflows: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps.exp() / logsumexps.exp().sum(dim=0)).nan_to_num()
            hint: e^1000 is inf in float32, and inf / inf is nan, which `nan_to_num` only hides. Subtract the largest logsumexp first, or use softmax.
        exp-overflows: shares = torch.softmax(logsumexps, dim=0) → shares = (logsumexps.double().exp() / logsumexps.double().exp().sum(dim=0)).float()
            hint: e^1000 is inf in float64, too, and inf / inf is nan. Subtract the largest logsumexp first, or use softmax.
        exp-overflows: shares = torch.softmax(logsumexps, dim=0) → shares = logsumexps.exp() / (logsumexps.exp().sum(dim=0) + 1e-9)
            hint: e^1000 is inf in float32, and inf / inf is nan. Subtract the largest logsumexp first, or use softmax.
        sums-added-undivided: shares = torch.softmax(logsumexps, dim=0) → shares = logsumexps.exp()
        """),
    right=rights("""
        logsumexp: torch.softmax(logsumexps, dim=0) → torch.exp(logsumexps - torch.logsumexp(logsumexps, dim=0))
        einsum: return (shares[..., None] * contexts).sum(dim=0) → return torch.einsum("pbhq,pbhqd->bhqd", shares, contexts)
        running: body
            largest, total, output = -torch.inf, 0.0, 0.0
            for context, own in zip(contexts, logsumexps):
                largest_now = own.clamp(min=largest)
                shift = largest_now.masked_fill(largest_now == -torch.inf, 0.0)
                rescale, weight = torch.exp(largest - shift), torch.exp(own - shift)
                total = total * rescale + weight
                output = output * (rescale[..., None] if torch.is_tensor(rescale) else rescale) + weight[..., None] * context
                largest = largest_now
            return output / total[..., None]
        logaddexp: body
            context, total = contexts[0], logsumexps[0]
            for other, own in zip(contexts[1:], logsumexps[1:]):
                both = torch.logaddexp(total, own)
                share = torch.exp(own - both).nan_to_num()[..., None]
                context = context * (1 - share) + other * share
                total = both
            return context
        """),
)


LESSON = Lesson(
    title="11 · Fast attention",
    given_axes={},
    redraw=lambda generator: {},
    redraws=0,
    tasks=(
        *(FUSE, QKV_ORDER, RUNNING, NOT_RESCALED, ONLINE, TILED, BACKWARD, FUNCTION),
        *(TRAPS, CACHE, GQA, JOIN),
    ),
)
