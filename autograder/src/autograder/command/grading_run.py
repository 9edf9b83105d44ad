"""Run `autograder grade`, from the submitted files to the gradebook."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property

from nbformat import from_dict

from autograder.classroom.attempt_selection import Attempts, attempts, insert_note
from autograder.classroom.collection import CollectionRecord, StudentFiles, read_record
from autograder.classroom.gradebook_roster import folders_of_nobody
from autograder.classroom.hand_in_times import stamp_late
from autograder.grading.class_folder import STAMP, Class, Submission
from autograder.grading.class_folder import handed_in as read
from autograder.grading.gradebook_writer import GradebookWriter, Total, gradebook_lock, scores_changed
from autograder.grading.graded_results import TaskResult, readable
from autograder.grading.grading_banks import HiddenTestSampler
from autograder.grading.job_scheduling import ExecutorLost, GradeJob, NoSandbox, Result, grade_all
from autograder.grading.late_policy import BEST, best_instead, late_by
from autograder.grading.late_policy import FILE as POLICY
from autograder.grading.read_submission import SMALL_BYTES, lightened, refused
from autograder.grading.reader_processes import READING, LimitReached, Processes, run_limited
from autograder.grading.releases import (
    Release,
    earlier,
    ids_among,
    keep,
    known_ids_and_release,
    origin,
    tasks_of_all,
)
from autograder.grading.sandbox import bubblewrap
from autograder.grading.sandbox.jupyter_kernels import UNPROTECTED
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import BankError
from autograder.words.language import LazyMessage, ngettext
from autograder.words.phrases import listed
from autograder.words.sanitize import one_line

# Earlier versions of one submission that are looked at.
MOST_EARLIER = 10
# Of one kind, so many submissions get a line each.
MOST_LINES = 3
# What differs from one submission to the next in a text that stands for its kind.
PLACES = re.compile(r"\{\w+\}")

Say = Callable[[str], None]
Advance = Callable[[int, int, str], None]


@dataclass(frozen=True)
class GradeOptions:
    """The options of a run: lessons by name, students by id (all if empty), and how to run the submissions.

    `remote` is true if they run on a cluster.
    """

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
class PendingSubmission:
    """A submission to grade, the digests on which its grade depends, and the release that it fills in."""

    submission: Submission
    made_from: Mapping[str, str]
    release: Release
    number: int = 0  # its place among its student's notebooks for the lesson
    attempts: Attempts | None = None  # all of these notebooks, if there are several


# What a summary says of each of its numbers, in this order.
COUNTED = {
    "current": ("{number} submission had not changed", "{number} submissions had not changed"),
    "settled": (
        "{number} submission with another time, another penalty or points by hand",
        "{number} submissions with another time, another penalty or points by hand",
    ),
    "changed": ("{number} score changed since the last time", "{number} scores changed since the last time"),
    "written_answers": (
        "{number} written answer to read at the desk: autograder desk",
        "{number} written answers to read at the desk: autograder desk",
    ),
    "by_hand": (
        "{number} task with points given by hand, which stay: look at it again",
        "{number} tasks with points given by hand, which stay: look at them again",
    ),
    "faults": (
        "{number} submission could not be graded and needs a look",
        "{number} submissions could not be graded and need a look",
    ),
    "interrupted": ("stopped before the end; the next run goes on from here", ""),
    "misplaced": ("{number} file in the wrong place", "{number} files in the wrong place"),
}


@dataclass
class Summary:
    """The numbers of a run. `faults` lists submissions on which the grader itself failed."""

    graded: int = 0
    current: int = 0
    settled: int = 0
    changed: int = 0
    written_answers: int = 0
    by_hand: int = 0
    faults: list[str] = field(default_factory=list)
    misplaced: list[str] = field(default_factory=list)
    interrupted: bool = False
    dry_run: bool = False

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to grade."""
        done = self.graded or self.current or self.settled or self.faults
        return not (done or self.misplaced or self.interrupted)

    @property
    def text(self) -> str:
        """The numbers as one sentence."""
        if self.dry_run:
            done = ngettext(
                "{number} submission would be graded", "{number} submissions would be graded", self.graded
            )
        else:
            done = ngettext("{number} submission graded", "{number} submissions graded", self.graded)
        numbers = {name: self._count(name) for name in COUNTED}
        return (
            ", ".join(
                [done, *(ngettext(*COUNTED[name], number) for name, number in numbers.items() if number)]
            )
            + "."
        )

    def _count(self, name: str) -> int:
        value: int | list[str] = getattr(self, name)
        return value if isinstance(value, int) else len(value)


def grade_class(order: GradeOptions, say: Say, advance: Advance, executor: Executor | None = None) -> Summary:
    """Grade every submission whose file, lesson or checks have changed since it was last graded.

    Args:
        order: the options of the run.
        say: called with each line for the instructor, such as a submission to look at or a score that
            changes.
        advance: called with the number of submissions done, the number of all, and the last one's student and
            lesson.
        executor: the executor that grades submissions; by default, processes on this machine, each with a
            sandbox.

    Raises:
        NoSandbox: this machine cannot run submissions in a sandbox.
        BadBook: the gradebook cannot be used.
    """
    _ = order.course.policy  # a mistake in it is said first: it can be mended without a sandbox
    if not order.sandboxed:
        say(UNPROTECTED)
    elif executor is None and (reason := bubblewrap.why_not()):
        raise NoSandbox(reason)
    database = order.course.database
    with (
        nullcontext() if order.dry_run else gradebook_lock(database, order.course.banks.course.root),
        GradebookWriter(order.course, dry=order.dry_run) as book,
        readable(database),
    ):
        if not order.dry_run:
            stamp_late(order.course)
        run = _Run(order, book, lambda line: say(one_line(line)), advance)
        run.look_at_all()
        pool = executor or Processes(order.jobs, bool(run.waiting))
        try:
            draws = run.draw()
            if order.force:  # so that the next run goes on where this one is interrupted
                book.outdate([pending.submission for pending in run.waiting.values()])
            for done, result in enumerate(grade_all(run.jobs(draws), pool, ahead=2 * order.jobs), start=1):
                run.take(result)
                advance(done, len(run.waiting), f"{result.student} {result.lesson}")
        except ExecutorLost as problem:
            say(f"The cluster was lost: {problem}.")
            run.summary.interrupted = True
        except KeyboardInterrupt:
            run.summary.interrupted = True
        finally:
            run.told.tell(say)
            for (lesson, task), (rise, fall) in sorted(run.moved.items()):
                would = "would rise" if order.dry_run else "rose"
                say(f"{lesson}: {task}: {rise} {would}, {fall} {'would fall' if order.dry_run else 'fell'}")
            if executor is None:
                pool.shutdown(wait=True, cancel_futures=True)  # whatever still runs ends with its sandbox
    return run.summary


class _Kinds:
    """What is to be told of submissions, by kind: of a kind with many, one line names all of them."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int, str, str], list[tuple[str, str]]] = {}

    def add(self, who: str, text: str, kind: str = "", rank: int = 0) -> None:
        """Keep what is to be told of a submission; lines with a lower rank are told first."""
        student, _, lesson = who.partition(" ")
        self._lines.setdefault((rank, lesson, kind or text), []).append((student, text))

    def tell(self, say: Say) -> None:
        """Tell all of it."""
        for (_rank, lesson, kind), some in sorted(self._lines.items(), key=lambda item: item[0][0]):
            if len(some) <= MOST_LINES:
                for student, text in some:
                    say(one_line(f"{student} {lesson}: {text}"))
            else:
                students = list(dict.fromkeys(student for student, _ in some))
                say(one_line(f"{lesson}: {PLACES.sub('…', kind)} ({len(students)}): {listed(students)}"))


def _kind(note: LazyMessage) -> str:
    """Return the text that notes of a kind share: of what differs, only the reason is filled in."""
    return note.texts[-1].replace("{why}", str(note.values.get("why", "{why}")))


class _Run:
    """One run: what waits to be graded, by lesson and student, and what came of it so far."""

    def __init__(self, order: GradeOptions, book: GradebookWriter, say: Say, advance: Advance) -> None:
        self.told = _Kinds()
        self._advance = advance
        self.summary = Summary(dry_run=order.dry_run)
        self.waiting: dict[tuple[str, str, int], PendingSubmission] = {}
        # What came of a student's notebooks for one lesson, until all of them are graded.
        self.moved: dict[tuple[str, str], list[int]] = {}  # how many scores of a task rise, and fall
        self._tried: dict[tuple[str, str], list[Result]] = {}
        self._order, self._book, self._say = order, book, say
        self._course = order.course
        self.draws = HiddenTestSampler(order.course.banks)
        self._now: dict[str, str] = {}  # the id of each lesson's current release

    def look_at_all(self) -> None:
        """Find what has changed since it was graded."""
        self.summary.misplaced = self._course.misplaced()
        for line in self.summary.misplaced:
            self._say(line)
        strangers, nobodys = folders_of_nobody(self._course), set[str]()
        for lesson in self._order.lessons:
            handed_in = self._course.submissions(lesson, self._order.students)
            nobodys |= {submission.student for submission in handed_in} & strangers.keys()
            handed_in = [submission for submission in handed_in if submission.student not in strangers]
            if handed_in:  # else the export would hold zeros for it
                self._book.enter_lesson(lesson)
                self._look_at_lesson(lesson, handed_in)
        for name in sorted(nobodys):
            self.summary.misplaced.append(strangers[name])
            self._say(strangers[name])

    def _look_at_lesson(self, lesson: str, handed_in: Sequence[Submission]) -> None:
        course = self._course
        note = course.banks.notes.get(lesson)
        if note and course.policy.require_secret:
            self.summary.faults += [f"{handed.student} {lesson}" for handed in handed_in]
            self._say(f"{lesson}: nothing was graded, since {POLICY} asks for hidden probes: {note}")
            return
        if note:
            self._say(f"{lesson}: {note}")
        now = course.current(lesson)
        self._now[lesson] = now.id
        older = earlier(now, self._say)
        if not self._order.dry_run:
            try:
                keep(now)
            except OSError as problem:  # what it is for comes later: grading goes on
                self._say(f"{lesson}: this release could not be kept ({problem.strerror})")
        if not now.solution:
            self._say(f"{lesson}: its source is not there, so a mistake also costs what is built from it")
        tasks = tasks_of_all(now, older)
        for number, submission in enumerate(handed_in):
            self._advance(number, len(handed_in), f"looking at {lesson}")
            several = attempts(course, submission, tasks)
            if len(several.all) == 1:
                self._look_at(submission, now, older)
            elif several.rule == BEST:
                for attempt, version in enumerate(several.all):
                    self._look_at(version, now, older, attempt, several)
            else:
                attempt = several.chosen(course.policy.due_for(lesson, submission.student))
                self._look_at(several.all[attempt], now, older, attempt, several)

    def _look_at(
        self,
        submission: Submission,
        now: Release,
        older: Sequence[Release],
        number: int = 0,
        several: Attempts | None = None,
    ) -> None:
        who, book, summary = submission.who, self._book, self.summary
        which = submission.lesson, submission.student
        if submission.note:
            self.told.add(who, submission.note)
        if not submission.path.exists() and submission.note:
            summary.faults.append(who)
            return
        try:
            release = self._origin(submission, now, older)
        except LimitReached as problem:
            summary.faults.append(who)
            self._needs_a_look(who, f"no score was written: {problem}")
            return
        made_from = self._course.made_from(submission, release)
        is_best = several is not None and several.rule == BEST
        if several:
            made_from |= several.made_from(self._course.policy)
        if book.has_no_time(submission):
            self.told.add(who, f"{STAMP} beside the submission says no time, so it does not count as late")
        if self._order.force or not book.is_current(submission, made_from):
            if release is not now:
                if why := self._why_not_by(release):
                    summary.faults.append(who)
                    self._needs_a_look(who, f"no score was written: it {why}")
                    return
                reason = "graded by the earlier release that it came from"
                if points := self._on_public_probes(release):
                    reason += f", so {points:g} points rest on visible probes alone"
                self.told.add(who, reason)
            self.waiting[*which, number] = PendingSubmission(submission, made_from, release, number, several)
        elif is_best and number:
            pass  # told once
        elif scores := book.settle(submission, timed=not is_best):
            summary.settled += 1
            if len(set(scores)) > 1:
                self.told.add(
                    who, scores_changed(*scores), "other points by another time, penalty or points by hand"
                )
        else:
            summary.current += 1

    def _origin(self, submission: Submission, now: Release, older: Sequence[Release]) -> Release:
        """Return the release that a submission came from.

        Raises:
            LimitReached: the submission cannot be read.
        """
        if not older:
            return now
        task_ids = tasks_of_all(now, older)
        ids, release_id = run_limited(READING, known_ids_and_release, read(submission), task_ids)
        release = origin(ids, release_id, now, older)
        if release is now:
            return now
        # Who had the newer release cannot go back to the earlier one by leaving out what that lacks.
        newer = (now.tasks - release.tasks) & self._had(submission, task_ids)
        if not newer:
            return release
        reason = f"what it lacks counts 0, since an earlier version of it had {min(newer)}"
        self.told.add(submission.who, reason)
        return now

    def _needs_a_look(self, who: str, why: str) -> None:
        self.told.add(who, f"needs a look, {why}", rank=1)

    def _had(self, submission: Submission, task_ids: frozenset[str]) -> frozenset[str]:
        """Return those of some tasks that earlier versions of a submission had, as far as they were kept.

        Raises:
            LimitReached: one of them cannot be read.
        """
        which = submission.lesson, submission.student
        had = task_ids & {result.task for result in self._book.verdicts.read(TaskResult, *which)}
        had |= task_ids.intersection(self._record.had.get(submission.lesson, {}).get(submission.student, ()))
        earlier = StudentFiles(self._course, submission.lesson, submission.student).earlier
        for path in sorted(earlier.glob("*.ipynb"))[:MOST_EARLIER]:
            if not refused(path, earlier):
                had |= run_limited(READING, ids_among, path.read_bytes(), task_ids)
        return had

    def _on_public_probes(self, release: Release) -> float:
        """Return the points of an earlier release that rest on visible probes alone."""
        try:
            asked = self.draws.of(release.lesson, b"", release.banks)
        except AuthoringError:  # which is told where this lesson's questions are drawn
            asked = {}
        return release.banks.public_alone(release.lesson, asked, release.tasks)

    def _why_not_by(self, release: Release) -> str:
        """Return why a submission cannot be graded by the earlier release it came from; "" where it can."""
        if self._order.remote:
            return "comes from an earlier release, which a cluster does not have: grade it here"
        try:
            release.banks.lesson(release.lesson)
        except BankError as problem:
            return f"comes from an earlier release, which cannot be graded by any more. {problem}"
        return ""

    @cached_property
    def _record(self) -> CollectionRecord:
        return read_record(self._course)

    def draw(self) -> HiddenTestSampler:
        """Draw the hidden questions; a lesson whose source yields none is not graded."""
        draws = self.draws
        for lesson in {lesson for lesson, *_ in self.waiting}:
            try:
                draws.of(lesson, b"")
            except AuthoringError as problem:
                self.summary.faults.append(lesson)
                self._say(f"{lesson}: needs a look, nothing was graded: {'; '.join(problem.problems)}")
                self.waiting = {which: file for which, file in self.waiting.items() if which[0] != lesson}
        return draws

    def jobs(self, draws: HiddenTestSampler) -> Iterator[GradeJob]:
        """Yield what waits as jobs; those of one release together: a sandbox is made for one set of banks."""
        for waiting in sorted(self.waiting.values(), key=lambda waiting: waiting.release.id):
            submission, release = waiting.submission, waiting.release
            lesson = submission.lesson
            why_not, text = submission.refused, b""
            if not why_not:
                try:
                    text = submission.path.read_bytes()
                    if len(text) > SMALL_BYTES:  # many of these are in hand at one time
                        with contextlib.suppress(LimitReached):  # whoever grades it comes to the same
                            text = run_limited(READING, lightened, text)
                except OSError as problem:
                    why_not = f"the file cannot be opened ({problem.strerror})"
            is_now = release.id == self._now[lesson]
            drawn = draws.of(lesson, text, None if is_now else release.banks)
            yield GradeJob(
                lesson,
                submission.student,
                release.text,
                text,
                release.banks.only(self._order.lessons),
                sandboxed=self._order.sandboxed,
                solution=release.solution,
                figures=self._order.figures,
                drawn=drawn,
                refused=why_not,
                translations=self._course.translated_releases(lesson),
                attempt=waiting.number,
            )

    def take(self, result: Result) -> None:
        """Write one result, and tell what a person should know about it."""
        waiting = self.waiting[result.lesson, result.student, result.attempt]
        if waiting.attempts and waiting.attempts.rule == BEST:
            which = result.lesson, result.student
            tried = self._tried.setdefault(which, [])
            tried.append(result)
            if len(tried) < sum(key[:2] == which for key in self.waiting):
                return
            result = max(self._tried.pop(which), key=self._counts)
            waiting = self.waiting[*which, result.attempt]
        self._write(waiting, result)

    def _counts(self, result: Result) -> tuple[bool, float, int]:
        """By what one of several results is the best: that there is one, its points, that it came last."""
        waiting, policy = self.waiting[result.lesson, result.student, result.attempt], self._course.policy
        points = sum(task.points or 0.0 for task in result.tasks)
        due = policy.due_for(result.lesson, result.student)
        time = waiting.attempts.times[result.attempt] if waiting.attempts else None
        if due and time:
            points -= late_by(policy.penalty_per_day or 0.0, (time - due).total_seconds(), points)
        return not result.fault, points, result.attempt

    def _write(self, waiting: PendingSubmission, result: Result) -> None:
        book, summary = self._book, self.summary
        who = waiting.submission.who
        if result.fault:
            summary.faults.append(who)
            self._needs_a_look(who, f"no score was written: {result.fault}")
            return
        before = book.scores(waiting.submission)
        for task in result.tasks:
            if task.points is not None and before.get(task.task, task.points) != task.points:
                summary.changed += 1
                up_or_down = self.moved.setdefault((result.lesson, task.task), [0, 0])
                up_or_down[task.points < before[task.task]] += 1
                change = f"{task.task} {before[task.task]:g} -> {task.points:g}"
                self.told.add(who, change, f"{task.task} has another score")
        counts = waiting.attempts and waiting.attempts.description(result.attempt)
        notes = (counts, *result.notes) if counts else result.notes
        for note in notes:
            self.told.add(who, note, _kind(note) if isinstance(note, LazyMessage) else "")
        for task in result.tasks:
            if "forbidden" in task.flags:  # each of the other flags has a note
                self.told.add(who, f"look at {task.task}: it makes a call that the task forbids", rank=1)
        summary.graded += 1
        total = book.total(waiting.submission)
        try:
            graded = from_dict(json.loads(result.notebook))
            if counts:
                insert_note(self._course, graded, counts)
            to_read, by_hand = book.write(waiting.submission, graded, waiting.made_from, result.tasks, notes)
            self._tell_total(waiting.submission, total, book.total(waiting.submission))
            summary.written_answers += to_read
            summary.by_hand += by_hand
            if by_hand:
                self.told.add(
                    who, "graded again, and the points that a person gave stay: look at them at the desk"
                )
        except Exception as problem:  # one submission that cannot be written must not cost the others
            book.undo()
            summary.graded -= 1
            summary.faults.append(who)
            same = book.scores(waiting.submission) == before
            done = "no score was written" if same else "only scores were written"
            self._needs_a_look(who, f"{done}: {_why(problem)}")

    def _tell_total(self, submission: Submission, before: Total | None, after: Total | None) -> None:
        """Tell how a lesson's score changed where being late has a part in it, which tasks do not show."""
        if not before or not after or before.points == after.points:
            return
        if not before.penalty and not after.penalty:
            return
        fell = after.points < before.points
        off = f"{after.penalty:g}" if after.penalty else "nothing"
        text = f"{before.points:g} -> {after.points:g} points, {off} off for being late"
        kind = f"{'fewer' if fell else 'more'} points, with what being late costs"
        if fell and before.time != after.time and self._course.policy.attempts.get(submission.lesson) != BEST:
            advice = (
                f". The attempt that counts does so with its own lateness: {best_instead(submission.lesson)}"
            )
            text, kind = text + advice, kind + advice
        self.told.add(submission.who, text, kind, rank=-1 if fell else 0)


def _why(problem: Exception) -> str:
    """Return in words why a submission could not be written; what the disk refused is said by itself."""
    cause: BaseException | None = problem
    while cause:
        if isinstance(cause, OSError) and cause.strerror:
            return f"{cause.strerror} ({cause.filename})" if cause.filename else cause.strerror
        if "disk is full" in str(cause):
            return "the disk is full"
        cause = cause.__cause__ or cause.__context__
    return f"{type(problem).__name__}: {problem}"
