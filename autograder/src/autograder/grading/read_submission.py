"""The reading of submissions in any condition."""

from __future__ import annotations

import codecs
import contextlib
import json
import stat
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from autograder.grading.trim_notebook import TooManyParts, essential
from autograder.records.cell_roles import OF_RELEASE, RELEASE

# Kept in an empty notebook's metadata: why the file could not be read.
UNREADABLE = "unreadable_submission"
# How the note begins that says so to whoever grades.
NOT_READ = "This submission could not be read"
# The cell of a graded notebook that holds the notes for its reader.
NOTES_CELL = "grading-notes"
MAX_FILE_BYTES = 100_000_000
# Of what is used of it: texts and ids, and no outputs.
MAX_USED_BYTES = 20_000_000
# What is used of a file takes time and memory for each of its parts, however small.
MAX_PARTS = 100_000
# No more than this is read at once, outputs and all.
SMALL_BYTES = 1_000_000
# Of a time, or a word of the exchange's, that lies beside it.
MAX_BESIDE_BYTES = 200
# Of the id of a release.
MOST_RELEASE = 40


class TooLarge(ValueError):
    """The parts of a notebook that grading uses have too many bytes."""


def read_submission(path: Path) -> NotebookNode:
    """Return a submission as a notebook of format 4; if it cannot be read, an empty one that says why."""
    reason = refused(path, path.parents[2])
    if reason:
        return unreadable(reason)
    try:
        return read_text(path.read_bytes())
    except OSError as problem:
        return unreadable(f"the file cannot be opened ({problem.strerror})")


def read_plain(path: Path) -> str:
    """Return a submission as JSON text, to be passed between processes; see `read_submission`."""
    return json.dumps(read_submission(path))


def refused(path: Path, root: Path) -> str:
    """Return why a file may not be opened, such as a link; "" if it may.

    Args:
        path: the file.
        root: the folder with all submissions, in which it must be.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        return f"there is no {path.name} in the submission"
    except OSError as problem:
        return f"the file cannot be opened ({problem.strerror})"
    # A link may point at somebody else's work, or at itself, and opening a pipe would wait for ever.
    try:
        straight = path.resolve() == root.resolve() / path.relative_to(root)
    except (OSError, RuntimeError):  # what a circle of links raises depends on the version of Python
        straight = False
    if not straight:
        return "the file or its folder is a link to another place"
    if not stat.S_ISREG(status.st_mode):
        return "it is no ordinary file"
    return _too_large() if status.st_size > MAX_FILE_BYTES else ""


def read_text(text: bytes) -> NotebookNode:
    """Return a submission, given its file's content; see `read_submission`."""
    if len(text) > MAX_FILE_BYTES:
        return unreadable(_too_large())
    try:
        plain = _taken_apart(text)
    except TooManyParts:
        return unreadable(f"the file has more than {MAX_PARTS} parts")
    except TooLarge:
        return unreadable(f"without its outputs, the file is larger than {MAX_USED_BYTES // 10**6} MB")
    except (ValueError, RecursionError):
        return unreadable("the file is not JSON, so it is no notebook")
    if not isinstance(plain, dict) or not isinstance(plain.get("cells", plain.get("worksheets")), list):
        return unreadable("the file holds JSON, but no notebook cells")
    if "worksheets" in plain:
        try:
            plain = nbformat.convert(nbformat.from_dict(plain), 4)
        except Exception as problem:  # format 3 that its own converter does not understand
            return unreadable(f"the notebook is of an old format that cannot be converted ({problem})")
    return _only_what_is_used(plain)


def why_unreadable(text: bytes) -> str:
    """Return why a submission's content is no notebook; "" if it is one."""
    return str(read_text(text).metadata.get(UNREADABLE, ""))


def lightened(text: bytes) -> bytes:
    """Return a submission's content without parts that grading does not use, if it is large.

    Content that is no notebook is returned unchanged; the code that parses it reports the error.
    """
    if len(text) <= SMALL_BYTES or len(text) > MAX_FILE_BYTES:
        return text
    try:
        return essential(text, MAX_PARTS)
    except ValueError:
        return text


def _taken_apart(text: bytes) -> Any:
    if len(text) <= SMALL_BYTES and _parts(text) <= MAX_PARTS:  # as almost all are, and as fast as can be
        with contextlib.suppress(RecursionError):
            return json.loads(text.decode(json.detect_encoding(text), "replace"))
    used = essential(text, MAX_PARTS)
    if _parts(used) > MAX_PARTS:
        raise TooManyParts
    if len(used) > MAX_USED_BYTES:
        raise TooLarge
    return json.loads(used.decode("utf-8", "replace"))


def _parts(text: bytes) -> int:
    return text.count(b"{") + text.count(b"[")


def _only_what_is_used(plain: Mapping[str, Any]) -> NotebookNode:
    """Return a clean notebook: its release, and the kind, text, id and grade id of each cell."""
    notebook = new_notebook()
    about = plain.get("metadata")
    about = about.get(OF_RELEASE) if isinstance(about, dict) else None
    if isinstance(about, dict) and isinstance(release := about.get(RELEASE), str):
        notebook.metadata[OF_RELEASE] = {RELEASE: release[:MOST_RELEASE]}
    for cell in plain["cells"]:
        if not isinstance(cell, dict):
            continue
        source = cell.get("source")
        if isinstance(source, list):
            source = "".join(part for part in source if isinstance(part, str))
        kind = "code" if cell.get("cell_type") == "code" else "markdown"
        text = source if isinstance(source, str) else ""
        clean = NotebookNode(cell_type=kind, metadata=NotebookNode(), source=text)
        if kind == "code":
            clean.update(execution_count=None, outputs=[])
        if isinstance(cell.get("id"), str):
            clean["id"] = cell["id"]
        metadata = cell.get("metadata")
        marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        if isinstance(marks, dict) and isinstance(marks.get("grade_id"), str):
            clean.metadata["nbgrader"] = {"grade_id": marks["grade_id"]}
        notebook.cells.append(clean)
    return notebook


def _too_large() -> str:
    return f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB"


def beside(path: Path) -> str:
    """Return the text of a small file beside a notebook, in any encoding; "" if it cannot be read."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return ""
        with path.open("rb") as file:
            text = file.read(MAX_BESIDE_BYTES)
    except OSError:
        return ""
    if text[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return text.decode("utf-16", "replace").strip("\ufeff\0 \r\n\t")
    return text.decode(json.detect_encoding(text), "replace").strip("\ufeff\0 \r\n\t")


def moment(text: str) -> datetime | None:
    """Return the time in a text as nbgrader stores it; None if the text has none."""
    from nbgrader.utils import parse_utc  # all of nbgrader, which whoever runs submissions has no use for

    try:
        parsed: datetime = parse_utc(text)
    except (ValueError, OverflowError, TypeError, AttributeError, OSError):
        return None
    return parsed


def unreadable(reason: str) -> NotebookNode:
    """Return an empty notebook that stands for a submission that cannot be read."""
    notebook = new_notebook()
    notebook.metadata[UNREADABLE] = reason
    return notebook
