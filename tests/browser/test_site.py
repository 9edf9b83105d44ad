"""The course's site in Chromium, opened as files, with the network off."""

from __future__ import annotations

import json
import os
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from autograder.author.site.build_site import build_site
from autograder.lesson.placement_quiz import begin_with
from autograder.records import quiz as placement
from autograder.records.course import Course

from tests.browser.conftest import report_troubles

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
MOST_BYTES = 2_000_000
MOST_MS = 1000  # to the first paint
COURSE = Course.read(ROOT)
FOLDERS = ("", *(f"{language}/" for language in COURSE.languages[1:]))
KINDS = ("index", "start", "01-dot-product", "mistakes", "glossary", "search")
# Every page in every language, theme and width: 216 visits, for a machine that does nothing else.
EVERY = os.environ.get("PAGES") == "all"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Of a theme, contrast alone depends; and of a language, how wide its words are.
READ = (
    [
        (theme, width, f"{folder}{kind}", WCAG)
        for folder in FOLDERS
        for kind in (*KINDS, *COURSE.lessons[1:])
        for theme in ("light", "dark")
        for width in (400, 1600)
    ]
    if EVERY
    else [
        *(("light", 400, kind, WCAG) for kind in KINDS),
        *(("dark", 1600, kind, ["color-contrast"]) for kind in KINDS),
        *(("light", 400, f"{folder}01-dot-product", WCAG) for folder in FOLDERS[1:]),
    ]
)
# A reader is told to run nothing: what a page's prose must not hold, in each language.
TOLD = {
    "": r"\b[Rr]un (?:the|this|these) (?:\w+ )?cells?|then run\b|\bRun (?:it|both|them)\b",
    "bn/": r"cell(?:-টি|-গুলো)? (?:আবার )?চালাও|তারপর চালাও|cell চালিয়ে",
    "hi_Latn/": r"[Cc]ells? (?:phir )?chalao|phir chalao",
}


class Parts(HTMLParser):
    """The ids of a page, the addresses that it links to, and those of the files that it loads."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        actual = dict(attrs)
        self.ids.add(actual.get("id", ""))
        if tag == "a" and "href" in actual:
            self.links.append(actual["href"])
        if tag == "link" and actual.get("rel") == "stylesheet":
            self.parts.append(actual["href"])
        if not actual.get("src", "data:").startswith("data:"):
            self.parts.append(actual["src"])
        if actual.get("data-script"):
            self.parts.append(f"_static/{actual['data-script']}")
        for name in json.loads(actual.get("data-scripts", "{}")).values():
            self.parts.append(f"_static/{name}")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    build_site(Course.read(ROOT), out)
    return out


@pytest.fixture
def visit(site, browser):
    """Open a page of the site as a file; it must ask nobody, find all that it needs, and raise nothing."""
    contexts, trouble = [], []

    def opened(name, theme="light", width=1280):
        context = browser.new_context(
            offline=True, color_scheme=theme, viewport={"width": width, "height": 1000}
        )
        contexts.append(context)
        page = context.new_page()
        report_troubles(page, trouble)
        page.on(
            "requestfailed",
            lambda request: (
                # Leaving a page breaks off what it still loads; nothing is missing then.
                None if request.failure == "net::ERR_ABORTED" else trouble.append(request.url)
            ),
        )
        page.on(
            "request",
            lambda request: (
                # A page runs the module of an explorer from a blob that it has made itself.
                None
                if request.url.startswith((f"file://{site}", "data:", "blob:null/"))
                else trouble.append(request.url)
            ),
        )
        page.goto(f"file://{site}/{name}.html")
        return page

    yield opened
    met = list(trouble)  # closing a page breaks off what it still loads
    for context in contexts:
        context.close()
    assert met == []


def uncover(page):
    """Show what waits for predictions; explorers may stand there."""
    page.evaluate("document.querySelectorAll('.prediction button').forEach(one => one.click())")


def test_every_link_leads_somewhere(site):
    files = {str(path): Parts(path) if path.suffix == ".html" else None for path in site.rglob("*.*")}
    lost = []
    for name, parts in files.items():
        for link in set(parts.links if parts else ()):
            place = urlsplit(link)
            if place.scheme or link == "#":
                continue
            folder = os.path.dirname(name)
            target = os.path.normpath(os.path.join(folder, unquote(place.path))) if place.path else name
            reference = files.get(target)
            ids = reference.ids if reference else {""}
            if target not in files or (place.fragment and unquote(place.fragment) not in ids):
                lost.append(f"{os.path.relpath(name, site)}: {link}")
    assert lost == []


def test_no_page_is_large(site):
    for path in site.rglob("*.html"):
        held = {path, *(path.parent / unquote(urlsplit(part).path) for part in Parts(path).parts)}
        assert sum(part.stat().st_size for part in held) < MOST_BYTES, path.relative_to(site)


def test_pictures_keep_their_letters_readable_on_a_phone(visit):
    page = visit("01-dot-product", width=390)
    uncover(page)  # what came of a prediction, too
    shares = page.locator("div.cell_output .ag-picture").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().width / one.getAttribute('width'))"
    )
    # The smallest letters have 11 pixels.
    assert min(shares) * 11 >= 9
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.sample(3)
@pytest.mark.parametrize(("theme", "width", "name", "rules"), READ)
def test_a_page_can_be_read_by_everybody(visit, theme, width, name, rules):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(name, theme, width)
    if EVERY:
        painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        assert page.wait_for_function(painted).json_value() < MOST_MS
    uncover(page)
    page.evaluate(
        "document.querySelectorAll('.wrong-answers button:first-of-type').forEach(one => one.click())"
    )
    page.wait_for_function(
        "[...document.querySelectorAll('.wrong-answers [aria-live]')].every(one => one.firstChild)"
    )
    # All mistakes look alike: in the dark, those of three lessons are enough.
    most = 3 if name == "mistakes" and rules != WCAG else 10_000
    opened = "[...document.querySelectorAll('details')].slice(0, most)"
    page.evaluate(f"most => {opened}.forEach(one => {{ one.open = true }})", most)
    for item in page.locator(".live-place").all():
        item.scroll_into_view_if_needed()
        page.wait_for_function("node => node.dataset.ready", arg=item.element_handle())
    for narrow in {width, min(width, 390)}:
        page.set_viewport_size({"width": narrow, "height": 1000})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0
    actual = Axe().run(
        page,
        # To read style sheets anew, axe would have to fetch them.
        options={"preload": False, "resultTypes": ["violations"], "runOnly": rules},
    )
    assert [
        f"{item['id']}: {item['help']}: {node['html'][:200]}"
        for item in actual.response["violations"]
        for node in item["nodes"]
    ] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_lesson_tells_a_reader_to_run_something(site, folder):
    pages = {lesson: (site / folder / f"{lesson}.html") for lesson in COURSE.lessons}
    prose = {
        lesson: re.sub(r"(?s)<(pre|script)\b.*?</\1>|<[^>]*>", " ", path.read_text(encoding="utf-8"))
        for lesson, path in pages.items()
    }
    reported = {lesson: re.findall(TOLD[folder], " ".join(text.split())) for lesson, text in prose.items()}
    assert {lesson: actual for lesson, actual in reported.items() if actual} == {}


def test_the_trained_model_is_on_every_lessons_page_from_the_same_files(site):
    files = {part for part in Parts(site / "10-read-a-model.html").parts if "/live/" in part}
    files &= set(Parts(site / "index.html").parts)
    assert len(files) == 2  # its module and its weights
    for folder in FOLDERS:
        for lesson in COURSE.lessons:
            assert files <= {*Parts(site / folder / f"{lesson}.html").parts}, f"{folder}{lesson}"


def test_the_trained_model_is_loaded_when_its_fold_is_opened(visit):
    page = visit("bn/04-dropout")
    box, summary = page.locator(".try-it .live-place"), page.locator(".try-it summary")
    weights = json.loads(box.get_attribute("data-scripts"))["weights"]
    summary.scroll_into_view_if_needed()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.locator(f"script[src$='{weights}']").count() == 0
    summary.press("Enter")
    box.get_by_role("textbox").first.fill("for item in ite")
    box.locator(".says", has_text="'e'").first.wait_for()


def test_a_link_at_the_head_of_a_lesson_opens_the_fold_of_the_trained_model(visit):
    page = visit("04-dropout", width=390)
    page.get_by_role("link", name="Look inside a model").press("Enter")
    page.locator(".try-it").get_by_label("Type anything").wait_for()


@pytest.mark.parametrize(
    ("folder", "actual", "nothing"),
    [
        ("", "Places found: ", "No page holds these words."),
        ("bn/", "জায়গা পাওয়া গেছে: ", "কোনো পাতায় এই শব্দগুলো নেই।"),
    ],
    ids=["en", "bn"],
)
def test_search_finds_a_lesson_and_says_where_there_is_none(visit, folder, actual, nothing):
    page = visit(f"{folder}index")
    for query, output in (("xylophone", nothing), ("online softmax", actual)):
        page.locator(".sidebar-search").fill(query)
        page.keyboard.press("Enter")
        page.locator(".search-summary", has_text=output).wait_for()
    assert page.locator(".search-found mark").count() > 1
    page.locator(".search-found a[href*='11-fast-attention']").first.click()
    assert page.locator("h1").inner_text().startswith("11")


@pytest.mark.parametrize("typed", ["sofftmax", "sotfmax", "softmx", "softnax"])
def test_a_search_forgives_a_slip(visit, typed):
    page = visit("search")
    page.goto(page.url + f"?q={typed}")
    assert page.locator(".search-found a").first.inner_text() == "4 · Softmax"


def test_a_search_for_a_title_gives_its_section_first(visit):
    page = visit("search")
    page.goto(page.url + "?q=softmax")
    assert page.locator(".search-found a").first.inner_text() == "4 · Softmax"


SHIFTS = """window.shifted = 0;
new PerformanceObserver(list => list.getEntries().forEach(one => { window.shifted += one.value }))
  .observe({ type: "layout-shift", buffered: true });"""


@pytest.mark.parametrize("name", ["index", "01-dot-product", "mistakes", "bn/mistakes"])
def test_a_page_does_not_jump_while_it_loads(site, browser, name):
    pages = [browser.new_page(viewport={"width": width, "height": 900}) for width in (390, 768, 1440)]
    for page in pages:
        page.add_init_script(SHIFTS)
        page.goto(f"file://{site}/{name}.html")
    pages[-1].wait_for_timeout(1500)
    shifted = [page.evaluate("window.shifted") for page in pages]
    for page in pages:
        page.close()
    assert max(shifted) < 0.05


def test_mistakes_are_folded_by_lesson_and_looked_for_by_a_word(visit):
    page = visit("mistakes")
    assert page.locator("details[open]").count() == 0
    page.get_by_role("searchbox", name="Look for a mistake").fill("column adds up to 1")
    page.locator(".mistakes-filter [role=status]", has_text="Mistakes found: ").wait_for()
    shown = page.locator("details[open] section:visible")
    assert 0 < shown.count() < 20
    assert "column" in shown.first.inner_text()


def test_the_first_page_begins_with_a_sentence_and_leads_to_the_first_lesson(visit):
    page = visit("index")
    page.get_by_label("Word 14 of the sentence").select_option("fish")
    page.locator(".says", has_text="takes in is “fish”").wait_for()
    page.get_by_role("link", name="Build this: lesson 01").click()
    assert page.locator("h1").inner_text().startswith("01")


def test_the_first_page_runs_the_model_on_what_is_typed(visit):
    page = visit("index")
    page.get_by_text("Look inside a model").click()
    page.get_by_label("Type anything").fill("for item in ite")
    page.locator(".says", has_text="token 14, 'e'").wait_for()
    page.get_by_label("Step").press("Home")
    path = page.locator(".path .says")
    assert path.inner_text().startswith("“e” becomes 96 numbers")
    page.get_by_label("Step").press("ArrowRight")
    assert path.inner_text().startswith("attention 0 adds to “e” what its heads bring: head 0 most from")
    page.get_by_label("At the marked token").press("ArrowDown")
    page.locator(".says", has_text="At token 14, what is there after the embedding comes from").wait_for()


def test_at_least_eight_explorers_stand_on_the_site(site):
    mounted = sum(
        path.read_text(encoding="utf-8").count("data-scripts=") for path in site.glob("[0-9]*.html")
    )
    assert mounted >= 8


def test_an_explorer_shows_what_the_notebook_shows_before_a_script_runs(site):
    page = unescape((site / "01-dot-product.html").read_text(encoding="utf-8"))
    assert "Weights after softmax: Your 0.1385, journey 0.2379" in page


def test_a_prediction_is_kept_and_uncovers_what_came(visit):
    page = visit("01-dot-product")
    form = page.locator('.prediction[data-prediction="dot-product-swapped"]')
    outcome = page.locator('.outcome[data-prediction="dot-product-swapped"]')
    assert not outcome.is_visible()
    form.locator("input").first.focus()
    page.keyboard.press("Space")
    assert outcome.is_visible()
    page.reload()
    assert form.locator("input").first.is_checked()
    assert "Your prediction came true." in outcome.inner_text()
    page.keyboard.press("Tab")
    form.locator("input").first.focus()
    page.keyboard.press("ArrowDown")
    assert "It came out differently." in outcome.inner_text()


def test_a_translated_prediction_asks_and_comes_true_in_its_language(visit):
    page = visit("bn/01-dot-product")
    form = page.locator('.prediction[data-prediction="dot-product-swapped"]')
    assert "the same number twice" not in form.inner_text()
    form.get_by_label("দুবার একই সংখ্যা").check()
    outcome = page.locator('.outcome[data-prediction="dot-product-swapped"]')
    assert "তোমার অনুমান মিলেছে।" in outcome.inner_text()


def test_a_typed_number_comes_true_when_it_is_near(visit):
    page = visit("02-trainable")
    form = page.locator(".prediction", has=page.locator("input[type=text]")).first
    outcome = page.locator(f'.outcome[data-prediction="{form.get_attribute("data-prediction")}"]')
    came = float(outcome.get_attribute("data-came"))
    for typed, end in ((came * 1.04, "came true"), (came * 1.2, "differently")):
        form.locator("input").fill(f"{typed:.6f}")
        page.keyboard.press("Enter")
        assert end in outcome.inner_text()


def test_what_came_is_shown_to_those_who_do_not_predict(visit):
    page = visit("01-dot-product")
    form = page.locator('.prediction[data-prediction="dot-product-swapped"]')
    form.get_by_role("button", name="Show what came").press("Enter")
    assert page.locator('.outcome[data-prediction="dot-product-swapped"]').is_visible()


@pytest.mark.parametrize("form", ["start", "again"])
def test_the_quiz_says_where_to_begin_as_the_notebook_does(visit, form):
    page, items = visit("start"), placement.read_quiz(Course.read(ROOT))
    quiz = page.locator(f"form#{form}")
    result = quiz.locator(".quiz-result")
    output = {}

    def choose(item, answer):
        output[item.id] = answer
        quiz.locator(f'input[name="quiz.{form}.{item.id}"][value="{answer}"]').focus()
        page.keyboard.press("Space")

    def reported():
        quiz.get_by_role("button").press("Enter")
        return result.locator("p").inner_text()

    assert reported() == begin_with(items[0].lesson)
    for item in items:
        choose(item, item.asked[form].right)
    assert reported() == begin_with("")
    assert result.locator("li:visible").count() == 0
    for item in (items[20], items[5]):
        fault, answer = next(iter(item.asked[form].wrong.items()))
        choose(item, answer)
        assert reported() == begin_with(placement.first_lesson(items, form, output))
        assert result.locator(f'li:visible a[href="mistakes.html#mistake-{fault}"]').count() == 1
    page.reload()
    assert reported() == begin_with(items[5].lesson)


def test_the_theme_reaches_explorers_and_pictures(visit):
    page = visit("01-dot-product", "dark")
    assert page.locator("body").get_attribute("data-jp-theme-light") == "false"
    picture = page.locator(".ag-picture").first
    turned = "node => getComputedStyle(node).filter"
    assert picture.evaluate(turned) == "invert(1) hue-rotate(180deg)"
    page.locator(".theme-toggle:visible").press("Enter")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'true'")
    assert picture.evaluate(turned) == "none"


def test_a_solution_opens_by_keyboard(visit):
    page = visit("01-dot-product")
    fold = page.locator("details", has_text="Show a solution").first
    assert not fold.locator("pre").is_visible()
    fold.locator("summary").press("Enter")
    assert "for i in range(len(a)):" in fold.locator("pre").inner_text()
    size = "node => getComputedStyle(node).fontSize"
    assert fold.locator("pre").evaluate(size) == page.locator(
        ":not(details) > .cell_input pre"
    ).first.evaluate(size)


@pytest.mark.parametrize(
    ("folder", "called", "says"),
    [
        ("", "Softmax runs over the queries", "each column adds up to 1"),
        ("bn/", None, None),
        ("hi_Latn/", None, None),
    ],
)
def test_a_wrong_answer_can_be_tried_by_keyboard(visit, folder, called, says):
    page = visit(f"{folder}01-dot-product")
    group = page.locator(".wrong-answers:has(#wrong-all-weights)")
    first, second, _third = group.get_by_role("button").all()
    assert not called or first.inner_text() == called
    first.press("Enter")
    shown = group.locator("#wrong-all-weights")
    assert "torch.softmax(attn_scores, dim=0)" in shown.locator("ins").inner_text()
    assert shown.locator("svg .ag-place").count() == 36
    card = shown.locator(".ag-no").inner_text()
    assert (says in card) if says else not re.search("softmax runs|adds up", card)
    second.press("Space")
    page.wait_for_function("document.querySelector('#wrong-all-weights ins').textContent.includes('flatten')")
    assert [item.get_attribute("aria-expanded") for item in (first, second)] == ["false", "true"]
    second.press("Space")
    assert shown.inner_html() == ""


def test_a_lesson_shows_what_was_read_and_predicted_and_offers_its_place_on_the_first_page(visit):
    page = visit("01-dot-product", width=390)
    tasks, asked = page.locator(".spine [data-task]"), page.locator(".spine [data-prediction]")
    assert [item.get_attribute("data-task") for item in tasks.all()] == list(
        COURSE.load("01-dot-product").tasks
    )
    assert asked.count() == page.locator(".prediction").count()
    left = page.locator(".spine span")
    assert left.inner_text() == "Minutes left: 85"
    page.locator("#end-dot-product").scroll_into_view_if_needed()
    first = page.locator('.spine .done[data-task="dot-product"]')
    first.wait_for()
    assert first.get_attribute("aria-label") == "Task 1 · A dot product by hand (done)"
    assert int(left.inner_text().split()[-1]) < 85
    assert page.locator(".spine").bounding_box()["y"] < 100  # it stays in view
    page.locator(".prediction input").first.check()
    page.locator(".spine .asks.done").wait_for()
    page.wait_for_function("localStorage.last?.includes('dot-product')")
    page.reload()
    assert page.locator(".spine .done").count() == 2
    page.goto(page.url.replace("01-dot-product", "index").partition("#")[0])
    link = page.locator(".go-on")
    assert link.inner_text() == "Go on: 01 · From a dot product to attention"
    link.click()
    page.wait_for_function("location.pathname.endsWith('01-dot-product.html')")
    assert page.locator(f"[id='{urlsplit(page.url).fragment}']").count() == 1


def test_the_first_page_offers_no_place_to_who_has_none(visit):
    assert not visit("index").locator(".go-on").is_visible()


def test_a_lesson_begins_with_its_neighbours_and_a_picture(visit):
    page = visit("02-trainable")
    before, after = page.locator(".neighbours a").all()
    assert (before.get_attribute("href"), after.get_attribute("href")) == (
        "01-dot-product.html",
        "03-causal.html",
    )
    box = page.locator(".key-figure").bounding_box()
    assert box["y"] + box["height"] < 1000
    assert page.locator(".key-figure").evaluate("node => node.complete && node.naturalWidth > 0")


def test_the_search_answers_on_every_page_as_one_types(visit):
    page = visit("03-causal")
    field = page.locator(".sidebar-search")
    field.press_sequentially("dropuot")
    first = page.locator(".search-here a").first
    first.wait_for()
    assert "ropout" in first.inner_text()
    field.press("ArrowDown")
    assert first.evaluate("node => node === document.activeElement")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    assert field.input_value() == ""
    assert page.locator(".search-here a").count() == 0
    field.press_sequentially("dropout")
    first.wait_for()
    field.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_function("location.pathname.endsWith('04-dropout.html')")


def test_a_page_brings_the_letters_of_bengali(visit):
    faces = visit("bn/index").evaluate("document.fonts.load('16px \"Noto Sans Bengali\"', 'বাংলা')")
    assert len(faces) == 1
