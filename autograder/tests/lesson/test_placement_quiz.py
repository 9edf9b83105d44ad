"""`quiz`, called as a lesson calls it."""

from dataclasses import replace

import pytest
from autograder.lesson import progress_store
from autograder.records import bank

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
def course_with_quiz(bank_folder, lesson):
    """The tiny course, with a quiz on its lesson and on one that a learner did not get."""
    task = lesson.tasks["share"]
    wrong = tuple(replace(one, name="the largest divides") for one in task.known_wrong)
    bank.save(replace(lesson, tasks={**lesson.tasks, "share": replace(task, known_wrong=wrong)}), bank_folder)
    (bank_folder / "quiz.toml").write_text(QUESTIONS)
    described = (bank_folder / "course.toml").read_text()
    (bank_folder / "course.toml").write_text(f'quiz = "quiz.toml"\n{described}')


def shown(form=""):
    """The fields of a form, its button, and where it says where to begin."""
    _intro, *boxes, button, result = quiz(form).page().children
    return [box.children[1] for box in boxes], button, result


def test_it_says_where_to_begin_and_names_the_mistake_of_each_answer(course_with_quiz):
    (field,), button, result = shown()
    assert field.options == (("0.25", "0.25"), ("1", "1"))
    field.value = "1"
    button.click()
    assert "Begin with lesson 01-tiny." in result.value
    assert "Question 1: The largest divides. See 01-tiny." in result.value
    field.value = "0.25"
    button.click()
    assert "Every answer is right." in result.value
    assert "The largest divides" not in result.value


def test_answers_are_kept_for_each_form_and_count_nowhere(course_with_quiz):
    before = repr(progress())
    shown()[0][0].value = "1"
    assert shown()[0][0].value == "1"
    assert shown("second")[0][0].value is None
    assert progress_store.read_prediction("tiny", "quiz.first.share").true is False
    assert repr(progress()) == before


def test_without_a_front_end_it_says_what_it_is_and_then_what_came(course_with_quiz, notebook):
    notebook.run("from autograder import quiz")
    data, _ = notebook.shell.display_formatter.format(notebook.run("quiz()"))
    assert set(data) == {"text/plain", "text/html"}
    assert data["text/plain"] == "1 questions say where to begin. Nobody grades them."
    shown()[0][0].value = "1"
    assert "Begin with lesson 01-tiny." in repr(quiz())


def test_where_there_is_no_quiz_or_no_such_form_the_learner_is_told(bank_folder):
    assert repr(quiz()) == "There is no quiz here."


def test_the_forms_that_there_are_are_named(course_with_quiz):
    assert repr(quiz("third")).split("\n") == ["There is no quiz here.", 'quiz("first")', 'quiz("second")']


def test_where_answers_cannot_be_kept_the_learner_is_told(course_with_quiz, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AUTOGRADER_PROGRESS", str(tmp_path / "file" / "below"))
    (box,) = quiz().page().children[1:-2]
    box.children[1].value = "1"
    assert "cannot be saved" in box.children[2].value
