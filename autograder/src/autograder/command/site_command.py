"""The command that makes the site of the solved lessons."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.command.console import Root, needing, refuse, say
from autograder.records.course import Course
from autograder.words.language import ngettext


def site(
    out: Annotated[Path, typer.Argument(help="The folder for the site; what it holds is replaced.")],
    course: Root = Path(),
) -> None:
    """Make a site to read from solutions/: pages, pictures and explorers, without a kernel or a network."""
    loaded_course = Course.of(course)
    with needing("site", "The site"):
        from autograder.author.site.build_site import build_site
    if out.is_dir() and any(out.iterdir()) and not (out / "searchindex.js").is_file():
        refuse(f"{out} holds something other than a site, and nothing was written.")
    pages = build_site(loaded_course, out)
    written = ngettext("{number} page written.", "{number} pages written.", len(pages))
    say(f"{written} Open {out / 'index.html'}")
