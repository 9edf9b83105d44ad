"""A course: what its `course.toml` says, where it is found, and that nobody else's is taken for it."""

from __future__ import annotations

import os
import shutil
from gettext import NullTranslations
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from autograder.probe.forbidden_calls import family_of
from autograder.records import bank, course
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course
from autograder.words.language import LANGUAGE, use

from autograder import check, hint, predict, progress

DESCRIBED = 'name = "tiny"\ntitle = "Tiny"\nlessons = ["01-tiny"]\nbank = "answers"\n'


def made(folder: Path, text: str = DESCRIBED) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_course_is_what_its_file_says(tmp_path):
    actual = Course.read(made(tmp_path, DESCRIBED + 'preload = ["pictures"]\nlanguages = ["fr", "en"]\n'))
    assert (actual.root, actual.bank, actual.source) == (tmp_path, tmp_path / "answers", tmp_path / "source")
    assert (actual.name, actual.title, actual.lessons) == ("tiny", "Tiny", ("01-tiny",))
    assert (actual.preload, actual.languages) == (("pictures",), ("fr", "en"))


def test_a_course_says_what_its_notebooks_carry(tmp_path):
    marks = "[notebook.colab]\ngenerative_ai_disabled = true\n"
    assert Course.read(made(tmp_path, DESCRIBED + marks)).notebook == {
        "colab": {"generative_ai_disabled": True}
    }
    assert Course.read(made(tmp_path / "without")).notebook == {}


def test_what_a_course_forbids_goes_by_its_own_names_and_is_noticed_at_all_of_them(tmp_path):
    text = (
        DESCRIBED
        + """
[forbidden.wave]
instead = "the waves"
names = ['sin', 'cos']
[forbidden.fold]
instead = "the fold"
names = ['\\w*conv\\w*']
also = ["wave"]
"""
    )
    wave, fold = Course.read(made(tmp_path, text)).forbidden
    assert (wave.name, fold.name, fold.instead) == ("wave", "fold", "the fold")
    assert [family_of(name, (wave,)) for name in ("cos", "conv1d")] == ["wave", ""]
    assert [family_of(name, (fold,)) for name in ("cos", "conv1d", "conv_backward")] == ["fold", "fold", ""]
    assert all(family.operators.fullmatch("conv1d") for family in (wave, fold))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = "tiny"\n', "", "`name` is missing"),
        ('"tiny"', '"../tiny"', "`../tiny`: a name is lower-case words joined by hyphens"),
        ('["01-tiny"]', '"01-tiny"', "`lessons`: '01-tiny' is no list"),
        ('"01-tiny"', '"01 tiny"', "`01 tiny`: a name is lower-case words joined by hyphens"),
        ("bank =", "banc =", "`banc` means nothing here"),
        ("bank =", "bank", "cannot be read"),
        ("bank =", "forbidden = {fold = 1}\nbank =", "`forbidden`: `fold`: 1 is no table"),
    ],
)
def test_what_is_wrong_with_a_course_file_is_named(tmp_path, old, new, problem):
    with pytest.raises(AuthoringError) as caught:
        Course.read(made(tmp_path, DESCRIBED.replace(old, new, 1)))
    assert problem in str(caught.value)
    assert "course.toml" in str(caught.value)


def test_a_course_is_found_from_any_folder_inside_it(tmp_path, monkeypatch):
    inside = made(tmp_path) / "notebooks" / "01-tiny"
    inside.mkdir(parents=True)
    (tmp_path / "answers").mkdir()
    monkeypatch.chdir(inside)
    assert Course.find().root == tmp_path


def test_a_notebook_that_went_elsewhere_still_finds_its_course(tmp_path, monkeypatch):
    notebook = made(tmp_path / "course") / "01-tiny.ipynb"
    (notebook.parent / "answers").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JPY_SESSION_NAME", str(notebook))
    assert Course.find().root == tmp_path / "course"


@pytest.fixture
def packages(tmp_path, monkeypatch) -> Path:
    """Two installed courses, `one` and `two`, and a working folder that is in none."""
    folder = tmp_path / "packages"
    entries = []
    for name in ("one", "two"):
        made(folder / f"{name}_course", DESCRIBED.replace("tiny", name, 1))
        entries.append(EntryPoint(name, f"{name}_course", course.GROUP))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(course, "entry_points", lambda group: entries)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return folder


def test_an_installed_course_counts_where_a_notebook_or_its_folder_names_it(packages, monkeypatch):
    made(Path.cwd(), DESCRIBED.replace("tiny", "two", 1))
    assert Course.find().bank == packages / "two_course"
    monkeypatch.setenv(course.NAMED, "one")
    assert Course.find().bank == packages / "one_course"


@pytest.mark.parametrize(
    ("named", "language", "sentence"),
    [
        ("", "", "This notebook belongs to no course: open it in the folder"),
        ("three", "", "The checks of the course `three` are not installed here: run this notebook's first"),
        ("", "hi_Latn", "Yeh notebook kisi course ka nahi hai"),
    ],
)
def test_without_its_course_a_notebook_says_what_to_do(packages, monkeypatch, named, language, sentence):
    monkeypatch.setenv(course.NAMED, named)
    monkeypatch.setenv(LANGUAGE, language)
    for output in (check("share"), hint("share"), progress(), predict("sign", "Which sign?")):
        assert sentence.replace("`", "") in repr(output).replace("`", "")
    use(NullTranslations())


def test_of_a_checkout_that_is_itself_installed_its_own_file_counts(tmp_path, monkeypatch):
    made(tmp_path / "checkout")
    (tmp_path / "checkout" / "package").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "checkout")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(course.NAMED, "tiny")
    entry = EntryPoint("tiny", "package:answers", course.GROUP)
    monkeypatch.setattr(course, "entry_points", lambda group: [entry])
    assert Course.find().bank == tmp_path / "checkout" / "answers"


def test_two_courses_with_the_same_lesson_and_task_do_not_meet(bank_folder, lesson, tmp_path, monkeypatch):
    other = tmp_path / "other"
    shutil.copytree(bank_folder, other)
    for path, old, new in (
        ("01-tiny.json", "Shares of a whole", "Another task"),
        ("course.toml", "tiny", "two"),
    ):
        (other / path).write_text((other / path).read_text().replace(old, new, 1))
    right = lambda x: x / x.sum()  # noqa: E731
    assert "Shares of a whole" in repr(check("share", right))
    monkeypatch.setenv(course.PACKED, str(other))
    assert "Another task" in repr(check("share", right))


def test_a_bank_that_was_rebuilt_is_seen_at_once(bank_folder):
    assert "Shares of a whole" in repr(check("share", lambda x: x / x.sum()))
    path = bank_folder / "01-tiny.json"
    fresh = path.with_name("fresh")
    fresh.write_text(path.read_text().replace("Shares of a whole", "Shares"), encoding="utf-8")
    os.replace(fresh, path)
    assert "Shares of a whole" not in repr(check("share", lambda x: x / x.sum()))
    assert bank.load("01-tiny", bank_folder) is bank.load("01-tiny", bank_folder)
