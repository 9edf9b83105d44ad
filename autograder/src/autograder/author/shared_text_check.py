"""Keep hints from appearing in tasks where they are not true.

A mistake that several tasks share has one hint in `faults.py`, true of the task for which it was written. In
any other task, a person has to read it first: `read.toml`, in the lesson's folder, records which hints were
read in each task. A hint that the task replaces by its own needs no entry.

The code that a hint mentions is looked up too. A code word between backticks, and the phrases that
`course.toml` lists under `claims`, must occur in the solution, in the wrong answer or in the text that the
learner reads.
"""

from __future__ import annotations

import hashlib
import keyword
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from nbformat import NotebookNode

from autograder.author.answer_edits import Solution, Wrong
from autograder.author.authoring import Faults, Lesson
from autograder.author.solution_runs import edited
from autograder.author.source_lint import statement
from autograder.records.bank import RESULT, Task
from autograder.records.course import Claims, Course
from autograder.records.file_digests import write_whole
from autograder.records.run_outcome import Outcome
from autograder.records.serialization import read_toml

READ = "read.toml"
HEAD = """\
# What a person has read in each task: the texts that several tasks share. `autograder messages` shows them,
# and writes this file when it is told to `--confirm` them.
"""
CODE = re.compile(r"`([^`]+)`")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]+")


def digest(hint: str) -> str:
    """Return a short digest of a hint."""
    return hashlib.blake2s(hint.encode(), digest_size=4).hexdigest()


def shared_in(course: Course, lesson: Lesson, faults: Faults) -> frozenset[str]:
    """Return the ids of mistakes whose hints may appear in more than one task.

    They are those that several of this lesson's tasks show, and those that the course's lessons share.
    """
    uses = Counter(name for task in lesson.tasks for name in {wrong.fault for wrong in task.wrong})
    several = {name for name, count in uses.items() if count > 1}
    return frozenset(several | faults.shared if len(course.lessons) > 1 else several)


def to_read(task: Task, shared: Collection[str]) -> dict[str, str]:
    """Return the shared hints that an author has to read in this task, by the mistake's id.

    A hint that the task replaces by its own is not included.
    """
    hints = [wrong.hint for wrong in task.wrong] + [""] * len(task.known_wrong)
    return {
        mistake.id: mistake.hint
        for mistake, hint in zip(task.known_wrong, hints, strict=False)
        if not hint and mistake.id in shared
    }


def beside_others(
    task: Task, faults: Faults, solution: str, wrong: Iterable[Mapping[str, Outcome]]
) -> dict[str, str]:
    """Return the hints of `OnResult` mistakes that the task can name only together with another mistake.

    Args:
        task: the task, as `make_task` makes it.
        faults: the course's mistakes.
        solution: the text of its solution.
        wrong: the outcomes of its wrong answers, by probe id. A mistake that applies to neither their results
            nor the right ones is left out.

    Returns:
        The hints, by the mistake's id.
    """
    right = [{probe.id: probe.expected for probe in task.probes}]
    results, plain = [*right, *wrong], [probe.id for probe in task.probes if probe.observe == RESULT]
    mistakes = {mistake.id for mistake in task.known_wrong}
    return {
        slip.fault: faults.hint(Wrong(slip.fault, ()), task)
        for slip in faults.on_results
        if slip.fault not in {*mistakes, *task.cannot} and re.search(slip.code, solution)
        if any(
            slip.of(tensor, task.axes) is not None
            for outcomes in (right if slip.alone else results)
            for tensor in (outcomes[name].tensor for name in plain)
            if tensor is not None
        )
    }


def load_read(folder: Path) -> Mapping[str, Mapping[str, str]]:
    """Load the digests of the hints that an author has read and confirmed, by task, then by mistake.

    Raises:
        AuthoringError: the file is invalid.
    """
    path = folder / READ
    kind: Any = Mapping[str, Mapping[str, str]]
    read: Mapping[str, Mapping[str, str]] = read_toml(kind, path) if path.is_file() else {}
    return read


def write_read(folder: Path, read: Mapping[str, Mapping[str, str]]) -> None:
    """Write the digests of the hints that were read in each task of a lesson: by task, then by mistake."""
    tables = [
        "\n".join([f"[{task}]", *(f'{name} = "{short}"' for name, short in sorted(texts.items()))])
        for task, texts in read.items()
        if texts
    ]
    write_whole(folder / READ, ("\n\n".join([HEAD.rstrip("\n"), *tables]) + "\n").encode())


def unread(texts: Mapping[str, str], read: Mapping[str, str]) -> tuple[str, ...]:
    """Return the mistakes whose hints nobody has read in their current wording."""
    return tuple(name for name, hint in texts.items() if read.get(name) != digest(hint))


def false_claims(task: Task, claims: Claims, solution: Solution, notebook: NotebookNode) -> list[str]:
    """Return a problem for each hint of a task that mentions missing code, or calls wrong numbers right.

    The claim that the numbers are right can be tested only once the task's wrong answers have been run.

    Args:
        task: the task, with its known wrong answers.
        claims: the phrases that the course checks, each with the code that it needs.
        solution: the task's solution.
        notebook: the lesson with its solutions.
    """
    position = next(
        position for position, cell in enumerate(notebook.cells) if cell["id"] == f"{task.id}-answer"
    )
    before = " ".join(cell.source for cell in notebook.cells[:position])
    axes = " ".join(axis for axes in (task.axes, *task.input_axes.values()) for axis in axes)
    asked = "\n".join([statement(task, notebook), axes, *task.hints, task.signature, solution.text])
    learnt = {*WORD.findall(f"{before} {asked} {' '.join(claims.words)}"), *keyword.kwlist}
    codes = [f"{asked}\n{edited(task, wrong.changes, solution)}" for wrong in task.wrong]
    codes += [asked] * (len(task.known_wrong) - len(codes))
    wrong_numbers = _wrong_numbers(task) if task.explanations else [False] * len(task.known_wrong)
    duplicates = {}
    for position, (mistake, code) in enumerate(zip(task.known_wrong, codes, strict=True)):
        unfounded = [*_unfounded_words(mistake.hint, learnt | set(WORD.findall(code)))]
        unfounded += [
            repr(match[0])
            for claim, needed in claims.code.items()
            if (match := re.search(claim, mistake.hint)) and not re.search(needed, code)
        ]
        if unfounded:
            duplicates[f"the text of {mistake.id} speaks of what is not there: {', '.join(unfounded)}"] = True
        if claims.right_numbers and re.search(claims.right_numbers, mistake.hint) and wrong_numbers[position]:
            duplicates[f"the text of {mistake.id} says that numbers are right, and they are not"] = True
    return list(duplicates)


def _unfounded_words(hint: str, words_of_code: set[str]) -> Iterator[str]:
    """Yield the code between backticks that has a word which is not known."""
    for piece in CODE.findall(hint):
        if not set(WORD.findall(piece)) <= words_of_code:
            yield f"`{piece}`"


def _wrong_numbers(task: Task) -> list[bool]:
    """Tell of each known mistake, alone, whether it gives a result with wrong numbers."""
    table = task.explanations
    assert table is not None
    # Of a result that has the right shape, the kind says where it is wrong.
    shown = [bool(places) for _, places in table.kinds]
    plain = [probe.id for probe in task.probes if probe.observe == RESULT]
    kinds = torch.tensor(shown)[table.on(plain)[0].long()].any(dim=1)
    wrong = {
        places[0]
        for places, some in zip(table.members.tolist(), kinds.tolist(), strict=True)
        if some
        if places[1:] == [-1] * (len(places) - 1)
    }
    return [index in wrong for index in range(len(task.known_wrong))]
