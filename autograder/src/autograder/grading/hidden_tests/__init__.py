"""Hidden questions: the instructor's secret, and the draw of questions from it.

The public questions, and their combination with hidden ones, are in `grading_banks`.
"""

# The modules that other rooms use.
__all__ = ["secret"]
