"""Name the inputs of each stage of a lesson's build: the bank of each task, the release, the solutions.

A stage is skipped if its inputs have not changed since the last build and its results still exist. A task's
bank depends on the values that its answers use, so a new cell causes only those tasks to be rebuilt whose
values it changes. Texts that no computation reads (titles, hints) are no input of a bank; prose and the
mistakes' hints are no input of a solution.

This is not doit, DVC or joblib: a stage's inputs are not files but tasks, cells and tensors, and those tools
keep their records in databases on one machine, while this record is committed with the built files.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from nbformat import NotebookNode

from autograder.author.authoring import Fault, Faults
from autograder.author.build_inputs import BANK, SOLUTION, Inputs
from autograder.author.import_graph import code_digest
from autograder.author.lesson_source import LessonSource
from autograder.author.rebuild_digests import Digests, Unknown
from autograder.records import bank as bank_files
from autograder.records.bank import AS_SEEN, LessonBank, Made, Task
from autograder.records.parse_cells import parsed

# Names by which code reaches values that it does not name.
ANYTHING = frozenset({"globals", "locals", "vars", "eval", "exec", "get_ipython"})


class TaskKeys:
    """Digests of the inputs of each task's bank, for one lesson."""

    def __init__(self, inputs: Inputs, source: LessonSource) -> None:
        self._inputs, self._source = inputs, source
        name, lessons = source.name, source.course.source
        self._cells = {
            f"<cell {name}/{cell['id']}>": cell.source
            for cell in source.notebook.cells
            if cell.cell_type == "code"
        }
        self._files = {
            str(file): file.read_text(encoding="utf-8")
            for folder in (lessons, lessons / name)
            for file in (folder / "faults.py", folder / "tasks.py")
            if file.is_file()
        }
        self._digests = Digests(self._cells | self._files, inputs.modules)
        self._slips = {slip: self._digests.of(slip) for slip in source.faults.on_results}
        imports = [*BANK, *_direct(inputs.lesson_imports(name), inputs)]
        self._code = inputs.code(imports, with_texts=False) + inputs.adds()

    def of_all(self) -> str:
        """Return one digest of the source of all banks' inputs; while it is unchanged, nothing has to be run.

        The values that answers use follow from the source.
        """
        imports = [
            *self._inputs.lesson_imports(self._source.name),
            *self._inputs.course_imports(self._source.name),
        ]
        course = self._source.course
        files = [code_digest(text) for text in self._files.values()]
        plain = json.dumps(
            [self._cells, repr(course.forbidden), list(course.steps.items()), list(course.exam)]
        ).encode()
        return _short([self._code, self._inputs.code(imports), self._inputs.data(imports), plain, *files])

    def of(self, task: Task) -> str:
        """Return a digest of everything that a task's bank is built from."""
        digests, runs = self._digests, self._source.runs
        solution = runs.solutions[task.id]
        try:
            described = _described(digests, task) + self._of_faults(task)
        except Unknown:
            described = json.dumps(self._files).encode()
        return _short(
            [
                self._code,
                described,
                digests.of(solution, runs.families, runs.steps),
                b"exam" if task.id in self._source.course.exam else b"",
                self._of_values(task),
            ]
        )

    def _of_faults(self, task: Task) -> bytes:
        """Return the digest of what the course's mistakes mean for a task, but for their texts."""
        faults = self._source.faults
        ids = {wrong.fault for wrong in task.wrong}
        slips = [
            slip
            for slip in faults.on_results
            if slip.fault not in task.cannot and re.search(slip.code, self._source.solutions[task.id].text)
        ]
        varies = sorted(name for name in ids | {slip.fault for slip in slips} if _fault(faults, name).varies)
        together = [group for group in faults.together if ids.issuperset(group)]
        return self._digests.of([self._slips[slip] for slip in slips], varies, together)

    def _of_values(self, task: Task) -> bytes:
        """Return the digest of all that answers to a task can meet in the lesson."""
        runs = self._source.runs
        changes = [answer.changes for answer in task.wrong]
        changes += [answer.changes for answer in (*task.right, *task.caught)]
        texts = [runs.solutions[task.id].text, *(runs.changed_answer(task, each) for each in changes)]
        names = {node.id for text in texts for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)}
        names |= {task.name, *task.keeps}
        names |= {
            value.name for probe in task.probes for value in probe.inputs.values() if isinstance(value, Made)
        }
        cell = f"{task.id}-answer"
        which = list(runs.namespaces) if task.kind == "tensor" else [AS_SEEN]
        met: list[Any] = [runs.givens, self._source.lesson.given_axes] if task.kind == "tensor" else []
        for run in which:
            moment = runs.moments[run][cell]
            met += [moment.random_state, _some(moment.variables, names), _some(runs.namespaces[run], names)]
        try:
            digest = self._digests.of(met)
            return self._all() if names & ANYTHING else digest
        except Unknown:
            return self._all()

    def _all(self) -> bytes:
        """Return the digest of all code of the lesson and of what it imports."""
        cells = hashlib.sha256(json.dumps(self._cells).encode()).digest()
        return cells + self._inputs.code(self._inputs.lesson_imports(self._source.name), with_texts=False)


def release_key(inputs: Inputs, released: NotebookNode, tasks: Iterable[str]) -> str:
    """Return a digest of everything that decides how many points the untouched release earns."""
    return _short([inputs.code(BANK, with_texts=False), json.dumps([_code_cells(released), *tasks]).encode()])


def solution_key(
    inputs: Inputs, bank: LessonBank, notebook: NotebookNode, texts: Iterable[object] = (), language: str = ""
) -> str:
    """Return a digest of everything that decides what the cells of an executed solution show.

    Args:
        inputs: the inputs of the course's builds.
        bank: the lesson's bank.
        notebook: the lesson with its solutions.
        texts: the translated texts that its checks and figures show.
        language: the language of the solution; "" for the course's first.
    """
    course, imports = inputs.course, [*SOLUTION, *inputs.lesson_imports(bank.lesson)]
    files = bank_files.files(_without_hints(bank, notebook))
    about = (
        *(course.name, course.title, course.lessons, course.languages, course.preload, course.entries),
        *(repr(course.forbidden), repr(course.adds)),
    )
    quiz = (course.root / course.quiz).read_bytes() if course.quiz else b""
    plain = json.dumps([_code_cells(notebook), about, language, list(texts)]).encode()
    return _short([inputs.code(imports), inputs.data(imports), inputs.adds(), quiz, plain, *files.values()])


def says_hints(notebook: NotebookNode) -> bool:
    """Tell whether a code cell of a solution uses the name `hint`, and so shows a task's hints."""
    return any(
        isinstance(node, ast.Name) and node.id == "hint"
        for cell in notebook.cells
        if cell.cell_type == "code"
        for node in ast.walk(parsed(cell.source))
    )


def _without_hints(bank: LessonBank, notebook: NotebookNode) -> LessonBank:
    """Return a bank without the texts that a solution never shows, since all its checks are right."""
    with_hints = says_hints(notebook)
    tasks = {
        name: replace(
            task,
            hints=task.hints if with_hints else (),
            known_wrong=tuple(replace(wrong, hint="", name="", section="") for wrong in task.known_wrong),
        )
        for name, task in bank.tasks.items()
    }
    return replace(bank, tasks=tasks)


def _described(digests: Digests, task: Task) -> bytes:
    """Return the digest of a task as its author describes it, without texts that no computation reads."""
    plain = replace(
        task,
        title="",
        learned="",
        hints=(),
        words={},
        demands={},
        parts=(),
        cannot={},
        checks=tuple(replace(check, title="") for check in task.checks),
        probes=tuple(replace(probe, says="", redraw=None) for probe in task.probes),
        wrong=(),
    )
    wrong = [(answer.fault, answer.changes) for answer in task.wrong]
    return digests.of(plain, wrong, sorted(task.demands.values()), sorted(task.cannot))


def _direct(imports: Iterable[tuple[str, str]], inputs: Inputs) -> list[tuple[str, str]]:
    """Return the imports of packages that are neither the tool's nor the course's."""
    return [wanted for wanted in imports if wanted[0].partition(".")[0] not in inputs.modules.packages]


def _some(variables: Mapping[str, Any], names: set[str]) -> list[tuple[str, Any]]:
    return [(name, variables[name]) for name in sorted(names) if name in variables]


def _fault(faults: Faults, name: str) -> Fault:
    return faults.known.get(name) or Fault(name, "", "")


def _code_cells(notebook: NotebookNode) -> list[Any]:
    return [(cell["id"], cell.source, cell.metadata) for cell in notebook.cells if cell.cell_type == "code"]


def _short(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:32]
