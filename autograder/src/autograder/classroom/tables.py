"""Lists that learning platforms and spreadsheets export: what their columns say, and files like them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from autograder.records.problems import Refused

ENCODINGS = ("utf-8-sig", "utf-16", "cp1252")
# What a list can say of a student; one of the last four must be there.
KEYS = (
    "lms_user_id",
    "integration",
    "first_name",
    "last_name",
    "time",
    "section",
    "id",
    "email",
    "number",
    "full_name",
)
TELLING = frozenset(KEYS[-4:])
NAMES = ("first_name", "last_name", "full_name")
PREFACE = re.compile(r"(?:[ \t]*\r?\n|sep=.\r?\n)*", re.IGNORECASE)


class BadList(Refused):
    """A list of people cannot be used; says why, and what to do."""


@dataclass(frozen=True)
class Lists:
    """What a platform's lists are like; titles are in lower case."""

    # What they call each of `KEYS`: the first title that a list has counts.
    columns: Mapping[str, tuple[str, ...]]
    # Titles by which a list shows that it is this platform's own, and what others mean in it, first of all.
    marks: tuple[frozenset[str], ...] = ()
    own_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    no_people: tuple[str, ...] = ()  # what stands for a name in rows that are about nobody
    # Finds the columns by what is in them, where their titles are in a language that nobody wrote down here.
    by_content: Callable[[Sequence[Sequence[str]]], Mapping[str, int]] | None = None


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
        # Spreadsheets put empty lines, or the line `sep=;`, before the titles.
        self._before = PREFACE.match(text)[0]  # type: ignore[index]
        text = text[len(self._before) :]
        self._delimiter = max(",;\t", key=text.partition("\n")[0].count)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter))
        except csv.Error as problem:
            raise BadList(f"{name} cannot be read as a list: {problem}.") from None
        self._titles = rows[0] if rows else []
        self.header = [title.strip().lower() for title in self._titles]
        self.rows = [row + [""] * (len(self.header) - len(row)) for row in rows[1:]]
        columns = _columns(self.header, lists)
        if not TELLING & columns.keys():
            # Of titles in a language that nobody wrote down here, the section's may still be known.
            left = [place for place in range(len(self.header)) if place != columns.get("section")]
            found = _by_content([[row[place] for place in left] for row in self.rows], lists)
            of_section = {key: place for key, place in columns.items() if key == "section"}
            columns = of_section | {key: left[place] for key, place in found.items()}
        columns |= _names_before(columns, self.rows)
        if not TELLING & columns.keys():
            raise BadList(
                f"{name} has no column that says who a student is: `id`, `email` or `full name`. It has: "
                f"{', '.join(filter(None, self._titles)) or 'nothing'}."
            )
        nobody = {person_name for kind in lists for person_name in kind.no_people}
        entries = [{key: row[place].strip() for key, place in columns.items()} for row in self.rows]
        self.entries = [
            entry if _says_who(entry) and _whole_name(entry).lower() not in nobody else {}
            for entry in entries
        ]

    @property
    def text(self) -> str:
        """The list as a file."""
        made = io.StringIO()
        table = csv.writer(made, delimiter=self._delimiter, lineterminator="\n")
        table.writerows([self._titles, *self.rows])
        return self._before + made.getvalue()


def number_in(text: str) -> float | None:
    """Return the number in a cell, whichever sign stands before its decimals; None where there is none.

    Of two different signs the last one stands before the decimals: `1.000,50` and `1,000.50` are equal.
    """
    digits = text.strip()
    if not re.fullmatch(r"[\d.,]*\d", digits):
        return None
    last = max(digits.rfind("."), digits.rfind(","))
    whole, decimals = (digits[:last], digits[last + 1 :]) if last >= 0 else (digits, "")
    return float(f"{re.sub('[.,]', '', whole) or 0}.{decimals or 0}")


def _says_who(entry: Mapping[str, str]) -> bool:
    return any(said for key, said in entry.items() if key != "section")


def _whole_name(entry: Mapping[str, str]) -> str:
    return entry.get("full_name") or ", ".join(filter(None, map(entry.get, ("last_name", "first_name"))))


def _by_content(rows: Sequence[Sequence[str]], lists: Sequence[Lists]) -> Mapping[str, int]:
    found = (kind.by_content(rows) for kind in lists if kind.by_content and rows)
    return next(filter(None, found), {})


def _names_before(columns: Mapping[str, int], rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the columns of names before a known address, where nobody wrote down their titles here."""
    if "email" not in columns or columns.keys() & {*NAMES}:
        return {}
    left = [place for place in range(columns["email"]) if place not in columns.values()]
    words = [place for place in left if not any(re.search(r"[\d@]", row[place]) for row in rows)]
    words = [place for place in words if any(row[place].strip() for row in rows)]
    return dict(zip({1: NAMES[2:], 2: NAMES[:2]}.get(len(words), ()), words, strict=False))


def _columns(header: Sequence[str], lists: Sequence[Lists]) -> dict[str, int]:
    """Return the places of the columns that a list has, by `KEYS`; each column counts once."""
    own = [kind.own_columns for kind in lists if any(marks <= set(header) for marks in kind.marks)]
    meanings = [*own, *(kind.columns for kind in lists)]
    places_of: dict[str, int] = {}
    for key in KEYS:
        titles = (title for meaning in meanings for title in meaning.get(key, ()))
        places = (header.index(title) for title in titles if title in header)
        place = next((position for position in places if position not in places_of.values()), None)
        if place is not None:
            places_of[key] = place
    return places_of
