"""What becomes of a submission: rebuilt, run, judged, and written to nbgrader's gradebook.

How files come from a class and go back to it stands in `classroom`, which may use only this folder's face:
the class folder, policy, releases, banks, submissions, verdicts, the gradebook.
"""
