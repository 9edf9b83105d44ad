"""The MIME type of evidence, in its own module: code that only counts outputs need not import torch."""

from __future__ import annotations

# The evidence of one check, as JSON with packed tensors.
EVIDENCE_MIME = "application/vnd.autograder.evidence+json"
