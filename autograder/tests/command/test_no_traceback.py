"""Whatever is wrong with a disk, a file, a name or a locale: a command says so, and never shows its code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from autograder.grading.class_folder import Class
from support import each_command
from support.class_course import class_folder
from support.desk_class import LESSON, answered
from support.handing_in import zipped

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs Unix: each command is a fork"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # of nbgrader's own way of adding
]

PEOPLE = "id,first_name,last_name,email\nada,Ada,Ünal,ada@x.org\nbob,বব,রায়,bob@x.org\ncleo,Cleo,Q,c@x.org\n"
CANVAS = f'Student,ID,SIS Login ID,Section,{LESSON} (9)\n    Points Possible,,,,\n"Ünal, Ada",1,ada,A,\n'
MOODLE = "Identifier,Full name,Email address,Grade\nParticipant 7,Ada Ünal,ada@x.org,\n"
FILES = {"people.csv": PEOPLE, "canvas.csv": CANVAS, "moodle.csv": MOODLE}
FILES["asked.csv"] = f"id,lesson,task,request\nada,{LESSON},strided,Why?\n"
# Each command as it is typed in an ordinary term.
COMMANDS = {
    "roster": ("roster", "people.csv"),
    "collect": ("collect", "archive.zip"),
    "extend": ("extend", "ada", LESSON, "3d"),
    "secret": ("secret", LESSON),
    "grade": ("grade", LESSON),
    "report": ("report", LESSON, "--html", "out/report.html", "--csv", "out/report.csv"),
    "similar": ("similar", LESSON),
    "desk": ("desk", "--out", "out/desk"),
    "regrade": ("regrade", "asked.csv"),
    "bundle": ("bundle", LESSON, "--out", "out/bundle.zip"),
    "gradescope": ("gradescope", LESSON, "--out", "out/gradescope.zip"),
    "return": ("return", LESSON, "--folder"),
    "canvas": ("export", "--canvas", "canvas.csv"),
    "moodle": ("export", LESSON, "--moodle", "moodle.csv"),
    "xlsx": ("export", "--xlsx", "out/book.xlsx"),
    "new-course": ("new-course", "out/another"),
    "translate": ("translate", LESSON),
    "messages": ("messages", LESSON, "--confirm"),
    "audit": ("audit", LESSON, "--table"),
}
# Takes long, and so only where a disk refuses it. What serves until it is ended has tests of its own.
BUILD = ("build", LESSON)
UNKNOWN = {
    LESSON: "99-nothing",
    "ada": "zoe",
    "people.csv": "nowhere.csv",
    "canvas.csv": "nowhere.csv",
    "moodle.csv": "nowhere.csv",
    "asked.csv": "nowhere.csv",
    "archive.zip": "nowhere.zip",
}


def swapped(reference: dict[str, str]) -> list[tuple[str, ...]]:
    return [tuple(reference.get(word, word) for word in words) for words in COMMANDS.values()]


WRONG = ("archive.zip", "empty", "course.toml", "source", "photo.png")
SITUATIONS = {
    "read-only": [*COMMANDS.values(), BUILD],
    "full": [*COMMANDS.values(), BUILD],
    "locale": list(COMMANDS.values()),
    "empty class": list(COMMANDS.values()),
    "doubled": [(*words, *words[1:]) for words in COMMANDS.values()],
    "unknown": swapped(UNKNOWN),
    "wrong file": [
        words
        for item in WRONG
        for words in swapped(dict.fromkeys((*FILES, "archive.zip"), item))
        if item in words
    ],
}
# What has to be refused: that a command only looks as if it had worked is no better.
REFUSED = {
    "read-only": set(COMMANDS) - {"similar", "audit"},
    "full": set(COMMANDS) - {"similar", "audit"},
    "unknown": set(COMMANDS) - {"desk", "xlsx", "new-course"},
}


@pytest.fixture(scope="module")
def template(class_course, tmp_path_factory):
    folder = Path(answered(class_course, tmp_path_factory.mktemp("class")).directory.root)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "empty").touch()
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    shutil.copy(class_course.source / "faults.py", folder / "source")
    zipped(folder / "archive.zip", [(f"ada/{LESSON}.ipynb", Class(folder).release(LESSON).read_bytes())])
    shutil.copytree(Class(folder).release(LESSON).parent, folder / "submitted" / "ada" / LESSON)
    page = folder / "feedback" / "ada" / LESSON / f"{LESSON}.html"
    page.parent.mkdir(parents=True)
    page.write_text("well done", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ended(template, class_course, tmp_path_factory, walls):
    """What each command said in each situation: [code, text], by the situation and the words.

    Root may write into a read-only folder and has no quota, so mounts stand for both. All is tried where the
    locale knows nothing but ASCII.
    """
    top = tmp_path_factory.mktemp("places")
    places = {situation: top / situation / "course" for situation in SITUATIONS}
    for situation, root in places.items():
        if situation == "empty class":
            class_folder(class_course, root, LESSON)
            for name in (*FILES, "archive.zip"):
                shutil.copy(template / name, root)
        else:
            shutil.copytree(template, root)
    table = [(situation, words) for situation, several in SITUATIONS.items() for words in several]
    asked, output = top / "commands.json", top / "results.json"
    asked.write_text(json.dumps([(str(places[situation]), words) for situation, words in table]))
    output.touch()
    fill = 'cp -a "$1/." "$2"; dd if=/dev/zero of="$2/filler" bs=4k 2>/dev/null; shift 2; exec "$@"'
    read_only, full = str(places["read-only"]), str(places["full"])
    run = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", read_only, read_only]
    run += ["--size", "8000000", "--tmpfs", full, "sh", "-c", fill, "sh", str(template), full]
    run += [sys.executable, each_command.__file__, str(asked), str(output)]
    reference = {"AUTOGRADER_SECRET": "secret", "HOME": str(top)}
    if __file__.isascii():  # torch cannot be imported from another folder in this locale
        reference |= {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(run, env=os.environ | reference, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads(output.read_text(encoding="utf-8"))
    return dict(zip(((situation, " ".join(words)) for situation, words in table), results, strict=True))


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_command_ends_in_a_traceback(ended, situation):
    here = {words: reported for (where, words), reported in ended.items() if where == situation}
    assert {words: text for words, (_, text) in here.items() if "Traceback" in text} == {}
    assert [
        words for words, (code, text) in here.items() if code not in (0, 1, 2) or (code and not text)
    ] == []
    named = {
        name for name, words in zip(COMMANDS, SITUATIONS[situation], strict=False) if here[" ".join(words)][0]
    }
    assert REFUSED.get(situation, set()) - named == set()
