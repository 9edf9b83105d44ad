"""Experiments, properties and specimens: each with its run, its words and what it asks of authors.

How an answer is called stands in `probe`, and what a result is worth in `judge`.
"""

# The modules that other rooms use.
__all__ = ["base", "properties", "registered_buffers", "registry", "specimens"]
