"""What the grader itself reads of a student's bytes costs little, whatever they are, and stops nothing."""

import base64
import json
import os
import time
from copy import deepcopy

import pytest
import torch
from autograder.classroom.class_report import without_names
from autograder.grading import reader_processes
from autograder.grading.evasion_lint import hiding
from autograder.grading.notebook_evidence import bound_outputs
from autograder.grading.read_submission import beside, moment, read_text
from autograder.grading.reader_processes import READING, LimitReached, ResourceLimits
from autograder.grading.rebuild_submission import only_needed, rebuild
from autograder.records.evidence_transport import EvidenceRefused, unpack
from autograder.records.parse_cells import changed_in, names_of, parsed
from nbformat.v4 import new_code_cell, new_notebook, new_output

# What one piece may take here, of the processor: ten times what an honest one takes, on a slow machine.
SECONDS = 4.0


def evidence(header, data=b"", outcomes=None):
    text = json.dumps(header).encode()
    saved = len(text).to_bytes(8, "little") + text + data
    reported = {"task": "t", "status": "answered", "outcomes": outcomes or {}}
    return json.dumps({"evidence": reported, "tensors": base64.b64encode(saved).decode()})


def one_number(shape):
    return {"dtype": "F32", "shape": shape, "data_offsets": [0, 4]}


MANY = {f"outcomes/{n}/tensor": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for n in range(20_000)}
EVIDENCE = {
    "a tensor of 400,000 axes": evidence({"outcomes/a/tensor": one_number([1] * 400_000)}, b"\0" * 4),
    "a tensor of 17 axes": evidence({"a": one_number([1] * 17)}, b"\0" * 4),
    "20,000 tensors": evidence(MANY),
    "20,000 outcomes": evidence({}, outcomes={str(n): {} for n in range(20_000)}),
    "a header that is a list": evidence([]),
    "a header of numbers": evidence({"a": 5}),
    "shapes that are no lists": evidence({"a": {"dtype": "F32", "shape": 5, "data_offsets": [0, 4]}}),
    "a header longer than the file": json.dumps(
        {"evidence": {}, "tensors": base64.b64encode(b"\xff" * 8).decode()}
    ),
    "nested JSON": '{"evidence":' * 20_000,
    "a number of many digits": '{"evidence": 1' + "0" * 1_000_000 + ', "tensors": ""}',
}


@pytest.fixture(autouse=True)
def in_time():
    before = time.process_time()
    yield
    assert time.process_time() - before < SECONDS


@pytest.mark.parametrize("kind", EVIDENCE)
def test_evidence_that_is_dear_to_read_is_refused(kind):
    with pytest.raises(EvidenceRefused):
        unpack(EVIDENCE[kind])


def test_evidence_of_as_much_as_is_allowed_is_read():
    shape = [1] * 16
    reported = {"a": {"type_name": "torch.Tensor", "tensor": {"tensor": "x"}}}
    back = unpack(evidence({"x": one_number(shape)}, b"\0" * 4, reported))
    assert back.outcomes["a"].tensor.shape == torch.Size(shape)


def test_no_text_of_evidence_acts_on_a_terminal():
    error = {"type": "\x1b]0;mine\x07Error", "message": "a\nb\x1b[2J\u202e"}
    back = unpack(evidence({}, outcomes={"a": {"error": error}}))
    assert back.outcomes["a"].error.type == "\ufffd]0;mine\ufffdError"
    assert back.outcomes["a"].error.message == "a\nb\ufffd[2J\ufffd"


MAGICS = {
    "490 commands": "!x\n" * 490,
    "12,000 commands": "!x\n" * 12_000,
    "an assignment to all": "a, " * 12_000 + "= !x",
    "continued for ever": "!x\n" + "!a \\\n" * 9_000,
    "cells in a cell": "%%time\n" * 7_000,
    "questions": "x?\n" * 12_000,
    "percents": "!x\n" + "%" * 40_000,
    "spaces": "!x\n" + " " * 40_000,
    "open brackets": "!x\n" + "(" * 40_000,
    "equals": "!x\n" + "=" * 40_000,
}


@pytest.mark.parametrize("kind", MAGICS)
def test_a_cell_with_magics_is_read_without_ipythons_transformer(kind, monkeypatch):
    import IPython.core.inputtransformer2 as theirs

    monkeypatch.setattr(theirs.TransformerManager, "transform_cell", lambda *_: pytest.fail("it ran"))
    source = MAGICS[kind]
    parsed(source), names_of(source), changed_in(source), hiding([source])


def test_many_cells_that_are_dear_to_read_cost_their_own_submission_alone():
    cells = [new_code_cell("!x\n" * 13_000 + str(n)) for n in range(25)]
    with pytest.raises(LimitReached, match="processor"):
        reader_processes.run_limited(
            ResourceLimits(processor_seconds=1), only_needed, new_notebook(cells=cells)
        )
    assert reader_processes.run_limited(READING, abs, -1) == 1


STAMPS = {
    "thirty nines": b"9" * 30,
    "in UTF-16": "2026-01-01 10:00:00 UTC".encode("utf-16"),
    "with a mark": "\ufeff2026-01-01 10:00:00 UTC".encode(),
    "50 MB": b"2026-01-01 10:00:00 UTC" + b" " * 50_000_000,
    "no text": bytes(range(256)),
    "nothing": b"",
    "a year beyond": b"99999-01-01 10:00:00",
    "a zone beyond": b"2026-01-01 10:00:00 +99:99",
    "infinity": b"inf",
    "digits of another script": "२०२६-०१-०१".encode(),
    "commas": b"," * 200,
    "a letter": b"T",
}


@pytest.mark.parametrize("kind", STAMPS)
def test_a_time_beside_a_notebook_is_read_or_is_none(tmp_path, kind):
    path = tmp_path / "timestamp.txt"
    path.write_bytes(STAMPS[kind])
    actual = moment(beside(path))
    output = "in UTF-16", "with a mark", "50 MB", "a zone beyond", "digits of another script"
    assert (actual is not None) == (kind in output)


def test_what_lies_beside_is_no_more_than_its_first_bytes(tmp_path):
    hole = tmp_path / "submission_secret.txt"
    with hole.open("wb") as file:
        file.write(b"word")
        file.truncate(2_000_000_000)
    assert beside(hole) == "word"
    os.mkfifo(tmp_path / "pipe")
    assert beside(tmp_path / "pipe") == beside(tmp_path) == beside(tmp_path / "gone") == ""
    (tmp_path / "link").symlink_to(hole)
    assert beside(tmp_path / "link") == ""


DEAR = {
    "500 parts": "def f(a):\n    return " + "0+" * 500 + "a.sum()",
    "brackets": "x = " + "(" * 5_000,
    "minus": "x = " + "-" * 5_000 + "1",
    "lambdas": "x = " + "lambda: " * 1_200 + "1",
    "attributes": "x = a" + ".b" * 4_000,
    "calls": "x = a" + "()" * 4_000,
    "subscripts": "x = a" + "[0]" * 3_000,
    "blocks": "\n".join(" " * n + "if x:" for n in range(90)) + "\n" + " " * 90 + "pass",
    "strings in strings": 'x = f"' + "{a}" * 3_000 + '"',
    "an invalid escape": r"x = '\d'",
    "a null": "x = 1\x00",
    "surrogates": "x = '\ud800'",
    "much": "x = 1\n" * 6_000,
}


@pytest.mark.parametrize("kind", DEAR)
def test_an_answer_that_is_dear_to_read_ends_neither_report_nor_hint_of_hiding(kind):
    without_names(DEAR[kind])
    hiding([DEAR[kind]])
    names_of(DEAR[kind])


def test_what_cells_put_out_is_bounded_in_all():
    lists = new_output("display_data", data={"application/json": [[]] * 9_000})
    cells = [
        new_code_cell("", outputs=[new_output("stream", text="x" * 100_000) for _ in range(100)]),
        new_code_cell(
            "", outputs=[new_output("error", ename="\x1b[31mE", evalue="y", traceback=["z"] * 9_000)]
        ),
        new_code_cell("", outputs=[deepcopy(lists) for _ in range(9)]),
    ]
    notebook = new_notebook(cells=cells)
    bound_outputs(notebook)
    text = json.dumps(notebook)
    assert len(text) < 5_000_000
    assert text.count("[") < 50_000
    assert notebook.cells[1].outputs[0].ename == "\ufffd[31mE"


NOTEBOOKS = {
    "deep JSON": b'{"cells": ' + b"[" * 90_000,
    "deep and closed": b'{"cells": [' + b"[" * 40_000 + b"]" * 40_000 + b"]}",
    "a cell that is deep": json.dumps({"cells": []}).encode()[:-2] + b'{"source": ' * 30_000,
    "many parts": json.dumps({"cells": [{}] * 99_000}).encode(),
    "commas": b'{"cells": [' + b"0," * 5_000_000 + b"0]}",
    "one text": json.dumps({"cells": [{"cell_type": "code", "source": "x" * 15_000_000}]}).encode(),
    "many keys": json.dumps({"cells": [], **{str(n): n for n in range(400_000)}}).encode(),
    "an old one": json.dumps({"worksheets": [{"cells": [{}] * 30_000}], "nbformat": 3}).encode(),
    "a number": b'{"cells": [1' + b"0" * 1_000_000 + b"]}",
    "NaN": b'{"cells": [NaN, Infinity, -Infinity]}',
    "UTF-32": '{"cells": []}'.encode("utf-32"),
    "half a letter": b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}',
}


@pytest.mark.parametrize("kind", NOTEBOOKS)
def test_a_notebook_of_any_form_is_read_within_limits(kind):
    release = new_notebook(cells=[new_code_cell("x = ...", id="a")])
    assert reader_processes.run_limited(READING, _rebuilt, release, NOTEBOOKS[kind])
    assert reader_processes.run_limited(READING, abs, -1) == 1


def _rebuilt(release, content):
    return len(rebuild(release, read_text(content)).notebook.cells)
