"""The tasks of this lesson: what answers are tried on, and answers that are known, right and wrong."""

import torch
from autograder.author.authoring import Check, Lesson, Probe, Task, rights, wrongs

SIGNALS = torch.rand(2, 11, generator=torch.Generator().manual_seed(2))

STRIDED = Task(
    id="strided",
    title="A convolution with a stride",
    name="strided",
    kind="function",
    signature="strided(signal, kernel, stride)",
    axes=("positions",),
    input_axes={"signal": ("length",), "kernel": ("width",)},
    probes=(
        Probe(
            "two",
            "a stride of two",
            {"signal": SIGNALS[0], "kernel": torch.tensor([1.0, 0.5, 2.0]), "stride": 2},
        ),
        Probe(
            "four",
            "a stride of four",
            {"signal": SIGNALS[1], "kernel": torch.tensor([-1.0, 1.0]), "stride": 4},
        ),
    ),
    checks=(Check("a stride of two", 2, ("two",)), Check("another stride", 1, ("four",))),
    learned="A stride makes the result shorter.",
    hints=("How far does the kernel move on?", "`signal.unfold(0, len(kernel), stride)`"),
    wrong=wrongs("""
        no-stride: stride) @ → 1) @
        kernel-reversed: @ kernel → @ kernel.flip(0)
        """),
    right=rights("""
        every-second: = (signal.unfold(0, len(kernel), 1) @ kernel)[::stride]
        """),
)
POOLED = Task(
    id="pooled",
    title="The mean of each block",
    name="pooled",
    kind="function",
    signature="pooled(signal, width)",
    axes=("positions",),
    input_axes={"signal": ("length",)},
    probes=(
        Probe("three", "blocks of three", {"signal": SIGNALS[0], "width": 3}),
        Probe("four", "blocks of four", {"signal": SIGNALS[1], "width": 4}),
    ),
    checks=(Check("blocks of three", 1, ("three",)), Check("other blocks", 1, ("four",))),
    learned="Pooling is a convolution whose weights are all equal.",
    hints=("Where does the next block begin?", "`signal.unfold(0, width, width)`"),
    wrong=wrongs("""
        no-stride: width, width) → width, 1)
        sum-for-mean: .mean( → .sum(
        """),
    right=rights("""
        viewed: = signal[: len(signal) // width * width].view(-1, width).mean(dim=1)
        """),
)
LESSON = Lesson(
    title="02 · Strides",
    tasks=(STRIDED, POOLED),
    given_axes={"signal": ("length",)},
    redraw=lambda generator: {"signal": torch.rand(7, generator=generator)},
)
