"""A file that is written whole is for those that it was for, and a digest is of what is in a file now."""

from __future__ import annotations

import hashlib
import os
import stat
import sys

import pytest
from autograder.records.file_digests import file_digest, write_whole


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def for_oneself_alone():
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix: Windows keeps rights in another way")
@pytest.mark.parametrize(("asked", "given"), [(None, 0o600), (0o644, 0o644), (0o600, 0o600)])
def test_a_file_may_be_read_by_whom_its_maker_lets_read_it(tmp_path, for_oneself_alone, asked, given):
    write_whole(tmp_path / "new" / "file", b"content", asked)
    assert mode(tmp_path / "new" / "file") == given


def test_a_digest_follows_the_content_of_a_file(tmp_path):
    file = tmp_path / "file"
    for content in (b"before", b"after!"):
        write_whole(file, content)
        assert file_digest(file) == hashlib.sha256(content).digest()
