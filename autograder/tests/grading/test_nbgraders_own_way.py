"""nbgrader's own commands on a course that was just cloned: nothing was built, and there is no gradebook."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.grading.class_folder import Class
from nbgrader.api import Gradebook
from nbgrader.utils import get_username
from support.accounts import Account, accounts, why_no_accounts
from support.class_course import FULL, LESSON, class_folder

pytestmark = pytest.mark.slow


@pytest.fixture
def clone(class_course, tmp_path):
    """The course as git has it: without the notebooks that a build leaves beside its sources."""
    folder = class_folder(class_course, tmp_path / "clone", LESSON)
    for result in (*folder.glob("source/*/*.ipynb"), *folder.glob("gradebook.db*")):
        result.unlink()
    return folder


@pytest.fixture
def alone(tmp_path):
    """Who runs this, with a home of their own."""
    result = Account(get_username(), tmp_path / "home")
    yield result
    result.leave()


def score(folder: Path, student: str) -> float:
    course = Class(folder)
    with Gradebook(course.database, course.directory.course_id) as book:
        return float(book.find_submission(LESSON, student).score)


def hand_in(solved: nbformat.NotebookNode, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(solved, folder / f"{LESSON}.ipynb")


def test_a_release_is_made_of_the_lesson_and_comes_out_as_it_was_built(clone, alone):
    release = clone / "notebooks" / LESSON / f"{LESSON}.ipynb"
    before = release.read_bytes()
    release.unlink()
    alone.nbgrader(clone, "generate_assignment", LESSON)
    assert release.read_bytes() == before


def test_what_was_handed_in_is_graded_though_no_release_was_made_here(clone, walls, alone):
    hand_in(read_source(clone / "source" / LESSON / f"{LESSON}.py"), clone / "submitted" / "ada" / LESSON)
    alone.nbgrader(clone, "autograde", LESSON)
    assert score(clone, "ada") == FULL


# A right answer to one task, and to another a wrong one that is known.
RIGHT = {"by-hand-answer": "smoothed = signal.unfold(0, 3, 1) @ kernel"}
WRONG = {
    "convolve-answer": """def convolve(signal, kernel):
    windows = signal.unfold(0, len(kernel), 1)
    return windows @ kernel.flip(0)"""
}
NAMED = "Your kernel is turned round."


@pytest.fixture(params=["two accounts", "one account"])
def people(request, tmp_path):
    """Who teaches and who learns: two accounts that cannot read each other's folders, or one for both."""
    missing = why_no_accounts()
    if request.param == "two accounts":
        if missing:
            pytest.skip(missing)
        with accounts(tmp_path, "teacher", "student") as result:
            yield result
    elif missing:
        both = [Account(get_username(), tmp_path / name) for name in ("teacher", "student")]
        yield both
        for account in both:
            account.leave()
    else:
        pytest.skip("needs an account that makes no others: two can be made here, which tells more")


@pytest.fixture
def term(clone, walls, people, tmp_path):
    """A class whose exchange is where only this term is."""
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    return Term(clone, *people, exchange)


class Term:
    """A lesson that a teacher and a student exchange, command by command."""

    def __init__(self, clone: Path, teacher: Account, student: Account, exchange: Path) -> None:
        self.clone, self.teacher, self.student = clone, teacher, student
        self.shared = f"--Exchange.root={exchange}", f"--course={Class(clone).directory.course_id}"
        self.work = student.home / LESSON
        teacher.owns(clone)

    def teach(self, command: str, *words: str) -> str:
        """Have the teacher run a command on the lesson."""
        return self.teacher.nbgrader(self.clone, command, LESSON, *self._where(command), *words)

    def learn(self, command: str, code: int = 0) -> str:
        """Have the student run a command on the lesson."""
        return self.student.nbgrader(self.student.home, command, LESSON, *self._where(command), code=code)

    def _where(self, command: str) -> tuple[str, ...]:
        """Name the exchange to the commands that nbgrader gives its settings."""
        return () if command in ("generate_assignment", "autograde", "generate_feedback") else self.shared

    def answer(self, answers: Mapping[str, str]) -> None:
        """Have the student write answers into the notebook that was fetched."""
        path = self.work / f"{LESSON}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        path.write_text(nbformat.writes(notebook), encoding="utf-8")

    def give_feedback(self, *words: str) -> list[str]:
        """Have the teacher release feedback and the student fetch it; each submission's page, by time."""
        self.teach("generate_feedback", *words)
        self.teach("release_feedback")
        self.learn("fetch_feedback")
        return [path.read_text(encoding="utf-8") for path in sorted(self.work.glob("feedback/*/*.html"))]

    @property
    def score(self) -> float:
        """What the student has in the gradebook."""
        return score(self.clone, self.student.name)


def test_the_exchange_takes_a_release_to_a_student_and_feedback_back(term):
    """In an order in which nobody waits for the other, and each thing is done twice."""
    term.teach("generate_assignment")
    term.teach("release_assignment")
    term.teach("release_assignment", "--force")
    assert LESSON in term.learn("list")
    term.learn("fetch_assignment")
    assert [path.name for path in term.work.iterdir()] == [f"{LESSON}.ipynb"]
    assert "No submissions" in term.teach("collect")
    term.answer(WRONG)
    term.learn("submit")
    term.learn("fetch_feedback", code=1)  # nbgrader says that there is none
    term.teach("collect")
    term.teach("autograde")
    assert term.score == 0
    (first,) = term.give_feedback()
    assert NAMED in first
    assert "0 of 5 points" in first

    term.answer(RIGHT)
    term.learn("submit")
    assert "use --update" in term.teach("collect")
    term.teach("collect", "--update")
    # It is the first that was graded, and what is said of it goes to nobody as if it were said of the second.
    assert term.give_feedback() == [first]
    term.teach("autograde")
    assert term.score == 1
    assert [NAMED in page for page in term.give_feedback()] == [True, True]
    term.teach("autograde", "--force")
    assert term.score == 1
    again, second = term.give_feedback("--force")
    assert again == first
    assert "1 of 5 points" in second

    # A second release, after the first was taken back and the gradebook was lost.
    term.teach("list", "--remove")
    for saved in term.clone.glob("gradebook.db*"):
        saved.unlink()
    shutil.rmtree(term.clone / "autograded")
    term.teach("autograde")
    term.teach("release_assignment")
    assert term.score == 1
