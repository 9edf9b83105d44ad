"""Records as JSON and tensors, and back: banks, evidence, progress, and what grading found.

A record is a dataclass. In JSON it is an object of the fields that differ from their defaults, and the types
of the fields say how they are read: records, `Mapping`, `tuple`, `Literal`, unions, plain values and `Any`. A
tensor is put aside under the path at which it stands. Nothing is ever made but what the types name, since the
text may be a stranger's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import lru_cache
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from torch import Tensor as Tensor
else:

    class Tensor:
        """Stands for torch's in the types of fields, so that a record's module need not load torch."""


# The metadata of a field that is not written, since authors alone have a use for it.
UNSTORED = MappingProxyType({"stored": False})
# What readers raise on data of another form.
OTHER_FORM = (ValueError, KeyError, TypeError, AttributeError)
NO_TENSORS: Mapping[str, Tensor] = MappingProxyType({})

Record = TypeVar("Record")


def encode(record: object) -> tuple[Any, dict[str, Tensor]]:
    """Return a record as JSON-ready data, and the tensors that it names."""
    tensors: dict[str, Tensor] = {}
    return _plain(record, "", tensors), tensors


def decode(
    kind: type[Record],
    plain: Any,
    tensors: Mapping[str, Tensor] = NO_TENSORS,
    most_text: int | None = None,
    most_items: int | None = None,
) -> Record:
    """Return the record that `encode` wrote.

    Args:
        kind: the record's class.
        plain: the data.
        tensors: the tensors that it names.
        most_text: characters of a text that are kept; all if None.
        most_items: items of a tuple that are kept; all if None.

    Raises:
        ValueError: the data is of another form.
    """
    try:
        wanted: Any = kind
        record: Record = _reader(wanted)(plain, _Source(tensors, most_text, most_items))
    except OTHER_FORM as problem:
        raise ValueError(f"no {kind.__name__} in the expected form: {problem!r:.200}") from problem
    return record


@dataclass(frozen=True)
class _Source:
    tensors: Mapping[str, Tensor]
    most_text: int | None
    most_items: int | None


_Reader = Callable[[Any, _Source], Any]


def _plain(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {name: _plain(one, f"{path}/{name}", tensors) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one, f"{path}/{place}", tensors) for place, one in enumerate(value)]
    kind: Any = type(value)
    if is_dataclass(value):
        defaults = _defaults(kind)
        plain = {name: _plain(getattr(value, name), f"{path}/{name}", tensors) for name in defaults}
        return {name: one for name, one in plain.items() if one != defaults[name]}
    tensors[path[1:]] = value.detach().contiguous().clone()
    return {"tensor": path[1:]}


@lru_cache(maxsize=64)
def _defaults(kind: type) -> dict[str, Any]:
    """Return the fields that are written, with their defaults as JSON; `MISSING` where there is none."""
    found = {}
    for one in fields(kind):
        if one.metadata.get("stored", True):
            default = one.default if one.default_factory is MISSING else one.default_factory()
            found[one.name] = MISSING if default is MISSING else _plain(default, "", {})
    return found


@lru_cache(maxsize=256)
def _reader(kind: Any) -> _Reader:
    """Return what reads values of a type; made once, since a bank holds thousands of them."""
    parts, origin = get_args(kind), get_origin(kind)
    if kind is Any:
        return lambda plain, source: plain
    if kind is Tensor:
        return lambda plain, source: source.tensors[plain["tensor"]]
    if is_dataclass(kind):
        return _record_reader(kind)
    if origin in (Union, UnionType):
        return _union_reader(parts)
    if origin is Mapping:
        return _mapping_reader(*map(_reader, parts))
    if origin is tuple:
        return _tuple_reader(parts)
    if origin is Literal:
        return _choice_reader(parts)
    return _value_reader(kind)


def _record_reader(kind: Any) -> _Reader:
    # A stand-in with the written fields alone: the types of the others may be known to type checkers only.
    types = {name: kind.__dataclass_fields__[name].type for name in _defaults(kind)}
    written = type(kind.__name__, (), {"__module__": kind.__module__, "__annotations__": types})
    readers = {name: _reader(one) for name, one in get_type_hints(written).items()}
    return lambda plain, source: kind(**{name: readers[name](one, source) for name, one in plain.items()})


def _mapping_reader(key: _Reader, value: _Reader) -> _Reader:
    return lambda plain, source: {key(name, source): value(one, source) for name, one in plain.items()}


def _tuple_reader(parts: tuple[Any, ...]) -> _Reader:
    readers = [_reader(part) for part in parts if part is not Ellipsis]
    first = readers[0]

    def read(plain: Any, source: _Source) -> Any:
        if type(plain) is not list:
            raise ValueError(f"{type(plain).__name__} where a list should stand")
        if len(readers) < len(parts):
            return tuple([first(one, source) for one in plain[: source.most_items]])
        return tuple([reader(one, source) for reader, one in zip(readers, plain, strict=True)])

    return read


def _union_reader(parts: tuple[Any, ...]) -> _Reader:
    # None first: of any other value, it says least why it does not fit.
    readers = [_reader(part) for part in sorted(parts, key=lambda part: part is not NoneType)]

    def read(plain: Any, source: _Source) -> Any:
        for reader in readers[:-1]:
            with suppress(*OTHER_FORM):
                return reader(plain, source)
        return readers[-1](plain, source)

    return read


def _choice_reader(choices: tuple[Any, ...]) -> _Reader:
    def read(plain: Any, source: _Source) -> Any:
        if plain not in choices:
            raise ValueError(f"{plain!r:.100} is none of {choices}")
        return plain

    return read


def _value_reader(kind: type) -> _Reader:
    kinds = (int, float) if kind is float else (kind,)

    def read(plain: Any, source: _Source) -> Any:
        if type(plain) not in kinds:
            raise ValueError(f"{type(plain).__name__} where {kind.__name__} should stand")
        return plain[: source.most_text] if kind is str else plain

    return read
