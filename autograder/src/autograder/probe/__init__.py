"""The code that runs in the learner's process: it calls an answer and records the results as evidence.

Nothing here knows a right result or awards a point, so it may not import `judge`.
"""
