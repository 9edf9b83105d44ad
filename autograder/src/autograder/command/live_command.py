"""The command that serves live rooms."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.command.console import Root, needing, refuse, say
from autograder.command.proxies import Proxies, limits_behind
from autograder.records.course import NAME_FORM, Course
from autograder.words.language import speak


def live(
    room: Annotated[
        list[str] | None, typer.Option("--room", help="A lab's name.", show_default="today's date")
    ] = None,
    host: Annotated[str, typer.Option("--host", help="This machine's name or address.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="A port of this machine; any free one if 0.")] = 0,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="A certificate for TLS, as PEM.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="The certificate's key, as PEM.")] = None,
    unencrypted: Annotated[
        bool, typer.Option("--unencrypted", help="Serve a network without TLS all the same.")
    ] = False,
    address: Annotated[
        str, typer.Option("--address", help="Where learners reach it, if that is another address.")
    ] = "",
    proxy: Proxies = None,
    history: Annotated[
        Path | None, typer.Option("--history", help="Where it is kept.", show_default="live.db in the course")
    ] = None,
    course: Root = Path(),
) -> None:
    """Show a class at work, without names: notebooks that join a room tell how their checks go."""
    with needing("live", "A live room"):
        from autograder.live.server import ServerAddress, serve
    limits = limits_behind(proxy)
    loaded_course = Course.of(course)
    speak(loaded_course.bank, loaded_course.languages)
    names = room or [datetime.now().strftime("%Y-%m-%d")]
    for name in names:
        if not NAME_FORM.fullmatch(name):
            refuse(f"{name}: a room's name is lower-case words or numbers joined by hyphens.")
    given = address.rstrip("/")
    local = ServerAddress(host, port, certificate, key, unencrypted, address=given)
    by_hub = ServerAddress.from_hub(os.environ)
    binding = local if by_hub is None else replace(by_hub, address=given or by_hub.address)
    binding = replace(binding, limits=limits)

    def tell(name: str, line: str, board: str) -> None:
        say(f"Room {name}\n  in a cell:  from autograder import join; {line}\n  its board:  {board}")
        say("Anyone who has the board's address can see it. Ctrl-C ends the room; its history is kept.")

    with suppress(KeyboardInterrupt):
        serve(
            loaded_course,
            list(dict.fromkeys(names)),
            history or loaded_course.root / "live.db",
            binding,
            tell,
        )
