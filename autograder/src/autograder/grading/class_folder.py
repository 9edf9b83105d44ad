"""The files of a class, in nbgrader's folder layout, and the banks with which they are graded."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from autograder.author import settings
from autograder.author.parse_source import answers_in
from autograder.grading.grading_banks import Banks
from autograder.grading.late_policy import Policy
from autograder.grading.read_submission import refused
from autograder.grading.releases import Release, title_of
from autograder.records.course import Course
from autograder.records.file_digests import Identity, identity

# Where nbgrader keeps the time at which something was handed in.
STAMP = "timestamp.txt"
# Where nbgrader's exchange keeps what a student's feedback is called there.
KEY = "submission_secret.txt"


@dataclass(frozen=True)
class Submission:
    """One student's notebook for one lesson, as it was handed in, whether or not it has been graded."""

    lesson: str
    student: str
    path: Path
    graded: Path
    refused: str = ""  # the reason why the file is not opened, such as a link to another's
    note: str = ""  # for the person who grades
    stamped: Path | None = None  # the path of its time, if that is not beside it

    @property
    def stamp(self) -> Path:
        """The path of the file with the time of submission."""
        return self.stamped or self.path.with_name(STAMP)

    @property
    def who(self) -> str:
        """The student and the lesson, for messages."""
        return f"{self.student} {self.lesson}"


class Class:
    """The folder of a class, with its submissions, releases and gradebook, and the banks to grade them with.

    Raises:
        AuthoringError: the folder is in no course, or the course lacks nbgrader's configuration.
    """

    def __init__(self, folder: Path) -> None:
        course = Course.of(folder)
        root = course.root
        self.banks = Banks.of(course)
        self.config = settings.read(root)
        self.config.CourseDirectory.root = str(root)
        self.directory = CourseDirectory(config=self.config)

    @classmethod
    def of(cls, folder: Path) -> Class:
        """Return the class in a folder that a person named, after restricting access to its data."""
        result = cls(folder.resolve())
        result.shut()
        return result

    @cached_property
    def policy(self) -> Policy:
        """The class's policy, read at first use, so that a damaged file affects nothing else.

        Raises:
            AuthoringError: the class's `class.toml` is not valid.
        """
        course = self.banks.course
        return Policy.read(course.root, course.lessons)

    def with_rules_anew(self) -> Class:
        """Return the same class with its `class.toml` read again, for a server that runs for long."""
        result = copy.copy(self)
        result.__dict__.pop("policy", None)
        return result

    @property
    def lessons(self) -> list[str]:
        """The names of the lessons that have a release and a bank."""
        return [name for name in self.banks.folders if self.release(name).is_file()]

    @property
    def database(self) -> str:
        return str(self.directory.db_url)

    def shut(self) -> None:
        """Restrict access to the class's data to the owner, or to the group if the folder is shared.

        This applies to the class's folders with submissions and grades, and to files that this process writes
        from now on.
        """
        theirs = 0o770 if self.directory.groupshared else 0o700
        os.umask(0o777 & ~theirs)
        root = Path(self.directory.root)
        steps = (
            self.directory.submitted_directory,
            self.directory.autograded_directory,
            self.directory.feedback_directory,
        )
        for folder in (root / "collected", *(root / step for step in steps), *root.glob("gradebook.db*")):
            with contextlib.suppress(OSError):  # of another owner, or not there
                if not folder.is_symlink():
                    folder.chmod(folder.stat().st_mode & theirs)

    def place(self, step: str, student: str, lesson: str) -> Path:
        """Return the path of one of nbgrader's folders for a student and a lesson.

        Args:
            step: the name of a step's directory in nbgrader's configuration, such as "submitted".
            student: the student's id.
            lesson: the lesson's name.
        """
        return Path(self.directory.format_path(step, student, lesson))

    def release(self, lesson: str, language: str = ".") -> Path:
        return self.place(self.directory.release_directory, language, lesson) / f"{lesson}.ipynb"

    def solution(self, lesson: str) -> dict[str, str]:
        """Return the text of the course's own answers by cell id; empty without the lesson's source."""
        return answers_in(self.banks.course.source / lesson, lesson)

    def submissions(self, lesson: str, students: Collection[str] = ()) -> list[Submission]:
        """Return the submissions for a lesson in the order of students' ids; of all students by default."""
        submissions = []
        for student in self.students():
            folder = self.place(self.directory.submitted_directory, student, lesson)
            path, note = folder / f"{lesson}.ipynb", ""
            if (students and student not in students) or not (folder.is_dir() or folder.is_symlink()):
                continue
            graded = self.place(self.directory.autograded_directory, student, lesson) / path.name
            others = sorted(folder.glob("*.ipynb")) if not path.is_symlink() and not path.exists() else []
            if len(others) == 1:  # a browser calls the second download of a file "name (1)"
                path = others[0]
                note = f"there is no {graded.name}, so {path.name} was taken"
            elif others:
                names = ", ".join(path.name for path in others)
                note = f"there is no {graded.name}, and which of these counts? {names}"
            submissions.append(Submission(lesson, student, path, graded, refused(path, self.submitted), note))
        return submissions

    @property
    def submitted(self) -> Path:
        """The folder with all submissions."""
        return Path(self.directory.root, self.directory.submitted_directory)

    def students(self) -> list[str]:
        """Return the ids of the students who have a folder of submissions."""
        return sorted(entry.name for entry in self.submitted.iterdir()) if self.submitted.is_dir() else []

    def misplaced(self) -> list[str]:
        """Return a sentence for each notebook in a place where it will not be graded."""
        lessons = set(self.banks.course.lessons)
        misplaced = []
        for student in self.students():
            for entry in sorted((self.submitted / student).glob("[!.]*")):
                if entry.name in lessons or not (entry.is_dir() or entry.suffix == ".ipynb"):
                    continue
                meant = get_close_matches(entry.stem, lessons, n=1) or ["<lesson>"]
                path = f"{self.submitted.name}/{student}/{meant[0]}/{meant[0]}.ipynb"
                misplaced.append(
                    f"{self.submitted.name}/{student}/{entry.name} is not graded: its place is {path}"
                )
        return misplaced

    def current(self, lesson: str) -> Release:
        """Return the current release of a lesson."""
        text = self.release(lesson).read_text(encoding="utf-8")
        return Release(lesson, text, self.banks, self.solution(lesson))

    def title(self, lesson: str) -> str:
        """Return what a lesson's assignment is called on a platform."""
        try:
            return _title_in(lesson, identity(self.release(lesson)))
        except (OSError, ValueError):  # it is not released here
            return lesson

    def translated_releases(self, lesson: str) -> dict[str, str]:
        """Return the text of a lesson's release in each other language that it has, by language."""
        paths = {language: self.release(lesson, language) for language in self.banks.course.languages[1:]}
        return {
            language: path.read_text(encoding="utf-8") for language, path in paths.items() if path.is_file()
        }

    def made_from(self, submission: Submission, release: Release) -> dict[str, str]:
        """Return a digest of each thing that a grade depends on; empty if the lesson has no bank."""
        try:
            return {
                "submission": hashlib.sha256(handed_in(submission)).hexdigest(),
                "lesson": hashlib.sha256(release.text.encode("utf-8")).hexdigest(),
                "checks": release.banks.digest(submission.lesson).hex(),
            }
        except OSError:
            return {}


def handed_in(submission: Submission) -> bytes:
    """Return a submission's content. If it cannot be read, return the reason, which no task is found in."""
    if submission.refused:
        return submission.refused.encode()
    try:
        return submission.path.read_bytes()
    except OSError as problem:
        return str(problem.strerror).encode()


@lru_cache(maxsize=64)
def _title_in(lesson: str, release: Identity) -> str:
    return title_of(lesson, release.path.read_text(encoding="utf-8"))
