"""Translations of a course: what is gathered, what is refused, and the lessons that are made of them."""

from __future__ import annotations

import nbformat
import pytest
from autograder.author import pipeline, prose_segments, translate, translated_lesson
from autograder.author.build_record import without_source
from autograder.author.translate import TranslationFile, disagreements
from autograder.lesson.check_calls import check
from autograder.records.cell_roles import is_answer
from autograder.records.course import Course
from autograder.words import language
from support.tiny_course import NAME

SPOKEN = "bn_BD"  # which the tool itself does not speak
PROSE = """\
## A heading

A paragraph that is
wrapped, with `code`.

- one item
  on two lines
- $x$

| key | value |
| --- | --- |
| `a` | 1 |

$$
x = 1
$$

```text
no words
```

<details><summary>What to see</summary>

> ### Quoted
>
> It is so,
> and so.

</details>
### BEGIN SOLUTION
An answer.
### END SOLUTION"""


@pytest.fixture
def course(course_with) -> Course:
    """The tiny course, with a language, a prediction and a mistake whose hint has a word to fill in."""
    asked = 'predict("sign", "Which sign?", ("plus", "minus"))'
    shown = 'reveal(\n    "sign",\n    "minus",\n)'
    cells = f'# %% id="sign-prediction"\n{asked}\n\n# %% id="sign-revealed"\n{shown}\n\n# %% id="shown"'
    result = course_with(
        source=(('# %% id="shown"', cells), ("import check", "import check, predict, reveal"))
    )
    described = result.root / "course.toml"
    described.write_text(
        f'languages = ["en", "{SPOKEN}"]\n' + described.read_text(encoding="utf-8"), encoding="utf-8"
    )
    return Course.read(result.root)


def fill(course: Course, *translations: tuple[str, str, str]) -> None:
    """Translate texts: (context, in English, translated)."""
    for name in translate.files(course):
        catalog = TranslationFile(course, SPOKEN, name).merged()
        for context, text, string in translations:
            message = catalog.get(text, context or None)
            if message:
                message.string = string
        path = TranslationFile(course, SPOKEN, name).path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(translate.written(catalog))


# What there is to translate


def test_prose_is_gathered_by_paragraphs_and_put_back_in_its_place():
    assert list(prose_segments.texts(PROSE)) == [
        "A heading",
        "A paragraph that is wrapped, with `code`.",
        "one item on two lines",
        "| key | value |",
        "What to see",
        "Quoted",
        "It is so, and so.",
        "An answer.",
    ]
    assert prose_segments.translate(PROSE, lambda text: None) == PROSE
    shouted = prose_segments.translate(PROSE, str.upper)
    assert shouted.startswith(
        "## A HEADING\n\nA PARAGRAPH THAT IS WRAPPED, WITH `CODE`.\n\n- ONE ITEM ON TWO LINES\n- $x$\n"
    )
    assert "<details><summary>WHAT TO SEE</summary>\n\n> ### QUOTED\n>\n> IT IS SO, AND SO.\n" in shouted
    assert "x = 1" in shouted
    assert "no words" in shouted


def test_each_text_of_a_lesson_stands_where_a_translator_finds_it(course):
    actual = {(item.context, item.text) for item in translate.entries(course, NAME)}
    assert actual >= {
        (NAME, "01 · A tiny lesson"),
        ("title", "Text about it."),
        ("sign", "Which sign?"),
        ("sign", "minus"),
        ("share", "Shares of a whole"),
        ("share", "three numbers"),
        ("share", "Divide by the sum."),
        ("share", "Shares add up to 1."),
    }
    faults = {(item.context, item.text) for item in translate.entries(course, translate.FAULTS)}
    assert faults >= {
        ("course", "Tiny"),
        ("forbidden", "softmax"),
        ("word", "the sum"),
        ("by-largest", "divided by the largest"),
        ("by-largest", "Divide by {whole}."),
    }


def test_a_translation_stays_until_its_english_changes_and_is_outdated_then(course):
    fill(course, ("title", "Text about it.", "এর কথা।"), ("title", "A tiny lesson", "ছোট পাঠ"))
    assert TranslationFile(course, SPOKEN, NAME).update().outdated == 0
    path = course.source / NAME / f"{NAME}.py"
    path.write_text(
        path.read_text(encoding="utf-8").replace("Text about it.", "A text about it."), encoding="utf-8"
    )
    assert TranslationFile(course, SPOKEN, NAME).update(check=True).outdated == 1
    before = TranslationFile(course, SPOKEN, NAME).path.read_bytes()
    assert TranslationFile(course, SPOKEN, NAME).update().outdated == 1
    assert TranslationFile(course, SPOKEN, NAME).update().outdated == 1
    catalog = TranslationFile(course, SPOKEN, NAME).read()
    assert catalog.get("A text about it.", "title").string == "এর কথা।"
    assert not translate.is_usable(catalog.get("A text about it.", "title"))
    assert translate.is_usable(catalog.get("A tiny lesson", "title"))
    assert TranslationFile(course, SPOKEN, NAME).path.read_bytes() != before
    assert TranslationFile(course, SPOKEN, NAME).update().outdated == 1  # a second run loses nothing
    again = TranslationFile(course, SPOKEN, NAME).read().get("A text about it.", "title")
    assert again.string == "এর কথা।"


# What a translation may not do


@pytest.mark.parametrize(
    ("text", "string", "problem"),
    [
        ("Use `x` and $y$ on line 3.", "লাইন 3-এ $y$ আর `x`।", None),
        ("Use `x`.", "x।", "another code: lost `x`"),
        ("Use `x`.", "`y`।", "another code: lost `x`; added `y`"),
        ("<code>x</code>.", "<code>y</code>।", "another code: lost <code>x</code>; added <code>y</code>"),
        ("It is $x^2$.", "$x^3$।", "another formula: lost $x^2$; added $x^3$"),
        ("See [it](a.html).", "[এটি](b.html)।", "another link: lost (a.html); added (b.html)"),
        ("Divide by {whole}.", "{all} দিয়ে ভাগ।", "another placeholder: lost {whole}; added {all}"),
        ("Up to {p:g}.", "{p} পর্যন্ত।", "another placeholder: lost {p:g}; added {p}"),
        ("Press <kbd>x</kbd>.", "চাপো x।", "another tag: lost <kbd>, </kbd>"),
        ("| a | b |", "| ক |", "another column: lost |"),
        ("It is 0.5.", "এটি \u09e6.\u09eb।", "another number: lost 0.5; added \u09e6.\u09eb"),
        ("Bold it.", "**মোটা।", "a mark of Markdown (a heading's, a list's or **) stands there alone"),
        ("A text.", "# শিরোনাম", "a mark of Markdown (a heading's, a list's or **) stands there alone"),
        ("A text.", "ক\n\nখ", "another space before or after it, or a line end in it"),
        (" on {says}", "{says}-এ", "another space before or after it, or a line end in it"),
    ],
)
def test_a_translation_that_would_break_a_lesson_is_refused(text, string, problem):
    assert list(disagreements(text, string)) == ([problem] if problem else [])


# A lesson in another language


def test_a_translated_lesson_has_other_words_and_the_same_code(course, tmp_path, monkeypatch):
    pipeline.build(course, NAME)
    untranslated = translated_lesson.build(course, [SPOKEN], NAME)[SPOKEN]
    assert not (course.root / "notebooks" / SPOKEN).exists()
    assert untranslated[0].missing == untranslated[0].entries
    fill(
        course,
        (NAME, "01 · A tiny lesson", "01 · ছোট পাঠ"),
        ("title", "A tiny lesson", "ছোট পাঠ"),
        ("sign", "Which sign?", "কোন চিহ্ন?"),
        ("sign", "minus", "বিয়োগ"),
        ("share", "Shares of a whole", "অংশ"),
        ("share", "Shares add up to 1.", "অংশগুলোর যোগফল 1।"),
        ("share", "four numbers", "`x` চারটি"),  # refused: there is no code in the English title
        ("by-largest", "Divide by {whole}.", "{whole} দিয়ে ভাগ করো।"),
        ("word", "the sum", "যোগফল"),
        ("", "right", "ঠিক"),
        ("", "Your prediction", "তোমার অনুমান"),
    )
    states = translated_lesson.build(course, [SPOKEN], NAME)[SPOKEN]
    assert len(states[0].problems) == 1
    assert translated_lesson.stale(course, SPOKEN, NAME) == []
    assert without_source(course) == []
    for folder in ("notebooks", "solutions"):
        english, other = (
            nbformat.read(course.root / folder / course_folder / f"{NAME}.ipynb", as_version=4)
            for course_folder in (NAME, f"{SPOKEN}/{NAME}")
        )
        assert [cell["id"] for cell in other.cells] == [cell["id"] for cell in english.cells]
        for before, after in zip(english.cells, other.cells, strict=True):
            if before.cell_type == "code":
                assert after.source == before.source
                assert after.metadata == before.metadata
        for cell in filter(is_answer, other.cells):  # what a learner who starts over goes back to
            saved = {"stub": cell.source} if folder == "notebooks" else None
            assert cell.metadata.get("autograder") == saved
        assert other.cells[0].source == "# ছোট পাঠ\n\nText about it."
    shown = {cell["id"]: cell.outputs for cell in other.cells if cell.cell_type == "code"}
    assert shown["share"][0].data["text/plain"].startswith("[ঠিক] অংশ (3 of 3 points)\nঅংশগুলোর যোগফল 1।")
    assert "Result: বিয়োগ" in shown["sign-revealed"][0].data["text/plain"]
    assert "<li>○ বিয়োগ</li>" in shown["sign-prediction"][0].data["text/html"]
    assert shown["shown"] == {cell["id"]: cell.get("outputs") for cell in english.cells}["shown"]
    # What the kernel says then, in the folder of that language.
    monkeypatch.chdir(course.root / "notebooks" / SPOKEN / NAME)
    monkeypatch.setenv("AUTOGRADER_PROGRESS", "off")
    try:
        output = repr(check("share", lambda x: x / x.max()))
        assert "] অংশ (0 of 3 points)" in output
        assert "যোগফল দিয়ে ভাগ করো।" in output
        assert "--  four numbers" in output
    finally:
        language.speak(course.bank, ("en",))


def test_texts_of_modules_and_of_page_templates_are_gathered_one_and_many_together(tmp_path):
    (tmp_path / "page.html.j2").write_text(
        '<p>{{ _("all tasks") }} {{ _(name) }} {{ ngettext("{n} point", "{n} points", n, earned=2) }}</p>'
    )
    (tmp_path / "said.py").write_text(
        "WORDS = N_('a headline', 'and advice')\n"
        "print(_('right'), LazyMessage('{number} cell', '{number} cells', number=1))\n"
        "print(_(WORDS[0], why=_('why')))\n"
    )
    assert [entry.text for entry in translate._of_package(tmp_path)] == [
        "all tasks",
        ("{n} point", "{n} points"),
        *("a headline", "and advice", "right"),
        ("{number} cell", "{number} cells"),
        "why",
    ]
