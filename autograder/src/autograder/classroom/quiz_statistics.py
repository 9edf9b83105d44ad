"""Estimate item statistics and gain from the answers of a class, each with its 95 % interval.

Answers are an array (students, questions) of 1 for right, 0 for not right and NaN for no answer. A missing
answer counts in no figure: a question's figures are of those who answered it, and a gain compares, for each
student, the questions that they answered both times. `benchmarks/quiz_intervals.py` measures how often the
intervals contain the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NORMAL = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Estimates:
    """Estimates with the number of people behind each and the ends of its interval; NaN if there is none."""

    people: Array
    value: Array
    low: Array
    high: Array

    def each(self) -> list[list[float]]:
        """Return one row for each estimate: its number of people, value, lower end and upper end."""
        rows: list[list[float]] = np.column_stack([*vars(self).values()]).tolist()
        return rows


def difficulty(right: Array) -> Estimates:
    """Return the share of right answers to each question, with Wilson's interval.

    Args:
        right: (students, questions), 1 for right, 0 for not right, NaN for no answer.

    Returns:
        Estimates for each question.
    """
    people = np.isfinite(right).sum(axis=0)  # (questions,)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.nansum(right, axis=0) / people
        spread = NORMAL**2 / people
        middle = (share + spread / 2) / (1 + spread)
        half = NORMAL * np.sqrt((share * (1 - share) + spread / 4) / people) / (1 + spread)
    return Estimates(people, share, middle - half, middle + half)


def discrimination(right: Array) -> Estimates:
    """Return for each question the correlation of its answers with the share of the others that are right.

    The interval is made on Fisher's z scale with the larger of two standard errors: one that assumes normal
    variables, too small for an easy question in a mixed class, and one estimated from the sample's fourth
    moments, too small for a small class.

    Args:
        right: (students, questions), 1 for right, 0 for not right, NaN for no answer.

    Returns:
        Estimates for each question.
    """
    answered = np.isfinite(right)  # (students, questions)
    scores = np.nan_to_num(right)
    others = answered.sum(axis=1, keepdims=True) - answered
    both = answered & (others > 0)
    people = both.sum(axis=0)  # (questions,)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = (scores.sum(axis=1, keepdims=True) - scores) / others  # (students, questions)
        item, rest = _standardised(scores, both), _standardised(rest, both)
        value = (item * rest).sum(axis=0) / people
        influence = np.where(both, item * rest - value * (item**2 + rest**2) / 2, 0)
        sample_error = np.sqrt((influence**2).sum(axis=0) / people) / (1 - value**2)
        half = NORMAL * np.maximum(sample_error, 1) / np.sqrt(people - 3)
        middle = np.arctanh(np.where(np.abs(value) < 1, value, np.nan))
    return Estimates(people, value, np.tanh(middle - half), np.tanh(middle + half))


def gain(before: Array, after: Array) -> Estimates:
    """Return the mean increase, over students, in the share of questions that a student answers right.

    Args:
        before: (students, questions), 1 for right, 0 for not right, NaN for no answer.
        after: the same after the course.
    """
    first, second = _shares(before, after)
    return _mean(second - first, second - first)


def normalised_gain(before: Array, after: Array) -> Estimates:
    """Return the class's gain as a share of the possible gain: of the answers that were not right before.

    Its error is that of the ratio of two means, by the delta method. If all students who do not know an
    answer guess, right guesses reduce both means by the same factor, and so do not change their ratio.

    Args:
        before: (students, questions), 1 for right, 0 for not right, NaN for no answer.
        after: the same after the course.
    """
    first, second = _shares(before, after)
    if not len(first) or first.mean() == 1:
        return _mean(first[:0], first[:0])
    ratio = (second - first).mean() / (1 - first).mean()
    residuals = (second - first - ratio * (1 - first)) / (1 - first).mean()
    return _mean(np.full_like(first, ratio), residuals)


def _standardised(values: Array, counted: NDArray[np.bool_]) -> Array:
    """Return the counted values of each question with mean 0 and variance 1; 0 for the others."""
    people = counted.sum(axis=0)
    centred = np.where(counted, values - np.where(counted, values, 0).sum(axis=0) / people, 0)
    return np.asarray(centred / np.sqrt((centred**2).sum(axis=0) / people))


def _shares(before: Array, after: Array) -> tuple[Array, Array]:
    """Return each student's share of right answers, before and after, to what they answered both times."""
    both = np.isfinite(before) & np.isfinite(after)  # (students, questions)
    compared = both.any(axis=1)  # (students,)
    shares = (np.where(both, answers, 0).sum(axis=1)[compared] for answers in (before, after))
    first, second = (share / both.sum(axis=1)[compared] for share in shares)
    return first, second


def _mean(values: Array, residuals: Array) -> Estimates:
    """Return the mean of some values, with Student's interval from their residuals."""
    people = len(values)
    if people < 2:
        return Estimates(*(np.array(number, float) for number in (people, np.nan, np.nan, np.nan)))
    half = student_quantile(people - 1) * residuals.std(ddof=1) / people**0.5
    value = values.mean()
    return Estimates(np.array(people), value, value - half, value + half)


def student_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's distribution, computed by a series.

    It is right to 0.1 % from 4 degrees of freedom on.
    """
    z = NORMAL
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92_160 * degrees**4)
    )
