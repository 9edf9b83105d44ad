"""Read Canvas's archives of submissions, fill its gradebook export, and name feedback files for upload."""

from __future__ import annotations

import re
from dataclasses import replace

from autograder.classroom.class_roster import normalize_name
from autograder.classroom.csv_tables import BadList, Lists, Table
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.classroom.score_export import Merged, Scores, factor, merged
from autograder.grading.unscaled_scores import OtherMaximum
from autograder.words.phrases import listed

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
    wanted = [name for name in class_scores.lessons if lesson in ("", name)]
    if not wanted:
        raise BadList(f"Nothing{f' of {lesson}' if lesson else ''} is graded yet.")
    columns = {
        column: lesson_name
        for column, name in enumerate(table.header)
        for lesson_name in wanted
        if normalize_name(re.sub(r"\s*\(\d+\)$", "", name)) == normalize_name(lesson_name)
    }
    if not columns:
        raise BadList(
            f"No column is called as a lesson that is graded: {', '.join(wanted)}. Make "
            "an assignment of that name in Canvas, export the gradebook again, and use that file."
        )

    possible = next((row for row in table.rows if row[0].strip().lower() == MAXIMA), [""] * len(table.header))
    factors: dict[int, float] = {}
    problems: list[BadList | OtherMaximum] = []
    for column, name in columns.items():
        try:
            factors[column] = factor(class_scores, name, possible[column], scale)
        except (BadList, OtherMaximum) as problem:
            problems.append(problem)
    if not factors:
        raise problems[0]

    def fill_row(row: list[str], student: str) -> tuple[bool, str]:
        scores = {column: class_scores.scores.get((student, columns[column])) for column in factors}
        scored = {column: score for column, score in scores.items() if score is not None}
        excused = [column for column in scored if row[column].strip().upper() == EXCUSED]
        for filled_column in scored.keys() - set(excused):
            row[filled_column] = f"{round(scored[filled_column] * factors[filled_column], 2):g}"
        why_not = f"{listed([columns[column] for column in excused])} is excused (EX)" if excused else ""
        return len(scored) > len(excused), why_not

    filled = merged(class_scores, table, fill_row, [columns[column] for column in factors])
    graded = {name for _, name in class_scores.scores}
    left_out = [name for name in wanted if name in graded - {*columns.values()}]
    return replace(filled, left_out=left_out, kept_back=[str(problem) for problem in problems])


CANVAS = Platform(
    "canvas",
    "Canvas",
    LISTS,
    read_name,
    lambda _student, handed, lesson: f"{handed.folder}{lesson}.html",
    fill,
    numbers_listed=True,
)
