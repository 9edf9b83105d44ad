"""Jupyter servers for tests, for as long as these last."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT, SETTINGS


@contextmanager
def served(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Start a server in a folder, whose token is `test`; yields its address once it answers.

    What its kernels run downloads no model: lesson 12 would.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    log = folder.with_name(f"{folder.name} server.log")
    arguments = [*command, f"--ServerApp.port={port}", "--IdentityProvider.token=test"]
    variables = {**(os.environ if environment is None else environment), "HF_HUB_OFFLINE": "1"}
    with log.open("w") as output:
        server = subprocess.Popen(
            arguments, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=variables
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


@contextmanager
def jupyterlab(temporary: Path) -> Iterator[tuple[str, Path]]:
    """Start JupyterLab in a folder from which the course is found; its address, and the folder."""
    folder = temporary / "books"
    folder.mkdir()
    for name in ("course.toml", "bank", "source"):
        (folder / name).symlink_to(ROOT / name)
    for name, settings in SETTINGS.items():
        file = temporary / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    folders = {
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "JUPYTER_DATA_DIR": "data",  # where it is kept which notebooks are trusted
        "AUTOGRADER_PROGRESS": "progress",
    }
    environment = {**os.environ, **{name: str(temporary / part) for name, part in folders.items()}}
    words = [
        "--allow-root",
        "--no-browser",
        "--expose-app-in-browser",
        "--JupyterNotebookApp.expose_app_in_browser=True",
    ]
    with served([sys.executable, "-m", "jupyterlab", *words], folder, environment) as address:
        yield address, folder


def end_kernels(address: str) -> None:
    """End all kernels of a server."""
    for session in json.loads(_ask(address, "GET")):
        _ask(address, "DELETE", f"/{session['id']}")


def _ask(address: str, method: str, of: str = "") -> bytes:
    """Ask a server of its sessions, which have the kernels; returns what it says of them."""
    request = urllib.request.Request(f"{address}/api/sessions{of}?token=test", method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text: bytes = answer.read()
    return text
