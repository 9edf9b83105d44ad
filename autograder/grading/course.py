"""Where a class's files are, as nbgrader sees it: its own course directory, from `nbgrader_config.py`."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, PyFileConfigLoader

from autograder.build.release import CONFIG
from autograder.grading import secret
from autograder.grading.submission import refused


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
    """A course folder with what students handed in."""

    def __init__(self, root: Path) -> None:
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

    def fingerprint(self, submission: Submission) -> str:
        """What a grade depends on: the submission, the release and the bank. Empty where there is none."""
        try:
            handed_in = b"" if submission.refused else submission.path.read_bytes()
            parts = [handed_in, self.release(submission.lesson).read_bytes()]
            place = secret.answers(submission.lesson).folder
            for ending in ("json", "safetensors"):
                parts.append((place / f"{submission.lesson}.{ending}").read_bytes())
        except OSError:
            return ""
        digest = hashlib.sha256()
        for part in parts:
            digest.update(hashlib.sha256(part).digest())
        return digest.hexdigest()
