"""Described pictures: drawn once, kept by what they are drawn from, hung where they belong."""

from __future__ import annotations

from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.grading.running import gallery as module
from autograder.grading.running.gallery import MOST_TOLD, TOLD_MIME, Bundle, Gallery, Hung, digest, hang


class Artist:
    """Draws a recipe as itself, and remembers what it was asked for.

    It cannot draw what starts with "bad", and what starts with "slow" is the last that it looks at.
    """

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    def __call__(self, recipes: list[bytes]) -> list[Bundle | None]:
        drawn: list[Bundle | None] = []
        for recipe in recipes:
            self.asked.append(recipe)
            fails = recipe.startswith((b"bad", b"slow"))
            drawn.append(None if fails else ({"text/plain": recipe.decode()}, {"width": 3}))
            if recipe.startswith(b"slow"):
                break
        return drawn


@pytest.fixture
def artist() -> Artist:
    return Artist()


def shown(key: Any, **more: str) -> Any:
    output = new_output("display_data", data={TOLD_MIME: key, "text/plain": "", **more})
    return new_notebook(cells=[new_markdown_cell("text"), new_code_cell("draw()", outputs=[output])])


def test_equal_recipes_are_drawn_once(artist):
    gallery = Gallery()
    first = gallery.look_up([b"one", b"two"], artist)
    second = gallery.look_up([b"two", b"one"], artist)
    assert artist.asked == [b"one", b"two"]
    assert second == first
    assert first[digest(b"one")].data == {"text/plain": "one"}


def test_what_cannot_be_drawn_is_tried_once(artist):
    gallery = Gallery()
    assert gallery.look_up([b"bad"], artist) == {digest(b"bad"): None}
    assert gallery.look_up([b"bad"], artist) == {digest(b"bad"): None}
    assert artist.asked == [b"bad"]


def test_what_cannot_be_drawn_is_known_beforehand_the_next_time(artist):
    gallery = Gallery()
    gallery.look_up([b"one", b"bad"], artist)
    assert gallery.not_drawn() == {digest(b"bad")}


def test_a_picture_that_is_too_slow_costs_the_others_nothing(artist):
    gallery = Gallery()
    found = gallery.look_up([b"one", b"slow", b"two"], artist)
    assert {key for key, hung in found.items() if hung is None} == {digest(b"slow")}
    assert gallery.look_up([b"slow", b"two"], artist)[digest(b"two")] == found[digest(b"two")]
    assert artist.asked == [b"one", b"slow", b"two"]


def test_pictures_not_asked_for_the_longest_go_first(artist):
    gallery = Gallery(most_bytes=450)
    gallery.look_up([b"one"], artist)
    gallery.look_up([b"two"], artist)
    gallery.look_up([b"one"], artist)
    gallery.look_up([b"three"], artist)
    gallery.look_up([b"one"], artist)
    assert artist.asked == [b"one", b"two", b"three"]
    gallery.look_up([b"two"], artist)
    assert artist.asked == [b"one", b"two", b"three", b"two"]


def test_a_notebook_that_describes_more_than_it_may_gets_no_more(artist):
    found = Gallery().look_up([str(number).encode() for number in range(MOST_TOLD + 5)], artist)
    assert len(found) == len(artist.asked) == MOST_TOLD


def test_when_drawing_takes_too_long_the_rest_is_left_to_the_notebook(artist, monkeypatch):
    monkeypatch.setattr(module, "MOST_SECONDS", -1)
    gallery = Gallery()
    assert gallery.look_up([b"one"], artist) == {digest(b"one"): None}
    monkeypatch.undo()
    assert gallery.look_up([b"one"], artist)[digest(b"one")] is not None


def test_a_picture_hangs_where_its_digest_stood():
    notebook = shown("k", **{"application/x": "kept"})
    hang(notebook, {"k": Hung({"text/plain": "alt", "image/png": "png"}, {"width": 3}, 10)})
    (output,) = notebook.cells[1].outputs
    assert output.data == {"text/plain": "alt", "image/png": "png", "application/x": "kept"}
    assert output.metadata == {"width": 3}


@pytest.mark.parametrize("key", ["another", "none", ""])
def test_what_stands_for_no_picture_of_this_notebook_is_taken_out(key):
    notebook = shown(key)
    hang(notebook, {"k": Hung({"text/plain": "alt"}, {}, 10), "none": None})
    assert notebook.cells[1].outputs == []


def test_a_picture_hung_twice_is_not_one_object():
    hung = Hung({"text/plain": "alt"}, {"image/png": {"width": 3}}, 10)
    one, other = shown("k"), shown("k")
    hang(one, {"k": hung})
    one.cells[1].outputs[0].metadata["image/png"]["width"] = 4
    hang(other, {"k": hung})
    assert other.cells[1].outputs[0].metadata["image/png"]["width"] == 3
