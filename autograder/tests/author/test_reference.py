"""The reference of what authors write: made from the classes, and complete."""

from __future__ import annotations

import runpy
from dataclasses import dataclass, field
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MADE = runpy.run_path(str(DOCS / "make_reference.py"))


@dataclass
class Described:
    """A class with a field of each kind."""

    name: str  # what it is called
    # How many there are,
    # in all.
    number: int = 3
    # What authors say besides.
    parts: tuple[str, ...] = ()  # its parts
    words: dict[str, str] = field(default_factory=dict, metadata={})  # by name
    # What the build puts there.
    built: int = 0  # nobody's


@dataclass
class Silent:
    """A class with a field of which nothing is said."""

    name: str  # what it is called
    number: int = 3


def test_the_reference_is_what_the_classes_say():
    assert (DOCS / "reference.md").read_text(encoding="utf-8") == MADE["reference"]()


def test_a_stale_reference_is_told_and_stays(tmp_path, capsys, monkeypatch):
    stale = tmp_path / "reference.md"
    stale.write_text("old", encoding="utf-8")
    monkeypatch.setitem(MADE["main"].__globals__, "FILE", stale)
    assert MADE["main"](["--check"]) == 1
    assert "reference.md is stale" in capsys.readouterr().err
    assert stale.read_text(encoding="utf-8") == "old"
    assert (MADE["main"]([]), MADE["main"](["--check"])) == (0, 0)


def test_each_field_is_told_with_its_type_its_default_and_the_comment_beside_it():
    assert list(MADE["fields"](Described)) == [
        ("name", "`str`", "must be given", "what it is called"),
        ("number", "`int`", "`3`", "How many there are, in all."),
        ("parts", "`tuple[str, ...]`", "`()`", "its parts"),
        ("words", "`dict[str, str]`", "`{}`", "by name"),
    ]


def test_a_field_of_which_nothing_is_said_is_refused():
    with pytest.raises(ValueError, match=r"Silent\.number: nothing says what it is"):
        list(MADE["fields"](Silent))
