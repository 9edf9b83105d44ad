"""What grades count by: the public banks, and hidden questions that every grading run draws anew.

Nothing that one run asked is worth remembering for the next, whoever saw it: see `hidden_tests.secret`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from autograder.grading.hidden_tests import secret
from autograder.records import bank, serialization
from autograder.records.bank import AS_SEEN, BankError, LessonBank, Task
from autograder.records.course import Course
from autograder.records.file_digests import file_digest, write_all
from autograder.records.operator_families import Family

Files = Mapping[str, bytes]
NONE: Files = MappingProxyType({})


@dataclass(frozen=True)
class Banks:
    """The public banks that a run grades by: found once, then passed to whatever needs them."""

    course: Course
    folders: Mapping[str, Path]  # where each lesson's bank lies
    notes: Mapping[str, str]  # why nothing hidden is asked, by lesson

    @classmethod
    def of(cls, course: Course) -> Banks:
        """Return the banks of all of a course's lessons."""
        why = {lesson: secret.why_none(course, lesson) for lesson in course.banked()}
        reasons = {name: reason for name, reason in why.items() if reason}
        return cls(course, dict.fromkeys(why, course.bank), reasons)

    def lesson(self, name: str, drawn: Files = NONE) -> LessonBank:
        """Return a lesson's bank; with what was drawn for a submission, that is asked as well.

        Raises:
            BankError: there is none, or it is damaged.
        """
        if name not in self.folders:
            raise BankError(f"{self.course.name} has no answers for lesson {name}.")
        public = bank.load(name, self.folders[name], self.course.forbidden, self.course.entries)
        return _merged_bank(public, self._drawn(name, drawn)) if drawn else public

    def only(self, lessons: Collection[str]) -> Banks:
        """Return the banks of some lessons: a sandbox gets all of them ready, which takes its time."""
        folders = {name: folder for name, folder in self.folders.items() if name in lessons}
        return replace(self, folders=folders)

    def described(self, name: str) -> LessonBank:
        """Return what a lesson's tasks and their mistakes are called.

        Raises:
            BankError: it has no bank, or that is damaged.
        """
        return bank.described(name, self.folders.get(name, self.course.bank))

    def questions(self, name: str, drawn: Files) -> Files:
        """Return what was drawn for a submission, without answers, where its own process can read it."""
        if not drawn:
            return {}
        asked = _questions_drawn(
            name, *self._content(name, drawn), self.course.forbidden, self.course.entries
        )
        return {**asked, **self.course.beside_banks()}

    def fitted(self, name: str, drawn: Files, then: Banks) -> Files:
        """Return what of drawn questions can be asked of an earlier release: of tasks that are as they were.

        Of its other tensors, the public redraws are asked beside those that were drawn.
        """
        questions, past = self._drawn(name, drawn), then.lesson(name)
        same = _as_they_were(self.lesson(name), past)
        tasks, givens = {}, {**questions.givens, AS_SEEN: past.givens[AS_SEEN]}
        for task in past.tasks.values():
            if task.id in same and task.id in questions.tasks:
                tasks[task.id] = questions.tasks[task.id]
            elif task.kind == "tensor":
                tasks[task.id] = task
                givens |= {probe.id: past.givens[probe.id] for probe in task.probes}
        return bank.files(replace(questions, givens=givens, tasks=tasks))

    def public_alone(self, name: str, drawn: Files, tasks: Collection[str]) -> float:
        """Return the points of some tasks of which nothing hidden is asked."""
        asked = self._drawn(name, drawn).tasks if drawn else {}
        tasks_of_bank = self.lesson(name).tasks
        hidden = {
            task.id for task in asked.values() if task.probe.keys() - tasks_of_bank[task.id].probe.keys()
        }
        return float(
            sum(tasks_of_bank[name].points for name in tasks_of_bank.keys() & tasks if name not in hidden)
        )

    def _drawn(self, name: str, drawn: Files) -> LessonBank:
        return bank.read(name, *self._content(name, drawn), self.course.forbidden, self.course.entries)

    def _content(self, name: str, drawn: Files) -> tuple[bytes, bytes]:
        text, numbers = (drawn[str(path)] for path in bank.paths(name, Path()))
        return text, numbers

    def digest(self, lesson: str) -> bytes:
        """Return what a lesson is graded by at this moment, but for what is drawn.

        Raises:
            OSError: it has no bank.
        """
        parts = bank.digest(lesson, self.folders.get(lesson, self.course.bank))
        parts += b"public" if lesson in self.notes else b"hidden"
        if self.course.adds.experiments:
            parts += file_digest(self.course.root / self.course.adds.experiments)
        return hashlib.sha256(parts).digest()

    def write_questions(self, folder: Path) -> None:
        """Write every lesson's questions, without answers, where a submission's own process can read them."""
        for name in self.folders:
            bank.save(bank.without_answers(self.lesson(name)), folder)
        write_all(folder, self.course.beside_banks())


class HiddenTestSampler:
    """The hidden questions of one grading run, which are drawn by its word; a new one if none is named."""

    def __init__(self, banks: Banks, word: str = "") -> None:
        self._banks = banks
        self._word = word or secret.new_word()
        self._fitted: dict[tuple[str, Path, str], Files] = {}

    def of(self, lesson: str, handed_in: bytes, then: Banks | None = None) -> Files:
        """Return what is drawn for a file that was handed in, for the same file the same again; or nothing.

        Args:
            lesson: what it was handed in for.
            handed_in: the file's content.
            then: what the earlier release is graded by that it came from; none for the current one.

        Raises:
            AuthoringError: the lesson's source does not yield hidden questions.
        """
        if lesson in self._banks.notes:
            return {}
        course = self._banks.course
        word = secret.word_for(course, lesson, handed_in, self._word)
        drawn = secret.drawn(course, lesson, word)[0]
        if then is None:
            return drawn
        which = lesson, then.folders[lesson], word
        if which not in self._fitted:
            self._fitted[which] = self._banks.fitted(lesson, drawn, then)
        return self._fitted[which]


@lru_cache(maxsize=8)
def _questions_drawn(
    name: str,
    text: bytes,
    numbers: bytes,
    families: tuple[Family, ...],
    entries: tuple[tuple[str, str], ...],
) -> Files:
    """Return drawn questions without answers: the same for all of a class that are asked the same."""
    return bank.files(bank.without_answers(bank.read(name, text, numbers, families, entries)))


def _merged_bank(public: LessonBank, drawn: LessonBank) -> LessonBank:
    """Return a public bank that asks what was drawn, too, in place of the givens that it redraws itself."""
    tasks = {
        name: _both(task, drawn.tasks[name]) if name in drawn.tasks else task
        for name, task in public.tasks.items()
    }
    return replace(public, tasks=tasks, givens={AS_SEEN: public.givens[AS_SEEN], **drawn.givens})


def _as_they_were(now: LessonBank, then: LessonBank) -> frozenset[str]:
    """Return the tasks that are asked and judged now as they were in an earlier release."""
    givens = _are_equal(now.givens[AS_SEEN], then.givens[AS_SEEN])
    return frozenset(
        name
        for name, task in then.tasks.items()
        if (other := now.tasks.get(name))
        and (task.name, task.kind, task.checks) == (other.name, other.kind, other.checks)
        and _are_equal(task.probes, other.probes)
        and (givens or task.kind != "tensor")
    )


def _are_equal(first: Any, other: Any) -> bool:
    """Tell whether two parts of a bank hold the same."""
    # Not above: it loads torch, and where no release is an earlier one nothing is compared.
    from autograder.records.tensor_comparison import all_close

    (plain, tensors), (other_plain, other_tensors) = map(serialization.encode, (first, other))
    return plain == other_plain and all(
        tensors[name].dtype == held.dtype and all_close(tensors[name], held)
        for name, held in other_tensors.items()
    )


def _both(task: Task, drawn: Task) -> Task:
    visible = {name: probe for name, probe in task.probe.items() if task.kind != "tensor" or name == AS_SEEN}
    added = (probe for probe in drawn.probes if probe.id not in visible)
    return replace(task, probes=(*visible.values(), *added), checks=drawn.checks)
