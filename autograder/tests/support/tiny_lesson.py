"""A tiny lesson with hand-made answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from autograder.judge.failure_signatures import failure_signature, tabulate
from autograder.records.bank import Check, KnownWrong, LessonBank, Probe, Task
from autograder.records.operator_families import Described, families
from autograder.records.run_outcome import Outcome

# What its tasks can forbid, by name.
FAMILIES = {
    family.name: family
    for family in families(
        {
            "softmax": Described("softmax", (r"\w*soft(max|min)\w*",), also=("attention",)),
            "dropout": Described("dropout", (r"\w*dropout\w*",)),
            "attention": Described("the steps", (r"\w*(scaled_dot_product|flash)_att\w*", "_safe_softmax")),
        }
    )
}
TABLE = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
OTHER_TABLE = torch.tensor([[2.0, 1.0, 0.5], [3.0, 1.0, 6.0]])


def outcome_of(value: Any, changed: tuple[str, ...] = ()) -> Outcome:
    """What a call that returned `value` as a tensor yields."""
    tensor = torch.as_tensor(value)
    dtype = str(tensor.dtype).removeprefix("torch.")
    return Outcome("torch.Tensor", tensor, tuple(tensor.shape), dtype, changed_inputs=changed)


def knowing(
    task: Task, wrong: Mapping[str, Mapping[str, Outcome]], hints: Mapping[str, str] | None = None
) -> Task:
    """The task with known wrong answers that do this; "one and other" is an answer with two mistakes."""
    faults = [name for name in wrong if " and " not in name]
    return replace(
        task,
        known_wrong=tuple(KnownWrong(name, (hints or {}).get(name, "")) for name in faults),
        explanations=tabulate(
            [tuple(map(faults.index, name.split(" and "))) for name in wrong],
            [
                {probe.id: failure_signature(task, probe, done[probe.id]) for probe in task.probes}
                for done in wrong.values()
            ],
        ),
    )


# What one entry along an axis is called in the tiny course.
ENTRIES = {"tokens": "token", "query": "query", "key": "key", "heads": "head", "d_out": "dimension"}


def plain_task(name: str, *probes: Probe, **fields: Any) -> Task:
    """A task with these probes, in one check; of a function, unless more is said."""
    usual = {"id": name, "title": "", "kind": "function", "signature": f"{name}(x)", "axes": ("tokens",)}
    usual |= {"learned": "", "hints": (), "checks": (Check("all", 1, tuple(probe.id for probe in probes)),)}
    return Task(name=name, probes=probes, **{**usual, **fields})


def function_task(
    reference: Callable[..., Any],
    probes: Mapping[str, tuple[str, dict[str, Any]]],
    wrong: Mapping[str, tuple[Callable[..., Any], str]],
    **fields: Any,
) -> Task:
    def run(answer: Callable[..., Any], inputs: dict[str, Any]) -> Outcome:
        copies = {name: value.clone() for name, value in inputs.items()}
        result = answer(**copies)
        changed = tuple(name for name in inputs if not torch.equal(copies[name], inputs[name]))
        return outcome_of(result, changed)

    task = Task(
        kind="function",
        entries=ENTRIES,
        probes=tuple(
            Probe(name, says, inputs, expected=run(reference, inputs))
            for name, (says, inputs) in probes.items()
        ),
        **fields,
    )
    done = {
        name: {probe: run(answer, inputs) for probe, (_, inputs) in probes.items()}
        for name, (answer, _) in wrong.items()
    }
    return knowing(task, done, {name: hint for name, (_, hint) in wrong.items()})


def tensor_task(
    reference: Callable[..., Any], wrong: Mapping[str, tuple[Callable[..., Any], str]], **fields: Any
) -> Task:
    runs = {"as-seen": TABLE, "redrawn-1": OTHER_TABLE}
    task = Task(
        kind="tensor",
        entries=ENTRIES,
        probes=tuple(
            Probe(run, "other example data", {}, expected=outcome_of(reference(table)))
            for run, table in runs.items()
        ),
        **fields,
    )
    done = {
        name: {run: outcome_of(answer(table)) for run, table in runs.items()}
        for name, (answer, _) in wrong.items()
    }
    return knowing(task, done, {name: hint for name, (_, hint) in wrong.items()})


def overwritten(x: torch.Tensor) -> torch.Tensor:
    x /= x.sum()
    return x


SHARE = function_task(
    lambda x: x / x.sum(),
    {
        "three": ("three numbers", {"x": torch.tensor([1.0, 2.0, 5.0])}),
        "four": ("four numbers", {"x": torch.tensor([2.0, 2.0, 4.0, 8.0])}),
    },
    {
        "by-largest": (lambda x: x / x.max(), "You divided by the largest: use `x.sum()`."),
        "overwritten": (overwritten, "This overwrites the caller's numbers."),
        "not-a-number": (lambda x: x * float("nan"), "This is 0 divided by 0."),
    },
    id="share",
    title="Shares of a whole",
    name="share",
    signature="share(x)",
    axes=("tokens",),
    learned="Shares add up to 1.",
    hints=("What do they add up to?", "Divide by the sum.", "`return x / x.sum()`"),
    properties=("sums-to-one", "not-negative"),
    checks=(Check("three numbers", 1, ("three",)), Check("four numbers", 2, ("four",))),
)
TOTAL = function_task(
    lambda a, b: (a * b).sum(),
    {
        "pairs": ("two pairs", {"a": torch.tensor([1.0, 2.0]), "b": torch.tensor([3.0, 4.5])}),
        "triples": ("triples", {"a": torch.tensor([1.0, 0.0, 2.0]), "b": torch.tensor([1.0, 9.0, 3.0])}),
    },
    {
        "not-added": (lambda a, b: a * b, "Add the products up."),
        "added": (lambda a, b: (a + b).sum(), "Multiply instead of adding."),
    },
    id="total",
    title="One number",
    name="total",
    signature="total(a, b)",
    axes=(),
    number=True,
    learned="A total is one number.",
    hints=("Multiply.", "Then add up."),
    checks=(Check("everything", 1, ("pairs", "triples")),),
)
PAIRS = function_task(
    lambda x: x @ x.T,
    {"three": ("three tokens", {"x": torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]])})},
    {
        "other-way": (lambda x: x.T @ x, "These are dimensions against dimensions."),
        "zeros": (lambda x: torch.zeros(3, 3), "These are all zero."),
    },
    id="pairs",
    title="Every pair",
    name="pairs",
    signature="pairs(x)",
    axes=("tokens as query", "tokens as key"),
    learned="Every token meets every token.",
    hints=("Matrix product.",),
    properties=("symmetric",),
    checks=(Check("three tokens", 1, ("three",)),),
)
ROW_SUMS = tensor_task(
    lambda table: table.sum(dim=1),
    {
        "columns": (lambda table: table.sum(dim=0), "These are the columns."),
        "means": (lambda table: table.mean(dim=1), "These are means."),
    },
    id="row-sums",
    title="The sum of each row",
    name="row_sums",
    signature="row_sums",
    axes=("rows",),
    learned="A row has one sum.",
    hints=("Sum over axis 1.",),
    checks=(Check("a sum for each row", 2, ("as-seen", "redrawn-1")),),
)
DOUBLED = tensor_task(
    lambda table: 2 * table.sum(dim=1),
    {
        "plain": (lambda table: table.sum(dim=1), "These are not doubled."),
        "squared": (lambda table: table.sum(dim=1) ** 2, "These are squares."),
    },
    id="doubled-sums",
    title="Twice each sum",
    name="doubled_sums",
    signature="doubled_sums",
    axes=("rows",),
    needs=("row-sums",),
    learned="Twice is twice.",
    hints=("Times two.",),
    checks=(Check("twice each sum", 1, ("as-seen", "redrawn-1")),),
)
LESSON = LessonBank(
    lesson="01-tiny",
    title="01 · A tiny lesson",
    givens={"as-seen": {"table": TABLE}, "redrawn-1": {"table": OTHER_TABLE}},
    tasks={task.id: task for task in (SHARE, TOTAL, PAIRS, ROW_SUMS, DOUBLED)},
)
