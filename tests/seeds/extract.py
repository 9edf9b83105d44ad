"""Write down what the five seed notebooks printed: `python -m tests.seeds.extract FOLDER`, numbers only.

The tests read what this wrote, so that they run wherever the seeds themselves are not to be had.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

WRITTEN = Path(__file__).with_name("seeds.json")
CELL = re.compile(r"^In \[(\d+|None)\]:\n(.*?)(?=^In \[|\Z)", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?|-?\d+|-?inf")
PRINTED = re.compile(r"^\(?(?:tensor\(|Parameter containing)|torch\.Size\(\[|^-?\d+\.\d+$", re.MULTILINE)


def cells(text: str) -> dict[str, dict[str, object]]:
    """Return of each code cell the numbers in its source and output, and whether it printed a result.

    A cell is called by the number in `In [n]`; `none-1` is a file's first `In [None]`, and so on.
    """
    actual: dict[str, dict[str, object]] = {}
    nameless = 0
    for cell in CELL.finditer(text):
        nameless += cell[1] == "None"
        name = f"none-{nameless}" if cell[1] == "None" else cell[1]
        numbers = " ".join(NUMBER.findall(cell[2]))
        actual[name] = {"printed": PRINTED.search(cell[2]) is not None, "numbers": numbers}
    return actual


if __name__ == "__main__":
    texts = {file.name: file.read_text(encoding="utf-8") for file in sorted(Path(sys.argv[1]).glob("*.txt"))}
    facts = {name: cells(text) for name, text in texts.items()}
    WRITTEN.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
