"""The `autograder` command."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from autograder.build.parallel import each_lesson, processors
from autograder.exchange.cli import app as exchange
from autograder.problems import AuthoringError, BadBook

if TYPE_CHECKING:
    from autograder.course import Course
    from autograder.grading import command
    from autograder.grading.course import Class

# Where it is installed, jsonschema loads a grammar of web addresses, which takes as long as loading torch. No
# notebook is checked for those.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Build a course, prove its checks, grade a class.",
)
app.add_typer(exchange)
console = Console()
errors = Console(stderr=True)

Lessons = Annotated[
    list[str] | None, typer.Argument(help="Lessons, as 01-dot-product or 01. All if none is named.")
]
AtOnce = Annotated[int, typer.Option("--jobs", min=1, help="How many lessons are done at one time.")]
Root = Annotated[Path, typer.Option("--course", help="The course folder.", show_default="this folder")]


@app.command()
def build(
    lessons: Lessons = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="Make only what is in this language, as bn.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; list what is stale.")] = False,
    jobs: AtOnce = processors(),  # noqa: B008
    course: Root = Path(),
) -> None:
    """Make notebooks/, solutions/ and the bank from source/, and the same in other languages from locale/."""
    from autograder.build import languages, pipeline

    place = _course(course)
    names = _chosen(place.lessons, lessons or [])
    if not check and not language and (place.root / "submitted").is_dir():
        _keep_releases(place, names)
    found: list[str] = pipeline.without_source(place) if check else []
    problems: list[str] = []
    states: dict[str, None] = {}
    made, translated = (pipeline.stale, languages.stale) if check else (pipeline.build, languages.build)
    steps: list[tuple[str, Any]] = [] if language else [("", partial(made, place))]
    steps += [(f"{one}/", partial(translated, place, one)) for one in _languages(place, language or [])]
    with _bar() as bar:
        task = bar.add_task("checking" if check else "building", total=len(names) * len(steps))
        for prefix, work in steps:
            for name, result in each_lesson(work, names, jobs):
                if isinstance(result, AuthoringError):
                    problems += result.problems
                else:
                    found += [line for line in result or () if isinstance(line, str)]
                    states |= {f"{prefix}{one}": None for one in result or () if not isinstance(one, str)}
                bar.update(task, description=f"{prefix}{name}", advance=1)
    for line in states:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    for line in problems:
        errors.print(line, style="red", markup=False, highlight=False, soft_wrap=True)
    for line in sorted(found):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if problems:
        errors.print("Nothing was changed in the lessons named above.", highlight=False)
    if problems or found:
        raise typer.Exit(1)
    console.print(
        f"{len(names)} lesson{'s' if len(names) != 1 else ''} {'up to date' if check else 'built'}."
    )


@app.command()
def translate(
    lessons: Lessons = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="A language, as bn. All if none is named.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; list what is wrong in translations.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Gather what there is to translate into locale/, and say how far the translations are."""
    from autograder.build import translate as translations

    place = _course(course)
    others = _languages(place, language or [])
    names = _chosen(translations.files(place), lessons or [])
    problems: list[str] = []
    with _told():
        for name in names:
            for one in others:
                state = (translations.checked if check else translations.update)(place, one, name)
                console.print(f"{one}/{state}", markup=False, highlight=False, soft_wrap=True)
                problems += [f"{one}/{problem}" for problem in state.problems]
    for line in problems:
        errors.print(line, style="red", markup=False, highlight=False, soft_wrap=True)
    if problems:
        raise typer.Exit(1)


def _languages(course: Course, asked: Sequence[str]) -> list[str]:
    """The languages that were asked for, or all that the course is translated into."""
    for name in asked:
        if name not in course.languages[1:]:
            _refuse(
                f"The course is not translated into {name}: course.toml names {', '.join(course.languages)}."
            )
    return list(asked) or list(course.languages[1:])


def _keep_releases(course: Course, names: Sequence[str]) -> None:
    """Keep what students are working on, where a class is there, before it is built anew."""
    from autograder.grading import releases
    from autograder.grading.course import Class

    place = Class(course.root)
    for name in names:
        if place.release(name).is_file() and name in place.banks.folders:
            releases.keep(course.root, place.current(name))


@app.command()
def site(
    out: Annotated[Path, typer.Argument(help="The folder for the site; what it holds is replaced.")],
    course: Root = Path(),
) -> None:
    """Make a site to read from solutions/: pages, pictures and explorers, without a kernel or a network."""
    place = _course(course)
    try:
        from autograder.site.build import build_site
    except ModuleNotFoundError as missing:
        _refuse(f"{missing}. The site needs more packages: pip install '.[site]' in the course folder.")
    if out.is_dir() and any(out.iterdir()) and not (out / "searchindex.js").is_file():
        _refuse(f"{out} holds something other than a site, and nothing was written.")
    with _told():
        pages = build_site(place, out)
    console.print(f"{len(pages)} pages written. Open {out / 'index.html'}", highlight=False, soft_wrap=True)


@app.command()
def audit(
    lessons: Lessons = None,
    table: Annotated[
        bool, typer.Option("--table", help="Show which class task covers which mistake; try nothing.")
    ] = False,
    jobs: AtOnce = processors(),  # noqa: B008
    course: Root = Path(),
) -> None:
    """Try every known wrong and every other right answer on every task."""
    from autograder.audit import audit_lesson, print_coverage, print_table

    place = _course(course)
    names = _chosen(place.lessons, lessons or [])
    if table:
        raise typer.Exit(0 if print_coverage(place, names, console) else 1)
    results = dict(each_lesson(partial(audit_lesson, place), names, jobs))
    rows = []
    for name in names:
        result = results[name]
        if isinstance(result, AuthoringError):
            for line in result.problems:
                errors.print(line, style="red", markup=False, highlight=False, soft_wrap=True)
            raise typer.Exit(1)
        rows += result
    print_table(rows, console)
    if not all(row.sound for row in rows):
        raise typer.Exit(1)


@app.command()
def grade(
    lessons: Lessons = None,
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
    from autograder.grading import command
    from autograder.grading.runner import NoSandbox

    if dask and no_sandbox:
        errors.print("The workers of a cluster always use their sandboxes: leave out --no-sandbox.")
        raise typer.Exit(2)
    place = _class(course)
    names = _chosen(command.lessons(place), lessons or [])
    students = frozenset(student or ())
    strangers = sorted(students - set(place.students()))
    if strangers:
        _refuse(f"{place.submitted} has no folder for {', '.join(strangers)}.")
    order = command.Order(place, names, jobs, students, force, dry_run, not no_sandbox, figures)
    with _bar() as bar:
        task = bar.add_task("looking", total=1)

        def say(line: str) -> None:
            bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

        def advance(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name)

        try:
            if dask:
                summary = _grade_on_cluster(dask, order, say, advance)
            else:
                summary = command.grade_class(order, say, advance)
        except (NoSandbox, BadBook) as problem:
            _refuse(problem)
    console.print(summary.text, markup=False, highlight=False)
    if summary.nothing:
        errors.print(f"Nothing was handed in for {', '.join(names)} in {place.submitted}.", soft_wrap=True)
    if summary.faults or summary.interrupted or summary.misplaced or summary.nothing:
        raise typer.Exit(1)


def _grade_on_cluster(
    address: str, order: command.Order, say: command.Say, advance: command.Advance
) -> command.Summary:
    from autograder.grading import command

    try:
        from autograder.grading import cluster
    except ModuleNotFoundError as missing:
        if missing.name not in ("distributed", "tornado"):
            raise
        _refuse("--dask needs a package that is not installed here: pip install distributed")
    try:
        with cluster.connected(address, order.course.banks, order.lessons, say) as executor:
            return command.grade_class(
                replace(order, jobs=executor.slots, remote=True), say, advance, executor
            )
    except cluster.NoCluster as problem:
        _refuse(problem)


def _refuse(why: object) -> NoReturn:
    errors.print(str(why), style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(2) from None


@app.command()
def report(
    lesson: Annotated[str, typer.Argument(help="A lesson, as 01-dot-product or 01.")],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page that needs no other file.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write a table with a line for each task.")
    ] = None,
    course: Root = Path(),
) -> None:
    """Show what a class misunderstood in a lesson that is graded."""
    from autograder.grading import report as reports

    place = _class(course)
    (name,) = _chosen(list(place.banks.folders), [lesson])
    with _told():
        made = reports.report(place, name)
    if not made.students:
        _refuse(f"Nothing of {name} is graded yet: `autograder grade {name}` comes first.")
    reports.print_report(made, console)
    for path, text in ((html, reports.as_html), (csv, reports.as_csv)):
        if path:
            path.write_text(text(made), encoding="utf-8")
            console.print(f"Written: {path}", markup=False, highlight=False, soft_wrap=True)


@app.command()
def desk(
    port: Annotated[int, typer.Option("--port", help="A port of this machine; any free one if 0.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Write the pages to a folder instead.")] = None,
    course: Root = Path(),
) -> None:
    """Show the class, each lesson and the written answers in a browser, and give points there."""
    from autograder.desk import server

    place = _class(course)

    def say(address: str) -> None:
        console.print(f"Open {address}", markup=False, highlight=False, soft_wrap=True)
        console.print("Whoever has this address can read and change grades. Ctrl-C ends it.")

    with _told():
        if out:
            made = server.write_static(place, out)
            console.print(f"{len(made)} pages written to {out}.", markup=False, highlight=False)
            return
        with suppress(KeyboardInterrupt):
            server.serve(place, port, say)


@app.command()
def export(
    lesson: Annotated[str, typer.Argument(help="The lesson of a Moodle worksheet.")] = "",
    canvas: Annotated[
        Path | None, typer.Option("--canvas", help="A gradebook as Canvas exported it: fill its columns.")
    ] = None,
    moodle: Annotated[
        Path | None, typer.Option("--moodle", help="A grading worksheet as Moodle exported it: fill it.")
    ] = None,
    xlsx: Annotated[
        Path | None, typer.Option("--xlsx", help="Write an Excel workbook of all scores.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where the filled file goes.")] = None,
    course: Root = Path(),
) -> None:
    """Put the scores into the file that a learning platform exported, or into a workbook."""
    from autograder.grading import export as exports

    given = canvas or moodle
    if [canvas, moodle, xlsx].count(None) != 2 or bool(lesson) != bool(moodle):
        _refuse(
            "Name one file: --canvas GRADEBOOK.csv, --xlsx BOOK.xlsx, or a lesson and --moodle SHEET.csv."
        )
    place = _class(course)
    with _told():
        known = exports.scores(place)
    for name in known.lessons:
        if known.waiting[name]:
            console.print(f"{name}: {known.waiting[name]} answers are still to be read.", highlight=False)
    if xlsx:
        exports.write_workbook(known, xlsx)
        console.print(f"Written: {xlsx}", markup=False, highlight=False, soft_wrap=True)
        return
    assert given is not None
    try:
        text = exports.read_text(given)
        if canvas:
            merged = exports.into_canvas(known, text)
        else:
            (name,) = _chosen(place.banks.course.lessons, [lesson])
            merged = exports.into_moodle(known, text, name)
    except exports.CannotExport as problem:
        _refuse(problem)
    target = out or given.with_stem(f"{given.stem}-graded")
    target.write_text(merged.text, encoding="utf-8", newline="")
    for line in merged.strangers:
        console.print(f"left as it was: {line}", markup=False, highlight=False, soft_wrap=True)
    for student in merged.missing:
        console.print(f"has a score and no row: {student}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"{merged.filled} students filled in. Written: {target}", markup=False, highlight=False)
    if merged.missing or not merged.filled:
        raise typer.Exit(1)


@app.command()
def extend(
    student: Annotated[str, typer.Argument(help="A student, by the name of their folder.")],
    lesson: Annotated[str, typer.Argument(help="A lesson, as 01-dot-product or 01.")],
    by: Annotated[str, typer.Argument(help="How much later it is due: 3d or 12h; 0d takes it back.")],
    course: Root = Path(),
) -> None:
    """Give a student more time for a lesson; it is written into class.toml."""
    from autograder.grading import policy

    place = _class(course)
    (name,) = _chosen(place.banks.course.lessons, [lesson])
    try:
        more = policy.length(by)
    except ValueError as problem:
        _refuse(problem)
    before = policy.extend(place.banks.course.root, name, student, more)
    was = f" (it was {before})" if before else ""
    console.print(f"{student} has {policy.shown(more)} more for {name}{was}.", highlight=False)
    console.print("`autograder grade` counts it from now on, without running anything again.")


@app.command(name="secret")
def make_secret(lessons: Lessons = None, course: Root = Path()) -> None:
    """Make hidden probes on this machine, so that what is public gives nothing away."""
    from autograder.grading import secret

    place = _course(course)
    names = _chosen(place.lessons, lessons or [])
    with _bar() as bar:
        task = bar.add_task("drawing", total=len(names))
        for name in names:
            try:
                left_out = secret.make(place, name)
            except AuthoringError as problem:
                for line in problem.problems:
                    errors.print(line, style="red", markup=False, highlight=False, soft_wrap=True)
                raise typer.Exit(1) from None
            for asked, probe in left_out:
                errors.print(
                    f"{name}: task {asked}, probe {probe}: no hidden twin is fair to every right answer",
                    style="yellow",
                    markup=False,
                    highlight=False,
                    soft_wrap=True,
                )
            bar.update(task, description=name, advance=1)
    console.print(
        f"The secret lies in {secret.folder(place)}. Every grading run draws its hidden probes from it.\n"
        "Keep that folder to yourself; without it, submissions are graded by what is public.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


@app.command(name="new-course")
def new_course(
    folder: Annotated[Path, typer.Argument(help="A folder that is empty, or not there yet.")],
) -> None:
    """Make a small course that works: one lesson, to be replaced by your own."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        _refuse(f"{folder} is not empty, and nothing was written.")
    shutil.copytree(
        Path(__file__).parent / "template",
        folder,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    described = folder / "course.toml"
    name = re.sub("[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-") or "course"
    text = described.read_text(encoding="utf-8").replace("a-new-course", name)
    described.write_text(text, encoding="utf-8", newline="\n")
    console.print(f"{folder} holds a course now. Its README.md says what comes next.", soft_wrap=True)


def _course(root: Path) -> Course:
    """The course of a folder that a person named."""
    from autograder.course import FILE, Course

    try:
        found = Course.above(root)
    except AuthoringError as problem:
        _refuse(problem)
    if found is None:
        _refuse(f"There is no {FILE} here: run this in the course folder, or name it with --course.")
    return found


@contextmanager
def _told() -> Iterator[None]:
    """End the command with a sentence where the course or its gradebook cannot be used."""
    try:
        yield
    except (AuthoringError, BadBook) as problem:
        _refuse(problem)


def _class(root: Path) -> Class:
    """The class of a folder that a person named."""
    from autograder.grading.course import Class

    with _told():
        return Class(root.resolve())


def _chosen(known: Sequence[str], asked: Sequence[str]) -> list[str]:
    """The lessons meant by what was typed: a full name, or its number."""
    if not known:
        errors.print("There is no lesson here: run this in the course folder, or name it with --course.")
        raise typer.Exit(2)
    chosen = []
    for name in asked:
        meant = [lesson for lesson in known if name in (lesson, lesson.split("-")[0])]
        if not meant:
            errors.print(f"There is no lesson {name}. There are: {', '.join(known)}.", markup=False)
            raise typer.Exit(2)
        chosen += meant
    return chosen or list(known)


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
    )


def main() -> None:
    """Entry point of the `autograder` command."""
    app()
