"""Choose which of a student's attempts at a lesson counts, by the rule in `class.toml`."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.classroom.collection import StudentFiles
from autograder.grading import graded_results
from autograder.grading.class_folder import STAMP, Class, Submission, handed_in
from autograder.grading.gradebook_writer import ATTEMPTS
from autograder.grading.graded_results import Grading
from autograder.grading.late_policy import ATTEMPT, BEST, LAST, ON_TIME, Policy
from autograder.grading.read_submission import beside, moment, refused
from autograder.grading.reader_processes import READING, LimitReached, run_limited
from autograder.grading.releases import earlier, ids_among, tasks_of_all
from autograder.words.language import SPOKEN, LazyMessage, _, speaking
from autograder.words.phrases import listed

# Earlier ones that are looked at, the last of them.
MOST = 10


@dataclass(frozen=True)
class Attempts:
    """A student's attempts at a lesson, oldest first, and the rule that decides which of them counts."""

    rule: str
    all: Sequence[Submission]
    times: Sequence[datetime | None]

    def made_from(self, policy: Policy) -> dict[str, str]:
        """Return digests of the attempt that counts, and of all attempts and the rule.

        If one has changed, the grade is out of date.
        """
        digests = [hashlib.sha256(handed_in(attempt)) for attempt in self.all]
        due = policy.due_for(self.all[-1].lesson, self.all[-1].student)
        if self.rule == BEST:  # which one it was is found out only by grading all of them
            submission = f"{due} {policy.penalty_per_day}"
        else:
            submission = digests[self.chosen(due)].hexdigest()
        parts = [self.rule.encode(), *(digest.digest() for digest in digests)]
        return {"submission": submission, ATTEMPTS: hashlib.sha256(b"".join(parts)).hexdigest()}

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
        folder = StudentFiles(course, submission.lesson, submission.student).earlier
        for path in folder.glob("*.ipynb"):
            stamp = path.with_name(f"{path.stem}-{STAMP}")
            time = course.policy.time_of(submission.lesson, moment(beside(stamp)))
            put_there = datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(tzinfo=None)
            if not refused(path, folder):
                notebooks.append((time or put_there, time, replace(submission, path=path, stamped=stamp)))
        notebooks = sorted(notebooks, key=lambda attempt: attempt[0])[-MOST:]
        notebooks = [attempt for attempt in notebooks if _is_of(attempt[2], tasks)]
    all_of_them = [*(attempt for _time, _known, attempt in notebooks), submission]
    last = course.policy.time_of(submission.lesson, moment(beside(submission.stamp)))
    return Attempts(rule, all_of_them, [*(time for _, time, _one in notebooks), last])


def attempts_to_grade(course: Class, lessons: Iterable[str]) -> Iterator[str]:
    """Yield a line for each lesson in which other attempts may count than those that were graded.

    Which attempt counts changes with its rule and the due date in `class.toml`, and with a new attempt.
    """
    with graded_results.opened(course.database) as store:
        gradings = store.read(Grading)
    for lesson in sorted({grading.lesson for grading in gradings}.intersection(lessons, course.lessons)):
        graded_from = {grading.student: grading.made_from for grading in gradings if grading.lesson == lesson}
        several = {student for student, digests in graded_from.items() if ATTEMPTS in digests}
        if course.policy.attempts.get(lesson, LAST) != LAST:
            several |= graded_from.keys()
        if not several:
            continue
        now = course.current(lesson)
        tasks = tasks_of_all(now, earlier(now))
        who = []
        for submission in course.submissions(lesson, several):
            of_student, before = attempts(course, submission, tasks), graded_from.get(submission.student)
            if before and (len(of_student.all) > 1 or ATTEMPTS in before):
                digests = of_student.made_from(course.policy)
                same = [name for name, digest in digests.items() if before.get(name) == digest]
                if "submission" not in same or (of_student.rule == BEST and ATTEMPTS not in same):
                    who.append(submission.student)
        if who:
            yield f"{lesson}: another attempt may count now for {listed(who)}: autograder grade {lesson}"


def _is_of(submission: Submission, tasks: Collection[str]) -> bool:
    try:
        return bool(run_limited(READING, ids_among, submission.path.read_bytes(), frozenset(tasks)))
    except (LimitReached, OSError):
        return False


def insert_note(course: Class, graded: NotebookNode, note: LazyMessage) -> None:
    """Insert a note on the attempt at the top of a graded notebook, in the student's language."""
    with speaking(course.banks.course.bank, graded.metadata.get(SPOKEN, "")):
        graded.cells.insert(0, new_markdown_cell(_(note), id=ATTEMPT))
