"""The parsing of cells as Python, including magics, without running them."""

from __future__ import annotations

import ast
import contextlib
import re
import symtable
import warnings
from functools import lru_cache

# IPython's notation: `%%time` above a cell; `!ls`, `%pip list`, `?name` and `names = !ls` on a line.
CELL_MAGIC = re.compile(r"\s*%%(?P<name>[\w.]+)[ \t]*(?P<rest>[^\n]*)\n?(?P<body>.*)", re.DOTALL)
MAGIC = re.compile(r"%{1,2}[^\W\d]")
NAMES = re.compile(r"[\w\s.,*]+")
QUESTION = re.compile(r"[%\w.*]+\?{1,2}\s*")
MOST_TEXT = 50_000  # in one cell; nobody types more, and what is read here may have been made to be slow


@lru_cache(maxsize=256)
def parsed(source: str) -> ast.Module:
    """Return a cell's syntax tree, shared and not to be changed; an empty one if the cell is not valid."""
    nothing = ast.Module([], [])
    if len(source) > MOST_TEXT:
        return nothing
    with warnings.catch_warnings(), contextlib.suppress(ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")
        with contextlib.suppress(SyntaxError):
            return ast.parse(source)
        with contextlib.suppress(SyntaxError):
            return ast.parse(_without_magics(source))
    return nothing


@lru_cache(maxsize=256)
def names_of(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the global names that a cell assigns, and those that it needs from other cells.

    Both are empty if the cell does not compile, since none of it runs then.
    """
    try:
        whole = symtable.symtable(ast.unparse(parsed(source)), "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(), frozenset()
    bound = {
        symbol.get_name() for symbol in whole.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }
    used = {symbol.get_name() for symbol in whole.get_symbols() if symbol.is_referenced()}
    tables = whole.get_children()
    while tables:
        table = tables.pop()
        used |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
        tables += table.get_children()
    return frozenset(bound), frozenset(used - bound | _read_first(parsed(source)) & bound)


def _read_first(cell: ast.Module) -> set[str]:
    """Return the names that a cell reads before it gives them a value, as in `x = f(x)`."""
    first: set[str] = set()
    given: set[str] = set()
    for statement in cell.body:
        names = [part for part in ast.walk(statement) if isinstance(part, ast.Name)]
        inner = {
            part.id
            for loop in ast.walk(statement)
            if isinstance(loop, ast.comprehension)
            for part in ast.walk(loop.target)
            if isinstance(part, ast.Name)
        }
        grows = isinstance(statement, ast.AugAssign)
        if grows or isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr):
            first |= {part.id for part in names if grows or isinstance(part.ctx, ast.Load)} - given - inner
        given |= {part.id for part in names if isinstance(part.ctx, ast.Store)}
        given |= {part.name for part in [statement] if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    return first


@lru_cache(maxsize=256)
def changed_in(source: str) -> frozenset[str]:
    """Return the names whose values a cell changes in place.

    It does so by `x[0] = 1`, `x.a = 1`, `x += 1`, `x.add_(1)` or a call such as `x.append(1)`.
    """
    changed_names = set()
    for part in ast.walk(parsed(source)):
        match part:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                changed_names.add(_root(part))
            case ast.AugAssign(target=changed) | ast.Expr(ast.Call(ast.Attribute() as changed)):
                changed_names.add(_root(changed))
            case ast.Call(ast.Attribute(attr=name) as changed) if name.endswith("_"):
                changed_names.add(_root(changed))
    return frozenset(changed_names)


def _without_magics(source: str) -> str:
    """Return a cell with IPython's own notation as the calls that it stands for.

    IPython's own reading takes the square of their number, and more of its time where that is wanted.
    """
    first = CELL_MAGIC.match(source)
    if first:
        return f"get_ipython().run_cell_magic({first['name']!r}, {first['rest']!r}, {first['body']!r})"
    lines: list[str] = []
    rest = iter(source.split("\n"))
    for line in rest:
        bare = line.lstrip()
        indent = line[: len(line) - len(bare)]
        if "=" in line and NAMES.fullmatch(names := line[: line.index("=")]):
            value = line[len(names) + 1 :].lstrip()
            if value.startswith("!") or MAGIC.match(value):
                indent, bare = f"{names}=", value
        if not (bare.startswith(("!", "?")) or MAGIC.match(bare) or QUESTION.fullmatch(bare)):
            lines.append(line)
            continue
        while bare.endswith("\\") and (more := next(rest, None)) is not None:
            bare = f"{bare[:-1]}{more}"
        lines.append(indent + _as_call(bare, indent.endswith("=")))
    return "\n".join(lines)


def _as_call(text: str, is_value: bool) -> str:
    if text.startswith("!"):
        name = "getoutput" if is_value or text.startswith("!!") else "system"
        return f"get_ipython().{name}({text.lstrip('!')!r})"
    if text.startswith("%"):
        name, _, given = text.lstrip("%").partition(" ")
        return f"get_ipython().run_line_magic({name!r}, {given!r})"
    return "pass"  # a question about a name


def words_of(source: str) -> frozenset[str]:
    """Return all words in a text that could be names, whether or not it is Python."""
    return frozenset(re.findall(r"\w+", source))


def _root(part: ast.AST) -> str:
    """Return the name that an expression such as `x.a[0]` begins with; "" where it begins with none."""
    while isinstance(part, ast.Attribute | ast.Subscript | ast.Call):
        part = part.func if isinstance(part, ast.Call) else part.value
    return part.id if isinstance(part, ast.Name) else ""
