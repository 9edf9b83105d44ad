"""Gather the scores of a class, and write them into a list that a learning platform exported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from autograder.classroom import gradebook_queries
from autograder.classroom.class_roster import Person, Roster, normalize_name, person_of
from autograder.classroom.csv_tables import BadList, Table, number_in
from autograder.classroom.gradebook_queries import HandedIn, Mark
from autograder.grading import unscaled_scores
from autograder.grading.class_folder import Class
from autograder.grading.unscaled_scores import OtherMaximum
from autograder.words.phrases import listed

# Puts a student's scores into a row; returns whether there were any, and what the platform keeps for itself.
Fill = Callable[[list[str], str], tuple[bool, str]]


@dataclass(frozen=True)
class Scores:
    """The scores that count, by student and lesson, after penalties for lateness."""

    people: Sequence[Person]
    lessons: Sequence[str]
    possible: Mapping[str, float]
    scores: Mapping[tuple[str, str], float]
    waiting: Mapping[str, Sequence[str]]  # the student of each answer that nobody has read, by lesson
    # Tasks with manual points that were graded again since, with their students, by lesson.
    by_hand: Mapping[str, Sequence[str]]
    marks: Sequence[Mark]
    handed_in: Sequence[HandedIn]
    # What an assignment is called on a platform where that is not the lesson's name, as an exam's, by lesson.
    titles: Mapping[str, str] = field(default_factory=dict)

    def title(self, lesson: str) -> str:
        """Return what a lesson's assignment is called on a platform."""
        return self.titles.get(lesson, lesson)

    def without(self, students: Collection[str]) -> Scores:
        """Return the scores without those of some students, who have left the class."""
        people = [person for person in self.people if person.id not in students]
        staying = {which: score for which, score in self.scores.items() if which[0] not in students}
        marks = [mark for mark in self.marks if mark.student not in students]
        waiting, by_hand = _to_look_at(marks)
        return replace(self, people=people, scores=staying, waiting=waiting, by_hand=by_hand, marks=marks)


@dataclass(frozen=True)
class Merged:
    """A platform's file with scores filled in, and the rows and scores that could not be matched."""

    text: str
    filled: int
    strangers: Sequence[str]  # rows of nobody in the gradebook, or of several possible people
    missing: Sequence[str]  # students with a score but without a row
    left_out: Sequence[str] = ()  # graded lessons without a column
    kept_back: Sequence[str] = ()  # the reasons why no score of a lesson was written
    empty: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by lesson, who has a row and no score
    untouched: Sequence[
        str
    ] = ()  # students with a cell that the platform has excused or locked, and with what
    passed_over: Sequence[str] = ()  # columns of the right name and another maximum, where one fits


def scores(course: Class) -> Scores:
    """Return the scores in the gradebook."""
    with gradebook_queries.opened(course.database) as book:
        all_marks, possible, people, handed_in = book.of(), book.possible(), book.members(), book.handed_in()
    totals: dict[tuple[str, str], float] = defaultdict(float)
    for mark in all_marks:
        totals[mark.student, mark.lesson] += mark.score
    for each in handed_in:
        if (each.student, each.lesson) in totals:
            totals[each.student, each.lesson] = max(0.0, totals[each.student, each.lesson] - each.penalty)
    lessons = [lesson for lesson in course.banks.course.lessons if lesson in possible]
    titles = {lesson: course.title(lesson) for lesson in lessons}
    to_look_at = _to_look_at(all_marks)
    return Scores(people, lessons, possible, totals, *to_look_at, all_marks, handed_in, titles)


def _to_look_at(marks: Iterable[Mark]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the answers that nobody has read, and those that changed below points by hand, by lesson."""
    waiting: dict[str, list[str]] = defaultdict(list)
    by_hand: dict[str, list[str]] = defaultdict(list)
    for mark in marks:
        if mark.to_read and mark.manual is None:
            waiting[mark.lesson].append(mark.student)
        elif mark.waiting:
            by_hand[mark.lesson].append(f"{mark.task} of {mark.student}")
    return waiting, by_hand


def factor(
    class_scores: Scores, lesson: str, maximum: str, scale: bool, where: str = unscaled_scores.PLATFORM
) -> float:
    """Return the factor by which a lesson's scores are multiplied for a platform's file.

    Args:
        class_scores: the scores of the class.
        lesson: the lesson's name.
        maximum: the maximum in the file, as text; "" or "-" if it states none.
        scale: whether scores may be scaled to the file's maximum.
        where: the place of the maximum, for messages.

    Raises:
        BadList: the maximum is not a number.
        OtherMaximum: the maximum is not ours, and `scale` is false.
    """
    there, title = maximum.strip() not in ("", "-"), class_scores.title(lesson)
    theirs = number_in(maximum) if there else None
    if there and theirs is None:
        raise BadList(f"{title}: the maximum {where}, “{maximum}”, is no number. Nothing was written.")
    return unscaled_scores.factor(title, class_scores.possible[lesson], theirs, scale, where)


def merged(class_scores: Scores, table: Table, fill: Fill, lessons: Sequence[str]) -> Merged:
    """Return a platform's list with scores in its rows.

    Args:
        class_scores: the scores of the class.
        table: the list.
        fill: writes a student's scores into a row. It tells whether it wrote any, and why it left a cell
            unchanged.
        lessons: the lessons' names.
    """
    roster = Roster(class_scores.people)
    strangers, untouched = [], []
    filled, with_row = set(), set()
    for row, values in zip(table.rows, table.entries, strict=True):
        if not values:
            continue
        person = person_of(values)
        students = roster.find(person)
        if len(students) != 1:
            reason = f"could be {' or '.join(sorted(students))}" if students else "not in the gradebook"
            strangers.append(f"{person.name} ({reason})")
            continue
        (student,) = students
        with_row.add(student)
        any_written, why_not = fill(row, student)
        if any_written:
            filled.add(student)
        if why_not:
            untouched.append(f"{roster.people[student].who}: {why_not}")
    scored = {student for student, lesson in class_scores.scores if lesson in lessons}
    empty = {
        lesson: sorted(student for student in with_row if (student, lesson) not in class_scores.scores)
        for lesson in lessons
    }
    return Merged(
        table.text, len(filled), strangers, sorted(scored - with_row), empty=empty, untouched=untouched
    )


def fill_columns(
    class_scores: Scores,
    table: Table,
    titles: Mapping[int, tuple[str, str]],
    lesson: str,
    scale: bool,
    item: str,
    platform: str,
    excused: str | None = None,
) -> Merged:
    """Fill the columns of a gradebook export that have the names of lessons, or of exams.

    Of several columns of one name, those are filled whose maximum is ours.

    Args:
        class_scores: the scores of the class.
        table: the export.
        titles: the names of its columns of scores, each with its maximum, as `factor` takes it.
        lesson: the only lesson to fill in; "" for all.
        scale: whether to scale scores to a column's maximum.
        item: what the platform calls what has such a column, with its article.
        platform: the platform's name.
        excused: what the platform writes in the place of a score that it does not ask of a student.

    Raises:
        BadList: there is no such column, or its maximum is not a number.
        OtherMaximum: the maximum of every such column is not ours, and `scale` is false.
    """
    wanted = [name for name in class_scores.lessons if lesson in ("", name)]
    if not wanted:
        raise BadList(f"Nothing{f' of {lesson}' if lesson else ''} is graded yet.")
    columns = {
        column: lesson_name
        for column, (title, _) in titles.items()
        for lesson_name in wanted
        if normalize_name(title) == normalize_name(class_scores.title(lesson_name))
    }
    if not columns:
        names = ", ".join(map(class_scores.title, wanted))
        raise BadList(
            f"No column is called as a lesson that is graded: {names}. Make "
            f"{item} of that name in {platform}, export the gradebook again, and use that file."
        )
    factors: dict[int, float] = {}
    problems: list[BadList | OtherMaximum] = []
    passed_over: list[str] = []
    for name in dict.fromkeys(columns.values()):
        maxima = {column: titles[column][1] for column, of in columns.items() if of == name}
        try:
            chosen = _factors(class_scores, name, maxima, scale)
        except (BadList, OtherMaximum) as problem:
            problems.append(problem)
            continue
        factors |= chosen
        passed_over += [
            f"the column called {class_scores.title(name)} whose maximum is {maximum}"
            for column, maximum in maxima.items()
            if column not in chosen
        ]
    if not factors:
        raise problems[0]

    excused_cells: set[tuple[str, str]] = set()  # by lesson and student

    def fill_row(row: list[str], student: str) -> tuple[bool, str]:
        scores = {column: class_scores.scores.get((student, columns[column])) for column in factors}
        scored = {column: score for column, score in scores.items() if score is not None}
        are_excused = {column for column in factors if excused and row[column].strip().upper() == excused}
        excused_cells.update((columns[column], student) for column in are_excused)
        for filled_column in scored.keys() - are_excused:
            row[filled_column] = f"{round(scored[filled_column] * factors[filled_column], 2):g}"
        lessons = [class_scores.title(columns[column]) for column in scored if column in are_excused]
        why_not = f"{listed(lessons)} is excused ({excused})" if lessons else ""
        return not scored.keys() <= are_excused, why_not

    filled = merged(class_scores, table, fill_row, [columns[column] for column in factors])
    graded = {name for _, name in class_scores.scores}
    left_out = [class_scores.title(name) for name in wanted if name in graded - {*columns.values()}]
    kept_back = [str(problem) for problem in problems]
    empty = {
        name: [student for student in students if (name, student) not in excused_cells]
        for name, students in filled.empty.items()
    }
    return replace(filled, left_out=left_out, kept_back=kept_back, passed_over=passed_over, empty=empty)


def _factors(class_scores: Scores, lesson: str, maxima: Mapping[int, str], scale: bool) -> dict[int, float]:
    """Return the columns of a lesson to fill, each with the factor of the scores.

    Args:
        class_scores: the scores of the class.
        lesson: the lesson's name.
        maxima: what can be earned in each column of its name.
        scale: whether scores may be scaled, where it has a single column.

    Raises:
        BadList: the maximum of its only column is not a number.
        OtherMaximum: no column has our maximum, and it has several or `scale` is false.
    """
    if len(maxima) == 1:
        return {column: factor(class_scores, lesson, maximum, scale) for column, maximum in maxima.items()}
    fitting: dict[int, float] = {}
    for column, maximum in maxima.items():
        with suppress(BadList, OtherMaximum):
            fitting[column] = factor(class_scores, lesson, maximum, scale=False)
    if not fitting:
        possible = f"{class_scores.possible[lesson]:g}"
        raise OtherMaximum(
            f"{len(maxima)} columns are called {class_scores.title(lesson)}, and none has {possible} points. "
            f"Change the maximum of the right one on the platform to {possible}."
        )
    return fitting
