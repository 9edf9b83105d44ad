"""Read Canvas's archives of submissions, fill its gradebook export, and name feedback files for upload."""

from __future__ import annotations

import re
from dataclasses import replace

from autograder.classroom.csv_tables import Lists, Table
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.classroom.score_export import Merged, Scores, fill_columns

# Of a file, and of a text or a link in its place (`get_filename` in Canvas' content_zipper.rb).
NAME = re.compile(
    r"(?P<name>.+?)_(?:(?P<late>LATE)_)?(?P<user>\d+)_(?:(?P<file_id>\d+)_(?P<file>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
MAXIMA = "points possible"  # what stands in the place of a name in the row of what can be earned
EXCUSED = "EX"  # what stands in the place of a score that is not asked of a student
ANONYMOUS = re.compile(r"(?:LATE_)?anon_\w+?_(?:LATE_)?(?:\d+_.+|text\.html|link\.html)", re.DOTALL)
LISTS = Lists(
    {
        "id": ("sis login id",),
        "number": ("sis user id",),
        "integration": ("integration id",),
        "full_name": ("student",),
        "first_name": ("firstname",),
        "last_name": ("lastname",),
        "lms_user_id": ("canvas id",),
        "section": ("section",),
    },
    # Of a gradebook, and of the list of a group set (“Download Course Roster CSV”).
    marks=(
        frozenset({"student", "id", "section"}),
        frozenset({"lastname", "firstname", "id", "section"}),
        frozenset({"canvas_user_id", "group_name"}),
    ),
    own_columns={
        "id": ("login_id",),
        "number": ("user_id",),
        "full_name": ("name",),
        "lms_user_id": ("canvas_user_id", "id"),
        "section": ("sections",),
        "group": ("group_name",),
    },
    no_people=(MAXIMA, "student, test"),
)


def read_name(part: str, is_file: bool, plain: HandedFile) -> HandedFile | None:
    """Return the owner of a file that Canvas has named; None if the name is not Canvas's.

    Canvas makes no folders, and names a zip file like any other file.

    Args:
        part: the first part of the file's path in the archive.
        is_file: whether that part is the file's own name rather than a folder's.
        plain: the file, with nothing known about its owner.
    """
    if ANONYMOUS.fullmatch(part):
        return replace(plain, lms="canvas", anonymous=True)
    match = NAME.fullmatch(part) if is_file or part.endswith(".zip") else None
    if match is None:
        return None
    return replace(
        plain,
        lms="canvas",
        user=match["user"],
        labels=(match["name"],),
        by_name=True,
        folder=part.removesuffix(match["file"] or ""),
        file=(match["file"] if is_file else "") or plain.file,
        late=bool(match["late"]),
        rank=(int(match["file_id"] or 0),),
    )


def fill(class_scores: Scores, table: Table, lesson: str, scale: bool = False) -> Merged:
    """Fill the columns of a gradebook export that have the names of lessons.

    Args:
        class_scores: the scores of the class.
        table: the export.
        lesson: the only lesson to fill in; "" for all.
        scale: whether to scale scores to a column's maximum.

    Raises:
        BadList: there is no such column, or its maximum is not a number.
        OtherMaximum: the maximum of every such column is not ours, and `scale` is false.
    """
    possible = next((row for row in table.rows if row[0].strip().lower() == MAXIMA), [""] * len(table.header))
    columns = {
        column: (re.sub(r"\s*\(\d+\)$", "", name), possible[column])
        for column, name in enumerate(table.header)
    }
    return fill_columns(class_scores, table, columns, lesson, scale, "an assignment", "Canvas", EXCUSED)


CANVAS = Platform(
    "canvas",
    "Canvas",
    LISTS,
    read_name,
    lambda _student, handed, lesson: f"{handed.folder}{lesson}.html",
    fill,
    numbers_listed=True,
    marks_late=True,
)
