"""Run the live room of a lab: collect events from notebooks that have joined, and show them without names.

The events themselves are defined in `records.live_event`. Nothing here reads submissions, evidence or a
gradebook.
"""

# The modules that other rooms use.
__all__ = ["server"]
