"""Switch classic bugs on and off in a tiny class, and see weights, entropy, gradients and training change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visuals.arrays import listed, token_names
from visuals.faulty import BUGS, STEPS, Moment, Training, row_names, train
from visuals.language import _
from visuals.lessons.multi_head.breaking import bugs_side_by_side
from visuals.live import Explorer
from visuals.not_ready import when_ready

FEWEST_TOKENS, MOST_TOKENS = 3, 8


def mixtures() -> list[frozenset[str]]:
    """Every mixture of bugs; a mixture's place has the bits of its bugs' places in `BUGS`."""
    return [
        frozenset(name for bit, name in enumerate(BUGS) if index >> bit & 1)
        for index in range(2 ** len(BUGS))
    ]


def _shown(training: Training) -> dict[str, Any]:
    moments = (training.before, training.after)
    return {"errors": listed(training.errors), "moments": [_moment(moment) for moment in moments]}


def _moment(moment: Moment) -> dict[str, Any]:
    parts = {
        "weights": moment.weights,
        "sums": moment.sums,
        "entropy": moment.entropy,
        "scores": moment.at_scores,
        "queries": moment.at_queries,
        "keys": moment.at_keys,
    }
    return {**{name: listed(values, 4) for name, values in parts.items()}, "leaks": int(moment.leaks.sum())}


@when_ready
def explore_bugs(tokens: Sequence[str]) -> Explorer:
    """Explore what classic bugs do to a tiny class with two causal heads: one by one, or together.

    tokens: the words of a story, 3 to 8; they name the rows. The class is trained on random stories of as
    many tokens: each token has to hand over the vector of the token before it, and that of the first.

    Raises ValueError for fewer or more tokens, TypeError for one string in place of a list.
    """
    if not isinstance(tokens, str) and not FEWEST_TOKENS <= len(tokens) <= MOST_TOKENS:
        raise ValueError(f"tokens must hold {FEWEST_TOKENS} to {MOST_TOKENS} words, not {len(tokens)}.")
    names = token_names(tokens, len(tokens), "tokens", "tokens")
    trained = [train(bugs, len(names)) for bugs in mixtures()]
    right = trained[0]
    return Explorer(
        "lessons/multi_head/bugs.js",
        shows={
            "tokens": names,
            "bugs": [{"name": name, "label": _(label)} for name, label in BUGS.items()],
            "rows": [row_names(names, bugs) for bugs in ((), ("untransposed",))],
            "steps": STEPS,
            "measured": right.steps.tolist(),
            "trainings": [_shown(training) for training in trained],
        },
        chosen={**dict.fromkeys(BUGS, False), "moment": 0},
        picture=lambda: bugs_side_by_side(right, [train(frozenset({name}), len(names)) for name in BUGS]),
    )
