"""`exam` and `hand_in`, called as a learner calls them."""

import json
from dataclasses import replace

import pytest
import torch
from autograder.lesson import check_calls, progress_store
from autograder.lesson import exam as exams
from autograder.records import bank
from autograder.records.course import EXAM
from support.page_output import values_in_page
from support.tiny_lesson import outcome_of

WRONG = "def share(x):\n    return x / x.max()"
RIGHT = "def share(x):\n    return x / x.sum()"
# Right on the numbers that a check asks, and on no others.
LEARNT = (
    "def share(x):\n    seen = {3: [0.125, 0.25, 0.625], 4: [0.125, 0.125, 0.25, 0.5]}\n"
    "    return torch.tensor(seen[len(x)])"
)
# Built from the answer to another task.
BUILT = "def share(x):\n    return x / total(x, torch.ones(len(x)))"
TOTAL = "def total(a, b):\n    return (a * b).sum()"


@pytest.fixture
def in_lab(notebook, bank_folder, lesson, monkeypatch):
    """A notebook of a course with an exam on `share`."""
    task, x = lesson.tasks["share"], torch.tensor([3.0, 1.0, 4.0])
    asked = replace(
        task.probes[0], id="three-hidden", hidden=True, inputs={"x": x}, expected=outcome_of(x / x.sum())
    )
    with_exam = replace(task, exam=(asked,), needs=("total",))
    bank.save(replace(lesson, tasks={**lesson.tasks, "share": with_exam}), bank_folder)
    described = (bank_folder / "course.toml").read_text()
    (bank_folder / "course.toml").write_text(f"{described}[exam]\nshare = 25\n")
    monkeypatch.setattr(exams, "_sitting", None)
    monkeypatch.setattr(check_calls, "in_exam", set())
    monkeypatch.setattr(notebook.shell, "parent_header", {"metadata": {"cellId": "x"}}, raising=False)
    notebook.run("from autograder import exam, hand_in")
    return notebook


@pytest.fixture
def solved(bank_folder):
    """The lesson's solved notebook beside its bank, as in a course's folder."""
    path = bank_folder / "solutions" / "01-tiny" / "01-tiny.ipynb"
    path.parent.mkdir(parents=True)
    cells = [{"cell_type": "code", "id": "total-answer", "source": TOTAL.splitlines(keepends=True)}]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")


@pytest.fixture
def clock(monkeypatch):
    """The time, which a test moves on."""
    now = [1000.0]
    monkeypatch.setattr(exams.time, "time", lambda: now[0])
    return now


def test_the_next_cell_holds_the_signature_alone(in_lab):
    given = []
    in_lab.shell.set_next_input = given.append
    shown = repr(in_lab.run('exam("share")'))
    assert given == ["import torch\nfrom torch import nn\n\n\ndef share(x):\n    ...\n"]
    assert "It takes about 25 minutes." in shown
    assert "What is checked: " in shown


def test_what_the_answer_is_built_from_is_given_until_it_is_handed_in(in_lab, solved):
    for stub in ("", "def total(a, b):\n    ...  # your code here"):
        in_lab.run(stub)
        before = in_lab.shell.user_ns.get("total")
        assert "Given: total." in repr(in_lab.run('exam("share")')).replace("`", "")
        in_lab.run(BUILT)
        assert in_lab.run("hand_in()")
        assert in_lab.shell.user_ns.get("total") is before


def test_what_a_learner_has_written_stays_theirs(in_lab, solved):
    in_lab.run(TOTAL)
    own = in_lab.shell.user_ns["total"]
    assert "You may use this notebook's total." in repr(in_lab.run('exam("share")')).replace("`", "")
    in_lab.run(BUILT)
    assert in_lab.run("hand_in()")
    assert in_lab.shell.user_ns["total"] is own


def test_what_nobody_can_give_is_said_to_be_missing(in_lab):
    shown = repr(in_lab.run('exam("share")')).replace("`", "")
    assert "This notebook has no total: do without, or write it again." in shown
    in_lab.run(BUILT)
    assert "not right yet" not in repr(in_lab.run("hand_in()"))


def test_nothing_is_said_of_an_answer_before_it_is_handed_in(in_lab):
    in_lab.run('exam("share")')
    in_lab.run(WRONG)
    for call in ('check("share")', 'hint("share")'):
        assert "no checks and no hints until hand_in()" in repr(in_lab.run(call)).replace("`", "")
    assert "You divided by the largest" in repr(in_lab.run("hand_in()"))
    assert "You divided by the largest" in repr(in_lab.run('check("share")'))


def test_an_answer_that_is_right_on_the_checks_numbers_alone_is_wrong_in_an_exam(in_lab):
    in_lab.run(LEARNT)
    assert in_lab.run('check("share")')
    in_lab.run('exam("share")')
    in_lab.run(LEARNT)
    assert not in_lab.run("hand_in()")
    in_lab.run('exam("share")')
    in_lab.run(RIGHT)
    assert in_lab.run("hand_in()")


def test_an_answer_from_before_the_exam_is_not_handed_in(in_lab):
    in_lab.run(RIGHT)
    in_lab.run('exam("share")')
    assert "Run the cell in which you write" in repr(in_lab.run("hand_in()"))
    in_lab.run(RIGHT)
    assert in_lab.run("hand_in()")
    assert "No exam is open." in repr(in_lab.run("hand_in()"))


def test_it_says_how_long_it_took_and_when_the_first_version_ran(in_lab, clock):
    in_lab.run('exam("share")')
    clock[0] += 65
    in_lab.run(WRONG)
    clock[0] += 10
    in_lab.run(RIGHT)
    clock[0] += 5
    output = repr(in_lab.run("hand_in()"))
    assert "Your time: 1 min 20 s. The first of 2 versions ran after 1 min 5 s." in output.replace("\n", " ")
    assert "`share` · 25 minutes" in in_lab.run("exam()").lines[0]
    assert in_lab.run("exam()").lines[0].endswith("1 min 20 s")


def test_a_page_shows_the_time_that_is_left_unless_it_is_left_out(in_lab, clock):
    shows = values_in_page(in_lab.run('exam("share")')._repr_mimebundle_())["shows"]
    assert shows["time"]["until"] == (1000 + 25 * 60) * 1000
    assert eval(shows["agree"]["does"]).headline.startswith("Run the cell in which you write")
    shows = values_in_page(in_lab.run('exam("share", clock=False)')._repr_mimebundle_())["shows"]
    assert "time" not in shows


def test_without_an_exam_the_tasks_that_have_one_are_listed(in_lab, own_progress):
    progress_store.write_exam("tiny", "share", progress_store.ExamRecord(80.0, 1, 2))
    (own_progress / "exam.share.json").write_text('{"seconds": "long"')
    for call in ("exam()", 'exam("pairs")'):
        assert in_lab.run(call).lines == ("`share` · 25 minutes",)


def test_a_check_in_an_instructors_exam_says_no_more_than_that_it_is_received(in_lab, monkeypatch):
    monkeypatch.setenv(EXAM, "1")
    for answer in (RIGHT, WRONG):
        in_lab.run(answer)
        assert repr(in_lab.run('check("share")')) == repr(in_lab.run('hint("share")')) == "Received."
    monkeypatch.delenv("AUTOGRADER_COURSE")
    assert repr(in_lab.run('check("no-task")')) == "Received."
