"""Explorers: turn a knob and see what attention does with it.

An explorer is an ES module beside the Python file that offers it, and made of what stands in this folder:
`parts.js` (controls, bars, maps, motion) and `tensors.js` (what it computes). It travels in its cell's
output, and so works in a notebook on any later day; a site mounts the same file. Python says what it shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.lesson.page_outputs import in_page
from autograder.records.javascript_modules import MODULE_MIME, bundled, translatable_texts

from visuals.language import _
from visuals.not_ready import NotReady
from visuals.picture import Picture

HERE = Path(__file__).parent
PACKAGE = HERE.parent


class Explorer:
    """A module, what it shows, and what is chosen in it at first.

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
        self._module, self._shows, self.chosen = module, dict(shows), dict(chosen)
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

    @cached_property
    def texts(self) -> dict[str, str]:
        """What the module says, in the notebook's language; nothing for what stays English."""
        return {text: spoken for text in translatable_texts(self.code) if (spoken := _(text)) != text}

    @property
    def code(self) -> str:
        """The module with all that it imports."""
        return bundled(PACKAGE / self._module)

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        still, marks = self.picture._repr_mimebundle_()
        held = {
            name: held if isinstance(held, bytes) else held.read_bytes() for name, held in self._files.items()
        }
        values = {"shows": self._shows, "chosen": self.chosen, "texts": self.texts}
        return in_page(self.code, values, {**still, **self._for_sites()}, held), marks

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
                    {"shows": self._shows, "chosen": self.chosen, "texts": self.texts}, ensure_ascii=False
                ),
            }
        }
