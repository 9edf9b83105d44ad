"""The page that a course opens with in JupyterLab: what is done, what comes next, the lessons, the languages.

It is written each time JupyterLab is started, one for each language, beside the lessons. Without torch, so
that nobody waits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from autograder.lesson import progress_store
from autograder.records.course import Course
from autograder.records.errors import UserError
from autograder.records.file_digests import write_whole
from autograder.words.language import _, speaking, translated

PAGE = "welcome.md"


def write(home: Path) -> list[Path]:
    """Write the page of each language that has lessons in this folder; the pages.

    Raises:
        Refused: the folder belongs to no course, or that cannot be read.
        OSError: a page cannot be written.
    """
    course = Course.find()
    first, *others = course.languages
    folders = {first: home, **{code: home / code for code in others if (home / code).is_dir()}}
    for code, folder in folders.items():
        with speaking(course.bank, code):
            write_whole(folder / PAGE, "\n".join(_lines(course, folder, folders)).encode())
    return [folder / PAGE for folder in folders.values()]


def _lines(course: Course, folder: Path, folders: dict[str, Path]) -> Iterator[str]:
    """Yield the lines of a page, as Markdown."""
    rows, ahead, began = [], "", False
    for name in course.banked():
        if not (folder / name / f"{name}.ipynb").is_file():
            continue
        title, tasks = _titles(course, name)
        solved = [task for task in tasks if progress_store.read(course.name, task).solved]
        began = began or bool(solved)
        link = f"[{title}]({name}/{name}.ipynb)"
        if len(solved) < len(tasks) and not ahead:
            task = next(tasks[task] for task in tasks if task not in solved)
            ahead = _("**Go on here:** {lesson}. Next: {task}", lesson=link, task=task) if began else ""
            ahead = ahead or _("**Start here:** {lesson}", lesson=link)
        rows.append((link, f"{len(solved)} / {len(tasks)}", "✓" if len(solved) == len(tasks) else ""))
    yield f"# {course.title}\n"
    yield (ahead or _("You have solved every task.")) + "\n"
    yield " | ".join(("", _("Lesson"), _("Tasks solved"), "", "")).strip() + "\n| --- | --- | --- |"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield "\n" + _(
        "Open a lesson and run its cells from top to bottom with Shift+Enter. A check is below each "
        "task, and a button below the check gives hints."
    )
    if len(folders) > 1:
        yield "\n" + _languages(course, folder, folders) + "\n"
    if (folders[course.languages[0]].parent / "solutions").is_dir():
        site = "`python3 start.py run autograder site site`"
        yield _(
            "To read the lessons solved, as a site: {command}, then open `site/index.html`.", command=site
        )


def _languages(course: Course, here: Path, folders: dict[str, Path]) -> str:
    """Return links to the page in each language, each by the name that its speakers give it."""
    links = []
    for code, folder in folders.items():
        with speaking(course.bank, code):
            # Translators write the name of their own language here.
            name = _("English")
        name = code if name == "English" and code != course.languages[0] else name
        way = "../" * (here.name in folders) + f"{code}/" * (folder.name in folders)
        links.append(f"**{name}**" if folder == here else f"[{name}]({way}{PAGE})")
    return " · ".join(links)


def _titles(course: Course, name: str) -> tuple[str, dict[str, str]]:
    """Return a lesson's title and those of its tasks by their ids, in the spoken language."""
    plain = json.loads((course.bank / f"{name}.json").read_text(encoding="utf-8"))
    titles = {task: translated(task, about["title"]) for task, about in plain["tasks"].items()}
    return translated(name, plain["title"]), titles


if __name__ == "__main__":
    with suppress(UserError, OSError):  # what is wrong with the course is said where it matters
        write(Path.cwd())
