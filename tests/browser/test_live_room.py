"""The board of a live room in Chromium: what it tells while people work, on a phone and on a wall."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest
from autograder.records.course import Course
from axe_playwright_python.sync_playwright import Axe
from support.live_room import served

from tests.browser.conftest import keep_picture, report_troubles


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A room of 30 people, of whom 12 forget the scale."""
    course = Course.of(Path(__file__).parents[2])
    file = tmp_path_factory.mktemp("live") / "live.db"
    with served(course, file, address="https://room.example.org") as result:
        for number in range(30):
            fault = "no-scale" if number < 12 else "scaled-up" if number < 14 else ""
            result.event(f"{number:016x}", task="scaled-weights", mistakes=[fault], seconds_ago=20.0 * number)
            if number in (3, 20, 25):
                result.event(f"{number:016x}", "hint", task="scaled-weights")
            if number >= 20:
                result.event(f"{number:016x}", "right", task="scaled-weights")
            if number >= 25:
                result.event(f"{number:016x}", "wrong", task="self-attention-v1")
        yield result


@contextmanager
def board(browser, room, **how):
    """Open the board; nothing may go wrong on it."""
    context = browser.new_context(**how)
    page = context.new_page()
    problems = report_troubles(page, [])
    page.goto(f"http://127.0.0.1:{room.port}{room.board}?token={room.room.token}")
    page.locator("#tasks li").first.wait_for()
    yield page
    context.close()
    assert [text for text in problems if "404" not in text] == []  # it has no icon


def test_the_board_tells_what_many_forget_and_follows_what_happens(room, browser):
    with board(browser, room) as page:
        assert page.locator("#people").inner_text() == "30 people are here"
        output = page.locator("#together li").all_inner_texts()
        assert len(output) == 1
        assert output[0].startswith("12 of 30: ")
        assert "together" in output[0]
        page.locator("#tasks li").first.evaluate("item => { item.kept = true; }")
        room.event(f"{0:016x}", "right", task="scaled-weights")
        page.locator("#together li", has_text="11 of 30").wait_for()
        assert page.locator("#tasks li").first.evaluate("item => item.kept")  # who reads it keeps the place
        pause = page.get_by_role("button", name="Pause")
        pause.press("Enter")
        room.event(f"{1:016x}", "right", task="scaled-weights")
        page.wait_for_timeout(1500)
        assert page.locator("#together li", has_text="11 of 30").count() == 1
        pause.press("Enter")
        page.locator("#together li", has_text="10 of 30").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1920])
def test_the_board_is_for_everybody_on_a_phone_and_on_a_wall(room, browser, scheme, width):
    how = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}, "bypass_csp": True}
    with board(browser, room, **how) as page:
        keep_picture(page, f"live-room-{width}-{scheme}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        violations = Axe().run(page).response["violations"]
        assert [(item["id"], len(item["nodes"])) for item in violations] == []
