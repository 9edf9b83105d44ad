"""`join` and `leave`: what goes through the socket before consent, after it, and after leaving."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from autograder.lesson import event_sender, join_live
from autograder.lesson.event_sender import MOST_WAITING, EventSender
from autograder.words.feedback_card import Feedback
from support.page_output import values_in_page

from autograder import check, hint, join, leave

CODE = "ABCDEFGH"
WRONG = "def share(x):\n    my_secret_name = x / x.max()\n    return my_secret_name"


class Room:
    """A server that keeps every byte that it is sent, and answers as it is told."""

    def __init__(self) -> None:
        self.connections, self.answer = 0, b"204 No Content"
        self.sent: list[bytes] = []
        self.answers = threading.Event()  # whether it answers at all
        self.answers.set()
        self._news = threading.Condition()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/services/live"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            request = b""
            while part := connection.recv(65536):
                request += part
                head, _, body = request.partition(b"\r\n\r\n")
                length = re.search(rb"Content-Length: (\d+)", head)
                if length and len(body) >= int(length[1]):
                    break
            if not request:
                return
            with self._news:
                self.sent.append(request)
                self._news.notify_all()
            self.answers.wait()
            with contextlib.suppress(OSError):  # whoever asked has heard enough
                connection.sendall(b"HTTP/1.1 " + self.answer + b"\r\nContent-Length: 0\r\n\r\n")

    def wait(self, number: int) -> list[dict[str, object]]:
        """Wait until so many messages have come; returns what stands in them."""
        with self._news:
            assert self._news.wait_for(lambda: len(self.sent) >= number, 30)
        return [json.loads(request.partition(b"\r\n\r\n")[2]) for request in self.sent]

    def until(self, words: bytes) -> None:
        """Wait until a message holds these words."""
        with self._news:
            assert self._news.wait_for(lambda: any(words in item for item in self.sent), 30)

    def close(self) -> None:
        self.answers.set()
        self._socket.close()


@pytest.fixture
def room(notebook, monkeypatch) -> Iterator[Room]:
    monkeypatch.setattr(join_live, "_HERE", {})
    monkeypatch.setattr(event_sender, "PAUSES", (0.01,))
    result = Room()
    yield result
    event_sender.use(None)
    ended(result)
    result.close()


def ended(room: Room) -> None:
    """Wait until no thread sends any more."""
    room.answers.set()
    for thread in threading.enumerate():
        if thread.name == "live room":
            thread.join(30)
            assert not thread.is_alive()


def test_nothing_is_sent_before_consent_and_five_fields_after_it(room, notebook):
    notebook.run(WRONG)
    offer = join(room.address, CODE)
    assert "nothing is sent yet" in repr(offer)
    notebook.run('check("share")')
    assert (room.connections, event_sender.is_open()) == (0, False)
    assert repr(join(room.address, CODE, agree=True)).startswith("You have joined.")
    notebook.run('check("share")')
    hint("share")
    notebook.run("def share(x):\n    return x / x.sum()\ncheck('share')")
    notebook.run("row_sums = ...\ncheck('row-sums')")
    heard = room.wait(5)
    assert {tuple(item) for item in heard} == {("learner", "task", "verdict", "mistakes", "seconds_ago")}
    assert [(item["verdict"], item["task"], item["mistakes"]) for item in heard] == [
        ("joined", "", []),
        ("wrong", "share", ["by-largest"]),
        ("hint", "share", []),
        ("right", "share", []),
        ("untried", "row-sums", []),
    ]
    assert {type(item["seconds_ago"]) for item in heard} == {float}
    (learner,) = {item["learner"] for item in heard}
    assert re.fullmatch(r"[0-9a-f]{16}", learner)


def test_the_head_of_a_message_says_no_more_than_its_body(room):
    join(room.address, CODE, agree=True)
    room.wait(1)
    first, *others = room.sent[0].partition(b"\r\n\r\n")[0].decode().split("\r\n")
    assert first == "POST /services/live/events HTTP/1.1"
    names = "Accept-Encoding", "Authorization", "Connection", "Content-Length", "Content-Type", "Host"
    assert sorted(line.partition(":")[0] for line in others) == [*names]
    assert f"Authorization: Bearer {CODE}" in others


def test_what_is_shown_before_consent_is_what_is_sent(room):
    shown = json.loads(re.search(r"\{.*?\}", " ".join(repr(join(room.address, CODE)).split()))[0])
    join(room.address, CODE, agree=True)
    assert {name: type(value) for name, value in room.wait(1)[0].items()} == {
        name: type(value) for name, value in shown.items()
    }


def test_after_leaving_nothing_is_sent_nor_what_waited(room, notebook):
    room.answer = b"503 Service Unavailable"
    join(room.address, CODE, agree=True)
    for _ in range(3):
        check("share")
    assert repr(leave()) == "You have left the room: nothing is sent any more."
    ended(room)
    room.answer, before = b"204 No Content", len(room.sent)
    check("share")
    assert {item["verdict"] for item in room.wait(1)} == {"joined"}
    assert len(room.sent) == before
    assert repr(leave()) == "You are in no live room: nothing is sent."


def test_while_a_check_runs_nothing_is_sent(room, monkeypatch):
    monkeypatch.setattr(event_sender, "LOOK", 0.01)
    join(room.address, CODE, agree=True)
    room.wait(1)
    sent = []

    def answer(x):
        hint("share")
        time.sleep(0.2)  # twenty looks into the queue
        sent.append(len(room.sent))
        return x / x.sum()

    check("share", answer)
    assert set(sent) == {1}
    assert room.wait(2)[1]["verdict"] == "hint"


def test_one_who_leaves_while_a_connection_is_made_sends_nothing_over_it(room, monkeypatch):
    connect = event_sender.HTTPConnection.connect
    joined = threading.Event()

    def leaving(connection):
        connect(connection)
        assert joined.wait(30)
        leave()

    monkeypatch.setattr(join_live, "WAIT", 0.01)
    monkeypatch.setattr(event_sender.HTTPConnection, "connect", leaving)
    join(room.address, CODE, agree=True)
    joined.set()
    ended(room)
    assert room.sent == []


def test_consent_holds_for_a_room_until_one_leaves_it(room):
    join(room.address, CODE, agree=True)
    join_live._HERE.clear()  # as in another kernel
    assert repr(join(room.address, "abcd-efgh")).startswith("You have joined.")
    (learner,) = {item["learner"] for item in room.wait(2)}
    assert "nothing is sent yet" in repr(join(room.address, "HGFEDCBA"))
    join_live._HERE.clear()
    leave()
    assert "nothing is sent yet" in repr(join(room.address, CODE))
    ended(room)
    join(room.address, CODE, agree=True)
    assert {item["learner"] for item in room.wait(3)} == {learner}  # who comes back still counts once


def test_one_who_leaves_in_one_notebook_has_left_in_the_others(room, monkeypatch):
    join(room.address, CODE, agree=True)
    room.wait(1)
    line, here = event_sender._line, dict(join_live._HERE)
    with monkeypatch.context() as other:  # another notebook knows only what is kept on this machine
        other.setattr(event_sender, "_line", None)
        other.setattr(join_live, "_HERE", {})
        leave()
    hint("share")
    ended(room)
    assert (len(room.sent), room.connections, line.is_open, event_sender.is_open()) == (1, 1, False, False)
    assert here == join_live._HERE
    assert "nothing is sent yet" in repr(join(room.address, CODE))


def test_where_nothing_can_be_kept_consent_holds_for_the_session(room, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_PROGRESS", "off")
    join(room.address, CODE, agree=True)
    join(room.address, CODE)
    assert len({item["learner"] for item in room.wait(2)}) == 1


def test_a_button_asks_the_kernel_to_join(room, notebook, monkeypatch):
    monkeypatch.setattr(notebook.shell, "parent_header", {"metadata": {"cellId": "x"}}, raising=False)
    data, _ = notebook.shell.display_formatter.format(join(room.address, CODE))
    agree = values_in_page(data)["shows"]["agree"]
    assert "Run this cell again" in agree["gone"]
    assert room.connections == 0
    assert repr(notebook.run(agree["does"])).startswith("You have joined.")
    assert room.wait(1)[0]["verdict"] == "joined"


@pytest.mark.parametrize("mode", ["autograde", "validate"])
def test_a_graded_notebook_never_joins(room, monkeypatch, mode):
    monkeypatch.setenv("NBGRADER_EXECUTION", mode)
    assert "Nothing is sent" in repr(join(room.address, CODE, agree=True))
    assert (room.connections, event_sender.is_open()) == (0, False)


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("ftp://127.0.0.1", CODE),
        ("127.0.0.1:8443", CODE),
        ("http://", CODE),
        ("http://127.0.0.1:notaport", CODE),
        ("http://[1", CODE),
        (None, CODE),
        (b"http://127.0.0.1", CODE),
        ("http://room.uni.example@127.0.0.1", CODE),
        ("http://127.0.0.1", "ABC"),
        ("http://127.0.0.1", "ABCDEFG0"),
        ("http://127.0.0.1", "ABCDEFGH\r\nX: 1"),
    ],
)
def test_what_is_no_address_or_code_is_told(room, address, code):
    assert repr(join(address, code, agree=True)).startswith("This is no address, or no code")
    assert not event_sender.is_open()


def test_a_code_that_the_room_does_not_know_is_told_and_ends_it(room):
    room.answer = b"403 Forbidden"
    assert repr(join(room.address, CODE, agree=True)).startswith("The room does not know this code.")
    ended(room)
    check("share")
    assert (len(room.sent), event_sender.is_open()) == (1, False)
    assert "nothing is sent yet" in repr(join(room.address, CODE))


def test_what_refuses_on_the_way_once_the_room_has_answered_ends_nothing(room):
    join(room.address, CODE, agree=True)
    room.wait(1)
    room.answer = b"403 Forbidden"
    hint("share")
    room.wait(3)
    room.answer = b"204 No Content"
    hint("row-sums")
    room.until(b"row-sums")


@pytest.mark.parametrize(
    ("address", "place"),
    [("http://[::1]", ("::1", 80)), ("https://[::1]/live", ("::1", 443)), ("http://[::1]:81", ("::1", 81))],
)
def test_an_address_of_colons_needs_no_port(notebook, monkeypatch, address, place):
    asked = []

    def connect(connection):
        asked.append((connection.host, connection.port))
        raise OSError

    monkeypatch.setattr(event_sender.HTTPConnection, "connect", connect)
    monkeypatch.setattr("http.client.HTTPSConnection.connect", connect)
    line = EventSender(join_live.urlsplit(address), CODE, "a" * 16)
    assert line.tried.wait(30)
    line.close()
    assert asked[0] == place


ANSWERS = {
    "another host": b"302 Found\r\nLocation: http://127.0.0.2/events\r\nSet-Cookie: who=ada",
    "a proxy's page": b"407 Proxy Authentication Required",
    "garbage": b"\x00\xff" * 5_000_000,
    "no end of heads": b"204 No Content\r\n" + b"X: " + b"y" * 10_000_000,
    "a number that is none": b"2O4 No Content",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_whatever_answers_is_no_room_until_the_room_does(room, name):
    room.answer = ANSWERS[name]
    assert repr(join(room.address, CODE, agree=True)).startswith("You have joined, and the room is away.")
    room.answer = b"204 No Content\r\nSet-Cookie: who=ada"
    hint("share")
    room.until(b'"hint"')
    assert all(b"ookie" not in item and item.startswith(b"POST /services/live/events") for item in room.sent)


def test_a_network_that_others_can_read_is_told_of(room):
    assert "not encrypted" in repr(join("http://10.0.0.7:8000", CODE))
    assert "not encrypted" not in repr(join("https://10.0.0.7:8443", CODE))
    assert "not encrypted" not in repr(join(room.address, CODE))


def test_a_room_that_is_away_is_told_what_it_missed_when_it_is_back(room, notebook):
    room.answer = b"503 Service Unavailable"
    assert repr(join(room.address, CODE, agree=True)).startswith("You have joined, and the room is away.")
    notebook.run(WRONG)
    assert isinstance(check("share"), Feedback)
    before = len(room.sent)
    room.answer = b"204 No Content"
    assert [item["verdict"] for item in room.wait(before + 2)][-1] == "wrong"


def test_a_check_does_not_wait_for_a_room_that_never_answers(room, notebook, monkeypatch):
    monkeypatch.setattr(join_live, "WAIT", 0.01)
    room.answers.clear()
    join(room.address, CODE, agree=True)
    room.wait(1)
    notebook.run(WRONG)
    assert isinstance(check("share"), Feedback)
    assert not room.answers.is_set()
    assert len(room.sent) == 1


def test_of_too_much_that_waits_the_oldest_is_dropped(room):
    room.answers.clear()
    line = EventSender(join_live.urlsplit(room.address), CODE, "a" * 16)
    room.wait(1)
    for number in range(MOST_WAITING + 3):
        line.tell("wrong", f"task-{number}")
    room.answers.set()
    heard = room.wait(MOST_WAITING + 1)
    assert [item["task"] for item in heard] == ["", *(f"task-{n}" for n in range(3, MOST_WAITING + 3))]
    line.close()
