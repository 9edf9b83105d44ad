"""Every lesson walked to its end: all answers typed into the released notebook, all checks right."""

from pathlib import Path

import nbformat
import pytest

from autograder.build.preprocessors import solution_region, without_faulty
from autograder.build.source import is_answer, read_source
from autograder.course import Course

ROOT = Path(__file__).parents[2]
LESSONS = sorted(path.parent.name for path in (ROOT / "source").glob("*/tasks.py"))


def answers(lesson: str) -> dict[int, str]:
    """What to type, by the place of the cell in the released notebook."""
    solved = {cell["id"]: cell for cell in read_source(ROOT / "source" / lesson / f"{lesson}.py").cells}
    released = nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
    typed = {}
    for place, cell in enumerate(released.cells):
        if is_answer(cell) and cell.cell_type == "code":
            source = without_faulty(solved[cell["id"]].source)
            assert solution_region(source)
            typed[place] = "\n".join(line for line in source.splitlines() if "### " not in line).strip("\n")
    return typed


@pytest.mark.parametrize("lesson", LESSONS)
def test_who_types_every_answer_reaches_the_end(open_lesson, lesson):
    notebook = open_lesson(lesson)
    typed = answers(lesson)
    cells = notebook.page.locator(".jp-Notebook .jp-Cell")
    for place, code in typed.items():
        notebook.type_into(cells.nth(place), code)
    notebook.run_all()
    tasks = len(Course.read(ROOT).load(lesson).tasks)
    assert len(typed) == tasks
    end = notebook.cell(f'progress("{lesson}")')
    end.get_by_text(f"{tasks} of {tasks} tasks").wait_for(timeout=60_000)
    assert notebook.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert notebook.page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert notebook.errors == []
    notebook.picture(f"{lesson}-at-its-end", of=end)
    assert notebook.page.locator("body[data-jp-theme-light=true]").count() == 1
    assert notebook.violations() == []
    notebook.use_dark_theme()
    assert notebook.violations() == []


def test_a_control_without_a_name_and_pale_text_would_be_found(open_lesson):
    notebook = open_lesson(LESSONS[0])
    pale = "<p style='color: #999; background: #aaa'>pale</p>"
    code = f'from IPython.display import HTML\nHTML("<select><option>p</select>{pale}")'
    notebook.type_into(notebook.page.locator(".jp-Notebook .jp-CodeCell").first, code)
    notebook.run(notebook.page.locator(".jp-Notebook .jp-CodeCell").first)
    notebook.page.locator(".jp-OutputArea-output").get_by_text("pale").wait_for(timeout=20_000)
    assert {line.split(":")[0] for line in notebook.violations()} == {"select-name", "color-contrast"}
