"""Answers that only stop with an error: how often a mistake is named that is not there.

    python -m benchmarks.slips [LESSON …] [--read FILE]

Each task's solution gets one slip of each kind in `SLIPS`, made in its text where it fits last. Those that
stop with an error are judged as in a learner's notebook. No mistake is in them, so each that is named is not
there; and a name that is suggested is the one that was misspelt, or it is wrong.
"""

from __future__ import annotations

import argparse
import ast
import copy
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.records.answer_findings import NotDefined, Raised, StillStub, Verdict
from autograder.records.course import Course
from autograder.records.run_outcome import ErrorReport
from autograder.words.feedback_card import Feedback
from rich.console import Console
from rich.table import Table

from benchmarks.blind_answers import Answer, verdict_on
from benchmarks.held_out import ROOT, runs_of

# Makes a slip in one node of a tree; returns what was misspelt, "" for another slip; None if it does not fit.
Slip = Callable[[ast.AST], str | None]
LONG = 4  # letters of a name that is misspelt


def misspelt(name: str) -> str:
    """Return a name with its third letter left out."""
    return name[:2] + name[3:]


def misspelt_name(node: ast.AST) -> str | None:
    """Misspell a variable where it is read."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and len(node.id) >= LONG:
        right, node.id = node.id, misspelt(node.id)
        return right
    return None


def misspelt_attribute(node: ast.AST) -> str | None:
    """Misspell a method or an attribute."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and len(node.attr) >= LONG:
        right, node.attr = node.attr, misspelt(node.attr)
        return right
    return None


def missing_import(node: ast.AST) -> str | None:
    """Use a library that nobody has imported."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "torch":
        node.value.id = "numpy"
        return ""
    return None


def argument_too_many(node: ast.AST) -> str | None:
    """Call something with four arguments more."""
    if isinstance(node, ast.Call) and not node.keywords:
        node.args += [ast.Constant(1) for _ in range(4)]
        return ""
    return None


def called(node: ast.AST) -> str | None:
    """Call what is no function: one side of a sum, a product or a quotient."""
    if isinstance(node, ast.BinOp):
        node.left = ast.Call(node.left, [], [])
        return ""
    return None


def no_value_yet(node: ast.AST) -> str | None:
    """Read a variable in the line that gives it its first value."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        own = ast.Name(node.targets[0].id, ast.Load())
        node.value = ast.Tuple([own, node.value], ast.Load())
        return ""
    return None


def index_beyond(node: ast.AST) -> str | None:
    """Take an entry that a tensor has not."""
    if isinstance(node, ast.BinOp):
        node.left = ast.Subscript(node.left, ast.Constant(999), ast.Load())
        return ""
    return None


def sizes_apart(node: ast.AST) -> str | None:
    """Multiply matrices whose sizes do not fit."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        node.right = ast.parse("torch.ones(97, 89)", mode="eval").body
        return ""
    return None


SLIPS: dict[str, Slip] = {
    "a misspelt name": misspelt_name,
    "a misspelt attribute": misspelt_attribute,
    "a missing import": missing_import,
    "arguments too many": argument_too_many,
    "a call of a tensor": called,
    "a name without a value": no_value_yet,
    "an index beyond the end": index_beyond,
    "sizes that do not fit": sizes_apart,
}


def slipped(code: str, slip: Slip) -> Iterator[tuple[str, str]]:
    """Yield a solution's text with a slip, the last place first, and what was misspelt."""
    tree = ast.parse(code)
    for index in reversed(range(sum(1 for _ in ast.walk(tree)))):
        changed = copy.deepcopy(tree)
        right = slip(list(ast.walk(changed))[index])
        if right is not None:
            yield ast.unparse(ast.fix_missing_locations(changed)) + "\n", right


def error_of(verdict: Verdict) -> ErrorReport | None:
    """Return the error with which an answer stops on all that it was tried on; None for another answer."""
    findings = [result.finding for result in verdict.results]
    if not all(isinstance(finding, Raised | NotDefined | StillStub) for finding in findings):
        return None
    first = findings[0]
    return first.error if isinstance(first, Raised | NotDefined | StillStub) else None


def main() -> None:
    """Judge the grid, print a table, and write the messages that say what is not there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--read", type=Path)
    chosen = parser.parse_args()
    course = Course.read(ROOT)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    examples = []
    for name in course.lessons:
        if chosen.lessons and not {name, name[:2]} & set(chosen.lessons):
            continue
        lesson, runs = course.load(name), runs_of(name)
        for task in lesson.tasks.values():
            for kind, slip in SLIPS.items():
                for code, right in slipped(runs.solutions[task.id].text, slip):
                    verdict = verdict_on(Answer(name, task.id, kind, "", code), lesson, runs)
                    error = error_of(verdict)
                    if error is None:
                        continue
                    meant = error.meant.removeprefix("self.")
                    wrongly = bool(meant) and meant != right
                    counts[kind].update(
                        all=1, named=len(verdict.named), meant=int(bool(meant)), wrongly=int(wrongly)
                    )
                    if verdict.named or wrongly:
                        examples.append(f"{name} / {task.id}: {kind}\n{code}\n{Feedback(task, verdict)!r}\n")
                    break
    if chosen.read:
        chosen.read.write_text(f"\n{'=' * 80}\n".join(examples), encoding="utf-8")
    show(counts)


def show(counts: dict[str, Counter[str]]) -> None:
    """Print for each kind of slip how many answers stop, and what is said of them that is not so."""
    table = Table(title="Answers that only stop with an error")
    for column in ("slip", "answers", "a mistake named", "a name suggested", "a wrong one"):
        table.add_column(column, justify="left" if column == "slip" else "right")
    total: Counter[str] = Counter()
    for kind in SLIPS:
        total.update(counts[kind])
        table.add_row(kind, *(str(counts[kind][column]) for column in ("all", "named", "meant", "wrongly")))
    table.add_section()
    table.add_row("all", *(str(total[column]) for column in ("all", "named", "meant", "wrongly")))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
