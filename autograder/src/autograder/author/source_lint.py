"""Find the problems in a lesson's source that can be found without running it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator

from autograder.author.authoring import Lesson
from autograder.author.parse_source import predictions
from autograder.author.percent_format import raw_cells
from autograder.author.preprocessors import solution_region
from autograder.experiments.properties import PROPERTIES
from autograder.experiments.registry import EXPERIMENTS
from autograder.probe.forbidden_calls import family_of
from autograder.records.bank import RESULT, Task, axis_parts
from autograder.records.cell_roles import is_answer, is_test
from autograder.records.operator_families import Family
from autograder.records.parse_cells import parsed
from autograder.words.phrases import AXES

ID_FORM = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
BAD_ID = "an id is lower-case words joined by hyphens"
NBGRADER_KEYS = {"cell_type", "grade", "grade_id", "locked", "schema_version", "solution", "task"}
PICTURE_WITHOUT_ALT = re.compile(r"!\[\s*\]\(")
IMG_TAG = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
READY_MADE = re.compile(r"`(\w[\w.]*\.\w+)`")
SCHEME_LINE = re.compile(r"^- (\d+) points?:", re.MULTILINE)
# Of a cell that reveals, a first line with the texts that may come.
TELLS = re.compile(r"""reveal\("[^"]*",.*["']""")
# Habits of translated English: what is not written in a lesson's prose, and what a native writes instead.
HABITS = {
    r"(?<!left |stay |lags )(?<!leave |stays |thing )(?<!far )(?<!seconds )\b[Bb]ehind\b": "after, next to",
    r"\balso (?:when|where|if)\b": "even when, even if",
    r"\b[Ww]hich (?:shapes?|sizes?) (?:has|have)\b": "what is the shape of",
    r"\bstands?\b(?! (?:for|out)\b)": "is",
    r"\bholds(?= (?:for|of|only|with|even|when|if|too|also)\b|[.,;:])": "is true, applies",
    r"\b(?:is|are) paid with\b": "you pay for",
    r"\ball the same\b": "nevertheless, still",
    r"\bfalls? on\b": "applies to",
    r"\b[Ww]hat is to be\b": "what should be",
    r"\bMind (?:that|the|who|what|four)\b": "watch out for",
    r"\bcosts? the points\b": "you would lose the points",
    r"\b[Pp]ositions (?:that )?count on\b": "keep counting",
}
ALT_TEXT = re.compile(r"""\balt\s*=\s*(["'])\s*[^"'\s]""", re.IGNORECASE)


def lint(
    text: str,
    notebook: NotebookNode,
    lesson: Lesson,
    families: tuple[Family, ...] = (),
    entries: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Return the problems in a lesson's source, each with its cell and its reason.

    Args:
        text: the lesson's source.
        notebook: the same source as a notebook.
        lesson: the definitions in the lesson's `tasks.py`.
        families: the groups of calls that the course's tasks can forbid.
        entries: the word for one entry along each axis of the course, by axis.
    """
    task_ids = [task.id for task in lesson.tasks]
    return [
        *_raw_problems(text),
        *_id_problems(notebook),
        *_metadata_problems(notebook),
        *_task_problems(notebook, lesson),
        *_written_problems(notebook),
        *_faulty_problems(notebook),
        *_alt_problems(notebook),
        *_habit_problems(notebook),
        *_prediction_problems(notebook),
        *(
            f"task {task.id}: {problem}"
            for task in lesson.tasks
            for problem in (
                *_authoring_problems(task, task_ids[: task_ids.index(task.id)]),
                *_axis_problems(task, entries),
                *_forbidden_problems(task, notebook, families),
                *_demand_problems(task, notebook),
            )
        ),
    ]


def _name(cell: NotebookNode) -> str:
    if cell["id"]:
        return f"cell {cell['id']}"
    first = cell.source.strip().splitlines()[:1]
    return f"the cell that begins {first[0][:50]!r}" if first else "an empty cell"


def _raw_problems(text: str) -> Iterator[str]:
    for cell in raw_cells(text):
        if cell.is_prose:
            for number, line in enumerate(cell.body, start=cell.line + 1):
                if line.strip() and not line.startswith("#"):
                    begins = repr(line.strip()[:50])
                    yield f"line {number}: code inside a prose cell ({begins}); is a '# %%' missing?"
                    break
        elif cell.body and all(not line.strip() or line.startswith("#") for line in cell.body):
            yield f"line {cell.line}: a code cell that holds only comments; is '[markdown]' missing?"


def _id_problems(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if not cell["id"]:
            yield f"{_name(cell)}: has no id"
    for name, count in Counter(cell["id"] for cell in notebook.cells if cell["id"]).items():
        if count > 1:
            yield f"cell {name}: this id stands on {count} cells"
        if not ID_FORM.match(name):
            yield f"cell {name}: {BAD_ID}"


def _metadata_problems(notebook: NotebookNode) -> Iterator[str]:
    validator = MetadataValidator()
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader")
        if marks is None:
            if "BEGIN SOLUTION" in cell.source:
                yield f"{_name(cell)}: holds a solution but is not marked as an answer cell"
            continue
        missing = sorted(NBGRADER_KEYS - set(marks))
        if marks.get("grade") and "points" not in marks:
            missing.append("points")
        if missing:
            yield f"{_name(cell)}: nbgrader metadata lacks {', '.join(missing)}"
            continue
        if marks["cell_type"] != cell.cell_type:
            yield f"{_name(cell)}: is {cell.cell_type} but its metadata says {marks['cell_type']}"
        if marks["grade_id"] != cell["id"]:
            yield f"{_name(cell)}: its grade_id is {marks['grade_id']!r}"
        try:
            validator.validate_cell(cell)
        except Exception as problem:  # nbgrader's schema errors share no base class
            yield f"{_name(cell)}: nbgrader refuses its metadata: {getattr(problem, 'message', problem)}"


def _task_problems(notebook: NotebookNode, lesson: Lesson) -> Iterator[str]:
    tasks = {task.id: task for task in lesson.tasks}
    for name, count in Counter(task.id for task in lesson.tasks).items():
        if count > 1:
            yield f"task {name}: defined {count} times in tasks.py"
    ids = [cell["id"] for cell in notebook.cells]
    tests = {cell["id"]: cell for cell in notebook.cells if is_test(cell)}
    answers = {cell["id"]: cell for cell in notebook.cells if is_answer(cell) and cell.cell_type == "code"}
    for name, cell in tests.items():
        if name not in tasks:
            yield f"cell {name}: tests a task that tasks.py does not know"
            continue
        points = cell.metadata.nbgrader.get("points")
        if points != tasks[name].points:
            yield f"cell {name}: has points={points}; the checks in tasks.py add up to {tasks[name].points}"
        if _checked_task(cell.source) != name:
            yield f'cell {name}: a test cell is check("{name}") and nothing else'
    for name in tasks:
        if name not in tests:
            yield f"task {name}: has no test cell"
        if f"{name}-answer" not in answers:
            yield f"task {name}: has no answer cell {name}-answer"
        elif name in ids and ids.index(f"{name}-answer") > ids.index(name):
            yield f"task {name}: its answer cell comes after its test"
    for name in answers:
        if name.removesuffix("-answer") not in tasks:
            yield f"cell {name}: is an answer cell of no task"


def _written_problems(notebook: NotebookNode) -> Iterator[str]:
    """Questions that a person grades need a marking scheme whose points add up to the cell's."""
    for cell in notebook.cells:
        if cell.cell_type != "markdown" or not is_answer(cell):
            continue
        scheme = "\n".join(solution_region(cell.source))
        added = sum(int(number) for number in SCHEME_LINE.findall(scheme))
        points = cell.metadata.nbgrader.get("points")
        if added != points:
            yield (
                f"{_name(cell)}: has points={points}; "
                f"the '- n points:' lines of its marking scheme add up to {added}"
            )


def _faulty_problems(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        marks = re.findall(r"### (BEGIN|END) FAULTY", cell.source)
        if not marks:
            continue
        if marks != ["BEGIN", "END"]:
            yield f"{_name(cell)}: BEGIN FAULTY and END FAULTY do not pair"
            continue
        before, _, rest = cell.source.partition("### BEGIN FAULTY")
        faulty = rest.partition("### END FAULTY")[0]
        if "END SOLUTION" not in before:
            yield f"{_name(cell)}: its faulty code must stand after its solution"
        if any(line.strip() and not line.lstrip().startswith("#") for line in faulty.splitlines()):
            yield f"{_name(cell)}: every line of its faulty code is a comment in the source"


def _checked_task(source: str) -> str | None:
    """Return the task id in a cell that is exactly `check("…")`."""
    match parsed(source).body:
        case [
            ast.Expr(ast.Call(func=ast.Name(id="check"), args=[ast.Constant(value=str(name))], keywords=[]))
        ]:
            return name
    return None


def _alt_problems(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            if PICTURE_WITHOUT_ALT.search(cell.source):
                yield f"{_name(cell)}: a picture without alt text"
            for _ in images_without_alt(cell.source):
                yield f"{_name(cell)}: an <img> without alt text"


def _habit_problems(notebook: NotebookNode) -> Iterator[str]:
    """Yield each turn of phrase in prose or in a prediction that a native would not write."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            prose = _one_line(re.sub(r"`[^`]*`|\$[^$]*\$", "", cell.source))
        else:
            asked = (node for node in ast.walk(parsed(cell.source)) if isinstance(node, ast.Call))
            prose = " ".join(
                constant.value
                for call in asked
                if isinstance(call.func, ast.Name) and call.func.id == "predict"
                for constant in ast.walk(call)
                if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
            )
        for habit, instead in HABITS.items():
            for hit in re.finditer(habit, prose):
                yield f"{_name(cell)}: {hit.group()!r} is not how a native says it; for example: {instead}"


def images_without_alt(text: str) -> list[str]:
    """Return the <img> tags in HTML or Markdown that have no alternative text."""
    return [tag for tag in IMG_TAG.findall(text) if not ALT_TEXT.search(tag)]


def _prediction_problems(notebook: NotebookNode) -> Iterator[str]:
    """Each prediction is asked for once, and its outcome is shown once, not to be read before."""
    predicted, shown = predictions(notebook), predictions(notebook, "reveal")
    for name in predicted:
        if not ID_FORM.match(name):
            yield f"prediction {name}: {BAD_ID}"
    for name in dict.fromkeys([*predicted, *shown]):
        times = predicted.count(name), shown.count(name)
        if times != (1, 1):
            yield f"prediction {name}: asked for {times[0]} times, its outcome shown {times[1]} times"
    for cell in notebook.cells:
        if cell.cell_type == "code" and TELLS.match(cell.source):
            yield f"{_name(cell)}: JupyterLab shows a folded cell's first line: end it after `reveal(`"


def _authoring_problems(task: Task, earlier: Collection[str]) -> Iterator[str]:
    if not ID_FORM.match(task.id):
        yield BAD_ID
    faults = {wrong.fault for wrong in task.wrong}
    if len(faults) < 2:
        yield f"needs wrong answers with at least two faults, has {len(faults)}"
    for rule in task.properties:
        if rule not in PROPERTIES:
            yield f"there is no property {rule}"
    if not task.hints:
        yield "has no hints"
    yield from _twice("right answers", [answer.id for answer in (*task.right, *task.caught)])
    yield from _twice("probes", [probe.id for probe in task.probes])
    checked = [probe for check in task.checks for probe in check.probes]
    if task.kind == "tensor":
        if task.probes or checked:
            yield "a tensor's probes are the lesson's givens; name none"
        if len(task.checks) != 1:
            yield "a tensor task has exactly one check"
    else:
        for name in checked:
            if name not in task.probe:
                yield f"check names the unknown probe {name}"
        for name in sorted(set(task.probe) - set(checked)):
            yield f"probe {name} is in no check"
        yield from _probe_problems(task)
    for name in task.needs:
        if name not in earlier:
            yield f"needs {name}, which is no earlier task"


def _axis_problems(task: Task, entries: Mapping[str, str]) -> Iterator[str]:
    """Yield the axes and roles for which nobody says what one entry along them is called."""
    named = dict.fromkeys(
        part for axes in (task.axes, *task.input_axes.values()) for axis in axes for part in axis_parts(axis)
    )
    for name in named:
        if name and name not in entries and name not in AXES:
            yield f"course.toml does not say under `entries` what one entry along the axis {name!r} is called"


def _demand_problems(task: Task, notebook: NotebookNode) -> Iterator[str]:
    """Each demand stands in the statement, and has a wrong answer of its own that breaks it."""
    text = _one_line(statement(task, notebook))
    breaking = {*(wrong.fault for wrong in task.wrong), *(answer.id for answer in task.caught)}
    for demand, wrong in task.demands.items():
        if text and _one_line(demand) not in text:  # no answer cell is said elsewhere
            yield f"its statement does not demand {demand!r}"
        if wrong not in breaking:
            yield f"no wrong answer breaks the demand {demand!r}: it has no {wrong}"
    for wrong, count in Counter(task.demands.values()).items():
        if count > 1:
            yield f"{count} demands are broken by {wrong}: each needs a wrong answer that breaks only it"


def statement(task: Task, notebook: NotebookNode) -> str:
    """Return a task's statement: the text between the last test and the answer, and its docstrings."""
    prose: list[str] = []
    for cell in notebook.cells:
        if is_test(cell):
            prose = []
        elif cell.cell_type == "markdown":
            prose.append(cell.source)
        elif cell["id"] == f"{task.id}-answer":
            defined = (ast.Module, ast.ClassDef, ast.FunctionDef)
            nodes = [node for node in ast.walk(parsed(cell.source)) if isinstance(node, defined)]
            return " ".join([*prose, *(ast.get_docstring(node) or "" for node in nodes)])
    return ""


def _one_line(text: str) -> str:
    """Return a text on one line, without the marks of Markdown."""
    return " ".join(re.sub(r"[*`$]", "", text).split())


def _twice(what: str, names: Sequence[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"two {what} are called {name}"


def _probe_problems(task: Task) -> Iterator[str]:
    for probe in task.probes:
        if probe.observe in EXPERIMENTS:
            if problem := EXPERIMENTS[probe.observe].problem(probe.settings):
                yield f"probe {probe.id} {problem}"
        elif probe.observe != RESULT:
            yield f"probe {probe.id} names the unknown experiment {probe.observe}"
    plain = {probe.id for probe in task.probes if probe.observe == RESULT and not probe.raises}
    for check in task.checks:
        if set(task.probe) >= set(check.probes) and not plain & set(check.probes):
            yield f"the check {check.title!r} earns points by experiments alone, whose outcome can be guessed"


def _forbidden_problems(task: Task, notebook: NotebookNode, families: tuple[Family, ...]) -> Iterator[str]:
    forbids = task.forbids
    if forbids is None:
        return
    by_name = {family.name: family for family in families}
    unknown = [name for name in forbids.families if name not in by_name]
    for name in unknown:
        yield f"forbids {name}, which course.toml does not describe"
    if not forbids.families:
        yield "forbids nothing"
    if task.kind == "tensor":
        yield "forbids a call, and how a tensor was made cannot be seen"
    if not 1 <= forbids.points <= task.points:
        yield f"a forbidden call costs {forbids.points}, and the whole task is worth {task.points}"
    if not forbids.caught:
        yield "needs an answer that is caught with what it forbids"
    if not unknown:
        yield from _forbidden_text_problems(task, notebook, tuple(by_name[name] for name in forbids.families))


def _forbidden_text_problems(
    task: Task, notebook: NotebookNode, families: tuple[Family, ...]
) -> Iterator[str]:
    """Make sure that the text says what is forbidden, and that nothing given does it for the learner."""
    text = ""
    provided: list[NotebookNode] = []
    for cell in notebook.cells:
        if cell["id"] == f"{task.id}-answer":
            break
        if cell.cell_type == "markdown":
            text = cell.source
        elif not is_answer(cell):
            provided.append(cell)
    # Written as it is called: `torch.softmax`, not the name of what is to be written.
    called = [name.rpartition(".")[2] for name in READY_MADE.findall(text)]
    for family in families:
        if not any(family_of(name, (family,)) for name in called):
            yield f"the text before its answer cell names no {family.name} that must not be called"
    for cell in provided:
        for definition in parsed(cell.source).body:
            used = _forbidden_name(definition, families)
            if used and isinstance(definition, ast.FunctionDef | ast.ClassDef):
                yield f"forbids {used}, and {_name(cell)} gives learners `{definition.name}`, which uses it"


def _forbidden_name(definition: ast.AST, families: tuple[Family, ...]) -> str:
    """Return the first name of some families that a function or class uses of torch's."""
    names = (ast.unparse(node) for node in ast.walk(definition) if isinstance(node, ast.Attribute))
    return next((name for name in names if family_of(name.rpartition(".")[2], families)), "")
