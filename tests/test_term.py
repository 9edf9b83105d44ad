"""A term of a class in one run, from the bundle that they get to the feedback that goes back.

CI takes a small class, `CLASS_SIZE=60` a large one. A second class hands in what people do hand in: its names
and files are odd, each in its way.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from autograder.classroom import score_export
from autograder.command import app as cli
from autograder.grading.class_folder import Class
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from typer.testing import CliRunner

LESSON = "01-convolution"
QUESTION = """
# %% [markdown] answer="why" points=3
# ### BEGIN SOLUTION
# - 3 points: one kernel, used everywhere
# ### END SOLUTION

"""
MEAN_CELLS = """
# %% answer="mean"
### BEGIN SOLUTION
mean = smoothed.mean()
### END SOLUTION

# %% check="mean" points=1
check("mean")
"""
MEAN_TASK = """
MEAN = Task(
    id="mean",
    title="The mean of all windows",
    name="mean",
    kind="tensor",
    signature="mean",
    axes=(),
    needs=("by-hand",),
    checks=(Check("one number", 1),),
    learned="A mean has no axis left.",
    hints=("Take the mean of `smoothed`.", "`smoothed.mean()`"),
    wrong=wrongs('''
        last-window-missing: smoothed → smoothed[:-1]
        mean-for-sum: .mean() → .sum() / 3
        '''),
    right=rights("sum: = smoothed.sum() / len(smoothed)"),
)
"""
BY_HAND = "smoothed = torch.stack([(signal[i : i + 3] * kernel).sum() for i in range(6)])"
CONVOLVE = """def convolve(signal, kernel):
    places = range(len(signal) - len(kernel) + 1)
    return torch.stack([(signal[i : i + len(kernel)] * kernel).sum() for i in places])
"""
MODULE = """class Convolution(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.kernel = nn.Parameter(torch.rand(width))
        self.bias = nn.Parameter(torch.zeros(()))
    def forward(self, x):
        return x.unfold(-1, len(self.kernel), 1) @ self.kernel + self.bias
"""
COPIED = """def convolve(signal, kernel):
    longest = max(signal.shape[0], kernel.shape[0])
    padded = torch.nn.functional.pad(signal, (longest, longest))
    return torch.fft.irfft(torch.fft.rfft(padded) * torch.fft.rfft(kernel, padded.shape[0]))[:longest]
"""
RIGHT = {"by-hand-answer": BY_HAND, "convolve-answer": CONVOLVE, "convolution-answer": MODULE}
# What people hand in: the answers that are not right, and the points for each check.
KINDS = {
    "right": ({}, (1, 2, 2)),
    "reversed": ({"convolve-answer": CONVOLVE.replace("* kernel", "* kernel.flip(0)")}, (1, 0, 2)),
    "no bias": ({"convolution-answer": MODULE.replace(" + self.bias", "")}, (1, 2, 0)),
    "typed in": ({"by-hand-answer": "smoothed = torch.tensor([5.25, 6.0, 2.5, 1.75, 5.5, 4.5])"}, (0, 2, 2)),
    "unfinished": (dict.fromkeys(RIGHT, "..."), (0, 0, 0)),
    "stopped": ({"by-hand-answer": "raise SystemExit"}, (0, 2, 2)),
}
# Two with one rare mistake; one late on Canvas, which does not say by how much, one on Moodle, by two days.
COPIES, LATE, LATER = (7, 17), 13, 16
SIZE = int(os.environ.get("CLASS_SIZE", "30"))
ABSENT = SIZE - 2  # hands in nothing at first
CLASS = """penalty_per_day = 0.1
[due]
01-convolution = 2026-03-01T12:00:00Z
"""


def student(number: int) -> str:
    return f"s{number:02}"


def name(number: int) -> str:
    """Two words without digits: in names of files, digits may be a platform's own."""
    return f"{chr(65 + number // 26)}na {chr(65 + number % 26)}lm"


def expected(number: int) -> tuple[int, int, int]:
    """The points that the checks give."""
    return KINDS["reversed" if number in COPIES else list(KINDS)[number % len(KINDS)]][1]


def change(source: Path) -> None:
    """Take the last task of the lesson out, and put another one in its place."""
    text = source.read_text(encoding="utf-8")
    before, _, rest = text.partition('# %% [markdown] id="module"')
    source.write_text(
        before + MEAN_CELLS + QUESTION + rest[rest.index('# %% id="the-end"') :], encoding="utf-8"
    )
    tasks = source.with_name("tasks.py")
    text = tasks.read_text(encoding="utf-8")
    before, _, rest = text.partition("CONVOLUTION = Task(")
    rest = rest[rest.index("LESSON =") :].replace("CONVOLUTION", "MEAN")
    tasks.write_text(before + MEAN_TASK + rest, encoding="utf-8")


def handed_in(release: NotebookNode, number: int) -> str:
    result = deepcopy(release)
    answers = {
        **RIGHT,
        **KINDS[list(KINDS)[number % len(KINDS)]][0],
        "mean-answer": "mean = smoothed.mean()",
        "why": f"Answer {number}: it slides.",
    }
    if number in COPIES:
        answers |= {**RIGHT, "convolve-answer": COPIED}
    for cell in result.cells:
        cell.source = answers.get(cell["id"], cell.source)
    return nbformat.writes(result)


def typed(*arguments: object, code: int = 0) -> str:
    """The command; what it says."""
    result = CliRunner().invoke(cli.app, [str(item) for item in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose lesson asks a question in words, too."""
    folder = tmp_path_factory.mktemp("built") / "waves"
    typed("new-course", folder)
    source = folder / "source" / LESSON / f"{LESSON}.py"
    end = '# %% id="the-end"'
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace(end, QUESTION + end), encoding="utf-8")
    typed("build", "--jobs", 1, "--course", folder)
    return folder


@pytest.fixture
def run(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The command, typed in the folder of a course."""
    monkeypatch.setenv("AUTOGRADER_SECRET", str(tmp_path / "secret"))
    monkeypatch.chdir(shutil.copytree(built, tmp_path / "waves"))
    return typed


def scores() -> dict[str, float]:
    """What counts, by student."""
    reference = score_export.scores(Class(Path.cwd()))
    return {who: points for (who, _), points in reference.scores.items()}


@pytest.mark.slow
def test_a_term(run: Callable[..., str], walls: None) -> None:
    source = Path("source") / LESSON / f"{LESSON}.py"
    Path("class.toml").write_text(CLASS, encoding="utf-8")

    # Hand out.
    run("secret")
    run("bundle", "01", "--out", "out")
    release = nbformat.read(Path("out") / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    people = "".join(
        f'"{name(item).partition(" ")[2]}, {name(item).partition(" ")[0]}",{item + 100},,{student(item)},A,\n'
        for item in range(SIZE)
    )
    exported = (
        f"Student,ID,SIS User ID,SIS Login ID,Section,{LESSON} (991)\n    Points Possible,,,,,8\n{people}"
    )
    Path("canvas.csv").write_text(exported, encoding="utf-8")
    assert f"{SIZE} students: {SIZE} new" in run("roster", "canvas.csv")

    # Collect: all odd ones from Canvas, all even ones but the last from Moodle.
    with zipfile.ZipFile("canvas.zip", "w") as archive:
        for item in range(1, SIZE, 2):
            normalize_name = "".join(reversed(name(item).lower().split()))
            late = "LATE_" if item == LATE else ""
            archive.writestr(
                f"{normalize_name}_{late}{item + 100}_{item + 900}_{LESSON} ({item}).ipynb",
                handed_in(release, item),
            )
    sheet = ["Identifier,Full name,Email address,Grade,Last modified (submission)"]
    with zipfile.ZipFile("moodle.zip", "w") as archive:
        for item in range(0, ABSENT, 2):
            folder = f"{name(item)}_{item + 700}_assignsubmission_file"
            archive.writestr(f"{folder}/{LESSON}.ipynb", handed_in(release, item))
            when = "Tuesday, 3 March 2026, 11:00 AM" if item == LATER else "Sunday, 1 March 2026, 11:00 AM"
            sheet.append(f'Participant {item + 700},{name(item)},{student(item)}@example.org,,"{when} +0000"')
    Path("worksheet.csv").write_text("\n".join(sheet) + "\n", encoding="utf-8")
    output = run("collect", "canvas.zip")
    assert f"{LESSON} from {SIZE // 2} students; 0 not placed" in output
    assert f"marks 1 as late and does not say by how much: {student(LATE)}" in output
    output = run("collect", "moodle.zip", "--times", "worksheet.csv")
    assert f"nothing from 1 student: {name(ABSENT)} ({student(ABSENT)})" in output

    # Grade, with what being late costs: one day begun, two, and one after an extension.
    assert f"{SIZE - 1} submissions graded" in run("grade")
    due = {student(item): float(sum(expected(item))) for item in range(SIZE) if item != ABSENT}
    late = {student(LATE): 0.1 * due[student(LATE)], student(LATER): 0.2 * due[student(LATER)]}
    assert scores() == pytest.approx({who: points - late.get(who, 0) for who, points in due.items()})
    run("extend", student(LATER), LESSON, "+1d")
    assert "0 submissions graded" in run("grade")
    late[student(LATER)] /= 2
    assert scores() == pytest.approx({who: points - late.get(who, 0) for who, points in due.items()})

    # What two can hardly have come to on their own, and no other.
    output = run("similar", "01")
    assert f"{name(COPIES[0])} ({student(COPIES[0])}) and {name(COPIES[1])} ({student(COPIES[1])})" in output
    assert f"1 pair among {SIZE - 1} students" in output

    # Understand.
    output = run("report", "01", "--html", "report.html", "--csv", "report.csv")
    result = [list(KINDS)[item % len(KINDS)] for item in range(SIZE) if item not in (ABSENT, *COPIES)]
    assert f"{result.count('no bias')} of {SIZE - 1}: the bias is not added" in output
    assert f"{result.count('reversed')} of {SIZE - 1}: the kernel is read from its end" in output
    assert Path("report.html").stat().st_size > 5000

    # Written answers, marked as the formgrader does. Then a task of the lesson goes and another one comes.
    with Gradebook(Class(Path.cwd()).database) as book:
        for who in due:
            grade = book.find_grade("why", LESSON, LESSON, who)
            grade.manual_score, grade.needs_manual_grade = 2.0, False
        book.db.commit()
    change(source)
    run("messages", LESSON, "--confirm")
    run("build", "--jobs", 1)
    run("secret")
    run("bundle", "01", "--out", "out")
    release = nbformat.read(Path("out") / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    with zipfile.ZipFile("last.zip", "w") as archive:  # who had handed in nothing does so now
        archive.writestr(f"{student(ABSENT)}/{LESSON}.ipynb", handed_in(release, 60))
    run("collect", "last.zip")
    output = run("grade")
    assert f"{SIZE} submissions graded" in output
    _, _, names = output.partition("graded by the earlier release that it came from")
    assert f" ({SIZE - 1}): {student(0)}, " in names
    # Each has the points of the tasks that stayed, and for the new one, which costs a point and which they
    # never had, the share that they have of those.
    saved = {student(item): sum(expected(item)[:2]) for item in range(SIZE) if item != ABSENT}
    total = {who: points + points / 3 + 2 for who, points in saved.items()}
    total |= {student(item): 0.9 * total[student(item)] for item in (LATE, LATER)}
    total[student(ABSENT)] = 4.0
    assert scores() == pytest.approx(total, abs=0.01)
    run("desk", "--out", "desk")
    changes = Path("desk", "changes.html").read_text(encoding="utf-8")
    assert changes.count("task removed") == SIZE - 1
    assert len(list(Path("desk").glob("student-*.html"))) == SIZE

    # Export, return. The changed lesson has a point less, which Canvas has to be told.
    output = run("export", "--canvas", "canvas.csv", code=2)
    assert f"{LESSON} has 7 points here and 8 on the platform" in output
    Path("canvas.csv").write_text(exported.replace(",8\n", ",7\n"), encoding="utf-8")
    run("export", "--canvas", "canvas.csv")
    with Path("canvas-graded.csv").open(encoding="utf-8", newline="") as file:
        graded = {row["SIS Login ID"]: row[f"{LESSON} (991)"] for row in csv.DictReader(file)}
    assert {who: float(graded[who]) for who in total} == pytest.approx(total, abs=0.01)
    run("export", "01", "--moodle", "worksheet.csv", code=1)  # half of the class is not on Moodle
    assert f"{total[student(LATER)]:.2f}" in Path("worksheet-graded.csv").read_text(encoding="utf-8")
    NbGraderAPI(config=Class(Path.cwd()).config).generate_feedback(LESSON)
    for form, count in (("moodle", SIZE // 2 - 1), ("canvas", SIZE // 2)):
        others = SIZE - count
        output = run("return", "01", f"--{form}", code=1)
        assert f"{others} students were not collected from {form.title()}" in output
        with zipfile.ZipFile(Path("returned") / f"{LESSON}-{form}.zip") as archive:
            assert len(archive.namelist()) == count
    assert f"feedback of {SIZE} students" in run("return", "01", "--folder")


def cells(change: Callable[[list[NotebookNode]], list[NotebookNode]]) -> Callable[[str], bytes]:
    """Change the cells of what is handed in."""

    def changed(text: str) -> bytes:
        result = json.loads(text)
        result["cells"] = change(result["cells"])
        return json.dumps(result).encode()

    return changed


def colab(keep: bool) -> Callable[[str], bytes]:
    """What Colab makes of a notebook: no ids of cells, or its own place for them."""

    def changed(text: str) -> bytes:
        result = json.loads(text) | {"nbformat_minor": 0}
        for cell in result["cells"]:
            cell["metadata"] = {"id": cell["id"]} if keep else {}
            del cell["id"]
        return json.dumps(result).encode()

    return changed


def packed(text: str) -> bytes:
    """A zip in the zip."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr(f"work/{LESSON}.ipynb", text)
    return inner.getvalue()


def first(source: str) -> Callable[[list[NotebookNode]], list[NotebookNode]]:
    """A cell of one's own before all others."""
    own = {"cell_type": "code", "id": "own", "source": source, "metadata": {}, "outputs": []}
    return lambda result: [{**own, "execution_count": None}, *result]


def answered(name: str, source: str) -> Callable[[list[NotebookNode]], list[NotebookNode]]:
    return lambda result: [{**cell, "source": source} if cell["id"] == name else cell for cell in result]


@dataclass(frozen=True)
class Odd:
    """What one student hands in; all they wrote counts unless `points` says what does."""

    make: Callable[[str], bytes] = str.encode
    file: str = f"{LESSON}.ipynb"
    collected: str = ""  # what `collect` says of it
    desk: str = ""  # what the class page of the desk says in their row
    points: float | None = None


ODD = {
    0: Odd(colab(keep=True)),
    1: Odd(colab(keep=False)),
    2: Odd(file=f"{LESSON}.ipynb.txt"),
    3: Odd(packed, "all my work.zip"),
    4: Odd(lambda text: b"\xef\xbb\xbf" + text.encode()),
    5: Odd(lambda text: text.encode("utf-16")),
    6: Odd(cells(lambda result: result * 2)),
    8: Odd(cells(lambda result: result[::-1])),
    9: Odd(file="final (copy) 2.ipynb"),
    10: Odd(cells(first("!pip install numpy"))),
    12: Odd(
        cells(lambda result: [cell for cell in result if cell["id"] not in ("convolve", "convolve-answer")]),
        collected="cells that are missing: 2 of 7",
        points=3,
    ),
    14: Odd(
        cells(answered("convolve-answer", "while True: pass")),
        desk="its cell did not end by itself",
        points=3,
    ),
    18: Odd(lambda text: text[: len(text) // 2].encode(), desk="not JSON", points=0),
    19: Odd(lambda _: b"", desk="not JSON", points=0),
    20: Odd(lambda _: b"<!DOCTYPE html><html>Sign in</html>", desk="not JSON", points=0),
    21: Odd(lambda _: b"smoothed = 1", "homework.py", "homework.py", "homework.py"),
    22: Odd(lambda _: b"%PDF-1.7", "homework.pdf", "homework.pdf", "homework.pdf"),
    23: Odd(lambda _: b"Rar!", "homework.rar", "homework.rar", "homework.rar"),
}
NO_NOTEBOOK, NOTHING = (21, 22, 23), (58, 59)
NAMES = {
    24: ("আয়েশা", "রহমান"),
    25: ("ليلى", "الحسن"),
    26: ("小明", "王"),
    27: ("İbrahim", "Işık"),  # noqa: RUF001
    28: ("Jürgen", "Müller"),
    29: ("Jurgen", "Müller"),
    30: ("=Eve", "O'Neil-Smith"),
    49: ("Emma", "Davis"),
    50: ("Ann", "Lee"),
    51: ("Ann", "Lee"),
}
NOTES, LATE_ONE = 31, 32
GRADESCOPE, BLACKBOARD, BRIGHTSPACE, LOOSE, TWINS = range(40, 45), (45, 46), (47, 48), 49, (50, 51)


def person(number: int) -> tuple[str, str]:
    """First and last name."""
    return NAMES.get(number) or (name(number).partition(" ")[0], name(number).partition(" ")[2])


@pytest.mark.slow
def test_a_class_of_odd_names_and_files(run: Callable[..., str], walls: None) -> None:
    release = nbformat.read(Path("notebooks") / LESSON / f"{LESSON}.ipynb", as_version=4)
    work = {
        item: ODD[item].make(handed_in(release, 60)) if item in ODD else handed_in(release, item).encode()
        for item in range(60)
        if item not in NOTHING
    }
    points = {
        student(item): float(sum(expected(item)) if item not in ODD else 5 if ODD[item].points is None else 0)
        for item in work
    }
    points |= {student(item): odd.points for item, odd in ODD.items() if odd.points is not None}
    for item in NO_NOTEBOOK:
        del points[student(item)]

    # The list, with Canvas' split names: its test student is nobody.
    rows = "".join(
        f'"{last}","{given}",{item + 100},,{student(item)},A,\n'
        for item in range(60)
        for given, last in [person(item)]
    )
    listed = f"LastName,FirstName,ID,SIS User ID,SIS Login ID,Section,{LESSON} (991)\n"
    rows = f"    Points Possible,,,,,,9\n{rows}Student,Test,9999,,test,A,\n"
    Path("canvas.csv").write_text(listed + rows, encoding="utf-8")
    assert "60 students: 60 new" in run("roster", "canvas.csv")

    # What the platforms collected. One has scratch work beside the lesson, one is late, one is of no class.
    canvas = {}
    for item in work:
        if item < GRADESCOPE[0] or item > TWINS[1]:
            normalize_name = "".join(filter(str.isalnum, "".join(reversed(person(item))).lower()))
            late = "LATE_" if item == LATE_ONE else ""
            before = f"{normalize_name}_{late}{item + 100}_{item + 900}_"
            canvas[before + (ODD[item].file if item in ODD else f"{LESSON}-1.ipynb")] = work[item]
            if item == NOTES:
                scratch = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
                canvas[f"{normalize_name}_{item + 100}_{item + 1900}_notes.ipynb"] = nbformat.writes(scratch)
    canvas[f"zimmerzoe_998_1998_{LESSON}.ipynb"] = work[7]
    submitters = "".join(
        f"submission_{item}:\n  :submitters:\n"
        f"  - :name: {' '.join(person(item))}\n    :sid: {student(item)}\n"
        for item in GRADESCOPE
    )
    archives = {
        "canvas": canvas,
        "gradescope": {
            "export/submission_metadata.yml": submitters,
            **{f"export/submission_{item}/{LESSON}.ipynb": work[item] for item in GRADESCOPE},
        },
        "blackboard": {
            f"Homework 1_{student(item)}_attempt_2026-03-01-22-24-12_hw.ipynb": work[item]
            for item in BLACKBOARD
        },
        "brightspace": {
            f"40123-{item} - {' '.join(person(item))} - Mar 1, 2026 1024 PM/hw.ipynb": work[item]
            for item in BRIGHTSPACE
        },
        "loose": {f"{' '.join(person(LOOSE))} - hw.ipynb": work[LOOSE]},
        "moodle": {
            f"Ann Lee_{item + 700}_assignsubmission_file/{LESSON}.ipynb": work[item] for item in TWINS
        },
    }
    output = {}
    for platform, files in archives.items():
        with zipfile.ZipFile(f"{platform}.zip", "w") as archive:
            for path, content in files.items():
                archive.writestr(path, content)
        unclear = platform in ("canvas", "moodle")
        output[platform] = run("collect", f"{platform}.zip", code=int(unclear))
    assert f"{LESSON} from {len(GRADESCOPE)} students; 0 not placed" in output["gradescope"]
    assert f"zimmerzoe_998_1998_{LESSON}.ipynb: nobody in the roster is called" in output["canvas"]
    assert f"{student(NOTES)}: not of {LESSON}, and kept beside" in output["canvas"]
    assert f"marks 1 as late and does not say by how much: {student(LATE_ONE)}" in output["canvas"]
    assert "2 students are called Ann Lee (s50 and s51): --who 750=STUDENT" in output["moodle"]
    for odd in ODD.values():
        assert odd.collected in output["canvas"]
    whose = [word for item in TWINS for word in ("--who", f"{item + 700}={student(item)}")]
    nothing = [student(item) for item in (*NO_NOTEBOOK, *NOTHING)]
    last = run("collect", "moodle.zip", *whose)
    assert all(f"({who})" in last.partition("nothing from 5 students")[2] for who in nothing)

    # Nothing is silent that was typed for nobody.
    assert "Nobody in this class has the id wojcik" in run("extend", "wojcik", "01", "+3d", code=2)
    Path("times.csv").write_text("id,time\nwojcik,2026-03-01 10:00\n", encoding="utf-8")
    times = run("collect", "loose.zip", "--times", "times.csv", code=1)
    assert "names people whom the gradebook does not: wojcik" in times

    # Every score as it is meant.
    run("secret")
    assert f"{len(points)} submissions graded" in run("grade")
    assert scores() == points
    run("report", "01", "--html", "report.html")
    run("desk", "--out", "desk")
    page = Path("desk", "index.html").read_text(encoding="utf-8").split("<tr")
    for item, odd in ODD.items():
        (row,) = (row for row in page if f"student-{student(item)}.html" in row)
        assert odd.desk in row

    # And back, unscaled.
    assert "has 8 points here and 9 on the platform" in run("export", "--canvas", "canvas.csv", code=2)
    rows = rows.replace(",9\n", ",8\n", 1)
    Path("canvas.csv").write_text(listed + rows, encoding="utf-8")
    run("export", "--canvas", "canvas.csv")
    with Path("canvas-graded.csv").open(encoding="utf-8", newline="") as file:
        column = {row["SIS Login ID"]: row[f"{LESSON} (991)"] for row in csv.DictReader(file)}
    assert {who: float(score) for who, score in column.items() if score and who in points} == points
