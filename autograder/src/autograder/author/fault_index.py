"""List the mistakes of a course with the lessons that use them, for an author who needs a mistake's id."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from autograder.author.authoring import load_faults, load_lesson
from autograder.records.course import Course


@dataclass(frozen=True)
class ListedFault:
    """A mistake, the file that names it, and the lessons that use it."""

    id: str
    name: str
    hint: str
    file: str  # the path of the `faults.py` that names it, relative to the course
    lessons: tuple[str, ...]  # the lessons with a wrong answer that shows it


def faults_listed(course: Course, word: str = "") -> list[ListedFault]:
    """Return the mistakes whose id, name or hint contains a word, sorted by id; all mistakes without a word.

    Raises:
        AuthoringError: a `faults.py` or a `tasks.py` fails.
    """
    shown: dict[str, list[str]] = defaultdict(list)
    files: dict[str, str] = {}
    shared = load_faults(course.source).shared
    for lesson in course.lessons:
        folder = course.source / lesson
        used = {wrong.fault for task in load_lesson(folder).tasks for wrong in task.wrong}
        for name in used:
            shown[name].append(lesson)
        for name in load_faults(course.source, lesson).known.keys() - shared:
            files[name] = f"source/{lesson}/faults.py"
    wanted = word.casefold()
    return [
        ListedFault(
            name, fault.name, fault.hint, files.get(name, "source/faults.py"), tuple(shown.get(name, ()))
        )
        for name, fault in sorted(load_faults(course.source).known.items())
        if any(wanted in text.casefold() for text in (name, fault.name, fault.hint))
    ]
