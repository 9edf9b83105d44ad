"""Hold a record against the shapes that a lesson expects, and find the first line that departs.

Right code may look quite different: other names, einsum, one projection for all three. So nothing is called a
departure because it differs, only where something must be wrong: the code fails, a name never has axes that
could be made of the expected ones, numbers of different tokens got into one row, or the result has another
shape. From there the lines that led to it are searched for the first that is not as the lesson has it.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.probe.recording.operations import Operation, Record, Result, Shape

from visuals.language import _
from visuals.shapes import causes, look
from visuals.shapes.axes import Axes, listed, written
from visuals.shapes.origins import derived, find_mixed

Expected = Sequence[tuple[str | tuple[str, ...], Sequence[str | int]]]
OUTPUT = "output"
SPLITS = ("view", "reshape", "unflatten", "flatten")


@dataclass(frozen=True)
class Expectation:
    """The axes that a name (or one of several) should have."""

    names: tuple[str, ...]
    axes: tuple[str | int, ...]
    shape: Shape


@dataclass(frozen=True)
class Comparison:
    """What came of it.

    Attributes:
        operation: the first operation whose result departs, or that failed; None where nothing departs.
        name: what the code calls its result; empty where it has no name.
        expected: the axes that were expected, as text; empty where the failing line itself is the first.
        found: the axes that were found, as text.
        cause: the usual cause, or an empty string.
        agreeing: names that have the expected shape.
        absent: expected names that the code does not use.
        error: with which the code stopped, or an empty string.
    """

    operation: Operation | None
    name: str
    expected: str
    found: str
    cause: str
    agreeing: tuple[str, ...]
    absent: tuple[str, ...]
    error: str = ""

    @property
    def departs(self) -> bool:
        """Tell whether a line departs or failed."""
        return self.operation is not None

    @property
    def line(self) -> int | None:
        """The line's number in its cell or file."""
        return self.operation.site.line if self.operation else None

    @property
    def text(self) -> str:
        """The comparison in sentences."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        operation = self.operation
        if operation is not None:
            yield f"{look.where(operation.site, capital=True)}: {operation.site.text}"
            because = f": {self.cause}." if self.cause else "."
            if self.expected:
                what = _("{name} is ", name=self.name) if self.name else ""
                yield _("This line is the first to depart.")
                yield _(
                    "{what}expected as {expected}, found as {found}{because}",
                    what=what,
                    expected=self.expected,
                    found=self.found,
                    because=because,
                )
            elif operation.error:
                yield _("This line fails{because}", because=because)
            else:
                yield _("This line is the first to depart{because}", because=because)
            if self.error:
                yield _("The code stopped with {error}.", error=self.error)
        elif self.error:
            yield _("The code stopped with {error}. Up to there no shape departs.", error=self.error)
        elif self.agreeing:
            yield _("Nothing departs from what the lesson expects.")
        else:
            yield _("Nothing to compare: the code uses none of the expected names.")
        if self.agreeing:
            yield _("Of the expected shape: {names}.", names=listed(self.agreeing))
        if self.absent:
            yield _("Not compared, because your code has no such name: {names}.", names=listed(self.absent))

    def __repr__(self) -> str:
        return "\n".join(self._sentences())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": look.framed(self.to_html()), "text/plain": repr(self)}

    def to_html(self) -> str:
        """Return the sentences as paragraphs, the line of code set apart."""
        sentences = list(self._sentences())
        if self.operation is None:
            return f'<p class="agrees">{html.escape(" ".join(sentences))}</p>'
        location = html.escape(look.where(self.operation.site, capital=True))
        code = html.escape(self.operation.site.text)
        rest = html.escape(" ".join(sentences[1:]))
        return f'<p class="departs">{location}: <code>{code}</code><br>{rest}</p>'


def read_expected(expected: Expected, axes: Axes) -> list[Expectation]:
    """Return the expectations with their sizes.

    Raises ValueError for an axis without a size.
    """
    return [
        Expectation(
            (names,) if isinstance(names, str) else tuple(names), tuple(wanted), axes.shape_of(wanted)
        )
        for names, wanted in expected
    ]


def compare(record: Record, axes: Axes, expected: Expected) -> Comparison:
    """Find the first departing line.

    Raises ValueError for an axis without a size.
    """
    expectations = read_expected(expected, axes)
    bound = [(each, list(_bound(record, each))) for each in expectations]
    agreeing = tuple(
        name
        for each, matches in bound
        if (name := next((name for name, _, result in matches if result.shape == each.shape), None))
    )
    absent = tuple(each.names[0] for each, matches in bound if not matches)
    nothing = Comparison(None, "", "", "", "", agreeing, absent, record.error)
    names = {axis for each in expectations for axis in each.axes if isinstance(axis, str)}

    suspects = [operation for each, matches in bound if (operation := _impossible(record, each, matches))]
    if (failed := record.failed) is not None:
        suspects.append(failed)
    mixed = find_mixed(record, axes, sorted(names))
    if mixed is not None:
        suspects.append(mixed.operation)
    if not suspects:
        return nothing
    suspect = min(suspects, key=lambda operation: operation.number)

    blamed = _first_to_blame(record, suspect, bound)
    if blamed is not None and (mixed is None or blamed[0].number < mixed.operation.number):
        operation, name, result, expectation = blamed
        return Comparison(
            operation,
            name,
            written(expectation.axes),
            _told(result.shape, axes),
            causes.of_departure(result.shape, expectation.shape, expectation.axes, axes),
            agreeing,
            absent,
            record.error,
        )
    if blamed is None and suspect is not failed and mixed is None:
        return nothing
    if mixed is not None and mixed.operation is suspect:
        mixed_shape = _told(mixed.after, axes)
        cause = causes.of_mixing(mixed, axes)
        return Comparison(suspect, "", "", mixed_shape, cause, agreeing, absent, record.error)
    cause = causes.of_failure(suspect, record, axes)
    return Comparison(suspect, "", "", "", cause, agreeing, absent, record.error)


def _told(shape: Shape, axes: Axes) -> str:
    """Return a shape in names, with its numbers where names leave a doubt."""
    named = axes.named(shape)
    return named if named == str(shape) else f"{named} = {shape}"


def _bound(record: Record, expectation: Expectation) -> Iterator[tuple[str, Operation, Result]]:
    """Yield the results that have one of the expected names."""
    for operation in record.operations:
        if operation.from_parameters:
            continue
        for result in operation.results:
            for name in expectation.names:
                called = name.endswith("()") and operation.name.split(".")[-1] == name[:-2]
                if result.is_output if name == OUTPUT else called or name in result.names:
                    yield name, operation, result
                    break


def _impossible(
    record: Record, expectation: Expectation, matches: list[tuple[str, Operation, Result]]
) -> Operation | None:
    """Return the first operation of a name that never has axes which could be made of the expected ones."""
    outputs = [(operation, result) for name, operation, result in matches if name == OUTPUT]
    if outputs and all(result.shape != expectation.shape for _, result in outputs):
        return outputs[0][0]
    others = [(operation, result) for name, operation, result in matches if name != OUTPUT]
    if any(causes.is_explained(result.shape, expectation.shape) for _, result in others):
        return None
    return others[0][0] if others else None


def _first_to_blame(
    record: Record,
    suspect: Operation,
    bound: list[tuple[Expectation, list[tuple[str, Operation, Result]]]],
) -> tuple[Operation, str, Result, Expectation] | None:
    """Return the first named result on the way to a suspect that is not, and does not become, as expected."""
    path = record.ancestors(suspect.number) | {suspect.number}
    exact = {
        operation.number
        for each, matches in bound
        for _, operation, result in matches
        if result.shape == each.shape and operation.number in path
    }
    blamed = []
    for each, matches in bound:
        on_the_way = [(name, op, result) for name, op, result in matches if op.number in path]
        if not on_the_way or any(_arrives(record, op, each.shape) for _, op, _ in on_the_way):
            continue
        # The last of a name's results is what the code goes on with.
        name, operation, result = on_the_way[-1]
        # Where splitting or joining itself fails, the axes before it are as they should be.
        tries = suspect.error and suspect.name in SPLITS and operation is not suspect
        if tries and causes.differs_by_splits(result.shape, each.shape):
            continue
        # What made a later result come out right was right, whatever it looked like.
        if any(operation.number in record.ancestors(number) for number in exact):
            continue
        blamed.append((operation, "" if name.endswith("()") else name, result, each))
    return min(blamed, key=lambda blame: blame[0].number, default=None)


def _arrives(record: Record, operation: Operation, shape: Shape) -> bool:
    """Whether moving alone brings a result into a shape, or into that with its last two axes turned round."""
    turned = (*shape[:-2], *reversed(shape[-2:]))
    return any(
        result.shape in (shape, turned)
        for each in derived(record, operation.number)
        for result in each.results
    )
