"""Evidence as text: what was packed comes out again, and everything else is refused."""

from __future__ import annotations

import base64
import copy
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from autograder.probe.collect_evidence import observe
from autograder.records import evidence_transport
from autograder.records.evidence_transport import EvidenceRefused, pack, unpack
from autograder.records.run_outcome import (
    MAX_ITEMS,
    MAX_TEXT,
    ErrorReport,
    Evidence,
    Examination,
    ForbiddenCall,
    Influence,
    ModuleReport,
    Outcome,
    Reshaped,
    Uncalled,
)

REPORT = ModuleReport(
    missing=("W_q",),
    unexpected=("W",),
    reshaped=(Reshaped("W_k", (2, 3), (3, 2)),),
    unreached=("W_v",),
    shared=("W_v",),
    frozen=("W_v",),
    unsteady=True,
)


@pytest.fixture
def evidence(yielded):
    return Evidence(
        "share",
        "answered",
        outcomes={
            "three": replace(yielded([[1.0, 3.0], [float("-inf"), 2.5]], ("x",)), module=REPORT),
            "four": Outcome(error=ErrorReport("ValueError", "“no” \ud800 \x00", "y", 3, "share")),
            "five": Outcome("torch.Tensor", None, (400, 400), "complex64"),
            "six": Outcome(uncalled=Uncalled("arguments", "(x)", "too many")),
        },
        nearest=("shares",),
        answer_type="function",
        changed_givens=("table",),
        globals_read=("scores",),
        note="a note",
        forbidden=(ForbiddenCall("torch.exp", "exp", "y", 3, "share"),),
        examined=Examination("three", ("x",), (Influence("x", "tokens", "tokens", ((0, 1), ())),)),
        error=ErrorReport("ValueError", "no", bases=("Exception",)),
    )


@pytest.fixture
def packed(evidence) -> dict[str, Any]:
    return json.loads(pack(evidence))


def with_tensors(packed: dict[str, Any], header: object, data: bytes = b"") -> str:
    """The packed evidence with a forged safetensors part."""
    text = json.dumps(header).encode()
    forged = len(text).to_bytes(8, "little") + text + data
    return json.dumps({**packed, "tensors": base64.b64encode(forged).decode()})


def test_what_was_packed_comes_out_again(evidence):
    back = unpack(pack(evidence))
    three, sent = back.outcomes["three"], evidence.outcomes["three"]
    assert torch.equal(three.tensor, sent.tensor)
    # But what a terminal acts on.
    four = replace(evidence.outcomes["four"].error, message="“no” \ufffd \ufffd")
    outcomes = {**evidence.outcomes, "three": replace(sent, tensor=three.tensor), "four": Outcome(error=four)}
    assert back == replace(evidence, outcomes=outcomes)


def test_an_unknown_status_is_refused(packed):
    packed["evidence"]["status"] = "perfect"
    with pytest.raises(EvidenceRefused, match="'perfect' is none of"):
        unpack(json.dumps(packed))


def test_a_tensor_that_is_named_and_not_there_is_refused(packed):
    packed["evidence"]["outcomes"]["three"]["tensor"]["tensor"] = "gone"
    with pytest.raises(EvidenceRefused, match="gone"):
        unpack(json.dumps(packed))


def test_texts_longer_than_any_honest_one_are_cut(packed):
    long = "x" * 10 * MAX_TEXT
    plain = packed["evidence"]
    plain["note"] = plain["outcomes"]["four"]["error"]["message"] = long
    plain["nearest"] = plain["outcomes"]["three"]["module"]["missing"] = [long, *"x" * MAX_ITEMS]
    plain["outcomes"][long] = {}
    plain["examined"]["idle"] = ["x"] * 2 * MAX_ITEMS
    plain["examined"]["influences"][0]["moved"] = [list(range(MAX_ITEMS + 1))] * (MAX_ITEMS + 1)
    plain["examined"]["influences"] *= MAX_ITEMS + 1
    back = unpack(json.dumps(packed))
    assert len(back.note) == max(map(len, back.outcomes)) == MAX_TEXT
    assert len(back.outcomes["four"].error.message) == MAX_TEXT
    moved = back.examined.influences[0].moved
    missing = back.outcomes["three"].module.missing
    assert len(missing[0]) == MAX_TEXT
    lists = back.nearest, missing, back.examined.idle, back.examined.influences, moved, moved[0]
    assert {len(item) for item in lists} == {MAX_ITEMS}


@pytest.mark.parametrize("forged", [{"status": "y" * 10**6}, {"x" * 10**6: 1}], ids=["value", "name"])
def test_what_is_refused_is_not_told_at_length(packed, forged):
    with pytest.raises(EvidenceRefused) as refused:
        unpack(json.dumps({**packed, "evidence": {**packed["evidence"], **forged}}))
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("status", ["missing", "stub", "not-callable", "not-run"])
def test_evidence_without_outcomes_travels_too(status):
    assert unpack(pack(Evidence("share", status, note="why"))) == Evidence("share", status, note="why")


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool], ids=str
)
def test_every_plain_dtype_travels(dtype):
    tensor = torch.tensor([1, 0]).to(dtype)
    back = unpack(pack(Evidence("t", "answered", outcomes={"p": observe(tensor)})))
    assert back.outcomes["p"].tensor.dtype == dtype
    assert back.outcomes["p"].tensor.tolist() == tensor.tolist()


ODD = {
    "complex64": lambda: torch.tensor([1j]),
    "complex128": lambda: torch.tensor([1j], dtype=torch.complex128),
    "sparse": lambda: torch.eye(2).to_sparse(),
    "meta": lambda: torch.empty(2, device="meta"),
    "a view": lambda: torch.arange(6.0).reshape(2, 3).T[1:],
    "expanded": lambda: torch.ones(1).expand(4),
    "a number": lambda: 2.5,
    "a list": lambda: [1.0],
}


@pytest.mark.parametrize("kind", ODD)
def test_whatever_a_function_returned_can_be_packed(kind):
    evidence = Evidence("t", "answered", outcomes={"p": observe(ODD[kind]())})
    assert unpack(pack(evidence)).outcomes["p"].type_name == evidence.outcomes["p"].type_name


def test_evidence_that_is_too_large_is_refused_before_it_travels(monkeypatch, evidence):
    monkeypatch.setattr(evidence_transport, "MAX_BYTES", 100)
    with pytest.raises(EvidenceRefused, match="too large to grade"):
        pack(evidence)


def test_a_text_that_is_too_large_is_refused_unread(monkeypatch, evidence):
    text = pack(evidence)
    monkeypatch.setattr(evidence_transport, "MAX_BYTES", len(text) - 1)
    with pytest.raises(EvidenceRefused, match="too large"):
        unpack(text)


@pytest.mark.parametrize("text", [None, 5, b"{}", {"evidence": {}}, ["{}"]])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(EvidenceRefused):
        unpack(text)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "5", '"text"', "{", "\x00", '{"tensors": ""}', "[" * 100_000, '{"a":' * 50_000],
    ids=lambda text: text[:20],
)
def test_what_is_no_evidence_is_refused(text):
    with pytest.raises(EvidenceRefused):
        unpack(text)


@pytest.mark.parametrize("tensors", ["", "AAAA", "not base64!", "ÄÖ", 5, None, [], {}, "A" * 1000])
def test_a_damaged_tensor_part_is_refused(packed, tensors):
    with pytest.raises(EvidenceRefused):
        unpack(json.dumps({**packed, "tensors": tensors}))


@pytest.mark.parametrize(
    "header",
    [
        [],
        {"a": 5},
        {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}},
        {"a": {"dtype": "F32", "shape": [2**62], "data_offsets": [0, 2**64 - 1]}},
        {"a": {"dtype": "F4", "shape": [8], "data_offsets": [0, 4]}},
        {"a": {"dtype": "pickle", "shape": [1], "data_offsets": [0, 4]}},
        {"a": {"dtype": "F32", "shape": [0, 2**63], "data_offsets": [0, 0]}},
        {"a": {"dtype": "F32", "shape": [0, 2**63 - 1, 2**63 - 1], "data_offsets": [0, 0]}},
        {"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}},
    ],
    ids=lambda header: json.dumps(header)[:60],
)
def test_a_forged_tensor_header_is_refused(packed, header):
    with pytest.raises(EvidenceRefused):
        unpack(
            with_tensors(packed, header, b"" if '"data_offsets": [0, 0]' in json.dumps(header) else b"\0" * 4)
        )


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "NaN", "1e999", "9" * 5000])
def test_a_number_that_is_none_is_refused_where_a_size_should_stand(packed, number):
    outcomes = packed["evidence"]["outcomes"]
    for part, size in ((outcomes["five"], ["SIZE", 2]), (outcomes["four"]["error"], "SIZE")):
        name = "shape" if "shape" in part else "line_number"
        honest, part[name] = part[name], size
        with pytest.raises(EvidenceRefused):
            unpack(json.dumps(packed).replace('"SIZE"', number))
        part[name] = honest


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The path of every part of some JSON."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def swapped(plain: Any, path: tuple, value: Any) -> Any:
    """A copy of some JSON with the part at `path` replaced."""
    if not path:
        return value
    result = copy.deepcopy(plain)
    part = result
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return result


def read_or_refused(text: str) -> bool:
    """Whether a text was refused; any other exception is a fault."""
    try:
        read = unpack(text)
    except EvidenceRefused:
        return True
    assert isinstance(read, Evidence)
    return False


def test_every_cut_of_the_text_is_refused(evidence):
    text = pack(evidence)
    dice = random.Random(5)
    assert all(read_or_refused(text[: dice.randrange(len(text))]) for _ in range(200))


def test_any_bytes_changed_are_read_or_refused(packed):
    raw = base64.b64decode(packed["tensors"])
    dice = random.Random(6)
    for _ in range(300):
        forged = bytearray(raw)
        for _ in range(dice.randrange(1, 5)):
            forged[dice.randrange(len(forged))] = dice.randrange(256)
        read_or_refused(json.dumps({**packed, "tensors": base64.b64encode(forged).decode()}))


def test_any_part_swapped_for_one_of_another_type_is_read_or_refused(packed):
    others = [None, True, -1, 2**80, 0.5, float("inf"), float("nan")]
    others += ["", "x", "\ud800", [], [[]], {}, {"x": 1}]
    swaps = [(path, other) for path in places(packed) for other in others]
    refused = [read_or_refused(json.dumps(swapped(packed, path, other))) for path, other in swaps]
    assert any(refused)


def test_any_part_left_out_is_read_or_refused(packed):
    for path in places(packed):
        if path and isinstance(path[-1], str):
            result = copy.deepcopy(packed)
            part = result
            for key in path[:-1]:
                part = part[key]
            del part[path[-1]]
            read_or_refused(json.dumps(result))


@pytest.mark.parametrize(("dtype", "size"), [("F8_E4M3", 1), ("U16", 2), ("C64", 8), ("U64", 8)])
def test_a_kind_of_tensor_that_no_answer_is_carried_in_is_refused(packed, dtype, size):
    header = {"x": {"dtype": dtype, "shape": [1], "data_offsets": [0, size]}}
    with pytest.raises(EvidenceRefused):
        unpack(with_tensors(packed, header, b"\x01" * size))


@pytest.mark.filterwarnings(
    "ignore:Accessing the data pointer", "ignore:TypedStorage is deprecated"
)  # torch's own
def test_a_tensor_that_only_pretends_to_hold_numbers_is_refused_before_it_travels():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(2, 3)
    outcome = Outcome("torch.Tensor", fake, (2, 3), "float32")
    with pytest.raises(EvidenceRefused, match="cannot be read"):
        pack(Evidence("t", "answered", outcomes={"p": outcome}))
