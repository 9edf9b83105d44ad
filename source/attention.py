"""What this course says of attention, where the tool speaks of tensors: see `SAYS` in `autograder.experiments.known`."""

from autograder.words.phrases import N_

AFTER_THE_WEIGHTS = N_(
    "0 times −inf is nan: was something dropped, or multiplied, that holds −inf? Dropout comes after the weights are "
    "made."
)
SAYS = {
    "not-finite": {
        "nan": N_(
            "nan comes from 0/0 or inf/inf or 0 times inf: a sum that is zero, an exponential above what a float "
            "holds, a −inf that was multiplied by 0, or a softmax over a row where everything is −inf."
        ),
        "-inf": N_("−inf is what hides a score: softmax makes a weight of 0 of it. Is the softmax missing?"),
    },
    "sums-to-one": {"one": N_("The weights add up to {obtained}{where}; they should add up to 1.")},
    "not-negative": {"": N_("{place} is {obtained}{where}; a weight is never negative.")},
    "symmetric": {
        "": N_(
            "{place} differs from entry {flipped}{where}.",
            "The dot product of two tokens is the same whichever comes first.",
        )
    },
    "causal": {
        "": N_(
            "{place} is {obtained}{where}: {own} gives weight to {later}, which comes later.",
            "Above the diagonal every weight must be 0.",
        )
    },
    "permuted": {
        "order": N_(
            "Tokens in another order do not just change places in the result{where}.",
            "Without a mask it knows no order: a token's result is the same wherever it stands.",
        )
    },
    "dropout": {
        ("finite", False): N_("The result holds nan or inf{where}.") + AFTER_THE_WEIGHTS,
        ("finite", True): N_("In training mode the result holds nan or inf{where}.") + AFTER_THE_WEIGHTS,
        ("copies together", True): N_(
            "Numbers that belong to one weight are dropped one by one{training}.",
            "Dropout sits on the weights, before they meet the values, not on the context vectors.",
        ),
        ("one by one", False): N_(
            "Some entries are always dropped together{training}.",
            "Every weight has a draw of its own: not one for a whole row or column, and not one for the whole batch.",
        ),
        ("one factor", True): N_(
            "In training mode the kept entries are not all multiplied by the same number.",
            "Dropout comes after softmax and nothing is normalised after it: every kept weight is the old one times "
            "1/(1-p).",
        ),
    },
}
