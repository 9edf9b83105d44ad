"""Answers that were written before the matching, and that no edit in `source/` knows."""
