"""Read the people of a class from a list, and find them by the names that learning platforms use."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, tzinfo
from pathlib import Path

from dateutil import parser, tz

from autograder.classroom.csv_tables import BadList, Lists, Table, read_list


@dataclass(frozen=True)
class Person:
    """A student, with the ids and names in the gradebook."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""
    time: datetime | None = None  # the time of submission, if the list has it
    other: tuple[str, ...] = ()  # other identifiers, such as a number of the university's or a login
    section: str = ""  # as in the list, which may name several
    group: str = ""  # the name of the group that submits together
    whole_name: bool = False  # whether the list does not say which part is the last name

    @property
    def name(self) -> str:
        """The student's full name, or the id if no name is known."""
        return f"{self.first_name} {self.last_name}".strip() or self.id

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The identifiers of this student alone: the id, the email address, a university number, a login."""
        return (self.id, self.email, *self.other)

    @property
    def spellings(self) -> tuple[str, str]:
        """The full name with the first name first, and with the last name first; platforms use both."""
        return f"{self.first_name}{self.last_name}", f"{self.last_name}{self.first_name}"

    @property
    def who(self) -> str:
        """The name with the id, since two students may have the same name."""
        return f"{self.name} ({self.id})"


# A date in numbers, its year last: which of the others is the day, its dots say, or the rest of the list.
NUMBERS = re.compile(r"\b(\d{1,2})([./-]) ?(\d{1,2})\2 ?(?:\d{4}|\d{2})\b")
TIME_LIKE = "2026-03-01 22:24"
# A zone's name before an offset: with it, the parser turns the offset's sign round, as POSIX does.
ZONE_BEFORE_OFFSET = re.compile(
    r"(?:\b(?:GMT|UTC)|(?:(?<=:\d\d )|(?<=[AP]M ))[A-Z]{3,5}) ?(?=[+-]\d)", re.IGNORECASE
)


def read_people(path: Path, lists: Sequence[Lists], zone: tzinfo | None = None) -> list[Person]:
    """Return the people in a CSV file.

    Args:
        path: the file.
        lists: the kinds of lists that it may be.
        zone: the time zone of times that state none; None for this machine's.

    Raises:
        BadList: the file cannot be read, names nobody, gives two people the same id, or contains an ambiguous
            time.
    """
    by_id: dict[str, Person] = {}
    entries = [values for values in Table(read_list(path).text, lists, path).entries if values]
    day_first = _day_first([values.get("time", "") for values in entries], path)
    for values in entries:
        person = person_of(values)
        if not person.id:
            raise BadList(
                f"{path}: {person.name or 'a row'} has no id, address or name that a folder can have."
            )
        person = replace(person, time=_moment(values.get("time", ""), day_first, zone, person, path))
        other = by_id.get(person.id)
        by_id[person.id] = _joined_rows(other, person, path) if other else person
    if not by_id:
        raise BadList(f"{path} names nobody.")
    return list(by_id.values())


def _joined_rows(first: Person, second: Person, path: Path) -> Person:
    """Return the person of two rows: somebody in two sections, or who answered twice, whose last time counts.

    Raises:
        BadList: the rows are about two people.
    """
    same = (normalize_name(first.name), first.email.lower()) == (
        normalize_name(second.name),
        second.email.lower(),
    )
    if not same or {first.lms_user_id, second.lms_user_id} - {"", first.lms_user_id or second.lms_user_id}:
        both = f"{first.name} and {second.name}"
        raise BadList(f"{path}: {both} have one id, {first.id}. Nothing was changed.")
    sections = dict.fromkeys(filter(None, (first.section, second.section)))
    times = [person.time for person in (first, second) if person.time]
    return replace(
        first,
        section=" and ".join(sections),
        time=max(times, default=None),
        other=tuple(dict.fromkeys((*first.other, *second.other))),
    )


def person_of(values: Mapping[str, str]) -> Person:
    """Return the student whom a row of a list describes.

    Args:
        values: the row's values by the names in `csv_tables.KEYS`.
    """
    first, last = values.get("first_name", ""), values.get("last_name", "")
    whole = values.get("full_name", "")
    guessed = bool(whole) and not (first or last) and "," not in whole
    if whole and not (first or last):
        if "," in whole:
            last, _, first = (part.strip() for part in whole.partition(","))
        else:
            first, _, last = (part.strip() for part in whole.rpartition(" "))
    identifiers = [values.get(key, "") for key in ("id", "number", "integration", "email")]
    lms = re.sub(r"\D", "", values.get("lms_user_id", "")) or values.get("lms_user_id", "")
    chosen = next((name for name in [*identifiers, whole, f"{first} {last}".strip(), lms] if name), "")
    folder = safe_id(chosen)
    other = tuple(dict.fromkeys(name for name in identifiers if name and name != folder))
    section = " ".join(values.get("section", "").split())
    names = folder, first, last, values.get("email", ""), lms
    group = values.get("group", "")
    return Person(*names, other=other, section=section, group=group, whole_name=guessed)


def _day_first(times: Iterable[str], path: Path) -> bool:
    """Tell whether days stand before months in those dates of a list that are in numbers.

    Raises:
        BadList: nothing in the list says it, or some of it says one thing and some the other.
    """
    dates = [match for time in times if (match := NUMBERS.search(time))]
    day_first = {True for match in dates if match[2] == "." or int(match[1]) > 12}
    day_first |= {False for match in dates if match[2] != "." and int(match[3]) > 12}
    if len(day_first) != 1 and any(match[1] != match[3] for match in dates):
        unclear = f"“{dates[0][0]}” may begin with its day or its month"
        raise BadList(f"{path}: {unclear}: write it as {TIME_LIKE}.")
    return day_first == {True}


def _moment(when: str, day_first: bool, zone: tzinfo | None, person: Person, path: Path) -> datetime | None:
    if when in ("", "-"):
        return None
    plain = ZONE_BEFORE_OFFSET.sub("", when)
    order = {"dayfirst": day_first} if NUMBERS.search(when) else {}
    try:
        with warnings.catch_warnings():
            # A zone that is not known would be left out.
            warnings.simplefilter("error", parser.UnknownTimezoneWarning)
            # What a text leaves out comes from the default: nothing of the day may.
            moment, other = (
                parser.parse(plain, default=datetime(year, month, day), **order)
                for year, month, day in ((2000, 1, 1), (2004, 2, 2))
            )
    except (ValueError, OverflowError, parser.UnknownTimezoneWarning):
        moment, other = datetime.min, datetime.max
    if moment != other:
        what = f"“{when}”, the time of {person.name}"
        raise BadList(f"{path}: {what}, cannot be read as a time: write {TIME_LIKE}.")
    known_time: datetime = moment
    return known_time if known_time.tzinfo else known_time.replace(tzinfo=zone or tz.tzlocal())


def safe_id(text: str) -> str:
    """Return an id that can name a folder: nbgrader keeps each student's work in one."""
    letters = (char if char.isalnum() or char in "_.@-" or _is_mark(char) else " " for char in text)
    return "-".join("".join(letters).split()).strip("-.")


class Roster:
    """The people of a class, who can be found by identifiers, names, or parts of file names.

    An exact identifier (id, number, email address) counts more than a part of one: the text before the @ of
    an address, or an id whose punctuation a platform changed. A part counts more than a name, which two
    people may share, unless it is a part only without its punctuation: then it may be either.
    """

    def __init__(self, people: Iterable[Person]) -> None:
        self.people = {person.id: person for person in people}
        self._exact: dict[str, set[str]] = {}
        self._locals: dict[str, set[str]] = {}
        self._parts: dict[str, set[str]] = {}
        self._names: dict[str, set[str]] = {}
        self._groups: dict[str, set[str]] = {}
        for person in self.people.values():
            if group := normalize_name(person.group):
                self._groups.setdefault(group, set()).add(person.id)
            for key in filter(None, person.identifiers):
                self._exact.setdefault(normalize_identifier(key), set()).add(person.id)
                self._parts.setdefault(normalize_name(key), set()).add(person.id)
            if local := person.email.partition("@")[0]:
                self._locals.setdefault(normalize_identifier(local), set()).add(person.id)
                self._parts.setdefault(normalize_name(local), set()).add(person.id)
            for name in filter(None, map(normalize_name, person.spellings)):
                self._names.setdefault(name, set()).add(person.id)

    def of_lms(self, number: str) -> set[str]:
        """Return the ids of the people with this number on the learning platform."""
        return {person.id for person in self.people.values() if number and person.lms_user_id == number}

    def id_of(self, identifier: str) -> str:
        """Return the id of the one student who has an identifier; the identifier itself if it is no one's."""
        owners = self._exact.get(normalize_identifier(identifier), set())
        return identifier if identifier in self.people or len(owners) != 1 else min(owners)

    def group(self, labels: Iterable[str]) -> set[str]:
        """Return the ids of the people in the first group whose name is one of the labels."""
        keys = filter(None, map(normalize_name, labels))
        return next((people for key in keys if (people := self._groups.get(key))), set())

    def called(self, labels: Sequence[str], by_name: bool = False) -> set[str]:
        """Return the ids of the people whom labels name, several if it is not clear who is meant.

        Args:
            labels: parts of a file's path or name. The first that names anybody decides; the others only
                choose between people with the same name.
            by_name: whether they are full names. A login that reads like one is no identifier then.
        """
        # The first is what stands around the others, which are more often a student's own words: these decide
        # no more than between two of one name.
        named = [self._named(label, by_name) for label in labels]
        first = next(filter(None, named), set())
        matches = (shared for people in named if len(shared := people & first) == 1)
        return next(matches, None) or self._spelt(first, labels)

    def _named(self, label: str, by_name: bool) -> set[str]:
        """Return the people of one label: by an exact identifier, else by a part of one, else by name.

        A full name names people by their names first. Without its punctuation, a part of an identifier may be
        somebody else's name: several people are returned then, and of a full name only those without one.
        """
        name, identifier = normalize_name(label), normalize_identifier(label)
        named, parts = (table.get(name, set()) if name else set() for table in (self._names, self._parts))
        exact = self._exact.get(identifier, set())
        if by_name or len(label.split()) > 1:
            nameless = {student for student in parts if self.people[student].name == student}
            return (named or exact if by_name else exact or named) or nameless
        return exact or self._locals.get(identifier, set()) or named | parts

    def _spelt(self, several: set[str], labels: Sequence[str]) -> set[str]:
        """Return the one of several people whose name is spelt so, accents and all; else all of them."""
        spellings = {exact_name(label) for label in labels}
        exact = {
            student
            for student in several
            if spellings.intersection(map(exact_name, self.people[student].spellings))
        }
        return exact if len(exact) == 1 else several

    def find(self, person: Person) -> set[str]:
        """Return the ids of the people who may be a person of another list.

        They are found by identifier, or else by platform number, or else by name.
        """
        keys = [key for key in person.identifiers if key]
        exact = (people for key in keys if (people := self._exact.get(normalize_identifier(key))))
        # A row without an identifier got one made from its name, which says no more than the name.
        from_name = safe_id(person.name), safe_id(f"{person.last_name} {person.first_name}")
        parts = (people for key in keys if key not in from_name and (people := self._named(key, False)))
        by_name = self._spelt(self._names.get(normalize_name(person.name), set()), [person.name])
        return next(exact, None) or self.of_lms(person.lms_user_id) or next(parts, None) or by_name

    def same(self, person: Person) -> Person | None:
        """Return the student who is certainly a person of another list: by identifier or platform number.

        Returns:
            The student, or None if nobody shares an identifier or platform number with that person.

        Raises:
            BadList: two people of the roster share identifiers with that person.
        """
        keys = [normalize_identifier(key) for key in person.identifiers if key]
        people = set().union(*(self._exact.get(key, set()) for key in keys))
        if person.id in self.people and len(people) > 1:
            others = sorted(people - {person.id})
            owners = " and ".join(others)
            raise BadList(f"{person.who} of the list has identifiers of {owners}, too. Nothing was changed.")
        people = people or self.of_lms(person.lms_user_id)
        return self.people[people.pop()] if len(people) == 1 else None

    def merged(self, person: Person) -> Person:
        """Return a person of a new list with the id and the identifiers that the roster already has for them.

        Raises:
            BadList: two people of the roster share identifiers with that person.
        """
        old = self.same(person)
        if old is None:
            return person
        new = {
            column.name: getattr(person, column.name) or getattr(old, column.name)
            for column in fields(Person)
        }
        if person.whole_name and exact_name(person.name) == exact_name(old.name):
            new |= {"first_name": old.first_name, "last_name": old.last_name}
        identifiers = dict.fromkeys(filter(None, (*old.other, person.id, *person.other)))
        other = tuple(key for key in identifiers if key not in (old.id, new["email"]))
        return Person(**{**new, "id": old.id, "other": other})


def normalize_identifier(text: str) -> str:
    """Return an identifier in lower case, without surrounding spaces. All else may distinguish people."""
    return unicodedata.normalize("NFC", text.strip().casefold())


def exact_name(text: str) -> str:
    """Return a name without case, spaces and punctuation, but with its accents and vowel signs."""
    plain = unicodedata.normalize("NFC", text.casefold())
    return "".join(char for char in plain if char.isalnum() or _is_mark(char))


def normalize_name(text: str) -> str:
    """Return a name without its case, spaces, punctuation and Latin accents, which platforms change.

    Marks of other scripts stay: without its vowel signs, an Indic name may become another name.
    """
    letters: list[str] = []
    latin = False
    for char in unicodedata.normalize("NFKD", text.casefold()):
        if char.isalnum():
            latin = unicodedata.name(char, "").startswith("LATIN")
            letters.append(char)
        elif _is_mark(char) and not latin:
            letters.append(char)
    return "".join(letters)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")
