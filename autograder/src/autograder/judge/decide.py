"""The comparison of evidence with the bank: points, the finding to show, and the known mistakes.

This code never runs a learner's code; it reads plain data. During grading it runs in another process than the
one that collected the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from autograder.experiments.properties import violation
from autograder.experiments.registry import EXPERIMENTS
from autograder.judge.failure_signatures import FailureSignature, failure_signature, unsaid_in
from autograder.judge.generic_facts import facts, unsteadiness
from autograder.judge.known_mistakes import MatchedMistakes, explain
from autograder.judge.trace_alignment import reaches
from autograder.records import answer_findings as f
from autograder.records.bank import AS_SEEN, RESULT, LessonBank, Probe, Task
from autograder.records.run_outcome import Evidence, ForbiddenCall, ModuleReport, Outcome
from autograder.records.tensor_comparison import (
    all_close,
    close,
    dtype_fits,
    first_index,
    looks_rounded,
    narrower,
    plainly_right,
    type_fits,
)


def judge(task: Task, evidence: Evidence, as_seen: bool = False, stopped: str = "") -> f.Verdict:
    """Return the verdict on an answer; checks without evidence fail.

    Args:
        task: the task, with the right outcomes.
        evidence: the recorded evidence about the answer.
        as_seen: whether the notebook ran with the lesson's own givens only, so that a tensor is not compared
            for others.
        stopped: why a run with other givens has no result, if the answer is not the cause.
    """
    whole = _finding_about_the_whole(evidence)
    if whole is not None:
        return all_failed(task, whole)
    seen = {
        probe: concluded(task.probe[probe], outcome)
        for probe, outcome in evidence.outcomes.items()
        if probe in task.probe
    }
    answer = _Answer(task, evidence, seen)
    asked = set(seen) | {AS_SEEN} if as_seen and task.kind == "tensor" else set(task.probe)
    findings = answer.findings()
    explained = MatchedMistakes()
    # Most answers are right, and to compare one with all that is known takes longer than to judge it.
    if any(findings.values()):
        explained = answer.explained()
        findings = answer.findings(explained)
    failing = []
    for check in task.checks:
        of_check = [
            findings.get(probe, f.NotRun(evidence.note, probe=probe))
            if probe in seen or not _concealed(task, probe)
            else (f.NotRun(stopped, probe=probe) if stopped else f.NotComputed(probe=probe))
            for probe in check.probes
            if probe in asked
        ]
        failing.append([finding for finding in of_check if finding is not None])
    forgiven = answer.forgiven(failing)
    results = []
    for index, check in enumerate(task.checks):
        finding = next(iter(failing[index]), None) if index not in forgiven else None
        results.append(f.CheckResult(check.title, check.points, 0 if finding else check.points, finding))
    passed = all(result.finding is None for result in results)
    explains = () if explained.whole else answer.explained_checks(failing, explained)
    families = task.forbids.families if task.forbids else ()
    return f.Verdict(
        task.id,
        tuple(results),
        named=tuple(
            f.Named(mistake.id, mistake.name, mistake.hint, mistake.section) for mistake in explained.wrong
        ),
        whole=explained.whole or not explained.wrong,
        shown=_proven_hints(explained.shown, [findings[0] for findings in failing if findings]),
        explains=explains,
        facts=() if passed else answer.unexplained_facts(explained),
        globals_read=() if passed else evidence.globals_read,
        forbidden=next((call for call in evidence.forbidden if call.family in families), None),
        cost=task.forbids.points if task.forbids else 0,
    )


@dataclass(frozen=True)
class _Answer:
    """An answer as its evidence shows it, beside the right outcomes of its task.

    Attributes:
        task: the task.
        evidence: the evidence about the answer.
        outcomes: its outcomes by probe, each concluded.
    """

    task: Task
    evidence: Evidence
    outcomes: Mapping[str, Outcome]

    @cached_property
    def signatures(self) -> Mapping[str, FailureSignature]:
        """The failure signatures of the outcomes, by probe."""
        return {
            name: failure_signature(self.task, self.task.probe[name], outcome)
            for name, outcome in self.outcomes.items()
        }

    def findings(self, explained: MatchedMistakes | None = None) -> dict[str, f.Finding | None]:
        """Return the finding on each probe; where a learner never sees the data, only that it is wrong."""
        task, named = self.task, explained.results if explained else ()
        findings: dict[str, f.Finding | None] = {}
        for probe, outcome in self.outcomes.items():
            finding = judge_outcome(task, task.probe[probe], outcome, probe in named)
            if finding and _concealed(task, probe):
                finding = f.NotComputed(self._typed(probe))
            findings[probe] = finding and replace(finding, probe=probe)
        return findings

    def explained(self) -> MatchedMistakes:
        """Return the known mistakes that explain the answer and may be named of it."""
        task = self.task
        reached = reaches(task.route, self.evidence.trail) if task.route else None
        explained = explain(task, self.outcomes, reached)
        return explained if self._may_name(explained) else MatchedMistakes()

    def _may_name(self, explained: MatchedMistakes) -> bool:
        """Tell whether known mistakes may be named of the answer at all.

        Of one that gives another result in each call, only those that do so too, or that give the very same
        numbers wherever it is wrong, or at least where it was seen to give others. Numbers that do
        not follow the lesson's data were typed in, and come from no mistake.
        """
        task, examined = self.task, self.evidence.examined
        if unsteadiness(task, examined):
            assert examined is not None
            where = {examined.probe} if examined.probe in explained.results else explained.results
            same = bool(where) and where <= explained.exact
            return explained.whole and (same or any(mark == "unsteady" for _, mark in explained.marks))
        # What is never used explains more than a mistake that shows in one check only.
        if not explained.whole and any(isinstance(fact, f.Idle) for fact in facts(task, {}, examined)):
            return False
        return not (task.kind == "tensor" and self._typed(AS_SEEN) and len(explained.wrong) > 1)

    def _typed(self, probe: str) -> bool:
        """Tell whether a result stays the same where the data is another and the right result moves."""
        task, seen = self.task, self.outcomes
        tensor = seen[probe].tensor if probe in seen else None
        expected = task.probe[probe].expected.tensor
        if tensor is None or expected is None:
            return False
        for name, outcome in seen.items():
            other, right = outcome.tensor, task.probe[name].expected.tensor
            if (
                name == probe
                or _concealed(task, name) == _concealed(task, probe)
                or other is None
                or right is None
            ):
                continue
            moves = right.shape != expected.shape or not all_close(right.float(), expected.float())
            if moves and other.shape == tensor.shape and all_close(other.float(), tensor.float()):
                return True
        return False

    def explained_checks(
        self, failing: Sequence[Sequence[f.Finding]], explained: MatchedMistakes
    ) -> tuple[str, ...]:
        """Return the titles of the checks in which known mistakes explain all that is wrong."""
        titles, sights = [], self.signatures
        for check, findings in zip(self.task.checks, failing, strict=True):
            covered = all(
                finding.probe in sights
                and (not sights[finding.probe].result or finding.probe in explained.results)
                and all((finding.probe, mark) in explained.marks for mark in sights[finding.probe].marks)
                for finding in findings
            )
            if findings and covered:
                titles.append(check.title)
        return tuple(titles)

    def unexplained_facts(self, explained: MatchedMistakes) -> tuple[f.Fact, ...]:
        """Return what experiments show of the answer, without what a named mistake accounts for.

        Where the very same numbers come out on a probe, everything else that shows there comes from that
        mistake too, and so it is where it changes no number.
        """
        examined = self.evidence.examined
        if explained.whole and (explained.exact or not explained.results):
            return ()
        if examined is not None and examined.probe in explained.exact:
            examined = None
        unexplained = {
            name: outcome for name, outcome in self.outcomes.items() if name not in explained.results
        }
        return facts(self.task, unexplained, examined, self.evidence.trail)

    def forgiven(self, failing: Sequence[Sequence[f.Finding]]) -> frozenset[int]:
        """Return the places of checks that fail only for what another check fails for already.

        A mistake beside the results, such as a changed argument, shows on every probe. It costs one check:
        one that fails anyway, or the one with the fewest points.
        """
        shown: dict[int, frozenset[str]] = {}
        lost: list[int] = []
        task, sights = self.task, self.signatures if any(failing) else {}
        for index, findings in enumerate(failing):
            signatures = [sights[finding.probe] for finding in findings if finding.probe in sights]
            if len(signatures) < len(findings) or any(
                signature.result or not signature.marks for signature in signatures
            ):
                lost.append(index)
            if signatures:
                shown[index] = frozenset().union(*(signature.marks for signature in signatures))
        costs = set(lost)
        for mark in sorted(frozenset().union(*shown.values())):
            places = [index for index, marks in shown.items() if mark in marks]
            if not costs & set(places):
                costs.add(min(places, key=lambda index: (task.checks[index].points, index)))
        return frozenset(index for index, findings in enumerate(failing) if findings and index not in costs)


def _proven_hints(proven: f.Shown, findings: Sequence[f.Finding]) -> f.Shown:
    """Return what can be said of the named mistakes beside what a learner is told of each check."""
    stopped = [isinstance(finding, f.Raised) for finding in findings]
    if proven == "same" and stopped and all(stopped):
        return "stops"  # the result that is the same is one that no check shows
    # What has the wrong parameters cannot be tried, which is no error of the code.
    return "likeness" if proven == "stops" and not any(stopped) else proven


def concluded(probe: Probe, outcome: Outcome) -> Outcome:
    """Return an outcome whose raw measurements, if it has any, are replaced by their summary."""
    experiment = EXPERIMENTS.get(probe.observe)
    if experiment is None or experiment.measured is None or not probe.hidden or outcome.tensor is None:
        return outcome
    measurement = experiment.measured(outcome.tensor, probe.settings)
    return outcome if measurement is None else replace(outcome, tensor=measurement)


def _concealed(task: Task, probe: str) -> bool:
    """Tell whether a learner never sees what a probe asks: other numbers than those of the text."""
    return task.probe[probe].hidden or (task.kind == "tensor" and probe != AS_SEEN)


def judge_outcome(task: Task, probe: Probe, outcome: Outcome, explained: bool = False) -> f.Finding | None:
    """Return the first finding about an outcome on one probe; None if it is right.

    The finding does not name the probe.

    Args:
        task: the task.
        probe: the probe, with the right outcome.
        outcome: the answer's outcome.
        explained: whether a known mistake yields the same outcome.

    Raises:
        ValueError: the bank has no right outcome for the probe.
    """
    if outcome.uncalled is not None:
        return f.NotCalled(outcome.uncalled)
    if probe.raises:
        refused = outcome.error is not None and outcome.error.is_one_of(probe.raises)
        obtained = "" if outcome.error is None else outcome.error.type
        unsaid = unsaid_in(probe, outcome) if refused else ""
        return None if refused and not unsaid else f.NotRefused(probe.raises, obtained, unsaid)
    expected, actual = probe.expected.tensor, outcome.tensor
    if expected is None:
        raise ValueError(f"the bank holds no expected tensor for {task.id}, probe {probe.id}")
    report = _beyond(outcome.module, probe.expected.module)
    if not report.loadable:
        return f.WrongParameters(report.missing, report.unexpected, report.reshaped, tuple(probe.weights))
    if outcome.error is not None:
        return f.Raised(outcome.error)
    if not type_fits(task, outcome) or (probe.then and outcome.shape is None):
        return f.WrongType(outcome.type_name)
    if outcome.shape is None:
        return f.NotRun("it is a kind of tensor that cannot be read")
    shape = outcome.shape
    if shape != tuple(expected.shape) and probe.observe != RESULT:
        return f.WrongBehaviour(probe.observe, of_result=EXPERIMENTS[probe.observe].axes is None)
    if shape != tuple(expected.shape):
        return f.WrongShape(shape, tuple(expected.shape), _first_wrong_axis(shape, expected))
    if probe.observe == RESULT and not dtype_fits(task, outcome):
        return f.WrongDtype(outcome.dtype, task.dtypes)
    if probe.observe == RESULT and narrower(outcome.dtype, probe.expected.dtype):
        return f.WrongDtype(outcome.dtype, (probe.expected.dtype,))
    if actual is None:
        return f.NotRun(f"its numbers cannot be read (they are on the device {outcome.device})")
    right = close(actual, expected)
    if bool(right.all()):
        return _broken_beside_right_numbers(probe, outcome, report)
    return _wrong_numbers(task, probe, actual, expected, right, explained)


def _broken_beside_right_numbers(probe: Probe, outcome: Outcome, report: ModuleReport) -> f.Finding | None:
    """Return what an answer with the right numbers does besides that it should not do."""
    extra = set(outcome.changed_inputs) - set(probe.expected.changed_inputs)
    unfilled = set(probe.expected.changed_inputs) - set(outcome.changed_inputs)
    if extra:
        return f.BrokenProperty("input-untouched", names=tuple(sorted(extra)))
    if unfilled:
        return f.BrokenProperty("input-filled", names=tuple(sorted(unfilled)))
    if report.unsteady:
        return f.BrokenProperty("same-in-eval")
    if set(report.shared) - set(probe.expected.module.shared):
        return f.BrokenProperty("memory-of-its-own", names=report.shared)
    if set(report.unreached) - set(probe.expected.module.unreached):
        return f.BrokenProperty("gradient-reaches", names=report.unreached)
    return None


def _wrong_numbers(
    task: Task, probe: Probe, actual: Tensor, expected: Tensor, right: Tensor, explained: bool
) -> f.Finding:
    """Return what is wrong with numbers of the right shape, of which `right` marks those that are right."""
    strange = ~actual.isfinite() & expected.isfinite()
    if bool(strange.any()):
        index = first_index(strange)
        return f.NotFinite(float(actual[index]), index, int(strange.sum()))
    if probe.observe != RESULT:
        index = first_index(~right)
        of_result = EXPERIMENTS[probe.observe].axes is None
        seen = float(actual[index]), float(expected[index])
        return f.WrongBehaviour(probe.observe, index, *seen, of_result=of_result)
    values = _wrong_values(actual, expected, right)
    if explained:
        return f.MatchesKnownWrong(values)
    if values.rounded:  # a rounded row breaks the rule about its sum, which is not what went wrong
        return values
    for rule in task.properties:
        broken = violation(rule, actual)
        if broken is not None:
            return broken
    return values


def _beyond(report: ModuleReport, right: ModuleReport) -> ModuleReport:
    """Return a report without the parameters that the right answer itself adds to a module, or takes away."""
    return replace(
        report,
        missing=tuple(name for name in report.missing if name not in right.missing),
        unexpected=tuple(name for name in report.unexpected if name not in right.unexpected),
        reshaped=tuple(parameter for parameter in report.reshaped if parameter not in right.reshaped),
    )


def with_unfinished(
    verdict: f.Verdict, task: Task, lesson: LessonBank, earlier: Mapping[str, f.Verdict]
) -> f.Verdict:
    """Return a verdict that also names the wrong answers to earlier tasks that this task builds on.

    Args:
        verdict: the verdict on the answer.
        task: the task.
        lesson: the lesson's bank.
        earlier: the verdicts on the tasks that this one needs, by task id.
    """
    if verdict.passed or isinstance(verdict.finding, f.Untried | f.CallsForbidden):
        return verdict
    names = tuple(
        lesson.tasks[need].name for need in task.needs if need in earlier and not earlier[need].right
    )
    return replace(verdict, unfinished=names)


def merge(first: Evidence, other: Evidence) -> Evidence:
    """Return the evidence of a run as the learner saw it, with the outcomes of a run with hidden questions.

    From the second run, nothing is taken that could reveal its questions, such as the code of forbidden
    calls.
    """
    if "fault" in (first.status, other.status):
        return first if first.status == "fault" else other
    calls = tuple(ForbiddenCall(call.family, call.family) for call in other.forbidden)
    return replace(first, outcomes={**first.outcomes, **other.outcomes}, forbidden=first.forbidden + calls)


def _finding_about_the_whole(evidence: Evidence) -> f.Finding | None:
    if evidence.status == "missing":
        return f.NotDefined(evidence.nearest, evidence.error)
    if evidence.status == "stub":
        return f.StillStub(evidence.error)
    if evidence.status == "not-callable":
        return f.NotAFunction(evidence.answer_type)
    if evidence.status == "not-run":
        return f.NotRun(evidence.note)
    if evidence.changed_givens:
        return f.GivensChanged(evidence.changed_givens, evidence.default_dtype)
    return None


def all_failed(task: Task, finding: f.Finding) -> f.Verdict:
    """Return a verdict in which every check fails with the same finding."""
    return f.Verdict(
        task.id, tuple(f.CheckResult(check.title, check.points, 0, finding) for check in task.checks)
    )


def _first_wrong_axis(shape: tuple[int, ...], expected: Tensor) -> int | None:
    if len(shape) != expected.ndim:
        return None
    return next(
        axis for axis, (size, right) in enumerate(zip(shape, expected.shape, strict=True)) if size != right
    )


def _wrong_values(actual: Tensor, expected: Tensor, right: Tensor) -> f.WrongValues:
    index = first_index(~right)
    error = (actual.double() - expected.double()).abs().nan_to_num(nan=float("inf"), posinf=float("inf"))
    error = error.masked_fill(right, 0.0)  # two infinities of one sign are equal, and their difference is nan
    return f.WrongValues(
        index,
        float(actual[index]),
        float(expected[index]),
        largest_error=float(error.max()),
        share_right=float(plainly_right(actual, expected).double().mean()),
        obtained_tensor=actual,
        expected_tensor=expected,
        rounded=looks_rounded(actual, expected),
        unfilled=_unfilled(actual, expected, right),
    )


def _unfilled(actual: Tensor, expected: Tensor, right: Tensor) -> int:
    """Count the entries that are wrongly 0, if nothing else is wrong.

    Where zeros belong into the right answer, one more of them does not look forgotten.
    """
    if actual.dtype == torch.bool or not actual.ndim or bool((expected == 0).any()):
        return 0
    return int((~right).sum()) if bool((actual[~right] == 0).all()) else 0
