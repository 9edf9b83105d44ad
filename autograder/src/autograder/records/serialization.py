"""Records as JSON and tensors, and back: banks, evidence, progress, grading results; and records from TOML.

A record is a dataclass. In JSON it is an object of the fields that differ from their defaults, and the types
of the fields decide how they are read: records, `Mapping`, `tuple`, `Literal`, unions, plain values and
`Any`. A tensor is stored separately, under its path in the record. Only objects of the declared types are
created, since a stranger may have written the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from autograder.records.authoring_errors import AuthoringError

if TYPE_CHECKING:
    from torch import Tensor as Tensor
else:

    class Tensor:
        """Stands for torch's in the types of fields, so that a record's module need not load torch."""


# The metadata of a field that is not written, since authors alone have a use for it.
UNSTORED = MappingProxyType({"stored": False})
# Characters that a terminal, or the order in which a line is read, goes by.
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# What people call the types that JSON and TOML hold; a list and a date are called so in Python too.
CALLED = {str: "text", int: "whole number", float: "number", bool: "true or false", dict: "table"}
NO_TENSORS: Mapping[str, Tensor] = MappingProxyType({})

Record = TypeVar("Record")


def encode(record: object) -> tuple[Any, dict[str, Tensor]]:
    """Return a record as JSON-compatible data, and its tensors by their paths in the record."""
    tensors: dict[str, Tensor] = {}
    return _as_json(record, "", tensors), tensors


def decode(
    kind: type[Record],
    plain: Any,
    tensors: Mapping[str, Tensor] = NO_TENSORS,
    most_text: int | None = None,
    most_items: int | None = None,
) -> Record:
    """Return the record that `encode` has converted.

    Args:
        kind: the record's class.
        plain: the JSON data.
        tensors: the record's tensors by path.
        most_text: the length to which texts are cut, in characters; control characters are also replaced.
            None for no limit.
        most_items: the number of items to which tuples are cut, and that a mapping may have. None for no
            limit.

    Raises:
        ValueError: the data does not fit the class; the message names the place and is short.
    """
    wanted: Any = kind
    record: Record = _reader(wanted)(plain, _Source(tensors, most_text, most_items))
    return record


def read_toml(kind: type[Record], path: Path) -> Record:
    """Return the record in a TOML file that a person wrote.

    Raises:
        AuthoringError: the file is missing or not valid; the message names the place.
    """
    try:
        return decode(kind, tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as problem:
        raise AuthoringError([f"{path} cannot be read: {problem}"]) from problem


@dataclass(frozen=True)
class _Source:
    tensors: Mapping[str, Tensor]
    most_text: int | None
    most_items: int | None


_Reader = Callable[[Any, _Source], Any]


def _as_json(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {name: _as_json(entry, f"{path}/{name}", tensors) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_as_json(entry, f"{path}/{index}", tensors) for index, entry in enumerate(value)]
    kind: Any = type(value)
    if is_dataclass(value):
        defaults = _defaults(kind)
        plain = {name: _as_json(getattr(value, name), f"{path}/{name}", tensors) for name in defaults}
        return {name: entry for name, entry in plain.items() if entry != defaults[name]}
    tensors[path[1:]] = value.detach().contiguous().clone()
    return {"tensor": path[1:]}


@lru_cache(maxsize=64)
def _defaults(kind: type) -> dict[str, Any]:
    """Return the fields that are written, with their defaults as JSON; `MISSING` where there is none."""
    defaults = {}
    for written in fields(kind):
        if written.metadata.get("stored", True):
            default = written.default if written.default_factory is MISSING else written.default_factory()
            defaults[written.name] = MISSING if default is MISSING else _as_json(default, "", {})
    return defaults


@lru_cache(maxsize=256)
def _reader(kind: Any) -> _Reader:
    """Return what reads values of a type; made once, since a bank holds thousands of them."""
    parts, origin = get_args(kind), get_origin(kind)
    if kind is Any:
        return lambda plain, source: plain
    if kind is Tensor:
        return _tensor
    if kind is str:
        return _text
    if is_dataclass(kind):
        return _record_reader(kind)
    if origin in (Union, UnionType):
        return _union_reader(parts)
    if origin is Literal:
        return lambda plain, source: _chosen(parts, plain)
    if origin is Mapping:
        value = _reader(parts[1])
        return lambda plain, source: _each(
            ((name, value, entry) for name, entry in _few(plain, source).items()), source
        )
    if origin is tuple:
        item = _reader(parts[0])
        return lambda plain, source: tuple(
            [item(entry, source) for entry in _checked(list, plain)[: source.most_items]]
        )
    others = {float: (int,), date: (datetime,)}.get(kind, ())
    return lambda plain, source: plain if type(plain) is kind else _checked(kind, plain, *others)


def _checked(kind: type, plain: Any, *others: type) -> Any:
    if type(plain) not in (kind, *others):
        raise ValueError(f"{plain!r:.60} is no {CALLED.get(kind, kind.__name__)}")
    return plain


def _chosen(choices: tuple[str, ...], plain: Any) -> Any:
    if plain not in choices:
        raise ValueError(f"{plain!r:.60} is none of {', '.join(choices)}")
    return plain


def _few(plain: Any, source: _Source) -> Any:
    items = _checked(dict, plain)
    if source.most_items is not None and len(items) > source.most_items:
        raise ValueError(f"{len(items)} items, where {source.most_items} are allowed")
    return items


def _text(plain: Any, source: _Source) -> Any:
    if type(plain) is not str:
        return _checked(str, plain)
    return (
        plain
        if source.most_text is None
        else ACTS.sub("\N{REPLACEMENT CHARACTER}", plain[: source.most_text])
    )


def _tensor(plain: Any, source: _Source) -> Any:
    key = _checked(dict, plain).get("tensor")
    if not isinstance(key, str) or key not in source.tensors:
        raise ValueError(f"there is no tensor {key!r:.60}")
    return source.tensors[key]


def _record_reader(kind: Any) -> _Reader:
    # A stand-in with the written fields alone: the types of the others may be known to type checkers only.
    defaults = _defaults(kind)
    types = {name: kind.__dataclass_fields__[name].type for name in defaults}
    written = type(kind.__name__, (), {"__module__": kind.__module__, "__annotations__": types})
    readers = {name: _reader(hint) for name, hint in get_type_hints(written).items()}

    def read(plain: Any, source: _Source) -> Any:
        for name in _checked(dict, plain).keys() - readers:
            raise ValueError(f"`{name:.60}` means nothing here; known are {', '.join(readers)}")
        for name, default in defaults.items():
            if default is MISSING and name not in plain:
                raise ValueError(f"`{name}` is missing")
        return kind(**_each(((name, readers[name], entry) for name, entry in plain.items()), source))

    return read


def _each(items: Iterable[tuple[str, _Reader, Any]], source: _Source) -> dict[str, Any]:
    values, name = {}, ""
    try:
        for name, reader, entry in items:
            values[name[: source.most_text]] = reader(entry, source)
    except ValueError as problem:
        raise ValueError(f"`{name:.60}`: {problem}") from None
    return values


def _union_reader(parts: tuple[Any, ...]) -> _Reader:
    has_none = NoneType in parts
    *others, last = [_reader(part) for part in parts if part is not NoneType]

    def read(plain: Any, source: _Source) -> Any:
        if plain is None and has_none:
            return None
        for reader in others:
            with suppress(ValueError):
                return reader(plain, source)
        return last(plain, source)

    return read
