"""The runs of a notebook's cells: the cell that defined a name, whether it ran again, and how that run ended.

A check looks up a name in the notebook. The value may be left over from an earlier run: the cell's new text
has an error, say, or spells the name differently. JupyterLab and other front ends tell the kernel which cell
they run. With a front end that does not, nothing is reported.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.lesson import interactive_session
from autograder.probe.collect_evidence import nearest_names
from autograder.probe.exceptions import stop_of
from autograder.records.answer_findings import Stale
from autograder.records.parse_cells import names_of, parsed
from autograder.records.run_outcome import ErrorReport

OF_ANSWER = "-answer"  # ends the id of the cell that a task is answered in
_ABSENT: Any = object()


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a cell: the names that it gave a new value, and the error that stopped it."""

    cell: str  # the cell's id; "" if the front end names none
    order: int
    number: int  # the number beside the cell
    text: str
    made: frozenset[str]
    error: ErrorReport | None = None

    def makes(self, name: str) -> bool:
        """Tell whether this run assigned a name, even if the value is the same as before."""
        if name in self.made:
            return True
        if name not in self.text:
            return False
        last = self.error.line_number if self.error else None
        statements = parsed(self.text).body
        if self.error is not None:  # only what stands above the line that stopped it has run
            statements = [statement for statement in statements if (statement.end_lineno or 0) < (last or 0)]
        return any(name in names_of(ast.unparse(statement))[0] for statement in statements)


@dataclass(frozen=True)
class Origin:
    """The run that gave a name its present value; `elsewhere` if its cell is not the task's answer cell."""

    run: Run
    elsewhere: bool = False


class _Watcher:
    """Keeps the last run of each cell, and which run made each name."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self._order = itertools.count(1)
        self._before: list[dict[str, Any]] = []  # what the names stood for: a cell may run others
        self.latest: dict[str, Run] = {}
        self._makers: dict[str, Run] = {}
        self._deleted: set[str] = set()

    def before(self, _info: Any) -> None:
        """Store the values of all names before a cell runs."""
        self._before.append(dict(self.shell.user_ns))
        self._deleted.update(interactive_session.deleted_cells())

    def after(self, result: Any) -> None:
        """Record the names that a cell has assigned, and how the cell ended."""
        if not self._before:
            return  # the cell in which the watch began
        before = self._before.pop()
        changed = {
            name for name, value in self.shell.user_ns.items() if before.get(name, _ABSENT) is not value
        }
        error = result.error_before_exec or result.error_in_exec
        run = Run(
            result.info.cell_id or "",
            next(self._order),
            result.execution_count or 0,
            result.info.raw_cell,
            frozenset(changed),
            _report(error) if error is not None else None,
        )
        self._makers.update(dict.fromkeys(changed, run))
        if run.cell:
            self.latest[run.cell] = run
            self._deleted.discard(run.cell)

    def origin(self, name: str, answer_cell: str) -> Stale | Origin | None:
        space = self.shell.user_ns
        if not self._before:
            return None
        own_run, maker = self.latest.get(answer_cell), self._makers.get(name)
        if name not in space:
            if own_run is not None:
                return _left_out(own_run, name)
            return None if maker else Stale("unrun")
        if self._before[-1].get(name, _ABSENT) is not space[name]:
            return None  # made by the cell that is running
        newer = own_run is not None and (maker is None or own_run.order > maker.order)
        if own_run is not None and newer:
            if own_run.makes(name):
                maker = own_run  # be it the value that another cell had given
            elif own_run.error is not None:
                return Stale("stopped", error=own_run.error)
        if maker is None or not maker.cell:
            return None
        if maker.cell in self._deleted:
            return Stale("deleted")
        last = self.latest[maker.cell]
        if not last.makes(name):
            return _left_out(last, name)
        check_cell = answer_cell.removesuffix(OF_ANSWER)
        if own_run is None and interactive_session.running_cell() != check_cell:
            return Origin(last)  # the front end's ids are not those of the notebook
        return self._out_of_order(name, last, answer_cell, check_cell) or Origin(
            last, elsewhere=maker.cell != answer_cell
        )

    def _out_of_order(self, name: str, run: Run, answer_cell: str, check_cell: str) -> Stale | None:
        """Return why a name stands for something else where the notebook runs from top to bottom."""
        cells = interactive_session.cells()
        if check_cell not in cells:  # where a cell stands is not known
            return None if run.cell == answer_cell else Stale("elsewhere", number=run.number)
        above = cells[: cells.index(check_cell)]
        makers = [cell for cell in above if cell == run.cell or self._makes(cell, name, answer_cell)]
        if run.cell != answer_cell and (run.cell not in above or makers[-1] == answer_cell):
            return Stale("elsewhere", number=run.number)
        if makers and makers[-1] != run.cell:
            return Stale("overwritten", number=self.latest[makers[-1]].number)
        for needed in sorted(names_of(run.text)[1]):
            maker = self._makers.get(needed)
            below = maker is not None and maker.cell in cells and maker.cell not in above
            if below and not any(self._makes(cell, needed) for cell in above):
                return Stale("needs-below", (needed,))
        return None

    def _makes(self, cell: str, name: str, answer_cell: str = "") -> bool:
        """Tell whether a cell makes a name; that of an answer is meant to, run or not."""
        run = self.latest.get(cell)
        return run.makes(name) if run else cell == answer_cell

    def remade(self, origin: Origin, names: Collection[str]) -> tuple[str, ...]:
        needed = names_of(origin.run.text)[1]
        makers = {name: self._makers.get(name) for name in names if name in needed}
        return tuple(name for name, maker in makers.items() if maker and maker.order > origin.run.order)


_watching: _Watcher | None = None


def watch() -> None:
    """Start to record the runs of cells, if this code runs in a notebook."""
    global _watching
    shell = interactive_session.shell()
    if shell is None or (_watching is not None and _watching.shell is shell):
        return
    _watching = _Watcher(shell)
    shell.events.register("pre_run_cell", _watching.before)
    shell.events.register("post_run_cell", _watching.after)


def origin(name: str, answer_cell: str) -> Stale | Origin | None:
    """Return the run that gave a name its present value, or why that value is out of date.

    Args:
        name: the name of a task's answer.
        answer_cell: the id of the cell in which the lesson expects the answer.

    Returns:
        The run; a `Stale` finding if the cells, as they were last run, do not give the name this value; or
            None if nothing is known.
    """
    return _watching.origin(name, answer_cell) if _watching and interactive_session.has_front_end() else None


def last_run(cell: str) -> Run | None:
    """Return the last run of a cell in this kernel; None if none is known."""
    return _watching.latest.get(cell) if _watching and interactive_session.has_front_end() else None


def remade(origin: Origin, names: Collection[str]) -> tuple[str, ...]:
    """Return the names, of those given, that a run read and that a later run assigned again."""
    return _watching.remade(origin, names) if _watching else ()


def _left_out(run: Run, name: str) -> Stale:
    """Return why a run of a cell did not make a name."""
    if run.error is not None:
        return Stale("stopped", error=run.error)
    made: Mapping[str, Any] = dict.fromkeys(names_of(run.text)[0])
    near = nearest_names(name, made)
    return Stale("renamed", near[:1]) if near else Stale("dropped")


def _report(error: BaseException) -> ErrorReport:
    stop = stop_of(error)
    return stop[1] if stop else ErrorReport(type(error).__name__, "")
