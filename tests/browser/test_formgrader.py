"""nbgrader's formgrader on a course that was just cloned, by its buttons alone."""

import os
import subprocess
import sys
import sysconfig
from urllib.parse import unquote

import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.grading.class_folder import Class
from nbgrader.utils import get_username

from tests.browser.servers import served
from tests.classes import class_folder, full_points

pytestmark = pytest.mark.slow

LESSON, OTHER = "01-dot-product", "03-causal"


@pytest.fixture
def clone(tmp_path):
    """Two lessons of a clone as git has it, without what a build leaves, and an exchange of its own."""
    folder = class_folder(tmp_path / "clone", LESSON, OTHER)
    for result in (*folder.glob("source/*/*.ipynb"), *folder.glob("gradebook.db*")):
        result.unlink()
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    with (folder / "nbgrader_config.py").open("a") as settings:
        settings.write(f"\nc.Exchange.root = {str(exchange)!r}\n")
    return folder


@pytest.fixture
def environment(tmp_path):
    """A home of its own, and nbgrader's programs by their names."""
    home = tmp_path / "home"
    home.mkdir()
    path = os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", "")))
    return os.environ | {"HOME": str(home), "JUPYTER_DATA_DIR": str(home), "PATH": path}


def test_a_lesson_goes_to_a_student_and_back_by_the_buttons(clone, environment, walls, browser, tmp_path):
    extension = "nbgrader.server_extensions.formgrader=True"
    command = [sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser"]
    command.append(f"--ServerApp.jpserver_extensions={extension}")
    with served(command, clone, environment) as address:
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{address}/formgrader/manage_assignments?token=test")

        def press(row, column: str, output: str) -> None:
            """Press a button of the table, read what comes of it, and close that."""
            row.locator(f"td.{column} a").click()
            shown = page.locator(".modal.in, .modal.show")
            shown.get_by_text(output).first.wait_for()
            shown.get_by_role("button", name="Close").last.click()
            shown.wait_for(state="hidden")

        def lesson(name: str):
            return page.locator("tbody tr", has=page.locator("td.name", has_text=name))

        lesson(LESSON).wait_for()
        assert lesson(OTHER).count() == 1
        press(lesson(LESSON), "assign", "Successfully created")
        with page.expect_popup() as opened:
            lesson(LESSON).locator("td.preview a").click()
        assert unquote(opened.value.url).endswith(f"/tree/notebooks/{LESSON}")
        opened.value.close()
        press(lesson(LESSON), "release", "Successfully released")

        solved = read_source(clone / "source" / LESSON / f"{LESSON}.py")
        (tmp_path / LESSON).mkdir()
        nbformat.write(solved, tmp_path / LESSON / f"{LESSON}.ipynb")
        course = Class(clone)
        shared = (f"--Exchange.root={tmp_path / 'exchange'}", f"--course={course.directory.course_id}")
        submit = [sys.executable, "-m", "nbgrader", "submit", LESSON, *shared]
        subprocess.run(submit, cwd=tmp_path, env=environment, check=True, capture_output=True)

        press(lesson(LESSON), "collect", "Successfully collected")
        lesson(LESSON).locator("td.num-submissions a").click()
        student = page.locator("tbody tr", has=page.locator("td.student-id", has_text=get_username()))
        press(student, "autograde", "Successfully autograded")
        full = full_points(LESSON)
        assert f"{full:g} / {full:g}" in student.locator("td.score").inner_text()
        page.goto(f"{address}/formgrader/manage_assignments")
        press(lesson(LESSON), "generate-feedback", "Successfully generated")
        press(lesson(LESSON), "release-feedback", "Successfully released")
        page.close()
    assert list((tmp_path / "exchange").rglob("feedback/*.html"))
