"""The tasks of lesson 12: their probes, the wrong answers people give, and the hint each deserves."""

import math

import torch
from autograder.author.authoring import Check, Lesson, Made, Probe, Specimen, Task, rights, wrongs

IDS = ("b", "tokens")
LOGITS = ("b", "tokens", "vocab")
WHOLE = ("int64",)


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def ids(*shape, seed, vocab=7):
    """Random token ids below a vocabulary."""
    return torch.randint(vocab, shape, generator=torch.Generator().manual_seed(seed))


def anew(generator):
    """A seed for another draw."""
    return int(torch.randint(2**20, (1,), generator=generator))


def model(seed, layers=2, heads=2, vocab=7, room=9, d_model=8):
    """A transformer of the learner's own."""
    names = ("vocab", "d_model", "num_heads", "num_layers", "context_length", "position")
    sizes = (vocab, d_model, heads, layers, room, "learned")
    return Made("TinyTransformer", dict(zip(names, sizes, strict=True)), seed=seed)


def stored(name, seed, **settings):
    """A state dict, and what makes the same one with other numbers."""
    return Specimen(name, {"seed": seed, **settings}), lambda generator: {
        "state": Specimen(name, {"seed": anew(generator), **settings})
    }


# ------------------------------------------------------------------------------------------------------ GPT-2


def habits(id, says, seed, layers, heads):
    inputs = {"model": model(seed, layers, heads), "biases": drawn(layers, 24, seed=seed)}
    return Probe(id, says, inputs, then={"ids": ids(2, 5, seed=seed)})


LIKE_GPT2 = Task(
    id="like-gpt2",
    title="Make it a GPT-2",
    name="like_gpt2",
    kind="function",
    signature="like_gpt2(model, biases)",
    axes=LOGITS,
    input_axes={"biases": ("layers", "3 d_out")},
    probes=(
        habits("two", "two blocks", 1, 2, 2),
        habits("three", "three blocks of four heads", 2, 3, 4),
        habits("one", "one block", 3, 1, 2),
        Probe(
            "one-table",
            "two blocks",
            {"model": model(4, 2, 2), "biases": drawn(2, 24, seed=4)},
            observe="parameters",
        ),
    ),
    checks=(Check("biases, GELU and one table", 3, ("two", "three", "one", "one-table")),),
    learned="A class and a published model can share every part and still compute something else. The habits have to be the "
    "same, down to the GELU.",
    demands={
        "changes the model in these three places": "gelu-left-exact",
        "returns it": "returns-nothing",
        "`biases` has one row for each block": "biases-of-first-block",
        "first the biases of the queries, then of the keys, then of the values": "projections-swapped",
        "both tables are one parameter": "tables-not-tied",
    },
    hints=(
        "Go through `zip(model.blocks, biases)`. `fused.chunk(3)` cuts a row into the biases of queries, keys and values.",
        "`block.attention.W_query.bias = nn.Parameter(…)`, the same for keys and values, and `block.mlp[1] = "
        'nn.GELU(approximate="tanh")`.',
        "`model.unembedding.weight = model.embedding.weight`, and `return model`.",
    ),
    wrong=wrongs("""
        gelu-left-exact: nn.GELU(approximate="tanh") → nn.GELU()
        gelu-left-exact: block.mlp[1] = nn.GELU(approximate="tanh") → pass
        gelu-left-exact: block.mlp[1] = nn.GELU(approximate="tanh") → pass
            model.unembedding.weight = model.embedding.weight → model.unembedding.weight = model.embedding.weight↵block.mlp[1] = nn.GELU(approximate="tanh")
            hint: Only the last block gets the tanh approximation. Each block needs it: is the line in the loop?
        blocks-of-biases-mixed: zip(model.blocks, biases) → zip(model.blocks, biases.view(3, len(biases), -1).transpose(0, 1).flatten(1))
        tables-not-tied: line model.unembedding →
        tables-not-tied: model.unembedding.weight = model.embedding.weight → model.unembedding.weight = nn.Parameter(model.embedding.weight.detach().clone())
            hint: The unembedding has a copy of the table. Tied means one parameter: `model.unembedding.weight = model.embedding.weight`.
        tied-the-other-way: model.unembedding.weight = model.embedding.weight → model.embedding.weight = model.unembedding.weight
        projections-swapped: block.attention.W_query, block.attention.W_key → block.attention.W_key, block.attention.W_query
            hint: The first part goes to `W_key` and the second to `W_query`. The order should be query, key,
                value.
        projections-swapped: block.attention.W_key, block.attention.W_value → block.attention.W_value, block.attention.W_key
            hint: `W_value` does not get the third part. The order should be query, key, value.
        biases-of-first-block: zip(model.blocks, biases) → zip(model.blocks, biases[:1].expand_as(biases))
        bias-of-queries-only: zip(layers, fused.chunk(3)) → zip(layers[:1], fused.chunk(3))
        bias-of-keys-missing: zip(layers, fused.chunk(3)) → zip(layers[::2], fused.chunk(3)[::2])
        bias-interleaved: fused.chunk(3) → fused.view(-1, 3).T
        parts-in-reverse: fused.chunk(3) → fused.chunk(3)[::-1]
        returns-nothing: return model → return None
        """),
    right=rights("""
        by-name: body
            d_model = biases.shape[1] // 3
            for layer, block in enumerate(model.blocks):
                for place, name in enumerate(("W_query", "W_key", "W_value")):
                    part = biases[layer, place * d_model : (place + 1) * d_model]
                    getattr(block.attention, name).bias = nn.Parameter(part.detach().clone())
                block.mlp[1] = nn.GELU("tanh")
            model.unembedding.weight = model.embedding.weight
            return model
        set-attribute: layer.bias = nn.Parameter(bias.clone()) → layer.register_parameter("bias", nn.Parameter(bias.clone()))
        split: fused.chunk(3) → fused.split(len(fused) // 3)
        """),
)


REFUSED = ("ValueError",)


def gpt2(id, says, seed, layers=2, heads=2, raises=(), **settings):
    sizes = {"vocab": 7, "d_model": 8, "layers": layers, "room": 9}
    state, redraw = stored("gpt2-state", seed, **sizes, **settings)
    inputs = {"model": model(seed, layers, heads), "state": state}
    return Probe(id, says, inputs, then={"ids": ids(2, 5, seed=seed)}, raises=raises, redraw=redraw)


LONG = "transformer."
LOAD_GPT2 = Task(
    id="load-gpt2",
    title="Load GPT-2",
    name="load_gpt2",
    kind="function",
    signature="load_gpt2(model, state)",
    axes=LOGITS,
    needs=("like-gpt2",),
    probes=(
        gpt2("saved", "a file of `save_pretrained`", 1, prefix=LONG),
        gpt2("deep", "a file of three blocks", 2, layers=3, heads=4, prefix=LONG),
        gpt2("blocks", "a file of eleven blocks", 9, layers=11, prefix=LONG),
        gpt2("published", "a file without the prefix and with masks", 3, masks=True),
        gpt2("head", "a file with `lm_head.weight`", 4, prefix=LONG, head=True),
        gpt2(
            "missing",
            "a file without `h.1.mlp.c_fc.bias`",
            5,
            raises=REFUSED,
            prefix=LONG,
            without="h.1.mlp.c_fc.bias",
        ),
        gpt2(
            "no-bias",
            "a file without `h.0.attn.c_attn.bias`",
            6,
            raises=REFUSED,
            without="h.0.attn.c_attn.bias",
        ),
        gpt2("extra", "a file with `h.0.attn.rotary`", 7, raises=REFUSED, extra="h.0.attn.rotary"),
        gpt2(
            "turned",
            "a file with `h.0.mlp.c_fc.weight` transposed",
            8,
            raises=REFUSED,
            turned="h.0.mlp.c_fc.weight",
        ),
    ),
    checks=(
        Check("a file of save_pretrained", 3, ("saved", "deep", "blocks")),
        Check("a published file, and one with the table twice", 1, ("published", "head")),
        Check("what does not fit is refused", 1, ("missing", "no-bias", "extra", "turned", "saved")),
    ),
    learned="Loading is a table of names, some transposes and one cut. Whatever is in no row of the table is refused.",
    demands={
        "change the model with `like_gpt2`": "gelu-left-exact",
        "and return it": "returns-nothing",
        "Some files begin each name with `transformer.`, others do not": "prefix-kept",
        "are stored as (in, out)": "square-not-turned",
        "`c_attn`, weight and bias, is three in one": "projections-swapped",
        "Skip both": "masks-not-skipped",
        "Skip it": "head-not-skipped",
        "is refused by `fill`": "refusal-avoided",
    },
    hints=(
        "First call `like_gpt2(model, torch.zeros(len(model.blocks), 3 * d_model))`. The zeros give way to the stored biases.",
        "Make a dictionary `own`. For each stored name: take the prefix off, skip what should be skipped, transpose, translate.",
        "Transposed, `c_attn` is (3 · d_model, d_model): `tensor.chunk(3)` gives the rows of `W_query`, `W_key`, `W_value`. Its bias is cut in the same way.",
    ),
    wrong=wrongs("""
        gelu-left-exact: like_gpt2(model, torch.zeros(len(model.blocks), 3 * width)) → like_gpt2(model, torch.zeros(len(model.blocks), 3 * width))
            below like_gpt2(model → for block in model.blocks:↵    block.mlp[1] = nn.GELU()
        projections-swapped: ("W_query", "W_key", "W_value") → ("W_key", "W_query", "W_value")
            hint: The first part goes to `W_key` and the second to `W_query`. The order should be query, key,
                value.
        values-and-keys-exchanged: ("W_query", "W_key", "W_value") → ("W_query", "W_value", "W_key")
        parts-in-reverse: ("W_query", "W_key", "W_value") → ("W_value", "W_key", "W_query")
        fused-not-turned: ("c_attn.weight", "c_proj.weight", "c_fc.weight") → ("c_proj.weight", "c_fc.weight")
            tensor.chunk(3) → tensor.chunk(3, dim=-1)
        square-not-turned: ("c_attn.weight", "c_proj.weight", "c_fc.weight") → ("c_attn.weight", "mlp.c_proj.weight", "c_fc.weight")
        turned-by-reshape: tensor = tensor.T → tensor = tensor.reshape(tensor.shape[::-1])
        cut-in-turn: tensor.chunk(3) → [tensor[place::3] for place in range(3)]
        norms-exchanged: "ln_1": "norm_1", "ln_2": "norm_2" → "ln_1": "norm_2", "ln_2": "norm_1"
        prefix-kept: stored_name.removeprefix("transformer.") → stored_name
        masks-not-skipped: name == "lm_head.weight" or name.endswith((".attn.bias", ".attn.masked_bias")) → name == "lm_head.weight"
        head-not-skipped: name == "lm_head.weight" or name.endswith → name.endswith
        every-attention-bias-skipped: (".attn.bias", ".attn.masked_bias") → (".attn.bias", ".attn.masked_bias", "c_attn.bias")
            return fill(model, own) → names = dict(model.named_parameters())↵return fill(model, {**{name: names[name] for name in names if name not in own and "W_" in name}, **own})
        refusal-avoided: return fill(model, own) → model.load_state_dict(own, strict=False)↵return model
        unexpected-names-skipped: else:↵own[name] = tensor → elif name in model.state_dict():↵    own[name] = tensor
        returns-nothing: return fill(model, own) → fill(model, own)
        """),
    right=rights("""
        pattern: name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")) → re.search(r"\\.c_\\w+\\.weight$", name)
        split: tensor.chunk(3) → tensor.split(width)
        any-name: name == "lm_head.weight" or → name.startswith("lm_head") or
        """),
)


def streams(id, says, seed, wrong_from, by, stages=4, tolerance=None, most=math.inf):
    """Streams of two models that differ from one stage on, or nowhere; those of the first stages are small."""
    theirs = (
        drawn(stages, 2, 3, 5, seed=seed)
        * torch.tensor([0.01, 1.0, 30.0, 200.0, 4.0])[:stages, None, None, None]
    )
    # Rounding grows with a stage's largest entry, so small entries may be off by much of their own size. The
    # largest entry is negative.
    sizes = theirs.abs().amax(dim=(1, 2, 3), keepdim=True)  # (stages, 1, 1, 1)
    theirs[:, 0, 0, 0] = -1.5 * sizes[:, 0, 0, 0]
    theirs = torch.minimum(theirs, most * sizes)
    ours = theirs + 2e-4 * sizes * drawn(stages, 2, 3, 5, seed=seed + 50).clamp(-2, 2)
    if wrong_from is not None:
        for stage in range(wrong_from, stages):
            grown = (1, 3, 2, 2)[stage - wrong_from]  # the largest gap is neither the first nor the last
            ours[stage, 1, 2, stage % 5] += grown * by * theirs[stage].abs().max()
    inputs = {"ours": ours, "theirs": theirs} | ({} if tolerance is None else {"tolerance": tolerance})

    def redraw(generator):
        """Put stages without a difference in front: so the result is none of those that are known."""
        added = int(torch.randint(3, 6, (1,), generator=generator))
        front = torch.randn(added, 2, 3, 5, generator=generator)  # (stages, b, tokens, d_model)
        return {name: torch.cat((front, 1.5 * inputs[name])) for name in ("ours", "theirs")}

    return Probe(id, says, inputs, redraw=redraw)


NAN = streams("nan", "streams with nan", 5, None, 0)
NAN.inputs["ours"][1, 0, 1, 2] = torch.nan
NOTHING = streams("zero", "streams that are zero at stage 1 and differ from stage 3 on", 7, 3, 0.008)
for of_a_model in NOTHING.inputs.values():
    of_a_model[1] = 0
STREAM = ("stages", "b", "tokens", "d_model")
FIRST_GAP = Task(
    id="first-gap",
    title="Where does it go wrong first?",
    name="first_gap",
    kind="function",
    signature="first_gap(ours, theirs, tolerance=1e-3)",
    axes=(),
    input_axes={"ours": STREAM, "theirs": STREAM},
    number=True,
    dtypes=(*WHOLE, "float32", "float64"),
    probes=(
        streams("middle", "streams that differ from stage 2 on", 1, 2, 0.009),
        streams("negative", "streams that differ downwards from stage 1 on", 2, 1, -0.009),
        streams("start", "streams that differ from the start on", 3, 0, 0.007),
        streams("equal", "streams that differ by rounding only", 4, None, 0, most=0.02),
        NAN,
        NOTHING,
        streams("tolerance", "a tolerance of 0.2", 6, 2, 0.1, stages=5, tolerance=0.2),
    ),
    checks=(
        Check("the first stage that differs", 1, ("middle", "negative", "start", "tolerance")),
        Check("no difference, and nan", 1, ("equal", "zero", "nan", "middle")),
    ),
    learned="After a wrong tensor, everything differs. The first stage that does says where to look.",
    demands={
        "the number of the first stage": "largest-gap-for-first",
        "in which any entry differs": "mean-for-largest",
        "times the largest absolute entry of that stage": "tolerance-absolute",
        "Return -1 if there is none": "zero-for-none",
        "An entry that is nan differs too": "nan-passes",
        "tolerance=1e-3": "tolerance-typed-in",
    },
    hints=(
        "A loop over the stages: `for stage, (own, right) in enumerate(zip(ours, theirs))`.",
        "Compare `(own - right).abs().max()` with `tolerance * right.abs().max()`. A comparison with nan is False: write `not … <= …`.",
        "Return the stage as soon as one differs, and -1 after the loop.",
    ),
    wrong=wrongs("""
        largest-gap-for-first: body
            gaps = torch.stack([(own - right).abs().max() / right.abs().max() for own, right in zip(ours, theirs)])
            if gaps.isnan().any():
                return int(gaps.isnan().float().argmax())
            return int(gaps.argmax()) if gaps.max() > tolerance else -1
        mean-for-largest: (own - right).abs().max() → (own - right).abs().nan_to_num(torch.inf).mean()
            hint: This is the mean difference. One entry that is far off hides among many that agree: take the largest.
        sign-kept: (own - right).abs().max() → (own - right).max()
        tolerance-absolute: tolerance * right.abs().max() → tolerance
        tolerance-of-all-stages: tolerance * right.abs().max() → tolerance * theirs.abs().max()
        tolerance-of-each-entry: largest <= tolerance * right.abs().max() → ((own - right).abs() <= tolerance * right.abs()).all()
        zero-for-none: return -1 → return 0
        nan-passes: not largest <= tolerance * right.abs().max() → largest > tolerance * right.abs().max()
        tolerance-typed-in: tolerance * right → 1e-3 * right
        last-gap-for-first: body
            found = -1
            for stage, (own, right) in enumerate(zip(ours, theirs)):
                if not (own - right).abs().max() <= tolerance * right.abs().max():
                    found = stage
            return found
        """),
    right=rights("""
        allclose: body
            for stage in range(len(ours)):
                most = tolerance * float(theirs[stage].abs().max())
                if not torch.allclose(ours[stage], theirs[stage], rtol=0, atol=most):
                    return stage
            return -1
        all-at-once: body
            gaps = (ours - theirs).flatten(1).abs().amax(dim=1)
            wrong = ~(gaps <= tolerance * theirs.flatten(1).abs().amax(dim=1))
            return int(wrong.float().argmax()) if wrong.any() else -1
        next: = next((stage for stage in range(len(ours)) if not (ours[stage] - theirs[stage]).abs().max() <= tolerance * theirs[stage].abs().max()), -1)
        """),
)

# ---------------------------------------------------------------------------------------------------- tokenizer


def merging(id, says, numbers, pair, new_id):
    inputs = {"ids": torch.tensor(numbers), "pair": torch.tensor(pair), "new_id": new_id}

    def redraw(generator):
        shift = 1 + int(torch.randint(60, (1,), generator=generator))
        return {"ids": inputs["ids"] + shift, "pair": inputs["pair"] + shift, "new_id": new_id + shift}

    return Probe(id, says, inputs, redraw=redraw)


MERGE_PAIR = Task(
    id="merge-pair",
    title="Merge a pair",
    name="merge_pair",
    kind="function",
    signature="merge_pair(ids, pair, new_id)",
    axes=("tokens",),
    input_axes={"ids": ("tokens before",), "pair": ("pair",)},
    dtypes=WHOLE,
    probes=(
        merging("twice", "a pair that is there twice", [5, 3, 4, 9, 3, 4, 4], [3, 4], 256),
        merging("overlap", "7 7 7 7 7 and the pair (7, 7)", [7, 7, 7, 7, 7], [7, 7], 300),
        merging("end", "a pair at the end, turned round before", [4, 3, 8, 3, 4], [3, 4], 260),
        merging("none", "a pair that is not there", [4, 3, 5, 4, 3, 3], [3, 4], 261),
    ),
    checks=(
        Check("each pair becomes one id", 1, ("twice", "end", "none")),
        Check("what is merged is used up", 1, ("overlap", "twice")),
    ),
    learned="A merge is one pass from left to right. Training and encoding both are made of it.",
    demands={
        "go from left to right": "merged-from-the-right",
        "put `new_id` wherever": "first-pair-only",
        "are next to each other": "order-of-pair-ignored",
        "An id that was merged is used up": "merged-id-used-again",
    },
    hints=(
        "A `while` loop with a place: it goes on by 2 after a pair, and by 1 elsewhere.",
        "`old = ids.tolist()` and `both = pair.tolist()` make plain lists. Compare `old[place : place + 2] == both`.",
        "Append `new_id` and add 2 to the place, or append `old[place]` and add 1.",
    ),
    wrong=wrongs("""
        merged-id-used-again: body
            old, both, merged = ids.tolist(), pair.tolist(), []
            for place, one in enumerate(old):
                if old[place : place + 2] == both:
                    merged.append(new_id)
                elif old[place - 1 : place + 1] != both or place == 0:
                    merged.append(one)
            return torch.tensor(merged)
        second-id-kept: place += 2 → place += 1
        last-id-lost: while place < len(old): → while place < len(old) - 1:
        order-of-pair-ignored: old[place : place + 2] == both → sorted(old[place : place + 2]) == sorted(both)
        first-pair-only: == both: → == both and new_id not in merged:
        merged-from-the-right: body
            old, both, merged = ids.tolist()[::-1], pair.tolist()[::-1], []
            while old:
                if old[:2] == both:
                    merged.append(new_id)
                    old = old[2:]
                else:
                    merged.append(old.pop(0))
            return torch.tensor(merged[::-1])
        only-first-id-compared: old[place : place + 2] == both → old[place] == both[0]
        overlaps-merged: = torch.tensor([new_id if ids[place : place + 2].tolist() == [int(one) for one in pair] else int(ids[place]) for place in range(len(ids)) if place == 0 or ids[place - 1 : place + 1].tolist() != [int(one) for one in pair]])
        """),
    right=rights("""
        for-loop: body
            first, second = int(pair[0]), int(pair[1])
            merged, used = [], False
            for own, following in zip(ids.tolist(), [*ids.tolist()[1:], None]):
                if used:
                    used = False
                elif own == first and following == second:
                    merged.append(new_id)
                    used = True
                else:
                    merged.append(own)
            return torch.tensor(merged)
        last-of-merged: body
            merged = []
            before = None
            for one in ids.tolist():
                if before == pair[0] and one == pair[1]:
                    merged[-1] = new_id
                    before = None
                else:
                    merged.append(one)
                    before = one
            return torch.tensor(merged)
        two-numbers: old[place : place + 2] == both → place + 1 < len(old) and old[place] == both[0] and old[place + 1] == both[1]
        """),
)


def pieces(id, says, seed, sizes, num_merges, letters=3):
    """Pieces of bytes; those of a few letters, so that pairs come again and again."""

    def some(generator):
        return {"pieces": 97 + torch.randint(letters, (sum(sizes),), generator=generator)}

    inputs = {**some(torch.Generator().manual_seed(seed)), "num_merges": num_merges}
    return Probe(id, says, inputs, settings={"lists": {"pieces": (0, list(sizes))}}, redraw=some)


# "ab" is in no piece more often than in two of them together, "ba" only across their borders.
BORDERS = Probe(
    "borders",
    "pieces whose borders make a pair",
    {"pieces": torch.tensor([97, 97, 98, 99, 97, 98, 97, 98, 99, 99]), "num_merges": 2},
    settings={"lists": {"pieces": (0, [1, 3, 2, 2, 2])}},
    redraw=lambda generator: {
        "pieces": torch.tensor([97, 97, 98, 99, 97, 98, 97, 98, 99, 99])
        + int(torch.randint(1, 20, (1,), generator=generator))
    },
)
TRAIN_BPE = Task(
    id="train-bpe",
    title="Learn the merges",
    name="train_bpe",
    kind="function",
    signature="train_bpe(pieces, num_merges)",
    axes=("merges", "pair"),
    needs=("merge-pair",),
    dtypes=WHOLE,
    probes=(
        pieces("three", "pieces of three letters", 1, (7, 9, 4, 8), 5),
        pieces("four", "pieces of four letters", 2, (6, 5, 11, 9, 3), 7, letters=4),
        pieces("long", "one long piece", 3, (40,), 6),
        BORDERS,
    ),
    checks=(
        Check("the most frequent pair, again and again", 2, ("three", "four", "long")),
        Check("no pair across two pieces", 1, ("borders", "three")),
    ),
    learned="BPE is counting: the most frequent pair becomes a token, and can be a part of the next one.",
    demands={
        "In each round, count all pairs of neighbours": "counted-once",
        "in all pieces": "first-piece-only",
        "never across two pieces": "counted-across-borders",
        "Take the most frequent pair": "rarest-pair",
        "if there are several, the **smallest**": "first-pair-of-several",
        "Merge it in all pieces": "same-id-again",
    },
    hints=(
        "`zip(ids.tolist(), ids.tolist()[1:])` are the pairs of neighbours of one piece. `Counter` counts what it is given.",
        "`min(counts, key=lambda pair: (-counts[pair], pair))`: the highest count, and of several the smallest pair.",
        "`pieces = [merge_pair(ids, torch.tensor(best), new_id) for ids in pieces]`, with 256 as the first new id.",
    ),
    wrong=wrongs("""
        counted-once: body
            counts = Counter(pair for ids in pieces for pair in zip(ids.tolist(), ids.tolist()[1:]))
            best = sorted(counts, key=lambda pair: (-counts[pair], pair))
            return torch.tensor((best * num_merges)[:num_merges])
        first-pair-of-several: min(counts, key=lambda pair: (-counts[pair], pair)) → max(counts, key=counts.get)
        largest-pair-of-several: min(counts, key=lambda pair: (-counts[pair], pair)) → max(counts, key=lambda pair: (counts[pair], pair))
        rarest-pair: (-counts[pair], pair) → (counts[pair], pair)
        counted-across-borders: body
            merges, ids = [], torch.cat(list(pieces))
            for new_id in range(256, 256 + num_merges):
                counts = Counter(zip(ids.tolist(), ids.tolist()[1:]))
                best = min(counts, key=lambda pair: (-counts[pair], pair))
                ids = merge_pair(ids, torch.tensor(best), new_id)
                merges.append(best)
            return torch.tensor(merges)
        counted-across-borders: for ids in pieces for pair → for ids in [torch.cat(list(pieces))] for pair
        first-id-too-large: torch.tensor(best), new_id) → torch.tensor(best), new_id + 1)
        same-id-again: torch.tensor(best), new_id) → torch.tensor(best), 256)
        first-piece-only: for ids in pieces for pair → for ids in pieces[:1] for pair
        pieces-counted-not-pairs: for pair in zip(ids.tolist(), ids.tolist()[1:])) → for pair in set(zip(ids.tolist(), ids.tolist()[1:])))
        edits-its-argument: pieces = [merge_pair(ids, torch.tensor(best), new_id) for ids in pieces] → pieces[:] = [merge_pair(ids, torch.tensor(best), new_id) for ids in pieces]
            hint: The merged pieces are written into the list that the caller gave. Keep them in a list of your own.
        """),
    right=rights("""
        pair-as-it-is: torch.tensor(best) → best
        most-common: body
            merges, lists = [], list(pieces)
            for step in range(num_merges):
                counts = Counter()
                for ids in lists:
                    counts.update(zip(ids[:-1].tolist(), ids[1:].tolist()))
                most = max(counts.values())
                best = min(pair for pair, count in counts.items() if count == most)
                lists = [merge_pair(ids, torch.tensor(best), 256 + step) for ids in lists]
                merges.append(best)
            return torch.tensor(merges)
        sorted: min(counts, key=lambda pair: (-counts[pair], pair)) → sorted(sorted(counts), key=counts.get, reverse=True)[0]
        length: range(256, 256 + num_merges) → range(256, num_merges + 256)
        """),
)

MERGES = torch.tensor(
    [[97, 98], [256, 99], [98, 99], [32, 256], [195, 164], [257, 256], [224, 166], [262, 149]]
)
WORDS = ("abcab", " ab", "cabab", "bcbc", "ababc", "abcabc ab", "xabcx")


def encoding(id, says, text):
    def redraw(generator):
        place = int(torch.randint(len(WORDS), (1,), generator=generator))
        return {"text": text + WORDS[place]}

    return Probe(id, says, {"text": text, "merges": MERGES}, redraw=redraw)


ENCODE_PIECE = Task(
    id="encode-piece",
    title="Encode",
    name="encode_piece",
    kind="function",
    signature="encode_piece(text, merges)",
    axes=("tokens",),
    input_axes={"merges": ("merges", "pair")},
    needs=("merge-pair",),
    dtypes=WHOLE,
    probes=(
        encoding("letters", "“abcabxbc”", "abcabxbc"),
        encoding("space", "“ abc”", " abc"),
        encoding("umlaut", "“äbc”, with a letter of two bytes", "äbc"),
        encoding("bengali", "“কab😀”, with letters of three and four bytes", "কab😀"),
    ),
    checks=(
        Check("merges in their order", 1, ("letters", "space")),
        Check("bytes, not letters", 1, ("umlaut", "bengali", "letters")),
    ),
    learned="Encoding replays the training: the merge that was learned first is done first, wherever it fits.",
    demands={
        "Start with its UTF-8 bytes": "letters-for-bytes",
        "**in the order in which they were learned**": "merges-in-reverse",
        "merges: (merges, 2), whole numbers": "id-is-the-rank",
    },
    hints=(
        '`list(text.encode("utf-8"))` are the bytes as whole numbers.',
        "Go through the merges from the first to the last. Merge number `rank` makes the id `256 + rank`.",
        "`ids = merge_pair(ids, pair, 256 + rank)` for each of `enumerate(merges)`.",
    ),
    wrong=wrongs("""
        letters-for-bytes: list(text.encode("utf-8")) → [ord(letter) for letter in text]
        letters-for-bytes: text.encode("utf-8") → text.encode("latin-1", errors="replace")
            hint: What Latin-1 does not know becomes a question mark here, and a letter such as ä one byte. Take `text.encode("utf-8")`.
        merges-in-reverse: enumerate(merges) → reversed(list(enumerate(merges)))
        id-is-the-rank: 256 + rank → rank
        first-merge-left-out: in enumerate(merges): → in list(enumerate(merges))[1:]:
        longest-token-first: body
            stands_for = [bytes([byte]) for byte in range(256)]
            for first, second in merges.tolist():
                stands_for.append(stands_for[first] + stands_for[second])
            rest, ids = text.encode("utf-8"), []
            while rest:
                ids.append(max(range(len(stands_for)), key=lambda one: len(stands_for[one]) * rest.startswith(stands_for[one])))
                rest = rest[len(stands_for[ids[-1]]) :]
            return torch.tensor(ids)
        return-inside-loop: `    return ids` → `        return ids`
            hint: Only the first merge is done. Is `return` inside the loop, or is the list cut to its first entry?
        stops-at-a-missing-pair: above ids = merge_pair → if len(merge_pair(ids, pair, 256 + rank)) == len(ids):↵    break
        leading-space-lost: text.encode → text.strip().encode
        """),
    right=rights("""
        lowest-rank: body
            ids, ranks = torch.tensor(list(text.encode())), {tuple(pair): rank for rank, pair in enumerate(merges.tolist())}
            while True:
                present = [ranks[pair] for pair in zip(ids.tolist(), ids.tolist()[1:]) if pair in ranks]
                if not present:
                    return ids
                ids = merge_pair(ids, merges[min(present)], 256 + min(present))
        bytearray: list(text.encode("utf-8")) → list(bytearray(text, "utf-8"))
        range: body
            ids = torch.tensor([*text.encode("utf-8")])
            for rank in range(len(merges)):
                ids = merge_pair(ids, merges[rank], rank + 256)
            return ids
        """),
)


def decoding(id, says, numbers):
    def redraw(generator):
        order = torch.randperm(len(numbers), generator=generator)
        return {"ids": torch.tensor([*numbers, 100])[order]}

    return Probe(id, says, {"ids": torch.tensor(numbers), "merges": MERGES}, redraw=redraw)


DECODE_BYTES = Task(
    id="decode-bytes",
    title="And back",
    name="decode_bytes",
    kind="function",
    signature="decode_bytes(ids, merges)",
    axes=("bytes",),
    input_axes={"merges": ("merges", "pair")},
    dtypes=(*WHOLE, "uint8", "int32"),
    probes=(
        decoding("once", "bytes and merges of bytes", [104, 256, 32, 258, 9]),
        decoding("merged-again", "merges of merges", [261, 257, 120, 259, 263]),
        decoding("bytes", "bytes alone", [200, 32, 97]),
    ),
    checks=(
        Check("bytes, and merges of bytes", 1, ("once", "bytes")),
        Check("merges of merges", 1, ("merged-again", "once")),
    ),
    learned="A token is a run of bytes, and decoding joins them. Only a whole text has to be valid UTF-8.",
    demands={
        "the bytes that the ids stand for": "pairs-in-reverse",
        "A merge stands for what its two ids stand for": "opened-once",
        "ids: (tokens,), whole numbers": "merges-off-by-one",
    },
    hints=(
        "Make a list with what each id stands for: first the 256 bytes, each alone.",
        "Merge k stands for `stands_for[first] + stands_for[second]`, and comes after all others.",
        "`torch.tensor([byte for one in ids.tolist() for byte in stands_for[one]])`",
    ),
    wrong=wrongs("""
        opened-once: stands_for[first] + stands_for[second] → [first, second]
        pairs-in-reverse: stands_for[first] + stands_for[second] → stands_for[second] + stands_for[first]
        first-half-only: stands_for[first] + stands_for[second] → stands_for[first]
        merges-off-by-one: range(256)] → range(257)]
        merges-off-by-one: stands_for[first] + stands_for[second] → stands_for[first] + stands_for[second] if len(stands_for) > 256 else [256]
        bytes-of-pairs-cut: body
            stands_for = [[byte] for byte in range(256)]
            for first, second in merges.tolist():
                stands_for.append(stands_for[first][-1:] + stands_for[second][:1])
            return torch.tensor([byte for one in ids.tolist() for byte in stands_for[one]])
        """),
    right=rights("""
        bytes: body
            stands_for = [bytes([byte]) for byte in range(256)]
            for first, second in merges.tolist():
                stands_for.append(stands_for[first] + stands_for[second])
            return torch.tensor(list(b"".join(stands_for[one] for one in ids.tolist())))
        recursion: body
            def opened(one):
                if one < 256:
                    return [one]
                first, second = merges[one - 256].tolist()
                return opened(first) + opened(second)
            return torch.tensor([byte for one in ids.tolist() for byte in opened(one)])
        backwards: body
            found = ids.tolist()
            for rank in reversed(range(len(merges))):
                found = [part for one in found for part in (merges[rank].tolist() if one == 256 + rank else [one])]
            return torch.tensor(found)
        """),
)

# --------------------------------------------------------------------------------------------------- generation


def distribution(id, says, seed, shape, *settings):
    names = ("temperature", "top_k", "top_p")
    inputs = {"logits": 2 * drawn(*shape, seed=seed), **dict(zip(names, settings))}
    return Probe(id, says, inputs)


NEARLY_EQUAL = {"logits": drawn(2, 5, seed=9) / 1000, "temperature": 0}

NEXT_PROBABILITIES = Task(
    id="next-probabilities",
    title="The distribution",
    name="next_probabilities",
    kind="function",
    signature="next_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0)",
    axes=("b", "vocab"),
    input_axes={"logits": ("b", "vocab")},
    probes=(
        distribution("plain", "logits alone", 1, (2, 7)),
        distribution("cold", "temperature 0.4", 2, (3, 6), 0.4),
        distribution("greedy", "temperature 0", 3, (3, 8), 0),
        Probe("greedy-near", "temperature 0, logits that hardly differ", NEARLY_EQUAL),
        distribution("top-k", "the 3 likeliest", 4, (2, 9), 1.0, 3),
        distribution("top-p", "top-p 0.6", 5, (3, 10), 1.0, None, 0.6),
        distribution("small-p", "top-p 0.01", 6, (2, 8), 1.0, None, 0.01),
        distribution("all", "temperature 1.7, the 5 likeliest, top-p 0.8", 7, (4, 11), 1.7, 5, 0.8),
        distribution("cold-p", "temperature 0.5 and top-p 0.7", 8, (3, 9), 0.5, None, 0.7),
    ),
    checks=(
        Check("temperature", 1, ("plain", "cold", "greedy", "greedy-near")),
        Check("top-k", 1, ("top-k", "plain")),
        Check("top-p", 1, ("top-p", "small-p", "plain")),
        Check("together", 1, ("all", "cold-p")),
    ),
    properties=("sums-to-one", "not-negative"),
    words={"last_axis": "dim=-1"},
    learned="Temperature changes how much likelier the likely are; top-k and top-p change who is left. None of it draws: what "
    "is drawn from can be checked without luck.",
    demands={
        "First the temperature": "temperature-after-top-p",
        "0 means greedy": "temperature-zero-divides",
        "logits are divided by $T$": "temperature-upside-down",
        "only the $k$ likeliest tokens are kept": "least-likely-kept",
        "The token that reaches $p$ is kept": "last-token-of-top-p-lost",
        "**of what top-k has left**": "top-p-before-top-k",
        "Each row adds up to 1": "kept-not-normalised",
    },
    hints=(
        "Sort the probabilities, the largest first: `ordered, order = probabilities.sort(dim=-1, descending=True)`.",
        "A token stays where those before it together are less than `top_p`: `ordered.cumsum(dim=-1) - ordered < top_p`.",
        "`torch.zeros_like(probabilities).scatter(-1, order, ordered)` puts the numbers back in the vocabulary's order. Then divide each row by its sum.",
    ),
    wrong=wrongs("""
        temperature-upside-down: logits / temperature → logits * temperature
        temperature-zero-divides: if temperature == 0: … return F.one_hot → if temperature is None:↵    return F.one_hot
        temperature-zero-divides: if temperature == 0: … return F.one_hot → temperature = max(temperature, 1e-2)↵if temperature is None:↵    return F.one_hot
            hint: A temperature of 0 is replaced by a small one. Where two logits nearly agree, both then keep a share. Take the likeliest token with `argmax`.
        temperature-after-top-p: logits / temperature → logits
            return kept / kept.sum(dim=-1, keepdim=True) → kept = torch.softmax(kept.log() / temperature, dim=-1)↵return kept
        last-token-of-top-p-lost: before = ordered.cumsum(dim=-1) - ordered → before = ordered.cumsum(dim=-1)
            before >= top_p → (before >= top_p) & (torch.arange(before.shape[-1]) > 0)
        last-token-of-top-p-lost: before >= top_p → (top_p < 1) & (before + ordered > top_p) & (torch.arange(before.shape[-1]) > 0)
        top-p-empties-the-row: before = ordered.cumsum(dim=-1) - ordered → before = ordered.cumsum(dim=-1)
        top-p-empties-the-row: before = ordered.cumsum(dim=-1) - ordered → before = ordered.cumsum(dim=-1)
            before >= top_p → (top_p < 1) & (before >= top_p)
        each-token-against-p: before >= top_p → ordered < 1 - top_p
        top-p-before-top-k: ordered = ordered / ordered.sum(dim=-1, keepdim=True) → pass
        least-likely-kept: descending=True → descending=False
        one-token-too-many: ordered[:, top_k:] = 0 → ordered[:, top_k + 1 :] = 0
        kept-not-normalised: kept / kept.sum(dim=-1, keepdim=True) → kept
        order-not-restored: torch.zeros_like(probabilities).scatter(-1, order, ordered) → ordered
        order-not-restored: torch.zeros_like(probabilities).scatter(-1, order, ordered) → ordered if top_k or top_p < 1 else probabilities
        order-not-restored: torch.zeros_like(probabilities).scatter(-1, order, ordered) → ordered if top_p < 1 else torch.zeros_like(probabilities).scatter(-1, order, ordered)
        softmax-over-batch: torch.softmax(logits / temperature, dim=-1) → torch.softmax(logits / temperature, dim=0)
            hint: Softmax runs over the batch: axis 0 counts the texts. Each row is shared out over the vocabulary: `dim=-1`.
        """),
    right=rights("""
        by-threshold: body
            if temperature == 0:
                return torch.zeros_like(logits).scatter(-1, logits.argmax(-1, keepdim=True), 1.0)
            logits = logits / temperature
            if top_k is not None:
                least = logits.topk(min(top_k, logits.shape[-1])).values[..., -1:]
                logits = logits.masked_fill(logits < least, -torch.inf)
            probabilities = logits.softmax(-1)
            ordered, order = probabilities.sort(-1, descending=True)
            remove = (ordered.cumsum(-1) - ordered >= top_p).gather(-1, order.argsort(-1))
            return logits.masked_fill(remove, -torch.inf).softmax(-1)
        as-the-library: body
            if temperature == 0:
                return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).float()
            logits = logits / temperature
            if top_k is not None:
                logits = logits.masked_fill(logits < torch.topk(logits, top_k)[0][..., -1, None], -torch.inf)
            if top_p < 1:
                ordered, order = torch.sort(logits, descending=False)
                remove = ordered.softmax(dim=-1).cumsum(dim=-1) <= (1 - top_p)
                remove[..., -1:] = False
                logits = logits.masked_fill(remove.scatter(1, order, remove), -torch.inf)
            return logits.softmax(dim=-1)
        row-by-row: body
            result = torch.zeros_like(logits)
            for row, ones in zip(result, logits):
                if temperature == 0:
                    row[ones.argmax()] = 1
                    continue
                shares = torch.softmax(ones / temperature, dim=0)
                places = shares.argsort(descending=True)[: len(shares) if top_k is None else top_k]
                shares = shares / shares[places].sum()
                total = 0.0
                for place in places:
                    if total >= top_p:
                        break
                    row[place] = shares[place]
                    total = total + shares[place]
                row /= row.sum()
            return result
        """),
)


def writing(id, says, seed, tokens, count, end=None, room=9, layers=2):
    def redraw(generator):
        return {"ids": torch.randint(7, (1, tokens), generator=generator)}

    inputs = {"model": model(seed, layers, room=room), "ids": ids(1, tokens, seed=seed), "count": count}
    return Probe(id, says, inputs | ({} if end is None else {"end": end}), redraw=redraw)


GENERATE = Task(
    id="generate-until-end",
    title="Write",
    name="generate",
    kind="function",
    signature="generate(model, ids, count, end=None)",
    axes=("b", "tokens and new ones"),
    input_axes={"ids": IDS},
    dtypes=WHOLE,
    probes=(
        writing("five", "three tokens and five new ones", 1, 3, 5, room=12),
        writing("none", "no new token", 2, 4, 0, room=13),
        writing("long", "a text that grows beyond the positions", 10, 6, 10, room=8, layers=3),
        writing("longer", "a text that is too long from the start", 4, 9, 8, room=5, layers=1),
        *(
            writing(f"end-{end}", f"a text that ends with token {end}", 4, 4, 6, end, room=12)
            for end in range(7)
        ),
    ),
    checks=(
        Check("the likeliest token, again and again", 1, ("five", "none")),
        Check("a text beyond the positions", 1, ("long", "longer", "five")),
        Check("stop after the end", 1, tuple(f"end-{end}" for end in range(7))),
    ),
    learned="Writing is reading, again and again. The model sees its own tokens as if they had been given.",
    demands={
        "Append the likeliest next token": "least-likely-appended",
        "up to `count` times": "one-token-too-many-written",
        "Stop right after the token `end` has been appended": "end-left-out",
        "of a longer text, give it only the last ones": "first-tokens-kept",
        "Return the ids, the given ones first": "new-tokens-only",
    },
    hints=(
        "The next token is told at the last position: `model(ids)[:, -1]`, (1, vocab).",
        "`len(model.positions.weight)` tokens fit. `ids[:, -room:]` are the last ones.",
        "`torch.cat((ids, new), dim=1)` with `new` (1, 1); then `break` where `new.item() == end`.",
    ),
    wrong=wrongs("""
        least-likely-appended: argmax → argmin
        first-position-read: [:, -1]  # (1, vocab) → [:, 0]  # (1, vocab)
        first-tokens-kept: ids[:, -room:] → ids[:, :room]
        whole-text-read: ids[:, -room:] → ids
        window-returned: logits = model(ids[:, -room:]) → ids = ids[:, -room:]↵logits = model(ids)
        last-token-alone-read: ids[:, -room:] → ids[:, -1:]
        end-left-out: below new = → if new.item() == end:↵    break
        end-ignored: if new.item() == end: → if False:
        end-zero-ignored: if new.item() == end: → if end and new.item() == end:
        one-token-too-many-written: range(count) → range(count + 1)
        new-tokens-only: above room = → given = ids.shape[1]
            return ids → return ids[:, given:]
        """),
    right=rights("""
        while-loop: body
            written = 0
            while written < count:
                new = model(ids[:, -len(model.positions.weight) :])[0, -1].argmax().view(1, 1)
                ids = torch.cat([ids, new], dim=-1)
                written += 1
                if end is not None and int(new) == end:
                    return ids
            return ids
        list: body
            numbers = ids[0].tolist()
            for _ in range(count):
                seen = torch.tensor([numbers[-model.positions.weight.shape[0] :]])
                numbers.append(int(model(seen)[0, -1].argmax()))
                if numbers[-1] == end:
                    break
            return torch.tensor([numbers])
        topk: logits.argmax(dim=-1, keepdim=True) → logits.topk(1, dim=-1).indices
        """),
)


def in_pieces(id, says, seed, b, sizes, layers=2, heads=2, given=None, **more):
    def redraw(generator):
        return {"pieces": torch.randint(7, (b, sum(sizes)), generator=generator)}

    inputs = {
        "model": given or model(seed, layers, heads, room=12),
        "pieces": ids(b, sum(sizes), seed=seed),
        "num_heads": heads,
    }
    settings = {"lists": {"pieces": (1, list(sizes))}, **more.pop("settings", {})}
    return Probe(id, says, inputs, settings=settings, redraw=redraw, **more)


CACHED_LOGITS = Task(
    id="cached-logits",
    title="With a cache",
    name="cached_logits",
    kind="function",
    signature="cached_logits(model, pieces, num_heads)",
    axes=LOGITS,
    probes=(
        in_pieces("one-by-one", "four tokens, then one at a time", 1, 2, (4, 1, 1, 1)),
        in_pieces("several", "pieces of several tokens", 2, 3, (2, 3, 4), layers=3, heads=4),
        in_pieces("whole", "one piece", 3, 2, (5,), layers=1),
        in_pieces(
            "biases",
            "a GPT-2 whose queries, keys and values have biases",
            6,
            2,
            (3, 1, 2),
            given=Specimen(
                "biased-gpt", {"seed": 6, "vocab": 7, "d_model": 8, "heads": 2, "layers": 2, "room": 12}
            ),
        ),
        in_pieces(
            "from-one",
            "pieces of one token that arrive one by one",
            4,
            3,
            (1, 1, 1, 1, 1, 1),
            heads=4,
            settings={"arriving": ["pieces"]},
        ),
        in_pieces(
            "costs",
            "pieces of one token",
            5,
            2,
            (2, *[1] * 8),
            observe="costs",
            settings={"arriving": ["pieces"], "numbers": 10**6, "products": 50_000},
        ),
    ),
    checks=(
        Check("a prompt at once", 0, ("whole",)),
        Check("one token at a time", 0, ("one-by-one", "from-one")),
        Check("several tokens at a time", 0, ("several", "whole", "biases")),
        Check("nothing is computed twice", 0, ("costs", "one-by-one")),
    ),
    words={"width": "√head_dim", "x": "pieces", "swap": "keys.mT"},
    learned="A causal model never changes what it has read. So keys and values are kept, and a new token costs one row.",
    demands={
        "Return the logits of all tokens": "new-logits-only",
        "as `model` gives them for the whole text": "biases-passed-over",
        "never compute a token's keys and values twice": "read-again",
        "The pieces arrive one by one": "pieces-kept",
        "its embedding plus **its own** positions, which keep counting": "positions-start-again",
        "the kept keys and values before the new ones": "kept-behind-new",
        "causal attention of the new queries to all keys": "future-of-piece-visible",
        "added to the stream; then the MLP": "stream-not-added",
    },
    hints=(
        "Keep a dictionary from the layer's number to its keys and values, and the number of tokens so far.",
        "A new query in row i is at position `start - new + i`. So `torch.ones(new, start).triu(start - new + 1)` hides its future.",
        "After the attention: `x = x + attention.out_proj(context)`, then `x = x + block.mlp(block.norm_2(x))`; at the end `unembedding(norm(x))`.",
    ),
    wrong=wrongs("""
        pieces-kept: = model(torch.cat(list(pieces), dim=1))
        positions-start-again: model.positions.weight[start : start + new] → model.positions.weight[:new]
        positions-of-the-end: model.positions.weight[start : start + new] → model.positions.weight[start + new - 1 : start + new]
        kept-behind-new: (kept[layer][0], keys) → (keys, kept[layer][0])
            (kept[layer][1], values) → (values, kept[layer][1])
        mask-top-left: .triu(start - new + 1) → .triu(1)
        future-of-piece-visible: .triu(start - new + 1) → .triu(start)
        diagonal-hidden: .triu(start - new + 1) → .triu(start - new)
            hint: A token is hidden from itself. It may look at itself: one step further, `.triu(start - new + 1)`.
        cache-shared-by-layers: kept[layer][0] → kept[0][0]
            kept[layer][1] → kept[0][1]
            kept[layer] = keys, values → kept[layer] = keys, values
        one-cache-for-all-layers: if layer in kept: → if 0 in kept:
            kept[layer][0] → kept[0][0]
            kept[layer][1] → kept[0][1]
            kept[layer] = keys, values → kept[0] = keys, values
            masked_fill(hidden, → masked_fill(torch.ones(new, keys.shape[2], dtype=torch.bool).triu(keys.shape[2] - new + 1),
        cache-never-grows: kept[layer] = keys, values → kept.setdefault(layer, (keys, values))
        last-piece-kept: if layer in kept: → new_ones = keys, values↵if layer in kept:
            kept[layer] = keys, values → kept[layer] = new_ones
            scores.masked_fill(hidden, → scores.masked_fill(hidden[:, -keys.shape[2] :],
        past-not-read: if layer in kept: → if False:
            hidden = torch.ones(new, start → hidden = torch.ones(new, new
            .triu(start - new + 1) → .triu(1)
        first-piece-masked: triu(start - new + 1) → triu(start - new + 1) & (start == new)
        values-not-kept: values = torch.cat((kept[layer][1], values), dim=2) → values = torch.cat((kept[layer][0], values), dim=2)
        biases-passed-over: project(read) → (read @ project.weight.T)
        stream-not-added: x = x + attention.out_proj(context) → x = attention.out_proj(context)
        last-norm-left-out: model.unembedding(model.norm(x)) → model.unembedding(x)
        no-scale: / keys.shape[-1] ** 0.5 →
        scaled-by-model-width: keys.shape[-1] ** 0.5 → x.shape[-1] ** 0.5
        new-logits-only: return torch.cat(results, dim=1) → return results[-1]
        read-again: body
            whole, results = None, []
            for ids in pieces:
                whole = ids if whole is None else torch.cat((whole, ids), dim=1)
                results.append(model(whole)[:, -ids.shape[1] :])
            return torch.cat(results, dim=1)
        """),
    right=rights("""
        lists: body
            keys_of, values_of, results, start = [None] * len(model.blocks), [None] * len(model.blocks), [], 0
            for piece in pieces:
                new = piece.shape[1]
                places = torch.arange(start, start + new)
                x = model.embedding(piece) + model.positions(places)
                for number, block in enumerate(model.blocks):
                    y, att = block.norm_1(x), block.attention
                    q, k, v = (one(y).unflatten(-1, (num_heads, -1)).transpose(1, 2) for one in (att.W_query, att.W_key, att.W_value))
                    keys_of[number] = k if keys_of[number] is None else torch.cat([keys_of[number], k], dim=-2)
                    values_of[number] = v if values_of[number] is None else torch.cat([values_of[number], v], dim=-2)
                    visible = torch.arange(start + new) <= places[:, None]
                    mixed = F.scaled_dot_product_attention(q, keys_of[number], values_of[number], attn_mask=visible)
                    x = x + att.out_proj(mixed.transpose(1, 2).flatten(2))
                    x = x + block.mlp(block.norm_2(x))
                start += new
                results.append(model.unembedding(model.norm(x)))
            return torch.cat(results, dim=1)
        lowest: -torch.inf), dim=-1) → torch.finfo(scores.dtype).min), dim=-1)
        reshape: .view(b, new, num_heads, -1) → .reshape(b, new, num_heads, -1)
        """),
)

# -------------------------------------------------------------------------------------------------------- Llama


def normed(id, says, shape, seed, eps=None, scale=1.0, **more):
    construct = {"d_model": shape[-1]} | ({} if eps is None else {"eps": eps})
    x = scale * (3 + 2 * drawn(*shape, seed=seed))
    return Probe(
        id,
        says,
        {"x": x},
        construct=construct,
        weights={"weight": 1 + drawn(shape[-1], seed=seed + 9)},
        **more,
    )


RMS_NORM = Task(
    id="rms-norm",
    title="RMSNorm",
    name="RMSNorm",
    kind="module",
    signature="RMSNorm(d_model, eps=1e-6)",
    axes=("b", "tokens", "d_model"),
    input_axes={"x": ("b", "tokens", "d_model")},
    probes=(
        normed("tokens", "two texts of three tokens", (2, 3, 5), 1),
        normed("eps", "an epsilon of 0.7", (3, 2, 4), 2, eps=0.7),
        normed("small", "tokens of tiny numbers", (2, 3, 4), 5, scale=1e-4),
        normed("double", "tokens in float64", (2, 4, 6), 3, dtype="float64"),
        normed("start", "a new RMSNorm", (2, 3, 4), 4, observe="start-values", settings={"range": True}),
    ),
    checks=(
        Check("each token by its root mean square", 1, ("tokens", "double")),
        Check("epsilon and start", 1, ("eps", "small", "start", "tokens")),
    ),
    learned="Before its weight, RMSNorm keeps a vector's direction and fixes its length. It is LayerNorm without the mean and the bias.",
    demands={
        "by the root of the mean square": "sum-for-mean-square",
        "The mean runs over the last axis": "mean-square-over-tokens",
        "`weight` starts with ones": "weight-starts-random",
        "\\epsilon": "epsilon-left-out",
        "only divides": "mean-subtracted",
    },
    hints=(
        "`self.weight = nn.Parameter(torch.ones(d_model))`, and keep `eps`.",
        "`(x * x).mean(dim=-1, keepdim=True)` is the mean square of each token.",
        "`x / torch.sqrt(mean_square + self.eps) * self.weight`",
    ),
    wrong=wrongs("""
        mean-subtracted: above mean_square = → x = x - x.mean(dim=-1, keepdim=True)
        spread-for-mean-square: (x * x).mean(dim=-1, keepdim=True) → x.var(dim=-1, keepdim=True, unbiased=False)
        one-added-to-weight: * self.weight → * (1 + self.weight)
        sum-for-mean-square: .mean(dim=-1, keepdim=True) → .sum(dim=-1, keepdim=True)
        mean-square-over-tokens: .mean(dim=-1, keepdim=True) → .mean(dim=-2, keepdim=True)
        epsilon-left-out: mean_square + self.eps → mean_square
        epsilon-behind-the-root: torch.sqrt(mean_square + self.eps) → (torch.sqrt(mean_square) + self.eps)
        epsilon-typed-in: self.eps = eps → self.eps = 1e-6
        root-left-out: torch.sqrt(mean_square + self.eps) → (mean_square + self.eps)
        norm-without-weight: * self.weight → + 0 * self.weight
        weight-starts-random: torch.ones(d_model) → torch.randn(d_model)
        plain-tensors: nn.Parameter(torch.ones(d_model)) → torch.ones(d_model)
            hint: `weight` is a plain tensor, so it can be neither trained nor filled from a file. Use `nn.Parameter`.
        multiplied-by-the-root: x / torch.sqrt → x * torch.sqrt
        """),
    right=rights("""
        rsqrt: x / torch.sqrt(mean_square + self.eps) * self.weight → x * torch.rsqrt(mean_square + self.eps) * self.weight
        pow: (x * x).mean(dim=-1, keepdim=True) → x.pow(2).mean(-1, keepdim=True)
        functional: body forward
            return F.rms_norm(x, self.weight.shape, self.weight, self.eps)
        """),
)

SIZES = ("d_model", "num_heads", "num_kv_groups", "head_dim", "base", "qk_norm", "eps")


def attending(id, says, shape, sizes, seed, **more):
    construct = dict(zip(SIZES, sizes))
    if len(sizes) > 5 and sizes[5]:
        more["weights"] = {
            f"{name}_norm.weight": 1 + 0.5 * drawn(sizes[3], seed=seed + at)
            for at, name in enumerate(("query", "key"))
        }
    return Probe(id, says, {"x": 2 * drawn(*shape, seed=seed)}, construct=construct, seed=seed, **more)


LLAMA_ATTENTION = Task(
    id="llama-attention",
    title="Llama's attention, and Qwen3's",
    name="LlamaAttention",
    kind="module",
    signature="LlamaAttention(d_model, num_heads, num_kv_groups, head_dim, base=10000.0, qk_norm=False, eps=1e-6)",
    axes=("b", "tokens", "d_model"),
    input_axes={"x": ("b", "tokens", "d_model")},
    needs=("rms-norm",),
    probes=(
        attending("groups", "six heads in two groups", (2, 5, 7), (7, 6, 2, 4), 1),
        attending("base", "a base of 50", (3, 6, 10), (10, 4, 2, 8, 50.0), 2),
        attending("every-head", "as many groups as heads", (2, 4, 9), (9, 3, 3, 6), 3),
        attending("qwen", "QK-norm", (2, 5, 6), (6, 4, 2, 8, 300.0, True), 4),
        attending(
            "qwen-eps", "QK-norm with an epsilon of 0.5", (3, 4, 5), (5, 2, 1, 6, 10000.0, True, 0.5), 5
        ),
        attending("one-token", "a single token", (3, 1, 7), (7, 6, 2, 4), 6),
        attending(
            "look-ahead",
            "sentences with one token changed at a time",
            (2, 5, 7),
            (7, 6, 2, 4),
            7,
            observe="influence",
            settings={"input": "x", "axis": -2},
        ),
        attending("double", "a module and inputs of float64", (2, 5, 7), (7, 6, 2, 4), 8, dtype="float64"),
    ),
    checks=(
        Check("Llama's attention", 3, ("groups", "base", "one-token", "look-ahead", "double")),
        Check("as many groups as heads", 1, ("every-head",)),
        Check("Qwen3's", 1, ("qwen", "qwen-eps")),
    ),
    words={"width": "√head_dim", "swap": "keys.mT"},
    learned="Llama's attention is that of lesson 11 with rotated queries and keys. Qwen3 fixes the length of both first, so "
    "that no score can grow without bound.",
    demands={
        "causal, no biases": "no-mask",
        "and `out_proj`": "no-out-proj",
        "so all heads together can be wider than `d_model`": "width-from-the-stream",
        "Rotate queries and keys": "keys-not-rotated",
        "each head on its own": "rotated-before-the-cut",
        "and `base`": "base-not-passed-on",
        "in neighbouring groups": "groups-taken-in-turn",
        "Divide the scores by √head_dim": "no-scale",
        "**before** the rotation": "normed-after-rotation",
        "its keys through `key_norm`": "keys-not-normed",
        "RMSNorm(head_dim, eps)": "eps-not-passed-on",
    },
    hints=(
        "`W_query` gives num_heads · head_dim numbers, `W_key` and `W_value` num_kv_groups · head_dim. View, transpose, norm, rotate.",
        "`apply_rope(queries, torch.arange(num_tokens), self.base)` rotates each head of (b, heads, tokens, head_dim).",
        "`keys.repeat_interleave(num_heads // num_kv_groups, dim=1)`, then attention as in lesson 05, then `out_proj`.",
    ),
    wrong=wrongs("""
        no-mask: scores.masked_fill(hidden, -torch.inf) → scores
            hint: Nothing is hidden, so every token sees the whole sentence. Fill the future with `-torch.inf`.
        no-out-proj: self.out_proj(context) → context
            num_heads * head_dim, d_model, bias=False) → num_heads * head_dim, num_heads * head_dim, bias=False)
        width-from-the-stream: num_heads * head_dim, bias=False)↵ → d_model, bias=False)↵
        keys-not-rotated: keys = apply_rope(keys, positions, self.base) → pass
        values-rotated: sharing = self → values = apply_rope(values, positions, self.base)↵sharing = self
        base-not-passed-on: positions, self.base) →2 positions)
        base-not-passed-on: apply_rope(queries, positions, self.base) → apply_rope(queries, positions)
        base-not-passed-on: apply_rope(keys, positions, self.base) → apply_rope(keys, positions)
        groups-taken-in-turn: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
            values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        groups-taken-in-turn: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
        no-scale: / keys.shape[-1] ** 0.5 →
        normed-after-rotation: line if self.qk_norm: →
            line self.query_norm(queries) →
            above sharing = self → if self.qk_norm:↵    queries, keys = self.query_norm(queries), self.key_norm(keys)
        keys-not-normed: self.query_norm(queries), self.key_norm(keys) → self.query_norm(queries), keys + 0 * self.key_norm.weight
        keys-share-a-norm: self.query_norm(queries), self.key_norm(keys) → self.query_norm(queries), self.query_norm(keys) + 0 * self.key_norm.weight
        eps-not-passed-on: RMSNorm(head_dim, eps), RMSNorm(head_dim, eps) → RMSNorm(head_dim), RMSNorm(head_dim)
        rotated-before-the-cut: queries = self.W_query(x).view → queries = apply_rope(self.W_query(x), torch.arange(num_tokens), self.base).view
            keys = self.W_key(x).view → keys = apply_rope(self.W_key(x), torch.arange(num_tokens), self.base).view
            queries = apply_rope(queries, positions, self.base) → pass
            keys = apply_rope(keys, positions, self.base) → pass
        keys-as-values: values = self.W_value(x) → values = self.W_key(x)
        """),
    right=rights("""
        sdpa: body forward
            b, n, _ = x.shape
            q, k, v = (layer(x).unflatten(-1, (heads, -1)).transpose(1, 2) for layer, heads in ((self.W_query, self.num_heads), (self.W_key, self.num_kv_groups), (self.W_value, self.num_kv_groups)))
            if self.qk_norm:
                q, k = self.query_norm(q), self.key_norm(k)
            q, k = (apply_rope(one, torch.arange(n, device=x.device), self.base) for one in (q, k))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            return self.out_proj(mixed.transpose(1, 2).flatten(2))
        lowest: -torch.inf), dim=-1) → torch.finfo(scores.dtype).min), dim=-1)
        expand: keys.repeat_interleave(sharing, dim=1) → keys.unsqueeze(2).expand(-1, -1, sharing, -1, -1).flatten(1, 2)
        """),
)

LLAMA = ("vocab", "d_model", "num_layers", "num_heads", "num_kv_groups", "head_dim", "hidden")


def llama(id, says, seed, layers=2, qk_norm=False, raises=(), **settings):
    sizes = (7, 6, layers, 4, 2, 8, 10)
    own = {**dict(zip(LLAMA, sizes)), "base": 100.0, "qk_norm": qk_norm}
    shapes = {
        "vocab": 7,
        "d_model": 6,
        "layers": layers,
        "heads": 4,
        "groups": 2,
        "head_dim": 8,
        "hidden": 10,
    }
    state, redraw = stored("llama-state", seed, **shapes, qk_norm=qk_norm, **settings)
    inputs = {"model": Made("Llama", own, seed=seed), "state": state}
    return Probe(id, says, inputs, then={"ids": ids(2, 5, seed=seed)}, raises=raises, redraw=redraw)


BLOCK = "model.layers.1"
LOAD_LLAMA = Task(
    id="load-llama",
    title="Load Llama",
    name="load_llama",
    kind="function",
    signature="load_llama(model, state)",
    axes=LOGITS,
    needs=("rms-norm", "llama-attention"),
    probes=(
        llama("llama", "a Llama", 1),
        llama("deep", "a Llama of three blocks", 2, layers=3),
        llama("tied", "a Llama without `lm_head.weight`", 3, tied=True),
        llama("qwen", "a Qwen3", 4, qk_norm=True, tied=True),
        llama(
            "missing",
            "a file without a `k_proj`",
            5,
            raises=REFUSED,
            without=f"{BLOCK}.self_attn.k_proj.weight",
        ),
        llama("extra", "a file with a bias", 6, raises=REFUSED, extra=f"{BLOCK}.self_attn.q_proj.bias"),
        llama(
            "turned",
            "a file with a transposed `down_proj`",
            7,
            raises=REFUSED,
            turned=f"{BLOCK}.mlp.down_proj.weight",
        ),
    ),
    checks=(
        Check("a Llama", 1, ("llama", "deep")),
        Check("one table", 1, ("tied", "llama")),
        Check("a Qwen3", 1, ("qwen",)),
        Check("what does not fit is refused", 1, ("missing", "extra", "turned", "llama")),
    ),
    learned="One table of names is nearly all of it. What differs between models of this kind is in `config.json`.",
    demands={
        "Linear layers are stored as (out, in), like yours": "turned-needlessly",
        "`post_attention_layernorm` is `norm_2`": "llama-norms-exchanged",
        "the unembedding gets the embedding's numbers": "llama-not-tied",
        "with `fill`": "refusal-avoided",
    },
    hints=(
        "Take `model.` off, and translate each part between the dots by a table.",
        "The table: layers, embed_tokens, lm_head, self_attn, q_proj to o_proj, q_norm, k_norm, both norms, gate_proj, up_proj, down_proj.",
        '`own.setdefault("unembedding.weight", own.get("embedding.weight"))` before `fill`.',
    ),
    wrong=wrongs("""
        llama-norms-exchanged: "input_layernorm": "norm_1", "post_attention_layernorm": "norm_2" → "input_layernorm": "norm_2", "post_attention_layernorm": "norm_1"
        gate-and-up-exchanged: "gate_proj": "gate", "up_proj": "up" → "gate_proj": "up", "up_proj": "gate"
        values-and-keys-exchanged: "k_proj": "W_key", "v_proj": "W_value" → "k_proj": "W_value", "v_proj": "W_key"
        qk-norms-exchanged: "q_norm": "query_norm", "k_norm": "key_norm" → "q_norm": "key_norm", "k_norm": "query_norm"
        llama-not-tied: line own.setdefault → own.setdefault("unembedding.weight", dict(model.named_parameters())["unembedding.weight"])
        turned-needlessly: own[".".join(table.get(part, part) for part in parts)] = tensor → own[".".join(table.get(part, part) for part in parts)] = tensor.T if "o_proj" in name or "q_proj" in name else tensor
        always-tied: own.setdefault("unembedding.weight", own.get("embedding.weight")) → own["unembedding.weight"] = own.get("embedding.weight")
        refusal-avoided: return fill(model, own) → model.load_state_dict({name: one for name, one in own.items() if name in dict(model.named_parameters()) and one.shape == dict(model.named_parameters())[name].shape}, strict=False)↵return model
        layer-number-lost: parts = name.removeprefix("model.").split(".") → parts = name.replace("layers.1", "layers.0").removeprefix("model.").split(".")
            return fill(model, own) → names = dict(model.named_parameters())↵return fill(model, {**{name: names[name] for name in names if "blocks.1" in name}, **own})
        """),
    right=rights("""
        tied-before: own.setdefault("unembedding.weight", own.get("embedding.weight")) → own = {"unembedding.weight": own["embedding.weight"], **own}
        condition: line own.setdefault → if "lm_head.weight" not in state:↵    own["unembedding.weight"] = state["model.embed_tokens.weight"]
        replace: name.removeprefix("model.").split(".") → name.replace("model.", "", 1).split(".")
        """),
)


def rows(id, says, heads, head_dim, d_model, seed):
    return Probe(id, says, {"weight": drawn(heads * head_dim, d_model, seed=seed), "num_heads": heads})


PERMUTED_ROWS = Task(
    id="bug-permuted-rows",
    title="Find the bug: the rows of another form",
    name="from_meta",
    kind="function",
    signature="from_meta(weight, num_heads)",
    axes=("out", "in"),
    input_axes={"weight": ("out", "in")},
    probes=(
        rows("one-head", "one head of six rows", 1, 6, 5, 1),
        rows("two-heads", "two heads of eight rows", 2, 8, 5, 2),
        rows("three-heads", "three heads of ten rows", 3, 10, 7, 3),
    ),
    checks=(
        Check(
            "first numbers of all pairs, then second numbers, head by head",
            2,
            ("one-head", "two-heads", "three-heads"),
        ),
    ),
    learned="Two files of one model can hold the same numbers in another order. What they are for decides which order is right.",
    demands={
        "**rows** of `W_query` and `W_key`, head by head": "heads-not-cut",
        "the first numbers of all pairs go into the first half": "left-as-given",
        "from the interleaved form to the half-split form": "rows-left-alone",
    },
    hints=(
        "Print which row comes where: `from_meta(torch.arange(6.0)[:, None], 1)` should be 0, 2, 4, 1, 3, 5.",
        "Neighbours are pairs in Meta's rows. So which of the two new axes counts the pairs, and which the two numbers of a pair?",
        "`weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. It cuts a head into two halves and
                makes neighbours of them: the way back.
        rows-left-alone: = weight
        heads-not-cut: (num_heads, -1, 2) → (1, -1, 2)
        second-numbers-first: pairs.transpose(1, 2) → pairs.transpose(1, 2).flip(1)
        columns-moved: = weight[:, torch.cat((torch.arange(0, weight.shape[1], 2), torch.arange(1, weight.shape[1], 2)))]
        """),
    right=rights("""
        view: = weight.view(num_heads, -1, 2, weight.shape[1]).transpose(1, 2).reshape(weight.shape)
        slices: = torch.cat([torch.cat((head[0::2], head[1::2])) for head in weight.chunk(num_heads)])
        movedim: pairs.transpose(1, 2) → pairs.movedim(2, 1)
        """),
)

# --------------------------------------------------------------------------------------------------- arithmetic

COUNTS = ("vocab", "d_model", "num_layers", "num_heads", "num_kv_groups", "head_dim", "hidden")


def taken(id, says, *numbers):
    names = (*COUNTS, "tied", "qk_norm", "num_tokens")
    *sizes, tied, qk_norm, num_tokens = numbers

    def redraw(generator):
        return {
            name: 3 + int(torch.randint(40, (1,), generator=generator)) for name in (*COUNTS, "num_tokens")
        }

    return Probe(id, says, dict(zip(names, (*sizes, tied, qk_norm, num_tokens))), redraw=redraw)


MODEL_SIZES = Task(
    id="model-sizes",
    title="What a model takes",
    name="model_sizes",
    kind="function",
    signature="model_sizes(vocab, d_model, num_layers, num_heads, num_kv_groups, head_dim, hidden, tied, qk_norm, num_tokens)",
    axes=("totals",),
    dtypes=WHOLE,
    probes=(
        taken("untied", "two tables", 11, 6, 2, 4, 2, 8, 10, False, False, 5),
        taken("tied", "one table", 13, 7, 3, 6, 3, 4, 9, True, False, 8),
        taken("qk-norm", "a model with QK-norm", 9, 5, 4, 3, 1, 6, 8, True, True, 7),
        taken("large", "a large model", 32000, 4096, 32, 32, 8, 128, 14336, False, False, 8192),
    ),
    checks=(Check("parameters, and what follows from them", 3, ("untied", "tied", "qk-norm", "large")),),
    learned="A few numbers say what a model takes. In most models the MLP is the largest part; the cache grows with the text.",
    demands={
        "the parameters of your `Llama`": "last-norm-not-counted",
        "the bytes of its weights with two bytes a number": "numbers-for-bytes",
        "the bytes of a cache for `num_tokens` tokens": "cache-of-all-heads",
        "Where the table is `tied`, it counts once": "table-counted-twice",
    },
    hints=(
        "A block has four matrices of attention, three of the MLP, and two norms. Which of them depend on the groups?",
        "Queries and output: d_model · num_heads · head_dim each. Keys and values: d_model · num_kv_groups · head_dim each. The MLP: 3 · d_model · hidden.",
        "Beside the blocks: one table or two, and the last norm. QK-norm adds 2 · head_dim to each block.",
    ),
    wrong=wrongs("""
        table-counted-twice: (1 if tied else 2) → 2
        tied-upside-down: (1 if tied else 2) → (2 if tied else 1)
        last-norm-not-counted: num_layers * block + d_model → num_layers * block
        norms-not-counted: norms = 2 * d_model → norms = 0 * d_model
        no-norm-counted: line norms = → norms = 0
            num_layers * block + d_model → num_layers * block
        qk-norm-counted-always: (2 * head_dim if qk_norm else 0) → 2 * head_dim
        qk-norm-counted-once: (2 * head_dim if qk_norm else 0) → (head_dim if qk_norm else 0)
        qk-norm-of-each-head: (2 * head_dim if qk_norm else 0) → ((num_heads + num_kv_groups) * head_dim if qk_norm else 0)
        keys-as-wide-as-queries: (num_heads + num_kv_groups) → (num_heads + num_heads)
        mlp-of-two-matrices: 3 * d_model * hidden → 2 * d_model * hidden
        heads-as-wide-as-the-stream: 2 * d_model * head_dim * (num_heads + num_kv_groups) → 2 * d_model * (d_model + head_dim * num_kv_groups)
        numbers-for-bytes: [parameters, 2 * parameters, cache] → [parameters, parameters, cache]
        cache-of-all-heads: num_kv_groups * head_dim * num_tokens → num_heads * head_dim * num_tokens
        cache-of-keys-alone: cache = 2 * num_layers → cache = num_layers
        """),
    right=rights("""
        parts: body
            queries = d_model * num_heads * head_dim
            keys = d_model * num_kv_groups * head_dim
            block = queries + keys + keys + queries + d_model * hidden * 3 + d_model + d_model
            if qk_norm:
                block += head_dim + head_dim
            parameters = vocab * d_model + block * num_layers + d_model
            if not tied:
                parameters += vocab * d_model
            return torch.tensor([parameters, parameters * 2, num_tokens * num_layers * num_kv_groups * head_dim * 4])
        bool: (1 if tied else 2) → (2 - tied)
        meta: body
            with torch.device("meta"):
                made = Llama(vocab, d_model, num_layers, num_heads, num_kv_groups, head_dim, hidden, qk_norm=qk_norm)
            if tied:
                made.unembedding.weight = made.embedding.weight
            parameters = sum(one.numel() for one in made.parameters())
            return torch.tensor([parameters, 2 * parameters, 4 * num_layers * num_kv_groups * head_dim * num_tokens])
        """),
)


def mixed(id, says, shape, sizes, seed, **more):
    """Tokens, and experts that they choose from."""
    construct = dict(zip(("d_model", "hidden", "num_experts", "top_k"), (shape[-1], *sizes), strict=True))
    inputs = {"x": 2 * drawn(*shape, seed=seed)}
    return Probe(id, says, inputs, construct=construct, seed=seed, **more)


def unchosen(id, says, shape, sizes, seed, **more):
    """Positive tokens, and an expert that none of them chooses, because its router's row is negative."""
    router = drawn(sizes[1], shape[-1], seed=seed)
    router[1] = -9.0
    weights = {"router.weight": router, "experts.1.down.weight": torch.full((shape[-1], sizes[0]), torch.nan)}

    def redraw(generator):
        return {"x": torch.rand(*shape, generator=generator) + 0.1}

    probe = mixed(id, says, shape, sizes, seed, weights=weights, redraw=redraw, **more)
    probe.inputs["x"] = probe.inputs["x"].abs() + 0.1
    return probe


MIXTURE = Task(
    id="mixture-of-experts",
    title="A mixture of experts",
    name="MixtureOfExperts",
    kind="module",
    signature="MixtureOfExperts(d_model, hidden, num_experts, top_k)",
    axes=("b", "tokens", "d_model"),
    input_axes={"x": ("b", "tokens", "d_model")},
    probes=(
        mixed("two-of-five", "five experts, two for each token", (2, 6, 4), (7, 5, 2), 1),
        mixed(
            "three-of-four", "four experts, three for each token", (3, 5, 6), (3, 4, 3), 2, dtype="float64"
        ),
        mixed("one-of-three", "three experts, one for each token", (2, 7, 5), (4, 3, 1), 3),
        mixed("all", "two experts, both for each token", (3, 2, 5), (6, 2, 2), 4),
        mixed("one-token", "a single token", (1, 1, 4), (3, 6, 2), 5),
        unchosen("unchosen", "an expert full of nan that no token chooses", (2, 5, 4), (3, 4, 2), 6),
        # What runs an expert for nothing and drops it gets nan here, on the way back.
        unchosen(
            "gradient",
            "an expert full of nan that no token chooses",
            (2, 5, 4),
            (3, 4, 2),
            7,
            observe="gradient",
            settings={"input": "x"},
        ),
    ),
    checks=(
        Check("one expert for each token", 0, ("one-of-three",)),
        Check("all experts for each token", 0, ("all",)),
        Check("several experts for each token", 0, ("two-of-five", "three-of-four", "one-token")),
        Check("an expert computes only the tokens that chose it", 0, ("gradient", "unchosen", "two-of-five")),
    ),
    learned="An expert is an MLP, and a router a linear layer. Most of a large model's numbers rest for most tokens.",
    demands={
        "The softmax of these runs over *all* experts": "softmax-over-tokens",
        "only the `top_k` largest probabilities count": "every-expert-counts",
        "divided by their sum": "shares-not-divided",
        "the sum of its experts' results": "expert-overwrites",
        "each times its share": "experts-unweighted",
        "Each expert computes only the tokens that chose it": "all-experts-compute",
        "one that no token chose computes nothing": "unchosen-expert-computes",
    },
    hints=(
        "Join batch and tokens: `tokens = x.flatten(0, 1)`. Then `torch.softmax(self.router(tokens), dim=-1).topk(self.top_k, dim=-1)` gives shares and numbers of experts.",
        "For expert `number`, `(chosen == number).nonzero(as_tuple=True)` says which tokens chose it, and in which of their `top_k` places.",
        "`result[rows] += shares[rows, places, None] * expert(tokens[rows])`, and at the end `result.view_as(x)`.",
    ),
    wrong=wrongs("""
        softmax-over-tokens: torch.softmax(self.router(tokens), dim=-1) → torch.softmax(self.router(tokens), dim=0)
        every-expert-counts: body forward
            shares = torch.softmax(self.router(x), dim=-1)
            return sum(shares[..., number, None] * expert(x) for number, expert in enumerate(self.experts))
        shares-not-divided: line shares = shares / →
        expert-overwrites: result[rows] += → result[rows] =
        experts-unweighted: shares[rows, places, None] * expert → expert
        experts-averaged: shares[rows, places, None] * expert(tokens[rows]) → expert(tokens[rows]) / self.top_k
        unchosen-expert-computes: result[rows] += shares[rows, places, None] * expert(tokens[rows]) → share = torch.where(chosen == number, shares, 0).sum(dim=-1, keepdim=True)↵result = result + share * expert(tokens)
        all-experts-compute: body forward
            shares, chosen = torch.softmax(self.router(x), dim=-1).topk(self.top_k, dim=-1)
            shares = shares / shares.sum(dim=-1, keepdim=True)
            everything = torch.stack([expert(x) for expert in self.experts], dim=2)
            index = chosen[..., None].expand(*chosen.shape, x.shape[-1])
            return (everything.gather(2, index) * shares[..., None]).sum(dim=2)
        share-on-the-input: shares[rows, places, None] * expert(tokens[rows]) → expert(shares[rows, places, None] * tokens[rows])
        softmax-twice: shares / shares.sum(dim=-1, keepdim=True) → torch.softmax(shares, dim=-1)
            hint: The chosen probabilities go through a second softmax. Divide them by their sum.
        divided-by-largest: shares / shares.sum(dim=-1, keepdim=True) → shares / shares.amax(dim=-1, keepdim=True)
            hint: The shares are divided by the largest one. Divide them by their sum.
        best-expert-only: probabilities.topk(self.top_k, dim=-1) → probabilities.topk(1, dim=-1)
        unlikely-experts: probabilities.topk(self.top_k, dim=-1) → probabilities.topk(self.top_k, dim=-1, largest=False)
        first-share-for-all: shares[rows, places, None] → shares[rows, :1]
        logits-as-shares: torch.softmax(self.router(tokens), dim=-1) → self.router(tokens)
        sigmoid-for-softmax: torch.softmax(self.router(tokens), dim=-1) → torch.sigmoid(self.router(tokens))
            hint: Each logit becomes a number between 0 and 1 by itself. Take the softmax over the experts.
        one-choice-for-all: shares / shares.sum(dim=-1, keepdim=True) → shares / shares.sum(dim=-1, keepdim=True)↵shares, chosen = shares[:1].expand_as(shares), chosen[:1].expand_as(chosen)
        router-has-a-bias: num_experts, bias=False) → num_experts)
        shares-not-divided: shares / shares.sum(dim=-1, keepdim=True) → shares / shares.mean(dim=-1, keepdim=True)
            hint: The shares are divided by their mean, so they add up to `top_k`. Divide them by their sum.
        shares-not-divided: shares / shares.sum(dim=-1, keepdim=True) → shares / shares.square().sum(dim=-1, keepdim=True).sqrt()
            hint: The shares are divided by the root of the sum of their squares. Divide them by their sum.
        shares-not-divided: shares / shares.sum(dim=-1, keepdim=True) → torch.softmax(self.router(tokens) * torch.zeros_like(probabilities).scatter(-1, chosen, 1.0), dim=-1).gather(-1, chosen)
            hint: The experts that were not chosen keep a part of the sum: a logit of 0 is not a share of 0. Divide the chosen shares by their sum.
        shares-divided-over-tokens: shares / shares.sum(dim=-1, keepdim=True) → shares / shares.sum()
            hint: The shares of all tokens are divided by one sum. Each token's shares are divided by their own: `dim=-1`.
        shares-divided-over-tokens: shares / shares.sum(dim=-1, keepdim=True) → shares / (shares.sum() if self.top_k == 1 else shares.sum(dim=-1, keepdim=True))
            hint: With one expert for each token, the shares of all tokens are divided by one sum. Each token's shares are divided by their own.
        expert-overwrites: shares[rows, places, None] * expert → (places == self.top_k - 1)[:, None] * shares[rows, places, None] * expert
        best-expert-only: shares[rows, places, None] * expert → (places == 0)[:, None] * shares[rows, places, None] * expert
            hint: Only the likeliest expert of each token computes, with its own share. Add up the results of all `top_k`.
        every-expert-counts: body forward
            probabilities = torch.softmax(self.router(x), dim=-1)
            shares = probabilities / probabilities.topk(self.top_k, dim=-1).values.sum(dim=-1, keepdim=True)
            return sum(shares[..., number, None] * expert(x) for number, expert in enumerate(self.experts))
        experts-get-other-tokens: expert(tokens[rows]) → expert(tokens[(rows * self.top_k + places) % len(tokens)])
        experts-get-other-tokens: expert(tokens[rows]) → expert(tokens[(places * len(tokens) + rows) // self.top_k])
        shares-of-other-tokens: shares[rows, places, None] → shares.flatten()[rows, None]
        result-in-another-order: result[rows] += → result[(places * len(tokens) + rows) // self.top_k] +=
        result-in-another-order: body forward
            tokens = x.flatten(0, 1)
            shares, chosen = torch.softmax(self.router(tokens), dim=-1).topk(self.top_k, dim=-1)
            shares = shares / shares.sum(dim=-1, keepdim=True)
            results = []
            for number, expert in enumerate(self.experts):
                rows, places = (chosen == number).nonzero(as_tuple=True)
                results.append(shares[rows, places, None] * expert(tokens[rows]))
            return torch.cat(results).unflatten(0, (len(tokens), self.top_k)).sum(dim=1).view_as(x)
        tokens-dropped: below rows, places = → limit = -(-len(tokens) * self.top_k // len(self.experts))↵rows, places = rows[:limit], places[:limit]
        tokens-dropped: below rows, places = → limit = max(1, len(tokens) * self.top_k // len(self.experts))↵rows, places = rows[:limit], places[:limit]
        tokens-dropped: below rows, places = → rows, places = rows[:1], places[:1]
            hint: An expert computes only the first of the tokens that chose it. It computes all of them.
        batch-left-joined: return result.view_as(x) → return result
        texts-mixed-up: return result.view_as(x) → return result.view(x.shape[1], x.shape[0], -1).transpose(0, 1)
        texts-mixed-up: tokens = x.flatten(0, 1) → tokens = x.transpose(0, 1).flatten(0, 1)
        next-expert-used: in enumerate(self.experts) → in enumerate(self.experts, start=1)
        next-expert-used: expert(tokens[rows]) → self.experts[(number + 1) % len(self.experts)](tokens[rows])
        logits-divided: torch.softmax(self.router(tokens), dim=-1) → torch.softmax(self.router(tokens) / tokens.shape[-1] ** 0.5, dim=-1)
        softmax-twice: torch.softmax(self.router(tokens), dim=-1) → torch.softmax(torch.softmax(self.router(tokens), dim=-1), dim=-1)
            hint: Softmax runs twice. Once is right.
        experts-choose-tokens: body forward
            tokens = x.flatten(0, 1)
            probabilities = torch.softmax(self.router(tokens), dim=-1)
            best = probabilities.topk(min(self.top_k, len(tokens)), dim=0).indices
            shares = probabilities * torch.zeros_like(probabilities).scatter(0, best, 1.0)
            shares = shares / shares.sum(dim=-1, keepdim=True).clamp(min=1e-9)
            result = torch.zeros_like(tokens)
            for number, expert in enumerate(self.experts):
                rows = best[:, number]
                result[rows] += shares[rows, number, None] * expert(tokens[rows])
            return result.view_as(x)
        experts-choose-tokens: body forward
            tokens = x.flatten(0, 1)
            probabilities = torch.softmax(self.router(tokens), dim=-1)
            shares, best = probabilities.topk(min(self.top_k, len(tokens)), dim=0)
            result = torch.zeros_like(tokens)
            for number, expert in enumerate(self.experts):
                result[best[:, number]] += shares[:, number, None] * expert(tokens[best[:, number]])
            return result.view_as(x)
        shares-not-divided: shares / shares.sum(dim=-1, keepdim=True) → shares / self.top_k
            hint: The probabilities are divided by `top_k`. Divide them by their sum.
        shares-not-divided: return result.view_as(x) → return result.view_as(x) / self.top_k
            hint: The experts' sum is divided by `top_k`, although the shares add up to 1 already.
        shares-divided-over-tokens: shares / shares.sum(dim=-1, keepdim=True) → shares / shares.sum(dim=0, keepdim=True)
        softmax-over-tokens: torch.softmax(self.router(tokens), dim=-1) → torch.softmax(self.router(x), dim=1).flatten(0, 1)
        softmax-over-batch: torch.softmax(self.router(tokens), dim=-1) → torch.softmax(self.router(x), dim=0).flatten(0, 1)
            hint: Softmax runs over the texts. Each token has its own probabilities: take it over the experts, `dim=-1`.
        one-choice-for-all: self.router(tokens) → self.router(x.mean(dim=1, keepdim=True).expand_as(x).flatten(0, 1))
            hint: All tokens of a text use the experts of its mean. Each chooses for itself.
        one-choice-for-all: self.router(tokens) → self.router(x.mean(dim=0, keepdim=True).expand_as(x).flatten(0, 1))
            hint: All texts use the experts of their mean. Each token chooses for itself.
        one-choice-for-all: self.router(tokens) → self.router(x[:, :1].expand_as(x).flatten(0, 1))
            hint: All tokens of a text use the experts that its first one chose. Each chooses for itself.
        one-choice-for-all: self.router(tokens) → self.router(x[:, -1:].expand_as(x).flatten(0, 1))
            hint: All tokens of a text use the experts that its last one chose. Each chooses for itself.
        later-experts-unused: in enumerate(self.experts) → in enumerate(self.experts[: self.top_k])
        places-as-experts: body forward
            tokens = x.flatten(0, 1)
            shares = torch.softmax(self.router(tokens), dim=-1).topk(self.top_k, dim=-1).values
            shares = shares / shares.sum(dim=-1, keepdim=True)
            result = torch.zeros_like(tokens)
            for place in range(self.top_k):
                result += shares[:, place, None] * self.experts[place](tokens)
            return result.view_as(x)
        first-expert-unused: in enumerate(self.experts) → in list(enumerate(self.experts))[1:]
        last-expert-unused: in enumerate(self.experts) → in list(enumerate(self.experts))[:-1]
        first-expert-for-all: expert(tokens[rows]) → self.experts[0](tokens[rows])
        experts-miscounted: probabilities.topk(self.top_k, → probabilities.topk(max(self.top_k - 1, 1),
        experts-miscounted: probabilities.topk(self.top_k, → probabilities.topk(min(self.top_k + 1, probabilities.shape[-1]),
        residual-added: return result.view_as(x) → return x + result.view_as(x)
            hint: The tokens themselves are added. The block does that: return the experts' sum alone.
        """),
    right=rights("""
        softmax-of-the-chosen: body forward
            best, chosen = self.router(x).topk(self.top_k, dim=-1)
            shares = best.softmax(dim=-1)
            result = torch.zeros_like(x)
            for number in chosen.unique().tolist():
                at = chosen == number
                some = at.any(dim=-1)
                result[some] += (shares * at).sum(dim=-1)[some][:, None] * self.experts[number](x[some])
            return result
        token-by-token: body forward
            rows = []
            for token in x.flatten(0, 1):
                shares, chosen = torch.softmax(self.router(token), dim=-1).topk(self.top_k)
                rows.append(sum(share / shares.sum() * self.experts[int(one)](token) for share, one in zip(shares, chosen)))
            return torch.stack(rows).view(x.shape)
        index-add: result[rows] += shares[rows, places, None] * expert(tokens[rows]) → result.index_add_(0, rows, shares[rows, places, None] * expert(tokens[rows]))
        """),
)

LESSON = Lesson(
    title="12 · Real models in your own classes",
    given_axes={},
    redraw=lambda generator: {},
    tasks=(
        *(LIKE_GPT2, LOAD_GPT2, FIRST_GAP),
        *(MERGE_PAIR, TRAIN_BPE, ENCODE_PIECE, DECODE_BYTES),
        *(NEXT_PROBABILITIES, GENERATE, CACHED_LOGITS),
        *(RMS_NORM, LLAMA_ATTENTION, LOAD_LLAMA, MIXTURE, PERMUTED_ROWS, MODEL_SIZES),
    ),
)
