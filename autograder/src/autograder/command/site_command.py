"""The command that makes the site of the solved lessons."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.command.console import (
    AUTHOR,
    Root,
    course_of,
    refuse,
    say,
)
from autograder.words.language import ngettext

app = typer.Typer()


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder site public")
def site(
    out: Annotated[Path, typer.Argument(help="The folder for the site; what it holds is replaced.")],
    course: Root = Path(),
) -> None:
    """Make a site to read from solutions/: pages, pictures and explorers, without a kernel or a network."""
    loaded_course = course_of(course)
    try:
        from autograder.author.site.build_site import build_site
    except ModuleNotFoundError as missing:
        refuse(f"{missing}. The site needs more packages: pip install 'lesson-autograder[site]'")
    if out.is_dir() and any(out.iterdir()) and not (out / "searchindex.js").is_file():
        refuse(f"{out} holds something other than a site, and nothing was written.")
    pages = build_site(loaded_course, out)
    written = ngettext("{number} page written.", "{number} pages written.", len(pages))
    say(f"{written} Open {out / 'index.html'}")
