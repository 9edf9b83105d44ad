"""Hidden probes: drawn from a secret, used while they fit the public bank, and told without numbers."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest
import torch
from autograder.author.authoring import load_faults, load_lesson
from autograder.author.build_bank import make_bank
from autograder.author.parse_source import read_source
from autograder.author.solution_runs import run_solution
from autograder.command import app as cli
from autograder.grading.grading_banks import Banks, HiddenTestSampler
from autograder.grading.hidden_tests import lesson_draws, secret
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect_answer
from autograder.records import bank, serialization
from autograder.records.answer_findings import NotComputed, Verdict
from autograder.records.bank import AS_SEEN, LessonBank, without_answers
from autograder.records.course import Course
from autograder.records.run_outcome import Outcome
from autograder.words.feedback_card import Feedback
from support.tiny_course import NAME, TASKS, edited, write_course
from typer.testing import CliRunner


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, LessonBank]:
    """The tiny course and its public bank."""
    course = write_course(tmp_path_factory.mktemp("secret") / "course")
    lesson = load_lesson(course.source / NAME)
    notebook = read_source(course.source / NAME / f"{NAME}.py")
    runs = run_solution(lesson, notebook, NAME)
    return course, make_bank(lesson, runs, NAME, load_faults(course.source))


@pytest.fixture
def course(result: tuple[Course, LessonBank], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """The tiny course, its bank in the place of the public one, and a secret place that is still empty."""
    monkeypatch.setenv(secret.OWN_FOLDER, str(tmp_path / "place"))
    course = Course.read(shutil.copytree(result[0].root, tmp_path / "course"))
    bank.save(result[1], course.bank)
    return course


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def drawn(course: Course, handed_in: bytes = b"answers", word: str = "0123456789abcdef") -> LessonBank:
    """A lesson as a submission is asked about it."""
    banks = Banks.of(course)
    return banks.lesson(NAME, HiddenTestSampler(banks, word).of(NAME, handed_in))


def asked(lesson: LessonBank) -> list[float]:
    """The numbers that a hidden probe asks about."""
    return lesson.tasks["share"].probe["three-hidden"].inputs["x"].tolist()


def verdict_on(answer: object, lesson: LessonBank) -> Verdict:
    task = lesson.tasks["share"]
    return judge(task, collect_answer(task, lesson, answer, dict(lesson.givens[AS_SEEN])))


def test_the_secret_is_this_users_alone_and_made_once(course):
    secret.make(course, NAME)
    saved = secret.folder(course) / secret.NAME
    assert (mode(secret.folder(course)), mode(saved)) == (0o700, 0o600)
    before = saved.read_text()
    assert len(before) == 64
    secret.make(course, NAME)
    assert saved.read_text() == before


def test_without_a_secret_nothing_is_drawn_and_a_note_says_so(course):
    banks = Banks.of(course)
    assert banks.notes[NAME] == f"visible probes only: `autograder secret {NAME}` makes hidden ones"
    assert HiddenTestSampler(banks, secret.new_word()).of(NAME, b"answers") == {}
    assert banks.questions(NAME, {}) == {}
    assert drawn(course) == banks.lesson(NAME)


def test_questions_are_written_for_the_lessons_that_are_graded_alone(course, tmp_path):
    for lessons, files in (((NAME,), 3), ((), 1)):
        folder = tmp_path / str(files)
        folder.mkdir()
        Banks.of(course).only(lessons).write_questions(folder)
        assert len(list(folder.iterdir())) == files


def test_without_its_source_nothing_is_drawn_and_a_note_says_so(course):
    secret.make(course, NAME)
    before = Banks.of(course).digest(NAME)
    shutil.rmtree(course.source / NAME)
    banks = Banks.of(course)
    assert banks.notes[NAME].startswith("visible probes only: its source is not there")
    assert banks.digest(NAME) != before


def test_every_grading_run_asks_something_else(course):
    secret.make(course, NAME)
    first = drawn(course, b"my answers", secret.new_word())
    second = drawn(course, b"my better answers", secret.new_word())
    assert asked(first) != asked(second)
    assert not torch.equal(first.givens["hidden-1"]["table"], second.givens["hidden-1"]["table"])


def test_who_hands_in_the_same_again_is_asked_the_same_again(course):
    secret.make(course, NAME)
    first = drawn(course, b"my answers", secret.new_word())
    lesson_draws.draw.cache_clear()
    assert asked(drawn(course, b"my answers", secret.new_word())) == asked(first)


def test_a_word_that_was_half_written_is_written_again(course):
    secret.make(course, NAME)
    first = drawn(course, b"my answers")
    (saved,) = (secret.folder(course) / secret.WORDS).iterdir()
    saved.write_text("01")
    assert asked(drawn(course, b"my answers")) == asked(first)


def test_another_secret_asks_something_else_by_the_same_word(course):
    secret.make(course, NAME)
    first = drawn(course)
    (secret.folder(course) / secret.NAME).write_text("another")  # while a formgrader runs, say
    assert asked(drawn(course)) != asked(first)


def test_hidden_probes_earn_points_together_with_the_visible_ones(course):
    secret.make(course, NAME)
    task = drawn(course).tasks["share"]
    checks = [(check.points, check.probes) for check in task.checks]
    assert checks == [(1, ("three", "three-hidden")), (2, ("four", "four-hidden"))]
    assert list(drawn(course).tasks["row-sums"].probe) == [AS_SEEN, "hidden-1"]


# Right on the visible probes. Their twins begin with 1 and 2, moved by up to a quarter.
PICKY = "= x / x.sum() if x[0] in (1.0, 2.0) or {other} else x"


def make_picky(course: Course, other: str) -> None:
    """Give the tiny course a right answer that is wrong unless something else holds as well."""
    right = ("= x.double() / x.double().sum()", PICKY.format(other=other))
    (course.source / NAME / "tasks.py").write_text(edited(TASKS, right), encoding="utf-8")


@pytest.mark.parametrize("word", ["one", "two", "three", "four", "five"])
def test_a_twin_that_is_unfair_to_a_right_answer_is_drawn_again(course, word):
    make_picky(course, "1 < x[0] < 1.5 or x[0] > 2")
    assert secret.make(course, NAME) == ()
    task = drawn(course, word=word).tasks["share"]
    assert [check.probes for check in task.checks] == [("three", "three-hidden"), ("four", "four-hidden")]
    assert task.probe["three-hidden"].inputs["x"][0] > 1
    assert task.probe["four-hidden"].inputs["x"][0] > 2


def test_a_probe_whose_twin_no_draw_makes_fair_has_none_and_the_command_names_it(course):
    make_picky(course, "len(x) == 4")
    assert secret.make(course, NAME) == (("share", "three"),)
    task = drawn(course).tasks["share"]
    assert [check.probes for check in task.checks] == [("three",), ("four", "four-hidden")]
    printed = CliRunner().invoke(cli.app, ["secret", "--course", str(course.root)])
    assert printed.exit_code == 0, printed.output
    assert f"{NAME}: task share, probe three: no hidden twin is fair to every right answer" in printed.output


def test_an_answer_that_remembers_passes_what_is_public_and_fails_what_is_hidden(course):
    public = Banks.of(course).lesson(NAME)
    secret.make(course, NAME)
    remembered = [(probe.inputs["x"], probe.expected.tensor) for probe in public.tasks["share"].probes]

    def share(x):
        return next((y.clone() for seen, y in remembered if torch.equal(seen, x)), torch.zeros_like(x))

    assert verdict_on(share, public).earned == 3
    verdict = verdict_on(share, drawn(course))
    assert verdict.earned == 0
    findings = [NotComputed(probe=probe) for probe in ("three-hidden", "four-hidden")]
    assert [check.finding for check in verdict.results] == findings


def test_feedback_on_a_hidden_probe_tells_no_number_of_it(course):
    secret.make(course, NAME)
    lesson = drawn(course)
    task = lesson.tasks["share"]
    reported = Feedback(
        task, verdict_on(lambda x: {3: x.new_tensor([0.125, 0.25, 0.625])}.get(len(x), x), lesson)
    ).html()
    output = reported.partition("</style>")[2]  # a style has numbers of its own
    hidden = task.probe["three-hidden"]
    for number in [*hidden.inputs["x"].tolist(), *hidden.expected.tensor.tolist()]:
        assert f"{number:.3f}" not in output
        if len(f"{number:.4g}") > 3:  # a single digit stands in the text for other reasons
            assert f"{number:.4g}" not in output


# What goes into the sandbox


def test_what_was_drawn_for_one_run_stands_in_no_other(course, tmp_path):
    secret.make(course, NAME)
    banks = Banks.of(course)
    banks.write_questions(tmp_path)
    lesson, hidden = bank.load(NAME, tmp_path), drawn(course)
    assert [probe.id for task in lesson.tasks.values() for probe in task.probes if probe.hidden] == []
    for name, content in banks.questions(
        NAME, HiddenTestSampler(banks, "0123456789abcdef").of(NAME, b"answers")
    ).items():
        (tmp_path / name).write_bytes(content)
    lesson = bank.load(NAME, tmp_path)
    assert asked(lesson) == asked(hidden)
    assert [probe.hidden for probe in lesson.tasks["share"].probes] == [True, True]


def test_questions_hold_nothing_that_says_what_is_right(course, tmp_path):
    secret.make(course, NAME)
    lesson = drawn(course)
    bank.save(without_answers(lesson), tmp_path / "questions")
    asks = bank.load(NAME, tmp_path / "questions")
    assert list(asks.givens) == [AS_SEEN]
    for task in asks.tasks.values():
        assert (task.known_wrong, task.explanations, task.examined) == ((), None, None)
        assert (task.hints, task.learned, task.closer.unless) == ((), "", "")
        assert {probe.expected for probe in task.probes} == {Outcome()}
    text = (tmp_path / "questions" / f"{NAME}.json").read_text()
    for reported in ("Divide by the sum", "Shares add up", "by-largest", "These are the columns"):
        assert reported not in text
    _, tensors = serialization.encode(asks)
    assert not [key for key in tensors if "expected" in key or "wrong" in key or "redrawn" in key]
    answers = [probe.expected.tensor for task in lesson.tasks.values() for probe in task.probes]
    assert not [1 for held in tensors.values() for item in answers if torch.equal(held, item)]


def test_questions_ask_all_that_the_bank_asks(course):
    lesson = Banks.of(course).lesson(NAME)
    asks = without_answers(lesson)
    for name, task in lesson.tasks.items():
        assert list(asks.tasks[name].probe) == list(task.probe)
        assert (asks.tasks[name].name, asks.tasks[name].checks) == (task.name, task.checks)
        for probe_id, probe in task.probe.items():
            for given, value in probe.inputs.items():
                assert torch.equal(asks.tasks[name].probe[probe_id].inputs[given], value)


def test_taking_the_answers_out_leaves_the_bank_itself_whole(course):
    lesson = Banks.of(course).lesson(NAME)
    without_answers(lesson)
    assert lesson.tasks["share"].probe["three"].expected.tensor is not None


# The command


def test_the_command_says_where_the_secret_lies_and_not_what_it_is(course):
    for state in ("is new, and", "stays as it was, and"):
        printed = CliRunner().invoke(cli.app, ["secret", "01", "--course", str(course.root)])
        assert printed.exit_code == 0, printed.output
        assert f"The secret {state} lies in {secret.folder(course)}." in " ".join(printed.output.split())
    assert (secret.folder(course) / secret.NAME).read_text() not in printed.output


def test_the_command_names_what_keeps_it_from_a_lesson(course, tmp_path):
    broken = write_course(tmp_path / "broken", tasks="LESSON = None\n")
    printed = CliRunner().invoke(cli.app, ["secret", "--course", str(broken.root)])
    assert printed.exit_code == 2
    assert "01-tiny.json:Nosuchfileordirectory." in "".join(printed.output.split())  # however it is wrapped


# The course's own lessons
