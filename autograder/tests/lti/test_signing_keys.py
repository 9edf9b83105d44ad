"""The keys lie where only their owner reads; rotating keeps the old one published for a while."""

from __future__ import annotations

import json
import os
import stat
import sys
from datetime import UTC, datetime, timedelta

import pytest
from support.everywhere import need_modules

need_modules("the extra `lti`", "cryptography", "jwt", "pylti1p3", "requests", "starlette", "uvicorn")

from autograder.lti import signing_keys  # noqa: E402
from support.handing_in import run  # noqa: E402


@pytest.fixture
def keys(tmp_path, monkeypatch, class_course):
    monkeypatch.setenv("AUTOGRADER_LTI", str(tmp_path / "own" / "lti"))
    return class_course


def ids(ring, moment):
    return [key["kid"] for key in ring.published(moment)["keys"]]


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix: Windows keeps rights in another way")
def test_only_the_owner_reads_the_keys_and_others_rights_are_refused(keys):
    before = os.umask(0)
    try:
        signing_keys.keyring(keys)
    finally:
        os.umask(before)
    root = signing_keys.folder(keys)
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "keys.json").stat().st_mode) == 0o600
    for path, rights in ((root / "keys.json", 0o640), (root, 0o755)):
        own = path.stat().st_mode
        path.chmod(rights)
        with pytest.raises(signing_keys.BadKeys, match="can be read by others"):
            signing_keys.keyring(keys)
        path.chmod(own)


def test_rotating_signs_anew_and_publishes_the_old_key_for_three_days(keys):
    begun = datetime(2026, 3, 1, tzinfo=UTC)
    first = ids(signing_keys.keyring(keys), begun)
    second = signing_keys.rotate(keys, now=begun)
    assert ids(second, begun)[1:] == first
    assert ids(second, begun + timedelta(days=3)) == ids(second, begun)[:1]
    assert "PRIVATE" not in str(second.published(begun))
    assert set(second.published(begun)["keys"][1]) == {"kty", "kid", "alg", "use", "n", "e"}
    third = signing_keys.rotate(keys, now=begun + timedelta(days=4))
    assert ids(third, begun + timedelta(days=4))[1:] == ids(second, begun)[:1]
    assert signing_keys.keyring(keys) == third


def test_the_command_rotates_and_forgets(keys):
    first = signing_keys.keyring(keys)
    assert "A new key lies in" in run(keys.root, "lti", "rotate")
    assert len(signing_keys.keyring(keys).old) == 1
    run(keys.root, "lti", "rotate", "--forget")
    last = signing_keys.keyring(keys)
    assert (last.old, last.private == first.private) == ((), False)


def test_a_file_that_holds_no_keys_is_refused(keys):
    signing_keys.keyring(keys)
    path = signing_keys.folder(keys) / "keys.json"
    whole = json.loads(path.read_text())
    for held in ([], {**whole, "public": "x"}, {**whole, "private": "x"}, {**whole, "old": [{"key": {}}]}):
        path.write_text(json.dumps(held))
        with pytest.raises(signing_keys.BadKeys, match="holds no keys"):
            signing_keys.keyring(keys)
