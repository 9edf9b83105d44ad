"""List the platforms that a class can use: the tool's own, and those that its course adds."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.classroom.platforms.blackboard import BLACKBOARD
from autograder.classroom.platforms.brightspace import BRIGHTSPACE
from autograder.classroom.platforms.canvas import CANVAS
from autograder.classroom.platforms.generic import PLAIN
from autograder.classroom.platforms.github_classroom import GITHUB_CLASSROOM
from autograder.classroom.platforms.gradescope import GRADESCOPE
from autograder.classroom.platforms.moodle import MOODLE
from autograder.classroom.platforms.protocol import Platform
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course
from autograder.records.load_definitions import defined_by


def platforms_of(course: Course) -> Mapping[str, Platform]:
    """Return the platforms by their names.

    A course adds platforms in the list `PLATFORMS` of a file that its `course.toml` names.

    Raises:
        AuthoringError: that file is missing or fails, or two platforms have the same name.
    """
    of_the_tool = (PLAIN, MOODLE, CANVAS, GRADESCOPE, BLACKBOARD, BRIGHTSPACE, GITHUB_CLASSROOM)
    file = course.adds.platforms
    added: tuple[Platform, ...] = (
        tuple(defined_by(course.root / file, "course_platforms").get("PLATFORMS", ())) if file else ()
    )
    by_name = {platform.name: platform for platform in (*of_the_tool, *added)}
    if len(by_name) < len(of_the_tool) + len(added):
        raise AuthoringError([f"{file}: each platform has a name of its own; known are {', '.join(by_name)}"])
    return by_name
