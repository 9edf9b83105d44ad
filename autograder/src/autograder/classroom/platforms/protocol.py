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

    label: str  # a part that may be a person's name, number or address
    prefix: str  # the text before it
    by_all: bool = False  # whether the platform puts the same prefix before every name of an archive
    shared: bool = False  # whether other files of the archive have the prefix, too


@dataclass(frozen=True)
class HandedFile:
    """A file in an archive, and everything that the archive states about it."""

    archive: str  # the name of its archive
    path: str  # its full name in the archive
    content: bytes = field(default=b"", metadata=UNSTORED)  # empty if it may not be read
    refused: str = ""  # the reason why it may not be read
    lms: str = ""  # the name of its platform; "" if unknown
    user: str = ""  # the platform's number of the person who submitted it
    labels: tuple[str, ...] = ()  # possible names of that person, the likeliest first
    # Whether the labels are names of people as the platform writes them, and no logins.
    by_name: bool = field(default=False, metadata=UNSTORED)
    guesses: tuple[Guess, ...] = field(default=(), metadata=UNSTORED)  # the longest label first
    # The possible names of each of several people, if the platform says that they submitted it together.
    together: tuple[tuple[str, ...], ...] = field(default=(), metadata=UNSTORED)
    of_group: bool = False  # whether it is the work of several people, and placed for each of them
    anonymous: bool = field(default=False, metadata=UNSTORED)  # whether the platform hides the person
    folder: str = ""  # the platform's name for the person's part of the archive
    file: str = ""  # its name without the platform's additions
    late: bool = False  # whether the platform marks it as late
    # The platform's time of submission; in the class's time zone if it names no zone.
    time: datetime | None = field(default=None, metadata=UNSTORED)
    unread_time: str = field(default="", metadata=UNSTORED)  # that time, if it is in an unknown form
    listed: bool = False  # whether a list of times states its time of submission
    rank: tuple[int, ...] = ()  # the highest of several was submitted last, according to the platform
    modified: tuple[int, ...] = ()  # the time of change in the archive
    # A browser's number for a repeated download, which tells nothing about files of another archive.
    copy: int = field(default=0, metadata=UNSTORED)
    # The number of the lesson's own cells in it: a notebook without any is no answer to the lesson.
    cells: int = field(default=0, metadata=UNSTORED)
    # The number of its answer cells that differ from the release.
    answers: int = field(default=0, metadata=UNSTORED)
    what: str = field(default="", metadata=UNSTORED)  # a description of a file that is no notebook
    noise: int = field(default=0, metadata=UNSTORED)  # the number of files of programs that this entry counts
    # The budget for reading it, together with all other files of the same student.
    share: TimeBudget = field(default_factory=TimeBudget, compare=False, metadata=UNSTORED)


@dataclass(frozen=True)
class Platform:
    """A learning platform: its names, its file formats, and the functions that read and write them."""

    name: str  # one lower-case word
    title: str  # its usual name
    lists: Lists  # the format of its class lists and score sheets
    # Adds the facts in a part of a file's path to the file; returns None for a part that is not of the
    # platform's making. The second argument tells whether it is the file's own name rather than a folder's.
    read_name: Callable[[str, bool, HandedFile], HandedFile | None]
    # The path of a student's feedback page in an upload, given their submission and the lesson.
    page_name: Callable[[str, HandedFile, str], str]
    # Fills a score sheet that the platform exported; None where it exports none. `lesson` is "" for a sheet
    # of all lessons. The last argument tells whether scores are scaled to the platform's maximum.
    fill: Callable[[Scores, Table, str, bool], Merged] | None = None
    of_one_lesson: bool = False  # whether such a sheet is of one lesson
    # Whether it recognises the owners of pages by their names: then they go into a zip file, else into
    # folders.
    knows_pages: bool = True
    # The name of a list in its archives with the owners of folders; "" if the folders' names say it.
    list_name: str = ""
    # Reads that list.
    read_list: Callable[[bytes], Mapping[str, HandedFile]] | None = None
    numbers_listed: bool = False  # whether the number in its archives is the one in its class list
    marks_late: bool = False  # whether its archives mark what came late
