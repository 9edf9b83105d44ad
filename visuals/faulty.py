"""A tiny causal attention with two heads that can be broken on purpose, and how it trains then.

The model behind the "break it" lab. A whole training takes a few hundredths of a second, and torch's random
state is left alone.

The work to learn is that of lesson 05: each token of a story has to hand over two random vectors, that of the
token before it and that of the first token. An error of 1 means that nothing was learned.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import mse_loss
from torch.optim.adam import adam  # the class Adam would load torch's compiler first, which takes seconds

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
ADAM: dict[str, Any] = {
    "lr": 0.03,
    "beta1": 0.9,
    "beta2": 0.999,
    "weight_decay": 0.0,
    "amsgrad": False,
    "maximize": False,
}
SEED = 0
# A change smaller than this is rounding.
STILL = 1e-9

# Stories (b, tokens, d_in), and what is wanted of each (b, tokens, 2 * WIDTH).
Stories = tuple[Tensor, Tensor]


class Parameters(NamedTuple):
    """The three projections side by side, `qkv` (d_in, 3 * d_out), and `out` (d_out, 2 * WIDTH)."""

    qkv: Tensor
    out: Tensor


@dataclass(frozen=True)
class Pass:
    """A pass through the class with some bugs.

    queries and keys (b, tokens, d_out), before they are split; scores and weights (b, heads, rows, rows);
    outputs (b, tokens, 2 * WIDTH). The rows of a head are its tokens, unless the transpose is missing.
    """

    queries: Tensor
    keys: Tensor
    scores: Tensor
    weights: Tensor
    outputs: Tensor


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
    vectors = torch.from_numpy(generator.standard_normal((count, num_tokens, WIDTH)))
    # As long as the vectors are: content and position speak with the same voice.
    places = torch.from_numpy(np.eye(num_tokens) * WIDTH**0.5).expand(count, -1, -1)
    before = vectors[:, [0, *range(num_tokens - 1)]]
    first = vectors[:, [0] * num_tokens]
    return torch.cat((vectors, places), dim=2), torch.cat((before, first), dim=2)


def start_values(generator: np.random.Generator, num_tokens: int) -> Parameters:
    """Parameters with which queries and keys have a variance of 1, as the argument for √d_k supposes."""
    d_out = HEADS * HEAD_DIM
    qkv = generator.standard_normal((WIDTH + num_tokens, 3 * d_out)) / (2 * WIDTH) ** 0.5
    out = generator.standard_normal((d_out, 2 * WIDTH)) / d_out**0.5
    return Parameters(torch.from_numpy(qkv), torch.from_numpy(out))


def split(x: Tensor, bugs: Iterable[str]) -> Tensor:
    """(b, tokens, heads * features) -> (b, heads, tokens, features), without the transpose as a bug."""
    b, num_tokens, _ = x.shape
    if "untransposed" in bugs:
        return x.reshape(b, HEADS, num_tokens, -1)
    return x.reshape(b, num_tokens, HEADS, -1).transpose(1, 2)


def joined(x: Tensor, bugs: Iterable[str]) -> Tensor:
    """(b, heads, tokens, features) -> (b, tokens, heads * features): the way back from `split`."""
    b, _, num_tokens, _ = x.shape
    if "untransposed" not in bugs:
        x = x.transpose(1, 2)  # (b, tokens, heads, features)
    return x.reshape(b, num_tokens, -1)


def forward(x: Tensor, parameters: Parameters, bugs: Iterable[str]) -> Pass:
    """Run stories x (b, tokens, d_in) through the class with these bugs."""
    queries, keys, values = (x @ parameters.qkv).chunk(3, dim=-1)  # each (b, tokens, d_out)
    scores = split(queries, bugs) @ split(keys, bugs).mT  # (b, heads, tokens, tokens)
    if "unscaled" not in bugs:
        scores = scores / HEAD_DIM**0.5
    future = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(diagonal=1)
    masked = scores if "late" in bugs else scores.masked_fill(future, -torch.inf)
    weights = torch.softmax(masked, dim=-2 if "columns" in bugs else -1).masked_fill(future, 0.0)
    # The heads are merged as they should be, whatever was left out before.
    context = joined(weights @ split(values, bugs), ())  # (b, tokens, d_out)
    return Pass(queries, keys, scores, weights, context @ parameters.out)


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
    with _undisturbed():
        (x, wanted), start, lessons = _material(num_tokens, seed)
        parameters = Parameters(*(matrix.clone().requires_grad_() for matrix in start))
        before = look(x, wanted, parameters, bugs)
        errors = [_error(x, wanted, parameters, bugs).item()]
        means, squares = ([torch.zeros_like(matrix) for matrix in start] for _ in range(2))
        counts = [torch.zeros((), device="cpu") for _ in start]  # of the steps made
        for step, (batch, wanted_of_batch) in enumerate(lessons, start=1):
            gradients = torch.autograd.grad(_error(batch, wanted_of_batch, parameters, bugs), parameters)
            # Added to the mean square itself, not to the corrected one. Without √d_k most weights are 0 or 1
            # and gradients nearly 0; then this decides how far a step goes.
            eps = 1e-8 / (1 - ADAM["beta2"] ** step) ** 0.5
            with torch.no_grad():
                adam([*parameters], [*gradients], means, squares, [], counts, eps=eps, **ADAM)
            if step % EVERY == 0:
                errors.append(_error(x, wanted, parameters, bugs).item())
        after = look(x, wanted, parameters, bugs)
    return Training(bugs, before, after, np.arange(0, STEPS + 1, EVERY), np.array(errors))


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let gradients flow even where the caller is in `no_grad`, and let torch use one thread.

    Tensors so small gain nothing by more threads, which wait for each other for seconds on a busy machine.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode(False), torch.enable_grad():
            yield
    finally:
        torch.set_num_threads(threads)


def _error(x: Tensor, wanted: Tensor, parameters: Parameters, bugs: Iterable[str]) -> Tensor:
    return mse_loss(forward(x, parameters, bugs).outputs, wanted)


def look(x: Tensor, wanted: Tensor, parameters: Parameters, bugs: Iterable[str]) -> Moment:
    """Return what can be seen in the class with these parameters, on stories x (b, tokens, d_in)."""
    seen = forward(x, parameters, bugs)
    error = mse_loss(seen.outputs, wanted)
    at_scores, at_queries, at_keys = torch.autograd.grad(error, (seen.scores, seen.queries, seen.keys))
    # A row of a head belongs to a token: (b, heads, rows, rows) -> (b, tokens, heads).
    at_scores = joined(at_scores.norm(dim=3, keepdim=True), bugs)
    weights = seen.weights[0].detach()  # (heads, rows, rows)
    sums = weights.sum(dim=2)
    shares = weights / sums[..., None]
    at = (gradient.norm(dim=2).quantile(0.5, dim=0) for gradient in (at_scores, at_queries, at_keys))
    entropy = torch.special.entr(shares).sum(dim=2)
    leaks = _leaks(x[:4], parameters, bugs)
    return Moment(*(seen.numpy() for seen in (weights, sums, entropy, *at, leaks)))


def _leaks(x: Tensor, parameters: Parameters, bugs: Iterable[str]) -> Tensor:
    """For each token but the last, whether its output changes when the later tokens are another story's."""
    outputs = forward(x, parameters, bugs).outputs.detach()
    changed = []
    for token in range(x.shape[1] - 1):
        later = torch.cat((x[:, : token + 1], x.roll(1, dims=0)[:, token + 1 :]), dim=1)
        moved = forward(later, parameters, bugs).outputs.detach() - outputs
        changed.append(moved[:, token].abs().max() > STILL)
    return torch.stack(changed)


def row_names(tokens: list[str], bugs: Iterable[str]) -> list[list[str]]:
    """Return what the rows of each head stand for.

    Tokens, or pieces of tokens where the transpose is missing.
    """
    if "untransposed" not in bugs:
        return [list(tokens)] * HEADS
    pieces = [f"{token}·{piece}" for token in tokens for piece in range(HEADS)]
    return [pieces[head * len(tokens) : (head + 1) * len(tokens)] for head in range(HEADS)]
