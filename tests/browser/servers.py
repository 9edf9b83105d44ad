"""A Jupyter server for a test, for as long as it lasts."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def served(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Start a server in a folder, whose token is `test`; yields its address once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    log = folder.with_name(f"{folder.name} server.log")
    arguments = [*command, f"--ServerApp.port={port}", "--IdentityProvider.token=test"]
    with log.open("w") as output:
        server = subprocess.Popen(
            arguments, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api?token=test", timeout=2)
                break
            except OSError:
                assert server.poll() is None, log.read_text()
                time.sleep(0.5)
        else:
            pytest.fail(log.read_text())
        yield address
    finally:
        server.terminate()
        server.wait()
