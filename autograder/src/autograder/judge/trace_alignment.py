"""The comparison of an answer's steps with the solution's, by the tensors that its lines make."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import Literal

from torch import Tensor

from autograder.records.answer_findings import Followed, Reached, TraceAlignment
from autograder.records.bank import RightStep, Route
from autograder.records.run_outcome import Outcome, Step, Trail
from autograder.records.tensor_fingerprint import Fingerprint, factor_between, fingerprint

SAME = 2e-4


def align_trace(
    route: Route | None, trail: Trail | None, outcomes: Mapping[str, Outcome]
) -> TraceAlignment | None:
    """Return the steps of the solution that an answer takes, and the first one that it lacks.

    It is called only for an answer whose result is wrong on the traced probe. A step counts as taken if the
    answer makes a later step from it, even if no line of the answer shows it.

    Args:
        route: the solution's steps.
        trail: the answer's steps.
        outcomes: the answer's outcomes by probe.

    Returns:
        The comparison; None if nothing is certain.
    """
    if route is None or trail is None or trail.probe != route.probe or not trail.steps:
        return None
    matches = _all_matches(route, trail)
    cut = {step.name for step in route.steps if _is_cut_otherwise(step, matches[step.name], trail)}
    taken = {
        name: match
        for name, matched in matches.items()
        if matched and all(matched) and name not in cut and (match := matched[0])
    }
    passed = set(taken).union(*(step.needs for step in route.steps if step.name in taken))
    missing = next(
        (step for step in route.steps if step.name not in passed and passed.issuperset(step.needs)), None
    )
    crossed = _crossed({name: step.name for name, (step, _) in taken.items()})
    right = tuple(
        _reached(step, matched)
        for step in route.steps
        if (matched := taken.get(step.name)) and step.name not in crossed
    )
    up_to = _right_up_to(route, {name: taken[name] for name in taken.keys() - crossed}, trail)
    if outcomes[route.probe].error is not None:
        # Axes in another order may well be what it stops at.
        right = tuple(step for step in right if not step.shape)
        return TraceAlignment(right, ends="stops", probe=route.probe) if right else None
    if missing is None:
        ends = _how_it_ends(route, taken, outcomes[route.probe].tensor)
        return TraceAlignment(right, ends=ends, probe=route.probe, up_to=up_to) if right else None
    # In a loop, a tensor can be made piece by piece without ever standing in one place. And where there
    # is what had the step's name before, a learner takes that for the step.
    if trail.looped or any(matches[missing.name]) or _has_an_earlier_form(missing, trail):
        return TraceAlignment(right, probe=route.probe, up_to=up_to) if right else None
    sources = [
        (step, matched)
        for step in route.steps
        if step.name in missing.needs and (matched := taken.get(step.name))
    ]
    source, multiple = _reached(*sources[-1]) if sources else None, _multiple(missing, trail)
    # A line that only keeps the factor of what it is made from is not wrong: a later one can take it out.
    if (
        source
        and multiple
        and source.times != 1
        and abs(multiple[1] - source.times) <= SAME * abs(source.times)
    ):
        return TraceAlignment(right, probe=route.probe, up_to=up_to)
    return TraceAlignment(
        right,
        missing.says,
        multiple=multiple,
        fitting=tuple(factor for factor in _factors(missing, route) if factor != 1),
        probe=route.probe,
        up_to=up_to,
        source=source,
        instead=_instead(route, trail, missing, [source[0] for _, source in sources]),
    )


def _crossed(names: Mapping[str, str]) -> set[str]:
    """Return the steps that have each other's names in an answer, such as `a` for b and `b` for a.

    `names` are an answer's own, by those of the steps.
    """

    def fits(own: str, name: str) -> bool:
        return bool(own) and (name.startswith(own) or own.startswith(name))

    others = {name: own for name, own in names.items() if not fits(own, name)}
    return {
        name for name, own in others.items() if any(fits(own, to) and fits(others[to], name) for to in others)
    }


def _has_an_earlier_form(missing: RightStep, trail: Trail) -> bool:
    """Tell whether an answer makes what has a missing step's name before that step does."""
    return any(
        factor_between(fingerprint_seen, _in_order(fingerprint_seen, orders)) is not None
        for orders in missing.before
        for step in trail.steps
        for fingerprint_seen in step.fingerprints
    )


def _right_up_to(route: Route, taken: Mapping[str, tuple[Step, Fingerprint]], trail: Trail) -> Reached | None:
    """Return the last right step up to which all is the solution's too, or goes into what is.

    Any other was compared with nothing, and may hold the mistake; so may a right step that is not used.
    """
    places = {id(step): place for place, step in enumerate(trail.steps)}
    reached = {
        places[id(match[0])]: _reached(step, match) for step in route.steps if (match := taken.get(step.name))
    }
    compared = set(reached).union(*(trail.steps[place].sources for place in reached))
    compared |= {place for place, step in enumerate(trail.steps) if _is_made_by_the_way(step, route)}
    used = {len(trail.steps) - 1}.union(*(step.sources for step in trail.steps))
    unknown = next((place for place in range(len(trail.steps)) if place not in compared), len(trail.steps))
    last = max((place for place in reached if place < unknown and place in used), default=None)
    return None if last is None else reached[last]


def _is_made_by_the_way(step: Step, route: Route) -> bool:
    """Tell whether the solution makes a tensor, too, without a word for it."""
    return any(
        _is_same(fingerprint_seen, orders)
        for fingerprint_seen in step.fingerprints
        for orders in route.others
    )


def _how_it_ends(route: Route, taken: Collection[str], result: Tensor | None) -> Literal["there", "wrong"]:
    """Tell whether an answer that takes all steps gives back the last one of them."""
    last = next((step.fingerprints for step in reversed(route.steps) if step.name in taken), ())
    result_fingerprint = None if result is None else fingerprint(result)
    return (
        "there"
        if result_fingerprint and len(last) == 1 and _is_same(result_fingerprint, last[0])
        else "wrong"
    )


def _instead(route: Route, trail: Trail, missing: RightStep, sources: Sequence[Step]) -> Followed | None:
    """Return the first tensor of a missing step's size that stands behind its sources and on no right way."""
    fingerprints = [orders for step in route.steps for orders in step.fingerprints] + list(route.others)
    if not sources:
        return None
    behind = max(index for index, step in enumerate(trail.steps) if step in sources) + 1
    size = prod(missing.fingerprints[0][0].shape)
    return next(
        (
            Followed(step.name, step.line_number, step.function, fingerprint_seen.shape, row=step.row)
            for step in trail.steps[behind:]
            for fingerprint_seen in step.fingerprints
            if prod(fingerprint_seen.shape) == size
            and all(factor_between(fingerprint_seen, orders) is None for orders in fingerprints)
        ),
        None,
    )


def _is_cut_otherwise(
    right: RightStep, matches: Sequence[tuple[Step, Fingerprint] | None], trail: Trail
) -> bool:
    """Tell if an answer has a step's numbers with fewer axes only, and then cuts them elsewhere.

    A view of (rows, parts * size) as (parts, rows, size) holds the same numbers, and no part its own.
    """
    if len(right.fingerprints) != 1 or not (match := matches[0]):
        return False
    (step, matched), orders = match, right.fingerprints[0]
    axes = len(orders[0].shape)
    return len(matched.shape) < axes and any(
        len(fingerprint_seen.shape) == axes
        and prod(fingerprint_seen.shape) == prod(matched.shape)
        and abs(fingerprint_seen.size - matched.size) <= SAME * matched.size
        and factor_between(fingerprint_seen, _in_order(fingerprint_seen, orders)) is None
        for later in trail.steps[trail.steps.index(step) + 1 :]
        for fingerprint_seen in later.fingerprints
    )


def _is_same(fingerprint_seen: Fingerprint, orders: Sequence[Fingerprint]) -> bool:
    factor = factor_between(fingerprint_seen, _in_order(fingerprint_seen, orders))
    return factor is not None and abs(factor - 1) <= SAME


def _in_order(fingerprint_seen: Fingerprint, orders: Sequence[Fingerprint]) -> Sequence[Fingerprint]:
    """Return the orders to compare with: rows and columns that have changed places are another tensor."""
    return orders[:1] if fingerprint_seen.shape == orders[0].shape else orders


def followed(route: Route, trail: Trail | None) -> tuple[Followed, ...]:
    """Return the tensors that an answer's lines make, in order, each marked if the solution makes it, too."""
    if trail is None or trail.probe != route.probe:
        return ()
    matches = _all_matches(route, trail)
    words = {
        id(match[0]): step.says for step in route.steps for match in matches[step.name] if match is not None
    }
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


def _all_matches(route: Route, trail: Trail) -> dict[str, list[tuple[Step, Fingerprint] | None]]:
    """Return, by the name of each step of the solution, the steps of an answer with the same tensors.

    What a later step is made from may still be multiplied there; what the solution ends with may not.
    """
    return {step.name: _matches(step, _factors(step, route), trail) for step in route.steps}


def _factors(step: RightStep, route: Route) -> tuple[float, ...]:
    """Return how many times as large a step may be in an answer."""
    return step.factors if any(step.name in later.needs for later in route.steps) else (1.0,)


def _matches(
    right: RightStep, factors: Sequence[float], trail: Trail
) -> list[tuple[Step, Fingerprint] | None]:
    """For each time that the solution takes a step, return the step of an answer with the same tensor.

    It may be one of these multiples of it.
    """
    return [_match(orders, factors, trail) for orders in right.fingerprints]


def _match(
    orders: Sequence[Fingerprint], factors: Sequence[float], trail: Trail
) -> tuple[Step, Fingerprint] | None:
    matches = [
        (step, fingerprint_seen, abs(factor - 1) <= SAME)
        for step in trail.steps
        for fingerprint_seen in step.fingerprints
        if (factor := factor_between(fingerprint_seen, _in_order(fingerprint_seen, orders))) is not None
        and any(abs(factor - right) <= SAME * abs(right) for right in factors)
    ]
    shape = orders[0].shape

    def likeness(match: tuple[Step, Fingerprint, bool]) -> tuple[bool, bool, bool]:
        return match[1].shape == shape, len(match[1].shape) == len(shape), match[2]

    # The first of those that are most like it: of the same shape, else with as many axes; no multiple of it.
    return max(matches, key=likeness)[:2] if matches else None


def _reached(right: RightStep, match: tuple[Step, Fingerprint]) -> Reached:
    step, matched = match
    shape = () if matched.shape == right.fingerprints[0][0].shape else matched.shape
    factors = (factor_between(matched, _in_order(matched, orders)) for orders in right.fingerprints)
    times = next((factor for factor in factors if factor is not None), 1.0)
    same = abs(times - 1) <= SAME
    return Reached(right.says, step.name, step.line_number, step.function, shape, 1.0 if same else times)


def _multiple(right: RightStep, trail: Trail) -> tuple[Reached, float] | None:
    """Return where an answer first has the multiple of a right step that it ends with, and the factor."""
    multiples = [
        (step, fingerprint_seen, factor)
        for step in trail.steps
        for fingerprint_seen in step.fingerprints
        if (factor := factor_between(fingerprint_seen, _in_order(fingerprint_seen, right.fingerprints[0])))
        is not None
    ]
    if not multiples:
        return None
    alike = [multiples[-1][2] * times for times in (1.0, *right.factors)]
    return next(
        (_reached(right, (step, matched)), factor)
        for step, matched, factor in multiples
        if any(abs(factor - other) <= SAME * abs(other) for other in alike)
    )
