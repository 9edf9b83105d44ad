"""What a processor rounds is no change, what an author writes is one: of banks and executed solutions."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from autograder.author import pipeline
from autograder.author.artifact_diff import same_bank, same_solution
from autograder.author.lesson_source import read_lesson
from autograder.author.nbgrader_generate import write_notebook
from autograder.records import bank, serialization
from autograder.records.javascript_modules import MODULE_MIME
from nbformat.v4 import new_code_cell, new_notebook, new_output

NAME = "01-tiny"


@pytest.fixture
def result(course_with):
    return pipeline.current_bank(read_lesson(course_with(), NAME))


def table_of(result):
    return result.tasks["share"].explanations


def with_table(result, table):
    return replace(
        result, tasks={**result.tasks, "share": replace(result.tasks["share"], explanations=table)}
    )


def rounded_otherwise(result):
    """The bank with the last digit of each number moved, as far as another processor may move it."""
    plain, tensors = serialization.encode(result)
    for key, tensor in tensors.items():
        if tensor.is_floating_point():
            tensors[key] = tensor * (
                1 + 2e-7 * torch.arange(1, tensor.numel() + 1).cos().reshape(tensor.shape)
            )
    return serialization.decode(bank.LessonBank, plain, tensors)


def in_another_order(result):
    table = table_of(result)
    sights = {name: getattr(table, name).flip(0) for name in ("kind", "mark", "numbers")}
    return with_table(result, replace(table, cells=len(table.kind) - 1 - table.cells, **sights))


def with_a_row_twice(result):
    table = table_of(result)
    twice = {
        name: torch.cat((getattr(table, name), getattr(table, name)[:1])) for name in ("members", "cells")
    }
    return with_table(result, replace(table, **twice))


def without_the_last_row(result):
    table = table_of(result)
    return with_table(result, replace(table, members=table.members[:-1], cells=table.cells[:-1]))


def with_other_numbers(result):
    table = table_of(result)
    return with_table(result, replace(table, numbers=table.numbers * 1.0005))


def with_other_members(result):
    table = table_of(result)
    return with_table(result, replace(table, members=table.members.where(table.members != 0, 1)))


def with_other_kinds(result):
    table = table_of(result)
    return with_table(result, replace(table, kinds=tuple((f"{kind}!", place) for kind, place in table.kinds)))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (rounded_otherwise, True),
        (in_another_order, True),
        (with_a_row_twice, True),
        (without_the_last_row, False),
        (with_other_numbers, False),
        (with_other_members, False),
        (with_other_kinds, False),
    ],
)
def test_a_bank_is_the_same_where_only_rounding_differs(result, tmp_path, change, expected):
    changed = change(result)
    assert bank.files(changed) != bank.files(result)
    bank.save(result, tmp_path / "kept")
    bank.save(changed, tmp_path / "fresh")
    assert same_bank(tmp_path / "fresh", tmp_path / "kept", NAME) is expected


def printed(text):
    return new_output("stream", name="stdout", text=text)


def drawn(pixels, text="a map"):
    return new_output("display_data", data={"image/png": pixels, "text/plain": text})


def inline(drawing, alt="a map"):
    html = f'<img src="data:image/svg+xml,{drawing}" alt="{alt}">'
    return new_output("display_data", data={"text/html": html})


def live(module, score):
    model = f'{{"shows": {{"scores": [{score}]}}}}'
    return new_output("display_data", data={MODULE_MIME: {"module": module, "model": model}})


@pytest.mark.parametrize(
    ("saved", "fresh", "tags", "expected"),
    [
        (printed("error 0.4522"), printed("error 0.4522"), [], True),
        (printed("error 0.4522"), printed("error 0.4523"), [], False),
        (printed("error 0.4522"), printed("error 0.4523"), ["measured"], True),
        (drawn("AAAA"), drawn("BBBB"), [], True),
        (drawn("AAAA"), drawn("BBBB", "another map"), [], False),
        (inline("%3Cpath d='M0.1 0'/%3E"), inline("%3Cpath d='M0.2 0'/%3E"), [], True),
        (inline("%3Cpath d='M0.1 0'/%3E"), inline("%3Cpath d='M0.1 0'/%3E", "another map"), [], False),
        (live("map.js", 0.2379), live("map.js", 0.2378), [], True),
        (live("map.js", 0.2379), live("bars.js", 0.2379), [], False),
    ],
)
def test_a_solution_is_the_same_where_it_prints_the_same(tmp_path, saved, fresh, tags, expected):
    for name, output in (("kept", saved), ("fresh", fresh)):
        cell = new_code_cell("", id="shown", outputs=[output], metadata={"tags": tags})
        write_notebook(new_notebook(cells=[cell]), tmp_path / name)
    assert same_solution(tmp_path / "fresh", tmp_path / "kept") is expected
