"""The commands that exchange files with a class: roster, collect, bundle, return."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from autograder.console import LessonName, Root, class_of, count, course_of, meant, refuse, say

if TYPE_CHECKING:
    from autograder.exchange.handed_in import Collected
    from autograder.exchange.people import Roster

app = typer.Typer()

DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would be done.")]
Given = Annotated[list[Path], typer.Argument(help="Archives from Canvas or Moodle, or any zip or folder.")]


@app.command()
def roster(
    file: Annotated[Path, typer.Argument(help="A list of students from Canvas, Moodle or a spreadsheet.")],
    dry_run: DryRun = False,
    course: Root = Path(),
) -> None:
    """Put a class list into nbgrader's gradebook."""
    from autograder.exchange.people import read_people
    from autograder.exchange.roster import enrol

    place = class_of(course)
    people = read_people(file)
    new, changed = enrol(place, people, dry_run)
    for state, some in (("new", new), ("changed", changed)):
        for person in some:
            say(f"{state}: {person.who}")
    say(
        f"{file.name} names {count(len(people), 'student')}: {len(new)} new, {len(changed)} changed, "
        f"{len(people) - len(new) - len(changed)} as before." + (" Nothing was written." if dry_run else "")
    )


@app.command()
def collect(
    files: Given,
    lesson: Annotated[str, typer.Option("--lesson", help="The lesson that they are of; else it shows.")] = "",
    times: Annotated[
        Path | None,
        typer.Option("--times", help="A list of who handed in when, such as Moodle's grading worksheet."),
    ] = None,
    who: Annotated[
        list[str] | None,
        typer.Option("--who", help="Whose something is: the platform's number or a file's name, =, the id."),
    ] = None,
    dry_run: DryRun = False,
    course: Root = Path(),
) -> None:
    """Put what a learning platform collected into submitted/, and say what belongs to whom."""
    from autograder.exchange.handed_in import Request, take_in
    from autograder.exchange.people import read_people
    from autograder.exchange.roster import class_list

    place = class_of(course)
    lessons = tuple(place.lessons)
    (expected,) = meant(lessons, [lesson]) if lesson else [""]
    people = tuple(read_people(times)) if times else ()
    students = class_list(place)
    named = _named(who or (), students)
    if not students.people:
        refuse("The gradebook names no students, so nobody can be matched. First: autograder roster FILE.csv")
    order = Request(place, lessons, students, expected, named, people, dry_run)
    outcome = take_in(order, files)
    _tell(outcome, students, dry_run)
    if outcome.unplaced:
        raise typer.Exit(1)


@app.command()
def bundle(
    lessons: Annotated[list[str], typer.Argument(help="Every lesson that students have by now: 01 02.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="A zip file or a folder.", show_default="COURSE.zip")
    ] = None,
    url: Annotated[str, typer.Option("--url", help="Where the wheel will be found, for Colab.")] = "",
    hints: Annotated[
        int | None,
        typer.Option("--hints", min=0, help="How many hints each task keeps; the last one tells nearly all."),
    ] = None,
    course: Root = Path(),
) -> None:
    """Pack what students get: notebooks, start.py and the checks, without solutions or hidden probes."""
    from autograder.exchange.bundle import bundle as pack
    from autograder.grading import secret

    place = course_of(course)
    names = meant(place.lessons, lessons)
    target = out or Path(f"{place.name}.zip")
    files = pack(place, names, target, url, hints)
    say(f"{target} holds {', '.join(names)}:")
    for name in files:
        say(f"  {name}")
    say(
        "What remains readable in the checks, because feedback needs it: the expected results on the example "
        "data and the public probes, and the hints. Solutions, hidden probes and the other example data are "
        "not in it."
    )
    for name, note in secret.Banks.of(place).notes.items():
        if name in names:
            say(f"{name}: {note}. Make them before you grade.")


@app.command(name="return")
def give_back(
    lesson: LessonName,
    moodle: Annotated[bool, typer.Option("--moodle", help="A zip for Moodle's feedback files.")] = False,
    canvas: Annotated[bool, typer.Option("--canvas", help="A zip for Canvas' upload.")] = False,
    folder: Annotated[bool, typer.Option("--folder", help="A folder for each student.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to.", show_default="returned/LESSON, or LESSON.zip")
    ] = None,
    course: Root = Path(),
) -> None:
    """Pack the feedback pages of a lesson for upload, each under the name that the platform knows."""
    from autograder.exchange import give_back as packing

    asked = {"moodle": moodle, "canvas": canvas, "folder": folder}
    forms: list[packing.Form] = [form for form in get_args(packing.Form) if asked[form]]
    if len(forms) != 1:
        refuse("Say one of --moodle, --canvas and --folder.")
    place = class_of(course)
    (name,) = meant(place.lessons, [lesson])
    target = out or Path(place.directory.root) / "returned" / (name if folder else f"{name}-{forms[0]}.zip")
    packed = packing.give_back(place, name, forms[0], target)
    for students, why in (
        (packed.without, f"have no feedback yet: nbgrader generate_feedback {name}"),
        (packed.stale, f"have feedback older than their grades: nbgrader generate_feedback {name} --force"),
        (
            packed.unknown,
            f"were not collected from {forms[0].title()}, so it does not know their files: --folder",
        ),
    ):
        if students:
            say(f"{count(len(students), 'student')} {why}: {', '.join(students)}")
    if not packed.files:
        refuse(f"There is no feedback to return for {name}.")
    say(f"{target} holds the feedback of {count(len(packed.files), 'student')}.")
    if packed.without or packed.stale or packed.unknown:
        raise typer.Exit(1)


@app.command()
def similar(
    lesson: LessonName,
    most: Annotated[int, typer.Option("--most", min=1, help="How many pairs to show.")] = 20,
    course: Root = Path(),
) -> None:
    """Find rare wrong answers, comments and written answers that two students share."""
    from autograder.exchange.roster import class_list
    from autograder.grading import verdicts
    from autograder.grading.similar import course_says
    from autograder.grading.similar import similar as compare

    place = class_of(course)
    (name,) = meant(place.lessons, [lesson])
    with verdicts.opened(place.database) as store:
        results = store.read(verdicts.TaskResult, name)
    people = class_list(place).people
    if not results:
        refuse(f"Nothing of {name} is graded yet: autograder grade {name}")
    pairs = compare(results, *course_says(place, name))
    for pair in pairs[:most]:
        say("\n" + " and ".join(people[one].who if one in people else one for one in pair.students))
        for one in pair.agreements:
            say(
                f"  {one.task}: {one.kind.name}, {one.alike:.0%} alike, {one.own} words or signs of their own"
            )
            for text in dict.fromkeys(one.texts):
                say("\n".join(f"    | {line}" for line in text.splitlines()[:20]))
                say("")
    students = len({one.student for one in results})
    if not pairs:
        say(
            f"{name}: no two of {students} students share a rare wrong answer, a comment or a written answer."
        )
        return
    shown = "" if len(pairs) <= most else f", the first {most} shown"
    say(
        f"{name}: {count(len(pairs), 'pair')} among {students} students{shown}. Agreement is a reason to "
        "ask both, and no proof."
    )


def _named(pairs: Iterable[str], students: Roster) -> dict[str, str]:
    named = {}
    for pair in pairs:
        called, _, student = pair.rpartition("=")
        if not called or student not in students.people:
            refuse(f"--who {pair}: what stands behind the = is the id of nobody in the roster.")
        named[called] = student
    return named


def _tell(outcome: Collected, students: Roster, dry: bool) -> None:
    for one in outcome.placed:
        several = f", the last of {len(one.before) + 1} versions" if one.before else ""
        say(f"{students.people[one.student].who}, {one.lesson}: {one.state}{several} ← {one.entry.path}")
    for lesson, missing in outcome.missing.items():
        if missing:
            people = ", ".join(students.people[one].who for one in missing)
            say(f"\n{lesson}: nothing from {count(len(missing), 'student')}: {people}")
    if outcome.others:
        say(f"\nNo notebook, so not graded: {count(len(outcome.others), 'file')}")
        for entry in outcome.others:
            say(f"  {entry.path}" + (f": {entry.refused}" if entry.refused else ""))
    for note in outcome.notes:
        say(f"\n{note}")
    if outcome.unplaced:
        say(f"\n{count(len(outcome.unplaced), 'notebook')} could not be placed:")
        for entry, reason in outcome.unplaced:
            say(f"  {entry.path}: {reason}")
    counts = {lesson: sum(one.lesson == lesson for one in outcome.placed) for lesson in outcome.missing}
    told = ", ".join(f"{lesson} from {count(number, 'student')}" for lesson, number in counts.items())
    end = "Nothing was written." if dry else "The archives themselves are kept in collected/archives/."
    say(f"\n{told or 'No notebook found'}; {len(outcome.unplaced)} not placed. {end}")
