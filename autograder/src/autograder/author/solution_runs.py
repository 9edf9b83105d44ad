"""Run a lesson's solution, and answers to its tasks as a learner would have written them in its place."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import torch
from nbformat import NotebookNode
from torch import Tensor

from autograder.author.answer_edits import AnyEdit, Solution, changed
from autograder.author.authoring import Lesson
from autograder.author.execute_lesson import NamespaceSnapshot, run_cells, unwarned
from autograder.experiments.registered_buffers import sizes_of
from autograder.experiments.registry import EXPERIMENTS
from autograder.judge.decide import concluded
from autograder.probe.collect_evidence import CALLS, call_module, collect_answer, observe
from autograder.probe.forbidden_calls import Watch
from autograder.probe.learner_code import is_notebook_file
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import AS_SEEN, Argument, LessonBank, Made, Probe, Task, Value
from autograder.records.cell_roles import undrawn
from autograder.records.operator_families import Family
from autograder.records.parse_cells import names_of
from autograder.records.run_outcome import ErrorReport, Evidence, Outcome

# Public redraws start from fixed seeds, so that a rebuild makes the same bank.
REDRAW_SEED = 7001


@dataclass(frozen=True)
class SolutionRuns:
    """The results of running a lesson's solution, in which answers to its tasks are run.

    There is a namespace for each set of givens, the lesson's own first.
    """

    givens: Mapping[str, Mapping[str, Value]]
    namespaces: Mapping[str, Mapping[str, Any]]
    moments: Mapping[str, Mapping[str, NamespaceSnapshot]]  # the states before answer cells, by cell id
    solutions: Mapping[str, Solution]  # the texts of the answer cells, by task
    names: frozenset[str]  # the names that the lesson's cells define
    families: tuple[Family, ...] = ()  # the groups of calls that the course's tasks can forbid
    steps: Mapping[str, str] = field(default_factory=dict)  # the meanings of solutions' variables

    def answer_made(self, task: Task, text: str, run: str = AS_SEEN) -> Any:
        """Return the object that an answer cell with this text defines under the task's name.

        Args:
            task: the task.
            text: the text of the answer cell.
            run: the set of givens with which the cells before it were run.

        Raises:
            AuthoringError: the text fails, or does not define the task's name.
        """
        cell = f"<cell {task.id}>"
        # As in a notebook, an error's report gets its line from here.
        linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)
        try:
            defined = self.moments[run][f"{task.id}-answer"].run(text, cell)
        except Exception as problem:
            raise AuthoringError([f"an answer fails: {type(problem).__name__}: {problem}"]) from problem
        if task.name not in defined:
            raise AuthoringError([f"an answer defines no {task.name}"])
        return defined[task.name]

    def changed_answer(self, task: Task, changes: Sequence[AnyEdit]) -> str:
        """Return the text of an answer, made by applying edits to the solution of its task.

        Args:
            task: the task.
            changes: the edits.

        Raises:
            AuthoringError: an edit does not match the solution. The message names the cell.
        """
        return edited(task, changes, self.solutions[task.id])

    def evidence_for(self, task: Task, text: str, lesson: LessonBank) -> Evidence:
        """Return the evidence about an answer cell with this text, as if a learner had written it.

        Args:
            task: the task, as the bank holds it.
            text: the text of the answer cell.
            lesson: the lesson's bank.

        Raises:
            AuthoringError: the text fails, or defines no answer.
        """
        if task.kind != "tensor":
            answer = self.answer_made(task, text)
            with unwarned():
                return collect_answer(task, lesson, answer, self.namespaces[AS_SEEN])
        with Watch(task.families, is_notebook_file) as forbidden:
            outcomes = self.outcomes_of(task, text, task.probes)
        return Evidence(task.id, "answered", outcomes, answer_type="torch.Tensor", forbidden=tuple(forbidden))

    def outcomes_of(
        self, task: Task, text: str, probes: Iterable[Probe], steady: bool = False
    ) -> dict[str, Outcome]:
        """Return the outcome of an answer cell with this text on each probe.

        Args:
            task: the task.
            text: the text of the answer cell.
            probes: the probes to run it on. A tensor task is run on each set of givens instead.
            steady: whether the answer is known to return the same on every call, so that a class need not be
                called twice.

        Returns:
            The outcomes, by the id of the probe or of the set of givens.

        Raises:
            AuthoringError: the text fails, or defines no answer.
        """
        if task.kind == "tensor":
            return {run: observe(self.answer_made(task, text, run)) for run in self.namespaces}
        answer = self.answer_made(task, text)
        return {probe.id: self.outcome_of(task, answer, probe, steady) for probe in probes}

    def outcome_of(
        self, task: Task, answer: Callable[..., Any], probe: Probe, steady: bool = False
    ) -> Outcome:
        """Return the outcome of an answer to a function or class task on one probe.

        Args:
            task: the task.
            answer: the function or class.
            probe: the probe.
            steady: whether the answer is known to return the same on every call, so that a class need not be
                called twice.
        """
        with unwarned():
            if steady and task.kind == "module":
                return call_module(answer, probe, self.namespaces[AS_SEEN], steady)
            return CALLS[task.kind](answer, probe, self.namespaces[AS_SEEN])

    def completed(self, task: Task, probe: Probe) -> Probe:
        """Return a probe completed with its inputs and with the outcome of the solution.

        Args:
            task: the task.
            probe: the probe, as the author describes it.
        """
        namespace = self.namespaces[AS_SEEN]
        reference = namespace[task.name]
        ready = _without_expected(probe, reference if task.kind == "module" else None, namespace)
        expected = concluded(ready, self.outcome_of(task, reference, ready))
        if expected.error is not None:  # where it was raised is the solution's own text
            expected = Outcome(error=ErrorReport(expected.error.type, expected.error.message))
        return replace(ready, expected=expected)


def run_solution(
    lesson: Lesson,
    notebook: NotebookNode,
    name: str,
    seeds: Sequence[int] = (),
    families: tuple[Family, ...] = (),
    steps: Mapping[str, str] = MappingProxyType({}),
) -> SolutionRuns:
    """Run a lesson's solution with its own givens, and again with each redrawn set of givens.

    Args:
        lesson: the definitions in the lesson's `tasks.py`.
        notebook: the lesson with its solutions.
        name: the lesson's name, for messages.
        seeds: seeds for hidden sets of givens. Without any, the lesson's own number of public sets is drawn.
        families: the groups of calls that the course's tasks can forbid.
        steps: what the variables of the course's solutions stand for, by name: {"gaps": "the distances"}.

    Raises:
        AuthoringError: a cell fails, or no `given` cell defines a tensor that the lesson names as given.
    """
    sources = {cell["id"]: cell.source for cell in notebook.cells if cell.cell_type == "code"}
    defined = frozenset().union(*(names_of(source)[0] for source in sources.values()))
    # The solution is executed with its figures when its notebook is made; a training among them takes long.
    notebook = undrawn(notebook)
    moments: dict[str, dict[str, NamespaceSnapshot]] = {AS_SEEN: {}}
    as_seen = run_cells(notebook, name, moments=moments[AS_SEEN])
    missing = [axis for axis in lesson.given_axes if axis not in as_seen]
    if missing:
        raise AuthoringError([f"{name}: no given cell defines {', '.join(missing)}"])
    givens: dict[str, Mapping[str, Value]] = {
        AS_SEEN: {axis: detached(as_seen[axis]) for axis in lesson.given_axes}
    }
    namespaces: dict[str, Mapping[str, Any]] = {AS_SEEN: as_seen}
    public = [REDRAW_SEED + number for number in range(1, lesson.redraws + 1)]
    for number, seed in enumerate(seeds or public, start=1):
        run = f"{'hidden' if seeds else 'redrawn'}-{number}"
        givens[run] = dict(lesson.redraw(torch.Generator().manual_seed(seed)))
        moments[run] = {}
        namespaces[run] = run_cells(notebook, name, givens[run], moments[run])
    solutions = solutions_in(lesson, notebook)
    return SolutionRuns(givens, namespaces, moments, solutions, defined | as_seen.keys(), families, steps)


def solutions_in(lesson: Lesson, notebook: NotebookNode) -> dict[str, Solution]:
    """Return the solutions in a lesson's answer cells, by task id."""
    sources = {cell["id"]: cell.source for cell in notebook.cells if cell.cell_type == "code"}
    return {
        task.id: Solution.from_cell(
            sources[f"{task.id}-answer"], task.name, task.signature, task.kind == "tensor"
        )
        for task in lesson.tasks
    }


def edited(task: Task, changes: Sequence[AnyEdit], solution: Solution) -> str:
    """Return the text of an answer, made by applying edits to a solution.

    Raises:
        AuthoringError: an edit does not match the solution. The message names the cell.
    """
    try:
        return changed(solution, changes)
    except AuthoringError as problem:
        raise AuthoringError([f"cell {task.id}-answer: {line}" for line in problem.problems]) from None


def _without_expected(
    probe: Probe, module_class: Callable[..., torch.nn.Module] | None, namespace: Mapping[str, Any]
) -> Probe:
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
            raise AuthoringError([f"probe {probe.id}: there is no parameter {', '.join(unknown)}"])
        weights |= probe.weights
    experiment = EXPERIMENTS.get(probe.observe)
    settings = experiment.settings(list(weights), buffers) if experiment else {}
    inputs = {name: _input(value, namespace) for name, value in probe.inputs.items()}
    return replace(
        probe, inputs=inputs, weights=weights, settings={**probe.settings, **settings}, redraw=None
    )


def _input(value: Argument, namespace: Mapping[str, Any]) -> Argument:
    """Return an input as the bank holds it: an object of the notebook's class, with the weights it draws."""
    if not isinstance(value, Made):
        return value
    if value.name not in namespace:
        raise AuthoringError([f"the solution defines no class {value.name} to make an input of"])
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


def detached(value: Any) -> Any:
    """Return a copy of a tensor without its history, or the value itself if it is no tensor."""
    return value.detach().clone() if isinstance(value, Tensor) else value
