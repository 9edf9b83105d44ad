"""Gather a course's texts for translation into `locale/<language>/*.po`, and check the translations.

There is one file for each lesson, one for all mistakes, one for each package of the course's own, and one for
the tool's messages. The context of an entry says where its text belongs: the id of a cell, a task, a
prediction or a mistake.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages import Catalog, Message
from babel.messages.extract import extract_javascript, extract_python
from babel.messages.pofile import PoFileError, read_po, write_po
from jinja2.ext import babel_extract

import autograder
from autograder.author import prose_segments
from autograder.author.authoring import load_faults, load_lesson
from autograder.author.glossary import read_glossary
from autograder.author.parse_source import read_source
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course, package_folder
from autograder.records.parse_cells import parsed
from autograder.records.quiz import read_quiz
from autograder.records.review_items import QUIZ, read_review
from autograder.words.language import MESSAGES

FAULTS = "faults"
HINT = "its hint"
TOOL = Path(autograder.__file__).parent
ENGLISH = TOOL / "command"  # the command line is not translated
# What a solution never shows, since all its checks are right: what these texts are, as their entries say.
NOT_IN_SOLUTIONS = (
    *("about ", "a word in hints", HINT, "what the mistake is called"),
    *("on the site's first page", "what the term means", "what opens an explorer"),
)
# What says something to a learner, and how many texts it may say. Two are one message, about one and many.
SAY = {"_": 1, "LazyMessage": 2, "ngettext": 2}
TABLE = "N_"  # each of its texts is a message
GATHER: dict[str, Callable[..., Iterable[Any]]] = {
    ".py": extract_python,
    ".j2": babel_extract,
    ".js": extract_javascript,
}
# Of a file's header all but what its readers need: dates, and names that version control knows.
NEEDLESS = re.compile(
    rb'^"(?!Language:|Plural-Forms:|MIME-Version:|Content-)[A-Z][A-Za-z-]+: .*\\n"\n', re.MULTILINE
)


@dataclass(frozen=True)
class Entry:
    """A text to translate: its context, its wording (with its plural, if it has one), and its kind."""

    context: str
    text: str | tuple[str, ...]
    what: str


@dataclass(frozen=True)
class State:
    """The numbers of translated, missing and outdated entries in a file, and its problems."""

    name: str
    entries: int
    missing: int
    outdated: int
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        done = self.entries - self.missing - self.outdated
        rest = f"{self.missing} missing, {self.outdated} outdated"
        return f"{self.name}: {done} of {self.entries} translated, {rest}"


def files(course: Course) -> list[str]:
    """Return the names of a language's translation files, without their suffix."""
    return [*course.lessons, FAULTS, *course.preload, MESSAGES]


def entries(course: Course, name: str) -> list[Entry]:
    """Return the texts to translate in a lesson, the mistakes, a package or the tool, in order and each once.

    Args:
        course: the course.
        name: the name of the translation file.

    Raises:
        AuthoringError: a lesson or its mistakes cannot be read.
    """
    gathered: Iterable[Entry]
    if name == MESSAGES:
        gathered = _of_package(TOOL)
    elif name in course.preload:
        tool_texts, folder = {entry.text for entry in _of_package(TOOL)}, package_folder(name)
        gathered = (
            entry for entry in (_of_package(folder) if folder else ()) if entry.text not in tool_texts
        )
    else:
        gathered = _of_faults(course) if name == FAULTS else _of_lesson(course, name)
    return list(
        {
            (entry.context, entry.text): entry
            for entry in gathered
            if prose_segments.has_words(str(entry.text))
        }.values()
    )


def in_solutions(what: str, says_hints: bool) -> bool:
    """Tell whether an executed solution may show a text of this kind.

    Args:
        what: the kind of the text, as its entry states it.
        says_hints: whether a cell of the solution shows the hints of a task.
    """
    return not what.startswith(NOT_IN_SOLUTIONS) and (says_hints or not what.startswith("hint "))


def _of_lesson(course: Course, name: str) -> Iterator[Entry]:
    folder = course.source / name
    lesson = load_lesson(folder)
    yield Entry(name, lesson.title, "the lesson's title")
    for cell in read_source(folder / f"{name}.py").cells:
        if cell.cell_type == "markdown":
            yield from (Entry(cell["id"], text, "") for text in prose_segments.texts(cell.source))
        else:
            yield from _predictions(cell.source)
    for task in lesson.tasks:
        yield Entry(task.id, task.title, "a task's title")
        yield from (Entry(task.id, check.title, "what a check checks") for check in task.checks)
        for number, hint in enumerate(task.hints, start=1):
            yield Entry(task.id, hint, f"hint {number} of {len(task.hints)}")
        yield Entry(task.id, task.learned, "said when the task is solved")
        for probe in task.probes:
            yield Entry(task.id, probe.says, "an input, named in “fails on: …”")
        yield from (Entry(task.id, wrong.hint, f"about {wrong.fault}") for wrong in task.wrong if wrong.hint)
        yield from (Entry(task.id, text, "a word in hints") for text in task.words.values() if " " in text)


def _predictions(source: str) -> Iterator[Entry]:
    for call in ast.walk(parsed(source)):
        match call:
            case ast.Call(
                func=ast.Name(id="predict"),
                args=[ast.Constant(value=str(name)), question, *choices],
                keywords=keywords,
            ):
                yield Entry(name, ast.literal_eval(question), "a question")
                for choice in ast.literal_eval(choices[0]) if choices else ():
                    yield Entry(name, choice, "an answer to choose")
                for label in next(
                    (ast.literal_eval(argument.value) for argument in keywords if argument.arg == "bars"), ()
                ):
                    yield Entry(name, label, "what stands beside a bar")


def _of_faults(course: Course) -> Iterator[Entry]:
    faults = load_faults(course.source)
    yield Entry("course", course.title, "the course's title")
    site = course.site
    for sentence in filter(None, (site.says, *site.can, site.front.says, site.front.shows, site.inside.says)):
        yield Entry("course", sentence, "on the site's first page")
    if site.inside.fold:
        yield Entry("course", site.inside.fold, "what opens an explorer at the end of a page")
    for term in read_glossary(course):
        yield Entry(term.context, term.text, "what the term means")
    for item in read_quiz(course):
        for asked in item.asked.values():
            yield Entry(item.context, asked.text, "a question of the quiz")
            yield from (Entry(item.context, choice, "an answer to choose") for choice in asked.choices)
    for question in read_review(course):
        if not question.id.startswith(QUIZ):
            yield from (Entry(question.context, text, "a review question's") for text in question.texts)
    for says in dict.fromkeys(course.steps.values()):
        yield Entry("steps", says, "what a step of a solution makes")
    for family in course.forbidden:
        yield Entry("forbidden", family.instead, "what a task asks to be written without a ready-made call")
    yield from (Entry("word", text, "a word in hints") for text in faults.words.values() if " " in text)
    for axis, entry in course.entries:
        yield Entry("axis", axis, "an axis, in messages")
        yield Entry("axis", entry, "what one entry along an axis is called, with its number behind it")
    for fault in faults.known.values():
        yield Entry(fault.id, fault.name, "what the mistake is called")
        yield Entry(fault.id, fault.hint, HINT)
    if course.adds.experiments:
        file = course.root / course.adds.experiments
        tool_texts = {known_entry.text for known_entry in _of_package(TOOL)}
        yield from (Entry("", text, file.name) for text in _texts_said(file) if text not in tool_texts)


@cache
def _of_package(folder: Path) -> tuple[Entry, ...]:
    paths = sorted(path for path in set(folder.rglob("*")) - set(ENGLISH.rglob("*")) if path.suffix in GATHER)
    return tuple(
        Entry("", text, str(path.relative_to(folder))) for path in paths for text in _texts_said(path)
    )


def _texts_said(path: Path) -> Iterator[str | tuple[str, ...]]:
    """Yield the texts that a module or a page's template says, one and many together."""
    with path.open("rb") as file:
        for _line, call, given, _comments in GATHER[path.suffix](file, (*SAY, TABLE), (), {}):
            texts = [text for text in ((given,) if isinstance(given, str) else given or ()) if text]
            if call == TABLE:
                yield from texts
            elif texts:
                arguments = tuple(texts[: SAY[call]])
                yield arguments if len(arguments) > 1 else arguments[0]


@dataclass(frozen=True)
class TranslationFile:
    """A language's translations of a lesson, the mistakes, a package or the tool.

    Attributes:
        course: the course.
        language: the language.
        name: the name of the file without its suffix, one of `files`.
    """

    course: Course
    language: str
    name: str

    @property
    def path(self) -> Path:
        """The path of the file. The tool's own messages are with the tool, if the course contains it."""
        home = (self.course.tool if self.name == MESSAGES else None) or self.course.root
        return home / "locale" / self.language / f"{self.name}.po"

    def read(self) -> Catalog:
        """Return the content of the file; an empty catalog if the file does not exist.

        Raises:
            AuthoringError: the file cannot be read.
        """
        if not self.path.is_file():
            return Catalog(locale=self.language, project=self.course.title, fuzzy=False)
        try:
            return read_po(BytesIO(self.path.read_bytes()), locale=self.language, abort_invalid=True)
        except (PoFileError, ValueError) as problem:
            raise AuthoringError([f"{self.path}: cannot be read ({problem})"]) from problem

    def merged(self) -> Catalog:
        """Return the translations, matched to the current texts.

        The translation of an older wording is kept and marked fuzzy.

        Raises:
            AuthoringError: the file or the lesson cannot be read.
        """
        template = Catalog(fuzzy=False)
        for entry in entries(self.course, self.name):
            template.add(
                entry.text, context=entry.context or None, auto_comments=[entry.what] if entry.what else ()
            )
        catalog = self.read()
        now = {(message.context, message.id) for message in template}
        gone = {(message.context, message.id) for message in catalog} - now
        outdated = {(message.context, message.id) for message in catalog if message.fuzzy}
        # Of each new text Babel looks for one like it among all that are translated, for many seconds; only
        # one that is gone can be its older version.
        strings: dict[Any, Any] = {}
        for message in catalog:
            if (message.context, message.id) in now and isinstance(message.id, str):
                strings[message.context, message.id] = message.string
                message.string = ""
        catalog.update(template, update_creation_date=False)
        gone_texts = {text for _context, text in gone}
        for message in catalog:
            message.string = strings.get((message.context, message.id), message.string)
            if (message.context, message.id) in outdated:
                continue  # since an earlier run, which has found its older version
            before = message.id if not message.previous_id else message.previous_id[0]
            # What Babel found alike is an older version only where it stood here and is gone, or has moved.
            moved = before == message.id and before in gone_texts
            if message.fuzzy and not (
                any(_strings(message)) and (moved or (message.context, before) in gone)
            ):
                message.string, message.previous_id = "", []
                message.flags.discard("fuzzy")
        for message in catalog.obsolete.values():
            message.previous_id = []  # Babel would write it as a comment that it cannot read
        catalog.header_comment = (
            f"# {self.course.title}: {self.name}, in {catalog.locale_identifier}. See docs/translating.md."
        )
        return catalog

    def update(self, check: bool = False) -> State:
        """Bring the file up to date with the current texts, and return its state.

        Args:
            check: whether to return the state only, and write nothing.

        Raises:
            AuthoringError: the file or the lesson cannot be read.
        """
        catalog = self.merged()
        if not check:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(written(catalog))
        return state(catalog, self.name)


def written(catalog: Catalog) -> bytes:
    """Return a catalog as the content of a .po file, with each text on one line, and without dates."""
    out = BytesIO()
    write_po(out, catalog, width=0, include_previous=True)
    header, _, rest = out.getvalue().partition(b"\n\n")
    return NEEDLESS.sub(b"", header + b"\n") + b"\n" + rest


def state(catalog: Catalog, name: str) -> State:
    """Return the state of a catalog: its numbers of translated and missing entries, and its problems."""
    messages = [message for message in catalog if message.id]
    problems = [
        f"{name}: {where(message)}: {problem}" for message in messages for problem in wrong_in(message)
    ]
    outdated = sum(message.fuzzy for message in messages)
    missing = sum(not is_translated(message) and not message.fuzzy for message in messages)
    return State(name, len(messages), missing, outdated, tuple(problems))


def is_translated(message: Message) -> bool:
    """Tell whether a message has a translation that is complete and not fuzzy."""
    return not message.fuzzy and bool(_strings(message)) and all(_strings(message))


def _strings(message: Message) -> list[str]:
    """Return the translations of a message: one for each form of a plural."""
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def is_usable(message: Message) -> bool:
    """Tell whether a message has a complete translation without problems."""
    return bool(message.id) and is_translated(message) and not any(wrong_in(message))


def where(message: Message) -> str:
    """Return the context and the beginning of a message's text, by which a translator finds it."""
    text = message.id if isinstance(message.id, str) else message.id[0]
    return f"{message.context or MESSAGES}: “{text[:60]}{'…' if len(text) > 60 else ''}”"


def wrong_in(message: Message) -> Iterator[str]:
    """Yield the problems in a message's translation that would break the lesson or a message of the tool."""
    if not is_translated(message):
        return
    single, many = (message.id, message.id) if isinstance(message.id, str) else message.id
    strings = _strings(message)
    for index, string in enumerate(strings):
        yield from disagreements(single if index == 0 and len(strings) > 1 else many, string)


def disagreements(text: str, string: str) -> Iterator[str]:
    """Yield a problem for each part that must be the same in every language and that a translation changes.

    Args:
        text: the text in English.
        string: its translation.
    """
    around = text.partition(text.strip())[::2]
    if string != string.strip().join(around) or "\n" in string:
        yield "another space before or after it, or a line end in it"
    if (
        bool(prose_segments.START.match(string)) != bool(prose_segments.START.match(text))
        or (string.count("**") - text.count("**")) % 2
    ):
        yield "a mark of Markdown (a heading's, a list's or **) stands there alone"
    of_text, of_translation = text, string
    for kind, form in prose_segments.KEPT:
        original, here = Counter(form.findall(of_text)), Counter(form.findall(of_translation))
        if original != here:
            lost, added = (original - here).elements(), (here - original).elements()
            yield f"another {kind}: " + "; ".join(
                f"{verb} {', '.join(some)}"
                for verb, some in (("lost", list(lost)), ("added", list(added)))
                if some
            )
        # What stands in code is no number of the text.
        of_text, of_translation = form.sub(" ", of_text), form.sub(" ", of_translation)
