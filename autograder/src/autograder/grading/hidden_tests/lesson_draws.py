"""The draw of a lesson's hidden questions from a secret: the lesson's source is run with other givens."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from autograder.author import fair_draws, secret_probes
from autograder.author.authoring import load_lesson
from autograder.author.build_bank import run_solution
from autograder.author.parse_source import read_source
from autograder.experiments import registry as experiments
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
    experiments.use(course)
    described = load_lesson(course.source / lesson)
    notebook = read_source(course.source / lesson / f"{lesson}.py")
    seeds = [
        secret_probes.seed_from(secret, lesson, f"givens-{number}") % 2**31
        for number in range(1, max(described.redraws, 1) + 1)
    ]
    runs = run_solution(described, notebook, lesson, seeds, course.forbidden)
    tasks, left_out = fair_draws.hidden_tasks(described, runs, secret)
    return bank.files(LessonBank(lesson, described.title, runs.givens, tasks)), left_out
