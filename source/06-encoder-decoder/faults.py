"""The mistakes that only lesson 06 knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "mask-of-first-head",
        "the mask of head 0 serves for all heads",
        "All heads get the mask of head 0. It can differ from head to head: keep its axis of heads.",
    ),
    Fault(
        "batch-and-tokens-swapped",
        "the batch and the tokens have changed places",
        "The batch and the tokens have changed places. The batch stays the first axis.",
        section="06-encoder-decoder#batch-intro",
    ),
    Fault(
        "padding-boundary",
        "the border of the padding is off by one",
        "The border of the padding is off by one. Positions count from 0, so a sequence of length 3 has the "
        "positions 0, 1 and 2: a position is a token where it is less than the length.",
        section="06-encoder-decoder#padding-intro",
    ),
    Fault(
        "mask-batch-for-queries",
        "the mask lines up the batch with the queries",
        "With the shape (b, tokens) broadcasting lines up the batch with the queries. Put "
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
        "The mask is as long as the longest sequence. All sequences can be shorter than their tensor: use "
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
        "The masks are joined with *or*: one permission is enough, so what only one of them hides is visible. "
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
        "empty-row-nan",
        "a query without any visible key gets nan",
        "A row whose keys are all hidden should hold nothing but 0. After the softmax, set every hidden weight to 0.",
        section="06-encoder-decoder#masked-softmax-task",
    ),
    Fault(
        "nan-in-gradient",
        "the weights are right and their gradient is nan",
        "The gradient is nan: the `nan` of an empty row comes back to the scores, as it does where −∞ is "
        "*added*. `masked_fill` before the softmax lets none through.",
        section="06-encoder-decoder#masked-softmax-gradient-read",
    ),
    Fault(
        "empty-row-even",
        "a query without any visible key attends to all keys",
        "A row whose keys are all hidden shares its attention over what it must not see, as it does with "
        "a finite number in place of −∞. Set every hidden weight to 0 after the softmax as well.",
        section="06-encoder-decoder#masked-softmax-task",
    ),
    Fault(
        "tilde-on-numbers",
        "`~` is applied to a mask that can hold numbers",
        "`~` inverts True and False only, and a mask can hold 1.0 and 0.0. `mask == 0` does for both.",
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
        "The source is cut to the length of the target: some words are never read. Every source "
        "token takes part.",
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
        "A short source is filled up with zeros, and these get scores. Leave the source "
        "as it is and use its own length.",
        section="06-encoder-decoder#bug-query-length-read",
    ),
    Fault(
        "batch-left-open",
        "the batch size is left open in a reshape",
        "A source that is twice as long becomes two sequences, and no error is raised, as with −1 for the "
        "batch. Leave the batch alone: it is the number of tokens that differs.",
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
        "The mask has got one axis more. Use it as it comes: (target, source) and (b, 1, 1, source) both fit "
        "(b, heads, target, source).",
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
        "The keys are made from `v_input` and the values from `k_input`. The order is q_input, k_input, v_input.",
        section="06-encoder-decoder#class-intro",
    ),
    Fault(
        "values-from-key-input",
        "the values are made from the input of the keys",
        "The values are made from `k_input`. They should come from `v_input`, which is often the same tensor, and not "
        "always.",
        section="06-encoder-decoder#class-intro",
    ),
    Fault(
        "keys-from-value-input",
        "the keys are made from the input of the values",
        "The keys are made from `v_input`. They should come from `k_input`, which is often the same tensor,"
        " and not always.",
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
    Fault(
        "nan-replaced-too-late",
        "nan is replaced after `fc`",
        "The nan is replaced after `fc`, so its bias is lost for a query that sees nothing. Replace it before: a context of zeros goes into `fc`.",
        section="06-encoder-decoder#class-intro",
    ),
)
