"""The grading of submissions: they are rebuilt, run and judged, and written to nbgrader's gradebook.

The files of a class are collected and returned in `classroom`, which may use only the public modules of this
package: the class folder, policy, releases, banks, submissions, verdicts, the gradebook.
"""

# The modules that other rooms use.
__all__ = [
    *("class_folder", "dask_cluster", "feedback_page", "gradebook_writer", "graded_results", "grading_banks"),
    *("hidden_tests", "job_scheduling", "late_policy", "read_submission", "reader_processes", "releases"),
    *("sandbox", "sanitize_html", "unscaled_scores"),
]
