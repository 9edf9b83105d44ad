"""Pages and pieces of pages from templates, in the spoken language."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from autograder.words.language import ON_PAGES


@cache
def templates(package: str, folder: str) -> Environment:
    """Return the templates in a folder of a package; what goes into those for HTML is escaped."""
    environment = Environment(
        loader=PackageLoader(package, folder),
        autoescape=select_autoescape(("html.j2",)),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["marked"] = marked
    environment.globals.update(ON_PAGES)
    return environment


def marked(text: str) -> Markup:
    """Return a text in which what stands between backticks is set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704
