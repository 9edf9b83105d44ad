"""Combine wrong answers: every pair whose edits change different parts of the text, and some triples.

The bank keeps a short signature of each combination's outcomes, so that the judge can name both mistakes of a
learner who made two.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from typing import NamedTuple

import torch
from torch import Tensor

from autograder.author.answer_edits import AnyEdit, Solution, combined_text
from autograder.author.authoring import Faults, OnResult
from autograder.author.parallel import in_forks
from autograder.experiments.registry import is_telling
from autograder.judge.failure_signatures import (
    CLOSE,
    RIGHT,
    UNTRIED,
    FailureSignature,
    failure_signature,
    numbers_of,
)
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import RESULT, Probe, Task
from autograder.records.run_outcome import Outcome

# What an answer cell with a text does on some probes, without a second call where it is the same again.
Run = Callable[[str, Iterable[Probe], bool], Mapping[str, Outcome]]
Sights = Mapping[str, FailureSignature]
# What has been changed by whom: the places of some wrong answers, and the changes that are made together.
Changed = tuple[tuple[int, ...], tuple[Sequence[AnyEdit], ...]]
# How many probes an answer is run on at first. The first ones tell most, and each takes its time.
MOST_PROBES = 5
# Of so many mistakes each, how many wordings are tried together.
MOST_WORDINGS = 6
# By so much may two processors round a result of about 1 otherwise.
ROUNDING = 1e-7


class Together(NamedTuple):
    """Several wrong answers combined in one text.

    Attributes:
        places: their positions in the task's wrong answers.
        text: the combined text.
        right: the position of the right answer on whose wording the text is based; None for the solution's
            own.
    """

    places: tuple[int, ...]
    text: str
    right: int | None = None


class Tried(NamedTuple):
    """The result of running a combination.

    Attributes:
        answer: the combination.
        is_new: whether its outcomes differ from those of every known wrong answer.
        finite: whether its outcomes hold neither nan nor inf.
    """

    answer: Together
    is_new: bool
    finite: bool


def combine(
    task: Task,
    outcomes: Sequence[Mapping[str, Outcome]],
    alone: Sequence[Sights],
    solution: Solution,
    faults: Faults,
    run: Run,
    together: bool = True,
) -> tuple[list[str], list[tuple[int, ...]], list[Sights]]:
    """Combine a task's wrong answers with each other, with other wordings, and with `OnResult` mistakes.

    The other wordings are the task's right answers: the effect of a mistake may depend on the order of the
    steps around it. Functions are quick, so every pair of mistakes of a function is tried in every wording. A
    pair of mistakes of a class is tried in another wording only if it yields nan or inf, and only if one of
    the two yields numbers in that wording.

    Args:
        task: the task, with the outcomes of its solution.
        outcomes: the outcomes of each of `task.wrong`, by probe id.
        alone: the failure signatures of these outcomes, by probe id.
        solution: the solution.
        faults: the course's mistakes.
        run: the function that runs an answer cell and returns its outcomes.
        together: whether to combine wrong answers and to try other wordings, which takes most of the time.

    Returns:
        The ids of `OnResult` mistakes that none of `task.wrong` shows; the members of each combination, as
        positions in `task.wrong` followed by those mistakes; and the failure signatures of each combination,
        by probe id.
    """
    ids = [wrong.fault for wrong in task.wrong]
    tries = _Tries(task, solution, ids, alone, run)
    first = tries.add_together(outcomes, faults.together) if together else []
    added: list[str] = []
    right = {probe.id: probe.expected for probe in task.probes}
    for slip in faults.on_results:
        if slip.fault in task.cannot or not re.search(slip.code, solution.text):
            continue
        index = (ids + added).index(slip.fault) if slip.fault in ids + added else len(ids + added)
        new = tries.add_slip((index,), slip, right)
        for second in () if slip.alone else first:
            if second != index:
                new |= tries.add_slip((second, index), slip, outcomes[second])
        if new and index == len(ids + added):
            added.append(slip.fault)
    return added, tries.found, tries.kept


class _Known:
    """What answers look like on some probes. What a judge takes for the same is one, however rounded."""

    def __init__(self, some: Iterable[Sights] = ()) -> None:
        self._numbers: dict[tuple[object, ...], list[list[float]]] = defaultdict(list)
        for sights in some:
            self.add(sights)

    def add(self, sights: Sights) -> None:
        marks, numbers = self._parts(sights)
        self._numbers[marks].append(numbers)

    def __contains__(self, sights: Sights) -> bool:
        marks, numbers = self._parts(sights)
        return any(_near(numbers, others) for others in self._numbers.get(marks, ()))

    def _parts(self, sights: Sights) -> tuple[tuple[object, ...], list[float]]:
        marks = tuple((sight.result, sight.places, sight.marks) for sight in sights.values())
        return marks, [number for sight in sights.values() for number in sight.numbers]


class _Tries:
    """Combinations that were tried, without those that look like one that is known."""

    def __init__(
        self, task: Task, solution: Solution, ids: Sequence[str], alone: Sequence[Sights], run: Run
    ) -> None:
        self.found: list[tuple[int, ...]] = []
        self.kept: list[Sights] = []
        self._task, self._solution = task, solution
        self._ids = ids
        self._alone = alone
        self._run = run
        self._plain = [probe.id for probe in task.probes if probe.shows_results]
        self._called_once = [probe.id for probe in task.probes if probe.observe == RESULT]
        self._telling = [probe.id for probe in task.probes if is_telling(probe)]
        self._known = _Known(alone)
        self._made: dict[frozenset[str], _Known] = defaultdict(_Known)
        self._known_plain = _Known({name: sights[name] for name in self._called_once} for sights in alone)

    def add_together(
        self, outcomes: Sequence[Mapping[str, Outcome]], together: Sequence[Sequence[str]]
    ) -> list[int]:
        """Try the wrong answers together and in other wordings.

        Args:
            outcomes: the outcomes of each wrong answer, by probe id.
            together: the ids of mistakes that are often made by threes or more.

        Returns:
            The place of each mistake's smallest answer.
        """
        task, solution = self._task, self._solution
        # So many wrong answers of a class fit at once, and each takes so long, that no other is tried.
        in_turn = task.kind != "module"
        rights = [right.changes for right in task.right if in_turn or _is_small(solution, right.changes)]
        wrongs = [wrong.changes for wrong in task.wrong]
        alone_reworded = (((index,), (wrong,)) for index, wrong in enumerate(wrongs))
        reworded = self.add(_reworded(solution, alone_reworded, rights, in_turn))
        variants = _variants(self._ids, [_size(solution, wrong) for wrong in wrongs])
        first = [places[0] for places in variants.values()]
        pairs = self.add(_combinations(solution, wrongs, variants, together, in_turn))
        if task.kind == "module":
            endless = {index for index, by_probe in enumerate(outcomes) if not _finite(by_probe)}
            cures = {
                attempt.answer.right
                for attempt in reworded
                if attempt.is_new and attempt.finite and attempt.answer.places[0] in endless
            }
            rights = [right for index, right in enumerate(rights) if index in cures]
            pairs = [pair for pair in pairs if not pair.finite]
        again = ((pair.answer.places, tuple(wrongs[index] for index in pair.answer.places)) for pair in pairs)
        self.add(_reworded(solution, again, rights, in_turn))
        return first

    def add(self, answers: Iterable[Together]) -> list[Tried]:
        """Make wrong answers together, and keep what is seen if it is new."""
        mutants = list(answers)
        return [
            Tried(answer, self._keep(answer.places, sights), finite)
            for answer, (sights, finite) in zip(mutants, in_forks(self._sights, mutants), strict=True)
        ]

    def _sights(self, answer: Together) -> tuple[Sights, bool]:
        """Return what is seen of some wrong answers made together, and whether all results are finite.

        They are run on the first plain probes on which the result of more than one of them is wrong; of one
        is enough in another wording, and for all but modules, which are called quickly. Elsewhere it shows
        as it does alone. Most experiments take long, so none of them is done: where several mistakes show in
        one, nobody knows how. A single mistake that shows otherwise in another wording is run on all probes.
        """
        alone = [self._alone[index] for index in answer.places]
        wrong = {name: sum(bool(sights_of[name].result) for sights_of in alone) for name in self._task.probe}
        is_reworded = answer.right is not None
        enough = 1 if is_reworded or self._task.kind != "module" else 2
        tried = self._plain if is_reworded else self._telling
        unclear = [name for name in tried if wrong[name] >= enough][:MOST_PROBES]
        steady = not any("unsteady" in sight.marks for sights_of in alone for sight in sights_of.values())
        try:
            outcomes = self._outcomes(answer, unclear, steady)
            sights = self._seen(outcomes)
            if len(alone) == 1 and sights not in _Known([{name: alone[0][name] for name in unclear}]):
                others = [name for name in self._task.probe if name not in unclear]
                outcomes |= self._outcomes(answer, others, steady)
                sights = self._seen(outcomes)
        except AuthoringError:
            return {}, True  # they do not make a program together
        for name in self._task.probe:
            if name not in sights:
                sights[name] = _joined(
                    [sights_of[name] for sights_of in alone], is_reworded and len(alone) > 1
                )
        return {name: sights[name] for name in self._task.probe}, _finite(outcomes)

    def _outcomes(self, answer: Together, names: Iterable[str], steady: bool) -> dict[str, Outcome]:
        probes = [self._task.probe[name] for name in names]
        outcomes = self._run(answer.text, probes, steady) if probes else {}
        return {probe.id: outcomes[probe.id] for probe in probes}

    def _seen(self, outcomes: Mapping[str, Outcome]) -> dict[str, FailureSignature]:
        return {
            name: failure_signature(self._task, self._task.probe[name], outcome)
            for name, outcome in outcomes.items()
        }

    def add_slip(self, places: tuple[int, ...], slip: OnResult, outcomes: Mapping[str, Outcome]) -> bool:
        """Make a mistake with some results, and keep what is seen if it is new.

        What it does to an experiment is not known, nor what it makes of rounding.
        """
        sights, made_any = {}, False
        for name, probe in self._task.probe.items():
            outcome = outcomes[name]
            slipped = None if outcome.tensor is None else slip.of(outcome.tensor, self._task.axes)
            if probe.observe != RESULT or (slipped is not None and self._is_rounding(slip, outcome, slipped)):
                sights[name] = UNTRIED
                continue
            if slipped is not None:
                made_any = True
                outcome = replace(outcome, tensor=slipped, shape=tuple(slipped.shape))
            sights[name] = failure_signature(self._task, probe, outcome)
        new = {name: sights[name] for name in self._called_once} not in self._known_plain
        return made_any and new and self._keep(places, sights)

    def _is_rounding(self, slip: OnResult, outcome: Outcome, slipped: Tensor) -> bool:
        """Tell whether a result that another processor rounds otherwise looks otherwise with the mistake."""
        right = outcome.tensor
        assert right is not None
        moved = right + ROUNDING * torch.arange(1, right.numel() + 1).sin().reshape(right.shape) * (
            right != 0
        )
        other = slip.of(moved, self._task.axes)
        assert other is not None
        return not _near(numbers_of(slipped), numbers_of(other))

    def _keep(self, places: tuple[int, ...], sights: Sights) -> bool:
        tried = [sight for sight in sights.values() if sight != UNTRIED]
        faults = frozenset(self._ids[index] if index < len(self._ids) else str(index) for index in places)
        shown = [sight for sight in tried if sight.result]
        if len(places) > 1 and shown and all(sight.silent for sight in shown):
            return False
        if not any(sight.wrong for sight in tried) or sights in self._known or sights in self._made[faults]:
            return False
        if len(places) > 1 and any(self._adds_nothing(sights, index) for index in places):
            return False
        if len(places) == 1:
            self._known.add(sights)
        self._made[faults].add(sights)
        self.found.append(places)
        self.kept.append(sights)
        return True

    def _adds_nothing(self, sights: Sights, index: int) -> bool:
        """Tell whether some wrong answers look as one of them does alone wherever they were tried."""
        if index >= len(self._alone):
            return False
        tried = {name: sight for name, sight in sights.items() if sight != UNTRIED}
        return tried in _Known([{name: self._alone[index][name] for name in tried}])


def _near(some: Iterable[float], others: Iterable[float]) -> bool:
    """Tell whether numbers of sights are the same to a judge."""
    return all(abs(a - b) <= CLOSE * (1 + abs(b)) for a, b in zip(some, others, strict=True))


def _joined(alone: Sequence[FailureSignature], is_reworded: bool) -> FailureSignature:
    """Return what some mistakes show together, as far as it is known from each in its own wording."""
    results = [sight for sight in alone if sight.result]
    if len(results) > 1 or (results and is_reworded):
        return UNTRIED
    result = results[0] if results else RIGHT
    return replace(result, marks=frozenset().union(*(sight.marks for sight in alone)))


def _variants(ids: Sequence[str], sizes: Sequence[int]) -> Mapping[str, list[int]]:
    """For each mistake, the places of the wrong answers that show it, small edits first."""
    places: dict[str, list[int]] = {}
    for index in sorted(range(len(ids)), key=lambda index: sizes[index]):
        places.setdefault(ids[index], []).append(index)
    return places


def _combinations(
    solution: Solution,
    wrongs: Sequence[Sequence[AnyEdit]],
    variants: Mapping[str, list[int]],
    together: Sequence[Sequence[str]],
    in_turn: bool,
) -> Iterator[Together]:
    """Wrong answers made together: of some mistakes, the first wordings that fit."""
    for group in (*combinations(variants, 2), *together):
        if all(fault in variants for fault in group):
            places = product(*(variants[fault] for fault in group))
            texts = (
                (some, combined_text(solution, [wrongs[index] for index in some], in_turn)) for some in places
            )
            mutants = (Together(some, text) for some, text in texts if text is not None)
            yield from islice(mutants, MOST_WORDINGS)


def _reworded(
    solution: Solution, answers: Iterable[Changed], rights: Sequence[Sequence[AnyEdit]], in_turn: bool
) -> Iterator[Together]:
    """Answers in the wordings of right ones, where their changes can be made together."""
    for (places, changes), (index, right) in product(answers, enumerate(rights)):
        text = combined_text(solution, [*changes, right], in_turn)
        if text is not None:
            yield Together(places, text, index)


def _finite(outcomes: Mapping[str, Outcome]) -> bool:
    """Tell whether no result holds nan or inf."""
    tensors = (outcome.tensor for outcome in outcomes.values())
    return all(tensor is None or bool(tensor.isfinite().all()) for tensor in tensors)


def _is_small(solution: Solution, changes: Sequence[AnyEdit]) -> bool:
    return _size(solution, changes) < len(solution.text) / 2


def _size(solution: Solution, changes: Sequence[AnyEdit]) -> int:
    """Return the share of the solution that some changes replace."""
    return sum(span.end - span.start for change in changes for span in change.spans(solution))
