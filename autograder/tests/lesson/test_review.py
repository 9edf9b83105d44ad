"""`review`, called as a lesson calls it, and what is due when."""

import datetime

import pytest
from autograder.lesson import progress_store
from autograder.lesson import review as review_calls
from autograder.lesson.progress_store import ProgressRecord
from autograder.lesson.review_schedule import AFTER_RIGHT, AFTER_WRONG, MOST, ReviewRecord, due, is_due
from autograder.records.review_items import ReviewItem
from hypothesis import given
from hypothesis import strategies as st
from support.page_output import values_in_page

from autograder import progress, review

QUESTIONS = """
[[item]]
id = "share"
lesson = "01-tiny"
text = "Which share of {all} is 1?"
right = "1/{all}"
draw = {all = [3, 9]}
wrong = {by-largest = "1"}
"""
TODAY = datetime.date(2026, 3, 2).toordinal()
ITEMS = [ReviewItem(f"item-{number}", "01-tiny", "?", fault=f"fault-{number}") for number in range(12)]


@pytest.fixture
def course_with_review(add_questions):
    add_questions("review", QUESTIONS)


@pytest.fixture
def worked(course_with_review):
    progress_store.write("tiny", "share", ProgressRecord(solved=True))


def on(monkeypatch, day):
    class Today(datetime.date):
        @classmethod
        def today(cls):
            return datetime.date.fromordinal(day)

    monkeypatch.setattr(review_calls.datetime, "date", Today)


def test_nothing_is_asked_before_a_task_is_solved(course_with_review):
    assert "It begins once you have solved a task of an earlier lesson." in repr(review())


def test_only_earlier_lessons_are_asked_about(worked):
    assert "Which share of" in repr(review())
    assert "Which share of" not in repr(review("01-tiny"))


def test_a_wrong_answer_comes_back_tomorrow_and_a_right_one_in_a_week(worked, monkeypatch):
    on(monkeypatch, TODAY)
    output = review_calls.keep("share", TODAY, "by-largest")._repr_html_()
    assert output.startswith("In your answer, the largest divides.")
    assert "No review question is due today." in repr(review())
    on(monkeypatch, TODAY + 1)
    assert "Which share of" in repr(review())
    assert review_calls.keep("share", TODAY + 1, "")._repr_html_() == ""
    on(monkeypatch, TODAY + 7)
    assert "No review question is due today." in repr(review())
    on(monkeypatch, TODAY + 8)
    assert "Which share of" in repr(review())


def test_a_damaged_record_counts_as_never_asked(worked, own_progress):
    (own_progress / "review.share.json").write_text('{"days": "yesterday"')
    assert "Which share of" in repr(review())


def test_a_page_gets_the_questions_with_the_numbers_of_the_day(worked, notebook, monkeypatch):
    monkeypatch.setattr(notebook.shell, "parent_header", {"metadata": {"cellId": "x"}}, raising=False)
    (question,) = values_in_page(review()._repr_mimebundle_())["shows"]["questions"]
    assert question["right"] == ""
    assert sorted(saved for _shown, saved in question["choices"]) == ["", "by-largest"]


def test_progress_shows_mistakes_met_and_overcome(course_with_review):
    progress_store.write("tiny", "share", ProgressRecord(mistakes=("by-largest",)))
    assert "Mistakes with a name: 1 met, 0 overcome." in repr(progress())
    progress_store.write("tiny", "share", ProgressRecord(solved=True, mistakes=("by-largest",)))
    assert "Mistakes with a name: 1 met, 1 overcome." in repr(progress())


RECORDS = st.dictionaries(
    st.sampled_from([item.id for item in ITEMS]),
    st.builds(ReviewRecord, st.lists(st.integers(TODAY - 20, TODAY + 20)).map(tuple), st.booleans()),
)


@given(RECORDS, st.sets(st.sampled_from([item.fault for item in ITEMS])))
def test_what_was_wrong_comes_first_then_mistakes_made_then_what_waited_longest(records, met):
    asked = due(ITEMS, records, TODAY, met)
    assert len(asked) <= MOST

    def rank(item):
        record = records.get(item.id, ReviewRecord())
        kind = 0 if record.days and not record.right else 1 if item.fault in met else 2
        return kind, record.days[-1] if record.days else 0

    ranks = [rank(item) for item in asked]
    assert sorted(ranks) == ranks
    left_out = [
        rank(item)
        for item in ITEMS
        if item not in asked and is_due(records.get(item.id, ReviewRecord()), TODAY)
    ]
    assert len(asked) == MOST or not left_out
    assert all(other >= ranks[-1] for other in left_out)


@given(st.lists(st.tuples(st.integers(-9, 9), st.booleans()), max_size=40))
def test_no_question_is_asked_twice_on_a_day_whatever_the_clock_does(moves):
    records, day, asked_on = {}, TODAY, set()
    for step, right in moves:
        day += step
        for item in due(ITEMS, records, day):
            assert (item.id, day) not in asked_on
            asked_on.add((item.id, day))
            before = records.get(item.id, ReviewRecord())
            if before.days and before.days[-1] <= day:
                assert day - before.days[-1] >= (AFTER_RIGHT if before.right else AFTER_WRONG)
            records[item.id] = ReviewRecord((*before.days, day), right)
