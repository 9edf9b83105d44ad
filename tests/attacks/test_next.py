"""Whatever somebody sends from their own run, the next student gets their own points and is not accused."""

import re
from copy import deepcopy

import nbformat
import pytest
from autograder.command import grading_run as command
from autograder.grading import grade_submission
from autograder.grading.class_folder import Class
from autograder.grading.hidden_tests import secret

from tests.attacks.sending import ALL, LESSON, SENDING
from tests.attacks.test_attacks import hand_in, scores
from tests.classes import class_folder, full_points, without_figures

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("walls"),
    pytest.mark.timeout(1800),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]
# In the order of grading: after each of them comes somebody honest.
STUDENTS = {
    f"{at:02}{after}": name
    for at, kind in enumerate(SENDING)
    for after, name in (("-first", kind), ("-next", "honest"))
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class in one sandbox, one after the other, and what was said of it."""
    patch = pytest.MonkeyPatch()
    patch.setenv(secret.OWN_FOLDER, str(tmp_path_factory.mktemp("secret")))
    folder = class_folder(tmp_path_factory.mktemp("next") / "course", LESSON)
    path = folder / "notebooks" / LESSON / f"{LESSON}.ipynb"
    release = without_figures(nbformat.read(path, as_version=4))
    nbformat.write(release, path)
    for student, name in STUDENTS.items():
        notebook = deepcopy(release)
        SENDING[name].make(notebook)
        hand_in(folder, student, notebook)
    output = []
    summary = command.grade_class(
        command.GradeOptions(Class(folder), [LESSON], jobs=1), output.append, lambda *_: None
    )
    yield folder, output, summary
    grade_submission.close_sandboxes()
    patch.undo()


def test_each_has_the_points_of_their_own_answers(graded):
    place, *_ = graded
    assert full_points(LESSON) == ALL
    earned = {student: sum(scores(place, student).values()) for student in STUDENTS}
    assert earned == {student: SENDING[name].earns for student, name in STUDENTS.items()}


def test_of_nobody_else_anything_is_said(graded):
    _, output, summary = graded
    assert summary.faults == []
    about = {student: [line for line in output if re.search(rf"\b{student}\b", line)] for student in STUDENTS}
    silent = [student for student in STUDENTS if student.endswith("-next")]
    assert [about[student] for student in silent] == [[]] * len(silent)
    for student, name in STUDENTS.items():
        assert SENDING[name].notes in " ".join(about[student]), name
