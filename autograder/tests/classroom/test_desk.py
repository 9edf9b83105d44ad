"""The desk: for whoever has its token, on this machine only; what is given there is what nbgrader has."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from autograder.classroom.desk import free_text_page, manual_grades
from autograder.classroom.desk.page_data import read
from autograder.classroom.desk.server import Seat, Server, application, write_static
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.gradebook_writer import GradebookWriter, gradebook_lock
from autograder.grading.graded_results import Grading, TaskResult
from autograder.records.authoring_errors import BadBook
from autograder.records.course import Course
from autograder.web.admission_control import Limits
from autograder.words.language import speaking
from nbgrader.api import Gradebook
from support.desk_class import CODE, LESSON, TASK, TEXTS, answered
from support.handing_in import run, zipped
from support.holding import HOLDS, held, is_closed
from tornado.httpclient import HTTPResponse
from tornado.testing import AsyncHTTPTestCase
from tornado.web import Application

TOKEN = "a-token"
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's way of adding


class TestDesk(AsyncHTTPTestCase):
    """The pages over HTTP."""

    @pytest.fixture(autouse=True)
    def _class(self, class_course: Course, tmp_path: Path) -> None:
        self.course = answered(class_course, tmp_path)

    def run(self, result: Any = None) -> Any:
        """Run a test in a thread: the main one has a running loop wherever a browser is driven from it."""
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(super().run, result).result()

    def get_app(self) -> Application:
        seats = [Seat(TOKEN, "a person"), Seat("second", "bo"), Seat("expired", "cy", until=1.0)]
        return application(self.course, seats, "desk.example.org")

    def get_http_server(self) -> Server:
        return Server(self._app, Limits(head_seconds=0.5))

    def ask(self, path: str, **changes: Any) -> HTTPResponse:
        headers = {"Cookie": f"autograder-desk={TOKEN}", **changes.pop("headers", {})}
        return self.fetch(path, headers=headers, follow_redirects=False, **changes)

    def give(self, task: str = TASK, **asked: Any) -> HTTPResponse:
        token = asked.pop("token", TOKEN)
        state = self.states().get(asked["key"], "") if task == TASK else ""
        body = json.dumps({"lines": [], "comment": "", "before": "", "state": state, **asked})
        headers = {"X-Desk-Token": token}
        kind = "written" if task == TASK else "task"
        return self.ask(f"/{kind}/{LESSON}/{task}", method="POST", body=body, headers=headers)

    def title(self) -> str:
        return read(self.course).words(LESSON).title(CODE)

    def states(self) -> dict[str, str]:
        answers = free_text_page.on_page(read(self.course), TOKEN, LESSON, TASK)["answers"]
        return {answer.key: answer.state for answer in answers}

    def comments(self) -> dict[str, str | None]:
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            return {
                student: book.find_comment(f"{CODE}-answer", LESSON, LESSON, student).comment
                for student in TEXTS
            }

    def test_nobody_gets_in_without_the_token_or_by_another_hosts_name(self):
        assert self.fetch("/").code == 403
        assert self.ask("/", headers={"Host": "attacker.example"}).code == 403
        assert self.ask("/").code == 200
        assert self.ask("/", headers={"Host": "desk.example.org"}).code == 200  # of the proxy in front
        assert self.ask("/", headers={"Cookie": "autograder-desk=expired"}).code == 403

    def test_each_of_several_gives_in_their_own_name(self):
        headers = {"Cookie": "autograder-desk=second", "X-Desk-Token": "second"}
        body = json.dumps({"key": "everybody", "points": "4", "comment": "", "lines": []})
        assert self.ask(f"/task/{LESSON}/{CODE}", method="POST", body=body, headers=headers).code == 200
        assert {change.by for change in read(self.course).changes if change.by} == {"bo"}

    def test_connections_that_others_hold_are_closed_and_keep_nobody_out(self):
        for kind in HOLDS:
            with held(self.get_http_port(), 25, HOLDS[kind]) as socks:
                assert self.ask("/").code == 200

                async def wait(socks: list[socket.socket] = socks) -> list[bool]:
                    loop = asyncio.get_running_loop()
                    return [await loop.run_in_executor(None, is_closed, sock) for sock in socks]

                if "body" not in kind and "chunk" not in kind:  # these have a time of their own
                    assert all(self.io_loop.run_sync(wait))
                else:
                    assert all(self.io_loop.run_sync(lambda socks=socks: wait(socks[:5])))

    def test_the_address_with_the_token_leads_to_one_without_it(self):
        actual = self.fetch(f"/?token={TOKEN}", follow_redirects=False)
        assert (actual.code, actual.headers["Location"]) == (302, "/")
        assert "HttpOnly" in actual.headers["Set-Cookie"]

    def test_a_question_shows_answers_without_names_and_what_they_say_does_nothing(self):
        page = self.ask(f"/written/{LESSON}/{TASK}").body.decode()
        assert not [name for name in TEXTS if re.search(rf"\b{name}\b", page)]
        assert "<strong>spread</strong>" in page
        assert "alert(1)" not in page
        assert page.count('type="checkbox" value=') == 9
        assert "Nothing was written." in page
        # In one order for everybody, so that two people mean the same by "answer 3".
        data = read(self.course)
        pages = [free_text_page.on_page(data, f"token {n}", LESSON, TASK)["answers"] for n in range(5)]
        assert len({tuple(answer.text for answer in answers) for answers in pages}) == 1

    def test_points_and_comment_are_nbgraders_own_and_come_back(self):
        key = free_text_page.key_of("ada", TOKEN)
        output = json.loads(self.give(key=key, lines=[0, 2], comment="Say why.").body)
        assert (output["score"], output["told"]) == (2.0, "Saved: 2 points.")
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            grade = book.find_grade(TASK, LESSON, LESSON, "ada")
            assert (grade.score, grade.needs_manual_grade) == (2.0, False)
            assert book.find_comment(TASK, LESSON, LESSON, "ada").comment == "Say why."
        again = free_text_page.on_page(read(self.course), TOKEN, LESSON, TASK)
        (item,) = [item for item in again["answers"] if item.key == key]
        assert (item.ticked, item.comment, item.score, item.waiting) == ((0, 2), "Say why.", 2.0, False)
        assert again["comments"] == ["Say why."]

    def test_a_comment_alone_gives_no_points_and_leaves_the_answer_to_be_read(self):
        key = free_text_page.key_of("ada", TOKEN)
        output = json.loads(self.give(key=key, comment="What spreads?").body)
        assert (output["score"], "still to be read" in output["told"]) == (None, True)
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            grade = book.find_grade(TASK, LESSON, LESSON, "ada")
            assert (grade.manual_score, grade.needs_manual_grade) == (None, True)
            assert book.find_comment(TASK, LESSON, LESSON, "ada").comment == "What spreads?"
        assert read(self.course).questions[LESSON, TASK] == len(TEXTS)
        assert self.states()[key] == output["state"]
        output = json.loads(self.give(key=key, comment="What spreads?", nothing=True).body)
        assert (output["score"], output["told"]) == (0.0, "Saved: 0 points.")

    def test_new_words_after_points_are_to_be_read_and_nothing_is_ticked(self):
        key = free_text_page.key_of("ada", TOKEN)
        self.give(key=key, lines=[0])
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            book.find_grade(TASK, LESSON, LESSON, "ada").needs_manual_grade = True  # graded again since
            book.db.commit()
        (item,) = [
            item
            for item in free_text_page.on_page(read(self.course), TOKEN, LESSON, TASK)["answers"]
            if item.key == key
        ]
        assert (item.waiting, item.score, item.ticked) == (True, None, ())
        assert (item.again, item.manual) == (1, 1.0)
        page = self.ask(f"/written/{LESSON}/{TASK}").body.decode()
        assert re.search(r"1 has points by hand and was graded again since: Answer \d \(1 / 3\)", page)
        output = json.loads(self.give(key=key, stay=True).body)
        assert (output["told"], output["now"]["lines"]) == ("Saved: 1 point.", [0])
        assert output["state"] == self.states()[key]
        assert "The points stay" not in self.ask(f"/written/{LESSON}/{TASK}").body.decode()

    def test_what_being_late_costs_follows_the_points_at_once(self):
        rules = f"penalty_per_day = 0.5\n[due]\n{LESSON} = 2026-03-01T00:00:00Z\n"
        Path(self.course.directory.root, "class.toml").write_text(rules)
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            book.find_submission(LESSON, "ada").timestamp = datetime(2026, 3, 1, 1)
            book.db.commit()
        self.give(key=free_text_page.key_of("ada", TOKEN), lines=[0, 1])
        data = read(self.course)
        assert data.known.scores["ada", LESSON] == 1.0
        data = read(self.course)
        assert manual_grades.take_back(data, data.changes[-2].action, "")[0] == 1
        (handed,) = [item for item in read(self.course).known.handed_in if item.student == "ada"]
        assert handed.penalty == 0

    def test_points_that_were_looked_at_stay_and_wait_no_longer(self):
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            mark = book.find_grade(CODE, LESSON, LESSON, "ada")
            mark.auto_score, mark.manual_score, mark.needs_manual_grade = 0.0, 2.0, True
            book.db.commit()
        page = self.ask(f"/task/{LESSON}/{CODE}").body.decode()
        assert "1 has points by hand and was graded again since: ada." in page
        key = re.search(r'data-key="(\w+)"', page)[1]
        assert json.loads(self.give(CODE, key=key, stay=True).body) == {"told": "Saved for 1 student."}
        assert "graded again since" not in self.ask(f"/task/{LESSON}/{CODE}").body.decode()
        assert self.hand()["ada"] == 2.0

    def test_every_time_is_told_in_the_zone_of_the_class(self):
        Path(self.course.directory.root, "class.toml").write_text('timezone = "Asia/Kolkata"')
        gone = "00-no-lesson-any-more"
        asked = graded_results.Asked(gone, "ada", CODE, "2026-03-01T20:00:00+00:00", "Why?")
        change = graded_results.Change(gone, "ada", CODE, "2026-03-01T21:00:00+00:00", 0, 1, "read")
        with graded_results.opened(self.course.database) as store:
            store.ask(asked)
            store.add([change, TaskResult(gone, "ada", CODE, 0, 4)])
        assert "2026-03-02 01:30 IST" in self.ask("/requests").body.decode()
        assert self.ask(f"/task/{gone}/{CODE}").code == 404
        for page in ("/changes", "/student/ada"):
            output = self.ask(page).body.decode()
            assert "2026-03-02 02:30 IST" in output
            assert f"{gone}, {CODE}" in output

    def test_what_makes_no_sense_changes_nothing_and_is_told(self):
        key = free_text_page.key_of("ada", TOKEN)
        assert self.give(key=key, lines=[0], token="another").code == 403
        assert "no such line" in json.loads(self.give(key=key, lines=[7]).body)["error"]
        assert self.give(key="nobody", lines=[0]).code == 400
        assert self.ask("/written/02-strides/no-such-task").code == 404
        assert all(
            item.waiting for item in free_text_page.on_page(read(self.course), TOKEN, LESSON, TASK)["answers"]
        )

    def test_answers_with_one_verdict_stand_together_and_get_one_comment(self):
        page = self.ask(f"/task/{LESSON}/{CODE}").body.decode()
        assert "2 × the windows overlap" in page
        assert "1 × right" in page
        group = page[: page.index("1 × right")]
        key = re.search(r'data-key="(\w+)"', group)[1]
        output = json.loads(self.give(CODE, key=key, comment="Think of the variance.").body)
        assert output == {"told": "Saved for 2 students."}
        assert self.comments() == {**dict.fromkeys(("ada", "bob"), "Think of the variance."), "cleo": None}
        # What a person has told one of them alone stays.
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            book.find_comment(f"{CODE}-answer", LESSON, LESSON, "bob").manual_comment = "See me."
            book.db.commit()
        output = json.loads(self.give(CODE, key=key, comment="", before="Think of the variance.").body)
        assert output == {"told": "Saved for 1 student. 1 with another comment keeps it."}
        assert self.comments() == {"ada": None, "bob": "See me.", "cleo": None}
        assert "no such group" in json.loads(self.give(CODE, key="nobody").body)["error"]

    def hand(self) -> dict[str, float | None]:
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            return {item: book.find_grade(CODE, LESSON, LESSON, item).manual_score for item in TEXTS}

    def test_points_for_a_group_leave_alone_what_another_gave_and_can_be_taken_back(self):
        page = self.ask(f"/task/{LESSON}/{CODE}").body.decode()
        key = re.search(r'data-key="(\w+)"', page)[1]
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            book.find_grade(CODE, LESSON, LESSON, "bob").manual_score = 1.0  # by the second of two people
            book.db.commit()
        assert json.loads(self.give(CODE, key=key, points="3", was="").body) == {
            "told": "Saved for 1 student. 1 with other points by hand keeps them."
        }
        assert self.hand() == {"ada": 3.0, "bob": 1.0, "cleo": None}
        assert "from 0 to 4" in json.loads(self.give(CODE, key=key, points="5", was="3").body)["error"]
        page = self.ask("/changes").body.decode()
        assert re.search(rf"{self.title()}</td>.*<td>points by hand, a person</td>", page)
        (action,) = re.findall(r'<button data-key="(\w+)"', page)
        body, headers = json.dumps({"key": action}), {"X-Desk-Token": TOKEN}
        undone = [
            json.loads(self.ask("/changes", method="POST", body=body, headers=headers).body) for _ in "12"
        ]
        assert undone == [
            {"told": "Taken back for 1 student."},
            {"told": "Taken back for 0 students. 1 with other points by hand keeps them."},
        ]
        assert self.hand() == {"ada": None, "bob": 1.0, "cleo": None}

    def test_everybody_gets_points_who_handed_nothing_in_as_well(self):
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            book.add_student("zoe")
            book.find_grade(CODE, LESSON, LESSON, "bob").manual_score = 1.0  # by the second of two people
            book.db.commit()
        output = json.loads(self.give(CODE, key="everybody", points="4").body)
        assert output == {"told": "Saved for 3 students. 1 with other points by hand keeps them."}
        assert self.hand() == {"ada": 4.0, "bob": 1.0, "cleo": 4.0}
        assert read(self.course).known.scores["zoe", LESSON] == 4.0
        assert "how many points" in json.loads(self.give(CODE, key="everybody", points="").body)["error"]
        (zoe,) = read(self.course).works["zoe"]
        assert zoe.waiting == 0

    def test_who_has_points_by_hand_alone_has_handed_in_nothing(self):
        before = read(self.course).totals[LESSON]
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            book.add_student("zoe")
            book.db.commit()
        self.give(CODE, key="everybody", points="2")
        totals, page = read(self.course).totals[LESSON], self.ask("/student/zoe").body.decode()
        assert (totals.handed_in, totals.mean) == (before.handed_in, 2.0)
        assert "2 of 7 points" in page
        assert "not handed in" in page
        untrue = ("It is not known when", "the release that they worked on")
        assert [words for words in untrue if words in page] == []
        row = re.search(r"<tr><th[^>]*><a[^>]*>zoe</a>.*?</tr>", self.ask("/").body.decode(), re.DOTALL)[0]
        assert "not handed in" in row
        submitted = self.course.place("submitted", "zoe", LESSON)
        submitted.mkdir(parents=True)
        (submitted / f"{LESSON}.ipynb").write_text("{}")
        for path in ("/", "/student/zoe"):
            assert "handed in, not graded yet" in self.ask(path).body.decode()

    def test_who_handed_in_nothing_has_handed_in_nothing_again_once_the_points_are_taken_back(self):
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            book.add_student("zoe")
        self.give(CODE, key="everybody", points="4")
        before = read(self.course)
        manual_grades.take_back(before, before.changes[-1].action, "")
        after = read(self.course)
        assert (after.works.get("zoe"), after.known.scores.get(("zoe", LESSON))) == (None, None)
        assert set(after.works) == set(TEXTS)

    def test_points_for_everybody_stay_where_a_notebook_turns_out_to_be_anothers(self):
        self.give(key=free_text_page.key_of("ada", TOKEN), lines=[0])
        self.give(CODE, key="everybody", points="2")
        with GradebookWriter(self.course) as book:
            book.withdraw(LESSON, "ada", "the notebook is the work of bob")
        after = read(self.course)
        marks = after.marks
        assert [marks[LESSON, student, CODE].manual for student in TEXTS] == [2.0, 2.0, 2.0]
        assert marks[LESSON, "ada", TASK].manual is None
        assert "not handed in" in self.ask("/student/ada").body.decode()
        given = manual_grades.last_given(after)[0]
        assert manual_grades.take_back(after, given.action, "") == (3, 0)
        assert "ada" not in read(self.course).works

    def test_the_same_words_get_the_same_points_and_nobody_overwrites_what_another_gave(self):
        with graded_results.opened(self.course.database) as store:
            for student in ("ada", "bob"):
                (code,) = [item for item in store.read(TaskResult, LESSON, student) if item.task == CODE]
                actual = TaskResult(
                    LESSON, student, TASK, None, 3, answer=f"They  spread.{' ' * len(student)}"
                )
                store.write(Grading(LESSON, student, graded_results.now(), {}), [actual, code])
        page = self.ask(f"/written/{LESSON}/{TASK}").body.decode()
        assert page.count("<article") == 2
        assert "written by 2 students in the same words" in page
        key = free_text_page.key_of("ada", TOKEN)
        assert json.loads(self.give(key=key, lines=[0]).body)["score"] == 1.0
        marks = read(self.course).marks
        assert [marks[LESSON, item, TASK].manual for item in TEXTS] == [1.0, 1.0, None]

    def test_an_open_desk_shows_an_extension_that_was_given_since(self):
        rules = Path(self.course.directory.root, "class.toml")
        rules.write_text(f"[due]\n{LESSON} = 2026-03-01T12:00:00Z\n")
        assert "3 more days" not in self.ask("/").body.decode()
        rules.write_text(f'{rules.read_text()}[extensions.{LESSON}]\nada = "3d"\n')
        assert "3 more days" in self.ask("/").body.decode()

    def test_an_open_desk_counts_what_class_toml_says_now(self):
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            book.find_submission(LESSON, "ada").timestamp = datetime(2026, 3, 1, 1)
            book.find_grade(CODE, LESSON, LESSON, "ada").auto_score = 2.0
            book.db.commit()
        submitted = self.course.place("submitted", "ada", LESSON)
        submitted.mkdir(parents=True)
        (submitted / f"{LESSON}.ipynb").write_text("{}")
        rules = Path(self.course.directory.root, "class.toml")
        due = f"penalty_per_day = 0.5\n[due]\n{LESSON} = "
        late, on_time = (f"{due}2026-03-0{day}T00:00:00Z" for day in "12")
        for text, points in (("", 2), (late, 1), (on_time, 2), (late, 1), ("", 2)):
            rules.write_text(text)
            page = self.ask("/student/ada").body.decode()
            assert (f"{points} of 7 points" in page, "that costs" in page) == (True, points == 1), text

    def test_who_gives_from_an_old_page_is_shown_what_another_gave_and_changes_nothing(self):
        key = free_text_page.key_of("ada", TOKEN)
        old = self.states()[key]
        assert self.give(key=key, lines=[0], comment="Good.", state=old).code == 200
        # The points are the same; the lines and the comment are not.
        late = self.give(key=key, lines=[1], comment="", state=old)
        now = json.loads(late.body)["now"]
        assert (late.code, now["lines"], now["comment"], now["score"]) == (409, [0], "Good.", 1.0)
        (saved,) = [item for item in read(self.course).ticked if item.student == "ada"]
        assert saved.lines == (0,)
        assert self.give(key=key, lines=[1], comment="Good.", state=now["state"]).code == 200

    def test_what_is_asked_for_stands_above_the_answers(self):
        asked = free_text_page.statement(self.course, LESSON, TASK)
        assert asked
        assert not asked.startswith("#")  # the page has the title
        for kind, task in (("written", TASK), ("task", CODE)):
            page = self.ask(f"/{kind}/{LESSON}/{task}").body.decode()
            assert 'class="statement"' in page[: page.index("<article")]

    def test_a_request_is_answered_with_points_and_a_sentence_that_the_student_reads(self):
        folder = Path(self.course.directory.root)
        asked = folder / "asked"
        asked.mkdir()
        (asked / "ada.csv").write_text(f'id,lesson,task,request\nada,{LESSON},{CODE},"My stride, is it 2?"\n')
        (asked / "form.csv").write_text(
            f"Name;lesson;task;request\nbob;2;{CODE};<b>Why?</b>\nzoe;02;{CODE};Me too\nbob;02;no-task;x\n"
        )
        (asked / "form.csv").rename(form := folder / "form.csv")
        output = run(folder, "regrade", asked, form, code=1)
        assert "line 3: the gradebook knows nobody of that name" in output
        assert "line 4: bob has no score for the task no-task of 02" in output
        assert "2 requests are new, 0 known already" in output
        assert "0 requests are new, 2 known already" in run(folder, "regrade", asked, form, code=1)
        page = self.ask("/requests").body.decode()
        assert "2 to be answered" in page
        assert "&lt;b&gt;Why?" in page
        assert "2 to be answered" in self.ask("/").body.decode()
        key = re.search(r'data-key="(\w+)"', page)[1]
        headers = {"X-Desk-Token": TOKEN}

        assert "the windows overlap" in page  # what was found of ada's answer

        def answer(comment: str, points: str, was: str, before: str = "") -> Any:
            given = {"key": key, "comment": comment, "points": points, "was": was, "before": before}
            body = json.dumps(given)
            return json.loads(self.ask("/requests", method="POST", body=body, headers=headers).body)

        assert answer("", "3", "")["error"] == "Say something: the student reads it."
        output = answer("It is: sorry.", "3", "")
        assert output["told"].startswith("Answered")
        assert output["shown"] == {"waiting": "1 to be answered", "points": "now 3 of 4"}
        assert answer("No.", "1", "")["now"] == {"comment": "It is: sorry."}
        assert "other points meanwhile" in answer("No.", "1", "", "It is: sorry.")["error"]
        assert answer("It is 2: sorry.", "3", "3", "It is: sorry.")["told"].startswith("Answered")
        assert (self.hand()["ada"], self.comments()["ada"]) == (3.0, "It is 2: sorry.")
        page = self.ask("/requests").body.decode()
        assert "1 to be answered" in page
        assert "Answered by a person" in page
        run(folder, "regrade", asked, form, code=1)  # again: what is answered stays so
        assert "1 to be answered" in self.ask("/requests").body.decode()

    def test_two_of_one_name_are_told_apart_by_their_ids(self):
        asked = graded_results.Asked(LESSON, "ada", CODE, "2026-03-01T20:00:00+00:00", "Why?")
        with Gradebook(self.course.database, self.course.directory.course_id) as book:
            for student in ("ada", "bob"):
                book.update_or_create_student(student, first_name="Wei", last_name="Li")
        with graded_results.opened(self.course.database) as store:
            store.ask(asked)
        for address in ("/requests", "/changes"):
            assert ">Wei Li (ada)</a>" in self.ask(address).body.decode()
        assert ">cleo</a>" in self.ask("/changes").body.decode()

    def test_what_cannot_be_saved_is_told(self):
        with closing(sqlite3.connect(self.course.database.removeprefix("sqlite:///"))) as other:
            other.execute("BEGIN IMMEDIATE")  # as the formgrader does while it writes
            data, key, state = read(self.course), free_text_page.key_of("ada", TOKEN), self.states()
            with pytest.raises(BadBook, match="in use by another program"):
                free_text_page.give(data, LESSON, TASK, key, TOKEN, [0], "", state[key])

    def test_every_change_is_told_with_its_reason_and_on_the_students_page(self):
        page = self.ask("/changes").body.decode()
        assert page.count("checks changed") == 3
        assert re.search(rf"{self.title()}</td><td class=\"number\">0</td><td class=\"number\">2</td>", page)
        page = self.ask("/student/ada").body.decode()
        assert page.count("checks changed") == 1
        assert "the windows overlap" in page
        assert self.ask("/student/nobody").code == 404


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_every_page_can_be_written_as_a_file_in_which_nothing_can_be_given(class_course, tmp_path):
    result = write_static(answered(class_course, tmp_path), tmp_path / "out")
    names = [path.name for path in result]
    assert names == [
        "index.html",
        "changes.html",
        "requests.html",
        f"lesson-{LESSON}.html",
        f"written-{LESSON}-{TASK}.html",
        f"task-{LESSON}-{CODE}.html",
        *(f"student-{student}.html" for student in TEXTS),
    ]
    assert (tmp_path / "out" / ".gitignore").read_text() == "*\n"  # wherever the folder lies
    for path in result:
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r'href="([^"#]+)', text)) <= set(names)
        assert "<script" not in text
        assert len(re.findall("<(?:textarea|fieldset)", text)) == len(
            re.findall("<(?:textarea|fieldset)[^>]* disabled", text)
        )


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_the_desk_opens_while_grading_goes_on_and_says_so(class_course, tmp_path):
    course = answered(class_course, tmp_path)
    root = Path(course.directory.root)
    (root / "class.toml").write_text(f"[due]\n{LESSON} = 2026-03-01T12:00:00Z\n")
    with gradebook_lock(course.database, root):
        assert "another run grades this class" in run(root, "desk", "--out", tmp_path / "out")
    assert (tmp_path / "out" / "index.html").is_file()


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_the_pages_speak_the_language_that_is_asked_for(class_course, tmp_path):
    course = answered(class_course, tmp_path)
    with speaking(course.banks.course.bank, "bn"):
        pages = {
            page.name: page.read_text(encoding="utf-8") for page in write_static(course, tmp_path / "desk")
        }
    assert [name for name, text in pages.items() if '<html lang="bn">' not in text] == []
    assert "কিছুই লেখা হয়নি।" in pages[f"written-{LESSON}-{TASK}.html"]
    assert "2 জনের জন্য মন্তব্য" in pages[f"task-{LESSON}-{CODE}.html"]


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_the_class_page_says_why_a_score_is_0_and_what_is_out_of_the_ordinary(class_course, tmp_path):
    course = answered(class_course, tmp_path)
    with Gradebook(course.database, course.directory.course_id) as book:
        book.add_student("zoe", first_name="Zoe", last_name="Abel")
        for grade in book.find_submission(LESSON, "bob").notebooks[0].grades:
            grade.auto_score, grade.manual_score = 0.0, 1.0  # as "points for everybody" gives them
        book.find_submission(LESSON, "ada").timestamp = datetime(2026, 3, 1, 10, 30)
        book.find_submission(LESSON, "cleo").timestamp = datetime(2026, 3, 1, 6, 0, 1, 1)
        book.find_assignment(LESSON).duedate = datetime(2026, 3, 1, 6)
        book.db.commit()
    flagged = TaskResult(LESSON, "bob", CODE, 0, 4, flags=("may-hide", "program"))
    with graded_results.opened(course.database) as store:
        store.write(
            Grading(LESSON, "bob", graded_results.now(), {}, ("it is a web page, no notebook",)), [flagged]
        )
    root = Path(course.directory.root)
    (root / "class.toml").write_text(
        f'timezone = "Asia/Dhaka"\n[due]\n{LESSON} = 2026-03-01T12:00:00\n[extensions.{LESSON}]\nada = "3d"\n'
    )
    (root / "collected").mkdir()
    (root / "collected" / "record.json").write_text('{"others": {"zoe": ["essay.pdf"]}}')
    write_static(Class(root), tmp_path / "out")
    page = " ".join((tmp_path / "out" / "index.html").read_text(encoding="utf-8").split())
    assert re.findall(r'href="student-(\w+)', page) == ["zoe", "ada", "bob", "cleo"]
    assert "no notebook: essay.pdf" in page
    assert "it is a web page, no notebook" in page
    assert re.search("look: [^<]*: a forbidden call may have gone unseen", page)
    assert "it starts another program, which is not watched" in page
    assert "may-hide" not in page
    for total in ("3 handed in", "1 to look at", "mean "):
        assert total in page[: page.index("<tbody")]
    ada = (tmp_path / "out" / "student-ada.html").read_text(encoding="utf-8")
    assert "Handed in 2026-03-01 16:30 +06" in ada
    assert "due 2026-03-04 12:00 +06 · 3 more days" in ada
    cleo = (tmp_path / "out" / "student-cleo.html").read_text(encoding="utf-8")
    assert "It is not known when it was handed in · due 2026-03-01 12:00 +06" in cleo
    assert "late, by how much the platform does not say" in cleo


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_who_has_left_is_in_no_total_and_is_waited_for_by_nobody(class_course, tmp_path):
    course = answered(class_course, tmp_path)
    with Gradebook(course.database, course.directory.course_id) as book:
        for student in ("zoe", "yan"):
            book.add_student(student)
        book.find_grade(CODE, LESSON, LESSON, "bob").auto_score = 4.0
        book.db.commit()
    root = Path(course.directory.root)
    (root / "class.toml").write_text('left = ["bob", "zoe"]')
    data = read(Class(root))
    totals = data.totals[LESSON]
    assert (totals.handed_in, totals.mean, totals.waiting) == (2, 0.0, 4)
    assert data.questions[LESSON, TASK] == 2
    assert len(free_text_page.on_page(data, TOKEN, LESSON, TASK)["answers"]) == 2
    write_static(Class(root), tmp_path / "out")
    rows = (tmp_path / "out" / "index.html").read_text(encoding="utf-8").partition("<tbody")[2].split("<tr>")
    shown = {
        name: (row.count("has left"), row.count("not handed in"))
        for name in ("bob", "zoe", "yan")
        for row in rows
        if f"student-{name}" in row
    }
    assert shown == {"bob": (1, 0), "zoe": (1, 0), "yan": (0, 1)}
    zoe = (tmp_path / "out" / "student-zoe.html").read_text(encoding="utf-8")
    assert ("has left" in zoe, "nothing handed in" in zoe) == (True, False)


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_what_is_known_of_times_is_said_in_words(class_course, tmp_path):
    root = Path(answered(class_course, tmp_path).directory.root)
    (root / "class.toml").write_text(
        f'timezone = "Asia/Dhaka"\n[due]\n{LESSON} = 2026-03-01T12:00:00\n[extensions.{LESSON}]\n'
        'ada = "1d"\nbob = 2026-03-04T18:00:00\ncleo = "0d"\n'
    )
    files = {
        name: {"archive": "a.zip", "path": f"{name}.ipynb", "lms": lms}
        for name, lms in (("ada", "canvas"), ("bob", "moodle"))
    }
    (root / "collected").mkdir()
    (root / "collected" / "record.json").write_text(json.dumps({"lessons": {LESSON: files}}))
    data = read(Class(root))
    extensions = {name: data.more_time(name, LESSON) for name in TEXTS}
    assert extensions == {"ada": "1 more day", "bob": "extended until 2026-03-04 18:00 +06", "cleo": ""}
    with graded_results.opened(data.course.database) as store:
        for name in TEXTS:
            store.write(Grading(LESSON, name, graded_results.now()), [])
    write_static(Class(root), tmp_path / "out")
    pages = {name: (tmp_path / "out" / f"student-{name}.html").read_text(encoding="utf-8") for name in files}
    assert "Canvas says no time, and does not mark it as late" in pages["ada"]
    assert "It is not known when it was handed in" in pages["bob"]


@pytest.fixture
def folder(class_course, tmp_path) -> Path:
    """A class of three whose scores may be asked about."""
    return Path(answered(class_course, tmp_path).directory.root)


def request_of(student: str, text: str = "Why?", rows: int = 1) -> str:
    """A file as a student's page makes it, with some rows."""
    return "id,lesson,task,request\n" + f'"{student}","{LESSON}","{CODE}","{text}"\n' * rows


def asked_by(output: str) -> set[str]:
    """Return whose requests a command took in."""
    return set(re.findall(rf"(\w+), {LESSON}, {CODE}:", output))


@pytest.mark.parametrize("packed", [False, True])
def test_a_request_counts_only_for_the_student_in_whose_name_its_file_came(folder, tmp_path, packed):
    files = {
        "bob/request-ada-again.csv": request_of("ada", "by bob, in ada's name"),
        "ada/request.csv": request_of("ada") + f"bob,{LESSON},{CODE},in bob's name\n",
        f"cleo/request-bob-{LESSON}-{CODE}.csv": request_of("cleo"),
        f"request-bob-{LESSON}-{CODE} (1).csv": request_of("bob"),
        "anybody.csv": request_of("cleo", "whose?"),
    }
    asked = tmp_path / "asked"
    for name, text in files.items():
        (asked / name).parent.mkdir(parents=True, exist_ok=True)
        (asked / name).write_text(text)
    if packed:
        shutil.make_archive(str(asked), "zip", asked)
    output = run(folder, "regrade", asked.with_suffix(".zip") if packed else asked, code=1)
    assert asked_by(output) == {"ada", "bob", "cleo"}
    assert (
        "bob/request-ada-again.csv, line 2: it asks in the name of ada, and came in the name of bob" in output
    )
    assert "ada/request.csv, line 3: it asks in the name of bob, and came in the name of ada" in output
    assert "anybody.csv: its name is nobody's" in output
    assert "3 requests are new" in output


def test_one_bad_file_refuses_itself_alone(folder, tmp_path):
    asked = tmp_path / "asked"
    asked.mkdir()
    (asked / "ada.csv").write_text(request_of("ada", "first", 20_000))
    (asked / "bob.csv").write_text(request_of("bob"))
    bad = {
        "cleo": b"\xff\xfe\xd8",
        "cleo (1)": b"id,lesson,request\ncleo,1,x\n",
        "cleo (2)": b'"' * 199_999,
        "cleo (3)": b"",
        "cleo (4)": b'"x\n' + b"," * 190_000 + b'"' + b"," * 9_000 + b"\n" * 1_900,
        "cleo (5)": b"id,lesson,task,request\n" + b"\n" * 150_000,
    }
    for name, content in bad.items():
        (asked / f"{name}.csv").write_bytes(content)
    output = run(folder, "regrade", asked, tmp_path / "nowhere.csv", tmp_path / "nowhere.zip", code=1)
    assert asked_by(output) == {"bob"}
    assert "ada.csv is larger than 200 KB" in output
    for name in (*bad, "nowhere"):
        assert f"{name}.csv" in output
    assert "nowhere.zip" in output


def test_a_request_in_another_form_is_told(folder, tmp_path):
    files = {
        "please.txt": "Why?",
        "why.pdf": "%PDF",
        "mail/request-ada.xlsx": "PK\x03\x04",
        f"request-bob-{LESSON}-{CODE}.csv": "PK\x03\x04 damaged",
        f"{LESSON}.ipynb": "{}",
        "more.rar": "Rar!",
    }
    archive = zipped(tmp_path / "asked.zip", files.items())
    output = run(folder, "regrade", archive, code=1)
    others = f"please.txt, why.pdf, mail/request-ada.xlsx and {LESSON}.ipynb"
    assert f"asked.zip: not read, since requests are CSV files: {others}." in output
    assert f"request-bob-{LESSON}-{CODE}.csv is no workbook that can be read" in output
    assert "more.rar: archives of this kind are not opened here" in output
    (nothing := tmp_path / "nothing").mkdir()
    assert f"{nothing}: no request was found in it." in run(folder, "regrade", nothing, code=1)


def test_a_platform_s_own_page_in_an_archive_is_no_request(folder, tmp_path):
    files = {f"71-9 - ada - Nov 28, 2026 929 PM/{name}": request_of("ada") for name in ("a.csv", "b.txt")}
    alone = zipped(tmp_path / "one.zip", [*list(files.items())[:1], ("index.html", "<html>")])
    assert "1 request is new" in run(folder, "regrade", alone)
    both = zipped(tmp_path / "all.zip", [*files.items(), ("index.html", "<html>")])
    output = run(folder, "regrade", both, code=1)
    assert "not read, since requests are CSV files" in output
    assert "index.html" not in output


def test_a_list_of_many_is_bounded_in_rows_and_for_each_student(folder, tmp_path):
    form = tmp_path / "form.csv"
    form.write_text(request_of("ada", rows=20_000))
    assert "form.csv has more than 5000 rows" in run(folder, "regrade", form, code=1)
    rows = "".join(f"ada,{LESSON},{CODE},no {number}\n" for number in range(150))
    form.write_text(request_of("bob") + rows)
    output = run(folder, "regrade", form, code=1)
    assert "101 requests are new" in output
    assert "ada asks 150 times: only the first 100 are taken in" in output


def test_no_network_is_served_without_a_proxy_in_front(folder):
    assert "--behind-proxy" in run(folder, "desk", "--listen", "0.0.0.0", code=2)
    assert "is none" in run(folder, "desk", "--listen", "everywhere", code=2)
