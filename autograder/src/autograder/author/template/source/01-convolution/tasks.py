"""Define the tasks of this lesson: their probes, and known right and wrong answers."""

import torch
from autograder.author.authoring import Check, Forbid, Lesson, Probe, Task, rights, wrongs

# Sizes differ on every axis, so that no two can be mistaken for each other.
SIGNALS = torch.rand(3, 9, generator=torch.Generator().manual_seed(1))

BY_HAND = Task(
    id="by-hand",
    title="A convolution by hand",
    name="smoothed",
    kind="tensor",
    signature="smoothed",
    axes=("positions",),
    checks=(Check("a number for each window", 1),),
    learned="A convolution is one small weighted sum, made at every place.",
    hints=("How many windows of three numbers are there?", "`(signal[i : i + 3] * kernel).sum()`"),
    wrong=wrongs("""
        kernel-reversed: * kernel → * kernel.flip(0)
        last-window-missing: range(6) → range(5)
        mean-for-sum: .sum() → .mean()
        """),
    right=rights("""
        unfold: = signal.unfold(0, 3, 1) @ kernel
        """),
)
CONVOLVE = Task(
    id="convolve",
    title="A convolution as a function",
    name="convolve",
    kind="function",
    signature="convolve(signal, kernel)",
    axes=("positions",),
    input_axes={"signal": ("length",), "kernel": ("width",)},
    needs=("by-hand",),
    probes=(
        Probe(
            "three", "a kernel of three", {"signal": SIGNALS[0, :7], "kernel": torch.tensor([1.0, 0.5, 2.0])}
        ),
        Probe("two", "a kernel of two", {"signal": SIGNALS[1], "kernel": torch.tensor([-1.0, 1.0])}),
    ),
    checks=(Check("a kernel of three", 1, ("three",)), Check("a kernel of another width", 1, ("two",))),
    learned="The same code works for every length and every width.",
    hints=("Take the width from the kernel.", "There are `len(signal) - len(kernel) + 1` windows."),
    wrong=wrongs("""
        kernel-reversed: * kernel → * kernel.flip(0)
        last-window-missing: + 1) → )
        mean-for-sum: .sum() → .mean()
        """),
    right=rights("""
        unfold: = signal.unfold(0, len(kernel), 1) @ kernel
        """),
    forbids=Forbid(
        ("convolution",),
        points=1,
        caught=rights("""
            conv1d: = torch.conv1d(signal[None, None], kernel[None, None])[0, 0]
            """),
    ),
)
CONVOLUTION = Task(
    id="convolution",
    title="A convolution that can learn",
    name="Convolution",
    kind="module",
    signature="Convolution(width)",
    axes=("b", "positions"),
    input_axes={"x": ("b", "length")},
    needs=("convolve",),
    probes=(
        Probe(
            "narrow",
            "two signals",
            {"x": SIGNALS[:2, :8]},
            construct={"width": 3},
            weights={"bias": torch.tensor(0.5)},
        ),
        Probe(
            "wide",
            "three signals",
            {"x": SIGNALS},
            construct={"width": 4},
            weights={"bias": torch.tensor(-2.0)},
        ),
    ),
    checks=(Check("two signals", 1, ("narrow",)), Check("three signals", 1, ("wide",))),
    learned="`nn.Parameter` makes a tensor that an optimizer can change.",
    hints=("`x.unfold(-1, width, 1)` has an axis more: the window.", "Multiply it by the kernel with `@`."),
    wrong=wrongs("""
        kernel-reversed: @ self.kernel → @ self.kernel.flip(0)
        no-bias: + self.bias →
        mean-for-sum: @ self.kernel → @ self.kernel / len(self.kernel)
        """),
    right=rights("""
        conv1d: body forward
            return torch.conv1d(x[:, None], self.kernel[None, None])[:, 0] + self.bias
        """),
)
LESSON = Lesson(
    title="01 · Convolution",
    tasks=(BY_HAND, CONVOLVE, CONVOLUTION),
    given_axes={"signal": ("length",), "kernel": ("width",)},
    redraw=lambda generator: {
        "signal": torch.rand(8, generator=generator),
        "kernel": torch.rand(3, generator=generator),
    },
)
