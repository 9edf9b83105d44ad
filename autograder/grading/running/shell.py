"""Run a notebook's cells in this process, with the outputs that a Jupyter kernel would have sent.

It is ipykernel's own shell, with its display hook, publisher and tracebacks; what they send to a client is
kept here instead. So figures at the end of a cell, results and errors take the same path as in a kernel.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import nbformat.v4
from ipykernel.compiler import XCachingCompiler
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.error import UsageError
from jupyter_client.session import Session
from nbformat import NotebookNode

from autograder.grading.running import pictures

# What one cell may print; the rest is counted, not kept.
MOST_TEXT = 100_000


@dataclass
class Outputs:
    """What a cell has put out so far, merged as nbclient merges it."""

    kept: list[NotebookNode] = field(default_factory=list)
    cut: int = 0
    _text: int = 0
    _clear: bool = False

    def text(self, stream: str, text: str) -> None:
        if text:
            self._begin()
        room = max(0, MOST_TEXT - self._text)
        self._text += len(text)
        if len(text) > room:
            self.cut += len(text) - room
            text = text[:room]
        if not text:
            return
        last = self.kept[-1] if self.kept else None
        if last is not None and last.output_type == "stream" and last.name == stream:
            last.text += text
        else:
            self.kept.append(nbformat.v4.new_output("stream", name=stream, text=text))

    def message(self, kind: str, content: dict[str, Any], shown: dict[str, list[NotebookNode]]) -> None:
        """Take what a kernel would send; `shown` maps a display id to the outputs that carry it."""
        if kind == "clear_output":
            self._clear = True
            if not content.get("wait"):
                self._begin()
            return
        display = content.get("transient", {}).get("display_id")
        if kind == "update_display_data":
            for output in shown.get(display, ()):
                output.data, output.metadata = content["data"], content["metadata"]
            return
        if kind not in ("display_data", "execute_result", "error"):
            return
        self._begin()
        output = nbformat.v4.output_from_msg({"header": {"msg_type": kind}, "content": content})
        self.kept.append(output)
        if display is not None:
            shown.setdefault(display, []).append(output)

    def _begin(self) -> None:
        if self._clear:
            self.kept.clear()
            self._clear = False
            self._text = self.cut = 0

    def finished(self) -> list[NotebookNode]:
        if self.cut:
            for output in reversed(self.kept):
                if output.output_type == "stream":
                    output.text += f"\n… {self.cut} more characters were cut off …"
                    break
        return self.kept


class _Keeper(Session):
    """A session that hands messages to whoever collects outputs, and sends nothing."""

    take: Callable[[str, dict[str, Any]], None]

    def send(self, stream: Any, msg_or_type: Any, content: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(msg_or_type, dict):
            kind, content = msg_or_type["header"]["msg_type"], msg_or_type["content"]
        else:
            kind = msg_or_type
        self.take(kind, content or {})
        return None


class _Stream(io.TextIOBase):
    encoding = "utf-8"

    def __init__(self, name: str, write: Callable[[str, str], None]) -> None:
        self.name = name
        self._write = write

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._write(self.name, text)
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False


class _Shell(ZMQInteractiveShell):
    def enable_gui(self, gui: Any = None) -> None:
        # Event loops belong to a kernel. Inline figures need none.
        if gui not in (None, "inline"):
            raise UsageError(f"there is no screen here for {gui!r}")

    def _get_exc_info(self, exc_tuple: Any = None) -> Any:
        kind, error, trace = super()._get_exc_info(exc_tuple)
        return kind, error, pictures.without_wrappers(trace)

    def ask_exit(self) -> None:
        """`exit` and `quit` end nothing here: nbgrader's kernel runs on to the last cell as well."""


class Shell:
    """One notebook's interpreter. Make it once, before forking: making it takes longer than most cells."""

    def __init__(self) -> None:
        self._outputs = Outputs()
        self._shown: dict[str, list[NotebookNode]] = {}
        keeper = _Keeper()
        keeper.take = lambda kind, content: self._outputs.message(kind, content, self._shown)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.shell = _Shell.instance(compiler_class=XCachingCompiler)
        self.shell.displayhook.session = keeper
        self.shell.displayhook.pub_socket = None
        self.shell.displayhook.topic = b"execute_result"
        self.shell.display_pub.session = keeper
        self.shell.display_pub.pub_socket = None
        # The history file is a person's; a graded notebook neither reads nor writes it.
        if self.shell.history_manager is not None:
            self.shell.history_manager.enabled = False

    def warm_up(self) -> None:
        """Load what the first result and the first figure load, so that forks share it."""
        import matplotlib.pyplot as plt

        for _ in self.run(iter([("warm-up", "1 + 1")])):
            pass
        figure = plt.figure()
        figure.text(0.5, 0.5, "warm")
        figure.canvas.draw()
        plt.close(figure)
        # Nothing of it is left for a notebook to see: no In[1], no Out[1], no `_`.
        self.shell.reset(new_session=False)
        if self.shell.history_manager is not None:
            self.shell.history_manager.input_hist_raw[:] = [""]
            self.shell.history_manager.input_hist_parsed[:] = [""]
        self.shell.execution_count = 1

    def run(self, cells: Iterator[tuple[str, str]]) -> Iterator[tuple[str, int, list[NotebookNode]]]:
        """Run cells, given as (id, source), one by one; yields (id, execution count, outputs) for each."""
        for cell_id, source in cells:
            self._outputs = Outputs()
            write = self._outputs.text
            before = sys.stdout, sys.stderr
            sys.stdout, sys.stderr = _Stream("stdout", write), _Stream("stderr", write)
            try:
                self.shell.run_cell(source, store_history=True, cell_id=cell_id)
            finally:
                sys.stdout, sys.stderr = before
            yield cell_id, self.shell.execution_count - 1, self._outputs.finished()
