"""The warm process: imports what every notebook needs once, then forks itself for each notebook.

Process 1 of the sandbox starts it (see `keeper.py`), and a keeper asks it for a runner. Only the runner reads
the job: of a submission, nothing is ever in the warm process itself.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from autograder.grading.running import calls, confine, frames, pages, pictures
from autograder.grading.running.gallery import DRAWN
from autograder.grading.running.limits import Limits

# Most bytes of a keeper's request, and the descriptors that come with it: namespaces, pipe and job.
MOST_REQUEST, DESCRIPTORS = 4096, 6
WORKPLACE = "/tmp/work"
SPILL = {"stdout": 1, "stderr": 2}


def serve(keepers: socket.socket) -> None:
    """Say how much memory a runner inherits, then fork one for each request, and say how it ended."""
    shell = _warm_up()
    home = os.open("/proc/self/ns/pid", os.O_RDONLY)
    keepers.send(str(confine.inherited()).encode())
    while True:
        request, descriptors, _, _ = socket.recv_fds(keepers, MOST_REQUEST, DESCRIPTORS)
        if not request:
            return
        processes, *others, pipe, job = descriptors
        confine.enter(processes)  # that is for children: this process stays where it is
        runner = os.fork()
        if runner == 0:
            code = 1
            with contextlib.suppress(BaseException):
                for namespace in others:
                    confine.enter(namespace)
                _start(Limits(**json.loads(request)), shell, pipe, job)
                code = 0
            os._exit(code)
        confine.enter(home)
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(runner, 0)
        keepers.send(b"finished" if status == 0 else b"died")


def _warm_up() -> Any:
    """Import everything a lesson needs, and make the interpreter that every fork starts from."""
    import torch

    # Threads do not survive a fork, so none may be started before it.
    torch.set_num_threads(1)
    import ipywidgets  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import numpy.random  # noqa: F401
    import torch.testing

    import visuals
    from autograder import bank, learner  # noqa: F401
    from autograder.collect import collect
    from autograder.course import PACKED
    from autograder.grading.running.shell import Shell
    from autograder.transport import pack

    pictures.install()
    shell = Shell()
    # The first formatted result and the first drawn figure load what later ones share.
    shell.warm_up()
    visuals.attention_map([[1.0]], ["a"])._repr_mimebundle_()
    # So do the first operation on torch's "meta" device, which lessons use as another device, and checks.
    torch.ones(1, 2, device="meta") @ torch.ones(2, 1, device="meta")
    with contextlib.suppress(RuntimeError):  # and the error for a mask left on the first device
        torch.ones(1, 1, device="meta").masked_fill(torch.ones(1, 1).bool(), 0.0)
    for path in sorted(Path(os.environ[PACKED]).glob("*.json")):
        lesson = bank.load(path.stem, path.parent)
        for task in lesson.tasks.values():
            pack(collect(task, lesson, {task.name: _first}))
    # A fork that collects garbage would write to every object there is, and so copy all memory.
    gc.collect()
    gc.freeze()
    pages.make_large()
    return shell


def _first(*given: Any) -> Any:
    """An answer to any task that asks for a function, and a wrong one."""
    return given[0] * 1.0


def _start(limits: Limits, shell: Any, pipe: int, job: int) -> None:
    """In the runner: keep nothing of the warm process but memory, and do the job."""
    os.setsid()  # or a signal to its group would reach the warm process
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    for entry in os.listdir("/proc/self/fd"):
        descriptor = int(entry)
        if descriptor > 2 and descriptor not in (pipe, job):
            with contextlib.suppress(OSError):
                os.close(descriptor)
    for descriptor in SPILL.values():
        # A kernel reads what other programs write to its own output; here a file keeps it until a cell's end.
        name = f"/tmp/.{descriptor}"
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.unlink(name)
        os.dup2(file, descriptor)
        os.close(file)
    confine.die_with_parent()
    os.makedirs(WORKPLACE)
    os.chdir(WORKPLACE)
    with open(job, "rb") as given:
        asked = json.load(given)
    confine.set_limits(limits)
    confine.drop_capabilities()
    calls.refuse()
    if "recipes" in asked:
        _draw(asked, pipe)
    else:
        _run(shell, asked, pipe)


def _run(shell: Any, job: dict[str, Any], pipe: int) -> None:
    """In the runner: run the notebook's cells, and say after each what it put out."""
    import random

    import numpy

    os.environ.update(job["environment"])
    random.seed()
    numpy.random.seed()

    send = partial(frames.send, pipe, frames.TOLD)
    pictures.tell(pictures.Teller(send, job["most_told"], job["drawn_here"]))

    def cells() -> Iterator[tuple[str, str]]:
        for cell_id, source in job["cells"]:
            frames.send(pipe, frames.STARTED, cell_id.encode())
            yield cell_id, source

    for cell_id, count, outputs in shell.run(cells(), SPILL, job["heard"]):
        said = {"id": cell_id, "count": count, "outputs": outputs}
        frames.send(pipe, frames.CELL, json.dumps(said).encode())


def _draw(job: dict[str, Any], pipe: int) -> None:
    """In the runner: draw pictures from their recipes, one after the other."""
    for number, recipe in enumerate(job["recipes"]):
        name = f"{DRAWN}-{number}"
        frames.send(pipe, frames.STARTED, name.encode())
        said = {"id": name, "count": 0, "outputs": [pictures.draw(base64.b64decode(recipe))]}
        frames.send(pipe, frames.CELL, json.dumps(said).encode())
