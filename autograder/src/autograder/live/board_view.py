"""Describe a lab on its board, with the course's names of tasks, mistakes and sections."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

import nbformat

from autograder.live.lab_stats import MistakeNow, Now, TaskNow
from autograder.records import bank
from autograder.records.bank import KnownWrong
from autograder.records.cell_roles import headings
from autograder.records.course import Course
from autograder.words.language import _, ngettext, spoken, translated
from autograder.words.phrases import capital

# A mistake is worth a word to all where so many people show it, and this share of those who are here.
WORTH_PEOPLE, WORTH_SHARE, MOST_SAID = 3, 0.15, 3
MOST_MISTAKES = 12
BEFORE = 5  # minutes, for how things were


@dataclass(frozen=True)
class TaskWords:
    """A task's title, its lesson, and its known mistakes by id."""

    title: str
    lesson: str
    mistakes: Mapping[str, KnownWrong]


@dataclass(frozen=True)
class Vocabulary:
    """The course's names of tasks, mistakes and sections. A board shows no other names."""

    title: str
    tasks: Mapping[str, TaskWords]  # in the course's order
    sections: Mapping[str, str]  # the headings by address

    @classmethod
    def of(cls, course: Course) -> Vocabulary:
        """Return a course's vocabulary in the current language.

        Raises:
            BankError: a bank is damaged.
        """
        tasks = {}
        for lesson in course.banked():
            lesson_bank = bank.with_texts(bank.described(lesson, course.bank), translated)
            for task in lesson_bank.tasks.values():
                mistakes = {mistake.id: mistake for mistake in reversed(task.known_wrong)}
                tasks[task.id] = TaskWords(task.title, lesson, mistakes)
        places = {mistake.section for task in tasks.values() for mistake in task.mistakes.values()}
        return cls(course.title, tasks, _sections(course, places - {""}))

    def mistake(self, fault: str, tasks: tuple[str, ...]) -> KnownWrong:
        """Return a mistake in the wording of the first of `tasks` that lists it, or else of any task."""
        for task in (*tasks, *self.tasks):
            if fault in self.tasks[task].mistakes:
                return self.tasks[task].mistakes[fault]
        return KnownWrong(fault, "", fault)

    def section(self, mistake: KnownWrong, tasks: tuple[str, ...]) -> str:
        """Return the title of the section on a mistake; "" if its lesson comes after those of `tasks`."""
        where = mistake.section.partition("#")[0]
        lessons = list(dict.fromkeys(task.lesson for task in self.tasks.values()))
        here = [lessons.index(self.tasks[task].lesson) for task in tasks if task in self.tasks]
        if where in lessons and here and lessons.index(where) > max(here):
            return ""
        return self.sections.get(mistake.section, "")


def _sections(course: Course, places: set[str]) -> dict[str, str]:
    """Return sections in words, from "02-trainable#scale-intro"; only those of lessons that are released."""
    sections: dict[str, str] = {}
    for lesson in {section.partition("#")[0] for section in places}:
        folders = (course.root / "notebooks" / language for language in (spoken(), ""))
        release = next(
            (path for folder in folders if (path := folder / lesson / f"{lesson}.ipynb").is_file()), None
        )
        titles = {}
        if release:
            with suppress(OSError, ValueError, KeyError):  # a release that somebody damaged
                titles = headings(nbformat.read(release, as_version=4))
        for section in places:
            name, _mark, cell = section.partition("#")
            heading = titles.get(cell, ("", ""))[1] if name == lesson else ""
            if heading:
                sections[section] = _("“{heading}” in {lesson}", heading=heading, lesson=lesson)
    return sections


def board_state(now: Now, words: Vocabulary) -> dict[str, Any]:
    """Return the content of a board as JSON data: sentences, and the numbers for its bars and lines."""
    mistakes = list(now.mistakes.items())[:MOST_MISTAKES]
    return {
        "here": now.here,
        "people": ngettext("{number} person is here", "{number} people are here", now.here),
        "more": _more(now),
        "together": [
            {"id": fault, "says": _mistake_text(fault, state, now.here, words)}
            for fault, state in mistakes[:MOST_SAID]
            if state.now >= max(WORTH_PEOPLE, WORTH_SHARE * now.here)
        ],
        "tasks": [_task(task, now.tasks[task], now.here, words) for task in words.tasks if task in now.tasks],
        "mistakes": [_mistake(fault, state, words) for fault, state in mistakes],
    }


def _more(now: Now) -> str:
    joined = ngettext("{number} has joined so far", "{number} have joined so far", now.joined)
    between = ngettext("{number} is between two tasks", "{number} are between two tasks", now.between)
    return f"{joined} · {between}" if now.between else joined


def _mistake_text(fault: str, state: MistakeNow, here: int, words: Vocabulary) -> str:
    mistake = words.mistake(fault, state.tasks)
    if section := words.section(mistake, state.tasks):
        return _(
            "{number} of {all}: {mistake}. Look at {section} together.",
            number=state.now,
            all=here,
            mistake=mistake.name or fault,
            section=section,
        )
    return _("{number} of {all}: {mistake}.", number=state.now, all=here, mistake=mistake.name or fault)


def _task(task: str, state: TaskNow, here: int, words: Vocabulary) -> dict[str, Any]:
    counts = [
        ngettext("{number} is working on it", "{number} are working on it", state.working),
        ngettext("{number} has solved it", "{number} have solved it", state.solved),
    ]
    lines = [" · ".join(counts)]
    if state.times:
        lines.append(_times(state.times))
    if state.asked:
        lines.append(_after_hint(state))
    labels = words.tasks[task]
    return {
        "id": task,
        "title": labels.title,
        "lesson": labels.lesson,
        "lines": lines,
        "working": state.working,
        "solved": state.solved,
        "of": max(here, state.working + state.solved),
    }


def _times(times: tuple[float, ...]) -> str:
    longest = _minutes(times[0])
    if len(times) == 1:
        return _("At work for {longest}", longest=longest)
    half = _minutes(median(times))
    return _("Half of them at work for {half} or longer, one for {longest}", half=half, longest=longest)


def _minutes(seconds: float) -> str:
    if seconds < 60:
        return _("less than a minute")
    return ngettext("{number} minute", "{number} minutes", int(seconds // 60))


def _after_hint(state: TaskNow) -> str:
    """Return in words what became of those who asked for a hint."""
    asked = ngettext("{number} asked for a hint", "{number} asked for a hint", state.asked)
    texts = {
        "right": ngettext("{number} then solved it", "{number} then solved it", state.after["right"]),
        "gone": ngettext(
            "{number} no longer makes the mistake", "{number} no longer make the mistake", state.after["gone"]
        ),
        "same": ngettext("{number} is not there yet", "{number} are not there yet", state.after["same"]),
    }
    came = [text for kind, text in texts.items() if state.after[kind]]  # type: ignore[index]
    return f"{asked}: {', '.join(came)}" if came else asked


def _mistake(fault: str, state: MistakeNow, words: Vocabulary) -> dict[str, Any]:
    mistake = words.mistake(fault, state.tasks)
    before = state.minutes[-1 - BEFORE] if len(state.minutes) > BEFORE else None
    lines = [
        _("{now} now, {past} have got past it", now=state.now, past=state.past)
        if before is None  # nothing was heard yet
        else _(
            "{now} now, {before} five minutes ago, {past} have got past it",
            now=state.now,
            before=before,
            past=state.past,
        )
    ]
    if section := words.section(mistake, state.tasks):
        lines.append(_("Explained in {section}.", section=section))
    return {
        "id": fault,
        "title": capital(mistake.name or fault),
        "lesson": ", ".join(words.tasks[task].title for task in state.tasks[:2]),
        "lines": lines,
        "minutes": state.minutes,
    }
