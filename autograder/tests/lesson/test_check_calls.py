"""`check`, `hint` and `progress`, called as a learner calls them."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys

import nbformat
import pytest
import torch
from autograder.lesson import check_calls, progress_store
from autograder.lesson.check_calls import UNEXAMINED, EvidenceOutput, NotYet, _code_of
from autograder.records import bank
from autograder.records.answer_findings import Followed, NotDefined, NotRun, StillStub, WrongValues
from autograder.records.bank import Forbid
from autograder.records.evidence_mime import EVIDENCE_MIME
from autograder.records.evidence_transport import unpack
from autograder.records.javascript_modules import MODULE_MIME
from autograder.records.run_outcome import ErrorReport, Evidence, ForbiddenCall
from autograder.words.feedback_card import Feedback, Notice
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from support.page_output import values_in_page

from autograder import check, hint, progress

RIGHT = "def share(x):\n    return x / x.sum()"
HALF = "def share(x):\n    return x / x.sum() if len(x) == 4 else torch.softmax(x, 0)"
WRONG = "def share(x):\n    return torch.softmax(x, 0)"


@pytest.fixture(autouse=True)
def nothing_ran_before(shell, monkeypatch):
    shell.history_manager.input_hist_parsed[:] = [""]
    monkeypatch.setattr(check_calls, "_FOUND", {})
    monkeypatch.delattr(sys, "last_value", raising=False)


# check in a notebook


def test_a_right_answer_is_found_by_its_name_and_confirmed(notebook):
    notebook.run(RIGHT)
    feedback = notebook.run('check("share")')
    assert isinstance(feedback, Feedback)
    assert feedback.verdict.passed


def test_a_name_that_is_not_defined_is_told_with_the_nearest(notebook):
    notebook.run(RIGHT.replace("share", "shares"))
    feedback = notebook.run('check("share")')
    assert feedback.verdict.finding == NotDefined(nearest=("shares",))


def test_a_stub_waits(notebook):
    notebook.run("row_sums = ...")
    assert notebook.run('check("row-sums")').verdict.finding == StillStub()


def fails(notebook, *cells):
    """Run cells one after another, whatever they raise, and give the text of the check that follows."""
    for cell in cells:
        notebook.shell.run_cell(cell, store_history=True)
    return " ".join(repr(check("row-sums")).split())


STUB = "row_sums = ..."


@pytest.mark.parametrize("before", [(), (STUB,)])
def test_a_cell_that_stopped_repeats_its_error(notebook, before):
    text = fails(notebook, *before, "scale = 1\nrow_sums = scale * tabel.sum(dim=1)")
    assert "`row_sums` stopped in line 2. NameError: name 'tabel' is not defined" in text
    assert "row_sums = scale * tabel.sum(dim=1)" in text


@pytest.mark.parametrize("cell", ["row_sums = table.sum(dim=1", "%precision 4\nrow_sums = table.sum(dim=1))"])
def test_a_cell_that_could_not_be_read_repeats_its_error(notebook, cell):
    assert "`row_sums` stopped in line" in (text := fails(notebook, cell))
    assert "SyntaxError" in text


def test_an_error_below_the_cell_is_told_with_the_cells_own_line(notebook):
    text = fails(
        notebook, "def halve(x):\n    y = x\n    return y / nothing", "y = 1\nrow_sums = halve(table)"
    )
    assert "`row_sums` stopped in line 2. NameError: name 'nothing' is not defined" in text


@pytest.mark.parametrize(
    "cells",
    [
        ("other = tabel",),
        ("print(row_sums)",),
        ("def other():\n    row_sums = tabel\nother()",),
        ("row_sums = tabel", STUB),
        ("row_sums = tabel", "row_sums = 1\ndel row_sums"),
    ],
)
def test_an_error_of_another_cell_or_of_an_earlier_text_is_not_repeated(notebook, cells):
    assert "cell that should make" not in fails(notebook, *cells)


def test_an_error_that_cannot_be_looked_at_stops_no_check(notebook):
    odd = "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\nraise Odd\nrow_sums = 1"
    assert "row_sums" in fails(notebook, odd)


def test_under_autograde_what_stopped_the_cell_is_part_of_the_evidence(notebook, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    notebook.shell.run_cell("row_sums = tabel")
    evidence = unpack(notebook.run('check("row-sums")')._repr_mimebundle_()[EVIDENCE_MIME])
    expected = ErrorReport("NameError", "name 'tabel' is not defined", "row_sums = tabel", 1)
    assert evidence.error == expected


@pytest.mark.parametrize("unexamined", [False, True])
def test_under_autograde_an_answer_is_examined_unless_the_grader_needs_no_words(
    notebook, monkeypatch, unexamined
):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    if unexamined:
        monkeypatch.setenv(UNEXAMINED, "1")
    notebook.run("share = lambda x: x")
    evidence = unpack(notebook.run('check("share")')._repr_mimebundle_()[EVIDENCE_MIME])
    assert (evidence.examined is None) == unexamined


def test_a_name_without_self_in_a_module_is_told_with_it(notebook):
    notebook.run(
        "class Layer(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.scale = torch.nn.Parameter(torch.ones(1))\n"
        "    def forward(self, x):\n        return scale * x\nshare = lambda x: Layer()(x)"
    )
    text = " ".join(repr(notebook.run('check("share")')).split())
    assert "name 'scale' is not defined. Write `self.scale`." in text


def test_a_keyboard_interrupt_in_the_answer_stops_the_check(notebook):
    notebook.run("def share(x):\n    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        notebook.run('check("share")')


def test_an_answer_that_fails_when_it_is_looked_at_is_no_fault_of_the_course(notebook):
    notebook.run(
        "class Shy:\n    def __call__(self, x):\n        return x\n"
        "    def __getattribute__(self, name):\n        raise RuntimeError(name)\nshare = Shy()"
    )
    feedback = notebook.run('check("share")')
    assert isinstance(feedback, Feedback)
    assert isinstance(feedback.verdict.finding, NotRun)
    assert feedback.verdict.finding.reason == "looking at it runs code of its own, which raises RuntimeError"


def test_a_check_prints_and_warns_nothing_and_draws_no_random_numbers(notebook, capsys, recwarn):
    notebook.run(
        "import warnings\ndef share(x):\n    print('!'); warnings.warn('!'); return torch.rand(len(x))"
    )
    before = torch.get_rng_state()
    capsys.readouterr()
    feedback = check("share")
    assert capsys.readouterr() == ("", "")
    assert len(recwarn) == 0
    assert torch.equal(torch.get_rng_state(), before)
    assert not feedback


def test_an_answer_built_from_a_wrong_one_points_to_that_one(notebook):
    notebook.run("row_sums = table.sum(dim=1) + 1\ndoubled_sums = 2 * row_sums")
    feedback = notebook.run('check("doubled-sums")')
    assert feedback.verdict.unfinished == ("row_sums",)
    assert "`row_sums`, which is not right yet" in " ".join(repr(feedback).split())


def test_an_answer_built_from_a_right_one_points_nowhere_else(notebook):
    notebook.run("row_sums = table.sum(dim=1)\ndoubled_sums = 3 * row_sums")
    assert notebook.run('check("doubled-sums")').verdict.unfinished == ()


@pytest.mark.parametrize("task_id", [None, 5, "", EVIL := "<script>", "quaternions"])
def test_whatever_is_given_as_a_task_gets_an_answer(bank_folder, task_id):
    assert repr(check(task_id)) == f"There is no task called `{task_id}`."


@pytest.mark.parametrize("ask", [check, hint])
def test_an_unknown_task_gets_the_nearest_one_there_is(bank_folder, ask):
    assert repr(ask("row-sum")) == "There is no task called `row-sum`. Did you mean `row-sums`?"


# check outside a notebook


def test_outside_a_notebook_the_answer_is_passed(bank_folder):
    assert check("share", lambda x: x / x.sum())
    assert not check("share", lambda x: x)


def test_outside_a_notebook_a_tensor_is_judged_with_the_lessons_own_givens(bank_folder, table):
    assert check("row-sums", table.sum(dim=1))
    assert isinstance(check("row-sums", table.sum(dim=1) + 1).verdict.finding, WrongValues)


def test_dots_still_wait_and_none_is_told_to_be_none(bank_folder):
    assert check("row-sums", ...).verdict.finding == StillStub()
    assert "`row_sums` is None" in repr(check("row-sums", None))
    assert "`share` is None" in repr(check("share", None))


# A fault of ours


def damage_index(folder):
    (folder / "01-tiny.json").write_text("{")


def damage_tensors(folder):
    path = folder / "01-tiny.safetensors"
    path.write_bytes(path.read_bytes()[:-40])


def lose_a_tensor(folder):
    path = folder / "01-tiny.json"
    path.write_text(path.read_text().replace("probes/0/expected", "gone"))


def lose_a_field(folder):
    path = folder / "01-tiny.json"
    plain = json.loads(path.read_text())
    del plain["tasks"]["share"]["hints"]
    path.write_text(json.dumps(plain))


@pytest.mark.parametrize("damage", [damage_index, damage_tensors, lose_a_tensor, lose_a_field])
def test_a_damaged_bank_is_a_fault_of_the_course_and_not_the_learners(bank_folder, damage):
    damage(bank_folder)
    notice = check("share", lambda x: x)
    assert isinstance(notice, Notice)
    assert "a fault of the course, not of your answer" in repr(notice)
    assert progress_store.read("tiny", "share").checks == 0
    assert "a fault of the course" in repr(hint("share"))
    assert "01-tiny" in repr(progress())
    assert "01-tiny" in progress()._repr_html_()


def test_a_fault_in_the_judge_is_a_fault_of_the_course(bank_folder, monkeypatch):
    monkeypatch.setattr(check_calls, "judge", lambda *_, **__: 1 / 0)
    text = repr(check("share", lambda x: x))
    assert "a fault of the course" in text
    assert "ZeroDivisionError" in text


# Hints


def test_hints_come_one_at_a_time_and_the_last_one_stays(bank_folder):
    shown = [repr(hint("share")) for _ in range(4)]
    assert [text.splitlines()[0] for text in shown] == [
        "Hint 1 of 3: Shares of a whole",
        "Hint 2 of 3: Shares of a whole",
        "Hint 3 of 3: Shares of a whole",
        "Hint 3 of 3: Shares of a whole",
    ]
    assert 'Call hint("share") again for the next.' in shown[0]
    assert "That was the last one." in shown[2]


def test_a_hint_starts_with_what_the_last_check_found(bank_folder):
    check("share", lambda x: x + 1)
    assert repr(hint("share")).splitlines()[1].startswith("Your last check found: ")
    check("share", lambda x: x / x.sum())
    assert repr(hint("share")).splitlines()[1] == "Divide by the sum."


def test_the_last_hint_reasons_about_a_wrong_answer_and_gives_no_code(bank_folder):
    check("share", lambda x: x / x.max())
    shown = [repr(hint("share")) for _ in range(3)]
    titles = [f"Hint {number} of 3: Shares of a whole" for number in (1, 2, 3)]
    assert [text.splitlines()[0] for text in shown] == titles
    assert " ".join(shown[2].splitlines()[1:3]) == (
        "You divided by the largest: use `x.sum()`. (code with this mistake gives exactly your result)"
    )
    assert "Entry [0] (token 0) is 0.2000 on three numbers and should be 0.1250." in shown[2]
    assert "return x / x.sum()" not in shown[2]
    check("share", lambda x: x + 1)
    assert "The result adds up to 11 on three numbers" in repr(hint("share"))
    check("share", lambda x: x / x.sum())
    assert "`return x / x.sum()`" in repr(hint("share"))


def test_the_last_hint_names_the_section_of_a_notebook_that_stands_beside(bank_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check_calls.heading("01-tiny#sums") == ""
    notebook = new_notebook(cells=[new_markdown_cell("## Sums", id="sums"), new_code_cell("1", id="after")])
    nbformat.write(notebook, tmp_path / "01-tiny.ipynb")
    headings = [check_calls.heading(f"01-tiny#{cell}") for cell in ("sums", "after", "other")]
    assert headings == ["“Sums” in 01-tiny", "“Sums” in 01-tiny", ""]
    (tmp_path / "01-tiny.ipynb").write_text("{")
    assert check_calls.heading("01-tiny#sums") == ""


# A button for hints


@pytest.fixture
def in_lab(notebook, monkeypatch):
    """A notebook whose cells are run by a person: JupyterLab sends the cell's id along."""
    monkeypatch.setattr(notebook.shell, "parent_header", {"metadata": {"cellId": "x"}}, raising=False)
    return notebook


@pytest.fixture
def bundle(in_lab):
    """What the output of a cell holds, by its types."""
    return lambda code: in_lab.shell.display_formatter.format(in_lab.run(code))[0]


def unpacked(bundle):
    """What a module in the page is given to show."""
    return values_in_page(bundle)["shows"]


def test_where_a_person_runs_the_cell_a_card_has_buttons_and_others_read_the_call(in_lab, bundle):
    in_lab.run(WRONG)
    output = bundle('check("share")')
    assert set(output) == {"text/plain", "text/html", MODULE_MIME}
    assert output["text/plain"].startswith("[not yet] Shares of a whole")
    assert "Stuck?" in output["text/html"]
    shows = unpacked(output)
    assert "Stuck?" not in shows["card"]
    assert shows["again"]["start"] == "Start over"
    assert shows["where"] is None  # this answer is not followed: nothing says where


def test_a_step_stands_beside_the_line_that_makes_it(notebook):
    notebook.run("class Shares:\n    def forward(self, x):\n        return x / x.max()\n\nhalf = 0.5")
    steps = [Followed("", 3, function, (2,)) for function in ("Shares.forward", "half", "absent")]
    assert [_code_of(notebook.shell.user_ns, step) for step in steps] == ["return x / x.max()", "", ""]


def test_hints_travel_in_the_output_and_each_that_is_shown_is_kept(in_lab, bundle):
    in_lab.run(WRONG)
    hints = unpacked(bundle('check("share")'))["hints"]
    assert (hints["seen"], hints["next"]) == (0, "Next hint ({number} left)")
    texts = ["What do they add up to?", "Divide by the sum.", "Try this"]
    for number, (hint_shown, expected) in enumerate(zip(hints["hints"], texts, strict=True), start=1):
        assert f"Hint {number} of 3" in hint_shown["shown"]
        assert expected in hint_shown["shown"]
        in_lab.run(hint_shown["tells"])
        assert progress_store.read("tiny", "share").hints == number
    in_lab.run(hints["hints"][0]["tells"])
    assert unpacked(bundle('check("share")'))["hints"]["seen"] == 3


def test_the_last_hint_fits_what_the_check_beside_it_found(in_lab, bundle):
    last = []
    for answer in (WRONG, "def share(x):\n    return x / x.max()"):
        in_lab.run(answer)
        last.append(unpacked(bundle('check("share")'))["hints"]["hints"][-1]["shown"])
    assert "You divided by the largest" in last[1]
    assert "You divided by the largest" not in last[0]


def test_a_right_answer_has_a_card_without_buttons(in_lab, bundle):
    in_lab.run(RIGHT)
    assert not {"hints", "where", "again"} & set(unpacked(bundle('check("share")')))


@pytest.mark.parametrize("header", [None, {}, {"metadata": {}}])
def test_where_a_notebook_is_only_executed_there_is_no_button(in_lab, bundle, monkeypatch, header):
    monkeypatch.setattr(in_lab.shell, "parent_header", header)
    in_lab.run(WRONG)
    assert set(bundle('check("share")')) == {"text/plain", "text/html"}


def test_a_hint_is_followed_by_the_next_in_another_process(bank_folder):
    hint("share")
    code = "from autograder import hint; print(hint('share'))"
    environment = {**os.environ, "AUTOGRADER_COURSE": str(bank_folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Hint 2 of 3")


def test_hints_go_on_where_progress_cannot_be_saved(bank_folder, own_progress, monkeypatch):
    (own_progress / "a-file").write_text("")
    monkeypatch.setenv(progress_store.PROGRESS, str(own_progress / "a-file" / "below"))
    assert [repr(hint("total"))[:11] for _ in range(2)] == ["Hint 1 of 2", "Hint 2 of 2"]
    monkeypatch.setenv(progress_store.PROGRESS, "off")
    assert [repr(hint("share"))[:11] for _ in range(3)] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3"]


# Progress


def test_what_was_solved_once_stays_solved(bank_folder):
    check("share", lambda x: x / x.sum())
    check("share", lambda x: x)
    record = progress_store.ProgressRecord(solved=True, points=3, checks=2)
    assert progress_store.read("tiny", "share") == record


def test_partial_points_are_kept(notebook):
    notebook.run(HALF)
    notebook.run('check("share")')
    notebook.run(WRONG)
    notebook.run('check("share")')
    record = progress_store.ProgressRecord(solved=False, points=2, checks=2)
    assert progress_store.read("tiny", "share") == record


@pytest.mark.parametrize(
    "text", [b"", b"[]", b'{"solved": 1, "points": Infinity, "checks": 0, "hints": 0}', b"[" * 100_000]
)
def test_a_corrupt_record_does_not_stop_a_check(bank_folder, own_progress, text):
    (own_progress / "share.json").write_bytes(text)
    assert check("share", lambda x: x / x.sum())
    assert progress_store.read("tiny", "share").solved


@pytest.mark.parametrize("shown", [repr, Feedback._repr_html_])
def test_that_progress_cannot_be_kept_is_said_once(bank_folder, own_progress, monkeypatch, shown):
    monkeypatch.setattr(check_calls, "_SAID", set())
    blocked = own_progress / "a-file"
    blocked.write_text("")
    monkeypatch.setenv(progress_store.PROGRESS, str(blocked / "below"))
    texts = [
        " ".join(shown(check("share", answer)).split()) for answer in (lambda x: x, lambda x: x / x.sum())
    ]
    reported = f"Your progress cannot be saved in {blocked / 'below'}: "
    assert [reported in text for text in texts] == [True, False]


def test_progress_lists_every_task_and_says_what_is_next(bank_folder):
    check("share", lambda x: x / x.sum())
    shown = progress()
    title, *tasks = repr(shown).splitlines()[:3]
    assert title == "01 · A tiny lesson: 1 of 5 tasks"
    assert tasks == ["  [x] Shares of a whole", "  [ ] One number"]
    assert repr(shown).splitlines()[-1] == "Next: One number (total)"
    assert 'aria-label="solved"' in shown._repr_html_()
    assert "3 of 3" in shown._repr_html_()


def test_at_the_end_nothing_is_next(bank_folder, lesson):
    for task in lesson.tasks:
        progress_store.write("tiny", task, progress_store.ProgressRecord(solved=True))
    assert progress().next_task is None
    assert repr(progress()).endswith("This lesson is done.")


def test_progress_of_one_lesson_is_shown_by_its_name(bank_folder):
    assert repr(progress("01-tiny")).startswith("01 · A tiny lesson: 0 of 5 tasks")
    assert repr(progress("02-large")).startswith("There is no lesson called `02-large`.")


def test_progress_escapes_what_it_shows(bank_folder):
    path = bank_folder / "01-tiny.json"
    path.write_text(path.read_text().replace("Shares of a whole", "<script>"))
    assert "<script>" not in progress()._repr_html_()


# nbgrader


def test_under_validate_a_right_answer_passes(notebook, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    notebook.run(RIGHT)
    assert notebook.run('check("share")')


def test_under_validate_a_wrong_answer_raises_with_the_message(notebook, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    notebook.run(WRONG)
    with pytest.raises(NotYet, match=r"(?s)\[not yet\] Shares of a whole.*should be 0\.1250"):
        notebook.run('check("share")')


def test_under_validate_what_was_not_checked_is_no_success(bank_folder, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    with pytest.raises(NotYet, match="There is no task called `shares`"):
        check("shares")
    monkeypatch.setattr(check_calls, "judge", lambda *_, **__: 1 / 0)
    with pytest.raises(NotYet, match="a fault of the course, not of your answer"):
        check("share", lambda x: x / x.sum())


def test_under_validate_nothing_is_remembered(notebook, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    notebook.run(RIGHT)
    notebook.run('check("share")')
    assert progress_store.read("tiny", "share") == progress_store.ProgressRecord()


def test_under_autograde_a_zero_and_evidence_are_given_and_no_verdict(notebook, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    notebook.run(RIGHT)
    output = notebook.run('check("share")')
    assert isinstance(output, EvidenceOutput)
    data, _ = notebook.shell.display_formatter.format(output)
    assert (repr(output), data["text/plain"], "text/html" in data) == ("0", "0", False)
    evidence = unpack(data[EVIDENCE_MIME])
    assert (evidence.task, evidence.status) == ("share", "answered")
    assert evidence.outcomes["three"].tensor.tolist() == [0.125, 0.25, 0.625]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", ["[x]", "'\\ud800'", "exit()"])
def test_under_autograde_whatever_the_answer_does_evidence_comes_of_it(notebook, monkeypatch, body):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    notebook.run(f"def share(x):\n    return {body}")
    data, _ = notebook.shell.display_formatter.format(notebook.run('check("share")'))
    assert unpack(data[EVIDENCE_MIME]).task == "share"


def test_under_autograde_an_answer_that_is_too_large_says_so(monkeypatch, yielded):
    monkeypatch.setattr("autograder.records.evidence_transport.MAX_BYTES", 1000)
    large = Evidence("share", "answered", outcomes={"three": yielded([0.5] * 1000)})
    evidence = unpack(EvidenceOutput(large)._repr_mimebundle_()[EVIDENCE_MIME])
    assert (evidence.status, evidence.outcomes) == ("not-run", {})
    assert "too large" in evidence.note


def test_in_a_redrawn_run_the_evidence_is_about_that_run(notebook, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv("AUTOGRADER_RUN", "redrawn-1")
    notebook.run("table = torch.tensor([[2.0, 1.0, 0.5], [3.0, 1.0, 6.0]])\nrow_sums = table.sum(dim=1)")
    evidence = notebook.run('check("row-sums")').evidence
    assert (list(evidence.outcomes), evidence.changed_givens) == (["redrawn-1"], ())


# calls that a task forbids


@pytest.fixture
def forbidding(notebook, lesson, bank_folder, monkeypatch):
    """The notebook, where `share` and `row_sums` have to do without softmax, and cells enter the history."""
    forbids = Forbid(("softmax",), 2)
    tasks = {
        name: dataclasses.replace(task, forbids=forbids if name in ("share", "row-sums") else None)
        for name, task in lesson.tasks.items()
    }
    bank.save(dataclasses.replace(lesson, tasks=tasks), bank_folder)
    notebook.shell.history_manager.input_hist_raw[:] = [""]
    monkeypatch.setattr(
        notebook, "run", lambda cell: notebook.shell.run_cell(cell, store_history=True).result
    )
    notebook.run("import torch")
    return notebook


BY_TORCH = "def share(x):\n    return torch.softmax(torch.log(x), 0)"


def test_a_forbidden_call_is_told_at_once_with_its_line(forbidding):
    forbidding.run(BY_TORCH)
    feedback = forbidding.run('check("share")')

    assert not feedback
    assert feedback.verdict.earned == 1
    assert feedback.verdict.forbidden == ForbiddenCall(
        "torch.softmax", "softmax", "return torch.softmax(torch.log(x), 0)", 2, "share"
    )
    assert not progress_store.read("tiny", "share").solved


@pytest.mark.parametrize(
    "cells",
    [
        [RIGHT, "print(torch.softmax(table, 0))"],
        [RIGHT + "\nassert share(table[0]).shape == torch.softmax(table[0], 0).shape"],
        [BY_TORCH, RIGHT],
        ["def softmax(x):\n    return x / x.sum()", "def share(x):\n    return softmax(x)"],
    ],
    ids=["compared-in-another-cell", "compared-below", "an-earlier-try", "own-softmax"],
)
def test_an_honest_notebook_is_not_accused(forbidding, cells):
    for cell in cells:
        forbidding.run(cell)

    assert forbidding.run('check("share")')


def test_an_answer_that_is_handed_over_is_watched_as_well(forbidding):
    assert not check("share", lambda x: torch.softmax(torch.log(x), 0))
    assert check("share", lambda x: x / x.sum())


# What comes next


def test_after_a_right_answer_stands_how_much_is_done_and_a_link_to_what_comes_next(notebook):
    notebook.run(RIGHT)
    feedback = notebook.run('check("share")')
    assert repr(feedback).splitlines()[-1] == "1 of 5 · next: One number"
    assert '1 of 5 · next: <a href="01-tiny.ipynb#cell-id=total-answer">One number</a>' in (
        feedback._repr_html_()
    )


def test_what_comes_next_is_the_next_task_that_is_not_solved_in_a_notebook_of_any_name(
    notebook, lesson, monkeypatch
):
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/My first try.ipynb")
    for task in [*lesson.tasks][1:-1]:
        progress_store.write("tiny", task, progress_store.ProgressRecord(solved=True))
    notebook.run("row_sums = table.sum(dim=1)")
    feedback = notebook.run('check("row-sums")')
    first = next(iter(lesson.tasks))
    last = [*lesson.tasks][-1]
    assert f'"My%20first%20try.ipynb#cell-id={last}-answer"' in feedback._repr_html_()
    progress_store.write("tiny", last, progress_store.ProgressRecord(solved=True))
    assert f"#cell-id={first}-answer" in notebook.run('check("row-sums")')._repr_html_()


def test_after_the_last_task_comes_the_next_lesson(notebook, lesson, bank_folder, tmp_path, monkeypatch):
    tasks = {"other": dataclasses.replace(lesson.tasks["share"], id="other")}
    following = dataclasses.replace(lesson, lesson="02-next", title="02 · The next one", tasks=tasks)
    bank.save(following, bank_folder)
    described = bank_folder / "course.toml"
    described.write_text(described.read_text().replace('["01-tiny"]', '["01-tiny", "02-next"]'))
    for task in lesson.tasks:
        progress_store.write("tiny", task, progress_store.ProgressRecord(solved=True))
    monkeypatch.chdir(tmp_path)
    notebook.run(RIGHT)
    assert repr(notebook.run('check("share")')).splitlines()[-1] == "5 of 5 · next: 02 · The next one"
    assert "<a" not in notebook.run('check("share")')._repr_html_()
    nbformat.write(new_notebook(), tmp_path / "02-next.ipynb")
    assert '<a href="02-next.ipynb">02 · The next one</a>' in notebook.run('check("share")')._repr_html_()
