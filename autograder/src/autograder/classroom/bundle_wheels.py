"""Make the two wheels of a bundle: the installed tool, and the course's own bank and code.

Bundles of several courses contain the same wheel of the tool, so they can be installed in one environment.
"""

from __future__ import annotations

import ast
import csv
import io
import tempfile
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
import tomlkit
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import autograder
from autograder.author.translated_lesson import SHARED, without
from autograder.records import bank as banks
from autograder.records.authoring_errors import UserError
from autograder.records.bank import AS_SEEN, LessonBank, Task
from autograder.records.course import FILE, GROUP, Course
from autograder.records.parse_cells import parsed
from autograder.words.language import MESSAGES

TOOL = "lesson-autograder"
METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: The checks of a course: {title}.
Requires-Python: {python}
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: autograder
Root-Is-Purelib: true
Tag: py3-none-any
"""


class CannotBundle(UserError):
    """A file that students need is missing or unusable. The message says what to do."""


@cache
def tool() -> Distribution:
    """Return the installed distribution of the tool.

    Raises:
        CannotBundle: the tool is not installed as a distribution.
    """
    try:
        return distribution(TOOL)
    except PackageNotFoundError:
        raise CannotBundle(f"The tool itself is not installed here: pip install {TOOL}") from None


def tool_wheel(out: Path) -> str:
    """Write the wheel of the tool into a folder, and return the wheel's name.

    Raises:
        CannotBundle: the tool is not installed as a distribution.
    """
    package = Path(autograder.__file__).parent
    files = open_files(package)
    before = after = tool().version
    if Path(str(tool().locate_file(package.name))) != package:
        # A checkout changes between releases; what changed last has the highest number.
        after = _numbered(before, max(int(file.stat().st_mtime) for file in files))
    about = {
        "/".join(file.parts[1:]): file.read_text(encoding="utf-8")
        for file in (tool().files or ())
        if file.name in ("METADATA", "entry_points.txt") or "licenses" in file.parts
    }
    about["METADATA"] = about["METADATA"].replace(f"\nVersion: {before}\n", f"\nVersion: {after}\n", 1)
    content = {f"{package.name}/{file.relative_to(package).as_posix()}": file.read_bytes() for file in files}
    # As the tool's own build does: what shows a lesson's outputs goes to where JupyterLab looks for it.
    extension = package / "lesson" / "labextension"
    shared = f"{_escaped(TOOL)}-{after}.data/data/share/jupyter/labextensions/{TOOL}"
    content |= {
        f"{shared}/{file.relative_to(extension).as_posix()}": file.read_bytes()
        for file in files
        if extension in file.parents
    }
    return _write(out, TOOL, after, content, about)


def open_files(folder: Path) -> list[Path]:
    """Return the files in a folder that may be given to students: neither links nor hidden files."""
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        and not file.is_symlink()
        and not any(part.startswith(".") or part == "__pycache__" for part in file.relative_to(folder).parts)
    ]


def locked(lock: Path) -> list[tuple[str, str]]:
    """Return each line of a lock file that names a package, with the package's name. Options are left out.

    Raises:
        CannotBundle: a line cannot be read, or contains a password.
    """
    lines = []
    for number, line in enumerate(lock.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("#", "-")):
            continue
        try:
            requirement = Requirement(line)
        except InvalidRequirement:  # whose text repeats the line
            raise CannotBundle(f"{lock}: line {number} names no package and version.") from None
        if "@" in urlsplit(requirement.url or "").netloc:
            raise CannotBundle(f"{lock}: line {number} has a password or token in its address: take it out.")
        lines.append((line, str(canonicalize_name(requirement.name))))
    return lines


def course_wheel(course: Course, lessons: Sequence[str], out: Path, hints: int | None = None) -> str:
    """Write the wheel of a course into a folder: the bank of some lessons, and the modules that they import.

    Args:
        course: the course.
        lessons: the lessons' names.
        out: the folder.
        hints: the number of hints that each task keeps; None for all.

    Returns:
        The wheel's name.

    Raises:
        CannotBundle: a lesson is not built, or the tool is not installed as a distribution.
    """
    about = project(course)
    name = about["name"]
    folder = f"{_escaped(name)}_course"
    with tempfile.TemporaryDirectory(prefix="wheel-") as temporary:
        for lesson in lessons:
            banks.save(for_students(course.load(lesson), hints), Path(temporary))
        data = {file.name: file.read_bytes() for file in Path(temporary).iterdir()}
    data |= _words(course, lessons, hints)
    data |= {**course.beside_banks(), FILE: described(course, lessons).encode()}
    content = {**packages(course, lessons), **{f"{folder}/{path}": data[path] for path in data}}
    needs = "".join(f"Requires-Dist: {need}\n" for need in about["dependencies"])
    # Another number for other content: so pip installs it.
    digest = sha256(needs.encode())
    for path in sorted(content):
        digest.update(sha256(path.encode()).digest() + sha256(content[path]).digest())
    version = _numbered(about["version"], int(digest.hexdigest()[:8], 16))
    metadata = METADATA.format(
        name=name, version=version, title=" ".join(course.title.split()), python=pythons()
    )
    texts = {
        "METADATA": metadata + needs,
        "entry_points.txt": f"[{GROUP}]\n{course.name} = {folder}\n",
    }
    return _write(out, name, version, content, texts)


def project(course: Course) -> dict[str, Any]:
    """Return the `project` metadata of a course's distribution, with the tool among its dependencies.

    It is taken from the course's `pyproject.toml`, if there is one.
    """
    file = course.root / "pyproject.toml"
    metadata = tomllib.loads(file.read_text(encoding="utf-8"))["project"] if file.is_file() else {}
    # What a version in development has after its "+", no comparison may name.
    needs = [f"{TOOL}>={Version(tool().version).public}", *metadata.get("dependencies", ())]
    return {"name": f"{course.name}-course", "version": "0", **metadata, "dependencies": needs}


def pythons() -> str:
    """Return the versions of Python that the tool supports, such as ">=3.11,<3.15"."""
    return str(tool().metadata["Requires-Python"])


def described(course: Course, lessons: Iterable[str]) -> str:
    """Return the text of `course.toml` with only these lessons."""
    text = tomlkit.parse((course.root / FILE).read_text(encoding="utf-8"))
    text["lessons"] = [name for name in course.lessons if name in set(lessons)]
    return tomlkit.dumps(text)


def release(course: Course, lesson: str) -> Path:
    """Return the path of a lesson's release, the notebook that students get.

    Raises:
        CannotBundle: the lesson is not built.
    """
    path = course.root / "notebooks" / lesson / f"{lesson}.ipynb"
    if not path.is_file():
        raise CannotBundle(f"{lesson} is not built: there is no notebooks/{lesson}/{lesson}.ipynb.")
    return path


def for_students(lesson: LessonBank, hints: int | None = None) -> LessonBank:
    """Return a lesson's bank with only the parts that a student's own checks read.

    The instructor keeps the other sets of givens, which reveal typed-in numbers, and all hidden probes.

    Args:
        lesson: the lesson's bank.
        hints: the number of hints that each task keeps; None for all.
    """
    tasks = {
        name: replace(_for_students(task), hints=task.hints[:hints]) for name, task in lesson.tasks.items()
    }
    return replace(lesson, tasks=tasks, givens={AS_SEEN: lesson.givens.get(AS_SEEN, {})})


def _for_students(task: Task) -> Task:
    shown = tuple(
        probe for probe in task.probes if not probe.hidden and (task.kind != "tensor" or probe.id == AS_SEEN)
    )
    probe_ids = {probe.id for probe in shown}
    checks = tuple(
        replace(check, probes=tuple(name for name in check.probes if name in probe_ids))
        for check in task.checks
    )
    table = task.explanations
    if table is not None:
        table = table.only([name for name in table.probes if name in probe_ids])
    return replace(task, probes=shown, checks=checks, explanations=table)


def _words(course: Course, lessons: Sequence[str], hints: int | None) -> dict[str, bytes]:
    """Return what the course says in other languages, but for the hints that students do not get."""
    left_out = [
        (task.id, hint)
        for lesson in lessons
        for task in course.load(lesson).tasks.values()
        for hint in task.hints[len(task.hints) if hints is None else hints :]
    ]
    paths = [
        f"{language}/{name}.mo" for language in course.languages[1:] for name in (*lessons, SHARED, MESSAGES)
    ]
    return {
        path: without(path.partition("/")[0], (course.bank / path).read_bytes(), left_out)
        for path in paths
        if (course.bank / path).is_file()
    }


def packages(course: Course, lessons: Sequence[str]) -> dict[str, bytes]:
    """Return the files of the course's own packages that these lessons import, as content by path.

    Data files go with the modules in their folder, so a lesson's bundle contains no other lesson's data.
    """
    packages_of_course = [name for name in course.preload if (course.root / name / "__init__.py").is_file()]
    cells = [
        cell.source
        for lesson in lessons
        for cell in nbformat.read(release(course, lesson), as_version=4).cells
        if cell.cell_type == "code"
    ]
    names = [*packages_of_course, *(name for cell in cells for name in _imported(parsed(cell)))]
    files = _reached(names, {name: course.root / name for name in packages_of_course})
    data = [
        file
        for module in files
        if module.name == "__init__.py"
        for file in open_files(module.parent)
        if file.parent == module.parent and file.suffix != ".py"
    ]
    return {file.relative_to(course.root).as_posix(): file.read_bytes() for file in [*files, *data]}


def _reached(names: Iterable[str], packages: Mapping[str, Path]) -> list[Path]:
    """Return the files of the modules in some packages that others reach by imports, directly or not."""
    files: dict[str, Path | None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        top, *rest = name.split(".")
        if name in files or top not in packages:
            continue
        path = packages[top].joinpath(*rest)
        modules = (path / "__init__.py", path.with_suffix(".py"))
        files[name] = file = next((module for module in modules if module.is_file()), None)
        if file:
            waiting += [*_imported(ast.parse(file.read_text(encoding="utf-8"))), name.rpartition(".")[0]]
    return [file for file in files.values() if file]


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield the names that code imports, whether of modules or of what is in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _write(out: Path, name: str, version: str, content: Mapping[str, bytes], about: Mapping[str, str]) -> str:
    """Write a wheel, the same bytes for the same content; returns its name.

    Args:
        out: the folder to write it to.
        name: the distribution's name.
        version: its version.
        content: its files.
        about: the files that describe it, below its `.dist-info`.
    """
    stem = f"{_escaped(name)}-{version}"
    folder = f"{stem}.dist-info"
    files = {
        **content,
        **{f"{folder}/{path}": text.encode() for path, text in {**about, "WHEEL": WHEEL}.items()},
    }
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for path, data in files.items():
        digest = urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
        rows.writerow([path, f"sha256={digest}", len(data)])
    rows.writerow([f"{folder}/RECORD", "", ""])
    wheel = out / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in {**files, f"{folder}/RECORD": record.getvalue().encode()}.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return wheel.name


def _numbered(version: str, number: int) -> str:
    """Return a version with a number in its local part, which versions in development may have, too."""
    return f"{version}{'.' if '+' in version else '+'}{number}"


def _escaped(name: str) -> str:
    """Return a distribution's name as it stands in files' names."""
    return name.replace("-", "_")
