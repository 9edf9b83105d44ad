"""Experiments: each a module with its run, its words and what it asks of authors, registered here by name.

A property such as "no look ahead" is not a number that a learner returns. An experiment makes it one: it
calls the answer more than once and writes down what it saw. The tensor is compared with what the solution
yields in the same experiment, and with what the known wrong answers yield, like any other result.

An experiment runs beside the learner's code and awards nothing. Its result is easy to guess, so no check
earns points by experiments alone.
"""

from __future__ import annotations

from dataclasses import replace

from autograder.bank import Probe
from autograder.experiments.base import Experiment
from autograder.experiments.buffers import BUFFERS
from autograder.experiments.costs import COSTS
from autograder.experiments.dropout import DROPOUT
from autograder.experiments.gradient import GRADIENT
from autograder.experiments.gradients import GRADIENTS
from autograder.experiments.influence import INFLUENCE
from autograder.experiments.other_device import OTHER_DEVICE
from autograder.experiments.permuted import PERMUTED
from autograder.experiments.second_call import SECOND_CALL
from autograder.experiments.start_values import START_VALUES
from autograder.experiments.steps import STEPS
from autograder.outcome import Outcome

EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (
        *(BUFFERS, COSTS, DROPOUT, GRADIENT, GRADIENTS, INFLUENCE),
        *(OTHER_DEVICE, PERMUTED, SECOND_CALL, START_VALUES, STEPS),
    )
}


def concluded(probe: Probe, outcome: Outcome) -> Outcome:
    """Return what there is to compare of an outcome: of raw draws, what they come to."""
    experiment = EXPERIMENTS.get(probe.observe)
    if experiment is None or experiment.measured is None or not probe.hidden or outcome.tensor is None:
        return outcome
    found = experiment.measured(outcome.tensor, probe.settings)
    return outcome if found is None else replace(outcome, tensor=found)
