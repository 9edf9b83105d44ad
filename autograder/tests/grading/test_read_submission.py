"""Reading a submission whatever state its file is in."""

from __future__ import annotations

import json
import os

import nbformat
import pytest
from autograder.grading import read_submission as submissions
from autograder.grading.nbgrader_autograde import SubmissionExporter
from autograder.grading.read_submission import (
    MAX_PARTS,
    SMALL_BYTES,
    UNREADABLE,
    lightened,
    read_submission,
    read_text,
)
from autograder.grading.reader_processes import READING, run_limited
from autograder.grading.rebuild_submission import rebuild
from autograder.grading.releases import ids_among
from autograder.grading.trim_notebook import essential
from autograder.words.sanitize import one_line
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
    result = read(nbformat.writes(submission))
    saved = [(cell.cell_type, cell.source, cell["id"]) for cell in result.cells]
    assert saved == [(cell.cell_type, cell.source, cell["id"]) for cell in submission.cells]
    assert {key for cell in result.cells for key in cell.metadata} <= {"nbgrader"}
    assert reason(result) == ""


def test_a_byte_order_mark_does_not_matter(read, submission):
    result = read(b"\xef\xbb\xbf" + nbformat.writes(submission).encode())
    assert answer(result) == SHARE


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_what_windows_calls_unicode_is_read(read, submission, encoding):
    result = read(nbformat.writes(submission).encode(encoding))
    assert (reason(result), answer(result)) == ("", SHARE)


def test_bytes_of_another_encoding_do_not_matter(read, submission, cell_of):
    cell_of(submission, "shown").source = "# caf\xe9"
    result = read(nbformat.writes(submission).encode("latin-1"))
    assert (reason(result), answer(result)) == ("", SHARE)


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
    result = read(json.dumps(old))
    assert (result.nbformat, reason(result)) == (4, "")
    assert result.cells[0].source == SHARE


# What cannot be read, with its reason


@pytest.mark.parametrize(
    "content",
    [
        *("", " ", "not json", "{", '{"cells": [', b"\x00\x01\x02", b"\x80\x04\x95"),
        *('{"a": ' * 5000, "[" * 100_000),
    ],
    ids=lambda content: repr(content[:12]),
)
def test_what_is_not_json_is_said_to_be_none(read, content):
    result = read(content)
    assert reason(result) == "the file is not JSON, so it is no notebook"
    assert result.cells == []


@pytest.mark.parametrize("content", ["[]", "null", "5", '"text"', "{}", '{"cells": null}', '{"cells": {}}'])
def test_json_that_is_no_notebook_is_said_to_hold_no_cells(read, content):
    result = read(content)
    assert reason(result) == "the file holds JSON, but no notebook cells"
    assert result.cells == []


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    result = read_submission(tmp_path / "nothing.ipynb")
    assert reason(result) == "there is no nothing.ipynb in the submission"


def test_a_folder_is_said_to_be_one(tmp_path):
    result = read_submission(tmp_path)
    assert reason(result) == "it is no ordinary file"


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
    result = exported(content)
    # A cell of the learner's own may be there beside the course's.
    saved = [cell["source"] for cell in result.cells if not cell["id"].startswith("added-")]
    assert saved == [cell.source for cell in release.cells]


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
            "larger than 100 MB",
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


# Output is not the answer


def stream(text):
    return [{"output_type": "stream", "name": "stdout", "text": text}]


def displayed(mime, data):
    return [{"output_type": "display_data", "data": {mime: data}, "metadata": {}}]


def beside(key, value):
    """Something that grading does not use, in the notebook's metadata."""
    return lambda plain: plain["metadata"].update({key: value})


def put_out(outputs):
    return lambda plain: plain["cells"][-1].update(outputs=outputs)


TENSOR = "tensor([[0.16, 0.17],\n" + "        [0.16, 0.17],\n" * 5 + "])\n"
LARGE = {
    "15,000 tensors": put_out(stream(TENSOR * 15_000)),
    "lines in a list": put_out(stream([TENSOR] * 15_000)),
    "a picture of 22 MB": put_out(displayed("image/png", "iVBO" * 5_500_000)),
    "an animation of 45 MB with one emoji": put_out(displayed("text/html", "<p>" * 15_000_000 + "🎞")),
    "quotes and backslashes": put_out(stream('[\\"' * 150_000)),
    "a table": put_out(displayed("application/json", [[0.5, None, {"a": []}]] * 60_000)),
    "the state of widgets": beside(
        "widgets", {"state": {str(n): {"model": {"x": [n], "y": {}}} for n in range(60_000)}}
    ),
    "attachments": lambda plain: plain["cells"][0].update(
        attachments={"a.png": {"image/png": "A" * 21_000_000}}
    ),
    "what an editor notes of a cell": lambda plain: plain["cells"][3]["metadata"].update(
        editor={str(n): [] for n in range(120_000)}
    ),
    "an unknown key": lambda plain: plain.update(history=[{"cells": []}] * 60_000),
}


@pytest.mark.parametrize("kind", LARGE)
def test_what_is_not_used_may_be_large(submission, kind):
    plain = json.loads(nbformat.writes(submission))
    LARGE[kind](plain)
    text = json.dumps(plain, ensure_ascii=False).encode()
    result = read_text(text)
    assert (reason(result), answer(result)) == ("", SHARE)
    assert read_text(lightened(text)) == result
    ids = frozenset({"share", "row-sums-answer"})
    assert run_limited(READING, ids_among, text, ids) == ids


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_large_file_of_any_encoding_and_line_end_is_read(submission, encoding, line_end):
    plain = json.loads(nbformat.writes(submission))
    put_out(stream("é🎞\n" * 120_000))(plain)
    text = json.dumps(plain, indent=1, ensure_ascii=False).replace("\n", line_end)
    result = read_text(text.encode(encoding))
    assert (reason(result), answer(result)) == ("", SHARE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"outputs": []', f'"outputs": {"[" * 100_000}{"]" * 100_000}'),
        ('"outputs": []', '"outputs": [NaN, -Infinity, 1e999, {"a": "\\ud800"}]'),
        ('"outputs": []', '"outputs": [{"cell_type": "code", "source": "1"}], "outputs": [{"id": "share"}]'),
        (
            '"metadata": {}',
            '"metadata": {"widgets": {"cells": [], "metadata": {"nbgrader": {"grade_id": 1}}}}',
        ),
        ('"id": "share-answer"', '"id": "other", "id": "share-answer"'),
        ('"id": "share-answer"', '"\\u0069d": "share-answer"'),
        ('"source": ["def', '"source": "def share(x): ...", "source": ["def'),
    ],
    ids=["deep", "no number", "twice", "looks like one", "last id", "escaped key", "last text"],
)
@pytest.mark.parametrize("size", [0, SMALL_BYTES], ids=["small", "large"])
def test_odd_json_is_read_as_python_reads_it_however_large_the_file(submission, old, new, size):
    text = json.dumps(json.loads(nbformat.writes(submission)))
    assert old in text
    result = read_text((text.replace(old, new, 1) + " " * size).encode())
    assert (reason(result), answer(result)) == ("", SHARE)


@pytest.mark.parametrize("cut", range(7))
def test_a_large_file_that_is_damaged_is_said_to_be_no_json(submission, cut):
    text = nbformat.writes(submission) + "\n" * SMALL_BYTES
    damaged = [text[: cut * 200 + 1], text + "}", text.replace(":", "", 1)]
    for item in damaged:
        assert (
            reason(read_text(item.encode().ljust(SMALL_BYTES + 1)))
            == "the file is not JSON, so it is no notebook"
        )


def test_a_large_file_is_cut_down_to_what_json_reads_of_it_too(submission):
    plain = json.loads(nbformat.writes(submission))
    put_out(stream(TENSOR))(plain)
    saved = json.loads(essential(json.dumps(plain).encode(), MAX_PARTS))
    assert [cell["source"] for cell in saved["cells"]] == [cell["source"] for cell in plain["cells"]]
    assert saved["cells"][-1]["outputs"] == []
    assert saved["cells"][3]["metadata"] == {"nbgrader": {"grade_id": "share-answer"}}


def test_of_a_large_file_in_format_3_the_answers_are_read(submission):
    cells = [
        {
            "cell_type": cell.cell_type,
            "source": [],
            "input": [cell.source],
            "language": "python",
            "outputs": [],
        }
        for cell in submission.cells
    ]
    plain = {"metadata": {"name": "x"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells}]}
    cells[-1]["outputs"] = stream("1\n" * SMALL_BYTES)
    result = read_text(json.dumps(plain).encode())
    assert SHARE in [cell.source for cell in result.cells]


def test_too_much_text_is_too_much_however_little_was_put_out():
    text = b'{"cells":[{"cell_type":"code","source":"%s"}]}' % (b"a" * 21_000_000)
    assert reason(read_text(text)) == "without its outputs, the file is larger than 20 MB"


@pytest.mark.parametrize("part", ["{}", "[]", '{"cell_type":"code","source":"1"}'])
def test_a_file_of_very_many_parts_is_not_taken_apart(part, monkeypatch):
    text = ('{"cells":[' + f"{part}," * MAX_PARTS + "{}]}").encode()
    monkeypatch.setattr(submissions.json, "loads", lambda _: pytest.fail("it was taken apart"))
    read = read_text(text)
    assert read.metadata[UNREADABLE] == "the file has more than 100000 parts"
