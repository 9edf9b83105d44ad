"""A lesson's source, and the results of running it."""

import torch
from autograder.author.lesson_source import read_lesson
from autograder.records.bank import AS_SEEN
from support.tiny_course import NAME, write_course


def test_a_lesson_that_sets_no_seed_meets_the_same_random_numbers_in_every_process(tmp_path):
    """Torch draws a seed for each process; if it counted, each build would make all banks anew."""
    course = write_course(tmp_path / "course")
    states = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        moments = read_lesson(course, NAME).runs.moments[AS_SEEN]
        states.append(moments["share-answer"].random_state)
    assert torch.equal(*states)
