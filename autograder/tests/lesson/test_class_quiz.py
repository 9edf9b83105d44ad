"""`class_quiz`, called as a learner of a class calls it."""

import json

import pytest
from autograder.lesson import class_quiz as asked
from support.page_output import values_in_page

from autograder import class_quiz

QUESTIONS = """
[[item]]
id = "share"
lesson = "01-tiny"
asked.first = {text = "Which share of 4 is 1?", right = "0.25", wrong = {by-largest = "1"}}
asked.second = {text = "Which share of 5 is 1?", right = "0.2", wrong = {by-largest = "1"}}
[[item]]
id = "later"
lesson = "02-not-here"
asked.first = {text = "What comes later?", right = "this", wrong = {}}
asked.second = {text = "What came later?", right = "that", wrong = {}}
"""


@pytest.fixture
def course_with_quiz(add_questions, tmp_path, monkeypatch):
    """The tiny course with a quiz, in an empty folder to work in."""
    add_questions("quiz", QUESTIONS)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("occasion", "texts"),
    [
        ("before", ["Which share of 5 is 1?", "What came later?"]),
        ("after", ["Which share of 4 is 1?", "What comes later?"]),
    ],
)
def test_each_occasion_asks_one_form_of_all_questions_of_lessons_to_come_too(
    course_with_quiz, notebook, monkeypatch, occasion, texts
):
    monkeypatch.setattr(notebook.shell, "parent_header", {"metadata": {"cellId": "x"}}, raising=False)
    shows = values_in_page(class_quiz(occasion)._repr_mimebundle_())["shows"]
    assert [question["asked"] for question in shows["questions"]] == texts
    assert "right" not in json.dumps(shows["questions"])


def test_nothing_is_saved_before_somebody_agrees(course_with_quiz):
    offer = repr(class_quiz("before"))
    assert "If you agree, your answers are saved in `quiz-before.json`" in offer
    assert "If you do not agree, nothing is saved." in offer
    assert list(course_with_quiz.iterdir()) == []


def test_what_is_saved_is_the_course_the_occasion_and_the_choices(course_with_quiz):
    said = asked.keep("after", {"share": "0.25", "later": ""})
    assert "quiz-after.json" in said.text
    actual = json.loads((course_with_quiz / "quiz-after.json").read_text(encoding="utf-8"))
    choices = {"share": "0.25", "later": ""}
    assert actual == {"course": "tiny", "occasion": "after", "agreed": True, "choices": choices}


def test_where_the_file_cannot_be_written_the_learner_is_told(course_with_quiz):
    (course_with_quiz / "quiz-after.json").mkdir()
    assert "cannot be saved" in asked.keep("after", {}).text


def test_the_occasions_that_there_are_are_named(course_with_quiz):
    expected = ["There is no quiz here.", 'class_quiz("before")', 'class_quiz("after")']
    assert repr(class_quiz("during")).split("\n") == expected


def test_a_course_without_a_quiz_says_so(bank_folder):
    assert repr(class_quiz("before")).startswith("There is no quiz here.")
