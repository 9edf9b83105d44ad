"""HTML and text templates, filled in the present language."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from autograder.words.language import ON_PAGES


@cache
def templates(package: str, folder: str) -> Environment:
    """Return the templates in a folder of a package; values put into HTML templates are escaped."""
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
    """Return a text as HTML in which the parts between backticks are set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704
