"""The site of a small course: what its pages hold, and what is refused."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from pathlib import Path

import pytest
import torch
from autograder.author.nbgrader_generate import write_notebook
from autograder.author.site.build_site import build_site
from autograder.author.site.lesson_page import Page, mounted
from autograder.author.site.search_index import sections
from autograder.records import course as course_file
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course, Front, Inside, Site
from autograder.records.javascript_modules import MODULE_MIME, PICTURE_MIME
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from safetensors.torch import load, save

pytestmark = pytest.mark.slow

PIXEL = base64.b64encode(b"not really a picture").decode()


MODULE = {
    "package": "counting_page",
    "module": "count.js",
    "files": {"numbers": "numbers.bin"},
    "model": json.dumps({"shows": {"most": 3}, "chosen": {"count": 1}, "texts": {}}),
}


# A card of a check, which leads to the cell of its task.
CARD = '<p><a href="01-counting.ipynb#cell-id=sum-answer">The sum</a></p>'


def shown(**data):
    return [new_output("execute_result", data={"text/plain": "", **data})]


def lesson():
    answer = {"nbgrader": {"grade": False, "solution": True}}
    question = 'predict("more", "How many?", ("one", "one more"))'
    return new_notebook(
        metadata={"language_info": {"name": "python"}},
        cells=[
            new_markdown_cell("# 01 · Counting\n\nYou can\n\n- count a kernel;\n- stop.\n", id="title"),
            new_markdown_cell("## Kernels\n\nA kernel and a kernel: $x^2$ and `kernel`.", id="intro"),
            new_markdown_cell("Run the\nnext cell.", id="told-to-run"),
            new_code_cell("1 + 1", id="sum-answer", metadata=answer),
            new_code_cell("draw()", id="drawn", outputs=shown(**{"text/html": picture("a sum")})),
            new_code_cell("sketch()", id="sketched", outputs=shown(**DRAWING)),
            new_code_cell("sketch()", id="sketched-again", outputs=shown(**DRAWING)),
            new_code_cell("count()", id="counted", outputs=shown(**{MODULE_MIME: MODULE})),
            new_code_cell(question, id="asked", outputs=shown(**{"text/html": "<p>How many?</p>"})),
            new_code_cell(
                'reveal("more", came)',
                id="told",
                outputs=shown(**{"text/html": "<p>Result: one more</p>", "text/plain": "Result: one more"}),
            ),
            new_code_cell(
                'predict("drawn", "Draw.", bars=("a", "b"), most=2)', id="draw", outputs=shown(**DRAWN)
            ),
            new_code_cell('reveal("drawn", came, most=2)', id="came", outputs=shown(**CAME)),
            new_code_cell('check("sum")', id="sum", outputs=shown(**{"text/html": CARD})),
        ],
    )


DRAWN = {"text/html": "<p>Draw.</p>"}
CAME = {"text/html": '<div class="ag-bars"></div>', "text/plain": "Result: a 0.50, b 1.50\nTry the next one."}
DRAWING = {
    "text/plain": "a sketch",
    PICTURE_MIME: {
        "svg": "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40' viewBox='0 0 60 30'>"
        "<clipPath id='i0'><rect width='60' height='30'/></clipPath>"
        "<text clip-path='url(#i0)'>one &amp; one</text><use href='#i0'/></svg>"
    },
}

COUNTING = """
import json


class Counting:
    def _repr_mimebundle_(self):
        model = {"shows": {}, "chosen": {"count": "1"}, "texts": {}}
        module = {"package": "counting_page", "module": "count.js", "files": {}, "model": json.dumps(model)}
        return {"text/plain": "one", "application/vnd.autograder.module+json": module}, {}


def counting():
    return Counting()
"""


def picture(alt):
    return f'<img src="data:image/png;base64,{PIXEL}" alt="{alt}">'


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package of the course's own, with a module that a page mounts."""
    home = tmp_path_factory.mktemp("packages")
    folder = home / "counting_page"
    folder.mkdir()
    (folder / "__init__.py").write_text(COUNTING)
    (folder / "one.js").write_text("export const one = 1;\n")
    (folder / "count.js").write_text('import { one } from "./one.js";\nexport default { render() {} };\n')
    (folder / "numbers.bin").write_bytes(bytes(range(8)))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(home)
        yield folder


@pytest.fixture(scope="module")
def course(tmp_path_factory, package):
    root = tmp_path_factory.mktemp("course")
    (root / "course.toml").write_text(
        'name = "counting"\ntitle = "Counting"\nlanguages = ["en", "bn"]\nlessons = ["01-counting"]\n'
        'bank = "bank"\n'
        '[site]\nglossary = "source/glossary.toml"\nrepository = "https://example.org/us/counting"\n'
        'reading = "source/reading.toml"\nsays = "Count to three."\n'
        '[site.front]\nexplorer = "counting_page:counting"\n'
        '[site.inside]\ncell = "01-counting#counted"\nchosen = { count = "2" }\nfold = "Count yourself"\n'
    )
    (root / "source").mkdir()
    (root / "source" / "faults.py").write_text(
        "from autograder.author.authoring import Fault\n"
        'WORDS = {"total": "the total"}\n'
        'FAULTS = (Fault("off-by-one", "one is missing", "Count {total} again.", "01-counting#intro"),)\n'
    )
    (root / "source" / "glossary.toml").write_text(
        '[[term]]\nname = "kernel"\ntext = "A small matrix."\nsection = "01-counting#intro"\n'
    )
    (root / "source" / "reading.toml").write_text('[instead]\n"Run the next cell." = "See the next cell."\n')
    for kind in ("solutions", "notebooks"):
        write_notebook(lesson(), root / kind / "01-counting" / "01-counting.ipynb")
    translated = lesson()
    translated.cells[1].source = "## কার্নেল\n\nA kernel."
    write_notebook(translated, root / "solutions" / "bn" / "01-counting" / "01-counting.ipynb")
    return Course.read(root)


@pytest.fixture(scope="module")
def site(course, tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    build_site(course, out)
    return out


@pytest.fixture(scope="module")
def page(site):
    return (site / "01-counting.html").read_text(encoding="utf-8")


def test_two_builds_are_equal_to_the_byte(course, site, tmp_path):
    build_site(course, tmp_path / "again")

    def files(folder):
        return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert files(tmp_path / "again") == files(site)


def test_pictures_become_files_and_keep_their_words(site, page):
    assert "data:image" not in page
    (name,) = (path.name for path in (site / "_static" / "pictures").iterdir())
    assert f'src="_static/pictures/{name}" alt="a sum"' in page


def test_a_drawing_becomes_part_of_the_page_with_names_of_its_own(page):
    for number in (1, 2):
        named = f"drawing-{number}-i0"
        assert (
            '<svg role="img" aria-label="a sketch" class="ag-picture" '
            "xmlns='http://www.w3.org/2000/svg' width='80' height='40' viewBox='0 0 60 30'>"
            f"<clipPath id='{named}'><rect width='60' height='30'/></clipPath>"
            f"<text clip-path='url(#{named})'>one &amp; one</text>"
            f"<use href='#{named}'/></svg>"
        ) in page


def test_a_card_leads_to_the_prose_above_the_cell_that_it_names(page):
    assert '<a href="#cell-told-to-run">The sum</a>' in page
    assert 'id="cell-told-to-run"' in page


def test_a_solution_is_folded(page):
    fold = page[page.index("<details") : page.index("</details>", page.index("<details class"))]
    assert "Show a solution" in page
    assert "1 + 1" not in page.split("<details")[0]
    assert fold


def unpacked(text):
    return gzip.decompress(base64.b64decode(text))


def test_a_module_is_mounted_with_its_files_as_scripts_a_page_opened_as_a_file_can_load(site, page):
    scripts = {path.name: path.read_text(encoding="utf-8") for path in (site / "_static" / "live").iterdir()}
    code, numbers = (unpacked(text.rpartition(' = "')[2].rstrip('";\n')) for text in scripts.values())
    code, numbers = (code, numbers) if len(code) > len(numbers) else (numbers, code)
    assert b"export const one = 1;" in code
    assert b"import" not in code
    assert numbers == bytes([0, 4, 1, 5, 2, 6, 3, 7])  # of each four bytes the first, then the second, …
    assert all(f"live/{name}" in page for name in scripts)


def test_weights_on_a_page_are_right_to_a_millionth_and_pack_well(package, tmp_path):
    weights = {"weight": torch.randn(64, 32, generator=torch.Generator().manual_seed(1))}
    (package / "weights.safetensors").write_bytes(save(weights))
    mounted({**MODULE, "files": {"weights": "weights.safetensors"}}, tmp_path, "")
    scripts = [
        path.read_text().rpartition(' = "')[2].rstrip('";\n') for path in (tmp_path / "live").iterdir()
    ]
    packed = max(scripts, key=len)
    held = unpacked(packed)
    rows = [held[phase * len(held) // 4 :][: len(held) // 4] for phase in range(4)]
    shown = load(bytes(byte for four in zip(*rows, strict=True) for byte in four))["weight"]
    assert float((shown / weights["weight"] - 1).abs().max()) < 1e-6
    assert len(packed) < 1.15 * len(save(weights))  # 1.21 as they were


def test_the_first_page_shows_the_explorers_that_the_course_names_with_what_is_chosen_there(site):
    index = (site / "index.html").read_text(encoding="utf-8")
    assert "Count to three." in index
    shown = [json.loads(unpacked(text))["chosen"] for text in re.findall('data-model="([^"]*)"', index)]
    assert shown == [{"count": "1"}, {"count": "2"}]  # what moves there, and what waits in a fold
    assert index.index("Count yourself") < index.rindex("data-model")
    assert 'class="card" href="01-counting.html"' in index
    assert 'hreflang="bn">বাংলা</a>' in index


def test_the_model_to_look_into_waits_in_a_fold_on_each_other_lessons_page(course, page, tmp_path):
    def folds(name):
        cells = Page(name, lesson(), tmp_path).make(course, "<p>It counts.</p>").cells
        return [cell.source for cell in cells if "<summary>Count yourself" in cell.source]

    (fold,) = folds("02-more")
    assert "<p>It counts.</p>" in fold
    assert folds("01-counting") == []
    assert "Count yourself" not in page


def test_a_page_speaks_to_a_reader_where_the_notebook_speaks_to_who_runs_it(site, page):
    assert "See the next cell." in page
    actual = (site / "_static" / "search-texts.js").read_text(encoding="utf-8")
    assert "See the next cell." in actual
    assert "Run the" not in page + actual


@pytest.mark.parametrize(
    ("site", "output"),
    [
        (Site(inside=Inside("01-counting#drawn")), "`01-counting#drawn` shows no explorer"),
        (Site(front=Front("counting_page:away")), "`counting_page:away` returns no explorer"),
        (Site(front=Front("away:counting")), "`away:counting` returns no explorer"),
    ],
)
def test_an_explorer_of_the_first_page_that_is_none_is_named(course, tmp_path, site, output):
    with pytest.raises(AuthoringError, match=output):
        build_site(Course(**{**vars(course), "site": site}), tmp_path / "out")


def test_a_module_that_is_not_there_is_named(course, package, tmp_path):
    (package / "numbers.bin").rename(package / "away.bin")
    try:
        with pytest.raises(AuthoringError, match=r"module cannot be read.*numbers\.bin"):
            build_site(course, tmp_path / "out")
    finally:
        (package / "away.bin").rename(package / "numbers.bin")


def test_the_search_holds_sections_with_their_tasks_and_plain_texts():
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# 01 · Counting", id="title"),
            new_markdown_cell(
                "## 1 · Sums\n\nAdd **two**.\n\n### Task 1\n\n*a line · task id* `add`\n", id="a"
            ),
            new_markdown_cell("Read `on`.", id="b"),
        ]
    )
    first, second, third = sections({"01-counting": notebook})
    assert (first["where"], first["title"]) == ("01-counting.html", "01 · Counting")
    assert (second["where"], second["text"]) == ("01-counting.html#cell-a", "Add two.")
    assert (third["task"], third["text"][-8:]) == ("add", "Read on.")


def test_a_prediction_knows_what_came(page):
    assert '<input type="radio" name="more" value="one more">' in page
    assert 'data-prediction="more" data-came=""one more""' in html.unescape(page)


def test_a_drawn_prediction_has_a_slider_for_each_bar_and_shows_the_true_ones(page):
    form = page[
        page.index('id="prediction-drawn"') : page.index("</form>", page.index('id="prediction-drawn"'))
    ]
    assert re.findall(r'<span>(\w)</span><input type="range" min="0" max="2"', form) == ["a", "b"]
    outcome = page[page.index('data-prediction="drawn" data-came') :]
    assert 'data-came="[0.5, 1.5]" data-within="0.05" data-most="2"' in outcome
    assert re.findall("--came:([0-9.]+)%", outcome) == ["25.0", "75.0"]


def test_a_term_leads_to_the_glossary_where_it_is_used_first(page):
    assert page.count('href="glossary.html#term-kernel"') == 1
    assert 'title="A small matrix."' in page


def test_formulas_are_mathml(page):
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in page


def test_tokens_of_code_in_the_colour_of_its_text_have_no_element_of_their_own(page):
    assert '<span class="mi">' in page
    assert '<span class="n">' not in page
    assert '<span class="p">' not in page


def test_a_mistake_leads_to_what_explains_it(site, page):
    mistakes = (site / "mistakes.html").read_text(encoding="utf-8")
    assert "One is missing" in mistakes
    assert "Count the total again." in mistakes
    assert 'href="01-counting.html#cell-intro"' in mistakes
    assert 'id="cell-intro"' in page


def test_languages_lead_to_each_other(site):
    assert 'href="bn/01-counting.html"' in (site / "01-counting.html").read_text(encoding="utf-8")
    other = (site / "bn" / "01-counting.html").read_text(encoding="utf-8")
    assert 'href="../01-counting.html"' in other
    assert '<html class="no-js" lang="bn"' in other
    assert "কার্নেল" in other


def test_a_lesson_opens_elsewhere_only_where_a_repository_is_named(page):
    assert (
        "colab.research.google.com/github/us/counting/blob/main/notebooks/01-counting/01-counting.ipynb"
        in page
    )
    assert Site().doors("01-counting") == []
    (jupyter,) = (
        address
        for place, address in Site("https://example.org/us/counting", hub="https://hub.example.org").doors(
            "01"
        )
        if place == "JupyterLab"
    )
    assert jupyter.startswith(
        "https://hub.example.org/hub/user-redirect/git-pull?repo=https%3A%2F%2Fexample.org"
    )


def test_in_colab_a_first_cell_installs_the_course_and_names_it(course, page, monkeypatch):
    first, second = course.colab_cell.splitlines()
    assert first == "%pip install --quiet git+https://example.org/us/counting@main"
    assert second == "%env AUTOGRADER_COURSE_NAME=counting"
    assert course.colab_cell in page
    # The same course, as if the tool lay in its folder.
    tool = course.root / "autograder"
    tool.mkdir()
    (tool / "pyproject.toml").touch()
    monkeypatch.setattr(course_file, "__file__", str(tool / "src" / "autograder" / "records" / "course.py"))
    with_tool = course.colab_cell.splitlines()
    installed = "git+https://example.org/us/counting@main#subdirectory=autograder"
    assert with_tool[0].split()[3:] == [installed, "git+https://example.org/us/counting@main"]


def test_a_lesson_that_was_not_built_is_named(course, tmp_path):
    missing = Course(**{**vars(course), "lessons": ("01-counting", "02-more")})
    with pytest.raises(AuthoringError, match=r"02-more: there is no 02-more\.ipynb"):
        build_site(missing, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "problem"),
    [('repositry = "x"', "`repositry` means nothing here"), ("branch = 3", "`branch`: 3 is no text")],
)
def test_what_means_nothing_to_the_site_is_named(tmp_path: Path, line, problem):
    (tmp_path / "course.toml").write_text(
        f'name = "a"\ntitle = "A"\nlessons = []\nbank = "bank"\n[site]\n{line}\n'
    )
    with pytest.raises(AuthoringError, match=f"`site`: {problem}"):
        Course.read(tmp_path)
