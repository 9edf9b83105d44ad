"""The grader's end of a sandbox's pipes: one job at a time, each with a deadline.

It maintains the grader's side of the invariant in `framing`.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Iterator

from autograder.grading.sandbox import framing

# What is remembered of what a sandbox writes to its standard error.
MOST_WORDS = 2_000


class Lost(Exception):
    """A sandbox has ended, exceeded a deadline, or sent an unexpected message."""


class Channel:
    """The pipes to and from one sandbox.

    Args:
        process: the sandbox, with a pipe for each of its standard streams.
        write_seconds: the time within which the sandbox must read a job, in seconds.

    Attributes:
        idle: whether the pipes are empty, so that another job may be sent; otherwise the sandbox must be
            ended.
    """

    def __init__(self, process: subprocess.Popen[bytes], write_seconds: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._jobs, self._messages = process.stdin.fileno(), process.stdout.fileno()
        self._reading = [self._messages, process.stderr.fileno()]
        self._write_seconds = write_seconds
        self._words = b""
        self.idle = False
        os.set_blocking(self._jobs, False)

    def exchange(
        self, number: int, job: bytes, kinds: bytes, last: bytes, most: int, seconds: float
    ) -> Iterator[tuple[bytes, bytes]]:
        """Send a job, and yield each message about it, up to the last one.

        Args:
            number: the job's number, which no other job has had.
            job: the job's bytes; empty to send nothing.
            kinds: the kinds of messages that may arrive.
            last: the kind of the last message.
            most: the most bytes that one message may have.
            seconds: the time within which the last message must arrive, counted from the sending of the job.

        Raises:
            Lost: an unexpected message arrived, or none in time.
        """
        self.idle = False
        reader = framing.Reader(kinds + last, most, number)
        rest = memoryview(job)
        deadline = time.monotonic() + (self._write_seconds if rest else seconds)
        while True:
            waits = max(deadline - time.monotonic(), 0)
            readable, writable, _ = select.select(self._reading, [self._jobs] if rest else [], [], waits)
            if not readable and not writable:
                raise Lost("took no notebook" if rest else "did not answer in time")
            if writable:
                rest = self._write(rest)
                if not rest:
                    deadline = time.monotonic() + seconds
            if self._reading[-1] in readable and len(self._reading) == 2:
                self._hear()
            if self._messages not in readable:
                continue
            piece = os.read(self._messages, 1 << 20)
            if not piece:
                raise Lost("ended in the middle of a notebook")
            try:
                for kind, payload in reader.feed(piece):
                    if kind == last:
                        self.idle = not rest and not reader.in_the_middle
                    yield kind, payload
                    if kind == last:
                        return
            except framing.Garbled as problem:
                raise Lost(f"sent {problem}") from problem

    def _write(self, rest: memoryview) -> memoryview:
        try:
            return rest[os.write(self._jobs, rest) :]
        except BlockingIOError:
            return rest
        except OSError as problem:
            raise Lost(f"takes no notebook ({problem})") from problem

    def _hear(self) -> None:
        """Take what it writes to its standard error: nobody reads it, but a full pipe would stop it."""
        piece = os.read(self._reading[-1], 1 << 16)
        self._words = (self._words + piece)[-MOST_WORDS:]
        if not piece:
            self._reading.pop()

    def last_words(self) -> str:
        """Return the end of the sandbox's output to standard error."""
        with contextlib.suppress(OSError):
            while len(self._reading) == 2 and select.select(self._reading[-1:], [], [], 0)[0]:
                self._hear()
        return self._words.decode("utf-8", "replace").strip()[-300:] or "it said nothing"
