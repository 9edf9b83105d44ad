"""The mistakes that only lesson 01 knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "scores-in-reverse",
        "the scores are in reverse order",
        "The scores are in reverse order. Entry i should belong to token i.",
        section="01-dot-product#query-scores-intro",
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
        "equal-numbers-once",
        "equal numbers count once",
        "A number that comes in two places counts once here. Go through the places, not through the numbers.",
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
        "distances",
        "distances are used where dot products belong",
        "These are distances: that of a vector from itself is 0. A score is a dot product, which is large where two "
        "vectors agree.",
        section="01-dot-product#dot-product-intro",
    ),
    Fault(
        "sum-not-from-zero",
        "the running total does not start from 0",
        "More than the products is in the sum. Does the running total start from 0?",
        section="01-dot-product#dot-product-task",
    ),
    Fault(
        "wrong-query",
        "another token is the query",
        "Another token is the query here. The query is “journey”, `inputs[1]`: Python counts from 0.",
        section="01-dot-product#sentence-read",
    ),
    Fault(
        "row-overwritten",
        "one number fills a whole row",
        "One number fills a whole row. Usually it is assigned to the row and not to one entry: write every "
        "index in the brackets.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "one-half-only",
        "only one half of the matrix is filled",
        "One side of the diagonal is all 0. Every query meets every key: let the inner loop go over all "
        "of them.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "diagonal-only",
        "only the diagonal is filled",
        "Only the diagonal is filled: each token meets itself alone. Let every token meet every token.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "subtracted-for-divided",
        "the sum is subtracted where it should divide",
        "The sum is subtracted. Divide by it.",
        section="01-dot-product#sum-weights-intro",
    ),
    Fault(
        "divided-by-sum-of-scores",
        "the exponentials are divided by the sum of the scores",
        "The division is by the sum of the scores. Divide by the sum of their exponentials.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "exp-of-sum",
        "the exponential of the sum takes the place of the sum of exponentials",
        "The division is by the exponential of the sum. Take the exponentials first, then add them up.",
        section="01-dot-product#softmax-formula",
    ),
    Fault(
        "scores-above-the-line",
        "the score itself is above the fraction line",
        "The score itself is above the fraction line. Its exponential belongs there.",
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
        "shifted-after-exp",
        "the largest number is subtracted after the exponential",
        "The largest number is subtracted from the exponentials. Subtract it from the scores, before `exp`.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shifted-by-other-number",
        "another number than the largest score is subtracted",
        "Another number than the largest score is subtracted. Only the largest makes sure that no exponential is above "
        "1 and that one of them is 1.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shift-as-division",
        "the scores are divided by the largest, not shifted",
        "The scores are divided by the largest one. That changes the weights; subtracting it does not.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shift-added",
        "the largest score is added, not subtracted",
        "The largest score is added; it has to be subtracted.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shifted-on-one-side",
        "the scores are shifted on one side of the fraction line only",
        "The scores are shifted on one side of the fraction line only. Use the same scores above and below it.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "shift-only-when-large",
        "only large scores are shifted",
        "Large scores come out right, and very negative ones do not: near −1000 every exponential is 0, "
        "and 0/0 is nan. Subtract the largest score itself, whatever its sign.",
        section="01-dot-product#overflow-read",
    ),
    Fault(
        "clamped",
        "large scores are cut off",
        "The scores are cut off at a fixed number. Then 1000 and 1001.5 count as equal; a shift keeps them apart.",
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
        "weights-meet-one-token",
        "all weights meet the same token",
        "The weights are not used, or all of them meet one and the same token. Multiply "
        "each weight with its own token, and add them up.",
        section="01-dot-product#context-intro",
    ),
    Fault(
        "factors-swapped",
        "the values are on the left of the weights",
        "The product is the wrong way round. Put the weights first: a row of weights times `{values}`.",
        section="01-dot-product#all-contexts-task",
    ),
    Fault(
        "weights-times-weights",
        "the weights are multiplied with themselves",
        "The weights were multiplied with themselves. Multiply them with `{values}`.",
        section="01-dot-product#all-contexts-task",
    ),
    Fault(
        "own-score-left-out",
        "a token is not scored with itself",
        "The score of a token with itself is left out. A token is one of the keys as well: let it meet itself.",
        section="01-dot-product#all-scores-intro",
    ),
    Fault(
        "weights-of-a-neighbour",
        "each token meets a neighbour's weight",
        "Each token is multiplied by a neighbour's weight. Token `i` goes with `attn_weights_2[i]`.",
        section="01-dot-product#context-task",
    ),
    Fault(
        "divided-by-a-length",
        "the scores are divided by the length of a vector",
        "The scores are divided by a vector's length. A dot product stays as it is.",
        section="01-dot-product#explorer-read",
    ),
)
