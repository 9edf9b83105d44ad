"""Configure nbgrader for this course: its steps use this course's folders and this tool's grading."""

from autograder.author.settings import configure

c = get_config()  # type: ignore[name-defined]  # noqa: F821
configure(c, __file__)
