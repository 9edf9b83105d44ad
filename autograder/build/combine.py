"""Wrong answers made together: every two whose edits touch different places, and some by threes.

What such an answer does is kept in short, so that a judge can name both mistakes of a learner who made two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product

from autograder import authoring, bank
from autograder.bank import RESULT
from autograder.edits import Solution, Span, fit, put_in
from autograder.explain import RIGHT, UNTRIED, Sight, sight
from autograder.outcome import Outcome

# What an answer cell with a text does on some probes.
Run = Callable[[str, Mapping[str, bank.Probe]], Mapping[str, Outcome]]
Sights = Mapping[str, Sight]
# How many probes mistakes made together are run on. The first ones tell most, and each takes its time.
MOST_PROBES = 5


def combine(
    task: authoring.Task,
    entry: bank.Task,
    outcomes: Sequence[Mapping[str, Outcome]],
    alone: Sequence[Sights],
    solution: Solution,
    faults: authoring.Faults,
    run: Run,
) -> tuple[list[str], list[tuple[int, ...]], list[Sights]]:
    """Try the wrong answers of a task in other wordings, together, and with mistakes made with their results.

    The other wordings are the small edits among the right answers: what a mistake does may hang on the
    order of the steps around it.

    Args:
        task: the task, as its author describes it.
        entry: the task as the bank holds it.
        outcomes: what each of `task.wrong` does on each probe.
        alone: what is seen of that.
        solution: the text of the solution.
        faults: the course's mistakes.
        run: what runs an answer cell.

    Returns:
        Mistakes that no wrong answer of the task shows, places in `task.wrong` followed by these, and what
        is seen of each combination.
    """
    spans = [[span for change in wrong.changes for span in change.spans(solution)] for wrong in task.wrong]
    reworded = [[span for change in right.changes for span in change.spans(solution)] for right in task.right]
    tries = _Tries(entry, alone, solution, run)
    for place, own in enumerate(spans):
        for other in reworded:
            if _small(other) and fit([*own, *other]):
                tries.add((place,), [*own, *other])
    variants = _variants(task, spans)
    first = [places[0] for places in variants.values()]
    for places in _together(variants, spans, faults):
        tries.add(places, [span for place in places for span in spans[place]])
    ids = [wrong.fault for wrong in task.wrong]
    added: list[str] = []
    right = {name: probe.expected for name, probe in entry.probes.items()}
    for slip in faults.on_results:
        if slip.fault in task.cannot:
            continue
        place = (ids + added).index(slip.fault) if slip.fault in ids + added else len(ids + added)
        new = tries.add_slip((place,), slip, right)
        for second in () if slip.alone else first:
            if second != place:
                new |= tries.add_slip((second, place), slip, outcomes[second])
        if new and place == len(ids + added):
            added.append(slip.fault)
    return added, tries.found, tries.kept


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
        self._known_plain = {_key({name: sights[name] for name in self._plain}) for sights in alone}

    def add(self, places: tuple[int, ...], spans: Sequence[Span]) -> None:
        """Make some wrong answers together with these spans, and keep what is seen if it is new.

        They are run on the plain probes on which the result of more than one of them is wrong; of one is
        enough where it is worded anew, and for a function, which is called quickly. Elsewhere it shows as it
        does alone. Experiments take long, so none is done: where several mistakes show in one, nobody knows
        how.
        """
        alone = [self._alone[place] for place in places]
        wrong = {name: sum(bool(one[name].result) for one in alone) for name in self._entry.probes}
        enough = 1 if len(places) == 1 or self._entry.kind == "function" else 2
        unclear = {name: probe for name, probe in self._plain.items() if wrong[name] >= enough}
        if len(places) > 1:
            unclear = dict(islice(unclear.items(), MOST_PROBES))
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
        self._keep(places, sights)

    def add_slip(
        self, places: tuple[int, ...], slip: authoring.OnResult, outcomes: Mapping[str, Outcome]
    ) -> bool:
        """Make a mistake with some results, and keep what is seen if it is new.

        What it does to an experiment is not known.
        """
        sights, made_any = {}, False
        for name, probe in self._entry.probes.items():
            outcome = outcomes[name]
            if probe.observe != RESULT:
                sights[name] = UNTRIED
                continue
            made = None if outcome.tensor is None else slip.of(outcome.tensor, self._entry.axes)
            if made is not None:
                made_any = True
                outcome = replace(outcome, tensor=made, shape=tuple(made.shape))
            sights[name] = sight(self._entry, probe, outcome)
        new = _key({name: sights[name] for name in self._plain}) not in self._known_plain
        return made_any and new and self._keep(places, sights)

    def _keep(self, places: tuple[int, ...], sights: Sights) -> bool:
        key = _key(sights)
        tried = [one for one in sights.values() if one != UNTRIED]
        if not any(one.wrong for one in tried) or key in self._known:
            return False
        if len(places) == 1:
            self._known.add(key)
        self.found.append(places)
        self.kept.append(sights)
        return True


def _joined(alone: Sequence[Sight]) -> Sight:
    """What some mistakes show together, as far as it is known from each."""
    results = [one for one in alone if one.result]
    if len(results) > 1:
        return UNTRIED
    result = results[0] if results else RIGHT
    return Sight(result.result, result.numbers, frozenset().union(*(one.marks for one in alone)))


def _variants(task: authoring.Task, spans: Sequence[Sequence[Span]]) -> Mapping[str, list[int]]:
    """For each mistake, the places of the wrong answers that show it, small edits first."""
    places: dict[str, list[int]] = {}
    for place in sorted(range(len(spans)), key=lambda place: not _small(spans[place])):
        places.setdefault(task.wrong[place].fault, []).append(place)
    return places


def _together(
    variants: Mapping[str, list[int]], spans: Sequence[Sequence[Span]], faults: authoring.Faults
) -> Iterator[tuple[int, ...]]:
    """Places of wrong answers that can be made together: of some mistakes, the first that fit."""
    for group in (*combinations(variants, 2), *faults.together):
        if all(fault in variants for fault in group):
            fitting = (
                places
                for places in product(*(variants[fault] for fault in group))
                if fit([span for place in places for span in spans[place]])
            )
            yield from islice(fitting, 1)


def _small(spans: Sequence[Span]) -> bool:
    return all(span.start or not span.end for span in spans)


def _key(sights: Sights) -> tuple[object, ...]:
    """What two sights that are the same have in common, rounding aside."""
    return tuple(
        (one.result, one.marks, tuple(round(number, 4) for number in one.numbers)) for one in sights.values()
    )
