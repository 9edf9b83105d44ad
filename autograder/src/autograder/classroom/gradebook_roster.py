"""Read and change the class list in nbgrader's gradebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from nbgrader.api import Student

from autograder.classroom import gradebook_queries
from autograder.classroom.class_roster import Person, Roster
from autograder.classroom.csv_tables import BadList
from autograder.grading.class_folder import Class
from autograder.grading.gradebook_writer import GradebookWriter
from autograder.grading.graded_results import Identifiers, InSection, RosterChange, now, readable
from autograder.grading.late_policy import FILE as POLICY
from autograder.words.phrases import listed

COLUMNS_OF_NBGRADER = ("first_name", "last_name", "email", "lms_user_id")
# What of a person is kept, in words.
KEPT = {
    "first_name": "first name",
    "last_name": "last name",
    "email": "address",
    "lms_user_id": "platform's number",
    "section": "section",
    "group": "group",
}
# A list is refused where more than this share of it has names of the class, and unknown identifiers.
SHARE_OF_NAMESAKES = 0.5


@dataclass(frozen=True)
class Enrolment:
    """The changes that a class list makes: the students that it adds, and those whose data it changes."""

    new: Sequence[Person]
    changed: Sequence[Person]
    before: Mapping[str, Person]
    returned: Sequence[Person] = ()  # those of the new ones whom `--remove` had taken out

    def description(self, person: Person) -> str:
        """Return what of a student's data changed, each with what it was."""
        old = self.before[person.id]
        values = ((words, getattr(old, key), getattr(person, key)) for key, words in KEPT.items())
        return ", ".join(f"{words} {was or 'none'} → {now}" for words, was, now in values if was != now)


def class_list(course: Class) -> Roster:
    """Return the students in the gradebook."""
    with gradebook_queries.opened(course.database) as book:
        return Roster(book.members())


def ids_of_nobody(course: Class, students: Iterable[str]) -> dict[str, str]:
    """Return those of some ids that neither the gradebook nor a submission has, each with like ones.

    Of a class that nobody has brought in yet, nothing can be told.
    """
    students = set(students)
    if not students:
        return {}
    ids = {*class_list(course).people, *course.students()}
    nobody = students - ids if ids else set()
    near = {student: get_close_matches(student, ids, n=3, cutoff=0.5) for student in sorted(nobody)}
    return {student: f" Do you mean {listed(like)}?" if like else "" for student, like in near.items()}


def folders_of_nobody(course: Class) -> dict[str, str]:
    """Return a sentence for each folder of submissions that is named after nobody in the class, by its name.

    Without a class list, students are known by their folders alone, and the result is empty.
    """
    roster = class_list(course)
    if all(person == Person(student) for student, person in roster.people.items()):
        return {}
    sentences = {}
    for name in set(course.students()) - roster.people.keys():
        owner = roster.people.get(roster.id_of(name))
        meant = (
            f"{name} is {owner.name}, whose folder is {course.submitted.name}/{owner.id}"
            if owner
            else f"nobody in the class has the id {name}"
        )
        sentences[name] = f"{course.submitted.name}/{name} is not graded: {meant}"
    return sentences


def strangers_in_policy(course: Class) -> list[str]:
    """Return a sentence for each id in `class.toml` that nobody in the class has."""
    policy = course.policy
    named = [(student, f"has more time for {lesson}") for lesson, student in policy.extensions]
    named += [(student, "has left") for student in policy.left]
    nobody = ids_of_nobody(course, (student for student, _ in named))
    roster = class_list(course) if nobody else Roster([])
    sentences = []
    for student, fact in named:
        if student in nobody:
            owner = roster.people.get(roster.id_of(student))
            meant = f" {owner.name} has the id {owner.id}." if owner else nobody[student]
            sentences.append(f"{POLICY}: {student} {fact}, and nobody in this class has that id.{meant}")
    return sentences


def refuse_namesakes(roster: Roster, people: Sequence[Person]) -> None:
    """Refuse a list that would add the class a second time under other identifiers.

    Raises:
        BadList: most people of the list have the name of a student, but none of the student's identifiers.
    """
    strangers = [
        person for person in people if person.id not in roster.people and roster.same(person) is None
    ]
    namesakes = [person for person in strangers if roster.find(person)]
    if namesakes and len(namesakes) > SHARE_OF_NAMESAKES * len(people):
        first = roster.people[min(roster.find(namesakes[0]))]
        raise BadList(
            f"{len(namesakes)} of {len(people)} people have the name of somebody in the class, and an id, "
            f"number and address that nobody in it has ({namesakes[0].who} of the list, {first.who} of the "
            "class). Nothing was changed. Use a list that has an identifier of the class in it: "
            "its ids or addresses. If these are other people, say --new."
        )


def enrol(course: Class, people: Iterable[Person], dry: bool = False, source: str = "") -> Enrolment:
    """Add the people of a list to the gradebook, and update those who are in it. Nobody is removed.

    A student who is already known by another identifier keeps the id, and all identifiers are kept.

    Args:
        course: the class.
        people: the people of the list.
        dry: whether to write nothing.
        source: the list's name.

    Raises:
        BadList: a person of the list shares identifiers with two students.
    """
    new, changed, returned = [], [], []
    roster = class_list(course)
    with GradebookWriter(course, dry=dry) as book, readable(course.database):
        removed = {record.student for record in book.verdicts.read(Identifiers)} - roster.people.keys()
        rows = {student.id: student for student in book.nbgrader.students}
        for listed in people:
            person = roster.merged(listed)
            old = roster.people.get(person.id)
            if old is None:
                new.append(person)
                returned += [person] if person.id in removed else []
            elif any(getattr(old, key) != getattr(person, key) for key in KEPT):
                changed.append(person)
            row = rows.setdefault(person.id, Student(id=person.id))
            for key in COLUMNS_OF_NBGRADER:
                setattr(row, key, getattr(person, key) or None)
            book.nbgrader.db.add(row)
            before = (old.section, old.group) if old else ("", "")
            if (person.section, person.group) != before:
                book.verdicts.replace(InSection(person.id, person.section, group=person.group))
            if person.other != (old.other if old else ()):
                book.verdicts.replace(Identifiers(person.id, person.other))
        if new or changed:
            book.verdicts.replace(_change(source, new, [roster.people[person.id] for person in changed]))
        book.nbgrader.db.commit()  # all of them, or nobody
    return Enrolment(new, changed, roster.people, returned)


def _change(source: str, new: Sequence[Person], before: Sequence[Person]) -> RosterChange:
    return RosterChange(
        now(),
        tuple(person.id for person in new),
        {person.id: {key: getattr(person, key) for key in KEPT} for person in before},
        {person.id: person.other for person in before},
        source=source,
    )


@dataclass(frozen=True)
class Undone:
    """A change of the class list that was taken back, with the ids of the students whom that changes."""

    change: RosterChange
    removed: Sequence[str]
    restored: Sequence[str]
    stay: Sequence[str]  # those whom the change added and who have submitted work


def undo(course: Class, dry: bool = False) -> Undone:
    """Undo the last change of the class list, and return it; write nothing if `dry`.

    Raises:
        BadList: there is no change to undo.
    """
    removed, restored, stay = [], [], []
    with GradebookWriter(course, dry=dry) as book, readable(course.database):
        last = next(iter(book.verdicts.read(RosterChange)), None)
        if last is None:
            raise BadList("No change of the class list is known that could be taken back.")
        rows = {student.id: student for student in book.nbgrader.students}
        for student in last.added:
            if student in rows and (rows[student].submissions or _has_work(course, student)):
                stay.append(student)
            elif student in rows:
                book.nbgrader.db.delete(rows[student])
                book.verdicts.forget_student(student)
                removed.append(student)
        for student, values in last.before.items():
            row = rows.get(student, Student(id=student))  # who was taken out has none
            for key in COLUMNS_OF_NBGRADER:
                setattr(row, key, values.get(key) or None)
            book.nbgrader.db.add(row)
            section, group = values.get("section", ""), values.get("group", "")
            book.verdicts.replace(InSection(student, section, group=group))
            book.verdicts.replace(Identifiers(student, tuple(last.identifiers.get(student, ()))))
            restored.append(student)
        book.verdicts.forget_student("")
        book.nbgrader.db.commit()
    return Undone(last, removed, restored, stay)


def remove(course: Class, student: str, dry: bool = False) -> Person:
    """Remove a student who has handed in nothing, and return their entry; write nothing if `dry`.

    Whom no list names, and whose folder was graded and is gone, is removed with the scores of the checks.

    Raises:
        BadList: there is no such student, or there is work or a score of theirs.
    """
    with GradebookWriter(course, dry=dry) as book, readable(course.database):
        roster = class_list(course)
        student = roster.id_of(student)
        person = roster.people.get(student)
        if person is None:
            raise BadList(f"Nobody in the class has the id {student}. Nothing was changed.")
        row = next(row for row in book.nbgrader.students if row.id == student)
        by_hand = any(
            grade.manual_score is not None
            for work in row.submissions
            for notebook in work.notebooks
            for grade in notebook.grades
        )
        points = by_hand if person == Person(student) else row.submissions
        if points or _has_work(course, student):
            leave_out = f'`left = ["{student}"]` in {POLICY} leaves them out of reports and exports.'
            raise BadList(
                f"{person.who} has handed something in or has points. Nothing was changed: {leave_out}"
            )
        book.nbgrader.remove_student(student)
        book.verdicts.forget_student(student)
        book.verdicts.replace(Identifiers(student, person.other))  # so that a later list can be told of it
        book.verdicts.replace(_change(f"--remove {student}", [], [person]))
        book.nbgrader.db.commit()
    return person


def _has_work(course: Class, student: str) -> bool:
    return any(course.place(course.directory.submitted_directory, student, ".").glob("*/*"))
