"""Render the pages that an instructor reads, from the templates beside this file.

Their data is gathered elsewhere.
"""

from __future__ import annotations

from typing import Any

from autograder.words.page_templates import templates

# A page by itself: it leads to no other, nothing can be given on it, and no script of it runs.
ALONE = {"link": None, "lesson": "", "token": "", "nonce": ""}


def render(page: str, **values: Any) -> str:
    """Return a page as HTML that needs no other file.

    Args:
        page: the name of its template, without `.html.j2`.
        values: the template's variables.
    """
    template = templates("autograder.classroom", "pages").get_template(f"{page}.html.j2")
    return template.render(**{**ALONE, **values})
