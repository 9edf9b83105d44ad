"""Serve the trained model with what I made: `python -m mine.serve`, then open the address that it prints.

The program around it is lesson 14's. What `mine` does not have yet is taken from that lesson too, and is named.
Only this machine can reach the page.
"""

from __future__ import annotations

import ast
import html
import json
import sys
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qs

import mine
import torch
from visuals.checkpoint import CONTEXT_LENGTH, VOCABULARY, decode, encode

LESSON = "14-serve-it"
PARTS = ("TinyTransformer", "PagedCache", "SharedCache", "read_paged", "packed_attention", "serve")
BUDGET, NEW, MOST_TEXTS, MOST_BYTES = 64, 60, 16, 20_000
PAGE = """<!doctype html><meta charset="utf-8"><title>mine</title>
<style>body {{ font: 16px/1.5 system-ui; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }}
textarea {{ width: 100%; font: inherit }} pre {{ white-space: pre-wrap }}</style>
<h1>My own server</h1><p>{whose}</p>
<form method="post"><label for="texts">Beginnings, one on each line; they are written together.</label>
<textarea id="texts" name="texts" rows="6">{texts}</textarea><p><button>Write on</button></p></form>
<div role="status">{answers}</div>"""


def lesson_parts(root: Path) -> dict[str, Any]:
    """Return what lesson 14 defines: as it is solved in the course's folder, or in the learner's notebook."""
    paths = [root / folder / LESSON / f"{LESSON}.ipynb" for folder in ("solutions", "notebooks")]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        sys.exit(f"Put `mine` into the folder of the course: {LESSON} is not here.")
    parts: dict[str, Any] = {"__name__": "lesson"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
            body = [part for part in ast.parse("".join(cell["source"])).body if isinstance(part, kept)]
            exec(compile(ast.Module(body, []), str(path), "exec"), parts)  # noqa: S102
    return parts


def gathered() -> tuple[dict[str, Any], str]:
    """Return the parts that serve, mine where I have them, and a sentence on whose they are."""
    parts = lesson_parts(Path(mine.__file__).parents[1])
    own = [name for name in PARTS if callable(getattr(mine, name, None))]
    parts |= {name: getattr(mine, name) for name in own}
    others = [name for name in PARTS if name not in own]
    whose = [f"My own: {', '.join(own)}."] if own else []
    whose += [f"Taken from the course: {', '.join(others)}."] if others else []
    return parts, " ".join(whose)


class Server(ThreadingHTTPServer):
    """A page on 127.0.0.1 that writes texts on, all at once."""

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.parts, self.whose = gathered()
        self.lock = Lock()
        with torch.no_grad():
            self.model = self.parts["own_model"]()

    def answer(self, texts: Sequence[str]) -> str:
        """Return what the model writes after some texts, as HTML."""
        known = ["".join(letter for letter in text if letter in VOCABULARY) for text in texts]
        prompts = [encode(text[-(CONTEXT_LENGTH - NEW) :]) for text in known if text]
        if not prompts:
            return ""
        begun = time.perf_counter()
        with self.lock, torch.no_grad():
            step = self.parts["server_step"](self.model, num_blocks=16 * MOST_TEXTS)
            written = self.parts["serve"](step, prompts, torch.full((len(prompts),), NEW), BUDGET)
        rate = NEW * len(prompts) / (time.perf_counter() - begun)
        rows = [
            f"<pre>{html.escape(decode(prompt))}<b>{html.escape(decode(column[column >= 0]))}</b></pre>"
            for prompt, column in zip(prompts, written.T, strict=True)
        ]
        return "".join(rows) + f"<p>{len(written)} steps, {rate:.0f} tokens per second.</p>"


class Handler(BaseHTTPRequestHandler):
    """Answers a browser on this machine."""

    server: Server

    def do_GET(self) -> None:
        self._show("A list is a mutable \nThe for statement ", "")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            self.send_error(413)
            return
        form = parse_qs(self.rfile.read(int(length)).decode("utf-8", "replace"))
        texts = form.get("texts", [""])[0]
        self._show(texts, self.server.answer(texts.splitlines()[:MOST_TEXTS]))

    def _show(self, texts: str, answers: str) -> None:
        port = self.server.server_address[1]
        if self.headers.get("Host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            self.send_error(403)  # another site's page, under a name that leads here
            return
        shown = PAGE.format(whose=html.escape(self.server.whose), texts=html.escape(texts), answers=answers)
        content = shown.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_words: object) -> None:
        """Say nothing of each request."""


if __name__ == "__main__":
    serving = Server(int(sys.argv[1]) if len(sys.argv) > 1 else 8014)
    print(serving.whose)
    print(f"http://127.0.0.1:{serving.server_address[1]}/ answers until Ctrl-C.", flush=True)
    try:
        serving.serve_forever()
    except KeyboardInterrupt:
        print()
