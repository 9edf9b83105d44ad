"""The rule for a platform whose maximum is another one: scores are passed on unscaled, or not at all."""

from __future__ import annotations

from autograder.records.authoring_errors import UserError

# Where scores go to, in words.
PLATFORM = "on the platform"


class OtherMaximum(UserError):
    """Something else than here can be earned there; says what to do."""


def factor(lesson: str, ours: float, theirs: float | None, scale: bool, where: str = PLATFORM) -> float:
    """Return what a lesson's scores are multiplied by.

    Args:
        lesson: its name.
        ours: what can be earned here.
        theirs: what can be earned there; None where nothing says so.
        scale: whether they may be multiplied at all.
        where: where that is, in words.

    Raises:
        OtherMaximum: the two differ, and nobody asked to scale, or there is nothing to scale to.
    """
    if theirs is None or theirs == ours:
        return 1.0
    if theirs <= 0:  # scaled to it, every score would be 0
        raise OtherMaximum(
            f"{lesson} has {ours:g} points here and {theirs:g} {where}. Change its maximum there to {ours:g}."
        )
    if not scale:
        raise OtherMaximum(
            f"{lesson} has {ours:g} points here and {theirs:g} {where}. Change its maximum there, "
            f"or say --scale to multiply each score by {theirs:g}/{ours:g}."
        )
    return theirs / ours
