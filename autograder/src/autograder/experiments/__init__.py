"""Experiments, properties and specimens, each with its code, its wording and its settings for authors.

`probe` calls the answers; `judge` decides about the results.
"""

# The modules that other rooms use.
__all__ = ["base", "properties", "registered_buffers", "registry", "specimens"]
