"""Read the names in Brightspace's archives of submissions, and fill its export of grades."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from autograder.classroom.csv_tables import Lists, Table
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.classroom.score_export import Merged, Scores, fill_columns

# A submission's folder, `40123-55871 - Jane Doe - Mar 1, 2026 1024 PM`, or what stands before a file's name.
NAME = re.compile(
    r"(?P<user>\d+)-\d+ ?- (?P<name>.+?) ?- ?"
    r"(?P<time>\w{3,9} \d{1,2}, \d{4} \d{3,4} [AP]M)(?: - (?P<file>.+))?",
    re.DOTALL,
)
# The same with a time in the words and the order of another country, of which only the year is certain.
OTHER_NAME = re.compile(
    r"(?P<user>\d+)-\d+ ?- (?P<name>.+?) - (?P<time>(?:(?! - ).)*\d{4}(?:(?! - ).)*)(?: - (?P<file>.+))?",
    re.DOTALL,
)

# The title of a grade item's points, in lower case. Brightspace imports it as it exports it:
# https://community.d2l.com/brightspace/kb/articles/3538-importing-grades
GRADE_ITEM = re.compile(r"(?P<name>.+) points grade(?: <numeric maxpoints:(?P<maximum>[\d.,]+).*>)?")
LISTS = Lists(
    {
        "id": ("orgdefinedid",),
        "number": ("username",),
        "first_name": ("first name",),
        "last_name": ("last name",),
        "email": ("email",),
    }
)


def read_name(part: str, is_file: bool, plain: HandedFile) -> HandedFile | None:
    """Return the owner and time in a folder's or file's name; None if Brightspace did not give the name.

    Args:
        part: the first part of the file's path in the archive.
        is_file: whether that part is the file's own name rather than a folder's.
        plain: the file, with nothing known about its owner.
    """
    match = NAME.fullmatch(part) or OTHER_NAME.fullmatch(part)
    if match is None:
        return None
    time = _moment(match["time"])
    return replace(
        plain,
        lms="brightspace",
        user=match["user"],
        labels=(match["name"],),
        by_name=True,
        folder=part.removesuffix(match["file"] or ""),
        file=(match["file"] if is_file else "") or plain.file,
        rank=(int(f"{time:%Y%m%d%H%M}") if time else 0,),
        time=time,
        unread_time="" if time else match["time"],
    )


def _moment(time: str) -> datetime | None:
    """Return a time such as `Mar 1, 2026 1024 PM`; None in another form or another language's words."""
    try:
        day, _, clock = time.rpartition(", ")
        year, hour, half = clock.split(" ")
        return datetime.strptime(
            f"{day[:3]} {day.split(' ')[1]} {year} {hour:0>4} {half}", "%b %d %Y %I%M %p"
        )
    except ValueError:
        return None


def fill(class_scores: Scores, table: Table, lesson: str, scale: bool = False) -> Merged:
    """Fill the grade items of an export of grades that have the names of lessons, like Canvas's columns."""
    titles = {column: GRADE_ITEM.fullmatch(title) for column, title in enumerate(table.header)}
    columns = {column: (item["name"], item["maximum"] or "") for column, item in titles.items() if item}
    return fill_columns(class_scores, table, columns, lesson, scale, "a grade item", "Brightspace")


BRIGHTSPACE = Platform(
    "brightspace",
    "Brightspace",
    LISTS,
    read_name,
    lambda student, _handed, lesson: f"{student}/{lesson}.html",
    fill,
    knows_pages=False,
)
