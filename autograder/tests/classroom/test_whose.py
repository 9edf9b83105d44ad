"""Who handed in is what the platform says; budgets are each student's own, and who breaks one is named."""

import io
import json
import re
import zipfile

import pytest
from autograder.classroom import submission_archives
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import Grading, TaskResult
from support.class_course import LESSON
from support.handing_in import note_of, notebook, run, zipped

MOODLE = "assignsubmission_file"
AMY, BOB, JOERG = "adamsamy_11_901_", "brownbob_12_902_", "müllerjrg_13_903_"
OTHERS = [
    (f"{BOB}{LESSON}.ipynb", notebook(note="bob's")),
    (f"{JOERG}{LESSON}.ipynb", notebook(note="jörg's")),
]
IN_MOODLE = [
    (f"Bob Brown_802_{MOODLE}/{LESSON}.ipynb", notebook(note="bob's")),
    (f"Jörg Müller_803_{MOODLE}/{LESSON}.ipynb", notebook(note="jörg's")),
]
NAMES = (
    f"x-Bob Brown_802_{MOODLE}_y.ipynb",
    f"Bob Brown_802_{MOODLE}_{LESSON}.ipynb",
    f"bob_{LESSON}.ipynb",
    "bob.ipynb",
    "Bob Brown.ipynb",
    f"brownbob_12_999_{LESSON}.ipynb",
    f"{LESSON}-Bob Brown.ipynb",
    f"anon_1234_{LESSON}.ipynb",
)


@pytest.mark.parametrize("name", NAMES)
def test_on_canvas_a_file_is_whose_the_prefix_says(folder, tmp_path, name):
    files = [*OTHERS, (f"{AMY}{name}", notebook(note="amy's"))]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files))
    assert [note_of(folder, who) for who in ("amy", "bob", "joerg")] == ["amy's", "bob's", "jörg's"]
    assert ("its name says bob" in output) == ("ob" in name and not name.startswith("x-"))


@pytest.mark.parametrize("name", [*NAMES, f"bob/{LESSON}.ipynb", f"Bob Brown_802_{MOODLE}/x.ipynb"])
def test_on_moodle_a_file_is_whose_the_folder_says(folder, tmp_path, name):
    files = [*IN_MOODLE, (f"Amy Adams_801_{MOODLE}/{name}", notebook(note="amy's"))]
    run(folder, "collect", zipped(tmp_path / "all.zip", files))
    assert [note_of(folder, who) for who in ("amy", "bob", "joerg")] == ["amy's", "bob's", "jörg's"]


def test_canvas_is_known_where_most_handed_in_a_text_or_a_link(folder, tmp_path):
    texts = ["brownbob_12_text.html", "müllerjrg_LATE_13_link.html", "doejane_14_text.html"]
    files = [(f"adams_11_901_{LESSON}.ipynb", notebook(note="amy's")), *((name, "<p>") for name in texts)]
    run(folder, "collect", zipped(tmp_path / "all.zip", files))
    assert note_of(folder, "amy") == "amy's"


def test_of_two_namesakes_on_moodle_only_the_worksheets_number_says_whose_a_file_is(folder, tmp_path):
    rows = "Participant 7001,Ann Ash,ann.ash2@x.org,-,,20\nParticipant 7002,Ann Ash,ann.ash@x.org,-,,20\n"
    people = tmp_path / "people.csv"
    people.write_text("id,name,email\na1,Ann Ash,ann.ash@x.org\na2,Ann Ash,ann.ash2@x.org\n")
    run(folder, "roster", people)
    archive = zipped(tmp_path / "all.zip", [(f"Ann Ash_7001_{MOODLE}/{LESSON}.ipynb", notebook(note="a2's"))])
    assert "2 students are called Ann Ash (a1 and a2)" in run(folder, "collect", archive, code=1)
    people.write_text(f"Identifier,Full name,Email address,Status,Grade,Maximum grade\n{rows}")
    run(folder, "roster", people)
    run(folder, "collect", archive)
    assert (note_of(folder, "a1"), note_of(folder, "a2")) == (None, "a2's")


@pytest.mark.parametrize(
    "name",
    [
        f"anon_XyZ12_901_{LESSON}.ipynb",
        f"LATE_anon_Qb9rT_902_{LESSON}.ipynb",
        f"Participant 801_801_{MOODLE}/{LESSON}.ipynb",
        f"Teilnehmer-in801_801_{MOODLE}/{LESSON}.ipynb",
    ],
)
def test_what_was_handed_in_anonymously_is_told_to_be_so(folder, tmp_path, name):
    output = run(folder, "collect", zipped(tmp_path / "all.zip", [(name, notebook())]), code=1)
    assert "it was handed in anonymously; switch that off on the platform" in output


def test_an_inner_archive_places_nothing_by_its_names(folder, tmp_path):
    inner = io.BytesIO()
    zipped(inner, [(f"Bob Brown_802_{MOODLE}/bob_{LESSON}.ipynb", notebook(note="amy's"))])
    run(folder, "collect", zipped(tmp_path / "all.zip", [*OTHERS, (f"{AMY}work.zip", inner.getvalue())]))
    assert [note_of(folder, who) for who in ("amy", "bob")] == ["amy's", "bob's"]


GRADESCOPE = """
submission_71:
  :submitters:
  - :name: Amy Adams
    :sid: amy
    :email: amy@example.org
  :created_at: 2026-01-01 10:00:00.0 Z
submission_72:
  :submitters:
  - :name: Bob Brown
    :sid:
    :email: bob@example.org
"""


def test_gradescopes_list_says_whose_the_folders_are(folder, tmp_path):
    files = [
        ("assignment_5_export/submission_metadata.yml", GRADESCOPE),
        (f"assignment_5_export/submission_71/bob_{LESSON}.ipynb", notebook(note="amy's")),
        (f"assignment_5_export/submission_72/amy/{LESSON}.ipynb", notebook(note="bob's")),
        ("assignment_5_export/submission_99/joerg.ipynb", notebook(note="nobody's")),
    ]
    run(folder, "collect", zipped(tmp_path / "all.zip", files), code=1)
    assert [note_of(folder, who) for who in ("amy", "bob", "joerg")] == ["amy's", "bob's", None]


def test_a_list_of_gradescopes_is_read_however_much_of_results_it_holds(folder, tmp_path):
    output = "x" * 1_000_000
    results = "  :results:\n    tests:\n" + f"    - output: {output}\n" * 21
    files = [
        ("submission_metadata.yml", GRADESCOPE.replace("submission_72", f"{results}submission_72")),
        (f"submission_72/{LESSON}.ipynb", notebook(note="bob's")),
    ]
    run(folder, "collect", zipped(tmp_path / "all.zip", files))
    assert note_of(folder, "bob") == "bob's"


JOERG_TOO = "  - :name: Jörg Müller\n    :sid:\n    :email: jm@example.org\n  :created_at"
# As Canvas exports groups. Whoever of them handed in gives the file its number, and the group its
# name (`get_user_name` in content_zipper.rb, and the format of the group categories' import).
GROUPS = """name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id
Amy Adams,11,1001,amy,A,Team 3,81,
Bob Brown,12,1002,bob,A,Team 4,82,
Jörg Müller,13,1003,joerg,A,Team 3,81,
"""


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {
                "submission_metadata.yml": GRADESCOPE.replace("  :created_at", JOERG_TOO),
                "submission_71/answers.ipynb": "",
            },
            (),
        ),
        ({f"team3_13_901_{LESSON}.ipynb": "", OTHERS[0][0]: OTHERS[0][1]}, ()),
        ({f"Homework 1_Team 3_attempt_2026-03-01-22-24-12_{LESSON}.ipynb": ""}, ()),
        ({f"Team 3/{LESSON}.ipynb": ""}, ()),
        ({f"Team 3_{LESSON}.ipynb": ""}, ()),
        (
            {
                "Team 3_final version.ipynb": "",
                f"bob_{LESSON}.ipynb": OTHERS[0][1],
                f"jane2_{LESSON}.ipynb": notebook(note="jane's"),
            },
            (),
        ),
        ({f"{LESSON}-team-3/answers.ipynb": "", f"{LESSON}-bob/answers.ipynb": OTHERS[0][1]}, ()),
        ({"ours.ipynb": ""}, ("--who", "ours.ipynb=amy,joerg")),
        ({f"adamsamy_11_901_{LESSON}.ipynb": "", OTHERS[0][0]: OTHERS[0][1]}, ("--who", "11=amy,joerg")),
    ],
)
def test_a_groups_notebook_is_placed_for_each_of_its_people(folder, tmp_path, files, words):
    (tmp_path / "groups.csv").write_text(GROUPS, encoding="utf-8")
    run(folder, "roster", tmp_path / "groups.csv")
    first = [(name, text or notebook(note="ours")) for name, text in files.items()]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", first), *words)
    assert [note_of(folder, who) for who in ("amy", "joerg", "jane1")] == ["ours", "ours", None]
    assert f"{len(files) - ('submission_metadata.yml' in files)} placed" in output
    # What they hand in later needs nothing again.
    later = [(name, text or notebook(note="our second")) for name, text in files.items()]
    run(folder, "collect", zipped(tmp_path / "later.zip", later))
    assert [note_of(folder, who) for who in ("amy", "joerg")] == ["our second", "our second"]


def test_each_of_a_group_gets_their_own_page_under_their_own_number(folder, tmp_path):
    (tmp_path / "groups.csv").write_text(GROUPS, encoding="utf-8")
    run(folder, "roster", tmp_path / "groups.csv")
    files = [OTHERS[0], (f"team3_LATE_13_901_{LESSON}.ipynb", notebook(note="ours"))]
    run(folder, "collect", zipped(tmp_path / "all.zip", files))
    for student in ("amy", "bob", "joerg"):
        page = folder / "feedback" / student / LESSON / f"{LESSON}.html"
        page.parent.mkdir(parents=True)
        page.write_text(student)
    back = tmp_path / "back.zip"
    assert "the feedback of 3 students" in run(folder, "return", LESSON, "--canvas", "--out", back)
    with zipfile.ZipFile(back) as archive:
        actual = {name: archive.read(name).decode() for name in archive.namelist()}
    names = {
        f"team3_LATE_11_901_{LESSON}": "amy",
        f"{BOB}{LESSON}": "bob",
        f"team3_LATE_13_901_{LESSON}": "joerg",
    }
    assert actual == {f"{name}.html": student for name, student in names.items()}


def test_those_who_handed_in_as_a_group_are_no_pair_of_similar_answers(folder, tmp_path):
    (tmp_path / "groups.csv").write_text(GROUPS, encoding="utf-8")
    run(folder, "roster", tmp_path / "groups.csv")
    files = [OTHERS[0], (f"team3_13_901_{LESSON}.ipynb", notebook(note="ours"))]
    run(folder, "collect", zipped(tmp_path / "all.zip", files))
    said = {"amy": "Zebra quagga okapi", "joerg": "Zebra quagga okapi", "bob": "A zebra quagga okapi"}
    with graded_results.opened(Class(folder).database) as store:
        for student, words in said.items():
            text = f"{words} gallops through tall savannah grass while lonely herons watch quietly overhead"
            result = TaskResult(LESSON, student, "why", None, 3, answer=text)
            store.write(Grading(LESSON, student, graded_results.now()), [result])
    output = run(folder, "similar", LESSON)
    assert "2 pairs among 3 students" in output
    assert not re.search(r"Amy Adams \(amy\) and Jörg|Jörg Müller \(joerg\) and Amy", output)


def test_a_group_hands_in_by_another_of_its_people_the_second_time(folder, tmp_path):
    (tmp_path / "groups.csv").write_text(GROUPS, encoding="utf-8")
    run(folder, "roster", tmp_path / "groups.csv")
    for number, file, note in ((13, 901, "by jörg"), (11, 951, "by amy")):
        files = [*OTHERS, (f"team3_{number}_{file}_{LESSON}.ipynb", notebook(note=note))]
        run(folder, "collect", zipped(tmp_path / f"{number}.zip", files))
    assert [note_of(folder, who) for who in ("amy", "joerg")] == ["by amy", "by amy"]


def test_a_group_that_no_list_names_is_told(folder, tmp_path):
    files = [*OTHERS, (f"team3_11_901_{LESSON}.ipynb", notebook())]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files), code=1)
    assert "has the number of Amy Adams (amy), and no name of theirs" in output
    run(folder, "collect", tmp_path / "all.zip", "--who", "11=amy")
    unknown = GRADESCOPE.replace("  :created_at", JOERG_TOO.replace("Jörg", "Zora").replace("jm@", "zm@"))
    files = [("submission_metadata.yml", unknown), (f"submission_71/{LESSON}.ipynb", notebook())]
    output = run(folder, "collect", zipped(tmp_path / "group.zip", files), code=1)
    assert "Zora Müller cannot be told in the roster: --who submission_71=amy,STUDENT" in output


def test_a_folder_that_github_classroom_names_by_assignment_and_person_is_theirs(folder, tmp_path):
    names = ("amy", "bob", "j-b-o")
    files = [(f"{LESSON}-submissions/{LESSON}-{name}/{LESSON}.ipynb", notebook(note=name)) for name in names]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files), code=1)
    assert [note_of(folder, who) for who in ("amy", "bob")] == ["amy", "bob"]
    assert "1 not placed" in output
    # One folder alone bears nothing out.
    item = zipped(tmp_path / "one.zip", [("Jean-Jane Doe/x.ipynb", notebook())])
    assert "1 not placed" in run(folder, "collect", item, code=1)


def test_an_id_with_an_underscore_is_told_from_the_name_of_blackboards_assignment(folder, tmp_path):
    (tmp_path / "more.csv").write_text("id,name,email\nb_amy,Ann Berg,ann@example.org\n")
    run(folder, "roster", tmp_path / "more.csv")
    files = [
        (f"HW 1_{who}_attempt_2026-03-01-22-24-12_x.ipynb", notebook(note=who)) for who in ("amy", "b_amy")
    ]
    run(folder, "collect", zipped(tmp_path / "all.zip", files))
    assert [note_of(folder, who) for who in ("amy", "b_amy")] == ["amy", "b_amy"]


@pytest.mark.parametrize(
    ("files", "time"),
    [
        ({"submission_metadata.yml": GRADESCOPE, "submission_71/a.ipynb": ""}, "2026-01-01 10:00:00"),
        ({"Homework 1_amy_attempt_2026-03-01-22-24-12_a.ipynb": ""}, "2026-03-01 21:24:12"),
        ({"40123-55871 - Amy Adams - Mar 1, 2026 1024 PM/a.ipynb": ""}, "2026-03-01 21:24:00"),
        ({f"amy/{LESSON}.ipynb": ""}, None),
    ],
)
def test_a_platforms_own_time_counts_unless_a_list_says_another(folder, tmp_path, files, time):
    (folder / "class.toml").write_text('timezone = "Europe/Berlin"\n')
    whole = [(name, text or notebook()) for name, text in files.items()]
    run(folder, "collect", zipped(tmp_path / "all.zip", whole))
    stamp = folder / "submitted" / "amy" / LESSON / "timestamp.txt"
    assert (stamp.read_text() if stamp.exists() else None) == (time and f"{time}.000000 UTC")
    (tmp_path / "times.csv").write_text("id,time\namy,2026-05-01 10:00\n")
    output = run(folder, "collect", tmp_path / "all.zip", "--times", tmp_path / "times.csv")
    assert stamp.read_text() == "2026-05-01 08:00:00.000000 UTC"
    assert ("the platform says" in output) == bool(time)


def bomb(megabytes):
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(megabytes):
            archive.writestr(f"{number}.ipynb", b"0" * 1_000_000)
    return result.getvalue()


def many(count, ending):
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number}{ending}", b"")
    return result.getvalue()


def nested(depth):
    result = b"x"
    for _ in range(depth):
        around = io.BytesIO()
        zipped(around, [("inner.zip", result)])
        result = around.getvalue()
    return result


def overlapping():
    result = io.BytesIO()
    zipped(result, [("a.ipynb", "{}")])
    return result.getvalue().replace(b"PK\x01\x02", b"PK\x01\x03")


BREAKS = {
    "much in little": lambda: bomb(300),
    "many notebooks": lambda: many(20_001, ".ipynb"),
    "many other files": lambda: many(20_001, ".png"),
    "archives in archives": lambda: nested(9),
    "damaged": overlapping,
    "no archive": lambda: b"PK\x05\x06" + b"\xff" * 18,
    "one large file": lambda: zipped(io.BytesIO(), [("a.ipynb", b" " * 70_000_000)]).getvalue(),
}


@pytest.mark.parametrize("kind", BREAKS)
def test_who_breaks_a_budget_is_named_and_everybody_else_is_collected(folder, tmp_path, kind):
    files = [(f"{AMY}work.zip", BREAKS[kind]()), *OTHERS]
    archive = zipped(tmp_path / "all.zip", files)
    output = run(folder, "collect", archive, code=0 if kind == "many other files" else 1)
    assert [note_of(folder, who) for who in ("bob", "joerg")] == ["bob's", "jörg's"]
    assert f"{AMY}work.zip" in output
    assert len(output) < 20_000


def test_many_files_of_one_student_cost_nobody_else_a_place(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(submission_archives, "MAX_FILES_EACH", 3)
    own = [(f"Amy Adams_801_{MOODLE}/{n}.ipynb", json.dumps({"cells": []})) for n in range(9)]
    output = run(
        folder, "collect", zipped(tmp_path / "all.zip", [*own, *IN_MOODLE]), "--lesson", "01", code=1
    )
    assert [note_of(folder, who) for who in ("bob", "joerg")] == ["bob's", "jörg's"]
    assert "more than 3 files of theirs" in output


def test_what_is_read_of_an_inner_archive_counts_whatever_is_kept_of_it(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(submission_archives, "MAX_BYTES_EACH", 100_000)
    inner = zipped(io.BytesIO(), [("a.ipynb", b" " * 70_000), ("b.ipynb", b" " * 70_000)]).getvalue()
    own = [(f"Amy Adams_801_{MOODLE}/{name}", inner) for name in ("a.zip", "b.zip")]
    output = run(
        folder, "collect", zipped(tmp_path / "all.zip", [*own, *IN_MOODLE]), "--lesson", "01", code=1
    )
    assert [note_of(folder, who) for who in ("bob", "joerg")] == ["bob's", "jörg's"]
    assert "their files hold more than" in output
