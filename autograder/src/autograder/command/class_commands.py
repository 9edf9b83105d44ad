"""The commands that exchange files with a class: roster, collect, bundle, return."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.console import (
    MORE,
    TERM,
    LessonName,
    Root,
    class_of,
    complain,
    course_of,
    refuse,
    resolve_lessons,
    say,
)
from autograder.command.lti_commands import class_list as platform_list
from autograder.words.language import ngettext
from autograder.words.phrases import listed

if TYPE_CHECKING:
    from autograder.classroom.class_roster import Person, Roster
    from autograder.classroom.collection import Collected
    from autograder.classroom.platforms.protocol import HandedFile, Platform
    from autograder.classroom.return_feedback import Packed
    from autograder.grading.class_folder import Class

app = typer.Typer()
READABLE = (
    "What remains readable in the checks, because feedback needs it: the expected results on the example "
    "data and the public probes, and the hints. Solutions, hidden probes and the other example data are "
    "not in it."
)

# Names of a list in a guessed encoding: by so many, a person sees whether the guess is right.
MOST_SHOWN_OF_A_GUESS = 5
# Files of one folder that are named one by one where they are no notebooks.
MOST_OF_A_FOLDER = 10
DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would be done.")]
Given = Annotated[list[Path], typer.Argument(help="Archives from Canvas or Moodle, or any zip or folder.")]


@app.command(rich_help_panel=TERM, epilog="Example: autograder roster canvas-gradebook.csv")
def roster(
    file: Annotated[
        Path | None, typer.Argument(help="A list of students from Canvas, Moodle or a spreadsheet.")
    ] = None,
    lti: Annotated[
        bool, typer.Option("--lti", help="Ask the platform that `autograder lti` serves for its list.")
    ] = False,
    new: Annotated[
        bool, typer.Option("--new", help="Take people in whose names are known and whose ids are not.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back the last change of the class list.")
    ] = False,
    dry_run: DryRun = False,
    course: Root = Path(),
) -> None:
    """Put a class list into nbgrader's gradebook."""
    from autograder.classroom.class_roster import read_people
    from autograder.classroom.gradebook_roster import class_list, enrol, refuse_namesakes
    from autograder.classroom.platforms.registry import platforms_of

    class_folder = class_of(course)
    if (bool(file), lti, undo).count(True) != 1:
        refuse("Name a list of students, or say --lti, or --undo.")
    if undo:
        _undo_roster(class_folder)
        return
    if file:
        people = read_people(file, [kind.lists for kind in platforms_of(class_folder.banks.course).values()])
        _show_guess(file, people)
        if not new:
            refuse_namesakes(class_list(class_folder), people)
        enrolment = enrol(class_folder, people, dry_run)
    else:
        people, enrolment = platform_list(class_folder, dry_run, new)
    there = class_list(class_folder)
    named = {there.merged(person).id for person in people}
    gone = [person.who for student, person in there.people.items() if student not in named]
    for state, some in (("new", enrolment.new), ("changed", enrolment.changed)):
        for person in some:
            say(f"{state}: {person.who}")
    summary = ngettext(
        "{file} names {number} student: {new} new, {changed} changed, {same} as before.",
        "{file} names {number} students: {new} new, {changed} changed, {same} as before.",
        len(people),
        file=file.name if file else "The platform",
        new=len(enrolment.new),
        changed=len(enrolment.changed),
        same=len(people) - len(enrolment.new) - len(enrolment.changed),
    )
    if gone:
        say(
            ngettext(
                "{number} student of the gradebook is not in it, and stays: {who}",
                "{number} students of the gradebook are not in it, and stay: {who}",
                len(gone),
                who=", ".join(gone),
            )
        )
    say(summary + (" Nothing was written." if dry_run else ""))


def _show_guess(file: Path, people: Sequence[Person]) -> None:
    """Say which encoding a list was read in, where it is a guess, with names to judge it by."""
    from autograder.classroom.csv_tables import guessed_encoding

    if encoding := guessed_encoding(file):
        names = listed(
            [person.name for person in people if not person.name.isascii()][:MOST_SHOWN_OF_A_GUESS]
        )
        say(
            f"{file.name} does not say its encoding, and is no UTF-8; it was read as {encoding}: {names}. "
            "If these names are wrong, save the list as CSV UTF-8 and type the command again; "
            "`autograder roster --undo` takes this one back."
        )


def _undo_roster(class_folder: Class) -> None:
    from autograder.classroom.gradebook_roster import undo

    removed, restored, stay = undo(class_folder)
    say(f"Taken back: {len(removed)} taken out of the class, {len(restored)} as they were before.")
    if stay:
        say(f"These have handed something in, and stay: {listed(stay)}.")


@app.command(rich_help_panel=TERM, epilog="Example: autograder collect submissions.zip")
def collect(
    files: Given,
    lesson: Annotated[str, typer.Option("--lesson", help="The lesson that they are of; else it shows.")] = "",
    times: Annotated[
        Path | None,
        typer.Option("--times", help="A list of who handed in when, such as Moodle's grading worksheet."),
    ] = None,
    who: Annotated[
        list[str] | None,
        typer.Option(
            "--who",
            help="Whose something is: the platform's number or a file's name, =, ids: 71=amy or 71=amy,bob.",
        ),
    ] = None,
    dry_run: DryRun = False,
    course: Root = Path(),
) -> None:
    """Put what a learning platform collected into submitted/, and say what belongs to whom."""
    from autograder.classroom.class_roster import read_people
    from autograder.classroom.collect_submissions import collect_files
    from autograder.classroom.collection import Request
    from autograder.classroom.gradebook_roster import class_list
    from autograder.classroom.platforms.registry import platforms_of

    class_folder = class_of(course)
    lessons = tuple(class_folder.lessons)
    (expected,) = resolve_lessons(lessons, [lesson]) if lesson else [""]
    platforms = platforms_of(class_folder.banks.course)
    lists = [kind.lists for kind in platforms.values()]
    when = tuple(read_people(times, lists, class_folder.policy.zone)) if times else None
    students = class_list(class_folder)
    named = _named(who or (), students)
    if not students.people:
        refuse("The gradebook names no students, so nobody can be matched. First: autograder roster FILE.csv")
    order = Request(class_folder, lessons, students, platforms, expected, named, when, dry_run)
    outcome = collect_files(order, files)
    _tell(outcome, students, dry_run)
    complain(outcome.useless)
    if outcome.needs_a_look:
        raise typer.Exit(1)


@app.command(rich_help_panel=TERM, epilog="Example: autograder bundle 01 02")
def bundle(
    lessons: Annotated[list[str], typer.Argument(help="Every lesson that students have by now: 01 02.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="A zip file or a folder.", show_default="COURSE.zip")
    ] = None,
    url: Annotated[
        str, typer.Option("--url", help="The address of a folder where the wheels will be found, for Colab.")
    ] = "",
    hints: Annotated[
        int | None,
        typer.Option("--hints", min=0, help="How many hints each task keeps; the last one tells nearly all."),
    ] = None,
    exam: Annotated[
        bool, typer.Option("--exam", help="An exam: checks only say “received”, and no answer is packed.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Pack what students get: notebooks, start.py and the checks, without solutions or hidden probes."""
    import nbformat

    from autograder.classroom.bundle_wheels import release
    from autograder.classroom.exam_release import write_releases
    from autograder.classroom.student_bundle import bundle as pack
    from autograder.grading.grading_banks import Banks

    loaded_course = course_of(course)
    names = resolve_lessons(loaded_course.lessons, lessons)
    target = out or Path(f"{loaded_course.name}{'-exam' if exam else ''}.zip")
    asked = [task for name in names for task in write_releases(loaded_course, name)] if exam else []
    files = pack(loaded_course, names, target, url, hints, exam)
    say(f"{target} holds {', '.join(names)}:")
    for name in files:
        say(f"  {name}")
    if exam:
        say(
            f"It asks {', '.join(asked)}. Of these it holds no answer, hint or mistake; the repository of a "
            "public course does. In this folder, the exam is now what the lesson is graded by: "
            f"`autograder build {' '.join(names)}` brings the lesson back."
        )
    else:
        say(READABLE)
    for name in names:
        points = sum(
            cell.metadata.get("nbgrader", {}).get("points", 0)
            for cell in nbformat.read(release(loaded_course, name), as_version=4).cells
        )
        say(f"On Canvas or Moodle, create an assignment that is called {name} and has {points:g} points.")
    for name, note in Banks.of(loaded_course).notes.items():
        if name in names:
            say(f"{name}: {note}. Make them before you grade.")


@app.command(rich_help_panel=MORE, epilog="Example: autograder gradescope 01")
def gradescope(
    lesson: LessonName,
    out: Annotated[
        Path | None, typer.Option("--out", help="A zip file.", show_default="LESSON-gradescope.zip")
    ] = None,
    visibility: Annotated[
        str,
        typer.Option(
            "--visibility", help="When tests are seen: visible, after_due_date, after_published or hidden."
        ),
    ] = "visible",
    scale: Annotated[
        bool,
        typer.Option("--scale", help="Where Gradescope's maximum is another one, scale the scores to it."),
    ] = False,
    course: Root = Path(),
) -> None:
    """Pack a lesson's autograder for Gradescope, which grades each submission in a container of its own."""
    from autograder.classroom.gradescope_zip import VISIBILITIES, pack

    loaded_course = course_of(course)
    (name,) = resolve_lessons(loaded_course.lessons, [lesson])
    if visibility not in VISIBILITIES:
        refuse(f"There is no visibility {visibility}. There are: {', '.join(VISIBILITIES)}.")
    path = pack(loaded_course, name, out or Path(f"{name}-gradescope.zip"), visibility, scale)
    say(f"{path} holds the autograder of {name}. Upload it to Gradescope, under “Configure Autograder”.")
    say("It holds the answers, so give it to nobody else. Its hidden probes are drawn for it alone.")


@app.command(rich_help_panel=MORE, epilog="Example: autograder requests request-jdoe.csv")
@app.command(name="regrade", hidden=True)  # its name up to 0.3
def requests(
    files: Annotated[
        list[Path], typer.Argument(help="CSV files, folders or archives of them: who, lesson, task, request.")
    ],
    course: Root = Path(),
) -> None:
    """Take in what students ask about their scores; the desk shows it, to be answered."""
    from autograder.classroom import regrade_requests
    from autograder.classroom.gradebook_roster import class_list
    from autograder.classroom.platforms.registry import platforms_of

    class_folder = class_of(course)
    outcome = regrade_requests.collect_requests(
        class_folder, files, platforms_of(class_folder.banks.course), class_list(class_folder)
    )
    for asked in outcome.new:
        say(f"{asked.student}, {asked.lesson}, {asked.task}: {asked.text}")
    complain(outcome.odd)
    many = len(outcome.new)
    message = ngettext("{number} request is new", "{number} requests are new", many)
    say(f"{message}, {outcome.known} known already. Answer them at the desk: autograder desk")
    if outcome.odd:
        raise typer.Exit(1)


@app.command(rich_help_panel=TERM, epilog="Example: autograder feedback 01")
def feedback(
    lesson: LessonName,
    anew: Annotated[bool, typer.Option("--anew", help="Make pages again that are up to date.")] = False,
    course: Root = Path(),
) -> None:
    """Make the feedback pages of a lesson that are missing, or older than the grades."""
    from autograder.classroom.return_feedback import make_pages

    class_folder = class_of(course)
    (name,) = resolve_lessons(class_folder.lessons, [lesson])
    if not any(submission.graded.is_file() for submission in class_folder.submissions(name)):
        refuse(f"Nothing of {name} is graded yet: autograder grade {name}")
    pages, failed = make_pages(class_folder, name, anew)
    say(
        ngettext(
            "{number} page made: {folder}",
            "{number} pages made: {folder}",
            len(pages),
            folder=class_folder.directory.feedback_directory,
        )
    )
    if failed:
        refuse(f"No page could be made for {listed(failed)}.")


@app.command(name="return", rich_help_panel=TERM, epilog="Example: autograder return 01 --canvas")
def give_back(
    lesson: LessonName,
    moodle: Annotated[bool, typer.Option("--moodle", help="A zip for Moodle's feedback files.")] = False,
    canvas: Annotated[bool, typer.Option("--canvas", help="A zip for Canvas' upload.")] = False,
    folder: Annotated[bool, typer.Option("--folder", help="A folder for each student.")] = False,
    platform: Annotated[
        str, typer.Option("--platform", help="A zip for another platform, which the course adds: its name.")
    ] = "",
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Pack pages that are older than the grades.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to.", show_default="returned/LESSON, or LESSON.zip")
    ] = None,
    course: Root = Path(),
) -> None:
    """Pack the feedback pages of a lesson for upload, each under the name that the platform knows."""
    from autograder.classroom import return_feedback as packing
    from autograder.classroom.platforms.registry import platforms_of

    asked = {"moodle": moodle, "canvas": canvas, "folder": folder, platform: bool(platform)}
    chosen = [form for form, is_asked in asked.items() if is_asked]
    if len(chosen) != 1:
        refuse("Say one of --moodle, --canvas, --folder and --platform.")
    class_folder = class_of(course)
    (name,) = resolve_lessons(class_folder.lessons, [lesson])
    platforms = platforms_of(class_folder.banks.course)
    if chosen[0] not in platforms:
        refuse(f"There is no platform {chosen[0]}. There are: {', '.join(platforms)}.")
    to = platforms[chosen[0]]
    ending = f"{name}-{to.name}.zip" if to.knows_pages else name
    target = out or Path(class_folder.directory.root) / "returned" / ending
    packed = packing.give_back(class_folder, name, to, target, anyway)
    _say_who_is_left_out(packed, name, to)
    if packed.stale and not anyway:
        refuse("Nothing was packed: students would read of scores that they no longer have. Or say --anyway.")
    if not packed.files:
        refuse(f"There is no feedback to return for {name}.")
    held = ngettext(
        "{file} holds the feedback of {number} student.",
        "{file} holds the feedback of {number} students.",
        len(packed.files),
        file=target,
    )
    say(held)
    if packed.without or packed.stale or packed.unknown:
        raise typer.Exit(1)


def _say_who_is_left_out(packed: Packed, lesson: str, to: Platform) -> None:
    """Say for whom there is no page in what was packed, and what helps."""
    for students, why in (
        (
            packed.without,
            ngettext(
                "{number} student has no feedback yet: autograder feedback {lesson}",
                "{number} students have no feedback yet: autograder feedback {lesson}",
                len(packed.without),
                lesson=lesson,
            ),
        ),
        (
            packed.stale,
            ngettext(
                "{number} student has feedback older than their grades: autograder feedback {lesson}",
                "{number} students have feedback older than their grades: autograder feedback {lesson}",
                len(packed.stale),
                lesson=lesson,
            ),
        ),
        (
            packed.unknown,
            ngettext(
                "{number} student was not collected from {platform}, so it does not know the file: --folder",
                "{number} students were not collected from {platform}, so it does not know their files: "
                "--folder",
                len(packed.unknown),
                platform=to.title,
            ),
        ),
    ):
        if students:
            say(f"{why}: {', '.join(students)}")


@app.command(rich_help_panel=MORE, epilog="Example: autograder similar 01")
def similar(
    lesson: LessonName,
    most: Annotated[int, typer.Option("--most", min=1, help="How many pairs to show.")] = 20,
    course: Root = Path(),
) -> None:
    """Find rare wrong answers, comments and written answers that two students share."""
    from autograder.classroom.gradebook_roster import class_list
    from autograder.classroom.similar_answers import course_says
    from autograder.classroom.similar_answers import similar as compare
    from autograder.grading import graded_results

    class_folder = class_of(course)
    (name,) = resolve_lessons(class_folder.lessons, [lesson])
    with graded_results.opened(class_folder.database) as store:
        results = store.read(graded_results.TaskResult, name)
    people = class_list(class_folder).people
    if not results:
        refuse(f"Nothing of {name} is graded yet: autograder grade {name}")
    pairs = compare(results, *course_says(class_folder, name))
    for pair in pairs[:most]:
        names = (people[student].who if student in people else student for student in pair.students)
        say("\n" + " and ".join(names))
        for agreement in pair.agreements:
            extent = ngettext(
                "{number} word or sign of their own",
                "{number} words or signs of their own",
                agreement.own_words,
            )
            usual = ", a mistake that many make" if agreement.common else ""
            say(f"  {agreement.task}: {agreement.kind.name}, {agreement.alike:.0%} alike, {extent}{usual}")
            if agreement.shared:
                say(f"    shared: {', '.join(agreement.shared)}")
            for text in dict.fromkeys(agreement.texts):
                say("\n".join(f"    | {line}" for line in text.splitlines()[:20]))
                say("")
    among = len({result.student for result in results})
    students = ngettext("{number} student", "{number} students", among)
    if not pairs:
        say(f"{name}: no two of {students} share a rare wrong answer, a comment or a written answer.")
        return
    shown = "" if len(pairs) <= most else f", the first {most} shown"
    summary = ngettext(
        "{number} pair among {students}", "{number} pairs among {students}", len(pairs), students=students
    )
    say(f"{name}: {summary}{shown}. Agreement is a reason to ask both, and no proof.")


def _named(pairs: Iterable[str], students: Roster) -> dict[str, str]:
    named = {}
    for pair in pairs:
        called, _, ids = pair.rpartition("=")
        if not called or not set(ids.split(",")) <= students.people.keys():
            refuse(f"--who {pair}: what comes after the = is the id of nobody in the roster.")
        named[called] = ids
    return named


def _by_folder(files: Sequence[HandedFile]) -> Iterator[str]:
    """Yield a line for each of some files, and of those in one folder a number after the first few."""
    folders: dict[str, list[HandedFile]] = {}
    for file in files:
        folders.setdefault(f"{file.archive} {file.folder or file.path.rpartition('/')[0]}", []).append(file)
    for several in folders.values():
        for file in several[:MOST_OF_A_FOLDER]:
            reason = file.refused or file.what
            yield file.path + (f": {reason}" if reason else "")
        if (more := len(several) - MOST_OF_A_FOLDER) > 0:
            yield f"… and {more} more beside {several[0].path}"


def _tell(outcome: Collected, students: Roster, dry: bool) -> None:
    for placed in outcome.placed:
        several = f", the last of {len(placed.before) + 1} versions" if placed.before else ""
        who = students.people[placed.student].who
        say(f"{who}, {placed.lesson}: {placed.state}{several} ← {placed.entry.path}")
    for lesson, missing in outcome.missing.items():
        if missing:
            people = ", ".join(students.people[student].who for student in missing)
            students_missing = ngettext("{number} student", "{number} students", len(missing))
            say(f"\n{lesson}: nothing from {students_missing}: {people}")
    if outcome.others:
        files = ngettext("{number} file", "{number} files", len(outcome.others))
        say(f"\nNo notebook, so not graded: {files}")
        for line in _by_folder(outcome.others):
            say(f"  {line}")
    if outcome.refused:
        say("\nNot read, since a limit was reached or the file is damaged:")
        for line in _by_folder(outcome.refused):
            say(f"  {line}")
    for note in outcome.notes:
        say(f"\n{note}")
    if outcome.unplaced:
        unplaced = ngettext(
            "{number} notebook could not be placed:",
            "{number} notebooks could not be placed:",
            len(outcome.unplaced),
        )
        say(f"\n{unplaced}")
        for entry, reason in outcome.unplaced:
            say(f"  {entry.path}: {reason}")
    by_lesson = {
        lesson: sum(placed.lesson == lesson for placed in outcome.placed) for lesson in outcome.missing
    }
    counted = ", ".join(
        ngettext("{lesson} from {number} student", "{lesson} from {number} students", number, lesson=lesson)
        for lesson, number in by_lesson.items()
    )
    end = "Nothing was written." if dry else "The archives themselves are kept in collected/archives/."
    counts = outcome.counts
    files = ngettext("{number} file", "{number} files", sum(counts.values()))
    each = ", ".join(f"{number} {name}" for name, number in counts.items())
    say(f"\n{counted or 'No notebook found'}; {len(outcome.unplaced)} not placed. {end}")
    say(f"{files} in all: {each}.")
