"""`predict` and `reveal`, called as a lesson calls them."""

import re

import pytest
from autograder.lesson import predictions, progress_store
from autograder.records import bank
from support.page_output import values_in_page

from autograder import predict, progress, reveal

SPREAD = 'predict("spread", "How far do they spread?", ("16 times", "256 times"))'


@pytest.fixture
def in_lab(notebook, monkeypatch):
    """A notebook whose cells are run by a person: JupyterLab sends the cell's id along."""
    monkeypatch.setattr(notebook.shell, "parent_header", {"metadata": {"cellId": "x"}}, raising=False)
    notebook.run("from autograder import predict, reveal")
    return notebook


def in_page(notebook, cell):
    """What the page mounts for a cell: the values of its module."""
    data, _ = notebook.shell.display_formatter.format(notebook.run(cell))
    return values_in_page(data)


def test_what_is_chosen_is_kept_and_shown_beside_what_came(in_lab):
    asked = in_page(in_lab, SPREAD)
    assert asked["shows"]["choices"] == [["16 times", "16 times"], ["256 times", "256 times"]]
    assert asked["chosen"] == {}
    assert predictions.keep("spread", "256 times") == ""
    assert in_page(in_lab, SPREAD)["chosen"] == {"said": "256 times", "shown": "256 times", "settled": None}
    assert repr(in_lab.run('reveal("spread", "16 times")')).startswith(
        "You predicted: 256 times. Result: 16 times\nIt came out differently."
    )


@pytest.mark.parametrize(
    ("typed", "came", "true"),
    [
        *(("1.85", 1.8524, True), ("1,85", 1.8524, True), ("0", 0.0, True)),
        *(("2.1", 1.8524, False), ("much", 1.8524, False)),
    ],
)
def test_a_typed_number_comes_true_when_it_is_near(in_lab, typed, came, true):
    predictions.keep("score", typed)
    assert reveal("score", came).true is true


def test_what_came_is_a_choice_by_its_place(in_lab):
    in_lab.run(SPREAD)
    predictions.keep("spread", "256 times")
    assert repr(in_lab.run('reveal("spread", 3 > 2)')).startswith(
        "You predicted: 256 times. Result: 256 times"
    )


def test_a_place_among_choices_that_nobody_was_given_yet_settles_nothing(in_lab, monkeypatch):
    monkeypatch.setattr(predictions, "_asked", {})
    predictions.keep("spread", "256 times")
    assert "Run the cell that asks first" in repr(in_lab.run('reveal("spread", 1)'))
    assert progress_store.read_prediction("tiny", "spread").true is None


BARS = 'predict("weights", "Draw the weights.", bars=("big", "small"), most=2)'


def test_bars_are_drawn_and_the_true_ones_stand_beside_them(in_lab):
    assert "( ) big" in repr(in_lab.run(BARS))
    asked = in_page(in_lab, BARS)["shows"]
    assert (asked["bars"], asked["most"], asked["choices"]) == (["big", "small"], 2, [])
    predictions.keep("weights", "1.50 0.50")
    shown = in_lab.run('reveal("weights", {"big": 1.75, "small": 0.25}, within=0.2, most=2)')
    assert repr(shown).startswith(
        "You predicted: 1.50 0.50. Result: big 1.75, small 0.25\nYour prediction came"
    )
    drawn = re.findall("--(came|drawn):([0-9.]+)%", shown._repr_html_())
    assert drawn == [("came", "87.5"), ("drawn", "75.0"), ("came", "12.5"), ("drawn", "25.0")]


@pytest.mark.parametrize(
    ("output", "true"),
    [("1.80 0.60", True), ("1.80 0.61", False), ("1.80", False), ("much", False), ("0.20 1.80", False)],
)
def test_drawn_bars_come_true_when_each_is_near(in_lab, output, true):
    predictions.keep("weights", output)
    assert reveal("weights", {"big": 1.8, "small": 0.2}, within=0.225).true is true


def test_a_prediction_can_be_changed_until_its_outcome_was_shown(in_lab):
    predictions.keep("spread", "256 times")
    predictions.keep("spread", "16 times")
    assert reveal("spread", "16 times").true is True
    predictions.keep("spread", "256 times")
    assert in_page(in_lab, SPREAD)["chosen"] == {"said": "16 times", "shown": "16 times", "settled": True}
    assert reveal("spread", "256 times").true is True  # settled once, whatever the cell gives later


def test_a_page_may_say_what_came_true_where_the_kernel_was_away(notebook):
    predictions.settle("spread", "16 times", True)
    assert progress_store.read_prediction("tiny", "spread") == progress_store.Prediction("16 times", True)
    predictions.settle("spread", "256 times", False)
    assert progress_store.read_prediction("tiny", "spread").true is True


def test_what_nobody_predicted_is_not_shown_until_somebody_asks(in_lab):
    data, _ = in_lab.shell.display_formatter.format(in_lab.run('reveal("spread", "16 times")'))
    assert data["text/plain"] == "Hidden until you make your prediction above."
    assert "<details><summary>Show what came</summary><p>Result: 16 times</p></details>" in data["text/html"]
    assert in_page(in_lab, SPREAD)["chosen"] == {}


def test_where_nobody_can_choose_the_outcome_is_shown_and_settles_nothing(notebook):
    assert repr(reveal("spread", "16 times")).startswith("Result: 16 times")
    assert progress_store.read_prediction("tiny", "spread").true is None


@pytest.mark.parametrize("came", [None, ...])
def test_before_the_task_is_done_nothing_has_come(in_lab, came):
    predictions.keep("spread", "16 times")
    assert repr(reveal("spread", came)).startswith("The result is not known yet.")
    assert progress_store.read_prediction("tiny", "spread").true is None


def test_where_nobody_can_press_anything_the_question_stands_there_with_its_choices(notebook):
    notebook.run("from autograder import predict")
    data, _ = notebook.shell.display_formatter.format(notebook.run(SPREAD.replace("How", "<b>How")))
    assert set(data) == {"text/plain", "text/html"}
    assert "&lt;b&gt;How far do they spread?" in data["text/html"]
    assert "<li>○ 256 times</li>" in data["text/html"]


def test_progress_tells_how_many_came_true(bank_folder, lesson):
    bank.save(bank.replace(lesson, predictions=("one", "two", "three", "four")), bank_folder)
    for name, true in (("one", True), ("two", False), ("three", None), ("elsewhere", True)):
        progress_store.write_prediction("tiny", name, progress_store.Prediction("so", true))
    reported = "Predictions: 3 made, 1 came true, 1 without an outcome yet."
    assert reported in repr(progress())
    assert reported in progress()._repr_html_()


def test_where_predictions_cannot_be_kept_the_learner_is_told(in_lab, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AUTOGRADER_PROGRESS", str(tmp_path / "file" / "below"))
    assert "cannot be saved" in predictions.keep("spread", "16 times")


def test_outside_a_course_the_learner_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr("autograder.lesson.check_calls.Course.find", refuse)
    assert "nowhere to keep" in repr(predict("spread", "How far?"))
    assert "nowhere to look" in repr(reveal("spread", 1))


def refuse():
    from autograder.records.authoring_errors import AuthoringError

    raise AuthoringError(["no course"])
