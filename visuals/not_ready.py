"""What a figure returns while the task above it is still undone.

A learner runs all cells of a lesson before having solved anything; a figure must then wait, not fail.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from visuals.arrays import is_placeholder
from visuals.language import N_, _

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class NotReady:
    """Stands in for a picture whose data is still the placeholder `...`; `alt` is what it says."""

    message = N_("Nothing to draw yet: finish the task above, then run this cell again.")

    @property
    def alt(self) -> str:
        return _(self.message)

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        style = "color: var(--jp-ui-font-color2, #59616B); font-style: italic; margin: 0.5em 0;"
        return {"text/html": f'<p style="{style}">{self.alt}</p>', "text/plain": self.alt}


def when_ready(draw: Callable[Parameters, Result]) -> Callable[Parameters, Result | NotReady]:
    """Decorate a figure function: it returns `NotReady` while one of its arguments is `...` or None.

    None counts as a placeholder only where it is not the parameter's own default.
    """
    signature = inspect.signature(draw)

    @functools.wraps(draw)
    def draw_or_wait(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result | NotReady:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if is_placeholder(value, optional=signature.parameters[name].default is None):
                return NotReady()
        return draw(*args, **kwargs)

    return draw_or_wait
