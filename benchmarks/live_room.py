"""What a live room costs: from an event to the board, the server's memory and time, and what `check` waits.

    python3 start.py run python -m benchmarks.live_room [--learners 300] [--seconds 60]

Learners, each with a sender of their own as in a notebook, are simulated in this process, and check once in
20 s, at times of their own. The server is `autograder live` itself, in another process; a board listens to
its events. `check` is timed in turn without a room and with one that answers, that is dead (nobody listens),
and that is slow (it takes the connection, and never answers).
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import torch
from autograder.lesson import live_line
from autograder.lesson.live_line import Line
from autograder.live.board import Vocabulary
from autograder.records.course import Course
from rich.console import Console
from rich.table import Table

from autograder import check

ROOT = Path(__file__).parents[1]
EACH = 20.0  # seconds between two checks of a learner
TASK = "query-scores"
ROUNDS, EACH_TIME = 120, 20


@contextmanager
def room(folder: Path) -> Iterator[tuple[str, str, str, int]]:
    """Serve a room; yields its address, its code, its board's address and the server's process."""
    command = [sys.executable, "-m", "autograder", "live", "--course", ROOT, "--history", folder / "live.db"]
    server = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert server.stdout is not None
    said = "".join(server.stdout.readline() for _ in range(3))
    joined = re.search(r'join\("(.*?)", "(.*?)"\)', said)
    board = re.search(r"board:\s+(\S+)", said)
    assert joined is not None
    assert board is not None
    try:
        yield joined[1], joined[2], board[1], server.pid
    finally:
        server.terminate()
        server.wait()


class Board:
    """A board that is open: when it was told first of so many people on a task."""

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        asking = http.client.HTTPConnection(place.netloc)
        asking.request("GET", f"{place.path}?{place.query}")
        cookie = SimpleCookie(asking.getresponse().headers["Set-Cookie"])
        listening = http.client.HTTPConnection(place.netloc)
        cookies = "; ".join(f"{name}={one.value}" for name, one in cookie.items())
        listening.request("GET", f"{place.path}events", headers={"Cookie": cookies})
        self._answer = listening.getresponse()
        self.seen: dict[str, float] = {}  # when a task's number of people was told first
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while line := self._answer.readline():
            if line.startswith(b"data: "):
                now = time.monotonic()
                for task in json.loads(line[6:])["tasks"]:
                    for number in range(1, task["solved"] + 1):
                        self.seen.setdefault(f"{task['id']} {number}", now)


def used(process: int) -> tuple[float, float]:
    """Return a process's memory in MB, at most so far, and its processor time in seconds."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    peak = re.search(r"VmHWM:\s+(\d+)", status)
    ticks = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    assert peak is not None
    return int(peak[1]) / 1024, (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def measured(learners: int, seconds: float, folder: Path) -> list[tuple[str, str]]:
    """Have learners check for some time; returns what came of it, in words."""
    words = Vocabulary.of(Course.of(ROOT))
    # Each solves another task each time, so that every event shows as one person more who has solved it.
    tasks = list(words.tasks)
    sent: dict[str, list[float]] = {task: [] for task in tasks}
    with room(folder) as (address, code, board_address, process):
        board = Board(board_address)
        lines = [Line(urlsplit(address), code, f"{number:016x}") for number in range(learners)]
        time.sleep(5)  # all have joined
        begun, (_, used_before) = time.monotonic(), used(process)
        due = sorted(
            (begun + random.uniform(0, EACH) + EACH * turn, number, turn)
            for number in range(learners)
            for turn in range(int(seconds // EACH))
        )
        for at, number, turn in due:
            time.sleep(max(0.0, at - time.monotonic()))
            task = tasks[(number + turn) % len(tasks)]
            sent[task].append(time.monotonic())
            lines[number].tell("right", task)
        time.sleep(3)
        took = time.monotonic() - begun
        memory, processor = used(process)
        for line in lines:
            line.close()
    late = [
        board.seen.get(f"{task} {number}", float("inf")) - at
        for task, times in sent.items()
        for number, at in enumerate(times, start=1)
    ]
    p95 = statistics.quantiles(late, n=20)[-1]
    return [
        ("events", str(len(late))),
        ("event to board, median", f"{statistics.median(late):.2f} s"),
        ("event to board, p95", f"{p95:.2f} s (aim: 2 s)"),
        ("event to board, at most", f"{max(late):.2f} s"),
        ("the server's memory, at most", f"{memory:.0f} MB (aim: 200 MB)"),
        ("of one core, on average", f"{(processor - used_before) / took:.0%} (aim: 100 %)"),
    ]


def added(folder: Path) -> list[tuple[str, str]]:
    """Return what a check waits more where a room answers, is dead, or is slow."""
    answer = torch.zeros(6)

    def once() -> tuple[float, float]:
        """Return the time of a check and the processor time meanwhile, the sender's with it; in ms."""
        begun, used_before = time.perf_counter(), time.process_time()
        check(TASK, answer)
        return (time.perf_counter() - begun) * 1000, (time.process_time() - used_before) * 1000

    code, learner = "ABCDEFGH", "f" * 16
    nobody = socket.create_server(("127.0.0.1", 0))
    dead = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    nobody.close()
    slow = socket.create_server(("127.0.0.1", 0), backlog=100)
    with room(folder) as (alive, known, _, _):
        places: dict[str, Callable[[], Line | None]] = {
            "without a room": lambda: None,
            "with a room that answers": lambda: Line(urlsplit(alive), known, learner),
            "with a dead one": lambda: Line(urlsplit(dead), code, learner),
            "with a slow one": lambda: Line(
                urlsplit(f"http://127.0.0.1:{slow.getsockname()[1]}"), code, learner
            ),
        }
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in places}
        telling: list[float] = []
        tell = live_line.tell_check

        def timed(*told: Any) -> None:
            begun = time.perf_counter()
            tell(*told)
            telling.append((time.perf_counter() - begun) * 1000)

        live_line.tell_check = timed
        for _ in range(3):
            once()
        for _ in range(ROUNDS // EACH_TIME):  # in turn, so that whatever else runs here slows all of them
            for name, line in places.items():
                live_line.use(line())
                time.sleep(0.1)
                taken[name] += [once() for _ in range(EACH_TIME)]
                live_line.use(None)
    slow.close()
    rows = []
    for kind, what in enumerate(("check", "its processor time")):
        base = [times[kind] for times in taken["without a room"]]
        for name, both in taken.items():
            times = [one[kind] for one in both]
            more = statistics.median(times) - statistics.median(base)
            told = f"median {statistics.median(times):.1f} ms"
            rows.append((f"{what}, {name}", told if times == base else f"{told}: {more:+.1f} ms"))
    p95 = statistics.quantiles(telling, n=20)[-1]
    told = f"median {statistics.median(telling):.3f} ms, p95 {p95:.3f} ms, at most {max(telling):.1f} ms"
    rows.append(("of a check, telling the room", f"{told} (aim: 5 ms)"))
    return rows


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--learners", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        os.environ["AUTOGRADER_PROGRESS"] = "off"
        os.chdir(ROOT)
        load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        said = f"{asked.learners} learners, a check each {EACH:.0f} s, for {asked.seconds:.0f} s; {load}"
        table = Table(title=said)
        table.add_column("what")
        table.add_column("measured")
        for row in (*measured(asked.learners, asked.seconds, Path(made)), *added(Path(made))):
            table.add_row(*row)
        Console().print(table)


if __name__ == "__main__":
    main()
