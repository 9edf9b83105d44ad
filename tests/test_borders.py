"""The tool beside this course knows nothing of it, and its tests need nothing of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "autograder"
KINDS = (".py", ".j2", ".js", ".css", ".html", ".md", ".toml")
# Words of attention, but for names of torch's and IPython's own parts.
# Softmax, masks, tokens and causal results belong to other courses on torch as well.
ATTENTION = (
    r"(?<!flex_)attention|\battend|(?<!ast_)transformers?\b|\bheads\b|head_dim|num_heads|context_length"
)
TAUGHT = re.compile(
    rf"(?:{ATTENTION})|embedding|d_model|\bqkv|\bW_[qkv]|(?<!search )\bquer(y|ies)\b", re.IGNORECASE
)
IMPORTED = re.compile(r"^\s*(from|import) (visuals|source|tests)\b", re.MULTILINE)


def found(forbidden: re.Pattern[str], files: list[Path]) -> dict[Path, str]:
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    assert len(texts) > 50
    return {path: match[0] for path, text in texts.items() if (match := forbidden.search(text))}


def files(tests: bool) -> list[Path]:
    """The tool's files, its tests apart."""
    there = [path for path in TOOL.rglob("*.*") if path.suffix in KINDS]
    return [path for path in there if path.is_relative_to(TOOL / "tests") is tests]


def test_the_tool_says_nothing_of_what_a_course_teaches():
    assert found(TAUGHT, files(tests=False)) == {}


@pytest.mark.parametrize("tests", [False, True])
def test_the_tool_and_its_tests_import_nothing_of_a_course(tests):
    assert found(IMPORTED, files(tests)) == {}
