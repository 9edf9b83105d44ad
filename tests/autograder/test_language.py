"""The language a learner is spoken to in: which it is, and what is said in it."""

from __future__ import annotations

import ast
import gettext
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import Formatter

import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo

import autograder
from autograder import language
from autograder.language import Note, _, ngettext, speaking, translated

PACKAGE = Path(autograder.__file__).parent


@pytest.fixture(autouse=True)
def english_again(monkeypatch):
    monkeypatch.delenv(language.LANGUAGE, raising=False)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    yield
    language._spoken = gettext.NullTranslations()


@pytest.fixture
def bank(tmp_path):
    """A bank's folder with a few words of Bengali."""
    catalog = Catalog(locale="bn")
    catalog.add("`{name}` is None.", "`{name}` হলো None।")
    catalog.add(("{count} point", "{count} points"), ("{count} পয়েন্ট", "{count} পয়েন্টগুলো"))
    catalog.add("The sum", "যোগফল", context="share")
    (tmp_path / "bn").mkdir()
    with (tmp_path / "bn" / "01-tiny.mo").open("wb") as file:
        write_mo(file, catalog)
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "session", "folder", "spoken"),
    [
        ("", "", "notebooks/01-tiny", "en"),
        ("", "", "notebooks/bn/01-tiny", "bn"),
        ("", "", "notebooks/bn", "bn"),
        ("", "", "notebooks/fr/01-tiny", "en"),
        ("bn", "", "notebooks/01-tiny", "bn"),
        ("en", "", "notebooks/bn/01-tiny", "en"),
        ("fr", "", "notebooks/bn/01-tiny", "bn"),
        ("", "/home/notebooks/bn/01-tiny/01-tiny.ipynb", "elsewhere", "bn"),
        ("", "", "bn/course/notebooks/01-tiny", "en"),
    ],
)
def test_the_language_is_the_one_asked_for_or_that_of_the_folder(
    asked, session, folder, spoken, bank, tmp_path, monkeypatch
):
    place = tmp_path / folder
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    monkeypatch.setenv(language.LANGUAGE, asked)
    monkeypatch.setenv("JPY_SESSION_NAME", session)
    assert language.speak(bank, ("en", "bn")) == spoken


def test_what_has_a_translation_is_said_in_it_and_all_else_in_english(bank, monkeypatch):
    monkeypatch.setenv(language.LANGUAGE, "bn")
    language.speak(bank, ("en", "bn"))
    assert _("`{name}` is None.", {"name": "x"}) == "`x` হলো None।"
    assert _("`{name}` is a list.", {"name": "x"}) == "`x` is a list."
    assert ngettext("{count} point", "{count} points", 1, {"count": 1}) == "1 পয়েন্ট"
    assert ngettext("{count} point", "{count} points", 3, {"count": 3}) == "3 পয়েন্টগুলো"
    assert translated("share", "The sum") == "যোগফল"
    assert translated("other", "The sum") == "The sum"


def test_a_language_is_spoken_for_a_while_and_in_one_thread_alone(bank):
    with ThreadPoolExecutor(1) as other, speaking(bank, "bn"):
        assert translated("share", "The sum") == "যোগফল"
        assert other.submit(translated, "share", "The sum").result() == "The sum"
    assert translated("share", "The sum") == "The sum"


def test_a_note_is_english_for_who_grades_and_is_said_to_a_student_in_their_language(bank):
    note = Note("it stopped: {why}", why=Note("`{name}` is None.", name="x"))
    assert note == "it stopped: `x` is None."
    with speaking(bank, "bn"):
        assert note == "it stopped: `x` is None."
        assert _(pickle.loads(pickle.dumps(note))) == "it stopped: `x` হলো None।"


def test_a_language_whose_file_is_missing_or_damaged_is_english(tmp_path, monkeypatch):
    monkeypatch.setenv(language.LANGUAGE, "bn")
    language.speak(tmp_path, ("en", "bn"))
    assert translated("share", "The sum") == "The sum"
    (tmp_path / "bn").mkdir()
    (tmp_path / "bn" / "01-tiny.mo").write_bytes(b"no catalog")
    language.speak(tmp_path, ("en", "bn"))
    assert translated("share", "The sum") == "The sum"


# What `about` always fills in, and what the words of an experiment get beside.
KNOWN = {"finding", "task", "kind", "where", "place", "obtained", "expected"}


def messages() -> Iterator[tuple[str, ast.Call, set[str]]]:
    """Every call that says something: its file, the call, and the names that it may fill in."""
    for path in PACKAGE.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        keys = {key.value for one in nodes if isinstance(one, ast.Dict) for key in one.keys if is_text(key)}
        given = {one.arg for one in nodes if isinstance(one, ast.keyword) and one.arg}
        for call in (one for one in nodes if isinstance(one, ast.Call)):
            name = ast.unparse(call.func)
            if name in ("tell", "about"):
                yield path.name, call, KNOWN | {one.arg for one in call.keywords}
            elif name == "N_":
                yield path.name, call, KNOWN | keys | given
        for function in (one for one in nodes if isinstance(one, ast.FunctionDef)):
            inside = list(ast.walk(function))
            bound = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            for call in (one for one in inside if isinstance(one, ast.Call)):
                if ast.unparse(call).endswith("locals())"):
                    yield path.name, call, bound | {arg.arg for arg in function.args.args}


def is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_what_a_message_fills_in_has_a_value():
    checked = 0
    for file, call, bound in messages():
        either = (part for arg in call.args for part in (arg, getattr(arg, "body", None)))
        for text in (part.value for part in either if is_text(part)):
            names = {
                field.partition(".")[0].partition("[")[0]
                for _t, field, *_ in Formatter().parse(text)
                if field
            }
            assert names <= bound, f"{file}: {text}"
            checked += 1
    assert checked > 250
