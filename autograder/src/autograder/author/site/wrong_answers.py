"""Gather known wrong answers for a page: the changed lines, the resulting numbers, and the feedback card."""

from __future__ import annotations

import difflib
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.author.lesson_source import LessonSource, read_lesson
from autograder.experiments import registry as experiments
from autograder.judge.decide import judge
from autograder.records.bank import RESULT, LessonBank, Task, with_texts
from autograder.records.course import Course
from autograder.records.run_outcome import Evidence
from autograder.records.tensor_comparison import close, first_index
from autograder.words.feedback_card import Feedback
from autograder.words.language import translated
from autograder.words.mismatch_picture import difference_picture
from autograder.words.phrases import capital

MOST = 3  # for each task
MOST_LINES = 3  # that such an answer changes
COMMENT = re.compile(r"  +#.*| +$")


@dataclass(frozen=True)
class WrongAnswer:
    """A known wrong answer: its mistake, the lines that it changes, and the evidence about it."""

    fault: str
    removed: tuple[str, ...]  # lines of the solution
    added: tuple[str, ...]
    evidence: Evidence


WrongAnswers = Mapping[str, tuple[WrongAnswer, ...]]  # by task


def wrong_answers(course: Course, name: str) -> WrongAnswers:
    """Return, for each task of a lesson, a few wrong answers that a small edit makes and a check can name.

    Returns:
        The wrong answers by task id, in the order of the lesson's `tasks.py`; nothing if the lesson has no
        tasks.

    Raises:
        AuthoringError: the lesson cannot be run.
    """
    if not (course.source / name / "tasks.py").is_file():
        return {}
    source, bank = read_lesson(course, name), course.load(name)
    return {
        task.id: tuple(_of_task(task, source, bank))
        for task in source.lesson.tasks
        if task.id in bank.tasks  # one that is not built yet is on no page either
    }


def _of_task(described: Task, source: LessonSource, bank: LessonBank) -> Iterator[WrongAnswer]:
    task, solution = bank.tasks[described.id], source.solutions[described.id].text.splitlines()
    shown: set[str] = set()
    for wrong in described.wrong:
        if len(shown) == MOST:
            return
        text = source.runs.changed_answer(described, wrong.changes)
        lines = [*difflib.unified_diff(solution, text.splitlines(), lineterm="", n=0)][2:]
        # Without comments, which may be true of the right line alone.
        removed, added = (
            tuple(COMMENT.sub("", line[1:]) for line in lines if line[0] == sign) for sign in "-+"
        )
        if wrong.fault in shown or max(len(removed), len(added)) > MOST_LINES:
            continue
        evidence = source.runs.evidence_for(task, text, bank)
        if judge(task, evidence).known_wrong == wrong.fault:
            shown.add(wrong.fault)
            yield WrongAnswer(wrong.fault, removed, added, evidence)


def chips(course: Course, name: str, answers: WrongAnswers) -> dict[str, list[tuple[str, str]]]:
    """Return the title of each wrong answer, and the HTML that a page shows for it, by task id.

    Args:
        course: the course.
        name: the lesson's name.
        answers: the wrong answers, as `wrong_answers` returns them.
    """
    if not answers:
        return {}
    experiments.use(course)  # of a process of its own
    spoken = with_texts(course.load(name), translated).tasks
    return {
        task: [(_called(spoken[task], answer), _shown(spoken[task], answer)) for answer in some]
        for task, some in answers.items()
    }


def _called(task: Task, answer: WrongAnswer) -> str:
    return capital(next(wrong.name for wrong in task.known_wrong if wrong.id == answer.fault))


def _shown(task: Task, answer: WrongAnswer) -> str:
    lines = [f"<del>− {html.escape(line)}</del>" for line in answer.removed]
    lines += [f"<ins>+ {html.escape(line)}</ins>" for line in answer.added]
    card = Feedback(task, judge(task, answer.evidence)).html().replace(' role="status"', "")
    change = f"<pre>{chr(10).join(lines)}</pre>{_picture(task, answer.evidence)}"
    return f'<div class="ag ag-wait">{change}</div>{card}'


def _picture(task: Task, evidence: Evidence) -> str:
    """Return the first result that differs, beside the right one; "" where none has the right shape."""
    for probe in task.probes:
        outcome, expected = evidence.outcomes.get(probe.id), probe.expected.tensor
        if probe.observe != RESULT or outcome is None or outcome.tensor is None or expected is None:
            continue
        if outcome.tensor.shape == expected.shape:
            differs = ~close(outcome.tensor, expected)
            if differs.any():
                return difference_picture(outcome.tensor, expected, first_index(differs))
    return ""
