"""What counts as an output: what nbformat's schema says, and nothing that breaks whoever writes it."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest

from autograder.sandbox.execute import _output

STREAM = {"output_type": "stream", "name": "stdout", "text": "x"}
ERROR = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["a", "b"]}
SHOWN = {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {}}
RESULT = {**SHOWN, "output_type": "execute_result", "execution_count": 3}
WIDGET = {"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "application/json": [1]}


def without(output: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in output.items() if key != name}


OUTPUTS: list[Any] = [
    *(STREAM, ERROR, SHOWN, RESULT),
    *({**one, "more": 1} for one in (STREAM, ERROR, SHOWN, RESULT)),
    *(without(one, name) for one in (STREAM, ERROR, SHOWN, RESULT) for name in one),
    {**STREAM, "name": 3},
    {**STREAM, "text": None},
    {**ERROR, "ename": None},
    {**ERROR, "traceback": "a"},
    {**ERROR, "traceback": [1]},
    {**SHOWN, "data": WIDGET},
    {**SHOWN, "data": {"text/plain": {"a": 1}}},
    {**SHOWN, "data": {"application/jsonp": {}}},
    {**SHOWN, "data": {"image/x+json": {}}},
    {**SHOWN, "data": []},
    {**SHOWN, "metadata": None},
    {**SHOWN, "metadata": {"image/png": {"width": 3}}},
    {**RESULT, "execution_count": None},
    {**RESULT, "execution_count": -1},
    {**RESULT, "execution_count": "1"},
    {**RESULT, "execution_count": 1.5},
    {**RESULT, "execution_count": True},
    {"output_type": "pyout"},
    {"output_type": ["stream"]},
    {},
    [],
    "text",
    None,
]


@pytest.mark.parametrize("said", OUTPUTS, ids=str)
def test_an_output_is_what_the_schema_says_it_is(said):
    try:
        nbformat.validate(nbformat.from_dict(said), ref=said["output_type"], version=4)
        valid = True
    except Exception:
        valid = False
    assert (_output(said) is not None) == valid


def test_an_output_that_json_holds_and_no_file_can_is_mended():
    assert _output({**STREAM, "text": "a\ud800b"}).text == "a?b"


def test_text_in_pieces_is_not_what_the_sandbox_sends():
    assert _output({**STREAM, "text": ["a", "b"]}) is None
