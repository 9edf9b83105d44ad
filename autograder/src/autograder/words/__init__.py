"""Findings, numbers and places in words, in the learner's language, as text, HTML and small pictures.

What a finding is stands in `records`, and what one experiment or rule says stands with it in `experiments`.
"""
