"""Explorers: turn a knob and see what attention does with it.

Which control: of ipywidgets' own, ToggleButtons do not say which one is pressed, while Dropdown and
BoundedFloatText are a native select and a native number field with a bound label, and Checkbox a native one,
which every browser and screen reader knows. So the explorers are made of those three, and of IntSlider where
dragging helps: its handle takes arrow keys, and PAGE gives it the accessible name that it lacks. JupyterLab
takes keys from a control in an output to move to the next cell or to scroll; PAGE gives them back.

The live view is HTML, not a redrawn matplotlib figure: it is made in well under a millisecond, is a real
table for a screen reader and takes its colours from JupyterLab's theme.
"""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import ipywidgets

from visuals.explorers.states import ASKED, Knob, packed
from visuals.picture import Picture

# The explorers' own colours, which follow JupyterLab's theme; a head's label stands beside each.
COLORS = ("--score", "--chosen", "--context", "--weight")

# What only the page can do (ipywidgets sets no attributes from Python), run when the style sheet has loaded.
# Lumino leaves keys alone below an element with this attribute (without it a select still opens with Enter or
# Space). A screen reader reads a status region when words change inside it, so the region has to be there
# before they do: it is the widget around the words, not the words.
PAGE = (
    "const box = this.closest('.attention-box'); "
    "box?.addEventListener('focusin', event => { "
    "box.querySelector('.attention-status')?.setAttribute('role', 'status'); "
    "if (event.target.matches('select, [type=checkbox], [role=slider]')) "
    "event.target.setAttribute('data-lm-suppress-shortcuts', 'true'); }); "
    # A slider is drawn after this has run, or before.
    "const name = () => box?.querySelectorAll('[role=slider]:not([aria-label])').forEach(handle => "
    "handle.ariaLabel = handle.closest('.widget-slider').querySelector('label').textContent); "
    "name(); if (box) new MutationObserver(name).observe(box, {childList: true, subtree: true});"
)

# Bars keep a contrast of 3 with the page in both themes, text one of 4.5.
STYLE = """
.attention-explorer { --score: #0B5CAD; --weight: #8A1C6B; --context: #00806A; --chosen: #B34700;
  background: var(--jp-layout-color1, #FCFCFA); color: var(--jp-content-font-color1, #1F2328);
  font: 14px/1.5 var(--jp-content-font-family, sans-serif); padding: 4px 8px; }
[data-jp-theme-light="false"] .attention-explorer { --score: #6CB4FF; --weight: #E58AC8; --context: #4CCBB0;
  --chosen: #FFA25E; }
.attention-explorer table { border-collapse: collapse; margin: 4px 0; }
.attention-explorer caption { text-align: left; padding-bottom: 2px; }
.attention-explorer th { text-align: left; font-weight: 600; padding: 2px 14px 2px 0; }
.attention-explorer td { padding: 2px 14px 2px 0; }
.attention-explorer tr.chosen th { color: var(--chosen); }
.attention-explorer .track { display: inline-block; position: relative; width: 150px; height: 16px;
  vertical-align: middle; margin-right: 8px; }
.attention-explorer .bar { position: absolute; top: 0; bottom: 0; }
.attention-explorer .number { font-variant-numeric: tabular-nums; }
.attention-explorer tr.slides { animation: attention-slide 0.8s ease-in-out; }
@keyframes attention-slide { from { transform: translate(var(--from-x), var(--from-y)); } }
@media (prefers-reduced-motion: reduce) { .attention-explorer tr.slides { animation: none; } }
.attention-explorer .context { color: var(--context); font-weight: 600; }
"""

# Labels are as long as they are; ipywidgets would cut them at 80 pixels.
WIDE = {"description_width": "initial"}


class Explorer:
    """Controls, a sentence that says what they show, and a view below; the base of all explorers.

    A subclass makes its controls, hands them to `__init__`, and says what is shown just now: `alt` as one
    sentence, `html` as markup, `picture` as the static picture for readers without a kernel. `status` and
    `view` are the widgets that hold the sentence and the markup, `widget` all together. `STOPS` lists, by the
    name of a control, the values to write out for readers without a kernel, where a control allows more
    values than can be listed.
    """

    STOPS: ClassVar[Mapping[str, Sequence[Any]]] = {}

    def __init__(self, *controls: ipywidgets.Widget) -> None:
        self._controls = controls
        self.status = ipywidgets.HTML()
        self.view = ipywidgets.HTML()
        row = ipywidgets.HBox(list(controls), layout={"flex_flow": "row wrap"})
        look = ipywidgets.HTML(f'<style onload="{PAGE}">{STYLE}</style>', layout={"display": "none"})
        self.widget = ipywidgets.VBox([row, self.status, self.view, look])
        self.widget.add_class("attention-box")
        self.status.add_class("attention-status")
        for control in controls:
            # A button says that it was pressed in a way of its own: a subclass calls `show` for it.
            if control.has_trait("value"):
                control.observe(self.show, names="value")
        self.show()

    @property
    def alt(self) -> str:
        """What the explorer says just now, as one sentence."""
        raise NotImplementedError

    @property
    def html(self) -> str:
        """What the explorer shows just now: markup inside a `div` of the class `attention-explorer`."""
        raise NotImplementedError

    @property
    def picture(self) -> Picture:
        """The static picture, for readers without a kernel."""
        raise NotImplementedError

    @property
    def knobs(self) -> list[Knob]:
        """The controls, as a page without a kernel has them."""
        stops = {getattr(self, name): values for name, values in self.STOPS.items()}
        return [Knob.of(control, stops.get(control, ())) for control in self._controls]

    def show(self, change: Any = None) -> None:
        """Bring the sentence and the view up to date with the controls."""
        self.view.value = self.html
        self.status.value = (
            '<div style="color: var(--jp-content-font-color1, #1F2328); padding: 4px 8px;">'
            f"{html.escape(self.alt, quote=False)}</div>"
        )

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = self.picture._repr_mimebundle_()
        states = dict(packed(self, STYLE)) if os.environ.get(ASKED) else {}
        return {**self.widget._repr_mimebundle_(), **data, **states}, metadata
