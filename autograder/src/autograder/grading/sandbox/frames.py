"""Messages over a pipe: a kind, a length, and bytes. Both ends bound what they accept."""

from __future__ import annotations

import os
import select
import struct
from collections.abc import Iterator

HEADER = struct.Struct(">cI")

JOB = b"J"  # to the warm process: a notebook to run, as JSON
STARTED = b"S"  # from it: the id of the cell that runs now
CELL = b"C"  # from it: what a cell put out, as JSON
END = b"E"  # from it: how the run ended, as JSON
SEEN = b"F"  # from it, by a pipe of its own: a call that a task forbids, as JSON, before it is done
READY = b"R"  # from it: it can take a job
# So much is held back at most until somebody reads it.
MOST_HELD = 1 << 16


class Garbled(Exception):
    """What arrived is no message."""


class TooLong(Garbled):
    """A message has more bytes than this end takes."""


def send(descriptor: int, kind: bytes, payload: bytes) -> None:
    """Write one message whole."""
    writer = Writer(descriptor)
    writer.send(kind, payload)
    writer.flush()


class Writer:
    """Holds messages back, and writes many at once: each time that a reader wakes takes longer than to read.

    Args:
        descriptor: a pipe.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = bytearray()

    def send(self, kind: bytes, payload: bytes) -> None:
        """Take one message; all are written where they have become many."""
        self._held += HEADER.pack(kind, len(payload)) + payload
        if len(self._held) > MOST_HELD:
            self.flush()

    def flush(self) -> None:
        """Write all that was held back."""
        rest = memoryview(bytes(self._held))
        self._held.clear()
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]


def send_whole(descriptor: int, number: int, kind: bytes, payload: bytes) -> None:
    """Write one short message in one piece, so that those of several threads do not mix.

    Args:
        descriptor: a pipe.
        number: the pipe's own, by which another one in its place shows.
        kind: of the message.
        payload: what it says.

    Raises:
        OSError: it is too long, or the pipe is closed or another one.
    """
    message = HEADER.pack(kind, len(payload)) + payload
    if len(message) > select.PIPE_BUF or os.fstat(descriptor).st_ino != number:
        raise OSError("what is seen cannot be told")
    os.write(descriptor, message)


class Reader:
    """Puts messages together from the pieces in which they arrive."""

    def __init__(self, kinds: bytes, most: int) -> None:
        self._kinds = kinds
        self._most = most
        self._held = bytearray()

    @property
    def in_the_middle(self) -> bool:
        """Tell whether a message has begun and not ended."""
        return bool(self._held)

    def feed(self, piece: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the messages that a piece completes.

        Raises:
            Garbled: an unknown kind.
            TooLong: more bytes than allowed.
        """
        self._held += piece
        while len(self._held) >= HEADER.size:
            kind, length = HEADER.unpack_from(self._held)
            if kind not in self._kinds:
                raise Garbled(f"a message of kind {kind!r} and {length} bytes")
            if length > self._most:
                raise TooLong(f"a message of {length} bytes, where {self._most} are allowed")
            if len(self._held) < HEADER.size + length:
                return
            payload = bytes(self._held[HEADER.size : HEADER.size + length])
            del self._held[: HEADER.size + length]
            yield kind, payload
