"""What becomes of a submission: rebuilt, run, judged, and written to nbgrader's gradebook.

How files come from a class and go back to it stands in `classroom`, which may use only this folder's face:
the class folder, policy, releases, banks, submissions, verdicts, the gradebook.
"""

# The modules that other rooms use.
__all__ = [
    *("class_folder", "dask_cluster", "feedback_page", "gradebook_writer", "graded_results", "grading_banks"),
    *("hidden_tests", "job_scheduling", "late_policy", "read_submission", "reader_processes", "releases"),
    *("sandbox", "sanitize_html", "unscaled_scores"),
]
