"""The only code that writes to nbgrader's gradebook and to `autograded/`, in nbgrader's own format."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import sysconfig
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, cast

import nbformat
from filelock import FileLock, Timeout
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    InvalidEntry,
    MissingEntry,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import AssignLatePenalties, LimitOutput
from sqlalchemy import select

from autograder.grading import graded_results
from autograder.grading.class_folder import KEY, STAMP, Class, Submission
from autograder.grading.gradebook_task_changes import MoveCells
from autograder.grading.graded_results import (
    Change,
    Grading,
    Store,
    TaskResult,
    Ticked,
    make_table,
    now,
    readable,
)
from autograder.grading.late_policy import EXCUSE, is_guess
from autograder.grading.read_submission import beside, moment
from autograder.records.authoring_errors import BadBook
from autograder.words.language import LazyMessage

PERMISSIONS = 0o444
# What a grade was made from, where it is one of several attempts.
ATTEMPTS = "attempts"
# Why a score has changed of which the whole class was given the same points by hand.
FOR_EVERYBODY = "points by hand for everybody"
SQLITE = "sqlite:///"

# Where nbgrader's programs are, and the table that it makes last.
SCRIPTS = sysconfig.get_path("scripts")
FINISHED = "alembic_version"
# What nbgrader's gradebook raises, it logs as well, with a traceback.
logging.getLogger("tornado.application").addFilter(lambda record: "nbgrader" not in record.pathname)

log = logging.getLogger(__name__)


class Total(NamedTuple):
    """A student's score for a lesson: the time of submission, the penalty, and the points after it."""

    time: datetime | None
    penalty: float
    points: float


class GradebookWriter:
    """The gradebook of a class, open for writing.

    A graded notebook is first written to a temporary file, and the old one removed. Then the database is
    changed in one transaction, and the new notebook is put in place. If a run fails or is interrupted, a
    score may be without its notebook, and the next run then grades that submission again.

    Args:
        course: the class's folder.
        dry: whether to open a temporary copy, so that the gradebook itself does not change.

    Raises:
        BadBook: the gradebook cannot be used.
    """

    def __init__(self, course: Class, dry: bool = False) -> None:
        self._course = course
        self._copy = tempfile.TemporaryDirectory(prefix="gradebook-") if dry else None
        self._database = _copied(course.database, Path(self._copy.name)) if self._copy else course.database
        if _is_lost(course):
            graded = course.directory.autograded_directory
            why = (
                f"is empty, and {graded}/ is not: put a copy of the gradebook into its place. To begin it "
                "anew, without the points that people gave, remove the empty file first"
            )
            raise BadBook(course.database, why)
        try:
            with _programs_found(), readable(course.database):
                self._gradebook = Gradebook(self._database, course.directory.course_id)
        except InvalidEntry as problem:
            raise BadBook(course.database, f"cannot be used ({problem})") from problem
        engine = self._gradebook.engine
        with engine.connect() as connection:
            finished = engine.dialect.has_table(connection, FINISHED)
        if not finished:
            self.__exit__(None, None, None)
            why = "is half-made: nbgrader was stopped while it made it; move it away and start again"
            raise BadBook(course.database, why)
        make_table(engine)
        self.verdicts = Store(self._gradebook.db)
        self._students: set[str] = set()
        self._cells: dict[str, dict[str, tuple[str, float]]] = {}
        self._gradings: dict[str, dict[str, Mapping[str, str]]] = {}

    def __enter__(self) -> GradebookWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gradebook.close()
        if self._copy is not None:
            self._copy.cleanup()
        if isinstance(error, InvalidEntry):  # what the database said against it, in nbgrader's words
            raise BadBook(self._course.database, f"cannot be used ({error})") from error

    @property
    def nbgrader(self) -> Gradebook:
        """The gradebook as nbgrader's own object."""
        return self._gradebook

    def enter_lesson(self, lesson: str) -> None:
        """Enter a lesson's release and due date in the gradebook, or update them, as nbgrader would."""
        if self._course.policy.written:
            due = self._course.policy.due.get(lesson)
            self._gradebook.update_or_create_assignment(lesson, duedate=due)
        release = nbformat.read(self._course.release(lesson), as_version=4)
        marks = [cell.metadata.nbgrader for cell in release.cells if _marked(cell)]
        wanted = {mark["grade_id"]: float(mark["points"]) for mark in marks if mark["grade"]}
        try:
            cells_in_book = self._gradebook.find_notebook(lesson, lesson).grade_cells
            if {cell.name: cell.max_score for cell in cells_in_book} == wanted:
                return
        except MissingEntry:
            self._gradebook.update_or_create_assignment(lesson)
        resources = {"nbgrader": {"notebook": lesson, "assignment": lesson, "db_url": self._database}}
        MoveCells(config=self._course.config).preprocess(release, resources)
        self._gradebook.db.expire_all()
        self._cells.pop(lesson, None)

    def scores(self, submission: Submission) -> dict[str, float]:
        """Return the scores by task that checks gave to a submission, without tasks with points by hand."""
        try:
            notebook = self._notebook(submission)
        except MissingEntry:
            return {}
        names = self._names(submission.lesson)
        return {
            names[grade.cell_id]: grade.auto_score
            for grade in notebook.grades
            if grade.auto_score is not None and grade.manual_score is None
        }

    def is_current(self, submission: Submission, made_from: Mapping[str, str]) -> bool:
        """Tell whether a submission was graded from exactly this, and its grades are in the gradebook.

        Args:
            submission: the submission.
            made_from: the digests of everything that a grade depends on, as `Class.made_from` returns them.
        """
        if submission.lesson not in self._gradings:
            gradings = self.verdicts.read(Grading, submission.lesson)
            self._gradings[submission.lesson] = {grading.student: grading.made_from for grading in gradings}
        known_from = self._gradings[submission.lesson].get(submission.student)
        if not made_from or known_from != made_from or not submission.graded.is_file():
            return False
        try:
            self._notebook(submission)
        except MissingEntry:
            return False
        return True

    def settle(self, submission: Submission, timed: bool = True) -> tuple[float, float] | None:
        """Update a grade to its late penalty, to points by hand and, if `timed`, to the time of submission.

        Returns:
            The score before and after; None if nothing has changed.
        """
        handed_in, before = self._notebook(submission).assignment, self.total(submission)
        if timed:
            handed_in.timestamp = self._timestamp(submission) or self._kept_time(handed_in, {})
        self.recount(submission.lesson, submission.student)
        after = self.total(submission)
        self._gradebook.db.commit()
        return None if before == after or not before or not after else (before.points, after.points)

    def total(self, submission: Submission) -> Total | None:
        """Return a student's score for a lesson; None if nothing of it is in the gradebook."""
        try:
            notebook = self._notebook(submission)
        except MissingEntry:
            return None
        penalty = notebook.late_submission_penalty or 0.0
        return Total(notebook.assignment.timestamp, penalty, max(0.0, notebook.score - penalty))

    def recount(self, lesson: str, student: str) -> None:
        """Update excused tasks and the late penalty to points and `class.toml`; the caller commits."""
        notebook = self._gradebook.find_submission_notebook(lesson, lesson, student)
        self._apply_terms(notebook.assignment)
        for grading in self.verdicts.read(Grading, lesson, student):
            self._excuse(notebook, self._names(lesson), grading.excused)
        self._gradebook.db.flush()
        self._gradebook.db.refresh(notebook)
        self._charge(lesson, student, notebook)

    def withdraw(self, lesson: str, student: str, why: str) -> None:
        """Remove a submission with its scores, and record each score that is gone with the reason.

        Points by hand that the whole class was given stay: they are no part of the submission.
        """
        stay = self._points_of_everybody(lesson, student)
        gone = self.verdicts.forget_submission(lesson, student)
        changes = (Change(lesson, student, task.task, now(), task.points, None, why) for task in gone)
        self.verdicts.add(changes)
        with contextlib.suppress(MissingEntry):
            self._gradebook.remove_submission(lesson, student)
        if stay:
            self.enter(lesson, student)
            for task, points in stay.items():
                self._gradebook.find_grade(task, lesson, lesson, student).manual_score = points
            self.recount(lesson, student)
        self._gradebook.db.commit()

    def enter(self, lesson: str, student: str) -> None:
        """Enter a student who has handed in nothing, with nothing to read, so that they can have points."""
        self._gradebook.update_or_create_submission(lesson, student)
        for grade in self._gradebook.find_submission_notebook(lesson, lesson, student).grades:
            grade.needs_manual_grade = False

    def _points_of_everybody(self, lesson: str, student: str) -> dict[str, float]:
        """Return a student's points by hand that the whole class was given, by task."""
        changes = self.verdicts.read(Change, lesson, student)
        last = {change.task: change for change in changes if change.action}
        points = {}
        for task, change in last.items():
            with contextlib.suppress(MissingEntry):
                manual = self._gradebook.find_grade(task, lesson, lesson, student).manual_score
                if change.why == FOR_EVERYBODY and manual is not None and manual == change.by_hand:
                    points[task] = manual
        return points

    def outdate(self, submissions: Collection[Submission]) -> None:
        """Mark submissions as outdated, so that the next run grades them again."""
        which = {(submission.lesson, submission.student) for submission in submissions}
        gradings = self.verdicts.read(Grading)
        self.verdicts.outdate(grading for grading in gradings if (grading.lesson, grading.student) in which)
        self._gradebook.db.commit()

    def write(
        self,
        submission: Submission,
        graded: NotebookNode,
        made_from: Mapping[str, str],
        tasks: Sequence[TaskResult] = (),
        notes: tuple[str, ...] = (),
    ) -> tuple[int, int]:
        """Write a graded submission to the gradebook, and its notebook to `autograded/`; not there if dry.

        Args:
            submission: the submission.
            graded: its notebook, with the verdicts.
            made_from: the digests of everything that the grade depends on, as `Class.made_from` returns them.
            tasks: the records of its tasks.
            notes: notes for the person who grades.

        Returns:
            The number of answers that nobody has read yet, and of those whose points by hand need another
                look.
        """
        book, lesson, student = self._gradebook, submission.lesson, submission.student
        LimitOutput(config=self._course.config).preprocess(graded, {})
        known_cells = set(self._names(lesson).values())
        cells = {cell.metadata.nbgrader["grade_id"]: cell for cell in graded.cells if _marked(cell)}
        for name in (
            cells.keys() - known_cells
        ):  # nbgrader would look for what the gradebook does not have any more
            del cells[name].metadata["nbgrader"]
        fresh = None if self._copy else _written(graded, submission.graded)
        if fresh:
            remove(submission.graded)
            _copy_stamps(submission)
        if student not in self._students:
            book.update_or_create_student(student)
            self._students.add(student)
        # nbgrader puts a submission together of parts that are not in the book yet: none is written alone.
        # And each question to the book would write what has changed before.
        with book.db.no_autoflush:
            handed_in = book.update_or_create_submission(lesson, student)
            handed_in.timestamp = self._timestamp(submission) or self._kept_time(handed_in, made_from)
            self._apply_terms(handed_in)
            notebook = self._notebook(submission)
            names = self._names(lesson)
            excused = tuple(name for grade in notebook.grades if (name := names[grade.cell_id]) not in cells)
            self._score(lesson, notebook, cells, self._with_same_words(lesson, student, tasks))
            self._excuse(notebook, names, excused)
            waiting = [
                (grade.auto_score, grade.manual_score) != (None, None)
                for grade in notebook.grades
                if grade.needs_manual_grade
            ]
            # A penalty of an earlier run is taken back where the time was corrected.
            self._charge(lesson, student, notebook)
            self.verdicts.write(Grading(lesson, student, now(), made_from, notes, excused), tasks)
            book.db.commit()
        if fresh:
            os.replace(fresh, submission.graded)
        return waiting.count(False), waiting.count(True)

    def has_no_time(self, submission: Submission) -> bool:
        """Tell whether a submission has a file for its time of submission, but no time can be read in it."""
        return not submission.refused and submission.stamp.exists() and self._timestamp(submission) is None

    def undo(self) -> None:
        """Discard the changes to the gradebook that are not committed yet."""
        self._gradebook.db.rollback()

    def _timestamp(self, submission: Submission) -> datetime | None:
        """Return the time in nbgrader's file beside the submission; None if that has none."""
        return None if submission.refused else moment(beside(submission.stamp))

    def _kept_time(self, handed_in: SubmittedAssignment, made_from: Mapping[str, str]) -> datetime | None:
        """Return the gradebook's own time of a submission that says none; None if it is not a person's.

        It is none for a guess, and where it may be the time of another attempt of the student.
        """
        lesson, student = handed_in.assignment.name, handed_in.student.id
        graded_from = (
            made_from,
            *(known.made_from for known in self.verdicts.read(Grading, lesson, student)),
        )
        another = any(ATTEMPTS in digests for digests in graded_from)
        return None if another or is_guess(handed_in.timestamp) else handed_in.timestamp

    def _with_same_words(self, lesson: str, student: str, tasks: Sequence[TaskResult]) -> set[str]:
        """Return the written answers that were read in these words, but for spaces.

        They are those of the last grading, or those that a person ticked lines for, since an earlier attempt
        may count again.
        """
        notebook = self._gradebook.find_submission_notebook(lesson, lesson, student)
        names = self._names(lesson)
        unread = {names[grade.cell_id] for grade in notebook.grades if grade.needs_manual_grade}
        before = {
            task.task: task.answer.split()
            for task in self.verdicts.read(TaskResult, lesson, student)
            if task.task not in unread
        }
        ticked = {ticks.task: ticks.answer.split() for ticks in self.verdicts.read(Ticked, lesson, student)}
        answers = {task.task: task.answer.split() for task in tasks}
        return {
            task
            for task, words in answers.items()
            if words == before.get(task) or (words and words == ticked.get(task))
        }

    def _score(
        self,
        lesson: str,
        notebook: SubmittedNotebook,
        cells: Mapping[str, NotebookNode],
        same_words: Collection[str],
    ) -> None:
        """Put the points of each task into the book, and what is said below an answer without a response."""
        names, most = self._names(lesson), self._max_scores(lesson)
        for grade in notebook.grades:
            cell = cells.get(names[grade.cell_id])
            score = utils.determine_grade(cell, log)[0] if cell else 0.0
            if cell and score:  # the task may be worth something else now
                score *= most[grade.cell_id] / cell.metadata.nbgrader["points"]
            grade.auto_score = score
            # Points that a person gave to these words were given to the answer as it is.
            has_read = score is None and names[grade.cell_id] in same_words
            given = grade.manual_score is not None
            grade.needs_manual_grade = not has_read if given else score is None
        for comment in notebook.comments:
            cell = cells.get(names[comment.cell_id])
            if cell is None:
                comment.auto_comment = LazyMessage("The release that you worked on does not have this task.")
                continue
            untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
            comment.auto_comment = LazyMessage("No response.") if untouched else None

    def _excuse(
        self, notebook: SubmittedNotebook, names: Mapping[str, str], excused: Collection[str]
    ) -> None:
        """Have the tasks that a submission's release lacks count as the others do, or nothing, as agreed."""
        judged = [grade for grade in notebook.grades if names[grade.cell_id] not in excused]
        share = _share(judged) if self._course.policy.missing_tasks == EXCUSE else 0.0
        for grade in notebook.grades:
            if names[grade.cell_id] in excused:
                grade.auto_score = share * grade.cell.max_score

    def _apply_terms(self, handed_in: SubmittedAssignment) -> None:
        """Give a submission the due date and the extension that `class.toml` says, and no others."""
        assignment, policy = handed_in.assignment, self._course.policy
        assignment.duedate, handed_in.extension = policy.terms(
            assignment.name, handed_in.student.id, assignment.duedate, handed_in.extension
        )
        handed_in.timestamp = policy.time_of(assignment.name, handed_in.timestamp)

    def _charge(self, lesson: str, student: str, notebook: SubmittedNotebook) -> None:
        """Take off what being late costs, and keep a record where that was another number before."""
        old = notebook.late_submission_penalty or 0.0
        notebook.late_submission_penalty = self._penalty(notebook.assignment, notebook)
        new = notebook.late_submission_penalty or 0.0
        if old != new and self.verdicts.read(Grading, lesson, student):
            why = "the points, the time, the due date or the penalty changed"
            self.verdicts.add([Change(lesson, student, "late penalty", now(), 0 - old, 0 - new, why)])

    def _penalty(self, handed_in: SubmittedAssignment, notebook: SubmittedNotebook) -> float | None:
        """Return what being late costs, as nbgrader's own step has it, which opens the book once more."""
        if handed_in.total_seconds_late <= 0:
            return None
        self._gradebook.db.flush()
        self._gradebook.db.refresh(notebook)
        step = AssignLatePenalties(config=self._course.config)
        step.init_plugin()
        late = handed_in.total_seconds_late
        asked = step.plugin_inst.late_submission_penalty(handed_in.student.id, notebook.score, late)
        return None if asked is None else cast("float", step._check_late_penalty(notebook, asked))

    def _names(self, lesson: str) -> dict[str, str]:
        """Return the lesson's marked cells, by the number that the database has for each."""
        return {number: name for number, (name, _) in self._known_cells(lesson).items()}

    def _max_scores(self, lesson: str) -> dict[str, float]:
        """Return what each of the lesson's marked cells is worth, by its number in the database."""
        return {number: most for number, (_, most) in self._known_cells(lesson).items()}

    def _known_cells(self, lesson: str) -> dict[str, tuple[str, float]]:
        # Asked of a grade itself, each would be one more SELECT.
        if lesson not in self._cells:
            cells = self._gradebook.find_notebook(lesson, lesson)._base_cells
            self._cells[lesson] = {
                cell.id: (cell.name, getattr(cell, "max_score", None) or 0.0) for cell in cells
            }
        return self._cells[lesson]

    def _notebook(self, submission: Submission) -> SubmittedNotebook:
        return self._gradebook.find_submission_notebook(
            submission.lesson, submission.lesson, submission.student
        )


@contextlib.contextmanager
def _programs_found() -> Iterator[None]:
    """Have the programs found that lie beside this interpreter: nbgrader runs `alembic` by its name."""
    before = os.environ.get("PATH")
    os.environ["PATH"] = os.pathsep.join(filter(None, (SCRIPTS, before)))
    try:
        yield
    finally:
        del os.environ["PATH"]
        if before is not None:
            os.environ["PATH"] = before


def follow(course: Class) -> list[str]:
    """Update excused tasks and late penalties to points by hand and to what `class.toml` says now.

    Returns:
        A line for each score that this changes, with the old score and the new one.

    Raises:
        BadBook: the gradebook cannot be used.
    """
    following = _following(course)
    lines: list[str] = []
    if not following:
        return lines
    with (
        gradebook_lock(course.database, course.banks.course.root),
        GradebookWriter(course) as book,
        readable(course.database),
    ):
        for lesson in sorted({lesson for lesson, _ in following} & set(course.lessons)):
            for submission in course.submissions(lesson):
                timed = following.get((lesson, submission.student))
                if timed is not None:
                    with contextlib.suppress(MissingEntry):  # the gradebook was begun anew
                        before, after = book.settle(submission, timed) or (0.0, 0.0)
                        if before != after:
                            lines.append(f"{submission.who}: {scores_changed(before, after)}")
    return lines


def _following(course: Class) -> dict[tuple[str, str], bool]:
    """Return the graded submissions whose score may follow something, by lesson and student.

    The value tells whether a mark for late work counts as the time of submission, which had none.
    """
    columns = (
        *(Assignment.name, SubmittedAssignment.student_id, SubmittedAssignment.timestamp),
        *(Assignment.duedate, SubmittedAssignment.extension, SubmittedNotebook.late_submission_penalty),
    )
    asked = (
        select(*columns)
        .join_from(Assignment, SubmittedAssignment)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
    )
    with graded_results.connected(course.database) as connection:
        gradings = {(grading.lesson, grading.student): grading for grading in Store(connection).read(Grading)}
        # Where nothing is graded, nbgrader's own tables may not be there.
        rows = connection.execute(asked).all() if gradings else []
    following = {}
    for lesson, student, time, *terms, penalty in rows:
        grading = gradings.get((lesson, student))
        if grading is None:
            continue
        due, extension = course.policy.terms(lesson, student, *terms)
        stamp = course.place(course.directory.submitted_directory, student, lesson) / STAMP
        is_marked = bool(time is None and due and ATTEMPTS not in grading.made_from)
        timed = is_marked and is_guess(moment(beside(stamp)))
        is_late = bool(time and due and time > due)
        if timed or is_late or penalty or grading.excused or is_guess(time) or [due, extension] != terms:
            following[lesson, student] = timed
    return following


def scores_changed(before: float, after: float) -> str:
    """Return a sentence on a score that changed without running the submission again."""
    return f"{before:g} -> {after:g} points by another time, penalty or points by hand"


@contextlib.contextmanager
def gradebook_lock(database: str, folder: Path, seconds: float = 0) -> Iterator[None]:
    """Lock a gradebook against other runs of the grader while the block runs.

    Args:
        database: the gradebook's address.
        folder: the class's folder, for the lock of a gradebook that is not a file.
        seconds: how long to wait for another run.

    Raises:
        BadBook: another run still has the lock.
    """
    path = Path(database.removeprefix(SQLITE)) if database.startswith(SQLITE) else folder / "gradebook"
    # Beside the gradebook, whoever runs it and wherever their temporary files lie: not the gradebook itself,
    # which may lie where locks of one kind undo those of another.
    lock = FileLock(f"{path.resolve()}.lock", timeout=seconds, mode=0o666)
    try:
        lock.acquire()  # the system lifts it when this process ends, however it does
    except Timeout:
        raise BadBook(database, "is in use: another run grades this class; wait until it ends") from None
    except (OSError, NotImplementedError) as problem:
        why = f"lies where no file can be locked, so nobody could tell that two runs grade it ({problem})"
        raise BadBook(database, why) from None
    try:
        yield
    finally:
        lock.release()


def _share(grades: Sequence[Grade]) -> float:
    """Return the share of the points of what checks judge, with a person's points where there are some."""
    judged = [
        (grade.auto_score if grade.manual_score is None else grade.manual_score, grade.cell.max_score)
        for grade in grades
        if grade.auto_score is not None
    ]
    possible = sum(most for _, most in judged)
    return min(1.0, sum(score for score, _ in judged) / possible) if possible else 0.0


def _marked(cell: NotebookNode) -> bool:
    return "nbgrader" in cell.metadata


def _is_lost(course: Class) -> bool:
    """Tell whether nothing is left in the file of a gradebook in which there were scores."""
    file = Path(course.database.removeprefix(SQLITE))
    graded = Path(course.directory.root, course.directory.autograded_directory)
    emptied = course.database.startswith(SQLITE) and file.is_file() and not file.stat().st_size
    return emptied and graded.is_dir() and any(graded.iterdir())


def _copied(database: str, folder: Path) -> str:
    """Return the address of a copy of a database in a file; a fresh one where there is none yet."""
    copy = folder / "gradebook.db"
    original = Path(database.removeprefix(SQLITE))
    if database.startswith(SQLITE) and original.is_file():
        shutil.copyfile(original, copy)
    return f"{SQLITE}{copy}"


def remove(path: Path) -> None:
    """Remove a file if it exists, even one that is read-only on Windows, as nbgrader does."""
    if os.path.lexists(path):
        utils.remove(str(path))


def _copy_stamps(submission: Submission) -> None:
    """Put what came beside a submission beside its graded notebook, in place of what was there."""
    for source, name in ((submission.stamp, STAMP), (submission.path.with_name(KEY), KEY)):
        copy = submission.graded.parent / name
        remove(copy)
        if text := beside(source):
            copy.write_text(text, encoding="utf-8")


def _written(notebook: NotebookNode, path: Path) -> Path:
    """Write a notebook beside its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    remove(fresh)
    # On one line. nbformat's own writer indents, and only Python's slow encoder can: half of all that a
    # submission costs here.
    fresh.write_text(json.dumps(notebook, ensure_ascii=False, sort_keys=True), encoding="utf-8")
    fresh.chmod(fresh.stat().st_mode & PERMISSIONS)  # and for nobody who may not read a new file
    return fresh
