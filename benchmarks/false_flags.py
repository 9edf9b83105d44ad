"""How often honest code is shown to a person because it could hide a forbidden call.

    python -m benchmarks.false_flags draw LIST --seed N [--but LIST …] --clones FOLDER
    python -m benchmarks.false_flags rate LIST [LIST …] --clones FOLDER [--show]

A list names 1,000 answers by where they are: 500 of strangers, from `benchmarks/blind`, and 500 classes and
functions of public repositories at a commit, each with the imports that it uses. `draw` chooses them at
random and never asks the rule about one, so that a list can be committed before the rule is written. `rate`
says how many of them the rule flags, with Wilson's interval; only what it flags is ever shown, with `--show`.

Public code counts as an answer if it mentions attention or a part of it, has the length of an answer, and
needs nothing but Python's own library, torch, NumPy and einops: what needs more does not run in the sandbox.
Repositories are cloned into the folder where they are missing.

The rule changed after each of `first.txt` to `fourth.txt`, and what it flagged in them was
looked at. `fifth.txt` was committed before the rule as it is was run on it: 0 of 500 strangers' answers and
11 of 500 of public code are flagged, of which eight use another compiler (`torch.fx`, `torch.jit`,
`torch.compile`, `torch._dynamo`, `torch._ops`). A rule that is changed again needs another list.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import hashlib
import random
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from autograder.grading.evasion_lint import hiding
from rich.console import Console

from benchmarks.blind_answers import FOLDER, interval
from benchmarks.held_out import ROOT

GIT = shutil.which("git") or "git"
EACH = 500
LIST_FOLDER = ROOT / "benchmarks" / "honest"
TOPIC = re.compile(
    r"attention|attn|softmax|dropout|rotary|positional|causal|layer_?norm|kv_cache|embedding", re.I
)
SHORTEST, LONGEST = 200, 8_000  # characters
NEEDS = sys.stdlib_module_names | {"torch", "numpy", "einops"}
# Of one repository, at most so many: none is to decide the figure.
MOST_OF_ONE = 100


def _git(clone: Path, *command: str) -> str:
    done = subprocess.run([GIT, "-C", clone, *command], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def _clone(repository: str, clones: Path) -> Path:
    clone = clones / f"{repository.replace('/', '+')}.git"
    if not clone.exists():
        url = f"https://github.com/{repository}"
        subprocess.run([GIT, "clone", "--quiet", "--bare", url, clone], check=True)
    return clone


def _units(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each class and function of a module that could be an answer."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    imports: dict[str, tuple[str, str]] = {}  # by the name that each binds: the statement, and the module
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                imports[alias.asname or alias.name.split(".")[0]] = f"import {ast.unparse(alias)}", alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module = "." * node.level + (node.module or "")
                imports[alias.asname or alias.name] = f"from {module} import {ast.unparse(alias)}", module
    others = {
        part.id for node in tree.body for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }  # fmt: skip
    defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        code = ast.get_source_segment(text, node) or ""
        if node.decorator_list:
            code = "\n".join(f"@{ast.unparse(decorator)}" for decorator in node.decorator_list) + "\n" + code
        if not (SHORTEST <= len(code) <= LONGEST and TOPIC.search(code)):
            continue
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        needed = [imports[name] for name in sorted(used & imports.keys())]
        known = imports.keys() | defined | others | set(dir(builtins))
        local = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
        local |= {
            part.id
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        if any(module.split(".")[0] not in NEEDS for _, module in needed) or not used <= known | local:
            continue
        yield node.name, "\n".join([*dict.fromkeys(line for line, _ in needed), "", code])


def _needs_only(code: str) -> bool:
    """Tell whether an answer imports, in its functions too, nothing but what is there."""
    for node in ast.walk(ast.parse(code)):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += ["." * node.level + (node.module or "")] if isinstance(node, ast.ImportFrom) else []
        if any(module.split(".")[0] not in NEEDS for module in modules):
            return False
    return True


def _public(clones: Path) -> Iterator[str]:
    """Yield a line for each class and function of the clones that could be an answer."""
    seen: set[str] = set()
    for clone in sorted(clones.glob("*.git")):
        repository = clone.stem.replace("+", "/", 1)
        commit = _git(clone, "rev-parse", "HEAD").strip()
        for path in _git(clone, "ls-tree", "-r", "--name-only", commit).splitlines():
            if not path.endswith(".py") or "test" in path or " " in path:
                continue
            try:
                text = _git(clone, "show", f"{commit}:{path}")
            except subprocess.CalledProcessError:  # listed, and absent
                continue
            for name, code in _units(text):
                if not _needs_only(code):
                    continue
                digest = hashlib.sha256(code.encode()).hexdigest()[:12]
                if digest not in seen:
                    seen.add(digest)
                    yield f"public {repository} {commit} {path} {name} {digest}"


def _strangers() -> Iterator[str]:
    for path in sorted(FOLDER.glob("*/*.toml")):
        for number, _ in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["answer"]):
            yield f"blind {path.relative_to(FOLDER).as_posix()} {number}"


def draw(seed: int, clones: Path, but: set[str]) -> list[str]:
    """Return the lines of a list: answers drawn at random, and none that another list has."""
    chance = random.Random(seed)
    strangers = [line for line in _strangers() if line not in but]
    public = [line for line in _public(clones) if line not in but]
    chance.shuffle(public)
    taken: list[str] = []
    of_one: dict[str, int] = {}
    for line in public:
        repository = line.split()[1]
        if of_one.get(repository, 0) < MOST_OF_ONE and len(taken) < EACH:
            of_one[repository] = of_one.get(repository, 0) + 1
            taken.append(line)
    return sorted(chance.sample(strangers, EACH)) + sorted(taken)


@cache
def _answers_of(path: str) -> list[str]:
    return [answer["code"] for answer in tomllib.loads((FOLDER / path).read_text(encoding="utf-8"))["answer"]]


def code_of(line: str, clones: Path) -> str:
    """Return the text of an answer that a line of a list names.

    Raises:
        KeyError: it is not there any more, or another.
    """
    kind, *where = line.split()
    if kind == "blind":
        return _answers_of(where[0])[int(where[1])]
    repository, commit, path, name, digest = where
    for unit, code in _units(_git(_clone(repository, clones), "show", f"{commit}:{path}")):
        if unit == name and hashlib.sha256(code.encode()).hexdigest().startswith(digest):
            return code
    raise KeyError(line)


def main() -> None:
    """Draw a list, or measure the rule on some."""
    options = argparse.ArgumentParser(description="How often honest code is flagged.")
    options.add_argument("what", choices=("draw", "rate"))
    options.add_argument("lists", nargs="+", metavar="LIST")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--but", nargs="*", default=[], help="lists whose answers are not drawn again")
    options.add_argument("--clones", type=Path, required=True)
    options.add_argument("--show", action="store_true")
    asked = options.parse_args()

    def lines(names: list[str]) -> list[str]:
        return [line for name in names for line in (LIST_FOLDER / name).read_text().splitlines()]

    if asked.what == "draw":
        LIST_FOLDER.mkdir(exist_ok=True)
        text = "".join(f"{line}\n" for line in draw(asked.seed, asked.clones, set(lines(asked.but))))
        (LIST_FOLDER / asked.lists[0]).write_text(text, encoding="utf-8")
        return
    console = Console()
    for kind in ("blind", "public"):
        chosen = [line for line in lines(asked.lists) if line.startswith(kind)]
        flagged = {line: evasion for line in chosen if (evasion := hiding([code_of(line, asked.clones)]))}
        console.print(
            f"{kind}: {len(flagged)} of {len(chosen)} flagged, {interval(len(flagged), len(chosen))}"
        )
        if asked.show:
            for line, evasion in flagged.items():
                console.print(f"  {evasion.kind}: {evasion.code}    {line}", markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
