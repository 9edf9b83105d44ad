"""The course's own translations: none breaks a lesson, and a translated lesson runs the same code."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from autograder.author import translate
from autograder.records.course import Course

COURSE = Course.read(Path(__file__).parents[1])
FILES = [
    (path.parent.name, path.stem)
    for language in COURSE.languages[1:]
    for path in sorted((COURSE.root / "locale" / language).glob("*.po"))
]
# The one sentence that code says in the reader's language: which kernel to choose.
SAYS_KERNEL = re.compile(r"(?<=\*\*more: print\(\").*(?=\"\)\)$)", re.MULTILINE)
NOTEBOOKS = [
    path.relative_to(COURSE.root)
    for folder in ("notebooks", "solutions")
    for language in COURSE.languages[1:]
    for path in sorted((COURSE.root / folder / language).glob("*/*.ipynb"))
]


@pytest.mark.parametrize(("language", "name"), FILES)
def test_no_translation_breaks_a_lesson(language, name):
    assert translate.state(translate.TranslationFile(COURSE, language, name).read(), name).problems == ()


@pytest.mark.parametrize("language", COURSE.languages[1:])
def test_what_the_tool_says_in_several_places_is_said_alike(language):
    output: dict[str, set[str]] = {}
    for name in ("messages", "visuals", "faults"):
        for message in translate.TranslationFile(COURSE, language, name).read():
            if message.id:
                output.setdefault(message.id, set()).add(message.string)
    assert {text: ways for text, ways in output.items() if len(ways) > 1} == {}


# What stands for itself in every language: code, formulas, placeholders, tags, quoted words.
FIXED = re.compile(r"`[^`]*`|\$\$?[^$]*\$\$?|\{[^}]*\}|<[^>]*>|[“\"][^”\"]*[”\"]|\*[A-Z][^*]*\*")
# A word that opens a sentence, and is not code or the name of a number.
OPENS_SMALL = re.compile(r"(?!nan\b|inf\b|dim\b)[a-z]{3,}(?=[ ,:-])")
# Per language: what is not written, and what the glossary has for it.
INSTEAD = {
    "bn": {
        r"উপর": "ওপর",
        r"মানচিত্র": "ছক",
        r"কর্ণ": "diagonal",
        r"ভিতর": "ভেতর",
        r"পিছনে": "পেছনে",
        r"সব সময়": "সবসময়",
        r"না হলে": "নাহলে",
        r"অবস্থান": "জায়গা",
        **{
            rf"(?<![A-Za-z_.-])(?<!context )(?<!Context )(?:{english})s?(?![A-Za-z_(])": bengali
            for english, bengali in (
                ("vector", "ভেক্টর"),
                ("sentence", "বাক্য"),
                ("word", "শব্দ"),
                ("row", "সারি"),
                ("column", "কলাম"),
                ("matrix", "ম্যাট্রিক্স"),
                ("machine", "কম্পিউটার"),
                ("picture", "ছবি"),
                ("mistake", "ভুল"),
            )
        },
    },
    "hi_Latn": {
        r"\bhazaar(?:ve|we)\b": "hazaarven",
        r"\bpeechhe\b": "peeche",
        r"\bkhatm\b": "khatam",
        r"\bijazat\b": "ijaazat",
        r"\b(un|is|us|in)mein\b": "unme, isme, usme, inme",
        r"\bnahin\b": "nahi",
        r"\bw?o le leta\b|\bwo\b": "woh",
        r"\bye\b": "yeh",
        r"\blambai\b": "length",
        r"\bshabd\b": "word",
        r"\bBhashayen\b": "Languages",
        r"\bhona hai\b": "hona chahiye",
        r"\bsambhavna\b": "probability",
        r"\bsaada\b": "plain",
        r"\b(?:agli|neeche wali) cell\b": "agla cell, neeche wala cell",
    },
}
# What translates an English word and reads as another one: per language, both words and what to write.
MISREAD = {"bn": {("refus", r"ফিরিয়ে দ|ফেরানো|ফেরাও|ফেরায়"): "error দাও (the other is *return*)"}}


@pytest.mark.parametrize(
    ("language", "name"), [*FILES, *((item, "messages") for item in COURSE.languages[1:])]
)
def test_a_translation_keeps_to_the_glossary(language, name):
    actual = []
    for text, string in said_in(language, name):
        prose = FIXED.sub(" ", string)
        actual += [
            f"{wrong.group()!r}, not {right!r}: {string[:80]}"
            for pattern, right in INSTEAD[language].items()
            if (wrong := re.search(pattern, prose, re.IGNORECASE))
        ]
        actual += [
            f"{wrong.group()!r}, not {right!r}: {string[:80]}"
            for (english, pattern), right in MISREAD.get(language, {}).items()
            if english in text.lower() and (wrong := re.search(pattern, prose))
        ]
        if text[0].isupper() and OPENS_SMALL.match(string):
            actual.append(f"begins with a small letter: {string[:80]}")
    assert actual == []


def said_in(language, name):
    """Each translated text of a file, with the English one."""
    for message in translate.TranslationFile(COURSE, language, name).read():
        strings = message.string if isinstance(message.string, (list, tuple)) else (message.string,)
        text = message.id if isinstance(message.id, str) else message.id[0]
        yield from ((text, string) for string in strings if text and string)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=str)
def test_a_translated_lesson_runs_the_code_of_the_english_one(path):
    folder, _language, *rest = path.parts
    english = nbformat.read(COURSE.root.joinpath(folder, *rest), as_version=4)
    translated = nbformat.read(COURSE.root / path, as_version=4)
    assert code(translated) == code(english)
    assert [cell["id"] for cell in translated.cells] == [cell["id"] for cell in english.cells]


def code(notebook):
    """What runs, by cell, with what nbgrader knows of it."""
    return {
        cell["id"]: (SAYS_KERNEL.sub("", cell.source), cell.metadata)
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
