"""The mistakes that several lessons share, named once; those of one lesson are in its own `faults.py`.

A lesson's `tasks.py` says which edit of a solution makes a mistake; what it is called, the hint it deserves
and the section that explains it are here. `WORDS` fills in what a hint leaves open, unless the task's own
`words` say otherwise. `parts` are what a task must have for the mistake to be possible: a task with these
parts needs a wrong answer that shows it, or a reason why not.
"""

from itertools import combinations

from autograder.author.authoring import Fault, OnResult
from torch.nn.functional import layer_norm

WORDS = {
    "x": "x",
    "queries": "queries",
    "keys": "keys",
    "values": "values",
    "scores": "scores",
    "weights": "attn_weights",
    "context": "context_vec",
    "width": "√d_k",  # what scores are divided by
    "width_code": "keys.shape[-1] ** 0.5",
    "W_query": "W_query",
    "W_key": "W_key",
    "W_value": "W_value",
    "out_proj": "out_proj",
    "last_axis": "dim=-1",
    "swap": "keys.transpose(-2, -1)",
    "sum_over": "the other one",
}

# Mistakes that people make most. Every three of these are tried together; of two at a time, the build tries all.
COMMON = (
    *("no-scale", "scaled-without-root", "softmax-over-queries", "keys-as-values", "projections-swapped"),
    *("no-mask", "mask-after-softmax", "diagonal-hidden", "mask-not-cut", "mask-not-a-buffer"),
    *("no-dropout", "bias-never", "no-out-proj", "merge-without-transpose"),
)
TOGETHER = tuple(combinations(COMMON, 3))

QUERIES = ("tokens", "tokens as query", "queries", "target", "rows")
BATCH = ("b", "batch")
HEADS = ("heads",)
CONTEXT = ("d_out", "d_v", "d_model", "columns of all heads")


def only(place):
    """Keeps one slice along an axis, which is lost."""
    return lambda result, axis: result.select(axis, place)


def for_all(place):
    """Puts one slice along an axis in the place of all."""
    return lambda result, axis: result.select(axis, place).unsqueeze(axis).expand_as(result)


# Mistakes that are made with a result when it is done. The build tries them with all others.
ON_RESULTS = (
    OnResult(
        "loop-starts-late", lambda result, axis: result.narrow(axis, 1, result.shape[axis] - 1), QUERIES
    ),
    OnResult(
        "loop-stops-early", lambda result, axis: result.narrow(axis, 0, result.shape[axis] - 1), QUERIES
    ),
    *(OnResult("one-query-only", only(place), QUERIES, least=2, alone=place == 1) for place in (0, -1, 1)),
    OnResult(
        "return-inside-loop",
        lambda result, axis: result.narrow(axis, 0, 1),
        QUERIES,
        least=2,
        code=r"\breturn\b",
    ),
    *(
        OnResult("one-query-for-all", for_all(place), QUERIES, least=2, alone=place != 0)
        for place in (0, -1, 1)
    ),
    OnResult("first-sequence-only", only(0), BATCH),
    OnResult("first-sequence-only", lambda result, axis: result.narrow(axis, 0, 1), BATCH),
    OnResult("first-sequence-for-all", for_all(0), BATCH),
    OnResult("first-sequence-for-all", for_all(-1), BATCH, alone=True),
    OnResult("batch-mixed", lambda result, axis: result.mean(axis, keepdim=True).expand_as(result), BATCH),
    OnResult("batch-summed", lambda result, axis: result.sum(axis), BATCH, alone=True),
    OnResult("first-head-only", only(0), HEADS),
    OnResult("first-head-only", lambda result, axis: result.narrow(axis, 0, 1), HEADS, alone=True),
    OnResult("first-head-for-all", for_all(0), HEADS, alone=True),
    OnResult("heads-in-reverse", lambda result, axis: result.flip(axis), HEADS, alone=True),
    OnResult(
        "context-normalised", lambda result, axis: layer_norm(result, result.shape[axis:]), CONTEXT, least=2
    ),
    OnResult("activation-added", lambda result, axis: result.relu(), CONTEXT, least=2),
    OnResult("extra-axis", lambda result, axis: result[None]),
    OnResult("extra-axis", lambda result, axis: result.unsqueeze(-1), alone=True),
    OnResult("transposed-result", lambda result, axis: result.mT, least=2, alone=True),
    OnResult("fraction-upside-down", lambda result, axis: 1 / result, alone=True),
)

FAULTS = (
    # --- Scores and their scale -------------------------------------------------------------------------
    Fault(
        "no-scale",
        "the scores are not divided by the root of their width",
        "The scores are not divided by {width}. Without that the weights are sharper than they should be.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "scaled-by-input-width",
        "the scores are divided by the root of the input's width",
        "The root is that of the input's width. A score is a sum of as many products as a key has "
        "numbers: divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling", "own-input-width"),
    ),
    Fault(
        "scaled-by-model-width",
        "the scores are divided by the root of all heads' width together",
        "The root is that of the width of all heads together. A score sums over one head's numbers only: "
        "divide by the root of one head's width.",
        section="02-trainable#scale-intro",
        parts=("scaling", "heads"),
    ),
    Fault(
        "scaled-without-root",
        "the scores are divided by the width, not by its root",
        "In all, the scores are divided by the width itself. They should be divided by its root: {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "scaled-up",
        "the scores are multiplied where they should be divided",
        "The scores are multiplied by the root, not divided by it. Divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "scaled-by-tokens",
        "the scores are divided by the root of the number of tokens",
        "The root is that of the number of tokens. Divide by {width}, the root of the size of the axis "
        "that the dot product sums over.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "scaled-by-batch",
        "the scores are divided by the root of the batch size",
        "The root is that of the batch size: `shape[0]` counts the sequences. Divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling", "batch"),
    ),
    Fault(
        "scaled-by-heads",
        "the scores are divided by the root of the number of heads",
        "The root is that of the number of heads. Divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling", "heads"),
    ),
    Fault(
        "scaled-after-softmax",
        "the weights are divided, not the scores",
        "The division comes after the softmax. Divide the scores, before it.",
        section="02-trainable#scaled-weights-tempting",
        parts=("scaling",),
    ),
    Fault(
        "scores-turned",
        "queries and keys have changed places in the scores",
        "Queries and keys have changed places: row i must hold the scores of query i.",
        section="02-trainable#scaled-weights-map-read",
        parts=("projections",),
    ),
    Fault(
        "own-key-only",
        "each query meets the key in its own place only",
        "Each query meets the key in its own place only. It has to meet every key of its sequence.",
    ),
    Fault(
        "keys-reshaped",
        "the keys are reshaped where two axes should be swapped",
        "The keys are cut into another shape, which puts their numbers in the wrong places. Swap the last two"
        " axes: `{swap}`.",
        section="01-dot-product#all-scores-matmul",
        parts=("projections",),
    ),
    # --- Softmax ----------------------------------------------------------------------------------------
    Fault(
        "softmax-over-queries",
        "softmax runs over the queries",
        "Softmax runs over the queries: it shares out each column, and not each row. Each query shares out its own "
        "attention: `{last_axis}`.",
        section="01-dot-product#all-weights-intro",
        parts=("softmax",),
    ),
    Fault(
        "softmax-over-batch",
        "softmax runs over the sequences of the batch",
        "Softmax runs over the batch: axis 0 counts the sequences. Each query shares out its own attention: "
        "`{last_axis}`.",
        section="04-dropout#softmax-axis-intro",
        parts=("softmax", "batch"),
    ),
    Fault(
        "softmax-over-heads",
        "softmax runs over the heads",
        "Softmax runs over the heads: `dim=1` counts them now. Each query shares out its own attention: "
        "`{last_axis}`.",
        section="05-multi-head#fused-intro",
        parts=("softmax", "heads"),
    ),
    Fault(
        "no-softmax",
        "the scores are used as weights",
        "There is no softmax: the scores themselves are used as weights. Let softmax turn the scores into "
        "shares that add up to 1.",
        section="01-dot-product#softmax-intro",
        parts=("softmax",),
    ),
    Fault(
        "softmax-twice",
        "softmax runs twice",
        "Softmax runs twice. The second one makes the weights nearly equal. Once is right.",
        section="01-dot-product#softmax-intro",
        parts=("softmax",),
    ),
    # --- Masks ------------------------------------------------------------------------------------------
    Fault(
        "no-mask",
        "no mask reaches the scores",
        "Nothing is hidden, so every token sees the whole sentence. Is the mask used? `masked_fill` gives a new tensor, and its result has to be kept.",
        section="03-causal#minus-infinity-read",
        parts=("masking",),
    ),
    Fault(
        "mask-fills-zero",
        "hidden scores become 0",
        "Hidden scores are set to 0, or close to it, and the exponential of 0 is 1: they still get weight. Fill with `-torch.inf`.",
        section="03-causal#before-softmax-intro",
        parts=("masking",),
    ),
    Fault(
        "mask-fills-small",
        "hidden scores become a number that is not small enough",
        "Hidden scores keep some weight, so the future leaks. Is the number that they get not low enough? "
        "Fill with `-torch.inf`.",
        section="03-causal#before-softmax-intro",
        parts=("masking",),
        varies=True,
    ),
    Fault(
        "mask-added",
        "the mask of 0 and 1 is added to the scores",
        "The mask of zeros and ones is added to the scores or taken from them, which hides nothing. Fill with "
        "`-torch.inf` where the mask hides.",
        section="03-causal#quiz",
        parts=("masking",),
    ),
    Fault(
        "mask-after-softmax",
        "weights are hidden after the softmax and not normalised again",
        "The weights are set to 0 after the softmax, so the rows add up to less than 1. Hide the scores, before "
        "the softmax.",
        section="03-causal#renormalise-task",
        parts=("masking",),
    ),
    Fault(
        "past-hidden",
        "the past is hidden and the future is visible",
        "The past is hidden and the future is visible. Is it `tril` where it should be `triu`, or is the "
        "mask transposed?",
        section="03-causal#triangles",
        parts=("causal",),
    ),
    Fault(
        "mask-polarity",
        "the mask is read the wrong way round",
        "The mask is read the wrong way round: what should be visible is hidden.",
        section="03-causal#minus-infinity-read",
        parts=("masking",),
    ),
    Fault(
        "diagonal-hidden",
        "a token is hidden from itself",
        "The diagonal is hidden as well. Then nothing is visible to the first token. With "
        "`torch.triu`, ask for `diagonal=1`; with `torch.tril`, leave `diagonal=` out.",
        section="03-causal#mask-before-softmax-read",
        parts=("causal",),
    ),
    Fault(
        "diagonal-too-far",
        "each token sees one token of the future",
        "Each token sees one token of the future: the mask starts one step too far to the right. `torch.triu` needs "
        "`diagonal=1`; `torch.tril` needs no `diagonal=`.",
        section="03-causal#leaks-read",
        parts=("causal",),
    ),
    Fault(
        "zero-times-infinity",
        "0 times infinity makes nan in the mask",
        "The mask is multiplied by infinity, and 0 times infinity is nan. Use `masked_fill`.",
        section="03-causal#quiz",
        parts=("masking",),
    ),
    Fault(
        "mask-from-values",
        "the mask is read from the scores' values",
        "What is hidden is read from the scores' values, so what a score happens to be decides whether it is visible. "
        "Make the mask from positions.",
        section="03-causal#bug-mask-task",
        parts=("causal",),
    ),
    Fault(
        "mask-not-cut",
        "the mask is not cut to the tokens present",
        "With fewer tokens than `context_length` the mask is too large. Cut it along both axes: "
        "`[:num_tokens, :num_tokens]`.",
        section="04-dropout#causal-attention-task",
        parts=("context-length",),
    ),
    Fault(
        "mask-cut-for-good",
        "the mask is overwritten by its cut piece",
        "`self.mask` is overwritten by the piece that one call needs, so after a short sentence it is too small for a longer one. Give the piece a name of its own.",
        section="04-dropout#causal-attention-task",
    ),
    Fault(
        "mask-not-a-buffer",
        "the mask is no buffer",
        "The mask is no buffer: as a plain attribute, or made in `forward`, it is missing from the state dict and "
        'stays behind when the module moves to another device. Use `self.register_buffer("mask", …)`.',
        section="04-dropout#buffer-intro",
        parts=("buffer",),
    ),
    Fault(
        "mask-on-first-head",
        "only the first head is masked",
        "Only head 0 is masked, and the others see the future. A mask of (tokens, tokens) is broadcast over all heads.",
        section="05-multi-head#fused-intro",
        parts=("masking", "heads"),
    ),
    Fault(
        "mask-batch-for-heads",
        "the mask lines up the batch with the heads",
        "The mask has a batch axis and no axis for the heads, so it lines up the batch with the heads.",
        section="05-multi-head#fused-intro",
    ),
    # --- Which vectors meet -----------------------------------------------------------------------------
    Fault(
        "keys-as-values",
        "the weights are multiplied by the keys, not by the values",
        "Keys are used as values: the weights are multiplied by the keys, or `{W_key}` made the values. "
        "`{W_value}` makes the values.",
        section="02-trainable#context-intro",
        parts=("projections",),
    ),
    Fault(
        "queries-as-values",
        "the weights are multiplied by the queries, not by the values",
        "Queries are used as values: the weights are multiplied by the queries, or `{W_query}` made the "
        "values. `{W_value}` makes the values.",
        section="02-trainable#context-intro",
        parts=("projections",),
    ),
    Fault(
        "input-as-values",
        "the weights are multiplied by the input, not by the values",
        "The weights are multiplied by the input itself. They belong to the values, from `{W_value}`.",
        section="02-trainable#context-intro",
        parts=("projections",),
    ),
    Fault(
        "keys-as-queries",
        "the keys are used as queries",
        "Keys are used as queries, or `{W_key}` made the queries. `{W_query}` makes the queries.",
        section="02-trainable#roles",
        parts=("projections",),
    ),
    Fault(
        "queries-as-keys",
        "the queries are used as keys",
        "Queries are used as keys, or `{W_query}` made the keys. `{W_key}` makes the keys.",
        section="02-trainable#roles",
        parts=("projections",),
    ),
    Fault(
        "input-for-scores",
        "the scores are made from the input itself",
        "The scores are made from the input itself: neither `{W_query}` nor `{W_key}` has a part in them.",
        section="02-trainable#roles",
        parts=("projections", "equal-widths"),
    ),
    Fault(
        "projections-swapped",
        "the query and the key layer have changed places",
        "`{W_query}` makes the keys and `{W_key}` makes the queries.",
        section="02-trainable#scaled-weights-map-read",
    ),
    Fault(
        "weights-on-the-right",
        "the weights are transposed before they are multiplied by the values",
        "The weights are transposed before they are multiplied by the values, so row i no longer belongs to query "
        "i. Write weights @ values.",
        section="01-dot-product#all-contexts-task",
        parts=("softmax",),
    ),
    # --- Heads ------------------------------------------------------------------------------------------
    Fault(
        "split-without-transpose",
        "the heads are cut across the tokens",
        "The split cuts across the tokens: the rows of a head are not one for each token. View as (b, "
        "tokens, heads, head_dim) first, then `transpose(1, 2)`.",
        section="05-multi-head#numbered-read",
        parts=("projections", "heads"),
    ),
    Fault(
        "merge-without-transpose",
        "the heads are merged without swapping heads and tokens back",
        "The merge hands each token pieces of other tokens. Swap heads and tokens back before you join them: "
        "`transpose(1, 2)`.",
        section="05-multi-head#not-contiguous-read",
        parts=("heads",),
    ),
    Fault(
        "split-interleaved",
        "a head gets every n-th number",
        "Head 0 gets every num_heads-th number of a projection. It should get the first head_dim numbers: view the "
        "last axis as (num_heads, head_dim).",
        section="05-multi-head#numbered-read",
        parts=("projections", "heads"),
    ),
    Fault(
        "heads-added",
        "the heads' contexts are added, not joined",
        "The heads' contexts are added or averaged as they are. Keep them side by side, so that the next matrix has a block for each head.",
        section="05-multi-head#added-heads-read",
        parts=("heads",),
    ),
    Fault(
        "one-head",
        "there is one head, whatever `num_heads` says",
        "This is one wide head: nothing was split. Split queries, keys and values into `num_heads`.",
        section="05-multi-head#split-read",
        parts=("heads",),
    ),
    Fault(
        "input-split",
        "the input is split between the heads before the projection",
        "The token itself is split between the heads, which share one narrow projection. Project all of `{x}` first, "
        "then split the result.",
        section="05-multi-head#split-read",
        parts=("heads",),
    ),
    Fault(
        "full-width-heads",
        "each head is as wide as all heads should be together",
        "The layers are num_heads times too wide: `d_out` is the width of all heads together, and each head gets "
        "`d_out // num_heads`.",
        section="05-multi-head#split-read",
        parts=("heads", "own-input-width"),
    ),
    Fault(
        "heads-typed-in",
        "the number of heads is typed in",
        "The number of heads is the same whatever `num_heads` says. Use the argument.",
        section="05-multi-head#split-read",
        parts=("heads",),
    ),
    Fault(
        "indivisible-accepted",
        "a width that the heads cannot share is accepted",
        "`__init__` accepts a width that `num_heads` does not divide. Refuse it there with a ValueError.",
        section="05-multi-head#fused-intro",
        parts=("divisible",),
    ),
    Fault(
        "no-out-proj",
        "there is no output layer, or it is never used",
        "The heads' contexts come out as they are, without `{out_proj}`. End with `return "
        "self.{out_proj}(…)`.",
        section="05-multi-head#fused-intro",
        parts=("out-proj",),
    ),
    Fault(
        "out-proj-twice",
        "the output layer is used twice",
        "`{out_proj}` is applied twice. Once is right.",
        section="05-multi-head#fused-intro",
        parts=("out-proj",),
    ),
    Fault(
        "out-proj-without-bias",
        "the output layer has no bias",
        "`{out_proj}` has no bias. It keeps the bias that `nn.Linear` has by default.",
        section="05-multi-head#fused-intro",
        parts=("out-proj",),
    ),
    # --- Dropout ----------------------------------------------------------------------------------------
    Fault(
        "no-dropout",
        "nothing is dropped in training",
        "Nothing is dropped in training. Apply `self.dropout` to the weights, after the softmax.",
        section="04-dropout#where-intro",
        parts=("dropout",),
    ),
    Fault(
        "dropout-on-scores",
        "dropout is applied to the scores",
        "Dropout is applied to the scores, before the softmax: a dropped score of 0 still gets weight. Apply it to "
        "the weights, after the softmax.",
        section="04-dropout#dropout-of-scores-read",
        parts=("dropout",),
        varies=True,
    ),
    Fault(
        "dropout-on-context",
        "dropout is applied to the context vectors",
        "Dropout is applied after the weights, to the context vectors or to the result. Apply it to the weights, before they are multiplied by the "
        "values.",
        section="04-dropout#where-intro",
        parts=("dropout",),
        varies=True,
    ),
    Fault(
        "dropout-on-input",
        "dropout is applied to the input or to the values",
        "Dropout is applied to the input or to the values. Apply it to the weights, before they are multiplied by "
        "the values.",
        section="04-dropout#where-intro",
        parts=("dropout",),
        varies=True,
    ),
    Fault(
        "dropout-in-eval",
        "dropout goes on in eval mode",
        "Dropout goes on in eval mode: `functional.dropout` needs `training=self.training`. An `nn.Dropout` that is "
        "made in `__init__` does this by itself. One that is made in `forward` is always in training mode.",
        section="04-dropout#bug-eval-dropout-task",
        parts=("dropout",),
        varies=True,
    ),
    Fault(
        "dropout-not-rescaled",
        "what dropout keeps is not divided by 1 − p",
        "What is kept is not divided by 1 − p. On average everything is then smaller than without dropout. "
        "`nn.Dropout` does this division itself.",
        section="04-dropout#renormalise-refuted",
        parts=("dropout",),
        varies=True,
    ),
    Fault(
        "dropout-rescaled-twice",
        "what dropout keeps is divided by 1 − p twice",
        "What is kept is divided by 1 − p twice. Dropout does so by itself; once is enough.",
        section="04-dropout#apply-dropout-task",
    ),
    Fault(
        "dropout-renormalised",
        "rows are normalised after dropout",
        "After dropout the rows are made to add up to 1 again. What is kept is divided by 1 − p and by nothing else.",
        section="04-dropout#renormalise-refuted",
        parts=("dropout",),
        varies=True,
    ),
    Fault(
        "dropout-typed-in",
        "the share to drop is typed in",
        "Another share is dropped than the argument says. Is it the same for every argument, or the share "
        "that should stay?",
        section="04-dropout#causal-attention-task",
        parts=("dropout",),
        varies=True,
    ),
    Fault(
        "dropout-same-each-time",
        "every call drops the same entries",
        "Each call drops the same entries. Set no seed inside: that is for the caller.",
        section="04-dropout#dropout-formula",
        parts=("dropout",),
    ),
    # --- Parameters and state ---------------------------------------------------------------------------
    Fault(
        "bias-always",
        "the layers have a bias whatever the argument says",
        "The layers for queries, keys and values always have a bias. Pass `bias=qkv_bias`.",
        section="02-trainable#linear-read",
        parts=("bias-option",),
    ),
    Fault(
        "bias-never",
        "the layers have no bias whatever the argument says",
        "The layers for queries, keys and values never have a bias. Pass `bias=qkv_bias`.",
        section="02-trainable#linear-read",
        parts=("bias-option",),
    ),
    Fault(
        "plain-tensors",
        "the weights are no parameters",
        "No optimiser finds the weights: they are plain tensors, or made in `forward`. Use `nn.Parameter` or `nn.Linear`, "
        "in `__init__`.",
        section="02-trainable#class-intro",
        parts=("class",),
    ),
    Fault(
        "unregistered-list",
        "layers are kept in a plain list",
        "The module does not know the layers' parameters, as with layers in a plain Python list. Use "
        "`nn.ModuleList`.",
        section="05-multi-head#multi-head-wrapper-task",
    ),
    Fault(
        "weights-made-in-forward",
        "weights are made anew at each call",
        "The weights are made in `forward`, so each call has others. Make them once, in `__init__`.",
        section="02-trainable#self-attention-v1-task",
        parts=("class",),
        varies=True,
    ),
    Fault(
        "detached",
        "the result is cut off from the parameters",
        "The way back from the result to the parameters, or to some of them, is cut. Take out what cuts it.",
        section="02-trainable#self-attention-v1-read",
        parts=("class",),
    ),
    Fault(
        "one-maximum-for-all",
        "a query is compared with more than its own maximum",
        "What is subtracted from a query's scores is not its own maximum: it is one for all queries, say, or it begins "
        "at 0. The weights of a query whose scores are far below it become 0. Keep one maximum for each, and begin "
        "at −∞.",
        section="11-fast-attention#online-softmax-task",
    ),
    Fault(
        "window-returned",
        "what is left of the window comes back",
        "What was cut off for the model is gone from the result too. Cut only what the model gets.",
        section="08-train-it#generate-task",
    ),
    Fault(
        "edits-its-argument",
        "the argument is changed in place",
        "The caller's `{x}` was changed. `+=`, `{x}[…] = …` and methods that end in `_` work in place. Work "
        "on a copy.",
        section="01-dot-product#softmax-naive-task",
    ),
    Fault(
        "reads-the-notebook",
        "a variable of the notebook is read instead of the argument",
        "`{name}` reads a variable of the notebook, so its result does not follow from its arguments alone. "
        "Use the arguments.",
        section="02-trainable#self-attention-v1-task",
    ),
    Fault(
        "sizes-typed-in",
        "sizes are typed in or read from the notebook",
        "The sizes are typed in, or read from the notebook. Take them from the arguments.",
    ),
    Fault(
        "first-sequence-only",
        "only the first sequence of the batch is used",
        "Only the first sequence of the batch comes back. The batch axis has to stay.",
        section="04-dropout#batch-copies",
        parts=("batch",),
    ),
    Fault(
        "batch-mixed",
        "the sequences of a batch mix",
        "The sequences of a batch mix with each other. Leave the batch axis alone.",
        section="04-dropout#batch-copies",
    ),
    Fault(
        "weights-returned",
        "the weights come back in place of the context vectors",
        "These are the weights. The task asks for the context vectors: multiply them with `{values}`.",
        section="01-dot-product#recap",
    ),
    Fault(
        "half-precision",
        "the result was computed in half precision",
        "The numbers are right to about three digits, as in half precision. Keep the input's dtype, and "
        "type in no number that is rounded.",
        parts=("class",),
        varies=True,
    ),
    Fault(
        "rounded",
        "the result is rounded",
        "The numbers are rounded. Return them as they are.",
        varies=True,
    ),
    Fault(
        "float-forced",
        "the result is float32 whatever the input is",
        "The result is float32 although the input is float64: digits are thrown away. Keep the input's dtype; a tensor that you make is float32 unless you say otherwise.",
        parts=("class",),
    ),
    # --- Met first in lesson 03: masks by hand, shares of rows, a detector for leaks -------------------
    Fault(
        "scale-typed-in",
        "the scale is typed in or read from the notebook",
        "The scale is the same for keys of every width: it does not come from the arguments. Take the width "
        "from there: `{width_code}`.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "not-boolean",
        "the result holds numbers, not booleans",
        "The result holds numbers. The task asks for booleans, True and False: end with `.bool()`.",
        section="03-causal#causal-mask-task",
    ),
    Fault(
        "only-itself-visible",
        "a token may look at nothing but itself",
        "Everything but the token itself is hidden, the past included. Hide only what comes after.",
        section="03-causal#causal-mask-task",
    ),
    Fault(
        "infinity-in-weights",
        "−∞ is filled into the weights, after the softmax",
        "−∞ is in the weights. It belongs in the scores, before the softmax. A weight that counts for nothing "
        "is 0.",
        section="03-causal#before-softmax-intro",
    ),
    Fault(
        "step-too-many",
        "the step of a later task is done already",
        "This does one step more than the task asks for. That step comes later.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "shares-of-raw-scores",
        "raw scores are divided by the sum of their row",
        "These are raw scores, divided by the sum of their row. Where scores of both signs meet in a row, some shares "
        "are negative, and no scale changes that, because it cancels. Softmax makes shares of scores.",
        section="03-causal#bug-raw-scores-task",
    ),
    Fault(
        "exp-overflows",
        "the exponential of a large score is infinite",
        "Of a large score, `exp` gives inf, and inf / inf is nan. `torch.softmax` subtracts the largest score "
        "first.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "sums-without-keepdim",
        "the row sums lose their axis and divide the columns",
        "Each *column* is divided by a row's sum. Without `keepdim=True` the sums lose their axis, and broadcasting "
        "lays them along the row. Write `sum(dim=-1, keepdim=True)`.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "divided-by-total",
        "all entries are divided by one total",
        "All entries together add up to 1. Each row must do so on its own: `sum(dim=-1, keepdim=True)`.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "divided-by-largest",
        "a row is divided by its largest entry",
        "The division is by the largest, so the largest is 1 now. Divide by the sum.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "sign-kept",
        "the sign of a difference is kept",
        "A difference below 0 goes unnoticed. Take `.abs()` of the difference first.",
        section="03-causal#proof-read",
    ),
    Fault(
        "mean-for-largest",
        "the mean is taken, not the largest",
        "This is the mean distance. One entry that is far off hides among many that agree: take the largest.",
        section="03-causal#proof-read",
    ),
    Fault(
        "sum-for-largest",
        "the sum is taken, not the largest",
        "This is the sum of all distances, which grows with the size of the matrix. Take the largest.",
        section="03-causal#proof-read",
    ),
    Fault(
        "transposed-result",
        "two axes of the result have changed places",
        "The last two axes of the result have changed places. Swap them back.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "last-token-only",
        "only the last token is changed",
        "Only the last token is changed. Let a loop change each one in turn.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "columns-cancel",
        "movements of several columns cancel out",
        "The movements of all columns are added with their signs, so two opposite ones cancel out. Take `.abs()` first.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "first-column-only",
        "only the first column is compared",
        "Only the first column of the outputs is compared. Any column can move: look at all of them.",
        section="03-causal#leaks-intro",
    ),
    # --- Met first in lesson 01: dot products, shares, weighted sums -----------------------------------
    Fault(
        "products-not-added",
        "the products are not added up",
        "The products are not added up yet. Add them up: that makes one number, or one vector, of them.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "cosine",
        "the dot products are divided by the vectors' lengths",
        "These are cosines: the vectors, or their dot products, were divided by the vectors' lengths. Keep the plain dot product.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "mean-for-sum",
        "a mean is taken where a sum belongs",
        "Something is divided by how many numbers go in: that is a mean. Take the sum itself.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "return-inside-loop",
        "only the first position comes back",
        "Only the first position is there. A function ends at the first `return` that it comes to.",
        section="01-dot-product#dot-product-task",
    ),
    Fault(
        "overwritten-in-loop",
        "each round of the loop replaces the one before",
        "Only the last round is left: each round replaces the one before. Add to a running total with `+=`, or give "
        "each round's result a place of its own.",
        section="01-dot-product#dot-product-task",
    ),
    Fault(
        "loop-stops-early",
        "the last position is left out",
        "The last position is missing. A range up to n already ends before n: let it run up to the number "
        "of positions.",
        section="01-dot-product#dot-product-task",
    ),
    Fault(
        "loop-starts-late",
        "the first position is left out",
        "The first position is missing. Positions count from 0: what starts at 1 leaves one out.",
        section="01-dot-product#sentence-read",
    ),
    Fault(
        "all-queries-at-once",
        "all tokens are queries where one is asked for",
        "This is the result of all tokens as queries. The task asks for that of one query.",
        section="01-dot-product#query-scores-intro",
    ),
    Fault(
        "one-query-only",
        "one position comes back where all are asked for",
        "This is the result of one position. The task asks for that of all of them.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "one-query-for-all",
        "every position has the result of the same one",
        "Every position has the result of the same one. Position i must have its own.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "dimensions-for-tokens",
        "the dimensions meet each other, not the tokens",
        "The dimensions are counted, or compared with each other. Compare the tokens: the rows of `{x}`.",
        section="01-dot-product#all-scores-matmul",
    ),
    Fault(
        "elementwise-product",
        "entries are multiplied where a matrix product belongs",
        "The numbers are multiplied entry by entry, as `*` does it. The matrix product is `@`.",
        section="01-dot-product#all-scores-matmul",
    ),
    Fault(
        "summed-over-other-axis",
        "the sum runs over the other axis",
        "The sum runs along the wrong axis. Add up over {sum_over}.",
        section="01-dot-product#sentence-read",
    ),
    Fault(
        "scaled-unasked",
        "the scores are scaled where plain ones are asked for",
        "The scores are divided by √d. Lesson 02 does that; here they stay plain dot products.",
        section="01-dot-product#explorer-read",
    ),
    Fault(
        "softmax-too-early",
        "softmax is applied where the scores are asked for",
        "Softmax is applied here already, so the numbers add up to 1. The task asks for what comes before it.",
        section="01-dot-product#softmax-intro",
    ),
    Fault(
        "scores-returned",
        "the scores come back in place of the context vectors",
        "These are the scores. Softmax makes weights of them, and the weights times `{values}` are the context vectors.",
        section="01-dot-product#recap",
    ),
    Fault(
        "fraction-upside-down",
        "the fraction is upside down",
        "Each number is 1 divided by the right one. In a fraction, what you divide by is on the right of "
        "`/`.",
        section="01-dot-product#sum-weights-intro",
    ),
    Fault(
        "not-normalised",
        "nothing is divided by the sum",
        "There is no division by the sum. Divide by it, so that the shares add up to 1.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "sigmoid-for-softmax",
        "each score is turned into a number between 0 and 1 by itself",
        "Each score becomes a number between 0 and 1 by itself, as `torch.sigmoid` does. Softmax divides by the sum of "
        "all exponentials.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "scores-negated",
        "the scores have the wrong sign",
        "The smallest score has the largest weight here: there is one minus sign too many.",
        section="01-dot-product#softmax-intro",
        parts=("softmax",),
    ),
    Fault(
        "log-softmax",
        "the logarithms of the weights are taken",
        "These are logarithms of the weights. Leave out the log.",
        section="01-dot-product#softmax-formula",
        parts=("softmax",),
    ),
    Fault(
        "softmax-over-everything",
        "one softmax runs over all scores together",
        "Here all weights together add up to 1. Each row has to, on its own: `{last_axis}`.",
        section="01-dot-product#all-weights-intro",
    ),
    Fault(
        "nan-replaced",
        "nan is replaced, not prevented",
        "Replacing nan hides the overflow: the weights of the largest scores are still wrong. Prevent it instead.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "weights-not-used",
        "the weights are not used",
        "Every token counts the same: the weights are not used. Multiply each token by its own weight.",
        section="01-dot-product#context-intro",
    ),
    Fault(
        "largest-only",
        "only the token with the largest weight counts",
        "Only the token with the largest weight is used. Use every token, each with its weight.",
        section="01-dot-product#context-intro",
    ),
    Fault(
        "residual-added",
        "the input is added to the context",
        "The token itself, or its value, was added to its context. Keep the weighted sum alone.",
        section="01-dot-product#context-intro",
        parts=("softmax",),
    ),
    Fault(
        "attended-twice",
        "the weights are applied twice",
        "The weights are applied twice: to `{values}`, and to the result again. Once is right.",
        section="01-dot-product#all-contexts-task",
    ),
    # --- Met first in lesson 02: projections and classes -----------------------------------------------
    Fault(
        "root-by-precedence",
        "the scores are divided by twice the width: the root was meant",
        "The scores are divided by the width and by 2: `d**1/2` means `(d**1) / 2`, and `/ d * 0.5` halves. A root is "
        "`d**0.5`: divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "scaled-by-half",
        "the scores are divided by half the width",
        "The scores are divided by half of the width: `* 0.5` halves, `** 0.5` is the root. Divide by {width}.",
        section="02-trainable#scale-intro",
    ),
    Fault(
        "scaled-by-square",
        "the scores are divided by the square of the width",
        "The scores are divided by the square of the width. Divide by its root, {width}.",
        section="02-trainable#scale-intro",
    ),
    Fault(
        "keys-not-turned",
        "the queries are multiplied by keys that are not transposed",
        "The queries are multiplied by keys that are not transposed, and the shapes do not fit. Write `{queries} @ "
        "{swap}`.",
        section="02-trainable#scores-of-one-query-task",
        parts=("projections",),
    ),
    Fault(
        "values-as-keys",
        "the values are used as keys",
        "Values are used as keys, or `{W_value}` made the keys. `{W_key}` makes the keys.",
        section="02-trainable#roles",
        parts=("projections",),
    ),
    Fault(
        "values-as-queries",
        "the values are used as queries",
        "Values are used as queries, or `{W_value}` made the queries. `{W_query}` makes the queries.",
        section="02-trainable#roles",
        parts=("projections",),
    ),
    Fault(
        "not-projected",
        "the input is left as it is",
        "This is the input itself. Multiply it by its matrix of weights.",
        section="02-trainable#roles-read",
    ),
    Fault(
        "activation-added",
        "an activation function is used where none belongs",
        "An activation function such as ReLU is used where this task asks for none: it cuts numbers below 0 "
        "off. Take it out.",
    ),
    Fault(
        "masked-needlessly",
        "the future is hidden although it should be visible",
        "Later tokens are hidden. Here every query sees every key: leave the mask out.",
    ),
    Fault(
        "tokens-pooled",
        "the tokens are averaged into one vector",
        "The tokens are averaged into one vector. Return one context vector for each token.",
    ),
    Fault(
        "context-normalised",
        "the result goes through a layer norm",
        "The vectors of the result are normalised: the mean of each is 0. Leave that out.",
    ),
    Fault(
        "own-value-only",
        "the result is the token's own value",
        "This is the token's own value. Use every token's value, each with its weight.",
    ),
    Fault(
        "reshaped-not-turned",
        "something is reshaped where it should be transposed",
        "The shape is right and the numbers are in the wrong places: `reshape` and `view` fill in reading order. "
        "`.T` transposes a matrix.",
        section="02-trainable#linear-read",
    ),
    Fault(
        "weight-not-turned",
        "a linear layer's weight is used without being transposed",
        "The weight of a layer is not transposed. `nn.Linear` stores it as (d_out, d_in): call the layer, or use `.weight.T`.",
        section="02-trainable#linear-read",
    ),
    Fault(
        "bias-not-added",
        "the layers' biases are never added",
        "With a bias this is wrong: only `.weight` is used, so the bias is never added. Call the layer.",
        section="02-trainable#linear-read",
    ),
    Fault(
        "bias-turned",
        "the layers have a bias when they should have none",
        "The layers have a bias when `qkv_bias` is False, and none when it is True. Pass `bias=qkv_bias` as it is.",
        section="02-trainable#linear-read",
    ),
    Fault(
        "bias-by-default",
        "the layers have a bias unless they are told otherwise",
        "`qkv_bias` is True where it is not given. Its default is False.",
        section="04-dropout#causal-attention-task",
    ),
    Fault(
        "sizes-turned",
        "a layer's input and output size have changed places",
        "The size that goes in and the size that comes out have changed places: it should be (d_in, d_out).",
        section="02-trainable#linear-read",
    ),
    Fault(
        "other-names",
        "the parameters have other names",
        "The parameters have names of their own. This task wants `{W_query}`, `{W_key}` and `{W_value}`.",
        parts=("class",),
    ),
    Fault(
        "parameter-for-linear",
        "plain parameters are used where linear layers are asked for",
        "These are plain parameters. This task wants an `nn.Linear` for each.",
    ),
    Fault(
        "fused-projection",
        "one layer makes queries, keys and values together",
        "One layer makes queries, keys and values together. This task wants three: `{W_query}`, `{W_key}` and `{W_value}`.",
    ),
    Fault(
        "one-matrix-for-all",
        "queries, keys and values share one matrix",
        "One and the same matrix makes queries, keys and values. Each of the three needs its own.",
    ),
    Fault(
        "no-super-init",
        "`super().__init__()` is missing",
        "`__init__` has to begin with `super().__init__()`: before that a module cannot hold parameters.",
        section="02-trainable#class-intro",
        parts=("class",),
    ),
    Fault(
        "returns-nothing",
        "nothing is returned",
        "Nothing is returned. Does the last line begin with `return`?",
        parts=("class",),
    ),
    Fault(
        "returns-a-tuple",
        "the weights come back beside the result",
        "Several things come back, joined by a comma. Return the context vectors alone.",
        parts=("class",),
    ),
    Fault(
        "extra-axis",
        "the result has an axis too many",
        "The result has an axis of size 1 too many. Take it out.",
    ),
    Fault(
        "left-as-given",
        "the bug is still there",
        "The bug of the code as it was given is still there.",
    ),
    Fault(
        "condition-ignored",
        "a switch has no effect",
        "The same is done whatever the switch says. Put it under an `if`.",
    ),
    Fault(
        "deviation-uncorrected",
        "the standard deviation is taken without torch's correction",
        "This is the standard deviation without torch's correction for small samples. Use `.std()` as it is.",
    ),
    Fault(
        "variance-for-deviation",
        "the variance is taken for the standard deviation",
        "This is the variance. The standard deviation is its root: `.std()`.",
    ),
    Fault(
        "layer-forgotten",
        "not all layers get new weights",
        "Some parameters still hold their old numbers. All three get new ones.",
    ),
    Fault(
        "outside-no-grad",
        "a parameter is overwritten while gradients are recorded",
        "PyTorch refuses to overwrite a parameter while gradients are recorded. Put it inside `with torch.no_grad():`.",
        section="02-trainable#copy-weights-task",
    ),
    Fault(
        "wrong-object-returned",
        "another object is returned than the one asked for",
        "Another object comes back than the one that is asked for.",
    ),
    # --- Met first in lesson 04: dropout, batches, a mask that belongs to the module -------------------
    Fault(
        "p-as-share-kept",
        "p is read as the share that is kept",
        "A share p is kept and a share 1 − p dropped. In PyTorch, and here, p is the share that is dropped.",
        section="04-dropout#dropout-formula",
        parts=("dropout",),
    ),
    Fault(
        "dropped-together",
        "several entries share one random decision",
        "Whole rows, whole columns, or all entries are dropped together. Draw one number for each entry.",
        section="04-dropout#renormalise-refuted",
        varies=True,
    ),
    Fault(
        "modes-swapped",
        "dropout works in eval mode and not in training",
        "Something is dropped in evaluation and nothing in training. It should be the other way round.",
        section="04-dropout#train-eval-intro",
        varies=True,
    ),
    Fault(
        "rescaled-in-eval-instead",
        "eval mode multiplies by 1 − p in place of training's division",
        "The numbers are multiplied by 1 − p in evaluation, as in the first papers on dropout. Here training makes up "
        "for what is dropped, by its division by 1 − p. Leave evaluation alone.",
        section="04-dropout#renormalise-refuted",
        parts=("dropout",),
    ),
    Fault(
        "dropout-twice",
        "dropout is applied to the weights and once more elsewhere",
        "Dropout is applied to the weights, and then once more, to the context vectors for example. This task asks "
        "for it on the weights alone.",
        section="04-dropout#where-intro",
        parts=("dropout",),
        varies=True,
    ),
    Fault(
        "first-sequence-for-all",
        "one sequence of the batch takes the place of all",
        "Something of one sequence is used for all of them. With equal sequences that goes unnoticed. Leave "
        "the batch axis where it is.",
        section="04-dropout#batch-copies",
        parts=("batch",),
    ),
    Fault(
        "batch-summed",
        "the sequences of a batch are added up",
        "The results of all sequences are added up: the batch axis is gone. Keep it in the result.",
        section="04-dropout#batch-matmul",
    ),
    Fault(
        "tokens-counted-on-another-axis",
        "the number of tokens is read from another axis",
        "The number of tokens is read from another axis. In (b, tokens, d_in) the tokens are axis 1: `x.shape[1]`.",
        section="04-dropout#batch-matmul",
        parts=("context-length", "batch"),
    ),
    Fault(
        "mask-fills-infinity",
        "hidden scores become +∞",
        "Hidden scores become +∞, so that they get all the weight, or nan. Watch the minus sign: fill with `-torch.inf`.",
        section="03-causal#minus-infinity-read",
        parts=("masking",),
    ),
    Fault(
        "mask-misaligned",
        "the mask is cut from the wrong corner",
        "The mask is cut from the wrong corner: its rows and its columns must begin at the same token. "
        "`[:num_tokens, :num_tokens]` does that.",
        section="04-dropout#causal-attention-task",
        parts=("context-length",),
    ),
    Fault(
        "mask-not-saved",
        "the mask is missing from the state dict",
        "The mask moves with the module, but its state dict holds no `mask`. Is the buffer called `mask`, and made in "
        "the constructor, without `persistent=False`?",
        section="04-dropout#buffer-intro",
        parts=("buffer",),
    ),
    Fault(
        "mask-is-a-parameter",
        "the mask is a parameter",
        "The mask is an `nn.Parameter`, although nothing in it is learned. What belongs to a module and is not learned is "
        'a buffer: `self.register_buffer("mask", …)`.',
        section="04-dropout#buffer-intro",
        parts=("buffer",),
    ),
    Fault(
        "made-on-the-cpu",
        "a tensor that `forward` makes is always on the CPU",
        "A tensor that `forward` makes, or that is kept as a plain attribute, stays on "
        "the CPU: is it the mask? On another device it cannot be used with the scores. Catching the error would "
        "only leave the mask out there.",
        section="04-dropout#buffer-intro",
    ),
    Fault(
        "bias-uneven",
        "not all three layers follow `qkv_bias`",
        "Some of the three layers follow `qkv_bias` and some do not. Pass `bias=qkv_bias` to all of them.",
        section="04-dropout#causal-attention-task",
        parts=("bias-option",),
    ),
    Fault(
        "layer-added",
        "there is a layer that the task does not ask for",
        "There is a layer that this task does not ask for, such as an output layer. Take it out.",
    ),
    # --- Met first in lesson 05: heads -----------------------------------------------------------------
    Fault(
        "split-and-merge-without-transpose",
        "split and merge both leave out the transpose",
        "Split and merge both leave out the transpose. They undo one another, so the shapes fit, yet each head contains "
        "only a part of the tokens. Both need `transpose(1, 2)`.",
        section="05-multi-head#numbered-read",
        parts=("projections", "heads"),
    ),
    Fault(
        "heads-not-brought-forward",
        "the heads' axis stays behind that of the tokens",
        "The heads' axis stays behind that of the tokens. In a product, the axes that meet should be the tokens of one "
        "head: view as (b, tokens, heads, head_dim), then swap axes 1 and 2.",
        section="05-multi-head#numbered-read",
        parts=("projections", "heads"),
    ),
    Fault(
        "head-dim-for-heads",
        "head_dim and the number of heads have changed places",
        "The two new axes are the wrong way round. Cut the last axis as (num_heads, head_dim).",
        section="05-multi-head#numbered-read",
        parts=("projections", "heads"),
    ),
    Fault(
        "merge-interleaved",
        "a token's numbers alternate between the heads",
        "A token's numbers alternate between the heads. All of head 0 should come first, then all of head "
        "1: before the axes are joined they should be (b, tokens, heads, head_dim).",
        section="05-multi-head#not-contiguous-read",
        parts=("heads",),
    ),
    Fault(
        "heads-not-joined",
        "the heads are never joined",
        "The heads still have an axis of their own. Make the last two axes one: (b, tokens, heads * head_dim).",
        section="05-multi-head#not-contiguous-read",
        parts=("heads",),
    ),
    Fault(
        "wrong-axes-swapped",
        "the wrong axes have changed places",
        "The wrong axes have changed places. Tokens and heads should change theirs, and head_dim should stay last: "
        "`transpose(1, 2)`.",
        section="05-multi-head#numbered-read",
    ),
    Fault(
        "view-of-a-transpose",
        "`view` is called on a tensor that is not contiguous",
        "After `transpose` the numbers no longer lie in reading order, and `view` refuses them: put `.contiguous()` before "
        "it, or use `reshape`. If the message speaks of an invalid shape instead, print the shape before that line: the "
        "last axis becomes heads × head_dim.",
        section="05-multi-head#not-contiguous-read",
    ),
    Fault(
        "joined-along-wrong-axis",
        "the heads' pieces are joined along another axis",
        "The heads' pieces are joined along another axis. Join them along the last one: `torch.cat(…, "
        "dim=-1)`.",
        section="05-multi-head#error-with-heads-task",
    ),
    Fault(
        "first-head-only",
        "only the first head is there",
        "Only head 0 is there. Every head is part of the result.",
    ),
    Fault(
        "first-head-for-all",
        "head 0 is used for every head",
        "Every head gives what head 0 gives. Each has to give its own.",
    ),
    Fault(
        "heads-in-reverse",
        "the heads are in reverse order",
        "The heads are in reverse order. Head 0 comes first.",
    ),
    Fault(
        "heads-crossed",
        "each head's queries meet another head's keys",
        "Each head's queries meet another head's keys. A head's queries and keys belong together.",
        section="05-multi-head#batched-head-scores-task",
    ),
    Fault(
        "divisible-refused",
        "a width that the heads can share is refused",
        "A width that `num_heads` does divide is refused. Refuse only where `d_out % num_heads` is not 0.",
        section="05-multi-head#fused-intro",
        parts=("divisible",),
    ),
    Fault(
        "out-proj-of-other-size",
        "the output layer has another size",
        "`{out_proj}` has another size: its input and its output are both as wide as all heads together.",
        section="05-multi-head#fused-intro",
        parts=("out-proj",),
    ),
    Fault(
        "fixed-in-part",
        "the bug is fixed in some places only",
        "Some places are fixed, and the same bug is left in others.",
    ),
    Fault(
        "symptom-hidden",
        "the symptom is gone and the bug is still there",
        "What you saw is gone, and the bug is only hidden. Undo the change, and fix the cause.",
    ),
    Fault(
        "nothing-copied",
        "nothing is copied",
        "The object still has the weights that it was made with. Write into them: `parameter.copy_(values)` under "
        "`torch.no_grad()`.",
    ),
    Fault(
        "out-proj-not-set",
        "the output layer keeps numbers that it was drawn with",
        "`{out_proj}` still mixes the heads with random numbers: set its weight to `torch.eye` and "
        "its bias to zeros.",
        section="05-multi-head#copy-into-fused-task",
    ),
    Fault(
        "matrices-turned",
        "matrices are transposed on their way",
        "The matrices are transposed on their way. Both classes keep them as (out, in), so no `.T` is needed; where "
        "a head is as wide as a token, the shapes do not show it.",
        section="05-multi-head#weight-shapes",
    ),
    # --- Met first in lesson 06: heads of a batch, padding, two sentences ------------------------------
    Fault(
        "keys-turned-on-other-axes",
        "the keys are transposed along other axes than the last two",
        "The keys are transposed along other axes than their last two. `.T` reverses all axes, and `transpose(1, "
        "2)` swaps heads and tokens. Write `{swap}`.",
        section="06-encoder-decoder#scores-intro",
    ),
    Fault(
        "keys-not-rotated",
        "only the queries are rotated",
        "Only the queries are rotated. A score depends on the distance when queries **and** keys are.",
        section="12-real-models#llama-attention-task",
    ),
    Fault(
        "values-rotated",
        "the values are rotated as well",
        "The values are rotated, too. Rotate queries and keys only.",
        section="12-real-models#llama-attention-task",
    ),
    Fault(
        "values-before-keys",
        "the values' rows come before the keys'",
        "The rows of the values come before those of the keys. The order is query, key, value.",
        section="11-fast-attention#rows-read",
    ),
    Fault(
        "future-visible",
        "the causal mask is left out",
        "The causal mask is left out here, so the future is visible. Use it as well.",
        section="06-encoder-decoder#combine-intro",
    ),
    # --- Training and looking inside ---------------------------------------------------------------------
    Fault(
        "positions-not-added",
        "the learned positions are not added",
        'With `position="learned"` the positions are not added to the embeddings.',
        section="08-train-it#tiny-transformer-task",
    ),
    Fault(
        "last-norm-left-out",
        "the last LayerNorm is left out",
        "The last LayerNorm, `norm`, is not used before the unembedding.",
        section="08-train-it#tiny-transformer-task",
    ),
    Fault(
        "softmax-in-the-model",
        "the model returns probabilities",
        "The model returns probabilities. It should return the logits: the loss does the softmax.",
        section="08-train-it#tiny-transformer-task",
    ),
    Fault(
        "labels-not-shifted",
        "the labels are not shifted",
        "Position t is compared with token t, which it has just read. It should predict token t + 1.",
        section="08-train-it#next-token-labels-intro",
    ),
    Fault(
        "shifted-the-other-way",
        "the labels are shifted the wrong way",
        "The labels are shifted the wrong way: position t is asked for token t - 1.",
        section="08-train-it#next-token-labels-intro",
    ),
    Fault(
        "softmax-before-the-loss",
        "a softmax comes before the cross-entropy",
        "A softmax comes before the loss, which has one of its own. Give it the logits.",
        section="08-train-it#bug-training-loop-task",
    ),
    Fault(
        "match-for-successor",
        "the token itself is looked for, not the one after",
        "This is the diagonal of the token that is *equal*. Induction looks at the one after it: `t - period + 1`.",
        section="09-take-it-apart#induction-score-task",
    ),
    Fault(
        "one-too-far-back",
        "the diagonal lies too far back",
        "This looks too far back: at what came *before* the same token.",
        section="09-take-it-apart#induction-score-task",
    ),
    Fault(
        "added-not-averaged",
        "a sum is taken in the place of a mean",
        "A sum is taken where a mean belongs. Take the mean.",
        section="09-take-it-apart#induction-score-task",
    ),
    Fault(
        "heads-averaged",
        "the heads are averaged",
        "One number comes back for all heads. Each head has its own.",
        section="09-take-it-apart#induction-score-task",
    ),
    Fault(
        "hook-stays",
        "the hook is never removed",
        "After the call the model is not what it was. A hook stays until `hook.remove()`, and a changed weight stays, too.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "wrong-head-removed",
        "another head is removed",
        "Another head than the one asked for is removed.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "heads-cut-wrongly",
        "the heads are cut out of the wrong axis",
        "The heads are cut out in the wrong places. Their numbers lie side by side: cut the last axis into (num_heads, head_dim), in this order.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "token-removed",
        "a token is removed, not a head",
        "The contexts of one token are replaced here, not those of one head. Which axis counts the heads?",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "layer-ignored",
        "always the same layer is used",
        "Always the same block is used. Take `model.blocks[layer]`.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "difference-turned",
        "the difference is the wrong way round",
        "The difference is the wrong way round. It should be the loss without the head, minus the loss of "
        "the whole model.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "loss-without-comparison",
        "the loss is not compared with that of the whole model",
        "The loss of the whole model is not subtracted.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "result-removed",
        "numbers after out_proj are removed",
        "The result of `out_proj` is changed here, where the heads are mixed already. Change what goes *into* it: a pre-hook.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "left-in-training-mode",
        "the model is left in training mode",
        "The model is left in training mode, and stays there in whatever is done with it next. Leave it in eval "
        "mode.",
        section="08-train-it#bug-evaluation-task",
    ),
    # --- Reading a model -----------------------------------------------------------------------------------
    Fault(
        "base-of-two",
        "the perplexity is taken to the base of 2",
        "The base is 2 here. `cross_entropy` uses the natural logarithm, so it should be e: `.exp()`.",
        section="10-read-a-model#perplexity-task",
    ),
    Fault(
        "groups-taken-in-turn",
        "query heads take the groups in turn",
        "The groups come in turn, 0, 1, 0, 1. Neighbouring heads share one: `repeat_interleave`.",
        section="12-real-models#llama-attention-task",
    ),
    Fault(
        "base-not-passed-on",
        "the base is not passed on to RoPE",
        "`apply_rope` gets its own base of 10000. Pass on the base that the class was made with.",
        section="12-real-models#llama-attention-task",
    ),
    Fault(
        "eps-not-passed-on",
        "the epsilon is not passed on to the norms",
        "The norms of queries and keys have their own epsilon. Pass `eps` on.",
        section="12-real-models#llama-attention-task",
    ),
    Fault(
        "counted-from-one",
        "positions are counted from 1",
        "The first position counts as 1. Positions count from 0.",
        section="07-positions#learned-read",
    ),
    Fault(
        "positions-not-used",
        "positions are counted from 0 instead of read",
        "Each call begins at position 0, whatever `positions` begins with. Use `positions` as they are: the "
        "first token can be anywhere.",
        section="07-positions#generating-intro",
    ),
    Fault(
        "neighbours-for-halves",
        "neighbours are paired where halves belong together",
        "Neighbours are paired: this is the interleaved form, or a part of it. Here number i of the first "
        "half belongs to number i of the second: `x.chunk(2, dim=-1)`.",
        section="07-positions#half-split-intro",
    ),
    Fault(
        "turned-backwards",
        "the rotation goes the other way round",
        "The rotation goes the other way round, clockwise. Check the signs: a cos − b sin, and a sin + b cos.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "mean-subtracted",
        "the mean is subtracted",
        "The mean is subtracted first, as in LayerNorm. RMSNorm only divides.",
        section="12-real-models#llama-intro",
    ),
    Fault(
        "sum-for-mean-square",
        "the squares are added, not averaged",
        "The squares are added. Take their mean.",
        section="12-real-models#llama-intro",
    ),
    Fault(
        "spread-for-mean-square",
        "the norm divides by the standard deviation",
        "This divides by the standard deviation, so the mean is taken off in it. RMSNorm takes the mean of the squares themselves.",
        section="12-real-models#llama-intro",
    ),
    Fault(
        "mean-square-over-tokens",
        "the mean square runs over the tokens",
        "The mean square runs over the tokens. Each token is divided by its own: `dim=-1`.",
        section="12-real-models#llama-intro",
    ),
    Fault(
        "epsilon-behind-the-root",
        "the epsilon is added after the root",
        "The epsilon is added to the root. It belongs under it.",
        section="12-real-models#llama-intro",
    ),
    Fault(
        "multiplied-by-the-root",
        "the vector is multiplied by its root mean square",
        "The vector is multiplied by the root. Divide by it.",
        section="12-real-models#llama-intro",
    ),
)
