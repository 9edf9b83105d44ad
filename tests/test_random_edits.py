"""A build by steps gives what a build from nothing gives, whatever was edited."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from benchmarks.random_edits import differing, tried

LESSON = "07-positions"  # the quickest to build


# A number of a figure: the solutions that show it are run, through all that imports it.
@pytest.mark.slow
def test_an_edit_is_built_by_steps_as_from_nothing():
    what, different = tried(13, [LESSON])
    assert different == [], what


def written(root, printed, *tags):
    cell = new_code_cell(
        id="cell", metadata={"tags": list(tags)}, outputs=[new_output("stream", text=printed)]
    )
    path = root / "solutions" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(new_notebook(cells=[cell]), path)


def test_what_two_builds_made_differently_is_named_but_for_what_a_cell_measures(tmp_path):
    for folder, printed in (("steps", "1 s"), ("nothing", "2 s")):
        written(tmp_path / folder, printed, "measured")
        written(tmp_path / f"other-{folder}", printed)
    assert differing(tmp_path / "steps", tmp_path / "nothing", LESSON) == []
    other = differing(tmp_path / "other-steps", tmp_path / "other-nothing", LESSON)
    assert other == [f"solutions/{LESSON}/{LESSON}.ipynb"]
