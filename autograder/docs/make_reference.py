"""Write `reference.md`, what tasks and mistakes can say and a course can add, from the classes themselves.

`python docs/make_reference.py` writes it; `--check` changes nothing, and fails where the file is stale. What
a field means is said once: in the comment behind it, or else above it. A comment above a field that has one
behind it too stands over the fields below.
"""

from __future__ import annotations

import ast
import inspect
import io
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.author import answer_edits
from autograder.author.answer_edits import Right, Wrong
from autograder.author.authoring import Fault, Lesson, OnResult
from autograder.classroom.csv_tables import Lists
from autograder.classroom.platforms.protocol import Guess, HandedFile, Platform
from autograder.experiments import registry
from autograder.experiments.base import Experiment, Subject
from autograder.experiments.properties import Property
from autograder.records.bank import Check, Forbid, Made, Probe, Specimen, Task

FILE = Path(__file__).with_name("reference.md")
CLASSES = (Lesson, Task, Probe, Check, Wrong, Right, Forbid, Made, Specimen, Fault, OnResult)
ADDED = (Experiment, Subject, Property, Platform, HandedFile, Guess, Lists)
# Fields below this heading are nobody's to write.
BUILT = "What the build puts there."
HEAD = """\
# What `tasks.py` and `faults.py` can say

Made by `docs/make_reference.py` from the classes that `autograder.author.authoring` offers: their docstrings,
and the comments beside their fields. What is put there by the build is nobody's to write.
"""
ADDING = """\
## What a course can add

A course adds experiments, properties, specimens and learning platforms without a change in the tool. Its
`course.toml` names the files that define them:

```toml
[adds]
experiments = "source/experiments.py"
platforms = "source/platforms.py"
```

The first file may define

- `EXPERIMENTS`, a tuple of `Experiment`: a task asks for one by `Probe(…, observe="name")`;
- `PROPERTIES`, a tuple of `Property`: `properties=("name",)`;
- `SPECIMENS`, what makes each, by name: `Specimen("name", {…})`, with whose settings the maker is called;
- `SAYS`, in the course's own words what the tool's experiments and properties show, by name and then by case:

```python
SAYS = {"causal": {"": N_("{place} is {obtained}{where}: {own} gives weight to {later}.")}}
```

It runs beside a learner's code, in their notebook and in the sandbox, so students get it. What it says goes
through `N_`, and its translations come into `faults.po`.

The second defines `PLATFORMS`, a tuple of `Platform`. It stays with the instructor. `collect` and `roster`
know the platform then; `return` and `export` take `--platform NAME`. `tests/test_seams.py` adds one of each.
"""


def fields(cls: type) -> Iterator[tuple[str, str, str, str]]:
    """Yield each field of a class that authors write: its name, type, default and meaning.

    Raises:
        ValueError: nothing is said of a field.
    """
    source = inspect.getsource(cls)
    lines = source.splitlines()
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.ClassDef)
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    for node in tree.body:
        if not isinstance(node, ast.AnnAssign) or ast.unparse(node.target) == "_":
            continue
        assert node.end_lineno
        behind = [comments[line] for line in range(node.lineno, node.end_lineno + 1) if line in comments]
        first = node.lineno
        while lines[first - 2].lstrip().startswith("#"):
            first -= 1
        above = [comments[line] for line in range(first, node.lineno)]
        if behind and above == [BUILT]:
            return
        name, says = ast.unparse(node.target), " ".join(behind or above)
        if not says:
            raise ValueError(f"{cls.__name__}.{name}: nothing says what it is")
        yield name, f"`{ast.unparse(node.annotation)}`", default(node.value), says


def default(value: ast.expr | None) -> str:
    """Return what a field is where nobody says it, as it would be written."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        given = {word.arg: ast.unparse(word.value) for word in value.keywords}
        factory = given.get("default_factory", "")
        text = {"": given.get("default", ""), "dict": "{}"}.get(factory, f"{factory}()")
    else:
        text = ast.unparse(value) if value else ""
    return f"`{text}`" if text else "must be given"


def summary(text: str | None) -> str:
    """Return a docstring's first paragraph on one line."""
    return " ".join(inspect.cleandoc(text or "").partition("\n\n")[0].split())


def table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table of Markdown."""
    body = [titles, tuple("---" for _ in titles), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in body)


def described(cls: type, level: str) -> list[str]:
    """Return the parts of the text on one class: its heading, what it is, and its fields."""
    rows = ((f"`{name}`", *more) for name, *more in fields(cls))
    titles = ("field", "type", "default", "what it is")
    return [f"{level} `{cls.__name__}`", summary(cls.__doc__), table(titles, rows)]


def reference() -> str:
    """Return the whole text."""
    parts = [HEAD]
    for cls in CLASSES:
        parts += described(cls, "##")
    notation = inspect.cleandoc(answer_edits.__doc__ or "")
    parts += ["## The table that `wrongs` and `rights` read", f"```text\n{notation}\n```"]
    runs = {name: sys.modules[one.run.__module__] for name, one in registry.EXPERIMENTS.items()}
    rules = {name: one.broken for name, one in registry.PROPERTIES.items()}
    for title, things in (("probe can `observe`", runs), ("task's `properties` can name", rules)):
        rows = ((f"`{name}`", summary(thing.__doc__)) for name, thing in things.items())
        parts += [f"## What a {title}", table(("name", "what is seen"), rows)]
    parts.append(ADDING)
    for cls in ADDED:
        parts += described(cls, "###")
    return "\n\n".join(part.strip() for part in parts) + "\n"


def main(words: list[str]) -> int:
    """Write the file, or with `--check` say whether it is stale."""
    text = reference()
    if words != ["--check"]:
        FILE.write_text(text, encoding="utf-8")
    elif not FILE.is_file() or FILE.read_text(encoding="utf-8") != text:
        print(f"{FILE.name} is stale: run {Path(__file__).name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
