"""The mistakes that only this lesson knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault("no-stride", "the windows overlap", "Your windows move on by one.", section="02-strides#strides"),
    Fault("sum-for-mean", "a sum stands where a mean is asked for", "These are sums."),
)
