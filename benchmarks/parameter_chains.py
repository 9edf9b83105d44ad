"""How many parameters the tool hands on unchanged through five functions or more.

    python3 start.py run python -m benchmarks.parameter_chains [FEWEST]

A **chain** is a parameter that a function passes on as it is, to a function that passes it on again, and so
on; its length is the number of these functions. Each chain is counted once, from the function that begins it.
A call is followed if its name leads to one function: one of the same module, an imported one, or a method
whose name no other function of the tool has. An attribute of `self` is no parameter, and a parameter that is
assigned again is not handed on unchanged. `partial` and `run_limited` count as calls of the function that
they are given.
"""

from __future__ import annotations

import argparse
import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import autograder

PACKAGE = Path(autograder.__file__).parent
LONG, MOST = 5, 15
# Functions that call another one, and the place of that one among their arguments.
CALLERS = {"partial": 0, "run_limited": 1}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Parameter = tuple[str, str, str, str]  # a module, a class or "", a function and a parameter of it


@dataclass(frozen=True)
class Defined:
    """A function or method, with the module and the class that define it, and the module's imports."""

    module: str
    owner: str
    function: Function
    imports: dict[str, tuple[str, str]]

    @property
    def parameters(self) -> list[str]:
        """The names of its positional parameters."""
        arguments = self.function.args
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        return names[1:] if names[:1] in (["self"], ["cls"]) else names

    @property
    def unchanged(self) -> set[str]:
        """The names of its parameters that are not assigned again."""
        assigned = {
            node.id
            for node in ast.walk(self.function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        return {*self.parameters, *(argument.arg for argument in self.function.args.kwonlyargs)} - assigned


def functions() -> dict[str, list[Defined]]:
    """Return the functions of the tool by name; a constructor by the name of its class."""
    by_name: dict[str, list[Defined]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if "template" in path.parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = {
            alias.asname or alias.name: (str(node.module), alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        module = ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef):
                owner = node.name if isinstance(node, ast.ClassDef) else ""
                for function in node.body:
                    if isinstance(function, Function):
                        name = owner if function.name == "__init__" else function.name
                        by_name[name].append(Defined(module, owner, function, imports))
    return by_name


def called(call: ast.Call, caller: Defined, by_name: dict[str, list[Defined]]) -> list[Defined]:
    """Return the functions that a call may lead to, as far as its name tells."""
    if isinstance(call.func, ast.Attribute):
        candidates = by_name.get(call.func.attr, [])
        same = [
            candidate
            for candidate in candidates
            if (candidate.module, candidate.owner) == (caller.module, caller.owner)
        ]
        return candidates if len(candidates) == 1 else same if caller.owner else []
    if not isinstance(call.func, ast.Name):
        return []
    module, name = caller.imports.get(call.func.id, (caller.module, call.func.id))
    return [candidate for candidate in by_name.get(name, []) if candidate.module == module]


def handed_on(caller: Defined, by_name: dict[str, list[Defined]]) -> Iterator[tuple[Parameter, Parameter]]:
    """Yield each parameter that a function hands on unchanged, and the parameter that it becomes."""
    unchanged = caller.unchanged
    for node in ast.walk(caller.function):
        if not isinstance(node, ast.Call):
            continue
        call, name = node, getattr(node.func, "id", "")
        if name in CALLERS and len(node.args) > CALLERS[name]:
            index = CALLERS[name]
            call = ast.Call(node.args[index], node.args[index + 1 :], node.keywords)
        for target in called(call, caller, by_name):
            given = [*zip(target.parameters, call.args, strict=False)]
            given += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
            for parameter, value in given:
                if isinstance(value, ast.Name) and value.id in unchanged:
                    yield (
                        (caller.module, caller.owner, caller.function.name, value.id),
                        (target.module, target.owner, target.function.name, parameter),
                    )


def chains(fewest: int) -> list[tuple[Parameter, ...]]:
    """Return the longest chain from each parameter that no other function hands on, if it is long enough."""
    by_name = functions()
    onward: dict[Parameter, set[Parameter]] = defaultdict(set)
    for defined in by_name.values():
        for function in defined:
            for parameter, target in handed_on(function, by_name):
                onward[parameter].add(target)

    def longest(parameter: Parameter, before: frozenset[Parameter] = frozenset()) -> tuple[Parameter, ...]:
        further = sorted(onward.get(parameter, set()) - before - {parameter})
        rests = [longest(target, before | {parameter}) for target in further]
        return (parameter, *max(rests, key=len, default=()))

    reached = {target for targets in onward.values() for target in targets}
    every = [longest(parameter) for parameter in sorted(onward.keys() - reached)]
    return sorted((chain for chain in every if len(chain) >= fewest), key=len, reverse=True)


def main() -> None:
    """Print each chain, and how many there are."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("fewest", nargs="?", type=int, default=LONG, help="The fewest functions of a chain.")
    fewest = asked.parse_args().fewest
    long_chains = chains(fewest)
    for chain in long_chains:
        steps = " → ".join(f"{module.partition('.')[2]}.{name}" for module, _, name, _ in chain)
        print(f"{len(chain)} {chain[0][3]}: {steps}")
    print(f"{len(long_chains)} chains of {fewest} functions or more; aim: at most {MOST} of {LONG}")


if __name__ == "__main__":
    main()
