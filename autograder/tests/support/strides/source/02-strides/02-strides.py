# %% [markdown] id="title"
# # 02 · Strides
#
# A kernel need not stop at every place. The **stride** says how far it moves on.

# %% id="setup"
import torch

from autograder import check, hint, progress

# %% id="example-data" tags=["given"]
signal = torch.tensor([1.0, 2.0, 4.0, 3.0, 0.0, 1.0, 5.0])

# %% [markdown] id="strides"
# ## Every second place
#
# Write a convolution that stops at every `stride`-th place.


# %% answer="strided"
def strided(signal, kernel, stride):
    """Shapes: signal: (length,), kernel: (width,), returns: (positions,)."""
    ### BEGIN SOLUTION
    return signal.unfold(0, len(kernel), stride) @ kernel
    ### END SOLUTION


# %% check="strided" points=3
check("strided")

# %% [markdown] id="pooling"
# ## The mean of each block
#
# Write the means of blocks that do not overlap.


# %% answer="pooled"
def pooled(signal, width):
    """Shapes: signal: (length,), returns: (positions,)."""
    ### BEGIN SOLUTION
    return signal.unfold(0, width, width).mean(dim=1)
    ### END SOLUTION


# %% check="pooled" points=2
check("pooled")

# %% [markdown] id="why-question"
# Why is the result of a stride of two half as long? Say it in words.

# %% [markdown] answer="why-in-words" points=3
# ### BEGIN SOLUTION
# The kernel stops at every second place, and each stop makes one number.
#
# **Marking scheme**
#
# - 1 point: the kernel stops at every second place.
# - 1 point: each stop makes one number.
# - 1 point: the end of an odd signal makes none.
# ### END SOLUTION

# %% id="the-end"
progress("02-strides")
