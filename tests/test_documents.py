"""What documents promise their readers: links that lead somewhere, commands that exist, today's figures."""

import html
import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from autograder.author.fault_index import faults_listed
from autograder.author.parse_source import read_source
from autograder.command import app as cli
from autograder.records.course import Course

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT)
DOCUMENTS = sorted(
    path
    for folder in (".", ".github", "docs", "autograder", "autograder/docs")
    for path in (ROOT / folder).glob("**/*.md" if folder == "docs" else "*.md")
)
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in DOCUMENTS}
COMMANDS = {name: cli.load(name) for name in cli.COMMANDS}
# What a person reads first: how many words it may have.
MOST_WORDS = {"README.md": 900, "CONTRIBUTING.md": 600}


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def anchors(text: str) -> set[str]:
    """The names by which GitHub links to a document's headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", html.unescape(heading).lower()).strip().replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(name):
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(TEXTS[name])):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        if not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8"))):
            lost.append(target)
    assert lost == []


@pytest.mark.parametrize("name", TEXTS)
def test_every_path_of_this_repository_that_is_named_is_there(name):
    named = re.findall(r"`((?:docs|tests|autograder|benchmarks|visuals|source|\.ci)/[\w./-]+)`", TEXTS[name])
    bases = (ROOT, ROOT / "autograder")
    lost = [path for path in named if "NN" not in path and not any((base / path).exists() for base in bases)]
    assert lost == []


def typed(text: str) -> list[list[str]]:
    """The words after `autograder` in the lines of code that begin with it, with or without start.py."""
    lines = "\n".join(re.findall(r"```\n(.*?)```|`[^`\n]+`", text, re.DOTALL)).splitlines()
    lines += re.findall(r"`([^`\n]+)`", text)
    actual = (re.match(r"(?:python3 start.py run )?autograder (?=[a-z])([^#]*)", line) for line in lines)
    return [match[1].split() for match in actual if match]


def problem(words: list[str]) -> str:
    """What of a command cannot be typed: an unknown command or option; "" where all is known."""
    command, *rest = COMMANDS.get(words[0]), *words[1:]
    if command and rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest[0]]
    options = {"--help"} | {
        option
        for reference in (command.params if command else ())
        for option in (*reference.opts, *reference.secondary_opts)
    }
    unknown = {word.partition("=")[0] for word in rest if word.startswith("--")} - options
    return "" if command and not unknown else " ".join(words)


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_and_option_that_is_named_can_be_typed(name):
    assert list(filter(None, map(problem, typed(TEXTS[name])))) == []


def resolved(name: str) -> object:
    """What a dotted name below `autograder` leads to: a module, something in one, or a field of a dataclass.

    Raises AttributeError or KeyError where it leads to nothing.
    """
    found: object = importlib.import_module("autograder")
    for index, part in enumerate(parts := name.split(".")):
        try:
            found = importlib.import_module(".".join(["autograder", *parts[: index + 1]]))
            continue
        except ModuleNotFoundError as problem:
            if not f"{problem.name}".startswith("autograder"):
                return problem  # the module is there, and an extra that it needs is not
        found = getattr(found, part, None) or found.__dataclass_fields__[part]
    return found


def test_the_glossary_says_where_each_thing_is():
    rows = [line.split("|") for line in TEXTS["docs/architecture.md"].splitlines() if line.count("|") == 5]
    names = [name for row in rows for name in re.findall(r"`([a-z]\w*(?:\.\w+)+)`", row[4])]
    assert len(names) > 50
    for name in names:
        assert resolved(name), name


@pytest.mark.parametrize("name", TEXTS)
def test_every_module_that_is_run_by_its_name_is_there(name):
    modules = re.findall(r"(?:python -m |`-m |`)(benchmarks\.\w+|docs\.\w+)", TEXTS[name])
    assert [module for module in modules if not (ROOT / f"{module.replace('.', '/')}.py").is_file()] == []


def test_code_for_your_own_tensors_runs_as_it_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", TEXTS["docs/visuals.md"], re.DOTALL)
    for block in blocks:
        exec(block, {})
    assert (len(blocks), [path.name for path in tmp_path.iterdir()]) == (2, ["map.pdf"])


@pytest.mark.parametrize(("name", "most"), MOST_WORDS.items())
def test_what_is_read_first_is_short(name, most):
    text = re.sub(r"\]\([^)]*\)|[|#*>-]", " ", TEXTS[name])
    assert len(text.split()) <= most


def lesson_rows(name: str) -> dict[str, list[str]]:
    """The rows of a document's table of lessons, by the lesson's number."""
    rows = (
        line.strip("|").split("|") for line in TEXTS[name].splitlines() if re.match(r"\| \W*\d\d\W", line)
    )
    return {re.search(r"\d\d", row[0])[0]: [cell.strip() for cell in row] for row in rows}


def facts(lesson: str) -> dict[str, int]:
    """A lesson's minutes, as it states them, its checked tasks, its points, and those of them in words."""
    notebook = read_source(COURSE.source / lesson / f"{lesson}.py")
    graded = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    in_words = [cell for cell in graded if cell.metadata.nbgrader.solution]
    return {
        "minutes": int(re.search(r"\*\*Time:\*\* about (\d+) minutes", notebook.cells[0].source)[1]),
        "tasks": len(graded) - len(in_words),
        "points": sum(cell.metadata.nbgrader.points for cell in graded),
        "in words": sum(cell.metadata.nbgrader.points for cell in in_words),
    }


def test_tables_of_lessons_have_their_minutes_tasks_and_points():
    weeks, readme = lesson_rows("docs/teaching/weeks.md"), lesson_rows("README.md")
    result = {lesson[:2]: facts(lesson) for lesson in COURSE.lessons}
    assert {number: list(map(int, row[1:5])) for number, row in weeks.items()} == {
        number: list(lesson.values()) for number, lesson in result.items()
    }
    assert {number: int(row[-1]) for number, row in readme.items()} == {
        number: lesson["minutes"] for number, lesson in result.items()
    }
    total = {name: sum(lesson[name] for lesson in result.values()) for name in result["01"]}
    (row,) = re.findall(r"^\| all .*$", TEXTS["docs/teaching/weeks.md"], re.MULTILINE)
    assert list(map(int, re.findall(r"\d+", row.replace(",", "")))) == list(total.values())
    assert f"about {total['minutes'] / 60:.0f} hours, {total['tasks']} tasks" in TEXTS["README.md"]


def test_the_readme_knows_how_many_mistakes_have_names():
    (output,) = re.findall(r"the course knows ([\d,]+)", TEXTS["README.md"])
    assert int(output.replace(",", "")) == len(faults_listed(COURSE))


def test_versions_agree_everywhere():
    course, tool = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (".", "autograder")
    )
    (course_change,), (tool_change,) = (
        re.findall(r"\A.*?^## \[(.*?)\]", TEXTS[name], re.DOTALL | re.MULTILINE)
        for name in ("CHANGELOG.md", "autograder/CHANGELOG.md")
    )
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    (readme,) = re.findall(r"Version ([\d.]+\d)", TEXTS["README.md"])
    assert [tool["version"], course_change, tool_change, cited, readme] == [course["version"]] * 5


def test_changes_have_versions_with_dates_kinds_and_one_line_each():
    for name in ("CHANGELOG.md", "autograder/CHANGELOG.md"):
        headings = re.findall(r"^##+ (.*)$", TEXTS[name], re.MULTILINE)
        kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
        form = r"\[\d+\.\d+\.\d+\] - (\d{4}-\d\d-\d\d|Unreleased)( \(.*\))?"
        assert [text for text in headings if text not in kinds and not re.fullmatch(form, text)] == []
        assert [line for line in TEXTS[name].splitlines() if line.startswith("  ")] == []


def address_in(folder: Path, *words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / ".ci" / "address", folder, *words]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_fork_sets_its_address_once_and_takes_it_back(tmp_path):
    names = ("README.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff", "pyproject.toml")
    for name in ("course.toml", "autograder/pyproject.toml", *names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    course = tmp_path / "course.toml"
    before = course.read_text(encoding="utf-8")
    here = "https://example.org/fork/attention"
    own = re.sub(r"^repository = .*\n", "", before, flags=re.MULTILINE)
    course.write_text(own.replace("[site]\n", f'[site]\nrepository = "{here}"\n'), encoding="utf-8")
    assert address_in(tmp_path, "--check").returncode == 1
    assert address_in(tmp_path).returncode == 0
    assert address_in(tmp_path, "--check").returncode == 0
    texts = {name: (tmp_path / name).read_text(encoding="utf-8") for name in names}
    assert [name for name, text in texts.items() if here not in text] == []
    assert tomllib.loads(texts["pyproject.toml"])["project"]["urls"]["Repository"] == here
    assert yaml.safe_load(texts["CITATION.cff"])["repository-code"] == here
    course.write_text(before, encoding="utf-8")
    assert address_in(tmp_path).returncode == 0
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in names} == {
        name: (ROOT / name).read_text(encoding="utf-8") for name in names
    }


def test_every_file_names_the_address_that_the_course_sets():
    assert address_in(ROOT, "--check").stdout == ""


# What a class makes or puts into the course's folder, as the pages on teaching name it.
OF_A_CLASS = [
    *("students.csv", "times.csv", "gradebook.csv", "gradebook-graded.csv", "submissions.zip"),
    *("requests.zip", "bundle.zip", "submissions.tar.gz", "report.html", "report.csv", "scores.xlsx"),
    *("desk/student-ada.html", "class.toml", "gradebook.db", "gradebook.db.lock"),
    *("submitted/ada/01/01.ipynb", "collected/record.json", "autograded/ada/01/01.ipynb"),
    *("feedback/ada/01/01.html", "returned/01/ada/01.html", "releases/01/a.json"),
]


@pytest.mark.parametrize("course", [".", "autograder/src/autograder/author/template"])
def test_what_a_class_makes_is_never_offered_to_git(tmp_path, course):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    shutil.copy(ROOT / course / ".gitignore", tmp_path)
    asked = ["git", "-C", tmp_path, "check-ignore", *OF_A_CLASS]
    named = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert [path for path in OF_A_CLASS if path not in named.stdout.split()] == []


def test_what_is_said_to_write_nothing_can_be_tried_so():
    first_class = TEXTS["docs/teaching/first-class.md"]
    (said,) = re.findall(r"Nothing is lost by trying: (.*?)`--dry-run`", first_class)
    named = re.findall(r"`(\w+)`", said)
    options = {name: {option for each in COMMANDS[name].params for option in each.opts} for name in named}
    assert named
    assert [name for name in named if "--dry-run" not in options[name]] == []


def test_every_short_title_of_a_report_is_explained():
    source = (ROOT / "autograder/src/autograder/classroom/class_report.py").read_text(encoding="utf-8")
    short = re.findall(r'_\("(\w+\.)"\)', source)
    assert short
    assert [title for title in short if f"“{title}”" not in TEXTS["docs/teaching/term.md"]] == []
