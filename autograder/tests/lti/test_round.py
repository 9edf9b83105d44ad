"""The whole round with a platform: a class of 60 is listed and scored, and scores go there once."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from support.everywhere import need_modules

need_modules("the extra `lti`", "cryptography", "jwt", "pylti1p3", "requests", "starlette", "uvicorn")

from autograder.classroom.gradebook_roster import class_list  # noqa: E402
from autograder.grading.class_folder import Class  # noqa: E402
from autograder.lti import score_sender  # noqa: E402
from nbgrader.api import Gradebook  # noqa: E402
from support.class_course import LESSON, OTHER  # noqa: E402
from support.class_scores import graded  # noqa: E402
from support.handing_in import run  # noqa: E402
from support.lti_class import TEACHER, member  # noqa: E402
from support.lti_platform import AGS, ROLES, SCOPES  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # of nbgrader's own way of adding
]
NUMBERS = range(60)


def student(number: int) -> str:
    return f"s{number}@uni.example"


def given(home) -> dict[str, list[float]]:
    """What the platform got, by its people's ids."""
    return {user: [item["scoreGiven"] for item in scores] for (_, user), scores in home.scores.items()}


@pytest.fixture
def here(browser, folder, home):
    """A class of 60 that is listed and scored, whose teacher has come from the platform once."""
    home.people = [member(number) for number in NUMBERS]
    graded(folder, {})
    assert browser.launches("t1", **TEACHER).status_code == 200
    assert "60 students: 60 new" in run(folder, "roster", "--lti")
    graded(folder, {student(number): number % 11 for number in NUMBERS})
    return folder


def test_the_whole_round(here, home):
    reported = run(here, "export", "--lti", "--dry-run")
    assert "60 scores to send, 0 there already. Nothing was sent." in reported
    assert f"{student(7)}, {LESSON}: 7 of 10" in reported
    assert (home.scores, home.columns) == ({}, [])
    assert "60 scores to send, 0 there already." in run(here, "export", "--lti")
    assert given(home) == {f"u{number}": [number % 11] for number in NUMBERS}
    (column,) = home.columns
    assert (column["scoreMaximum"], column["resourceId"]) == (10, LESSON)
    assert "0 scores to send, 60 there already." in run(here, "export", "--lti")
    graded(here, {student(3): 8.5, student(4): 4})
    assert f"{student(3)}, {LESSON}: 8.5 of 10 (it has 3)" in run(here, "export", "01", "--lti")
    assert {user: some for user, some in given(home).items() if len(some) > 1} == {"u3": [3, 8.5]}
    assert home.errors == []


def test_a_revoked_key_sends_nothing_and_a_new_one_is_believed_at_once(here, home):
    home.trusted = False
    reported = run(here, "export", "--lti", code=2)
    assert "answered 401: the tool's key was revoked." in reported
    assert home.scores == {}
    home.trusted = True
    run(here, "lti", "rotate", "--forget")
    run(here, "export", "--lti")
    assert len(home.scores) == 60
    assert len(home.errors) == 1


def test_an_access_token_that_ends_on_the_way_is_asked_for_again(here, home, monkeypatch):
    score = type(home).score

    def once(self, column, sent):
        if len(self.scores) == 30:
            self.expire()
        score(self, column, sent)

    monkeypatch.setattr(type(home), "score", once)
    run(here, "export", "--lti")
    assert [len(some) for some in home.scores.values()] == [1] * 60


def test_what_breaks_on_the_way_is_told_and_the_rest_is_sent_next_time(here, home):
    gone = home.people.pop(5)
    reported = run(here, "export", "--lti", code=1)
    assert f"{student(5)}, {LESSON}: 5 of 10: not sent: " in reported
    assert len(home.scores) == 59
    home.people.append(gone)
    assert "1 score to send, 59 there already." in run(here, "export", "--lti")
    assert given(home)["u5"] == [5]


def test_a_clock_that_was_put_back_sends_no_score_that_is_older_than_the_last(here, home, monkeypatch):
    run(here, "export", "--lti")

    class Earlier(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) - timedelta(days=1)

    monkeypatch.setattr(score_sender, "datetime", Earlier)
    graded(here, {student(3): 8.5})
    assert "1 score to send" in run(here, "export", "--lti")
    first, last = (
        datetime.fromisoformat(item["timestamp"]) for item in home.scores[home.columns[0]["id"], "u3"]
    )
    assert last - first >= timedelta(seconds=1)  # some platforms look at seconds only
    assert home.errors == []


def test_a_learners_launch_takes_nothing_from_what_a_teachers_told(here, home, browser):
    names = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
    scores = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
    assert browser.launches("u1", **{names: None, scores: None}).status_code == 200
    assert browser.launches("t1", deep=True, **{names: None, scores: None}, **TEACHER).status_code == 200
    assert "60 students: 0 new" in run(here, "roster", "--lti")
    assert "60 scores to send" in run(here, "export", "--lti", "--dry-run")


def test_comments_go_on_request_and_stay_when_they_are_not_asked_for(here, home):
    run(here, "export", "--lti")
    course = Class(here)
    with Gradebook(course.database, course.directory.course_id) as book:
        book.find_comment("task-answer", LESSON, LESSON, student(1)).manual_comment = "Say why."
        book.db.commit()
    assert "0 scores to send" in run(here, "export", "--lti")
    assert "with a comment" in run(here, "export", "--lti", "--comments")
    run(here, "export", "--lti")
    ((_, sent),) = (pair for pair in home.scores.items() if pair[0][1] == "u1")
    assert [item.get("comment") for item in sent] == [None, "task: Say why."]


def test_a_score_with_an_answer_to_be_read_waits_for_a_person(here, home):
    course = Class(here)
    with Gradebook(course.database, course.directory.course_id) as book:
        grade = book.find_grade("task", LESSON, LESSON, student(2))
        grade.auto_score, grade.needs_manual_grade = None, True
        book.db.commit()
    run(here, "export", "--lti")
    progress = {user: item[-1]["gradingProgress"] for (_, user), item in home.scores.items()}
    assert [user for user, state in progress.items() if state != "FullyGraded"] == ["u2"]
    assert progress["u2"] == "PendingManual"


def test_the_platforms_maximum_is_scaled_to_only_where_that_is_said(here, home):
    home.add_column({"label": "Convolution", "resourceId": LESSON, "scoreMaximum": 100})
    reported = run(here, "export", "--lti", code=2)
    assert "has 10 points here and 100 on the platform" in reported
    run(here, "export", "--lti", "--scale")
    assert given(home)["u7"] == [70]


def test_the_column_of_the_link_that_a_teacher_opened_is_filled(here, home, browser):
    for label in ("Made by hand", "Of another link"):
        home.add_column({"label": label, "scoreMaximum": 10, "resourceId": LESSON})
    home.columns.reverse()  # a launch tells the first one of the lesson
    assert browser.launches("t1", LESSON, **TEACHER).status_code == 200
    home.columns.reverse()
    assert browser.launches("u1", LESSON).status_code == 200  # a learner's launch does not decide
    run(here, "export", "--lti")
    assert {address for address, _ in home.scores} == {home.columns[1]["id"]}


@pytest.mark.parametrize(
    ("taken", "output"),
    [
        (f"{AGS}score", "takes no scores from this tool"),
        (f"{AGS}lineitem", f"has no column for {LESSON}, and none may be made"),
    ],
)
def test_what_the_platform_does_not_allow_is_told(here, home, browser, taken, output):
    home.allowed = set(SCOPES) - {taken}
    browser.launches("t1", **TEACHER)
    assert output in run(here, "export", "--lti", code=2)
    assert (home.scores, home.errors) == ({}, [])


def test_a_list_by_pages_brings_students_only_and_keeps_who_was_known(here, home):
    (here / "people.csv").write_text("id,email\nzoe,zoe@uni.example\n")
    run(here, "roster", here / "people.csv")
    home.people += [
        {**member(60), "email": "zoe@uni.example", "given_name": "Zoë"},
        {**member(61), "status": "Inactive"},
        {**member(62), "roles": [f"{ROLES}Instructor"]},
        {**member(63), "roles": ["Learner", "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"]},
        {"user_id": "nameless-7", "roles": ["Learner"]},
    ]
    assert "62 students: 2 new, 0 changed" not in (reported := run(here, "roster", "--lti", "--dry-run"))
    assert "62 students: 1 new, 1 changed, 60 as before. Nothing was written." in reported
    assert "3 others are no students there now." in reported
    run(here, "roster", "--lti")
    people = class_list(Class(here)).people
    assert people["zoe"].first_name == "Zoë"
    assert people["nameless-7"].name == "nameless-7"
    assert len(people) == 62
    # An address that changes there leaves them who they are.
    home.people[0]["email"] = "new@uni.example"
    assert "0 new, 1 changed" in run(here, "roster", "--lti")
    assert home.errors == []


def test_two_people_of_the_platform_never_become_one(here, home):
    home.people.append({**member(70), "email": student(3)})
    reported = run(here, "roster", "--lti", code=2)
    assert f"are two people on the platform, and would both be {student(3)}. Nothing was changed." in reported


def test_before_anybody_came_nothing_can_be_asked(browser, folder):
    assert "Nobody has come from the platform yet" in run(folder, "roster", "--lti", code=2)
    graded(folder, {})
    assert "Nothing of 01-convolution, 02-strides is graded yet." in run(folder, "export", "--lti", code=2)
    (folder / "lti.toml").unlink()
    assert "There is no" in run(folder, "roster", "--lti", code=2)
    assert OTHER in Class(folder).lessons
