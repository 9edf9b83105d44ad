"""A class that is served to a platform, and a browser."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from support.class_course import LESSON, OTHER, class_folder

if find_spec("pylti1p3") and find_spec("uvicorn"):
    from support.lti_class import Browser, served
    from support.lti_platform import platform


@pytest.fixture(scope="module")
def own_keys(tmp_path_factory):
    """Keys that this file's tests share: making one takes a second."""
    return tmp_path_factory.mktemp("keys") / "lti"


@pytest.fixture
def folder(class_course, tmp_path, monkeypatch, own_keys):
    monkeypatch.setenv("AUTOGRADER_LTI", str(own_keys))
    return class_folder(class_course, tmp_path / "course", LESSON, OTHER)


@pytest.fixture
def home():
    with platform() as result:
        yield result


@pytest.fixture
def browser(folder, home):
    with served(folder, home) as tool:
        yield Browser(home, tool)
