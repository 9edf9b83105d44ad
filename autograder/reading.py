"""Read cells for calls that a task forbids, without running them.

Names are resolved: `F.softmax`, `from torch import softmax as s` and `getattr(torch, "softmax")` are torch's,
a function `softmax` of the learner's own is not. What counts is what the answer itself reaches: its body and
the helpers that it names for a function or a class, what it is computed from for a tensor. Cells that the
course provides are never held against anybody.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache

from torch import Tensor

from autograder.bank import LessonBank, Task
from autograder.forbidden import MOST_CALLS, family_of
from autograder.outcome import ForbiddenCall

# Cells of a long session that are read: the last ones. A learner waits for the answer.
MOST_CELLS = 400
MOST_TEXT = 50_000  # in one cell; nobody types more, and what is read here may have been made to be slow
# How far names are followed that stand for other names.
MOST_ALIASES = 20
WHOLE = 10**9  # later than every statement

Scope = Mapping[str, str]  # local names, and what they stand for as far as that is known


@dataclass(frozen=True)
class Cell:
    """A code cell's text. `own` says that it is the learner's, or that nobody knows."""

    source: str
    own: bool = True


def read(task: Task, lesson: LessonBank, cells: Sequence[Cell]) -> tuple[ForbiddenCall, ...]:
    """The forbidden calls that an answer makes, as far as its text tells.

    Args:
        task: the task.
        lesson: its lesson: the tensors of other tasks are not this one's matter.
        cells: the code cells that ran before the task's check, in order.
    """
    if task.forbids is None:
        return ()
    others = {one.name for one in lesson.tasks.values() if one.kind == "tensor" and one.id != task.id}
    reader = _Reader(cells[-MOST_CELLS:], task.forbids.families, {*task.forbids.given, *others})
    with contextlib.suppress(RecursionError):  # nested so deep on purpose: what was found until then counts
        reader.enter()
        reader.follow(task.name, WHOLE)
    return tuple(reader.found[:MOST_CALLS])


def names_made(sources: Sequence[str]) -> list[str]:
    """The names that some cells give a value to, sorted."""
    return sorted(_Reader([Cell(source) for source in sources], (), set()).enter())


def functions_that_call(
    sources: Sequence[str], families: tuple[str, ...]
) -> Iterator[tuple[int, str, ForbiddenCall]]:
    """The functions and classes of some cells that make a call of some families: cell, name and call."""
    cells = [Cell(source) for source in sources]
    for number, source in enumerate(sources):
        for node in parsed(source).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                reader = _Reader(cells, families, set())
                reader.enter()
                reader.follow(node.name, WHOLE)
                for call in reader.found[:1]:
                    yield number, node.name, call


@dataclass(frozen=True)
class _Effect:
    """A statement that gives a name its value, or changes it.

    `path` is where an import leads; `parts` are what the value is made from; `anew` says that nothing of an
    earlier value is left.
    """

    order: int
    cell: int
    own: bool
    parts: tuple[ast.AST, ...]
    path: str = ""
    anew: bool = False


class _Reader:
    def __init__(self, cells: Sequence[Cell], families: tuple[str, ...], stop: set[str]) -> None:
        self.found: list[ForbiddenCall] = []
        self._cells = cells
        self._families = families
        self._stop = stop
        self._effects: dict[str, list[_Effect]] = {}
        self._stars: list[str] = []
        self._own_attributes: set[str] = set()
        self._visited: set[int] = set()
        self._cell = 0  # where what is read stands
        self._function = ""

    # What each name stands for.

    def enter(self) -> Collection[str]:
        """Note what all cells do to names; the names."""
        count = 0  # statements so far
        for number, cell in enumerate(self._cells):
            done = _done_by(cell.source)
            self._own_attributes |= done.attributes
            self._stars += done.stars
            for statement, name, parts, path, anew in done.bindings:
                effect = _Effect(count + statement, number, cell.own, parts, path, anew)
                self._effects.setdefault(name, []).append(effect)
            count += done.statements
        return self._effects

    def _at(self, name: str, before: int) -> list[_Effect]:
        """What a name's value at some point comes from: the last time it was made anew, and what followed."""
        effects = [one for one in self._effects.get(name, ()) if one.order < before]
        anew = [number for number, one in enumerate(effects) if one.anew]
        return effects[anew[-1] :] if anew else effects

    def _resolve(self, node: ast.AST, scope: Scope, before: int, aliases: int = 0) -> str:
        """What an expression stands for, as "torch.nn.functional.softmax"; "" where that is not known."""
        if aliases > MOST_ALIASES:
            return ""
        match node:
            case ast.Name(id=name) if name in scope:
                return scope[name]
            case ast.Name(id=name):
                effects = self._at(name, before)
                if effects and effects[-1].path:
                    return effects[-1].path
                if effects and effects[-1].anew and len(effects[-1].parts) == 1:
                    return self._resolve(effects[-1].parts[0], {}, effects[-1].order, aliases + 1)
                if not effects and self._stars and not hasattr(builtins, name):
                    return f"{self._stars[-1]}.{name}"
            case ast.Attribute(value=value, attr=attribute):
                base = self._resolve(value, scope, before, aliases + 1)
                return f"{base}.{attribute}" if base else ""
            case ast.Call(func=ast.Name(id="getattr"), args=[value, name, *_]):
                base, attribute = self._resolve(value, scope, before, aliases + 1), text_of(name)
                return f"{base}.{attribute}" if base and attribute else ""
            case ast.Call(
                func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[name, *_]
            ):
                return text_of(name)
            case ast.Call(func=ast.Name(id="partial") | ast.Attribute(attr="partial"), args=[value, *_]):
                return self._resolve(value, scope, before, aliases + 1)
        return ""

    # What the answer reaches.

    def follow(self, name: str, before: int) -> None:
        """Read everything that a notebook's name is made from."""
        for effect in self._at(name, before):
            if not effect.own or id(effect) in self._visited:
                continue
            self._visited.add(id(effect))
            place = self._cell, self._function
            self._cell, self._function = effect.cell, name
            for part in effect.parts:
                # What a function names is looked up when it is called; anything else, there and then.
                late = isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda)
                self._visit(part, {}, WHOLE if late else effect.order)
            self._cell, self._function = place

    def _visit(self, node: ast.AST, scope: Scope, before: int) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                for outer in _outside(node):
                    self._visit(outer, scope, before)
                inner = {**scope, **self._locals(node, scope)}
                for part in node.body if isinstance(node.body, list) else [node.body]:
                    self._visit(part, inner, WHOLE)
                return
            case ast.Attribute() | ast.Name() | ast.Call():
                path = self._resolve(node, scope, before)
                if path and self._note(node, path):
                    return
                if isinstance(node, ast.Attribute) and not path:
                    self._method(node, scope)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in scope:
                    if node.id not in self._stop:
                        self.follow(node.id, before)
                    return
                if isinstance(node, ast.Call):
                    self._executed(node, scope, before)
                    if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
                        return  # to ask for a kind of module is not to use one
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                names = [name for part in node.generators for name in _stored(part.target)]
                scope = {**scope, **dict.fromkeys(names, "")}
        for child in ast.iter_child_nodes(node):
            self._visit(child, scope, before)

    def _note(self, node: ast.expr, path: str) -> bool:
        """Note what a library's name stands for, if that is forbidden."""
        root, *names = path.split(".")
        if root not in ("torch", "scipy"):
            return False
        for name in names:
            family = family_of(name, self._families)
            if family:
                typed = ast.unparse(node) if isinstance(node, ast.Attribute) else path
                self._found(node, typed.replace("torch.nn.functional.", "F."), family)
                return True
        return False

    def _method(self, node: ast.Attribute, scope: Scope) -> None:
        """`x.softmax(0)` is torch's unless something of the learner's own has such a name."""
        family = family_of(node.attr, self._families)
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if family and not own and node.attr not in self._own_attributes and hasattr(Tensor, node.attr):
            self._found(node, f"Tensor.{node.attr}", family)

    def _executed(self, call: ast.Call, scope: Scope, before: int) -> None:
        """Read a text that is executed."""
        match call:
            case ast.Call(func=ast.Name(id="exec" | "eval" | "compile"), args=[text, *_]) if text_of(text):
                tree = deepcopy(parsed(text_of(text)))
                for node in ast.walk(tree):
                    if hasattr(node, "lineno"):
                        node.lineno = call.lineno
                self._visit(tree, scope, before)

    def _found(self, node: ast.expr, name: str, family: str) -> None:
        lines = self._cells[self._cell].source.splitlines()
        line = lines[node.lineno - 1].strip() if node.lineno <= len(lines) else ""
        call = ForbiddenCall(name, family, line, node.lineno, self._function)
        if call not in self.found:
            self.found.append(call)

    def _locals(self, function: ast.AST, scope: Scope) -> dict[str, str]:
        """A function's own names, and what those that are imported or renamed there stand for."""
        names: dict[str, str] = {}
        free: set[str] = set()
        nodes = list(_own_nodes(function))
        for node in nodes:
            match node:
                case ast.arg(arg=name):
                    names[name] = ""
                case ast.Global(names=given) | ast.Nonlocal(names=given):
                    free |= set(given)
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    names.setdefault(name, "")
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    names.setdefault(name, "")
                case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                    names.setdefault(name, "")
                case ast.Import() | ast.ImportFrom():
                    names |= {name: path for name, _, path, _ in _bindings(node)}
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if not names.get(name):
                    names[name] = self._resolve(value, {**scope, **names}, WHOLE)
        return {name: path for name, path in names.items() if name not in free}


@lru_cache(maxsize=256)
def parsed(source: str) -> ast.Module:
    """A cell's statements, not to be changed; none where it is no Python, since then nothing of it runs."""
    nothing = ast.Module([], [])
    if len(source) > MOST_TEXT:
        return nothing
    with warnings.catch_warnings(), contextlib.suppress(ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")
        with contextlib.suppress(SyntaxError):
            return ast.parse(source)
        if not any(line.lstrip()[:1] in ("%", "!", "?") for line in source.splitlines()):
            return nothing
        # Loaded only where a cell holds a magic: it takes longer than everything else here.
        from IPython.core.inputtransformer2 import TransformerManager

        with contextlib.suppress(SyntaxError):
            return ast.parse(str(TransformerManager().transform_cell(source)))
    return nothing


@dataclass
class _Done:
    """What a cell does to names: (statement, name, what its value is made from, a path, if made anew)."""

    statements: int
    bindings: list[tuple[int, str, tuple[ast.AST, ...], str, bool]]
    stars: list[str]
    attributes: set[str]


@lru_cache(maxsize=256)
def _done_by(source: str) -> _Done:
    done = _Done(0, [], [], set())
    body = parsed(source).body
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.ClassDef):
                done.attributes |= set(_attributes(node))
    _run_through(body, done, True, ())
    return done


def _run_through(body: Sequence[ast.stmt], done: _Done, top: bool, context: tuple[ast.AST, ...]) -> None:
    """Note what statements do; `context` are conditions and loops around them."""
    for statement in body:
        done.statements += 1
        for name, parts, path, anew in _bindings(statement):
            done.bindings.append((done.statements, name, (*parts, *context), path, anew and top))
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            done.stars.append(statement.module or "")
        for inner, around in _blocks(statement):
            always = isinstance(statement, ast.With | ast.Expr)
            _run_through(inner, done, top and always, (*context, *around))


_Binding = tuple[str, tuple[ast.AST, ...], str, bool]


def _bindings(statement: ast.AST) -> Iterator[_Binding]:
    """What a statement itself does to names: the name, what its value is made from, a path, and if anew."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, (statement,), "", True
        case ast.Import(names=aliases):
            for alias in aliases:
                short = alias.name.partition(".")[0]
                yield alias.asname or short, (), alias.name if alias.asname else short, True
        case ast.ImportFrom(module=module, names=aliases):
            for alias in aliases:
                yield alias.asname or alias.name, (), f"{module or ''}.{alias.name}", True
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _assigned(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _assigned(target, value)
        case ast.AugAssign(target=target, value=value):
            for name in _stored(target):
                yield name, (value,), "", False
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            for name in _stored(target):
                yield name, (value,), "", False
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                for name in _stored(item.optional_vars) if item.optional_vars else ():
                    yield name, (item.context_expr,), "", False
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=method)) as call):
            if method.endswith("_") or method in ("append", "extend", "insert", "update", "setattr"):
                for name in _stored(value):
                    yield name, (call,), "", False
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), *_]) as call):
            yield name, (call,), "", False
    if isinstance(statement, ast.stmt) and not _is_block(statement):
        for node in ast.walk(statement):
            match node:
                case ast.NamedExpr(target=ast.Name(id=name), value=value):
                    yield name, (value,), "", False
                case ast.Call(keywords=keywords):
                    for keyword in keywords:
                        if keyword.arg == "out" and isinstance(keyword.value, ast.Name):
                            yield keyword.value.id, (node,), "", False


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[_Binding]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, (value,), "", True
        case (
            (ast.Tuple(elts=targets) | ast.List(elts=targets)),
            (ast.Tuple(elts=values) | ast.List(elts=values)),
        ):
            if len(targets) == len(values):
                for one, its_value in zip(targets, values, strict=True):
                    yield from _assigned(one, its_value)
                return
            for name in _stored(target):
                yield name, (value,), "", True
        case ((ast.Tuple() | ast.List()), _):
            for name in _stored(target):
                yield name, (value,), "", True
        case _:
            for name in _stored(target):
                yield name, (value,), "", False


def _stored(target: ast.expr) -> list[str]:
    """The names that an assignment to a target gives a value to, or changes: `x` for `x[0]` and `x.a`."""
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Subscript(value=value) | ast.Attribute(value=value) | ast.Starred(value=value):
            return _stored(value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [name for part in parts for name in _stored(part)]
    return []


def _is_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or any(
        True for _ in _blocks(statement)
    )


def _blocks(statement: ast.stmt) -> Iterator[tuple[Sequence[ast.stmt], tuple[ast.AST, ...]]]:
    """Statements inside a statement that run where it stands, with what decides whether they run."""
    match statement:
        case ast.If(test=test, body=body, orelse=orelse) | ast.While(test=test, body=body, orelse=orelse):
            yield body, (test,)
            yield orelse, (test,)
        case (
            ast.For(iter=value, body=body, orelse=orelse) | ast.AsyncFor(iter=value, body=body, orelse=orelse)
        ):
            yield body, (value,)
            yield orelse, ()
        case ast.With(body=body) | ast.AsyncWith(body=body):
            yield body, ()
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            for part in (body, orelse, finalbody, *(handler.body for handler in handlers)):
                yield part, ()
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(attr="run_cell_magic"), args=[_, _, ast.Constant(value=str(text))]
            )
        ):
            yield ast.increment_lineno(deepcopy(parsed(text)), 1).body, ()


def _attributes(node: ast.ClassDef) -> Iterator[str]:
    """Names that a class of the learner's own has: its methods, and what it sets on an object."""
    for inner in ast.walk(node):
        match inner:
            case ast.FunctionDef(name=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name


def _outside(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.expr]:
    """What belongs to a function and runs where it is defined: decorators and default values."""
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    defaults = [one for one in (*function.args.defaults, *function.args.kw_defaults) if one is not None]
    return [*decorators, *defaults]


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it, whose names alone are its own."""
    for child in ast.iter_child_nodes(function):
        yield child
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        yield from _own_nodes(child)


def text_of(node: ast.AST) -> str:
    """A text that is written out, in one piece or in several."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = text_of(left), text_of(right)
            return first + second if first and second else ""
    return ""
