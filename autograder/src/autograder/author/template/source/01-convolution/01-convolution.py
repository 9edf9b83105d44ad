# %% [markdown] id="title"
# # 01 · Convolution
#
# A convolution slides a small row of weights, the **kernel**, along a signal. Everywhere it adds up what it
# covers, weighted.

# %% id="setup"
import torch
from torch import nn

from autograder import check, hint, progress

# %% id="example-data" tags=["given"]
signal = torch.tensor([1.0, 2.0, 4.0, 3.0, 0.0, 1.0, 5.0, 2.0])
kernel = torch.tensor([0.25, 0.5, 1.0])

# %% [markdown] id="window"
# ## One window after the other
#
# The kernel covers three numbers at a time: its first number meets the window's first number. A signal of
# eight numbers has six such windows. Make `smoothed`: for each window, the sum of its numbers times the
# kernel's.

# %% answer="by-hand"
### BEGIN SOLUTION
smoothed = torch.stack([(signal[i : i + 3] * kernel).sum() for i in range(6)])
### END SOLUTION

# %% check="by-hand" points=1
check("by-hand")

# %% [markdown] id="any-width"
# ## Any signal, any kernel
#
# Write the same as a function, for signals of every length and kernels of every width. Write the sums out:
# `torch.conv1d` makes them in one call, and costs a point here.


# %% answer="convolve"
def convolve(signal, kernel):
    """Shapes: signal: (length,), kernel: (width,), returns: (positions,)."""
    ### BEGIN SOLUTION
    width = len(kernel)
    windows = [signal[i : i + width] for i in range(len(signal) - width + 1)]
    return torch.stack([(window * kernel).sum() for window in windows])
    ### END SOLUTION


# %% check="convolve" points=2
check("convolve")

# %% [markdown] id="module"
# ## A kernel that is learned
#
# Write the class `Convolution(width)`: a module whose parameters are `kernel`, with `width` numbers, and
# `bias`, a single one. It takes several signals at once, of shape (b, length).


# %% answer="convolution"
class Convolution(nn.Module):
    """Shapes: x: (b, length), returns: (b, positions)."""

    def __init__(self, width):
        super().__init__()
        ### BEGIN SOLUTION
        self.kernel = nn.Parameter(torch.rand(width))
        self.bias = nn.Parameter(torch.zeros(()))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return x.unfold(-1, len(self.kernel), 1) @ self.kernel + self.bias
        ### END SOLUTION


# %% check="convolution" points=2
check("convolution")

# %% id="the-end"
progress("01-convolution")
