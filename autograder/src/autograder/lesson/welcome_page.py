"""The page that a course opens with in JupyterLab: progress, the next task, the lessons and the languages.

One page for each language is written beside the lessons each time JupyterLab starts. This module does not
import torch, so that nobody waits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from autograder.lesson import progress_store
from autograder.records.authoring_errors import UserError
from autograder.records.cell_roles import stated_time
from autograder.records.course import Course
from autograder.records.file_digests import write_whole
from autograder.words.language import _, speaking, translated

PAGE = "welcome.md"


def write(home: Path) -> list[Path]:
    """Write the welcome page of each language that has lessons in a folder, and return the pages' paths.

    Raises:
        AuthoringError: the folder belongs to no course, or the course cannot be read.
        OSError: a page cannot be written.
    """
    course = Course.find()
    first, *others = course.languages
    folders = {first: home, **{code: home / code for code in others if (home / code).is_dir()}}
    picture = course.root / course.site.front.picture
    shown = home / f"welcome{picture.suffix}" if picture.is_file() else None
    if shown:
        write_whole(shown, picture.read_bytes())
    for code, folder in folders.items():
        with speaking(course.bank, code):
            write_whole(folder / PAGE, "\n".join(_lines(course, folder, folders, shown)).encode())
    return [folder / PAGE for folder in folders.values()]


def rewrite() -> None:
    """Write the welcome pages again; a page asks a kernel for this when a learner returns to it."""
    homes = [folder for folder in Path.cwd().parents if (folder / PAGE).is_file()]
    if homes:
        write(homes[-1])


def _lines(course: Course, folder: Path, folders: dict[str, Path], picture: Path | None) -> Iterator[str]:
    """Yield the lines of a page, as Markdown."""
    rows, ahead, began = [], "", False
    for name in course.banked():
        notebook = folder / name / f"{name}.ipynb"
        if not notebook.is_file():
            continue
        title, tasks = _titles(course, name)
        solved = [task for task in tasks if progress_store.read(course.name, task).solved]
        began = began or bool(solved)
        link = f"[{title}]({name}/{name}.ipynb)"
        if len(solved) < len(tasks) and not ahead:
            task = next(tasks[task] for task in tasks if task not in solved)
            ahead = _("**Go on here:** {lesson}. Next: {task}", lesson=link, task=task) if began else ""
            ahead = ahead or _("**Start here:** {lesson}", lesson=link)
        rows.append(
            (link, _time(notebook), f"{len(solved)} / {len(tasks)}", "✓" if len(solved) == len(tasks) else "")
        )
    yield f"# {course.title}\n"
    if course.site.says:
        yield translated("course", course.site.says) + "\n"
    if picture:
        prefix = "" if folder == picture.parent else "../"
        yield f"![{translated('course', course.site.front.shows)}]({prefix}{picture.name})\n"
    yield (ahead or _("You have solved every task.")) + "\n"
    yield " | ".join(("", _("Lesson"), _("Time"), _("Tasks solved"), "", "")).strip()
    yield "| --- | --- | --- | --- |"
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
        prefix = "../" * (here.name in folders) + f"{code}/" * (folder.name in folders)
        links.append(f"**{name}**" if folder == here else f"[{name}]({prefix}{PAGE})")
    return " · ".join(links)


def _time(notebook: Path) -> str:
    """Return the time that a lesson's first cell says it takes."""
    with suppress(OSError, ValueError, LookupError, TypeError):  # what a learner made of it
        first = json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]
        return stated_time("".join(first["source"])).partition(",")[0]
    return ""


def _titles(course: Course, name: str) -> tuple[str, dict[str, str]]:
    """Return a lesson's title and those of its tasks by their ids, in the spoken language."""
    plain = json.loads((course.bank / f"{name}.json").read_text(encoding="utf-8"))
    titles = {task: translated(task, about["title"]) for task, about in plain["tasks"].items()}
    return translated(name, plain["title"]), titles


if __name__ == "__main__":
    with suppress(UserError, OSError):  # what is wrong with the course is said where it matters
        write(Path.cwd())
