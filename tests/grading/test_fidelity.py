"""A lesson, in the grader's sandbox and in a real Jupyter kernel: cell for cell the same outputs.

It is run twice in one kernel: solved as its source solves it, then, from a clean namespace, with an
answer to every task that a learner got wrong, with the faulty code of the release, and with cells of the
learner's own that print, warn, raise, draw and write past Python.
"""

from __future__ import annotations

import base64
import importlib
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any
from unittest import mock

import nbformat
import pytest
import safetensors.torch
import torch
from autograder.author.parse_source import read_source
from autograder.grading.grading_banks import Banks
from autograder.grading.notebook_runners import SandboxRunner
from autograder.grading.sandbox.bubblewrap import ENVIRONMENT, INSIDE
from autograder.grading.sandbox.resource_limits import Limits
from autograder.records import bank
from autograder.records.bank import AS_SEEN, Closer
from autograder.records.cell_roles import is_answer, is_measured
from autograder.records.course import Course
from autograder.records.evidence_mime import EVIDENCE_MIME
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from PIL import Image, ImageChops, ImageStat

ROOT = Path(__file__).parents[2]
# A PNG in base64, wherever in an output it stands.
PIXELS = re.compile(r"iVBORw0KGgo[A-Za-z0-9+/=]*")
# The lesson with most pictures, random numbers and training.
LESSON = "08-train-it"
# What a learner may have added below an answer.
OWN_CELLS = (
    "print('so far so good')\nimport sys\nprint('to be looked at', file=sys.stderr)\nprint('done')",
    "import warnings\nwarnings.warn('this may be wrong')",
    "import os, subprocess\nos.write(1, b'from below\\n')\nos.system('echo from a shell')\n"
    "subprocess.run(['echo', 'from a program'])\nimport time\ntime.sleep(0.3)",
    "input('Which answer? ')",
    "handle = display('draft', display_id='mine')",
    "handle.update('final')",
    "from visuals import attention_map\nmine = attention_map([[0.25, 0.75]], ['a', 'b'], ['q'])\nmine",
    "mine.alt, mine.size",
    "attention_map([1.0, 2.0], ['a', 'b'])",
    "attention_map([[0.5, 0.5]], 'ab')",
    "attention_map([[1.0]], ['日'])",
    "mine.figure.axes[0].set_title('changed')\nmine",
    "def halves(x):\n    return x / 0\n\n\nhalves(1)",
    "for n in range(3):\n    print(f'\\rstep {n}', end='')",
    "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1))\nplt.plot([1, 2])",
)

pytestmark = [pytest.mark.usefixtures("walls")]


def wrong_answers(lesson: str) -> dict[str, str]:
    """For each task a wrong answer as a learner typed it, by the answer cell's id."""
    module = importlib.import_module(f"tests.mutants.lesson_{lesson[:2]}")
    answers = {}
    for number, task in enumerate(Course.read(ROOT).load(lesson).tasks.values()):
        # A seed from the clock is another one in each process.
        wrong = [item for item in module.TASKS[task.id].wrong if "torch.seed()" not in item.code]
        answers[f"{task.id}-answer"] = dedent(wrong[number % len(wrong)].code).strip("\n")
    return answers


def twice(lesson: str) -> NotebookNode:
    """A notebook that is the lesson solved, and after it the lesson got wrong."""
    notebook = read_source(ROOT / "source" / lesson / f"{lesson}.py")
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    solved = [cell for cell in code if not is_measured(cell)]
    answers = wrong_answers(lesson)
    failed = []
    own = iter(OWN_CELLS)
    for cell in solved:
        source = answers.get(cell["id"], cell.source)
        failed.append(new_code_cell(source, id=f"wrong-{cell['id']}", metadata=cell.metadata))
        if is_answer(cell):
            failed += [
                new_code_cell(next(own), id=f"own-{cell['id']}-{n}") for n in range(2) if own_left(own)
            ]
    failed += [new_code_cell(source, id=f"own-{number}") for number, source in enumerate(own)]
    notebook.cells = [*solved, new_code_cell("%reset -f", id="clean"), *failed]
    return notebook


def own_left(cells: Any) -> bool:
    return cells.__length_hint__() > 0


def settled(outputs: Any) -> Any:
    """Outputs without what differs from one process to the next: ids, addresses, places of files."""
    text = json.dumps(outputs, sort_keys=True, default=str, ensure_ascii=False)
    # How a sum is rounded depends on where in memory its terms lie: these numbers are compared by themselves.
    text = re.sub(r'\\"tensors\\": \\"[^"]*\\"', "TENSORS", text)
    # And so is a curve's place between two pixels: pictures are compared by themselves as well.
    text = PIXELS.sub("PIXELS", text)
    text = re.sub(r"\b[0-9a-f]{32}\b", "ID", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    text = re.sub(r"([~/][^\s\"\\:<>]*ipykernel_\d+/)?\b\d+\.py", "CELL", text)
    text = text.replace("~/", f"{ENVIRONMENT['HOME']}/").replace(str(ROOT), INSIDE)
    return json.loads(text)


def pictures(notebook: NotebookNode) -> list[Image.Image]:
    """The pictures of a notebook, in order."""
    actual = PIXELS.findall(json.dumps([cell.get("outputs", ()) for cell in notebook.cells], sort_keys=True))
    return [Image.open(io.BytesIO(base64.b64decode(item))).convert("RGB") for item in actual]


def evidence(notebook: NotebookNode) -> dict[str, dict[str, torch.Tensor]]:
    """The tensors of each check's evidence, by the cell's id."""
    actual = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            packed = output.get("data", {}).get(EVIDENCE_MIME)
            if packed:
                tensors = base64.b64decode(json.loads(packed)["tensors"])
                actual[cell["id"]] = safetensors.torch.load(tensors)
    return actual


@pytest.fixture(scope="module")
def runner() -> Iterator[SandboxRunner]:
    def always(_examined: bool, _followed: bool, unless: str) -> Closer:
        return Closer(unless=unless)  # in a kernel, it is not known what the judge has a use for

    with mock.patch.object(bank, "Closer", always):
        result = SandboxRunner(Banks.of(Course.read(ROOT)), Limits(cell_seconds=120, seconds=600))
        yield result
        result.close()


@pytest.fixture(scope="module")
def executed(
    runner: SandboxRunner, tmp_path_factory: pytest.TempPathFactory
) -> tuple[NotebookNode, NotebookNode]:
    """One notebook, executed in the sandbox and in a kernel."""
    notebook = twice(LESSON)
    in_sandbox = runner(notebook, AS_SEEN)
    assert (in_sandbox.stops, in_sandbox.gave_up) == ({}, "")
    in_kernel = nbformat.from_dict(notebook)
    client = NotebookClient(
        in_kernel,
        allow_errors=True,
        coalesce_streams=True,
        timeout=120,
        extra_arguments=["--InteractiveShell.xmode=Plain"],  # as the sandbox shows the stack of an error
        resources={"metadata": {"path": str(tmp_path_factory.mktemp("kernel"))}},
    )
    environment = {
        "PYTHONPATH": str(ROOT),
        "NBGRADER_EXECUTION": "autograde",
        "AUTOGRADER_PROGRESS": "off",
        "AUTOGRADER_COURSE": "",
        "AUTOGRADER_COURSE_NAME": Course.read(ROOT).name,  # the kernel's folder is in no course
        "OMP_NUM_THREADS": "1",
        **dict.fromkeys(("HOME", "TMPDIR"), str(tmp_path_factory.mktemp("home"))),
    }
    # A kernel that finds itself in a test does not look at what other programs print.
    own = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    client.execute(env={**own, **environment})
    return in_sandbox.notebook, in_kernel


@pytest.mark.slow
def test_a_lessons_pictures_are_those_of_a_kernel(executed):
    in_sandbox, in_kernel = (pictures(notebook) for notebook in executed)
    assert len(in_sandbox) == len(in_kernel) > 0
    for item, other in zip(in_sandbox, in_kernel, strict=True):
        assert item.size == other.size
        assert sum(ImageStat.Stat(ImageChops.difference(item, other)).mean) < 0.5  # of 255


def test_a_lesson_leaves_in_the_sandbox_what_it_leaves_in_a_kernel(executed):
    in_sandbox, in_kernel = executed
    assert [cell["id"] for cell in in_sandbox.cells] == [cell["id"] for cell in in_kernel.cells]
    differ = {
        item["id"]: (settled(item.outputs), settled(other.outputs))
        for item, other in zip(in_sandbox.cells, in_kernel.cells, strict=True)
        if settled([item.execution_count, item.outputs]) != settled([other.execution_count, other.outputs])
    }
    assert differ == {}
    torch.testing.assert_close(evidence(in_sandbox), evidence(in_kernel), equal_nan=True)
