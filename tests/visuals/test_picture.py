"""A picture in a notebook: crisp, with alternative text, the same bytes each time, without pyplot."""

from __future__ import annotations

import ast
import html
import io
import itertools
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
import torch
from autograder.records.javascript_modules import PICTURE_MIME
from IPython.core.formatters import DisplayFormatter
from PIL import Image

import visuals
from visuals import style
from visuals.drawn import look_of
from visuals.lessons.dot_product.scores import scores_to_context

ROOT = Path(__file__).parents[2]


@pytest.fixture
def picture(inputs, tokens):
    return scores_to_context(inputs, tokens)


def test_displays_as_an_image_a_drawing_and_words(picture):
    data, metadata = DisplayFormatter().format(picture)
    assert set(data) == {"image/png", PICTURE_MIME, "text/plain"}
    assert data[PICTURE_MIME] == {"svg": picture.svg}
    assert data["text/plain"] == metadata["image/png"]["alt"] == picture.alt


def test_the_image_is_sharper_than_it_is_shown_and_pale_cells_stay(inputs, tokens):
    picture = visuals.attention_map(np.array([[0.02, 0.98], [0.5, 0.5]]), tokens[:2])
    image = Image.open(io.BytesIO(picture.png))
    assert image.width == pytest.approx(1.5 * picture.size[0], abs=1)
    pale = style.fills(np.array([0.02]), style.color_scale(np.array([0.98])))[0, :3]
    distances = np.abs(np.array(image.convert("RGB")) / 255 - pale).max(axis=-1)
    assert (distances < 0.006).sum() > 1000


def test_html_carries_the_alternative_text(picture):
    shown = picture.to_html()
    assert re.search(r'alt="([^"]*)"', shown).group(1) == picture.alt.replace("'", "&#x27;")
    assert unquote(re.search(r'src="data:image/svg\+xml,([^"<>&#]*)"', shown).group(1)) == picture.svg


def test_the_same_data_gives_the_same_bytes(inputs, tokens, picture):
    assert scores_to_context(inputs, tokens).svg == picture.svg


def test_a_picture_tells_no_date_and_no_digit_that_rounding_decides(picture):
    tags = "".join(re.findall(r"<[^>]+>", picture.svg))
    assert re.findall(r"\b20\d\d-|matplotlib|\d\.\d{3}", tags) == []


def test_words_are_text_that_is_as_wide_as_it_was_drawn(picture, tokens):
    texts = list(ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text"))
    assert {*tokens} <= {text.text for text in texts}
    for text in texts:
        size = float(re.search(r"font-size:([\d.]+)px", text.get("style")).group(1))
        assert 0.2 < float(text.get("textLength")) / size / len(text.text) < 1.1


def test_every_name_that_is_used_stands_once(picture):
    used = set(re.findall(r"(?:url\(|href=')#(\w+)", picture.svg))
    assert used
    assert sorted(used) == sorted(re.findall(r" id='(\w+)'", picture.svg))


@pytest.mark.parametrize(
    ("css", "look"),
    [
        (
            "font-weight: 700; font-size: 12px; font-family: 'A', 'B'; fill: red",
            "font-weight:700;font-size:12px;fill:red",
        ),
        ("font: 700 12.5px 'A', 'B'; text-anchor: end", "font-weight:700;font-size:12.5px;text-anchor:end"),
        ("font: italic 12px 'A'", "font-size:12px"),
    ],
)
def test_every_matplotlibs_way_to_write_a_font_is_read(css, look):
    assert look_of(css) == look


@pytest.mark.parametrize("token", ["'", '"', "&", "<b>", "%41", "#1"])
def test_any_token_can_be_drawn(token):
    root = ElementTree.fromstring(visuals.attention_map([[1.0]], [token]).svg)
    assert token in [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_letter_that_no_font_has_is_drawn_without_a_warning(tmp_path, recwarn):
    picture = visuals.attention_map([[1.0]], ["日"])
    assert "日" in picture.svg
    assert picture.png
    picture.save(tmp_path / "map.png")
    assert [str(warning.message) for warning in recwarn] == []


def test_maps_of_thousands_of_cells_make_no_heavy_drawing():
    heads = torch.softmax(torch.arange(8 * 29 * 29.0).view(8, 29, 29) % 7, dim=-1)
    assert len(visuals.attention_map(heads, ["a"] * 29).svg) < 200_000


@pytest.mark.parametrize(("ending", "start"), [("PDF", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_is_saved_in_the_format_of_the_files_ending_with_the_same_bytes_each_time(
    inputs, tokens, picture, tmp_path, ending, start
):
    path = picture.save(tmp_path / f"one.{ending}")
    assert path == tmp_path / f"one.{ending}"
    assert path.read_bytes().startswith(start)
    again = scores_to_context(inputs, tokens).save(str(tmp_path / f"two.{ending}"))
    assert again.read_bytes() == path.read_bytes()


def test_a_saved_drawing_carries_its_words_and_fonts(picture, tmp_path):
    drawing = picture.save(tmp_path / "map.svg").read_text(encoding="utf-8")
    assert html.escape(picture.alt, quote=False) in drawing
    printed = picture.save(tmp_path / "map.pdf").read_bytes()
    assert b"/CIDFontType2" in printed  # TrueType; matplotlib's own choice would be Type 3
    assert b"/Type3" not in printed
    assert b"/Subject" in printed


def test_a_saved_image_has_the_dots_asked_for_and_a_white_ground(picture, tmp_path):
    image = Image.open(picture.save(tmp_path / "map.png", dpi=192))
    assert image.size == (picture.size[0] * 2, picture.size[1] * 2)
    assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    assert Image.open(picture.save(tmp_path / "map.png", background="none")).getpixel((0, 0))[3] == 0


def test_saving_leaves_what_the_notebook_shows_as_it_was(inputs, tokens, picture, tmp_path):
    picture.save(tmp_path / "map.pdf")
    assert picture.svg == scores_to_context(inputs, tokens).svg


@pytest.mark.parametrize("name", ["map", "map.docx"])
def test_a_format_that_cannot_be_written_is_explained(picture, tmp_path, name):
    with pytest.raises(ValueError, match=r"must end in \.pdf, \.svg, \.png"):
        picture.save(tmp_path / name)


def test_a_learners_own_matplotlib_settings_change_nothing_and_stay(inputs, tokens, picture):
    with matplotlib.rc_context({"font.size": 40.0, "text.color": "yellow", "text.antialiased": False}):
        assert scores_to_context(inputs, tokens).svg == picture.svg
        assert matplotlib.rcParams["font.size"] == 40.0


def test_pyplot_is_never_imported():
    """pyplot keeps every figure it makes and displays it a second time."""
    code = (
        "import sys, visuals; visuals.overflow().svg; visuals.attention_map([[1.0]], ['a']).svg; "
        "visuals.attention_map([[[1.0]]] * 2, ['a']).svg; "
        "visuals.explore_query([[1.0]], ['a'])._repr_mimebundle_(); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "False"


def test_what_a_lesson_may_import_is_told():
    assert visuals.__all__ == sorted(visuals.__all__)
    for name in visuals.__all__:
        assert callable(getattr(visuals, name))
        assert getattr(visuals, name).__doc__


def test_what_one_lesson_uses_stands_in_its_package_and_nothing_else_does():
    used = {name: [] for name in visuals.__all__}
    for path in ROOT.glob("source/[0-9]*/[0-9]*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "visuals":
                for name in node.names:
                    used[name.name].append(path.parent.name[3:].replace("-", "_"))
    # `visible_keys` comes with `combined_masks`; `explore_map` is for tensors of a learner's own too. The
    # weights of `trained_dates` lie beside it, as those of the other trained models do.
    assert [name for name in used if not used[name]] == []
    homes = {name: using[0] if len(using) == 1 else "" for name, using in used.items()}
    homes |= {"visible_keys": "encoder_decoder", "explore_map": "", "trained_dates": ""}
    parts = {name: getattr(visuals, name).__module__.split(".") for name in homes}
    assert {name: part[2] if part[1] == "lessons" else "" for name, part in parts.items()} == homes


def test_only_a_lessons_own_package_imports_from_it():
    imports = re.compile(r"^from visuals\.lessons\.(\w+)", re.MULTILINE)
    for path in (ROOT / "visuals").rglob("*.py"):
        imported = set(imports.findall(path.read_text(encoding="utf-8"))) - {path.parent.name}
        assert not imported or path == ROOT / "visuals/__init__.py", path


ROLES = {"query": style.QUERY, "score": style.SCORE, "weight": style.WEIGHT, "context": style.CONTEXT}


@pytest.mark.parametrize("color", [style.INK, style.MUTED, style.WARNING, *ROLES.values(), *style.APART])
def test_text_has_enough_contrast_on_the_card(color):
    assert style.contrast(color, style.CARD) >= 4.5


def in_the_dark(color):
    """Return a colour as `invert(1) hue-rotate(180deg)` shows it, by the standard's matrix."""
    inverted = 1 - np.array(matplotlib.colors.to_rgb(color))
    saved = np.array([0.213, 0.715, 0.072])
    return tuple(np.clip((2 * np.outer(np.ones(3), saved) - np.eye(3)) @ inverted, 0, 1))


@pytest.mark.parametrize("color", [style.INK, style.MUTED, style.WARNING, *ROLES.values(), *style.APART])
def test_text_has_enough_contrast_on_the_card_in_the_dark(color):
    card = in_the_dark(style.CARD)
    assert style.luminance(card) < 0.01
    assert style.contrast(in_the_dark(color), card) >= 4.5


@pytest.mark.parametrize("colormap", [style.sequential(), style.diverging()])
def test_numbers_can_be_read_on_every_colour_of_a_scale(colormap):
    contrasts = [
        style.contrast(style.text_on(colormap(value)), colormap(value)) for value in np.linspace(0, 1, 101)
    ]
    assert min(contrasts) >= 4.5
    dark = [
        style.contrast(in_the_dark(style.text_on(colormap(value))), in_the_dark(colormap(value)))
        for value in np.linspace(0, 1, 101)
    ]
    assert sum(value >= 4.5 for value in dark) >= 85  # of 101: black turns to white on a middle blue
    assert min(dark) >= 2.9


# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [
        *([0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216]),
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}


@pytest.mark.parametrize("kind", BLINDNESS)
def test_colour_blind_readers_can_tell_the_roles_apart(kind):
    def seen(color):
        channels = np.array(matplotlib.colors.to_rgb(color))
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return _lab(np.clip(np.array(BLINDNESS[kind]) @ linear, 0, 1))

    for colors in (ROLES.values(), style.APART):
        distances = {
            (item, other): np.linalg.norm(seen(item) - seen(other))
            for item, other in itertools.combinations(colors, 2)
        }
        assert min(distances.values()) >= 12, distances


def test_what_has_no_role_has_no_roles_colour():
    assert set(style.APART).isdisjoint(ROLES.values())


def _lab(linear):
    """CIE L*a*b* of linear RGB; a distance of about 2.3 is just noticeable."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    scaled = to_xyz @ linear / np.array([0.9505, 1, 1.089])
    curve = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * curve[1] - 16, 500 * (curve[0] - curve[1]), 200 * (curve[1] - curve[2])])
