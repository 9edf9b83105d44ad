"""What a student can read in an exam: its bundle is taken apart, and searched for all that answers it."""

import io
import re
import zipfile
from pathlib import Path

import pytest
from autograder.author.authoring import load_lesson
from autograder.author.parse_source import read_source
from autograder.classroom.exam_release import write_releases
from autograder.classroom.student_bundle import bundle
from autograder.records.course import Course

from tests.classes import ROOT, class_folder

COURSE = Course.read(ROOT)
LESSON_OF = COURSE.lesson_of()
LESSONS = sorted({LESSON_OF[task] for task in COURSE.exam})
SHORT = 24  # characters of code that says nothing by itself


def unpacked(name, content):
    """Every file of an archive, also of archives in it, with the name that it has there."""
    if name.endswith((".zip", ".whl")):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for inner in archive.namelist():
                yield from unpacked(f"{name}/{inner}", archive.read(inner))
    else:
        yield name, content


def plain(text):
    """A text without what a notebook, a catalogue or a line's end does to it."""
    return re.sub(r"[\s\"'\\`]+", " ", text)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = class_folder(tmp_path_factory.mktemp("exam") / "class", *LESSONS)
    (folder / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for lesson in LESSONS:
        for language in COURSE.languages[1:]:
            source = ROOT / "notebooks" / language / lesson / f"{lesson}.ipynb"
            target = folder / "notebooks" / language / lesson / f"{lesson}.ipynb"
            target.parent.mkdir(parents=True)
            target.write_bytes(source.read_bytes())
    course = Course.read(folder)
    asked = [task for lesson in LESSONS for task in write_releases(course, lesson, LESSONS)]
    assert sorted(asked) == sorted(course.exam)
    out = folder.parent / "exam.zip"
    bundle(course, LESSONS, out, exam=True)
    return dict(unpacked("exam.zip", out.read_bytes()))


@pytest.fixture(scope="module")
def texts(files):
    return {name: plain(content.decode("utf-8", "replace")) for name, content in files.items()}


def holders(texts, secret):
    return [name for name, text in texts.items() if plain(secret).strip() in text]


def test_twelve_tasks_are_asked(files):
    assert len(COURSE.exam) == 12
    assert {Path(name).stem for name in files if name.endswith(".ipynb")} == set(LESSONS)


@pytest.mark.parametrize("task_id", COURSE.exam)
def test_no_hint_and_no_words_on_a_mistake_are_in_it(task_id, texts):
    task = COURSE.load(LESSON_OF[task_id]).tasks[task_id]
    on_mistakes = [text for reference in task.known_wrong for text in (reference.hint, reference.name)]
    secrets = [*task.hints, task.learned, *on_mistakes]
    assert len(secrets) > 8
    assert {secret: actual for secret in secrets if secret and (actual := holders(texts, secret))} == {}


@pytest.mark.parametrize("task_id", COURSE.exam)
def test_no_line_of_its_solution_is_in_it(task_id, texts):
    lesson = LESSON_OF[task_id]
    cells = {cell["id"]: cell.source for cell in read_source(COURSE.source / lesson / f"{lesson}.py").cells}
    hidden = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", cells[f"{task_id}-answer"], re.DOTALL)
    lines = [line.strip() for part in hidden for line in part.splitlines() if len(line.strip()) >= SHORT]
    assert lines
    assert {line: actual for line in lines if (actual := holders(texts, line))} == {}


@pytest.mark.parametrize("task_id", COURSE.exam)
def test_no_result_and_no_wrong_answer_of_its_bank_is_in_it(task_id, files, texts):
    lesson = LESSON_OF[task_id]
    task = COURSE.load(lesson).tasks[task_id]
    results = [probe.expected.tensor for probe in (*task.probes, *task.exam)]
    numbers = [
        tensor.numpy().tobytes() for tensor in results if tensor is not None and tensor.unique().numel() > 3
    ]
    assert numbers
    assert [name for name, content in files.items() if any(held in content for held in numbers)] == []
    (described,) = (item for item in load_lesson(COURSE.source / lesson).tasks if item.id == task_id)
    changes = [
        new
        for wrong in described.wrong
        for change in wrong.changes
        if len(new := getattr(change, "new", "").strip()) >= SHORT
    ]
    assert {new: actual for new in changes if (actual := holders(texts, new))} == {}


def test_no_bank_is_in_it(files, texts):
    banks = [name for name in files if name.endswith((".safetensors", f"{LESSONS[0]}.json"))]
    assert banks == []
    assert holders(texts, '"known_wrong":') == []
