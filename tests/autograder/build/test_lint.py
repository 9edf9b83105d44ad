"""What is refused about a lesson's source before anything of it runs, each with the cell and the reason."""

from __future__ import annotations

import pytest

SHOWN = '# %% id="shown"\n'
SHARE_TEST = '"grade_id": "share", "locked": true'


def test_the_tiny_lesson_has_no_problems(problems):
    assert problems() == []


# Cells and ids


def test_a_cell_without_an_id_is_named_by_how_it_begins(problems):
    found = problems(source=((SHOWN, "# %%\n"),))
    assert found == [
        "the cell that begins 'print(\"the table\\'s largest number:\", table.max())': has no id"
    ]


def test_an_empty_cell_without_an_id_is_named_as_empty(problems):
    assert "an empty cell: has no id" in problems(source=((SHOWN, "# %%\n\n" + SHOWN),))


def test_an_id_that_stands_on_two_cells_is_named(problems):
    found = problems(source=((SHOWN, SHOWN.replace("shown", "setup")),))
    assert found == ["cell setup: this id stands on 2 cells"]


def test_a_test_cell_that_stands_there_twice_is_named(problems, source_text):
    start = source_text.index("# %% nbgrader", source_text.index("x / x.sum()"))
    cell = source_text[start : source_text.index("# %%", start + 5)]
    assert "cell share: this id stands on 2 cells" in problems(source=((SHOWN, cell + SHOWN),))


@pytest.mark.parametrize("name", ["Shown", "shown_here", "shown-", "shown twice", "-shown"])
def test_an_id_of_another_form_is_named(problems, name):
    found = problems(source=((SHOWN, SHOWN.replace("shown", name)),))
    assert found == [f"cell {name}: an id is lower-case words joined by hyphens"]


def test_an_id_that_is_no_text_is_named(problems):
    found = problems(source=((SHOWN, "# %% id=5\n"),))
    assert any(line.startswith("cell 5: ") for line in found)


def test_code_inside_a_prose_cell_is_named_by_its_line(problems, source_text):
    found = problems(source=(("# Text about it.\n", "# Text about it.\nx = 1\n"),))
    line = source_text.splitlines().index("# Text about it.") + 2
    assert found == [f"line {line}: code inside a prose cell ('x = 1'); is a '# %%' missing?"]


@pytest.mark.parametrize(
    "prose", ["# One paragraph.\n", "# Two.\n#\n# Paragraphs.\n", "#Squeezed.\n", "#\n# - a list\n"]
)
def test_prose_in_a_code_cell_is_named_by_its_line(problems, source_text, prose):
    found = problems(source=((SHOWN, '# %% id="more"\n' + prose + "\n" + SHOWN),))
    line = source_text.splitlines().index(SHOWN.strip()) + 1
    expected = f"line {line}: a code cell that holds only comments; is '[markdown]' missing?"
    assert found == [expected]


def test_a_comment_above_code_is_no_prose(problems):
    assert problems(source=((SHOWN, SHOWN + "# Look at the largest.\n"),)) == []


# nbgrader's metadata


def test_metadata_that_lacks_a_key_is_named_with_the_key(problems):
    found = problems(source=((f'{SHARE_TEST}, "schema_version": 3', SHARE_TEST),))
    assert found == ["cell share: nbgrader metadata lacks schema_version"]


def test_a_test_without_points_is_named(problems):
    assert "cell share: nbgrader metadata lacks points" in problems(source=((', "points": 3', ""),))


def test_a_cell_type_that_is_not_the_cells_is_named(problems):
    found = problems(
        source=(('"cell_type": "code", "grade": true, "grade_id": "share"',
                 '"cell_type": "markdown", "grade": true, "grade_id": "share"'),)
    )  # fmt: skip
    assert found == ["cell share: is code but its metadata says markdown"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"schema_version": 3', '"schema_version": 2'),
        ('"locked": true, "schema_version": 3', '"locked": "yes", "schema_version": 3'),
        ('"points": 3', '"points": -3'),
    ],
)
def test_metadata_that_nbgrader_would_refuse_is_named_with_its_reason(problems, old, new):
    found = problems(source=((old, new),))
    assert any(line.startswith("cell share: nbgrader refuses its metadata: ") for line in found)


def test_a_solution_outside_an_answer_cell_is_named(problems):
    found = problems(source=((SHOWN, SHOWN + "### BEGIN SOLUTION\n### END SOLUTION\n"),))
    assert found == ["cell shown: holds a solution but is not marked as an answer cell"]


def test_an_explicit_id_that_is_not_the_grade_id_is_named(problems):
    header = 'nbgrader={"cell_type": "code", "grade": true, "grade_id": "share"'
    found = problems(source=((f"# %% {header}", f'# %% id="shares" {header}'),))
    assert "cell shares: its grade_id is 'share'" in found


# Tasks and their cells


def test_a_test_of_an_unknown_task_is_named(problems):
    found = problems(source=((SHARE_TEST, '"grade_id": "shear", "locked": true'),))
    assert "cell shear: tests a task that tasks.py does not know" in found
    assert "task share: has no test cell" in found


def test_points_that_disagree_with_the_checks_are_named(problems):
    found = problems(source=(('"points": 3', '"points": 2'),))
    assert found == ["cell share: gives 2 points; the checks in tasks.py add up to 3"]


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
    found = problems(source=(('check("share")\n', cell + "\n"),))
    assert 'cell share: a test cell is check("share") and nothing else' in found


def test_a_task_without_an_answer_cell_is_named(problems):
    found = problems(source=(("share-answer", "shares-answer"),))
    assert found == [
        "task share: has no answer cell share-answer",
        "cell shares-answer: is an answer cell of no task",
    ]


def test_an_answer_cell_after_its_test_is_named(problems, source_text):
    start = source_text.index("# %% nbgrader")
    test = source_text.index("# %% nbgrader", start + 5)
    after = source_text.index("# %% nbgrader", test + 5)
    answer = source_text[start:test]
    found = problems(source=((source_text[start:after], source_text[test:after] + answer),))
    assert found == ["task share: its answer cell comes after its test"]


def test_a_task_that_is_defined_twice_is_named(problems):
    found = problems(tasks=(("tasks=(SHARE, ROW_SUMS)", "tasks=(SHARE, ROW_SUMS, ROW_SUMS)"),))
    assert "task row-sums: defined 2 times in tasks.py" in found


# Alt text


@pytest.mark.parametrize("picture", ["![](map.png)", "![ ](map.png)"])
def test_a_picture_without_alt_text_is_named(problems, picture):
    found = problems(source=(("# Text about it.", f"# {picture}"),))
    assert found == ["cell title: a picture without alt text"]


@pytest.mark.parametrize(
    "tag", ['<img src="a.png">', '<img alt="" src="a.png"/>', '<IMG src="a.png" alt=" ">']
)
def test_an_img_without_alt_text_is_named(problems, tag):
    found = problems(source=(("# Text about it.", f"# {tag}"),))
    assert found == ["cell title: an <img> without alt text"]


@pytest.mark.parametrize(
    "picture", ["![A map](map.png)", '<img src="a.png" alt="A map">', "<img alt='A map'>"]
)
def test_a_picture_with_alt_text_is_fine(problems, picture):
    assert problems(source=(("# Text about it.", f"# {picture}"),)) == []


# tasks.py by itself


def test_a_task_with_one_known_wrong_answer_is_named(problems):
    wrong = '        Wrong("means", lambda table: table.mean(dim=1), "These are means."),\n'
    assert problems(tasks=((wrong, ""),)) == ["task row-sums: needs at least two known wrong answers, has 1"]


def test_a_task_without_hints_is_named(problems):
    assert problems(tasks=(('hints=("Divide by the sum.",)', "hints=()"),)) == ["task share: has no hints"]


def test_two_known_wrong_answers_of_one_name_are_named(problems):
    found = problems(tasks=(('Wrong("means"', 'Wrong("columns"'),))
    assert found == ["task row-sums: two wrong answers are called columns"]


def test_two_probes_of_one_name_are_named(problems):
    found = problems(tasks=(('Probe("four"', 'Probe("three"'),))
    assert "task share: two probes are called three" in found


def test_a_check_that_asks_for_an_unknown_probe_is_named_and_the_probe_that_is_left(problems):
    found = problems(tasks=(('2, ("four",)', '2, ("five",)'),))
    assert found == [
        "task share: check names the unknown probe five",
        "task share: probe four is in no check",
    ]


def test_probes_of_a_tensor_are_refused(problems):
    found = problems(tasks=(('Check("each row", 1)', 'Check("each row", 1, ("as-seen",))'),))
    assert found == ["task row-sums: a tensor's probes are the lesson's givens; name none"]


def test_two_checks_of_a_tensor_are_refused(problems):
    found = problems(tasks=(('(Check("each row", 1),)', '(Check("each row", 1), Check("again", 0))'),))
    assert found == ["task row-sums: a tensor task has exactly one check"]


@pytest.mark.parametrize("needed", ["row-sums", "nothing"])
def test_a_task_that_needs_no_earlier_task_is_named(problems, needed):
    found = problems(tasks=(('needs=("share",)', f'needs=("{needed}",)'),))
    assert found == [f"task row-sums: needs {needed}, which is no earlier task"]


def test_a_property_that_nobody_knows_is_named(problems):
    found = problems(tasks=(('Property("sums-to-one"', 'Property("sum-to-one"'),))
    assert any("sum-to-one" in line and line.startswith("task share: ") for line in found)


def test_every_problem_is_told_at_once(problems):
    found = problems(
        source=((SHOWN, "# %%\n"), ('"points": 3', '"points": 2'), ("# Text about it.", "# ![](map.png)")),
        tasks=(('hints=("Divide by the sum.",)', "hints=()"),),
    )
    assert len(found) == 4
