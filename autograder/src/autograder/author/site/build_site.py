"""Build the site with Sphinx from the executed solutions, in each language of the course."""

from __future__ import annotations

import base64
import html
import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from babel import Locale
from docutils.utils import SystemMessage
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.console import nocolor
from sphinx.util.docutils import docutils_namespace, patch_docutils

from autograder.author.authoring import Fault, load_faults
from autograder.author.glossary import Term, read_glossary
from autograder.author.nbgrader_generate import write_notebook
from autograder.author.parallel import each_lesson
from autograder.author.site.front_page import card, front_explorer, inside_explorer
from autograder.author.site.lesson_page import HERE, Page, folded_explorer
from autograder.author.site.reader_wording import read_reading, reword
from autograder.author.site.search_index import sections
from autograder.author.site.wrong_answers import WrongAnswers, chips, wrong_answers
from autograder.lesson.placement_quiz import begin_with, leave_out
from autograder.records.authoring_errors import AuthoringError
from autograder.records.cell_roles import headings
from autograder.records.course import Course
from autograder.records.javascript_modules import bundled
from autograder.records.quiz import read_quiz
from autograder.words import prediction_bars
from autograder.words.feedback_card import STYLE
from autograder.words.language import LANGUAGE, _, speak, translated
from autograder.words.page_templates import templates
from autograder.words.phrases import capital

ASSETS = Path(__file__).parent / "assets"
SWITCH, SEARCH = "languages.html", "search-field.html"
# Where speakers call a language by another name than its code says.
OWN_NAMES = {"hi_Latn": "Hinglish"}


@dataclass(frozen=True)
class Edition:
    """The site in one of its languages."""

    course: Course
    language: str
    languages: list[str]  # all languages of the site

    @property
    def links(self) -> list[tuple[str, str, str]]:
        """Each language: its code, its own name, and the way to its pages from this edition's."""
        up = "../" if _folder(self.course, self.language) else ""
        return [
            (
                code,
                OWN_NAMES.get(code) or capital(Locale.parse(code).display_name),
                up + (f"{folder}/" if (folder := _folder(self.course, code)) else ""),
            )
            for code in self.languages
        ]


def build_site(course: Course, out: Path) -> list[Path]:
    """Write the site into a folder, replacing its content, and return the paths of the HTML pages.

    The course's first language is written to the folder itself. Each other language that has solutions gets a
    subfolder. To show known wrong answers, the lessons' source is executed.

    Raises:
        AuthoringError: a solution is missing, or a page cannot be made.
    """
    languages = [
        code for code in course.languages if (course.root / "solutions" / _folder(course, code)).is_dir()
    ]
    for kind in ("solutions", "notebooks"):
        for lesson in course.lessons:
            _notebook(course, kind, course.languages[0], lesson)
    wrong = {lesson: wrong_answers(course, lesson) for lesson in course.lessons}
    with tempfile.TemporaryDirectory(prefix="site-") as temporary:
        pages = Path(temporary) / "made"
        # Each in a process of its own: Sphinx keeps the language that it was started with.
        work = partial(_build_language, course, languages, wrong, Path(temporary), pages)
        for _language, result in each_lesson(work, languages, len(languages)):
            if isinstance(result, AuthoringError):
                raise result
        # myst-nb puts the notebooks once more beside each language's folder, and no page names them.
        shutil.rmtree(pages / "jupyter_execute", ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(pages, out)
    return sorted(out.rglob("*.html"))


def _build_language(
    course: Course,
    languages: list[str],
    wrong: Mapping[str, WrongAnswers],
    temporary: Path,
    pages: Path,
    language: str,
) -> None:
    os.environ[LANGUAGE] = language
    speak(course.bank, course.languages)
    source = temporary / language
    config = write_sources(Edition(course, language, languages), wrong, source)
    _run_sphinx(source, pages / _folder(course, language), config)


def _folder(course: Course, language: str) -> str:
    """Return the folder of a language's files, beside those of the first language."""
    return "" if language == course.languages[0] else language


def _notebook(course: Course, kind: str, language: str, lesson: str) -> Path:
    """Return a lesson's notebook in a language; in the course's first one where it is not translated."""
    for spoken in (language, course.languages[0]):
        path = course.root / kind / _folder(course, spoken) / lesson / f"{lesson}.ipynb"
        if path.is_file():
            return path
    raise AuthoringError([f"{kind}/{lesson}: there is no {lesson}.ipynb; `autograder build` makes it"])


def write_sources(edition: Edition, wrong: Mapping[str, WrongAnswers], source: Path) -> dict[str, Any]:
    """Write Sphinx's source files for one language.

    Args:
        edition: the language, and the course.
        wrong: the wrong answers to show, by lesson.
        source: the folder to write to.

    Returns:
        Sphinx's settings.
    """
    course, language, static = edition.course, edition.language, source / "static"
    (static / "notebooks").mkdir(parents=True)
    notebooks: dict[str, NotebookNode] = {}
    instead = read_reading(course)
    for lesson in course.lessons:
        notebooks[lesson] = nbformat.read(_notebook(course, "solutions", language, lesson), as_version=4)
        reword(notebooks[lesson], instead)
        released = _notebook(course, "notebooks", language, lesson)
        shutil.copyfile(released, static / "notebooks" / released.name)
    terms, quiz = read_glossary(course), read_quiz(course)
    context = {"notebooks": notebooks, "where": partial(_where, notebooks)}
    says = partial(translated, "course")
    inside = inside_explorer(course, notebooks, static)
    cards = {lesson: card(lesson, notebook, static) for lesson, notebook in notebooks.items()}
    front: dict[str, Any] = {
        "cards": [*cards.values()],
        "explorer": front_explorer(course, static),
        "inside": folded_explorer(course, inside),
        "languages": edition.links,
        "quiz": quiz,
        "titles": {lesson: about.title for lesson, about in cards.items()},
        "starter": (course.root / "start.py").is_file(),
    }
    _write(
        source, "index.md", **context, title=_title(course), terms=terms, site=course.site, says=says, **front
    )
    index_text = json.dumps(sections(notebooks), ensure_ascii=False, separators=(",", ":"))
    (static / "search-texts.js").write_text(f"window.searchTexts = {index_text};\n", encoding="utf-8")
    _write(source, "mistakes.md", **context, **_mistakes(course))
    if quiz:
        _write(source, "start.md", items=quiz, **_start(course, notebooks))
    if terms:
        _write(source, "glossary.md", **context, terms=terms)
    for lesson, notebook in notebooks.items():
        shown = chips(course, lesson, wrong[lesson])
        about = cards[lesson]
        page = Page(lesson, notebook, static, shown, about.picture, about.minutes)
        write_notebook(page.make(course, inside), source / f"{lesson}.ipynb")
    (source / "templates").mkdir()
    for name in (SWITCH, SEARCH, "search.html", "page.html"):
        shutil.copyfile(ASSETS / name, source / "templates" / name)
    # A page that was opened as a file may load no module.
    script = re.sub(r"^export ", "", bundled(ASSETS / "site.js"), flags=re.MULTILINE)
    (static / "site.js").write_text(f'"use strict";\n{script}', encoding="utf-8")
    for picture in filter(None, (course.site.icon, course.site.picture)):
        shutil.copyfile(course.root / picture, static / Path(picture).name)
    style = (ASSETS / "site.css").read_text(encoding="utf-8")
    for font in (ASSETS / "fonts").glob("*.woff2"):
        # A page that was opened as a file may load no font from another one.
        data = base64.b64encode(font.read_bytes()).decode()
        style = style.replace(f'url("{font.name}")', f"url(data:font/woff2;base64,{data})")
    shutil.copyfile(ASSETS / "fonts" / "OFL.txt", static / "OFL.txt")
    (static / "site.css").write_text(f"{STYLE}\n{prediction_bars.STYLE}\n{style}", encoding="utf-8")
    return _config(edition, terms)


def _write(folder: Path, name: str, **values: Any) -> None:
    template = templates(*HERE).get_template(f"{name}.j2")
    (folder / name).write_text(template.render(values), encoding="utf-8")


def _search_says() -> dict[str, str]:
    """Return what the search says."""
    return {
        "title": _("Search results"),
        "found": _("Places found: {number}", number="{number}"),
        "none": _("No page holds these words. See whether they are spelled as in the lessons."),
        "script": _("The search needs JavaScript."),
    }


def _title(course: Course) -> str:
    return translated("course", course.title)


def _mistakes(course: Course) -> dict[str, Any]:
    """Return what the page of all mistakes shows: them by the lesson that explains them, and their words."""
    faults = load_faults(course.source)
    groups: dict[str, list[Fault]] = {lesson: [] for lesson in (*course.lessons, "")}
    for fault in faults.known.values():
        lesson = fault.section.partition("#")[0]
        groups[lesson if lesson in groups else ""].append(fault)
    words = _Words({key: translated("word", text) for key, text in faults.words.items()})
    return {
        "groups": groups,
        "words": words,
        "headings": headings,
        "translated": translated,
        "capital": capital,
    }


def _start(course: Course, notebooks: dict[str, NotebookNode]) -> dict[str, Any]:
    """Return what the page of the quiz needs to say what each wrong answer comes of."""

    def said(number: int, fault: Fault, lesson: str) -> str:
        why = html.escape(capital(translated(fault.id, fault.name)))
        section = _where(notebooks, fault.section) or lesson
        mistake = f'<a href="mistakes.html#mistake-{fault.id}">{why}</a>'
        return _("Question {number}: {why}. See {place}.", number=number, why=mistake, place=section)

    return {
        "known": load_faults(course.source).known,
        "said": said,
        "translated": translated,
        "begin_with": begin_with,
        "leave_out": leave_out,
    }


class _Words(dict[str, str]):
    """What hints call things; a word that only tasks fill in stays as a name."""

    def __missing__(self, name: str) -> str:
        return f"`{name}`"


def _where(notebooks: dict[str, NotebookNode], section: str) -> str:
    """Return a link to the cell that explains something, or nothing where none does."""
    lesson, cell = section.partition("#")[::2]
    prose, heading = headings(notebooks[lesson]).get(cell, ("", "")) if lesson in notebooks else ("", "")
    # The heading's own links and formulas cannot stand in a link.
    return f'<a href="{lesson}.html#cell-{prose}">{lesson}: {_heading_text(heading)}</a>' if heading else ""


def _heading_text(heading: str) -> str:
    return heading.replace("`", "").replace("*", "").replace("$", "")


def _config(edition: Edition, terms: tuple[Term, ...]) -> dict[str, Any]:
    """Sphinx's settings: nothing is executed, and nothing comes from the network."""
    course, language = edition.course, edition.language
    sidebar = ["sidebar/brand.html", SEARCH, "sidebar/scroll-start.html"]
    sidebar += ["sidebar/navigation.html", *([SWITCH] if len(edition.languages) > 1 else [])]
    return {
        "project": _title(course),
        "html_title": _title(course),
        "extensions": ["myst_nb", "autograder.author.site.sphinx_extension"],
        "language": language if language == language.lower() else "en",
        "course_language": language.replace("_", "-"),
        "course_terms": terms,
        "course_lessons": list(course.lessons),
        "nb_execution_mode": "off",
        "nb_merge_streams": True,
        "myst_enable_extensions": ["dollarmath"],
        "myst_all_links_external": False,
        "html_math_renderer": "mathml",
        "html_theme": "furo",
        "html_theme_options": {"navigation_with_keys": False},
        "html_sidebars": {"**": [*sidebar, "sidebar/scroll-end.html"]},
        "html_static_path": ["static"],
        "html_css_files": ["site.css"],
        **({"html_favicon": str(course.root / course.site.icon)} if course.site.icon else {}),
        "course_says": translated("course", course.site.says) if course.site.says else "",
        "course_picture": Path(course.site.picture).name,
        "html_js_files": [("site.js", {"defer": "defer"})],
        "html_context": {
            "course_languages": edition.links,
            "languages_title": _("Languages"),
            "lessons_title": _("Lessons"),
            "search_says": _search_says(),
        },
        "templates_path": ["templates"],
        "html_copy_source": False,
        "html_show_sourcelink": False,
        "html_show_copyright": False,
        "html_show_sphinx": False,
        "html_use_index": False,
        "pygments_style": "a11y-high-contrast-light",
        "suppress_warnings": ["mystnb.unknown_mime_type", "myst.header", "toc.not_included"],
    }


def _run_sphinx(source: Path, out: Path, config: dict[str, Any]) -> None:
    nocolor()
    warnings = io.StringIO()
    try:
        with patch_docutils(), docutils_namespace():
            how: dict[str, Any] = {"status": None, "warning": warnings, "freshenv": True}
            Sphinx(source, None, out, source / "doctrees", "html", config, **how).build()
    except (SphinxError, SystemMessage) as problem:
        raise AuthoringError([f"site: {problem}"]) from problem
    complaints = [
        line.replace(f"{source}{os.sep}", "") for line in warnings.getvalue().splitlines() if line.strip()
    ]
    if complaints:
        raise AuthoringError([f"site: {line}" for line in complaints])
    for name in (".buildinfo", "objects.inv"):
        (out / name).unlink(missing_ok=True)
    shutil.rmtree(out / "_sources", ignore_errors=True)
