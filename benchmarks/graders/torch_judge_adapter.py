"""TorchCode's judge (`torch-judge` on PyPI), for the tasks that it and this course have in common.

The answer gets its names and signatures; its tests and its words are its own.
"""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path

import torch
from torch import nn

from benchmarks.graders import Attempt, Feedback, stopped

SHARED = tomllib.loads((Path(__file__).parent / "torch_judge.toml").read_text(encoding="utf-8"))


def grade(attempt: Attempt) -> Feedback | None:
    """Run the judge's tests on the answer, and return what it prints."""
    shared = SHARED.get(attempt.answer.task)
    if shared is None or attempt.error is not None:
        return shared and stopped(attempt)
    from torch_judge import engine

    for unused in ("mark_solved", "mark_attempted"):  # it keeps a file of what was solved
        setattr(engine, unused, lambda *_: None)
    names = {"f": attempt.value, "torch": torch, "nn": nn, "judge": engine.check}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(f"{shared['code']}\njudge({shared['judge']!r})", names)  # noqa: S102 as it is called in a notebook
    text = re.sub(r"\x1b\[\d+m", "", printed.getvalue())
    return Feedback("tests passed! (" in text, text)
