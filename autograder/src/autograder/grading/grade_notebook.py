"""The grading of a rebuilt submission: it is run with each set of givens, judged, and given its verdicts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.grading.accidental_losses import accidental_losses
from autograder.grading.error_carried_forward import Submitted, judged_again, refuse_our_own, run_redrawn
from autograder.grading.evasion_lint import UNWATCHED, Evasion, hiding
from autograder.grading.evasion_names import HIDDEN, PROGRAM, REACH
from autograder.grading.graded_results import UNANSWERED, TaskResult
from autograder.grading.grading_banks import NONE, Files
from autograder.grading.notebook_evidence import (
    EMPTY,
    bound_outputs,
    judge_notebook,
    learner_code_before,
    show_verdict,
)
from autograder.grading.notebook_runners import Runner
from autograder.grading.rebuild_submission import with_explanation
from autograder.grading.sandbox.execute_notebook import SEEN, WATCHED
from autograder.records.answer_findings import Raised, Verdict
from autograder.records.bank import AS_SEEN, LessonBank
from autograder.records.cell_roles import PART_OF, is_answer, is_test, undrawn
from autograder.words.finding_wording import word_whole
from autograder.words.language import LazyMessage, _
from autograder.words.phrases import N_
from autograder.words.sanitize import one_line

# By the kind of code that could hide a forbidden call, what a person reads of it.
MAY_HIDE = dict(
    zip(
        (PROGRAM, HIDDEN, REACH, UNWATCHED),
        N_(
            "{task}: `{code}` starts another program. That is common and no sign of cheating; what such a "
            "program does is not watched.",
            "{task}: `{code}` can run code that is not watched. Often it is harmless; look whether it "
            "holds a call that this task forbids.",
            "{task}: `{code}` reaches into code that runs, or into the checks themselves. Look whether it "
            "keeps a call that this task forbids from being seen.",
            "{task}: the watch for calls that this task forbids did not answer while its check ran, so such "
            "a call could not be seen. Read the answer and the cells before it.",
        ),
        strict=True,
    )
)
NOT_SHOWN = LazyMessage("Not shown while grading; `autograder grade --figures` shows it.")


@dataclass(frozen=True)
class Graded:
    """A graded submission: the executed notebook with the verdicts in its test cells, and notes above it."""

    notebook: NotebookNode
    verdicts: Mapping[str, Verdict]
    notes: tuple[str, ...]
    flags: Mapping[str, tuple[str, ...]]  # the reasons for a person to look at a task, as in `TaskResult`


def grade(
    rebuilt: NotebookNode,
    lesson: LessonBank,
    run: Runner,
    notes: tuple[str, ...] = (),
    solution: Mapping[str, str] = EMPTY,
    figures: bool = False,
    questions: Files = NONE,
) -> Graded:
    """Grade a rebuilt submission.

    Args:
        rebuilt: the course's cells with the learner's answers.
        lesson: the lesson's bank, with its answers; nothing of it reaches the run.
        run: runs notebooks.
        notes: notes from rebuilding, for the person who grades.
        solution: the text of the course's own answers, by cell id. They replace wrong answers that other
            tasks build on; without them, one mistake costs points in several tasks.
        figures: whether to draw the course's own figures.
        questions: the hidden questions in the bank that were drawn for this submission, without answers. They
            are asked in a run of their own, from which only numbers are kept.

    Raises:
        GraderFault: the grader's own code failed.
        SandboxFailed: the sandbox failed.
        RunIncomplete: a run had no time to reach its end.
    """
    plain = undrawn(rebuilt, f"print({_(NOT_SHOWN)!r})")
    as_seen = run(rebuilt if figures else plain, AS_SEEN)
    refuse_our_own(plain, as_seen)
    redrawn, stops = run_redrawn(plain, lesson, list(lesson.tasks), run, questions, as_seen.stops)
    executed = as_seen.notebook
    for cell, given in zip(executed.cells, rebuilt.cells, strict=True):
        cell.source = given.source
    verdicts = judge_notebook(lesson, as_seen, redrawn)
    not_again: tuple[str, ...] = ()
    if solution and not as_seen.gave_up:
        verdicts, not_again = judged_again(
            Submitted(plain, as_seen, verdicts, questions), lesson, run, solution
        )
    _show_verdicts(executed, lesson, verdicts)
    unseen = _not_seen(lesson, executed, verdicts)
    remarks = [
        *notes,
        *_what_stopped(as_seen.stops, stops),
        *(
            LazyMessage(MAY_HIDE[suspicion.kind], task=task, code=quoted(suspicion.code))
            for task, suspicion in unseen.items()
        ),
        *not_again,
        *accidental_losses(executed, verdicts),
    ]
    if as_seen.gave_up:
        remarks.append(LazyMessage("The notebook did not run to its end: {why}.", why=as_seen.gave_up))
    if remarks:
        with_explanation(executed, remarks)
    stopped = {name.removesuffix("-answer") for name in (*as_seen.stops, *stops)}
    return Graded(executed, verdicts, tuple(remarks), _flags(lesson, stopped, unseen))


def _show_verdicts(executed: NotebookNode, lesson: LessonBank, verdicts: Mapping[str, Verdict]) -> None:
    """Put verdicts into the test cells of a notebook that ran, without what only its run needed."""
    for name in (SEEN, WATCHED):
        executed.metadata.pop(name, None)
    bound_outputs(executed)
    for cell in executed.cells:
        if is_test(cell) and cell["id"] in verdicts:
            show_verdict(cell, lesson.tasks[cell["id"]], verdicts[cell["id"]])


def _flags(
    lesson: LessonBank, stopped: Collection[str], unseen: Mapping[str, Evasion]
) -> dict[str, tuple[str, ...]]:
    """Return by task the flags that a person who grades sees."""
    programs = {task for task, suspicion in unseen.items() if suspicion.kind == PROGRAM}
    why = {"stopped": stopped, "program": programs, "may-hide": unseen.keys() - programs}
    return {name: tuple(flag for flag, tasks in why.items() if name in tasks) for name in lesson.tasks}


def _what_stopped(seen: Mapping[str, str], redrawn: Mapping[str, str]) -> Iterator[LazyMessage]:
    """Yield which cells were stopped in the run as seen and in those with other numbers, and why."""
    for name, why in seen.items():
        yield LazyMessage("The cell {name} was stopped: {why}.", name=name, why=why)
    for name, why in redrawn.items():
        yield LazyMessage("With other numbers, the cell {name} was stopped: {why}.", name=name, why=why)


def quoted(code: str) -> str:
    """Return code without backticks, so that it can be quoted between backticks in a note."""
    return one_line(code).replace("`", "\N{MODIFIER LETTER GRAVE ACCENT}")


def _not_seen(
    lesson: LessonBank, executed: NotebookNode, verdicts: Mapping[str, Verdict]
) -> dict[str, Evasion]:
    """Return code that a person should look at, since it may hide a forbidden call, by task."""
    unseen = {}
    for task in lesson.tasks.values():
        if task.forbids and verdicts[task.id].right and not verdicts[task.id].forbidden:
            suspicion = hiding(learner_code_before(task, executed))
            if verdicts[task.id].unwatched and (suspicion is None or suspicion.kind != REACH):
                suspicion = Evasion("", UNWATCHED)
            if suspicion:
                unseen[task.id] = suspicion
    return unseen


def results_of(
    lesson: LessonBank,
    student: str,
    release: str,
    graded: Graded,
    released: Mapping[str, str] = EMPTY,
) -> tuple[TaskResult, ...]:
    """Return the records of a graded submission, in the order of the lesson's tasks.

    Args:
        lesson: the lesson's bank.
        student: the student's id.
        release: the id of the release with which it was graded.
        graded: the graded submission.
        released: the text of that release's cells, by id.
    """
    verdicts, cells = graded.verdicts, graded.notebook.cells
    answers = {cell["id"]: cell for cell in cells if is_answer(cell)}
    parts: dict[str, list[str]] = {name: [] for name in answers}
    for cell in cells:
        parts.get(cell.metadata.get(PART_OF, cell["id"]), []).append(cell.source)
    results = []
    for cell in cells:
        name, marks = cell["id"], cell.metadata.get("nbgrader", {})
        which = lesson.lesson, student, name
        if name in verdicts:
            verdict, task = verdicts[name], lesson.tasks[name]
            finding = verdict.finding
            mistakes = " ".join(mistake.hint for mistake in verdict.named)
            results.append(
                TaskResult(
                    *which,
                    points=verdict.earned,
                    possible=verdict.points,
                    faults=tuple(mistake.fault for mistake in verdict.named),
                    finding=type(finding).__name__ if finding else "",
                    says=mistakes or word_whole(finding, task, verdict).headline if finding else "",
                    error=finding.error.type if isinstance(finding, Raised) else "",
                    probe=finding.probe if finding else "",
                    unfinished=verdict.unfinished,
                    stood_in=verdict.stood_in,
                    flags=(*(("forbidden",) if verdict.forbidden else ()), *graded.flags.get(name, ())),
                    release=release,
                    answer="\n\n".join(parts.get(f"{name}-answer", ())),
                )
            )
        elif marks.get("grade") and name in answers:
            untouched = UNANSWERED if cell.source == released.get(name) else ""
            possible = float(marks["points"])
            results.append(
                TaskResult(*which, None, possible, finding=untouched, release=release, answer=cell.source)
            )
    return tuple(results)
