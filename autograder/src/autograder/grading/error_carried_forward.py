"""The judgement of follow-up tasks with the course's answers in place of the wrong ones that they build on.

One mistake should cost points only once. A learner's code that runs beside the course's answers can inspect
them. So they are compiled, run in a sandbox only, and nothing that the run returns is kept except points,
known mistakes and the kinds of findings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from nbformat import NotebookNode

from autograder.grading.grading_banks import Files
from autograder.grading.notebook_evidence import CheckFailed, GraderFault, judge_task
from autograder.grading.notebook_runners import Runner
from autograder.grading.rebuild_submission import up_to_the_last, with_givens
from autograder.grading.sandbox.execute_notebook import Executed
from autograder.records.answer_findings import CheckResult, MatchesKnownWrong, StillStub, StillWrong, Verdict
from autograder.records.bank import AS_SEEN, LessonBank, Task
from autograder.records.cell_roles import STANDS_IN, copied, is_learners
from autograder.records.run_outcome import ForbiddenCall
from autograder.words.language import LazyMessage

# A submission with a single mistake needs one.
MOST_ROUNDS = 3


@dataclass(frozen=True)
class Submitted:
    """A rebuilt submission after its first run, with the lesson's own givens.

    `questions` are the hidden questions drawn for it, without answers.
    """

    notebook: NotebookNode
    ran: Executed
    verdicts: Mapping[str, Verdict]
    questions: Files


def run_redrawn(
    notebook: NotebookNode,
    lesson: LessonBank,
    tasks: Collection[str],
    run: Runner,
    questions: Files,
    stopped: Mapping[str, str],
) -> tuple[dict[str, Executed], dict[str, str]]:
    """Run a rebuilt submission with other givens, and with the hidden questions.

    Without hidden questions, other givens are useful only for tasks that ask for a tensor.

    Args:
        notebook: the rebuilt submission.
        lesson: the lesson's bank.
        tasks: the ids of the tasks to ask.
        run: runs notebooks.
        questions: the hidden questions, without answers; empty for none.
        stopped: the cells that an earlier run had to stop, with the reason; these are not run.

    Returns:
        The runs by the name of their givens, and the cells that only these runs had to stop, with the reason.

    Raises:
        GraderFault: a cell was stopped before any of the learner's code ran.
    """
    asked = [name for name in tasks if questions or lesson.tasks[name].kind == "tensor"]
    asks = up_to_the_last(notebook, asked)
    executed: dict[str, Executed] = {}
    stops = dict(stopped)
    for name, givens in lesson.givens.items():
        if name != AS_SEEN and asks.cells:
            ran = run(with_givens(asks, givens), name, stopped=stops, questions=questions)
            refuse_our_own(asks, ran)
            executed[name], stops = ran, dict(ran.stops)
    return executed, {name: why for name, why in stops.items() if name not in stopped}


def refuse_our_own(notebook: NotebookNode, ran: Executed) -> None:
    """Verify that some of the learner's code ran before the first cell that had to be stopped.

    Raises:
        GraderFault: a cell of the course's own was stopped before any of the learner's code ran.
    """
    for cell in notebook.cells:
        if is_learners(cell):
            return
        if cell["id"] in ran.stops:
            raise GraderFault(f"the course's own cell {cell['id']} was stopped: {ran.stops[cell['id']]}")


def judged_again(
    submitted: Submitted, lesson: LessonBank, run: Runner, solution: Mapping[str, str]
) -> tuple[dict[str, Verdict], tuple[str, ...]]:
    """Return the verdicts, improved where a follow-up task is right with the course's answers, and notes.

    Args:
        submitted: the submission, with its first verdicts.
        lesson: the lesson's bank.
        run: runs notebooks.
        solution: the text of the course's own answers, by cell id.

    Returns:
        The verdicts by task, and notes for the person who grades.
    """
    verdicts = dict(submitted.verdicts)
    needs = _all_needs(lesson)
    cells = {cell["id"]: cell.source for cell in submitted.notebook.cells if cell.cell_type == "code"}
    task_ids = {name for name in lesson.tasks if f"{name}-answer" in solution and f"{name}-answer" in cells}
    empty = {
        name
        for name, verdict in verdicts.items()
        if isinstance(verdict.finding, StillStub) and "..." in cells.get(f"{name}-answer", "")
    }
    tried: dict[str, set[frozenset[str]]] = defaultdict(set)
    for rounds in range(MOST_ROUNDS + 1):
        due: dict[str, frozenset[str]] = {}
        for name in lesson.tasks:
            wrong = frozenset(
                other for other in needs[name] & task_ids if not verdicts[other].right and other not in due
            )
            if wrong and wrong not in tried[name] and name not in empty and not verdicts[name].right:
                due[name] = wrong
        if not due:
            break
        if not run.confined:
            return verdicts, (
                _note(due, LazyMessage("no sandbox would keep these answers from being sent away")),
            )
        if rounds == MOST_ROUNDS:
            return verdicts, (_note(due, LazyMessage("they build on too many wrong answers")),)
        # Only tasks that build on all that is replaced: nobody is to find an answer there that is not meant
        # for them.
        replaced = next(iter(due.values()))
        names = [name for name, wrong in due.items() if wrong == replaced]
        try:
            judged = _judged_with(replaced, names, submitted, lesson, run, solution)
        except CheckFailed as fault:
            # What it says may come from the learner's process.
            return verdicts, (
                _note(due, LazyMessage("that failed with {error}", error=type(fault).__name__)),
            )
        for name in names:
            tried[name].add(replaced)
            first = verdicts[name]
            if (judged[name].earned, bool(judged[name].named)) > (first.earned, bool(first.named)):
                stood_in = tuple(task.name for task in lesson.tasks.values() if task.id in replaced)
                verdicts[name] = replace(
                    _without_words(judged[name], lesson.tasks[name], submitted.verdicts[name]),
                    stood_in=stood_in,
                )
    return verdicts, ()


def _all_needs(lesson: LessonBank) -> dict[str, frozenset[str]]:
    """Return all earlier tasks that each task is built from, directly or through others."""
    needs: dict[str, frozenset[str]] = {}
    for task in lesson.tasks.values():
        direct = [need for need in task.needs if need in needs]
        needs[task.id] = frozenset(direct).union(*(needs[need] for need in direct))
    return needs


def _note(names: Collection[str], why: str) -> str:
    tasks = ", ".join(names)
    return LazyMessage(
        "Not checked with the course's answers in place of wrong earlier ones: {tasks} ({why}).",
        tasks=tasks,
        why=why,
    )


def _judged_with(
    replaced: Collection[str],
    names: Collection[str],
    submitted: Submitted,
    lesson: LessonBank,
    run: Runner,
    solution: Mapping[str, str],
) -> dict[str, Verdict]:
    """Return the verdicts on some tasks, with the course's answers in the place of others."""
    answers = {f"{name}-answer" for name in replaced}
    notebook = copied(submitted.notebook)
    # What had to be stopped once would be stopped again, unless an answer was to blame that is replaced now.
    stopped = {name: why for name, why in submitted.ran.stops.items() if name not in answers}
    if not submitted.ran.stops.keys().isdisjoint(answers | set(replaced)):
        learners = {cell["id"] for cell in notebook.cells if is_learners(cell)}
        stopped = {name: why for name, why in stopped.items() if name in learners}
    for cell in notebook.cells:
        if cell["id"] in answers:
            cell.source = solution[cell["id"]]
            cell.metadata = NotebookNode({**cell.metadata, STANDS_IN: True})
    as_seen = run(up_to_the_last(notebook, names), AS_SEEN, quiet=True, stopped=stopped)
    redrawn, _ = run_redrawn(notebook, lesson, names, run, submitted.questions, as_seen.stops)
    return {name: judge_task(lesson.tasks[name], as_seen, redrawn) for name in names}


def _without_words(verdict: Verdict, task: Task, first: Verdict) -> Verdict:
    """Return a verdict without any text or number that the learner's process chose."""
    call = None
    if verdict.forbidden:
        families = task.forbids.families if task.forbids else ()
        family = verdict.forbidden.family if verdict.forbidden.family in families else ""
        call = first.forbidden or ForbiddenCall(family or "a call that this task forbids", family)
    return Verdict(
        verdict.task,
        tuple(_result_without_words(result, task) for result in verdict.results),
        named=verdict.named,
        forbidden=call,
        cost=verdict.cost,
        unwatched=verdict.unwatched,
    )


def _result_without_words(result: CheckResult, task: Task) -> CheckResult:
    finding = result.finding
    if finding is None:
        return result
    probe = finding.probe if finding.probe in task.probe else ""
    if isinstance(finding, MatchesKnownWrong):
        return replace(result, finding=MatchesKnownWrong(probe=probe))
    return replace(result, finding=StillWrong(type(finding), probe=probe))
