"""The `autograder` command."""

from __future__ import annotations

import getpass
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from difflib import get_close_matches
from functools import partial
from importlib import metadata
from ipaddress import ip_address
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from autograder import author
from autograder.author.parallel import each_lesson, processors
from autograder.command import console
from autograder.command.class_commands import app as exchange
from autograder.command.console import (
    AUTHOR,
    MORE,
    TERM,
    LessonName,
    LessonNames,
    Root,
    class_of,
    complain,
    course_of,
    refuse,
    resolve_lessons,
    say,
)
from autograder.command.live_command import app as live
from autograder.command.lti_commands import app as platform
from autograder.records.errors import AuthoringError
from autograder.words.language import ngettext, speak
from autograder.words.phrases import listed

if TYPE_CHECKING:
    from autograder.author.build_record import Stages
    from autograder.command import grade_command as command
    from autograder.grading.class_folder import Class
    from autograder.records.course import Course

app = typer.Typer(
    cls=console.Commands,
    context_settings=console.HELP,
    invoke_without_command=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Build a course, prove its checks, grade a class.",
)
app.add_typer(exchange)
app.add_typer(live)
app.add_typer(platform, name="lti", rich_help_panel=MORE)


@app.callback()
def _of_all(
    version: Annotated[bool, typer.Option("--version", help="Print the version, and exit.")] = False,
) -> None:
    if version:
        say(metadata.version("lesson-autograder"))
        raise typer.Exit


AtOnce = Annotated[int, typer.Option("--jobs", min=1, help="How many lessons are done at one time.")]


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder build 03")
def build(
    lessons: LessonNames = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="Make only what is in this language, as bn.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; list what is stale.")] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Build or check lessons of which nothing has changed, too.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Build again each time that a file is saved, until Ctrl-C.")
    ] = False,
    jobs: AtOnce = processors(),  # noqa: B008
    course: Root = Path(),
) -> None:
    """Make notebooks/, solutions/ and the bank from source/, and the same in other languages from locale/."""
    from autograder.author.build_record import BuildRecord, without_source

    loaded_course = course_of(course)
    names = resolve_lessons(loaded_course.lessons, lessons or [])
    if watch:
        from autograder.command.watch import watch as build_on_save

        spoken = [word for code in language or [] for word in ("--language", code)]
        build_on_save(loaded_course, names, [*spoken, "--jobs", str(jobs)])
    if not check and not language and (loaded_course.root / "submitted").is_dir():
        _keep_releases(loaded_course, names)
    record = BuildRecord(loaded_course, names)
    current = () if anew or language else record.unchanged if check else record.current
    names = [name for name in names if name not in current]
    before = {} if anew else {name: record.stages(name) for name in names}
    stale = without_source(loaded_course) if check else []
    problems: list[str] = []
    states: set[str] = set()
    work = partial(
        _built, loaded_course, check, not language, _languages(loaded_course, language or []), before
    )
    with _bar() as bar:
        task = bar.add_task("checking" if check else "building", total=len(names))
        for name, result in each_lesson(work, names, jobs):
            if isinstance(result, AuthoringError):
                problems += result.problems
            else:
                stale += result.stale
                states |= set(result.states)
                if not check and not language:
                    record.keep(name, result.stages.now)
                if not check:
                    say(f"{name}: {result.stages}")
            bar.update(task, description=name, advance=1)
    for line in (*sorted(states), *sorted(stale)):
        say(line)
    complain(problems)
    if problems:
        complain(["Nothing was changed in the lessons named above."])
    if problems or stale:
        raise typer.Exit(1)
    if check:
        checked = len(names) + len(current)
        say(ngettext("{number} lesson up to date.", "{number} lessons up to date.", checked))
        return
    if names or not current:
        say(ngettext("{number} lesson built.", "{number} lessons built.", len(names)))
    if current:
        say(ngettext("{number} lesson had not changed.", "{number} lessons had not changed.", len(current)))


class _Built(NamedTuple):
    """What came of a lesson's build, or of a look at what it would change."""

    stale: list[str]  # files, if it was only looked
    states: list[str]  # how far the translations are
    stages: Stages


def _built(
    course: Course,
    check: bool,
    english: bool,
    spoken: Sequence[str],
    before: Mapping[str, Mapping[str, str]],
    name: str,
) -> _Built:
    """Build a lesson in all languages, or only check it.

    Raises:
        AuthoringError: the lesson is not as it must be.
    """
    from autograder.author import pipeline, translated_lesson
    from autograder.author.build_record import Stages

    stages = Stages(before.get(name, {}))
    if check:
        stale = pipeline.stale(course, name, stages) if english else []
        for language in spoken:
            stale += translated_lesson.stale(course, language, name)
        return _Built(stale, [], stages)
    if english:
        pipeline.build(course, name, stages)
    states = translated_lesson.build(course, spoken, name, stages)
    return _Built([], [f"{language}/{state}" for language in spoken for state in states[language]], stages)


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder translate --language bn")
def translate(
    lessons: LessonNames = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="A language, as bn. All if none is named.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; list what is wrong in translations.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Gather what there is to translate into locale/, and say how far the translations are."""
    from autograder.author import translate as translations

    loaded_course = course_of(course)
    others = _languages(loaded_course, language or [])
    names = resolve_lessons(translations.files(loaded_course), lessons or [])
    problems: list[str] = []
    for name in names:
        for file in others:
            state = translations.update(loaded_course, file, name, check)
            say(f"{file}/{state}")
            problems += [f"{file}/{problem}" for problem in state.problems]
    complain(problems)
    if problems:
        raise typer.Exit(1)


def _languages(course: Course, names: Sequence[str]) -> list[str]:
    """Return the languages that were asked for, or all that the course is translated into."""
    for name in names:
        if name not in course.languages[1:]:
            refuse(
                f"The course is not translated into {name}: course.toml names {', '.join(course.languages)}."
            )
    return list(names) or list(course.languages[1:])


def _keep_releases(course: Course, names: Sequence[str]) -> None:
    """Keep what students are working on, where a class is there, before it is built anew."""
    from autograder.grading import releases
    from autograder.grading.class_folder import Class

    class_folder = Class(course.root)
    for name in names:
        if name in class_folder.lessons:
            releases.keep(class_folder.current(name))


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder site public")
def site(
    out: Annotated[Path, typer.Argument(help="The folder for the site; what it holds is replaced.")],
    course: Root = Path(),
) -> None:
    """Make a site to read from solutions/: pages, pictures and explorers, without a kernel or a network."""
    loaded_course = course_of(course)
    try:
        from autograder.author.site.build_site import build_site
    except ModuleNotFoundError as missing:
        refuse(f"{missing}. The site needs more packages: pip install 'lesson-autograder[site]'")
    if out.is_dir() and any(out.iterdir()) and not (out / "searchindex.js").is_file():
        refuse(f"{out} holds something other than a site, and nothing was written.")
    pages = build_site(loaded_course, out)
    written = ngettext("{number} page written.", "{number} pages written.", len(pages))
    say(f"{written} Open {out / 'index.html'}")


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder audit 03")
def audit(
    lessons: LessonNames = None,
    table: Annotated[
        bool, typer.Option("--table", help="Show which class task covers which mistake; try nothing.")
    ] = False,
    jobs: AtOnce = processors(),  # noqa: B008
    course: Root = Path(),
) -> None:
    """Try every known wrong and every other right answer on every task."""
    from autograder.author.audit import audit_lesson, print_coverage, print_table

    loaded_course = course_of(course)
    names = resolve_lessons(loaded_course.lessons, lessons or [])
    if table:
        raise typer.Exit(0 if print_coverage(loaded_course, names, console.out) else 1)
    results = dict(each_lesson(partial(audit_lesson, loaded_course), names, jobs))
    rows = []
    for name in names:
        result = results[name]
        if isinstance(result, AuthoringError):
            complain(result.problems)
            raise typer.Exit(1)
        rows += result
    print_table(rows, console.out)
    if not all(row.sound for row in rows):
        raise typer.Exit(1)


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder faults scale")
def faults(
    word: Annotated[
        str,
        typer.Argument(help="Only mistakes that have this in their id, name or hint.", show_default=False),
    ] = "",
    course: Root = Path(),
) -> None:
    """List the mistakes that the course names, each with the lessons whose tasks show it."""
    from autograder.author.fault_index import faults_listed

    listed_faults = faults_listed(course_of(course), word)
    if not listed_faults:
        refuse(f"No mistake of the course has {word!r} in its id, its name or its hint.")
    for fault in listed_faults:
        say(f"{fault.id}: {fault.name}")
        say(f"    {fault.hint}")
        say(f"    named in {fault.file}, shown in {listed(fault.lessons) or 'no lesson'}")


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder messages 01 dot")
def messages(
    lesson: LessonName,
    tasks: Annotated[
        list[str] | None, typer.Argument(help="Tasks of it, as dot. All if none is named.")
    ] = None,
    unread: Annotated[
        bool, typer.Option("--unread", help="Print only what nobody has read in its task.")
    ] = False,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Print nothing; keep that the texts of these tasks were read.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Print every message that the tasks of a lesson can give, as a learner reads it."""
    from autograder.author.message_review import confirm as keep
    from autograder.author.message_review import messages_of, messages_text

    loaded_course = course_of(course)
    (name,) = resolve_lessons(loaded_course.lessons, [lesson])
    reviews = []
    for review in messages_of(loaded_course, name, tasks or []):
        reviews.append(review)
        if not confirm:
            say(messages_text(review, unread))
    if confirm:
        new = keep(loaded_course, name, reviews)
        say(
            ngettext(
                "{number} text is new among those read.", "{number} texts are new among those read.", new
            )
        )


@app.command(rich_help_panel=TERM, epilog="Example: autograder grade 01")
def grade(
    lessons: LessonNames = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="How many submissions run at one time.")] = 2,
    student: Annotated[list[str] | None, typer.Option("--student", help="Only this student's.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Grade again what is graded already.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would change.")] = False,
    dask: Annotated[str, typer.Option("--dask", help="Grade on the cluster of this Dask scheduler.")] = "",
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run submissions with your own rights.")
    ] = False,
    figures: Annotated[
        bool, typer.Option("--figures", help="Draw the course's own figures, which takes most of a run.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Grade what was handed in: into nbgrader's gradebook and autograded/."""
    from autograder.command import grade_command as command
    from autograder.grading.sandbox import bubblewrap, cgroups

    if dask and no_sandbox:
        refuse("The workers of a cluster always use their sandboxes: leave out --no-sandbox.")
    class_folder = class_of(course)
    names = resolve_lessons(class_folder.lessons, lessons or [])
    students = frozenset(student or ())
    strangers = sorted(students - set(class_folder.students()))
    if strangers:
        refuse(f"{class_folder.submitted} has no folder for {', '.join(strangers)}.")
    order = command.GradeOptions(class_folder, names, jobs, students, force, dry_run, not no_sandbox, figures)
    _ = class_folder.policy  # a mistake in it is all that is said
    if not (dask or no_sandbox or bubblewrap.why_not()):
        say(cgroups.in_force())
    with _bar() as bar:
        task = bar.add_task("looking", total=1)

        def tell(line: str) -> None:
            say(line, bar.console)

        def advance(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name)

        if dask:
            summary = _grade_on_cluster(dask, order, tell, advance)
        else:
            summary = command.grade_class(order, tell, advance)
    say(summary.text)
    if summary.nothing:
        complain([f"Nothing was handed in for {', '.join(names)} in {class_folder.submitted}."])
    if summary.faults or summary.interrupted or summary.misplaced or summary.nothing:
        raise typer.Exit(1)


def _grade_on_cluster(
    address: str, order: command.GradeOptions, say: command.Say, advance: command.Advance
) -> command.Summary:
    from autograder.command import grade_command as command

    try:
        from autograder.grading import dask_cluster
    except ModuleNotFoundError as missing:
        if missing.name not in ("distributed", "tornado"):
            raise
        refuse("--dask needs a package that is not installed here: pip install distributed")
    with dask_cluster.connected(address, order.course.banks, order.lessons, say) as executor:
        return command.grade_class(replace(order, jobs=executor.slots, remote=True), say, advance, executor)


@app.command(rich_help_panel=TERM, epilog="Example: autograder report 01")
def report(
    lesson: LessonName,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page that needs no other file.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write a table with a line for each task.")
    ] = None,
    course: Root = Path(),
) -> None:
    """Show what a class misunderstood in a lesson that is graded."""
    from autograder.classroom import class_report as reports

    class_folder = class_of(course)
    speak(class_folder.banks.course.bank, class_folder.banks.course.languages)
    (name,) = resolve_lessons(list(class_folder.banks.folders), [lesson])
    lesson_report = reports.report(class_folder, name)
    if not lesson_report.students:
        refuse(f"Nothing of {name} is graded yet: `autograder grade {name}` comes first.")
    reports.print_report(lesson_report, console.out)
    for path, text in ((html, reports.as_html), (csv, reports.as_csv)):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(lesson_report), encoding="utf-8")
            say(f"Written: {path}")


@app.command(rich_help_panel=TERM, epilog="Example: autograder desk")
def desk(
    port: Annotated[int, typer.Option("--port", help="A port of this machine; any free one if 0.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Write the pages to a folder instead.")] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            help="Who gives points here; each of several gets an address of their own.",
            show_default="the account's name",
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", help="An address of this machine; others need --behind-proxy.")
    ] = "127.0.0.1",
    proxy: Annotated[
        str,
        typer.Option("--behind-proxy", help="The name of a web server with TLS that passes requests on."),
    ] = "",
    hours: Annotated[
        float | None,
        typer.Option(
            "--hours", help="How long addresses are good for.", show_default="12 with --behind-proxy"
        ),
    ] = None,
    course: Root = Path(),
) -> None:
    """Show the class, each lesson and the written answers in a browser, and give points there."""
    from autograder.classroom.desk import server

    class_folder = class_of(course)
    speak(class_folder.banks.course.bank, class_folder.banks.course.languages)

    try:
        alone = ip_address(listen).is_loopback
    except ValueError:
        refuse(f"--listen takes an address of this machine, as 127.0.0.1, and {listen} is none.")
    if not (alone or proxy):
        refuse(
            "Whoever shares the network could read along. Have a web server with TLS in front, and name it: "
            "--behind-proxy desk.example.org"
        )
    people = by or [_account()]

    def tell(who: str, address: str) -> None:
        whose = f"{who}: " if len(people) > 1 else ""
        say(f"{whose}Open {address}\nAnyone who has this address can read and change grades. Ctrl-C ends it.")

    if out:
        pages = server.write_static(class_folder, out)
        say(
            ngettext(
                "{number} page written to {folder}.",
                "{number} pages written to {folder}.",
                len(pages),
                folder=out,
            )
        )
        return
    with suppress(KeyboardInterrupt):
        server.serve(class_folder, port, tell, people, listen, proxy, hours or (12 if proxy else inf))


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # an account without a name
        return ""


@app.command(rich_help_panel=TERM, epilog="Example: autograder export 01 --canvas gradebook.csv")
def export(
    lesson: Annotated[
        str, typer.Argument(help="The lesson of a Moodle worksheet, or the only one to fill in or to send.")
    ] = "",
    canvas: Annotated[
        Path | None, typer.Option("--canvas", help="A gradebook as Canvas exported it: fill its columns.")
    ] = None,
    moodle: Annotated[
        Path | None, typer.Option("--moodle", help="A grading worksheet as Moodle exported it: fill it.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option("--sheet", help="A list as the platform named by --platform exported it.")
    ] = None,
    platform: Annotated[
        str, typer.Option("--platform", help="A platform that the course adds, by its name.")
    ] = "",
    xlsx: Annotated[
        Path | None, typer.Option("--xlsx", help="Write an Excel workbook of all scores.")
    ] = None,
    scale: Annotated[
        bool,
        typer.Option("--scale", help="Where the platform's maximum is another one, scale the scores to it."),
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Where the filled file goes.")] = None,
    lti: Annotated[
        bool, typer.Option("--lti", help="Send the scores to the platform that `autograder lti` serves.")
    ] = False,
    comments: Annotated[
        bool, typer.Option("--comments", help="With --lti: send what people wrote below answers, too.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --lti: send nothing; show what would be sent.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Put the scores into the file that a learning platform exported, or into a workbook, or send them."""
    from autograder.classroom import score_export as exports
    from autograder.classroom.csv_tables import Table, read_list
    from autograder.classroom.platforms.registry import platforms_of
    from autograder.grading.gradebook import follow
    from autograder.records.file_digests import write_whole

    sheet_given = canvas or moodle or sheet
    class_folder = class_of(course)
    platforms = platforms_of(class_folder.banks.course)
    name = "canvas" if canvas else "moodle" if moodle else platform
    to = platforms.get(name)
    files = 4 - [canvas, moodle, sheet, xlsx].count(None)
    if lti and files:
        refuse("Name a file, or say --lti.")
    if (comments or dry_run) and not lti:
        refuse("--comments and --dry-run are for --lti.")
    if not lti and (files != 1 or (to and to.of_one_lesson and not lesson)):
        refuse("Name one file: --canvas GRADEBOOK.csv, --xlsx BOOK.xlsx, or a lesson and --moodle SHEET.csv.")
    if xlsx and lesson:
        refuse("A workbook has all lessons in it: leave out the lesson.")
    if sheet_given and not (to and to.fill):
        fillable = ", ".join(kind.name for kind in platforms.values() if kind.fill)
        refuse(f"--platform names one whose sheet can be filled: {fillable}.")
    follow(class_folder)
    for written in filter(None, (xlsx, out)):
        written.parent.mkdir(parents=True, exist_ok=True)
    class_scores = exports.scores(class_folder)
    which = resolve_lessons(class_folder.banks.course.lessons, [lesson])[0] if lesson else ""
    for name in [which] if which else class_scores.lessons:
        if class_scores.by_hand[name]:
            looked_at = ngettext(
                "{lesson}: {number} task has points given by hand, and was graded again since.",
                "{lesson}: {number} tasks have points given by hand, and were graded again since.",
                class_scores.by_hand[name],
                lesson=name,
            )
            say(looked_at)
        if class_scores.waiting[name]:
            still_to_read = ngettext(
                "{lesson}: {number} answer is still to be read.",
                "{lesson}: {number} answers are still to be read.",
                class_scores.waiting[name],
                lesson=name,
            )
            say(still_to_read)
    if lti:
        from autograder.command.lti_commands import SendOrder, send

        names = [which] if which else list(class_folder.banks.course.lessons)
        if not send(class_folder, class_scores, SendOrder(names, scale, comments, dry_run)):
            raise typer.Exit(1)
        return
    if xlsx:
        exports.write_workbook(class_scores, xlsx, scale)
        say(f"Written: {xlsx}")
        return
    assert sheet_given is not None
    assert to is not None
    assert to.fill is not None
    table = Table(read_list(sheet_given), [kind.lists for kind in platforms.values()])
    merged = to.fill(class_scores, table, which, scale)
    target = out or sheet_given.with_stem(f"{sheet_given.stem}-graded")
    write_whole(target, merged.text.encode())
    for line in merged.strangers:
        say(f"left as it was: {line}")
    for student in merged.missing:
        say(f"has a score and no row: {student}")
    for line in merged.untouched:
        say(f"stays as the platform has it: {line}")
    for name in merged.left_out:
        say(f"is graded, and no column is called so: {name}")
    complain(merged.kept_back)
    filled = ngettext("{number} student filled in.", "{number} students filled in.", merged.filled)
    say(f"{filled} Written: {target}")
    if merged.missing or merged.left_out or merged.kept_back or not merged.filled:
        raise typer.Exit(1)


@app.command(rich_help_panel=MORE, epilog="Example: autograder extend jdoe 01 3d")
def extend(
    student: Annotated[str, typer.Argument(help="A student, by the name of their folder.")],
    lesson: LessonName,
    by: Annotated[
        str,
        typer.Argument(
            help="How much later it is due: 3d or 12h, or until when: 2026-03-09T18:00. 0d takes it back."
        ),
    ],
    course: Root = Path(),
) -> None:
    """Give a student more time for a lesson; it is written into class.toml."""
    from autograder.grading import late_policy

    class_folder = class_of(course)
    (name,) = resolve_lessons(class_folder.banks.course.lessons, [lesson])
    rules = class_folder.policy  # one that cannot be read is refused before anything is written into it
    more: date | timedelta
    try:
        more = rules.until(name, by)
    except ValueError:
        try:
            more = late_policy.length(by)
        except ValueError as problem:
            refuse(problem)
    _refuse_nobody(class_folder, student)
    before = late_policy.extend(class_folder.banks.course.root, name, student, more)
    was = f" (it was {before})" if before else ""
    deadline = f"{late_policy.length_text(more)} more" if isinstance(more, timedelta) else f"until {by}"
    say(f"{student} has {deadline} for {name}{was}.")
    say("`autograder grade` counts it from now on, without running anything again.")


@app.command(name="class", rich_help_panel=MORE, epilog="Example: autograder class")
def class_file(course: Root = Path()) -> None:
    """Make class.toml, in which due dates and penalties are written, or check the one that is there."""
    from autograder.grading import late_policy

    class_folder = class_of(course)
    root, lessons = class_folder.banks.course.root, class_folder.banks.course.lessons
    if not (root / late_policy.FILE).exists():
        say(
            f"{late_policy.begin(root, lessons)} is made. Write your due dates into it, then type this again."
        )
        return
    rules = class_folder.policy
    for lesson in lessons:
        due, more = rules.due.get(lesson), [name for name, _ in rules.extensions if name == lesson]
        extended = ngettext(", {number} extension", ", {number} extensions", len(more)) if more else ""
        say(f"{lesson}: {'due ' + rules.told(due) if due else 'no due date'}{extended}")
    share = rules.penalty_per_day
    say("Each day late costs " + ("what nbgrader's settings say." if share is None else f"{share:.0%}."))


def _refuse_nobody(class_folder: Class, student: str) -> None:
    """Refuse a student whom neither the gradebook nor a folder of what was handed in names."""
    from autograder.classroom.gradebook_roster import class_list

    people = class_list(class_folder).people
    handed_in = Path(class_folder.directory.root) / class_folder.directory.submitted_directory
    if student in people or (handed_in / student).is_dir():
        return
    folders = [folder.name for folder in handed_in.iterdir()] if handed_in.is_dir() else []
    if not (people or folders):  # of a class that nobody has brought in yet, nothing can be told
        return
    near = get_close_matches(student, {*people, *folders}, n=3, cutoff=0.5)
    guess = f" Do you mean {listed(near)}?" if near else ""
    refuse(f"Nobody in this class has the id {student}.{guess}")


@app.command(name="secret", rich_help_panel=MORE, epilog="Example: autograder secret 01")
def make_secret(lessons: LessonNames = None, course: Root = Path()) -> None:
    """Make hidden probes on this machine, so that what is public gives nothing away."""
    from autograder.grading.hidden_tests import secret

    loaded_course = course_of(course)
    names = resolve_lessons(loaded_course.lessons, lessons or [])
    with _bar() as bar:
        task = bar.add_task("drawing", total=len(names))
        for name in names:
            left_out = secret.make(loaded_course, name)
            for asked, probe in left_out:
                warning = f"{name}: task {asked}, probe {probe}: no hidden twin is fair to every right answer"
                complain([warning], "yellow")
            bar.update(task, description=name, advance=1)
    where = secret.folder(loaded_course)
    say(
        f"The secret lies in {where}. Every grading run draws its hidden probes from it.\n"
        "Keep that folder to yourself; without it, submissions are graded by what is public."
    )


@app.command(name="new-course", rich_help_panel=AUTHOR, epilog="Example: autograder new-course my-course")
def new_course(
    folder: Annotated[Path, typer.Argument(help="A folder that is empty, or not there yet.")],
) -> None:
    """Make a small course that works: one lesson, to be replaced by your own."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        refuse(f"{folder} is not empty, and nothing was written.")
    shutil.copytree(
        Path(author.__file__).parent / "template",
        folder,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    described = folder / "course.toml"
    name = re.sub("[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-") or "course"
    text = described.read_text(encoding="utf-8").replace("a-new-course", name)
    described.write_text(text, encoding="utf-8", newline="\n")
    say(f"{folder} holds a course now. Its README.md says what comes next.")


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console.errors,
        transient=True,
    )


def main() -> None:
    """Entry point of the `autograder` command."""
    app()
