"""The execution of notebooks without a sandbox: each in its own Jupyter kernel, with the grader's rights.

The kernel is a separate process from the judge's, so its time is limited and the score is decided outside.
Nothing else is protected.
"""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.grading.sandbox.process_limits import without_limits
from autograder.grading.sandbox.resource_limits import Limits
from autograder.grading.sandbox.sandbox_client import Job, RunResult, SandboxFailed

UNPROTECTED = (
    "Without a sandbox, submissions run with your own rights. Not protected are your files, with the answers "
    "and the gradebook, the network, memory, disk and processes; what one submission leaves behind, the next "
    "may find. What holds: each runs in a process of its own, for a limited time, and is judged outside it."
)
# Threads of a kernel and of its libraries, beside the processes that a run may start.
OF_KERNEL = 64
# Ends all processes of whoever runs it, at one stroke.
END_ALL = "import os; os.kill(-1, 9)"
# The cell of ours that comes before those of a notebook.
FIRST = "before-all"
_SHOWN = ("stream", "display_data", "execute_result", "update_display_data", "error")


class Kernels:
    """A worker that runs notebooks one after the other, each in a new kernel.

    Of a run's limits, only those on clock time and on the bytes of output apply; for another user, also those
    that the kernel of the operating system enforces for a process.

    Args:
        environment: the environment variables of every notebook.
        user: the number of the user who runs them, if it is not the grader; only root can set it.
    """

    def __init__(self, environment: Mapping[str, str], user: int | None = None) -> None:
        self._environment = environment
        self._user = user
        self._client: _Client | None = None
        self._closed = False

    def run(self, job: Job, alone: bool = False) -> RunResult:
        """Run a notebook's cells in a new kernel, with all their outputs.

        Its times are clock times, so `alone` has no effect.

        Raises:
            SandboxFailed: no kernel can be started, or the worker was closed.
        """
        if self._closed:
            raise SandboxFailed("the kernels were closed")
        cells = [new_code_cell(source, id=name) for name, source in job.cells]
        client = self._client = _Client(
            new_notebook(cells=[new_code_cell(_call(job.first), id=FIRST), *cells] if job.first else cells),
            kernel_name="python3",  # whatever a submission names
            allow_errors=True,
            coalesce_streams=True,
            shutdown_kernel="immediate",
            extra_arguments=["--IPKernelApp.log_level=40"],
        )
        client.room = job.limits.output_bytes
        folder = partial(tempfile.TemporaryDirectory, ignore_cleanup_errors=True)
        with folder(prefix="submission-") as workspace, folder(prefix="files-") as files:
            try:
                environment = {**self._environment, **job.environment}
                if job.files:
                    environment[job.found_by] = files
                    for name, content in job.files.items():
                        (Path(files) / name).parent.mkdir(parents=True, exist_ok=True)
                        (Path(files) / name).write_bytes(content)
                who = self._as_another(client, workspace, files, job.limits) if self._user is not None else {}
                with without_limits(), client.setup_kernel(env=environment, cwd=workspace, **who):
                    return self._run(client, job.limits)
            except RuntimeError as problem:
                raise SandboxFailed(f"a Jupyter kernel does not start ({problem})") from problem
            finally:
                self._client = None
                if self._user is not None:
                    subprocess.run([sys.executable, "-c", END_ALL], check=False, **self._identity())

    def _identity(self) -> dict[str, Any]:
        return {"user": self._user, "group": self._user, "extra_groups": []}

    def _as_another(self, client: _Client, workspace: str, files: str, limits: Limits) -> dict[str, Any]:
        """Return how a kernel is started as another user, who gets a folder and may read another."""
        # Not above: Windows has neither.
        import resource

        from autograder.grading.sandbox import namespaces

        assert self._user is not None
        Path(files).chmod(0o755)
        client.kernel_manager_class = _Owned
        manager = client.create_kernel_manager()
        manager.connection_file, manager.owner = f"{workspace}/.kernel.json", self._user
        os.chown(workspace, self._user, self._user)

        def limit() -> None:
            most = OF_KERNEL + limits.processes
            resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
            namespaces.set_limits(limits)

        return {**self._identity(), "preexec_fn": limit}

    def _run(self, client: _Client, limits: Limits) -> RunResult:
        ran = RunResult()
        begun = time.monotonic()
        end = begun + limits.seconds
        for index, cell in enumerate(client.nb.cells):
            remaining = end - time.monotonic()
            client.timeout = math.ceil(max(1.0, min(limits.cell_seconds, remaining)))
            ran.cell = cell["id"]
            try:
                client.execute_cell(cell, index, store_history=cell["id"] != FIRST)
            except CellTimeoutError:
                ran.how = "slow" if limits.cell_seconds < remaining else "late"
            except DeadKernelError:
                ran.how = "died"
            if client.room < 0:
                ran.how = "output"
            if ran.how != "finished":
                break
            if cell["id"] != FIRST:
                ran.cells[cell["id"]] = cell.execution_count or 0, cell.outputs
        ran.seconds = time.monotonic() - begun
        return ran

    def close(self, for_good: bool = True) -> None:
        """End the present kernel, from any thread, and start no other."""
        self._closed = True
        client = self._client
        process = getattr(getattr(getattr(client, "km", None), "provisioner", None), "process", None)
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()


def _call(function: str) -> str:
    """Return a cell that calls a function of ours, "module:function", and leaves no name behind."""
    module, _, name = function.partition(":")
    return f"__import__('importlib').import_module({module!r}).{name}() and None"


class _Owned(AsyncKernelManager):
    """Jupyter's, except that another user's kernel may read where it is to listen."""

    owner = 0

    def write_connection_file(self, **options: Any) -> None:
        super().write_connection_file(**options)
        os.chown(self.connection_file, self.owner, self.owner)


class _Client(NotebookClient):
    """nbclient's, except that it keeps no more output than there is room for."""

    room = 0

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> Any:
        if msg["msg_type"] in _SHOWN:
            self.room -= len(repr(msg["content"]))
            if self.room < 0:
                return None
        return super().process_message(msg, cell, cell_index)
