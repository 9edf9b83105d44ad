"""What is taken of a run's outputs."""

from autograder.grading.sandbox.output_limits import MESSAGE_DEPTH, Budget


def nested(depth):
    content = 1
    for _ in range(depth):
        content = [content]
    return {"output_type": "display_data", "data": {"application/json": content}, "metadata": {}}


def test_an_output_that_no_reader_of_notebooks_can_follow_is_left_out_alone():
    budget = Budget()
    assert budget.takes(nested(MESSAGE_DEPTH // 2))
    assert not budget.takes(nested(MESSAGE_DEPTH))
    assert not budget.takes(nested(900))
    assert budget.takes(nested(1))
