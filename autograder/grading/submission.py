"""Read a submission whatever state it is in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

# Kept in an empty notebook's metadata: why the file could not be read.
UNREADABLE = "unreadable_submission"
MAX_FILE_BYTES = 20_000_000


def read_submission(path: Path) -> NotebookNode:
    """A submission as a notebook of format 4; an empty one that says why where it cannot be read."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return _unreadable(f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB")
        text = path.read_bytes().decode("utf-8-sig", "replace")
        plain = json.loads(text)
    except OSError as problem:
        return _unreadable(f"the file cannot be opened ({problem.strerror})")
    except (ValueError, RecursionError):
        return _unreadable("the file is not JSON, so it is no notebook")
    if not isinstance(plain, dict) or not (isinstance(plain.get("cells"), list) or "worksheets" in plain):
        return _unreadable("the file holds JSON, but no notebook cells")
    try:
        return nbformat.reads(text, as_version=4)
    except Exception:
        # Missing keys and wrong types need not matter: `rebuild` looks only at what it can use.
        return nbformat.from_dict(plain)


def _unreadable(reason: str) -> NotebookNode:
    notebook = new_notebook()
    notebook.metadata[UNREADABLE] = reason
    return notebook


class SubmissionExporter(NotebookExporter):
    """nbconvert's notebook exporter, except that it also takes files that are no notebooks."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        made = resources or {}
        made.setdefault("metadata", {}).update(
            {"name": Path(filename).stem, "path": str(Path(filename).parent)}
        )
        return self.from_notebook_node(read_submission(Path(filename)), resources=made, **kw)
