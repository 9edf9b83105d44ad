"""Define the command line: the commands that authors and instructors type, and their output.

Every other room can be used without it, so nothing imports it.
"""

# The modules that other rooms use.
__all__ = ["app"]
