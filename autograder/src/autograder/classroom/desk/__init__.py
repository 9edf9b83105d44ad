"""The pages that an instructor works with, on this machine only.

They show and write what the gradebook and the stored verdicts hold; nothing is graded here.
"""

# The modules that other rooms use.
__all__ = ["server"]
