"""The course's answers in compiled form, run in place of a learner's wrong ones without showing their text.

They run in the same process as the learner's code, which can inspect everything there. So the grader compiles
such an answer, and the notebook runs only the compiled code: no comment, no docstring, no source line and no
local variable name appears in `In`, in the history or in tracebacks. The instructions and constants that
Python needs can still be read.
"""

from __future__ import annotations

import ast
import base64
import inspect
import marshal
import zlib
from collections.abc import Collection, Sequence
from types import CodeType

from autograder.lesson import interactive_session, shadowed_names

# A cell's, as checks see it; no file has this name.
FILE = "<cell of the course>"
PLACE = {"lineno", "end_lineno", "col_offset", "end_col_offset"}


def sealed(source: str, names: Collection[str]) -> str:
    """Return the text of a cell that does the same as an answer cell, but does not contain its source.

    Args:
        source: the text of an answer cell of the course's.
        names: the names that the course's cells bind for all others; the answer uses the course's values of
            them, even if a learner has redefined the names.
    """
    tree = _parsed(source)
    meant = shadowed_names.BUILT_IN.keys() | set(names)
    reserved = shadowed_names.reserve(tree, meant)
    _strip(tree)
    code = _without_names(compile(tree, FILE, "exec", dont_inherit=True))
    packed = base64.b64encode(zlib.compress(marshal.dumps(code))).decode()
    return f"__import__({__name__!r}, fromlist=['run']).run({packed!r}, {sorted(reserved)!r})"


def run(packed: str, names: Sequence[str]) -> None:
    """Run code that `sealed` has packed, with the notebook's variables as globals.

    Args:
        packed: the compiled code, as text.
        names: the course's names that the code reads.
    """
    shell = interactive_session.shell()
    assert shell is not None
    shadowed_names.mean(names)
    code = marshal.loads(zlib.decompress(base64.b64decode(packed)))  # noqa: S302 — the grader's own
    exec(code, shell.user_ns)  # noqa: S102


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:  # a magic, say: the course's own text may be read by IPython here
        from IPython.core.inputtransformer2 import TransformerManager

        text: str = TransformerManager().transform_cell(source)
        return ast.parse(text)


def _strip(tree: ast.Module) -> None:
    """Take the docstrings out, and where everything stood in the text."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Module():
                if ast.get_docstring(node, clean=False) is not None:
                    node.body[0] = ast.copy_location(ast.Pass(), node.body[0])
    for node in ast.walk(tree):
        for name in PLACE & vars(node).keys():
            setattr(node, name, 1)


def _without_names(code: CodeType) -> CodeType:
    """Return code in which a function's own variables have no names; arguments may be given by theirs."""
    arguments = code.co_argcount + code.co_kwonlyargcount
    arguments += sum(bool(code.co_flags & flag) for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS))
    named, others = code.co_varnames[:arguments], range(len(code.co_varnames) - arguments)
    constants = [
        _without_names(constant) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    ]
    return code.replace(
        co_consts=tuple(constants), co_varnames=(*named, *(f" {number}" for number in others))
    )
