"""Calls that a task forbids because writing them is the task, and how they are seen while an answer runs.

A forbidden family is looked for in two ways, and either suffices:

- here, in the running code: whatever name or disguise an answer uses, torch is told at the moment of the
  call. This happens beside the learner's code, so a trace can be silenced, and only ever takes points off;
- in `autograder.reading`, in the text of the cells: where grades count that is done outside the learner's
  process, on the rebuilt notebook, where nothing can be silenced, but `getattr` with a made-up name is no
  call that a reader recognises.

Against both together there is a person, whom `autograder.grading.made_up` tells of names that are made up.
"""

from __future__ import annotations

import contextlib
import linecache
import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.outcome import ForbiddenCall

# More than one line to mend is plenty; a loop must not fill the evidence.
MOST_CALLS = 10


@dataclass(frozen=True)
class Family:
    """Ready-made calls that do the same work.

    Attributes:
        names: a pattern for the names of functions, methods, modules and operators, in Python and in ATen.
        instead: what the learner is asked to write, as in "this task asks you to write … yourself".
    """

    names: re.Pattern[str]
    instead: str


_MULTI_HEAD = r"\w*multi_?head_?attention\w*|\w*transformer_?(en|de)coder\w*|transformer"
# `_safe_softmax` is what remains of `scaled_dot_product_attention` where it runs step by step.
_ATTENTION = (
    rf"\w*(scaled_dot_product|flash|efficient|flex|varlen)_att\w*|varlen_attn|_safe_softmax|{_MULTI_HEAD}"
)


def _family(names: str, instead: str) -> Family:
    # The way back through a call that was seen on the way there is no call of the learner's.
    return Family(re.compile(rf"(?!\w*backward)({names})", re.IGNORECASE), instead)


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "softmax": _family(rf"\w*soft(max|min)\w*|{_ATTENTION}", "softmax"),
        "dropout": _family(r"\w*dropout\w*", "dropout"),
        "scaled_dot_product_attention": _family(_ATTENTION, "the steps of attention"),
        "MultiheadAttention": _family(_MULTI_HEAD, "the heads"),
    }
)


@lru_cache(maxsize=4096)
def family_of(name: str, families: tuple[str, ...]) -> str:
    """The first of some families that a plain name belongs to; "" where it belongs to none."""
    return next((family for family in families if FAMILIES[family].names.fullmatch(name)), "")


class Watch:
    """Gathers the calls of some families that are made inside `with watch:`, without changing any result.

    It may be entered again and again. Nothing is watched where no family is named.

    Args:
        families: names in `FAMILIES`.
        is_own: whether a file name is that of the learner's code, to tell the line from.
    """

    def __init__(self, families: Collection[str], is_own: Callable[[str], bool]) -> None:
        self.calls: list[ForbiddenCall] = []
        self._families = tuple(families)
        self._is_own = is_own
        self._modes = contextlib.ExitStack()

    def __enter__(self) -> list[ForbiddenCall]:
        if self._families:
            self._modes.enter_context(_Operators(self.note))
            self._modes.enter_context(_Functions(self.note))
        return self.calls

    def __exit__(self, *problem: object) -> None:
        self._modes.close()

    def note(self, name: str, function: Any) -> None:
        """Take down one call of torch's, if it is of a family."""
        family = family_of(name, self._families)
        if not family or len(self.calls) >= MOST_CALLS:
            return
        line, line_number, where = self._place()
        seen = {(call.line_number, call.function) for call in self.calls}
        # What a call is made of inside torch is not told beside it.
        if (line_number, where) not in seen:
            self.calls.append(ForbiddenCall(_shown(name, function), family, line, line_number, where))

    def _place(self) -> tuple[str, int | None, str]:
        """The innermost line of the learner's own code that is running: text, number, function."""
        frame = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            if self._is_own(code.co_filename):
                line = linecache.getline(code.co_filename, frame.f_lineno, frame.f_globals).strip()
                return line, frame.f_lineno, code.co_name
            frame = frame.f_back  # type: ignore[assignment]
        return "", None, ""


class _Functions(TorchFunctionMode):
    """Sees calls by the names that Python has for them, `dropout` say, which ATen takes apart."""

    def __init__(self, note: Callable[[str, Any], None]) -> None:
        super().__init__()
        self._note = note

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._note(getattr(func, "__name__", "").partition(".")[0], func)
        return func(*args, **(kwargs or {}))


class _Operators(TorchDispatchMode):
    """Sees the operators that run in the end, also from compiled code and from inside other calls."""

    def __init__(self, note: Callable[[str, Any], None]) -> None:
        super().__init__()
        self._note = note

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Else torch imports its compiler at the first operator, to keep it away from this class: that takes a
        # second.
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._note(func.__name__.partition(".")[0], func)
        return func(*args, **(kwargs or {}))


def _shown(name: str, function: Any) -> str:
    """How a learner would write the name of a function or operator of torch."""
    module = str(getattr(function, "__module__", None) or "")
    if module.startswith("torch._ops"):
        return f"torch.ops.{module.rpartition('.')[2]}.{name}"
    if "Tensor" in str(getattr(function, "__objclass__", "")):
        return f"Tensor.{name}"
    return f"F.{name}" if module in ("torch.nn.functional", "torch._C._nn") else f"torch.{name}"
