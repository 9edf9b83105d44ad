"""What an author works with: tasks as they are written, and the way from `source/` to all that is generated.

Nothing here reads what students hand in, and no command line stands here.
"""

# The modules that other rooms use.
__all__ = [
    *("answer_edits", "audit", "authoring", "build_bank", "build_inputs", "build_record", "fair_draws"),
    *("fault_index", "message_review", "parallel", "parse_source", "pipeline", "secret_probes", "settings"),
    *("site", "translate", "translated_lesson"),
]
