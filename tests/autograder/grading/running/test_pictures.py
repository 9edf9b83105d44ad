"""Figure functions that describe their pictures: what is described, what is drawn, both being equal."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator

import numpy as np
import pytest
import torch

import visuals
from autograder.grading.running import pictures
from autograder.grading.running.gallery import TOLD_MIME, digest
from autograder.grading.running.pictures import NotPlain, Teller, Told, write
from visuals.picture import Picture

WEIGHTS = torch.tensor([[0.25, 0.75], [0.5, 0.5]])
TOKENS = ["a", "b"]


@pytest.fixture
def told() -> Iterator[list[bytes]]:
    """The recipes told, with figure functions that tell; afterwards everything is as before."""
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] == "visuals"]
    before = [dict(vars(module)) for module in modules]
    recipes: list[bytes] = []
    pictures.install()
    pictures.tell(Teller(recipes.append))
    yield recipes
    pictures._teller = None
    for module, names in zip(modules, before, strict=True):
        vars(module).update(names)


def drawn(name: str, *args: object, **named: object) -> Picture:
    """The same picture as a kernel would draw it."""
    picture = pictures._drawers[name](*args, **named)
    assert isinstance(picture, Picture)
    return picture


def test_a_described_picture_is_drawn_as_a_kernel_draws_it(told):
    described = visuals.attention_map(WEIGHTS, TOKENS, title="Mine")
    assert isinstance(described, Told)
    (recipe,) = told
    assert described._repr_mimebundle_()[0][TOLD_MIME] == digest(recipe)
    assert pictures.draw(recipe) == drawn("attention_map", WEIGHTS, TOKENS, title="Mine")._repr_mimebundle_()


def test_an_explorer_describes_its_picture_and_keeps_its_widget(told):
    data, _ = visuals.explore_query(torch.rand(2, 3), TOKENS)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data[TOLD_MIME] == digest(told[0])


def test_a_picture_is_described_as_its_data_was_then(told):
    weights = WEIGHTS.clone()
    described = visuals.attention_map(weights, TOKENS)
    weights.zero_()
    assert described.alt == drawn("attention_map", WEIGHTS, TOKENS).alt


@pytest.mark.parametrize("ask", ["alt", "figure", "png", "size"])
def test_a_picture_that_someone_looks_into_is_drawn(told, ask):
    described = visuals.attention_map(WEIGHTS, TOKENS)
    found, expected = getattr(described, ask), getattr(drawn("attention_map", WEIGHTS, TOKENS), ask)
    assert type(found) is type(expected)
    assert ask == "figure" or found == expected
    assert TOLD_MIME not in described._repr_mimebundle_()[0]
    assert repr(described) == described.alt


def test_what_was_displayed_does_not_change_with_the_figure(told):
    described = visuals.attention_map(WEIGHTS, TOKENS)
    described._repr_mimebundle_()
    described.figure.axes[0].set_title("changed")
    assert described.png == drawn("attention_map", WEIGHTS, TOKENS).png


def test_a_placeholder_waits_as_ever(told):
    assert "Nothing to draw yet" in repr(visuals.attention_map(..., TOKENS))
    assert told == []


def test_arguments_that_no_recipe_holds_are_drawn_where_they_stand(told):
    class Mine(str):
        pass

    picture = visuals.attention_map(WEIGHTS, [Mine("a"), Mine("b")])
    assert not isinstance(picture, Told)
    assert told == []


@pytest.mark.parametrize("odd", [object(), np.float64(1.0), {1: 2}, torch.nn.Linear(1, 1), np.array(["a"])])
def test_only_plain_data_is_written_down(odd):
    with pytest.raises(NotPlain):
        write("attention_map", (odd,), {})


@pytest.mark.parametrize(
    "other",
    [WEIGHTS.double(), WEIGHTS + 1e-7, WEIGHTS.numpy(), WEIGHTS.tolist(), WEIGHTS.reshape(1, 2, 2)],
    ids=["dtype", "bits", "array", "list", "shape"],
)
def test_other_data_is_another_recipe(other):
    assert write("attention_map", (other,), {}) != write("attention_map", (WEIGHTS,), {})


@pytest.mark.parametrize(
    "value",
    [
        torch.arange(6.0).reshape(2, 3).T,
        torch.ones(2, dtype=torch.int64),
        torch.tensor(True),
        torch.nn.Parameter(torch.ones(2)),
        torch.tensor([float("nan"), float("-inf")]),
        np.arange(4.0).reshape(2, 2)[:, ::-1],
        [1, 2.5, "x", None, True, (1, [2])],
        {"a": torch.ones(1)},
        float("inf"),
    ],
)
def test_what_is_written_down_is_read_back(value, monkeypatch):
    monkeypatch.setitem(pictures._drawers, "echo", lambda given: given)
    back = pictures.read(write("echo", (), {"given": value}))()
    assert type(back) is (torch.Tensor if isinstance(value, torch.nn.Parameter) else type(value))
    if isinstance(value, torch.Tensor | np.ndarray):
        assert back.dtype == value.dtype
        np.testing.assert_array_equal(np.array(back.tolist()), np.array(value.tolist()))
    else:
        assert back == value


def test_a_picture_told_to_be_drawn_is_drawn(told):
    visuals.attention_map(WEIGHTS, TOKENS)
    pictures.tell(Teller(told.append, drawn_here=[digest(told[0])]))
    assert not isinstance(visuals.attention_map(WEIGHTS, TOKENS), Told)
    assert isinstance(visuals.attention_map(WEIGHTS * 0.5, TOKENS), Told)


def test_so_many_pictures_are_described_and_no_more(told):
    pictures.tell(Teller(told.append, most=2))
    made = [visuals.attention_map(WEIGHTS * share, TOKENS) for share in (1, 0.5, 1, 0.25)]
    assert [isinstance(picture, Told) for picture in made] == [True, True, True, False]
    assert len(told) == 2


def test_what_raises_or_says_something_is_left_to_its_cell(told, monkeypatch):
    visuals.attention_map(torch.ones(3), TOKENS)
    visuals.attention_map(WEIGHTS, ["日", "b"])  # the font lacks it, and matplotlib warns
    assert [pictures.draw(recipe) for recipe in told] == [None, None]
    monkeypatch.setitem(pictures._drawers, "attention_map", lambda *args: print("said"))
    assert pictures.draw(told[0]) is None


def test_a_traceback_does_not_show_the_way_through_here(told):
    pictures.tell(Teller(told.append, most=0))
    with pytest.raises(ValueError, match="needs") as caught:
        visuals.attention_map(torch.ones(3), TOKENS)
    files = [frame.filename for frame in traceback.extract_tb(pictures.without_wrappers(caught.tb))]
    assert pictures.__file__ not in files
    assert files[0] == __file__
    assert "maps.py" in " ".join(files)
