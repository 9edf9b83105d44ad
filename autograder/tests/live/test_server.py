"""Where a room is served, and what is refused."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path

import pytest
from autograder.command.app import app
from autograder.live.lab_history import History, ReceivedEvent
from autograder.records.course import Course
from support.live_room import needs_live
from typer.testing import CliRunner


@pytest.fixture(autouse=True)
def _live() -> None:
    needs_live()


def test_a_hub_tells_a_service_where_it_is():
    from autograder.live.server import ServerAddress

    reported = {
        "JUPYTERHUB_SERVICE_PREFIX": "/services/live/",
        "JUPYTERHUB_SERVICE_URL": "http://127.0.0.1:9123",
        "JUPYTERHUB_PUBLIC_URL": "https://hub.example.org/services/live/",
    }
    place = ServerAddress.from_hub(reported)
    assert (place.host, place.port, place.prefix) == ("127.0.0.1", 9123, "/services/live")
    assert place.address == "https://hub.example.org/services/live"
    assert ServerAddress.from_hub({}) is None


def live(course: Path, *words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["live", "--course", str(course), *map(str, words)])
    return done.exit_code, done.output


def test_what_cannot_be_served_is_refused_with_one_sentence(bank_folder, tmp_path):
    Course.packed(bank_folder)
    broken = tmp_path / "broken"
    broken.write_text("nothing of use", encoding="utf-8")
    damaged = tmp_path / "damaged"
    with closing(History(damaged)) as history:
        for number in range(2000):
            history.add("lab", ReceivedEvent(number, "a" * 16, "share", "wrong", ()))
    with damaged.open("r+b") as file:
        file.seek(4 * 4096)
        file.write(b"\xff" * 4096 * 20)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        tables = {
            ("--room", "My Lab"): "a room's name is lower-case words",
            ("--host", "0.0.0.0", "--unencrypted"): "cannot reach 0.0.0.0: give --address",
            ("--host", "0.0.0.0", "--address", "https://lab.example.org"): "could be read by others",
            ("--certificate", broken): "belong together",
            ("--certificate", broken, "--key", broken): "The certificate cannot be used",
            ("--host", "no-such-host.invalid", "--unencrypted"): "cannot be had",
            ("--port", taken.getsockname()[1]): "Another program uses that port: name a free one",
            ("--history", broken): "cannot hold the history of live rooms",
            ("--history", damaged, "--room", "lab"): "cannot hold the history of live rooms",
            ("--history", tmp_path): "cannot hold the history of live rooms",
        }
        for words, why in tables.items():
            code, output = live(bank_folder, *words)
            assert (code, why in output, output.count("\n")) == (2, True, 1), (words, output)
