"""A lesson is built again exactly where something that its build reads or writes has changed."""

import pytest
from autograder.author import pipeline, stamps
from autograder.author.stamps import KEPT, Stamps
from autograder.command import app as cli
from support.tiny_course import NAME
from typer.testing import CliRunner

OTHER = "02-other"


@pytest.fixture
def course(course_with):
    """A course with a second lesson, as if it had been built."""
    course = course_with()
    described = course.root / "course.toml"
    lessons = described.read_text(encoding="utf-8")
    described.write_text(lessons.replace(f'"{NAME}"', f'"{NAME}", "{OTHER}"'), encoding="utf-8")
    for place in (f"notebooks/{NAME}/{NAME}.ipynb", f"source/{OTHER}/tasks.py", f"locale/bn/{OTHER}.po"):
        (course.root / place).parent.mkdir(parents=True, exist_ok=True)
        (course.root / place).write_text("as it was", encoding="utf-8")
    course = type(course).read(course.root)
    Stamps(course, [NAME]).keep([NAME])
    return course


def test_a_lesson_is_current_until_a_build_would_change_it(course):
    assert Stamps(course, [NAME, OTHER]).current == (NAME,)


@pytest.mark.parametrize(
    ("place", "current"),
    [
        (f"source/{NAME}/tasks.py", ()),
        (f"source/{NAME}/picture.svg", ()),
        (f"locale/bn/{NAME}.po", ()),
        ("source/faults.py", ()),
        ("course.toml", ()),
        (f"notebooks/{NAME}/{NAME}.ipynb", ()),
        (f"solutions/bn/{NAME}/{NAME}.ipynb", ()),
        ("bank", ()),
        (f"source/{OTHER}/tasks.py", (NAME,)),
        (f"locale/bn/{OTHER}.po", (NAME,)),
        (f"source/{NAME}/{NAME}.ipynb", (NAME,)),
        (f"solutions/{NAME}/.ipynb_checkpoints/{NAME}.ipynb", (NAME,)),
    ],
)
def test_a_change_counts_where_the_lesson_reads_or_writes_it(course, place, current):
    file = course.bank / f"{NAME}.json" if place == "bank" else course.root / place
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as text:
        text.write("\n# changed\n")
    assert Stamps(course, [NAME]).current == current


def test_a_lesson_that_was_built_with_other_packages_is_unchanged_but_not_current(course, monkeypatch):
    monkeypatch.setattr(stamps, "distributions", list)
    there = Stamps(course, [NAME, OTHER])
    assert (there.unchanged, there.current) == ((NAME,), ())


def test_what_changes_during_a_build_counts_as_not_built(course):
    before = Stamps(course, [NAME])
    (course.source / NAME / "tasks.py").write_text("changed", encoding="utf-8")
    before.keep([NAME])
    assert Stamps(course, [NAME]).current == ()


@pytest.mark.parametrize("damaged", ["", "[]", "{", '{"01": 1}', "\\xff"])
def test_stamps_that_cannot_be_read_say_nothing(course, damaged):
    (course.root / KEPT).write_text(damaged, encoding="utf-8")
    assert Stamps(course, [NAME]).current == ()


def test_a_check_looks_anew_only_at_what_a_stamp_does_not_hold_for(course, monkeypatch):
    seen = []
    monkeypatch.setattr(pipeline, "without_source", lambda course: [])
    monkeypatch.setattr(pipeline, "stale", lambda course, name: seen.append(name) or [])
    for words in (NAME, OTHER), (NAME, "--anew"):
        done = CliRunner().invoke(cli.app, ["build", "--check", *words, "--course", str(course.root)])
        assert done.exit_code == 0, done.output
    assert seen == [OTHER, NAME]
