"""The preparation of a sandbox before its first notebook: the questions and imports that checks need."""

from __future__ import annotations

from typing import Any

import torch

from autograder.experiments import registry as experiments
from autograder.probe import forbidden_calls
from autograder.probe.collect_evidence import collect
from autograder.records.bank import LessonBank
from autograder.records.course import Course
from autograder.records.evidence_transport import pack


def read_questions() -> list[LessonBank]:
    """Read the questions of all lessons, so that the checks have them in memory."""
    course = Course.find()
    experiments.use(course)
    lessons = [course.load(lesson) for lesson in dict.fromkeys(course.lesson_of().values())]
    for lesson in lessons:
        forbidden_calls.prepare((task.id, task.families) for task in lesson.tasks.values())
    return lessons


def try_all_checks() -> None:
    """Check a wrong answer to every task, so that everything that a check imports is loaded."""
    for lesson in read_questions():
        for task in lesson.tasks.values():
            answer = _Scaled if task.kind == "module" else _first
            pack(collect(task, lesson, {task.name: answer}))


def _first(*given: Any) -> Any:
    return given[0] * 1.0


class _Scaled(torch.nn.Module):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))

    def forward(self, x: Any, *given: Any, **named: Any) -> Any:
        return x * self.scale
