"""What a notebook imports: `check`, `hint`, `progress`, `predict`, `reveal`, `bring_over`, `join`, `leave`.

What only a course's author or a class needs stands in a room above, and a student does not get it.
"""

# The modules that other rooms use.
__all__ = [
    *("cell_runs", "check_calls", "class_quiz", "exam", "import_answer", "interactive_session", "join_live"),
    *("learner_package", "page_outputs", "placement_quiz", "predictions", "progress_store", "review"),
    *("shadowed_names", "stand_in_answers", "waiting_cells"),
]
