"""The table of what graders say, in Markdown."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import TypeAlias

from benchmarks.blind_answers import Answer, interval
from benchmarks.graders import GRADERS, Feedback
from benchmarks.held_out import ROOT

# What readers found, a file for each: the grader, the reader, the answers read, and those told an untruth.
READINGS = ROOT / "benchmarks" / "readings"
Judgement: TypeAlias = tuple[Answer, Mapping[str, Feedback]]
FAULTY = ("wrong", "two", "stops")


def kappa(first: Mapping[str, bool], second: Mapping[str, bool]) -> float:
    """Return Cohen's kappa of two readers on what both have read."""
    both = first.keys() & second.keys()
    agreed = sum(first[key] == second[key] for key in both) / len(both)
    ones, others = (sum(reader[key] for key in both) / len(both) for reader in (first, second))
    chance = ones * others + (1 - ones) * (1 - others)
    return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)


def readings(folder: Path = READINGS) -> dict[str, list[dict[str, bool]]]:
    """Return what each reader found untrue, by grader: for each answer read, whether its message is."""
    by_grader: dict[str, list[dict[str, bool]]] = {}
    for path in sorted(folder.glob("*.toml")):
        reading = tomllib.loads(path.read_text(encoding="utf-8"))
        untrue = set(reading["untrue"])
        by_grader.setdefault(reading["grader"], []).append({key: key in untrue for key in reading["read"]})
    return by_grader


def untrue_cell(readers: Sequence[Mapping[str, bool]]) -> str:
    """Return how many messages two readers call untrue, with their agreement."""
    cells = []
    for first, second in combinations(readers, 2):
        both = first.keys() & second.keys()
        if both:
            part = sum(first[key] and second[key] for key in both)
            cells.append(f"{part} of {len(both)}, κ = {kappa(first, second):.2f}")
    return "; ".join(cells) or ("one reader" if readers else "not read")


def points_at_mistake(answer: Answer, reply: Feedback) -> bool:
    """Tell whether a text points to a line that holds a mistake."""
    pointed = range(reply.line, (reply.last_line or reply.line) + 1) if reply.line else ()
    return any(line in pointed for line in answer.lines)


def row(name: str, judgements: Sequence[Judgement], readers: Sequence[Mapping[str, bool]] = ()) -> list[str]:
    """Return a grader's figures."""
    own = [(answer, replies[name]) for answer, replies in judgements if name in replies]
    faulty = [(answer, reply) for answer, reply in own if answer.kind in FAULTY]
    right = [reply for answer, reply in own if answer.kind == "right"]
    marked = [(answer, reply) for answer, reply in faulty if answer.lines]
    words = [len(reply.text.split()) for _, reply in faulty if not reply.passed]
    return [
        GRADERS.get(name, name),
        str(len(own)),
        interval(sum(reply.passed for _, reply in faulty), len(faulty)),
        interval(sum(not reply.passed for reply in right), len(right)),
        interval(sum(reply.named for _, reply in faulty), len(faulty)),
        interval(sum(points_at_mistake(answer, reply) for answer, reply in marked), len(marked)),
        untrue_cell(readers),
        str(round(median(words))) if words else "–",
    ]


HEAD = (
    *("grader", "answers", "wrong ones that pass", "right ones refused", "a mistake named"),
    *("points at its line", "untrue, by two readers", "words"),
)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def compared(judgements: Sequence[Judgement], names: Sequence[str], part: Callable[[Answer], str]) -> str:
    """Return how many verdicts of each grader are wrong, for each part of the answers."""
    rows = []
    for which in sorted({part(answer) for answer, _ in judgements}):
        some = [(answer, replies) for answer, replies in judgements if part(answer) == which]
        cells = []
        for name in names:
            own = [(answer, replies[name]) for answer, replies in some if name in replies]
            missed = sum(reply.passed != (answer.kind == "right") for answer, reply in own)
            cells.append(f"{missed} of {len(own)}: {interval(missed, len(own))}" if own else "–")
        rows.append([which, *cells])
    return table(["", *(GRADERS.get(name, name) for name in names)], rows)


def page(judgements: Sequence[Judgement]) -> str:
    """Return the page: the answers that all graders judged, then all; by kind and by lesson."""
    counted = [(answer, replies) for answer, replies in judgements if not answer.disputed]
    names = list(dict.fromkeys(name for _, replies in counted for name in replies))
    shared = [(answer, replies) for answer, replies in counted if len(replies) == len(names)]
    tasks = ", ".join(f"`{task}`" for task in sorted({answer.task for answer, _ in shared}))
    right = sum(answer.kind == "right" for answer, _ in shared)
    disputed = [answer for answer, _ in judgements if answer.disputed]
    parts = [
        "# What graders say of wrong and of right answers\n",
        "`python3 start.py run python -m benchmarks.feedback` makes this page: do not edit it. How the",
        "answers came about, and what these figures cannot say: [The benchmark](benchmark.md).\n",
        f"## Answers that all {len(names)} graders judged\n",
        f"{len(shared)} answers, {right} of them right, to these tasks: {tasks}.\n",
        *figures(shared, names),
    ]
    if len(shared) < len(counted):
        parts += ["\n## All answers that a grader judged\n", *figures(counted, names)]
    parts.append(f"\nIn no figure, because the truth is disputed: {len(disputed)} answers.\n")
    parts += [f"- `{answer.id}` (`{answer.task}`): {answer.disputed}" for answer in disputed]
    return "\n".join(parts).rstrip() + "\n"


def figures(judgements: Sequence[Judgement], names: Sequence[str]) -> Iterable[str]:
    """Yield the tables of some answers."""
    read = readings()
    yield table(HEAD, (row(name, judgements, read.get(name, ())) for name in names))
    yield "\nWrong verdicts, by kind of answer:\n"
    yield compared(judgements, names, lambda answer: answer.kind)
    yield "\nWrong verdicts, by lesson:\n"
    yield compared(judgements, names, lambda answer: answer.lesson)
