"""Reading a submission whatever state its file is in."""

from __future__ import annotations

import json
import os

import nbformat
import pytest
from autograder.grading import submission as submissions
from autograder.grading.nbgrader_steps import SubmissionExporter
from autograder.grading.rebuild import rebuild
from autograder.grading.submission import MAX_PARTS, UNREADABLE, read_submission, read_text
from autograder.words.visible import one_line
from nbconvert.preprocessors import Preprocessor

SHARE = "def share(x):\n    return x / x.sum()"


@pytest.fixture
def handed_in(tmp_path):
    """A file with these bytes or this text, as a learner might hand it in."""

    def write(content):
        path = tmp_path / "lesson.ipynb"
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def read(handed_in):
    return lambda content: read_submission(handed_in(content))


@pytest.fixture
def exported(handed_in, release):
    """The submission as nbgrader gets it: read, rebuilt and written, through nbconvert's own exporter."""

    class Rebuilt(Preprocessor):
        enabled = True

        def preprocess(self, nb, resources):
            return rebuild(release, nb).notebook, resources

    def export(content):
        path = content if hasattr(content, "name") else handed_in(content)
        text, _ = SubmissionExporter(preprocessors=[Rebuilt()]).from_filename(str(path))
        return nbformat.reads(text, as_version=4)

    return export


def reason(notebook):
    return notebook.metadata.get(UNREADABLE, "")


def answer(notebook):
    return next(cell.source for cell in notebook.cells if cell.get("id") == "share-answer")


# What can be read


def test_of_each_cell_its_kind_text_and_ids_are_read_and_nothing_else(read, submission):
    made = read(nbformat.writes(submission))
    kept = [(cell.cell_type, cell.source, cell["id"]) for cell in made.cells]
    assert kept == [(cell.cell_type, cell.source, cell["id"]) for cell in submission.cells]
    assert {key for cell in made.cells for key in cell.metadata} <= {"nbgrader"}
    assert reason(made) == ""


def test_a_byte_order_mark_does_not_matter(read, submission):
    made = read(b"\xef\xbb\xbf" + nbformat.writes(submission).encode())
    assert answer(made) == SHARE


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_what_windows_calls_unicode_is_read(read, submission, encoding):
    made = read(nbformat.writes(submission).encode(encoding))
    assert (reason(made), answer(made)) == ("", SHARE)


def test_bytes_of_another_encoding_do_not_matter(read, submission, cell_of):
    cell_of(submission, "shown").source = "# caf\xe9"
    made = read(nbformat.writes(submission).encode("latin-1"))
    assert (reason(made), answer(made)) == ("", SHARE)


def test_a_notebook_of_format_3_is_converted(read):
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": "x"},
        "worksheets": [
            {
                "cells": [
                    {
                        "cell_type": "code",
                        "input": SHARE,
                        "language": "python",
                        "outputs": [],
                        "collapsed": False,
                        "metadata": {"nbgrader": {"grade_id": "share-answer"}},
                    }
                ]
            }
        ],
    }
    made = read(json.dumps(old))
    assert (made.nbformat, reason(made)) == (4, "")
    assert made.cells[0].source == SHARE


# What cannot be read, with its reason


@pytest.mark.parametrize(
    "content",
    [
        "",
        " ",
        "not json",
        "{",
        '{"cells": [',
        b"\x00\x01\x02",
        b"\x80\x04\x95",
        '{"a": ' * 5000,
        "[" * 100_000,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_what_is_not_json_is_said_to_be_none(read, content):
    made = read(content)
    assert reason(made) == "the file is not JSON, so it is no notebook"
    assert made.cells == []


@pytest.mark.parametrize("content", ["[]", "null", "5", '"text"', "{}", '{"cells": null}', '{"cells": {}}'])
def test_json_that_is_no_notebook_is_said_to_hold_no_cells(read, content):
    made = read(content)
    assert reason(made) == "the file holds JSON, but no notebook cells"
    assert made.cells == []


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    made = read_submission(tmp_path / "nothing.ipynb")
    assert reason(made) == "there is no nothing.ipynb in the submission"


def test_a_folder_is_said_to_be_one(tmp_path):
    made = read_submission(tmp_path)
    assert reason(made) == "it is no ordinary file"


def test_a_file_that_is_too_large_is_not_read(handed_in, monkeypatch):
    monkeypatch.setattr(submissions, "MAX_FILE_BYTES", 1_000_000)
    path = handed_in("[" + " " * 1_000_001 + "]")
    assert reason(read_submission(path)) == "the file is larger than 1 MB"


# Whatever comes in, a notebook comes out


def nested(depth):
    return "[" * depth + "]" * depth


FORMAT = '"nbformat": 4, "nbformat_minor": 5'
SURROGATE = (
    '{"cell_type": "code", "source": "\\ud800", "metadata": {}, "outputs": [], "execution_count": null}'
)
ODD = {
    "worksheets that are none": '{"worksheets": 5}',
    "worksheets without cells": '{"worksheets": [{}], "nbformat": 3, "nbformat_minor": 0, "metadata": {}}',
    "null cells and worksheets": '{"cells": null, "worksheets": 1}',
    "no format": '{"cells": []}',
    "a format of the future": '{"cells": [], "nbformat": 99, "nbformat_minor": 5, "metadata": {}}',
    "a format that is text": '{"cells": [], "nbformat": "x", "nbformat_minor": [], "metadata": {}}',
    "a format without end": '{"cells": [], "nbformat": Infinity, "metadata": {}}',
    "metadata that is a list": f'{{"cells": [], "metadata": [], {FORMAT}}}',
    "no metadata": f'{{"cells": [], {FORMAT}}}',
    "cells that are none": f'{{"cells": ["a", 5, null, []], "metadata": {{}}, {FORMAT}}}',
    "cells without anything": f'{{"cells": [{{}}, {{}}], "metadata": {{}}, {FORMAT}}}',
    "a lone surrogate": f'{{"cells": [{SURROGATE}], "metadata": {{"a": "\\ud800"}}, {FORMAT}}}',
    "deep metadata": f'{{"cells": [], "metadata": {{"a": {nested(700)}}}, {FORMAT}}}',
    "deeper metadata": f'{{"cells": [], "metadata": {{"a": {nested(900)}}}, {FORMAT}}}',
    "deep cells": f'{{"cells": [{nested(480)}], "metadata": {{}}, {FORMAT}}}',
    "not json": "no",
    "json": "[]",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("content", ODD.values(), ids=ODD.keys())
def test_whatever_was_handed_in_is_exported_as_the_release(exported, release, content):
    made = exported(content)
    # A cell of the learner's own may be there beside the course's.
    kept = [cell["source"] for cell in made.cells if not cell["id"].startswith("added-")]
    assert kept == [cell.source for cell in release.cells]


def test_an_honest_submission_is_exported_with_its_answer(exported, submission):
    assert answer(exported(nbformat.writes(submission))) == SHARE


def test_honest_answers_beside_absurd_metadata_count(exported, submission):
    plain = json.loads(nbformat.writes(submission))
    plain["metadata"] = ["absurd"]
    plain["cells"].append(5)
    assert answer(exported(json.dumps(plain))) == SHARE


def test_the_exporter_tells_nbgrader_the_notebooks_name(handed_in, submission):
    path = handed_in(nbformat.writes(submission))
    _, resources = SubmissionExporter().from_filename(str(path))
    assert resources["metadata"]["name"] == "lesson"


@pytest.mark.parametrize(
    ("put", "why"),
    [
        (lambda path: path.symlink_to("/etc/hostname"), "a link to another place"),
        (lambda path: path.symlink_to(path), "a link to another place"),
        (lambda path: os.mkfifo(path), "no ordinary file"),
        (os.mkdir, "no ordinary file"),
        (
            lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 30_000_000_000),
            "larger than 20 MB",
        ),
    ],
)
def test_what_is_no_plain_file_of_a_sane_size_is_not_even_opened(tmp_path, put, why):
    folder = tmp_path / "submitted" / "eve" / "lesson"
    folder.mkdir(parents=True)
    put(folder / "lesson.ipynb")
    assert why in reason(read_submission(folder / "lesson.ipynb"))


def test_a_folder_that_is_a_link_is_not_followed(tmp_path, handed_in):
    folder = tmp_path / "submitted" / "eve"
    folder.mkdir(parents=True)
    handed_in("{}")
    (folder / "lesson").symlink_to(tmp_path)
    assert "a link to another place" in reason(read_submission(folder / "lesson" / "lesson.ipynb"))


def test_what_a_person_is_shown_is_one_line_that_no_terminal_acts_on():
    assert one_line("ruth\n\x1b[2J\u202e\u200bé רות\ud800") == "ruth\ufffd\ufffd[2J\ufffd\ufffdé רות\ufffd"
    assert len(one_line("x" * 10**6)) == 1000


@pytest.mark.parametrize("part", ["{}", "[]", '{"cell_type":"code","source":"1"}'])
def test_a_file_of_very_many_parts_is_not_taken_apart(part, monkeypatch):
    text = ('{"cells":[' + f"{part}," * MAX_PARTS + "{}]}").encode()
    monkeypatch.setattr(submissions.json, "loads", lambda _: pytest.fail("it was taken apart"))
    read = read_text(text)
    assert read.metadata[UNREADABLE] == "the file has more than 100000 parts"
