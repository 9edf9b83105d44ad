"""Tests of extras that an installation has only on request."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import pytest


def need_extra(extra: str, *modules: str) -> None:
    """Skip a file of tests where its extra is not installed; fail on the Linux of CI, which installs it."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing and sys.platform == "linux" and "CI" in os.environ:
        pytest.fail(f"the extra `{extra}` is not installed: {', '.join(missing)}", pytrace=False)
    if missing:
        pytest.skip(f"needs the extra `{extra}`: {', '.join(missing)}", allow_module_level=True)
