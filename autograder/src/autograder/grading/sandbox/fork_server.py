"""The warm process, which loads everything that notebooks need, and then forks itself for each notebook.

Process 1 of the sandbox starts it (see `supervisor.py`), and a keeper requests a runner from it. Only the
runner reads the job, so no data of a submission is ever in the warm process itself.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import importlib
import itertools
import json
import os
import random
import socket
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.grading.sandbox import framing, namespaces, seccomp
from autograder.grading.sandbox.ipython_shell import Output, Shell
from autograder.grading.sandbox.output_limits import measured
from autograder.grading.sandbox.resource_limits import Limits

# After so many forks, the next ones are made cheaper. That takes as long as fifty of them gain by it.
MANY = 20
# Most bytes of a keeper's request, and the descriptors that come with it: namespaces, two pipes, job, and the
# entrance to a control group.
MOST_REQUEST, DESCRIPTORS = 4096, 8
WORKPLACE, FILES = "/tmp/work", "/tmp/files"
SPILL = {"stdout": 1, "stderr": 2}


def serve(keepers: socket.socket, preload: Sequence[str]) -> None:
    """Report the memory that a runner inherits, then fork a runner for each request, and report how it ended.

    Args:
        keepers: the socket from which requests arrive.
        preload: cells that are run first, and must not fail.
    """
    shell = Shell()
    shell.warm_up(preload)
    seccomp.program(os.uname().machine)
    machine = namespaces.machine()
    # A fork that collects garbage would write to every object there is, and so copy all memory.
    gc.collect()
    gc.freeze()
    home = os.open("/proc/self/ns/pid", os.O_RDONLY)
    keepers.send(str(namespaces.memory_held(Path("/proc/self"))).encode())
    for forks in itertools.count():
        if forks == MANY:
            namespaces.use_large_pages()
        request, descriptors, _, _ = socket.recv_fds(keepers, MOST_REQUEST, DESCRIPTORS)
        if not request:
            return
        processes, *others, pipe, seen, job = descriptors[: DESCRIPTORS - 1]
        entrance = descriptors[DESCRIPTORS - 1 :]  # of a control group, where the grader has one
        namespaces.enter(processes)  # that is for children: this process stays where it is
        runner = os.fork()
        if runner == 0:
            code = 1
            with contextlib.suppress(BaseException):
                for group in entrance:
                    os.write(group, b"0")
                for namespace in others:
                    namespaces.enter(namespace)
                _start(Limits(**json.loads(request)), machine, shell, pipe, seen, job)
                code = 0
            os._exit(code)
        namespaces.enter(home)
        for descriptor in descriptors:
            os.close(descriptor)
        ended = status = 0
        while ended != runner:  # whoever else it made a child of this process is ended here as well
            ended, status = os.wait()
        keepers.send(b"finished" if status == 0 else b"died")


def _named(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    resolved: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return resolved


def _start(limits: Limits, machine: Mapping[str, str], shell: Shell, pipe: int, seen: int, job: int) -> None:
    """In the runner: keep nothing of the warm process but memory, and do the job."""
    os.setsid()  # or a signal to its group would reach the warm process
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    for entry in os.listdir("/proc/self/fd"):
        descriptor = int(entry)
        if descriptor > 2 and descriptor not in (pipe, seen, job):
            with contextlib.suppress(OSError):
                os.close(descriptor)
    namespaces.cover_proc(machine)
    for descriptor in SPILL.values():
        # A kernel reads what other programs write to its own output; here a file keeps it until a cell's end.
        name = f"/tmp/.{descriptor}"
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.unlink(name)
        os.fchmod(file, 0o666)  # a program that opens `/dev/stderr` opens this one
        os.dup2(file, descriptor)
        os.close(file)
    namespaces.drop_capabilities()
    namespaces.die_with_parent()  # only now: to become another user undoes it
    os.makedirs(WORKPLACE)
    os.chdir(WORKPLACE)
    with open(job, "rb") as given:
        asked = json.load(given)
    namespaces.set_limits(limits)
    seccomp.refuse()
    os.environ.update(asked["environment"])
    if asked["files"]:
        os.makedirs(FILES)
        os.environ[asked["found_by"]] = FILES
        for name, content in asked["files"].items():
            os.makedirs(Path(FILES, name).parent, exist_ok=True)
            Path(FILES, name).write_bytes(base64.b64decode(content))
    if asked["first"]:
        _named(asked["first"])()
    watching: Callable[[str], object] = str
    if asked["seen_by"]:
        watching = _named(asked["seen_by"])(framing.sender(seen, framing.SEEN))
    # What it draws without a seed hangs on its cells alone, so that grading it again finds the same.
    seed = zlib.crc32(json.dumps(asked["cells"]).encode())
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed)

    writer = framing.Writer(pipe)

    def cells() -> Iterator[tuple[str, str]]:
        for cell_id, source in asked["cells"]:
            writer.send(framing.STARTED, cell_id.encode())
            writer.flush()  # with what the cell before put out
            watching(cell_id)
            yield cell_id, source
            watching("")  # only now: what it put out has left

    for cell_id, count, outputs in shell.run(cells(), SPILL, asked["wanted"]):
        writer.send(framing.CELL, _outputs_message(cell_id, count, outputs))
    writer.flush()


def _outputs_message(cell_id: str, count: int, outputs: Sequence[Output]) -> bytes:
    try:
        return json.dumps({"id": cell_id, "count": count, "outputs": outputs}).encode()
    except (TypeError, ValueError, RecursionError):  # what a learner has changed after it was shown
        whole = [output for output in outputs if measured(output) is not None]
        return json.dumps({"id": cell_id, "count": count, "outputs": whole}).encode()
