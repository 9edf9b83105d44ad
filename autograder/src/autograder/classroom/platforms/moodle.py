"""Read Moodle's archives, lists of participants and grading worksheets, and name its feedback files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autograder.classroom.csv_tables import BadList, Lists, Table, number_in
from autograder.classroom.platforms.protocol import Guess, HandedFile, Platform
from autograder.classroom.score_export import Merged, Scores, factor, merged
from autograder.grading.unscaled_scores import OtherMaximum

# The folder, with what follows it in the name where there are no folders. Before Moodle 4.1 it ends in `_`.
NAME = re.compile(
    r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)
GRADE, MOST = "grade", "maximum grade"
# “No” as an answer to “Grade can be changed”, the column after the highest grade, in Moodle's language packs.
LOCKED = frozenset(
    ("no", "nein", "non", "não", "nee", "nej", "nei", "ei", "nie", "ne", "nem", "нет", "否", "না", "नहीं")
)
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
# What its worksheets call everybody: the language's word for a participant, and a number. Most language packs
# write no space between them: “Teilnehmer/in801”, “Participante801” ($string['hiddenuser'] of mod_assign).
PARTICIPANT = re.compile(r"(\D*[^\W\d_]\D*?) ?(\d+)")


def by_form(rows: Sequence[Sequence[str]]) -> Mapping[str, int]:
    """Return the columns of a grading worksheet, recognised by its column of the highest grade."""
    address = _addresses(rows)
    if address is None or not _are_participants(rows):
        return {}
    after = zip(*(row[address + 1 :] for row in rows), strict=False)
    has_maximum = any(len(set(cells)) == 1 and number_in(cells[0]) for cells in after)
    return _worksheet(address) if has_maximum else {}


def by_content(rows: Sequence[Sequence[str]]) -> Mapping[str, int]:
    """Return the columns of a list in a language other than English, by Moodle's fixed order of columns.

    In a worksheet: participant, full name, perhaps the ID number, address, status. In a list of participants:
    first name, last name, perhaps the ID number, address.
    """
    address = _addresses(rows)
    if address is None:
        return {}
    if _are_participants(rows):
        return _worksheet(address)
    return dict(zip(("first_name", "last_name", "number"), range(address), strict=False)) | {"email": address}


def _worksheet(address: int) -> Mapping[str, int]:
    columns = dict(zip(("lms_user_id", "full_name", "number"), range(address), strict=False))
    return columns | {"email": address}


def _are_participants(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first column holds the same word for everybody, and a number."""
    cells = [row[0].strip() for row in rows if row[0].strip()]
    matches = [match for cell in cells if (match := PARTICIPANT.fullmatch(cell))]
    return len(matches) == len(cells) > 0 and len({match[1] for match in matches}) == 1


def _addresses(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the first column that holds nothing but addresses."""
    columns = [
        [row[column].strip() for row in rows if row[column].strip()] for column in range(min(map(len, rows)))
    ]
    return next(
        (column for column, cells in enumerate(columns) if cells and all(map(EMAIL.fullmatch, cells))), None
    )


def _grades(table: Table) -> tuple[int, int | None] | None:
    """Return the columns of a worksheet's grades and of what can be earned, whatever they are called."""
    if GRADE in table.header:
        return table.header.index(GRADE), table.header.index(MOST) if MOST in table.header else None
    # Behind the address come the status, the grade and the highest grade, which is the same for all.
    form = by_form(table.rows) or by_content(table.rows) if table.rows else {}
    column = form.get("email", len(table.header)) + 2
    most = [row[column + 1] for row in table.rows] if column + 1 < len(table.header) else [""]
    return (column, column + 1) if len(set(most)) == 1 and number_in(most[0]) else None


LISTS = Lists(
    {
        "id": ("username",),
        "number": ("id number", "idnumber", "id号码"),
        "first_name": ("first name",),
        "last_name": ("last name", "surname"),
        "full_name": ("full name",),
        "email": ("email address", "e-mail"),
        "lms_user_id": ("identifier",),
        "time": ("last modified (submission)",),
        # In the language packs: their places after the address change from class to class.
        "section": (
            *("group(s)", "groups", "gruppen", "grupos", "groupes", "gruppi", "groepen", "grupper"),
            *("小组", "গ্রুপ"),
        ),
        "role": (
            *("roles", "role", "rollen", "rôles", "papéis", "cargos atribuídos", "ruoli", "roller"),
            *("角色", "ভূমিকা"),
        ),
    },
    by_content=by_content,
    by_form=by_form,
)


def read_name(part: str, is_file: bool, plain: HandedFile) -> HandedFile | None:
    """Return the owner in the name of a student's folder or file; None if Moodle did not give the name.

    Args:
        part: the first part of the file's path in the archive.
        is_file: whether that part is the file's own name rather than a folder's.
        plain: the file, with nothing known about its owner.
    """
    match = NAME.fullmatch(part)
    if match is None:
        return None
    folder = f"{match['name']}_{match['user']}_assignsubmission_{match['kind']}"
    hidden = PARTICIPANT.fullmatch(match["name"])
    anonymous = bool(hidden) and hidden[2] == match["user"]  # type: ignore[index]
    parts = match["name"].split("-")
    # A group stands before a name: `Group 1-Jane Doe`. A name may hold a hyphen itself.
    groups = [Guess("-".join(parts[end:]), "-".join(parts[:end])) for end in range(1, len(parts))]
    return replace(
        plain,
        lms="moodle",
        user=match["user"],
        anonymous=anonymous,
        labels=() if anonymous else (match["name"],),
        by_name=True,
        guesses=() if anonymous else tuple(groups),
        folder=f"{folder}_" if is_file or part.endswith("_") else folder,
        file=(match["file"] if is_file else "") or plain.file,
    )


def fill(class_scores: Scores, table: Table, lesson: str, scale: bool = False) -> Merged:
    """Fill the grades in a grading worksheet.

    Args:
        class_scores: the scores of the class.
        table: the worksheet.
        lesson: the lesson that the worksheet is of.
        scale: whether to scale scores to the worksheet's maximum.

    Raises:
        BadList: the table is not a grading worksheet, or the lesson is not graded.
        OtherMaximum: the worksheet's maximum is not ours, and `scale` is false.
    """
    places = _grades(table)
    if places is None:
        raise BadList(
            "There is no column `Grade`: this is no grading worksheet. In Moodle, choose “Offline grading "
            "worksheet” in the assignment's settings, then download it from its list of submissions."
        )
    if lesson not in class_scores.possible:
        raise BadList(f"Nothing of {lesson} is graded yet.")
    column, most = places
    maxima = {row[most].strip() for row in table.rows} - {""} if most is not None else set()
    title, ours = class_scores.title(lesson), f"{class_scores.possible[lesson]:g}"
    try:
        factors = {maximum: factor(class_scores, lesson, maximum, scale) for maximum in maxima | {""}}
    except OtherMaximum:
        if title == lesson:
            raise
        # A worksheet does not say of what it is: the homework's scores must not be replaced.
        raise OtherMaximum(
            f"{title} has {ours} points, and this worksheet another maximum: is it of the homework? Take the "
            f"worksheet of the assignment {title}, or change the maximum of that in Moodle to {ours}."
        ) from None

    def fill_row(row: list[str], student: str) -> tuple[bool, str]:
        score = class_scores.scores.get((student, lesson))
        if score is None:
            return False, ""
        if most is not None and most + 1 < len(row) and row[most + 1].strip().lower() in LOCKED:
            return False, "the grade is locked in Moodle"
        row[column] = f"{score * factors[row[most].strip() if most is not None else '']:.2f}"
        return True, ""

    return merged(class_scores, table, fill_row, [lesson])


MOODLE = Platform(
    "moodle",
    "Moodle",
    LISTS,
    read_name,
    lambda _student, handed, lesson: f"{handed.folder}/{lesson}.html",
    fill,
    of_one_lesson=True,
)
