"""Which answers are told to be alike: rare wrong ones and texts, never right or common ones."""

import re
from dataclasses import replace
from itertools import combinations
from random import Random

import nbformat
import pytest
from autograder.classroom.similar_answers import (
    COMMENTS,
    IDENTICAL,
    ODD,
    PROFILE,
    RENAMED,
    WRITTEN,
    WRONG,
    course_says,
    similar,
)
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import TaskResult
from support.class_course import LESSON
from support.class_course import OTHER as STRIDES

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
    reference = {"dot-product": [SOLUTION, NO_SUM]}
    return {pair.students: pair.agreements for pair in similar(results, reference, **more)}


def test_a_rare_wrong_answer_of_two_is_told_with_both_texts():
    respaced = RARE.replace(" * ", "*").replace("pairs = ", "# my way\n    pairs  =  ")
    actual = pairs_of(graded({"amy": RARE, "bob": respaced, "cem": OTHER, "dan": NO_SUM}))
    ((students, (agreement,)),) = actual.items()
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
    actual = pairs_of(graded({"amy": answer, "bob": answer, "cem": SOLUTION}, right=True, points=2.0))
    ((students, (agreement,)),) = actual.items()
    assert (students, agreement.kind) == (("amy", "bob"), COMMENTS)


def test_written_answers_count_but_for_what_they_quote():
    answers = {"amy": TEXT, "bob": TEXT.replace("gossip", "a rumour")}
    answers |= {"cem": f"I think: {PROSE}", "dan": PROSE}
    actual = pairs_of(graded(answers, points=None, task="why"), prose=PROSE)
    ((students, (agreement,)),) = actual.items()
    assert (students, agreement.kind) == (("amy", "bob"), WRITTEN)


def test_a_long_text_is_told_however_many_wrote_it_unless_the_course_says_it():
    results = graded(dict.fromkeys("abcd", TEXT) | {"e": TEXT.replace("gossip", "a rumour")}, points=None)
    results += graded({"cem": RARE, "dan": RARE})
    first, *others = similar(results, {"dot-product": [SOLUTION, NO_SUM]})
    assert first.students == ("cem", "dan")
    assert [pair.students for pair in others] == list(combinations("abcd", 2))
    assert {(each.kind, each.common) for pair in others for each in pair.agreements} == {(WRITTEN, True)}
    short = graded(dict.fromkeys("abcd", "It matters more to this query."), points=None)
    solved = graded(dict.fromkeys("abcd", TEXT), points=None)
    assert similar(short, {}) == similar(solved, {"dot-product": [f"Solution: {TEXT}"]}) == []


def test_pairs_with_more_in_common_come_first():
    results = graded({"amy": RARE, "bob": RARE, "cem": OTHER, "dan": OTHER})
    results += graded({"cem": TEXT, "dan": TEXT}, points=None, task="why")
    assert list(pairs_of(results)) == [("cem", "dan"), ("amy", "bob")]


def test_the_course_knows_its_stubs_solutions_and_mistakes(class_course):
    reference, prose = course_says(Class(class_course.root), LESSON)
    stub, solution, *edits = reference["convolve"]
    assert "..." in stub
    published = nbformat.read(class_course.root / "solutions" / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert solution in [cell.source for cell in published.cells]
    assert len(edits) == 4  # three mistakes, and another way
    assert any("kernel.flip(0)" in text for text in edits)
    assert "slides a small row of weights" in prose


def test_written_answers_that_copy_the_published_solution_or_the_notebook_s_code_are_no_pair(class_course):
    course = Class(class_course.root)
    solved, released = (
        nbformat.read(class_course.root / folder / STRIDES / f"{STRIDES}.ipynb", as_version=4)
        for folder in ("solutions", "notebooks")
    )
    published = next(cell.source for cell in solved.cells if cell["id"] == "why-in-words")
    code = "\n".join(cell.source for cell in released.cells if cell.cell_type == "code")
    for text in (published, code):
        results = graded(dict.fromkeys(("amy", "bob"), text), points=None, task="why-in-words")
        assert similar(results, *course_says(course, STRIDES)) == []


def test_a_mistake_that_many_make_comes_last():
    many = {f"m{number}": OTHER.replace("half", f"half{number}") for number in range(8)}
    common = [replace(item, faults=("no-sum",)) for item in graded(many)]
    common[0], common[1] = (replace(item, answer=OTHER) for item in common[:2])
    rare = graded({"amy": RARE, "bob": RARE})
    reference = {"dot-product": [SOLUTION, NO_SUM]}
    actual = similar([*common, *rare], reference)
    assert actual[0].students == ("amy", "bob")
    assert all(pair.weight == 0 and pair.agreements[0].common for pair in actual[1:])


def test_a_renamed_copy_and_one_in_another_order_are_told():
    copy = (
        RARE.replace("pairs", "duos")
        .replace("x * y", "p * q")
        .replace("for x, y", "for p, q")
        .replace("a.tolist()", "left.tolist()")
        .replace("(a, b)", "(left, b)")
    )
    ((_, (agreement,)),) = pairs_of(graded({"amy": RARE, "bob": copy, "cem": OTHER})).items()
    assert agreement.kind == RENAMED


def test_work_that_is_the_same_to_the_letter_comes_first():
    def of(student, own):
        texts = [f"x{number} = a @ b  {own}" for number in range(4)]
        return [graded({student: text}, right=True, task=f"t{n}")[0] for n, text in enumerate(texts)]

    results = [*of("amy", "# as told"), *of("bob", "# as told"), *of("cem", "")]
    results += graded({"dan": RARE, "eve": RARE})
    actual = similar(results, {"dot-product": [SOLUTION, NO_SUM]})
    assert [pair.students for pair in actual] == [("amy", "bob"), ("dan", "eve")]
    assert actual[0].agreements[0].kind == IDENTICAL
    reference = {f"t{number}": [f"x{number} = a @ b  # as told"] for number in range(4)}
    assert not [pair for pair in similar(results, reference) if pair.students == ("amy", "bob")]


@pytest.mark.parametrize("own", ["zorp = x @ x.T", "y"])
def test_work_that_is_the_same_to_the_letter_comes_first_however_short_it_is(own):
    reference = {f"t{n}": [f"z{n} = a @ b"] for n in range(4)} | {"dot-product": [SOLUTION, NO_SUM]}
    public = {task: texts[0] for task, texts in reference.items() if task != "dot-product"}

    def of(student, **answers):
        return [graded({student: text}, task=task)[0] for task, text in (public | answers).items()]

    results = [*of("amy", t1=own), *of("bob", t1=own), *of("cem"), *of("fay"), *of("gil", t1="other")]
    results += graded({"dan": RARE * 20, "eve": RARE * 20})
    first, second = similar(results, reference)
    assert (first.students, second.students) == (("amy", "bob"), ("dan", "eve"))
    ((kind, shared),) = [(each.kind, each.shared) for each in first.agreements]
    assert (kind, shared) == (IDENTICAL, ("t1",))
    # What many answer says nothing, even beside answers that the course knows.
    others = [answer for number in range(4) for answer in of(f"s{number}", t1=own, t2=f"z2 = {number}")]
    assert [pair.students for pair in similar([*results, *others], reference)] == [("dan", "eve")]


def profile(student, faults, random):
    """Answers to ten tasks, each in words of the student's own, of which some have mistakes with a name."""
    for number in range(10):
        fault = faults.get(number)
        text = as_code(invented(random)[0])
        (result,) = graded({student: text}, right=not fault, task=f"t{number}")
        yield replace(result, faults=(fault,) if fault else ())


def test_the_same_five_mistakes_in_five_tasks_are_told_though_each_is_common():
    random = Random(3)
    # Each mistake is made by one in eight.
    results = [
        answer
        for student in range(60)
        for answer in profile(
            f"s{student:02}", {n: "no-sum" for n in range(10) if random.random() < 1 / 8}, random
        )
    ]
    faults = dict.fromkeys((0, 2, 3, 6, 9), "no-sum")
    copies = [answer for student in ("amy", "bob") for answer in profile(student, faults, random)]
    reported = {
        pair.students
        for pair in similar([*results, *copies], {})
        if any(agreement.kind == PROFILE for agreement in pair.agreements)
    }
    assert ("amy", "bob") in reported
    assert len(reported) <= 1


def test_words_that_only_two_use_are_told_even_in_right_answers():
    odd = SOLUTION.replace("total", "resutl").replace("    for", "    # sumation per elemnet\n    for")
    others = {f"s{number}": SOLUTION for number in range(80)}
    actual = pairs_of(graded({"amy": odd, "bob": odd + "\n", **others}, right=True, points=2.0))
    ((students, (agreement,)),) = actual.items()
    assert (students, agreement.kind) == (("amy", "bob"), ODD)
    assert agreement.shared == ("elemnet", "resutl", "sumation")


# Statements of which 300 invented students make wrong answers, and words of which they make texts.
STEPS = [
    "{x} = a.abs().sum() - {n}",
    "{y} = torch.stack([a, b]).mean({n})",
    "{z} = (b - a.mean()).prod()",
    "{u} = a.flip(0) @ b",
    "{v} = max(a.tolist()[:{n}])",
    "{w} = b.cumsum(0)[{n}]",
    "{s} = torch.outer(a, b).trace() / {n}",
    "{t} = sum(q * r for q, r in zip(a, b))",
    "{k} = a.norm() * b.norm() + {n}",
    "{m} = torch.where(a > {n}, a, b).sum()",
    "{c} = (a[{n}:] - b[:-{n}]).abs().max()",
    "{d} = torch.tensor([q * {n} for q in a])",
    "{e} = len(b) / (1 + a.std())",
    "{f} = math.sqrt(abs(a[0] * b[-1])) - {n}",
    "{g} = a.reshape(-1, 1) @ b.reshape(1, -1)",
    "{h} = b.sort().values.diff().min()",
]
NAMES = [
    *("part", "left", "right", "first", "score", "value", "out", "res", "total", "dot", "prod"),
    *("tmp", "acc", "both", "mid", "top", "low", "mean", "big", "small"),
]
VOCABULARY = [
    f"{a}{b}{c}"
    for a in ("ka", "lo", "mi", "ne")
    for b in ("ra", "so", "tu")
    for c in ("ble", "ty", "ful", "ing")
]


def invented(random: Random) -> tuple[list[str], list[str]]:
    """A student's own: the lines of a wrong answer, and the words of a text."""
    places = "xyzuvwstkmcdefgh"
    names = dict(zip(places, random.sample(NAMES, len(places)), strict=True))
    lines = [
        step.format(**names, n=random.randint(2, 99)) for step in random.sample(STEPS, random.randint(4, 8))
    ]
    return lines, random.choices(VOCABULARY, k=30)


def as_code(lines: list[str]) -> str:
    return "\n    ".join(["def dot(a, b):", *lines, f"return {lines[-1].split(' = ')[0]}"])


def renamed(lines: list[str], text: list[str], random: Random) -> tuple[list[str], list[str]]:
    code = "\n".join(lines)
    for number, name in enumerate(NAMES):
        code = re.sub(rf"\b{name}\b(?!\()(?<!\.{name})", f"own{number}", code)
    return code.split("\n"), random.choices(VOCABULARY, k=30)


def reordered(lines: list[str], text: list[str], random: Random) -> tuple[list[str], list[str]]:
    return [*lines[1:-1], lines[0], lines[-1]], random.choices(VOCABULARY, k=30)


def reworded(lines: list[str], text: list[str], random: Random) -> tuple[list[str], list[str]]:
    other, _ = invented(random)
    return other, [random.choice(VOCABULARY) if random.random() < 0.12 else word for word in text]


def test_twenty_known_copies_among_three_hundred_students_come_first():
    random = Random(1)
    own = {f"s{number:03}": invented(random) for number in range(300)}
    copies = set()
    for number in range(20):
        source, copy = f"s{2 * number:03}", f"s{2 * number + 1:03}"
        how = (renamed, reordered, reworded)[number % 3]
        own[copy] = how(*own[source], random)
        copies.add((source, copy))
    code = {student: as_code(lines) for student, (lines, _) in own.items()}
    text = {student: " ".join(words) for student, (_, words) in own.items()}
    results = [*graded(code), *graded(text, points=None, task="why")]
    first = [pair.students for pair in similar(results, {"dot-product": [SOLUTION, NO_SUM]})[:20]]
    assert copies - set(first) == set()
