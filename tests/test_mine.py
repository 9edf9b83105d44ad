"""What the course collects in a learner's own package."""

from pathlib import Path

from autograder.records.course import Course

COURSE = Course.read(Path(__file__).resolve().parents[1])
LESSON_OF = COURSE.lesson_of()


def names_in(module):
    return [COURSE.load(LESSON_OF[task]).tasks[task].name for task in COURSE.mine[module]]


def test_every_lesson_from_02_on_gives_something():
    lessons = {LESSON_OF[task] for tasks in COURSE.mine.values() for task in tasks}
    assert lessons == set(COURSE.lessons[1:])


def test_a_module_has_each_name_once_and_no_tensor():
    for module in COURSE.mine:
        assert len(set(names_in(module))) == len(names_in(module))
        kinds = {COURSE.load(LESSON_OF[task]).tasks[task].kind for task in COURSE.mine[module]}
        assert kinds <= {"function", "module", "class"}


def test_modules_come_in_the_order_of_the_lessons():
    first = [min(COURSE.lessons.index(LESSON_OF[task]) for task in tasks) for tasks in COURSE.mine.values()]
    assert first == sorted(first)
