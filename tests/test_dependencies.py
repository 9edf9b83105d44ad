"""The course's and the tool's `pyproject.toml` are the truth for dependencies; all else agrees with them."""

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
FOLDERS = (ROOT, ROOT / "autograder")
TEXTS = [(folder / "pyproject.toml").read_text(encoding="utf-8") for folder in FOLDERS]
LESSONS_LOCK, TEST_LOCK = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("requirements.lock", "requirements-test.lock")
)
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
CONDA = (ROOT / "environment.yml").read_text(encoding="utf-8")

CONDA_NAMES = {
    "huggingface-hub": "huggingface_hub",
    "torch": "pytorch-cpu",
    "jupyter-client": "jupyter_client",
    "jupyter-server": "jupyter_server",
    "stack-data": "stack_data",
}
# Of distributions whose modules are called otherwise.
MODULES = {"PIL": "pillow", "jwt": "pyjwt", "dateutil": "python-dateutil", "yaml": "pyyaml"}
# Extras of the tool that no other extra and no lock holds.
ON_REQUEST = ("live", "lti")
# What such an extra names and JupyterLab brings anyway.
BROUGHT = {"requests", "urllib3"}
CUDA = re.compile(r"^(nvidia-|cuda-|triton\b|pytorch-triton)", re.IGNORECASE)


class Projects:
    """Some `pyproject.toml`, the course's first: what each declares, and what they declare together."""

    def __init__(self, *texts: str) -> None:
        read = [tomllib.loads(text) for text in texts]
        self.builds = [Requirement(line) for item in read for line in item["build-system"]["requires"]]
        self.known = {item["project"]["name"]: item["project"] for item in read}
        self.course, self.tool = list(self.known)

    def declared(self, name: str, *extras: str) -> dict[str, SpecifierSet]:
        """Each dependency of one of them with its range; in place of another of them, what that declares."""
        lines = list(self.known[name]["dependencies"])
        for extra in extras:
            lines += self.known[name]["optional-dependencies"][extra]
        ranges: dict[str, SpecifierSet] = {}
        for need in map(Requirement, lines):
            ours = need.name in self.known
            more = self.declared(need.name, *need.extras) if ours else {need.name: need.specifier}
            for other, wanted in more.items():
                other = str(canonicalize_name(other))
                ranges[other] = ranges.get(other, SpecifierSet()) & wanted
        return ranges


PROJECTS = Projects(*TEXTS)


def requirement_lines(lock: str) -> list[str]:
    """The lines of a lock that are not comments."""
    return [line for line in lock.splitlines() if line.strip() and not line.startswith("#")]


def disagreements_of_lock(projects: Projects, lock: str, *extras: str) -> list[str]:
    """What in the lock does not agree with the projects, or does not belong in a lock."""
    actual = []
    versions: dict[str, set[str]] = {}
    names = []
    for line in requirement_lines(lock):
        if "://" in line or line.startswith("-"):
            actual.append(f"`{line}` is more than a package and its version")
            continue
        requirement = Requirement(line)
        name = str(canonicalize_name(requirement.name))
        names.append(name)
        exact = re.fullmatch(r"==([^*,]+)", str(requirement.specifier))
        if exact is None:
            actual.append(f"{name} has no exact version")
        else:
            versions.setdefault(name, set()).add(exact.group(1))
        if CUDA.match(name):
            actual.append(f"{name} belongs to CUDA")
    if names != sorted(names):
        actual.append("the lines are not sorted by name")
    for name, wanted in projects.declared(projects.course, *extras).items():
        if name not in versions:
            actual.append(f"{name} is missing")
        actual += [
            f"{name} is {version}, outside {wanted}"
            for version in sorted(versions.get(name, ()))
            if not wanted.contains(version, prereleases=True)
        ]
    return actual


def disagreements_of_conda(projects: Projects, conda: str) -> list[str]:
    """Where environment.yml names other packages or other ranges than the projects."""
    declared = projects.declared(projects.course, "grade", "lab")
    wanted = {CONDA_NAMES.get(name, name): ranges for name, ranges in declared.items()}
    wanted["python"] = SpecifierSet(projects.known[projects.course]["requires-python"])
    wanted["pip"] = SpecifierSet()
    lines = yaml.safe_load(conda)["dependencies"]
    given = {
        item.name: item.specifier
        for item in map(Requirement, (line for line in lines if isinstance(line, str)))
    }
    actual = [f"{name} is missing" for name in sorted(wanted.keys() - given.keys())]
    actual += [f"{name} is not declared" for name in sorted(given.keys() - wanted.keys())]
    actual += [
        f"{name} is {given[name]}, not {wanted[name]}"
        for name in sorted(wanted.keys() & given.keys())
        if given[name] != wanted[name]
    ]
    if [line["pip"] for line in lines if isinstance(line, dict)] != [["-e ./autograder", "-e ."]]:
        actual.append("pip must install the tool and the course and nothing else")
    return actual


def undeclared(projects: Projects, name: str, files: list[Path], *extras: str) -> set[str]:
    """What these files import that is neither Python's own, nor of this checkout, nor declared."""
    imported = set()
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))):
        if isinstance(node, ast.Import):
            imported |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported.add(str(node.module).partition(".")[0])
    sandbox = ROOT / "autograder" / "src" / "autograder" / "grading" / "sandbox"
    # Where a test, or a sandbox, finds what it imports.
    folders = ROOT, ROOT / "autograder" / "tests", sandbox
    reference = {*sys.stdlib_module_names, *(entry.stem for folder in folders for entry in folder.iterdir())}
    names = {str(canonicalize_name(MODULES.get(name, name))) for name in imported - reference}
    return names - projects.declared(name, *extras).keys()


def test_what_is_imported_is_declared() -> None:
    tool = [file for file in (ROOT / "autograder" / "src").rglob("*.py") if "template" not in file.parts]
    its_tests = [*(ROOT / "autograder" / "tests").rglob("*.py")]
    tests = [*ROOT.glob("*.py"), *(ROOT / "tests").rglob("*.py")]
    assert undeclared(PROJECTS, PROJECTS.tool, tool, "dask", "grade", "site", *ON_REQUEST) == set()
    assert undeclared(PROJECTS, PROJECTS.tool, its_tests, "test", *ON_REQUEST) == set()
    assert undeclared(PROJECTS, PROJECTS.course, [*(ROOT / "visuals").rglob("*.py")], "published") == set()
    assert undeclared(PROJECTS, PROJECTS.course, tests, "published", "test") == set()


def test_each_lock_agrees_with_pyproject() -> None:
    assert disagreements_of_lock(PROJECTS, LESSONS_LOCK, "grade", "lab") == []
    both = requirement_lines(LESSONS_LOCK) + requirement_lines(TEST_LOCK)
    both.sort(key=lambda line: canonicalize_name(Requirement(line).name))
    assert disagreements_of_lock(PROJECTS, "\n".join(both), "test") == []


def test_what_learners_install_holds_no_tool_of_the_makers() -> None:
    lessons, tests = (
        {str(canonicalize_name(Requirement(line).name)) for line in requirement_lines(lock)}
        for lock in (LESSONS_LOCK, TEST_LOCK)
    )
    own = PROJECTS.declared(PROJECTS.course, "test").keys()
    makers = own - PROJECTS.declared(PROJECTS.course, "grade", "lab").keys()
    assert {"mypy", "playwright", "pytest", "sphinx"} <= makers <= tests
    assert not lessons & tests


@pytest.mark.parametrize("extra", ON_REQUEST)
def test_an_extra_on_request_is_nothing_that_an_install_downloads(extra: str) -> None:
    asked_for = PROJECTS.declared(PROJECTS.tool, extra).keys() - PROJECTS.declared(PROJECTS.tool).keys()
    lines = requirement_lines(LESSONS_LOCK) + requirement_lines(TEST_LOCK)
    locked = {str(canonicalize_name(Requirement(line).name)) for line in lines}
    assert asked_for
    assert asked_for & locked <= BROUGHT


@pytest.mark.parametrize("extra", ON_REQUEST)
def test_what_ci_installs_on_request_is_what_the_extra_asks_for(extra: str) -> None:
    (line,) = (line for line in CI.splitlines() if line.startswith('stage "extras on request"'))
    installed = {item.name: item.specifier for item in map(Requirement, re.findall("'([^']+)'", line))}
    wanted = PROJECTS.declared(PROJECTS.tool, extra)
    own = wanted.keys() - PROJECTS.declared(PROJECTS.tool).keys()
    assert {name: installed.get(name) for name in own} == {name: wanted[name] for name in own}


def test_environment_yml_agrees_with_pyproject() -> None:
    assert disagreements_of_conda(PROJECTS, CONDA) == []


def test_the_course_takes_the_tool_that_lies_beside_it() -> None:
    course, tool = (PROJECTS.known[name] for name in (PROJECTS.course, PROJECTS.tool))
    (need,) = (need for need in map(Requirement, course["dependencies"]) if need.name == PROJECTS.tool)
    assert need.specifier.contains(tool["version"])
    assert course["requires-python"] == tool["requires-python"]


def test_the_lock_holds_the_build_tools_start_py_installs_both_with() -> None:
    locked = {item.name: item.specifier for item in map(Requirement, requirement_lines(LESSONS_LOCK))}
    assert "editables" in locked
    for item in PROJECTS.builds:
        assert item.specifier.contains(str(locked[item.name]).removeprefix("=="))


def test_start_py_accepts_the_pythons_that_pyproject_names() -> None:
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    assert spec
    assert spec.loader
    start = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    start.answers = lambda command: False  # no other Python is looked for
    wanted = SpecifierSet(PROJECTS.known[PROJECTS.course]["requires-python"])
    for minor in range(20):
        assert (start.python_complaint((3, minor, 0)) == "") == wanted.contains(f"3.{minor}.0")


def test_torch_is_locked_without_naming_a_build() -> None:
    assert re.search(r"^torch==[0-9.]+$", LESSONS_LOCK, re.MULTILINE)
