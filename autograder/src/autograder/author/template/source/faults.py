"""Name the mistakes of this course, each once, so that several tasks can refer to it."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "kernel-reversed",
        "the kernel is read from its end",
        "Your kernel is turned round. Here its first number meets the window's first number.",
        section="01-convolution#window",
    ),
    Fault(
        "last-window-missing",
        "the last window is left out",
        "The last window is missing: a signal of n numbers has n - width + 1 windows.",
        section="01-convolution#window",
    ),
    Fault(
        "mean-for-sum",
        "a mean stands where a sum is asked for",
        "These are means. A convolution adds the products up.",
    ),
    Fault("no-bias", "the bias is not added", "Add `self.bias` to every result."),
)
