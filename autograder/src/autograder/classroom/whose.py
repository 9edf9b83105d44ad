"""Find the owners of a file in an archive, from the platform, the roster and the instructor's options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from autograder.classroom.class_roster import Roster, normalize_identifier, normalize_name
from autograder.classroom.collection import Placed, Request
from autograder.classroom.file_names import handed_in_by_name
from autograder.classroom.platforms.protocol import HandedFile
from autograder.words.phrases import listed


def owners_of(request: Request, lesson: str, entry: HandedFile) -> list[set[str]]:
    """Return the students who may have submitted a file: for each person a set, of one student if clear.

    Args:
        request: the request, with the roster and the instructor's `who` options.
        lesson: the lesson's name.
        entry: the file.

    Returns:
        A set of student ids for each person of a group, or for the one person.
    """
    if ids := stated(request, entry):
        return [{student} for student in ids.split(",")]
    if entry.together:
        return [request.roster.called(labels) for labels in entry.together]
    students = _one_person(request, lesson, entry)
    names = entry.labels
    if not entry.lms:  # what stands beside the lesson in a file's or a repository's name may be a group's
        parts = (
            guess.label for guess in entry.guesses if normalize_name(guess.prefix) == normalize_name(lesson)
        )
        names = (*names, *handed_in_by_name(entry.file, lesson), *parts)
    group = request.roster.group(names)
    if group and not (students and _bears_name(request, entry, students)):
        return [{student} for student in sorted(group)]
    return [students]


def stated(request: Request, entry: HandedFile) -> str:
    """Return the ids of a file's owners as the instructor stated them; "" where nobody did."""
    names = (entry.user, entry.folder, entry.path, entry.file, *entry.labels[:1])
    return next((request.who[name] for name in names if name and name in request.who), "")


def _one_person(request: Request, lesson: str, entry: HandedFile) -> set[str]:
    """Return the students who may have handed it in, where it is the work of one."""
    if entry.user:
        listed = [time for time in request.times or () if time.lms_user_id == entry.user]
        if listed:
            people = request.roster.find(listed[0])
            if len(people) == 1:
                return people
    platform = request.platforms.get(entry.lms)
    if platform and platform.numbers_listed and (people := request.roster.of_lms(entry.user)):
        return people
    guessed = _guessed(request, entry)
    if entry.lms:  # what the file is called says nothing then
        people = request.roster.called(entry.labels, entry.by_name) or guessed
        # Moodle's numbers are new in each assignment: one decides only between people of the file's name.
        return (people & request.roster.of_lms(entry.user)) or people
    # A folder says more than the name of a file in it, which is its student's own choice.
    if guessed and not request.roster.called(entry.path.split("/")[:-1]):
        return guessed
    return request.roster.called((*entry.labels, *handed_in_by_name(entry.file, lesson)))


def by_leading_identifier(roster: Roster, entry: HandedFile) -> list[set[str]]:
    """Return the owners of a file whose name starts with an identifier or a group's name, and `_`.

    The result is empty if a platform has named the file. One identifier may be the beginning of another, so
    the caller uses the result only if other files of the archive are named in the same way.
    """
    if entry.lms:
        return []
    parts = [normalize_identifier(part) for part in entry.path.split("/")]
    identified = {
        (key, person.id)
        for person in roster.people.values()
        for key in map(normalize_identifier, (*person.identifiers, person.group))
        if key and any(part.startswith(f"{key}_") for part in parts)
    }
    longest = max((len(key) for key, _ in identified), default=0)
    keys = {key for key, _ in identified if len(key) == longest}
    students = {student for key, student in identified if key in keys}
    if len(keys) == 1 and students == roster.group(keys):
        return [{student} for student in sorted(students)]
    return [students] if len(students) == 1 else []


def is_unmistakable(roster: Roster, entry: HandedFile, people: Sequence[set[str]]) -> bool:
    """Tell whether a file's name begins with an identifier of its owners that cannot be an ordinary word.

    Args:
        roster: the class's roster.
        entry: the file.
        people: the possible students for each owner, as `owners_of` returns them.
    """
    start = normalize_identifier(entry.path)
    keys = {key for students in people for student in students for key in roster.people[student].identifiers}
    return any(
        start.startswith(f"{normalize_identifier(key)}_")
        and ("@" in key or (re.search(r"\d", key) and re.search(r"[^\W\d_]", key)))
        for key in keys
    )


def _bears_name(request: Request, entry: HandedFile, students: set[str]) -> bool:
    """Tell whether a platform's name for somebody has to do with the name of one of these students."""
    labels = [normalize_name(label) for label in entry.labels]
    people = [request.roster.people[student] for student in students]
    names = [normalize_name(name) for person in people for name in (person.first_name, person.last_name)]
    names_known = {normalize_name(key) for person in people for key in person.identifiers}
    return any(label in names_known or any(name and name in label for name in names) for label in labels)


def name_of_nobody(request: Request, entry: HandedFile, people: Sequence[set[str]]) -> str:
    """Return a note on a file with a student's platform number but another name, such as a group's; or "".

    Args:
        request: the request, with the roster and the platforms.
        entry: the file.
        people: the possible students for each owner, as `owners_of` returns them.
    """
    platform = request.platforms.get(entry.lms)
    by_number = platform is not None and platform.numbers_listed and entry.user not in request.who
    if not by_number or len(people) != 1 or _bears_name(request, entry, people[0]):
        return ""
    (student,) = people[0]
    person = request.roster.people[student]
    if not (person.first_name or person.last_name):
        return ""
    return (
        f"{entry.path} has the number of {person.who}, and no name of theirs. If a group handed it in: "
        f"`autograder roster` takes the platform's list of groups, or --who {entry.user}={student},OTHERS. "
        f"If it is theirs alone: --who {entry.user}={student}"
    )


def _guessed(request: Request, entry: HandedFile) -> set[str]:
    """Return the people of a part of a name, where something else bears out that the rest is none of theirs.

    That is a number in it, a section of the class or a lesson that is called so, or other files with the same
    prefix.
    """
    roster = request.roster
    sections = {normalize_name(person.section) for person in roster.people.values() if person.section}
    lessons = set(map(normalize_name, request.lessons))
    borne_out = [
        guess
        for guess in entry.guesses
        if guess.shared
        or normalize_name(guess.prefix) in lessons
        or (not guess.by_all and (re.search(r"\d", guess.prefix) or normalize_name(guess.prefix) in sections))
    ]
    return next(
        (people for guess in borne_out if (people := roster.called([guess.label], entry.by_name))), set()
    )


def contradicts(asked: Request, placed: Placed) -> str:
    """Return the students whom a file's own name states, if none is the owner that the platform states."""
    entry = placed.entry
    if not entry.lms:
        return ""
    parts = [part.rpartition(".")[0] or part for part in entry.file.split("/")]
    words = [*parts, *handed_in_by_name(entry.file, placed.lesson), *re.split(r"[_ ]", entry.file)]
    others = asked.roster.called(words)
    return listed(sorted(others)) if others and placed.student not in others else ""


def unclear(request: Request, entry: HandedFile, people: Sequence[set[str]]) -> str:
    """Return the reason why a file cannot be matched to a student, and the option that does it.

    Args:
        request: the request, with the roster.
        entry: the file.
        people: the possible students for each owner, as `owners_of` returns them.
    """
    called = shlex.quote(entry.user or entry.folder or entry.path)
    if entry.together:
        whom = [min(students) if len(students) == 1 else "STUDENT" for students in people]
        unknown = [
            labels[-1] for labels, students in zip(entry.together, people, strict=True) if len(students) != 1
        ]
        return (
            f"of its group, {listed(unknown)} cannot be told in the roster: --who {called}={','.join(whom)}"
        )
    (students,) = people
    solution = f"--who {called}=STUDENT"
    if students:
        name = request.roster.people[min(students)].name
        return f"{len(students)} students are called {name} ({listed(sorted(students))}): {solution}"
    if entry.anonymous:
        return (
            "it was handed in anonymously; switch that off on the platform (Moodle: reveal student "
            f"identities) and download it again, or {solution}"
        )
    name = f" {entry.labels[0]}" if entry.lms and entry.labels else " that"
    return f"nobody in the roster is called{name}: {solution}"
