"""Make the course's static site: its executed solutions as pages that need no kernel and no network.

The rest of `author` does not use this folder.
"""

# The modules that other rooms use.
__all__ = ["build_site"]
