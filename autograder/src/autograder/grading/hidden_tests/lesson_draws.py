"""The draw of a lesson's hidden questions from a secret: the lesson's source is run with other givens."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from autograder.author import fair_draws, secret_probes
from autograder.author.lesson_source import LessonSource
from autograder.author.solution_runs import run_solution
from autograder.records import bank
from autograder.records.bank import LessonBank
from autograder.records.course import Course


@lru_cache(maxsize=32)
def draw(
    course: Course, lesson: str, secret: str, public: bytes
) -> tuple[Mapping[str, bytes], tuple[tuple[str, str], ...]]:
    """Draw a lesson's hidden questions.

    Args:
        course: the course.
        lesson: the lesson's name.
        secret: the text from which everything is drawn.
        public: the digest of the lesson's bank; another digest means another draw.

    Returns:
        The questions with their answers, as a bank's files, and the probes without a hidden one: task and
            probe.
    """
    source = LessonSource.of(course, lesson)
    described = source.lesson
    seeds = [
        secret_probes.seed_from(secret, lesson, f"givens-{number}") % 2**31
        for number in range(1, max(described.redraws, 1) + 1)
    ]
    runs = run_solution(described, source.notebook, source.name, seeds, course.forbidden)
    tasks, left_out = fair_draws.hidden_tasks(described, runs, secret)
    return bank.files(LessonBank(lesson, described.title, runs.givens, tasks)), left_out
