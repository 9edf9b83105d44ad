"""The command that finds similar work by two students."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom.collection import handed_in_together
from autograder.classroom.gradebook_roster import class_list
from autograder.classroom.similar_answers import IDENTICAL, PROFILE, WRITTEN, course_says
from autograder.classroom.similar_answers import similar as compare
from autograder.command.console import LessonName, Root, refuse, resolve_lessons, say
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.words.language import ngettext


def similar(
    lesson: LessonName,
    most: Annotated[int, typer.Option("--most", min=1, help="How many pairs to show.")] = 20,
    course: Root = Path(),
) -> None:
    """Find rare wrong answers, comments and written answers that two students share."""
    class_folder = Class.of(course)
    (name,) = resolve_lessons(class_folder.lessons, [lesson])
    with graded_results.opened(class_folder.database) as store:
        results = store.read(graded_results.TaskResult, name)
    people = class_list(class_folder).people
    if not results:
        refuse(f"Nothing of {name} is graded yet: autograder grade {name}")
    is_group = handed_in_together(class_folder, name)
    pairs = [
        pair for pair in compare(results, *course_says(class_folder, name)) if not is_group(pair.students)
    ]
    for pair in pairs[:most]:
        names = (people[student].who if student in people else student for student in pair.students)
        say("\n" + " and ".join(names))
        for agreement in pair.agreements:
            extent = ngettext(
                "{number} word or sign of their own",
                "{number} words or signs of their own",
                agreement.own_words,
            )
            # Of whole tasks that agree, the line below has the names.
            extent = f", {extent}" if agreement.kind not in (IDENTICAL, PROFILE) else ""
            many = ", a text that many wrote" if agreement.kind is WRITTEN else ", a mistake that many make"
            usual = many if agreement.common else ""
            say(f"  {agreement.task}: {agreement.kind.name}, {agreement.alike:.0%} alike{extent}{usual}")
            if agreement.shared:
                say(f"    shared: {', '.join(agreement.shared)}")
            for text in dict.fromkeys(agreement.texts):
                say("\n".join(f"    | {line}" for line in text.splitlines()[:20]))
                say("")
    among = len({result.student for result in results})
    students = ngettext("{number} student", "{number} students", among)
    if not pairs:
        rare = "a rare wrong answer or a rare comment"
        say(f"{name}: no two of {students} share a written answer of some length, {rare}.")
        return
    shown = "" if len(pairs) <= most else f", the first {most} shown"
    summary = ngettext(
        "{number} pair among {students}", "{number} pairs among {students}", len(pairs), students=students
    )
    say(f"{name}: {summary}{shown}. Agreement is a reason to ask both, and no proof.")
