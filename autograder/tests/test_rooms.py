"""The rooms of the package: what each says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import autograder

PACKAGE = Path(autograder.__file__).parent
# What a new course starts from is no part of the package's own.
FILES = [path for path in PACKAGE.rglob("*.py") if "template" not in path.relative_to(PACKAGE).parts]
ROOMS = sorted({path.parent for path in FILES} - {PACKAGE})


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.relative_to(PACKAGE).as_posix())
def test_a_room_says_what_belongs_there_and_what_does_not(room):
    text = (room / "__init__.py").read_text(encoding="utf-8")
    first, _, rest = text.removeprefix('"""').partition('"""')[0].partition("\n\n")
    assert first.endswith(".")
    assert rest.strip().endswith(".")
