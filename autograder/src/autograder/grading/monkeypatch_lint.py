"""A search for cells that set an attribute of a module, class or function that the learner did not define.

`torch.softmax = mine` changes a function that everybody calls, even the checks; `layer.weight = mine` does
not. To tell them apart, names are followed through assignments, loops, containers, arguments and attributes,
in all cells and in any order. The result of an unknown call counts as the learner's own object.
"""

from __future__ import annotations

import ast
import builtins
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest

from autograder.grading.static_strings import could_hide_call, is_readable, last_name, returns_argument
from autograder.records.parse_cells import parsed

# What a name may stand for is a set of symbols: a plain name of all cells, one of a function with that
# function before it, an attribute as ".name", what a function returns as "name()", or what is not their own.
# What an unknown call returns may hold what it was given, "@name@…", or called on, "%name@…".
Symbols = frozenset[str]
FOREIGN = "!"
UNREADABLE = "?"  # a text that nobody can read
NONE: Symbols = frozenset()
MADE: Symbols = frozenset({UNREADABLE})
ANOTHERS: Symbols = frozenset({FOREIGN})
# Names that the course's own cells bind.
GIVEN = {"torch", "nn", "F", "np", "plt", "math", "check", "hint", "progress", "autograder", *dir(builtins)}
# Functions and methods that give back what they are given, or what it holds.
PASS_ON = {
    *("list", "tuple", "set", "dict", "zip", "enumerate", "iter", "next", "reversed", "sorted", "filter"),
    *("max", "min", "items", "values", "get", "pop", "copy", "deepcopy", "cast", "getattr", "chain", "cycle"),
    *("partial", "nullcontext", "closing"),
}
# What these return is never the writer's own.
GIVE_ANOTHERS = {
    *("type", "locals", "super", "get_ipython", "import_module", "__import__", "resolve_name", "locate")
}
RETURNS_TEXT = {"load", "typename"}  # of torch's functions
SAVES = tuple(
    f"@{dot}{name}"
    for dot in ("", ".")
    for name in ("save", "dump", "write", "open", "to_", "put", "copy", "run_")
)
# The names under which torch's own tables of layers and functions are imported everywhere.
LAYERS = {"nn", "F"}
ANY_ATTRIBUTE = "@*"  # looked up under a name that is not written out
LEAD_ANYWHERE = {"__class__", "__base__", "__bases__", "__mro__", "__self__", "__func__", "__wrapped__"}
# Calls that set an attribute of their first argument.
SETTERS = {"setattr", "delattr", "__setattr__", "__delattr__", "update_wrapper"}
# Settings that libraries have for everybody.
SETTINGS = re.compile(
    r"(torch\.backends|torch\._(dynamo|inductor)\.config|(pd|pandas)\.options)(\.\w+)+"
    r"|sys\.(stdout|stderr|argv)"
)
TABLES = {"rcParams", "environ", "options"}


@dataclass
class CallSite:
    """A call: the name of the function, and its arguments."""

    name: str
    given: list[Symbols] = field(default_factory=list)  # the arguments by position
    named: dict[str, Symbols] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)  # the functions among the arguments
    any: Symbols = NONE  # the symbols of all arguments, even of those passed on to other functions


@dataclass(frozen=True)
class Lookup:
    """A call of `getattr`: its object and its name, its text, and whether the object is `self`."""

    whose: Symbols
    name: Symbols
    text: str
    of_self: bool


@dataclass
class CellFacts:
    """The facts that the search needs about one cell."""

    bound: list[tuple[str, Symbols]] = field(default_factory=list)  # a symbol, and its possible meanings
    settings: list[tuple[Symbols, str]] = field(default_factory=list)  # set attributes: the owner, the text
    functions: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)  # a name, and its parameters
    calls: list[CallSite] = field(default_factory=list)
    lookups: dict[tuple[int, int], Lookup] = field(default_factory=dict)  # by line and column


@lru_cache(maxsize=256)
def facts(source: str) -> CellFacts:
    """Return the facts about a cell.

    Raises:
        RecursionError: it is nested too deeply.
    """
    reader = _Reader(f"{zlib.crc32(source.encode(errors='replace')):x}")
    reader.visit(parsed(source))
    return reader.facts


def foreign_settings(cells: Iterable[CellFacts]) -> Iterator[str]:
    """Yield the text of each statement that sets an attribute of an object not defined by the learner."""
    cells = list(cells)
    foreign = _foreign(*_bindings(cells))
    for cell in cells:
        yield from (text for whose, text in cell.settings if not foreign.isdisjoint(whose))


def hidden_lookups(
    cells: Iterable[CellFacts], asked: Iterable[tuple[CellFacts, tuple[int, int]]]
) -> Iterator[str]:
    """Yield the text of each `getattr` call with an unreadable name, or on an object of somebody else's.

    Args:
        cells: the facts about all cells.
        asked: the calls to examine: the facts about their cell, and their line and column.
    """
    stands_for, known = _bindings(list(cells))
    anothers, given, unreadable = (_foreign(stands_for, known, root) for root in (FOREIGN, "@", UNREADABLE))
    for cell, position in asked:
        lookup = cell.lookups[position]
        if lookup.of_self:  # it holds what its class gave it, unless a call gives something else for it
            hidden = not anothers.isdisjoint(lookup.whose)
        else:
            of_layers = bool(lookup.whose) and all(_is_layers(symbol, stands_for) for symbol in lookup.whose)
            doors = unreadable if of_layers else given | unreadable
            hidden = not doors.isdisjoint(lookup.whose) or not unreadable.isdisjoint(lookup.name)
        if hidden:
            yield lookup.text


def _is_layers(symbol: str, stands_for: dict[str, set[str]]) -> bool:
    """Tell whether a symbol stands for a module of layers or functions, in which no name is a door.

    What is looked up in it under a name that only a caller knows, as `getattr(nn, activation)`, is a layer.
    """
    return symbol in LAYERS and stands_for.get(symbol, set()) <= ANOTHERS


def _bindings(cells: Sequence[CellFacts]) -> tuple[dict[str, set[str]], set[str]]:
    """Return what each symbol of some cells may stand for, and the symbols that are asked for."""
    stands_for: dict[str, set[str]] = defaultdict(set)
    functions: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for cell in cells:
        for name, parameters in cell.functions:
            functions[name].append(parameters)
    for cell in cells:
        for symbol, symbols in cell.bound:
            if symbol[1:].partition("@")[0] not in functions:  # what those return is known
                stands_for[symbol] |= symbols
    for name, call in _merged(call_site for cell in cells for call_site in cell.calls).items():
        for parameters in functions.get(name, ()):
            _pass(call, parameters, stands_for)
    for name in functions:
        stands_for[f"{name}()"] |= NONE
    asked = {symbol for cell in cells for whose, _ in cell.settings for symbol in whose}
    asked |= {
        symbol for cell in cells for lookup in cell.lookups.values() for symbol in lookup.whose | lookup.name
    }
    return stands_for, asked


def _merged(calls: Iterable[CallSite]) -> dict[str, CallSite]:
    """Return what each function is given in all calls of it, and where it is passed on with something."""
    merged: dict[str, CallSite] = {}
    for call in calls:
        known = merged.setdefault(call.name, CallSite(call.name))
        known.given = [
            symbols_before | other
            for symbols_before, other in zip_longest(known.given, call.given, fillvalue=NONE)
        ]
        for name, symbols in call.named.items():
            known.named[name] = known.named.get(name, NONE) | symbols
        everything = NONE.union(*call.given, *call.named.values())
        for name in call.passed:
            merged.setdefault(name, CallSite(name)).any |= everything
    return merged


def _pass(call: CallSite, parameters: Sequence[str], stands_for: dict[str, set[str]]) -> None:
    """Add what parameters may stand for in a call. The last ones may take in all others."""
    names = {parameter.rpartition("/")[2]: parameter for parameter in parameters}
    for parameter, symbols in zip(parameters, call.given, strict=False):
        stands_for[parameter] |= symbols
    others = NONE.union(*call.given[len(parameters) :])
    for name, symbols in call.named.items():
        if name in names:
            stands_for[names[name]] |= symbols
        else:
            others |= symbols
    for parameter in parameters[-2:]:
        stands_for[parameter] |= others
    for parameter in parameters:
        stands_for[parameter] |= call.any


def _foreign(stands_for: dict[str, set[str]], asked: set[str], root: str = FOREIGN) -> set[str]:
    """Return the symbols that may stand for what is not the writer's own.

    From the root "@", what is given to unknown calls counts too; from `UNREADABLE`, unreadable texts.
    """
    known = {symbol for symbols in stands_for.values() for symbol in symbols} | asked
    everything = "*" in stands_for
    foreign = {FOREIGN} | {
        symbol
        for symbol in known - stands_for.keys()
        if symbol in GIVEN or (everything and symbol.isidentifier())
    }
    if root == UNREADABLE:
        foreign = {UNREADABLE} | {
            symbol
            for symbol in known - stands_for.keys()
            if symbol.endswith("()") and _may_make_text(symbol[:-2], stands_for)
        }
    followed = {FOREIGN: "", "@": "@", UNREADABLE: "@%"}[root]
    users: dict[str, list[str]] = defaultdict(list)
    for symbol, symbols in stands_for.items():
        for other in symbols:
            users[other].append(symbol)
    waiting = list(foreign)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in foreign and (user[:1] not in ("@", "%") or user[:1] in followed):
                foreign.add(user)
                waiting.append(user)
    return foreign


def _may_make_text(name: str, stands_for: dict[str, set[str]]) -> bool:
    """Tell whether a function or ".method" that no cell defines may return a text that nobody can read."""
    if returns_argument(name.strip(".")) or name.strip(".") in PASS_ON:
        return False
    if name.strip(".") == "load":  # what is in a file of the course's can be known
        return any(symbol.startswith(SAVES) for symbol in stands_for)
    return name[:1] == "." or name in GIVEN or name in stands_for or "*" in stands_for


class _Reader(ast.NodeVisitor):
    """Gathers the facts of one cell."""

    def __init__(self, key: str) -> None:
        self.facts = CellFacts()
        self._key = key
        self._scopes: list[tuple[str, set[str]]] = []  # functions around, and the names that are their own
        self._in_class = False

    # What an expression may stand for.

    def _scope(self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> str:
        return f"{self._key}:{function.lineno}:{function.col_offset}"

    def _symbol(self, name: str) -> str:
        return next((f"{scope}/{name}" for scope, names in reversed(self._scopes) if name in names), name)

    def _symbols(self, node: ast.AST | None) -> Symbols:
        match node:
            case ast.Name(id=name):
                return frozenset({self._symbol(name)})
            case ast.Attribute(value=value, attr=attr):
                if attr in LEAD_ANYWHERE and not (attr == "__class__" and _is_self(value)):
                    return ANOTHERS | MADE
                return self._symbols(value) | {f".{attr}"} | (MADE if could_hide_call(attr) else NONE)
            case ast.Call():
                return self._returned(node)
            case ast.Subscript(value=value, slice=ast.Slice(step=ast.AST())):  # backwards, say
                return self._symbols(value) | MADE
            case ast.Subscript(value=value) | ast.Starred(value=value) | ast.NamedExpr(value=value):
                return self._symbols(value)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return self._any(parts)
            case ast.BoolOp(values=parts):
                return self._any(parts)
            case ast.Dict(keys=names, values=parts):
                return self._any([*names, *parts])
            case ast.IfExp(body=body, orelse=orelse):
                return self._any([body, orelse])
            case ast.BinOp(left=left, right=right):  # of lists
                parts = [part for part in (left, right) if isinstance(part, ast.List | ast.Tuple)]
                return self._any(parts) | (NONE if parts or is_readable(node) else MADE)
            case ast.Constant() | ast.JoinedStr():
                return NONE if is_readable(node) else MADE
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part):
                return self._symbols(part)
            case ast.DictComp(key=name, value=part):
                return self._any([name, part])
            case ast.Lambda(body=part) | ast.Await(value=part):
                return self._symbols(part)
        return NONE

    def _any(self, nodes: Iterable[ast.AST | None]) -> Symbols:
        return NONE.union(*map(self._symbols, nodes))

    def _returned(self, call: ast.Call) -> Symbols:
        function, given = call.func, call.args
        name = last_name(function)
        if name in GIVE_ANOTHERS:
            return NONE if name == "type" and (len(given) != 1 or _is_self(given[0])) else ANOTHERS
        if name in PASS_ON:
            looked_up = frozenset({_looked_up(given)}) if name == "getattr" else NONE
            receiver = function.value if isinstance(function, ast.Attribute) else None
            return self._any([*given, receiver]) | looked_up | {f"{name}()"}
        if isinstance(function, ast.Lambda):
            return self._symbols(function.body)
        held = self._held(call)
        match function:
            case ast.Attribute(value=ast.Name(id="torch" | "F")) if name not in RETURNS_TEXT:
                return held  # tensors
            case ast.Name() if self._symbol(name) == name:
                itself = f"%={name}@{self._key}"
                self.facts.bound.append((itself, frozenset({name})))
                return held | {f"{name}()", itself}
        return held | {f"{name}()", f".{name}()"}

    def _held(self, call: ast.Call) -> Symbols:
        """Return the symbols for what a call was given, or called on."""
        name = ("." if isinstance(call.func, ast.Attribute) else "") + last_name(call.func)
        at = f"{name}@{self._key}:{call.lineno}:{call.col_offset}:{call.end_col_offset}"
        return frozenset({f"@{at}", f"%{at}"})

    # What binds a name.

    def _bind(self, target: ast.AST, symbols: Symbols) -> None:
        match target:
            case ast.Name(id=name):
                self.facts.bound.append((f".{name}" if self._in_class else self._symbol(name), symbols))
                if self._in_class:
                    self.facts.bound.append((ANY_ATTRIBUTE, symbols))
                    if could_hide_call(name):  # that an enumeration's member has, say
                        self.facts.bound.append((".name", MADE))
            case ast.Attribute(attr=attr):
                self.facts.bound += [(f".{attr}", symbols), (ANY_ATTRIBUTE, symbols)]
            case ast.Subscript(value=value, slice=ast.Slice() | ast.Tuple()):
                self._bind(value, symbols)
            case ast.Subscript(value=value, slice=name):
                key = f"%[]@{self._key}:{target.lineno}:{target.col_offset}"
                self.facts.bound.append((key, self._symbols(name)))
                self._bind(value, symbols | {key})
            case ast.Starred(value=value):
                self._bind(value, symbols)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._bind(part, symbols)

    def _bind_each(self, target: ast.AST, value: ast.AST) -> None:
        """Bind a target, part by part where both sides are written out."""
        match target, value:
            case (ast.Tuple(elts=parts), ast.Tuple(elts=values)) if len(parts) == len(values) and not any(
                isinstance(part, ast.Starred) for part in parts + values
            ):
                for part, part_value in zip(parts, values, strict=True):
                    self._bind_each(part, part_value)
            case _:
                self._bind(target, self._symbols(value))

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind_each(target, node.value)
            if isinstance(node.value, ast.Constant) and SETTINGS.fullmatch(ast.unparse(target)):
                return
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._bind(node.target, self._symbols(node.value))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        longer = isinstance(node.op, ast.Add) and not isinstance(node.value, ast.List | ast.Tuple)
        self._bind(node.target, self._any([node.value]) | (MADE if longer else NONE))
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._bind(node.target, self._symbols(node.value))
        self.generic_visit(node)

    def visit_For(self, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        self._bind(node.target, self._symbols(node.iter))
        self.generic_visit(node)

    visit_AsyncFor = visit_comprehension = visit_For  # noqa: N815 - the name of a node

    def visit_withitem(self, node: ast.withitem) -> None:
        if node.optional_vars is not None:
            self._bind(node.optional_vars, self._symbols(node.context_expr))
        self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        subject = self._symbols(node.subject)
        for part in ast.walk(node):
            if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                self._bind(ast.Name(part.name), subject)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for imported in node.names:
            path = f"{getattr(node, 'module', '') or ''}.{imported.name}".strip(".").split(".")
            symbols = ANOTHERS if path[0] == "torch" else ANOTHERS | MADE
            self.facts.bound.append((self._symbol(imported.asname or imported.name.split(".")[0]), symbols))

    visit_ImportFrom = visit_Import  # noqa: N815

    # Functions and classes.

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        name = getattr(node, "name", "<lambda>")
        if name != "<lambda>":
            self._bind(ast.Name(name), NONE)
        scope = self._scope(node)
        given = node.args
        positional = [*given.posonlyargs, *given.args]
        arguments = [*positional, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
        defaults = dict(
            zip((argument.arg for argument in reversed(positional)), reversed(given.defaults), strict=False)
        )
        defaults |= {
            argument.arg: value
            for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
            if value
        }
        local_names = {argument.arg for argument in arguments} | _stored(node)
        method = self._in_class
        outer, self._in_class = self._in_class, False
        self._scopes.append((scope, local_names))
        symbols = tuple(f"{scope}/{argument.arg}" for argument in arguments)
        for argument, symbol in zip(arguments, symbols, strict=True):
            self.facts.bound.append((symbol, self._symbols(defaults.get(argument.arg))))
        static = any(
            last_name(decorator) == "staticmethod" for decorator in getattr(node, "decorator_list", ())
        )
        bound = symbols[1:] if method and not static else symbols
        self.facts.functions.append((name, bound))
        if method:
            self.facts.functions.append((f"{name} unbound", symbols))
        for part in ast.walk(node):
            if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom):
                self.facts.bound.append((f"{name}()", self._symbols(part.value)))
        self.generic_visit(node)
        self._scopes.pop()
        self._in_class = outer

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(ast.Name(node.name), NONE)
        before = len(self.facts.functions)
        outer, self._in_class = self._in_class, True
        self.generic_visit(node)
        self._in_class = outer
        initializers = [
            parameters for name, parameters in self.facts.functions[before:] if name == "__init__"
        ]
        self.facts.functions += [(node.name, parameters) for parameters in initializers]

    # What is called, and what is set.

    def visit_Call(self, node: ast.Call) -> None:
        name = last_name(node.func)
        if name in SETTERS and node.args:
            self._sets(node, name)
        given = list(map(self._symbols, node.args))
        named = {
            keyword.arg or "": self._symbols(keyword.value)
            | (MADE if could_hide_call(keyword.arg or "") else NONE)
            for keyword in node.keywords
        }
        self._keep(node, NONE.union(*given, *named.values()))
        passed = {last_name(argument) for argument in node.args} - {""}
        lambdas = [part for part in [*node.args, node.func] if isinstance(part, ast.Lambda)]
        for function in lambdas:
            everything = NONE.union(*given, *named.values())
            self.facts.bound += [
                (f"{self._scope(function)}/{argument.arg}", everything) for argument in function.args.args
            ]
        self.facts.calls.append(CallSite(name or "__call__", given, named, passed))
        if isinstance(node.func, ast.Attribute) and last_name(node.func.value)[:1].isupper():
            self.facts.calls.append(CallSite(f"{name} unbound", given, named))
        self.generic_visit(node)

    def _keep(self, node: ast.Call, everything: Symbols) -> None:
        """Note what a call is given: what it returns may hold that, and so may what it is called on."""
        inside, around = sorted(self._held(node), reverse=True)  # "@…" after "%…"
        self.facts.bound.append((inside, everything))
        if isinstance(node.func, ast.Attribute):
            self.facts.bound.append((around, self._symbols(node.func.value)))
            if last_name(node.func.value) not in GIVEN:
                self._bind(node.func.value, frozenset({inside}))
        if last_name(node.func) == "setattr" and node.args:
            self._bind(node.args[0], frozenset({inside}))
        if last_name(node.func) == "getattr" and len(node.args) > 1:
            whose, name = map(self._symbols, node.args[:2])
            lookup = Lookup(whose, name, ast.unparse(node), is_own(node.args[0]))
            self.facts.lookups[node.lineno, node.col_offset] = lookup

    def _sets(self, node: ast.Call, name: str) -> None:
        target: ast.AST = node.args[0]
        bound = 3 if name == "__setattr__" else 2
        if name.startswith("__") and isinstance(node.func, ast.Attribute) and len(node.args) < bound:
            target = node.func.value
            if isinstance(target, ast.Call) and last_name(target.func) == "super":
                return
        self.facts.settings.append((self._symbols(target), ast.unparse(node)))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            text = ast.unparse(node)
            if not (SETTINGS.fullmatch(text) and text.startswith("sys.")):
                self.facts.settings.append((self._symbols(node.value), text))
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        root: ast.AST = node.value
        is_set = not isinstance(node.ctx, ast.Load)
        if is_set and isinstance(root, ast.Attribute) and root.attr not in TABLES:
            while isinstance(root, ast.Attribute):
                root = root.value
            self.facts.settings.append((self._symbols(root), ast.unparse(node)))
        self.generic_visit(node)


def _looked_up(given: list[ast.expr]) -> str:
    """Return the symbol of the attribute that `getattr` is asked for."""
    match given:
        case [_, ast.Constant(value=str(name)), *_]:
            return f".{name}"
    return ANY_ATTRIBUTE


def is_own(value: ast.AST) -> bool:
    """Tell whether an expression is `self` or `cls`, or an attribute that is reached from it."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return _is_self(value)


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _stored(function: ast.AST) -> set[str]:
    """Return the names that a function binds for itself."""
    stored: set[str] = set()
    others: set[str] = set()
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                stored.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                stored.add(name)
                continue
            case ast.Lambda():
                continue
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                others |= set(names)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                stored |= {alias.asname or alias.name.split(".")[0] for alias in imported}
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                stored.add(name)
        waiting += ast.iter_child_nodes(node)
    return stored - others
