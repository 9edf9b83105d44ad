"""The extraction of evidence from an executed notebook, and the insertion of verdicts."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from nbformat import NotebookNode, from_dict

from autograder.grading.sandbox.execute_notebook import SEEN, WATCHED, Executed
from autograder.grading.sandbox.output_limits import LEFT_OUT_MIME
from autograder.judge.decide import judge, merge, with_unfinished
from autograder.records import serialization
from autograder.records.answer_findings import Verdict
from autograder.records.bank import AS_SEEN, LessonBank, Task
from autograder.records.cell_roles import is_learners, is_test
from autograder.records.evidence_mime import EVIDENCE_MIME
from autograder.records.evidence_transport import EvidenceRefused, unpack
from autograder.records.run_outcome import MAX_ITEMS, MAX_TEXT, Evidence, ForbiddenCall
from autograder.words.feedback_card import Feedback
from autograder.words.language import LazyMessage, _, ngettext
from autograder.words.sanitize import one_line

EMPTY: Mapping[str, str] = MappingProxyType({})
# What the checks say themselves where they get no result. All else was written by a stranger.
OURS = re.compile(
    r"|the answer is too large to grade \(\d+ bytes\)|the answer's numbers cannot be read \(\w+\)"
    r"|looking at it runs code of its own, which raises \w{1,100}"
)


# Of the name of an exception, which its class chooses, and of the lines that led to it.
MOST_NAME, MOST_LINES = 100, 1_000


class GraderFault(Exception):
    """The grader's own code failed, not the answer: the submission gets no score, and a person must look."""


class CheckFailed(GraderFault):
    """The code of a task's check failed, not the answer."""


def evidence_of(task: str, executed: NotebookNode, stopped: str = "") -> Evidence:
    """Return the evidence in a task's test cell, with the forbidden calls reported during the run.

    Args:
        task: the task's id.
        executed: the executed notebook.
        stopped: why the run ended early, if it did.
    """
    evidence = _left_by(task, executed, stopped)
    seen_calls = {(call.line_number, call.function) for call in evidence.forbidden}
    reported = (
        call
        for call in _reported_calls(task, executed)
        if (call.line_number, call.function) not in seen_calls
    )
    return replace(evidence, forbidden=(*evidence.forbidden, *reported))


def _reported_calls(task: str, executed: NotebookNode) -> Iterator[ForbiddenCall]:
    """Yield the calls that a task forbids of which its run told before it made them."""
    for call in executed.metadata.get(SEEN, ()):
        with contextlib.suppress(ValueError, TypeError, AttributeError, KeyError):
            if call["task"] == task:
                yield serialization.decode(ForbiddenCall, call["call"], {}, MAX_TEXT, MAX_ITEMS)


def _left_by(task: str, executed: NotebookNode, stopped: str) -> Evidence:
    tests = [cell for cell in executed.cells if cell["id"] == task and is_test(cell)]
    outputs = [output for cell in tests for output in cell.get("outputs", ())]
    for output in outputs:
        packed = output.get("data", {}).get(EVIDENCE_MIME)
        if packed is None:
            continue
        try:
            evidence = unpack(packed)
        except EvidenceRefused as problem:
            return Evidence(task, "not-run", note=str(problem))
        if evidence.task == task:
            ours = evidence.status == "fault" or OURS.fullmatch(evidence.note)
            unread = LazyMessage("its check left no result that can be read")
            return evidence if ours else replace(evidence, note=unread)
    errors = [
        one_line(str(output.get("ename", "")))[:MOST_NAME]
        for output in outputs
        if output.output_type == "error"
    ]
    if "CellTimeoutError" in errors or "KeyboardInterrupt" in errors:
        why = LazyMessage("it did not end in the time allowed, so perhaps a loop is endless")
        return Evidence(task, "not-run", note=why)
    if errors:
        return Evidence(task, "not-run", note=LazyMessage("its check stopped with {error}", error=errors[0]))
    return Evidence(task, "not-run", note=stopped or LazyMessage("its check left no result"))


def bound_outputs(
    notebook: NotebookNode, most: int = 100_000, most_shown: int = 4_000_000, most_parts: int = 20_000
) -> None:
    """Cut the outputs of cells, so that an endless loop cannot fill a disk.

    Args:
        notebook: an executed notebook, changed in place.
        most: the most characters that one printed text or one error may have.
        most_shown: the most characters that all outputs together may have.
        most_parts: the most JSON values that all outputs together may have, since each takes memory.
    """
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            most_now = max(0, min(most, most_shown))
            if output.output_type == "stream":
                output.text = _cut(output.text, most_now)
                most_shown -= len(output.text)
            elif output.output_type == "error":
                output.ename = one_line(output.ename)[:MOST_NAME]
                output.evalue = _cut(output.evalue, most_now)
                lines = output.traceback
                if sum(map(len, lines)) > most_now or len(lines) > MOST_LINES:
                    output.traceback = [_cut("\n".join(lines), most_now)]
                most_shown -= len(output.evalue) + sum(map(len, output.traceback))
                most_parts -= len(output.traceback)
            else:
                left_out = output.data.get(LEFT_OUT_MIME)
                if type(left_out) is int:
                    output.data = {"text/plain": _left_out(left_out)}
                text = json.dumps([output.data, output.metadata])
                parts = text.count("[") + text.count("{") + text.count(",")
                if len(text) > most_shown or parts > most_parts:
                    cut = _("… an output of {number} characters was cut off …", number=len(text))
                    output.data = {"text/plain": cut}
                    output.metadata = {}
                else:
                    most_shown -= len(text)
                    most_parts -= parts


def _left_out(number: int) -> str:
    return ngettext(
        "… {number} output of this cell was left out, since there was too much to keep …",
        "… {number} outputs of this cell were left out, since there was too much to keep …",
        number,
    )


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most]}\n" + ngettext(
        "… {number} more character was cut off …",
        "… {number} more characters were cut off …",
        len(text) - most,
    )


def judge_notebook(
    bank: LessonBank, as_seen: Executed, redrawn: Mapping[str, Executed]
) -> dict[str, Verdict]:
    """Judge every task of a lesson, and return the verdicts by task.

    Args:
        bank: the lesson's bank.
        as_seen: the run with the lesson's own givens.
        redrawn: the runs with other givens, by the givens' names in the bank.

    Raises:
        CheckFailed: the code of a check failed.
    """
    verdicts: dict[str, Verdict] = {}
    # An exam asks a few of a lesson's tasks: nobody is told to correct another one.
    asked = {cell["id"] for cell in as_seen.notebook.cells if is_test(cell)}
    for task in bank.tasks.values():
        verdict = judge_task(task, as_seen, redrawn)
        earlier = {name: judged for name, judged in verdicts.items() if name in asked}
        verdicts[task.id] = with_unfinished(verdict, task, bank, earlier)
    return verdicts


def judge_task(task: Task, as_seen: Executed, redrawn: Mapping[str, Executed]) -> Verdict:
    """Judge one task as `judge_notebook` does, without regard to the tasks that it builds on.

    Raises:
        CheckFailed: the code of its check failed.
    """
    evidence = evidence_of(task.id, as_seen.notebook, as_seen.gave_up)
    why = as_seen.stops.get(f"{task.id}-answer") or as_seen.stops.get(task.id)
    if why and evidence.status in ("missing", "stub", "not-run"):
        evidence = Evidence(task.id, "not-run", note=why)
    ran = as_seen.notebook, *(other.notebook for other in redrawn.values())
    unwatched = any(_is_unwatched(task, notebook) for notebook in ran)
    # An answer must come out right from other numbers too: one that was typed in does not.
    evidence = _of_run(evidence, task, AS_SEEN)
    stopped = ""
    for run, executed in redrawn.items():
        other = _of_run(evidence_of(task.id, executed.notebook), task, run)
        stopped = stopped or ("" if other.outcomes else _stopped(task, executed, as_seen))
        evidence = merge(evidence, other)
    if evidence.status == "fault":
        raise CheckFailed(f"{task.id}: {evidence.note}")
    return replace(judge(task, evidence, stopped=stopped), unwatched=unwatched)


def _is_unwatched(task: Task, executed: NotebookNode) -> bool:
    """Tell whether a run left open if an answer makes a call that its task forbids."""
    if not task.forbids or task.id in executed.metadata.get(WATCHED, (task.id,)):
        return False
    return any(cell["id"] == task.id and is_test(cell) and cell.outputs for cell in executed.cells)


def _stopped(task: Task, executed: Executed, as_seen: Executed) -> str:
    """Return why a run with other givens has no result of a task, if that is since it was stopped."""
    new = {name: why for name, why in executed.stops.items() if name not in as_seen.stops}
    cells = [cell["id"] for cell in executed.notebook.cells]
    if task.id not in cells:
        return ""
    for name in (task.id, *reversed(cells[: cells.index(task.id)])):
        if name in new and name in (f"{task.id}-answer", task.id):
            return LazyMessage("with other numbers, {why}", why=new[name])
        if name in new:
            return LazyMessage(
                "with other numbers, the cell {name} was stopped: {why}", name=name, why=new[name]
            )
    return executed.gave_up


def learner_code_before(task: Task, notebook: NotebookNode) -> Iterator[str]:
    """Yield the text of the learner's code cells above a task's check, in a rebuilt notebook."""
    for cell in notebook.cells:
        if cell["id"] == task.id:
            return
        if cell.cell_type == "code" and is_learners(cell):
            yield cell.source


def _of_run(evidence: Evidence, task: Task, run: str) -> Evidence:
    """Return what evidence says about what it was asked in a run, and nothing about another run."""
    names = (
        {run}
        if task.kind == "tensor"
        else {probe.id for probe in task.probes if probe.hidden == (run != AS_SEEN)}
    )
    kept_outcomes = {name: outcome for name, outcome in evidence.outcomes.items() if name in names}
    if evidence.status == "answered" and task.kind == "tensor" and not kept_outcomes:
        return replace(
            evidence, status="not-run", outcomes={}, note=LazyMessage("a run of it left no result")
        )
    return replace(evidence, outcomes=kept_outcomes)


def show_verdict(cell: NotebookNode, task: Task, verdict: Verdict) -> None:
    """Replace a test cell's outputs by the verdict.

    nbgrader reads the score from the output's plain text, and displays its HTML.
    """
    # Not by `new_output`, which holds each one against the schema; that is done where the whole is written.
    shown = {
        "output_type": "execute_result",
        "metadata": {},
        "data": {
            "text/plain": str(verdict.earned),
            "text/html": Feedback(task, verdict).html(),
        },
        "execution_count": cell.get("execution_count") or 1,
    }
    cell.outputs = [from_dict(shown)]
