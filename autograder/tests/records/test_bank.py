"""The bank on disk: the same bank, the same bytes; anything else is a fault of ours that says so."""

from __future__ import annotations

import dataclasses
import json

import pytest
import torch
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect_answer
from autograder.records import bank
from autograder.records.bank import BankError, Made, Probe, Specimen
from autograder.records.run_outcome import Examination, Influence, Outcome
from support.tiny_lesson import ENTRIES

LESSON = "01-tiny"


@pytest.fixture
def folder(tmp_path, lesson):
    bank.save(lesson, tmp_path)
    return tmp_path


def edited(folder, change):
    """Change the JSON of the bank on disk."""
    path = folder / f"{LESSON}.json"
    plain = json.loads(path.read_text(encoding="utf-8"))
    change(plain)
    path.write_text(json.dumps(plain), encoding="utf-8")


def test_a_bank_that_was_saved_is_the_same_when_loaded(folder, lesson):
    assert same(bank.load(LESSON, folder, entries=tuple(ENTRIES.items())), lesson)


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        (lambda x: x / x.sum(), ""),
        (lambda x: x / x.max(), "by-largest"),
        (lambda x: x.div_(x.sum().clone()), "overwritten"),
    ],
)
def test_a_loaded_bank_judges_like_the_one_that_was_saved(folder, answer, reference):
    loaded = bank.load(LESSON, folder)
    task = loaded.tasks["share"]
    verdict = judge(task, collect_answer(task, loaded, answer, {}))
    assert (verdict.passed, verdict.known_wrong) == (not reference, reference)


def test_points_are_the_sum_over_the_checks(folder):
    assert bank.load(LESSON, folder).tasks["share"].points == 3


def test_the_ids_of_a_lessons_tasks_are_found_in_order(folder):
    assert bank.task_ids(LESSON, folder) == ("share", "total", "pairs", "row-sums", "doubled-sums")


@pytest.mark.parametrize("ending", ["json", "safetensors"])
def test_a_missing_file_is_a_fault_of_the_bank(folder, ending):
    (folder / f"{LESSON}.{ending}").unlink()
    with pytest.raises(BankError, match=LESSON):
        bank.load(LESSON, folder)


@pytest.mark.parametrize("ending", ["json", "safetensors"])
@pytest.mark.parametrize("share_kept", [0.0, 0.5, 0.99])
def test_a_truncated_file_is_a_fault_of_the_bank(folder, ending, share_kept):
    path = folder / f"{LESSON}.{ending}"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share_kept)])
    with pytest.raises(BankError):
        bank.load(LESSON, folder)


def test_a_bank_of_another_format_is_a_fault_of_the_bank(folder):
    edited(folder, lambda plain: plain.update(format=99))
    with pytest.raises(BankError, match="another version"):
        bank.load(LESSON, folder)


@pytest.mark.parametrize("text", ["[]", "null", "5", "\xff"])
def test_a_bank_that_is_other_json_is_a_fault_of_the_bank(folder, text):
    (folder / f"{LESSON}.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(BankError):
        bank.load(LESSON, folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda plain: plain.pop("tasks"),
        lambda plain: plain["tasks"]["share"].pop("hints"),
        lambda plain: plain["tasks"]["share"].update(surprise=1),
        lambda plain: plain["tasks"]["share"]["probes"][0]["inputs"]["x"].update(tensor="gone"),
        lambda plain: plain["tasks"].update(share=None),
    ],
    ids=["no tasks", "a field gone", "a field too many", "a tensor gone", "no task"],
)
def test_a_bank_whose_parts_do_not_fit_is_a_fault_of_the_bank(folder, change):
    edited(folder, change)
    with pytest.raises(BankError):
        bank.load(LESSON, folder)


@pytest.mark.parametrize("text", ["", "[]", "null", '{"tasks": 5}', "{}"])
def test_an_index_over_a_damaged_bank_names_the_file(folder, text):
    (folder / f"{LESSON}.json").write_text(text)
    with pytest.raises(BankError, match=r"lesson 01-tiny"):
        bank.task_ids(LESSON, folder)


# Probes that are put to use in a way of their own

MIX = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
PARTS = {
    "an object of the notebook": {
        "inputs": {"model": Made("Projection", {"d_in": 3, "d_out": 2}, {"W": torch.ones(3, 2)})}
    },
    "a specimen": {"inputs": {"model": Specimen("mixing", {"weights": MIX})}},
    "a specimen of numbers": {"inputs": {"model": Specimen("affine", {"factor": 2.0, "shift": 1})}},
    "several objects": {
        "inputs": {
            "one": Specimen("mixing", {"weights": MIX}),
            "other": Specimen("mixing", {"weights": 2 * MIX}),
            "the first again": Specimen("mixing", {"weights": MIX}),
            "x": torch.ones(2),
            "made": Made("A", {}, {"W": torch.zeros(1)}),
            "made_too": Made("A", {}, {"W": torch.ones(1)}),
        }
    },
    "an object without weights": {"inputs": {"model": Made("Empty", {"size": 3}, {})}},
    "what a returned module is called with": {"then": {"x": torch.ones(2), "size": 3, "name": None}},
    "an experiment": {"observe": "influence", "settings": {"input": "x", "axis": 1}},
    "settings without an experiment": {"settings": {"method": "append", "stacked": True}},
    "an experiment without settings": {"observe": "other-device"},
    "buffers": {
        "observe": "buffers",
        "settings": {"names": ["mask", "heads.0.mask"]},
        "construct": {"d_in": 2},
        "weights": {"W": torch.ones(2)},
    },
    "no buffers": {"observe": "buffers", "settings": {"names": []}},
    "what a slice is called": {
        "observe": "influence",
        "settings": {"input": "x", "axis": -2, "changed": "source token"},
    },
    "numbers as settings": {"observe": "dropout", "settings": {"p": 0.2, "copies": 2}},
    "training mode without arguments": {"train": True, "dtype": "float64"},
    "hidden": {"hidden": True},
    "training mode": {"train": True, "construct": {"p": 0.2}, "dtype": "float64"},
}
PLAIN = Probe(
    "special", "a special input", {"x": torch.ones(2)}, expected=Outcome("torch.Tensor", torch.ones(2))
)


def with_probe(lesson, **fields):
    """The tiny lesson with one more probe in its first task."""
    probe = dataclasses.replace(PLAIN, **fields)
    share = lesson.tasks["share"]
    task = dataclasses.replace(share, probes=(*share.probes, probe))
    return dataclasses.replace(lesson, tasks={**lesson.tasks, "share": task})


def kept(lesson, folder, **fields):
    """A probe with these fields, saved and loaded."""
    bank.save(with_probe(lesson, **fields), folder)
    return bank.load(LESSON, folder).tasks["share"].probe["special"]


def same(item, other):
    """Whether two parts of a probe are equal, tensors and records included."""
    if isinstance(item, torch.Tensor):
        alike = isinstance(other, torch.Tensor) and item.dtype == other.dtype
        return alike and torch.equal(item.nan_to_num(7), other.nan_to_num(7))
    if dataclasses.is_dataclass(item):
        names = [field.name for field in dataclasses.fields(item)]  # without what was cached meanwhile
        return type(item) is type(other) and all(
            same(getattr(item, name), getattr(other, name)) for name in names
        )
    if isinstance(item, dict):
        return list(item) == list(other) and all(same(item[key], other[key]) for key in item)
    if isinstance(item, tuple):
        return len(item) == len(other) and all(map(same, item, other))
    return type(item) is type(other) and item == other


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_a_probe_survives(lesson, tmp_path, part):
    probe = kept(lesson, tmp_path, **PARTS[part])
    expected = dataclasses.replace(PLAIN, **PARTS[part])
    assert same(probe, expected)


def test_what_explains_a_wrong_answer_and_what_was_examined_survive(lesson, tmp_path, share):
    examined = Examination("three", ("x",), (Influence("x", "tokens", "tokens", ((0, 1), (1,))),))
    task = dataclasses.replace(share, examined=examined, input_axes={"x": ("tokens",)})
    bank.save(dataclasses.replace(lesson, tasks={"share": task}), tmp_path)
    loaded = bank.load(LESSON, tmp_path).tasks["share"]
    assert (loaded.examined, loaded.input_axes) == (examined, task.input_axes)
    assert loaded.known_wrong == task.known_wrong
    assert same(loaded.explanations, task.explanations)


def test_the_table_of_some_probes_holds_nothing_of_the_others(share):
    whole, part = share.explanations, share.explanations.only(["four"])
    assert all(map(torch.equal, part.on(["four"]), whole.on(["four"])))
    assert part.cells.unique().tolist() == list(range(len(part.kind))) != list(range(len(whole.kind)))


@pytest.mark.parametrize(
    "damage",
    [
        lambda probe: probe["inputs"]["model"].pop("construct"),
        lambda probe: probe["inputs"]["model"]["weights"]["W"].update(tensor="gone"),
        lambda probe: probe["inputs"]["model"].update(weights=5),
    ],
    ids=["no arguments", "a tensor gone", "weights that are none"],
)
def test_an_object_whose_parts_do_not_fit_is_no_tensor_and_no_object(lesson, tmp_path, damage):
    bank.save(with_probe(lesson, **PARTS["an object of the notebook"]), tmp_path)
    edited(tmp_path, lambda plain: damage(plain["tasks"]["share"]["probes"][-1]))
    try:
        loaded = bank.load(LESSON, tmp_path)
    except BankError:
        return
    assert not isinstance(loaded.tasks["share"].probe["special"].inputs["model"], Made | torch.Tensor)
