"""The tables of all experiments, properties and specimens: the tool's own and those that a course adds.

A learner returns no number for a property such as "no look ahead". An experiment turns it into one: it calls
the answer more than once and records the effect as a tensor. That tensor is compared with those of the
solution and of the known wrong answers, like any other result.

An experiment runs in the same process as the learner's code. Its result is easy to guess, so no check earns
points by experiments alone.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from autograder.experiments.base import Experiment
from autograder.experiments.dropout import DROPOUT
from autograder.experiments.gradient_flow import GRADIENT
from autograder.experiments.incremental_calls import STEPS
from autograder.experiments.initial_weights import START_VALUES
from autograder.experiments.input_gradients import GRADIENTS
from autograder.experiments.input_influence import INFLUENCE
from autograder.experiments.mode_left_behind import MODE
from autograder.experiments.other_device import OTHER_DEVICE
from autograder.experiments.permutation import PERMUTED
from autograder.experiments.properties import PROPERTIES
from autograder.experiments.registered_buffers import BUFFERS
from autograder.experiments.resource_costs import COSTS
from autograder.experiments.second_call import SECOND_CALL
from autograder.experiments.specimens import SPECIMENS
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import Probe
from autograder.records.course import Course
from autograder.records.file_digests import Identity, identity
from autograder.records.load_definitions import defined_by
from autograder.words import plugin_words

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        *(BUFFERS, COSTS, DROPOUT, GRADIENT, GRADIENTS, INFLUENCE),
        *(MODE, OTHER_DEVICE, PERMUTED, SECOND_CALL, START_VALUES, STEPS),
    )
}
SAYS: dict[str, plugin_words.Words] = {}
plugin_words.EXPERIMENTS, plugin_words.PROPERTIES, plugin_words.SAYS = EXPERIMENTS, PROPERTIES, SAYS
# By the names under which a course's file adds to them.
TABLES: dict[str, dict[str, Any]] = {
    "EXPERIMENTS": EXPERIMENTS,
    "PROPERTIES": PROPERTIES,
    "SPECIMENS": SPECIMENS,
    "SAYS": SAYS,
}
OWN = {kind: frozenset(table) for kind, table in TABLES.items()}
# The file whose additions the tables hold; None for the tool's own alone.
_in_use: Identity | None = None
_lock = threading.Lock()


def is_telling(probe: Probe) -> bool:
    """Tell whether the numbers that a probe shows say plainly what an answer does."""
    experiment = EXPERIMENTS.get(probe.observe)
    return probe.shows_results or (experiment is not None and experiment.telling)


def use(course: Course) -> None:
    """Add the definitions of a course to the tool's tables, and remove those of any other course.

    The course's file may define `EXPERIMENTS` and `PROPERTIES` as sequences and `SPECIMENS` by name. `SAYS`
    replaces the tool's words for an experiment or a property: by its name, then by case.

    Raises:
        AuthoringError: the file is missing or fails, uses a name of the tool's, or has words for an unknown
            experiment, property or case.
    """
    global _in_use
    name = course.adds.experiments
    try:
        file = identity(course.root / name) if name else None
    except OSError as problem:
        raise AuthoringError([f"{course.root / name}: cannot be read ({problem})"]) from problem
    with _lock:  # a class is graded in several threads
        if file != _in_use:
            added = _added(file) if file else {}
            for kind, table in TABLES.items():
                for foreign in table.keys() - OWN[kind]:
                    del table[foreign]
                table.update(added.get(kind, {}))
            _in_use = file


@lru_cache(maxsize=8)
def _added(file: Identity) -> Mapping[str, Mapping[str, Any]]:
    defined = defined_by(file.path, "course_experiments")
    defined_here: dict[str, Mapping[str, Any]] = {
        "EXPERIMENTS": {experiment.name: experiment for experiment in defined.get("EXPERIMENTS", ())},
        "PROPERTIES": {prop.name: prop for prop in defined.get("PROPERTIES", ())},
        "SPECIMENS": dict(defined.get("SPECIMENS", {})),
        "SAYS": dict(defined.get("SAYS", {})),
    }
    twice = sorted({name for kind, some in defined_here.items() for name in OWN[kind] & some.keys()})
    if twice:
        raise AuthoringError([f"{file.path.name}: the tool itself has {', '.join(twice)}"])
    words_by_name = {plugin_words.NOT_FINITE: plugin_words.OF_NOT_FINITE}
    for kind in ("EXPERIMENTS", "PROPERTIES"):
        entries = {**{name: TABLES[kind][name] for name in OWN[kind]}, **defined_here[kind]}
        words_by_name |= {name: entry.words for name, entry in entries.items()}
    words = ((name, case) for name, cases in defined_here["SAYS"].items() for case in cases)
    unsaid = [f"{name}, {case!r}" for name, case in words if case not in words_by_name.get(name, ())]
    if unsaid:
        raise AuthoringError([f"{file.path.name}: nobody else says what SAYS has for {'; '.join(unsaid)}"])
    return defined_here
