"""All that an explorer can show, written out, for pages where no kernel answers.

A control becomes a knob with finitely many stops. Each way to set all knobs is a state: its sentence and its
markup. A page with a small script can then show what JupyterLab shows.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets

# The kind of output that holds the states, and the variable that asks for them: a build sets it. In
# JupyterLab a kernel answers, and the time that they take would be lost.
STATES_MIME = "application/vnd.autograder.states+json"
ASKED = "AUTOGRADER_STATES"


@dataclass(frozen=True)
class Knob:
    """A control as a page without a kernel has it.

    label: what it is called; kind: "select", "range" or "check"; stops: gives the text and the value of each
    stop, for the knobs before it as they stand; turn: sets it to a value; now: gives its value.
    """

    label: str
    kind: str
    stops: Callable[[], Sequence[tuple[str, Any]]]
    turn: Callable[[Any], None]
    now: Callable[[], Any]

    @classmethod
    def of(cls, control: Any, stops: Sequence[Any] = ()) -> Knob:
        """Return the knob of a widget; stops: its values, where the widget allows more than can be listed."""
        first = control.value

        def listed() -> Sequence[tuple[str, Any]]:
            if isinstance(control, ipywidgets.Dropdown):
                pairs = (
                    option if isinstance(option, tuple) else (option, option) for option in control.options
                )
                return [(str(text), value) for text, value in pairs]
            if isinstance(control, ipywidgets.Checkbox):
                return [("off", False), ("on", True)]
            if isinstance(control, ipywidgets.Text):
                return [(text, text) for text in dict.fromkeys((first, *stops))]
            # The value that the lesson chose is always among them.
            values = sorted({first, *stops}) if stops else range(control.min, control.max + 1)
            return [(f"{value:g}", value) for value in values]

        kinds = {ipywidgets.Dropdown: "select", ipywidgets.Text: "select", ipywidgets.Checkbox: "check"}
        return cls(
            control.description,
            kinds.get(type(control), "range"),
            listed,
            lambda value: setattr(control, "value", value),
            lambda: control.value,
        )


def states(explorer: Any) -> dict[str, Any]:
    """Every state of an explorer, as plain data.

    knobs: the label and the kind of each; stops: for each knob the texts of its stops, by the places of the
    knobs before it, joined by commas; start: the places of the state that is shown at first; views: the
    sentence and the markup of each state, by its places. The explorer stands as before when this returns.
    """
    knobs: list[Knob] = explorer.knobs
    before = [knob.now() for knob in knobs]
    stops: list[dict[str, list[str]]] = [{} for _ in knobs]
    views: dict[str, tuple[str, str]] = {}
    start: list[int] = []

    def visit(places: tuple[int, ...]) -> None:
        key = ",".join(map(str, places))
        if len(places) == len(knobs):
            explorer.show()
            views[key] = (explorer.alt, explorer.html)
            return
        knob = knobs[len(places)]
        offered = knob.stops()
        stops[len(places)][key] = [text for text, _ in offered]
        for place, (_, value) in enumerate(offered):
            knob.turn(value)
            visit((*places, place))

    for knob, value in zip(knobs, before, strict=True):
        start.append([stop for _, stop in knob.stops()].index(value))
    visit(())
    for knob, value in zip(knobs, before, strict=True):
        knob.turn(value)
    return {
        "knobs": [{"label": knob.label, "kind": knob.kind} for knob in knobs],
        "stops": stops,
        "start": start,
        "views": views,
    }


def packed(explorer: Any, style: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the output that holds an explorer's states, by its kind; none where it has no knobs.

    style: the style sheet that the markup needs.
    """
    if not explorer.knobs:
        return
    written = states(explorer)
    first = written["views"][",".join(map(str, written["start"]))]
    plain = json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode()
    data = base64.b64encode(gzip.compress(plain, mtime=0)).decode()
    yield STATES_MIME, {"style": style, "alt": first[0], "html": first[1], "states": data}
