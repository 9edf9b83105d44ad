"""Lists that learning platforms and spreadsheets export: what their columns say, and files like them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from autograder.records.problems import Refused

ENCODINGS = ("utf-8-sig", "utf-16", "cp1252")
# What a list can say of a student; one of the last four must be there.
KEYS = ("lms_user_id", "integration", "first_name", "last_name", "time", "id", "email", "number", "full_name")
TELLING = frozenset(KEYS[-4:])


class BadList(Refused):
    """A list of people cannot be used; says why, and what to do."""


@dataclass(frozen=True)
class Lists:
    """What a platform's lists are like; titles are in lower case."""

    # What they call each of `KEYS`: the first title that a list has counts.
    columns: Mapping[str, tuple[str, ...]]
    # Titles by which a list shows that it is this platform's own, and what others mean in it, first of all.
    marks: frozenset[str] = frozenset()
    own_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    no_people: tuple[str, ...] = ()  # what stands for a name in rows that are about nobody


def read_list(path: Path) -> str:
    """Return the text of a list, in whatever encoding a platform or a spreadsheet wrote it.

    Raises:
        BadList: it cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise BadList(f"{path} cannot be read: {problem.strerror}.") from problem
    # Excel writes UTF-16 with a mark in front; without it, almost any text would pass as UTF-16.
    order = ENCODINGS if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ENCODINGS[::2]
    for encoding in order:
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    raise BadList(f"{path} is no text file. Export the list as CSV.")


class Table:
    """A list as it was exported.

    Attributes:
        header: what its columns are called, in lower case.
        rows: what stands below; every row has a cell for each column.
        entries: what each row says of a student, by `KEYS`; nothing where it is about none.

    Raises:
        BadList: no column says who a student is; `name` is what the message calls the list.
    """

    def __init__(self, text: str, lists: Sequence[Lists], name: object = "The file") -> None:
        first = next((line for line in text.splitlines() if line.strip()), "")
        self._delimiter = max(",;\t", key=first.count)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter))
        self._titles = rows[0] if rows else []
        self.header = [title.strip().lower() for title in self._titles]
        self.rows = [row + [""] * (len(self.header) - len(row)) for row in rows[1:]]
        columns = _columns(self.header, lists)
        if not TELLING & columns.keys():
            raise BadList(
                f"{name} has no column that says who a student is: `id`, `email` or `full name`. It has: "
                f"{', '.join(filter(None, self._titles)) or 'nothing'}."
            )
        nobody = {person_name for kind in lists for person_name in kind.no_people}
        entries = [{key: row[place].strip() for key, place in columns.items()} for row in self.rows]
        self.entries = [
            entry if any(entry.values()) and entry.get("full_name", "").lower() not in nobody else {}
            for entry in entries
        ]

    @property
    def text(self) -> str:
        """The list as a file."""
        made = io.StringIO()
        table = csv.writer(made, delimiter=self._delimiter, lineterminator="\n")
        table.writerows([self._titles, *self.rows])
        return made.getvalue()


def _columns(header: Sequence[str], lists: Sequence[Lists]) -> dict[str, int]:
    """Return the places of the columns that a list has, by `KEYS`; each column counts once."""
    own = [kind.own_columns for kind in lists if kind.marks <= set(header)]
    meanings = [*own, *(kind.columns for kind in lists)]
    places_of: dict[str, int] = {}
    for key in KEYS:
        titles = (title for meaning in meanings for title in meaning.get(key, ()))
        places = (header.index(title) for title in titles if title in header)
        place = next((position for position in places if position not in places_of.values()), None)
        if place is not None:
            places_of[key] = place
    return places_of
