"""ES modules combined into one text, for browsers that cannot fetch further files."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

MODULE_MIME = "application/vnd.autograder.module+json"
# A drawing, which the front-end extension shows with the output's plain text as its alternative text.
PICTURE_MIME = "application/vnd.autograder.picture+json"
IMPORT = re.compile(r'^import [^;]*? from "(\.[^"]+)";\n', re.MULTILINE | re.DOTALL)
SAID = re.compile(r'\bN?_\(\s*"((?:[^"\\\n]|\\.)*)"')


@lru_cache(maxsize=64)
def bundled(path: Path) -> str:
    """Return a module's text, with the text of each module that it imports placed before it, once.

    All share one scope, so no two may use one name for different things; a browser would refuse the text.

    Raises:
        OSError: a module cannot be read.
    """
    texts: dict[Path, str] = {}

    def visit(module: Path) -> None:
        if module in texts:
            return
        text = module.read_text(encoding="utf-8")
        texts[module] = ""
        for match in IMPORT.finditer(text):
            visit((module.parent / match[1]).resolve())
        del texts[module]
        texts[module] = IMPORT.sub("", text)

    visit(path.resolve())
    return "\n".join(texts.values())


def translatable_texts(text: str) -> list[str]:
    """Return the texts that a module passes to `_` or to `N_` for translation."""
    return list(dict.fromkeys(name.replace('\\"', '"') for name in SAID.findall(text)))
