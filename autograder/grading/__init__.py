"""Grading a class: submissions rebuilt, run, judged, and written to nbgrader's gradebook."""
