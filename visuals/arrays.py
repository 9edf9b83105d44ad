"""Turns what a learner passes (tensor, array, list) into a float array, or says what is wrong with it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np


def is_placeholder(value: Any, optional: bool = False) -> bool:
    """Tell whether a value is the course's `...` (or None, unless that is optional), alone or in a list."""
    if value is None or value is Ellipsis:
        return value is Ellipsis or not optional
    return isinstance(value, list | tuple) and any(is_placeholder(entry, optional) for entry in value)


def to_array(value: Any, name: str) -> np.ndarray:
    """Return a float64 copy of a tensor, an array or a nested list of numbers, of any shape.

    Gradients, devices and dtypes that numpy does not know (bfloat16) are left behind.

    Raises TypeError when the value does not hold numbers, ValueError when its rows differ in length.
    """
    if hasattr(value, "detach"):
        # .double() first: numpy has no bfloat16, and a picture needs no more than the values.
        return np.array(value.detach().cpu().double().numpy())
    if isinstance(value, list | tuple) and any(hasattr(entry, "detach") for entry in value):
        value = [to_array(entry, name) for entry in value]
    try:
        return np.array(value, dtype=np.float64)
    except TypeError as error:
        raise TypeError(
            f"{name} must be a tensor, an array or a list of numbers, not {type(value).__name__}."
        ) from error
    except ValueError as error:
        if isinstance(value, str):
            raise TypeError(f"{name} must be a tensor, an array or a list of numbers, not str.") from error
        raise ValueError(f"{name} must hold numbers in rows of the same length.") from error


def with_axes(value: Any, name: str, axes: Sequence[str]) -> np.ndarray:
    """`to_array`, and exactly the named axes, none of them empty.

    Raises ValueError naming the axes it needs and the shape it got; and what `to_array` raises.
    """
    array = to_array(value, name)
    wanted = f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
    if array.ndim != len(axes):
        plural = "axis" if len(axes) == 1 else "axes"
        raise ValueError(f"{name} needs {len(axes)} {plural} {wanted}; its shape is {array.shape}.")
    for axis, size in zip(axes, array.shape, strict=True):
        if size == 0:
            raise ValueError(f"{name} is empty: its axis {axis!r} has size 0, its shape is {array.shape}.")
    return array


def token_names(tokens: Any, count: int, name: str, axis: str) -> list[str]:
    """Return the tokens as strings, one for each of the `count` entries along an axis.

    Raises TypeError for one string in place of a list, ValueError when the count differs.
    """
    if isinstance(tokens, str):
        raise TypeError(
            f"tokens must be a list of strings, one per token; for one sentence pass {tokens!r}.split()."
        )
    names = [str(token).replace("\n", "\\n") for token in tokens]
    if len(names) != count:
        raise ValueError(f"{len(names)} tokens do not fit: {name} has size {count} along its axis {axis!r}.")
    return names


def token_index(query: Any, count: int) -> int:
    """Return the query's position as an index from 0; negative positions count from the end, as in Python.

    Raises TypeError when it is no whole number, ValueError when there is no such token.
    """
    try:
        index = operator.index(query)
    except TypeError as error:
        raise TypeError(f"query must be the position of a token, a whole number, not {query!r}.") from error
    if not -count <= index < count:
        raise ValueError(f"query {index} is no token: there are {count}, numbered 0 to {count - 1}.")
    return index % count


def listed(values: Any, digits: int = 6) -> Any:
    """Return an array as nested lists for an explorer's module, to so many significant digits.

    JSON has no NaN and no infinities: those are the words that JavaScript's `Number` reads.
    """
    if isinstance(values, list):
        return [listed(value, digits) for value in values]
    if hasattr(values, "tolist"):
        return listed(values.tolist(), digits)
    if np.isfinite(values):
        return float(f"{values:.{digits}g}")
    return "NaN" if np.isnan(values) else "Infinity" if values > 0 else "-Infinity"
