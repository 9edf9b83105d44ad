"""Take a notebook back from the student with whom it was placed before a person said whose it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbgrader import utils

from autograder.classroom.collection import CollectionRecord, Request, folder_of, submitted_path
from autograder.classroom.platforms.protocol import HandedFile
from autograder.classroom.submission_archives import entries
from autograder.classroom.whose import stated
from autograder.grading.class_folder import STAMP, Class
from autograder.grading.gradebook_writer import GradebookWriter, gradebook_lock, remove
from autograder.grading.graded_results import readable
from autograder.records.file_digests import write_whole
from autograder.words.phrases import listed


@dataclass(frozen=True)
class Misplaced:
    """A student's notebooks for a lesson that are another's: the one in `submitted/`, or earlier versions."""

    lesson: str
    student: str
    owners: tuple[str, ...]
    path: str  # in the archive
    submitted: bool
    earlier: tuple[Path, ...] = ()
    wanted: frozenset[str] = frozenset()  # earlier versions that the owners lack, by digest

    @property
    def told(self) -> str:
        """What is taken back, for a person."""
        what = "the notebook, its score and its page are" if self.submitted else "an earlier version is"
        whose = f"which is the work of {listed(self.owners)}"
        return f"{self.student}, {self.lesson}: {what} taken back: {self.path}, {whose}"


def find_misplaced(
    request: Request,
    record: CollectionRecord,
    by_student: Mapping[tuple[str, str], Sequence[HandedFile]],
) -> list[Misplaced]:
    """Return the earlier placements that the instructor's `who` options contradict.

    Args:
        request: the request.
        record: the record of earlier collections.
        by_student: the notebooks of this collection, by lesson and student.
    """
    found: dict[tuple[str, str], Misplaced] = {}
    for (lesson, _), files in by_student.items():
        for entry in files:
            owners = tuple(stated(request, entry).split(",")) if stated(request, entry) else ()
            strangers = request.roster.people.keys() - set(owners) if owners else set()
            for student in sorted(strangers):
                last = record.lessons.get(lesson, {}).get(student)
                submitted = last is not None and _is_of_same_source(last, entry)
                theirs = {digest_of(file.content) for file in by_student.get((lesson, student), ())}
                folder = folder_of(request.course) / "earlier" / student / lesson
                if not submitted and not (folder / f"{digest_of(entry.content)}.ipynb").is_file():
                    continue
                versions = _versions(request, entry)
                earlier = [folder / f"{digest}.ipynb" for digest in sorted(versions - theirs)]
                earlier = [path for path in earlier if path.is_file()]
                if (submitted or earlier) and (lesson, student) not in found:
                    new = {digest_of(file.content) for file in files}
                    wanted = frozenset(versions - new)
                    found[lesson, student] = Misplaced(
                        lesson, student, owners, entry.path, submitted, tuple(earlier), wanted
                    )
    return list(found.values())


def digest_of(content: bytes) -> str:
    """Return the digest by which an earlier version of a notebook is named."""
    return hashlib.sha256(content).hexdigest()[:12]


def _is_of_same_source(first: HandedFile, second: HandedFile) -> bool:
    by_number = bool(first.user) and (first.lms, first.user) == (second.lms, second.user)
    return by_number or (first.archive, first.path) == (second.archive, second.path)


def _versions(request: Request, entry: HandedFile) -> set[str]:
    """Return the digests of all notebooks that ever came from where this one comes from."""
    archives = sorted((folder_of(request.course) / "archives").glob("*"))
    files = (file for path in archives for file in entries(path, request.platforms.values()))
    same = (file for file in files if file.content and entry.user and _is_of_same_source(file, entry))
    return {digest_of(file.content) for file in (entry, *same)}


def take_back(course: Class, misplaced: Sequence[Misplaced]) -> None:
    """Take notebooks with their scores and pages from students; earlier versions go to their owners.

    Raises:
        BadBook: the gradebook is in use, or cannot be written; nothing was taken back.
    """
    graded = [which for which in misplaced if which.submitted]
    if graded:
        with (
            gradebook_lock(course.database, course.banks.course.root),
            GradebookWriter(course) as book,
            readable(course.database),
        ):
            for which in graded:
                whose = f"the notebook is the work of {listed(which.owners)}"
                book.withdraw(which.lesson, which.student, whose)
    for which in misplaced:
        for path in which.earlier:
            _move(course, which, path, path.with_name(f"{path.stem}-{STAMP}"))
        if which.submitted:
            path = submitted_path(course, which.lesson, which.student)
            _move(course, which, path, path.with_name(STAMP))
            root = Path(course.directory.root)
            for folder in (
                *(path.parent,) * (path.parent.is_dir() and not any(path.parent.iterdir())),
                course.place(course.directory.autograded_directory, which.student, which.lesson),
                course.place(course.directory.feedback_directory, which.student, which.lesson),
                root / "returned" / which.lesson / which.student,
            ):
                if folder.is_dir():
                    utils.rmtree(str(folder))


def _move(course: Class, which: Misplaced, path: Path, stamp: Path) -> None:
    """Move a notebook and its time to the earlier versions of its owners, if they lack it."""
    if path.is_file():
        content = path.read_bytes()
        digest = digest_of(content)
        for owner in which.owners if digest in which.wanted else ():
            folder = folder_of(course) / "earlier" / owner / which.lesson
            write_whole(folder / f"{digest}.ipynb", content)
            if stamp.is_file():
                write_whole(folder / f"{digest}-{STAMP}", stamp.read_bytes())
    remove(path)
    remove(stamp)


def without(record: CollectionRecord, misplaced: Sequence[Misplaced]) -> CollectionRecord:
    """Return the record of collections without the notebooks that are taken back."""
    lessons = {lesson: dict(students) for lesson, students in record.lessons.items()}
    had = {lesson: dict(students) for lesson, students in record.had.items()}
    for which in misplaced:
        if which.submitted:
            lessons[which.lesson].pop(which.student, None)
            had.get(which.lesson, {}).pop(which.student, None)
    return replace(record, lessons=lessons, had=had)
