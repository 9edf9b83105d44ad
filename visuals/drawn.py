"""A Matplotlib figure as a small SVG with real text, which looks the same with every reader's fonts."""

from __future__ import annotations

import io
import re
from functools import lru_cache
from xml.etree import ElementTree

from visuals import fonts, mpl, style

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
USED = re.compile(r"url\(#(\w+)\)")
TAG = re.compile(r"<[^>]+>")
BENGALI = re.compile("[\u0980-\u09ff]")
# The size of Matplotlib's outlines, and the letters of an SVG's path for their kinds of points.
SCALE, FINE, OUTLINE = 100, 10, {1: "M", 2: "L", 3: "Q", 4: "C"}
DENSITY = 2  # of the pixels of a map that is too large to be drawn
UNTOLD = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def drawn(figure: mpl.Figure, width: int, height: int) -> str:
    """Return a figure as SVG, `width` by `height` CSS pixels.

    Each text has the width that Matplotlib gave it, so that letters of another font keep their place. Nothing
    is told of the machine or the day, and coordinates have two digits: no processor's rounding shows.
    """
    written = io.StringIO()
    with style.look(), mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "attention"}):
        figure.savefig(written, format="svg", dpi=DENSITY * figure.dpi, metadata=UNTOLD)
        root = ElementTree.fromstring(written.getvalue())  # noqa: S314 (Matplotlib wrote it)
        names = {name: f"i{at}" for at, name in enumerate(_named(root))}
        _tidy(root, names)
        for node in list(root.iter(f"{SVG}text")):
            _hold(node)
        family = [*fonts.families(), "Verdana", "sans-serif"]
    box = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib |= {"width": str(width), "height": str(height), "viewBox": box}
    root.attrib |= {"stroke-linejoin": "round", "font-family": ", ".join(family)}
    ElementTree.register_namespace("", SVG[1:-1])
    # Such quotes need no escape in an attribute of a page.
    return TAG.sub(
        lambda tag: tag[0].replace("'", "&#39;").replace('"', "'"),
        ElementTree.tostring(root, encoding="unicode"),
    )


def _named(root: ElementTree.Element) -> list[str]:
    """List what is referred to, in the order in which it stands."""
    used: set[str] = set()
    for node in root.iter():
        used.update(USED.findall(" ".join(node.attrib.values())), {node.get(LINK, "").removeprefix("#")})
    return [name for node in root.iter() if (name := node.get("id")) and name in used]


def _tidy(node: ElementTree.Element, names: dict[str, str]) -> None:
    """Round, name anew what is referred to, and leave out what says nothing, in a node and all below it."""
    node.text, node.tail = (node.text if node.tag == f"{SVG}text" else None), None
    name = names.get(node.attrib.pop("id", ""))
    for key, value in list(node.attrib.items()):
        if key == LINK:
            del node.attrib[key]
            linked = value.removeprefix("#")
            node.set("href", f"#{names[linked]}" if linked in names else "".join(value.split()))
            continue
        if key == "d":
            value = re.sub(r"\s*([A-Za-z])\s*", r"\1", value)
        if key == "style":
            value = look_of(value)
        value = USED.sub(lambda used: f"url(#{names[used[1]]})", LONG.sub(_short, value))
        node.set(key, " ".join(value.split()))
    if node.get("transform", "").startswith("rotate(-0 "):
        del node.attrib["transform"]
    if name:
        node.set("id", name)
    children = list(node)
    node[:] = []
    for child in children:
        _tidy(child, names)
        if child.tag == f"{SVG}g" and not child.attrib:
            node.extend(child)
        elif child.tag != f"{SVG}style" and (child.attrib or len(child)):
            node.append(child)


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").removesuffix(".")


def look_of(css: str) -> str:
    """Return a style without its fonts and spaces; Matplotlib before 3.11 writes all of a font as one."""
    css = re.sub(r"font: *(?:.*?\b(\d{3}) )?(?:.*? )?([\d.]+px)[^;]*", r"font-weight:\1;font-size:\2", css)
    return re.sub(r"font-(?:family:[^;]*;?|weight:;) *|([:;]) +", r"\1", css)


def _hold(node: ElementTree.Element) -> None:
    """Give a text the width it has in Matplotlib's fonts; Bengali, which few fonts have, its outlines."""
    text = node.text or ""
    look = dict(part.split(":") for part in node.get("style", "").split(";") if part)
    size = float(look.pop("font-size").removesuffix("px")) / SCALE
    weight, anchor = look.pop("font-weight", "400"), look.pop("text-anchor", "start")
    wide = _width(text, weight) * size
    if not BENGALI.search(text):
        if wide:
            node.attrib |= {"textLength": f"{wide:.2f}", "lengthAdjust": "spacingAndGlyphs"}
        return
    left = float(node.attrib.pop("x", 0)) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
    line, scale = float(node.attrib.pop("y", 0)), size / FINE
    transform = f"translate({left:.2f} {line:.2f}) scale({scale:.5f} {-scale:.5f})"
    node.tag, node.text = f"{SVG}path", None
    node.attrib |= {
        "d": _outline(text, weight),
        "style": ";".join(":".join(part) for part in look.items()),
        "transform": f"{node.get('transform', '')} {transform}".strip(),
    }


@lru_cache(maxsize=1024)
def _outline(text: str, weight: str) -> str:
    """Return a text as a path, of size `SCALE` times `FINE`."""
    points, kinds = mpl.text_to_path.get_text_path(_font(weight), text)
    steps = []
    for (x, y), kind, before in zip(points, kinds, [0, *kinds], strict=False):
        # Numbers after a curve's points go on with it, or begin the next one.
        named = " " if kind == before else OUTLINE.get(kind, "z")
        steps.append("z" if named == "z" else f"{named}{round(x * FINE)} {round(y * FINE)}")
    return "".join(steps)


def _font(weight: str) -> mpl.FontProperties:
    return mpl.FontProperties(family=fonts.families(), weight=int(weight), size=SCALE)


@lru_cache(maxsize=4096)
def _width(text: str, weight: str) -> float:
    """Return how wide a text is at the size `SCALE`."""
    return float(mpl.text_to_path.get_text_width_height_descent(text, _font(weight), False)[0])
