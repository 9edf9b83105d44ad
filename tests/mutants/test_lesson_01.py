"""What lesson 01's checks say of answers that build on each other."""

from __future__ import annotations

from autograder.records.answer_findings import NotComputed

from tests.mutants.harness import judge_notebook, message
from tests.mutants.lesson_01 import LESSON


def test_a_later_task_names_the_earlier_one_that_is_not_right() -> None:
    judged = judge_notebook(LESSON, {"query-scores": "attn_scores_2 = inputs @ inputs[2]"})["context-vector"]

    for verdict in (judged.in_notebook, judged.graded):
        assert verdict.unfinished == ("attn_scores_2",)
        assert "`attn_scores_2`, which is not right yet" in message(judged.task, verdict)
        assert "correct that first" in message(judged.task, verdict)


def test_what_is_built_from_typed_in_numbers_names_them_when_graded() -> None:
    typed = "attn_scores_2 = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])"
    judged = judge_notebook(LESSON, {"query-scores": typed})["context-vector"]

    assert judged.in_notebook.passed
    assert isinstance(judged.graded.finding, NotComputed)
    assert "`attn_scores_2`, which is not right yet" in message(judged.task, judged.graded)
