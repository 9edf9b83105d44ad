"""A class that is served to the platform of these tests, and a browser that goes between the two."""

from __future__ import annotations

import html
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import requests
from autograder.grading.class_folder import Class
from autograder.lti.registrations import Registrations
from autograder.lti.web_app import server
from autograder.web.admission_control import Limits
from support.lti_platform import ROLES, Platform

TEACHER = {"roles": ("Instructor",)}


@dataclass
class Browser:
    """A person's browser: it keeps cookies, and sends on what it is told to."""

    home: Platform
    tool: str
    session: requests.Session = field(default_factory=requests.Session)

    def comes(self, user: str, lesson: str = "", **more: Any) -> dict[str, str]:
        """Open a link on the platform, log in, and return what is to be brought to the tool."""
        begun = self.session.post(
            f"{self.tool}/login", self.home.opens(user, lesson, **more), allow_redirects=False
        )
        assert begun.status_code == 302, begun.text
        form = self.session.get(begun.headers["Location"])
        assert form.ok, form.text
        inputs = re.findall(r'<input name="(\w+)" value="([^"]*)">', form.text)
        return {name: html.unescape(value) for name, value in inputs}

    def nonce(self) -> tuple[str, str]:
        """Log in, and stop at the platform's door: the state and the nonce that a token must bring."""
        begun = self.session.post(f"{self.tool}/login", self.home.opens("u1"), allow_redirects=False)
        asked = dict(parse_qsl(urlsplit(begun.headers["Location"]).query))
        return asked["state"], asked["nonce"]

    def brings(self, fields: Mapping[str, str]) -> requests.Response:
        return self.session.post(f"{self.tool}/launch", fields)

    def launches(self, user: str, lesson: str = "", **more: Any) -> requests.Response:
        return self.brings(self.comes(user, lesson, **more))


def member(number: int) -> dict[str, Any]:
    """A student, as the names and roles service has them."""
    return {
        "user_id": f"u{number}",
        "status": "Active",
        "given_name": f"Given{number}",
        "family_name": f"Family{number}",
        "email": f"s{number}@uni.example",
        "roles": [f"{ROLES}Learner"],
    }


def toml(home: Platform, address: str) -> str:
    return f"""address = "{address}"
open = "https://hub.uni.example/lab/tree/{{lesson}}.ipynb"
[[platform]]
issuer = "{home.issuer}"
client_id = "{home.client}"
login = "{home.issuer}/auth"
token = "{home.issuer}/token"
keys = "{home.issuer}/jwks"
deployments = ["{home.deployment}"]
courses = ["{home.course}"]
"""


@contextmanager
def served(folder: Path, home: Platform, limits: Limits | None = None) -> Iterator[str]:
    """Serve the class in a folder; yields the tool's address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        home.tool = f"http://127.0.0.1:{listening.getsockname()[1]}"
        (folder / "lti.toml").write_text(toml(home, home.tool), encoding="utf-8")
        course = Class(folder)
        result = server(course, Registrations.read(course.banks.course), limits=limits)
        thread = threading.Thread(target=result.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield home.tool
        finally:
            result.should_exit = True
            thread.join()
