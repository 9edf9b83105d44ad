"""The findings about an answer: a type for each kind of finding, as plain data, without wording."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from autograder.records.run_outcome import ErrorReport, ForbiddenCall, Reshaped, Uncalled

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Finding:
    """The base of all findings. `probe` is the probe's id; empty for a finding about the whole answer."""

    probe: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class NotDefined(Finding):
    """The answer's name is not defined; `error` is the error that stopped the cell that should define it."""

    nearest: tuple[str, ...] = ()
    error: ErrorReport | None = None


@dataclass(frozen=True)
class StillStub(Finding):
    """The answer is still the stub; `error` is the error that stopped a later run of its cell."""

    error: ErrorReport | None = None


@dataclass(frozen=True)
class NotRun(Finding):
    """The answer's cell did not run to its end, so there is no evidence. `reason` says why, if known."""

    reason: str = ""


@dataclass(frozen=True)
class GivensChanged(Finding):
    """The notebook has changed the lesson's example data, so the answer cannot be compared.

    If the only change is the notebook's default dtype, `dtype` names it.
    """

    names: tuple[str, ...]
    dtype: str = ""


@dataclass(frozen=True)
class Stale(Finding):
    """The answer's value is out of date: the learner's cells, as they were last run, would not give it.

    `how` says why. The answer's cell "stopped" before its assignment, with `error`; it now assigns one of
    `names` instead ("renamed"), or no similar name ("dropped"); it was "deleted", or not run in this kernel
    ("unrun"); or `names`, from which the answer was computed, were assigned again ("remade").

    Or the notebook, run from top to bottom, would not give the name this value: the cell with this `number`
    assigned it ("elsewhere"), or a cell between the answer and its check does ("overwritten"); or `names`
    that the answer's cell reads are defined only below it ("needs-below").
    """

    how: Literal[
        "stopped",
        "renamed",
        "dropped",
        "deleted",
        "unrun",
        "remade",
        "elsewhere",
        "overwritten",
        "needs-below",
    ]
    names: tuple[str, ...] = ()
    error: ErrorReport | None = None
    number: int = 0


# Of an answer like that, nothing was tried.
Untried = NotDefined | StillStub | NotRun | GivensChanged | Stale


@dataclass(frozen=True)
class NotAFunction(Finding):
    """The answer is of another kind than the function or class that the task asks for."""

    obtained: str


@dataclass(frozen=True)
class Raised(Finding):
    """The answer raised an error."""

    error: ErrorReport


@dataclass(frozen=True)
class NotCalled(Finding):
    """The answer could not be called on a probe."""

    uncalled: Uncalled


@dataclass(frozen=True)
class WrongType(Finding):
    """The result is not a tensor, or not of another type that the task accepts."""

    obtained: str


@dataclass(frozen=True)
class WrongParameters(Finding):
    """The names or shapes of a module's parameters differ from those in the task; see `ModuleReport`."""

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    reshaped: tuple[Reshaped, ...]
    expected: tuple[str, ...]


@dataclass(frozen=True)
class WrongShape(Finding):
    """The result has the wrong shape; `axis` is the first of wrong size, or None if their number is wrong."""

    obtained: tuple[int, ...]
    expected: tuple[int, ...]
    axis: int | None = None


@dataclass(frozen=True)
class WrongDtype(Finding):
    """The result's dtype is not among the allowed ones."""

    obtained: str
    allowed: tuple[str, ...]


@dataclass(frozen=True)
class NotFinite(Finding):
    """Some entries are nan or inf where the right answer is finite; `index` is the first of them."""

    value: float
    index: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class MatchesKnownWrong(Finding):
    """The wrong numbers are those of a known mistake, which the verdict names."""

    values: WrongValues | None = None


@dataclass(frozen=True)
class NotComputed(Finding):
    """The result is right for the lesson's own inputs and wrong for others; `typed` if it never changes."""

    typed: bool = False


@dataclass(frozen=True)
class BrokenProperty(Finding):
    """The result breaks a property: `index` is the first place where it does, and `obtained` the value there.

    `names` are the arguments or parameters for which the property is broken.
    """

    property: str
    index: tuple[int, ...] = ()
    obtained: float = 0.0
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrongBehaviour(Finding):
    """An experiment's tensor differs from the solution's, first at `index`."""

    observe: str
    index: tuple[int, ...] = ()
    obtained: float = 0.0
    expected: float = 0.0
    of_result: bool = False  # whether the experiment's result is the answer's own


@dataclass(frozen=True)
class NotRefused(Finding):
    """The answer accepted inputs for which it should raise an exception, or raised another exception.

    `expected` are the allowed exceptions. `unsaid` is a phrase that the message should contain and does not.
    """

    expected: tuple[str, ...]
    obtained: str
    unsaid: str = ""


@dataclass(frozen=True)
class WrongValues(Finding):
    """The result has the right type and shape, and wrong numbers."""

    index: tuple[int, ...]
    obtained: float
    expected: float
    largest_error: float
    share_right: float
    obtained_tensor: Tensor | None = None
    expected_tensor: Tensor | None = None
    rounded: bool = False
    unfilled: int = 0


@dataclass(frozen=True)
class StillWrong(Finding):
    """The kind of finding that remains when the course's answers replace the learner's wrong earlier ones."""

    kind: type[Finding]


@dataclass(frozen=True)
class CallsForbidden(Finding):
    """All checks pass, but the answer makes a call that the task forbids."""

    call: ForbiddenCall


@dataclass(frozen=True)
class CheckResult:
    """The result of one check: its points, the points earned, and the finding that made it fail."""

    title: str
    points: int
    earned: int
    finding: Finding | None = None


# What is proven of the mistakes that are named: the very "same" result comes of them; the answer "stops" in
# the same way; it ends, as many mistakes do, in zeros or nan ("ending"); or what was seen is like theirs.
Shown = Literal["", "same", "stops", "ending", "likeness"]


@dataclass(frozen=True)
class Named:
    """A recognised mistake, by its id in the course's list of mistakes; see `bank.KnownWrong`."""

    fault: str
    name: str
    hint: str
    section: str = ""


@dataclass(frozen=True)
class Fact:
    """A fact that general experiments reveal about a wrong answer, and that is not true of a right one."""


@dataclass(frozen=True)
class Unsteady(Fact):
    """Two calls with the same input differ, in a `share` of the entries and by `apart` at most.

    `place` is the first line that makes a different tensor in the second call, if it is known.
    """

    share: float
    apart: float
    place: CodeLocation | None = None


@dataclass(frozen=True)
class Idle(Fact):
    """Arguments and parameters whose values have no effect on the result."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Reaches(Fact):
    """Slice `output` of the result depends on slice `changed` of an input, or fails to (`missing`)."""

    input: str
    along: str  # the input's axis
    axis: str  # the result's axis
    output: int
    changed: int
    missing: bool = False


@dataclass(frozen=True)
class Related(Fact):
    """A relation between the wrong numbers and the right ones, such as a factor or another order."""

    # "times" or "plus" (with the number `value`), "turned", "reversed" (along `axis`), "digits" (of which
    # `value` are right); "rows" (lines along the last axis are right but for factors), "order" (along `axis`
    # the slices have changed places), "places" (all the numbers are there); "but-one" (all is right but slice
    # `value` along `axis`), "until" and "from" (right up to that slice, or from there on), "only" (right in
    # no other slice), "first" and "last" (so many slices are right, and there are more or fewer of them);
    # "input" (they are right but for `value` times the input `name`); "alike" (all slices along `axis` are
    # the same), "shared" (the numbers add up to 1 along `axis`, and should along axis `value`), "signs" (all
    # are wrong, and sizes too), "finite" (no entry is −inf that should be); "true" and "false" (what all
    # wrong entries are).
    how: str
    value: float = 0.0
    axis: int = 0
    probe: str = ""  # the id of its probe; "" if it is true on all
    name: str = ""


@dataclass(frozen=True)
class Followed:
    """A tensor that a line of the answer makes, and the solution's step that it equals, if any."""

    name: str
    line_number: int
    function: str
    shape: tuple[int, ...]
    says: str = ""  # "the keys", if the course has a name for it
    right: bool = False  # whether the solution makes it, too


class CodeLocation(NamedTuple):
    """The line of the answer's code that makes a tensor."""

    name: str  # the name that its line assigns; "" for none
    line_number: int


@dataclass(frozen=True)
class Verdict:
    """The judgement of an answer to one task."""

    task: str
    results: tuple[CheckResult, ...]
    named: tuple[Named, ...] = ()  # the known mistakes that explain the answer, the clearest first
    whole: bool = True  # whether they explain everything that was seen
    shown: Shown = ""
    explains: tuple[str, ...] = ()  # the titles of the checks that they explain, if not all
    facts: tuple[Fact, ...] = ()  # the results of general experiments that no known mistake explains
    globals_read: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()  # earlier answers that this one builds on and that are not right yet
    stood_in: tuple[str, ...] = ()  # answers that the course's own replaced while this one was checked
    forbidden: ForbiddenCall | None = None
    cost: int = 0  # the cost of the forbidden call in points
    unwatched: bool = False  # whether such a call could have gone unseen

    @property
    def known_wrong(self) -> str:
        """The id of the first recognised mistake; "" for none."""
        return self.named[0].fault if self.named else ""

    @property
    def hint(self) -> str:
        """The hint for the first recognised mistake; "" for none."""
        return self.named[0].hint if self.named else ""

    @property
    def earned(self) -> int:
        earned = sum(result.earned for result in self.results)
        return max(0, earned - self.cost) if self.forbidden else earned

    @property
    def points(self) -> int:
        return sum(result.points for result in self.results)

    @property
    def right(self) -> bool:
        """Whether all checks pass, even if the answer makes a forbidden call."""
        return all(result.finding is None for result in self.results)

    @property
    def passed(self) -> bool:
        return self.right and self.forbidden is None

    @property
    def finding(self) -> Finding | None:
        """The first finding to show to the learner; None if the answer passes."""
        finding = next((result.finding for result in self.results if result.finding is not None), None)
        return CallsForbidden(self.forbidden) if finding is None and self.forbidden else finding
