"""Lessons side by side: each yields what it would have yielded alone."""

import os
import sys

import pytest
from autograder.author.parallel import FEW, each_lesson, in_forks, processors
from autograder.records.authoring_errors import AuthoringError

LESSONS = ["01-one", "02-two", "03-three"]


def shout(lesson):
    if lesson == "02-two":
        raise AuthoringError([f"{lesson}: not as it must be", f"{lesson}: nor is this"])
    return lesson.upper(), os.getpid()


def slip(lesson):
    raise ValueError(f"a fault of ours in {lesson}")


marks = []


def leave_a_mark(lesson):
    marks.append(lesson)
    return list(marks)


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_every_lesson_yields_its_own_result_and_a_refusal_costs_only_its_own(jobs):
    results = dict(each_lesson(shout, LESSONS, jobs))
    assert results.keys() == set(LESSONS)
    assert results["01-one"][0] == "01-ONE"
    assert results["03-three"][0] == "03-THREE"
    assert isinstance(results["02-two"], AuthoringError)
    assert results["02-two"].problems == ["02-two: not as it must be", "02-two: nor is this"]
    assert str(results["02-two"]) == "02-two: not as it must be\n02-two: nor is this"


def test_one_lesson_is_done_in_this_process_and_several_are_not():
    assert dict(each_lesson(shout, LESSONS[:1], 4))["01-one"][1] == os.getpid()
    assert dict(each_lesson(shout, LESSONS, 1))["01-one"][1] != os.getpid()


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_lesson_leaves_in_its_process_does_not_reach_the_next(jobs):
    assert dict(each_lesson(leave_a_mark, LESSONS, jobs)) == {lesson: [lesson] for lesson in LESSONS}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_fault_of_ours_is_not_swallowed(jobs):
    with pytest.raises(ValueError, match="a fault of ours"):
        list(each_lesson(slip, LESSONS, jobs))


def test_many_items_are_shared_out_in_order_and_need_not_be_picklable():
    done = list(in_forks(lambda item: (item, os.getpid()), range(FEW)))
    assert [item for item, _ in done] == list(range(FEW))
    forks = sys.platform == "linux" and processors() > 1
    assert (os.getpid() not in {process for _, process in done}) == forks


def test_few_items_are_done_here():
    assert set(in_forks(lambda item: os.getpid(), range(FEW - 1))) == {os.getpid()}


def test_a_fault_in_a_fork_is_told():
    with pytest.raises(ValueError, match="a fault of ours"):
        list(in_forks(slip, range(FEW)))
