"""A tiny causal attention with two heads that can be broken on purpose, and how it trains then.

The model behind the "break it" lab. It is written in numpy with its gradients by hand: a whole training takes
a few hundredths of a second, torch's random state is left alone, and what reaches queries and keys on the way
back is there to be seen. A test holds every gradient to torch's, with the same bugs in the code of lesson 05.

The work to learn is that of lesson 05: each token of a story has to hand over two random vectors, that of the
token before it and that of the first token. An error of 1 means that nothing was learned.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from visuals.language import N_

# The classic bugs, each with the short name that the pictures and the words use.
BUGS = {
    "unscaled": N_("no √d_k"),
    "columns": N_("softmax over the queries"),
    "late": N_("mask after softmax, no renormalising"),
    "untransposed": N_("no transpose(1, 2) of the heads"),
}

HEADS = 2
HEAD_DIM = 64
# How many random numbers make a token, beside its position.
WIDTH = 4
STEPS = 60
# The error is measured so often, on stories that are never trained on.
EVERY = 5
STORIES_A_STEP = 8
STORIES_HELD_OUT = 32
LEARNING_RATE = 0.03
SEED = 0
# A change smaller than this is rounding.
STILL = 1e-9

# Stories (b, tokens, d_in), and what is wanted of each (b, tokens, 2 * WIDTH).
Stories = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Parameters:
    """The three projections side by side, `qkv` (d_in, 3 * d_out), and `out` (d_out, 2 * WIDTH)."""

    qkv: np.ndarray
    out: np.ndarray


@dataclass(frozen=True)
class Pass:
    """A pass through the class with some bugs.

    queries, keys, values (b, heads, rows, head_dim); shares (b, heads, rows, rows), as softmax makes them;
    weights (b, heads, rows, rows), as they meet the values; context (b, tokens, d_out); outputs (b, tokens,
    2 * WIDTH). The rows of a head are its tokens, unless the transpose is missing.
    """

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    shares: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    outputs: np.ndarray


@dataclass(frozen=True)
class Gradients:
    """Of the mean squared error: at scores (b, heads, rows, rows), queries and keys (b, tokens, d_out)."""

    scores: np.ndarray
    queries: np.ndarray
    keys: np.ndarray
    parameters: Parameters


@dataclass(frozen=True)
class Moment:
    """What can be seen in a class at one moment of its training.

    Args:
        weights: of one story that it is not trained on, (heads, rows, rows).
        sums: of the rows of weights, (heads, rows).
        entropy: of those rows, each divided by its sum, (heads, rows).
        at_scores, at_queries, at_keys: the length of the gradient that reaches a token's scores, query and
            key in a typical story (the median of all held-out ones), (tokens,).
        leaks: for each token but the last, whether its output changes with a later token, (tokens - 1,).
    """

    weights: np.ndarray
    sums: np.ndarray
    entropy: np.ndarray
    at_scores: np.ndarray
    at_queries: np.ndarray
    at_keys: np.ndarray
    leaks: np.ndarray


@dataclass(frozen=True)
class Training:
    """A class with some bugs: before training, after it, and its errors on held-out stories on the way.

    steps and errors (measured,): how many steps were made, and the error then.
    """

    bugs: frozenset[str]
    before: Moment
    after: Moment
    steps: np.ndarray
    errors: np.ndarray

    @property
    def error(self) -> float:
        """The error after the last step."""
        return float(self.errors[-1])


def stories(generator: np.random.Generator, count: int, num_tokens: int) -> Stories:
    """Random stories (b, tokens, d_in), positions included, and what is wanted (b, tokens, 2 * WIDTH)."""
    vectors = generator.standard_normal((count, num_tokens, WIDTH))
    # As long as the vectors are: content and position speak with the same voice.
    places = np.broadcast_to(np.eye(num_tokens) * WIDTH**0.5, (count, num_tokens, num_tokens))
    before = vectors[:, [0, *range(num_tokens - 1)]]
    first = vectors[:, [0] * num_tokens]
    return np.concatenate((vectors, places), axis=2), np.concatenate((before, first), axis=2)


def start_values(generator: np.random.Generator, num_tokens: int) -> Parameters:
    """Parameters with which queries and keys have a variance of 1, as the argument for √d_k supposes."""
    d_out = HEADS * HEAD_DIM
    qkv = generator.standard_normal((WIDTH + num_tokens, 3 * d_out)) / (2 * WIDTH) ** 0.5
    return Parameters(qkv, generator.standard_normal((d_out, 2 * WIDTH)) / d_out**0.5)


def split(x: np.ndarray, bugs: Iterable[str]) -> np.ndarray:
    """(b, tokens, heads * features) -> (b, heads, tokens, features), without the transpose as a bug."""
    b, num_tokens, width = x.shape
    if "untransposed" in bugs:
        return x.reshape(b, HEADS, num_tokens, width // HEADS)
    return x.reshape(b, num_tokens, HEADS, width // HEADS).transpose(0, 2, 1, 3)


def joined(x: np.ndarray, bugs: Iterable[str]) -> np.ndarray:
    """(b, heads, tokens, features) -> (b, tokens, heads * features): the way back from `split`."""
    b, _, num_tokens, width = x.shape
    if "untransposed" not in bugs:
        x = x.transpose(0, 2, 1, 3)  # (b, tokens, heads, features)
    return x.reshape(b, num_tokens, HEADS * width)


def forward(x: np.ndarray, parameters: Parameters, bugs: Iterable[str]) -> Pass:
    """Run stories x (b, tokens, d_in) through the class with these bugs."""
    num_tokens = x.shape[1]
    future = np.triu(np.ones((num_tokens, num_tokens), dtype=bool), k=1)
    axis = -2 if "columns" in bugs else -1
    queries, keys, values = (split(part, bugs) for part in np.split(x @ parameters.qkv, 3, axis=-1))
    scores = queries @ keys.swapaxes(2, 3) / _divisor(bugs)  # (b, heads, tokens, tokens)
    if "late" not in bugs:
        scores = np.where(future, -np.inf, scores)
    shares = np.exp(scores - scores.max(axis=axis, keepdims=True))
    shares /= shares.sum(axis=axis, keepdims=True)
    weights = np.where(future, 0.0, shares)
    # The heads are merged as they should be, whatever was left out before.
    context = joined(weights @ values, ())  # (b, tokens, d_out)
    return Pass(queries, keys, values, shares, weights, context, context @ parameters.out)


def backward(
    x: np.ndarray, wanted: np.ndarray, found: Pass, parameters: Parameters, bugs: Iterable[str]
) -> Gradients:
    """Return the gradients of the error, after a pass of stories x (b, tokens, d_in) with the same bugs."""
    axis = -2 if "columns" in bugs else -1
    at_outputs = 2 * (found.outputs - wanted) / wanted.size
    at_context = split(at_outputs @ parameters.out.T, ())  # (b, heads, tokens, head_dim)
    at_values = found.weights.swapaxes(2, 3) @ at_context
    # A weight of the future is 0 whatever its share was, so no gradient goes that way.
    at_shares = np.tril(at_context @ found.values.swapaxes(2, 3))  # (b, heads, tokens, tokens)
    inner = (at_shares * found.shares).sum(axis=axis, keepdims=True)
    at_scores = found.shares * (at_shares - inner)
    scaled = at_scores / _divisor(bugs)
    at_queries = joined(scaled @ found.keys, bugs)  # (b, tokens, d_out)
    at_keys = joined(scaled.swapaxes(2, 3) @ found.queries, bugs)
    at_qkv = np.concatenate((at_queries, at_keys, joined(at_values, bugs)), axis=2)  # (b, tokens, 3 * d_out)
    parts = Parameters(_summed(x, at_qkv), _summed(found.context, at_outputs))
    return Gradients(at_scores, at_queries, at_keys, parts)


def _divisor(bugs: Iterable[str]) -> float:
    return 1.0 if "unscaled" in bugs else HEAD_DIM**0.5


def mean_error(outputs: np.ndarray, wanted: np.ndarray) -> float:
    """Return the mean squared distance of outputs from what is wanted, both (b, tokens, 2 * WIDTH)."""
    return float(((outputs - wanted) ** 2).mean())


def _summed(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(b, tokens, m), (b, tokens, n) -> (m, n): the gradient of a matrix between the two."""
    return left.reshape(-1, left.shape[-1]).T @ right.reshape(-1, right.shape[-1])


@functools.cache
def _material(num_tokens: int, seed: int) -> tuple[Stories, Parameters, list[Stories]]:
    """Return what every class gets: stories to be measured on, start values, and the stories of each step."""
    generator = np.random.default_rng(seed)
    held_out = stories(generator, STORIES_HELD_OUT, num_tokens)
    start = start_values(generator, num_tokens)
    return held_out, start, [stories(generator, STORIES_A_STEP, num_tokens) for _ in range(STEPS)]


@functools.cache
def train(bugs: frozenset[str], num_tokens: int, seed: int = SEED) -> Training:
    """Train the class with these bugs on stories of so many tokens: the same ones whatever the bugs.

    Raises ValueError for a bug that is none of `BUGS`.
    """
    unknown = bugs - BUGS.keys()
    if unknown:
        raise ValueError(f"bugs must be some of {', '.join(BUGS)}, not {', '.join(sorted(unknown))}.")
    (x, wanted), start, lessons = _material(num_tokens, seed)
    parameters = start
    # Adam's two running means, of the gradient and of its square, for each matrix.
    means = [(np.zeros_like(matrix), np.zeros_like(matrix)) for matrix in (start.qkv, start.out)]
    errors = [mean_error(forward(x, start, bugs).outputs, wanted)]
    for step, (some, asked) in enumerate(lessons, start=1):
        found = backward(some, asked, forward(some, parameters, bugs), parameters, bugs).parameters
        pace = LEARNING_RATE * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
        moved = []
        for matrix, gradient, (mean, square) in zip(
            (parameters.qkv, parameters.out), (found.qkv, found.out), means, strict=True
        ):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            moved.append(matrix - pace * mean / (np.sqrt(square) + 1e-8))
        parameters = Parameters(*moved)
        if step % EVERY == 0:
            errors.append(mean_error(forward(x, parameters, bugs).outputs, wanted))
    before, after = (look(x, wanted, moment, bugs) for moment in (start, parameters))
    return Training(bugs, before, after, np.arange(0, STEPS + 1, EVERY), np.array(errors))


def look(x: np.ndarray, wanted: np.ndarray, parameters: Parameters, bugs: frozenset[str]) -> Moment:
    """Return what can be seen in the class with these parameters, on stories x (b, tokens, d_in)."""
    found = forward(x, parameters, bugs)
    gradients = backward(x, wanted, found, parameters, bugs)
    weights = found.weights[0]  # (b, heads, tokens, tokens) -> (heads, tokens, tokens)
    sums = weights.sum(axis=2)
    shares = weights / sums[..., None]
    # 0 log 0 is 0: a weight that has vanished adds nothing.
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    rows = joined((gradients.scores**2).sum(axis=3, keepdims=True), bugs)  # (b, tokens, heads)
    return Moment(
        weights=weights,
        sums=sums,
        entropy=np.abs((shares * logs).sum(axis=2)),
        at_scores=np.median(np.sqrt(rows.sum(axis=2)), axis=0),
        at_queries=np.median(np.linalg.norm(gradients.queries, axis=2), axis=0),
        at_keys=np.median(np.linalg.norm(gradients.keys, axis=2), axis=0),
        leaks=_leaks(x[:4], parameters, bugs),
    )


def _leaks(x: np.ndarray, parameters: Parameters, bugs: frozenset[str]) -> np.ndarray:
    """For each token but the last, whether its output changes when the later tokens are another story's."""
    outputs = forward(x, parameters, bugs).outputs
    other = np.roll(x, 1, axis=0)
    changed = []
    for token in range(x.shape[1] - 1):
        later = np.concatenate((x[:, : token + 1], other[:, token + 1 :]), axis=1)
        moved = forward(later, parameters, bugs).outputs[:, token] - outputs[:, token]
        changed.append(bool(np.abs(moved).max() > STILL))
    return np.array(changed)


def row_names(tokens: list[str], bugs: Iterable[str]) -> list[list[str]]:
    """Return what the rows of each head stand for.

    Tokens, or pieces of tokens where the transpose is missing.
    """
    if "untransposed" not in bugs:
        return [list(tokens)] * HEADS
    pieces = [f"{token}·{piece}" for token in tokens for piece in range(HEADS)]
    return [pieces[head * len(tokens) : (head + 1) * len(tokens)] for head in range(HEADS)]
