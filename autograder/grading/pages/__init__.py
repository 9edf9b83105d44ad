"""The pages that an instructor reads, made from the templates beside this file."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.language import ON_PAGES

# A page by itself: it leads to no other, nothing can be given on it, and no script of it runs.
ALONE = {"link": None, "lesson": "", "token": "", "nonce": ""}


def render(page: str, **values: Any) -> str:
    """One page as HTML that needs no other file; `page` is a template's name without its endings."""
    return _templates().get_template(f"{page}.html.j2").render(**{**ALONE, **values})


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("autograder.grading", "pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters["marked"] = marked
    made.globals.update(ON_PAGES)
    return made


def marked(text: str) -> Markup:
    """Return a text in which what stands between backticks is set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704
