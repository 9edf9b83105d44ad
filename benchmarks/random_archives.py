"""Whether everybody's work reaches the right person: random classes, lists and archives, each with its mess.

    python3 start.py run python -m benchmarks.random_archives [--classes N] [--first-seed N]

A class is drawn by its seed: people with names in eight scripts, what each of them hands in, and so who owns
each notebook. Only then a list and an archive are made of it, as a platform does, and some of `OPERATIONS`
are done to them: what people, programs and platforms do. Printed are the notebooks that came to the wrong
person, the files that are in none of the five lists, the share placed of those that a person could place by
looking at the archive, and how often each operation was used. Exits with 1 where one of the first two is not
0, or the share is below 99 %.
"""

from __future__ import annotations

import argparse
import functools
import io
import json
import random
import sys
import tarfile
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from pathlib import Path

import nbformat
from autograder.classroom import collect_submissions
from autograder.classroom.class_roster import Person, Roster, read_people
from autograder.classroom.collection import Collected, Request
from autograder.classroom.csv_tables import Lists
from autograder.classroom.platforms.registry import platforms_of
from autograder.grading.class_folder import Class

ROOT = Path(__file__).parents[1]
LESSON, OTHER = "01-dot-product", "02-trainable"
ANSWER = "dot-product-by-hand-answer"
MOST_SHARE = 0.99  # of those that a person could place

# First and last names by script; some differ in a mark or a letter alone.
NAMES = {
    "Latin": (
        "Amy José Zoë Jörg Anne-Marie Łukasz Nguyễn Mary",
        "Adams Muñoz Müller O'Neil Smith-Jones Đặng",
    ),
    "Cyrillic": ("Анна Пётр Юлия Олег Мария Игорь", "Иванова Петров Сидорова Ёлкина Козлов"),
    "Greek": ("Νίκος Μαρία Ελένη Γιώργος", "Παπαδόπουλος Νικολάου Γεωργίου"),
    "Arabic": ("محمد فاطمة علي مريم", "الأحمد حسن عباس"),
    "Hebrew": ("דוד שרה נועה יוסף", "כהן לוי מזרחי"),
    "Devanagari": ("राम रमा रीमा सीता अमित", "शर्मा वर्मा गुप्ता"),
    "Bengali": ("রিমা রামু রমা সুমন", "দাস সেন রায় রয়"),
    "Han": ("伟 芳 娜 敏 静", "王 李 张 刘"),
}


@dataclass
class Student:
    """Somebody of a class, and the files that they hand in; `owns` are the notes of their own notebooks."""

    id: str
    first: str
    last: str
    number: int
    enrolled: bool = True
    files: list[tuple[str, bytes]] = field(default_factory=list)
    late: bool = False
    no_notebook: bool = False  # what they hand in holds none of theirs
    group: str = ""  # what the platform calls the people with whom they hand in one file

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        return f"{self.id}@uni.example"


@dataclass
class Mess:
    """A class on its way through a platform."""

    chance: random.Random
    students: list[Student]
    platform: str
    options: set[str] = field(default_factory=set)  # of how the archive is packed
    extra: list[tuple[str, bytes]] = field(default_factory=list)  # beside everybody's

    @property
    def group(self) -> list[Student]:
        """Return the people of the class's one group."""
        return [student for student in self.students if student.group]

    def handed_in_by(self, student: Student) -> set[str]:
        """Return the ids of those whose notebook may be a student's."""
        return {other.id for other in self.group} if student.group else {student.id}

    def one(self) -> Student:
        return self.chance.choice([student for student in self.students if student.files])


@functools.cache
def _stub() -> dict[str, str]:
    """Return the answer cell of the release, in each language."""
    cell_of = {}
    for language in ("", "bn", "hi_Latn"):
        path = ROOT / "notebooks" / language / LESSON / f"{LESSON}.ipynb"
        cells = nbformat.read(path, as_version=4).cells
        cell = next(cell for cell in cells if cell.metadata.get("nbgrader", {}).get("solution"))
        cell_of[language] = json.dumps([cell["id"], cell.source])
    return cell_of


def notebook(owner: str, worked: bool = True, language: str = "") -> bytes:
    """Return a notebook with one of the lesson's answer cells, and a note whose it is."""
    name, source = json.loads(_stub()[language])
    cells = [
        (name, f"{source}\nanswer = 1  # {owner}" if worked else source),
        (name.removesuffix("-answer"), "check()"),
        ("note", f"# {owner}" if worked else "# nobody's"),
    ]
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [{**code, "id": n, "source": s} for n, s in cells],
    }
    return json.dumps(notebook, ensure_ascii=False).encode()


def zipped(files: list[tuple[str, bytes]], flag: bool = True, day: int = 1) -> bytes:
    """Return a zip; without the flag that its names are UTF-8, as Finder writes it, where not `flag`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, (2026, 3, day, 12, 0, 0)), content)
    if flag:
        return buffer.getvalue()
    content = bytearray(buffer.getvalue())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + offset + 1] &= ~0x08
            at = content.find(mark, at + 4)
    return bytes(content)


def tarred(files: list[tuple[str, bytes]], day: int = 1) -> bytes:
    """Return a tar that was made on a day of March."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), datetime(2026, 3, day, 12).timestamp()
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


# What may happen to what one person hands in, or to the archive. Each covers an item of the reports.
def _zip_of_theirs(mess: Mess) -> None:
    student = mess.one()
    student.files = [("work.zip", zipped(student.files))]


def _zip_in_a_zip(mess: Mess) -> None:
    student = mess.one()
    student.files = [("all.zip", zipped([("inner.zip", zipped(student.files))]))]


def _tar_of_theirs(mess: Mess) -> None:
    student = mess.one()
    student.files = [("work.tar.gz", tarred(student.files))]


def _git_and_a_venv(mess: Mess) -> None:
    student = mess.one()
    noise = [(f".git/objects/{n:02x}", b"x") for n in range(130)] + [("venv/bin/activate", b"x")]
    student.files = [("repository.zip", zipped([*noise, *student.files]))]


def _untouched_translation(mess: Mess) -> None:
    student = mess.one()
    untouched = [(f"notebooks/{n}/{LESSON}.ipynb", notebook("", False, n)) for n in ("bn", "hi_Latn")]
    student.files = [("bundle.zip", zipped([*student.files, *untouched]))]


def _untouched_copy(mess: Mess) -> None:
    mess.one().files.append((f"{LESSON} (1).ipynb", notebook("", False)))


def _named_after_another(mess: Mess) -> None:
    student, other = mess.one(), mess.chance.choice(mess.students)
    if mess.platform != "files":  # there the name is all there is
        student.files = [(f"{other.id}_{name}", content) for name, content in student.files]


def _report_beside(mess: Mess) -> None:
    mess.one().files.append(("report.pdf", b"%PDF-1.7"))


def _notes_beside(mess: Mess) -> None:
    mess.one().files.append(("notes.txt", "অনুচ্ছেদ and notes".encode()))


def _word_instead(mess: Mess) -> None:
    handing = mess.one()
    if sum(bool(student.files) for student in mess.students) > 1:
        handing.files, handing.no_notebook = [("answers.docx", b"PK no zip")], True


def _nothing_handed_in(mess: Mess) -> None:
    handing = mess.one()
    if sum(bool(student.files) for student in mess.students) > 1:
        handing.files = []


def _renamed(mess: Mess) -> None:
    student = mess.one()
    student.files = [(f"final version {name}", content) for name, content in student.files]


def _numbered_by_a_browser(mess: Mess) -> None:
    student = mess.one()
    student.files = [
        (f"{name.removesuffix('.ipynb')} (3).ipynb" if name.endswith(".ipynb") else name, content)
        for name, content in student.files
    ]


def _of_another_lesson(mess: Mess) -> None:
    path = ROOT / "notebooks" / OTHER / f"{OTHER}.ipynb"
    mess.one().files.append((f"{OTHER}.ipynb", path.read_bytes()))


def _not_in_the_list(mess: Mess) -> None:
    first, last = mess.chance.choice(list(NAMES.values()))
    known = {student.name for student in mess.students}
    name = next((pair for pair in product(first.split(), last.split()) if " ".join(pair) not in known), None)
    if name:
        number = 900 + len(mess.students)
        stranger = Student(f"guest{number}", *name, number, enrolled=False)
        stranger.files = [(f"{LESSON}.ipynb", notebook(stranger.id))]
        mess.students.append(stranger)


def _late(mess: Mess) -> None:
    mess.one().late = True


def _group(mess: Mess) -> None:
    """Let some hand in one file together, which the first of them uploads."""
    theirs = [student for student in mess.students if student.enrolled and student.files][:3]
    if len(theirs) > 1 and not mess.group:
        for student in theirs:
            student.group = "Team 7"
        for student in theirs[1:]:
            student.files = []


def _group_again(mess: Mess) -> None:
    """Let a group hand in once more, by another of its people."""
    _group(mess)
    mess.options.add("group again")


def _option(name: str) -> Callable[[Mess], None]:
    return lambda mess: mess.options.add(name)


def _macos(mess: Mess) -> None:
    mess.extra += [("__MACOSX/._x", b"x"), (".DS_Store", b"x")]


def _readme(mess: Mess) -> None:
    mess.extra.append(("README.txt", b"collected on Monday"))


OPERATIONS: dict[str, Callable[[Mess], None]] = {
    "a zip of theirs": _zip_of_theirs,
    "a zip in a zip": _zip_in_a_zip,
    "a tar of theirs": _tar_of_theirs,
    "a repository with .git and a venv": _git_and_a_venv,
    "untouched translations beside": _untouched_translation,
    "an untouched copy beside": _untouched_copy,
    "a name in the file that is another's": _named_after_another,
    "a report beside": _report_beside,
    "notes beside": _notes_beside,
    "a text document instead": _word_instead,
    "nothing handed in": _nothing_handed_in,
    "another file name": _renamed,
    "a number that a browser gives": _numbered_by_a_browser,
    "a notebook of another lesson beside": _of_another_lesson,
    "somebody who is not in the list": _not_in_the_list,
    "late": _late,
    "a group with one file": _group,
    "a group that hands in again by another of its people": _group_again,
    "names in UTF-8 without the flag": _option("no flag"),
    "backslashes between folders": _option("backslashes"),
    "accents apart from their letters": _option("nfd"),
    "a folder around all": _option("around"),
    "a tar of all": _option("tar"),
    "unpacked by a browser": _option("folder"),
    "more texts than files": _option("texts"),
    "handed in twice": _option("twice"),
    "handed in once more with another number": _option("again"),
    "what macOS leaves": _macos,
    "a file beside all": _readme,
}


def _canvas(student: Student, name: str, turn: int) -> str:
    sortable = "".join(
        c
        for c in (student.group or f"{student.last}{student.first}").lower()
        if c.isalnum() or c == "_" or unicodedata.category(c)[0] == "M"
    )
    late = "LATE_" if student.late else ""
    return f"{sortable}_{late}{student.number}_{90_000 + 1000 * turn + student.number}_{name}"


def _moodle(student: Student, name: str, turn: int) -> str:
    group = f"{student.group}-" if student.group else ""
    return f"{group}{student.name}_{student.number}_assignsubmission_file/{name}"


def _gradescope(student: Student, name: str, turn: int) -> str:
    return f"submission_{100 * turn + student.number}/{name}"


def _blackboard(student: Student, name: str, turn: int) -> str:
    return f"Homework 1_{student.group or student.id}_attempt_2026-03-0{1 + turn}-22-24-12_{name}"


def _brightspace(student: Student, name: str, turn: int) -> str:
    who = student.group or student.name
    return f"{student.number}-{7000 + turn} - {who} - Mar {1 + turn}, 2026 1024 PM/{name}"


PLATFORMS: dict[str, Callable[[Student, str, int], str]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "gradescope": _gradescope,
    "blackboard": _blackboard,
    "brightspace": _brightspace,
    "folders by id": lambda student, name, turn: f"{student.group or student.id}/{name}",
    "folders by name": lambda student, name, turn: f"{student.group or student.name}/{name}",
    "folders by address": lambda student, name, turn: f"{student.group or student.email}/{name}",
    "repositories": lambda student, name, turn: (
        f"{LESSON}-{student.group.lower().replace(' ', '-') or student.id}/{name}"
    ),
    "files": lambda student, name, turn: f"{student.group or student.id}_{name}",
}


TIMELESS = frozenset(PLATFORMS) - {"canvas", "gradescope", "blackboard", "brightspace"}


def _rows(students: list[Student], header: str, form: str) -> str:
    quoted = [
        form.format(s=student, first=student.first, last=student.last)
        for student in students
        if student.enrolled
    ]
    return "\n".join([header, *quoted]) + "\n"


# Lists by the platforms whose archives their people can be found in.
LISTS: dict[str, tuple[str, str, frozenset[str]]] = {
    "Canvas": (
        "Student,ID,SIS User ID,SIS Login ID,Section,01-dot-product (991)\n    Points Possible,,,,,20",
        '"{last}, {first}",{s.number},9{s.number},{s.id},A,',
        frozenset(PLATFORMS) - {"folders by address"},
    ),
    "Moodle": (
        "First name,Last name,ID number,Email address",
        "{first},{last},9{s.number},{s.email}",
        frozenset({"canvas", "moodle", "gradescope", "brightspace", "folders by name", "folders by address"}),
    ),
    "Moodle's worksheet in German": (
        "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung",
        'Teilnehmer/in{s.number},{s.name},{s.email},Zur Bewertung abgegeben,,"20,00"',
        frozenset({"canvas", "moodle", "gradescope", "brightspace", "folders by name", "folders by address"}),
    ),
    "Gradescope": (
        "First Name,Last Name,SID,Email,Role",
        "{first},{last},{s.id},{s.email},Student",
        frozenset(PLATFORMS),
    ),
    "Brightspace": (
        "OrgDefinedId,Username,Last Name,First Name,Email",
        "9{s.number},{s.id},{last},{first},{s.email}",
        frozenset(PLATFORMS),
    ),
    "a spreadsheet": ("id,name,email", "{s.id},{s.name},{s.email}", frozenset(PLATFORMS)),
    "a spreadsheet with two names": (
        "last_name;first_name;id;email",
        "{last};{first};{s.id};{s.email}",
        frozenset(PLATFORMS),
    ),
}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16")


@dataclass
class Result:
    """What became of one class."""

    seed: int
    used: list[str]
    wrong: list[str] = field(default_factory=list)
    unmentioned: int = 0
    placeable: int = 0
    placed: int = 0
    not_placed: list[str] = field(default_factory=list)


def drawn(chance: random.Random) -> tuple[list[Student], set[str]]:
    """Draw a class: its people and the scripts of their names."""
    students: dict[str, Student] = {}
    scripts = chance.sample(sorted(NAMES), 3)
    for number in range(chance.randint(4, 8)):
        script = chance.choice(scripts)
        first, last = (chance.choice(part.split()) for part in NAMES[script])
        student = Student(f"u{chance.randrange(10_000):04}x{number}", first, last, 11 + number)
        student.files = [(f"{LESSON}.ipynb", notebook(student.id))]
        students.setdefault(student.name, student)
    return list(students.values()), set(scripts)


def _written(mess: Mess, files: list[tuple[str, bytes]], path: Path, day: int) -> Path:
    """Write files as a folder or as an archive, as the class has it; returns where it is."""
    if "folder" in mess.options:
        path = path.with_suffix("")
        for name, content in files:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    elif "tar" in mess.options:
        path = path.with_suffix(".tar.gz")
        path.write_bytes(tarred(files, day))
    else:
        if "backslashes" in mess.options:
            files = [(name.replace("/", "\\"), content) for name, content in files]
        path.write_bytes(zipped(files, "no flag" not in mess.options, day))
    return path


def packed(mess: Mess, folder: Path) -> tuple[list[Path], int, dict[str, str]]:
    """Write the archives of a class; returns them, the number of their files, and whose note counts."""
    name_of = PLATFORMS[mess.platform]
    rounds = [{student.id: list(student.files) for student in mess.students}]
    counts = {student.id: student.id for student in mess.students if student.files}
    # Of a folder that a browser has unpacked, nothing says the time, unless the platform's names do.
    timeless = "folder" in mess.options and mess.platform in TIMELESS
    if mess.options & {"twice", "again", "group again"} and not timeless:
        late = mess.chance.choice([student for student in mess.students if student.files])
        if "group again" in mess.options and mess.group:
            late = mess.group[-1]
        later = [(f"{LESSON}.ipynb", notebook(f"{late.id} again"))]
        rounds.append({late.id: later})
        counts[late.id] = f"{late.id} again"
    for turn, handed in enumerate(rounds):
        uploader = next((student for student in mess.group if handed.get(student.id)), None)
        if uploader:
            for student in mess.group:
                counts[student.id] = f"{uploader.id} again" if turn else uploader.id
                if mess.platform == "moodle":  # which gives everybody of a group a folder with what it has
                    handed[student.id] = handed[uploader.id]
    paths, total = [], 0
    for turn, handed in enumerate(rounds):
        files = [
            (name_of(student, name, turn), content)
            for student in mess.students
            for name, content in handed.get(student.id, ())
        ]
        if mess.platform == "gradescope":
            metadata = "".join(
                f"submission_{100 * turn + s.number}:\n  :submitters:\n"
                + "".join(
                    f"  - :name: {member.name}\n    :sid: {member.id}\n    :email: {member.email}\n"
                    for member in (mess.group if s.group else [s])
                )
                + f"  :created_at: 2026-03-0{1 + turn} 10:00:00.0 Z\n"
                for s in mess.students
                if handed.get(s.id)
            )
            files.append(("submission_metadata.yml", metadata.encode()))
        if mess.platform == "canvas" and "texts" in mess.options and turn == 0:
            files += [(f"nobody{n}_{500 + n}_text.html", b"<p>text</p>") for n in range(len(files) + 1)]
        files += mess.extra if turn == 0 else []
        if "around" in mess.options:
            files = [(f"Homework/{name}", content) for name, content in files]
        if "nfd" in mess.options:
            files = [(unicodedata.normalize("NFD", name), content) for name, content in files]
        total += sum(_leaves(name, content) for name, content in files)
        paths.append(_written(mess, files, folder / f"archive-{turn}.zip", 1 + turn))
    return paths, total, counts


def _leaves(name: str, content: bytes) -> int:
    """How many files a file stands for: those in it where it is an archive."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return sum(_leaves(member, archive.read(member)) for member in archive.namelist())
    if name.endswith(".tar.gz"):
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            return sum(
                _leaves(member.name, file.read())
                for member in archive
                if (file := archive.extractfile(member))
            )
    return 1


def note_of(content: bytes) -> str:
    """Return the note of a notebook: whose it is."""
    return str(json.loads(content)["cells"][-1]["source"]).removeprefix("# ")


def one_class(seed: int, course: Class, folder: Path) -> Result:
    """Draw a class, make its mess, collect it and hold what came of it against the truth."""
    chance = random.Random(seed)
    students, scripts = drawn(chance)
    kind = chance.choice(sorted(LISTS))
    header, form, archives = LISTS[kind]
    mess = Mess(chance, students, chance.choice(sorted(archives)))
    used = [kind, mess.platform, *sorted(scripts)]
    truth = {student.id: student for student in students}
    for name in chance.sample(sorted(OPERATIONS), chance.randint(2, 5)):
        OPERATIONS[name](mess)
        used.append(name)
    encoding = chance.choice(ENCODINGS)
    (folder / "list.csv").write_text(_rows(students, header, form), encoding=encoding)
    platforms = platforms_of(course.banks.course)
    lists = [platform.lists for platform in platforms.values()]
    people = read_people(folder / "list.csv", lists)
    result = Result(seed, [*used, encoding])
    ids = _ids(people, truth)
    paths, total, counts = packed(mess, folder)
    roster = _with_group(Roster(people), mess, folder, lists)
    request = Request(course, (LESSON, OTHER), roster, platforms, dry=True)
    outcome = collect_submissions.collect_files(request, paths)
    _judge(result, outcome, total, counts, mess, ids)
    return result


# As Canvas exports a set of groups.
GROUPS = "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id"


def _with_group(roster: Roster, mess: Mess, folder: Path, lists: list[Lists]) -> Roster:
    """Return a roster that has read the list of groups, where there is one."""
    if not mess.group or mess.platform in ("gradescope", "moodle"):  # whose archives name everybody
        return roster
    rows = [f"{s.name},{s.number},9{s.number},{s.id},A,{s.group},81," for s in mess.group]
    (folder / "groups.csv").write_text("\n".join([GROUPS, *rows]) + "\n", encoding="utf-8")
    grouped = [roster.merged(person) for person in read_people(folder / "groups.csv", lists)]
    return Roster([*({**roster.people, **{person.id: person for person in grouped}}.values())])


def _ids(people: list[Person], truth: dict[str, Student]) -> dict[str, str]:
    """Whom each person of the roster is, by the id there."""
    by_name = {student.name: student.id for student in truth.values() if student.enrolled}
    assert {person.name for person in people} == set(by_name), (people, by_name)
    return {person.id: by_name[person.name] for person in people}


def _judge(
    result: Result, outcome: Collected, total: int, counts: dict[str, str], mess: Mess, ids: dict[str, str]
) -> None:
    placed = {}
    students = {student.id: student for student in mess.students}
    for notebook in outcome.placed:
        if notebook.lesson != LESSON:
            continue
        student, note = ids[notebook.student], note_of(notebook.entry.content)
        placed[student] = note
        if note != "nobody's" and note.removesuffix(" again") not in mess.handed_in_by(students[student]):
            result.wrong.append(f"{student} has the notebook of {note}: {notebook.entry.path}")
    result.unmentioned = total - sum(outcome.counts.values())
    has_notebook = {
        student
        for student, note in counts.items()
        if students[student].enrolled and (note.endswith(" again") or not students[note].no_notebook)
    }
    for student, note in counts.items():
        if student in has_notebook:
            result.placeable += 1
            if placed.get(student) == note:
                result.placed += 1
            else:
                result.not_placed.append(f"{student}: {placed.get(student)!r} in place of {note!r}")


def run(seeds: range) -> list[Result]:
    """Return what became of some classes."""
    course = Class(ROOT)
    read = collect_submissions._released
    collect_submissions._released = functools.cache(read)  # the release is the same for all of them
    results = []
    try:
        for seed in seeds:
            with tempfile.TemporaryDirectory(prefix="archives-") as folder:
                results.append(one_class(seed, course, Path(folder)))
    finally:
        collect_submissions._released = read
    return results


def main() -> int:
    """Run the classes that were asked for, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--classes", type=int, default=2000)
    parser.add_argument("--first-seed", type=int, default=0)
    asked = parser.parse_args()
    results = run(range(asked.first_seed, asked.first_seed + asked.classes))
    for result in results:
        for line in [*result.wrong, *result.not_placed]:
            print(f"class {result.seed} ({', '.join(result.used)}): {line}")
        if result.unmentioned:
            print(f"class {result.seed} ({', '.join(result.used)}): {result.unmentioned} files unmentioned")
    used = Counter(name for result in results for name in result.used)
    print("\n".join(f"{times:6} {name}" for name, times in sorted(used.items(), key=lambda each: each[1])))
    wrong, unmentioned = (
        sum(len(result.wrong) for result in results),
        sum(result.unmentioned != 0 for result in results),
    )
    placed, placeable = sum(result.placed for result in results), sum(result.placeable for result in results)
    print(f"{len(results)} classes: {wrong} notebooks at the wrong person, {unmentioned} classes with files")
    print(f"unmentioned, {placed} of {placeable} placed ({placed / max(1, placeable):.2%})")
    return int(bool(wrong or unmentioned or placed < MOST_SHARE * placeable))


if __name__ == "__main__":
    sys.exit(main())
