"""The course as a static site: its executed solutions as pages that need no kernel and no network.

What a page shows is made elsewhere; the rest of `author` does without this folder.
"""

# The modules that other rooms use.
__all__ = ["build_site"]
