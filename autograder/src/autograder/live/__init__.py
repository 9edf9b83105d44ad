"""The live room: what a class does in a lab, heard from notebooks that have joined, and shown without names.

What they send stands in `records.live_event`. Nothing here reads submissions, evidence or a gradebook.
"""

# The modules that other rooms use.
__all__ = ["server"]
