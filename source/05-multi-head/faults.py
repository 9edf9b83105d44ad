"""The mistakes that only lesson 05 knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "joined-then-turned",
        "the axes are joined in another order and then swapped",
        "The axes were joined in another order and then swapped. After `transpose(1, 2)` and `.contiguous()`, view as (b, "
        "tokens, d_out) directly.",
        section="05-multi-head#not-contiguous-read",
    ),
    Fault(
        "stacked-not-joined",
        "the heads' pieces are stacked, not joined",
        "The heads have an axis of their own, as `torch.stack` makes it. `torch.cat(…, dim=-1)` makes the "
        "last axis longer instead.",
        section="05-multi-head#error-with-heads-task",
    ),
    Fault(
        "one-head-repeated",
        "one head is in the list several times",
        "One and the same head is in the list several times, as with `[head] * num_heads`. Make a new one "
        "for each place: `for _ in range(num_heads)`.",
        section="05-multi-head#stack-intro",
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
        "Each head has all of d_out and only some of the tokens. Cut the last axis: every head should keep "
        "all tokens.",
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
        "not-the-identity",
        "another matrix is used where the identity is asked for",
        "This is not the identity matrix. That has ones on its diagonal and zeros elsewhere: `torch.eye`.",
        section="05-multi-head#copy-into-fused-task",
    ),
    Fault(
        "layer-replaced",
        "a layer is replaced by something without weights",
        "A layer was replaced by something without weights. What was there to be trained is gone: "
        "keep the layer, and copy the identity matrix into its weight and zeros into its bias.",
        section="05-multi-head#copy-into-fused-task",
    ),
    Fault(
        "head-dim-from-input",
        "head_dim is a share of the input's width",
        "`head_dim` is taken from `d_in`. A head gets its share of what the layers make: the heads share `d_out`.",
        section="05-multi-head#split-read",
    ),
    Fault(
        "indivisible-too-late",
        "sizes that do not fit are refused in the first call, and not when the class is made",
        "The sizes are refused only when the class is called. Check them in `__init__`, before anything is made.",
        section="05-multi-head#fused-intro",
    ),
    Fault(
        "arguments-of-the-error-swapped",
        "the contexts and what is wanted have changed places",
        "`error_left` gets its two arguments the wrong way round: the contexts come first, then what is wanted.",
        section="05-multi-head#error-with-heads-task",
    ),
    Fault(
        "heads-in-a-loop",
        "the heads attend one after the other in a loop",
        "The heads attend one after the other, in a loop. The numbers are right; let all heads attend in one product, with the head axis before (tokens, head_dim).",
        section="05-multi-head#fused-intro",
    ),
)
