"""The bank on disk: the same bank, the same bytes; anything else is a fault of ours that says so."""

from __future__ import annotations

import json

import pytest
import torch

from autograder import bank
from autograder.bank import BankError, dtype_name
from autograder.collect import collect_answer
from autograder.judge import judge

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
    loaded = bank.load(LESSON, folder)
    assert bank.dumps(loaded)[0] == bank.dumps(lesson)[0]
    before, after = bank.dumps(lesson)[1], bank.dumps(loaded)[1]
    assert before.keys() == after.keys()
    assert all(torch.equal(before[key].nan_to_num(7), after[key].nan_to_num(7)) for key in before)


def test_a_loaded_bank_judges_like_the_one_that_was_saved(folder, lesson, share):
    loaded = bank.load(LESSON, folder)
    right = collect_answer(loaded.tasks["share"], loaded, lambda x: x / x.sum(), {})
    wrong = collect_answer(loaded.tasks["share"], loaded, lambda x: x / x.max(), {})
    assert judge(loaded.tasks["share"], right).passed
    assert judge(loaded.tasks["share"], wrong).known_wrong == "by-largest"


def test_the_same_bank_gives_the_same_bytes(tmp_path, lesson):
    for name in ("one", "other"):
        bank.save(lesson, tmp_path / name)
    for ending in ("json", "safetensors"):
        one, other = (tmp_path / name / f"{LESSON}.{ending}" for name in ("one", "other"))
        assert one.read_bytes() == other.read_bytes()


def test_a_known_wrong_answer_that_overwrites_its_input_is_remembered_so(folder):
    wrong = {one.id: one for one in bank.load(LESSON, folder).tasks["share"].known_wrong}
    assert wrong["overwritten"].outcomes["three"].changed_inputs == ("x",)


def test_points_are_the_sum_over_the_checks(folder):
    assert bank.load(LESSON, folder).tasks["share"].points == 3


def test_the_index_says_which_lesson_holds_each_task_in_order(folder):
    expected = dict.fromkeys(["share", "total", "pairs", "row-sums", "doubled-sums"], LESSON)
    assert list(bank.index(folder).items()) == list(expected.items())


def test_dtypes_are_named_as_a_learner_writes_them():
    assert dtype_name(torch.float32) == "float32"


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
    with pytest.raises(BankError, match=r"01-tiny\.json"):
        bank.index(folder)


def test_the_committed_bank_can_be_loaded():
    for lesson in set(bank.index().values()):
        assert bank.load(lesson).tasks
