"""Held-out answers: right ones in many wordings, each with the slips that fit its style.

The wordings imitate strangers: public repositories, tutorials, homework. A slip is one or a few edits of a
wording's own text, under the name that a `faults.py` in `source/` gives to the mistake. Nothing here comes from a
lesson's `tasks.py`, so that the table measures what the checks have never seen.
"""

from __future__ import annotations

import importlib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from autograder.author.answer_edits import AnyEdit, Cell, Solution, changed, fit, table

MODULES = ("self_attention", "causal_attention", "wrapper", "multi_head", "encoder_decoder", "functions")

# Of each group, an answer shows one mistake at most: two about one step contradict or cover each other.
ONE_OF = (
    "no-scale scaled-by-input-width scaled-by-model-width scaled-without-root scaled-up scaled-by-tokens "
    "scaled-by-batch scaled-by-heads scaled-twice scaled-after-softmax no-softmax shares-of-raw-scores "
    "root-by-precedence",
    "softmax-over-queries softmax-over-batch softmax-over-heads no-softmax softmax-twice "
    "shares-of-raw-scores sums-without-keepdim own-value-only",
    "no-mask empty-row-nan empty-row-even mask-fills-zero mask-fills-small mask-added "
    "mask-after-softmax past-hidden mask-polarity diagonal-hidden diagonal-too-far zero-times-infinity "
    "mask-from-values mask-on-first-head mask-of-first-head mask-batch-for-heads no-softmax",
    # Lengths that do not fit raise first.
    "empty-row-nan empty-row-even values-from-query-input keys-from-query-input scores-turned "
    "keys-as-queries query-length-for-keys",
    "empty-row-nan empty-row-even softmax-twice",
    "scores-turned query-length-for-keys",
    # Two of these are one and the same as the third.
    "softmax-over-queries scores-turned weights-on-the-right projections-swapped",
    # What is filled in is the same for all heads, and so makes no difference to a softmax over them.
    "softmax-over-heads softmax-over-batch mask-fills-small mask-fills-zero mask-on-first-head "
    "mask-after-softmax",
    "no-mask mask-not-a-buffer mask-not-cut",
    # Shares of raw scores, not normalised, are the scores; with a sum over all, the scores divided by it.
    "shares-of-raw-scores not-normalised softmax-over-everything",
    # Truth values that are added, and not made truth values again, are a sum.
    "not-boolean masks-joined-with-or",
    "keys-as-values queries-as-values input-as-values weights-returned values-from-query-input "
    "values-from-key-input",
    "keys-as-queries queries-as-keys input-for-scores projections-swapped scores-turned values-as-keys",
    # Scores of one matrix with itself are the same both ways round, and so are those without a softmax.
    "keys-as-queries queries-as-keys softmax-over-queries",
    "keys-as-queries queries-as-keys weights-on-the-right",
    "no-softmax scores-turned weights-on-the-right projections-swapped",
    "split-without-transpose split-interleaved one-head input-split heads-typed-in full-width-heads",
    "merge-without-transpose merge-interleaved heads-added one-head heads-typed-in",
    "no-out-proj out-proj-twice out-proj-without-bias",
    "no-dropout dropout-on-scores dropout-on-context dropout-on-input dropout-in-eval dropout-not-rescaled "
    "dropout-renormalised dropout-typed-in dropout-same-each-time",
    "bias-always bias-never",
    "half-precision rounded float-forced",
    "return-inside-loop overwritten-in-loop sum-not-from-zero product-of-sums loop-stops-early "
    "loop-starts-late diagonal-only one-half-only row-overwritten",
    "exp-overflows shifted-by-other-number shifted-on-one-side not-normalised clamped empty-row-nan",
    "added-not-subtracted abs-too-late",
    "difference-of-largest norm-for-largest one-number-per-row smallest-for-largest sign-kept "
    "function-not-called",
    "plain-tensors unregistered-list detached",
    "bias-always mask-not-cut",
)

# Mistakes whose numbers are the same: whoever names one of them is right.
SAME_NUMBERS = (
    frozenset({"scaled-twice", "scaled-without-root"}),
    frozenset({"projections-swapped", "scores-turned"}),
    # `d ** 1 / 2` is half of d, and `x / d ** 1 / 2` half of x / d.
    frozenset({"root-by-precedence", "scaled-by-half"}),
    # A list of modules that is one too short is the same, whichever is left out.
    frozenset({"loop-starts-late", "loop-stops-early"}),
    frozenset({"scaled-unasked", "step-too-many"}),
    # A softmax of weights that came from a softmax.
    frozenset({"softmax-of-shares", "softmax-twice"}),
    # One matrix for all three is both of the others at once.
    frozenset({"one-matrix-for-all", "queries-as-keys"}),
    frozenset({"one-matrix-for-all", "queries-as-values"}),
    # Keys that meet keys come from the keys' input as well.
    frozenset({"keys-as-queries", "queries-from-key-input"}),
    # A mask that keeps with probability p, and the right scale behind it.
    frozenset({"p-as-share-kept", "kept-and-dropped-swapped"}),
)

# What these do leaves nothing of a second mistake to see: other weights at each call, nan everywhere, no run.
ALONE = (
    "weights-made-in-forward plain-tensors unregistered-list zero-times-infinity reads-the-notebook "
    "weights-returned sizes-typed-in sizes-turned one-matrix-for-all returns-a-tuple own-value-only "
    "bias-turned bias-by-default normal-start narrow-heads full-width-heads compared-with-itself "
    "wrong-object-returned returns-nothing stacked-not-joined one-head-repeated zero-start"
)


@dataclass(frozen=True)
class Wording:
    """A right answer as one stranger would write it, and the slips that fit it.

    Attributes:
        name: unique in the task.
        text: the whole answer cell.
        faults: the changes of each slip, by its name in a `faults.py`.
        hidden: pairs of faults, "one+other", of which one hides the other here, and faults that hide every
            other; they are not sampled.
    """

    name: str
    text: str
    faults: dict[str, Sequence[AnyEdit]]
    hidden: tuple[str, ...]

    def answer(self, *faults: str) -> str:
        """Return the answer cell with these mistakes in it."""
        changes = [change for fault in faults for change in self.faults[fault]]
        return changed(self._solution, changes) if changes else self.text

    def go_together(self, *faults: str) -> bool:
        """Tell whether these mistakes touch different places and can all be seen."""
        given = set(faults)
        if given & set(ALONE.split()) or any(len(given & set(group.split())) > 1 for group in ONE_OF):
            return False
        if any(given >= set(pair.split("+")) for pair in self.hidden):
            return False
        changes = [change for fault in faults for change in self.faults[fault]]
        return fit(span for change in changes for span in change.spans(self._solution))

    @property
    def _solution(self) -> Solution:
        return Solution(self.text, "", "", False)


@dataclass(frozen=True)
class HeldOut:
    """All held-out answers of one task, and how many of them are sampled with two and three mistakes."""

    lesson: str
    task: str
    wordings: tuple[Wording, ...]
    pairs: int
    triples: int


def read(text: str, pairs: int = 40, triples: int = 10) -> tuple[HeldOut, ...]:
    """Return the tasks that a text describes.

    A line "== lesson task" begins a task, and a table follows, as `autograder.author.answer_edits` tells. A whole cell
    is a wording; the answers below it are its slips, and are changes of its text.
    """
    actual = []
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, _, rows = part.partition("\n")
        wordings: list[Wording] = []
        for row in table(rows, ("hidden",)):
            if isinstance(row.changes[0], Cell):
                hidden = tuple(row.fields.get("hidden", "").split())
                wordings.append(Wording(row.name, row.changes[0].text, {}, hidden))
            else:
                wordings[-1].faults[row.name] = row.changes
        actual.append(HeldOut(*head.split(), tuple(wordings), pairs, triples))
    return tuple(actual)


@dataclass(frozen=True)
class Answer:
    """One answer cell and the mistakes that it makes; a right one makes none."""

    lesson: str
    task: str
    wording: str
    faults: tuple[str, ...]
    text: str


def tasks() -> tuple[HeldOut, ...]:
    """Every task that has held-out answers."""
    return tuple(
        task
        for name in MODULES
        for task in importlib.import_module(f"{__package__ or 'benchmarks.held_out_answers'}.{name}").HELD_OUT
    )


def right_answers() -> Iterator[Answer]:
    """Every wording as it stands."""
    for task in tasks():
        for wording in task.wordings:
            yield Answer(task.lesson, task.task, wording.name, (), wording.answer())


def single_answers() -> Iterator[Answer]:
    """Every wording with one of its slips."""
    for task in tasks():
        for wording in task.wordings:
            for fault in wording.faults:
                yield Answer(task.lesson, task.task, wording.name, (fault,), wording.answer(fault))


def combined_answers(size: int, seed: int = 123) -> Iterator[Answer]:
    """Draw answers with two mistakes (size 2) or three, the same ones for the same seed."""
    for task in tasks():
        wanted = {2: task.pairs, 3: task.triples}[size]
        possible = [
            (wording, faults)
            for wording in task.wordings
            for faults in combinations(wording.faults, size)
            if wording.go_together(*faults)
        ]
        draw = random.Random(f"{seed} {task.task} {size}")
        for wording, faults in draw.sample(possible, min(wanted, len(possible))):
            yield Answer(task.lesson, task.task, wording.name, faults, wording.answer(*faults))
