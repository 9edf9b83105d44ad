"""What is drawn from a secret for a lesson: its source is run anew, with other givens."""

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
    """Return a lesson's hidden questions with their answers, as a bank's files; and which probes have none.

    Args:
        course: the course.
        lesson: the lesson's name.
        secret: what all is drawn from.
        public: the digest of the lesson's bank: where that is another, all is drawn anew.
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
