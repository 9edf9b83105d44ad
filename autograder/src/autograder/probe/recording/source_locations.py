"""The source location of an operation in the learner's code, and the name given to its result there.

A frame knows its current instruction, and since Python 3.11 an instruction knows the columns of its
expression. So the expression can be found in the syntax tree, and from there the name that it is assigned to.
`linecache` has notebook cells as it has files.
"""

from __future__ import annotations

import ast
import linecache
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

import torch

LONGEST = 110
TOOL = str(Path(__file__).parents[2])
TORCH = str(Path(torch.__file__).parent)
INSTALLED = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
CALLS_FORWARD = str(Path(TORCH, "nn", "modules", "module.py"))
HIDDEN = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>", "<lambda>")
SIGNS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Invert: "~",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


@cache
def is_learners(filename: str) -> bool:
    """Tell whether a file or cell is the learner's own: not torch's, Python's, a package's or the tool's."""
    if filename.startswith(("<frozen", "<__array_function__")):
        return False
    path = Path(filename)
    if {"site-packages", "dist-packages"} & set(path.parts):
        return False
    return not any(path.is_relative_to(root) for root in (TOOL, TORCH, *INSTALLED, *_HELPERS))


_HELPERS: set[str] = set()


def leave_out(folder: str) -> None:
    """Treat the files in a folder as helpers of the course, not as the learner's own code."""
    _HELPERS.add(folder)
    is_learners.cache_clear()


@dataclass(frozen=True)
class Stack:
    """The learner's frames of the call stack at one operation, the innermost first.

    `forward` is the frame of the innermost module's `forward`. If no module runs, it is the frame of the
    function that the recorded code calls, or of that code itself.
    """

    frames: tuple[FrameType, ...]
    forward: FrameType
    in_module: bool
    builds_module: bool

    @property
    def sites(self) -> tuple[tuple[CodeType, int], ...]:
        """The current instruction of each frame; the same instructions again mean a loop."""
        return tuple((frame.f_code, frame.f_lasti) for frame in self.frames)


def learners_stack(frame: FrameType | None, base: FrameType) -> Stack | None:
    """Return the learner's frames from a frame outwards to `base`, where the recording starts; None for none.

    Args:
        frame: the innermost frame.
        base: the frame in which the recording started, left out if it is the tool's own.
    """
    builds_module = False
    while frame is not None and frame is not base and not is_learners(frame.f_code.co_filename):
        builds_module |= frame.f_code.co_name == "__init__"
        frame = frame.f_back
    frames: list[FrameType] = []
    forward = None
    while frame is not None:
        if is_learners(frame.f_code.co_filename):
            frames.append(frame)
        elif forward is None and frames and frame.f_code.co_filename == CALLS_FORWARD:
            forward = frames[-1]
        if frame is base:
            break
        frame = frame.f_back
    if not frames:
        return None
    called = frames[-2] if len(frames) > 1 and frames[-1] is base else frames[-1]
    return Stack(tuple(frames), forward or called, forward is not None, builds_module)


@dataclass(frozen=True)
class SourceLocation:
    """A location in a learner's source.

    Attributes:
        function: the enclosing function, such as 'Smoother.forward'; empty at the top of a cell or file.
        line: the line's number in its cell or file.
        text: the statement on that line, without comments.
        begins: the line at which that statement begins.
        sign: the operator as written ('@', '+='), or empty.
        call: the called expression as written ('self.hidden'), or empty.
        targets: the names that the result is assigned to, one tuple for each part of the result; empty if
            none.
        is_returned: whether the value is returned to the caller unchanged.
        names: the names and dotted names that the expression reads.
    """

    function: str
    line: int
    text: str
    begins: int
    sign: str = ""
    call: str = ""
    targets: tuple[tuple[str, ...], ...] = ()
    is_returned: bool = False
    names: tuple[str, ...] = ()


class Lines:
    """Source locations that consist of a function and a line number only; no source is read."""

    def site(self, frame: FrameType) -> SourceLocation:
        """Return the current location of a frame."""
        return self.at(frame.f_code, frame.f_lasti, frame.f_lineno or 0)

    def at(self, code: CodeType, instruction: int, line: int) -> SourceLocation:
        """Return the location of an instruction."""
        return SourceLocation(_function(code), line, "", line)


class Sources(Lines):
    """Source locations from the syntax trees of the learner's files, each parsed once per recording."""

    def __init__(self) -> None:
        self._trees: dict[str, _Tree | None] = {}
        self._sites: dict[tuple[CodeType, int], SourceLocation] = {}

    def at(self, code: CodeType, instruction: int, line: int) -> SourceLocation:
        """Return the location of an instruction."""
        key = (code, instruction)
        if key not in self._sites:
            self._sites[key] = self._find(code, instruction, line)
        return self._sites[key]

    def _find(self, code: CodeType, instruction: int, line: int) -> SourceLocation:
        function = _function(code)
        tree = self._tree(code.co_filename)
        node = tree.node(code, instruction) if tree else None
        if tree is None or node is None:
            return SourceLocation(
                function, line, shortened(linecache.getline(code.co_filename, line).strip()), line
            )
        targets, is_returned = tree.destination(node)
        text, begins = tree.statement(node)
        return SourceLocation(
            function=function,
            line=line,
            text=shortened(text),
            begins=begins,
            sign=_sign(node),
            call=shortened(ast.unparse(node.func), 40) if isinstance(node, ast.Call) else "",
            targets=targets,
            is_returned=is_returned,
            names=tuple(dict.fromkeys(_names(node))),
        )

    def _tree(self, filename: str) -> _Tree | None:
        if filename not in self._trees:
            linecache.checkcache(filename)
            self._trees[filename] = _Tree.read("".join(linecache.getlines(filename)))
        return self._trees[filename]


class _Tree:
    """A syntax tree that knows the parent of each node and which expressions end where."""

    def __init__(self, text: str, root: ast.AST) -> None:
        self._lines = text.splitlines()
        self._parents: dict[ast.AST, ast.AST] = {}
        self._ends: dict[tuple[int, int], list[ast.AST]] = {}
        for node in ast.walk(root):
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node
            if isinstance(node, ast.expr | ast.AugAssign):
                self._ends.setdefault((node.end_lineno or 0, node.end_col_offset or 0), []).append(node)

    @classmethod
    def read(cls, text: str) -> _Tree | None:
        try:
            return cls(text, ast.parse(text)) if text else None
        except SyntaxError:
            return None

    def node(self, code: CodeType, instruction: int) -> ast.expr | ast.AugAssign | None:
        """Return the syntax tree's expression for an instruction."""
        # There is one entry for each code unit of two bytes.
        positions = list(code.co_positions())
        line, last_line, column, last_column = positions[instruction // 2]
        nodes = self._ends.get((last_line or 0, last_column or 0), [])
        exact = [node for node in nodes if (node.lineno, node.col_offset) == (line, column)]  # type: ignore[attr-defined]
        # A call of a method in a chain over several lines is said to start at the method's name.
        chained = [
            node
            for node in nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.end_lineno == line
        ]
        return (exact or chained or [None])[0]  # type: ignore[return-value]

    def destination(self, node: ast.AST) -> tuple[tuple[tuple[str, ...], ...], bool]:
        """Return the names to which each part of an expression is assigned, and whether it is returned."""
        if isinstance(node, ast.AugAssign):
            return _target(node.target), False
        parent = self._parents.get(node)
        while isinstance(parent, ast.IfExp) and node is not parent.test:
            node, parent = parent, self._parents.get(parent)
        if isinstance(parent, ast.Tuple) and isinstance(pair := self._parents.get(parent), ast.Assign):
            index = parent.elts.index(node)  # type: ignore[arg-type]
            targets = [
                target.elts[index]
                for target in pair.targets
                if isinstance(target, ast.Tuple) and len(target.elts) == len(parent.elts)
            ]
            return (_target(targets[0]) if targets else ()), False
        if isinstance(parent, ast.Assign):
            parts = [_target(target) for target in parent.targets]
            longest = max(parts, key=len)
            return (longest if len(parts) == 1 or len(longest) > 1 else (sum(sum(parts, ()), ()),)), False
        if isinstance(parent, ast.AnnAssign | ast.NamedExpr):
            return _target(parent.target), False
        return (), isinstance(parent, ast.Return | ast.Lambda)

    def statement(self, node: ast.AST) -> tuple[str, int]:
        """Return the statement around a node, and the line at which it begins.

        The statement is on one line and without comments; of a compound statement, only the first line is
        returned.
        """
        while not isinstance(node, ast.stmt) and node in self._parents:
            node = self._parents[node]
        if not isinstance(node, ast.stmt):
            return "", 1
        begins = node.lineno
        lines = self._lines[begins - 1 : node.end_lineno]
        if hasattr(node, "body"):
            return lines[0].strip(), begins
        # Columns count bytes. What follows the statement is a comment or another statement.
        lines[-1] = lines[-1].encode()[: node.end_col_offset].decode()
        lines[0] = lines[0].encode()[node.col_offset :].decode()
        return " ".join(line.strip() for line in lines), begins


def _function(code: CodeType) -> str:
    """Return a function's name with its class.

    Neither the function it was defined in, nor a comprehension in it.
    """
    parts = code.co_qualname.split(".<locals>.")
    while parts and parts[-1] in HIDDEN:
        parts.pop()
    name = parts[-1] if parts else ""
    return "" if name in ("<module>", "") or name.startswith("<cell line") else name


def _sign(node: ast.AST) -> str:
    if isinstance(node, ast.AugAssign):
        return f"{SIGNS.get(type(node.op), '')}="
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return SIGNS.get(type(node.op), "")
    if isinstance(node, ast.Compare):
        return SIGNS.get(type(node.ops[0]), "")
    return "[…]" if isinstance(node, ast.Subscript) else ""


def _target(node: ast.AST) -> tuple[tuple[str, ...], ...]:
    if isinstance(node, ast.Tuple | ast.List):
        parts = [_target(part) for part in node.elts]
        return tuple(part[0] if len(part) == 1 else () for part in parts)
    if isinstance(node, ast.Name | ast.Attribute):
        return ((ast.unparse(node),),)
    return ()


def _names(node: ast.AST) -> Iterator[str]:
    """Names and dotted names in an expression, outer ones first."""
    for child in ast.walk(node):
        if isinstance(child, ast.Name | ast.Attribute):
            chain: ast.AST = child
            while isinstance(chain, ast.Attribute):
                chain = chain.value
            if isinstance(chain, ast.Name):
                yield ast.unparse(child)


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return a text, cut to at most `longest` characters if it is longer."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
