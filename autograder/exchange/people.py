"""The people of a class: read from a platform's list, and found by what the platform calls them."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path

from dateutil import parser, tz

from autograder.problems import Refused

# What lists call each thing, in lower case: nbgrader's own, Canvas' gradebook, Moodle's participants and
# grading worksheets. The first one that a list has counts.
COLUMNS = {
    "id": ("id", "student_id", "student id", "username", "login", "sis login id", "user name"),
    "number": ("sis user id", "id number", "idnumber", "matriculation number"),
    "integration": ("integration id",),
    "first_name": ("first_name", "first name", "given name"),
    "last_name": ("last_name", "last name", "surname", "family name"),
    "full_name": ("full name", "name", "student"),
    "email": ("email", "email address", "e-mail", "e-mail address"),
    "lms_user_id": ("lms_user_id", "identifier", "canvas id"),
    "time": ("time", "timestamp", "submitted", "last modified (submission)"),
}
# Canvas' gradebook: its `ID` is Canvas' own number, and these are no people.
CANVAS = {"student", "id", "section"}
NO_PEOPLE = ("points possible", "student, test")
ENCODINGS = ("utf-8-sig", "utf-16", "cp1252")


class BadList(Refused):
    """A list of people cannot be used; says why, and what to do."""


@dataclass(frozen=True)
class Person:
    """A student, as the gradebook knows them."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""
    time: datetime | None = None  # when they handed something in, where the list says so
    other: tuple[str, ...] = ()  # what else they are called: a number of the university's, a login

    @property
    def name(self) -> str:
        """Their name as people write it, or their id."""
        return f"{self.first_name} {self.last_name}".strip() or self.id

    @property
    def who(self) -> str:
        """Their name and their id, which two people of one name do not share."""
        return f"{self.name} ({self.id})"


def read_people(path: Path) -> list[Person]:
    """Return the people of a CSV file from Canvas, Moodle, nbgrader or a spreadsheet.

    Raises:
        BadList: the file cannot be read, names nobody, or gives two people one id.
    """
    by_id: dict[str, Person] = {}
    for values in filter(None, Table(read_list(path), path).said):
        person = person_of(values)
        if person.id in by_id:
            both = f"{by_id[person.id].name} and {person.name}"
            raise BadList(f"{path}: {both} have one id, {person.id}. Nothing was changed.")
        by_id[person.id] = replace(person, time=_moment(values.get("time", ""), person, path))
    if not by_id:
        raise BadList(f"{path} names nobody.")
    return list(by_id.values())


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
    """A list as a platform exported it.

    Attributes:
        header: what its columns are called, in lower case.
        rows: what stands below; every row has a cell for each column.
        said: what each row says of a student, by the keys of `COLUMNS`; nothing where it is about none.

    Raises:
        BadList: no column says who a student is; `name` is what the message calls the list.
    """

    def __init__(self, text: str, name: object = "The file") -> None:
        first = next((line for line in text.splitlines() if line.strip()), "")
        self._delimiter = max(",;\t", key=first.count)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter))
        self._titles = rows[0] if rows else []
        self.header = [title.strip().lower() for title in self._titles]
        self.rows = [row + [""] * (len(self.header) - len(row)) for row in rows[1:]]
        canvas = set(self.header) >= CANVAS
        names = {**COLUMNS, "id": COLUMNS["id"][1:], "lms_user_id": ("id",)} if canvas else COLUMNS
        columns = {
            key: self.header.index(found)
            for key, known in names.items()
            if (found := next((one for one in known if one in self.header), None))
        }
        if not {"id", "email", "number", "full_name"} & columns.keys():
            raise BadList(
                f"{name} has no column that says who a student is: `id`, `email` or `full name`. It has: "
                f"{', '.join(filter(None, self._titles)) or 'nothing'}."
            )
        said = [{key: row[place].strip() for key, place in columns.items()} for row in self.rows]
        self.said = [
            one if any(one.values()) and one.get("full_name", "").lower() not in NO_PEOPLE else {}
            for one in said
        ]

    @property
    def text(self) -> str:
        """The list as a file."""
        made = io.StringIO()
        table = csv.writer(made, delimiter=self._delimiter, lineterminator="\n")
        table.writerows([self._titles, *self.rows])
        return made.getvalue()


def person_of(values: Mapping[str, str]) -> Person:
    """Return the student of whom a row says these values."""
    first, last = values.get("first_name", ""), values.get("last_name", "")
    whole = values.get("full_name", "")
    if whole and not (first or last):
        if "," in whole:
            last, _, first = (part.strip() for part in whole.partition(","))
        else:
            first, _, last = (part.strip() for part in whole.rpartition(" "))
    known = [values.get(key, "") for key in ("id", "number", "integration", "email")]
    lms = re.sub(r"\D", "", values.get("lms_user_id", "")) or values.get("lms_user_id", "")
    chosen = next((one for one in [*known, whole, lms] if one), "")
    other = tuple(one for one in known if one and one != chosen)
    return Person(safe_id(chosen), first, last, values.get("email", ""), lms, other=other)


def _moment(when: str, person: Person, path: Path) -> datetime | None:
    if when in ("", "-"):
        return None
    try:
        moment: datetime = parser.parse(when)
    except (ValueError, OverflowError):
        raise BadList(f"{path}: “{when}”, the time of {person.name}, cannot be read as a time.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=tz.tzlocal())


def safe_id(text: str) -> str:
    """Return an id that may be a folder's name: nbgrader keeps each student's work in one."""
    return re.sub(r"[^\w.@-]+", "-", text).strip("-.")


class Roster:
    """Finds people by what a learning platform, or a file's name, calls them."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.people = {person.id: person for person in people}
        # An id says for certain who is meant; a name may be that of two people.
        self._ids: dict[str, set[str]] = {}
        self._names: dict[str, set[str]] = {}
        for person in self.people.values():
            local = person.email.partition("@")[0]
            for key in (person.id, person.email, local, *person.other):
                if key:
                    self._ids.setdefault(squashed(key), set()).add(person.id)
            for name in (f"{person.first_name}{person.last_name}", f"{person.last_name}{person.first_name}"):
                if name:
                    self._names.setdefault(squashed(name), set()).add(person.id)

    def of_lms(self, number: str) -> set[str]:
        """Who has a number of the platform's."""
        return {one.id for one in self.people.values() if number and one.lms_user_id == number}

    def called(self, labels: Sequence[str]) -> set[str]:
        """Who is called by the first of these that anybody is called by; several where it is not clear."""
        return _first(self._ids, labels) or _first(self._names, labels)

    def find(self, person: Person) -> set[str]:
        """Who a person of another list is: by what is theirs alone, by the platform's number, by the name."""
        own = (person.id, person.email, *person.other)
        return _first(self._ids, own) or self.of_lms(person.lms_user_id) or _first(self._names, [person.name])

    def merged(self, person: Person) -> Person:
        """Return a person of a new list as the roster is to have them: under their old id, if any."""
        old = self.people.get(person.id)
        if old is None:
            same = [
                one
                for one in self.people.values()
                if (person.email and one.email.lower() == person.email.lower())
                or (person.lms_user_id and one.lms_user_id == person.lms_user_id)
            ]
            old = same[0] if len(same) == 1 else None
        if old is None:
            return person
        new = {one.name: getattr(person, one.name) or getattr(old, one.name) for one in fields(Person)}
        return Person(**{**new, "id": old.id})


def _first(known: Mapping[str, set[str]], labels: Iterable[str]) -> set[str]:
    return next((found for label in labels if (found := known.get(squashed(label)))), set())


def squashed(text: str) -> str:
    """Return a name without what platforms change in it: case, accents, spaces and marks."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if char.isalnum())


def name_suffixes(name: str) -> list[str]:
    """Return a name, and what remains without a group that Moodle writes: `Group 1-Jane Doe`."""
    parts = name.split("-")
    return ["-".join(parts[place:]) for place in range(len(parts))]
