"""What students get and nothing else: notebooks, a wheel of the checks, and what starts them."""

from __future__ import annotations

import ast
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, entry_points
from pathlib import Path

import nbformat
import tomlkit
from nbformat import NotebookNode
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder import bank as banks
from autograder.bank import AS_SEEN, LessonBank, Task
from autograder.course import FILE, GROUP, Course
from autograder.files import folder_digest
from autograder.language import LANGUAGE, MESSAGES
from autograder.problems import Refused
from autograder.reading import parsed

TOOL = "autograder"
# What a lesson calls, from which everything that a student needs can be reached by its imports.
ENTRANCE = ("autograder", "autograder.learner")
# The first code cell of a bundled notebook. In the course's environment and while grading, it does nothing.
# It names no version: a notebook in which a student has worked is not replaced by a later bundle's.
SETUP = "install-the-checks"
SETUP_CODE = """\
#@title Install the checks, where they are missing
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

name = "{name}"
found = next((one.version for one in distributions(name=name)), "")
places = [sorted(folder.glob(f"{{name}}-*.whl")) for folder in (Path.cwd(), *Path.cwd().parents)]
wheels = [str(max(place, key=lambda one: one.stat().st_mtime)) for place in places if place] + {urls}
if not find_spec("autograder") or (".post" in found and wheels and f"-{{found}}-" not in wheels[0]):
    if not wheels:
        try:
            from google.colab import files
        except ImportError:
            told = f"Put {{name}}-….whl beside this notebook; you were given both."
            raise FileNotFoundError(told) from None
        print(f"Choose {{name}}-….whl")
        wheels = list(files.upload())
    get_ipython().run_line_magic("pip", f"install --quiet {{wheels[0]}}")
"""
# Folded where notebooks can be: in JupyterLab and VS Code, and in Colab.
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}
PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
description = "The checks of a course: {title}."
requires-python = "{python}"
dependencies = {needs}

[project.entry-points."{group}"]
{name} = "{tool}:bank"

[tool.hatch.build.targets.wheel]
packages = {packages}
artifacts = ["*.json", "*.safetensors"]
"""
README = """\
# {title}

{start}

**In Colab.** Upload a notebook of `notebooks/` and run its first code cell. {colab}

**On a JupyterHub.** Upload this folder, open a notebook and run its first code cell, if the hub has no
checks yet.

Work from top to bottom, and run the check under each answer. `hint("task-id")` gives a hint. Hand in the
notebook as it is; its name does not matter.
"""
WITH_STARTER = """\
**On your machine**, with Python {python}. Open a terminal in this folder and type

    python3 start.py lab          (on Windows: py start.py lab)

The first start downloads about 400 MB and makes a folder `.venv`; later starts open JupyterLab at once.

**In VS Code.** Type `python3 start.py run python -c ""` once. Then open a notebook in `notebooks/`, and
choose the kernel in `.venv`."""
WITHOUT_STARTER = """\
**On your machine**, with Python {python}. Open a terminal in this folder and type

    python3 -m pip install jupyterlab {wheel}
    jupyter lab notebooks

**In VS Code.** The same first line; then open a notebook in `notebooks/`."""


class CannotBundle(Refused):
    """Something that students need is not there; says what to do."""


def bundle(
    course: Course, lessons: Sequence[str], out: Path, url: str = "", hints: int | None = None
) -> tuple[str, ...]:
    """Pack the lessons that students have by now into a folder, or into a zip file.

    Args:
        course: the course.
        lessons: their names.
        out: where to.
        url: where the wheel will be found, for Colab; students are asked for the file where empty.
        hints: how many hints each task keeps; all of them if None.

    Returns:
        What is in it.

    Raises:
        CannotBundle: a lesson is not built, or the build tool is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="bundle-") as place:
        root = Path(place) / course.name
        root.mkdir()
        wheel = _wheel(course, lessons, root, hints)
        for lesson in lessons:
            for place in (lesson, *(f"{language}/{lesson}" for language in course.languages[1:])):
                source, target = (one / "notebooks" / place for one in (course.root, root))
                if source.is_dir():
                    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*"))
                    notebook = nbformat.read(source / f"{lesson}.ipynb", as_version=4)
                    _with_setup(notebook, wheel, url, place.removesuffix(lesson).strip("/"))
                    nbformat.write(notebook, target / f"{lesson}.ipynb")
        start = (WITH_STARTER if _starter(course, root) else WITHOUT_STARTER).format(
            python=_pythons(), wheel=wheel
        )
        colab = (
            f"It takes the checks from {url}." if url else f"It asks for the file `{wheel}` of this folder."
        )
        text = README.format(title=course.title, start=start, colab=colab)
        (root / "README.md").write_text(text, encoding="utf-8", newline="\n")
        files = tuple(sorted(one.relative_to(root).as_posix() for one in root.rglob("*") if one.is_file()))
        if out.suffix == ".zip":
            out.parent.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                for name in files:
                    archive.write(root / name, f"{course.name}/{name}")
        else:
            shutil.copytree(root, out, dirs_exist_ok=True)
            for old in out.glob("*.whl"):
                if old.name != wheel:
                    old.unlink()
    return files


def for_students(lesson: LessonBank, hints: int | None = None) -> LessonBank:
    """Return a lesson's bank with what a student's own check reads, and no more.

    Other example data, on which typed-in numbers are found out, and hidden probes stay with the instructor.
    """
    tasks = {name: _for_students(task, hints) for name, task in lesson.tasks.items()}
    return replace(lesson, tasks=tasks, givens={AS_SEEN: lesson.givens.get(AS_SEEN, {})})


def _for_students(task: Task, hints: int | None) -> Task:
    shown = tuple(
        probe for probe in task.probes if not probe.hidden and (task.kind != "tensor" or probe.id == AS_SEEN)
    )
    kept = {probe.id for probe in shown}
    checks = tuple(
        replace(check, probes=tuple(name for name in check.probes if name in kept)) for check in task.checks
    )
    table = task.explanations
    if table is not None:
        table = table.only([name for name in table.probes if name in kept])
    return replace(task, probes=shown, checks=checks, explanations=table, hints=task.hints[:hints])


def _wheel(course: Course, lessons: Sequence[str], out: Path, hints: int | None) -> str:
    """Build the wheel of the checks into a folder; returns its name."""
    try:
        from hatchling.builders.wheel import WheelBuilder
    except ModuleNotFoundError as missing:
        raise CannotBundle("The wheel is built by hatchling: pip install hatchling") from missing
    with tempfile.TemporaryDirectory(prefix="wheel-") as place:
        root = Path(place)
        packages = _copy_packages(course, lessons, root)
        (root / TOOL / "bank").mkdir()
        for lesson in lessons:
            banks.save(for_students(course.load(lesson), hints), root / TOOL / "bank")
        _add_words(course, lessons, root / TOOL / "bank", hints)
        (root / TOOL / "bank" / FILE).write_text(_described(course, lessons), encoding="utf-8")
        project = PYPROJECT.format(
            name=course.name,
            # Another number for other content: so pip installs it.
            version=f"{_distribution().version}.post{int(folder_digest(root)[:8], 16)}",
            title=course.title.replace('"', "'"),
            python=_needed_python(),
            needs=json.dumps(runtime_needs()),
            packages=json.dumps(packages),
            group=GROUP,
            tool=TOOL,
        )
        (root / "pyproject.toml").write_text(project, encoding="utf-8")
        built = next(WheelBuilder(str(root)).build(directory=str(out), versions=["standard"]))
    return Path(built).name


def _add_words(course: Course, lessons: Sequence[str], place: Path, hints: int | None) -> None:
    """Copy what the checks say in other languages, but for the hints that students do not get."""
    from autograder.build.languages import without

    left_out = [
        (task.id, hint)
        for lesson in lessons
        for task in course.load(lesson).tasks.values()
        for hint in task.hints[len(task.hints) if hints is None else hints :]
    ]
    for language in course.languages[1:]:
        for name in (*lessons, MESSAGES):
            words = Path(language, f"{name}.mo")
            if (course.bank / words).is_file():
                (place / language).mkdir(exist_ok=True)
                (place / words).write_bytes(without(language, (course.bank / words).read_bytes(), left_out))


def _release(course: Course, lesson: str) -> Path:
    """Return the notebook that students get."""
    path = course.root / "notebooks" / lesson / f"{lesson}.ipynb"
    if not path.is_file():
        raise CannotBundle(f"{lesson} is not built: there is no notebooks/{lesson}/{lesson}.ipynb.")
    return path


def _copy_packages(course: Course, lessons: Sequence[str], out: Path) -> list[str]:
    """Copy of the tool and of the course's own packages what these lessons reach; gives their names.

    A folder's data goes with its modules: what one lesson alone reads is in no other's bundle.
    """
    packages = {TOOL: Path(__file__).parent.parent}
    packages |= {
        name: course.root / name for name in course.preload if (course.root / name / "__init__.py").is_file()
    }
    cells = [
        cell.source
        for lesson in lessons
        for cell in nbformat.read(_release(course, lesson), as_version=4).cells
        if cell.cell_type == "code"
    ]
    entrance = [*ENTRANCE, *packages, *(name for cell in cells for name in _imported(parsed(cell)))]
    for name, file in _reached(entrance, packages).items():
        there = out / file.relative_to(packages[name.partition(".")[0]].parent)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, there)
        if file.name == "__init__.py" and not file.is_relative_to(packages[TOOL]):
            for one in file.parent.iterdir():
                if one.is_file() and one.suffix != ".py":
                    shutil.copyfile(one, there.with_name(one.name))
    return list(packages)


def _reached(names: Iterable[str], packages: Mapping[str, Path]) -> dict[str, Path]:
    """Return the modules in some packages that others reach by imports, directly or not, with their files."""
    found: dict[str, Path | None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        top, *rest = name.split(".")
        if name in found or top not in packages:
            continue
        place = packages[top].joinpath(*rest)
        files = (place / "__init__.py", place.with_suffix(".py"))
        found[name] = file = next((one for one in files if one.is_file()), None)
        if file:
            waiting += [*_imported(ast.parse(file.read_text(encoding="utf-8"))), name.rpartition(".")[0]]
    return {name: file for name, file in found.items() if file}


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield the names that code imports, whether of modules or of what is in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (str(node.module), *(f"{node.module}.{one.name}" for one in node.names))
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)


def runtime_needs(*extras: str) -> list[str]:
    """Return what the tool needs where students run it, and what its extras need."""
    asked = [Requirement(line) for line in _distribution().requires or ()]
    return [
        f"{one.name}{one.specifier}"
        for one in asked
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)
    ]


@cache
def _distribution() -> Distribution:
    """Return what the tool was installed as: where its command comes from."""
    installed = next(iter(entry_points(group="console_scripts", name=TOOL)), None)
    if installed is None or installed.dist is None:
        raise CannotBundle("The tool itself is not installed here: pip install --editable .")
    return installed.dist


def _pythons() -> str:
    return _needed_python().replace(">=", "").replace(",<", " to below ")


def _needed_python() -> str:
    return str(_distribution().metadata["Requires-Python"] or ">=3.11")


def _described(course: Course, lessons: Iterable[str]) -> str:
    """Return the course's own description with the bundled lessons alone."""
    described = tomlkit.parse((course.root / FILE).read_text(encoding="utf-8"))
    described["lessons"] = [name for name in course.lessons if name in set(lessons)]
    return tomlkit.dumps(described)


def _with_setup(notebook: NotebookNode, wheel: str, url: str, language: str) -> None:
    code = SETUP_CODE.format(name=wheel.partition("-")[0], urls=[url] if url else [])
    if language:  # a notebook that was uploaded alone lies in no folder that tells
        code += f'import os\n\nos.environ["{LANGUAGE}"] = "{language}"\n'
    first = next((place for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"), 0)
    notebook.cells.insert(first, nbformat.v4.new_code_cell(code.rstrip(), id=SETUP, metadata=FOLDED))


def _starter(course: Course, root: Path) -> bool:
    """Copy `start.py` and, of the lock, what students need; whether the course has them."""
    starter, lock = course.root / "start.py", course.root / "requirements.lock"
    if not (starter.is_file() and lock.is_file()):
        return False
    shutil.copyfile(starter, root / starter.name)
    wanted = _closure(runtime_needs("lab"))
    lines = [
        line
        for line in lock.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#") and canonicalize_name(Requirement(line).name) in wanted
    ]
    (root / lock.name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return True


def _closure(needs: Iterable[str]) -> set[str]:
    """Return these packages and all that they need, on whatever system."""
    found: set[str] = set()
    waiting = list(needs)
    while waiting:
        asked = Requirement(waiting.pop())
        name = str(canonicalize_name(asked.name))
        # An extra is taken by its name: whatever stands behind it is asked for.
        key = f"{name}[{','.join(sorted(asked.extras))}]"
        if key in found:
            continue
        found |= {name, key}
        try:
            lines = distribution(name).requires or ()
        except PackageNotFoundError:  # for another system
            continue
        for line in lines:
            marker = Requirement(line).marker
            if "extra" not in str(marker) or any(marker.evaluate({"extra": one}) for one in asked.extras):  # type: ignore[union-attr]
                waiting.append(line)
    return found
