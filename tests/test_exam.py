"""The exams of the course: each can be done from its blank cell alone."""

import ast
from pathlib import Path

import pytest
from autograder.author.parse_source import read_source
from autograder.judge.decide import judge
from autograder.lesson.exam import blank_cell
from autograder.probe.collect_evidence import collect_answer
from autograder.records.course import Course
from autograder.records.parse_cells import parsed

ROOT = Path(__file__).resolve().parents[1]
COURSE = Course.read(ROOT)
LESSON_OF = COURSE.lesson_of()


def solution(task_id):
    lesson = LESSON_OF[task_id]
    cells = {cell["id"]: cell.source for cell in read_source(COURSE.source / lesson / f"{lesson}.py").cells}
    return cells[f"{task_id}-answer"]


def heads(source):
    """What a cell's functions and classes are called, and how their arguments are."""
    actual = {}
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.FunctionDef):
            actual[node.name] = ast.unparse(node.args)
        elif isinstance(node, ast.ClassDef):
            actual[node.name] = [ast.unparse(base) for base in node.bases]
    return actual


@pytest.mark.parametrize("task_id", COURSE.exam)
def test_the_blank_cell_has_the_signature_of_the_solution(task_id):
    blank = heads(blank_cell(COURSE.load(LESSON_OF[task_id]).tasks[task_id]))
    wanted = heads(solution(task_id))
    assert blank == {name: wanted[name] for name in blank}


@pytest.mark.parametrize("task_id", COURSE.exam)
def test_a_blank_cell_earns_nothing(task_id):
    lesson = COURSE.load(LESSON_OF[task_id])
    task, names = lesson.tasks[task_id].in_exam(), {}
    exec(blank_cell(task), names)
    assert not judge(task, collect_answer(task, lesson, names[task.name], names, examining=False)).earned


def test_every_exam_asks_hidden_numbers():
    tasks = [COURSE.load(LESSON_OF[task_id]).tasks[task_id] for task_id in COURSE.exam]
    assert [task.id for task in tasks if not task.exam] == []
