"""Follow code as it runs: which tensor operation stands on which line, and what the learner calls its result.

Nothing here knows a task. What a record is for belongs into the module that makes it.
"""
