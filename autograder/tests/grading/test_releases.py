"""Which release a submission comes from: by the id in it, and where it has none by its tasks."""

import nbformat
import pytest
from autograder.author.preprocessors import MarkRelease
from autograder.grading.releases import Release, known_ids_and_release, origin
from autograder.records.cell_roles import claimed_release, release_of
from nbformat.v4 import new_code_cell, new_notebook

TASKS = {"first": "ab", "second": "abc", "now": "abcd"}


def notebook(tasks, said=""):
    marks = {"grade": True, "solution": False, "points": 1, "locked": True, "schema_version": 3}
    cells = [new_code_cell("", id=item, metadata={"nbgrader": {**marks, "grade_id": item}}) for item in tasks]
    result = new_notebook(cells=cells)
    if said:
        result.metadata["autograder"] = {"release": said}
    return result


def release(name, marked=True):
    result = notebook(TASKS[name], release_of(TASKS[name]) if marked else "")
    return Release("lesson", nbformat.writes(result), None, {})


# The older releases that have an id, what a submission has and says, and where it came from.
CAME = {
    "as it was given": ("first second", "abc", "second", "second"),
    "of the first": ("first second", "ab", "first", "first"),
    "with tasks deleted": ("first second", "a", "second", "second"),
    "of the current one, its newest task deleted": ("first second", "abc", "now", "now"),
    "of the current one, all but one deleted": ("first second", "a", "now", "now"),
    "without an id, where all have one": ("first second", "abc", "", "now"),
    "with the id of none": ("first second", "ab", "0123456789ab", "now"),
    "with an earlier id, and a newer task": ("first second", "abcd", "second", "now"),
    "of a release before there were ids": ("", "ab", "", "first"),
    "between releases before there were ids": ("", "abc", "", "second"),
    "without any task": ("first second", "", "", "now"),
    "with an id that another release has not": ("", "ab", "second", "first"),
}


@pytest.mark.parametrize("kind", CAME)
def test_a_submission_comes_from_the_release_that_it_says(kind):
    marked, has, says, came = CAME[kind]
    older = [release(name, name in marked.split()) for name in ("first", "second")]
    now = release("now")
    output = release_of(TASKS[says]) if says in TASKS else says
    handed_in = nbformat.writes(notebook(has, output)).encode()
    actual = origin(*known_ids_and_release(handed_in, frozenset("abcd")), now, older)
    assert actual.id == release_of(TASKS[came])


def test_a_release_says_which_it_is_and_reading_keeps_only_that():
    result, _ = MarkRelease().preprocess(notebook("ab"), {})
    assert claimed_release(result) == release_of("ab") == release_of("ba") != release_of("abc")
    result.metadata["other"] = 1
    actual = known_ids_and_release(nbformat.writes(result).encode(), frozenset("a"))
    assert actual == ({"a"}, release_of("ab"))


@pytest.mark.parametrize("output", [5, ["a"], {"release": 5}, {"release": "x" * 10_000}, None])
def test_an_id_of_any_form_is_none(output):
    result = notebook("ab")
    result.metadata["autograder"] = output
    handed_in = nbformat.writes(result).encode()
    ids, read = known_ids_and_release(handed_in, frozenset("abcd"))
    assert len(read) <= 40
    assert origin(ids, read, release("now"), [release("first")]).id == release_of("abcd")
