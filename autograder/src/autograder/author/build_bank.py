"""Build a lesson's bank: run the solution and the known wrong answers on every probe.

The reference for a task is the object that the solution cell itself defines. Nothing in this module contains
an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

from torch import Tensor

from autograder.author.answer_edits import Wrong
from autograder.author.authoring import Faults, Lesson
from autograder.author.execute_lesson import unwarned
from autograder.author.higher_order_mutants import combine
from autograder.author.parallel import in_forks
from autograder.author.solution_runs import SolutionRuns, detached
from autograder.author.solution_steps import route_of
from autograder.judge.decide import judge
from autograder.judge.failure_signatures import FailureSignature, failure_signature, tabulate
from autograder.judge.trace_alignment import reaches
from autograder.probe.collect_evidence import observe
from autograder.probe.generic_behaviour import examine
from autograder.probe.line_trace import follow
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import (
    AS_SEEN,
    RESULT,
    KnownWrong,
    LessonBank,
    Probe,
    Task,
    WrongAnswer,
    axis_parts,
)
from autograder.records.operator_families import Family
from autograder.records.run_outcome import Examination, Outcome


def make_bank(
    lesson: Lesson,
    runs: SolutionRuns,
    name: str,
    faults: Faults,
    earlier_tasks: Mapping[str, Task] = MappingProxyType({}),
) -> LessonBank:
    """Return the lesson's bank.

    Args:
        lesson: the definitions in the lesson's `tasks.py`.
        runs: the results of running the lesson's solution.
        name: the lesson's name.
        faults: the course's mistakes.
        earlier_tasks: tasks of an earlier build, by id, that are still current: their answers are not tried
            again, and only their texts are updated.

    Raises:
        AuthoringError: a task's solution is missing or fails on a probe, a known wrong answer passes, two
            wrong answers cannot be told apart, two axes have the same size in every probe, or a forbidden
            call is not noticed.
    """
    problems: list[str] = []
    tasks: dict[str, Task] = {}
    for described in lesson.tasks:
        try:
            if described.id in earlier_tasks:
                task = reworded(described, earlier_tasks[described.id], runs.families, faults)
            else:
                task = with_known_wrong(make_task(described, runs), runs, faults)
        except AuthoringError as problem:
            problems += of_task(described, problem.problems)
            continue
        if described.id not in earlier_tasks:
            problems += of_task(task, _reference_problems(task))
            if not problems:
                problems += of_task(task, _wrong_answer_problems(task))
                problems += of_task(task, _axes_problems(task, lesson, runs))
        problems += of_task(task, missing_faults(task, faults))
        tasks[task.id] = task
    answers = {task.name for task in lesson.tasks}
    variables = sorted(
        symbol for symbol in runs.names if symbol not in answers and not symbol.startswith("_")
    )
    bank = LessonBank(
        lesson=name, title=lesson.title, givens=runs.givens, tasks=tasks, names=tuple(variables)
    )
    if not problems:
        for task in tasks.values():
            if task.id not in earlier_tasks:
                problems += of_task(task, _right_answer_problems(task, bank, runs))
                problems += of_task(task, _demand_problems(task, bank, runs))
    if problems:
        raise AuthoringError([f"{name}: {problem}" for problem in problems])
    return bank


def of_task(task: Task, problems: Iterable[str]) -> list[str]:
    """Return each problem with the name of its task in front."""
    return [f"task {task.id}: {problem}" for problem in problems]


def make_task(task: Task, runs: SolutionRuns) -> Task:
    """Return a copy of an author's task, with the outcomes that the lesson's solution has in it.

    Args:
        task: the task, as its author describes it.
        runs: the results of running the lesson's solution.

    Raises:
        AuthoringError: the solution does not define a name that the task needs.
    """
    namespace = runs.namespaces[AS_SEEN]
    if task.name not in namespace:
        raise AuthoringError([f"the solution defines no {task.name}"])
    families = _forbidden(task, runs.families)
    if task.kind == "tensor":
        unkept = [name for name in task.keeps if not isinstance(namespace.get(name), Tensor)]
        if unkept:
            raise AuthoringError([f"no cell of the lesson makes a tensor {', '.join(unkept)} to keep"])
        return replace(
            task,
            probes=tuple(
                Probe(run, "other example data", {}, expected=observe(names[task.name]))
                for run, names in runs.namespaces.items()
            ),
            checks=tuple(replace(check, probes=tuple(runs.namespaces)) for check in task.checks),
            kept={name: detached(namespace[name]) for name in task.keeps},
            families=families,
        )
    probes = tuple(runs.completed(task, probe) for probe in task.probes)
    built = replace(task, probes=probes, families=families)
    return replace(
        built,
        examined=without_decisions(built, examine(built, namespace[task.name], namespace)),
        route=route_of(built, namespace[task.name], namespace, runs.steps),
    )


def with_known_wrong(built: Task, runs: SolutionRuns, faults: Faults, together: bool = True) -> Task:
    """Return a task completed with the outcomes of its known wrong answers.

    Args:
        built: the task, with the outcomes of its solution.
        runs: the results of running the lesson's solution.
        faults: the course's mistakes.
        together: whether to try answers that combine two or three mistakes too, which takes much longer.

    Raises:
        AuthoringError: an answer cannot be made.
    """
    mistakes, outcomes = _known_wrong(built, runs, faults)
    alone: list[Mapping[str, FailureSignature]] = [
        {probe.id: failure_signature(built, probe, by_probe[probe.id]) for probe in built.probes}
        for by_probe in outcomes
    ]

    def run(text: str, some: Iterable[Probe], steady: bool) -> Mapping[str, Outcome]:
        return runs.outcomes_of(built, text, some, steady)

    added, places, sights = combine(built, outcomes, alone, runs.solutions[built.id], faults, run, together)
    members = [*((index,) for index in range(len(mistakes))), *places]
    return replace(
        built,
        known_wrong=(*mistakes, *(as_known(Wrong(fault, ()), built, faults) for fault in added)),
        explanations=tabulate(members, alone + sights),
    )


def without_decisions(task: Task, examined: Examination | None) -> Examination | None:
    """Return an examination without the influence of real numbers on a decision, as which keys are chosen.

    A decision that stayed as it was need not always stay: another change of the numbers might have tipped it.
    """
    if examined is None:
        return None
    probe = task.probe[examined.probe]
    expected = probe.expected.tensor
    if expected is None or expected.is_floating_point():
        return examined
    given = {**probe.inputs, **probe.weights}
    real = {name for name, value in given.items() if isinstance(value, Tensor) and value.is_floating_point()}
    others = tuple(influence for influence in examined.influences if influence.input not in real)
    return replace(examined, influences=others)


def reworded(task: Task, earlier: Task, families: tuple[Family, ...], faults: Faults) -> Task:
    """Return a task of an earlier build with its texts replaced by the current ones.

    Args:
        task: the task, as its author describes it now.
        earlier: the task of the earlier build.
        families: the groups of calls that the course's tasks can forbid.
        faults: the course's mistakes.

    Raises:
        AuthoringError: a hint cannot be filled in.
    """
    others = earlier.known_wrong[len(task.wrong) :]
    answers = (*task.wrong, *(Wrong(wrong.id, ()) for wrong in others))
    mistakes = tuple(
        replace(as_known(answer, task, faults), reaches=wrong.reaches)
        for answer, wrong in zip(answers, earlier.known_wrong, strict=True)
    )
    says = {probe.id: probe.says for probe in task.probes}
    probes = tuple(replace(probe, says=says.get(probe.id, probe.says)) for probe in earlier.probes)
    checks = task.checks
    if task.kind == "tensor":
        checks = tuple(replace(check, probes=tuple(earlier.probe)) for check in task.checks)
    computed = {
        name: getattr(earlier, name) for name in ("kept", "explanations", "examined", "route", "exam")
    }
    families_of_task = _forbidden(task, families)
    return replace(
        task, probes=probes, checks=checks, known_wrong=mistakes, families=families_of_task, **computed
    )


def _forbidden(task: Task, families: Iterable[Family]) -> tuple[Family, ...]:
    return tuple(family for family in families if task.forbids and family.name in task.forbids.families)


def _known_wrong(
    task: Task, runs: SolutionRuns, faults: Faults
) -> tuple[list[KnownWrong], list[Mapping[str, Outcome]]]:
    """Return the known wrong answers, and what each does."""

    def tried(wrong: WrongAnswer) -> tuple[KnownWrong, Mapping[str, Outcome]] | AuthoringError:
        try:
            if wrong.fault not in faults.known:
                raise AuthoringError(["faults.py does not name it"])
            text = runs.changed_answer(task, wrong.changes)
            mistake = replace(as_known(wrong, task, faults), reaches=_reached(task, text, runs))
            return mistake, runs.outcomes_of(task, text, task.probes)
        except AuthoringError as problem:
            return problem

    problems: list[str] = []
    mistakes: list[KnownWrong] = []
    outcomes: list[Mapping[str, Outcome]] = []
    for wrong, result in zip(task.wrong, in_forks(tried, task.wrong), strict=True):
        if isinstance(result, AuthoringError):
            problems += [f"the wrong answer {wrong.fault}: {problem}" for problem in result.problems]
        else:
            mistakes.append(result[0])
            outcomes.append(result[1])
    if problems:
        raise AuthoringError(problems)
    return mistakes, outcomes


def _reached(task: Task, text: str, runs: SolutionRuns) -> tuple[str, ...] | None:
    """Return the right steps that a wrong answer takes; None where it is not followed."""
    if task.route is None:
        return None
    answer = runs.answer_made(task, text)
    with unwarned():
        return reaches(task.route, follow(task, answer, runs.namespaces[AS_SEEN]))


def as_known(wrong: WrongAnswer, task: Task, faults: Faults) -> KnownWrong:
    """Return the bank's record of a wrong answer: its mistake, hint and section.

    Raises:
        AuthoringError: its hint cannot be filled in.
    """
    fault = faults.known[wrong.fault]
    return KnownWrong(fault.id, faults.hint(wrong, task), fault.name, fault.section, fault.varies)


def _reference_problems(task: Task) -> Iterator[str]:
    for probe in task.probes:
        expected = probe.expected
        where = f"probe {probe.id}: the solution"
        if probe.raises:
            if expected.error is None or expected.error.type not in probe.raises:
                yield f"{where} does not raise {' or '.join(probe.raises)}"
        elif expected.uncalled is not None:
            yield f"{where} cannot be called: {expected.uncalled.reason}"
        elif expected.error is not None:
            yield f"{where} raises {expected.error.type}"
        elif expected.tensor is None:
            yield f"{where} gives {expected.type_name}"
        elif probe.observe != RESULT and expected.tensor.numel() == 0:
            yield f"{where} shows nothing in the experiment {probe.observe}"
        elif probe.observe == RESULT and expected.tensor.ndim != len(task.axes):
            yield f"{where} has {expected.tensor.ndim} axes, and the task names {task.axes}"


def _wrong_answer_problems(task: Task) -> Iterator[str]:
    """Yield what is wrong with the wrong answers that the task writes: the first of those that are known."""
    table = task.explanations
    assert table is not None
    alike: dict[tuple[Any, ...], set[str]] = {}
    for wrong, kind, mark, numbers in zip(task.wrong, *table.on(table.probes), strict=False):
        if not bool(kind.any() | mark.any()):
            yield f"the known wrong answer {wrong.fault} passes"
        shown = [round(number, 4) for number in numbers.flatten().tolist()]
        key = (*kind.tolist(), *mark.tolist(), *shown)
        alike.setdefault(key, set()).add(wrong.fault)
    for names in alike.values():
        if len(names) > 1:
            yield f"no probe tells {' from '.join(sorted(names))}"


def missing_faults(task: Task, faults: Faults) -> Iterator[str]:
    """Yield a problem for each mistake that the task makes possible but none of its wrong answers shows.

    A task makes a mistake possible by its `parts`. A mistake needs no wrong answer if the task's `cannot`
    says why there is none. A needless entry of `cannot` is a problem too.
    """
    shown = {wrong.fault for wrong in task.wrong}
    possible = {
        fault.id for fault in faults.known.values() if fault.parts and set(fault.parts) <= set(task.parts)
    }
    for name in sorted(possible - shown - set(task.cannot)):
        yield f"no wrong answer shows {name}; write one, or say in `cannot` why there is none"
    on_results = {slip.fault for slip in faults.on_results}
    for name in sorted(set(task.cannot) & shown | set(task.cannot) - possible - on_results):
        why = "a wrong answer shows" if name in shown else "its parts do not make possible"
        yield f"`cannot` names {name}, which {why}"


def _axes_problems(task: Task, lesson: Lesson, runs: SolutionRuns) -> Iterator[str]:
    """Two axes of the same size in every probe would hide a confusion of the two."""
    named = lesson.given_axes if task.kind == "tensor" else task.input_axes
    sizes_by_probe: list[dict[str, int]] = []
    for probe in task.probes:
        if probe.raises:
            continue  # there is no result, and its sizes do not fit on purpose
        inputs = runs.givens[probe.id] if task.kind == "tensor" else probe.inputs
        # A constructor's whole numbers are sizes: channels, kernel_size, stride.
        sizes = {name: value for name, value in probe.construct.items() if type(value) is int}
        lists = probe.settings.get("lists", {})  # of these, the pieces have the axes that are named
        tensors = [
            (axes, inputs[name]) for name, axes in named.items() if name in inputs and name not in lists
        ]
        if probe.observe == RESULT:
            tensors.append((task.axes, probe.expected.tensor))
        for axes, value in tensors:
            if not isinstance(value, Tensor):
                continue
            if value.ndim != len(axes):
                if probe.observe == RESULT:  # an experiment may try another number of axes on purpose
                    yield f"probe {probe.id} has {value.ndim} axes where {axes} are named"
                continue
            for axis, size in zip(axes, value.shape, strict=True):
                symbol = axis_parts(axis)[0]
                if sizes.setdefault(symbol, size) != size:
                    yield f"in probe {probe.id} the axis {symbol} is both {sizes[symbol]} and {size}"
        sizes_by_probe.append(sizes)
    symbols = sorted({symbol for sizes in sizes_by_probe for symbol in sizes})
    for first, other in combinations(symbols, 2):
        both = [sizes for sizes in sizes_by_probe if first in sizes and other in sizes]
        if both and all(sizes[first] == sizes[other] for sizes in both):
            yield f"in every probe the axes {first} and {other} have the same size"


def _right_answer_problems(task: Task, bank: LessonBank, runs: SolutionRuns) -> Iterator[str]:
    """Yield which right answers do not pass, and which are not right but for a forbidden call."""
    for answer in (*task.right, *task.caught):
        name = answer.id if answer in task.caught else f"the right answer {answer.id}"
        try:
            text = runs.changed_answer(task, answer.changes)
            verdict = judge(task, runs.evidence_for(task, text, bank))
        except AuthoringError as problem:
            yield f"{name} cannot be made ({'; '.join(problem.problems)})"
            continue
        if answer not in task.caught and not verdict.passed:
            yield f"{name} is rejected ({verdict.finding})"
        elif not verdict.right:
            yield f"{name} is not right otherwise ({verdict.finding})"
        elif answer in task.caught and verdict.forbidden is None:
            yield f"{name} makes no forbidden call that is seen"


def _demand_problems(task: Task, bank: LessonBank, runs: SolutionRuns) -> Iterator[str]:
    """Yield which answers break a demand of the statement and keep all points."""
    for demand, name in task.demands.items():
        breaking = [wrong.changes for wrong in task.wrong if wrong.fault == name]
        breaking += [answer.changes for answer in task.caught if answer.id == name]
        for changes in breaking:
            verdict = judge(task, runs.evidence_for(task, runs.changed_answer(task, changes), bank))
            if verdict.passed:
                yield f"{name} breaks the demand {demand!r} and keeps all points"
