"""A lesson is built again exactly where something that its build reads or writes has changed."""

import json
import shutil
import subprocess
import sys

import pytest
from autograder.author.build_record import RECORD, BuildRecord
from autograder.author.import_graph import Modules
from support.tiny_course import NAME

OTHER = "02-other"


@pytest.fixture
def course(course_with):
    """A course with a second lesson, as if it had been built."""
    course = course_with()
    described = course.root / "course.toml"
    lessons = described.read_text(encoding="utf-8").replace(f'"{NAME}"', f'"{NAME}", "{OTHER}"')
    described.write_text(f'languages = ["en", "bn"]\n{lessons}', encoding="utf-8")
    for folder in (f"notebooks/{NAME}/{NAME}.ipynb", f"source/{OTHER}/tasks.py", f"locale/bn/{OTHER}.po"):
        (course.root / folder).parent.mkdir(parents=True, exist_ok=True)
        (course.root / folder).write_text("as_it_was = 1", encoding="utf-8")
    course = type(course).read(course.root)
    BuildRecord(course, [NAME]).keep(
        NAME, {"bank/share": "1", "release": "2", "solution": "3", "solution/bn": "4"}
    )
    return course


def change(file, text="\nchanged = 1\n"):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as opened:
        opened.write(text)


def test_a_lesson_is_current_until_a_build_would_change_it(course):
    assert BuildRecord(course, [NAME, OTHER]).current == (NAME,)


@pytest.mark.parametrize(
    ("folder", "current"),
    [
        (f"source/{NAME}/tasks.py", ()),
        (f"source/{NAME}/picture.svg", ()),
        (f"locale/bn/{NAME}.po", ()),
        ("source/faults.py", ()),
        ("course.toml", ()),
        (f"notebooks/{NAME}/{NAME}.ipynb", ()),
        (f"solutions/bn/{NAME}/{NAME}.ipynb", ()),
        (f"answers/{NAME}.json", ()),
        (f"source/{OTHER}/tasks.py", (NAME,)),
        (f"locale/bn/{OTHER}.po", (NAME,)),
        (f"source/{NAME}/{NAME}.ipynb", (NAME,)),
        (f"solutions/{NAME}/.ipynb_checkpoints/{NAME}.ipynb", (NAME,)),
    ],
)
def test_a_change_counts_where_the_lesson_reads_or_writes_it(course, folder, current):
    change(course.root / folder)
    assert BuildRecord(course, [NAME]).current == current


@pytest.mark.parametrize("folder", [f"source/{NAME}/tasks.py", "source/faults.py"])
def test_a_comment_between_tasks_and_mistakes_changes_nothing(course, folder):
    change(course.root / folder, "\n\n# Nobody computes with this.\n")
    assert BuildRecord(course, [NAME]).current == (NAME,)


def test_a_line_of_a_lesson_is_its_text_and_no_comment(course):
    change(course.source / NAME / f"{NAME}.py", "\n\n# Learners read this.\n")
    assert BuildRecord(course, [NAME]).current == ()


@pytest.mark.parametrize(
    ("folder", "left"),
    [
        (f"answers/{NAME}.json", {"release", "solution", "solution/bn"}),
        (f"notebooks/{NAME}/{NAME}.ipynb", {"bank/share", "solution", "solution/bn"}),
        (f"solutions/{NAME}/{NAME}.ipynb", {"bank/share", "release", "solution/bn"}),
        (f"solutions/bn/{NAME}/{NAME}.ipynb", {"bank/share", "release", "solution"}),
        ("source/faults.py", {"bank/share", "release", "solution", "solution/bn"}),
    ],
)
def test_a_stage_whose_result_is_not_as_it_was_written_is_done_again(course, folder, left):
    change(course.root / folder)
    assert set(BuildRecord(course, [NAME]).stages(NAME)) == left


def test_a_copy_in_another_folder_is_current(course, tmp_path):
    shutil.copytree(course.root, tmp_path / "another folder")
    assert BuildRecord(type(course).read(tmp_path / "another folder"), [NAME]).current == (NAME,)


def recorded(course, version):
    """Have the record say that the lesson was built with another version of torch."""
    file = course.root / RECORD
    record = json.loads(file.read_text(encoding="utf-8"))
    assert "torch" in record[NAME]["uses"]
    assert "pytest" not in record[NAME]["uses"]
    record[NAME]["uses"]["torch"] = version
    file.write_text(json.dumps(record), encoding="utf-8")


def test_a_lesson_that_was_built_with_another_version_is_unchanged_but_not_current(course):
    recorded(course, "1.0")
    there = BuildRecord(course, [NAME, OTHER])
    assert (there.unchanged, there.current) == ((NAME,), ())


def test_what_changes_during_a_build_counts_as_not_built(course):
    before = BuildRecord(course, [NAME])
    change(course.source / NAME / "tasks.py")
    before.keep(NAME, {})
    assert BuildRecord(course, [NAME]).current == ()


def test_a_build_keeps_what_another_one_has_kept_in_the_meantime(course):
    first, second = BuildRecord(course, [NAME]), BuildRecord(course, [OTHER])
    second.keep(OTHER, {})
    first.keep(NAME, {})
    assert BuildRecord(course, [NAME, OTHER]).current == (NAME, OTHER)


@pytest.mark.parametrize("damaged", ["", "[]", "{", '{"01": 1}', '{"01-tiny": ["1", "2", "3"]}', "\\xff"])
def test_a_record_that_cannot_be_read_says_nothing(course, damaged):
    (course.root / RECORD).write_text(damaged, encoding="utf-8")
    assert BuildRecord(course, [NAME]).current == ()


def test_a_check_of_what_is_current_loads_nothing_that_takes_long(course):
    command = [sys.executable, "-X", "importtime", "-m", "autograder", "build", "--check", NAME]
    done = subprocess.run(
        [*command, "--course", str(course.root)], capture_output=True, text=True, timeout=300
    )
    assert done.stdout.strip() == "1 lesson up to date."
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "typer" in loaded
    assert loaded.isdisjoint({"torch", "numpy", "nbgrader", "nbformat", "jupytext"})


# What code counts as the same, and which code counts


INIT = '"""All."""\nfrom made.first import area\nfrom made.second import name\n__all__ = ["area", "name"]\n'
FIRST = '''\
"""First."""
import numpy
from made import third

def area(x):
    """The area."""
    return "#" + x
'''


@pytest.fixture
def package(tmp_path):
    """A package of three modules: it hands on a name of each of two, one of which imports the third."""
    folder = tmp_path / "made"
    folder.mkdir()
    second, third = "def name():\n    import torch\n    return 2\n", "WIDTH = 3  # so wide\n"
    texts = {"__init__": INIT, "first": FIRST, "second": second, "third": third}
    for module, text in texts.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    return folder


def digest(package, *imports):
    modules = Modules({"made": package})
    return modules.digest(modules.reached(imports)[0])


def test_a_name_that_a_package_hands_on_comes_with_the_modules_that_it_needs(package):
    modules = Modules({"made": package})
    assert modules.reached([("made", "area")]) == ({"made.first", "made.third"}, {"numpy"})
    assert modules.reached([("made", "name")]) == ({"made.second"}, {"torch"})
    everything = {"made", "made.first", "made.second", "made.third"}
    assert modules.reached([("made", "")]) == (everything, {"numpy", "torch"})


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("third", "  # so wide", "  # as wide as it was"),
        ("third", "WIDTH", "\n\n# One more line.\nWIDTH"),
        ("first", '"""The area."""', '"""The area of a rectangle.\n\n    Nothing else.\n    """'),
        ("first", '"""First."""\n', ""),
        ("second", "return 2", "return 3"),
        ("__init__", '["area", "name"]', '["name"]'),
    ],
)
def test_comments_docstrings_and_what_is_not_imported_count_for_nothing(package, module, old, new):
    before = digest(package, ("made", "area"))
    file = package / f"{module}.py"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert digest(package, ("made", "area")) == before


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        *(("third", "3", "4"), ("first", '"#"', '"#a"'), ("first", "numpy", "torch")),
        ("first", "made.first", "made.second"),
    ],
)
def test_code_counts_wherever_it_is_imported_from(package, module, old, new):
    before = digest(package, ("made", "area"))
    file = package / ("__init__.py" if "made." in old else f"{module}.py")
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert digest(package, ("made", "area")) != before


SAID = """from made.words import N_, _
WORDS = {"scale": (N_("The result is too large.", "Divide it"
    " by two — or four."), 1)}
def say(): return _("All"), "code"
"""


@pytest.mark.parametrize(
    ("old", "new", "same_without_texts"),
    [
        ("too large", "much too large", True),
        ("two — or four", "two", True),
        ('"All"', '"Both"', True),
        ('"scale"', '"factor"', False),
        ('"code"', '"no code"', False),
        ("), 1)}", "), 2)}", False),
    ],
)
def test_a_text_for_readers_counts_only_where_texts_do(package, old, new, same_without_texts):
    def digests(text):
        (package / "first.py").write_text(text, encoding="utf-8")
        modules = Modules({"made": package})
        return [modules.digest(["made.first"], with_texts) for with_texts in (True, False)]

    before, after = digests(SAID), digests(SAID.replace(old, new))
    assert (before[0] == after[0], before[1] == after[1]) == (False, same_without_texts)
