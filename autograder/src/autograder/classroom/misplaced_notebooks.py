"""Take a notebook back from the student with whom it was placed before a person said whose it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbgrader import utils

from autograder.classroom.collection import (
    CollectionRecord,
    Request,
    StudentFiles,
    digest_of,
    folder_of,
)
from autograder.classroom.platforms.protocol import HandedFile
from autograder.classroom.submission_archives import entries
from autograder.classroom.whose import stated
from autograder.grading.class_folder import STAMP, Class
from autograder.grading.gradebook_writer import GradebookWriter, gradebook_lock, remove
from autograder.grading.graded_results import readable
from autograder.words.phrases import listed


@dataclass(frozen=True)
class Misplaced:
    """A student's notebooks for a lesson that are another's: the one in `submitted/`, or earlier versions."""

    lesson: str
    student: str
    owners: tuple[str, ...]
    path: str  # the notebook's path in the archive
    submitted: bool
    earlier: tuple[Path, ...] = ()
    wanted: frozenset[str] = frozenset()  # earlier versions that the owners lack, by digest

    @property
    def description(self) -> str:
        """A sentence on the notebook that is taken back, its student and its owners."""
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
    misplaced: dict[tuple[str, str], Misplaced] = {}
    for (lesson, _), files in by_student.items():
        for entry in files:
            if not (ids := stated(request, entry)):
                continue
            owners = tuple(ids.split(","))
            current, all_versions = digest_of(entry.content), None
            for student in sorted(request.roster.people.keys() - set(owners)):
                last = record.lessons.get(lesson, {}).get(student)
                submitted = last is not None and _is_of_same_source(last, entry)
                folder = StudentFiles(request.course, lesson, student).earlier
                if not submitted and not (folder / f"{current}.ipynb").is_file():
                    continue
                if all_versions is None:  # it reads every archive
                    all_versions = _versions(request, entry)
                theirs = {digest_of(file.content) for file in by_student.get((lesson, student), ())}
                paths = (folder / f"{digest}.ipynb" for digest in sorted(all_versions - theirs))
                earlier = tuple(path for path in paths if path.is_file())
                if submitted or earlier:
                    wanted = frozenset(all_versions - {digest_of(file.content) for file in files})
                    placement = Misplaced(lesson, student, owners, entry.path, submitted, earlier, wanted)
                    misplaced.setdefault((lesson, student), placement)
    return list(misplaced.values())


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
    graded = [item for item in misplaced if item.submitted]
    if graded:
        with (
            gradebook_lock(course.database, course.banks.course.root),
            GradebookWriter(course) as book,
            readable(course.database),
        ):
            for item in graded:
                whose = f"the notebook is the work of {listed(item.owners)}"
                book.withdraw(item.lesson, item.student, whose)
    for item in misplaced:
        for path in item.earlier:
            _move(course, item, path, path.with_name(f"{path.stem}-{STAMP}"))
    for item in graded:
        path = StudentFiles(course, item.lesson, item.student).submitted
        _move(course, item, path, path.with_name(STAMP))
        folders = [
            course.place(course.directory.autograded_directory, item.student, item.lesson),
            course.place(course.directory.feedback_directory, item.student, item.lesson),
            Path(course.directory.root) / "returned" / item.lesson / item.student,
        ]
        if path.parent.is_dir() and not any(path.parent.iterdir()):
            folders.append(path.parent)
        for folder in filter(Path.is_dir, folders):
            utils.rmtree(str(folder))


def _move(course: Class, item: Misplaced, path: Path, stamp: Path) -> None:
    """Move a notebook and its time to the earlier versions of its owners, if they lack it."""
    if path.is_file():
        content = path.read_bytes()
        time = stamp.read_bytes() if stamp.is_file() else b""
        for owner in item.owners if digest_of(content) in item.wanted else ():
            StudentFiles(course, item.lesson, owner).keep_earlier(content, time)
    remove(path)
    remove(stamp)


def without(record: CollectionRecord, misplaced: Sequence[Misplaced]) -> CollectionRecord:
    """Return the record of collections without the notebooks that are taken back."""
    lessons = {lesson: dict(students) for lesson, students in record.lessons.items()}
    had = {lesson: dict(students) for lesson, students in record.had.items()}
    for item in misplaced:
        if item.submitted:
            lessons[item.lesson].pop(item.student, None)
            had.get(item.lesson, {}).pop(item.student, None)
    return replace(record, lessons=lessons, had=had)
