"""Find the code that a stage of a build runs: the modules that it imports, directly or through others.

Only a module's code counts: changed comments, docstrings and blank lines cause no rebuild. A package whose
`__init__` only re-exports names counts as the modules that define the imported names.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from autograder.records.file_digests import Identity, identity

# Strings are matched so that a `#` in one is no comment.
STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""'
    r"|'''(?:\\.|[^\\])*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'"
    r"|(?P<comment>#[^\n]*)",
    re.DOTALL,
)
# Functions whose text argument is for a reader: the words of the tool, to be translated.
FOR_READERS = frozenset({"_", "N_", "ngettext"})
# What an `__init__` may hold besides imports and still only hand on names.
HANDS_ON = frozenset({"__getattr__", "__dir__"})

Import = tuple[str, str]  # a module, and the name that is taken from it; "" for the module itself


@dataclass(frozen=True)
class _Module:
    """One module: its code in short, what it imports, and where the names come from that it hands on.

    `without_texts` is a digest of the same code but for the texts that only a reader reads.
    """

    digest: bytes
    without_texts: bytes
    imports: tuple[Import, ...]
    exports: Mapping[str, Import]
    only_hands_on: bool


@dataclass
class Modules:
    """The modules of some packages.

    Attributes:
        packages: the folder of each package, by its name.
    """

    packages: Mapping[str, Path]
    _read: dict[str, _Module | None] = field(default_factory=dict)

    def reached(self, imports: Iterable[Import]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the modules that some imports run, directly or through others.

        Returns:
            The modules within `packages`, and the names of all other packages outside the standard library.
        """
        reached: set[str] = set()
        foreign: set[str] = set()
        seen: set[Import] = set()
        waiting = list(imports)
        while waiting:
            wanted = waiting.pop()
            if wanted in seen:
                continue
            seen.add(wanted)
            top = wanted[0].partition(".")[0]
            if top not in self.packages:
                if top not in sys.stdlib_module_names:
                    foreign.add(top)
                continue
            for name in self._run_by(wanted, waiting):
                module = self._module(name)
                if module is not None and name not in reached:
                    reached.add(name)
                    waiting += module.imports
        return frozenset(reached), frozenset(foreign)

    def digest(self, modules: Iterable[str], with_texts: bool = True) -> bytes:
        """Return a digest of the names and code of some modules, with or without texts for readers."""
        parts = hashlib.sha256()
        for name in sorted(modules):
            module = self._module(name)
            code = (module.digest if with_texts else module.without_texts) if module else b""
            parts.update(name.encode() + b"\0" + code)
        return parts.digest()

    def _run_by(self, wanted: Import, waiting: list[Import]) -> Iterator[str]:
        """Yield the modules whose code an import runs; imports that it leads to are added to `waiting`."""
        module, name = wanted
        parts = module.split(".")
        for end in range(1, len(parts)):
            parent = self._module(".".join(parts[:end]))
            if parent is not None and not parent.only_hands_on:
                yield ".".join(parts[:end])
        module_info = self._module(module)
        if module_info is None:
            return
        if name and self._module(f"{module}.{name}") is not None:
            yield f"{module}.{name}"
        elif name in module_info.exports:
            waiting.append(module_info.exports[name])
        else:
            yield module
            return
        if not module_info.only_hands_on:
            yield module

    def _module(self, name: str) -> _Module | None:
        if name not in self._read:
            top, *below = name.split(".")
            folder = self.packages[top].joinpath(*below)
            package = folder / "__init__.py"
            file = package if package.is_file() else folder.with_suffix(".py")
            self._read[name] = _module(identity(file), name, file == package) if file.is_file() else None
        return self._read[name]


def imports_of(tree: ast.AST, module: str = "", is_package: bool = False) -> tuple[Import, ...]:
    """Return all imports in some code, including those inside functions.

    Args:
        tree: the code.
        module: the name of the module that contains it, for relative imports.
        is_package: whether that module is a package's `__init__`.
    """
    imported: list[Import] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imported += [
                (_absolute(node, module, is_package), "" if alias.name == "*" else alias.name)
                for alias in node.names
            ]
    return tuple(imported)


def code_digest(text: str) -> bytes:
    """Return a digest of a Python file's code, without comments, docstrings and blank lines."""
    return _digest(text, ast.parse(text))


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of the distributions that provide some packages; "" for one that is not installed.

    The local part of a version, such as `+cpu`, is left out: a build for another device counts as the same
    version.
    """
    return {name: _version(name) for name in sorted(set(packages))}


@lru_cache(maxsize=256)
def _version(package: str) -> str:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(package).partition("+")[0]
    distributions = metadata.packages_distributions().get(package, ())
    return metadata.version(distributions[0]).partition("+")[0] if distributions else ""


@lru_cache(maxsize=1024)
def _module(file: Identity, name: str, is_package: bool) -> _Module:
    text = file.path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    return _Module(
        _digest(text, tree),
        _digest(_without_texts(text, tree), tree),
        imports_of(tree, name, is_package),
        {
            alias.asname or alias.name: (_absolute(node, name, is_package), alias.name)
            for node in _top_level(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        },
        is_package and all(map(_only_hands_on, _top_level(tree))),
    )


def _top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield a module's statements, with those that are there for type checkers."""
    for statement in tree.body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            yield from statement.body
        else:
            yield statement


def _only_hands_on(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.FunctionDef(name=name):
            return name in HANDS_ON
    return False


def _absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, *filter(None, [node.module])])


def _without_texts(text: str, tree: ast.Module) -> str:
    """Return a file's text with each text that only a reader reads cut out; the lines stay as many."""
    texts = [
        argument
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FOR_READERS
        for argument in node.args
        if isinstance(argument, ast.Constant)
    ]
    lines = [line.encode() for line in text.splitlines()]  # positions in a tree count bytes
    for each in sorted(texts, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        end, after = each.end_lineno or each.lineno, each.end_col_offset or 0
        rest = lines[end - 1][after:]
        lines[each.lineno : end] = [b""] * (end - each.lineno)
        lines[each.lineno - 1] = lines[each.lineno - 1][: each.col_offset] + rest
    return "\n".join(line.decode() for line in lines)


def _digest(text: str, tree: ast.Module) -> bytes:
    lines = text.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str()) as words), *_]:
                    for line in range(words.lineno, (words.end_lineno or words.lineno) + 1):
                        lines[line - 1] = ""
    code = STRING_OR_COMMENT.sub(lambda match: "" if match["comment"] else match[0], "\n".join(lines))
    code_lines = [line.rstrip() for line in code.splitlines() if line.strip()]
    return hashlib.sha256("\n".join(code_lines).encode()).digest()
