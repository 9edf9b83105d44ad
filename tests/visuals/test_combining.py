"""Masks as grids: what is allowed is drawn and counted, and two of them are joined with and."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import visuals
from tests.visuals.sheet import assert_words_are_apart

CAUSAL = torch.ones(4, 4).tril()
PADDING = torch.tensor([1, 1, 1, 0])
NAMES = ["a", "b", "c", "pad"]


def drawn(picture, name: str, shape: tuple[int, int]) -> np.ndarray:
    """The grid as its cells show it: 1 where one is filled, 0 where it is hatched."""
    cells = {patch.get_gid(): patch for patch in picture.figure.axes[0].patches}
    rows, columns = (range(size) for size in shape)
    return np.array([[cells[f"{name} {r} {c}"].get_hatch() is None for c in columns] for r in rows])


def written(picture, name: str, shape: tuple[int, int]) -> np.ndarray:
    """The grid as its numbers say it."""
    labels = {text.get_gid(): text.get_text() for text in picture.figure.axes[0].texts}
    rows, columns = (range(size) for size in shape)
    return np.array([[int(labels[f"{name} label {r} {c}"]) for c in columns] for r in rows])


class TestCombinedMasks:
    def test_draws_both_masks_and_what_both_allow(self):
        picture = visuals.combined_masks(CAUSAL, PADDING, NAMES)
        padding = PADDING.expand(4, 4)
        np.testing.assert_array_equal(drawn(picture, "causal", (4, 4)), CAUSAL.bool())
        np.testing.assert_array_equal(drawn(picture, "padding", (4, 4)), padding.bool())
        np.testing.assert_array_equal(drawn(picture, "both", (4, 4)), CAUSAL.bool() & padding.bool())

    def test_numbers_say_what_the_cells_show(self):
        picture = visuals.combined_masks(CAUSAL, PADDING, NAMES)
        np.testing.assert_array_equal(written(picture, "both", (4, 4)), (CAUSAL * PADDING).int())

    def test_alt_counts_the_ones_and_lists_every_row(self):
        alt = visuals.combined_masks(CAUSAL, PADDING, NAMES).alt
        assert (
            "the causal mask (10 ones), the padding mask (12 ones), and both joined with and (9 ones)" in alt
        )
        assert "a: 0 a; b: 0 a, 1 b; c: 0 a, 1 b, 2 c; pad: 0 a, 1 b, 2 c." in alt

    def test_counts_what_is_left_on_the_picture(self, texts):
        assert "9 of 16 pairs are visible" in texts(visuals.combined_masks(CAUSAL, PADDING, NAMES).figure)

    def test_takes_any_container_of_zeros_and_ones(self):
        same = visuals.combined_masks(CAUSAL.bool().numpy(), PADDING.bool(), NAMES)
        assert same.svg == visuals.combined_masks(CAUSAL.tolist(), PADDING, NAMES).svg

    @pytest.mark.parametrize(
        ("causal", "padding", "message"),
        [
            (torch.ones(4), PADDING, r"causal needs 2 axes \(queries, keys\)"),
            (torch.ones(3, 4), PADDING, "causal needs as many queries as keys"),
            (CAUSAL, torch.ones(3), r"padding needs the shape \(4,\), one value per key"),
            (CAUSAL - 1, PADDING, "causal must hold 1 or True for visible"),
            (CAUSAL, torch.tensor([0.0, 0.0, 0.0, -float("inf")]), "padding must hold 1 or True"),
        ],
    )
    def test_refuses_what_is_no_pair_of_masks(self, causal, padding, message):
        with pytest.raises(ValueError, match=message):
            visuals.combined_masks(causal, padding, NAMES)

    def test_refuses_names_that_do_not_fit(self):
        with pytest.raises(ValueError, match="2 tokens do not fit"):
            visuals.combined_masks(CAUSAL, PADDING, ["a", "b"])


class TestWhoMayLook:
    def test_draws_a_mask_that_is_no_square(self):
        mask = torch.tensor([[1, 0, 1], [0, 0, 0]])
        picture = visuals.visible_keys(mask, list("xyz"), list("ab"))
        np.testing.assert_array_equal(drawn(picture, "mask", (2, 3)), mask.bool())
        np.testing.assert_array_equal(written(picture, "mask", (2, 3)), mask)

    def test_alt_says_who_is_looked_at_and_that_nobody_is(self):
        alt = visuals.visible_keys([[1, 0, 1], [0, 0, 0]], list("xyz"), list("ab"), title="A mask").alt
        assert alt.startswith("A mask. Grid of 2 queries (rows) by 3 keys (columns)")
        assert "2 of 6" in alt
        assert alt.endswith("a: 0 x, 2 z; b: none.")

    def test_names_the_keys_above_and_the_queries_beside(self):
        picture = visuals.visible_keys(torch.ones(2, 3), list("xyz"), list("ab"))
        labels = {text.get_gid(): text.get_text() for text in picture.figure.axes[0].texts}
        assert [labels[f"mask key {column}"] for column in range(3)] == list("xyz")
        assert [labels[f"query {row}"] for row in range(2)] == list("ab")

    def test_outlines_and_names_documents_with_dashes_for_what_lies_within_one(self, texts):
        frames = {"first": (0, 3), "second": (3, 4), "prefix": (0, 2)}
        picture = visuals.visible_keys(CAUSAL, NAMES, frames=frames)
        drawn = {patch.get_gid(): patch for patch in picture.figure.axes[0].patches}
        for name, (start, end) in frames.items():
            first, last, frame = (
                drawn[key] for key in (f"mask {start} {start}", f"mask {end - 1} {end - 1}", f"frame {name}")
            )
            assert first.get_y() < frame.get_y() < first.get_y() + first.get_height() / 2
            bottom = last.get_y() + last.get_height()
            assert bottom - last.get_height() / 2 < frame.get_y() + frame.get_height() < bottom
        assert [drawn[f"frame {name}"].get_linestyle() for name in frames] == ["-", "-", "--"]
        assert set(frames) <= set(texts(picture.figure))
        assert picture.alt.endswith("Outlined, by positions: first: 0–2; second: 3–3; prefix: 0–1.")
        assert_words_are_apart(picture.figure)

    def test_many_tokens_are_drawn_without_numbers(self, texts):
        names = [f"t{index}" for index in range(30)]
        picture = visuals.visible_keys(torch.ones(30, 30).tril(), names)
        assert "1" not in texts(picture.figure)
        assert "465 of 900" in picture.alt
        assert "and 18 more" in picture.alt

    @pytest.mark.parametrize("frame", [(-1, 2), (2, 2), (3, 5)])
    def test_refuses_a_frame_that_is_not_there(self, frame):
        with pytest.raises(ValueError, match="'prefix' must lie between 0 and 4"):
            visuals.visible_keys(CAUSAL, NAMES, frames={"prefix": frame})

    def test_refuses_names_that_do_not_fit(self):
        with pytest.raises(ValueError, match="along its axis 'queries'"):
            visuals.visible_keys(torch.ones(2, 4), NAMES)


@pytest.mark.parametrize(
    ("draw", "values"),
    [
        (visuals.combined_masks, (CAUSAL, PADDING, NAMES)),
        (visuals.combined_masks, (torch.ones(9, 9).tril(), torch.ones(9), [f"token {i}" for i in range(9)])),
        (
            visuals.visible_keys,
            (torch.ones(5, 6), ["das", "Haus", "ist", "klein", "<pad>", "<pad>"], list("abcde")),
        ),
        (visuals.visible_keys, ([[1]], ["a"])),
    ],
)
def test_no_word_is_cut_off_or_lies_on_another(draw, values):
    assert_words_are_apart(draw(*values).figure)
