"""What one file of a student's costs the grader, found by trying: each input grows until it is refused.

    python3 start.py run python -m benchmarks.inputs [KIND ...] [--most BYTES]

Each kind of input is made anew at four times the size, and read as grading, collecting, reporting and
feedback read it, in a kept process. What counts is that process's processor time and memory, beside what it
held before. The aims: at no size more than 10 seconds and 300 MB, whatever is made of it.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import random
import resource
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress

from autograder.classroom.class_report import without_names
from autograder.classroom.similar_answers import signs, words
from autograder.classroom.unpacking import unpacked
from autograder.grading import reader_processes
from autograder.grading.evasion_lint import hiding
from autograder.grading.notebook_evidence import bound_outputs
from autograder.grading.read_submission import read_text
from autograder.grading.rebuild_submission import only_needed, rebuild
from autograder.grading.sandbox.execute_notebook import _output
from autograder.grading.sandbox.output_limits import RUN
from autograder.grading.sanitize_html import SafeOutputs, markdown2html, safe_html
from autograder.records.evidence_transport import EvidenceRefused, unpack
from autograder.words.sanitize import one_line
from nbformat.v4 import new_code_cell, new_notebook
from rich.console import Console
from rich.table import Table

AIM_SECONDS, AIM_MEGABYTES = 10.0, 300.0
RELEASE = new_notebook(cells=[new_code_cell("x = ...", id="a"), new_code_cell("def f(a):\n    ...", id="b")])


def submission(cells: list[object]) -> bytes:
    """Return a notebook of these cells."""
    return json.dumps({"cells": cells}).encode()


def code(text: str, count: int = 1) -> bytes:
    """Return a notebook of code cells."""
    return submission([{"cell_type": "code", "source": text} for _ in range(count)])


def grade(content: bytes) -> None:
    """Read what was handed in as grading does, but for running it."""
    rebuilt = rebuild(RELEASE, read_text(content)).notebook
    only_needed(rebuilt)
    hiding(cell.source for cell in rebuilt.cells)
    for cell in rebuilt.cells:
        without_names(cell.source)
        signs(cell.source)
        words(cell.source)


def outputs(messages: object) -> None:
    """Keep and show outputs as a graded notebook has them."""
    taken = messages[: RUN["shown"].outputs]  # type: ignore[index]  # as of one run
    shown = [output for output in map(_output, taken) if output is not None]
    notebook = new_notebook(cells=[new_code_cell("", outputs=shown)])
    bound_outputs(notebook)
    SafeOutputs().preprocess(notebook, {})


def evidence(text: str) -> None:
    """Read evidence as judging does."""
    with suppress(EvidenceRefused):
        unpack(text)


def archive(content: bytes) -> None:
    """Read a student's own archive as collecting does."""
    with suppress(zipfile.BadZipFile, OSError, ValueError):
        unpacked(content, "work.zip", 100, 60_000_000)


def zipped(size: int) -> bytes:
    """Return an archive whose files hold so many bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(max(1, size // 1_000_000)):
            archive.writestr(f"{number}.ipynb", b"0" * min(size, 1_000_000))
    return buffer.getvalue()


def saved(header: object) -> str:
    """Return evidence whose tensors are described so."""
    text = json.dumps(header).encode()
    packed = base64.b64encode(len(text).to_bytes(8, "little") + text + bytes(4)).decode()
    return json.dumps({"evidence": {"task": "t", "status": "answered"}, "tensors": packed})


def tensor(axes: int) -> dict[str, object]:
    """Describe a tensor of so many axes."""
    return {"dtype": "F32", "shape": [1] * axes, "data_offsets": [0, 4]}


def stream(text: str) -> list[object]:
    """Return printed text as an output."""
    return [{"output_type": "stream", "name": "stdout", "text": text}]


def shown(kind: str, value: object) -> list[object]:
    """Return a display of this kind as an output."""
    return [{"output_type": "display_data", "metadata": {}, "data": {kind: value}}]


# By name: what reads it, and what is read, made of about so many bytes.
KINDS: dict[str, tuple[Callable[[object], object], Callable[[int], object]]] = {
    "notebook: one cell of magics": (grade, lambda n: code("!x\n" * (n // 3))),  # type: ignore[dict-item]
    "notebook: cells of magics": (grade, lambda n: code("!x\n" * 13_000, max(1, n // 39_000))),
    "notebook: cells of sums": (grade, lambda n: code("x = " + "0+" * 19_000 + "1", max(1, n // 38_000))),
    "notebook: cells of calls": (grade, lambda n: code("a()\n" * 9_900, max(1, n // 39_600))),
    "notebook: cells of names": (grade, lambda n: code("a, " * 13_000, max(1, n // 39_000))),
    "notebook: brackets": (grade, lambda n: code("(" * n)),
    "notebook: empty cells": (grade, lambda n: submission([{}] * (n // 4))),
    "notebook: nested": (grade, lambda n: b'{"cells": ' + b"[" * n),
    "notebook: numbers": (grade, lambda n: b'{"cells": [' + b"1," * (n // 2) + b"1]}"),
    "notebook: one number": (grade, lambda n: b'{"cells": [' + b"1" * n + b"]}"),
    "notebook: keys": (
        grade,
        lambda n: json.dumps({"cells": [], **dict.fromkeys(map(str, range(n // 9)))}).encode(),
    ),
    "notebook: an old one": (
        grade,
        lambda n: json.dumps({"nbformat": 3, "worksheets": [{"cells": [{}] * (n // 4)}]}).encode(),
    ),
    "notebook: chance": (grade, lambda n: random.Random(n).randbytes(n)),
    "evidence: axes": (evidence, lambda n: saved({"a": tensor(n // 3)})),  # type: ignore[dict-item]
    "evidence: tensors": (evidence, lambda n: saved({str(number): tensor(1) for number in range(n // 60)})),
    "evidence: nested": (evidence, lambda n: '{"evidence":' * (n // 12)),
    "outputs: text": (outputs, lambda n: stream("x" * n)),
    "outputs: colours": (outputs, lambda n: stream("\x1b[31mx" * (n // 6))),
    "outputs: lists": (outputs, lambda n: shown("application/json", [[]] * (n // 4))),
    "outputs: HTML": (outputs, lambda n: shown("text/html", "<b>x" * (n // 4))),
    "outputs: nested HTML": (outputs, lambda n: shown("text/html", "<div>" * (n // 5))),
    "outputs: many": (outputs, lambda n: stream("x") * (n // 60)),
    "HTML": (safe_html, lambda n: "<b><i>" * (n // 6)),  # type: ignore[dict-item]
    "Markdown: stars": (lambda text: markdown2html(None, text), lambda n: "*a " * (n // 3)),  # type: ignore[arg-type]
    "Markdown: brackets": (lambda text: markdown2html(None, text), lambda n: "[" * n),  # type: ignore[arg-type]
    "Markdown: quotations": (lambda text: markdown2html(None, text), lambda n: "> " * (n // 2)),  # type: ignore[arg-type]
    "Markdown: formulas": (lambda text: markdown2html(None, text), lambda n: "$x$ " * (n // 4)),  # type: ignore[arg-type]
    "Markdown: tables": (lambda text: markdown2html(None, text), lambda n: "|a" * (n // 2)),  # type: ignore[arg-type]
    "archive": (archive, zipped),  # type: ignore[dict-item]
    "name of an exception": (one_line, lambda n: "\x1b" * n),  # type: ignore[dict-item]
}


def cost(kind: str, size: int) -> tuple[float, float]:
    """In a kept process: read an input, and return the seconds and megabytes that this took."""
    read, make = KINDS[kind]
    return reading(read, make(size))


def reading(read: Callable[[object], object], content: object) -> tuple[float, float]:
    """Read something, and return the seconds and megabytes that this took."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    read(content)
    return time.process_time() - begun, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> None:
    """Grow each kind of input, and print the most that it cost, at which size, and what it came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--most", type=int, default=16_000_000)
    chosen = parser.parse_args()
    from benchmarks import inputs  # by its name, which another process finds

    table = Table(title="the most that one input costs")
    for column in ("kind", "bytes", "seconds", "MB", "limit"):
        table.add_column(column, justify="right" if column != "kind" else "left")
    missed = False
    for kind in [kind for kind in KINDS if not chosen.kinds or kind in chosen.kinds]:
        most, size, limit = (0.0, 0.0, 0), 16_000, ""
        while size <= chosen.most and not limit:
            try:
                seconds, megabytes = reader_processes.run_limited(
                    reader_processes.READING, inputs.cost, kind, size
                )
            except reader_processes.LimitReached as problem:
                limit = str(problem)
                seconds, megabytes = float(reader_processes.READING.processor_seconds), most[1]
                if "memory" in limit:
                    seconds, megabytes = most[0], reader_processes.READING.memory_bytes / 2**20
            most = max(most[0], seconds), max(most[1], megabytes), size
            size *= 4
        missed |= most[0] > AIM_SECONDS or most[1] > AIM_MEGABYTES
        table.add_row(kind, f"{most[2]:,}", f"{most[0]:.2f}", f"{most[1]:.0f}", limit)
    Console(width=120).print(table)
    print(f"aim: at most {AIM_SECONDS:g} seconds and {AIM_MEGABYTES:g} MB")
    sys.exit(missed)


if __name__ == "__main__":
    main()
