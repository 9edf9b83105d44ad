"""What the course as a whole promises, counted in its sources and its bank."""

import re
import tomllib
from collections import Counter
from pathlib import Path
from string import Formatter

import nbformat
import pytest
from autograder.author import translate
from autograder.author.authoring import load_faults, load_lesson
from autograder.author.parse_source import read_source
from autograder.author.preprocessors import faulty_code
from autograder.author.site.sphinx_extension import formula
from autograder.author.source_lint import HABITS
from autograder.experiments import registry
from autograder.lesson.missing_answers import NEEDS
from autograder.records.bank import RESULT
from autograder.records.cell_roles import headings, is_answer
from autograder.records.course import Course
from autograder.records.parse_cells import names_of
from autograder.words import plugin_words

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT)
LESSONS = COURSE.lessons
FAULTS = load_faults(ROOT / "source")
SHARED = load_faults(ROOT / "source", "no lesson").known.keys()
TASKS = [(name, task) for name in LESSONS for task in load_lesson(ROOT / "source" / name).tasks]


# Words of prose without code, formulas and tables, before the lessons were rewritten to be a fifth shorter.
# Long ones say where to stop for a day.
MOST_WORDS = {"11-fast-attention": 3500, "13-attention-today": 4200}
NO_PROSE = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|<[^>]+>|\|[^\n]*\|", re.DOTALL)


def test_every_task_lists_what_its_statement_demands():
    assert [task.id for _lesson, task in TASKS if not task.demands] == []


def test_a_mistake_that_one_lesson_knows_stands_beside_it_and_every_other_is_shared():
    users = {name: set() for name in FAULTS.known}
    for lesson, task in TASKS:
        for fault in (*(wrong.fault for wrong in task.wrong), *task.cannot):
            users[fault].add(lesson)
    general = {name for name, fault in FAULTS.known.items() if fault.parts}
    general |= {item.fault for item in FAULTS.on_results} | {
        name for some in FAULTS.together for name in some
    }
    wrong_place = {}
    for lesson in LESSONS:
        for name in load_faults(ROOT / "source", lesson).known.keys() - SHARED:
            if users[name] != {lesson}:
                wrong_place[name] = f"stands beside {lesson}, used by {users[name]}"
    wrong_place |= {name: users[name] for name in SHARED - general if len(users[name]) < 2}
    assert wrong_place == {}


def source(lesson):
    return read_source(ROOT / "source" / lesson / f"{lesson}.py")


def named(value):
    return value if isinstance(value, str) else value.id


def test_what_this_course_says_itself_names_only_what_is_filled_in():
    registry.use(COURSE)
    words = {name: item.words for name, item in {**registry.EXPERIMENTS, **registry.PROPERTIES}.items()}
    words[plugin_words.NOT_FINITE] = plugin_words.OF_NOT_FINITE
    always = {"answer", "kind", "where", "place", "obtained", "expected"}
    unknown = {
        (name, case): placeholders(says) - placeholders(words[name][case]) - always
        for name, cases in registry.SAYS.items()
        for case, says in cases.items()
    }
    assert len(unknown) > 5
    assert {case: names for case, names in unknown.items() if names} == {}


def placeholders(sentences):
    return {field for text in sentences for _, field, _, _ in Formatter().parse(text) if field is not None}


def test_there_are_at_least_forty_graded_tasks_and_no_id_twice():
    counts = Counter(task.id for _, task in TASKS)
    assert len(counts) >= 40
    assert [name for name, count in counts.items() if count > 1] == []


def test_at_least_three_questions_are_answered_in_words():
    questions = [
        cell["id"]
        for lesson in LESSONS
        for cell in source(lesson).cells
        if cell.cell_type == "markdown" and is_answer(cell)
    ]
    assert len(questions) >= 3
    assert len(set(questions)) == len(questions)


@pytest.mark.parametrize(("lesson", "task"), TASKS, ids=named)
def test_a_task_knows_the_mistakes_people_make_and_the_other_ways_to_be_right(lesson, task):
    assert len(task.wrong) >= (8 if task.kind == "module" else 5)
    assert len(task.right) >= 3


@pytest.mark.parametrize("field", ["name", "hint"])
def test_no_two_mistakes_of_the_course_are_told_alike(field):
    counts = Counter(getattr(fault, field) for fault in FAULTS.known.values())
    assert [reported for reported, count in counts.items() if count > 1] == []


def test_what_explains_a_mistake_is_a_cell_of_the_course():
    cells = {f"{lesson}#{cell['id']}" for lesson in LESSONS for cell in source(lesson).cells}
    sections = {fault.section for fault in FAULTS.known.values()} - {""}
    assert sorted(sections - cells) == []


@pytest.mark.parametrize(
    ("lesson", "task"),
    [(name, task) for name, task in TASKS if task.kind == "module" and not task.id.startswith("bug-")],
    ids=named,
)
def test_a_class_is_tried_in_double_precision_and_with_sizes_that_all_differ(lesson, task):
    probes = COURSE.load(lesson).tasks[task.id].probes
    assert any(probe.dtype == "float64" for probe in probes)
    shapes = [
        next(iter(probe.inputs.values())).shape
        for probe in probes
        if probe.observe == RESULT and probe.inputs
    ]
    assert any(len(set(shape)) == len(shape) for shape in shapes)


@pytest.mark.parametrize("lesson", LESSONS)
def test_batch_elements_are_not_copies_of_each_other_in_every_probe(lesson):
    for task in COURSE.load(lesson).tasks.values():
        batches = [
            value
            for probe in task.probes
            for value in probe.inputs.values()
            if hasattr(value, "ndim") and value.ndim >= 3 and value.shape[0] > 1 and value.is_floating_point()
        ]
        if batches:
            assert any(bool((item[0] != item[1]).any()) for item in batches), task.id


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_says_what_it_teaches_and_ends_with_recap_quiz_and_progress(lesson):
    notebook = source(lesson)
    first, last = notebook.cells[0].source, notebook.cells[-1].source
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "When you are done you can" in first
    assert re.search(r"\*\*Time:?\*\*", first)
    assert "Before you start" in first
    assert "Predict, then run" in prose
    assert "<details>" in prose
    assert last == f'progress("{lesson}")'
    assert any("explore_" in cell.source for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_is_not_too_long_to_read(lesson):
    cells = (
        cell
        for cell in source(lesson).cells
        if cell.cell_type == "markdown" and cell["id"] != "sources" and not is_answer(cell)
    )
    prose = "\n".join(cell.source for cell in cells)
    words = len(re.findall(r"[A-Za-zÀ-ÿ’'-]+", NO_PROSE.sub("", prose)))
    assert words <= MOST_WORDS.get(lesson, 3000)


# English that reads as translated, each with what to write in its place.
PLAIN = {
    r"(?<!the )(?<!their )\bst(?:and|ood)s?\b(?! for\b| side by side)": "is, is used, comes",
    r"\bst(?:and|ood)s? (?:in )?(?:the )?(?:place|stead) of\b": "is used for",
    r"\bmay (?:differ|hold|lack|leak|stand|still|move|come|keep)\b": "can",
    r"(?<!tensor )\bmay be (?!used\b|read\b|kept\b|left\b)": "can be",
    r"\b[Ww]hoever\b": "if you, to",
    r"(?:^|[,.;] |\b(?:as|what|if|where|how) )[Oo]ne (?:takes|sees|asks|puts|writes|calls)\b": "you",
    r"\bbelongs? into\b": "belongs in",
    r"\b(?:class|module|function)(?:es|s)? of lesson\b": "from lesson",
    r"(?:^|[.:] )(?:Inside|In between|Below|Above|Behind)[^.,:]* (?:stand|lie|come)s? ": "subject first",
    r"\blogarithms? of (?:a|the) shares?\b|\bshares? of the label\b": "probability",
}


@pytest.mark.parametrize("file", [*LESSONS, "faults", *COURSE.preload, translate.MESSAGES])
def test_texts_are_plain_english(file):
    output = [(item.context, item.text) for item in translate.entries(COURSE, file)]
    actual = {
        f"{context}: {match[0]}": instead
        for context, text in output
        for pattern, instead in (PLAIN | HABITS).items()
        if (match := re.search(pattern, NO_PROSE.sub("", str(text))))
    }
    assert actual == {}


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_formula_shows_a_backslash_on_the_site(lesson):
    prose = "\n".join(cell.source for cell in source(lesson).cells if cell.cell_type == "markdown")
    prose = re.sub(r"`[^`]*`", "", prose)
    formulas = [
        block or inline for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", prose, re.DOTALL)
    ]
    assert [latex for latex in formulas if "\\" in formula(latex)] == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_task_says_how_long_it_takes_and_its_id(lesson):
    prose = "\n".join(cell.source for cell in source(lesson).cells if cell.cell_type == "markdown")
    for task in COURSE.load(lesson).tasks.values():
        assert re.search(rf"\*\d+ minutes?[^*]*task id\* `{task.id}`", prose), task.id


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_task_is_called_on_its_card_what_its_heading_says(lesson):
    tasks, plain = load_lesson(COURSE.source / lesson).tasks, str.maketrans("“”", '""', "`")
    under = headings(source(lesson))
    assert {task.id: task.title.translate(plain) for task in tasks} == {
        task.id: under[task.id][1].partition(" · ")[2].removeprefix("Optional: ").translate(plain)
        for task in tasks
    }


@pytest.mark.parametrize("lesson", LESSONS)
def test_what_a_cell_waits_for_is_made_by_a_cell_before_it(lesson):
    bound, unknown = set(), []
    for cell in source(lesson).cells:
        if cell.cell_type == "code":
            needs = NEEDS.match(cell.source)
            unknown += [name for name in (needs[1].split(", ") if needs else ()) if name not in bound]
            bound |= names_of(cell.source)[0]
    assert unknown == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_picture_stands_before_the_first_task(lesson):
    cells = source(lesson).cells
    pictured = next(
        position for position, cell in enumerate(cells) if "figure" in cell.metadata.get("tags", ())
    )
    tasked = next(position for position, cell in enumerate(cells) if is_answer(cell))
    assert pictured < tasked


def test_the_bugs_of_the_seeds_are_tasks():
    faulty = [
        cell["id"].removesuffix("-answer")
        for lesson in LESSONS
        for cell in source(lesson).cells
        if cell.cell_type == "code" and faulty_code(cell.source)
    ]
    assert len(faulty) >= 6
    reference = {task.id for _, task in TASKS}
    assert set(faulty) <= reference


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_solution_holds_no_trace_of_how_it_was_made(lesson):
    notebook = nbformat.read(ROOT / "solutions" / lesson / f"{lesson}.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells)
    assert not re.search(r"(BEGIN|END) (SOLUTION|FAULTY)", text)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_release_holds_no_answer(lesson):
    released = nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
    cells = {cell["id"]: cell.source for cell in released.cells}
    for cell in source(lesson).cells:
        if is_answer(cell):
            assert cells[cell["id"]] != cell.source
            assert "Marking scheme" not in cells[cell["id"]]


def test_the_installed_course_has_all_that_a_bank_is_read_with():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    places = wheel["targets"]["wheel"]["force-include"]
    assert places == {name: f"visuals/course/{name}" for name in COURSE.beside_banks()}
