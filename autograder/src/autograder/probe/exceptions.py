"""Reports on exceptions: the learner's line that raised, and the values in it."""

from __future__ import annotations

import ast
import builtins
import contextlib
import difflib
import linecache
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from autograder.probe.learner_code import failed_cell, file_of, is_file_of, is_notebook_file, makes, text_of
from autograder.records.run_outcome import MAX_TEXT, ErrorReport, Operand, dtype_name
from autograder.torch_internals import attributes_of

MOST_OPERANDS = 4
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
ALIKE = 0.75  # how much a name must look like another one to be compared with it letter by letter
SHORT = 3  # a name, or a part of one, in which another letter makes another name


def describe_error(error: BaseException, function: Any) -> ErrorReport:
    """Return a report on an exception, with the innermost line of the answer's own code.

    If no line of the answer's code was running, it is the innermost line of the notebook's. If that line
    calls a function of another cell, and the error comes from there, the report names that function.

    Args:
        error: the exception.
        function: the answer, or the function of it that the learner writes.
    """
    line, line_number, where, called = "", None, "", ""
    meant: str = ""
    operands: tuple[Operand, ...] = ()
    steps = _steps_of(error, is_file_of(function))
    own_file = file_of(function)
    inside = [step for step in steps if step.tb_frame.f_code.co_filename == own_file]
    for step in (inside or steps)[-1:]:
        frame, code = step.tb_frame, step.tb_frame.f_code
        # Code may have no lines: None, or -1.
        line_number, where = max(step.tb_lineno or 0, 0), code.co_qualname
        line = linecache.getline(code.co_filename, line_number, frame.f_globals).strip()
        meant, operands = _seen_in(error, step)
        called = "" if step is steps[-1] else steps[-1].tb_frame.f_code.co_qualname
    if _lacks_self(error, function):
        meant = "self"
    names = tuple(kind.__name__ for kind in type(error).__mro__)
    # Where an object lies in memory tells nobody anything, and is another place each time.
    message = ADDRESS.sub("at 0x…", text_of(error))
    return ErrorReport(
        names[0], message, line[:MAX_TEXT], line_number, where, meant, names[1:], operands, called[:MAX_TEXT]
    )


def _steps_of(error: BaseException, is_own: Callable[[str], bool]) -> list[types.TracebackType]:
    """Return the steps of an exception's way that are in some files, the outermost first."""
    found, step = [], error.__traceback__
    while step is not None:
        if is_own(step.tb_frame.f_code.co_filename):
            found.append(step)
        step = step.tb_next
    return found


def stopped(name: str, namespace: Mapping[str, Any]) -> ErrorReport | None:
    """Return the last error if it stopped the cell that should define `name`; None otherwise."""
    error = getattr(sys, "last_value", None)
    failed = stop_of(error) if isinstance(error, BaseException) else None
    if failed is None or not makes(failed[0], name):
        return None
    # A later cell may have made the name, and another one have taken it away again.
    cells = [cell for cell in namespace.get("In", ()) if isinstance(cell, str) and name in cell]
    latest = next((cell for cell in reversed(cells) if makes(cell, name)), failed[0])
    return failed[1] if latest.strip() == failed[0].strip() else None


def stop_of(error: BaseException) -> tuple[str, ErrorReport] | None:
    """Return the text of the cell that an error stopped, and a report with the line; None for no cell."""
    try:
        failed = failed_cell(error)
        if failed is None:
            return None
        source, number = failed
        lines = source.splitlines()
        line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        message = str(error.msg)[:MAX_TEXT] if isinstance(error, SyntaxError) else text_of(error)
        steps = _steps_of(error, is_notebook_file)
        operands = _seen_in(error, steps[0])[1] if steps else ()
        return source, ErrorReport(type(error).__name__, message, line[:MAX_TEXT], number, operands=operands)
    except KeyboardInterrupt:
        raise
    except BaseException:  # an exception may run code of its own wherever it is looked at
        return None


def _seen_in(error: BaseException, step: types.TracebackType) -> tuple[str, tuple[Operand, ...]]:
    try:
        meant = _intended_name(error, step.tb_frame)
        # A misspelt name says by itself what is wrong, and so does a call that does not fit a signature.
        slip = isinstance(error, NameError | AttributeError) or "positional argument" in text_of(error)
        return meant, () if slip else tuple(islice(_operands(step), MOST_OPERANDS))
    except KeyboardInterrupt:
        raise
    except BaseException:  # looking at an object may run code of its own
        return "", ()


def _intended_name(error: BaseException, frame: types.FrameType) -> str:
    """Return what a name that is not there was meant to be, as far as another looks like it; "" for none."""
    if not isinstance(error, NameError | AttributeError) or not isinstance(error.name, str):
        return ""
    name = error.name
    if isinstance(error, AttributeError):
        # A method that works in place is never what was meant.
        variables = [
            attribute
            for attribute in dir(error.obj)
            if not attribute.startswith("_") and attribute.endswith("_") == name.endswith("_")
        ]
    else:
        owner = frame.f_locals.get("self")
        if isinstance(owner, torch.nn.Module) and _is_its_own(name, owner):
            return f"self.{name}"[:MAX_TEXT]
        if isinstance(error, UnboundLocalError):
            return ""
        variables = [
            *frame.f_locals,
            *(variable for variable in frame.f_globals if not variable.startswith("_")),
            *dir(builtins),
        ]
    near = difflib.get_close_matches(name, set(variables), n=5, cutoff=ALIKE)
    meant = [candidate for candidate in near if _is_slip_of(name, candidate)]
    return meant[0][:MAX_TEXT] if len(meant) == 1 else ""


def _lacks_self(error: BaseException, function: Any) -> bool:
    """Tell whether a call failed at a method, of a class or given alone, that does not begin with `self`."""
    if not isinstance(error, TypeError):
        return False
    methods = vars(function).values() if isinstance(function, type) else [function]
    return any(
        isinstance(method, types.FunctionType)
        and len(method.__qualname__.split(".")) == 2  # in a class, and not in a function
        and text_of(error).startswith(f"{method.__qualname__}() takes ")
        and "self" not in method.__code__.co_varnames[: method.__code__.co_argcount]
        for method in methods
    )


def _is_its_own(name: str, owner: torch.nn.Module) -> bool:
    """Tell whether the learner's class gave a module something of this name."""
    return any(name in vars(owner)[part] for part in ("_parameters", "_buffers", "_modules")) or any(
        name in vars(kind) for kind in (owner, *type(owner).__mro__[: -len(torch.nn.Module.__mro__)])
    )


def _is_slip_of(written: str, meant: str) -> bool:
    """Tell whether a name can hardly be anything but a slip of the pen for another one.

    Word by word: one letter too many, too few, another one, or two that changed places. One word of several
    may be cut short: `source_len` for `source_length`.
    """
    words, others = written.split("_"), meant.split("_")
    if len(words) != len(others):
        return written.replace("_", "") == meant.replace("_", "")
    apart = [(first, two) for first, two in zip(words, others, strict=True) if first != two]
    if len(apart) == 1 < len(words) and _is_cut_short(*apart[0]):
        return True
    return all(_is_nearly(first, two) for first, two in apart)


def _is_cut_short(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return len(short) >= SHORT and long.startswith(short)


def _is_nearly(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    if len(long) - len(short) == 1:
        left_out = [index for index in range(len(long)) if short == long[:index] + long[index + 1 :]]
        return len(short) > SHORT or (len(short) == SHORT and len(short) in left_out)
    if len(short) != len(long) or len(short) <= SHORT:
        return False
    apart = [index for index, (letter, two) in enumerate(zip(word, other, strict=True)) if letter != two]
    if len(apart) == 1:  # `math` is no slip for `Path`
        return not word[apart[0]].isdigit() and (apart[0] > 0 or len(short) > SHORT + 1)
    return len(apart) == 2 and [word[index] for index in apart] == [other[index] for index in reversed(apart)]


def _operands(step: types.TracebackType) -> Iterator[Operand]:
    """Yield what the names stand for in the expression that failed, each once."""
    seen: set[str] = set()
    for tree in (_failing(step), _line(step)):
        for name in _names(tree):
            value = _value(name, step.tb_frame)
            if name not in seen and (operand := _operand(name, value)) is not None:
                seen.add(name)
                yield operand
        if seen:
            return


def _failing(step: types.TracebackType) -> ast.AST:
    """Return the expression that was being computed when an error came."""
    code = step.tb_frame.f_code
    first, last, start, end = next(islice(code.co_positions(), step.tb_lasti // 2, None))
    if first is None or last is None or start is None or end is None:
        return _line(step)
    lines = linecache.getlines(code.co_filename, step.tb_frame.f_globals)
    rows = [line.encode() for line in lines[first - 1 : last]]
    rows[-1] = rows[-1][:end]
    rows[0] = rows[0][start:]
    return _parsed(b"".join(rows).decode())


def _line(step: types.TracebackType) -> ast.AST:
    return _parsed(linecache.getline(step.tb_frame.f_code.co_filename, step.tb_lineno or 0))


def _parsed(text: str) -> ast.AST:
    """Return a piece of code as a tree; an empty one for a piece that cannot be read alone."""
    for form in (f"({text.strip()})", text.strip(), f"{text.strip()} pass"):
        with contextlib.suppress(SyntaxError):
            return ast.parse(form)
    return ast.Module([], [])


def _names(tree: ast.AST) -> Iterator[str]:
    """Yield the names in an expression as they are written, without those of what is called.

    Of `keys.transpose(1, 2)` that is `keys`, and of `self.mask[:n]` it is `self.mask` and `n`.
    """
    if isinstance(tree, ast.Name | ast.Attribute):
        written = ast.unparse(tree)
        if all(part.isidentifier() for part in written.split(".")):
            yield written
            return
    for field, child in ast.iter_fields(tree):
        if isinstance(tree, ast.Call) and field == "func":
            # The object of a method is an operand.
            child = child.value if isinstance(child, ast.Attribute) else None
        for node in child if isinstance(child, list) else [child]:
            if isinstance(node, ast.AST):
                yield from _names(node)


def _value(written: str, frame: types.FrameType) -> Any:
    """Return what a name stands for, or the tensor whose attribute it is; None for nothing to tell."""
    first, *rest = written.split(".")
    if first in frame.f_code.co_varnames and first not in frame.f_locals:
        return None  # it has no value yet, whatever the notebook calls so
    scope: Mapping[str, Any] = frame.f_locals if first in frame.f_locals else frame.f_globals
    value = scope.get(first)
    for name in rest:
        if not isinstance(value, torch.nn.Module):
            return None
        parameters, buffers, _, others = attributes_of(value)
        value = {**others, **parameters, **buffers}.get(name)
    return value


def _operand(name: str, value: Any) -> Operand | None:
    if isinstance(value, Tensor):
        return Operand(name[:MAX_TEXT], tuple(value.shape), dtype_name(value.dtype))
    if type(value) in (int, float, bool, str):
        return Operand(name[:MAX_TEXT], value=repr(value)[:40])
    if isinstance(value, list | tuple):
        if not value:
            return Operand(name[:MAX_TEXT], value=f"{type(value)()}"[:MAX_TEXT])
        return Operand(f"len({name})"[:MAX_TEXT], value=str(len(value)))
    return None
