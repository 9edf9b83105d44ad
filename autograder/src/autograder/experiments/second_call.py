"""The result of an answer's second call, after a first call with shorter inputs, which may leave no trace.

Settings:
    input: the input's name, or a list of names.
    axis: the axis along which the inputs are cut for the first call.
    size: the number of slices in the first call.
"""

from __future__ import annotations

from typing import Any

from autograder.experiments.base import Experiment, Settings, Subject, inputs_of
from autograder.words.phrases import N_


def _run(subject: Subject, settings: Settings) -> Any:
    axis, size = settings["axis"], settings["size"]
    cut = {name: subject.inputs[name].narrow(axis, 0, size) for name in inputs_of(settings)}
    subject.call({**subject.inputs, **cut})
    return subject.call(subject.inputs)


WORDS = {
    "": N_(
        "`{answer}` does not give what it should in a second call{where}.",
        "What the first call kept or changed can still be there. Whatever depends on the input is made anew.",
    )
}
SECOND_CALL = Experiment("second-call", _run, WORDS, axes=None)
