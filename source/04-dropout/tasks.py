"""The tasks of lesson 04: their probes, the wrong answers people give, and the hint each deserves."""

import torch
from torch import nn
from torch.nn import functional as F

from autograder.authoring import Check, Forbid, Lesson, Probe, Right, Task, Wrong

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
KEPT = torch.tensor(
    [
        [1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 1, 1],
        [0, 1, 1, 1, 1, 1],
        [0, 0, 1, 1, 0, 1],
        [0, 0, 0, 0, 1, 1],
        [1, 1, 0, 1, 1, 1],
    ]
).bool()
COPIES = torch.stack((SENTENCE, SENTENCE))
TWO_SENTENCES = torch.stack((SENTENCE, SENTENCE.flip(0)))


def drawn(*shape, seed):
    """Numbers around 0 that only the seed determines."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def drawn_mask(*shape, p, seed):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) >= p


def upper(count):
    """True where a key lies ahead of its query."""
    return torch.ones(count, count).triu(diagonal=1).bool()


def causal(scores):
    return torch.softmax(scores.masked_fill(upper(scores.shape[-1]), -torch.inf), dim=-1)


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


def renormalised(weights):
    return weights / weights.sum(dim=-1, keepdim=True)


# --- Task 1: dropout with a given mask -----------------------------------------------------------------------


def kept_by_loop(x, kept, p):
    result = torch.zeros_like(x).flatten()
    for place, stays in enumerate(kept.flatten()):
        if stays:
            result[place] = x.flatten()[place] / (1 - p)
    return result.reshape(x.shape)


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
        Probe(
            "other-weights",
            "other weights and another mask",
            {"x": OTHER_WEIGHTS, "kept": drawn_mask(6, 6, p=0.5, seed=3), "p": 0.5},
        ),
        Probe(
            "a-fifth",
            "a matrix of 4 by 5 with p = 0.2",
            {"x": WIDE, "kept": drawn_mask(4, 5, p=0.2, seed=4), "p": 0.2},
        ),
        Probe(
            "three-quarters",
            "a matrix with negative numbers and p = 0.75",
            {"x": drawn(7, 3, seed=5), "kept": drawn_mask(7, 3, p=0.75, seed=6), "p": 0.75},
        ),
        Probe(
            "nothing-dropped",
            "p = 0, where everything is kept",
            {"x": drawn(2, 4, seed=7), "kept": torch.ones(2, 4).bool(), "p": 0.0},
        ),
        Probe(
            "batch",
            "a batch of three sentences",
            {"x": drawn(3, 4, 5, seed=61), "kept": drawn_mask(3, 4, 5, p=0.4, seed=62), "p": 0.4},
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
        Wrong(
            "not-rescaled",
            lambda x, kept, p: x * kept,
            "The dropped entries are 0, and the kept ones are as they were. Divide them by 1 − p: otherwise all is "
            "too small on average.",
        ),
        Wrong(
            "divided-by-p",
            lambda x, kept, p: x * kept / p,
            "The kept entries are divided by p. Divide by 1 − p, the share that is kept. With p = 0.5 the two agree.",
        ),
        Wrong(
            "times-one-minus-p",
            lambda x, kept, p: x * kept * (1 - p),
            "The kept entries became smaller: they are multiplied by 1 − p. Divide by it, so that they make up for "
            "what is gone.",
        ),
        Wrong(
            "always-doubled",
            lambda x, kept, p: x * kept * 2,
            "The kept entries are doubled whatever p is. 2 is 1 / (1 − p) for p = 0.5 only.",
        ),
        Wrong(
            "mask-turned-round",
            lambda x, kept, p: x * ~kept / (1 - p),
            "The entries that should stay are gone, and the others are there: `kept` is True where an entry stays.",
        ),
        Wrong(
            "nothing-dropped",
            lambda x, kept, p: x / (1 - p),
            "Everything is divided by 1 − p and nothing is 0: `kept` is not used.",
        ),
        Wrong(
            "dropped-left-as-they-were",
            lambda x, kept, p: torch.where(kept, x / (1 - p), x),
            "The kept entries are right. The dropped ones still hold their numbers; they become 0.",
        ),
        Wrong(
            "rows-renormalised",
            lambda x, kept, p: renormalised(x * kept),
            "Each row was divided by what is left of it, so that it adds up to 1, or is nan where nothing is left. "
            "Divide everything by the same number, 1 − p.",
        ),
        Wrong(
            "divided-by-counted-share",
            lambda x, kept, p: x * kept / kept.float().mean(),
            "You divide by the share that this one mask happens to keep. Divide by 1 − p, the share kept on average.",
        ),
        Wrong(
            "minus-infinity",
            lambda x, kept, p: torch.where(kept, x / (1 - p), -torch.inf),
            "Dropped entries are −inf here. That is for scores before softmax; after it, a dropped entry is 0.",
        ),
        Wrong(
            "picked-out",
            lambda x, kept, p: x[kept] / (1 - p),
            "`x[kept]` picks the kept entries out into one long vector. The shape has to stay: multiply, or use "
            "`torch.where`.",
        ),
        Wrong(
            "reads-the-notebook",
            lambda x, kept, p: WEIGHTS * KEPT / 0.5,
            "This is the matrix of the figure whatever the function is called with. Use the arguments `x`, `kept` "
            "and `p`.",
        ),
        Wrong(
            "edited-in-place",
            lambda x, kept, p: x.mul_(kept).div_(1 - p),
            "The numbers are right, but the caller's `x` was overwritten: `*=`, `x[…] = …` and methods that end in "
            "`_` work in place. Give the result a name of its own.",
        ),
    ),
    right=(
        Right("where", lambda x, kept, p: torch.where(kept, x / (1 - p), 0.0)),
        Right("masked-fill", lambda x, kept, p: x.masked_fill(~kept, 0.0) / (1 - p)),
        Right("einsum", lambda x, kept, p: torch.einsum("...,...->...", x, kept.to(x.dtype)) / (1 - p)),
        Right("loop", kept_by_loop),
        Right("double", lambda x, kept, p: x.double() * kept.double() * (1 / (1 - p))),
    ),
)

# --- Task 2: the causal weights of the sentence --------------------------------------------------------------

DROPPED_WEIGHTS = Task(
    id="dropped-weights",
    title="Dropout on the causal weights",
    name="dropped_weights",
    kind="tensor",
    signature="dropped_weights",
    axes=("tokens as query", "tokens as key"),
    needs=("apply-dropout",),
    checks=(Check("the causal weights after dropout", 1),),
    learned="Kept weights are doubled at p = 0.5, dropped ones are 0, and what lies ahead stays 0. Rows no longer add "
    "up to 1.",
    hints=(
        "Your function from task 1 does it.",
        "Which three things does `apply_dropout` need?",
        "`dropped_weights = apply_dropout(attn_weights, kept, 0.5)`",
    ),
    wrong=(
        Wrong(
            "not-rescaled",
            lambda attn_weights, kept: attn_weights * kept,
            "The kept weights are as they were. With p = 0.5 they are divided by 0.5, so they double.",
        ),
        Wrong(
            "unmasked",
            lambda unmasked_weights, kept: unmasked_weights * kept * 2,
            "These are the weights without the causal mask: there are numbers above the diagonal. Use `attn_weights`.",
        ),
        Wrong(
            "mask-turned-round",
            lambda attn_weights, kept: attn_weights * ~kept * 2,
            "The weights that should stay are gone: `kept` is True where a weight stays.",
        ),
        Wrong(
            "nothing-dropped",
            lambda attn_weights: attn_weights * 2,
            "All weights are doubled and none is dropped: `kept` is not used.",
        ),
        Wrong(
            "renormalised",
            lambda attn_weights, kept: renormalised(attn_weights * kept),
            "Each row was divided by what is left of it. Dropout divides everything by 1 − p; a row need not add up "
            "to 1 afterwards.",
        ),
        Wrong(
            "rescaled-then-renormalised",
            lambda attn_weights, kept: (
                (attn_weights * kept * 2).nan_to_num()
                / (attn_weights * kept * 2).sum(dim=-1, keepdim=True).clamp(min=1e-9)
            ),
            "The rows were made to add up to 1 again. Leave them as dropout makes them: what counts is the average "
            "over many draws.",
        ),
        Wrong(
            "scores-dropped",
            lambda attn_scores, kept: attn_scores * kept * 2,
            "These are scores. Dropout goes onto the weights, after softmax.",
        ),
        Wrong(
            "dropped-before-softmax",
            lambda masked_scores, kept: torch.softmax(
                torch.where(kept, masked_scores * 2, 0.0) / 2**0.5, dim=-1
            ),
            "Dropout came before the softmax, which makes a weight out of every score of 0. Apply it to the weights.",
        ),
        Wrong(
            "halved",
            lambda attn_weights, kept: attn_weights * kept * 0.5,
            "The kept weights were multiplied by 0.5. Divide by it.",
        ),
        Wrong(
            "counted-share",
            lambda attn_weights, kept: attn_weights * kept / kept.float().mean(),
            "You divided by the share that this mask happens to keep. Divide by 1 − p = 0.5.",
        ),
        Wrong(
            "untouched",
            lambda attn_weights: attn_weights,
            "These are the weights before dropout.",
        ),
    ),
    right=(
        Right("by-hand", lambda attn_weights, kept: attn_weights * kept / 0.5),
        Right("where", lambda attn_weights, kept: torch.where(kept, 2 * attn_weights, 0.0)),
        Right("masked-fill", lambda attn_weights, kept: attn_weights.masked_fill(~kept, 0) * 2),
        Right("double", lambda attn_weights, kept: attn_weights.double() * kept / 0.5),
    ),
)

# --- Task 3: dropout that draws its own mask -----------------------------------------------------------------


def hand_dropout(x, p, training=True):
    if not training:
        return x
    return x * (torch.rand(x.shape) >= p) / (1 - p)


def deaf_dropout(x, p, training=True):
    return hand_dropout(x, p)


def plain_dropout(x, p, training=True):
    return x * (torch.rand(x.shape) >= p) if training else x


def first_papers_dropout(x, p, training=True):
    return x * (torch.rand(x.shape) >= p) if training else x * (1 - p)


def renormalising_dropout(x, p, training=True):
    return renormalised(x * (torch.rand(x.shape) >= p)) if training else x


def divided_by_p_dropout(x, p, training=True):
    return x * (torch.rand(x.shape) >= p) / p if training else x


def keeps_p_dropout(x, p, training=True):
    return x * (torch.rand(x.shape) < p) / (1 - p) if training else x


def keep_probability_dropout(x, p, training=True):
    return x * (torch.rand(x.shape) < p) / p if training else x


def one_mask_dropout(x, p, training=True):
    torch.manual_seed(123)
    return hand_dropout(x, p, training)


def row_dropout(x, p, training=True):
    return x * (torch.rand(x.shape[0], 1) >= p) / (1 - p) if training else x


def column_dropout(x, p, training=True):
    return x * (torch.rand(x.shape[-1]) >= p) / (1 - p) if training else x


def all_or_nothing_dropout(x, p, training=True):
    return x * (torch.rand(1) >= p) / (1 - p) if training else x


def half_dropout(x, p, training=True):
    return hand_dropout(x, 0.5, training)


def normal_dropout(x, p, training=True):
    return x * (torch.randn(x.shape) >= p) / (1 - p) if training else x


def flipped_dropout(x, p, training=True):
    return hand_dropout(x, p, not training)


def rescaled_in_evaluation(x, p, training=True):
    return hand_dropout(x, p) if training else x / (1 - p)


def in_place_dropout(x, p, training=True):
    return x.mul_(torch.rand(x.shape) >= p).div_(1 - p) if training else x


def notebook_dropout(x, p, training=True):
    return hand_dropout(WEIGHTS, p, training)


EVERY_ENTRY = torch.full((3, 7), 0.25)
TALL = drawn(400, 3, seed=8) + 3

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
        Probe(
            "a-fifth",
            "many calls with p = 0.2",
            {"x": WIDE, "p": 0.2, "training": True},
            observe="dropout",
            settings={"p": 0.2, "input": "x"},
        ),
        Probe(
            "entry-by-entry",
            "a matrix whose columns are all alike, p = 0.7",
            {"x": EVERY_ENTRY, "p": 0.7},
            observe="dropout",
            settings={"p": 0.7, "input": "x", "copies": 7},
        ),
        Probe(
            "many-rows",
            "a matrix of 400 rows with p = 0.25",
            {"x": TALL, "p": 0.25},
            observe="dropout",
            settings={"p": 0.25, "input": "x"},
        ),
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
        Probe(
            "training-by-name",
            "many calls with training=True",
            {"x": WIDE, "p": 0.35, "training": True},
            keywords=("training",),
            observe="dropout",
            settings={"p": 0.35, "input": "x"},
        ),
        Probe(
            "batch",
            "a batch of three sentences",
            {"x": drawn(3, 4, 5, seed=53) + 3, "p": 0.3},
            observe="dropout",
            settings={"p": 0.3, "input": "x"},
        ),
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
    learned="Each entry is decided on its own, anew at each call, and kept with probability 1 − p. In evaluation "
    "nothing happens, because the average was right all along.",
    hints=(
        "In evaluation there is nothing to do: `if not training: return x`.",
        "A random number between 0 and 1 lies below p in a share p of all cases. Compare `torch.rand(x.shape)` with p.",
        "`kept = torch.rand(x.shape) >= p`, and then `apply_dropout(x, kept, p)`.",
    ),
    wrong=(
        Wrong(
            "never-drops",
            lambda x, p, training=True: x,
            "`x` comes back unchanged in training too. Draw a mask there, and drop what it says.",
        ),
        Wrong(
            "ignores-training",
            deaf_dropout,
            "It drops with training=False as well. A model in use would give another answer at each call.",
        ),
        Wrong(
            "not-rescaled",
            plain_dropout,
            "The kept entries are as they were. Divide them by 1 − p, so that the average stays.",
        ),
        Wrong(
            "rescaled-in-use-instead",
            first_papers_dropout,
            "You make up for the dropped entries in evaluation, as the first papers on dropout did. Here training does "
            "it: divide by 1 − p there, and return `x` as it is in evaluation.",
        ),
        Wrong(
            "rows-renormalised",
            renormalising_dropout,
            "What is kept was divided by its row's sum. Divide by 1 − p, the same number everywhere: an empty row "
            "would be 0/0.",
        ),
        Wrong(
            "divided-by-p",
            divided_by_p_dropout,
            "The right share is dropped, but the kept entries are divided by p. Divide by 1 − p.",
        ),
        Wrong(
            "keeps-share-p",
            keeps_p_dropout,
            "A share p is kept and the rest dropped: it is the other way round. `torch.rand(…) >= p` is True in a "
            "share of 1 − p.",
        ),
        Wrong(
            "p-as-share-kept",
            keep_probability_dropout,
            "You read p as the share that is kept. Here, as in PyTorch, p is the share that is dropped.",
        ),
        Wrong(
            "same-mask-each-time",
            one_mask_dropout,
            "Each call drops the same entries. Draw a new mask in every call, and set no seed in the function: that is "
            "for the caller.",
        ),
        Wrong(
            "whole-rows",
            row_dropout,
            "Whole rows are dropped together. Draw one number for each entry: `torch.rand(x.shape)`.",
        ),
        Wrong(
            "whole-columns",
            column_dropout,
            "Whole columns are dropped together. Draw one number for each entry: `torch.rand(x.shape)`.",
        ),
        Wrong(
            "all-or-nothing",
            all_or_nothing_dropout,
            "One random number decides about the whole of `x`. Draw one for each entry: `torch.rand(x.shape)`.",
        ),
        Wrong(
            "always-half",
            half_dropout,
            "Half of the entries are dropped whatever p is. Compare the random numbers with `p`.",
        ),
        Wrong(
            "normal-numbers",
            normal_dropout,
            "`torch.randn` draws from a bell curve around 0. For a share you need `torch.rand`, evenly from 0 to 1.",
        ),
        Wrong(
            "modes-swapped",
            flipped_dropout,
            "It drops in evaluation and not in training: the two are swapped.",
        ),
        Wrong(
            "rescaled-in-evaluation",
            rescaled_in_evaluation,
            "In evaluation `x` was divided by 1 − p. Nothing is dropped there, so there is nothing to make up for.",
        ),
        Wrong(
            "edited-in-place",
            in_place_dropout,
            "The caller's `x` was overwritten: each call drops more of it. `*=` and methods that end in `_` work in "
            "place; give the result a name of its own.",
        ),
        Wrong(
            "reads-the-notebook",
            notebook_dropout,
            "This drops entries of the notebook's `attn_weights` whatever the function is called with. Use `x`.",
        ),
    ),
    right=(
        Right(
            "bernoulli",
            lambda x, p, training=True: (
                x * torch.bernoulli(torch.full_like(x, 1 - p)) / (1 - p) if training else x.clone()
            ),
        ),
        Right(
            "where",
            lambda x, p, training=True: (
                torch.where(torch.rand_like(x) < p, 0.0, x / (1 - p)) if training else x
            ),
        ),
        Right("double", lambda x, p, training=True: hand_dropout(x.double(), p, training)),
    ),
    forbids=Forbid(
        ("dropout",),
        points=3,
        caught=(
            Right("torch-dropout", lambda x, p, training=True: F.dropout(x, p, training=training)),
            Right("layer", lambda x, p, training=True: nn.Dropout(p).train(training)(x)),
        ),
    ),
)

# --- Task 4: scores for a batch ------------------------------------------------------------------------------

BATCHED_SCORES = Task(
    id="batched-scores",
    title="Scores for a batch",
    name="batched_scores",
    kind="function",
    signature="batched_scores(queries, keys)",
    axes=("b", "tokens as query", "tokens as key"),
    input_axes={"queries": ("b", "tokens", "d_out"), "keys": ("b", "tokens", "d_out")},
    probes=(
        Probe("two-sentences", "the two sentences", {"queries": QUERIES, "keys": KEYS}),
        Probe(
            "two-others",
            "two other sentences",
            {"queries": drawn(2, 6, 2, seed=10), "keys": drawn(2, 6, 2, seed=11)},
        ),
        Probe(
            "three-sentences",
            "three sentences of five tokens",
            {"queries": drawn(3, 5, 4, seed=12), "keys": drawn(3, 5, 4, seed=13)},
        ),
        Probe(
            "one-sentence",
            "a batch of one sentence",
            {"queries": drawn(1, 4, 7, seed=14), "keys": drawn(1, 4, 7, seed=15)},
        ),
        Probe(
            "apart",
            "three sentences, each changed in turn",
            {"queries": drawn(3, 5, 4, seed=16), "keys": drawn(3, 5, 4, seed=17)},
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
        Wrong(
            "dot-t",
            lambda queries, keys: queries @ keys.permute(2, 1, 0),
            "The shapes do not meet. `.T` reverses all three axes, the batch too, and without any transpose the inner "
            "sizes differ. Swap the last two axes only: `keys.transpose(1, 2)`.",
        ),
        Wrong(
            "queries-and-keys-swapped",
            lambda queries, keys: keys @ queries.transpose(1, 2),
            "Rows belong to keys here and columns to queries: the scores are transposed. The queries stand on the left.",
        ),
        Wrong(
            "reshaped",
            lambda queries, keys: queries @ keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1]),
            "`view` and `reshape` give the right shape with the numbers in the wrong places: they cut the same row of "
            "numbers into other pieces. Swapping axes is `transpose`.",
        ),
        Wrong(
            "scaled",
            lambda queries, keys: queries @ keys.mT / keys.shape[-1] ** 0.5,
            "These scores are divided by √d already. That comes with the softmax; here they stay as they are.",
        ),
        Wrong(
            "already-softmax",
            lambda queries, keys: torch.softmax(queries @ keys.mT, dim=-1),
            "These are weights: each row adds up to 1. The task wants the scores.",
        ),
        Wrong(
            "already-masked",
            lambda queries, keys: (queries @ keys.mT).masked_fill(upper(keys.shape[1]), -torch.inf),
            "The scores above the diagonal are −inf already. Leave the mask for later.",
        ),
        Wrong(
            "first-sentence-only",
            lambda queries, keys: queries[0] @ keys[0].T,
            "These are the scores of the first sentence. The batch axis has to stay.",
        ),
        Wrong(
            "keys-of-the-first-sentence",
            lambda queries, keys: queries @ keys[0].T,
            "Every sentence is scored with the keys of the first one. With two equal sentences that goes unnoticed.",
        ),
        Wrong(
            "products-not-added",
            lambda queries, keys: queries * keys,
            "`*` multiplies number by number. A score is a dot product of a query with a key: use `@`.",
        ),
        Wrong(
            "own-key-only",
            lambda queries, keys: (queries * keys).sum(dim=-1),
            "Each query was multiplied with the key in its own place only. It has to meet every key of its sentence.",
        ),
        Wrong(
            "summed-over-the-batch",
            lambda queries, keys: torch.einsum("bqd,bkd->qk", queries, keys),
            "The scores of all sentences were added up: the batch axis is gone. Keep it in the result.",
        ),
        Wrong(
            "sentences-chained",
            lambda queries, keys: queries.flatten(0, 1) @ keys.flatten(0, 1).T,
            "All sentences were laid end to end, so that tokens of one look at tokens of another.",
        ),
        Wrong(
            "queries-twice",
            lambda queries, keys: queries @ queries.transpose(1, 2),
            "The queries were multiplied with themselves; the keys are not used.",
        ),
        Wrong(
            "reads-the-notebook",
            lambda queries, keys: QUERIES @ KEYS.mT,
            "These are the scores of the notebook's two sentences whatever the function is called with.",
        ),
        Wrong(
            "sentences-crossed",
            lambda queries, keys: queries @ keys.flip(0).transpose(1, 2),
            "Each sentence is scored with the keys of another one.",
        ),
    ),
    right=(
        Right("mt", lambda queries, keys: queries @ keys.mT),
        Right("from-the-end", lambda queries, keys: torch.matmul(queries, keys.transpose(-2, -1))),
        Right("einsum", lambda queries, keys: torch.einsum("bqd,bkd->bqk", queries, keys)),
        Right("bmm", lambda queries, keys: torch.bmm(queries, keys.permute(0, 2, 1))),
        Right(
            "loop", lambda queries, keys: torch.stack([q @ k.T for q, k in zip(queries, keys, strict=True)])
        ),
        Right("double", lambda queries, keys: queries.double() @ keys.double().mT),
    ),
)

# --- Task 5: CausalAttention ---------------------------------------------------------------------------------


class Attention(nn.Module):
    """Attention in steps, each of which a stand-in answer below does in its own way."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_in, self.d_out, self.p = d_in, d_out, dropout
        self.make_layers(d_in, d_out, qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.make_mask(context_length)

    def make_layers(self, d_in, d_out, qkv_bias):
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def make_mask(self, context_length):
        self.register_buffer("mask", upper(context_length))

    def forward(self, x):
        queries, keys, values = self.project(x)
        scores = self.hide(self.score(queries, keys))
        weights = self.drop(self.weigh(scores))
        return self.mix(weights, values, keys, x)

    def project(self, x):
        return self.W_query(x), self.W_key(x), self.W_value(x)

    def score(self, queries, keys):
        return queries @ keys.mT

    def future(self, scores):
        count = scores.shape[-1]
        return self.mask[:count, :count]

    def hide(self, scores):
        return scores.masked_fill(self.future(scores), -torch.inf)

    def weigh(self, scores):
        return torch.softmax(scores / self.d_out**0.5, dim=-1)

    def drop(self, weights):
        return self.dropout(weights)

    def mix(self, weights, values, keys, x):
        return weights @ values


class SoftmaxOverQueries(Attention):
    def weigh(self, scores):
        return torch.softmax(scores / self.d_out**0.5, dim=1)


class NotScaled(Attention):
    def weigh(self, scores):
        return torch.softmax(scores, dim=-1)


class ScaledByInput(Attention):
    def weigh(self, scores):
        return torch.softmax(scores / self.d_in**0.5, dim=-1)


class ScaledWithoutRoot(Attention):
    def weigh(self, scores):
        return torch.softmax(scores / self.d_out, dim=-1)


class MultipliedByRoot(Attention):
    def weigh(self, scores):
        return torch.softmax(scores * self.d_out**0.5, dim=-1)


class ScaledByTokens(Attention):
    def weigh(self, scores):
        return torch.softmax(scores / scores.shape[-1] ** 0.5, dim=-1)


class ScaledByBatch(Attention):
    def weigh(self, scores):
        return torch.softmax(scores / scores.shape[0] ** 0.5, dim=-1)


class ScaledAfterSoftmax(Attention):
    def weigh(self, scores):
        return torch.softmax(scores, dim=-1) / self.d_out**0.5


class ScoresTransposed(Attention):
    def score(self, queries, keys):
        return keys @ queries.mT


class AllAxesReversed(Attention):
    def score(self, queries, keys):
        return queries @ keys.permute(2, 1, 0)


class KeysReshaped(Attention):
    def score(self, queries, keys):
        return queries @ keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1])


class MaskedWithZero(Attention):
    def hide(self, scores):
        return scores.masked_fill(self.future(scores), 0.0)


class ZeroedAfterSoftmax(Attention):
    def hide(self, scores):
        return scores

    def drop(self, weights):
        return self.dropout(weights.masked_fill(self.future(weights), 0.0))


class OnesAdded(Attention):
    def hide(self, scores):
        return scores + self.future(scores)


class PastHidden(Attention):
    def future(self, scores):
        return super().future(scores).mT


class DiagonalHidden(Attention):
    def make_mask(self, context_length):
        self.register_buffer("mask", torch.ones(context_length, context_length).triu().bool())


class ZeroTimesInfinity(Attention):
    def make_mask(self, context_length):
        self.register_buffer("mask", upper(context_length).float())

    def hide(self, scores):
        return scores + self.future(scores) * -torch.inf


class NoMask(Attention):
    def hide(self, scores):
        scores.masked_fill(self.future(scores), -torch.inf)
        return scores


class MaskReadFromScores(Attention):
    def future(self, scores):
        return torch.triu(scores, diagonal=1) != 0


class PlainMask(Attention):
    def make_mask(self, context_length):
        self.mask = upper(context_length)


class MaskNotSaved(Attention):
    def make_mask(self, context_length):
        self.register_buffer("mask", upper(context_length), persistent=False)


class MaskNotCut(Attention):
    def future(self, scores):
        return self.mask


class MaskNotCutInPlace(Attention):
    def hide(self, scores):
        return scores.masked_fill_(self.mask.bool(), -torch.inf)


class PolarityInverted(Attention):
    def forward(self, x):
        count = x.shape[1]
        share = self.p if self.training else 0.0
        return F.scaled_dot_product_attention(
            *self.project(x), attn_mask=self.mask[:count, :count], dropout_p=share
        )


class KeysAsValues(Attention):
    def mix(self, weights, values, keys, x):
        return weights @ keys


class InputAsValues(Attention):
    def mix(self, weights, values, keys, x):
        return weights @ x


class QueriesAsKeys(Attention):
    def project(self, x):
        return self.W_query(x), self.W_query(x), self.W_value(x)


class DroppedScores(Attention):
    def hide(self, scores):
        return super().hide(self.dropout(scores))

    def drop(self, weights):
        return weights


class DroppedContexts(Attention):
    def drop(self, weights):
        return weights

    def mix(self, weights, values, keys, x):
        return self.dropout(weights @ values)


class AlwaysDrops(Attention):
    def drop(self, weights):
        return F.dropout(weights, self.p)


class StopsForGood(Attention):
    def eval(self):
        self.p = 0.0
        return super().eval()

    def drop(self, weights):
        return F.dropout(weights, self.p, training=self.training)


class NotRescaled(Attention):
    def drop(self, weights):
        return weights * (torch.rand_like(weights) >= self.p) if self.training else weights


class RowsRenormalised(Attention):
    def drop(self, weights):
        dropped = self.dropout(weights)
        return dropped / dropped.sum(dim=-1, keepdim=True).clamp(min=1e-9)


class AlwaysHalf(Attention):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, context_length, 0.5, qkv_bias)


class SameMaskEachTime(Attention):
    def drop(self, weights):
        torch.manual_seed(123)
        return self.dropout(weights)


class InputOverwritten(Attention):
    def mix(self, weights, values, keys, x):
        result = weights @ values
        x.mul_(0.5)
        return result


class SizesFromTheNotebook(Attention):
    def make_layers(self, d_in, d_out, qkv_bias):
        super().make_layers(3, 2, qkv_bias)


class NoParameters(Attention):
    def make_layers(self, d_in, d_out, qkv_bias):
        weights = (torch.randn(d_in, d_out) for _ in range(3))
        self.W_query, self.W_key, self.W_value = ((lambda x, w=w: x @ w) for w in weights)


class NeverABias(Attention):
    def make_layers(self, d_in, d_out, qkv_bias):
        super().make_layers(d_in, d_out, False)


class AlwaysABias(Attention):
    def make_layers(self, d_in, d_out, qkv_bias):
        super().make_layers(d_in, d_out, True)


class FirstSentenceOnly(Attention):
    def drop(self, weights):
        return self.dropout(weights)[0]


class SentencesAveraged(Attention):
    def score(self, queries, keys):
        return (queries @ keys.mT).mean(dim=0, keepdim=True)


class GradientCut(Attention):
    def drop(self, weights):
        return self.dropout(weights.detach())


class WeightsReturned(Attention):
    def mix(self, weights, values, keys, x):
        return weights


class BigNegative(Attention):
    def hide(self, scores):
        return scores.masked_fill(self.future(scores), -1e9)


class KeyFirst(Attention):
    def make_layers(self, d_in, d_out, qkv_bias):
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)


class FusedProjection(Attention):
    def project(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.W_query.bias is None else torch.cat([layer.bias for layer in layers])
        return F.linear(x, weight, bias).chunk(3, dim=-1)


class FusedKernel(Attention):
    def forward(self, x):
        count = x.shape[1]
        share = self.p if self.training else 0.0
        return F.scaled_dot_product_attention(
            *self.project(x), attn_mask=~self.mask[:count, :count], dropout_p=share
        )


class FusedCausalKernel(Attention):
    def forward(self, x):
        share = self.dropout.p if self.dropout.training else 0.0
        return F.scaled_dot_product_attention(*self.project(x), is_causal=True, dropout_p=share)


class Einsums(Attention):
    def score(self, queries, keys):
        return torch.einsum("bqd,bkd->bqk", queries, keys)

    def mix(self, weights, values, keys, x):
        return torch.einsum("bqk,bkd->bqd", weights, values)


class AddedInfinity(Attention):
    def make_mask(self, context_length):
        self.register_buffer("mask", torch.full((context_length, context_length), -torch.inf).triu(1))

    def hide(self, scores):
        return scores + self.future(scores)


class LowerMask(Attention):
    def make_mask(self, context_length):
        self.register_buffer("mask", torch.ones(1, context_length, context_length).tril())

    def hide(self, scores):
        count = scores.shape[-1]
        return torch.where(self.mask[:, :count, :count] == 1, scores, -torch.inf)


class MaskedAfterwards(Attention):
    def hide(self, scores):
        return scores

    def weigh(self, scores):
        weights = super().weigh(scores).masked_fill(self.future(scores), 0.0)
        return weights / weights.sum(dim=-1, keepdim=True)


class FunctionalDropout(Attention):
    def drop(self, weights):
        return F.dropout(weights, self.p, training=self.training)


# Values that repeat the positions of the tokens, so that the context vectors are the weights, twice: (2 * 16, 16).
SIX = torch.eye(6)
WITH_ZERO_TOKEN = drawn(2, 5, 4, seed=20)
WITH_ZERO_TOKEN[:, 3] = 0.0


def sizes(d_in, d_out, context_length, dropout=0.0, qkv_bias=False):
    return {
        "d_in": d_in,
        "d_out": d_out,
        "context_length": context_length,
        "dropout": dropout,
        "qkv_bias": qkv_bias,
    }


CAUSAL_ATTENTION = Task(
    id="causal-attention",
    title="Causal attention, complete",
    name="CausalAttention",
    kind="module",
    signature="CausalAttention(d_in, d_out, context_length, dropout, qkv_bias=False)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("seeded", "the sentence twice", {"x": COPIES}, construct=sizes(3, 2, 6)),
        Probe(
            "two-sentences", "two different sentences", {"x": TWO_SENTENCES}, construct=sizes(3, 2, 6), seed=7
        ),
        Probe(
            "other-sizes",
            "three sentences of other sizes",
            {"x": drawn(3, 5, 4, seed=21)},
            construct=sizes(4, 7, 5),
            seed=8,
        ),
        Probe(
            "bias",
            "qkv_bias=True",
            {"x": drawn(2, 4, 6, seed=22)},
            construct=sizes(6, 5, 8, 0.0, True),
            seed=9,
        ),
        Probe(
            "double",
            "double precision",
            {"x": drawn(4, 3, 5, seed=23)},
            construct=sizes(5, 6, 7),
            seed=10,
            dtype="float64",
        ),
        Probe(
            "short",
            "sentences shorter than context_length",
            {"x": drawn(2, 4, 6, seed=24)},
            construct=sizes(6, 5, 9),
            seed=11,
        ),
        Probe(
            "one-token",
            "sentences of one token",
            {"x": drawn(3, 1, 2, seed=25)},
            construct=sizes(2, 4, 6),
            seed=12,
        ),
        Probe(
            "zero-token",
            "a token whose numbers are all 0",
            {"x": WITH_ZERO_TOKEN},
            construct=sizes(4, 3, 7),
            seed=13,
        ),
        Probe(
            "no-look-ahead",
            "one token changed at a time",
            {"x": drawn(2, 5, 4, seed=26)},
            construct=sizes(4, 3, 8),
            seed=14,
            observe="influence",
            settings={"input": "x", "axis": -2},
        ),
        Probe(
            "second-call",
            "five tokens, after a call with three of them",
            {"x": drawn(2, 5, 4, seed=63)},
            construct=sizes(4, 3, 8),
            seed=14,
            observe="second-call",
            settings={"input": "x", "axis": 1, "size": 3},
        ),
        Probe(
            "other-sentences",
            "a batch of three sentences",
            {"x": drawn(3, 6, 4, seed=27)},
            construct=sizes(4, 5, 8),
            seed=15,
        ),
        Probe(
            "apart",
            "one sentence of a batch changed at a time",
            {"x": drawn(3, 5, 4, seed=28)},
            construct=sizes(4, 2, 6),
            seed=16,
            observe="influence",
            settings={"input": "x", "axis": 0},
        ),
        Probe(
            "other-device",
            "the module moved to another device",
            {"x": drawn(2, 5, 4, seed=29)},
            construct=sizes(4, 3, 7),
            seed=17,
            observe="other-device",
        ),
        Probe(
            "state-dict",
            "the module's state dict",
            {"x": drawn(2, 5, 4, seed=29)},
            construct=sizes(4, 3, 7),
            seed=17,
            observe="buffers",
        ),
        Probe(
            "evaluation",
            "dropout of 0.4 in eval mode",
            {"x": drawn(2, 6, 5, seed=30)},
            construct=sizes(5, 4, 7, 0.4),
            seed=18,
        ),
        Probe(
            "training",
            "dropout of 0.3 in training mode",
            {"x": torch.stack((SIX, SIX))},
            construct=sizes(6, 12, 8, 0.3),
            seed=19,
            weights={"W_value.weight": torch.cat((SIX, SIX))},
            observe="dropout",
            settings={"p": 0.3, "copies": 2},
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
        Check("dropout on the weights, in training mode only", 1, ("evaluation", "training")),
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
    wrong=(
        Wrong(
            "softmax-over-queries",
            SoftmaxOverQueries,
            "Softmax ran over the queries. In a batch axis 1 counts queries; the keys are the last axis: `dim=-1`.",
        ),
        Wrong(
            "not-scaled",
            NotScaled,
            "The scores go into softmax as they are. Divide them by √d_out first.",
        ),
        Wrong(
            "scaled-by-d-in",
            ScaledByInput,
            "The scores are divided by √d_in. What counts is the length of a key, d_out.",
        ),
        Wrong(
            "scaled-without-root",
            ScaledWithoutRoot,
            "The scores are divided by d_out. Divide by its square root: `keys.shape[-1] ** 0.5`.",
        ),
        Wrong("multiplied-by-root", MultipliedByRoot, "The scores are multiplied by √d_out. Divide by it."),
        Wrong(
            "scaled-by-tokens",
            ScaledByTokens,
            "The scores are divided by the root of the number of tokens. `shape[-1]` of the *keys* is d_out; that of "
            "the scores counts tokens.",
        ),
        Wrong(
            "scaled-by-batch",
            ScaledByBatch,
            "The scores are divided by the root of the batch size: axis 0 counts sentences now. Take the last axis of "
            "the keys.",
        ),
        Wrong(
            "scaled-after-softmax",
            ScaledAfterSoftmax,
            "The division by √d_out comes after the softmax, so the weights no longer add up to 1. Divide the scores.",
        ),
        Wrong(
            "scores-transposed",
            ScoresTransposed,
            "Queries and keys changed places, so the scores are transposed. It is `queries @ keys.transpose(1, 2)`.",
        ),
        Wrong(
            "all-axes-reversed",
            AllAxesReversed,
            "The shapes of queries and keys do not meet. `keys.T` reverses all three axes, the batch too: use "
            "`keys.transpose(1, 2)`.",
        ),
        Wrong(
            "keys-reshaped",
            KeysReshaped,
            "`view` or `reshape` gave the keys the right shape with the numbers in the wrong places. Swap the axes "
            "with `keys.transpose(1, 2)`.",
        ),
        Wrong(
            "masked-with-zero",
            MaskedWithZero,
            "Hidden scores were set to 0, and softmax makes a weight of a 0 too. Fill with `-torch.inf`.",
        ),
        Wrong(
            "zeroed-after-softmax",
            ZeroedAfterSoftmax,
            "The weights were set to 0 after the softmax, and the rows not brought back to a sum of 1. Mask the "
            "scores with −inf before it.",
        ),
        Wrong(
            "ones-added",
            OnesAdded,
            "The mask of 0 and 1 was added to the scores, which raises what should be hidden. Use `masked_fill` with "
            "−inf.",
        ),
        Wrong(
            "past-hidden",
            PastHidden,
            "The past is hidden and the future seen: `tril` and `triu` are confused, or True and False. The mask is "
            "True *above* the diagonal.",
        ),
        Wrong(
            "diagonal-hidden",
            DiagonalHidden,
            "A token cannot look at itself here, so the first has nothing to look at, and its row is nan. "
            "`triu(diagonal=1)` leaves the diagonal free.",
        ),
        Wrong(
            "zero-times-infinity",
            ZeroTimesInfinity,
            "0 · (−inf) is nan, and the mask holds zeros. Use `masked_fill` with a mask of True and False.",
        ),
        Wrong(
            "no-mask",
            NoMask,
            "Every token still sees the ones ahead. Is the result of `masked_fill` thrown away? Without the `_` at its "
            "end it returns a new tensor.",
        ),
        Wrong(
            "mask-read-from-scores",
            MaskReadFromScores,
            "What is hidden was read off the scores (`!= 0`), so a score that happens to be 0 is not hidden. Use the "
            "mask made in the constructor.",
        ),
        Wrong(
            "mask-no-buffer",
            PlainMask,
            "The numbers are right, but the mask is a plain attribute or made anew on the CPU: it stays behind when "
            "the module moves to another device. Use `self.register_buffer`.",
        ),
        Wrong(
            "mask-not-saved",
            MaskNotSaved,
            "The mask moves with the module, but its state dict holds no `mask`. Is the buffer called `mask`, and made "
            "without `persistent=False`?",
        ),
        Wrong(
            "mask-not-cut-in-place",
            MaskNotCutInPlace,
            "`masked_fill_` got the whole mask, and fits sentences of `context_length` tokens only. Give it the part "
            "for the tokens present: `self.mask[:num_tokens, :num_tokens]`.",
        ),
        Wrong(
            "mask-not-cut",
            MaskNotCut,
            "A sentence shorter than `context_length` does not fit the mask. Cut it to the tokens present: "
            "`self.mask[:num_tokens, :num_tokens]`.",
        ),
        Wrong(
            "mask-inverted-for-sdpa",
            PolarityInverted,
            "`scaled_dot_product_attention` reads True as “may look”, and `masked_fill` as “hide”. Turn the mask round "
            "with `~`.",
        ),
        Wrong(
            "keys-as-values",
            KeysAsValues,
            "The weights are multiplied by the keys, or `W_key` made the values too: `W_value` has no part in the "
            "result.",
        ),
        Wrong(
            "input-as-values",
            InputAsValues,
            "The weights are multiplied by `x` itself. Multiply them by the values, `self.W_value(x)`.",
        ),
        Wrong(
            "queries-as-keys",
            QueriesAsKeys,
            "`W_query` made the keys too: `W_key` has no part in the result.",
        ),
        Wrong(
            "dropped-scores",
            DroppedScores,
            "In training, dropout works on the scores: a score of 0 still gets a weight. Apply it after the softmax.",
        ),
        Wrong(
            "dropped-contexts",
            DroppedContexts,
            "In training, dropout works on the context vectors: single features go missing. Here it is asked for on "
            "the weights, before they meet the values.",
        ),
        Wrong(
            "always-drops",
            AlwaysDrops,
            "Something is dropped in eval mode too. `F.dropout` does not know the mode, and an `nn.Dropout` made in "
            "forward is always new and in training mode. Make one `nn.Dropout` in the constructor.",
        ),
        Wrong(
            "never-drops",
            StopsForGood,
            "In training mode nothing is dropped, at least not after one `eval()`. Apply `self.dropout` to the "
            "weights, and leave `eval` and `train` as they are: a p that `eval()` sets to 0 stays 0.",
        ),
        Wrong(
            "not-rescaled",
            NotRescaled,
            "Kept weights stay as they were in training. They are divided by 1 − p; `nn.Dropout` does it for you.",
        ),
        Wrong(
            "rows-renormalised",
            RowsRenormalised,
            "After dropout the rows were brought back to a sum of 1. Leave them: the factor 1/(1 − p) keeps the average.",
        ),
        Wrong(
            "always-half",
            AlwaysHalf,
            "Half of the weights are dropped whatever `dropout` is. Use the argument.",
        ),
        Wrong(
            "same-mask-each-time",
            SameMaskEachTime,
            "Each call drops the same weights: a seed is set in forward. Set seeds outside the class.",
        ),
        Wrong(
            "input-overwritten",
            InputOverwritten,
            "The result is right, but the caller's `x` was changed: `*=` and methods that end in `_` work in place.",
        ),
        Wrong(
            "sizes-from-the-notebook",
            SizesFromTheNotebook,
            "The layers have the sizes of the example, whatever the constructor is given. Use its arguments `d_in` and "
            "`d_out`, not numbers or variables of the notebook.",
        ),
        Wrong(
            "no-parameters",
            NoParameters,
            "`W_query`, `W_key` and `W_value` are no parameters of the module, or are made anew in forward, so nothing "
            "could be trained. Make `nn.Linear` layers in the constructor.",
        ),
        Wrong(
            "never-a-bias",
            NeverABias,
            "There is no bias even with `qkv_bias=True`: pass it on as `bias=qkv_bias`.",
        ),
        Wrong(
            "always-a-bias",
            AlwaysABias,
            "The layers have a bias although `qkv_bias` is False. `nn.Linear` makes one unless told: `bias=qkv_bias`.",
        ),
        Wrong(
            "first-sentence-for-all",
            FirstSentenceOnly,
            "The weights of the first sentence are used for all. With two equal sentences that goes unnoticed.",
        ),
        Wrong(
            "sentences-averaged",
            SentencesAveraged,
            "The scores were averaged over the batch, so each sentence depends on the others.",
        ),
        Wrong(
            "gradient-cut",
            GradientCut,
            "The numbers are right, but no gradient gets back to `W_query` and `W_key`: something is detached on the way.",
        ),
        Wrong(
            "weights-returned",
            WeightsReturned,
            "These are the attention weights. Multiply them by the values and return the context vectors.",
        ),
    ),
    right=(
        Right("big-negative-number", BigNegative),
        Right("other-order-of-layers", KeyFirst),
        Right("fused-projection", FusedProjection),
        Right("fused-kernel", FusedKernel),
        Right("fused-causal-kernel", FusedCausalKernel),
        Right("einsum", Einsums),
        Right("added-infinity", AddedInfinity),
        Right("lower-mask", LowerMask),
        Right("masked-after-softmax-renormalised", MaskedAfterwards),
        Right("functional-dropout", FunctionalDropout),
    ),
)

# --- Task 6: a seed set too late -----------------------------------------------------------------------------


def seeded_too_late(seed, batch_size, num_tokens, d_in, d_out):
    batch = torch.randn(batch_size, num_tokens, d_in)
    torch.manual_seed(seed)
    return nn.Linear(d_in, d_out, bias=False)(batch)


def never_seeded(seed, batch_size, num_tokens, d_in, d_out):
    batch = torch.randn(batch_size, num_tokens, d_in)
    return nn.Linear(d_in, d_out, bias=False)(batch)


def layer_first(seed, batch_size, num_tokens, d_in, d_out):
    torch.manual_seed(seed)
    layer = nn.Linear(d_in, d_out, bias=False)
    return layer(torch.randn(batch_size, num_tokens, d_in))


def seeded_twice(seed, batch_size, num_tokens, d_in, d_out):
    torch.manual_seed(seed)
    batch = torch.randn(batch_size, num_tokens, d_in)
    torch.manual_seed(seed)
    return nn.Linear(d_in, d_out, bias=False)(batch)


def in_order(seed, batch_size, num_tokens, d_in, d_out):
    torch.manual_seed(seed)
    batch = torch.randn(batch_size, num_tokens, d_in)
    return nn.Linear(d_in, d_out, bias=False)(batch)


def fixed_seed(seed, batch_size, num_tokens, d_in, d_out):
    return in_order(123, batch_size, num_tokens, d_in, d_out)


def batch_of_ones(seed, batch_size, num_tokens, d_in, d_out):
    torch.manual_seed(seed)
    return nn.Linear(d_in, d_out, bias=False)(torch.ones(batch_size, num_tokens, d_in))


def uniform_batch(seed, batch_size, num_tokens, d_in, d_out):
    torch.manual_seed(seed)
    batch = torch.rand(batch_size, num_tokens, d_in)
    return nn.Linear(d_in, d_out, bias=False)(batch)


def with_a_bias(seed, batch_size, num_tokens, d_in, d_out):
    torch.manual_seed(seed)
    batch = torch.randn(batch_size, num_tokens, d_in)
    return nn.Linear(d_in, d_out)(batch)


def batch_returned(seed, batch_size, num_tokens, d_in, d_out):
    torch.manual_seed(seed)
    return torch.randn(batch_size, num_tokens, d_in)


def sizes_of_the_text(seed, batch_size, num_tokens, d_in, d_out):
    return in_order(seed, 4, 10, 16, 3)


def in_a_fork(seed, batch_size, num_tokens, d_in, d_out):
    with torch.random.fork_rng(devices=[]):
        return in_order(seed, batch_size, num_tokens, d_in, d_out)


def by_matmul(seed, batch_size, num_tokens, d_in, d_out):
    generator = torch.manual_seed(seed)
    batch = torch.randn(batch_size, num_tokens, d_in, generator=generator)
    layer = nn.Linear(d_in, d_out, bias=False)
    return batch @ layer.weight.T


def by_einsum(seed, batch_size, num_tokens, d_in, d_out):
    torch.manual_seed(seed)
    batch = torch.randn((batch_size, num_tokens, d_in))
    layer = nn.Linear(d_in, d_out, bias=False)
    return torch.einsum("bti,oi->bto", batch, layer.weight).detach()


def run_of(seed, batch_size, num_tokens, d_in, d_out):
    return {
        "seed": seed,
        "batch_size": batch_size,
        "num_tokens": num_tokens,
        "d_in": d_in,
        "d_out": d_out,
    }


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
        Wrong(
            "as-given",
            seeded_too_late,
            "This is the code as it was given. The layer's weights follow from the seed, the batch does not: it is "
            "drawn before.",
        ),
        Wrong(
            "never-seeded",
            never_seeded,
            "What is drawn is not determined by `seed`. Give it to `torch.manual_seed`, torch's own, before the first draw.",
        ),
        Wrong(
            "layer-first",
            layer_first,
            "This can be repeated, but the layer takes the seed's first numbers. The task fixes the order: seed, batch, "
            "layer.",
        ),
        Wrong(
            "seeded-twice",
            seeded_twice,
            "The seed is set once more before the layer, so batch and weights come from the same random numbers. Once, "
            "at the start, is enough.",
        ),
        Wrong(
            "fixed-seed",
            fixed_seed,
            "The seed is always 123, whatever the function is called with. Use the argument `seed`.",
        ),
        Wrong(
            "batch-of-ones",
            batch_of_ones,
            "The batch is no longer random. That hides the fault; set the seed before the batch is drawn.",
        ),
        Wrong(
            "uniform-batch",
            uniform_batch,
            "`torch.rand` draws other numbers than `torch.randn`. Only the order of the lines has to change.",
        ),
        Wrong("with-a-bias", with_a_bias, "The layer has a bias now. Leave `bias=False` as it was."),
        Wrong(
            "batch-returned", batch_returned, "This is the batch. Return its values, `W_value(random_batch)`."
        ),
        Wrong(
            "sizes-of-the-text",
            sizes_of_the_text,
            "The sizes are always those of the example. Use the arguments.",
        ),
    ),
    right=(
        Right("in-order", in_order),
        Right("in-a-fork", in_a_fork),
        Right("by-matmul", by_matmul),
        Right("by-einsum", by_einsum),
    ),
)

# --- Task 7: a mask on the wrong device ----------------------------------------------------------------------


class Portable(Attention):
    """Without `context_length` and dropout; the mask is made in forward, on the scores' own device."""

    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out, 0, 0.0)

    def make_mask(self, context_length):
        pass

    def future(self, scores):
        count = scores.shape[-1]
        return torch.ones(count, count, device=scores.device).triu(diagonal=1).bool()


class AsGiven(Portable):
    def future(self, scores):
        return upper(scores.shape[-1])

    def weigh(self, scores):
        return torch.softmax(scores, dim=-1)


class OnlyDeviceMended(Portable):
    def weigh(self, scores):
        return torch.softmax(scores, dim=-1)


class OnlyScaleMended(Portable):
    def future(self, scores):
        return upper(scores.shape[-1])


class ThereAndBack(Portable):
    def hide(self, scores):
        return scores.cpu().masked_fill(upper(scores.shape[-1]), -torch.inf).to(scores.device)


class MaskTakenOut(Portable):
    def hide(self, scores):
        return scores


class PortableByInput(Portable):
    def weigh(self, scores):
        return torch.softmax(scores / self.d_in**0.5, dim=-1)


class PortableWithoutRoot(Portable):
    def weigh(self, scores):
        return torch.softmax(scores / self.d_out, dim=-1)


class PortableByTokens(Portable):
    def weigh(self, scores):
        return torch.softmax(scores / scores.shape[-1] ** 0.5, dim=-1)


class PortableAfterSoftmax(Portable):
    def weigh(self, scores):
        return torch.softmax(scores, dim=-1) / self.d_out**0.5


class PortableZero(Portable):
    def hide(self, scores):
        return torch.tril(scores)


class PortableTril(Portable):
    def hide(self, scores):
        return scores

    def weigh(self, scores):
        return torch.tril(super().weigh(scores))


class PortablePast(Portable):
    def future(self, scores):
        return super().future(scores).mT


class PortableDiagonal(Portable):
    def future(self, scores):
        return torch.ones_like(scores).triu().bool()


class PortableBuffer(Portable):
    def make_mask(self, context_length):
        self.register_buffer("mask", upper(64))

    def future(self, scores):
        count = scores.shape[-1]
        return self.mask[:count, :count]


class PortableMoved(Portable):
    def future(self, scores):
        return upper(scores.shape[-1]).to(scores.device)


class PortableLike(Portable):
    def future(self, scores):
        return torch.ones_like(scores).triu(diagonal=1) == 1


class PortableNew(Portable):
    def hide(self, scores):
        return scores + scores.new_full(scores.shape[-2:], -torch.inf).triu(1)


class PortableArange(Portable):
    def future(self, scores):
        position = torch.arange(scores.shape[-1], device=scores.device)
        return position[None, :] > position[:, None]


class PortableKernel(Portable):
    def forward(self, x):
        return F.scaled_dot_product_attention(*self.project(x), is_causal=True)


class PortableRenormalised(Portable):
    def hide(self, scores):
        return scores

    def weigh(self, scores):
        return renormalised(torch.tril(super().weigh(scores)))


def two_sizes(d_in, d_out):
    return {"d_in": d_in, "d_out": d_out}


BUG_MASK_DEVICE = Task(
    id="bug-mask-device",
    title="A mask on the wrong device",
    name="PortableAttention",
    kind="module",
    signature="PortableAttention(d_in, d_out)",
    axes=("b", "tokens", "d_out"),
    input_axes={"x": ("b", "tokens", "d_in")},
    probes=(
        Probe("two-sentences", "two sentences", {"x": TWO_SENTENCES}, construct=two_sizes(3, 2)),
        Probe(
            "other-sizes",
            "three sentences of other sizes",
            {"x": drawn(3, 5, 4, seed=31)},
            construct=two_sizes(4, 7),
            seed=8,
        ),
        Probe(
            "no-queries",
            "queries that are all 0, so that every visible token counts the same",
            {"x": drawn(2, 5, 4, seed=32)},
            construct=two_sizes(4, 1),
            seed=9,
            weights={"W_query.weight": torch.zeros(1, 4)},
        ),
        Probe(
            "longer",
            "sentences of nine tokens, with queries that are all 0",
            {"x": drawn(2, 9, 4, seed=54)},
            construct=two_sizes(4, 1),
            seed=12,
            weights={"W_query.weight": torch.zeros(1, 4)},
        ),
        Probe(
            "no-look-ahead",
            "one token changed at a time",
            {"x": drawn(2, 6, 4, seed=33)},
            construct=two_sizes(4, 3),
            seed=10,
            observe="influence",
            settings={"input": "x", "axis": -2},
        ),
        Probe(
            "other-device",
            "the module moved to another device",
            {"x": drawn(2, 5, 4, seed=34)},
            construct=two_sizes(4, 3),
            seed=11,
            observe="other-device",
        ),
        Probe(
            "second-call",
            "five tokens, after a call with three of them",
            {"x": drawn(2, 5, 4, seed=64)},
            construct=two_sizes(4, 1),
            seed=13,
            weights={"W_query.weight": torch.zeros(1, 4)},
            observe="second-call",
            settings={"input": "x", "axis": 1, "size": 3},
        ),
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
            "as-given",
            AsGiven,
            "This is the code as it was given. On another device the mask and the scores are in two places, and the "
            "weights are not those of your `CausalAttention`.",
        ),
        Wrong(
            "silent-fault-left",
            OnlyDeviceMended,
            "It runs on every device now. The silent fault is still there: compare what goes into the softmax.",
        ),
        Wrong(
            "mask-still-on-the-cpu",
            OnlyScaleMended,
            "The numbers are right. But a tensor that `forward` makes, or that is kept as a plain attribute, is still on "
            "the CPU: is it the mask? On another device it does not meet the scores. Catching the error would only "
            "leave the mask out there.",
        ),
        Wrong(
            "there-and-back",
            ThereAndBack,
            "It runs, because the numbers are carried to the CPU and back at each call. That hides the fault and is "
            "slow: make the mask on the device of the scores instead.",
        ),
        Wrong(
            "mask-taken-out",
            MaskTakenOut,
            "Without a mask there is nothing on the wrong device, and every token sees the ones ahead. Keep the mask.",
        ),
        Wrong("scaled-by-d-in", PortableByInput, "The scores are divided by √d_in. Divide by √d_out."),
        Wrong(
            "scaled-without-root",
            PortableWithoutRoot,
            "The scores are divided by d_out. Take its square root.",
        ),
        Wrong(
            "scaled-by-tokens",
            PortableByTokens,
            "The scores are divided by the root of the number of tokens. Divide by √d_out, `keys.shape[-1] ** 0.5`.",
        ),
        Wrong(
            "scaled-after-softmax",
            PortableAfterSoftmax,
            "The division comes after the softmax, so the weights no longer add up to 1. Divide the scores.",
        ),
        Wrong(
            "scores-set-to-zero",
            PortableZero,
            "`tril` sets hidden scores to 0, and softmax makes a weight of a 0 too. Fill with −inf.",
        ),
        Wrong(
            "zeroed-after-softmax",
            PortableTril,
            "Weights were set to 0 after the softmax, and the rows not brought back to a sum of 1.",
        ),
        Wrong(
            "past-hidden", PortablePast, "The past is hidden and the future seen: keep `triu(diagonal=1)`."
        ),
        Wrong(
            "diagonal-hidden",
            PortableDiagonal,
            "A token cannot look at itself, so the first row is nan: keep `diagonal=1`.",
        ),
    ),
    right=(
        Right("device-of-the-scores", Portable),
        Right("buffer", PortableBuffer),
        Right("moved", PortableMoved),
        Right("ones-like", PortableLike),
        Right("new-full", PortableNew),
        Right("arange", PortableArange),
        Right("fused-kernel", PortableKernel),
        Right("renormalised", PortableRenormalised),
    ),
)

# --- Task 8: dropout that ignores eval() ---------------------------------------------------------------------


class Dropping(Attention):
    """Without a mask; dropout on the weights by the function."""

    def __init__(self, d_in, d_out, dropout):
        super().__init__(d_in, d_out, 0, dropout)

    def make_mask(self, context_length):
        pass

    def hide(self, scores):
        return scores

    def drop(self, weights):
        return F.dropout(weights, self.p, training=self.training)


class DroppingAlways(Dropping):
    def drop(self, weights):
        return F.dropout(weights, self.p)


class DroppingUntilEval(Dropping):
    def eval(self):
        self.p = 0.0
        return super().eval()


class DroppingTheSame(Dropping):
    def drop(self, weights):
        torch.manual_seed(123)
        return F.dropout(weights, self.p)


class DroppingTheSameInTraining(Dropping):
    def drop(self, weights):
        torch.manual_seed(123)
        return F.dropout(weights, self.p, training=self.training)


class DroppingScores(Dropping):
    def hide(self, scores):
        return F.dropout(scores, self.p, training=self.training)

    def drop(self, weights):
        return weights


class DroppingContexts(Dropping):
    def drop(self, weights):
        return weights

    def mix(self, weights, values, keys, x):
        return F.dropout(weights @ values, self.p, training=self.training)


class DroppingPlainly(Dropping):
    def drop(self, weights):
        return weights * (torch.rand_like(weights) >= self.p) if self.training else weights


class DroppingAsBefore(Dropping):
    def drop(self, weights):
        return weights * (torch.rand_like(weights) >= self.p) if self.training else weights * (1 - self.p)


class DroppingAndRenormalising(Dropping):
    def drop(self, weights):
        dropped = super().drop(weights)
        return dropped / dropped.sum(dim=-1, keepdim=True).clamp(min=1e-9)


class DroppingTheRest(Dropping):
    def drop(self, weights):
        return F.dropout(weights, 1 - self.p, training=self.training)


class DroppingHalf(Dropping):
    def drop(self, weights):
        return F.dropout(weights, training=self.training)


class DroppingTheAverage(Dropping):
    def drop(self, weights):
        if self.training:
            return F.dropout(weights, self.p)
        return F.dropout(weights.expand(100, *weights.shape), self.p).mean(dim=0)


class DroppingByLayer(Dropping):
    def drop(self, weights):
        return self.dropout(weights)


class DroppingByIf(Dropping):
    def drop(self, weights):
        return F.dropout(weights, self.p) if self.training else weights


class DroppingByHand(Dropping):
    def drop(self, weights):
        if not self.training:
            return weights
        return torch.where(torch.rand_like(weights) < self.p, 0.0, weights / (1 - self.p))


class DroppingByKernel(Dropping):
    def forward(self, x):
        return F.scaled_dot_product_attention(*self.project(x), dropout_p=self.p if self.training else 0.0)


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
        Probe("evaluation", "two sentences in eval mode", {"x": TWO_SENTENCES}, construct=three(3, 2, 0.5)),
        Probe(
            "other-sizes",
            "three sentences in eval mode",
            {"x": drawn(3, 5, 4, seed=35)},
            construct=three(4, 7, 0.2),
            seed=8,
        ),
        Probe(
            "training",
            "many calls in training mode, after eval mode",
            {"x": torch.stack((SIX, SIX))},
            construct=three(6, 12, 0.3),
            seed=9,
            weights={"W_value.weight": torch.cat((SIX, SIX))},
            observe="dropout",
            settings={"p": 0.3, "copies": 2},
        ),
        Probe(
            "no-dropout",
            "dropout of 0 in training mode",
            {"x": drawn(2, 5, 4, seed=36)},
            construct=three(4, 3, 0.0),
            seed=10,
            train=True,
        ),
        Probe(
            "training-again",
            "dropout of 0.2 in training mode, after eval mode",
            {"x": TWELVE[None]},
            construct=three(12, 12, 0.2),
            seed=11,
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
        "What does `eval()` change in the module that forward could look at?",
        "`self.training` is True after `train()` and False after `eval()`. `F.dropout` has an argument for it.",
        "`F.dropout(attn_weights, self.p, training=self.training)`",
    ),
    wrong=(
        Wrong(
            "as-given",
            DroppingAlways,
            "Dropout still works in eval mode, as in the code that was given. A new `nn.Dropout` made in forward does "
            "the same: it is always in training mode. Look at `self.training`, and mind which way round.",
        ),
        Wrong(
            "never-drops",
            DroppingUntilEval,
            "Eval mode is right now, but in training mode nothing is dropped any more, at least not after one "
            "`eval()`. Taking dropout out, or setting p to 0 in `eval()`, hides the fault. Look at `self.training`.",
        ),
        Wrong(
            "same-draw-each-time",
            DroppingTheSame,
            "Two calls agree, because a seed is set in forward: the same weights are dropped each time, in eval mode "
            "too. That hides the fault.",
        ),
        Wrong(
            "same-draw-in-training",
            DroppingTheSameInTraining,
            "Eval mode is right. In training mode the same weights are dropped at each call: a seed is set in forward.",
        ),
        Wrong(
            "dropped-scores",
            DroppingScores,
            "Dropout works on the scores now: a score of 0 still gets a weight. It belongs after the softmax.",
        ),
        Wrong(
            "dropped-contexts",
            DroppingContexts,
            "Dropout works on the context vectors now. It was on the weights, and should stay there.",
        ),
        Wrong(
            "not-rescaled",
            DroppingPlainly,
            "Eval mode is right. In training mode the kept weights are no longer divided by 1 − p.",
        ),
        Wrong(
            "rescaled-in-eval-instead",
            DroppingAsBefore,
            "In eval mode the weights are multiplied by 1 − p. `F.dropout` makes up for it in training; in eval mode "
            "the weights stay as they are.",
        ),
        Wrong(
            "rows-renormalised",
            DroppingAndRenormalising,
            "In training mode the rows are brought back to a sum of 1. Leave them as dropout makes them.",
        ),
        Wrong(
            "drops-the-rest",
            DroppingTheRest,
            "A share of 1 − p is dropped. p is the share that is dropped, not the one kept.",
        ),
        Wrong(
            "always-half", DroppingHalf, "Half is dropped whatever `dropout` is: `F.dropout` takes p, too."
        ),
        Wrong(
            "averaged",
            DroppingTheAverage,
            "Eval mode averages many draws. That comes near, costs a lot and still changes from call to call. Drop "
            "nothing instead.",
        ),
    ),
    right=(
        Right("training-flag", Dropping),
        Right("layer", DroppingByLayer),
        Right("if", DroppingByIf),
        Right("by-hand", DroppingByHand),
        Right("fused-kernel", DroppingByKernel),
    ),
)

LESSON = Lesson(
    title="04 · Dropout, batches and a causal attention class",
    given_axes={"inputs": ("tokens", "d_in"), "kept": ("tokens as query", "tokens as key")},
    redraw=redraw,
    tasks=(
        APPLY_DROPOUT,
        DROPPED_WEIGHTS,
        DROPOUT_BY_HAND,
        BATCHED_SCORES,
        CAUSAL_ATTENTION,
        BUG_SEED_ORDER,
        BUG_MASK_DEVICE,
        BUG_EVAL_DROPOUT,
    ),
)
