"""Messages over a pipe: a kind, a length, and bytes. Both ends limit the messages that they accept.

Between a sandbox and its grader, each message also has the number of the job that it is about. All of this
serves one invariant:

    **A message is read by the job that it is about, or by nobody.**

A grader gives every job a new number. The keeper adds this number to each message that it sends; the
learner's process has no part in that. A sandbox gets another job only if the last one was read up to its
`END` and nothing came after it. Any other event between the first byte of a job and its `END` (an exception
of any kind, a lack of memory or time, a message with another number or in another form, a caller that stops
reading) first ends the sandbox, together with everything that is left in its pipes. Every wait for a pipe, to
write as well as to read, has a deadline, so two ends that both write into full pipes do not wait for each
other for ever.

`channel` and `sandbox_client` maintain this invariant on the grader's side, `supervisor` inside the sandbox.
`reader_processes` has the same one for the processes that read submissions.
"""

from __future__ import annotations

import os
import select
import struct
import time
from collections.abc import Callable, Iterator

HEADER = struct.Struct(">cI")
# With the number of a job.
NUMBERED = struct.Struct(">cIQ")

JOB = b"J"  # to the warm process: a notebook to run, as JSON
STARTED = b"S"  # from it: the id of the cell that runs now
CELL = b"C"  # from it: what a cell put out, as JSON
END = b"E"  # from it: how the run ended, as JSON
SEEN = b"F"  # from it, by a pipe of its own: what is told of calls that tasks forbid, as JSON
READY = b"R"  # from it: it can take a job
# So much is held back at most until somebody reads it.
MOST_HELD = 1 << 16


class Garbled(Exception):
    """The bytes that arrived are not a valid message."""


class OfAnother(Garbled):
    """A message is about another job."""


class TooLong(Garbled):
    """A message has more bytes than this end accepts."""


def send(descriptor: int, kind: bytes, payload: bytes, number: int | None = None) -> None:
    """Write one message at once."""
    writer = Writer(descriptor, number)
    writer.send(kind, payload)
    writer.flush()


def packed(kind: bytes, payload: bytes, number: int | None = None) -> bytes:
    """Return a message in its binary form, with the job's number if one is given."""
    if number is None:
        return HEADER.pack(kind, len(payload)) + payload
    return NUMBERED.pack(kind, len(payload), number) + payload


class Writer:
    """A writer that collects messages and writes many at once, since waking a reader takes long.

    Args:
        descriptor: the pipe.
        number: the number of the job that all messages are about; None for messages without a number.
    """

    def __init__(self, descriptor: int, number: int | None = None) -> None:
        self._descriptor = descriptor
        self._number = number
        self._held = bytearray()
        self.waited = 0.0  # seconds until somebody had read enough for the rest

    def send(self, kind: bytes, payload: bytes) -> None:
        """Add a message; once there are many, write them all."""
        self._held += packed(kind, payload, self._number)
        if len(self._held) > MOST_HELD:
            self.flush()

    def flush(self) -> None:
        """Write all collected messages."""
        rest = memoryview(bytes(self._held))
        self._held.clear()
        begun = time.monotonic()
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self.waited += time.monotonic() - begun


def sender(descriptor: int, kind: bytes) -> Callable[[bytes], None]:
    """Return a function that writes a short message in one piece, so that threads' messages do not mix.

    It runs in the learner's process, so everything that it uses is looked up now. It raises OSError if a
    message is too long, if the pipe is closed, or if another file has taken the pipe's place.

    Args:
        descriptor: the pipe.
        kind: the kind of the messages.
    """
    write, status, pack, length, problem = os.write, os.fstat, HEADER.pack, len, OSError
    most, number = select.PIPE_BUF, os.fstat(descriptor).st_ino

    def send_whole(payload: bytes) -> None:
        message = pack(kind, length(payload)) + payload
        if length(message) > most or status(descriptor).st_ino != number:
            raise problem("what is seen cannot be told")
        write(descriptor, message)

    return send_whole


class Reader:
    """A reader that assembles messages from the pieces in which they arrive.

    Args:
        kinds: the kinds of messages that it accepts.
        most: the most bytes that one message may have.
        number: the number of the job that all messages must be about; None for messages without a number.
    """

    def __init__(self, kinds: bytes, most: int, number: int | None = None) -> None:
        self._kinds = kinds
        self._most = most
        self._number = number
        self._header = HEADER if number is None else NUMBERED
        self._held = bytearray()

    @property
    def in_the_middle(self) -> bool:
        """Whether a message has begun and not ended."""
        return bool(self._held)

    def feed(self, piece: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the messages that a piece completes.

        Raises:
            Garbled: a message has an unknown kind.
            OfAnother: a message is about another job.
            TooLong: a message has more bytes than allowed.
        """
        self._held += piece
        size = self._header.size
        while len(self._held) >= size:
            kind, length, *number = self._header.unpack_from(self._held)
            if kind not in self._kinds:
                raise Garbled(f"a message of kind {kind!r} and {length} bytes")
            if number and number != [self._number]:
                raise OfAnother(f"a message about job {number[0]}, where {self._number} is read")
            if length > self._most:
                raise TooLong(f"a message of {length} bytes, where {self._most} are allowed")
            if len(self._held) < size + length:
                return
            with memoryview(self._held) as held:
                payload = bytes(held[size : size + length])
            del self._held[: size + length]
            yield kind, payload
