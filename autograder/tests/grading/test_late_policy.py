"""What a class has agreed on, in `class.toml`: read, refused with a reason, extended, and counted."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from autograder.command import app as cli
from autograder.grading.class_folder import Class
from autograder.grading.late_policy import FILE, LatePenalty, Policy, extend
from autograder.records.authoring_errors import AuthoringError
from support.class_course import LESSON, OTHER, class_folder
from traitlets.config import Config
from typer.testing import CliRunner

LESSONS = (LESSON, OTHER)
WRITE_SO = "write a date as 2026-10-19T23:59:59, without quotes"
TEXT = """\
penalty_per_day = 0.1  # of what was earned
require_secret = true
timezone = "Europe/Berlin"

[due]
01-convolution = 2026-07-01T18:00:00
02-strides = 2026-07-08

[extensions.01-convolution]
ada = "3d"
"""


def read(folder: Path, text: str) -> Policy:
    (folder / FILE).write_text(text, encoding="utf-8")
    return Policy.read(folder, LESSONS)


def test_times_are_kept_in_utc_and_a_day_lasts_to_its_end(tmp_path):
    policy = read(tmp_path, TEXT)
    first, second = datetime(2026, 7, 1, 16), datetime(2026, 7, 8, 21, 59, 59)
    assert policy.due == {"01-convolution": first, "02-strides": second}
    assert policy.extensions == {("01-convolution", "ada"): timedelta(days=3)}
    assert (policy.penalty_per_day, policy.require_secret) == (0.1, True)


def test_a_class_without_the_file_has_no_policy(tmp_path):
    assert Policy.read(tmp_path, LESSONS) == Policy()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("due = 3", "`due`: 3 is no table"),
        ("missing_tasks = 'half'", "'half' is none of excuse, zero"),
        ("penalty = 1", "`penalty` means nothing here"),
        ("penalty_per_day = 10", "is a share, from 0 to 1"),
        ("penalty_per_day = true", "`penalty_per_day`: True is no number"),
        ("[due]\n07-more = 2026-01-01", "there is no lesson 07-more"),
        ("[due]\n01-convolution = 'soon'", "`due`: `01-convolution`: 'soon' is no date"),
        ("[extensions.01-convolution]\nada = 'long'", "“long” is no length of time: write 3d or 12h"),
        ("[extensions.01-convolution]\nada = 2026-03-09", "01-convolution has no due date"),
        ("[extensions]\n01-convolution = '3d'", "`extensions`: `01-convolution`: '3d' is no table"),
        ("timezone = 'Moon/Crater'", "there is no Moon/Crater"),
        ("[due", "cannot be read"),
        (
            "[due]\n01-convolution = 2026-10-19T23:59",
            f"line 2: {WRITE_SO}: 01-convolution = 2026-10-19T23:59",
        ),
        ("[due]\n01-convolution = 19.10.2026", f"line 2: {WRITE_SO}"),
        ("[due]\n02-strides = 2026-07-08\n01-convolution = '2026-10-19 23:59'", f"line 3: {WRITE_SO}"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_reason(tmp_path, text, why):
    with pytest.raises(AuthoringError, match=FILE) as refused:
        read(tmp_path, text)
    assert why in str(refused.value)


def test_an_extension_is_written_beside_what_stands_there(tmp_path):
    read(tmp_path, TEXT)
    assert extend(tmp_path, "01-convolution", "bob", timedelta(hours=12)) == ""
    assert extend(tmp_path, "01-convolution", "ada", timedelta(days=5)) == "3d"
    assert "# of what was earned" in (tmp_path / FILE).read_text()
    actual = Policy.read(tmp_path, LESSONS).extensions
    extended = {"ada": timedelta(days=5), "bob": timedelta(hours=12)}
    assert actual == {("01-convolution", student): more for student, more in extended.items()}
    extend(tmp_path, "01-convolution", "ada", timedelta())
    assert Policy.read(tmp_path, LESSONS).extensions["01-convolution", "ada"] == timedelta()


@pytest.mark.parametrize(
    ("text", "seconds", "penalty"),
    [
        ("penalty_per_day = 0.1", 0, 0.0),
        ("penalty_per_day = 0.1", 1, 2.0),
        ("penalty_per_day = 0.1", 86_400, 2.0),
        ("penalty_per_day = 0.1", 86_401, 4.0),
        ("penalty_per_day = 0.5", 3 * 86_400, 20.0),
    ],
)
def test_each_day_begun_costs_its_share(tmp_path, text, seconds, penalty):
    read(tmp_path, text)
    plugin = LatePenalty(config=Config({"LatePenalty": {"root": str(tmp_path)}}))
    assert plugin.late_submission_penalty("ada", 20.0, seconds) == penalty


def test_a_class_whose_settings_are_a_link_to_those_of_another_has_its_own_penalty(class_course, tmp_path):
    folder = class_folder(class_course, tmp_path / "course", LESSON)
    read(folder, "penalty_per_day = 0.1")
    linked = folder / "nbgrader_config.py"
    linked.symlink_to(linked.rename(tmp_path / linked.name))
    plugin = LatePenalty(config=Class(folder).config)
    assert plugin.late_submission_penalty("ada", 20.0, 31) == 2.0


def test_without_a_price_nbgraders_own_setting_counts(tmp_path):
    config = Config({"LatePenalty": {"root": str(tmp_path), "penalty_method": "zero"}})
    assert LatePenalty(config=config).late_submission_penalty("ada", 20.0, 60) == 20.0


def test_the_command_extends_and_refuses_what_is_no_time(class_course, tmp_path):
    folder = class_folder(class_course, tmp_path / "course", LESSON)
    done = CliRunner().invoke(cli.app, ["extend", "ada", "01", "+3d", "--course", str(folder)])
    assert done.exit_code == 0, done.output
    assert "ada has 3d more for 01-convolution." in done.output
    refused = CliRunner().invoke(cli.app, ["extend", "ada", "01", "soon", "--course", str(folder)])
    assert refused.exit_code == 2
    assert "“soon” is no length of time" in refused.output


def test_an_id_that_nobody_has_is_named(class_course, tmp_path):
    folder = class_folder(class_course, tmp_path / "course", LESSON)
    (folder / "submitted" / "ada").mkdir(parents=True)
    (folder / FILE).write_text(
        f"timezone = 'UTC'\nleft = ['eve']\n[extensions.{LESSON}]\nadda = '3d'\nada = '2d'\n"
    )
    checked = CliRunner().invoke(cli.app, ["class", "--course", str(folder)])
    nobody = f"adda has more time for {LESSON}, and nobody in this class has that id. Do you mean ada?"
    assert (checked.exit_code, nobody in checked.output) == (1, True)
    assert "class.toml: eve has left, and nobody in this class has that id." in checked.output
    assert f"{LESSON}: no due date, more time: adda 3d more and ada 2d more" in checked.output
    for words in (["grade"], ["export", "--xlsx", str(tmp_path / "scores.xlsx")]):
        assert nobody in CliRunner().invoke(cli.app, [*words, "--course", str(folder)]).output, words


def test_an_address_in_class_toml_is_answered_with_the_id(class_course, tmp_path):
    folder = class_folder(class_course, tmp_path / "course", LESSON)
    (folder / "list.csv").write_text("id,name,email\n1001,Ada Lovelace,ada@example.org\n")
    command = CliRunner()
    command.invoke(cli.app, ["roster", str(folder / "list.csv"), "--course", str(folder)])
    (folder / FILE).write_text(f"timezone = 'UTC'\n[extensions.{LESSON}]\n'ada@example.org' = '3d'\n")
    output = command.invoke(cli.app, ["class", "--course", str(folder)]).output
    assert "nobody in this class has that id. Ada Lovelace has the id 1001." in " ".join(output.split())


DUE = f'timezone = "Europe/Berlin"\n[due]\n{LESSON} = 2026-03-01T12:00:00\n'


@pytest.mark.parametrize(
    ("text", "by", "outcome"),
    [
        (DUE, "2026-03-09", datetime(2026, 3, 9, 22, 59, 59)),
        (DUE, "2026-03-09T18:00", datetime(2026, 3, 9, 17)),  # in the class's zone
        (DUE, "2026-03-09T18:00+00:00", datetime(2026, 3, 9, 18)),
        (DUE, "2026-03-01T11:00", "is due 2026-03-01 12:00 CET, and 2026-03-01T11:00 is no later"),
        ("", "2026-03-09", "has no due date in class.toml"),
    ],
)
def test_the_command_extends_until_a_date_in_the_zone_of_the_class(class_course, tmp_path, text, by, outcome):
    folder = class_folder(class_course, tmp_path / "course", LESSON)
    (folder / FILE).write_text(text, encoding="utf-8")
    done = CliRunner().invoke(cli.app, ["extend", "ada", "01", by, "--course", str(folder)])
    if isinstance(outcome, str):
        assert (done.exit_code, outcome in done.output) == (2, True)
    else:
        assert f"ada has until {by} for {LESSON}." in done.output
        assert Policy.read(folder, (LESSON,)).due_for(LESSON, "ada") == outcome
