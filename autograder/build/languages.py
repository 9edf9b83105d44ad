"""A lesson in another language, made of the English one that is built and of `locale/`.

Only prose and what the tool says are other words: code, names, ids and every number that a cell shows are
those of the English lesson, which is not run again.
"""

from __future__ import annotations

import ast
import gettext
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
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

from autograder import bank, language, records
from autograder.authoring import load_faults, load_lesson
from autograder.bank import LessonBank
from autograder.build import prose, translate
from autograder.course import Course
from autograder.feedback import Feedback
from autograder.findings import CheckResult, Verdict
from autograder.learner import Progress
from autograder.predictions import Question, Revealed
from autograder.problems import AuthoringError
from autograder.reading import parsed

Said = Callable[[str, str], str]


def build(course: Course, spoken: str, name: str) -> list[translate.State]:
    """Write a lesson in a language: its notebook, its solution, and what its checks say.

    A lesson of which nothing is translated is not written.

    Returns:
        How far the translations are: the lesson's own, those of the faults and those of the tool.

    Raises:
        AuthoringError: the lesson is not built, or its translation cannot be read.
    """
    files, states = _made(course, spoken, name)
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return states


def stale(course: Course, spoken: str, name: str) -> list[str]:
    """What a build of a lesson in a language would change, as one line for each file. Changes nothing.

    Raises:
        AuthoringError: the lesson is not built, or its translation cannot be read.
    """
    files, _states = _made(course, spoken, name)
    return [
        f"{path.relative_to(course.root).as_posix()}: differs from its source"
        for path, content in files.items()
        if not path.is_file() or path.read_bytes() != content
    ]


def _made(course: Course, spoken: str, name: str) -> tuple[dict[Path, bytes], list[translate.State]]:
    files = (name, translate.FAULTS, language.MESSAGES)
    catalogs = {one: translate.merged(course, spoken, one) for one in files}
    usable = {
        one: [message for message in catalog if translate.is_usable(message)]
        for one, catalog in catalogs.items()
    }
    known = {(one.context, one.id): one.string for messages in usable.values() for one in messages}

    def said(context: str, text: str) -> str:
        return str(known.get((context, text), text))

    try:
        english = course.load(name)
        released, solved = (
            nbformat.read(course.root / folder / name / f"{name}.ipynb", as_version=4)
            for folder in ("notebooks", "solutions")
        )
    except (OSError, bank.BankError) as problem:
        raise AuthoringError([f"{name}: it has to be built first ({problem})"]) from problem
    own = [(one.context, one.id, one.string) for one in usable[name] if one.auto_comments]
    tool = [
        (one.context, one.id, one.string)
        for file in files[1:]
        for one in usable[file]
        if one.auto_comments != [translate.HINT]
    ]
    states = [translate.state(catalog, one) for one, catalog in catalogs.items()]
    if not usable[name]:
        return {}, states
    lesson_words = _compiled(spoken, [*own, *_hints(course, english, said)])
    tool_words = _compiled(spoken, tool)
    _translate(released, said)
    with _speaking(tool_words, lesson_words) as translations:
        for cell in solved.cells:
            if cell.cell_type == "code":
                _show(cell, course, english, translations)
    _translate(solved, said)
    made = {
        course.root / folder / spoken / name / f"{name}.ipynb": (nbformat.writes(notebook) + "\n").encode()
        for folder, notebook in (("notebooks", released), ("solutions", solved))
    }
    made[course.bank / spoken / f"{name}.mo"] = lesson_words
    made[course.bank / spoken / f"{language.MESSAGES}.mo"] = tool_words
    return made, states


def _translate(notebook: NotebookNode, said: Said) -> None:
    """Put a notebook's prose into another language. A cell that nbgrader guards gets its new checksum."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = prose.translate(cell.source, partial(said, cell["id"]))
            if "checksum" in cell.metadata.get("nbgrader", {}):
                cell.metadata.nbgrader.checksum = compute_checksum(cell)


def _hints(course: Course, english: LessonBank, said: Said) -> Iterator[tuple[str, str, str]]:
    """The hints of mistakes as a learner reads them, filled in: (mistake, in English, translated)."""
    faults = load_faults(course.source)
    for task in load_lesson(course.source / english.lesson).tasks:
        if task.id not in english.tasks:
            raise AuthoringError([f"{english.lesson}: it has to be built first ({task.id} is new)"])
        own = [(one.fault, task.id, one.hint) for one in task.wrong if one.hint]
        known = {one.id for one in english.tasks[task.id].known_wrong}
        for fault, context, hint in [*own, *((name, name, faults.known[name].hint) for name in known)]:
            if said(context, hint) != hint:
                with suppress(KeyError):  # the mistake's own hint, where each wrong answer has another
                    yield fault, faults.fill(hint, task), faults.fill(said(context, hint), task, said)


def _compiled(spoken: str, messages: Iterable[tuple[str | None, Any, Any]]) -> bytes:
    """Translations as gettext reads them: (context, in English, translated)."""
    catalog = Catalog(locale=spoken, creation_date=datetime(2000, 1, 1, tzinfo=UTC))
    for context, text, string in messages:
        catalog.add(text, string, context=context)
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def without(spoken: str, words: bytes, texts: Iterable[tuple[str, str]]) -> bytes:
    """Compiled translations without those of some texts: (context, in English)."""
    catalog = read_mo(BytesIO(words))
    kept = {(_text(one.context), _text(one.id)): _text(one.string) for one in catalog if one.id}
    for one in texts:
        kept.pop(one, None)
    return _compiled(spoken, ((*key, string) for key, string in kept.items()))


def _text(read: Any) -> Any:
    """What Babel has read of a compiled file as it writes it: contexts are bytes there, and plurals lists."""
    return read.decode() if isinstance(read, bytes) else tuple(read) if isinstance(read, list) else read


@contextmanager
def _speaking(*words: bytes) -> Iterator[gettext.NullTranslations]:
    """Give the translations; English is spoken again afterwards, and the author's progress is left out."""
    translations = gettext.NullTranslations()
    for content in words:
        one = gettext.GNUTranslations(BytesIO(content))
        one.add_fallback(translations)
        translations = one
    before = os.environ.get(records.PROGRESS)
    os.environ[records.PROGRESS] = "off"
    try:
        yield translations
    finally:
        language.use(gettext.NullTranslations())
        os.environ.pop(records.PROGRESS)
        if before is not None:
            os.environ[records.PROGRESS] = before


def _show(
    cell: NotebookNode, course: Course, english: LessonBank, translations: gettext.NullTranslations
) -> None:
    """Put what a call of the tool shows into another language; other outputs stay as they are."""
    for output in cell.outputs:
        data = output.get("data", {})
        for lesson, spoken in ((english, gettext.NullTranslations()), (None, translations)):
            language.use(spoken)
            shown = _called(cell, course, lesson or bank.with_texts(english, language.translated), data)
            said = {"text/plain": repr(shown), "text/html": shown._repr_html_()} if shown else {}
            if lesson and any(data.get(kind) != text for kind, text in said.items()):
                break  # it shows something else than usual, which stays in English
            data.update(said)


def _called(
    cell: NotebookNode, course: Course, lesson: LessonBank, data: dict[str, str]
) -> Feedback | Question | Revealed | Progress | None:
    """What a call at the end of a solution's cell returned: a check that passes, a question or another."""
    match parsed(cell.source).body[-1:]:
        case [ast.Expr(ast.Call(func=ast.Name(id=call), args=[ast.Constant(value=str(name)), *rest]))]:
            pass
        case _:
            return None
    if call == "check":
        task = lesson.tasks[name]
        results = (CheckResult(one.title, one.points, one.points, None) for one in task.checks)
        return Feedback(task, Verdict(name, tuple(results)))
    if call == "predict":
        question, *choices = map(ast.literal_eval, rest)
        return Question(course.name, name, question, tuple(*choices))
    if call == "reveal":
        came = data.get("text/plain", "").partition("\n")[0].partition(": ")[2]
        return Revealed(name, "", came, None)
    if call == "progress":
        solved = ((task, records.Record(True, task.points)) for task in lesson.tasks.values())
        return Progress(((lesson.title, tuple(solved)),))
    return None
