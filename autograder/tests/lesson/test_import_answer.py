"""An answer to an earlier lesson, brought over into a later one."""

from __future__ import annotations

import gettext
from pathlib import Path

import nbformat
import pytest
from autograder.words import language
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from nbformat.v4 import new_code_cell, new_notebook

from autograder import bring_over


def share(x):
    """The course's own."""
    return x / x.sum()


@pytest.fixture
def beside(bank_folder, tmp_path, monkeypatch):
    """Writes cells, by id, into the earlier lesson's notebook; the later lesson runs in the next folder."""

    def write(**cells):
        notebook = new_notebook(
            cells=[new_code_cell(source, id=name.replace("_", "-")) for name, source in cells.items()]
        )
        (tmp_path / "01-tiny").mkdir()
        nbformat.write(notebook, tmp_path / "01-tiny" / "01-tiny.ipynb")

    (tmp_path / "02-later").mkdir()
    monkeypatch.chdir(tmp_path / "02-later")
    return write


def test_a_right_answer_is_used_with_the_functions_it_calls(beside, capsys):
    beside(
        helper="1 / 0\ndef total(x):\n    return x.sum()",
        share_answer="def share(x):\n    return x / total(x)",
    )
    own = bring_over("01-tiny", "share", share)
    assert own is not share
    assert own.__globals__["total"]
    assert capsys.readouterr().out == "Your own share from 01-tiny is used.\n"


def test_an_answer_uses_the_parts_that_it_is_given_in_place_of_its_own(beside):
    def total(x):
        return 2 * x.sum()

    beside(helper="def total(x):\n    return x.sum()", share_answer="def share(x):\n    return x / total(x)")
    assert bring_over("01-tiny", "share", share, total).__globals__["total"] is total


@pytest.mark.parametrize(
    "code", ["def share(x):\n    ...", "def share(x):\n    return x", "def share(x:", ""]
)
def test_for_an_answer_that_is_not_right_the_courses_stands_in_and_says_so(beside, capsys, code):
    beside(share_answer=code)
    assert bring_over("01-tiny", "share", share) is share
    assert "The course's own share is used: yours has 0 of 3 points." in capsys.readouterr().out


def test_without_the_earlier_notebook_the_courses_stands_in(beside, capsys):
    assert bring_over("01-tiny", "share", share) is share
    assert "there is no notebook 01-tiny beside this one" in capsys.readouterr().out


def test_whose_answer_is_used_is_said_in_the_language(beside, bank_folder, monkeypatch, capsys):
    described = (bank_folder / "course.toml").read_text()
    (bank_folder / "course.toml").write_text('languages = ["en", "bn"]\n' + described)
    (bank_folder / "bn").mkdir()
    catalog = Catalog(locale="bn")
    catalog.add("Your own {name} from {lesson} is used.", "{lesson} থেকে তোমার নিজের {name}।")
    with (bank_folder / "bn" / "messages.mo").open("wb") as file:
        write_mo(file, catalog)
    monkeypatch.setenv(language.LANGUAGE, "bn")
    beside(share_answer="def share(x):\n    return x / x.sum()")
    bring_over("01-tiny", "share", share)
    language.use(gettext.NullTranslations())
    assert capsys.readouterr().out == "01-tiny থেকে তোমার নিজের share।\n"


def test_nothing_of_the_earlier_notebook_is_done_but_defining(beside):
    beside(share_answer="def share(x):\n    return x / x.sum()\nopen('made', 'w').close()")
    assert bring_over("01-tiny", "share", share) is not share
    assert not Path("made").exists()


def test_what_was_written_in_an_earlier_bundle_is_found_from_a_later_one(bank_folder, tmp_path, monkeypatch):
    right, stub = "def share(x):\n    return x / x.sum()", "def share(x):\n    ..."
    others = right.replace("sum", "max")
    for bundle, name, code in (("first", "tiny", right), ("second", "tiny", stub), ("last", "other", others)):
        folder = tmp_path / bundle / "notebooks" / "01-tiny"
        folder.mkdir(parents=True)
        (tmp_path / bundle / "course.toml").write_text(f'name = "{name}"\n')
        nbformat.write(new_notebook(cells=[new_code_cell(code, id="share-answer")]), folder / "01-tiny.ipynb")
    (tmp_path / "second" / "notebooks" / "02-later").mkdir()
    monkeypatch.chdir(tmp_path / "second" / "notebooks" / "02-later")
    assert bring_over("01-tiny", "share", share) is not share
    (tmp_path / "first" / "course.toml").write_text('name = "other"\n')
    assert bring_over("01-tiny", "share", share) is share
