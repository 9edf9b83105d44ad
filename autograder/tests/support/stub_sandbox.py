"""A process that speaks a sandbox's protocol and runs nothing: each cell's text says what it does.

`ok` puts out its own id. Whatever else there is stands in `FAULTS`, and goes wrong in the way that it names.
Started by its path, so that it loads nothing but the protocol itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    import framing  # type: ignore[import-not-found]
else:
    from autograder.grading.sandbox import framing
    from autograder.grading.sandbox.bubblewrap import Inside
    from autograder.grading.sandbox.resource_limits import Limits
    from autograder.grading.sandbox.sandbox_client import Job, RunResult, Worker

FOLDER = Path(framing.__file__).parent
LARGE = "x" * 300_000  # more than a pipe holds
OF_ANOTHER = "of another"
BEYOND = 1 << 40  # a number that no job has


def job(does: Sequence[str], seconds: float = 60) -> Job:
    """Return a job of cells that do these."""
    return Job([(f"cell-{at}", text) for at, text in enumerate(does)], limits=Limits(seconds=seconds))


def start(_: object = None, grader: int | None = None) -> subprocess.Popen[bytes]:
    """Start one in a sandbox's place; `grader` is the process that its `interrupts` are sent to."""
    command = [sys.executable, "-I", "-S", __file__, str(FOLDER), str(grader or os.getpid())]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)


def outputs(name: str, text: str) -> list[dict[str, str]]:
    """Return what a cell puts out that does `ok`, `large`, or some text."""
    written = LARGE if text == "large" else text or f"of {name}"
    return [{"output_type": "stream", "name": "stdout", "text": written}]


_worker: Worker | None = None


def graded(does: Sequence[str], seconds: float = 60) -> RunResult:
    """Run a job in this process's own worker, as its sandboxes are kept."""
    global _worker
    _worker = _worker or Worker(Inside(), start, grace=0.5)
    return _worker.run(job(does, seconds))


class Stub:
    """One job at a time, as the keeper serves them."""

    def __init__(self, grader: int) -> None:
        self._grader = grader
        self._out = framing.Writer(1, 0)
        self._number = 0

    def say(self, kind: bytes, payload: bytes) -> None:
        self._out.send(kind, payload)
        self._out.flush()

    def cell(self, name: str, text: str = "") -> None:
        output = {"id": name, "count": 1, "outputs": outputs(name, text)}
        self.say(framing.CELL, json.dumps(output).encode())

    def serve(self) -> None:
        self.say(framing.READY, b"")
        reader = framing.Reader(framing.JOB, 1 << 30)
        while piece := os.read(0, 1 << 16):
            for _, payload in reader.feed(piece):
                self.run(json.loads(payload))

    def run(self, job: dict[str, object]) -> None:
        self._number = number = job["number"]
        self._out = framing.Writer(1, number)
        for name, does in job["cells"]:
            self.say(framing.STARTED, name.encode())
            if does in FAULTS:
                FAULTS[does](self, name)
            if does in MUCH:
                self.much(name, MUCH[does]())
                continue
            self.cell(name, "" if does in FAULTS or does == "ok" else does)
        ending = {"how": "finished", "seconds": 0.1, "held_up": False}
        self.say(framing.END, json.dumps(ending).encode())
        if any(does == "goes on" for _, does in job["cells"]):
            self.cell(name, "after its end")

    def much(self, name: str, text: bytes) -> None:
        shown = b'{"output_type": "display_data", "metadata": {}, "data": {"application/json": %s}}' % text
        self.say(framing.CELL, b'{"id": "%s", "count": 1, "outputs": [%s]}' % (name.encode(), shown))

    def as_another(self, number: int) -> None:
        """Say something of the first cell of another job, with the number of that."""
        self._out = framing.Writer(1, number)
        self.cell("cell-0", OF_ANOTHER)
        self._out = framing.Writer(1, self._number)

    def interrupt(self, _: str) -> None:
        os.kill(self._grader, signal.SIGUSR1)
        time.sleep(0.01)


# Cells that say as much as is read of one, as a stranger may write it: reading takes several times its size.
MUCH: dict[str, Callable[[], bytes]] = {
    "one letter beyond all others": lambda: b'"\\ud83d\\ude00' + b"x" * 10_000_000 + b'"',
    "letters beyond all others": lambda: b'"' + b"\\ud83d\\ude00" * 850_000 + b'"',
    "lists": lambda: b"[" + b"[]," * 190_000 + b"0]",
    "dictionaries": lambda: b"[" + b'{"a":1},' * 190_000 + b"0]",
    "numbers": lambda: b"[" + b"1.5," * 990_000 + b"0]",
    "texts": lambda: b"[" + b'"ab",' * 990_000 + b"0]",
}
FAULTS: dict[str, Callable[[Stub, str], object]] = {
    "ends": lambda stub, name: os._exit(3),
    "is killed": lambda stub, name: os.kill(os.getpid(), signal.SIGKILL),
    "stops": lambda stub, name: os.kill(os.getpid(), signal.SIGSTOP),
    "is garbled": lambda stub, name: os.write(1, b"no message of anybody's, and rather long"),
    "sends half": lambda stub, name: (os.write(1, b"C\xff\xff"), os._exit(0)),
    "is of the job before": lambda stub, name: stub.as_another(stub._number - 1),
    "is of the next": lambda stub, name: stub.as_another(stub._number + 1),
    "is of none": lambda stub, name: stub.as_another(BEYOND),
    "interrupts": Stub.interrupt,
    "goes on": lambda stub, name: None,
    "writes much beside": lambda stub, name: os.write(2, b"x" * 300_000),
    "is no JSON": lambda stub, name: stub.say(framing.CELL, b'{"id": '),
    "is nested": lambda stub, name: stub.say(framing.CELL, b"[" * 100_000),
    "names others": lambda stub, name: stub.cell("somebody-else", "x"),
    "has no form": lambda stub, name: stub.say(framing.CELL, b'{"id": "%s", "count": {}}' % name.encode()),
}

if __name__ == "__main__":
    Stub(int(sys.argv[2])).serve()
