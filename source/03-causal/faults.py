"""The mistakes that only lesson 03 knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "scaled-by-value-width",
        "the scores are divided by the root of the values' width",
        "The root is that of the width of the *values*. A score sums over the numbers of a key: divide by "
        "{width}.",
        section="03-causal#causal-attention-intro",
    ),
    Fault(
        "only-next-token-hidden",
        "only the very next token is hidden",
        "Only the very next token is hidden. All later tokens must be hidden too.",
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
        "the matrix product is used where entries should be multiplied",
        "This is a matrix product with the mask. To set single entries to 0, multiply entry by entry, with `*`.",
        section="03-causal#mask-after-softmax-task",
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
        "columns-normalised",
        "each column is divided by its sum",
        "Here each column adds up to 1. A query's weights are in a row: sum over `dim=-1`.",
        section="03-causal#renormalise-task",
    ),
    Fault(
        "divided-by-count",
        "a row is divided by the number of its entries",
        "The division is by how many there are. Divide by their sum.",
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
        "next-token-only",
        "only the very next token is tested",
        "Only leaks from the very next token are found. A token further on can leak as well: test all rows before `j`.",
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
        "Rounding counts as a leak here: it moves a float's last digits. Count only what is larger than "
        "1e-5.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "change-may-do-nothing",
        "the change leaves some tokens as they are",
        "The change can leave a token as it is: one that is set to a fixed value, or multiplied, may have "
        "that value already. A leak then goes unnoticed. Add something to it.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "copy-made-once",
        "the copy is made once, before the loop",
        "With token `j`, the tokens before it are changed, too, as where one copy serves all rounds. Make "
        "a new copy inside the loop, and change token `j` alone.",
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
        "Token `j` is changed together with those after it. Change one token alone, in a new copy each time.",
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
        "Nothing is ever found. Is the token changed by a step of about 1, `attention` called with the *changed* tokens, "
        "and the result written into the matrix, before the function returns? `changed = x` makes no copy: then "
        "both calls see the same tokens.",
        section="03-causal#leaks-intro",
    ),
    Fault(
        "half-for-root",
        "the scores are divided by half of d_k",
        "The scores are divided by half of d_k. Divide by its root: `d_k**0.5`.",
        section="03-causal#bug-raw-scores-task",
    ),
    Fault(
        "renormalised-underflow",
        "the mask comes after the softmax, and what is left rounds to 0",
        "The future is cut away after the softmax. Where later tokens have far higher scores, all that is left is 0, and 0/0 is nan. Hide the future before the softmax.",
        section="03-causal#before-softmax-intro",
    ),
)
