"""Read and write lists that learning platforms and spreadsheets export, and recognise their columns."""

from __future__ import annotations

import codecs
import csv
import io
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from charset_normalizer import from_bytes

from autograder.records.authoring_errors import UserError

# An encoding that a file names itself, by its first bytes.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Encodings that spreadsheets write without saying so, the likeliest first: it is taken where two fit equally.
GUESSED = (
    *("cp1252", "cp1250", "cp1251", "cp1254", "cp1253", "cp1255", "cp1256", "cp1257", "mac_roman"),
    *("gb18030", "big5", "cp932", "cp949", "utf_16_le", "utf_16_be"),
)
# How an Excel workbook begins.
ZIPPED = b"PK\x03\x04"
# What a guess is given to read: its tables of letters need no more.
MOST_GUESSED = 200_000
# What a list can say of a student; one of the last four must be there.
KEYS = (
    "lms_user_id",
    "integration",
    "first_name",
    "last_name",
    "time",
    "section",
    "group",
    "id",
    "email",
    "number",
    "full_name",
    "role",
)
TELLING = frozenset(("id", "email", "number", "full_name"))
# What reading a damaged workbook raises: of the archive, of its XML, and of what openpyxl makes of that.
DAMAGE = (
    *(BadZipFile, zlib.error, EOFError, OSError, RuntimeError, SyntaxError),
    *(KeyError, ValueError, IndexError, TypeError, AttributeError),
)
MOST_BYTES = 50_000_000  # of a workbook's unpacked parts
MOST_CELLS = 5_000_000  # every row is given a cell for each title
NAMES = ("first_name", "last_name", "full_name")
# Words of a column of roles, in lower case, that name a student; whoever has only other roles is none.
STUDENT_ROLES = (
    *(
        "student",
        "learner",
        "estudiante",
        "étudiant",
        "teilnehmer",
        "studente",
        "aluno",
        "cursist",
        "deelnemer",
        "leerling",
        "lärande",
    ),
    *("participant", "学生", "শিক্ষার্থী"),
)
PREFACE = re.compile(r"(?:[ \t]*\r?\n|sep=.\r?\n)*", re.IGNORECASE)


class BadList(UserError):
    """A list of people cannot be used. The message says why, and what to do."""


@dataclass(frozen=True)
class Lists:
    """The format of a platform's lists: the titles, in lower case, and content that identify columns."""

    # The titles for each of `KEYS`; the first one in the list counts.
    columns: Mapping[str, tuple[str, ...]]
    # Titles that identify a list as this platform's own.
    marks: tuple[frozenset[str], ...] = ()
    # The titles in such a list, which come before those of `columns`.
    own_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    no_people: tuple[str, ...] = ()  # names in rows that are about nobody
    # Finds the columns by their content, for titles in an unknown language.
    by_content: Callable[[Sequence[Sequence[str]]], Mapping[str, int]] | None = None
    # The same for a form of list that is recognised by its content alone, whatever its titles.
    by_form: Callable[[Sequence[Sequence[str]]], Mapping[str, int]] | None = None


@dataclass(frozen=True)
class ListText:
    """The text of a list, with its encoding if that had to be guessed."""

    text: str
    guessed_encoding: str = ""


def read_list(path: Path, name: object = "") -> ListText:
    """Return the text of a list, in any encoding that platforms and spreadsheets use.

    Raises:
        BadList: the list cannot be read. The message calls it `name`, or by its path.
    """
    name = name or path
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise BadList(f"{name} cannot be read: {problem.strerror}.") from problem
    if content.startswith(ZIPPED):
        return ListText(_from_workbook(path, name))
    named = next((encoding for mark, encoding in MARKS if content.startswith(mark)), "utf-8")
    with suppress(UnicodeDecodeError):
        return ListText(content.decode(named))
    matches = from_bytes(content[:MOST_GUESSED], cp_isolation=list(GUESSED))
    if not matches:
        raise BadList(f"{name} is no text file. Export the list as CSV.")
    guess = min(matches, key=lambda match: (match.chaos, -match.coherence, GUESSED.index(match.encoding)))
    with suppress(UnicodeDecodeError):
        return ListText(content.decode(guess.encoding), guess.encoding)
    raise BadList(f"{name} is in no encoding that can be told. Save it as CSV UTF-8.")


def _from_workbook(path: Path, name: object) -> str:
    """Return the first sheet of an Excel workbook as CSV.

    Raises:
        BadList: it is no workbook.
    """
    from openpyxl import load_workbook  # 0.2 s, and most lists are no workbooks

    buffer, cells = io.StringIO(), 0
    table = csv.writer(buffer, lineterminator="\n")
    try:
        with path.open("rb") as file, ZipFile(file) as parts:  # whose name may end otherwise
            if sum(part.file_size for part in parts.infolist()) > MOST_BYTES:
                raise BadList(f"{name} is too large to be a list of people.")
            for row in load_workbook(file, read_only=True, data_only=True).worksheets[0].values:
                cells += len(row)  # of a few bytes, a sheet can say that it has billions
                if cells > MOST_CELLS:
                    raise BadList(f"{name} has too many rows and columns to be a list of people.")
                if any(cell is not None for cell in row):
                    table.writerow(["" if cell is None else cell for cell in row])
    except DAMAGE as problem:
        raise BadList(f"{name} is no workbook that can be read. Export the list as CSV.") from problem
    return buffer.getvalue()


class Table:
    """An exported list as a table.

    Attributes:
        header: the titles of its columns, in lower case.
        rows: the rows below the titles; every row has a cell for each column.
        entries: the values of each row by the names in `KEYS`; empty for a row that is not about a student.

    Raises:
        BadList: no column identifies students, or a row has more cells than there are titles. The message
            calls the list `name`.
    """

    def __init__(self, text: str, lists: Sequence[Lists], name: object = "The file") -> None:
        # Spreadsheets put empty lines, or the line `sep=;`, before the titles.
        self._before = PREFACE.match(text)[0]  # type: ignore[index]
        text = text[len(self._before) :]
        self._delimiter = max(",;\t", key=text.partition("\n")[0].count)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter))
        except csv.Error as problem:
            raise BadList(f"{name} cannot be read as a list: {problem}.") from None
        self._titles = rows[0] if rows else []
        if len(self._titles) * len(rows) > MOST_CELLS:
            raise BadList(f"{name} has too many rows and columns to be a list of people.")
        self.header = [title.strip().lower() for title in self._titles]
        self.rows = [row + [""] * (len(self.header) - len(row)) for row in rows[1:]]
        columns = _columns(self.header, self.rows, lists)
        if not TELLING & columns.keys():
            raise BadList(
                f"{name} has no column that says who a student is: `id`, `email` or `full name`. It has: "
                f"{', '.join(filter(None, self._titles)) or 'nothing'}."
            )
        self._refuse_cells_without_titles(name)
        self.entries = self._entries(columns, lists)

    def _refuse_cells_without_titles(self, name: object) -> None:
        for number, row in enumerate(self.rows, 2):
            if any(cell.strip() for cell in row[len(self.header) :]):
                counts = f"{len(row)} cells, and there are {len(self.header)} titles"
                raise BadList(
                    f"{name}: row {number} has {counts}. Put a name that holds a comma in quotation marks: "
                    f"“{self._delimiter.join(row)[:60]}”."
                )

    def _entries(self, columns: Mapping[str, int], lists: Sequence[Lists]) -> list[dict[str, str]]:
        nobody = {person_name for kind in lists for person_name in kind.no_people}
        entries = [{key: row[column].strip() for key, column in columns.items()} for row in self.rows]
        # A list of teachers alone, or of roles in a language that is not known here, is taken as it is.
        addresses = any("@" in entry.get("email", "") for entry in entries)
        by_role = any(_is_student(entry.get("role", "")) for entry in entries)
        return [
            entry
            if _says_who(entry, addresses)
            and _whole_name(entry).lower() not in nobody
            and not (by_role and entry.get("role") and not _is_student(entry["role"]))
            else {}
            for entry in entries
        ]

    @property
    def text(self) -> str:
        """The table as the text of a CSV file, in the format in which it was read."""
        buffer = io.StringIO()
        table = csv.writer(buffer, delimiter=self._delimiter, lineterminator="\n")
        table.writerows([self._titles, *self.rows])
        return self._before + buffer.getvalue()


def number_in(text: str) -> float | None:
    """Return the number in a cell, with a decimal point or a decimal comma; None if it contains no number.

    If both signs occur, the last one is the decimal sign: `1.000,50` and `1,000.50` are equal.
    """
    digits = text.strip()
    if not re.fullmatch(r"[\d.,]*\d", digits):
        return None
    last = max(digits.rfind("."), digits.rfind(","))
    whole, decimals = (digits[:last], digits[last + 1 :]) if last >= 0 else (digits, "")
    return float(f"{re.sub('[.,]', '', whole) or 0}.{decimals or 0}")


def _is_student(role: str) -> bool:
    return any(
        re.match(word, part.strip().lower()) for part in re.split(r"[,;]", role) for word in STUDENT_ROLES
    )


def _says_who(entry: Mapping[str, str], addresses: bool) -> bool:
    """Tell whether a row names somebody; "Points" among addresses is no address, but part of a preface."""
    personal = {key for key, value in entry.items() if value} - {"section", "group", "role"}
    return bool(personal if not addresses or "@" in entry.get("email", "") else personal - {"email"})


def _whole_name(entry: Mapping[str, str]) -> str:
    return entry.get("full_name") or ", ".join(filter(None, map(entry.get, ("last_name", "first_name"))))


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]], lists: Sequence[Lists]) -> dict[str, int]:
    """Return the columns of a list, by `KEYS`: by its form, by its titles, and else by its content."""
    by_title = _titled(header, lists)
    forms = (kind.by_form(rows) for kind in lists if kind.by_form and rows)
    form: Mapping[str, int] = next(filter(None, forms), {})
    if form:
        taken = set(form.values())
        return {**{key: column for key, column in by_title.items() if column not in taken}, **form}
    columns = by_title
    if not TELLING & columns.keys():
        # Where nobody wrote down the titles of a language, the section's and the roles' may still be known.
        titled = {key: columns[key] for key in ("section", "role") if key in columns}
        rest = [column for column in range(len(header)) if column not in titled.values()]
        cells = [[row[column] for column in rest] for row in rows]
        contents = (kind.by_content(cells) for kind in lists if kind.by_content and rows)
        content: Mapping[str, int] = next(filter(None, contents), {})
        columns = titled | {key: rest[column] for key, column in content.items()}
    return columns | _names_before(columns, rows)


def _titled(header: Sequence[str], lists: Sequence[Lists]) -> dict[str, int]:
    """Return the columns whose titles one kind of list knows: the kind that explains most of them.

    The titles of several kinds are never mixed, since one word may mean different things in them. Only what
    the first kind, the spreadsheets', says of the remaining columns is added.
    """
    generic = _places(header, lists[0])

    def fit(kind: Lists) -> tuple[bool, bool, int, int]:
        columns_here = _places(header, kind)
        marked = any(mark <= set(header) for mark in kind.marks)
        return (
            marked,
            bool(TELLING & columns_here.keys()),
            len(_with_generic(columns_here, generic)),
            len(columns_here),
        )

    # Of two that know as much, the first that is no spreadsheet: what spreadsheets say is added in any case.
    best = max((*lists[1:], lists[0]), key=fit)
    return _with_generic(_places(header, best), generic)


def _with_generic(columns: Mapping[str, int], generic: Mapping[str, int]) -> dict[str, int]:
    free = {key: column for key, column in generic.items() if column not in columns.values()}
    return {**free, **columns}


def _places(header: Sequence[str], kind: Lists) -> dict[str, int]:
    is_marked = any(mark <= set(header) for mark in kind.marks)
    places: dict[str, int] = {}
    for key in KEYS:
        titles = (*(kind.own_columns.get(key, ()) if is_marked else ()), *kind.columns.get(key, ()))
        indices = (header.index(title) for title in titles if title in header)
        index = next((index for index in indices if index not in places.values()), None)
        if index is not None:
            places[key] = index
    return places


def _names_before(columns: Mapping[str, int], rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the columns of names before a known address, where nobody wrote down their titles here."""
    if "email" not in columns or columns.keys() & {*NAMES}:
        return {}
    rest = [column for column in range(columns["email"]) if column not in columns.values()]
    words = [column for column in rest if not any(re.search(r"[\d@]", row[column]) for row in rows)]
    words = [column for column in words if any(row[column].strip() for row in rows)]
    return dict(zip({1: NAMES[2:], 2: NAMES[:2]}.get(len(words), ()), words, strict=False))
