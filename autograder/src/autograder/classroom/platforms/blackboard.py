"""Read the file names in Blackboard's archives of submissions."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from autograder.classroom.csv_tables import Lists
from autograder.classroom.platforms.protocol import Guess, HandedFile, Platform

# `Homework 1_jdoe_attempt_2026-03-01-22-24-12_homework.ipynb`; a text of Blackboard's own has no more. The
# assignment's name may hold underscores, and so may the user's.
NAME = re.compile(r"(?P<names>.+_.+)_attempt_(?P<time>\d{4}(?:-\d{2}){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL)


def read_name(part: str, is_file: bool, plain: HandedFile) -> HandedFile | None:
    """Return the owner and time of a file that Blackboard has named; None if the name is not Blackboard's.

    Blackboard makes no folders, and names a zip file like any other file.

    Args:
        part: the first part of the file's path in the archive.
        is_file: whether that part is the file's own name rather than a folder's.
        plain: the file, with nothing known about its owner.
    """
    match = NAME.fullmatch(part) if is_file or part.endswith(".zip") else None
    if match is None:
        return None
    try:
        time = datetime.strptime(match["time"], "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        time = None
    words = match["names"].split("_")
    guesses = tuple(
        Guess("_".join(words[end:]), "_".join(words[:end]), by_all=True) for end in range(1, len(words))
    )
    only = guesses[0].label if len(guesses) == 1 else ""
    return replace(
        plain,
        lms="blackboard",
        user=only,
        labels=(only,) if only else (),
        guesses=guesses,
        folder=part.removesuffix(match["file"] or ""),
        file=(match["file"] if is_file else "") or plain.file,
        rank=(int(match["time"].replace("-", "")),),
        time=time,
        noise=int(is_file and not match["file"]),  # a receipt, which Blackboard writes for each attempt
    )


BLACKBOARD = Platform(
    "blackboard",
    "Blackboard",
    Lists({"id": ("username",), "number": ("student id",)}),
    read_name,
    lambda student, _handed, lesson: f"{student}/{lesson}.html",
    knows_pages=False,
)
