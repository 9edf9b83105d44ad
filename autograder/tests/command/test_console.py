"""What all commands do with what was typed, and with what a folder or a disk refuses."""

import errno

import pytest
import typer
from autograder.command.console import Commands, meant
from typer.testing import CliRunner


def test_a_lesson_that_is_named_twice_is_meant_once():
    assert meant(["01-first", "02-second"], ["01", "01-first", "02"]) == ["01-first", "02-second"]


@pytest.mark.parametrize(
    "number", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.ENOENT, errno.ENAMETOOLONG]
)
def test_what_a_folder_or_a_disk_refuses_is_said_in_a_sentence(number):
    done = CliRunner().invoke(failing(OSError(number, "Refused by the system", "here/class.toml")), ["it"])
    assert (done.exit_code, done.stderr) == (2, "here/class.toml: Refused by the system.\n")


@pytest.mark.parametrize("problem", [OSError(errno.EBADF, "Bad", "file"), OSError(errno.EACCES, "No file")])
def test_a_fault_of_ours_is_not_told_as_the_machines(problem):
    assert CliRunner().invoke(failing(problem), ["it"]).exception is problem


def failing(problem):
    app = typer.Typer(cls=Commands)

    @app.command()
    def it():
        raise problem

    @app.callback()
    def whole():
        pass

    return app
