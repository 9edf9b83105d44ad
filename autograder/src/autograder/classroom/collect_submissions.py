"""Put the files that a learning platform collected where nbgrader expects them, without losing any.

All decisions are made before anything is written. Archives are kept as they came, and so is every version of
a notebook that is replaced.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat

from autograder.classroom.class_roster import normalize_name
from autograder.classroom.collection import (
    RECORD,
    STAYS,
    UNKNOWN,
    Collected,
    CollectionRecord,
    Placed,
    Request,
    StudentFiles,
    folder_of,
    read_record,
    record_in,
)
from autograder.classroom.hand_in_times import (
    handed_in_at,
    stamped,
    tell_of_late_ones,
    tell_of_later_attempts,
    tell_of_two_times,
    tell_of_unread_times,
    tell_of_useless_times,
    time_by_platform,
)
from autograder.classroom.misplaced_notebooks import find_misplaced, take_back, without
from autograder.classroom.platforms.protocol import HandedFile
from autograder.classroom.quiz_answers import OF_QUIZ, is_of_quiz, take_quizzes
from autograder.classroom.submission_archives import BadArchive, entries
from autograder.classroom.unpacking import TAR, UNOPENED, ZIP
from autograder.classroom.whose import (
    by_leading_identifier,
    contradicts,
    is_unmistakable,
    name_of_nobody,
    owners_of,
    unclear,
)
from autograder.grading.class_folder import Class
from autograder.grading.late_policy import is_guess
from autograder.grading.read_submission import beside, moment, why_unreadable
from autograder.grading.reader_processes import READING, LimitReached, run_limited
from autograder.grading.releases import known_ids_and_answers
from autograder.records import serialization
from autograder.records.cell_roles import is_answer, tasks_of
from autograder.records.file_digests import file_digest, folder_digest, write_whole
from autograder.words.phrases import listed

# What a record is called that cannot be read, when a new one takes its place.
DAMAGED = ".damaged"


def collect_files(request: Request, archives: Iterable[Path]) -> Collected:
    """Find the student of every file in some archives, and put the notebooks into `submitted/`.

    Raises:
        BadArchive: an archive cannot be opened; nothing was written.
    """
    archives = [path.resolve() for path in archives]
    for path in archives:
        if folder_of(request.course).is_relative_to(path):
            raise BadArchive(f"{path} holds the course itself: name the folder of what was handed in.")
    record = read_record(request.course)
    request = replace(request, who={**record.who, **request.who})
    outcome = Collected()
    released = {lesson: _released(request.course, lesson) for lesson in request.lessons}
    sorting = _Sorting(request, outcome)
    for path in archives:
        files = entries(path, request.platforms.values())
        for lesson, entry, tasks in _with_lessons(request, files, released, outcome):
            sorting.take(lesson, entry, tasks)
    sorting.settle_doubtful()
    misplaced = find_misplaced(request, record, sorting.by_student)
    outcome.notes += [item.description for item in misplaced]
    record = without(record, misplaced)
    withdrawn = {(item.lesson, item.student) for item in misplaced if item.submitted}
    request = replace(request, withdrawn=withdrawn)
    outcome.others, of_quizzes = take_quizzes(request, outcome.others)
    outcome.notes += of_quizzes
    for (lesson, student), several in sorted(sorting.by_student.items()):
        last = record.lessons.get(lesson, {}).get(student, UNKNOWN)
        if reason := _two_people(request, student, several, last):
            outcome.unplaced += [(entry, reason) for entry in several]
        else:
            outcome.placed.append(_chosen(request, lesson, student, several, last, released[lesson]))
    _find_missing(request, outcome)
    tell_of_late_ones(request, outcome)
    tell_of_later_attempts(request, outcome)
    tell_of_unread_times(outcome)
    _tell_of_odd_ones(outcome, released)
    tell_of_useless_times(request, outcome)
    tell_of_two_times(request, outcome)
    for new_file in outcome.placed:
        if other := contradicts(request, new_file):
            outcome.notes.append(
                f"{new_file.entry.path}: handed in by {new_file.student}, and its name says {other}"
            )
    if not request.dry:
        take_back(request.course, misplaced)
        keep_archives(request, archives)
        for placed in outcome.placed:
            put(request.course, placed)
        remember(request, sorting, record)
    return outcome


class _Sorting:
    """Notebooks by whose they are; what is not clear by itself waits until all others are seen.

    Attributes:
        by_student: the notebooks of each lesson and student.
        had: the tasks that these have together.
        outcome: the outcome of the collection.
    """

    def __init__(self, request: Request, outcome: Collected) -> None:
        self.by_student: dict[tuple[str, str], list[HandedFile]] = {}
        self.had: dict[tuple[str, str], frozenset[str]] = {}
        self._request, self.outcome = request, outcome
        self._doubtful: list[tuple[str, HandedFile, frozenset[str], list[set[str]]]] = []
        # By archive, those whose identifier stands first in a file's name.
        self._named_so: dict[str, set[str]] = {}

    def take(self, lesson: str, entry: HandedFile, tasks: frozenset[str]) -> None:
        """Place a notebook if it is clear whose it is."""
        people = owners_of(self._request, lesson, entry)
        if any(len(students) != 1 for students in people):
            self._doubtful.append((lesson, entry, tasks, people))
            return
        if stranger := name_of_nobody(self._request, entry, people):
            self.outcome.useless.append(stranger)
        if people == by_leading_identifier(self._request.roster, entry):
            self._named_so.setdefault(entry.archive, set()).update(*people)
        self._place(lesson, entry, tasks, people)

    def settle_doubtful(self) -> None:
        """Place what waits where names of its archive bear out how its own is read."""
        for lesson, entry, tasks, people in self._doubtful:
            first = by_leading_identifier(self._request.roster, entry)
            others = self._named_so.get(entry.archive, set()).difference(*first)
            borne_out = len(others) > 1 or is_unmistakable(self._request.roster, entry, first)
            if people == [set()] and first and borne_out:
                whose = listed(sorted(set().union(*first)))
                self.outcome.notes.append(f"{entry.path}: taken for {whose}'s, since its name begins so")
                self._place(lesson, entry, tasks, first)
            else:
                self.outcome.unplaced.append((entry, unclear(self._request, entry, people)))

    def _place(self, lesson: str, entry: HandedFile, tasks: frozenset[str], people: list[set[str]]) -> None:
        for student in set().union(*people):
            shared = replace(entry, of_group=len(people) > 1)
            self.by_student.setdefault((lesson, student), []).append(shared)
            self.had[lesson, student] = self.had.get((lesson, student), frozenset()) | tasks

    def other_files(self) -> dict[str, tuple[str, ...]]:
        """Return the files that are no notebooks of those who handed in nothing else, by student."""
        there = {placed.student for placed in self.outcome.placed}
        files: dict[str, tuple[str, ...]] = {}
        for entry in (*self.outcome.others, *self.outcome.refused):
            # The desk, where grades are given, shows neither who took part in the quiz nor who did not.
            if entry.what in OF_QUIZ or is_of_quiz(entry.file or entry.path):
                continue
            people = owners_of(self._request, "", entry)
            for student in set().union(*(students for students in people if len(students) == 1)) - there:
                files[student] = (*files.get(student, ()), entry.file or entry.path)
        return files


def _two_people(request: Request, student: str, several: Sequence[HandedFile], last: HandedFile) -> str:
    """Return why notebooks that were placed with one student come from two people; "" where they do not."""
    # A group's number is that of whoever of them handed in.
    numbers = {file.user for file in several if file.user and not file.of_group}
    is_same_platform = last.user and several[0].lms == last.lms and not last.of_group
    if is_same_platform and not _is_numbered_anew(request, student, numbers, last):
        numbers.add(last.user)
    if len(numbers) > 1 and not numbers & request.who.keys():
        options = " ".join(f"--who {number}=STUDENT" for number in sorted(numbers))
        return f"two people of the platform's ({listed(sorted(numbers))}) would both be {student}: {options}"
    return ""


def _is_numbered_anew(request: Request, student: str, numbers: Iterable[str], last: HandedFile) -> bool:
    """Tell whether a list says that numbers are a student's in another assignment than the last one's."""
    platform = request.platforms.get(last.lms)
    if platform is None or platform.numbers_listed:  # there, a person has one number in all assignments
        return False
    owners = {time.lms_user_id: request.roster.find(time) for time in request.times or ()}
    listed_number = request.roster.people[student].lms_user_id
    by_list = all(number == listed_number or owners.get(number) == {student} for number in numbers)
    return by_list and last.user not in owners and not request.roster.of_lms(last.user) - {student}


def _find_missing(request: Request, outcome: Collected) -> None:
    """Tell the outcome who has handed in nothing for the lessons that came."""
    for lesson in sorted({notebook.lesson for notebook in outcome.placed}):
        there = {notebook.student for notebook in outcome.placed if notebook.lesson == lesson}
        outcome.missing[lesson] = [
            student
            for student in request.roster.people
            if student not in {*there, *request.course.policy.left}
            and (
                (lesson, student) in request.withdrawn
                or not StudentFiles(request.course, lesson, student).submitted.is_file()
            )
        ]


@dataclass(frozen=True)
class Released:
    """The release of a lesson: its task ids, and the released texts of each answer cell."""

    tasks: frozenset[str]
    texts: Mapping[str, frozenset[str]]


def _released(course: Class, lesson: str) -> Released:
    """Return a lesson's release in all languages: a learner works in one of them."""
    texts: dict[str, set[str]] = {}
    release = nbformat.read(course.release(lesson), as_version=4)
    for language in (".", *course.banks.course.languages):
        path = course.release(lesson, language)
        translated_release = nbformat.read(path, as_version=4) if path.is_file() else release
        for cell in filter(is_answer, translated_release.cells):
            texts.setdefault(cell["id"], set()).add(cell.source.strip())
    return Released(tasks_of(release), {name: frozenset(ids) for name, ids in texts.items()})


def _with_lessons(
    request: Request, files: Iterable[HandedFile], released: Mapping[str, Released], outcome: Collected
) -> Iterator[tuple[str, HandedFile, frozenset[str]]]:
    """Yield the notebooks of an archive, their lessons and tasks; the rest goes into the outcome."""
    ids = frozenset().union(*(release.tasks for release in released.values()))
    texts = {name: text for release in released.values() for name, text in release.texts.items()}
    notebooks: list[tuple[HandedFile, str, frozenset[str]]] = []
    for entry in files:
        if entry.noise:
            outcome.noise += entry.noise
            continue
        cells, answers = frozenset[str](), frozenset[str]()
        if entry.content:
            try:
                cells, answers = entry.share.within(known_ids_and_answers, entry.content, ids, texts)
            except LimitReached as problem:
                entry = replace(entry, refused=str(problem))
        lesson = max(released, key=lambda name: len(released[name].tasks & cells), default="")
        by_content = lesson if lesson and released[lesson].tasks & cells else ""
        looks = ".ipynb" in (entry.file or entry.path).lower()
        if entry.refused:
            (outcome.refused if looks or _may_hold_work(entry) else outcome.others).append(entry)
        elif by_content or (looks and not entry.what):  # an empty or damaged one has its student's page, too
            worked_on = len(answers & released[by_content].texts.keys()) if by_content else 0
            notebooks.append((replace(entry, answers=worked_on), by_content, cells))
        else:
            outcome.others.append(entry)
    yield from _of_the_assignment(request, notebooks, released, outcome)


def _may_hold_work(entry: HandedFile) -> bool:
    return entry.path.lower().endswith((*ZIP, *TAR, *UNOPENED))


def _of_the_assignment(
    request: Request,
    notebooks: list[tuple[HandedFile, str, frozenset[str]]],
    released: Mapping[str, Released],
    outcome: Collected,
) -> Iterator[tuple[str, HandedFile, frozenset[str]]]:
    """Yield the notebooks of the lesson that an archive is of.

    On a platform, an archive is of one assignment: that of the lesson which most of its notebooks were worked
    on for. What lies beside that is somebody's whole folder, or got there by mistake.
    """
    by_lesson = [(entry, lesson) for entry, lesson, _ in notebooks if entry.lms and lesson]
    counts = Counter(lesson for entry, lesson in by_lesson if entry.answers) or Counter(
        lesson for _, lesson in by_lesson
    )
    most = [lesson for lesson, count in counts.items() if count == max(counts.values())]
    usual = request.lesson or (most[0] if len(most) == 1 else "")
    with_usual = {(entry.archive, entry.folder) for entry, lesson in by_lesson if lesson == usual}
    for entry, lesson, cells in notebooks:
        expected = usual if entry.lms else request.lesson
        named = normalize_name(entry.file)
        by_name = next((name for name in request.lessons if normalize_name(name) in named), "")
        meant = lesson or by_name or expected
        if not meant:
            outcome.unplaced.append((entry, "neither its name nor what is in it says which lesson it is"))
        elif entry.lms and len(most) > 1 and not request.lesson:
            either = listed(sorted(most), "or")
            outcome.unplaced.append((entry, f"the archive may be of {either}: --lesson {sorted(most)[0]}"))
        elif expected and meant != expected and (entry.archive, entry.folder) in with_usual:
            outcome.others.append(replace(entry, what=f"of {meant}, beside their notebook of {expected}"))
        elif expected and meant != expected:
            outcome.unplaced.append((entry, f"it is of {meant}, and the archive of {expected}"))
        else:
            tasks = released[meant].tasks & cells
            yield meant, replace(entry, cells=len(tasks)), tasks


def _chosen(
    request: Request,
    lesson: str,
    student: str,
    several: list[HandedFile],
    last_taken: HandedFile,
    released: Released,
) -> Placed:
    """Return the notebook of a student's that counts for one lesson, with those that it takes the place of.

    Of several, one that was worked on counts before an untouched one, then the one that was handed in last:
    by the platform's time, then by the archive's, then by the number that a browser gave to a copy in it.
    Where nothing says which that is, the one with more answers counts.
    """
    # A file without one of the lesson's cells, such as notes, never takes the place of one that has some.
    archives = list(dict.fromkeys(file.archive for file in several))  # the last one that is named came last
    ordered = sorted(
        several,
        key=lambda file: (
            *(file.cells > 0, file.answers > 0, file.rank, file.modified),
            *(archives.index(file.archive), file.copy, file.answers, file.path),
        ),
    )
    last = ordered[-1]
    earlier = tuple(file for file in ordered[:-1] if file.content != last.content)
    copies = tuple(file for file in ordered[:-1] if file.content == last.content)
    work = StudentFiles(request.course, lesson, student)
    withdrawn = (lesson, student) in request.withdrawn
    old = work.submitted.read_bytes() if work.submitted.is_file() and not withdrawn else None
    if old is None:
        state = "new"
    elif old == last.content:
        state = "as before"
    else:
        state = _state_beside(old, last, last_taken, released)
    if state in STAYS:
        stays = replace(last, content=old or b"")
        return Placed(lesson, student, stays, (*earlier, last), None, state, copies)
    before = last_taken if state == "as before" else None
    time, from_list = handed_in_at(request, work, last, before)
    return Placed(lesson, student, replace(last, listed=from_list), earlier, time, state, copies)


def _state_beside(old: bytes, last: HandedFile, last_taken: HandedFile, released: Released) -> str:
    """Return what becomes of the notebook that is there already, beside one that was collected now."""
    try:
        cells, answers = run_limited(READING, known_ids_and_answers, old, released.tasks, released.texts)
    except LimitReached:
        cells = answers = frozenset()
    if (cells and not last.cells) or (answers and not last.answers):
        return "the earlier one stays"
    later = last_taken.lms == last.lms and last_taken.rank > last.rank
    # The times of files that no platform wrote are those of people's own machines.
    if last.lms and last_taken.lms == last.lms and last_taken.rank == last.rank and last.modified:
        later = last_taken.modified > last.modified
    return "a later one is there" if later else "replaces an earlier one"


def _tell_of_odd_ones(outcome: Collected, released: Mapping[str, Released]) -> None:
    """Note what a person would not see: notebooks that lack cells, and those that nobody worked on."""
    for placed in outcome.placed:
        wanted = len(released[placed.lesson].tasks)
        collected = placed.before[-1] if placed.state in STAYS else placed.entry
        others = [file for file in placed.before if file is not collected]
        odd = [file.path for file in others if not file.cells and collected.cells]
        came = _came(collected)
        tied = [file.path for file in others if file.answers and collected.answers and _came(file) == came]
        if tied and placed.state not in STAYS:
            outcome.notes.append(
                f"{placed.student}: nothing says which came last of {listed([collected.path, *tied])}; "
                f"{collected.path} counts"
            )
        untouched = [file.path for file in others if file.cells and not file.answers and collected.answers]
        stays = "; the earlier one stays" if placed.state in STAYS else ""
        if odd:
            outcome.notes.append(f"{placed.student}: not of {placed.lesson}, and kept beside: {listed(odd)}")
        if untouched:
            outcome.notes.append(
                f"{placed.student}: {collected.path} counts; nothing was changed in {listed(untouched)}"
            )
        if not collected.cells:
            try:
                why = collected.share.within(why_unreadable, collected.content)
            except LimitReached:
                why = ""
            notes = outcome.useless if why else outcome.notes
            notes.append(f"{collected.path}: {why or f'it has no cell of {placed.lesson}'}{stays}")
        elif not collected.answers and placed.state != "a later one is there":
            outcome.notes.append(f"{collected.path}: no answer in it was changed{stays}")
        elif collected.cells < wanted and not stays:
            lost = wanted - collected.cells
            outcome.notes.append(f"{collected.path}: cells that are missing: {lost} of {wanted}")


def _came(file: HandedFile) -> tuple[object, ...]:
    """Return all that says when a file was handed in, beside the other files of its student."""
    return file.archive, file.rank, file.modified, file.copy


def put(course: Class, placed: Placed) -> None:
    """Write a notebook and its time of submission, and keep the version that it replaces."""
    work = StudentFiles(course, placed.lesson, placed.student)
    path, stamp = work.submitted, work.stamp
    for earlier in placed.before:
        time = time_by_platform(course, earlier)
        work.keep_earlier(earlier.content, stamped(time) if time else b"")
    if placed.state in STAYS:
        return
    if placed.state == "replaces an earlier one":
        time_there = stamp.read_bytes() if stamp.is_file() else b""
        work.keep_earlier(path.read_bytes(), time_there)
        stamp.unlink(missing_ok=True)
    if placed.time:
        write_whole(stamp, stamped(placed.time))
    elif not placed.entry.late and is_guess(moment(beside(stamp))):  # the platform took its mark back
        stamp.unlink()
    if placed.state != "as before":
        write_whole(path, placed.entry.content)


def keep_archives(request: Request, archives: Iterable[Path]) -> None:
    """Keep copies of the archives, since they also contain the files that could not be placed."""
    folder = folder_of(request.course) / "archives"
    folder.mkdir(parents=True, exist_ok=True)
    for path in archives:
        digest = folder_digest(path) if path.is_dir() else file_digest(path).hex()
        archive_copy = folder / f"{digest[:12]}-{path.name}"
        if path.is_dir():
            shutil.copytree(path, archive_copy, dirs_exist_ok=True, symlinks=True)
        elif not archive_copy.exists():
            shutil.copyfile(path, archive_copy)


def remember(request: Request, sorting: _Sorting, record: CollectionRecord) -> None:
    """Record the platform's name and number of each student, and the tasks in their notebooks.

    Feedback and the next collection use this record.

    Args:
        request: the request.
        sorting: the files of this collection, with its outcome.
        record: the record before it.
    """
    lessons = {lesson: dict(students) for lesson, students in record.lessons.items()}
    for placed in sorting.outcome.placed:
        if placed.state not in STAYS:
            lessons.setdefault(placed.lesson, {})[placed.student] = placed.entry
    without_quiz = {  # an earlier version of this tool kept files of the quiz there
        student: tuple(name for name in names if not is_of_quiz(name))
        for student, names in record.others.items()
    }
    new_others = sorting.other_files()
    others = {**{student: names for student, names in without_quiz.items() if names}, **new_others}
    collected = (request.lesson,) if request.lesson else tuple(sorted(sorting.outcome.missing))
    instead_of = {**record.instead_of, **dict.fromkeys(new_others, collected)}
    recorded = {lesson: dict(students) for lesson, students in record.had.items()}
    for (lesson, student), tasks in sorting.had.items():
        of_lesson = recorded.setdefault(lesson, {})
        of_lesson[student] = tuple(sorted(tasks.union(of_lesson.get(student, ()))))
    plain, _ = serialization.encode(CollectionRecord(lessons, request.who, others, instead_of, recorded))
    text = json.dumps(plain, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    path = folder_of(request.course) / RECORD
    if record_in(path) is None:
        path.rename(path.with_name(RECORD + DAMAGED))
    write_whole(path, text.encode())
