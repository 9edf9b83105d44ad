"""What all commands do with what was typed, and with what a folder or a disk refuses."""

import errno
import os
import subprocess
import sys
from importlib import metadata

import pytest
import typer
from autograder.command import app as cli
from autograder.command.app import AUTHOR, COMMANDS, MORE, TERM
from autograder.command.console import Commands, resolve_lessons
from autograder.command.grading_run import _Kinds
from typer.testing import CliRunner


def test_a_lesson_that_is_named_twice_is_meant_once():
    assert resolve_lessons(["01-first", "02-second"], ["01", "01-first", "2"]) == ["01-first", "02-second"]
    assert resolve_lessons(["01-first", "10-tenth"], ["10"]) == ["10-tenth"]


def test_the_help_shows_a_terms_commands_first_and_each_with_an_example():
    printed = CliRunner().invoke(cli.app, ["-h"], env={"COLUMNS": "200"}).output
    examples = [f"autograder {name} {example}".strip() for name, (_, example) in COMMANDS.items()]
    places = [printed.index(f" {example} ") for example in examples]
    assert places == sorted(places)
    assert printed.index(TERM) < printed.index(MORE) < printed.index(AUTHOR)
    assert CliRunner().invoke(cli.app, ["--version"]).output.strip() == metadata.version("lesson-autograder")


def test_requests_are_taken_in_by_the_earlier_name_as_well():
    asked = [CliRunner().invoke(cli.app, [name, "--help"]) for name in ("requests", "regrade")]
    assert all("Take in what students ask" in item.output for item in asked)


def test_the_help_of_the_whole_says_of_a_command_what_its_own_help_says_first():
    assert [
        name for name in COMMANDS if not " ".join(cli.load(name).help.split()).startswith(cli.help_of(name))
    ] == []


def test_the_help_of_the_whole_imports_no_command():
    code = "import sys; from typer.testing import CliRunner; from autograder.command import app; "
    code += "assert 'A term' in CliRunner().invoke(app.app, ['--help']).output; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if name.endswith("_command")] == []


def test_a_command_that_needs_a_package_which_is_not_there_says_how_to_install_it(tmp_path):
    lacking = (
        "import sys; sys.modules['cryptography'] = None; from autograder.command.app import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", lacking, "lti", "rotate"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "LTI needs more packages: pip install 'lesson-autograder[grade,lti]'\n" in done.stderr


def test_remarks_of_a_kind_are_one_line_with_the_names_and_what_needs_a_look_comes_last():
    kinds, output = _Kinds(), []
    for student in "abcd":
        kinds.add(f"{student} 01-first", "needs a look, it is damaged", rank=1)
        kinds.add(f"{student} 01-first", f"lacks cell {student}", "lacks cell {name}")
    kinds.add("a 01-first", "was late")
    kinds.tell(output.append)
    assert output == [
        "01-first: lacks cell … (4): a, b, c and d",
        "a 01-first: was late",
        "01-first: needs a look, it is damaged (4): a, b, c and d",
    ]


def test_a_port_in_use_is_told_with_what_to_do():
    done = CliRunner().invoke(failing(OSError(errno.EADDRINUSE, "Address already in use")), ["it"])
    assert (done.exit_code, "--port" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "number", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.ENOENT, errno.ENAMETOOLONG]
)
def test_what_a_folder_or_a_disk_refuses_is_said_in_a_sentence(number):
    done = CliRunner().invoke(failing(OSError(number, "Refused by the system", "here/class.toml")), ["it"])
    assert (done.exit_code, done.stderr) == (2, "here/class.toml: Refused by the system.\n")


@pytest.mark.parametrize("problem", [OSError(errno.EBADF, "Bad", "file"), OSError(errno.EACCES, "No file")])
def test_a_fault_of_ours_is_not_told_as_the_machines(problem):
    assert CliRunner().invoke(failing(problem), ["it"]).exception is problem


def test_a_command_leaves_the_files_mask_as_it_was():
    before = os.umask(0o022)
    try:
        CliRunner().invoke(doing(lambda: os.umask(0o077)), ["it"])
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


def failing(problem):
    def fail():
        raise problem

    return doing(fail)


def doing(work):
    app = typer.Typer(cls=Commands)

    @app.command()
    def it():
        work()

    @app.callback()
    def whole():
        pass

    return app
