"""Points without an answer: what one run asks is worth nothing in the next, and no evidence is made up."""

import os
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
import torch
from autograder.author.parse_source import read_source
from autograder.grading.grade_notebook import grade
from autograder.grading.grading_banks import Banks, HiddenTestSampler
from autograder.grading.hidden_tests import secret
from autograder.grading.notebook_runners import SandboxRunner
from autograder.grading.rebuild_submission import rebuild
from autograder.records import bank
from autograder.records.course import Course
from autograder.records.evidence_transport import pack
from autograder.records.run_outcome import Evidence
from nbformat.v4 import new_code_cell

from tests.attacks.answers import by_heart

ROOT = Path(__file__).parents[2]
COURSE = Course.read(ROOT)
FIRST, DROPOUT = "01-dot-product", "04-dropout"

pytestmark = pytest.mark.usefixtures("walls")

# Says all that it is asked, in every way in which something gets out: printed, raised, and as the names and
# notes in what the checks report.
TELLS = """
import autograder.probe.collect_evidence, autograder.lesson.check_calls, dataclasses, glob, os
from autograder.records.run_outcome import ErrorReport, ForbiddenCall
honest = autograder.lesson.check_calls.collect
def told(task, lesson, *rest):
    seen = [value.flatten().tolist() for probe in task.probes for value in probe.inputs.values()
            if hasattr(value, "tolist")] + [value.flatten().tolist() for value in (inputs,)]
    text = str(seen)
    print(text)
    get_ipython().display_pub.publish({"text/plain": text})
    found = honest(task, lesson, *rest)
    call = ForbiddenCall(text[:500], "softmax", text[500:1000], 1, text[1000:1500])
    error = ErrorReport(text[:500], text[500:1000], text[1000:1500])
    return dataclasses.replace(
        found, status="STATUS", note=text, nearest=(text,), answer_type=text, changed_givens=(text,),
        globals_read=(text,), forbidden=(call,), error=error)
autograder.lesson.check_calls.collect = told
"""
# What the checks found is what a public repository says that they would find.
FORGES = """
import autograder.lesson.check_calls, dataclasses
from autograder.records.evidence_transport import unpack
honest, known = autograder.lesson.check_calls.collect, {KNOWN!r}
def forged(task, *rest):
    own, said = honest(task, *rest), unpack(known[task.id])
    public = {{probe: said.outcomes.get(probe.removesuffix("-hidden")) for probe in task.probe}}
    more = {{probe: outcome for probe, outcome in public.items() if outcome}}
    return dataclasses.replace(own, status="answered", outcomes={{**own.outcomes, **more}})
autograder.lesson.check_calls.collect = forged
"""
# Right answers of lesson 04 but that they drop nothing, and which of their checks dropping is asked by.
NO_DROPOUT = {
    "causal-attention": "CausalAttention.train = lambda self, mode=True: torch.nn.Module.train(self, False)",
    "dropout-by-hand": (
        "right = dropout_by_hand\n"
        "def dropout_by_hand(x, p, training=True, right=right):\n"
        "    return x if 0 < p < 1 else right(x, p, training)"
    ),
}


@pytest.fixture(scope="module")
def banks(tmp_path_factory):
    """The course's banks, with a secret."""
    patch = pytest.MonkeyPatch()
    patch.setenv(secret.OWN_FOLDER, str(tmp_path_factory.mktemp("secret")))
    secret.make(COURSE, FIRST)
    yield Banks.of(COURSE)
    patch.undo()


@pytest.fixture(scope="module")
def graded(banks):
    """What becomes of a notebook that is handed in; with a cell of the learner's own, where there is one."""
    runner = SandboxRunner(banks)

    def run(lesson, submission, added="", run="a run"):
        release = nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
        submission = deepcopy(submission)
        if added:
            position = next(n for n, cell in enumerate(submission.cells) if cell["id"] == "setup")
            submission.cells.insert(position + 1, new_code_cell(added))
        drawn = HiddenTestSampler(banks, run.rjust(16)).of(lesson, nbformat.writes(submission).encode())
        return grade(
            rebuild(release, submission).notebook,
            banks.lesson(lesson, drawn),
            runner,
            questions=banks.questions(lesson, drawn),
        ), banks.lesson(lesson, drawn)

    yield run
    runner.close()


def released(lesson):
    return nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)


def solution(lesson):
    return read_source(ROOT / "source" / lesson / f"{lesson}.py")


def earned(graded):
    return {name: verdict.earned for name, verdict in graded.verdicts.items() if verdict.earned}


def hidden_numbers(lesson):
    """What a learner must not come to know, as it would be printed."""
    tensors = [
        value for run, givens in lesson.givens.items() if run != "as-seen" for value in givens.values()
    ]
    for task in lesson.tasks.values():
        tensors += [value for item in task.probes if item.hidden for value in item.inputs.values()]
    numbers = {item for value in tensors if torch.is_tensor(value) for item in value.flatten().tolist()}
    return [repr(item) for item in numbers if isinstance(item, float) and len(repr(item)) > 8]


@pytest.mark.parametrize("status", ["answered", "missing", "stub", "not-callable", "not-run"])
def test_nothing_that_was_asked_is_told(graded, status):
    actual, lesson = graded(FIRST, solution(FIRST), TELLS.replace("STATUS", status))
    shown = nbformat.writes(actual.notebook) + repr(actual.notes) + repr(actual.verdicts)
    assert len(hidden_numbers(lesson)) > 50
    assert [item for item in hidden_numbers(lesson) if item in shown] == []


def test_what_one_run_asked_is_worth_nothing_in_the_next(graded):
    _, reference = graded(FIRST, released(FIRST), run="the first")
    remembers = released(FIRST)
    by_heart(remembers, reference)
    actual, _ = graded(FIRST, remembers, run="the second")
    assert earned(actual) == {}


def forges(lesson, *kinds):
    """A cell that says of every task what a right answer yields on public probes of some kinds, or of all."""
    reference = {}
    for name, task in COURSE.load(lesson).tasks.items():
        probes = [item for item in task.probes if not kinds or item.observe in kinds]
        reference[name] = pack(Evidence(name, "answered", {item.id: item.expected for item in probes}))
    return FORGES.format(KNOWN=reference)


def test_evidence_that_is_public_earns_nothing(graded):
    actual, _ = graded(DROPOUT, released(DROPOUT), forges(DROPOUT))
    assert earned(actual) == {}


def test_who_drops_nothing_cannot_say_otherwise(graded):
    without = solution(DROPOUT)
    for cell in without.cells:
        cell.source += "\n" + NO_DROPOUT.get(cell["id"].removesuffix("-answer"), "")
    actual, lesson = graded(DROPOUT, without, forges(DROPOUT, "dropout"))
    for name in NO_DROPOUT:
        task = lesson.tasks[name]
        dropping = {item.id for item in task.probes if item.observe == "dropout"}
        others = sum(check.points for check in task.checks if dropping.isdisjoint(check.probes))
        assert actual.verdicts[name].earned == others < task.points


@pytest.mark.sample(6)
@pytest.mark.parametrize("lesson", COURSE.banked())
def test_a_right_answer_passes_whatever_is_drawn(graded, lesson):
    for run in ("one", "two") if os.environ.get("ATTACKS") == "all" else ("one",):
        actual, reference = graded(lesson, solution(lesson), run=run)
        assert {name: item.earned for name, item in actual.verdicts.items()} == {
            name: task.points for name, task in reference.tasks.items()
        }


# A right answer by a call that its task forbids. Before and after it, what is to keep that from being known.
FORBIDDEN = "softmax-stable"
BY_A_CALL = """
import gc, os, stat, struct, sys
{before}
def softmax_stable(x, dim=-1):
    {first}
    found = torch.softmax(x, dim)
    {then}
    return found
"""
LISTS = """
def lists():
    frame = sys._getframe()
    while frame:
        yield from (one for one in frame.f_locals.values() if isinstance(one, list))
        calls = (getattr(one, "calls", 0) for one in frame.f_locals.values())
        yield from (one for one in calls if isinstance(one, list))
        frame = frame.f_back
"""
PIPES = """
def pipes():
    for one in range(3, 256):
        try:
            if stat.S_ISFIFO(os.fstat(one).st_mode):
                yield one
        except OSError:
            pass
"""
# For each way: the cell around it, what the answer does before its call, and what after.
SILENCES = {
    "clears lists in frames": (LISTS, "pass", "[one.clear() for one in lists()]"),
    "fills lists in frames": (LISTS, "[one.extend([None] * 50) for one in lists()]", "pass"),
    "clears what gc knows": (
        *("", "pass"),
        "[one.calls.clear() for one in gc.get_objects() if type(one).__name__ == 'Watch']",
    ),
    "none is kept": ("import autograder.probe.forbidden_calls as f\nf.MOST_CALLS = 0", "pass", "pass"),
    "a list that keeps nothing": (
        "import autograder.probe.forbidden_calls as f\n"
        "class Empty(list):\n    append = lambda *_: None\n"
        "begun = f.Watch.__init__\n"
        "def begin(self, *given):\n    begun(self, *given)\n    self.calls = Empty()\n"
        "f.Watch.__init__ = begin",
        "pass",
        "pass",
    ),
    "evidence without it": (
        "import autograder.lesson.check_calls as l, dataclasses\nhonest = l.collect\n"
        "l.collect = lambda *given: dataclasses.replace(honest(*given), forbidden=())",
        "pass",
        "pass",
    ),
    "drowns it": (
        PIPES,
        "[os.write(p, struct.pack('>cI', b'F', 4) + b'%d' % n) for p in pipes() for n in range(1000, 3000)]",
        "pass",
    ),
    "swallows it": (PIPES, "[os.write(one, struct.pack('>cI', b'F', 3000)) for one in pipes()]", "pass"),
    "covers it": (PIPES, "pass", "[os.write(one, b'x' * 2000) for one in pipes()]"),
    "closes the way out": (PIPES, "[os.close(one) for one in pipes()]", "pass"),
    "leads the way out elsewhere": (
        PIPES,
        "[os.dup2(os.open('/dev/null', os.O_WRONLY), one) for one in pipes()]",
        "pass",
    ),
    "leads it into a pipe of its own": (PIPES, "[os.dup2(os.pipe()[1], one) for one in pipes()]", "pass"),
}


@pytest.mark.parametrize("way", SILENCES)
def test_a_forbidden_call_cannot_be_taken_back(graded, way):
    before, first, then = SILENCES[way]
    silent = solution(FIRST)
    cell = next(item for item in silent.cells if item["id"] == f"{FORBIDDEN}-answer")
    cell.source = BY_A_CALL.format(before=before, first=first, then=then)
    actual, lesson = graded(FIRST, silent)
    verdict = actual.verdicts[FORBIDDEN]
    assert verdict.earned < lesson.tasks[FORBIDDEN].points
    assert verdict.forbidden or not verdict.earned


def as_it_was(banks, folder):
    """An earlier release's bank: without a task, and with two that were judged otherwise."""
    reference = banks.lesson(FIRST)
    tasks = {name: task for name, task in reference.tasks.items() if name != list(reference.tasks)[-1]}
    for name in ("softmax-naive", "query-scores"):
        first, *rest = tasks[name].checks
        tasks[name] = replace(tasks[name], checks=(replace(first, title="in other words"), *rest))
    bank.save(replace(reference, tasks=tasks), folder)
    return replace(banks, folders={FIRST: folder})


def test_an_earlier_release_asks_hidden_questions_of_all_tasks_that_are_as_they_were(banks, tmp_path):
    then = as_it_was(banks, tmp_path)
    runner = SandboxRunner(then)

    def graded_by(submission, run):
        drawn = HiddenTestSampler(banks, run.rjust(16)).of(FIRST, nbformat.writes(submission).encode(), then)
        asked, questions = then.lesson(FIRST, drawn), then.questions(FIRST, drawn)
        rebuilt = rebuild(released(FIRST), submission).notebook
        return grade(rebuilt, asked, runner, questions=questions), drawn

    reference = then.lesson(FIRST)
    actual, drawn = graded_by(solution(FIRST), "right")
    assert earned(actual) == {name: task.points for name, task in reference.tasks.items()}
    changed = {"softmax-naive", "query-scores"}
    alone = sum(reference.tasks[name].points for name in changed)
    assert then.public_alone(FIRST, drawn, set(reference.tasks)) == alone
    assert then.public_alone(FIRST, {}, set(reference.tasks)) == sum(
        item.points for item in reference.tasks.values()
    )
    remembers = released(FIRST)
    by_heart(remembers, reference)
    assert earned(graded_by(remembers, "by heart")[0]).keys() <= changed
    runner.close()
