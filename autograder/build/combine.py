"""Wrong answers made together: every two whose edits touch different places, and some by threes.

What such an answer does is kept in short, so that a judge can name both mistakes of a learner who made two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from autograder import authoring, bank
from autograder.bank import RESULT
from autograder.edits import Solution, Span, fit, put_in
from autograder.explain import RIGHT, UNTRIED, Sight, sight
from autograder.outcome import Outcome

# What an answer cell with a text does on some probes.
Run = Callable[[str, Mapping[str, bank.Probe]], Mapping[str, Outcome]]
Sights = Mapping[str, Sight]


def combine(
    task: authoring.Task,
    entry: bank.Task,
    alone: Sequence[Sights],
    solution: Solution,
    faults: authoring.Faults,
    run: Run,
) -> tuple[list[tuple[int, ...]], list[Sights]]:
    """Try the wrong answers of a task in other wordings and together.

    The other wordings are the small edits among the right answers: what a mistake does may hang on the
    order of the steps around it.

    Returns:
        Places in `task.wrong`, and what is seen of each combination.
    """
    spans = [[span for change in wrong.changes for span in change.spans(solution)] for wrong in task.wrong]
    reworded = [[span for change in right.changes for span in change.spans(solution)] for right in task.right]
    tries = _Tries(entry, alone, solution, run)
    for place, own in enumerate(spans):
        for other in reworded:
            if _small(other) and fit([*own, *other]):
                tries.add((place,), [*own, *other])
    for places in _together(task, spans, faults):
        tries.add(places, [span for place in places for span in spans[place]])
    return tries.found, tries.kept


class _Tries:
    """Combinations that were tried, without those that look like one that is known."""

    def __init__(self, entry: bank.Task, alone: Sequence[Sights], solution: Solution, run: Run) -> None:
        self.found: list[tuple[int, ...]] = []
        self.kept: list[Sights] = []
        self._entry = entry
        self._alone = alone
        self._solution = solution
        self._run = run
        self._plain = {name: probe for name, probe in entry.probes.items() if probe.observe == RESULT}
        self._known = {_key(sights) for sights in alone}

    def add(self, places: tuple[int, ...], spans: Sequence[Span]) -> None:
        """Make some wrong answers together with these spans, and keep what is seen if it is new.

        They are run on the plain probes on which the result of more than one of them is wrong; of one is
        enough
        where it is worded anew, and for a function, which is called quickly. Elsewhere it shows as it does
        alone. Experiments take long, so none is done: where several mistakes show in one, nobody knows how.
        """
        alone = [self._alone[place] for place in places]
        wrong = {name: sum(bool(one[name].result) for one in alone) for name in self._entry.probes}
        enough = 1 if len(places) == 1 or self._entry.kind == "function" else 2
        unclear = {name: probe for name, probe in self._plain.items() if wrong[name] >= enough}
        try:
            outcomes = self._run(put_in(self._solution.text, spans), unclear) if unclear else {}
        except authoring.AuthoringError:
            return  # they do not make a program together
        sights = {
            name: sight(self._entry, self._entry.probes[name], outcomes[name])
            if name in outcomes
            else _joined([one[name] for one in alone])
            for name in self._entry.probes
        }
        key = _key(sights)
        if not any(one.wrong for one in sights.values()) or key in self._known:
            return
        if len(places) == 1:
            self._known.add(key)
        self.found.append(places)
        self.kept.append(sights)


def _joined(alone: Sequence[Sight]) -> Sight:
    """What some mistakes show together, as far as it is known from each."""
    results = [one for one in alone if one.result]
    if len(results) > 1:
        return UNTRIED
    result = results[0] if results else RIGHT
    return Sight(result.result, result.numbers, frozenset().union(*(one.marks for one in alone)))


def _together(
    task: authoring.Task, spans: Sequence[Sequence[Span]], faults: authoring.Faults
) -> Iterator[tuple[int, ...]]:
    """Places of wrong answers that can be made together: of each mistake, the first that is a small edit."""
    first: dict[str, int] = {}
    for place, wrong in enumerate(task.wrong):
        if wrong.fault not in first or (_small(spans[place]) and not _small(spans[first[wrong.fault]])):
            first[wrong.fault] = place
    for one, other in combinations(first.values(), 2):
        if fit([*spans[one], *spans[other]]):
            yield one, other
    for group in faults.together:
        if all(fault in first for fault in group):
            places = tuple(first[fault] for fault in group)
            if fit([span for place in places for span in spans[place]]):
                yield places


def _small(spans: Sequence[Span]) -> bool:
    return all(span.start or not span.end for span in spans)


def _key(sights: Sights) -> tuple[object, ...]:
    """What two sights that are the same have in common, rounding aside."""
    return tuple(
        (one.result, one.marks, tuple(round(number, 4) for number in one.numbers)) for one in sights.values()
    )
