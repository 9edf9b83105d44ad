"""Compute the state of a lab: who works on which task, which mistakes occur, and what hints changed.

The state is computed from the stored events, one after another, so a server that restarts recovers it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from autograder.live.lab_history import ReceivedEvent

PRESENT = 15 * 60.0  # seconds for which somebody counts as here who is not heard from
MINUTES = 30  # for which it is remembered how many people showed a mistake

# What came of a hint: the task was solved, other mistakes or none are named, the same are named.
After = Literal["", "right", "gone", "same"]


@dataclass
class OnTask:
    """The progress of one learner on one task."""

    since: float
    solved: float | None = None
    mistakes: frozenset[str] = frozenset()  # the mistakes named by the last check
    had: frozenset[str] = frozenset()  # the mistakes named by any check
    hinted: frozenset[str] | None = None  # the mistakes at the time of a request for a hint; None without one
    after: After = ""

    def hear(self, heard: ReceivedEvent) -> None:
        """Update the progress with an event."""
        if self.solved is not None:
            return  # what is solved stays solved, as in the learner's own progress
        if heard.verdict == "hint":
            self.hinted, self.after = self.mistakes, ""
            return
        before = self.mistakes
        self.mistakes = frozenset() if heard.verdict == "right" else frozenset(heard.mistakes)
        self.had |= self.mistakes
        if heard.verdict == "right":
            self.solved = heard.at
        if self.hinted is not None:
            lost = bool(self.hinted) and not self.hinted & self.mistakes
            # An answer that could not be checked says nothing of the mistakes that it had.
            self.after = "right" if self.solved else "gone" if lost and heard.verdict == "wrong" else "same"
        if heard.verdict == "untried":
            self.mistakes = before


@dataclass
class Learner:
    """One learner, known only by a random id."""

    heard: float
    task: str = ""  # the task of the last event
    tasks: dict[str, OnTask] = field(default_factory=dict)

    @property
    def mistakes(self) -> set[str]:
        """The ids of the mistakes that the learner still makes."""
        return {fault for work in self.tasks.values() for fault in work.mistakes}


@dataclass(frozen=True)
class TaskNow:
    """The state of a task at one moment of a lab: how many learners are where, and for how many seconds."""

    working: int
    solved: int
    times: tuple[float, ...]  # the times of those who work on it, the longest first
    asked: int  # the number of learners who asked for a hint; `after` counts the outcomes
    after: Counter[After]


@dataclass(frozen=True)
class MistakeNow:
    """The state of a mistake at a moment, in numbers of learners."""

    now: int
    past: int  # the number of learners who had it and have overcome it
    tasks: tuple[str, ...]  # the tasks in which it is named now, the commonest first
    minutes: tuple[int, ...]  # the number of learners with it in each minute, the present one last


@dataclass(frozen=True)
class Now:
    """The state of a lab at a moment."""

    joined: int
    here: int
    between: int  # the number of learners who are here and have solved the task of their last event
    tasks: dict[str, TaskNow]
    mistakes: dict[str, MistakeNow]


class Lab:
    """The state of a live lab, updated by each event from a notebook."""

    def __init__(self) -> None:
        self.learners: dict[str, Learner] = {}
        self._minutes: deque[Counter[str]] = deque(maxlen=MINUTES)
        self._minute: int | None = None

    def hear(self, heard: ReceivedEvent) -> None:
        """Update the state with an event."""
        self._pass_minutes(heard.at)
        learner = self.learners.setdefault(heard.learner, Learner(heard.at))
        if heard.task:
            on = learner.tasks.setdefault(heard.task, OnTask(heard.at))
            on.hear(heard)
            # What waited for the network comes late, and is not where somebody works now.
            if heard.at >= learner.heard or not learner.task:
                learner.task = heard.task
        learner.heard = max(learner.heard, heard.at)

    def now(self, at: float) -> Now:
        """Return the state of the lab at a time, in seconds since the epoch.

        Only learners who are present count. Solved tasks and overcome mistakes are counted for everybody who
        has joined.
        """
        self._pass_minutes(at)
        here = list(self._here(at))
        named = self._named(here)
        past = Counter(
            fault
            for learner in self.learners.values()
            for fault in {name for task in learner.tasks.values() for name in task.had} - learner.mistakes
        )
        mistakes = {}
        for fault in sorted(named | past, key=lambda name: (-named[name], -past[name], name)):
            where = Counter(
                task for learner in here for task, work in learner.tasks.items() if fault in work.mistakes
            )
            minutes = (*(minute[fault] for minute in self._minutes), named[fault])
            commonest = tuple(task for task, _ in where.most_common())
            mistakes[fault] = MistakeNow(named[fault], past[fault], commonest, minutes)
        tasks = {task for learner in self.learners.values() for task in learner.tasks}
        return Now(
            len(self.learners),
            len(here),
            sum(bool(learner.task) and learner.tasks[learner.task].solved is not None for learner in here),
            {task: self._task(task, here, at) for task in tasks},
            mistakes,
        )

    def _task(self, task: str, here: list[Learner], at: float) -> TaskNow:
        working = [
            learner.tasks[task]
            for learner in here
            if learner.task == task and learner.tasks[task].solved is None
        ]
        everybody = [learner.tasks[task] for learner in self.learners.values() if task in learner.tasks]
        asked = [work for work in everybody if work.hinted is not None]
        return TaskNow(
            len(working),
            sum(work.solved is not None for work in everybody),
            tuple(sorted((max(0.0, at - work.since) for work in working), reverse=True)),
            len(asked),
            Counter(work.after for work in asked),
        )

    def _here(self, at: float) -> Iterator[Learner]:
        return (learner for learner in self.learners.values() if at - learner.heard <= PRESENT)

    @staticmethod
    def _named(here: list[Learner]) -> Counter[str]:
        return Counter(fault for learner in here for fault in learner.mistakes)

    def _pass_minutes(self, at: float) -> None:
        """Remember how many showed each mistake, at the end of each minute that has passed."""
        minute = int(at // 60)
        begun = minute if self._minute is None else self._minute
        for passed in range(max(begun, minute - MINUTES), minute):
            self._minutes.append(self._named(list(self._here(passed * 60.0 + 60))))
        self._minute = max(begun, minute)
