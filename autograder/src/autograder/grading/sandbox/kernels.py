"""Without a sandbox: each notebook runs in a Jupyter kernel of its own, with the grader's rights.

It is a process beside the judge's, so time is bounded and the score is decided outside; nothing else is.
"""

from __future__ import annotations

import contextlib
import math
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.grading.kept import lifted
from autograder.grading.sandbox.limits import Limits
from autograder.grading.sandbox.workers import Job, Ran, SandboxFailed

UNPROTECTED = (
    "Without a sandbox, submissions run with your own rights. Not protected are your files, with the answers "
    "and the gradebook, the network, memory, disk and processes; what one submission leaves behind, the next "
    "may find. What holds: each runs in a process of its own, for a limited time, and is judged outside it."
)
_SHOWN = ("stream", "display_data", "execute_result", "update_display_data", "error")


class Kernels:
    """Runs notebooks one after the other, each in a fresh kernel.

    Args:
        environment: the variables that every notebook sees.

    Of a run's limits, the times, on the clock, and the bytes of output are held.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._client: _Client | None = None
        self._closed = False

    def run(self, job: Job, alone: bool = False) -> Ran:
        """Run a notebook's cells in a kernel of its own, with all their outputs.

        What it says of time is that on the clock, so it is never told to be `alone`.

        Raises:
            SandboxFailed: no kernel can be started, or this was closed.
        """
        if self._closed:
            raise SandboxFailed("the kernels were closed")
        notebook = new_notebook(cells=[new_code_cell(source, id=name) for name, source in job.cells])
        client = self._client = _Client(
            notebook,
            kernel_name="python3",  # whatever a submission names
            allow_errors=True,
            coalesce_streams=True,
            shutdown_kernel="immediate",
            extra_arguments=["--IPKernelApp.log_level=40"],
        )
        client.room = job.limits.output_bytes
        with tempfile.TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True) as place:
            try:
                environment = {**self._environment, **job.environment}
                if job.files:
                    environment[job.found_by] = place
                    for name, content in job.files.items():
                        (Path(place) / name).write_bytes(content)
                with lifted(), client.setup_kernel(env=environment, cwd=place):
                    return self._run(client, job.limits)
            except RuntimeError as problem:
                raise SandboxFailed(f"a Jupyter kernel does not start ({problem})") from problem
            finally:
                self._client = None

    def _run(self, client: _Client, limits: Limits) -> Ran:
        ran = Ran()
        end = time.monotonic() + limits.seconds
        for index, cell in enumerate(client.nb.cells):
            left = end - time.monotonic()
            client.timeout = math.ceil(max(1.0, min(limits.cell_seconds, left)))
            ran.cell = cell["id"]
            try:
                client.execute_cell(cell, index)
            except CellTimeoutError:
                ran.how = "slow" if limits.cell_seconds < left else "late"
            except DeadKernelError:
                ran.how = "died"
            if client.room < 0:
                ran.how = "output"
            if ran.how != "finished":
                break
            ran.cells[cell["id"]] = cell.execution_count or 0, cell.outputs
        return ran

    def close(self, for_good: bool = True) -> None:
        """End the kernel that runs, from whichever thread; no other is started."""
        self._closed = True
        client = self._client
        process = getattr(getattr(getattr(client, "km", None), "provisioner", None), "process", None)
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()


class _Client(NotebookClient):
    """nbclient's, except that it keeps no more output than there is room for."""

    room = 0

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> Any:
        if msg["msg_type"] in _SHOWN:
            self.room -= len(repr(msg["content"]))
            if self.room < 0:
                return None
        return super().process_message(msg, cell, cell_index)
