"""What decides about an answer, from what was written down of it: points, the finding, the mistakes it shows.

Nothing here runs a learner's code, so it may not import `probe`.
"""

# The modules that other rooms use.
__all__ = ["decide", "failure_signatures", "trace_alignment"]
