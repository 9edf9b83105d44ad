"""A live room as a service behind a real JupyterHub, configured just as docs/teaching/live.md says."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from autograder.lesson import event_sender
from support.everywhere import need

from autograder import check, join, leave

ROOT = Path(__file__).parents[1]
DOCUMENTED = re.search(
    r"## Behind a JupyterHub.*?```python\n(.*?)```",
    (ROOT / "docs/teaching/live.md").read_text(encoding="utf-8"),
    re.S,
)
PROXY = "configurable-http-proxy"  # of npm; its port to Python holds back what a board is told
PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
# What a hub needs on one machine where nobody logs in: nothing of it concerns the room.
AROUND = """
c.JupyterHub.bind_url = "http://127.0.0.1:{hub}"
c.JupyterHub.hub_port = {own}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy}"
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.db_url = "sqlite://"
c.JupyterHub.cookie_secret_file = {folder!r} + "/secret"
# It looks after its services every 30 s, which nothing configures.
from jupyterhub.spawner import Spawner
polling = Spawner.start_polling
Spawner.start_polling = lambda self: (setattr(self, "poll_interval", 1), polling(self))
"""


def needs_hub() -> None:
    """Skip where a JupyterHub cannot be had; fail on the Linux of CI."""
    missing = [name for name in ("jupyterhub", "uvicorn") if not find_spec(name)]
    missing += [PROXY] * (shutil.which(PROXY, path=PATH) is None)
    need("JupyterHub", f"not installed: {', '.join(missing)}" if missing else "")
    if sys.platform == "win32":
        pytest.skip("needs JupyterHub: it does not run on Windows")


def free_ports(number: int) -> list[int]:
    with ExitStack() as held:
        taken = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(number)]
        return [item.getsockname()[1] for item in taken]


class Hub:
    """A hub that runs: where it is, and what its log says."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port, self.log = process, port, ""

    def says(self, pattern: str) -> re.Match[str]:
        """Return what stands in the log from here on, waiting for it."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.log += line
            if actual := re.search(pattern, line):
                return actual
        raise AssertionError(self.log)

    def board(self, path: str) -> Iterator[dict]:
        """Yield what the board is told, through the hub's proxy."""
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        asked.request("GET", path)
        cookie = asked.getresponse().headers["Set-Cookie"].partition(";")[0]
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        asked.request("GET", f"{path.partition('?')[0]}events", headers={"Cookie": cookie})
        answer = asked.getresponse()
        while line := answer.readline():
            if line.startswith(b"data: "):
                yield json.loads(line[6:])


@contextmanager
def running(folder: Path) -> Iterator[Hub]:
    """Start a hub with the service of the documentation, for this course and in this folder."""
    hub, own, proxy, room = free_ports(4)
    assert DOCUMENTED is not None
    service = DOCUMENTED[1]
    for written, here in {
        "127.0.0.1:8871": f"127.0.0.1:{room}",
        "/srv/course": str(ROOT),
        "/srv/live/live.db": str(folder / "live.db"),
        "https://hub.example.org": f"http://127.0.0.1:{hub}",
    }.items():
        assert service.count(written) == 1
        service = service.replace(written, here)
    around = AROUND.format(hub=hub, own=own, proxy=proxy, folder=str(folder))
    (folder / "jupyterhub_config.py").write_text(around + service, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterhub"],
        cwd=folder,
        env={**os.environ, "PATH": PATH},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield Hub(process, hub)
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.mark.slow
def test_a_hub_serves_a_room_and_starts_it_again_where_it_was(tmp_path, monkeypatch, request):
    needs_hub()
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("AUTOGRADER_PROGRESS", "off")
    monkeypatch.setattr(event_sender, "PAUSES", (0.05,))
    request.addfinalizer(leave)
    line = r'join\("(.*?)", "(.*?)"\)'
    with running(tmp_path) as hub:
        address, code = hub.says(line).groups()
        assert address == f"http://127.0.0.1:{hub.port}/services/live"
        board = hub.says(r"its board:\s+http://[^/]*(/\S+)")[1]
        hub.says("JupyterHub is now running")
        assert repr(join(address, code, agree=True)).startswith("You have joined.")
        check("softmax-naive", lambda x: x / x.sum())
        reported = next(item for item in hub.board(board) if item["tasks"])
        assert reported["tasks"][0]["lines"][0] == "1 is working on it · 0 have solved it"
        service = ["pgrep", "-P", str(hub.process.pid), "-f", "autograder live"]
        os.kill(int(subprocess.run(service, capture_output=True, check=True).stdout), signal.SIGTERM)
        assert hub.says(line).groups() == (address, code)
        assert hub.says(r"its board:\s+http://[^/]*(/\S+)")[1] == board
        reported = next(item for item in hub.board(board) if item["tasks"])
        assert reported["more"].startswith("1 has joined so far")
