"""Answers as edits: what is changed in a solution's text, and what does not fit it."""

from __future__ import annotations

import pytest

from autograder.authoring import before, body, edit, faulty, instead, returns
from autograder.edits import Solution, Span, changed, fit, made_together, put_in, table
from autograder.problems import AuthoringError

CELL = '''\
def share(x):
    """Shares."""
    ### BEGIN SOLUTION
    x = x + 1
    return x / x.sum()
    ### END SOLUTION
### BEGIN FAULTY
# x = x + 1
#
# return x / x.max()
### END FAULTY'''
HEAD = 'def share(x):\n    """Shares."""\n'
SOLUTION = Solution.from_cell(CELL, "share", "share(x)", is_tensor=False)
TENSOR = Solution.from_cell(
    "### BEGIN SOLUTION\nsums = table.sum(dim=1)\n### END SOLUTION\n", "sums", "sums", is_tensor=True
)


def test_a_solution_is_its_cells_text_without_marks():
    assert SOLUTION.text == f"{HEAD}    x = x + 1\n    return x / x.sum()"
    assert TENSOR.text == "sums = table.sum(dim=1)"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([edit(" + 1", "")], f"{HEAD}    x = x\n    return x / x.sum()"),
        ([edit("x /", "len(x) /"), edit("x + 1", "y")], f"{HEAD}    x = y\n    return len(x) / x.sum()"),
        ([edit("x = ", "y = "), edit("sum", "max")], f"{HEAD}    y = x + 1\n    return x / x.max()"),
        ([edit(" x ", " y ", places=3)], f"{HEAD}    y = y + 1\n    return y / x.sum()"),
        ([body("share", "\n  y = x\n\n  return y\n")], f"{HEAD}    y = x\n\n    return y"),
        ([instead("  share = len\n  pass")], "share = len\npass"),
        ([returns("x")], "def share(x):\n    return x"),
        (
            [before("  import math"), edit("sum", "max")],
            f"import math\n\n{HEAD}    x = x + 1\n    return x / x.max()",
        ),
        ([faulty()], f"{HEAD}    x = x + 1\n\n    return x / x.max()"),
    ],
)
def test_changes_make_another_answer_of_the_solution(changes, expected):
    assert changed(SOLUTION, changes).strip("\n") == expected


def test_a_tensors_expression_is_put_under_its_name():
    assert changed(TENSOR, [returns("table[0]")]) == "sums = table[0]"


def test_a_method_is_written_anew_at_its_own_depth_and_the_rest_stays():
    text = "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2"
    made = changed(Solution(text, "A", "A()", False), [body("one", "return 3")])
    assert made == text.replace("return 1", "return 3")


@pytest.mark.parametrize(
    ("solution", "changes", "problem"),
    [
        (SOLUTION, [edit("mean", "max")], "the edit of 'mean' expects 1 places in the solution; it has 0"),
        (SOLUTION, [edit(" x ", " y ")], "the edit of ' x ' expects 1 places in the solution; it has 3"),
        (SOLUTION, [edit("", "y")], "the edit of '' expects 1 places in the solution; it has 0"),
        (SOLUTION, [edit("sum", "sum")], "its edits change nothing"),
        (SOLUTION, [edit("x.sum", "y"), edit("sum()", "z")], "two of its edits touch the same place"),
        (SOLUTION, [body("share", "pass"), edit("x.sum", "y")], "two of its edits touch the same place"),
        (SOLUTION, [body("shares", "pass")], "the solution has 0 functions called shares; 1 is needed"),
        (TENSOR, [faulty()], "the cell has no faulty code"),
    ],
)
def test_a_change_that_does_not_fit_is_refused_and_quoted(solution, changes, problem):
    with pytest.raises(AuthoringError) as caught:
        changed(solution, changes)
    assert caught.value.problems == [problem]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 2), (2, 4)], True),
        ([(2, 4), (0, 3)], False),
        ([(1, 1), (1, 1)], True),
        ([(0, 4), (2, 2)], False),
        ([(2, 2), (2, 4)], True),
        ([(0, 9), (1, 2), (5, 6)], False),
    ],
)
def test_places_fit_together_unless_they_touch(spans, expected):
    assert fit([Span(start, end, "") for start, end in spans]) == expected


def test_all_places_are_those_of_the_text_before_any_change():
    assert put_in("abcdef", [Span(0, 1, "long"), Span(4, 6, ""), Span(2, 2, "-")]) == "longb-cd"


TABLE = """
    none: x + 1 → x
        A hint that goes on
        in the next line.
    largest: x = → y =
        sum → max
    five:  x  →5  y
    alone: = x
    as-given: faulty
    anew: body
        y = x

        return y
    """


def test_answers_may_be_written_as_a_table():
    answers = {name: (changed(SOLUTION, changes).strip("\n"), hint) for name, changes, hint in table(TABLE)}
    assert answers == {
        "none": (f"{HEAD}    x = x\n    return x / x.sum()", "A hint that goes on in the next line."),
        "largest": (f"{HEAD}    y = x + 1\n    return x / x.max()", ""),
        "five": (SOLUTION.text.replace("x", "y"), ""),
        "alone": ("def share(x):\n    return x", ""),
        "as-given": (f"{HEAD}    x = x + 1\n\n    return x / x.max()", ""),
        "anew": (f"{HEAD}    y = x\n\n    return y", ""),
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("    \nno colon", "'no colon' begins no answer: it should be `name: old → new`"),
        ("name: nothing", "'nothing' changes nothing: it should be `old → new`"),
    ],
)
def test_a_line_of_a_table_that_is_no_answer_is_refused_and_quoted(text, problem):
    with pytest.raises(AuthoringError) as caught:
        table(text)
    assert caught.value.problems == [problem]


LATER = body("share", "total = x.sum()\nreturn x / total")


@pytest.mark.parametrize(
    ("answers", "in_turn", "expected"),
    [
        ([edit(" + 1", "")], True, "    x = x\n    return x / x.sum()"),
        ([edit("sum", "max"), LATER], True, "    total = x.max()\n    return x / total"),
        ([LATER, edit("sum", "max")], True, "    total = x.max()\n    return x / total"),
        ([LATER, edit("sum", "max")], False, None),
        ([LATER, edit(" + 1", "")], True, None),
        ([LATER, body("share", "return x")], True, None),
    ],
)
def test_answers_are_made_together_at_once_or_in_turn_where_they_fit(answers, in_turn, expected):
    made = made_together(SOLUTION, [[change] for change in answers], in_turn)
    assert made == (expected and HEAD + expected)
