"""What a learner waits for before the first task: the first cell of each lesson, and `start.py lab`.

    python3 start.py run python -m benchmarks.starting [LESSON ...] [--rounds 3]

The first cell runs in a new process each time, in turn with one that imports torch alone: what the course
itself adds is the difference. `start.py lab` is timed from the command until its kernel has run the first
cell of the first lesson that was asked for; the environment is there already, so this is a second start.
The fastest of the rounds is printed, since everything that disturbs a start makes it longer.
"""

from __future__ import annotations

import argparse
import json
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import nbformat
from autograder.records.course import Course
from jupyter_client.session import Session
from rich.console import Console
from rich.table import Table
from websocket import create_connection

ROOT = Path(__file__).resolve().parents[1]
AIM_CELL, AIM_LAB = 2.0, 10.0  # seconds
CODE = secrets.token_hex()  # of the server
# Runs a cell as a kernel does, and says what it took on the clock and of the processor.
RUN = """
import sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
clock, processor = time.perf_counter(), time.process_time()
shell.run_cell(sys.argv[1]).raise_error()
print("\\n" + repr((time.perf_counter() - clock, time.process_time() - processor)))
"""


def first_cell(lesson: str) -> str:
    """Return the text of a lesson's first code cell."""
    notebook = nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
    return str(next(cell.source for cell in notebook.cells if cell.cell_type == "code"))


def seconds(cell: str, lesson: str) -> tuple[float, float]:
    """Return the seconds of a cell in a new process beside a lesson, on the clock and of the processor."""
    command = [sys.executable, "-c", RUN, cell]
    done = subprocess.run(
        command, cwd=ROOT / "notebooks" / lesson, check=True, capture_output=True, text=True
    )
    clock, processor = json.loads(done.stdout.strip().splitlines()[-1].replace("(", "[").replace(")", "]"))
    return clock, processor


@contextmanager
def lab(folder: Path) -> Iterator[str]:
    """Start the course as a learner does; yields the server's address once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    command = [sys.executable, "start.py", "lab", "--no-browser", "--port", address.partition(":")[2]]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, f"--ServerApp.token={CODE}"], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        while not _answers(address):
            if server.poll() is not None:
                raise RuntimeError((folder / "log").read_text())
            time.sleep(0.05)
        yield address
    finally:
        server.terminate()
        server.wait()


def _answers(address: str) -> bool:
    server = HTTPConnection(address, timeout=5)
    try:
        server.request("GET", f"/api?token={CODE}")
        return server.getresponse().status == HTTPStatus.OK
    except OSError:
        return False
    finally:
        server.close()


def until_run(cell: str, lesson: str) -> float:
    """Return the seconds from `start.py lab` until its kernel has run a cell."""
    with tempfile.TemporaryDirectory(prefix="starting-") as folder:
        begun = time.perf_counter()
        with lab(Path(folder)) as address:
            wanted = {
                "path": f"notebooks/{lesson}/{lesson}.ipynb",
                "name": lesson,
                "type": "notebook",
                "kernel": {"name": "python3"},
            }
            server = HTTPConnection(address)
            server.request("POST", f"/api/sessions?token={CODE}", json.dumps(wanted))
            kernel = json.load(server.getresponse())["kernel"]["id"]
            server.close()
            line = create_connection(f"ws://{address}/api/kernels/{kernel}/channels?token={CODE}")
            message = Session().msg("execute_request", {"code": cell, "silent": False})
            line.send(json.dumps({**message, "channel": "shell"}, default=str))
            while (reply := json.loads(line.recv()))["msg_type"] != "execute_reply":
                pass
            took = time.perf_counter() - begun
            line.close()
            if reply["content"]["status"] != "ok":
                raise RuntimeError(reply["content"].get("evalue", "the first cell failed"))
            return took


def main() -> None:
    """Print the table, and what `start.py lab` took."""
    known = Course.read(ROOT).lessons
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="these lessons, or all")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    lessons = asked.lessons or list(known)
    table = Table("lesson", "first cell, s", "of processor time", "torch alone, s", "times torch")
    for lesson in lessons:
        cell = first_cell(lesson)
        pairs = [(seconds(cell, lesson), seconds("import torch", lesson)) for _ in range(asked.rounds)]
        (clock, processor), (alone, _) = (min(taken) for taken in zip(*pairs, strict=True))
        row = (f"{clock:.2f}", f"{processor:.2f}", f"{alone:.2f}", f"{clock / alone:.2f}")
        table.add_row(lesson, *row, style="red" if clock > AIM_CELL else "")
    console = Console()
    console.print(table)
    cell = first_cell(lessons[0])
    took = min(until_run(cell, lessons[0]) for _ in range(asked.rounds))
    console.print(
        f"`start.py lab` until the first cell of {lessons[0]} has run: {took:.1f} s (aim {AIM_LAB:.0f})"
    )


if __name__ == "__main__":
    main()
