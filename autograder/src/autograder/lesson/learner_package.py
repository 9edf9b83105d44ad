"""The learner's own package, `mine`: their answers, as readable modules that any notebook can import.

Its files are the only storage. A line above each part says what it is and whose; the learner may change the
rest. The package never affects a grade: during grading, `mine` holds the lesson's own versions of these
names.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from autograder.lesson import check_calls
from autograder.records.course import FILE, Course
from autograder.records.file_digests import write_whole
from autograder.records.parse_cells import names_of, parsed
from autograder.words.feedback_card import Notice
from autograder.words.language import _

NAME = "mine"
OWN, COURSES = "my own", "the course's, until I add mine"
PART = re.compile(r"^# == (\w+): (.*) ==\n", re.MULTILINE)
ABSENT: Any = object()


@dataclass
class _Module:
    """A module of the package: what it imports, and its parts in order: whose each is, and its text."""

    imports: dict[str, None] = field(default_factory=dict)
    parts: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> _Module:
        """Return a module of the package; an empty one if there is no such file."""
        head, *parts = PART.split(path.read_text(encoding="utf-8")) if path.is_file() else [""]
        imports = [line for line in head.splitlines() if line.startswith(("import ", "from "))]
        texts = zip(parts[::3], zip(parts[1::3], map(str.strip, parts[2::3]), strict=True), strict=True)
        return cls(dict.fromkeys(imports), dict(texts))

    def text(self, says: str) -> str:
        """Return the module's text, as it is written to a file."""
        parts = [f"# == {name}: {owner} ==\n{text}\n" for name, (owner, text) in self.parts.items()]
        return "\n\n".join([f'"""{says}"""\n\n' + "\n".join(sorted(self.imports)) + "\n", *parts])

    def owned(self) -> list[str]:
        return [name for name, (owner, _text) in self.parts.items() if owner == OWN]


class _Collector:
    """Gathers a part with all that it needs, from a notebook's names.

    Args:
        names: the notebook's.
        courses: names that the lesson's own cells define.
        elsewhere: the learner's own parts in the modules before this one, with that module.
        module: what the parts are put into.
    """

    def __init__(
        self, names: Mapping[str, Any], courses: Iterable[str], elsewhere: Mapping[str, str], module: _Module
    ) -> None:
        self._names, self._courses, self._elsewhere = names, frozenset(courses), elsewhere
        self._module = module
        self.taken: list[str] = []
        self.missing: list[str] = []

    def add(self, name: str) -> None:
        """Add an answer to the module, after all the code that it needs."""
        text = _definition(self._names[name])
        before = self._module.parts
        position = list(before).index(name) if name in before else len(before)
        self._module.parts = dict(list(before.items())[:position])
        self._need(text, {name, *before})
        self._module.parts[name] = OWN, text
        self._module.parts |= dict(list(before.items())[position + (name in before) :])

    def _need(self, text: str, there: set[str]) -> None:
        for name in sorted(names_of(text)[1] - vars(builtins).keys()):
            value = self._names.get(name, ABSENT)
            if name in self._elsewhere and name not in self._module.owned():
                self._module.imports[f"from .{self._elsewhere[name]} import {name}"] = None
                self._module.parts.pop(name, None)
            elif name in there:
                continue
            elif isinstance(value, ModuleType):
                self._module.imports[_import(value.__name__, name)] = None
            elif part := _definition(value):
                there.add(name)
                self._need(part, there)
                owner = COURSES if name in self._courses and not _brought(value) else OWN
                self.taken += [name] if owner == COURSES else []
                self._module.parts[name] = owner, part
            elif isinstance(value, int | float | str | None):
                self._module.parts[name] = OWN, f"{name} = {value!r}"
            elif _is_importable(value, name):
                self._module.imports[f"from {value.__module__} import {name}"] = None
            else:
                self.missing.append(name)


def add_to_mine(task_id: str) -> Notice:
    """Add an answer that has passed its check to your package `mine`, with all the code that it needs.

    Args:
        task_id: the task's id.
    """
    result = check_calls.find_task(task_id)
    if isinstance(result, Notice):
        return result
    course, task, lesson = result
    modules = list(course.mine)
    home = next((module for module in modules if task_id in course.mine[module]), "")
    if not home:
        return Notice(_("`mine` does not collect `{task}`.", task=task_id))
    space = check_calls.notebook_names()
    if not check_calls.found_right(course, task, space):
        return Notice(_("`{name}` can be added once its check is right.", name=task.name))
    folder = _folder()
    modules_before = {name: _Module.read(folder / f"{name}.py") for name in modules}
    before = reversed(modules[: modules.index(home)])  # of two parts with one name, the first one counts
    elsewhere = {part: name for name in before for part in modules_before[name].owned()}
    collector = _Collector(space, lesson.names, elsewhere, modules_before[home])
    try:
        collector.add(task.name)
        _write(folder, course, modules_before)
    except OSError as problem:
        return Notice(_("`mine` cannot be written: {reason}.", reason=problem.strerror or problem))
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]
    lines = [_("Import it with `from mine import {name}`.", name=task.name)]
    if names := _listed(collector.taken):
        lines.append(_("Taken from the course, until you add yours: {names}.", names=names))
    if names := _listed(collector.missing):
        lines.append(_("It needs {names}, which only the notebook has.", names=names))
    return Notice(_("`{name}` is in {file}.", name=task.name, file=folder / f"{home}.py"), tuple(lines))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _write(folder: Path, course: Course, modules: Mapping[str, _Module]) -> None:
    """Write the package; of two parts with one name, the earlier module's is that of `from mine import …`."""
    folder.mkdir(exist_ok=True)
    seen: set[str] = set()
    exported = []
    for name, module in modules.items():
        if module.parts:
            write_whole(
                folder / f"{name}.py", module.text(f"What I made in “{course.title}”: {name}.").encode()
            )
            names = [part for part in module.owned() if part not in seen]
            seen.update(names)
            exported += [f"from .{name} import {', '.join(names)}"] if names else []
    text = f'"""What I made in “{course.title}”."""\n\n' + "\n".join(exported) + "\n"
    write_whole(folder / "__init__.py", text.encode())
    if program := course.adds.mine:
        write_whole(folder / Path(program).name, (course.root / program).read_bytes())


def _folder() -> Path:
    """Return the package's folder: beside the course's file, or else beside the notebook."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / FILE).is_file()), here) / NAME


def _import(module: str, name: str) -> str:
    parent, _dot, last = module.rpartition(".")
    if last == name:
        return f"from {parent} import {name}" if parent else f"import {name}"
    return f"import {module} as {name}"


def _is_importable(value: Any, name: str) -> bool:
    return getattr(sys.modules.get(str(getattr(value, "__module__", ""))), name, ABSENT) is value


def _brought(value: Any) -> bool:
    """Tell whether a definition is the learner's, brought over from an earlier notebook."""
    return _file(value).startswith("<cell ")


def _file(value: Any) -> str:
    """Return the file of a function or a class; "" of anything else."""
    functions = vars(value).values() if isinstance(value, type) else (value,)
    codes = (inspect.unwrap(each).__code__ for each in functions if isinstance(each, FunctionType))
    return next((code.co_filename for code in codes), "")


def _definition(value: Any) -> str:
    """Return the text of a function or a class of a cell, with the comments above it; "" of another."""
    file = _file(value)
    if not file or Path(file).is_file():
        return ""
    lines = linecache.getlines(file)
    for node in reversed(parsed("".join(lines)).body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == value.__name__:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            while first and lines[first - 1].startswith("#"):
                first -= 1
            return "".join(lines[first : node.end_lineno]).strip()
    return ""


class _Finder(MetaPathFinder):
    """Finds `mine` from a notebook, and while that is graded, what the notebook itself has in its place."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] != NAME:
            return None
        if check_calls.EXECUTION in os.environ:
            is_module = name == NAME or name.partition(".")[2] in Course.find().mine
            return ModuleSpec(name, _Graded(), is_package=name == NAME) if is_module else None
        file = _folder() / "__init__.py"
        if name != NAME or not file.is_file():
            return None
        return spec_from_file_location(NAME, file, submodule_search_locations=[str(file.parent)])


class _Graded(Loader):
    """Makes a module of the notebook's own names."""

    def exec_module(self, module: ModuleType) -> None:
        def named(name: str) -> Any:
            try:
                return check_calls.notebook_names()[name]
            except KeyError:
                raise AttributeError(name) from None

        vars(module)["__getattr__"] = named


def watch() -> None:
    """Make `mine` importable from any notebook in the course's folder."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
