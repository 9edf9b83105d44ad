"""Findings, numbers and places in words, in the learner's language, as text, HTML and small pictures.

What a finding is stands in `records`, and what one experiment or rule says stands with it in `experiments`.
"""

# The modules that other rooms use.
__all__ = [
    *("feedback_card", "finding_wording", "forbidden_wording", "language", "last_hint", "mismatch_picture"),
    *("page_templates", "phrases", "plugin_words", "prediction_bars", "sanitize", "trace_wording"),
    *("unrunnable_wording",),
]
