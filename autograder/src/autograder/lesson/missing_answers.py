"""Find the answers that a cell needs and that are missing or still stubs.

A cell names them in its first line, in a comment such as `# needs share, table`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

NEEDS = re.compile(r"# needs (\w+(?:, \w+)*)\n")


def _stub() -> None: ...


def _documented_stub() -> None:
    """Do nothing: a docstring changes what is compiled."""


STUBS = {function.__code__.co_code for function in (_stub, _documented_stub)}


def is_open(answer: Any) -> bool:
    """Tell whether an answer is still a stub: `...`, an empty function, or a class with an empty method."""
    if not isinstance(answer, type):
        code = getattr(inspect.unwrap(answer) if callable(answer) else answer, "__code__", None)
        return answer is ... or (code is not None and code.co_code in STUBS)
    methods = (
        getattr(value, "__func__", value) for name, value in vars(answer).items() if name != "__init__"
    )
    return any(is_open(method) for method in methods if inspect.isfunction(method))


def missing_answers(source: str, namespace: Mapping[str, Any]) -> list[str]:
    """Return the names in a cell's `# needs` line that are undefined or still stubs."""
    needs = NEEDS.match(source)
    names = needs[1].split(", ") if needs else ()
    return [name for name in names if is_open(namespace.get(name, ...))]
