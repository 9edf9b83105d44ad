"""What the output of a cell gives to its module in the page."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

from autograder.records.javascript_modules import MODULE_MIME


def values_in_page(output: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a module, from an output by its types."""
    packed = base64.b64decode(output[MODULE_MIME]["live"])
    values: dict[str, Any] = json.loads(gzip.decompress(packed))["values"]
    return values
