"""Write answers as edits of the solution cell's own text.

Because answers are edits, no second copy of a solution exists. They are written in a table, one below the
other:

    no-scale: / gaps.std() →
    gaps-as-values: weights @ values → weights @ gaps
        hint: The weights meet the gaps here. The last product takes the values.
    rows-first: columns, rows →2 rows, columns
        .transpose(1, 2) →
    all-at-once: = torch.softmax(-gaps / gaps.std(), dim=-1) @ values
    one-row-at-a-time: body forward
        rows = [self.row(one) for one in x]
        return torch.stack(rows)

A line that is not indented begins an answer: its name, a colon, and its first edit, if that fits on the line.
Further edits follow, indented, one on each line. Each edit applies to the solution's original text. The forms
of an edit are:

    old → new            replace a piece of the text; `old →` removes it
    old →3 new           replace a piece that occurs 3 times, each time
    line old → new       replace the whole line that contains `old`; `line old →` removes it
    above old → new      insert a line above the line that contains `old`; `above → new` inserts it at the top
    below old → new      insert a line below the line that contains `old`
    word old → new       replace a word wherever it occurs as a whole word
    = expression         make the answer this expression
    faulty               make the answer the faulty code in which the learner is to find the bug
    body                 replace the function's body by the lines below; `body forward` names one of several
    def name(…):         replace the function of that name by this line and the lines below
    cell                 replace the whole cell by the lines below; its first line may follow the word
    hint: text           no edit: the task's own hint for the mistake; it may go on in the lines below

Within `old`, ` … ` matches everything between two pieces: `line first … last → new` covers several lines. `↵`
is a line end: in `old`, the next line may be indented in any way; in `new`, it is indented as far as the line
in which `old` begins. `→:` takes `new` from the lines below. Lines that belong to an edit are indented more
than the edit is. Spaces at the ends of `old` and `new` are ignored, unless they are between backticks.
Between backticks, a new line starts exactly where it is written: `` ` - x.max()` → ``. Blank lines, and lines
that begin with `#`, are for the reader.

Edits that change different parts of the text can be combined. This is how answers with two mistakes are made.
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
    """The new text for the characters from `start` up to, but not including, `end`."""

    start: int
    end: int
    text: str

    def touches(self, other: Span) -> bool:
        """Tell whether two spans overlap, so that they cannot both be applied.

        Two insertions at the same point do not overlap.
        """
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Solution:
    """A solution cell's text without nbgrader's marks, the answer's name, and the faulty code, if any."""

    text: str
    name: str
    signature: str
    is_tensor: bool
    faulty: str = ""

    @classmethod
    def from_cell(cls, source: str, name: str, signature: str, is_tensor: bool) -> Solution:
        """Return the solution that a cell's source contains.

        Args:
            source: the cell's source, with nbgrader's marks and with the faulty code, if there is any.
            name: the name under which the task expects the answer.
            signature: the signature that the task states; "" if the answer is a tensor.
            is_tensor: whether the answer is a tensor.
        """
        text = MARK.sub("", FAULTY.sub("", source + "\n")).rstrip("\n")
        return cls(text, name, signature, is_tensor, with_faulty(source + "\n").rstrip("\n"))


@dataclass(frozen=True)
class Edit:
    """Replace a piece of the solution's text, or insert lines next to it."""

    old: str  # the text in the solution, with `↵` and ` … ` as in a table
    new: str
    places: int = 1  # the number of times that `old` occurs there
    scope: str = ""  # "line", "above", "below" or "word"; "" for the piece and nothing around it

    def spans(self, solution: Solution) -> list[Span]:
        """Return the spans of the text that this edit replaces.

        Raises:
            AuthoringError: `old` does not occur exactly as many times as this edit expects.
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
    """Replace the body of a function or method, but keep its docstring.

    Without a name, the solution's only function is meant.
    """

    function: str
    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Return the span of the body.

        Raises:
            AuthoringError: the solution defines no function of that name, or more than one.
        """
        function = _function(solution.text, self.function)
        body = function.body
        if ast.get_docstring(function, clean=False) is not None and len(body) > 1:
            body = body[1:]
        return [_lines(solution.text, body[0], body[-1], self.text)]


@dataclass(frozen=True)
class Define:
    """Replace the definition of a function or method, without its decorators, by another."""

    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Return the span of the function of that name.

        Raises:
            AuthoringError: the solution defines no function of that name, or more than one.
        """
        function = _function(solution.text, self.text.removeprefix("def ").partition("(")[0])
        return [_lines(solution.text, function, function, self.text)]


@dataclass(frozen=True)
class Cell:
    """Replace the whole cell, for an answer that takes a different approach."""

    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Return the whole cell as one span."""
        return [Span(0, len(solution.text), self.text)]


@dataclass(frozen=True)
class Returns:
    """Replace the answer by one expression: `def signature: return expression`, or `name = expression`."""

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
    """Replace the solution by the faulty code in which the learner is to find the bug."""

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
    """A wrong answer that learners really give, as edits of the solution cell's text."""

    fault: str  # the id of the mistake in `faults.py`. Several wrong answers may show one mistake
    changes: tuple[AnyEdit, ...]  # edits of the solution's text
    hint: str = ""  # a hint of this task in place of the mistake's own


@dataclass(frozen=True)
class Right:
    """A different answer that is right too, as edits of the solution cell's text."""

    id: str  # its name in the audit
    changes: tuple[AnyEdit, ...]  # edits of the solution's text


# What stands before the old text of a change and says what is done with it.
SCOPES = ("line", "above", "below", "word")
ARROW = re.compile(r"(?:^|\s+)→(:|\d*)(?:\s+|$)")


class Row(NamedTuple):
    """An answer in a table: its name, its edits, and its remarks, such as a hint."""

    name: str
    changes: tuple[AnyEdit, ...]
    fields: Mapping[str, str]  # its other fields, such as its hint


@dataclass
class _Item:
    """A change, or a field, as it is written."""

    line: int  # its line in the table, from 1
    depth: int  # its indentation
    text: str
    below: list[str] = field(default_factory=list)  # the lines that it takes


def table(text: str, fields: Sequence[str] = ("hint",)) -> list[Row]:
    """Return the answers that a table lists; the module's docstring describes its form.

    Args:
        text: the table.
        fields: the words that begin a remark about an answer rather than an edit, such as "hint" in `hint:
            text`.

    Raises:
        AuthoringError: a line is neither an answer, an edit nor a remark. All such lines are listed, each
            with its number and its answer.
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
    """Return the faulty code that a cell keeps in comments for the learner to correct; "" if it has none."""
    region = FAULTY.search(source + "\n")
    return (
        textwrap.dedent(re.sub(r"^([ \t]*)# ?", r"\1", region[1], flags=re.M)).strip("\n") if region else ""
    )


def with_faulty(source: str) -> str:
    """Return an answer cell with its faulty code in place of the solution; "" if it has no faulty code."""
    code, region = faulty_code(source), REGION.search(source)
    if not code or region is None:
        return ""
    return (
        source[: region.start()] + textwrap.indent(code, region[1]) + FAULTY.sub("", source[region.end() :])
    )


def changed(solution: Solution, changes: Sequence[AnyEdit]) -> str:
    """Return the solution's text with all edits applied.

    Raises:
        AuthoringError: an edit does not match the text, or two edits overlap.
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
    """Return the solution's text with the edits of several answers applied; None if they cannot be combined.

    Args:
        solution: the solution.
        answers: the edits of each answer.
        in_turn: whether to apply the answers one after the other if they overlap: one answer's edits may
            match a body that another has rewritten. Each edit must then name all the text that it replaces,
            so that it undoes no other edit.
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
    """Tell whether all spans can be applied together, since no two of them overlap."""
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    return not any(earlier.touches(other) for earlier, other in pairwise(ordered))


def put_in(text: str, spans: Iterable[Span]) -> str:
    """Return the text with each span replaced by its new text."""
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
