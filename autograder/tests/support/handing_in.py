"""Archives of what a class handed in, and the command that takes them."""

import warnings
import zipfile

import nbformat
from autograder.author.parse_source import read_source
from autograder.command import app as cli
from support.class_course import LESSON, MORE, OTHER
from support.template import TEMPLATE
from typer.testing import CliRunner

SOURCES = {LESSON: TEMPLATE, OTHER: MORE}


def run(folder, *arguments, code=0):
    result = CliRunner().invoke(cli.app, [*map(str, arguments), "--course", str(folder)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def notebook(lesson=LESSON, note=""):
    result = read_source(SOURCES[lesson] / "source" / lesson / f"{lesson}.py")
    result.cells.append(nbformat.v4.new_code_cell(note, id="note"))
    return nbformat.writes(result)


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # two files of one name
        for name, content in files:
            archive.writestr(name, content)
    return path


def note_of(folder, student, lesson=LESSON):
    path = folder / "submitted" / student / lesson / f"{lesson}.ipynb"
    return nbformat.read(path, as_version=4).cells[-1].source if path.is_file() else None
