"""What of a submission's HTML, Markdown and outputs reaches a page: what can be read, nothing that acts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from autograder.grading import sanitize_html as module
from autograder.grading.sanitize_html import SafeOutputs, markdown2html, safe_html
from autograder.words.feedback_card import STYLE, Notice
from jinja2 import Environment
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output, new_raw_cell

PIXEL = "data:image/png;base64,iVBORw0KGgo="
DRAWING = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'%3E%3Cpath d='M0.5 -1'/%3E%3C/svg%3E"
FIGURE = (
    f'<img src="{PIXEL}" alt="Six bars." width="90" height="40" '
    'style="max-width:100%;height:auto;border-radius:6px">'
)


def shown(markdown: str) -> str:
    """Markdown as a page has it."""
    env = Environment(autoescape=False)
    env.filters["markdown2html"] = markdown2html
    return env.from_string("{{ source | markdown2html }}").render(source=markdown)


@pytest.mark.parametrize(
    "html",
    [
        FIGURE,
        f'<img src="{DRAWING}" alt="Six bars.">',
        '<details open=""><summary>Hint</summary><p>Look at <code>dim</code>.</p></details>',
        '<table class="dataframe"><thead><tr><th scope="col">a</th></tr></thead></table>',
        '<div class="highlight"><pre><span class="k">def</span> <span class="nf">dot</span></pre></div>',
        '<p>$a &lt; b$ and <a href="https://pytorch.org/">a page</a></p>',
        '<span role="img" aria-label="right">✓</span>',
    ],
)
def test_what_can_only_be_read_stays(html):
    assert safe_html(html) == html


def test_the_courses_own_cards_stay_as_they_are():
    card = Notice("Hint 1 of 3", ("Use `dim`.", "Once."))._repr_html_()
    assert safe_html(card).replace('"', "'") == card.replace('"', "'")


@pytest.mark.parametrize(
    ("html", "saved"),
    [
        ("a<script>alert(1)</script>b", "ab"),
        ("a<style>@import url(//x)</style>b", "ab"),
        ("a<style>never closed", "a"),
        ('<img src="x" onerror="alert(1)">', "<img>"),
        ('<img src="http://x/pixel.png" alt="x">', '<img alt="x">'),
        ('<img src="data:image/svg+xml;base64,AAAA">', "<img>"),
        ('<a href=" java\nscript:alert(1)">x</a>', "<a>x</a>"),
        ('<a href="data:text/html,x">x</a>', "<a>x</a>"),
        ('<p style="background-color: url(//x)">x</p>', "<p>x</p>"),
        ('<p style="position: fixed; color: red">x</p>', '<p style="color:red">x</p>'),
        ('<b class="full-credit" id="score">x</b>', "<b>x</b>"),
        ("<svg onload=alert(1)><iframe srcdoc=x></iframe></svg>", ""),
        ("<form action=//x><input name=y><button>z</button></form>", "z"),
        (f"<style>{STYLE} b {{}}</style>x", "x"),
        ('<hr width="99999"><td height="9999px" colspan="65534">x</td>', "<hr>x"),
    ],
)
def test_what_acts_asks_or_poses_is_taken_out(html, saved):
    assert safe_html(html) == saved


def test_markdown_keeps_its_marks_and_formulas_and_loses_what_acts():
    page = shown("**yes** $\\sqrt{d_k} < 2$ [no](javascript:alert(1)) <img src=x onerror=alert(1)>")
    assert "<strong>yes</strong> <math" in page
    assert "javascript" not in page
    assert "onerror" not in page


def test_a_picture_that_was_pasted_into_an_answer_ends_no_page():
    assert shown("![a *map*](attachment:image.png) of mine") == '<p><img alt="a map"> of mine</p>\n'


@pytest.mark.parametrize(
    "piece", ["<div>", "<b><i>", "<a a=1 ", "&", "<p><b>", "[", "*a ", "<!--", "\\begin{a}"]
)
def test_what_would_take_long_to_read_is_not_read(piece, monkeypatch):
    read = []
    cleaner = SimpleNamespace(clean=lambda text: read.append(text) or "")
    monkeypatch.setattr(module, "_cleaner", cleaner)
    safe_html(piece * 1_000_000)
    assert read == []


def outputs_shown(*outputs):
    notebook = new_notebook(cells=[new_code_cell("x", outputs=list(outputs))])
    shown, _ = SafeOutputs().preprocess(notebook, {})
    return shown.cells[0].outputs


def test_of_an_output_only_what_can_be_shown_is_kept():
    data = {
        "text/plain": "x",
        "text/html": "<b onclick=x>y</b>",
        "image/png": "iVBO",
        "application/javascript": "alert(1)",
        "application/vnd.jupyter.widget-view+json": {"model_id": "x"},
        "text/vnd.mermaid": "x",
    }
    metadata = {
        "image/png": {"width": 90, "height": "1 onerror=alert(1)", "alt": "x"},
        "filenames": {"image/png": "http://x"},
        "text/html": {"isolated": True},
    }
    (shown,) = outputs_shown(new_output("display_data", data=data, metadata=metadata))
    assert shown.data == {"text/plain": "x", "text/html": "<b>y</b>", "image/png": "iVBO"}
    assert shown.metadata == {"image/png": {"width": 90, "alt": "x"}, "filenames": {}, "text/html": {}}


def test_all_outputs_of_a_notebook_together_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "MAX_ALL", 20)
    html = [new_output("display_data", data={"text/html": f"<b>number {number}</b>"}) for number in range(3)]
    shown = outputs_shown(*html)
    assert [list(item.data) for item in shown] == [["text/html"], ["text/plain"], ["text/plain"]]


def test_code_that_is_slow_to_colour_is_shown_without_colours():
    # Thousands of names with dots between them keep the reader of Python's text busy for minutes.
    cells = [new_code_cell(source) for source in ("def f(x): ...", "a." * 20_000, "a = 1\n" * 17_000)]
    page, _ = HTMLExporter(preprocessors=[SafeOutputs]).from_notebook_node(new_notebook(cells=cells))
    for shown in ('<span class="k">def</span>', "a.a.a.a", "a = 1\na = 1"):
        assert shown in page


def test_printed_text_and_errors_stay(monkeypatch):
    output = [new_output("stream", text="<b>"), new_output("error", ename="E", evalue="v", traceback=["t"])]
    assert outputs_shown(*output) == output


def test_the_judges_verdict_stays_and_a_raw_cell_is_not_shown():
    marks = {"grade": True, "solution": False, "grade_id": "t", "points": 1}
    verdict = [new_output("execute_result", data={"text/html": "<svg></svg>", "text/plain": "1"})]
    test = new_code_cell("check('t')", metadata={"nbgrader": marks}, outputs=verdict)
    shown, _ = SafeOutputs().preprocess(new_notebook(cells=[test, new_raw_cell("<script>")]), {})
    assert shown.cells[0].outputs == verdict
    assert (shown.cells[1].cell_type, "<script>" in shown.cells[1].source) == ("markdown", False)


def test_a_formula_is_drawn_without_a_network():
    assert "<msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt>" in shown(r"By $\sqrt{d_k}$.")
    assert '<math display="block">' in shown("$$\na < b\n$$")


@pytest.mark.parametrize("attack", [r"\text{<script>alert(1)</script>}", r"\href{javascript:alert(1)}{x}"])
def test_a_formula_cannot_act(attack):
    actual = shown(f"${attack}$")
    assert "<script" not in actual
    assert "href" not in actual.replace(r"\href", "")


def test_a_dollar_in_code_and_what_is_no_formula_stay():
    assert "<code>$a$</code>" in shown("`$a$`")
    assert r"$\frac{a}{$" in shown(r"$\frac{a}{$")


COVERING = (
    *("margin-top:-40px", "margin:0 0 0 -9em", "margin: - 5px", "height:9000px", "height:1em"),
    *("padding:calc(1px - 9px)", "opacity:0", "font-size:400px", "font-size: 20em"),
    *("font-size:40rem", "position:fixed;top:0", "transform:translate(0,-9px)", "line-height:0"),
    *("z-index:9", "float:left", "margin:var(--x)", "margin:/**/-9px", "display:none", "inset:0"),
    *("letter-spacing:-1em", "text-indent:-99px"),
)


@pytest.mark.parametrize("style", COVERING)
def test_nothing_lies_over_what_others_wrote(style):
    assert shown(f'<p style="{style}">x</p>').strip() in ("<p>x</p>", '<p style="">x</p>')
