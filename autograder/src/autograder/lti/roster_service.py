"""Read the class list from a platform's names and roles service, and match its members to students."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pylti1p3.names_roles import NamesRolesProvisioningService

from autograder.classroom.class_roster import Person, Roster, person_of, safe_id
from autograder.lti.course_store import PlatformContext, StateStore
from autograder.lti.launch import is_role
from autograder.lti.platform_client import Connection, Unreachable
from autograder.lti.registrations import Registrations
from autograder.records.authoring_errors import UserError

TEST_USER = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"
MOST_PAGES = 1000


class BadMembers(UserError):
    """A platform's class list cannot be used. The message says why."""


@dataclass(frozen=True)
class Member:
    """A student on a platform, with the platform's user id."""

    user: str  # the platform's id
    person: Person


@dataclass(frozen=True)
class PlatformRoster:
    """The class list of a course on a platform."""

    students: Sequence[Member]
    others: int  # the number of teachers, guests, former members, a platform's own test student


def pull(connection: Connection, context: PlatformContext) -> PlatformRoster:
    """Return the students of a course, read page by page.

    Raises:
        Unreachable: the platform does not return its list.
    """
    service = NamesRolesProvisioningService(connection, {"context_memberships_url": context.memberships})
    students: dict[str, Member] = {}
    seen: set[str] = set()
    others, page = 0, context.memberships
    while page:
        if page in seen or len(seen) >= MOST_PAGES:
            raise Unreachable("The platform's class list has no last page.")
        seen.add(page)
        answer = service.get_nrps_data(page)
        members = answer["body"].get("members") if isinstance(answer["body"], dict) else None
        if not isinstance(members, list):
            raise Unreachable("The platform's class list holds no members.")
        for entry in members:
            student = _student(entry)
            if student:
                students[student.user] = student
            others += student is None
        page = answer["next_page_url"]
    return PlatformRoster(list(students.values()), others)


def _student(entry: object) -> Member | None:
    """Return an active student of a class list; None for whoever else it is."""
    if not isinstance(entry, dict):
        return None

    def text(name: str) -> str:
        value = entry.get(name)
        return value.strip()[:255] if isinstance(value, str) else ""

    given = entry.get("roles")
    roles = [role for role in given if isinstance(role, str)] if isinstance(given, list) else []
    user = text("user_id")
    is_student = any(is_role(role, "Learner") for role in roles) and TEST_USER not in roles
    if not user or not is_student or text("status") not in ("", "Active"):
        return None
    person = person_of(
        {
            "number": text("lis_person_sourcedid"),
            "email": text("email"),
            "first_name": text("given_name"),
            "last_name": text("family_name"),
            "full_name": text("name"),
        }
    )
    return Member(user, person if person.id else replace(person, id=safe_id(user)))


def placed(
    listed: Iterable[Member], roster: Roster, identities: Mapping[str, str]
) -> tuple[list[Person], dict[str, str]]:
    """Return the platform's members as people for the roster, and match their user ids to student ids.

    A member who was matched before keeps the student id, even if the platform now states another email
    address.

    Args:
        listed: the members on the platform.
        roster: the class's roster.
        identities: the student id of each user id that was matched before.

    Returns:
        The people, and the student id of each user id.

    Raises:
        BadMembers: two members match one student, or a member has no usable id.
    """
    people: dict[str, Person] = {}
    users: dict[str, str] = {}
    for member in listed:
        before = identities.get(member.user)
        if before in roster.people:
            person = replace(member.person, id=str(before))
        else:
            person = roster.merged(member.person)
        if not person.id:
            raise BadMembers(
                "The platform names somebody whose id has no letter or digit. Nothing was changed."
            )
        if person.id in people:
            both = f"{people[person.id].name} and {member.person.name}"
            raise BadMembers(
                f"{both} are two people on the platform, and would both be {person.id}. Nothing was changed."
            )
        people[person.id] = person
        users[member.user] = person.id
    return list(people.values()), users


def courses_of(memory: StateStore, registered: Registrations) -> list[PlatformContext]:
    """Return the courses that `lti.toml` names and from which somebody has launched the tool.

    Raises:
        BadMembers: there is no such course.
    """
    contexts = []
    for context in memory.contexts():
        platform = registered.find(context.issuer, context.client)
        if platform and context.context in platform.courses and context.deployment in platform.deployments:
            contexts.append(context)
    if not contexts:
        raise BadMembers(
            "Nobody has come from the platform yet, so its services are not known. Open the tool there once "
            "as a teacher, while `autograder lti` runs."
        )
    return contexts
