"""The authors' page's example of adding a task, followed to the letter."""

import re
import shutil
from pathlib import Path

from autograder.author.audit import audit_lesson
from autograder.author.message_review import confirm, messages_of
from autograder.author.pipeline import prepare
from autograder.records import bank
from autograder.records.course import Course

ROOT = Path(__file__).parents[1]
LESSON = "01-dot-product"


def test_the_task_that_the_page_adds_can_be_added_as_it_says(tmp_path):
    cells, task, fault = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8"), re.DOTALL
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
    assert confirm(course, LESSON, tuple(messages_of(course, LESSON, ["mean-vector"])))
    bank.save(prepare(course, LESSON).bank, course.bank)
    row = next(row for row in audit_lesson(course, LESSON) if row.task == "mean-vector")
    # What `test_course.py` wants of every task: five wrong answers and three right ones.
    assert list(row.tried.values()) == [[True] * 5, [True] * 5, [True] * 3, []]
