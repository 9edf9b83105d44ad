"""How often the intervals of `autograder report quiz` contain the truth.

    python3 start.py run python -m benchmarks.quiz_intervals [--classes N] [--first-seed N]

A population of learners answers the questions of the course's quiz before and after the course. Knowledge
follows a logistic model with two parameters for each question; most learners guess what they do not know,
the others say so; some answers are missing, and some learners hand in one quiz only. From this population,
classes of 30 and of 300 are drawn. The truth is the same figure of 400,000 learners. Each line says of one
kind of figure in how many of the classes its interval contains the truth: on average over the questions, and
for the worst and the best of them.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from autograder.classroom import quiz_statistics as statistics
from autograder.classroom.quiz_statistics import Array, Estimates
from autograder.records.course import Course
from autograder.records.quiz import read_quiz

ROOT = Path(__file__).parents[1]
SIZES = (30, 300)
POPULATION = 400_000
PART = 20_000  # learners drawn at a time
MISSING, ABSENT_BEFORE, ABSENT_AFTER = 0.05, 0.1, 0.15
GUESSERS = 0.7  # guess what they do not know; the others say that they do not
LEARNED = (1.0, 0.5)  # mean and deviation of what the course adds to an ability of deviation 1
OF_QUESTIONS: Mapping[str, Callable[[Array], Estimates]] = {
    "difficulty": statistics.difficulty,
    "discrimination": statistics.discrimination,
}
OF_CLASS: Mapping[str, Callable[[Array, Array], Estimates]] = {
    "gain": statistics.gain,
    "normalised gain": statistics.normalised_gain,
}


@dataclass(frozen=True)
class Questions:
    """How the simulated questions behave, each in both forms."""

    slope: Array  # (questions,)
    threshold: Array  # (occasions, questions)
    choices: Array  # (questions,)


def questions(widths: list[int], chance: np.random.Generator) -> Questions:
    """Return questions from easy to hard, whose two forms are nearly as hard as each other."""
    count = len(widths)
    slope = np.exp(chance.normal(0.2, 0.3, count))
    middle = np.linspace(-1.2, 1.8, count) + chance.normal(0, 0.4, count)
    return Questions(slope, middle + chance.normal(0, 0.15, (2, count)), np.array(widths))


def answers(asked: Questions, learners: int, chance: np.random.Generator) -> tuple[Array, Array]:
    """Return what learners answer before and after: (learners, questions) of 1, 0 and NaN."""
    before = chance.normal(0, 1, learners)
    after = before + chance.normal(*LEARNED, learners)
    guesses = chance.random((learners, 1)) < GUESSERS
    arrays = []
    for ability, threshold, absent in zip(
        (before, after), asked.threshold, (ABSENT_BEFORE, ABSENT_AFTER), strict=True
    ):
        known = 1 / (1 + np.exp(-asked.slope * (ability[:, None] - threshold)))  # (learners, questions)
        lucky = guesses & (chance.random(known.shape) < 1 / asked.choices)
        right = ((chance.random(known.shape) < known) | lucky).astype(float)
        right[chance.random(known.shape) < MISSING] = np.nan
        right[chance.random(learners) < absent] = np.nan
        arrays.append(right)
    return arrays[0], arrays[1]


def estimates(before: Array, after: Array) -> Iterator[tuple[str, Estimates]]:
    """Yield every figure of a class with its interval."""
    for name, figure in OF_QUESTIONS.items():
        yield f"{name} before", figure(before)
        yield f"{name} after", figure(after)
    for name, compare in OF_CLASS.items():
        yield name, compare(before, after)


def truth(asked: Questions, learners: int, chance: np.random.Generator) -> dict[str, Array]:
    """Return the figures of a population."""
    parts = [answers(asked, PART, chance) for _ in range(learners // PART)]
    before, after = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return {name: each.value for name, each in estimates(before, after)}


def coverage(
    asked: Questions, true: Mapping[str, Array], size: int, classes: int, chance: np.random.Generator
) -> dict[str, Array]:
    """Return in which share of the classes the interval contains the truth, by figure and question.

    A figure that a class does not have, such as the discrimination of a question that all have right, is
    left out.
    """
    contained = defaultdict(list)
    for _ in range(classes):
        for name, each in estimates(*answers(asked, size, chance)):
            inside = (each.low <= true[name]) & (true[name] <= each.high)
            contained[name].append(np.where(np.isfinite(each.low), inside, np.nan))
    return {name: np.atleast_1d(np.nanmean(rows, axis=0)) for name, rows in contained.items()}


def main() -> None:
    """Print how often each interval contains the truth; exit with 1 if an average is not 93 to 97 %."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--first-seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = np.random.default_rng(arguments.first_seed)
    widths = [len(item.on("after").choices) for item in read_quiz(Course.read(ROOT), whole=True)]
    asked = questions(widths, chance)
    true = truth(asked, POPULATION, chance)
    outside = 0
    for size in SIZES:
        for name, shares in coverage(asked, true, size, arguments.classes, chance).items():
            outside += not 0.93 <= shares.mean() <= 0.97
            worst = f", {shares.min():.1%} to {shares.max():.1%} by question" if len(shares) > 1 else ""
            print(f"{arguments.classes} classes of {size}: {name}: {shares.mean():.1%}{worst}")
    raise SystemExit(bool(outside))


if __name__ == "__main__":
    main()
