"""What a Python file of a course defines: as it stands now."""

import os
import sys

from autograder.records.load_definitions import defined_by


def test_a_file_that_changed_within_a_second_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)  # so that Python keeps what it compiled
    path = tmp_path / "tasks.py"
    actual = []
    for points in (1, 2):
        path.write_text(f"POINTS = {points}\n", encoding="utf-8")
        os.utime(path, (1e9, 1e9))
        actual.append(defined_by(path, "tasks")["POINTS"])
    assert actual == [1, 2]
