"""The tasks of lesson 09: their probes, the wrong answers people give, and the hint each deserves."""

import torch
from autograder.author.authoring import Check, Lesson, Made, Probe, Task, rights, wrongs

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


# ---------------------------------------------------------------------------------------------- where a head looks


def scored(id, says, heads, tokens, period, seed):
    weights = torch.softmax(3 * drawn(heads, tokens, tokens, seed=seed), dim=-1)
    return Probe(id, says, {"weights": weights, "period": period})


INDUCTION_SCORE = Task(
    id="induction-score",
    title="The induction score",
    name="induction_score",
    kind="function",
    signature="induction_score(weights, period)",
    axes=("heads",),
    input_axes={"weights": ("heads", "tokens as query", "tokens as key")},
    probes=(
        scored("period-four", "eight tokens with period 4", 3, 8, 4, 1),
        scored("period-three", "ten tokens with period 3", 2, 10, 3, 2),
        scored("period-five", "seven tokens with period 5", 4, 7, 5, 3),
    ),
    checks=(
        Check("the right diagonal, from its right start", 2, ("period-four", "period-three", "period-five")),
    ),
    learned="An induction head lives on one diagonal of the map: as far back as the period, less one.",
    demands={
        "at t - \\text{period} + 1": "match-for-successor",
        "for each head": "heads-averaged",
        "the mean of these weights": "added-not-averaged",
        "over all queries that see a token for the second time": "first-query-counted",
    },
    hints=(
        "Query t looks at t - period + 1. On which diagonal do these entries lie?",
        "`weights.diagonal(offset=1 - period, dim1=1, dim2=2)`: its first entry belongs to query period - 1.",
        "That query sees its token for the first time. Leave it out: `[:, 1:].mean(dim=-1)`.",
    ),
    wrong=wrongs("""
        match-for-successor: offset=1 - period → offset=-period
            [:, 1:] →
        first-query-counted: along[:, 1:] → along
        diagonal-of-the-future: 1 - period → period - 1
        one-too-far-back: 1 - period → -1 - period
            [:, 1:] →
        previous-token-diagonal: 1 - period → -1
        added-not-averaged: .mean(dim=-1) → .sum(dim=-1)
        heads-averaged: .mean(dim=-1) → .mean()
        divided-by-all-queries: along[:, 1:].mean(dim=-1) → along[:, 1:].sum(dim=-1) / weights.shape[1]
        """),
    right=rights("""
        loop: = torch.stack([weights[:, t, t - period + 1] for t in range(period, weights.shape[1])]).mean(dim=0)
        indices: = weights[:, torch.arange(period, weights.shape[1]), torch.arange(1, weights.shape[1] - period + 1)].mean(dim=1)
        cut-first: = weights[:, period:].diagonal(offset=1, dim1=1, dim2=2).mean(dim=-1)
        """),
)

# --------------------------------------------------------------------------------------------------- by hand


def stream_of(count, num_tokens, vocab, room, seed, before, size):
    """Slots of random tokens, of which all but the first come twice, and the token before each where it is asked."""
    tokens = torch.rand(count, vocab, generator=torch.Generator().manual_seed(seed)).argsort(dim=1)
    tokens = torch.cat((tokens, tokens[:, 1:]), dim=1)[:, :num_tokens]
    token = torch.nn.functional.one_hot(tokens, vocab).float()
    place = torch.eye(room)[:num_tokens].expand(count, -1, -1)
    earlier = torch.zeros_like(token)
    if before:
        earlier[:, 1:] = token[:, :-1]
    return size * torch.cat((token, place, earlier), dim=-1)


def by_hand(id, says, vocab, room, num_tokens, seed, before, size=2, **settings):
    """A stream of 0 and 2, so that a hidden twin has other numbers, or of another size."""
    x = stream_of(3, num_tokens, vocab, room, seed, before, size)
    return Probe(id, says, {"vocab": vocab, "context_length": room}, then={"x": x}, settings=settings)


def hand_probes(before):
    return (
        by_hand("five-tokens", "a vocabulary of 4 and room for 9", 4, 9, 7, 1, before),
        by_hand("other-sizes", "a vocabulary of 6 and room for 12, with 11 tokens", 6, 12, 11, 2, before),
        by_hand("few-places", "a vocabulary of 3 and 5 tokens", 3, 7, 5, 3, before),
        by_hand("ones", "a stream of 0 and 1, room for 30", 5, 30, 9, 4, before, size=1),
        by_hand("training", "training mode", 4, 8, 7, 5, before, mode="training"),
        Probe(
            "by-weights",
            "a vocabulary of 4 and room for 6",
            {"vocab": 4, "context_length": 6},
            observe="without-weights",
            settings={"shape": [1, 5, 14]},
        ),
    )


def hand_task(id, title, name, learned, hints, demands, wrong, right):
    """A head that is written by hand: what it writes into the stream tells where it looked."""
    return Task(
        id=id,
        title=title,
        name=name,
        kind="function",
        signature=f"{name}(vocab, context_length)",
        axes=STREAM,
        probes=hand_probes(before=name == "induction_head"),
        checks=(
            Check(
                "what it writes into the stream, by its weights",
                3,
                ("five-tokens", "other-sizes", "few-places", "by-weights"),
            ),
            Check("sharp in a stream of ones, and without dropout", 1, ("ones", "training")),
        ),
        learned=learned,
        demands=demands,
        hints=hints,
        wrong=wrong
        + wrongs("""
            hardly-sharp: = 50 * d_model**0.5 → = 3.0
            hardly-sharp: = 50 * d_model**0.5 → = 1.0
            sharp-before-the-division: = 50 * d_model**0.5 → = 30.0
            dropout-typed-in: context_length, 0.0, num_heads → context_length, 0.5, num_heads
                hint: This head drops half of its weights in training mode. It has no dropout.
            out-proj-not-set: head.out_proj.weight.copy_(torch.eye(d_model)) → pass
                hint: What was brought does not come out. `out_proj` should be the identity, and what it gets should
                    not be all zeros.
            out-proj-not-set: in head.parameters(): → in (head.W_query.weight, head.W_key.weight, head.W_value.weight):
                hint: `out_proj.bias` keeps the random numbers that it was drawn with. Set it to zeros.
            not-by-its-weights: return head →:
                class Written(MultiHeadAttention):
                    def forward(self, x):
                        return head_given(x)
                head_given, head.__class__ = MultiHeadAttention(d_model, d_model, context_length, 0.0, num_heads=1), Written
                head_given.load_state_dict(head.state_dict())
                return head
            weights-not-cleared: parameter.zero_() → pass
            weights-not-cleared: in head.parameters(): → in (head.out_proj.weight, head.out_proj.bias):
            returns-nothing: return head → head
            """),
        right=rights("""
            sharper: 50 * d_model → 90 * d_model
            sharp-keys: 50 * d_model**0.5 → 5.0
                ] = 1.0↵head.W_v → ] = 10 * d_model**0.5↵head.W_v
            """)
        + right,
    )


PREVIOUS_TOKEN_HEAD = hand_task(
    id="previous-token-head",
    title="A previous-token head by hand",
    name="previous_token_head",
    learned="Query and key decide where a head looks, value and out_proj what it brings back. These matrices were written, "
    "not learned.",
    hints=(
        "Positions are in the slots `vocab` to `vocab + context_length - 1`. The key copies them: an identity there.",
        "`W_query.weight[i, j]` writes number j of the stream to place i of the query. Position p asks for p - 1: i is one "
        "less than j.",
        "With `places = torch.arange(vocab, vocab + context_length)`: `W_query.weight[places[:-1], places[1:]] = "
        "50 * d_model**0.5`, `W_key.weight[places, places] = 1`, and the value from the first slots to the last.",
    ),
    demands={
        "no dropout": "dropout-typed-in",
        "the **query** of position p asks for position p - 1": "looks-at-itself",
        "puts it into the free slots at the end": "written-to-other-slots",
        "`out_proj` changes nothing": "out-proj-not-set",
        "whose weights you set": "not-by-its-weights",
        "at least 30 above the others after the division": "sharp-before-the-division",
    },
    wrong=wrongs("""
        matrices-turned: head.W_query.weight[places[:-1], places[1:]] → head.W_query.weight[places[1:], places[:-1]]
            hint: The query finds nothing, so all that is visible gets the same weight. `weight` is (out, in): the
                position that is asked for comes first.
        looks-at-itself: head.W_query.weight[places[:-1], places[1:]] → head.W_query.weight[places, places]
        two-back: places[:-1], places[1:] → places[:-2], places[2:]
        written-to-other-slots: [free, token] → [token, token]
        """),
    right=rights("""
        loop: head.W_query.weight[places[:-1], places[1:]] = 50 * d_model**0.5 →:
            for p in range(1, context_length):
                head.W_query.weight[vocab + p - 1, vocab + p] = 50 * d_model**0.5
        shifted-keys: W_query.weight[places[:-1], places[1:]] → W_query.weight[places, places]
            W_key.weight[places, places] → W_key.weight[places[1:], places[:-1]]
        """),
)

INDUCTION_HEAD = hand_task(
    id="induction-head",
    title="An induction head by hand",
    name="induction_head",
    learned="The query is a token, the key is the token before: so what is found is what came next. It works because an "
    "earlier head wrote the token before into the stream.",
    hints=(
        "Query and key have to meet in the same places. Let both write into the first `vocab` numbers.",
        "The query reads the first slots, `[token, token]`, the key the last ones, `[token, before]`.",
        "`W_query.weight[token, token] = 50 * d_model**0.5`, `W_key.weight[token, before] = 1`, "
        "`W_value.weight[token, token] = 1`.",
    ),
    demands={
        "the **query** is the present token": "query-and-key-swapped",
        "the **key** is the token *before*": "finds-the-same-token",
        "the **value** is that position's own token": "brings-the-token-before",
        "goes into the *first* slots": "written-to-other-slots",
        "`out_proj` changes nothing": "out-proj-not-set",
        "As sharp as the first head": "sharp-before-the-division",
        "and without dropout": "dropout-typed-in",
    },
    wrong=wrongs("""
        finds-the-same-token: W_key.weight[token, before] → W_key.weight[token, token]
        key-reads-the-positions: W_key.weight[token, before] → W_key.weight[token, vocab + token]
        query-and-key-swapped: W_query.weight[token, token] → W_query.weight[token, before]
            W_key.weight[token, before] → W_key.weight[token, token]
        brings-the-token-before: W_value.weight[token, token] → W_value.weight[token, before]
        written-to-other-slots: W_value.weight[token, token] → W_value.weight[before, token]
        never-meet: W_key.weight[token, before] → W_key.weight[before, before]
        """),
    right=rights("""
        meet-elsewhere: W_query.weight[token, token] → W_query.weight[before, token]
            W_key.weight[token, before] → W_key.weight[before, before]
        eye: head.W_value.weight[token, token] = 1.0 → head.W_value.weight[:vocab, :vocab] = torch.eye(vocab)
        """),
)

# ------------------------------------------------------------------------------------------ what a head does

HEADS = ("four-heads", "last-head", "first-layer")


def without(id, says, seed, layer, head, heads, **more):
    shape = (3, 6)
    inputs = {
        "model": model(seed, heads=heads),
        "ids": ids(*shape, seed=seed),
        "labels": ids(*shape, seed=seed + 9),
    }
    inputs |= {"layer": layer, "head": head, "num_heads": heads}
    return Probe(id, says, inputs, redraw=other_ids(*shape), **more)


STAYS = {"observe": "mode", "settings": {"input": "model", "given": ["eval"]}}
SECOND = {"observe": "second-call", "settings": {"input": ["ids", "labels"], "axis": 1, "size": 4}}

ABLATION_EFFECT = Task(
    id="ablation-effect",
    title="Remove a head",
    name="ablation_effect",
    kind="function",
    signature="ablation_effect(model, ids, labels, layer, head, num_heads)",
    axes=(),
    number=True,
    input_axes={"ids": IDS, "labels": IDS},
    probes=(
        without("four-heads", "head 1 of four in the second layer", 1, 1, 1, 4),
        without("last-head", "head 3 of four in the first layer", 2, 0, 3, 4),
        without("first-layer", "head 0 of two in the first layer", 3, 0, 0, 2),
        without("again", "the same model", 4, 1, 0, 2, **SECOND),
        without("mode", "a model in eval mode", 5, 1, 0, 2, **STAYS),
    ),
    checks=(
        Check("the loss without the head, less the loss with it", 3, HEADS),
        Check("the model is left as it was", 1, ("again", "mode", "four-heads")),
    ),
    demands={
        "the loss without this head, minus the loss of the whole model": "difference-turned",
        "To **ablate** a head is to set its context to 0": "result-removed",
        "without this head": "wrong-head-removed",
        "`hook.remove()` at the end": "hook-stays",
        "Leave the model as you found it": "left-in-training-mode",
    },
    learned="A head's context is a slice of what `out_proj` receives. Set it to 0, and the loss tells what it was good for.",
    hints=(
        "`without(module, arguments)` gets a tuple; its first entry is (b, tokens, d_model), all heads side by side.",
        "`contexts = arguments[0].unflatten(-1, (num_heads, -1)).clone()`, then `contexts[:, :, head] = 0`.",
        "Return `(contexts.flatten(2),)`, register it on `model.blocks[layer].attention.out_proj`, compute the loss again, "
        "and call `hook.remove()`.",
    ),
    wrong=wrongs("""
        hook-stays: hook.remove()↵return removed → return removed
        left-in-training-mode: line hook.remove() → hook.remove(); model.train()
        wrong-head-removed: contexts[:, :, head] → contexts[:, :, 0]
            hint: Always head 0 is removed.
        heads-cut-wrongly: (num_heads, -1) → (-1, num_heads)
            contexts[:, :, head] → contexts[:, :, :, head]
        heads-cut-wrongly: contexts[:, :, head] = → contexts.flatten(2)[:, :, head : head + contexts.shape[-1]] =
            hint: The numbers of a head should start at head * head_dim. Here they start at the head's own number.
        token-removed: contexts[:, :, head] → contexts[:, head]
        layer-ignored: model.blocks[layer] → model.blocks[0]
        stream-read-cut: attention.out_proj.register → attention.register
        all-heads-removed: contexts[:, :, head] → contexts[:]
            hint: All heads are set to 0 here, not one.
        all-but-one-removed: contexts[:, :, head] = 0.0 → contexts[:, :, [one for one in range(num_heads) if one != head]] = 0.0
        difference-turned: removed - whole → whole - removed
        loss-without-comparison: removed - whole → removed
        result-removed: register_forward_pre_hook(without) → register_forward_hook(lambda m, a, out: without(m, (out,))[0])
        """),
    right=rights("""
        slice: arguments[0].unflatten(-1, (num_heads, -1)).clone() → arguments[0].clone()
            contexts[:, :, head] = 0.0 →:
                width = contexts.shape[-1] // num_heads
                contexts[..., head * width : (head + 1) * width] = 0.0
            contexts.flatten(2) → contexts
        weights-put-back: body ablation_effect
            weight = model.blocks[layer].attention.out_proj.weight
            kept, width = weight.clone(), weight.shape[1] // num_heads
            whole = token_loss(model(ids), labels)
            weight[:, head * width : (head + 1) * width] = 0.0
            removed = token_loss(model(ids), labels)
            weight.copy_(kept)
            return removed - whole

        with: hook = … hook.remove() →:
            with model.blocks[layer].attention.out_proj.register_forward_pre_hook(without):
                removed = token_loss(model(ids), labels)
        float: removed - whole → float(removed) - float(whole)
        """),
)


def circuits(id, says, seed, sizes, head, vocab, zeros=(), **options):
    """An attention and three tables; those of zeros leave only one of the circuits."""
    names = ("d_in", "d_out", "context_length", "dropout", "num_heads")
    d_model, heads = sizes
    made = Made(
        "MultiHeadAttention",
        {**dict(zip(names, (d_model, d_model, 5, 0.0, heads), strict=True)), **options},
        seed=seed,
    )
    tables = {
        name: drawn(vocab, d_model, seed=seed + at)
        for at, name in enumerate(("asking", "seen", "unembedding"), 1)
    }
    tables |= {name: torch.zeros(vocab, d_model) for name in zeros}
    inputs = {"attention": made, "head": head, "num_heads": heads, **tables}

    def redraw(generator):
        return {
            name: torch.randn(vocab, d_model, generator=generator) for name in tables if name not in zeros
        }

    return Probe(id, says, inputs, settings={"stacked": True}, redraw=redraw)


CIRCUITS = ("one-head", "second-of-three", "last-of-two")

HEAD_CIRCUITS = Task(
    id="head-circuits",
    title="The two circuits of a head",
    name="head_circuits",
    kind="function",
    signature="head_circuits(attention, head, num_heads, asking, seen, unembedding)",
    axes=("QK or OV", "vocab as row", "vocab as column"),
    input_axes=dict.fromkeys(("asking", "seen", "unembedding"), ("vocab", "d_model")),
    probes=(
        circuits("one-head", "an attention with one head", 1, (6, 1), 0, 5),
        circuits("second-of-three", "head 1 of three", 11, (12, 3), 1, 7),
        circuits("last-of-two", "head 1 of two", 21, (10, 2), 1, 4, qkv_bias=True),
        circuits("looks", "an unembedding of zeros", 31, (8, 2), 1, 5, zeros=("unembedding",)),
        circuits("writes", "asking vectors of zeros", 41, (9, 3), 1, 6, zeros=("asking",)),
    ),
    checks=(
        Check("where the head looks", 1, ("looks",)),
        Check("what it writes", 1, ("writes",)),
        Check("both tables", 1, CIRCUITS),
    ),
    learned="A head is two products of matrices. QK says where it looks, OV says what it does with what it sees.",
    demands={
        "made from `asking[a]`": "asking-and-seen-swapped",
        "divided by √head_dim": "no-scale",
        "Head h owns rows": "heads-cut-wrongly",
        "and the *columns* of the same numbers of `out_proj.weight`": "output-rows-cut",
        "A logit is a product with a row of `unembedding`": "unembedded-with-seen",
        "when the head sees `seen[b]` alone": "value-from-asking",
    },
    words={"width": "√head_dim"},
    hints=(
        "One head's queries are `asking @ attention.W_query.weight[own].T` with `own = slice(head * head_dim, …)`.",
        "The values of `seen` go through the head's columns of `out_proj.weight`, and then meet `unembedding`.",
        "QK is `queries @ keys.T / head_dim**0.5`. OV is `values @ attention.out_proj.weight[:, own].T @ unembedding.T`.",
    ),
    wrong=wrongs("""
        no-scale: / head_dim**0.5 →
            hint: QK is not divided by √head_dim.
        scaled-by-model-width: / head_dim**0.5 → / attention.W_query.weight.shape[0] ** 0.5
        scaled-without-root: / head_dim**0.5 → / head_dim
        asking-and-seen-swapped: queries = asking → queries = seen
            keys = seen → keys = asking
        value-from-asking: values = seen → values = asking
        key-from-asking: keys = seen → keys = asking
        keys-as-values: values = seen @ attention.W_value → values = seen @ attention.W_key
            hint: The values are made with `W_key`. OV needs `W_value`.
        output-rows-cut: out_proj.weight[:, own].T → out_proj.weight[own]
        unembedded-with-seen: @ unembedding.T → @ seen.T
        circuits-swapped: (queries @ keys.T / head_dim**0.5, written @ unembedding.T) → (written @ unembedding.T, queries @ keys.T / head_dim**0.5)
        output-turned: written @ unembedding.T → unembedding @ written.T
        scores-turned: queries @ keys.T → keys @ queries.T
            hint: Row a of QK belongs to the query of `asking[a]`, column b to the key of `seen[b]`. Here it is
                the other way round.
        softmax-too-early: queries @ keys.T / head_dim**0.5 → torch.softmax(queries @ keys.T / head_dim**0.5, dim=-1)
        first-head-for-all: slice(head * head_dim, (head + 1) * head_dim) → slice(0, head_dim)
            hint: Always head 0 is read. Head h owns the numbers from `h * head_dim` on.
        heads-cut-wrongly: slice(head * head_dim, (head + 1) * head_dim) → slice(head, None, num_heads)
            hint: Every num_heads-th number is cut out. A head's numbers lie side by side: from `head * head_dim` to `(head + 1) * head_dim`.
        all-heads-together: slice(head * head_dim, (head + 1) * head_dim) → slice(None)
        heads-in-reverse: slice(head * head_dim, (head + 1) * head_dim) → slice((num_heads - 1 - head) * head_dim, (num_heads - head) * head_dim)
            hint: The heads are counted from the end. Head 0 owns the first numbers.
        columns-cut: asking @ attention.W_query.weight[own].T → asking @ attention.W_query.weight[:, own]
            seen @ attention.W_key.weight[own].T → seen @ attention.W_key.weight[:, own]
            seen @ attention.W_value.weight[own].T → seen @ attention.W_value.weight[:, own]
        query-from-seen: queries = asking → queries = seen
        output-scaled-too: written @ unembedding.T → written @ unembedding.T / head_dim**0.5
        heads-cut-wrongly: attention.W_query.weight[own] → attention.W_query.weight[head::num_heads]
            attention.W_key.weight[own] → attention.W_key.weight[head::num_heads]
            attention.W_value.weight[own] → attention.W_value.weight[head::num_heads]
            hint: Every num_heads-th number is cut out. A head's numbers lie side by side: from `head * head_dim` to `(head + 1) * head_dim`.
        heads-cut-wrongly: attention.out_proj.weight[:, own] → attention.out_proj.weight[:, head::num_heads]
            hint: Every num_heads-th number is cut out. A head's numbers lie side by side: from `head * head_dim` to `(head + 1) * head_dim`.
        cut-across-two-heads: slice(head * head_dim, (head + 1) * head_dim) → slice(head, head + head_dim)
        cut-across-two-heads: slice(head * head_dim, (head + 1) * head_dim) → slice(head * num_heads, head * num_heads + head_dim)
        heads-counted-from-1: slice(head * head_dim, (head + 1) * head_dim) → slice((head - 1) * head_dim, head * head_dim)
        all-heads-together: attention.W_value.weight[own] → attention.W_value.weight
            attention.out_proj.weight[:, own] → attention.out_proj.weight
            hint: OV is what all heads write together. Cut out the rows and columns of this one.
        all-heads-together: attention.W_query.weight[own] → attention.W_query.weight
            attention.W_key.weight[own] → attention.W_key.weight
            hint: QK sums over the numbers of all heads. Cut out the rows of this one.
        first-head-for-all: attention.out_proj.weight[:, own] → attention.out_proj.weight[:, :head_dim]
            hint: Always the columns of head 0 are read in `out_proj`. Head h owns the numbers from `h * head_dim` on.
        first-head-for-all: attention.W_value.weight[own] → attention.W_value.weight[:head_dim]
            attention.out_proj.weight[:, own] → attention.out_proj.weight[:, :head_dim]
            hint: OV is always that of head 0. Head h owns the numbers from `h * head_dim` on.
        keys-as-queries: queries = asking @ attention.W_query → queries = asking @ attention.W_key
        queries-as-keys: keys = seen @ attention.W_key → keys = seen @ attention.W_query
        projections-swapped: asking @ attention.W_query → asking @ attention.W_key
            seen @ attention.W_key → seen @ attention.W_query
        queries-as-values: values = seen @ attention.W_value → values = seen @ attention.W_query
            hint: The values are made with `W_query`. OV needs `W_value`.
        scaled-up: / head_dim**0.5 → * head_dim**0.5
        scaled-by-heads: / head_dim**0.5 → / num_heads**0.5
        unembedded-with-seen: @ unembedding.T → @ asking.T
            hint: What the head writes is compared with `asking`. A logit is a product with a row of `unembedding`.
        biases-counted: written @ unembedding.T → (written + attention.out_proj.bias) @ unembedding.T
        biases-counted: asking @ attention.W_query.weight[own].T → attention.W_query(asking)[:, own]
        biases-counted: seen @ attention.W_key.weight[own].T → attention.W_key(seen)[:, own]
        biases-counted: seen @ attention.W_value.weight[own].T → attention.W_value(seen)[:, own]
        biases-counted: asking @ attention.W_query.weight[own].T → attention.W_query(asking)[:, own]
            seen @ attention.W_key.weight[own].T → attention.W_key(seen)[:, own]
        biases-counted: asking @ attention.W_query.weight[own].T → attention.W_query(asking)[:, own]
            seen @ attention.W_key.weight[own].T → attention.W_key(seen)[:, own]
            seen @ attention.W_value.weight[own].T → attention.W_value(seen)[:, own]
        columns-cut: asking @ attention.W_query.weight[own].T → asking @ attention.W_query.weight[:, own]
        columns-cut: seen @ attention.W_key.weight[own].T → seen @ attention.W_key.weight[:, own]
        columns-cut: seen @ attention.W_value.weight[own].T → seen @ attention.W_value.weight[:, own]
        columns-cut: asking @ attention.W_query.weight[own].T → asking @ attention.W_query.weight[:, own]
            seen @ attention.W_key.weight[own].T → seen @ attention.W_key.weight[:, own]
        first-head-for-all: attention.W_query.weight[own] → attention.W_query.weight[:head_dim]
            hint: The queries are always those of head 0. Head h owns the numbers from `h * head_dim` on.
        first-head-for-all: attention.W_key.weight[own] → attention.W_key.weight[:head_dim]
            hint: The keys are always those of head 0. Head h owns the numbers from `h * head_dim` on.
        first-head-for-all: attention.W_value.weight[own] → attention.W_value.weight[:head_dim]
            hint: The values are always those of head 0. Head h owns the numbers from `h * head_dim` on.
        heads-cut-wrongly: attention.W_value.weight[own] → attention.W_value.weight[head::num_heads]
            hint: Every num_heads-th number is cut out. A head's numbers lie side by side: from `head * head_dim` to `(head + 1) * head_dim`.
        heads-cut-wrongly: attention.W_query.weight[own] → attention.W_query.weight[head::num_heads]
            attention.W_key.weight[own] → attention.W_key.weight[head::num_heads]
            hint: Every num_heads-th number is cut out. A head's numbers lie side by side: from `head * head_dim` to `(head + 1) * head_dim`.
        heads-cut-wrongly: attention.W_value.weight[own] → attention.W_value.weight[head::num_heads]
            attention.out_proj.weight[:, own] → attention.out_proj.weight[:, head::num_heads]
            hint: Every num_heads-th number is cut out. A head's numbers lie side by side: from `head * head_dim` to `(head + 1) * head_dim`.
        output-reshaped: attention.out_proj.weight[:, own] → attention.out_proj.weight.reshape(num_heads, -1, head_dim)[head]
        attention-applied: values = seen @ attention.W_value.weight[own].T → values = torch.softmax(queries @ keys.T / head_dim**0.5, dim=-1) @ (seen @ attention.W_value.weight[own].T)
        attention-applied: values = seen @ attention.W_value.weight[own].T → values = torch.softmax(queries @ keys.T, dim=-1) @ (seen @ attention.W_value.weight[own].T)
        attention-applied: values = seen @ attention.W_value.weight[own].T → values = queries @ keys.T / head_dim**0.5 @ (seen @ attention.W_value.weight[own].T)
        matrices-not-tables: body
            head_dim = attention.W_query.weight.shape[0] // num_heads
            own = slice(head * head_dim, (head + 1) * head_dim)
            query_key = attention.W_query.weight[own].T @ attention.W_key.weight[own] / head_dim**0.5
            return torch.stack((query_key, attention.out_proj.weight[:, own] @ attention.W_value.weight[own]))
        value-layer-left-out: seen @ attention.W_value.weight[own].T → seen[:, own]
        output-layer-left-out: written @ unembedding.T → values @ unembedding[:, own].T
        output-into-probabilities: written @ unembedding.T → torch.softmax(written @ unembedding.T, dim=-1)
        tables-joined: torch.stack( → torch.cat(
        tables-joined: torch.stack((queries @ keys.T / head_dim**0.5, written @ unembedding.T)) → torch.cat((queries @ keys.T / head_dim**0.5, written @ unembedding.T), dim=1)
        tables-joined: torch.stack((queries @ keys.T / head_dim**0.5, written @ unembedding.T)) → torch.stack((queries @ keys.T / head_dim**0.5, written @ unembedding.T), dim=-1)
            hint: QK and OV are on the last axis. They should be on the first: (2, vocab, vocab).
        slice-too-short: slice(head * head_dim, (head + 1) * head_dim) → slice(head * head_dim, (head + 1) * head_dim - 1)
        norm-counted: queries = asking → queries = F.layer_norm(asking, asking.shape[-1:])
            keys = seen → keys = F.layer_norm(seen, seen.shape[-1:])
            values = seen → values = F.layer_norm(seen, seen.shape[-1:])
        output-product-turned: seen @ attention.W_value.weight[own].T → seen @ attention.out_proj.weight[:, own]
            values @ attention.out_proj.weight[:, own].T → values @ attention.W_value.weight[own]
        scaled-by-tokens: / head_dim**0.5 → / len(seen) ** 0.5
        biases-counted: body
            head_dim = attention.W_query.weight.shape[0] // num_heads
            own = slice(head * head_dim, (head + 1) * head_dim)
            queries, keys = attention.W_query(asking)[:, own], attention.W_key(seen)[:, own]
            values = torch.zeros_like(seen)
            values[:, own] = attention.W_value(seen)[:, own]
            return torch.stack((queries @ keys.T / head_dim**0.5, attention.out_proj(values) @ unembedding.T))
        """),
    right=rights("""
        matrices-first: body
            head_dim = attention.W_query.weight.shape[0] // num_heads
            own = slice(head * head_dim, (head + 1) * head_dim)
            query_key = attention.W_query.weight[own].T @ attention.W_key.weight[own]
            value_output = attention.out_proj.weight[:, own] @ attention.W_value.weight[own]
            return torch.stack([asking @ query_key @ seen.T / head_dim**0.5, seen @ value_output.T @ unembedding.T])
        chunks: body
            W_Q, W_K, W_V = (one.weight.chunk(num_heads)[head] for one in (attention.W_query, attention.W_key, attention.W_value))
            W_O = attention.out_proj.weight.chunk(num_heads, dim=1)[head]
            looks = torch.einsum("ad,hd,he,be->ab", asking, W_Q, W_K, seen) / len(W_Q) ** 0.5
            return torch.stack([looks, torch.einsum("bd,hd,eh,ce->bc", seen, W_V, W_O, unembedding)])
        layers: body
            d = attention.W_query.out_features // num_heads
            own = slice(head * d, head * d + d)
            q, k, v = ((x @ layer.weight.T)[:, own] for x, layer in ((asking, attention.W_query), (seen, attention.W_key), (seen, attention.W_value)))
            alone = torch.zeros(len(seen), num_heads * d)
            alone[:, own] = v
            return torch.stack((q @ k.T * d**-0.5, alone @ attention.out_proj.weight.T @ unembedding.T))
        """),
)


def patch(id, says, seed, layer, position, shape, **more):
    inputs = {"model": model(seed), "clean": ids(*shape, seed=seed), "corrupt": ids(*shape, seed=seed + 9)}
    return Probe(
        id,
        says,
        {**inputs, "layer": layer, "position": position},
        redraw=lambda generator: {"clean": torch.randint(6, shape, generator=generator)},
        **more,
    )


AGAIN = {"observe": "influence", "settings": {"input": "clean", "axis": 1}}

PATCHED = Task(
    id="patched",
    title="Patch an activation",
    name="patched",
    kind="function",
    signature="patched(model, clean, corrupt, layer, position)",
    axes=LOGITS,
    input_axes={"clean": IDS, "corrupt": IDS},
    probes=(
        patch("early", "a patch after the first block, at position 2", 1, 0, 2, (2, 6)),
        patch("late", "a patch after the second block, at position 3", 2, 1, 3, (3, 5)),
        patch("again", "several calls on the same model", 3, 0, 1, (2, 6), **AGAIN),
    ),
    checks=(Check("the corrupt run with one clean vector", 4, ("early", "late", "again")),),
    learned="A patch shows where an answer is: if one clean vector brings it back, all that was needed was there.",
    demands={
        "put the *clean* stream into one place": "clean-and-corrupt-swapped",
        "after block layer": "block-below",
        "at position": "all-positions-patched",
        "register_forward_hook on model.blocks[layer] gives you": "hook-stays",
    },
    hints=(
        "Two runs with hooks on the same block: the first one keeps the stream, the second puts a part of it in.",
        "A forward hook gets `(module, arguments, result)`. What it returns, unless it is None, takes the result's place.",
        "In the second hook: `stream = stream.clone()`, `stream[:, position] = kept[0][:, position]`, `return stream`.",
    ),
    wrong=wrongs("""
        hook-stays: hook.remove()↵return logits → return logits
        hook-stays: model(clean)↵hook.remove() → model(clean)
        all-positions-patched: stream[:, position] = kept[0][:, position] → stream[:] = kept[0]
        sequence-patched: stream[:, position] = kept[0][:, position] → stream[position % len(stream)] = kept[0][position % len(stream)]
        clean-and-corrupt-swapped: model(clean) → model(corrupt)
            logits = model(corrupt) → logits = model(clean)
        layer-ignored: model.blocks[layer] →2 model.blocks[0]
        block-below: model.blocks[layer].register_forward_hook(lambda block, given, stream: kept.append(stream)) → model.blocks[layer].register_forward_pre_hook(lambda block, given: kept.append(given[0]))
            def put_in(block, given, stream):↵stream = stream.clone() → def put_in(block, given):↵    stream = given[0].clone()
            return stream → return (stream,)
            register_forward_hook(put_in) → register_forward_pre_hook(put_in)
            hint: The stream before the block is kept, and put in before the block. Both belong after it: the stream as the block leaves it.
        block-below: model.blocks[layer].register_forward_hook(put_in) → model.blocks[max(layer - 1, 0)].register_forward_hook(put_in)
        nothing-put-in: line return stream →
        input-kept: kept.append(stream) → kept.append(given[0])
        position-typed-in: kept[0][:, position] → kept[0][:, -1]
            hint: The clean vector comes from the last position. Take it from the same one: `position`.
        """),
    right=rights("""
        blocks-by-hand: model(clean)↵hook.remove() →:
            model(clean)
            hook.remove()
            kept = [kept[0].clone()]
        with: hook = model.blocks[layer].register_forward_hook(put_in … hook.remove() →:
            with model.blocks[layer].register_forward_hook(put_in):
                logits = model(corrupt)
        where: stream[:, position] = kept[0][:, position] →:
            here = (torch.arange(stream.shape[1]) == position)[:, None]
            stream = torch.where(here, kept[0], stream)
        """),
)

LESSON = Lesson(
    title="09 · Take it apart",
    given_axes={},
    redraw=lambda generator: {},
    tasks=(INDUCTION_SCORE, PREVIOUS_TOKEN_HEAD, INDUCTION_HEAD, HEAD_CIRCUITS, ABLATION_EFFECT, PATCHED),
)
