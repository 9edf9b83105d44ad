"""What tasks say to wrong answers: nothing that is untrue, and nothing that nobody has read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from autograder.author.authoring import load_faults
from autograder.author.build_bank import make_bank
from autograder.author.lesson_source import read_lesson
from autograder.author.message_review import confirm, messages_of, messages_text
from autograder.author.pipeline import current_bank
from autograder.author.shared_text_check import READ, load_read
from autograder.command.app import app
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Claims, Course
from typer.testing import CliRunner

from .conftest import NAME

# The mistake of the first task is made in the second, too.
SHARED = (("means: table.sum → table.mean", "by-count: table.sum → table.mean"),)
ON_RESULTS = (
    "FAULTS = (",
    "from autograder.author.authoring import OnResult\n"
    "ON_RESULTS = (OnResult('turned', lambda result, axis: result.flip(axis), code='return'),)\n"
    "FAULTS = (\n    Fault('turned', 'turned round', 'The order is turned round.'),",
)


def refused(course: Course) -> list[str]:
    try:
        current_bank(read_lesson(course, NAME))
    except AuthoringError as problem:
        return problem.problems
    return []


def test_a_text_that_tasks_share_has_to_be_read_in_each(course_with):
    course = course_with(tasks=SHARED)
    assert refused(course) == [
        f"{NAME}: task {task}: nobody has read there what by-count says" for task in ("share", "row-sums")
    ]
    output = list(messages_of(course, NAME))
    assert [item.unread for item in output] == [("by-count",), ("by-count",)]
    assert confirm(course, NAME, output[:1]) == 1
    assert refused(course) == [f"{NAME}: task row-sums: nobody has read there what by-count says"]
    assert confirm(course, NAME, list(messages_of(course, NAME, ["row-sums"]))) == 1
    assert refused(course) == []


def test_what_was_read_is_read_again_when_it_is_worded_anew(course_with):
    course = course_with(tasks=SHARED)
    confirm(course, NAME, list(messages_of(course, NAME)))
    faults = course.source / "faults.py"
    faults.write_text(faults.read_text().replace("not by the count", "not by how many there are"))
    assert len(refused(course)) == 2
    (output,) = messages_of(course, NAME, ["share"])
    assert (output.unread, list(output.shared)) == (("by-count",), ["by-count"])


def test_a_text_of_the_task_itself_needs_no_reading(course_with):
    own = "by-count: x.sum() → len(x)", "by-count: x.sum() → len(x)\n            hint: Divide by the sum."
    course = course_with(tasks=(*SHARED, own))
    assert refused(course) == [f"{NAME}: task row-sums: nobody has read there what by-count says"]


def test_every_lesson_of_several_reads_what_it_says_of_the_shared_mistakes(course_with):
    course = replace(course_with(), lessons=(NAME, "02-more"))
    assert len(refused(course)) == 4


def test_a_mistake_that_is_made_with_a_result_is_shown_too(course_with):
    output = list(messages_of(course_with(faults=(ON_RESULTS,)), NAME))
    assert [[item.fault for item in task.messages] for task in output] == [
        ["by-largest", "by-count", "turned"],
        ["columns", "means"],  # its solution returns nothing
    ]
    assert output[0].messages[-1].change == ""
    assert "The order is turned round." in output[0].messages[-1].text


def test_a_mistake_that_shows_only_beside_another_one_is_shown_too(course_with):
    truth = "return x > x.mean()", "return x / x.sum()"
    course = course_with(
        source=(truth[::-1],),
        tasks=(
            ('properties=("sums-to-one",),', 'dtypes=("bool",),'),
            ("by-largest: x.sum() → x.max()", "by-largest: x.mean() → x.min()"),
            ("by-count: x.sum() → len(x)", "by-count: > x.mean() → - x.mean()"),
            ('"double: = x.double() / x.double().sum()"', '"mean-first: = x.mean() < x"'),
        ),
        faults=(ON_RESULTS,),
    )
    (output,) = messages_of(course, NAME, ["share"])
    assert output.beside == {"turned": "The order is turned round."}
    assert "--- turned, beside another mistake\nThe order is turned round." in messages_text(output)
    result = make_bank(*_run(course))
    assert "turned" in [item.id for item in result.tasks["share"].known_wrong]


def _run(course: Course):
    source = read_lesson(course, NAME)
    return source.lesson, source.runs, NAME, load_faults(course.source)


def test_messages_are_shown_as_a_learner_reads_them(course_with):
    (output,) = messages_of(course_with(), NAME, ["share"])
    text = messages_text(output)
    assert "=== share: Shares of a whole\n\nhint: Divide by the sum.\n\nlearned: Shares add up to 1." in text
    assert (
        "--- by-count\n-    return x / x.sum()\n+    return x / len(x)\n[not yet] Shares of a whole" in text
    )
    assert "Divide by the sum, not by the count." in text
    assert "its hint is not said" not in text


def test_a_hint_that_a_message_does_not_say_is_shown_beside_it(course_with):
    (output,) = messages_of(course_with(), NAME, ["share"])
    silent = replace(output, messages=(replace(output.messages[0], text="[not yet] Shares"),))
    assert "[not yet] Shares\nits hint is not said: Divide by the sum." in messages_text(silent)


def test_what_nobody_has_read_can_be_shown_alone(course_with):
    course = course_with(tasks=SHARED)
    first, _ = messages_of(course, NAME)
    assert "--- by-count, not yet read" in messages_text(first, only_unread=True)
    assert "by-largest" not in messages_text(first, only_unread=True)
    confirm(course, NAME, [first])
    (first,) = messages_of(course, NAME, ["share"])
    assert messages_text(first, only_unread=True) == "=== share: all that it shares with other tasks is read"


def test_a_task_that_the_lesson_has_not_is_refused(course_with):
    with pytest.raises(AuthoringError, match=r"there is no task shares\. There are: "):
        list(messages_of(course_with(), NAME, ["shares"]))


def test_the_command_prints_messages_and_keeps_what_was_read(course_with):
    course = course_with(tasks=SHARED)
    where = ["--course", str(course.root)]
    printed = CliRunner().invoke(app, ["messages", "01", "row-sums", *where])
    assert printed.exit_code == 0
    assert "--- by-count, not yet read" in printed.output
    assert not (course.source / NAME / READ).exists()
    saved = CliRunner().invoke(app, ["messages", "01", "row-sums", "--confirm", *where])
    assert saved.output == "1 text is new among those read.\n"
    assert list(load_read(course.source / NAME)) == ["row-sums"]


def test_a_file_of_what_was_read_that_is_damaged_is_named(course_with):
    course = course_with()
    (course.source / NAME / READ).write_text("[share]\nby-count = 3\n")
    assert READ in refused(course)[0]


@pytest.mark.parametrize(
    ("hint", "claims", "what"),
    [
        ("Use `torch.cumsum`.", Claims(), "speaks of what is not there: `torch.cumsum`"),
        ("Use `torch.cumsum`.", Claims(words=("cumsum",)), ""),
        ("Use `x.sum()`, not `len`.", Claims(), ""),
        ("Is the loop too short?", Claims(code={"loop": r"\bfor\b"}), "speaks of what is not there: 'loop'"),
        ("Is the sum too small?", Claims(code={"sum": r"\bsum\b"}), ""),
        ("The numbers are right.", Claims("numbers are"), "says that numbers are right, and they are not"),
    ],
)
def test_a_text_that_says_what_is_not_so_is_refused(course_with, hint, claims, what):
    course = course_with(faults=(('"Divide by {whole}, not by the count."', repr(hint)),))
    problem = f"{NAME}: task share: the text of by-count {what}"
    assert refused(replace(course, claims=claims)) == ([problem] if what else [])


def test_a_result_of_another_shape_may_have_the_right_numbers(course_with):
    course = course_with(
        tasks=(("x.sum() → len(x)", "return x / x.sum() → return (x / x.sum())[None]"),),
        faults=(("Divide by {whole}, not by the count.", "The numbers are right."),),
    )
    assert refused(replace(course, claims=Claims("numbers are right"))) == []


@pytest.mark.parametrize(
    ("word", "actual"),
    [
        ("by-count", ["by-count: divided by the count"]),
        ("DIVIDE by", ["by-count: divided by the count", "by-largest: divided by the largest"]),
        ("", [f"{name}: " for name in ("by-count", "by-largest", "columns", "means")]),
    ],
)
def test_the_mistakes_that_have_a_word_are_listed_with_their_lessons(course_with, word, actual):
    listed = CliRunner().invoke(app, ["faults", word, "--course", str(course_with().root)])
    lines = listed.output.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        next(line for line in lines if line.startswith(name)) for name in actual
    ]
    assert lines.count(f"    named in source/faults.py, shown in {NAME}") == len(actual)


def test_a_word_that_no_mistake_has_is_told(course_with):
    listed = CliRunner().invoke(app, ["faults", "median", "--course", str(course_with().root)])
    assert (listed.exit_code, "No mistake of the course has 'median'" in listed.output) == (2, True)


def test_what_a_result_without_fractions_cannot_show_is_asked_of_nobody(course_with):
    course = course_with(
        source=(("return x / x.sum()", "return x > x.mean()"),),
        tasks=(
            ('properties=("sums-to-one",),', 'dtypes=("bool",),'),
            ("by-largest: x.sum() → x.max()", "by-largest: x.mean() → x.min()"),
            ("by-count: x.sum() → len(x)", "by-count: x.mean() → x.max()"),
            ('"double: = x.double() / x.double().sum()"', '"mean-first: = x.mean() < x"'),
        ),
        faults=(ON_RESULTS,),
    )
    (output,) = messages_of(course, NAME, ["share"])
    assert output.beside == {}


def test_what_was_read_in_a_task_that_is_gone_is_dropped(course_with):
    course = course_with(tasks=SHARED)
    (course.source / NAME / READ).write_text('[gone]\nby-count = "12345678"\n')
    confirm(course, NAME, list(messages_of(course, NAME)))
    assert list(load_read(course.source / NAME)) == ["share", "row-sums"]
