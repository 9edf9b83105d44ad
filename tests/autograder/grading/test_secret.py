"""Hidden probes: drawn from a secret, used while they fit the public bank, and told without numbers."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from autograder import bank, cli
from autograder.authoring import Lesson, load_faults, load_lesson
from autograder.bank import AS_SEEN, LessonBank, without_answers
from autograder.build.answers import Runs, make_bank, make_probe, make_task, run_solution
from autograder.build.draws import choose_draws
from autograder.build.hidden import has_twin, twin_of
from autograder.build.source import read_source
from autograder.collect import collect_answer
from autograder.compare import all_close
from autograder.course import Course
from autograder.feedback import rich_text
from autograder.findings import NotComputed, Verdict
from autograder.grading import batch, secret
from autograder.grading.secret import Banks
from autograder.judge import judge
from autograder.outcome import Outcome
from tests.autograder.build.conftest import NAME, TASKS, edited, write_course

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, LessonBank]:
    """The tiny course and its public bank."""
    course = write_course(tmp_path_factory.mktemp("secret") / "course")
    lesson = load_lesson(course.source / NAME)
    notebook = read_source(course.source / NAME / f"{NAME}.py")
    runs = run_solution(lesson, notebook, NAME)
    return course, make_bank(lesson, runs, NAME, load_faults(course.source))


@pytest.fixture
def course(made: tuple[Course, LessonBank], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """The tiny course, its bank in the place of the public one, and a secret place that is still empty."""
    monkeypatch.setenv(secret.PLACE, str(tmp_path / "place"))
    course = Course.read(shutil.copytree(made[0].root, tmp_path / "course"))
    bank.save(made[1], course.bank)
    return course


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def is_hidden(course: Course) -> bool:
    return not Banks.of(course).notes


def verdict_on(answer: object, lesson: LessonBank) -> Verdict:
    task = lesson.tasks["share"]
    return judge(task, collect_answer(task, lesson, answer, dict(lesson.givens[AS_SEEN])))


def test_the_secret_is_this_users_alone(course):
    secret.make(course, NAME)
    assert mode(secret.folder(course)) == 0o700
    assert mode(secret.folder(course) / secret.NAME) == 0o600
    assert len((secret.folder(course) / secret.NAME).read_text()) == 64


def test_the_secret_is_made_once_and_its_bank_is_the_same_every_time(course):
    kept = secret.make(course, NAME).folder
    before = (secret.folder(course) / secret.NAME).read_text(), (kept / f"{NAME}.safetensors").read_bytes()
    secret.make(course, NAME)
    after = (secret.folder(course) / secret.NAME).read_text(), (kept / f"{NAME}.safetensors").read_bytes()
    assert after == before


def test_only_the_secret_and_its_banks_are_left_in_its_place(course):
    secret.make(course, NAME)
    assert sorted(path.name for path in secret.folder(course).iterdir()) == ["bank", secret.NAME]


def test_without_a_secret_submissions_are_graded_by_the_public_bank_and_a_note_says_so(course):
    found = Banks.of(course)
    assert found.folders == {NAME: course.bank}
    assert found.notes[NAME] == "visible probes only: `autograder secret` makes hidden ones"


def test_with_a_secret_its_own_bank_is_used_and_there_is_nothing_to_say(course):
    kept = secret.make(course, NAME).folder
    found = Banks.of(course)
    assert (found.folders, found.notes) == ({NAME: kept}, {})
    assert [probe.id for probe in found.lesson(NAME).tasks["share"].probes.values() if probe.hidden] == [
        "three-hidden",
        "four-hidden",
    ]


def test_a_secret_bank_is_stale_once_the_public_one_changes(course, made):
    secret.make(course, NAME)
    text = course.bank / f"{NAME}.json"
    text.write_text(text.read_text().replace("three numbers", "three other numbers"))
    found = Banks.of(course)
    assert found.folders == {NAME: course.bank}
    assert found.notes[NAME] == (
        "visible probes only: the hidden ones are out of date; `autograder secret` makes new ones"
    )
    secret.make(course, NAME)
    assert is_hidden(course)


def test_a_secret_bank_is_stale_once_twins_are_drawn_otherwise(course, tmp_path, monkeypatch):
    module = tmp_path / "hidden.py"
    module.write_text("SPREAD = 0.25")
    monkeypatch.setattr(secret, "DRAWN_BY", (module,))
    secret.make(course, NAME)
    assert is_hidden(course)
    module.write_text("SPREAD = 0.125")
    assert not is_hidden(course)


def test_hidden_probes_earn_points_together_with_the_visible_ones(course):
    secret.make(course, NAME)
    task = Banks.of(course).lesson(NAME).tasks["share"]
    assert [(check.points, check.probes) for check in task.checks] == [
        (1, ("three", "three-hidden")),
        (2, ("four", "four-hidden")),
    ]


# Right on the visible probes. Their twins begin with 1 and 2, moved by up to a quarter.
PICKY = 'returns("x / x.sum() if x[0] in (1.0, 2.0) or {other} else x")'


def make_picky(course: Course, other: str) -> None:
    """Give the tiny course a right answer that is wrong unless something else holds as well."""
    right = ('returns("x.double() / x.double().sum()")', PICKY.format(other=other))
    (course.source / NAME / "tasks.py").write_text(edited(TASKS, right), encoding="utf-8")


@pytest.mark.parametrize("chosen", ["one", "two", "three", "four", "five"])
def test_a_twin_that_is_unfair_to_a_right_answer_is_drawn_again(course, tmp_path, chosen):
    secret.folder(course).mkdir()
    (secret.folder(course) / secret.NAME).write_text(chosen)
    make_picky(course, "1 < x[0] < 1.5 or x[0] > 2")
    kept = secret.make(course, NAME)
    task = Banks.of(course).lesson(NAME).tasks["share"]
    assert kept.left_out == ()
    assert [check.probes for check in task.checks] == [("three", "three-hidden"), ("four", "four-hidden")]
    assert task.probes["three-hidden"].inputs["x"][0] > 1
    assert task.probes["four-hidden"].inputs["x"][0] > 2


def test_a_probe_whose_twin_no_draw_makes_fair_has_none_and_the_command_names_it(course, tmp_path):
    make_picky(course, "len(x) == 4")
    assert secret.make(course, NAME).left_out == (("share", "three"),)
    task = Banks.of(course).lesson(NAME).tasks["share"]
    assert [check.probes for check in task.checks] == [("three",), ("four", "four-hidden")]
    said = CliRunner().invoke(cli.app, ["secret", "--course", str(course.root)])
    assert said.exit_code == 0, said.output
    assert f"{NAME}: task share, probe three: no hidden twin is fair to every right answer" in said.output


def test_an_answer_that_remembers_passes_what_is_public_and_fails_what_is_hidden(course):
    public = Banks.of(course).lesson(NAME)
    secret.make(course, NAME)
    remembered = [
        (probe.inputs["x"], probe.expected.tensor) for probe in public.tasks["share"].probes.values()
    ]

    def share(x):
        return next((y.clone() for seen, y in remembered if torch.equal(seen, x)), torch.zeros_like(x))

    assert verdict_on(share, public).earned == 3
    verdict = verdict_on(share, Banks.of(course).lesson(NAME))
    assert verdict.earned == 0
    assert [check.finding for check in verdict.results] == [
        NotComputed("three-hidden"),
        NotComputed("four-hidden"),
    ]


def test_feedback_on_a_hidden_probe_tells_no_number_of_it(course):
    secret.make(course, NAME)
    lesson = Banks.of(course).lesson(NAME)
    task = lesson.tasks["share"]
    told = rich_text(
        task, verdict_on(lambda x: {3: x.new_tensor([0.125, 0.25, 0.625])}.get(len(x), x), lesson)
    )
    hidden = task.probes["three-hidden"]
    for number in [*hidden.inputs["x"].tolist(), *hidden.expected.tensor.tolist()]:
        assert f"{number:.3f}" not in told
        assert f"{number:.4g}" not in told


def test_redrawn_givens_are_drawn_from_the_secret_too(course, made):
    secret.make(course, NAME)
    givens = Banks.of(course).lesson(NAME).givens
    assert torch.equal(givens[AS_SEEN]["table"], made[1].givens[AS_SEEN]["table"])
    assert not torch.equal(givens["redrawn-1"]["table"], made[1].givens["redrawn-1"]["table"])


# What goes into the sandbox


def test_submissions_of_one_class_share_a_runner_until_a_bank_is_made_anew(course):
    first = batch.runner_for(Banks.of(course), sandboxed=False)
    assert batch.runner_for(Banks.of(course), sandboxed=False) is first
    secret.make(course, NAME)
    second = batch.runner_for(Banks.of(course), sandboxed=False)
    assert (second is first, first.closed, second.closed) == (False, True, False)
    batch.close_sandboxes()


def test_questions_hold_nothing_that_says_what_is_right(course, tmp_path):
    secret.make(course, NAME)
    lesson = Banks.of(course).lesson(NAME)
    bank.save(without_answers(lesson), tmp_path / "questions")
    asked = bank.load(NAME, tmp_path / "questions")
    assert list(asked.givens) == [AS_SEEN]
    for task in asked.tasks.values():
        assert (task.known_wrong, task.explanations, task.examined) == ((), None, None)
        assert (task.hints, task.learned) == ((), "")
        assert {probe.expected for probe in task.probes.values()} == {Outcome()}
    text = (tmp_path / "questions" / f"{NAME}.json").read_text()
    for told in ("Divide by the sum", "Shares add up", "by-largest", "These are the columns"):
        assert told not in text
    _, tensors = bank.dumps(asked)
    assert not [key for key in tensors if "expected" in key or "wrong" in key or "redrawn" in key]
    answers = [probe.expected.tensor for task in lesson.tasks.values() for probe in task.probes.values()]
    assert not [1 for held in tensors.values() for one in answers if torch.equal(held, one)]


def test_questions_ask_all_that_the_bank_asks(course):
    lesson = Banks.of(course).lesson(NAME)
    asked = without_answers(lesson)
    for name, task in lesson.tasks.items():
        assert list(asked.tasks[name].probes) == list(task.probes)
        assert (asked.tasks[name].name, asked.tasks[name].checks) == (task.name, task.checks)
        for probe_id, probe in task.probes.items():
            for given, value in probe.inputs.items():
                assert torch.equal(asked.tasks[name].probes[probe_id].inputs[given], value)


def test_taking_the_answers_out_leaves_the_bank_itself_whole(course):
    lesson = Banks.of(course).lesson(NAME)
    without_answers(lesson)
    assert lesson.tasks["share"].probes["three"].expected.tensor is not None


# The command


def test_the_command_says_where_the_secret_lies_and_not_what_it_is(course):
    said = CliRunner().invoke(cli.app, ["secret", "01", "--course", str(course.root)])
    assert said.exit_code == 0, said.output
    assert f"Hidden probes for 1 lesson lie in {secret.folder(course)}." in " ".join(said.output.split())
    assert (secret.folder(course) / secret.NAME).read_text() not in said.output


def test_the_command_names_what_keeps_it_from_a_lesson(course, tmp_path):
    broken = write_course(tmp_path / "broken", tasks="LESSON = None\n")
    said = CliRunner().invoke(cli.app, ["secret", "--course", str(broken.root)])
    assert said.exit_code == 1
    assert "Traceback" not in said.output


# The course's own lessons


SECRETS = ("one", "two")


@dataclass(frozen=True)
class Drawn:
    """A lesson of the course, its solution run, and for each secret which draws are kept."""

    lesson: Lesson
    runs: Runs
    draws: Mapping[str, Mapping[tuple[str, str], int | None]]


@pytest.fixture(scope="module", params=Course.read(ROOT).lessons)
def drawn(request: pytest.FixtureRequest) -> Drawn:
    source = ROOT / "source" / request.param
    lesson = replace(load_lesson(source), redraws=0)
    runs = run_solution(lesson, read_source(source / f"{request.param}.py"), request.param)
    return Drawn(lesson, runs, {chosen: choose_draws(lesson, runs, chosen) for chosen in SECRETS})


@pytest.mark.parametrize("chosen", SECRETS)
def test_every_probe_of_the_course_that_can_have_a_twin_has_one(drawn, chosen):
    twinned = [(task.id, probe.id) for task in drawn.lesson.tasks for probe in task.probes if has_twin(probe)]
    assert list(drawn.draws[chosen]) == twinned
    assert [twin for twin, draw in drawn.draws[chosen].items() if draw is None] == []


@pytest.mark.parametrize("chosen", SECRETS)
def test_no_check_of_the_course_is_passed_with_results_that_are_public(drawn, chosen):
    passed = []
    for task in drawn.lesson.tasks:
        visible = make_task(task, drawn.runs).probes.values()
        public = [probe.expected.tensor for probe in visible if probe.expected.tensor is not None]
        new = []
        for probe in task.probes:
            if has_twin(probe):
                twin = twin_of(task, probe, chosen, drawn.draws[chosen][task.id, probe.id])
                result = make_probe(task, twin, drawn.runs).expected.tensor
                new += [] if any(all_close(result, one) for one in public) else [probe.id]
        passed += [
            (task.id, check.title)
            for check in task.checks
            if task.kind != "tensor" and check.points and not set(new) & set(check.probes)
        ]
    assert passed == []
