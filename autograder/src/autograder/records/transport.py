"""Evidence as one bounded piece of text: JSON with safetensors in base64, never a pickle."""

from __future__ import annotations

import base64
import json
from typing import Any

import safetensors
import safetensors.torch
import torch

from autograder.records import codec
from autograder.records.outcome import MAX_ITEMS, MAX_TEXT, Evidence

EVIDENCE_MIME = "application/vnd.autograder.evidence+json"
# A lesson's largest honest evidence is a few kilobytes.
MAX_BYTES = 4_000_000

# What safetensors can hold. Of any other dtype the name alone is told.
CARRIED = {
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
}


class EvidenceRefused(Exception):
    """The evidence is too large, damaged or not of the expected form."""


def pack(evidence: Evidence) -> str:
    """Evidence as text.

    Raises:
        EvidenceRefused: it is larger than `MAX_BYTES`, or a tensor only pretends to hold numbers.
    """
    plain, tensors = codec.encode(evidence)
    try:
        saved = base64.b64encode(safetensors.torch.save(tensors)).decode("ascii")
    except (safetensors.SafetensorError, RuntimeError, ValueError) as problem:
        raise EvidenceRefused(f"the answer's numbers cannot be read ({type(problem).__name__})") from problem
    text = json.dumps({"evidence": plain, "tensors": saved})
    if len(text) > MAX_BYTES:
        raise EvidenceRefused(f"the answer is too large to grade ({len(text)} bytes)")
    return text


def unpack(text: Any) -> Evidence:
    """Read what `pack` wrote.

    Raises:
        EvidenceRefused: the text is too large or is not evidence.
    """
    if not isinstance(text, str) or len(text) > MAX_BYTES:
        raise EvidenceRefused("the evidence is too large or no text")
    try:
        packed = json.loads(text)
        tensors = safetensors.torch.load(base64.b64decode(packed["tensors"], validate=True))
        if any(tensor.dtype not in CARRIED for tensor in tensors.values()):
            raise ValueError("a kind of tensor that no answer is carried in")
        return codec.decode(Evidence, packed["evidence"], tensors, MAX_TEXT, MAX_ITEMS)
    except (
        ValueError,
        KeyError,
        TypeError,
        OverflowError,
        RuntimeError,  # torch's own, and RecursionError
        safetensors.SafetensorError,
    ) as problem:
        raise EvidenceRefused(f"the evidence cannot be read: {problem}") from problem
