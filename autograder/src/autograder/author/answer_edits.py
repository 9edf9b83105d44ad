"""Answers as changes: a solution cell's own text with a few things changed is another answer.

No second copy of a solution exists. Answers are written in a table, one below the other:

    no-scale: / gaps.std() →
    gaps-as-values: weights @ values → weights @ gaps
        hint: The weights meet the gaps here. The last product takes the values.
    rows-first: columns, rows →2 rows, columns
        .transpose(1, 2) →
    all-at-once: = torch.softmax(-gaps / gaps.std(), dim=-1) @ values
    one-row-at-a-time: body forward
        rows = [self.row(one) for one in x]
        return torch.stack(rows)

A line that is not indented begins an answer: its name, a colon, and its first change, if there is room. More
changes stand below it, indented, one on each line; all are made of the solution's text as it was. They are:

    old → new            a piece of the text gives way to another; `old →` takes it out
    old →3 new           a piece that stands in 3 places does so in each
    line old → new       the whole line that holds `old` gives way; `line old →` takes it out
    above old → new      a new line goes above the one that holds `old`; `above → new` goes above everything
    below old → new      a new line goes below the one that holds `old`
    word old → new       a word gives way wherever it stands as a word of its own
    = expression         the answer is this expression
    faulty               the answer is the code that the learner is given to find the bug in
    body                 the lines below are the function's new body; `body forward` names one of several
    def name(…):         this and the lines below stand in the place of the function of that name
    cell                 the lines below are the whole cell; one line may stand behind the word
    hint: text           no change, but what this task says of the mistake; it may go on in the lines below

Within `old`, ` … ` stands for all that lies between two pieces: `line first … last → new` is about several
lines. `↵` ends a line: in `old`, the next one may be indented in any way; in `new`, it begins as far in as
the line where `old` begins. `→:` takes `new` from the lines below. Lines that a change takes from below are
indented more than the change is. Spaces at the ends of `old` and `new` do not count. Between backticks they
do, and a line begins where it is written: `` ` - x.max()` → ``. Blank lines, and lines that begin with `#`,
are for the reader.

Changes that touch different places can be made together, which is how answers with two mistakes come about.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from autograder.records.authoring_errors import AuthoringError

MARK = re.compile(r"^[ \t]*### (?:BEGIN|END) SOLUTION[ \t]*\n?", re.MULTILINE)
REGION = re.compile(
    r"^[ \t]*### BEGIN SOLUTION.*?^([ \t]*)### END SOLUTION[ \t]*\n?", re.MULTILINE | re.DOTALL
)
FAULTY = re.compile(
    r"^[ \t]*### BEGIN FAULTY[^\n]*\n(.*?)^[ \t]*### END FAULTY[ \t]*\n?", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Span:
    """New text for the characters from `start` up to `end`."""

    start: int
    end: int
    text: str

    def touches(self, other: Span) -> bool:
        """Tell whether two spans cannot both be put in. Two insertions at one place can."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Solution:
    """A solution cell's text without marks, what the task calls its answer, and the bug to find, if any."""

    text: str
    name: str
    signature: str
    is_tensor: bool
    faulty: str = ""

    @classmethod
    def from_cell(cls, source: str, name: str, signature: str, is_tensor: bool) -> Solution:
        """Return the solution in a cell, without its marks and without the code of a bug to find."""
        text = MARK.sub("", FAULTY.sub("", source + "\n")).rstrip("\n")
        return cls(text, name, signature, is_tensor, with_faulty(source + "\n").rstrip("\n"))


@dataclass(frozen=True)
class Edit:
    """Give other text for a piece of the solution, or put lines beside it."""

    old: str  # what stands in the solution, with `↵` and ` … ` as in a table
    new: str
    places: int = 1  # how many times `old` stands there
    scope: str = ""  # "line", "above", "below" or "word"; "" for the piece and nothing around it

    def spans(self, solution: Solution) -> list[Span]:
        """Return the spans of the text that changes.

        Raises:
            AuthoringError: `old` stands in another number of places.
        """
        if self.scope == "above" and not self.old:
            return [Span(0, 0, self.new.replace("↵", "\n") + "\n\n")]
        places = [match.span() for match in re.finditer(self._pattern(self.old), solution.text) if self.old]
        first = re.findall(self._pattern(self.old.split(" … ")[0]), solution.text)
        if (len(places), len(first)) != (self.places, self.places) and (self.scope != "word" or not places):
            wanted = f"{self.places} {'place' if self.places == 1 else 'places'}"
            problem = f"expects {wanted} in the solution; it has {len(first if places else places)}"
            raise AuthoringError([f"the edit of {self.old!r} {problem}"])
        return [self._span(solution.text, start, end) for start, end in places]

    def _pattern(self, old: str) -> str:
        pattern = re.escape(old.removesuffix("↵")).replace(r"\ …\ ", "(?s:.*?)").replace("↵", r"\n[ \t]*")
        pattern += r"(?=\n|\Z)" if old.endswith("↵") else ""
        return rf"\b{pattern}\b" if self.scope == "word" else pattern

    def _span(self, text: str, start: int, end: int) -> Span:
        top, bottom = text.rfind("\n", 0, start) + 1, (text + "\n").index("\n", end)
        margin = text[top : len(text) - len(text[top:].lstrip(" \t"))]
        new = re.sub("↵(?=[^↵])", f"↵{margin}", self.new).replace("↵", "\n")
        if self.scope == "above":
            return Span(top, top, f"{margin}{new}\n")
        if self.scope == "below":
            return Span(bottom, bottom, f"\n{margin}{new}")
        if self.scope != "line":
            return Span(start, end, new)
        if self.new:
            return Span(top, bottom, margin + new)
        return Span(top, bottom + 1, "") if bottom < len(text) else Span(max(top - 1, 0), bottom, "")


@dataclass(frozen=True)
class Body:
    """Write a function's or method's body anew, below its docstring: that of the only one if unnamed."""

    function: str
    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Return the spans of the body.

        Raises:
            AuthoringError: the solution defines no such function, or more than one.
        """
        function = _function(solution.text, self.function)
        body = function.body
        if ast.get_docstring(function, clean=False) is not None and len(body) > 1:
            body = body[1:]
        return [_lines(solution.text, body[0], body[-1], self.text)]


@dataclass(frozen=True)
class Define:
    """Write a function or method anew, from its `def` on."""

    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Return the span of the function of that name.

        Raises:
            AuthoringError: the solution defines no such function, or more than one.
        """
        function = _function(solution.text, self.text.removeprefix("def ").partition("(")[0])
        return [_lines(solution.text, function, function, self.text)]


@dataclass(frozen=True)
class Cell:
    """Write the whole cell anew, where the approach is another one."""

    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Return the whole cell as one span."""
        return [Span(0, len(solution.text), self.text)]


@dataclass(frozen=True)
class Returns:
    """Make the answer one expression: `def signature: return expression`, or `name = expression`."""

    expression: str

    def spans(self, solution: Solution) -> list[Span]:
        """Return the whole cell as one span."""
        if solution.is_tensor:
            text = f"{solution.name} = {self.expression}"
        else:
            text = f"def {solution.signature}:\n    return {self.expression}"
        return [Span(0, len(solution.text), text)]


@dataclass(frozen=True)
class Faulty:
    """Leave the code in place that the learner is given to find the bug in."""

    def spans(self, solution: Solution) -> list[Span]:
        """Return the whole cell as one span.

        Raises:
            AuthoringError: the cell holds no faulty code.
        """
        if not solution.faulty:
            raise AuthoringError(["the cell has no faulty code"])
        return [Span(0, len(solution.text), solution.faulty)]


AnyEdit = Edit | Body | Define | Cell | Returns | Faulty


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people really give, as changes to the solution cell's text."""

    fault: str  # the id of the mistake in `faults.py`. Several wrong answers may show one mistake
    changes: tuple[AnyEdit, ...]  # all made of the solution's text
    hint: str = ""  # what this task says instead of the mistake's own hint


@dataclass(frozen=True)
class Right:
    """A different answer that is right as well, as changes to the solution."""

    id: str  # that the audit calls it by
    changes: tuple[AnyEdit, ...]  # all made of the solution's text


# What stands before the old text of a change and says what is done with it.
SCOPES = ("line", "above", "below", "word")
ARROW = re.compile(r"(?:^|\s+)→(:|\d*)(?:\s+|$)")


class Row(NamedTuple):
    """An answer of a table."""

    name: str
    changes: tuple[AnyEdit, ...]
    fields: Mapping[str, str]  # what else is said of it, as its hint


@dataclass
class _Item:
    """A change, or a field, as it is written."""

    line: int  # of the table, from 1
    depth: int  # how far it is indented
    text: str
    below: list[str] = field(default_factory=list)  # the lines that it takes


def table(text: str, fields: Sequence[str] = ("hint",)) -> list[Row]:
    """Read answers that are written one below the other, as this module's docstring tells.

    `fields` are the words that say more about an answer, as `hint: text` does.

    Raises:
        AuthoringError: a line is none of these. All such lines are told, by number and answer.
    """
    answers: list[tuple[str, list[_Item]]] = []
    problems = []
    for number, line in enumerate(textwrap.dedent(text).splitlines(), start=1):
        item = _Item(number, len(line) - len(line.lstrip()), line.strip())
        last = answers[-1][1][-1] if answers and answers[-1][1] else None
        if last and _takes_lines(last.text, fields) and (item.depth > last.depth or not item.text):
            last.below.append(line)
        elif not item.text or line.startswith("#"):
            continue
        elif item.depth and answers:
            answers[-1][1].append(item)
        elif ":" in line and not item.depth:
            name, _, item.text = (part.strip() for part in line.partition(":"))
            answers.append((name, [item] if item.text else []))
        else:
            problems.append(
                f"line {number} of the table: {item.text!r} begins no answer: it should be `name: old → new`"
            )
    rows = []
    for name, items in answers:
        written, changes = {}, []
        for item in items:
            word, colon, rest = item.text.partition(": ")
            if colon and word in fields:
                written[word] = " ".join([rest, *(line.strip() for line in item.below)]).strip()
            elif change := _change(item):
                changes.append(change)
            else:
                problems.append(
                    f"line {item.line} of the table, {name}: {item.text!r} is no change, such as `old → new`"
                )
        if not items:
            problems.append(f"{name}: it changes nothing")
        rows.append(Row(name, tuple(changes), written))
    if problems:
        raise AuthoringError(problems)
    return rows


def _takes_lines(text: str, fields: Sequence[str]) -> bool:
    """Tell whether lines below a change, or a field, belong to it."""
    if arrow := ARROW.search(text):
        return arrow[1] == ":"
    return text.split(" ")[0].rstrip(":") in (*fields, "body", "cell", "def")


def _change(item: _Item) -> AnyEdit | None:
    """Return the change that is written here; None where it is none."""
    below = textwrap.dedent("\n".join(item.below)).strip("\n")
    if arrow := ARROW.search(item.text):
        old, new = item.text[: arrow.start()], item.text[arrow.end() :]
        scope, _, rest = old.partition(" ")
        if scope in SCOPES:
            old = rest
        else:
            scope = ""
        count = int(arrow[1]) if arrow[1].isdigit() else 1
        lines = below.replace("\n", "↵")
        return Edit(_piece(old), lines if arrow[1] == ":" else _piece(new), count, scope)
    word, _, rest = item.text.partition(" ")
    if word == "def":
        # Its own line has lost its indentation, the lines below have kept theirs.
        return Define("\n".join([item.text, *(line[item.depth :] for line in item.below)]).rstrip())
    if word == "=":
        return Returns(rest)
    if word == "body" and below:
        return Body(rest, below)
    if word == "cell" and (rest or below):
        return Cell(f"{rest}\n{below}".strip("\n"))
    return Faulty() if item.text == "faulty" else None


def _piece(text: str) -> str:
    """Return an edit's old or new text, which may stand between backticks."""
    text = text.strip()
    exact = len(text) > 1 and text[0] == text[-1] == "`"
    return text[1:-1].replace("↵", "\n") if exact else text


def wrongs(text: str) -> tuple[Wrong, ...]:
    """Return the known wrong answers of a table."""
    return tuple(Wrong(row.name, row.changes, row.fields.get("hint", "")) for row in table(text))


def rights(text: str) -> tuple[Right, ...]:
    """Return the other right answers of a table."""
    return tuple(Right(row.name, row.changes) for row in table(text, ()))


def faulty_code(source: str) -> str:
    """Return the faulty code that a cell gives the learner to correct, out of its comments; "" for none."""
    region = FAULTY.search(source + "\n")
    return (
        textwrap.dedent(re.sub(r"^([ \t]*)# ?", r"\1", region[1], flags=re.M)).strip("\n") if region else ""
    )


def with_faulty(source: str) -> str:
    """Return an answer cell as a learner gets it who is to find a bug; "" for a cell without faulty code."""
    code, region = faulty_code(source), REGION.search(source)
    if not code or region is None:
        return ""
    return (
        source[: region.start()] + textwrap.indent(code, region[1]) + FAULTY.sub("", source[region.end() :])
    )


def changed(solution: Solution, changes: Sequence[AnyEdit]) -> str:
    """Return the solution's text with all changes made.

    Raises:
        AuthoringError: a change does not fit the text, or two of them touch the same place.
    """
    spans = [span for change in changes for span in change.spans(solution)]
    if not fit(spans):
        raise AuthoringError(["two of its edits touch the same place"])
    text = put_in(solution.text, spans)
    if text == solution.text:
        raise AuthoringError(["its edits change nothing"])
    return text


def combined_text(
    solution: Solution, answers: Sequence[Sequence[AnyEdit]], in_turn: bool = True
) -> str | None:
    """Return the solution's text with the changes of several answers made; None where they do not fit.

    What cannot be changed at once may be changed in turn: an edit may fit a body written anew. It has to name
    all that it replaces, so that it takes no other change away.
    """
    spans = [span for changes in answers for change in changes for span in _spans(change, solution)]
    if fit(spans):
        return put_in(solution.text, spans)
    for first, *others in (answers, answers[::-1]) if in_turn else ():
        try:
            text = changed(solution, first)
            for changes in others:
                now = replace(solution, text=text)
                _name_all(changes, now)
                text = changed(now, changes)
        except AuthoringError:
            continue
        return text
    return None


def _name_all(changes: Sequence[AnyEdit], solution: Solution) -> None:
    """Check that all that some changes replace stands in their old text.

    Raises:
        AuthoringError: one of them replaces more.
    """
    for change in changes:
        old = change.old.replace("↵", " ").split() if isinstance(change, Edit) else []
        for span in change.spans(solution):
            if solution.text[span.start : span.end].split() != old or not old:
                raise AuthoringError(["a change replaces more than it names"])


@lru_cache(maxsize=4096)
def _spans(change: AnyEdit, solution: Solution) -> list[Span]:
    """Return the spans of a change, which is asked for often: each is made together with every other."""
    return change.spans(solution)


def fit(spans: Iterable[Span]) -> bool:
    """Tell whether spans can all be put in: no two of them touch."""
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    return not any(earlier.touches(other) for earlier, other in pairwise(ordered))


def put_in(text: str, spans: Iterable[Span]) -> str:
    """Return the text with every span's new text in its place."""
    # From the last place to the first, so that no place moves before its turn.
    for span in sorted(spans, key=lambda span: (span.start, span.end), reverse=True):
        text = text[: span.start] + span.text + text[span.end :]
    return text


def _function(text: str, name: str) -> ast.FunctionDef:
    """Return the function or method of that name, or the only one there is.

    Raises:
        AuthoringError: there is none, or more than one, or the text is no Python any more.
    """
    try:
        nodes = ast.walk(ast.parse(text))
    except SyntaxError as problem:  # of another answer's change, say
        raise AuthoringError([f"the text cannot be read: {problem.msg}"]) from problem
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef) and name in ("", node.name)]
    if len(functions) != 1:
        called = f" called {name}" if name else ""
        raise AuthoringError([f"the solution has {len(functions)} functions{called}; 1 is needed"])
    return functions[0]


def _lines(text: str, first: ast.stmt, last: ast.stmt, new: str) -> Span:
    """Return other text for the lines of some statements, indented as they are."""
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: first.lineno - 1]))
    end = start + len("".join(lines[first.lineno - 1 : last.end_lineno]).rstrip("\n"))
    return Span(start, end, textwrap.indent(new, " " * first.col_offset))
