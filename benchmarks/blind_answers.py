"""What the checks say of answers that nobody here wrote them for.

    python -m benchmarks.blind_answers SET [LESSON …] [--read FILE]

`benchmarks/blind` holds sets of answers that were written from the released notebooks alone, as learners
write them, each with what is truly wrong in it: TOML, so that other graders can be measured on them. Each is
run and judged as in a learner's notebook. The table tells, by kind, how many pass, in how many a mistake is
named or the first wrong step is shown; `--read` writes every message beside its answer, for a person to read.
"""

from __future__ import annotations

import argparse
import linecache
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from autograder.author.build_bank import SolutionRuns
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect_answer
from autograder.probe.exceptions import describe_error
from autograder.records.bank import AS_SEEN, LessonBank
from autograder.records.course import Course
from autograder.records.findings import Verdict
from autograder.records.outcome import Evidence
from autograder.words.feedback_card import plain_text
from rich.console import Console
from rich.table import Table

from benchmarks.held_out import ROOT, runs_of

FOLDER = ROOT / "benchmarks" / "blind"
KINDS = ("right", "wrong", "two", "stops")


@dataclass(frozen=True)
class Answer:
    """An answer cell, and what is truly wrong in it."""

    lesson: str
    task: str
    kind: str
    truth: str
    code: str


def answers(which: str, lessons: list[str]) -> Iterator[Answer]:
    """Yield the answers of a set, of some lessons or of all."""
    for path in sorted((FOLDER / which).glob("*.toml")):
        if not lessons or path.stem in lessons or path.stem[:2] in lessons:
            for answer in tomllib.loads(path.read_text(encoding="utf-8"))["answer"]:
                yield Answer(path.stem, answer["task"], answer["kind"], answer["truth"], answer["code"])


def verdict_on(answer: Answer, lesson: LessonBank, runs: SolutionRuns) -> Verdict:
    """Judge an answer as `check` does in a notebook."""
    task = lesson.tasks[answer.task]
    moment, cell = runs.moments[AS_SEEN][f"{task.id}-answer"], f"<cell {task.id}>"
    linecache.cache[cell] = (len(answer.code), None, answer.code.splitlines(keepends=True), cell)
    try:
        namespace = moment.run(answer.code, cell)
    except BaseException as error:
        report = describe_error(error, None)
        return judge(task, Evidence(task.id, "missing", error=report), as_seen=True)
    if task.name not in namespace:
        return judge(task, Evidence(task.id, "missing"), as_seen=True)
    known = {**namespace, **({} if task.kind == "tensor" else runs.namespaces[AS_SEEN])}
    evidence = collect_answer(task, lesson, namespace[task.name], known)
    return judge(task, evidence, as_seen=True)


def interval(part: int, whole: int) -> str:
    """Return a share in percent with its 95 % interval (Wilson)."""
    if not whole:
        return "–"
    share, z = part / whole, 1.96
    middle = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    reach = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole)) / (1 + z * z / whole)
    return f"{100 * share:.1f} % ({100 * max(0, middle - reach):.1f}–{100 * min(1, middle + reach):.1f})"


def show(counts: Mapping[str, Counter[str]]) -> None:
    """Print what became of the answers, by kind."""
    table = Table(title="Blind answers")
    for column in ("kind", "answers", "pass", "a mistake named", "named or a step shown"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for kind in KINDS:
        count = counts[kind]
        shares = (interval(count[name], count["all"]) for name in ("pass", "named", "located"))
        table.add_row(kind, str(count["all"]), *shares)
    Console(width=120).print(table)


def main() -> None:
    """Judge the answers of a set, print the table, and write the messages where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", choices=sorted(path.name for path in FOLDER.iterdir()))
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--read", type=Path)
    chosen = parser.parse_args()
    course = Course.read(ROOT)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    told, gone = [], 0
    for number, answer in enumerate(answers(chosen.set, chosen.lessons), start=1):
        lesson = course.load(answer.lesson)
        if answer.task not in lesson.tasks:
            gone += 1
            continue
        verdict = verdict_on(answer, lesson, runs_of(answer.lesson))
        count = counts[answer.kind]
        way = verdict.way is not None and bool(verdict.way.missing or verdict.way.right)
        count.update({"all": 1, "pass": verdict.passed, "named": bool(verdict.named)})
        count["located"] += bool(verdict.named) or way
        message = plain_text(lesson.tasks[answer.task], verdict)
        told.append(
            f"#{number} {answer.lesson} / {answer.task} [{answer.kind}]\n{answer.code.strip()}\n"
            f"--- truth: {answer.truth}\n--- message:\n{message}\n{'=' * 80}\n"
        )
    if chosen.read:
        chosen.read.write_text("\n".join(told), encoding="utf-8")
    show(counts)
    if gone:
        print(f"{gone} answers are left out: the course no longer has their tasks.")


if __name__ == "__main__":
    main()
