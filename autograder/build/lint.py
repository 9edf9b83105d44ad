"""Everything about a lesson's source that can be refused without running it."""

from __future__ import annotations

import ast
import re
from collections import Counter

from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator, ValidationError

from autograder.authoring import Lesson, Task
from autograder.bank import RESULT
from autograder.build.preprocessors import solution_region
from autograder.build.source import predictions, raw_cells
from autograder.cells import is_answer, is_test
from autograder.course import Family
from autograder.experiments import EXPERIMENTS
from autograder.forbidden import family_of
from autograder.properties import RULES
from autograder.reading import parsed

ID_FORM = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
NBGRADER_KEYS = {"cell_type", "grade", "grade_id", "locked", "schema_version", "solution", "task"}
PICTURE_WITHOUT_ALT = re.compile(r"!\[\s*\]\(")
IMG_TAG = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
READY_MADE = re.compile(r"`(\w[\w.]*\.\w+)`")
SCHEME_LINE = re.compile(r"^- (\d+) points?:", re.MULTILINE)
ALT_TEXT = re.compile(r"""\balt\s*=\s*(["'])\s*[^"'\s]""", re.IGNORECASE)


def lint(text: str, notebook: NotebookNode, lesson: Lesson, families: tuple[Family, ...] = ()) -> list[str]:
    """Every problem in a lesson's source, each naming the cell and the reason.

    Args:
        text: the source.
        notebook: the same, as a notebook.
        lesson: its tasks.
        families: what the course's tasks can forbid.
    """
    return [
        *_raw_problems(text),
        *_id_problems(notebook),
        *_metadata_problems(notebook),
        *_task_problems(notebook, lesson),
        *_written_problems(notebook),
        *_faulty_problems(notebook),
        *_alt_problems(notebook),
        *_prediction_problems(notebook),
        *_authoring_problems(lesson),
        *_forbidden_problems(notebook, lesson, families),
    ]


def _name(cell: NotebookNode) -> str:
    if cell["id"]:
        return f"cell {cell['id']}"
    first = cell.source.strip().splitlines()[:1]
    return f"the cell that begins {first[0][:50]!r}" if first else "an empty cell"


def _raw_problems(text: str) -> list[str]:
    problems = []
    for cell in raw_cells(text):
        if cell.is_prose:
            inside = [
                (cell.line + offset, line)
                for offset, line in enumerate(cell.body, start=1)
                if line.strip() and not line.startswith("#")
            ]
            if inside:
                number, line = inside[0]
                problems.append(
                    f"line {number}: code inside a prose cell ({line.strip()[:50]!r}); is a '# %%' missing?"
                )
        elif cell.body and all(not line.strip() or line.startswith("#") for line in cell.body):
            problems.append(
                f"line {cell.line}: a code cell that holds only comments; is '[markdown]' missing?"
            )
    return problems


def _id_problems(notebook: NotebookNode) -> list[str]:
    problems = [f"{_name(cell)}: has no id" for cell in notebook.cells if not cell["id"]]
    counts = Counter(cell["id"] for cell in notebook.cells if cell["id"])
    problems += [
        f"cell {name}: this id stands on {count} cells" for name, count in counts.items() if count > 1
    ]
    problems += [
        f"cell {name}: an id is lower-case words joined by hyphens"
        for name in counts
        if not ID_FORM.match(name)
    ]
    return problems


def _metadata_problems(notebook: NotebookNode) -> list[str]:
    problems = []
    validator = MetadataValidator()
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader")
        if marks is None:
            if "BEGIN SOLUTION" in cell.source:
                problems.append(f"{_name(cell)}: holds a solution but is not marked as an answer cell")
            continue
        missing = sorted(NBGRADER_KEYS - set(marks))
        if marks.get("grade") and "points" not in marks:
            missing.append("points")
        if missing:
            problems.append(f"{_name(cell)}: nbgrader metadata lacks {', '.join(missing)}")
            continue
        if marks["cell_type"] != cell.cell_type:
            problems.append(f"{_name(cell)}: is {cell.cell_type} but its metadata says {marks['cell_type']}")
        if marks["grade_id"] != cell["id"]:
            problems.append(f"{_name(cell)}: its grade_id is {marks['grade_id']!r}")
        try:
            validator.validate_cell(cell)
        except ValidationError as problem:
            problems.append(f"{_name(cell)}: nbgrader refuses its metadata: {problem.message}")
        except Exception as problem:  # nbgrader's schema errors share no base class
            problems.append(f"{_name(cell)}: nbgrader refuses its metadata: {problem}")
    return problems


def _task_problems(notebook: NotebookNode, lesson: Lesson) -> list[str]:
    problems = []
    tasks = {task.id: task for task in lesson.tasks}
    counts = Counter(task.id for task in lesson.tasks)
    problems += [
        f"task {name}: defined {count} times in tasks.py" for name, count in counts.items() if count > 1
    ]
    ids = [cell["id"] for cell in notebook.cells]
    tests = {cell["id"]: cell for cell in notebook.cells if is_test(cell)}
    answers = {cell["id"]: cell for cell in notebook.cells if is_answer(cell) and cell.cell_type == "code"}
    for name, cell in tests.items():
        if name not in tasks:
            problems.append(f"cell {name}: tests a task that tasks.py does not know")
            continue
        if cell.metadata.nbgrader.get("points") != tasks[name].points:
            problems.append(
                f"cell {name}: gives {cell.metadata.nbgrader.get('points')} points; "
                f"the checks in tasks.py add up to {tasks[name].points}"
            )
        if _checked_task(cell.source) != name:
            problems.append(f'cell {name}: a test cell is check("{name}") and nothing else')
    for name in tasks:
        if name not in tests:
            problems.append(f"task {name}: has no test cell")
        if f"{name}-answer" not in answers:
            problems.append(f"task {name}: has no answer cell {name}-answer")
        elif name in ids and ids.index(f"{name}-answer") > ids.index(name):
            problems.append(f"task {name}: its answer cell comes after its test")
    problems += [
        f"cell {name}: is an answer cell of no task"
        for name in answers
        if name.removesuffix("-answer") not in tasks
    ]
    return problems


def _written_problems(notebook: NotebookNode) -> list[str]:
    """Questions that a person grades need a marking scheme whose points add up to the cell's."""
    problems = []
    for cell in notebook.cells:
        if cell.cell_type != "markdown" or not is_answer(cell):
            continue
        scheme = "\n".join(solution_region(cell.source))
        points = sum(int(number) for number in SCHEME_LINE.findall(scheme))
        if points != cell.metadata.nbgrader.get("points"):
            problems.append(
                f"{_name(cell)}: gives {cell.metadata.nbgrader.get('points')} points; "
                f"the '- n points:' lines of its marking scheme add up to {points}"
            )
    return problems


def _faulty_problems(notebook: NotebookNode) -> list[str]:
    problems = []
    for cell in notebook.cells:
        marks = re.findall(r"### (BEGIN|END) FAULTY", cell.source)
        if not marks:
            continue
        if marks != ["BEGIN", "END"]:
            problems.append(f"{_name(cell)}: BEGIN FAULTY and END FAULTY do not pair")
            continue
        before, _, rest = cell.source.partition("### BEGIN FAULTY")
        faulty = rest.partition("### END FAULTY")[0]
        if "END SOLUTION" not in before:
            problems.append(f"{_name(cell)}: its faulty code must stand after its solution")
        if any(line.strip() and not line.lstrip().startswith("#") for line in faulty.splitlines()):
            problems.append(f"{_name(cell)}: every line of its faulty code is a comment in the source")
    return problems


def _checked_task(source: str) -> str | None:
    """Return the task id in a cell that is exactly `check("…")`."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    match body:
        case [
            ast.Expr(ast.Call(func=ast.Name(id="check"), args=[ast.Constant(value=str(name))], keywords=[]))
        ]:
            return name
    return None


def _alt_problems(notebook: NotebookNode) -> list[str]:
    problems = []
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        if PICTURE_WITHOUT_ALT.search(cell.source):
            problems.append(f"{_name(cell)}: a picture without alt text")
        problems += [f"{_name(cell)}: an <img> without alt text" for _ in images_without_alt(cell.source)]
    return problems


def images_without_alt(text: str) -> list[str]:
    """Return the <img> tags in a piece of HTML or Markdown that say nothing to whoever cannot see them."""
    return [tag for tag in IMG_TAG.findall(text) if not ALT_TEXT.search(tag)]


def _prediction_problems(notebook: NotebookNode) -> list[str]:
    """Each prediction is asked for once, and its outcome is shown once."""
    asked, shown = predictions(notebook), predictions(notebook, "reveal")
    problems = [
        f"prediction {name}: an id is lower-case words joined by hyphens"
        for name in asked
        if not ID_FORM.match(name)
    ]
    problems += [
        f"prediction {name}: asked for {asked.count(name)} times, its outcome shown {shown.count(name)} times"
        for name in dict.fromkeys([*asked, *shown])
        if (asked.count(name), shown.count(name)) != (1, 1)
    ]
    return problems


def _authoring_problems(lesson: Lesson) -> list[str]:
    problems = []
    known = [task.id for task in lesson.tasks]
    for task in lesson.tasks:
        where = f"task {task.id}"
        if not ID_FORM.match(task.id):
            problems.append(f"{where}: an id is lower-case words joined by hyphens")
        faults = {wrong.fault for wrong in task.wrong}
        if len(faults) < 2:
            problems.append(f"{where}: needs wrong answers with at least two faults, has {len(faults)}")
        problems += [
            f"{where}: there is no property {rule.name}" for rule in task.properties if rule.name not in RULES
        ]
        if not task.hints:
            problems.append(f"{where}: has no hints")
        for name, ids in (
            ("right answer", [right.id for right in task.right]),
            ("probe", [probe.id for probe in task.probes]),
        ):
            problems += [
                f"{where}: two {name}s are called {one}" for one, count in Counter(ids).items() if count > 1
            ]
        probes = {probe.id for probe in task.probes}
        asked = [probe for check in task.checks for probe in check.probes]
        if task.kind == "tensor":
            if task.probes or asked:
                problems.append(f"{where}: a tensor's probes are the lesson's givens; name none")
            if len(task.checks) != 1:
                problems.append(f"{where}: a tensor task has exactly one check")
        else:
            problems += [
                f"{where}: check names the unknown probe {name}" for name in asked if name not in probes
            ]
            problems += [f"{where}: probe {name} is in no check" for name in sorted(probes - set(asked))]
            problems += _probe_problems(task, where)
        problems += [
            f"{where}: needs {name}, which is no earlier task"
            for name in task.needs
            if name not in known[: known.index(task.id)]
        ]
    return problems


def _forbidden_problems(notebook: NotebookNode, lesson: Lesson, families: tuple[Family, ...]) -> list[str]:
    problems = []
    known = {family.name: family for family in families}
    for task in lesson.tasks:
        forbids = task.forbids
        if forbids is None:
            continue
        where = f"task {task.id}"
        unknown = [name for name in forbids.families if name not in known]
        problems += [f"{where}: forbids {name}, which course.toml does not describe" for name in unknown]
        if not forbids.families:
            problems.append(f"{where}: forbids nothing")
        if task.kind == "tensor":
            problems.append(f"{where}: forbids a call, and how a tensor was made cannot be seen")
        if not 1 <= forbids.points <= task.points:
            problems.append(
                f"{where}: a forbidden call costs {forbids.points} points, and the task has {task.points}"
            )
        if not forbids.caught:
            problems.append(f"{where}: needs an answer that is caught with what it forbids")
        counts = Counter(answer.id for answer in (*task.right, *forbids.caught))
        problems += [f"{where}: two right answers are called {one}" for one in counts if counts[one] > 1]
        if forbids.families and not unknown:
            problems += _forbidden_text_problems(
                notebook, task, tuple(known[name] for name in forbids.families)
            )
    return problems


def _forbidden_text_problems(notebook: NotebookNode, task: Task, families: tuple[Family, ...]) -> list[str]:
    """Make sure that the text says what is forbidden, and that nothing given does it for the learner."""
    text = ""
    given: list[NotebookNode] = []
    for cell in notebook.cells:
        if cell["id"] == f"{task.id}-answer":
            break
        if cell.cell_type == "markdown":
            text = cell.source
        elif not is_answer(cell):
            given.append(cell)
    # Written as it is called: `torch.softmax`, not the name of what is to be written.
    said = [name.rpartition(".")[2] for name in READY_MADE.findall(text)]
    problems = [
        f"task {task.id}: the text before its answer cell names no {family.name} that must not be called"
        for family in families
        if not any(family_of(name, (family,)) for name in said)
    ]
    return problems + [
        f"{_name(cell)}: gives learners `{made.name}`, which uses {used}; task {task.id} forbids them that"
        for cell in given
        for made in parsed(cell.source).body
        if isinstance(made, ast.FunctionDef | ast.ClassDef)
        for used in [_forbidden_name(made, families)]
        if used
    ]


def _forbidden_name(made: ast.AST, families: tuple[Family, ...]) -> str:
    """Return the first name of some families that a function or class uses of torch's."""
    names = (ast.unparse(node) for node in ast.walk(made) if isinstance(node, ast.Attribute))
    return next((name for name in names if family_of(name.rpartition(".")[2], families)), "")


def _probe_problems(task: Task, where: str) -> list[str]:
    problems = [
        f"{where}: probe {probe.id} names the unknown experiment {probe.observe}"
        for probe in task.probes
        if probe.observe not in (RESULT, *EXPERIMENTS)
    ]
    problems += [
        f"{where}: probe {probe.id} {problem}"
        for probe in task.probes
        if probe.observe in EXPERIMENTS and (problem := EXPERIMENTS[probe.observe].problem(probe.settings))
    ]
    plain = {probe.id for probe in task.probes if probe.observe == RESULT and not probe.raises}
    problems += [
        f"{where}: the check {check.title!r} earns points by experiments alone, whose outcome can be guessed"
        for check in task.checks
        if {probe.id for probe in task.probes} >= set(check.probes) and not plain & set(check.probes)
    ]
    return problems
