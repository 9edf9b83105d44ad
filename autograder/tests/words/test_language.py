"""The language a learner is spoken to in: which it is, and what is said in it."""

from __future__ import annotations

import ast
import gettext
import pickle
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import Formatter

import pytest
from autograder.author import translate
from autograder.words import language
from autograder.words.language import LazyMessage, _, ngettext, speaking, translated
from babel.messages import Catalog
from babel.messages.mofile import write_mo

import autograder

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
    catalog.add(("{number} point", "{number} points"), ("{number} পয়েন্ট", "{number} পয়েন্টগুলো"))
    catalog.add("The sum", "যোগফল", context="share")
    catalog.add("solved", "নিজের শব্দ")
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
    root = tmp_path / folder
    root.mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv(language.LANGUAGE, asked)
    monkeypatch.setenv("JPY_SESSION_NAME", session)
    assert language.speak(bank, ("en", "bn")) == spoken


def test_what_has_a_translation_is_said_in_it_and_all_else_in_english(bank, monkeypatch):
    monkeypatch.setenv(language.LANGUAGE, "bn")
    language.speak(bank, ("en", "bn"))
    assert _("`{name}` is None.", name="x") == "`x` হলো None।"
    assert _("`{name}` is a list.", name="x") == "`x` is a list."
    assert ngettext("{number} point", "{number} points", 1) == "1 পয়েন্ট"
    assert ngettext("{number} point", "{number} points", 3) == "3 পয়েন্টগুলো"
    assert translated("share", "The sum") == "যোগফল"
    assert translated("other", "The sum") == "The sum"


def test_the_tools_own_translations_come_with_it_and_a_course_may_choose_others(bank):
    with speaking(bank, "bn"):
        assert _("right") == "ঠিক"
        assert _("solved") == "নিজের শব্দ"


def test_a_language_is_spoken_for_a_while_and_in_one_thread_alone(bank):
    with ThreadPoolExecutor(1) as other, speaking(bank, "bn"):
        assert translated("share", "The sum") == "যোগফল"
        assert other.submit(translated, "share", "The sum").result() == "The sum"
    assert translated("share", "The sum") == "The sum"


def test_a_note_is_english_for_who_grades_and_is_said_to_a_student_in_their_language(bank):
    note = LazyMessage("it stopped: {why}", why=LazyMessage("`{name}` is None.", name="x"))
    assert note == "it stopped: `x` is None."
    with speaking(bank, "bn"):
        assert note == "it stopped: `x` is None."
        assert _(pickle.loads(pickle.dumps(note))) == "it stopped: `x` হলো None।"


@pytest.mark.parametrize(
    ("number", "in_english", "in_bengali"),
    [
        (0, "0 points", "0 পয়েন্টগুলো"),
        (1, "1 point", "1 পয়েন্ট"),
        (1.0, "1 point", "1 পয়েন্ট"),
        (0.5, "0.5 points", "0.5 পয়েন্টগুলো"),
        (2.0, "2 points", "2 পয়েন্টগুলো"),
        (2_000_000, "2000000 points", "2000000 পয়েন্টগুলো"),
    ],
)
def test_a_number_of_things_is_told_in_the_form_that_it_asks_for(bank, number, in_english, in_bengali):
    note = LazyMessage("{number} point", "{number} points", number=number)
    assert note == ngettext("{number} point", "{number} points", number) == in_english
    with speaking(bank, "bn"):
        assert _(note) == ngettext("{number} point", "{number} points", number) == in_bengali


def test_a_language_whose_file_is_missing_or_damaged_is_english(tmp_path, monkeypatch):
    monkeypatch.setenv(language.LANGUAGE, "bn")
    language.speak(tmp_path, ("en", "bn"))
    assert translated("share", "The sum") == "The sum"
    (tmp_path / "bn").mkdir()
    (tmp_path / "bn" / "01-tiny.mo").write_bytes(b"no catalog")
    language.speak(tmp_path, ("en", "bn"))
    assert translated("share", "The sum") == "The sum"


# Messages and what fills them in

MODULES = {
    path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}
TEXTS = {"_": 1, "LazyMessage": 2, "ngettext": 2, "N_": None}
# What `about` fills in of itself, and `wording` beside what an experiment says of a case.
ABOUT = {"answer", "kind", "where", "place"}
NUMBERS = {"obtained", "expected"}


def calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Yield the calls of some plain names inside a piece of code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


def texts(call: ast.Call) -> list[str]:
    """Return what a call says, as far as it stands there."""
    given = call.args[: TEXTS[ast.unparse(call.func)]]
    return [item.value for item in given if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def placeholders(output: Iterable[str]) -> set[str]:
    """Return what some texts leave open, as it stands between braces."""
    return {field for text in output for _, field, _, _ in Formatter().parse(text) if field is not None}


def named(call: ast.Call) -> set[str]:
    return {item.arg for item in call.keywords if item.arg}


def test_each_placeholder_of_a_message_has_a_value_and_each_value_a_placeholder():
    for call in (item for tree in MODULES.values() for item in calls(tree, "_", "ngettext", "LazyMessage")):
        if texts(call):
            number = {"number"} if len(texts(call)) == 2 else set()
            assert placeholders(texts(call)) | number == named(call) | number, texts(call)


@pytest.mark.parametrize("file", [file for file, tree in MODULES.items() if any(calls(tree, "N_"))])
def test_each_placeholder_of_a_table_of_messages_has_a_value(file):
    tree = MODULES[file]
    tables = {
        ast.unparse(target): node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    output = set()
    for call in calls(tree, "tell", "about"):
        of_tables = [
            tables[name.id] for name in ast.walk(call) if isinstance(name, ast.Name) and name.id in tables
        ]
        reported = {text for part in (call, *of_tables) for item in calls(part, "N_") for text in texts(item)}
        reference = ABOUT if ast.unparse(call.func) == "about" else set()
        if reported:
            assert placeholders(reported) - reference == named(call) - reference - {"code"}, reported
        output |= reported
    # What stands in other tables is filled in where it is said, or with what an experiment's `_case` returns.
    rest = {text for item in calls(tree, "N_") for text in texts(item)} - output
    given = {name for item in calls(tree, "_", "LazyMessage") if not texts(item) for name in named(item)}
    keys = {key.value for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys
            if isinstance(key, ast.Constant) and isinstance(key.value, str)}  # fmt: skip
    assert placeholders(rest) <= ABOUT | NUMBERS | given | keys


def test_all_that_is_said_is_gathered_for_translators():
    output = {
        (file, text)
        for file, tree in MODULES.items()
        if not file.startswith("command/")
        for call in calls(tree, *TEXTS)
        for text in texts(call)
    }
    gathered = {
        (entry.what, text)
        for entry in translate._of_package(PACKAGE)
        for text in ([entry.text] if isinstance(entry.text, str) else entry.text)
    }
    assert {item for item in gathered if item[0].endswith(".py")} == output
