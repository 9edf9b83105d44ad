"""Which of the protections each door shows, as one table: what shows them, or what is in the way there."""

import importlib
from pathlib import Path

import pytest

from tests.attacks.test_attacks import NAMES

COMMAND = "autograder/tests/command/test_grade_command.py"
DAMAGE = "autograder/tests/command/test_damage.py"
POINTS, SHARED = "tests/attacks/test_points.py", "tests/attacks/test_shared.py"
BEFORE = "before grading: "
# For each protection and door: attacks that go through it, or tests that show it there, as file::test. What
# happens before any door is opened is the same for both.
SHOWN = {
    "what is read has limits": {
        "grade": ("many-axes", "many-magics", "a-long-sum", "nested-json", "surrogates"),
        "nbgrader": ("many-axes", "many-magics", "a-long-sum", "nested-json", "surrogates"),
    },
    "nothing is shared that could be held": {
        "grade": ("leases", "holds-all-it-can", "opens-machine-settings"),
        "nbgrader": ("leases", "holds-all-it-can", "opens-machine-settings"),
    },
    "a neighbour's time is its own": {
        "grade": ("exits", f"{SHARED}::test_while_one_run_holds_all_that_it_can_another_is_as_fast_as_alone"),
        "nbgrader": ("exits",),  # which grades one after the other: there is no neighbour
    },
    "who handed in is what the platform says": {
        "grade": (f"{BEFORE}autograder/tests/classroom/test_whose.py",),
        "nbgrader": (f"{BEFORE}autograder/tests/classroom/test_whose.py",),
    },
    "earlier releases ask hidden questions": {
        "grade": (
            f"{POINTS}::test_an_earlier_release_asks_hidden_questions_of_all_tasks_that_are_as_they_were",
            f"{COMMAND}::test_who_had_the_newer_release_cannot_go_back_to_the_earlier_one",
        ),
        # It grades none of an earlier release, and says which command does.
        "nbgrader": (
            f"{COMMAND}::test_a_task_that_is_new_is_excused_for_those_who_never_had_it_and_grades_stay",
        ),
    },
    "what lies beside a notebook is read for its first bytes": {
        "grade": ("a-time-of-nines", "beside-it-a-hole", "brings-settings"),
        "nbgrader": ("a-time-of-nines", "beside-it-a-hole", "brings-settings"),
    },
    "forbidden calls cannot be taken back": {
        "grade": ("clears-the-list", f"{POINTS}::test_a_forbidden_call_cannot_be_taken_back"),
        "nbgrader": ("clears-the-list",),
    },
    "people are not misled": {
        "grade": ("scripts", "a-name-that-writes", "forges-a-fault"),
        "nbgrader": ("scripts", "a-name-that-writes", "forges-a-fault"),
    },
    "one grader at a time": {
        "grade": (
            f"{COMMAND}::test_two_graders_at_once_are_one_and_a_line",
            f"{COMMAND}::test_where_no_file_can_be_locked_that_is_said_and_nothing_is_graded",
        ),
        # It does not begin while the other one is at work; two of its own get along with each other.
        "nbgrader": (f"{COMMAND}::test_nbgraders_own_autograde_waits_for_no_run_of_the_grader_but_says_so",),
    },
    "damage is named, and the rest goes on": {
        "grade": (
            f"{COMMAND}::test_damage_in_releases_is_named_and_the_rest_goes_on",
            f"{DAMAGE}::test_damage_is_named_in_a_sentence_and_the_rest_goes_on",
        ),
        "nbgrader": (f"{DAMAGE}::test_all_records_but_the_damaged_are_read",),  # both read them there
    },
    "a bundle holds what was built": {
        "grade": (f"{BEFORE}autograder/tests/classroom/test_student_bundle.py",),
        "nbgrader": (f"{BEFORE}autograder/tests/classroom/test_student_bundle.py",),
    },
}
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("door", NAMES)
@pytest.mark.parametrize("protection", SHOWN)
def test_a_door_shows_a_protection_by_what_goes_through_it(protection, door):
    for shown in SHOWN[protection][door]:
        path, _, name = shown.removeprefix(BEFORE).partition("::")
        if not path.endswith(".py"):
            assert path in NAMES[door]
        elif path.startswith("tests/"):
            assert callable(getattr(importlib.import_module(path[:-3].replace("/", ".")), name))
        else:  # of the tool's own tests, which are not loaded together with these
            assert f"def {name or 'test_'}" in (ROOT / path).read_text(encoding="utf-8")


def test_every_attack_of_the_first_door_may_go_through_the_second():
    assert set(NAMES["nbgrader"]) <= set(NAMES["grade"])
    assert {door for doors in SHOWN.values() for door in doors} == set(NAMES)
