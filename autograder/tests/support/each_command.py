"""Run commands one after the other, each in a fork, as a terminal would; says what each printed and its code.

`python each_command.py COMMANDS.json RESULTS.json`: lists of [folder, words] of the tool's, and lists of
[code, text]. `python each_command.py`: the same of nbgrader's, line by line, until no more lines come. What
the commands import is imported once, before the forks: that takes longer than most of them.
"""

import atexit
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


def autograder_command(words):
    from autograder.command.app import app

    app(words)


def nbgrader_command(words):
    from nbgrader.apps.nbgraderapp import main

    sys.argv[:] = ["nbgrader", *words]
    main()
    atexit._run_exitfuncs()  # of sandboxes


def outcome(command, folder, words):
    """The code and all that a command prints."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            code = 1
            for stream in (1, 2):
                os.dup2(output.fileno(), stream)
            try:
                os.chdir(folder)
                command(words)
                code = 0
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
    if sys.argv[1:]:
        commands = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
        results = [outcome(autograder_command, *item) for item in commands]
        Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")
    else:
        import nbgrader.apps  # noqa: F401

        for line in sys.stdin:
            print(json.dumps(outcome(nbgrader_command, *json.loads(line))), flush=True)
