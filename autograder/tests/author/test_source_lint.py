"""What is refused about a lesson's source before anything of it runs, each with the cell and the reason."""

from __future__ import annotations

import pytest
from autograder.experiments.registry import EXPERIMENTS

SHOWN = '# %% id="shown"\n'
SHARE_TEST = '"grade_id": "share", "locked": true'


CODE = '"cell_type": "code", "grade": true, "grade_id": "share"'

# A cell to answer in words, and code in which a learner is to find the bug.
WRITTEN = (
    '# %% [markdown] nbgrader={"cell_type": "markdown", "grade": true, "grade_id": "why", "locked": false, '
    '"schema_version": 3, "solution": true, "task": false, "points": 2}\n'
    "# Why?\n#\n# ### BEGIN SOLUTION\n# Because.\n#\nSCHEME# ### END SOLUTION\n\n"
)
TOTAL = "has points=2; the '- n points:' lines of its marking scheme add up to"
END = "    return x / x.sum()\n    ### END SOLUTION\n"
FAULTY = "### BEGIN FAULTY\n# return x\n### END FAULTY\n"
TOO_EARLY = "its faulty code must stand after its solution"
NO_COMMENT = "every line of its faulty code is a comment in the source"


def written(*scheme: str) -> tuple[str, str]:
    return SHOWN, WRITTEN.replace("SCHEME", "".join(f"# {line}\n" for line in scheme)) + SHOWN


# What is changed in the tiny lesson, and all that is said of it.
# fmt: off
REFUSED: list[tuple[str, str, str, list[str]]] = [
    ("source", SHOWN, "# %%\n",
     ["the cell that begins 'print(\"the table\\'s largest number:\", table.max())': has no id"]),
    ("source", SHOWN, "# %%\n\n" + SHOWN,
     ["line 33: a code cell that holds only comments; is '[markdown]' missing?", "an empty cell: has no id"]),
    ("source", SHOWN, SHOWN.replace("shown", "setup"), ["cell setup: this id stands on 2 cells"]),
    ("source", SHOWN, SHOWN.replace("shown", "Shown"),
     ["cell Shown: an id is lower-case words joined by hyphens"]),
    ("source", SHOWN, SHOWN.replace("shown", "shown_here"),
     ["cell shown_here: an id is lower-case words joined by hyphens"]),
    ("source", SHOWN, SHOWN.replace("shown", "shown-"),
     ["cell shown-: an id is lower-case words joined by hyphens"]),
    ("source", SHOWN, SHOWN.replace("shown", "-shown"),
     ["cell -shown: an id is lower-case words joined by hyphens"]),
    ("source", SHOWN, "# %% id=5\n", ["cell 5: an id is lower-case words joined by hyphens"]),
    ("source", SHOWN, SHOWN + 'predict("Sum", "How much?")\nreveal("size", 1)\n',
     ["prediction Sum: an id is lower-case words joined by hyphens",
      "prediction Sum: asked for 1 times, its outcome shown 0 times",
      "prediction size: asked for 0 times, its outcome shown 1 times"]),
    ("source", SHOWN,
     '# %% id="asked"\npredict("sign", "Which?")\n\n' + SHOWN + 'reveal("sign", "minus" if 1 else "plus")\n',
     ["cell shown: JupyterLab shows a folded cell's first line: end it after `reveal(`"]),
    ("source", f'{SHARE_TEST}, "schema_version": 3', SHARE_TEST,
     ["cell share: nbgrader metadata lacks schema_version"]),
    ("source", ', "points": 3', "",
     ["cell share: nbgrader metadata lacks points",
      "cell share: has points=None; the checks in tasks.py add up to 3"]),
    ("source", CODE, CODE.replace("code", "markdown"),
     ["cell share: is code but its metadata says markdown"]),
    ("source", SHOWN, SHOWN + "### BEGIN SOLUTION\n### END SOLUTION\n",
     ["cell shown: holds a solution but is not marked as an answer cell"]),
    ("source", f"# %% nbgrader={{{CODE}", f'# %% id="shares" nbgrader={{{CODE}',
     ["cell shares: its grade_id is 'share'",
      "cell shares: tests a task that tasks.py does not know",
      "task share: has no test cell"]),
    ("source", SHARE_TEST, SHARE_TEST.replace("share", "shear"),
     ["cell shear: tests a task that tasks.py does not know", "task share: has no test cell"]),
    ("source", '"points": 3', '"points": 2',
     ["cell share: has points=2; the checks in tasks.py add up to 3"]),
    ("source", "share-answer", "shares-answer",
     ["task share: has no answer cell share-answer", "cell shares-answer: is an answer cell of no task"]),
    ("tasks", "tasks=(SHARE, ROW_SUMS)", "tasks=(SHARE, ROW_SUMS, ROW_SUMS)",
     ["task row-sums: defined 2 times in tasks.py"]),
    ("source", "# Text about it.", "# ![](map.png)", ["cell title: a picture without alt text"]),
    *(("source", "# Text about it.", f"# {output}",
       [f"cell title: {habit!r} is not how a native says it; for example: {instead}"])
      for output, habit, instead in (
          ("It comes behind the softmax.", "behind", "after, next to"),
          ("It must work also when it is empty.", "also when", "even when, even if"),
          ("Which shape has the output?", "Which shape has", "what is the shape of"),
          ("The mask stands beside it.", "stands", "is"),
          ("The claim holds.", "holds", "is true, applies"),
          ("Each is paid with memory.", "is paid with", "you pay for"),
          ("It sums to 1 all the same.", "all the same", "nevertheless, still"),
          ("Dropout falls on the weights.", "falls on", "applies to"),
          ("What is to be trained is a parameter.", "What is to be", "what should be"),
          ("Mind the shapes.", "Mind the", "watch out for"),
          ("A loop costs the points.", "costs the points", "you would lose the points"),
          ("Positions count on.", "Positions count on", "keep counting"),
      )),
    ("source", SHOWN,
     '# %% id="asked"\npredict("size", "Which shape has x?", ("1",))\nreveal("size", "1")\n\n' + SHOWN,
     ["cell asked: 'Which shape has' is not how a native says it; for example: what is the shape of"]),
    ("source", "# Text about it.", "# ![ ](map.png)", ["cell title: a picture without alt text"]),
    ("source", "# Text about it.", '# <img alt="" src="a.png"/>', ["cell title: an <img> without alt text"]),
    ("source", "# Text about it.", '# <IMG src="a.png" alt=" ">', ["cell title: an <img> without alt text"]),
    ("tasks", "means: ", "columns: ",
     ["task row-sums: needs wrong answers with at least two faults, has 1"]),
    ("tasks", 'hints=("Divide by the sum.",)', "hints=()", ["task share: has no hints"]),
    ("tasks", 'Probe("four"', 'Probe("three"',
     ["task share: two probes are called three", "task share: check names the unknown probe four"]),
    ("tasks", '2, ("four",)', '2, ("five",)',
     ["task share: check names the unknown probe five", "task share: probe four is in no check"]),
    ("tasks", 'Check("each row", 1)', 'Check("each row", 1, ("as-seen",))',
     ["task row-sums: a tensor's probes are the lesson's givens; name none"]),
    ("tasks", '(Check("each row", 1),)', '(Check("each row", 1), Check("again", 0))',
     ["task row-sums: a tensor task has exactly one check"]),
    ("tasks", 'needs=("share",)', 'needs=("row-sums",)',
     ["task row-sums: needs row-sums, which is no earlier task"]),
    ("tasks", 'needs=("share",)', 'needs=("nothing",)',
     ["task row-sums: needs nothing, which is no earlier task"]),
    ("tasks", 'properties=("sums-to-one"', 'properties=("sum-to-one"',
     ["task share: there is no property sum-to-one"]),
    ("tasks", '"x: (tokens,)"', '"x: (rows,)"',
     ["task share: its statement does not demand 'x: (rows,)'"]),
    ("tasks", '(tokens,)": "by-count"', '(tokens,)": "by-nothing"',
     ["task share: no wrong answer breaks the demand 'x: (tokens,)': it has no by-nothing"]),
    ("tasks", '(tokens,)": "by-count"', '(tokens,)": "by-count", "tokens": "by-count"',
     ["task share: 2 demands are broken by by-count: each needs a wrong answer that breaks only it"]),
    ("tasks", 'input_axes={"x": ("tokens",)}', 'input_axes={"x": ("stations as start",)}',
     [f"task share: course.toml does not say under `entries` what one entry along the axis {axis!r} is called"
      for axis in ("stations", "start")]),
    *(("source", SHOWN, f'# %% id="more"\n{prose}\n{SHOWN}',
       ["line 33: a code cell that holds only comments; is '[markdown]' missing?"])
      for prose in ("# One paragraph.\n", "# Two.\n#\n# Paragraphs.\n", "#Squeezed.\n", "#\n# - a list\n")),
    *(("source", *written(*scheme), [f"cell why: {TOTAL} {total}"])
      for scheme, total in (
          ((), 0), (("- 1 point: one half.",), 1), (("- 2 points: all.", "- 1 point: and more."), 3),
          (("* 2 points: another sign.",), 0), (("- two points: a word.",), 0),
      )),
    ("source", SHOWN,
     written("- 1 point: one half.")[1].replace("# Why?\n", "# Why?\n#\n# - 1 point: asked.\n"),
     [f"cell why: {TOTAL} 1"]),
    *(("source", END, END + faulty, ["cell share-answer: BEGIN FAULTY and END FAULTY do not pair"])
      for faulty in (
          "### BEGIN FAULTY\n# return x\n", "# return x\n### END FAULTY\n", FAULTY + FAULTY,
          FAULTY + "### BEGIN FAULTY\n", "### END FAULTY\n# return x\n### BEGIN FAULTY\n",
          "### END FAULTY\n### BEGIN FAULTY\n# return x\n", FAULTY.replace("# return x\n", FAULTY),
      )),
    *(("source", END, END + FAULTY.replace("# return x", line), [f"cell share-answer: {NO_COMMENT}"])
      for line in ("share = None", "    return x", "# return x\nshare = None", "...  # later")),
    *(("source", start, FAULTY + start, [f"cell share-answer: {TOO_EARLY}"])
      for start in ("def share(x):\n", "    ### BEGIN SOLUTION\n")),
    ("source", SHOWN, SHOWN + FAULTY, [f"cell shown: {TOO_EARLY}"]),
    ("source", "def share(x):\n", FAULTY.replace("# return x", "share = None") + "def share(x):\n",
     [f"cell share-answer: {TOO_EARLY}", f"cell share-answer: {NO_COMMENT}"]),
]
# What is changed in it and fine.
FINE: list[tuple[str, str]] = [
    ("Shapes: x: (tokens,).", "Shapes: `x`:\n        **(tokens,)**."),
    *(written(*scheme) for scheme in (
        ("- 2 points: all of it.",), ("- 1 point: one half.", "- 1 point: the other."),
        ("- 0 points: nothing.", "- 2 points: because."),
    )),
    *((END, END + FAULTY.replace("# return x", lines)) for lines in (
        "# return x", "# y = 1\n#\n# return y", "# y = 1\n\n# return y", "    # return x",
        "# # why\n# return x",
    )),
]
# fmt: on


def test_the_tiny_lesson_has_no_problems(problems):
    assert problems() == []


@pytest.mark.parametrize(("old", "new"), FINE)
def test_what_is_fine_in_a_lesson_has_no_problems(problems, old, new):
    assert problems(source=((old, new),)) == []


@pytest.mark.parametrize(("file", "old", "new", "output"), REFUSED)
def test_what_is_wrong_with_a_lesson_is_named(problems, file, old, new, output):
    assert problems(**{file: ((old, new),)}) == output


def test_code_inside_a_prose_cell_is_named_by_its_line(problems, source_text):
    actual = problems(source=(("# Text about it.\n", "# Text about it.\nx = 1\n"),))
    line = source_text.splitlines().index("# Text about it.") + 2
    assert actual == [f"line {line}: code inside a prose cell ('x = 1'); is a '# %%' missing?"]


# nbgrader's metadata


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"schema_version": 3', '"schema_version": 2'),
        ('"locked": true, "schema_version": 3', '"locked": "yes", "schema_version": 3'),
        ('"points": 3', '"points": -3'),
    ],
)
def test_metadata_that_nbgrader_would_refuse_is_named_with_its_reason(problems, old, new):
    actual = problems(source=((old, new),))
    assert any(line.startswith("cell share: nbgrader refuses its metadata: ") for line in actual)


# Tasks and their cells


@pytest.mark.parametrize(
    "cell",
    [
        'check("share")\nprint(share)',
        'print(check("share"))',
        'check("row-sums")',
        'check("share", share)',
        'check(task_id="share")',
        'x = check("share")',
        "check(",
        "",
    ],
)
def test_a_test_cell_that_is_more_or_less_than_its_check_is_named(problems, cell):
    actual = problems(source=(('check("share")\n', cell + "\n"),))
    assert 'cell share: a test cell is check("share") and nothing else' in actual


def test_an_answer_cell_after_its_test_is_named(problems, source_text):
    start = source_text.index("# %% nbgrader")
    test = source_text.index("# %% nbgrader", start + 5)
    after = source_text.index("# %% nbgrader", test + 5)
    answer = source_text[start:test]
    actual = problems(source=((source_text[start:after], source_text[test:after] + answer),))
    assert actual == ["task share: its answer cell comes after its test"]


# tasks.py by itself


def test_every_problem_is_told_at_once(problems):
    actual = problems(
        source=((SHOWN, "# %%\n"), ('"points": 3', '"points": 2'), ("# Text about it.", "# ![](map.png)")),
        tasks=(('hints=("Divide by the sum.",)', "hints=()"),),
    )
    assert len(actual) == 4


# Experiments

SECOND = 'Probe("four", "four numbers", {"x": torch.tensor([2.0, 2.0, 4.0, 8.0])}'


def experiment(name):
    return (SECOND, f'{SECOND}, observe="{name}", settings={{"input": "x", "axis": 0}}')


@pytest.mark.parametrize("name", ["influences", "", "Influence", "drop-out"])
def test_an_experiment_that_nobody_knows_is_named_with_its_probe(problems, name):
    actual = problems(tasks=(experiment(name),))
    assert f"task share: probe four names the unknown experiment {name}" in actual


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_check_by_an_experiment_alone_is_refused(problems, name):
    actual = problems(tasks=(experiment(name),))
    reason = "earns points by experiments alone, whose outcome can be guessed"
    assert actual == [f"task share: the check 'four numbers' {reason}"]


TOGETHER = (
    'Check("three numbers", 1, ("three",)), Check("four numbers", 2, ("four",))',
    'Check("all numbers", 3, ("three", "four")),',
)


def dropping(p, observe="dropout"):
    return (SECOND, f'{SECOND}, observe="{observe}", settings={{"input": "x", "axis": 0, "p": {p}}}')


@pytest.mark.parametrize("p", ["0.5", "1 / 2"])
def test_dropout_that_keeps_as_much_as_it_drops_is_refused(problems, p):
    actual = problems(tasks=(dropping(p), TOGETHER))
    assert actual == ["task share: probe four cannot tell what is dropped from what is kept with p = 0.5"]


def test_a_check_with_an_unknown_probe_is_not_said_to_be_an_experiment(problems):
    actual = problems(tasks=(experiment("influence"), ('2, ("four",)', '2, ("four", "five")')))
    assert actual == ["task share: check names the unknown probe five"]


# What a task forbids

CAUGHT = 'rights("torch: = torch.softmax(x.log(), 0)")'
FORBIDS = f'forbids=Forbid(("softmax",), points=2, caught={CAUGHT}),\n)'
SHARE_END = '    right=rights("double: = x.double() / x.double().sum()"),\n)'
TEXT = "# Text about it."


def forbidding(change=("", "")):
    return (
        ("import Check, Lesson", "import Check, Forbid, Lesson"),
        (SHARE_END, SHARE_END[:-1] + "    " + FORBIDS.replace(*change)),
    )


def test_a_task_whose_text_names_what_it_forbids_has_no_problems(problems):
    assert problems(source=((TEXT, "# Do without `torch.softmax`."),), tasks=forbidding()) == []


@pytest.mark.parametrize(
    "text", [TEXT, "# Write `softmax`.", "# Write `softmax_naive(x)`.", "# No torch.softmax."]
)
def test_a_text_that_does_not_name_what_is_forbidden_is_named(problems, text):
    actual = problems(source=((TEXT, text),), tasks=forbidding())
    assert actual == ["task share: the text before its answer cell names no softmax that must not be called"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (('("softmax",)', '("sofmax",)'), "forbids sofmax, which course.toml does not describe"),
        (('("softmax",)', "()"), "forbids nothing"),
        (("points=2", "points=0"), "a forbidden call costs 0, and the whole task is worth 3"),
        (("points=2", "points=4"), "a forbidden call costs 4, and the whole task is worth 3"),
        ((CAUGHT, "()"), "needs an answer that is caught with what it forbids"),
        (("torch: ", "double: "), "two right answers are called double"),
    ],
)
def test_a_forbid_that_does_not_fit_is_named(problems, change, problem):
    actual = problems(source=((TEXT, "# Do without `torch.softmax`."),), tasks=forbidding(change))
    assert actual == [f"task share: {problem}"]


def test_a_tensor_forbids_nothing(problems):
    hint = 'hints=("Sum over axis 1.",),'
    forbids = (hint, hint + ' forbids=Forbid(("softmax",), points=1, caught=()),')
    actual = problems(tasks=(("import Check, Lesson", "import Check, Forbid, Lesson"), forbids))
    assert "task row-sums: forbids a call, and how a tensor was made cannot be seen" in actual


def test_a_function_of_the_course_that_makes_a_forbidden_call_is_named(problems):
    given = "table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])"
    actual = problems(
        source=(
            (TEXT, "# Do without `torch.softmax`."),
            (given, given + "\n\ndef weights(x):\n    return torch.softmax(x, 0)"),
        ),
        tasks=forbidding(),
    )
    assert actual == [
        "task share: forbids torch.softmax, and cell example-data gives learners `weights`, which uses it"
    ]


def test_a_course_cell_that_only_shows_a_forbidden_call_is_allowed(problems):
    given = "table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])"
    source = ((TEXT, "# Do without `torch.softmax`."), (given, given + "\nprint(torch.softmax(table, 0))"))
    assert problems(source=source, tasks=forbidding()) == []


@pytest.mark.parametrize(
    "output",
    [
        "It stands for every head.",
        "Nobody is left behind.",
        "`behind` is a name, and $holds$ a formula.",
        "Keep it in mind.",
    ],
)
def test_what_only_looks_like_a_habit_is_allowed(problems, output):
    assert problems(source=(("# Text about it.", f"# {output}"),)) == []
