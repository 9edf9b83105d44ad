"""256 colours for a figure: what fills areas stays exact, what is rare becomes what is nearest."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from visuals import attention_map, style
from visuals.palette import EXACT, indexed


def packed(rgb):
    """RGBA bytes of an image (height, width, 3), its width and its height."""
    height, width, _ = rgb.shape
    alpha = np.full((height, width, 1), 255, dtype=np.uint8)
    return np.concatenate((rgb, alpha), axis=2).tobytes(), width, height


def colors(count, seed=0):
    """So many colours that all differ."""
    codes = np.random.default_rng(seed).choice(1 << 24, count, replace=False)
    return np.stack((codes & 255, codes >> 8 & 255, codes >> 16), axis=1).astype(np.uint8)


@pytest.mark.parametrize("count", [1, 2, 255, 256])
def test_up_to_256_colours_stay_as_they_are(count):
    rgb = colors(count)[np.random.default_rng(1).integers(count, size=(40, 30))]
    found = indexed(*packed(rgb))
    assert found.mode == "P"
    np.testing.assert_array_equal(np.array(found.convert("RGB")), rgb)


def test_what_fills_areas_stays_exact_beside_thousands_of_rare_colours():
    fills, rare = colors(EXACT), colors(6000, seed=2)
    rgb = np.concatenate((np.repeat(fills, 50, axis=0), rare)).reshape(-1, 100, 3)
    shown = np.array(indexed(*packed(rgb)).convert("RGB"))
    np.testing.assert_array_equal(shown[: EXACT // 2], rgb[: EXACT // 2])


def test_every_rare_colour_becomes_the_nearest_of_the_palette():
    rgb = colors(5000).reshape(50, 100, 3)
    found = indexed(*packed(rgb))
    palette = np.array(found.getpalette()).reshape(-1, 3)
    distances = ((rgb[:, :, None].astype(int) - palette) ** 2).sum(axis=3)
    chosen = np.take_along_axis(distances, np.array(found).astype(int)[..., None], axis=2)[..., 0]
    np.testing.assert_array_equal(chosen, distances.min(axis=2))


def test_runs_of_one_colour_keep_their_lengths_across_the_edge_of_a_row():
    rgb = np.zeros((3, 4, 3), dtype=np.uint8)
    rgb[0, 3:] = rgb[1, :2] = 200
    np.testing.assert_array_equal(np.array(indexed(*packed(rgb)).convert("RGB")), rgb)


def test_neighbouring_weights_keep_their_own_colours():
    """64 keys with 64 weights: none is told by the colour of another."""
    weights = np.linspace(0, 1, 64)[None]
    picture = attention_map(weights, [str(key) for key in range(64)], ["q"], row_sums=False)
    shown = np.array(Image.open(io.BytesIO(picture.png)).convert("RGB"))
    colormap, norm = style.color_scale(weights)
    wanted = colormap(norm(weights[0]), bytes=True)[:, :3].astype(int)  # (64, 3)
    found = np.unique(shown.reshape(-1, 3), axis=0).astype(int)  # (colours, 3)
    # Drawing may round a channel the other way.
    nearest = np.abs(wanted[:, None] - found).max(axis=2)  # (64, colours)
    assert nearest.min(axis=1).max() <= 1
    assert len(set(nearest.argmin(axis=1))) == 64
