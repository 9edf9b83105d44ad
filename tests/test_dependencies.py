"""`pyproject.toml` is the one truth for dependencies; lock, environment.yml and start.py agree with it."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
CONDA = (ROOT / "environment.yml").read_text(encoding="utf-8")

CONDA_NAMES = {"torch": "pytorch-cpu", "jupyter-client": "jupyter_client", "stack-data": "stack_data"}
# Of distributions whose modules are called otherwise.
MODULES = {"PIL": "pillow", "dateutil": "python-dateutil", "yaml": "pyyaml"}
CUDA = re.compile(r"^(nvidia-|cuda-|triton\b|pytorch-triton)", re.IGNORECASE)


def declared(pyproject: str, *extras: str) -> dict[str, SpecifierSet]:
    """Each dependency in pyproject.toml with its range, those of the named extras included."""
    project = tomllib.loads(pyproject)["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    found: dict[str, SpecifierSet] = {}
    for one in map(Requirement, lines):
        if one.name == project.get("name"):  # an extra that takes in another
            found |= declared(pyproject, *one.extras)
        else:
            found[str(canonicalize_name(one.name))] = one.specifier
    return found


def requirement_lines(lock: str) -> list[str]:
    """The lines of a lock that are not comments."""
    return [line for line in lock.splitlines() if line.strip() and not line.startswith("#")]


def disagreements_of_lock(pyproject: str, lock: str) -> list[str]:
    """What in the lock does not agree with pyproject.toml, or does not belong in a lock."""
    found = []
    versions: dict[str, set[str]] = {}
    names = []
    for line in requirement_lines(lock):
        if "://" in line or line.startswith("-"):
            found.append(f"`{line}` is more than a package and its version")
            continue
        requirement = Requirement(line)
        name = str(canonicalize_name(requirement.name))
        names.append(name)
        exact = re.fullmatch(r"==([^*,]+)", str(requirement.specifier))
        if exact is None:
            found.append(f"{name} has no exact version")
        else:
            versions.setdefault(name, set()).add(exact.group(1))
        if CUDA.match(name):
            found.append(f"{name} belongs to CUDA")
    if names != sorted(names):
        found.append("the lines are not sorted by name")
    for name, wanted in declared(pyproject, "test").items():
        if name not in versions:
            found.append(f"{name} is missing")
        found += [
            f"{name} is {version}, outside {wanted}"
            for version in sorted(versions.get(name, ()))
            if not wanted.contains(version, prereleases=True)
        ]
    return found


def disagreements_of_conda(pyproject: str, conda: str) -> list[str]:
    """Where environment.yml names other packages or other ranges than pyproject.toml."""
    extras = [
        name
        for name in ("grade", "lab")
        if name in tomllib.loads(pyproject)["project"]["optional-dependencies"]
    ]
    wanted = {CONDA_NAMES.get(name, name): ranges for name, ranges in declared(pyproject, *extras).items()}
    wanted["python"] = SpecifierSet(tomllib.loads(pyproject)["project"]["requires-python"])
    wanted["pip"] = SpecifierSet()
    lines = yaml.safe_load(conda)["dependencies"]
    given = {
        one.name: one.specifier for one in map(Requirement, (line for line in lines if isinstance(line, str)))
    }
    found = [f"{name} is missing" for name in sorted(wanted.keys() - given.keys())]
    found += [f"{name} is not in pyproject.toml" for name in sorted(given.keys() - wanted.keys())]
    found += [
        f"{name} is {given[name]}, not {wanted[name]}"
        for name in sorted(wanted.keys() & given.keys())
        if given[name] != wanted[name]
    ]
    if [line["pip"] for line in lines if isinstance(line, dict)] != [["-e ."]]:
        found.append("pip must install the course and nothing else")
    return found


def undeclared(pyproject: str, files: list[Path], *extras: str) -> set[str]:
    """What these files import that is neither Python's own, nor the course's, nor declared."""
    imported = set()
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))):
        if isinstance(node, ast.Import):
            imported |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported.add(str(node.module).partition(".")[0])
    known = {*sys.stdlib_module_names, *(entry.stem for entry in ROOT.iterdir())}
    names = {str(canonicalize_name(MODULES.get(name, name))) for name in imported - known}
    return names - declared(pyproject, *extras).keys()


def test_what_is_imported_is_declared() -> None:
    packages = [
        file
        for name in ("autograder", "visuals")
        for file in (ROOT / name).rglob("*.py")
        if "template" not in file.parts
    ]
    assert undeclared(PYPROJECT, packages, "dask", "grade", "site") == set()
    assert undeclared(PYPROJECT, [*ROOT.glob("*.py"), *(ROOT / "tests").rglob("*.py")], "test") == set()


def test_an_import_that_is_not_declared_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "import os, numpy.linalg, scipy.linalg\nfrom PIL import Image\n", encoding="utf-8"
    )
    assert undeclared(SMALL_PROJECT, [tmp_path / "one.py"]) == {"scipy", "pillow"}


def test_the_lock_agrees_with_pyproject() -> None:
    assert disagreements_of_lock(PYPROJECT, LOCK) == []


def test_environment_yml_agrees_with_pyproject() -> None:
    assert disagreements_of_conda(PYPROJECT, CONDA) == []


def test_the_lock_holds_the_build_tools_start_py_installs_the_course_with() -> None:
    needed = [Requirement(line) for line in tomllib.loads(PYPROJECT)["build-system"]["requires"]]
    locked = {one.name: one.specifier for one in map(Requirement, requirement_lines(LOCK))}
    assert "editables" in locked
    for one in needed:
        assert one.specifier.contains(str(locked[one.name]).removeprefix("=="))


def test_start_py_accepts_the_pythons_that_pyproject_names() -> None:
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    assert spec
    assert spec.loader
    start = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    start.answers = lambda command: False  # no other Python is looked for
    wanted = SpecifierSet(tomllib.loads(PYPROJECT)["project"]["requires-python"])
    for minor in range(20):
        assert (start.python_complaint((3, minor, 0)) == "") == wanted.contains(f"3.{minor}.0")


def test_torch_is_locked_without_naming_a_build() -> None:
    assert re.search(r"^torch==[0-9.]+$", LOCK, re.MULTILINE)


# --- the comparisons themselves notice what they are for ------------------------------------------

SMALL_PROJECT = """
[project]
requires-python = ">=3.11,<3.14"
dependencies = ["numpy>=1.26", "torch>=2.4,<3"]
[project.optional-dependencies]
test = ["pytest>=8.2"]
"""
SMALL_LOCK = "# made by hand\nnumpy==2.4.6\npytest==9.2.0\ntorch==2.13.0\n"
SMALL_CONDA = """
dependencies:
  - python >=3.11,<3.14
  - pip
  - numpy >=1.26
  - pytorch-cpu >=2.4,<3
  - pip:
      - -e .
"""


def test_texts_that_agree_have_no_disagreements() -> None:
    assert disagreements_of_lock(SMALL_PROJECT, SMALL_LOCK) == []
    assert disagreements_of_conda(SMALL_PROJECT, SMALL_CONDA) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("numpy==2.4.6\n", "", "numpy is missing"),
        ("pytest==9.2.0\n", "", "pytest is missing"),
        ("torch==2.13.0", "torch==3.0", "torch is 3.0, outside <3,>=2.4"),
        ("numpy==2.4.6", "numpy==1.25", "numpy is 1.25, outside >=1.26"),
        ("numpy==2.4.6", "numpy>=2", "numpy has no exact version"),
        ("torch==", "nvidia-cublas==13.4\ntorch==", "nvidia-cublas belongs to CUDA"),
        ("torch==2.13.0\n", "torch==2.13.0\ntriton==3.9.0\n", "triton belongs to CUDA"),
        (
            "numpy==2.4.6",
            "--index-url https://example.org\nnumpy==2.4.6",
            "is more than a package and its version",
        ),
        (
            "numpy==2.4.6\npytest==9.2.0\n",
            "pytest==9.2.0\nnumpy==2.4.6\n",
            "the lines are not sorted by name",
        ),
    ],
)
def test_a_lock_that_disagrees_is_noticed(old: str, new: str, found: str) -> None:
    assert old in SMALL_LOCK
    assert any(found in line for line in disagreements_of_lock(SMALL_PROJECT, SMALL_LOCK.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("  - numpy >=1.26\n", "", "numpy is missing"),
        ("numpy >=1.26", "numpy >=1.27", "numpy is >=1.27, not >=1.26"),
        ("pytorch-cpu >=2.4,<3", "pytorch-cpu >=2.4", "pytorch-cpu is >=2.4, not <3,>=2.4"),
        ("  - pip\n", "  - pip\n  - scipy\n", "scipy is not in pyproject.toml"),
        ("python >=3.11,<3.14", "python >=3.11", "python is >=3.11, not <3.14,>=3.11"),
        ("      - -e .\n", "      - -e .\n      - scipy\n", "pip must install the course and nothing else"),
    ],
)
def test_an_environment_that_disagrees_is_noticed(old: str, new: str, found: str) -> None:
    assert old in SMALL_CONDA
    assert disagreements_of_conda(SMALL_PROJECT, SMALL_CONDA.replace(old, new)) == [found]
