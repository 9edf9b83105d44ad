"""What a lab comes to, worked out from events that were heard one after another."""

from __future__ import annotations

import pytest
from autograder.live.board_view import TaskWords, Vocabulary, board_state
from autograder.live.lab_history import ReceivedEvent
from autograder.live.lab_stats import PRESENT, Lab
from autograder.records.bank import KnownWrong

NO_SCALE = KnownWrong("no-scale", "Divide.", "the scale is missing", "02-two#scale")
WORDS = Vocabulary(
    "A course",
    {
        "one": TaskWords("Task one", "01-one", {"no-scale": NO_SCALE, "sum": KnownWrong("sum", "", "a sum")}),
        "two": TaskWords("Task two", "02-two", {"no-scale": NO_SCALE}),
    },
    {"02-two#scale": "“Scaled” in 02-two"},
)


def lab(*events: tuple[float, str, str, str, str]) -> Lab:
    """A lab that heard of these: minute, learner, task, verdict, mistakes."""
    result = Lab()
    for minute, learner, task, verdict, mistakes in events:
        result.hear(ReceivedEvent(minute * 60.0, learner, task, verdict, tuple(mistakes.split())))
    return result


def lines(result: Lab, minute: float, part: str) -> dict[str, list[str]]:
    return {item["id"]: item["lines"] for item in board_state(result.now(minute * 60), WORDS)[part]}


def test_people_count_on_the_task_that_they_were_heard_of_last():
    result = lab(
        (10, "a", "one", "wrong", ""),
        (11, "b", "one", "right", ""),
        (12, "c", "one", "right", ""),
        (13, "c", "two", "untried", ""),
        (13, "d", "", "joined", ""),
    )
    now = result.now(14 * 60)
    assert (now.joined, now.here, now.between) == (4, 4, 1)
    counts = {task: (item.working, item.solved) for task, item in now.tasks.items()}
    assert counts == {"one": (1, 2), "two": (1, 0)}


def test_what_is_solved_stays_solved_whatever_a_later_check_finds():
    now = lab((10, "a", "one", "right", ""), (11, "a", "one", "wrong", "sum")).now(12 * 60)
    assert (now.tasks["one"].working, now.tasks["one"].solved, now.mistakes) == (0, 1, {})


def test_one_who_is_not_heard_from_is_not_here_and_what_they_solved_stays():
    result = lab((10, "a", "one", "right", ""), (10, "b", "one", "wrong", "sum"))
    now = result.now(10 * 60 + PRESENT + 1)
    assert (now.joined, now.here, now.tasks["one"].solved, now.tasks["one"].working) == (2, 0, 1, 0)
    assert now.mistakes == {}


def test_what_comes_late_tells_nothing_of_where_somebody_works_now():
    result = lab((10, "a", "two", "wrong", ""), (9, "a", "one", "wrong", ""))
    assert result.now(600).tasks["two"].working == 1


def test_how_long_people_are_on_a_task_is_told_by_the_half_and_the_longest():
    events = (0, "a", "wrong"), (4, "b", "wrong"), (8, "c", "hint"), (9, "a", "wrong")
    result = lab(*((minute, who, "one", kind, "") for minute, who, kind in events))
    assert (
        lines(result, 9.5, "tasks")["one"][1]
        == "Half of them at work for 5 minutes or longer, one for 9 minutes"
    )
    assert (
        lines(lab((0, "a", "one", "wrong", "")), 0.5, "tasks")["one"][1] == "At work for less than a minute"
    )


@pytest.mark.parametrize(
    ("then", "reported"),
    [
        ([], ""),
        ([("right", "")], ": 1 then solved it"),
        ([("wrong", "")], ": 1 no longer makes the mistake"),
        ([("wrong", "sum")], ": 1 no longer makes the mistake"),
        ([("wrong", "no-scale")], ": 1 is not there yet"),
        ([("untried", "")], ": 1 is not there yet"),
        ([("untried", ""), ("wrong", "no-scale")], ": 1 is not there yet"),
        ([("wrong", "sum"), ("hint", "")], ""),
        ([("right", ""), ("hint", ""), ("wrong", "no-scale")], ": 1 then solved it"),
    ],
)
def test_what_a_hint_changed_is_what_the_checks_after_it_found(then, reported):
    begun = [(0, "a", "one", "wrong", "no-scale"), (1, "a", "one", "hint", "")]
    result = lab(*begun, *((2, "a", "one", *what) for what in then))
    assert lines(result, 3, "tasks")["one"][-1] == f"1 asked for a hint{reported}"


def test_a_mistake_counts_people_comes_and_goes():
    result = lab(
        (0, "a", "one", "wrong", "no-scale"),
        (0, "a", "two", "wrong", "no-scale"),  # the same person in another task
        (0, "b", "one", "wrong", "no-scale sum"),
        (7, "b", "one", "wrong", "sum"),
        (7.5, "c", "two", "wrong", "no-scale"),
        (7.5, "c", "two", "wrong", "no-scale"),
    )
    assert lines(result, 9, "mistakes") == {
        "no-scale": ["2 now, 2 five minutes ago, 1 have got past it", "Explained in “Scaled” in 02-two."],
        "sum": ["1 now, 1 five minutes ago, 0 have got past it"],
    }
    assert lines(lab((0, "a", "one", "wrong", "sum")), 4.9, "mistakes")["sum"] == [
        "1 now, 0 have got past it"  # five minutes ago nobody was there
    ]
    assert result.now(9 * 60).mistakes["sum"].minutes == (1,) * 10
    assert result.now(60 * 60).mistakes["no-scale"].minutes == (0,) * 31


def test_what_many_forget_is_told_to_all_with_the_section():
    people = [(0, str(number), "two", "wrong", "no-scale" if number < 12 else "") for number in range(30)]
    assert board_state(lab(*people).now(60), WORDS)["together"] == [
        {"id": "no-scale", "says": "12 of 30: the scale is missing. Look at “Scaled” in 02-two together."}
    ]
    # At a lesson that comes before that section, nobody has it yet.
    early = [(0, str(number), "one", "wrong", "no-scale") for number in range(12)]
    assert board_state(lab(*early).now(60), WORDS)["together"][0]["says"] == "12 of 12: the scale is missing."
    few = [(0, str(number), "one", "wrong", "no-scale" if number < 4 else "") for number in range(30)]
    assert board_state(lab(*few).now(60), WORDS)["together"] == []
    assert board_state(lab(*few[:2]).now(60), WORDS)["together"] == []
