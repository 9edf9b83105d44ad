"""The tasks of lesson 06: their probes, the wrong answers people give, and the hint each deserves."""

import torch
import torch.nn as nn
from autograder.author.authoring import Check, Forbid, Lesson, Made, Probe, Task, rights, wrongs


def drawn(seed: int, *shape: int) -> torch.Tensor:
    """Normal random numbers of their own seed."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def seeded_batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The lesson's batch, and its queries and keys, under seed 24."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(24)
        query, key, _ = (nn.Linear(8, 8) for _ in range(3))
        tokens = torch.randn(2, 5, 8)  # (b, tokens, d_model)
        return tokens, query(tokens), key(tokens)


SEEDED, SEEDED_Q, SEEDED_K = seeded_batch()
CAUSAL = torch.tril(torch.ones(5, 5))  # (query, key)


def real(lengths, num_tokens):
    """Which positions are no padding, (b, tokens)."""
    return torch.arange(num_tokens) < lengths[:, None]


def other_lengths(full=0, empty=0, padded=0):
    """A redraw: another number of tokens, and as many sequences of that length, of none, and in between."""

    def redraw(generator: torch.Generator) -> dict:
        num_tokens = int(torch.randint(6, 13, (1,), generator=generator))
        between = torch.randint(1, num_tokens, (padded,), generator=generator)
        lengths = torch.tensor([num_tokens] * full + [0] * empty + between.tolist())
        return {"lengths": lengths, "num_tokens": num_tokens}

    return redraw


def padded(id, says, lengths, num_tokens, redraw):
    """A probe of a mask for sequences of these lengths."""
    return Probe(id, says, {"lengths": torch.tensor(lengths), "num_tokens": num_tokens}, redraw=redraw)


# Asked of the padding mask, and again of what it is combined to.
PADDED = (
    padded("five-three", "lengths 5 and 3, 5 tokens", [5, 3], 5, other_lengths(full=1, padded=1)),
    padded("two-four", "lengths 2 and 4, 5 tokens", [2, 4], 5, other_lengths(padded=2)),
    padded("none-full", "lengths 2, 4 and 1, 6 tokens", [2, 4, 1], 6, other_lengths(padded=3)),
)


PADDING_MASK = Task(
    id="padding-mask",
    title="A padding mask",
    name="padding_mask",
    kind="function",
    signature="padding_mask(lengths, num_tokens)",
    axes=("batch", "broadcast", "broadcast", "tokens"),
    dtypes=("bool",),
    input_axes={"lengths": ("batch",)},
    probes=(
        *PADDED,
        padded(
            "empty",
            "lengths 3, 0, 1 and 2, 3 tokens",
            [3, 0, 1, 2],
            3,
            other_lengths(full=1, empty=1, padded=2),
        ),
    ),
    checks=(
        Check("tokens are visible, padding is hidden", 1, ("five-three", "two-four")),
        Check("all sequences padded, and an empty one", 1, ("none-full", "empty")),
    ),
    learned="Compared with broadcasting, positions and lengths give one row for each sequence; the two axes "
    "of size 1 stand for every head and every query.",
    demands={
        "True means visible": "mask-polarity",
        "the padding is at the end": "padding-on-the-left",
        "The longest sequence can be shorter than num_tokens": "longest-length",
        "returns: (b, 1, 1, num_tokens), bool": "not-boolean",
    },
    hints=(
        "Position p is a token where p < length. Positions are (tokens,), lengths are (b,): which needs an "
        "axis more?",
        "`torch.arange(num_tokens) < lengths[:, None]` is (b, tokens).",
        "Put two axes of size 1 in: `[:, None, None, :]`.",
    ),
    wrong=wrongs("""
        mask-polarity: positions < → positions >=
            hint: This is True for padding. In this lesson True means *visible*: tokens are True.
                (PyTorch's `key_padding_mask` has the opposite meaning: there, True is padding.)
        padding-boundary: positions < → positions <=
        padding-boundary: lengths[:, None] → lengths[:, None] - 1
        mask-batch-for-queries: visible[:, None, None, :] → visible
        mask-batch-for-heads: [:, None, None, :] → [:, None]
        lengths-as-a-row: lengths[:, None] → lengths
        padding-hides-queries: [:, None, None, :] → [:, None, :, None]
        padding-hides-queries: return visible → return visible[:, None, :, None] & visible
        padding-on-the-left: positions < → positions >= num_tokens -
        longest-length: arange(num_tokens) → arange(int(lengths.max()))
        first-sequence-for-all: lengths[:, None] → lengths[0].repeat(len(lengths), 1)
        mask-of-infinities: None, :] → None, :].float().log()
        not-boolean: None, :] → None, :].int()
        sizes-typed-in: arange(num_tokens) → arange(5)
        """),
    right=rights("""
        loop: body
            mask = torch.zeros(len(lengths), 1, 1, num_tokens, dtype=torch.bool)
            for index, length in enumerate(lengths.tolist()):
                mask[index, ..., :length] = True
            return mask
        view: = torch.arange(num_tokens) < lengths.view(-1, 1, 1, 1)
        unsqueeze: visible[:, None, None, :] → visible.unsqueeze(1).unsqueeze(2)
        list-of-rows: body
            rows = [[p < n for p in range(num_tokens)] for n in lengths.tolist()]
            return torch.tensor(rows).reshape(-1, 1, 1, num_tokens)
        cumulative: torch.arange(num_tokens) → torch.ones(num_tokens).cumsum(dim=0) - 1
        """),
)


def as_many_sequences_as_tokens(generator: torch.Generator) -> dict:
    num_tokens = int(torch.randint(4, 9, (1,), generator=generator))
    return {"lengths": torch.randperm(num_tokens, generator=generator) + 1, "num_tokens": num_tokens}


COMBINE_MASKS = Task(
    id="combine-masks",
    title="Both masks in one",
    name="decoder_mask",
    kind="function",
    signature="decoder_mask(lengths, num_tokens)",
    axes=("batch", "broadcast", "tokens as query", "tokens as key"),
    dtypes=("bool",),
    input_axes={"lengths": ("batch",)},
    needs=("padding-mask",),
    probes=(
        *PADDED,
        padded(
            "square",
            "as many sequences as tokens: lengths 3, 1, 2 and 3 tokens",
            [3, 1, 2],
            3,
            as_many_sequences_as_tokens,
        ),
    ),
    checks=(
        Check("past and present, but no padding", 1, ("five-three", "two-four")),
        Check("other sizes", 1, ("none-full", "square")),
    ),
    learned="Masks of what is visible are joined with *and*. (b, 1, 1, tokens) and (tokens, tokens) "
    "broadcast to (b, 1, tokens, tokens).",
    demands={
        "The causal mask": "future-visible",
        "and the padding mask": "padding-visible",
        "Both masks in one": "masks-joined-with-or",
    },
    hints=(
        "A key is visible when it is visible in the causal mask and in the padding mask.",
        "For two bool tensors that is `&`; for 0 and 1 it is `*`.",
        "`return padding_mask(lengths, num_tokens) & torch.ones(num_tokens, num_tokens).tril().bool()`",
    ),
    wrong=wrongs("""
        masks-joined-with-or: & causal → | causal
        masks-summed: & causal → .int() + causal.int()
        padding-visible: padding_mask(lengths, num_tokens) & → (lengths.view(-1, 1, 1, 1) >= 0) &
        future-visible: & causal → .repeat(1, 1, num_tokens, 1)
        past-hidden: torch.tril → torch.triu
        past-hidden: torch.tril → ~torch.tril
            hint: This is `triu(…, diagonal=1)`, the mask of lessons 03 to 05 that said what is *hidden*.
                Here a mask says what is visible: the lower triangle.
        diagonal-hidden: torch.bool)) → torch.bool), diagonal=-1)
            hint: The diagonal is hidden too. A token is visible to itself: compare with `<=`, or leave `diagonal` at 0.
        diagonal-too-far: torch.bool)) → torch.bool), diagonal=1)
            hint: Each token sees one token of the future: leave `diagonal` at 0.
        padding-hides-queries: (lengths, num_tokens) & → (lengths, num_tokens).mT &
        mask-polarity: padding_mask(lengths, num_tokens) & → ~padding_mask(lengths, num_tokens) | ~
            hint: A mask has the opposite meaning. In it True means *visible*.
        mask-polarity: return padding → return ~padding
            hint: A mask has the opposite meaning. In it True means *visible*.
        mask-batch-for-heads: (lengths, num_tokens) & → (lengths, num_tokens)[:, 0] &
            hint: The mask lacks an axis of size 1 after the batch: it should be (b, 1, query, key).
        sizes-typed-in: num_tokens, num_tokens, dtype → 5, 5, dtype
        not-boolean: & causal → .float() * causal
        """),
    right=rights("""
        multiplied: & causal → * causal
        logical-and: & causal → .logical_and(causal)
        tril-of-expanded: & causal → .repeat(1, 1, num_tokens, 1).tril()
        positions: body
            visible = torch.arange(1, num_tokens + 1)[:, None]
            return torch.arange(num_tokens) < torch.minimum(lengths.view(-1, 1, 1, 1), visible)
        """),
)

SCORES = (
    SEEDED_Q.unflatten(-1, (4, 2)).transpose(1, 2)
    @ SEEDED_K.unflatten(-1, (4, 2)).permute(0, 2, 3, 1)
    / 2**0.5
)
VERY_LOW = torch.tensor([[[[-60.0, -61.0, 0.5], [-1200.0, -1201.0, -3.0]]]])
THREE_PADDED = real(torch.tensor([6, 2, 4]), 6)[:, None, None]
EMPTY_ROWS = torch.tensor([[1, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1]])
LEFT_PADDED = (torch.tensor([0, 2, 3]).view(-1, 1, 1, 1) <= torch.arange(4)) & torch.ones(4, 4).tril().bool()


def of_scores(id, says, scores, mask, **more):
    """A probe: scores and what is visible."""
    return Probe(id, says, {"scores": scores, "mask": mask}, **more)


MASKED_SOFTMAX = Task(
    id="masked-softmax",
    title="A softmax that knows about masks",
    name="masked_softmax",
    kind="function",
    signature="masked_softmax(scores, mask)",
    axes=("batch", "heads", "queries", "keys"),
    input_axes={"scores": ("batch", "heads", "queries", "keys")},
    properties=("not-negative",),
    probes=(
        of_scores("seeded", "the lesson's scores and the causal mask", SCORES, CAUSAL),
        of_scores(
            "padded", "other scores and a bool mask for each sequence", drawn(8, 3, 2, 4, 6), THREE_PADDED
        ),
        of_scores(
            "very-low", "scores far below zero", VERY_LOW.repeat(2, 4, 1, 1), torch.tensor([[[[1, 1, 0]]]])
        ),
        of_scores(
            "large",
            "scores of some hundreds",
            400 * drawn(27, 2, 3, 2, 5),
            real(torch.tensor([5, 3]), 5)[:, None, None],
            redraw=lambda generator: {"scores": 400 * torch.randn(2, 3, 2, 5, generator=generator)},
        ),
        of_scores("empty-row", "a mask whose row 1 hides everything", drawn(9, 3, 2, 4, 6), EMPTY_ROWS),
        of_scores(
            "left-padded", "a causal mask with the padding on the left", drawn(10, 3, 2, 4, 4), LEFT_PADDED
        ),
        of_scores(
            "gradient",
            "a mask whose row 1 hides everything",
            drawn(9, 3, 2, 4, 6),
            EMPTY_ROWS,
            observe="gradient",
            settings={"input": "scores"},
        ),
    ),
    checks=(
        Check("rows with a visible key", 1, ("seeded", "padded", "large", "very-low")),
        Check("rows without any visible key", 1, ("empty-row", "left-padded")),
        Check("a finite gradient, where a row is empty too", 1, ("padded", "gradient")),
    ),
    learned="Fill before the softmax, so that hidden keys take no share; fill after it, so that a row "
    "without any key is 0.",
    demands={
        "softmax over the visible keys": "no-mask",
        "0 for all others": "mask-fills-zero",
        "a query without any visible key gets nothing": "empty-row-nan",
        "Leave the caller's scores as they are": "edits-its-argument",
        "it must be finite": "nan-in-gradient",
        "1 or True where a key is visible": "tilde-on-numbers",
    },
    hints=(
        "Start as in section 2: fill with −inf where `mask == 0`, then softmax over the last axis.",
        "A row whose keys are all hidden is now `nan`, and nothing else is. What should be in its place?",
        "Every hidden weight is 0 at the end: `weights.masked_fill(mask == 0, 0.0)`.",
    ),
    words={"x": "scores"},
    wrong=wrongs("""
        empty-row-nan: weights.masked_fill(hidden, 0.0) → weights
        nan-in-gradient: .masked_fill(hidden, float("-inf")) → + torch.log((mask != 0).float())
        empty-row-even: float("-inf") → -1e9
            weights.masked_fill(hidden, 0.0) → weights
        mask-polarity: mask == 0 → mask == 1
            hint: This hides where the mask is 1 or True. Here 1 means *visible*, and 0 is to be hidden.
        mask-fills-zero: float("-inf") → 0.0
            weights.masked_fill(hidden, 0.0) → weights
        mask-fills-zero: float("-inf") → 0.0
        mask-fills-small: float("-inf") → -10.0
            weights.masked_fill(hidden, 0.0) → weights
        mask-fills-small: float("-inf") → -1000.0
            weights.masked_fill(hidden, 0.0) → weights
        mask-fills-infinity: "-inf" → "inf"
        mask-after-softmax: .masked_fill(hidden, float("-inf")) →
        no-mask: .masked_fill(hidden, float("-inf")) →
            weights.masked_fill(hidden, 0.0) → weights
        mask-added: .masked_fill(hidden, float("-inf")) → + mask
            weights.masked_fill(hidden, 0.0) → weights
        zero-times-infinity: .masked_fill(hidden, float("-inf")) → - (1 - mask.float()) * torch.inf
            weights.masked_fill(hidden, 0.0) → weights
        softmax-over-queries: dim=-1 → dim=-2
        softmax-over-heads: dim=-1 → dim=1
        softmax-over-batch: dim=-1 → dim=0
        softmax-twice: dim=-1↵) → dim=-1↵    ).softmax(dim=-1)
        not-normalised: torch.softmax( → torch.exp(
            , dim=-1 →
        no-softmax: = scores.masked_fill(mask == 0, 0.0)
        shares-of-raw-scores: = ((s := scores * mask) / s.sum(-1, keepdim=True)).nan_to_num()
        exp-overflows: = scores.exp() * mask / (scores.exp() * mask).sum(dim=-1, keepdim=True)
            hint: Exponentials times mask, divided by their sum: right until a row is empty, where 0 / 0
                is `nan`, or a score passes 88, where exp() is inf. `torch.softmax` takes care of the
                second; decide what an empty row should hold.
        tilde-on-numbers: mask == 0 → ~mask
        only-empty-rows-hidden: .masked_fill(hidden, float("-inf")) →
            (hidden, 0 → (hidden.all(-1, keepdim=True), 0
        all-zeros: weights.masked_fill(hidden, 0.0) → torch.zeros_like(scores)
        edits-its-argument: scores.masked_fill( → scores.masked_fill_(
        detached: scores.masked_fill → scores.detach().masked_fill
            hint: The way back is cut: no gradient reaches the layers that made the scores. Take out what cuts it.
        zero-times-infinity: .masked_fill(hidden, float("-inf")) → + (1 - mask.float()) * float("-inf")
            weights.masked_fill(hidden, 0.0) → weights.nan_to_num()
            hint: 0 times infinity is `nan`, so every row with a visible key is `nan`, and then 0. Use
                `masked_fill`.
        """),
    right=rights("""
        nan-to-num: masked_fill(hidden, 0.0) → nan_to_num(0.0)
        large-negative: float("-inf") → -1e9
            .masked_fill(hidden, 0.0) → * mask
        by-hand: body
            shown = scores.masked_fill(mask == 0, -torch.inf)
            lifted = torch.exp(shown - shown.amax(dim=-1, keepdim=True).clamp(min=-1e30))
            return lifted / lifted.sum(dim=-1, keepdim=True).clamp(min=1e-30)
        where: weights.masked_fill(hidden, 0.0) → torch.where(mask.bool(), weights, 0.0)
        safe-rows: (hidden, float → (hidden & ~hidden.all(dim=-1, keepdim=True), float
        """),
)

HEADS_OF_TWO = "4 target and 6 source tokens, with heads as wide as the lesson's"
TWICE = "3 target and 6 source tokens, one sequence"


def of_lengths(id, says, q, k, num_heads):
    """A probe: queries and keys of their own lengths."""
    return Probe(id, says, {"q": q, "k": k, "num_heads": num_heads})


BUG_QUERY_LENGTH = Task(
    id="bug-query-length",
    title="Find the bug: one length for two sentences",
    name="cross_scores",
    kind="function",
    signature="cross_scores(q, k, num_heads)",
    axes=("batch", "heads", "target", "source"),
    input_axes={"q": ("batch", "target", "d_model"), "k": ("batch", "source", "d_model")},
    probes=(
        of_lengths("equal", "the lesson's queries and keys, of equal length", SEEDED_Q, SEEDED_K, 4),
        of_lengths("longer", "3 target and 5 source tokens", drawn(11, 2, 3, 12), drawn(12, 2, 5, 12), 4),
        of_lengths("lessons-heads", HEADS_OF_TWO, drawn(27, 2, 4, 8), drawn(28, 2, 6, 8), 4),
        of_lengths("twice-as-long", TWICE, drawn(13, 1, 3, 8), drawn(14, 1, 6, 8), 2),
        of_lengths("shorter", "6 target and 4 source tokens", drawn(15, 3, 6, 10), drawn(16, 3, 4, 10), 2),
    ),
    checks=(
        Check(
            "a source as long as the target, or longer",
            1,
            ("equal", "longer", "lessons-heads", "twice-as-long"),
        ),
        Check("a source shorter than the target", 1, ("shorter",)),
    ),
    learned="Target and source have a length each: take it from the tensor that is reshaped. Test with "
    "lengths that differ.",
    demands={
        "Every source token must get a score": "source-cut",
        "and no other": "source-filled-up",
    },
    hints=(
        "Whose length is `max_sequence_length`, and which tensors are reshaped with it?",
        "Read a second length from `k.shape`.",
        "`k.reshape(batch_size, k.shape[1], num_heads, d_k)`",
    ),
    words={"width": "√d_k", "queries": "q", "swap": "k.transpose(-2, -1)"},
    wrong=wrongs("""
        query-length-for-keys: faulty
        query-length-for-keys: k.shape[1] → q.shape[1]
        source-cut: = k.shape[1] → = target_length
            k.reshape → k[:, :target_length].reshape
        source-fitted: = k.shape[1] → = target_length
            k.reshape → F.pad(k, (0, 0, 0, 99))[:, :target_length].reshape
        target-fitted: q.shape → q.shape↵q = F.pad(q, (0, 0, 0, k.shape[1]))[:, : k.shape[1]]
            = k.s → = target_length = k.s
        source-filled-up: = k.shape[1] → = target_length
            k.reshape → F.pad(k, (0, 0, 0, max(0, target_length - k.shape[1]))).reshape
        batch-left-open: k.reshape(batch_size, source → k.reshape(-1, target
        error-swallowed: 2)  # (b, heads, source, d_k) → 2) if source_length == q.shape[2] else q
        split-without-transpose: source_length, num_heads, d_k).transpose(1, 2) → num_heads, -1, d_k)
        scaled-by-model-width: d_k** → d_model**
        no-scale: / d_k**0.5 →
        scaled-without-root: d_k**0.5 → d_k
        scaled-by-heads: d_k** → num_heads**
        scaled-by-tokens: d_k** → q.shape[2] **
        scaled-by-tokens: d_k** → k.shape[2] **
        split-interleaved: num_heads, d_k).transpose(1, 2) →2 d_k, num_heads).permute(0, 3, 1, 2)
        scores-turned: return q @ k. → return k @ q.
        """),
    right=rights("""
        own-helpers: body
            d_k = q.shape[-1] // num_heads
            return split_heads(q, num_heads) @ split_heads(k, num_heads).transpose(-2, -1) / d_k**0.5
        einsum: body
            q, k = (x.unflatten(-1, (num_heads, -1)) for x in (q, k))
            return torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
        minus-one-for-tokens: batch_size, source_length, num → k.shape[0], -1, num
        chunks: body
            q, k = (torch.stack(x.chunk(num_heads, -1), 1) for x in (q, k))
            return q @ k.transpose(2, 3) * q.shape[-1] ** -0.5
        """),
)

X_TWELVE = drawn(17, 4, 5, 12)
# Queries and keys read one number that all tokens share, and point away from each other.
LOW = torch.cat((torch.full((4, 5, 1), 100.0), drawn(38, 4, 5, 11)), dim=2)
FIRST = torch.eye(12)[0].repeat(12, 1)
APART = {"query.weight": FIRST, "key.weight": -FIRST}
Y_SHORT = drawn(18, 2, 3, 12)
MEMORY, VALUES = drawn(19, 2, 7, 12), drawn(20, 2, 7, 12)
Y_LONG = drawn(21, 5, 6, 10)
Y_EVEN = drawn(35, 5, 4, 10)
MEMORY_SHORT = drawn(22, 5, 4, 10)
SOURCE_PADDING = real(torch.tensor([7, 2]), 7)[:, None, None]
BOTH_MASKS = real(torch.tensor([5, 2, 4, 1]), 5)[:, None, None] & CAUSAL.bool()
# Head 0 is causal, head 1 sees everything, head 2 the past and the next token.
BY_HEAD = torch.stack([torch.ones(5, 5).tril(ahead) for ahead in (0, 5, 1)]).bool().expand(4, -1, -1, -1)
NOTHING_TO_READ = real(torch.tensor([2, 0, 4, 1, 3]), 4)[:, None, None]
NO_ROW = torch.tensor([[1.0, 1, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 1, 1, 1], [0, 1, 0, 0, 0], [1, 1, 1, 1, 0]])
MANY, MANY_READ = drawn(29, 6, 4, 10), drawn(31, 6, 4, 10)
MANY_PADDED = real(torch.tensor([4, 2, 1, 3, 4, 2]), 4)[:, None, None]
MANY_AND_NONE = real(torch.tensor([4, 0, 1, 3, 0, 2]), 4)[:, None, None]
EIGHT = {"d_model": 8, "num_heads": 4}
TWELVE = {"d_model": 12, "num_heads": 3}
TEN = {"d_model": 10, "num_heads": 2}
ALL_PADDING = "a batch one of whose sequences is all padding"


def asked(id, says, q, k=None, v=None, mask=None, construct=TWELVE, **more):
    """A probe of the class: without `k` a self-attention, and without `v` the keys are the values too.

    `mask` has a default in the class, so where there is none it is left out.
    """
    k = q if k is None else k
    inputs = {"q_input": q, "k_input": k, "v_input": k if v is None else v}
    return Probe(id, says, inputs if mask is None else inputs | {"mask": mask}, construct=construct, **more)


def along(axis, inputs=("q_input", "k_input", "v_input"), observe="influence"):
    """An experiment with one axis of some inputs together, with all three if none is named."""
    return {"observe": observe, "settings": {"input": inputs, "axis": axis}}


PARTS = (
    "class",
    "projections",
    "scaling",
    "softmax",
    "masking",
    "heads",
    "batch",
    "out-proj",
    "equal-widths",
)
ALL = ("query", "key", "value", "fc")


MULTI_HEAD_ATTENTION = Task(
    id="multi-head-attention-module",
    title="MultiHeadAttention",
    name="MultiHeadAttention",
    kind="module",
    signature="MultiHeadAttention(d_model, num_heads)",
    axes=("batch", "target", "d_model"),
    input_axes={
        "q_input": ("batch", "target", "d_model"),
        "k_input": ("batch", "source", "d_model"),
        "v_input": ("batch", "source", "d_model"),
    },
    needs=("masked-softmax",),
    probes=(
        asked("seeded", "the lesson's batch, without a mask", SEEDED, construct=EIGHT, seed=24),
        asked("other-batch", "a batch in training mode, in float64", X_TWELVE, train=True, dtype="float64"),
        asked(
            "shuffled",
            "a batch with its queries in another order",
            X_TWELVE,
            **along(-2, "q_input", "permuted"),
        ),
        asked("causal", "a batch with the causal mask", X_TWELVE, mask=CAUSAL),
        asked("large", "large scores and very low ones", 60 + X_TWELVE, mask=CAUSAL, dtype="float64"),
        asked("low", "scores near −20,000", LOW, mask=CAUSAL, dtype="float64", weights=APART),
        asked("later-tokens-hidden", "a batch with the causal mask", X_TWELVE, mask=CAUSAL, **along(-2)),
        asked("longer-source", "3 target and 7 source tokens, values of their own", Y_SHORT, MEMORY, VALUES),
        asked("shorter-source", "6 target and 4 source tokens", Y_LONG, MEMORY_SHORT, construct=TEN),
        asked(
            "padded",
            "7 source tokens with padding in the second sequence",
            Y_SHORT,
            MEMORY,
            mask=SOURCE_PADDING,
        ),
        asked("padded-and-causal", "both masks in one, another for each sequence", X_TWELVE, mask=BOTH_MASKS),
        asked("mask-by-head", "a mask that differs from head to head", X_TWELVE, mask=BY_HEAD),
        asked(
            "own-sequence",
            "a batch with another mask for each sequence",
            X_TWELVE,
            mask=BOTH_MASKS,
            **along(0),
        ),
        asked(
            "many-sequences", "six sequences with padding", MANY, MANY_READ, mask=MANY_PADDED, construct=TEN
        ),
        asked(
            "many-with-nothing-to-read",
            "six sequences, two all padding",
            MANY,
            mask=MANY_AND_NONE,
            construct=TEN,
        ),
        asked(
            "gradient-of-queries",
            ALL_PADDING,
            Y_EVEN,
            mask=NOTHING_TO_READ,
            construct=TEN,
            observe="gradient",
            settings={"input": "q_input"},
        ),
        asked("nothing-to-read", ALL_PADDING, Y_EVEN, mask=NOTHING_TO_READ, construct=TEN),
        asked("no-row", "a mask whose row 1 hides everything", drawn(23, 2, 5, 12), mask=NO_ROW),
    ),
    checks=(
        Check("self-attention without a mask, as in an encoder", 1, ("seeded", "other-batch")),
        Check("masked self-attention, as in a decoder", 1, ("causal", "large", "low", "later-tokens-hidden")),
        Check(
            "cross-attention, source and target of different length",
            2,
            ("longer-source", "shorter-source", "shuffled"),
        ),
        Check(
            "a padding mask for each sequence, for all its heads",
            1,
            ("padded", "padded-and-causal", "mask-by-head", "own-sequence", "many-sequences"),
        ),
        Check(
            "a query without any visible key",
            1,
            ("nothing-to-read", "many-with-nothing-to-read", "no-row", "gradient-of-queries"),
        ),
    ),
    learned="One class, three roles. What differs is where queries, keys and values come from, and what "
    "is visible.",
    demands={
        "mask=None hides nothing": "no-mask-not-handled",
        "with 1 or True = visible": "mask-polarity",
        "A query without any visible key gets a context of zeros": "empty-row-nan",
        "Large scores must not overflow": "exp-overflows",
        "F.scaled_dot_product_attention or nn.MultiheadAttention in it": "ready-made",
        "queries from y, keys and values from the encoder's output memory": "source-never-heard",
        "the mask broadcasts to (b, heads, target, source)": "mask-batch-for-heads",
    },
    hints=(
        "`__init__` keeps `num_heads` and makes the layers `query`, `key`, `value` and `fc`.",
        "`forward`: project each input by its own layer, cut into heads, scores, weights, times values, "
        "merge, `fc`.",
        "Queries and keys can differ in length. `split_heads` takes each tensor's own, so nothing has to be "
        "done for it.",
        "`scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5`; without a mask plain softmax, otherwise "
        "`masked_softmax(scores, mask)`; `return self.fc(merge_heads(weights @ v))`.",
    ),
    words={f"W_{name}": f"self.{name}" for name in ALL[:3]}
    | {"x": "q_input", "queries": "q", "keys": "k", "values": "v", "out_proj": "fc"}
    | {"width": "√head_dim", "width_code": "head_dim**0.5", "swap": "k.transpose(-2, -1)"},
    parts=PARTS,
    wrong=wrongs("""
        nan-replaced-too-late: weights = weights.masked_fill → weights.masked_fill
            self.fc(context) → self.fc(context).nan_to_num(0.0)
        # Scores and their scale.
        no-scale: / head_dim**0.5 →
        scaled-by-model-width: head_dim** → d_model**
        scaled-without-root: head_dim**0.5 → head_dim
        root-by-precedence: **0.5 → **1 / 2
        scaled-by-half: head_dim**0.5 → (head_dim**1 / 2)
        scaled-up: / head_dim** → * head_dim**
        scaled-by-tokens: head_dim** → source**
        scaled-by-tokens: head_dim** → target**
        scaled-by-batch: head_dim** → b**
        scaled-by-heads: head_dim** → self.num_heads**
        scale-typed-in: head_dim** → d_k**
        scaled-after-softmax: / head_dim**0.5 →
            @ v → @ v / head_dim**0.5
        scores-negated: scores = q → scores = -q
        scores-turned: q @ k. → k @ q.
        keys-reshaped: k.transpose(-2, -1) → k.reshape(b, self.num_heads, head_dim, source)
        keys-not-turned: k.transpose(-2, -1) → k
        keys-turned-on-other-axes: k.transpose(-2, -1) → k.transpose(1, 2)
        # Softmax.
        softmax-over-queries: dim=-1 → dim=-2
        softmax-over-heads: dim=-1 → dim=1
        softmax-over-batch: dim=-1 → dim=0
        no-softmax: torch.softmax(scores, dim=-1) → scores
        exp-overflows: torch.softmax(scores, dim=-1) → torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)
        softmax-twice: dim=-1) → dim=-1).softmax(dim=-1)
        sigmoid-for-softmax: torch.softmax(scores, dim=-1) → torch.sigmoid(scores)
        log-softmax: torch.softmax → torch.log_softmax
        # Masks.
        no-mask: scores = scores. → scores.
            weights = weights. → weights.
        mask-fills-zero: float("-inf") → 0.0
            weights = weights. → weights.
        mask-fills-small: float("-inf") → -10.0
            weights = weights. → weights.
        mask-fills-small: float("-inf") → -1e4
        mask-fills-small: float("-inf") → -1000.0
            weights = weights. → weights.
        mask-fills-small: float("-inf") → -1.0
            weights = weights. → weights.
        mask-fills-small: float("-inf") → -3.0
            weights = weights. → weights.
        mask-fills-infinity: "-inf" → "inf"
        mask-after-softmax: scores = scores. → scores.
        mask-added: .masked_fill(mask == 0, float("-inf")) → + mask
            weights = weights. → weights.
        mask-added:
            body forward
                layers = zip((self.query, self.key, self.value), (q_input, k_input, v_input))
                q, k, v = (split_heads(layer(x), self.num_heads) for layer, x in layers)

                return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))
            hint: `scaled_dot_product_attention` hides with a mask of booleans, but adds a mask of floats
                to the scores, and 1 and 0 hide nothing there. Pass it `mask != 0`, which does for both.
        infinity-in-weights: scores = scores. → scores.
            0, 0.0) → 0, -torch.inf)
        mask-batch-for-heads: mask == 0 →2 (mask[:, 0] if mask.ndim == 4 else mask) == 0
        zero-times-infinity: .masked_fill(mask == 0, float("-inf")) → - (1 - mask.float()) * torch.inf
            weights = weights. → weights.
        mask-polarity: mask == 0 →2 mask == 1
            hint: This hides where the mask is 1 or True. Here 1 means *visible*, and 0 is to be hidden.
        mask-on-first-head: s = scores.m → s[:, :1] = scores[:, :1].m
            s = weights.m → s[:, :1] = weights[:, :1].m
        empty-row-nan: weights = weights. → weights.
        empty-row-even: float("-inf") → -1e9
            weights = weights. → weights.
        first-sequence-for-all: mask == 0 →2 (mask[:1] if mask.ndim == 4 else mask) == 0
        mask-of-first-head: mask == 0 →2 (mask[:, :1] if mask.ndim == 4 else mask) == 0
        mask-in-wrong-order: mask == 0 →2 (mask.expand(b, 1, target, source).repeat(self.num_heads, 1, 1, 1).view_as(scores)) == 0
        mask-axis-added: mask == 0 →2 (mask.unsqueeze(1)) == 0
        mask-turned: mask == 0 →2 (mask.mT) == 0
        tilde-on-numbers: mask == 0 →2 ~mask
        mask-as-condition: mask is not None →2 mask
        no-mask-not-handled: mask is not None →2 True
        masked-needlessly: # (b, heads, target, source) → + torch.full((target, source), -torch.inf).triu(1)
        # Which vectors meet.
        keys-as-values: @ v → @ k
        keys-as-values: = self.value → = self.key
        queries-as-values: @ v → @ q
        queries-as-values: = self.value → = self.query
        input-as-values: self.value(v_input) → v_input
        keys-as-queries: = self.query → = self.key
        values-as-queries: = self.query → = self.value
        queries-as-keys: = self.key → = self.query
        values-as-keys: = self.key → = self.value
        one-matrix-for-all: = self.key → = self.query
            = self.value → = self.query
        input-for-scores: self.query(q_input) → q_input
            self.key(k_input) → k_input
        projections-swapped: = self.query → = self.key
            = self.key → = self.query
        weights-on-the-right: weights @ → weights.mT @
        key-and-value-inputs-swapped: k_input) → v_input)
            v_input) → k_input)
        values-from-key-input: v_input) → k_input)
        keys-from-value-input: k_input) → v_input)
        values-from-query-input: v_input) → q_input)
        keys-from-query-input: k_input) → q_input)
        queries-from-key-input: query(q_input) → query(k_input)
        queries-from-key-input: (q_input).reshape(b, target → (k_input).reshape(b, source
            reshape(b, target, d_model) → reshape(b, source, d_model)
        source-asks: q_input) → k_input)
            k_input) → q_input)
        source-never-heard: k_input.shape → q_input.shape
            k_input) → q_input)
            v_input) → q_input)
        query-length-for-keys: k_input.shape → q_input.shape
        source-cut: = k_input.shape[1] → = min(target, k_input.shape[1])
            k_input) → k_input[:, :target])
            v_input) → v_input[:, :target])
            mask == 0 →2 (mask[..., :target]) == 0
        # Heads.
        split-without-transpose: target, self.num_heads, head_dim).transpose(1, 2) → self.num_heads, target, head_dim)
            source, self.num_heads, head_dim).transpose(1, 2) →2 self.num_heads, source, head_dim)
        split-interleaved: target, self.num_heads, head_dim).transpose(1, 2) → target, head_dim, self.num_heads).permute(0, 3, 1, 2)
            source, self.num_heads, head_dim).transpose(1, 2) →2 source, head_dim, self.num_heads).permute(0, 3, 1, 2)
        head-dim-for-heads: self.num_heads, head_dim) →3 head_dim, self.num_heads)
        heads-not-brought-forward: .transpose(1, 2) →4
        split-and-merge-without-transpose: target, self.num_heads, head_dim).transpose(1, 2) → self.num_heads, target, head_dim)
            source, self.num_heads, head_dim).transpose(1, 2) →2 self.num_heads, source, head_dim)
            context.transpose(1, 2) → context
        wrong-axes-swapped: context.transpose(1, 2) → context.transpose(2, 3)
        heads-crossed: q @ k. → q @ k.flip(1).
        merge-without-transpose: context.transpose(1, 2) → context
        merge-interleaved: context.transpose(1, 2).reshape(b, target, d_model) → context.permute(0, 2, 3, 1).reshape(b, target, d_model)
        view-of-a-transpose: 2).reshape → 2).view
        heads-not-joined: .reshape(b, target, d_model) →
        heads-added: context.transpose(1, 2).reshape(b, target, d_model) → context.sum(dim=1).repeat(1, 1, self.num_heads)
        heads-added: context.transpose(1, 2).reshape(b, target, d_model) → context.mean(dim=1).repeat(1, 1, self.num_heads)
        first-head-only: context.transpose(1, 2).reshape(b, target, d_model) → context[:, 0].repeat(1, 1, self.num_heads)
        heads-in-reverse: context.t → context.flip(1).t
        one-head: self.num_heads = num_heads → self.num_heads = 1
        heads-typed-in: self.num_heads = num_heads → self.num_heads = 4
        heads-typed-in: self.num_heads = num_heads → self.num_heads = 2
        input-split: self.query = nn.Linear(d_model, d_model) → self.query = nn.Linear(d_model // num_heads, d_model // num_heads)
            self.key = nn.Linear(d_model, d_model) → self.key = nn.Linear(d_model // num_heads, d_model // num_heads)
            self.value = nn.Linear(d_model, d_model) → self.value = nn.Linear(d_model // num_heads, d_model // num_heads)
            (q_input).reshape(b, target, self.num_heads, head_dim) → (q_input.reshape(b, target, self.num_heads, head_dim))
            (k_input).reshape(b, source, self.num_heads, head_dim) → (k_input.reshape(b, source, self.num_heads, head_dim))
            (v_input).reshape(b, source, self.num_heads, head_dim) → (v_input.reshape(b, source, self.num_heads, head_dim))
        full-width-heads: self.query = nn.Linear(d_model, d_model) → self.query = nn.Linear(d_model, d_model * num_heads)
            self.key = nn.Linear(d_model, d_model) → self.key = nn.Linear(d_model, d_model * num_heads)
            self.value = nn.Linear(d_model, d_model) → self.value = nn.Linear(d_model, d_model * num_heads)
            self.fc = nn.Linear(d_model, d_model) → self.fc = nn.Linear(d_model * num_heads, d_model)
            = d_model // self.num_heads → = d_model
            reshape(b, target, d_model) → flatten(2)
            hint: All heads together should be as wide as d_model: each layer is `nn.Linear(d_model, d_model)`.
        full-width-heads: self.query = nn.Linear(d_model, d_model) → self.query = nn.Linear(d_model, d_model // num_heads)
            self.key = nn.Linear(d_model, d_model) → self.key = nn.Linear(d_model, d_model // num_heads)
            self.value = nn.Linear(d_model, d_model) → self.value = nn.Linear(d_model, d_model // num_heads)
            hint: All heads together should be as wide as d_model: each layer is `nn.Linear(d_model, d_model)`.
        # The last layer and the result.
        no-out-proj: self.fc(context) → context
        no-out-proj: self.fc = nn.Linear(d_model, d_model) → self.fc = None
            self.fc(context) → context
        out-proj-of-other-size: self.fc = nn.Linear(d_model, d_model) → self.fc = nn.Linear(d_model, d_model * num_heads)
        out-proj-twice: self.fc(context) → self.fc(self.fc(context))
        out-proj-without-bias: self.fc = nn.Linear(d_model, d_model) → self.fc = nn.Linear(d_model, d_model, bias=False)
        out-proj-without-bias: self.fc(context) → F.linear(context, self.fc.weight)
            hint: The bias of `fc` is left out. Call the layer: `self.fc(…)`.
        bias-never: self.query = nn.Linear(d_model, d_model) → self.query = nn.Linear(d_model, d_model, bias=False)
            self.key = nn.Linear(d_model, d_model) → self.key = nn.Linear(d_model, d_model, bias=False)
            self.value = nn.Linear(d_model, d_model) → self.value = nn.Linear(d_model, d_model, bias=False)
            hint: All four layers keep the bias that `nn.Linear` has by default.
        bias-never: self.query = nn.Linear(d_model, d_model) → self.query = nn.Linear(d_model, d_model, bias=False)
            self.key = nn.Linear(d_model, d_model) → self.key = nn.Linear(d_model, d_model, bias=False)
            self.value = nn.Linear(d_model, d_model) → self.value = nn.Linear(d_model, d_model, bias=False)
            self.fc = nn.Linear(d_model, d_model) → self.fc = nn.Linear(d_model, d_model, bias=False)
            hint: All four layers keep the bias that `nn.Linear` has by default.
        residual-added: self.fc(context) → q_input + self.fc(context)
            hint: The queries' input is added to the result. Return what `fc` gives.
        layer-added: = num_heads → = num_heads↵self.norm = nn.LayerNorm(d_model)
            self.fc(context) → self.norm(q_input + self.fc(context))
            hint: Residual and norm belong around this class, not into it.
        activation-added: q_input) → q_input).relu()
            k_input) → k_input).relu()
            v_input) → v_input).relu()
        activation-added: self.fc(context) → self.fc(context).relu()
        context-normalised: self.fc(context) → self.fc(F.layer_norm(context, (d_model,)))
        tokens-pooled: self.fc(context) → self.fc(context).mean(dim=1)
        dropout-unasked: weights @ → F.dropout(weights, 0.1, self.training) @
        dropout-unasked: self.fc(context) → F.dropout(self.fc(context), 0.1, self.training)
        returns-a-tuple: self.fc(context) → self.fc(context), weights
        returns-nothing: return self → self
        weights-returned: self.fc(context) → weights
        first-sequence-only: self.fc(context) → self.fc(context)[0]
        batch-and-tokens-swapped: self.fc(context) → self.fc(context).transpose(0, 1)
        # Parameters and state.
        plain-tensors: self.query = nn.Linear(d_model, d_model) → self.query = [nn.Linear(d_model, d_model)]
            self.key = nn.Linear(d_model, d_model) → self.key = [nn.Linear(d_model, d_model)]
            self.value = nn.Linear(d_model, d_model) → self.value = [nn.Linear(d_model, d_model)]
            self.query( → self.query[0](
            self.key( → self.key[0](
            self.value( → self.value[0](
            hint: PyTorch does not see the parameters of some projections: in a plain list, or as plain
                tensors, they are not registered. This class has four layers for all heads together:
                `query`, `key`, `value`, `fc`.
        weights-made-in-forward: self.query = nn.Linear(d_model, d_model) → self.query = None
            self.key = nn.Linear(d_model, d_model) → self.key = None
            self.value = nn.Linear(d_model, d_model) → self.value = None
            self.fc = nn.Linear(d_model, d_model) → self.fc = None
            self.query( → nn.Linear(d_model, d_model)(
            self.key( → nn.Linear(d_model, d_model)(
            self.value( → nn.Linear(d_model, d_model)(
            self.fc( → nn.Linear(d_model, d_model)(
            hint: The class has no layers of its own. Make four in `__init__` and keep each on `self`:
                `self.query`, `self.key`, `self.value`, `self.fc`. What `forward` makes would be new at
                every call, and what is in a plain dictionary or without `self.` is not registered.
        other-names: self.query →2 self.W_query
            self.key →2 self.W_key
            self.value →2 self.W_value
            self.fc →2 self.W_fc
            hint: The four layers are called `query`, `key`, `value` and `fc`.
        no-super-init: super().__init__() → pass
        detached: self.fc(context) → self.fc(context).detach()
        detached: weights @ → weights.detach() @
        reads-the-notebook: self.query( → w_query(
            self.key( → w_key(
            self.value( → w_value(
        half-precision: weights @ v → (weights.half() @ v.half()).to(v.dtype)
        float-forced: self.fc(context) → self.fc(context).float()
        edits-its-argument:
            num_heads↵↵ →:
                num_heads
                q_input /= head_dim**0.5

            / head_dim**0.5  # → #
        sizes-typed-in: b, target, self → 2, 5, self
            b, source, self →2 2, 5, self
        scaled-by-square: / head_dim**0.5 → / head_dim**2
        """),
    right=rights("""
        own-helpers: body forward
            q = split_heads(self.query(q_input), self.num_heads)
            k = split_heads(self.key(k_input), self.num_heads)
            v = split_heads(self.value(v_input), self.num_heads)
            scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
            weights = torch.softmax(scores, dim=-1) if mask is None else masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v))
        einsum-other-order:
            body __init__
                super().__init__()
                self.fc = nn.Linear(d_model, d_model)
                self.value, self.key, self.query = (nn.Linear(d_model, d_model) for _ in range(3))
                self.sizes = (num_heads, d_model // num_heads)
            body forward
                q = self.query(q_input).unflatten(-1, self.sizes)
                k = self.key(k_input).unflatten(-1, self.sizes)
                v = self.value(v_input).unflatten(-1, self.sizes)
                scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.sizes[1] ** 0.5
                if mask is None:
                    weights = scores.softmax(dim=-1)
                else:
                    weights = scores.masked_fill(mask == 0, -1e9).softmax(dim=-1) * mask.to(scores.dtype)
                return self.fc(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
        head-by-head: body forward
            shape = (q_input.shape[0], self.num_heads, q_input.shape[1], k_input.shape[1])
            allowed = torch.ones(shape) if mask is None else mask.expand(shape)
            projected = (self.query(q_input), self.key(k_input), self.value(v_input))
            parts = []
            for head, (q, k, v) in enumerate(zip(*(x.chunk(self.num_heads, dim=-1) for x in projected))):
                scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(allowed[:, head] == 0, -torch.inf)
                parts.append(torch.nan_to_num(torch.softmax(scores, dim=-1)) @ v)
            return self.fc(torch.cat(parts, dim=-1))
        view-and-contiguous: 2).reshape → 2).contiguous().view
            target, self.num_heads, head_dim).transpose(1, 2) → target, -1, head_dim).permute(0, 2, 1, 3)
            source, self.num_heads, head_dim).transpose(1, 2) →2 source, -1, head_dim).permute(0, 2, 1, 3)
        heads-in-batch: body forward
            # As in older code, with the mask in the right order.
            layers = zip((self.query, self.key, self.value), (q_input, k_input, v_input))
            q, k, v = (split_heads(layer(x), self.num_heads).flatten(0, 1) for layer, x in layers)
            weights = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5  # (b * heads, target, source)
            if mask is not None:
                mask = mask.expand(q_input.shape[0], self.num_heads, *weights.shape[1:]).flatten(0, 1)
            weights = torch.softmax(weights, dim=-1) if mask is None else masked_softmax(weights, mask)
            return self.fc(merge_heads((weights @ v).unflatten(0, (-1, self.num_heads))))
        large-negative: float("-inf") → -1e9
        scaled-first: q @ k → q / head_dim**0.5 @ k
            / head_dim**0.5  # → #
        nan-to-num: weights.masked_fill(mask == 0, 0.0) → weights.nan_to_num()
        """),
    forbids=Forbid(
        ("scaled_dot_product_attention",),
        points=4,
        caught=rights("""
            scaled-dot-product-attention: body forward
                layers = zip((self.query, self.key, self.value), (q_input, k_input, v_input))
                q, k, v = (split_heads(layer(x), self.num_heads) for layer, x in layers)
                mask = None if mask is None else mask != 0
                return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))
            ready-made: body forward
                layers = zip((self.query, self.key, self.value), (q_input, k_input, v_input))
                q, k, v = (layer(x).transpose(0, 1) for layer, x in layers)  # (tokens, b, d_model)
                if mask is not None:
                    sizes = (q.shape[1], self.num_heads, q.shape[0], k.shape[0])
                    mask = (mask == 0).expand(sizes).flatten(0, 1)  # (b * heads, target, source)
                d_model = self.fc.in_features
                context, _ = F.multi_head_attention_forward(
                    *(q, k, v, d_model, self.num_heads, torch.eye(d_model).to(q).repeat(3, 1), None, None, None),
                    *(False, 0.0, self.fc.weight, self.fc.bias, self.training),
                    need_weights=False,
                    attn_mask=mask,
                )
                return context.transpose(0, 1)
            """),
    ),
)


def step(d_model, heads, batch, target, source, lengths, seed):
    """The inputs of one decoder step."""
    return {
        "self_attention": Made("MultiHeadAttention", {"d_model": d_model, "num_heads": heads}, seed=seed),
        "cross_attention": Made(
            "MultiHeadAttention", {"d_model": d_model, "num_heads": heads}, seed=seed + 1
        ),
        "decoder_input": drawn(seed + 2, batch, target, d_model),
        "encoder_output": drawn(seed + 3, batch, source, d_model),
        "causal": torch.ones(target, target).tril(),
        "source_padding": real(torch.tensor(lengths), source)[:, None, None],
    }


BUG_CROSS_FROM_DECODER = Task(
    id="bug-cross-from-decoder",
    title="Find the bug: the decoder that never reads the source",
    name="decoder_step",
    kind="function",
    signature="decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, "
    "source_padding)",
    axes=("batch", "target", "d_model"),
    input_axes={
        "decoder_input": ("batch", "target", "d_model"),
        "encoder_output": ("batch", "source", "d_model"),
    },
    needs=("multi-head-attention-module",),
    probes=(
        Probe("lesson-sizes", "5 target and 6 source tokens", step(16, 4, 2, 5, 6, [4, 6], 30)),
        Probe("equal", "as many source tokens as target tokens", step(12, 3, 4, 5, 5, [5, 2, 4, 1], 50)),
        Probe("short-source", "6 target and 4 source tokens", step(12, 3, 3, 6, 4, [4, 1, 3], 40)),
        Probe(
            "heard",
            "5 target and 5 source tokens",
            step(16, 4, 2, 5, 6, [4, 6], 30)
            | {
                "encoder_output": drawn(33, 2, 5, 16),
                "source_padding": real(torch.tensor([3, 4]), 5)[:, None, None],
            },
            observe="influence",
            settings={"input": "encoder_output", "axis": -2},
        ),
    ),
    checks=(
        Check("every source token has an influence", 1, ("lesson-sizes", "equal", "heard")),
        Check("a source shorter than the target", 1, ("short-source",)),
    ),
    learned="In cross-attention queries come from the target, keys and values from the source, with the "
    "source's padding and no causal mask.",
    demands={
        "the output has nothing to do with the source": "source-never-heard",
    },
    hints=(
        "Which of the six arguments are never used in the code as given?",
        "Cross-attention is called as (queries from, keys from, values from, mask over the keys).",
        "`cross_attention(x, encoder_output, encoder_output, source_padding)`",
    ),
    wrong=wrongs("""
        source-never-heard: faulty
        source-never-heard: encoder_output, encoder_output, source_padding → x, x, causal
        source-asks: (x, encoder_output, encoder_output, source_padding) → (encoder_output, x, x)
        values-from-query-input: encoder_output, encoder_output → encoder_output, x
        keys-from-query-input: (x, encoder_output, encoder_output, source_padding) → (x, x, encoder_output, causal)
        masked-needlessly: encoder_output, source_padding) → encoder_output, causal)
            hint: The mask that meets the source is more than its padding. The whole source may be read: hide
                its padding alone.
        masked-needlessly: encoder_output, source_padding) → encoder_output, source_padding * torch.ones(x.shape[1], encoder_output.shape[1]).tril())
            hint: The mask that meets the source is more than its padding. The whole source may be read: hide
                its padding alone.
        padding-visible: encoder_output, source_padding) → encoder_output)
        future-visible: decoder_input, causal) → decoder_input)
        step-left-out: cross_attention(x, → cross_attention(decoder_input,
        source-mean-added: (x, encoder_output, encoder_output, source_padding) → (x, x, x, causal) + encoder_output.mean(dim=1, keepdim=True)
        residual-added: return cross → return x + cross
            hint: `x` is added to what cross-attention gives, as in a whole decoder layer; leave that
                out.
        mask-polarity: encoder_output, source_padding) → encoder_output, ~source_padding)
            hint: A mask has the opposite meaning. In it True means *visible*.
        source-put-in-front: (x, encoder_output, encoder_output, source_padding) → (x, *[torch.cat([encoder_output, x], dim=1)] * 2)
        modules-swapped: x = self_ → x = cross_
            return cross_ → return self_
        order-swapped: body
            x = cross_attention(decoder_input, encoder_output, encoder_output, source_padding)
            return self_attention(x, x, x, causal)
        """),
    right=rights("""
        in-one-line: x = self_attention(decoder_input, decoder_input, decoder_input, causal) → x = decoder_input
            cross_attention(x, → cross_attention(self_attention(x, x, x, causal),
        by-name: (x, encoder_output, encoder_output, source_padding) → (q_input=x, k_input=encoder_output, v_input=encoder_output, mask=source_padding)
        sequence-by-sequence: body
            rows = []
            for y, memory, padding in zip(decoder_input.split(1), encoder_output.split(1), source_padding.split(1)):
                rows.append(cross_attention(self_attention(y, y, y, causal), memory, memory, padding))
            return torch.cat(rows)
        bool-masks: decoder_input, causal) → decoder_input, causal.bool())
        """),
)

LESSON = Lesson(
    title="06 · Encoder, decoder and cross-attention",
    given_axes={},
    redraw=lambda generator: {},  # no answer is computed from given tensors
    tasks=(
        PADDING_MASK,
        COMBINE_MASKS,
        MASKED_SOFTMAX,
        BUG_QUERY_LENGTH,
        MULTI_HEAD_ATTENTION,
        BUG_CROSS_FROM_DECODER,
    ),
)
