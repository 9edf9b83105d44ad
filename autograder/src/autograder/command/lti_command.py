"""The commands that serve a class to a platform that speaks LTI 1.3."""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from autograder.command.console import Commands, Root, needing, refuse, say
from autograder.command.proxies import Proxies, limits_behind
from autograder.grading.class_folder import Class
from autograder.records.course import Course

app = typer.Typer(
    cls=Commands,
    add_completion=False,
    invoke_without_command=True,
)


@app.callback()
def lti(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="An address of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="A port of this machine; any free one if 0.")] = 8443,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="A certificate for TLS, as PEM, with its chain.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="The certificate's private key, as PEM.")] = None,
    proxy: Proxies = None,
    course: Root = Path(),
) -> None:
    """Serve this class to a learning platform by LTI 1.3."""
    if context.invoked_subcommand:
        return
    with needing("grade,lti", "LTI"):
        from autograder.lti.registrations import Registrations
        from autograder.lti.web_app import server
    limits = limits_behind(proxy)
    if (certificate is None) != (key is None):
        refuse("A certificate and its key go together: --certificate FILE --key FILE.")
    class_folder = Class.of(course)
    registered = Registrations.read(class_folder.banks.course)
    log = logging.getLogger("autograder.lti")
    log.setLevel(logging.INFO)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    log.addHandler(handler)
    serving = server(class_folder, registered, certificate, key, limits)
    with socket.create_server((host, port)) as listening:
        at = listening.getsockname()
        say(f"Listening at {at[0]}, port {at[1]}; platforms find it at {registered.address}. Ctrl-C ends it.")
        for what, path in (("login", "login"), ("launch", "launch"), ("public keys", "jwks")):
            say(f"  {what}: {registered.at(path)}")
        with suppress(KeyboardInterrupt):
            serving.run(sockets=[listening])


@app.command()
def rotate(
    forget: Annotated[
        bool, typer.Option("--forget", help="Publish the old keys no longer: somebody else has read one.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Make a new key; the old one's public half stays published for three days."""
    with needing("grade,lti", "LTI"):
        from autograder.lti import signing_keys
    loaded_course = Course.of(course)
    signing_keys.rotate(loaded_course, forget)
    where = signing_keys.folder(loaded_course)
    say(f"A new key lies in {where}; what is signed from now on is signed with it.")
    notice = "The old key's public half stays published for three days."
    say("The old keys are published no longer." if forget else notice)
