"""Learning platforms, one module for each: what their archives, lists and score sheets are like.

What is done with files and scores, whatever platform they come from, stands in `classroom` itself.
"""

# The modules that other rooms use.
__all__ = ["protocol", "registry"]
