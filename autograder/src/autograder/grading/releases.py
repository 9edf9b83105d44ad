"""The releases of a lesson, each stored with the answers with which it is graded.

A release counts as another one if its tasks differ. Other changes, such as prose or a repaired check, apply
to all submissions.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.grading.grading_banks import Banks
from autograder.grading.read_submission import read_text
from autograder.records import bank, serialization
from autograder.records.cell_roles import OF_RELEASE, claimed_release, release_of, tasks_of
from autograder.words.language import SPOKEN

FOLDER = "releases"
ANSWERS = "answers.json"
# In a release's metadata, beside its id: that it is an exam of its lesson.
IS_EXAM = "exam"


@dataclass(frozen=True)
class Release:
    """A release of a lesson: its notebook as text, its banks, and the course's own answers."""

    lesson: str
    text: str
    banks: Banks
    solution: Mapping[str, str]

    @cached_property
    def tasks(self) -> frozenset[str]:
        """The ids of its graded cells and answer cells."""
        return tasks_of(nbformat.reads(self.text, as_version=4))

    @cached_property
    def id(self) -> str:
        return release_of(self.tasks)

    @cached_property
    def is_marked(self) -> bool:
        """Whether its notebooks contain the release's id; those of earlier versions do not."""
        return claimed_release(nbformat.reads(self.text, as_version=4)) == self.id


def is_exam(text: str) -> bool:
    """Tell whether a release's notebook, given as text, is an exam of its lesson."""
    about = json.loads(text).get("metadata", {}).get(OF_RELEASE, {})
    return isinstance(about, dict) and about.get(IS_EXAM) is True


def title_of(lesson: str, text: str) -> str:
    """Return what a lesson's assignment is called on a platform: an exam never has its homework's name.

    Args:
        lesson: the lesson's name.
        text: the release's notebook, as text.
    """
    return f"{lesson} exam" if is_exam(text) else lesson


def ids_in(notebook: NotebookNode) -> set[str]:
    """Return the ids of a notebook's cells, both their own and nbgrader's."""
    ids = {cell.get("id") for cell in notebook.cells}
    return ids | {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}


def tasks_of_all(current: Release, older: Sequence[Release]) -> frozenset[str]:
    """Return the ids of the tasks of all releases of a lesson."""
    return current.tasks.union(*(release.tasks for release in older))


def ids_among(handed_in: bytes, task_ids: frozenset[str]) -> frozenset[str]:
    """Return those of some ids that occur in a submission's cells."""
    return task_ids & ids_in(read_text(handed_in))


def known_ids_and_answers(
    handed_in: bytes, task_ids: frozenset[str], released: Mapping[str, frozenset[str]]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return those of some ids that occur in a submission's cells, and the ids of its changed answer cells.

    Args:
        handed_in: the submission's content.
        task_ids: the ids to look for.
        released: the released texts of each answer cell, in all languages, by id.
    """
    read = read_text(handed_in)
    changed = frozenset(
        name
        for cell in read.cells
        if (name := cell.metadata.get("nbgrader", {}).get("grade_id") or cell.get("id")) in released
        and cell.source.strip() not in released[name]
    )
    return task_ids & ids_in(read), changed


def known_ids_and_release(handed_in: bytes, task_ids: frozenset[str]) -> tuple[frozenset[str], str]:
    """Return which of `task_ids` occur in a submission's cells, and the release that it names."""
    read = read_text(handed_in)
    return task_ids & ids_in(read), claimed_release(read)


def keep(release: Release) -> None:
    """Store the current state of a release, in place of an earlier state with the same tasks."""
    course = release.banks.course
    folder = course.root / FOLDER / release.lesson / release.id
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as temporary:
        fresh = Path(temporary) / release.id
        fresh.mkdir()
        (fresh / f"{release.lesson}.ipynb").write_text(release.text, encoding="utf-8", newline="\n")
        (fresh / ANSWERS).write_text(json.dumps(dict(release.solution)), encoding="utf-8")
        for path in bank.paths(release.lesson, course.bank):
            shutil.copyfile(path, fresh / path.name)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)


def earlier(current: Release, say: Callable[[str], None] = lambda _: None) -> list[Release]:
    """Return the stored releases of a lesson whose tasks differ from the current ones, the oldest first.

    Args:
        current: the lesson's current release.
        say: receives a message about each release that cannot be read, and is left out.
    """
    releases = []
    kept_releases = (current.banks.course.root / FOLDER / current.lesson).glob("[!.]*")
    for folder in sorted(kept_releases, key=lambda path: path.lstat().st_mtime):
        if folder.name == current.id:
            continue
        folders = {**current.banks.folders, current.lesson: folder}
        try:
            solution = json.loads((folder / ANSWERS).read_text(encoding="utf-8"))
            text = (folder / f"{current.lesson}.ipynb").read_text(encoding="utf-8")
            banks = replace(current.banks, folders=folders)
            release = Release(
                current.lesson, text, banks, serialization.decode(_Answers, {"cells": solution}).cells
            )
            if release.id != folder.name:
                raise ValueError("its tasks are not those that it was kept with")
        except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as problem:
            say(f"{folder} is no release that can be read, and is left out: {problem}")
            continue
        releases.append(release)
    return releases


@dataclass(frozen=True)
class _Answers:
    cells: Mapping[str, str]


def origin(ids: Collection[str], release_id: str, current: Release, older: Sequence[Release]) -> Release:
    """Return the release that a submission belongs to; the current one if that is undecided.

    Args:
        ids: the ids of the submission's cells.
        release_id: the release that the submission names; "" if it names none.
        current: the current release.
        older: the earlier ones.
    """
    task_ids = tasks_of_all(current, older).intersection(ids)
    named = next(
        (release for release in (current, *older) if release.is_marked and release.id == release_id), None
    )
    if named and task_ids <= named.tasks:
        return named
    # Who leaves a release's id out has not come from one that has an id, unless it has tasks of that alone.
    open_to = [release for release in older if not release.is_marked or task_ids - current.tasks]
    # The fewest tasks that it lacks, and that it has beside the release's own; of equals, the first.
    return min((current, *reversed(open_to)), key=lambda release: len(task_ids ^ release.tasks))


def as_written(release: str, translations: Mapping[str, str], submitted: NotebookNode) -> str:
    """Return the text of a release in the language of a submission: the one with most of its prose.

    Args:
        release: the release's text.
        translations: its text in each other language.
        submitted: the submission.
    """
    prose = _prose(submitted)
    language = max(
        ("", *translations), key=lambda name: len(prose & _prose_of(translations.get(name, release)))
    )
    return translated_release(language, translations[language], release) if language else release


@lru_cache(maxsize=32)
def translated_release(language: str, text: str, english: str) -> str:
    """Return the text of a translated release that also names its language, cached for all who use it.

    Args:
        language: the language's code.
        text: the release's text in that language.
        english: its text in the course's own language.
    """
    translated, plain = (nbformat.reads(source, as_version=4) for source in (text, english))
    if tasks_of(translated) != tasks_of(plain):  # an earlier release is kept in English
        translated = plain
    translated.metadata[SPOKEN] = language
    return str(nbformat.writes(translated))


@lru_cache(maxsize=32)
def _prose_of(text: str) -> frozenset[str]:
    return _prose(nbformat.reads(text, as_version=4))


def _prose(notebook: NotebookNode) -> frozenset[str]:
    return frozenset(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
