"""The execution of a notebook's cells in this process, with the outputs that a Jupyter kernel would send.

It uses ipykernel's own shell, display hook, publisher and tracebacks. Their messages to a client are
collected here, so figures at the end of a cell, results and errors take the same path as in a kernel.
"""

from __future__ import annotations

import ast
import builtins
import getpass
import io
import os
import sys
import warnings
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType, MethodType, SimpleNamespace
from typing import Any

from ipykernel.compiler import XCachingCompiler, get_tmp_directory
from ipykernel.kernelbase import Kernel
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import TransformerManager
from jupyter_client.jsonutil import json_default
from jupyter_client.session import Session
from traitlets.config import Config

from autograder.grading.sandbox.output_limits import LEFT_OUT_MIME, Budget

# What one cell may print; the rest is counted, not kept.
MOST_TEXT = 100_000
# What is kept of an error's own words, where there are too many.
MOST_OF_ERROR = 1_000
# The runner's standard input: /dev/null, open for writing too.
NOTHING = 0
# Programs that install packages, in a cell such as `!pip install einops`.
INSTALLERS = frozenset(("pip", "pip3", "conda", "mamba", "uv"))
# What an output keeps of the message that it came as.
FIELDS = {
    "display_data": ("data", "metadata"),
    "execute_result": ("data", "metadata", "execution_count"),
    "error": ("ename", "evalue", "traceback"),
}


# As JSON: nbformat's own type would load a schema and its checks, which takes as long as torch.
Output = dict[str, Any]

NO_SPILL: Mapping[str, int] = MappingProxyType({})


@dataclass
class Outputs:
    """The outputs of a cell so far, merged as nbclient merges them, within a budget."""

    kept: list[Output] = field(default_factory=list)
    cut: int = 0
    budget: Budget = field(default_factory=Budget)
    changed: set[int] = field(default_factory=set)  # the ids of updated outputs, even of earlier cells
    _text: int = 0
    _clear: bool = False
    _left_out: int = 0

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
        if last is not None and (last["output_type"], last.get("name")) == ("stream", stream):
            last["text"] += text
        else:
            self.kept.append({"output_type": "stream", "name": stream, "text": text})

    def message(self, kind: str, content: dict[str, Any], shown: dict[str, list[Output]]) -> None:
        """Add the output in a kernel's message; `shown` maps a display id to the outputs that have it."""
        if kind == "clear_output":
            self._clear = True
            if not content.get("wait"):
                self._begin()
            return
        display = content.get("transient", {}).get("display_id")
        if kind == "update_display_data":
            for output in shown.get(display, ()):
                self._update(output, content)
            return
        if kind not in FIELDS:
            return
        self._begin()
        # The grader looks at its form: whether it is right cannot be known on this side.
        output = {"output_type": kind, **{name: content.get(name) for name in FIELDS[kind]}}
        if not self.budget.takes(output):
            if kind != "error":
                self._leave_out()
                return
            output |= {"evalue": f"{str(output['evalue'])[:MOST_OF_ERROR]}…", "traceback": ["…"]}
        self.kept.append(output)
        if display is not None:
            shown.setdefault(display, []).append(output)

    def _update(self, output: Output, content: dict[str, Any]) -> None:
        if not _is_line(output):
            self.budget.give_back([output])
        updated = {"data": content["data"], "metadata": content["metadata"]}
        output.update(updated if self.budget.takes({**output, **updated}) else _line(1))
        self.changed.add(id(output))

    def _leave_out(self) -> None:
        """Count an output that is too much, where the first one of these would stand."""
        self._left_out += 1
        lines = filter(_is_line, self.kept)
        line = next(lines, None)
        if line is None:
            line = {"output_type": "display_data"}
            self.kept.append(line)
        line.update(_line(self._left_out))

    def _begin(self) -> None:
        if self._clear:
            self.budget.give_back(
                output for output in self.kept if output["output_type"] != "stream" and not _is_line(output)
            )
            self.kept.clear()
            self._clear = False
            self._text = self.cut = self._left_out = 0

    def finished(self) -> list[Output]:
        """Return the outputs as nbclient leaves them.

        Each stream has one output, and text that a carriage return overwrites is removed.
        """
        if self.cut:
            for output in reversed(self.kept):
                if output["output_type"] == "stream":
                    output["text"] += f"\n… {self.cut} more characters were cut off …"
                    break
        outputs: list[Output] = []
        streams: dict[str, Output] = {}
        for output in self.kept:
            if output["output_type"] == "stream" and output["name"] in streams:
                streams[output["name"]]["text"] += output["text"]
                continue
            if output["output_type"] == "stream":
                streams[output["name"]] = output
            outputs.append(output)
        for output in streams.values():
            output["text"] = _last_written(output["text"])
        for index, (one, other) in enumerate(pairwise(outputs)):
            if (one.get("name"), other.get("name")) == ("stderr", "stdout"):
                outputs[index : index + 2] = other, one
        self.kept = [
            output for output in outputs if output["output_type"] != "stream" or self.budget.takes(output)
        ]
        for _ in range(len(outputs) - len(self.kept)):
            self._leave_out()
        return self.kept


def _line(number: int) -> Output:
    """Return what stands in the place of some outputs that were left out."""
    text = f"… {number} of the outputs of this cell left out …"  # whoever can, says it in a language
    return {"data": {"text/plain": text, LEFT_OUT_MIME: number}, "metadata": {}}


def _is_line(output: Output) -> bool:
    return LEFT_OUT_MIME in output.get("data", ())


def _last_written(text: str) -> str:
    """Text without what a line said before its last carriage return, which is not to be seen any more."""
    if "\r" not in text:
        return text
    return "\n".join(line[line.rfind("\r", 0, max(len(line) - 1, 0)) + 1 :] for line in text.split("\n"))


class _Messages(Session):
    """A session that hands messages to whoever collects outputs, and sends nothing."""

    take: Callable[[str, dict[str, Any]], None]

    def send(self, stream: Any, msg_or_type: Any, content: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(msg_or_type, dict):
            kind, content = msg_or_type["header"]["msg_type"], msg_or_type["content"]
        else:
            kind = msg_or_type
        content = content or {}
        if isinstance(content.get("data"), dict):  # bytes of a picture become text where a session packs them
            data = {
                mime: json_default(shown) if isinstance(shown, bytes) else shown
                for mime, shown in content["data"].items()
            }
            content = {**content, "data": data}
        self.take(kind, content)
        return None


class _Stream(io.TextIOBase):
    encoding = "UTF-8"

    def __init__(self, name: str, write: Callable[[str, str], None]) -> None:
        self.name = name
        self._write = write

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        self._write(self.name, text)
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return NOTHING  # a kernel's is its terminal: what goes there stands in no notebook

    def isatty(self) -> bool:
        return False


class _Names(XCachingCompiler):
    """Names cells as a kernel does, but for the number, which takes Python a millisecond there."""

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:
        return f"{get_tmp_directory()}{os.sep}{zlib.crc32(raw_code.encode())}.py"


class _Magics(TransformerManager):
    """Looks for magics as a kernel does, where there can be some: token by token is how it takes longest."""

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        source = "".join(lines)
        try:
            if "\\" not in source:  # of an escape that Python warns of, it is not to warn twice
                ast.parse(source)
                return lines  # Python by itself, which a line with a magic is not
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        transformed: list[str] = super().do_token_transforms(lines)
        return transformed


class _Shell(ZMQInteractiveShell):
    wanted = True

    def enable_gui(self, gui: Any = None) -> None:
        # Event loops belong to a kernel. Inline figures need none.
        if gui not in (None, "inline"):
            raise UsageError(f"there is no screen here for {gui!r}")

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        if self.wanted:
            super().showtraceback(*args, **kwargs)
        else:
            self._get_exc_info(*args[:1])  # which keeps it: a check tells what stopped a cell

    def showsyntaxerror(self, *args: Any, **kwargs: Any) -> None:
        if self.wanted:
            super().showsyntaxerror(*args, **kwargs)
        else:
            self._get_exc_info()

    def system(self, cmd: str) -> None:
        """Run a system command, except one that installs packages, since it would wait for a network."""
        words = cmd.split()
        programs = {word.strip("'\"").rpartition("/")[2] for word in words}
        if "install" not in words or programs.isdisjoint(INSTALLERS):
            super().system(cmd)
            return
        self.user_ns["_exit_code"] = 1
        print(f"Nothing is installed while work is graded: {cmd}")

    def ask_exit(self) -> None:
        """Ignore `exit` and `quit`, since nbgrader's kernel also runs on to the last cell."""


class Shell:
    """One notebook's interpreter, created before forking, since creating it takes longer than most cells."""

    def __init__(self) -> None:
        self._outputs = Outputs()
        self._shown: dict[str, list[Output]] = {}
        # Cells with outputs that a later cell may update.
        self._updatable: dict[str, tuple[int, list[Output]]] = {}
        messages = _Messages()
        messages.take = self._take
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The history file is a person's; a graded notebook neither reads nor writes it. Of a stack, plain
            # lines are enough: coloured ones with their surroundings take longer than most cells.
            plain = Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"xmode": "Plain"}})
            self.shell = _Shell.instance(compiler_class=_Names, config=plain)
        self.shell.input_transformer_manager = _Magics()
        self.shell.displayhook.session = messages
        self.shell.displayhook.pub_socket = None
        self.shell.displayhook.topic = b"execute_result"
        self.shell.display_pub.session = messages
        self.shell.display_pub.pub_socket = None
        put_into_words = self.shell.display_formatter.format

        def format_if_wanted(*args: Any, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
            return put_into_words(*args, **kwargs) if self.shell.wanted else ({}, {})

        self.shell.display_formatter.format = format_if_wanted

    def warm_up(self, preload: Sequence[str]) -> None:
        """Run cells for the modules that they import, so that forks share these, and discard the cells.

        Raises:
            RuntimeError: a cell failed.
        """
        for source in preload:
            for output in (output for _, _, outputs in self.run(iter([("", source)])) for output in outputs):
                if output["output_type"] == "error":
                    raise RuntimeError(f"{source!r}: {output['ename']}: {output['evalue']}")
        # Nothing of it is left for a notebook to see: no In[1], no Out[1], no `_`.
        self.shell.reset(new_session=False)
        if self.shell.history_manager is not None:
            self.shell.history_manager.input_hist_raw[:] = [""]
            self.shell.history_manager.input_hist_parsed[:] = [""]
        self.shell.execution_count = 1
        for name in ("last_type", "last_value", "last_traceback"):
            vars(sys).pop(name, None)

    def _take(self, kind: str, content: dict[str, Any]) -> None:
        self._outputs.message(kind, content, self._shown)

    def run(
        self,
        cells: Iterator[tuple[str, str]],
        spill: Mapping[str, int] = NO_SPILL,
        wanted: Collection[str] | None = None,
    ) -> Iterator[tuple[str, int, list[Output]]]:
        """Run cells one by one, and yield each cell's id, execution count and outputs.

        If a later cell updates a cell's outputs, that cell is yielded again at the end.

        Args:
            cells: the id and source of each cell.
            spill: for a stream, the file that receives output from outside Python, such as that of other
                programs.
            wanted: the ids of the cells whose results and errors are needed; None for all.
        """
        asked = SimpleNamespace(_allow_stdin=False)
        builtins.input = MethodType(Kernel.raw_input, asked)
        getpass.getpass = MethodType(Kernel.getpass, asked)
        budget = Budget()
        changed: set[int] = set()
        for cell_id, source in cells:
            budget.begin_cell()
            self._outputs = Outputs(budget=budget, changed=changed)
            self.shell.wanted = wanted is None or cell_id in wanted
            shown = sum(map(len, self._shown.values()))
            write = self._outputs.text
            before = sys.stdout, sys.stderr
            sys.stdout, sys.stderr = _Stream("stdout", write), _Stream("stderr", write)
            try:
                self.shell.run_cell(source, store_history=True, cell_id=cell_id)
            finally:
                sys.stdout, sys.stderr = before
            for stream, descriptor in spill.items():
                self._outputs.text(stream, _spilled(descriptor))
            count, outputs = self.shell.execution_count - 1, self._outputs.finished()
            changed.difference_update(map(id, outputs))
            yield cell_id, count, outputs
            if sum(map(len, self._shown.values())) > shown:
                self._updatable[cell_id] = count, outputs
        for cell_id, (count, outputs) in self._updatable.items():
            if not changed.isdisjoint(map(id, outputs)):
                yield cell_id, count, outputs


def _spilled(descriptor: int) -> str:
    """Return what was written to a file since it was last asked for."""
    size = os.fstat(descriptor).st_size
    if not size:
        return ""
    text = os.pread(descriptor, MOST_TEXT, 0).decode("utf-8", "replace")
    os.ftruncate(descriptor, 0)
    return text
