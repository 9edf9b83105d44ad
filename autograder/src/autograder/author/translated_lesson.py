"""Build a lesson in another language from the built English lesson and `locale/`.

Only prose and the messages of the tool and the course's packages are translated; code, names and ids are
those of the English lesson. The solution is run again, in a kernel that uses the language.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import nbformat
from babel.messages import Catalog
from babel.messages.mofile import read_mo, write_mo
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from autograder.author import prose_segments, settings, translate
from autograder.author.artifact_diff import same_solution
from autograder.author.authoring import load_faults, load_lesson
from autograder.author.build_inputs import Inputs
from autograder.author.build_record import Stages, of_solution
from autograder.author.build_stages import says_hints, solution_key
from autograder.author.nbgrader_generate import failed_cells, write_notebook
from autograder.author.preprocessors import (
    WRONG_KERNEL,
    ExecuteSolution,
    TidySolution,
    keep_stubs,
    show_again,
)
from autograder.records import bank
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import LessonBank
from autograder.records.cell_roles import package_missing
from autograder.records.course import Course
from autograder.records.file_digests import write_whole
from autograder.words import language

# The file of what several lessons say, and the course's packages.
SHARED = "shared"

Said = Callable[[str, str], str]


def build(
    course: Course, spoken: Sequence[str], name: str, stages: Stages | None = None
) -> dict[str, list[translate.State]]:
    """Write a lesson in other languages: its notebook, its solution, and the translated texts of its checks.

    A language in which nothing of the lesson is translated is skipped. A solution is not run if its cells
    would show the same as before.

    Args:
        course: the course.
        spoken: the languages.
        name: the lesson's name.
        stages: the digests of the last build, to skip what is current; None to run every solution.

    Returns:
        The states of the translation files, by language: those of the lesson, the mistakes, the packages and
        the tool.

    Raises:
        AuthoringError: the lesson is not built, its translation cannot be read, or its solution fails.
    """
    lessons = {code: _fresh_solution(course, code, name) for code in spoken}
    for path, content in (file for lesson in lessons.values() for file in lesson.files.items()):
        write_whole(path, content)  # another process may read the old one just now
    solved = {code: it.solution for code, it in lessons.items() if it.solution}
    stages = stages or Stages()
    inputs = Inputs(course)
    keys = {
        code: solution_key(inputs, course.load(name), notebook, lessons[code].texts, code)
        for code, notebook in solved.items()
    }
    run = [code for code in solved if not stages.is_current(of_solution(code), keys[code])]
    for code in solved.keys() - run:
        show_again(solved[code], nbformat.read(_solution(course, code, name), as_version=4))
    # Kernels do the work, so that threads are enough to have it done at one time.
    with (
        tempfile.TemporaryDirectory(prefix="course-language-") as temporary,
        ThreadPoolExecutor(max(1, len(run))) as pool,
    ):
        solved |= dict(
            zip(run, pool.map(lambda code: _executed(course, code, name, solved[code]), run), strict=True)
        )
        for code, notebook in solved.items():
            fresh = Path(temporary) / code / f"{name}.ipynb"
            write_notebook(notebook, fresh)
            committed = _solution(course, code, name)
            if stages.reads_another(of_solution(code)) or not same_solution(fresh, committed):
                committed.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(fresh, committed)
    return {code: it.states for code, it in lessons.items()}


def stale(course: Course, spoken: str, name: str) -> list[str]:
    """Return a line for each file that a build of a lesson in a language would change. Run nothing.

    Raises:
        AuthoringError: the lesson is not built, or its translation cannot be read.
    """
    fresh = _fresh_solution(course, spoken, name)
    old = [
        path for path, content in fresh.files.items() if not path.is_file() or path.read_bytes() != content
    ]
    committed = _solution(course, spoken, name)
    if fresh.solution and (
        not committed.is_file() or _sources(nbformat.read(committed, 4)) != _sources(fresh.solution)
    ):
        old.append(committed)
    return [f"{path.relative_to(course.root).as_posix()}: differs from its source" for path in old]


def _solution(course: Course, spoken: str, name: str) -> Path:
    return course.root / "solutions" / spoken / name / f"{name}.ipynb"


def _sources(notebook: NotebookNode) -> list[tuple[str, str]]:
    return [(cell["id"], cell.source) for cell in notebook.cells]


@dataclass(frozen=True)
class _Made:
    """What is made of a lesson without running it.

    Attributes:
        files: what is written as it is, by its place.
        solution: the solution in the language, not yet run in it.
        states: how far the translations are.
        texts: the translated texts that its solution may show: context, in English, translated.
    """

    files: dict[Path, bytes]
    solution: NotebookNode | None
    states: list[translate.State]
    texts: list[tuple[Any, ...]] = field(default_factory=list)


def _fresh_solution(course: Course, spoken: str, name: str) -> _Made:
    files = (name, *(file for file in translate.files(course) if file not in course.lessons))
    catalogs = {file: translate.TranslationFile(course, spoken, file).merged() for file in files}
    usable = {
        file: [message for message in catalog if translate.is_usable(message)]
        for file, catalog in catalogs.items()
    }
    translations = {
        (message.context, message.id): message.string for messages in usable.values() for message in messages
    }

    def translated(context: str, text: str) -> str:
        return str(translations.get((context, text), text))

    try:
        english = course.load(name)
        released, solved = (
            nbformat.read(course.root / folder / name / f"{name}.ipynb", as_version=4)
            for folder in ("notebooks", "solutions")
        )
    except (OSError, bank.BankError) as problem:
        raise AuthoringError([f"{name}: it has to be built first ({problem})"]) from problem
    of_lesson = [
        (message.context, message.id, message.string) for message in usable[name] if message.auto_comments
    ]
    shared = [
        (message.context, message.id, message.string)
        for file in files[1:-1]
        for message in usable[file]
        if message.auto_comments != [translate.HINT]
    ]
    tool = [(None, message.id, message.string) for message in usable[language.MESSAGES]]
    states = [translate.state(catalog, file) for file, catalog in catalogs.items()]
    if not usable[name]:
        return _Made({}, None, states)
    _translate(released, translated)
    keep_stubs(released)
    says = dict(message[1:] for message in tool).get(WRONG_KERNEL, WRONG_KERNEL)
    for cell in released.cells:
        cell.source = cell.source.replace(WRONG_KERNEL, says)
    _translate(solved, translated)
    words = course.bank / spoken
    files_made = {
        course.root / "notebooks" / spoken / name / f"{name}.ipynb": (
            nbformat.writes(released) + "\n"
        ).encode(),
        words / f"{name}.mo": _compiled(spoken, [*of_lesson, *_hints(course, english, translated)]),
        words / f"{SHARED}.mo": _compiled(spoken, shared),
        (language.OWN if course.tool else course.bank) / spoken / f"{language.MESSAGES}.mo": _compiled(
            spoken, tool
        ),
    }
    with_hints = says_hints(solved)
    texts = [
        (message.context, message.id, message.string)
        for file in files
        for message in usable[file]
        if message.auto_comments and translate.in_solutions(message.auto_comments[0], with_hints)
    ]
    return _Made(files_made, solved, states, texts)


def _executed(course: Course, spoken: str, name: str, solved: NotebookNode) -> NotebookNode:
    """Return a solution with what its cells show in a language, but for cells whose package is missing."""
    config = settings.read(course.root)
    config.ExecuteSolution.environment = {language.LANGUAGE: spoken}
    resources = {"metadata": {"path": str(course.root)}}
    shown, _resources = ExecuteSolution(config=config).preprocess(deepcopy(solved), resources)
    TidySolution(config=config).preprocess(shown, resources)
    problems = failed_cells(shown)
    if problems:
        raise AuthoringError([f"{spoken}/{name}: {problem}" for problem in problems])
    for cell, fresh in zip(solved.cells, shown.cells, strict=True):
        if cell.cell_type == "code" and not package_missing(cell):
            cell.outputs = fresh.outputs
    return solved


def _translate(notebook: NotebookNode, translated: Said) -> None:
    """Put a notebook's prose into another language. A cell that nbgrader guards gets its new checksum."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = prose_segments.translate(cell.source, partial(translated, cell["id"]))
            if "checksum" in cell.metadata.get("nbgrader", {}):
                cell.metadata.nbgrader.checksum = compute_checksum(cell)


def _hints(course: Course, english: LessonBank, translated: Said) -> Iterator[tuple[str, str, str]]:
    """Yield the hints of mistakes as a learner reads them, filled in: (mistake, in English, translated)."""
    faults = load_faults(course.source, english.lesson)
    for task in load_lesson(course.source / english.lesson).tasks:
        if task.id not in english.tasks:
            raise AuthoringError([f"{english.lesson}: it has to be built first ({task.id} is new)"])
        hints = [(wrong.fault, task.id, wrong.hint) for wrong in task.wrong if wrong.hint]
        mistakes = {mistake.id for mistake in english.tasks[task.id].known_wrong}
        for fault, context, hint in [*hints, *((name, name, faults.known[name].hint) for name in mistakes)]:
            if translated(context, hint) != hint:
                with suppress(KeyError):  # the mistake's own hint, where each wrong answer has another
                    yield (
                        fault,
                        faults.fill(hint, task),
                        faults.fill(translated(context, hint), task, translated),
                    )


def _compiled(spoken: str, messages: Iterable[tuple[str | None, Any, Any]]) -> bytes:
    """Return translations as gettext reads them: (context, in English, translated)."""
    catalog = Catalog(locale=spoken, creation_date=datetime(2000, 1, 1, tzinfo=UTC))
    for context, text, string in messages:
        catalog.add(text, string, context=context)
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def without(spoken: str, words: bytes, texts: Iterable[tuple[str, str]]) -> bytes:
    """Return the content of a .mo file without the translations of some texts.

    Args:
        spoken: the language.
        words: the content of a .mo file.
        texts: the texts to leave out, each as its context and its English wording.
    """
    catalog = read_mo(BytesIO(words))
    remaining = {
        (_text(message.context), _text(message.id)): _text(message.string)
        for message in catalog
        if message.id
    }
    for text in texts:
        remaining.pop(text, None)
    return _compiled(spoken, ((*key, string) for key, string in remaining.items()))


def _text(read: Any) -> Any:
    """Return what Babel has read as it writes it: in compiled files, contexts are bytes and plurals lists."""
    return read.decode() if isinstance(read, bytes) else tuple(read) if isinstance(read, list) else read
