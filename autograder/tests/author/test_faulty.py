"""Code to mend and questions to answer in words: what the learner gets, and what the solution shows."""

from __future__ import annotations

import pytest
from autograder.author.preprocessors import StubSolutions, TidySolution, faulty_code, solution_region
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

TEXT_STUB = "*Write your answer here.*"


def marks(name="a", kind="code", grade=False):
    result = {"cell_type": kind, "grade": grade, "grade_id": name, "solution": True}
    result |= {"locked": False, "schema_version": 3, "task": False}
    return {"nbgrader": result | ({"points": 2} if grade else {})}


def stubbed(source):
    """A code cell as the learner gets it."""
    cell = new_code_cell(source, metadata=marks())
    return StubSolutions().preprocess_cell(cell, {"language": "python"}, 0)[0].source


def written(source):
    """A cell for an answer in words, as the learner gets it."""
    step = StubSolutions(text_stub=TEXT_STUB)
    cell = new_markdown_cell(source, metadata=marks(kind="markdown", grade=True))
    return step.preprocess_cell(cell, {"language": "python"}, 0)[0].source


def tidied(cell):
    """A cell as the solution shows it."""
    return TidySolution().preprocess(new_notebook(cells=[cell]), {})[0].cells[0].source


LEFT = """\
def mask(n):
    ### BEGIN SOLUTION
    return torch.ones(n, n).triu(1)
    ### END SOLUTION
### BEGIN FAULTY
# return torch.ones(n, n).triu(0)
### END FAULTY"""
WHOLE = """\
### BEGIN SOLUTION
class Mask:
    def make(self, n):
        return n
### END SOLUTION
### BEGIN FAULTY
# class Mask:
#     # Which n is this?
#     def make(self, n):
#
#         return n + 1
### END FAULTY"""
INDENTED = """\
def mask(n):
    \"\"\"Shapes: (n, n).\"\"\"
    ### BEGIN SOLUTION
    return n
    ### END SOLUTION
    ### BEGIN FAULTY
    # m = n + 1
    # return m
    ### END FAULTY"""


# What the learner gets


def test_a_whole_class_can_be_faulty_with_its_comments_and_empty_lines():
    assert stubbed(WHOLE) == (
        "class Mask:\n    # Which n is this?\n    def make(self, n):\n\n        return n + 1"
    )


def test_faulty_code_runs_and_does_the_wrong_thing():
    namespace = {}
    exec(stubbed(WHOLE), namespace)
    assert namespace["Mask"]().make(1) == 2


@pytest.mark.parametrize("source", [LEFT, WHOLE, INDENTED], ids=["left", "whole", "indented"])
def test_no_mark_and_nothing_of_the_solution_stays_for_the_learner(source):
    result = stubbed(source)
    assert "###" not in result
    assert not any(line in result.splitlines() for line in solution_region(source) if "return" in line)


def test_the_faulty_code_of_one_cell_does_not_leak_into_the_next():
    step = StubSolutions()
    cells = [
        new_code_cell(item, metadata=marks()) for item in (WHOLE, INDENTED.split("    ### BEGIN FAULTY")[0])
    ]
    result = [step.preprocess_cell(cell, {"language": "python"}, 0)[0].source for cell in cells]
    assert result[1] == 'def mask(n):\n    """Shapes: (n, n)."""\n    ...  # your code here\n'


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("# x = 1", "x = 1"),
        ("#x = 1", "x = 1"),
        ("#     x = 1", "    x = 1"),
        ("# # why", "# why"),
        ("#", ""),
        ('# s = "#"', 's = "#"'),
        ("# x = 1  # why", "x = 1  # why"),
    ],
)
def test_a_line_of_faulty_code_loses_one_comment_sign(line, code):
    assert faulty_code(f"### BEGIN FAULTY\n# pass\n{line}\n# pass\n### END FAULTY") == f"pass\n{code}\npass"


def test_the_learner_keeps_an_empty_region_as_dots():
    source = "x = 1\n### BEGIN SOLUTION\ny = 2\n### END SOLUTION\n### BEGIN FAULTY\n### END FAULTY"
    assert stubbed(source) == "x = 1\ny = ...  # your code here"


# What the solution shows


@pytest.mark.parametrize("source", [LEFT, WHOLE, INDENTED], ids=["left", "whole", "indented"])
def test_nothing_of_the_faulty_code_stays_in_the_solution(source):
    shown = tidied(new_code_cell(source))
    assert "###" not in shown
    assert "+ 1" not in shown
    assert "triu(0)" not in shown


def test_the_solution_is_what_stands_between_its_marks():
    assert tidied(new_code_cell(LEFT)) == "def mask(n):\n    return torch.ones(n, n).triu(1)"


def test_what_follows_faulty_code_stays_in_the_solution():
    assert tidied(new_code_cell(f"{LEFT}\n\nprint(3)")).endswith("triu(1)\n\nprint(3)")


# Answers in words

QUESTION = "Why is row 0 all on itself?"
ANSWER = f"""\
{QUESTION}

### BEGIN SOLUTION
Token 0 has no earlier token.

- 1 point: no earlier token.
- 1 point: the row adds up to 1.
### END SOLUTION"""


def test_a_question_stays_and_its_answer_goes():
    assert written(ANSWER) == f"{QUESTION}\n\n{TEXT_STUB}"


def test_a_written_answer_without_a_region_goes_whole():
    assert written("All of it is the answer.") == TEXT_STUB


def test_a_question_that_mentions_faulty_code_is_left_alone():
    assert written(f"What does BEGIN FAULTY mean?\n\n{ANSWER}").startswith("What does BEGIN FAULTY mean?")


def test_the_solution_of_a_question_shows_answer_and_scheme():
    shown = tidied(new_markdown_cell(ANSWER, metadata=marks(kind="markdown", grade=True)))
    assert shown == ANSWER.replace("### BEGIN SOLUTION\n", "").replace("\n### END SOLUTION", "")


# nbgrader's own step, as `nbgrader_config.py` names it
