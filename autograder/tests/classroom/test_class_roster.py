"""Lists of people as platforms export them, and finding people by what platforms make of their names."""

import shutil
import zipfile
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from autograder.classroom import score_export as exports
from autograder.classroom.class_roster import Person, Roster, read_people
from autograder.classroom.csv_tables import BadList
from autograder.classroom.gradebook_roster import class_list
from autograder.classroom.platforms import (
    blackboard,
    brightspace,
    canvas,
    generic,
    github_classroom,
    gradescope,
    moodle,
)
from autograder.grading.class_folder import Class
from openpyxl import Workbook
from support.class_course import LESSON
from support.class_scores import graded
from support.handing_in import notebook, run, zipped

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,01-convolution (991)
    Points Possible,,,,,20
"Doe, Jane",4711,s100,jdoe,A,
"Müller, Jörg",4712,s101,jmueller,A,17
"Student, Test",4999,,abc123,A,
"""
SPLIT = """LastName,FirstName,ID,SIS User ID,SIS Login ID,Section
Doe,Jane,4711,s100,jdoe,A
Müller,Jörg,4712,s101,jmueller,A
Student,Test,4999,,abc123,A
"""
GERMAN = """Vorname,Nachname,Matrikelnummer,E-Mail-Adresse
Jane,Doe,s100,jane@example.org
Jörg,Müller,,joerg@example.org
"""
MOODLE = """First name,Last name,ID number,Email address
Jane,Doe,s100,jane@example.org
Jörg,Müller,,joerg@example.org
"""
# As “Download roster” gives it: the columns that abc-classroom's documentation names.
GITHUB = """"identifier","github_username","github_id","name"
"s100","jdoe-gh","40261856","Jane Doe"
"joerg@example.org","","","Jörg Müller"
"""
# A guess, after what teachers show of the grades that Google Classroom exports; Google documents no format.
GOOGLE = """Last Name,First Name,Email Address,01-convolution
,,,3/1/26
,,,20
Doe,Jane,jane@example.org,17
Müller,Jörg,joerg@example.org,
Class Average,,,8.5
"""
WORKSHEET = """Identifier,Full name,Email address,Status,Grade,Last modified (submission),Feedback comments
Participant 81,Jane Doe,jane@example.org,Submitted,,"Sunday, 1 March 2026, 10:24 PM","two
lines"
Participant 82,Jörg Müller,joerg@example.org,No submission,,-,
"""


def read(tmp_path, text, encoding="utf-8", **zone):
    path = tmp_path / "list.csv"
    path.write_text(text, encoding=encoding)
    kinds = (generic.PLAIN, moodle.MOODLE, canvas.CANVAS, gradescope.GRADESCOPE)
    kinds += (blackboard.BLACKBOARD, brightspace.BRIGHTSPACE, github_classroom.GITHUB_CLASSROOM)
    return read_people(path, [kind.lists for kind in kinds], **zone)


@pytest.mark.parametrize(
    ("text", "encoding", "ids"),
    [
        (CANVAS, "utf-8", ["jdoe", "jmueller"]),
        (MOODLE, "utf-8-sig", ["s100", "joerg@example.org"]),
        (WORKSHEET, "utf-8", ["jane@example.org", "joerg@example.org"]),
        (MOODLE.replace(",", ";"), "cp1252", ["s100", "joerg@example.org"]),
        (MOODLE.replace(",", "\t"), "utf-16", ["s100", "joerg@example.org"]),
        (SPLIT, "utf-8", ["jdoe", "jmueller"]),
        (GERMAN, "utf-8-sig", ["s100", "joerg@example.org"]),
        (GERMAN.replace("E-Mail-Adresse", "E-Mail"), "utf-8", ["jane@example.org", "joerg@example.org"]),
        ("\n\n" + MOODLE, "utf-8", ["s100", "joerg@example.org"]),
        ("sep=;\r\n" + MOODLE.replace(",", ";"), "cp1252", ["s100", "joerg@example.org"]),
        (GITHUB, "utf-8", ["s100", "joerg@example.org"]),
        (GOOGLE, "utf-8", ["jane@example.org", "joerg@example.org"]),
        ("id,name\na/b,Jane Doe\nc d,Jörg Müller\n", "utf-8", ["a-b", "c-d"]),
    ],
)
def test_lists_of_every_origin_name_the_same_people(tmp_path, text, encoding, ids):
    people = read(tmp_path, text, encoding)
    assert [person.id for person in people] == ids
    assert [person.name for person in people] == ["Jane Doe", "Jörg Müller"]


def test_a_list_may_be_an_excel_workbook(tmp_path):
    book = Workbook()
    jane = ["jdoe", "Jane Doe", datetime(2026, 3, 1, 22, 24)]
    for row in ([], ["id", "name", "time"], jane, [], [81, "Bo Li"]):
        book.active.append(row)
    book.save(tmp_path / "list.xlsx")
    people = read_people(tmp_path / "list.xlsx", [generic.PLAIN.lists], UTC)
    assert [(person.id, person.name) for person in people] == [("jdoe", "Jane Doe"), ("81", "Bo Li")]
    assert people[0].time == datetime(2026, 3, 1, 22, 24, tzinfo=UTC)
    (tmp_path / "list.xlsx").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(BadList, match="no workbook"):
        read_people(tmp_path / "list.xlsx", [generic.PLAIN.lists])


@pytest.mark.parametrize(
    ("part", "changes"),
    [
        ("xl/worksheets/sheet1.xml", {b"</row>": b""}),  # no XML any more
        ("xl/workbook.xml", {b"<workbookView ": b'<workbookView other="1" '}),
        # As if it had 17 billion cells.
        ("xl/worksheets/sheet1.xml", {b"A1:B2": b"A1:XFD1048576", b'<row r="2"': b'<row r="1048576"'}),
        ("xl/worksheets/sheet1.xml", {b"<sheetData>": b" " * 60_000_000 + b"<sheetData>"}),
    ],
)
def test_a_damaged_or_hostile_workbook_is_refused(tmp_path, part, changes):
    book = Workbook()
    for row in (["id", "task"], ["amy", "dot"]):
        book.active.append(row)
    book.save(tmp_path / "whole.xlsx")
    with zipfile.ZipFile(tmp_path / "whole.xlsx") as whole:
        files = {name: whole.read(name) for name in whole.namelist()}
    for old, new in changes.items():
        assert old in files[part]
        files[part] = files[part].replace(old, new)
    zipped(tmp_path / "list.xlsx", files.items())
    with pytest.raises(BadList, match=r"no workbook|too many rows|too large"):
        read_people(tmp_path / "list.xlsx", [generic.PLAIN.lists])


def test_a_platforms_numbers_and_times_are_read(tmp_path):
    assert [person.lms_user_id for person in read(tmp_path, CANVAS)] == ["4711", "4712"]
    jane, joerg = read(tmp_path, WORKSHEET)
    assert (jane.lms_user_id, joerg.lms_user_id) == ("81", "82")
    assert f"{jane.time:%Y-%m-%d %H:%M}" == "2026-03-01 22:24"
    assert joerg.time is None


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        (CANVAS.replace("jdoe,A", 'jdoe,"CS101-01 and CS101-Lab"'), ["CS101-01 and CS101-Lab", "A"]),
        (SPLIT, ["A", "A"]),
        (
            "First name,Last name,Email address,Department,Groups\n"
            'Jane,Doe,jane@example.org,Physics,"Monday, Lab"\nJörg,Müller,joerg@example.org,Physics,\n',
            ["Monday, Lab", ""],
        ),
        ("Username,Group(s)\njane,Monday\n", ["Monday"]),
        ("name;e-mail;Group\nJane Doe;jane@example.org;<b>7\n", ["<b>7"]),
        ("Section,Vorname,E-Mail-Adresse\nA,Jane,jane@example.org\n", ["A"]),
        ("id,section\njane,A\n,B\n", ["A"]),
        (MOODLE, ["", ""]),
    ],
)
def test_a_section_is_read_as_its_list_names_it(tmp_path, text, sections):
    assert [person.section for person in read(tmp_path, text)] == sections


def test_a_section_is_kept_until_a_list_names_another(folder, tmp_path):
    listed, book = tmp_path / "list.csv", Class(folder)
    for column, changed, saved in [
        ("section\nbob,A and B\namy,", "1 changed", "A and B"),
        ("section\nbob,C\namy,", "1 changed", "C"),
        ("last_name\nbob,Brown\namy,Adams", "0 changed", "C"),
    ]:
        listed.write_text(f"id,{column}\n", encoding="utf-8")
        before = class_list(book).people["bob"].section
        assert changed in run(folder, "roster", listed, "--dry-run")
        assert class_list(book).people["bob"].section == before
        assert changed in run(folder, "roster", listed)
        people = class_list(book).people
        assert (people["bob"].section, people["amy"].section) == (saved, "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("colour,shape\nred,round\n", "no column that says who a student is"),
        ("id,name\nx,Jane\nx,Jörg\n", "Jane and Jörg have one id, x"),
        ("id,name\n", "names nobody"),
        ("", "no column"),
        ("id,time\nx,soon\n", "“soon”, the time of x, cannot be read as a time"),
        ("id,time\nx,22:24\n", "“22:24”, the time of x, cannot be read as a time"),
        ("id,time\nx,2026-03-01 22:24 PST\n", "cannot be read as a time: write 2026-03-01 22:24"),
        ("id,time\nx,03/01/2026 22:24\n", "“03/01/2026” may begin with its day or its month"),
        ("id,time\nx,03/01/2026\ny,13/01/2026\nz,01/13/2026\n", "may begin with its day or its month"),
        (f"id,name\nx,{'Jane' * 50_000}\n", "cannot be read as a list: field larger than"),
        ("name,email\nAdams, Amy,amy@x.org\n", "row 2 has 3 cells, and there are 2 titles. Put a name"),
        ("id,name\n-.,???\n", "has no id, address or name that a folder can have"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_with_the_reason(tmp_path, text, says):
    with pytest.raises(BadList, match=says.replace("(", r"\(")):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("times", "first"),
    [
        (["01.03.2026 22:24"], "2026-03-01 21:24"),
        (["1. 3. 26 22:24", "13.03.2026 10:00"], "2026-03-01 21:24"),
        (["1/3/2026 22:24", "13/3/2026 10:00"], "2026-03-01 21:24"),
        (["3/1/2026 10:24 PM", "3/13/2026 10:00"], "2026-03-01 21:24"),
        (["2026-03-01 22:24"], "2026-03-01 21:24"),
        (["2026-03-01T22:24Z", "13/3/2026"], "2026-03-01 22:24"),
        # As Google writes the times of a form's answers: the offset is east of Greenwich, unlike in POSIX.
        (["2026/03/01 9:14:05 AM GMT-5"], "2026-03-01 14:14"),
        (["2026/03/01 9:14:05 AM GMT+5:30"], "2026-03-01 03:44"),
        (["2026-03-01 09:14 UTC+02:00"], "2026-03-01 07:14"),
        (["Sun Mar 01 2026 09:14:05 GMT+0100"], "2026-03-01 08:14"),
        (["2026-03-01 09:14:05 CET+0100"], "2026-03-01 08:14"),
        (["01-MAR-2026 09:14 GMT"], "2026-03-01 09:14"),
    ],
)
def test_of_a_date_in_numbers_the_list_says_which_is_the_day_and_the_class_which_hour(tmp_path, times, first):
    text = "id,time\n" + "".join(f"{number},{time}\n" for number, time in enumerate(times))
    moment = read(tmp_path, text, zone=ZoneInfo("Europe/Berlin"))[0].time
    assert f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}" == first


def test_names_are_found_in_every_form_that_platforms_give_them():
    roster = Roster([Person("jm", "Jörg", "Müller-Lüdenscheidt"), Person("ab", "Ana", "de la Cruz")])
    for label in ("müllerlüdenscheidtjörg", "Jörg Müller-Lüdenscheidt", "MULLERLUDENSCHEIDTJORG"):
        assert roster.called([label]) == {"jm"}
    assert roster.called(["delacruzana"]) == {"ab"}
    assert roster.called(["nobody", "jm"]) == {"jm"}
    assert roster.called(["somebody"]) == set()


def test_of_two_names_that_differ_in_an_accent_the_one_that_is_written_is_meant():
    roster = Roster([Person("one", "Jürgen", "Müller"), Person("two", "Jurgen", "Müller")])
    assert [roster.called([name]) for name in ("Müller Jürgen", "Jurgen Müller")] == [{"one"}, {"two"}]
    assert roster.find(Person("x", "Jürgen", "Müller")) == {"one"}
    assert roster.called(["Jurgen Muller"]) == {"one", "two"}


def test_who_is_no_longer_in_the_list_is_named_and_stays(folder, tmp_path):
    listed = tmp_path / "list.csv"
    listed.write_text("email,name\namy@example.org,Amy Adams\nnew@example.org,Nan New\n", encoding="utf-8")
    output = run(folder, "roster", listed, "--dry-run")
    gone = "Bob Brown (bob), Jane Doe (jane1), Jane Doe (jane2), Jörg Müller (joerg)"
    assert f"4 students of the gradebook are not in it, and stay: {gone}" in output


def test_two_people_of_one_name_are_both_found_and_an_id_decides():
    roster = Roster([Person("one", "Jane", "Doe"), Person("two", "Jane", "Doe", "jd@example.org")])
    assert roster.called(["Jane Doe"]) == {"one", "two"}
    assert roster.called(["Jane Doe", "two"]) == {"two"}
    assert roster.called(["JD@example.org"]) == {"two"}


def test_a_person_keeps_the_id_that_they_have_when_a_new_list_calls_them_otherwise():
    roster = Roster([Person("jdoe", "Jane", "Doe", "jane@example.org")])
    merged = roster.merged(Person("s100", "Jane", "Doe-Smith", "JANE@example.org", "4711"))
    assert (merged.id, merged.last_name, merged.lms_user_id) == ("jdoe", "Doe-Smith", "4711")


# Names of other scripts, of which several read as one another where their vowel signs are left out.
INDIC = ("राम", "रमा", "রিমা", "রামু", "রমা", "ராமு", "ரமா", "عَلي", "Юрий", "Юрии")


def test_names_that_differ_in_a_vowel_sign_are_two_peoples():
    roster = Roster([Person(f"s{number}", name) for number, name in enumerate(INDIC)])
    assert [roster.called([name]) for name in INDIC] == [{f"s{number}"} for number in range(len(INDIC))]
    assert roster.called(["রম"]) == set()


@pytest.mark.parametrize(
    ("label", "whose"),
    [
        ("j_doe", "j_doe"),
        ("J_Doe", "j_doe"),
        ("jdoe", "jdoe"),
        ("doe", "doe"),
        ("amy", "amy"),
        ("amy@example.org", "by-address"),
        ("max.muster", "max.muster"),
        ("max", "max"),
    ],
)
def test_an_exact_identifier_beats_a_part_of_another(label, whose):
    people = [Person(name) for name in ("j_doe", "jdoe", "doe", "amy", "max.muster", "max")]
    people.append(Person("by-address", "Amy", "Other", "amy@example.org"))
    assert Roster(people).called([label]) == {whose}


@pytest.mark.parametrize(
    ("label", "by_name", "whose"),
    [
        ("Anna Schmidt", True, {"1", "2"}),
        ("schmidtanna", True, {"1", "2"}),
        ("Anna Schmidt", False, {"1", "2"}),
        ("annaschmidt", False, {"1", "2"}),
        ("anna.schmidt", False, {"1"}),
        ("anna.schmidt@x.org", True, {"1"}),
        ("Max Müller", True, {"3"}),
        ("müllermax", True, {"3"}),
        ("Max Müller", False, {"3"}),
        ("maxmueller", False, {"3"}),
        ("Tom Tailor", True, set()),
        ("No Name", True, {"no.name@x.org"}),
    ],
)
def test_a_login_that_reads_like_a_name_is_nobody_elses_name(label, by_name, whose):
    people = [
        Person("1", "Anna", "Schmidt", "anna.schmidt@x.org"),
        Person("2", "Anna", "Schmidt", "anna.schmidt2@x.org"),
        Person("3", "Max", "Müller", "max.mueller@x.org"),
        Person("4", "Max", "Muller", "max.muller@x.org"),
        Person("5", "Tim", "Other", "tom.tailor@x.org"),
        Person("no.name@x.org", email="no.name@x.org"),
    ]
    assert Roster(people).called([label], by_name) == whose
    first, _, last = label.partition(" ")
    if last and label != "No Name":  # as a list that has names alone gives it
        assert Roster(people).find(Person(f"{first}-{last}", first, last)) == whose


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp1250", ["Łukasz Żółć", "Eliška Dvořáková", "Zdeněk Šťastný"]),
        ("cp1251", ["Иван Петров", "Ольга Смирнова", "Юрий Жуков"]),
        ("cp1256", ["محمد علي", "فاطمة الزهراء", "يوسف حسن"]),
        ("gb18030", ["王小明", "李华", "张伟"]),
        ("cp932", ["山田太郎", "佐藤花子", "鈴木一郎"]),
        ("mac_roman", ["Jörg Müller", "Zoë Zimmer", "François Lefèvre"]),
        ("utf-16-le", ["Jörg Müller", "Zoë Zimmer"]),
    ],
)
def test_a_list_that_does_not_name_its_encoding_is_read_by_a_guess_that_is_shown(
    folder, tmp_path, encoding, names
):
    path = tmp_path / "list.csv"
    rows = [f"{name},s{number}@example.org" for number, name in enumerate(names * 4)]
    path.write_bytes("\n".join(["name,email", *rows, ""]).encode(encoding))
    output = run(folder, "roster", path, "--dry-run")
    assert "was read as" in output
    assert all(name in output for name in names)


# The word for a participant in Moodle's language packs, as `hiddenuser` of mod_assign joins it to a number.
PARTICIPANTS = (
    *("Participant 801", "Teilnehmer/in801", "Participante801", "Participant801", "Partecipante801"),
    *("Deelnemer801", "Deltagare801", "参与者801", "অংশগ্রহণকারী801"),
)


@pytest.mark.parametrize("word", PARTICIPANTS)
def test_a_moodle_worksheet_in_any_language_gives_numbers_and_no_names(tmp_path, word):
    other = word.replace("801", "802")
    text = (
        "ID,Voller Name,E-Mail,Status,Bewertung,Bestwertung\n"
        f"{word},Amy Adams,amy@example.org,-,,20\n{other},Bob Brown,bob@example.org,-,,20\n"
    )
    people = read(tmp_path, text)
    ids = {person.name: person.lms_user_id for person in people}
    assert ids == {"Amy Adams": "801", "Bob Brown": "802"}


def test_a_titles_meaning_is_that_of_one_platform(tmp_path):
    brightspace_list = (
        "OrgDefinedId,Username,Last Name,First Name,Email\n#1001,amy,Adams,Amy,amy@example.org\n"
    )
    (person,) = read(tmp_path, brightspace_list)
    assert (person.id, person.other) == ("1001", ("#1001", "amy", "amy@example.org"))


@pytest.mark.parametrize(
    "titles", ["Last Name,First Name,Student ID", "Surname,Given name,ID", "Family Name,Forename,Login"]
)
def test_names_of_a_plain_list_are_read_in_the_words_that_offices_use(tmp_path, titles):
    (person,) = read(tmp_path, f"{titles}\nAdams,Amy,9700100\n")
    assert (person.id, person.first_name, person.last_name) == ("9700100", "Amy", "Adams")


def test_a_list_of_which_no_names_are_read_says_so(folder, tmp_path):
    listed = tmp_path / "list.csv"
    for title, said in (("Called", True), ("Name", False)):
        listed.write_text(f"{title},ID\nDee Dale,9700100\n", encoding="utf-8")
        output = run(folder, "roster", listed, "--dry-run")
        assert ("No names are read from list.csv" in output) is said


@pytest.mark.parametrize(
    "text",
    [
        "First Name,Last Name,SID,Email,Role\nAmy,Adams,1001,amy@x.org,Student\nTed,Tee,9,ted@x.org,TA\n"
        "Ina,Ins,8,ina@x.org,Instructor\n",
        "First name,Last name,ID number,Email address,Roles\nAmy,Adams,1001,amy@x.org,Student\n"
        "Ted,Tee,9,ted@x.org,Non-editing teacher\nIna,Ins,8,ina@x.org,Teacher\n",
        "Last Name,First Name,Email\nAdams,Amy,1001@x.org\nClass Average,,\n",
        "name,id\nAmy Adams,1001\nClass Average,\n",
        "First Name,Last Name,Email Address\n,,Date\n,,Points\nAmy,Adams,amy@x.org\n",
    ],
)
def test_teachers_and_averages_are_no_students(tmp_path, text):
    assert [person.name for person in read(tmp_path, text)] == ["Amy Adams"]


def test_a_row_without_an_identifier_gets_one_from_its_name(tmp_path):
    people = read(tmp_path, "first_name,last_name,email\nAmy,Adams,\nराम,शर्मा,\nBob,Brown,bob@x.org\n")
    assert [person.id for person in people] == ["Amy-Adams", "राम-शर्मा", "bob@x.org"]


def test_an_identifier_that_no_folder_can_have_is_kept_beside_the_one_that_is_made_of_it(tmp_path):
    (person,) = read(tmp_path, "id,name\ndoe1j+x,Jo Doe\n")
    assert (person.id, person.other) == ("doe1j-x", ("doe1j+x",))


def test_two_rows_of_one_person_are_two_sections_or_two_answers(tmp_path):
    (person,) = read(tmp_path, "id,name,section\nx,Jane Doe,A\nx,Jane Doe,B\n")
    assert person.section == "A and B"
    (person,) = read(tmp_path, "id,time\nx,2026-03-01 10:00\nx,2026-03-02 10:00\n")
    assert person.time.day == 2
    rows = "3/1/2026 22:24:12,x@example.org\n3/14/2026 1:00:00,x@example.org\n"
    (person,) = read(tmp_path, f"Timestamp,Email Address\n{rows}")
    assert person.time.day == 14


def test_every_identifier_of_every_list_is_kept(folder, tmp_path):
    canvas_list, other = tmp_path / "canvas.csv", tmp_path / "other.csv"
    canvas_list.write_text(CANVAS.replace("jdoe", "amy").replace("Doe, Jane", "Adams, Amy"), encoding="utf-8")
    run(folder, "roster", canvas_list)
    other.write_text("id,name\ns100,Amy Adams-Smith\n", encoding="utf-8")
    assert "0 new, 1 changed" in run(folder, "roster", other)
    assert class_list(Class(folder)).people["amy"].last_name == "Adams-Smith"


def test_a_list_of_the_same_names_and_other_identifiers_is_refused_until_it_is_confirmed(folder, tmp_path):
    listed, book = tmp_path / "list.csv", Class(folder)
    before = dict(class_list(book).people)
    listed.write_text("id,name\nA1,Amy Adams\nA2,Bob Brown\nA3,Jörg Müller\n", encoding="utf-8")
    output = run(folder, "roster", listed, code=2)
    assert "3 of 3 people have the name of somebody in the class" in output
    assert class_list(book).people == before
    assert "3 new" in run(folder, "roster", listed, "--new")
    assert len(class_list(book).people) == len(before) + 3
    assert "3 taken out of the class" in run(folder, "roster", "--undo")
    assert class_list(book).people == before
    assert "No change of the class list is known" in run(folder, "roster", "--undo", code=2)


def test_what_a_list_changed_is_as_before_after_undo(folder, tmp_path):
    listed, book = tmp_path / "list.csv", Class(folder)
    before = dict(class_list(book).people)
    listed.write_text("id,name,email,section\nbob,Robert Braun,rb@example.org,Z\n", encoding="utf-8")
    changed = "first name Bob → Robert, last name Brown → Braun, address bob@example.org → rb@example.org"
    assert f"changed: Robert Braun (bob): {changed}, section none → Z" in run(folder, "roster", listed)
    assert class_list(book).people["bob"].name == "Robert Braun"
    after = class_list(book).people
    would = "Would be taken back: 0 taken out of the class, 1 as they were before."
    assert would in run(folder, "roster", "--undo", "--dry-run")
    assert class_list(book).people == after
    assert "1 as they were before" in run(folder, "roster", "--undo")
    assert class_list(book).people == before


def test_undo_names_the_list_whose_change_it_takes_back_and_the_people(folder, tmp_path):
    for name in ("first.csv", "second.csv"):
        listed = tmp_path / name
        listed.write_text("id,name\ndee,Dee Dale\nbob,Bob Black\n", encoding="utf-8")
        run(folder, "roster", listed)
    output = run(folder, "roster", "--undo", "--dry-run")
    assert "The last change of the class list: first.csv, 20" in output
    assert "taken out: Dee Dale (dee) as before: Bob Brown (bob)" in output
    assert "as before: Bob Brown (bob)" in run(folder, "roster", "--undo")
    run(folder, "roster", "--remove", "bob")
    output = run(folder, "roster", "--undo", "--dry-run")
    assert "The last change of the class list: --remove bob, 20" in output
    assert "as before: Bob Brown (bob)" in output


def test_a_list_of_whole_names_splits_no_name_anew(folder, tmp_path):
    listed, book = tmp_path / "list.csv", Class(folder)
    listed.write_text("id,first_name,last_name\njose,José,Núñez Ibáñez\n", encoding="utf-8")
    run(folder, "roster", listed)
    listed.write_text("id,name\njose,José Núñez Ibáñez\n", encoding="utf-8")
    assert "0 changed" in run(folder, "roster", listed)
    assert class_list(book).people["jose"].last_name == "Núñez Ibáñez"
    listed.write_text("id,name\njose,José Núñez\n", encoding="utf-8")
    run(folder, "roster", listed)
    assert class_list(book).people["jose"].last_name == "Núñez"
    listed.write_text('id,name\njose,"Núñez Ibáñez, José"\n', encoding="utf-8")
    run(folder, "roster", listed)
    assert class_list(book).people["jose"].last_name == "Núñez Ibáñez"


def test_one_student_can_be_taken_out_who_has_handed_in_nothing(folder, tmp_path):
    book = Class(folder)
    archive = zipped(tmp_path / "all.zip", [(f"amy/{LESSON}.ipynb", notebook())])
    run(folder, "collect", archive)
    would = "Would be taken out of the class: Bob Brown (bob)"
    assert would in run(folder, "roster", "--remove", "bob", "--dry-run")
    assert "Taken out of the class: Bob Brown (bob)" in run(folder, "roster", "--remove", "bob")
    assert "Amy Adams (amy) has handed something in" in run(folder, "roster", "--remove", "amy", code=2)
    assert "Nobody in the class has the id bob" in run(folder, "roster", "--remove", "bob", code=2)
    assert class_list(book).people.keys() == {"amy", "joerg", "jane1", "jane2"}
    listed = tmp_path / "list.csv"
    listed.write_text("id,name\nbob,Bob Brown\ndan,Dan Dee\n", encoding="utf-8")
    again = "before, and in the class again: Bob Brown (bob): --remove bob"
    for words, counts in (("--dry-run", True), ("--new", True), ("--new", False)):
        assert (again in run(folder, "roster", listed, words)) == counts


def test_a_folder_of_nobody_is_named_and_nothing_in_it_is_graded(folder, tmp_path):
    listed = tmp_path / "list.csv"
    listed.write_text("id,name,matriculation number\nbob,Bob Brown,bbrown\n", encoding="utf-8")
    run(folder, "roster", listed)
    before = class_list(Class(folder)).people
    for name in ("bbrown", "lateuser"):
        submitted = folder / "submitted" / name / LESSON
        submitted.mkdir(parents=True)
        (submitted / f"{LESSON}.ipynb").write_text(notebook(), encoding="utf-8")
    output = run(folder, "grade", "--no-sandbox", code=1)
    bob = "submitted/bbrown is not graded: bbrown is Bob Brown, whose folder is submitted/bob"
    assert bob in output
    assert "submitted/lateuser is not graded: nobody in the class has the id lateuser" in output
    assert class_list(Class(folder)).people == before


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's own way to add a submission
def test_whom_only_a_folder_made_can_be_taken_out_once_the_folder_is_gone(folder):
    course = graded(folder, {"lateuser": 7, "bob": 5})
    submitted = folder / "submitted" / "lateuser" / LESSON
    submitted.mkdir(parents=True)
    (submitted / f"{LESSON}.ipynb").write_text(notebook(), encoding="utf-8")
    assert "has handed something in" in run(folder, "roster", "--remove", "lateuser", code=2)
    shutil.rmtree(folder / "submitted")
    assert "lateuser" in run(folder, "roster", "--remove", "lateuser", "--dry-run")
    assert "lateuser" in class_list(course).people
    run(folder, "roster", "--remove", "lateuser")
    assert "lateuser" not in class_list(course).people
    assert set(exports.scores(course).scores.values()) == {5}
    assert "has points" in run(folder, "roster", "--remove", "bob", code=2)


def test_who_was_taken_out_is_as_before_after_undo(folder, tmp_path):
    listed, book = tmp_path / "list.csv", Class(folder)
    listed.write_text("id,name,number,section,group\nbob,Bob Brown,4711,A,Red\n", encoding="utf-8")
    run(folder, "roster", listed)
    before = class_list(book).people
    run(folder, "roster", "--remove", "bob")
    assert "0 taken out of the class, 1 as they were before" in run(folder, "roster", "--undo")
    assert class_list(book).people == before
    assert "No change of the class list is known" in run(folder, "roster", "--undo", code=2)
