"""The tasks of lesson 07: their probes, and right and wrong answers as edits of the solution."""

import torch
from autograder.author.authoring import Check, Lesson, Made, Probe, Specimen, Task, rights, wrongs
from autograder.records.bank import RESULT


def drawn(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def whole(low, high, generator):
    """A whole number from `low` up to `high`."""
    return int(torch.randint(low, high + 1, (1,), generator=generator))


def placed(id, says, start, *shape, names=("x",), observe=RESULT, settings=None, **others):
    """A probe of tokens at positions from `start` on; its hidden twin puts them anywhere.

    `names` are those of the tensors of this shape, (..., tokens, numbers); none for the positions alone.
    """
    tokens = shape[-2]
    inputs = {name: drawn(sum(shape) + start + seed, *shape) for seed, name in enumerate(names)}
    return Probe(
        id,
        says,
        {**inputs, "positions": torch.arange(start, start + tokens), **others},
        observe=observe,
        settings=settings or {},
        redraw=lambda generator: {"positions": torch.arange(tokens) + whole(1, 60, generator)},
    )


def of_places(id, says, start, tokens, width, **others):
    """A probe of positions alone, and of how many numbers there are for each."""
    return placed(id, says, start, tokens, 1, names=(), **{width[0]: width[1]}, **others)


# ---------------------------------------------------------------- the experiment


def reordered(id, says, attention, width, order):
    """A probe of the experiment; its hidden twin has another order, in which no token keeps its position."""

    def redrawn(generator):
        cycle = torch.randperm(len(order), generator=generator)
        return {"order": torch.empty_like(cycle).index_copy(0, cycle, cycle.roll(1))}

    x = drawn(len(order) * width, len(order), width)
    return Probe(id, says, {"attention": attention, "x": x, "order": torch.tensor(order)}, redraw=redrawn)


def mixing(columns=None):
    """A function whose outputs depend on the positions; for two columns, what they are mixed by."""
    return Specimen("mixing", {"weights": drawn(13, 4, 4), "columns": columns})


CAUSAL = Made("SelfAttention", {"d_model": 6, "causal": True})
OPPOSITE = torch.tensor([[1.0, -1.0], [0.5, -0.5]])
ORDER_GAP = Task(
    id="order-gap",
    title="The experiment",
    name="order_gap",
    kind="function",
    signature="order_gap(attention, x, order)",
    axes=("tokens",),
    input_axes={"x": ("tokens", "d_in"), "order": ("tokens",)},
    probes=(
        reordered("no-order", "attention", Made("SelfAttention", {"d_model": 3}), 3, [1, 3, 0, 2]),
        reordered("causal", "causal attention", CAUSAL, 6, [3, 0, 4, 2, 1]),
        reordered("by-position", "a function that knows the positions", mixing(), 2, [2, 0, 3, 1]),
        reordered("opposite", "a function with opposite columns", mixing(OPPOSITE), 2, [2, 0, 3, 1]),
    ),
    checks=(
        Check("attention without and with a causal mask", 1, ("no-order", "causal")),
        Check("other functions, all columns", 1, ("by-position", "opposite")),
    ),
    learned="Without a mask the outputs move along with their tokens: attention alone knows no order.",
    demands={
        "Compare the two **token by token**": "compared-by-position",
        "the largest absolute difference of each token": "sign-kept",
        "Return the largest": "mean-for-largest",
        "of each token, in the new order": "order-backwards",
    },
    hints=(
        "Two calls of `attention`: one with `x`, one with `x[order]`. Which rows belong to the same token?",
        "`attention(x)[order]` puts the old outputs into the new order. Row i is then one token in both.",
        "`(attention(x[order]) - attention(x)[order]).abs().amax(dim=-1)`",
    ),
    wrong=wrongs("""
        compared-by-position: (x)[order] → (x)
        order-backwards: (x)[order] → (x)[order.argsort()]
        order-backwards: .amax(dim=-1) → .amax(dim=-1)[order.argsort()]
        order-backwards: (x)[order] → (x)
            (x[order]) → (x[order])[order]
        order-unused: x[order] → x
        order-unused: x[order] → x
            (x)[order] → (x)
        sign-kept: .abs() →
        sign-kept: (after - before).abs() → (before - after)
        mean-for-largest: amax → mean
            hint: This is a mean. Take the largest.
        sum-for-largest: amax → sum
            hint: This is a sum. Take the largest.
        columns-cancel: .abs().amax(dim=-1) → .sum(dim=-1).abs()
        first-column-only: .amax(dim=-1) → [:, 0]
        largest-over-tokens: dim=-1 → dim=0
        one-number-for-all: amax(dim=-1) → max()
        """),
    right=rights("""
        inverse: = (attention(x[order])[order.argsort()] - attention(x)).abs().amax(1)[order]
        index-select: x[order] → x.index_select(0, order)
        max-values: .amax(dim=-1) → .max(dim=1).values
        """),
)

# ---------------------------------------------------------------- positions that are added


def table(id, says, context_length, *shape, start=None, **others):
    inputs = {"x": drawn(sum(shape), *shape)} | ({} if start is None else {"start": start})
    construct = {"context_length": context_length, "d_model": shape[-1]}
    return Probe(id, says, inputs, construct=construct, **others)


LEARNED_POSITIONS = Task(
    id="learned-positions",
    title="Learned positions",
    name="LearnedPositions",
    kind="module",
    signature="LearnedPositions(context_length, d_model)",
    axes=("b", "tokens", "d_model"),
    input_axes={"x": ("b", "tokens", "d_model")},
    probes=(
        table("full", "as many tokens as positions", 4, 2, 4, 3),
        table("shorter", "fewer tokens", 7, 3, 2, 5),
        table("start", "three tokens from position 2 on", 6, 2, 3, 4, start=2),
        table("double", "tokens in float64", 5, 3, 2, 4, dtype="float64"),
        table("device", "another device", 6, 2, 4, 3, observe="other-device"),
    ),
    checks=(
        Check("positions from 0 on", 1, ("full", "shorter")),
        Check("positions from `start` on", 1, ("start",)),
        Check("another dtype and device", 1, ("double", "device")),
    ),
    learned="A table with one trained row for each position. It knows the order, and it ends with its last row.",
    demands={
        "adds to each token the row of its position": "same-position-for-all",
        "with a table pos_emb": "table-turned",
        "The first token of x is at position start": "start-ignored",
        "on the device of x": "made-on-the-cpu",
        "After .double() the result is float64": "float-forced",
    },
    hints=(
        "`nn.Embedding(context_length, d_model)` is the table. Called with whole numbers, it returns those rows.",
        "The positions are `torch.arange(start, start + x.shape[-2], device=x.device)`.",
        "`return x + self.pos_emb(positions)`: the batch is added by broadcasting.",
    ),
    wrong=wrongs("""
        start-ignored: start, start + x → x
        start-as-length: start, start + x → start, x
        counted-from-one: start, start + x.shape[-2] → start + 1, start + x.shape[-2] + 1
        tokens-counted-on-another-axis: x.shape[-2] → x.shape[0]
            hint: The number of tokens is read from another axis. The tokens are the last axis but one:
                `x.shape[-2]`.
        same-position-for-all: start + x.shape[-2] → start + 1
        whole-table: self.pos_emb(positions) → self.pos_emb.weight
        start-added-to-numbers: start, start + x → 0, x
            self.pos_emb(positions) → self.pos_emb(positions) + start
        table-frozen: nn.Embedding(context_length, d_model) → nn.Embedding(context_length, d_model).requires_grad_(False)
        token-left-out: x + self.pos_emb(positions) → self.pos_emb(positions).expand_as(x)
        table-turned: (context_length, d_model) → (d_model, context_length)
        detached: (positions)  # → (positions).detach()  #
        edits-its-argument: x + self.pos_emb(positions) → x.add_(self.pos_emb(positions))
        made-on-the-cpu: , device=x.device →
            hint: Make the positions with `device=x.device`.
        float-forced: x + self.pos_emb(positions) → (x + self.pos_emb(positions)).float()
        """),
    right=rights("""
        slice: self.pos_emb(positions) → self.pos_emb.weight[start:][: x.shape[1]]
        size: x.shape[-2] → x.size(1)
        added-start: start, start + x → 0, x
            (positions) → (positions + start)
        """),
)

POSITION_ANGLES = Task(
    id="position-angles",
    title="The angles",
    name="position_angles",
    kind="function",
    signature="position_angles(positions, dim, base=10000.0)",
    axes=("tokens", "hands"),
    input_axes={"positions": ("tokens",)},
    probes=(
        of_places("four", "4 positions, 10 numbers", 0, 4, ("dim", 10)),
        of_places("further", "positions 7 to 9, 8 numbers", 7, 3, ("dim", 8)),
        of_places("base", "base 500", 2, 5, ("dim", 6), base=500.0),
    ),
    checks=(
        Check("one row for each position, one column for each hand", 1, ("four", "further")),
        Check("another base", 1, ("base",)),
    ),
    learned="Hand i turns by base to the power of −2i/d at each step: the first fast, the last one hardly at all.",
    demands={
        "one row for each position": "positions-not-used",
        "one column for each hand": "angle-for-each-number",
        "base=10000.0": "base-typed-in",
        "Hand i turns by the angle \\theta_i at each step": "exponents-off",
        "returns: (tokens, dim / 2), in radians": "sines-too-early",
    },
    hints=(
        "First the angle of one step for each hand, then each position times each of them.",
        "`torch.arange(0, dim, 2) / dim` holds 2i/d. `positions[:, None]` gives the positions an axis for the hands.",
        "`theta = base ** (-torch.arange(0, dim, 2) / dim)`, then `positions[:, None] * theta`.",
    ),
    wrong=wrongs("""
        exponents-off: arange(0, dim, 2) → arange(dim // 2)
        exponents-off: / dim) → / (dim // 2))
        exponents-off: / dim) → / (dim - 2))
        exponents-off: arange(0, dim, 2) → arange(2, dim + 2, 2)
        angle-for-each-number: arange(0, dim, 2) → arange(dim)
        hands-speed-up: (-torch → (torch
        hands-in-reverse: * theta → * theta.flip(0)
        base-typed-in: = base ** → = 10000.0 **
        counted-from-one: positions[:, None] → (positions[:, None] + 1)
        positions-not-used: positions[:, None] → torch.arange(len(positions))[:, None]
        steps-only: positions[:, None] * theta → theta.expand(len(positions), -1)
        sines-too-early: positions[:, None] * theta → (positions[:, None] * theta).sin()
        angles-divided-by-dim: (-torch.arange(0, dim, 2) / dim) → -torch.arange(0, dim, 2) / dim
        exponents-off: (-torch.arange(0, dim, 2) / dim) → (-(torch.arange(0, dim, 2) // dim))
            hint: The exponents are rounded to whole numbers, as `//` does it, so that hands have the same
                speed. Divide with `/`.
        """),
    right=rights("""
        outer: positions[:, None] * theta → torch.outer(positions.float(), theta)
        divided: base ** (-torch.arange(0, dim, 2) / dim) → 1 / base ** (torch.arange(0, dim, 2) / dim)
        exp: base ** (-torch.arange(0, dim, 2) / dim) → torch.exp(-torch.tensor(base).log() * torch.arange(0, dim, 2) / dim)
        halves: -torch.arange(0, dim, 2) → -2 * torch.arange(dim // 2)
        """),
)

SINUSOIDAL = Task(
    id="sinusoidal-positions",
    title="Sinusoidal positions",
    name="sinusoidal",
    kind="function",
    signature="sinusoidal(positions, d_model, base=10000.0)",
    axes=("tokens", "d_model"),
    input_axes={"positions": ("tokens",)},
    needs=("position-angles",),
    probes=(
        of_places("six", "6 positions, 8 numbers", 0, 6, ("d_model", 8)),
        of_places("further", "positions 11 to 13, 4 numbers", 11, 3, ("d_model", 4)),
        of_places("base", "base 300", 1, 5, ("d_model", 6), base=300.0),
    ),
    checks=(
        Check("sine and cosine of each hand, side by side", 1, ("six", "further")),
        Check("another base", 1, ("base",)),
    ),
    learned="A code for every position, without a table that ends; and one rotation moves all of them on.",
    demands={
        "sine of hand 0, cosine of hand 0": "cosine-first",
        "side by side": "halves-for-neighbours",
        "base=10000.0": "base-typed-in",
        "positions: (tokens,), whole numbers from 0 on": "positions-not-used",
    },
    hints=(
        "Start with `angles = position_angles(positions, d_model, base)`.",
        "`torch.stack([angles.sin(), angles.cos()], dim=-1)` has the shape (tokens, d_model / 2, 2).",
        "`.flatten(-2)` makes (tokens, d_model) of it: sin, cos, sin, cos, …",
    ),
    wrong=wrongs("""
        halves-for-neighbours: dim=-1) → dim=-2)
        cosine-first: angles.sin(), angles.cos() → angles.cos(), angles.sin()
        sines-only: angles.cos() → angles.sin()
        sines-only: angles.sin() → angles.cos()
        sines-only: angles.cos() → 0 * angles
        base-typed-in: , base)  # → )  #
        pairs-not-joined: .flatten(-2) →
        positions-not-used: angles(positions, d → angles(torch.arange(len(positions)), d
        counted-from-one: angles(positions, d → angles(positions + 1, d
        hands-in-reverse: , base)  # → , base).flip(-1)  #
        # The exponent doubled, as where 2i is taken of numbers that go up by 2; and halved.
        exponents-off: , base)  # → , base**2)  #
        exponents-off: , base)  # → , base**0.5)  #
        angle-for-each-number: angles.sin(), angles.cos() → (each := positions[:, None] * base ** (-torch.arange(d_model) / d_model))[:, 0::2].sin(), each[:, 1::2].cos()
            hint: There is an angle for each number. A sine and the cosine beside it belong to one hand, and have
                the same angle.
        exponents-off: position_angles(positions, d_model, base)  # → positions[:, None] * base ** (-(torch.arange(0, d_model, 2) // d_model))  #
            hint: The exponents are rounded to whole numbers, as `//` does it, so that hands have the same
                speed. Divide with `/`.
        """),
    right=rights("""
        repeated: = torch.where(torch.arange(d_model) % 2 == 0, position_angles(positions, d_model, base).repeat_interleave(2, 1).sin(), position_angles(positions, d_model, base).repeat_interleave(2, 1).cos())
        reshape: .flatten(-2) → .reshape(len(positions), d_model)
        shifted-sine: angles.cos() → (angles + torch.pi / 2).sin()
        """),
)

# ---------------------------------------------------------------- rotations


def turning(id, says, pairs, angles):
    return Probe(id, says, {"pairs": pairs, "angles": angles})


RIGHT_AND_UP = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]])
ROTATE_PAIRS = Task(
    id="rotate-pairs",
    title="Rotate pairs",
    name="rotate",
    kind="function",
    signature="rotate(pairs, angles)",
    axes=("tokens", "hands", "pair"),
    input_axes={"pairs": ("tokens", "hands", "pair"), "angles": ("tokens", "hands")},
    probes=(
        turning("one", "three arrows", drawn(31, 3, 1, 2), torch.tensor([[0.3], [1.2], [-2.0]])),
        turning("many", "five tokens with three hands", drawn(32, 5, 3, 2), 2 * drawn(33, 5, 3)),
        turning("quarter", "quarter turns", RIGHT_AND_UP, torch.full((1, 4), torch.pi / 2)),
    ),
    checks=(Check("arrows of any direction", 1, ("one", "many")), Check("quarter turns", 1, ("quarter",))),
    words={"x": "pairs"},
    learned="A rotation keeps lengths, and two of them in a row turn by the sum of their angles.",
    demands={
        "each pair in the last axis is turned by the angle": "not-a-rotation",
        "against the clock": "turned-backwards",
        "returns: (tokens, hands, 2)": "stacked-on-other-axis",
    },
    hints=(
        "`pairs[..., 0]` and `pairs[..., 1]` are the a and b of the formula, for all pairs at once.",
        "The new a is `a * angles.cos() - b * angles.sin()`. The new b has a plus.",
        "`torch.stack([new_a, new_b], dim=-1)`",
    ),
    wrong=wrongs("""
        turned-backwards: angles.cos(), angles → angles.cos(), -angles
        not-a-rotation: cos - b → cos + b
        not-a-rotation: sin + b → sin - b
        not-a-rotation: a * sin + b * cos → b * cos - a * sin
        not-a-rotation: a * cos - b * sin, a * sin + b * cos → a * cos, b * sin
        sine-and-cosine-swapped: cos, sin = angles → sin, cos = angles
        pair-swapped: a * cos - b * sin, a * sin + b * cos → a * sin + b * cos, a * cos - b * sin
        first-overwritten: a * cos - b * sin, a * sin + b * cos → (a := a * cos - b * sin), a * sin + b * cos
        codes-added: a * cos - b * sin, a * sin + b * cos → a + cos, b + sin
        angles-taken-as-degrees: angles.cos(), angles.sin() → angles.deg2rad().cos(), angles.deg2rad().sin()
        stacked-on-other-axis: dim=-1 → dim=0
        edits-its-argument: = pairs.copy_(torch.stack([pairs[..., 0] * angles.cos() - pairs[..., 1] * angles.sin(), pairs[..., 0] * angles.sin() + pairs[..., 1] * angles.cos()], dim=-1))
        first-overwritten: body
            a, b = pairs[..., 0], pairs[..., 1]
            a[:] = a * angles.cos() - b * angles.sin()
            b[:] = a * angles.sin() + b * angles.cos()
            return pairs
        """),
    right=rights("""
        complex: = torch.view_as_real(torch.view_as_complex(pairs) * torch.exp(1j * angles))
        partner: a * cos - b * sin, a * sin + b * cos → cos * a + sin * -b, cos * b + sin * a
        matrix: = (torch.stack([angles.cos(), -angles.sin(), angles.sin(), angles.cos()], -1).unflatten(-1, (2, 2)) @ pairs[..., None])[..., 0]
        """),
)

ROPE_INTERLEAVED = Task(
    id="rope-interleaved",
    title="RoPE, interleaved",
    name="rope_interleaved",
    kind="function",
    signature="rope_interleaved(x, positions, base=10000.0)",
    axes=("tokens", "head_dim"),
    input_axes={"x": ("tokens", "head_dim"), "positions": ("tokens",)},
    needs=("position-angles", "rotate-pairs"),
    probes=(
        placed("six", "6 tokens, 8 numbers", 0, 6, 8),
        placed("offset", "3 tokens from position 11 on", 11, 3, 4),
        placed("base", "base 100", 2, 5, 6, base=100.0),
    ),
    checks=(
        Check("neighbours are pairs, positions from anywhere on", 1, ("six", "offset")),
        Check("another base", 1, ("base",)),
    ),
    learned="Each pair of neighbours is a hand of the clock, and turns at its own speed.",
    demands={
        "takes **neighbours** as pairs": "halves-for-neighbours",
        "with an angle of its own": "one-speed",
        "base=10000.0": "base-typed-in",
        "by an angle that grows with the position": "positions-not-used",
    },
    hints=(
        "Three steps: cut x into pairs, get the angles, rotate and join again.",
        "`x.unflatten(-1, (-1, 2))` has the shape (tokens, head_dim / 2, 2), as `rotate` wants it.",
        "`rotate(pairs, position_angles(positions, x.shape[-1], base)).flatten(-2)`",
    ),
    wrong=wrongs("""
        halves-for-neighbours: x.unflatten(-1, (-1, 2)) → x.unflatten(-1, (2, -1)).mT
        halves-for-neighbours: x.unflatten(-1, (-1, 2)) → x.unflatten(-1, (2, -1)).mT
            .fl → .mT.fl
        turned-backwards: pairs, angles) → pairs, -angles)
        positions-not-used: (positions, x → (torch.arange(len(x)), x
        counted-from-one: (positions, x → (positions + 1, x
        base-typed-in: , base)  # → )  #
        hands-in-reverse: pairs, angles) → pairs, angles.flip(-1))
        pairs-not-joined: .flatten(-2) →
        codes-added: = x + sinusoidal(positions, x.shape[-1], base)
        one-speed: pairs, angles) → pairs, angles[:, :1].expand_as(angles))
        order-of-the-other-form: .flatten(-2) → .mT.flatten(-2)
        exponents-off: position_angles(positions, x.shape[-1], base)  # → position_angles(positions, 2 * x.shape[-1], base)[:, : x.shape[-1] // 2]  #
            hint: The angles belong to another width than that of the vectors. Ask for the angles of all of
                head_dim, once.
        exponents-off: position_angles(positions, x.shape[-1], base)  # → position_angles(positions, x.shape[-1] // 2, base).repeat(1, 2)  #
            hint: The angles belong to another width than that of the vectors. Ask for the angles of all of
                head_dim, once.
        """),
    right=rights("""
        reshape: x.unflatten(-1, (-1, 2)) → x.reshape(x.shape[0], -1, 2)
        strided: x.unflatten(-1, (-1, 2)) → torch.stack([x[:, ::2], x[:, 1::2]], dim=-1)
        complex: rotate(pairs, angles) → torch.view_as_real(torch.view_as_complex(pairs) * torch.exp(1j * angles))
        """),
)

BY_TOKEN = {"input": "x", "axis": 0}
APPLY_ROPE = Task(
    id="apply-rope",
    title="RoPE, half-split",
    name="apply_rope",
    kind="function",
    signature="apply_rope(x, positions, base=10000.0)",
    axes=("b", "heads", "tokens", "head_dim"),
    input_axes={"x": ("b", "heads", "tokens", "head_dim"), "positions": ("tokens",)},
    needs=("position-angles",),
    probes=(
        placed("heads", "2 sequences, 3 heads, 5 tokens", 0, 2, 3, 5, 8),
        placed("offset", "4 tokens from position 9 on", 9, 1, 2, 4, 6),
        placed("base", "base 100", 3, 3, 1, 2, 4, base=100.0),
        placed("one-head", "6 tokens, without other axes", 0, 6, 4, observe="influence", settings=BY_TOKEN),
        placed("gradients", "3 tokens, 2 heads", 4, 1, 2, 3, 4, observe="gradients", settings={"input": "x"}),
    ),
    checks=(
        Check("sequences and heads, positions from anywhere on", 2, ("heads", "offset", "one-head")),
        Check("another base, and the gradient comes back", 1, ("base", "gradients")),
    ),
    learned="The score of a rotated query and a rotated key depends on their distance, and on no position.",
    demands={
        "Rotate number i of the first half with number i of the second half": "neighbours-for-halves",
        "one position for each slice of the axis before it": "positions-not-used",
        "base=10000.0": "base-typed-in",
        "Queries and keys are trained through it": "detached",
    },
    hints=(
        "Angles first. Then number i of the first half is the a, and number i of the second half the b.",
        "`first, second = x.chunk(2, dim=-1)`. The angles broadcast over all axes before the tokens.",
        "`torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)`",
    ),
    wrong=wrongs("""
        neighbours-for-halves: x.chunk(2, dim=-1) → x[..., 0::2], x[..., 1::2]
        neighbours-for-halves: x.chunk(2, dim=-1) → x[..., 0::2], x[..., 1::2]
            torch.cat → torch.stack
            cos], dim=-1) → cos], dim=-1).flatten(-2)
        turned-backwards: angles.cos(), angles → angles.cos(), -angles
        not-a-rotation: cos - second → cos + second
        not-a-rotation: sin + second → sin - second
        not-a-rotation: first * sin + second * cos → second * cos - first * sin
        not-a-rotation: torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1) → x * cos.repeat_interleave(2, -1) + torch.cat([-second, first], dim=-1) * sin.repeat_interleave(2, -1)
        pair-swapped: first, second = → second, first =
        pair-swapped: [first * cos - second * sin, first * sin + second * cos] → [first * sin + second * cos, first * cos - second * sin]
        sine-and-cosine-swapped: cos, sin = angles → sin, cos = angles
        positions-not-used: (positions, x → (torch.arange(x.shape[-2]), x
        counted-from-one: (positions, x → (positions + 1, x
        base-typed-in: , base)  # → )  #
        hands-in-reverse: , base)  # → , base).flip(-1)  #
        codes-added: = x + sinusoidal(positions, x.shape[-1], base)
        stacked-on-other-axis: cos], dim=-1) → cos], dim=-2)
        detached: x.chunk(2, dim=-1) → x.detach().chunk(2, dim=-1)
            hint: The way back is cut: no gradient reaches the layers that made the queries and keys.
        edits-its-argument: torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1) → x.copy_(torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1))
        order-of-the-other-form: torch.cat → torch.stack
            cos], dim=-1) → cos], dim=-1).flatten(-2)
        exponents-off: position_angles(positions, x.shape[-1], base)  # → position_angles(positions, x.shape[-1] // 2, base).repeat(1, 2)  #
            hint: The angles belong to another width than that of the vectors. Ask for the angles of all of
                head_dim, once.
        """),
    right=rights("""
        slices: x.chunk(2, dim=-1) → x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
        partners: torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1) → x * cos.repeat(1, 2) + torch.cat([-second, first], dim=-1) * sin.repeat(1, 2)
        rotate: torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1) → rotate(torch.stack([first, second], dim=-1), angles).mT.flatten(-2)
        """),
)

BUG_MIXED_FORMS = Task(
    id="bug-mixed-forms",
    title="Find the bug: two forms in one function",
    name="rotary_scores",
    kind="function",
    signature="rotary_scores(queries, keys, positions)",
    axes=("tokens as query", "tokens as key"),
    input_axes={"queries": ("tokens", "head_dim"), "keys": ("tokens", "head_dim"), "positions": ("tokens",)},
    needs=("position-angles",),
    probes=(
        placed("six", "6 tokens, 8 numbers", 0, 6, 8, names=("queries", "keys")),
        placed("offset", "3 tokens from position 20 on", 20, 3, 6, names=("queries", "keys")),
    ),
    checks=(Check("half-split scores, at any positions", 2, ("six", "offset")),),
    words={"width": "√head_dim", "x": "queries"},
    learned="A number and its partner turn by one angle. Angles and partners belong to the same form.",
    demands={
        "trained with the **half-split** form": "left-as-given",
        "divided by √head_dim": "no-scale",
    },
    hints=(
        "Print `angles` for 4 positions and 8 numbers. Which numbers share an angle? And which ones are partners?",
        "`repeat_interleave` gives the angles 0, 0, 1, 1, … Half-split needs 0, 1, 2, 3, 0, 1, 2, 3.",
        "`angles = position_angles(positions, head_dim).repeat(1, 2)`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
        left-as-given: .repeat(1, 2) → .repeat_interleave(2, dim=-1)
        other-form: .repeat(1, 2) → .repeat_interleave(2, dim=-1)
            x.chunk(2, dim=-1) → x[..., 0::2], x[..., 1::2]
            torch.cat([-second, first], dim=-1) → torch.stack([-second, first], dim=-1).flatten(-2)
        symptom-hidden: positions, head_dim → 0 * positions, head_dim
        turned-backwards: [-second, first] → [second, -first]
        not-a-rotation: [-second, first] → [second, first]
        not-a-rotation: [-second, first] → [-second, -first]
        not-a-rotation: partner * angles.sin() → x * angles.sin()
        hands-in-reverse: .repeat(1, 2) → .flip(-1).repeat(1, 2)
        one-side-not-turned: turned(keys) → keys
        scaled-without-root: / head_dim**0.5 → / head_dim
        no-scale: / head_dim**0.5 →
        angle-for-each-number: position_angles(positions, head_dim).repeat(1, 2) → position_angles(positions, 2 * head_dim)
            hint: Each number has an angle of its own. A number and its partner in the other half turn together: they
                share one angle.
        """),
    right=rights("""
        tile: .repeat(1, 2) → .tile(2)
        cat: ).repeat(1, 2) → )
            def turned →:
                angles = torch.cat([angles, angles], -1)

                def turned
        apply-rope: = apply_rope(queries, positions) @ apply_rope(keys, positions).T / keys.shape[-1] ** 0.5
        """),
)

# ---------------------------------------------------------------- ALiBi, and a new token


def sizes(id, says, num_tokens, num_heads):
    """A probe of these sizes; its hidden twin has others."""
    return Probe(
        id,
        says,
        {"num_tokens": num_tokens, "num_heads": num_heads},
        redraw=lambda generator: {
            "num_tokens": whole(3, 12, generator),
            "num_heads": whole(2, 10, generator),
        },
    )


ALIBI_BIAS = Task(
    id="alibi-bias",
    title="ALiBi",
    name="alibi_bias",
    kind="function",
    signature="alibi_bias(num_tokens, num_heads)",
    axes=("heads", "tokens as query", "tokens as key"),
    probes=(
        sizes("eight", "5 tokens, 8 heads", 5, 8),
        sizes("six", "4 tokens, 6 heads", 4, 6),
        sizes("one", "7 tokens, one head", 7, 1),
    ),
    checks=(Check("8 heads", 1, ("eight",)), Check("any number of heads", 1, ("six", "one"))),
    learned="A penalty for each step back, of another size in each head: near by rule, and nothing to train.",
    demands={
        "minus slope times distance for the past": "near-is-punished",
        "Each head has a slope of its own": "one-slope",
        "0 on the diagonal": "diagonal-hidden",
        "-\\infty for the future": "future-visible",
        "Head h of H heads, counted from 1": "slopes-off",
    },
    hints=(
        "First the slopes, (heads,). Then the distances, (query, key): position of the query minus that of the key.",
        "`slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)`, and `slopes[:, None, None] * distance`.",
        "`(-slopes[:, None, None] * distance).masked_fill(distance < 0, -torch.inf)`",
    ),
    wrong=wrongs("""
        near-is-punished: -slopes[ → slopes[
        slopes-off: torch.arange(1, num_heads + 1) → torch.arange(num_heads)
        slopes-off: -8 * torch → -torch
            / num_heads) → )
        slopes-off: -8 * torch → -torch
        slopes-off: 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads) → 1 / torch.arange(1, num_heads + 1)
            hint: The slopes are 1, 1/2, 1/3, … They are powers of 2: with 8 heads 1/2, 1/4, … 1/256.
        slopes-in-reverse: -slopes[ → -slopes.flip(0)[
        zero-times-infinity: .masked_fill(distance < 0, -torch.inf) → ` + torch.ones(num_tokens, num_tokens).triu(1) * -torch.inf`
        one-slope: -slopes[ → -slopes[:1].expand(num_heads)[
        past-hidden: distance < 0 → distance > 0
            hint: The past is hidden and the future is visible. Hide the keys that come after the query.
        diagonal-hidden: distance < 0 → distance <= 0
            hint: A token is hidden from itself. At the distance 0 nothing is to be hidden.
        future-visible: .masked_fill(distance < 0, -torch.inf) → .abs().neg()
            hint: The future is visible. Fill −∞ where the key comes after the query.
        future-visible: .masked_fill(distance < 0, -torch.inf) →
            hint: The future is visible. Fill −∞ where the key comes after the query.
        mask-fills-zero: -torch.inf → 0.0
            hint: A later key gets the bias 0, which hides nothing once it is added to the scores. Fill with
                `-torch.inf`.
        softmax-too-early: .masked_fill(distance < 0, -torch.inf) → .masked_fill(distance < 0, -torch.inf).softmax(-1)
        published-slopes: slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads) → floor = 2 ** (num_heads.bit_length() - 1)↵powers = lambda heads: 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)↵slopes = torch.cat([powers(floor), powers(2 * floor)[0::2][: num_heads - floor]])
        key-position-for-distance: -slopes[:, None, None] * distance → (slopes[:, None, None] * positions).expand(-1, num_tokens, -1)
        """),
    right=rights("""
        key-before-query: positions[:, None] - positions → -(positions - positions[:, None])
        masked-with-triu: distance < 0 → torch.ones(num_tokens, num_tokens).triu(1).bool()
        exp2: 2.0 ** (-8 * torch → torch.exp2(-8 * torch
        """),
)


def rotated(x):
    """Keys of one head, rotated at positions 0, 1, …: what a model keeps while it writes."""
    half = x.shape[-1] // 2
    angles = torch.arange(len(x))[:, None] * 10000.0 ** (-torch.arange(half) / half)
    turned = torch.complex(*x.chunk(2, dim=-1)) * torch.exp(1j * angles)
    return torch.cat([turned.real, turned.imag], dim=-1)


def writing(id, says, kept, head_dim):
    query, key = drawn(head_dim, 2, 1, head_dim)
    return Probe(id, says, {"query": query, "key": key, "cached_keys": rotated(drawn(kept, kept, head_dim))})


NEW_TOKEN_SCORES = Task(
    id="new-token-scores",
    title="The scores of a new token",
    name="new_token_scores",
    kind="function",
    signature="new_token_scores(query, key, cached_keys)",
    axes=("query", "keys"),
    input_axes={
        "query": ("query", "head_dim"),
        "key": ("query", "head_dim"),
        "cached_keys": ("tokens", "head_dim"),
    },
    needs=("apply-rope",),
    probes=(
        writing("five", "five keys kept", 5, 8),
        writing("three", "three keys kept", 3, 4),
        writing("first", "nothing kept yet", 0, 6),
    ),
    checks=(Check("after some tokens, and after none", 2, ("five", "three", "first")),),
    words={"x": "cached_keys", "width": "√head_dim", "width_code": "query.shape[-1] ** 0.5"},
    learned="The position of a new token is the number of tokens before it. Another position raises no error.",
    demands={
        "query and key belong to the new token and are not rotated yet": "one-side-not-turned",
        "cached_keys are rotated": "cache-turned-twice",
        "Return the scaled scores": "no-scale",
        "with all tokens": "new-key-left-out",
        "itself last": "new-key-first",
        "Its position is the number of tokens that came before it": "put-at-zero",
    },
    hints=(
        "How many tokens came before? That is the position of the new one, for its query and for its key.",
        "`position = torch.tensor([len(cached_keys)])`. The kept keys are rotated already; the new key is not.",
        "`keys = torch.cat([cached_keys, apply_rope(key, position)])`, then `apply_rope(query, position) @ keys.T / …`.",
    ),
    wrong=wrongs("""
        put-at-zero: [len(cached_keys)] → [0]
        new-position-off-by-one: [len(cached_keys)] → [len(cached_keys) + 1]
        new-position-off-by-one: [len(cached_keys)] → [len(cached_keys) - 1]
        one-side-not-turned: apply_rope(key, position) → key
        one-side-not-turned: apply_rope(query, position) → query
        cache-turned-twice: [cached_keys, → [apply_rope(cached_keys, torch.arange(position[0])),
        new-key-first: torch.cat([cached_keys, apply_rope(key, position)]) → torch.cat([apply_rope(key, position), cached_keys])
        new-key-left-out: torch.cat([cached_keys, apply_rope(key, position)]) → cached_keys
        no-scale: / query.shape[-1] ** 0.5 →
        scaled-without-root: ** 0.5 →
        softmax-too-early: apply_rope(query, position) @ keys.T / query.shape[-1] ** 0.5 → torch.softmax(apply_rope(query, position) @ keys.T / query.shape[-1] ** 0.5, dim=-1)
        """),
    right=rights("""
        arange: torch.tensor([len(cached_keys)]) → torch.arange(len(cached_keys) + 1)[-1:]
        matmul: @ keys.T → @ keys.transpose(0, 1)
            query.shape[-1] → key.shape[1]
        key-score-apart: = torch.cat([apply_rope(query, torch.tensor([len(cached_keys)])) @ cached_keys.T, query @ key.T], 1) / key.shape[1] ** 0.5
        """),
)

LESSON = Lesson(
    title="07 · Where is each token? Positions",
    given_axes={"vocabulary": ("words", "d_model")},
    redraw=lambda generator: {"vocabulary": torch.randn(4, 8, generator=generator)},
    tasks=(
        ORDER_GAP,
        LEARNED_POSITIONS,
        POSITION_ANGLES,
        SINUSOIDAL,
        ROTATE_PAIRS,
        ROPE_INTERLEAVED,
        APPLY_ROPE,
        BUG_MIXED_FORMS,
        ALIBI_BIAS,
        NEW_TOKEN_SCORES,
    ),
)
