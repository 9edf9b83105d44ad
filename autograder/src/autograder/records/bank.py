"""The bank: the questions of each task, with the right outcomes and those of known mistakes, as tensors.

Each lesson has two files, `<lesson>.json` and `<lesson>.safetensors`: data, no code. A learner's `check`, a
class's grading and the audit all read the same bank.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from safetensors import SafetensorError

from autograder.records import serialization
from autograder.records.authoring_errors import UserError
from autograder.records.file_digests import Identity, file_digest, identity
from autograder.records.operator_families import Family
from autograder.records.outcome_digest import expected_digest_of
from autograder.records.run_outcome import Examination, Outcome
from autograder.records.serialization import UNSTORED, Tensor
from autograder.records.tensor_fingerprint import Fingerprint

if TYPE_CHECKING:
    import torch

# torch is imported where tensors are read or written: whoever only wants to know what a task is called is
# told seconds sooner.

FORMAT = 5

Value: TypeAlias = Tensor | int | float | bool | str | None
TaskKind = Literal["tensor", "function", "module", "class"]
AS_SEEN = "as-seen"  # the run whose givens are those that the learner sees
HIDDEN = "-hidden"  # ends the id of a probe's hidden twin
RESULT = "result"  # the plain experiment: call the answer and look at what it returns
STEPS = "steps"  # the same of an answer that keeps state and is called piece by piece


@dataclass(frozen=True)
class Made:
    """An input that is an instance of a class that the learner defines in the notebook."""

    name: str  # the name of the class
    construct: Mapping[str, Value]  # the constructor's arguments by name, in order
    weights: Mapping[str, Tensor] = field(default_factory=dict)  # by parameter name; put there by the build
    seed: int = field(default=123, metadata=UNSTORED)  # the seed with which the solution's class draws them


@dataclass(frozen=True)
class Specimen:
    """An input that is a small module of the course's, given by its name in `experiments.specimens`."""

    name: str  # its name in `SPECIMENS`
    settings: Mapping[str, Value]  # the arguments to make it with


Argument: TypeAlias = Value | Made | Specimen


@dataclass(frozen=True)
class Probe:
    """One set of inputs, with the right outcome. The probes of a tensor are the lesson's givens."""

    id: str  # unique in the task
    says: str  # the input's name in messages, as in "on {says}": "the sentence's first two tokens"
    # The arguments by name, in the order of the signature; of a module, those of `forward`. One may be an
    # object: `Made` or `Specimen`.
    inputs: Mapping[str, Argument]
    _: KW_ONLY
    expected: Outcome = field(default_factory=Outcome)  # the solution's outcome; put there by the build
    keywords: tuple[str, ...] = ()  # arguments that are passed by name, the constructor's among them
    # The constructor's arguments by name, in order. Of a class that is no module, the method is called of the
    # class itself where there are none.
    construct: Mapping[str, Value] = field(default_factory=dict)
    # For a module, under which the solution's own constructor draws the weights that every answer is then
    # given, by parameter name.
    seed: int = field(default=123, metadata=UNSTORED)
    # A module's parameters by name. Authors name those that get other values than the drawn ones.
    weights: Mapping[str, Tensor] = field(default_factory=dict)
    train: bool = False  # whether the module is called in training mode
    dtype: str = "float32"  # the dtype of module and inputs
    # The arguments for the returned value, if the answer returns something to call.
    then: Mapping[str, Value] = field(default_factory=dict)
    # The experiment of `autograder.experiments` whose result is compared; "result" calls the answer once. No
    # points are earned by other experiments alone.
    observe: str = RESULT
    # The experiment's settings, and the `method` of a class that is called. With `"stacked": True`,
    # results of one shape that come back together count as one tensor, with an axis more in front. With
    # `"lists": {"x": (0, [2, 3])}` the answer gets that input as a list, cut along an axis into these sizes;
    # with `"once": ["x"]` it can go through that input only once, and with `"arriving": ["x"]` each piece is
    # overwritten with zeros when it asks for the next one. A module that comes back is used in eval
    # mode, with `"mode": "training"` in that, and with `"mode": "as left"` in the one that it was left in.
    settings: Mapping[str, Any] = field(default_factory=dict)
    hidden: bool = False  # drawn from an instructor's secret; a message about it gives no numbers away
    # Exceptions, one of which a right answer raises; nothing else is compared. A module without inputs is
    # only made, and not called.
    raises: tuple[str, ...] = ()
    # Makes inputs by name from a seeded generator that the hidden twin takes instead, where moving the
    # numbers would say nothing: sizes, seeds, whole numbers, masks. It keeps what the probe is there for,
    # such as an empty row.
    redraw: Callable[[torch.Generator], Mapping[str, Any]] | None = field(default=None, metadata=UNSTORED)

    @property
    def shows_results(self) -> bool:
        """Whether the observation is what the answer returns, so that its numbers say what led there."""
        return self.observe in (RESULT, STEPS)


@dataclass(frozen=True)
class Check:
    """A group of probes that earn points together. A tensor task has one check, which authors do not list."""

    title: str  # its question in a few words
    points: int  # the points if all its probes are right
    probes: tuple[str, ...] = ()  # the ids of its probes


class RightAnswer(Protocol):
    """Another right answer, which an author writes as changes to the solution's text."""

    @property
    def id(self) -> str: ...
    @property
    def changes(self) -> tuple[Any, ...]: ...


class WrongAnswer(Protocol):
    """A known wrong answer, which an author writes as changes to the solution's text, with a hint."""

    @property
    def fault(self) -> str: ...
    @property
    def changes(self) -> tuple[Any, ...]: ...
    @property
    def hint(self) -> str: ...


@dataclass(frozen=True)
class Forbid:
    """The ready-made calls that an answer may not use, because writing that code is the task."""

    families: tuple[str, ...]  # names under `forbidden` in `course.toml`: all calls that do the same work
    points: int  # the cost of such a call
    caught: tuple[RightAnswer, ...] = field(default=(), metadata=UNSTORED)  # right answers with such a call


@dataclass(frozen=True)
class KnownWrong:
    """A known mistake: its id, its hint and its name in reports. Several wrong answers may share it."""

    id: str  # the mistake's id, in the course's vocabulary
    hint: str  # the hint for the learner
    name: str = ""  # its name in a report
    section: str = ""  # the cell that explains it
    varies: bool = False  # whether it has a number that may be any
    reaches: tuple[str, ...] | None = None  # the right steps that it takes; None if not followed


@dataclass(frozen=True)
class RightStep:
    """A tensor that the solution makes before its result, under a name for which the course has words."""

    name: str
    says: str  # its name, as in "the distances"
    needs: tuple[str, ...]  # the earlier steps that it is made from
    # For each time that the solution makes it, in each order of its axes, the given one first.
    fingerprints: tuple[tuple[Fingerprint, ...], ...]
    factors: tuple[float, ...]  # its factors in the solution: 1, and its scale, for example


@dataclass(frozen=True)
class Route:
    """The solution's steps on one probe, in order."""

    probe: str
    steps: tuple[RightStep, ...]
    # Other tensors that the solution makes once, each in some orders of its axes: steps without a word.
    others: tuple[tuple[Fingerprint, ...], ...] = ()


@dataclass(frozen=True)
class Closer:
    """The conditions for a closer look at an answer, which takes time; see `records.outcome_digest`."""

    examined: bool = True  # whether general experiments are tried on it
    followed: bool = True  # whether it is followed step by step
    unless: str = ""  # the digest of an answer's outcomes for which neither is done


@dataclass(frozen=True)
class SignatureTable:
    """The signatures of known mistakes, alone and in combination, as `judge.known_mistakes` reads them.

    A row is an explanation: one mistake, or several together. `members` has their positions among the task's
    known wrong answers, and -1 for none. Most explanations share their signature on a probe with others, so
    each signature is stored once, and `cells` has its number. `kind` and `mark` are positions in `kinds` and
    `marks`. A kind names a result and the places where it is wrong.

    Shapes:
        members: (explanations, mistakes)
        cells: (explanations, probes)
        kind, mark: (signatures,)
        numbers: (signatures, numbers), 0 where a result is not a tensor
    """

    probes: tuple[str, ...]
    kinds: tuple[tuple[str, ...], ...]
    marks: tuple[tuple[str, ...], ...]
    members: Tensor
    cells: Tensor
    kind: Tensor
    mark: Tensor
    numbers: Tensor

    def on(self, probes: Sequence[str]) -> tuple[Tensor, Tensor, Tensor]:
        """Return kind, mark and numbers of every explanation on some probes.

        Shapes: (explanations, probes), twice, and (explanations, probes, numbers).
        """
        cells = self.cells[:, [self.probes.index(name) for name in probes]].long()
        return self.kind[cells], self.mark[cells], self.numbers[cells]

    def only(self, probes: Sequence[str]) -> SignatureTable:
        """Return the table for some probes, without the signatures that occur only on others."""
        columns = [self.probes.index(name) for name in probes]
        used, cells = self.cells[:, columns].unique(return_inverse=True)
        sights = {name: getattr(self, name)[used.long()] for name in ("kind", "mark", "numbers")}
        return replace(self, probes=tuple(probes), cells=cells.int(), **sights)


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task: the learner defines a tensor, function or class under a name that the task states."""

    id: str  # also nbgrader's grade id of the test cell, and the key in the bank
    title: str  # a few words, shown with every feedback
    name: str  # the name that the learner defines
    kind: (
        TaskKind  # "class" is any class that is no module: each probe's `settings` name the `method` to call
    )
    signature: str  # its notation in the text: "dot(a, b)"; for a tensor just its name
    axes: tuple[str, ...]  # of the result. "stations as start" is the axis `stations` in the role of starts
    learned: str  # shown on success: what the learner now knows
    hints: tuple[str, ...]  # shown one at a time, from a nudge to nearly the answer
    checks: tuple[Check, ...]  # the checks that earn points
    probes: tuple[Probe, ...] = ()  # authors name none for a tensor, whose probes are the lesson's givens
    # Names of each input's axes, for the inputs that are tensors. A name stands for one size throughout a
    # probe; over all probes no two names may always have the same size.
    input_axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    number: bool = False  # whether a plain number is accepted where the result has no axes
    dtypes: tuple[str, ...] = ("float32", "float64")  # the accepted dtypes of the result
    properties: tuple[str, ...] = ()  # rules that the result obeys, by names in `experiments.properties`
    needs: tuple[str, ...] = ()  # earlier tasks whose answers this one is built from
    forbids: Forbid | None = None  # calls that the answer must do without
    keeps: tuple[
        str, ...
    ] = ()  # for a tensor: other tensors of the lesson that its cell must leave as they are

    # The author's further descriptions, which are not in the bank.
    wrong: tuple[WrongAnswer, ...] = field(default=(), metadata=UNSTORED)  # at least two
    right: tuple[RightAnswer, ...] = field(default=(), metadata=UNSTORED)  # different ones
    # The demands of the statement, each a phrase of it word for word, with the wrong answer that breaks only
    # this demand: its mistake, or the name of an answer that is caught with a forbidden call.
    demands: Mapping[str, str] = field(default_factory=dict, metadata=UNSTORED)
    # This task's words for the hints of faults: {"scores": "attn_scores"}. They come before the course's own
    # `WORDS`.
    words: Mapping[str, str] = field(default_factory=dict, metadata=UNSTORED)
    # The parts of the answer that faults ask for: ("padding", "stride", "bias").
    parts: tuple[str, ...] = field(default=(), metadata=UNSTORED)
    # Faults that its parts make possible, but for which it has no wrong answer: fault id to reason.
    cannot: Mapping[str, str] = field(default_factory=dict, metadata=UNSTORED)

    # Added by the build.
    families: tuple[Family, ...] = field(default=(), metadata=UNSTORED)  # the described calls of `forbids`
    # The names of one entry along an axis, or in a role: {"stations": "station"}, from `course.toml`.
    entries: Mapping[str, str] = field(default_factory=dict, metadata=UNSTORED)
    kept: Mapping[str, Tensor] = field(default_factory=dict)  # the tensors of `keeps`
    known_wrong: tuple[KnownWrong, ...] = ()  # the mistakes that wrong answers show
    explanations: SignatureTable | None = None  # the failure signatures of these wrong answers
    examined: Examination | None = None  # the results of general experiments on the solution
    route: Route | None = None  # the steps that the solution takes
    exam: tuple[Probe, ...] = ()  # hidden probes for exams only
    # Of questions alone, which cannot tell otherwise what the judge has a use for.
    closer: Closer = Closer()

    @property
    def points(self) -> int:
        return sum(check.points for check in self.checks)

    @property
    def caught(self) -> tuple[RightAnswer, ...]:
        """The answers that are right but for a forbidden call."""
        return self.forbids.caught if self.forbids else ()

    @property
    def own_functions(self) -> tuple[str, ...]:
        """The names of the functions whose lines belong to the answer itself."""
        return "", self.name, f"{self.name}.forward"

    @cached_property
    def expected_digest(self) -> str:
        """The digest of the solution's outcomes; in a bank without answers, `closer` has it."""
        return self.closer.unless or expected_digest_of(self.probes)

    @cached_property
    def probe(self) -> Mapping[str, Probe]:
        """The probes by id."""
        return {probe.id: probe for probe in self.probes}

    def in_exam(self) -> Task:
        """Return the task with the hidden probes that only an exam uses added to its checks."""
        twins = {probe.id.removesuffix(HIDDEN): probe.id for probe in self.exam}
        checks = tuple(
            replace(check, probes=(*check.probes, *(twins[name] for name in check.probes if name in twins)))
            for check in self.checks
        )
        return replace(self, probes=(*self.probes, *self.exam), checks=checks, exam=())


@dataclass(frozen=True)
class LessonBank:
    """The tasks of a lesson, in the order of its text, and its givens (the example data)."""

    lesson: str
    title: str
    givens: Mapping[str, Mapping[str, Value]]  # the example data in each run: "as-seen", "redrawn-1", …
    tasks: Mapping[str, Task]
    names: tuple[str, ...] = ()  # the names that the lesson's own cells define beside the answers
    predictions: tuple[str, ...] = ()  # the ids of its predictions


def classes_made(bank: LessonBank) -> frozenset[str]:
    """Return the names of the notebook's classes of which the lesson's checks make instances."""
    inputs = (
        value for task in bank.tasks.values() for probe in task.probes for value in probe.inputs.values()
    )
    return frozenset(value.name for value in inputs if isinstance(value, Made))


def without_answers(bank: LessonBank) -> LessonBank:
    """Return a lesson's bank with everything that `collect` needs, and no right answers.

    If a task has no hidden probes, a digest remains, which tells whether an answer deserves a closer look. If
    it has hidden ones, no digest remains, since a learner could use it to test guesses.
    """
    tasks = {
        name: replace(
            task,
            probes=tuple(replace(probe, expected=Outcome()) for probe in task.probes),
            known_wrong=(),
            explanations=None,
            examined=None,
            route=None,
            exam=(),
            hints=(),
            learned="",
            closer=Closer(
                task.examined is not None,
                task.route is not None,
                "" if task.kind == "tensor" or _asks_hidden(task) else expected_digest_of(task.probes),
            ),
        )
        for name, task in bank.tasks.items()
    }
    return replace(bank, tasks=tasks, givens={AS_SEEN: bank.givens.get(AS_SEEN, {})})


def _asks_hidden(task: Task) -> bool:
    return any(probe.hidden for probe in task.probes)


def with_texts(bank: LessonBank, in_language: Callable[[str, str], str]) -> LessonBank:
    """Return a lesson's bank with its texts in another language.

    Args:
        bank: the lesson's bank.
        in_language: translates a text, given its context in the translation files and its English.
    """

    def task_in(task: Task) -> Task:
        def of_task(text: str) -> str:
            return in_language(task.id, text)

        wrong = (
            replace(
                mistake,
                hint=in_language(mistake.id, mistake.hint),
                name=in_language(mistake.id, mistake.name),
            )
            for mistake in task.known_wrong
        )
        return replace(
            task,
            title=of_task(task.title),
            learned=of_task(task.learned),
            hints=tuple(map(of_task, task.hints)),
            checks=tuple(replace(check, title=of_task(check.title)) for check in task.checks),
            probes=tuple(replace(probe, says=of_task(probe.says)) for probe in task.probes),
            exam=tuple(replace(probe, says=of_task(probe.says)) for probe in task.exam),
            known_wrong=tuple(wrong),
            route=task.route and replace(task.route, steps=tuple(map(step_in, task.route.steps))),
        )

    def step_in(step: RightStep) -> RightStep:
        return replace(step, says=in_language("steps", step.says))

    tasks = {name: task_in(task) for name, task in bank.tasks.items()}
    return replace(bank, title=in_language(bank.lesson, bank.title), tasks=tasks)


class BankError(UserError):
    """The bank is missing or damaged: a fault of the installation or the tool, never the learner's."""


def save(bank: LessonBank, folder: Path) -> None:
    """Write a lesson's bank as JSON and safetensors; equal banks give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files(bank).items():
        (folder / name).write_bytes(content)


def files(bank: LessonBank) -> dict[str, bytes]:
    """Return the content of a lesson's two bank files, by their names."""
    import safetensors.torch  # not above: it loads torch, and what a bank is can be said without

    plain, tensors = serialization.encode(bank)
    text = json.dumps({"format": FORMAT, **plain}, indent=1, ensure_ascii=False) + "\n"
    names = paths(bank.lesson, Path())
    return dict(zip(map(str, names), (text.encode(), safetensors.torch.save(tensors)), strict=True))


def paths(lesson: str, folder: Path) -> tuple[Path, Path]:
    """Return the paths of a lesson's two bank files: the JSON and the tensors."""
    return folder / f"{lesson}.json", folder / f"{lesson}.safetensors"


def digest(lesson: str, folder: Path) -> bytes:
    """Return a digest of a lesson's bank files as they are now.

    Raises:
        OSError: a file is missing.
    """
    return hashlib.sha256(b"".join(file_digest(path) for path in paths(lesson, folder))).digest()


def load(
    lesson: str, folder: Path, families: tuple[Family, ...] = (), entries: tuple[tuple[str, str], ...] = ()
) -> LessonBank:
    """Return a lesson's bank, which is read again only if its files have changed.

    Args:
        lesson: the lesson's name.
        folder: the folder of its files.
        families: the families of calls that the course's tasks may forbid.
        entries: pairs of an axis's name and the name of one entry along it.

    Raises:
        BankError: the files are missing, damaged or of another format.
    """
    with _readable(lesson):
        return _load(lesson, families, entries, *(identity(path) for path in paths(lesson, folder)))


@lru_cache(maxsize=32)
def _load(
    lesson: str,
    families: tuple[Family, ...],
    entries: tuple[tuple[str, str], ...],
    text: Identity,
    numbers: Identity,
) -> LessonBank:
    return read(lesson, text.path.read_bytes(), numbers.path.read_bytes(), families, entries)


@lru_cache(maxsize=32)
def read(
    lesson: str,
    text: bytes,
    numbers: bytes,
    families: tuple[Family, ...] = (),
    entries: tuple[tuple[str, str], ...] = (),
) -> LessonBank:
    """Return a lesson's bank, given the content of its files.

    Args:
        lesson: the lesson's name.
        text: the content of the JSON file.
        numbers: the content of the safetensors file.
        families: the families of calls that the course's tasks may forbid.
        entries: pairs of an axis's name and the name of one entry along it.

    Raises:
        BankError: they are damaged or of another format.
    """
    import safetensors.torch  # not above: it loads torch, and what a bank is can be said without

    with _readable(lesson):
        bank = serialization.decode(
            LessonBank, _of_this_format(lesson, text), safetensors.torch.load(numbers)
        )
        by_name = {family.name: family for family in families}
        tasks = {
            name: replace(
                task,
                families=tuple(by_name[name] for name in task.forbids.families) if task.forbids else (),
                entries=dict(entries),
            )
            for name, task in bank.tasks.items()
        }
        return replace(bank, tasks=tasks)


def _of_this_format(lesson: str, text: bytes) -> dict[str, Any]:
    plain = json.loads(text.decode())
    if not isinstance(plain, dict) or plain.pop("format", None) != FORMAT:
        raise BankError(f"The answers for lesson {lesson} were written by another version of the course.")
    return plain


@contextlib.contextmanager
def _readable(lesson: str) -> Iterator[None]:
    """Raise a `BankError` for all that missing and damaged files raise."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError) as problem:
        raise BankError(f"The answers for lesson {lesson} cannot be read ({problem!r}).") from problem


def described(lesson: str, folder: Path) -> LessonBank:
    """Return a lesson's bank without probes and tensors: only the texts of its tasks and mistakes.

    Raises:
        BankError: it is missing or damaged.
    """
    with _readable(lesson):
        plain = _of_this_format(lesson, paths(lesson, folder)[0].read_bytes())
        for task in plain["tasks"].values():
            for name in ("probes", "kept", "explanations", "exam"):
                task.pop(name, None)
        return serialization.decode(LessonBank, {**plain, "givens": {}})


def task_ids(lesson: str, folder: Path) -> tuple[str, ...]:
    """Return the ids of a lesson's tasks, in order. This is faster than `load`, which reads the whole bank.

    Raises:
        BankError: the bank is missing or damaged.
    """
    with _readable(lesson):
        return _task_ids(identity(paths(lesson, folder)[0]))


@lru_cache(maxsize=64)
def _task_ids(text: Identity) -> tuple[str, ...]:
    return tuple(json.loads(text.path.read_bytes())["tasks"])


def axis_parts(axis: str) -> tuple[str, str]:
    """Return an axis's name and its role, which is "" for an axis without one.

    "stations as start" is the axis "stations" in the role of "start".
    """
    symbol, _, role = axis.partition(" as ")
    return symbol, role
