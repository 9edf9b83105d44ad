"""The tasks of lesson 06: their probes, the wrong answers people give, and the hint each deserves."""

import torch
import torch.nn as nn

from autograder.authoring import (
    Check,
    Forbid,
    Lesson,
    Made,
    Probe,
    Right,
    Task,
    Wrong,
    before,
    body,
    edit,
    faulty,
    instead,
    returns,
)


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

VISIBLE = "This hides where the mask holds 1 or True. Here 1 means *visible*: fill where `mask == 0`."
ITSELF_VISIBLE = "The diagonal is hidden too. A token is visible to itself: leave `diagonal` at 0."


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

LOOP = """
    mask = torch.zeros(len(lengths), 1, 1, num_tokens, dtype=torch.bool)
    for index, length in enumerate(lengths.tolist()):
        mask[index, ..., :length] = True
    return mask
"""
ROWS = """
    rows = [[p < n for p in range(num_tokens)] for n in lengths.tolist()]
    return torch.tensor(rows).reshape(-1, 1, 1, num_tokens)
"""

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
    hints=(
        "Position p is a token where p < length. Positions are (tokens,), lengths are (b,): which needs an "
        "axis more?",
        "`torch.arange(num_tokens) < lengths[:, None]` is (b, tokens).",
        "Put two axes of size 1 in: `[:, None, None, :]`.",
    ),
    wrong=(
        Wrong(
            "mask-polarity",
            edit("positions <", "positions >="),
            hint="This is True for padding. In this lesson True means *visible*: tokens are True. (PyTorch's "
            "`key_padding_mask` has the opposite meaning: there, True is padding.)",
        ),
        Wrong("padding-boundary", edit("positions <", "positions <=")),
        Wrong("padding-boundary", edit("lengths[:, None]", "lengths[:, None] - 1")),
        Wrong("mask-batch-for-queries", edit("visible[:, None, None, :]", "visible")),
        Wrong("mask-batch-for-heads", edit("[:, None, None, :]", "[:, None]")),
        Wrong("lengths-as-a-row", edit("lengths[:, None]", "lengths")),
        Wrong("padding-hides-queries", edit("[:, None, None, :]", "[:, None, :, None]")),
        Wrong("padding-hides-queries", edit("return visible", "return visible[:, None, :, None] & visible")),
        Wrong("padding-on-the-left", edit("positions <", "positions >= num_tokens -")),
        Wrong("longest-length", edit("arange(num_tokens)", "arange(int(lengths.max()))")),
        Wrong("first-sequence-for-all", edit("lengths[:, None]", "lengths[0].repeat(len(lengths), 1)")),
        Wrong("mask-of-infinities", edit("None, :]", "None, :].float().log()")),
        Wrong("not-boolean", edit("None, :]", "None, :].int()")),
        Wrong("sizes-typed-in", edit("arange(num_tokens)", "arange(5)")),
    ),
    right=(
        Right("loop", body("padding_mask", LOOP)),
        Right("view", returns("torch.arange(num_tokens) < lengths.view(-1, 1, 1, 1)")),
        Right("unsqueeze", edit("visible[:, None, None, :]", "visible.unsqueeze(1).unsqueeze(2)")),
        Right("list-of-rows", body("padding_mask", ROWS)),
        Right("cumulative", edit("torch.arange(num_tokens)", "torch.ones(num_tokens).cumsum(dim=0) - 1")),
    ),
)


def as_many_sequences_as_tokens(generator: torch.Generator) -> dict:
    num_tokens = int(torch.randint(4, 9, (1,), generator=generator))
    return {"lengths": torch.randperm(num_tokens, generator=generator) + 1, "num_tokens": num_tokens}


POSITIONS = """
    visible = torch.arange(1, num_tokens + 1)[:, None]
    return torch.arange(num_tokens) < torch.minimum(lengths.view(-1, 1, 1, 1), visible)
"""
NO_FURTHER = "Each token sees one token of the future: leave `diagonal` at 0."
TURNED_ROUND = "A mask has the opposite meaning. In it True means *visible*."

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
    hints=(
        "A key is visible when it is visible in the causal mask and in the padding mask.",
        "For two bool tensors that is `&`; for 0 and 1 it is `*`.",
        "`return padding_mask(lengths, num_tokens) & torch.ones(num_tokens, num_tokens).tril().bool()`",
    ),
    wrong=(
        Wrong("masks-joined-with-or", edit("& causal", "| causal")),
        Wrong("masks-summed", edit(" & causal", ".int() + causal.int()")),
        Wrong(
            "padding-visible",
            edit("padding_mask(lengths, num_tokens) &", "(lengths.view(-1, 1, 1, 1) >= 0) &"),
        ),
        Wrong("future-visible", edit(" & causal", ".repeat(1, 1, num_tokens, 1)")),
        Wrong("past-hidden", edit("torch.tril", "torch.triu")),
        Wrong(
            "past-hidden",
            edit("torch.tril", "~torch.tril"),
            hint="This is `triu(…, diagonal=1)`, the mask of lessons 03 to 05 that said what is *hidden*. Here a "
            "mask says what is visible: the lower triangle.",
        ),
        Wrong("diagonal-hidden", edit("torch.bool))", "torch.bool), diagonal=-1)"), hint=ITSELF_VISIBLE),
        Wrong("diagonal-too-far", edit("torch.bool))", "torch.bool), diagonal=1)"), hint=NO_FURTHER),
        Wrong("padding-hides-queries", edit("(lengths, num_tokens) &", "(lengths, num_tokens).mT &")),
        Wrong(
            "mask-polarity",
            edit("padding_mask(lengths, num_tokens) &", "~padding_mask(lengths, num_tokens) | ~"),
            hint=TURNED_ROUND,
        ),
        Wrong("mask-polarity", edit("return padding", "return ~padding"), hint=TURNED_ROUND),
        Wrong("mask-batch-for-heads", edit("(lengths, num_tokens) &", "(lengths, num_tokens)[:, 0] &")),
        Wrong("sizes-typed-in", edit("num_tokens, num_tokens, dtype", "5, 5, dtype")),
        Wrong("not-boolean", edit(" & causal", ".float() * causal")),
    ),
    right=(
        Right("multiplied", edit("& causal", "* causal")),
        Right("logical-and", edit(" & causal", ".logical_and(causal)")),
        Right("tril-of-expanded", edit(" & causal", ".repeat(1, 1, num_tokens, 1).tril()")),
        Right("positions", body("decoder_mask", POSITIONS)),
    ),
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
FILLED = '.masked_fill(hidden, float("-inf"))'
UNGUARDED = edit("weights.masked_fill(hidden, 0.0)", "weights")
BY_HAND = """
    shown = scores.masked_fill(mask == 0, -torch.inf)
    lifted = torch.exp(shown - shown.amax(dim=-1, keepdim=True).clamp(min=-1e30))
    return lifted / lifted.sum(dim=-1, keepdim=True).clamp(min=1e-30)
"""


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
    hints=(
        "Start as in section 2: fill with −inf where `mask == 0`, then softmax over the last axis.",
        "A row whose keys are all hidden is now `nan`, and nothing else is. What should stand in its place?",
        "Every hidden weight is 0 at the end: `weights.masked_fill(mask == 0, 0.0)`.",
    ),
    words={"x": "scores"},
    wrong=(
        Wrong("empty-row-nan", UNGUARDED),
        Wrong("nan-in-gradient", edit(FILLED, " + torch.log((mask != 0).float())")),
        Wrong("empty-row-even", edit('float("-inf")', "-1e9"), UNGUARDED),
        Wrong("mask-polarity", edit("mask == 0", "mask == 1"), hint=VISIBLE),
        Wrong("mask-fills-zero", edit('float("-inf")', "0.0"), UNGUARDED),
        Wrong("mask-fills-zero", edit('float("-inf")', "0.0")),
        Wrong("mask-fills-small", edit('float("-inf")', "-10.0"), UNGUARDED),
        Wrong("mask-fills-infinity", edit('"-inf"', '"inf"')),
        Wrong("mask-after-softmax", edit(FILLED, "")),
        Wrong("no-mask", edit(FILLED, ""), UNGUARDED),
        Wrong("mask-added", edit(FILLED, " + mask"), UNGUARDED),
        Wrong("zero-times-infinity", edit(FILLED, " - (1 - mask.float()) * torch.inf"), UNGUARDED),
        Wrong("softmax-over-queries", edit("dim=-1", "dim=-2")),
        Wrong("softmax-over-heads", edit("dim=-1", "dim=1")),
        Wrong("softmax-over-batch", edit("dim=-1", "dim=0")),
        Wrong("softmax-twice", edit("dim=-1\n    )", "dim=-1\n    ).softmax(dim=-1)")),
        Wrong("not-normalised", edit("torch.softmax(", "torch.exp("), edit(", dim=-1\n", "\n")),
        Wrong("no-softmax", returns("scores.masked_fill(mask == 0, 0.0)")),
        Wrong(
            "shares-of-raw-scores", returns("((s := scores * mask) / s.sum(-1, keepdim=True)).nan_to_num()")
        ),
        Wrong(
            "exp-overflows",
            returns("scores.exp() * mask / (scores.exp() * mask).sum(dim=-1, keepdim=True)"),
            hint="Exponentials times mask, divided by their sum: right until a row is empty, where 0 / 0 is "
            "`nan`, or a score passes 88, where exp() is inf. `torch.softmax` takes care of the second; "
            "decide what an empty row should hold.",
        ),
        Wrong("tilde-on-numbers", edit("mask == 0", "~mask")),
        Wrong(
            "only-empty-rows-hidden", edit(FILLED, ""), edit("(hidden, 0", "(hidden.all(-1, keepdim=True), 0")
        ),
        Wrong("all-zeros", edit("weights.masked_fill(hidden, 0.0)", "torch.zeros_like(scores)")),
        Wrong("edits-its-argument", edit("scores.masked_fill(", "scores.masked_fill_(")),
    ),
    right=(
        Right("nan-to-num", edit("masked_fill(hidden, 0.0)", "nan_to_num(0.0)")),
        Right("large-negative", edit('float("-inf")', "-1e9"), edit(".masked_fill(hidden, 0.0)", " * mask")),
        Right("by-hand", body("masked_softmax", BY_HAND)),
        Right("where", edit("weights.masked_fill(hidden, 0.0)", "torch.where(mask.bool(), weights, 0.0)")),
        Right("safe-rows", edit("(hidden, float", "(hidden & ~hidden.all(dim=-1, keepdim=True), float")),
    ),
)

HEADS_OF_TWO = "4 target and 6 source tokens, with heads as wide as the lesson's"
TWICE = "3 target and 6 source tokens, one sequence"
OWN_LENGTH = edit("= k.shape[1]", "= target_length")
HELPED = """
    d_k = q.shape[-1] // num_heads
    return split_heads(q, num_heads) @ split_heads(k, num_heads).transpose(-2, -1) / d_k**0.5
"""
SCORED = """
    q, k = (x.unflatten(-1, (num_heads, -1)) for x in (q, k))
    return torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
"""
CHUNKS = """
    q, k = (torch.stack(x.chunk(num_heads, -1), 1) for x in (q, k))
    return q @ k.transpose(2, 3) * q.shape[-1] ** -0.5
"""


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
    hints=(
        "Whose length is `max_sequence_length`, and which tensors are reshaped with it?",
        "Read a second length from `k.shape`.",
        "`k.reshape(batch_size, k.shape[1], num_heads, d_k)`",
    ),
    words={"width": "√d_k", "queries": "q", "swap": "k.transpose(-2, -1)"},
    wrong=(
        Wrong("query-length-for-keys", faulty()),
        Wrong("query-length-for-keys", edit("k.shape[1]", "q.shape[1]")),
        Wrong("source-cut", OWN_LENGTH, edit("k.reshape", "k[:, :target_length].reshape")),
        Wrong(
            "source-fitted",
            OWN_LENGTH,
            edit("k.reshape", "F.pad(k, (0, 0, 0, 99))[:, :target_length].reshape"),
        ),
        Wrong(
            "target-fitted",
            edit("q.shape\n", "q.shape\n    q = F.pad(q, (0, 0, 0, k.shape[1]))[:, : k.shape[1]]\n"),
            edit("= k.s", "= target_length = k.s"),
        ),
        Wrong(
            "source-filled-up",
            OWN_LENGTH,
            edit("k.reshape", "F.pad(k, (0, 0, 0, max(0, target_length - k.shape[1]))).reshape"),
        ),
        Wrong("batch-left-open", edit("k.reshape(batch_size, source", "k.reshape(-1, target")),
        Wrong(
            "error-swallowed",
            edit("2)  # (b, heads, source, d_k)", "2) if source_length == q.shape[2] else q"),
        ),
        Wrong(
            "split-without-transpose",
            edit("source_length, num_heads, d_k).transpose(1, 2)", "num_heads, -1, d_k)"),
        ),
        Wrong("scaled-by-model-width", edit("d_k**", "d_model**")),
        Wrong("no-scale", edit(" / d_k**0.5", "")),
        Wrong("scaled-without-root", edit("d_k**0.5", "d_k")),
        Wrong("scaled-by-heads", edit("d_k**", "num_heads**")),
        Wrong("scaled-by-tokens", edit("d_k**", "q.shape[2] **")),
        Wrong("scaled-by-tokens", edit("d_k**", "k.shape[2] **")),
        Wrong(
            "split-interleaved",
            edit("num_heads, d_k).transpose(1, 2)", "d_k, num_heads).permute(0, 3, 1, 2)", 2),
        ),
        Wrong("scores-turned", edit("return q @ k.", "return k @ q.")),
    ),
    right=(
        Right("own-helpers", body("cross_scores", HELPED)),
        Right("einsum", body("cross_scores", SCORED)),
        Right("minus-one-for-tokens", edit("batch_size, source_length, num", "k.shape[0], -1, num")),
        Right("chunks", body("cross_scores", CHUNKS)),
    ),
)

X_TWELVE = drawn(17, 4, 5, 12)
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
FILLED = '.masked_fill(mask == 0, float("-inf"))'
# What `masked_fill` returns is not kept.
UNMASKED = edit("scores = scores.", "scores.")
UNGUARDED = edit("weights = weights.", "weights.")
CAUSAL_TOO = edit("  # (b, heads, target, source)", " + torch.full((target, source), -torch.inf).triu(1)")
NOT_TURNED = edit("context.transpose(1, 2)", "context")


def layers(new, names=ALL[:3]):
    """Other layers in the places of those named."""
    return [edit(f"self.{name} = nn.Linear(d_model, d_model)", f"self.{name} = {new}") for name in names]


def calls(new, names=ALL[:3]):
    """Something else is called in the places of the layers named."""
    return [edit(f"self.{name}(", f"{new}(".format(name)) for name in names]


def split(new):
    """Another cut into heads, written with `tokens` for the length of each of the three."""
    old = "tokens, self.num_heads, head_dim).transpose(1, 2)"
    lengths = (("target", 1), ("source", 2))
    return [edit(old.replace("tokens", one), new.replace("tokens", one), places) for one, places in lengths]


def masked_by(mask):
    """Another mask than the one that is passed."""
    return edit("mask == 0", f"({mask}) == 0", places=2)


def merged(context):
    """Another way to put the heads side by side."""
    return edit("context.transpose(1, 2).reshape(b, target, d_model)", context)


def result(new):
    """Something else is returned."""
    return edit("self.fc(context)", new)


SPLIT_FIRST = [
    edit(
        f"({part}_input).reshape(b, {length}, self.num_heads, head_dim)",
        f"({part}_input.reshape(b, {length}, self.num_heads, head_dim))",
    )
    for part, length in (("q", "target"), ("k", "source"), ("v", "source"))
]

OWN_HELPERS = """
    q = split_heads(self.query(q_input), self.num_heads)
    k = split_heads(self.key(k_input), self.num_heads)
    v = split_heads(self.value(v_input), self.num_heads)
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1) if mask is None else masked_softmax(scores, mask)
    return self.fc(merge_heads(weights @ v))
"""
FUSED = """
    layers = zip((self.query, self.key, self.value), (q_input, k_input, v_input))
    q, k, v = (split_heads(layer(x), self.num_heads) for layer, x in layers)
    mask = None if mask is None else mask != 0
    return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))
"""
OTHER_ORDER = """
    super().__init__()
    self.fc = nn.Linear(d_model, d_model)
    self.value, self.key, self.query = (nn.Linear(d_model, d_model) for _ in range(3))
    self.sizes = (num_heads, d_model // num_heads)
"""
EINSUM = """
    q = self.query(q_input).unflatten(-1, self.sizes)
    k = self.key(k_input).unflatten(-1, self.sizes)
    v = self.value(v_input).unflatten(-1, self.sizes)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.sizes[1] ** 0.5
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(mask == 0, -1e9).softmax(dim=-1) * mask.to(scores.dtype)
    return self.fc(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
"""
HEAD_BY_HEAD = """
    shape = (q_input.shape[0], self.num_heads, q_input.shape[1], k_input.shape[1])
    allowed = torch.ones(shape) if mask is None else mask.expand(shape)
    projected = (self.query(q_input), self.key(k_input), self.value(v_input))
    parts = []
    for head, (q, k, v) in enumerate(zip(*(x.chunk(self.num_heads, dim=-1) for x in projected))):
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(allowed[:, head] == 0, -torch.inf)
        parts.append(torch.nan_to_num(torch.softmax(scores, dim=-1)) @ v)
    return self.fc(torch.cat(parts, dim=-1))
"""
HEADS_IN_BATCH = """
    # As in older code, with the mask in the right order.
    layers = zip((self.query, self.key, self.value), (q_input, k_input, v_input))
    q, k, v = (split_heads(layer(x), self.num_heads).flatten(0, 1) for layer, x in layers)
    weights = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5  # (b * heads, target, source)
    if mask is not None:
        mask = mask.expand(q_input.shape[0], self.num_heads, *weights.shape[1:]).flatten(0, 1)
    weights = torch.softmax(weights, dim=-1) if mask is None else masked_softmax(weights, mask)
    return self.fc(merge_heads((weights @ v).unflatten(0, (-1, self.num_heads))))
"""
# `nn.MultiheadAttention` is a class around the function called here, whose masks say what to hide.
READY_MADE = """
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
"""

UNSEEN = (
    "PyTorch does not see the parameters of some projections: in a plain list, or as plain tensors, they are not "
    "registered. This class has four layers for all heads together: `query`, `key`, `value`, `fc`."
)
NO_LAYERS = (
    "The class has no layers of its own. Make four in `__init__` and keep each on `self`: `self.query`, `self.key`, "
    "`self.value`, `self.fc`. What `forward` makes would be new at every call, and what stands in a plain dictionary "
    "or without `self.` is not registered."
)
NAMES = "The four layers are called `query`, `key`, `value` and `fc`."
SQUARE = "All heads together are as wide as d_model. Each layer is `nn.Linear(d_model, d_model)`."
AROUND = "Residual and norm belong around this class, not into it."
WITH_BIAS = "All four layers keep the bias that `nn.Linear` has by default."

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
        Check("masked self-attention, as in a decoder", 1, ("causal", "later-tokens-hidden")),
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
    hints=(
        "`__init__` keeps `num_heads` and makes the layers `query`, `key`, `value` and `fc`.",
        "`forward`: project each input by its own layer, cut into heads, scores, weights, times values, "
        "merge, `fc`.",
        "Queries and keys may differ in length. `split_heads` takes each tensor's own, so nothing has to be "
        "done for it.",
        "`scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5`; without a mask plain softmax, otherwise "
        "`masked_softmax(scores, mask)`; `return self.fc(merge_heads(weights @ v))`.",
    ),
    words={f"W_{name}": f"self.{name}" for name in ALL[:3]}
    | {"x": "q_input", "queries": "q", "keys": "k", "values": "v", "out_proj": "fc"}
    | {"width": "√head_dim", "width_code": "head_dim**0.5", "swap": "k.transpose(-2, -1)"},
    parts=PARTS,
    wrong=(
        # Scores and their scale.
        Wrong("no-scale", edit(" / head_dim**0.5", "")),
        Wrong("scaled-by-model-width", edit("head_dim**", "d_model**")),
        Wrong("scaled-without-root", edit("head_dim**0.5", "head_dim")),
        Wrong("root-by-precedence", edit("**0.5", "**1 / 2")),
        Wrong("scaled-by-half", edit("head_dim**0.5", "(head_dim**1 / 2)")),
        Wrong("scaled-up", edit("/ head_dim**", "* head_dim**")),
        Wrong("scaled-by-tokens", edit("head_dim**", "source**")),
        Wrong("scaled-by-tokens", edit("head_dim**", "target**")),
        Wrong("scaled-by-batch", edit("head_dim**", "b**")),
        Wrong("scaled-by-heads", edit("head_dim**", "self.num_heads**")),
        Wrong("scale-typed-in", edit("head_dim**", "d_k**")),
        Wrong("scaled-after-softmax", edit(" / head_dim**0.5", ""), edit("@ v", "@ v / head_dim**0.5")),
        Wrong("scores-negated", edit("scores = q", "scores = -q")),
        Wrong("scores-turned", edit("q @ k.", "k @ q.")),
        Wrong("keys-reshaped", edit("k.transpose(-2, -1)", "k.reshape(b, self.num_heads, head_dim, source)")),
        Wrong("keys-not-turned", edit("k.transpose(-2, -1)", "k")),
        Wrong("keys-turned-on-other-axes", edit("k.transpose(-2, -1)", "k.transpose(1, 2)")),
        # Softmax.
        Wrong("softmax-over-queries", edit("dim=-1", "dim=-2")),
        Wrong("softmax-over-heads", edit("dim=-1", "dim=1")),
        Wrong("softmax-over-batch", edit("dim=-1", "dim=0")),
        Wrong("no-softmax", edit("torch.softmax(scores, dim=-1)", "scores")),
        Wrong("softmax-twice", edit("dim=-1)", "dim=-1).softmax(dim=-1)")),
        Wrong("sigmoid-for-softmax", edit("torch.softmax(scores, dim=-1)", "torch.sigmoid(scores)")),
        Wrong("log-softmax", edit("torch.softmax", "torch.log_softmax")),
        # Masks.
        Wrong("no-mask", UNMASKED, UNGUARDED),
        Wrong("mask-fills-zero", edit('float("-inf")', "0.0"), UNGUARDED),
        *(
            Wrong("mask-fills-small", edit('float("-inf")', f"-{number}.0"), UNGUARDED)
            for number in (10, 1, 3)
        ),
        Wrong("mask-fills-infinity", edit('"-inf"', '"inf"')),
        Wrong("mask-after-softmax", UNMASKED),
        Wrong("mask-added", edit(FILLED, " + mask"), UNGUARDED),
        Wrong(
            "mask-added",
            body("forward", FUSED.replace("mask = None if mask is None else mask != 0", "")),
            hint="`scaled_dot_product_attention` hides with a mask of booleans, but adds a mask of floats to the "
            "scores, and 1 and 0 hide nothing there. Pass it `mask != 0`, which does for both.",
        ),
        Wrong("infinity-in-weights", UNMASKED, edit("0, 0.0)", "0, -torch.inf)")),
        Wrong("mask-batch-for-heads", masked_by("mask[:, 0] if mask.ndim == 4 else mask")),
        Wrong("zero-times-infinity", edit(FILLED, " - (1 - mask.float()) * torch.inf"), UNGUARDED),
        Wrong("mask-polarity", edit("mask == 0", "mask == 1", places=2), hint=VISIBLE),
        Wrong(
            "mask-on-first-head",
            edit("s = scores.m", "s[:, :1] = scores[:, :1].m"),
            edit("s = weights.m", "s[:, :1] = weights[:, :1].m"),
        ),
        Wrong("empty-row-nan", UNGUARDED),
        Wrong("empty-row-even", edit('float("-inf")', "-1e9"), UNGUARDED),
        Wrong("first-sequence-for-all", masked_by("mask[:1] if mask.ndim == 4 else mask")),
        Wrong("mask-of-first-head", masked_by("mask[:, :1] if mask.ndim == 4 else mask")),
        Wrong(
            "mask-in-wrong-order",
            masked_by("mask.expand(b, 1, target, source).repeat(self.num_heads, 1, 1, 1).view_as(scores)"),
        ),
        Wrong("mask-axis-added", masked_by("mask.unsqueeze(1)")),
        Wrong("mask-turned", masked_by("mask.mT")),
        Wrong("tilde-on-numbers", edit("mask == 0", "~mask", 2)),
        Wrong("mask-as-condition", edit("mask is not None", "mask", places=2)),
        Wrong("no-mask-not-handled", edit("mask is not None", "True", places=2)),
        Wrong("masked-needlessly", CAUSAL_TOO),
        # Which vectors meet.
        Wrong("keys-as-values", edit("@ v", "@ k")),
        Wrong("keys-as-values", edit("= self.value", "= self.key")),
        Wrong("queries-as-values", edit("@ v", "@ q")),
        Wrong("queries-as-values", edit("= self.value", "= self.query")),
        Wrong("input-as-values", edit("self.value(v_input)", "v_input")),
        Wrong("keys-as-queries", edit("= self.query", "= self.key")),
        Wrong("values-as-queries", edit("= self.query", "= self.value")),
        Wrong("queries-as-keys", edit("= self.key", "= self.query")),
        Wrong("values-as-keys", edit("= self.key", "= self.value")),
        Wrong("one-matrix-for-all", edit("= self.key", "= self.query"), edit("= self.value", "= self.query")),
        Wrong(
            "input-for-scores", edit("self.query(q_input)", "q_input"), edit("self.key(k_input)", "k_input")
        ),
        Wrong("projections-swapped", edit("= self.query", "= self.key"), edit("= self.key", "= self.query")),
        Wrong("weights-on-the-right", edit("weights @", "weights.mT @")),
        Wrong("key-and-value-inputs-swapped", edit("k_input)", "v_input)"), edit("v_input)", "k_input)")),
        Wrong("values-from-key-input", edit("v_input)", "k_input)")),
        Wrong("keys-from-value-input", edit("k_input)", "v_input)")),
        Wrong("values-from-query-input", edit("v_input)", "q_input)")),
        Wrong("keys-from-query-input", edit("k_input)", "q_input)")),
        Wrong("queries-from-key-input", edit("query(q_input)", "query(k_input)")),
        Wrong(
            "queries-from-key-input",
            edit("(q_input).reshape(b, target", "(k_input).reshape(b, source"),
            edit("reshape(b, target, d_model)", "reshape(b, source, d_model)"),
        ),
        Wrong("source-asks", edit("q_input)", "k_input)"), edit("k_input)", "q_input)")),
        Wrong(
            "source-never-heard",
            edit("k_input.shape", "q_input.shape"),
            *(edit(f"{one}_input)", "q_input)") for one in "kv"),
        ),
        Wrong("query-length-for-keys", edit("k_input.shape", "q_input.shape")),
        Wrong(
            "source-cut",
            edit("= k_input.shape[1]", "= min(target, k_input.shape[1])"),
            *(edit(f"{one}_input)", f"{one}_input[:, :target])") for one in "kv"),
            masked_by("mask[..., :target]"),
        ),
        # Heads.
        Wrong("split-without-transpose", *split("self.num_heads, tokens, head_dim)")),
        Wrong("split-interleaved", *split("tokens, head_dim, self.num_heads).permute(0, 3, 1, 2)")),
        Wrong("head-dim-for-heads", edit("self.num_heads, head_dim)", "head_dim, self.num_heads)", places=3)),
        Wrong("heads-not-brought-forward", edit(".transpose(1, 2)", "", places=4)),
        Wrong("split-and-merge-without-transpose", *split("self.num_heads, tokens, head_dim)"), NOT_TURNED),
        Wrong("wrong-axes-swapped", edit("context.transpose(1, 2)", "context.transpose(2, 3)")),
        Wrong("heads-crossed", edit("q @ k.", "q @ k.flip(1).")),
        Wrong("merge-without-transpose", NOT_TURNED),
        Wrong("merge-interleaved", merged("context.permute(0, 2, 3, 1).reshape(b, target, d_model)")),
        Wrong("view-of-a-transpose", edit("2).reshape", "2).view")),
        Wrong("heads-not-joined", edit(".reshape(b, target, d_model)", "")),
        Wrong("heads-added", merged("context.sum(dim=1).repeat(1, 1, self.num_heads)")),
        Wrong("heads-added", merged("context.mean(dim=1).repeat(1, 1, self.num_heads)")),
        Wrong("first-head-only", merged("context[:, 0].repeat(1, 1, self.num_heads)")),
        Wrong("heads-in-reverse", edit("context.t", "context.flip(1).t")),
        Wrong("one-head", edit("self.num_heads = num_heads", "self.num_heads = 1")),
        Wrong("heads-typed-in", edit("self.num_heads = num_heads", "self.num_heads = 4")),
        Wrong("heads-typed-in", edit("self.num_heads = num_heads", "self.num_heads = 2")),
        Wrong("input-split", *layers("nn.Linear(d_model // num_heads, d_model // num_heads)"), *SPLIT_FIRST),
        Wrong(
            "full-width-heads",
            *layers("nn.Linear(d_model, d_model * num_heads)"),
            *layers("nn.Linear(d_model * num_heads, d_model)", ["fc"]),
            edit("= d_model // self.num_heads", "= d_model"),
            edit("reshape(b, target, d_model)", "flatten(2)"),
            hint=SQUARE,
        ),
        Wrong("full-width-heads", *layers("nn.Linear(d_model, d_model // num_heads)"), hint=SQUARE),
        # The last layer and the result.
        Wrong("no-out-proj", result("context")),
        Wrong("no-out-proj", *layers("None", ["fc"]), result("context")),
        Wrong("out-proj-of-other-size", *layers("nn.Linear(d_model, d_model * num_heads)", ["fc"])),
        Wrong("out-proj-twice", result("self.fc(self.fc(context))")),
        Wrong("out-proj-without-bias", *layers("nn.Linear(d_model, d_model, bias=False)", ["fc"])),
        Wrong("out-proj-without-bias", result("F.linear(context, self.fc.weight)")),
        Wrong("bias-never", *layers("nn.Linear(d_model, d_model, bias=False)"), hint=WITH_BIAS),
        Wrong("bias-never", *layers("nn.Linear(d_model, d_model, bias=False)", ALL), hint=WITH_BIAS),
        Wrong("residual-added", result("q_input + self.fc(context)")),
        Wrong(
            "layer-added",
            edit("= num_heads", "= num_heads\n        self.norm = nn.LayerNorm(d_model)"),
            result("self.norm(q_input + self.fc(context))"),
            hint=AROUND,
        ),
        Wrong("activation-added", *(edit(f"{one}_input)", f"{one}_input).relu()") for one in "qkv")),
        Wrong("activation-added", result("self.fc(context).relu()")),
        Wrong("context-normalised", result("self.fc(F.layer_norm(context, (d_model,)))")),
        Wrong("tokens-pooled", result("self.fc(context).mean(dim=1)")),
        Wrong("dropout-unasked", edit("weights @", "F.dropout(weights, 0.1, self.training) @")),
        Wrong("dropout-unasked", result("F.dropout(self.fc(context), 0.1, self.training)")),
        Wrong("returns-a-tuple", result("self.fc(context), weights")),
        Wrong("returns-nothing", edit("return self", "self")),
        Wrong("weights-returned", result("weights")),
        Wrong("first-sequence-only", result("self.fc(context)[0]")),
        Wrong("batch-and-tokens-swapped", result("self.fc(context).transpose(0, 1)")),
        # Parameters and state.
        Wrong("plain-tensors", *layers("[nn.Linear(d_model, d_model)]"), *calls("self.{}[0]"), hint=UNSEEN),
        Wrong(
            "weights-made-in-forward",
            *layers("None", ALL),
            *calls("nn.Linear(d_model, d_model)", ALL),
            hint=NO_LAYERS,
        ),
        Wrong("other-names", *(edit(f"self.{one}", f"self.W_{one}", places=2) for one in ALL), hint=NAMES),
        Wrong("no-super-init", edit("super().__init__()", "pass")),
        Wrong("detached", result("self.fc(context).detach()")),
        Wrong("detached", edit("weights @", "weights.detach() @")),
        Wrong("reads-the-notebook", *calls("w_{}")),
        Wrong("half-precision", edit("weights @ v", "(weights.half() @ v.half()).to(v.dtype)")),
        Wrong("float-forced", result("self.fc(context).float()")),
        Wrong(
            "edits-its-argument",
            edit("num_heads\n\n", "num_heads\n        q_input /= head_dim**0.5\n\n"),
            edit(" / head_dim**0.5  #", "  #"),
        ),
        Wrong(
            "sizes-typed-in",
            edit("b, target, self", "2, 5, self"),
            edit("b, source, self", "2, 5, self", places=2),
        ),
    ),
    right=(
        Right("own-helpers", body("forward", OWN_HELPERS)),
        Right("scaled-dot-product-attention", body("forward", FUSED)),
        Right("einsum-other-order", body("__init__", OTHER_ORDER), body("forward", EINSUM)),
        Right("head-by-head", body("forward", HEAD_BY_HEAD)),
        Right(
            "view-and-contiguous",
            edit("2).reshape", "2).contiguous().view"),
            *split("tokens, -1, head_dim).permute(0, 2, 1, 3)"),
        ),
        Right("heads-in-batch", body("forward", HEADS_IN_BATCH)),
        Right("large-negative", edit('float("-inf")', "-1e9")),
        Right("scaled-first", edit("q @ k", "q / head_dim**0.5 @ k"), edit(" / head_dim**0.5  #", "  #")),
        Right("nan-to-num", edit("weights.masked_fill(mask == 0, 0.0)", "weights.nan_to_num()")),
    ),
    forbids=Forbid(
        ("MultiheadAttention",), points=4, caught=(Right("ready-made", body("forward", READY_MADE)),)
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


ASKED = "(x, encoder_output, encoder_output, source_padding)"
PADDING = "encoder_output, source_padding)"
WHOLE_SOURCE = "Keys and values are right. The whole source may be read: only its own padding is hidden."
NO_RESIDUAL = "Cross-attention is right. `x` is added to it, as in a whole decoder layer; leave that out."
CROSS_FIRST = """
    x = cross_attention(decoder_input, encoder_output, encoder_output, source_padding)
    return self_attention(x, x, x, causal)
"""
ONE_BY_ONE = """
    rows = []
    for y, memory, padding in zip(decoder_input.split(1), encoder_output.split(1), source_padding.split(1)):
        rows.append(cross_attention(self_attention(y, y, y, causal), memory, memory, padding))
    return torch.cat(rows)
"""

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
            settings={"input": "encoder_output", "axis": -2, "changed": "source token"},
        ),
    ),
    checks=(
        Check("every source token has an influence", 1, ("lesson-sizes", "equal", "heard")),
        Check("a source shorter than the target", 1, ("short-source",)),
    ),
    learned="In cross-attention queries come from the target, keys and values from the source, with the "
    "source's padding and no causal mask.",
    hints=(
        "Which of the six arguments are never used in the code as given?",
        "Cross-attention is called as (queries from, keys from, values from, mask over the keys).",
        "`cross_attention(x, encoder_output, encoder_output, source_padding)`",
    ),
    wrong=(
        Wrong("source-never-heard", faulty()),
        Wrong("source-never-heard", edit("encoder_output, encoder_output, source_padding", "x, x, causal")),
        Wrong("source-asks", edit(ASKED, "(encoder_output, x, x)")),
        Wrong("values-from-query-input", edit("encoder_output, encoder_output", "encoder_output, x")),
        Wrong("keys-from-query-input", edit(ASKED, "(x, x, encoder_output, causal)")),
        Wrong("masked-needlessly", edit(PADDING, "encoder_output, causal)"), hint=WHOLE_SOURCE),
        Wrong(
            "masked-needlessly",
            edit(
                PADDING,
                "encoder_output, source_padding * torch.ones(x.shape[1], encoder_output.shape[1]).tril())",
            ),
            hint=WHOLE_SOURCE,
        ),
        Wrong("padding-visible", edit(PADDING, "encoder_output)")),
        Wrong("future-visible", edit("decoder_input, causal)", "decoder_input)")),
        Wrong("step-left-out", edit("cross_attention(x,", "cross_attention(decoder_input,")),
        Wrong(
            "source-mean-added", edit(ASKED, "(x, x, x, causal) + encoder_output.mean(dim=1, keepdim=True)")
        ),
        Wrong("residual-added", edit("return cross", "return x + cross"), hint=NO_RESIDUAL),
        Wrong("mask-polarity", edit(PADDING, "encoder_output, ~source_padding)"), hint=TURNED_ROUND),
        Wrong("source-put-in-front", edit(ASKED, "(x, *[torch.cat([encoder_output, x], dim=1)] * 2)")),
        Wrong("modules-swapped", edit("x = self_", "x = cross_"), edit("return cross_", "return self_")),
        Wrong("order-swapped", body("decoder_step", CROSS_FIRST)),
    ),
    right=(
        Right(
            "in-one-line",
            edit(
                "    x = self_attention(decoder_input, decoder_input, decoder_input, causal)",
                "    x = decoder_input",
            ),
            edit("cross_attention(x,", "cross_attention(self_attention(x, x, x, causal),"),
        ),
        Right(
            "by-name",
            edit(ASKED, "(q_input=x, k_input=encoder_output, v_input=encoder_output, mask=source_padding)"),
        ),
        Right("sequence-by-sequence", body("decoder_step", ONE_BY_ONE)),
        Right("bool-masks", edit("decoder_input, causal)", "decoder_input, causal.bool())")),
    ),
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
