"""Run commands one after the other, each in a fork, as a terminal would; says what each printed and its code.

`python each_command.py COMMANDS.json RESULTS.json`: lists of [folder, words], and lists of [code, text]. What
the commands import is imported once, before the forks: that takes longer than most of them.
"""

import contextlib
import importlib
import json
import os
import pkgutil
import sys
import tempfile
import traceback
from pathlib import Path

import autograder.classroom
import autograder.command
import autograder.grading


def outcome(folder, words):
    """The code and all that a command prints."""
    from autograder.command.app import app

    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            code = 1
            for stream in (1, 2):
                os.dup2(output.fileno(), stream)
            try:
                os.chdir(folder)
                app(words)
            except SystemExit as end:
                code = end.code or 0
            except BaseException:
                traceback.print_exc()
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read().decode("utf-8", "replace")


if __name__ == "__main__":
    for room in (autograder.classroom, autograder.command, autograder.grading):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    commands = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    results = [outcome(*item) for item in commands]
    Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")
