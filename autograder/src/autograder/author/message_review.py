"""Gather every message that the tasks of a lesson can give, so that a person can read them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from autograder.author.authoring import Faults, load_lesson
from autograder.author.build_bank import make_task, with_known_wrong
from autograder.author.lesson_source import read_lesson
from autograder.author.shared_text_check import (
    beside_others,
    digest,
    load_read,
    shared_in,
    to_read,
    unread,
    write_read,
)
from autograder.judge.decide import judge
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import RESULT, LessonBank, Task
from autograder.records.course import Course
from autograder.records.run_outcome import Evidence, Outcome
from autograder.words.feedback_card import Feedback

SENTENCE_END = re.compile(r"(?<=[.:?!])\s+")


@dataclass(frozen=True)
class ReviewedMessage:
    """The message of a task for one wrong answer."""

    fault: str
    change: str  # the changed lines of the solution; empty for a mistake made with a result
    hint: str  # the task's hint for the mistake
    text: str  # the whole message to the learner


@dataclass(frozen=True)
class TaskMessages:
    """All messages of a task."""

    task: Task
    messages: tuple[ReviewedMessage, ...]
    beside: Mapping[str, str]  # hints that are shown only together with another mistake's, by mistake
    shared: Mapping[str, str]  # the texts to read in this task, by mistake
    unread: tuple[str, ...]  # the mistakes whose current text nobody has read


def messages_of(course: Course, name: str, tasks: Sequence[str] = ()) -> Iterator[TaskMessages]:
    """Run the known wrong answers of a lesson, and yield for each task the messages that learners get.

    Args:
        course: the course.
        name: the lesson's name.
        tasks: the ids of the tasks to include; all if empty.

    Raises:
        AuthoringError: the lesson cannot be run, or one of `tasks` is not in it.
    """
    known_tasks = [task.id for task in load_lesson(course.source / name).tasks]
    if strangers := sorted(set(tasks) - set(known_tasks)):
        raise AuthoringError(
            [f"{name}: there is no task {', '.join(strangers)}. There are: {', '.join(known_tasks)}."]
        )
    source = read_lesson(course, name)
    runs, faults, read = source.runs, source.faults, load_read(course.source / name)
    shared = shared_in(course, source.lesson, faults)
    for described in source.lesson.tasks:
        if described.id in tasks or not tasks:
            task = with_known_wrong(make_task(described, runs), runs, faults, together=False)
            task = replace(task, entries=dict(course.entries))
            lesson_bank = LessonBank(name, source.lesson.title, runs.givens, {task.id: task})
            solution = runs.solutions[task.id].text
            texts = [runs.changed_answer(task, wrong.changes) for wrong in task.wrong]
            seen = [runs.evidence_for(task, text, lesson_bank) for text in texts]
            messages = (*_of_answers(task, solution, texts, seen), *_of_results(task, faults))
            beside = beside_others(task, faults, solution, [evidence.outcomes for evidence in seen])
            asked = to_read(task, shared) | {name: hint for name, hint in beside.items() if name in shared}
            yield TaskMessages(task, messages, beside, asked, unread(asked, read.get(task.id, {})))


def messages_text(messages_of_task: TaskMessages, only_unread: bool = False) -> str:
    """Return the messages of a task as one text.

    Args:
        messages_of_task: the messages.
        only_unread: whether to leave out messages that an author has confirmed.
    """
    task = messages_of_task.task
    messages = [
        message
        for message in messages_of_task.messages
        if message.fault in messages_of_task.unread or not only_unread
    ]
    beside = {
        name: hint
        for name, hint in messages_of_task.beside.items()
        if name in messages_of_task.unread or not only_unread
    }
    if only_unread and not messages and not beside:
        return f"=== {task.id}: all that it shares with other tasks is read"
    parts = [f"=== {task.id}: {task.title}", *(f"hint: {hint}" for hint in task.hints)]
    parts.append(f"learned: {task.learned}")
    for message in messages:
        mark = ", not yet read" if message.fault in messages_of_task.unread else ""
        unsaid = "" if _says(message.text, message.hint) else f"its hint is not said: {message.hint}"
        parts.append(
            "\n".join(filter(None, [f"--- {message.fault}{mark}", message.change, message.text, unsaid]))
        )
    parts += [f"--- {name}, beside another mistake\n{hint}" for name, hint in beside.items()]
    return "\n\n".join(parts) + "\n"


def _says(text: str, hint: str) -> bool:
    """Tell whether a text holds each sentence of a hint, however its lines are broken."""
    whole = "".join(text.split())
    return all("".join(sentence.split()) in whole for sentence in SENTENCE_END.split(hint))


def confirm(course: Course, name: str, tasks: Sequence[TaskMessages]) -> int:
    """Record that a person has read the messages of some tasks. Records of deleted tasks are removed.

    Args:
        course: the course.
        name: the lesson's name.
        tasks: the messages that were read.

    Returns:
        The number of texts that had not been read before.
    """
    folder = course.source / name
    there = {task.id for task in load_lesson(folder).tasks}
    read = {task: dict(texts) for task, texts in load_read(folder).items() if task in there}
    for text in tasks:
        read[text.task.id] = {fault: digest(hint) for fault, hint in text.shared.items()}
    write_read(folder, read)
    return sum(len(task.unread) for task in tasks)


def _of_answers(
    task: Task, solution: str, texts: Sequence[str], seen: Sequence[Evidence]
) -> Iterator[ReviewedMessage]:
    """Yield what a task says to each of its wrong answers, of which the texts and the evidence are given."""
    for mistake, text, evidence in zip(task.known_wrong, texts, seen, strict=False):
        message = repr(Feedback(task, judge(task, evidence)))
        lines = difflib.unified_diff(solution.splitlines(), text.splitlines(), lineterm="", n=0)
        change = "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))
        yield ReviewedMessage(mistake.id, change, mistake.hint, message)


def _of_results(task: Task, faults: Faults) -> Iterator[ReviewedMessage]:
    """Yield what a task says to mistakes made with the right result that none of its wrong answers shows."""
    shown = {wrong.fault for wrong in task.wrong}
    mistakes = {mistake.id: mistake for mistake in task.known_wrong if mistake.id not in shown}
    for slip in faults.on_results:
        texts = {
            probe.id: slip.of(probe.expected.tensor, task.axes)
            for probe in task.probes
            if probe.observe == RESULT and probe.expected.tensor is not None
        }
        if slip.fault in mistakes and any(outcome is not None for outcome in texts.values()):
            outcomes = {probe.id: _with(probe.expected, texts.get(probe.id)) for probe in task.probes}
            verdict = judge(task, Evidence(task.id, "answered", outcomes, answer_type="torch.Tensor"))
            if not verdict.passed:  # a single one cannot be the wrong one
                message = repr(Feedback(task, verdict))
                yield ReviewedMessage(slip.fault, "", mistakes[slip.fault].hint, message)


def _with(right: Outcome, result: Tensor | None) -> Outcome:
    return right if result is None else replace(right, tensor=result, shape=tuple(result.shape))
