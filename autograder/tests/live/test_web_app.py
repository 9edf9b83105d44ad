"""The room over HTTP: what it takes and refuses, who sees its board, and what a new start still knows."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from autograder.live.lab_history import History, ReceivedEvent
from autograder.records.course import Course
from support.holding import HOLDS, answer, held
from support.live_room import ADA, BOB, PRIVATE, needs_live, served


@pytest.fixture(autouse=True)
def _live() -> None:
    needs_live()


@pytest.fixture
def course(bank_folder: Path) -> Course:
    return Course.packed(bank_folder)


@pytest.fixture
def room(course, tmp_path):
    with served(course, tmp_path / "live.db") as item:
        yield item


def test_what_notebooks_send_comes_onto_the_board(room):
    assert room.event(ADA, "joined", task="") == (204, "")
    assert room.event(BOB, mistakes=["by-largest"]) == (204, "")
    state = room.state()
    assert state["people"] == "2 people are here"
    assert [(item["id"], item["lines"][0]) for item in state["tasks"]] == [
        ("share", "1 is working on it · 0 have solved it")
    ]
    assert [(item["id"], item["minutes"][-1]) for item in state["mistakes"]] == [("by-largest", 1)]


def body(**changes: object) -> bytes:
    event = {"learner": ADA, "task": "share", "verdict": "wrong", "mistakes": [], "seconds_ago": 0}
    return json.dumps({**event, **changes}).encode()


@pytest.mark.parametrize(
    ("sent", "token", "status", "why"),
    [
        (body(), "", 403, "This room does not know the code."),
        (body(), "Bearer ABCDEFGH", 403, "This room does not know the code."),
        (body(), "Bearer \xfcber", 403, "This room does not know the code."),
        (body(), "Basic {code}", 403, "This room does not know the code."),
        (body(task="x" * 3000), None, 413, "The message is too large."),
        (b"", None, 400, "The message is not what a notebook sends."),
        (b"\xff\x00garbage", None, 400, "The message is not what a notebook sends."),
        (b"[" * 1900, None, 400, "The message is not what a notebook sends."),
        (b"7", None, 400, "The message is not what a notebook sends."),
        (body(name="Ada"), None, 400, "The message is not what a notebook sends."),
        (body(learner="Ada"), None, 400, "The message is not what a notebook sends."),
        (body(verdict="great"), None, 400, "The message is not what a notebook sends."),
        (body(seconds_ago=-1), None, 400, "The message is not what a notebook sends."),
        (body(seconds_ago=float("nan")), None, 400, "The message is not what a notebook sends."),
        (body(seconds_ago=1e9), None, 400, "The message is not what a notebook sends."),
        (body(mistakes=[["by-largest"]]), None, 400, "The message is not what a notebook sends."),
        (body(task="<script>"), None, 400, "The course of this room has no such task."),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_forged_too_large_or_garbage_is_refused_with_one_sentence(room, sent, token, status, why):
    given = token and token.format(code=room.room.code)
    assert room.send(sent, given) == (status, f"{why}\n")
    assert room.state()["people"] == "0 people are here"


def test_no_word_of_a_strangers_comes_onto_the_board(room):
    room.event(mistakes=["by-largest", "<b>Ada</b>", "not-added"])  # the last is one of another task
    assert [item["id"] for item in room.state()["mistakes"]] == ["by-largest"]


def test_a_body_that_stops_on_its_way_is_given_up(course, tmp_path, monkeypatch):
    from autograder.live import web_app

    monkeypatch.setattr(web_app, "BODY_TIME", 0.01)
    with served(course, tmp_path / "live.db") as room:
        import socket

        with socket.create_connection(("127.0.0.1", room.port)) as sock:
            head = f"POST /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {room.room.code}\r\n"
            sock.sendall(f"{head}Content-Length: 50\r\n\r\n{{".encode())
            assert sock.recv(1000).startswith(b"HTTP/1.1 408")


def test_one_who_sends_too_much_is_refused_and_others_are_not(course, tmp_path):
    with served(course, tmp_path / "live.db", clock=lambda: 1e9) as room:
        answers = [room.event(ADA) for _ in range(41)]
        assert (set(answers[:40]), answers[40]) == ({(204, "")}, (429, "Too much is sent by one notebook.\n"))
        assert room.event(BOB) == (204, "")


def test_a_full_room_takes_nobody_more_and_keeps_those_who_are_in(course, tmp_path, monkeypatch):
    from autograder.live import web_app

    monkeypatch.setattr(web_app, "MOST_LEARNERS", 1)
    with served(course, tmp_path / "live.db") as room:
        assert room.event(ADA) == (204, "")
        assert room.event(BOB) == (429, "This room is full.\n")
        assert room.event(ADA) == (204, "")


def test_a_board_is_for_whoever_has_its_token(room):
    assert room.ask("GET", room.board)[0] == 403
    assert room.ask("GET", f"{room.board}?token={room.room.code}")[0] == 403
    assert room.ask("GET", f"{room.board}events")[0] == 403
    status, _, headers = room.ask("GET", f"{room.board}?token={room.room.token}")
    assert (status, headers["location"]) == (303, room.board)
    own = f"autograder-live={room.room.token}; HttpOnly; Path={room.board}; SameSite=lax"
    assert headers["set-cookie"] == own
    status, page, headers = room.ask("GET", room.board, **room.cookie)
    assert (status, "script-src 'self'" in headers["content-security-policy"]) == (200, True)
    assert room.room.token not in page


def test_behind_a_hub_all_stands_below_its_prefix(course, tmp_path):
    with served(course, tmp_path / "live.db", "/services/live", address="https://hub/services/live") as room:
        assert room.event() == (204, "")
        assert room.state()["here"] == 1
        _, _, headers = room.ask("GET", f"{room.board}?token={room.room.token}")
        assert headers["set-cookie"].endswith("; Secure")
        _, page, _ = room.ask("GET", room.board, **room.cookie)
        assert f"join(&#34;https://hub/services/live&#34;, &#34;{room.room.code}&#34;)" in page
        assert room.ask("GET", "/services/live/board.js")[0] == 200
        assert room.ask("POST", "/events", b"", **PRIVATE)[0] == 404


def test_a_server_that_starts_again_knows_the_room_and_all_that_was_heard(course, tmp_path):
    with served(course, tmp_path / "live.db") as before:
        before.event(ADA, mistakes=["by-largest"])
        before.event(BOB, "right")
        state = before.state()
    with served(course, tmp_path / "live.db") as after:
        assert after.room == before.room
        assert after.state() == state


def test_what_cannot_be_written_now_is_written_later_and_costs_nobody_the_lab(course, tmp_path):
    with (
        served(course, tmp_path / "live.db") as room,
        closing(sqlite3.connect(tmp_path / "live.db")) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        assert room.event(ADA) == (204, "")
        assert room.state()["here"] == 1
        other.rollback()
        room.event(BOB)
    with closing(History(tmp_path / "live.db")) as history:
        assert [item.learner for item in history.heard("lab")] == [ADA, BOB]


def test_a_clock_that_is_put_back_leaves_nobody_here_for_ever(course, tmp_path, monkeypatch):
    from autograder.live.board_view import Vocabulary
    from autograder.live.web_app import OpenRoom, steady_clock

    with closing(History(tmp_path / "live.db")) as history:
        lab = history.room("lab")
        history.add("lab", ReceivedEvent(1e9 + 86_400, ADA, "share", "wrong", ()))
        now = [1e9]
        room = OpenRoom(lab, history, Vocabulary.of(course), lambda: now[0])
        for minutes, here in ((0, 1), (16, 0)):
            now[0] += 60 * minutes
            assert json.loads(room.state())["here"] == here
    clock = steady_clock()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert clock() > 1e9


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["idle", "kept alive"])
def test_idle_connections_keep_nobody_out(room, kind):
    with held(room.port, 2_050, HOLDS[kind]):
        assert room.event() == (204, "")
        assert answer(room.port, source="127.0.0.2") == 200
        assert room.state()["people"] == "1 person is here"
