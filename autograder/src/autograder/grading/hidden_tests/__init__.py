"""Hidden questions: the secret, and how questions are drawn from it.

What counts as public, and who asks for both, stands in `grading_banks`.
"""

# The modules that other rooms use.
__all__ = ["secret"]
