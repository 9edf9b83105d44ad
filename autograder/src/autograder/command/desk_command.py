"""The command that opens the instructor's desk."""

from __future__ import annotations

import getpass
from contextlib import suppress
from ipaddress import ip_address
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom.desk import server
from autograder.command.console import Root, complain, refuse, say
from autograder.command.score_changes import say_score_changes
from autograder.grading.class_folder import Class
from autograder.records.authoring_errors import BadBook
from autograder.words.language import ngettext, speak


def desk(
    port: Annotated[int, typer.Option("--port", help="A port of this machine; any free one if 0.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Write the pages to a folder instead.")] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            help="Who gives points here; each of several gets an address of their own.",
            show_default="the account's name",
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", help="An address of this machine; others need --behind-proxy.")
    ] = "127.0.0.1",
    proxy: Annotated[
        str,
        typer.Option("--behind-proxy", help="The name of a web server with TLS that passes requests on."),
    ] = "",
    hours: Annotated[
        float | None,
        typer.Option(
            "--hours", help="How long addresses are good for.", show_default="12 with --behind-proxy"
        ),
    ] = None,
    course: Root = Path(),
) -> None:
    """Show the class, each lesson and the written answers in a browser, and give points there."""
    class_folder = Class.of(course)
    speak(class_folder.banks.course.bank, class_folder.banks.course.languages)

    try:
        alone = ip_address(listen).is_loopback
    except ValueError:
        refuse(f"--listen takes an address of this machine, as 127.0.0.1, and {listen} is none.")
    if not (alone or proxy):
        refuse(
            "Whoever shares the network could read along. Have a web server with TLS in front, and name it: "
            "--behind-proxy desk.example.org"
        )
    people = by or [_account()]
    try:
        say_score_changes(class_folder, class_folder.banks.course.lessons)
    except BadBook as problem:  # `grade` may be at work: scores can be looked at all the same
        complain([problem])

    def tell(who: str, address: str) -> None:
        whose = f"{who}: " if len(people) > 1 else ""
        say(f"{whose}Open {address}\nAnyone who has this address can read and change grades. Ctrl-C ends it.")

    if out:
        pages = server.write_static(class_folder, out)
        say(
            ngettext(
                "{number} page written to {folder}.",
                "{number} pages written to {folder}.",
                len(pages),
                folder=out,
            )
        )
        return
    with suppress(KeyboardInterrupt):
        server.serve(class_folder, port, tell, people, listen, proxy, hours or (12 if proxy else inf))


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # an account without a name
        return ""
