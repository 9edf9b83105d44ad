"""Notebooks and a room together: who joins twice counts once, and nobody loses anything with the server."""

from __future__ import annotations

import re
import ssl
import subprocess
import sys
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from autograder.lesson import event_sender, join_live
from autograder.records.course import Course
from support.everywhere import need
from support.live_room import needs_live, served

from autograder import check, join, leave

WRONG = "def share(x):\n    return x / x.max()"


@pytest.fixture(autouse=True)
def _live(notebook, monkeypatch):
    needs_live()
    monkeypatch.setattr(join_live, "_HERE", {})
    monkeypatch.setattr(event_sender, "PAUSES", (0.05,))
    yield
    event_sender.use(None)


@pytest.fixture
def course(bank_folder: Path) -> Course:
    return Course.packed(bank_folder)


def test_who_joins_in_two_notebooks_and_again_after_leaving_counts_once(course, tmp_path, notebook):
    notebook.run(WRONG)
    with served(course, tmp_path / "live.db") as room:
        join(room.address, room.room.code, agree=True)
        check("share")
        room.until("1 is working on it · 0 have solved it")
        join_live._HERE.clear()  # another notebook knows only what is kept on this machine
        event_sender.use(None)
        join(room.address, room.room.code)
        leave()
        join(room.address, room.room.code, agree=True)
        notebook.run("def share(x):\n    return x / x.sum()\ncheck('share')")
        state = room.until("0 are working on it · 1 has solved it")
        assert state["more"].startswith("1 has joined so far")


def test_while_the_server_is_dead_checks_go_on_and_it_hears_of_them_when_it_is_back(
    course, tmp_path, notebook
):
    notebook.run(WRONG)
    with served(course, tmp_path / "live.db") as room:
        assert repr(join(room.address, room.room.code, agree=True)).startswith("You have joined.")
    assert not check("share")
    with served(course, tmp_path / "live.db", port=room.port) as again:
        state = again.until("1 is working on it · 0 have solved it")
        assert state["more"] == "1 has joined so far"
        assert [item["id"] for item in state["mistakes"]] == ["by-largest"]


def test_the_command_serves_by_a_certificate_and_ends_quietly(bank_folder, tmp_path, monkeypatch):
    certificate, key = tmp_path / "room.pem", tmp_path / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"]
    words += ["-days", "2", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost", "-out", str(certificate), "-keyout", str(key)]
    try:
        subprocess.run(words, check=True, capture_output=True)
    except FileNotFoundError:
        need("openssl", "not installed")
    command = [sys.executable, "-m", "autograder", "live", "--course", str(bank_folder), "--room", "lab"]
    command += ["--certificate", str(certificate), "--key", str(key), "--host", "localhost"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output = "".join(server.stdout.readline() for _ in range(3))
        address, code = re.search(r'join\("(https://localhost:\d+)", "(.{8})"\)', output).groups()
        away = join(address, code, agree=True)  # nobody vouches for this certificate
        assert repr(away).startswith("You have joined, and the room is away.")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert repr(join(address, code)).startswith("You have joined.")
        folder = urlsplit(re.search(r"board:\s+(\S+)", output)[1])
        trusting = ssl.create_default_context(cafile=certificate)
        board = HTTPSConnection("localhost", folder.port, context=trusting)
        board.request("GET", f"{folder.path}?{folder.query}")
        cookie = board.getresponse().headers["Set-Cookie"].partition(";")[0]
        board = HTTPSConnection("localhost", folder.port, context=trusting)
        board.request("GET", f"{folder.path}events", headers={"Cookie": cookie})
        shown = board.getresponse()
        assert shown.readline().startswith(b"data: ")
        server.terminate()
        while shown.readline():  # a board that is open is told of the end, and does not hold it up
            pass
        board.close()
    finally:
        server.terminate()
        output = server.communicate(timeout=60)
    assert output[1] == ""
    assert (bank_folder / "live.db").stat().st_mode & 0o077 == 0
