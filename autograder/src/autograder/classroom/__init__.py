"""Handle a class's files: the bundle for students, the class list, archives, reports, feedback.

Submissions are graded in `grading`. The formats of each learning platform are described in `platforms`.
"""

# The modules that other rooms use.
__all__ = [
    *("attempt_selection", "bundle_wheels", "class_report", "class_roster", "collect_submissions"),
    *("collection", "csv_tables", "desk", "exam_release", "gradebook_queries", "gradebook_roster"),
    *("gradescope_zip", "hand_in_times", "pages", "platforms", "quiz_report", "regrade_requests"),
    *("return_feedback", "score_export", "score_workbook", "similar_answers", "student_bundle"),
]
