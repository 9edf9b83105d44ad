"""`quiz`, called as a lesson calls it."""

import json

import pytest
from autograder.lesson import placement_quiz, progress_store
from support.page_output import values_in_page

from autograder import progress, quiz

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
"""


@pytest.fixture
def course_with_quiz(add_questions):
    """The tiny course, with a quiz on its lesson and on one that a learner did not get."""
    add_questions("quiz", QUESTIONS)


@pytest.fixture
def shown(course_with_quiz, notebook, monkeypatch):
    """The values that a page gets of a form."""
    monkeypatch.setattr(notebook.shell, "parent_header", {"metadata": {"cellId": "x"}}, raising=False)

    def values(form=""):
        return values_in_page(quiz(form)._repr_mimebundle_())

    return values


def test_a_page_gets_the_questions_and_where_each_would_begin(shown):
    (question,) = shown()["shows"]["questions"]
    assert question["choices"] == [["0.25", "0.25"], ["1", "1"]]
    assert question["right"] == "0.25"
    link = '<a href="../01-tiny/01-tiny.ipynb">01-tiny</a>'
    assert question["begin"] == f"Begin with lesson {link}."


def test_what_was_done_in_a_wrong_answer_is_said(course_with_quiz):
    expected = "In your answer, the largest divides. See 01-tiny."
    assert placement_quiz.keep("first", "share", "1")._repr_html_() == expected
    assert repr(quiz()).endswith(expected)
    assert placement_quiz.keep("first", "share", "0.25")._repr_html_() == ""
    assert "Every answer is right." in repr(quiz())


def test_a_lesson_is_called_by_its_heading_where_its_notebook_is_here(monkeypatch, tmp_path):
    (tmp_path / "01-tiny").mkdir()
    cells = [{"cell_type": "markdown", "source": ["# Shares\n", "\n", "Text."]}]
    (tmp_path / "01-tiny" / "01-tiny.ipynb").write_text(json.dumps({"cells": cells}))
    monkeypatch.chdir(tmp_path / "01-tiny")
    assert placement_quiz.title("01-tiny") == "Shares"


def test_answers_are_kept_for_each_form_and_count_nowhere(shown):
    before = repr(progress())
    placement_quiz.keep("first", "share", "1")
    assert shown()["chosen"]["said"] == {"share": "1"}
    assert shown("second")["chosen"]["said"] == {}
    assert progress_store.read_prediction("tiny", "quiz.first.share").true is False
    assert repr(progress()) == before


def test_without_a_front_end_it_says_what_it_is_and_then_what_came(course_with_quiz, notebook):
    notebook.run("from autograder import quiz")
    data, _ = notebook.shell.display_formatter.format(notebook.run("quiz()"))
    assert set(data) == {"text/plain", "text/html"}
    assert data["text/plain"] == "1 questions say where to begin. Nobody grades them."
    placement_quiz.keep("first", "share", "1")
    assert "Begin with lesson 01-tiny." in repr(quiz())


def test_where_there_is_no_quiz_or_no_such_form_the_learner_is_told(bank_folder):
    assert repr(quiz()) == "There is no quiz here."


def test_the_forms_that_there_are_are_named(course_with_quiz):
    assert repr(quiz("third")).split("\n") == ["There is no quiz here.", 'quiz("first")', 'quiz("second")']


def test_where_answers_cannot_be_kept_the_learner_is_told(course_with_quiz, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AUTOGRADER_PROGRESS", str(tmp_path / "file" / "below"))
    assert "cannot be saved" in placement_quiz.keep("first", "share", "1").text
