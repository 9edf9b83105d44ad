"""Turn a lesson's executed notebook into a page that a browser shows without a kernel."""

from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

from autograder.author.site.search_index import heading_text
from autograder.records.authoring_errors import AuthoringError
from autograder.records.cell_roles import is_answer, is_test
from autograder.records.course import Course, package_folder
from autograder.records.javascript_modules import MODULE_MIME, PICTURE_MIME, bundled, translatable_texts
from autograder.records.parse_cells import parsed
from autograder.words import prediction_bars
from autograder.words.feedback_card import STYLE
from autograder.words.language import _, translated
from autograder.words.page_templates import templates

HERE = ("autograder.author.site", "assets")  # where this package's templates are
PICTURE = re.compile(r'<img src="data:image/(png|jpeg|gif|webp);base64,([^"]*)"')
# What a card in a notebook links to: another cell of the same notebook.
CELL_LINK = re.compile(r'href="[\w-]+\.ipynb#cell-id=([\w-]+)"')
NAMED = re.compile(r"(?<= id=')(?=\w)|(?<= href='#)|(?<=\burl\(#)")
# A task's heading, its minutes and its id.
TASK = re.compile(r"^### ([^\n]+)\n\n\*(\d+)[^\n]*`([a-z0-9-]+)`$", re.MULTILINE)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Stop:
    """A task or prediction in the list beside a lesson's page: its title, its anchor, and its id."""

    title: str
    anchor: str
    task: str = ""
    minutes: int = 0
    prediction: str = ""


@dataclass
class Page:
    """A builder of a lesson's page, which changes the executed solution in place.

    Attributes:
        lesson: the lesson's name.
        notebook: the executed solution.
        static: the folder of the files that pages load.
        wrong_answers: the known wrong answers by task id, each as its title and the HTML that shows its
            outcome.
        key_figure: the path, in `static`, of the picture at the top; "" for none.
        minutes: the time that the lesson takes.
    """

    lesson: str
    notebook: NotebookNode
    static: Path
    wrong_answers: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    key_figure: str = ""  # its path in `static`
    minutes: int = 0  # the duration of the lesson
    _spine: list[Stop] = field(default_factory=list)
    _asked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _drawings: int = 0
    _prose_above: dict[str, str] = field(default_factory=dict)  # by cell id

    def make(self, course: Course, explorer: str = "") -> NotebookNode:
        """Return the notebook from which Sphinx makes the page.

        Args:
            course: the course.
            explorer: the HTML of an explorer to add in a closed fold at the end; "" for none.
        """
        prose = ""
        for cell in self.notebook.cells:
            prose = cell["id"] if cell.cell_type == "markdown" else prose
            self._prose_above[cell["id"]] = prose
        # All in one script, which is loaded when the first is asked for: alike as they are, they pack well.
        shown = [self._without_data(markup) for some in self.wrong_answers.values() for _name, markup in some]
        script = _script(self.static, _packed(json.dumps(shown).encode())) if shown else ""
        names = [(task, name) for task, some in self.wrong_answers.items() for name, _markup in some]
        places = {name: index for index, name in enumerate(names)}
        for cell in self.notebook.cells:
            answer, test = is_answer(cell), is_test(cell)
            folded = cell.metadata.get("jupyter", {}).get("source_hidden")
            cell.metadata = NotebookNode()
            if cell.cell_type == "markdown":
                cell.source = self._prose(cell, answer)
                continue
            if answer or folded:
                cell.metadata["tags"] = ["hide-input"]
                cell.metadata["mystnb"] = {
                    "code_prompt_show": _("Show a solution") if answer else _("Show the code"),
                    "code_prompt_hide": _("Hide it"),
                }
            cell.outputs = [self._shown(cell, output) for output in cell.outputs]
            if test:
                wrong = [
                    (name, places[cell["id"], name]) for name, _m in self.wrong_answers.get(cell["id"], ())
                ]
                cell.outputs.append(_html(str(_cells().task_end(cell["id"], wrong, script))))
        first = self.notebook.cells[0]
        title, rest = first.source.partition("\n")[::2]
        waits = explorer and not course.site.inside.cell.startswith(f"{self.lesson}#")
        name = translated("course", course.site.inside.fold) if waits else ""
        above = _cells().doors(course, self.lesson, name) + _cells().spine(
            self.lesson, self._spine, self.minutes
        )
        first.source = f"{title}\n\n{above}{_cells().key_figure(self.key_figure)}\n{rest}"
        if waits:
            self.notebook.cells.append(new_markdown_cell(folded_explorer(course, explorer), id="try-it"))
        return self.notebook

    def _prose(self, cell: NotebookNode, answer: bool) -> str:
        text = cell.source
        if answer:
            text = _cells().folded(text)
        anchor = f"cell-{cell['id']}"
        for task, minutes, name in TASK.findall(text):
            self._spine.append(Stop(heading_text(task), anchor, name, int(minutes)))
        if cell is self.notebook.cells[0]:
            return str(text)
        return f'<span class="anchor" id="{anchor}"></span>\n\n{text}'

    def _shown(self, cell: NotebookNode, output: NotebookNode) -> NotebookNode:
        data = output.get("data", {})
        if MODULE_MIME in data:
            return _html(mounted(data[MODULE_MIME], self.static, str(data.get("text/plain", ""))))
        if PICTURE_MIME in data:
            return _html(self._drawing(data[PICTURE_MIME]["svg"], str(data.get("text/plain", ""))))
        if "text/html" not in data:
            return output
        name, call = last_call(cell.source)
        if name == "quiz":
            return _html(str(_cells().to_start()))
        if name in ("predict", "reveal"):
            # The form says what the code says.
            cell.metadata["tags"] = ["remove-input"]
            return _html(self._question(call) if name == "predict" else self._outcome(call, data))
        return _html(self._without_data(data["text/html"]))

    def _without_data(self, markup: str) -> str:
        """Markup with pictures in files of their own and links into this page, without styles of its own."""

        def kept(match: re.Match[str]) -> str:
            name = keep_picture(self.static, match[1], base64.b64decode(match[2]))
            return f'<img loading="lazy" src="_static/{name}"'

        def led(match: re.Match[str]) -> str:
            return f'href="#cell-{self._prose_above.get(match[1], "")}"'

        return CELL_LINK.sub(led, PICTURE.sub(kept, markup.replace(f"<style>{STYLE}</style>", "")))

    def _drawing(self, svg: str, alt: str) -> str:
        """Return a drawing as a part of the page, so that its words can be found and copied."""
        self._drawings += 1
        # Names are unique in a page.
        named = NAMED.sub(f"drawing-{self._drawings}-", svg)
        marks = f'<svg role="img" aria-label="{html.escape(alt)}" class="ag-picture" '
        return named.replace("<svg ", marks, 1)

    def _question(self, call: ast.Call) -> str:
        values = [ast.literal_eval(argument) for argument in call.args]
        named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        name, question, choices = (*values, ())[:3]
        bars = [translated(name, label) for label in named.get("bars", ())]
        # The code is English on every page; what it asks is not.
        question, *choices = (translated(name, text) for text in (question, *choices))
        self._asked[name] = tuple(choices or bars)
        head = _("Your prediction")
        self._spine.append(Stop(f"{head}: {heading_text(question)}", f"prediction-{name}", prediction=name))
        return str(_cells().question(name, question, choices, bars, named.get("most", 1.0)))

    def _outcome(self, call: ast.Call, data: Mapping[str, str]) -> str:
        name = ast.literal_eval(call.args[0])
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        within, most = (
            ast.literal_eval(named.get(name, ast.Constant(usual)))
            for name, usual in (("within", 0.05), ("most", 1.0))
        )
        printed = data["text/plain"].partition("\n")[0]
        if 'class="ag-bars"' in data["text/html"]:
            labels = self._asked[name]
            lengths = [float(number) for number in NUMBER.findall(printed)[-len(labels) :]]
            drawn = prediction_bars.bars(dict(zip(labels, lengths, strict=True)), most)
            return str(_cells().outcome(name, printed, lengths, within, most, drawn))
        choices = sorted((choice for choice in self._asked.get(name, ()) if choice in printed), key=len)
        numbers = NUMBER.findall(printed.replace("−", "-"))
        came = choices[-1] if choices else float(numbers[-1]) if numbers else ""
        return str(_cells().outcome(name, printed, came, within))


def folded_explorer(course: Course, explorer: str) -> str:
    """Return the HTML of a closed fold that contains an explorer; "" if there is no explorer."""
    inside = course.site.inside
    if not explorer:
        return ""
    says = translated("course", inside.says) if inside.says else ""
    return str(_cells().try_it(translated("course", inside.fold), says, explorer))


def first_picture(data: Mapping[str, Any], static: Path) -> str:
    """Write an output's first picture to a file, and return its path in `static`; "" if it has none."""
    if PICTURE_MIME in data:
        return keep_picture(static, "svg", data[PICTURE_MIME]["svg"].encode())
    if picture := PICTURE.search(data.get("text/html", "")):
        return keep_picture(static, picture[1], base64.b64decode(picture[2]))
    return ""


def keep_picture(static: Path, ending: str, content: bytes) -> str:
    """Write a picture to a file named by its content's digest, and return its path in `static`."""
    name = f"pictures/{hashlib.sha256(content).hexdigest()[:20]}.{ending}"
    _write(static / name, content)
    return name


def mounted(data: Mapping[str, Any], static: Path, alt: str) -> str:
    """Return the HTML element in which a page starts an explorer, and write the explorer's files to `static`.

    Args:
        data: the explorer's MIME data: its package, module, files and model.
        static: the folder of the files that pages load.
        alt: the text for readers who cannot see it.

    Raises:
        AuthoringError: the module or one of its files is missing.
    """
    folder = package_folder(data["package"])
    try:
        if folder is None:
            raise FileNotFoundError(data["package"])
        code = bundled(folder / data["module"])
        files = {name: (folder / path).read_bytes() for name, path in data["files"].items()}
    except OSError as problem:
        raise AuthoringError([f"site: an explorer's module cannot be read ({problem})"]) from problem
    scripts = {"": _script(static, _packed(code.encode()))}
    for name, content in files.items():
        # Of each four bytes the first, then the second, …: of numbers, those that are alike stand together.
        rounded = _rounded(content) if data["files"][name].endswith(".safetensors") else content
        scripts[name] = _script(static, _packed(b"".join(rounded[phase::4] for phase in range(4))))
    model = json.loads(data["model"])
    # The module's texts of today: a build keeps what a cell has shown for longer than that.
    model["texts"] = {text: spoken for text in translatable_texts(code) if (spoken := _(text)) != text}
    shown = _packed(json.dumps(model, ensure_ascii=False, sort_keys=True).encode())
    return str(_cells().live(scripts, shown, alt))


def _rounded(content: bytes) -> bytes:
    """Return a file of weights without the last four bits of each, a millionth of it, which do not pack."""
    begin = 8 + int.from_bytes(content[:8], "little")
    if {about.get("dtype", "F32") for about in json.loads(content[8:begin]).values()} != {"F32"}:
        return content
    bits = torch.frombuffer(bytearray(content[begin:]), dtype=torch.int32)
    return content[:begin] + (bits + 8 & -16).numpy().tobytes()


def _packed(content: bytes) -> str:
    """Return bytes as a short text, which a page unpacks."""
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def _script(static: Path, text: str) -> str:
    """Write a text as a script, which a page that was opened as a file can load; its name."""
    name = f"live/{hashlib.sha256(text.encode()).hexdigest()[:20]}.js"
    _write(static / name, f"(window.live ??= {{}})[{json.dumps(name)}] = {json.dumps(text)};\n".encode())
    return name


def last_call(source: str) -> tuple[str, ast.Call]:
    """Return the function's name and the call with which a cell ends; an empty name if it ends otherwise."""
    match parsed(source).body[-1:]:
        case [ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call)]:
            return name, call
    return "", ast.Call(ast.Name(""), [], [])


def _cells() -> Any:
    """Return what shows cells of a lesson, one macro each."""
    return templates(*HERE).get_template("cells.html.j2").module


def _html(markup: str) -> NotebookNode:
    return new_output("display_data", data={"text/html": markup})


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def bullets(notebook: NotebookNode) -> list[str]:
    """Return the items of the first list in a lesson's first cell: what a learner can do after the lesson."""
    rest = notebook.cells[0].source.partition("\n- ")[2]
    items = rest.partition("\n\n")[0]
    return [" ".join(item.split()) for item in items.split("\n- ")] if items else []
