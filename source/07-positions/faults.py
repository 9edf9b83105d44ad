"""The mistakes that only lesson 07 knows."""

from autograder.author.authoring import Fault

FAULTS = (
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
        "The order is applied backwards. The token at position i of the new sentence was at position `order[i]` "
        "before: index what was there before with `order`.",
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
        "The positions begin at 0 whatever `start` says. The first token of `x` is at position `start`.",
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
        "same-position-for-all",
        "all tokens are at the same position",
        "All tokens get the row of one position. Each token has a position of its own.",
        section="07-positions#learned-read",
    ),
    Fault(
        "whole-table",
        "the whole table is used",
        "The whole table is added, whatever the number of tokens and the position of the first one. Take the "
        "rows of the positions that the tokens are at.",
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
        "The exponents are off. For `dim=8` they should be 0, −2/8, −4/8 and −6/8: minus `torch.arange(0, dim, 2) "
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
        "the hands are in reverse order",
        "The hands are in reverse order. The first one is the fastest.",
        section="07-positions#angles-task",
    ),
    Fault(
        "base-typed-in",
        "the base is not the one that is passed",
        "Another `base` changes nothing. Use the argument.",
        section="07-positions#angles-task",
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
        "Each cosine comes before its sine. The order is sin, cos, sin, cos.",
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
        "Sines and cosines are added to the numbers. They belong in a product: each pair is rotated.",
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
        "All pairs turn by the position itself, at one speed. Each pair has an angle of its own.",
        section="07-positions#interleaved-task",
    ),
    Fault(
        "other-form",
        "the rotation is one of the other form",
        "This is a true rotation, of the interleaved form. The weights were trained with the half-split "
        "form: put the partners of the task back, and correct the angles.",
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
        "The slopes should be right for any number of heads: 1/2, 1/4, … 1/256 for 8 heads, 1/4, 1/16, 1/64, "
        "1/256 for 4. Count the heads from 1, with −8h/H as the exponent.",
        section="07-positions#alibi-intro",
    ),
    Fault(
        "slopes-in-reverse",
        "the slopes are in reverse order",
        "The slopes are in reverse order. The first head has the largest.",
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
        "The position of the new token is off by one. Five tokens are at positions 0 to 4, so the next one "
        "is at 5.",
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
        "the new key comes first",
        "The new key comes before the kept ones. The new token comes last.",
        section="07-positions#new-token-task",
    ),
    Fault(
        "new-key-left-out",
        "the new token does not see itself",
        "The key of the new token is missing. A token may look at itself: put its key after the kept ones.",
        section="07-positions#new-token-task",
    ),
    Fault(
        "order-of-the-other-form",
        "the turned numbers come back in the other form's order",
        "Each number is turned as it should be, but the numbers come back in the order of the other form. Put each one back where it came from.",
        section="07-positions#half-split-intro",
    ),
    Fault(
        "published-slopes",
        "the slopes are those that the paper's code takes for other numbers of heads",
        "Where the number of heads is no power of two, these are the slopes of the published code, from two rows. This task asks for one formula, for any number of heads.",
        section="07-positions#alibi-intro",
    ),
    Fault(
        "key-position-for-distance",
        "the key's position is used for its distance",
        "The slope is multiplied by the key's position. After a softmax the weights are the same, because a row differs by one number only. The task asks for the distance.",
        section="07-positions#alibi-intro",
    ),
    Fault(
        "start-added-to-numbers",
        "`start` is added to the numbers, not to the positions",
        "`start` is added to the numbers of the table. Add it to the positions, which choose the rows.",
        section="07-positions#learned-read",
    ),
    Fault(
        "table-frozen",
        "the table cannot be trained",
        "The table is frozen, so training cannot change it. Leave it as `nn.Embedding` makes it.",
        section="07-positions#learned-read",
    ),
    Fault(
        "angles-taken-as-degrees",
        "the angles are taken as degrees",
        "The angles are turned into radians, and they are radians already. Use them as they are.",
        section="07-positions#rotate-task",
    ),
    Fault(
        "angles-divided-by-dim",
        "the power is divided by dim, not its exponent",
        "The power is divided by `dim`, not its exponent: `**` comes before `/`. Put the exponent into brackets.",
        section="07-positions#angles-task",
    ),
)
