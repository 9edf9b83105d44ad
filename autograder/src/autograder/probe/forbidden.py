"""Calls that a task forbids because writing them is the task, and how they are seen while an answer runs.

torch keeps a table of its operators for the whole process. While an answer is tried, the operators of the
course's families are replaced by ones that note the call and then do their work as before. So a call is seen
under any name, in any thread, from compiled code and inside other calls.

This happens beside the learner's code, and it only ever takes points off. When grades count, each call is
told to another process before it is made, so nothing that can be reached from here takes it back. Code that
could keep a call from being seen is shown to a person: see `autograder.grading.may_hide`.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import re
import sys
import warnings
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

import torch

from autograder.records.families import Family
from autograder.records.outcome import ForbiddenCall

# More than one line to correct is plenty; a loop must not fill the evidence.
MOST_CALLS = 10
# Characters of a line that is told: a message has to go in one piece.
MOST_LINE = 300
TORCH = str(Path(torch.__file__).parent)
# The tables in which an operator may have its work: for all tensors, for those of one kind, and under `vmap`.
TABLES = (
    *("CompositeImplicitAutograd", "CPU", "CUDA", "MPS", "MkldnnCPU", "SparseCPU", "SparseCUDA"),
    *("NestedTensorCPU", "NestedTensorCUDA", "FuncTorchDynamicLayerFrontMode"),
)


def family_of(name: str, families: tuple[Family, ...]) -> str:
    """Return the first of some families that a plain name belongs to; "" where it belongs to none."""
    return next((family.name for family in families if family.names.fullmatch(name)), "")


@lru_cache(maxsize=8)
def _operators(names: frozenset[re.Pattern[str]]) -> tuple[tuple[str, str, Any], ...]:
    """Return the operators of some names: their full names, their tables, and what does their work."""
    library: Any = torch._C
    return tuple(
        (name, table, library._dispatch_get_computed_kernel_for_dispatch_key(f"aten::{name}", key))
        for space, _, name in (full.partition("::") for full in library._dispatch_get_all_op_names())
        if space == "aten" and any(one.fullmatch(name.partition(".")[0]) for one in names)
        for table in TABLES
        if library._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", table)
        for key in [library._parse_dispatch_key("CPU" if table.startswith("Composite") else table)]
    )


_tells: list[Callable[[bytes], None]] = []


def tell_by(tell: Callable[[bytes], None]) -> None:
    """From now on, tell of each forbidden call as it comes: the task and the call, as JSON."""
    _tells[:] = [tell]


class Watch:
    """Gathers the calls of some families that are made inside `with watch:`, without changing any result.

    Nothing is watched where no family is named.

    Args:
        families: what is forbidden.
        is_own: whether a file name is that of the learner's code, to tell the line from.
        task: whose answer is watched.
    """

    def __init__(self, families: tuple[Family, ...], is_own: Callable[[str], bool], task: str = "") -> None:
        self._task = task
        self.calls: list[ForbiddenCall] = []
        self._families = families
        self._family_of = cache(lambda name: family_of(name, families))  # it is asked at each of many calls
        self._is_own = is_own
        self._open = contextlib.ExitStack()

    def __enter__(self) -> list[ForbiddenCall]:
        if self._families:
            library = self._open.enter_context(torch.library._scoped_library("aten", "IMPL"))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that an operator is replaced
                for name, table, work in _operators(frozenset(one.operators for one in self._families)):
                    library.impl(name, self._noting(name, work), table, with_keyset=True)
        return self.calls

    def __exit__(self, *problem: object) -> None:
        self._open.close()

    def _noting(self, name: str, work: Any) -> Callable[..., Any]:
        def noted(keys: Any, *args: Any, **named: Any) -> Any:
            self._note(name.partition(".")[0])
            return work.call_boxed(keys, *args, **named)

        return noted

    def _note(self, operator: str) -> None:
        """Take down an operator that runs, if it or a function of torch's around it is of a family."""
        family, shown = self._family_of(operator), f"torch.{operator.strip('_')}"
        frame = sys._getframe(2)
        while frame is not None and not self._is_own(frame.f_code.co_filename):
            for name in frame.f_code.co_qualname.split(".") if _is_torchs(frame.f_code) else ():
                if around := self._family_of(name):
                    family, shown = around, _shown(name, frame.f_code)
            frame = frame.f_back  # type: ignore[assignment]
        line, line_number, where = "", None, ""
        if frame is not None:
            line_number, where = frame.f_lineno or 0, frame.f_code.co_name
            line = linecache.getline(frame.f_code.co_filename, line_number, frame.f_globals).strip()
        if not family:
            return
        call = ForbiddenCall(shown, family, line[:MOST_LINE], line_number, where[:MOST_LINE])
        for tell in _tells:
            tell(json.dumps({"task": self._task, "call": vars(call)}).encode())
        seen = {(call.line_number, call.function) for call in self.calls}
        # What a call is made of inside torch is not told beside it.
        if len(self.calls) < MOST_CALLS and (line_number, where) not in seen:
            self.calls.append(call)


def _is_torchs(code: CodeType) -> bool:
    return code.co_filename.startswith(TORCH)


def _shown(name: str, code: CodeType) -> str:
    """How a learner would write the name of a function or class of torch's."""
    if code.co_filename.endswith("functional.py"):
        return f"F.{name}"
    return f"nn.{name}" if name[0].isupper() else f"torch.{name}"
