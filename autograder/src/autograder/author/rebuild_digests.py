"""Digest the Python values of a lesson, so that a task is rebuilt only if one of its values has changed.

A tensor is digested by its numbers. An author's function or class is digested by its text and the values that
it reads, and one of a package by the code of its module.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import torch

from autograder.author.import_graph import Modules
from autograder.probe.learner_code import code_parts

PLAIN = (type(None), bool, int, float, complex, str, bytes, range, torch.dtype, torch.device, torch.Size)
# What Python puts into a class by itself, or what says nothing of what it does.
NOT_CODE = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__"}
)


class Unknown(Exception):
    """A value cannot be digested, so it must be assumed to have changed."""


@dataclass
class Digests:
    """A digester for the values of one lesson.

    Attributes:
        texts: the text of each cell and file that the author wrote, by the file name under which its code is
            compiled.
        modules: the packages whose code may change.
    """

    texts: Mapping[str, str]
    modules: Modules
    _packages: dict[str, bytes] = field(default_factory=dict)
    _functions: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def of(self, *values: Any) -> bytes:
        """Return a digest of some values.

        Raises:
            Unknown: a value contains an object that cannot be digested.
        """
        digest = hashlib.sha256()
        numbers: dict[int, int] = {}
        alive: list[Any] = []  # a value that is gone would leave its id to another one
        try:
            for value in values:
                for part in self._parts(value, numbers, alive):
                    digest.update(len(part).to_bytes(8, "big") + part)
        except RecursionError as problem:
            raise Unknown("values lie too deep in each other") from problem
        return digest.digest()

    def _parts(self, value: Any, numbers: dict[int, int], alive: list[Any]) -> Iterator[bytes]:
        """Yield what a value is made of. One that was met before counts by the number that it got then."""
        if isinstance(value, PLAIN):
            yield f"{type(value).__name__} {value!r}".encode()
            return
        if id(value) in numbers:
            yield f"the same as {numbers[id(value)]}".encode()
            return
        numbers[id(value)] = len(numbers)
        alive.append(value)
        yield type(value).__qualname__.encode()
        for part in self._inside(value):
            if isinstance(part, bytes):
                yield part
            else:
                yield from self._parts(part.value, numbers, alive)

    def _inside(self, value: Any) -> Iterator[bytes | _Value]:
        if isinstance(value, torch.Tensor):
            yield from self._tensor(value)
        elif is_dataclass(value) and not isinstance(value, type) and _is_ours(value):
            # Not what it keeps for itself, as `cached_property` does.
            yield from (_Value(getattr(value, each.name)) for each in fields(value))
        elif isinstance(value, Mapping):
            yield from (_Value(part) for item in value.items() for part in item)
        elif isinstance(value, list | tuple):
            yield from map(_Value, value)
        elif isinstance(value, set | frozenset):
            yield from sorted(self.of(part) for part in value)
        elif isinstance(value, types.ModuleType):
            yield self._of_package(value.__name__)
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, staticmethod | classmethod):
            yield _Value(value.__func__)
        elif isinstance(value, property):
            yield from map(_Value, (value.fget, value.fset, value.fdel))
        elif isinstance(value, types.MethodType):
            yield from map(_Value, (value.__func__, value.__self__))
        elif isinstance(value, functools.partial):
            yield from map(_Value, (value.func, value.args, value.keywords))
        elif isinstance(
            value, types.BuiltinFunctionType | types.MethodDescriptorType | types.WrapperDescriptorType
        ):
            yield f"{getattr(value, '__module__', '')}.{value.__qualname__}".encode()
        elif isinstance(value, torch.Generator):
            yield _Value(value.get_state())
        else:
            yield from self._object(value)

    def _tensor(self, value: torch.Tensor) -> Iterator[bytes | _Value]:
        if value.layout != torch.strided or value.is_quantized or value.device.type != "cpu":
            raise Unknown(f"a tensor of another kind: {value.layout} on {value.device}")
        yield f"{value.dtype} {tuple(value.shape)} {value.stride()} {value.requires_grad}".encode()
        plain = value.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
        yield plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""
        if value.is_leaf and value.grad is not None:
            yield _Value(value.grad)

    def _function(self, function: types.FunctionType) -> Iterator[bytes | _Value]:
        code = function.__code__
        yield function.__qualname__.encode()
        if code.co_filename not in self.texts:
            yield self._of_package(function.__module__)
        else:
            yield from (text.encode() for text in self._texts_at(code.co_filename, code.co_firstlineno))
            names = sorted({name for part in code_parts(code) for name in part.co_names})
            yield from (
                _Value((name, function.__globals__[name])) for name in names if name in function.__globals__
            )
        yield _Value((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            try:
                yield _Value(cell.cell_contents)
            except ValueError:
                yield b"not yet given"

    def _texts_at(self, file: str, line: int) -> Sequence[str]:
        """Return the text of the function that begins in a line; of all, where several do."""
        if file not in self._functions:
            texts = self._functions[file] = {}
            lines = self.texts[file].split("\n")
            for node in ast.walk(ast.parse(self.texts[file])):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                    first = min(part.lineno for part in (node, *getattr(node, "decorator_list", ())))
                    texts.setdefault(first, []).append("\n".join(lines[first - 1 : node.end_lineno]))
        return self._functions[file].get(line, [self.texts[file]])

    def _class(self, kind: type) -> Iterator[bytes | _Value]:
        yield f"{kind.__module__}.{kind.__qualname__}".encode()
        if kind.__module__ not in ("__main__", "builtins"):
            yield self._of_package(kind.__module__)
            return
        if kind.__module__ == "__main__":
            yield from map(_Value, kind.__bases__)
            yield from (
                _Value((name, part)) for name, part in sorted(vars(kind).items()) if name not in NOT_CODE
            )

    def _object(self, value: Any) -> Iterator[bytes | _Value]:
        yield _Value(type(value))
        slots = [name for kind in type(value).__mro__ for name in _names(vars(kind).get("__slots__", ()))]
        state = {
            name: getattr(value, name)
            for name in slots
            if name not in ("__dict__", "__weakref__") and hasattr(value, name)
        }
        state |= getattr(value, "__dict__", {})
        if not state and type(value).__module__.partition(".")[0] not in ("__main__", *self.modules.packages):
            shown = repr(value)
            if " at 0x" in shown:
                raise Unknown(f"a {type(value).__qualname__}")
            yield shown.encode()
        yield _Value(state)

    def _of_package(self, name: str) -> bytes:
        """Return the digest of a module and of all that it imports; of one that no author edits, its name."""
        if name not in self._packages:
            reached, _ = self.modules.reached([(name, "")])
            self._packages[name] = name.encode() + self.modules.digest(reached, with_texts=False)
        return self._packages[name]


@dataclass(frozen=True)
class _Value:
    """A part of a value that is a value itself."""

    value: Any


def _is_ours(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "autograder"


def _names(slots: str | Iterable[str]) -> Iterable[str]:
    return (slots,) if isinstance(slots, str) else slots
