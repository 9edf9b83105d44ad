"""Canvas: its archives of submissions, its gradebook, its upload of files that were sent back."""

from __future__ import annotations

import re
from dataclasses import replace

from autograder.classroom.class_roster import normalize_name
from autograder.classroom.csv_tables import BadList, Lists, Table
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.classroom.score_export import Merged, Scores, factor, merged

# Of a file, and of a text or a link in its place (`get_filename` in Canvas' content_zipper.rb).
NAME = re.compile(
    r"(?P<name>.+?)_(?:(?P<late>LATE)_)?(?P<user>\d+)_(?:(?P<file_id>\d+)_(?P<file>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
MAXIMA = "points possible"  # what stands in the place of a name in the row of what can be earned
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
    marks=(frozenset({"student", "id", "section"}), frozenset({"lastname", "firstname", "id", "section"})),
    own_columns={"lms_user_id": ("id",)},
    no_people=(MAXIMA, "student, test"),
)


def read_name(part: str, is_file: bool, plain: HandedFile) -> HandedFile | None:
    """Return what Canvas says in a file's name; it makes no folders, and a zip is named as a file."""
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
        folder=part.removesuffix(match["file"] or ""),
        file=(match["file"] if is_file else "") or plain.file,
        late=bool(match["late"]),
        rank=(int(match["file_id"] or 0),),
    )


def fill(known: Scores, table: Table, lesson: str, scale: bool = False) -> Merged:
    """Fill the columns of a gradebook that are called as our lessons are.

    Raises:
        BadList: there is no such column.
        OtherMaximum: its maximum is another one than ours, and nobody asked to scale.
    """
    columns = {
        place: lesson_name
        for place, name in enumerate(table.header)
        for lesson_name in known.lessons
        if normalize_name(re.sub(r"\s*\(\d+\)$", "", name)) == normalize_name(lesson_name)
    }
    if not columns:
        raise BadList(
            f"No column is called as a lesson that is graded: {', '.join(known.lessons) or 'none is'}. Make "
            "an assignment of that name in Canvas, export the gradebook again, and use that file."
        )

    possible = next((row for row in table.rows if row[0].strip().lower() == MAXIMA), [""] * len(table.header))
    factors = {place: factor(known, name, possible[place], scale) for place, name in columns.items()}

    def fill_row(row: list[str], student: str) -> bool:
        scores = {place: known.scores.get((student, name)) for place, name in columns.items()}
        for place, score in scores.items():
            if score is not None:
                row[place] = f"{round(score * factors[place], 2):g}"
        return any(score is not None for score in scores.values())

    filled = merged(known, table, fill_row, list(columns.values()))
    graded = {name for _, name in known.scores}
    return replace(filled, left_out=[name for name in known.lessons if name in graded - {*columns.values()}])


CANVAS = Platform(
    "canvas",
    "Canvas",
    LISTS,
    read_name,
    lambda _student, handed, lesson: f"{handed.folder}{lesson}.html",
    fill,
    numbers_listed=True,
)
