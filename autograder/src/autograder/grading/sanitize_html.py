"""The display of a submission in somebody else's browser: text, pictures and formulas, and nothing active.

nbgrader turns graded notebooks into pages in two places, `nbgrader generate_feedback` and the formgrader.
Both use nbconvert's HTML exporter, to which `nbgrader_config.py` adds the filter and the preprocessor below.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import nh3
from jinja2 import pass_context
from jinja2.runtime import Context
from latex2mathml.converter import convert
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output
from traitlets import Unicode

from autograder.author.parse_source import answers_in
from autograder.records.cell_roles import is_test
from autograder.words.feedback_card import STYLE
from autograder.words.language import LazyMessage, _

# Reading HTML and Markdown takes seconds where it is made to. What one piece and one notebook may hold,
# without the pictures in it: no figure and no table of the course is near this size.
MAX_HTML, MAX_MARKS, MAX_MARKDOWN, MAX_ALL = 100_000, 6_000, 20_000, 400_000
# Colouring code takes the square of its lines' length. Code beyond this is shown in one colour.
MAX_LINE, MAX_CODE = 500, 100_000
TOO_LARGE = LazyMessage("… an output of this size is not shown …")
OURS = f"<style>{STYLE}</style>"

PLAIN = {"alt", "title", "role", "width", "height", "align", "colspan", "rowspan", "scope", "start", "open"}
# Of the course's own and of highlighted code. Others are nbgrader's, and its buttons go by them.
CLASSES = re.compile(
    r"(ag|ag-[\w-]+|\w+-explorer|highlight|hl-\w+|[a-z][a-z\d]{0,2}|dataframe|number|bar|track)"
)
# A drawing in an img runs nothing and fetches nothing.
PICTURE = re.compile(
    r"data:image/((png|jpeg|gif|webp);base64,[\w+/=\s]*|svg\+xml,[\w !$%'()*+,./:;=?@\[\]{|}~-]*)"
)
LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)
# Sides in pixels, and cells that are one: no more than a page has room for.
SIDE, CELLS = re.compile(r"1?\d{1,3}(px|%)?"), re.compile(r"\d{1,2}")
FETCHES = re.compile(r"url|image|expression|[\\@<]", re.IGNORECASE)
# What would lie over other content, or push it away: negative lengths, fixed heights, huge letters, lengths
# that are worked out, and comments, between which these could stand.
COVERS = re.compile(
    r"-\s*[\d.]|\bheight\s*:\s*(?!auto)|[a-z]\(|/\*|display\s*:\s*(contents|none)"
    r"|font-size\s*:\s*"
    r"(?!([01]?(\.\d+)?r?em|[12]?\d(\.\d+)?p[xt]|1?\d\d%|inherit|small|large|medium)\s*(;|$))",
    re.IGNORECASE,
)
STYLES = {
    *("background-color", "border", "border-collapse", "border-radius", "color", "display", "flex-wrap"),
    *("font-family", "font-size", "font-style", "font-weight", "gap", "height", "margin", "margin-left"),
    *("margin-right", "max-width", "padding", "text-align", "vertical-align", "white-space", "width"),
}


def _safe_attribute(tag: str, name: str, value: str) -> str | None:
    """Return an attribute's value, if it may stay."""
    stays = {
        "class": all(map(CLASSES.fullmatch, value.split())),
        "style": not (FETCHES.search(value) or COVERS.search(value)),
        "src": PICTURE.fullmatch(value),
        "href": LINK.match(value),
        **dict.fromkeys(("width", "height"), SIDE.fullmatch(value)),
        **dict.fromkeys(("colspan", "rowspan"), CELLS.fullmatch(value)),
    }
    return value if stays.get(name, True) else None


# What `latex2mathml` makes may hold what a stranger wrote: of it, the formula alone is kept.
_formulas = nh3.Cleaner(
    tags={
        *("math", "mrow", "mi", "mo", "mn", "ms", "mtext", "mspace", "mstyle", "mpadded", "mfrac", "msqrt"),
        *("mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd"),
    },
    attributes={"math": {"display"}, "mo": {"stretchy"}, "mi": {"mathvariant"}},
    clean_content_tags={"script", "style"},
)
MATH = re.compile(r"\$\$([^$<>]+)\$\$|\$([^$<>\n]+)\$")
CODE = re.compile(r"(<(?:code|pre)\b.*?</(?:code|pre)>)", re.DOTALL)

_cleaner = nh3.Cleaner(
    clean_content_tags={"script", "style", "template", "noscript", "title", "textarea"},
    attributes={"*": {*PLAIN, "class", "style"}, "img": {"src"}, "a": {"href"}},
    generic_attribute_prefixes={"aria-"},
    attribute_filter=_safe_attribute,
    filter_style_properties=STYLES,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel=None,
)


def safe_html(html: str) -> str:
    """Return HTML without parts that act, fetch or imitate the page's controls; our style sheet stays."""
    bare = PICTURE.sub("", html)
    if len(bare) > MAX_HTML or bare.count("<") > MAX_MARKS:
        return f"<p>{_(TOO_LARGE)}</p>"
    ours = OURS if html.startswith(OURS) else ""
    return ours + _cleaner.clean(html[len(ours) :])


class _Renderer(IPythonRenderer):
    def _embed_image_or_attachment(self, src: str) -> str:
        """Leave a picture out that was pasted in: nothing of it was kept, and nbconvert's own ends here."""
        return "" if src.startswith("attachment:") else super()._embed_image_or_attachment(src)


@pass_context
def markdown2html(context: Context, source: str) -> str:
    """Return Markdown as safe HTML: nbconvert's filter of this name, followed by `safe_html`."""
    if len(source) > MAX_MARKDOWN:
        source = f"{source[:MAX_MARKDOWN]}\n\n{_(TOO_LARGE)}"
    html = safe_html(
        MarkdownWithMath(renderer=_Renderer(escape=False, exclude_anchor_links=True)).render(source)
    )
    # Code is left alone: a dollar in it is one.
    pieces = CODE.split(html)
    return "".join(piece if index % 2 else MATH.sub(_formula, piece) for index, piece in enumerate(pieces))


def _formula(match: re.Match[str]) -> str:
    """Return a formula as MathML, which a browser draws by itself; left as it is where it is none."""
    try:
        drawn = convert(unescape(match[1] or match[2]), display="block" if match[1] else "inline")
    except Exception:  # it has many ways to fail on what is no LaTeX
        return match[0]
    return _formulas.clean(drawn)


class MarkingScheme(Preprocessor):
    """A preprocessor that shows graders the course's answer and marking scheme below each written answer."""

    source = Unicode("", help="The folder of the lessons' sources.").tag(config=True)

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        lesson = str(resources.get("notebook_id", ""))
        schemes = answers_in(Path(self.source) / lesson, lesson, "markdown") if self.source and lesson else {}
        cells = []
        for cell in notebook.cells:
            cells.append(cell)
            text = schemes.get(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
            if text:
                body = "\n".join(line for line in text.splitlines() if not line.startswith("### "))
                cells.append(new_markdown_cell(f"**The course's own answer**\n\n{body}"))
        notebook.cells = cells
        return notebook, resources


class SafeOutputs(Preprocessor):
    """A preprocessor that removes unsafe parts from the outputs of a submission's cells.

    The verdicts in test cells are written by the grader, not by the student, and are not changed.
    """

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        room, code = MAX_ALL, 0
        for cell in notebook.cells:
            if cell.cell_type == "raw":
                cell.cell_type = "markdown"
                cell.source = "*" + _("A raw cell is not shown.") + "*"
            if cell.cell_type == "markdown":
                cell.pop("attachments", None)
            if cell.cell_type == "code":
                code += len(cell.source)
                if code > MAX_CODE or max(map(len, cell.source.split("\n"))) > MAX_LINE:
                    cell.metadata["magics_language"] = "text"  # by which nbconvert chooses the colours
            if cell.cell_type != "code" or is_test(cell):
                continue
            for position, output in enumerate(cell.outputs):
                if output.output_type in ("display_data", "execute_result"):
                    safe, size = _safe(output, room)
                    room -= size
                    cell.outputs[position] = safe
            # What has nothing left to show would only warn whoever makes the feedback.
            cell.outputs = [output for output in cell.outputs if output.get("data", True)]
        return notebook, resources


def _safe(output: NotebookNode, room: int) -> tuple[NotebookNode, int]:
    """Return an output that can be shown, and how much of what a page may hold it takes."""
    clean: dict[str, Any] = {}
    size = 0
    for kind, value in output.data.items():
        text = "".join(map(str, value)) if isinstance(value, list) else value
        if not isinstance(text, str):
            continue
        if kind in ("image/png", "image/jpeg", "text/plain"):
            clean[kind] = text
            continue
        length = len(PICTURE.sub("", text))
        if length > room - size:
            clean.setdefault("text/plain", _(TOO_LARGE))
        elif kind == "text/html":
            clean[kind] = safe_html(text)
        elif kind == "image/svg+xml" or (kind in ("text/latex", "text/markdown") and length <= MAX_MARKDOWN):
            clean[kind] = text
        size += min(length, room - size)
    # nbconvert writes a picture's sides into the page as it finds them, and escapes its text.
    sizes = {
        kind: {
            name: mark
            for name, mark in marks.items()
            if (name in ("width", "height") and type(mark) is int) or (name == "alt" and type(mark) is str)
        }
        for kind, marks in output.get("metadata", {}).items()
        if isinstance(marks, dict)
    }
    safe = new_output(output.output_type, data=clean, metadata=sizes)
    if output.output_type == "execute_result":
        safe.execution_count = output.get("execution_count")
    return safe, size
