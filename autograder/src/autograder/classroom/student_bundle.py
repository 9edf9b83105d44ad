"""Pack the files that students get, and no others: notebooks, the wheels of the checks, and a launcher."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from autograder.classroom import bundle_wheels
from autograder.classroom.bundle_wheels import CannotBundle
from autograder.records.cell_roles import FOLDED
from autograder.records.course import EXAM, FILE, NAMED, PACKED, Course
from autograder.records.file_digests import beside, folder_digest
from autograder.words.language import LANGUAGE

# The first code cell of a bundled notebook. In the course's own folder and while grading it installs nothing.
# It names no version: a notebook in which a student has worked is not replaced by a later bundle's.
SETUP = "install-the-checks"
SETUP_CODE = """\
#@title Install the checks, where they are missing
import os
import re
from importlib.metadata import distributions
from pathlib import Path

os.environ["{named}"] = "{course}"
folders = [Path.cwd(), *Path.cwd().parents]
# All is there while this is graded, and in the course's own folder.
ready = "{packed}" in os.environ or any(
    (folder / "{file}").exists() and (folder / "source").exists() for folder in folders
)
wanted, missing = [], []
for name, address in [] if ready else {wheels}:
    installed = next(iter(distributions(name=name)), None)
    pattern = name + "-*.whl"
    # Of bundles that lie side by side, the last one's.
    places = ([*folder.parent.glob("*/" + pattern)] for folder in folders if any(folder.glob(pattern)))
    wheel = str(max(next(places, []), key=os.path.getmtime, default=address))
    if not installed:
        (wanted if wheel else missing).append(wheel or name + "-….whl")
    elif wheel and "editable" not in (installed.read_text("direct_url.json") or ""):
        texts = installed.version, Path(wheel).name.split("-")[1]
        old, new = ([int(part) for part in re.findall("[0-9]+", text)] for text in texts)
        # Courses share the tool: none takes a newer one away from another.
        if new > old or (new != old and name != "{tool}"):
            wanted.append(wheel)
if missing:
    told = " and ".join(missing)
    try:
        from google.colab import files
    except ImportError:
        raise FileNotFoundError(f"Put {{told}} beside this notebook: you were given them together.") from None
    print("Choose", told)
    wanted += files.upload()
if wanted:
    get_ipython().run_line_magic("pip", "install --quiet " + " ".join(f'"{{wheel}}"' for wheel in wanted))
"""
# How `start.py lab` sets JupyterLab up, and what it needs beside the checks.
LAB_SETTINGS = ".lab"
LAB = ("ipykernel", "jupyterlab")
README = """\
# {title}

{start}

**In Colab.** Upload a notebook of `notebooks/` and run its first code cell. {colab}

**On a JupyterHub.** Upload this folder, open a notebook and run its first code cell, if the hub has no
checks yet.

**A later bundle** unpacks into a folder of its own, beside this one, and replaces nothing here. Begin new
lessons there. Go on here with what you have begun: its first code cell takes the newer checks from there.

{work} Hand in the notebook as it is; its name does not matter.
"""
WORK = 'Work from top to bottom, and run the check under each answer. `hint("task-id")` gives a hint.'
EXAM_WORK = (
    "The check under an answer only says that it is received. You hear with the grades what it is worth."
)
WITH_STARTER = """\
**On your machine**, with Python {python}. Open a terminal in this folder and type

    python3 start.py lab          (on Windows: py start.py lab)

The first start downloads about 400 MB and makes a folder `.venv`; later starts open JupyterLab at once.

**In VS Code.** Type `python3 start.py run python -c ""` once. Then open a notebook in `notebooks/`, and
choose the kernel in `.venv`."""
WITHOUT_STARTER = """\
**On your machine**, with Python {python}. Open a terminal in this folder and type

    python3 -m pip install jupyterlab {wheels}
    jupyter lab notebooks

**In VS Code.** The same first line; then open a notebook in `notebooks/`."""


def bundle(
    course: Course,
    lessons: Sequence[str],
    out: Path,
    url: str = "",
    hints: int | None = None,
    exam: bool = False,
) -> tuple[str, ...]:
    """Pack lessons for students into a folder, or into a zip file with a single folder.

    Args:
        course: the course.
        lessons: the names of all lessons that students have by now.
        out: the path of the folder or zip file.
        url: the address of the folder that will contain the wheels, for Colab. If it is empty, students are
            asked to upload the wheels.
        hints: the number of hints that each task keeps; None for all.
        exam: whether checks only say that an answer is received. Then no part of the course's bank is packed.

    Returns:
        The paths of the packed files.

    Raises:
        CannotBundle: a lesson is not built, or the tool is not installed as a distribution.
    """
    with tempfile.TemporaryDirectory(prefix="bundle-") as temporary:
        root = Path(temporary) / course.name
        root.mkdir()
        packed = [bundle_wheels.tool_wheel(root)]
        if not exam:
            packed.append(bundle_wheels.course_wheel(course, lessons, root, hints))
            # By this a notebook beside it knows its course.
            (root / FILE).write_text(bundle_wheels.described(course, lessons), encoding="utf-8", newline="\n")
        # By the distributions' names.
        addresses = {wheel.partition("-")[0]: url and f"{url.rstrip('/')}/{wheel}" for wheel in packed}
        for lesson in lessons:
            _add_notebooks(root, course, lesson, addresses, exam)
        if exam:
            _add_welcome_page(root, course)
        _add_readme(root, course, packed, url, exam)
        files = tuple(sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()))
        if out.suffix == ".zip":
            # However it is unpacked, over an earlier one too, it replaces nothing that a student wrote.
            bundle_name = f"{course.name}-{lessons[-1].split('-')[0]}-{folder_digest(root)[:6]}"
            with beside(out) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
                for name in files:
                    archive.write(root / name, f"{bundle_name}/{name}")
        else:
            shutil.copytree(root, out, dirs_exist_ok=True)
            for old in out.glob("*.whl"):
                if old.name not in packed:
                    old.unlink()
    return files


def _add_notebooks(root: Path, course: Course, lesson: str, addresses: Mapping[str, str], exam: bool) -> None:
    """Put a lesson's notebooks into a bundle, in each language that it is there in.

    Raises:
        CannotBundle: a folder holds more than its notebook, or somebody has worked in that.
    """
    for language in ("", *course.languages[1:]):
        source, target = (folder / "notebooks" / language / lesson for folder in (course.root, root))
        if source.is_dir():
            notebook = _as_released(source, lesson)
            target.mkdir(parents=True)
            _with_setup(notebook, course, addresses, language, exam)
            nbformat.write(notebook, target / f"{lesson}.ipynb")


def _add_welcome_page(root: Path, course: Course) -> None:
    """Put the page into a bundle that `start.py lab` opens, and cannot write without a course."""
    paths = sorted(path.relative_to(root / "notebooks") for path in root.rglob("*.ipynb"))
    links = "".join(f"- [{path.parent.as_posix()}]({path.as_posix()})\n" for path in paths)
    text = f"# {course.title}\n\n{links}"
    (root / "notebooks" / "welcome.md").write_text(text, encoding="utf-8", newline="\n")


def _add_readme(root: Path, course: Course, packed: Sequence[str], url: str, exam: bool) -> None:
    """Put what starts the lessons into a bundle, and the page that says how."""
    limits = {limit.operator: limit.version for limit in SpecifierSet(bundle_wheels.pythons())}
    start = (WITH_STARTER if _starter(course, root) else WITHOUT_STARTER).format(
        python=f"{limits['>=']} to below {limits['<']}", wheels=" ".join(packed)
    )
    names = " and ".join(f"`{wheel}`" for wheel in packed)
    colab = f"It takes the checks from {url}." if url else f"It asks for {names} of this folder."
    text = README.format(title=course.title, start=start, colab=colab, work=EXAM_WORK if exam else WORK)
    (root / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _as_released(folder: Path, lesson: str) -> NotebookNode:
    """Return a released notebook, where nothing lies beside it and nobody has worked in it.

    Raises:
        CannotBundle: something does, or somebody has.
    """
    name = f"{lesson}.ipynb"
    others = sorted(
        path.name for path in folder.iterdir() if path.name != name and not path.name.startswith(".")
    )
    if others:
        raise CannotBundle(f"{folder} holds more than its notebook: {', '.join(others)}. Move it elsewhere.")
    notebook = nbformat.read(folder / name, as_version=4)
    for cell in notebook.cells:
        checksum = cell.metadata.get("nbgrader", {}).get("checksum")
        if (checksum and checksum != compute_checksum(cell)) or cell.get("outputs"):
            raise CannotBundle(
                f"{folder / name} was changed by hand in the cell {cell.get('id', '')}: build {lesson} again."
            )
    return notebook


def _with_setup(
    notebook: NotebookNode, course: Course, packed: Mapping[str, str], language: str, exam: bool
) -> None:
    """Put the cell that installs the wheels before a notebook's first code cell."""
    tool = next(iter(packed))
    code = SETUP_CODE.format(
        named=NAMED, course=course.name, packed=PACKED, file=FILE, wheels=list(packed.items()), tool=tool
    )
    if language:  # a notebook that was uploaded alone lies in no folder that tells
        code += f'os.environ["{LANGUAGE}"] = "{language}"\n'
    if exam:
        code += f'os.environ["{EXAM}"] = "1"\n'
    first = next((index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"), 0)
    notebook.cells.insert(first, nbformat.v4.new_code_cell(code.rstrip(), id=SETUP, metadata=FOLDED))


def _starter(course: Course, root: Path) -> bool:
    """Copy `start.py` and, of the lock, what students need; whether the course has them."""
    starter, lock = course.root / "start.py", course.root / "requirements.lock"
    if not (starter.is_file() and lock.is_file()):
        return False
    shutil.copyfile(starter, root / starter.name)
    for file in bundle_wheels.open_files(course.root / LAB_SETTINGS):
        target = root / file.relative_to(course.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    wanted = _closure([*bundle_wheels.project(course)["dependencies"], *LAB])
    lines = [line for line, name in bundle_wheels.locked(lock) if name in wanted]
    (root / lock.name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return True


def _closure(needs: Iterable[str]) -> set[str]:
    """Return these packages and all that they need, on whatever system."""
    names: set[str] = set()
    waiting = list(needs)
    while waiting:
        requirement = Requirement(waiting.pop())
        name = str(canonicalize_name(requirement.name))
        # An extra is taken by its name: whatever stands behind it is asked for.
        key = f"{name}[{','.join(sorted(requirement.extras))}]"
        if key in names:
            continue
        names |= {name, key}
        try:
            lines = distribution(name).requires or ()
        except PackageNotFoundError:  # for another system
            continue
        for line in lines:
            marker = Requirement(line).marker
            extras = [{"extra": extra} for extra in requirement.extras]
            if "extra" not in str(marker) or any(map(marker.evaluate, extras)):  # type: ignore[union-attr]
                waiting.append(line)
    return names
