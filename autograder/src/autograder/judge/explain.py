"""Which known mistakes explain an answer: one, two at once, or several that leave each other alone.

What is wrong with an answer on one probe is its *sight*: short enough to be kept for every pair of mistakes,
and equal for two answers that do the same. A known mistake explains an answer where both look the same, and
is ruled out by a probe on which the answer is right and the mistake is not. What one mistake leaves
unexplained is looked at again by itself.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from torch import Tensor

from autograder.records.bank import RESULT, Explanations, KnownWrong, Probe, Task
from autograder.records.compare import close, dtype_fits, looks_rounded, narrower, type_fits
from autograder.records.outcome import ErrorReport, Outcome

NUMBERS = 3  # of a result that are kept
# Two routes to one result differ by rounding; two results that differ at all differ by far more.
CLOSE = 3e-5
# What is stored for a result that holds nan or inf, so that it still has numbers to compare.
NAN, ABOVE, BELOW = 17.0, 19.0, -23.0
MOST_MISTAKES = 3
# A result is nearly right that is off by less than this share of its largest number.
NEARLY = 6e-3

# Errors that speak for themselves, by their types and by their messages. No known mistake is read from them.
SLIPS = (
    *("NameError", "UnboundLocalError", "KeyError", "ImportError", "ModuleNotFoundError"),
    *("SyntaxError", "IndentationError"),
)
SLIP = re.compile(
    r"has no attribute|is not (callable|subscriptable|iterable)|invalid literal|list index out of range"
    r"|unexpected keyword argument|missing \d+ required positional|unsupported operand type"
)

UNCALLED = "not called"
REFUSED_OTHERWISE = "refused as "
LACKS, EXTRA, RESHAPED = "lacks ", "extra ", "shape of "


@dataclass(frozen=True)
class Sight:
    """What is wrong with an answer on one probe."""

    result: str = ""  # the kind of wrong result: its shape, its type or what was raised; "" for a right one
    places: str = ""  # where a result of the right shape is wrong
    numbers: tuple[float, ...] = ()  # a result's numbers in short
    marks: frozenset[str] = frozenset()  # what is wrong beside it: "changes x" or "lacks kernel.weight", say

    @property
    def wrong(self) -> bool:
        return bool(self.result or self.marks)

    @property
    def silent(self) -> bool:
        """Tell whether a result's numbers are all nan, or all 0: many mistakes lead there."""
        return bool(self.numbers) and self.numbers[-1] in (NAN, 0.0)


RIGHT = Sight()
# Two mistakes at once, each of which shows here alone: whatever they show together is taken for theirs.
UNTRIED = Sight("untried")


@dataclass(frozen=True)
class Explained:
    """The mistakes that were recognised, and what they explain."""

    wrong: tuple[KnownWrong, ...] = ()  # one for each mistake, in the order in which they were found
    results: frozenset[str] = frozenset()  # probes whose wrong result is explained
    marks: frozenset[tuple[str, str]] = frozenset()  # explained marks, as (probe, mark)


def sight(task: Task, probe: Probe, outcome: Outcome) -> Sight:
    """Return what is wrong with an outcome on a probe, in short."""
    if outcome.uncalled is not None:
        return Sight(UNCALLED)
    if probe.raises:
        if outcome.error is None:
            return Sight("accepted")
        proper = outcome.error.is_one_of(probe.raises)
        return RIGHT if proper else Sight(marks=frozenset({REFUSED_OTHERWISE + outcome.error.type}))
    marks = frozenset(_marks(task, probe, outcome))
    if outcome.error is not None:
        return Sight(f"raises {outcome.error.type}: {_template(outcome.error.message)}", marks=marks)
    if outcome.tensor is None:
        return Sight(f"{outcome.type_name} {outcome.shape}", marks=marks)
    expected = probe.expected.tensor
    shape = str(tuple(outcome.tensor.shape))
    if expected is None or expected.shape != outcome.tensor.shape:
        return Sight(shape, "", numbers_of(outcome.tensor), marks)
    wrong = ~close(outcome.tensor, expected)
    if not bool(wrong.any()):
        return Sight(marks=marks)
    places = _places(outcome.tensor, expected, wrong, probe.observe == RESULT)
    return Sight(shape, places, numbers_of(outcome.tensor), marks)


def numbers_of(tensor: Tensor) -> tuple[float, ...]:
    """Return a tensor in three numbers that hardly any two tensors share: two sums, and its size."""
    flat = tensor.detach().double().flatten().nan_to_num(nan=NAN, posinf=ABOVE, neginf=BELOW)
    count = flat.numel()
    if not count:
        return (0.0,) * NUMBERS
    sums = _directions(count) @ flat / math.sqrt(count)
    return (*sums.tolist(), float(flat.square().mean().sqrt()))


def _places(actual: Tensor, expected: Tensor, wrong: Tensor, is_result: bool) -> str:
    """Where a result is wrong, in short: in which rows or entries; or that it is nearly right everywhere."""
    one, right = actual.double(), expected.double()
    if is_result and looks_rounded(one, right):
        return "rounded"
    if is_result and float((one - right).abs().max()) < NEARLY * float(right.abs().max()):
        return "nearly"
    if wrong.ndim < 2:
        return ",".join(str(place) for place in wrong.flatten().nonzero().flatten()[:12].tolist())
    return hashlib.blake2s(bytes(wrong.any(dim=-1).flatten().tolist()), digest_size=3).hexdigest()


def explain(task: Task, outcomes: Mapping[str, Outcome]) -> Explained:
    """Return the known mistakes that explain what an answer did on the probes it was tried on."""
    table = task.explanations
    if table is None or not len(table.members):
        return Explained()
    seen = {name: sight(task, task.probe[name], outcomes[name]) for name in table.probes if name in outcomes}
    plain = [name for name in seen if task.probe[name].observe == RESULT]
    if any(_is_slip(outcomes[name].error) and not seen[name].marks for name in plain):
        return Explained()
    table = _as_stopped(task, _uncontradicted(task, table, seen), seen)
    if not len(table.members):
        return Explained()
    compared = _Compared(task, table, seen)
    left = _Cells(
        {name for name, one in seen.items() if one.result},
        {(name, mark) for name, one in seen.items() for mark in one.marks},
    )
    found: dict[str, KnownWrong] = {}
    done = _Cells(set(), set())
    asked = _first_failing(task, left)
    while left and len(found) < MOST_MISTAKES:
        rows = compared.best(left, asked if not found else ())
        if not rows and not found:
            rows = compared.best(left)
        rows = rows or compared.partly(left)
        if not rows and not found:
            rows = compared.nearly(left, outcomes)
        members = [[place for place in table.members[row].tolist() if place >= 0] for row in rows]
        faults = [
            {task.known_wrong[place].id: task.known_wrong[place] for place in places} for places in members
        ]
        common = set.intersection(*map(set, faults)) if faults else set()
        if not common - set(found):
            break  # nothing fits, or several mistakes fit equally well
        found |= {name: wrong for name, wrong in faults[0].items() if name in common}
        # Of mistakes that fit equally well, what they have in common explains what it does without the rest.
        if any(len(one) > len(common) for one in faults):
            rows = compared.rows_of(common, task) or rows
        explained = [compared.explained(row, left) for row in rows]
        results = set.intersection(*(one.results for one in explained))
        marks = set.intersection(*(one.marks for one in explained))
        if not results and not marks:
            break
        done = _Cells(done.results | results, done.marks | marks)
        # Where a mistake shows otherwise than it does alone, no other mistake alone explains that.
        left = _Cells(left.results - compared.touched(rows), left.marks - marks)
    return Explained(tuple(found.values()), frozenset(done.results), frozenset(done.marks))


def _uncontradicted(task: Task, table: Explanations, seen: Mapping[str, Sight]) -> Explanations:
    """Return a table without the rows that a probe rules out, whatever else they show.

    These are most rows of most tables, so that only what is left need be looked at closely.
    """
    raising = torch.tensor([_raises(result) for result, _ in table.kinds])
    untried = torch.tensor([result == UNTRIED.result for result, _ in table.kinds])
    right, kind, mark = table.kind == 0, table.kind.long(), table.mark.long()
    ruled_out = torch.zeros(len(table.members), dtype=torch.bool)
    for column, name in enumerate(table.probes):
        if name not in seen:
            continue
        one, never = seen[name], torch.zeros_like(right)
        if not one.result:
            never = ~right
            if task.probe[name].observe != RESULT:
                # Whether an experiment fails may hang on the wording: other results have the last word.
                never &= ~raising[kind]
        # What was raised hides everything else.
        if not _raises(one.result) and one.result != UNCALLED:
            never |= torch.tensor([not set(marks) <= one.marks for marks in table.marks])[mark]
        ruled_out |= (never & ~untried[kind])[table.cells[:, column].long()]
    return replace(table, members=table.members[~ruled_out], cells=table.cells[~ruled_out])


def _is_slip(error: ErrorReport | None) -> bool:
    """Tell whether an error comes from a slip of the pen, which says nothing of what was meant."""
    return error is not None and (error.type in SLIPS or bool(SLIP.search(error.message)))


def _as_stopped(task: Task, table: Explanations, seen: Mapping[str, Sight]) -> Explanations:
    """Return, of an answer that never gives a result, the rows that stop with the same errors everywhere.

    Of any other answer, all rows: its results tell more than what it raises.
    """
    plain = [name for name in seen if task.probe[name].observe == RESULT and not task.probe[name].raises]
    stops = [name for name in seen if _raises(seen[name].result)]
    if not stops or not set(plain) <= set(stops):
        return table
    kinds = {kind: place for place, kind in enumerate(table.kinds)}
    columns = [table.probes.index(name) for name in stops]
    own = torch.tensor([kinds.get((seen[name].result, ""), -2) for name in stops])
    same = (table.kind.long()[table.cells[:, columns].long()] == own).all(dim=1)
    return replace(table, members=table.members[same], cells=table.cells[same])


@dataclass(frozen=True)
class _Cells:
    """What is wrong, or a part of it: probes with a wrong result, and marks on probes."""

    results: set[str]
    marks: set[tuple[str, str]]

    def __bool__(self) -> bool:
        return bool(self.results or self.marks)


class _Compared:
    """The explanations that are left of a task's, compared with what was seen of one answer."""

    def __init__(self, task: Task, table: Explanations, seen: Mapping[str, Sight]) -> None:
        self._task = task
        self._table = table
        self._seen = seen
        self._places = {name: place for place, name in enumerate(seen)}
        kinds = {kind: place for place, kind in enumerate(table.kinds)}
        asked = list(seen.values())
        kind, self._mark, numbers = table.on(list(seen))
        untried = kind == kinds.get((UNTRIED.result, ""), -1)
        right = kind == 0
        own_kind = torch.tensor([kinds.get((one.result, one.places), -2) for one in asked])
        own = torch.tensor([one.numbers or (0.0,) * NUMBERS for one in asked], dtype=torch.float64).reshape(
            -1, NUMBERS
        )
        shapes = {result: place for place, (result, _) in enumerate(table.kinds)}
        shape = torch.tensor([shapes[result] for result, _ in table.kinds])[kind.long()]
        own_shape = torch.tensor([shapes.get(one.result, -2) for one in asked])
        self._own, self._numbers, self._same_shape = own, numbers, shape == own_shape
        same = self._same_shape & ((numbers - own).abs() <= CLOSE * (1 + own.abs())).all(dim=2)
        self._exact = same & ~right
        own_right = torch.tensor([not one.result for one in asked], dtype=torch.bool)
        observes = [task.probe[name].observe for name in seen]
        self._plain = torch.tensor([observe == RESULT for observe in observes], dtype=torch.bool)
        self._silent = torch.tensor([one.silent for one in asked], dtype=torch.bool)
        self._raised = torch.tensor([_raises(one.result) for one in asked], dtype=torch.bool)
        # Columns are probes that were seen, rows explanations.
        # Where a mistake makes some calls fail and not others, what exactly is raised hangs on the wording.
        raising = torch.tensor([_raises(result) for result, _ in table.kinds])[kind.long()]
        same |= raising & self._raised & ~(raising | ~right).all(dim=1, keepdim=True)
        # The same entries are wrong, by other numbers: enough for a mistake with a number in it that may
        # be any, or that draws numbers.
        varies = torch.tensor([*(one.varies for one in task.known_wrong), False])[table.members.long()]
        drawn = torch.tensor([task.probe[name].train for name in seen], dtype=torch.bool)
        alone = (table.members >= 0).sum(dim=1, keepdim=True) == 1
        self._in_place = kind == own_kind
        in_place = self._in_place | drawn & (shape == own_shape)
        places = {marks: place for place, marks in enumerate(table.marks)}
        own_mark = torch.tensor([places.get(tuple(sorted(one.marks)), -2) for one in asked])
        self._same_marks = self._mark == own_mark
        loosely = in_place & alone & varies[:, :1] & self._same_marks
        self._loosely = loosely & ~same
        same |= loosely
        self._agrees = (same | untried) & ~right & ~own_right
        self._differs = ~same & ~right & ~untried
        # Where a mistake shows by its numbers, an experiment may fail in one wording and not in another.
        by_numbers = (self._exact & self._plain & ~self._silent & ~self._raised).any(dim=1, keepdim=True)
        contradicts = ~right & own_right & ~(raising & ~self._plain & by_numbers)
        self._possible = ~(contradicts & ~untried).any(dim=1)
        self._untried = untried
        self._size = (table.members >= 0).sum(dim=1)

    def best(self, left: _Cells, asked: Collection[str] = ()) -> list[int]:
        """Return the rows that explain most of what is left, by the fewest mistakes.

        Where probes are asked about, all wrong results on them must be explained. Else nothing that a row
        shows may be otherwise.
        """
        possible = self._possible.clone()
        if not asked:
            possible &= ~self._differs.any(dim=1)
        wanted = [self._places[name] for name in asked if name in left.results]
        if wanted:
            possible &= self._agrees[:, wanted].all(dim=1)
        marks = self._marks(left)
        wanted_marks = [cell for cell in marks if cell[0] in asked]
        if not wanted:
            for cell in wanted_marks:
                possible &= marks[cell]
        columns = [self._places[name] for name in left.results]
        count = self._agrees[:, columns].sum(dim=1)
        # What nobody has tried agrees with anything, and says nothing by itself. What is left by one mistake
        # is laid to another only where the numbers agree.
        vague = self._untried if asked else self._untried | self._loosely
        told = self._agrees & ~vague
        # Only one mistake is known by nan alone, by zeros or by an experiment: many two lead there.
        told &= self._plain & ~self._silent | (self._size == 1)[:, None]
        told = told[:, wanted or columns].any(dim=1)
        for (name, _), shown in marks.items():
            count = count + shown
            told |= shown & ~self._untried[:, self._places[name]]
        possible &= told
        most = int(self._size.max()) + 1
        # What is raised, or nan throughout, says little of what led there.
        told_apart = ~(self._raised | self._silent)[columns]
        exact, same_words = (
            (self._exact[:, columns] & some).sum(dim=1) for some in (told_apart, ~told_apart)
        )
        # What is known by its numbers comes first, then what is known otherwise, then what nobody has tried.
        untried = (self._agrees & self._untried)[:, columns].sum(dim=1)
        base = len(columns) + len(marks) + 1
        score = ((exact * base + count - untried) * most + most - self._size) * base + untried
        score = score * base + same_words
        # A wrong size of a parameter shows whatever is raised.
        score = score * base + self._same_marks[:, columns].sum(dim=1)
        score = torch.where(possible, score, -1)
        return (score == score.max()).nonzero().flatten().tolist() if bool(possible.any()) else []

    def partly(self, left: _Cells) -> list[int]:
        """Return the rows whose numbers an answer shows: of one mistake on any probe, of several on most.

        Where another mistake shows as well, the numbers are others. Two results do not agree by chance; two
        single numbers may.
        """
        columns = [
            self._places[name]
            for name in left.results
            if self._task.probe[name].observe == RESULT
            and self._task.probe[name].expected.shape
            and self._seen[name].numbers
        ]
        exact = (self._exact[:, columns] & self._possible[:, None]).sum(dim=1)
        enough = exact > torch.where(self._size == 1, 0, len(columns) // 2)
        score = (
            exact * (len(columns) + 1) + self._in_place[:, columns].sum(dim=1)
        ) * MOST_MISTAKES - self._size
        score = torch.where(enough, score, -1)
        return (score == score.max()).nonzero().flatten().tolist() if bool(enough.any()) else []

    def nearly(self, left: _Cells, outcomes: Mapping[str, Outcome]) -> list[int]:
        """Return the rows of the fewest mistakes whose results an answer has, nearly or times a factor.

        A second mistake stands in the way then, such as half precision or a scale in another place.
        """
        plain = [
            name
            for name in left.results
            if self._task.probe[name].observe == RESULT and self._task.probe[name].expected.shape
        ]
        columns = [self._places[name] for name in plain]
        results = [outcomes[name].tensor for name in plain]
        # A factor fits any single number, and what stands for nan outweighs all others.
        if len(columns) < 2 or not all(one is not None and bool(one.isfinite().all()) for one in results):
            return []
        own, numbers = self._own[columns], self._numbers[:, columns].double()
        size, sizes = own.norm(dim=1), numbers.norm(dim=2)
        rough = (numbers - own).norm(dim=2) <= NEARLY * size
        in_step = (numbers * size[:, None] - own * sizes[:, :, None]).norm(dim=2) <= CLOSE * size * sizes
        untried = self._untried[:, columns]
        fits = (self._same_shape[:, columns] | untried).all(dim=1) & ((~untried).sum(dim=1) > 1)
        fits &= (rough | untried).all(dim=1) | (in_step | untried).all(dim=1)
        fits &= self._possible & (size > 0).all() & ((sizes > 0) | untried).all(dim=1)
        fewest = self._size[fits].min() if bool(fits.any()) else 0
        rows: list[int] = (fits & (self._size == fewest)).nonzero().flatten().tolist()
        return rows

    def touched(self, rows: Sequence[int]) -> set[str]:
        """Return the probes on which one of some rows shows a wrong result."""
        wrong = (self._agrees | self._differs)[rows].any(dim=0)
        return {name for name, place in self._places.items() if bool(wrong[place])}

    def rows_of(self, faults: Collection[str], task: Task) -> list[int]:
        """Return the possible rows of exactly these mistakes."""
        return [
            row
            for row in self._possible.nonzero().flatten().tolist()
            if {task.known_wrong[place].id for place in self._table.members[row].tolist() if place >= 0}
            == set(faults)
        ]

    def explained(self, row: int, left: _Cells) -> _Cells:
        """Return what is left that one row explains."""
        marks = self._marks(left)
        return _Cells(
            {name for name in left.results if bool(self._agrees[row, self._places[name]])},
            {cell for cell, shown in marks.items() if bool(shown[row])},
        )

    def _marks(self, left: _Cells) -> dict[tuple[str, str], Tensor]:
        """For each mark that is left, which rows show it."""
        found = {}
        for name, mark in sorted(left.marks):
            has = torch.tensor([mark in marks for marks in self._table.marks])
            shown = has[self._mark[:, self._places[name]].long()]
            found[name, mark] = shown | self._untried[:, self._places[name]]
        return found


def tabulate(members: Sequence[tuple[int, ...]], sights: Sequence[Mapping[str, Sight]]) -> Explanations:
    """Return what known wrong answers look like, in the form of the bank.

    `members` are, for each explanation, the places of its mistakes in the task's known wrong answers, and
    `sights` what is seen on each probe.
    """
    probes = list(sights[0]) if sights else []
    kinds: dict[tuple[str, str], int] = {("", ""): 0}
    marks: dict[tuple[str, ...], int] = {(): 0}
    # As single numbers first: what differs by rounding is one sight.
    rows = torch.tensor(
        [
            (
                kinds.setdefault((seen.result, seen.places), len(kinds)),
                marks.setdefault(tuple(sorted(seen.marks)), len(marks)),
                *(seen.numbers or (0.0,) * NUMBERS),
            )
            for one in sights
            for seen in (one[name] for name in probes)
        ],
        dtype=torch.float32,
    ).reshape(-1, 2 + NUMBERS)
    different, cells = rows.unique(dim=0, return_inverse=True)
    width = max(map(len, members), default=0)
    return Explanations(
        probes=tuple(probes),
        kinds=tuple(kinds),
        marks=tuple(marks),
        members=torch.tensor([[*one, *[-1] * (width - len(one))] for one in members], dtype=torch.int16),
        cells=cells.reshape(len(members), len(probes)).int(),
        kind=different[:, 0].short(),
        mark=different[:, 1].short(),
        numbers=different[:, 2:].contiguous(),
    )


def _raises(result: str) -> bool:
    return result.startswith("raises ")


def _first_failing(task: Task, left: _Cells) -> Sequence[str]:
    """Return the probes of the first check that something is left of; all of them where it is in no check."""
    failing = {*left.results, *(name for name, _ in left.marks)}
    return next((check.probes for check in task.checks if failing & set(check.probes)), tuple(failing))


def _marks(task: Task, probe: Probe, outcome: Outcome) -> list[str]:
    expected = probe.expected
    seen, right = outcome.module, expected.module
    marks = [f"changes {name}" for name in set(outcome.changed_inputs) - set(expected.changed_inputs)]
    if outcome.error is None:
        marks += [f"leaves {name}" for name in set(expected.changed_inputs) - set(outcome.changed_inputs)]
    marks += [LACKS + name for name in seen.missing]
    # A parameter of a layer that the task does not know may have any name.
    layers = {name.rpartition(".")[0] or name for name in probe.weights}
    marks += [
        EXTRA + (name if (name.rpartition(".")[0] or name) in layers else "other") for name in seen.unexpected
    ]
    marks += [RESHAPED + one.name for one in seen.reshaped]
    if set(seen.unreached) - set(right.unreached) - set(seen.frozen):
        marks.append("no gradient")
    if set(seen.frozen) - set(right.frozen):
        marks.append("frozen")
    marks += [f"shares {name}" for name in set(seen.shared) - set(right.shared)]
    if seen.unsteady and not right.unsteady:
        marks.append("unsteady")
    if outcome.tensor is None or probe.observe != RESULT:
        return marks
    if not type_fits(task, outcome):
        marks.append(f"type {outcome.type_name}")
    elif not dtype_fits(task, outcome):
        marks.append("dtype")
    elif narrower(outcome.dtype, expected.dtype):
        marks.append("narrower dtype")
    return marks


def _template(message: str) -> str:
    """Return what was raised, whatever the sizes that it names and the variables that it quotes."""
    return re.sub(r"'[^']*'", "''", re.sub(r"\d+", "#", message))[:120]


@lru_cache(maxsize=256)
def _directions(count: int) -> Tensor:
    """Two fixed directions in which a tensor's numbers are added up. Shape (2, count)."""
    steps = torch.arange(1, count + 1, dtype=torch.float64)
    return torch.stack((torch.sin(steps * 12.9898 + 0.5), torch.sin(steps * 78.233 + 1.5))) * math.sqrt(2)
