"""Choose which of a student's attempts at a lesson counts, by the rule in `class.toml`."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.classroom.collection import folder_of
from autograder.grading.class_folder import STAMP, Class, Submission, handed_in
from autograder.grading.late_policy import ATTEMPT, BEST, LAST, ON_TIME
from autograder.grading.read_submission import beside, moment, refused
from autograder.grading.reader_processes import READING, LimitReached, run_limited
from autograder.grading.releases import ids_among
from autograder.words.language import SPOKEN, LazyMessage, _, speaking

# Earlier ones that are looked at, the last of them.
MOST = 10


@dataclass(frozen=True)
class Attempts:
    """A student's attempts at a lesson, oldest first, and the rule that decides which of them counts."""

    rule: str
    all: Sequence[Submission]
    times: Sequence[datetime | None]

    @property
    def digest(self) -> str:
        """A digest of all attempts and of the rule. If it has changed, the grade is out of date."""
        parts = [self.rule.encode(), *(hashlib.sha256(handed_in(attempt)).digest() for attempt in self.all)]
        return hashlib.sha256(b"".join(parts)).hexdigest()

    def chosen(self, due: datetime | None) -> int:
        """Return the index of the attempt that counts, as far as the times of the attempts decide it."""
        last = len(self.all) - 1
        if self.rule != ON_TIME or due is None:
            return last
        # What says no time counts as handed in on time everywhere.
        in_time = [index for index, time in enumerate(self.times) if time is None or time <= due]
        return in_time[-1] if in_time else last

    def description(self, index: int) -> LazyMessage:
        """Return a sentence that says which attempt counts."""
        number, every = index + 1, len(self.all)
        if self.rule == BEST:
            return LazyMessage("Attempt {number} of {all} counts, the best one.", number=number, all=every)
        if number < every:
            return LazyMessage(
                "Attempt {number} of {all} counts, the last one on time.", number=number, all=every
            )
        return LazyMessage("Attempt {number} of {all} counts, the last one.", number=number, all=every)


def attempts(course: Class, submission: Submission, tasks: Collection[str]) -> Attempts:
    """Return a student's attempts at a lesson, with this submission last.

    Args:
        course: the class.
        submission: the submission in `submitted/`.
        tasks: the ids of the lesson's tasks. A notebook without any of them is not an attempt.
    """
    rule = course.policy.attempts.get(submission.lesson, LAST)
    notebooks: list[tuple[datetime, datetime | None, Submission]] = []
    if rule != LAST:
        earlier = folder_of(course) / "earlier" / submission.student / submission.lesson
        for path in earlier.glob("*.ipynb"):
            stamp = path.with_name(f"{path.stem}-{STAMP}")
            time = course.policy.time_of(submission.lesson, moment(beside(stamp)))
            put_there = datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(tzinfo=None)
            if not refused(path, earlier):
                notebooks.append((time or put_there, time, replace(submission, path=path, stamped=stamp)))
        notebooks = sorted(notebooks, key=lambda attempt: attempt[0])[-MOST:]
        notebooks = [attempt for attempt in notebooks if _is_of(attempt[2], tasks)]
    all_of_them = [*(attempt for _time, _known, attempt in notebooks), submission]
    last = course.policy.time_of(submission.lesson, moment(beside(submission.stamp)))
    return Attempts(rule, all_of_them, [*(time for _, time, _one in notebooks), last])


def _is_of(submission: Submission, tasks: Collection[str]) -> bool:
    try:
        return bool(run_limited(READING, ids_among, submission.path.read_bytes(), frozenset(tasks)))
    except (LimitReached, OSError):
        return False


def insert_note(course: Class, graded: NotebookNode, note: LazyMessage) -> None:
    """Insert a note on the attempt at the top of a graded notebook, in the student's language."""
    with speaking(course.banks.course.bank, graded.metadata.get(SPOKEN, "")):
        graded.cells.insert(0, new_markdown_cell(_(note), id=ATTEMPT))
