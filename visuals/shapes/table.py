"""A record as a table: in HTML with real headers, and as plain text where there is none."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import groupby

from autograder.probe.recording.operations import (
    COPY,
    IN_PLACE,
    NEW,
    SAME,
    VIEW,
    Operand,
    Operation,
    Record,
    Result,
)

from visuals.language import N_, _, ngettext
from visuals.not_ready import NotReady
from visuals.shapes import look
from visuals.shapes.axes import Axes
from visuals.shapes.compare import Comparison

MOST_PARTS = 4
MEMORY = {
    NEW: N_("new"),
    COPY: N_("new, copied"),
    VIEW: N_("view of {source}"),
    SAME: N_("the same tensor as {source}"),
    IN_PLACE: N_("{source} changed in place"),
}


class Nothing(NotReady):
    """Stands in for the table while no tensor operation ran: most likely the class is not written yet."""

    message = N_("No tensor operation has run yet: finish the task above, then run this cell again.")


def steps(record: Record) -> Iterator[tuple[Operation, list[Operation]]]:
    """Yield the operations by the line that led to them: the first of each group, and all."""

    def line(operation: Operation) -> tuple[str, str, int]:
        return operation.path, operation.step.function, operation.step.begins

    for _key, group in groupby(record.operations, line):
        operations = list(group)
        yield operations[0], operations


def as_text(record: Record, axes: Axes, comparison: Comparison | None = None) -> str:
    """Return the table as lines of text."""
    lines = [repr(comparison), ""] if comparison is not None else []
    if not record.operations and not record.error:
        return Nothing().alt
    lines.append(heading(record))
    for first, operations in steps(record):
        path = f"[{first.path}] " if first.path else ""
        lines.append(f"{path}{look.where(first.step)}: {first.step.text}")
        for operation in operations:
            taken = ", ".join(_taken(operand) for operand in operation.operands)
            parts = [f"  {operation.number:3} {called(operation)}{_times(operation)}"]
            if inner := _inner(operation):
                parts.append(f"[{inner}]")
            if taken:
                parts.append(f"of {taken}")
            if operation.error:
                parts.append(f"FAILED: {operation.error}")
            else:
                parts.append("-> " + "; ".join(_made_text(result, axes) for result in _shown(operation)))
                parts.append(f"| {memory(operation)}")
            lines.append(" ".join(parts))
    return "\n".join([*lines, *notes(record, axes)])


def as_html(record: Record, axes: Axes, comparison: Comparison | None = None) -> str:
    """Return the table as HTML: it stands without a kernel, and without its style sheet too."""
    named = any(axes.says_more(result.shape) for each in record.operations for result in each.results)
    columns = [_("operation"), _("takes"), _("makes"), *(["axes"] if named else []), "strides", _("memory")]
    departing = comparison.operation if comparison is not None else None
    body = []
    for first, operations in steps(record):
        path = f'<span class="quiet">{html.escape(first.path)} ·</span> ' if first.path else ""
        body.append(
            f'<tbody><tr class="line"><th colspan="{len(columns)}" scope="rowgroup">{path}'
            f'<span class="quiet">{html.escape(look.where(first.step))}:</span> '
            f"<code>{html.escape(first.step.text)}</code></th></tr>"
        )
        body += [_row(operation, axes, named, operation is departing) for operation in operations]
        body.append("</tbody>")
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    comparison_html = comparison.to_html() if comparison is not None else ""
    below = "".join(f"<p>{html.escape(note)}</p>" for note in notes(record, axes))
    label = _("Table of shapes")
    return look.framed(
        f'{comparison_html}<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
        f"<table><caption>{html.escape(heading(record))}</caption>"
        f"<thead><tr>{head}</tr></thead>{''.join(body)}</table></div>{below}"
    )


def heading(record: Record) -> str:
    """How many operations there are."""
    count = len(record.operations)
    return ngettext(
        "{number} operation, in the order in which they ran",
        "{number} operations, in the order in which they ran",
        count,
    )


def notes(record: Record, axes: Axes) -> list[str]:
    """Return what has to be said below the table."""
    sentences = []
    if record.error:
        stop = _("The code stopped with {error}.", error=record.error)
        if line := record.error_line:
            location, code = look.where(line), line.text
            stop = _(
                "The code stopped with {error}, at {place}: {code}",
                error=record.error,
                place=location,
                code=code,
            )
        sentences.append(stop)
    if record.left_out:
        sentences.append(
            _(
                "{count:,} more operations ran and are not shown: the first {kept} are kept. Track a "
                "smaller part, or pass most_rows.",
                count=record.left_out,
                kept=len(record.operations),
            )
        )
    if axes.doubt:
        sentences.append(axes.doubt)
    return sentences


def called(operation: Operation) -> str:
    """Return an operation's name, a module's without `self`, with its class."""
    name = operation.name.removeprefix("self.")
    return f"{name} ({operation.kind})" if operation.kind and operation.kind != name else name


def memory(operation: Operation) -> str:
    """Tell whether the result has memory of its own."""
    result = operation.results[0]
    source = result.source or next(
        (_("row {row}", row=operand.maker) for operand in operation.operands if operand.maker), _("the input")
    )
    return _(MEMORY[result.memory], source=source)


def _row(operation: Operation, axes: Axes, named: bool, departs: bool) -> str:
    inner = _inner(operation)
    times = _times(operation)
    first = (
        f'<th scope="row"><span class="number">{operation.number}</span> '
        f"<code>{html.escape(called(operation))}</code>"
        + (f" <b>{times.strip()}</b>" if times else "")
        + (
            f'<br><span class="number"></span> <span class="quiet">{html.escape(inner)}</span>'
            if inner
            else ""
        )
        + "</th>"
    )
    taken = ", ".join(html.escape(_taken(operand)) for operand in operation.operands)
    cells = [first, f'<td class="takes">{taken}</td>']
    if operation.error:
        cells.append(f'<td class="bad" colspan="{4 if named else 3}">✗ {html.escape(operation.error)}</td>')
    else:
        shown = _shown(operation)
        cells.append(f"<td>{'<br>'.join(_made_html(result) for result in shown)}</td>")
        if named:
            cells.append(f"<td>{'<br>'.join(html.escape(_axes(result, axes)) for result in shown)}</td>")
        strides = "<br>".join(str(result.strides or _("none")) for result in shown)
        cells.append(f"<td>{strides}</td>")
        cells.append(f'<td class="memory">{_memory(operation)}</td>')
    mark = ' class="departs"' if departs else ""
    return f"<tr{mark}>{''.join(cells)}</tr>"


def _inner(operation: Operation) -> str:
    """Where an operation stands, if that is not the line above the group: in a helper."""
    same = (
        operation.site.function == operation.step.function and operation.site.begins == operation.step.begins
    )
    return "" if same else look.where(operation.site)


def _times(operation: Operation) -> str:
    return " … " + _("{times:,} times", times=operation.times) if operation.times > 1 else ""


def _taken(operand: Operand) -> str:
    name = operand.name or (_("row {row}", row=operand.maker) if operand.maker else _("a tensor"))
    return f"{name} {operand.shape}"


def _shown(operation: Operation) -> list[Result]:
    return operation.results[:MOST_PARTS]


def _axes(result: Result, axes: Axes) -> str:
    return axes.named(result.shape)[1:-1].rstrip(",") if axes.says_more(result.shape) else ""


def _made_html(result: Result) -> str:
    names = f"<b>{html.escape(', '.join(result.names))}</b> " if result.names else ""
    return f"{names}{result.shape}"


def _memory(operation: Operation) -> str:
    shares = operation.results[0].memory not in (NEW, COPY)
    where = html.escape(memory(operation))
    order = "" if operation.results[0].is_contiguous else f', <span class="bad">{_("not contiguous")}</span>'
    return (f'<span class="shared">{where}</span>' if shares else where) + order


def _made_text(result: Result, axes: Axes) -> str:
    names = f"{', '.join(result.names)} " if result.names else ""
    meaning = f" = {axes.named(result.shape)}" if axes.says_more(result.shape) else ""
    order = "" if result.is_contiguous else ", " + _("not contiguous")
    return f"{names}{result.shape}{meaning}, strides {result.strides}{order}"
