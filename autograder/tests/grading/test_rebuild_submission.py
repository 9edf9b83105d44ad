"""A submission's answers in a fresh copy of the release, whatever happened to the rest of it."""

from __future__ import annotations

import random
from copy import deepcopy

import nbformat
import pytest
import torch
from autograder.grading.rebuild_submission import (
    MAX_ADDED_CELLS,
    MAX_ADDED_TEXT,
    MAX_TEXT,
    only_needed,
    rebuild,
    with_explanation,
    with_givens,
)
from autograder.records.cell_roles import ADDED, undrawn
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

SHARE = "def share(x):\n    return x / x.sum()"
ROWS = "row_sums = table.sum(dim=1)"
IDS = (
    *("title", "setup", "example-data", "share-answer", "share"),
    *("figure", "row-sums-answer", "row-sums", "shown"),
)


def sources(notebook):
    return {cell["id"]: cell.source for cell in notebook.cells}


def ids(notebook):
    return [cell["id"] for cell in notebook.cells]


def added(notebook):
    return [cell.source for cell in notebook.cells if cell["id"].startswith(ADDED)]


def index(notebook, name):
    return ids(notebook).index(name)


@pytest.fixture
def rebuilt(release, submission):
    """The submission rebuilt after something was done to it; the result must be a valid notebook."""

    def make(damage=lambda notebook: None):
        damage(submission)
        result = rebuild(release, submission)
        nbformat.validate(result.notebook)
        nbformat.writes(result.notebook).encode("utf-8")
        return result

    return make


def assert_whole(result):
    """Every answer is there, and every other cell is the course's own, once and in order."""
    assert sources(result.notebook)["share-answer"] == SHARE
    assert sources(result.notebook)["row-sums-answer"] == ROWS
    assert [name for name in ids(result.notebook) if not name.startswith(ADDED)] == [*IDS]
    assert sources(result.notebook)["share"] == 'check("share")'
    assert sources(result.notebook)["example-data"] == "table = torch.tensor([[1.0]])"


# What is done to a submission


def copy_of(cell, source):
    """A cell copied in JupyterLab: the same metadata, another id."""
    copy = deepcopy(cell)
    copy["id"] = "a1b2c3d4"
    copy.source = source
    return copy


def strip_ids(notebook):
    notebook.nbformat_minor = 4
    for cell in notebook.cells:
        del cell["id"]


def no_longer_known(notebook, name):
    """The cell under an id that the lesson does not have any more."""
    cell = notebook.cells[index(notebook, name)]
    cell["id"] = f"old-{name}"
    if "nbgrader" in cell.metadata:
        cell.metadata["nbgrader"]["grade_id"] = f"old-{name}"
    return cell


def put(position, make):
    """Puts a cell there, which is made of the notebook."""
    return lambda notebook: notebook.cells.insert(position, make(notebook))


def copied(position, source):
    return lambda notebook: copy_of(notebook.cells[position], source)


def work_in_a_copy(position, stub="def share(x):\n    ..."):
    def damage(notebook):
        copy = copy_of(notebook.cells[3], SHARE)
        notebook.cells[3].source = stub
        notebook.cells.insert(position, copy)

    return damage


def older_data(change):
    def damage(notebook):
        notebook.cells[2].source = OLD_DATA
        change(notebook)

    return damage


def split_lines(notebook):
    for cell in notebook.cells:
        cell["source"] = cell["source"].splitlines(keepends=True)


OLD_DATA = "table = torch.tensor([[1.5, 2.5]])"
TWICE = ["the cell share-answer was there 2 times"]
PUT_BACK = "course cells were missing and were put back: "
# What is done, the sources of the cells that run beside the course's then, and what is noted.
WHOLE = {
    "nothing": (lambda notebook: None, [], []),
    "a check deleted": (lambda notebook: notebook.cells.pop(4), [], [PUT_BACK + "share"]),
    "an answer doubled": (put(3, copied(3, "share = 1")), ["share = 1"], TWICE),
    "an answer doubled at the end": (put(99, copied(3, "share = 'again'")), ["share = 'again'"], TWICE),
    "only a copy worked in": (work_in_a_copy(4), [], TWICE),
    "only a copy above worked in": (work_in_a_copy(3), [], TWICE),
    "only a copy on top worked in": (work_in_a_copy(0), [SHARE], TWICE),
    "only a copy at the end worked in": (work_in_a_copy(10), [], TWICE),
    "Windows' line ends in the original": (work_in_a_copy(4, "def share(x):\r\n    ..."), [], TWICE),
    "a check doubled": (put(99, copied(4, "check = None")), [], []),
    "prose added": (put(4, lambda _: new_markdown_cell("my notes")), [], []),
    "a blank cell added": (put(4, lambda _: new_code_cell("  \n ")), [], []),
    "what is no cell": (put(3, lambda _: ["no", "cell"]), [], []),
    "a helper added": (put(3, lambda _: new_code_cell("def helper(): pass")), ["def helper(): pass"], []),
    "thousands of cells added": (
        lambda notebook: notebook.cells.extend(NotebookNode(new_code_cell("x = 1")) for _ in range(3000)),
        ["x = 1"] * MAX_ADDED_CELLS,
        ["3000 cells were added; only the first 500 were run"],
    ),
    "ids lost": (strip_ids, [], []),
    "older data": (older_data(lambda notebook: None), [], []),
    "older data of another id": (older_data(lambda old: no_longer_known(old, "example-data")), [], []),
    "older data without ids": (older_data(strip_ids), [], []),
    "a check of another id": (lambda notebook: no_longer_known(notebook, "share"), [], []),
    "sources that are lists": (split_lines, [], []),
}


@pytest.mark.parametrize("what", WHOLE)
def test_whatever_happened_the_submission_is_made_whole_and_it_is_noted(rebuilt, what):
    damage, sources_added, notes = WHOLE[what]
    result = rebuilt(damage)
    assert_whole(result)
    assert (added(result.notebook), result.notes) == (sources_added, notes)


def test_the_release_and_the_submission_are_left_as_they_were(release, submission):
    before = deepcopy(release), deepcopy(submission)
    rebuild(release, submission)
    assert (release, submission) == before


# Missing, doubled, moved


def test_a_missing_answer_stays_as_released_and_is_noted(rebuilt):
    result = rebuilt(lambda notebook: notebook.cells.pop(3))
    assert sources(result.notebook)["share-answer"] == "def share(x):\n    ..."
    assert result.notes == ["the cell share-answer was missing"]


def test_an_answer_in_a_cell_that_lost_all_its_marks_is_not_overwritten_by_the_stub(rebuilt):
    def strip(notebook):
        for cell in notebook.cells:
            del cell["id"]
            cell.metadata.clear()
        notebook.cells[3].source = "def share(x):\n    return x / x.sum()"

    result = rebuilt(strip)
    texts = [cell.source for cell in result.notebook.cells if cell.cell_type == "code"]
    assert "def share(x):\n    return x / x.sum()" in texts
    assert "def share(x):\n    ..." not in texts


def test_an_empty_notebook_becomes_the_release_with_notes(release):
    result = rebuild(release, NotebookNode(cells=[]))
    assert result.notebook == release
    assert "the cell share-answer was missing" in result.notes


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\u00a0", "because"])
def test_a_question_in_words_whose_cell_was_emptied_is_as_it_was_handed_out(text):
    question = new_markdown_cell("*Write your answer here.*", id="why")
    question.metadata["nbgrader"] = {"grade_id": "why", "grade": True, "solution": True, "points": 3}
    submission = deepcopy(NotebookNode(cells=[question], metadata={}))
    submission.cells[0].source = text
    (cell,) = rebuild(NotebookNode(cells=[question], metadata={}), submission).notebook.cells
    assert cell.source == (text if text == "because" else question.source)


# Course cells


@pytest.mark.parametrize("name", ["title", "setup", "example-data", "share", "figure", "shown"])
def test_a_course_cell_that_was_changed_is_restored(rebuilt, release, cell_of, name):
    def change(notebook):
        cell_of(notebook, name).source = "check = lambda *a: 'all points'"
        cell_of(notebook, name).metadata = {"nbgrader": {"points": 1000}}

    result = rebuilt(change)
    assert_whole(result)
    assert cell_of(result.notebook, name) == cell_of(release, name)


def test_metadata_and_outputs_come_from_the_release(rebuilt, release, submission, cell_of):
    def dress_up(notebook):
        cell = cell_of(notebook, "share-answer")
        cell.metadata["nbgrader"]["points"] = 1000
        cell.metadata["tags"] = ["given"]
        cell.outputs = [nbformat.v4.new_output("stream", text="all points")]

    result = rebuilt(dress_up)
    answer = cell_of(result.notebook, "share-answer")
    assert answer.metadata == cell_of(release, "share-answer").metadata
    assert answer.outputs == []


# Cells that the learner added


def test_an_added_cell_stays_behind_the_cell_it_was_put_behind(rebuilt):
    result = rebuilt(lambda notebook: notebook.cells.insert(3, new_code_cell("def helper(): pass")))
    assert ids(result.notebook)[2:5] == ["example-data", f"{ADDED}0", "share-answer"]


def test_a_cell_added_behind_a_deleted_one_stays_behind_the_one_before(rebuilt):
    def replace(notebook):
        notebook.cells[5] = new_code_cell("mine = 1")

    result = rebuilt(replace)
    assert index(result.notebook, f"{ADDED}0") == index(result.notebook, "share") + 1


@pytest.mark.parametrize("name", ["share-answer", "share", "setup"])
def test_a_cell_added_behind_a_copy_does_not_move_up_to_the_original(rebuilt, cell_of, name):
    def add(notebook):
        notebook.cells.append(copy_of(cell_of(notebook, name), cell_of(notebook, name).source))
        notebook.cells.append(new_code_cell("needs = row_sums"))

    result = rebuilt(add)
    texts = [cell.source for cell in result.notebook.cells]
    assert index(result.notebook, "shown") < texts.index("needs = row_sums")


def test_an_added_cell_that_claims_to_be_the_grader_is_a_plain_cell(rebuilt):
    cell = new_code_cell("x = 1", id="grading-notes", metadata={"nbgrader": {"grade": True, "points": 99}})
    result = rebuilt(lambda notebook: notebook.cells.insert(3, cell))
    mine = result.notebook.cells[3]
    assert (mine["id"], mine.metadata) == (f"{ADDED}0", {})


# Stripped


def test_an_added_cell_among_stripped_ids_stays_in_its_place(rebuilt):
    def strip(notebook):
        notebook.cells.insert(6, new_code_cell("mine = 1"))
        strip_ids(notebook)

    result = rebuilt(strip)
    assert added(result.notebook) == ["mine = 1"]
    assert index(result.notebook, "row-sums-answer") == index(result.notebook, f"{ADDED}0") + 1


# Handed in on an older release


def test_a_cell_of_the_learners_own_is_not_taken_for_one_of_an_older_release(rebuilt):
    own = "table = torch.zeros(3, 3)\nfor row in table:\n    print(row.sum())"

    def make_older(notebook):
        notebook.cells[index(notebook, "example-data")] = new_code_cell(own)

    assert added(rebuilt(make_older).notebook) == [own]


def test_an_answer_whose_cell_was_renamed_since_is_not_overwritten_by_the_stub(rebuilt):
    result = rebuilt(lambda notebook: no_longer_known(notebook, "share-answer"))
    texts = [cell.source for cell in result.notebook.cells]
    assert texts.index(SHARE) < texts.index('check("share")')
    assert "def share(x):\n    ..." not in texts


def test_what_a_lesson_did_not_have_yet_is_added_and_noted(rebuilt, release):
    def make_older(notebook):
        for name in ("figure", "row-sums-answer", "row-sums"):
            del notebook.cells[index(notebook, name)]

    result = rebuilt(make_older)
    assert ids(result.notebook) == [*IDS]
    assert sources(result.notebook)["share-answer"] == SHARE
    assert result.notes == ["the cell row-sums-answer was missing", PUT_BACK + "figure, row-sums"]


def test_a_task_that_the_lesson_has_no_more_runs_where_it_stood(rebuilt):
    def make_older(notebook):
        notebook.cells.insert(5, new_code_cell("mean = table.mean()", id="mean-answer"))

    result = rebuilt(make_older)
    assert_whole(result)
    assert index(result.notebook, f"{ADDED}0") == index(result.notebook, "share") + 1


# Odd sources


def test_an_answer_that_was_turned_into_prose_is_taken_by_its_text(rebuilt, cell_of):
    def to_markdown(notebook):
        position = index(notebook, "share-answer")
        old = notebook.cells[position]
        notebook.cells[position] = new_markdown_cell(old.source, id="share-answer", metadata=old.metadata)

    result = rebuilt(to_markdown)
    assert_whole(result)
    assert cell_of(result.notebook, "share-answer").cell_type == "code"


@pytest.mark.parametrize("source", [None, 5, {}, [None, 5]], ids=str)
def test_a_source_that_is_no_text_is_no_work(rebuilt, release, cell_of, source):
    def break_it(notebook):
        cell_of(notebook, "share-answer")["source"] = source
        notebook.cells.append(NotebookNode(cell_type="code", source=source))

    result = rebuilt(break_it)
    assert sources(result.notebook)["share-answer"] in ("", cell_of(release, "share-answer").source)
    assert added(result.notebook) == []


def test_a_lone_surrogate_does_not_stop_the_notebook_from_being_written(rebuilt, cell_of):
    def break_it(notebook):
        cell_of(notebook, "share-answer")["source"] = "x = '\ud800'"
        notebook.cells.append(NotebookNode(cell_type="code", source="y = '\udfff'"))

    result = rebuilt(break_it)
    assert sources(result.notebook)["share-answer"] == "x = '?'"
    assert added(result.notebook) == ["y = '?'"]


# Absurd notebooks

ABSURD = [
    *(None, 5, 1e300, True, "text", [], {}, ["x"]),
    *({"nbgrader": 5}, {"nbgrader": {"grade_id": ["share-answer"]}}),
]


@pytest.mark.parametrize("value", ABSURD, ids=str)
@pytest.mark.parametrize("key", ["metadata", "id", "cell_type", "outputs", "execution_count"])
def test_a_cell_with_an_absurd_part_is_passed_over_or_read(rebuilt, key, value):
    def break_it(notebook):
        for cell in notebook.cells:
            if cell["id"] == "shown":
                cell[key] = value
        notebook.cells.append(NotebookNode({"source": "x", key: value}))

    assert_whole(rebuilt(break_it))


def test_whatever_is_done_to_the_cells_the_courses_own_are_whole(release, submission):
    dice = random.Random(3)
    for _ in range(100):
        damaged = deepcopy(submission)
        for _ in range(dice.randrange(1, 8)):
            cells = damaged["cells"]
            action = dice.randrange(5)
            position = dice.randrange(len(cells) or 1)
            if action == 0 and cells:
                del cells[position]
            elif action == 1 and cells:
                cells.insert(dice.randrange(len(cells)), deepcopy(cells[position]))
            elif action == 2 and cells and isinstance(cells[position], dict):
                cells[position][dice.choice(["id", "metadata", "source", "cell_type"])] = dice.choice(ABSURD)
            elif action == 3:
                cells.insert(position, dice.choice([None, 5, new_code_cell("mine = 1")]))
            else:
                dice.shuffle(cells)
        result = rebuild(release, damaged)
        nbformat.validate(result.notebook)
        assert [name for name in ids(result.notebook) if not name.startswith(ADDED)] == [*IDS]
        assert sources(result.notebook)["row-sums"] == 'check("row-sums")'


# Givens and notes


def run_given(release, value):
    """What the given cell defines after its value was replaced."""
    result = with_givens(release, {"table": value})
    namespace = {"torch": torch}
    exec(sources(result)["example-data"], namespace)
    return namespace["table"]


@pytest.mark.parametrize(
    "value",
    [
        *(torch.rand(3, 2), torch.rand(4, dtype=torch.float64), torch.tensor([1, 2])),
        *(torch.tensor([True, False]), torch.tensor(0.1), torch.zeros(0, 3)),
        torch.tensor([float("inf"), float("-inf"), float("nan")]),
    ],
    ids=["matrix", "double", "int", "bool", "number", "empty", "not finite"],
)
def test_a_given_is_replaced_exactly(release, value):
    result = run_given(release, value)
    assert (result.dtype, result.shape) == (value.dtype, value.shape)
    assert torch.equal(result.isnan(), value.isnan())
    assert torch.equal(result.nan_to_num(), value.nan_to_num())


@pytest.mark.parametrize("value", [3, 0.1, "text", True, None])
def test_a_given_that_is_no_tensor_is_replaced_too(release, value):
    assert run_given(release, value) == value


def test_a_notebook_with_other_givens_is_a_copy(release):
    before = deepcopy(release)
    with_givens(release, {"table": torch.ones(1)})
    assert release == before


@pytest.mark.parametrize(
    ("source", "left"),
    [
        *(("draw(table)", ""), ("kept = 1", "kept = 1"), ("", "")),
        ("kept = 1\nother = 2  # too\ndraw(\n    table,\n)", "kept = 1\nother = 2  # too\n"),
    ],
)
def test_of_a_figure_everything_runs_but_the_drawing(release, source, left):
    release.cells[index(release, "figure")].source = source
    before = deepcopy(release)
    result = undrawn(release, instead="print()")
    assert release == before
    instead = "print()" if "draw(" in source else ""
    assert sources(result) == {**sources(release), "figure": left + instead}


@pytest.mark.parametrize(
    ("later", "runs"),
    [
        ("def answer():\n    return most", True),
        ("def answer(most):\n    return most", False),
        ("most = 3\nmost + 1", False),
    ],
)
def test_what_only_shows_something_runs_where_a_later_cell_needs_a_name_of_it(release, later, runs):
    shown = index(release, "figure")
    release.cells[shown].metadata = {"tags": ["measured", "shown"]}
    release.cells[shown].source = "most = max(range(9))"
    release.cells[shown + 1 :] = [new_code_cell(later)]
    assert (undrawn(release).cells[shown].source == "most = max(range(9))") == runs


@pytest.mark.parametrize(
    ("source", "stays"),
    [
        *(("most = max(range(9))", False), ("print(table)", False)),
        *(("table[0] = 2", True), ("def share(x):\n    return 1", False)),
    ],
)
def test_a_cell_that_nothing_after_it_needs_is_left_out(release, source, stays):
    before = index(release, "row-sums-answer")
    cell = new_code_cell(source, id="between")
    release.cells.insert(before, cell)
    release.cells[before + 1].source = ROWS
    result = only_needed(release)
    assert result.cells[before].source == (source if stays else "")
    others = {
        name: text for name, text in sources(release).items() if name not in ("between", "figure", "shown")
    }
    assert {name: text for name, text in sources(result).items() if name in others} == others


@pytest.mark.parametrize("own", ["most", "%time most", "def f():\n    return most"])
def test_a_cell_stays_that_a_cell_of_the_learners_needs(release, own):
    release.cells += [new_code_cell("most = 9", id="shown-late"), new_code_cell(own, id=f"{ADDED}0")]
    result = only_needed(release)
    assert [cell.source for cell in result.cells[-2:]] == ["most = 9", own]


@pytest.mark.parametrize(("names", "stays"), [((), ""), (("Most",), "class Most: pass")])
def test_a_cell_stays_that_defines_what_the_checks_make_inputs_of(release, names, stays):
    release.cells.append(new_code_cell("class Most: pass", id="shown-late"))
    assert only_needed(release, names).cells[-1].source == stays


def test_notes_stand_on_top(release):
    with_explanation(release, ["one", "other"])
    assert release.cells[0].source == "**Notes from grading**\n\n- one\n- other"
    nbformat.validate(release)


# Long texts, and what is said of itself


def test_of_a_very_long_answer_the_beginning_is_kept_and_said_so(rebuilt):
    def lengthen(notebook):
        notebook.cells[index(notebook, "share-answer")].source = "x = 1\n" * MAX_TEXT

    result = rebuilt(lengthen)
    assert len(sources(result.notebook)["share-answer"]) == MAX_TEXT
    assert any("share-answer holds" in note and "were kept" in note for note in result.notes)


def test_of_very_much_added_code_nothing_is_run_and_it_is_said(rebuilt):
    def add(notebook):
        notebook.cells += [new_code_cell("x" * MAX_TEXT) for _ in range(MAX_ADDED_TEXT // MAX_TEXT + 1)]

    result = rebuilt(add)
    assert added(result.notebook) == []
    assert any("none of these cells was run" in note for note in result.notes)


def test_a_note_that_quotes_a_submission_is_text_and_one_line(release):
    with_explanation(release, ["<script>alert(1)</script>\n# Full marks"])
    assert release.cells[0].source.count("\n") == 2
    assert "&lt;script&gt;" in release.cells[0].source
