"""The comparison of an answer's steps with the solution's, by the tensors that its lines make."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.records.answer_findings import Followed
from autograder.records.bank import RightStep, Route
from autograder.records.run_outcome import Step, Trail
from autograder.records.tensor_fingerprint import Fingerprint, factor_between

SAME = 2e-4


def followed(route: Route, trail: Trail | None) -> tuple[Followed, ...]:
    """Return the tensors that an answer's lines make, in order, each marked if the solution makes it, too."""
    if trail is None or trail.probe != route.probe:
        return ()
    matches = _all_matches(route, trail)
    words: dict[int, str] = {}
    for step in route.steps:
        for match in matches[step.name]:
            if match is not None:  # keys that a first token turns by 0 are the keys before that, too
                words.setdefault(id(match), step.says)
    return tuple(
        Followed(
            step.name,
            step.line_number,
            step.function,
            step.fingerprints[0].shape,
            words.get(id(step), ""),
            id(step) in words or _is_made_by_the_way(step, route),
        )
        for step in trail.steps
    )


def reaches(route: Route, trail: Trail | None) -> tuple[str, ...] | None:
    """Return the names of the solution's steps that an answer takes; None if it was not traced."""
    if trail is None or trail.probe != route.probe:
        return None
    return tuple(name for name, matched in _all_matches(route, trail).items() if all(matched))


def _all_matches(route: Route, trail: Trail) -> dict[str, list[Step | None]]:
    """Return the steps of an answer with the same tensors as each step of the solution, by its name.

    There is one for each time that the solution takes the step. What a later step is made from may still be
    multiplied there; what the solution ends with may not.
    """
    return {
        step.name: [_match(orders, _factors(step, route), trail) for orders in step.fingerprints]
        for step in route.steps
    }


def _factors(step: RightStep, route: Route) -> tuple[float, ...]:
    """Return how many times as large a step may be in an answer."""
    return step.factors if any(step.name in later.needs for later in route.steps) else (1.0,)


def _match(orders: Sequence[Fingerprint], factors: Sequence[float], trail: Trail) -> Step | None:
    matches = [
        (step, fingerprint_seen.shape, abs(factor - 1) <= SAME)
        for step in trail.steps
        for fingerprint_seen in step.fingerprints
        if (factor := factor_between(fingerprint_seen, _in_order(fingerprint_seen, orders))) is not None
        and any(abs(factor - right) <= SAME * abs(right) for right in factors)
    ]
    shape = orders[0].shape

    def likeness(match: tuple[Step, tuple[int, ...], bool]) -> tuple[bool, bool, bool]:
        return match[1] == shape, len(match[1]) == len(shape), match[2]

    # The first of those that are most like it: of the same shape, else with as many axes; no multiple of it.
    return max(matches, key=likeness)[0] if matches else None


def _is_made_by_the_way(step: Step, route: Route) -> bool:
    """Tell whether the solution makes a tensor, too, without a word for it."""
    return any(
        (factor := factor_between(fingerprint_seen, _in_order(fingerprint_seen, orders))) is not None
        and abs(factor - 1) <= SAME
        for fingerprint_seen in step.fingerprints
        for orders in route.others
    )


def _in_order(fingerprint_seen: Fingerprint, orders: Sequence[Fingerprint]) -> Sequence[Fingerprint]:
    """Return the orders to compare with: rows and columns that have changed places are another tensor."""
    return orders[:1] if fingerprint_seen.shape == orders[0].shape else orders
