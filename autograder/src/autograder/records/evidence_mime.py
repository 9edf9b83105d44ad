"""The MIME type of evidence, apart from what packs it: who only counts outputs does not load torch."""

from __future__ import annotations

# The evidence of one check, as JSON with packed tensors.
EVIDENCE_MIME = "application/vnd.autograder.evidence+json"
