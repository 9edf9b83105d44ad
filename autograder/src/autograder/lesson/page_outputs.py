"""Interactive outputs: JavaScript modules that are stored, with all their data, in the output of their cell.

So a saved notebook shows them whenever it is opened. JupyterLab and Notebook show them through the extension
in `labextension/`, which stores the learner's choices in the notebook; VS Code and Colab run them as a script
in HTML.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from autograder.lesson import interactive_session
from autograder.records.javascript_modules import MODULE_MIME, PICTURE_MIME, bundled

SCRIPT = """<div class="ag-live">{still}</div><script>(async (box) => {{
{mount}
const chosen = window.lessonChosen ??= {{}};
await mount(box, {name}, "{live}", {{
  recall: () => chosen[{name}],
  keep: (now) => void (chosen[{name}] = now),
  ask: () => null,
  panel: () => null,
}});
}})(document.currentScript.parentElement.querySelector(".ag-live"));</script>"""


def in_page(
    code: str,
    values: Mapping[str, Any],
    still: Mapping[str, Any],
    files: Mapping[str, bytes] | None = None,
    name: str = "",
) -> dict[str, Any]:
    """Return a cell's output that runs a JavaScript module in a page, and is static everywhere else.

    Args:
        code: the text of the module, with all that it imports.
        values: the module's data; the initial choice is under `chosen`.
        still: the static output by MIME type, for front ends that run no scripts.
        files: the bytes of the files that the module reads, by name.
        name: the key under which the learner's choice is stored; without one, a digest of the content.
    """
    page = interactive_session.page()
    if not page:
        return dict(still)
    held = {name: base64.b64encode(content).decode() for name, content in (files or {}).items()}
    content = json.dumps({"code": code, "values": values, "files": held}, ensure_ascii=False).encode()
    live = base64.b64encode(gzip.compress(content, mtime=0)).decode()
    name = name or hashlib.sha256(content).hexdigest()[:12]
    if page == "jupyter":
        return {**still, MODULE_MIME: {"name": name, "live": live}}
    shown = still.get("text/html") or still.get(PICTURE_MIME, {}).get("svg", "")
    script = SCRIPT.format(mount=_mount(), still=shown, live=live, name=json.dumps(name))
    return {**still, "text/html": script}


def page_module(name: str) -> str:
    """Return the text of a JavaScript module in this package's folder, with the modules that it imports."""
    return bundled(Path(__file__).with_name(name))


@cache
def _mount() -> str:
    """Return the script that puts a module into a page."""
    path = Path(__file__).with_name("labextension") / "static" / "mount.js"
    return path.read_text(encoding="utf-8").replace("export ", "")
