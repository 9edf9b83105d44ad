"""Explorers: turn a knob and see what attention does with it.

An explorer is an ES module beside the Python file that offers it, and made of what stands in this folder:
`parts.js` (controls, bars, maps, motion) and `tensors.js` (what it computes). `anywidget` mounts it in a
notebook, a site mounts the same file. Python says what it shows and is told what the learner chose.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.records.javascript_modules import MODULE_MIME, said, whole

from visuals.language import _
from visuals.not_ready import NotReady
from visuals.picture import Picture

HERE = Path(__file__).parent
PACKAGE = HERE.parent


class Explorer:
    """A module, what it shows, and what the learner has chosen in it.

    module: a path below `visuals/`; shows: what it shows, as JSON holds it; chosen: what is chosen at first;
    picture: draws what readers without a browser see; files: by name, bytes that the module reads; a
    site shows those that lie in a file.
    """

    def __init__(
        self,
        module: str,
        shows: Mapping[str, Any],
        chosen: Mapping[str, Any],
        picture: Callable[[], Picture | NotReady],
        files: Mapping[str, Path | bytes] | None = None,
    ) -> None:
        self._module, self._shows, self._first = module, dict(shows), dict(chosen)
        self._draw, self._files = picture, files or {}

    @cached_property
    def picture(self) -> Picture:
        """The static picture, for readers without a browser."""
        drawn = self._draw()
        assert isinstance(drawn, Picture)  # what it draws was checked when the explorer was made
        return drawn

    @property
    def alt(self) -> str:
        """What the picture says."""
        return self.picture.alt

    @property
    def chosen(self) -> dict[str, Any]:
        """What the learner has chosen, by the names of the controls."""
        return dict(self.widget.chosen)

    @cached_property
    def texts(self) -> dict[str, str]:
        """What the module says, in the notebook's language; nothing for what stays English."""
        return {text: spoken for text in said(self.code) if (spoken := _(text)) != text}

    @property
    def code(self) -> str:
        """The module with all that it imports."""
        return whole(PACKAGE / self._module)

    @cached_property
    def widget(self) -> Any:
        """The module in a notebook."""
        import traitlets  # only now: a lesson is quicker to start, and a class is graded without widgets
        from anywidget import AnyWidget

        kept = {
            name: traitlets.Bytes(held if isinstance(held, bytes) else held.read_bytes()).tag(sync=True)
            for name, held in self._files.items()
        }
        shared = {
            name: traitlets.Dict(value).tag(sync=True)
            for name, value in (("shows", self._shows), ("chosen", self._first), ("texts", self.texts))
        }
        return type("LiveWidget", (AnyWidget,), {"_esm": self.code, **shared, **kept})()

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        widget = self.widget._repr_mimebundle_()
        # anywidget gives metadata too.
        widget = widget[0] if isinstance(widget, tuple) else widget
        return {**(widget or {}), **self.picture._repr_mimebundle_(), **self._for_sites()}

    def _for_sites(self) -> dict[str, Any]:
        """Return the output from which a site mounts the module."""
        paths = {name: held for name, held in self._files.items() if isinstance(held, Path)}
        if len(paths) < len(self._files):
            return {}
        return {
            MODULE_MIME: {
                "package": PACKAGE.name,
                "module": self._module,
                "files": {name: path.relative_to(PACKAGE).as_posix() for name, path in paths.items()},
                # As one text: a notebook would give each number a line.
                "model": json.dumps(
                    {"shows": self._shows, "chosen": self._first, "texts": self.texts}, ensure_ascii=False
                ),
            }
        }
