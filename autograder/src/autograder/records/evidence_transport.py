"""Evidence as one text of limited size: JSON with safetensors in base64, never a pickle."""

from __future__ import annotations

import base64
import json
from typing import Any

import safetensors
import safetensors.torch
import torch

from autograder.records import serialization
from autograder.records.run_outcome import MAX_AXES, MAX_ITEMS, MAX_TEXT, Evidence

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
    """Return evidence as text.

    Raises:
        EvidenceRefused: it is larger than `MAX_BYTES`, or one of its tensors has no readable numbers.
    """
    plain, tensors = serialization.encode(evidence)
    try:
        saved = base64.b64encode(safetensors.torch.save(tensors)).decode("ascii")
    except (safetensors.SafetensorError, RuntimeError, ValueError) as problem:
        raise EvidenceRefused(f"the answer's numbers cannot be read ({type(problem).__name__})") from problem
    text = json.dumps({"evidence": plain, "tensors": saved})
    if len(text) > MAX_BYTES:
        raise EvidenceRefused(f"the answer is too large to grade ({len(text)} bytes)")
    return text


def unpack(text: Any) -> Evidence:
    """Return the evidence in a text that `pack` made.

    Raises:
        EvidenceRefused: the text is too large or is not evidence.
    """
    if not isinstance(text, str) or len(text) > MAX_BYTES:
        raise EvidenceRefused("the evidence is too large or no text")
    try:
        packed = json.loads(text)
        saved = base64.b64decode(packed["tensors"], validate=True)
        _refuse_many(saved)
        tensors = safetensors.torch.load(saved)
        if any(tensor.dtype not in CARRIED for tensor in tensors.values()):
            raise ValueError("a kind of tensor that no answer is carried in")
        return serialization.decode(Evidence, packed["evidence"], tensors, MAX_TEXT, MAX_ITEMS)
    except MemoryError as problem:
        raise EvidenceRefused("the evidence cannot be read: it takes too much memory") from problem
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RuntimeError,  # torch's own, and RecursionError
        safetensors.SafetensorError,
    ) as problem:
        raise EvidenceRefused(f"the evidence cannot be read: {problem}") from problem


def _refuse_many(saved: bytes) -> None:
    """Make sure that there are few tensors, of few axes: each of them takes time, whatever they hold.

    Raises:
        ValueError: there are more than any answer has.
    """
    size = int.from_bytes(saved[:8], "little")
    held = json.loads(saved[8 : 8 + size])
    if len(held) > MAX_ITEMS + 1:  # and what the file says of itself
        raise ValueError(f"{len(held)} tensors, where {MAX_ITEMS} are allowed")
    most = max((len(tensor.get("shape", ())) for tensor in held.values()), default=0)
    if most > MAX_AXES:
        raise ValueError(f"a tensor of {most} axes, where {MAX_AXES} are allowed")
