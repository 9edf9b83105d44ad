"""Read the addresses of proxies, web servers in front of this tool's own server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from autograder.command.console import refuse
from autograder.web.admission_control import Limits

Proxies = Annotated[
    list[str] | None,
    typer.Option(
        "--proxy",
        help="The address or network of a web server in front: who asks is whom it names.",
    ),
]


def limits_behind(proxies: Sequence[str] | None) -> Limits:
    """Return the limits on connections of a server behind these proxies."""
    try:
        return Limits(proxies=tuple(proxies or ()))
    except ValueError as problem:
        refuse(f"--proxy takes an address or a network, as 127.0.0.1 or 10.0.0.0/8: {problem}.")
