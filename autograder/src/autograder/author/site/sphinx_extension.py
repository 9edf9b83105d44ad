"""Extend Sphinx for this site: formulas become MathML, and terms link to the glossary."""

from __future__ import annotations

import re
from html import escape
from typing import Any, Literal

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from autograder.author.glossary import Term, pattern

# Words here are no prose, or are links already.
NOT_IN = (nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.math, nodes.raw, nodes.term)
PLAIN_TOKEN = re.compile(r'<span class="(?:n|p|w)">([^<]*)</span>')


def _inline(writer: HTML5Translator, node: nodes.Element) -> None:
    writer.body.append(formula(node.astext()))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.Element) -> None:
    writer.body.append(f'<div class="math" tabindex="0">{formula(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def formula(latex: str, display: Literal["inline", "block"] = "inline") -> str:
    """Return a LaTeX formula as MathML."""
    converted: str = convert(latex.replace(r"\_", "_"), display=display)
    return converted


def link_terms(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Turn the first use of each glossary term in a lesson into a link."""
    terms: tuple[Term, ...] = app.config.course_terms
    if page not in app.config.course_lessons or not terms:
        return
    by_form = {form.casefold(): term for term in terms for form in term.forms}
    named = app.env.domains.standard_domain.objects
    find, met = pattern(terms), set[str]()
    for text in list(tree.findall(nodes.Text)):
        if _inside(text, NOT_IN):
            continue
        rest, pieces = str(text), list[nodes.Node]()
        while match := find.search(rest):
            term = by_form[match[0].casefold()]
            before, rest = rest[: match.start()], rest[match.end() :]
            if term.name in met:
                pieces.append(nodes.Text(before + match[0]))
                continue
            met.add(term.name)
            _page, anchor = named["term", term.name]
            about = {"refuri": f"glossary.html#{anchor}", "reftitle": term.meaning, "classes": ["term"]}
            pieces += [nodes.Text(before), nodes.reference("", match[0], internal=True, **about)]
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(rest)])


def _inside(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if isinstance(parent, kinds):
            return True
        parent = parent.parent
    return False


def _tell_readers(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    context["language"] = app.config.course_language
    name = escape(f"{context.get('title') or app.config.project}")
    tags = {"og:title": name, "og:site_name": escape(app.config.project), "og:type": "website"}
    if app.config.course_picture:
        tags["og:image"] = f"_static/{app.config.course_picture}"
    says = escape(app.config.course_says)
    tags["og:description"] = says
    context["metatags"] = f'<meta name="description" content="{says}">' + "".join(
        f'<meta property="{key}" content="{value}">' for key, value in tags.items() if value
    )
    # A table's corner is no heading of anything.
    body = context.get("body", "").replace('<th class="head"><p></p></th>', "<td></td>")
    # Names and brackets have the colour of the text around them: a tenth of a page says only that.
    context["body"] = PLAIN_TOKEN.sub(r"\1", body)
    # A heading without a level says nothing to a screen reader.
    tree_key = "furo_navigation_tree"
    context[tree_key] = context[tree_key].replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.add_config_value("course_terms", (), "env")
    app.add_config_value("course_lessons", [], "env")
    app.add_config_value("course_language", "en", "env")
    app.add_config_value("course_says", "", "env")
    app.add_config_value("course_picture", "", "env")
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("doctree-resolved", link_terms)
    app.connect("html-page-context", _tell_readers, priority=900)  # after the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
