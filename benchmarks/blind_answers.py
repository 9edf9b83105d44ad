"""The blind answers, and copies of them to hand on.

    python -m benchmarks.blind_answers FOLDER

`benchmarks/blind` holds sets of answers that were written from the released notebooks alone, each with what
is truly wrong in it; `schema.json` there says what an entry holds. The command writes all sets into a folder,
with the statement of each task as the notebooks have it now.
"""

from __future__ import annotations

import argparse
import json
import linecache
import shutil
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import nbformat
from autograder.author.solution_runs import SolutionRuns
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect_answer
from autograder.probe.exceptions import describe_error
from autograder.records.answer_findings import Verdict
from autograder.records.bank import AS_SEEN, LessonBank
from autograder.records.run_outcome import Evidence

from benchmarks.held_out import ROOT

FOLDER = ROOT / "benchmarks" / "blind"
KINDS = ("right", "wrong", "two", "stops")
SETS = tuple(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))


@dataclass(frozen=True)
class Answer:
    """An answer cell, and what is truly wrong in it."""

    lesson: str
    task: str
    kind: str
    truth: str
    code: str
    lines: tuple[int, ...] = ()  # of the mistakes, where the writer marked them
    source: str = ""  # of the idea, if it is from public code
    disputed: str = ""  # why the truth is doubted; then the answer is in no figure
    id: str = ""


def answers(which: str, lessons: Collection[str] = ()) -> Iterator[Answer]:
    """Yield the answers of a set, of some lessons or of all."""
    for path in sorted((FOLDER / which).glob("*.toml")):
        if lessons and not {path.stem, path.stem[:2]} & set(lessons):
            continue
        for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["answer"]):
            lines = tuple(entry.pop("lines", ()))
            yield Answer(path.stem, **entry, lines=lines, id=f"{which}/{path.stem}/{number}")


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


def statements() -> Iterator[dict[str, str]]:
    """Yield each task's statement and the cell that a learner begins with, as the notebooks have them."""
    for path in sorted((ROOT / "notebooks").glob("[01]*/*.ipynb")):
        prose = ""
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                prose = cell.source
            elif cell.metadata.get("nbgrader", {}).get("solution"):
                task = cell["id"].removesuffix("-answer")
                yield {"lesson": path.stem, "task": task, "statement": prose, "start": cell.source}


def main() -> None:
    """Copy the sets, their schema and licence, and write the statements beside them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    shutil.copy(ROOT / "LICENSE", folder)
    entries = (
        "\n".join(["[[task]]", *(f"{key} = {json.dumps(value)}" for key, value in task.items())])
        for task in statements()
    )
    (folder / "tasks.toml").write_text("\n\n".join(entries) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
