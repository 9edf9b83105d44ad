"""The rule for a platform with another maximum: scores are exported unscaled, or not at all, unless asked."""

from __future__ import annotations

from autograder.records.authoring_errors import UserError

# Where scores go to, in words.
PLATFORM = "on the platform"


class OtherMaximum(UserError):
    """The platform's maximum differs from the lesson's; the message tells the user what to do."""


def factor(lesson: str, ours: float, theirs: float | None, scale: bool, where: str = PLATFORM) -> float:
    """Return the factor by which a lesson's scores are multiplied for a platform.

    Args:
        lesson: the lesson's name.
        ours: the lesson's maximum.
        theirs: the platform's maximum; None if it is not known.
        scale: whether scores may be scaled.
        where: the platform's name, for the message.

    Raises:
        OtherMaximum: the maxima differ and `scale` is not set, or scaling is impossible.
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
