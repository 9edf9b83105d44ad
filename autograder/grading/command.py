"""What `autograder grade` does, from the files that were handed in to the gradebook."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field

from nbformat import from_dict

from autograder.console import count, one_line
from autograder.grading.batch import ExecutorLost, Job, Result, close_sandboxes, grade_all
from autograder.grading.course import STAMP, Class, Submission
from autograder.grading.course import handed_in as read
from autograder.grading.gradebook import Book, alone
from autograder.grading.policy import FILE as POLICY
from autograder.grading.releases import Release, earlier, keep, origin
from autograder.grading.runner import NoSandbox
from autograder.grading.secret import Draws, new_word
from autograder.grading.submission import read_text
from autograder.grading.verdicts import readable
from autograder.problems import AuthoringError
from autograder.sandbox import walls
from autograder.sandbox.kernels import UNPROTECTED

Say = Callable[[str], None]
Advance = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Order:
    """What to grade: lessons by name, students by id (all if none), and how; `remote` on a cluster."""

    course: Class
    lessons: list[str]
    jobs: int = 2
    students: frozenset[str] = frozenset()
    force: bool = False
    dry_run: bool = False
    sandboxed: bool = True
    figures: bool = False
    remote: bool = False


@dataclass(frozen=True)
class Waiting:
    """A submission that is to be graded, what its grade depends on, and the release that it came from."""

    submission: Submission
    made_from: Mapping[str, str]
    release: Release


@dataclass
class Summary:
    """What a run did, in numbers; `faults` are submissions that our own code failed on."""

    graded: int = 0
    current: int = 0
    settled: int = 0
    changed: int = 0
    written_answers: int = 0
    faults: list[str] = field(default_factory=list)
    misplaced: list[str] = field(default_factory=list)
    interrupted: bool = False
    dry_run: bool = False

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to grade."""
        return not (self.graded or self.current or self.settled or self.faults or self.interrupted)

    @property
    def text(self) -> str:
        lines = [f"{count(self.graded, 'submission')} {'would be graded' if self.dry_run else 'graded'}"]
        if self.current:
            lines.append(f"{count(self.current, 'submission')} had not changed")
        if self.settled:
            lines.append(f"{count(self.settled, 'submission')} with another time or penalty")
        if self.changed:
            lines.append(f"{count(self.changed, 'score')} changed since the last time")
        if self.written_answers:
            lines.append(f"{count(self.written_answers, 'written answer')} to read in the formgrader")
        if self.faults:
            lines.append(f"{count(len(self.faults), 'submission')} could not be graded and need a look")
        if self.interrupted:
            lines.append("stopped before the end; the next run goes on from here")
        if self.misplaced:
            lines.append(f"{count(len(self.misplaced), 'file')} in the wrong place")
        return ", ".join(lines) + "."


def lessons(course: Class) -> list[str]:
    """The lessons that have a release and a bank."""
    return [name for name in course.banks.folders if course.release(name).is_file()]


def grade_class(order: Order, say: Say, advance: Advance, executor: Executor | None = None) -> Summary:
    """Grade every submission whose file, lesson or checks have changed since it was graded.

    Args:
        order: what to grade.
        say: takes a line for a person: a submission that needs their eye, a score that changes.
        advance: takes how many submissions are done, of how many, and the last one's name.
        executor: where submissions are graded; threads of this process, each with a sandbox, if none.

    Raises:
        NoSandbox: submissions cannot be shut in on this machine.
        BadBook: the gradebook cannot be used.
    """
    if not order.sandboxed:
        say(UNPROTECTED)
    elif executor is None and (reason := walls.why_not()):
        raise NoSandbox(reason)
    course = order.course
    told, say = say, lambda line: told(one_line(line))
    summary = Summary(dry_run=order.dry_run)
    handed_in = {lesson: course.submissions(lesson, order.students) for lesson in order.lessons}
    summary.misplaced = course.misplaced()
    for line in summary.misplaced:
        say(line)
    with (
        nullcontext() if order.dry_run else alone(course.database),
        Book(course, dry=order.dry_run) as book,
        readable(course.database),
    ):
        waiting: dict[tuple[str, str], Waiting] = {}
        for lesson in filter(handed_in.get, order.lessons):  # else the export would hold zeros for it
            book.know(lesson)
            note = course.banks.notes.get(lesson)
            if note and course.policy.require_secret:
                summary.faults += [f"{one.student} {lesson}" for one in handed_in[lesson]]
                say(f"{lesson}: nothing was graded, since {POLICY} asks for hidden probes: {note}")
                continue
            if note:
                say(f"{lesson}: {note}")
            now = course.current(lesson)
            older = earlier(course.banks.course.root, now)
            if not order.dry_run:
                try:
                    keep(course.banks.course.root, now)
                except OSError as problem:  # what it is for comes later: grading goes on
                    say(f"{lesson}: this release could not be kept ({problem.strerror})")
            if not now.solution:
                say(f"{lesson}: its source is not there, so a mistake also costs what is built from it")
            for submission in handed_in[lesson]:
                who = f"{submission.student} {lesson}"
                if submission.note:
                    say(f"{who}: {submission.note}")
                if not submission.path.exists() and submission.note:
                    summary.faults.append(who)
                    continue
                release = origin(read_text(read(submission)), now, older) if older else now
                if release is not now and order.remote:
                    summary.faults.append(who)
                    say(f"{who}: comes from an earlier release, which a cluster does not have: grade it here")
                    continue
                if release is not now:
                    say(f"{who}: graded by the earlier release that it came from")
                made_from = course.made_from(submission, release)
                if release is not now:
                    made_from["what tasks count that it lacks"] = course.policy.missing_tasks
                if book.has_no_time(submission):
                    say(f"{who}: {STAMP} beside the submission says no time, so it does not count as late")
                if order.force or not book.is_current(submission, made_from):
                    waiting[lesson, submission.student] = Waiting(submission, made_from, release)
                elif book.settle(submission):
                    summary.settled += 1
                else:
                    summary.current += 1
        draws = Draws(course.banks, new_word())
        for lesson in {lesson for lesson, _ in waiting}:
            try:
                draws.of(lesson, b"")
            except AuthoringError as problem:
                summary.faults.append(lesson)
                say(f"{lesson}: needs a look, nothing was graded: {'; '.join(problem.problems)}")
                waiting = {which: one for which, one in waiting.items() if which[0] != lesson}
        if order.force:  # so that the next run goes on where this one is interrupted
            book.outdate([one.submission for one in waiting.values()])
        own = executor or ThreadPoolExecutor(order.jobs, thread_name_prefix="grading")
        results = grade_all(_jobs(waiting, order, draws), own, ahead=2 * order.jobs)
        try:
            for done, result in enumerate(results, start=1):
                _take(book, waiting[result.lesson, result.student], result, summary, say)
                advance(done, len(waiting), f"{result.student} {result.lesson}")
        except ExecutorLost as problem:
            say(f"The cluster was lost: {problem}.")
            summary.interrupted = True
        except KeyboardInterrupt:
            summary.interrupted = True
        finally:
            if executor is None:
                own.shutdown(wait=False, cancel_futures=True)
                close_sandboxes()  # whatever still runs ends with its sandbox
                own.shutdown(wait=True)
                close_sandboxes()  # and so does a sandbox that was just being started
    return summary


def _jobs(waiting: Mapping[tuple[str, str], Waiting], order: Order, draws: Draws) -> Iterator[Job]:
    # Those of one release together: a sandbox is made for one set of banks.
    for one in sorted(waiting.values(), key=lambda one: one.release.id):
        submission, release = one.submission, one.release
        lesson = submission.lesson
        refused, text = submission.refused, b""
        if not refused:
            try:
                text = submission.path.read_bytes()
            except OSError as problem:
                refused = f"the file cannot be opened ({problem.strerror})"
        # What is drawn anew is for the lesson as it is now.
        drawn = {} if lesson in release.banks.notes else draws.of(lesson, text)
        how = refused, order.sandboxed, release.solution, order.figures, drawn
        yield Job(lesson, submission.student, release.text, text, release.banks, *how)


def _take(book: Book, one_of: Waiting, result: Result, summary: Summary, say: Say) -> None:
    """Write one result, and tell what a person should know about it."""
    submission = one_of.submission
    who = f"{submission.student} {submission.lesson}"
    if result.fault:
        summary.faults.append(who)
        say(f"{who}: needs a look, no score was written: {result.fault}")
        return
    before = book.scores(submission)
    for one in result.tasks:
        if one.points is not None and before.get(one.task, one.points) != one.points:
            summary.changed += 1
            say(f"{who}: {one.task} {before[one.task]:g} -> {one.points:g}")
    for note in result.notes:
        say(f"{who}: {note}")
    summary.graded += 1
    if not summary.dry_run:
        try:
            graded = from_dict(json.loads(result.notebook))
            book.write(submission, graded, one_of.made_from, result.tasks, result.notes)
            summary.written_answers += book.waiting_for_a_person(submission)
        except Exception as problem:  # one submission that cannot be written must not cost the others
            book.undo()
            summary.graded -= 1
            summary.faults.append(who)
            done = "no score was written" if book.scores(submission) == before else "only scores were written"
            say(f"{who}: needs a look, {done}: {type(problem).__name__}: {problem}")
