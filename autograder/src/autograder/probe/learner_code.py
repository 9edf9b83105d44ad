"""The inspection of a learner's code: its files and cells, its stubs, and the line that raised an error."""

from __future__ import annotations

import contextlib
import dis
import inspect
import linecache
import math
import re
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.records.run_outcome import MAX_TEXT

# What a function should be given, and not find in the notebook.
DATA = (Tensor, torch.nn.Module, np.ndarray, np.generic, int, float, list, tuple)


def is_stub(function: Any) -> bool:
    """Tell whether a function's body is only a docstring, `...` or `pass`."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return False
    idle = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE", "COPY_FREE_VARS", "POP_TOP"}
    steps = list(dis.get_instructions(code))
    if any(step.opname not in idle for step in steps):
        return False
    constants = [step.argval for step in steps if step.opname in ("LOAD_CONST", "RETURN_CONST")]
    return all(constant is None or constant is ... for constant in constants)


def globals_read(function: Any) -> tuple[str, ...]:
    """Return the names of the notebook's data (see `DATA`) that a function reads as global variables."""
    code = getattr(function, "__code__", None)
    namespace = getattr(function, "__globals__", {})
    if not isinstance(code, types.CodeType):
        return ()
    names: dict[str, None] = {}
    for part in code_parts(code):
        for step in dis.get_instructions(part):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                value = namespace.get(step.argval)
                if isinstance(value, DATA) and not _is_constant(value):
                    names[step.argval] = None
    return tuple(names)


def _is_constant(value: Any) -> bool:
    """Tell whether a value is a constant of mathematics, which everybody may import: inf, nan, pi, e."""
    return isinstance(value, float) and (not math.isfinite(value) or value in (math.pi, math.e))


def code_parts(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object, and those of all functions defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_parts(constant)


def failed_cell(error: BaseException) -> tuple[str, int] | None:
    """Return the text of the cell that raised an error, and the number of the line; None if no cell did."""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if is_notebook_file(frame.f_code.co_filename):
            return "".join(linecache.getlines(frame.f_code.co_filename)), number or 0
    if isinstance(error, SyntaxError) and is_notebook_file(str(error.filename)):
        return "".join(linecache.getlines(str(error.filename))), error.lineno or 0
    return None


def makes(source: str, name: str) -> bool:
    """Tell whether a cell assigns or defines a name at its top level, outside functions and classes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(source, "<cell>", "exec")
    except (SyntaxError, ValueError):  # a slip, or a magic
        word = re.escape(name)
        gap = r"[^\S\n]"  # such as the no-break space that a web page puts there
        several = rf"(\w+{gap}*,{gap}*)*{word}\b(?:[\w,]|{gap})*(:[^=\n]+)?=(?!=)"
        pattern = rf"^{gap}*((class|def){gap}+{word}\b|{several})"
        return re.search(pattern, source, re.MULTILINE) is not None
    steps = dis.get_instructions(code)
    return any(step.opname in ("STORE_NAME", "STORE_GLOBAL") and step.argval == name for step in steps)


def file_of(function: Any) -> str | None:
    """Return the name of the file or cell with a function's own code; None if the value has no code."""
    # A decorator's wrapper is not the learner's own code; what it wraps is.
    with contextlib.suppress(ValueError):  # it wraps itself, or something without end
        function = inspect.unwrap(function)
    return getattr(getattr(function, "__code__", None), "co_filename", None)


def is_file_of(function: Any = None) -> Callable[[str], bool]:
    """Return a function that tells whether a file is the one with an answer's code, or a notebook cell."""
    own_file = file_of(function)
    return lambda file: file == own_file or is_notebook_file(file)


def raised_by_notebook(error: BaseException) -> bool:
    """Tell whether the notebook's own code raised an exception, such as an object's `__getattribute__`."""
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(files) and is_notebook_file(files[-1])


def is_notebook_file(filename: str) -> bool:
    """Tell whether a file name is one under which IPython compiles a notebook cell."""
    return "ipykernel_" in filename or filename.startswith(("<ipython-input", "<cell"))


def text_of(error: BaseException) -> str:
    """Return an error's message; "" if the exception's own `__str__` fails."""
    # A learner's exception class may have a __str__ that itself fails.
    try:
        return str(error)[:MAX_TEXT]
    except KeyboardInterrupt:
        raise
    except BaseException:
        return ""
