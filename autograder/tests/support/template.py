"""The course that `autograder new-course` makes."""

from pathlib import Path

import autograder.author

TEMPLATE = Path(autograder.author.__file__).parent / "template"
