"""The functions that a notebook imports: `check`, `hint`, `progress`, `predict`, `reveal`, `join` and others.

Code that only authors, graders or instructors need is in other packages, which students do not get.
"""

# The modules that other rooms use.
__all__ = [
    *("cell_runs", "check_calls", "class_quiz", "exam", "import_answer", "interactive_session", "join_live"),
    *("learner_package", "missing_answers", "page_outputs", "placement_quiz", "predictions"),
    *("progress_store", "review", "shadowed_names", "stand_in_answers", "waiting_cells"),
]
