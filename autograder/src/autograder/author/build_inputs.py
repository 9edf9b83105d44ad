"""Digest everything that the builds of a course read: code by its imports, other files by their content.

Nothing here loads torch, so a course that is up to date is recognised within seconds.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path

from autograder.author.import_graph import Import, Modules, code_digest, imports_of, versions
from autograder.author.percent_format import raw_cells
from autograder.records.course import FILE, Course
from autograder.records.file_digests import Identity, identity

TOOL = Path(__file__).parents[1]
# Rooms of the tool that no build enters: `author` may not import them.
OTHER_ROOMS = frozenset({"author", "classroom", "command", "grading", "live", "lti"})
# A build writes the first two, and Python the third.
NOT_READ = (".ipynb", ".mo", ".pyc")
JS_IMPORT = re.compile(r'\bfrom\s+"(\.[^"]+)"')

# What each stage's code begins with.
BANK: tuple[Import, ...] = (("autograder.author.build_bank", ""), ("autograder.author.fair_draws", ""))
SOLUTION: tuple[Import, ...] = (("autograder.author.preprocessors", ""), ("ipykernel", ""))
BUILD: tuple[Import, ...] = (
    *(("autograder.author.pipeline", ""), ("autograder.author.translated_lesson", "")),
    ("autograder.grading.gradebook_task_changes", ""),  # `settings` names it to nbgrader
    *BANK,
    *SOLUTION,
)


class Inputs:
    """The files, modules and package versions that the builds of a course read.

    Attributes:
        course: the course.
        modules: the modules of the tool and of the course's own packages.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self.modules = Modules({"autograder": TOOL, **course.packages()})
        self._imports: dict[str, tuple[Import, ...]] = {}
        self._digests: dict[Path, bytes] = {}

    def lesson_imports(self, name: str) -> tuple[Import, ...]:
        """Return the imports in the code cells of a lesson."""
        if name not in self._imports:
            path = self.course.source / name / f"{name}.py"
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            cells = ["\n".join(cell.body) for cell in raw_cells(text) if not cell.is_prose]
            self._imports[name] = tuple(imported for cell in cells for imported in imports_of(_parsed(cell)))
        return self._imports[name]

    def code(
        self, imports: Iterable[Import], without: Collection[str] = (), with_texts: bool = True
    ) -> bytes:
        """Return a digest of all code that some imports run, and of the versions of the other packages in it.

        Args:
            imports: the imports.
            without: packages whose versions do not count.
            with_texts: whether the texts count that only a reader reads.
        """
        reached, foreign = self.modules.reached(imports)
        used = versions(name for name in foreign if name not in without)
        return hashlib.sha256(
            self.modules.digest(reached, with_texts)
            + "\n".join(f"{name} {version}" for name, version in used.items()).encode()
        ).digest()

    def uses(self, name: str) -> dict[str, str]:
        """Return the version of each package that the build of a lesson uses."""
        return versions(self.modules.reached([*BUILD, *self.lesson_imports(name)])[1])

    def data(self, imports: Iterable[Import]) -> bytes:
        """Return a digest of the data files beside the code that imports run: ES modules, tables, fonts."""
        reached, _ = self.modules.reached(imports)
        digest = hashlib.sha256()
        for folder, beside in self._data:
            for file in sorted(
                _with_imported(file for file, modules in beside if not reached.isdisjoint(modules))
            ):
                digest.update(self._of_file(folder, file))
        return digest.digest()

    @cached_property
    def _data(self) -> list[tuple[Path, list[tuple[Path, frozenset[str]]]]]:
        """Files that are no Python, by package, each with the modules in its folder.

        Where a folder has no modules, those in the next one above count.
        """
        paths = []
        for package, folder in self.modules.packages.items():
            files = list(_files(folder, OTHER_ROOMS if folder == TOOL else ()))
            modules: dict[Path, set[str]] = {folder: {package}}
            for file in files:
                if file.suffix == ".py":
                    inside = ".".join([package, *file.parent.relative_to(folder).parts])
                    name = inside if file.stem == "__init__" else f"{inside}.{file.stem}"
                    modules.setdefault(file.parent, set()).add(name)
            beside = [
                (file, frozenset(modules[next(folder for folder in file.parents if folder in modules)]))
                for file in files
                if file.suffix != ".py"
            ]
            paths.append((folder, beside))
        return paths

    def adds(self) -> bytes:
        """Return a digest of the experiments that the course adds to those of the tool."""
        name = self.course.adds.experiments
        return self._of_file(self.course.root, self.course.root / name) if name else b""

    def read(self, name: str) -> str:
        """Return the digest of everything that the build of a lesson reads, apart from package versions."""
        imports = [*BUILD, *self.lesson_imports(name), *self.course_imports(name)]
        digest = hashlib.sha256()
        digest.update(self.modules.digest(self.modules.reached(imports)[0]) + self.data(imports))
        others = {lesson for lesson in self.course.lessons if lesson != name}
        for root, file in self._own_files:
            inside = file.relative_to(root)
            if not others & {part.split(".")[0] for part in inside.parts}:
                digest.update(self._of_file(root, file))
        return digest.hexdigest()[:32]

    def course_imports(self, name: str) -> list[Import]:
        """Return the imports in a lesson's `tasks.py` and `faults.py`, and in the files of all lessons."""
        files = [self.course.source / name / file for file in ("tasks.py", "faults.py")]
        files += [self.course.source / "faults.py"]
        files += [self.course.root / self.course.adds.experiments] if self.course.adds.experiments else []
        return [imported for file in files if file.is_file() for imported in _imports_of(identity(file))]

    @cached_property
    def _own_files(self) -> list[tuple[Path, Path]]:
        """The course's own files and the tool's translations, each with the folder that it was found in."""
        course = self.course
        folders = [course.source, course.root / "locale"]
        folders += [course.tool / "locale"] if course.tool else []
        pairs = [(folder, file) for folder in folders for file in _files(folder)]
        return [*pairs, *((course.root, course.root / name) for name in (FILE, "nbgrader_config.py"))]

    def _of_file(self, root: Path, file: Path) -> bytes:
        if file not in self._digests:
            content = file.read_bytes() if file.is_file() else b""
            relative = file.relative_to(root).as_posix().encode()
            is_lesson = file.stem == file.parent.name
            if file.suffix == ".py" and not is_lesson:
                with_code = _code_or_none(content)
                content = content if with_code is None else with_code
            self._digests[file] = hashlib.sha256(relative + b"\0" + content).digest()
        return self._digests[file]


def files_digest(root: Path, paths: Iterable[Path]) -> str:
    """Return a digest of the paths, relative to `root`, and the content of some files.

    Args:
        root: the folder that paths are relative to.
        paths: files, and folders whose files are all included.
    """
    digest = hashlib.sha256()
    for path in paths:
        for file in [path] if path.is_file() else _files(path, endings=()):
            digest.update(
                os.path.relpath(file, root).replace(os.sep, "/").encode() + b"\0" + file.read_bytes()
            )
    return digest.hexdigest()[:32]


def _files(root: Path, without: Collection[str] = (), endings: Collection[str] = NOT_READ) -> Iterator[Path]:
    """Yield the files below a folder, but for hidden ones, those with some endings and some folders in it."""
    for folder, below, names in os.walk(root):
        skipped = without if Path(folder) == root else ()
        below[:] = sorted(
            name for name in below if not name.startswith((".", "__pycache__")) and name not in skipped
        )
        for name in sorted(names):
            if not name.startswith(".") and Path(name).suffix not in endings:
                yield Path(folder, name)


def _with_imported(files: Iterable[Path]) -> set[Path]:
    """Return some files and the ES modules that those among them import."""
    paths: set[Path] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file not in paths and file.is_file():
            paths.add(file)
            if file.suffix == ".js":
                text = file.read_text(encoding="utf-8")
                waiting += [(file.parent / name).resolve() for name in JS_IMPORT.findall(text)]
    return paths


@lru_cache(maxsize=256)
def _imports_of(file: Identity) -> tuple[Import, ...]:
    return imports_of(_parsed(file.path.read_text(encoding="utf-8")))


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return ast.Module([], [])


def _code_or_none(content: bytes) -> bytes | None:
    try:
        return code_digest(content.decode())
    except (SyntaxError, ValueError):
        return None
