"""The banks with which a run grades: the public ones, and hidden questions that every run draws anew.

Nobody gains by remembering the questions of one run for the next: see `hidden_tests.secret`.
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
    """The public banks with which a run grades."""

    course: Course
    folders: Mapping[str, Path]  # the folder of each lesson's bank
    notes: Mapping[str, str]  # the reason why there are no hidden questions, by lesson

    @classmethod
    def of(cls, course: Course) -> Banks:
        """Return the banks of all of a course's lessons."""
        why = {lesson: secret.why_none(course, lesson) for lesson in course.banked()}
        reasons = {name: reason for name, reason in why.items() if reason}
        return cls(course, dict.fromkeys(why, course.bank), reasons)

    def lesson(self, name: str, drawn: Files = NONE) -> LessonBank:
        """Return a lesson's bank, together with the hidden questions that were drawn for a submission.

        Args:
            name: the lesson's name.
            drawn: the hidden questions, as a bank's files; empty for none.

        Raises:
            BankError: the lesson has no bank, or it is damaged.
        """
        if name not in self.folders:
            raise BankError(f"{self.course.name} has no answers for lesson {name}.")
        public = bank.load(name, self.folders[name], self.course.forbidden, self.course.entries)
        return _merged_bank(public, self._drawn(name, drawn)) if drawn else public

    def only(self, lessons: Collection[str]) -> Banks:
        """Return the banks of some lessons, since a sandbox takes time to prepare each bank."""
        folders = {name: folder for name, folder in self.folders.items() if name in lessons}
        return replace(self, folders=folders)

    def described(self, name: str) -> LessonBank:
        """Return a lesson's bank without probes and tensors: only the texts of its tasks and mistakes.

        Raises:
            BankError: the lesson has no bank, or it is damaged.
        """
        return bank.described(name, self.folders.get(name, self.course.bank))

    def questions(self, name: str, drawn: Files) -> Files:
        """Return the hidden questions of a submission without answers, as files for its own process."""
        if not drawn:
            return {}
        asked = _questions_drawn(
            name, *self._content(name, drawn), self.course.forbidden, self.course.entries
        )
        return {**asked, **self.course.beside_banks()}

    def fitted(self, name: str, drawn: Files, then: Banks) -> Files:
        """Return the hidden questions that fit an earlier release: those on tasks that have not changed.

        For tensors that have changed, the earlier release's public redraws are added.

        Args:
            name: the lesson's name.
            drawn: the hidden questions for the current release, as a bank's files.
            then: the banks of the earlier release.
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
        """Return the sum of the points of those tasks that have no hidden questions.

        Args:
            name: the lesson's name.
            drawn: the hidden questions, as a bank's files; empty for none.
            tasks: the ids of the tasks to count.
        """
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
        """Return a digest of everything with which a lesson is graded now, except the hidden questions.

        Raises:
            OSError: the lesson has no bank.
        """
        parts = bank.digest(lesson, self.folders.get(lesson, self.course.bank))
        parts += b"public" if lesson in self.notes else b"hidden"
        if self.course.adds.experiments:
            parts += file_digest(self.course.root / self.course.adds.experiments)
        return hashlib.sha256(parts).digest()

    def write_questions(self, folder: Path) -> None:
        """Write every lesson's public questions, without answers, for a submission's own process to read."""
        for name in self.folders:
            bank.save(bank.without_answers(self.lesson(name)), folder)
        write_all(folder, self.course.beside_banks())


class HiddenTestSampler:
    """The draw of hidden questions for the submissions of a grading run.

    Args:
        banks: the public banks.
        word: the run's word, which decides the draw; a new one by default.
    """

    def __init__(self, banks: Banks, word: str = "") -> None:
        self._banks = banks
        self._word = word or secret.new_word()
        self._fitted: dict[tuple[str, Path, str], Files] = {}

    def of(self, lesson: str, handed_in: bytes, then: Banks | None = None) -> Files:
        """Return the hidden questions for a submission, always the same for the same file; empty for none.

        Args:
            lesson: the lesson's name.
            handed_in: the submission's content.
            then: the banks of the earlier release that the submission belongs to; None for the current one.

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
