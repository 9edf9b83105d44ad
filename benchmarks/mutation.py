"""Which faults, drawn at random over the tool's code, its tests catch.

    python3 start.py run python -m benchmarks.mutation [--faults 20] [--seed S] [--only grading]

A fault swaps a comparison, drops a `not`, counts one more, returns None or deletes a statement, inside a
function. It is made in a copy of the tool, where the tests run that are named after the module or import it,
with an environment of their own, so that the processes that they start have the fault, too.
A test that fails there is run without the fault, too: only where it passes then has it caught something.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SWAPPED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
}
SECONDS = 300  # a test that never ends has noticed the fault


@dataclass(frozen=True)
class Fault:
    """A part of a function's code and what takes its place."""

    kind: str
    node: ast.expr | ast.stmt
    code: str

    def made_in(self, source: str) -> str:
        """Return a module's source with this fault."""
        lines = source.encode().splitlines(keepends=True)
        node = self.node
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
        end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
        text = source.encode()
        return (text[:begin] + self.code.encode() + text[end:]).decode()


def faults(source: str) -> Iterator[Fault]:
    """Yield the faults that can be made in a module."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in {inner: None for function in functions for part in function.body for inner in ast.walk(part)}:
        match node:
            case ast.Compare(left, [operator], operands) if type(operator) in SWAPPED:
                swapped = ast.Compare(left, [SWAPPED[type(operator)]], operands)
                yield Fault("swap a comparison", node, f"({ast.unparse(swapped)})")
            case ast.UnaryOp(ast.Not(), operand):
                yield Fault("drop a not", node, f"({ast.unparse(operand)})")
            case ast.Constant(int() as number) if not isinstance(number, bool):
                yield Fault("count one more", node, str(number + 1))
            case ast.Return(value) if value is not None:
                yield Fault("return None", node, "return None")
            case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise():
                yield Fault("delete a statement", node, "pass")


def tests_of(tool: Path, module: Path) -> list[Path]:
    """Return the tests that are named after a module or import it."""
    parts = module.relative_to(tool / "src").with_suffix("").parts
    package, name = ".".join(parts[:-1]), parts[-1]
    imports = re.compile(
        rf"^\s*(?:from {re.escape(package)}\.{name} import|import {re.escape(package)}\.{name}\b"
        rf"|from {re.escape(package)} import .*\b{name}\b)",
        re.MULTILINE,
    )
    return [
        file
        for file in sorted((tool / "tests").rglob("test_*.py"))
        if file.stem == f"test_{name}" or imports.search(file.read_text(encoding="utf-8"))
    ]


def failing(tool: Path, tests: list[str]) -> str:
    """Return the first test that fails; "" if none does."""
    python = tool.parent / ".venv" / Path(sys.executable).relative_to(sys.prefix)
    command = [str(python), "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            cwd=tool,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "no end"
    match = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    return match[1] if match else "" if done.returncode in (0, 5) else f"exit code {done.returncode}"


def tried(tool: Path, module: Path, fault: Fault, tests: list[Path]) -> str:
    """Make a fault, run the tests, take it back, and return what came of it."""
    source = module.read_text(encoding="utf-8")
    names = [str(file.relative_to(tool)) for file in tests]
    module.write_text(fault.made_in(source), encoding="utf-8")
    try:
        test = failing(tool, names)
    finally:
        module.write_text(source, encoding="utf-8")
    if not test:
        return f"NOT CAUGHT by {', '.join(names)}"
    if "::" in test and failing(tool, [test]):
        return f"unclear: {test} fails without the fault, too"
    return f"caught by {test}"


def copied(folder: Path) -> Path:
    """Copy the tool into a folder on the checkout's disk, with the environment in which it is installed."""
    # The environment names the tool by its place beside it, as start.py has it.
    shutil.copytree(sys.prefix, folder / ".venv", symlinks=True, copy_function=os.link)
    return Path(shutil.copytree(ROOT / "autograder", folder / "autograder"))


def main() -> None:
    """Draw faults, and print what the tests say of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="a part of the modules' paths")
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    with tempfile.TemporaryDirectory(prefix="mutation-", dir=ROOT.parent) as folder:
        tool = copied(Path(folder))
        modules = [
            module
            for module in sorted((tool / "src").rglob(f"*{chosen.only}*/*.py"))
            if "template" not in module.parts and tests_of(tool, module)
        ]
        kinds = ["swap a comparison", "drop a not", "count one more", "return None", "delete a statement"]
        number = 0
        while number < chosen.faults:
            module = chance.choice(modules)
            source = module.read_text(encoding="utf-8")
            possible = [fault for fault in faults(source) if fault.kind == kinds[number % len(kinds)]]
            if not possible:
                continue
            number += 1
            fault = chance.choice(possible)
            where = f"{module.relative_to(tool / 'src')}:{fault.node.lineno}"
            code = " ".join(ast.unparse(fault.node).split())[:70]
            outcome = tried(tool, module, fault, tests_of(tool, module))
            print(f"{number}. {fault.kind}: {where}: `{code}`: {outcome}", flush=True)


if __name__ == "__main__":
    main()
