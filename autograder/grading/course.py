"""Where a class's files are, as nbgrader sees it, and what they are graded by."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, PyFileConfigLoader

from autograder.build.release import CONFIG
from autograder.build.source import answers_in
from autograder.course import Course
from autograder.digests import file_digest
from autograder.grading.secret import Banks
from autograder.grading.submission import refused

# Where nbgrader keeps the time at which something was handed in.
STAMP = "timestamp.txt"


@dataclass(frozen=True)
class Submission:
    """One student's notebook for one lesson, handed in and not necessarily graded.

    `refused` says why the file is not even opened: it is a link, say, to somebody else's.
    """

    lesson: str
    student: str
    path: Path
    graded: Path
    refused: str = ""


class Class:
    """A folder with what students handed in, and the banks that it is graded by."""

    def __init__(self, root: Path) -> None:
        self.banks = Banks.of(Course.find(root))
        config: Config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
        config.CourseDirectory.root = str(root)
        self.config = config
        self.directory = CourseDirectory(config=config)

    @property
    def database(self) -> str:
        return str(self.directory.db_url)

    def place(self, step: str, student: str, lesson: str) -> Path:
        """A folder of nbgrader's: `step` is the name of a directory in its configuration."""
        return Path(self.directory.format_path(step, student, lesson))

    def release(self, lesson: str) -> Path:
        return self.place(self.directory.release_directory, ".", lesson) / f"{lesson}.ipynb"

    def solution(self, lesson: str) -> dict[str, str]:
        """The text of the course's own answer cells, by the cell's id; none where the source is not there."""
        return answers_in(self.place(self.directory.source_directory, ".", lesson), lesson)

    def submissions(self, lesson: str, students: Collection[str] = ()) -> list[Submission]:
        """What was handed in for a lesson, by student; of the students named, or of all."""
        root = Path(self.directory.root) / self.directory.submitted_directory
        names = sorted(entry.name for entry in root.iterdir()) if root.is_dir() else []
        found = []
        for student in names:
            folder = self.place(self.directory.submitted_directory, student, lesson)
            path = folder / f"{lesson}.ipynb"
            if (students and student not in students) or not (folder.is_dir() or folder.is_symlink()):
                continue
            graded = self.place(self.directory.autograded_directory, student, lesson) / path.name
            found.append(Submission(lesson, student, path, graded, refused(path, root)))
        return found

    def made_from(self, submission: Submission) -> dict[str, str]:
        """A digest of each thing that a grade depends on. Empty without a release or a bank."""
        try:
            return {
                "submission": hashlib.sha256(_handed_in(submission)).hexdigest(),
                "lesson": file_digest(self.release(submission.lesson)).hex(),
                "checks": self.banks.digest(submission.lesson).hex(),
            }
        except OSError:
            return {}


def _handed_in(submission: Submission) -> bytes:
    """The file's content, or why there is none: that is graded as well, and once."""
    if submission.refused:
        return submission.refused.encode()
    try:
        return submission.path.read_bytes()
    except OSError as problem:
        return str(problem.strerror).encode()
