"""Which tests run: of families of like cases, each commit tries some."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from support import everywhere


@dataclass(eq=False)
class Item:
    """A test that pytest found."""

    nodeid: str
    get_closest_marker: object


def tried(monkeypatch, commit, keyword="", words=("tests",)):
    """The cases that are tried, of six that rotate by thirds and one that does not."""
    monkeypatch.setattr(everywhere, "_commit", lambda folder: commit)
    marker = SimpleNamespace(args=(1 / 3,))
    items = [Item(nodeid=f"test_x[{place}]", get_closest_marker=lambda name: marker) for place in range(6)]
    items.append(Item(nodeid="test_y", get_closest_marker=lambda name: None))
    config = SimpleNamespace(
        option=SimpleNamespace(keyword=keyword),
        args=words,
        rootpath=None,
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
    )
    everywhere.leave_out_like_cases(items, config)
    return [item.nodeid for item in items]


def test_each_commit_tries_another_part_of_like_cases(monkeypatch):
    monkeypatch.delenv("TESTS", raising=False)
    parts = [tried(monkeypatch, commit) for commit in ("00000a", "00000b", "00000c")]
    assert [len(part) for part in parts] == [3, 3, 3]
    assert {one for part in parts for one in part} == {*(f"test_x[{place}]" for place in range(6)), "test_y"}


@pytest.mark.parametrize(
    ("commit", "keyword", "words", "everything"),
    [
        ("", "", ("tests",), ""),
        ("a", "mask", ("tests",), ""),
        ("a", "", ("tests/test_x.py",), ""),
        ("a", "", ("tests",), "all"),
    ],
    ids=["outside of git", "a keyword", "a file", "told to"],
)
def test_all_cases_are_tried(monkeypatch, commit, keyword, words, everything):
    monkeypatch.setenv("TESTS", everything)
    assert len(tried(monkeypatch, commit, keyword, words)) == 7
