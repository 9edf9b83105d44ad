"""Progress on the learner's machine: kept between sessions, and never in the way."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from autograder.lesson import progress_store
from autograder.lesson.progress_store import ProgressRecord

KEPT = ProgressRecord(solved=True, points=3, checks=7, hints=2)


def test_a_task_that_was_never_checked_has_an_empty_record():
    assert progress_store.read("tiny", "share") == ProgressRecord()


def test_what_is_written_is_read_again():
    progress_store.write("tiny", "share", KEPT)
    assert progress_store.read("tiny", "share") == KEPT


def test_another_process_reads_the_same_record():
    progress_store.write("tiny", "share", KEPT)
    code = "from autograder.lesson import progress_store; print(progress_store.read('tiny', 'share'))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == repr(KEPT)


def test_nothing_but_the_record_stays_in_the_folder(own_progress):
    progress_store.write("tiny", "share", KEPT)
    progress_store.write("tiny", "share", ProgressRecord())
    assert sorted(os.listdir(own_progress)) == ["share.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix: Windows keeps rights in another way")
def test_nobody_else_reads_what_a_learner_has_done(own_progress):
    progress_store.write("tiny", "share", KEPT)
    assert (own_progress / "share.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"{}",
        b'"solved"',
        b"\xff\xfe\x00",
        b'{"solved": true, "points": "many", "checks": 1, "hints": 1}',
        b'{"solved": true, "points": null, "checks": 1, "hints": 1}',
        b'{"solved": true, "points": Infinity, "checks": 1, "hints": 1}',
        b"[" * 100_000,
    ],
    ids=lambda text: text[:40].decode("latin-1"),
)
def test_a_corrupt_record_counts_as_none(own_progress, text):
    (own_progress / "share.json").write_bytes(text)
    assert progress_store.read("tiny", "share") == ProgressRecord()


def test_a_place_that_cannot_be_written_is_named_and_raises_nothing(own_progress, monkeypatch):
    blocked = own_progress / "a-file"
    blocked.write_text("")
    monkeypatch.setenv(progress_store.PROGRESS, str(blocked / "below"))
    reason = progress_store.write("tiny", "share", KEPT)
    assert reason.startswith(f"Your progress cannot be saved in {blocked / 'below'}")
    assert progress_store.read("tiny", "share") == ProgressRecord()


def test_a_record_that_cannot_be_put_in_place_leaves_nothing_behind(own_progress):
    (own_progress / "share.json").mkdir()
    assert progress_store.write("tiny", "share", KEPT) != ""
    assert sorted(os.listdir(own_progress)) == ["share.json"]


def test_turned_off_nothing_is_kept(own_progress, monkeypatch):
    monkeypatch.setenv(progress_store.PROGRESS, "off")
    assert progress_store.folder("tiny") is None
    assert progress_store.write("tiny", "share", KEPT) == ""
    assert progress_store.read("tiny", "share") == ProgressRecord()
    assert os.listdir(own_progress) == []


def test_without_a_setting_progress_is_kept_in_the_users_own_data_folder(monkeypatch):
    monkeypatch.delenv(progress_store.PROGRESS)
    place = progress_store.folder("tiny")
    assert place is not None
    assert place.parts[-2:] == ("tiny", "progress")
