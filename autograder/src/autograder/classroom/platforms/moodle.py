"""Moodle: its archives, its lists of participants, its grading worksheet, its upload of feedback files."""

from __future__ import annotations

import re
from dataclasses import replace

from autograder.classroom.export import Merged, Scores, merged
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.classroom.tables import BadList, Lists, Table

# The folder, with what follows it in the name where there are no folders. Before Moodle 4.1 it ends in `_`.
NAME = re.compile(
    r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)
GRADE, MOST = "grade", "maximum grade"
LISTS = Lists(
    {
        "id": ("username",),
        "number": ("id number", "idnumber"),
        "first_name": ("first name",),
        "last_name": ("last name", "surname"),
        "full_name": ("full name",),
        "email": ("email address",),
        "lms_user_id": ("identifier",),
        "time": ("last modified (submission)",),
    }
)


def read_name(part: str, is_file: bool, plain: HandedFile) -> HandedFile | None:
    """Return what Moodle says in the name of a student's folder, or of a file where it makes no folders."""
    match = NAME.fullmatch(part)
    if match is None:
        return None
    folder = f"{match['name']}_{match['user']}_assignsubmission_{match['kind']}"
    return replace(
        plain,
        lms="moodle",
        user=match["user"],
        labels=tuple(_without_groups(match["name"])),
        folder=f"{folder}_" if is_file or part.endswith("_") else folder,
        file=(match["file"] if is_file else "") or plain.file,
    )


def _without_groups(name: str) -> list[str]:
    """Return a name, and what remains without a group that stands before it: `Group 1-Jane Doe`."""
    parts = name.split("-")
    return ["-".join(parts[place:]) for place in range(len(parts))]


def fill(known: Scores, table: Table, lesson: str) -> Merged:
    """Fill the grades of a grading worksheet, on the scale that Moodle has for the lesson.

    Raises:
        BadList: it is no grading worksheet, or the lesson is not graded.
    """
    if GRADE not in table.header:
        raise BadList(
            "There is no column `Grade`: this is no grading worksheet. In Moodle, choose “Offline grading "
            "worksheet” in the assignment's settings, then download it from its list of submissions."
        )
    if lesson not in known.possible:
        raise BadList(f"Nothing of {lesson} is graded yet.")
    place = table.header.index(GRADE)

    def fill_row(row: list[str], student: str) -> bool:
        score = known.scores.get((student, lesson))
        if score is None:
            return False
        most = row[table.header.index(MOST)] if MOST in table.header else ""
        scale = float(most.replace(",", ".")) / known.possible[lesson] if most.strip() else 1.0
        row[place] = f"{score * scale:.2f}"
        return True

    return merged(known, table, fill_row, [lesson])


MOODLE = Platform(
    "moodle",
    "Moodle",
    LISTS,
    read_name,
    lambda _student, handed, lesson: f"{handed.folder}/{lesson}.html",
    fill,
    of_one_lesson=True,
)
