"""Records every tensor operation of a forward pass at the learner's level, from the learner's own code.

A `TorchFunctionMode` sees each call of torch once, as the learner wrote it, and hooks around modules put what
happens inside a module of torch into one row. Sizes are kept, tensors are not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import EllipsisType, FrameType, TracebackType
from typing import Any

from autograder.probe.recording import recorder as recording
from autograder.probe.recording.operations import Operation, Record
from autograder.probe.recording.recorder import Recorder
from autograder.probe.recording.source_locations import is_learners, leave_out
from torch import nn

from visuals.picture import Picture
from visuals.shapes import flow, table
from visuals.shapes.axes import Axes
from visuals.shapes.compare import Comparison, Expected, compare, read_expected

MOST_ROWS = 200
OURS = (__file__, recording.__file__)
leave_out(str(Path(__file__).parents[1]))


def track_shapes(
    module: nn.Module | EllipsisType | None = None,
    /,
    *,
    expected: Expected | None = None,
    most_rows: int = MOST_ROWS,
    **sizes: int,
) -> ShapeTracker:
    """Record names, shapes, strides and memory of every tensor operation, in your own code as it stands.

    Around any code, or for the calls of one module:

        with track_shapes(b=5, tokens=6, heads=2, head_dim=4) as t:
            mha(batch)
        t                    # the table; t.flow() draws it

        t = track_shapes(mha, b=5, tokens=6)
        t(batch)             # calls mha and returns its result
        t

    A second `with` or call begins anew. Code that fails leaves its record up to the failing line.

    Args:
        module: record only what happens inside calls of this module.
        expected: what each name should have as axes, as for `ShapeTracker.compare`; the table then begins
            with the comparison.
        most_rows: how many different operations to keep; further ones are counted.
        sizes: names of axes by their size, best sizes that all differ.

    Raises:
        TypeError: `module` is no nn.Module, or a size no whole number.
        ValueError: a size below 1, or a name in `expected` without a size.
    """
    if module is not None and module is not Ellipsis and not isinstance(module, nn.Module):
        raise TypeError(f"track_shapes takes a module or nothing, not {type(module).__name__}.")
    return ShapeTracker(module, Axes(sizes), expected, most_rows)


class ShapeTracker:
    """The record of a forward pass; shown as a table, drawn by `flow`, held against a lesson by `compare`."""

    def __init__(
        self, module: nn.Module | EllipsisType | None, axes: Axes, expected: Expected | None, most_rows: int
    ) -> None:
        self._module = module
        self._axes = axes
        self._expected = expected
        if expected is not None:
            read_expected(expected, axes)
        self._most_rows = most_rows
        self._record = Record()
        self._recorder: Recorder | None = None

    def __enter__(self) -> ShapeTracker:
        if self._recorder is not None:
            raise RuntimeError("This tracker is recording already; make another one with track_shapes().")
        base = _learners_frame()
        module = self._module if isinstance(self._module, nn.Module) else None
        self._recorder = Recorder(module, base, self._most_rows)
        self._record = self._recorder.record
        self._recorder.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        recorder.stop(error, trace)
        _leave_out_ours(trace)
        if isinstance(error, Exception):
            _show_in_notebook(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module under the tracker and return what it returns.

        Raises TypeError when the tracker was made without a module, and whatever the module raises.
        """
        if self._module is Ellipsis:
            return None
        if self._module is None:
            raise TypeError(
                "Nothing to call: make the tracker with a module, as in track_shapes(mha), or use it in a "
                "`with` statement."
            )
        __tracebackhide__ = True  # IPython leaves this frame out of a learner's traceback
        with self:
            return self._module(*args, **kwargs)

    @property
    def rows(self) -> tuple[Operation, ...]:
        """The operations so far, each once, in the order in which they first ran."""
        return tuple(self._record.operations)

    def compare(self, expected: Expected) -> Comparison:
        """Find the line at which shapes first depart from what a lesson expects.

        Args:
            expected: pairs of a name and its axes, as in ("keys", ("b", "heads", "tokens", "head_dim")); a
                tuple in place of the name lists other names for the same. 'softmax()' stands for what an
                operation returns, "output" for what the outermost module returns. Names that the code does
                not use are not compared.

        Raises ValueError for an axis whose size is not known.
        """
        return compare(self._record, self._axes, expected)

    def flow(self) -> Picture | table.Nothing:
        """Draw how the steps hang together: each line a box with what it makes."""
        return flow.draw(self._record, self._axes) if self._record.operations else table.Nothing()

    def __repr__(self) -> str:
        return table.as_text(self._record, self._axes, self._comparison)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if not self._record.operations and not self._record.error:
            return table.Nothing()._repr_mimebundle_()
        return {
            "text/html": table.as_html(self._record, self._axes, self._comparison),
            "text/plain": repr(self),
        }

    @property
    def _comparison(self) -> Comparison | None:
        if self._expected is None or not (self._record.operations or self._record.error):
            return None
        return self.compare(self._expected)


def _learners_frame() -> FrameType:
    """Return the frame in which tracking begins."""
    start = sys._getframe(2)
    frame: FrameType | None = start
    while frame is not None and not is_learners(frame.f_code.co_filename):
        frame = frame.f_back
    return frame or start


def _leave_out_ours(trace: TracebackType | None) -> None:
    """Take the tracker's frames out of a traceback, so that it ends at the line that failed."""
    while trace is not None:
        while (inner := trace.tb_next) is not None and inner.tb_frame.f_code.co_filename in OURS:
            trace.tb_next = inner.tb_next
        trace = trace.tb_next


def _show_in_notebook(tracker: ShapeTracker) -> None:
    """Show the record above the traceback, where there is a notebook to show it in."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        from IPython.display import display

        display(tracker)
