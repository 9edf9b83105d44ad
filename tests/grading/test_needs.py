"""No answer of the course stands in for that of a task which builds on it."""

from __future__ import annotations

import pytest
from autograder.author.execute_lesson import run_cells
from autograder.author.parse_source import read_source
from autograder.grading import error_carried_forward
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect_answer
from autograder.records.cell_roles import undrawn
from autograder.records.course import Course

from tests.classes import ROOT

COURSE = Course.read(ROOT)


@pytest.mark.parametrize("name", COURSE.lessons)
def test_no_answer_of_the_course_earns_anything_for_a_task_that_builds_on_it(name):
    """Else the course's answer alone, under another name, would earn points that the learner has not."""
    lesson = COURSE.load(name)
    source = undrawn(read_source(ROOT / "source" / name / f"{name}.py"))
    namespace = run_cells(source, name)
    needs = error_carried_forward._all_needs(lesson)
    actual = {
        (task.id, earlier): judge(
            task, collect_answer(task, lesson, namespace[lesson.tasks[earlier].name], namespace)
        ).earned
        for task in lesson.tasks.values()
        for earlier in needs[task.id]
    }
    assert [pair for pair, points in actual.items() if points] == []
