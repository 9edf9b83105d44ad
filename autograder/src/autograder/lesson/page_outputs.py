"""Outputs that live in the page: modules that travel, with all that they show, in the output of their cell.

So a saved notebook shows them on any later day. JupyterLab and Notebook show them through the extension in
`labextension/`, which keeps what was chosen in the notebook; VS Code and Colab run them as a script in HTML.
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
    """Return the output that mounts a module where a person sees it, and is still everywhere else.

    Args:
        code: the module with all that it imports.
        values: what it shows, and as `chosen` what is chosen at first.
        still: the output by its types, for readers whose page runs nothing.
        files: bytes that the module reads, by name.
        name: what the choice is kept by; that of the content where none is given.
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
    """Return the text of a module in this folder, with what it imports."""
    return bundled(Path(__file__).with_name(name))


@cache
def _mount() -> str:
    """Return the script that puts a module into a page."""
    path = Path(__file__).with_name("labextension") / "static" / "mount.js"
    return path.read_text(encoding="utf-8").replace("export ", "")
