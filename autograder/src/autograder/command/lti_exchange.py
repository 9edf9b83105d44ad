"""Exchange class lists and scores with a platform by LTI 1.3. This needs the extra `lti`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom import gradebook_queries
from autograder.classroom.class_roster import Person
from autograder.classroom.gradebook_roster import Enrolment, enrol, refuse_namesakes
from autograder.classroom.gradebook_roster import class_list as everybody
from autograder.classroom.score_export import Scores
from autograder.command.console import refuse, say
from autograder.grading.class_folder import Class
from autograder.lti.course_store import PlatformContext, open_store
from autograder.lti.platform_client import Connection
from autograder.lti.registrations import Registrations
from autograder.lti.roster_service import courses_of, placed, pull
from autograder.lti.score_sender import GradebookColumns
from autograder.lti.signing_keys import keyring
from autograder.words.language import ngettext


def registration_of(class_folder: Class) -> tuple[Registrations, Callable[[PlatformContext], Connection]]:
    """Return a class's registrations, and a function that connects to the platform of a course."""
    registered = Registrations.read(class_folder.banks.course)
    keys = keyring(class_folder.banks.course)

    def connect(to: PlatformContext) -> Connection:
        platform = registered.find(to.issuer, to.client)
        assert platform is not None
        return Connection(platform.signing(keys))

    return registered, connect


def class_list(class_folder: Class, dry: bool, new: bool = False) -> tuple[list[Person], Enrolment]:
    """Add the platform's class list to the gradebook.

    Args:
        class_folder: the class.
        dry: whether to write nothing.
        new: whether to accept people who have the name of a student but none of the student's identifiers.

    Returns:
        The people on the list, and the changes that they make to the class.
    """
    registered, connect = registration_of(class_folder)
    people: dict[str, Person] = {}
    with open_store(Path(class_folder.directory.root)) as memory:
        identities: list[tuple[PlatformContext, dict[str, str]]] = []
        for course in courses_of(memory, registered):
            title = course.title or course.context
            if not course.memberships:
                say(f"{course.issuer} offers no class list of {title} to this tool.")
                continue
            listed = pull(connect(course), course)
            students, users = placed(listed.students, everybody(class_folder), memory.people(course))
            identities.append((course, users))
            people |= {person.id: person for person in students}
            if listed.others:
                others = ngettext(
                    "{course}: {number} other is no student there now.",
                    "{course}: {number} others are no students there now.",
                    listed.others,
                    course=title,
                )
                say(others)
        if not new:
            refuse_namesakes(everybody(class_folder), list(people.values()))
        enrolment = enrol(class_folder, people.values(), dry, "the platform's list")
        for course, users in () if dry else identities:
            memory.save_people(course, users)
    return list(people.values()), enrolment


@dataclass(frozen=True)
class SendOrder:
    """The options of `export --lti`."""

    lessons: Sequence[str]
    scale: bool
    comments: bool
    dry: bool


def send(class_folder: Class, class_scores: Scores, order: SendOrder) -> bool:
    """Send scores to the platform: each once, and again if it has changed.

    Returns:
        True if every score was sent and every student with a score is on the platform's class list.
    """
    registered, connect = registration_of(class_folder)
    graded = sorted(
        {lesson for _, lesson in class_scores.scores} & {*order.lessons} & {*class_scores.lessons}
    )
    if not graded:
        refuse(f"Nothing of {', '.join(order.lessons)} is graded yet.")
    well = True
    placed: set[str] = set()
    with open_store(Path(class_folder.directory.root)) as memory:
        for course in courses_of(memory, registered):
            title = course.title or course.context
            columns = GradebookColumns(connect(course), course, memory)
            placed |= set(memory.people(course).values())
            for lesson in graded:
                column = columns.column(class_scores, lesson, order.scale, make=not order.dry)
                comments = comments_on(class_folder, lesson) if order.comments else None
                plan = columns.plan(class_scores, column, comments)
                for step in plan.steps if order.dry else columns.send(plan, order.comments):
                    say(step.description)
                    well &= not step.failed
                summary = ngettext(
                    "{course}, {lesson}: {number} score to send, {same} there already.",
                    "{course}, {lesson}: {number} scores to send, {same} there already.",
                    len(plan.steps),
                    course=title,
                    lesson=lesson,
                    same=plan.same,
                )
                say(summary + (" Nothing was sent." if order.dry else ""))
    scored = {student for student, lesson in class_scores.scores if lesson in graded}
    for student in sorted(scored - placed):
        say(f"has a score and is not on the platform's class list: {student}. First: autograder roster --lti")
    return well and scored <= placed


def comments_on(class_folder: Class, lesson: str) -> dict[str, str]:
    """Return the comments on the answers of each student, joined into one text, by student id."""
    with gradebook_queries.opened(class_folder.database) as book:
        written = book.comments()
    lines: dict[str, list[str]] = {}
    for (of, student, cell), text in sorted(written.items()):
        if of == lesson and text.strip():
            lines.setdefault(student, []).append(f"{cell.removesuffix('-answer')}: {text.strip()}")
    return {student: "\n".join(written) for student, written in lines.items()}
