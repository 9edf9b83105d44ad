"""`add_to_mine`, called as a learner calls it, and the package that comes of it."""

import subprocess
import sys
from dataclasses import replace

import pytest
from autograder.lesson.check_calls import EXECUTION
from autograder.records import bank
from support.page_output import values_in_page

HELPER = "def whole(x):\n    return x.sum()"
SHARE = (
    "from torch import Tensor\n\n# One for each number.\n"
    "def share(x: Tensor):\n    return x / whole(x)  # (tokens,)"
)
PAIRS = "def pairs(x):\n    return share(x @ x.T) * whole(x @ x.T)"


@pytest.fixture
def in_course(notebook, bank_folder, lesson, tmp_path, monkeypatch):
    """A notebook in a folder of a course that collects three tasks, whose own cells define `whole`."""
    tasks = {name: replace(task, properties=()) for name, task in lesson.tasks.items()}
    bank.save(replace(lesson, names=("whole",), tasks=tasks), bank_folder)
    described = (bank_folder / "course.toml").read_text()
    described += '[adds]\nmine = "run.py"\n[mine]\nsimple = ["share"]\nmore = ["pairs", "total"]\n'
    (bank_folder / "course.toml").write_text(described)
    (tmp_path / "course.toml").write_text(described)
    (bank_folder / "run.py").write_text("import mine\nprint(mine.share.__name__)\n")
    here = tmp_path / "notebooks" / "01-tiny"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    notebook.run("from autograder import add_to_mine, check")
    yield notebook
    for name in [name for name in sys.modules if name.partition(".")[0] == "mine"]:
        del sys.modules[name]


def add_to_mine(notebook, task):
    notebook.run(f'check("{task}")')
    return notebook.run(f'add_to_mine("{task}")')


def outside(folder, code):
    """What a program prints that is run outside of any notebook, without the tool."""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_a_right_answer_is_collected_as_it_was_written_and_runs_outside(in_course, tmp_path):
    in_course.run(HELPER)
    in_course.run(SHARE)
    output = add_to_mine(in_course, "share")
    own, taken = output.lines
    assert own == "Import it with `from mine import share`."
    assert taken == "Taken from the course, until you add yours: `whole`."
    text = (tmp_path / "mine" / "simple.py").read_text()
    assert "# == whole: the course's, until I add mine ==\ndef whole(x):" in text
    assert "# == share: my own ==\n# One for each number.\ndef share(x: Tensor):" in text
    code = "import torch, mine; print(mine.share(torch.ones(4)).tolist())"
    assert outside(tmp_path, code) == "[0.25, 0.25, 0.25, 0.25]"
    assert outside(tmp_path, "import runpy; runpy.run_module('mine.run')") == "share"  # the course's program


def test_a_wrong_answer_is_not_collected(in_course, tmp_path):
    in_course.run("def share(x):\n    return x / x.max()")
    assert "can be added once its check is right" in repr(add_to_mine(in_course, "share"))
    assert "does not collect" in repr(in_course.run('add_to_mine("row-sums")'))
    assert not (tmp_path / "mine").exists()


def test_an_answer_is_tried_by_its_check_alone(in_course, tmp_path):
    in_course.run("calls = []\ndef share(x):\n    calls.append(x)\n    return x / x.sum()")
    assert "can be added once its check is right" in repr(in_course.run('add_to_mine("share")'))
    in_course.run('check("share")')
    count = in_course.run("len(calls)")
    in_course.run('add_to_mine("share")')
    assert in_course.run("len(calls)") == count > 0
    in_course.run(SHARE)  # not checked yet
    assert "can be added once its check is right" in repr(in_course.run('add_to_mine("share")'))


def test_a_later_module_imports_from_an_earlier_one_and_the_learners_changes_stay(in_course, tmp_path):
    in_course.run(HELPER)
    in_course.run(SHARE)
    add_to_mine(in_course, "share")
    path = tmp_path / "mine" / "simple.py"
    path.write_text(path.read_text().replace("x.sum()", "x.sum()  # all of it"))
    in_course.run(PAIRS)
    add_to_mine(in_course, "pairs")
    assert "from .simple import share" in (tmp_path / "mine" / "more.py").read_text()
    in_course.run(SHARE.replace("whole(x)", "x.sum()"))
    add_to_mine(in_course, "share")
    text = path.read_text()
    assert "all of it" in text
    assert "return x / x.sum()" in text
    assert text.count("def share") == 1
    code = "import torch; from mine import pairs; print(pairs(torch.eye(2)).tolist())"
    assert outside(tmp_path, code) == str([[1.0, 0.0], [0.0, 1.0]])


def test_a_decorator_comes_along(in_course, tmp_path):
    in_course.run("@torch.no_grad()\ndef share(x):\n    return x / x.sum()")
    add_to_mine(in_course, "share")
    assert "@torch.no_grad()\ndef share(x):" in (tmp_path / "mine" / "simple.py").read_text()
    assert outside(tmp_path, "from mine import share; print(share.__name__)") == "share"


def test_what_only_the_notebook_has_is_told(in_course):
    in_course.run("import torch\nones = torch.ones(())\ndef total(a, b):\n    return (a * b).sum() * ones")
    assert "It needs `ones`, which only the notebook has." in add_to_mine(in_course, "total").lines


def test_it_is_imported_in_a_notebook_as_it_was_collected_last(in_course):
    in_course.run("def share(x):\n    return x / x.sum()")
    add_to_mine(in_course, "share")
    in_course.run("from mine import share as kept")
    assert in_course.run("kept.__module__") == "mine.simple"


def test_while_grades_count_mine_is_what_the_notebook_itself_has(in_course, monkeypatch):
    in_course.run("def share(x):\n    return x / x.sum()")
    add_to_mine(in_course, "share")
    monkeypatch.setenv(EXECUTION, "autograde")
    in_course.run("def share(x):\n    return 'the notebook has this'")
    in_course.run("from mine import share as first\nfrom mine.simple import share as second")
    assert in_course.run("first is share and second is share")
    with pytest.raises(ImportError):
        in_course.run("from mine import pairs")


def test_a_right_check_has_a_button_that_adds(in_course, monkeypatch, tmp_path):
    monkeypatch.setattr(in_course.shell, "parent_header", {"metadata": {"cellId": "x"}}, raising=False)
    in_course.run("def share(x):\n    return x / x.sum()")
    data, _ = in_course.shell.display_formatter.format(in_course.run('check("share")'))
    eval(values_in_page(data)["shows"]["agree"]["does"])
    assert (tmp_path / "mine" / "simple.py").is_file()
