"""The protection of the course's names, which learners may redefine: `check = …`, `def hint(…)`, `torch = …`.

During grading, the course's own cells give such a name the value that the course's first cell bound to it,
and built-in names their usual meaning. A learner's cells, and the functions that they define, see the
learner's value. The values are not exchanged while a course's cell runs: a check calls the learner's
functions, which read the same globals and must find the learner's values in them. Instead, the course's cells
are compiled with such names replaced by reserved ones, which no statement can bind, because they are not
valid identifiers. A name that a course's cell binds itself keeps its meaning there.

In a learner's own notebook nothing is replaced. If a cell needs a name that was redefined, one sentence names
the cell that has redefined it, and says how to restore the name.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import json
import os
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

import autograder
from autograder.lesson import interactive_session
from autograder.records.authoring_errors import UserError
from autograder.records.parse_cells import names_of, parsed
from autograder.words.language import _

# Set by the grader for a run: which of its cells are the course's, and which names these bind for all others.
COURSE_CELLS = "AUTOGRADER_COURSE_CELLS"
# Begins with an underscore, as what is nobody's business, and holds a blank, as no name in Python does.
RESERVED = "_course "
PACKAGE = "autograder"
# What a value raises that is not what its name says.
MISUSED = (AttributeError, NameError, TypeError)
# What is called later, when a name may have been taken that was not yet when the cell ran.
_DEFERRED = ("def ", "lambda", "class ")

_DELETED: Any = object()
# What Python calls by a name. `super` is none of them: the compiler looks for that word.
BUILT_IN = {
    name: value
    for name, value in vars(builtins).items()
    if name != "super" and (not name.startswith("__") or name == "__import__")
}


@dataclass(frozen=True)
class CourseCells:
    """The course's cells in a notebook that is graded, each as a checksum of its text.

    `setup` are the cells that import the checks. `names` are the names that these bind, except those that a
    task asks the learner to define.
    """

    cells: frozenset[int]
    setup: frozenset[int]
    names: frozenset[str]


def described(sources: Iterable[str], asked: Collection[str]) -> str:
    """Return the value of the environment variable `COURSE_CELLS` for a notebook.

    Args:
        sources: the text of the course's cells, as they are run.
        asked: the names that tasks ask the learner to define; these are never the course's.
    """
    sums = {_checksum(source): source for source in sources}
    setup = {number: source for number, source in sums.items() if _imports_checks(source)}
    names = bound_for_all(setup.values(), asked)
    return json.dumps([sorted(sums), sorted(setup), sorted(names)], separators=(",", ":"))


def bound_for_all(sources: Iterable[str], asked: Collection[str]) -> frozenset[str]:
    """Return the names that the course's setup cells bind, except those that a task asks the learner for."""
    setup = filter(_imports_checks, sources)
    return frozenset[str]().union(*(names_of(source)[0] for source in setup)).difference(asked)


def reserve(cell: ast.Module, names: Collection[str]) -> set[str]:
    """Replace names that a cell reads but does not bind by reserved names, and return the names replaced."""
    read = [node for node in ast.walk(cell) if isinstance(node, ast.Name) and node.id in names]
    bound = _bound_anywhere(cell) if read else set()
    replaced = {node.id for node in read if node.id not in bound}
    for node in read:
        if node.id in replaced:
            node.id = RESERVED + node.id
    return replaced


def mean(names: Iterable[str]) -> None:
    """Bind the reserved names for code that was compiled elsewhere and reads these names."""
    if _watching is not None:
        _watching.bind(names)


@lru_cache(maxsize=4)
def _course_cells(encoded: str) -> CourseCells | None:
    with contextlib.suppress(ValueError, TypeError):
        cells, setup, names = json.loads(encoded)
        return CourseCells(frozenset(cells), frozenset(setup), frozenset(names))
    return None


def watch() -> None:
    """Protect the course's names from the current cell on, if this code runs in a notebook."""
    global _watching
    shell = interactive_session.shell()
    if shell is None or (_watching is not None and _watching.shell is shell):
        return
    _watching = _Watcher(shell)
    shell.events.register("pre_run_cell", _watching.before)
    shell.events.register("post_run_cell", _watching.after)
    shell.ast_transformers.append(_watching)


class _Watcher:
    """Knows what the course's names stand for, and since which cell one stands for something else."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self._bound: dict[str, Any] = {}  # by the course's first cell
        self._taken: dict[str, tuple[int, Any]] = {}  # by which cell, and what the name stands for since
        self._ours = ""  # the text of the course's cell that is about to be compiled

    def before(self, info: Any) -> None:
        """Record whether the cell that is about to run is part of the course, and not the learner's own."""
        course_cells = _course_cells(os.environ.get(COURSE_CELLS, ""))
        ours = course_cells is not None and _checksum(info.raw_cell) in course_cells.cells
        self._ours = info.raw_cell if ours else ""

    def visit(self, cell: ast.Module) -> ast.Module:
        """Replace the course's names in a course's cell by reserved ones; IPython calls this."""
        text, self._ours = self._ours, ""  # once: a learner's code that the cell calls may compile as well
        if text:
            deferred = any(word in text for word in _DEFERRED)
            self._reserve(cell, deferred)
        return cell

    def _reserve(self, cell: ast.Module, deferred: bool) -> None:
        """Replace the names that were taken, and in a cell that defines functions those that may be."""
        space, meant = self.shell.user_ns, self._meant()
        names = {
            name
            for name, value in meant.items()
            if deferred or space.get(name, _DELETED if name in self._bound else value) is not value
        }
        self.bind(reserve(cell, names))

    def _meant(self) -> dict[str, Any]:
        return {**BUILT_IN, "get_ipython": self.shell.get_ipython, **self._bound}

    def bind(self, names: Iterable[str]) -> None:
        """Bind reserved names to the course's values."""
        meant = self._meant()
        self.shell.user_ns.update({RESERVED + name: meant[name] for name in names if name in meant})

    def after(self, result: Any) -> None:
        """Record the course's names that a cell has redefined, and tell the learner if a cell needs one."""
        text, space = result.info.raw_cell, self.shell.user_ns
        encoded = os.environ.get(COURSE_CELLS)
        if encoded is not None:
            course_cells = _course_cells(encoded)
            if course_cells is not None and _checksum(text) in course_cells.setup:
                self._bound = {name: space[name] for name in course_cells.names if name in space}
            return
        if _imports_checks(text):
            self._bound |= {name: space[name] for name in names_of(text)[0] if name in space}
        for name, meant in self._bound.items():
            value = space.get(name, _DELETED)
            if value is meant:
                self._taken.pop(name, None)
            elif name not in self._taken or self._taken[name][1] is not value:
                self._taken[name] = result.execution_count or 0, value
        if self._taken:
            self._tell(parsed(text), result.error_in_exec)

    def _tell(self, cell: ast.Module, error: BaseException | None) -> None:
        read = {node.id for node in ast.walk(cell) if isinstance(node, ast.Name)}
        needed = read if isinstance(error, MISUSED) else _asked_of_course(cell)
        wanted = needed & self._taken.keys()
        for name in sorted(wanted - _asked_of_learner()) if wanted else ():
            _show(name, *self._taken[name])


_watching: _Watcher | None = None


def _checksum(source: str) -> int:
    return zlib.crc32(source.encode("utf-8", "replace"))


def _imports_checks(source: str) -> bool:
    return PACKAGE in source and any(
        isinstance(statement, ast.ImportFrom) and statement.module == PACKAGE
        for statement in parsed(source).body
    )


def _bound_anywhere(cell: ast.Module) -> set[str]:
    """Return the names that a cell binds, in whatever scope: there they mean what the cell says."""
    bound: set[str] = set()
    for node in ast.walk(cell):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.partition(".")[0])
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                bound.add(name)
    return bound


def _asked_of_course(cell: ast.Module) -> set[str]:
    """Return the names of the course's calls that a cell calls as the course does: `check("some-task")`."""
    return {
        node.func.id
        for node in ast.walk(cell)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in autograder.__all__
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def _asked_of_learner() -> set[str]:
    """Return the names that a task of the course asks for; its language is spoken from now on."""
    # Not above: what runs submissions asks no course, and needs no card.
    from autograder.lesson.check_calls import find_course

    try:
        course = find_course()
        lessons = [course.load(lesson) for lesson in course.banked()]
    except UserError:
        return set()
    return {task.name for lesson in lessons for task in lesson.tasks.values()}


def _show(name: str, number: int, value: Any) -> None:
    # Not above: see `_asked_of_learner`.
    from IPython.display import display

    from autograder.words.feedback_card import Notice

    display(Notice(_sentence(name, number, value)))


def _sentence(name: str, number: int, value: Any) -> str:
    if value is _DELETED:
        return _(
            "`{name}` is gone: cell [{number}] deletes it. Take that out, then run the first cell again.",
            name=name,
            number=number,
        )
    kind = value.__name__ if isinstance(value, ModuleType) else type(value).__name__
    return _(
        "`{name}` no longer means the course's: cell [{number}] gave the name to something else (`{kind}`). "
        "Choose another name there, then run the first cell again.",
        name=name,
        number=number,
        kind=kind,
    )
