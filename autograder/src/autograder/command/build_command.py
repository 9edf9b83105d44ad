"""The command that builds lessons in all languages, or lists the stale ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from autograder.author.build_record import BuildRecord, Stages, without_source
from autograder.author.parallel import each_lesson, processors
from autograder.command.console import AtOnce, LessonNames, Root, complain, languages_of, resolve_lessons, say
from autograder.command.progress_bar import progress_bar
from autograder.command.watch import watch as build_on_save
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course
from autograder.words.language import ngettext


def build(
    lessons: LessonNames = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="Make only what is in this language, as bn.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; list what is stale.")] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Build or check lessons of which nothing has changed, too.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Build again each time that a file is saved, until Ctrl-C.")
    ] = False,
    jobs: AtOnce = processors(),  # noqa: B008
    course: Root = Path(),
) -> None:
    """Make notebooks/, solutions/ and the bank from source/, and the same in other languages from locale/."""
    loaded_course = Course.of(course)
    names = resolve_lessons(loaded_course.lessons, lessons or [])
    if watch:
        spoken = [word for code in language or [] for word in ("--language", code)]
        build_on_save(loaded_course, names, [*spoken, "--jobs", str(jobs)])
    if not check and not language and (loaded_course.root / "submitted").is_dir():
        _keep_releases(loaded_course, names)
    record = BuildRecord(loaded_course, names)
    current = () if anew or language else record.unchanged if check else record.current
    names = [name for name in names if name not in current]
    stages = {name: Stages(record.stages(name), anew) for name in names}
    stale = without_source(loaded_course) if check else []
    problems: list[str] = []
    states: set[str] = set()
    work = partial(
        _built, loaded_course, check, not language, languages_of(loaded_course, language or []), stages
    )
    with progress_bar() as bar:
        task = bar.add_task("checking" if check else "building", total=len(names))
        for name, result in each_lesson(work, names, jobs):
            if isinstance(result, AuthoringError):
                problems += result.problems
            else:
                stale += result.stale
                states |= set(result.states)
                if not check and not language:
                    record.keep(name, result.stages.now)
                if not check:
                    say(f"{name}: {result.stages}")
            bar.update(task, description=name, advance=1)
    for line in (*sorted(states), *sorted(stale)):
        say(line)
    complain(problems)
    if problems:
        complain(["Nothing was changed in the lessons named above."])
    if problems or stale:
        raise typer.Exit(1)
    _say_counts(check, len(names), len(current))


def _say_counts(check: bool, built: int, unchanged: int) -> None:
    """Say how many lessons were built or checked, and how many had not changed."""
    if check:
        checked = built + unchanged
        say(ngettext("{number} lesson up to date.", "{number} lessons up to date.", checked))
        return
    if built or not unchanged:
        say(ngettext("{number} lesson built.", "{number} lessons built.", built))
    if unchanged:
        say(ngettext("{number} lesson had not changed.", "{number} lessons had not changed.", unchanged))


class _Built(NamedTuple):
    """What came of a lesson's build, or of a look at what it would change."""

    stale: list[str]  # files that a build would change
    states: list[str]  # the states of the translations
    stages: Stages


def _built(
    course: Course,
    check: bool,
    english: bool,
    spoken: Sequence[str],
    stages_of: Mapping[str, Stages],
    name: str,
) -> _Built:
    """Build a lesson in all languages, or only check it.

    Raises:
        AuthoringError: the lesson is not as it must be.
    """
    # Not above: they load torch and nbgrader, and a build of which nothing has changed does without.
    from autograder.author import pipeline, translated_lesson

    stages = stages_of[name]
    if check:
        stale = pipeline.stale(course, name, stages) if english else []
        for language in spoken:
            stale += translated_lesson.stale(course, language, name)
        return _Built(stale, [], stages)
    if english:
        pipeline.build(course, name, stages)
    states = translated_lesson.build(course, spoken, name, stages)
    return _Built([], [f"{language}/{state}" for language in spoken for state in states[language]], stages)


def _keep_releases(course: Course, names: Sequence[str]) -> None:
    """Keep what students are working on, where a class is there, before it is built anew."""
    # Not above: it loads nbgrader, and few authors have a class in their folder.
    from autograder.grading import releases
    from autograder.grading.class_folder import Class

    class_folder = Class(course.root)
    for name in names:
        if name in class_folder.lessons:
            releases.keep(class_folder.current(name))
