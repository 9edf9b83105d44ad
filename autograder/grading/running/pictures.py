"""Pictures that a notebook only describes, so that a class's equal pictures are drawn once.

Drawing takes ten times as long as all else in a notebook. So in the sandbox a figure function whose arguments
are plain data hands out a `Told` in place of a `Picture`, and sends its recipe: its name and a copy
of the arguments. Later each recipe is drawn in a fork of its own, which never saw a submission, and the
grader keeps the result under the recipe's digest (see `gallery.py`). No notebook can reach what another one
described: recipes leave a fork, and nothing comes back into one.

Only a picture that nobody looks into is told. Whoever asks for its figure, its text or its bytes draws it on
the spot, as in a kernel.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import pkgutil
import struct
import sys
import warnings
from collections.abc import Callable, Collection, Mapping
from types import CodeType, TracebackType
from typing import Any

import numpy as np
import torch

from autograder.grading.running.gallery import MOST_TOLD, TOLD_MIME, digest
from visuals import figures
from visuals.arrays import is_placeholder
from visuals.picture import Picture

MOST_RECIPE_BYTES = 4_000_000

_LENGTH = struct.Struct(">I")
_drawers: dict[str, Callable[..., Any]] = {}
_wrapper_code: set[CodeType] = set()


class NotPlain(Exception):
    """An argument that no recipe can hold."""


class Teller:
    """What the figure functions of one notebook do: describe a picture, or draw it.

    Args:
        send: takes a recipe.
        most: how many pictures may be described.
        drawn_here: digests of recipes that are to be drawn all the same.
    """

    def __init__(
        self, send: Callable[[bytes], None], most: int = MOST_TOLD, drawn_here: Collection[str] = ()
    ) -> None:
        self._send = send
        self._most = most
        self._drawn_here = frozenset(drawn_here)
        self._told: set[str] = set()

    def picture(self, name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> Told | None:
        """A described picture; None where it has to be drawn."""
        if any(is_placeholder(value) for value in (*args, *named.values())):
            return None
        try:
            recipe = write(name, args, named)
        except NotPlain:
            return None
        key = digest(recipe)
        if key in self._drawn_here:
            return None
        if key not in self._told:
            if len(self._told) >= self._most or len(recipe) > MOST_RECIPE_BYTES:
                return None
            self._told.add(key)
            self._send(recipe)
        return Told(recipe, key)


class Told(Picture):
    """A picture that was described and is not drawn yet; it draws itself when someone looks into it."""

    def __init__(self, recipe: bytes, key: str) -> None:
        self._recipe = recipe
        self._key = key
        self._displayed = False

    def __getattr__(self, name: str) -> Any:
        # Displaying asks for a dozen methods that a picture does not have; that is no look into it.
        if name.startswith(("__", "_repr_", "_ipython_")) or "_recipe" not in self.__dict__:
            raise AttributeError(f"'Picture' object has no attribute {name!r}")
        self.__dict__.update(read(self.__dict__.pop("_recipe"))().__dict__)
        if self._displayed:
            super()._repr_mimebundle_()  # what was displayed stays as it was, whatever is changed now
        return getattr(self, name)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        if "_recipe" in self.__dict__:
            self._displayed = True
            return {TOLD_MIME: self._key, "text/plain": self._key}, {}
        return super()._repr_mimebundle_(include, exclude)


for _attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
    setattr(Told, _attribute, getattr(Picture, _attribute))

_teller: Teller | None = None


def tell(teller: Teller) -> None:
    """From now on, have this process's figure functions describe their pictures."""
    global _teller
    _teller = teller


def install() -> None:
    """Put a function that can tell in place of every figure function, wherever it was imported to.

    Nothing changes until `tell` is called.
    """
    for module in pkgutil.iter_modules(figures.__path__, f"{figures.__name__}."):
        for name, found in vars(importlib.import_module(module.name)).copy().items():
            # A figure function is public, stands in its own module and says that it returns a Picture.
            if name.startswith("_") or getattr(found, "__module__", "") != module.name or not callable(found):
                continue
            if getattr(found, "__annotations__", {}).get("return") == "Picture":
                _replace(found, _telling(found))


def _telling(draw: Callable[..., Any]) -> Callable[..., Any]:
    _drawers[draw.__name__] = draw

    @functools.wraps(draw)
    def told_or_drawn(*args: Any, **named: Any) -> Any:
        told = _teller.picture(draw.__name__, args, named) if _teller is not None else None
        return draw(*args, **named) if told is None else told

    _wrapper_code.add(told_or_drawn.__code__)  # type: ignore[attr-defined]
    return told_or_drawn


def _replace(old: Any, new: Any) -> None:
    for name, module in list(sys.modules.items()):
        if name == "visuals" or name.startswith("visuals."):
            for own, value in list(vars(module).items()):
                if value is old:
                    setattr(module, own, new)


def without_wrappers(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the calls that went through this module, as a kernel would show it."""
    while trace is not None and trace.tb_frame.f_code in _wrapper_code:
        trace = trace.tb_next
    step = trace
    while step is not None:
        while step.tb_next is not None and step.tb_next.tb_frame.f_code in _wrapper_code:
            step.tb_next = step.tb_next.tb_next
        step = step.tb_next
    return trace


def draw(recipe: bytes) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The data and the metadata of a picture's output; None where a notebook has to draw it itself.

    That is where drawing raises or says something: both belong into the cell that asked for the picture.
    """
    said = io.StringIO()
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(record=True) as caught,
    ):
        try:
            picture = read(recipe)()
            bundle: Any = picture._repr_mimebundle_()
        except Exception:
            return None
    if caught or said.getvalue() or not isinstance(picture, Picture):
        return None
    data, metadata = bundle
    return data, metadata


# Recipes: a function's name and its arguments as JSON, with the numbers of tensors and arrays behind it.


def write(name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> bytes:
    """The recipe of a call.

    Raises:
        NotPlain: an argument is not made of numbers, text, lists, tensors and arrays.
    """
    numbers: list[bytes] = []
    plain = {"draw": name, "args": _plain(args, numbers), "named": _plain(dict(named), numbers)}
    head = json.dumps(plain, separators=(",", ":")).encode()
    return b"".join([_LENGTH.pack(len(head)), head, *numbers])


def read(recipe: bytes) -> Callable[[], Any]:
    """The call that a recipe describes.

    Raises:
        ValueError, KeyError, TypeError: it is no recipe.
    """
    (length,) = _LENGTH.unpack_from(recipe)
    start = _LENGTH.size + length
    plain = json.loads(recipe[_LENGTH.size : start])
    numbers = io.BytesIO(recipe[start:])
    args, named = _value(plain["args"], numbers), _value(plain["named"], numbers)
    return functools.partial(_drawers[plain["draw"]], *args, **named)


def _plain(value: Any, numbers: list[bytes]) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (list, tuple):
        return {kind.__name__: [_plain(entry, numbers) for entry in value]}
    if kind is dict and all(type(key) is str for key in value):
        return {"dict": {key: _plain(entry, numbers) for key, entry in value.items()}}
    if kind in (torch.Tensor, torch.nn.Parameter) and value.layout is torch.strided:
        try:
            return {"tensor": _array(value.detach().cpu().resolve_conj().resolve_neg().numpy(), numbers)}
        except (TypeError, RuntimeError):  # a dtype that numpy does not have, or no data
            raise NotPlain from None
    if kind is np.ndarray and value.dtype.kind in "biuf":
        return {"array": _array(value, numbers)}
    raise NotPlain


def _array(array: np.ndarray, numbers: list[bytes]) -> list[Any]:
    if array.nbytes > MOST_RECIPE_BYTES:
        raise NotPlain
    numbers.append(array.tobytes())
    return [array.dtype.str, list(array.shape)]


def _value(plain: Any, numbers: io.BytesIO) -> Any:
    match plain:
        case {"list": entries}:
            return [_value(entry, numbers) for entry in entries]
        case {"tuple": entries}:
            return tuple(_value(entry, numbers) for entry in entries)
        case {"dict": entries}:
            return {key: _value(entry, numbers) for key, entry in entries.items()}
        case {"tensor": header}:
            return torch.from_numpy(_filled(header, numbers))
        case {"array": header}:
            return _filled(header, numbers)
    return plain


def _filled(header: list[Any], numbers: io.BytesIO) -> np.ndarray:
    dtype, shape = np.dtype(header[0]), tuple(header[1])
    size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(numbers.read(size), dtype).reshape(shape).copy()
