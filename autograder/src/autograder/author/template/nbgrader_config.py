"""nbgrader's settings for this course: its steps on our folders, its grading through our judge."""

from autograder.author.settings import configure

c = get_config()  # type: ignore[name-defined]  # noqa: F821
configure(c, __file__)
