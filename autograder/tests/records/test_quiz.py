"""Where a quiz tells somebody to begin."""

import pytest
from autograder.records.quiz import QuizForm, QuizQuestion, first_lesson

ITEMS = [
    QuizQuestion(name, lesson, {"first": QuizForm("How many?", "2", {"one-left-out": "1"})})
    for name, lesson in (("a", "01-one"), ("b", "01-one"), ("c", "02-two"), ("d", "03-three"))
]


@pytest.mark.parametrize(
    ("answers", "lesson"),
    [
        ("2222", ""),
        ("2122", "01-one"),  # one of its two questions is enough
        ("2212", "02-two"),
        ("2211", "02-two"),  # the earliest gap, of several
        ("1112", "01-one"),  # what is right later makes up for nothing
        ("22-2", "02-two"),  # what is left out is not known
        ("----", "01-one"),
        ("2221", "03-three"),
    ],
)
def test_the_first_gap_says_with_which_lesson_to_begin(answers, lesson):
    output = {item.id: answer for item, answer in zip(ITEMS, answers, strict=True) if answer != "-"}
    assert first_lesson(ITEMS, "first", output) == lesson


def test_an_answer_tells_its_mistake_and_the_right_one_tells_none():
    asked = ITEMS[0].asked["first"]
    assert [asked.mistake(output) for output in ("1", "2", "")] == ["one-left-out", "", ""]
