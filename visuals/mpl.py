"""What pictures use of matplotlib, loaded when the first of them is drawn.

matplotlib takes nearly half of what a lesson's first cell loads beside torch, and nothing is drawn there.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib import rc_context as rc_context
    from matplotlib import rcdefaults as rcdefaults
    from matplotlib import rcParams as rcParams
    from matplotlib.axes import Axes as Axes
    from matplotlib.cm import ScalarMappable as ScalarMappable
    from matplotlib.colors import Colormap as Colormap
    from matplotlib.colors import LinearSegmentedColormap as LinearSegmentedColormap
    from matplotlib.colors import Normalize as Normalize
    from matplotlib.colors import to_rgb as to_rgb
    from matplotlib.figure import Figure as Figure
    from matplotlib.font_manager import FontProperties as FontProperties
    from matplotlib.patches import Circle as Circle
    from matplotlib.patches import FancyArrowPatch as FancyArrowPatch
    from matplotlib.patches import FancyBboxPatch as FancyBboxPatch
    from matplotlib.patches import PathPatch as PathPatch
    from matplotlib.patches import Rectangle as Rectangle
    from matplotlib.patches import Wedge as Wedge
    from matplotlib.path import Path as Path
    from matplotlib.text import Text as Text
    from matplotlib.textpath import text_to_path as text_to_path
    from matplotlib.ticker import FuncFormatter as FuncFormatter
    from matplotlib.ticker import MaxNLocator as MaxNLocator
    from matplotlib.ticker import NullFormatter as NullFormatter

# By module, what of it is used.
PLACES = {
    "matplotlib": ("rc_context", "rcdefaults", "rcParams"),
    "matplotlib.axes": ("Axes",),
    "matplotlib.cm": ("ScalarMappable",),
    "matplotlib.colors": ("Colormap", "LinearSegmentedColormap", "Normalize", "to_rgb"),
    "matplotlib.figure": ("Figure",),
    "matplotlib.font_manager": ("FontProperties",),
    "matplotlib.patches": ("Circle", "FancyArrowPatch", "FancyBboxPatch", "PathPatch", "Rectangle", "Wedge"),
    "matplotlib.path": ("Path",),
    "matplotlib.text": ("Text",),
    "matplotlib.textpath": ("text_to_path",),
    "matplotlib.ticker": ("FuncFormatter", "MaxNLocator", "NullFormatter"),
}


def __getattr__(name: str) -> Any:
    for module, names in PLACES.items():
        if name in names:
            globals()[name] = getattr(import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
