"""The tasks of lesson 04: their probes, and the right and wrong answers as changes to the solution."""

import torch
from torch import nn

from autograder.authoring import (
    Check,
    Forbid,
    Lesson,
    Probe,
    Right,
    Task,
    Wrong,
    before,
    body,
    edit,
    faulty,
    returns,
)

# The sentence "Your journey starts with one step", three numbers for each token.
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
KEPT = torch.tensor([kept == "1" for kept in "100000001011011111001101000011110111"]).reshape(6, 6)
COPIES = torch.stack((SENTENCE, SENTENCE))
TWO_SENTENCES = torch.stack((SENTENCE, SENTENCE.flip(0)))


def drawn(*shape, seed):
    """Numbers around 0 that only the seed determines."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def causal(scores):
    ahead = torch.ones_like(scores).triu(diagonal=1).bool()
    return torch.softmax(scores.masked_fill(ahead, -torch.inf), dim=-1)


with torch.random.fork_rng(devices=[]):
    torch.manual_seed(123)
    LAYERS = [nn.Linear(3, 2, bias=False) for _ in range(3)]
with torch.no_grad():
    QUERIES, KEYS, _ = (layer(TWO_SENTENCES) for layer in LAYERS)
WEIGHTS = causal(QUERIES[0] @ KEYS[0].T / 2**0.5)
OTHER_WEIGHTS = causal(drawn(6, 6, seed=1))
WIDE = torch.softmax(drawn(4, 5, seed=2), dim=-1)


def redraw(generator: torch.Generator) -> dict:
    """Other tokens, and another draw of which weights are kept."""
    return {
        "inputs": torch.rand(6, 3, generator=generator),
        "kept": torch.rand(6, 6, generator=generator) >= 0.5,
    }


# --- Task 1: dropout with a given mask -----------------------------------------------------------------------


def with_mask(x, p, seed):
    """The arguments of `apply_dropout`, with a mask that only the seed determines."""
    kept = torch.rand(*x.shape, generator=torch.Generator().manual_seed(seed)) >= p
    return {"x": x, "kept": kept, "p": p}


APPLY_DROPOUT = Task(
    id="apply-dropout",
    title="Dropout by hand, once the mask is drawn",
    name="apply_dropout",
    kind="function",
    signature="apply_dropout(x, kept, p)",
    axes=("rows", "columns"),
    input_axes={"x": ("rows", "columns"), "kept": ("rows", "columns")},
    probes=(
        Probe("figure", "the weights and the mask of the figure", {"x": WEIGHTS, "kept": KEPT, "p": 0.5}),
        Probe("other-weights", "other weights and another mask", with_mask(OTHER_WEIGHTS, 0.5, 3)),
        Probe("a-fifth", "a matrix of 4 by 5 with p = 0.2", with_mask(WIDE, 0.2, 4)),
        Probe("three-quarters", "negative numbers and p = 0.75", with_mask(drawn(7, 3, seed=5), 0.75, 6)),
        Probe("nothing-dropped", "p = 0, where everything is kept", with_mask(drawn(2, 4, seed=7), 0.0, 0)),
        Probe(
            "batch",
            "a batch of three sentences",
            with_mask(drawn(3, 4, 5, seed=61), 0.4, 62),
            observe="influence",
            settings={"input": "x", "axis": 0},
        ),
    ),
    checks=(
        Check("p = 0.5, as in the figure", 1, ("figure", "other-weights")),
        Check("any p, any shape", 1, ("a-fifth", "three-quarters", "nothing-dropped", "batch")),
    ),
    learned="What is dropped becomes 0, and what is kept is divided by 1 − p, the share that is kept on average.",
    hints=(
        "Two steps: make the dropped entries 0, and make the kept ones larger.",
        "True counts as 1 and False as 0: `x * kept` leaves what is kept and makes the rest 0.",
        "`return x * kept / (1 - p)`",
    ),
    wrong=(
        Wrong("dropout-not-rescaled", edit(" / (1 - p)", "")),
        Wrong("divided-by-p", edit("(1 - p)", "p")),
        Wrong("multiplied-by-kept-share", edit(" / (1 - p)", " * (1 - p)")),
        Wrong(
            "dropout-typed-in",
            edit("(1 - p)", "0.5"),
            hint="The kept entries are doubled whatever p is. 2 is 1 / (1 − p) for p = 0.5 only.",
        ),
        Wrong("kept-and-dropped-swapped", edit("x * kept", "x * ~kept")),
        Wrong("only-rescaled", edit("x * kept", "x")),
        Wrong("dropped-not-zeroed", returns("torch.where(kept, x / (1 - p), x)")),
        Wrong("dropout-renormalised", edit("(1 - p)", "(x * kept).sum(dim=-1, keepdim=True)")),
        Wrong("divided-by-counted-share", edit("(1 - p)", "kept.float().mean()")),
        Wrong("infinity-in-weights", edit("x * kept", "x.masked_fill(~kept, -torch.inf)")),
        Wrong("boolean-index-flattens", edit("x * kept", "x[kept]")),
        Wrong("reads-the-notebook", before("drawn = kept"), returns("attn_weights * drawn / 0.5")),
        Wrong("edits-its-argument", edit("x * kept / (1 - p)", "x.mul_(kept).div_(1 - p)")),
    ),
    right=(
        Right("where", returns("torch.where(kept, x / (1 - p), 0.0)")),
        Right("masked-fill", edit("x * kept", "x.masked_fill(~kept, 0.0)")),
        Right("einsum", edit("x * kept", 'torch.einsum("...,...->...", x, kept.to(x.dtype))')),
        Right(
            "loop",
            body(
                "apply_dropout",
                """
                result = torch.zeros_like(x).flatten()
                for place, stays in enumerate(kept.flatten()):
                    if stays:
                        result[place] = x.flatten()[place] / (1 - p)
                return result.reshape(x.shape)
                """,
            ),
        ),
        Right("double", edit("x * kept / (1 - p)", "x.double() * kept.double() * (1 / (1 - p))")),
    ),
)

# --- Task 2: dropout that draws its own mask -----------------------------------------------------------------

EVERY_ENTRY = torch.full((3, 7), 0.25)
TALL = drawn(400, 3, seed=8) + 3


def many_calls(id, says, x, p, by_name=False, **settings):
    """What dropout of a share `p` does to `x` in training, as the experiment measures it."""
    inputs = {"x": x, "p": p} | ({"training": True} if by_name else {})
    keywords = ("training",) if by_name else ()
    return Probe(
        id, says, inputs, keywords=keywords, observe="dropout", settings={"p": p, "input": "x", **settings}
    )


DROPOUT_BY_HAND = Task(
    id="dropout-by-hand",
    title="Draw your own mask",
    name="dropout",
    kind="function",
    signature="dropout(x, p, training=True)",
    axes=("rows", "columns"),
    input_axes={"x": ("rows", "columns")},
    needs=("apply-dropout",),
    probes=(
        Probe("p-zero", "the causal weights with p = 0", {"x": WEIGHTS, "p": 0.0, "training": True}),
        many_calls("a-fifth", "many calls with p = 0.2", WIDE, 0.2),
        many_calls(
            "entry-by-entry", "a matrix whose columns are all alike, p = 0.7", EVERY_ENTRY, 0.7, copies=7
        ),
        many_calls("many-rows", "a matrix of 400 rows with p = 0.25", TALL, 0.25),
        Probe(
            "evaluation",
            "the causal weights with training=False",
            {"x": WEIGHTS, "p": 0.5, "training": False},
        ),
        Probe(
            "evaluation-by-name",
            "another matrix with training=False",
            {"x": drawn(5, 2, seed=9), "p": 0.3, "training": False},
            keywords=("training",),
        ),
        # That it drops; how, the other check asks.
        many_calls("training-by-name", "many calls with training=True", WIDE, 0.35, by_name=True, measures=3),
        many_calls("batch", "a batch of three sentences", drawn(3, 4, 5, seed=53) + 3, 0.3),
    ),
    checks=(
        Check(
            "in training: a new mask at each call, entry by entry, rescaled",
            2,
            ("p-zero", "a-fifth", "entry-by-entry", "many-rows", "batch"),
        ),
        Check(
            "training=True drops, training=False does not",
            1,
            ("evaluation", "evaluation-by-name", "training-by-name"),
        ),
    ),
    learned="Each entry is decided on its own, anew at each call, and kept with probability 1 − p. In "
    "evaluation nothing happens, because the average is already right.",
    hints=(
        "In evaluation there is nothing to do: `if not training: return x`.",
        "A random number between 0 and 1 lies below p in a share p of all cases. Compare `torch.rand(x.shape)` with p.",
        "`kept = torch.rand(x.shape) >= p`, and then `apply_dropout(x, kept, p)`.",
    ),
    wrong=(
        Wrong(
            "no-dropout",
            returns("x"),
            hint="`x` comes back unchanged in training too. Draw a mask there, and drop what it says.",
        ),
        Wrong(
            "dropout-in-eval",
            edit("    if not training:\n        return x\n", ""),
            hint="It drops with training=False as well. A model in use would give another answer at each call.",
        ),
        Wrong("dropout-not-rescaled", edit("kept, p)", "kept, 0)")),
        Wrong(
            "rescaled-in-eval-instead",
            edit("return x\n", "return x * (1 - p)\n"),
            edit("kept, p)", "kept, 0)"),
        ),
        Wrong(
            "dropout-renormalised",
            edit("apply_dropout(x, kept, p)", "x * kept / (x * kept).sum(dim=-1, keepdim=True)"),
        ),
        Wrong("divided-by-p", edit("kept, p)", "kept, 1 - p)")),
        Wrong(
            "kept-and-dropped-swapped",
            edit(">= p", "< p"),
            hint="A share p is kept and the rest dropped. `torch.rand(…) >= p` is True in a share of 1 − p.",
        ),
        Wrong("p-as-share-kept", edit(">= p", "< p"), edit("kept, p)", "kept, 1 - p)")),
        Wrong(
            "dropout-same-each-time", edit("    kept = torch", "    torch.manual_seed(123)\n    kept = torch")
        ),
        Wrong("dropped-together", edit("torch.rand(x.shape)", "torch.rand(x.shape[0], 1)")),
        Wrong("dropped-together", edit("torch.rand(x.shape)", "torch.rand(x.shape[-1])")),
        Wrong("dropped-together", edit("torch.rand(x.shape)", "torch.rand(1)")),
        Wrong("dropout-typed-in", edit(">= p", ">= 0.5"), edit("kept, p)", "kept, 0.5)")),
        Wrong("dropout-typed-in", edit(">= p", ">= 0.5")),
        Wrong("other-distribution", edit("torch.rand(", "torch.randn(")),
        Wrong("modes-swapped", edit("if not training", "if training")),
        Wrong("rescaled-in-eval", edit("return x\n", "return x / (1 - p)\n")),
        Wrong("edits-its-argument", edit("apply_dropout(x, kept, p)", "x.mul_(kept).div_(1 - p)")),
        Wrong("reads-the-notebook", edit("    if not training", "    x = attn_weights\n    if not training")),
    ),
    right=(
        Right(
            "bernoulli",
            edit("torch.rand(x.shape) >= p", "torch.bernoulli(torch.full_like(x, 1 - p))"),
            edit("return x\n", "return x.clone()\n"),
        ),
        Right("where", returns("torch.where(torch.rand_like(x) < p, 0.0, x / (1 - p)) if training else x")),
        Right("double", edit("    if not training", "    x = x.double()\n    if not training")),
        Right("nothing-to-drop", edit("if not training", "if not training or p == 0")),
    ),
    forbids=Forbid(
        ("dropout",),
        points=3,
        caught=(
            Right("torch-dropout", returns("F.dropout(x, p, training=training)")),
            Right("layer", returns("nn.Dropout(p).train(training)(x)")),
        ),
    ),
)

# --- Task 3: scores for a batch ------------------------------------------------------------------------------

SCORES = "queries @ keys.transpose(1, 2)"
SHAPES_DO_NOT_MEET = (
    "The shapes of queries and keys do not fit. `.T` reverses all three axes, the batch too, and "
    "without any transpose the inner sizes differ. Swap the last two axes only: `keys.transpose(1, "
    "2)`."
)


def two(*shape, seed):
    """Queries and keys of one shape."""
    return {"queries": drawn(*shape, seed=seed), "keys": drawn(*shape, seed=seed + 1)}


BATCHED_SCORES = Task(
    id="batched-scores",
    title="Scores for a batch",
    name="batched_scores",
    kind="function",
    signature="batched_scores(queries, keys)",
    axes=("b", "tokens as query", "tokens as key"),
    input_axes={"queries": ("b", "tokens", "d_out"), "keys": ("b", "tokens", "d_out")},
    words={"swap": "keys.transpose(1, 2)"},
    probes=(
        Probe("two-sentences", "the two sentences", {"queries": QUERIES, "keys": KEYS}),
        Probe("two-others", "two other sentences", two(2, 6, 2, seed=10)),
        Probe("three-sentences", "three sentences of five tokens", two(3, 5, 4, seed=12)),
        Probe("one-sentence", "a batch of one sentence", two(1, 4, 7, seed=14)),
        Probe(
            "apart",
            "three sentences, each changed in turn",
            two(3, 5, 4, seed=16),
            observe="influence",
            settings={"input": "keys", "axis": 0},
        ),
    ),
    checks=(
        Check("two sentences of six tokens", 1, ("two-sentences", "two-others")),
        Check("any sizes, each sentence for itself", 1, ("three-sentences", "one-sentence", "apart")),
    ),
    learned="`@` multiplies the last two axes, for each position of the axes before. So swap the last two axes of the "
    "keys, and leave the batch alone.",
    hints=(
        "Write the shapes down: (b, tokens, d_out) @ (b, ?, ?) is to give (b, tokens, tokens).",
        "The keys have to become (b, d_out, tokens). Which two axes change places?",
        "`return queries @ keys.transpose(1, 2)`",
    ),
    wrong=(
        Wrong("keys-not-turned", edit("transpose(1, 2)", "permute(2, 1, 0)"), hint=SHAPES_DO_NOT_MEET),
        Wrong("keys-not-turned", edit(".transpose(1, 2)", ""), hint=SHAPES_DO_NOT_MEET),
        Wrong("scores-turned", edit("queries @ keys.transpose", "keys @ queries.transpose")),
        Wrong("keys-reshaped", edit("transpose(1, 2)", "reshape(keys.shape[0], keys.shape[2], -1)")),
        Wrong(
            "scaled-unasked",
            edit("transpose(1, 2)", "transpose(1, 2) / keys.shape[-1] ** 0.5"),
            hint="These scores are divided by √d already. That comes with the softmax; here they stay as they are.",
        ),
        Wrong(
            "step-too-many",
            edit(SCORES, f"torch.softmax({SCORES}, dim=-1)"),
            hint="These are weights: each row adds up to 1. The task wants the scores.",
        ),
        Wrong(
            "step-too-many",
            edit(SCORES, f"({SCORES}).masked_fill(torch.ones_like({SCORES}).triu(1) == 1, -torch.inf)"),
            hint="The scores above the diagonal are −inf already. Leave the mask for later.",
        ),
        Wrong("first-sequence-only", edit(SCORES, "queries[0] @ keys[0].T")),
        Wrong("first-sequence-for-all", edit("keys.transpose(1, 2)", "keys[0].T")),
        Wrong("first-sequence-for-all", edit("queries @", "queries[:1] @")),
        Wrong("dimensions-for-tokens", edit(SCORES, "queries.mT @ keys")),
        Wrong("elementwise-product", edit(SCORES, "queries * keys")),
        Wrong("own-key-only", edit(SCORES, "(queries * keys).sum(dim=-1)")),
        Wrong("batch-summed", edit(SCORES, f"({SCORES}).sum(dim=0)")),
        Wrong("sequences-chained", edit(SCORES, "queries.flatten(0, 1) @ keys.flatten(0, 1).T")),
        Wrong(
            "queries-as-keys",
            edit("keys.transpose", "queries.transpose"),
            hint="The queries were multiplied with themselves; the keys are not used.",
        ),
        Wrong("reads-the-notebook", returns("W_query(two_sentences) @ W_key(two_sentences).mT")),
        Wrong("batch-mixed", edit("keys.transpose", "keys.flip(0).transpose")),
    ),
    right=(
        Right("mt", edit("transpose(1, 2)", "mT")),
        Right("from-the-end", returns("torch.matmul(queries, keys.transpose(-2, -1))")),
        Right("einsum", returns('torch.einsum("bqd,bkd->bqk", queries, keys)')),
        Right("bmm", returns("torch.bmm(queries, keys.permute(0, 2, 1))")),
        Right("loop", returns("torch.stack([q @ k.T for q, k in zip(queries, keys, strict=True)])")),
        Right("double", returns("queries.double() @ keys.double().mT")),
    ),
)

# --- Task 4: CausalAttention ---------------------------------------------------------------------------------

# Values that repeat the positions of the tokens, so that the context vectors are the weights, twice: (2 * 16, 16).
SIX = torch.eye(6)
WITH_ZERO_TOKEN = drawn(2, 5, 4, seed=20)
WITH_ZERO_TOKEN[:, 3] = 0.0
TWICE_SIX = torch.stack((SIX, SIX))
# Experiments of several tasks.
CALLED_BEFORE = "five tokens, after a call with three of them"
MOVED = "the module moved to another device"
AHEAD = {"observe": "influence", "settings": {"input": "x", "axis": -2}}
ACROSS = {"observe": "influence", "settings": {"input": "x", "axis": 0}}
AGAIN = {"observe": "second-call", "settings": {"input": "x", "axis": 1, "size": 3}}
DROPS = {
    "observe": "dropout",
    "settings": {"p": 0.3, "copies": 2},
    "weights": {"W_value.weight": torch.cat((SIX, SIX))},
}
NAMES = ("W_query", "W_key", "W_value")


def made_for(id, says, x, construct, seed, even=False, **settings):
    """A probe of a class: tokens, and what the constructor gets.

    `x` may be the batch's size and the number of tokens. With `even` the queries are all 0: every visible token
    counts the same, however the scores are scaled.
    """
    if isinstance(x, tuple):
        x = drawn(*x, construct["d_in"], seed=seed)
    if even:
        settings["weights"] = {"W_query.weight": torch.zeros(construct["d_out"], construct["d_in"])}
    return Probe(id, says, {"x": x}, construct=construct, seed=seed, **settings)


def plain(d_in, d_out, context_length, dropout=0.0):
    return {"d_in": d_in, "d_out": d_out, "context_length": context_length, "dropout": dropout}


def sizes(*numbers, qkv_bias=False):
    return plain(*numbers) | {"qkv_bias": qkv_bias}


def of_each(old, new, places=1):
    """The same edit for queries, keys and values."""
    return [edit(old.format(name), new.format(name), places) for name in NAMES]


def ahead_of(line, text):
    """Puts lines of a method ahead of the line that begins so."""
    return edit(f"        {line}", f"        {text}\n        {line}")


def result(text):
    """What is returned in place of the context vectors, which `{}` stands for."""
    return edit("return attn_weights @ values", f"return {text.format('attn_weights @ values')}")


CUT = "[:num_tokens, :num_tokens]"
EVAL = "    def eval(self):\n        {} = 0.0\n        return super().eval()\n\n    def forward"
REGISTERED = 'self.register_buffer("mask", hidden.bool())'
DROPPED = "self.dropout(attn_weights)"
LAYER = "nn.Linear(d_in, d_out, bias=qkv_bias)"
LAYERS_MADE = "\n        ".join(f"self.{name} = {LAYER}" for name in NAMES)
# The weights are called in vain: what comes back is thrown away.
NO_DROPOUT = edit(f"attn_weights = {DROPPED}", DROPPED)
NO_BUFFER = edit(REGISTERED, "self.mask = hidden.bool()")
WITHOUT_SELF = (
    "A variable of the notebook is used. Is a `self.` missing, as in `self.W_query` or `self.mask`?"
)
FUSED = """
    num_tokens = x.shape[1]
    share = self.dropout.p if self.training else 0.0
    queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
    return F.scaled_dot_product_attention(queries, keys, values, {}, dropout_p=share)
"""

# Softmax written out, with the largest score of a row taken off first.
BY_HAND = """
def softmax_by_hand(scores, dim):
    exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return {}
"""
SUMMED = "exponentials / exponentials.sum(dim=dim, keepdim=True)"


def by_hand(shares):
    """The class with its softmax written out, and these shares of the exponentials."""
    return before(BY_HAND.format(shares)), edit("torch.softmax(", "softmax_by_hand(")


SLIPS_BY_HAND = (
    Wrong("not-normalised", *by_hand("exponentials")),
    Wrong("sums-without-keepdim", *by_hand("exponentials / exponentials.sum(dim=dim).unsqueeze(1)")),
    Wrong("softmax-over-queries", *by_hand("exponentials / exponentials.sum(dim=-2, keepdim=True)")),
    Wrong("softmax-over-everything", *by_hand("exponentials / exponentials.sum()")),
)

CAUSAL_ATTENTION = Task(
    id="causal-attention",
    title="Causal attention, complete",
    name="CausalAttention",
    kind="module",
    signature="CausalAttention(d_in, d_out, context_length, dropout, qkv_bias=False)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    words={"width": "√d_out", "swap": "keys.transpose(1, 2)", "context": "context_vecs"},
    # Only the check that says so has fewer tokens than context_length. Where the scale is not the point, queries are 0.
    probes=(
        made_for("seeded", "the sentence twice", COPIES, sizes(3, 2, 6), 123),
        made_for("two-sentences", "two different sentences", TWO_SENTENCES, sizes(3, 2, 6), 7),
        made_for("other-sizes", "three sentences of other sizes", (3, 5), plain(4, 7, 5), 21),
        made_for("bias", "qkv_bias=True", (2, 4), sizes(6, 5, 4, qkv_bias=True), 22),
        made_for("double", "double precision", (4, 3), sizes(5, 6, 3), 23, dtype="float64"),
        made_for("short", "sentences shorter than context_length", (2, 7), sizes(6, 5, 9), 24, even=True),
        made_for("one-token", "sentences of one token", (3, 1), sizes(2, 4, 6), 25),
        made_for("zero-token", "a token that is all 0", WITH_ZERO_TOKEN, sizes(4, 3, 7), 13, even=True),
        made_for("no-look-ahead", "one token changed at a time", (2, 5), sizes(4, 3, 8), 26, **AHEAD),
        made_for("second-call", CALLED_BEFORE, (2, 5), sizes(4, 3, 8), 63, even=True, **AGAIN),
        made_for("other-sentences", "a batch of three sentences", (3, 6), sizes(4, 5, 6), 27, even=True),
        made_for("apart", "one sentence of a batch changed at a time", (3, 5), sizes(4, 2, 5), 28, **ACROSS),
        made_for("other-device", MOVED, (2, 5), sizes(4, 3, 5), 29, observe="other-device"),
        made_for("state-dict", "the module's state dict", (2, 5), sizes(4, 3, 7), 29, observe="buffers"),
        made_for("evaluation", "dropout of 0.4 in eval mode", (2, 6), sizes(5, 4, 6, 0.4), 30, even=True),
        made_for("training", "dropout of 0.3 in training mode", TWICE_SIX, sizes(6, 12, 6, 0.3), 19, **DROPS),
        made_for(
            "all-dropped", "one token, dropout near 1", (3, 1), sizes(5, 4, 1, 1 - 1e-9), 65, train=True
        ),
    ),
    checks=(
        Check("a batch of two sentences", 1, ("seeded", "two-sentences")),
        Check("other sizes, a bias, double precision", 1, ("other-sizes", "bias", "double")),
        Check(
            "no look ahead, and fewer tokens than context_length",
            1,
            ("short", "one-token", "zero-token", "no-look-ahead", "second-call"),
        ),
        Check(
            "each sentence for itself, on any device, the mask saved",
            1,
            ("other-sentences", "apart", "other-device", "state-dict"),
        ),
        Check("dropout on the weights, in training mode only", 1, ("evaluation", "training", "all-dropped")),
    ),
    learned="This is one attention head as GPT-2 has it: batched, causal, with dropout on the weights and a mask that "
    "goes where the module goes.",
    hints=(
        "The constructor makes three `nn.Linear(d_in, d_out, bias=qkv_bias)`, one `nn.Dropout(dropout)` and the "
        'buffer: `self.register_buffer("mask", …)`.',
        "The mask is `torch.ones(context_length, context_length).triu(diagonal=1).bool()`. In forward, cut it with "
        "`num_tokens = x.shape[1]` and `self.mask[:num_tokens, :num_tokens]`.",
        "forward, in order: queries, keys and values; `queries @ keys.transpose(1, 2)`; `masked_fill_` with −inf; "
        "softmax of the scores divided by √d_out over dim=-1; `self.dropout`; times the values.",
    ),
    parts=(
        *("class", "projections", "own-input-width", "bias-option", "batch", "scaling", "softmax"),
        *("masking", "causal", "context-length", "buffer", "dropout"),
    ),
    cannot={
        "weights-made-in-forward": "layers that only forward makes are no parameters, which is plain-tensors",
    },
    wrong=(
        # The scale.
        Wrong("no-scale", edit(" / keys.shape[-1] ** 0.5", "")),
        Wrong("scaled-by-input-width", edit("keys.shape[-1]", "x.shape[-1]")),
        Wrong("scaled-without-root", edit(" ** 0.5", "")),
        Wrong("root-by-precedence", edit(" ** 0.5", "**1 / 2")),
        Wrong("scaled-by-half", edit("keys.shape[-1] ** 0.5", "(keys.shape[-1] * 0.5)")),
        Wrong("scaled-by-square", edit(" ** 0.5", " ** 2")),
        Wrong("scaled-up", edit(" / keys", " * keys")),
        Wrong("scaled-by-tokens", edit("keys.shape[-1]", "attn_scores.shape[-1]")),
        Wrong("scaled-by-tokens", edit("keys.shape[-1]", "keys.shape[1]")),
        Wrong("scaled-by-batch", edit("keys.shape[-1]", "keys.shape[0]")),
        Wrong("scale-typed-in", edit("keys.shape[-1]", "2")),
        Wrong(
            "scaled-after-softmax", edit(" / keys.shape[-1] ** 0.5", ""), result("{} / keys.shape[-1] ** 0.5")
        ),
        # Scores and softmax.
        Wrong("scores-turned", edit("queries @ keys.transpose", "keys @ queries.transpose")),
        Wrong(
            "scores-turned",
            edit("= self.W_query(x)", "= self.W_key(x)"),
            edit("= self.W_key(x)", "= self.W_query(x)"),
        ),
        Wrong("scores-negated", edit("= queries @", "= -queries @")),
        Wrong("keys-not-turned", edit("transpose(1, 2)", "permute(2, 1, 0)"), hint=SHAPES_DO_NOT_MEET),
        Wrong("keys-not-turned", edit(".transpose(1, 2)", ""), hint=SHAPES_DO_NOT_MEET),
        Wrong("keys-reshaped", edit("transpose(1, 2)", "reshape(keys.shape[0], keys.shape[2], -1)")),
        Wrong("softmax-over-queries", edit("dim=-1", "dim=1")),
        Wrong("softmax-over-batch", edit("dim=-1", "dim=0")),
        *SLIPS_BY_HAND,
        Wrong("no-softmax", edit("torch.softmax(", "("), edit(", dim=-1)", ")")),
        Wrong("no-softmax", edit("return attn_weights", "return attn_scores")),
        Wrong(
            "shares-of-raw-scores",
            edit("-torch.inf", "0.0"),
            edit("torch.softmax(attn_scores / keys.shape[-1] ** 0.5, ", "attn_scores / attn_scores.sum("),
            edit("dim=-1)", "dim=-1, keepdim=True)"),
        ),
        Wrong("softmax-twice", edit("dim=-1)", "dim=-1).softmax(dim=-1)")),
        Wrong("log-softmax", edit("torch.softmax(", "torch.log_softmax(")),
        Wrong("sigmoid-for-softmax", edit("torch.softmax(", "torch.sigmoid("), edit(", dim=-1)", ")")),
        Wrong("weights-on-the-right", edit("return attn_weights", "return attn_weights.transpose(1, 2)")),
        # The mask.
        Wrong("no-mask", edit("masked_fill_(", "masked_fill(")),
        Wrong("mask-fills-zero", edit("-torch.inf", "0.0")),
        Wrong("mask-fills-small", edit("-torch.inf", "-10.0")),
        Wrong("mask-fills-infinity", edit("-torch.inf", "torch.inf")),
        *(Wrong("mask-fills-small", edit("-torch.inf", f"-{number}")) for number in (1, 3)),
        Wrong("mask-added", edit("masked_fill_(", "add_("), edit(", -torch.inf)", ")")),
        Wrong(
            "not-boolean",
            edit("hidden.bool()", "hidden"),
            hint="`masked_fill` takes a mask of True and False. This one holds numbers: end it with `.bool()`.",
        ),
        Wrong("zero-times-infinity", edit("masked_fill_(", "add_("), edit(", -torch.inf)", " * -torch.inf)")),
        Wrong(
            "mask-after-softmax",
            edit("masked_fill_(", "masked_fill("),
            edit("return attn_weights", f"return attn_weights * ~self.mask{CUT}"),
        ),
        Wrong("past-hidden", edit("triu(diagonal=1)", "tril(diagonal=-1)")),
        Wrong("mask-polarity", edit("hidden.bool()", "~hidden.bool()")),
        Wrong(
            "mask-polarity",
            body("forward", FUSED.format(f"attn_mask=self.mask{CUT}")),
            hint="`scaled_dot_product_attention` reads True as “visible”, and `masked_fill` as “hidden”. Invert the mask "
            "with `~`.",
        ),
        Wrong("diagonal-hidden", edit("diagonal=1", "diagonal=0")),
        Wrong("diagonal-too-far", edit("diagonal=1", "diagonal=2")),
        Wrong("mask-from-values", edit(f"self.mask{CUT}", "attn_scores.triu(diagonal=1) != 0")),
        Wrong("mask-not-cut", edit(CUT, "")),
        Wrong("mask-not-cut", edit(CUT, "[:num_tokens]")),
        Wrong(
            "mask-not-cut",
            edit("attn_scores.masked_fill_(", "attn_scores = attn_scores.masked_fill("),
            edit(CUT, ""),
        ),
        Wrong("mask-misaligned", edit(CUT, "[:num_tokens, -num_tokens:]")),
        Wrong("mask-misaligned", edit(CUT, "[-num_tokens:, :num_tokens]")),
        Wrong("tokens-counted-on-another-axis", edit("x.shape[1]", "x.shape[0]")),
        Wrong("tokens-counted-on-another-axis", edit("x.shape[1]", "x.shape[-1]")),
        Wrong("mask-not-a-buffer", NO_BUFFER),
        Wrong(
            "mask-not-a-buffer", edit(f"self.mask{CUT}", "torch.ones(num_tokens, num_tokens).triu(1).bool()")
        ),
        Wrong("mask-not-saved", edit("hidden.bool())", "hidden.bool(), persistent=False)")),
        Wrong("mask-not-saved", edit('"mask"', '"hidden"'), edit("self.mask", "self.hidden")),
        Wrong(
            "mask-not-saved",
            NO_BUFFER,
            edit(f"self.mask{CUT}", "torch.ones_like(attn_scores).triu(1).bool()"),
        ),
        Wrong(
            "mask-is-a-parameter",
            edit(REGISTERED, "self.mask = nn.Parameter(hidden.bool(), requires_grad=False)"),
        ),
        # Which vectors meet, and what comes back.
        Wrong("keys-as-values", edit("self.W_value(x)", "self.W_key(x)")),
        Wrong("queries-as-values", edit("self.W_value(x)", "self.W_query(x)")),
        Wrong("input-as-values", edit("self.W_value(x)", "x")),
        Wrong("keys-as-queries", edit("self.W_query(x)", "self.W_key(x)")),
        Wrong("queries-as-keys", edit("self.W_key(x)", "self.W_query(x)")),
        Wrong("values-as-keys", edit("self.W_key(x)", "self.W_value(x)")),
        Wrong("values-as-queries", edit("self.W_query(x)", "self.W_value(x)")),
        Wrong("input-for-scores", edit("self.W_query(x)", "x"), edit("self.W_key(x)", "x")),
        Wrong("own-value-only", result("values")),
        Wrong("elementwise-product", edit("attn_weights @ values  #", "attn_weights * values  #")),
        Wrong("weights-returned", edit(" @ values  #", "  #")),
        Wrong("axes-squeezed", result("({}).squeeze()")),
        Wrong("extra-axis", result("({})[None]")),
        Wrong("returns-a-tuple", edit("@ values  #", "@ values, attn_weights  #")),
        Wrong("returns-nothing", edit("return attn_weights", "attn_weights")),
        Wrong("residual-added", result("x + {}")),
        Wrong("activation-added", result("torch.relu({})")),
        Wrong("context-normalised", result("F.layer_norm({}, values.shape[-1:])")),
        Wrong("tokens-pooled", result("({}).mean(dim=1)")),
        Wrong(
            "transposed-result",
            result("({}).transpose(1, 2)"),
            hint="The last two axes have changed places. The result has the axes (b, tokens, d_out).",
        ),
        # Dropout.
        Wrong("no-dropout", NO_DROPOUT),
        Wrong("dropout-stays-off", edit("    def forward", EVAL.format("self.dropout.p"))),
        Wrong("dropout-on-scores", NO_DROPOUT, edit(SCORES, f"self.dropout({SCORES})")),
        Wrong(
            "dropout-on-scores", NO_DROPOUT, edit("softmax(attn_scores", "softmax(self.dropout(attn_scores)")
        ),
        Wrong("dropout-on-context", NO_DROPOUT, result("self.dropout({})")),
        Wrong("dropout-on-input", NO_DROPOUT, edit("self.W_value(x)", "self.dropout(self.W_value(x))")),
        Wrong("dropout-on-input", NO_DROPOUT, ahead_of("num_tokens", "x = self.dropout(x)")),
        Wrong(
            "dropout-on-input", NO_DROPOUT, *(edit(f"{one}(x)", f"{one}(self.dropout(x))") for one in NAMES)
        ),
        Wrong("dropout-twice", result("self.dropout({})")),
        Wrong("dropout-in-eval", edit(DROPPED, "F.dropout(attn_weights, self.dropout.p)")),
        Wrong("dropout-in-eval", edit(DROPPED, "nn.Dropout(self.dropout.p)(attn_weights)")),
        Wrong("modes-swapped", edit(DROPPED, "F.dropout(attn_weights, self.dropout.p, not self.training)")),
        Wrong(
            "dropout-not-rescaled",
            edit(DROPPED, "attn_weights * (torch.rand_like(attn_weights) >= self.dropout.p * self.training)"),
        ),
        Wrong(
            "rescaled-in-eval-instead",
            edit(
                DROPPED,
                "attn_weights * (torch.rand_like(attn_weights) >= self.dropout.p) if self.training else "
                "attn_weights * (1 - self.dropout.p)",
            ),
        ),
        Wrong(
            "dropout-renormalised",
            edit("return attn_weights", "return F.normalize(attn_weights, p=1, dim=-1)"),
        ),
        Wrong(
            "dropout-renormalised", result("attn_weights / attn_weights.sum(dim=-1, keepdim=True) @ values")
        ),
        Wrong("dropout-typed-in", edit("nn.Dropout(dropout)", "nn.Dropout(0.5)")),
        Wrong("p-as-share-kept", edit("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")),
        Wrong("dropout-same-each-time", ahead_of("attn_weights = self", "torch.manual_seed(123)")),
        # Parameters, sizes, the batch and the dtype.
        Wrong("bias-always", edit(", bias=qkv_bias", "", places=3)),
        Wrong("bias-never", edit("bias=qkv_bias", "bias=False", places=3)),
        Wrong("bias-turned", edit("bias=qkv_bias", "bias=not qkv_bias", places=3)),
        Wrong("bias-by-default", edit("qkv_bias=False", "qkv_bias=True")),
        Wrong("bias-uneven", edit(f"self.W_value = {LAYER}", "self.W_value = nn.Linear(d_in, d_out)")),
        Wrong(
            "bias-uneven", edit(f"self.W_key = {LAYER}", "self.W_key = nn.Linear(d_in, d_out, bias=False)")
        ),
        Wrong("bias-not-added", *of_each("self.{}(x)", "x @ self.{}.weight.T")),
        Wrong("weight-not-turned", *of_each("self.{}(x)", "x @ self.{}.weight")),
        Wrong(
            "plain-tensors",
            edit(LAYER, "torch.randn(d_in, d_out)", places=3),
            *of_each("self.{}(x)", "x @ self.{}"),
            hint="`W_query`, `W_key` and `W_value` are no parameters of the module, or are made anew in forward, so "
            "nothing could be trained. Make `nn.Linear` layers in the constructor.",
        ),
        Wrong(
            "parameter-for-linear",
            edit(LAYER, "nn.Parameter(torch.rand(d_in, d_out))", places=3),
            *of_each("self.{}(x)", "x @ self.{}"),
        ),
        Wrong("one-matrix-for-all", edit(LAYERS_MADE, f"self.W_query = self.W_key = self.W_value = {LAYER}")),
        Wrong(
            "fused-projection",
            edit(LAYERS_MADE, "self.W_qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)"),
            edit("queries = self.W_query(x)", "queries, keys, values = self.W_qkv(x).chunk(3, dim=-1)"),
            edit("keys = self.W_key(x)", ""),
            edit("values = self.W_value(x)", ""),
        ),
        Wrong("other-names", *of_each("self.{}", "self.lin_{}", places=2)),
        Wrong(
            "layer-added",
            ahead_of("self.dropout =", "self.out_proj = nn.Linear(d_out, d_out)"),
            result("self.out_proj({})"),
        ),
        Wrong("no-super-init", edit("        super().__init__()\n", "")),
        Wrong("sizes-turned", edit("(d_in, d_out, bias", "(d_out, d_in, bias", places=3)),
        Wrong("sizes-typed-in", edit("(d_in, d_out, bias", "(3, 2, bias", places=3)),
        Wrong("sizes-typed-in", edit("torch.ones(context_length, context_length)", "torch.ones(1024, 1024)")),
        Wrong("reads-the-notebook", *of_each("self.{}(x)", "{}(x)"), hint=WITHOUT_SELF),
        Wrong("reads-the-notebook", edit("self.mask[", "hidden["), hint=WITHOUT_SELF),
        Wrong("edits-its-argument", ahead_of("return attn", "x.mul_(0.5)")),
        Wrong("first-sequence-only", result("({})[0]")),
        Wrong("first-sequence-for-all", edit("return attn_weights", "return attn_weights[0]")),
        Wrong("batch-mixed", edit(SCORES, f"({SCORES}).mean(dim=0, keepdim=True)")),
        Wrong("detached", edit("return attn_weights", "return attn_weights.detach()")),
        Wrong("detached", edit("@ values  #", "@ values.detach()  #")),
        Wrong("half-precision", result("(attn_weights.half() @ values.half()).to(x.dtype)")),
        Wrong("half-precision", edit(SCORES, "(queries.half() @ keys.half().mT).to(x.dtype)")),
        Wrong("half-precision", edit(SCORES, "(queries.bfloat16() @ keys.bfloat16().mT).to(x.dtype)")),
        Wrong("float-forced", result("({}).float()")),
    ),
    right=(
        Right("big-negative-number", edit("-torch.inf", "-1e9")),
        Right("by-hand", *by_hand(SUMMED)),
        Right(
            "other-order-of-layers",
            edit("self.W_query = nn", "self.W_value = nn"),
            edit("self.W_value = nn", "self.W_query = nn"),
        ),
        Right(
            "scaled-queries",
            edit("queries @", "queries / keys.shape[-1] ** 0.5 @"),
            edit(" / keys.shape[-1] ** 0.5", ""),
        ),
        Right(
            "fused-projection",
            before(
                """
                def joined(layers):
                    bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
                    return torch.cat([layer.weight for layer in layers]), bias
                """
            ),
            edit(
                "queries = self.W_query(x)",
                "weight, bias = joined((self.W_query, self.W_key, self.W_value))\n"
                "        queries, keys, values = F.linear(x, weight, bias).chunk(3, dim=-1)",
            ),
            edit("keys = self.W_key(x)", ""),
            edit("values = self.W_value(x)", ""),
        ),
        Right("fused-kernel", body("forward", FUSED.format(f"attn_mask=~self.mask{CUT}"))),
        Right("fused-causal-kernel", body("forward", FUSED.format("is_causal=True"))),
        Right(
            "einsum",
            edit(SCORES, 'torch.einsum("bqd,bkd->bqk", queries, keys)'),
            edit("attn_weights @ values", 'torch.einsum("bqk,bkd->bqd", attn_weights, values)'),
        ),
        Right(
            "added-infinity",
            edit("hidden.bool()", "torch.full_like(hidden, -torch.inf).triu(1)"),
            edit("masked_fill_(", "add_("),
            edit(", -torch.inf)", ")"),
        ),
        Right(
            "lower-mask",
            edit("triu(diagonal=1)", "tril()[None]"),
            edit("hidden.bool()", "hidden"),
            edit(f"mask{CUT}", "mask[:, :num_tokens, :num_tokens] == 0"),
        ),
        Right(
            "masked-after-softmax-renormalised",
            edit("masked_fill_(", "masked_fill("),
            edit(
                f"attn_weights = {DROPPED}",
                f"attn_weights = attn_weights.masked_fill(self.mask{CUT}, 0.0)\n"
                "        attn_weights = self.dropout(attn_weights / attn_weights.sum(dim=-1, keepdim=True))",
            ),
        ),
        Right("functional-dropout", edit(DROPPED, "F.dropout(attn_weights, self.dropout.p, self.training)")),
        Right("float-mask", edit("hidden.bool()", "hidden"), edit(f"mask{CUT}", f"mask.bool(){CUT}")),
        Right("other-corner", edit(CUT, "[-num_tokens:, -num_tokens:]")),
    ),
)

# --- Task 5: a seed set too late -----------------------------------------------------------------------------


def run_of(seed, *shape):
    return dict(zip(("seed", "batch_size", "num_tokens", "d_in", "d_out"), (seed, *shape), strict=True))


def other_seed(generator: torch.Generator) -> dict:
    return {"seed": int(torch.randint(2**31 - 1, (1,), generator=generator))}


BUG_SEED_ORDER = Task(
    id="bug-seed-order",
    title="Numbers that cannot be repeated",
    name="seeded_values",
    kind="function",
    signature="seeded_values(seed, batch_size, num_tokens, d_in, d_out)",
    axes=("b", "tokens", "d_out"),
    probes=(
        Probe("seed-123", "seed 123 and the sizes of the text", run_of(123, 4, 10, 16, 3), redraw=other_seed),
        Probe("seed-24", "seed 24 and the sizes of the text", run_of(24, 4, 10, 16, 3), redraw=other_seed),
        Probe("other-sizes", "seed 7 and other sizes", run_of(7, 3, 5, 6, 4), redraw=other_seed),
    ),
    checks=(
        Check("the same seed gives the same numbers", 1, ("seed-123", "seed-24")),
        Check("other sizes", 1, ("other-sizes",)),
    ),
    learned="A seed determines what is drawn after it. Set it before the first number that you want to have again.",
    hints=(
        "Which random numbers are drawn before the seed is set?",
        "Both the batch and the layer's weights are drawn. The seed has to come before both.",
        "Move `torch.manual_seed(seed)` to the first line, and leave the rest as it is.",
    ),
    wrong=(
        Wrong("seed-too-late", faulty()),
        Wrong("never-seeded", edit("    torch.manual_seed(seed)\n", "")),
        Wrong(
            "drawn-in-another-order",
            edit("    random_batch = torch.randn(batch_size, num_tokens, d_in)  # (b, tokens, d_in)\n", ""),
            edit("W_value(random_batch)", "W_value(torch.randn(batch_size, num_tokens, d_in))"),
        ),
        Wrong("seeded-twice", edit("    W_value = nn", "    torch.manual_seed(seed)\n    W_value = nn")),
        Wrong("seed-typed-in", edit("manual_seed(seed)", "manual_seed(123)")),
        Wrong("not-random", edit("torch.randn", "torch.ones")),
        Wrong("other-distribution", edit("torch.randn", "torch.rand")),
        Wrong(
            "bias-always",
            edit(", bias=False", ""),
            hint="The layer has a bias now. Leave `bias=False` as it was.",
        ),
        Wrong("not-projected", edit("return W_value(random_batch)", "return random_batch")),
        Wrong(
            "sizes-typed-in",
            edit("(batch_size, num_tokens, d_in)  #", "(4, 10, 16)  #"),
            edit("(d_in, d_out", "(16, 3"),
        ),
    ),
    right=(
        Right(
            "in-a-fork",
            edit(
                "    torch.manual_seed(seed)",
                "    state = torch.get_rng_state()\n    torch.manual_seed(seed)",
            ),
            edit("    return W", "    torch.set_rng_state(state)\n    return W"),
        ),
        Right(
            "by-matmul",
            edit("torch.manual_seed", "generator = torch.manual_seed"),
            edit("num_tokens, d_in)  #", "num_tokens, d_in, generator=generator)  #"),
            edit("W_value(random_batch)", "random_batch @ W_value.weight.T"),
        ),
        Right(
            "by-einsum",
            edit("batch_size, num_tokens, d_in)  #", "(batch_size, num_tokens, d_in))  #"),
            edit(
                "W_value(random_batch)", 'torch.einsum("bti,oi->bto", random_batch, W_value.weight.detach())'
            ),
        ),
    ),
)

# --- Task 6: a mask on the wrong device ----------------------------------------------------------------------


def two_sizes(d_in, d_out):
    return {"d_in": d_in, "d_out": d_out}


NO_QUERIES = "queries that are all 0, so that every visible token counts the same"
MASK_MADE = "torch.ones(num_tokens, num_tokens, device=x.device).triu(diagonal=1).bool()"
UNMASKED = edit("attn_scores = attn_scores.masked_fill", "attn_scores.masked_fill")

BUG_MASK_DEVICE = Task(
    id="bug-mask-device",
    title="A mask on the wrong device",
    name="PortableAttention",
    kind="module",
    signature="PortableAttention(d_in, d_out)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    words={"width": "√d_out"},
    probes=(
        made_for("two-sentences", "two sentences", TWO_SENTENCES, two_sizes(3, 2), 123),
        made_for("other-sizes", "three sentences of other sizes", (3, 5), two_sizes(4, 7), 31),
        made_for("no-queries", NO_QUERIES, (2, 5), two_sizes(4, 1), 32, even=True),
        made_for(
            "longer", "nine tokens, with queries that are all 0", (2, 9), two_sizes(4, 1), 54, even=True
        ),
        made_for("no-look-ahead", "one token changed at a time", (2, 6), two_sizes(4, 3), 33, **AHEAD),
        made_for("other-device", MOVED, (2, 5), two_sizes(4, 3), 34, observe="other-device"),
        made_for("second-call", CALLED_BEFORE, (2, 5), two_sizes(4, 1), 64, even=True, **AGAIN),
    ),
    checks=(
        Check("the silent fault: the numbers are right", 1, ("two-sentences", "other-sizes")),
        Check(
            "the mask is made where the scores are, and for each sentence anew",
            2,
            ("no-queries", "longer", "no-look-ahead", "other-device", "second-call"),
        ),
    ),
    learned="Whatever is made in forward is made on the device of the input: `device=x.device`, `torch.ones_like` or a "
    "buffer. And a missing √d raises no error at all.",
    hints=(
        "Which tensor in forward comes neither from `x` nor from a parameter? And what does lesson 02 do to scores "
        "before the softmax?",
        "`torch.ones` takes `device=…`, and every tensor knows its own: `x.device`.",
        "`torch.ones(num_tokens, num_tokens, device=x.device)`, and softmax of `attn_scores / keys.shape[-1] ** 0.5`.",
    ),
    wrong=(
        Wrong(
            "left-as-given",
            faulty(),
            hint="This is the code as it was given. On another device the mask and the scores are in two places, and "
            "the weights are not those of your `CausalAttention`.",
        ),
        Wrong(
            "no-scale",
            edit(" / keys.shape[-1] ** 0.5", ""),
            hint="The silent fault is still there: compare what goes into the softmax with your `CausalAttention`.",
        ),
        Wrong("made-on-the-cpu", edit(", device=x.device", "")),
        Wrong(
            "carried-to-the-cpu",
            edit(", device=x.device", ""),
            edit(
                "= attn_scores.masked_fill(hidden, -torch.inf)",
                "= attn_scores.cpu().masked_fill(hidden, -torch.inf).to(x.device)",
            ),
        ),
        Wrong(
            "no-mask",
            UNMASKED,
            hint="Without a mask there is nothing on the wrong device, and every token sees the ones ahead. Keep the "
            "mask.",
        ),
        Wrong("scaled-by-input-width", edit("keys.shape[-1]", "x.shape[-1]")),
        Wrong("scaled-without-root", edit(" ** 0.5", "")),
        Wrong("root-by-precedence", edit(" ** 0.5", "**1 / 2")),
        Wrong("scaled-up", edit(" / keys", " * keys")),
        Wrong("scaled-by-tokens", edit("keys.shape[-1]", "num_tokens")),
        Wrong("scaled-by-batch", edit("keys.shape[-1]", "keys.shape[0]")),
        Wrong("scale-typed-in", edit("keys.shape[-1]", "2")),
        Wrong(
            "scaled-after-softmax",
            edit(" / keys.shape[-1] ** 0.5", ""),
            edit("@ values", "/ keys.shape[-1] ** 0.5 @ values"),
        ),
        Wrong("softmax-over-queries", edit("dim=-1", "dim=1")),
        Wrong("no-softmax", edit("torch.softmax(", "("), edit(", dim=-1)", ")")),
        Wrong("mask-fills-zero", edit("-torch.inf", "0.0")),
        Wrong("mask-after-softmax", UNMASKED, edit("@ values", "* ~hidden @ values")),
        Wrong("past-hidden", edit("triu(diagonal=1)", "tril(diagonal=-1)")),
        Wrong("mask-polarity", edit(".bool()", ".logical_not()")),
        Wrong("diagonal-hidden", edit("diagonal=1", "diagonal=0")),
        Wrong("diagonal-too-far", edit("diagonal=1", "diagonal=2")),
    ),
    right=(
        Right("device-of-the-scores", edit("device=x.device", "device=attn_scores.device")),
        Right(
            "buffer",
            edit(
                "    def forward",
                '        self.register_buffer("mask", torch.ones(64, 64).triu(1).bool())\n\n    def forward',
            ),
            edit(MASK_MADE, "self.mask[:num_tokens, :num_tokens]"),
        ),
        Right("moved", edit(", device=x.device)", ").to(x.device)")),
        Right("ones-like", edit(MASK_MADE, "torch.ones_like(attn_scores).triu(diagonal=1) == 1")),
        Right(
            "new-full",
            edit(MASK_MADE, "attn_scores.new_full(attn_scores.shape[-2:], -torch.inf).triu(1)"),
            edit("attn_scores.masked_fill(hidden, -torch.inf)", "attn_scores + hidden"),
        ),
        Right(
            "arange",
            edit(MASK_MADE, "torch.arange(num_tokens, device=x.device)"),
            edit("(hidden, ", "(hidden[None, :] > hidden[:, None], "),
        ),
        Right(
            "fused-kernel",
            body(
                "forward",
                "return F.scaled_dot_product_attention(self.W_query(x), self.W_key(x), self.W_value(x), is_causal=True)",
            ),
        ),
        Right(
            "renormalised",
            UNMASKED,
            edit("return torch", "weights = torch"),
            edit(
                "dim=-1) @ values",
                "dim=-1).tril()\n        return weights / weights.sum(dim=-1, keepdim=True) @ values",
            ),
        ),
    ),
)

# --- Task 7: dropout that ignores eval() ---------------------------------------------------------------------


def three(d_in, d_out, dropout):
    return {"d_in": d_in, "d_out": d_out, "dropout": dropout}


TWELVE = torch.eye(12)
BY_FUNCTION = "F.dropout(attn_weights, self.p, training=self.training)"
SEEDED = ahead_of("attn_weights = F", "torch.manual_seed(123)")
HIDES_DROPOUT = (
    "Eval mode is right now, but in training mode nothing is dropped any more, at least not after one `eval()`. To take "
    "dropout out, or to set p to 0 in `eval()`, hides the fault. Look at `self.training`."
)

BUG_EVAL_DROPOUT = Task(
    id="bug-eval-dropout",
    title="Dropout that never stops",
    name="DropoutAttention",
    kind="module",
    signature="DropoutAttention(d_in, d_out, dropout)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        made_for("evaluation", "two sentences in eval mode", TWO_SENTENCES, three(3, 2, 0.5), 123),
        made_for("other-sizes", "three sentences in eval mode", (3, 5), three(4, 7, 0.2), 35),
        made_for("training", "training mode, after eval mode", TWICE_SIX, three(6, 12, 0.3), 9, **DROPS),
        made_for("no-dropout", "dropout of 0 in training mode", (2, 5), three(4, 3, 0.0), 36, train=True),
        made_for(
            "training-again",
            "dropout of 0.2 in training mode, after eval mode",
            TWELVE[None],
            three(12, 12, 0.2),
            11,
            weights={"W_value.weight": TWELVE},
            observe="dropout",
            settings={"p": 0.2, "measures": 3},  # that it drops; how, the other check asks
        ),
    ),
    checks=(
        Check(
            "eval mode drops nothing, training mode does", 2, ("evaluation", "other-sizes", "training-again")
        ),
        Check("in training mode the weights are dropped, as before", 1, ("no-dropout", "training")),
    ),
    learned="A function such as `F.dropout` knows nothing of modes: tell it `training=self.training`, or use the module "
    "`nn.Dropout`, which `train()` and `eval()` reach.",
    hints=(
        "What does `eval()` change in the module that forward could read?",
        "`self.training` is True after `train()` and False after `eval()`. `F.dropout` has an argument for it.",
        "`F.dropout(attn_weights, self.p, training=self.training)`",
    ),
    wrong=(
        Wrong(
            "dropout-in-eval",
            faulty(),
            hint="Dropout still works in eval mode, as in the code that was given. A new `nn.Dropout` made in forward "
            "does the same: it is always in training mode. Read `self.training`, and check which of the two it means.",
        ),
        Wrong("no-dropout", edit("    def forward", EVAL.format("self.p")), hint=HIDES_DROPOUT),
        Wrong("no-dropout", edit(BY_FUNCTION, "attn_weights"), hint=HIDES_DROPOUT),
        Wrong("seed-hides-dropout", SEEDED, edit(", training=self.training", "")),
        Wrong("dropout-same-each-time", SEEDED),
        Wrong(
            "dropout-on-scores",
            edit("softmax(attn_scores", "softmax(F.dropout(attn_scores, self.p, self.training)"),
            edit(BY_FUNCTION, "attn_weights"),
        ),
        Wrong(
            "dropout-on-context",
            edit(BY_FUNCTION, "attn_weights"),
            result("F.dropout({}, self.p, self.training)"),
        ),
        Wrong("dropout-twice", result("F.dropout({}, self.p, self.training)")),
        Wrong(
            "dropout-not-rescaled",
            edit(BY_FUNCTION, "attn_weights * (torch.rand_like(attn_weights) >= self.p * self.training)"),
        ),
        Wrong(
            "rescaled-in-eval-instead",
            edit(
                BY_FUNCTION,
                "attn_weights * ((torch.rand_like(attn_weights) >= self.p) if self.training else 1 - self.p)",
            ),
        ),
        Wrong(
            "dropout-renormalised",
            edit("return attn_weights", "return F.normalize(attn_weights, p=1, dim=-1)"),
        ),
        Wrong("p-as-share-kept", edit("self.p, ", "1 - self.p, ")),
        Wrong("dropout-typed-in", edit("self.p, ", "")),
        Wrong(
            "dropout-averaged",
            edit(
                BY_FUNCTION,
                "torch.stack([F.dropout(attn_weights, self.p) for _ in range(1 if self.training else 100)]).mean(0)",
            ),
        ),
    ),
    right=(
        Right(
            "layer",
            edit("self.p = dropout", "self.dropout = nn.Dropout(dropout)"),
            edit(BY_FUNCTION, "self.dropout(attn_weights)"),
        ),
        Right("if", edit(BY_FUNCTION, "F.dropout(attn_weights, self.p) if self.training else attn_weights")),
        Right(
            "by-hand",
            edit(
                f"attn_weights = {BY_FUNCTION}",
                "if self.training:\n            kept = torch.rand_like(attn_weights) >= self.p\n"
                "            attn_weights = torch.where(kept, attn_weights / (1 - self.p), 0.0)",
            ),
        ),
        Right(
            "fused-kernel",
            body(
                "forward",
                """
                share = self.p if self.training else 0.0
                return F.scaled_dot_product_attention(self.W_query(x), self.W_key(x), self.W_value(x), dropout_p=share)
                """,
            ),
        ),
    ),
)

LESSON = Lesson(
    title="04 · Dropout, batches and a causal attention class",
    given_axes={"inputs": ("tokens", "d_in"), "kept": ("tokens as query", "tokens as key")},
    redraw=redraw,
    tasks=(
        APPLY_DROPOUT,
        DROPOUT_BY_HAND,
        BATCHED_SCORES,
        CAUSAL_ATTENTION,
        BUG_SEED_ORDER,
        BUG_MASK_DEVICE,
        BUG_EVAL_DROPOUT,
    ),
)
