"""Archives as platforms make them: whose is what, what is missing, and that nothing is lost."""

import io
import json
import os
import re
import shutil
import stat
import zipfile

import nbformat
import pytest
from autograder.classroom import score_export as exports
from autograder.classroom import submission_archives
from autograder.classroom.desk.page_data import read
from autograder.classroom.hand_in_times import stamp_late
from autograder.grading.class_folder import Class
from autograder.grading.gradebook_writer import GradebookWriter
from autograder.records.authoring_errors import BadBook
from support.class_course import LESSON, OTHER, class_folder
from support.class_scores import graded
from support.handing_in import note_of, notebook, run, zipped


def kept(folder):
    return {
        nbformat.read(item, as_version=4).cells[-1].source
        for item in folder.glob("collected/earlier/**/*.ipynb")
    }


LAYOUTS = {
    "canvas": "adamsamy_11_901_01-convolution-2.ipynb",
    "canvas, late": "adamsamy_LATE_11_901_01-convolution (1).ipynb",
    "canvas, another name there": "adamsamychanged_11_901_x.ipynb",
    "moodle": "Amy Adams_801_assignsubmission_file/01-convolution.ipynb",
    "moodle before 4.1": "Amy Adams_801_assignsubmission_file_/01-convolution (1).ipynb",
    "moodle with groups": "Group-1-Amy Adams_801_assignsubmission_file/sub/final.ipynb",
    "moodle without folders": "Amy Adams_801_assignsubmission_file_01-convolution.ipynb",
    "a folder each": "all/amy/01-convolution.ipynb",
    "in a folder with numbers": "cs_101_2026_homework/amy/01-convolution.ipynb",
    "as nbgrader has it": "submitted/amy/01-convolution/01-convolution.ipynb",
    "named by email": "amy@example.org/homework.ipynb",
    "an email as the file's name": "amy@example.org.ipynb",
    "a copy in German": "Amy Adams_801_assignsubmission_file/Kopie von 01-convolution.ipynb",
    "a name that a program gave": "Amy Adams_801_assignsubmission_file/Untitled7.ipynb",
    "saved as JSON": "Amy Adams_801_assignsubmission_file/01-convolution.ipynb.json",
    "id before": "amy_01-convolution.ipynb",
    "id behind": "01_convolution-Amy Adams (3).ipynb",
    "another ending": "amy/01-convolution.ipynb.txt",
    "blackboard": "Homework 1_amy_attempt_2026-03-01-22-24-12_01-convolution.ipynb",
    "brightspace": "40123-55871 - Amy Adams - Mar 1, 2026 1024 PM/hw.ipynb",
    "brightspace without folders": "40123-55871 - Amy Adams - Mar 1, 2026 1024 PM - hw.ipynb",
    "brightspace, the day first": "40123-55871 - Amy Adams - 1 March, 2026 1024 PM/hw.ipynb",
    "brightspace, 24 hours": "40123-55871 - Amy Adams - Mar 1, 2026 2224/hw.ipynb",
    "brightspace in French": "40123-55871 - Amy Adams - 1 mars 2026 22h24 - hw.ipynb",
    "brightspace in Chinese": "40123-55871 - Amy Adams - 2026年3月1日 2224/hw.ipynb",
    "a name and a dash": "Amy Adams - hw.ipynb",
}


@pytest.mark.parametrize("name", LAYOUTS.values(), ids=LAYOUTS)
def test_a_notebook_is_placed_whatever_the_archive_is_like(folder, tmp_path, name):
    zipped(tmp_path / "all.zip", [(name, notebook(note="mine"))])
    output = run(folder, "collect", tmp_path / "all.zip")
    assert note_of(folder, "amy") == "mine"
    assert "Amy Adams (amy), 01-convolution: new" in output
    assert "nothing from 4 students: Bob Brown (bob)," in output


def test_nothing_is_expected_of_whoever_has_left(folder, tmp_path):
    (folder / "class.toml").write_text('left = ["bob"]')
    output = run(
        folder, "collect", zipped(tmp_path / "all.zip", [(LAYOUTS["a name and a dash"], notebook())])
    )
    assert "nothing from 3 students: " in output
    assert "Bob Brown" not in output


def test_a_time_in_a_form_that_is_not_known_is_told(folder, tmp_path):
    name = LAYOUTS["brightspace, the day first"]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", [(name, notebook())]))
    assert "in a form that is not known, such as “1 March, 2026 1024 PM”: amy." in output
    times = tmp_path / "times.csv"
    times.write_text("id,time\namy,2026-03-01 22:24\n", encoding="utf-8")
    assert "not known" not in run(folder, "collect", tmp_path / "all.zip", "--times", times)


def test_a_zip_in_the_archive_and_a_folder_in_its_place_are_opened(folder, tmp_path):
    inner = io.BytesIO()
    zipped(inner, [("work/01-convolution.ipynb", notebook(note="inner"))])
    zipped(tmp_path / "all.zip", [("brownbob_12_902_my work.zip", inner.getvalue())])
    run(folder, "collect", tmp_path / "all.zip")
    assert note_of(folder, "bob") == "inner"
    unpacked = tmp_path / "unpacked" / "Jörg Müller_803_assignsubmission_file_"
    unpacked.mkdir(parents=True)
    (unpacked / "renamed.ipynb").write_text(notebook(note="unpacked"), encoding="utf-8")
    for note in ("first", "second"):  # a browser gives the next download the same name
        (unpacked / "notes.txt").write_text(note)
        run(folder, "collect", tmp_path / "unpacked")
    assert note_of(folder, "joerg") == "unpacked"
    saved = {item.read_text() for item in (folder / "collected").rglob("notes.txt")}
    assert saved == {"first", "second"}


def test_of_several_attempts_the_last_counts_and_the_others_are_kept(folder, tmp_path):
    files = [
        ("adamsamy_11_905_01-convolution-1.ipynb", notebook(note="second")),
        ("adamsamy_11_904_01-convolution.ipynb", notebook(note="first")),
        ("brownbob_12_906_01-convolution (2).ipynb", notebook(note="last")),
        ("brownbob_12_906_01-convolution (1).ipynb", notebook(note="one before")),
    ]
    output = run(folder, "collect", zipped(tmp_path / "first.zip", files))
    assert (note_of(folder, "amy"), note_of(folder, "bob")) == ("second", "last")
    assert "the last of 2 versions" in output
    assert "nothing says which came last" not in output
    released = nbformat.read(folder / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    stub = next(cell.source for cell in released.cells if cell["id"] == "convolve-answer")
    begun = nbformat.reads(notebook(note="begun"), as_version=4)
    next(cell for cell in begun.cells if cell["id"] == "convolve-answer").source = stub
    tied = {"z": nbformat.writes(begun), "a": notebook(note="finished")}
    files = [(f"Bob Brown_9_assignsubmission_file/{name}.ipynb", text) for name, text in tied.items()]
    output = run(folder, "collect", zipped(tmp_path / "tied.zip", files), "--dry-run")
    paths = [name for name, _ in reversed(files)]
    assert f"bob: nothing says which came last of {paths[0]} and {paths[1]}; {paths[0]} counts" in output
    stamp = folder / "submitted" / "amy" / LESSON / "timestamp.txt"
    stamp.write_text("2026-01-01 10:00:00 UTC")

    newer = [("adamsamy_LATE_11_950_01-convolution.ipynb", notebook(note="third"))]
    settings = f"penalty_per_day = 0.1\n[due]\n{LESSON} = 2026-01-02\n[attempts]\n{LESSON} = "
    again = "collect", zipped(tmp_path / "second.zip", newer)
    loses = f"an earlier one, and counts with its own lateness: amy. They may lose by it: write `{LESSON} = "
    (folder / "class.toml").write_text(f"{settings}'best'")
    assert loses not in run(folder, *again, "--dry-run")
    (folder / "class.toml").write_text(f"{settings}'last'")
    assert loses in run(folder, *again, "--dry-run")
    (folder / "class.toml").unlink()
    assert "replaces an earlier one" in run(folder, *again)
    assert note_of(folder, "amy") == "third"
    assert not stamp.exists()  # that was the time of the second

    assert "a later one is there" in run(folder, "collect", tmp_path / "first.zip")
    assert note_of(folder, "amy") == "third"
    assert "as before" in run(folder, "collect", tmp_path / "second.zip")
    assert kept(folder) == {"first", "one before", "second"}
    assert len(list((folder / "collected" / "archives").iterdir())) == 2


def test_the_tasks_that_any_version_had_are_kept(folder, tmp_path):
    whole = nbformat.reads(notebook(), as_version=4)
    less = nbformat.from_dict(whole)
    less.cells = [cell for cell in whole.cells if cell["id"] not in ("convolve", "convolve-answer")]
    for number, result in enumerate((whole, less)):
        zipped(tmp_path / f"{number}.zip", [("amy/01-convolution.ipynb", nbformat.writes(result))])
        run(folder, "collect", tmp_path / f"{number}.zip")
    record = json.loads((folder / "collected" / "record.json").read_text())
    assert "convolve" in record["had"][LESSON]["amy"]


def test_what_is_unclear_is_not_guessed_and_an_instructor_can_say_it(folder, tmp_path):
    files = [
        ("Jane Doe_801_assignsubmission_file/01-convolution.ipynb", notebook(note="a Jane")),
        ("Jane Doe_802_assignsubmission_file/01-convolution.ipynb", notebook(note="another Jane")),
        ("Zoe Zimmer_803_assignsubmission_file/01-convolution.ipynb", notebook(note="a stranger's")),
        ("Bob Brown_804_assignsubmission_file/02-strides.ipynb", notebook(OTHER)),
        ("Amy Adams_805_assignsubmission_file/report.pdf", b"%PDF"),
    ]
    archive = zipped(tmp_path / "all.zip", files)
    output = run(folder, "collect", archive, code=1)
    assert "2 students are called Jane Doe (jane1 and jane2): --who 801=STUDENT" in output
    assert "Zoe Zimmer_803_assignsubmission_file/01-convolution.ipynb: nobody in the roster" in output
    assert "it is of 02-strides, and the archive of 01-convolution" in output
    assert "No notebook, so not graded: 1 file Amy Adams_805_assignsubmission_file/report.pdf" in output
    assert not (folder / "submitted").exists()

    output = run(folder, "collect", archive, "--who", "801=jane2", "--who", "802=jane1", code=1)
    assert (note_of(folder, "jane1"), note_of(folder, "jane2")) == ("another Jane", "a Jane")
    # It is remembered for the next archive.
    run(folder, "collect", zipped(tmp_path / "next.zip", files[:1]))
    assert "the id of nobody" in run(folder, "collect", archive, "--who", "803=zoe", code=2)


def files_of(folder, student):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*") if student in path.parts)


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's own way to add a submission
@pytest.mark.parametrize("own_since", [False, True], ids=["nothing else", "their own since then"])
def test_whoever_had_a_notebook_by_mistake_has_nothing_of_it_any_more(folder, tmp_path, own_since):
    name = "Jane Doe_{}_assignsubmission_file/01-convolution.ipynb"
    archives = [
        zipped(tmp_path / f"{number}.zip", [(name.format(801), notebook(note=f"version {number}"))])
        for number in (1, 2)
    ]
    for archive in archives:
        run(folder, "collect", archive, "--who", "801=jane1")
    course = graded(folder, {"jane1": 7, "jane2": 0})
    for step in ("autograded", "feedback"):
        page = folder / step / "jane1" / LESSON / f"{LESSON}.html"
        page.parent.mkdir(parents=True)
        page.write_text("for the other Jane")
    if own_since:
        own = zipped(tmp_path / "own.zip", [(name.format(802), notebook(note="her own"))])
        run(folder, "collect", own, "--who", "802=jane1")
    dry = run(folder, "collect", archives[1], "--who", "801=jane2", "--dry-run")
    assert len(files_of(folder, "jane2")) == 0
    output = run(folder, "collect", archives[1], "--who", "801=jane2")
    for said in (dry, output):
        assert f"jane1, {LESSON}: " in said
        assert "taken back" in said
        assert ("Jane Doe (jane1)" in said.partition(" nothing from ")[2]) != own_since
    assert note_of(folder, "jane2") == "version 2"
    earlier = folder / "collected" / "earlier" / "jane2" / LESSON
    assert [nbformat.read(path, as_version=4).cells[-1].source for path in earlier.iterdir()] == ["version 1"]
    assert note_of(folder, "jane1") == ("her own" if own_since else None)
    scores = {student: score for (student, _), score in exports.scores(course).scores.items()}
    if own_since:  # graded anew by the next run, since another notebook is there
        assert not list((folder / "collected" / "earlier").glob("jane1/*/*"))
    else:
        assert files_of(folder, "jane1") == []
        assert scores == {"jane2": 0}
    again = run(folder, "collect", archives[1])
    assert "taken back" not in again
    assert note_of(folder, "jane2") == "version 2"


def test_a_moodle_worksheet_gives_times_and_tells_two_of_one_name_apart(folder, tmp_path):
    files = [
        (f"Jane Doe_{number}_assignsubmission_file/01-convolution.ipynb", notebook(note=str(number)))
        for number in (801, 802)
    ]
    (tmp_path / "sheet.csv").write_text(
        "Identifier,Full name,Email address,Last modified (submission)\n"
        'Participant 801,Jane Doe,doe@example.org,"Sunday, 1 March 2026, 10:24 PM +0000"\n'
        "Participant 802,Jane Doe,jane@example.org,-\n"
    )
    run(folder, "collect", zipped(tmp_path / "all.zip", files), "--times", tmp_path / "sheet.csv")
    assert (note_of(folder, "jane1"), note_of(folder, "jane2")) == ("802", "801")
    stamp = (folder / "submitted" / "jane2" / LESSON / "timestamp.txt").read_text()
    assert stamp == "2026-03-01 22:24:00.000000 UTC"


def test_two_of_one_name_on_the_platform_are_not_put_into_one_place(folder, tmp_path):
    files = [
        (f"Amy Adams_{number}_assignsubmission_file/01-convolution.ipynb", notebook(note=str(number)))
        for number in (801, 802)
    ]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files), code=1)
    assert (
        "two people of the platform's (801 and 802) would both be amy: --who 801=STUDENT --who 802=STUDENT"
        in output
    )
    assert note_of(folder, "amy") is None
    run(folder, "collect", zipped(tmp_path / "first.zip", files[:1]))
    again, sheet = zipped(tmp_path / "second.zip", files[1:]), tmp_path / "sheet.csv"
    assert "two people" in run(folder, "collect", again, code=1)
    # Moodle numbers people anew in each assignment, and its worksheet says so by their address.
    title = "Identifier,Full name,Email address\nParticipant 802,Amy Adams,amy@example.org\n"
    sheet.write_text(f"{title}Participant 801,Amy Adams,another@example.org\n")
    assert "two people" in run(folder, "collect", again, "--times", sheet, code=1)
    sheet.write_text(title)
    run(folder, "collect", again, "--times", sheet, code=1)  # since the list has no times
    assert note_of(folder, "amy") == "802"


def test_a_notebook_that_is_broken_or_lost_its_ids_is_placed_by_its_name(folder, tmp_path):
    plain = json.loads(notebook(note="from Colab"))
    plain["nbformat_minor"] = 4
    for cell in plain["cells"]:
        del cell["id"]
        cell["metadata"] = {}
    files = [
        ("amy/01-convolution.ipynb", '{"cells": ['),
        ("bob/Copy of 01-convolution.ipynb", json.dumps(plain)),
        ("joerg/homework.ipynb", json.dumps(plain)),
    ]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files), code=1)
    assert (folder / "submitted" / "amy" / LESSON / f"{LESSON}.ipynb").read_text() == '{"cells": ['
    assert note_of(folder, "bob") == "from Colab"
    assert "joerg/homework.ipynb: neither its name nor what is in it says which lesson" in output
    run(folder, "collect", tmp_path / "all.zip", "--lesson", "01", code=1)
    assert note_of(folder, "joerg") == "from Colab"


def test_a_hostile_archive_writes_nothing_outside_and_fills_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(submission_archives, "MAX_FILE_BYTES", 400_000)
    link = zipfile.ZipInfo("bob/01-convolution.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    files = [
        ("../../amy/01-convolution.ipynb", notebook(note="out")),
        ("/amy/01-convolution.ipynb", notebook(note="out")),
        (link, "/etc/passwd"),
        ("joerg/01-convolution.ipynb", b"{" + b" " * 30_000_000),
        ("amy/.ipynb_checkpoints/01-convolution-checkpoint.ipynb", notebook(note="old")),
        ("__MACOSX/amy/._01-convolution.ipynb", b"\0"),
        ("amy/01-convolution.ipynb", notebook(note="honest")),
    ]
    before = {item for item in tmp_path.rglob("*") if "submitted" not in item.parts}
    archive = zipped(tmp_path / "all.zip", files)
    output = run(folder, "collect", archive, code=1)
    assert note_of(folder, "amy") == "honest"
    assert output.count("leads out of the archive") == 2
    assert "link to another place" in output
    assert "larger than" in output
    assert "7 files in all: 1 placed, 0 earlier, 2 no notebook, 0 not placed, 4 refused." in output
    new = {item for item in tmp_path.rglob("*") if "submitted" not in item.parts} - before - {archive}
    assert all((folder / "collected") in (item, *item.parents) for item in new)

    monkeypatch.setattr(submission_archives, "MAX_TOTAL_BYTES", 1_000)
    assert "nothing was taken from it" in run(folder, "collect", archive, code=2)
    monkeypatch.setattr(submission_archives, "MAX_ENTRIES", 3)
    assert "holds more than 3 files" in run(folder, "collect", archive, code=2)
    (tmp_path / "torn.zip").write_bytes(archive.read_bytes()[:500])
    assert "no zip file that can be read" in run(folder, "collect", tmp_path / "torn.zip", code=2)
    assert "no zip file" in run(folder, "collect", tmp_path / "missing.zip", code=2)
    assert "holds the course itself" in run(folder, "collect", tmp_path, code=2)


def test_a_dry_run_says_all_and_writes_nothing(folder, tmp_path):
    archive = zipped(tmp_path / "all.zip", [("amy/01-convolution.ipynb", notebook())])
    output = run(folder, "collect", archive, "--dry-run")
    assert "Amy Adams (amy), 01-convolution: new" in output
    assert "Nothing was written" in output
    assert not (folder / "submitted").exists()
    assert not (folder / "collected").exists()


def test_without_a_roster_the_first_step_is_named(class_course, tmp_path):
    folder = class_folder(class_course, tmp_path / "class", LESSON)
    archive = zipped(tmp_path / "all.zip", [("amy/01-convolution.ipynb", notebook())])
    assert "First: autograder roster FILE.csv" in run(folder, "collect", archive, code=2)


# What goes back


@pytest.mark.parametrize(
    ("form", "collected", "returned"),
    [
        ("moodle", "Amy Adams_801_assignsubmission_file/x.ipynb", "Amy Adams_801_assignsubmission_file/"),
        ("moodle", "Amy Adams_801_assignsubmission_file_/x.ipynb", "Amy Adams_801_assignsubmission_file_/"),
        ("moodle", "Amy Adams_801_assignsubmission_file_x.ipynb", "Amy Adams_801_assignsubmission_file_/"),
        ("canvas", "adamsamy_LATE_11_901_x.ipynb", "adamsamy_LATE_11_901_"),
        ("folder", "amy/x.ipynb", "amy/"),
    ],
)
def test_feedback_goes_back_under_the_name_that_the_platform_knows(
    folder, tmp_path, form, collected, returned
):
    other = collected.replace("adamsamy_LATE_11", "mullerjorg_13").replace("Amy Adams_801", "Jörg Müller_804")
    other = f"{other.replace('amy', 'joerg').removesuffix('x.ipynb')}essay.pdf"
    files = [(collected, notebook()), ("bob/01-convolution.ipynb", notebook()), (other, "%PDF")]
    run(folder, "collect", zipped(tmp_path / "all.zip", files))
    out = tmp_path / "back.zip" if form != "folder" else tmp_path / "back"
    refused = run(folder, "return", LESSON, f"--{form}", "--out", out, code=2)
    assert "2 students have no feedback yet" in refused
    assert f"Nothing of {LESSON} is graded yet" in run(folder, "feedback", "01", code=2)
    page = folder / "feedback" / "amy" / LESSON / f"{LESSON}.html"
    page.parent.mkdir(parents=True)
    page.write_text("for Amy")

    output = run(folder, "return", LESSON, f"--{form}", "--out", out, code=1)
    assert "1 student has no feedback yet" in output
    assert "no page: handed in no notebook (essay.pdf): joerg" in output
    assert "no page: no notebook of theirs was placed: jane1 and jane2" in output
    assert "the feedback of 1 student" in output
    if form == "folder":
        assert (out / f"{returned}{LESSON}.html").read_text() == "for Amy"
    else:
        with zipfile.ZipFile(out) as archive:
            assert archive.namelist() == [f"{returned}{LESSON}.html"]
            assert archive.read(archive.namelist()[0]) == b"for Amy"


def test_feedback_older_than_the_grades_is_told(folder, tmp_path):
    run(folder, "collect", zipped(tmp_path / "all.zip", [("amy/01-convolution.ipynb", notebook())]))
    for name in ("feedback/amy/{0}/{0}.html", "autograded/amy/{0}/{0}.ipynb"):
        path = folder / name.format(LESSON)
        path.parent.mkdir(parents=True)
        path.write_text("")
    os.utime(folder / "feedback" / "amy" / LESSON / f"{LESSON}.html", (1, 1))
    output = run(folder, "return", "01", "--folder", code=2)
    assert "older than their grades" in output
    assert "Nothing was packed" in output
    assert not (folder / "returned").exists()
    assert "holds the feedback of 1 student" in run(folder, "return", "01", "--folder", "--anyway", code=1)


def test_pages_that_were_returned_as_they_are_can_be_left_out(folder, tmp_path):
    files = [(f"{name}_{LESSON}.ipynb", notebook()) for name in ("amy", "bob")]
    run(folder, "collect", zipped(tmp_path / "all.zip", files))

    def page(student, state):
        path = folder / "feedback" / student / LESSON / f"{LESSON}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'<meta content="{state}" name="state"/>{state}')

    def returned(*words):
        shutil.rmtree(folder / "returned" / LESSON, ignore_errors=True)
        output = run(folder, "return", "01", "--folder", *words)
        return output, sorted(path.parent.name for path in (folder / "returned").rglob("*.html"))

    page("amy", "a1")
    page("bob", "b1")
    assert "before" not in returned("--changed")[0]
    page("bob", "b2")
    output, there = returned()
    assert ("1 page is as it was when it was returned before; --changed packs" in output, there) == (
        True,
        ["amy", "bob"],
    )
    page("amy", "a2")
    output, there = returned("--changed")
    assert ("1 page is as it was when it was returned before, and left out." in output, there) == (
        True,
        ["amy"],
    )
    output, there = returned("--changed")
    assert (f"Nothing was packed: no page of {LESSON} has changed" in output, there) == (True, [])
    (folder / "returned" / "returned.json").write_text("[{")
    assert returned("--changed")[1] == ["amy", "bob"]


def blank(note):
    """Return a notebook of somebody's own, without any cell of the lesson."""
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(note, id="note")]))


@pytest.mark.parametrize("together", [True, False], ids=["one archive", "a later archive"])
def test_notes_never_take_the_place_of_the_lesson(folder, tmp_path, together):
    work = ("adamsamy_11_901_01-convolution.ipynb", notebook(note="work"))
    notes = ("adamsamy_11_950_01-convolution-notes.ipynb", blank("notes"))
    for number, files in enumerate([[work, notes]] if together else [[work], [notes]]):
        output = run(folder, "collect", zipped(tmp_path / f"{number}.zip", files))
    assert note_of(folder, "amy") == "work"
    assert kept(folder) == {"notes"}
    assert (
        "kept beside" if together else "it has no cell of 01-convolution; the earlier one stays"
    ) in output
    only = [("brownbob_12_951_01-convolution.ipynb", blank("notes"))]
    assert "it has no cell of 01-convolution" in run(folder, "collect", zipped(tmp_path / "only.zip", only))
    assert note_of(folder, "bob") == "notes"


def test_an_empty_file_is_handed_in_and_takes_the_place_of_nothing(folder, tmp_path):
    files = [(f"amy/{LESSON}.ipynb", b""), (f"bob/{LESSON}.ipynb", notebook(note="bob's"))]
    output = run(folder, "collect", zipped(tmp_path / "first.zip", files), code=1)
    assert f"amy/{LESSON}.ipynb: the file is not JSON, so it is no notebook" in output
    assert (folder / "submitted" / "amy" / LESSON / f"{LESSON}.ipynb").read_bytes() == b""
    run(folder, "collect", zipped(tmp_path / "second.zip", [(f"bob/{LESSON}.ipynb", b"")]), code=1)
    assert note_of(folder, "bob") == "bob's"


def test_missing_cells_and_times_of_nobody_are_said(folder, tmp_path):
    result = nbformat.reads(notebook(), as_version=4)
    result.cells = [cell for cell in result.cells if not cell.metadata.get("nbgrader", {}).get("grade")]
    zipped(tmp_path / "all.zip", [("adamsamy_11_901_01-convolution.ipynb", nbformat.writes(result))])
    times = tmp_path / "times.csv"
    times.write_text("id,time\nwojcik,2026-03-01 10:00\namy,2026-03-01 10:00\n")
    output = run(folder, "collect", tmp_path / "all.zip", "--times", times, code=1)
    assert re.search(r"01-convolution.ipynb: cells that are missing: \d+ of \d+", output)
    assert "names people whom the gradebook does not: wojcik (wojcik)" in output
    assert "amy (amy)" not in output
    times.write_text("Kennung,Name,E-Mail,Geändert\nPerson 11,Amy Adams,amy@example.org,1. März 2026\n")
    output = run(folder, "collect", tmp_path / "all.zip", "--times", times, code=1)
    assert "The list of times has no time that can be read" in output
    times.write_text("name,time\nJane Doe,2026-03-01 10:00\n")
    output = run(folder, "collect", tmp_path / "all.zip", "--times", times, code=1)
    assert "Jane Doe (Jane-Doe), who could be jane1 or jane2" in output


def test_two_sources_that_disagree_on_a_time_are_told(folder, tmp_path):
    (folder / "class.toml").write_text(f'timezone = "Asia/Kolkata"\n[due]\n{LESSON} = 2026-03-01T12:00:00Z\n')
    names = f"adamsamy_LATE_11_901_{LESSON}.ipynb", f"brownbob_12_902_{LESSON}.ipynb"
    files = [(name, notebook()) for name in names]
    archive, times = zipped(tmp_path / "all.zip", files), tmp_path / "times.csv"
    listed = "id,time\namy,2026-03-01 11:00+00:00\nbob,2026-03-01 11:30+00:00\n"
    times.write_text(listed)
    output = run(folder, "collect", archive, "--times", times)
    assert f"amy, {LESSON}: two times: 2026-03-01 16:30 IST counts; the platform marks it as late" in output
    times.write_text(listed.replace("11:30", "11:40"))
    output = run(folder, "collect", archive, "--times", times)
    assert f"bob, {LESSON}: two times: 2026-03-01 17:10 IST counts; it had 2026-03-01 17:00 IST" in output
    assert output.count("two times") == 2  # and amy's as before


def test_more_time_is_given_to_nobody_but_people_of_the_class(folder):
    before = (folder / "class.toml").read_text() if (folder / "class.toml").is_file() else ""
    assert "Do you mean joerg?" in run(folder, "extend", "jorg", "01", "3d", code=2)
    assert ((folder / "class.toml").read_text() if (folder / "class.toml").is_file() else "") == before
    assert "joerg has 3d more" in run(folder, "extend", "joerg", "01", "3d")


def test_every_identifier_of_a_student_says_who_is_meant(folder, tmp_path):
    listed = tmp_path / "list.csv"
    listed.write_text("id,name,matriculation number\nbob,Bob Brown,4711\n", encoding="utf-8")
    run(folder, "roster", listed)
    archive = zipped(tmp_path / "all.zip", [("x.ipynb", notebook(note="bob's"))])
    run(folder, "collect", archive, "--who", "x.ipynb=4711,amy")
    assert (note_of(folder, "bob"), note_of(folder, "amy")) == ("bob's", "bob's")
    assert "bob has 3d more" in run(folder, "extend", "Bob@example.org", "01", "3d")
    assert "Jörg Müller (joerg)" in run(folder, "roster", "--remove", "jm@example.org")


def test_who_is_late_in_two_lessons_is_named_with_both(folder, tmp_path):
    archives = [
        zipped(
            tmp_path / f"{lesson}.zip", [(f"adamsamy_LATE_11_90{number}_{lesson}.ipynb", notebook(lesson))]
        )
        for number, lesson in enumerate((LESSON, OTHER))
    ]
    output = run(folder, "collect", *archives)
    assert f"by how much: amy {LESSON} and amy {OTHER}." in output
    (folder / "class.toml").write_text(
        "[due]\n" + "".join(f"{name} = 2026-03-01\n" for name in (LESSON, OTHER))
    )
    output = run(folder, "collect", *archives)
    assert "late by a moment: by the smallest penalty, or in time with an extension." in output


def test_what_a_platform_marks_as_late_is_late_also_where_the_due_date_comes_afterwards(folder, tmp_path):
    names = f"adamsamy_LATE_11_901_{LESSON}.ipynb", f"brownbob_12_902_{LESSON}.ipynb"
    late = [(name, notebook()) for name in names]
    assert "has no due date for the lesson yet" in run(folder, "collect", zipped(tmp_path / "all.zip", late))
    stamp_late(Class(folder))
    stamps = {who: folder / "submitted" / who / LESSON / "timestamp.txt" for who in ("amy", "bob")}
    assert not stamps["amy"].exists()
    (folder / "class.toml").write_text(f"[due]\n{LESSON} = 2026-03-01T12:00:00Z\n")
    stamp_late(Class(folder))
    assert stamps["amy"].read_text() == "2026-03-01 12:00:01.000001 UTC"
    assert not stamps["bob"].exists()


@pytest.mark.parametrize(
    "name",
    ["adamsamy_LATE_11_901_x.ipynb", "Homework 1_amy_attempt_2026-03-02-22-24-12_01-convolution.ipynb"],
    ids=["a platform's mark", "a platform's time"],
)
def test_what_a_list_said_of_a_notebook_stays_where_it_is_collected_again_without_the_list(
    folder, tmp_path, name
):
    (folder / "class.toml").write_text(f'timezone = "UTC"\n[due]\n{LESSON} = 2026-03-01T12:00:00\n')
    archive, times = zipped(tmp_path / "all.zip", [(name, notebook())]), tmp_path / "times.csv"
    times.write_text("id,time\namy,2026-03-03 14:00\n")
    run(folder, "collect", archive, "--times", times)
    stamp = folder / "submitted" / "amy" / LESSON / "timestamp.txt"
    for _ in range(2):
        run(folder, "collect", archive)
        assert stamp.read_text() == "2026-03-03 14:00:00.000000 UTC"


def test_a_guess_is_the_same_after_an_extension_and_gives_way_to_a_time(folder, tmp_path):
    (folder / "class.toml").write_text(f'timezone = "UTC"\n[due]\n{LESSON} = 2026-03-01T12:00:00\n')
    archive = zipped(tmp_path / "all.zip", [("adamsamy_LATE_11_901_x.ipynb", notebook())])
    run(folder, "collect", archive)
    stamp = folder / "submitted" / "amy" / LESSON / "timestamp.txt"
    guessed = stamp.read_text()
    run(folder, "extend", "amy", "01", "2d")
    assert "two times" not in run(folder, "collect", archive)
    assert (stamp.read_text(), guessed) == ("2026-03-01 12:00:01.000001 UTC",) * 2
    times = tmp_path / "times.csv"
    times.write_text("id,time\namy,2026-03-03 14:00\n")
    output = run(folder, "collect", archive, "--times", times)
    assert "two times" not in output  # a guess is no time that somebody has said
    assert stamp.read_text() == "2026-03-03 14:00:00.000000 UTC"


def test_a_mark_that_the_platform_took_back_takes_its_guess_along(folder, tmp_path):
    (folder / "class.toml").write_text(f'timezone = "UTC"\n[due]\n{LESSON} = 2026-03-01T12:00:00\n')
    stamp = folder / "submitted" / "amy" / LESSON / "timestamp.txt"
    there = []
    for name in ("adamsamy_LATE_11_901_x.ipynb", "adamsamy_11_901_x.ipynb"):
        run(folder, "collect", zipped(tmp_path / "all.zip", [(name, notebook())]))
        there.append(stamp.exists())
    assert there == [True, False]


@pytest.mark.parametrize("to", ["--moodle", "--canvas"])
def test_pages_for_another_platform_than_the_archives_are_not_said_to_be_missing(folder, tmp_path, to):
    run(folder, "collect", zipped(tmp_path / "all.zip", [(f"amy_{LESSON}.ipynb", notebook())]))
    page = folder / "feedback" / "amy" / LESSON / f"{LESSON}.html"
    page.parent.mkdir(parents=True)
    page.write_text("for Amy")
    output = run(folder, "return", LESSON, to, code=2)
    assert "1 student was not collected from" in output
    assert "There is no feedback" not in output


def test_what_is_known_of_people_is_for_its_owner_alone(folder, tmp_path):
    database = folder / "gradebook.db"
    database.chmod(0o644)  # as an earlier release left it
    run(folder, "collect", zipped(tmp_path / "all.zip", [(f"amy_{LESSON}.ipynb", notebook())]))
    written = [database, *(folder / "collected").rglob("*"), *(folder / "submitted").rglob("*")]
    assert {oct(path.stat().st_mode & 0o077) for path in written} == {"0o0"}


def test_an_emptied_gradebook_is_not_begun_anew_where_something_is_graded(folder):
    (folder / "autograded" / "amy").mkdir(parents=True)
    (folder / "gradebook.db").write_bytes(b"")
    for words in (("export", "01", "--canvas", folder / "people.csv"), ("roster", folder / "people.csv")):
        output = run(folder, *words, code=2)  # whatever only reads it leaves it as it is
    assert "is empty, and autograded/ is not" in output
    with pytest.raises(BadBook, match="is empty, and autograded/ is not"):
        GradebookWriter(Class(folder))
    assert (folder / "gradebook.db").read_bytes() == b""


def test_a_file_that_is_no_notebook_is_not_told_once_its_notebook_is_there(folder, tmp_path):
    with_pdf = zipped(
        tmp_path / "first.zip",
        [(f"amy/{LESSON}.ipynb", notebook()), ("bob/answers.pdf", "%PDF")],
    )
    later = zipped(tmp_path / "second.zip", [(f"bob/{LESSON}.ipynb", notebook())])
    other = zipped(tmp_path / "third.zip", [(f"bob/{OTHER}.ipynb", notebook(OTHER))])
    told = []
    for path in (with_pdf, other, later, with_pdf):
        run(folder, "collect", path)
        told.append("bob" in read(Class(folder)).others)
    assert told == [True, True, False, False]


def test_a_receipt_of_blackboards_is_nothing_that_a_student_handed_in(folder, tmp_path):
    names = [f"hw_{who}_attempt_2026-03-01-22-24-12" for who in ("amy", "bob")]
    files = [(f"{names[0]}_x.ipynb", notebook()), *((f"{name}.txt", "Name: …") for name in names)]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files))
    assert "No notebook, so not graded" not in output
    assert "3 files in all: 1 placed, 0 earlier, 2 no notebook" in output
    assert read(Class(folder)).others == {}


def test_class_toml_is_made_and_then_checked_by_one_command(folder):
    assert "is made" in run(folder, "class")
    assert f"No due date: {LESSON} and {OTHER}." in run(folder, "class")
    text = (folder / "class.toml").read_text()
    (folder / "class.toml").write_text(text.replace(f"# {LESSON} = 2026", f"{LESSON} = 2026", 1))
    assert f"{LESSON}: due 2026-03-01 23:59" in run(folder, "class")
    with (folder / "class.toml").open("a") as file:  # a line that is added below is one of its table
        file.write(f'{LESSON} = "last on time"\n')
    assert "attempts: last on time" in run(folder, "class")
    every = re.sub(
        r"^# (?=\w+ = |\[|jdoe|01-)", "", text, flags=re.MULTILINE
    )  # each line that says something
    (folder / "class.toml").write_text(every.replace("jdoe", "amy"))
    output = run(folder, "class")
    assert "Times without a zone are in Europe/Berlin." in output
    more = "more time: amy until 2026-03-04 23:59:59 CET"
    assert f"{LESSON}: due 2026-03-01 23:59:59 CET, {more}, attempts: best" in output
    assert "Each day late costs 10% of the points that were earned." in output
    assert "Without hidden probes, grading is refused" in output
    assert "did not have counts nothing" in output
    assert "Left out of reports, exports and returns, since they have left: amy." in output
    (folder / "class.toml").write_text(text.replace("[due]", "[due]\n01-convolutoin = 2026-03-01T23:59:00"))
    assert "there is no lesson 01-convolutoin" in run(folder, "class", code=2)
