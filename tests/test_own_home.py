"""The tests live in a home of their own: nothing of a person's is read by them, and nothing is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from autograder.grading.hidden_tests import secret
from autograder.lesson import progress_store
from autograder.records.course import Course
from autograder.words import language

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT)
# What keeps something without being told where, by folder: progress and fonts, a kernel's files.
SAMPLES = {
    ROOT: (
        "tests/test_own_home.py::test_nothing_of_a_persons_is_there",
        "tests/test_claims.py::test_a_named_mistake_is_named_however_an_unfit_width_is_refused",
        "tests/visuals/test_batches.py::test_the_axes_are_named_with_their_sizes",
    ),
    ROOT / "autograder": (
        "tests/lesson/test_progress_store.py::test_what_is_written_is_read_again",
        "tests/grading/sandbox/test_jupyter_kernels.py::test_a_notebook_runs_in_a_process_beside_the_graders",
    ),
}


def test_nothing_of_a_persons_is_there():
    assert not secret.folder(COURSE).exists()
    assert not progress_store.read(COURSE.name, "dot-product").solved
    assert language.speak(COURSE.bank, COURSE.languages) == COURSE.languages[0]


@pytest.mark.slow
@pytest.mark.parametrize("folder", SAMPLES, ids=["course", "tool"])
def test_a_persons_home_stays_as_it_was(tmp_path, folder):
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    places = {name: tmp_path / name.lower() for name in ("HOME", "TMPDIR", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    places |= {name: tmp_path / name.lower() for name in ("IPYTHONDIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR")}
    saved = places["XDG_DATA_HOME"] / COURSE.name
    for root in (*places.values(), saved / "secret", saved / "progress"):
        root.mkdir(exist_ok=True, parents=True)
    (saved / "secret" / "secret").write_text("a1b2")
    (saved / "progress" / "dot-product.json").write_text('{"solved": true}')
    before = contents(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *SAMPLES[folder]],
        cwd=folder,
        env={
            **own,
            **{name: str(root) for name, root in places.items()},
            language.LANGUAGE: "bn",
            "LC_ALL": "C",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }
