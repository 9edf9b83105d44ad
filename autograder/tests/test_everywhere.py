"""Which tests run: of those that take long or are much alike, each commit tries some."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from support import everywhere


@dataclass(eq=False)
class Item:
    """A test that pytest found."""

    nodeid: str
    markers: tuple = ()

    def iter_markers_with_node(self):
        return iter(self.markers)


def marked(nodeid, name, argument, on=""):
    """A test with a marker, which stands on it or on something that it is a part of."""
    return Item(nodeid, ((Item(on or nodeid), SimpleNamespace(name=name, args=(argument,))),))


def tried(monkeypatch, commit, keyword="", words=("tests",)):
    """The tests that are tried: of six that rotate by thirds, of seven slow files, and one that is always."""
    monkeypatch.setattr(everywhere, "_commit", lambda folder: commit)
    items = [marked(f"test_x[{place}]", "rotating", 1 / 3) for place in range(6)]
    items += [marked(f"j{part // 2}.py::{part}", "slow", 10 * part, f"j{part // 2}.py") for part in range(14)]
    items.append(Item("test_y"))
    config = SimpleNamespace(
        option=SimpleNamespace(keyword=keyword),
        args=words,
        rootpath=None,
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
    )
    everywhere.leave_out_some(items, config)
    return [item.nodeid for item in items]


def test_each_commit_tries_another_part(monkeypatch):
    monkeypatch.delenv("TESTS", raising=False)
    parts = [tried(monkeypatch, f"00000{number}") for number in range(everywhere.SLOW_ONE_IN)]
    assert {one for part in parts for one in part} == set(tried(monkeypatch, ""))
    assert all("test_y" in part for part in parts)
    assert {sum(one.startswith("test_x") for one in part) for part in parts} == {2}


def test_a_slow_file_stays_whole_and_each_commit_tries_as_long_ones(monkeypatch):
    monkeypatch.delenv("TESTS", raising=False)
    files = [
        [one.partition("::")[0] for one in tried(monkeypatch, f"00000{number}") if one.startswith("j")]
        for number in range(everywhere.SLOW_ONE_IN)
    ]
    assert all(part.count(name) == 2 for part in files for name in part)
    # The two shortest of seven are tried together, each of the others alone.
    alone = [[f"j{number}.py"] for number in range(2, 7)]
    assert sorted(sorted(set(part)) for part in files) == [["j0.py", "j1.py"], *alone]


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
    assert len(tried(monkeypatch, commit, keyword, words)) == 21
