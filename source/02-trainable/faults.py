"""The mistakes that only lesson 02 knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "scaled-twice",
        "the scores are divided twice",
        "There are two divisions by {width}. Divide the scores once, and nothing else.",
        section="02-trainable#scale-intro",
    ),
    Fault(
        "abs-too-late",
        "the sign is removed after the largest is chosen",
        "The largest difference is chosen before its sign is removed, so the most negative one is missed. Put "
        "`.abs()` before `.max()`.",
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
        "This compares the two largest entries, which can be in different places. Subtract entry by entry, then "
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
        "root-of-the-scores",
        "the root is taken of the scores as well",
        "The root is taken of the whole fraction, and a negative score has no root. Take the root of the width alone: "
        "`{width_code}`.",
        section="02-trainable#scale-intro",
    ),
    Fault(
        "linear-for-parameter",
        "linear layers are used where plain parameters are asked for",
        "These are `nn.Linear` layers. This task wants plain parameters: `nn.Parameter(torch.rand(d_in, d_out))`.",
    ),
    Fault(
        "normal-start",
        "the weights are drawn from the normal distribution",
        "The weights are drawn from the normal distribution. The task asks for `torch.rand`, numbers from 0 "
        "to 1.",
        section="02-trainable#weights-intro",
    ),
    Fault(
        "zero-start",
        "all weights start at 0",
        "All weights start at 0: every token gets the same context vector, and training "
        "cannot begin. Draw them at random.",
    ),
    Fault(
        "own-seed",
        "a seed is set inside",
        "A seed is set inside, so every object starts with the same weights, and the "
        "user's own random numbers start again. Leave seeds to the caller.",
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
        "condition-turned",
        "a switch works the wrong way round",
        "It is done when the switch says False, and left out when it says True. It should be the other way "
        "round.",
    ),
    Fault(
        "wrong-statistic",
        "another statistic is taken than the one asked for",
        "The numbers are summed up in another way than the task asks for.",
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
        "copied-backwards",
        "the weights go the wrong way",
        "The weights go the wrong way. The one on the left of `copy_` gets new numbers.",
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
        "Both objects share one memory: training one would change the other. Make a "
        "copy: `copy_(…)`, or `.clone()`.",
        section="02-trainable#copy-weights-task",
    ),
    Fault(
        "frozen",
        "the parameters are no longer trained",
        "The parameters can no longer be trained, as with `requires_grad=False`. Leave that out.",
    ),
    Fault(
        "mean-of-deviations",
        "the deviations of single queries are averaged",
        "Each query got a standard deviation of its own, and these were averaged. Take one over all scores together.",
        section="02-trainable#score-spread-task",
    ),
    Fault(
        "abs-too-early",
        "signs are dropped before the subtraction",
        "The signs are dropped before the subtraction, so 1 and −1 count as equal. Subtract first, then take the absolute value.",
        section="02-trainable#largest-difference-task",
    ),
    Fault(
        "first-token-compared",
        "only the first token is compared",
        "Only the first token's numbers are compared. Take the largest over all tokens.",
        section="02-trainable#largest-difference-task",
    ),
)
