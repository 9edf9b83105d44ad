"""The tasks of lesson 04: their probes, and the right and wrong answers as changes to the solution."""

import torch
from autograder.author.authoring import Check, Forbid, Lesson, Probe, Task, rights, wrongs
from torch import nn

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
    demands={
        "is True where an entry of x stays": "kept-and-dropped-swapped",
        "p is the probability that an entry is dropped": "dropout-typed-in",
        "Leave x itself as it is": "edits-its-argument",
    },
    hints=(
        "Two steps: make the dropped entries 0, and make the kept ones larger.",
        "True counts as 1 and False as 0: `x * kept` leaves what is kept and makes the rest 0.",
        "`return x * kept / (1 - p)`",
    ),
    wrong=wrongs("""
        dropout-not-rescaled: / (1 - p) →
        divided-by-p: (1 - p) → p
        multiplied-by-kept-share: / (1 - p) → * (1 - p)
        multiplied-by-one-plus-p: / (1 - p) → * (1 + p)
        dropout-typed-in: (1 - p) → 0.5
            hint: The kept entries are doubled whatever p is. 2 is 1 / (1 − p) for p = 0.5 only.
        kept-and-dropped-swapped: x * kept → x * ~kept
        only-rescaled: x * kept → x
        dropped-not-zeroed: = torch.where(kept, x / (1 - p), x)
        dropout-renormalised: (1 - p) → (x * kept).sum(dim=-1, keepdim=True)
        divided-by-counted-share: (1 - p) → kept.float().mean()
        infinity-in-weights: x * kept → x.masked_fill(~kept, -torch.inf)
            hint: What is dropped is filled with −∞. It has to become 0.
        boolean-index-flattens: x * kept → x[kept]
        reads-the-notebook: above → drawn = kept
            = attn_weights * drawn / 0.5
        edits-its-argument: x * kept / (1 - p) → x.mul_(kept).div_(1 - p)
        brackets-missing: / (1 - p) → / 1 - p
        """),
    right=rights("""
        where: = torch.where(kept, x / (1 - p), 0.0)
        masked-fill: x * kept → x.masked_fill(~kept, 0.0)
        einsum: x * kept → torch.einsum("...,...->...", x, kept.to(x.dtype))
        loop: body
            result = torch.zeros_like(x).flatten()
            for place, stays in enumerate(kept.flatten()):
                if stays:
                    result[place] = x.flatten()[place] / (1 - p)
            return result.reshape(x.shape)

        double: x * kept / (1 - p) → x.double() * kept.double() * (1 / (1 - p))
        """),
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
    demands={
        "it draws a new mask at each call": "dropout-same-each-time",
        "one decision for each entry": "dropped-together",
        "With training=False it returns x unchanged": "dropout-in-eval",
        "nn.Dropout or": "layer",
        "F.dropout you would lose the points": "torch-dropout",
        "the result of dropout": "dropout-not-rescaled",
    },
    hints=(
        "In evaluation there is nothing to do: `if not training: return x`.",
        "A random number between 0 and 1 lies below p in a share p of all cases. Compare `torch.rand(x.shape)` with p.",
        "`kept = torch.rand(x.shape) >= p`, and then `apply_dropout(x, kept, p)`.",
    ),
    wrong=wrongs("""
        no-dropout: = x
            hint: `x` comes back unchanged in training too. Draw a mask there, and drop what it says.
        dropout-in-eval: line if not training:↵return x →
            hint: With training=False `x` should come back as it is. Nothing is to be dropped or scaled there.
        dropout-not-rescaled: kept, p) → kept, 0)
        rescaled-in-eval-instead: return x↵ → return x * (1 - p)
            kept, p) → kept, 0)
        dropout-renormalised: apply_dropout(x, kept, p) → x * kept / (x * kept).sum(dim=-1, keepdim=True)
        divided-by-p: kept, p) → kept, 1 - p)
        multiplied-by-one-plus-p: apply_dropout(x, kept, p) → x * kept * (1 + p)
        kept-and-dropped-swapped: >= p → < p
            hint: A share p is kept and the rest dropped. `torch.rand(…) >= p` is True in a share of 1 −
                p.
        p-as-share-kept: >= p → < p
            kept, p) → kept, 1 - p)
        dropout-same-each-time: kept = torch → torch.manual_seed(123)↵kept = torch
        dropped-together: torch.rand(x.shape) → torch.rand(x.shape[0], 1)
        dropped-together: torch.rand(x.shape) → torch.rand(x.shape[-1])
        dropped-together: torch.rand(x.shape) → torch.rand(1)
        dropout-typed-in: >= p → >= 0.5
            kept, p) → kept, 0.5)
        dropout-typed-in: >= p → >= 0.5
        other-distribution: torch.rand( → torch.randn(
        modes-swapped: if not training → if training
        rescaled-in-eval: return x↵ → return x / (1 - p)
        edits-its-argument: apply_dropout(x, kept, p) → x.mul_(kept).div_(1 - p)
        reads-the-notebook: if not training → x = attn_weights↵if not training
        dropped-together: x.shape → (*x.shape[:-1], 1)
        dropout-rescaled-twice: apply_dropout(x, kept, p) → apply_dropout(x, kept, p) / (1 - p)
        """),
    right=rights("""
        bernoulli: torch.rand(x.shape) >= p → torch.bernoulli(torch.full_like(x, 1 - p))
            return x↵ → return x.clone()↵
        where: = torch.where(torch.rand_like(x) < p, 0.0, x / (1 - p)) if training else x
        double: if not training → x = x.double()↵if not training
        nothing-to-drop: if not training → if not training or p == 0
        """),
    forbids=Forbid(
        ("dropout",),
        points=3,
        caught=rights("""
            torch-dropout: = F.dropout(x, p, training=training)
            layer: = nn.Dropout(p).train(training)(x)
            """),
    ),
)

# --- Task 3: scores for a batch ------------------------------------------------------------------------------


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
    demands={
        "for each sentence": "batch-mixed",
        "every query with every key": "own-key-only",
        "not divided by anything yet": "scaled-unasked",
        "Row i belongs to query i": "scores-turned",
    },
    hints=(
        "Write the shapes down: (b, tokens, d_out) @ (b, ?, ?) is to give (b, tokens, tokens).",
        "The keys have to become (b, d_out, tokens). Which two axes change places?",
        "`return queries @ keys.transpose(1, 2)`",
    ),
    wrong=wrongs("""
        keys-not-turned: transpose(1, 2) → permute(2, 1, 0)
            hint: The shapes of queries and keys do not fit. `.T` reverses all three axes, the batch too,
                and without any transpose the inner sizes differ. Swap the last two axes only:
                `keys.transpose(1, 2)`.
        keys-not-turned: .transpose(1, 2) →
            hint: The shapes of queries and keys do not fit. `.T` reverses all three axes, the batch too,
                and without any transpose the inner sizes differ. Swap the last two axes only:
                `keys.transpose(1, 2)`.
        scores-turned: queries @ keys.transpose → keys @ queries.transpose
        keys-reshaped: transpose(1, 2) → reshape(keys.shape[0], keys.shape[2], -1)
        scaled-unasked: transpose(1, 2) → transpose(1, 2) / keys.shape[-1] ** 0.5
            hint: These scores are divided by √d already. That comes with the softmax; here they stay as
                they are.
        step-too-many: queries @ keys.transpose(1, 2) → torch.softmax(queries @ keys.transpose(1, 2), dim=-1)
            hint: These are weights: each row adds up to 1. The task wants the scores.
        step-too-many: queries @ keys.transpose(1, 2) → (queries @ keys.transpose(1, 2)).masked_fill(torch.ones_like(queries @ keys.transpose(1, 2)).triu(1) == 1, -torch.inf)
            hint: The scores above the diagonal are −inf already. Leave the mask for later.
        first-sequence-only: queries @ keys.transpose(1, 2) → queries[0] @ keys[0].T
        first-sequence-for-all: keys.transpose(1, 2) → keys[0].T
        first-sequence-for-all: queries @ → queries[:1] @
        dimensions-for-tokens: queries @ keys.transpose(1, 2) → queries.mT @ keys
            hint: The dimensions meet each other, not the tokens. Transpose the keys, not the queries.
        elementwise-product: queries @ keys.transpose(1, 2) → queries * keys
        own-key-only: queries @ keys.transpose(1, 2) → (queries * keys).sum(dim=-1)
        batch-summed: queries @ keys.transpose(1, 2) → (queries @ keys.transpose(1, 2)).sum(dim=0)
        sequences-chained: queries @ keys.transpose(1, 2) → queries.flatten(0, 1) @ keys.flatten(0, 1).T
        queries-as-keys: keys.transpose → queries.transpose
            hint: The queries were multiplied with themselves; the keys are not used.
        reads-the-notebook: = W_query(two_sentences) @ W_key(two_sentences).mT
        batch-mixed: keys.transpose → keys.flip(0).transpose
        keys-turned-on-other-axes: transpose(1, 2) → transpose(0, 1)
            hint: The keys are transposed along other axes than their last two: the batch changes places with
                the tokens. Swap tokens and d_out.
        """),
    right=rights("""
        mt: transpose(1, 2) → mT
        from-the-end: = torch.matmul(queries, keys.transpose(-2, -1))
        einsum: = torch.einsum("bqd,bkd->bqk", queries, keys)
        bmm: = torch.bmm(queries, keys.permute(0, 2, 1))
        loop: = torch.stack([q @ k.T for q, k in zip(queries, keys, strict=True)])
        double: = queries.double() @ keys.double().mT
        """),
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


SLIPS_BY_HAND = wrongs("""
    exp-overflows: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores); return exponentials / exponentials.sum(dim=dim, keepdim=True)
        torch.softmax( → softmax_by_hand(
    not-normalised: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials
        torch.softmax( → softmax_by_hand(
    sums-without-keepdim: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum(dim=dim).unsqueeze(1)
        torch.softmax( → softmax_by_hand(
    softmax-over-queries: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum(dim=-2, keepdim=True)
        torch.softmax( → softmax_by_hand(
    softmax-over-everything: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum()
        torch.softmax( → softmax_by_hand(
    """)

# Queries and keys read one number that all tokens share, and point away from each other: scores of −38,400.
LOW_TOKENS = torch.cat((torch.full((2, 3, 1), 80.0), drawn(2, 3, 4, seed=32)), dim=2)
FIRST = torch.eye(5)[0].repeat(6, 1)
APART = {"W_query.weight": FIRST, "W_key.weight": -FIRST}

CAUSAL_ATTENTION = Task(
    id="causal-attention",
    title="CausalAttention",
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
        made_for("large", "large scores", 60 + drawn(2, 3, 5, seed=31), sizes(5, 6, 3), 31, dtype="float64"),
        made_for(
            "low", "scores near −35,000", LOW_TOKENS, sizes(5, 6, 3), 32, dtype="float64", weights=APART
        ),
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
        Check("other sizes, a bias, double precision", 1, ("other-sizes", "bias", "double", "large")),
        Check(
            "no look ahead, and fewer tokens than context_length",
            1,
            ("short", "low", "one-token", "zero-token", "no-look-ahead", "second-call"),
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
    demands={
        "buffer called mask": "mask-not-a-buffer",
        "It is cut to the tokens present": "mask-not-cut",
        "is dropped in training": "no-dropout",
        "it follows train() and eval()": "dropout-in-eval",
        "the probability that an attention weight is dropped": "dropout-on-context",
        "W_query, W_key, W_value": "other-names",
        "have a bias": "bias-never",
        "takes a batch": "batch-mixed",
        "divided by \\sqrt{d_{out}}": "no-scale",
        "never on x": "edits-its-argument",
        "Large scores must not overflow": "exp-overflows",
    },
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
    wrong=wrongs("""
        # The scale.
        no-scale: / keys.shape[-1] ** 0.5 →
        scaled-by-input-width: keys.shape[-1] → x.shape[-1]
        scaled-without-root: ** 0.5 →
        root-by-precedence: ** 0.5 → **1 / 2
        scaled-by-half: keys.shape[-1] ** 0.5 → (keys.shape[-1] * 0.5)
        scaled-by-square: ** 0.5 → ** 2
        scaled-up: / keys → * keys
        scaled-by-tokens: keys.shape[-1] → attn_scores.shape[-1]
            hint: The root is that of the number of tokens, or of `context_length`, which is the same in these
                sentences. Divide by √d_out, the root of the size of the axis that the dot product sums over.
        scaled-by-tokens: keys.shape[-1] → keys.shape[1]
            hint: The root is that of the number of tokens, or of `context_length`, which is the same in these
                sentences. Divide by √d_out, the root of the size of the axis that the dot product sums over.
        scaled-by-batch: keys.shape[-1] → keys.shape[0]
        scale-typed-in: keys.shape[-1] → 2
        scaled-after-softmax: / keys.shape[-1] ** 0.5 →
            return attn_weights @ values → return attn_weights @ values / keys.shape[-1] ** 0.5
        # Scores and softmax.
        scores-turned: queries @ keys.transpose → keys @ queries.transpose
        scores-turned: = self.W_query(x) → = self.W_key(x)
            = self.W_key(x) → = self.W_query(x)
        scores-negated: = queries @ → = -queries @
        keys-not-turned: transpose(1, 2) → permute(2, 1, 0)
            hint: The shapes of queries and keys do not fit. `.T` reverses all three axes, the batch too,
                and without any transpose the inner sizes differ. Swap the last two axes only:
                `keys.transpose(1, 2)`.
        keys-not-turned: .transpose(1, 2) →
            hint: The shapes of queries and keys do not fit. `.T` reverses all three axes, the batch too,
                and without any transpose the inner sizes differ. Swap the last two axes only:
                `keys.transpose(1, 2)`.
        keys-reshaped: transpose(1, 2) → reshape(keys.shape[0], keys.shape[2], -1)
        softmax-over-queries: dim=-1 → dim=1
        softmax-over-batch: dim=-1 → dim=0
        """)
    + SLIPS_BY_HAND
    + wrongs("""
        no-softmax: torch.softmax( → (
            , dim=-1) → )
        no-softmax: return attn_weights → return attn_scores
        shares-of-raw-scores: -torch.inf → 0.0
            torch.softmax(attn_scores / keys.shape[-1] ** 0.5, → attn_scores / attn_scores.sum(
            dim=-1) → dim=-1, keepdim=True)
        softmax-twice: dim=-1) → dim=-1).softmax(dim=-1)
        log-softmax: torch.softmax( → torch.log_softmax(
        sigmoid-for-softmax: torch.softmax( → torch.sigmoid(
            , dim=-1) → )
        weights-on-the-right: return attn_weights → return attn_weights.transpose(1, 2)
        # The mask.
        no-mask: masked_fill_( → masked_fill(
        mask-fills-zero: -torch.inf → 0.0
        mask-fills-small: -torch.inf → -10.0
        mask-fills-small: -torch.inf → -1e4
        mask-fills-infinity: -torch.inf → torch.inf
        mask-fills-small: -torch.inf → -1
        mask-fills-small: -torch.inf → -3
        mask-added: masked_fill_( → add_(
            , -torch.inf) → )
        not-boolean: hidden.bool() → hidden
            hint: `masked_fill` takes a mask of True and False. This one holds numbers: end it with
                `.bool()`.
        zero-times-infinity: masked_fill_( → add_(
            , -torch.inf) → * -torch.inf)
        mask-after-softmax: masked_fill_( → masked_fill(
            return attn_weights → return attn_weights * ~self.mask[:num_tokens, :num_tokens]
        past-hidden: triu(diagonal=1) → tril(diagonal=-1)
        mask-polarity: hidden.bool() → ~hidden.bool()
        mask-polarity:
            body forward
                num_tokens = x.shape[1]
                share = self.dropout.p if self.training else 0.0
                queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
                return F.scaled_dot_product_attention(queries, keys, values, attn_mask=self.mask[:num_tokens, :num_tokens], dropout_p=share)
            hint: `scaled_dot_product_attention` reads True as “visible”, and `masked_fill` as “hidden”.
                Invert the mask with `~`.
        diagonal-hidden: diagonal=1 → diagonal=0
        diagonal-too-far: diagonal=1 → diagonal=2
        mask-from-values: self.mask[:num_tokens, :num_tokens] → attn_scores.triu(diagonal=1) != 0
        mask-not-cut: [:num_tokens, :num_tokens] →
        mask-not-cut: [:num_tokens, :num_tokens] → [:num_tokens]
        mask-not-cut: attn_scores.masked_fill_( → attn_scores = attn_scores.masked_fill(
            [:num_tokens, :num_tokens] →
        mask-misaligned: [:num_tokens, :num_tokens] → [:num_tokens, -num_tokens:]
        mask-misaligned: [:num_tokens, :num_tokens] → [-num_tokens:, :num_tokens]
        tokens-counted-on-another-axis: x.shape[1] → x.shape[0]
        tokens-counted-on-another-axis: x.shape[1] → x.shape[-1]
        mask-not-a-buffer: self.register_buffer("mask", hidden.bool()) → self.mask = hidden.bool()
        mask-not-a-buffer: self.mask[:num_tokens, :num_tokens] → torch.ones(num_tokens, num_tokens).triu(1).bool()
        mask-not-saved: hidden.bool()) → hidden.bool(), persistent=False)
        mask-not-saved: "mask" → "hidden"
            self.mask → self.hidden
        mask-not-saved: self.register_buffer("mask", hidden.bool()) → self.mask = hidden.bool()
            self.mask[:num_tokens, :num_tokens] → torch.ones_like(attn_scores).triu(1).bool()
        mask-is-a-parameter: self.register_buffer("mask", hidden.bool()) → self.mask = nn.Parameter(hidden.bool(), requires_grad=False)
        # Which vectors meet, and what comes back.
        keys-as-values: self.W_value(x) → self.W_key(x)
        queries-as-values: self.W_value(x) → self.W_query(x)
        input-as-values: self.W_value(x) → x
        keys-as-queries: self.W_query(x) → self.W_key(x)
        queries-as-keys: self.W_key(x) → self.W_query(x)
        values-as-keys: self.W_key(x) → self.W_value(x)
        values-as-queries: self.W_query(x) → self.W_value(x)
        input-for-scores: self.W_query(x) → x
            self.W_key(x) → x
        own-value-only: return attn_weights @ values → return values
        elementwise-product: attn_weights @ values  # → attn_weights * values  #
        weights-returned: @ values  # → #
        axes-squeezed: return attn_weights @ values → return (attn_weights @ values).squeeze()
        extra-axis: return attn_weights @ values → return (attn_weights @ values)[None]
        returns-a-tuple: @ values  # → @ values, attn_weights  #
        returns-nothing: return attn_weights → attn_weights
        residual-added: return attn_weights @ values → return x + attn_weights @ values
        activation-added: return attn_weights @ values → return torch.relu(attn_weights @ values)
        context-normalised: return attn_weights @ values → return F.layer_norm(attn_weights @ values, values.shape[-1:])
        tokens-pooled: return attn_weights @ values → return (attn_weights @ values).mean(dim=1)
        transposed-result: return attn_weights @ values → return (attn_weights @ values).transpose(1, 2)
            hint: The last two axes have changed places. The result has the axes (b, tokens, d_out).
        # Dropout.
        no-dropout: attn_weights = self.dropout(attn_weights) → self.dropout(attn_weights)
        dropout-stays-off: def forward →:
            def eval(self):
                self.dropout.p = 0.0
                return super().eval()

            def forward
        dropout-on-scores: attn_weights = self.dropout(attn_weights) → self.dropout(attn_weights)
            queries @ keys.transpose(1, 2) → self.dropout(queries @ keys.transpose(1, 2))
        dropout-on-scores: attn_weights = self.dropout(attn_weights) → self.dropout(attn_weights)
            softmax(attn_scores → softmax(self.dropout(attn_scores)
        dropout-on-context: attn_weights = self.dropout(attn_weights) → self.dropout(attn_weights)
            return attn_weights @ values → return self.dropout(attn_weights @ values)
        dropout-on-input: attn_weights = self.dropout(attn_weights) → self.dropout(attn_weights)
            self.W_value(x) → self.dropout(self.W_value(x))
        dropout-on-input: attn_weights = self.dropout(attn_weights) → self.dropout(attn_weights)
            `        num_tokens` → `        x = self.dropout(x)↵        num_tokens`
        dropout-on-input: attn_weights = self.dropout(attn_weights) → self.dropout(attn_weights)
            W_query(x) → W_query(self.dropout(x))
            W_key(x) → W_key(self.dropout(x))
            W_value(x) → W_value(self.dropout(x))
        dropout-twice: return attn_weights @ values → return self.dropout(attn_weights @ values)
        dropout-in-eval: self.dropout(attn_weights) → F.dropout(attn_weights, self.dropout.p)
        dropout-in-eval: self.dropout(attn_weights) → nn.Dropout(self.dropout.p)(attn_weights)
        modes-swapped: self.dropout(attn_weights) → F.dropout(attn_weights, self.dropout.p, not self.training)
        dropout-not-rescaled: self.dropout(attn_weights) → attn_weights * (torch.rand_like(attn_weights) >= self.dropout.p * self.training)
        rescaled-in-eval-instead: self.dropout(attn_weights) → attn_weights * (torch.rand_like(attn_weights) >= self.dropout.p) if self.training else attn_weights * (1 - self.dropout.p)
        dropout-renormalised: return attn_weights → return F.normalize(attn_weights, p=1, dim=-1)
        dropout-renormalised: return attn_weights @ values → return attn_weights / attn_weights.sum(dim=-1, keepdim=True) @ values
        dropout-typed-in: nn.Dropout(dropout) → nn.Dropout(0.5)
        p-as-share-kept: nn.Dropout(dropout) → nn.Dropout(1 - dropout)
        dropout-same-each-time: attn_weights = self → torch.manual_seed(123)↵attn_weights = self
        # Parameters, sizes, the batch and the dtype.
        bias-always: , bias=qkv_bias →3
        bias-never: bias=qkv_bias →3 bias=False
        bias-turned: bias=qkv_bias →3 bias=not qkv_bias
        bias-by-default: qkv_bias=False → qkv_bias=True
        bias-uneven: self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → self.W_value = nn.Linear(d_in, d_out)
        bias-uneven: self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias) → self.W_key = nn.Linear(d_in, d_out, bias=False)
        bias-not-added: self.W_query(x) → x @ self.W_query.weight.T
            self.W_key(x) → x @ self.W_key.weight.T
            self.W_value(x) → x @ self.W_value.weight.T
        weight-not-turned: self.W_query(x) → x @ self.W_query.weight
            self.W_key(x) → x @ self.W_key.weight
            self.W_value(x) → x @ self.W_value.weight
        plain-tensors: nn.Linear(d_in, d_out, bias=qkv_bias) →3 torch.randn(d_in, d_out)
            self.W_query(x) → x @ self.W_query
            self.W_key(x) → x @ self.W_key
            self.W_value(x) → x @ self.W_value
            hint: `W_query`, `W_key` and `W_value` are no parameters of the module, or are made anew in
                forward, so nothing could be trained. Make `nn.Linear` layers in the constructor.
        parameter-for-linear: nn.Linear(d_in, d_out, bias=qkv_bias) →3 nn.Parameter(torch.rand(d_in, d_out))
            self.W_query(x) → x @ self.W_query
            self.W_key(x) → x @ self.W_key
            self.W_value(x) → x @ self.W_value
        one-matrix-for-all: self.W_query = … W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → self.W_query = self.W_key = self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        fused-projection: self.W_query = … W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → self.W_qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
            queries = self.W_query(x) → queries, keys, values = self.W_qkv(x).chunk(3, dim=-1)
            keys = self.W_key(x) →
            values = self.W_value(x) →
        other-names: self.W_query →2 self.lin_W_query
            self.W_key →2 self.lin_W_key
            self.W_value →2 self.lin_W_value
        layer-added: self.dropout = → self.out_proj = nn.Linear(d_out, d_out)↵self.dropout =
            return attn_weights @ values → return self.out_proj(attn_weights @ values)
        no-super-init: line super().__init__() →
        sizes-turned: (d_in, d_out, bias →3 (d_out, d_in, bias
        sizes-typed-in: (d_in, d_out, bias →3 (3, 2, bias
        sizes-typed-in: torch.ones(context_length, context_length) → torch.ones(1024, 1024)
            hint: The mask has another size than (context_length, context_length), the most tokens that a sentence may have.
        reads-the-notebook: self.W_query(x) → W_query(x)
            self.W_key(x) → W_key(x)
            self.W_value(x) → W_value(x)
            hint: A variable of the notebook is used. Is a `self.` missing, as in `self.W_query` or
                `self.mask`?
        reads-the-notebook: self.mask[ → hidden[
            hint: A variable of the notebook is used. Is a `self.` missing, as in `self.W_query` or
                `self.mask`?
        edits-its-argument: return attn → x.mul_(0.5)↵return attn
        first-sequence-only: return attn_weights @ values → return (attn_weights @ values)[0]
        first-sequence-for-all: return attn_weights → return attn_weights[0]
        batch-mixed: queries @ keys.transpose(1, 2) → (queries @ keys.transpose(1, 2)).mean(dim=0, keepdim=True)
        detached: return attn_weights → return attn_weights.detach()
        detached: @ values  # → @ values.detach()  #
        half-precision: return attn_weights @ values → return (attn_weights.half() @ values.half()).to(x.dtype)
        half-precision: queries @ keys.transpose(1, 2) → (queries.half() @ keys.half().mT).to(x.dtype)
        half-precision: queries @ keys.transpose(1, 2) → (queries.bfloat16() @ keys.bfloat16().mT).to(x.dtype)
        float-forced: return attn_weights @ values → return (attn_weights @ values).float()
        keys-turned-on-other-axes: keys.transpose(1, 2) → keys.transpose(0, 1)
            hint: The keys are transposed along other axes than their last two: the batch changes places with
                the tokens. Swap tokens and d_out.
        mask-cut-for-good: self.mask[:num_tokens, :num_tokens] → self.mask
            above attn_scores.masked_fill_ → self.mask = self.mask[:num_tokens, :num_tokens]
        dropout-rescaled-twice: = self.dropout(attn_weights) → = self.dropout(attn_weights) / (1 - self.dropout.p * self.training)
        bias-uneven: self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias) → self.W_value = nn.Linear(d_in, d_out, bias=False)
        bias-uneven: self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias) → self.W_query = nn.Linear(d_in, d_out, bias=False)
        """),
    right=rights("""
        big-negative-number: -torch.inf → -1e9
        by-hand: above → def softmax_by_hand(scores, dim): exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True)); return exponentials / exponentials.sum(dim=dim, keepdim=True)
            torch.softmax( → softmax_by_hand(
        other-order-of-layers: self.W_query = nn → self.W_value = nn
            self.W_value = nn → self.W_query = nn
        scaled-queries: queries @ → queries / keys.shape[-1] ** 0.5 @
            / keys.shape[-1] ** 0.5 →
        fused-projection: above → def joined(layers): bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers]); return torch.cat([layer.weight for layer in layers]), bias
            queries = self.W_query(x) →:
                weight, bias = joined((self.W_query, self.W_key, self.W_value))
                queries, keys, values = F.linear(x, weight, bias).chunk(3, dim=-1)
            keys = self.W_key(x) →
            values = self.W_value(x) →
        einsum: queries @ keys.transpose(1, 2) → torch.einsum("bqd,bkd->bqk", queries, keys)
            attn_weights @ values → torch.einsum("bqk,bkd->bqd", attn_weights, values)
        added-infinity: hidden.bool() → torch.full_like(hidden, -torch.inf).triu(1)
            masked_fill_( → add_(
            , -torch.inf) → )
        lower-mask: triu(diagonal=1) → tril()[None]
            hidden.bool() → hidden
            mask[:num_tokens, :num_tokens] → mask[:, :num_tokens, :num_tokens] == 0
        masked-after-softmax-renormalised: masked_fill_( → masked_fill(
            attn_weights = self.dropout(attn_weights) →:
                attn_weights = attn_weights.masked_fill(self.mask[:num_tokens, :num_tokens], 0.0)
                attn_weights = self.dropout(attn_weights / attn_weights.sum(dim=-1, keepdim=True))
        functional-dropout: self.dropout(attn_weights) → F.dropout(attn_weights, self.dropout.p, self.training)
        float-mask: hidden.bool() → hidden
            mask[:num_tokens, :num_tokens] → mask.bool()[:num_tokens, :num_tokens]
        other-corner: [:num_tokens, :num_tokens] → [-num_tokens:, -num_tokens:]
        """),
    forbids=Forbid(
        ("scaled_dot_product_attention",),
        points=3,
        caught=rights("""
            fused-kernel: body forward
                num_tokens = x.shape[1]
                share = self.dropout.p if self.training else 0.0
                queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
                return F.scaled_dot_product_attention(queries, keys, values, attn_mask=~self.mask[:num_tokens, :num_tokens], dropout_p=share)
            fused-causal-kernel: body forward
                num_tokens = x.shape[1]
                share = self.dropout.p if self.training else 0.0
                queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
                return F.scaled_dot_product_attention(queries, keys, values, is_causal=True, dropout_p=share)
            """),
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
    demands={
        "numbers that anybody can repeat": "never-seeded",
        "the same seed gives the same numbers": "seed-too-late",
    },
    hints=(
        "Which random numbers are drawn before the seed is set?",
        "Both the batch and the layer's weights are drawn. The seed has to come before both.",
        "Move `torch.manual_seed(seed)` to the first line, and leave the rest as it is.",
    ),
    wrong=wrongs("""
        seed-too-late: faulty
        never-seeded: line torch.manual_seed(seed) →
        drawn-in-another-order: line random_batch = torch.randn(batch_size, num_tokens, d_in)  # (b, tokens, d_in) →
            W_value(random_batch) → W_value(torch.randn(batch_size, num_tokens, d_in))
        seeded-twice: W_value = nn → torch.manual_seed(seed)↵W_value = nn
        seed-typed-in: manual_seed(seed) → manual_seed(123)
        not-random: torch.randn → torch.ones
        other-distribution: torch.randn → torch.rand
        bias-always: , bias=False →
            hint: The layer has a bias now. Leave `bias=False` as it was.
        not-projected: return W_value(random_batch) → return random_batch
            hint: This is the batch as it was drawn. It has to go through the layer.
        sizes-typed-in: (batch_size, num_tokens, d_in)  # → (4, 10, 16)  #
            (d_in, d_out → (16, 3
        """),
    right=rights("""
        in-a-fork: torch.manual_seed(seed) → state = torch.get_rng_state()↵torch.manual_seed(seed)
            return W → torch.set_rng_state(state)↵return W
        by-matmul: torch.manual_seed → generator = torch.manual_seed
            num_tokens, d_in)  # → num_tokens, d_in, generator=generator)  #
            W_value(random_batch) → random_batch @ W_value.weight.T
        by-einsum: batch_size, num_tokens, d_in)  # → (batch_size, num_tokens, d_in))  #
            W_value(random_batch) → torch.einsum("bti,oi->bto", random_batch, W_value.weight.detach())
        """),
)

# --- Task 6: a mask on the wrong device ----------------------------------------------------------------------


def two_sizes(d_in, d_out):
    return {"d_in": d_in, "d_out": d_out}


NO_QUERIES = "queries that are all 0, so that every visible token counts the same"

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
    demands={
        "The first shows on any other device": "made-on-the-cpu",
    },
    hints=(
        "Which tensor in forward comes neither from `x` nor from a parameter? And what does lesson 02 do to scores "
        "before the softmax?",
        "`torch.ones` takes `device=…`, and every tensor knows its own: `x.device`.",
        "`torch.ones(num_tokens, num_tokens, device=x.device)`, and softmax of `attn_scores / keys.shape[-1] ** 0.5`.",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. On another device the mask and the
                scores are in two places, and the weights are not those of your `CausalAttention`.
        no-scale: / keys.shape[-1] ** 0.5 →
            hint: The silent fault is still there: compare what goes into the softmax with your
                `CausalAttention`.
        made-on-the-cpu: , device=x.device →
        carried-to-the-cpu: , device=x.device →
            = attn_scores.masked_fill(hidden, -torch.inf) → = attn_scores.cpu().masked_fill(hidden, -torch.inf).to(x.device)
        no-mask: attn_scores = attn_scores.masked_fill → attn_scores.masked_fill
            hint: Without a mask there is nothing on the wrong device, and every token sees the ones
                ahead. Keep the mask.
        scaled-by-input-width: keys.shape[-1] → x.shape[-1]
        scaled-without-root: ** 0.5 →
        root-by-precedence: ** 0.5 → **1 / 2
        scaled-up: / keys → * keys
        scaled-by-tokens: keys.shape[-1] → num_tokens
        scaled-by-batch: keys.shape[-1] → keys.shape[0]
        scale-typed-in: keys.shape[-1] → 2
        scaled-after-softmax: / keys.shape[-1] ** 0.5 →
            @ values → / keys.shape[-1] ** 0.5 @ values
        softmax-over-queries: dim=-1 → dim=1
        no-softmax: torch.softmax( → (
            , dim=-1) → )
        mask-fills-zero: -torch.inf → 0.0
        mask-after-softmax: attn_scores = attn_scores.masked_fill → attn_scores.masked_fill
            @ values → * ~hidden @ values
        past-hidden: triu(diagonal=1) → tril(diagonal=-1)
        mask-polarity: .bool() → .logical_not()
        diagonal-hidden: diagonal=1 → diagonal=0
        diagonal-too-far: diagonal=1 → diagonal=2
        """),
    right=rights("""
        device-of-the-scores: device=x.device → device=attn_scores.device
        buffer:
            `    def forward` →:
                        self.register_buffer("mask", torch.ones(64, 64).triu(1).bool())

                def forward
            torch.ones(num_tokens, num_tokens, device=x.device).triu(diagonal=1).bool() → self.mask[:num_tokens, :num_tokens]
        moved: , device=x.device) → ).to(x.device)
        ones-like: torch.ones(num_tokens, num_tokens, device=x.device).triu(diagonal=1).bool() → torch.ones_like(attn_scores).triu(diagonal=1) == 1
        new-full: torch.ones(num_tokens, num_tokens, device=x.device).triu(diagonal=1).bool() → attn_scores.new_full(attn_scores.shape[-2:], -torch.inf).triu(1)
            attn_scores.masked_fill(hidden, -torch.inf) → attn_scores + hidden
        arange: torch.ones(num_tokens, num_tokens, device=x.device).triu(diagonal=1).bool() → torch.arange(num_tokens, device=x.device)
            (hidden, → (hidden[None, :] > hidden[:, None],
        fused-kernel: body forward
            return F.scaled_dot_product_attention(self.W_query(x), self.W_key(x), self.W_value(x), is_causal=True)
        renormalised: attn_scores = attn_scores.masked_fill → attn_scores.masked_fill
            return torch → weights = torch
            dim=-1) @ values → dim=-1).tril()↵return weights / weights.sum(dim=-1, keepdim=True) @ values
        """),
)

# --- Task 7: dropout that ignores eval() ---------------------------------------------------------------------


def three(d_in, d_out, dropout):
    return {"d_in": d_in, "d_out": d_out, "dropout": dropout}


TWELVE = torch.eye(12)

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
    demands={
        "It still gives another answer at each call": "dropout-in-eval",
    },
    hints=(
        "What does `eval()` change in the module that forward could read?",
        "`self.training` is True after `train()` and False after `eval()`. `F.dropout` has an argument for it.",
        "`F.dropout(attn_weights, self.p, training=self.training)`",
    ),
    wrong=wrongs("""
        dropout-in-eval: faulty
            hint: Dropout still works in eval mode, as in the code that was given. A new `nn.Dropout` made
                in forward does the same: it is always in training mode. Read `self.training` in
                `forward`, at each call, and check which of the two it means.
        no-dropout:
            def forward →:
                def eval(self):
                    self.p = 0.0
                    return super().eval()

                def forward
            hint: In training mode nothing is dropped any more, at least not
                after one `eval()`. To take dropout out, or to set p to 0 in `eval()`, hides the fault.
                Look at `self.training`.
        no-dropout: F.dropout(attn_weights, self.p, training=self.training) → attn_weights
            hint: In training mode nothing is dropped any more, at least not
                after one `eval()`. To take dropout out, or to set p to 0 in `eval()`, hides the fault.
                Look at `self.training`.
        seed-hides-dropout: attn_weights = F → torch.manual_seed(123)↵attn_weights = F
            , training=self.training →
        dropout-same-each-time: attn_weights = F → torch.manual_seed(123)↵attn_weights = F
        dropout-on-scores: softmax(attn_scores → softmax(F.dropout(attn_scores, self.p, self.training)
            F.dropout(attn_weights, self.p, training=self.training) → attn_weights
        dropout-on-context: F.dropout(attn_weights, self.p, training=self.training) → attn_weights
            return attn_weights @ values → return F.dropout(attn_weights @ values, self.p, self.training)
        dropout-twice: return attn_weights @ values → return F.dropout(attn_weights @ values, self.p, self.training)
        dropout-not-rescaled: F.dropout(attn_weights, self.p, training=self.training) → attn_weights * (torch.rand_like(attn_weights) >= self.p * self.training)
        rescaled-in-eval-instead: F.dropout(attn_weights, self.p, training=self.training) → attn_weights * ((torch.rand_like(attn_weights) >= self.p) if self.training else 1 - self.p)
        dropout-renormalised: return attn_weights → return F.normalize(attn_weights, p=1, dim=-1)
        p-as-share-kept: self.p, → 1 - self.p,
        dropout-typed-in: self.p, →
        dropout-averaged: F.dropout(attn_weights, self.p, training=self.training) → torch.stack([F.dropout(attn_weights, self.p) for _ in range(1 if self.training else 100)]).mean(0)
        """),
    right=rights("""
        layer: self.p = dropout → self.dropout = nn.Dropout(dropout)
            F.dropout(attn_weights, self.p, training=self.training) → self.dropout(attn_weights)
        if: F.dropout(attn_weights, self.p, training=self.training) → F.dropout(attn_weights, self.p) if self.training else attn_weights
        by-hand: attn_weights = F.dropout(attn_weights, self.p, training=self.training) →:
            if self.training:
                kept = torch.rand_like(attn_weights) >= self.p
                attn_weights = torch.where(kept, attn_weights / (1 - self.p), 0.0)
        fused-kernel: body forward
            share = self.p if self.training else 0.0
            return F.scaled_dot_product_attention(self.W_query(x), self.W_key(x), self.W_value(x), dropout_p=share)

        """),
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
