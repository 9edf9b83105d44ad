"""Make a lesson's bank: run the solution and the known wrong answers on every probe.

The reference for a task is the object that the solution cell itself defines; nothing here knows an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import torch
from nbformat import NotebookNode
from torch import Tensor

from autograder import authoring, bank
from autograder.bank import AS_SEEN, LessonBank, Value
from autograder.build.combine import combine
from autograder.build.namespace import Moment, run_cells
from autograder.build.parallel import in_forks
from autograder.cells import is_answer, undrawn
from autograder.collect import CALLS, collect_answer, is_notebook_file, observe
from autograder.course import Family
from autograder.edits import Change, Solution, changed
from autograder.examine import examine
from autograder.experiments import EXPERIMENTS, concluded
from autograder.experiments.buffers import sizes_of
from autograder.explain import Sight, sight, tabulate
from autograder.findings import Verdict
from autograder.forbidden import Watch
from autograder.judge import judge
from autograder.outcome import Evidence, Outcome

# Public redraws start from fixed seeds, so that a rebuild makes the same bank.
REDRAW_SEED = 7001


@dataclass(frozen=True)
class Runs:
    """A lesson's namespaces: one for each set of givens, the first as the learner sees it.

    `moments` are, for each of them, the moments before the answer cells, by task; `solutions` are the
    texts of the answer cells.
    """

    givens: Mapping[str, Mapping[str, Value]]
    namespaces: Mapping[str, Mapping[str, Any]]
    moments: Mapping[str, Mapping[str, Moment]]
    solutions: Mapping[str, Solution]
    families: tuple[Family, ...] = ()  # what the course's tasks can forbid


def run_solution(
    lesson: authoring.Lesson,
    notebook: NotebookNode,
    name: str,
    seeds: Sequence[int] = (),
    families: tuple[Family, ...] = (),
) -> Runs:
    """Run a lesson's solution once with its own givens and once for each redrawn set.

    `seeds` are what hidden sets are drawn from; without them, as many public ones as the lesson asks for are
    drawn. `families` are what tasks can forbid.
    """
    # The solution is executed with its figures when its notebook is made; a training among them takes long.
    notebook = undrawn(notebook)
    moments: dict[str, dict[str, Moment]] = {AS_SEEN: {}}
    as_seen = run_cells(notebook, name, moments=moments[AS_SEEN])
    givens: dict[str, Mapping[str, Value]] = {
        AS_SEEN: {given: _fresh(as_seen[given]) for given in lesson.given_axes if given in as_seen}
    }
    missing = [given for given in lesson.given_axes if given not in as_seen]
    if missing:
        raise authoring.AuthoringError([f"{name}: no given cell defines {', '.join(missing)}"])
    namespaces: dict[str, Mapping[str, Any]] = {AS_SEEN: as_seen}
    public = [REDRAW_SEED + number for number in range(1, lesson.redraws + 1)]
    for number, seed in enumerate(seeds or public, start=1):
        run = f"{'hidden' if seeds else 'redrawn'}-{number}"
        generator = torch.Generator().manual_seed(seed)
        givens[run] = dict(lesson.redraw(generator))
        moments[run] = {}
        namespaces[run] = run_cells(notebook, name, givens[run], moments[run])
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    sources = {cell["id"].removesuffix("-answer"): cell.source for cell in cells if is_answer(cell)}
    solutions = {
        task.id: Solution.from_cell(sources[task.id], task.name, task.signature, task.kind == "tensor")
        for task in lesson.tasks
    }
    by_task = {
        run: {cell.removesuffix("-answer"): moment for cell, moment in ones.items()}
        for run, ones in moments.items()
    }
    return Runs(givens, namespaces, by_task, solutions, families)


def make_bank(lesson: authoring.Lesson, runs: Runs, name: str, faults: authoring.Faults) -> LessonBank:
    """Return the lesson's bank.

    Raises:
        AuthoringError: a task's solution is missing or fails on a probe, a known wrong answer passes, two
            of them cannot be told apart, two axes have the same size in every probe, or a forbidden call is
            not seen.
    """
    problems: list[str] = []
    tasks: dict[str, bank.Task] = {}
    for task in lesson.tasks:
        try:
            entry = make_task(task, runs, faults, combined=True)
        except authoring.AuthoringError as problem:
            problems += [f"task {task.id}: {one}" for one in problem.problems]
            continue
        problems += _reference_problems(entry)
        if not problems:
            problems += _wrong_answer_problems(entry, len(task.wrong))
            problems += _axes_problems(task, entry, lesson, runs)
            problems += _missing_faults(task, faults)
        tasks[task.id] = entry
    answers = {task.name for task in lesson.tasks}
    own = sorted(one for one in runs.namespaces[AS_SEEN] if one not in answers and not one.startswith("_"))
    made = LessonBank(lesson=name, title=lesson.title, givens=runs.givens, tasks=tasks, names=tuple(own))
    if not problems:
        problems += _right_answer_problems(lesson, made, runs)
        problems += _caught_answer_problems(lesson, made, runs)
    if problems:
        raise authoring.AuthoringError([f"{name}: {problem}" for problem in problems])
    return made


def answer_made(task: authoring.Task, text: str, runs: Runs, run: str = AS_SEEN) -> Any:
    """Return what an answer cell with this text defines under the task's name.

    Raises:
        AuthoringError: the text fails, or defines no such name.
    """
    try:
        made = runs.moments[run][task.id].run(text, f"<cell {task.id}>")
    except Exception as problem:
        raise authoring.AuthoringError([f"an answer fails: {type(problem).__name__}: {problem}"]) from problem
    if task.name not in made:
        raise authoring.AuthoringError([f"an answer defines no {task.name}"])
    return made[task.name]


def changed_answer(task: authoring.Task, changes: Sequence[Change], runs: Runs) -> str:
    """Return the text of an answer that is written as changes to the solution.

    Raises:
        AuthoringError: a change does not fit; names the cell.
    """
    try:
        return changed(runs.solutions[task.id], changes)
    except authoring.AuthoringError as problem:
        raise authoring.AuthoringError(
            [f"cell {task.id}-answer: {one}" for one in problem.problems]
        ) from None


def evidence_for(
    task: authoring.Task, entry: bank.Task, text: str, lesson: LessonBank, runs: Runs
) -> Evidence:
    """Evidence about an answer cell with this text, as if a learner had written it.

    Raises:
        AuthoringError: the text fails, or defines no answer.
    """
    with Watch(entry.forbids.families if entry.forbids else (), is_notebook_file) as forbidden:
        if task.kind == "tensor":
            outcomes = _tensor_outcomes(task, text, runs)
            return Evidence(
                task.id,
                "answered",
                outcomes=outcomes,
                answer_type="torch.Tensor",
                forbidden=tuple(forbidden),
            )
        answer = answer_made(task, text, runs)
    return collect_answer(entry, lesson, answer, runs.namespaces[AS_SEEN])


def outcomes_of(
    task: authoring.Task, text: str, probes: Mapping[str, bank.Probe], runs: Runs
) -> dict[str, Outcome]:
    """Return what an answer cell with this text does on each probe.

    Raises:
        AuthoringError: the text fails, or defines no answer.
    """
    if task.kind == "tensor":
        return _tensor_outcomes(task, text, runs)
    answer = answer_made(task, text, runs)
    return {name: outcome_of(task, answer, probe, runs) for name, probe in probes.items()}


def _tensor_outcomes(task: authoring.Task, text: str, runs: Runs) -> dict[str, Outcome]:
    return {run: observe(answer_made(task, text, runs, run)) for run in runs.namespaces}


def make_task(
    task: authoring.Task, runs: Runs, faults: authoring.Faults | None = None, combined: bool = False
) -> bank.Task:
    """Return a task as the bank holds it, with the outcomes of the solution and of the known wrong answers.

    Args:
        task: the task, as its author describes it.
        runs: the lesson's solution, run.
        faults: the course's mistakes; without them, no wrong answer is made.
        combined: whether wrong answers are tried together as well.

    Raises:
        AuthoringError: the solution does not define what the task needs, or an answer cannot be made.
    """
    if task.name not in runs.namespaces[AS_SEEN]:
        raise authoring.AuthoringError([f"the solution defines no {task.name}"])
    if task.kind == "tensor":
        _refuse_unkept(task, runs.namespaces[AS_SEEN])
        probes = {
            run: bank.Probe(run, "other example data", {}, expected=observe(namespace[task.name]))
            for run, namespace in runs.namespaces.items()
        }
        checks = tuple(replace(check, probes=tuple(probes)) for check in task.checks)
    else:
        probes = {probe.id: make_probe(task, probe, runs) for probe in task.probes}
        checks = task.checks
    entry = bank.Task(
        id=task.id,
        title=task.title,
        name=task.name,
        kind=task.kind,
        signature=task.signature,
        axes=task.axes,
        number=task.number,
        dtypes=task.dtypes,
        learned=task.learned,
        hints=task.hints,
        needs=task.needs,
        properties=task.properties,
        checks=checks,
        probes=probes,
        known_wrong=(),
        forbids=_forbids(task, runs),
        keeps={name: runs.namespaces[AS_SEEN][name].detach().clone() for name in task.keeps},
        input_axes=dict(task.input_axes),
    )
    if task.kind != "tensor":
        namespace = runs.namespaces[AS_SEEN]
        entry = replace(entry, examined=examine(entry, namespace[task.name], namespace))
    if faults is None:
        return entry
    known, outcomes = _known_wrong(task, probes, runs, faults)
    members: list[tuple[int, ...]] = [(place,) for place in range(len(known))]
    sights: list[Mapping[str, Sight]] = [
        {name: sight(entry, probes[name], one[name]) for name in probes} for one in outcomes
    ]
    if combined:

        def run(text: str, some: Mapping[str, bank.Probe]) -> Mapping[str, Outcome]:
            return outcomes_of(task, text, some, runs)

        solution = runs.solutions[task.id]
        added, places, together = combine(task, entry, outcomes, sights, solution, faults, run)
        known += [_as_known(authoring.Wrong(fault), task, faults) for fault in added]
        members, sights = members + places, sights + together
    return replace(entry, known_wrong=tuple(known), explanations=tabulate(members, sights))


def _known_wrong(
    task: authoring.Task, probes: Mapping[str, bank.Probe], runs: Runs, faults: authoring.Faults
) -> tuple[list[bank.KnownWrong], list[Mapping[str, Outcome]]]:
    """Return the known wrong answers, and what each does."""
    problems: list[str] = []
    texts: list[str] = []
    known: list[bank.KnownWrong] = []
    for wrong in task.wrong:
        try:
            if wrong.fault not in faults.known:
                raise authoring.AuthoringError(["faults.py does not name it"])
            texts.append(changed_answer(task, wrong.changes, runs))
            known.append(_as_known(wrong, task, faults))
        except authoring.AuthoringError as problem:
            problems += [f"the wrong answer {wrong.fault}: {one}" for one in problem.problems]
    if problems:
        raise authoring.AuthoringError(problems)

    def tried(text: str) -> dict[str, Outcome] | authoring.AuthoringError:
        try:
            return outcomes_of(task, text, probes, runs)
        except authoring.AuthoringError as problem:
            return problem

    outcomes: list[Mapping[str, Outcome]] = []
    for wrong, one in zip(task.wrong, in_forks(tried, texts), strict=True):
        if isinstance(one, authoring.AuthoringError):
            problems += [f"the wrong answer {wrong.fault}: {problem}" for problem in one.problems]
        else:
            outcomes.append(one)
    if problems:
        raise authoring.AuthoringError(problems)
    return known, outcomes


def _as_known(wrong: authoring.Wrong, task: authoring.Task, faults: authoring.Faults) -> bank.KnownWrong:
    fault = faults.known[wrong.fault]
    return bank.KnownWrong(fault.id, faults.hint(wrong, task), fault.name, fault.section, fault.varies)


def make_probe(task: authoring.Task, probe: bank.Probe, runs: Runs) -> bank.Probe:
    """Return a probe as the bank holds it, with the outcome of the solution."""
    namespace = runs.namespaces[AS_SEEN]
    reference = namespace[task.name]
    asked = _asked(probe, reference if task.kind == "module" else None, namespace)
    return replace(asked, expected=concluded(asked, outcome_of(task, reference, asked, runs)))


def outcome_of(task: authoring.Task, answer: Callable[..., Any], probe: bank.Probe, runs: Runs) -> Outcome:
    """Return what an answer to a function or class task does on one probe."""
    return CALLS[task.kind](answer, probe, runs.namespaces[AS_SEEN])


def _forbids(task: authoring.Task, runs: Runs) -> bank.Forbids | None:
    forbids = task.forbids
    if forbids is None:
        return None
    forbidden = tuple(one for one in runs.families if one.name in forbids.families)
    return bank.Forbids(forbidden, forbids.points)


def _refuse_unkept(task: authoring.Task, namespace: Mapping[str, Any]) -> None:
    unkept = [name for name in task.keeps if not isinstance(namespace.get(name), Tensor)]
    if unkept:
        raise authoring.AuthoringError([f"no cell of the lesson makes a tensor {', '.join(unkept)} to keep"])


def _asked(
    probe: bank.Probe,
    module_class: Callable[..., torch.nn.Module] | None,
    namespace: Mapping[str, Any],
) -> bank.Probe:
    """Return a probe without its expected outcome; for a module with the weights that the solution draws."""
    weights: dict[str, Tensor] = {}
    buffers: dict[str, list[int]] = {}
    if module_class is not None and not probe.raises:
        module = _drawn(module_class, probe.construct, probe.seed)
        weights = _weights(module)
        buffers = {
            name: sizes_of(value) for name, value in module.state_dict().items() if name not in weights
        }
        unknown = sorted(set(probe.weights) - set(weights))
        if unknown:
            raise authoring.AuthoringError([f"probe {probe.id}: there is no parameter {', '.join(unknown)}"])
        weights |= probe.weights
    experiment = EXPERIMENTS.get(probe.observe)
    known = experiment.settings(list(weights), buffers) if experiment else {}
    inputs = {name: _input(value, namespace) for name, value in probe.inputs.items()}
    return replace(probe, inputs=inputs, weights=weights, settings={**probe.settings, **known}, redraw=None)


def _input(value: bank.Argument, namespace: Mapping[str, Any]) -> bank.Argument:
    """Return an input as the bank holds it.

    An object of the notebook's class with weights that class draws.
    """
    if not isinstance(value, bank.Made):
        return value
    if value.name not in namespace:
        raise authoring.AuthoringError([f"the solution defines no class {value.name} to make an input of"])
    module = _drawn(namespace[value.name], value.construct, value.seed)
    return replace(value, weights=_weights(module))


def _drawn(
    module_class: Callable[..., torch.nn.Module], construct: Mapping[str, Value], seed: int
) -> torch.nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return module_class(*construct.values())


def _weights(module: torch.nn.Module) -> dict[str, Tensor]:
    return {name: parameter.detach().clone() for name, parameter in module.named_parameters()}


def _reference_problems(entry: bank.Task) -> list[str]:
    problems = []
    for probe in entry.probes.values():
        expected = probe.expected
        where = f"task {entry.id}, probe {probe.id}: the solution"
        if probe.raises:
            if expected.error is None or expected.error.type not in probe.raises:
                problems.append(f"{where} does not raise {' or '.join(probe.raises)}")
        elif expected.error is not None:
            problems.append(f"{where} raises {expected.error.type}")
        elif expected.tensor is None:
            problems.append(f"{where} gives {expected.type_name}")
        elif probe.observe != bank.RESULT and expected.tensor.numel() == 0:
            problems.append(f"{where} shows nothing in the experiment {probe.observe}")
        elif probe.observe == bank.RESULT and expected.tensor.ndim != len(entry.axes):
            problems.append(f"{where} has {expected.tensor.ndim} axes, and the task names {entry.axes}")
    return problems


def _wrong_answer_problems(entry: bank.Task, written: int) -> list[str]:
    """Return what is wrong with the wrong answers that the task writes: the first of those that are known."""
    table = entry.explanations
    assert table is not None
    problems = []
    alike: dict[tuple[Any, ...], list[str]] = {}
    for row, wrong in enumerate(entry.known_wrong[:written]):
        if not bool(table.kind[row].any() | table.mark[row].any()):
            problems.append(f"task {entry.id}: the known wrong answer {wrong.id} passes")
        numbers = [round(number, 4) for number in table.numbers[row].flatten().tolist()]
        key = (*table.kind[row].tolist(), *table.mark[row].tolist(), *numbers)
        alike.setdefault(key, []).append(wrong.id)
    for names in alike.values():
        if len(set(names)) > 1:
            problems.append(f"task {entry.id}: no probe tells {' from '.join(sorted(set(names)))}")
    return problems


def _missing_faults(task: authoring.Task, faults: authoring.Faults) -> list[str]:
    """Mistakes that the task's parts make possible, and that no wrong answer of it shows."""
    shown = {wrong.fault for wrong in task.wrong}
    possible = {
        fault.id for fault in faults.known.values() if fault.parts and set(fault.parts) <= set(task.parts)
    }
    return [
        f"task {task.id}: no wrong answer shows {name}; write one, or say in `cannot` why there is none"
        for name in sorted(possible - shown - set(task.cannot))
    ] + [
        f"task {task.id}: `cannot` names {name}, which "
        + ("a wrong answer shows" if name in shown else "its parts do not make possible")
        for name in sorted(set(task.cannot) & shown | set(task.cannot) - possible)
    ]


def _axes_problems(task: authoring.Task, entry: bank.Task, lesson: authoring.Lesson, runs: Runs) -> list[str]:
    """Two axes of the same size in every probe would hide a confusion of the two."""
    named = lesson.given_axes if task.kind == "tensor" else task.input_axes
    sizes_by_probe: list[dict[str, int]] = []
    problems: list[str] = []
    for probe in entry.probes.values():
        if probe.raises:
            continue  # there is no result, and its sizes do not fit on purpose
        inputs = runs.givens[probe.id] if task.kind == "tensor" else probe.inputs
        # A constructor's whole numbers are sizes: channels, kernel_size, stride.
        sizes = {name: value for name, value in probe.construct.items() if type(value) is int}
        assert probe.expected.tensor is not None
        tensors: list[tuple[tuple[str, ...], Any]] = [
            (axes, inputs[name]) for name, axes in named.items() if name in inputs
        ]
        if probe.observe == bank.RESULT:
            tensors.append((entry.axes, probe.expected.tensor))
        for axes, value in tensors:
            if not isinstance(value, Tensor):
                continue
            if value.ndim != len(axes) and probe.observe != bank.RESULT:
                continue  # an experiment may try another number of axes on purpose
            if value.ndim != len(axes):
                problems.append(
                    f"task {task.id}: probe {probe.id} has {value.ndim} axes where {axes} are named"
                )
                continue
            for axis, size in zip(axes, value.shape, strict=True):
                symbol = bank.axis_parts(axis)[0]
                if sizes.setdefault(symbol, size) != size:
                    found = f"both {sizes[symbol]} and {size}"
                    problems.append(f"task {task.id}: in probe {probe.id} the axis {symbol} is {found}")
        sizes_by_probe.append(sizes)
    symbols = sorted({symbol for sizes in sizes_by_probe for symbol in sizes})
    for one, other in combinations(symbols, 2):
        both = [sizes for sizes in sizes_by_probe if one in sizes and other in sizes]
        if both and all(sizes[one] == sizes[other] for sizes in both):
            problems.append(f"task {task.id}: in every probe the axes {one} and {other} have the same size")
    return problems


def _right_answer_problems(lesson: authoring.Lesson, made: LessonBank, runs: Runs) -> list[str]:
    problems = []
    for task in lesson.tasks:
        for right in task.right:
            verdict, problem = _tried(task, right, made, runs)
            if verdict is not None and not verdict.passed:
                problem = f"is rejected ({verdict.finding})"
            if problem:
                problems.append(f"task {task.id}: the right answer {right.id} {problem}")
    return problems


def _caught_answer_problems(lesson: authoring.Lesson, made: LessonBank, runs: Runs) -> list[str]:
    """Answers that are right but for a forbidden call must be just that."""
    problems = []
    for task in lesson.tasks:
        for caught in task.forbids.caught if task.forbids else ():
            verdict, problem = _tried(task, caught, made, runs)
            if verdict is not None and not verdict.right:
                problem = f"is not right otherwise ({verdict.finding})"
            elif verdict is not None and verdict.forbidden is None:
                problem = "makes no forbidden call that is seen"
            if problem:
                problems.append(f"task {task.id}: {caught.id} {problem}")
    return problems


def _tried(
    task: authoring.Task, right: authoring.Right, made: LessonBank, runs: Runs
) -> tuple[Verdict | None, str]:
    """Return the verdict on an answer, or why there is none."""
    entry = made.tasks[task.id]
    try:
        text = changed_answer(task, right.changes, runs)
        return judge(entry, evidence_for(task, entry, text, made, runs)), ""
    except authoring.AuthoringError as problem:
        return None, f"cannot be made ({'; '.join(problem.problems)})"


def _fresh(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value
