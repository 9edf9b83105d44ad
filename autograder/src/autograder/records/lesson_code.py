"""Find a lesson's functions and classes that an exam gives, with all that these use."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.records.bank import LessonBank, Task
from autograder.records.parse_cells import names_of, parsed


@dataclass(frozen=True)
class LessonCode:
    """The code of a lesson.

    Attributes:
        cells: the code of the cells that are no answers, in their order.
        answers: the code of its right answers, by task.
    """

    cells: tuple[str, ...]
    answers: Mapping[str, str]

    def own_names(self) -> list[str]:
        """Return the names of the functions and classes of the lesson's own cells, in their order."""
        return [name for cell in self.cells for name, _ in _defined(cell)]

    def used_by(self, task: Task, bank: LessonBank) -> tuple[str, ...]:
        """Return the names of functions and classes of the lesson that the task's right answer is built from.

        These are the answers to the tasks that it needs, and what it uses of the lesson's own cells.
        """
        needed = [bank.tasks[need] for need in task.needs]
        reads = names_of(self.answers.get(task.id, ""))[1]
        answers = [need.name for need in needed if need.kind != "tensor"]
        return tuple(dict.fromkeys([*answers, *(name for name in self.own_names() if name in reads)]))

    def definitions(self, names: Iterable[str], without: Collection[str] = ()) -> dict[str, str]:
        """Return the code of functions and classes, with all of the lesson that they use, by name.

        Args:
            names: their names.
            without: the names of what is not to be given.
        """
        code = dict(part for cell in (*self.cells, *self.answers.values()) for part in _statements(cell))
        wanted, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name in code and name not in wanted and name not in without:
                wanted.add(name)
                waiting += names_of(code[name])[1]
        return {name: text for name, text in code.items() if name in wanted}


def _defined(cell: str) -> Iterator[tuple[str, str]]:
    """Yield each function and class that a cell defines, with its code."""
    lines = cell.splitlines()
    for statement in parsed(cell).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            first = min(part.lineno for part in (statement, *statement.decorator_list))
            yield statement.name, "\n".join(lines[first - 1 : statement.end_lineno])


def _statements(cell: str) -> Iterator[tuple[str, str]]:
    """Yield what a cell defines, also the plain values that it writes down, each with its code."""
    for statement in parsed(cell).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                with contextlib.suppress(ValueError):
                    ast.literal_eval(value)
                    yield name, ast.unparse(statement)
    yield from _defined(cell)
