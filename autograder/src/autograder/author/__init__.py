"""Tools for authors: write tasks, and build everything that is generated from `source/`.

Nothing here reads students' submissions or defines a command.
"""

# The modules that other rooms use.
__all__ = [
    *("answer_edits", "audit", "authoring", "build_bank", "build_inputs", "build_record", "fair_draws"),
    *("fault_index", "lesson_source", "message_review", "parallel", "parse_source", "pipeline"),
    *("secret_probes", "settings", "site", "solution_runs", "translate", "translated_lesson"),
]
