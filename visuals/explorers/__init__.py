"""The explorers of the lessons, one per module: turn a knob and see what attention does with it."""

from visuals.explorers.query import explore_query

__all__ = ["explore_query"]
