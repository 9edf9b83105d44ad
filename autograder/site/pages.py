"""A lesson's executed notebook as a page: what needs a kernel is replaced by what a browser can do alone."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.build.preprocessors import STATES_MIME
from autograder.cells import is_answer
from autograder.course import Site
from autograder.feedback import STYLE
from autograder.reading import parsed

PICTURE = re.compile(r'<img src="data:image/(png|jpeg|gif|webp);base64,([^"]*)"')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")

HEADING = re.compile(r"^#{1,6} +(.*?) *$", re.MULTILINE)


@dataclass
class Page:
    """One lesson's page in the making.

    Attributes:
        lesson: the lesson's name.
        notebook: the executed solution; it is changed in place.
        texts: the site's texts, by their names.
        static: the folder of what stands beside the pages.
    """

    lesson: str
    notebook: NotebookNode
    texts: Mapping[str, str]
    static: Path
    _asked: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def make(self, site: Site) -> NotebookNode:
        """Return the notebook that the page is made from."""
        for cell in self.notebook.cells:
            answer = is_answer(cell)
            cell.metadata = NotebookNode()
            if cell.cell_type == "markdown":
                cell.source = self._prose(cell, answer)
                continue
            if answer:
                cell.metadata["tags"] = ["hide-input"]
                cell.metadata["mystnb"] = {
                    "code_prompt_show": self.texts["solution"],
                    "code_prompt_hide": self.texts["hide"],
                }
            cell.outputs = [self._shown(cell, output) for output in cell.outputs]
        first = self.notebook.cells[0]
        title, _, rest = first.source.partition("\n")
        first.source = f"{title}\n\n{doors(site, self.lesson, self.texts)}\n{rest}"
        return self.notebook

    def _prose(self, cell: NotebookNode, answer: bool) -> str:
        text = cell.source
        if answer:
            text = f"<details><summary>{self.texts['solution']}</summary>\n\n{text}\n\n</details>"
        if cell is self.notebook.cells[0]:
            return str(text)
        return f'<span class="anchor" id="cell-{cell["id"]}"></span>\n\n{text}'

    def _shown(self, cell: NotebookNode, output: NotebookNode) -> NotebookNode:
        data = output.get("data", {})
        if STATES_MIME in data:
            return _html(self._explorer(cell["id"], data[STATES_MIME]))
        if "text/html" not in data:
            return output
        name, call = last_call(cell.source)
        if name in ("predict", "reveal"):
            # The form says what the code says.
            cell.metadata["tags"] = ["remove-input"]
            return _html((self._question if name == "predict" else self._outcome)(call, data))
        return _html(self._without_data(data["text/html"]))

    def _without_data(self, html: str) -> str:
        """Markup with its pictures in files of their own, and without the style sheet that the site has."""

        def kept(found: re.Match[str]) -> str:
            content = base64.b64decode(found[2])
            name = f"pictures/{hashlib.sha256(content).hexdigest()[:20]}.{found[1]}"
            _write(self.static / name, content)
            return f'<img loading="lazy" src="_static/{name}"'

        return PICTURE.sub(kept, html.replace(f"<style>{STYLE}</style>", ""))

    def _explorer(self, cell: str, data: Mapping[str, str]) -> str:
        """Return what an explorer shows at first.

        The script brings its controls when its states are loaded.
        """
        name = f"explorers/{self.lesson}-{cell}.js"
        states = f"(window.explorers ??= {{}})[{json.dumps(name)}] = {json.dumps(data['states'])};\n"
        _write(self.static / name, states.encode())
        return (
            f'<div class="explorer" role="group" aria-label="{escape(self.texts["explorer"])}" '
            f'data-states="{name}"><style>{data["style"]}</style><form class="explorer-knobs"></form>'
            f'<p class="explorer-words" role="status">{escape(data["alt"], quote=False)}</p>'
            f'<div class="explorer-view">{data["html"]}</div>'
            f'<p class="explorer-note">{escape(self.texts["explorer_note"], quote=False)}</p></div>'
        )

    def _question(self, call: ast.Call, data: Mapping[str, str]) -> str:
        values = [ast.literal_eval(one) for one in call.args]
        values += [ast.literal_eval(one.value) for one in call.keywords]
        name, question, choices = (*values, ())[:3]
        self._asked[name] = tuple(choices)
        if choices:
            field_ = "".join(
                f'<label><input type="radio" name="{escape(name)}" value="{escape(one)}"> '
                f"{escape(one, quote=False)}</label>"
                for one in choices
            )
        else:
            field_ = f'<input type="text" name="{escape(name)}" aria-label="{escape(question)}">'
        return (
            f'<form class="ag ag-wait prediction" data-prediction="{escape(name)}" '
            f'data-waiting="{escape(self.texts["waiting"])}"><fieldset>'
            f"<legend><strong>{self.texts['prediction']}.</strong> {escape(question, quote=False)}</legend>"
            f"{field_}</fieldset>"
            f'<p class="ag-small">{self.texts["prediction_kept"]}</p>'
            f'<button type="button" hidden>{self.texts["skip"]}</button></form>'
        )

    def _outcome(self, call: ast.Call, data: Mapping[str, str]) -> str:
        name = ast.literal_eval(call.args[0])
        within = next((one.value for one in call.keywords if one.arg == "within"), None)
        within = within or (call.args[2] if len(call.args) > 2 else ast.Constant(0.05))
        told = data["text/plain"].partition("\n")[0]
        choices = sorted((one for one in self._asked.get(name, ()) if one in told), key=len)
        numbers = NUMBER.findall(told.replace("−", "-"))
        came = choices[-1] if choices else (numbers or [""])[-1]
        return (
            f'<div class="ag ag-wait outcome" role="status" data-prediction="{escape(name)}" '
            f'data-came="{escape(came)}" data-within="{ast.literal_eval(within)}" '
            f'data-said="{escape(self.texts["you_said"])}" data-true="{escape(self.texts["came_true"])}" '
            f'data-false="{escape(self.texts["came_differently"])}">'
            f'<p class="ag-head">{escape(told, quote=False)}</p><p class="outcome-end"></p></div>'
        )


def last_call(source: str) -> tuple[str, ast.Call]:
    """Return the call that a cell ends with, and the plain name that it calls.

    No name where it ends otherwise.
    """
    match parsed(source).body[-1:]:
        case [ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call)]:
            return name, call
    return "", ast.Call(ast.Name(""), [], [])


def doors(site: Site, lesson: str, texts: Mapping[str, str]) -> str:
    """Return the links that open a lesson elsewhere, as far as the course says where it can be had."""
    links = [
        f'<a href="{escape(address)}">{escape(texts["open_in"].format(place=place))}</a>'
        for place, address in site.doors(lesson)
    ]
    links.append(f'<a href="_static/notebooks/{lesson}.ipynb" download>{escape(texts["notebook"])}</a>')
    links.append(f'<button type="button" class="print">{escape(texts["print"])}</button>')
    first = ""
    if site.repository:
        first = (
            f"<details><summary>Colab</summary><p>{escape(texts['colab_first'], quote=False)}</p>"
            f"<pre><code>{escape(site.colab_cell)}</code></pre></details>\n"
        )
    return f'<nav class="doors" aria-label="{escape(texts["notebook"])}">{" ".join(links)}</nav>\n{first}'


def _html(markup: str) -> NotebookNode:
    return new_output("display_data", data={"text/html": markup})


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def headings(notebook: NotebookNode) -> dict[str, tuple[str, str]]:
    """For each cell's id, the cell of prose that it is or follows, and the heading that this stands under."""
    found: dict[str, tuple[str, str]] = {}
    under = prose = ""
    for cell in notebook.cells:
        inside = HEADING.findall(cell.source) if cell.cell_type == "markdown" else []
        begins = bool(inside) and cell.source.lstrip().startswith("#")
        prose = cell["id"] if cell.cell_type == "markdown" else prose
        found[cell["id"]] = prose, inside[0] if begins else under
        under = inside[-1] if inside else under
    return found


def bullets(notebook: NotebookNode) -> list[str]:
    """Return the first list of a lesson's first cell: what one can do after it."""
    _, _, rest = notebook.cells[0].source.partition("\n- ")
    items = rest.partition("\n\n")[0]
    return [" ".join(item.split()) for item in items.split("\n- ")] if items else []
