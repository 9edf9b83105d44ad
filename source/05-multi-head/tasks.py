"""The tasks of lesson 05: their probes, the wrong answers people give, and the hint each deserves."""

import torch
from autograder.author.authoring import Check, Forbid, Lesson, Made, Probe, Task, rights, wrongs

# The sentence "Your journey starts with one step", three numbers for each token, and a batch of it twice.
SENTENCE = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
BATCH = torch.stack((SENTENCE, SENTENCE))
NUMBERED = torch.tensor([[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]])


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def rows_of_weights(*shape, seed):
    """Random attention weights: rows that add up to 1, sharp enough to differ."""
    return torch.softmax(3 * drawn(*shape, seed=seed), dim=-1)


def sizes(d_in, d_out, context_length, heads, dropout=0.0, qkv_bias=False):
    """A constructor's arguments."""
    names = ("d_in", "d_out", "context_length", "dropout", "num_heads", "qkv_bias")
    return dict(zip(names, (d_in, d_out, context_length, dropout, heads, qkv_bias), strict=True))


AHEAD = {"observe": "influence", "settings": {"input": "x", "axis": -2}}
APART = {"observe": "influence", "settings": {"input": "x", "axis": 0}}
SHUFFLED = {"observe": "permuted", "settings": {"input": "x", "axis": -2}}
AGAIN = {"observe": "second-call", "settings": {"input": "x", "axis": 1, "size": 4}}
REFUSED = {"raises": ("ValueError",)}
# Three layers, the scores, the contexts and `out_proj` are six products, however many heads there are.
ALL_HEADS_AT_ONCE = {"observe": "costs", "settings": {"calls": 8}}
SIX = torch.eye(6)
TWICE = torch.cat((SIX, SIX))  # values that show the weights, two times over


def called(id, says, shape, construct, seed, **more):
    """A class tried on random sentences of a shape, with weights drawn under the same seed."""
    x = 2 * drawn(*shape, seed=seed)
    return Probe(id, says, {"x": x}, construct=construct, seed=seed, **more)


def dropped(id, says, weights, sentences=1):
    """A class with one head in training mode. Each number of the result is there twice."""
    return Probe(
        id,
        says,
        {"x": SIX.repeat(sentences, 1, 1)},
        construct=sizes(6, 12, 6, heads=1, dropout=0.4),
        seed=13,
        weights=weights,
        observe="dropout",
        settings={"p": 0.4, "copies": 2, "measures": 9},
    )


def redraw(generator: torch.Generator) -> dict:
    """Another sentence for the batched product, with numbers of both signs."""
    return {"a": torch.randn(1, 2, 3, 4, generator=generator)}


# ----------------------------------------------------------------------------------------- the stack of heads

STACK_SEEDED = sizes(3, 2, 6, heads=2)
STACK = sizes(4, 6, 9, heads=2)


MULTI_HEAD_WRAPPER = Task(
    id="multi-head-wrapper",
    title="A stack of heads",
    name="MultiHeadAttentionWrapper",
    kind="module",
    signature="MultiHeadAttentionWrapper(d_in, d_out, context_length, dropout, num_heads, qkv_bias=False)",
    axes=("b", "tokens", "columns of all heads"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("seeded", "the batch", {"x": BATCH}, construct=STACK_SEEDED),
        called("two-sentences", "two sentences that differ", (2, 6, 3), STACK_SEEDED, 1),
        called("other-sizes", "three sentences of seven tokens, where nine would fit", (3, 7, 4), STACK, 2),
        called("three-heads", "three heads with biases", (2, 4, 5), sizes(5, 1, 7, 3, qkv_bias=True), 3),
        called("look-ahead", "sentences with one token changed at a time", (3, 7, 4), STACK, 4, **AHEAD),
        called(
            "sentences-apart", "a batch with one sentence changed at a time", (3, 7, 4), STACK, 5, **APART
        ),
        called("eval", "dropout 0.4 in eval mode", (3, 5, 4), {**STACK, "dropout": 0.4}, 6),
        dropped("training", "dropout 0.4 in training mode", {"heads.0.W_value.weight": TWICE}, sentences=3),
        called("double", "three sentences in float64", (3, 7, 4), STACK, 14, dtype="float64"),
    ),
    checks=(
        Check("the batch, two heads", 1, ("seeded", "two-sentences")),
        Check(
            "other sizes, three heads, with biases, in float64 too",
            2,
            ("other-sizes", "three-heads", "double", "look-ahead", "sentences-apart"),
        ),
        Check("dropout in training, none in eval mode", 1, ("eval", "training")),
    ),
    learned="Each head is an attention of its own, with its own matrices and its own softmax; joined along the "
    "last axis, their contexts stay apart. In this class `d_out` is the width of one head.",
    demands={
        "Its heads are in self.heads": "other-names",
        "context_length, dropout and qkv_bias": "bias-never",
        "d_out is the width of *one* head": "narrow-heads",
        "does not search inside a list": "unregistered-list",
        "Each is a CausalAttention that gets all": "no-dropout",
    },
    hints=(
        "How many `CausalAttention` are needed, and what is each given? Keep them in an `nn.ModuleList`.",
        "`self.heads = nn.ModuleList([CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) "
        "for _ in range(num_heads)])`",
        "In `forward`, call every head on `x` and join the results: "
        "`torch.cat([head(x) for head in self.heads], dim=-1)`.",
    ),
    parts=("class", "heads", "batch", "bias-option", "own-input-width"),
    words={"W_query": "heads.0.W_query", "W_key": "heads.0.W_key", "W_value": "heads.0.W_value"},
    cannot={
        "one-head": "one head is what `num_heads` typed in as 1 gives",
        "plain-tensors": "the weights are those of CausalAttention, which is given",
        "weights-made-in-forward": "heads made in `forward` are not registered, as in a plain list",
    },
    wrong=wrongs("""
        unregistered-list: nn.ModuleList( → list(
            hint: A module finds no heads in a plain list, and none that are made in `forward`. Use an
                `nn.ModuleList`.
        narrow-heads: (d_in, d_out → (d_in, d_out // num_heads
        narrow-heads: (d_in, d_out → (d_in, max(d_out // num_heads, 1)
        full-width-heads: (d_in, d_out → (d_in, d_out * num_heads
            hint: Each head is `num_heads` times too wide. In this class `d_out` is the width of one head.
        sizes-turned: (d_in, d_out → (d_out, d_in
        first-head-for-all: [head(x) → [self.heads[0](x)
        one-head-repeated: Causal → [Causal
            ) for _ in range(num_heads) → )] * num_heads
        joined-along-wrong-axis: dim=-1 → dim=1
        joined-along-wrong-axis: dim=-1 → dim=0
        stacked-not-joined: torch.cat → torch.stack
        stacked-not-joined: torch.cat → torch.stack
            , dim=-1 →
        stacked-not-joined: torch.cat → torch.stack
            dim=-1 → dim=1
        stacked-not-joined: torch.cat → torch.stack
            dim=-1 → dim=2
        merge-interleaved: torch.cat → torch.stack
            dim=-1) → dim=-1).flatten(-2)
        merge-without-transpose: torch.cat → torch.stack
            dim=-1) → dim=1).reshape(*x.shape[:2], -1)
            hint: Each row holds pieces of several tokens. Join the contexts with `torch.cat(…, dim=-1)`.
        heads-added: torch.cat → sum
            , dim=-1 →
        heads-added: torch.cat → torch.stack
            dim=-1) → dim=-1).mean(dim=-1)
        heads-not-joined: torch.cat( → (
            , dim=-1 →
            hint: This is a list with one tensor for each head. Join them to one tensor with `torch.cat(…,
                dim=-1)`.
        heads-in-reverse: in self.heads → in self.heads[::-1]
        first-head-only: in self.heads → in self.heads[:1]
        overwritten-in-loop: in self.heads → in self.heads[-1:]
            hint: This is the last head alone: does each round of a loop replace the one before? Collect
                all in a list.
        heads-in-series: body forward
            for head in self.heads:
                x = head(x)
            return x
        input-split: (d_in, → (d_in // num_heads,
            (x) for head in self.heads → (part) for head, part in zip(self.heads, x.split(self.heads[0].W_key.in_features, dim=-1))
            hint: Each head sees only a slice of the token. Every head gets all of `x`; the result is made
                of pieces.
        no-dropout: dropout, q → 0.0, q
            hint: The heads do not get `dropout`. Pass it on to `CausalAttention`.
        dropout-typed-in: dropout, q → 0.5, q
        dropout-twice: torch.cat( → torch.dropout(torch.cat(
            dim=-1) → dim=-1), self.heads[0].dropout.p, self.training)
        bias-never: , qkv_bias) for → ) for
            hint: The heads do not get `qkv_bias`. Pass it on to `CausalAttention`.
        bias-always: , qkv_bias) for → , True) for
            hint: Every head has biases whatever `qkv_bias` says. Pass `qkv_bias` on to `CausalAttention`.
        bias-uneven: , qkv_bias) for _ in → , qkv_bias and _ == 0) for _ in
            hint: Some heads follow `qkv_bias` and some do not. Pass it on to every head.
        sizes-typed-in: context_length, dropout, q → 6, dropout, q
            hint: The heads do not get `context_length`. Pass it on to `CausalAttention`.
        heads-typed-in: range(num_heads) → range(2)
            hint: There is always the same number of heads. Let `range(num_heads)` count them.
        heads-typed-in: range(num_heads) → range(1)
            hint: There is always the same number of heads. Let `range(num_heads)` count them.
        heads-typed-in: range(num_heads) → range(4)
            hint: There is always the same number of heads. Let `range(num_heads)` count them.
        heads-typed-in: in self.heads → in self.heads[:2]
            hint: There is always the same number of heads. Let `range(num_heads)` count them.
        loop-stops-early: range(num_heads) → range(num_heads - 1)
            hint: The last head is missing. `range(num_heads)` already makes `num_heads` rounds: no `- 1` is
                needed.
        reads-the-notebook: head(x) → head(batch)
        edits-its-argument: dim=-1) → dim=-1) + x.zero_().sum()
        first-sequence-only: dim=-1) → dim=-1)[0]
        first-sequence-for-all: head(x) → head(x[:1]).expand(len(x), -1, -1)
        batch-mixed: head(x) → head(x.transpose(0, 1)).transpose(0, 1)
        other-names: self.heads →2 self.layers
            hint: Call the list `self.heads`.
        no-super-init: line super().__init__() →
        returns-nothing: return torch → torch
        returns-a-tuple: dim=-1) → dim=-1), self.heads
        detached: dim=-1) → dim=-1).detach()
        half-precision: dim=-1) → dim=-1).half().to(x.dtype)
        float-forced: dim=-1) → dim=-1).float()
        # Inside a head that learners write for themselves, seen from outside.
        no-mask: `range(num_heads)↵        )` → `range(num_heads)↵        )↵        for head in self.heads:↵            head.mask.zero_()`
        diagonal-hidden: `range(num_heads)↵        )` → `range(num_heads)↵        )↵        for head in self.heads:↵            head.mask.fill_diagonal_(1)`
        past-hidden: `range(num_heads)↵        )` → `range(num_heads)↵        )↵        for head in self.heads:↵            head.mask.copy_(head.mask.T.clone())`
        no-scale: `range(num_heads)↵        )` → `range(num_heads)↵        )↵        for head in self.heads:↵            head.W_query.register_forward_hook(lambda layer, given, made: made * d_out**0.5)`
        scaled-without-root: `range(num_heads)↵        )` → `range(num_heads)↵        )↵        for head in self.heads:↵            head.W_query.register_forward_hook(lambda layer, given, made: made * d_out**-0.5)`
        scaled-by-input-width: `range(num_heads)↵        )` → `range(num_heads)↵        )↵        for head in self.heads:↵            head.W_query.register_forward_hook(lambda layer, given, made: made * (d_out / d_in) ** 0.5)`
        scaled-by-model-width: `range(num_heads)↵        )` → `range(num_heads)↵        )↵        for head in self.heads:↵            head.W_query.register_forward_hook(lambda layer, given, made: made * num_heads**-0.5)`
        keys-as-queries: `range(num_heads)↵        )` → `range(num_heads)↵        )↵        for head in self.heads:↵            head.W_query = head.W_key`
            hint: In each head, keys are used as queries. `W_query` makes the queries.
        """),
    right=rights("""
        tuple: ModuleList( → ModuleList(tuple(
            _heads)↵) → _heads)↵        ))
            [head(x) for head in self.heads] → tuple(head(x) for head in self.heads)
        appended-and-filled:
            body __init__
                super().__init__()
                self.d_out, self.heads = d_out, nn.ModuleList()
                for _ in range(num_heads):
                    self.heads.append(CausalAttention(d_in, d_out, context_length, dropout, qkv_bias))

            body forward
                out = x.new_zeros(*x.shape[:2], len(self.heads) * self.d_out)
                for index, head in enumerate(self.heads):
                    out[..., index * self.d_out : (index + 1) * self.d_out] = head(x)
                return out

        stack-and-reshape: torch.cat → torch.stack
            dim=-1) → dim=2).flatten(2)
        concatenate: torch.cat → torch.concatenate
            dim=-1 → axis=2
        own-dimensions: dim=-1 → dim=x.ndim - 1
        """),
)

# ---------------------------------------------------------------------------------- what several heads leave


def weights_on_previous(num_tokens):
    return torch.eye(num_tokens)[[0, *range(num_tokens - 1)]]


def weights_on_first(num_tokens):
    return torch.eye(num_tokens)[[0] * num_tokens]


STORIES = drawn(20, 8, 4, seed=24)
BOTH = torch.cat((weights_on_previous(8) @ STORIES, weights_on_first(8) @ STORIES), dim=-1)
ON_BOTH = weights_on_previous(8) + weights_on_first(8)
OTHER_STORIES, OTHER_WANTED = drawn(9, 5, 2, seed=6), drawn(9, 5, 7, seed=7)


def attended(id, says, weights, x=STORIES, wanted=BOTH):
    return Probe(id, says, {"weights": weights, "x": x, "wanted": wanted})


ERROR_WITH_HEADS = Task(
    id="error-with-heads",
    title="The error that several heads leave",
    name="error_with_heads",
    kind="function",
    signature="error_with_heads(weights, x, wanted)",
    axes=(),
    number=True,
    input_axes={
        "weights": ("heads", "tokens as query", "tokens as key"),
        "x": ("b", "tokens", "d_in"),
        "wanted": ("b", "tokens", "d_wanted"),
    },
    probes=(
        attended(
            "half-half", "one head, half on the token before and half on the first", (ON_BOTH / 2)[None]
        ),
        attended("one-random-head", "one head with random weights", rows_of_weights(1, 8, 8, seed=3)),
        attended("two-heads", "two heads with random weights", rows_of_weights(2, 8, 8, seed=4)),
        attended(
            "three-heads",
            "three heads on other stories",
            rows_of_weights(3, 5, 5, seed=5),
            OTHER_STORIES,
            OTHER_WANTED,
        ),
    ),
    checks=(
        Check("one head", 1, ("half-half", "one-random-head")),
        Check("several heads, joined", 1, ("two-heads", "three-heads")),
    ),
    learned="One head has one row of weights per token, so all its columns hold the same mixture. Joined heads have "
    "a row each, and the next matrix has a block for each.",
    demands={
        "Make each head's contexts": "weights-not-used",
        "join them along the last axis": "joined-along-wrong-axis",
        "for any number of heads": "heads-typed-in",
    },
    hints=(
        "For one head the contexts are `head @ x`: its weights are (tokens, tokens), and `@` does it for each story.",
        "Collect the contexts of all heads in a list, and join the list with `torch.cat(…, dim=-1)`.",
        "`contexts = [head @ x for head in weights]`, then `return error_left(torch.cat(contexts, dim=-1), wanted)`",
    ),
    wrong=wrongs("""
        heads-added: torch.cat(contexts, dim=-1) → sum(contexts)
        arguments-of-the-error-swapped: (joined, wanted) → (wanted, joined)
        first-head-only: in weights → in weights[:1]
        overwritten-in-loop: in weights → in weights[-1:]
            hint: This is the last head alone: does each round of a loop replace the one before? Collect
                all in a list.
        heads-typed-in: in weights → in weights[:2]
            hint: Only the first two heads are used, however many there are. Take every map in `weights`.
        error-for-each-head: = torch.stack([error_left(head @ x, wanted) for head in weights]).mean()
        error-for-each-head: = sum([error_left(head @ x, wanted) for head in weights])
        error-for-each-head: = min([error_left(head @ x, wanted) for head in weights])
        weights-on-the-right: head @ x → head.T @ x
            hint: The weights are transposed, so row i no longer belongs to query i. Write `head @ x`.
        joined-along-wrong-axis: dim=-1 → dim=1
        weights-not-used: = error_left(x, wanted)
            hint: Here the tokens themselves are compared with what is wanted; no weights are used. Write
                `head @ x`.
        softmax-twice: head @ x → head.softmax(dim=-1) @ x
            hint: The weights are ready: the rows of each head add up to 1. A softmax makes them nearly equal.
        merge-without-transpose: torch.cat(contexts, dim=-1) → torch.stack(contexts).reshape(*x.shape[:2], -1)
            hint: Each row holds pieces of several tokens. Join the contexts with `torch.cat(…, dim=-1)`.
        merge-without-transpose: torch.cat(contexts, dim=-1) → torch.stack(contexts, dim=1).reshape(*x.shape[:2], -1)
            hint: Each row holds pieces of several tokens. Join the contexts with `torch.cat(…, dim=-1)`.
        reads-the-notebook: head @ x → head @ stories
        rounded: (joined, wanted) → (joined, wanted).round(decimals=2)
        """),
    right=rights("""
        einsum: = error_left(torch.einsum("hqk,bkd->bqhd", weights, x).flatten(2), wanted)
        broadcast: body
            contexts = weights[None] @ x[:, None]
            return error_left(contexts.permute(0, 2, 1, 3).reshape(*x.shape[:2], -1), wanted)

        heads-first: = error_left((weights[:, None] @ x).permute(1, 2, 0, 3).flatten(2), wanted)
        double: = error_left(torch.cat([h.double() @ x.double() for h in weights], -1), wanted.double())
        heads-in-another-order: in weights → in weights.flip(0)
        python-float: (joined, wanted) → (joined, wanted).item()
        """),
)

# ------------------------------------------------------------------------------- all heads in one matrix product


BATCHED_HEAD_SCORES = Task(
    id="batched-head-scores",
    title="The scores of all heads at once",
    name="head_scores",
    kind="tensor",
    signature="head_scores",
    axes=("b", "heads", "tokens as query", "tokens as key"),
    properties=("symmetric",),
    checks=(Check("each head's own scores", 1),),
    learned="`@` multiplies the last two axes and treats all axes before them as a batch. With the heads as an axis, "
    "one product makes the scores of every head.",
    demands={
        "in each head": "heads-crossed",
        "every token's dot product with every token": "dimensions-for-tokens",
    },
    hints=(
        "Rows must meet rows: the right side needs head_dim and tokens in each other's place.",
        "In `a` those are the axes 2 and 3. `a.transpose(2, 3)` swaps them and leaves the others alone.",
        "`head_scores = a @ a.transpose(2, 3)`",
    ),
    wrong=wrongs("""
        dimensions-for-tokens: a @ a.transpose(2, 3) → a.transpose(2, 3) @ a
            hint: This is (1, 2, 4, 4): dimensions meet dimensions. Transpose the right side, not the
                left.
        first-head-only: a @ a.transpose(2, 3) → a[0, 0] @ a[0, 0].T
        heads-added: = (a @ a.transpose(2, 3)).sum(dim=1)
            hint: The heads' scores are added up, as one wide head would get them. Each head keeps scores
                of its own.
        heads-crossed: a.transpose → a.flip(1).transpose
        heads-meet: = a.flatten(0, 2) @ a.flatten(0, 2).T
        elementwise-product: = a * a
        scaled-unasked: transpose(2, 3) → transpose(2, 3) / a.shape[-1] ** 0.5
            hint: These scores are divided by √head_dim already. That comes with the class; here they stay
                as they are.
        step-too-many: = torch.softmax(a @ a.transpose(2, 3), dim=-1)
            hint: These are weights: each row adds up to 1. The task wants the scores before the softmax.
        keys-reshaped: a.transpose(2, 3) → a.reshape(1, 2, 4, 3)
            hint: `a` is cut into another shape, which puts its numbers in the wrong places. Swap its last
                two axes.
        """),
    right=rights("""
        mT: a.transpose(2, 3) → a.mT
        last-axes: = torch.matmul(a, a.transpose(-2, -1))
        einsum: = torch.einsum("bhqd,bhkd->bhqk", a, a)
        permute: transpose(2, 3) → permute(0, 1, 3, 2)
        loop: = torch.stack([torch.stack([head @ head.T for head in one]) for one in a])
        bmm: = torch.bmm(a[0], a[0].transpose(1, 2))[None]
        double: = a.double() @ a.double().mT
        """),
)

# ------------------------------------------------------------------------------------------- split and merge


def other_numbers(generator: torch.Generator) -> dict:
    """Twelve whole numbers, no two alike, so that each can be told from the others wherever it goes."""
    return {"x": torch.randperm(100, generator=generator)[:12].reshape(1, 3, 4)}


def split(id, says, shape, heads):
    return Probe(id, says, {"x": drawn(*shape, seed=20 + heads), "num_heads": heads})


SPLIT_HEADS = Task(
    id="split-heads",
    title="Split into heads",
    name="split_heads",
    kind="function",
    signature="split_heads(x, num_heads)",
    axes=("b", "heads", "tokens", "head_dim"),
    input_axes={"x": ("b", "tokens", "d_out")},
    dtypes=("float32", "float64", "int64"),
    probes=(
        Probe("numbered", "the numbered example", {"x": NUMBERED, "num_heads": 2}, redraw=other_numbers),
        split("same-sizes", "another example of three tokens and two heads", (1, 3, 4), 2),
        split("three-heads", "two sentences of five tokens, three heads", (2, 5, 12), 3),
        split("five-heads", "four sentences of three tokens, five heads", (4, 3, 10), 5),
        split("one-head", "one head", (3, 2, 4), 1),
    ),
    checks=(
        Check("three tokens, two heads", 1, ("numbered", "same-sizes")),
        Check("other sizes and numbers of heads", 1, ("three-heads", "five-heads", "one-head")),
    ),
    learned="`view` cuts d_out in two while the tokens stay in front; `transpose` then brings the heads forward. "
    "Row i of every head belongs to token i.",
    demands={
        "Head 0 gets the first head_dim numbers of every token": "split-interleaved",
        "returns: (b, heads, tokens, head_dim)": "heads-not-brought-forward",
    },
    hints=(
        "Two steps: cut the last axis in two, then swap two axes. What is the shape after the first?",
        "First `x.view(b, num_tokens, num_heads, head_dim)`. Which two axes must change places to give "
        "(b, heads, tokens, head_dim)?",
        "`return x.view(b, num_tokens, num_heads, d_out // num_heads).transpose(1, 2)`",
    ),
    wrong=wrongs("""
        split-without-transpose: num_tokens, num_heads → num_heads, num_tokens
            pieces.transpose(1, 2) → pieces
        heads-not-brought-forward: pieces.transpose(1, 2) → pieces
        split-interleaved: num_heads, d_out // num_heads) → d_out // num_heads, num_heads)
            transpose(1, 2) → permute(0, 3, 1, 2)
        head-dim-for-heads: num_heads, d_out // num_heads) → d_out // num_heads, num_heads)
        wrong-axes-swapped: transpose(1, 2) → transpose(1, 3)
        wrong-axes-swapped: transpose(1, 2) → permute(0, 2, 3, 1)
        wrong-axes-swapped: transpose(1, 2) → transpose(2, 3)
        heads-before-batch: transpose(1, 2) → permute(2, 0, 1, 3)
        tokens-split: = x.repeat(1, num_heads, 1).reshape(*x.shape[:2], num_heads, -1).transpose(1, 2)
        heads-get-everything: = x[:, None].expand(-1, num_heads, -1, -1)
        heads-in-reverse: transpose(1, 2) → transpose(1, 2).flip(1)
        heads-typed-in: num_heads, d_out // num_heads) → 2, d_out // 2)
        sizes-typed-in: b, num_tokens, num_heads, d_out // num_heads) → 1, 3, 2, 2)
        reads-the-notebook: = numbered.view(1, 3, 2, 2).transpose(1, 2)
        first-sequence-only: pieces.transpose → pieces[:1].transpose
        first-sequence-only: pieces.transpose(1, 2) → pieces[0].transpose(0, 1)
        edits-its-argument: return p →:
            pieces = pieces.clone()
            x.zero_()
            return p
        """),
    right=rights("""
        reshape: = x.reshape(*x.shape[:-1], num_heads, -1).transpose(1, 2)
        permute: transpose(1, 2) → permute(0, 2, 1, 3)
        unflatten: = x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
        chunk-and-stack: = torch.stack(x.chunk(num_heads, dim=-1), dim=1)
        slices: body
            width = x.shape[2] // num_heads
            return torch.stack([x[:, :, h * width : (h + 1) * width] for h in range(num_heads)], dim=1)

        contiguous-as-well: transpose(1, 2) → transpose(1, 2).contiguous()
        """),
)

COUNTED = torch.arange(12.0).view(1, 2, 3, 2)

MERGE_HEADS = Task(
    id="merge-heads",
    title="Merge the heads",
    name="merge_heads",
    kind="function",
    signature="merge_heads(context)",
    axes=("b", "tokens", "d_out"),
    input_axes={"context": ("b", "heads", "tokens", "head_dim")},
    dtypes=("float32", "float64", "int64"),
    probes=(
        Probe("counted", "two heads, three tokens, numbered from 0", {"context": COUNTED}),
        Probe("same-sizes", "other numbers of the same shape", {"context": drawn(1, 2, 3, 2, seed=31)}),
        Probe("other-sizes", "two sentences, three heads", {"context": drawn(2, 3, 5, 4, seed=32)}),
        Probe("many-heads", "four sentences, five heads", {"context": drawn(4, 5, 3, 2, seed=33)}),
    ),
    checks=(
        Check("two heads, three tokens", 1, ("counted", "same-sizes")),
        Check("other sizes", 1, ("other-sizes", "many-heads")),
    ),
    learned="The tokens go back to the front before heads and head_dim become one. After `transpose` the numbers no "
    "longer lie in reading order, so `view` needs `.contiguous()` first; `reshape` copies by itself.",
    demands={
        "which undoes split_heads": "merge-without-transpose",
        "head 0 first": "heads-in-reverse",
    },
    hints=(
        "Two steps, the way back of `split_heads`: which two axes must change places first?",
        "After `context.transpose(1, 2)` the axes are (b, tokens, heads, head_dim). Now make the last two one.",
        "`return context.transpose(1, 2).contiguous().view(b, num_tokens, num_heads * head_dim)`",
    ),
    wrong=wrongs("""
        merge-without-transpose: context.transpose(1, 2) → context
        view-of-a-transpose: .contiguous() →
        heads-typed-in: context.tr → context[:, :2].tr
            num_heads * head_dim → -1
        joined-then-turned: num_tokens, num_heads * head_dim) → -1, num_tokens).transpose(1, 2)
        merge-interleaved: transpose(1, 2) → permute(0, 2, 3, 1)
        wrong-axes-swapped: transpose(1, 2) → transpose(2, 3)
        wrong-axes-swapped: transpose(1, 2) → transpose(1, 3)
        heads-added: = context.sum(dim=1)
        heads-added: = context.mean(dim=1)
        first-head-only: = context[:, 0]
        heads-not-joined: = context.transpose(1, 2)
        joined-along-wrong-axis: = torch.cat(context.unbind(1), dim=1)
        joined-along-wrong-axis: = context.transpose(1, 2).flatten(1, 2)
        tokens-counted-on-another-axis: num_heads, num_tokens, h → num_tokens, num_heads, h
            hint: Tokens and heads are confused. The axes of `context` are (b, heads, tokens, head_dim), in this order.
        transposed-result: = context.transpose(2, 3).flatten(1, 2)
            hint: This is (b, d_out, tokens). One row for each token: swap the last two axes.
        heads-in-reverse: context.transpose → context.flip(1).transpose
        sizes-typed-in: view(b, num_tokens, num_heads * head_dim) → view(1, 3, 4)
        first-sequence-only: = context[:1].transpose(1, 2).flatten(2)
        edits-its-argument: return p →:
            pieces = pieces.clone()
            context.zero_()
            return p
        """),
    right=rights("""
        reshape: contiguous().view → reshape
        flatten: = context.transpose(1, 2).flatten(-2)
        cat: = torch.cat(context.unbind(dim=1), dim=-1)
        permute-and-view: transpose(1, 2) → permute(0, 2, 1, 3)
        einsum: = torch.einsum("bhtd->bthd", context).flatten(2)
        """),
)

# ------------------------------------------------------------------------------------------ the fused class

SEEDED = sizes(3, 4, 6, heads=2)
OTHER = {name: size for name, size in sizes(7, 12, 9, heads=3).items() if name != "qkv_bias"}
FULL = sizes(7, 12, 5, heads=2)  # room for five tokens and no more
BIASED = sizes(5, 6, 8, heads=2, qkv_bias=True)
ATTENTION = ("class", "projections", "scaling", "softmax", "masking", "causal", "context-length", "buffer")
FLAT = {"W_query.weight": torch.zeros(12, 7)}  # all scores are 0, whatever they are divided by
FUSED_TWICE = {"W_value.weight": TWICE, "out_proj.weight": torch.eye(12), "out_proj.bias": torch.zeros(12)}


SLIPS_BY_HAND = wrongs("""
    exp-overflows: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores); return exponentials / exponentials.sum(dim=dim, keepdim=True)
        torch.softmax( → softmax_by_hand(
    not-normalised: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials
        torch.softmax( → softmax_by_hand(
    sums-without-keepdim: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum(dim=dim).unsqueeze(-2)
        torch.softmax( → softmax_by_hand(
    softmax-over-queries: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum(dim=-2, keepdim=True)
        torch.softmax( → softmax_by_hand(
    softmax-over-everything: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum()
        torch.softmax( → softmax_by_hand(
    """)

# Queries and keys read three numbers that all tokens share, so that all scores of a head are one: about 35,000 in
# the first, -35,000 in the second. Only a softmax that overflows goes wrong, or a mask that is not −∞.
SHARED = torch.cat((torch.ones(12, 3), torch.zeros(12, 4)), dim=1)
BOTH_SIGNS = {"W_query.weight": SHARED * torch.tensor([1.0, -1.0]).repeat_interleave(6)[:, None]}
BOTH_SIGNS |= {"W_key.weight": SHARED}


def sharing_three_numbers(generator):
    """Tokens that have their first three numbers in common."""
    return {"x": torch.cat((torch.full((2, 5, 3), 40.0), torch.randn(2, 5, 4, generator=generator)), dim=2)}


MULTI_HEAD_ATTENTION = Task(
    id="multi-head-attention",
    title="Multi-head attention",
    name="MultiHeadAttention",
    kind="module",
    signature="MultiHeadAttention(d_in, d_out, context_length, dropout, num_heads, qkv_bias=False)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    needs=("split-heads", "merge-heads"),
    probes=(
        Probe("seeded", "the batch", {"x": BATCH}, construct=SEEDED),
        called("two-sentences", "two sentences that differ", (2, 6, 3), SEEDED, 41),
        called("other-sizes", "two sentences of five tokens, where nine would fit", (2, 5, 7), OTHER, 42),
        called("biases", "four sentences, with biases", (4, 7, 5), BIASED, 43),
        called("one-token", "a sentence of one token", (3, 1, 5), BIASED, 44),
        called("look-ahead", "sentences with one token changed at a time", (2, 5, 7), FULL, 45, **AHEAD),
        called(
            "sentences-apart", "a batch with one sentence changed at a time", (4, 5, 7), FULL, 46, **APART
        ),
        called("long", "sentences as long as context_length", (3, 5, 7), FULL, 47, weights=FLAT),
        called(
            "double", "a module and inputs of float64", (2, 5, 7), FULL, 48, dtype="float64", weights=FLAT
        ),
        Probe(
            "large",
            "scores near 35,000 and near −35,000",
            sharing_three_numbers(torch.Generator().manual_seed(58)),
            construct=FULL,
            seed=58,
            dtype="float64",
            weights=BOTH_SIGNS,
            redraw=sharing_three_numbers,
        ),
        called("device", "a module on another device", (2, 5, 7), FULL, 49, observe="other-device"),
        called("state-dict", "the module's state dict", (2, 5, 7), FULL, 49, observe="buffers"),
        called("divisible", "a `d_out` of 6 for 2 heads", (2, 1, 3), sizes(3, 6, 1, 2), 57),
        called("one-number-each", "a `d_out` of 5 for 5 heads", (2, 1, 4), sizes(4, 5, 1, 5), 60),
        called("one-head", "a `d_out` of 9 for one head", (2, 1, 4), sizes(4, 9, 1, 1), 61),
        called("indivisible", "a `d_out` of 7 for 2 heads", (2, 6, 3), sizes(3, 7, 6, 2), 55, **REFUSED),
        Probe(
            "at-once", "a `d_out` of 7 for 2 heads, in `__init__`", {}, construct=sizes(3, 7, 6, 2), **REFUSED
        ),
        called("eval", "dropout 0.4 in eval mode", (2, 5, 7), sizes(7, 12, 5, 2, 0.4), 50, weights=FLAT),
        dropped("training", "dropout 0.4 in training mode", FUSED_TWICE),
        Probe(
            "heads-apart",
            "three sentences and two heads in training mode",
            {"x": SIX.repeat(3, 1, 1)},
            construct=sizes(6, 12, 6, heads=2, dropout=0.3),
            seed=17,
            weights=FUSED_TWICE,
            observe="dropout",
            settings={"p": 0.3, "measures": 9},
        ),
        called("second-call", "six tokens, after a call with four of them", (2, 6, 7), OTHER, 56, **AGAIN),
        called("costs", "twelve heads", (2, 5, 7), sizes(7, 24, 5, 12), 59, **ALL_HEADS_AT_ONCE),
    ),
    checks=(
        Check("the batch, two heads, all heads at once", 1, ("seeded", "two-sentences", "costs")),
        Check(
            "other sizes, with biases, and fewer tokens than context_length",
            1,
            ("other-sizes", "biases", "one-token", "second-call"),
        ),
        Check("no look ahead, and sentences apart", 1, ("long", "look-ahead", "sentences-apart", "large")),
        Check(
            "another dtype, another device, and the mask saved",
            1,
            ("double", "device", "state-dict"),
        ),
        Check(
            "dropout on the weights in training, none in eval mode", 1, ("eval", "training", "heads-apart")
        ),
        Check(
            "a width is refused where the heads cannot share it, and only there",
            1,
            ("divisible", "one-number-each", "one-head", "indivisible", "at-once"),
        ),
    ),
    learned="Project wide, cut into heads, attend in all heads at once, merge, and let `out_proj` mix what they found. "
    "This class, in nine steps, is part of almost every language model.",
    demands={
        "W_query, W_key, W_value, out_proj": "other-names",
        "the buffer mask": "mask-not-a-buffer",
        "Dropout acts on the weights": "dropout-on-context",
        "does not divide d_out, raise a ValueError": "indivisible-accepted",
        "a ValueError in __init__": "indivisible-too-late",
        "Large scores must not overflow": "exp-overflows",
        "F.scaled_dot_product_attention or nn.MultiheadAttention in it": "ready-made",
        "without a loop over them": "heads-in-a-loop",
        "with its bias": "out-proj-without-bias",
    },
    hints=(
        "Follow the table step by step. After each line write the shape as a comment, and print it if you are not sure.",
        "Steps 2 and 3 for queries, keys and values: `split_heads(self.W_query(x), self.num_heads)`. Then the scores "
        "are `queries @ keys.transpose(2, 3)`.",
        "Mask with `scores.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)`, divide by "
        "`self.head_dim**0.5`, softmax over `dim=-1`, dropout.",
        "The end is `return self.out_proj(merge_heads(weights @ values))`.",
    ),
    parts=(
        *ATTENTION,
        "batch",
        "heads",
        "divisible",
        "out-proj",
        "dropout",
        "bias-option",
        "own-input-width",
    ),
    words={"width": "√head_dim", "width_code": "self.head_dim**0.5", "swap": "keys.transpose(2, 3)"},
    cannot={
        "input-as-values": "tokens narrower than d_out cannot be split: the shapes stop it",
    },
    wrong=wrongs("""
        heads-in-a-loop: body forward
            contexts = []
            for head in range(self.num_heads):
                own = slice(head * self.head_dim, (head + 1) * self.head_dim)
                queries, keys, values = (one(x)[..., own] for one in (self.W_query, self.W_key, self.W_value))
                scores = queries @ keys.transpose(1, 2)
                hidden = self.mask[: x.shape[1], : x.shape[1]] == 1
                weights = torch.softmax(scores.masked_fill(hidden, -torch.inf) / self.head_dim**0.5, -1)
                contexts.append(self.dropout(weights) @ values)
            return self.out_proj(torch.cat(contexts, -1))
        # The scores and their scale.
        no-scale: / self.head_dim**0.5 →
        scaled-by-model-width: self.head_dim**0.5 → self.out_proj.in_features ** 0.5
        scaled-by-input-width: self.head_dim**0.5 → x.shape[-1] ** 0.5
        scaled-without-root: _dim**0.5 → _dim
        scaled-up: / self.head_dim**0.5 → * self.head_dim**0.5
        scaled-by-heads: self.head_dim**0.5 → self.num_heads**0.5
        scaled-by-tokens: self.head_dim**0.5 → num_tokens**0.5
        scaled-by-batch: self.head_dim**0.5 → queries.shape[0] ** 0.5
        scaled-after-softmax: / self.head_dim**0.5, dim=-1) → , dim=-1) / self.head_dim**0.5
        root-by-precedence: _dim**0.5 → _dim**1/2
        scaled-by-half: _dim**0.5 → _dim / 0.5
        scale-typed-in: self.head_dim**0.5 → 2**0.5
        scores-turned: queries @ keys → keys @ queries
        scores-negated: queries @ → -queries @
        keys-reshaped: keys.transpose(2, 3) → keys.reshape(*keys.shape[:2], -1, num_tokens)
        keys-not-turned: keys.transpose(2, 3) → keys
        keys-turned-on-other-axes: keys.transpose(2, 3) → keys.transpose(1, 2)
        keys-turned-on-other-axes: keys.transpose(2, 3) → keys.T
        # The softmax.
        softmax-over-queries: dim=-1 → dim=-2
        softmax-over-heads: dim=-1 → dim=1
        softmax-over-heads: scores = scores.masked_fill → scores.masked_fill
            dim=-1 → dim=1
            self.dropout(weights) → self.dropout(weights.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], 0.0))
        softmax-over-batch: dim=-1 → dim=0
        no-softmax: torch.softmax( → (
            , dim=-1 →
        softmax-twice: dim=-1) → dim=-1).softmax(dim=-1)
        log-softmax: torch.softmax → torch.log_softmax
        sigmoid-for-softmax: torch.softmax( → torch.sigmoid(
            , dim=-1 →
        not-normalised: torch.softmax( → torch.exp(
            , dim=-1 →
        """)
    + SLIPS_BY_HAND
    + wrongs("""
        weights-on-the-right: weights @ → weights.mT @
        residual-added: @ values → @ values + values
        attended-twice: weights @ → weights @ weights @
        own-value-only: weights @ values → values
        # The mask.
        no-mask: scores = scores.masked_fill → scores.masked_fill
        mask-fills-zero: -torch.inf → 0.0
        mask-fills-small: -torch.inf → -10.0
        mask-fills-small: -torch.inf → -1
        mask-fills-small: -torch.inf → -3
        mask-fills-small: -torch.inf → -5
        mask-fills-small: -torch.inf → -1000.0
        mask-fills-small: -torch.inf → -1e4
        mask-fills-infinity: -torch.inf → torch.inf
        mask-added: .masked_fill(self.mask.bool() → + self.mask
            ], -torch.inf) → ]
        zero-times-infinity: .masked_fill(self.mask.bool() → + self.mask
            ], -torch.inf) → ] * -torch.inf
        mask-after-softmax: scores = scores.masked_fill → scores.masked_fill
            self.dropout(weights) → self.dropout(weights.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], 0.0))
        mask-polarity: self.mask.bool() → ~self.mask.bool()
        mask-polarity: self.mask.bool() → ~self.mask.bool()
            dim=-1) → dim=-1).nan_to_num()
        past-hidden: torch.triu → torch.tril
            diagonal=1 → diagonal=-1
        past-hidden: torch.triu → torch.tril
        diagonal-hidden: diagonal=1 → diagonal=0
        diagonal-too-far: diagonal=1 → diagonal=2
        mask-from-values: self.mask.bool()[:num_tokens, :num_tokens] → torch.triu(scores, diagonal=1) != 0
        mask-from-values: self.mask.bool()[:num_tokens, :num_tokens] → torch.tril(scores) == 0
        not-boolean: .mask.bool() → .mask
            hint: The mask holds numbers, and `masked_fill` wants True and False: `self.mask.bool()`.
        mask-not-cut: [:num_tokens, :num_tokens] →
        mask-misaligned: [:num_tokens, :num_tokens] → [:num_tokens, -num_tokens:]
        mask-misaligned: [:num_tokens, :num_tokens] → [-num_tokens:, :num_tokens]
        tokens-counted-on-another-axis: x.shape[1] → x.shape[0]
        tokens-counted-on-another-axis: x.shape[1] → x.shape[-1]
        sizes-typed-in: (context_length, context_length) → (6, 6)
        mask-on-first-head: scores = scores.masked → scores[:, 0] = scores[:, 0].masked
        mask-batch-for-heads: [:num_tokens, :num_tokens] → [:num_tokens, :num_tokens].expand(len(x), -1, -1)
        mask-not-a-buffer: self.register_buffer("mask", → self.mask = (
        mask-not-saved: diagonal=1) → diagonal=1), persistent=False
        mask-is-a-parameter: self.register_buffer("mask", → self.mask = nn.Parameter(
        # Which vectors meet.
        keys-as-values: self.W_value(x) → self.W_key(x)
        queries-as-values: self.W_value(x) → self.W_query(x)
        keys-as-queries: self.W_query(x) → self.W_key(x)
        queries-as-keys: self.W_key(x) → self.W_query(x)
        values-as-keys: self.W_key(x) → self.W_value(x)
        values-as-queries: self.W_query(x) → self.W_value(x)
        activation-added: self.out_proj(context) → torch.relu(self.out_proj(context))
        activation-added: self.W_value(x) → torch.relu(self.W_value(x))
        # The heads.
        split-without-transpose: above → def cut(x, heads): return x.reshape(len(x), heads, x.shape[1], -1)
            split_heads( →3 cut(
        split-interleaved: above → def cut(x, heads): return x.reshape(*x.shape[:2], -1, heads).permute(0, 3, 1, 2)
            split_heads( →3 cut(
        head-dim-for-heads: above → def cut(x, heads): return x.reshape(*x.shape[:2], -1, heads).transpose(1, 2)
            split_heads( →3 cut(
        heads-not-brought-forward: above → def cut(x, heads): return x.unflatten(-1, (heads, -1))
            split_heads( →3 cut(
            above → def joined(context): return context.flatten(2)
            merge_heads( → joined(
        merge-without-transpose: above → def joined(context): return context.reshape(len(context), context.shape[2], -1)
            merge_heads( → joined(
        view-of-a-transpose: above → def joined(context): return context.transpose(1, 2).view(len(context), context.shape[2], -1)
            merge_heads( → joined(
        merge-interleaved: above → def joined(context): return context.permute(0, 2, 3, 1).flatten(2)
            merge_heads( → joined(
        wrong-axes-swapped: above → def joined(context): return context.mT.reshape(len(context), context.shape[2], -1)
            merge_heads( → joined(
        split-and-merge-without-transpose: above → def cut(x, heads): return x.reshape(len(x), heads, x.shape[1], -1)
            split_heads( →3 cut(
            above → def joined(context): return context.reshape(len(context), context.shape[2], -1)
            merge_heads( → joined(
        heads-not-joined: above → def joined(context): return context.transpose(1, 2)
            merge_heads( → joined(
        heads-added: above → def joined(context): return context.sum(dim=1).repeat(1, 1, context.shape[1])
            merge_heads( → joined(
        heads-added: above → def joined(context): return context.mean(dim=1).repeat(1, 1, context.shape[1])
            merge_heads( → joined(
        one-head: s = num_heads → s = 1
            d_out // num_heads → d_out
        one-head: s = num_heads → s = 1
        heads-typed-in: s = num_heads → s = 2
            d_out // num_heads → d_out // 2
        full-width-heads: nn.Linear(d_in, d_out, bias=qkv_bias) →3 nn.Linear(d_in, d_out * num_heads, bias=qkv_bias)
            (d_out, d_out) → (d_out * num_heads, d_out)
            d_out // num_heads → d_out
        input-split: nn.Linear(d_in, d_out, bias=qkv_bias) →3 nn.Linear(d_in // num_heads, d_out // num_heads, bias=qkv_bias)
            above → def cut(x, n): return x[..., : x.shape[-1] // n * n].unflatten(-1, (n, -1)).transpose(1, 2)
            split_heads(self.W_query(x), self.num_heads) → self.W_query(cut(x, self.num_heads))
            split_heads(self.W_key(x), self.num_heads) → self.W_key(cut(x, self.num_heads))
            split_heads(self.W_value(x), self.num_heads) → self.W_value(cut(x, self.num_heads))
        indivisible-accepted: d_out % num_heads != 0 → False
        indivisible-too-late: d_out % num_heads != 0 → False
            line num_tokens = x.shape[1] → if self.out_proj.in_features % self.num_heads:↵    raise ValueError("d_out must be divisible by num_heads")↵num_tokens = x.shape[1]
        divisible-refused: d_out % num_heads → d_in % num_heads
        divisible-refused: d_out % num_heads != 0 → d_out % num_heads == 0
        # The output layer.
        no-out-proj: self.out_proj(context) → context
        no-out-proj: self.out_proj(context) → context
            self.out_proj = nn.Linear(d_out, d_out) →
        out-proj-twice: self.out_proj(context) → self.out_proj(self.out_proj(context))
        out-proj-without-bias: (d_out, d_out) → (d_out, d_out, bias=qkv_bias)
        out-proj-without-bias: (d_out, d_out) → (d_out, d_out, bias=False)
        out-proj-of-other-size: (d_out, d_out) → (d_out, d_in)
        context-normalised: (context) → (nn.functional.layer_norm(context, context.shape[-1:]))
        tokens-pooled: self.out_proj(context) → self.out_proj(context).mean(dim=1)
        weights-returned: self.out_proj(context) → weights
        # Dropout.
        no-dropout: weights = self.dropout → self.dropout
        dropout-on-scores: weights = self.dropout(weights) →
            scores.masked → self.dropout(scores).masked
        dropout-on-scores: weights = self.dropout(weights) →
            softmax(scores → softmax(self.dropout(scores)
            hint: In training nan comes out. Dropout comes after the softmax, where no −∞ is left, and what it gives
                is not divided by a sum.
        dropout-on-context: weights = self.dropout(weights) →
            self.out_proj(context) → self.out_proj(self.dropout(context))
        dropout-on-input: weights = self.dropout(weights) →
            self.W_value(x) → self.W_value(self.dropout(x))
        dropout-on-input: weights = self.dropout(weights) →
            @ values → @ self.dropout(values)
        dropout-on-input: weights = self.dropout(weights) →
            W_query(x) → W_query(self.dropout(x))
            W_key(x) → W_key(self.dropout(x))
            W_value(x) → W_value(self.dropout(x))
        dropout-twice: self.out_proj(context) → self.out_proj(self.dropout(context))
        dropout-in-eval: self.dropout(weights) → nn.functional.dropout(weights, self.dropout.p)
        dropout-not-rescaled: self.dropout(weights) → weights * (torch.rand_like(weights) >= self.dropout.p * self.training)
        rescaled-in-eval-instead: self.dropout(weights) → weights * (torch.rand_like(weights) >= self.dropout.p if self.training else 1 - self.dropout.p)
        dropout-renormalised: self.dropout(weights) → nn.functional.normalize(self.dropout(weights), p=1, dim=-1)
        dropout-typed-in: nn.Dropout(dropout) → nn.Dropout(0.1)
        dropout-same-each-time: = self.dropout → = torch.manual_seed(1) and self.dropout
        p-as-share-kept: nn.Dropout(dropout) → nn.Dropout(1 - dropout)
        dropped-together: self.dropout(weights) → weights * self.dropout(torch.ones_like(weights[0, 0]))
        # The class.
        bias-never: bias=qkv_bias →3 bias=False
        bias-uneven: W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → W_value = nn.Linear(d_in, d_out, bias=False)
        bias-always: bias=qkv_bias →3 bias=True
        bias-turned: bias=qkv_bias →3 bias=not qkv_bias
        bias-by-default: qkv_bias=False → qkv_bias=True
        sizes-turned: nn.Linear(d_in, d_out, bias=qkv_bias) →3 nn.Linear(d_out, d_in, bias=qkv_bias)
        plain-tensors: nn.Linear(d_in, d_out, bias=qkv_bias) →3 torch.rand(d_in, d_out)
            self.W_query(x) → x @ self.W_query
            self.W_key(x) → x @ self.W_key
            self.W_value(x) → x @ self.W_value
        parameter-for-linear: nn.Linear(d_in, d_out, bias=qkv_bias) →3 nn.Parameter(torch.rand(d_in, d_out))
            self.W_query(x) → x @ self.W_query
            self.W_key(x) → x @ self.W_key
            self.W_value(x) → x @ self.W_value
        one-matrix-for-all: W_key = nn.Linear(d_in, d_out, bias=qkv_bias) → W_key = self.W_query
            W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → W_value = self.W_query
        other-names: self.W_ →6 self.w_
        weights-made-in-forward: `        num_tokens` →:
                    for name in ("W_query", "W_key", "W_value"): setattr(self, name, nn.Linear(x.shape[-1], self.out_proj.in_features, bias=False).to(x))
            num_tokens
        no-super-init: line super().__init__() →
        returns-nothing: return self → self
        returns-a-tuple: self.out_proj(context) → self.out_proj(context), weights
        detached: self.out_proj(context) → self.out_proj(context).detach()
        detached: weights @ → weights.detach() @
        half-precision: self.out_proj(context) → self.out_proj(context).half().to(x.dtype)
        float-forced: self.out_proj(context) → self.out_proj(context).float()
        rounded: self.out_proj(context) → self.out_proj(context).round(decimals=4)
        first-sequence-only: self.out_proj(context) → self.out_proj(context)[0]
        first-sequence-for-all: weights @ → weights[:1] @
        batch-mixed: `        num_tokens` → `        x = x.transpose(0, 1)↵        num_tokens`
            self.out_proj(context) → self.out_proj(context).transpose(0, 1)
        reads-the-notebook: `        num_tokens` → `        x = batch↵        num_tokens`
        edits-its-argument: return self → x.mul_(0)↵return self
        scaled-by-square: self.head_dim**0.5 → self.head_dim**2
        head-dim-from-input: self.head_dim = d_out → self.head_dim = d_in
        heads-in-reverse: merge_heads(weights @ values) → merge_heads((weights @ values).flip(1))
        residual-added: return self.out_proj(context) → return context + self.out_proj(context)
        mask-cut-for-good: self.mask.bool()[:num_tokens, :num_tokens] → self.mask.bool()
            above scores = scores.masked_fill → self.mask = self.mask[:num_tokens, :num_tokens]
        dropout-rescaled-twice: = self.dropout(weights) → = self.dropout(weights) / (1 - self.dropout.p * self.training)
        bias-uneven: W_key = nn.Linear(d_in, d_out, bias=qkv_bias) → W_key = nn.Linear(d_in, d_out, bias=False)
        bias-uneven: W_query = nn.Linear(d_in, d_out, bias=qkv_bias) → W_query = nn.Linear(d_in, d_out, bias=False)
        """),
    right=rights("""
        keys-first-and-tril:
            body __init__
                super().__init__()
                if d_out % num_heads:
                    raise ValueError("d_out must be a multiple of num_heads")
                self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)).bool())
                self.out_proj = nn.Linear(d_out, d_out)
                for name in ("W_value", "W_key", "W_query"):
                    setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))
                self.p, self.num_heads, self.head_dim = dropout, num_heads, d_out // num_heads

            self.mask.bool() → (~self.mask)
            self.dropout(weights) → nn.functional.dropout(weights, self.p, self.training)
        # One product for all three, then three pieces.
        fused-projection:
            `        num_tokens` →:
                        layers = (self.W_query, self.W_key, self.W_value)
                bias = None if self.W_key.bias is None else torch.cat([one.bias for one in layers])
                weight = torch.cat([one.weight for one in layers])
                q, k, v = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
                num_tokens
            self.W_query(x) → q
            self.W_key(x) → k
            self.W_value(x) → v
        einsum: split_heads( →3 torch.unflatten(
            W_query(x), self.num_heads) → W_query(x), -1, (self.num_heads, -1))
            W_key(x), self.num_heads) → W_key(x), -1, (self.num_heads, -1))
            W_value(x), self.num_heads) → W_value(x), -1, (self.num_heads, -1))
            queries @ keys.transpose(2, 3) → torch.einsum("bqhd,bkhd->bhqk", queries, keys)
            merge_heads(weights @ values) → torch.einsum("bhqk,bkhd->bqhd", weights, values).flatten(2)
        large-negative: -torch.inf → -1e9
        masked-in-place: scores = scores.masked_fill( → scores.masked_fill_(
        masked-afterwards-and-normalised: scores = scores.masked_fill → scores.masked_fill
            self.dropout(weights) → self.dropout(nn.functional.normalize(weights * ~self.mask.bool()[:num_tokens, :num_tokens], p=1, dim=-1))
        queries-scaled-first: queries @ → (queries / self.head_dim**0.5) @
            scores / self.head_dim**0.5 → scores
        contiguous-view: above → def joined(context): return context.transpose(1, 2).contiguous().view(len(context), context.shape[2], -1)
            merge_heads( → joined(
        """),
    forbids=Forbid(
        ("scaled_dot_product_attention",),
        points=4,
        caught=rights("""
            scaled-dot-product-attention: body forward
                layers, p = (self.W_query, self.W_key, self.W_value), self.dropout.p if self.training else 0.0
                queries, keys, values = (split_heads(one(x), self.num_heads) for one in layers)
                attend = nn.functional.scaled_dot_product_attention
                return self.out_proj(merge_heads(attend(queries, keys, values, dropout_p=p, is_causal=True)))

            ready-made: body forward
                count, d_out = x.shape[1], self.out_proj.in_features
                layers = (self.W_query, self.W_key, self.W_value)
                biases = [one.bias for one in layers if one.bias is not None]
                context, _ = nn.functional.multi_head_attention_forward(
                    *(x.transpose(0, 1) @ one.weight.T for one in layers),
                    *(d_out, self.num_heads, torch.eye(d_out).to(x).repeat(3, 1), torch.cat(biases) if biases else None),
                    *(None, None, False, self.dropout.p, self.out_proj.weight, self.out_proj.bias, self.training),
                    need_weights=False,
                    attn_mask=self.mask[:count, :count].bool(),
                )
                return context.transpose(0, 1)

            """),
    ),
)

# ------------------------------------------------------------------------------------------ find the bug


CAUSAL_SEEDED = {"d_in": 3, "d_out": 4, "context_length": 6, "num_heads": 2}
CAUSAL_OTHER = {"d_in": 5, "d_out": 12, "context_length": 9, "num_heads": 3}

BUG_VIEW = Task(
    id="bug-view-without-transpose",
    title="Find the bug: the heads that see the future",
    name="CausalHeads",
    kind="module",
    signature="CausalHeads(d_in, d_out, context_length, num_heads)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("batch", "the batch", {"x": BATCH}, construct=CAUSAL_SEEDED),
        called("two-sentences", "two sentences that differ", (2, 6, 3), CAUSAL_SEEDED, 61),
        called(
            "look-ahead", "sentences with one token changed at a time", (2, 6, 5), CAUSAL_OTHER, 62, **AHEAD
        ),
        called("other-sizes", "two sentences of seven tokens, three heads", (2, 7, 5), CAUSAL_OTHER, 63),
    ),
    checks=(
        Check(
            "the batch: no look ahead, and the right contexts", 1, ("look-ahead", "batch", "two-sentences")
        ),
        Check("other sizes and three heads", 1, ("other-sizes",)),
    ),
    learned="`view(b, heads, tokens, head_dim)` reads each token's numbers on into the next row, so a head's rows are no "
    "longer tokens, and the mask hides the wrong things. Cut with the tokens in front, then transpose.",
    demands={
        "A causal head must report ['step'] alone": "left-as-given",
    },
    hints=(
        "Print `numbered.view(1, 2, 3, 2)` from task 4 again. Which tokens are in row 1 of head 0? For the mask, row 1 is "
        "token 1.",
        "Scores, mask, softmax and merge are right. Look at how `queries`, `keys` and `values` get their heads.",
        "In each of the three lines: `.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)`.",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is (`reshape` for `view` changes nothing).
                “one” changes when only “step” does: some rows of a head are not the token that the mask takes
                them for.
        split-and-merge-without-transpose: .view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) →3 .view(b, self.num_heads, num_tokens, self.head_dim)
            (weights @ values).transpose(1, 2) → (weights @ values)
            hint: Now nothing leaks, and the mistake is only hidden: the merge undoes the wrong cut, while
                each head still holds a part of the sentence. The last tokens never see the first. Fix the
                cut.
        one-head: s = num_heads → s = 1
            d_out // num_heads → d_out
            hint: What you saw is gone, because there is one head left that is as wide as d_out. Keep the
                heads.
        only-itself-visible: self.mask[:num_tokens, :num_tokens] → ~torch.eye(num_tokens).bool()
            hint: Nothing leaks, since every token sees only itself. The mask was right as it was.
        symptom-hidden: .view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) →3 .view(b, self.num_heads, num_tokens, self.head_dim)
            self.mask[:num_tokens, :num_tokens] → torch.arange(num_tokens)[None] * self.num_heads > torch.arange(num_tokens)[:, None]
            hint: A wider mask hides some of the leak. The mask was right; what is in the rows was
                not.
        fixed-in-part: self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
            hint: Some lines are fixed. What is still cut across the tokens: query.
        fixed-in-part: self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
            hint: Some lines are fixed. What is still cut across the tokens: key.
        fixed-in-part: self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
            hint: Some lines are fixed. What is still cut across the tokens: value.
        fixed-in-part: self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
            self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
            hint: Some lines are fixed. What is still cut across the tokens: query, key.
        fixed-in-part: self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
            self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
            hint: Some lines are fixed. What is still cut across the tokens: key, value.
        fixed-in-part: self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
            self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
            hint: Some lines are fixed. What is still cut across the tokens: query, value.
        split-interleaved: .view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) →3 .view(b, num_tokens, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
        merge-without-transpose: (weights @ values).transpose(1, 2) → (weights @ values)
        no-mask: scores = scores.masked_fill → scores.masked_fill
        mask-polarity: (self.mask → (~self.mask
        keys-as-values: self.W_value(x) → self.W_key(x)
        scaled-by-model-width: self.head_dim**0.5 → self.W_key.out_features ** 0.5
        no-scale: / self.head_dim**0.5 →
        softmax-over-heads: dim=-1) → dim=1)
        heads-not-brought-forward: .view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) →3 .view(b, num_tokens, self.num_heads, self.head_dim)
        """),
    right=rights("""
        reshape: .view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) →3 .reshape(b, num_tokens, self.num_heads, -1).transpose(1, 2)
        permute: .view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) →3 .unflatten(-1, (self.num_heads, -1)).permute(0, 2, 1, 3)
        own-split-heads: self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → split_heads(self.W_query(x), self.num_heads)
            self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → split_heads(self.W_key(x), self.num_heads)
            self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) → split_heads(self.W_value(x), self.num_heads)
        large-negative: -torch.inf → -1e9
        """),
)


ENCODER_SEEDED = {"d_in": 3, "d_out": 4, "num_heads": 2}
ENCODER_OTHER = {"d_in": 5, "d_out": 12, "num_heads": 3}

BUG_MERGE = Task(
    id="bug-merge-without-transpose",
    title="Find the bug: it trains, and it is wrong",
    name="EncoderHeads",
    kind="module",
    signature="EncoderHeads(d_in, d_out, num_heads)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("batch", "the batch", {"x": BATCH}, construct=ENCODER_SEEDED),
        called("two-sentences", "two sentences that differ", (2, 6, 3), ENCODER_SEEDED, 71),
        called(
            "shuffled", "the tokens of a sentence in another order", (2, 6, 3), ENCODER_SEEDED, 72, **SHUFFLED
        ),
        called("other-sizes", "two sentences of seven tokens, three heads", (2, 7, 5), ENCODER_OTHER, 73),
    ),
    checks=(
        Check("the batch, in any order of the tokens", 1, ("shuffled", "batch", "two-sentences")),
        Check("other sizes and three heads", 1, ("other-sizes",)),
    ),
    learned="A falling loss shows that the weights can be trained, not that the right thing is computed. Shuffling the "
    "tokens shows it: without mask and positions the outputs may change their order and nothing else.",
    demands={
        "the outputs come in that order too": "left-as-given",
    },
    hints=(
        "Follow the shapes: what are the axes of `weights @ values`, and in which order does `reshape` read them?",
        "Compare the line that merges with your `merge_heads`.",
        "`context = context.transpose(1, 2).reshape(b, num_tokens, -1)`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. Each token is handed pieces of other
                tokens, so a shuffled sentence gives other outputs.
        split-and-merge-without-transpose: .view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) →3 .view(b, self.num_heads, num_tokens, self.head_dim)
            context.transpose(1, 2) → context
            hint: Now the split leaves out its transpose as well. The two undo one another, but each head
                contains only a part of the sentence. The split was right; fix the merge.
        split-without-transpose: .view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2) →3 .view(b, self.num_heads, num_tokens, self.head_dim)
        one-head: s = num_heads → s = 1
            d_out // num_heads → d_out
            hint: What you saw is gone, because there is one head left that is as wide as d_out. Keep the
                heads.
        heads-added: context.transpose(1, 2).reshape(b, num_tokens, -1) → context.sum(dim=1).repeat(1, 1, self.num_heads)
        heads-added: context.transpose(1, 2).reshape(b, num_tokens, -1) → context.mean(dim=1).repeat(1, 1, self.num_heads)
        first-head-only: context.transpose(1, 2).reshape(b, num_tokens, -1) → context[:, 0].repeat(1, 1, self.num_heads)
        merge-interleaved: context.transpose(1, 2) → context.permute(0, 2, 3, 1)
        wrong-axes-swapped: context.transpose(1, 2) → context.transpose(2, 3)
        symptom-hidden: reshape(b, num_tokens, -1) → reshape(b, num_tokens, -1).sort(dim=-1).values
            hint: The numbers of each token are sorted, which hides where they came from. Merge the heads
                in their order.
        view-of-a-transpose: reshape(b → view(b
        heads-in-reverse: context.transpose → context.flip(1).transpose
        no-out-proj: self.out_proj(context) → context
        out-proj-without-bias: (d_out, d_out) → (d_out, d_out, bias=False)
        out-proj-twice: self.out_proj(context) → self.out_proj(self.out_proj(context))
        no-scale: / self.head_dim**0.5 →
        softmax-over-queries: dim=-1) → dim=-2)
        heads-not-joined: context.transpose(1, 2).reshape(b, num_tokens, -1) → context.transpose(1, 2)
        """),
    right=rights("""
        flatten: context.transpose(1, 2).reshape(b, num_tokens, -1) → context.transpose(1, 2).flatten(2)
        cat: context.transpose(1, 2).reshape(b, num_tokens, -1) → torch.cat(context.unbind(1), dim=-1)
        contiguous-view: reshape(b → contiguous().view(b
        einsum: context.transpose(1, 2).reshape(b, num_tokens, -1) → torch.einsum("bhtd->bthd", context).flatten(2)
        """),
)


# ------------------------------------------------------------------------------ from the stack into the fused class


def pair(id, says, d_in, width, heads, context_lengths, seeds, shape):
    """A wrapper and a fused class that fit one another, and what the result is called with."""
    stack = sizes(d_in, width, context_lengths[0], heads)
    wide = sizes(d_in, heads * width, context_lengths[1], heads)
    made = {
        "wrapper": Made("MultiHeadAttentionWrapper", stack, seed=seeds[0]),
        "fused": Made("MultiHeadAttention", wide, seed=seeds[1]),
    }
    return Probe(id, says, made, then={"x": 2 * drawn(*shape, seed=81) if shape else BATCH})


COPY_INTO_FUSED = Task(
    id="copy-into-fused",
    title="From the stack into the fused class",
    name="copy_into_fused",
    kind="function",
    signature="copy_into_fused(wrapper, fused)",
    axes=("b", "tokens", "d_out"),
    needs=("multi-head-wrapper", "multi-head-attention"),
    probes=(
        pair("two-heads", "the batch, two heads", 3, 2, 2, (6, 6), (123, 1), None),
        pair(
            "other-weights",
            "two other heads and two sentences that differ",
            3,
            2,
            2,
            (6, 6),
            (2, 3),
            (2, 6, 3),
        ),
        # The fused class takes more tokens than the stack was made for: an answer that returns the stack is found.
        pair(
            "three-heads",
            "three heads and more tokens than the stack takes",
            5,
            4,
            3,
            (5, 9),
            (4, 5),
            (2, 7, 5),
        ),
        pair("square", "heads as wide as the token", 4, 4, 2, (5, 8), (6, 7), (3, 6, 4)),
    ),
    checks=(
        Check("two heads of width 2", 2, ("two-heads", "other-weights")),
        Check("other sizes", 1, ("three-heads", "square")),
    ),
    learned="The stack's matrices are the rows of the fused class's wide ones. With the same numbers both classes are the "
    "same function; the fused one needs fewer products, and adds `out_proj`.",
    demands={
        "writes the heads' weights into the wide matrices of fused": "nothing-copied",
        "sets out_proj to the identity matrix with a bias of zeros": "out-proj-not-set",
        "returns fused": "returns-nothing",
        "under torch.no_grad()": "outside-no-grad",
    },
    hints=(
        "Which matrices of the stack make up `fused.W_query.weight`, and in which order? Compare the shapes above.",
        "`torch.cat([head.W_query.weight for head in wrapper.heads], dim=0)` has the shape of `fused.W_query.weight`. "
        "The other two go the same way.",
        "Under `with torch.no_grad():` write with `fused.W_query.weight.copy_(…)`, then "
        "`fused.out_proj.weight.copy_(torch.eye(d_out))` and `fused.out_proj.bias.zero_()`; return `fused`.",
    ),
    wrong=wrongs("""
        nothing-copied: = fused
        out-proj-not-set: fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0])) → pass
            fused.out_proj.bias.zero_() → pass
        out-proj-not-set: fused.out_proj.bias.zero_() → pass
            hint: Every row is shifted by the same numbers: `out_proj.bias` is still as it was drawn. Set
                it to zeros.
        out-proj-not-set: fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0])) → pass
            hint: `out_proj.bias` is zero, but `out_proj.weight` still mixes the columns. Set it to
                `torch.eye`.
        not-the-identity: torch.eye(fused.out_proj.weight.shape[0]) → torch.ones_like(fused.out_proj.weight)
            hint: All columns of the matrix are alike: `out_proj.weight` is full of ones. The identity has ones on its
                diagonal only: `torch.eye`.
        not-the-identity: torch.eye(fused.out_proj.weight.shape[0]) → torch.zeros_like(fused.out_proj.weight)
            hint: The result is 0 everywhere. Is `out_proj.weight` the identity matrix, `torch.eye`? That one
                changes nothing.
        layer-forgotten: , "W_key", "W_value" → ,
            hint: Some weights were not copied: those of keys and values.
        layer-forgotten: , "W_value" →
            hint: Some weights were not copied: those of the values.
        layer-forgotten: , "W_key" →
            hint: Some weights were not copied: those of the keys.
        keys-as-values: (head, name) → (head, name.replace("value", "key"))
            hint: `W_value` holds the weights of the keys. Look at the name in that line.
        projections-swapped: (head, name) → (head, {"W_query": "W_key", "W_key": "W_query"}.get(name, name))
        queries-as-keys: (head, name) → (head, name.replace("key", "query"))
            hint: `W_key` holds the weights of the queries. Look at the name in that line.
        reads-the-notebook: wrapper.heads → stack.heads
        heads-in-reverse: cat(narrow → cat(narrow[::-1]
        first-head-for-all: cat(narrow → cat([narrow[0]] * len(narrow)
        merge-interleaved: cat(narrow, dim=0) → stack(narrow, dim=1).flatten(0, 1)
            hint: Put all rows of head 0 first, and below them all of head 1: `torch.cat(…, dim=0)`.
        matrices-turned: name).weight for → name).weight.T for
        # Where a head is as wide as a token, the shapes do not give it away.
        matrices-turned: cat(narrow → cat([one.T if one.shape == one.T.shape else one for one in narrow]
        joined-along-wrong-axis: dim=0 → dim=1
            hint: Put all rows of head 0 first, and below them all of head 1: `torch.cat(…, dim=0)`.
        heads-typed-in: wrapper.heads → wrapper.heads[:2]
            hint: Only the first two heads are copied, however many there are. Take all of `wrapper.heads`.
        overwritten-in-loop: .copy_(torch.cat(narrow, dim=0)) → [: len(narrow[0])] = narrow[-1]
            hint: The rows of one head replace those of another. Each head's rows have a place of their own:
                `torch.cat(…, dim=0)` puts them on top of each other.
        overwritten-in-loop: getattr(fused, name).weight.copy_(torch.cat(narrow, dim=0)) → for place, one in enumerate(narrow):↵    getattr(fused, name).weight[place : place + len(one)].copy_(one)
            hint: The rows of head 1 should start where those of head 0 end. Here each head starts one row below the
                one before: start at the head's number times head_dim.
        sizes-typed-in: torch.eye(fused.out_proj.weight.shape[0]) → torch.eye(4)
        outside-no-grad: with torch.no_grad(): → if True:
        wrong-object-returned: = wrapper
            hint: The stack itself is returned. Return `fused`, with the stack's weights in it.
        wrong-object-returned: return fused → return wrapper
            hint: The stack itself is returned. Return `fused`, with the stack's weights in it.
        returns-nothing: return fused → pass
        layer-replaced: return fused → fused.out_proj = nn.Identity()↵return fused
        """),
    right=rights("""
        state-dict: body
            state = fused.state_dict()
            for name in ("W_query", "W_key", "W_value"):
                state[f"{name}.weight"] = torch.cat([getattr(head, name).weight for head in wrapper.heads])
            state["out_proj.weight"] = torch.eye(len(state["out_proj.weight"]))
            state["out_proj.bias"] = torch.zeros(len(state["out_proj.bias"]))
            fused.load_state_dict(state)
            return fused

        slices: body
            width = wrapper.heads[0].W_query.weight.shape[0]
            with torch.no_grad():
                for index, head in enumerate(wrapper.heads):
                    for name in ("W_query", "W_key", "W_value"):
                        rows = slice(index * width, (index + 1) * width)
                        getattr(fused, name).weight[rows] = getattr(head, name).weight
                nn.init.eye_(fused.out_proj.weight)
                nn.init.zeros_(fused.out_proj.bias)
            return fused

        data: .copy_(torch.cat(narrow, dim=0)) → .data = torch.cat(narrow).detach()
            .copy_(torch.eye(fused.out_proj.weight.shape[0])) → .data = torch.eye(fused.out_proj.weight.shape[0])
            .zero_() → .data = torch.zeros(len(fused.out_proj.bias))
        new-parameters: .copy_(torch.cat(narrow, dim=0)) → = nn.Parameter(torch.cat(narrow).detach())
            .copy_(torch.eye(fused.out_proj.weight.shape[0])) → = nn.Parameter(torch.eye(fused.out_proj.weight.shape[0]))
            .zero_() → = nn.Parameter(torch.zeros(len(fused.out_proj.bias)))
        """),
)

LESSON = Lesson(
    title="05 · Many heads",
    given_axes={"a": ("b", "heads", "tokens", "head_dim")},
    redraw=redraw,
    tasks=(
        MULTI_HEAD_WRAPPER,
        ERROR_WITH_HEADS,
        BATCHED_HEAD_SCORES,
        SPLIT_HEADS,
        BUG_VIEW,
        MERGE_HEADS,
        BUG_MERGE,
        MULTI_HEAD_ATTENTION,
        COPY_INTO_FUSED,
    ),
)
