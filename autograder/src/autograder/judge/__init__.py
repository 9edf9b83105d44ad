"""The judgement of an answer from the recorded evidence: points, findings, and the mistakes that explain it.

Nothing here runs a learner's code, so it may not import `probe`.
"""

# The modules that other rooms use.
__all__ = ["decide", "failure_signatures", "trace_alignment"]
