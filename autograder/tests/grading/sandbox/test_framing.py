"""Messages over a pipe, in whatever pieces they arrive."""

from __future__ import annotations

import os

import pytest
from autograder.grading.sandbox.framing import CELL, END, HEADER, STARTED, Garbled, Reader, TooLong, send


def written(*messages: tuple[bytes, bytes]) -> bytes:
    """The bytes that sending these messages puts into a pipe."""
    out, into = os.pipe()
    for kind, payload in messages:
        send(into, kind, payload)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        return pipe.read()


def test_a_message_is_its_kind_its_length_and_its_bytes():
    assert written((CELL, b"abc")) == b"C\x00\x00\x00\x03abc"


@pytest.mark.parametrize("size", [1, 2, 5, 6, 1000])
def test_messages_are_read_in_any_pieces(size):
    messages = [(STARTED, b"first"), (CELL, b""), (CELL, bytes(range(256))), (END, b"{}")]
    reader = Reader(STARTED + CELL + END, 1000)
    whole = written(*messages)
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert [message for piece in pieces for message in reader.feed(piece)] == messages


def test_a_message_of_the_most_bytes_allowed_is_taken():
    reader = Reader(CELL, 10)
    assert list(reader.feed(written((CELL, b"x" * 10)))) == [(CELL, b"x" * 10)]


def test_a_longer_message_is_refused_before_it_has_arrived():
    reader = Reader(CELL, 10)
    with pytest.raises(TooLong, match="11 bytes"):
        list(reader.feed(HEADER.pack(CELL, 11)))


def test_a_message_of_a_kind_that_this_end_does_not_take_is_refused():
    with pytest.raises(Garbled, match="b'E'"):
        list(Reader(STARTED + CELL, 10).feed(written((END, b""))))


def test_garbage_is_refused():
    with pytest.raises(Garbled):
        list(Reader(STARTED + CELL, 1 << 20).feed(b"<html>not a message</html>"))


def test_what_came_before_garbage_is_kept():
    actual = Reader(CELL, 10).feed(written((CELL, b"good")) + b"?????????")
    assert next(actual) == (CELL, b"good")
    with pytest.raises(Garbled):
        next(actual)


def test_half_a_message_is_no_message():
    assert list(Reader(CELL, 10).feed(b"C\x00\x00\x00\x03ab")) == []
