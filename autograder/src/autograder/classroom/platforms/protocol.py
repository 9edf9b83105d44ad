"""Define the description of a learning platform that each platform's module provides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from autograder.classroom.csv_tables import Lists, Table
from autograder.classroom.score_export import Merged, Scores
from autograder.grading.reader_processes import TimeBudget
from autograder.records.serialization import UNSTORED


@dataclass(frozen=True)
class Guess:
    """A possible name of a student or group within a longer name, after a prefix of the platform's."""

    label: str  # what may be a person's name, number or address
    prefix: str  # what comes before it
    by_all: bool = False  # the platform puts the same prefix before every name of an archive
    shared: bool = False  # other files of the archive bear the prefix out


@dataclass(frozen=True)
class HandedFile:
    """A file in an archive, and everything that the archive states about it."""

    archive: str  # the name of the archive that it is in
    path: str  # its name there, whatever it says
    content: bytes = field(default=b"", metadata=UNSTORED)  # empty where it may not be read
    refused: str = ""  # why it may not
    lms: str = ""  # the name of the platform that it comes from; "" where nothing says so
    user: str = ""  # the platform's number of who handed it in
    labels: tuple[str, ...] = ()  # what they may be called, the likeliest first
    # The labels are people's names, as the platform writes them, and no logins.
    by_name: bool = field(default=False, metadata=UNSTORED)
    guesses: tuple[Guess, ...] = field(default=(), metadata=UNSTORED)  # the longest label first
    # What each of several people may be called, where the platform says that they handed it in together.
    together: tuple[tuple[str, ...], ...] = field(default=(), metadata=UNSTORED)
    of_group: bool = False  # it is the work of several people, and placed for each of them
    anonymous: bool = field(default=False, metadata=UNSTORED)  # the platform hides who it is
    folder: str = ""  # what the platform calls their part of the archive
    file: str = ""  # its name without what the platform put before it
    late: bool = False  # as the platform says
    # When it was handed in, as the platform says; in the class's time where it names no zone.
    time: datetime | None = field(default=None, metadata=UNSTORED)
    listed: bool = False  # a list of times said when it was handed in
    rank: tuple[int, ...] = ()  # of several, the highest was handed in last, as the platform says
    modified: tuple[int, ...] = ()  # as the archive says
    # What a browser numbered it, which tells nothing about files of another archive.
    copy: int = field(default=0, metadata=UNSTORED)
    # How many of the lesson's own cells are in it: a notebook without any is no answer to the lesson.
    cells: int = field(default=0, metadata=UNSTORED)
    # How many of its answer cells hold another text than the release's.
    answers: int = field(default=0, metadata=UNSTORED)
    what: str = field(default="", metadata=UNSTORED)  # what it is, where it is no notebook
    noise: int = field(default=0, metadata=UNSTORED)  # files of programs, for which this entry stands
    # What reading it may take, together with all else of the same student's.
    share: TimeBudget = field(default_factory=TimeBudget, compare=False, metadata=UNSTORED)


@dataclass(frozen=True)
class Platform:
    """A learning platform: its names, its file formats, and the functions that read and write them."""

    name: str  # one lower-case word
    title: str  # what people call it
    lists: Lists  # what its class lists and score sheets are like
    # What is known of a file in an archive, with what a part of its path says; None for a part that is not
    # the platform's making. The second argument tells the file's own name from that of a folder.
    read_name: Callable[[str, bool, HandedFile], HandedFile | None]
    # Where a feedback page of a student lies in what is uploaded, by what they handed in and the lesson.
    page_name: Callable[[str, HandedFile, str], str]
    # Fills a score sheet that the platform exported; None where it exports none. `lesson` is "" for a sheet
    # of all lessons. The last argument tells whether scores are scaled to the platform's maximum.
    fill: Callable[[Scores, Table, str, bool], Merged] | None = None
    of_one_lesson: bool = False  # whether such a sheet is of one lesson
    # Whether it tells by their names whose pages are: then they lie in a zip file, else in folders.
    knows_pages: bool = True
    # The name of a list in its archives that says whose their folders are; "" where names alone do.
    list_name: str = ""
    # Reads that list.
    read_list: Callable[[bytes], Mapping[str, HandedFile]] | None = None
    numbers_listed: bool = False  # whether the number in its archives is the one in its class list
