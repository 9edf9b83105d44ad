"""Every mistake that the course knows, named once.

A lesson's `tasks.py` says which edit of a solution makes a mistake; what it is called, the hint it deserves
and the section that explains it stand here. `WORDS` fills in what a hint leaves open, unless the task's own
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
    OnResult("return-inside-loop", lambda result, axis: result.narrow(axis, 0, 1), QUERIES, least=2),
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
        "The scores are divided by the root of the input's width. A score is a sum of as many products as a key "
        "has numbers: divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling", "own-input-width"),
    ),
    Fault(
        "scaled-by-model-width",
        "the scores are divided by the root of all heads' width together",
        "The scores are divided by the root of the width of all heads together. A score sums over one head's "
        "numbers only: divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling", "heads"),
    ),
    Fault(
        "scaled-without-root",
        "the scores are divided by the width, not by its root",
        "The scores are divided by the width itself. Take its root: divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "scaled-up",
        "the scores are multiplied where they should be divided",
        "The scores are multiplied by {width}. Divide by it.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "scaled-by-tokens",
        "the scores are divided by the root of the number of tokens",
        "The scores are divided by the root of the number of tokens. Divide by {width}, the root of the size of "
        "the axis that the dot product sums over.",
        section="02-trainable#scale-intro",
        parts=("scaling",),
    ),
    Fault(
        "scaled-by-batch",
        "the scores are divided by the root of the batch size",
        "The scores are divided by the root of the batch size: `shape[0]` counts the sequences. Divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling", "batch"),
    ),
    Fault(
        "scaled-by-heads",
        "the scores are divided by the root of the number of heads",
        "The scores are divided by the root of the number of heads. Divide by {width}.",
        section="02-trainable#scale-intro",
        parts=("scaling", "heads"),
    ),
    Fault(
        "scaled-after-softmax",
        "the weights are divided, not the scores",
        "The division comes after the softmax, so the rows of the weights no longer add up to 1. Divide the scores, "
        "before the softmax.",
        section="02-trainable#scaled-weights-tempting",
        parts=("scaling",),
    ),
    Fault(
        "scaled-twice",
        "the scores are divided twice",
        "There are two divisions by {width}. Divide the scores once, and nothing else.",
        section="02-trainable#scale-intro",
    ),
    Fault(
        "scores-turned",
        "queries and keys have changed places in the scores",
        "Queries and keys have changed places: row i must hold the scores of query i.",
        section="02-trainable#scaled-weights-map-read",
        parts=("projections",),
    ),
    Fault(
        "keys-reshaped",
        "the keys are reshaped where two axes should be swapped",
        "The keys are cut into another shape with `view` or `reshape`, which puts their numbers in the wrong places. "
        "Swap the last two axes: `{swap}`.",
        section="01-dot-product#all-scores-matmul",
        parts=("projections",),
    ),
    # --- Softmax ----------------------------------------------------------------------------------------
    Fault(
        "softmax-over-queries",
        "softmax runs over the queries",
        "Softmax runs over the queries, so each column adds up to 1. Each query shares out its own attention: "
        "`{last_axis}`.",
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
        "There is no softmax: the scores themselves are used as weights. Let softmax turn each query's scores into "
        "shares that add up to 1.",
        section="01-dot-product#softmax-intro",
        parts=("softmax",),
    ),
    Fault(
        "softmax-twice",
        "softmax runs twice",
        "Softmax runs twice. The second one makes the weights nearly equal, and it gives a weight of 0 some weight "
        "again. Once is right.",
        section="01-dot-product#softmax-intro",
        parts=("softmax",),
    ),
    # --- Masks ------------------------------------------------------------------------------------------
    Fault(
        "no-mask",
        "no mask reaches the scores",
        "Nothing is hidden, so every token sees the whole sentence. `masked_fill` gives a new tensor: keep what it "
        "returns.",
        section="03-causal#minus-infinity-read",
        parts=("masking",),
    ),
    Fault(
        "mask-fills-zero",
        "hidden scores become 0",
        "Hidden scores are set to 0, and the exponential of 0 is 1: they still get weight. Fill with `-torch.inf`.",
        section="03-causal#before-softmax-intro",
        parts=("masking",),
    ),
    Fault(
        "mask-fills-small",
        "hidden scores become a number that is not small enough",
        "Hidden scores get a number that is not low enough. They keep some weight, so the future leaks. Fill "
        "with `-torch.inf`.",
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
        "mask-multiplied",
        "the scores are multiplied by a mask",
        "The scores are multiplied by a mask, so hidden ones become 0, and 0 still gets weight. Fill with "
        "`-torch.inf`.",
        section="03-causal#before-softmax-intro",
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
        "The past is hidden and the future is visible: `tril` and `triu` are confused, or the mask is transposed.",
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
        "The diagonal is hidden as well. Then nothing is visible to the first token, and its row is nan or 0. "
        "`torch.triu` needs `diagonal=1`; `torch.tril` needs no `diagonal=`.",
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
        "What is hidden is read from the scores' values, so a score of exactly 0 counts as visible or hidden by chance. "
        "Make the mask from positions.",
        section="03-causal#bug-mask-task",
        parts=("causal",),
    ),
    Fault(
        "mask-not-cut",
        "the mask is not cut to the tokens present",
        "The mask is as large as `context_length`. With fewer tokens it must be cut: `[:num_tokens, :num_tokens]`.",
        section="04-dropout#causal-attention-task",
        parts=("context-length",),
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
        "mask-of-first-head",
        "the mask of head 0 serves for all heads",
        "The mask may differ from head to head. Here that of head 0 is used for all: keep its axis of heads.",
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
        "Keys stand where values belong: the weights are multiplied by the keys, or `{W_key}` made the values. "
        "`{W_value}` makes the values.",
        section="02-trainable#context-intro",
        parts=("projections",),
    ),
    Fault(
        "queries-as-values",
        "the weights are multiplied by the queries, not by the values",
        "Queries stand where values belong: the weights are multiplied by the queries, or `{W_query}` made the "
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
        "the keys stand in for the queries",
        "Keys stand where queries belong, so `{W_query}` is never used. It makes the queries.",
        section="02-trainable#roles",
        parts=("projections",),
    ),
    Fault(
        "queries-as-keys",
        "the queries stand in for the keys",
        "Queries stand where keys belong, so `{W_key}` is never used. It makes the keys.",
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
        "The split cuts across the tokens: a head's rows are pieces of several tokens. View as (b, tokens, heads, "
        "head_dim) first, then `transpose(1, 2)`.",
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
        "A width that `num_heads` does not divide is accepted. Refuse it with a ValueError.",
        section="05-multi-head#fused-intro",
        parts=("divisible",),
    ),
    Fault(
        "no-out-proj",
        "there is no output layer, or it is never used",
        "`{out_proj}` is missing or never called: the heads' contexts come out as they are. End with "
        "`return self.{out_proj}(…)`.",
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
        "Dropout is applied to the context vectors. Apply it to the weights, before they are multiplied by the "
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
        "What is kept is not divided by 1 − p. On average everything is then smaller in training than in eval mode. "
        "`nn.Dropout` divides by itself.",
        section="04-dropout#renormalise-refuted",
        parts=("dropout",),
        varies=True,
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
        "The same share is dropped whatever the argument says. Use the argument.",
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
        "The layers are kept in a plain Python list, so the module does not know their parameters. Use `nn.ModuleList`.",
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
        "The way back from the result to the parameters, or to some of them, is cut. Take out "
        "`.detach()`, `.data`, `torch.no_grad()` or `requires_grad=False`.",
        section="02-trainable#self-attention-v1-read",
        parts=("class",),
    ),
    Fault(
        "edits-its-argument",
        "the argument is changed in place",
        "The caller's `{x}` was changed. `+=`, `x[…] = …` and methods that end in `_` work in place. Give the result a "
        "name of its own.",
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
        "The sequences of a batch mix with each other. Leave the first axis alone.",
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
        "The numbers are right to about three digits: something was computed in half precision. Keep the input's dtype.",
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
        "The result is float32 although the input is float64: `.float()` throws digits away. Keep the input's dtype.",
        parts=("class",),
    ),
    # --- Lesson 03: masks by hand, shares of rows, a detector for leaks ----------------------------------
    Fault(
        "scaled-by-value-width",
        "the scores are divided by the root of the values' width",
        "The scores are divided by the root of the width of the *values*. A score sums over the numbers of a key: "
        "divide by {width}.",
        section="03-causal#causal-attention-intro",
    ),
    Fault(
        "scale-typed-in",
        "the scale is typed in or read from the notebook",
        "The scale is the same for keys of every width: a number is typed in, or the notebook's `d_k` is read. Take "
        "the width from the argument: `{width_code}`.",
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
        "only-next-token-hidden",
        "only the very next token is hidden",
        "Only the very next token is hidden. All later tokens must be hidden too.",
        section="03-causal#causal-mask-task",
    ),
    Fault(
        "only-itself-visible",
        "a token may look at nothing but itself",
        "Everything but the token itself is hidden, the past included. Hide only what comes after.",
        section="03-causal#causal-mask-task",
    ),
    Fault(
        "all-hidden",
        "everything is hidden",
        "Every entry is True, so a query may look at nothing. Hide only what comes after it.",
        section="03-causal#causal-mask-task",
    ),
    Fault(
        "mask-is-one-row",
        "the mask is one row for all queries",
        "This is one row. Every query needs a row of its own: compare `torch.arange(n)` as a row with the same as a "
        "column, or use `torch.triu`.",
        section="03-causal#triangles",
    ),
    Fault(
        "mask-alone",
        "the mask itself is the result",
        "This is the triangle of ones itself. Multiply the weights by it.",
        section="03-causal#mask-after-softmax-task",
    ),
    Fault(
        "mask-as-matrix-product",
        "the matrix product stands where entries should be multiplied",
        "`@` is the matrix product. To set single entries to 0, multiply entry by entry, with `*`.",
        section="03-causal#mask-after-softmax-task",
    ),
    Fault(
        "infinity-in-weights",
        "−∞ is filled into the weights, after the softmax",
        "−∞ stands in the weights. It belongs in the scores, before the softmax. A weight that counts for nothing "
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
        "These are raw scores, divided by the sum of their row. With a negative score the shares are negative or above "
        "1, and no scale changes that, because it cancels. Softmax makes shares of scores.",
        section="03-causal#bug-raw-scores-task",
    ),
    Fault(
        "negative-scores-patched",
        "the sign of negative scores is treated, and there is no softmax",
        "There is no softmax: negative scores are moved, turned or cut off, so that the shares look right. Let softmax "
        "make shares of the scores as they are.",
        section="03-causal#bug-raw-scores-task",
    ),
    Fault(
        "softmax-of-shares",
        "the softmax comes last",
        "The softmax comes last here. It gives every hidden 0 a weight again, because e⁰ is 1. Put it before the mask.",
        section="03-causal#before-softmax-intro",
    ),
    Fault(
        "exp-overflows",
        "the exponential of a large score is infinite",
        "This is right for ordinary scores. Near 150, `exp` gives inf, and inf / inf is nan. `torch.softmax` "
        "subtracts the largest score first.",
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
        "columns-normalised",
        "each column is divided by its sum",
        "Here each column adds up to 1. A query's weights stand in a row: sum over `dim=-1`.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "divided-by-total",
        "all entries are divided by one total",
        "All entries together add up to 1. Each row must do so on its own: `sum(dim=-1, keepdim=True)`.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "divided-by-count",
        "a row is divided by the number of its entries",
        "You divided by how many there are. Divide by their sum.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "divided-by-largest",
        "a row is divided by its largest entry",
        "You divided by the largest, so the largest is 1 now. Divide by the sum.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "multiplied-by-sum",
        "the row sums are multiplied in",
        "The numbers are multiplied by their sum. Divide by it.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "remainder-to-itself",
        "the share that is missing goes to the diagonal",
        "What is missing goes to the diagonal. The rows add up to 1, but each visible token should grow in the same "
        "proportion: divide.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "sign-kept",
        "the sign of a difference is kept",
        "A difference below 0 goes unnoticed. Take `.abs()` of the difference first.",
        section="03-causal#proof-read",
    ),
    Fault(
        "abs-too-late",
        "the sign is removed after the largest is chosen",
        "The largest difference is chosen before its sign is removed, so the most negative one is missed. `.abs()` "
        "comes before `.max()`.",
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
        "smallest-for-largest",
        "the smallest is taken, not the largest",
        "This is the smallest distance. Take the largest.",
        section="03-causal#proof-read",
    ),
    Fault(
        "norm-for-largest",
        "the length of all differences is taken, not the largest",
        "This is the length of the difference, over all entries. Take the largest single distance.",
        section="03-causal#proof-read",
    ),
    Fault(
        "difference-of-largest",
        "the two largest entries are compared",
        "This compares the two largest entries, which may stand in different places. Subtract entry by entry, then "
        "take the largest.",
        section="03-causal#proof-read",
    ),
    Fault(
        "squared-for-abs",
        "differences are squared",
        "The distances are squared, so a small one looks far smaller. Use `.abs()`.",
        section="03-causal#proof-read",
    ),
    Fault(
        "compared-with-itself",
        "a result is compared with itself",
        "The difference is always 0: nothing is compared, or the same thing twice. Call both `first` and `second`, and "
        "no other function.",
        section="03-causal#proof-read",
    ),
    Fault(
        "function-not-called",
        "one of the functions is never called",
        "The first result is compared with the scores, and the second function is never called.",
        section="03-causal#proof-read",
    ),
    Fault(
        "one-number-per-row",
        "there is one number for each row",
        "This is one number for each row. The task asks for one number for the whole matrix.",
        section="03-causal#proof-read",
    ),
    Fault(
        "past-counts-as-leak",
        "looking at the past counts as a leak",
        "Entries below the diagonal are True as well: looking at the past is no leak. Keep only the rows before `j`.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "itself-counts-as-leak",
        "looking at itself counts as a leak",
        "The diagonal is True: an output depends on its own token, and that is no leak. Stop before row `j`.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "past-for-future",
        "the past is tested, not the future",
        "The rows *after* `j` are tested. Token `j` is the future of the rows before it.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "transposed-result",
        "the result's rows and columns have changed places",
        "The result's rows and columns have changed places. Transpose it with `.T`.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "next-token-only",
        "only the very next token is tested",
        "Only leaks from the very next token are found. A token further on may leak as well: test all rows before `j`.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "last-token-only",
        "only the last token is changed",
        "Only the last token is changed. Let a loop change each one in turn.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "threshold-too-coarse",
        "small changes go unnoticed",
        "A leak of a thousandth goes unnoticed: the threshold is too coarse, or the step too small. Change the token by "
        "about 1 and count what is larger than 1e-5.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "compared-exactly",
        "floats are compared digit by digit",
        "The results are compared digit by digit. Rounding moves a float's last digits, and that counts as a leak here. "
        "Count what is larger than 1e-5.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "change-may-do-nothing",
        "the change leaves some tokens as they are",
        "The token is set to a fixed value, or multiplied. A token that has this value already does not change, and a "
        "leak goes unnoticed. Add something to it.",
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
        "Only the first column of the outputs is compared. Any column may move: look at all of them.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "copy-made-once",
        "the copy is made once, before the loop",
        "The copy is made once, so each round adds to the changes of the rounds before. Make a new copy inside the "
        "loop.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "all-later-at-once",
        "all later tokens are changed together",
        "All later tokens are changed together, so the leak of one counts for every one of them. Change one token "
        "at a time.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "from-here-on",
        "a token is changed with all after it",
        "Token `j` is changed together with all after it: `changed[j:]`. One token alone is `changed[j]`.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "any-output-counts",
        "one output that moves counts for all",
        "Every earlier output counts as a leak as soon as *any* output moves, and token `j`'s own output always "
        "moves. Compare row by row.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "nothing-measured",
        "the answer is made without a measurement",
        "All future places are True, for every attention. Call `attention` and compare its outputs.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "nothing-found",
        "nothing is ever found",
        "Nothing is ever found. Is `attention` called with the *changed* tokens, and is the result written into the "
        "matrix, before the function returns? Mind that `changed = x` makes no copy: then both calls see the same "
        "tokens.",
        section="03-causal#leaks-intro",
    ),
    # --- Lesson 01: dot products, shares, weighted sums ---------------------------------------------------
    Fault(
        "products-not-added",
        "the products are not added up",
        "The products are not added up yet. Add them up: that makes one number, or one vector, of them.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "product-of-sums",
        "sums are multiplied where products should be added",
        "Two sums are multiplied here. Multiply number by number first, then add up the products.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "added-for-multiplied",
        "numbers are added where they should be multiplied",
        "The numbers in the same place are added. Multiply them, then add up the products.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "one-vector-twice",
        "a vector is multiplied with itself",
        "A vector is multiplied with itself, and the other one is not used. Multiply the two with each other.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "absolute-values",
        "signs are lost",
        "The signs are lost. Negative numbers must stay negative: take out `abs` and squares.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "cosine",
        "the dot products are divided by the vectors' lengths",
        "These are cosines: each dot product was divided by the lengths of both vectors. Keep the plain dot product.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "distances",
        "distances stand where dot products belong",
        "These are distances: that of a vector from itself is 0. A score is a dot product, which is large where two "
        "vectors agree.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "mean-for-sum",
        "a mean is taken where a sum belongs",
        "Something is divided by how many numbers go in: that is a mean. Take the sum itself.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "sum-not-from-zero",
        "the running total does not start from 0",
        "The running total starts from another number than 0, and that number is still in the result.",
        section="01-dot-product#dot-product-task",
    ),
    Fault(
        "return-inside-loop",
        "`return` stands inside the loop",
        "Only the first round counts. Does `return` stand inside the loop? Then the function ends in that round: "
        "indent `return` as far as `for`.",
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
        "the loop leaves out the last position",
        "The last position is missing. `range(n)` already stops before `n`: no `- 1` is needed.",
        section="01-dot-product#dot-product-task",
    ),
    Fault(
        "loop-starts-late",
        "the loop leaves out the first position",
        "The first position is missing: the loop starts at 1. Positions count from 0.",
        section="01-dot-product#sentence-read",
    ),
    Fault(
        "wrong-query",
        "another token is the query",
        "Another token is the query here. The query is “journey”, `inputs[1]`: Python counts from 0.",
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
        "one token is the query where all are asked for",
        "This is the result of one query. Take all tokens as queries at once.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "one-query-for-all",
        "every row belongs to the same query",
        "Every row belongs to the same query. Row i must belong to query i.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "row-overwritten",
        "one number fills a whole row",
        "One number fills a whole row, because it is assigned to the row and not to one entry. Write to one entry, "
        "with every index in the brackets.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "one-half-only",
        "only one half of the matrix is filled",
        "One side of the diagonal is all 0: the inner loop begins or ends at the query. It must go over all keys.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "diagonal-only",
        "only the diagonal is filled",
        "Only the diagonal is filled: each token meets itself alone. Let every token meet every token.",
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
        "`*` multiplies entry by entry. The matrix product is `@`.",
        section="01-dot-product#all-scores-matmul",
    ),
    Fault(
        "summed-over-other-axis",
        "the sum runs over the other axis",
        "You added up along the wrong axis. Add up over {sum_over}.",
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
        "subtracted-for-divided",
        "the sum is subtracted where it should divide",
        "The sum is subtracted. Divide by it.",
        section="01-dot-product#sum-weights-intro",
    ),
    Fault(
        "fraction-upside-down",
        "the fraction stands upside down",
        "The fraction stands upside down: what you divide by stands on the right of `/`.",
        section="01-dot-product#sum-weights-intro",
    ),
    Fault(
        "not-normalised",
        "nothing is divided by the sum",
        "The division is missing. Divide by the sum, so that the result adds up to 1.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "divided-by-sum-of-scores",
        "the exponentials are divided by the sum of the scores",
        "You divided by the sum of the scores. Divide by the sum of their exponentials.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "exp-of-sum",
        "the exponential of the sum stands for the sum of exponentials",
        "You divided by the exponential of the sum. Take the exponentials first, then add them up.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "scores-above-the-line",
        "the score itself stands above the fraction line",
        "The score itself stands above the fraction line. Its exponential belongs there.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "softmax-after-division",
        "the scores are divided by their sum before the exponential",
        "The scores are divided by their sum first. Take the exponential of the scores themselves.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "exp-after-division",
        "the exponential comes after the division",
        "The exponential was taken after dividing by the sum. Take it first, then divide.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "other-base",
        "powers of another number than e are taken",
        "These are powers of another number than e. Softmax takes powers of e, which `torch.exp` does.",
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
        "shifted-after-exp",
        "the largest number is subtracted after the exponential",
        "The largest number is subtracted from the exponentials. Subtract it from the scores, before `exp`.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shifted-by-other-number",
        "another number than the largest score is subtracted",
        "You subtract another number than the largest score. Only the largest makes sure that no exponential is above "
        "1 and that one of them is 1.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shift-as-division",
        "the scores are divided by the largest, not shifted",
        "You divide by the largest score. That changes the weights; subtracting it does not.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shift-added",
        "the largest score is added, not subtracted",
        "You add the largest score; it has to be subtracted.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shifted-on-one-side",
        "the scores are shifted on one side of the fraction line only",
        "You shifted the scores on one side of the fraction line only. Use the same scores above and below it.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shift-only-when-large",
        "only large scores are shifted",
        "Large scores are shifted, and very negative ones are not: near −1000 every exponential is 0, and 0/0 is "
        "nan. Subtract the largest score always, whatever it is.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "clamped",
        "large scores are cut off",
        "The scores are cut off at a fixed number. Then 1000 and 1001.5 count as equal; a shift keeps them apart.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "nan-replaced",
        "nan is replaced, not prevented",
        "Replacing nan hides the overflow: the weights of the largest scores are still wrong. Prevent it instead.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "small-number-added",
        "a small number is added below the fraction line",
        "A small number below the fraction line avoids 0/0 but not inf/inf, and for very negative scores every weight "
        "comes out as 0. Subtract the largest score instead.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "weights-not-used",
        "the weights are not used",
        "Every token counts the same: the weights are not used. Multiply each token by its own weight.",
        section="01-dot-product#context-intro",
    ),
    Fault(
        "weights-meet-one-token",
        "all weights meet the same token",
        "These are tokens as they were: the weights are not used, or all of them met one and the same token. Multiply "
        "each weight with its own token, and add them up.",
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
        "factors-swapped",
        "the values stand on the left of the weights",
        "The product stands the wrong way round. Put the weights first: a row of weights times `{values}`.",
        section="01-dot-product#all-contexts-task",
    ),
    Fault(
        "weights-times-weights",
        "the weights are multiplied with themselves",
        "The weights were multiplied with themselves. Multiply them with `{values}`.",
        section="01-dot-product#all-contexts-task",
    ),
    Fault(
        "attended-twice",
        "the weights are applied twice",
        "The weights are applied twice: to `{values}`, and to the result again. Once is right.",
        section="01-dot-product#all-contexts-task",
    ),
    # --- Lesson 02: projections and classes --------------------------------------------------------------
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
        "root-of-the-scores",
        "the root is taken of the scores as well",
        "The root is taken of the whole fraction, and a negative score has no root. Take the root of the width alone: "
        "`{width_code}`.",
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
        "the values stand in for the keys",
        "Values stand where keys belong, so `{W_key}` is never used. It makes the keys.",
        section="02-trainable#roles",
        parts=("projections",),
    ),
    Fault(
        "values-as-queries",
        "the values stand in for the queries",
        "Values stand where queries belong, so `{W_query}` is never used. It makes the queries.",
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
        "an activation function stands where none belongs",
        "A ReLU or another activation function stands where none belongs: projections, scores and weighted "
        "sums are plain. Take it out.",
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
        "the context vectors go through a layer norm",
        "The context vectors are normalised. Return the weighted sums as they are.",
    ),
    Fault(
        "own-value-only",
        "the result is the token's own value",
        "This is the token's own value. Use every token's value, each with its weight.",
    ),
    Fault(
        "reshaped-not-turned",
        "something is reshaped where it should be transposed",
        "The shape is right and the numbers stand in the wrong places: `reshape` and `view` fill in reading order. "
        "`.T` transposes a matrix.",
        section="02-trainable#linear-read",
    ),
    Fault(
        "weight-not-turned",
        "a linear layer's weight is used without being transposed",
        "`nn.Linear` stores its weight as (d_out, d_in). Call the layer, or transpose the weight: `.weight.T`.",
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
        "The size that goes in and the size that comes out have changed places: it is (d_in, d_out).",
        section="02-trainable#linear-read",
    ),
    Fault(
        "other-names",
        "the parameters have other names",
        "The parameters have names of their own. This task wants `{W_query}`, `{W_key}` and `{W_value}`.",
        parts=("class",),
    ),
    Fault(
        "linear-for-parameter",
        "linear layers stand where plain parameters are asked for",
        "These are `nn.Linear` layers. This task wants plain parameters: `nn.Parameter(torch.rand(d_in, d_out))`.",
    ),
    Fault(
        "parameter-for-linear",
        "plain parameters stand where linear layers are asked for",
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
        "normal-start",
        "the weights are drawn from the normal distribution",
        "The arithmetic is right. The weights are drawn from the normal distribution, with `torch.randn`: the task asks "
        "for `torch.rand`, numbers from 0 to 1.",
        section="02-trainable#weights-intro",
    ),
    Fault(
        "zero-start",
        "all weights start at 0",
        "The arithmetic is right. But all weights start at 0: every token gets the same context vector, and training "
        "cannot begin. Draw them at random.",
    ),
    Fault(
        "own-seed",
        "a seed is set inside",
        "The arithmetic is right. But a seed is set inside, so every object starts with the same weights, and the "
        "user's own random numbers start again. Leave seeds to the caller.",
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
        "The numbers are right, and the result has an axis too many. Leave out `[None]`, `unsqueeze` or `keepdim=True`.",
    ),
    Fault(
        "not-a-tensor",
        "the result is no tensor",
        "The result is no tensor. Return it without `.numpy()`, `.tolist()` or `.item()`.",
    ),
    Fault(
        "batch-expected",
        "a batch axis is expected where there is none",
        "The code expects three axes: batch, tokens, width. `{x}` has two here, (tokens, d_in).",
    ),
    Fault(
        "extra-layer",
        "there is a layer too many",
        "There is a layer more than the task asks for. Take it out, and return what comes before it.",
    ),
    Fault(
        "left-as-given",
        "the bug is still there",
        "This is the code as it was given. Its bug is still there.",
    ),
    Fault(
        "condition-ignored",
        "a switch has no effect",
        "The same is done whatever the switch says. Put it under an `if`.",
    ),
    Fault(
        "condition-turned",
        "a switch works the wrong way round",
        "It is done when the switch says False, and left out when it says True: the other way round.",
    ),
    Fault(
        "wrong-statistic",
        "another statistic is taken than the one asked for",
        "The numbers are summed up in another way than the task asks for.",
    ),
    Fault(
        "deviation-uncorrected",
        "the standard deviation is taken without torch's correction",
        "This is the standard deviation without torch's correction for small samples. Use `.std()` as it stands.",
    ),
    Fault(
        "variance-for-deviation",
        "the variance is taken for the standard deviation",
        "This is the variance. The standard deviation is its root: `.std()`.",
    ),
    Fault(
        "not-reduced",
        "all entries come back where one number is asked for",
        "These are all entries. The task wants one number.",
    ),
    Fault(
        "relative-difference",
        "the difference is divided by the size of the numbers",
        "The differences are divided by the outputs. The task asks for the plain absolute difference.",
    ),
    Fault(
        "added-not-subtracted",
        "things are added that should be subtracted",
        "The outputs are added. Subtract one from the other.",
    ),
    Fault(
        "yes-or-no",
        "the answer is yes or no where a number is asked for",
        "This says yes or no. The task wants the number.",
    ),
    Fault(
        "layer-forgotten",
        "not all layers get new weights",
        "Some parameters still hold their old numbers. All three get new ones.",
    ),
    Fault(
        "copied-backwards",
        "the weights go the wrong way",
        "The weights go the wrong way. The one on the left of `copy_` gets new numbers.",
    ),
    Fault(
        "outside-no-grad",
        "a parameter is overwritten while gradients are recorded",
        "PyTorch refuses to overwrite a parameter while gradients are recorded. Put it inside `with torch.no_grad():`.",
        section="02-trainable#copy-weights-task",
    ),
    Fault(
        "state-dict-as-it-is",
        "a state dict is loaded under other names",
        "The two classes name their parameters differently, so a state dict of one does not fit the other. Copy them "
        "one by one.",
    ),
    Fault(
        "shares-memory",
        "the copy shares its memory with the original",
        "The numbers are right, but both objects share one memory: training one would change the other. Make a "
        "copy: `copy_(…)`, or `.clone()`.",
        section="02-trainable#copy-weights-task",
    ),
    Fault(
        "frozen",
        "the parameters are no longer trained",
        "With `requires_grad=False` the parameters can no longer be trained. Leave that out.",
    ),
    Fault(
        "wrong-object-returned",
        "another object is returned than the one asked for",
        "Another object comes back than the one that is asked for.",
    ),
    # --- Lesson 04: dropout, batches, a mask that belongs to the module -----------------------------------
    Fault(
        "divided-by-p",
        "what dropout keeps is divided by p",
        "What is kept is divided by p. Divide by 1 − p, the share that is kept. With p = 0.5 the two agree.",
        section="04-dropout#dropout-formula",
        varies=True,
    ),
    Fault(
        "multiplied-by-kept-share",
        "what dropout keeps is multiplied by 1 − p",
        "What is kept became smaller: it is multiplied by 1 − p. Divide by it, to make up for what is gone.",
        section="04-dropout#dropout-formula",
        varies=True,
    ),
    Fault(
        "divided-by-counted-share",
        "what dropout keeps is divided by the share that one mask happens to keep",
        "You divide by the share that this one mask happens to keep. Divide by 1 − p, the share kept on average.",
        section="04-dropout#renormalise-refuted",
        varies=True,
    ),
    Fault(
        "kept-and-dropped-swapped",
        "what should stay is dropped, and the other way round",
        "The entries that should stay are gone, and the others are there. It is the other way round.",
        section="04-dropout#dropout-formula",
        varies=True,
    ),
    Fault(
        "p-as-share-kept",
        "p is read as the share that is kept",
        "A share p is kept and a share 1 − p dropped. In PyTorch, and here, p is the share that is dropped.",
        section="04-dropout#dropout-formula",
        parts=("dropout",),
    ),
    Fault(
        "only-rescaled",
        "everything is divided by 1 − p and nothing is dropped",
        "Everything is divided by 1 − p and nothing becomes 0: the mask is not used.",
        section="04-dropout#dropout-formula",
    ),
    Fault(
        "dropped-not-zeroed",
        "what is dropped keeps its numbers",
        "The kept entries are right. The dropped ones still hold their numbers. They have to become 0.",
        section="04-dropout#dropout-formula",
    ),
    Fault(
        "boolean-index-flattens",
        "a mask in brackets picks the entries out into one long vector",
        "A mask in brackets, `{x}[mask]`, picks entries out into one long vector. The shape has to stay: multiply by "
        "the mask, or use `torch.where`.",
    ),
    Fault(
        "dropped-together",
        "several entries share one random decision",
        "Whole rows, whole columns, or all entries are dropped together. Draw one number for each entry.",
        section="04-dropout#renormalise-refuted",
        varies=True,
    ),
    Fault(
        "other-distribution",
        "random numbers come from another distribution",
        "The random numbers come from another distribution: `torch.rand` draws evenly from 0 to 1, `torch.randn` from "
        "a bell curve around 0.",
        varies=True,
    ),
    Fault(
        "modes-swapped",
        "dropout works in eval mode and not in training",
        "Something is dropped in evaluation and nothing in training. It is the other way round.",
        section="04-dropout#train-eval-intro",
        varies=True,
    ),
    Fault(
        "rescaled-in-eval",
        "results are divided by 1 − p in eval mode",
        "In evaluation the numbers are divided by 1 − p. Nothing is dropped there, so there is nothing to make up for.",
        section="04-dropout#renormalise-refuted",
    ),
    Fault(
        "rescaled-in-eval-instead",
        "eval mode multiplies by 1 − p in place of training's division",
        "The numbers are multiplied by 1 − p in evaluation, as in the first papers on dropout. Here training makes up "
        "for what is dropped: divide by 1 − p there, and leave evaluation alone.",
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
        "dropout-stays-off",
        "dropout stays off after one call of `eval()`",
        "Once `eval()` was called, nothing is dropped in training any more: a p that `eval()` sets to 0 stays 0. Leave "
        "`eval` and `train` as they are, and look at `self.training`.",
        section="04-dropout#bug-eval-dropout-task",
    ),
    Fault(
        "dropout-averaged",
        "eval mode averages many draws",
        "Eval mode averages many draws. That comes near, costs a lot and still changes from call to call. Drop "
        "nothing there.",
        section="04-dropout#bug-eval-dropout-task",
    ),
    Fault(
        "seed-hides-dropout",
        "a seed in `forward` hides that dropout goes on",
        "Two calls agree, because a seed is set in `forward`: the same weights are dropped each time, in eval mode too. "
        "That hides the fault.",
        section="04-dropout#bug-eval-dropout-task",
    ),
    Fault(
        "first-sequence-for-all",
        "the first sequence of the batch stands in for all",
        "Something of the first sequence is used for all of them. With two equal sequences that goes unnoticed. Leave "
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
        "sequences-chained",
        "the sequences of a batch are laid end to end",
        "All sequences are laid end to end, so that tokens of one attend to tokens of another.",
        section="04-dropout#batch-matmul",
    ),
    Fault(
        "own-key-only",
        "each query meets the key in its own place only",
        "Each query meets the key in its own place only. It has to meet every key of its sequence.",
    ),
    Fault(
        "axes-squeezed",
        "`squeeze()` drops an axis that happens to have size 1",
        "`squeeze()` drops every axis of size 1, so a batch of one sequence, or a sequence of one token, loses an axis. "
        "Leave it out.",
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
        "Hidden scores become +∞, so that they get all the weight, or nan. Mind the minus sign: fill with `-torch.inf`.",
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
        "The numbers are right. But a tensor that `forward` makes, or that is kept as a plain attribute, stays on "
        "the CPU: is it the mask? On another device it cannot be used with the scores. Catching the error would "
        "only leave the mask out there.",
        section="04-dropout#buffer-intro",
    ),
    Fault(
        "carried-to-the-cpu",
        "numbers are carried to the CPU and back",
        "It runs, because the numbers are carried to the CPU and back at each call. That hides the fault and is slow: "
        "make the mask on the device of the scores.",
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
    Fault(
        "seed-too-late",
        "the seed is set after something was drawn",
        "Something is drawn before the seed is set, so the seed does not determine it. Set the seed first.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "never-seeded",
        "no seed is set",
        "What is drawn is not determined by `seed`. Give it to `torch.manual_seed`, torch's own, before the first draw.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "drawn-in-another-order",
        "things are drawn in another order",
        "This can be repeated, but things are drawn in another order, so each takes other numbers of the seed. The task "
        "fixes the order.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "seeded-twice",
        "the seed is set twice",
        "The seed is set once more between two draws, so both come from the same random numbers. Once, at the start, is "
        "enough.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "seed-typed-in",
        "the seed is typed in",
        "The seed is the same whatever the function is called with. Use the argument `seed`.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "not-random",
        "what should be drawn is a constant",
        "What should be drawn at random is a constant now. That hides the fault: set the seed before the draw.",
        section="04-dropout#bug-seed-order-task",
    ),
    # --- Lesson 05: heads ---------------------------------------------------------------------------------
    Fault(
        "split-and-merge-without-transpose",
        "split and merge both leave out the transpose",
        "Split and merge both leave out the transpose. They undo one another, so the shapes fit, yet each head holds "
        "only a part of the tokens. Both need `transpose(1, 2)`.",
        section="05-multi-head#numbered-read",
        parts=("projections", "heads"),
    ),
    Fault(
        "heads-not-brought-forward",
        "the heads' axis stays behind that of the tokens",
        "The cut is right, but the axes are (b, tokens, heads, head_dim): the heads of one token meet each other. Swap "
        "axes 1 and 2.",
        section="05-multi-head#numbered-read",
        parts=("projections", "heads"),
    ),
    Fault(
        "head-dim-for-heads",
        "head_dim and the number of heads have changed places",
        "The two new axes are the wrong way round: there are head_dim heads of num_heads numbers. Cut the last axis as "
        "(num_heads, head_dim).",
        section="05-multi-head#numbered-read",
        parts=("projections", "heads"),
    ),
    Fault(
        "merge-interleaved",
        "a token's numbers alternate between the heads",
        "A token's numbers alternate between the heads. All of head 0 comes first, then all of head 1: before the axes are "
        "joined they are (b, tokens, heads, head_dim).",
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
        "The wrong axes have changed places. Swap tokens and heads: `transpose(1, 2)`.",
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
        "joined-then-turned",
        "the axes are joined in another order and then swapped",
        "The axes were joined in another order and then swapped. After `transpose(1, 2)` and `.contiguous()`, view as (b, "
        "tokens, d_out) directly.",
        section="05-multi-head#not-contiguous-read",
    ),
    Fault(
        "joined-along-wrong-axis",
        "the heads' pieces are joined along another axis",
        "The heads' pieces are joined along another axis, so they are below one another. Join them along the last one: "
        "`torch.cat(…, dim=-1)`.",
        section="05-multi-head#error-with-heads-task",
    ),
    Fault(
        "stacked-not-joined",
        "the heads' pieces are stacked, not joined",
        "`torch.stack` makes a new axis for the heads. `torch.cat(…, dim=-1)` makes the last axis longer instead.",
        section="05-multi-head#error-with-heads-task",
    ),
    Fault(
        "first-head-only",
        "only the first head is there",
        "Only head 0 is there. Is `return` inside a loop? Every head is part of the result.",
    ),
    Fault(
        "first-head-for-all",
        "head 0 is used for every head",
        "Every head gives what head 0 gives. In the loop, use the head of that round.",
    ),
    Fault(
        "one-head-repeated",
        "one head is in the list several times",
        "`[head] * num_heads` puts one and the same head into the list several times. Make a new one for each place: "
        "`for _ in range(num_heads)`.",
        section="05-multi-head#stack-intro",
    ),
    Fault(
        "heads-in-reverse",
        "the heads are in reverse order",
        "The heads are in reverse order. Head 0 comes first.",
    ),
    Fault(
        "heads-in-series",
        "each head gets what the head before it made",
        "Each head gets what the head before it made. All heads get the same `{x}`, and their results are joined.",
        section="05-multi-head#stack-intro",
    ),
    Fault(
        "narrow-heads",
        "each head gets only its share of the width",
        "Each head has `d_out // num_heads` columns. In this class `d_out` is the width of one head, and the result is "
        "`num_heads` times as wide.",
        section="05-multi-head#multi-head-wrapper-task",
    ),
    Fault(
        "heads-crossed",
        "each head's queries meet another head's keys",
        "Each head's queries meet another head's keys. A head's queries and keys belong together.",
        section="05-multi-head#batched-head-scores-task",
    ),
    Fault(
        "heads-meet",
        "the tokens of all heads meet each other",
        "All tokens of all heads meet one another, in one large square. Keep the heads' axis.",
        section="05-multi-head#batched-head-scores-task",
    ),
    Fault(
        "heads-before-batch",
        "the heads' axis is in front of the batch",
        "The heads are in front of the batch. The order is (b, heads, tokens, head_dim).",
        section="05-multi-head#batched-head-scores-task",
    ),
    Fault(
        "tokens-split",
        "the tokens are split between the heads",
        "Each head has all of d_out and only some of the tokens. It is the last axis that is cut: every head keeps all "
        "tokens.",
        section="05-multi-head#split-read",
    ),
    Fault(
        "heads-get-everything",
        "each head gets the whole vector",
        "Each head has the whole vector. It should get its own piece: head_dim = d_out // num_heads numbers.",
        section="05-multi-head#split-read",
    ),
    Fault(
        "error-for-each-head",
        "each head gets an error of its own",
        "Each head got an error of its own, and one number was made of them. Join the contexts first, then ask for one "
        "error: the map has to see all heads at once.",
        section="05-multi-head#error-with-heads-task",
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
        "The heads' weights are right. `{out_proj}` still mixes them with random numbers: set its weight to `torch.eye` and "
        "its bias to zeros.",
        section="05-multi-head#copy-into-fused-task",
    ),
    Fault(
        "not-the-identity",
        "another matrix is used where the identity is asked for",
        "This is not the identity matrix. That has ones on its diagonal and zeros elsewhere: `torch.eye`.",
        section="05-multi-head#copy-into-fused-task",
    ),
    Fault(
        "matrices-turned",
        "matrices are transposed on their way",
        "The matrices are transposed on their way. Both classes keep them as (out, in), so no `.T` is needed; where "
        "a head is as wide as a token, the shapes do not show it.",
        section="05-multi-head#weight-shapes",
    ),
    Fault(
        "layer-replaced",
        "a layer is replaced by something without weights",
        "A layer was replaced by something without weights. The numbers are right, but what was there to be trained is gone: "
        "keep the layer, and copy the identity matrix into its weight and zeros into its bias.",
        section="05-multi-head#copy-into-fused-task",
    ),
    # --- Lesson 06: heads of a batch, padding, two sentences -------------------------------------------
    Fault(
        "batch-and-tokens-swapped",
        "the batch and the tokens have changed places",
        "The batch and the tokens have changed places. The batch stays the first axis.",
        section="06-encoder-decoder#batch-intro",
    ),
    Fault(
        "keys-turned-on-other-axes",
        "the keys are transposed along other axes than the last two",
        "The keys are transposed along other axes than their last two. `.T` reverses all axes, and `transpose(1, "
        "2)` swaps heads and tokens. Write `{swap}`.",
        section="06-encoder-decoder#scores-intro",
    ),
    Fault(
        "padding-boundary",
        "the border of the padding is off by one",
        "The border of the padding is off by one. Positions count from 0, so a sequence of length 3 has the "
        "positions 0, 1 and 2: a position is a token where `position < length`.",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "mask-batch-for-queries",
        "the mask lines up the batch with the queries",
        "The rows are right, but with the shape (b, tokens) broadcasting lines up the batch with the queries. Put "
        "in two axes of size 1: `[:, None, None, :]`.",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "lengths-as-a-row",
        "positions and lengths are lined up with each other",
        "Positions (tokens,) and lengths (b,) are lined up with each other. Each length has to meet every position:"
        " give the lengths one more axis, `lengths[:, None]`.",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "padding-hides-queries",
        "padding is hidden as a query",
        "The rows of padding are hidden, so nothing is visible to these queries. What must be hidden are "
        "keys, the last axis: (b, 1, 1, tokens).",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "padding-on-the-left",
        "padding is expected on the left",
        "Here the padding is at the beginning. In this lesson it is at the end.",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "longest-length",
        "the mask is as long as the longest sequence",
        "The mask is as long as the longest sequence. All sequences may be shorter than their tensor: use "
        "`num_tokens`.",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "mask-of-infinities",
        "the mask holds 0 and −∞",
        "These are 0 and −∞, the form that is added to scores. This interface wants True and False: return the "
        "comparison itself.",
        section="06-encoder-decoder#polarity",
    ),
    Fault(
        "masks-joined-with-or",
        "two masks are joined with or",
        "The masks are joined with *or*: one permission is enough, so both the future and the padding are visible. "
        "Join masks of what is visible with `&`.",
        section="06-encoder-decoder#combine-intro",
    ),
    Fault(
        "masks-summed",
        "two masks are added",
        "The masks are added: 2 where both allow it, 1 where one does, and 1 counts as visible. Multiply, or use"
        " `&`.",
        section="06-encoder-decoder#combine-intro",
    ),
    Fault(
        "padding-visible",
        "padding is visible",
        "Padding is visible, as if it held words. Use the padding mask as well.",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "future-visible",
        "the causal mask is left out",
        "The causal mask is left out here, so the future is visible. Use it as well.",
        section="06-encoder-decoder#combine-intro",
    ),
    Fault(
        "empty-row-nan",
        "a query without any visible key gets nan",
        "This is right wherever some key is visible. A row whose keys are all hidden is `nan`. After the softmax, "
        "set every hidden weight to 0.",
        section="06-encoder-decoder#masked-softmax-task",
    ),
    Fault(
        "nan-in-gradient",
        "the weights are right and their gradient is nan",
        "The weights are right, and the gradient is not. −∞ was *added*, and an addition passes the `nan` of an "
        "empty row back to the scores. `masked_fill` lets none through.",
        section="06-encoder-decoder#masked-softmax-gradient-read",
    ),
    Fault(
        "empty-row-even",
        "a query without any visible key attends to all keys",
        "With −1e9 a row whose keys are all hidden shares its attention evenly over what it must not see. Set every "
        "hidden weight to 0 after the softmax as well.",
        section="06-encoder-decoder#masked-softmax-task",
    ),
    Fault(
        "tilde-on-numbers",
        "`~` is applied to a mask that may hold numbers",
        "`~` inverts True and False only, and a mask may hold 1.0 and 0.0. `mask == 0` does for both.",
        section="06-encoder-decoder#masked-softmax-task",
    ),
    Fault(
        "only-empty-rows-hidden",
        "only rows that are all hidden are treated",
        "Only the rows without any visible key are treated. In the others hidden keys still get weight.",
        section="06-encoder-decoder#masked-softmax-task",
    ),
    Fault(
        "all-zeros",
        "everything is 0",
        "Everything is 0. Is a mask compared with `mask == 0` on both sides, or a `nan` spread over everything and "
        "then replaced?",
        section="06-encoder-decoder#masked-softmax-task",
    ),
    Fault(
        "query-length-for-keys",
        "the keys are reshaped with the query's length",
        "The keys are reshaped with the length of the queries. That is an error as soon as the two lengths differ. "
        "Take each length from its own tensor.",
        section="06-encoder-decoder#bug-query-length-read",
    ),
    Fault(
        "source-cut",
        "the source is cut to the length of the target",
        "The source is cut to the length of the target: some words are never read, and a shorter source still "
        "fails. Every source token takes part.",
        section="06-encoder-decoder#bug-query-length-read",
    ),
    Fault(
        "source-fitted",
        "the source is cut or filled up to the length of the target",
        "The error is hidden: the source is cut or filled up with zeros until it is as long as the target. Score "
        "every source token, and no other.",
        section="06-encoder-decoder#bug-query-length-read",
    ),
    Fault(
        "target-fitted",
        "the target is cut or filled up to the length of the source",
        "The target is cut or filled up to the length of the source. There is one row for each target token.",
        section="06-encoder-decoder#bug-query-length-read",
    ),
    Fault(
        "source-filled-up",
        "a short source is filled up with zeros",
        "A short source is filled up with zeros, and these get scores. A long source still fails. Leave the source "
        "as it is and use its own length.",
        section="06-encoder-decoder#bug-query-length-read",
    ),
    Fault(
        "batch-left-open",
        "the batch size is left open in a reshape",
        "With −1 for the batch, a source that is twice as long becomes two sequences, and no error is raised. Leave"
        " the batch alone: it is the number of tokens that differs.",
        section="06-encoder-decoder#bug-query-length-read",
    ),
    Fault(
        "error-swallowed",
        "the error is caught, not fixed",
        "Where the lengths differ, these are the scores of the target with itself. The error was avoided, not "
        "fixed.",
        section="06-encoder-decoder#bug-query-length-read",
    ),
    Fault(
        "mask-in-wrong-order",
        "the mask is repeated in the wrong order",
        "The mask is repeated in an order that gives heads the masks of other sequences. With an axis of size 1 for"
        " the heads no `repeat` is needed: it broadcasts.",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "mask-axis-added",
        "the mask gets one axis too many",
        "The mask gets one more axis by `unsqueeze` or `[:, None]`. Use it as it comes: (target, source) and (b, 1,"
        " 1, source) both fit (b, heads, target, source).",
        section="06-encoder-decoder#class-intro",
    ),
    Fault(
        "mask-turned",
        "the rows and the columns of the mask have changed places",
        "The rows and the columns of the mask have changed places. Its rows are queries and its columns are keys, "
        "as in the scores. Use it as it comes.",
        section="06-encoder-decoder#polarity",
    ),
    Fault(
        "mask-as-condition",
        "a tensor is used where a condition is asked for",
        "`if mask:` asks a whole tensor for one truth value, and PyTorch refuses. Write `if mask is not None:`.",
        section="06-encoder-decoder#class-intro",
    ),
    Fault(
        "no-mask-not-handled",
        "a call without a mask fails",
        "A call without a mask fails. `mask=None` hides nothing: write `if mask is not None:` before the mask is "
        "used.",
        section="06-encoder-decoder#class-intro",
    ),
    Fault(
        "key-and-value-inputs-swapped",
        "the inputs of keys and values have changed places",
        "The keys are made from `v_input` and the values from `k_input`. Mind the order: q_input, k_input, v_input.",
        section="06-encoder-decoder#class-intro",
    ),
    Fault(
        "values-from-key-input",
        "the values are made from the input of the keys",
        "The values are made from `k_input`. They come from `v_input`, which is often the same tensor, and not "
        "always.",
        section="06-encoder-decoder#class-intro",
    ),
    Fault(
        "keys-from-value-input",
        "the keys are made from the input of the values",
        "The keys are made from `v_input`. They come from `k_input`, which is often the same tensor, and not always.",
        section="06-encoder-decoder#class-intro",
    ),
    Fault(
        "values-from-query-input",
        "the values come from the sentence of the queries",
        "The values come from the sentence of the queries, and the keys from the other one. A weight belongs to a "
        "key *and* its value: take both from the other sentence.",
        section="06-encoder-decoder#two-sentences-read",
    ),
    Fault(
        "keys-from-query-input",
        "the keys come from the sentence of the queries",
        "The keys come from the sentence of the queries, and the values from the other one. A weight belongs to a "
        "key *and* its value: take both from the other sentence.",
        section="06-encoder-decoder#two-sentences-read",
    ),
    Fault(
        "queries-from-key-input",
        "the queries come from the sentence that answers",
        "The queries are made from `k_input`, so `q_input` makes no difference. The sentence that asks is `q_input`.",
        section="06-encoder-decoder#two-sentences-read",
    ),
    Fault(
        "source-asks",
        "the queries come from the source, the keys from the target",
        "The queries come from the source and the keys from the target, so there is a row for each source token. "
        "Queries come from the target.",
        section="06-encoder-decoder#two-sentences-read",
    ),
    Fault(
        "source-never-heard",
        "keys and values come from the sentence of the queries",
        "Keys and values both come from the sentence of the queries, so the source is never read and another source "
        "gives the same result. Take keys and values from the source.",
        section="06-encoder-decoder#bug-cross-read",
    ),
    Fault(
        "dropout-unasked",
        "there is dropout that nobody asked for",
        "Some numbers are dropped in training. This task has no dropout: take it out.",
    ),
    Fault(
        "step-left-out",
        "one step's result is thrown away",
        "One step's result is thrown away: the next step starts from what came before it. Pass on what the step "
        "gives.",
        section="06-encoder-decoder#bug-cross-task",
    ),
    Fault(
        "source-mean-added",
        "the mean of the source is added",
        "The symptom is gone, because the mean of the source is added. No token chooses what to read. Let attention"
        " do it: keys and values come from the source.",
        section="06-encoder-decoder#bug-cross-read",
    ),
    Fault(
        "source-put-in-front",
        "source and target are joined to one sentence",
        "The source was put in front of the target, so the target still attends to itself here, future and padding "
        "included. Keys and values are the source alone.",
        section="06-encoder-decoder#bug-cross-read",
    ),
    Fault(
        "modules-swapped",
        "the two modules have changed places",
        "The two modules have changed places. `self_attention` is for the target, `cross_attention` for the source.",
        section="06-encoder-decoder#bug-cross-task",
    ),
    Fault(
        "order-swapped",
        "the two steps have changed places",
        "The two steps have changed places. First comes self-attention in the target, then cross-attention to the source.",
        section="06-encoder-decoder#bug-cross-task",
    ),
    # --- Lesson 07: positions ----------------------------------------------------------------------------
    Fault(
        "compared-by-position",
        "rows of different tokens are compared",
        "Row i of the two results is about two different tokens. Put the old outputs into the new order "
        "first: `attention(x)[order]`.",
        section="07-positions#order-proof",
    ),
    Fault(
        "order-backwards",
        "the order is applied backwards",
        "The order is applied backwards. The token at position i of the new sentence stood at position `order[i]` "
        "before: index with `order`, and not with its inverse.",
        section="07-positions#order-proof",
    ),
    Fault(
        "order-unused",
        "the tokens are never reordered",
        "`attention` gets the tokens in the same order twice. The second call takes `x[order]`.",
        section="07-positions#order-proof",
    ),
    Fault(
        "largest-over-tokens",
        "the largest is taken over the tokens",
        "The largest is taken over the tokens. Take it over the numbers of each token: `dim=-1`.",
        section="07-positions#order-proof",
    ),
    Fault(
        "one-number-for-all",
        "there is one number for all tokens",
        "This is one number for all tokens together. The task asks for one number for each token.",
        section="07-positions#order-proof",
    ),
    Fault(
        "start-ignored",
        "`start` has no effect",
        "The positions begin at 0 whatever `start` says. The first token of `x` stands at position `start`.",
        section="07-positions#learned-read",
    ),
    Fault(
        "start-as-length",
        "the positions end too early",
        "The positions run from `start` to the number of tokens. They have to end at `start` plus the number "
        "of tokens.",
        section="07-positions#learned-read",
    ),
    Fault(
        "counted-from-one",
        "positions are counted from 1",
        "The first position counts as 1. Positions count from 0.",
        section="07-positions#learned-read",
    ),
    Fault(
        "same-position-for-all",
        "all tokens stand at the same position",
        "All tokens get the row of one position. Each token has a position of its own.",
        section="07-positions#learned-read",
    ),
    Fault(
        "whole-table",
        "the whole table is used",
        "The whole table is added, whatever the number of tokens and the position of the first one. Take the "
        "rows of the positions that the tokens stand at.",
        section="07-positions#learned-read",
    ),
    Fault(
        "token-left-out",
        "the positions come back without the tokens",
        "These are the positions alone. Add them to the tokens.",
        section="07-positions#learned-read",
    ),
    Fault(
        "table-turned",
        "the sizes of the table have changed places",
        "The table has one row for each number and one column for each position. Swap its sizes: "
        "`nn.Embedding(context_length, d_model)`.",
        section="07-positions#learned-read",
    ),
    Fault(
        "exponents-off",
        "the exponents of the angles are other ones",
        "The exponents are off. For `dim=8` they are 0, −2/8, −4/8 and −6/8: minus `torch.arange(0, dim, 2) "
        "/ dim`.",
        section="07-positions#angles-task",
    ),
    Fault(
        "angle-for-each-number",
        "there is an angle for each number",
        "There is an angle for each number. A hand needs two numbers, so there are half as many angles: "
        "`torch.arange(0, dim, 2)`.",
        section="07-positions#angles-task",
    ),
    Fault(
        "hands-speed-up",
        "later hands turn faster",
        "Later hands turn faster. They should turn more slowly: the exponent is negative.",
        section="07-positions#angles-task",
    ),
    Fault(
        "hands-in-reverse",
        "the hands stand in reverse order",
        "The hands stand in reverse order. The first one is the fastest.",
        section="07-positions#angles-task",
    ),
    Fault(
        "base-typed-in",
        "the base is not the one that is passed",
        "Another `base` changes nothing. Use the argument, and pass it on.",
        section="07-positions#angles-task",
    ),
    Fault(
        "positions-not-used",
        "positions are counted from 0 instead of read",
        "The positions are counted from 0 for each call, whatever `positions` holds. Use `positions`: the "
        "first token may stand anywhere.",
        section="07-positions#generating-intro",
    ),
    Fault(
        "steps-only",
        "each position has the angle of one step",
        "Each row has the angles of a single step. Multiply them by the position.",
        section="07-positions#angles-task",
    ),
    Fault(
        "sines-too-early",
        "sines come back in place of angles",
        "These are the sines of the angles. The task asks for the angles themselves.",
        section="07-positions#angles-task",
    ),
    Fault(
        "halves-for-neighbours",
        "halves are paired where neighbours belong together",
        "Numbers of the first and of the second half are paired. In this task neighbours belong together: 0 "
        "and 1, 2 and 3, and so on.",
        section="07-positions#half-split-intro",
    ),
    Fault(
        "cosine-first",
        "the cosine comes before the sine",
        "Each cosine stands before its sine. The order is sin, cos, sin, cos.",
        section="07-positions#sinusoidal-task",
    ),
    Fault(
        "sines-only",
        "sine or cosine is used twice",
        "Both numbers of a hand are the same. One is the sine, the other the cosine.",
        section="07-positions#sinusoidal-task",
    ),
    Fault(
        "pairs-not-joined",
        "the pairs are not joined again",
        "The pairs are still apart. Join the last two axes with `.flatten(-2)`.",
        section="07-positions#sinusoidal-task",
    ),
    Fault(
        "turned-backwards",
        "the rotation goes the other way round",
        "The rotation goes the other way round, clockwise. Check the signs: a cos − b sin, and a sin + b cos.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "not-a-rotation",
        "what is done to the pairs is no rotation",
        "This changes how long the arrows are, so it is no rotation. Both numbers of a pair take part in "
        "both results, with the same angle: a cos − b sin, and a sin + b cos.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "sine-and-cosine-swapped",
        "sine and cosine have changed places",
        "Sine and cosine have changed places. At the angle 0 nothing may turn: a cos − b sin, and a sin + b "
        "cos.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "pair-swapped",
        "the two numbers of a pair have changed places",
        "The two numbers of each pair have changed places.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "first-overwritten",
        "a number is overwritten before it is used",
        "The new a is already in use when b is made. Both need the old a: give the new one another name.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "codes-added",
        "something is added where pairs should be rotated",
        "Sines and cosines are added to the numbers. RoPE multiplies: it rotates each pair.",
        section="07-positions#rope-intro",
    ),
    Fault(
        "stacked-on-other-axis",
        "the two results are joined along another axis",
        "The two results are joined along another axis. Join them along the last one: `dim=-1`.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "one-speed",
        "all hands turn at the same speed",
        "All pairs turn by the position itself, at one speed. Each has its own angle: `position_angles`.",
        section="07-positions#interleaved-task",
    ),
    Fault(
        "neighbours-for-halves",
        "neighbours are paired where halves belong together",
        "Neighbours are paired: this is the interleaved form, or a part of it. Here number i of the first "
        "half belongs to number i of the second: `x.chunk(2, dim=-1)`.",
        section="07-positions#half-split-intro",
    ),
    Fault(
        "other-form",
        "the rotation is one of the other form",
        "This is a true rotation, of the interleaved form. The weights were trained with the half-split "
        "form: keep the partners and correct the angles.",
        section="07-positions#bug-read",
    ),
    Fault(
        "one-side-not-turned",
        "a query or a key is not rotated",
        "A query or a key is left as it is. Both have to be rotated, or the score depends on the position "
        "itself.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "near-is-punished",
        "far keys are preferred",
        "The sign is wrong: far keys are preferred. The bias is *minus* the slope times the distance.",
        section="07-positions#alibi-intro",
    ),
    Fault(
        "slopes-off",
        "the slopes are other ones",
        "The slopes are off. With 8 heads they are 1/2, 1/4, … 1/256, with 4 heads 1/4, 1/16, 1/64, 1/256: "
        "the heads count from 1, and the exponent is −8h/H.",
        section="07-positions#alibi-intro",
    ),
    Fault(
        "slopes-in-reverse",
        "the slopes stand in reverse order",
        "The slopes stand in reverse order. The first head has the largest.",
        section="07-positions#alibi-intro",
    ),
    Fault(
        "one-slope",
        "all heads have the same slope",
        "All heads have the same slope. Give each its own.",
        section="07-positions#alibi-intro",
    ),
    Fault(
        "put-at-zero",
        "the new token is put at position 0",
        "The new token is put at position 0, the start of the text. Its position is the number of tokens that "
        "came before it.",
        section="07-positions#generating-refuted",
    ),
    Fault(
        "new-position-off-by-one",
        "the position of the new token is off by one",
        "The position of the new token is off by one. Five tokens stand at positions 0 to 4, so the next one "
        "stands at 5.",
        section="07-positions#new-token-task",
    ),
    Fault(
        "cache-turned-twice",
        "the kept keys are rotated twice",
        "The kept keys are rotated a second time. They were rotated when they were new.",
        section="07-positions#generating-intro",
    ),
    Fault(
        "new-key-first",
        "the new key stands first",
        "The new key stands before the kept ones. The new token comes last.",
        section="07-positions#new-token-task",
    ),
    Fault(
        "new-key-left-out",
        "the new token does not see itself",
        "The key of the new token is missing. A token may look at itself: put its key behind the kept ones.",
        section="07-positions#new-token-task",
    ),
    # --- Fast attention ----------------------------------------------------------------------------------
    Fault(
        "rows-head-by-head",
        "the three projections stand head by head",
        "The rows stand head by head: query, key and value of head 0, then of head 1. Here all queries come "
        "first, then all keys, then all values.",
        section="08-fast-attention#rows-read",
    ),
    Fault(
        "old-sum-not-rescaled",
        "the sum under the old maximum is not rescaled",
        "The maximum has grown, and the sum so far still holds exponentials of the old one. Multiply it by "
        "`exp(old maximum - new maximum)` before you add.",
        section="08-fast-attention#online-intro",
    ),
    Fault(
        "output-not-rescaled",
        "the output under the old maximum is not rescaled",
        "The sum is rescaled and the output is not, so keys that came before a new maximum count too much. "
        "Multiply both by the same factor.",
        section="08-fast-attention#bug-not-rescaled-task",
    ),
    Fault(
        "rescaled-upside-down",
        "old sums are multiplied by the inverse of their factor",
        "The factor is upside down: it is `exp(old maximum - new maximum)`, never more than 1.",
        section="08-fast-attention#online-intro",
    ),
    Fault(
        "rescaled-twice",
        "the newest share is rescaled as well",
        "The newest weight is taken with the new maximum already. Only what was added up before is rescaled.",
        section="08-fast-attention#online-intro",
    ),
    Fault(
        "last-state-only",
        "only the state after the last score comes back",
        "Only the last state comes back. Keep one row for each score, and stack them.",
    ),
    Fault(
        "maximum-not-kept",
        "the maximum starts anew with each score or block",
        "This is the maximum of the newest scores alone. Take the larger of that and the largest so far.",
        section="08-fast-attention#online-intro",
    ),
    Fault(
        "columns-swapped",
        "the two columns have changed places",
        "The numbers are right, and the columns have changed places.",
    ),
    Fault(
        "whole-maximum-first",
        "the maximum of all scores is looked up first",
        "Here the maximum of all scores is known from the start. Each row may only use the scores that were "
        "read so far.",
        section="08-fast-attention#online-intro",
    ),
    Fault(
        "hidden-block-makes-nan",
        "-inf minus -inf makes nan",
        "A block is hidden from a query, so its maximum is −∞, and −∞ − (−∞) is nan. Subtract 0 where the "
        "maximum is −∞.",
        section="08-fast-attention#online-softmax-task",
    ),
    Fault(
        "blocks-averaged",
        "each block has a softmax of its own",
        "Each block is normalised by itself, so a block of low scores counts as much as one of high scores. "
        "Keep sums, and divide once at the end.",
        section="08-fast-attention#online-softmax-task",
    ),
    Fault(
        "one-maximum-for-all",
        "all queries share one maximum",
        "All queries share one maximum. A query whose scores are far below it gets 0 / 0. Keep one maximum "
        "for each.",
        section="08-fast-attention#online-softmax-task",
    ),
    Fault(
        "whole-matrix-made",
        "a whole row or the whole matrix is held",
        "The numbers are right, and the whole matrix, or whole rows of it, stood in memory. Work with one "
        "block at a time.",
        section="08-fast-attention#tiles-intro",
    ),
    Fault(
        "future-tiles-made",
        "tiles that lie in the future are computed",
        "The numbers are right, and tiles that lie wholly in the future were multiplied, to be thrown away. "
        "End the inner loop at the diagonal.",
        section="08-fast-attention#tiles-intro",
    ),
    Fault(
        "diagonal-tile-skipped",
        "the tile on the diagonal is skipped",
        "The tile on the diagonal is skipped, so the first queries see no key at all. End the inner loop at "
        "`start + 1`.",
        section="08-fast-attention#tiled-attention-task",
    ),
    Fault(
        "last-tile-forgotten",
        "the tile at the end that is not full is left out",
        "Tokens at the end are left out: the length is no multiple of the tile. A slice past the end is "
        "shorter by itself, so let the loop run to `num_tokens`.",
        section="08-fast-attention#tiled-attention-task",
    ),
    Fault(
        "mask-local-to-tile",
        "the mask compares places within the tile",
        "The mask compares places within the tile. Compare places in the text: add where the tile's rows and "
        "columns begin.",
        section="08-fast-attention#tiled-attention-task",
    ),
    Fault(
        "fill-overflows-half",
        "hidden scores get a number that float16 cannot hold",
        "float16 ends at 65504, so −1e9 cannot be filled in. Use `-torch.inf`.",
        section="08-fast-attention#tiled-attention-task",
    ),
    Fault(
        "row-sums-left-out",
        "dS lacks the row sums",
        "dS is `weights * (weights_gradient - row_sums)`. Without the row sums, the changes of a row's "
        "weights do not add up to 0.",
        section="08-fast-attention#backward-intro",
    ),
    Fault(
        "row-sums-added",
        "the row sums are added in dS",
        "The row sums D are subtracted in dS, not added.",
        section="08-fast-attention#backward-intro",
    ),
    Fault(
        "wrong-row-sums",
        "the row sums are not those of dO times O",
        "D is the sum of `out_gradient * context` over head_dim: a sum, not a mean.",
        section="08-fast-attention#backward-intro",
    ),
    Fault(
        "weights-left-out",
        "dS is not multiplied by the weights",
        "dS is `weights * (weights_gradient - row_sums)`, entry by entry. The weights are missing.",
        section="08-fast-attention#backward-intro",
    ),
    Fault(
        "gradient-not-scaled",
        "the scale is missing on the way back",
        "The scores were divided by √head_dim, so the gradients of q and of k are, too.",
        section="08-fast-attention#backward-intro",
    ),
    Fault(
        "gradients-in-another-order",
        "the gradients come back in another order",
        "The gradients come back in another order than the arguments: q, k, v.",
    ),
    Fault(
        "gradients-too-few",
        "`backward` returns too few gradients",
        "`backward` returns one gradient for each argument of `forward`: None for `tile` and `causal`.",
        section="08-fast-attention#tiled-function-task",
    ),
    Fault(
        "arriving-gradient-ignored",
        "the gradient that arrives is not used",
        "The gradient that arrives is not used. It says how much each number of the result counts.",
        section="08-fast-attention#backward-intro",
    ),
    Fault(
        "share-overwrites",
        "a tile's share replaces those before it",
        "A tile's share replaces those of the tiles before it. Several tiles add to the same rows and "
        "columns: `+=`.",
        section="08-fast-attention#tiled-function-task",
    ),
    Fault(
        "keys-zeroed",
        "hidden keys are set to 0",
        "A key of zeros has the score 0, and e⁰ = 1 still gets weight. Hide it with the mask.",
        section="08-fast-attention#bug-true-is-visible-task",
    ),
    Fault(
        "newest-keys-only",
        "only the newest keys are used",
        "Only the newest keys are used. The last tokens may look at all tokens before them.",
        section="08-fast-attention#bug-cached-step-task",
    ),
    Fault(
        "cache-not-advanced",
        "the number of stored tokens stays the same",
        "`num_tokens` stays as it was, so the next call overwrites what was stored.",
        section="08-fast-attention#cache-intro",
    ),
    Fault(
        "cache-returns-new-only",
        "only the new keys and values come back",
        "Only the new keys and values come back. Return those of all tokens so far.",
        section="08-fast-attention#cache-intro",
    ),
    Fault(
        "cache-not-cut",
        "places that are not filled yet come back as well",
        "The whole memory comes back, with places that are still empty. Cut it at the number of tokens.",
        section="08-fast-attention#cache-intro",
    ),
    Fault(
        "not-refused",
        "what does not fit is not refused",
        "More tokens than fit are not refused with a ValueError. Compare the new end with the size before you"
        " store.",
        section="08-fast-attention#cache-intro",
    ),
    Fault(
        "one-place-too-few",
        "the last place of the cache is never used",
        "The cache refuses tokens that fit: the last place may be used.",
        section="08-fast-attention#cache-intro",
    ),
    Fault(
        "stored-before-refused",
        "a refused call leaves the cache changed",
        "A refused call leaves the cache changed.",
        section="08-fast-attention#cache-intro",
    ),
    Fault(
        "one-token-at-a-time",
        "only one token of a call is stored",
        "Only one token of each call is stored. A prompt brings many at once.",
        section="08-fast-attention#cache-intro",
    ),
    Fault(
        "factor-left-out",
        "a factor of the cache's size is missing",
        "A factor is missing.",
        section="08-fast-attention#gqa-intro",
    ),
    Fault(
        "groups-in-turn",
        "the groups are repeated in turn",
        "The groups stand in turn: 0, 1, 0, 1. Neighbouring heads share a group, 0, 0, 1, 1: "
        "`repeat_interleave`.",
        section="08-fast-attention#repeat-intro",
    ),
    Fault(
        "repeated-along-tokens",
        "the tokens are repeated where the groups should be",
        "The tokens are repeated: `dim=2` counts them. The groups are axis 1.",
        section="08-fast-attention#repeat-intro",
    ),
    Fault(
        "one-group-for-all",
        "every head meets the first group",
        "Every head meets the first group's keys and values. Each group serves its own heads.",
        section="08-fast-attention#repeat-intro",
    ),
    Fault(
        "indivisible-groups-accepted",
        "groups that the heads cannot share out are accepted",
        "`num_kv_groups` has to divide `num_heads`. Refuse other numbers with a ValueError.",
        section="08-fast-attention#grouped-query-attention-task",
    ),
    # --- Training and looking inside ---------------------------------------------------------------------
    Fault(
        "same-rows-for-all",
        "every sequence gets the first rows of the table",
        "The rows are taken in their order: token t gets row t, whatever token it is. Row `ids[b, t]` is meant.",
        section="09-train-it#stream-read",
    ),
    Fault(
        "ids-as-numbers",
        "the ids are used as numbers",
        "The ids are multiplied here. An id is no amount: it only says which row of the table is meant.",
        section="09-train-it#stream-read",
    ),
    Fault(
        "one-row-off",
        "each token gets the row of another id",
        "Each token gets the row before its own. Ids count from 0, as rows do.",
        section="09-train-it#stream-read",
    ),
    Fault(
        "one-token-for-all",
        "every token gets the first one's vector",
        "Every token of a sequence gets the vector of the first one.",
        section="09-train-it#stream-read",
    ),
    Fault(
        "start-left-out",
        "the stream holds only what the parts wrote",
        "The stream that was there at the start is missing from the result. The parts add to it.",
        section="09-train-it#stream-after-task",
    ),
    Fault(
        "part-writes-twice",
        "what a part writes is added twice",
        "What a part writes is added twice.",
        section="09-train-it#stream-after-task",
    ),
    Fault(
        "normed-over-tokens",
        "the tokens of a sequence are normalised together",
        "Mean and variance run over the tokens here. Each token is normalised on its own, along the last axis.",
        section="09-train-it#layer-norm-task",
    ),
    Fault(
        "normed-over-everything",
        "the whole sequence is normalised at once",
        "Mean and variance run over all tokens and numbers here. Each token is normalised on its own.",
        section="09-train-it#layer-norm-task",
    ),
    Fault(
        "eps-outside-the-root",
        "eps is added to the root, not under it",
        "`eps` is added after the root. It belongs under it: `(variance + eps).sqrt()`.",
        section="09-train-it#layer-norm-task",
    ),
    Fault(
        "scale-and-shift-left-out",
        "scale and shift are not used",
        "What is normalised has to be multiplied by `scale` and moved by `shift`.",
        section="09-train-it#layer-norm-task",
    ),
    Fault(
        "shift-first",
        "the shift is multiplied instead of added",
        "Multiply by `scale` first, then add `shift`.",
        section="09-train-it#layer-norm-task",
    ),
    Fault(
        "not-centred",
        "the mean is not subtracted",
        "The mean is not subtracted. LayerNorm gives each token the mean 0.",
        section="09-train-it#layer-norm-task",
    ),
    Fault(
        "eps-typed-in",
        "eps is a number typed in",
        "`eps` is an argument, and here it is always the same number.",
        section="09-train-it#layer-norm-task",
    ),
    Fault(
        "nonlinearity-left-out",
        "there is no nonlinearity between the layers",
        "No nonlinearity stands between the layers, so both together are only one matrix. Put `F.gelu` between them.",
        section="09-train-it#feed-forward-task",
    ),
    Fault(
        "nonlinearity-behind",
        "the nonlinearity stands behind both layers",
        "The GELU stands behind the second layer. It belongs between the two.",
        section="09-train-it#feed-forward-task",
    ),
    Fault(
        "bias-too-late",
        "the bias is added after the nonlinearity",
        "The first bias is added after the GELU. A layer is `x @ weight.T + bias`; the GELU takes all of it.",
        section="09-train-it#feed-forward-task",
    ),
    Fault(
        "probabilities-returned",
        "probabilities come back, not logits",
        "These are probabilities. Return the logits as they are: the loss does the softmax.",
        section="09-train-it#unembed-task",
    ),
    Fault(
        "favourite-only",
        "only the likeliest token comes back",
        "This is the id of the likeliest token. Return a logit for each token of the vocabulary.",
        section="09-train-it#unembed-task",
    ),
    Fault(
        "last-position-only",
        "only the last position gets logits",
        "Only the last position gets logits. Every position predicts its next token.",
        section="09-train-it#unembed-task",
    ),
    Fault(
        "no-residual",
        "a part replaces the stream instead of adding to it",
        "The results replace the stream. Each part is *added* to it: `x + …`.",
        section="09-train-it#transformer-block-task",
    ),
    Fault(
        "norm-behind",
        "the LayerNorm stands behind the part",
        "The LayerNorm stands behind the attention. Here it stands in front: the part reads a normalised stream, and the stream itself stays as it is.",
        section="09-train-it#transformer-block-task",
    ),
    Fault(
        "norm-left-out",
        "a part reads the stream without a LayerNorm",
        "A part reads the stream without its LayerNorm.",
        section="09-train-it#transformer-block-task",
    ),
    Fault(
        "one-norm-for-both",
        "one LayerNorm serves both parts",
        "Attention and MLP share a LayerNorm here. Each has one of its own.",
        section="09-train-it#transformer-block-task",
    ),
    Fault(
        "parts-side-by-side",
        "the MLP does not see what the attention wrote",
        "The MLP reads the stream from before the attention. It comes second, and reads what the attention has added.",
        section="09-train-it#transformer-block-task",
    ),
    Fault(
        "other-nonlinearity",
        "another nonlinearity is used",
        "The MLP uses another nonlinearity than `nn.GELU()`.",
        section="09-train-it#transformer-block-task",
    ),
    Fault(
        "mlp-ignored",
        "the MLP is there whatever was asked",
        "With `mlp=False` there is to be no MLP.",
        section="09-train-it#transformer-block-task",
    ),
    Fault(
        "never-rotated",
        "the positions are never rotated",
        'With `position="rope"` nothing is rotated. Call `rotate(block.attention, num_heads)` for each block.',
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "rotated-always",
        "the positions are always rotated",
        "Queries and keys are rotated whatever `position` says.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "first-block-rotated",
        "only the first block is rotated",
        "Only the first block has rotary positions. Each attention needs them.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "positions-not-added",
        "the learned positions are not added",
        'With `position="learned"` the positions are not added to the embeddings.',
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "positions-misaligned",
        "the positions start at the wrong row",
        "The positions start at the wrong row of their table. Token 0 gets row 0.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "last-norm-left-out",
        "the last LayerNorm is left out",
        "The last LayerNorm, `norm`, is not used before the unembedding.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "one-block",
        "there is always one block",
        "There is one block, whatever `num_layers` says.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "one-block-repeated",
        "one block is used for every layer",
        "Every layer is the same block. Make a new one for each layer.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "block-replaces-nothing",
        "what a block returns is thrown away",
        "What the blocks return is thrown away: `x = block(x)`.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "unembedding-with-bias",
        "the unembedding has a bias",
        "The unembedding has no bias: `bias=False`.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "softmax-in-the-model",
        "the model returns probabilities",
        "The model returns probabilities. It is to return the logits: the loss does the softmax.",
        section="09-train-it#tiny-transformer-task",
    ),
    Fault(
        "labels-not-shifted",
        "the labels are not shifted",
        "Position t is compared with token t, which it has just read. It is to predict token t + 1.",
        section="09-train-it#next-token-labels-task",
    ),
    Fault(
        "shifted-the-other-way",
        "the labels are shifted the wrong way",
        "The labels are shifted the wrong way: position t is asked for token t - 1.",
        section="09-train-it#next-token-labels-task",
    ),
    Fault(
        "first-too-late",
        "the first prediction that counts is left out",
        "The first label that counts is missing. Token `first` is predicted at position `first - 1`.",
        section="09-train-it#next-token-labels-task",
    ),
    Fault(
        "wrapped-around",
        "the last position is asked for the first token",
        "`roll` brings the first token to the last position. The last position has no label: -100.",
        section="09-train-it#next-token-labels-task",
    ),
    Fault(
        "all-count",
        "what cannot be known counts",
        "Every next token counts here. Only tokens from position `first` on do.",
        section="09-train-it#next-token-labels-task",
    ),
    Fault(
        "filled-with-zero",
        "what does not count has the label 0",
        "Where nothing counts the label is 0, and 0 is a token. The label that is skipped is -100.",
        section="09-train-it#next-token-labels-task",
    ),
    Fault(
        "sign-forgotten",
        "the sign of the loss is turned",
        "The logarithm of a share is negative. The loss is *minus* its mean.",
        section="09-train-it#next-token-loss-task",
    ),
    Fault(
        "log-left-out",
        "the shares are averaged, not their logarithms",
        "The shares themselves are averaged. Take their logarithms: `torch.log_softmax`.",
        section="09-train-it#next-token-loss-task",
    ),
    Fault(
        "log-of-zero",
        "the logarithm of a share that was rounded to 0",
        "A softmax rounds tiny shares to 0, and the logarithm of 0 is −∞. `torch.log_softmax` does both steps in one and stays finite.",
        section="09-train-it#next-token-loss-task",
    ),
    Fault(
        "divided-by-all-positions",
        "the sum is divided by all positions",
        "The sum is divided by the number of all positions. Only those whose label is not -100 are in it.",
        section="09-train-it#next-token-loss-task",
    ),
    Fault(
        "largest-share-taken",
        "the largest share is taken, not the label's",
        "This is the largest share of each position. The loss asks for the share of the label, whichever is the largest.",
        section="09-train-it#next-token-loss-task",
    ),
    Fault(
        "gradients-not-cleared",
        "the gradients are never cleared",
        "The gradients of all steps add up. Call `optimizer.zero_grad()` in each step, before `backward`.",
        section="09-train-it#train-task",
    ),
    Fault(
        "no-step",
        "no step changes anything",
        "No step changes anything: `optimizer.step()` is missing, or the gradients are cleared before it uses them.",
        section="09-train-it#train-task",
    ),
    Fault(
        "other-optimizer",
        "another optimizer is used",
        "This is another optimizer than `torch.optim.AdamW`.",
        section="09-train-it#train-task",
    ),
    Fault(
        "learning-rate-ignored",
        "the learning rate is a number typed in",
        "The learning rate is an argument, and here it is always the same number.",
        section="09-train-it#train-task",
    ),
    Fault(
        "new-optimizer-each-step",
        "each step has a new optimizer",
        "Each step makes a new optimizer, which knows nothing of the steps before. Make it once, before the loop.",
        section="09-train-it#train-task",
    ),
    Fault(
        "first-batch-only",
        "only the first batch is used",
        "The loop ends after the first batch.",
        section="09-train-it#train-task",
    ),
    Fault(
        "gradient-upwards",
        "the loss is made larger",
        "The steps make the loss larger. `loss.backward()` without a minus is right: the optimizer goes down.",
        section="09-train-it#train-task",
    ),
    Fault(
        "softmax-before-the-loss",
        "a softmax stands before the cross-entropy",
        "A softmax stands before the cross-entropy, which has one of its own. Give it the logits.",
        section="09-train-it#bug-training-loop-task",
    ),
    Fault(
        "evaluated-in-train-mode",
        "the model is evaluated in training mode",
        "The model is in training mode, so dropout still drops. Call `model.eval()` first.",
        section="09-train-it#bug-evaluation-task",
    ),
    Fault(
        "one-row-late",
        "each look stands one row too low",
        "Each row is one too low. The position *before* an answer predicts it; the bar predicts the first one.",
        section="09-train-it#reverse-map-task",
    ),
    Fault(
        "main-diagonal",
        "the digits are copied, not reversed",
        "This copies the digits in their order. The first answer is the last digit.",
        section="09-train-it#reverse-map-task",
    ),
    Fault(
        "whole-anti-diagonal",
        "the anti-diagonal of the whole matrix is filled",
        "The whole anti-diagonal is filled. Only n rows predict an answer, and they look at digits only.",
        section="09-train-it#reverse-map-task",
    ),
    Fault(
        "key-one-off",
        "each look is one digit to the right",
        "Each look is one digit too far to the right. The last digit stands at position n - 1.",
        section="09-train-it#reverse-map-task",
    ),
    Fault(
        "answers-only",
        "the map holds the answers and digits only",
        "This is the part of the map with the answers. The whole map has 2n + 1 rows and columns.",
        section="09-train-it#reverse-map-task",
    ),
    Fault(
        "match-for-successor",
        "the token itself is looked for, not the one after",
        "This is the diagonal of the token that is *equal*. Induction looks at the one after it: `t - period + 1`.",
        section="09-train-it#induction-score-task",
    ),
    Fault(
        "first-query-counted",
        "a query counts that sees its token for the first time",
        "The diagonal starts one query too early: query `period - 1` sees its token for the first time.",
        section="09-train-it#induction-score-task",
    ),
    Fault(
        "diagonal-of-the-future",
        "the diagonal lies above the main one",
        "This diagonal lies above the main one, where the keys come later than the query. A negative offset looks back.",
        section="09-train-it#induction-score-task",
    ),
    Fault(
        "one-too-far-back",
        "the diagonal lies one too far back",
        "This looks one token too far back: at what came *before* the same token.",
        section="09-train-it#induction-score-task",
    ),
    Fault(
        "previous-token-diagonal",
        "the diagonal is that of the previous token",
        "This is the diagonal of the previous token. Induction looks `period - 1` tokens back.",
        section="09-train-it#induction-score-task",
    ),
    Fault(
        "added-not-averaged",
        "a sum stands in the place of a mean",
        "The numbers are added up. Take their mean.",
        section="09-train-it#induction-score-task",
    ),
    Fault(
        "heads-averaged",
        "the heads are averaged",
        "One number comes back for all heads. Each head has its own.",
        section="09-train-it#induction-score-task",
    ),
    Fault(
        "divided-by-all-queries",
        "the sum is divided by all queries",
        "The sum is divided by the number of all queries. Only those from `period` on are in it.",
        section="09-train-it#induction-score-task",
    ),
    Fault(
        "hardly-sharp",
        "the attention is not sharp",
        "The attention goes to the right place and is not sharp: other tokens get a share. Make the query larger: after the division by √d_model the right score has to be 30 above the others.",
        section="09-train-it#previous-token-head-task",
    ),
    Fault(
        "weights-not-cleared",
        "the random weights are still there",
        "The random numbers that the module was made with are still in its matrices. Set all parameters to 0 first.",
        section="09-train-it#previous-token-head-task",
    ),
    Fault(
        "looks-at-itself",
        "each position asks for itself",
        "Each position asks for itself. Position p is to ask for p - 1.",
        section="09-train-it#previous-token-head-task",
    ),
    Fault(
        "two-back",
        "each position asks for the one two back",
        "Each position asks for the one two places back.",
        section="09-train-it#previous-token-head-task",
    ),
    Fault(
        "written-to-other-slots",
        "the token is written into the wrong slots",
        "The right token is found, and written into the wrong slots.",
        section="09-train-it#previous-token-head-task",
    ),
    Fault(
        "finds-the-same-token",
        "the same token is found, not what follows it",
        "The query finds the same token. To find what comes *after* it, the key has to be the token before, from the last slots.",
        section="09-train-it#induction-head-task",
    ),
    Fault(
        "query-and-key-swapped",
        "query and key read each other's slots",
        "Query and key read each other's slots. The query is the present token, the key the one before.",
        section="09-train-it#induction-head-task",
    ),
    Fault(
        "brings-the-token-before",
        "the value is the token before",
        "The right position is found, and its value is the token *before* it. The value is the position's own token.",
        section="09-train-it#induction-head-task",
    ),
    Fault(
        "never-meet",
        "query and key stand in different places",
        "Query and key write into different places, or one of them writes nothing: every score is 0, and the attention is "
        "spread evenly.",
        section="09-train-it#induction-head-task",
    ),
    Fault(
        "hook-stays",
        "the hook is never removed",
        "After the call the model is not what it was: the hook is still there. Call `hook.remove()`.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "wrong-head-removed",
        "another head is removed",
        "Another head than the one asked for is removed.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "heads-cut-wrongly",
        "the heads are cut out of the wrong axis",
        "Each head's numbers lie side by side. Cut the last axis into (num_heads, head_dim), in this order.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "token-removed",
        "a token is removed, not a head",
        "This sets a token's contexts to 0. Which axis counts the heads?",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "layer-ignored",
        "always the same layer is used",
        "Always the same block is used. Take `model.blocks[layer]`.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "all-heads-removed",
        "all heads are removed",
        "All heads are set to 0.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "all-but-one-removed",
        "all heads but the one asked for are removed",
        "All heads but this one are removed. It is the other way round.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "difference-turned",
        "the difference is the wrong way round",
        "The difference is the wrong way round: the loss without the head, minus the loss of the whole model.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "loss-without-comparison",
        "the loss is not compared with that of the whole model",
        "This is the loss without the head. Subtract the loss of the whole model.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "result-removed",
        "numbers behind out_proj are removed",
        "The result of `out_proj` is changed here, where the heads are mixed already. Change what goes *into* it: a pre-hook.",
        section="09-train-it#ablation-effect-task",
    ),
    Fault(
        "all-positions-patched",
        "all positions are patched",
        "The whole clean stream is put in. Put in one position only.",
        section="09-train-it#contradiction-read",
    ),
    Fault(
        "sequence-patched",
        "a sequence is patched, not a position",
        "A sequence of the batch is patched here. Positions are the second axis: `stream[:, position]`.",
        section="09-train-it#contradiction-read",
    ),
    Fault(
        "clean-and-corrupt-swapped",
        "clean and corrupt are exchanged",
        "The two texts are exchanged: the clean vector goes into the corrupt run.",
        section="09-train-it#contradiction-read",
    ),
    Fault(
        "block-below",
        "the vector goes into another block",
        "The vector is put in after another block than the one it comes from.",
        section="09-train-it#contradiction-read",
    ),
    Fault(
        "nothing-put-in",
        "the hook returns nothing",
        "The hook changes a copy and does not return it, so the run goes on with the old stream.",
        section="09-train-it#contradiction-read",
    ),
    Fault(
        "position-typed-in",
        "the vector comes from another position",
        "The clean vector comes from another position.",
        section="09-train-it#contradiction-read",
    ),
    Fault(
        "temperature-multiplied",
        "the logits are multiplied by the temperature",
        "The logits are multiplied by the temperature. Divide by it: a low temperature makes the favourites stronger.",
        section="09-train-it#patch-read",
    ),
    Fault(
        "temperature-after-softmax",
        "the temperature is applied after the softmax",
        "The temperature comes after the softmax, so the row does not add up to 1. Divide the logits.",
        section="09-train-it#patch-read",
    ),
    Fault(
        "cut-after-softmax",
        "what is left after the cut does not add up to 1",
        "The cut comes after the softmax, so what is left does not add up to 1. Cut the logits.",
        section="09-train-it#patch-read",
    ),
    Fault(
        "cut-with-zero",
        "what is cut off gets the logit 0",
        "What is cut off gets the logit 0, and so a chance. Fill with `-torch.inf`.",
        section="09-train-it#patch-read",
    ),
    Fault(
        "temperature-ignored",
        "the temperature is not used",
        "The temperature is not used.",
        section="09-train-it#patch-read",
    ),
    Fault(
        "top-k-ignored",
        "top_k is not used",
        "`top_k` is not used.",
        section="09-train-it#patch-read",
    ),
    Fault(
        "one-threshold-for-all",
        "one row's threshold is used for all",
        "The threshold of the first row is used for all. Each row has its own `top_k` largest.",
        section="09-train-it#patch-read",
    ),
    Fault(
        "one-too-few",
        "one token too few stays",
        "One token too few stays: the smallest of the `top_k` is cut off as well.",
        section="09-train-it#patch-read",
    ),
    Fault(
        "window-not-cut",
        "the model gets more tokens than it has room for",
        "The model gets more tokens than it has room for. Give it the last ones: `ids[:, -context_length:]`.",
        section="09-train-it#generate-task",
    ),
    Fault(
        "window-from-the-start",
        "the model gets the first tokens, not the last",
        "The model gets the first `context_length` tokens. What comes next depends on the last ones.",
        section="09-train-it#generate-task",
    ),
    Fault(
        "first-positions-logits",
        "the logits of the first position are used",
        "These are the logits of the first position. The next token is predicted at the last one.",
        section="09-train-it#generate-task",
    ),
    Fault(
        "least-likely",
        "the least likely token is taken",
        "The least likely token is taken.",
        section="09-train-it#generate-task",
    ),
    Fault(
        "one-token-only",
        "only one token is appended",
        "One token is appended, whatever `count` says.",
        section="09-train-it#generate-task",
    ),
    Fault(
        "prompt-left-out",
        "the prompt is not returned",
        "Only the new tokens come back. Return the prompt with them.",
        section="09-train-it#generate-task",
    ),
    Fault(
        "put-in-front",
        "new tokens are put in front",
        "The new tokens are put in front of the others.",
        section="09-train-it#generate-task",
    ),
    Fault(
        "window-returned",
        "what is left of the window comes back",
        "What was cut off for the model is gone from the result too. Cut only what the model gets.",
        section="09-train-it#generate-task",
    ),
    # --- Reading a model -----------------------------------------------------------------------------------
    Fault(
        "cut-along-the-input",
        "a fused weight is cut along the wrong axis",
        "The weight is cut along its first axis, the input. Queries, keys and values stand side by side: cut `dim=1`.",
        section="10-read-a-model#split-fused-task",
    ),
    Fault(
        "square-not-transposed",
        "a square weight goes in as it is stored",
        "A square weight goes in as it is stored. Its shape fits both ways, and it has to be transposed all the same.",
        section="10-read-a-model#place-task",
    ),
    Fault(
        "not-tied",
        "the unembedding does not get the embedding's table",
        "The unembedding still has its random numbers. `wte` is the embedding *and* the unembedding.",
        section="10-read-a-model#place-task",
    ),
    Fault(
        "embedding-forgotten",
        "the embedding does not get its table",
        "The table goes into the unembedding only. The embedding needs it as well.",
        section="10-read-a-model#place-task",
    ),
    Fault(
        "biases-left-out",
        "tensors with one axis are left out",
        "What has one axis is left out: biases, and the parameters of LayerNorm.",
        section="10-read-a-model#place-task",
    ),
    Fault(
        "transposed-always",
        "tensors are transposed that should stay as they are",
        "This transposes tables too. Only the weights of `c_proj` and `c_fc` are stored the other way round.",
        section="10-read-a-model#bug-orientation-task",
    ),
    Fault(
        "exp-left-out",
        "the loss stands in the place of the perplexity",
        "This is the mean loss. The perplexity is e to the power of it: `.exp()`.",
        section="10-read-a-model#perplexity-task",
    ),
    Fault(
        "base-of-two",
        "the perplexity is taken to the base of 2",
        "`cross_entropy` uses the natural logarithm. So the base is e, not 2: `.exp()`.",
        section="10-read-a-model#perplexity-task",
    ),
    Fault(
        "averaged-too-late",
        "the mean is taken after the exponential",
        "The exponential comes before the mean here, and the worst token rules. First the mean loss, then `.exp()`.",
        section="10-read-a-model#perplexity-task",
    ),
    Fault(
        "all-queries-counted",
        "queries without a claim count",
        "Queries without a claimed key count here, with a share of 0. Take the mean over those that have one.",
        section="10-read-a-model#claim-score-task",
    ),
    Fault(
        "averaged-over-claimed-keys",
        "the weights on the claimed keys are averaged",
        "The weights on a query's claimed keys are averaged. Add them up: their sum is the share of its attention.",
        section="10-read-a-model#claim-score-task",
    ),
    Fault(
        "claim-transposed",
        "the claim's queries and keys have changed places",
        "The claim is transposed. Its rows are queries and its columns keys, as in the map.",
        section="10-read-a-model#claim-score-task",
    ),
    Fault(
        "asked-by-keys",
        "keys are asked whether they have a claim",
        "`any` runs over the queries here. Ask each query whether it has a claimed key: `claim.any(dim=-1)`.",
        section="10-read-a-model#claim-score-task",
    ),
    Fault(
        "largest-claimed-key",
        "only the largest of the claimed weights counts",
        "Only the largest weight on the claimed keys counts. Add all of them up.",
        section="10-read-a-model#claim-score-task",
    ),
    Fault(
        "sequence-by-sequence",
        "each sequence is averaged on its own first",
        "Each sequence gets its own mean first, so a sequence with few claimed queries counts as much as one with many.",
        section="10-read-a-model#claim-score-task",
    ),
    Fault(
        "future-claimed",
        "keys of the future are claimed",
        "Keys behind the query are claimed too. It cannot see them: `.tril()`.",
        section="10-read-a-model#induction-claim-task",
    ),
    Fault(
        "queries-and-keys-turned",
        "queries and keys have changed places in the comparison",
        "Rows and columns have changed places. The query's own token is compared with the token *before* each key.",
        section="10-read-a-model#induction-claim-task",
    ),
    Fault(
        "itself-left-out",
        "the query's own position is never claimed",
        "The query's own position is left out. In `aa` the second `a` follows an `a`, so it counts: `.tril()` without an offset.",
        section="10-read-a-model#induction-claim-task",
    ),
    Fault(
        "previous-token-claimed",
        "the claim is that of a previous-token head",
        "This claims the token before, whatever stands there. Induction asks which token stands before the key.",
        section="10-read-a-model#induction-claim-task",
    ),
    Fault(
        "zero-for-the-mean",
        "zero stands in the place of the mean",
        "The head's context is set to 0. Put its mean over the batch and the tokens there.",
        section="10-read-a-model#mean-ablated-task",
    ),
    Fault(
        "mean-of-each-sequence",
        "each sequence has a mean of its own",
        "Each sequence gets its own mean, which still tells something about its text. Take one over batch and tokens.",
        section="10-read-a-model#mean-ablated-task",
    ),
    Fault(
        "mean-of-each-position",
        "each position has a mean of its own",
        "The mean runs over the batch only, so each position keeps one of its own. Take one over batch and tokens.",
        section="10-read-a-model#mean-ablated-task",
    ),
    Fault(
        "mean-over-the-numbers",
        "one number takes the place of a whole vector",
        "The mean runs over the head's numbers too, so one number is left. Keep head_dim of them: `dim=(0, 1)`.",
        section="10-read-a-model#mean-ablated-task",
    ),
    Fault(
        "mean-of-all-heads",
        "the mean of all heads takes one head's place",
        "This is the mean of all heads together. Take that of the head which is removed.",
        section="10-read-a-model#mean-ablated-task",
    ),
    Fault(
        "places-swapped",
        "there and elsewhere have changed places",
        "The two numbers have changed places: first where the claim applies, then elsewhere.",
        section="10-read-a-model#effect-where-task",
    ),
    Fault(
        "divided-by-all-tokens",
        "both sums are divided by the number of all tokens",
        "Both sums are divided by the number of all tokens. Divide each by the number of its own: `rise[where].mean()`.",
        section="10-read-a-model#effect-where-task",
    ),
    Fault(
        "compared-with-all",
        "the second number is that of all tokens",
        "The second number counts all tokens. Elsewhere is where the claim does *not* apply: `~where`.",
        section="10-read-a-model#effect-where-task",
    ),
    Fault(
        "rise-without-sign",
        "a fall counts as a rise",
        "Where the loss falls without the head, this counts a rise. Keep the sign.",
        section="10-read-a-model#effect-where-task",
    ),
    Fault(
        "first-stage-left-out",
        "the stage before the first block is missing",
        "The first stage is missing: the stream before any block.",
        section="10-read-a-model#logit-lens-task",
    ),
    Fault(
        "last-stage-left-out",
        "the stage after the last block is missing",
        "The last stage is missing: what the whole model says.",
        section="10-read-a-model#logit-lens-task",
    ),
    Fault(
        "each-from-the-start",
        "each block reads the embedding",
        "Each block reads the stream as it was before the first. It reads what the block before it has returned.",
        section="10-read-a-model#logit-lens-task",
    ),
    Fault(
        "part-without-the-stream",
        "each stage shows only what its block added",
        "This shows what each block added. The lens reads the whole stream behind it.",
        section="10-read-a-model#logit-lens-task",
    ),
)
