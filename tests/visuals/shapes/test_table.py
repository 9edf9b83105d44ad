"""The record as HTML and as text: what a reader, a screen reader and a plain terminal get."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
import torch

from visuals import style, track_shapes
from visuals.shapes import look


class Cells(HTMLParser):
    """The cells of a table by row, each with its tag and attributes."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, dict[str, str | None], str]]] = []
        self.open: list[str] = []
        self.caption = ""
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append((tag, dict(attributes), ""))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "caption" in self.open:
            self.caption += data
        elif self.rows and self.rows[-1] and ("th" in self.open or "td" in self.open):
            tag, attributes, text = self.rows[-1].pop()
            self.rows[-1].append((tag, attributes, text + data))


@pytest.fixture
def tracker(sentences, sizes):
    with track_shapes(**sizes) as t:
        keys = sentences.transpose(1, 2)
        scores = sentences @ keys
        assert len(scores) == 5
    return t


def test_headers_have_a_scope_and_each_row_says_what_it_is(tracker):
    table = Cells(tracker._repr_mimebundle_()["text/html"])
    head, *body = table.rows
    assert [(tag, text) for tag, attributes, text in head] == [
        ("th", name) for name in ("operation", "takes", "makes", "axes", "strides", "memory")
    ]
    assert {attributes["scope"] for _, attributes, _ in head} == {"col"}
    first, row = body[0], body[1]
    assert (first[0][0], first[0][1]["scope"]) == ("th", "rowgroup")
    assert first[0][2].endswith("keys = sentences.transpose(1, 2)")
    assert (row[0][0], row[0][1]["scope"]) == ("th", "row")
    assert [text for _, _, text in row] == [
        "1 transpose",
        "sentences (5, 7, 3)",
        "keys (5, 3, 7)",
        "b, d_in, tokens",
        "(21, 1, 3)",
        "view of sentences, not contiguous",
    ]
    assert table.open == []
    assert table.caption == "2 operations, in the order in which they ran"


def test_the_table_can_be_scrolled_by_keyboard_and_has_a_name(tracker):
    markup = tracker._repr_mimebundle_()["text/html"]
    assert '<div class="scroll" role="region" tabindex="0" aria-label="Table of shapes">' in markup


def test_text_says_the_same_for_where_there_is_no_html(tracker):
    bundle = tracker._repr_mimebundle_()
    lines = bundle["text/plain"].splitlines()
    assert lines[0] == "2 operations, in the order in which they ran"
    assert lines[2] == (
        "    1 transpose of sentences (5, 7, 3) -> keys (5, 3, 7) = (b, d_in, tokens), strides (21, 1, 3), "
        "not contiguous | view of sentences"
    )


def test_without_names_of_sizes_there_is_no_column_for_them():
    with track_shapes() as t:
        torch.ones(2, 3).t()
    head = Cells(t._repr_mimebundle_()["text/html"]).rows[0]
    assert [text for _, _, text in head] == ["operation", "takes", "makes", "strides", "memory"]


def test_sizes_that_are_equal_are_said_to_be():
    with track_shapes(b=2, tokens=6, heads=2) as t:
        torch.ones(2, 6, 5, 1)
    assert "b and heads are 2: axes of one size cannot be told apart. Choose sizes that all differ." in repr(
        t
    )
    assert "= (b|heads, tokens, 5, 1)" in repr(t)


def test_what_a_learner_wrote_cannot_become_markup():
    with track_shapes() as t:
        result = torch.ones(3) * len("<script>alert(1)</script>")
    assert "<script>" not in t._repr_mimebundle_()["text/html"]
    assert "&lt;script&gt;" in t._repr_mimebundle_()["text/html"]
    assert result.shape == (3,)


def test_the_departing_row_is_marked_and_told_above_the_table(sentences, sizes):
    with track_shapes(**sizes, expected=[("keys", ("b", "tokens", "d_out"))]) as t:
        keys = sentences @ torch.ones(3, 5)
        assert keys.shape == (5, 7, 5)
    markup = t._repr_mimebundle_()["text/html"]
    assert markup.count('<tr class="departs">') == 1
    assert markup.index('<p class="departs">') < markup.index("<table>")
    assert repr(t).splitlines()[1] == "This line is the first to depart."


def test_many_parts_are_not_all_listed():
    with track_shapes() as t:
        torch.ones(9, 2).unbind(0)
    assert repr(t).count("(2,), strides") == 4


@pytest.mark.parametrize("name", ["--departs", "--shared", "--quiet"])
def test_colours_can_be_read_in_both_themes(name):
    light, dark = (look.STYLE.split(f"{name}: ")[1:][position].split(";")[0] for position in (0, 1))
    assert style.contrast(light, "#FFFFFF") >= 4.5
    assert style.contrast(light, "#F5F5F5") >= 4.5
    assert style.contrast(dark, "#111111") >= 4.5
    assert style.contrast(dark, "#212121") >= 4.5
