"""What a live room costs: from an event to the board, the server's memory and time, and what `check` waits.

    python3 start.py run python -m benchmarks.live_room [--learners 300] [--seconds 60] [--rounds 30]

Learners, each with a sender of their own as in a notebook, are simulated in this process, and check once in
20 s, at times of their own. The server is `autograder live` itself, in another process; a board listens to
its events. Right and wrong checks are timed by turns without a room, without a room once more (what the two
differ by is noise), and with one that answers, that is dead (nobody listens), and that is slow (it
takes the connection, and never answers).
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
from urllib.parse import urlsplit

from autograder.lesson import event_sender, join_live
from autograder.lesson.event_sender import EventSender
from autograder.live.board_view import Vocabulary
from autograder.records.course import Course
from rich.console import Console
from rich.table import Table

from autograder import check

ROOT = Path(__file__).parents[1]
EACH = 20.0  # seconds between two checks of a learner
TASK = "softmax-naive"
EACH_TIME = 10  # checks of each kind at a time
ALONE = "without a room"

# By what is checked and where, the time that each check took, in ms.
Taken = dict[tuple[str, str], list[float]]


@contextmanager
def room(folder: Path) -> Iterator[tuple[str, str, str, int]]:
    """Serve a room; yields its address, its code, its board's address and the server's process."""
    command = [sys.executable, "-m", "autograder", "live", "--course", ROOT, "--history", folder / "live.db"]
    server = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert server.stdout is not None
    printed = "".join(server.stdout.readline() for _ in range(3))
    joined = re.search(r'join\("(.*?)", "(.*?)"\)', printed)
    board = re.search(r"board:\s+(\S+)", printed)
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
        url = urlsplit(address)
        asking = http.client.HTTPConnection(url.netloc)
        asking.request("GET", f"{url.path}?{url.query}")
        cookie = SimpleCookie(asking.getresponse().headers["Set-Cookie"])
        listening = http.client.HTTPConnection(url.netloc)
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in cookie.items())
        listening.request("GET", f"{url.path}events", headers={"Cookie": cookies})
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
        lines = [EventSender(urlsplit(address), code, f"{number:016x}") for number in range(learners)]
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


def shared_out(places: dict[str, Callable[[], EventSender | None]], rounds: int) -> Taken:
    """Return how long each right and wrong check took in each place, in ms; the places by turns."""
    answers = {"a right check": lambda x: x.exp() / x.exp().sum(), "a wrong check": lambda x: x / x.sum()}
    kinds = [kind for what in answers for kind in (what, f"{what}, processor")]
    taken: Taken = {(kind, name): [] for kind in kinds for name in places}
    for number in range(-1, rounds):  # the first round warms up, and does not count
        for name in random.sample(list(places), len(places)):
            line = places[name]()
            event_sender.use(line)
            if line:
                line.tried.wait(join_live.WAIT)  # as `join` does
            for what, answer in list(answers.items()) * EACH_TIME:
                time.sleep(random.uniform(0, 0.1))  # in which the sender gets its turn, or has just begun
                begun, used_before = time.perf_counter(), time.process_time()
                is_right = check(TASK, answer)
                used_since, took = time.process_time() - used_before, time.perf_counter() - begun
                assert bool(is_right) == (what == "a right check")
                if number >= 0:
                    taken[what, name].append(took * 1000)
                    taken[f"{what}, processor", name].append(used_since * 1000)  # the sender's as well
            event_sender.use(None)
    return taken


def added(folder: Path, rounds: int) -> Taken:
    """Return what checks take without a room, and with one that answers, is dead, or is slow."""
    code, learner = "ABCDEFGH", "f" * 16
    nobody = socket.create_server(("127.0.0.1", 0))
    dead = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    nobody.close()
    with room(folder) as (alive, known, _, _), socket.create_server(("127.0.0.1", 0), backlog=4096) as silent:
        slow = f"http://127.0.0.1:{silent.getsockname()[1]}"
        return shared_out(
            {
                ALONE: lambda: None,
                "without, once more": lambda: None,
                "a room that answers": lambda: EventSender(urlsplit(alive), known, learner),
                "a dead one": lambda: EventSender(urlsplit(dead), code, learner),
                "a slow one": lambda: EventSender(urlsplit(slow), code, learner),
            },
            rounds,
        )


def compared(taken: Taken) -> Table:
    """Return how much longer checks took in each place: median, 99 % of them, and all."""
    (count,) = {len(times) for times in taken.values()}
    table = Table(
        title=f"{count} checks each, in ms; aim: at most 5 more. Two without a room differ by noise"
    )
    for column in ("what", "where", "median", "p99", "worst"):
        table.add_column(column)

    def summed(times: list[float]) -> tuple[float, ...]:
        return (
            statistics.median(times),
            statistics.quantiles(times, n=100, method="inclusive")[-1],
            max(times),
        )

    for (what, name), times in taken.items():
        base = summed(taken[what, ALONE])
        cells = (
            f"{own:.2f}" if name == ALONE else f"{own - before:+.2f}"
            for own, before in zip(summed(times), base, strict=True)
        )
        table.add_row(what, name, *cells)
    return table


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--learners", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rounds", type=int, default=30, help=f"{EACH_TIME} checks of each kind in each")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["AUTOGRADER_PROGRESS"] = "off"
        os.chdir(ROOT)
        load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        title = f"{asked.learners} learners, a check each {EACH:.0f} s, for {asked.seconds:.0f} s; {load}"
        table = Table(title=title)
        table.add_column("what")
        table.add_column("measured")
        for row in measured(asked.learners, asked.seconds, Path(temporary)):
            table.add_row(*row)
        Console().print(table, compared(added(Path(temporary), asked.rounds)))


if __name__ == "__main__":
    main()
