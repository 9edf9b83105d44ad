"""The MIME type of evidence, in a module of its own, so that code that only counts outputs loads no torch."""

from __future__ import annotations

# The evidence of one check, as JSON with packed tensors.
EVIDENCE_MIME = "application/vnd.autograder.evidence+json"
