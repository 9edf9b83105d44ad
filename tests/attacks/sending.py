"""Submissions that say more than anybody reads, or something else, in the middle of their own run.

All of their answers are right, so each gets the points of these, unless its run had to be given up. None may
have a part in what the next student gets.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from autograder.author.parse_source import read_source
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from tests.attacks.answers import Attack

LESSON = "01-dot-product"
SOURCE = Path(__file__).parents[2] / "source" / LESSON / f"{LESSON}.py"
ALL = 20  # points of the lesson
# The pipes that lead out of a run, and how its own messages are written.
PIPES = """
import os, stat, struct
open_ones = sorted(map(int, os.listdir("/proc/self/fd")))
pipes = [n for n in open_ones if os.path.exists(f"/proc/self/fd/{n}") and stat.S_ISFIFO(os.fstat(n).st_mode)]
def write(whole, pipe=pipes[0]):
    while whole:
        whole = whole[os.write(pipe, whole):]
def message(text, kind=b"C"):
    return struct.pack(">cI", kind, len(text)) + text
def cell(text):
    stream = b'{"output_type": "stream", "name": "stdout", "text": "%s"}' % text
    return message(b'{"id": "dot-product", "count": 1, "outputs": [%s]}' % stream)
ASTRAL = b"\\\\ud83d\\\\ude00"
"""
SHOW = "from IPython.display import HTML, display\n"
CHANNEL = "grader's own channel"
OUTPUT = "of output"


def solve(notebook: NotebookNode) -> None:
    """Put the course's own answers into a release."""
    answers = {
        cell["id"]: cell.source for cell in read_source(SOURCE).cells if cell["id"].endswith("-answer")
    }
    for cell in notebook.cells:
        cell.source = answers.get(cell["id"], cell.source)


def solved_and(code: str) -> Callable[[NotebookNode], None]:
    """All answers, and one cell more after the first."""

    def make(notebook: NotebookNode) -> None:
        solve(notebook)
        at = next(i for i, cell in enumerate(notebook.cells) if cell["id"] == "setup")
        notebook.cells.insert(at + 1, new_code_cell(code))

    return make


def shows(code: str) -> Attack:
    """Somebody who shows much, and means no harm."""
    return Attack(solved_and(SHOW + code), earns=ALL)


def sends(code: str, notes: str, earns: int = 0) -> Attack:
    """Somebody who writes into the pipes of the run."""
    return Attack(solved_and(PIPES + code), earns=earns, notes=notes)


SENDING = {
    "honest": Attack(solve, earns=ALL),
    # The fourth round's: an ordinary display, and the same by hand.
    "shows-45-mb": shows("HTML('\\N{GRINNING FACE}' + 'x' * 45_000_000)"),
    "sends-45-mb": sends("write(cell(ASTRAL + b'x' * 45_000_000))", OUTPUT, ALL),
    # Others of the same kinds.
    "shows-500-pictures": shows(
        "for _ in range(500):\n    display({'image/png': 'A' * 1_000_000}, raw=True)"
    ),
    "shows-many-parts": shows("display({'application/json': [[[]] * 9] * 200_000}, raw=True)"),
    "shows-what-is-no-json": shows("display({'application/json': {1, 2}}, raw=True)"),
    "updates-again-and-again": shows(
        "shown = display(0, display_id=True)\nfor _ in range(300):\n"
        "    shown.update(HTML('\\N{GRINNING FACE}' * 1_000_000))"
    ),
    "raises-much": shows("raise ValueError('\\N{GRINNING FACE}' * 1_000_000)"),
    "prints-emoji": shows("for _ in range(40):\n    print('\\N{GRINNING FACE}' * 1_000_000)"),
    "shows-in-a-check": shows(
        "def dot(a, b, show=display):\n"
        "    show({'text/html': '\\N{GRINNING FACE}' * 2_000_000}, raw=True)\n    return (a * b).sum()"
    ),
    "sends-as-much-as-is-read": sends("write(cell(ASTRAL + b'x' * 9_000_000) * 5)", "", ALL),
    "shows-evidence": shows(
        "for _ in range(40):\n"
        "    display({'application/vnd.autograder.evidence+json': 'x' * 3_900_000}, raw=True)"
    ),
    "sends-parts": sends("write(message(b'[' + b'[],' * 3_000_000 + b'0]'))", "", ALL),
    "sends-depth": sends("write(message(b'[' * 5_000_000 + b']' * 5_000_000))", "", ALL),
    "sends-half": sends(
        "write(message(b'x' * 1_000_000)[:1_000])\nos._exit(0)", "ended its own process", ALL
    ),
    "sends-an-end": sends(
        'write(message(b\'{"how": "finished", "seconds": 0, "held_up": false}\', b\'E\'))', CHANNEL
    ),
    "numbers-its-messages": sends(
        "for number in range(200):\n    write(struct.pack('>cIQ', b'E', 2, number) + b'{}')", CHANNEL
    ),
    "sends-for-ever": sends("while True:\n    write(cell(b'x' * 100_000))", OUTPUT, ALL),
    "fills-what-is-seen": sends("write(b'x' * 1_000_000, pipes[1])", CHANNEL),
    "says-half-of-what-is-seen": sends(
        "write(message(b'{}' * 50, b'F')[:20], pipes[1])\nos._exit(0)", CHANNEL
    ),
}
