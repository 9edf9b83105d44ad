"""The command line: what an author and an instructor type, and what is printed.

Every other room can be used without it, so nothing imports this one.
"""

# The modules that other rooms use.
__all__ = ["app"]
