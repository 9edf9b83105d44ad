"""Grade one rebuilt submission: run it with each set of givens, judge what it left, write the verdicts in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from nbformat import NotebookNode, from_dict

from autograder.bank import AS_SEEN, LessonBank
from autograder.build.source import is_test
from autograder.findings import Verdict
from autograder.grading.evidence import bound_outputs, cells_before, judge_notebook, show_verdict
from autograder.grading.made_up import made_up
from autograder.grading.rebuild import with_explanation, with_givens
from autograder.grading.running.execute import Executed

# Runs a notebook with the givens of a run ("as-seen", "redrawn-1", …) in the environment of that run.
Runner = Callable[[NotebookNode, str], Executed]


@dataclass(frozen=True)
class Graded:
    """An executed notebook with the verdicts in its test cells, and the notes that stand on top of it."""

    notebook: NotebookNode
    verdicts: Mapping[str, Verdict]
    notes: tuple[str, ...]


def grade(rebuilt: NotebookNode, lesson: LessonBank, run: Runner, notes: tuple[str, ...] = ()) -> Graded:
    """Grade a submission that was rebuilt.

    Args:
        rebuilt: the course's cells with the learner's answers.
        lesson: the lesson's bank, with its answers; nothing of it reaches the run.
        run: how notebooks are run.
        notes: what a person should know besides, from rebuilding.

    Raises:
        GraderFault: our own code failed beside an answer.
        SandboxFailed: the sandbox itself failed.
    """
    as_seen = run(from_dict(rebuilt), AS_SEEN)
    asked = _up_to_the_last_tensor(rebuilt, lesson)
    redrawn = {
        name: run(with_givens(asked, givens), name)
        for name, givens in lesson.givens.items()
        if name != AS_SEEN and asked.cells
    }
    executed = as_seen.notebook
    verdicts = judge_notebook(
        lesson,
        executed,
        {name: one.notebook for name, one in redrawn.items()},
        as_seen.gave_up,
        as_seen.stops,
    )
    bound_outputs(executed)
    for cell in executed.cells:
        if is_test(cell) and cell["id"] in verdicts:
            show_verdict(cell, lesson.tasks[cell["id"]], verdicts[cell["id"]])
    said = notes + tuple(f"The cell {name} was stopped: {why}." for name, why in as_seen.stops.items())
    said += tuple(_not_seen(lesson, executed, verdicts))
    if as_seen.gave_up:
        said += (f"The notebook did not run to its end: {as_seen.gave_up}.",)
    if said:
        with_explanation(executed, said)
    return Graded(executed, verdicts, said)


def _not_seen(lesson: LessonBank, executed: NotebookNode, verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """What a person should look at, since neither reading nor watching need have seen a forbidden call."""
    for task in lesson.tasks.values():
        if task.forbids and verdicts[task.id].right and not verdicts[task.id].forbidden:
            name = made_up(cells_before(task, executed))
            if name:
                yield f"{task.id}: with `{name}`, a call that this task forbids may have gone unseen."


def _up_to_the_last_tensor(notebook: NotebookNode, lesson: LessonBank) -> NotebookNode:
    """What a run with other givens is for: only tensors are judged by it, so no other check runs in it."""
    tensors = {task.id for task in lesson.tasks.values() if task.kind == "tensor"}
    cells = [cell for cell in notebook.cells if not is_test(cell) or cell["id"] in tensors]
    while cells and cells[-1]["id"] not in tensors:
        cells.pop()
    asked: NotebookNode = from_dict({**notebook, "cells": cells})
    return asked
