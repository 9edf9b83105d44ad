"""Describe the formats of learning platforms, one module for each: archives, class lists and score sheets.

Code that treats files and scores of all platforms alike is in `classroom` itself.
"""

# The modules that other rooms use.
__all__ = ["protocol", "registry"]
