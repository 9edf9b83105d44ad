"""The search for known mistakes that explain an answer: one, two at once, or several independent ones.

The signature of an answer (see `failure_signatures`) describes its wrong outcome on one probe. The bank has
the signatures of all known mistakes, alone and in pairs: a row of its table is an *explanation*. A mistake is
named if its signatures equal the answer's on every probe. If there is no such mistake, one may be named that
explains all wrong outcomes of one check; it is then reported as a part of the explanation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import torch
from torch import Tensor

from autograder.experiments.registry import is_telling
from autograder.judge.failure_signatures import (
    APART,
    CLOSE,
    EXTRA,
    LACKS,
    RAISES,
    RESHAPED,
    ROUNDING,
    UNCALLED,
    UNTRIED,
    FailureSignature,
    failure_signature,
)
from autograder.records.answer_findings import Shown
from autograder.records.bank import RESULT, KnownWrong, SignatureTable, Task
from autograder.records.run_outcome import ErrorReport, Outcome

MOST_MISTAKES = 3

# Errors that speak for themselves, by their types and by their messages. No known mistake is read from them.
SLIPS = (
    *("NameError", "UnboundLocalError", "KeyError", "ImportError", "ModuleNotFoundError"),
    *("SyntaxError", "IndentationError", "TabError"),
)
SLIP = re.compile(
    r"has no attribute|is not (callable|subscriptable|iterable)|invalid literal|list index out of range"
    r"|unexpected keyword argument|missing \d+ required positional|unsupported operand type"
    r"|takes \d+ positional arguments? but"
)


class Relation(IntEnum):
    """The relation between an explanation's signature and the answer's on one probe."""

    RIGHT = 0
    UNTRIED = 1  # nobody knows what the mistakes show there together
    OTHER = 2
    LIKE = 3  # wrong in the same places by other numbers, or an error about the same sizes
    SAME = 4


@dataclass(frozen=True)
class MatchedMistakes:
    """The known mistakes that match an answer, and the probes and marks that they explain."""

    wrong: tuple[KnownWrong, ...] = ()  # one for each mistake, in the order in which they were found
    results: frozenset[str] = frozenset()  # probes whose wrong result is explained
    marks: frozenset[tuple[str, str]] = frozenset()  # explained marks, as (probe, mark)
    exact: frozenset[str] = frozenset()  # probes on which the very same numbers come out
    whole: bool = False  # whether they explain everything that was seen
    shown: Shown = ""


# A thing that is wrong with an answer: a probe with "" for its result, or with one of its marks.
Cell = tuple[str, str]


def explain(
    task: Task, outcomes: Mapping[str, Outcome], reached: Collection[str] | None = None
) -> MatchedMistakes:
    """Return the known mistakes that explain an answer's outcomes.

    Args:
        task: the task, with the bank's table of explanations.
        outcomes: the answer's outcomes by probe.
        reached: the names of the solution's steps that the answer takes; None if it was not traced.
    """
    table = task.explanations
    if table is None or not len(table.members) or not outcomes:
        return MatchedMistakes()
    seen = {
        name: failure_signature(task, task.probe[name], outcomes[name])
        for name in table.probes
        if name in outcomes
    }
    if not any(signature.wrong for signature in seen.values()):
        return MatchedMistakes()
    # To be refused in another way than asked for is a mistake like others.
    plain = {name for name in seen if task.probe[name].observe == RESULT and not task.probe[name].raises}
    if any(_is_slip(outcomes[name].error) for name in plain):
        return MatchedMistakes()
    search = _Search(task, _compare(task, table, seen), seen, reached)
    return search.whole() or search.together() or search.part()


def _is_slip(error: ErrorReport | None) -> bool:
    """Tell whether an error comes from a slip of the pen, which says nothing of what was meant."""
    return error is not None and (error.type in SLIPS or bool(SLIP.search(error.message)))


@dataclass(frozen=True)
class _Comparison:
    """The explanations that no probe rules out, compared with what was seen of one answer.

    Shapes:
        members: (explanations, mistakes)
        relation, same_marks: (explanations, probes)
        shows: (explanations,) for each mark of the answer
        may_show: (explanations,), whether one that was not tried there may show it
        contradicted: (explanations,), whether one stops, or gives another shape, where the answer does not
    """

    members: Tensor
    relation: Tensor
    same_marks: Tensor
    shows: Mapping[Cell, Tensor]
    may_show: Mapping[Cell, Tensor]
    contradicted: Tensor


def _compare(task: Task, table: SignatureTable, seen: Mapping[str, FailureSignature]) -> _Comparison:
    """Compare all explanations with an answer, and leave out those that a probe rules out."""
    cells = table.cells[:, [table.probes.index(name) for name in seen]].long()
    own_marks = [
        torch.tensor([set(marks) <= signature.marks for marks in table.marks]) for signature in seen.values()
    ]
    relations = [_relations(table, signature) for signature in seen.values()]
    relation = torch.stack([column[cells[:, at]] for at, column in enumerate(relations)], dim=1)
    # Marks that the answer has not rule an explanation out, except where an error came before them.
    mark = table.mark.long()
    untried = relation == Relation.UNTRIED
    hidden = torch.tensor(
        [_raises(signature.result) or signature.result == UNCALLED for signature in seen.values()]
    )
    within = torch.stack([within[mark[cells[:, at]]] for at, within in enumerate(own_marks)], dim=1)
    relation = torch.where(
        _excused(task, table, seen, relation, cells), torch.tensor(Relation.RIGHT), relation
    )
    own_right = torch.tensor([not signature.result for signature in seen.values()])
    possible = ~_ruled_out(table, relation, untried, own_right, within | hidden)
    may_show = {
        (name, own): untried[possible, at] & _may_show(table, mark[cells[:, at]], own)[possible]
        for at, (name, signature) in enumerate(seen.items())
        for own in signature.marks
    }
    members, relation, cells = table.members[possible], relation[possible], cells[possible]
    marks_seen = [tuple(sorted(signature.marks)) for signature in seen.values()]
    places = {marks: index for index, marks in enumerate(table.marks)}
    same_marks = mark[cells] == torch.tensor([places.get(marks, -1) for marks in marks_seen])
    shows = {
        (name, own): torch.tensor([own in marks for marks in table.marks])[mark[cells[:, at]]]
        for at, (name, signature) in enumerate(seen.items())
        for own in sorted(signature.marks)
    }
    # The same entries are wrong, by other numbers: enough for a mistake with a number in it that may be any,
    # or that draws numbers.
    varies = torch.tensor([*(mistake.varies for mistake in task.known_wrong), False])[members.long()]
    alone = (members >= 0).sum(dim=1) == 1
    loosely = torch.stack(
        [
            _in_place(task, table, name, signature)[cells[:, at]]
            for at, (name, signature) in enumerate(seen.items())
        ],
        dim=1,
    )
    loosely &= (alone & varies[:, 0])[:, None] & same_marks & (relation == Relation.OTHER)
    relation = torch.where(loosely, torch.tensor(Relation.LIKE), relation)
    contradicted = torch.stack(
        [
            _contradicts(task, table, name, signature)[cells[:, at]]
            for at, (name, signature) in enumerate(seen.items())
        ],
        dim=1,
    )
    contradicted &= relation == Relation.OTHER
    return _Comparison(members, relation, same_marks, shows, may_show, contradicted.any(dim=1))


def _ruled_out(
    table: SignatureTable, relation: Tensor, untried: Tensor, own_right: Tensor, marks_fit: Tensor
) -> Tensor:
    """Tell which explanations a probe rules out, of shape (explanations,).

    relation, untried, marks_fit: of shape (explanations, probes); own_right: of shape (probes,).
    """
    ruled_out = ((relation == Relation.OTHER) & own_right).any(dim=1)
    # Mistakes of which each shows alone do not come out right together.
    several = (table.members >= 0).sum(dim=1) > 1
    ruled_out |= several & (untried & own_right).any(dim=1)
    return ruled_out | ~(marks_fit | untried).all(dim=1)


def _contradicts(task: Task, table: SignatureTable, name: str, signature: FailureSignature) -> Tensor:
    """Tell which sights no second mistake turns into what was seen: an error, or another shape.

    Shape (sights,). What an answer shows where it stops itself, or in an experiment, contradicts nothing.
    """
    probe = task.probe[name]
    expected = probe.expected.tensor
    if not signature.result or _raises(signature.result) or not probe.shows_results or expected is None:
        return torch.zeros(len(table.kind), dtype=torch.bool)
    harmless = {"", UNTRIED.result, str(tuple(expected.shape)), signature.result}
    return torch.tensor([result not in harmless for result, _ in table.kinds])[table.kind.long()]


def _may_show(table: SignatureTable, mark: Tensor, name: str) -> Tensor:
    """Tell which explanations may show a mark where they were not tried. Shape (explanations,).

    A parameter that is missing, or one too many, comes of a mistake that shows it alone.
    """
    members = table.members.long()
    if not name.startswith((LACKS, EXTRA, RESHAPED)):
        return torch.ones(len(members), dtype=torch.bool)
    alone = (members >= 0).sum(dim=1) == 1
    shown = torch.tensor([name in marks for marks in table.marks])[mark]
    return torch.isin(members, members[alone & shown, 0]).any(dim=1)


def _relations(table: SignatureTable, signature: FailureSignature) -> Tensor:
    """Return how each sight of the table is related to what was seen on a probe. Shape (sights,)."""
    kind = table.kind.long()
    results = [result for result, _ in table.kinds]
    relation = torch.full((len(kind),), int(Relation.OTHER))
    if signature.result:
        if _raises(signature.result):
            like = torch.tensor([_is_same_error(result, signature.result) for result in results])[kind]
            relation[like] = Relation.LIKE
        # Of the same kind are few: only their numbers are looked at.
        rows = torch.tensor([result == signature.result for result in results])[kind].nonzero().flatten()
        numbers = torch.tensor(signature.numbers or (0.0,) * table.numbers.shape[1], dtype=torch.float64)
        near = (CLOSE * (1 + numbers.abs())).minimum(
            (ROUNDING * (1 + numbers.abs())).clamp_min(APART * signature.apart)
        )
        same = ((table.numbers[rows] - numbers).abs() <= near).all(dim=1)
        relation[rows[same]] = Relation.SAME
    relation[kind == 0] = Relation.RIGHT
    relation[torch.tensor([result == UNTRIED.result for result in results])[kind]] = Relation.UNTRIED
    return relation


def _in_place(task: Task, table: SignatureTable, name: str, signature: FailureSignature) -> Tensor:
    """Tell which sights are wrong in the same places, or of the same shape where numbers are drawn."""
    drawn = task.probe[name].train
    fits = [
        result == signature.result and (drawn or places == signature.places) for result, places in table.kinds
    ]
    return torch.tensor([bool(signature.result) and fit for fit in fits])[table.kind.long()]


def _excused(
    task: Task, table: SignatureTable, seen: Mapping[str, FailureSignature], relation: Tensor, cells: Tensor
) -> Tensor:
    """Tell where an explanation fails in an experiment for its wording only. Shape (explanations, probes).

    Where a mistake shows by its numbers, an experiment may stop in one wording and not in another.
    """
    raising = torch.tensor([_raises(result) for result, _ in table.kinds])[table.kind.long()][cells]
    plain = torch.tensor([task.probe[name].shows_results for name in seen])
    telling = torch.tensor([_is_telling(task, name, signature) for name, signature in seen.items()])
    by_numbers = ((relation == Relation.SAME) & telling).any(dim=1, keepdim=True)
    own_right = torch.tensor([not signature.result for signature in seen.values()])
    return raising & ~plain & own_right & by_numbers


def _is_telling(task: Task, name: str, signature: FailureSignature) -> bool:
    """Tell whether a wrong result says by its numbers what led there; an error or zeros say little."""
    return is_telling(task.probe[name]) and bool(signature.numbers) and not signature.silent


class _Search:
    """The search for the explanation of one answer among those that no probe rules out."""

    def __init__(
        self,
        task: Task,
        compared: _Comparison,
        seen: Mapping[str, FailureSignature],
        reached: Collection[str] | None,
    ) -> None:
        self._task = task
        self._members = compared.members
        self._contradicted = compared.contradicted
        self._size = (compared.members >= 0).sum(dim=1)
        results = [(name, "") for name, signature in seen.items() if signature.result]
        self.cells: list[Cell] = [*results, *compared.shows]
        wrong = torch.tensor([bool(signature.result) for signature in seen.values()], dtype=torch.bool)
        columns = [compared.relation[:, wrong]]
        for (name, mark), shown in compared.shows.items():
            column = torch.where(shown, int(Relation.SAME), int(Relation.RIGHT))
            column[~shown & compared.may_show[name, mark]] = int(Relation.UNTRIED)
            columns.append(column[:, None])
        # What each explanation shows in place of each thing that is wrong. Shape (explanations, cells)
        self._relation = torch.cat(columns, dim=1)
        self._results = torch.tensor([not mark for _, mark in self.cells], dtype=torch.bool)
        self._telling = torch.tensor(
            [not mark and _is_telling(task, name, seen[name]) for name, mark in self.cells], dtype=torch.bool
        )
        stops = torch.tensor(
            [not mark and _raises(seen[name].result) for name, mark in self.cells], dtype=torch.bool
        )
        self._stops = stops
        expected = (task.probe[name].expected.tensor for name, mark in self.cells if not mark)
        self._in_whole_numbers = all(tensor is None or not tensor.is_floating_point() for tensor in expected)
        self._silent = torch.tensor([not mark and seen[name].silent for name, mark in self.cells])
        self._experiments = torch.tensor([not task.probe[name].shows_results for name, _ in self.cells])
        self._same_marks = compared.same_marks.sum(dim=1)
        # What a single mistake says of itself: its numbers, and that it takes what must be refused.
        refusals = [not mark and bool(task.probe[name].raises) for name, mark in self.cells]
        self._plainly = self._telling | torch.tensor(refusals, dtype=torch.bool)
        # An explanation that shows nothing that the answer does not show. Beside an error it stops there too.
        self._consistent = (compared.relation != Relation.OTHER).all(dim=1)
        self._consistent &= (self._relation[:, stops] >= Relation.LIKE).all(dim=1)
        # Of several mistakes, one that is read from nan or zeros alone is no mistake that was seen: many lead
        # there.
        ended = self._silent & ~self._experiments
        covered = ((self._relation >= Relation.LIKE) | ended).all(dim=1)
        by_numbers = ((self._relation == Relation.SAME) & self._telling).any(dim=1)
        alone = (self._size == 1) & covered & by_numbers
        self._allowed = (self._size == 1) | ~alone.any()
        self._consistent &= self._allowed
        route = task.route
        if route is not None and reached is not None:
            cell = (route.probe, "")
            if cell in self.cells and bool(stops[self.cells.index(cell)]):
                self._consistent &= self._stops_as_far(reached)

    def _stops_as_far(self, reached: Collection[str]) -> Tensor:
        """Tell which explanations may stop in the step in which the answer stops. Shape (explanations,)."""
        reached_steps = [wrong.reaches for wrong in self._task.known_wrong]
        fits = torch.tensor([*(steps is None or set(steps) == set(reached) for steps in reached_steps), True])
        return fits[self._members[:, 0].long()] | (self._size > 1)

    def whole(self) -> MatchedMistakes | None:
        """Return mistakes that together explain all that is wrong; None if there are none."""
        shown = (self._relation != Relation.RIGHT).all(dim=1)
        rows = self._best(self._consistent & shown & self._told(list(range(len(self.cells)))))
        common, differ = self._common_faults(rows)
        if not common:
            return None
        if differ:
            # Several explanations fit equally well: only what they have in common can be said.
            return self._explained(common.values(), set(), set())
        covered, exact = self._agreement(rows, untried=True)
        return self._explained(common.values(), covered, exact, self._shown(rows, covered), whole=True)

    def together(self) -> MatchedMistakes | None:
        """Return independent mistakes, each of which explains a different part of all that is wrong."""
        named: dict[str, KnownWrong] = {}
        covered: set[int] = set()
        exact: set[int] = set()
        for _ in range(MOST_MISTAKES):
            uncovered = [index for index in range(len(self.cells)) if index not in covered]
            if not uncovered:
                break
            rows = self._best(self._consistent & self._told(uncovered, strictly=bool(named)), uncovered)
            common, differ = self._common_faults(rows)
            if not common or differ:
                return None
            agreed, same = self._agreement(rows)
            if not agreed - covered:
                return None
            named |= common
            covered |= agreed
            exact |= same
        if len(covered) < len(self.cells):
            return None
        return self._explained(named.values(), covered, exact, "likeness", whole=True)

    def part(self) -> MatchedMistakes:
        """Return mistakes of which each explains all that is wrong in at least one check, by its numbers.

        The first explanation may combine several mistakes. If another check is wrong where these have no
        effect, a further mistake may explain it alone, provided that it has no effect where the first ones
        do.
        """
        named: dict[str, KnownWrong] = {}
        covered: set[int] = set()
        exact: set[int] = set()
        candidates = set(range(len(self.cells)))
        shown: Shown = ""
        for _ in range(MOST_MISTAKES):
            rows = self._of_a_check(covered, candidates)
            common, differ = self._common_faults(rows)
            if not common or differ or common.keys() & named.keys():
                break
            agreed, same = self._agreement(rows)
            shown = "likeness" if named else self._shown(rows, agreed)
            named |= common
            covered |= agreed
            exact |= same
            silent = (self._relation[rows] == Relation.RIGHT).all(dim=0)
            candidates &= set(silent.nonzero().flatten().tolist())
        return self._explained(named.values(), covered, exact, shown) if named else MatchedMistakes()

    def _of_a_check(self, covered: Collection[int], candidates: AbstractSet[int]) -> list[int]:
        """Return the explanations that show all that is wrong in some checks, of which all is `candidates`.

        Beside those that are named already, only a single mistake that shows nothing of what is `covered`.
        """
        checks = [
            [index for index, (name, _) in enumerate(self.cells) if name in check.probes]
            for check in self._task.checks
        ]
        agrees = self._relation >= Relation.LIKE
        count = torch.zeros(len(agrees), dtype=torch.long)
        same = torch.zeros(len(agrees), dtype=torch.long)
        for places in checks:
            if places and candidates >= set(places):
                whole_check = agrees[:, places].all(dim=1)
                count += whole_check
                plainly = self._relation[:, [index for index in places if self._plainly[index]]]
                same += whole_check * (plainly == Relation.SAME).sum(dim=1)
        # Most numbers must be theirs: of several mistakes, and where whole numbers agree by chance.
        enough = 2 * self._exact(range(len(self.cells))) > int(self._telling.sum())
        if not self._in_whole_numbers:
            enough |= self._size == 1
        # A cause that one check suggests and another contradicts is none.
        enough &= self._allowed & ~self._contradicted
        if covered:
            beside = self._relation[:, list(covered)]
            enough &= (self._size == 1) & (beside <= Relation.UNTRIED).all(dim=1)
        return self._of_one_part(self._first((count > 0) & (same > 0) & enough, same, count, -self._size))

    def _of_one_part(self, rows: list[int]) -> list[int]:
        """Return those of some explanations that show the same as the first, if the others show none of it.

        Two mistakes in two checks explain as much as each other, and are named one after the other.
        """
        shows = self._relation[rows] > Relation.UNTRIED
        if not rows or bool((shows & shows[0] & (shows != shows[0]).any(dim=1, keepdim=True)).any()):
            return rows
        return [row for row, own in zip(rows, shows, strict=True) if torch.equal(own, shows[0])]

    def _told(self, places: Sequence[int], strictly: bool = False) -> Tensor:
        """Tell which explanations have something to say for them in some cells. Shape (explanations,).

        Of several mistakes it must be numbers: only one mistake is known by nan alone, by zeros, by an error
        or by an experiment, for many two lead there. Where a result is wrong, no mark says why.
        """
        results = [index for index in places if self._results[index]]
        relation = self._relation[:, results or list(places)]
        telling = self._telling[results or list(places)]
        by_numbers = ((relation == Relation.SAME) & telling).any(dim=1)
        least = Relation.SAME if strictly else Relation.LIKE
        alone = (self._size == 1) & (relation >= least).any(dim=1)
        if not results:
            alone = (relation >= least).any(dim=1)
        return by_numbers | alone

    def _best(self, candidates: Tensor, places: Sequence[int] = ()) -> list[int]:
        """Return the explanations that show most of some cells, by the fewest mistakes."""
        chosen = list(places) or list(range(len(self.cells)))
        agreeing = (self._relation[:, chosen] >= Relation.LIKE).sum(dim=1)
        untried = (self._relation[:, chosen] == Relation.UNTRIED).sum(dim=1)
        same = (self._relation[:, chosen] == Relation.SAME).sum(dim=1)
        ranks = (self._exact(chosen), agreeing, -self._size, untried, same, self._same_marks)
        return self._first(candidates, *ranks)

    def _exact(self, places: Collection[int]) -> Tensor:
        """Count the results among some cells whose very numbers an explanation has. Shape (explanations,)."""
        telling = [index for index in places if self._telling[index]]
        return (self._relation[:, telling] == Relation.SAME).sum(dim=1)

    @staticmethod
    def _first(candidates: Tensor, *ranks: Tensor) -> list[int]:
        """Return the candidates that are first by the first rank, of these by the next one, and so on."""
        rows = candidates.nonzero().flatten()
        for rank in ranks:
            if len(rows):
                own = rank[rows]
                rows = rows[own == own.max()]
        places: list[int] = rows.tolist()
        return places

    def _common_faults(self, rows: Sequence[int]) -> tuple[dict[str, KnownWrong], bool]:
        """Return the mistakes that some explanations share, by their ids, and whether one has more."""
        mistakes = self._task.known_wrong
        members = [[mistakes[index] for index in self._members[row].tolist() if index >= 0] for row in rows]
        faults = [{wrong.id: wrong for wrong in combination} for combination in members]
        shared = set.intersection(*map(set, faults)) if faults else set()
        common = {name: wrong for name, wrong in faults[0].items() if name in shared} if faults else {}
        return common, any(len(names) > len(common) for names in faults)

    def _agreement(self, rows: Sequence[int], untried: bool = False) -> tuple[set[int], set[int]]:
        """Return the cells that all of some explanations show, and those of them with the very numbers."""
        relation = self._relation[list(rows)]
        agrees = relation >= Relation.LIKE
        if untried:
            agrees = agrees | (relation == Relation.UNTRIED)
        same = (relation == Relation.SAME).all(dim=0) & self._telling
        return set(agrees.all(dim=0).nonzero().flatten().tolist()), set(same.nonzero().flatten().tolist())

    def _shown(self, rows: Sequence[int], places: Collection[int]) -> Shown:
        """Return what is proven of some explanations where they agree with the answer.

        Of several mistakes, one may show in an experiment alone, which is no proof.
        """
        results = [index for index in places if self._results[index]]
        telling = [index for index in results if self._telling[index]]
        same = bool((self._relation[list(rows)][:, results] == Relation.SAME).all())
        several = bool((self._size[list(rows)] > 1).any())
        if telling:
            tried = several and any(self._experiments[index] for index in results)
            return "same" if same and not tried else "likeness"
        if any(self._stops[index] for index in results):
            return "stops"
        if any(self._silent[index] and not self._experiments[index] for index in results):
            return "ending"
        return "likeness" if any(self._experiments[index] for index in results) else ""

    def _explained(
        self,
        wrong: Iterable[KnownWrong],
        covered: set[int],
        exact: set[int],
        shown: Shown = "",
        whole: bool = False,
    ) -> MatchedMistakes:
        cells = [self.cells[index] for index in sorted(covered)]
        return MatchedMistakes(
            tuple(wrong),
            frozenset(name for name, mark in cells if not mark),
            frozenset(cell for cell in cells if cell[1]),
            frozenset(self.cells[index][0] for index in exact),
            whole,
            shown,
        )


def _raises(result: str) -> bool:
    return result.startswith(RAISES)


def _is_same_error(known_result: str, result: str) -> bool:
    """Tell whether two errors are of one type and about the same sizes, in whatever words."""
    if not (_raises(known_result) and _raises(result)):
        return False
    sizes = _sizes(known_result)
    return bool(sizes[1]) and sizes == _sizes(result)


@lru_cache(maxsize=4096)
def _sizes(result: str) -> tuple[str, tuple[str, ...]]:
    """Return the type of an error, and the numbers in what it says, sorted."""
    kind, _, message = result.partition(":")
    return kind, tuple(sorted(re.findall(r"\d+", message)))
