"""Scores go into the file that a learning platform exported, and nothing else in it changes."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from autograder.classroom.class_roster import Person
from autograder.classroom.csv_tables import BadList, Table, number_in
from autograder.classroom.platforms import brightspace, canvas, generic, moodle
from autograder.classroom.score_export import Merged, Scores, scores
from autograder.classroom.score_workbook import write_workbook
from autograder.command import app as cli
from autograder.grading.class_folder import Class
from autograder.grading.unscaled_scores import OtherMaximum
from autograder.records.course import Course
from nbgrader.api import Base, Gradebook
from openpyxl import Workbook, load_workbook
from sqlalchemy import create_engine
from support.class_course import LESSON, OTHER, class_folder
from typer.testing import CliRunner

PEOPLE = {
    "ada": ("Ada", "Lovelace", "ada@uni.example", "71"),
    "bob": ("Bob", "Meyer", "bob@uni.example", "72"),
    "bob2": ("Bob", "Meyer", "bob2@uni.example", "73"),
    "eve": ("=Eve", "O'Neil", "", ""),
}
SCORES = {("ada", LESSON): 8.0, ("bob", LESSON): 4.5, ("ada", OTHER): 3.0, ("eve", LESSON): 0.0}

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's own way of adding


@pytest.fixture
def course(class_course: Course, tmp_path: Path) -> Class:
    folder = Class(class_folder(class_course, tmp_path / "course", LESSON))
    Base.metadata.create_all(create_engine(folder.database))
    with Gradebook(folder.database, folder.directory.course_id) as book:
        for lesson in (LESSON, OTHER):
            book.add_assignment(lesson)
            book.add_notebook(lesson, lesson)
            book.add_grade_cell("task", lesson, lesson, max_score=10, cell_type="code")
        for student, (first, last, email, number) in PEOPLE.items():
            book.add_student(student, first_name=first, last_name=last, email=email, lms_user_id=number)
        for (student, lesson), score in SCORES.items():
            book.add_submission(lesson, student)
            book.find_grade("task", lesson, lesson, student).auto_score = score
        book.find_submission_notebook(LESSON, LESSON, "ada").late_submission_penalty = 1.0
        book.db.commit()
    return folder


@pytest.fixture
def reference(course: Class) -> Scores:
    return scores(course)


def into_canvas(reference: Scores, exported: str, scale: bool = False) -> Merged:
    return canvas.fill(reference, listed(exported), "", scale)


def into_moodle(reference: Scores, worksheet: str, lesson: str, scale: bool = False) -> Merged:
    return moodle.fill(reference, listed(worksheet), lesson, scale)


def listed(text: str) -> Table:
    return Table(text, (generic.LISTS, moodle.LISTS, canvas.LISTS, brightspace.LISTS))


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


CANVAS = f"""Student,ID,SIS Login ID,Section,{LESSON} (991),Essay (992)
Points Possible,,,,10,5
"Lovelace, Ada",71,alo,A,,4
"Meyer, Bob",72,bme,A,,3
"Meyer, Bob",,,B,7,2
"Nobody, Nora",99,nno,A,,1
"Student, Test",,,A,,
"""


def test_canvas_columns_of_our_lessons_are_filled_and_all_else_stays(reference):
    result = into_canvas(reference, CANVAS)
    expected = table(CANVAS)
    expected[2][4], expected[3][4] = "7", "4.5"  # Ada was late, which costs 1 of 8
    assert table(result.text) == expected
    assert result.filled == 2
    assert result.strangers == ["Bob Meyer (could be bob or bob2)", "Nora Nobody (not in the gradebook)"]
    assert result.missing == ["eve"]
    assert result.left_out == [OTHER]
    assert not into_canvas(reference, CANVAS.replace("Essay", OTHER).replace("10,5", "10,10")).left_out


def test_a_canvas_gradebook_of_a_german_course_is_filled_between_its_semicolons(reference):
    gradebook = f"""Student;ID;SIS Login ID;Section;{LESSON} (991)
;;;;Manual Posting
    Points Possible;;;;10,00
Lovelace, Ada;71;alo;A;{{}}
Student, Test;99;;A;
"""
    result = into_canvas(reference, gradebook.format(""))
    assert (result.text, result.filled, result.strangers) == (gradebook.format("7"), 1, [])


def test_what_canvas_has_excused_stays_and_is_told(reference):
    result = into_canvas(reference, CANVAS.replace("71,alo,A,,4", "71,alo,A,EX,4"))
    assert [row[4] for row in table(result.text)[2:4]] == ["EX", "4.5"]
    assert result.untouched == [f"Ada Lovelace (ada): {LESSON} is excused (EX)"]
    assert (result.filled, result.missing) == (1, ["eve"])


def test_of_several_lessons_each_says_who_has_a_row_and_no_score_in_it(reference):
    exported = CANVAS.replace("Essay", OTHER).replace("10,5", "10,10")
    assert into_canvas(reference, exported).empty == {LESSON: [], OTHER: ["bob"]}
    # Whom the platform does not ask for a score, nobody is to look for.
    assert into_canvas(reference, exported.replace("bme,A,,3", "bme,A,,EX")).empty[OTHER] == []


def test_the_wrong_maximum_of_one_lesson_keeps_back_that_lesson_alone(reference):
    result = into_canvas(reference, CANVAS.replace("Essay", OTHER))
    assert [row[4:6] for row in table(result.text)[2:4]] == [["7", "4"], ["4.5", "3"]]
    assert [line.partition(". ")[0] for line in result.kept_back] == [
        f"{OTHER} has 10 points here and 5 on the platform"
    ]


def test_a_lesson_that_is_named_goes_out_alone(reference):
    exported = CANVAS.replace("Essay", OTHER).replace("10,5", "10,10")
    result = canvas.fill(reference, listed(exported), LESSON, scale=False)
    assert [row[4:6] for row in table(result.text)[2:4]] == [["7", "4"], ["4.5", "3"]]
    assert not result.left_out


@pytest.mark.parametrize("scale", [False, True])
def test_nothing_is_scaled_to_a_maximum_of_0(reference, scale):
    with pytest.raises(
        OtherMaximum, match=r"10 points here and 0 on the platform\. Change its maximum there to 10\.$"
    ):
        into_canvas(reference, CANVAS.replace("10,5", "0,5"), scale)


def test_a_canvas_file_without_our_column_is_refused_with_what_to_do(reference):
    with pytest.raises(BadList, match="Make an assignment of that name in Canvas"):
        into_canvas(reference, CANVAS.replace(LESSON, "Homework"))
    with pytest.raises(BadList, match="Nothing of 03-more is graded yet"):
        canvas.fill(reference, listed(CANVAS), "03-more")


# As Brightspace exports grades, and imports them again:
# https://community.d2l.com/brightspace/kb/articles/3538-importing-grades
ITEMS = f"{LESSON} Points Grade <Numeric MaxPoints:10 Weight:50>,Essay Points Grade <Numeric MaxPoints:5>"
BRIGHTSPACE = f"""OrgDefinedId,Username,{ITEMS},End-of-Line Indicator
#ada,#alo,,4,#
#bob,#bme,3,3,#
#nno,#nno,,1,#
"""


def test_brightspace_s_columns_of_our_lessons_are_filled_and_all_else_stays(reference):
    result = brightspace.fill(reference, listed(BRIGHTSPACE), "")
    expected = table(BRIGHTSPACE)
    expected[1][2], expected[2][2] = "7", "4.5"
    assert table(result.text) == expected
    assert (result.filled, result.missing, result.left_out) == (2, ["eve"], [OTHER])
    assert result.strangers == ["nno (not in the gradebook)"]


def test_brightspace_s_maximum_is_in_the_title_and_has_to_be_ours(reference):
    with pytest.raises(OtherMaximum, match="10 points here and 20 on the platform"):
        brightspace.fill(reference, listed(BRIGHTSPACE.replace("MaxPoints:10", "MaxPoints:20")), "")
    scaled = brightspace.fill(
        reference, listed(BRIGHTSPACE.replace("MaxPoints:10", "MaxPoints:20")), LESSON, scale=True
    )
    assert [row[2] for row in table(scaled.text)[1:]] == ["14", "9", ""]
    with pytest.raises(BadList, match="Make a grade item of that name in Brightspace"):
        brightspace.fill(reference, listed(BRIGHTSPACE.replace("Points Grade", "Text Grade")), "")


MOODLE = """\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments
Participant 71,Ada Lovelace,ada@uni.example,Submitted,,100.00,
Participant 72,Bob Meyer,bob@uni.example,Submitted,,100.00,
Participant 73,Bob Meyer,bob2@uni.example,No submission,,100.00,
"""


# The titles and the words of Moodle's German language pack.
GERMAN = """ID;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Bestwertung;Bewertung kann geändert werden
Teilnehmer/in71;Ada Lovelace;ada@uni.example;Zur Bewertung abgegeben;;10,00;Ja
Teilnehmer/in72;Bob Meyer;bob@uni.example;Zur Bewertung abgegeben;9,00;10,00;Nein
"""


def test_a_moodle_worksheet_is_filled_as_scores_are_here(reference):
    result = into_moodle(reference, MOODLE.removeprefix("\ufeff").replace("100.00", "10.00"), LESSON)
    assert [row[4] for row in table(result.text)] == ["Grade", "7.00", "4.50", ""]


@pytest.mark.parametrize("before", ["", "\n \r\n", "sep=;\n"])
def test_a_worksheet_in_another_language_is_read_by_what_is_in_it(reference, before):
    result = into_moodle(reference, before + GERMAN, LESSON)
    assert result.text.startswith(before + "ID;")
    assert [row[4:6] for row in listed(result.text).rows] == [["7.00", "10,00"], ["9,00", "10,00"]]
    assert (result.filled, result.missing) == (1, ["eve"])
    assert result.untouched == ["Bob Meyer (bob): the grade is locked in Moodle"]


def in_canvas(reference: Scores, most: str, scale: bool, tmp_path: Path) -> str:
    gradebook = CANVAS.replace("Points Possible,,,,10", f'Points Possible,,,,"{most}"')
    return listed(into_canvas(reference, gradebook, scale).text).rows[1][4]


def in_moodle(reference: Scores, most: str, scale: bool, tmp_path: Path) -> str:
    worksheet = MOODLE.removeprefix("\ufeff").replace(",", ";").replace("100.00", most)
    return listed(into_moodle(reference, worksheet, LESSON, scale).text).rows[0][4]


def in_xlsx(reference: Scores, most: str, scale: bool, tmp_path: Path) -> str:
    earlier = Workbook()
    earlier.active.title = "scores"
    earlier.active.append(["student", f"{LESSON} ({most})"])
    earlier.save(tmp_path / "book.xlsx")
    write_workbook(reference, tmp_path / "book.xlsx", scale)
    header, first = load_workbook(tmp_path / "book.xlsx")["scores"].iter_rows(max_row=2, values_only=True)
    assert header[3] == f"{LESSON} ({number_in(most):g})"
    return str(first[3])


# Gradescope's is in test_gradescope.py: there the container is told the maximum.
WAYS = (in_canvas, in_moodle, in_xlsx)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("most", "scaled"), [("100.00", 70), ("1.000,00", 700), ("1,000.00", 700), ("7", 4.9)]
)
def test_another_maximum_is_refused_unless_scores_are_to_be_scaled(reference, tmp_path, way, most, scaled):
    with pytest.raises(OtherMaximum, match=r"has 10 points here and .* (on the platform|in book.xlsx)"):
        way(reference, most, False, tmp_path)
    assert float(way(reference, most, True, tmp_path)) == scaled


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scale", [False, True])
def test_the_same_maximum_leaves_scores_as_they_are(reference, tmp_path, way, scale):
    assert float(way(reference, "10,0", scale, tmp_path)) == 7


def test_no_other_file_makes_room_for_a_workbook(reference, tmp_path):
    (tmp_path / "notes.xlsx").write_text("mine", encoding="utf-8")
    with pytest.raises(BadList, match="no workbook of scores"):
        write_workbook(reference, tmp_path / "notes.xlsx")
    assert (tmp_path / "notes.xlsx").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("where", ["scores", LESSON, "oral"])
def test_a_workbook_to_which_somebody_added_is_not_replaced(reference, tmp_path, where):
    path = tmp_path / "book.xlsx"
    for _ in range(2):
        write_workbook(reference, path)
    mine = load_workbook(path)
    sheet = mine[where] if where in mine.sheetnames else mine.create_sheet(where)
    sheet.cell(1, 20, "oral")
    mine.save(path)
    before = path.read_bytes()
    with pytest.raises(BadList, match=r"book\.xlsx has oral.*, which would be lost"):
        write_workbook(reference, path)
    assert path.read_bytes() == before


def test_a_maximum_that_is_no_number_is_refused(reference):
    with pytest.raises(BadList, match="“many”, is no number"):
        into_moodle(reference, MOODLE.removeprefix("\ufeff").replace("100.00", "many"), LESSON)


@pytest.mark.parametrize(
    ("worksheet", "lesson", "why"),
    [
        ("Full name,Email address\nAda Lovelace,ada@uni.example\n", LESSON, "no column `Grade`"),
        ("a,b\n1,2\n", LESSON, "no column that says who a student is"),
        ("", LESSON, "no column that says who a student is"),
        (MOODLE.removeprefix("\ufeff"), "03-more", "Nothing of 03-more is graded yet"),
    ],
)
def test_what_is_no_worksheet_is_refused_with_a_reason(reference, worksheet, lesson, why):
    with pytest.raises(BadList, match=why):
        into_moodle(reference, worksheet, lesson)


def test_the_workbook_has_all_scores_and_no_formula(reference, tmp_path):
    write_workbook(reference, tmp_path / "book.xlsx")
    book = load_workbook(tmp_path / "book.xlsx")
    assert book.sheetnames == ["scores", LESSON, OTHER]
    rows = list(book["scores"].iter_rows(values_only=True))
    assert rows[1] == ("ada", "Lovelace", "Ada", 7, 3, 10)
    assert rows[2][3:] == (4.5, None, 4.5)
    assert book["scores"]["C5"].data_type == "s"
    assert list(book[LESSON].iter_rows(values_only=True))[1] == ("ada", "Lovelace", "Ada", 8, 1, 7)


def test_a_student_s_id_that_no_workbook_takes_is_written_without_its_signs(reference, tmp_path):
    odd = replace(reference, people=[*reference.people, Person(id="a\x1b[31m\x00b")])
    write_workbook(odd, tmp_path / "book.xlsx")
    rows = load_workbook(tmp_path / "book.xlsx")["scores"].iter_rows(values_only=True)
    assert list(rows)[-1][0] == "a\ufffd[31m\ufffdb"


def test_the_command_writes_beside_the_file_and_tells_who_has_no_row(course, tmp_path):
    given = tmp_path / "grades.csv"
    given.write_text(CANVAS, encoding="utf-8")
    where = ["--course", str(course.directory.root)]
    done = CliRunner().invoke(cli.app, ["export", "--canvas", str(given), *where])
    assert done.exit_code == 1
    assert "has a score and no row: eve" in done.output
    assert f"is graded, and no column is called so: {OTHER}" in done.output
    assert given.read_text(encoding="utf-8") == CANVAS
    assert "4.5" in (tmp_path / "grades-graded.csv").read_text(encoding="utf-8")
    alone = CliRunner().invoke(cli.app, ["export", "01", "--canvas", str(given), *where])
    assert alone.exit_code == 1
    assert OTHER not in alone.output
    with Gradebook(course.database, course.directory.course_id) as book:
        book.add_student("nno", first_name="Nora", last_name="Nobody")
    (Path(course.directory.root) / "class.toml").write_text('left = ["eve"]')
    left = CliRunner().invoke(cli.app, ["export", "01", "--canvas", str(given), *where])
    assert (left.exit_code, "row: eve" in left.output) == (0, False)
    assert "no score: no notebook of theirs was placed: nno" in left.output
    given.write_text(CANVAS.replace("Essay", OTHER).replace("10,5", "10,10"), encoding="utf-8")
    several = CliRunner().invoke(cli.app, ["export", "--canvas", str(given), *where]).output
    assert f"no score in {LESSON}: no notebook of theirs was placed: nno\n" in several
    assert f"no score in {OTHER}: no notebook of theirs was placed: bob and nno\n" in several
    unclear = CliRunner().invoke(cli.app, ["export", "--moodle", str(given), *where])
    assert unclear.exit_code == 2
