"""The commands of a class on a platform that speaks LTI 1.3."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command import console
from autograder.command.console import Proxies, Root, class_of, course_of, limits_behind, refuse, say
from autograder.words.language import ngettext

if TYPE_CHECKING:
    from autograder.classroom.class_roster import Person
    from autograder.classroom.gradebook_roster import Enrolment
    from autograder.classroom.score_export import Scores
    from autograder.grading.class_folder import Class
    from autograder.lti.course_store import PlatformContext
    from autograder.lti.platform_client import Connection
    from autograder.lti.registrations import Registrations

app = typer.Typer(
    cls=console.Commands,
    invoke_without_command=True,
    help="Serve this class to a learning platform by LTI 1.3.",
    epilog="Example: autograder lti --port 8443",
)


def needed() -> None:
    """End the command where the extra is not installed."""
    try:
        import jwt  # noqa: F401
        import pylti1p3  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as missing:
        refuse(f"{missing}. LTI needs more packages: pip install 'lesson-autograder[grade,lti]'")


@app.callback()
def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="An address of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="A port of this machine; any free one if 0.")] = 8443,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="A certificate for TLS, as PEM, with its chain.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="The certificate's private key, as PEM.")] = None,
    proxy: Proxies = None,
    course: Root = Path(),
) -> None:
    """Serve this class to a learning platform by LTI 1.3: launches, links to lessons, public keys."""
    if context.invoked_subcommand:
        return
    needed()
    from autograder.lti.registrations import Registrations
    from autograder.lti.web_app import server

    limits = limits_behind(proxy)
    if (certificate is None) != (key is None):
        refuse("A certificate and its key go together: --certificate FILE --key FILE.")
    class_folder = class_of(course)
    registered = Registrations.read(class_folder.banks.course)
    log = logging.getLogger("autograder.lti")
    log.setLevel(logging.INFO)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    log.addHandler(handler)
    serving = server(class_folder, registered, certificate, key, limits)
    with socket.create_server((host, port)) as listening:
        at = listening.getsockname()
        say(f"Listening at {at[0]}, port {at[1]}; platforms find it at {registered.address}. Ctrl-C ends it.")
        for what, path in (("login", "login"), ("launch", "launch"), ("public keys", "jwks")):
            say(f"  {what}: {registered.at(path)}")
        with suppress(KeyboardInterrupt):
            serving.run(sockets=[listening])


@app.command()
def rotate(
    forget: Annotated[
        bool, typer.Option("--forget", help="Publish the old keys no longer: somebody else has read one.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Make a new key; the old one's public half stays published for three days."""
    needed()
    from autograder.lti import signing_keys

    loaded_course = course_of(course)
    signing_keys.rotate(loaded_course, forget)
    where = signing_keys.folder(loaded_course)
    say(f"A new key lies in {where}; what is signed from now on is signed with it.")
    notice = "The old key's public half stays published for three days."
    say("The old keys are published no longer." if forget else notice)


def registration_of(class_folder: Class) -> tuple[Registrations, Callable[[PlatformContext], Connection]]:
    """Return what a class is registered with, and what makes the way to each course's platform."""
    needed()
    from autograder.lti.platform_client import Connection
    from autograder.lti.registrations import Registrations
    from autograder.lti.signing_keys import keyring

    registered = Registrations.read(class_folder.banks.course)
    keys = keyring(class_folder.banks.course)

    def connect(to: PlatformContext) -> Connection:
        platform = registered.find(to.issuer, to.client)
        assert platform is not None
        return Connection(platform.signing(keys))

    return registered, connect


def class_list(class_folder: Class, dry: bool, new: bool = False) -> tuple[list[Person], Enrolment]:
    """Put the platform's class list into the gradebook. Returns its people, and what changed by it.

    Args:
        class_folder: the class.
        dry: write nothing.
        new: take people in whose names are known and whose identifiers are not.
    """
    registered, connect = registration_of(class_folder)
    from autograder.classroom.gradebook_roster import class_list as everybody
    from autograder.classroom.gradebook_roster import enrol, refuse_namesakes
    from autograder.lti.course_store import remembered
    from autograder.lti.roster_service import courses_of, placed, pull

    people: dict[str, Person] = {}
    with remembered(Path(class_folder.directory.root)) as memory:
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
        enrolment = enrol(class_folder, people.values(), dry)
        for course, users in () if dry else identities:
            memory.know(course, users)
    return list(people.values()), enrolment


@dataclass(frozen=True)
class SendOrder:
    """What `export --lti` was asked for."""

    lessons: Sequence[str]
    scale: bool
    comments: bool
    dry: bool


def send(class_folder: Class, class_scores: Scores, order: SendOrder) -> bool:
    """Send scores to the platform, each once and again when it changed; tells whether all went well."""
    registered, connect = registration_of(class_folder)
    from autograder.lti.course_store import remembered
    from autograder.lti.roster_service import courses_of
    from autograder.lti.score_sender import GradebookColumns

    graded = sorted(
        {lesson for _, lesson in class_scores.scores} & {*order.lessons} & {*class_scores.lessons}
    )
    if not graded:
        refuse(f"Nothing of {', '.join(order.lessons)} is graded yet.")
    well = True
    placed: set[str] = set()
    with remembered(Path(class_folder.directory.root)) as memory:
        for course in courses_of(memory, registered):
            title = course.title or course.context
            columns = GradebookColumns(connect(course), course, memory)
            placed |= set(memory.people(course).values())
            for lesson in graded:
                column = columns.column(class_scores, lesson, order.scale, make=not order.dry)
                comments = comments_on(class_folder, lesson) if order.comments else None
                plan = columns.plan(class_scores, column, comments)
                for step in plan.steps if order.dry else columns.send(plan, order.comments):
                    say(step.told)
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
    """Return what people wrote below the answers of each student, in one text."""
    from autograder.classroom import gradebook_queries

    with gradebook_queries.opened(class_folder.database) as book:
        written = book.comments()
    lines: dict[str, list[str]] = {}
    for (of, student, cell), text in sorted(written.items()):
        if of == lesson and text.strip():
            lines.setdefault(student, []).append(f"{cell.removesuffix('-answer')}: {text.strip()}")
    return {student: "\n".join(written) for student, written in lines.items()}
