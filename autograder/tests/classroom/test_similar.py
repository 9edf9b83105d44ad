"""Which answers are told to be alike: rare wrong ones and texts, never right or common ones."""

import pytest
from autograder.classroom.similar import COMMENTS, WRITTEN, WRONG, course_says, similar
from autograder.grading.class_folder import Class
from autograder.grading.verdicts import TaskResult
from support.class_course import LESSON

SOLUTION = (
    "def dot(a, b):\n    total = 0.0\n"
    "    for i in range(len(a)):\n        total += a[i] * b[i]\n    return total"
)
NO_SUM = "def dot(a, b):\n    return a * b"
RARE = (
    "def dot(a, b):\n    pairs = list(zip(a.tolist(), b.tolist()))\n"
    "    return max(x * y for x, y in pairs) + len(pairs)"
)
OTHER = "def dot(a, b):\n    half = torch.stack([a, b]).mean(0)\n    return half.prod() - a.sum() / b.numel()"
TEXT = (
    "A large weight means that the word before it matters more to this query than all of its neighbours do, "
    "which my grandmother would call gossip."
)
PROSE = "The weights of one query add up to one, and each of them says how much its token counts in the sum."


def graded(answers, right=False, points=0.0, task="dot-product"):
    finding = "" if right else "WrongValues"
    return [
        TaskResult("lesson", student, task, points, 2.0, finding=finding, answer=answer)
        for student, answer in answers.items()
    ]


def pairs_of(results, **more):
    known = {"dot-product": [SOLUTION, NO_SUM]}
    return {pair.students: pair.agreements for pair in similar(results, known, **more)}


def test_a_rare_wrong_answer_of_two_is_told_with_both_texts():
    respaced = RARE.replace(" * ", "*").replace("pairs = ", "# my way\n    pairs  =  ")
    found = pairs_of(graded({"amy": RARE, "bob": respaced, "cem": OTHER, "dan": NO_SUM}))
    ((students, (agreement,)),) = found.items()
    assert students == ("amy", "bob")
    assert (agreement.kind, agreement.alike) == (WRONG, 1.0)
    assert agreement.texts == (RARE, respaced)


@pytest.mark.parametrize(
    "results",
    [
        graded(dict.fromkeys("ab", SOLUTION), right=True),  # one way to write it
        graded(dict.fromkeys("ab", RARE), right=True),  # unusual, but right
        graded(dict.fromkeys("ab", NO_SUM)),  # a mistake that the course knows
        graded(dict.fromkeys("ab", NO_SUM.replace("a * b", "a @ a"))),  # almost one that it knows
        graded(dict.fromkeys("ab", SOLUTION.replace("total", "summe").replace("i", "j").replace("+", "-"))),
        graded(dict.fromkeys("abcdef", RARE)),  # a mistake that many make, and so a common one
        graded({"a": RARE, "b": OTHER}),
        graded(dict.fromkeys("ab", "def dot(a, b")),
    ],
)
def test_what_may_coincide_is_not_told(results):
    assert pairs_of(results) == {}


def test_the_same_comments_count_even_beside_a_right_answer():
    own = "    # go round the little numbers and put each product into my bag\n"
    answer = SOLUTION.replace("    for", own + "    for")
    found = pairs_of(graded({"amy": answer, "bob": answer, "cem": SOLUTION}, right=True, points=2.0))
    ((students, (agreement,)),) = found.items()
    assert (students, agreement.kind) == (("amy", "bob"), COMMENTS)


def test_written_answers_count_but_for_what_they_quote():
    answers = {
        "amy": TEXT,
        "bob": TEXT.replace("gossip", "a rumour"),
        "cem": f"I think: {PROSE}",
        "dan": PROSE,
    }
    found = pairs_of(graded(answers, points=None, task="why"), prose=PROSE)
    ((students, (agreement,)),) = found.items()
    assert (students, agreement.kind) == (("amy", "bob"), WRITTEN)


def test_pairs_with_more_in_common_come_first():
    results = graded({"amy": RARE, "bob": RARE, "cem": OTHER, "dan": OTHER})
    results += graded({"cem": TEXT, "dan": TEXT}, points=None, task="why")
    assert list(pairs_of(results)) == [("cem", "dan"), ("amy", "bob")]


def test_the_course_knows_its_stubs_solutions_and_mistakes(class_course):
    known, prose = course_says(Class(class_course.root), LESSON)
    stub, solution, *edits = known["convolve"]
    assert "..." in stub
    assert "windows = [" in solution
    assert len(edits) == 4  # three mistakes, and another way
    assert any("kernel.flip(0)" in text for text in edits)
    assert "slides a small row of weights" in prose
