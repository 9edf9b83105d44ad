"""Notes on points that a submission probably lost by accident, for the student and the grader."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nbformat import NotebookNode

from autograder.records.answer_findings import GivensChanged, Verdict
from autograder.records.cell_roles import is_learners
from autograder.words.language import LazyMessage
from autograder.words.phrases import N_

# By a pattern for "name: text" of the error that stopped a learner's cell, the remark on it.
ACCIDENTS = {
    r"ModuleNotFoundError: No module named '([\w.]{1,100})'": N_(
        "The cell {name} imports {what}, which is not installed where work is graded."
    ),
    r"SyntaxError: invalid (?:non-printable )?character .*?(U\+[0-9A-F]{4,6})": N_(
        "Python cannot read the cell {name}: it holds the character {what}, which comes from a web page or a "
        "document."
    ),
}


def accidental_losses(executed: NotebookNode, verdicts: Mapping[str, Verdict]) -> list[LazyMessage]:
    """Return notes on points that a submission probably lost by accident."""
    remarks = []
    for cell in executed.cells:
        outputs = cell.get("outputs", ()) if is_learners(cell) else ()
        for error in (output for output in outputs if output.output_type == "error"):
            for pattern, (says,) in ACCIDENTS.items():
                if match := re.match(pattern, f"{error.ename}: {error.evalue}"):
                    remarks.append(LazyMessage(says, name=cell.id, what=match.group(1)))
    findings = [verdict.finding for verdict in verdicts.values()]
    dtypes = {finding.dtype: None for finding in findings if isinstance(finding, GivensChanged)}
    (changed,) = N_("A cell sets another default dtype, so the example data is {dtype} in place of float32.")
    return remarks + [LazyMessage(changed, dtype=dtype) for dtype in dtypes if dtype]
