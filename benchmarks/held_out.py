"""How many mistakes are named in code that the checks have never seen.

    python benchmarks/held_out.py [TASK …] [--missed]

The answers of `benchmarks/held_out_answers` are complete answer cells in strangers' wordings: right ones,
ones with a single mistake, and samples of ones with two and three. Each is run and judged as in a learner's
notebook. For each task the table tells how many right ones were accepted, how many wrong ones were
rejected, and in how many the true mistakes were named: all of them, at least one, or a wrong one.
`--missed` lists what was not named.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from autograder.author.authoring import Task, load_lesson
from autograder.author.parse_source import read_source
from autograder.author.solution_runs import SolutionRuns, run_solution
from autograder.experiments import registry as experiments
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect_answer
from autograder.records import bank
from autograder.records.answer_findings import Verdict
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course
from rich.console import Console
from rich.table import Table

from benchmarks.held_out_answers import table as held_out

ROOT = Path(__file__).resolve().parents[1]
COURSE = Course.read(ROOT)
KINDS = ("one mistake", "two mistakes", "three mistakes")


@dataclass
class Counts:
    """What became of the answers of one kind."""

    answers: int = 0
    rejected: int = 0
    all_named: int = 0
    some_named: int = 0
    wrong_names: int = 0
    names: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, answer: held_out.Answer, verdict: Verdict | None) -> None:
        """Count one answer; without a verdict its cell failed, and the error that it shows is its name."""
        self.answers += 1
        if verdict is None:
            self.rejected, self.all_named, self.some_named = (
                self.rejected + 1,
                self.all_named + 1,
                self.some_named + 1,
            )
            return
        named = [mistake.fault for mistake in verdict.named]
        true = [fault for fault in answer.faults if any(same(fault, name) for name in named)]
        false = [name for name in named if not any(same(fault, name) for fault in answer.faults)]
        self.rejected += not verdict.passed
        self.all_named += len(true) == len(answer.faults)
        self.some_named += bool(true)
        self.names += len(named)
        self.wrong_names += len(false)
        if len(true) < len(answer.faults) or false:
            outcome = type(verdict.finding).__name__ if verdict.finding else "accepted"
            where, faults = f"{answer.task} / {answer.wording}", " + ".join(answer.faults)
            self.missed.append(f"{where}: {faults} -> {' + '.join(named) or 'none'}; {outcome}")


def same(fault: str, name: str) -> bool:
    """Tell whether two names stand for one mistake, as far as numbers can tell."""
    return fault == name or any({fault, name} <= names for names in held_out.SAME_NUMBERS)


def measure(wanted: Iterable[str]) -> tuple[Mapping[tuple[str, str], Counts], list[str]]:
    """Return counts for each task and kind, and the right answers that were rejected."""
    chosen = set(wanted)
    counts: dict[tuple[str, str], Counts] = defaultdict(Counts)
    refused: list[str] = []
    answers = [
        *(("right", answer) for answer in held_out.right_answers()),
        *((KINDS[0], answer) for answer in held_out.single_answers()),
        *((KINDS[size - 1], answer) for size in (2, 3) for answer in held_out.combined_answers(size)),
    ]
    for kind, answer in answers:
        if chosen and answer.task not in chosen:
            continue
        verdict = judged(answer, runs_of(answer.lesson))
        if kind == "right":
            counts[answer.task, kind].answers += 1
            if verdict is None or not verdict.right:
                refused.append(f"{answer.task} / {answer.wording}: {verdict and verdict.finding}")
            continue
        counts[answer.task, kind].add(answer, verdict)
    return counts, refused


@cache
def runs_of(lesson: str) -> SolutionRuns:
    """Run a lesson's solution, with the experiments that the course brings."""
    experiments.use(COURSE)
    folder = ROOT / "source" / lesson
    return run_solution(load_lesson(folder), read_source(folder / f"{lesson}.py"), lesson)


@cache
def described_tasks(lesson: str) -> tuple[Task, ...]:
    """Return a lesson's tasks as their author describes them."""
    return load_lesson(ROOT / "source" / lesson).tasks


def judged(answer: held_out.Answer, runs: SolutionRuns) -> Verdict | None:
    """Return the verdict on an answer; None where its cell itself stops with an error."""
    lesson = COURSE.load(answer.lesson)
    task = lesson.tasks[answer.task]
    described = next(task for task in described_tasks(answer.lesson) if task.id == answer.task)
    try:
        answer_object = runs.answer_made(described, answer.text)
    except AuthoringError:
        return None
    evidence = collect_answer(task, lesson, answer_object, runs.namespaces[bank.AS_SEEN])
    return judge(task, evidence, as_seen=True)


def show(counts: Mapping[tuple[str, str], Counts], refused: list[str], missed: bool) -> None:
    """Print the table, and what was not named."""
    console = Console(width=120)
    tasks = list(dict.fromkeys(task for task, _ in counts))
    shown = Table(title="Mistakes named in held-out answers")
    for column in ("task", "answers", "rejected", "all named", "at least one", "wrong names"):
        shown.add_column(column, justify="left" if column == "task" else "right")
    for kind in KINDS:
        total: Counter[str] = Counter()
        shown.add_section()
        for task in tasks:
            count = counts.get((task, kind))
            if count is None:
                continue
            total.update({name: value for name, value in vars(count).items() if isinstance(value, int)})
            shown.add_row(task, *cells(vars(count)))
        shown.add_row(f"[bold]{kind}", *cells(total))
    console.print(shown)
    right = sum(count.answers for (_, kind), count in counts.items() if kind == "right")
    console.print(f"right answers accepted: {right - len(refused)} of {right}")
    for line in refused:
        console.print("rejected: " + line, markup=False, highlight=False, soft_wrap=True)
    if missed:
        for count in counts.values():
            for line in count.missed:
                console.print(line, markup=False, highlight=False, soft_wrap=True)


def cells(count: Mapping[str, int]) -> list[str]:
    """Return a row's figures, as counts and shares."""
    answers = count["answers"]
    shares = [
        f"{count[name]} ({count[name] / max(answers, 1):.0%})"
        for name in ("rejected", "all_named", "some_named")
    ]
    return [str(answers), *shares, f"{count['wrong_names']} of {count['names']}"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", help="task ids; all if none is named")
    parser.add_argument("--missed", action="store_true", help="list what was not named")
    chosen = parser.parse_args()
    show(*measure(chosen.tasks), chosen.missed)


if __name__ == "__main__":
    main()
