"""What GitHub shows of a committed notebook: its pages are all that many readers ever see of the lessons.

What it is known to show, and where that is said:
- Of an output it takes the richest kind that it knows, HTML before a picture, as nbconvert does by default.
- In HTML it drops scripts, styles and pictures that are written there as data (jupyter/nbconvert#2106).
- SVG of its own kind is put into the page as it is, and some of it turns black (jupyter/nbviewer#1037).
- A file is drawn as long as it is small, which mostly means below 2 MB ("Text limits" in GitHub's
  documentation of repository limits).
"""

from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ROOT = Path(__file__).parents[1]
COMMITTED = sorted(path for folder in ("notebooks", "solutions") for path in (ROOT / folder).rglob("*.ipynb"))
MOST_BYTES = 2_000_000
# The kinds of an output that are shown; the lesson's own are for JupyterLab.
KNOWN = {"text/html", "text/latex", "image/png", "image/jpeg", "text/markdown", "text/plain"}
DRAWN = {"canvas", "embed", "iframe", "object", "svg", "video"}


class Kept(HTMLParser):
    """The words of HTML that are left where styles and scripts are dropped, and the lost pictures."""

    def __init__(self, html):
        super().__init__()
        self.words, self.lost, self.dropped = "", [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in ("style", "script"):
            self.dropped = tag
        if tag in DRAWN or (tag == "img" and (dict(attrs).get("src") or "").startswith("data:")):
            self.lost.append(tag)

    def handle_endtag(self, tag):
        if tag == self.dropped:
            self.dropped = ""

    def handle_data(self, data):
        if not self.dropped:
            self.words += data


def not_shown(notebook):
    """What a reader of a notebook on GitHub would miss, by the cell."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            if "data:image" in cell.source:
                yield cell.id, "a picture as data in prose"
            continue
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": ""})
            pictures = [kind for kind in data if kind.startswith("image/")]
            if not KNOWN & data.keys() or "image/svg+xml" in data:
                yield cell.id, f"only {', '.join(data)}"
            if pictures and "text/html" in data:
                yield cell.id, "a picture with HTML, which is shown in its place"
            for kind in pictures:
                alternative = output.metadata.get(kind, {}).get("alt", "").strip()
                if not alternative or alternative != data.get("text/plain", "").strip():
                    yield cell.id, "a picture without its alternative text beside it"
            written = data.get("text/html", "")
            html = Kept(written)
            if html.lost:
                yield cell.id, f"HTML that draws with {html.lost[0]}"
            if written and not html.words.strip():
                yield cell.id, "HTML that says nothing without its style or script"


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: "-".join(path.parts[-4:-1]))
def test_github_shows_all_of_a_committed_notebook(path):
    assert path.stat().st_size < MOST_BYTES
    assert list(not_shown(nbformat.read(path, as_version=4))) == []


def shown(data, metadata=None):
    return new_code_cell(outputs=[new_output("display_data", data, metadata=metadata or {})])


PIXEL = "data:image/svg+xml;base64,PHN2Zz48L3N2Zz4="
SAID = {"image/png": {"alt": "A map."}}


@pytest.mark.parametrize(
    ("cell", "missed"),
    [
        (shown({"text/html": f"<p>A map:</p><img alt='A map.' src='{PIXEL}'>"}), "HTML that draws with img"),
        (shown({"text/html": "<p>A map:</p><svg><text>a</text></svg>"}), "HTML that draws with svg"),
        (
            shown({"text/html": "<style>p { color: red }</style><script>draw()</script><div></div>"}),
            "HTML that says nothing without its style or script",
        ),
        (shown({"image/png": "x"}), "a picture without its alternative text beside it"),
        (
            shown({"image/png": "x", "text/html": "<p>A map.</p>", "text/plain": "A map."}, SAID),
            "a picture with HTML, which is shown in its place",
        ),
        (
            shown({"application/vnd.jupyter.widget-view+json": {}}),
            "only application/vnd.jupyter.widget-view+json",
        ),
        (new_markdown_cell(f"![A map]({PIXEL})"), "a picture as data in prose"),
    ],
)
def test_what_github_does_not_show_is_found(cell, missed):
    assert [what for _cell, what in not_shown(new_notebook(cells=[cell]))] == [missed]


def test_a_picture_of_its_own_kind_and_words_in_html_are_shown():
    cells = [
        shown({"image/png": "x", "text/plain": "A map."}, SAID),
        shown({"text/html": "<style>p { color: red }</style><p>Right.</p>", "text/plain": "Right."}),
    ]
    assert list(not_shown(new_notebook(cells=cells))) == []
