"""The people of a class: read from a list, and found by what a learning platform calls them."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, tzinfo
from pathlib import Path

from dateutil import parser, tz

from autograder.classroom.tables import BadList, Lists, Table, read_list


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
    section: str = ""  # as the list names it; several stand in it as they stand there

    @property
    def name(self) -> str:
        """Their name as people write it, or their id."""
        return f"{self.first_name} {self.last_name}".strip() or self.id

    @property
    def who(self) -> str:
        """Their name and their id, which two people of one name do not share."""
        return f"{self.name} ({self.id})"


# A date in numbers, its year last: which of the others is the day, its dots say, or the rest of the list.
NUMBERS = re.compile(r"\b(\d{1,2})([./-]) ?(\d{1,2})\2 ?(?:\d{4}|\d{2})\b")
TIME_LIKE = "2026-03-01 22:24"


def read_people(path: Path, lists: Sequence[Lists], zone: tzinfo | None = None) -> list[Person]:
    """Return the people of a CSV file, whichever of some kinds of lists it is.

    Args:
        path: the file.
        lists: the kinds.
        zone: of times that name none; this machine's where it is None.

    Raises:
        BadList: the file cannot be read, names nobody, gives two people one id, or holds a time that may be
            another one.
    """
    by_id: dict[str, Person] = {}
    entries = [values for values in Table(read_list(path), lists, path).entries if values]
    day_first = _day_first([values.get("time", "") for values in entries], path)
    for values in entries:
        person = person_of(values)
        if person.id in by_id:
            both = f"{by_id[person.id].name} and {person.name}"
            raise BadList(f"{path}: {both} have one id, {person.id}. Nothing was changed.")
        time = _moment(values.get("time", ""), day_first, zone, person, path)
        by_id[person.id] = replace(person, time=time)
    if not by_id:
        raise BadList(f"{path} names nobody.")
    return list(by_id.values())


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
    chosen = next((name for name in [*known, whole, lms] if name), "")
    other = tuple(name for name in known if name and name != chosen)
    section = " ".join(values.get("section", "").split())
    return Person(safe_id(chosen), first, last, values.get("email", ""), lms, other=other, section=section)


def _day_first(times: Iterable[str], path: Path) -> bool:
    """Tell whether days stand before months in those dates of a list that are in numbers.

    Raises:
        BadList: nothing in the list says it, or some of it says one thing and some the other.
    """
    found = [match for time in times if (match := NUMBERS.search(time))]
    told = {True for one in found if one[2] == "." or int(one[1]) > 12}
    told |= {False for one in found if one[2] != "." and int(one[3]) > 12}
    if len(told) != 1 and any(one[1] != one[3] for one in found):
        unclear = f"“{found[0][0]}” may begin with its day or its month"
        raise BadList(f"{path}: {unclear}: write it as {TIME_LIKE}.")
    return told == {True}


def _moment(when: str, day_first: bool, zone: tzinfo | None, person: Person, path: Path) -> datetime | None:
    if when in ("", "-"):
        return None
    order = {"dayfirst": day_first} if NUMBERS.search(when) else {}
    try:
        with warnings.catch_warnings():
            # A zone that is not known would be left out.
            warnings.simplefilter("error", parser.UnknownTimezoneWarning)
            # What a text leaves out comes from the default: nothing of the day may.
            moment, other = (
                parser.parse(when, default=datetime(year, month, day), **order)
                for year, month, day in ((2000, 1, 1), (2004, 2, 2))
            )
    except (ValueError, OverflowError, parser.UnknownTimezoneWarning):
        moment, other = datetime.min, datetime.max
    if moment != other:
        what = f"“{when}”, the time of {person.name}"
        raise BadList(f"{path}: {what}, cannot be read as a time: write {TIME_LIKE}.")
    known: datetime = moment
    return known if known.tzinfo else known.replace(tzinfo=zone or tz.tzlocal())


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
        return {person.id for person in self.people.values() if number and person.lms_user_id == number}

    def called(self, labels: Sequence[str]) -> set[str]:
        """Who is called by the first of these that anybody is called by; several where it is not clear."""
        # The first is what stands around the others, which are more often a student's own words: these decide
        # no more than between two of one name.
        known = {**self._names, **self._ids}
        first = _first(known, labels)
        own = (found for label in labels if len(found := known.get(squashed(label), set()) & first) == 1)
        return next(own, None) or self._spelt(first, labels)

    def _spelt(self, several: set[str], labels: Sequence[str]) -> set[str]:
        """Return the one of several people whose name is spelt so, accents and all; else all of them."""
        spellings = {joined(label) for label in labels}
        exact = {
            student
            for student in several
            for person in [self.people[student]]
            if {
                joined(f"{person.first_name}{person.last_name}"),
                joined(f"{person.last_name}{person.first_name}"),
            }
            & spellings
        }
        return exact if len(exact) == 1 else several

    def find(self, person: Person) -> set[str]:
        """Who a person of another list is: by what is theirs alone, by the platform's number, by the name."""
        own = (person.id, person.email, *person.other)
        by_name = self._spelt(_first(self._names, [person.name]), [person.name])
        return _first(self._ids, own) or self.of_lms(person.lms_user_id) or by_name

    def merged(self, person: Person) -> Person:
        """Return a person of a new list as the roster is to have them: under their old id, if any."""
        old = self.people.get(person.id)
        if old is None:
            same = [
                known
                for known in self.people.values()
                if (person.email and known.email.lower() == person.email.lower())
                or (person.lms_user_id and known.lms_user_id == person.lms_user_id)
            ]
            old = same[0] if len(same) == 1 else None
        if old is None:
            return person
        new = {
            column.name: getattr(person, column.name) or getattr(old, column.name)
            for column in fields(Person)
        }
        return Person(**{**new, "id": old.id})


def _first(known: Mapping[str, set[str]], labels: Iterable[str]) -> set[str]:
    return next((found for label in labels if (found := known.get(squashed(label)))), set())


def joined(text: str) -> str:
    """Return a name without case, spaces and marks, its accents kept."""
    return "".join(char for char in unicodedata.normalize("NFC", text.casefold()) if char.isalnum())


def squashed(text: str) -> str:
    """Return a name without what platforms change in it: case, accents, spaces and marks."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if char.isalnum())
