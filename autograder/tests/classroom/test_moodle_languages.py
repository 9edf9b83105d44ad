"""Moodle's lists and worksheets in the languages of its packs: whatever the titles are, people are found.

Titles are strings of Moodle's language packs: of the core `firstname`, `lastname`, `idnumber`, `email`,
`roles`, `groups`, `fullname`, `status`, `grade` and `maximumgrade`, as https://github.com/mudrd8mz/moodle-lang
has them (2012); of mod_assign `recordid`, `hiddenuser`, `gradecanbechanged`, `lastmodifiedsubmission`, from
later copies. These are guesses, since no copy was at hand: all of Bengali; `gradecanbechanged` in Spanish,
Italian and Dutch; `recordid` in Swedish; `lastmodifiedsubmission` in Portuguese, Dutch and Swedish; and the
words for a teacher.
"""

# ruff: noqa: RUF001 (Chinese has brackets of its own)

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from autograder.classroom.class_roster import Person, read_people
from autograder.classroom.csv_tables import Table
from autograder.classroom.platforms import canvas, generic, moodle
from autograder.classroom.score_export import Scores


class Pack(NamedTuple):
    """The titles and words of one language."""

    participants: str  # first name, last name, ID number, address, roles, groups
    worksheet: str  # identifier, full name, address, status, grade, maximum, can be changed, last modified
    participant: str
    student: str
    teacher: str
    yes_and_no: str


PACKS = {
    "es": Pack(
        "Nombre,Apellido,Número de ID,Dirección de correo,Roles,Grupos",
        "Identificador,Nombre completo,Dirección de correo,Estado,Calificación,Calificación máxima,"
        "La calificación puede ser cambiada,Última modificación (entrega)",
        *("Participante", "Estudiante", "Profesor", "Sí No"),
    ),
    "fr": Pack(
        "Prénom,Nom,Numéro d'identification,Adresse de courriel,Rôles,Groupes",
        "Identifiant,Nom complet,Adresse de courriel,Statut,Note,Note maximale,La note peut être modifiée,"
        "Dernière modification (travail remis)",
        *("Participant", "Étudiant", "Enseignant", "Oui Non"),
    ),
    "pt": Pack(
        "Nome,Apelido,Código de identificação,Endereço de correio electrónico,Cargos atribuídos,Grupos",
        "Identificador,Nome completo,Endereço de correio electrónico,Regime,Nota,Nota máxima,"
        "A nota pode ser alterada.,Última modificação (submissão)",
        *("Participante", "Aluno", "Professor", "Sim Não"),
    ),
    "it": Pack(
        "Nome,Cognome,Numero ID,Indirizzo email,Ruoli,Gruppi",
        "Identificativo,Nome,Indirizzo email,Stato,Valutazione,Voto massimo,La valutazione può "
        "essere modificata,Ultima modifica (consegna)",
        *("Partecipante", "Studente", "Docente", "Sì No"),
    ),
    "nl": Pack(
        "Voornaam,Achternaam,Nummer (ID),E-mailadres,Rollen,Groepen",
        "Identificatie,Volledige naam,E-mailadres,Status,Cijfer,Hoogst haalbare cijfer,Cijfer kan "
        "gewijzigd worden,Laatst gewijzigd (ingestuurde opdracht)",
        *("Deelnemer", "Leerling", "Leraar", "Ja Nee"),
    ),
    "sv": Pack(
        "Förnamn,Efternamn,ID nummer,E-postadress,Roller,Grupper",
        "Identifierare,Hela namnet,E-postadress,Status,Betyg,Maximum betyg,Betyg kan ändras,"
        "Senast ändrad (inlämning)",
        *("Deltagare", "Lärande", "Lärare", "Ja Nej"),
    ),
    "zh_cn": Pack(
        "名,姓,ID号码,E-mail,角色,小组",
        "标识符,全名,E-mail,状态,成绩,最高分值,允许更改成绩,上次修改（作业）",
        *("参与者", "学生", "教师", "是 否"),
    ),
    "bn": Pack(
        "নামের প্রথমাংশ,নামের শেষাংশ,আইডি নম্বর,ই-মেইল ঠিকানা,ভূমিকা,গ্রুপ",
        "শনাক্তকারী,পুরো নাম,ই-মেইল ঠিকানা,অবস্থা,গ্রেড,সর্বোচ্চ গ্রেড,গ্রেড পরিবর্তন করা যাবে,সর্বশেষ পরিবর্তন (জমা)",
        *("অংশগ্রহণকারী", "শিক্ষার্থী", "শিক্ষক", "হ্যাঁ না"),
    ),
}
LISTS = (generic.LISTS, moodle.LISTS, canvas.LISTS)
languages = pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)


def sheet(titles: str, rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([titles.split(","), *rows])
    return text.getvalue()


def worksheet(pack: Pack) -> str:
    yes, no = pack.yes_and_no.split()
    rows = [
        (f"{pack.participant}71", "Ada Lovelace", "ada@uni.example", "-", "", "10,00", yes, "-"),
        (f"{pack.participant}72", "Bob Meyer", "bob@uni.example", "-", "9,00", "10,00", no, "-"),
    ]
    return sheet(pack.worksheet, rows)


@languages
def test_participants_are_read_with_their_numbers_and_groups_and_without_teachers(tmp_path, pack):
    path = tmp_path / "participants.csv"
    rows = [
        ("Jane", "Doe", "s100", "jane@example.org", pack.student, "A"),
        ("Jörg", "Müller", "", "joerg@example.org", pack.student, "B"),
        ("Tea", "Cher", "t1", "tea@example.org", pack.teacher, ""),
    ]
    path.write_text(sheet(pack.participants, rows), encoding="utf-8-sig")
    people = read_people(path, LISTS)
    actual = [
        (person.id, person.first_name, person.last_name, person.email, person.section) for person in people
    ]
    assert actual == [
        ("s100", "Jane", "Doe", "jane@example.org", "A"),
        ("joerg@example.org", "Jörg", "Müller", "joerg@example.org", "B"),
    ]


@languages
def test_a_worksheet_names_people_and_is_filled_but_where_a_grade_is_locked(tmp_path, pack):
    path = tmp_path / "worksheet.csv"
    path.write_text(worksheet(pack), encoding="utf-8-sig")
    people = [(person.name, person.email, person.lms_user_id) for person in read_people(path, LISTS)]
    assert people == [("Ada Lovelace", "ada@uni.example", "71"), ("Bob Meyer", "bob@uni.example", "72")]
    known = [
        Person("ada", "Ada", "Lovelace", "ada@uni.example"),
        Person("bob", "Bob", "Meyer", "bob@uni.example"),
    ]
    scores = {("ada", "01"): 7.0, ("bob", "01"): 4.5}
    class_scores = Scores(known, ["01"], {"01": 10.0}, scores, {}, {}, [], [])
    filled = moodle.fill(class_scores, Table(worksheet(pack), LISTS), "01")
    rows = list(csv.reader(io.StringIO(filled.text)))
    assert [row[4:6] for row in rows[1:]] == [["7.00", "10,00"], ["9,00", "10,00"]]
    assert filled.untouched == ["Bob Meyer (bob): the grade is locked in Moodle"]
