"""A check speaks of what the cells make as they were run last; of all else it says so, and gives nothing."""

from __future__ import annotations

import pytest
from autograder.lesson import cell_runs, check_calls, interactive_session, progress_store
from autograder.records.answer_findings import NotDefined, Stale, WrongValues

RIGHT = "def share(x):\n    return x / x.sum()"
WRONG = "def share(x):\n    return torch.softmax(x, 0)"
UNREADABLE = "def share(x):\n    return x / x.sum("
STOPPED = "def share(x):\n    return x\nshare(nothing)"


@pytest.fixture
def lab(notebook, monkeypatch):
    """A notebook in JupyterLab, which names each cell that it runs, and those that were deleted."""
    shell = notebook.shell
    monkeypatch.setattr(cell_runs, "_watching", None)
    monkeypatch.setattr(check_calls, "_FOUND", {})
    monkeypatch.setattr(shell, "parent_header", {}, raising=False)
    monkeypatch.setattr(interactive_session, "_cells", ())
    cell_runs.watch()

    def run(cell, code, deleted=()):
        shell.parent_header = {"metadata": {"cellId": cell, "deletedCells": list(deleted)}}
        return shell.run_cell(code, store_history=True, cell_id=cell).result

    return run


@pytest.fixture
def checked(lab):
    """The feedback on a task, after cells were run one after another: its answer's own, or (id, text)."""

    def check(*cells, task="share", deleted=()):
        for cell in cells:
            name, code = cell if isinstance(cell, tuple) else (f"{task}-answer", cell)
            lab(name, code)
        return lab(task, f'check("{task}")', deleted)

    return check


@pytest.mark.parametrize(
    ("cells", "how", "line"),
    [
        ((RIGHT, UNREADABLE), "stopped", 2),
        ((RIGHT, f"nothing\n{WRONG}"), "stopped", 1),
        ((WRONG, UNREADABLE), "stopped", 2),
        ((("own", RIGHT), UNREADABLE), "stopped", 2),
        ((RIGHT, RIGHT.replace("share", "shares")), "renamed", None),
        ((RIGHT, "other = 1"), "dropped", None),
        ((UNREADABLE, RIGHT.replace("share", "shares")), "renamed", None),
        ((UNREADABLE, "other = 1"), "dropped", None),
        (("other = 1",), "dropped", None),
        ((), "unrun", None),
    ],
)
def test_what_the_last_run_did_not_make_is_said_first_and_earns_nothing(checked, cells, how, line):
    feedback = checked(*cells)
    finding = feedback.verdict.finding
    assert (type(finding), finding.how) == (Stale, how)
    assert (finding.error and finding.error.line_number) == line
    assert (bool(feedback), feedback.verdict.earned) == (False, 0)
    assert 'class="ag ag-wait"' in feedback._repr_html_()


def test_an_earlier_right_run_is_mentioned_and_does_not_count(checked):
    feedback = checked(RIGHT, UNREADABLE)
    lines = repr(feedback).splitlines()
    assert lines[1] == "The cell that should make `share` stopped in line 2. SyntaxError: incomplete input"
    assert "That `share` was right. It counts once the cell makes it again." in lines
    assert progress_store.read("tiny", "share").points == 0


def test_an_earlier_wrong_run_is_told_as_an_earlier_one(checked):
    text = repr(checked("def share(x):\n    return x / x.max()", RIGHT.replace("share", "shares")))
    assert text.index("`shares` now, and no `share`") < text.index("earlier run left")
    assert text.index("earlier run left") < text.index("You divided by the largest")


def test_what_a_cell_made_before_it_stopped_is_judged_and_the_card_adds_that_it_stopped(checked):
    right = checked(RIGHT + "\nshare(nothing)")
    assert (bool(right), right.verdict.earned) == (True, 3)
    assert "The cell stopped after that in line 3. NameError: name 'nothing'" in repr(right)
    wrong = checked(WRONG + "\nshare(nothing)")
    assert isinstance(wrong.verdict.finding, WrongValues)
    assert "The cell stopped after that in line 3." in wrong._repr_html_()


def test_a_value_that_a_cell_gives_again_is_made_by_it_whatever_stops_it_later(checked):
    assert checked(("own", f"kept = None\n{RIGHT}\nkept = share"), "share = kept\nnothing")


def test_a_name_that_the_asking_cell_itself_makes_is_judged(lab):
    lab("share-answer", UNREADABLE)
    assert lab("share-answer", f'{RIGHT}\ncheck("share")')


def test_a_deleted_cell_counts_until_it_is_run_again(checked):
    interactive_session.tell_cells(["share-answer", "own", "share"])
    deleted = checked("other = 1", ("own", RIGHT), deleted=["own"])
    assert deleted.verdict.finding == Stale("deleted")
    assert checked(("own", RIGHT))


def test_another_cell_between_the_tasks_own_and_its_check_counts_and_is_named(checked):
    interactive_session.tell_cells(["share-answer", "own", "share"])
    feedback = checked("other = 1", ("own", RIGHT))
    assert feedback
    assert "made this `share`, not the cell above." in repr(feedback)


STUB = "def share(x):\n    ..."
HELPER = "def part(x):\n    return x / x.sum()"


@pytest.mark.parametrize(
    ("order", "cells", "expected"),
    [
        (["share-answer", "share", "own"], (STUB, ("own", RIGHT)), ("elsewhere", ())),
        (["share-answer", "share", "own"], ("other = 1", ("own", RIGHT)), ("elsewhere", ())),
        (["share-answer", "share", "own"], (("own", RIGHT),), ("elsewhere", ())),
        (["own", "share-answer", "share"], (STUB, ("own", RIGHT)), ("elsewhere", ())),
        (["own", "share-answer", "share"], (("own", RIGHT),), ("elsewhere", ())),
        (["share-answer", "own", "share"], (("own", WRONG), RIGHT), ("overwritten", ())),
        (
            ["share-answer", "share", "own"],
            (("own", HELPER), "def share(x):\n    return part(x)"),
            ("needs-below", ("part",)),
        ),
        ([], (STUB, ("own", RIGHT)), ("elsewhere", ())),
    ],
)
def test_what_the_notebook_does_not_make_from_top_to_bottom_earns_nothing(checked, order, cells, expected):
    interactive_session.tell_cells(order)
    feedback = checked(*cells)
    finding = feedback.verdict.finding
    assert (type(finding), finding.how, finding.names) == (Stale, *expected)
    assert (bool(feedback), feedback.verdict.earned) == (False, 0)
    assert 'class="ag ag-wait"' in feedback._repr_html_()


@pytest.mark.parametrize(
    ("order", "cells"),
    [
        (["own", "share-answer", "share"], (("own", WRONG), RIGHT)),
        (["share-answer", "share", "own"], (("own", WRONG), RIGHT)),
        (["own", "share-answer", "share"], (("own", HELPER), "def share(x):\n    return part(x)")),
        (
            ["first", "share-answer", "share", "own"],
            (("first", HELPER), ("own", HELPER), "def share(x):\n    return part(x)"),
        ),
    ],
)
def test_what_the_notebook_makes_from_top_to_bottom_counts(checked, order, cells):
    interactive_session.tell_cells(order)
    assert checked(*cells)


def test_a_front_end_whose_ids_are_its_own_is_asked_for_nothing(lab):
    lab("vscode-notebook-cell:/a.ipynb#W7", RIGHT)
    assert lab("vscode-notebook-cell:/a.ipynb#W3", 'check("share")')


def test_a_misspelt_name_is_told_as_before_where_there_was_no_other(checked):
    assert checked(RIGHT.replace("share", "shares")).verdict.finding == NotDefined(nearest=("shares",))


def test_a_tensor_that_is_older_than_what_it_was_made_from_has_to_be_made_again(checked):
    wrong, right = "row_sums = table.sum(dim=1) + 1", "row_sums = table.sum(dim=1)"
    result = ("doubled-sums-answer", "doubled_sums = 2 * row_sums")
    feedback = checked(("row-sums-answer", wrong), result, ("row-sums-answer", right), task="doubled-sums")
    assert feedback.verdict.finding == Stale("remade", ("row_sums",))
    assert checked(result, task="doubled-sums")
    assert checked(("row-sums-answer", right), task="doubled-sums"), "made again as it was: nothing changes"


def test_where_a_front_end_names_no_cells_nothing_is_claimed(checked, lab, notebook):
    checked(RIGHT, UNREADABLE)
    notebook.shell.parent_header = {}
    assert notebook.shell.run_cell('check("share")').result
