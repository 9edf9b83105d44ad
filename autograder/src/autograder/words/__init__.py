"""The wording of findings, numbers and axes in the learner's language, as text, HTML and small pictures.

The findings themselves are defined in `records`; the words of each experiment and property are in
`experiments`.
"""

# The modules that other rooms use.
__all__ = [
    *("feedback_card", "finding_wording", "forbidden_wording", "language", "last_hint", "mismatch_picture"),
    *("page_templates", "phrases", "plugin_words", "prediction_bars", "sanitize", "trace_wording"),
    *("unrunnable_wording",),
]
