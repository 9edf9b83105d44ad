"""Hidden probes of this course: each probe that can have a twin has one, and public results pass no check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from autograder.author.authoring import Lesson, load_lesson
from autograder.author.build_bank import make_task
from autograder.author.fair_draws import choose_draws
from autograder.author.parse_source import read_source
from autograder.author.secret_probes import has_twin, twin_of
from autograder.author.solution_runs import SolutionRuns, run_solution
from autograder.experiments import registry
from autograder.records.bank import RESULT
from autograder.records.course import Course
from autograder.records.tensor_comparison import all_close

from tests.classes import ROOT

pytestmark = pytest.mark.slow

CHOSEN = "one"


@dataclass(frozen=True)
class Tried:
    """A lesson of the course, its solution run, and which draws are kept."""

    lesson: Lesson
    runs: SolutionRuns
    draws: Mapping[tuple[str, str], int | None]


@pytest.fixture(scope="module", params=Course.read(ROOT).lessons)
def tried(request: pytest.FixtureRequest) -> Tried:
    registry.use(Course.read(ROOT))
    source = ROOT / "source" / request.param
    lesson = replace(load_lesson(source), redraws=0)
    runs = run_solution(lesson, read_source(source / f"{request.param}.py"), request.param)
    return Tried(lesson, runs, choose_draws(lesson, runs, CHOSEN))


def test_every_probe_of_the_course_that_can_have_a_twin_has_one(tried):
    twinned = [(task.id, probe.id) for task in tried.lesson.tasks for probe in task.probes if has_twin(probe)]
    assert list(tried.draws) == twinned
    assert [twin for twin, draw in tried.draws.items() if draw is None] == []


def test_no_check_of_the_course_is_passed_with_results_that_are_public(tried):
    passed = []
    for task in tried.lesson.tasks:
        visible = make_task(task, tried.runs).probes
        public = [probe.expected.tensor for probe in visible if probe.expected.tensor is not None]
        new = []
        for probe in task.probes:
            if has_twin(probe) and probe.observe == RESULT:
                twin = twin_of(task, probe, CHOSEN, tried.draws[task.id, probe.id])
                result = tried.runs.completed(task, twin).expected.tensor
                new += [] if any(all_close(result, item) for item in public) else [probe.id]
        passed += [
            (task.id, check.title)
            for check in task.checks
            if task.kind != "tensor" and check.points and not set(new) & set(check.probes)
        ]
    assert passed == []
