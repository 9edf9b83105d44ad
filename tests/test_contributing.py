"""CONTRIBUTING.md's example of adding a task, followed to the letter, and what it says that things cost."""

import re
import shutil
from pathlib import Path

from autograder.author.audit import audit_lesson
from autograder.author.message_review import confirm, said_in
from autograder.author.pipeline import prepare
from autograder.author.translate import FAULTS, entries
from autograder.records import bank
from autograder.records.course import Course
from support.class_course import LESSON as FIRST
from support.class_course import MORE, OTHER
from support.template import TEMPLATE

ROOT = Path(__file__).parents[1]
LESSON = "01-dot-product"


def test_the_task_that_contributing_adds_can_be_added_as_it_says(tmp_path):
    cells, task, fault = re.findall(
        r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL
    )
    shutil.copytree(ROOT / "source" / LESSON, tmp_path / "source" / LESSON)
    lesson = tmp_path / "source" / LESSON / f"{LESSON}.py"
    before, marker, after = lesson.read_text(encoding="utf-8").partition('# %% [markdown] id="recap"')
    lesson.write_text(before + cells + "\n" + marker + after, encoding="utf-8")
    tasks = tmp_path / "source" / LESSON / "tasks.py"
    text = tasks.read_text(encoding="utf-8").replace("LESSON = Lesson(", task + "\nLESSON = Lesson(")
    tasks.write_text(
        text.replace("        SIMPLE_ATTENTION,\n", "        SIMPLE_ATTENTION,\n        MEAN_VECTOR,\n")
    )
    faults = tmp_path / "source" / LESSON / "faults.py"
    known = faults.read_text(encoding="utf-8")
    faults.write_text(known.replace("FAULTS = (\n", f"FAULTS = (\n{fault},\n", 1), encoding="utf-8")
    shutil.copy(ROOT / "source" / "faults.py", tmp_path / "source")

    shutil.copy(ROOT / "course.toml", tmp_path)
    shutil.copy(ROOT / "source" / "attention.py", tmp_path / "source")
    course = Course.read(tmp_path)
    assert confirm(course, LESSON, tuple(said_in(course, LESSON, ["mean-vector"])))
    bank.save(prepare(course, LESSON).bank, course.bank)
    row = next(row for row in audit_lesson(course, LESSON) if row.task == "mean-vector")
    # What `test_course.py` wants of every task: five wrong answers and three right ones.
    assert list(row.tried.values()) == [[True] * 5, [True] * 5, [True] * 3, []]


def lines(text: str | Path) -> int:
    """The lines of a text or a file that are not blank."""
    text = text.read_text(encoding="utf-8") if isinstance(text, Path) else text
    return sum(bool(line.strip()) for line in text.splitlines())


def test_what_it_says_that_things_cost_is_what_they_cost():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    cells, task, fault = map(lines, re.findall(r"```python\n(.*?)```", contributing, re.DOTALL))
    seams = (ROOT / "autograder" / "tests" / "test_seams.py").read_text(encoding="utf-8")
    added = dict(re.findall(r'^([A-Z]+) = """\n(.*?)"""', seams, re.DOTALL | re.MULTILINE))
    lesson, tasks, faults = (
        lines(MORE / "source" / OTHER / name) for name in (f"{OTHER}.py", "tasks.py", "faults.py")
    )
    first = [
        lines(TEMPLATE / "source" / name)
        for name in (f"{FIRST}/{FIRST}.py", f"{FIRST}/tasks.py", "faults.py")
    ]
    described = lines(TEMPLATE / "course.toml")
    course = Course.read(TEMPLATE)
    texts, of_faults = (len(entries(course, name)) for name in (FIRST, FAULTS))
    done = [
        (MORE / "locale" / "bn" / f"{name}.po").read_text(encoding="utf-8").count("msgctxt")
        for name in (FIRST, FAULTS)
    ]
    for said in (
        f"{cells + task} lines: {cells} in the lesson and {task} in `tasks.py`",
        f"1 line in a task's table; {fault} more",
        f"{lesson + tasks + faults} lines for two tasks and a question in words: {lesson} of text and code, "
        f"{tasks} of `tasks.py`, {faults} of `faults.py`",
        f"{texts} texts for the template's lesson and {of_faults} for its mistakes and axes "
        f"(done: {done[0]} and {done[1]})",
        f"an experiment, a property and a specimen | {lines(added['SIGNALS'])} lines, and one",
        f"a platform | {lines(added['ILIAS'])} lines, and one",
        f"replace {sum(first) + described} lines: {first[0]} of the lesson, {first[1]} of its `tasks.py`, "
        f"{first[2]} of `faults.py`, {described} of `course.toml`",
    ):
        assert said in contributing
