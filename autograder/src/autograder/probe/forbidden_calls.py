"""The observation of calls that a task forbids because writing that code is the task.

torch keeps a table of its operators for the whole process. While an answer is called, the operators of the
course's families are replaced by ones that note the call and then do the same work. So a call is seen under
any name, in any thread, from compiled code and inside other calls.

This happens in the learner's process, and it can only take points away. During grading, a `witness` watches
each test cell as a whole. It reports a call to another process before the call is made, so no code here can
take the report back. At the beginning and the end of the cell it makes such a call itself, and the other
process has to receive both reports: see `autograder.grading.sandbox.forbidden_call_log`. Code that might hide
a call is shown to a person: see `autograder.grading.evasion_lint`.

Nothing that a learner can replace may matter here: modules, their functions, classes and builtins. So
everything used between an operator's call and the report was looked up when this module was imported, and is
a local variable of a function. Otherwise `len` or `json.dumps` could be the learner's own.
"""

from __future__ import annotations

import linecache
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import blake2b
from itertools import count
from json.encoder import encode_basestring_ascii
from os import urandom
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

from autograder import torch_internals
from autograder.probe.learner_code import is_notebook_file
from autograder.records.operator_families import Family
from autograder.records.run_outcome import ForbiddenCall

# More than one line to correct is plenty; a loop must not fill the evidence, nor what is told.
MOST_CALLS = 10
# Characters of a line that is kept, and of a function's name that is told: that has to go in one piece.
MOST_LINE, MOST_NAME = 300, 60
TORCH = str(Path(torch.__file__).parent)
# The tables in which an operator may have its work: for all tensors, for those of one kind, and under `vmap`.
TABLES = (
    *("CompositeImplicitAutograd", "CPU", "CUDA", "MPS", "MkldnnCPU", "SparseCPU", "SparseCUDA"),
    *("NestedTensorCPU", "NestedTensorCUDA", "FuncTorchDynamicLayerFrontMode"),
)
# Where torch is told that our operators were made, by which they are known from all others.
MARK = "the watch of autograder"
# A code of eight bytes under a key of sixteen: nobody guesses one in the time of a run.
CODE_BYTES, KEY_BYTES = 8, 16

Patterns = frozenset[re.Pattern[str]]
# What is done where an operator is called, from a frame or from none.
Observer = Callable[[str, FrameType | None], None]
# A call of an operator of some patterns, None where there is none; and what tells whether all are ours.
Trial = tuple[Callable[[], object] | None, Callable[[], bool]]


def family_of(name: str, families: tuple[Family, ...]) -> str:
    """Return the name of the first family that a plain function name belongs to; "" if it belongs to none."""
    return next((family.name for family in families if family.names.fullmatch(name)), "")


def _patterns(families: Iterable[Family]) -> Patterns:
    return frozenset(family.operators for family in families)


def _observing() -> tuple[Callable[..., None], Callable[..., None], Callable[[Patterns], list[str]]]:
    """Make what puts observers at the operators of some patterns, and takes them away.

    Returns:
        `begin(patterns, observer)`; `end(patterns, observer)`; and what gives the names of the operators at
        which observers have been put for some patterns.
    """
    new_library, set_kernel = torch_internals.new_library, torch_internals.set_kernel
    remove_all, call_kernel = torch_internals.remove_kernels, torch_internals.call_kernel
    frame_here = sys._getframe
    observers: tuple[Observer, ...] = ()
    known: dict[Patterns, tuple[tuple[str, str, Callable[..., Any]], ...]] = {}
    libraries: dict[Patterns, Any] = {}
    depths: dict[Patterns, int] = {}

    def noting(name: str, work: Any) -> Callable[..., Any]:
        operator = name.partition(".")[0]

        def noted(keys: Any, *args: Any, **named: Any) -> Any:
            frame = frame_here(0).f_back
            for observe in observers:
                observe(operator, frame)
            return call_kernel(work, keys, *args, **named)

        return noted

    def begin(patterns: Patterns, observer: Observer) -> None:
        nonlocal observers
        if patterns not in known:
            known[patterns] = tuple(
                (name, table, noting(name, work)) for name, table, work in _kernels(patterns)
            )
            with warnings.catch_warnings():  # torch says once in a process that an operator is replaced
                warnings.simplefilter("ignore")
                begin(patterns, observer)
                end(patterns, observer)
        observers = (*observers, observer)
        depths[patterns] = depth = depths.get(patterns, 0) + 1
        if depth == 1:
            libraries[patterns] = library = new_library("IMPL", "aten", "", MARK, 1)
            for name, table, noted in known[patterns]:
                set_kernel(library, name, table, noted, True)

    def end(patterns: Patterns, observer: Observer) -> None:
        nonlocal observers
        observers = (*[other for other in observers if other is not observer],)
        depths[patterns] = depth = depths[patterns] - 1
        if not depth:
            remove_all(libraries.pop(patterns))

    def names_of(patterns: Patterns) -> list[str]:
        return list(dict.fromkeys(f"aten::{name}" for name, _, _ in known[patterns]))

    return begin, end, names_of


def _trying(
    begin: Callable[..., None], end: Callable[..., None], names_of: Callable[[Patterns], list[str]]
) -> Callable[[Patterns], Trial]:
    """Make what tries the operators of some patterns, once in a process."""
    described = torch_internals.describe_operator
    trials: dict[Patterns, Trial] = {}

    def trial(patterns: Patterns) -> Trial:
        if patterns in trials:
            return trials[patterns]
        calls: list[str] = []

        def noticed(operator: str, frame: FrameType | None) -> None:
            calls.append(operator)

        begin(patterns, noticed)
        names = names_of(patterns)
        lines = [(name, line) for name in names for line in described(name).splitlines() if MARK in line]
        call = _callable_one(names, calls)
        end(patterns, noticed)

        def ours() -> bool:
            for name, line in lines:  # noqa: SIM110 - `all` is looked up when it is called
                if line not in described(name):
                    return False
            return True

        trials[patterns] = call, ours
        return trials[patterns]

    return trial


def _kernels(patterns: Patterns) -> list[tuple[str, str, Any]]:
    """Return the operators of some patterns: their full names, their tables, and what does their work."""
    return [
        (name, table, torch_internals.kernel_of(f"aten::{name}", key))
        for space, _, name in (full.partition("::") for full in torch_internals.operator_names())
        if space == "aten" and any(pattern.fullmatch(name.partition(".")[0]) for pattern in patterns)
        for table in TABLES
        if torch_internals.has_kernel(f"aten::{name}", table)
        for key in [torch_internals.dispatch_key("CPU" if table.startswith("Composite") else table)]
    ]


def _callable_one(names: Iterable[str], calls: Sequence[str]) -> Callable[[], object] | None:
    """Return a call of the first operator that takes tensors of one number, and that `calls` then has."""
    scalar = torch.ones(1)
    # Matrices and images have more axes, and a convolution or a product takes two or three of them.
    several = [(torch.ones((1,) * axes),) * count for axes in range(1, 6) for count in (1, 2, 3)]
    for name in names:
        operator, _, overload = name.partition(".")
        try:
            function = torch_internals.overload_of(operator, overload)
        except RuntimeError:
            continue
        for given in ((scalar, 0, False), (scalar, 0), (scalar, [1]), (scalar, scalar), *several):
            before, number = torch.get_rng_state(), len(calls)
            try:
                function(*given)
            except Exception:  # noqa: S112 - it takes something else
                continue
            if len(calls) > number and torch.equal(before, torch.get_rng_state()):
                return partial(function, *given)
    return None


def _attributing() -> Callable[..., tuple[str, str, FrameType | None]]:
    """Make what says of a call to which family it belongs, how a learner writes it, and from which frame."""
    torchs, autograd, known = TORCH, f"{TORCH}/autograd", frozenset(dir(torch))

    def attributed(
        operator: str,
        frame: FrameType | None,
        family_of_name: Callable[[str], str],
        is_own: Callable[[str], bool],
    ) -> tuple[str, str, FrameType | None]:
        family, shown = family_of_name(operator), operator.strip("_").removesuffix("_helper")
        shown = f"{'torch' if shown in known else 'F'}.{shown}"
        while frame is not None:
            code: CodeType = frame.f_code
            if is_own(code.co_filename):
                break
            if code.co_filename.startswith(torchs):
                for name in code.co_qualname.split("."):
                    around = family_of_name(name)
                    if around:
                        family = around
                        module = "F" if code.co_filename.endswith("nn/functional.py") else "torch"
                        if code.co_filename.startswith(autograd):
                            module = "torch.autograd"
                        if code.co_qualname.startswith("Tensor."):
                            module = "Tensor"
                        shown = (
                            f"nn.{name}" if module == "torch" and name[0].isupper() else f"{module}.{name}"
                        )
            frame = frame.f_back
        return family, shown, frame

    return attributed


_begin, _end, _names_of = _observing()
_trial = _trying(_begin, _end, _names_of)
_attributed = _attributing()


def _looking_up(families: tuple[Family, ...]) -> Callable[[str], str]:
    """Return `family_of` for some families, which remembers: it is asked at each of many calls."""
    matches = tuple((family.name, family.names.fullmatch) for family in families)
    known: dict[str, str] = {}

    def look_up(name: str) -> str:
        if name not in known:
            known[name] = ""
            for family, matched in matches:
                if matched(name):
                    known[name] = family
                    break
        return known[name]

    return look_up


class Watch:
    """A context manager that collects the calls of some families made in its block, without changing results.

    With no families, nothing is watched.

    Args:
        families: the families of calls that the task forbids.
        is_own: tells whether a file name belongs to the learner's code, to find the line of a call.
    """

    def __init__(self, families: tuple[Family, ...], is_own: Callable[[str], bool]) -> None:
        self.calls: list[ForbiddenCall] = []
        self._patterns = _patterns(families)
        self._family_of = _looking_up(families)
        self._is_own = is_own
        self._observer: Observer = self._note

    def __enter__(self) -> list[ForbiddenCall]:
        if self._patterns:
            _begin(self._patterns, self._observer)
        return self.calls

    def __exit__(self, *problem: object) -> None:
        if self._patterns:
            _end(self._patterns, self._observer)

    def _note(self, operator: str, frame: FrameType | None) -> None:
        """Take down an operator that runs, if it or a function of torch's around it is of a family."""
        family, shown, frame = _attributed(operator, frame, self._family_of, self._is_own)
        if not family:
            return
        line, line_number, where = "", None, ""
        if frame is not None:
            line_number, where = frame.f_lineno or 0, frame.f_code.co_name
            line = linecache.getline(frame.f_code.co_filename, line_number, frame.f_globals).strip()
        call = ForbiddenCall(shown, family, line[:MOST_LINE], line_number, where[:MOST_LINE])
        seen = {(call.line_number, call.function) for call in self.calls}
        # What a call is made of inside torch is not told beside it.
        if len(self.calls) < MOST_CALLS and (line_number, where) not in seen:
            self.calls.append(call)


_watched: dict[str, tuple[Family, ...]] = {}  # by the id of a test cell, which is its task's


def prepare(tasks: Iterable[tuple[str, tuple[Family, ...]]]) -> None:
    """Prepare to watch the test cells of some tasks, before any learner's code runs.

    Args:
        tasks: the id of each task, with the families that it forbids.
    """
    for task, families in tasks:
        if families:
            _watched[task] = families
            _trial(_patterns(families))


def _telling(send: Callable[[bytes], None]) -> tuple[Callable[[str, str], None], Callable[..., None]]:
    """Tell a key, and make what sends messages, each with a number and with its code under that key.

    Returns:
        `tell_state(says, task)`, for how a task's cell is watched; and
        `tell_call(task, name, family, function, line)`.
    """
    key = urandom(KEY_BYTES)
    keyed, next_number = blake2b(key=key, digest_size=CODE_BYTES), count().__next__
    quoted = encode_basestring_ascii
    send(f'["", {quoted(key.hex())}]'.encode())

    def tell(pattern: str, *texts: str) -> None:
        parts = (*[quoted(text) for text in texts],)
        text = f'{{"number": {next_number()}, {pattern % parts}}}'
        code = keyed.copy()
        code.update(text.encode())
        send(f'["{code.hexdigest()}", {quoted(text)}]'.encode())

    def tell_state(says: str, task: str) -> None:
        tell('"says": %s, "task": %s', says, task)

    def tell_call(task: str, name: str, family: str, function: str, line: int) -> None:
        call = f'{{"name": %s, "family": %s, "function": %s, "line_number": {line or "null"}}}'
        tell('"says": "called", "task": %s, "call": ' + call, task, name, family, function)

    return tell_state, tell_call


def witness(send: Callable[[bytes], None]) -> Callable[[str], None]:
    """Return a function that watches test cells and reports their forbidden calls.

    Call it with a cell's id when the cell begins, and with "" when it ends. For a test cell that was given to
    `prepare`, it sends one message at the beginning, one before each forbidden call, and one at the end that
    the cell was watched throughout. Each message has a number and an authentication code; the secret key for
    the codes is in the first message. So no message can be omitted, added or changed unnoticed.

    Args:
        send: sends a whole message, or raises.
    """
    begin, end, attributed, is_own = _begin, _end, _attributing(), is_notebook_file
    most, most_name, anything = MOST_CALLS, MOST_NAME, BaseException
    tell_state, tell_call = _telling(send)
    plans = {
        task: (_patterns(families), _looking_up(families), *_trial(_patterns(families)))
        for task, families in _watched.items()
    }
    task, says, seen = "", "", set[tuple[str, int, str]]()
    patterns, look_up, call, ours = next(iter(plans.values()), (_patterns(()), str, str, bool))

    def observe(operator: str, frame: FrameType | None) -> None:
        if says:
            if says == "begins" or ours():
                tell_state(says, task)
            return
        family, shown, frame = attributed(operator, frame, look_up, is_own)
        line, where = (0, "") if frame is None else (frame.f_lineno or 0, frame.f_code.co_name[:most_name])
        if not family or (family, line, where) in seen or seen.__len__() >= most:
            return
        seen.add((family, line, where))
        tell_call(task, shown, family, where, line)

    def show(what: str) -> None:
        nonlocal says
        says = what
        try:
            if call is not None:
                call()
            elif what == "begins" or ours():  # no operator of these families takes what can be made up
                tell_state(what, task)
        except anything:  # what keeps it from being shown, shows
            pass
        says = ""

    def watching(cell: str) -> None:
        nonlocal task, patterns, look_up, call, ours, seen
        try:
            if task:
                show("ends")
                task = ""
                end(patterns, observe)
            if cell in plans:
                task, seen = cell, {*()}
                patterns, look_up, call, ours = plans[cell]
                begin(patterns, observe)
                show("begins")
        except anything:
            pass

    return watching
