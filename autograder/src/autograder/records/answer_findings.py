"""What can be said about an answer: one type for each kind of finding, plain data, no wording."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from autograder.records.run_outcome import ErrorReport, ForbiddenCall, Reshaped, Uncalled

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Finding:
    """Base of all findings. `probe` is the probe's id; empty where the answer as a whole is meant."""

    probe: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class NotDefined(Finding):
    """`error` is what stopped the cell that should make the answer."""

    nearest: tuple[str, ...] = ()
    error: ErrorReport | None = None


@dataclass(frozen=True)
class StillStub(Finding):
    """`error` is what stopped a later run of the cell, so that the stub is still there."""

    error: ErrorReport | None = None


@dataclass(frozen=True)
class NotRun(Finding):
    """No evidence was gathered: the cell did not run to its end. `reason` says why, if that is known."""

    reason: str = ""


@dataclass(frozen=True)
class GivensChanged(Finding):
    """The lesson's example data was changed in the notebook, so the answer cannot be compared.

    `dtype` is the notebook's default, where that is all that changed it.
    """

    names: tuple[str, ...]
    dtype: str = ""


@dataclass(frozen=True)
class Stale(Finding):
    """What the answer's name stands for is not what the learner's cells make as they were run last.

    Its cell "stopped" before it got there, with `error`; it makes one of the `names` in its place
    ("renamed"), or nothing like it ("dropped"); it was "deleted", or never run in this kernel ("unrun"); what
    the answer was computed from, `names`, was "remade" since.

    Or the notebook does not make it from top to bottom: the cell with this `number` made it "elsewhere", or
    is between the answer and its check and has "overwritten" it; or `names` that it reads are made only
    below ("needs-below").
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
    """Something else stands where a function is asked for."""

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
    """The result is no tensor, or whatever else is asked for."""

    obtained: str


@dataclass(frozen=True)
class WrongParameters(Finding):
    """A module's parameters are not those that the task names: what `ModuleReport` says of them."""

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    reshaped: tuple[Reshaped, ...]
    expected: tuple[str, ...]


@dataclass(frozen=True)
class WrongShape(Finding):
    """`axis` is the first axis of the wrong size, or None where the number of axes differs."""

    obtained: tuple[int, ...]
    expected: tuple[int, ...]
    axis: int | None = None


@dataclass(frozen=True)
class WrongDtype(Finding):
    """The result's dtype is none of those allowed."""

    obtained: str
    allowed: tuple[str, ...]


@dataclass(frozen=True)
class NotFinite(Finding):
    """`index` is the first entry that is nan or inf where the right answer is finite."""

    value: float
    index: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class MatchesKnownWrong(Finding):
    """The wrong numbers are those of a known mistake; the verdict carries which."""

    values: WrongValues | None = None


@dataclass(frozen=True)
class NotComputed(Finding):
    """Right for the lesson's own givens and wrong for others; `typed` says that it does not follow them."""

    typed: bool = False


@dataclass(frozen=True)
class BrokenProperty(Finding):
    """`index` is where along the result the rule is broken first, and `obtained` what was found there.

    `names` are the arguments or parameters with which it is broken.
    """

    property: str
    index: tuple[int, ...] = ()
    obtained: float = 0.0
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrongBehaviour(Finding):
    """An experiment saw something else than with the right answer, first at `index` of what it wrote down."""

    observe: str
    index: tuple[int, ...] = ()
    obtained: float = 0.0
    expected: float = 0.0
    of_result: bool = False  # whether what it looks at is the answer's own result


@dataclass(frozen=True)
class NotRefused(Finding):
    """The answer took what it should refuse with one of the exceptions `expected`, or raised another.

    Or its message leaves out what it should name: `unsaid`.
    """

    expected: tuple[str, ...]
    obtained: str
    unsaid: str = ""


@dataclass(frozen=True)
class WrongValues(Finding):
    """The result has the right form and other numbers."""

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
    """What kind of finding was made with the course's answers in place of earlier wrong ones."""

    kind: type[Finding]


@dataclass(frozen=True)
class CallsForbidden(Finding):
    """All checks pass, and the answer makes a call that the task forbids."""

    call: ForbiddenCall


@dataclass(frozen=True)
class CheckResult:
    """One check of a task: what it could earn, what it earned, and what stood in the way."""

    title: str
    points: int
    earned: int
    finding: Finding | None = None


# What is proven of the mistakes that are named: the very "same" result comes of them; the answer "stops" in
# the same way; it ends, as many mistakes do, in zeros or nan ("ending"); or what was seen is like theirs.
Shown = Literal["", "same", "stops", "ending", "likeness"]


@dataclass(frozen=True)
class Named:
    """A mistake that was recognised, by its id in the course's vocabulary; see `bank.KnownWrong`."""

    fault: str
    name: str
    hint: str
    section: str = ""


@dataclass(frozen=True)
class Fact:
    """Something that general experiments show of a wrong answer, and that is otherwise for a right one."""


@dataclass(frozen=True)
class Unsteady(Fact):
    """Two calls with the same input differ, in a `share` of the entries and by `apart` at most.

    `place` is the first line that makes another tensor in the second call, where it is known.
    """

    share: float
    apart: float
    place: CodeLocation | None = None


@dataclass(frozen=True)
class Idle(Fact):
    """Arguments and parameters that can change without any effect."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Reaches(Fact):
    """Slice `output` of the result depends on slice `changed` of an input, or fails to (`missing`)."""

    input: str
    along: str  # the input's axis
    axis: str  # the result's
    output: int
    changed: int
    missing: bool = False


@dataclass(frozen=True)
class Related(Fact):
    """How the wrong numbers follow from the right ones."""

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
    probe: str = ""  # on which it was seen; "" where it holds on all
    name: str = ""


@dataclass(frozen=True)
class Reached:
    """A step of the solution that a line of the answer takes: "the keys", `k`, line 5."""

    says: str
    name: str  # what the learner's code calls it; "" for nothing
    line_number: int
    function: str = ""  # around that line, where it is not the answer's own
    shape: tuple[int, ...] = ()  # where other axes are joined than in the solution
    times: float = 1.0  # how many times as large as the solution's, where that may still be made good


@dataclass(frozen=True)
class Followed:
    """A tensor that a line of the answer makes, and what it is on the solution's way."""

    name: str
    line_number: int
    function: str
    shape: tuple[int, ...]
    says: str = ""  # "the keys", where the solution has a word for it
    right: bool = False  # whether the solution makes it too
    row: tuple[float, ...] = ()  # how its last row begins, if that was seen


class CodeLocation(NamedTuple):
    """A tensor in an answer's code."""

    name: str  # that its line gives it; "" for none
    line_number: int
    whole: bool = True  # whether its line makes nothing more


@dataclass(frozen=True)
class TraceAlignment:
    """How far an answer goes along the solution's way."""

    right: tuple[Reached, ...]
    missing: str = ""  # the first step that no line takes, as in "the weights"; "" for none
    # What is known of the rest: an error "stops" it, it goes "wrong", or the last of these steps is "there".
    ends: Literal["", "stops", "wrong", "there"] = ""
    multiple: tuple[Reached, float] | None = None  # a line that has that step, times a number
    fitting: tuple[float, ...] = ()  # the numbers, beside 1, that would do as well
    probe: str = ""  # on which it was followed
    up_to: Reached | None = None  # the last right step before which nothing is made that was not compared
    source: Reached | None = None  # the last right step that the missing one is made from
    # The first tensor of the missing one's size that the answer makes after that, and the solution nowhere.
    instead: Followed | None = None


@dataclass(frozen=True)
class Verdict:
    """The judgement of one answer."""

    task: str
    results: tuple[CheckResult, ...]
    named: tuple[Named, ...] = ()  # the known mistakes that explain it, the clearest first
    whole: bool = True  # whether they explain all that was seen
    shown: Shown = ""
    explains: tuple[str, ...] = ()  # titles of the checks that they explain, where that is not all
    facts: tuple[Fact, ...] = ()  # what general experiments show, as far as no known mistake explains it
    way: TraceAlignment | None = None  # of an answer that is wrong
    globals_read: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()  # earlier answers that this one is built from and that are not right yet
    stood_in: tuple[str, ...] = ()  # those in whose place the course's own stood while this one was checked
    forbidden: ForbiddenCall | None = None
    cost: int = 0  # the points that the forbidden call takes off
    unwatched: bool = False  # whether it makes such a call could not be seen

    @property
    def known_wrong(self) -> str:
        """The first mistake that was recognised; "" for none."""
        return self.named[0].fault if self.named else ""

    @property
    def hint(self) -> str:
        """What the learner reads of the first mistake that was recognised."""
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
        """Tell whether all checks pass, by whatever means."""
        return all(result.finding is None for result in self.results)

    @property
    def passed(self) -> bool:
        return self.right and self.forbidden is None

    @property
    def finding(self) -> Finding | None:
        """The first thing to tell the learner, or None where all is right."""
        finding = next((result.finding for result in self.results if result.finding is not None), None)
        return CallsForbidden(self.forbidden) if finding is None and self.forbidden else finding
