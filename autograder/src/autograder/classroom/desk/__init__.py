"""Serve the pages with which an instructor works, on this machine only.

They show and change data in the gradebook and the stored verdicts. Nothing is graded here.
"""

# The modules that other rooms use.
__all__ = ["server"]
