"""How sure are the trainings of lessons 08 and 09? Each is run under many seeds, with their own solutions.

    python3 start.py run python -m benchmarks.training [SEEDS]

Prints the lowest and the highest of what the lessons state. Twenty seeds take about twenty minutes.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from autograder.author.execute_lesson import run_cells
from autograder.author.parse_source import read_source
from autograder.records.cell_roles import undrawn

NAMES = ("08-train-it", "09-take-it-apart")


def lessons() -> SimpleNamespace:
    """Return what the lessons define, their trainings left out; what both define is 08's."""
    namespace: dict[str, Any] = {}
    for name in NAMES:
        source = Path(__file__).parents[1] / "source" / name / f"{name}.py"
        namespace = run_cells(undrawn(read_source(source)), name) | namespace
    return SimpleNamespace(**namespace)


def without_heads(given: SimpleNamespace, model: torch.nn.Module) -> dict[str, float]:
    """Return how well a model of two layers goes on repeating without one of its heads, or several."""
    ids = given.twice(5)
    batch = ids, given.next_token_labels(ids, first=13)
    accuracies = {}
    for layer, heads in ((0, (0, 1, 2, 3)), (1, (0, 1, 2, 3)), (1, (slice(None),))):
        weight = model.blocks[layer].attention.out_proj.weight.data
        for head in heads:
            before = weight.clone()
            weight.unflatten(1, (4, -1))[:, head] = 0.0  # (d_model, heads, head_dim)
            accuracies.setdefault((layer, len(heads)), []).append(float(given.accuracy(model, batch)))
            weight.copy_(before)
    return {
        "induction without one head of the first layer": min(accuracies[0, 4]),
        "induction without one head of the second layer": min(accuracies[1, 4]),
        "induction without the second layer's heads": accuracies[1, 1][0],
    }


def measured(given: SimpleNamespace, seed: int) -> dict[str, float]:
    """Return what the lessons state about their trainings, under one seed."""

    def trained(batches: object, steps: int, *sizes: int, **options: object) -> torch.nn.Module:
        torch.manual_seed(seed)
        model = given.TinyTransformer(*sizes, **options)
        return given.train(model, given.batches_of(batches, steps, seed))

    def right(model: torch.nn.Module, batches: object) -> float:
        return float(given.accuracy(model, given.batches_of(batches, 1, 999)[0]))

    measures = {}
    model = trained(given.reversed_digits, 300, 11, 32, 1, 1, 17, position="learned", mlp=False)
    measures["reverse: accuracy"] = right(model, given.reversed_digits)
    model = trained(given.previous_tokens, 300, 20, 32, 1, 1, 16, mlp=False)
    measures["previous token: accuracy"] = right(model, given.previous_tokens)
    for stage, sizes in given.STAGES.items():
        measures[f"text: {stage}"] = given.grown(*sizes, seed=seed)
    for layers in (1, 2):
        model = given.fresh(layers, seed=seed)
        loss, score = {}, {}

        def note(now: torch.nn.Module, loss: dict = loss, score: dict = score) -> float:
            step = 25 * len(loss)
            loss[step] = float(given.loss_on(given.new)(now))
            score[step] = given.best_induction(now)
            return loss[step]

        given.followed(model, given.batches_of(given.repeated, 400, seed), note)
        measures[f"induction, {layers} layers: accuracy"] = right(model, given.repeated)
        if layers == 2:
            measures["induction: loss below 1.5 after"] = min(
                (step for step in loss if loss[step] < 1.5), default=torch.inf
            )
            measures["induction: score above 0.5 after"] = min(
                (step for step in score if score[step] > 0.5), default=torch.inf
            )
    model = trained(given.repeated, 400, 20, 32, 4, 2, 33, mlp=False)
    measures |= without_heads(given, model)
    model = trained(given.sums, 400, 12, 64, 4, 2, 16, position="learned")
    asked, labels = given.batches_of(given.sums, 1, 999, batch_size=1000)[0]
    right_digits = (model(asked).argmax(dim=-1) == labels) | (labels == -100)
    measures["addition: whole sums right"] = float(right_digits.all(dim=1).float().mean())
    ids = given.twice(7)  # (b, 24)
    wanted = ids.repeat(1, 2)[:, 15:27]  # (b, 12)
    for bug in given.BUGS:
        model = given.with_bug(bug, seed=seed)
        batches, loss_on_new = given.batches_of(given.repeated, 300, seed), given.loss_on(given.new)
        _, losses = given.followed(model, batches, loss_on_new, every=100, trained=given.LOOPS.get(bug))
        for step in (1, 3):
            measures[f"break it, {bug}: loss after {step}00 steps"] = losses[step]
        written = given.generate(model, ids[:, :15], 12, 33)[:, 15:]
        measures[f"break it, {bug}: right of what it writes"] = float((written == wanted).float().mean())
    return measures


def main(seeds: int = 20) -> None:
    """Measure under each seed, and print the extremes."""
    given, all_found = lessons(), defaultdict(list)
    for seed in range(seeds):
        for name, value in measured(given, seed).items():
            all_found[name].append(value)
    for name, values in all_found.items():
        print(f"{name:52} {min(values):8.3f} to {max(values):8.3f}")
    whole = sorted(all_found["addition: whole sums right"])
    print("addition, every seed:", *(round(value, 2) for value in whole))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
