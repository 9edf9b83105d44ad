"""The quiz of a class, from the files that are handed in to the figures that name nobody."""

import csv
import io
import json

import numpy as np
import pytest
from autograder.classroom import quiz_statistics as statistics
from autograder.classroom.collection import read_record
from autograder.classroom.quiz_report import as_csv, quiz_report
from autograder.grading.class_folder import Class
from support.class_course import LESSON, NAME
from support.handing_in import notebook, run, zipped

QUESTIONS = "".join(
    f"""
[[item]]
id = "{name}"
lesson = "{LESSON}"
asked.first = {{text = "One and one?", right = "2", wrong = {{one-forgotten = "1"}}}}
asked.second = {{text = "Two and one?", right = "3", wrong = {{one-forgotten = "2"}}}}
"""
    for name in ("a", "b", "c", "d")
)
RIGHT = {"before": "3", "after": "2"}
WRONG = {"before": "2", "after": "1"}
NAMES = ["amy", "bob", "joerg", "jane1", "jane2"]


@pytest.fixture
def folder(folder):
    """The class, whose course has a quiz."""
    (folder / "source" / "quiz.toml").write_text(QUESTIONS, encoding="utf-8")
    described = folder / "course.toml"
    described.write_text(
        'quiz = "source/quiz.toml"\n' + described.read_text(encoding="utf-8"), encoding="utf-8"
    )
    return folder


def answers(asked, marks, **changed):
    """A file as `class_quiz` writes it: `+` for a right answer, `-` for a wrong one, `?` for none known."""
    said = {"+": RIGHT[asked], "-": WRONG[asked], "?": ""}
    choices = {name: said[mark] for name, mark in zip("abcd", marks, strict=True) if mark != " "}
    return json.dumps({"course": NAME, "occasion": asked, "agreed": True, "choices": choices} | changed)


def hand_in(folder, tmp_path, occasion, marks, names=NAMES):
    files = [
        (f"{name}/quiz-{occasion}.json", answers(occasion, own))
        for name, own in zip(names, marks, strict=True)
    ]
    return run(folder, "collect", zipped(tmp_path / f"{occasion}.zip", files))


def value(rows, figure, question="", occasion=""):
    (row,) = (
        row
        for row in rows
        if (row["figure"], row["question"], row["occasion"]) == (figure, question, occasion)
    )
    return float(row["value"])


def rows(folder):
    return list(csv.DictReader(io.StringIO(as_csv(quiz_report(Class(folder))))))


def test_the_quiz_is_taken_beside_a_notebook_and_reported_with_its_gain(folder, tmp_path):
    files = [("amy/01-convolution.ipynb", notebook()), ("amy/quiz-before.json", answers("before", "+---"))]
    output = run(folder, "collect", zipped(tmp_path / "first.zip", files))
    assert "quiz-before.json: answers to the quiz, for `autograder report quiz`" in output
    hand_in(folder, tmp_path, "before", ["+---", "+---", "+-?-", "----"], NAMES[1:])
    hand_in(folder, tmp_path, "after", ["++++", "++--", "+-+-", "++--", "+---"])
    actual = rows(folder)
    assert value(actual, "difficulty", "a", "before") == pytest.approx(0.8)
    assert value(actual, "difficulty", "b", "after") == pytest.approx(0.6)
    assert value(actual, "gain") == pytest.approx((3 + 1 + 1 + 1 + 1) / 4 / 5)
    assert value(actual, "normalised gain") == pytest.approx(7 / 16, abs=1e-4)
    output = run(folder, "report", "quiz")
    assert "Gain: 35%" in output


def test_without_agreement_nothing_is_kept(folder, tmp_path):
    files = [("amy/quiz-before.json", answers("before", "++++", agreed=False))]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files))
    assert "for `autograder report quiz` where their learner agrees" in output  # so it is said of all
    assert not (folder / "collected" / "quiz").exists()


@pytest.mark.parametrize(
    "content",
    [
        answers("before", "++++", course="another"),
        answers("before", "++++", occasion="../../amy"),
        answers("before", "++++", choices=[1]),
        '{"occasion": ' * 5000,
        answers("before", "++++", course=NAME, agreed="yes"),
    ],
    ids=["of another course", "a path", "a list", "too deep", "agreed in words"],
)
def test_what_is_no_quiz_of_the_course_is_left_alone(folder, tmp_path, content):
    output = run(folder, "collect", zipped(tmp_path / "all.zip", [("amy/quiz-before.json", content)]))
    assert "No notebook, so not graded: 1 file" in output
    assert "quiz-before.json: a quiz by its name, but damaged" in output
    assert not (folder / "collected" / "quiz").exists()


@pytest.mark.parametrize(("agree", "said"), [(4, True), (5, False), (3, False)])
def test_how_many_are_not_counted_is_said_where_it_names_nobody(folder, tmp_path, agree, said):
    names = NAMES[: max(4, agree)] if agree == 3 else NAMES
    files = [
        (f"{name}/quiz-before.json", answers("before", "++++", agreed=number < agree))
        for number, name in enumerate(names)
    ]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files))
    told = "1 of the 5 quizzes is not counted, since its learner does not agree."
    assert (told in output, "not counted" in output) == (said, said)


def test_the_first_answers_of_a_person_count(folder, tmp_path):
    hand_in(folder, tmp_path, "before", ["----"] * 5)
    hand_in(folder, tmp_path, "before", ["++++"] * 5)
    assert value(rows(folder), "difficulty", "a", "before") == 0


def test_the_desk_is_not_told_who_took_part_and_who_declined(folder, tmp_path):
    hand_in(folder, tmp_path, "before", ["++++"] * 5)
    declined = answers("after", "++++", agreed=False)
    files = [("bob/quiz-after.json", declined), ("joerg/mine.json", declined), ("jane1/quiz-after.json", "{")]
    run(folder, "collect", zipped(tmp_path / "declined.zip", files))
    path = folder / "collected" / "record.json"
    assert read_record(Class(folder)).others == {}
    old = json.loads(path.read_text())
    path.write_text(json.dumps(old | {"others": {"bob": ["quiz-after.json"]}}))  # of an earlier version
    run(folder, "collect", zipped(tmp_path / "notes.zip", [("amy/notes.txt", "mine")]))
    assert read_record(Class(folder)).others == {"amy": ("notes.txt",)}


def test_a_dry_run_keeps_nothing(folder, tmp_path):
    files = [("amy/quiz-before.json", answers("before", "++++"))]
    run(folder, "collect", zipped(tmp_path / "all.zip", files), "--dry-run")
    assert not (folder / "collected" / "quiz").exists()


def test_no_figure_is_of_fewer_than_five_people(folder, tmp_path):
    hand_in(folder, tmp_path, "before", ["++--"] * 4, NAMES[:4])
    assert "fewer than 5 people agreed to be counted" in run(folder, "report", "quiz", code=2)
    hand_in(folder, tmp_path, "after", ["++- ", *["++--"] * 4])
    assert {(row["occasion"], row["question"]) for row in rows(folder)} == {("after", name) for name in "abc"}
    assert "< 5 before the course, 5 after it" in run(folder, "report", "quiz")


def test_what_is_exported_names_nobody(folder, tmp_path):
    for occasion in ("before", "after"):
        hand_in(folder, tmp_path, occasion, ["+-+-", "--++", "++++", "----", "+---"])
    run(folder, "report", "quiz", "--csv", tmp_path / "quiz.csv")
    exported = (tmp_path / "quiz.csv").read_text(encoding="utf-8").lower()
    output = run(folder, "report", "quiz").lower()
    for name in (*NAMES, "adams", "brown", "müller", "doe", "example.org"):
        assert name not in exported
        assert name not in output


def test_a_class_that_knew_everything_has_no_normalised_gain(folder, tmp_path):
    for occasion in ("before", "after"):
        hand_in(folder, tmp_path, occasion, ["++++"] * 5)
    assert {row["figure"] for row in rows(folder)} == {"difficulty", "gain"}
    assert "Normalised gain" not in run(folder, "report", "quiz")


def test_a_mistake_is_said_where_five_people_made_it(folder, tmp_path):
    hand_in(folder, tmp_path, "after", ["-+??", "--??", "--??", "--??", "--??"])
    assert quiz_report(Class(folder)).mistakes == {"a": "5× one-forgotten", "b": "", "c": "", "d": ""}


def test_missing_answers_count_nowhere():
    before, after = np.array([[0, 0, np.nan], [1, np.nan, 0]]), np.array([[1, 1, 0], [1, 1, 1]])
    assert statistics.difficulty(before).value.tolist() == [0.5, 0, 0]
    # Of the first student two questions are compared, of the second two others.
    assert statistics.gain(before, after.astype(float)).value == (1 + 0.5) / 2


def test_intervals_are_those_of_the_textbooks():
    share = statistics.difficulty(np.array([[1.0]] * 7 + [[0.0]] * 3))
    assert (share.low[0], share.high[0]) == pytest.approx((0.3968, 0.8922), abs=1e-4)  # Wilson's, of 7 in 10
    quantiles = [statistics.student_quantile(degrees) for degrees in (4, 9, 29, 299)]
    assert quantiles == pytest.approx([2.7764, 2.2622, 2.0452, 1.9679], rel=1e-3)


def test_discrimination_leaves_the_question_itself_out_of_the_rest():
    right = np.array([[1.0, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 0], [1, 1, 0]])
    actual = statistics.discrimination(right).value
    expected = [np.corrcoef(right[:, n], np.delete(right, n, axis=1).sum(axis=1))[0, 1] for n in range(3)]
    assert actual.tolist() == pytest.approx(expected)
