"""Pieces of work for a kept process, which imports them by name: what misbehaves, each in its way."""

import os


def spin() -> None:
    while True:
        pass


def fill() -> int:
    return len([bytes(1_000_000) for _ in range(1_000)])


def dig(levels: int = 10**6) -> int:
    return dig(levels - 1) + 1


def leave() -> None:
    os._exit(0)


def unlike_any() -> object:
    return lambda: None


def fail() -> None:
    raise ValueError("as elsewhere")
