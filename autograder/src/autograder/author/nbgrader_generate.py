"""Run nbgrader's own generate steps on one lesson, in a separate folder."""

from __future__ import annotations

import itertools
import logging
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Base
from nbgrader.converters import BaseConverter, GenerateAssignment, GenerateSolution, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from sqlalchemy import create_engine
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from autograder.author import settings
from autograder.author.source_lint import images_without_alt
from autograder.records.authoring_errors import AuthoringError
from autograder.records.cell_roles import is_test
from autograder.records.course import PACKED, Course
from autograder.records.file_digests import write_all

# The step that takes what cells showed, in the place of the one that runs them.
SHOWN_BEFORE = "autograder.author.preprocessors.ShownBefore"


def write_notebook(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook so that the same notebook gives the same bytes on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")


def generate(
    course: Course, workplace: Path, lesson: str, notebook: NotebookNode, shown: Path | None = None
) -> None:
    """Write a lesson's release to `notebooks/` and its executed solution to `solutions/` in a workplace.

    Args:
        course: the course, for its `nbgrader_config.py` and the metadata of its notebooks.
        workplace: a temporary folder that contains only `bank`, a fresh bank for the solution's checks.
            nbgrader's gradebook is made there too.
        lesson: the lesson's name.
        notebook: the lesson with its solutions.
        shown: an earlier solution whose outputs are still current: its outputs are copied, and no cell is
            run.

    Raises:
        AuthoringError: nbgrader refused the notebook, or a solution cell failed.
    """
    notebook.metadata.update({platform: dict(marks) for platform, marks in course.notebook.items()})
    write_notebook(notebook, workplace / "source" / lesson / f"{lesson}.ipynb")
    write_all(workplace / "bank", course.beside_banks())
    config = settings.read(course.root)
    config.CourseDirectory.root = str(workplace)
    config.CourseDirectory.assignment_id = lesson
    config.CourseDirectory.db_url = f"sqlite:///{workplace / 'gradebook.db'}"
    # Where its tables are there, nbgrader does not ask `alembic` for their version, which takes seconds.
    engine = create_engine(config.CourseDirectory.db_url)
    Base.metadata.create_all(engine)
    engine.dispose()
    config.ExecuteSolution.environment = {PACKED: str(workplace / "bank")}
    if shown:
        config.GenerateSolution.preprocessors = [
            SHOWN_BEFORE if name.endswith(".ExecuteSolution") else name
            for name in config.GenerateSolution.preprocessors
        ]
        config.ShownBefore.solution = str(shown)
    _run(GenerateAssignment, config, lesson)
    _run(GenerateSolution, config, lesson)
    _normalise(workplace / "notebooks" / lesson / f"{lesson}.ipynb")
    solution = workplace / "solutions" / lesson / f"{lesson}.ipynb"
    _normalise(solution)
    problems = failed_cells(nbformat.read(solution, as_version=4))
    if problems:
        raise AuthoringError([f"{lesson}: {problem}" for problem in problems])


class ReleaseExporter(NotebookExporter):
    """A notebook exporter that raises an error when it is made, if nbgrader could not make the release.

    nbgrader makes an exporter, removes the old release, and only then makes the new one. So every step,
    except the one that writes to the gradebook, is tried here first.

    Raises:
        NbGraderException: a step refuses the notebook; the old release stays.
    """

    def __init__(self, **kw: Any) -> None:
        super().__init__(**kw)
        trial = NotebookExporter(parent=self.parent, config=self.config)
        for step in map(import_item, self.parent.preprocessors):
            if not issubclass(step, SaveCells):
                trial.register_preprocessor(step)
        for source in itertools.chain(*self.parent.assignments.values()):
            try:
                trial.from_filename(source, resources=self.parent.init_single_notebook_resources(source))
            except Exception as problem:
                self.log.error("%s cannot be released: %s", source, problem)
                raise NbGraderException(f"{source} cannot be released: {problem}") from problem


def failed_cells(solution: NotebookNode) -> list[str]:
    """Return the problems in an executed solution: errors, failed checks, pictures without alt text."""
    problems = []
    for cell in solution.cells:
        if cell.cell_type != "code":
            continue
        shown = ""
        for output in cell.outputs:
            data = output.get("data", {})
            shown += "".join(data.get("text/html", "")) + "".join(data.get("text/plain", ""))
            if output.output_type == "error":
                problems.append(f"cell {cell['id']}: {output.ename}: {output.evalue}")
            if output.output_type == "stream" and output.name == "stderr":
                problems.append(f"cell {cell['id']}: writes to stderr: {output.text.strip()[:200]}")
            for kind in ("image/png", "image/jpeg", "image/svg+xml"):
                if kind in data and not output.metadata.get(kind, {}).get("alt", "").strip():
                    problems.append(f"cell {cell['id']}: a figure without alt text")
            problems += [
                f"cell {cell['id']}: a figure without alt text"
                for _ in images_without_alt(data.get("text/html", ""))
            ]
        if is_test(cell) and "[right]" not in shown and 'class="ag ag-ok"' not in shown:
            problems.append(f"cell {cell['id']}: the solution's own check does not pass")
    return problems


def _run(step: type[BaseConverter], config: Config, lesson: str) -> None:
    log = logging.getLogger(f"autograder.author.{lesson}")
    log.setLevel(logging.ERROR)
    converter = step(coursedir=CourseDirectory(config=config), config=config, log=log)
    try:
        converter.start()
    except Exception as problem:
        raise AuthoringError([f"{lesson}: nbgrader's {step.__name__} stopped: {problem}"]) from problem


def _normalise(path: Path) -> None:
    """Rewrite a notebook that nbgrader wrote, with our line ends and without its warnings' traces."""
    write_notebook(nbformat.read(path, as_version=4), path)
