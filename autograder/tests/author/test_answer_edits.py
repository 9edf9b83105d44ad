"""Answers as edits: what is changed in a solution's text, and what does not fit it."""

from __future__ import annotations

import textwrap

import pytest
from autograder.author.answer_edits import Solution, Span, changed, combined_text, fit, put_in, table
from autograder.records.authoring_errors import AuthoringError

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


def changes(text):
    """The changes of one answer."""
    (row,) = table("answer:\n" + textwrap.indent(text, "    "))
    return row.changes


TABLE = """
    # Blank lines and lines like this stand between answers.

    none: x + 1 → x
        hint: A hint that goes on
            in the next line.
    largest: x = → y =
        sum → max
    five:  x  →5  y
    alone: = x
    as-given: faulty
    anew: body
        y = x

        return y
    anew-by-name: def share(y):
        if y:
            return y
    elsewhere: cell
        share = lambda x: x
    by-line: line + → pass
    line-less: line + →
    range: x + … sum() → return 1
    range-of-lines: line + … sum → return 1
    between: above return → x = 2↵x = 3
        below return → pass
    on-top: above → import math
    word: word x → z
    exactly: ` + 1` →
    over-lines: 1↵return → 1↵if x:↵    return
    line-ends: 1↵ → 2
    from-below:
        return x →:
            if x:

                return x
        hint: No change.
    """


def test_answers_may_be_written_as_a_table():
    answers = {
        row.name: (changed(SOLUTION, row.changes).strip("\n"), row.fields.get("hint", ""))
        for row in table(TABLE)
    }
    top, end = f"{HEAD}    x = x + 1\n", "    return x / x.sum()"
    assert answers == {
        "none": (f"{HEAD}    x = x\n{end}", "A hint that goes on in the next line."),
        "largest": (f"{HEAD}    y = x + 1\n    return x / x.max()", ""),
        "five": (SOLUTION.text.replace("x", "y"), ""),
        "alone": ("def share(x):\n    return x", ""),
        "as-given": (f"{HEAD}    x = x + 1\n\n    return x / x.max()", ""),
        "anew": (f"{HEAD}    y = x\n\n    return y", ""),
        "anew-by-name": ("def share(y):\n    if y:\n        return y", ""),
        "elsewhere": ("share = lambda x: x", ""),
        "by-line": (f"{HEAD}    pass\n{end}", ""),
        "line-less": (HEAD + end, ""),
        "range": (f"{HEAD}    x = return 1", ""),
        "range-of-lines": (f"{HEAD}    return 1", ""),
        "between": (f"{top}    x = 2\n    x = 3\n{end}\n    pass", ""),
        "on-top": (f"import math\n\n{top}{end}", ""),
        "word": (SOLUTION.text.replace("x", "z"), ""),
        "exactly": (f"{HEAD}    x = x\n{end}", ""),
        "over-lines": (f"{top}    if x:\n        return x / x.sum()", ""),
        "line-ends": (f"{HEAD}    x = x + 2\n{end}", ""),
        "from-below": (f"{top}    if x:\n\n        return x / x.sum()", "No change."),
    }


def test_every_line_of_a_table_that_is_none_is_told_by_number_and_answer():
    with pytest.raises(AuthoringError) as caught:
        table("\nno colon\nname: nothing\nempty:\nanew: body\nhint: x → y\n    note: x")
    assert caught.value.problems == [
        "line 2 of the table: 'no colon' begins no answer: it should be `name: old → new`",
        "line 3 of the table, name: 'nothing' is no change, such as `old → new`",
        "empty: it changes nothing",
        "line 5 of the table, anew: 'body' is no change, such as `old → new`",
        "line 7 of the table, hint: 'note: x' is no change, such as `old → new`",
    ]


def test_a_tensors_expression_is_put_under_its_name():
    assert changed(TENSOR, changes("= table[0]")) == "sums = table[0]"


def test_a_method_is_written_anew_at_its_own_depth_and_the_rest_stays():
    text = "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2"
    result = changed(Solution(text, "A", "A()", False), changes("body one\n    return 3"))
    assert result == text.replace("return 1", "return 3")


@pytest.mark.parametrize(
    ("solution", "text", "problem"),
    [
        (SOLUTION, "mean → max", "the edit of 'mean' expects 1 place in the solution; it has 0"),
        (SOLUTION, "` x ` → y", "the edit of ' x ' expects 1 place in the solution; it has 3"),
        (SOLUTION, "x →4 y", "the edit of 'x' expects 4 places in the solution; it has 5"),
        (SOLUTION, "→ y", "the edit of '' expects 1 place in the solution; it has 0"),
        (SOLUTION, "x + … mean → y", "the edit of 'x + … mean' expects 1 place in the solution; it has 0"),
        (SOLUTION, "x … sum → y", "the edit of 'x … sum' expects 1 place in the solution; it has 5"),
        (SOLUTION, "word su → y", "the edit of 'su' expects 1 place in the solution; it has 0"),
        (SOLUTION, "sum → sum", "its edits change nothing"),
        (SOLUTION, "x.sum → y\nsum() → z", "two of its edits touch the same place"),
        (SOLUTION, "body\n    pass\nx.sum → y", "two of its edits touch the same place"),
        (SOLUTION, "body shares\n    pass", "the solution has 0 functions called shares; 1 is needed"),
        (TENSOR, "faulty", "the cell has no faulty code"),
    ],
)
def test_a_change_that_does_not_fit_is_refused_and_quoted(solution, text, problem):
    with pytest.raises(AuthoringError) as caught:
        changed(solution, changes(text))
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


LATER = "body\n    total = x.sum()\n    return x / total"


@pytest.mark.parametrize(
    ("answers", "in_turn", "expected"),
    [
        (["` + 1` →"], True, "    x = x\n    return x / x.sum()"),
        (["sum → max", LATER], True, "    total = x.max()\n    return x / total"),
        ([LATER, "sum → max"], True, "    total = x.max()\n    return x / total"),
        ([LATER, "sum → max"], False, None),
        ([LATER, "` + 1` →"], True, None),
        ([LATER, "body\n    return x"], True, None),
        # What one change has made must not go with what another replaces.
        (["sum → max", "line return → pass"], True, None),
        (["sum → max", "x / … () → 1"], True, None),
    ],
)
def test_answers_are_made_together_at_once_or_in_turn_where_they_fit(answers, in_turn, expected):
    result = combined_text(SOLUTION, [changes(answer) for answer in answers], in_turn)
    assert result == (expected and HEAD + expected)
