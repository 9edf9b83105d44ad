"""Write the scores of a class as an Excel workbook."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from zipfile import BadZipFile

from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font

from autograder.classroom.csv_tables import BadList
from autograder.classroom.score_export import Scores, factor
from autograder.records.file_digests import write_whole
from autograder.words.phrases import listed
from autograder.words.sanitize import visible

TITLES = ("student", "last name", "first name")


def write_workbook(class_scores: Scores, path: Path, scale: bool = False) -> None:
    """Write all scores as an Excel workbook: a sheet of lessons, and a sheet of tasks for each lesson.

    Args:
        class_scores: the scores of the class.
        path: the file. An earlier workbook there is replaced, unless somebody has added to it.
        scale: whether to scale the scores if the earlier workbook's maximum is not ours.

    Raises:
        BadList: the existing file is not such a workbook, or has columns or sheets of somebody's own.
        OtherMaximum: the existing workbook's maximum is not ours, and `scale` is false.
    """
    there = _maxima_in(path, class_scores)
    factors = {
        lesson: factor(class_scores, lesson, there.get(lesson, ""), scale, f"in {path.name}")
        for lesson in class_scores.lessons
    }
    counts = {
        (student, lesson): round(score * factors[lesson], 2)
        for (student, lesson), score in class_scores.scores.items()
        if lesson in factors
    }
    book = Workbook()
    book.remove(book.active)
    names = {person.id: (person.id, person.last_name, person.first_name) for person in class_scores.people}
    _add_sheet(
        book,
        "scores",
        (
            *TITLES,
            *(
                f"{class_scores.title(name)} ({class_scores.possible[name] * times:g})"
                for name, times in factors.items()
            ),
            "total",
        ),
        (
            (*name, *row, sum(score for score in row if score is not None))
            for student, name in names.items()
            for row in [[counts.get((student, lesson)) for lesson in class_scores.lessons]]
        ),
    )
    for lesson in class_scores.lessons:
        _add_tasks(book, class_scores, lesson, names)
    content = io.BytesIO()  # into a file on a full disk, a zip would be closed again, with a traceback
    book.save(content)
    write_whole(path, content.getvalue())


def _add_tasks(
    book: Workbook,
    class_scores: Scores,
    lesson: str,
    names: Mapping[str, Sequence[str]],
) -> None:
    """Add the sheet of one lesson: the points of each task, the penalty and the score."""
    marks = [mark for mark in class_scores.marks if mark.lesson == lesson]
    tasks = list(dict.fromkeys(mark.task for mark in marks))
    points = {(mark.student, mark.task): mark.score for mark in marks}
    penalties = {
        handed.student: handed.penalty for handed in class_scores.handed_in if handed.lesson == lesson
    }
    _add_sheet(
        book,
        lesson,
        (*TITLES, *tasks, "penalty", "score"),
        (
            (
                *name,
                *(points.get((student, task)) for task in tasks),
                penalties.get(student, 0.0),
                class_scores.scores[student, lesson],
            )
            for student, name in names.items()
            if (student, lesson) in class_scores.scores
        ),
    )


def _add_sheet(book: Workbook, name: str, header: Iterable[object], rows: Iterable[Iterable[object]]) -> None:
    sheet = book.create_sheet(name[:31])
    sheet.append(list(header))
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for row in rows:
        sheet.append([visible(cell) if isinstance(cell, str) else cell for cell in row])
        for cell in sheet[sheet.max_row]:
            if cell.data_type == "f":  # a name that begins with "=" is no formula
                cell.data_type = "s"
    sheet.freeze_panes = "D2"


def _maxima_in(path: Path, class_scores: Scores) -> dict[str, str]:
    """Return what can be earned for each lesson, as a workbook says that was written earlier.

    Raises:
        BadList: it is no such workbook, or the workbook of these scores would not have all of its columns.
    """
    if not path.exists():
        return {}
    try:
        with path.open("rb") as file:
            book = load_workbook(file, read_only=True)
            rows = {sheet.title: next(sheet.iter_rows(values_only=True), ()) for sheet in book.worksheets}
            titles = rows.pop("scores")
    except (BadZipFile, KeyError, ValueError):
        raise BadList(f"{path} is no workbook of scores, so nothing was written into its place.") from None
    matches = {title: re.fullmatch(r"(.+) \((.+)\)", str(title)) for title in titles}
    ours = {class_scores.title(lesson): lesson for lesson in class_scores.lessons}
    maxima = {ours[match[1]]: match[2] for match in matches.values() if match and match[1] in ours}
    other_titles = {title for title, match in matches.items() if not (match and match[1] in ours)}
    lost = other_titles - {None, "total", *TITLES}
    for lesson in class_scores.lessons:
        tasks = {mark.task for mark in class_scores.marks if mark.lesson == lesson}
        lost |= {*rows.pop(lesson[:31], ())} - {None, "penalty", "score", *TITLES, *tasks}
    if lost or rows:
        columns = listed(sorted(map(str, (*lost, *rows))))
        raise BadList(f"{path} has {columns}, which would be lost. Nothing was written: name another file.")
    return maxima
